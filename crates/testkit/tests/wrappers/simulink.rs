//! The S-function in a driver that calls it as Simulink does, against stub headers. Never tried in Simulink.

use std::path::Path;
use std::process::Command;

use interfield_codegen::wrap::simulink::files;

use crate::bench::{ISOLATED, SAME, both, compile, difference, write};

#[test]
fn an_s_function_computes_what_the_library_does() {
    let (export, rows) = both(ISOLATED, "isolated");
    let folder = tempfile::tempdir().unwrap();
    write(&files(&export), folder.path());
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrappers");
    let (stubs, drivers) =
        (format!("-I{}", here.join("stubs").display()), format!("-I{}", here.join("drivers").display()));
    let arguments = ["-std=c99", &stubs, &drivers, "-o", "driver", "isolated_sfun.c", "isolated.c", "-lm"];
    compile("cc", folder.path(), &arguments);
    let run = |arguments: &[&str]| {
        let out = Command::new(folder.path().join("driver")).args(arguments).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let rows: Vec<Vec<f64>> = text.lines().map(|l| l.split(' ').map(|x| x.parse().unwrap()).collect()).collect();
        (rows, String::from_utf8(out.stderr).unwrap())
    };
    // The motion of the model file; from the port; parameters given one by one, as they are.
    for arguments in [&["0"][..], &["1"], &["0", &export.interface.parameters.len().to_string()]] {
        let (found, said) = run(arguments);
        assert_eq!(said, "");
        assert!(difference(&found, &rows) <= SAME, "{arguments:?}");
    }
    let (_, said) = run(&["0", "1"]);
    assert!(said.contains("the first parameter is []"), "{said}");
}
