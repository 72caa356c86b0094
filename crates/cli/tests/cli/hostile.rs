//! Files, devices and pipes as they are in real life: absent, full, closed, binary, huge. Never a panic.

use std::io::Read;
use std::process::Stdio;

use super::{BASE, file, interfield, program};

/// The one message of a refused command, as (file, line, message, help).
fn only_error(args: &[&str], code: i32) -> (String, Option<u64>, String, String) {
    let outcome = interfield(args).expect(code);
    let document = outcome.json();
    let errors = document["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let e = &errors[0];
    let text = |key: &str| e[key].as_str().unwrap_or_default().to_owned();
    assert!(outcome.stderr.contains(&text("message")), "{}", outcome.stderr);
    (text("file"), e["line"].as_u64(), text("message"), text("help"))
}

#[test]
fn files_that_cannot_be_read() {
    let (name, _, message, help) = only_error(&["run", "nowhere.toml", "--json"], 1);
    assert_eq!(name, "nowhere.toml");
    assert!(message.contains("`nowhere.toml` does not exist") && help.contains("path"), "{message} {help}");
    let (_, _, message, _) = only_error(&["modes", "/", "--json"], 1);
    assert!(message.contains("is a folder"), "{message}");
    let binary = file("binary.toml", [b"title = \"x\"\nx = \"".as_slice(), &[0xff, 0xfe, 0, 1]].concat());
    let (_, line, message, help) = only_error(&["run", binary.to_str().unwrap(), "--json"], 2);
    assert_eq!(line, Some(2));
    assert!(message.contains("line 2, column 6 is not UTF-8") && help.contains("UTF-8"), "{message} {help}");
    // A program is not a model.
    let program = std::fs::read(env!("CARGO_BIN_EXE_interfield")).unwrap();
    let program = file("program.toml", &program[..1 << 20]);
    interfield(&["run", program.to_str().unwrap(), "--json"]).expect(2).json();
    // Zeros are text, though not TOML.
    let zeros = file("zeros.toml", vec![0u8; 4096]);
    let document = interfield(&["run", zeros.to_str().unwrap(), "--json"]).expect(2).json();
    assert_eq!(document["errors"][0]["line"], 1);
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let path = file("bom.toml", [b"\xef\xbb\xbf".as_slice(), BASE.as_bytes()].concat());
    interfield(&["run", path.to_str().unwrap(), "-o", "bom.csv"]).expect(0);
    let path = file("crlf.toml", BASE.replace('\n', "\r\n"));
    interfield(&["run", path.to_str().unwrap(), "-o", "crlf.csv"]).expect(0);
}

#[test]
fn files_that_are_no_models() {
    let deep = format!("x = {}1{}\n", "[".repeat(5000), "]".repeat(5000));
    let dotted = format!("{}x = 1\n", "a.".repeat(5000));
    let formula = BASE.replace("\"4 kN/mm\"", &format!("\"{}1{}\"", "(".repeat(5000), ")".repeat(5000)));
    let long = BASE.replace("\"4 kN/mm\"", &format!("\"4 kN/mm{}\"", " + 1 kN/mm".repeat(20_000)));
    // 10 MB without sense: from a generator, so that the test is always the same.
    let mut seed = 1u64;
    let garbage: String = (0..10_000_000)
        .map(|_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            char::from(b" \n\n=[]{}\"#.,ab01e-'"[(seed >> 33) as usize % 19])
        })
        .collect();
    let lines = "[[node]]\nname = \"a\"\n".repeat(20_000);
    let one_line = format!("title = \"{}\"\nmass = ", "x".repeat(10_000_000));
    for (name, text, code) in [
        ("deep", deep, 2),
        ("dotted", dotted, 2),
        ("formula", formula, 2),
        ("long", long, 0),
        ("garbage", garbage, 2),
        ("lines", lines, 2),
        ("one-line", one_line, 2),
    ] {
        let path = file(&format!("hostile-{name}.toml"), text);
        let start = std::time::Instant::now();
        let outcome = interfield(&["run", path.to_str().unwrap(), "--json", "-o", "hostile.csv"]).expect(code);
        outcome.json();
        assert!(start.elapsed().as_secs() < 20, "{name} takes too long");
        assert!(outcome.stderr.len() < 1_000_000, "{name} says too much");
    }
}

#[test]
fn results_that_cannot_be_written() {
    let model = file("unwritten.toml", BASE);
    let model = model.to_str().unwrap();
    let (name, _, message, help) = only_error(&["run", model, "--json", "-o", "/proc/nowhere/x.csv"], 1);
    assert_eq!(name, "/proc/nowhere/x.csv");
    assert!(message.contains("cannot be written") && help.contains("--output"), "{message} {help}");
    let (name, _, message, _) = only_error(&["run", model, "--json", "-o", "/proc/nowhere/x.h5"], 1);
    assert!(name == "/proc/nowhere/x.h5" && message.contains("cannot be written"), "{message}");
    for name in ["folder.csv", "folder.h5"] {
        std::fs::create_dir_all(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
        let (_, _, message, _) = only_error(&["run", model, "--json", "-o", name], 1);
        assert!(message.contains(&format!("`{name}` cannot be written")), "{message}");
    }
    // The extension says what to write.
    for name in ["/", "results", "results.txt", "results.h5.gz"] {
        let (_, _, message, help) = only_error(&["run", model, "--json", "-o", name], 2);
        assert!(message.contains(name) && help.contains(".h5") && help.contains(".csv"), "{message} {help}");
    }
    // The results must not replace the model.
    let (_, _, message, _) = only_error(&["run", model, "--json", "-o", model], 2);
    assert!(message.contains("is the model file itself"), "{message}");
    assert_eq!(std::fs::read_to_string(model).unwrap(), BASE);
    only_error(&["run", model, "--json", "-o", "both.csv", "--report", "both.csv"], 2);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks() {
    let model = file("full.toml", BASE);
    let model = model.to_str().unwrap();
    let link = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dev-full.csv");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    let outcome = interfield(&["run", model, "--json", "-o", "dev-full.csv"]).expect(1);
    assert_eq!(outcome.json()["ended"], "not written");
    assert!(outcome.stderr.contains("the results could not be written"), "{}", outcome.stderr);
    // Many rows: the disk is full in the middle of the run.
    interfield(&["run", model, "--until", "100 s", "-o", "dev-full.csv"]).expect(1);
    let outcome = interfield(&["run", model, "--json", "-o", "full.csv", "--report", "/dev/full"]).expect(1);
    assert_eq!(outcome.json()["ended"], "finished");
    assert!(outcome.stderr.contains("`/dev/full` cannot be written"), "{}", outcome.stderr);
    let outcome = interfield(&["spectrum", "--scheme", "newmark", "--plot", "/dev/full"]).expect(1);
    assert!(outcome.stderr.contains("cannot be written"), "{}", outcome.stderr);
    // Standard output and standard error.
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [vec!["elements"], vec!["schemes", "--json"], vec!["run", model, "-o", "full.csv"]] {
        let output = program().args(&args).stdout(full()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && text.contains("could not be written"), "{args:?}: {text}");
    }
    let status = program().args(["run", "nowhere.toml"]).stderr(full()).stdout(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(1));
    let status = program().args(["frobnicate"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

/// `interfield elements | head -1`.
#[test]
fn readers_that_go_away() {
    for args in [vec!["elements", "--json"], vec!["schemes"], vec!["--help"], vec!["spectrum", "--scheme", "lsrt2"]] {
        let mut child = program().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut text = String::new();
        child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}: {text}");
        assert_eq!(text, "", "{args:?}");
    }
}

#[test]
fn command_lines_that_are_wrong() {
    let model = file("line.toml", BASE);
    let model = model.to_str().unwrap();
    let cases: [(&[&str], &str, &str); 13] = [
        (&["run", model, "--set", "kk=1"], "has no parameter `kk`", "did you mean `k`?"),
        (&["run", model, "--set", "k=3 mmm"], "--set k=3 mmm: unknown unit `mmm`", "did you mean `mm`?"),
        (&["run", model, "--set", "k"], "NAME=VALUE", ""),
        (&["run", model, "--dt", "0"], "--dt must be greater than zero", "--dt \"10 ms\""),
        (&["run", model, "--dt", "-1 s"], "--dt must be greater than zero, found -1 s", "10 ms"),
        (&["run", model, "--dt", "5 m"], "--dt 5 m: expected time, found length", "0.5 s"),
        (&["run", model, "--until", "soon"], "--until soon: unknown parameter `soon`", "parameters are k"),
        (&["run", model, "--scheme", "newmrk"], "there is no scheme `newmrk`", "did you mean `newmark`?"),
        (&["run", model, "--param", "rho=1"], "has no parameter `rho`", "its parameters are gamma"),
        (&["run", model, "--tangent", "exakt"], "unknown tangent policy", "exact"),
        (
            &["spectrum", "--scheme", "lsrt2", "--param", "gamma=sideways"],
            "parameter `gamma` of scheme `lsrt2`",
            "schemes lsrt2",
        ),
        (&["spectrum", "--scheme", "lsrt2", "--omega", "0,-1"], "Omega must be greater than zero, found 0", "--omega"),
        (&["elements", "sprng"], "there is no element type `sprng`", "did you mean `spring`?"),
    ];
    for (args, message, help) in cases {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let (place, line, found, advice) = only_error(&args, 2);
        assert!(place.starts_with("command line") && line.is_none(), "{place}: {found}");
        assert!(found.contains(message) && advice.contains(help), "{args:?}: {found} | {advice}");
    }
    for args in [&["frobnicate", "--json"][..], &["run", "--json"], &["schemes", "newmrk", "--json"]] {
        let document = interfield(args).expect(2).json();
        assert!(document["errors"][0]["message"].as_str().is_some_and(|m| !m.is_empty()), "{document}");
    }
    // Mistakes on the command line do not hide those of the file.
    let both = file("both.toml", BASE.replace("\"10 t\"", "\"-10 t\""));
    let both = both.to_str().unwrap();
    let document = interfield(&["run", both, "--set", "kk=1", "--scheme", "x", "--dt", "0", "--json"]).expect(2).json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 4, "{document}");
}

/// The program in a space of `megabytes` only.
#[cfg(target_os = "linux")]
fn confined(megabytes: u64, args: &[&str]) -> std::process::Output {
    let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes << 10);
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_interfield")).args(args);
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.output().unwrap()
}

/// Gigabytes of model, include and record, as sparse files: refused with a message, in half a gigabyte of memory.
#[cfg(target_os = "linux")]
#[test]
fn gigabytes_are_refused_before_they_are_read() {
    let huge = |name: &str| {
        let path = file(name, "");
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 30).unwrap();
    };
    huge("huge.toml");
    huge("huge.csv");
    file("includes-huge.toml", format!("include = [\"huge.toml\"]\n{BASE}"));
    let load = "[[load]]\ntype = \"ground\"\ndirection = \"x\"\nsignal = { type = \"file\", path = \"huge.csv\", dt = 0.01 }\n";
    file("reads-huge.toml", format!("{BASE}\n{load}"));
    file("endless.toml", "include = [\"/dev/zero\"]\n");
    let cases = [
        ("huge.toml", 1, "`huge.toml` has 5120 MB, more than the 512 MB that can be read", "[[use]]"),
        ("includes-huge.toml", 2, "`huge.toml` has 5120 MB, more than the 512 MB", "includes-huge.toml:1"),
        ("reads-huge.toml", 2, "`huge.csv`: has 5120 MB, more than the 128 MB", "reads-huge.toml:"),
        ("endless.toml", 2, "has more than the 32 MB that can be read", "endless.toml:1"),
        ("/dev/zero", 1, "has more than the 32 MB that can be read", "[[use]]"),
    ];
    for (model, code, message, more) in cases {
        let output = confined(500, &["run", model, "-o", "huge-out.csv"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{model}: {text}");
        assert!(text.contains(message) && text.contains(more) && !text.contains("panicked"), "{model}: {text}");
    }
    // A file as large as is allowed, of very many small tables, and short blocks for very many elements.
    let small = "{a=1},".repeat(5_000_000);
    file("tables.toml", format!("node = [{small}]\n"));
    file("storeys.toml", "[[shear-building]]\nstoreys = 1000000000\nmass = 1\nk = 1\n");
    for (model, message) in [
        ("tables.toml", "the file has more than 4000000 tables"),
        ("storeys.toml", "`storeys` must be between 1 and 2000000, found 1000000000"),
    ] {
        let output = confined(500, &["run", model, "-o", "huge-out.csv"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(message), "{model}: {text}");
    }
    for name in ["huge.toml", "huge.csv"] {
        std::fs::remove_file(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
    }
}
