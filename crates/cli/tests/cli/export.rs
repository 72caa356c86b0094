//! `interfield export c`: what it writes, and what it refuses.

use super::{BASE, file, interfield, models};

#[test]
fn a_model_becomes_c_files() {
    let model = file("exported.toml", BASE);
    let out = model.with_file_name("exported-c");
    let args = ["export", "c", model.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let said = interfield(&args).expect(0);
    assert!(said.stdout.contains("exported.c, exported.h, main.c, Makefile, README.md"), "{}", said.stdout);
    let source = std::fs::read_to_string(out.join("exported.c")).unwrap();
    assert!(source.contains("#include \"exported.h\"") && source.contains("int exported_step(exported_t *self)"));
    assert!(!source.contains('@'), "a placeholder was left");
    let header = std::fs::read_to_string(out.join("exported.h")).unwrap();
    assert!(header.contains("enum {") && !header.contains('@'), "{header}");
    let json = interfield(&[&args[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(json["name"], "exported");
    assert_eq!(json["files"].as_array().unwrap().len(), 5);
    assert!(json["operations"]["flops"].as_u64().unwrap() > 0);
}

#[test]
fn what_cannot_be_exported_is_said_where_it_was_written() {
    let model = models().join("forced-split-mass.toml");
    let args = ["export", "c", model.to_str().unwrap(), "--out", "nowhere", "--scheme", "caam", "--json"];
    let said = interfield(&args).expect(2);
    let error = &said.json()["errors"][0];
    assert!(error["message"].as_str().unwrap().contains("iterates"), "{error}");
    assert!(error["line"].as_u64().is_some() && error["help"].as_str().is_some(), "{error}");
    let model = file("unwritable.toml", BASE);
    interfield(&["export", "c", model.to_str().unwrap(), "--out", "/proc/nowhere"]).expect(1);
    interfield(&["export", "c", model.to_str().unwrap()]).expect(2);
    interfield(&["export"]).expect(2);
}

#[test]
fn a_cut_model_is_exported_with_its_coupling_or_whole() {
    let model = models().join("isolated-building.toml");
    let out = file("cut.toml", BASE).with_file_name("cut-c");
    let args = ["export", "c", model.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json"];
    let json = interfield(&args).expect(0).json();
    assert_eq!(json["commands"].as_array().unwrap().len(), 1, "{json}");
    let source = std::fs::read_to_string(out.join("isolated_building.c")).unwrap();
    assert!(source.contains("PMC") && source.contains("static int fine_reach(") && !source.contains("#if"));
    interfield(&[&args[..], &["--whole"]].concat()).expect(0);
    let source = std::fs::read_to_string(out.join("isolated_building.c")).unwrap();
    assert!(!source.contains("PMC"));
}
