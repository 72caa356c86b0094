//! Structures that are pushed: known strengths, paths past the peak, laws with states, and the same with a specimen in the laboratory.

use interfield_kernel::Fault;
use interfield_structure::{Simulation, Structure};
use interfield_testkit::run::{read, simulation};

/// All rows of a push, from the start on, and why it ended early.
fn pushed(text: &str) -> (Simulation, Vec<Vec<f64>>, Option<Fault>) {
    let mut push = simulation(read(text));
    let mut row = vec![0.0; push.channels().len()];
    push.sample(0, &mut row).unwrap();
    let mut rows = vec![row.clone()];
    for k in 0..push.steps() {
        if let Err(fault) = push.step(k) {
            return (push, rows, Some(fault));
        }
        push.sample(k + 1, &mut row).unwrap();
        rows.push(row.clone());
    }
    (push, rows, None)
}

/// A channel of all rows.
fn channel(push: &Simulation, rows: &[Vec<f64>], name: &str) -> Vec<f64> {
    let i = push.channels().iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no {name}"));
    rows.iter().map(|r| r[i]).collect()
}

fn finished(text: &str, name: &str) -> Vec<f64> {
    let (push, rows, fault) = pushed(text);
    assert!(fault.is_none(), "{}", push.explain(fault.unwrap()));
    channel(&push, &rows, name)
}

fn near(a: f64, b: f64, share: f64) {
    assert!((a - b).abs() <= share * b.abs(), "{a} is not {b}");
}

/// A bar of steel that hardly hardens: 100 mm x 200 mm.
const PLASTIC: &str = r#"
dofs = ["x", "y", "rz"]
[[material]]
name = "steel"
type = "bilinear"
E = "200 GPa"
fy = "250 MPa"
b = 1e-5
[[cross-section]]
name = "bar"
fibres = [{ shape = "rectangle", material = "steel", from = [-0.1, -0.05], to = [0.1, 0.05], divisions = [20, 1] }]
"#;

/// b h² / 4 fy of it, N m.
const MOMENT: f64 = 0.1 * 0.2 * 0.2 / 4.0 * 250e6;

#[test]
fn a_cantilever_reaches_its_plastic_moment_over_its_length_and_stays_there() {
    let text = format!(
        "node = [{{ name = \"foot\", at = [0, 0], fixed = true }}, {{ name = \"top\", at = [0, 2] }}]
element = [{{ type = \"member\", name = \"post\", nodes = [\"foot\", \"top\"], cross_section = \"bar\", formulation = \"force-iterated\" }}]
pushover = {{ control = \"top.x\", pattern = {{ \"top.x\" = 1 }}, to = 0.3, step = 0.005 }}
{PLASTIC}"
    );
    let factor = finished(&text, "pushover.factor");
    // Elastic at first: 3 E I / l^3, I of the fibres.
    let inertia = 0.1 * 0.2f64.powi(3) / 12.0 * (1.0 - 1.0 / 20.0f64.powi(2));
    near(factor[1], 3.0 * 200e9 * inertia / 8.0 * 0.005, 1e-6);
    near(*factor.last().unwrap(), MOMENT / 2.0, 1e-3);
    // It does not fall, and does not rise beyond.
    assert!(factor.windows(2).all(|w| w[1] >= w[0] * (1.0 - 1e-6)), "{factor:?}");
}

/// A portal with a rigid beam and clamped feet, P-Delta or not.
fn portal(transformation: &str, gravity: f64, to: f64) -> String {
    let member = |name: &str, a: &str, b: &str, section: &str| {
        format!(
            "{{ type = \"member\", name = \"{name}\", nodes = [\"{a}\", \"{b}\"], cross_section = \"{section}\", formulation = \"force-iterated\", \
             transformation = \"{transformation}\" }}"
        )
    };
    format!(
        "{PLASTIC}
[[cross-section]]
name = \"stiff\"
E = 200e9
A = 1
Iz = 1
{}
[[node]]
name = \"a\"
at = [0, 0]
fixed = true
[[node]]
name = \"b\"
at = [6, 0]
fixed = true
[[node]]
name = \"c\"
at = [0, 4]
[[node]]
name = \"d\"
at = [6, 4]
[[element]]
{}
[[element]]
{}
[[element]]
{}
[pushover]
control = \"c.x\"
pattern = {{ \"c.x\" = \"1 kN\", \"d.x\" = \"1 kN\" }}
to = {to}
step = 0.01
",
        if gravity == 0.0 {
            String::new()
        } else {
            format!(
                "[[load]]\ntype = \"gravity\"\nat = \"c.y\"\nforce = {}\n[[load]]\ntype = \"gravity\"\nat = \"d.y\"\nforce = {}",
                -gravity, -gravity
            )
        },
        flat(&member("left", "a", "c", "bar")),
        flat(&member("right", "b", "d", "bar")),
        flat(&member("beam", "c", "d", "stiff")),
    )
}

/// The keys of an inline table, line by line.
fn flat(inline: &str) -> String {
    let inner = inline.trim_matches(|c| c == '{' || c == '}');
    inner
        .replace("nodes = [", "nodes = §")
        .split(", ")
        .collect::<Vec<_>>()
        .join("\n")
        .replace('§', "[")
        .replace("\"\n\"", "\", \"")
}

#[test]
fn a_portal_becomes_a_mechanism_of_four_hinges() {
    let factor = finished(&portal("linear", 0.0, 0.4), "pushover.shear");
    // Sway of two columns with hinges at both ends: 4 M / h.
    near(*factor.last().unwrap(), 4.0 * MOMENT / 4.0, 2e-3);
}

#[test]
fn gravity_takes_its_second_order_moment_from_the_strength_past_the_peak() {
    let (push, rows, fault) = pushed(&portal("p-delta", 400e3, 0.4));
    assert!(fault.is_none(), "{}", push.explain(fault.unwrap()));
    let (u, shear) = (channel(&push, &rows, "c.x"), channel(&push, &rows, "pushover.shear"));
    // Two mechanisms apart, the strength falls by the weight over the height.
    let n = u.len();
    let slope = (shear[n - 1] - shear[n - 11]) / (u[n - 1] - u[n - 11]);
    near(slope, -2.0 * 400e3 / 4.0, 2e-2);
    let peak = shear.iter().fold(0.0, |m: f64, x| m.max(*x));
    assert!(shear[n - 1] < 0.95 * peak);
}

/// Von Mises' truss: two bars that rise by 0.1 over 1.
fn shallow(lead: &str) -> String {
    format!(
        r#"
dofs = ["x", "y"]
[[material]]
name = "steel"
type = "elastic"
E = "200 GPa"
[[node]]
name = "left"
at = [-1, 0]
fixed = true
[[node]]
name = "right"
at = [1, 0]
fixed = true
[[node]]
name = "top"
at = [0, 0.1]
fixed = ["x"]
[[element]]
type = "bar"
name = "one"
nodes = ["left", "top"]
material = "steel"
area = "1 cm^2"
transformation = "corotational"
[[element]]
type = "bar"
name = "two"
nodes = ["right", "top"]
material = "steel"
area = "1 cm^2"
transformation = "corotational"
[pushover]
pattern = {{ "top.y" = "-1 kN" }}
{lead}
"#
    )
}

/// The load on it, N, at a displacement down.
fn truss(w: f64) -> f64 {
    let (l, now) = (1.01f64.sqrt(), (1.0 + (0.1 - w).powi(2)).sqrt());
    2.0 * 200e9 * 1e-4 * (l - now) / l * (0.1 - w) / now
}

#[test]
fn a_shallow_truss_is_led_through_its_snap() {
    let factor = finished(&shallow("control = \"top.y\"\nto = -0.25\nstep = 0.005"), "pushover.factor");
    assert_eq!(factor.len(), 51);
    for (i, f) in factor.iter().enumerate() {
        let exact = truss(0.005 * i as f64) / 1e3;
        assert!((f - exact).abs() < 1e-8 * 10.0, "step {i}: {f}, not {exact}");
    }
}

#[test]
fn a_load_beyond_the_strength_ends_before_the_snap_and_says_so() {
    let (push, rows, fault) = pushed(&shallow("to = 20\nstep = 0.5"));
    let fault = fault.expect("it snaps through");
    let factor = channel(&push, &rows, "pushover.factor");
    let most = (0..1000).map(|i| truss(1e-4 * f64::from(i))).fold(0.0, f64::max) / 1e3;
    let last = *factor.last().unwrap();
    assert!(last <= most && last > most - 0.5, "{last} of {most}");
    // The last balance is on the near side of the snap.
    assert!(*channel(&push, &rows, "top.y").last().unwrap() > -0.05);
    let words = push.explain(fault);
    assert!(
        words.contains("no balance was found beyond a load factor of") && words.contains("snaps through"),
        "{words}"
    );
}

#[test]
fn a_softening_material_is_followed_past_its_peak() {
    let text = r#"
dofs = ["x"]
[[node]]
name = "foot"
at = [0]
fixed = true
[[node]]
name = "top"
at = [1]
[[material]]
name = "concrete"
type = "kent-park"
fc = "-30 MPa"
ec0 = -0.002
fcu = "-6 MPa"
ecu = -0.006
[[element]]
type = "bar"
name = "cylinder"
nodes = ["foot", "top"]
material = "concrete"
area = "100 cm^2"
[pushover]
control = "top.x"
pattern = { "top.x" = "-1 kN" }
to = -0.008
step = 0.0001
"#;
    let (push, rows, fault) = pushed(text);
    assert!(fault.is_none(), "{}", push.explain(fault.unwrap()));
    let shear = channel(&push, &rows, "pushover.shear");
    near(shear[20], -300e3, 1e-9);
    // Half way down, then at the residual stress.
    near(shear[40], -180e3, 1e-9);
    near(shear[80], -60e3, 1e-9);
}

/// One displacement with a Bouc-Wen law, which has a state of its own.
fn hysteretic(extra: &str, step: f64) -> String {
    format!(
        r#"
title = "A damper alone"
dofs = ["x"]
[[node]]
name = "top"
[[element]]
type = "bouc-wen"
name = "damper"
nodes = ["ground", "top"]
dof = "x"
k = 1e6
k2 = 1e5
beta = 50
gamma = 50
{extra}
[pushover]
control = "top.x"
pattern = {{ "top.x" = 1000 }}
cycles = [0.02, 0.05]
step = {step}
velocity = 0.005
[record]
channels = ["damper.force"]
"#
    )
}

#[test]
fn a_law_with_a_state_takes_the_same_path_in_long_and_in_short_steps() {
    let long = finished(&hysteretic("", 0.005), "pushover.shear");
    let short = finished(&hysteretic("", 0.0005), "pushover.shear");
    let peak = long.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (i, x) in long.iter().enumerate() {
        assert!((x - short[10 * i]).abs() < 1e-9 * peak, "step {i}: {x}, not {}", short[10 * i]);
    }
    // Rising from rest its state is tanh-like: z = (1 - exp(-(beta + gamma) q)) / (beta + gamma) for an exponent of one.
    assert!(peak > 1e5 * 0.05);
}

const LABORATORY: &str = "[[specimen]]\nname = \"rig\"\nelements = [\"damper\"]\nrate = \"100 Hz\"";

#[test]
fn a_specimen_alone_gives_the_computed_curve() {
    let computed = finished(&hysteretic("", 0.001), "pushover.shear");
    let tested = finished(&hysteretic(LABORATORY, 0.001), "pushover.shear");
    let peak = computed.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let worst = computed.iter().zip(&tested).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // The emulated specimen is integrated in time by its samples of 10 ms, in which it moves by a 200th of what it yields at.
    assert!(worst < 2e-3 * peak, "{:e}", worst / peak);
}

/// The same with a material, which depends on its path alone.
fn alone(laboratory: &str) -> String {
    let law = "[[material]]\nname = \"m\"\ntype = \"bilinear\"\nacts = \"force\"\nfy = 9000\nE = 1e6\nb = 0.02";
    let text = hysteretic(laboratory, 0.001);
    let (head, tail) = text.split_once("type = \"bouc-wen\"").unwrap();
    let (_, tail) = tail.split_once("gamma = 50\n").unwrap();
    format!(
        "{head}type = \"uniaxial\"\nname = \"damper\"\nnodes = [\"ground\", \"top\"]\ndof = \"x\"\nmaterial = \"m\"\n{law}\n{tail}"
    )
}

#[test]
fn a_specimen_that_remembers_its_path_gives_the_computed_curve_to_rounding() {
    let computed = finished(&alone(""), "pushover.shear");
    let tested = finished(&alone(LABORATORY), "pushover.shear");
    let peak = computed.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let worst = computed.iter().zip(&tested).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12 * peak, "{:e}", worst / peak);
}

/// A portal of a column that may stand in the laboratory, with gravity.
fn hybrid(laboratory: bool) -> String {
    let specimen =
        if laboratory { "[[specimen]]\nname = \"rig\"\nelements = [\"left\"]\nrate = \"100 Hz\"" } else { "" };
    format!(
        r#"
dofs = ["x", "y", "rz"]
[[node]]
name = "a"
at = [0, 0]
fixed = true
[[node]]
name = "b"
at = [0, 3]
[[node]]
name = "c"
at = [4, 3]
[[node]]
name = "d"
at = [4, 0]
fixed = true
[[cross-section]]
name = "beam"
E = 30e9
A = 0.1
Iz = 1e-3
[[element]]
type = "member"
name = "left"
nodes = ["a", "b"]
cross_section = "beam"
[[element]]
type = "member"
name = "beam"
nodes = ["b", "c"]
cross_section = "beam"
[[element]]
type = "member"
name = "right"
nodes = ["d", "c"]
cross_section = "beam"
transformation = "p-delta"
[[load]]
type = "gravity"
at = "c.y"
force = -2e5
[pushover]
control = "c.x"
pattern = {{ "c.x" = 1000 }}
cycles = [0.02]
step = 0.002
velocity = 0.01
hold = 0.1
[record]
channels = ["b.x", "b.y", "b.rz", "c.y"]
{specimen}
"#
    )
}

#[test]
fn a_linear_specimen_in_a_frame_is_the_frame_with_gravity() {
    let (a, computed, _) = pushed(&hybrid(false));
    let (b, tested, fault) = pushed(&hybrid(true));
    assert!(fault.is_none(), "{}", b.explain(fault.unwrap()));
    for name in ["pushover.factor", "b.x", "b.y", "b.rz", "c.y"] {
        let (x, y) = (channel(&a, &computed, name), channel(&b, &tested, name));
        let peak = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let worst = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9 * peak, "{name}: {:e}", worst / peak);
    }
}

#[test]
fn gravity_that_cannot_be_carried_names_the_member_and_the_share() {
    let strong = portal("p-delta", 400e3, 0.1);
    // The columns buckle at pi^2 E I / h^2 = 8.2 MN each when the beam is rigid, and crush at 5 MN.
    let weak = strong.replace("-400000", "-9e6");
    let refused = |text: &str| Structure::new(read(text)).err().expect("too much").remove(0).message;
    let words = refused(&weak);
    assert!(words.contains("cannot carry") && words.contains('%'), "{words}");
    assert!(words.contains("`left`") || words.contains("`right`"), "{words}");
    let share: f64 = words.split("beyond ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((45.0..=60.0).contains(&share), "{words}");
}
