//! Parts that other programs compute: an OpenSees adapter played by this test, sites and substructures of our own
//! `interfield serve`, processes that misbehave, and what is left of them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use interfield_results::Reader;
use serde_json::Value;

use super::{csv, file, interfield, program};

/// Two storeys; `upper` is the spring between them, as an element or otherwise. Stiffness 4 kN/mm.
fn model(name: &str, duration: &str, upper: &str) -> PathBuf {
    let text = format!(
        r#"title = "Two storeys, the upper one elsewhere"
dofs = ["x"]
units = {{ length = "mm", force = "kN" }}

[[node]]
name = "a"
mass = "10 t"
initial = {{ x = "5 mm" }}

[[node]]
name = "b"
mass = "10 t"

[[element]]
type = "spring"
name = "lower"
nodes = ["ground", "a"]
dof = "x"
k = "4 kN/mm"

{upper}

[[load]]
type = "force"
at = "b.x"
signal = {{ type = "harmonic", amplitude = "10 kN", frequency = "2 Hz" }}

[analysis]
dt = "5 ms"
duration = "{duration}"

[[substructure]]
name = "ground floor"
elements = ["lower"]

[[substructure]]
name = "upper floor"
elements = ["upper"]
side = "fine"
substeps = 2

[coupling]
method = "pm"

[record]
channels = ["a.x", "b.x"]
"#
    )
    .replace("\"ground floor\"", "\"ground-floor\"")
    .replace("\"upper floor\"", "\"upper-floor\"");
    file(name, text)
}

const ELEMENT: &str =
    "[[element]]\ntype = \"spring\"\nname = \"upper\"\nnodes = [\"a\", \"b\"]\ndof = \"x\"\nk = \"4 kN/mm\"\n";

fn external(program: &str, more: &str) -> String {
    let adapter = if program == "opensees" { "adapter_stiffness = \"1e5 kN/mm\"\n" } else { "" };
    format!("[[external]]\nname = \"upper\"\nprogram = \"{program}\"\ndofs = [\"a.x\", \"b.x\"]\n{adapter}{more}\n")
}

/// What an adapter does when it has answered so often.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Answers,
    Stalls(usize),
    Goes(usize),
    Lies(usize),
}

/// An OpenSees script with one adapter over both storeys, in N and m: listens, and says how often it was asked.
fn adapter(habit: Habit) -> (String, std::thread::JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = format!("tcp://{}", listener.local_addr().expect("an address"));
    let thread = std::thread::spawn(move || serve(listener.accept().expect("a client").0, habit));
    (at, thread)
}

fn serve(mut client: TcpStream, habit: Habit) -> usize {
    const K: f64 = 4e6;
    const KB: f64 = 1e8;
    client.set_nodelay(true).expect("an option");
    let mut sizes = [0; 44];
    client.read_exact(&mut sizes).expect("sizes");
    let number = |i: usize| i32::from_le_bytes(sizes[4 * i..4 * i + 4].try_into().expect("four bytes"));
    assert_eq!(([0, 5, 8].map(number), [1, 2, 3, 4, 6, 7, 9].map(number)), ([2; 3], [0; 7]));
    let mut message = vec![0; 8 * number(10) as usize];
    let (mut asked, mut answer) = (0, [0.0; 4]);
    while client.read_exact(&mut message).is_ok() {
        let at = |i: usize| f64::from_le_bytes(message[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        match at(0) as i32 {
            3 => {
                // Both adapters in series with the spring.
                let (u, soft) = ([at(1), at(2)], 1.0 / (1.0 + 2.0 * K / KB));
                let f = K * soft * (u[1] - u[0]);
                answer = [u[0] + f / KB, u[1] - f / KB, -f, f];
            }
            10 => {
                asked += 1;
                match habit {
                    Habit::Stalls(n) if asked > n => {
                        // Until the other side has had enough.
                        while client.read(&mut message).is_ok_and(|n| n > 0) {}
                        return asked;
                    }
                    Habit::Goes(n) if asked > n => return asked,
                    Habit::Lies(n) if asked > n => answer[2] = f64::NAN,
                    _ => {}
                }
                message.fill(0);
                answer
                    .iter()
                    .enumerate()
                    .for_each(|(i, x)| message[8 * i..8 * i + 8].copy_from_slice(&x.to_le_bytes()));
                client.write_all(&message).expect("it is there");
            }
            99 => return asked,
            other => panic!("code {other}"),
        }
    }
    asked
}

fn path(model: &Path) -> &str {
    model.to_str().expect("UTF-8")
}

fn output(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Largest difference of two runs, over the largest value of the channel.
fn difference(a: &str, b: &str) -> f64 {
    let (a, b) = (csv(&output(a)), csv(&output(b)));
    assert_eq!((a.header, a.rows.len()), (b.header.clone(), b.rows.len()));
    let one = |c: usize| {
        let peak = b.rows.iter().fold(0.0, |m: f64, r| m.max(r[c].abs()));
        a.rows.iter().zip(&b.rows).fold(0.0, |m: f64, (x, y)| m.max((x[c] - y[c]).abs())) / peak
    };
    (1..b.header.len()).map(one).fold(0.0, f64::max)
}

#[test]
fn an_adapter_is_a_spring() {
    let computed = model("external-computed.toml", "3 s", ELEMENT);
    for (way, more) in [("parts", &[][..]), ("whole", &["--whole", "--scheme", "alpha-os"])] {
        interfield(&[&["run", path(&computed), "-o", "external-computed.csv"], more].concat()).expect(0);
        let (at, thread) = adapter(Habit::Answers);
        let told = model("external-told.toml", "3 s", &external("opensees", &format!("at = \"{at}\"\n")));
        let args = [&["run", path(&told), "--json", "-o", "external-told.csv"], more].concat();
        let found = interfield(&args).expect(0).json();
        let difference = difference("external-told.csv", "external-computed.csv");
        assert!(difference < 1e-9, "{way}: {difference}");
        let asked = thread.join().expect("it ends well");
        let external = &found["externals"][0];
        assert_eq!(external["account"]["exchanges"].as_f64(), Some(asked as f64));
        assert_eq!((external["identified_by_moves"].as_u64(), &external["process"]), (Some(7), &Value::Null));
        let k = external["stiffness"]["rows"].as_array().expect("a matrix");
        assert_eq!(external["stiffness"]["units"]["rows"], "kN/mm");
        assert!((k[0][0].as_f64().expect("a number") / 4.0 - 1.0).abs() < 1e-9, "{external}");
    }
}

#[test]
fn check_tells_what_is_known_and_asks_only_if_told_to() {
    let (at, thread) = adapter(Habit::Answers);
    let told = model("external-check.toml", "3 s", &external("opensees", &format!("at = \"{at}\"\n")));
    // Nobody is asked.
    let said = interfield(&["check", path(&told)]).expect(0).stdout;
    assert!(said.contains("upper: opensees at tcp://127.0.0.1:") && said.contains("must be running already"), "{said}");
    assert!(said.contains("stiffness: unknown before it runs") && said.contains("--identify"), "{said}");
    let refused = interfield(&["modes", path(&told)]).expect(2).stderr;
    assert!(refused.contains("unknown before its program runs") && refused.contains("stiffness = [["), "{refused}");
    let found = interfield(&["check", path(&told), "--identify", "--stability"]).expect(0).stdout;
    assert!(
        found.contains("stiffness: [[4, -4], [-4, 4]] kN/mm") && found.contains("stable: spectral radius"),
        "{found}"
    );
    assert_eq!(thread.join().expect("it ends well"), 7);
    // A given stiffness needs no program.
    let given =
        external("opensees", "at = \"tcp://127.0.0.1:1\"\nstart = \"200 ms\"\nstiffness = [[4, -4], [-4, 4]]\n");
    let given = model("external-given.toml", "3 s", &given);
    assert!(interfield(&["modes", path(&given)]).expect(0).stdout.contains("Hz"));
    let varied =
        std::fs::read_to_string(&given).expect("a model").replacen("[[node]]", "parameters = { k = 1 }\n[[node]]", 1);
    let varied = file("external-given-varied.toml", varied);
    let refused = interfield(&["ensemble", path(&varied), "--draw", "k~uniform(1, 2)"]).expect(2).stderr;
    assert!(refused.contains("started elsewhere, which serves one run") && refused.contains("`command`"), "{refused}");
    let nobody = interfield(&["run", path(&given), "-o", "external-given.h5"]).expect(3).stderr;
    assert!(nobody.contains("no answer at tcp://127.0.0.1:1") && nobody.contains("`command`"), "{nobody}");
}

#[test]
fn a_program_that_fails_ends_the_run_with_its_results() {
    let cases = [
        (Habit::Stalls(100), "did not answer in time"),
        (Habit::Goes(100), "is not available"),
        (Habit::Lies(100), "sent an invalid answer"),
    ];
    for (habit, words) in cases {
        let (at, thread) = adapter(habit);
        // A loaded machine is slow: time is short only where it is waited for.
        let timeout = if matches!(habit, Habit::Stalls(_)) { "1 s" } else { "1 min" };
        let more = format!("at = \"{at}\"\ntimeout = \"{timeout}\"\n");
        let told = model("external-fails.toml", "30 s", &external("opensees", &more));
        let found = interfield(&["run", path(&told), "--json", "-o", "external-fails.h5"]).expect(3);
        let reason = found.json()["reason"].as_str().expect("a reason").to_owned();
        assert!(reason.contains("the program of external `upper`") && reason.contains(words), "{reason}");
        thread.join().expect("it ends well");
        let reader = Reader::open(&output("external-fails.h5")).expect("the results open");
        assert!((40..100).contains(&reader.rows()), "{}", reader.rows());
    }
    // While it is asked for its stiffness nothing has been recorded.
    let (at, thread) = adapter(Habit::Lies(2));
    let told = model("external-early.toml", "30 s", &external("opensees", &format!("at = \"{at}\"\n")));
    let said = interfield(&["run", path(&told), "-o", "external-early.h5"]).expect(3).stderr;
    assert!(said.contains("external `upper`") && said.contains("while its stiffness was identified"), "{said}");
    thread.join().expect("it ends well");
}

/// A port that nobody has.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
}

/// The upper storey as a specimen that `interfield serve` offers, started by the run.
fn served(name: &str, protocol: &str, port: u16) -> String {
    let rig = "[[specimen]]\nname = \"rig\"\nelements = [\"upper\"]\nramp = \"5 ms\"\n";
    let host = model(&format!("{name}-host.toml"), "3 s", &format!("{ELEMENT}\n{rig}"));
    super::make_way(&["serve", "-o", &format!("{name}-host.h5")]);
    let command = [
        env!("CARGO_BIN_EXE_interfield"),
        "serve",
        path(&host),
        "--whole",
        "--protocol",
        protocol,
        "--listen",
        &format!("tcp://127.0.0.1:{port}"),
        "-o",
        &format!("{name}-host.h5"),
    ];
    external(
        protocol,
        &format!(
            "command = {command:?}\nat = \"tcp://127.0.0.1:{port}\"\nunits = {{ length = \"mm\", force = \"kN\" }}\n"
        ),
    )
}

#[test]
fn sites_and_substructures_are_springs_too() {
    let computed = model("site-computed.toml", "3 s", ELEMENT);
    interfield(&["run", path(&computed), "-o", "site-computed.csv"]).expect(0);
    for protocol in ["openfresco", "ut-sim"] {
        let name = format!("site-{protocol}");
        let told = model(&format!("{name}.toml"), "3 s", &served(&name, protocol, free_port()));
        let out = format!("{name}.csv");
        let found = interfield(&["run", path(&told), "--json", "-o", &out]).expect(0).json();
        let difference = difference(&out, "site-computed.csv");
        assert!(difference < 1e-9, "{protocol}: {difference}");
        assert_eq!(found["externals"][0]["process"], "ended with status 0", "{found}");
        let log = std::fs::read_to_string(output(&format!("{name}.upper.log"))).expect("a log");
        assert!(log.contains("specimen `rig`") && log.contains("verdict: good"), "{log}");
    }
}

#[test]
fn an_ensemble_starts_a_program_for_each_run() {
    let text = |upper: &str| {
        let model = model("ensemble-external.toml", "0.5 s", upper);
        let text = std::fs::read_to_string(model).expect("the model");
        let text = text.replacen("k = \"4 kN/mm\"\n\n", "k = \"k\"\n\n", 1);
        text.replacen("[[node]]", "[parameters]\nk = \"4 kN/mm\"\n\n[[node]]", 1)
    };
    let grid = ["--set", "k=3 kN/mm, 5 kN/mm", "--json", "--threads", "2"];
    let run = |name: &str, text: String| {
        let (model, out) = (super::file(&format!("{name}.toml"), text), output(name));
        let _ = std::fs::remove_dir_all(&out);
        let args = [&["ensemble", path(&model), "-o", path(&out)], &grid[..]].concat();
        interfield(&args).expect(0).json()
    };
    let computed = run("ensemble-computed", text(ELEMENT));
    // Every process records under a name of its own.
    let served = served("ensemble-external", "openfresco", free_port());
    let served = served.replace(", \"-o\", \"ensemble-external-host.h5\"", "");
    assert!(!served.contains("-o"), "{served}");
    let told = run("ensemble-external", text(&served));
    assert_eq!((&told["runs"], &told["finished"]), (&2.into(), &2.into()), "{told:#}");
    let peak = |found: &serde_json::Value| found["channels"][0]["peak"]["max"].as_f64().expect("a peak");
    assert!((peak(&told) / peak(&computed) - 1.0).abs() < 1e-9, "{told:#}");
}

/// A shell that writes its number into a file and then becomes something else.
fn shell(name: &str, then: &str) -> (PathBuf, String) {
    let number = output(&format!("{name}.pid"));
    let _ = std::fs::remove_file(&number);
    let script = format!("echo $$ > {}; {then}", number.display());
    (number, format!("command = [\"sh\", \"-c\", {script:?}]\n"))
}

/// The process of a shell, once it has said its number.
fn process(number: &Path) -> u32 {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(number) = std::fs::read_to_string(number).ok().and_then(|t| t.trim().parse().ok()) {
            return number;
        }
        assert!(Instant::now() < end, "the process was not started");
        std::thread::yield_now();
    }
}

/// Whether a process runs: one that has ended and was not fetched yet does not.
#[cfg(target_os = "linux")]
fn runs(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[cfg(target_os = "linux")]
fn must_end(process: u32) {
    let end = Instant::now() + Duration::from_secs(60);
    while runs(process) {
        assert!(Instant::now() < end, "process {process} was left behind");
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_does_not_listen_is_stopped() {
    let start = Instant::now();
    let (number, command) = shell("deaf", "sleep 600");
    let told = model("deaf.toml", "3 s", &external("opensees", &format!("{command}start = \"3 s\"\n")));
    let said = interfield(&["run", path(&told), "-o", "deaf.h5"]).expect(3).stderr;
    assert!(said.contains("external `upper`: `sh -c"), "{said}");
    assert!(
        said.contains("does not listen at tcp://127.0.0.1:") && said.contains("after 3 s; it was stopped"),
        "{said}"
    );
    assert!(start.elapsed() < Duration::from_secs(60));
    must_end(process(&number));
}

#[test]
fn a_program_that_ends_too_early_is_quoted() {
    let (_, command) = shell("early", "echo no module named openseespy; exit 7");
    let told = model("early.toml", "3 s", &external("opensees", &command));
    let said = interfield(&["run", path(&told), "-o", "early.h5"]).expect(3).stderr;
    assert!(said.contains("ended with status 7 before it listened"), "{said}");
    assert!(said.contains("| no module named openseespy"), "{said}");
    let told = model("absent.toml", "3 s", &external("opensees", "command = [\"no-such-program\"]\n"));
    let said = interfield(&["run", path(&told), "-o", "absent.h5"]).expect(3).stderr;
    assert!(said.contains("`no-such-program` cannot be started"), "{said}");
    // Somebody else would be taken for the program.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = format!("command = [\"sleep\", \"600\"]\nat = \"tcp://{}\"\n", taken.local_addr().expect("an address"));
    let told = model("taken.toml", "3 s", &external("opensees", &at));
    let said = interfield(&["run", path(&told), "-o", "taken.h5"]).expect(3).stderr;
    assert!(said.contains("is used by another program"), "{said}");
}

#[test]
fn a_program_learns_where_to_listen_and_how_stiff_its_adapter_is() {
    let (_, command) = shell("learns", "echo $INTERFIELD_PORT and $INTERFIELD_ADAPTER_STIFFNESS; exit 1");
    let more = format!("{command}at = \"tcp://127.0.0.1:{}\"\n", free_port());
    let units = "units = { length = \"mm\", force = \"kN\" }\n";
    let told = model("learns.toml", "3 s", &external("opensees", &format!("{more}{units}")));
    let said = interfield(&["run", path(&told), "-o", "learns.h5"]).expect(3).stderr;
    let port = more.rsplit_once(':').expect("a port").1.trim_end().trim_end_matches('"').to_owned();
    assert!(said.contains(&format!("| {port} and 1e5 0e0 0e0 1e5")), "{said}");
}

/// A run of a long test, its server started by a shell whose number is known.
#[cfg(target_os = "linux")]
fn long_run(name: &str) -> (Child, PathBuf) {
    let port = free_port();
    let text = served(name, "openfresco", port);
    let line = text.lines().find(|l| l.starts_with("command = ")).expect("a command").to_owned();
    let words: Vec<String> = serde_json::from_str(line.trim_start_matches("command = ")).expect("a list");
    let (number, shell) = shell(name, &format!("exec {}", words.join(" ")));
    let told = model(&format!("{name}.toml"), "100000 s", &text.replace(&format!("{line}\n"), &shell));
    let results = output(&format!("{name}.h5"));
    let _ = std::fs::remove_file(&results);
    let mut command = program();
    command.args(["run", path(&told), "--json", "-o", path(&results)]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let end = Instant::now() + Duration::from_secs(60);
    while !Reader::open(&results).is_ok_and(|r| r.rows() > 100) {
        assert!(Instant::now() < end, "{name} has no rows");
        std::thread::yield_now();
    }
    (child, number)
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_does_not_outlive_a_run_that_is_killed() {
    let (mut child, number) = long_run("outlives");
    let program = process(&number);
    assert!(runs(program));
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
    must_end(program);
    assert!(Reader::open(&output("outlives.h5")).is_ok_and(|r| r.rows() > 100));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_ends_with_a_run_that_is_interrupted() {
    let (mut child, number) = long_run("interrupted");
    let program = process(&number);
    let done = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(!runs(program));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_killed_ends_the_run_with_its_results() {
    let (mut child, number) = long_run("victim-external");
    let done =
        std::process::Command::new("kill").args(["-KILL", &process(&number).to_string()]).status().expect("kill");
    assert!(done.success());
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(3), "{said}");
    assert!(said.contains("the program of external `upper` is not available"), "{said}");
    assert!(said.contains("the process of external `upper` was ended by a signal (signal: 9"), "{said}");
    assert!(Reader::open(&output("victim-external.h5")).is_ok_and(|r| r.rows() > 100));
}
