//! The Python package as users have it: a wheel from `pip`, in a fresh environment; its tests, notebooks, stubs and examples; the C
//! library; and the functions for MATLAB in Octave.
//!
//! All of it is built in the profile of the tests, and beside what they have built, so that the dependencies are not compiled again.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::context::{Context, Outcome};
use crate::{debian, python};

/// Its native part, which is not part of the workspace.
pub(crate) const MANIFEST: &str = "python/Cargo.toml";

/// Of the tests, or of users.
#[derive(Clone, Copy)]
enum Profile {
    Dev,
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Release => "release",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Profile::Dev => "debug",
            Profile::Release => "release",
        }
    }
}

/// Builds everything and tests it.
pub(crate) fn stage(context: &Context) -> Outcome {
    let venv = context.target.join("python/fresh");
    python::empty(context, &venv)?;
    let own = venv.join("bin/python");
    // What is downloaded comes while the native part is compiled.
    let (python, wheel) = std::thread::scope(|scope| {
        let downloaded = scope.spawn(|| octave_there(context).and_then(|()| python::package(context)));
        let wheel = context.build().and_then(|()| wheel(context, &own, Profile::Dev));
        let python =
            downloaded.join().unwrap_or_else(|_| Err("the download of packages ended unexpectedly".to_owned()));
        Ok::<_, String>((python?, wheel?))
    })?;
    install(context, &python, &wheel)?;
    let tested = |what: &str| {
        let mut command = with_libraries(context, &python, Profile::Dev);
        command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(what.split_whitespace());
        context.run(command)
    };
    let typed = |what: &str| {
        let mut command = Command::new(&python);
        command.args(["-m"]).args(what.split_whitespace()).arg("python/pyproject.toml");
        context.run(command)
    };
    // Most tests wait for something or use one core: the rest is done beside them.
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            fresh(context, &own, &wheel)?;
            typed("mypy.stubtest interfield --mypy-config-file")?;
            typed("mypy --strict python/examples --config-file")?;
            tested("--pyargs interfield --doctest-modules -o doctest_optionflags=NORMALIZE_WHITESPACE")?;
            octave(context)
        });
        let tested = tested("python/tests");
        let beside =
            beside.join().unwrap_or_else(|_| Err("what is done beside the tests ended unexpectedly".to_owned()));
        tested.and(beside)
    })?;
    Ok(format!("{}, fresh and tested; C, ctypes and Octave agree", name(&wheel)))
}

/// What Python costs beside the program.
pub(crate) fn bench(context: &Context) -> Result<(), String> {
    let python = python::package(context)?;
    context.run(context.cargo(["build", "--locked", "--release", "-p", "interfield-cli", "-p", "interfield-capi"]))?;
    install(context, &python, &wheel(context, &python, Profile::Release)?)?;
    let mut command = with_libraries(context, &python, Profile::Release);
    command.arg("python/benches/cost.py");
    context.run(command)
}

/// The wheel as `pip install ./python` builds it.
fn wheel(context: &Context, python: &Path, profile: Profile) -> Result<PathBuf, String> {
    let folder = context.target.join("python").join(profile.folder());
    // Only the one that is built now.
    let _ = std::fs::remove_dir_all(&folder);
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "wheel", "./python", "--no-deps", "--quiet", "--disable-pip-version-check", "--wheel-dir"]);
    pip.arg(&folder).arg(format!("--config-settings=build-args=--profile={} --locked", profile.name()));
    pip.env("CARGO_TARGET_DIR", &context.target);
    context.run(pip).map_err(|e| format!("{e}\nthe wheel could not be built (network? maturin comes from PyPI)"))?;
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let wheels = entries.filter_map(|e| Some(e.ok()?.path())).find(|p| p.extension().is_some_and(|e| e == "whl"));
    wheels.filter(|w| name(w).contains("-abi3-")).ok_or_else(|| "pip built no abi3 wheel".to_owned())
}

fn name(wheel: &Path) -> String {
    wheel.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn install(context: &Context, python: &Path, wheel: &Path) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"]);
    context.run({
        pip.arg(wheel);
        pip
    })
}

/// A fresh environment has nothing but the package and what it asks for, and runs the example of README.md.
fn fresh(context: &Context, own: &Path, wheel: &Path) -> Result<(), String> {
    let mut pip = Command::new(own);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).arg(wheel);
    context.run(pip)?;
    let readme = std::fs::read_to_string(context.root.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let (_, rest) = readme.split_once("```python\n").ok_or("README.md shows no example in Python")?;
    let example = rest.split("```").next().unwrap_or_default();
    // Where it may write.
    let folder = context.target.join("python/example");
    let script = format!(
        "import os, shutil\nfolder = {folder:?}\nshutil.rmtree(folder, ignore_errors=True)\nos.makedirs(folder)\n\
         os.symlink(os.path.abspath('models'), os.path.join(folder, 'models'))\nos.chdir(folder)\n{example}\n\
         assert os.path.getsize('response.png') > 1000"
    );
    let mut run = Command::new(own);
    run.args(["-c", &script]);
    context.run(run)
}

/// A Python that knows where the program and the C library are.
fn with_libraries(context: &Context, python: &Path, profile: Profile) -> Command {
    let built = context.target.join(profile.folder());
    let mut command = Command::new(python);
    command.env("INTERFIELD_PROGRAM", built.join("interfield"));
    command.env("INTERFIELD_C_LIBRARY", built.join("libinterfield_c.so"));
    command
}

/// Octave, and what it needs to draw without a screen.
fn octave_there(context: &Context) -> Result<(), String> {
    let there = |program: &str| {
        let mut version = Command::new(program);
        version.arg("--version");
        context.succeeds(version)
    };
    if there("octave-cli") && there("gnuplot") && Path::new(OCTAVE_FONT).exists() {
        return Ok(());
    }
    debian::install(context, &["octave", "gnuplot-nox", "fonts-freefont-otf"])
}

/// The functions for MATLAB.
fn octave(context: &Context) -> Result<(), String> {
    let mut test = Command::new("octave-cli");
    test.args(["--no-gui", "--norc", "--quiet", "matlab/tests/all.m"]);
    test.env("INTERFIELD_PROGRAM", context.interfield());
    context.run(test)
}

/// The font of its figures, without which it draws none.
const OCTAVE_FONT: &str = "/usr/share/fonts/opentype/freefont/FreeSans.otf";
