//! Three substructures with different substeps, pendulums at an interface, and the start of localized multipliers: what the
//! parts converge to is the whole, or they are refused.

use interfield_coupling::registry::COUPLINGS;
use interfield_structure::Simulation;
use interfield_testkit::run::read;

/// A coarse frame and two faster parts, one of them nonlinear, under a force: `SUBSTEPS` and `METHOD` are replaced.
const THREE: &str = r#"
dofs = ["x"]
node = [{ name = "a", mass = 3, initial = 0.1 }, { name = "b", mass = 2 }, { name = "c", mass = 1 }]
element = [
    { type = "spring", name = "frame", nodes = ["ground", "a"], dof = "x", k = 40, c = 0.5 },
    { type = "spring", name = "beam", nodes = ["a", "b"], dof = "x", k = 60, c = 0.2 },
    { type = "spring", name = "prop", nodes = ["ground", "b"], dof = "x", k = 10, c = 0.1 },
    { type = "cubic", name = "tower", nodes = ["b", "c"], dof = "x", k = 90, k3 = 50, c = 0.3 },
]
load = [{ type = "force", name = "push", at = "a.x", signal = { type = "harmonic", amplitude = 5, omega = 4 } }]
substructure = [
    { name = "coarse", elements = ["frame"] },
    { name = "middle", elements = ["beam", "prop"], side = "fine", substeps = FEW },
    { name = "fast", elements = ["tower"], side = "fine", substeps = MANY },
]
[coupling]
method = "METHOD"
[analysis]
dt = STEP
duration = 1.6
tangent = "initial"
[record]
channels = ["a.x", "b.x", "c.x"]
"#;

/// All channels at 16 common times.
fn run(text: &str, whole: bool, strides: u64) -> Vec<f64> {
    let mut machine = Simulation::new(if whole { read(text).in_one_piece() } else { read(text) })
        .unwrap_or_else(|p| panic!("{}", p[0].message));
    let (steps, channels) = (machine.steps(), machine.model.channels.len());
    let (mut all, mut row) = (Vec::new(), vec![0.0; channels]);
    for k in 0..steps {
        machine.step(k).unwrap();
        if (k + 1) % strides == 0 {
            machine.sample(k + 1, &mut row).unwrap();
            all.extend_from_slice(&row);
        }
    }
    all
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}

#[test]
fn every_coupling_at_velocity_level_takes_parts_with_different_substeps() {
    let scheme = "dt = 0.0005\nscheme = \"newmark\"";
    let text = THREE.replace("dt = STEP", scheme).replace("FEW", "1").replace("MANY", "1").replace("METHOD", "gc");
    let expected = run(&text, true, 200);
    let mut tried = 0;
    for info in COUPLINGS.iter().filter(|m| m.sided && !m.one_rate) {
        for (few, many) in [("2", "6"), ("2", "5"), ("1", "4")] {
            let parts = THREE.replace("METHOD", info.name).replace("FEW", few).replace("MANY", many);
            let error = |dt: f64| {
                let own = parts.replace("STEP", &format!("{dt}\nscheme = \"{}\"", info.scheme));
                distance(&run(&own, false, (0.1 / dt).round() as u64), &expected)
            };
            let errors = [0.02, 0.01, 0.005].map(error);
            let falls = errors.windows(2).all(|e| e[1] < e[0] / 1.6);
            assert!(falls && errors[2] < 0.02, "{} {few} {many}: {errors:?}", info.name);
            tried += 1;
        }
    }
    assert_eq!(tried, 33);
}

/// A pendulum whose floor is the interface: a multiplier must act through the mass where the pendulum is.
const SWINGING: &str = r#"
node = [
    { name = "floor", dofs = ["x"], mass = 1 },
    { name = "bob", dofs = ["theta"], initial = { theta = 1.2 } },
]
element = [
    { type = "spring", name = "frame", nodes = ["ground", "floor"], dof = "x", k = 40, c = 0.5 },
    { type = "pendulum", name = "swing", dofs = ["floor.x", "bob.theta"], m = 1, length = 1 },
]
substructure = [{ name = "frame", elements = ["frame"] }, { name = "swing", elements = ["swing"], substeps = 2 }]
[coupling]
method = "METHOD"
[analysis]
dt = STEP
duration = 1.6
tangent = "initial"
[record]
channels = ["floor.x"]
"#;

#[test]
fn a_pendulum_at_an_interface_is_refused() {
    for info in COUPLINGS {
        let text = SWINGING.replace("METHOD", info.name);
        let text = text.replace("STEP", &format!("0.01\nscheme = \"{}\"", info.scheme));
        let text = if info.sided { text } else { text.replace(", substeps = 2", "") };
        let Err(refused) = Simulation::new(read(&text)) else { panic!("{} keeps the mass", info.name) };
        assert!(refused[0].message.contains("`swing` changes with the motion"), "{}", refused[0].message);
        assert!(Simulation::new(read(&text).in_one_piece()).is_ok(), "{}: in one piece", info.name);
    }
}

#[test]
fn localized_multipliers_start_without_agreement_on_request() {
    let text = THREE
        .replace("FEW", "1")
        .replace("MANY", "1")
        .replace("METHOD", "llm")
        .replace("STEP", "0.01\nscheme = \"trapezoidal\"");
    let text = text.replace(", side = \"fine\", substeps = 1", "");
    let free = text.replace("method = \"llm\"", "method = \"llm\"\nstart = \"free\"");
    let accelerations = |text: &str| {
        let mut parts = Simulation::new(read(text)).unwrap_or_else(|p| panic!("{}", p[0].message));
        let mut jumps = Vec::new();
        let mut last = 0.0;
        for k in 0..40 {
            parts.step(k).unwrap();
            let now = parts.coupling.state_of(0)[3];
            jumps.push(now - last);
            last = now;
        }
        jumps
    };
    let turns = |jumps: &[f64]| jumps.windows(2).filter(|j| j[0] * j[1] < 0.0).count();
    let (calm, wild) = (accelerations(&text), accelerations(&free));
    assert!(turns(&calm) < 10 && turns(&wild) > 30, "{} and {}", turns(&calm), turns(&wild));
    // The motion itself is right all the same.
    assert!(distance(&run(&free, false, 10), &run(&text, false, 10)) < 0.05);
    let wrong = free.replace("\"free\"", "\"wild\"");
    let message = std::panic::catch_unwind(|| read(&wrong)).err().and_then(|e| e.downcast::<String>().ok());
    assert!(message.is_some_and(|m| m.contains("\"consistent\" or \"free\"")));
}
