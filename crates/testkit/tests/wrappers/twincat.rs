//! The module in a driver that calls it as a task of a PLC does, against a stub header. Never tried in TwinCAT.

use std::path::Path;

use interfield_codegen::wrap::twincat::files;

use crate::bench::{ISOLATED, SAME, both, compile, difference, printed, write};

#[test]
fn a_module_computes_what_the_library_does() {
    let (export, rows) = both(ISOLATED, "isolated");
    let folder = tempfile::tempdir().unwrap();
    write(&files(&export), folder.path());
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrappers");
    for file in ["isolated.c", "isolated_plc.c"] {
        compile("cc", folder.path(), &["-std=c99", "-c", file]);
    }
    let (stubs, driver) = (format!("-I{}", here.join("stubs").display()), here.join("drivers/twincat.cpp"));
    let arguments =
        ["-std=c++14", "-I.", &stubs, "-o", "driver", driver.to_str().unwrap(), "isolated.o", "isolated_plc.o", "-lm"];
    compile("c++", folder.path(), &arguments);
    let found = printed(&folder.path().join("driver"));
    assert_eq!(found.len(), 2 * rows.len());
    assert!(difference(&found[..rows.len()], &rows) <= SAME);
    assert!(difference(&found[rows.len()..], &rows) <= SAME, "fed from outside");
}

/// Structured text cannot be compiled here; its members are at least those of C, in the same order.
#[test]
fn structures_have_the_members_of_the_interface() {
    let (export, _) = both(ISOLATED, "isolated");
    let files = files(&export);
    let text = |name: &str| files.iter().find(|(n, _)| n == name).map(|(_, t)| t.as_str()).unwrap();
    let members = |name: &str| {
        let lines = text(name).lines().filter(|l| l.contains(" : LREAL;"));
        lines.map(|l| l.trim().split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let i = &export.interface;
    assert_eq!(members("ST_ISOLATED_IN.TcDUT").len(), i.parameters.len() + i.inputs.len());
    assert_eq!(members("ST_ISOLATED_OUT.TcDUT"), ["f_base_x", "f_roof_x_v", "f_roof_x_abs", "f_iso_force"]);
    assert!(text("ST_ISOLATED_OUT.TcDUT").contains("f_iso_force : LREAL; (* iso.force, kN *)"));
    assert!(text("FB_ISOLATED.TcPOU").contains("stOut AT %I* : ST_ISOLATED_OUT"));
}
