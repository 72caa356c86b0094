//! A run that is killed and resumed is the run that was never ended.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use interfield_results::Reader;

use super::{Outcome, program};

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> Outcome {
    let done = program().current_dir(folder).args(args).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Outcome { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

/// Times and all channels, bit for bit.
fn rows(path: &Path) -> Vec<Vec<u64>> {
    let reader = Reader::open(path).unwrap();
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect();
    let all = 0..reader.rows();
    let channels = (0..reader.channels().len()).map(|c| bits(reader.read(c, all.clone()).unwrap()));
    std::iter::once(bits(reader.time(all.clone()).unwrap())).chain(channels).collect()
}

/// Kills a run as soon as it has kept its next checkpoint, and resumes it, ten times.
fn killed_ten_times(name: &str, model: &str, more: &[&str]) {
    let folder = folder(name);
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(model);
    let model = model.to_str().unwrap();
    let output = ["run", model, "--quiet", "--report", "page.html", "-o"];
    let plain = [&output[..], &["whole.h5"], more].concat();
    run(&folder, &plain).expect(0);
    let mut last = "killed-0.h5".to_owned();
    for kill in 0..10 {
        let resume = ["--resume".to_owned(), last.replace(".h5", ".checkpoint")];
        last = format!("killed-{kill}.h5");
        let checkpoint = folder.join(last.replace(".h5", ".checkpoint"));
        let mut command = program();
        command.current_dir(&folder).args(output).arg(&last).args(more).args(["--checkpoint", "0"]);
        if kill > 0 {
            command.args(resume);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        while !checkpoint.exists() {
            assert!(child.try_wait().unwrap().is_none(), "{name}: it was over before it was killed");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let checkpoint = last.replace(".h5", ".checkpoint");
    let resumed = [&output[..], &["resumed.h5", "--resume", &checkpoint], more].concat();
    run(&folder, &resumed).expect(0);
    assert_eq!(rows(&folder.join("resumed.h5")), rows(&folder.join("whole.h5")), "{name}");
}

/// The first run keeps its superelement, and those that resume take it.
#[test]
fn a_reduced_structure_with_a_kept_superelement_is_resumed() {
    let model = folder("reduced-model").join("frame.toml");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/frame.toml");
    let reduce =
        "\n[[reduce]]\nname = \"tower\"\nfrequency = \"5 Hz\"\nkeep = [\"n1_1\"]\nfile = \"tower.superelement\"\n";
    std::fs::write(&model, std::fs::read_to_string(shipped).unwrap() + reduce).unwrap();
    killed_ten_times("reduced", model.to_str().unwrap(), &["--dt", "0.2 ms"]);
}

#[test]
fn a_push_with_a_specimen_is_resumed() {
    killed_ten_times("push", "cyclic-column.toml", &[]);
}

#[test]
fn a_hysteretic_frame() {
    killed_ten_times("frame", "isolated-building.toml", &["--whole", "--until", "6 s"]);
}

#[test]
fn a_cut_structure_with_a_specimen() {
    killed_ten_times("cut", "isolated-building.toml", &["--until", "6 s"]);
}

/// A computed run goes on in its own file, found without a name.
#[test]
fn the_newest_checkpoint_is_found_and_the_file_goes_on() {
    let folder = folder("newest");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/frame.toml");
    let model = model.to_str().unwrap();
    run(&folder, &["run", model, "--quiet", "-o", "whole.h5"]).expect(0);
    let checkpoint = folder.join("interfield-out/frame.checkpoint");
    let mut command = program();
    command.current_dir(&folder).args(["run", model, "--quiet", "--checkpoint", "0"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    while !checkpoint.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it was killed");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    run(&folder, &["run", model, "--quiet", "--resume"]).expect(0);
    assert_eq!(rows(&folder.join("interfield-out/frame.h5")), rows(&folder.join("whole.h5")));
    assert!(!folder.join("interfield-out/frame.earlier.h5").exists());
    // Rows of another run under the same name are not taken for its own, and stay where they are.
    run(&folder, &["run", model, "--quiet", "--scheme", "newmark"]).expect(0);
    let other = rows(&folder.join("interfield-out/frame.h5"));
    let stale = run(&folder, &["run", model, "--quiet", "--resume"]).expect(2);
    assert!(stale.stderr.contains("belong to another run"), "{}", stale.stderr);
    assert_eq!(rows(&folder.join("interfield-out/frame.h5")), other);
    // Another choice is another run; what is no checkpoint is said.
    let other = run(&folder, &["run", model, "--resume", "--dt", "5 ms"]).expect(2);
    assert!(other.stderr.contains("belongs to another model or other options"), "{}", other.stderr);
    std::fs::write(folder.join("none.checkpoint"), "nothing").unwrap();
    let none = run(&folder, &["run", model, "--resume", "none.checkpoint", "-o", "none.h5"]).expect(2);
    assert!(none.stderr.contains("it is not a checkpoint"), "{}", none.stderr);
    let clock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/isolated-building.toml");
    let clock = clock.to_str().unwrap();
    let live = run(&folder, &["run", clock, "--real-time", "--checkpoint", "-o", "live.h5"]).expect(2);
    assert!(live.stderr.contains("cannot be saved"), "{}", live.stderr);
}

/// The same as comma-separated values, in the same file.
#[test]
fn comma_separated_values_go_on() {
    let folder = folder("csv");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/frame.toml");
    let model = model.to_str().unwrap();
    run(&folder, &["run", model, "--quiet", "-o", "whole.csv"]).expect(0);
    let mut command = program();
    command.current_dir(&folder).args(["run", model, "--quiet", "-o", "part.csv", "--checkpoint", "0"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    while !folder.join("part.checkpoint").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it was killed");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    run(&folder, &["run", model, "--quiet", "-o", "part.csv", "--resume"]).expect(0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("part.csv"), read("whole.csv"));
}
