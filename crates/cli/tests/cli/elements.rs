//! Every element type, from the model file to results.

use interfield_kernel::element::catalogue::catalogue;

use super::{BASE, data, file, run};

#[test]
fn every_element_runs() {
    let text = std::fs::read_to_string(data("all-elements.toml")).unwrap();
    let frames = std::fs::read_to_string(data("all-members.toml")).unwrap();
    for info in catalogue() {
        let named = format!("type = \"{}\"", info.name);
        assert!(text.contains(&named) || frames.contains(&named), "{} is in no model", info.name);
    }
    let (summary, results) = run("all-members", &frames, &[]);
    for (i, c) in summary["channels"].as_array().unwrap().iter().enumerate() {
        assert!(results.rows.iter().any(|r| r[i + 1] != results.rows[0][i + 1]), "{} does not move", c["name"]);
    }
    file("stiffness.mtx", std::fs::read(data("stiffness.mtx")).unwrap());
    let (summary, results) = run("all-elements", &text, &[]);
    let channels = summary["channels"].as_array().unwrap();
    let unit = |name: &str| channels.iter().find(|c| c["name"] == name).unwrap()["unit"].as_str().unwrap();
    // Angles are named, ratios and the states of formulas are not.
    for (name, expected) in [
        ("mostaghel.rz", "rad"),
        ("mostaghel.rz.v", "rad/s"),
        ("bob.theta.a", "rad/s^2"),
        ("hinge.s", "rad"),
        ("hinge.deformation", "rad"),
        ("hinge.force", "kN*mm"),
        ("weight.rho", "mm"),
        ("formula-law.z", "-"),
        ("controller.s1", "-"),
        ("degrading-law.H", "kN*mm"),
    ] {
        assert_eq!(unit(name), expected, "{name}");
    }
    // All of them move, except that a mass alone has no force.
    for (i, c) in channels.iter().enumerate() {
        let moves = results.rows.iter().any(|r| r[i + 1] != results.rows[0][i + 1]);
        assert_eq!(moves, c["name"] != "tank.force", "{}", c["name"]);
    }
    // The formula says what the Bouc-Wen law says.
    let column = |name: &str| channels.iter().position(|c| c["name"] == name).unwrap() + 1;
    for (law, formula) in [("bouc.x", "written.x"), ("bouc-law.z", "formula-law.z")] {
        let (a, b) = (column(law), column(formula));
        let largest = results.rows.iter().fold(0.0f64, |m, r| m.max(r[a].abs()));
        for row in &results.rows {
            assert!((row[a] - row[b]).abs() < 1e-10 * largest, "{} {}", row[a], row[b]);
        }
    }
}

/// A pinned girder carries no moment into its column: the frame is softer than with a stiff corner.
#[test]
fn releases_matter() {
    let text = std::fs::read_to_string(data("all-elements.toml")).unwrap();
    file("stiffness.mtx", std::fs::read(data("stiffness.mtx")).unwrap());
    let stiff = text.replace("release = [\"start\"]", "release = []");
    assert!(stiff != text);
    let peak = |s: &serde_json::Value| {
        s["channels"].as_array().unwrap().iter().find(|c| c["name"] == "knee.x").unwrap()["peak"].as_f64().unwrap()
    };
    let ((pinned, _), (stiff, _)) = (run("pinned", &text, &[]), run("stiff", &stiff, &[]));
    assert!(peak(&pinned).abs() > 1.2 * peak(&stiff).abs(), "{} {}", peak(&pinned), peak(&stiff));
}

/// A motion imposed on the base does what the same ground acceleration does.
#[test]
fn imposed_motion_and_ground_motion_agree() {
    let load =
        "type = \"ground\"\nname = \"quake\"\ndirection = \"x\"\nsignal = { type = \"synthetic\", peak = \"0.2 g\" }";
    let signal = "{ type = \"harmonic\", amplitude = \"100 mm/s^2\", frequency = \"1 Hz\" }";
    let ground = format!("type = \"ground\"\nname = \"quake\"\ndirection = \"x\"\nsignal = {signal}");
    let imposed = format!("type = \"imposed\"\nname = \"quake\"\nat = \"base.x\"\nacceleration = {signal}");
    let relative = BASE
        .replace(load, &ground)
        .replace("\"quake\"]", "\"storey2.force\"]")
        .replace("dt = \"10 ms\"", "dt = \"1 ms\"");
    let absolute = relative
        .replace(&ground, &imposed)
        .replace("[\"ground\", \"floor\"]", "[\"base\", \"floor\"]")
        .replace("[[load]]", "[[node]]\nname = \"base\"\n\n[[load]]");
    let (_, relative) = run("relative", &relative, &[]);
    let (_, absolute) = run("absolute", &absolute, &[]);
    let largest = relative.rows.iter().fold(0.0f64, |m, r| m.max(r[2].abs()));
    for (a, b) in relative.rows.iter().zip(&absolute.rows) {
        assert!((a[2] - b[2]).abs() < 1e-3 * largest, "{a:?} {b:?}");
    }
}
