//! The rigs of the book: drawn as the book shows them, rehearsed, and refused with the directions that nothing holds.

use std::path::Path;

use interfield_lab::safety::State;
use interfield_results::Reader;

use super::{file, interfield, models};

const RIGS: [&str; 6] = ["brace", "torsion", "plan", "hexapod", "pier", "pair"];

/// The pictures of the chapter are those that `check` draws; INTERFIELD_BLESS=1 renews them.
#[test]
fn the_book_shows_the_rigs_as_check_draws_them() {
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/img");
    for rig in RIGS {
        let model = models().join(format!("rig-{rig}.toml"));
        let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("drawn-{rig}.svg"));
        interfield(&["check", model.to_str().unwrap(), "-o", drawn.to_str().unwrap()]).expect(0);
        let (svg, shown) = (std::fs::read_to_string(&drawn).unwrap(), pictures.join(format!("rig-{rig}.svg")));
        if std::env::var_os("INTERFIELD_BLESS").is_some() {
            std::fs::write(&shown, &svg).unwrap();
        }
        assert!(std::fs::read_to_string(&shown).is_ok_and(|old| old == svg), "{rig}: the book shows another drawing");
        // Every actuator has its name on the drawing, in its place.
        let text = std::fs::read_to_string(&model).unwrap();
        let laboratory = text.split("[[specimen.actuator]]").skip(1);
        for name in laboratory.filter_map(|t| t.split("name = \"").nth(1)?.split('"').next()) {
            assert!(svg.contains(&format!("<g class=\"actuator\"><title>{name} (actuator")), "{rig}: {name}");
            let named = [format!(">{name}</text>"), format!(">{name}, holds ")];
            assert!(named.iter().any(|n| svg.contains(n)), "{rig}: {name}");
        }
    }
}

/// A floor with three degrees of freedom that its specimen resists, and these actuators.
fn floor(name: &str, actuators: &str) -> String {
    let text = format!(
        r#"
title = "Floor"
[units]
length = "mm"
force = "kN"
[[node]]
name = "slab"
dofs = ["x", "y", "rz"]
mass = {{ x = "20 t", y = "20 t", rz = "100 t*m^2" }}
[[element]]
type = "spring"
name = "wall-x"
nodes = ["ground", "slab"]
dof = "x"
k = "8 kN/mm"
[[element]]
type = "spring"
name = "wall-y"
nodes = ["ground", "slab"]
dof = "y"
k = "8 kN/mm"
[[element]]
type = "spring"
name = "core"
nodes = ["ground", "slab"]
dof = "rz"
k = "50 MN*m"
[analysis]
scheme = "alpha-os"
dt = "2 ms"
duration = "2 s"
[record]
channels = ["slab.x", "slab.y", "slab.rz"]
[[specimen]]
name = "storey"
elements = ["wall-*", "core"]
{actuators}
"#
    );
    file(&format!("{name}.toml"), text).to_str().expect("UTF-8").to_owned()
}

fn strut(name: &str, anchor: &str, attachment: &str) -> String {
    format!("[[specimen.actuator]]\nname = \"{name}\"\nnode = \"slab\"\nanchor = {anchor}\nattachment = {attachment}\n")
}

/// Every message is located, names the cause and the direction, and says what to write.
#[test]
fn rigs_that_cannot_work_are_refused_with_what_to_write() {
    let west = strut("west", "[-5000, -3000]", "[-2000, -3000]");
    let parallel = strut("parallel", "[-8000, -3000]", "[-2000, -3000]");
    let north = strut("north", "[-5000, 3000]", "[-2000, 3000]");
    let south = strut("south", "[0, -6000]", "[0, -2000]");
    let along =
        |name: &str, factors: &str| format!("[[specimen.actuator]]\nname = \"{name}\"\nalong = {{ {factors} }}\n");
    let cases: [(&str, String, &[&str]); 15] = [
        // What turns about a point of its line: 1 m along x with -1/3 rad.
        (
            "rig-one",
            west.clone(),
            &["`slab.x - 0.333 slab.rz` (m and rad) and `slab.y`", "its only actuator `west`", "add an actuator"],
        ),
        (
            "rig-rank",
            format!("{west}{north}"),
            &["along `slab.y`", "its 2 actuators do not drive it", "add an actuator"],
        ),
        (
            "rig-parallel",
            format!("{west}{parallel}{south}"),
            &["`west`, `parallel` are not independent", "along one line", "drive 2 directions only", "slab.rz"],
        ),
        (
            "rig-meet",
            strut("a", "[-5000, 0]", "[-1000, 0]")
                + &strut("b", "[0, -5000]", "[0, -1000]")
                + &strut("c", "[5000, 5000]", "[1000, 1000]"),
            &["along `slab.rz`", "`a`, `b`, `c` are not independent", "meet in one point"],
        ),
        (
            "rig-redundant",
            format!("{west}{north}{south}{}", strut("east", "[5000, 0]", "[2000, 0]")),
            &[
                "`west`, `north`, `east` are redundant: 4 actuators drive 3 directions",
                "write sharing = ",
                "mount_stiffness",
            ],
        ),
        (
            "rig-units",
            along("a", "\"slab.x\" = 1, \"slab.rz\" = \"2 kN\""),
            &["the factor of `slab.rz` is a lever arm", "found force", "\"-2 m\""],
        ),
        ("rig-bare", along("a", "\"slab.x\" = 1, \"slab.rz\" = -2"), &["needs a unit", "\"-2 m\""]),
        ("rig-nothing", along("a", "\"slab.x\" = 0"), &["moves nothing: all its factors are zero"]),
        // Where it acts is said once, and in full.
        (
            "rig-twice",
            along("a", "\"slab.x\" = 1") + "dof = \"slab.x\"\n",
            &["`dof` and `along` both say in which direction it acts", "keep one of them"],
        ),
        ("rig-mixed", format!("{west}dof = \"slab.x\"\n"), &["`dof` and `anchor` both say in which direction it acts"]),
        ("rig-half", west.replace("anchor = [-5000, -3000]\n", ""), &["missing key `anchor`", "anchor = [0, \"2 m\"]"]),
        (
            "rig-ground",
            west.replace("node = \"slab\"", "node = \"ground\""),
            &["the specimen does not move node `ground`", "the specimen moves slab.x, slab.y, slab.rz"],
        ),
        (
            "rig-across",
            strut("lift", "[0, 0, 0]", "[0, 0, 900]"),
            &["no motion of node `slab` (slab.x, slab.y, slab.rz) changes the length of this strut"],
        ),
        (
            "rig-point",
            strut("a", "[1, 2]", "[1, 2]"),
            &["`anchor` and `attachment` are the same point", "reaction wall"],
        ),
        (
            "rig-angle",
            format!("{west}{north}[[specimen.actuator]]\nname = \"turn\"\ndof = \"slab.rz\"\nstroke = \"150 mm\"\n"),
            &["expected an angle, found length", "\"0.05 rad\""],
        ),
    ];
    for (name, actuators, words) in cases {
        let model = floor(name, &actuators);
        let said = interfield(&["check", &model, "-o", &format!("{name}.svg")]).expect(2).stderr;
        assert!(words.iter().all(|w| said.contains(w)), "{name}: {words:?}\n{said}");
        assert!(said.contains(&format!("--> {model}:")), "{name}: {said}");
        for line in said.lines().filter(|l| l.starts_with("error")) {
            assert!(!line.contains("NaN") && !line.contains("DoF"), "{name}: {line}");
        }
    }
}

/// Struts of a kilometre do not change a test: the rehearsal of a rig with anchors.
#[test]
fn struts_of_any_length_are_rehearsed() {
    for (name, far) in [("near", 3), ("far", 1_000_000)] {
        let rig = strut("west", &format!("[-{far}000, -3000]"), "[-2000, -3000]")
            + &strut("north", &format!("[-{far}000, 3000]"), "[-2000, 3000]")
            + &strut("south", &format!("[0, -{far}000]"), "[0, -2000]");
        let load = "[[load]]\ntype = \"ground\"\ndirection = \"x\"\nsignal = { type = \"harmonic\", amplitude = \"1 m/s^2\", frequency = \"1 Hz\" }\n";
        let model = floor(&format!("rig-{name}"), &format!("{rig}{load}"));
        let found = interfield(&["rehearse", &model, "--json"]).expect(0).json();
        assert_eq!(found["ready"], true, "{name}: {}", found["objections"]);
        assert_eq!(found["laboratory"][0]["verdict"], "good", "{name}: {found}");
    }
}

/// A specimen with more elements than measured forces: which element carries what is not known, and is said before the run.
#[test]
fn forces_that_cannot_be_told_apart_are_refused_as_channels() {
    let text = std::fs::read_to_string(models().join("rig-plan.toml")).unwrap();
    let model = file("rig-untold.toml", text.replace("\"slab.x.measured\"", "\"column-east-x.force\""));
    let said = interfield(&["check", model.to_str().unwrap(), "-o", "untold.svg"]).expect(2).stderr;
    for words in ["`column-east-x.force` cannot be told", "specimen `columns`", "`slab.x.measured`"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// Transducers and load cells beside the actuators are drawn with their names.
#[test]
fn sensors_have_marks_of_their_own() {
    let rig = strut("west", "[-5000, -3000]", "[-2000, -3000]")
        + &strut("north", "[-5000, 3000]", "[-2000, 3000]")
        + &strut("south", "[0, -6000]", "[0, -2000]")
        + &strut("lvdt 1", "[5000, -3000]", "[2000, -3000]").replace("specimen.actuator", "specimen.transducer")
        + &strut("lvdt 2", "[5000, 3000]", "[2000, 3000]").replace("specimen.actuator", "specimen.transducer")
        + "[[specimen.transducer]]\nname = \"lvdt 3\"\ndof = \"slab.y\"\n"
        + "[[specimen.load_cell]]\nname = \"cell x\"\ndof = \"slab.x\"\n"
        + "[[specimen.load_cell]]\nname = \"cell y\"\ndof = \"slab.y\"\n"
        + "[[specimen.load_cell]]\nname = \"cell rz\"\ndof = \"slab.rz\"\n";
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sensors.svg");
    interfield(&["check", &floor("rig-sensors", &rig), "-o", drawn.to_str().unwrap()]).expect(0);
    let svg = std::fs::read_to_string(&drawn).unwrap();
    for (class, names) in
        [("transducer", ["lvdt 1", "lvdt 2", "lvdt 3"]), ("load cell", ["cell x", "cell y", "cell rz"])]
    {
        for name in names {
            assert!(svg.contains(&format!("<g class=\"{class}\"><title>{name} ({class})</title>")), "{name}");
            assert!(svg.contains(&format!(">{name}</text>")), "{name}");
        }
        assert!(svg.contains(&format!(">{class}</text>")), "{class} is in the legend");
    }
}

/// A pier that two jacks beside its axis load, while a third actuator pushes it.
fn loaded_pier(name: &str, more: &str) -> String {
    let jack = |name: &str, x: i32| {
        strut(name, &format!("[{x}, 10000]"), &format!("[{x}, 5000]")).replace("slab", "top")
            + "control = \"force\"\nload = \"600 kN\"\nbandwidth = \"4 Hz\"\ntype = \"second-order\"\nfrequency = \"20 Hz\"\n\
               damping = 0.8\nstroke = \"60 mm\"\nvelocity = \"40 mm/s\"\n"
    };
    let switched = "switch = [{ at = \"0.6 s\", to = \"displacement\" }, { at = \"0.8 s\", to = \"force\" }]\n";
    let rig = strut("push", "[-6000, 5000]", "[0, 5000]").replace("slab", "top")
        + &jack("east", 1000)
        + switched
        + &jack("west", -1000)
        + more;
    let text = format!(
        r#"
title = "Pier under two jacks"
dofs = ["x", "y", "rz"]
[units]
length = "mm"
force = "kN"
[[node]]
name = "foot"
fixed = true
[[node]]
name = "top"
at = [0, 5000]
mass = {{ x = "240 t" }}
[[element]]
type = "beam2d"
name = "pier"
nodes = ["foot", "top"]
E = "30 GPa"
A = "0.64 m^2"
I = "0.034 m^4"
[[element]]
type = "spring"
name = "other"
nodes = ["foot", "top"]
dof = "x"
k = "15 kN/mm"
[[load]]
type = "ground"
direction = "x"
signal = {{ type = "harmonic", amplitude = "1 m/s^2", frequency = "0.5 Hz" }}
[analysis]
scheme = "alpha-os"
dt = "10 ms"
duration = "1.5 s"
[record]
channels = ["top.x", "top.rz"]
[[specimen]]
name = "pier"
elements = ["pier"]
inner = ["top.y", "top.rz"]
rate = "100 Hz"
time_scale = 50
{rig}"#
    );
    file(&format!("{name}.toml"), text).to_str().expect("UTF-8").to_owned()
}

/// Two jacks hold the vertical displacement and the rotation; each keeps its load within 1 % while the pier moves. While one of them holds its
/// displacement instead, from 0.6 s to 0.8 s, its load follows the tilting pier, and the load of the other does not; then it comes back.
#[test]
fn jacks_beside_the_axis_hold_a_rotation_too() {
    let sensors = "[[specimen.transducer]]\nname = \"sideways\"\ndof = \"top.x\"\n\
                   [[specimen.transducer]]\nname = \"up\"\ndof = \"top.y\"\n\
                   [[specimen.transducer]]\nname = \"tilt\"\ndof = \"top.rz\"\n";
    let model = loaded_pier("two-jacks", sensors);
    let found = interfield(&["run", &model, "--json", "-o", "two-jacks.h5"]).expect(0).json();
    assert_eq!(found["laboratory"][0]["verdict"], "good", "{found}");
    let reader = Reader::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-jacks.lab.h5")).expect("a recording");
    let read = |name: &str| {
        let channel = reader.channel(name).unwrap_or_else(|| panic!("no channel {name}"));
        reader.read(channel, 0..reader.rows()).expect("values")
    };
    let (states, pushed) = (read("pier.state"), read("pier.push.reached"));
    assert!(pushed.iter().any(|x| x.abs() > 5.0), "the pier moves");
    let running = State::Running.code();
    for jack in ["east", "west"] {
        let forces = read(&format!("pier.{jack}.force"));
        let off = states.iter().zip(&forces).filter(|(s, _)| **s == running).map(|(_, f)| (f / 600.0 - 1.0).abs());
        // 100 samples a second, 50 times as slow; the control changes one step early, and the bandwidth of 4 Hz needs 1 s.
        let timed = off.enumerate().map(|(i, off)| (i as f64 / 5000.0, off));
        let (held, loaded): (Vec<_>, Vec<_>) = timed.partition(|(t, _)| jack == "east" && (0.58..0.82).contains(t));
        let worst = |of: &[(f64, f64)]| of.iter().map(|(_, off)| *off).fold(0.0, f64::max);
        assert!(worst(&loaded) < 0.01, "{jack}: {}", worst(&loaded));
        assert_eq!(worst(&held) > 0.05, jack == "east", "{jack}: {}", worst(&held));
    }
}

/// One jack beside the axis would need a second one; one above the node leans with a rotation that nobody knows.
#[test]
fn jacks_that_turn_with_the_specimen_are_refused_or_doubted() {
    let text = std::fs::read_to_string(models().join("rig-pier.toml")).unwrap();
    let moved = |name: &str, to: &str| {
        let changed = text.replace("anchor = [0, \"10 m\"]\nattachment = [0, \"5 m\"]", to);
        assert!(changed != text);
        file(name, changed).to_str().expect("UTF-8").to_owned()
    };
    let beside = moved("jack-beside.toml", "anchor = [\"0.5 m\", \"10 m\"]\nattachment = [\"0.5 m\", \"5 m\"]");
    let said = interfield(&["check", &beside]).expect(2).stderr;
    for words in
        ["2 inner degrees of freedom (top.y, top.rz), but only `jack` has a `control`", "attached at the node itself"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let above = moved("jack-above.toml", "anchor = [0, \"10 m\"]\nattachment = [0, \"5.4 m\"]");
    let said = interfield(&["check", &above, "-o", "jack-above.svg"]).expect(0);
    let words = "actuator `jack` is attached 400 mm from the axis of `top.rz`, which is free";
    assert!((said.stdout.clone() + &said.stderr).contains(words), "{}{}", said.stdout, said.stderr);
}

/// Each of a redundant pair carries its share while the specimen moves, whatever the stiffness of the mounts, which would make it 2 : 1.
#[test]
fn redundant_actuators_carry_their_shares() {
    let text = std::fs::read_to_string(models().join("rig-pair.toml")).unwrap();
    let (head, tail) = text.split_once("{ type = \"generated\"").expect("a motion");
    let (_, tail) = tail.split_once('}').expect("its end");
    let text = format!("{head}{{ type = \"synthetic\", peak = \"0.15 g\" }}{tail}").replace("\"15 s\"", "\"4 s\"");
    for (large, small) in [(5.0, 1.0), (1.0, 3.0)] {
        let shares = text.replace("share = 1\n", &format!("share = {small}\n"));
        let name = format!("shares-{large}-{small}");
        let model = file(&format!("{name}.toml"), shares.replace("share = 2\n", &format!("share = {large}\n")));
        interfield(&["run", model.to_str().expect("UTF-8"), "-o", &format!("{name}.h5")]).expect(0);
        let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.lab.h5"));
        let reader = Reader::open(&at).expect("a recording");
        let force = |actuator: &str| {
            let channel = reader.channel(&format!("wall.{actuator}.force")).expect("a channel");
            reader.read(channel, 0..reader.rows()).expect("values")
        };
        let channel = reader.channel("wall.state").expect("a channel");
        let states = reader.read(channel, 0..reader.rows()).expect("values");
        let both: Vec<(f64, f64)> = force("large").into_iter().zip(force("small")).collect();
        let most = both.iter().map(|(a, b)| (a + b).abs()).fold(0.0, f64::max);
        // Of the largest force: the bias of a transducer is 15 kN in the first moment.
        let off = both.iter().zip(&states).skip(both.len() / 3).filter(|(_, s)| **s == State::Running.code());
        let worst = off.map(|((a, b), _)| (a - (a + b) * large / (large + small)).abs()).fold(0.0, f64::max) / most;
        assert!(most > 100.0 && worst < 0.03, "{large} : {small}: {worst} of {most} kN");
    }
}
