//! Transducers, load cells and fixtures as a user meets them: what is refused and how, what is recorded, what a replay answers.

use std::path::{Path, PathBuf};

use interfield_results::Reader;

use super::{COLUMN, STOREY, file, interfield};

/// A storey on one actuator with a mass of its own; `more` is added to the specimen.
fn model(more: &str) -> String {
    format!(
        r#"
title = "A storey, measured elsewhere"
[units]
length = "mm"
force = "kN"
{STOREY}{COLUMN}[[load]]
type = "ground"
direction = "x"
signal = {{ type = "harmonic", amplitude = "1 m/s^2", frequency = "1 Hz" }}
[analysis]
scheme = "alpha-os"
dt = "2 ms"
duration = "1 s"
[record]
channels = ["floor.x", "floor.x.reached", "floor.x.measured"]
[[specimen]]
name = "rig"
elements = ["column"]
rate = "1 kHz"
ramp = "100 ms"
{more}"#
    )
}

const SENSORS: &str = r#"
[[specimen.actuator]]
name = "west"
[[specimen.transducer]]
name = "Wegaufnehmer ü"
dof = "floor.x"
noise = "0.01 mm"
seed = 3
[[specimen.transducer]]
actuator = "west"
[[specimen.load_cell]]
name = "foot"
element = "column"
noise = "1 N"
[[specimen.fixture]]
mass = "100 kg"
[specimen.limits]
disagreement = "1 mm"
"#;

fn results(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Each mistake, and what is said of it.
#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    let cases = [
        ("[[specimen.transducer]]\nname = \"t\"", "nothing says in which direction this transducer measures"),
        (
            "[[specimen.transducer]]\nname = \"1\"\ndof = \"floor.x\"",
            "two instruments of this specimen have the name `1`",
        ),
        ("[[specimen.transducer]]\nname = \" \"\ndof = \"floor.x\"", "a sensor has a name of letters"),
        ("[[specimen.transducer]]\ndof = \"floor.y\"", "floor.y"),
        ("[[specimen.transducer]]\nactuator = \"west\"", "there is no actuator `west`"),
        ("[[specimen.transducer]]\nactuator = \"1\"\nnoise = \"1 mm\"", "`noise` belongs to a sensor of its own"),
        (
            "[[specimen.load_cell]]\nactuator = \"1\"\n[[specimen.load_cell]]\nactuator = \"1\"",
            "the load cell of actuator `1` is listed twice",
        ),
        ("[[specimen.load_cell]]\ndof = \"floor.x\"\nnoise = \"1 mm\"", "expected force, found length"),
        ("[[specimen.load_cell]]\ndof = \"floor.x\"\ncalibration = [0, 1]", "a gain other than zero"),
        ("[[specimen.load_cell]]\ndof = \"floor.x\"\nlimits = { disagreement = \"1 mm\" }", "disagreement"),
        ("[[specimen.fixture]]\nmass = \"-1 kg\"", "mass"),
        ("tare = false\n[[specimen.fixture]]\nmass = \"1 kg\"", "nothing says where down is"),
        ("[[specimen.fixture]]\nmass = \"1 kg\"\nnode = \"ground\"", "ground"),
        ("[[specimen.fixture]]\nmass = \"1 kg\"\ninertia = [1, 1, 3]", "no body has these moments of inertia"),
        ("[[specimen.fault]]\ntype = \"nan\"\nat = \"1 s\"\nsensor = \"lvdt\"", "there is no sensor `lvdt`"),
        (
            "[[specimen.load_cell]]\nname = \"foot\"\ndof = \"floor.x\"\n[[specimen.fault]]\ntype = \"offset\"\nsize = \"1 mm\"\nat = \"1 s\"\nsensor = \"foot\"",
            "`offset` does not affect a load cell",
        ),
        (
            "[[specimen.load_cell]]\nname = \"foot\"\ndof = \"floor.x\"\n[[specimen.fault]]\ntype = \"silence\"\nat = \"1 s\"\nsensor = \"foot\"",
            "`silence` does not affect a single sensor",
        ),
    ];
    for (k, (more, said)) in cases.into_iter().enumerate() {
        let path = file(&format!("wrong-sensor-{k}.toml"), model(more));
        let told = interfield(&["check", path.to_str().unwrap()]).expect(2);
        assert!(told.stderr.contains(said), "{more}\n{}", told.stderr);
    }
}

#[test]
fn sensors_are_recorded_by_name_and_replayed_to_the_bit() {
    let path = file("sensed.toml", model(SENSORS));
    let path = path.to_str().unwrap();
    interfield(&["run", path, "-o", "sensed.h5"]).expect(0);
    let reader = Reader::open(&results("sensed.lab.h5")).expect("a recording");
    for (name, unit) in [("rig.Wegaufnehmer ü.reached", "mm"), ("rig.foot.force", "kN")] {
        let channel = reader.channel(name).unwrap_or_else(|| panic!("no channel {name}"));
        assert_eq!(reader.channels()[channel].unit, unit);
        let values = reader.read(channel, 0..reader.rows()).expect("values");
        assert!(values.iter().any(|x| x.abs() > 0.1), "{name} moves");
    }
    interfield(&["replay", "sensed.lab.h5", path, "-o", "again.h5"]).expect(0);
    let [first, again] = ["sensed.h5", "again.h5"].map(|path| {
        let reader = Reader::open(&results(path)).expect("results");
        let read = |c: usize| reader.read(c, 0..reader.rows()).expect("values");
        (0..reader.channels().len())
            .map(read)
            .map(|v| v.into_iter().map(f64::to_bits).collect())
            .collect::<Vec<Vec<u64>>>()
    });
    assert!(first == again, "a replay gives the bits of the test");
    let plan = interfield(&["check", path]).expect(0).stdout;
    for said in ["transducer Wegaufnehmer ü", "the force along floor.x", "100 kg with floor.x", "1 redundant"] {
        let words = plan.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said), "{said}:\n{plan}");
    }
    assert!(plan.lines().all(|line| line.chars().count() <= 80 || line.contains('|')), "{plan}");
}
