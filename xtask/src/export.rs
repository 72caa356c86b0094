//! Generated C beyond what the unit tests compile: clang, the sanitizers, the number of instructions of a step, code and stack.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::context::{Context, Outcome};
use crate::debian::install;

/// Models, with what else `interfield export c` is told, and whether a step calls nothing of `math.h`: then it takes the same
/// instructions whatever shakes the structure.
const MODELS: &[(&str, &[&str], bool)] = &[
    ("viaduct", &[], true),
    ("duffing-chain", &["--scheme", "newmark"], true),
    ("rio-torto-isolated", &["--whole"], true),
    ("cantilever", &["--whole"], true),
    ("shear-pendulum", &["--until", "1 s"], false),
    ("trento-rig", &[], true),
    ("rio-torto-llm", &["--until", "1 s"], false),
    ("isolated-building", &["--until", "2 s"], false),
    ("frame", &["--scheme", "alpha-os", "--until", "2 s"], true),
];

const STRICT: &[&str] =
    &["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-ffp-contract=off"];

/// Steps under motions of two sizes; only the calls of `step` are counted.
const COUNT: &str = r#"
#include <stdlib.h>
#include "@name@.h"
static @name@_t m;
int main(int argc, char **argv)
{
    const double size = argc > 1 ? atof(argv[1]) : 1.0;
    @name@_init(&m);
    int fault = @name@_start(&m);
    for (int call = 0; call < 100 && !fault; call++) {
        @name@_motion(&m, m.wanted < 0 ? 0 : m.wanted + 100);
        for (int i = 0; i < @NAME@_ROWS * @NAME@_INPUTS; i++) {
            m.inputs[i] *= size;
        }
        fault = @name@_step(&m);
    }
    return fault;
}
"#;

/// Compiles, runs and counts.
pub(crate) fn stage(context: &Context) -> Outcome {
    tools(context)?;
    context.build()?;
    let mut said = Vec::new();
    let mut failed = Vec::new();
    for (model, settings, counted) in MODELS {
        match check(context, model, settings, *counted) {
            Ok(text) => said.push(text),
            Err(text) => failed.push(format!("{model}: {text}")),
        }
    }
    if failed.is_empty() { Ok(said.join("; ")) } else { Err(failed.join("\n")) }
}

/// Compilers and valgrind, installed if they are missing.
fn tools(context: &Context) -> Result<(), String> {
    let missing: Vec<&str> = ["gcc", "clang", "valgrind"]
        .into_iter()
        .filter(|tool| {
            let mut command = Command::new(tool);
            command.arg("--version");
            !context.succeeds(command)
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { install(context, &missing) }
}

fn check(context: &Context, model: &str, settings: &[&str], counted: bool) -> Outcome {
    let at = context.target.join("export").join(model);
    let mut export = Command::new(context.interfield());
    export.args(["export", "c", &format!("models/{model}.toml"), "--out"]).arg(&at).args(settings);
    context.output(export)?;
    let name = model.replace('-', "_");
    let source = format!("{name}.c");
    let build = |compiler: &str, flags: &[&str], sources: &[&str], program: &str| -> Result<PathBuf, String> {
        let out = at.join(program);
        let mut command = Command::new(compiler);
        command.args(STRICT).args(flags).arg("-o").arg(&out);
        command.args(sources.iter().map(|s| at.join(s))).arg("-lm");
        context.output(command).map(|_| out)
    };
    let both = ["main.c", &source];
    let plain = context.output(Command::new(build("gcc", &["-O2"], &both, "gcc")?))?;
    let clang = context.output(Command::new(build("clang", &["-O2"], &both, "clang")?))?;
    if plain != clang {
        return Err("gcc and clang give different numbers".to_owned());
    }
    let sanitizers = ["-O1", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
    if plain != context.output(Command::new(build("gcc", &sanitizers, &both, "sanitized")?))? {
        return Err("the sanitizers change the numbers".to_owned());
    }
    let object = at.join("size.o");
    let mut compile = Command::new("gcc");
    compile.args(STRICT).args(["-O2", "-fstack-usage", "-c", "-o"]).arg(&object).arg(at.join(&source));
    context.output(compile)?;
    let (code, stack) = (code_size(context, &object)?, stack_use(&at.join("size.su"))?);
    std::fs::write(at.join("count.c"), COUNT.replace("@name@", &name).replace("@NAME@", &name.to_uppercase()))
        .map_err(|e| e.to_string())?;
    let program = build("gcc", &["-O2"], &["count.c", &source], "count")?;
    let counts = ["1", "0.4"].map(|size| instructions(&at, &name, &program, size));
    let [a, b] = counts;
    let (a, b) = (a?, b?);
    if counted && a != b {
        return Err(format!("a step takes {a} instructions under one motion and {b} under another"));
    }
    Ok(format!("{model}: {a} instructions a step, {code} bytes of code, largest frame {stack} bytes"))
}

/// Bytes of machine code.
fn code_size(context: &Context, object: &Path) -> Result<u64, String> {
    let mut size = Command::new("size");
    size.args(["-A"]).arg(object);
    let text = context.output(size)?;
    let sections = text.lines().filter(|l| l.starts_with(".text"));
    Ok(sections.filter_map(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).sum())
}

/// Largest stack frame of any function; frames of unknown size are a failure.
fn stack_use(file: &Path) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    if let Some(line) = text.lines().find(|l| l.ends_with("dynamic")) {
        return Err(format!("a stack frame has no bound: {line}"));
    }
    let frames = text.lines().filter_map(|l| l.split('\t').nth(1)?.parse().ok());
    frames.max().ok_or_else(|| "the compiler said nothing of the stack".to_owned())
}

/// Instructions of one step, on average over the run of `count.c`.
fn instructions(at: &Path, name: &str, program: &Path, size: &str) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", &format!("--toggle-collect={name}_step")]);
    command.arg(format!("--callgrind-out-file={}", at.join("callgrind.out").display())).arg(program).arg(size);
    let out = command.output().map_err(|e| format!("valgrind cannot be started: {e}"))?;
    let said = String::from_utf8_lossy(&out.stderr);
    let count = said.lines().find_map(|l| l.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    match count {
        Some(count) if out.status.success() => Ok(count / 100),
        _ => Err(format!("valgrind: {}", said.lines().last().unwrap_or_default())),
    }
}
