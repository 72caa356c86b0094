//! The picture that `interfield check` draws of a model.

use std::path::Path;

use super::{BASE, file, interfield, models};

/// A portal on a clamp, a pin and a roller, with a spring to the ground, a load and an imposed motion.
const PORTAL: &str = r#"
title = "Portal <of> supports"
[units]
length = "m"
force = "kN"
[parameters]
E = "30 GPa"
[[node]]
name = "clamp"
at = [0, 0]
dofs = ["x", "y", "rz"]
fixed = ["x", "y", "rz"]
[[node]]
name = "left"
at = [0, 4]
dofs = ["x", "y", "rz"]
mass = { x = "20 t", y = "20 t" }
[[node]]
name = "middle"
at = [6, 4]
dofs = ["x", "y", "rz"]
[[node]]
name = "pin"
at = [6, 0]
dofs = ["x", "y", "rz"]
fixed = ["x", "y"]
[[node]]
name = "roller"
at = [12, 4]
dofs = ["x", "y", "rz"]
fixed = ["y"]
[[node]]
name = "slide"
at = [-5, 4]
dofs = ["x", "y", "rz"]
fixed = ["y", "rz"]
[[element]]
type = "beam2d"
name = "column1"
nodes = ["clamp", "left"]
E = "E"
A = "0.1 m^2"
I = "1e-3 m^4"
rho = "2500 kg/m^3"
[[element]]
type = "beam2d"
name = "column2"
nodes = ["pin", "middle"]
E = "E"
A = "0.1 m^2"
I = "1e-3 m^4"
rho = "2500 kg/m^3"
[[element]]
type = "beam2d"
name = "girder1"
nodes = ["left", "middle"]
E = "E"
A = "0.1 m^2"
I = "1e-3 m^4"
rho = "2500 kg/m^3"
[[element]]
type = "beam2d"
name = "girder2"
nodes = ["middle", "roller"]
E = "E"
A = "0.1 m^2"
I = "1e-3 m^4"
rho = "2500 kg/m^3"
[[element]]
type = "beam2d"
name = "girder0"
nodes = ["slide", "left"]
E = "E"
A = "0.1 m^2"
I = "1e-3 m^4"
rho = "2500 kg/m^3"
[[element]]
type = "spring"
name = "anchor"
nodes = ["ground", "roller"]
dof = "x"
k = "100 kN/m"
[[element]]
type = "damper"
name = "damper"
nodes = ["clamp", "middle"]
dof = "x"
c = "10 kN*s/m"
[[load]]
type = "force"
name = "wind"
at = "left.x"
signal = { type = "harmonic", amplitude = "10 kN", frequency = "1 Hz" }
[analysis]
scheme = "lsrt2"
dt = "1 ms"
duration = "1 s"
"#;

fn drawn(model: &Path, picture: &str) -> Vec<u8> {
    interfield(&["check", model.to_str().unwrap(), "-o", picture]).expect(0);
    std::fs::read(Path::new(env!("CARGO_TARGET_TMPDIR")).join(picture)).unwrap()
}

#[test]
fn supports_loads_and_dimensions_of_a_model_are_in_its_picture() {
    let model = file("portal.toml", PORTAL);
    let svg = String::from_utf8(drawn(&model, "portal.svg")).unwrap();
    for title in [
        "clamp: fixed: held in x, y, rz",
        "pin: pinned: held in x, y",
        "roller: roller: held in y",
        "slide: guided: held in y, rz",
        "anchor (spring)",
        "damper (damper)",
        "column1 (member)",
        "wind: force along x",
        "left, mass 20 t",
        "5 + 2 × 6 = 17 m",
        "4 m",
    ] {
        assert!(svg.contains(&format!("<title>{title}</title>")), "{title}: {svg}");
    }
    for text in ["clamp", "left, 20 t", "girder1", "wind", "x", "y", "Portal &lt;of&gt; supports"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    assert!(svg.contains("prefers-color-scheme: dark"), "it follows light and dark");
    let png = drawn(&model, "portal.png");
    assert!(png.starts_with(b"\x89PNG") && png.windows(4).any(|w| w == b"pHYs"));
    interfield(&["check", model.to_str().unwrap(), "-o", "portal.pdf"]).expect(2);
}

#[test]
fn specimens_and_ground_motions_are_marked_and_buildings_stand() {
    let svg = String::from_utf8(drawn(&models().join("isolated-building.toml"), "isolated.svg")).unwrap();
    assert!(svg.contains("<g class=\"specimen\"><title>isolators (specimen)</title>"));
    assert!(svg.contains(">specimen isolators</text>") && svg.contains(">specimen, in the laboratory</text>"));
    assert!(svg.contains(">quake: ground motion along x</text>") && svg.contains("this is a sketch, not to scale"));
    // The roof above the slab, the slab above the ground.
    let height = |name: &str| -> f64 {
        let after = svg.split(&format!("<title>{name}, mass")).nth(1).unwrap();
        after.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!(height("roof") < height("floor4") && height("floor4") < height("slab"));
}

/// An element over all storeys (P-delta) does not make a fan of them: one floor stands on the other.
#[test]
fn floors_stand_above_each_other_whatever_runs_along_them() {
    let svg = String::from_utf8(drawn(&models().join("hysteretic-building.toml"), "hysteretic.svg")).unwrap();
    let place = |name: &str| -> [f64; 2] {
        let after = svg.split(&format!("<title>{name}, mass")).nth(1).unwrap();
        ["cx=\"", "cy=\""].map(|c| after.split(c).nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
    };
    let floors = ["floor1", "floor2", "floor3", "roof"].map(place);
    assert!(floors.windows(2).all(|f| f[1][0] == f[0][0] && f[1][1] < f[0][1]), "{floors:?}");
}

/// What moves across its own plane is seen from aside.
#[test]
fn the_viaduct_is_not_a_line() {
    let svg = String::from_utf8(drawn(&models().join("rio-torto-isolated.toml"), "torto.svg")).unwrap();
    assert!(svg.contains(">quake: ground motion along y</text>") && svg.contains("29 + 11 × 33 + 29 = 421 m"));
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("torto.html");
    let model = models().join("rio-torto-isolated.toml");
    let args = ["run", model.to_str().unwrap(), "--until", "0.5 s", "--quiet", "-o", "torto.h5", "--report"];
    interfield(&[&args[..], &[page.to_str().unwrap()]].concat()).expect(0);
    let page = std::fs::read_to_string(page).unwrap();
    let specs = page.split("id=\"specs\">").nth(1).unwrap().split("</script>").next().unwrap();
    let specs: serde_json::Value = serde_json::from_str(specs).unwrap();
    let view = specs.as_array().unwrap().iter().find(|s| s["motion"]["times"].is_array()).expect("a moving view");
    let [turn, tilt] = [0, 1].map(|i| view["direction"][i].as_f64().unwrap());
    assert!(turn != 0.0 && tilt > 0.2, "seen from aside: {turn} {tilt}");
    assert!(view["motion"]["axes"].as_array().unwrap().contains(&1.into()), "it moves across");
    assert!(view["motion"]["axes"].as_array().unwrap().contains(&5.into()), "and its members turn at their ends");
    // 1, 2 or 5 times a power of ten.
    let drawn = view["motion"]["drawn"][0].as_f64().unwrap();
    let digit = drawn / 10f64.powf(drawn.log10().floor());
    assert!([1.0, 2.0, 5.0].iter().any(|d| (d - digit).abs() < 1e-9), "{drawn}");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

/// Names in letters of other alphabets, and a file with a space in its name.
#[test]
fn odd_names_are_drawn() {
    let text = BASE.replace("roof", "Dach_größe_屋根").replace("storey1", "étage");
    let model = file("odd names ü.toml", &text);
    let svg = String::from_utf8(drawn(&model, "odd names.svg")).unwrap();
    assert!(svg.contains("屋根") && svg.contains("étage") && svg.ends_with("</svg>\n"));
}
