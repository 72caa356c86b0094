//! Large structures: what is kept from one start to the next, and what is told before the first step.

use std::path::{Path, PathBuf};

use super::{Outcome, file, program};

/// A frame in space of 5376 unknowns.
const FRAME: &str = r#"title = "Large"
dofs = ["x", "y", "z", "rx", "ry", "rz"]

[analysis]
scheme = "newmark"
dt = "10 ms"
duration = "0.05 s"

[[space-frame]]
bays_x = 7
width_x = "6 m"
bays_y = 7
width_y = "6 m"
storeys = 14
height = "3 m"
column = "concrete"
beam = "concrete"

[section.concrete]
E = "30 GPa"
G = "12.5 GPa"
A = "0.16 m^2"
Iy = "0.00213 m^4"
Iz = "0.00213 m^4"
J = "0.0036 m^4"
rho = "2500 kg/m^3"

[[load]]
type = "ground"
direction = "x"
signal = { type = "harmonic", amplitude = "1 m/s^2", frequency = "1 Hz" }

[record]
channels = ["n14_0_0.x", "n7_3_3.x"]
"#;

fn model(name: &str) -> (String, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-cache"));
    // It may be there from the last time.
    let _ = std::fs::remove_dir_all(&folder);
    (file(&format!("{name}.toml"), FRAME).display().to_string(), folder)
}

fn run(model: &str, more: &[&str], memory: Option<&str>) -> Outcome {
    let mut program = program();
    program.args(["run", model, "-o", &model.replace(".toml", ".csv")]).args(more);
    memory.map(|bytes| program.env("INTERFIELD_PRETEND_MEMORY", bytes));
    let output = program.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn what_is_kept_changes_no_result_and_what_is_damaged_is_told() {
    let (model, folder) = model("large-kept");
    let path = folder.display().to_string();
    let results = || std::fs::read(model.replace(".toml", ".csv")).expect("results");
    let files = || {
        let list = std::fs::read_dir(&folder).map(|d| d.map(|e| e.expect("an entry").path()).collect::<Vec<_>>());
        let mut list = list.unwrap_or_default();
        list.sort();
        list
    };
    assert!(!run(&model, &[], None).expect(0).stderr.contains("cache"));
    let expected = results();
    for _ in 0..2 {
        let said = run(&model, &["--cache", &path], None).expect(0);
        assert_eq!(said.stderr, "", "nothing is wrong with it");
        assert!(results() == expected);
    }
    let kept = files();
    // Factors of the mass and of the matrix of the steps.
    let [analysis, factor, _] = &kept[..] else { panic!("{kept:?}") };
    assert!(analysis.display().to_string().contains("analysis-"), "{kept:?}");
    // A bit of a number, the end missing, a file of somebody else; each is told, computed again, and whole the next time.
    for (file, why) in
        [(factor, "is damaged"), (analysis, "is damaged"), (factor, "not complete"), (factor, "not a cache")]
    {
        let mut bytes = std::fs::read(file).expect("it is there");
        match why {
            "is damaged" => {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
            "not complete" => bytes.truncate(3 * bytes.len() / 4 + 3),
            _ => bytes = b"Dear reader, this is a letter and nothing else.".to_vec(),
        }
        std::fs::write(file, bytes).expect("it can be written");
        let said = run(&model, &["--cache", &path], None).expect(0).stderr;
        assert!(said.contains(why) && said.contains("computed again"), "{said}");
        assert!(results() == expected, "{why}");
        assert_eq!(run(&model, &["--cache", &path], None).expect(0).stderr, "");
    }
    assert_eq!(files(), kept, "nothing unfinished stays");
    // Another stiffness has another matrix of the steps, with the same pattern.
    let other = FRAME.replace("30 GPa", "31 GPa");
    std::fs::write(&model, other).expect("it can be written");
    run(&model, &["--cache", &path], None).expect(0);
    assert!(results() != expected);
    assert_eq!(files().len(), 4, "the mass is the same");
    // A folder that cannot be one.
    std::fs::remove_dir_all(&folder).expect("it is there");
    std::fs::write(&folder, "a file").expect("it can be written");
    let said = run(&model, &["--cache", &path], None).expect(0).stderr;
    assert!(said.contains("nothing can be kept in the cache"), "{said}");
    std::fs::remove_file(&folder).expect("it is there");
}

#[test]
fn memory_is_told_and_a_model_that_does_not_fit_is_refused() {
    let (model, _) = model("large-memory");
    let head = run(&model, &[], None).expect(0).stdout;
    let line = head.lines().find(|l| l.trim_start().starts_with("memory")).unwrap_or_else(|| panic!("{head}"));
    assert!(line.contains("MB for factors, "), "{line}");
    let refused = run(&model, &[], Some("3e6")).expect(2).stderr;
    assert!(refused.contains("does not fit in memory") && refused.contains("3.0 MB are free"), "{refused}");
    assert!(refused.contains("[[reduce]]"), "{refused}");
    // Text alone may take more than there is.
    let long = file("large-text.toml", format!("{FRAME}{}", "# a remark\n".repeat(500_000))).display().to_string();
    let refused = run(&long, &[], Some("50e6")).expect(1).stderr;
    assert!(refused.contains("reading its 5.5 MB of text takes about 192.5 MB, 50.0 MB are free"), "{refused}");
}
