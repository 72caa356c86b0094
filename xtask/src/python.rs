//! A Python with the peers of the tests: OpenSees, and what reads result files.

use std::path::PathBuf;
use std::process::Command;

use crate::context::Context;
use crate::debian::install;

/// Shared libraries that the wheels expect of the system, with their Debian packages.
const LIBRARIES: &[(&str, &str)] = &[("libblas.so.3", "libblas3"), ("liblapack.so.3", "liblapack3")];

/// The Python of a virtual environment with everything in peers/requirements.txt, made if need be.
pub(crate) fn python(context: &Context) -> Result<PathBuf, String> {
    let venv = context.target.join("venv");
    let python = venv.join("bin/python");
    let wanted = std::fs::read_to_string(context.root.join("peers/requirements.txt"))
        .map_err(|e| format!("peers/requirements.txt: {e}"))?;
    let stamp = venv.join("installed.txt");
    let import = || {
        let mut import = Command::new(&python);
        import.args(["-c", "import h5py, numpy, openseespy.opensees, scipy.io"]);
        import
    };
    if std::fs::read_to_string(&stamp).is_ok_and(|s| s == wanted) && context.succeeds(import()) {
        return Ok(python);
    }

    libraries(context)?;
    let make = || {
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(&venv);
        make
    };
    if context.run(make()).is_err() {
        // Debian's python3 comes without it.
        install(context, &["python3", "python3-venv"])?;
        context.run(make())?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    pip.args(["-r", "peers/requirements.txt"]);
    context.run(pip).map_err(|e| {
        format!("{e}\nthe packages could not be installed from PyPI (network? Python older than 3.11?)")
    })?;
    context.run(import()).map_err(|e| format!("{e}\nthey are installed but do not load, see above"))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
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
