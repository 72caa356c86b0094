//! Whether other programs read what this crate writes: h5py, scipy and numpy, and Octave where it is installed.
//!
//! Run through `cargo xtask test results`, which sets `INTERFIELD_PYTHON` to a Python that has the three packages.
//! Writes whole files, fifty files of runs killed at random moments, and the exports; `python_check.py` reads them.

use interfield_results::{ChannelInfo, Meta, Reader, Setting, Writer, WriterOptions, export};
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let result = match arguments.get(1..) {
        Some([role, file]) if role == "child" => child(Path::new(file)),
        _ => check(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("python_check: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), Box<dyn Error>> {
    let python = std::env::var("INTERFIELD_PYTHON")
        .map_err(|_| "INTERFIELD_PYTHON names no Python: run through `cargo xtask test`")?;
    let folder = std::env::temp_dir().join(format!("interfield-python-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = write(&folder).and_then(|()| read(&python, &folder));
    if std::env::var_os("INTERFIELD_KEEP").is_none() {
        std::fs::remove_dir_all(&folder)?;
    }
    result
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    for (rows, block_rows) in [(0, 1024), (1, 1024), (100_000, 1024), (1025, 16), (65_537, 16), (4_300_000, 16)] {
        whole(&folder.join(format!("whole-{rows}-{block_rows}.h5")), rows, block_rows)?;
    }
    let reader = Reader::open(&folder.join("whole-100000-1024.h5"))?;
    export::mat5(&reader, &folder.join("export.mat"))?;
    export::csv_file(&reader, &folder.join("export.csv"))?;

    let channels: Vec<ChannelInfo> = (0..300).map(|c| ChannelInfo::new(&format!("c{c}"), "", "", "")).collect();
    let mut writer = Writer::create(&folder.join("wide.h5"), &Meta::default(), &channels, WriterOptions::default())?;
    for i in 0..5000 {
        let row: Vec<f64> = (0..300).map(|c| f64::from(i + c)).collect();
        writer.push(f64::from(i), &row);
    }
    writer.finish("finished")?;

    let mut state = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64;
    for kill in 0..50 {
        let file = folder.join(format!("killed-{kill}.h5"));
        let mut run = Command::new(std::env::current_exe()?).arg("child").arg(&file).spawn()?;
        let begin = Instant::now();
        while !file.exists() {
            if begin.elapsed() > Duration::from_secs(30) {
                return Err("the run to be killed does not begin".into());
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((state >> 33) % 100_000));
        run.kill()?;
        run.wait()?;
    }
    Ok(())
}

fn whole(path: &Path, rows: u64, block_rows: usize) -> Result<(), Box<dyn Error>> {
    let meta = Meta {
        title: "Rahmen – drei Geschosse".into(),
        program: "interfield".into(),
        version: "0.1.0".into(),
        created: interfield_results::now_iso8601(),
        model_text: "[frame] # ü\nstoreys = 3\n".repeat(500),
        settings: vec![
            ("dt".into(), Setting::Number(1.0 / 1024.0, "s".into())),
            ("steps".into(), Setting::Count(rows)),
            ("Dämpfung".into(), "2 % – modal".into()),
            ("nothing".into(), "".into()),
        ],
    };
    let channels = [
        ChannelInfo::new("roof.ux", "m", "displacement", "drift of the roof"),
        ChannelInfo::new("Kraft ü", "kN", "force", ""),
    ];
    let options = WriterOptions { block_rows, ring_blocks: 4096, ..WriterOptions::default() };
    let mut writer = Writer::create(path, &meta, &channels, options)?;
    writer.log("begin");
    for i in 0..rows {
        let x = i as f64;
        writer.push(x / 1024.0, &[x * 0.5, if i % 7 == 0 { f64::NAN } else { -x * x }]);
        if i < 2000 {
            // More than the area kept for the log.
            writer.log("a line of the log that is long enough to fill the area kept for it");
        }
    }
    writer.log("end");
    writer.finish("finished")?;
    Ok(())
}

/// A run that is killed. Small blocks, so that the index grows all the time.
fn child(path: &Path) -> Result<(), Box<dyn Error>> {
    let channels: Vec<ChannelInfo> = (0..20).map(|c| ChannelInfo::new(&format!("c{c}"), "", "", "")).collect();
    let options = WriterOptions { block_rows: 16, flush: Duration::from_millis(1), ..WriterOptions::default() };
    let mut writer = Writer::create(path, &Meta::default(), &channels, options)?;
    let mut i = 0.0;
    loop {
        writer.push(i, &[i * 0.25; 20]);
        i += 1.0;
    }
}

fn read(python: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/python_check.py");
    if !Command::new(python).arg(script).arg(folder).status()?.success() {
        return Err("Python does not read the files".into());
    }
    let installed = Command::new("octave-cli").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) {
        println!("octave-cli is not installed: not tried");
        return Ok(());
    }
    // Octave loads the result file itself as HDF5, and the export as a MATLAB file; it sorts channels by name.
    let program = format!(
        "cd('{}');\
         r = load('whole-100000-1024.h5'); i = (0:99999)';\
         roof = @(r) r.channels.(fieldnames(r.channels){{strncmp(fieldnames(r.channels), 'roof', 4)}})(:);\
         other = @(r) r.channels.(fieldnames(r.channels){{!strncmp(fieldnames(r.channels), 'roof', 4)}})(:);\
         assert(isequal(r.time(:), i/1024)); assert(isequal(roof(r), i*0.5));\
         assert(isequal(roof(load('whole-4300000-16.h5')), (0:4299999)'*0.5));\
         f = other(r); assert(isnan(f(1)) && f(2) == -1 && f(end) == -99999^2);\
         m = load('export.mat'); assert(isequal(m.time, i/1024)); assert(isequal(m.roof_ux, i*0.5));\
         assert(strcmp(m.units.Kraft__, 'kN')); assert(strcmp(m.info.outcome, 'finished'));\
         printf('octave %s: the result file and the MATLAB 5 file are equal\\n', version());",
        folder.display()
    );
    if !Command::new("octave-cli").args(["--no-gui", "--norc", "--eval", &program]).status()?.success() {
        return Err("Octave does not read the files".into());
    }
    Ok(())
}
