//! What a tape leaves behind when its process is killed, or its disk full. The process is the example `taped_run`.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use interfield_results::{Outcome, Reader};

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::remove_file(&path).ok();
    path
}

/// The program that records; `cargo test` builds it, as it does all examples.
fn child() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().with_file_name("examples").join("taped_run");
    assert!(program.exists(), "{} is missing: `cargo build --examples` builds it", program.display());
    program
}

#[test]
fn a_killed_loop_loses_nothing_older_than_100_ms() {
    for kill in 0..10 {
        let file = scratch(&format!("tape-kill-{kill}"));
        let truth = file.with_extension("truth");
        let mut process = Command::new(child()).arg("clock").arg(&file).stdout(Stdio::null()).spawn().unwrap();
        // Killed when the loop has recorded so many samples, at no particular moment of the writing thread.
        let samples = 50 + 37 * kill;
        while std::fs::metadata(&truth).map_or(0, |m| m.len()) < 8 * samples {
            assert!(process.try_wait().unwrap().is_none(), "the loop has ended by itself");
            std::thread::yield_now();
        }
        process.kill().unwrap();
        let killed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        process.wait().unwrap();

        let truth_bytes = std::fs::read(&truth).unwrap();
        let recorded: Vec<f64> =
            truth_bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        let reader = Reader::open(&file).unwrap_or_else(|e| panic!("kill {kill}: {e}"));
        assert_eq!(reader.outcome(), &Outcome::Unknown);
        let values = reader.read(0, 0..u64::MAX).unwrap();
        assert!(values.len() <= recorded.len());
        assert!(values.iter().zip(&recorded).all(|(a, b)| a.to_bits() == b.to_bits()), "kill {kill}: other values");
        if let Some(first_missing) = recorded.get(values.len()) {
            let age = killed - first_missing;
            assert!(age < 0.1, "kill {kill}: a sample {:.1} ms old is missing", age * 1e3);
        }
        std::fs::remove_file(&truth).unwrap();
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_disk_that_was_full_for_a_while_leaves_gaps_that_are_marked() {
    let file = scratch("tape-full");
    // The signal of a file that grew too large is ignored, so that the write fails as on a full disk.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" full \"$1\""])
        .arg(child())
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("File too large") && text.ends_with("at the end: None\n"), "{text}");

    let reader = Reader::open(&file).unwrap();
    assert_eq!(reader.outcome(), &Outcome::Finished("finished".into()));
    let times = reader.time(0..u64::MAX).unwrap();
    let values = reader.read(0, 0..u64::MAX).unwrap();
    let dropped = reader.read(1, 0..u64::MAX).unwrap();
    assert_eq!(times, values);
    // Every sample is in the file, or counted in the row after the gap.
    let mut expected = 0.0;
    for (time, gap) in times.iter().zip(&dropped) {
        assert_eq!(*time, expected + gap);
        expected = time + 1.0;
    }
    let gaps: Vec<f64> = dropped.iter().copied().filter(|g| *g > 0.0).collect();
    assert!(gaps.iter().sum::<f64>() >= 1000.0, "{gaps:?}");
    let log = reader.log();
    assert!(log.contains("recording fails: File too large") && log.contains("recording continues"), "{log}");
    assert_eq!(log.matches("samples were dropped before").count(), gaps.len(), "{log}");
    std::fs::remove_file(&file).unwrap();
}
