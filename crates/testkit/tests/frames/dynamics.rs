//! Members in motion: every scheme of the registry, every coupling, histories that move once per step, members as specimens.

use interfield_coupling::registry::COUPLINGS;
use interfield_kernel::System;
use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;
use interfield_structure::specimen::Rehearsal;
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems::PORTAL;
use interfield_testkit::run::{advance, read, simulation, start};
use interfield_testkit::variants::{scheme, variants};

const END: f64 = 0.9;

/// Displacements at every 10 ms.
fn track(mut sim: Simulation, dt: f64) -> Vec<f64> {
    let every = (0.01 / dt).round() as u64;
    let mut found = Vec::new();
    for k in 0..(END / 0.01).round() as u64 {
        advance(&mut sim, k * every, (k + 1) * every);
        found.extend_from_slice(&sim.y(0)[..2]);
    }
    found
}

#[test]
fn every_scheme_comes_to_the_same_motion() {
    let model = read(PORTAL);
    let reference = track(start(&model, scheme("newmark-newton", &[]), 5e-4), 5e-4);
    let peak = largest(&reference);
    assert!(peak > 0.03, "columns of 3.6 m yield: {peak}");
    for v in variants() {
        // The explicit ones end at 2 over the highest frequency; first order is first order. Others differ by what the steel makes of
        // tiny reversals, which it takes for real ones: it knows no nested branches.
        let error = distance(&track(start(&model, v.scheme, 5e-4), 5e-4), &reference) / peak;
        let bound = if v.claims().order_frozen < 2 { 0.12 } else { 0.012 };
        assert!(error < bound, "{}: {error:.2e}", v.label);
    }
}

#[test]
fn average_acceleration_closes_the_balance_of_energy() {
    let mut sim = simulation(read(PORTAL));
    let mut out = vec![0.0; sim.channels().len()];
    let (mut input, mut error) = (0.0f64, 0.0f64);
    for k in 0..450 {
        advance(&mut sim, k, k + 1);
        sim.sample(k + 1, &mut out).unwrap();
        (input, error) = (input.max(out[2].abs()), error.max(out[3].abs()));
    }
    assert!(error < 1e-7 * input && input > 1e3, "{error} of {input}");
}

#[test]
fn neither_looking_nor_recording_moves_a_history() {
    for v in variants() {
        let [mut watched, mut alone] = [(); 2].map(|()| start(&read(PORTAL), v.scheme, 5e-4));
        watched.watch().unwrap();
        let mut out = vec![0.0; watched.channels().len()];
        for k in 0..60 {
            advance(&mut watched, k, k + 1);
            advance(&mut alone, k, k + 1);
            watched.sample(k + 1, &mut out).unwrap();
            if k % 30 == 0 {
                watched.modes(0, 2).unwrap();
            }
        }
        let bits = |sim: &Simulation| sim.coupling.state().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&watched) == bits(&alone), "{}", v.label);
    }
}

#[test]
fn stages_are_trials() {
    // A bar and a mass: after a step of LSRT2 the history of the steel is where the step began.
    let model = read(
        "dofs = [\"x\"]\nnode = [{ name = \"a\", at = [2, 0], mass = 1e4, initial_velocity = { x = 0.4 } }, { name = \"g\", at = [0, 0], \
         fixed = true }]\nmaterial = [{ name = \"s\", type = \"hardening\", E = 2e11, fy = 2e8, Hk = 1e9 }]\n\
         element = [{ type = \"bar\", name = \"b\", nodes = [\"g\", \"a\"], material = \"s\", area = 1e-3 }]\n[analysis]\n\
         scheme = \"lsrt2\"\ndt = 0.001\nduration = 0.1\n",
    );
    let mut sim = simulation(model);
    for k in 0..60 {
        let before = sim.y(0)[0];
        advance(&mut sim, k, k + 1);
        let memory = sim.coupling.system(0).memory().to_vec();
        let plastic = memory[0];
        // The history of the one bar: plastic strain; the elastic strain at the state before is within its strength.
        let stress = 2e11 * (before / 2.0 - plastic);
        assert!(stress.abs() <= 2e8 + 1e9 * plastic.abs() * 1.01 + 1.0, "step {k}: {stress} with {memory:?}");
    }
    assert!(sim.coupling.system(0).memory()[0].abs() > 1e-4, "it yielded");
}

#[test]
fn a_fault_gives_the_histories_back() {
    let broken = "element = [\n  { type = \"formula\", name = \"broken\", nodes = [\"ground\", \"t1\"], dof = \"x\", \
                  force = \"5*u + 1e-9*sqrt(0.05 - t)\" },";
    let model = read(&PORTAL.replace("element = [", broken).replace(", \"energy.input\", \"energy.error\"", ""));
    let bits = |sim: &Simulation| sim.coupling.state().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for v in variants() {
        let mut sim = start(&model, v.scheme, 0.001);
        let mut before = Vec::new();
        let failed = (0..60).any(|k| {
            before = bits(&sim);
            sim.step(k).is_err()
        });
        assert!(failed, "{}", v.label);
        assert!(bits(&sim) == before, "{}", v.label);
    }
}

fn cut(coupling: &str) -> Model {
    let cut = format!(
        "[[substructure]]\nname = \"frame\"\n[[substructure]]\nname = \"column\"\nelements = [\"c2\"]\ninterface_mass = 0.3\n[coupling]\n\
         method = \"{coupling}\"\n[analysis]\n"
    );
    read(&PORTAL.replace("[analysis]\nscheme = \"newmark-newton\"\n", &cut))
}

#[test]
fn every_coupling_carries_histories_of_its_own() {
    let model = read(PORTAL);
    let reference = track(start(&model, scheme("newmark-newton", &[]), 5e-4), 5e-4);
    let peak = largest(&reference);
    let mut tried = 0;
    for coupling in COUPLINGS.iter().filter(|c| c.name != "single") {
        let mut text = cut(coupling.name);
        text.analysis.dt = 5e-4;
        let Ok(sim) = Simulation::new(text.clone()) else { continue };
        tried += 1;
        let error = distance(&track(sim, 5e-4), &reference) / peak;
        assert!(error < 0.06, "{}: {error:.2e}", coupling.name);
        // A state loaded elsewhere goes on with the same bits: whatever a sequence remembers is in it.
        let [mut first, mut second] = [(); 2].map(|()| Simulation::new(text.clone()).unwrap());
        advance(&mut first, 0, 300);
        second.coupling.state_mut().copy_from_slice(first.coupling.state());
        advance(&mut first, 300, 340);
        advance(&mut second, 300, 340);
        assert!(first.coupling.state() == second.coupling.state(), "{}", coupling.name);
    }
    assert!(tried >= 6, "{tried}");
}

/// The whole portal with a column on an ideal rig.
fn tested(column: &str, node: &str) -> String {
    let mut text = PORTAL.replace("\"newmark-newton\"", "\"alpha-os\"").replace("\"c1.force.5\", ", "");
    text += &format!("[[specimen]]\nname = \"column\"\nelements = [\"{column}\"]\nrate = \"2 kHz\"\n");
    for dof in ["x", "y", "rz"] {
        text += &format!("[[specimen.actuator]]\ndof = \"{node}.{dof}\"\ntype = \"ideal\"\n");
    }
    text + "[specimen.limits]\ndisplacement = 1\nvelocity = 10\nforce = 1e8\n"
}

#[test]
fn a_member_in_the_laboratory_is_the_member_that_is_computed() {
    for (column, node) in [("c1", "t1"), ("c2", "t2")] {
        let text = tested(column, node);
        let whole = &text[..text.find("[[specimen]]").unwrap()];
        let computed = track(simulation(read(whole)), 0.002);
        let sim = Simulation::in_workshop(read(&text), &mut Rehearsal).unwrap();
        // It goes there in four samples where the computed one goes in one increment.
        let error = distance(&track(sim, 0.002), &computed) / largest(&computed);
        assert!(error < 5e-3, "{column}: {error:.2e}");
    }
    // An elastic one has no path: the same to rounding.
    let text = tested("c1", "t1").replace(
        "nodes = [\"f1\", \"t1\"], cross_section = \"rc\", transformation = \"p-delta\"",
        "nodes = [\"f1\", \"t1\"], cross_section = \"beam\"",
    );
    let whole = &text[..text.find("[[specimen]]").unwrap()];
    let computed = track(simulation(read(whole)), 0.002);
    let sim = Simulation::in_workshop(read(&text), &mut Rehearsal).unwrap();
    let error = distance(&track(sim, 0.002), &computed) / largest(&computed);
    assert!(error < 1e-9, "{error:.2e}");
}

#[test]
fn what_no_laboratory_can_do_is_refused() {
    let text = tested("c1", "t1");
    let said = |text: &str| {
        let (source, diags) = (Source::new("test.toml", text.to_owned()), Diagnostics::new());
        assert!(parse(&source, &Overrides::default(), &|path| Err(path.to_owned()), &diags).is_none());
        diags.render(&source, false)
    };
    let spread = said(&text.replace("elements = [\"b\"]", "elements = [\"b\", \"c1\"]"));
    assert!(spread.contains("gravity is spread along `c1`, which stands in the laboratory"), "{spread}");
    let foot = said(&text.replace("channels = [\"t1.x\"", "channels = [\"t1.x\", \"c1.force.3\""));
    assert!(foot.contains("`c1.force.3` is a force where the specimen is fixed"), "{foot}");
    assert!(foot.contains("record \"c1.force.4\", \"c1.force.5\", \"c1.force.6\""), "{foot}");
}

#[test]
fn schemes_that_need_masses_say_so() {
    let model = read(&PORTAL.replace("25e3, rz = 2e4 }", "25e3 }").replace("newmark-newton", "kr-alpha"));
    let problems = Simulation::new(model).err().expect("joints without inertia against turning");
    assert_eq!(problems[0].message, "`t1.rz` has no mass, and scheme `kr-alpha` finds accelerations by the mass alone");
}
