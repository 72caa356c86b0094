//! OpenSees as a substructure of our runs: as if it were elements of the model, and what follows when it dies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::context::{Context, Outcome};
use serde_json::Value;

use super::column_at;

/// Stiffness of the adapter, N/m: 250 000 times that of the storeys.
const ADAPTER: f64 = 1e12;

/// Linear storeys: what rounding leaves of forces that are differences of displacements times the adapter's stiffness.
const LINEAR: f64 = 1e-9;

/// Yielding storeys: what the adapter gives in a step is corrected by the stiffness at rest, which is too large by then.
const YIELDING: f64 = 1e-6;

/// The storeys, as in peers/opensees_storeys.py: stiffness, N/m, and yield force, N.
const STOREYS: [(f64, f64); 2] = [(4e6, 4e4), (3e6, 3e4)];
const HARDENING: f64 = 0.05;

/// Yielding storeys under several sequences of states: those of our elements have a memory each, and OpenSees has one, as a
/// specimen has. The run warns of it; the two then differ by what the sequences drift apart.
const MOVED_IN_TURN: f64 = 0.02;

/// What the storeys are.
#[derive(Clone, Copy, PartialEq)]
enum Storeys {
    Linear,
    Yielding,
}

/// Ways to run: name, options, and whether the storeys stand on the fine side.
const WAYS: [(&str, &[&str], bool); 7] = [
    ("pm", &[], false),
    ("gc", &["--coupling", "gc"], false),
    ("pm, storeys fine", &[], true),
    ("staggered", &["--coupling", "staggered"], false),
    ("plsrt2, storeys fine", &["--coupling", "plsrt2"], true),
    ("alpha-os", &["--whole", "--scheme", "alpha-os"], false),
    ("lsrt2", &["--whole", "--scheme", "lsrt2", "--tangent", "initial"], false),
];

/// The same model wholly ours and with its storeys in OpenSees; a script that is killed; the model of the book.
pub(crate) fn stage(context: &Context) -> Outcome {
    let python = crate::python::python(context)?;
    context.build()?;
    let folder = context.target.join("external");
    // What was recorded is never replaced: an earlier run of the stage makes way.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let bench = Bench { context, python: &python, folder };
    let mut found = Vec::new();
    for (storeys, tolerance) in [(Storeys::Linear, LINEAR), (Storeys::Yielding, YIELDING)] {
        let word = if storeys == Storeys::Linear { "linear" } else { "yielding" };
        let mut worst = 0.0;
        for way in WAYS {
            let (difference, in_turn) = bench.compare(storeys, way, "")?;
            println!("{word} storeys, {}: OpenSees differs from our elements by {difference:.1e}", way.0);
            if in_turn != (way.0 == "pm") {
                return Err(format!(
                    "{word} storeys, {}: `moved in turn` is said where it is not so, or not said",
                    way.0
                ));
            }
            let tolerance = if in_turn && storeys == Storeys::Yielding { MOVED_IN_TURN } else { tolerance };
            if difference.is_nan() || difference > tolerance {
                return Err(format!("{word} storeys, {}: OpenSees differs by {difference:.1e}", way.0));
            }
            if tolerance < MOVED_IN_TURN {
                worst = f64::max(worst, difference);
            }
        }
        found.push(format!("{word} storeys {worst:.0e}"));
    }
    let (datagrams, _) = bench.compare(Storeys::Linear, WAYS[0], "udp")?;
    if datagrams.is_nan() || datagrams > LINEAR {
        return Err(format!("over UDP OpenSees differs by {datagrams:.1e}"));
    }
    bench.killed()?;
    found.push(format!("frame {:.0} % apart at most", 100.0 * bench.frame()?));
    Ok(found.join(", "))
}

struct Bench<'a> {
    context: &'a Context,
    python: &'a Path,
    folder: PathBuf,
}

impl Bench<'_> {
    /// A run in the folder of the stage, with a `python3` that knows OpenSees.
    fn run(&self, model: &Path, options: &[&str]) -> Result<Output, String> {
        let mut run = super::interfield(self.context);
        let bin = self.python.parent().ok_or("the Python of the tests has no folder")?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
        run.env("PATH", path.map_err(|e| e.to_string())?).current_dir(&self.folder).stdin(Stdio::null());
        run.arg("run").arg(model).arg("--json").args(options);
        run.output().map_err(|e| format!("interfield cannot be started: {e}"))
    }

    /// A run to its end: what it says.
    fn finished(&self, model: &Path, options: &[&str]) -> Result<Value, String> {
        let out = self.run(model, options)?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            return Err(format!("{} {}: {}\n{said}", model.display(), options.join(" "), out.status));
        }
        serde_json::from_slice(&out.stdout).map_err(|e| format!("{}: {e}", model.display()))
    }

    /// peers/storeys.toml with its storeys.
    fn model(&self, name: &str, fine: bool, storeys: &str) -> Result<PathBuf, String> {
        let text = std::fs::read_to_string(self.context.root.join("peers/storeys.toml"))
            .map_err(|e| format!("peers/storeys.toml: {e}"))?;
        let sides = match fine {
            false => text,
            true => text
                .replace("elements = [\"storey-*\"]", "elements = [\"storey-*\"]\nsubsteps = 4")
                .replace("substeps = 4\ninterface_mass", "interface_mass"),
        };
        let path = self.folder.join(name);
        std::fs::write(&path, format!("{sides}\n{storeys}")).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }

    fn external(&self, storeys: Storeys, more: &[&str]) -> String {
        let script = self.context.root.join("peers/opensees_storeys.py").display().to_string();
        let kind = if storeys == Storeys::Linear { "linear" } else { "steel" };
        let command = [&["python3", "-B", &script, kind], more].concat();
        let datagrams = || std::net::UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr());
        let at = match more.contains(&"--udp").then(datagrams) {
            Some(Ok(free)) => format!("at = \"udp://{free}\"\n"),
            // Without a free port the run says so.
            _ => String::new(),
        };
        format!(
            "[[external]]\nname = \"storey-12\"\nprogram = \"opensees\"\ncommand = {command:?}\ndofs = [\"a.x\", \"b.x\"]\n\
             adapter_stiffness = {ADAPTER:e}\nprobe = 1e-4\n{at}"
        )
    }

    /// Largest difference of displacements, relative to the largest; whether the run warns that OpenSees is moved in turn.
    fn compare(&self, storeys: Storeys, way: (&str, &[&str], bool), transport: &str) -> Result<(f64, bool), String> {
        let (_, options, fine) = way;
        let computed = self.model("computed.toml", fine, &elements(storeys))?;
        let more: &[&str] = if transport == "udp" { &["--udp"] } else { &[] };
        let told = self.model("told.toml", fine, &self.external(storeys, more))?;
        let mut columns = Vec::new();
        let mut in_turn = false;
        for (model, out) in [(computed, "computed.csv"), (told, "told.csv")] {
            let said = self.finished(&model, &[options, &["-o", out]].concat())?;
            in_turn = said["warnings"].to_string().contains("move it in turn");
            let path = self.folder.join(out);
            let table = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let times: Vec<f64> = (0..=2000).map(|k| f64::from(k) * 0.005).collect();
            columns.push([column_at(&table, "a.x [m]", &times)?, column_at(&table, "b.x [m]", &times)?].concat());
        }
        let largest = columns[0].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let difference = columns[0].iter().zip(&columns[1]).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        // Beyond their yield displacement, or it would prove nothing.
        let moved = if storeys == Storeys::Linear { 0.0 } else { 3.0 * STOREYS[0].1 / STOREYS[0].0 };
        if largest <= moved {
            return Err(format!("the storeys moved by {largest} m only"));
        }
        Ok((difference / largest, in_turn))
    }

    /// OpenSees is killed in the middle: the run ends with a fault, and its results are there.
    fn killed(&self) -> Result<(), String> {
        let told = self.model("killed.toml", false, &self.external(Storeys::Yielding, &["--kill-after", "500"]))?;
        let out = self.run(&told, &["-o", "killed.h5"])?;
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if out.status.code() != Some(3) || !said.contains("is not available") || !said.contains("signal: 9") {
            return Err(format!("OpenSees was killed, and the run ended with {}:\n{said}", out.status));
        }
        let mut show = Command::new(self.context.interfield());
        show.arg("show").arg(self.folder.join("killed.h5")).arg("--json");
        let rows = self.context.json(show)?["rows"].as_u64().unwrap_or(0);
        if (400..500).contains(&rows) { Ok(()) } else { Err(format!("OpenSees was killed, and {rows} rows are there")) }
    }

    /// The model of the book under all couplings that it is shown with: how far the largest displacements are apart.
    fn frame(&self) -> Result<f64, String> {
        let model = self.context.root.join("docs/examples/opensees-frame.toml");
        let mut peaks = Vec::new();
        for (i, (name, options, fine)) in WAYS.into_iter().enumerate() {
            if fine {
                continue;
            }
            let out = format!("frame-{i}.h5");
            let found = self.finished(&model, &[options, &["-o", &out]].concat())?;
            let channel = found["channels"].as_array().and_then(|c| c.iter().find(|c| c["name"] == "second.x"));
            let peak = channel.and_then(|c| c["peak"].as_f64()).ok_or("the frame has no channel second.x")?.abs();
            println!("frame, {name}: the roof moves by {peak:.2} mm");
            peaks.push(peak);
        }
        let (least, most) = peaks.iter().fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), p| (l.min(*p), m.max(*p)));
        let apart = (most - least) / most;
        if apart < 0.1 { Ok(apart) } else { Err(format!("the couplings move the frame by {peaks:?} mm")) }
    }
}

/// The storeys as elements of ours.
fn elements(storeys: Storeys) -> String {
    let one = |(i, (k, fy)): (usize, (f64, f64))| {
        let nodes = [["ground", "a"], ["a", "b"]][i];
        let law = match storeys {
            Storeys::Linear => "type = \"spring\"\n".to_owned(),
            // Steel01 is bilinear with kinematic hardening: this law, moved along its path.
            Storeys::Yielding => {
                format!("type = \"mostaghel\"\nmemory = \"path\"\na = {HARDENING}\ndelta = {}\n", fy / k)
            }
        };
        format!("[[element]]\nname = \"storey-{}\"\nnodes = {nodes:?}\ndof = \"x\"\nk = {k:e}\n{law}", i + 1)
    };
    STOREYS.into_iter().enumerate().map(one).collect()
}
