//! The hunt for answers that are silently wrong: random models by our program and by scipy (peers/hunt).

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::context::{Context, Outcome};

/// Models of the stage: about a minute.
const MODELS: &str = "200";

/// How the command is used.
pub(crate) const USAGE: &str = "cargo xtask hunt [ARG...]    random models against scipy: --models 5000 --seed 1 [--first N] [--verbose] [--shrink]\n";

/// A few hundred models, always the same.
pub(crate) fn stage(context: &Context) -> Outcome {
    context.build()?;
    let found = hunt(context, &context.interfield(), &["--models", MODELS, "--seed", "1"].map(str::to_owned))?;
    judge(&found)
}

/// As many models as wanted, by the optimised program.
pub(crate) fn command(args: &[String]) -> Result<bool, String> {
    let context = Context::new()?;
    context.run(context.cargo(["build", "--release", "--locked", "-p", "interfield-cli"]))?;
    let found = hunt(&context, &context.target.join("release/interfield"), args)?;
    let outcome = judge(&found);
    println!("{}", outcome.as_ref().unwrap_or_else(|e| e));
    Ok(outcome.is_ok())
}

fn hunt(context: &Context, program: &Path, args: &[String]) -> Result<Value, String> {
    let mut python = Command::new(crate::python::python(context)?);
    python.arg("-B").arg(context.root.join("peers/hunt")).arg("--program").arg(program);
    // One model per process: threads inside would fight for the cores.
    python.arg("--output").arg(context.target.join("hunt")).args(args).env("OMP_NUM_THREADS", "1");
    context.json(python)
}

/// The counts in a line; an error if anything was silently wrong, or if nothing was right.
fn judge(found: &Value) -> Outcome {
    let counts = found["counts"].as_object().ok_or("the hunt did not say its counts")?;
    let text: Vec<String> = counts.iter().map(|(word, count)| format!("{word} {count}")).collect();
    let text = format!("{} models: {}", found["models"], text.join(", "));
    let wrong: Vec<&str> = found["silently_wrong"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if counts.get("right").and_then(Value::as_u64).unwrap_or(0) == 0 {
        return Err(format!("{text}\nnothing was right: the hunt itself is broken"));
    }
    if wrong.is_empty() { Ok(text) } else { Err(format!("{text}\nto reproduce:\n{}", wrong.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_silently_wrong_answer_fails_the_hunt() {
        let found =
            |right: u64, wrong: &[&str]| json!({ "models": 9, "counts": { "right": right }, "silently_wrong": wrong });
        assert_eq!(judge(&found(3, &[])), Ok("9 models: right 3".to_owned()));
        assert!(judge(&found(3, &["a.toml"])).is_err_and(|e| e.contains("a.toml")));
        assert!(judge(&found(0, &[])).is_err());
        assert!(judge(&json!({})).is_err());
    }
}
