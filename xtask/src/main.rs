//! Developer commands. `cargo xtask test` is what CI runs, at home and on the server alike; `cargo xtask
//! bench` measures against OpenSees and cyclictest, `cargo xtask hunt` looks for answers that are silently wrong.
//! `cargo xtask help` lists the stages.
//!
//! **Must not be here:** a dependency other than `serde_json` (it has to compile in seconds), or a stage that
//! passes because a tool is missing: what cannot run has failed, and says what to install.

mod book;
mod console;
mod context;
mod debian;
mod export;
mod fmi;
mod hunt;
mod licences;
mod mpi;
mod network;
mod no_std;
mod opensees;
mod package;
mod python;
mod report;
mod results;
mod source;
mod tidy;
mod unit;
mod words;

use context::{Context, Outcome};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// A named part of `cargo xtask test`. The result says in a line what was found, or why it failed.
struct Stage {
    name: &'static str,
    about: &'static str,
    run: fn(&Context) -> Outcome,
}

/// In the order in which they run.
const STAGES: &[Stage] = &[
    Stage { name: "format", about: "rustfmt leaves every file as it is", run: format },
    Stage { name: "lints", about: "clippy without a warning", run: lints },
    Stage { name: "docs", about: "rustdoc without a warning", run: docs },
    Stage { name: "tidy", about: "architecture rules: dependency arrows, headers, forbidden words", run: tidy::stage },
    Stage { name: "licences", about: "every dependency is permissive, from crates.io, locked", run: licences::stage },
    Stage { name: "no_std", about: "a program without the standard library runs the kernel", run: no_std::stage },
    Stage { name: "unit", about: "every unit, integration and documentation test", run: unit::stage },
    Stage { name: "mpi", about: "runs of several processes equal those of one, and end together", run: mpi::stage },
    Stage { name: "network", about: "EtherCAT, and several hosts, in networks of their own", run: network::stage },
    Stage {
        name: "book",
        about: "the book builds: links, anchors, equations, pictures, what is generated",
        run: book::stage,
    },
    Stage { name: "opensees", about: "frames and the viaduct agree with OpenSees", run: opensees::stage },
    Stage {
        name: "peers",
        about: "OpenSees moves specimens that we serve, as if they were its own",
        run: opensees::served::stage,
    },
    Stage {
        name: "external",
        about: "OpenSees computes a substructure of ours as our elements do, and dies without harm",
        run: opensees::external::stage,
    },
    Stage { name: "hunt", about: "random models by scipy: no answer is silently wrong", run: hunt::stage },
    Stage { name: "fmi", about: "our units in FMPy, a reference unit here", run: fmi::stage },
    Stage { name: "results", about: "result files open in h5py and scipy, also after a kill", run: results::stage },
    Stage {
        name: "python",
        about: "the Python package, its notebooks and stubs, the C library, MATLAB functions in Octave",
        run: package::stage,
    },
    Stage { name: "export", about: "generated C: clang, sanitizers, instructions of a step", run: export::stage },
    Stage { name: "console", about: "tests commanded from the console, in Chromium", run: console::stage },
    Stage { name: "report", about: "the page of ten million samples opens and pans in Chromium", run: report::stage },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((command, names)) if command == "test" => test(names),
        Some((command, rest)) if command == "bench" => bench(rest),
        Some((command, rest)) if command == "hunt" => hunt::command(rest),
        Some((command, _)) if ["help", "--help", "-h"].contains(&command.as_str()) => {
            print!("{}", usage());
            Ok(true)
        }
        Some((command, _)) => Err(format!("there is no command `{command}`\n\n{}", usage())),
        None => Err(usage()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> String {
    let mut text = String::from(
        "cargo xtask test [STAGE...]  run all stages, or those named\n\
         cargo xtask bench [ARG...]   run the benchmarks; arguments go to the `bench` program\n\
         cargo xtask bench console    a loop beside viewers, and in Chromium; with --flood: ten minutes of hostile clients\n\
         cargo xtask bench mpi        weak scaling of a run on 1, 2 and 4 ranks of this machine\n\
         cargo xtask bench python     what Python costs: a run, a step, a law\n",
    );
    text += hunt::USAGE;
    text += "\nstages:\n";
    for s in STAGES {
        text += &format!("  {:9} {}\n", s.name, s.about);
    }
    text
}

/// Runs the stages named, or all, each to its end whatever became of the ones before.
fn test(names: &[String]) -> Result<bool, String> {
    if let Some(name) = names.iter().find(|n| STAGES.iter().all(|s| s.name != n.as_str())) {
        return Err(format!("there is no stage `{name}`\n\n{}", usage()));
    }
    let context = Context::new()?;
    let mut report: Vec<(&str, Duration, Outcome)> = Vec::new();
    for stage in STAGES.iter().filter(|s| names.is_empty() || names.iter().any(|n| n == s.name)) {
        println!("\n==== {}: {}", stage.name, stage.about);
        let start = Instant::now();
        let outcome = (stage.run)(&context);
        report.push((stage.name, start.elapsed(), outcome));
        let (name, time, outcome) = report.last().expect("just pushed");
        println!("{}", line(name, *time, outcome));
    }
    println!("\n==== summary");
    for (name, time, outcome) in &report {
        println!("{}", line(name, *time, outcome));
    }
    let failed: Vec<&str> = report.iter().filter(|r| r.2.is_err()).map(|r| r.0).collect();
    let total: Duration = report.iter().map(|r| r.1).sum();
    if failed.is_empty() {
        println!("all {} stages passed in {:.1} s", report.len(), total.as_secs_f64());
    } else {
        println!("{} of {} stages FAILED in {:.1} s", failed.len(), report.len(), total.as_secs_f64());
        println!("again: cargo xtask test {}", failed.join(" "));
    }
    Ok(failed.is_empty())
}

/// One line of the report; further lines of a failure are indented under it.
fn line(name: &str, time: Duration, outcome: &Outcome) -> String {
    let (word, text) = match outcome {
        Ok(text) => ("ok", text),
        Err(text) => ("FAILED", text),
    };
    format!("{name:9} {word:6} {:6.1} s  {}", time.as_secs_f64(), text.replace('\n', "\n        "))
}

fn format(context: &Context) -> Outcome {
    let advice = "run `cargo fmt --all`";
    let all = context.run(context.cargo(["fmt", "--all", "--check"])).map_err(|e| format!("{e}; {advice}"));
    let apart = context
        .run(context.cargo(["fmt", "--check", "--manifest-path", no_std::MANIFEST]))
        .map_err(|e| format!("{e}; run `cargo fmt --manifest-path {}`", no_std::MANIFEST));
    let python = context
        .run(context.cargo(["fmt", "--check", "--manifest-path", package::MANIFEST]))
        .map_err(|e| format!("{e}; run `cargo fmt --manifest-path {}`", package::MANIFEST));
    all.and(apart).and(python)?;
    Ok(String::new())
}

fn lints(context: &Context) -> Outcome {
    let all =
        context.run(context.cargo(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]));
    // Not among all targets, because cargo alone must not run it.
    let network = context.run(context.cargo([
        "clippy",
        "--workspace",
        "--test",
        "network",
        "--features",
        network::FEATURE,
        "--locked",
        "--",
        "-D",
        "warnings",
    ]));
    let mut apart = context.cargo(["clippy", "--locked", "--manifest-path", no_std::MANIFEST, "--target-dir"]);
    apart.arg(no_std::target(context)).args(["--", "-D", "warnings"]);
    let apart = context.run(apart);
    let mut python = context.cargo(["clippy", "--locked", "--manifest-path", package::MANIFEST, "--target-dir"]);
    python.arg(&context.target).args(["--", "-D", "warnings"]);
    let python = context.run(python);
    all.and(network).and(apart).and(python)?;
    Ok(String::new())
}

fn docs(context: &Context) -> Outcome {
    let mut command = context.cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    context.run(command)?;
    Ok(String::new())
}

/// The peer of large matrices, a program of its own: parts of CHOLMOD are under the GPL and never linked with ours.
fn cholmod(context: &Context) -> Result<std::path::PathBuf, String> {
    let program = context.target.join("cholmod-peer");
    let compile = || {
        let mut compiler = Command::new("cc");
        compiler.arg("-O2").arg("-I/usr/include/suitesparse").arg(context.root.join("peers/cholmod.c"));
        compiler.args(["-lcholmod", "-lopenblas", "-lm", "-o"]).arg(&program);
        compiler
    };
    if !context.succeeds(compile()) {
        debian::install(context, &["gcc", "libc6-dev", "libsuitesparse-dev", "libopenblas-dev"])?;
        context.run(compile())?;
    }
    Ok(program)
}

/// Builds and launches the benchmark program with the peers ready.
fn bench(args: &[String]) -> Result<bool, String> {
    let context = Context::new()?;
    if args.iter().any(|a| a == "--flood") {
        return console::bench(&context, args).map(|()| true);
    }
    if args.first().is_some_and(|a| a == "python") {
        return package::bench(&context).map(|()| true);
    }
    if args.first().is_some_and(|a| a == "mpi") {
        return mpi::bench(&context).map(|()| true);
    }
    let python = python::python(&context)?;
    let mut cyclictest = Command::new("cyclictest");
    cyclictest.arg("--help");
    // The peer of the real-time loop; without it our numbers are shown alone.
    if !context.succeeds(cyclictest)
        && let Err(reason) = debian::install(&context, &["rt-tests"])
    {
        println!("no cyclictest to compare with: {reason}");
    }
    context.run(context.cargo(["build", "--release", "--locked", "-p", "interfield-cli"]))?;
    context.run(context.cargo(["build", "--release", "--locked", "-p", "interfield-testkit", "--bin", "bench"]))?;
    let mut command = Command::new(context.target.join("release/bench"));
    if args.is_empty() || args.iter().any(|a| a == "large") {
        match cholmod(&context) {
            Ok(program) => drop(command.env("INTERFIELD_CHOLMOD", program)),
            Err(reason) => println!("no CHOLMOD to compare with: {reason}"),
        }
    }
    command.args(args).env("INTERFIELD_PYTHON", python).env("INTERFIELD_PEERS", context.root.join("peers"));
    context.run(command)?;
    if args.is_empty() || args.iter().any(|a| a == "console") {
        console::bench(&context, args)?;
    }
    Ok(true)
}
