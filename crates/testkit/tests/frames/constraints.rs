//! Constraints by elimination: masses off the node that leads, loads on nodes that follow, cuts and imposed motions.

use interfield_structure::Simulation;
use interfield_testkit::run::{read, simulation};

/// Channels of a run, step by step.
fn run(text: &str, whole: bool) -> Vec<Vec<f64>> {
    let model = read(text);
    let (steps, count) = ((model.analysis.duration / model.analysis.dt).round() as u64, model.channels.len());
    let mut simulation = match whole {
        true => simulation(model),
        false => Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message)),
    };
    let mut out = vec![0.0; count];
    (1..=steps)
        .map(|step| {
            simulation.step(step - 1).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
            simulation.sample(step, &mut out).unwrap();
            out.clone()
        })
        .collect()
}

/// The largest difference of each channel, over its peak.
fn same(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) {
    for channel in 0..a[0].len() {
        let peak = a.iter().fold(0.0, |m: f64, row| m.max(row[channel].abs()));
        let worst = a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a[channel] - b[channel]).abs()));
        assert!(peak > 0.0, "channel {channel} is zero");
        assert!(worst <= tolerance * peak, "channel {channel}: {worst} of {peak}");
    }
}

const HEAD: &str = r#"
dofs = ["x", "y", "rz"]
[[node]]
name = "foot"
at = [0, 0]
fixed = true
[[node]]
name = "top"
at = [0, 3]
mass = { x = 1000, y = 1000, rz = 200 }
[[element]]
type = "beam2d"
name = "c1"
nodes = ["foot", "top"]
E = 200e9
A = 5e-3
I = 2e-5
"#;

/// Motion of the ground, damping by the first two modes, and what is recorded.
fn tail(channels: &str) -> String {
    format!(
        "[damping]\nrayleigh = {{ ratio = 0.03, modes = [1, 2] }}\n[[load]]\nname = \"quake\"\ntype = \"ground\"\ndirection = \"x\"\n\
         signal = {{ type = \"harmonic\", amplitude = 2, frequency = 3 }}\n[analysis]\nscheme = \"newmark\"\ndt = 0.002\nduration = 0.6\n\
         [record]\nchannels = {channels}\n"
    )
}

#[test]
fn a_mass_and_a_load_on_a_node_that_follows_act_with_their_arms() {
    let force = "signal = { type = \"harmonic\", amplitude = 4e3, frequency = 5 }";
    let linked = format!(
        "{HEAD}[[node]]\nname = \"arm\"\nat = [1.5, 3.4]\nmass = {{ x = 700, y = 700, rz = 30 }}\n\
         [[constraint]]\ntype = \"rigid-link\"\nleads = \"top\"\nfollows = [\"arm\"]\n\
         [[load]]\ntype = \"force\"\nat = \"arm.y\"\n{force}\n{}",
        tail("[\"top.x\", \"top.y\", \"top.rz\", \"top.x.a\"]")
    );
    // u = x - dy rz, v = y + dx rz, by hand.
    let (m, dx, dy) = (700.0, 1.5, 3.4 - 3.0);
    let by_hand = format!(
        "{HEAD}[[element]]\ntype = \"matrix\"\nname = \"arm\"\ndofs = [\"top.x\", \"top.y\", \"top.rz\"]\n\
         M = [[{m}, 0, {}], [0, {m}, {}], [{}, {}, {}]]\n\
         [[load]]\ntype = \"force\"\nat = \"top.y\"\n{force}\n\
         [[load]]\ntype = \"force\"\nat = \"top.rz\"\nsignal = {{ type = \"harmonic\", amplitude = {}, frequency = 5 }}\n{}",
        -m * dy,
        m * dx,
        -m * dy,
        m * dx,
        m * (dx * dx + dy * dy) + 30.0,
        4e3 * dx,
        tail("[\"top.x\", \"top.y\", \"top.rz\", \"top.x.a\"]")
    );
    same(&run(&by_hand, true), &run(&linked, true), 1e-9);
    // What follows is recorded where it is.
    let rows = run(&linked.replace("\"top.x.a\"", "\"arm.x\", \"arm.y\", \"arm.rz\", \"arm.y.v\""), true);
    for row in rows {
        assert!((row[3] - (row[0] - dy * row[2])).abs() < 1e-15);
        assert!((row[4] - (row[1] + dx * row[2])).abs() < 1e-15);
        assert_eq!(row[5], row[2]);
    }
}

/// Two columns under a rigid beam: the second top follows the first.
fn portal(extra: &str, channels: &str) -> String {
    format!(
        "{HEAD}[[node]]\nname = \"foot-2\"\nat = [4, 0]\nfixed = true\n\
         [[node]]\nname = \"top-2\"\nat = [4, 3.5]\nmass = {{ x = 900, y = 900, rz = 100 }}\n\
         [[element]]\ntype = \"beam2d\"\nname = \"c2\"\nnodes = [\"foot-2\", \"top-2\"]\nE = 200e9\nA = 4e-3\nI = 3e-5\nrho = 7850\n\
         [[constraint]]\ntype = \"rigid-link\"\nleads = \"top\"\nfollows = [\"top-2\"]\n{extra}{}",
        tail(channels)
    )
}

#[test]
fn a_cut_through_nodes_that_lead_and_follow_changes_nothing() {
    let load = "[[load]]\ntype = \"force\"\nat = \"top-2.x\"\nsignal = { type = \"harmonic\", amplitude = 3e3, frequency = 4 }\n";
    let cut = "[[substructure]]\nname = \"one\"\nelements = [\"c1\"]\nscheme = \"newmark\"\n\
               [[substructure]]\nname = \"two\"\nelements = [\"c2\"]\nscheme = \"newmark\"\n[coupling]\nmethod = \"gc\"\n";
    let channels = "[\"top.x\", \"top.rz\", \"top-2.x\", \"top-2.y\", \"top-2.x.v\"]";
    let whole = run(&portal(load, channels), true);
    let parts = portal(&format!("{load}{cut}"), channels).replace("scheme = \"newmark\"\ndt", "dt");
    same(&whole, &run(&parts, false), 1e-7);
}

#[test]
fn motions_imposed_on_what_leads_and_on_what_follows_are_one() {
    let imposed = |at: &str| {
        format!(
            "[[load]]\ntype = \"imposed\"\nat = \"{at}\"\ndisplacement = {{ type = \"harmonic\", amplitude = 0.01, frequency = 2 }}\n"
        )
    };
    let feet = |constraint: &str, loads: &str| {
        let text = portal(loads, "[\"top.x\", \"top.y\", \"top-2.rz\", \"foot-2.x\"]");
        let text = text.replace("fixed = true", "fixed = [\"y\", \"rz\"]");
        text.replace("[damping]", &format!("{constraint}[damping]"))
    };
    let both = run(&feet("", &(imposed("foot.x") + &imposed("foot-2.x"))), true);
    let equal = "[[constraint]]\ntype = \"equal\"\nleads = \"foot\"\nfollows = [\"foot-2\"]\ndofs = [\"x\"]\n";
    same(&both, &run(&feet(equal, &imposed("foot.x")), true), 1e-12);
    same(&both, &run(&feet(equal, &imposed("foot-2.x")), true), 1e-12);
}
