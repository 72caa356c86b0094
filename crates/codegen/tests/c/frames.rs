//! Nonlinear frames: fibres, members, bars, springs and bearings, bit for bit.

use interfield_kernel::Scheme;
use interfield_kernel::scheme::registry::SCHEMES;
use interfield_language::parse::Overrides;

use crate::bench::{compare, model};

/// Materials of fibres and springs, and sections.
const STOCK: &str = r#"
[[material]]
name = "steel"
type = "menegotto-pinto"
fy = "345 MPa"
E = "200 GPa"
b = 0.01
a1 = 0.02
a2 = 1.0
a3 = 0.02
a4 = 1.0
[[material]]
name = "mild"
type = "bilinear"
fy = "300 MPa"
E = "200 GPa"
b = 0.02
[[material]]
name = "core"
type = "kent-park-tension"
fc = "-36 MPa"
ec0 = -0.003
fcu = "-25 MPa"
ecu = -0.02
lambda = 0.1
ft = "3 MPa"
Ets = "1.5 GPa"
[[material]]
name = "cover"
type = "kent-park"
fc = "-30 MPa"
ec0 = -0.002
fcu = "-6 MPa"
ecu = -0.006
[[cross-section]]
name = "girder"
torsion = "100 kN*m^2"
fibres = [{ shape = "wide-flange", material = "steel", depth = "300 mm", width = "150 mm", web = "7.1 mm", flange = "10.7 mm", divisions = [8, 2], across = 3 }]
[[cross-section]]
name = "round"
torsion = "30 MN*m^2"
fibres = [
  { shape = "ring", material = "cover", inner = "20 cm", outer = "25 cm", divisions = [9, 1] },
  { shape = "ring", material = "core", outer = "20 cm", divisions = [7, 2] },
  { shape = "arc", material = "mild", bars = 6, area = "5 cm^2", radius = "18 cm" },
]
[[cross-section]]
name = "elastic"
E = "27 GPa"
A = "0.16 m^2"
Iz = "21 dm^4"
Iy = "21 dm^4"
torsion = "30 MN*m^2"
"#;

/// How it is shaken and integrated.
const SHAKEN: &str = r#"
[damping]
rayleigh = { a0 = 0.3, a1 = 0.0004 }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = 6 }
[analysis]
scheme = "SCHEME"
dt = "DT"
duration = "DURATION"
tangent = "TANGENT"
"#;

fn shaken(text: &str, [scheme, tangent, dt, duration]: [&str; 4]) -> String {
    let how = SHAKEN.replace("SCHEME", scheme).replace("TANGENT", tangent);
    format!("{text}{STOCK}{}", how.replace("DT", dt).replace("DURATION", duration))
}

fn equal(name: &str, text: &str, levels: &[&str]) {
    let d = compare(name, text, &Overrides::default(), levels);
    assert!(d == 0.0, "{name}: {d:e}");
}

/// A plane frame of steel: force-based columns with hinges of fibres or along their length, displacement-based beams, gravity along them.
fn plane_frame(bays: usize, storeys: usize, transformation: &str) -> String {
    let mut text = String::from("title = \"Steel frame\"\ndofs = [\"x\", \"y\", \"rz\"]\n");
    let mut beams = Vec::new();
    for s in 0..=storeys {
        for b in 0..=bays {
            let mass = if s == 0 { "fixed = true" } else { "mass = { x = 8000, y = 8000, rz = 100 }" };
            text += &format!("[[node]]\nname = \"n{s}{b}\"\nat = [{}, {}]\n{mass}\n", 6 * b, 3 * s);
            let member = |name: String, from: [usize; 2], more: &str| {
                let [i, j] = from;
                format!(
                    "[[element]]\ntype = \"member\"\nname = \"{name}\"\nnodes = [\"n{i}{j}\", \"n{s}{b}\"]\ncross_section = \"girder\"\n{more}\n"
                )
            };
            if s > 0 {
                let hinged = "hinges = { start = \"girder\", start_length = \"20 cm\", end = \"girder\", end_length = \"20 cm\" }";
                let how = if b == 0 { hinged } else { "points = 3" };
                text +=
                    &member(format!("c{s}{b}"), [s - 1, b], &format!("transformation = \"{transformation}\"\n{how}"));
            }
            if s > 0 && b > 0 {
                text += &member(
                    format!("b{s}{b}"),
                    [s, b - 1],
                    "formulation = \"displacement\"\npoints = 4\nrule = \"legendre\"",
                );
                beams.push(format!("\"b{s}{b}\""));
            }
        }
    }
    text += &format!("[[load]]\ntype = \"gravity\"\nelements = [{}]\ny = \"-18 kN/m\"\n", beams.join(", "));
    text + &format!(
        "[record]\nenergy = true\nchannels = [\"n{storeys}0.x\", \"n10.x.v\", \"n11.rz\", \"n{storeys}0.x.abs\", \"c10.force.2\", \"c11.force.3\", \"b11.force.6\", \"quake\"]\n"
    )
}

#[test]
fn a_steel_frame_gives_the_bits_of_the_library() {
    for (bays, storeys, transformation) in [(1, 1, "linear"), (3, 5, "p-delta"), (1, 1, "corotational")] {
        let text = shaken(&plane_frame(bays, storeys, transformation), ["alpha-os", "initial", "10 ms", "10.2 s"]);
        let levels: &[&str] = if transformation == "p-delta" { &["-O2", "-O3"] } else { &["-O2"] };
        equal(&format!("steel-{transformation}"), &text, levels);
    }
}

/// Schemes that need derivatives of the loads, or a mass on every unknown; one whose tableau is given.
const ELSEWHERE: [&str; 3] = ["ros3p", "rodas3", "rosenbrock"];

#[test]
fn every_scheme_steps_a_frame_with_the_bits_of_the_library() {
    let frame = plane_frame(1, 1, "p-delta");
    for scheme in SCHEMES.iter().filter(|s| !ELSEWHERE.contains(&s.name)) {
        let text = shaken(&frame, [scheme.name, "initial", "1 ms", "100 ms"]);
        equal(&format!("framed-{}", scheme.name), &by_displacements(text), &["-O0"]);
    }
    // Tangents that follow the state, of a scheme of each kind.
    for scheme in ["alpha-os", "lsrt2", "newmark-newton", "bathe"] {
        let text = shaken(&frame, [scheme, "exact", "5 ms", "1 s"]);
        equal(&format!("followed-{scheme}"), &by_displacements(text), &["-O0"]);
    }
}

/// Force-based members iterate with their scheme, which C does not print.
fn by_displacements(text: String) -> String {
    if model(&text, &Overrides::default()).analysis.scheme.evaluations().is_some() {
        return text;
    }
    let lines = text.lines().map(|line| match line {
        line if line.starts_with("hinges = ") || line == "points = 3" => "formulation = \"displacement\"",
        line => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn members_that_iterate_are_refused_where_they_stand() {
    let text = shaken(&plane_frame(1, 1, "linear"), ["newmark-newton", "initial", "5 ms", "1 s"]);
    let origin = interfield_codegen::Origin::default();
    let problems = interfield_codegen::export(&model(&text, &Overrides::default()), "refused", &origin).err();
    let problems = problems.unwrap_or_default();
    assert!(problems[0].help.contains("a scheme that does not iterate"), "{problems:?}");
    let text = shaken(&plane_frame(1, 1, "linear"), ["alpha-os", "initial", "5 ms", "1 s"]);
    let text = text.replace("points = 3", "points = 3\nformulation = \"force-iterated\"");
    let problems = interfield_codegen::export(
        &model(&text, &Overrides::default()),
        "refused",
        &interfield_codegen::Origin::default(),
    )
    .err()
    .unwrap_or_default();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].message.contains("`c11` iterates") && problems[0].help.contains("passes"), "{problems:?}");
    assert!(matches!(problems[0].subject, interfield_language::Subject::Element(_)));
}

/// A building of one storey in space: reinforced columns, a diaphragm, a beam.
fn building(transformation: &str, how: &str) -> String {
    let mut text = String::from("title = \"Building\"\ndofs = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]\n");
    text += "[[node]]\nname = \"floor\"\nat = [2, 2, 3]\nmass = { x = 20000, y = 20000, rz = 50000 }\nfixed = [\"z\", \"rx\", \"ry\"]\n";
    for (i, [x, y]) in [[0, 0], [4, 0], [0, 4], [4, 4]].into_iter().enumerate() {
        text += &format!("[[node]]\nname = \"f{i}\"\nat = [{x}, {y}, 0]\nfixed = true\n");
        let mass = "mass = { x = 100, y = 100, z = 5000, rx = 10, ry = 10, rz = 10 }";
        text += &format!("[[node]]\nname = \"t{i}\"\nat = [{x}, {y}, 3]\n{mass}\n");
        text += &format!(
            "[[element]]\ntype = \"member\"\nname = \"c{i}\"\nnodes = [\"f{i}\", \"t{i}\"]\ncross_section = \"round\"\nvecxz = [0, 1, 0]\ntransformation = \"{transformation}\"\n{how}\n"
        );
        text += &format!("[[load]]\ntype = \"gravity\"\nat = \"t{i}.z\"\nforce = \"-300 kN\"\n");
    }
    text += "[[element]]\ntype = \"member\"\nname = \"beam\"\nnodes = [\"t0\", \"t1\"]\ncross_section = \"elastic\"\nformulation = \"displacement\"\nvecxz = [0, 1, 0]\n";
    text += "[[load]]\ntype = \"gravity\"\nelements = [\"beam\"]\nz = \"-5 kN/m\"\n";
    text += "[[constraint]]\ntype = \"diaphragm\"\nleads = \"floor\"\nfollows = [\"t0\", \"t1\", \"t2\", \"t3\"]\nnormal = \"z\"\n";
    text += "[[load]]\ntype = \"ground\"\nname = \"across\"\ndirection = \"y\"\nsignal = { type = \"synthetic\", peak = 4 }\n";
    text + "[record]\nchannels = [\"floor.x\", \"floor.y\", \"floor.rz\", \"t3.x\", \"t1.z\", \"c0.force.3\", \"c3.force.11\", \"beam.force.5\"]\n"
}

#[test]
fn a_space_frame_with_a_diaphragm_gives_the_bits_of_the_library() {
    for (transformation, how) in
        [("linear", "points = 4"), ("p-delta", "formulation = \"displacement\""), ("corotational", "points = 3")]
    {
        let text = shaken(&building(transformation, how), ["alpha-os", "initial", "5 ms", "1 s"]);
        equal(&format!("building-{transformation}"), &text, &["-O2"]);
    }
}

/// Chains of masses on springs of every material, bars, and bearings.
const SPRINGS: &str = r#"
title = "Springs, bars and bearings"
dofs = ["x", "y", "rz"]
node = [
    { name = "foot", at = [0, 0], fixed = true },
    { name = "a", at = [3, 0], mass = { x = 5000, y = 5000, rz = 500 } },
    { name = "b", at = [3, 4], mass = { x = 4000, y = 4000, rz = 400 } },
    { name = "c", at = [3, 4.3], mass = { x = 9000, y = 9000, rz = 900 } },
    { name = "d", at = [3, 4.6], mass = { x = 9000, y = 9000, rz = 900 } },
]
element = [
    { type = "uniaxial", name = "e1", nodes = ["ground", "a"], dof = "x", material = "open" },
    { type = "uniaxial", name = "e2", nodes = ["ground", "a"], dof = "x", material = "ideal" },
    { type = "uniaxial", name = "e3", nodes = ["ground", "a"], dof = "x", material = "both" },
    { type = "uniaxial", name = "e4", nodes = ["ground", "a"], dof = "x", material = "flag" },
    { type = "uniaxial", name = "e5", nodes = ["ground", "a"], dof = "x", material = "oil" },
    { type = "uniaxial", name = "e6", nodes = ["ground", "a"], dof = "x", material = "fluid" },
    { type = "uniaxial", name = "e7", nodes = ["ground", "a"], dof = "x", material = "soft" },
    { type = "uniaxial", name = "e8", nodes = ["ground", "a"], dof = "rz", material = "pinched" },
    { type = "uniaxial", name = "e9", nodes = ["ground", "a"], dof = "y", material = "vertical" },
    { type = "bar", name = "tie", nodes = ["a", "b"], material = "steel", area = "12 cm^2" },
    { type = "bar", name = "turning", nodes = ["foot", "b"], material = "mild", area = "2 cm^2", transformation = "corotational" },
    { type = "uniaxial", name = "f1", nodes = ["a", "b"], dof = "x", material = "flag" },
    { type = "uniaxial", name = "f2", nodes = ["a", "b"], dof = "rz", material = "tilting" },
    { type = "elastomeric-bearing", name = "rubber", nodes = ["b", "c"], k = "10 kN/mm", qd = "9 kN", alpha1 = 0.1, alpha2 = 0.02, mu = 2.5, axial = "vertical", rotation = "tilting", shear_distance = 0.4 },
    { type = "friction-pendulum", name = "slider", nodes = ["c", "d"], radius = "2 m", k = "50 kN/mm", friction = 0.06, axial = "vertical", rotation = "tilting" },
]
[[material]]
name = "open"
type = "elastic-plastic-gap"
acts = "force"
E = "3 kN/mm"
fy = "30 kN"
gap = "1 mm"
eta = 0.05
damage = 1
[[material]]
name = "ideal"
type = "elastic-plastic"
acts = "force"
E = "9 kN/mm"
fy = "20 kN"
fyc = "15 kN"
[[material]]
name = "both"
type = "hardening"
acts = "force"
E = "9 kN/mm"
fy = "20 kN"
Hi = "1 kN/mm"
Hk = "0.5 kN/mm"
[[material]]
name = "flag"
type = "self-centring"
acts = "force"
k1 = "10 kN/mm"
k2 = "1 kN/mm"
fa = "15 kN"
beta = 0.8
[[material]]
name = "oil"
type = "maxwell"
acts = "force"
k = "25 kN/mm"
c = "200 kN*s/m"
[[material]]
name = "fluid"
type = "viscous"
acts = "force"
c = 20000
n = 0.35
v0 = "2 mm/s"
[[material]]
name = "soft"
type = "nonlinear-maxwell"
acts = "force"
k = "25 kN/mm"
c = 20000
n = 0.5
[[material]]
name = "pinched"
type = "pinching"
acts = "moment"
m1p = "10 kN*m"
r1p = 0.0005
m2p = "14 kN*m"
r2p = 0.002
m3p = "15 kN*m"
r3p = 0.005
m1n = "-10 kN*m"
r1n = -0.0005
m2n = "-14 kN*m"
r2n = -0.002
m3n = "-15 kN*m"
r3n = -0.005
pinch_x = 0.7
pinch_y = 0.3
damage1 = 0.02
damage2 = 0.01
beta = 0.3
[[material]]
name = "vertical"
type = "elastic"
acts = "force"
E = "200 kN/mm"
Ec = "400 kN/mm"
[[material]]
name = "tilting"
type = "elastic"
acts = "moment"
E = "500 kN*m"
[[load]]
type = "force"
name = "weight"
at = "d.y"
signal = { type = "table", times = [0, 0.3, 100], values = [0, -60000, -60000] }
[record]
energy = true
channels = ["a.x", "b.x", "c.x", "d.x", "d.y", "e1.force", "e5.force", "e6.force", "e7.force", "e8.force", "tie.force", "turning.force.1", "rubber.force.2", "slider.force.2"]
"#;

#[test]
fn springs_bars_and_bearings_give_the_bits_of_the_library() {
    for [scheme, tangent] in [["alpha-os", "initial"], ["lsrt2", "exact"], ["newmark-newton", "exact"]] {
        let text = shaken(SPRINGS, [scheme, tangent, "2 ms", "3 s"]);
        equal(&format!("springs-{scheme}"), &text, &["-O2", "-O3"]);
    }
}
