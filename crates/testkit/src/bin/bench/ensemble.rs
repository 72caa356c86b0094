//! Runs per second of an ensemble beside a loop of `interfield run`, and what two threads gain.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Bar, Bench, Row};

/// A yielding tower under a synthetic motion: 2000 steps of 2 unknowns, four channels.
const TOWER: &str = r#"
title = "tower"
dofs = ["x"]
parameters = { peak = "0.3 g" }
node = [{ name = "floor", mass = "20 t" }, { name = "roof", mass = "15 t" }]
element = [
  { type = "bouc-wen", name = "columns", nodes = ["ground", "floor"], dof = "x", k = "8 kN/mm", beta = "0.04 1/mm", gamma = "0.04 1/mm" },
  { type = "spring", name = "storey", nodes = ["floor", "roof"], dof = "x", k = "12 kN/mm" },
]
load = [{ type = "ground", direction = "x", signal = { type = "synthetic", peak = "peak" } }]
analysis = { scheme = "lsrt2", dt = "10 ms", duration = "20 s" }
record = { channels = ["roof.x", "roof.x.abs", "columns.force", "columns.deformation"] }
"#;

impl Bench {
    pub(crate) fn ensemble(&self) -> Result<Vec<Row>, String> {
        let program = program()?;
        let folder = std::env::temp_dir().join(format!("interfield-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let rows = measure(&program, &folder, if self.quick() { 40 } else { 400 });
        std::fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
        rows
    }
}

fn measure(program: &Path, folder: &Path, runs: usize) -> Result<Vec<Row>, String> {
    std::fs::write(folder.join("tower.toml"), TOWER).map_err(|e| e.to_string())?;
    let seconds = |args: &[&str]| -> Result<f64, String> {
        let mut command = Command::new(program);
        command.current_dir(folder).args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let begin = Instant::now();
        let status = command.status().map_err(|e| e.to_string())?;
        if status.success() { Ok(begin.elapsed().as_secs_f64()) } else { Err(format!("{args:?} failed")) }
    };
    let ensemble = |threads: &str| {
        let range = format!("peak=0.1 g..0.6 g:{runs}");
        let time = seconds(&["ensemble", "tower.toml", "--set", &range, "--threads", threads, "-o", threads])?;
        Ok::<f64, String>(runs as f64 / time)
    };
    let naive = || -> Result<f64, String> {
        // A loop in a shell would do the same for each value; a tenth of them is enough to know its pace.
        let some = (runs / 10).max(1);
        let begin = Instant::now();
        for i in 0..some {
            let peak = format!("peak={} g", 0.1 + 0.5 * i as f64 / some as f64);
            seconds(&["run", "tower.toml", "--set", &peak, "--output", "run.h5"])?;
        }
        Ok(some as f64 / begin.elapsed().as_secs_f64())
    };
    let (one, two, naive) = (ensemble("1")?, ensemble("2")?, naive()?);
    let row = |what: &str, ours: f64, other: f64, note: &str| Row {
        case: "ensemble",
        what: what.to_owned(),
        unit: "runs/s",
        ours,
        other: Ok(other),
        bar: Bar::None,
        note: note.to_owned(),
    };
    Ok(vec![
        row("tower, 1 thread / loop of `interfield run`", one, naive, "statistics, figures and page included"),
        row("tower, 2 threads / 1 thread", two, one, "starting and writing, on one thread, included"),
    ])
}

/// The program, built beside this one.
pub(crate) fn program() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| e.to_string())?;
    let program = here.with_file_name(format!("interfield{}", std::env::consts::EXE_SUFFIX));
    if program.exists() { Ok(program) } else { Err("build the program first: cargo build --release".to_owned()) }
}
