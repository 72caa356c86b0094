//! Every scheme of the registry, and every element of the catalogue.

use interfield_kernel::scheme::registry::SCHEMES;
use interfield_language::parse::Overrides;

use crate::bench::{compare, model};

/// Hardening, yielding and impact, without a function of `math.h`: bit for bit.
const BUILDING: &str = r#"
title = "Building"
dofs = ["x"]
node = [
    { name = "a", mass = 2, initial = { x = 0.01 } },
    { name = "b", mass = 3 },
    { name = "c", mass = 1, initial_velocity = { x = -0.2 } },
]
element = [
    { type = "bouc-wen", name = "base", nodes = ["ground", "a"], dof = "x", k = 900, beta = 30, gamma = 20, k2 = 80 },
    { type = "cubic", name = "hard", nodes = ["a", "b"], dof = "x", k = 400, k3 = 9000, c = 1.5 },
    { type = "spring", name = "soft", nodes = ["b", "c"], dof = "x", k = 250, c = 0.8 },
    { type = "gap", name = "stop", nodes = ["ground", "c"], dof = "x", k = 3000, gap = 0.03, c = 2, both = 1 },
]
[damping]
rayleigh = { a0 = 0.2, a1 = 0.001 }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = 3 }
[analysis]
scheme = SCHEME
dt = "5 ms"
duration = "4 s"
tangent = "TANGENT"
[record]
energy = true
channels = ["a.x", "b.x.v", "c.x.a", "c.x.abs", "base.force", "base.deformation", "base.z", "soft.force", "stop.force", "quake"]
"#;

/// Schemes that need derivatives of the loads.
const DRIFTING: [&str; 2] = ["ros3p", "rodas3"];

#[test]
fn what_the_c_cannot_do_is_refused() {
    let refused = |text: &str| {
        let problems = interfield_codegen::export(
            &model(text, &Overrides::default()),
            "refused",
            &interfield_codegen::Origin::default(),
        )
        .err()
        .unwrap_or_default();
        problems.into_iter().map(|p| p.message).collect::<String>()
    };
    for name in DRIFTING {
        let model = BUILDING.replace("SCHEME", &format!("\"{name}\"")).replace("TANGENT", "exact");
        assert!(refused(&model).contains("derivatives of the loads"), "{name}");
    }
    let slider = BUILDING.replace("SCHEME", "\"caam\"").replace("TANGENT", "exact").replace(
        "element = [",
        "element = [\n{ type = \"mostaghel\", nodes = [\"a\", \"b\"], dof = \"x\", k = 9, a = 0.1, delta = 0.1 },",
    );
    assert!(refused(&slider).contains("cannot repeat a step"), "{}", refused(&slider));
}

#[test]
fn a_law_that_is_moved_and_starts_beyond_yielding() {
    let moved = BUILDING
        .replace("beta = 30, gamma = 20, k2 = 80", "beta = 300, gamma = 200, k2 = 80, memory = \"path\"")
        .replace("\"base.z\", ", "")
        .replace("TANGENT", "initial");
    for scheme in ["lsrt2", "newmark"] {
        let model = moved.replace("SCHEME", &format!("\"{scheme}\""));
        let d = compare(&format!("{scheme}-moved"), &model, &Overrides::default(), &["-O0"]);
        assert!(d == 0.0, "{scheme}: {d:e}");
    }
}

#[test]
fn every_scheme_gives_the_bits_of_the_library() {
    for scheme in SCHEMES.iter().filter(|s| !DRIFTING.contains(&s.name)) {
        let text = match scheme.name {
            "rosenbrock" => {
                r#"{ name = "rosenbrock", gamma = 0.3, b = [0, 1], alpha = [0.5], gammas = [-0.3], time = "shifted" }"#
                    .to_owned()
            }
            name => format!("\"{name}\""),
        };
        for tangent in ["exact", "initial"] {
            let model = BUILDING.replace("SCHEME", &text).replace("TANGENT", tangent);
            let d = compare(&format!("{}-{tangent}", scheme.name), &model, &Overrides::default(), &["-O2"]);
            assert!(d == 0.0, "{} {tangent}: {d:e}", scheme.name);
        }
    }
}

/// Everything else that an element can be.
const ZOO: &str = r#"
title = "Zoo"
dofs = ["x"]
node = [
    { name = "a", mass = 2 },
    { name = "b", mass = 3 },
    { name = "c", mass = 1 },
    { name = "light" },
    { name = "shaker" },
    { name = "bob", dofs = ["theta"], initial = { theta = 0.3 }, mass = { theta = 0.01 } },
]
element = [
    { type = "damper", name = "viscous", nodes = ["ground", "a"], dof = "x", c = 5, n = 0.6 },
    { type = "modified-bouc-wen", name = "pier", nodes = ["ground", "a"], dof = "x", k = 900, beta = 30, alpha = 3, gamma = 5, n = 1.5 },
    { type = "degrading-bouc-wen", name = "wall", nodes = ["a", "b"], dof = "x", k = 700, xy = 0.01, a = 0.1, dk = 0.1, ds = 0.05, n = 2, n1 = 1, n2 = 1 },
    { type = "mostaghel", name = "slider", nodes = ["b", "c"], dof = "x", k = 500, a = 0.1, delta = 0.005, memory = "state" },
    { type = "formula", name = "own", nodes = ["ground", "b"], dof = "x", force = "200*tanh(u/0.02) + 3*v + z", states = { z = "40*v - 5*z*abs(v)/0.1 + 0.1*sin(3*t)" } },
    { type = "block", name = "filter", dofs = ["c.x"], A = [[-3, 1], [0, -5]], B = [[1], [20]], C = [[0.5, 0.2]], D = [[30]], Dv = [[0.5]] },
    { type = "spring", name = "link", nodes = ["b", "c"], dof = "x", k = 250, c = 0.8 },
    PENDULUM
    { type = "cubic", name = "driven", nodes = ["shaker", "c"], dof = "x", k = 300, k3 = 800, c = 0.4 },
    { type = "spring", name = "drive", nodes = ["shaker", "a"], dof = "x", k = 100, c = 0.3 },
    { type = "spring", name = "rest", nodes = ["ground", "bob"], dof = "theta", k = 0.1 },
    { type = "spring", name = "hang", nodes = ["ground", "light"], dof = "x", k = 40 },
    { type = "spring", name = "hold", nodes = ["a", "light"], dof = "x", k = 60 },
]
[damping]
DAMPING
[[load]]
type = "imposed"
name = "actuator"
at = "shaker.x"
MOTION
[[load]]
type = "force"
name = "push"
at = "c.x"
signal = { type = "table", times = [0, 0.5, 1.2, 2], values = [0, 4, -3, 0] }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "formula", value = "1.5*sin(9*t)*exp(-t/2)" }
[analysis]
scheme = "SCHEME"
dt = "4 ms"
duration = "2 s"
tangent = "TANGENT"
[record]
energy = true
channels = [
    "a.x", "b.x.v", "c.x.a", "c.x.abs", "light.x", "bob.theta", "shaker.x", "shaker.x.v", "shaker.x.a", "pier.force", "pier.z", "wall.force",
    "slider.force", "own.force", "own.z", "filter.force", "driven.force", "drive.force", "link.deformation", "push", "quake",
]
"#;

#[test]
fn every_element_gives_the_numbers_of_the_library() {
    let pendulum = r#"{ type = "pendulum", name = "pendulum", dofs = ["b.x", "bob.theta"], m = 0.3, length = 0.4 },"#;
    let spline = r#"displacement = { type = "table", times = [0, 0.4, 1, 2], values = [0, 0.01, -0.02, 0] }"#;
    let formula = r#"displacement = { type = "formula", value = "0.02*sin(7*t)*if(t < 1, t^2*(3 - 2*t), 1)" }"#;
    let integral = r#"acceleration = { type = "formula", value = "sin(7*t)*if(t < 1, t^2*(3 - 2*t), 0.5)" }"#;
    for (scheme, tangent, massive, motion) in [
        ("newmark", "exact", false, integral),
        ("lsrt2", "exact", true, formula),
        ("lsrt2", "initial", true, spline),
        ("trapezoidal", "initial", false, formula),
        ("alpha-os", "exact", true, spline),
        ("hht", "exact", false, formula),
        ("chang", "initial", true, spline),
        ("rosenbrock3", "given", false, formula),
    ] {
        // A pendulum needs a mass on every unknown, and its modes are not those of a symmetric matrix.
        let damping = if massive { "rayleigh = { a0 = 0.1, a1 = 0.0005 }" } else { "modal = [0.02, 0.03]" };
        let text = ZOO.replace("SCHEME", scheme).replace("TANGENT", tangent).replace("MOTION", motion);
        let text = text.replace("PENDULUM", if massive { pendulum } else { "" }).replace("DAMPING", damping);
        // Estimates of a linear law and of a nonlinear one.
        let estimated = |text: String, of: &str| {
            assert!(text.contains(of));
            text.replace(of, &format!("{of}, tangent = {{ k = 400, c = 1 }}"))
        };
        let text = match tangent {
            "given" => estimated(estimated(text, "k = 250, c = 0.8"), "k = 300, k3 = 800, c = 0.4"),
            _ => text,
        };
        let text =
            if massive { text.replace("{ name = \"light\" }", "{ name = \"light\", mass = 0.1 }") } else { text };
        let d = compare(&format!("zoo-{scheme}-{tangent}"), &text, &Overrides::default(), &["-O2"]);
        assert!(d <= 1e-12, "{scheme} {tangent}: {d:e}");
    }
}
