//! Result files opened by the programs of other people: h5py, scipy and, where it is installed, Octave.

use std::process::Command;

use crate::context::{Context, Outcome};

/// Builds and runs `python_check` of the results crate.
pub(crate) fn stage(context: &Context) -> Outcome {
    let python = crate::python::python(context)?;
    context.build()?;
    let mut check = Command::new(context.program("examples/python_check"));
    check.env("INTERFIELD_PYTHON", python);
    context.run(check)?;
    Ok("read by h5py and scipy".to_owned())
}
