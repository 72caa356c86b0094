//! Small structures as model files.

/// Forced, damped, smooth and nonlinear in everything a scheme can meet: cubic spring, nonlinear damper, formula with an
/// internal state, harmonic and formula loads.
pub const FORCED: &str = r#"
title = "forced nonlinear chain"
dofs = ["x"]
node = [
    { name = "a", mass = 1.0, initial = 0.2, initial_velocity = -0.3 },
    { name = "b", mass = 1.2, initial = -0.1, initial_velocity = 0.5 },
    { name = "c", mass = 0.8, initial = 0.3 },
]
[[element]]
type = "spring"
name = "first"
nodes = ["ground", "a"]
dof = "x"
k = 30
c = 0.2
[[element]]
type = "cubic"
name = "second"
nodes = ["a", "b"]
dof = "x"
k = 20
k3 = 30
[[element]]
type = "damper"
name = "damper"
nodes = ["ground", "b"]
dof = "x"
c = 0.8
n = 1.7
v0 = 0.6
[[element]]
type = "formula"
name = "third"
nodes = ["b", "c"]
dof = "x"
force = "15*u + 3*u^3 + 4*z + 0.4*v^3"
states = { z = "3*(tanh(2*v) - z)" }
[[load]]
type = "force"
name = "shaker"
at = "c.x"
signal = { type = "harmonic", amplitude = 5, omega = 3 }
[[load]]
type = "force"
name = "push"
at = "a.x"
signal = { type = "formula", value = "2*cos(1.7*t)" }
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 2
[record]
channels = ["a.x", "b.x.v", "c.x.a", "second.force", "third.force", "third.z", "shaker"]
"#;

/// Problem `duffing` of the state-space reference with its spring k3, as one structure.
pub fn duffing(k3: f64) -> String {
    format!(
        r#"
title = "duffing"
dofs = ["x"]
node = [{{ name = "mid", mass = 1, initial = 0.5, initial_velocity = 1 }}]
element = [
    {{ type = "spring", name = "linear", nodes = ["ground", "mid"], dof = "x", k = 0.5 }},
    {{ type = "cubic", name = "cubic", nodes = ["ground", "mid"], dof = "x", k = 1, k3 = {k3}, tangent = {{ k = 1 }} }},
]
[analysis]
scheme = "trapezoidal"
dt = 0.03125
duration = 2
tangent = "given"
"#
    )
}

/// Problem `boucwen` of the state-space reference, as one structure.
pub const BOUC_WEN_MASS: &str = r#"
title = "boucwen"
dofs = ["x"]
node = [{ name = "mid", mass = 1, initial_velocity = 1 }]
element = [
    { type = "spring", name = "linear", nodes = ["ground", "mid"], dof = "x", k = 1, c = 0.05 },
    { type = "bouc-wen", name = "hysteresis", nodes = ["ground", "mid"], dof = "x", k = 2, beta = 3, gamma = 1 },
]
[analysis]
scheme = "trapezoidal"
dt = 0.03125
duration = 2
tangent = "initial"
"#;

/// Masses of the linear chain.
pub const LINEAR_MASS: [f64; 3] = [1.0, 1.5, 0.7];
/// Spring stiffnesses of the linear chain, from the ground up.
pub const LINEAR_STIFFNESS: [f64; 3] = [40.0, 30.0, 20.0];

/// Linear chain of three masses; `c` is the damping of every spring relative to its stiffness.
pub fn linear(c: f64) -> String {
    let mut text = String::from("title = \"linear chain\"\ndofs = [\"x\"]\nnode = [\n");
    for (i, m) in LINEAR_MASS.iter().enumerate() {
        let (u, v) = ([0.1, 0.0, -0.2][i], [0.0, 0.5, 1.0][i]);
        text += &format!("{{ name = \"m{i}\", mass = {m}, initial = {u:?}, initial_velocity = {v:?} }},\n");
    }
    text += "]\nelement = [\n";
    for (i, k) in LINEAR_STIFFNESS.iter().enumerate() {
        let below = if i == 0 { "ground".to_owned() } else { format!("m{}", i - 1) };
        let c = c * k;
        text += &format!(
            "{{ type = \"spring\", name = \"k{i}\", nodes = [\"{below}\", \"m{i}\"], dof = \"x\", k = {k}, c = {c:?} }},\n"
        );
    }
    text + "]\n[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\nduration = 2\n"
}

/// Matrix of the springs of [`linear`], row-major.
pub fn linear_stiffness() -> Vec<f64> {
    let k = LINEAR_STIFFNESS;
    vec![k[0] + k[1], -k[1], 0.0, -k[1], k[1] + k[2], -k[2], 0.0, -k[2], k[2]]
}

/// [`linear`] with a harmonic force on its top.
pub fn linear_forced(c: f64) -> String {
    let load = "\n[[load]]\ntype = \"force\"\nname = \"push\"\nat = \"m2.x\"\n\
                signal = { type = \"harmonic\", amplitude = 3, omega = 4 }\n";
    linear(c) + load
}

/// Chain with two Bouc-Wen storeys under the synthetic ground motion.
pub const HYSTERETIC: &str = r#"
title = "hysteretic chain"
dofs = ["x"]
node = [{ name = "a", mass = 2 }, { name = "b", mass = 1.5 }, { name = "c", mass = 1 }]
element = [
    { type = "bouc-wen", name = "one", nodes = ["ground", "a"], dof = "x", k = 400, beta = 12, gamma = 8, k2 = 20 },
    { type = "spring", name = "two", nodes = ["a", "b"], dof = "x", k = 300, c = 1 },
    { type = "bouc-wen", name = "three", nodes = ["b", "c"], dof = "x", k = 200, beta = 10, gamma = 5, n = 2 },
]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = 4 }
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 5
[record]
channels = ["a.x", "a.x.v", "b.x.v", "c.x.v", "c.x.abs", "one.force", "two.force", "three.force", "one.z", "quake"]
"#;

/// Portal frame, two storeys, consistent masses; `damping` is the content of `[damping]`.
pub fn frame(damping: &str) -> String {
    format!(
        r#"
title = "portal frame"
dofs = ["x", "y", "rz"]
node = [
    {{ name = "a0", at = [0, 0], fixed = true }}, {{ name = "b0", at = [5, 0], fixed = true }},
    {{ name = "a1", at = [0, 3] }}, {{ name = "b1", at = [5, 3] }},
    {{ name = "a2", at = [0, 6] }}, {{ name = "b2", at = [5, 6] }},
]
element = [
    {{ type = "beam2d", name = "ca1", nodes = ["a0", "a1"], E = 3e10, A = 0.09, I = 6.75e-4, rho = 2500 }},
    {{ type = "beam2d", name = "cb1", nodes = ["b0", "b1"], E = 3e10, A = 0.09, I = 6.75e-4, rho = 2500 }},
    {{ type = "beam2d", name = "ca2", nodes = ["a1", "a2"], E = 3e10, A = 0.09, I = 6.75e-4, rho = 2500 }},
    {{ type = "beam2d", name = "cb2", nodes = ["b1", "b2"], E = 3e10, A = 0.09, I = 6.75e-4, rho = 2500 }},
    {{ type = "beam2d", name = "g1", nodes = ["a1", "b1"], E = 3e10, A = 0.12, I = 1.6e-3, rho = 2500 }},
    {{ type = "beam2d", name = "g2", nodes = ["a2", "b2"], E = 3e10, A = 0.12, I = 1.6e-3, rho = 2500 }},
]
[damping]
{damping}
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = 2 }}
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 2
[record]
channels = ["a2.x", "b2.x.v", "a1.rz", "a2.x.abs", "ca1.force.1", "ca1.force.4", "quake"]
"#
    )
}

/// Oscillator with a first-order filter (a controller) in its loop.
pub const CONTROLLED: &str = r#"
title = "controlled oscillator"
dofs = ["x"]
node = [{ name = "a", mass = 2, initial = 0.1 }, { name = "b", mass = 1, initial_velocity = 1 }]
[[element]]
type = "spring"
name = "k1"
nodes = ["ground", "a"]
dof = "x"
k = 50
c = 0.3
[[element]]
type = "spring"
name = "k2"
nodes = ["a", "b"]
dof = "x"
k = 40
[[element]]
type = "block"
name = "controller"
dofs = ["a.x", "b.x"]
A = [[-4, 1], [0, -9]]
B = [[2, 0], [0, 3]]
Bv = [[0, 1], [0.5, 0]]
C = [[5, 0], [1, 6]]
D = [[1, 0.5], [0, 2]]
Dv = [[0.2, 0], [0.1, 0.3]]
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 2
[record]
channels = ["a.x", "b.x.a", "controller.force.2", "controller.s1"]
"#;

/// The block of [`CONTROLLED`] as formulas.
pub const CONTROLLED_FORMULA: &str = r#"
type = "formula"
name = "controller"
dofs = ["a.x", "b.x"]
force = ["5*s1 + u1 + 0.5*u2 + 0.2*v1", "s1 + 6*s2 + 2*u2 + 0.1*v1 + 0.3*v2"]
states = { s1 = "-4*s1 + s2 + 2*u1 + v2", s2 = "-9*s2 + 3*u2 + 0.5*v1" }
"#;

/// Chain on a moving support: node `base` follows the acceleration samples.
pub const SUPPORTED: &str = r#"
title = "chain on a moving support"
dofs = ["x"]
node = [{ name = "base" }, { name = "a", mass = 2 }, { name = "b", mass = 1 }]
element = [
    { type = "spring", name = "k1", nodes = ["base", "a"], dof = "x", k = 200, c = 1 },
    { type = "cubic", name = "k2", nodes = ["a", "b"], dof = "x", k = 150, k3 = 900, c = 0.5 },
]
[[load]]
type = "imposed"
at = "base.x"
acceleration = { type = "synthetic", peak = 3 }
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 5
[record]
channels = ["base.x", "base.x.v", "base.x.a", "a.x", "b.x.abs", "k1.force", "k2.deformation"]
"#;

/// Shear structure with a pendulum: the mass matrix depends on the configuration.
pub const PENDULUM: &str = r#"
title = "pendulum"
node = [
    { name = "floor", dofs = ["x"], mass = 10, initial_velocity = { x = 0.5 } },
    { name = "bob", dofs = ["theta"], initial = { theta = 1.0 }, initial_velocity = { theta = -2.0 } },
]
element = [
    { type = "spring", name = "storey", nodes = ["ground", "floor"], dof = "x", k = 900, c = 3 },
    { type = "pendulum", name = "pendulum", dofs = ["floor.x", "bob.theta"], m = 2, length = 0.5 },
]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "harmonic", amplitude = 1, omega = 8 }
[analysis]
scheme = "lsrt2"
dt = 0.005
duration = 2
[record]
channels = ["floor.x", "floor.x.a", "floor.x.abs", "bob.theta", "bob.theta.a", "pendulum.force.1", "pendulum.force.2"]
"#;

/// Pier and isolator that remember the path along which they are evaluated.
pub const PATH: &str = r#"
title = "path-moved chain"
dofs = ["x"]
node = [{ name = "a", mass = 1, initial = 0.01 }, { name = "b", mass = 2 }]
element = [
    { type = "modified-bouc-wen", name = "pier", nodes = ["ground", "a"], dof = "x", k = 400, beta = 9, alpha = 5, memory = "path" },
    { type = "mostaghel", name = "isolator", nodes = ["a", "b"], dof = "x", k = 300, a = 0.1, delta = 0.01, memory = "path" },
    { type = "spring", name = "cable", nodes = ["ground", "b"], dof = "x", k = 20, c = 1 },
]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = 3 }
[analysis]
scheme = "newmark"
dt = 0.01
duration = 5
tangent = "initial"
[record]
channels = ["a.x", "b.x.a", "pier.force", "pier.z", "isolator.force", "isolator.s", "isolator.deformation", "quake"]
"#;

/// All of the above that a scheme can integrate with the same step, by name.
pub fn all() -> Vec<(&'static str, String)> {
    vec![
        ("forced", FORCED.to_owned()),
        ("linear", linear_forced(0.01)),
        ("hysteretic", HYSTERETIC.to_owned()),
        ("frame, Rayleigh", frame("rayleigh = { ratio = 0.05, modes = [1, 2] }")),
        ("frame, modal", frame("modal = [0.05, 0.04, 0.03]")),
        ("controlled", CONTROLLED.to_owned()),
        ("supported", SUPPORTED.to_owned()),
        ("pendulum", PENDULUM.to_owned()),
        ("path", PATH.to_owned()),
    ]
}

/// A portal with a yielding and a concrete column under gravity, shaken for 0.9 s; all unknowns have mass.
pub const PORTAL: &str = r#"
dofs = ["x", "y", "rz"]
node = [
  { name = "f1", at = [0, 0], fixed = true },
  { name = "f2", at = [6, 0], fixed = true },
  { name = "t1", at = [0, 3.6], mass = { x = 25e3, y = 25e3, rz = 2e4 } },
  { name = "t2", at = [6, 3.6], mass = { x = 25e3, y = 25e3, rz = 2e4 } },
]
material = [
  { name = "concrete", type = "kent-park", fc = -34e6, ec0 = -0.0025, fcu = -20e6, ecu = -0.02 },
  { name = "steel", type = "menegotto-pinto", fy = 420e6, E = 2e11, b = 0.01 },
  { name = "mild", type = "bilinear", fy = 250e6, E = 2e11, b = 0.02 },
]
element = [
  { type = "member", name = "c1", nodes = ["f1", "t1"], cross_section = "rc", transformation = "p-delta" },
  { type = "member", name = "c2", nodes = ["f2", "t2"], cross_section = "box", formulation = "displacement", transformation = "corotational" },
  { type = "member", name = "b", nodes = ["t1", "t2"], cross_section = "beam" },
]
load = [
  { type = "gravity", at = "t1.y", force = -4e5 },
  { type = "gravity", at = "t2.y", force = -4e5 },
  { type = "gravity", elements = ["b"], y = -2e4 },
  { type = "ground", name = "quake", direction = "x", signal = { type = "formula", value = "9*sin(9*t)*sin(3*t)" } },
]
[[cross-section]]
name = "rc"
fibres = [
  { shape = "rectangle", material = "concrete", from = [-0.225, -0.225], to = [0.225, 0.225], divisions = [12, 1] },
  { shape = "line", material = "steel", bars = 4, area = 5e-4, from = [-0.18, -0.18], to = [-0.18, 0.18] },
  { shape = "line", material = "steel", bars = 4, area = 5e-4, from = [0.18, -0.18], to = [0.18, 0.18] },
]
[[cross-section]]
name = "box"
fibres = [{ shape = "rectangle", material = "mild", from = [-0.15, -0.02], to = [0.15, 0.02], divisions = [8, 1] }]
[[cross-section]]
name = "beam"
E = 27e9
A = 0.25
Iz = 0.0052
[damping]
rayleigh = { a0 = 0.3, a1 = 0.001 }
[analysis]
scheme = "newmark-newton"
dt = 0.002
duration = 0.9
[record]
channels = ["t1.x", "c1.force.5", "energy.input", "energy.error"]
"#;
