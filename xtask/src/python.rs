//! Pythons with the peers of the tests: OpenSees and what reads result files; FMPy; what scripts of OpenSees load.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::context::Context;
use crate::debian::install;

/// Shared libraries that the wheels expect of the system, with their Debian packages.
const LIBRARIES: &[(&str, &str)] = &[("libblas.so.3", "libblas3"), ("liblapack.so.3", "liblapack3")];

/// A virtual environment of peers.
struct Environment {
    /// Its folder below the target directory.
    folder: &'static str,
    /// What is in it, a file of peers/.
    requirements: &'static str,
    /// What must load.
    modules: &'static str,
    /// For pip.
    options: &'static [&'static str],
}

/// OpenSees, and what reads result files.
const PEERS: Environment = Environment {
    folder: "venv",
    requirements: "peers/requirements.txt",
    modules: "h5py, numpy, openseespy.opensees, scipy.io",
    options: &[],
};

/// FMPy. Its requirements are complete; what it asks for besides is graphics and compilers.
const UNITS: Environment = Environment {
    folder: "venv-fmi",
    requirements: "peers/requirements-fmi.txt",
    modules: "fmpy.fmi2, fmpy.fmi3, fmpy.validation",
    options: &["--no-deps"],
};

/// What users' scripts load besides OpenSees, which the program takes the place of.
const SCRIPTS: Environment = Environment {
    folder: "venv-scripts",
    requirements: "peers/requirements-scripts.txt",
    modules: "numpy",
    options: &[],
};

/// The Python that runs scripts of OpenSees without OpenSees, made if need be.
pub(crate) fn scripts(context: &Context) -> Result<PathBuf, String> {
    environment(context, &SCRIPTS, |_| Ok(()))
}

/// What reads MCAP and metrics.
const CONSOLE: Environment = Environment {
    folder: "venv-console",
    requirements: "peers/requirements-console.txt",
    modules: "mcap.reader, prometheus_client.parser",
    options: &["--no-deps"],
};

/// The Python that reads MCAP and metrics, made if need be.
pub(crate) fn console(context: &Context) -> Result<PathBuf, String> {
    environment(context, &CONSOLE, |_| Ok(()))
}

/// What our own package is tested with.
const PACKAGE: Environment = Environment {
    folder: "venv-package",
    requirements: "python/requirements-test.txt",
    modules: "matplotlib, mypy, nbclient, numba, numpy, openseespy.opensees, pandas, pint, pytest, xarray",
    options: &[],
};

/// The Python that our own package is tested with, made if need be.
pub(crate) fn package(context: &Context) -> Result<PathBuf, String> {
    environment(context, &PACKAGE, libraries)
}

/// The Python with OpenSees and what reads result files, made if need be.
pub(crate) fn python(context: &Context) -> Result<PathBuf, String> {
    environment(context, &PEERS, libraries)
}

/// The Python with FMPy, made if need be.
pub(crate) fn units(context: &Context) -> Result<PathBuf, String> {
    environment(context, &UNITS, |_| Ok(()))
}

fn environment(
    context: &Context,
    wanted: &Environment,
    before: impl Fn(&Context) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let venv = context.target.join(wanted.folder);
    let python = venv.join("bin/python");
    let requirements = wanted.requirements;
    let text = std::fs::read_to_string(context.root.join(requirements)).map_err(|e| format!("{requirements}: {e}"))?;
    let stamp = venv.join("installed.txt");
    let import = || {
        let mut import = Command::new(&python);
        import.args(["-c", &format!("import {}", wanted.modules)]);
        import
    };
    if std::fs::read_to_string(&stamp).is_ok_and(|s| s == text) && context.succeeds(import()) {
        return Ok(python);
    }

    before(context)?;
    empty(context, &venv)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    pip.args(wanted.options).args(["-r", requirements]);
    context.run(pip).map_err(|e| {
        format!("{e}\nthe packages could not be installed from PyPI (network? Python older than 3.11?)")
    })?;
    context.run(import()).map_err(|e| format!("{e}\nthey are installed but do not load, see above"))?;
    std::fs::write(&stamp, text).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// An environment with nothing in it but pip.
pub(crate) fn empty(context: &Context, venv: &Path) -> Result<(), String> {
    let make = || {
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(venv);
        make
    };
    if context.run(make()).is_err() {
        // Debian's python3 comes without it.
        install(context, &["python3", "python3-venv"])?;
        context.run(make())?;
    }
    Ok(())
}

/// Installs the shared libraries that are missing.
fn libraries(context: &Context) -> Result<(), String> {
    let mut ldconfig = Command::new("ldconfig");
    ldconfig.arg("-p").env("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin");
    let known = context.output(ldconfig)?;
    let missing: Vec<&str> =
        LIBRARIES.iter().filter(|(file, _)| !known.contains(file)).map(|(_, name)| *name).collect();
    if missing.is_empty() { Ok(()) } else { install(context, &missing) }
}
