use interfield_model::Simulation;
use interfield_model::diag::{Diagnostics, Source};
use interfield_model::parse::{Overrides, parse};

fn load(name: &str, overrides: Overrides) -> Simulation {
    let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new(name, std::fs::read_to_string(&path).unwrap());
    let diags = Diagnostics::new();
    let parsed = parse(&source, &overrides, &|_| Err("no files".into()), &diags);
    let Some((model, places)) = parsed else { panic!("{}", diags.render(&source, false)) };
    Simulation::new(model).unwrap_or_else(|p| {
        p.iter().for_each(|p| diags.push(places.locate(p)));
        panic!("{}", diags.render(&source, false))
    })
}

fn states(sim: &mut Simulation, times: &[u64]) -> Vec<Vec<f64>> {
    let mut out = Vec::new();
    for k in 0..*times.last().unwrap() {
        sim.step(k).unwrap_or_else(|f| panic!("{}", sim.explain(f)));
        if times.contains(&(k + 1)) {
            out.push(sim.y().to_vec());
        }
    }
    out
}

#[test]
fn quick() {
    for (s, p) in [
        ("lsrt1", vec![]),
        ("lsrt2", vec![("gamma".to_string(), "plus".to_string())]),
        ("lsrt2", vec![]),
        ("rosenbrock3", vec![]),
        ("caam", vec![]),
    ] {
        let o = Overrides { scheme: Some(s.into()), scheme_parameters: p, ..Default::default() };
        let mut sim = load("shear-pendulum", o);
        println!("{s}");
        for y in states(&mut sim, &[1000, 5000, 10000]) {
            println!("{y:?}");
        }
    }
    let mut sim = load("shear-pendulum-quake", Overrides::default());
    for y in states(&mut sim, &[1000, 3000, 5000]) {
        println!("{y:?}");
    }
    let mut sim = load("shear-pendulum-bouc-wen", Overrides::default());
    for y in states(&mut sim, &[1000, 2000, 3000]) {
        println!("{y:?}");
    }
    let mut sim = load("spring-pendulum", Overrides::default());
    for y in states(&mut sim, &[1000, 2000, 3000]) {
        println!("{y:?}");
    }
    let sim = load("frame", Overrides::default());
    println!("{:?}", sim.modes(5).unwrap().omega2.iter().map(|w| w.sqrt()).collect::<Vec<_>>());
    for s in sim.solvers() {
        println!("{}", s.1);
    }
    panic!()
}
