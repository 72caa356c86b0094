//! Measures the performance bars and reports them; a bar that is not met says `short`, it is not an error.
//!
//! usage: `bench [CASE...] [--json] [--quick]`. The peer of the real-time loop is `cyclictest`, that of the rest OpenSees, through the Python named by `INTERFIELD_PYTHON` and
//! the scripts in the folder `INTERFIELD_PEERS`, and for large matrices CHOLMOD, by the program `INTERFIELD_CHOLMOD`; `cargo xtask bench` sets them. Run on one quiet core for steady numbers
//! (`taskset -c 1`).

mod console;
mod couplings;
mod ensemble;
mod export;
mod frames;
mod guard;
mod large;
mod million;
mod realtime;
mod serve;
mod updating;
mod viaduct;
#[cfg(unix)]
mod wires;

use std::process::{Command, ExitCode};
use std::time::Instant;

use interfield_language::Model;
use interfield_structure::Simulation;
use interfield_testkit::alloc::CountingAllocator;
use interfield_testkit::frames::{Run, Springs, chain, plane_frame, record_some, space_frame};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Solvers of OpenSees that are tried; the fastest is the peer.
const SYSTEMS: &[&str] = &["BandGeneral", "BandSPD", "ProfileSPD", "UmfPack", "SuperLU"];

const NO_PEER: &str = "peer not available (run through cargo xtask bench)";

type Case = fn(&Bench) -> Result<Vec<Row>, String>;

const CASES: &[(&str, Case)] = &[
    ("frame-120", |b| b.frame("frame-120", 3, 10, 20_000, 10.0)),
    ("frame-3150", |b| b.frame("frame-3150", 20, 50, 2_000, 8.0)),
    ("chain-100", Bench::chain),
    ("frame-10080", Bench::large_frame),
    ("space-5000", Bench::large_space_frame),
    ("large", Bench::large),
    ("million", Bench::million),
    ("formula", Bench::formula),
    ("recording", Bench::recording),
    ("watch", Bench::watch),
    ("couplings", Bench::couplings),
    ("threads", Bench::threads),
    ("passivity", Bench::passivity),
    ("ensemble", Bench::ensemble),
    ("export", Bench::export),
    #[cfg(unix)]
    ("wires", Bench::wires),
    ("serve", Bench::serve),
    ("console", Bench::console),
    // Last: they lock all memory of the program.
    ("updating", Bench::updating),
    ("frames", Bench::frames),
    ("guard", Bench::guard),
    ("realtime", Bench::realtime),
    ("viaduct-1kHz", Bench::viaduct),
];

/// What is asked of a row.
pub(crate) enum Bar {
    /// Ratio of ours to the other at least this.
    Faster(f64),
    /// The same, and an error not larger than the peer's (by more than 1 %); the flag says whether that holds.
    FasterAsExact(f64, bool),
    /// Our number below this.
    Below(f64),
    /// Ratio at most this.
    RatioBelow(f64),
    /// Nothing: for information.
    None,
}

/// One measured number against another, or against a bar.
pub(crate) struct Row {
    case: &'static str,
    what: String,
    unit: &'static str,
    ours: f64,
    /// The other number: of OpenSees, or of ourselves without the thing measured. `Err` says why there is none.
    other: Result<f64, String>,
    bar: Bar,
    note: String,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.other.as_ref().ok().map(|other| self.ours / other)
    }

    fn verdict(&self) -> &'static str {
        let say = |met: bool| if met { "ok" } else { "short" };
        match (&self.bar, self.ratio()) {
            (Bar::None, _) => "",
            (Bar::Below(limit), _) => say(self.ours < *limit),
            (Bar::Faster(factor), Some(ratio)) => say(ratio >= *factor),
            (Bar::FasterAsExact(factor, exact), Some(ratio)) => say(ratio >= *factor && *exact),
            (Bar::RatioBelow(factor), Some(ratio)) => say(ratio <= *factor),
            (Bar::Faster(_) | Bar::FasterAsExact(..) | Bar::RatioBelow(_), None) => "not measured",
        }
    }

    fn claim(&self) -> String {
        match self.bar {
            Bar::Faster(factor) => format!("ratio >= {factor}"),
            Bar::FasterAsExact(factor, _) => format!("ratio >= {factor}, error no larger"),
            Bar::RatioBelow(factor) => format!("ratio <= {factor}"),
            Bar::Below(limit) => format!("< {} {}", number(limit), self.unit),
            Bar::None => String::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "case": self.case, "what": self.what, "unit": self.unit, "ours": self.ours,
            "other": self.other.as_ref().ok(), "other_missing": self.other.as_ref().err(), "ratio": self.ratio(),
            "claim": self.claim(), "verdict": self.verdict(), "note": self.note,
        })
    }
}

/// Settings of all cases.
pub(crate) struct Bench {
    quick: bool,
    /// Python and the folder of the scripts.
    peer: Option<(String, String)>,
}

impl Bench {
    pub(crate) fn quick(&self) -> bool {
        self.quick
    }

    pub(crate) fn steps(&self, full: usize) -> usize {
        if self.quick { full / 10 } else { full }
    }

    /// What OpenSees says of a frame or a chain.
    fn peer(&self, args: &[String]) -> Result<Value, String> {
        self.script("opensees_frames.py", args)
    }

    /// One JSON line of a peer script.
    pub(crate) fn script(&self, name: &str, args: &[String]) -> Result<Value, String> {
        let (python, folder) = self.peer.as_ref().ok_or(NO_PEER)?;
        let mut command = Command::new(python);
        command.arg("-B").arg(format!("{folder}/{name}")).args(args).env("OMP_NUM_THREADS", "1");
        let output = command.output().map_err(|e| format!("{python}: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find(|l| l.starts_with('{'));
        match line.and_then(|l| serde_json::from_str::<Value>(l).ok()) {
            Some(value) if value["ok"] == 0 => Ok(value),
            _ => Err(format!("OpenSees failed on {args:?}")),
        }
    }

    /// Linear plane frame by Newmark, steps per second of both and agreement of the end.
    fn frame(
        &self,
        case: &'static str,
        bays: usize,
        storeys: usize,
        steps: usize,
        factor: f64,
    ) -> Result<Vec<Row>, String> {
        let steps = self.steps(steps);
        // The peer takes one step that factorises before those that are timed.
        let model = plane_frame(bays, storeys, Run { scheme: "newmark", dt: 0.01, steps: steps + 1 });
        let top = 3 * (bays + 1) * (storeys - 1);
        let mut seconds = Vec::new();
        let mut ours = 0.0;
        for _ in 0..if self.quick { 3 } else { 7 } {
            let (time, history) = timed(&model, steps, steps, top)?;
            seconds.push(time);
            ours = *history.last().ok_or("no steps were taken")?;
        }
        let args = |system: &str| {
            let words =
                ["frame".to_owned(), bays.to_string(), storeys.to_string(), steps.to_string(), system.to_owned()];
            self.peer(&words).and_then(|v| Ok((real(&v, "seconds")?, real(&v, "top")?)))
        };
        let mut tried = Vec::new();
        let mut fastest: Option<(f64, &str)> = None;
        let mut failure = NO_PEER.to_owned();
        let mut note = String::new();
        for system in SYSTEMS {
            match args(system) {
                Ok((time, end)) => {
                    tried.push(format!("{system} {:.0}/s", steps as f64 / time));
                    if fastest.is_none_or(|(best, _)| time < best) {
                        fastest = Some((time, system));
                        note = format!("end agrees to {:.0e}", ((ours - end) / end).abs());
                    }
                }
                Err(e) => failure = e,
            }
        }
        let other = match fastest {
            None => Err(failure),
            Some((first, system)) => {
                let mut times = vec![first];
                for _ in 0..2 {
                    times.push(args(system)?.0);
                }
                note = format!("OpenSees {system}; {note}; tried {}", tried.join(", "));
                Ok(steps as f64 / median(&mut times))
            }
        };
        let ours = steps as f64 / median(&mut seconds);
        Ok(vec![Row { case, what: "newmark".into(), unit: "steps/s", ours, other, bar: Bar::Faster(factor), note }])
    }

    /// Bouc-Wen chain: speed and error against a fine reference.
    fn chain(&self) -> Result<Vec<Row>, String> {
        let (case, storeys, dt, every) = ("chain-100", 100, 0.001, 50);
        let steps = self.steps(10_000);
        let samples = steps + 1;
        let build = |scheme, dt, steps| chain(storeys, Springs::BuiltIn, Run { scheme, dt, steps }, 0.001, steps + 3);
        let fine = 32;
        let reference = |scheme| -> Result<Vec<f64>, String> {
            let mut simulation = start(build(scheme, dt / fine as f64, fine * samples))?;
            let mut history = Vec::new();
            for k in 0..samples * fine {
                advance(&mut simulation, k)?;
                let done = (k + 1) / fine;
                if (k + 1) % fine == 0 && done > 1 && ((done - 1).is_multiple_of(every) || done == samples) {
                    history.push(simulation.y(0)[storeys - 1]);
                }
            }
            Ok(history)
        };
        let exact = reference("rosenbrock3")?;
        let check = reference("newmark-newton")?;
        let largest = exact.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = |history: &[f64]| -> Errors {
            let gap = |(a, b): (&f64, &f64)| (a - b).abs() / largest;
            Errors {
                end: exact.last().zip(history.last()).map_or(f64::NAN, gap),
                largest: exact.iter().zip(history).map(gap).fold(0.0, f64::max),
            }
        };
        let peer = self.peer(&["chain".to_owned(), storeys.to_string(), steps.to_string()]);
        let peer = peer.and_then(|v| {
            let history: Option<Vec<f64>> =
                v["history"].as_array().map(|h| h.iter().filter_map(Value::as_f64).collect());
            Ok((steps as f64 / real(&v, "seconds")?, error(&history.ok_or("the peer gave no history")?)))
        });
        let uncertainty = error(&check);
        let mut rows = Vec::new();
        for scheme in ["newmark", "caam", "lsrt2"] {
            let model = build(scheme, dt, steps + 1);
            let mut seconds = Vec::new();
            let mut errors = Errors { end: 0.0, largest: 0.0 };
            for _ in 0..if self.quick { 3 } else { 5 } {
                let (time, history) = timed(&model, steps, every, storeys - 1)?;
                seconds.push(time);
                errors = error(&history);
            }
            let mut note = format!("error {errors}");
            let mut exact = true;
            if let Ok((_, theirs)) = &peer {
                exact = errors.end <= 1.01 * theirs.end && errors.largest <= 1.01 * theirs.largest;
                note += &format!(", OpenSees {theirs}");
            }
            let ours = steps as f64 / median(&mut seconds);
            let other = peer.as_ref().map(|p| p.0).map_err(Clone::clone);
            let bar = if scheme == "newmark" { Bar::FasterAsExact(20.0, exact) } else { Bar::None };
            rows.push(Row { case, what: scheme.into(), unit: "steps/s", ours, other, bar, note });
        }
        if let Some(row) = rows.first_mut() {
            row.note += &format!("; the reference is sure to {uncertainty}");
        }
        Ok(rows)
    }

    /// Time per step of a frame of 10,080 unknowns.
    fn large_frame(&self) -> Result<Vec<Row>, String> {
        let case = "frame-10080";
        let mut rows = Vec::new();
        for (scheme, limit) in [("newmark", 1.0), ("lsrt2", 2.0)] {
            let steps = self.steps(3000);
            rows.push(per_step(case, scheme, plane_frame(13, 240, Run { scheme, dt: 0.01, steps }), steps, limit)?);
        }
        Ok(rows)
    }

    /// Time per step of a space frame of 4,998 unknowns.
    fn large_space_frame(&self) -> Result<Vec<Row>, String> {
        let steps = self.steps(3000);
        let model = space_frame(6, 17, Run { scheme: "newmark", dt: 0.01, steps });
        Ok(vec![per_step("space-5000", "newmark", model, steps, 1.0)?])
    }

    /// The same law built in and as a formula.
    fn formula(&self) -> Result<Vec<Row>, String> {
        let steps = self.steps(20_000);
        let mut rows = Vec::new();
        for scheme in ["newmark", "lsrt2"] {
            let run = Run { scheme, dt: 0.001, steps: steps + 1 };
            let model = |springs| chain(100, springs, run, 0.001, steps + 3);
            let (built_in, formula) = (model(Springs::BuiltIn), model(Springs::Formula));
            let [ours, other] =
                alternate(5, || Ok([timed(&formula, steps, steps, 99)?.0, timed(&built_in, steps, steps, 99)?.0]))?
                    .map(|seconds| 1e6 * seconds / steps as f64);
            let what = format!("{scheme}, Bouc-Wen chain of 100 as formula / built in");
            let (other, bar, note) = (Ok(other), Bar::RatioBelow(2.0), String::new());
            rows.push(Row { case: "formula", what, unit: "us/step", ours, other, bar, note });
        }
        Ok(rows)
    }

    /// A run with 20 channels read at every step, and without.
    fn recording(&self) -> Result<Vec<Row>, String> {
        let steps = self.steps(50_000);
        let mut rows = Vec::new();
        for scheme in ["newmark", "lsrt2"] {
            let plain = plane_frame(3, 10, Run { scheme, dt: 0.01, steps: steps + 1 });
            let mut recorded = plain.clone();
            record_some(&mut recorded, 20);
            let sampled = || -> Result<f64, String> {
                let mut simulation = start(recorded.clone())?;
                let mut out = vec![0.0; simulation.channels().len()];
                let begin = Instant::now();
                for k in 0..steps {
                    advance(&mut simulation, k)?;
                    simulation.sample(k as u64 + 1, &mut out).map_err(|f| simulation.explain(f))?;
                }
                std::hint::black_box(&out);
                Ok(begin.elapsed().as_secs_f64())
            };
            let [ours, other] = alternate(5, || Ok([sampled()?, timed(&plain, steps, steps, 0)?.0]))?
                .map(|seconds| 1e6 * seconds / steps as f64);
            let what = format!("{scheme}, frame of 120 with 20 channels / without");
            let note = "half displacements, half absolute accelerations".into();
            let (other, bar) = (Ok(other), if scheme == "newmark" { Bar::RatioBelow(1.1) } else { Bar::None });
            rows.push(Row { case: "recording", what, unit: "us/step", ours, other, bar, note });
        }
        Ok(rows)
    }
}

impl Bench {
    /// A run with the watch over it, and without.
    fn watch(&self) -> Result<Vec<Row>, String> {
        let steps = self.steps(50_000);
        let mut rows = Vec::new();
        for scheme in ["newmark", "lsrt2"] {
            let model = plane_frame(3, 10, Run { scheme, dt: 0.01, steps: steps + 1 });
            let watched = || -> Result<f64, String> {
                let mut simulation = start(model.clone())?;
                simulation.watch().map_err(|f| simulation.explain(f))?;
                let begin = Instant::now();
                for k in 0..steps {
                    advance(&mut simulation, k)?;
                }
                std::hint::black_box(simulation.verdict());
                Ok(begin.elapsed().as_secs_f64())
            };
            let [ours, other] = alternate(9, || Ok([watched()?, timed(&model, steps, steps, 0)?.0]))?
                .map(|seconds| 1e6 * seconds / steps as f64);
            let what = format!("{scheme}, frame of 120 with the watch / without");
            let (other, bar, note) = (Ok(other), Bar::RatioBelow(1.02), String::new());
            rows.push(Row { case: "watch", what, unit: "us/step", ours, other, bar, note });
        }
        Ok(rows)
    }
}

/// Differences of a history from the reference, relative to the largest displacement.
pub(crate) struct Errors {
    pub(crate) end: f64,
    pub(crate) largest: f64,
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1e} at the end, {:.1e} at most", self.end, self.largest)
    }
}

pub(crate) fn start(model: Model) -> Result<Simulation, String> {
    Simulation::new(model).map_err(|p| p.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("; "))
}

pub(crate) fn advance(simulation: &mut Simulation, k: usize) -> Result<(), String> {
    simulation.step(k as u64).map_err(|fault| simulation.explain(fault))
}

/// Seconds of `steps` steps after a first one, and unknown `top` every so many of them (and at the end).
pub(crate) fn timed(model: &Model, steps: usize, every: usize, top: usize) -> Result<(f64, Vec<f64>), String> {
    let mut simulation = start(model.clone().in_one_piece())?;
    let mut history = Vec::with_capacity(steps / every + 1);
    advance(&mut simulation, 0)?;
    let begin = Instant::now();
    for k in 1..=steps {
        advance(&mut simulation, k)?;
        if k.is_multiple_of(every) || k == steps {
            history.push(simulation.y(0)[top]);
        }
    }
    Ok((begin.elapsed().as_secs_f64(), history))
}

/// Median of two times measured in turns, so that disturbances hit both.
pub(crate) fn alternate(times: usize, measure: impl FnMut() -> Result<[f64; 2], String>) -> Result<[f64; 2], String> {
    Ok(in_turns(times, measure)?.map(|mut list| median(&mut list)))
}

/// Smallest of two times measured in turns: what neighbours on the processor's caches and clock have not disturbed.
pub(crate) fn undisturbed(times: usize, measure: impl FnMut() -> Result<[f64; 2], String>) -> Result<[f64; 2], String> {
    Ok(in_turns(times, measure)?.map(|list| list.into_iter().fold(f64::INFINITY, f64::min)))
}

fn in_turns(times: usize, mut measure: impl FnMut() -> Result<[f64; 2], String>) -> Result<[Vec<f64>; 2], String> {
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..times {
        let pair = measure()?;
        all.iter_mut().zip(pair).for_each(|(list, x)| list.push(x));
    }
    Ok(all)
}

/// Median time per step against a limit in ms, with the slowest steps.
fn per_step(case: &'static str, scheme: &str, model: Model, steps: usize, limit: f64) -> Result<Row, String> {
    let mut simulation = start(model)?;
    let mut times = Vec::with_capacity(steps);
    for k in 0..steps {
        let begin = Instant::now();
        advance(&mut simulation, k)?;
        times.push(1e3 * begin.elapsed().as_secs_f64());
    }
    let solver = simulation.solver(0).map(|s| s.to_string()).unwrap_or_default();
    let ours = median(&mut times);
    let note = format!(
        "99 %: {} ms, slowest: {} ms; {solver}",
        number(times[times.len() * 99 / 100]),
        number(*times.last().ok_or("no steps were taken")?)
    );
    let (other, bar) = (Err(String::new()), Bar::Below(limit));
    Ok(Row { case, what: format!("{scheme}, median"), unit: "ms/step", ours, other, bar, note })
}

/// Median; sorts the list.
pub(crate) fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn real(value: &Value, name: &str) -> Result<f64, String> {
    value[name].as_f64().ok_or_else(|| format!("the peer did not say `{name}`"))
}

/// Three digits, or whole numbers above a hundred.
fn number(x: f64) -> String {
    match x {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}

/// Name of the processor, from the system.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|x| x.1.trim().to_owned()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores seen, {}", model.unwrap_or_else(|| "unknown processor".into()), std::env::consts::ARCH)
}

fn print(rows: &[Row]) {
    let heads = ["case", "measured", "claim", "ours", "other", "ratio", "verdict"];
    let cells: Vec<[String; 7]> = rows
        .iter()
        .map(|r| {
            [
                r.case.to_owned(),
                r.what.clone(),
                r.claim(),
                format!("{} {}", number(r.ours), r.unit),
                r.other.as_ref().map_or(String::new(), |x| number(*x)),
                r.ratio().map_or(String::new(), |x| format!("{x:.2}")),
                r.verdict().to_owned(),
            ]
        })
        .collect();
    let mut widths = heads.map(str::len);
    for row in &cells {
        widths.iter_mut().zip(row).for_each(|(w, cell)| *w = (*w).max(cell.chars().count()));
    }
    let line = |row: &[String]| {
        let padded: Vec<String> = row.iter().zip(widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
        println!("{}", padded.join("  ").trim_end());
    };
    line(&heads.map(str::to_owned));
    for (row, cells) in rows.iter().zip(&cells) {
        line(cells);
        let missing = row.other.as_ref().err().filter(|m| !m.is_empty());
        for note in missing.into_iter().chain(Some(&row.note).filter(|n| !n.is_empty())) {
            println!("    {note}");
        }
    }
}

fn run() -> Result<(), String> {
    let (mut names, mut as_json, mut quick) = (Vec::new(), false, false);
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--json" => as_json = true,
            "--quick" => quick = true,
            name if CASES.iter().any(|c| c.0 == name) => names.push(arg),
            other => {
                let known: Vec<&str> = CASES.iter().map(|c| c.0).collect();
                return Err(format!(
                    "unknown `{other}`; usage: bench [CASE...] [--json] [--quick]; cases: {}",
                    known.join(", ")
                ));
            }
        }
    }
    let peer = std::env::var("INTERFIELD_PYTHON").ok().zip(std::env::var("INTERFIELD_PEERS").ok());
    let bench = Bench { quick, peer };
    let mut rows = Vec::new();
    for (name, case) in CASES {
        if names.is_empty() || names.iter().any(|n| n == name) {
            eprintln!("{name} ...");
            rows.extend(case(&bench).map_err(|e| format!("{name}: {e}"))?);
        }
    }
    if as_json {
        let rows: Vec<Value> = rows.iter().map(Row::json).collect();
        println!("{}", json!({ "processor": processor(), "quick": quick, "rows": rows }));
    } else {
        println!("{}\n", processor());
        print(&rows);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}
