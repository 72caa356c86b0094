//! OpenSees moves specimens that `interfield serve` offers: as if they were its own springs, or as in a run of ours.

use crate::context::{Context, Outcome};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{column_at, compare, interfield, numbers, script};

/// Largest difference from OpenSees' own spring over 500 steps; the largest values are about 13.
const SAME: f64 = 1e-11;

/// Eight integrator and damping cases, and a hysteretic specimen, over TCP and UDP.
pub(crate) fn stage(context: &Context) -> Outcome {
    let python = crate::python::python(context)?;
    context.build()?;
    let folder = context.target.join("served");
    // What was recorded is never replaced: an earlier run of the stage makes way.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found = Vec::new();
    for transport in ["tcp", "udp"] {
        let program = context.interfield();
        let (program, to) = (program.display().to_string(), folder.display().to_string());
        let said = script(context, &python, "opensees_client.py", &[&program, transport, &to])?;
        let springs = springs(transport, &said)?;
        let storey = hysteretic(context, transport, &said, &folder)?;
        let two = both(transport, &said)?;
        found.push(format!("{transport}: {springs}, hysteretic {storey:.0e}, two specimens {two:.0e}"));
    }
    page(context, &python, &folder)?;
    found.push("the book tells the truth".to_owned());
    tripped(context, &python, &folder)?;
    started_anew(context, &python, &folder)?;
    found.push("scripts end after a trip, and where the test is not theirs".to_owned());
    Ok(found.join("; "))
}

/// The chapter.
const PAGE: &str = "docs/book/src/opensees.md";

/// A block of the chapter.
fn block(context: &Context, fence: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(context.root.join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let start = format!("```{fence}\n");
    let found = text.split_once(&start).and_then(|(_, rest)| rest.split_once("```"));
    found.map(|(body, _)| body.to_owned()).ok_or_else(|| format!("{PAGE} has no block `{fence}`"))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::write(&path, text).map(|()| path).map_err(|e| format!("{name}: {e}"))
}

/// A server that listens.
struct Server {
    process: Child,
    errors: BufReader<ChildStderr>,
    port: String,
}

impl Server {
    /// Its exit code, and what it said on standard error; `now` without waiting for it.
    fn end(mut self, now: bool) -> Result<(Option<i32>, String), String> {
        if now {
            let _ = self.process.kill();
        }
        let mut said = String::new();
        self.errors.read_to_string(&mut said).map_err(|e| e.to_string())?;
        Ok((self.process.wait().map_err(|e| e.to_string())?.code(), said))
    }
}

fn serve(context: &Context, folder: &Path, model: &Path, options: &[&str]) -> Result<Server, String> {
    let mut server = interfield(context);
    server.arg("serve").arg(model).args(["--listen", "tcp://127.0.0.1:0"]).args(options).current_dir(folder);
    let mut process = server
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("`interfield serve` cannot be started: {e}"))?;
    let mut line = String::new();
    let mut errors = BufReader::new(process.stderr.take().ok_or("no pipe")?);
    errors.read_line(&mut line).map_err(|e| e.to_string())?;
    let port = line.trim_end().rsplit_once(':').map(|(_, port)| port.to_owned());
    let port = port.ok_or_else(|| format!("`interfield serve`: {line}"))?;
    Ok(Server { process, errors, port })
}

/// What is written instead in a script.
type Changes = &'static [(&'static str, &'static str)];

/// Scripts whose specimen trips: the one of the book, one that iterates, one that looks at nothing; whether they fail by themselves.
const SCRIPTS: &[(&str, Changes, bool)] = &[
    ("book", &[], true),
    (
        "iterating",
        &[
            (" or math.isnan(ops.nodeDisp(2, 1))", ""),
            ("\"Linear\", \"-initial\"", "\"Newton\""),
            ("\"AlphaOS\", 0.9", "\"Newmark\", 0.5, 0.25"),
        ],
        true,
    ),
    ("careless", &[("ops.analyze(1, 0.01) != 0 or math.isnan(ops.nodeDisp(2, 1))", "ops.analyze(1, 0.01) > 1")], false),
];

/// Longest time that a script needs to end, trip included.
const BOUND: Duration = Duration::from_secs(60);

/// Runs a script of OpenSees for the server at this port. One that does not end by itself is a failure.
fn client(python: &Path, folder: &Path, name: &str, script: &str, port: &str) -> Result<ExitStatus, String> {
    let path = write(folder, &format!("{name}.py"), &script.replace("8090", port))?;
    let mut client = Command::new(python);
    client.arg("-B").arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut client = client.spawn().map_err(|e| format!("{}: {e}", python.display()))?;
    loop {
        match client.try_wait().map_err(|e| e.to_string())? {
            Some(status) => {
                println!("the script `{name}` ended after {:.1} s: {status}", began.elapsed().as_secs_f64());
                return Ok(status);
            }
            None if began.elapsed() > BOUND => {
                let _ = client.kill();
                return Err(format!("the script `{name}` goes on for ever"));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The script of the chapter with other words.
fn changed(context: &Context, changes: Changes) -> Result<String, String> {
    let mut script = block(context, "python storey.py")?;
    for (from, to) in changes {
        if !script.contains(from) {
            return Err(format!("{PAGE}: the script no longer says `{from}`"));
        }
        script = script.replace(from, to);
    }
    Ok(script)
}

/// The specimen of the chapter passes a limit in the middle: the script ends, and the server says why.
fn tripped(context: &Context, python: &Path, folder: &Path) -> Result<(), String> {
    let model = block(context, "toml served.toml")?.replace("displacement = \"60 mm\"", "displacement = \"20 mm\"");
    for (name, changes, fails) in SCRIPTS {
        let model = write(folder, &format!("tripped-{name}.toml"), &model)?;
        let server = serve(context, folder, &model, &[])?;
        let status = client(python, folder, &format!("tripped-{name}"), &changed(context, changes)?, &server.port);
        let (code, said) = server.end(status.is_err())?;
        let status = status?;
        if status.success() == *fails
            || code != Some(3)
            || !said.contains("a commanded displacement exceeded its limit")
        {
            return Err(format!("the {name} script: {status}, the server: {code:?}:\n{said}"));
        }
    }
    Ok(())
}

/// OpenSees is killed in the middle, and its script started anew: that one is refused and ends, and the specimen has not moved.
fn started_anew(context: &Context, python: &Path, folder: &Path) -> Result<(), String> {
    let model = write(folder, "anew.toml", &block(context, "toml served.toml")?)?;
    let server = serve(context, folder, &model, &["--stall", "2 s", "--on-stall", "ramp-down"])?;
    let dies: Changes = &[(
        "for step in range(1000):\n",
        "import os, signal\nfor step in range(1000):\n    step == 300 and os.kill(os.getpid(), signal.SIGKILL)\n",
    )];
    let both = client(python, folder, "killed", &changed(context, dies)?, &server.port)
        .and_then(|killed| Ok((killed, client(python, folder, "anew", &changed(context, &[])?, &server.port)?)));
    let (code, said) = server.end(both.is_err())?;
    let (killed, anew) = both?;
    let refused = said.contains("a client is refused: it does not begin at the position of the specimen");
    if killed.code().is_some() || anew.success() || code != Some(3) || !refused {
        return Err(format!("killed: {killed}, started anew: {anew}, the server: {code:?}:\n{said}"));
    }
    Ok(())
}

/// Two specimens of one server against springs of OpenSees.
fn both(transport: &str, said: &Value) -> Result<f64, String> {
    let two = &said["both"];
    let difference = two["difference"].as_f64().unwrap_or(f64::NAN);
    let steps = &said["steps"];
    let whole = two["commits"] == json!([steps, steps]) && two["verdicts"] == json!(["good", "good"]);
    if whole && difference <= SAME { Ok(difference) } else { Err(format!("{transport}: two specimens: {two}")) }
}

/// What the chapter of the book says: its model, its script, and what the server prints (but for the time it took).
fn page(context: &Context, python: &Path, folder: &Path) -> Result<(), String> {
    let model = write(folder, "served.toml", &block(context, "toml served.toml")?)?;
    let expected = block(context, "text served.toml")?;
    let mut server = serve(context, folder, &model, &[])?;
    let script = write(folder, "storey.py", &block(context, "python storey.py")?.replace("8090", &server.port))?;
    let mut client = Command::new(python);
    client.arg("-B").arg(script);
    if let Err(e) = context.run(client) {
        // It would wait for another one.
        let _ = server.process.kill();
        return Err(e);
    }
    let output = server.process.wait_with_output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let timeless = |text: &str| -> Vec<String> {
        text.lines().filter(|l| !l.starts_with("answered after")).map(|l| l.trim_end().to_owned()).collect()
    };
    if timeless(&said) == timeless(&expected) {
        return Ok(());
    }
    Err(format!("{PAGE}: `interfield serve` now prints:\n{said}"))
}

/// Every case against OpenSees' own spring.
fn springs(transport: &str, said: &Value) -> Outcome {
    let cases = said["cases"].as_array().filter(|c| c.len() == 8).ok_or("the script has not run its eight cases")?;
    let steps = said["steps"].as_u64().ok_or("the script does not say its steps")?;
    let mut worst = 0.0;
    let mut medians = Vec::new();
    for case in cases {
        let name = case["name"].as_str().unwrap_or("?");
        let number = |key: &str| case[key].as_f64().ok_or_else(|| format!("{name}: no number `{key}`"));
        let (difference, median) = (number("difference")?, number("median_us")?);
        println!("{transport}: {name}: differs by {difference:.1e}, {median:.0} us per step (median)");
        if difference.is_nan() || difference > SAME {
            return Err(format!("{transport}: {name}: a served spring differs by {difference:.1e} from OpenSees' own"));
        }
        if case["commits"] != steps || case["verdict"] != "good" {
            return Err(format!("{transport}: {name}: {} steps, {} verdict", case["commits"], case["verdict"]));
        }
        worst = f64::max(worst, difference);
        medians.push(median);
    }
    medians.sort_by(f64::total_cmp);
    Ok(format!("8 springs {worst:.0e}, {:.0} us per step", medians[medians.len() / 2]))
}

/// OpenSees with AlphaOS (alpha = 1) against our `newmark`, which treat a specimen alike.
fn hysteretic(context: &Context, transport: &str, said: &Value, folder: &Path) -> Result<f64, String> {
    let csv = folder.join(format!("{transport}-run.csv"));
    let mut run = interfield(context);
    run.args(["run", "peers/hysteretic.toml", "--json", "--output"]).arg(&csv);
    context.output(run)?;
    let table = std::fs::read_to_string(&csv).map_err(|e| format!("{}: {e}", csv.display()))?;
    let dt = said["dt"].as_f64().ok_or("the script does not say its time step")?;
    let mut worst = 0.0;
    for (key, column) in [("m1", "m1.x [m]"), ("m2", "m2.x [m]")] {
        let theirs = numbers(&said["hysteretic"], key)?;
        let times: Vec<f64> = (1..=theirs.len()).map(|k| k as f64 * dt).collect();
        let ours = column_at(&table, column, &times).map_err(|e| format!("{}: {e}", csv.display()))?;
        let what = format!("{column} with the storey served over {transport}");
        worst = f64::max(worst, compare(&what, "peers/hysteretic.toml", &ours, &theirs)?);
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_differs_is_found() {
        let case = |difference: f64| json!({ "name": "a", "difference": difference, "median_us": 1.0, "commits": 5, "verdict": "good" });
        let said = |last: Value| {
            let mut cases = vec![case(1e-13); 7];
            cases.push(last);
            json!({ "steps": 5, "cases": cases })
        };
        assert!(springs("tcp", &said(case(1e-12))).is_ok());
        assert!(springs("tcp", &said(case(1e-10))).is_err());
        let mut short = case(0.0);
        short["commits"] = 4.into();
        assert!(springs("tcp", &said(short)).is_err());
        assert!(springs("tcp", &json!({ "steps": 5, "cases": [case(0.0)] })).is_err());
    }
}
