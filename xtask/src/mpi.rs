//! Runs of several processes, started by the `mpirun` of OpenMPI: bit for bit the run of one, whatever is coupled how; and what becomes of
//! them when a rank dies, or runs something else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::context::{Context, Outcome};
use crate::debian::install;

/// Couplings that claim the same bits on several ranks, with what each needs beside its name.
const COUPLINGS: &[(&str, &[&str])] = &[
    ("pmc", &[]),
    ("pmc2", &[]),
    ("pmc2s", &[]),
    ("foh", &[]),
    ("pm", &[]),
    ("modified-ph", &[]),
    ("ph", &[]),
    ("gc", &[]),
    ("clm", &[]),
    ("llm", &["--substeps", "1"]),
];
/// Those that do not.
const ALONE: &[&str] = &["psl", "psl1", "plsrt2", "staggered", "midpoint"];

/// Where the stage works.
struct Place {
    folder: PathBuf,
    connection: PathBuf,
    program: PathBuf,
}

pub(crate) fn stage(context: &Context) -> Outcome {
    tools(context)?;
    context.build()?;
    let folder = context.target.join("mpi");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let place = Place::new(context, folder, context.interfield())?;
    let mut failed = Vec::new();
    let mut check = |what: &str, done: Result<(), String>| {
        println!("{what}: {}", if done.is_ok() { "ok" } else { "FAILED" });
        failed.extend(done.err().map(|e| format!("{what}: {e}")));
    };
    for (coupling, options) in COUPLINGS {
        check(&format!("{coupling} on 2 and 4 ranks"), place.bits(coupling, options));
    }
    for coupling in ALONE {
        check(&format!("{coupling} is refused"), place.refused_coupling(coupling));
    }
    check("a substructure divided by itself", place.divided());
    check("too many ranks", place.too_many());
    check("without a connection", place.unconnected());
    check("another model, another build", place.others());
    check("a fault in another rank", place.fault());
    check("a killed rank", place.killed());
    check("an ensemble", place.ensemble());
    if failed.is_empty() {
        Ok(format!("{} couplings bit-equal on 1, 2 and 4 ranks", COUPLINGS.len()))
    } else {
        Err(failed.join("\n"))
    }
}

/// OpenMPI, installed if it is missing.
fn tools(context: &Context) -> Result<(), String> {
    let there = |tool: &str| {
        let mut command = Command::new(tool);
        command.arg("--version");
        context.succeeds(command)
    };
    if there("mpirun") && there("mpicc") { Ok(()) } else { install(context, &["openmpi-bin", "libopenmpi-dev", "gcc"]) }
}

/// What was said, and whether the command succeeded.
struct Said {
    good: bool,
    text: String,
}

impl Place {
    fn new(context: &Context, folder: PathBuf, program: PathBuf) -> Result<Self, String> {
        let connection = folder.join("libinterfield_mpi.so");
        let mut build = Command::new(&program);
        build.arg("mpi").arg("--output").arg(&connection);
        context.output(build)?;
        Ok(Place { folder, connection, program })
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }

    /// `mpirun` for so many ranks, also as root and on fewer processors.
    fn mpirun(&self) -> Command {
        let mut command = Command::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]);
        // Nothing leaves this machine, and no processor is kept from the others.
        command.args(["--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1"]);
        command.env("INTERFIELD_MPI", &self.connection).env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    fn ranks(&self, count: usize, words: &[&str]) -> Command {
        let mut command = self.mpirun();
        command.args(["-n", &count.to_string()]).arg(&self.program).args(words);
        command
    }

    fn alone(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    fn said(&self, mut command: Command) -> Result<Said, String> {
        let output = command.output().map_err(|e| format!("{:?} cannot be started: {e}", command.get_program()))?;
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Ok(Said { good: output.status.success(), text })
    }

    fn good(&self, command: Command) -> Result<String, String> {
        let shown = format!("{command:?}");
        let said = self.said(command)?;
        if said.good { Ok(said.text) } else { Err(format!("{shown} failed: {}", said.text)) }
    }

    /// Refused, once, with these words.
    fn refused(&self, command: Command, words: &[&str]) -> Result<(), String> {
        let said = self.said(command)?;
        let missing: Vec<&&str> = words.iter().filter(|word| !said.text.contains(**word)).collect();
        match (said.good, missing.is_empty(), said.text.matches("error:").count()) {
            (true, ..) => Err(format!("it was not refused: {}", said.text)),
            (_, false, _) => Err(format!("{missing:?} is missing in: {}", said.text)),
            (_, _, 1) => Ok(()),
            (_, _, n) => Err(format!("it was said {n} times: {}", said.text)),
        }
    }

    /// One process, then 2 and 4 ranks, give the same file.
    fn bits(&self, coupling: &str, options: &[&str]) -> Result<(), String> {
        self.write("tower.toml", &tower("4 s"))?;
        let run = |file: &str| {
            ["run", "tower.toml", "--quiet", "--coupling", coupling, "--output", file]
                .into_iter()
                .chain(options.iter().copied())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let one = run("one.csv");
        self.good(self.alone(&one.iter().map(String::as_str).collect::<Vec<_>>()))?;
        for count in [2, 4] {
            let file = format!("ranks-{count}.csv");
            let several = run(&file);
            self.good(self.ranks(count, &several.iter().map(String::as_str).collect::<Vec<_>>()))?;
            self.same("one.csv", &file)?;
        }
        Ok(())
    }

    fn text(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.folder.join(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn same(&self, one: &str, other: &str) -> Result<(), String> {
        let (a, b) = (self.text(one)?, self.text(other)?);
        if a.lines().count() < 100 {
            return Err(format!("{one} has {} lines only", a.lines().count()));
        }
        match a.lines().zip(b.lines()).position(|(a, b)| a != b) {
            None if a == b => Ok(()),
            at => Err(format!("{one} and {other} differ, first in line {at:?}")),
        }
    }

    fn refused_coupling(&self, coupling: &str) -> Result<(), String> {
        self.write("tower.toml", &tower("4 s"))?;
        let words = ["run", "tower.toml", "--quiet", "--coupling", coupling, "--substeps", "2"];
        self.refused(self.ranks(2, &words), &["cannot have its substructures in several processes"])
    }

    /// `parts = 4`, and the same bits.
    fn divided(&self) -> Result<(), String> {
        self.write("divided.toml", &space_frame(4, 4, 8, 4, "0.5 s"))?;
        self.good(self.alone(&["run", "divided.toml", "--quiet", "--output", "one.csv"]))?;
        let said = self.good(self.ranks(4, &["run", "divided.toml", "--quiet", "--output", "four.csv"]))?;
        for rank in 0..4 {
            if !said.lines().any(|l| l.starts_with(&format!("rank {rank}: ")) && l.contains("of memory for factors")) {
                return Err(format!("the memory of rank {rank} was not told: {said}"));
            }
        }
        self.same("one.csv", "four.csv")
    }

    fn too_many(&self) -> Result<(), String> {
        self.write("tower.toml", &tower("4 s"))?;
        self.refused(self.ranks(5, &["run", "tower.toml"]), &["5 ranks were started for 4 substructures"])?;
        let words = ["run", "tower.toml", "--whole"];
        self.refused(self.ranks(2, &words), &["the model is in one piece, and 2 ranks were started for it"])
    }

    /// Nothing is run, and above all not twice.
    fn unconnected(&self) -> Result<(), String> {
        self.write("tower.toml", &tower("4 s"))?;
        let mut run = self.ranks(2, &["run", "tower.toml", "--output", "never.csv"]);
        run.env("INTERFIELD_MPI", self.folder.join("missing.so"));
        self.refused(run, &["does not exist", "interfield mpi"])?;
        self.refused(self.ranks(2, &["check", "tower.toml"]), &["cannot be shared by 2 processes"])?;
        if self.folder.join("never.csv").exists() { Err("something was run".to_owned()) } else { Ok(()) }
    }

    /// One rank of three with another model, one with another build.
    fn others(&self) -> Result<(), String> {
        self.write("tower.toml", &tower("4 s"))?;
        self.write("other.toml", &tower("4 s").replace("0.05", "0.050001"))?;
        let other = self.folder.join("other-build");
        let mut bytes = std::fs::read(&self.program).map_err(|e| e.to_string())?;
        bytes.push(0);
        std::fs::write(&other, bytes).map_err(|e| e.to_string())?;
        std::fs::set_permissions(&other, executable()).map_err(|e| e.to_string())?;
        let ranks = |programs: [(&Path, &str); 3]| {
            let mut run = self.mpirun();
            for (i, (program, model)) in programs.into_iter().enumerate() {
                run.args(if i > 0 { &[":", "-n", "1"][..] } else { &["-n", "1"] });
                run.arg(program).args(["run", model, "--quiet", "--output", "never.csv"]);
            }
            run
        };
        let own = self.program.as_path();
        let run = ranks([(own, "tower.toml"), (own, "other.toml"), (own, "tower.toml")]);
        self.refused(run, &["rank 1 has another model"])?;
        let run = ranks([(own, "tower.toml"), (own, "tower.toml"), (&other, "tower.toml")]);
        self.refused(run, &["rank 2 runs another build"])?;
        let run = ranks([(own, "tower.toml"), (own, "missing.toml"), (own, "tower.toml")]);
        let said = self.said(run)?;
        if said.good || !said.text.contains("rank 1 has ended before the run") || self.folder.join("never.csv").exists()
        {
            return Err(format!("a rank without its model: {}", said.text));
        }
        Ok(())
    }

    /// A substructure of another rank that diverges ends the run as in one process, at the same time and in the same words.
    fn fault(&self) -> Result<(), String> {
        self.write("weak.toml", &tower("20 s").replace("k3 = 4e6", "k3 = -1e13"))?;
        let ended = |text: &str| text.lines().find(|l| l.starts_with("error: at t =")).map(str::to_owned);
        for coupling in ["foh", "pmc", "gc"] {
            let words = ["run", "weak.toml", "--quiet", "--coupling", coupling, "--output"];
            let one = self.said(self.alone(&[&words[..], &["one.csv"]].concat()))?;
            let four = self.said(self.ranks(4, &[&words[..], &["four.csv"]].concat()))?;
            match (ended(&one.text), ended(&four.text)) {
                (Some(a), Some(b)) if a == b && !four.good && !four.text.contains("launcher ends") => {
                    self.same("one.csv", "four.csv")?;
                }
                (one, _) => return Err(format!("{coupling}: in one process {one:?}, on four ranks {}", four.text)),
            }
        }
        Ok(())
    }

    /// kill -9 in the middle.
    fn killed(&self) -> Result<(), String> {
        self.write("long.toml", &tower("4000 s"))?;
        let file = self.folder.join("killed.h5");
        for victim in [2, 0] {
            let _ = std::fs::remove_file(&file);
            let mut run = self.ranks(4, &["run", "long.toml", "--quiet", "--output", "killed.h5"]);
            let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
            let grown = self.until(&mut child, || std::fs::metadata(&file).is_ok_and(|m| m.len() > 1_500_000));
            let pid = rank_process(child.id(), victim);
            let (Ok(()), Some(pid)) = (&grown, pid) else {
                let _ = child.kill();
                let said = child.wait_with_output().map(|o| String::from_utf8_lossy(&o.stderr).into_owned());
                return Err(format!("the run did not begin: {grown:?}, {pid:?}, {said:?}"));
            };
            self.good({
                let mut kill = Command::new("kill");
                kill.args(["-9", &pid.to_string()]);
                kill
            })?;
            let output = child.wait_with_output().map_err(|e| e.to_string())?;
            let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
            if output.status.success() {
                return Err(format!("rank {victim} was killed, and the run succeeded: {text}"));
            }
            for rank in (0..4).filter(|r| *r != victim) {
                if !text.contains(&format!("rank {rank}: the launcher ends the run")) {
                    return Err(format!("rank {victim} was killed, and rank {rank} said nothing of it: {text}"));
                }
            }
            // The file is whole: every row of it is one of the run in one process.
            self.good(self.alone(&["export", "killed.h5", "-o", "killed.csv"]))?;
            let rows = self.text("killed.csv")?;
            self.write("begun.toml", &tower("20 s"))?;
            self.good(self.alone(&["run", "begun.toml", "--quiet", "--output", "begun.h5"]))?;
            self.good(self.alone(&["export", "begun.h5", "-o", "begun.csv"]))?;
            let begun = self.text("begun.csv")?;
            let alike = begun.lines().zip(rows.lines()).filter(|(a, b)| a == b).count();
            let least = begun.lines().count().min(rows.lines().count());
            if least < 500 || alike + 1 < least {
                return Err(format!("{alike} of {least} rows of the file are those of a run in one process"));
            }
            let _ = std::fs::remove_file(self.folder.join("killed.csv"));
            let _ = std::fs::remove_file(self.folder.join("begun.csv"));
        }
        Ok(())
    }

    /// Waits for something that a run does.
    fn until(&self, child: &mut Child, mut done: impl FnMut() -> bool) -> Result<(), String> {
        let began = Instant::now();
        while !done() {
            if child.try_wait().ok().flatten().is_some() || began.elapsed() > Duration::from_secs(120) {
                return Err(format!("nothing after {:.0} s", began.elapsed().as_secs_f64()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Four ranks write what one process does.
    fn ensemble(&self) -> Result<(), String> {
        self.write("tower.toml", &tower("1 s"))?;
        let study = ["ensemble", "tower.toml", "--set", "soft=0.5..1.5:9", "--quiet", "--output"];
        self.good(self.alone(&[&study[..], &["study-one"]].concat()))?;
        self.good(self.ranks(4, &[&study[..], &["study-four"]].concat()))?;
        for file in ["runs.csv", "journal.bin"] {
            let read =
                |folder: &str| std::fs::read(self.folder.join(folder).join(file)).map_err(|e| format!("{file}: {e}"));
            if read("study-one")? != read("study-four")? {
                return Err(format!("{file} differs"));
            }
        }
        self.refused(
            self.ranks(2, &[&study[..], &["x", "--shard", "1/2"]].concat()),
            &["--shard cannot be used on several ranks"],
        )
    }
}

fn executable() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o755)
}

/// The process of a rank that a launcher has started.
fn rank_process(launcher: u32, rank: usize) -> Option<u32> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let children = std::fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children")).ok()?;
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(|pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|line| line == wanted.as_bytes())
    })
}

/// A building of sixteen storeys in four substructures that yield, two coarse and two with substeps of their own.
fn tower(duration: &str) -> String {
    let mut text = String::from(
        "title = \"Tower in four parts\"\ndofs = [\"x\"]\n[parameters]\nsoft = 1\n[damping]\nrayleigh = { a0 = 0.2, a1 = 1e-4 }\n",
    );
    for i in 1..=16 {
        let below = if i == 1 { "ground".to_owned() } else { format!("n{}", i - 1) };
        let _ = write!(text, "[[node]]\nname = \"n{i}\"\nmass = \"{} t\"\n", 100 - 3 * i);
        let _ = match i % 3 {
            0 => writeln!(
                text,
                "[[element]]\ntype = \"cubic\"\nname = \"e{i}\"\nnodes = [\"{below}\", \"n{i}\"]\ndof = \"x\"\nk = \"90 MN/m\"\nk3 = 4e6\nc = 0"
            ),
            _ => writeln!(
                text,
                "[[element]]\ntype = \"degrading-bouc-wen\"\nname = \"e{i}\"\nnodes = [\"{below}\", \"n{i}\"]\ndof = \"x\"\nk = \"soft*{} MN/m\"\n\
                 xy = \"4 mm\"\na = 0.05\nn = 2\nds = 0\ndk = 0",
                120 - 4 * i
            ),
        };
    }
    for (name, storeys, more) in [
        ("low", 1..=4, "side = \"coarse\""),
        ("middle", 5..=8, "side = \"fine\"\nsubsteps = 2"),
        ("high", 9..=12, "side = \"coarse\""),
        ("top", 13..=16, "side = \"fine\"\nsubsteps = 4"),
    ] {
        let elements: Vec<String> = storeys.map(|i| format!("\"e{i}\"")).collect();
        let _ = writeln!(text, "[[substructure]]\nname = \"{name}\"\nelements = [{}]\n{more}", elements.join(", "));
    }
    let _ = writeln!(
        text,
        "[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = \"x\"\nsignal = {{ type = \"synthetic\", peak = \"0.4 g\" }}\n\
         [analysis]\nscheme = \"newmark\"\ndt = \"5 ms\"\nduration = \"{duration}\"\n[coupling]\nmethod = \"pmc\"\n\
         [record]\nchannels = [\"n1.x\", \"n5.x.v\", \"n9.x\", \"n16.x\", \"n16.x.a\", \"e2.force\", \"e6.force\", \"e11.force\", \"e16.deformation\", \"n4.x.gap\", \"n8.x.link\", \"n12.x.gap\", \"quake\"]\nenergy = true"
    );
    text
}

/// A space frame that divides itself into `parts`.
pub(crate) fn space_frame(x: usize, y: usize, floors: usize, parts: usize, duration: &str) -> String {
    let mut text = format!(
        "title = \"Space frame in {parts} parts\"\ndofs = [\"x\", \"y\", \"z\"]\n[damping]\nrayleigh = {{ a0 = 0.3, a1 = 1e-4 }}\n"
    );
    let name = |i: usize, j: usize, k: usize| if k == 0 { "ground".to_owned() } else { format!("n{i}_{j}_{k}") };
    let spring = |text: &mut String, a: String, b: String, dof: &str, k: f64, at: usize| {
        let _ = writeln!(
            text,
            "[[element]]\ntype = \"spring\"\nname = \"s{at}{dof}\"\nnodes = [\"{a}\", \"{b}\"]\ndof = \"{dof}\"\nk = \"{k} MN/m\""
        );
    };
    let mut at = 0;
    for k in 1..=floors {
        for j in 0..y {
            for i in 0..x {
                let _ = writeln!(text, "[[node]]\nname = \"{}\"\nmass = \"{} t\"", name(i, j, k), 10 + (i + j) % 3);
                for (other, stiff) in [
                    (Some(name(i, j, k - 1)), 200.0),
                    (i.checked_sub(1).map(|i| name(i, j, k)), 90.0),
                    (j.checked_sub(1).map(|j| name(i, j, k)), 70.0),
                ] {
                    let Some(other) = other else { continue };
                    at += 1;
                    for (d, share) in [("x", 1.0), ("y", 0.8), ("z", 2.0)] {
                        spring(&mut text, other.clone(), name(i, j, k), d, stiff * share, at);
                    }
                }
            }
        }
    }
    let top = name(0, 0, floors);
    let _ = writeln!(
        text,
        "[[substructure]]\nname = \"frame\"\nparts = {parts}\n[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = \"x\"\n\
         signal = {{ type = \"synthetic\", peak = \"0.4 g\" }}\n[analysis]\nscheme = \"newmark\"\ndt = \"2 ms\"\nduration = \"{duration}\"\n\
         [coupling]\nmethod = \"foh\"\n[record]\nchannels = [\"{top}.x\", \"{top}.x.v\", \"{top}.z\", \"quake\"]"
    );
    text
}

/// Weak scaling: as many unknowns for each rank, on this machine.
pub(crate) fn bench(context: &Context) -> Result<(), String> {
    tools(context)?;
    context.run(context.cargo(["build", "--release", "--locked", "-p", "interfield-cli"]))?;
    let folder = context.target.join("mpi-bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let place = Place::new(context, folder, context.target.join("release/interfield"))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor =
        info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':')).map_or("unknown", |l| l.1.trim());
    println!("weak scaling, one machine: {processor}, {cores} processors");
    println!("{:>6} {:>10} {:>14} {:>14} {:>12}", "ranks", "unknowns", "one process", "ranks", "ratio");
    for count in [1, 2, 4] {
        place.write("frame.toml", &space_frame(12, 12, 12 * count, count.max(2), "0.4 s"))?;
        let words = ["run", "frame.toml", "--quiet", "--json", "--output", "frame.csv"];
        let speed = |command: Command| -> Result<(f64, f64), String> {
            let mut command = command;
            let output = command.stderr(Stdio::inherit()).output().map_err(|e| e.to_string())?;
            let value: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
            let number = |name: &str| value[name].as_f64().ok_or(format!("no {name}"));
            Ok((number("seconds")? / number("steps")? * 1e3, number("unknowns")?))
        };
        let (one, unknowns) = speed(place.alone(&words))?;
        let several = if count == 1 { one } else { speed(place.ranks(count, &words))?.0 };
        println!("{count:>6} {unknowns:>10} {one:>11.3} ms {several:>11.3} ms {:>12.2}", one / several);
    }
    println!("ms per macro-step; ratio: how many times faster than the same division in one process");
    Ok(())
}
