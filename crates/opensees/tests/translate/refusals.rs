//! What is not translated is told, with its line and a remedy.

use interfield_opensees::{Fate, Import, Options, Record, translate};

use crate::{COLUMN, GRAVITY, column, import, import_with, told};

#[test]
fn what_is_unknown_is_refused_with_its_line_and_a_remedy() {
    let import = import(&column(
        "uniaxialMaterial Pinching4 1 1 2 3
         uniaxialMaterial Elastic 2 100
         element truss 1 1 2 0.1 1
         element quad 2 1 2 1 2 0.1 PlaneStress 1
         frobnicate 1 2
         printModel node 1
         element elasticBeamColumn 5 1 2 0.1 3e7 0.001 1",
    ));
    let refused = told(&import, Fate::Refused);
    assert_eq!(
        refused,
        [
            "s.py:11: frobnicate: the command is unknown",
            "s.py:10: element quad: `quad` is no member of a frame",
            "s.py:7: uniaxialMaterial Pinching4: Interfield has no material `Pinching4`",
        ]
    );
    assert!(import.report.of(Fate::Refused).all(|f| !f.remedy.is_empty()));
    let ignored = told(&import, Fate::Ignored);
    assert!(
        ignored.iter().any(|m| m.contains("printModel"))
            && ignored.iter().any(|m| m.contains("nothing that is translated uses")),
        "{ignored:?}"
    );
}

#[test]
fn a_refused_command_may_be_left_out_by_name() {
    let script =
        column("uniaxialMaterial Elastic 2 100\nelement truss 1 1 2 0.1 2\nelement quad 2 1 2 1 2 0.1 PlaneStress 1");
    let allowed = import_with(&script, Options { allow: vec!["quad".into()], ..Options::default() });
    assert!(!allowed.report.refuses());
    assert!(told(&allowed, Fate::Replaced)[0].contains("left out, as --allow says"));
}

#[test]
fn numbers_that_descend_from_answers_are_not_trusted() {
    let mut text = String::from("{\"recorder\":\"python\",\"script\":\"s.py\",\"version\":1}\n");
    for (name, arguments) in [
        ("node", "1, 0, 0"),
        ("node", "2, 0, {\"value\": 3, \"from\": \"nodeDisp\"}"),
        ("rayleigh", "{\"value\": 0.4, \"from\": \"eigen\", \"live\": true}, 0, 0, 0"),
    ] {
        text += &format!("{{\"command\":\"{name}\",\"arguments\":[{arguments}],\"file\":\"s.py\",\"line\":3}}\n");
    }
    let record = Record::read(&text).expect("a record without its end");
    let import = translate(&record, &Options::default(), &|_| Err(String::new()));
    let refused = told(&import, Fate::Refused);
    assert!(refused[0].contains("node: its numbers descend from nodeDisp"), "{refused:?}");
    assert!(refused.iter().any(|m| m.contains("ended without a word")), "{refused:?}");
    assert!(
        told(&import, Fate::Replaced)[0]
            .contains("rayleigh: its numbers descend from eigen, which Interfield has computed")
    );
}

#[test]
fn analyses_that_differ_by_their_factor_are_one_model() {
    let one = |factor: f64| {
        format!(
            "{COLUMN}{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt -factor {factor}
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 100 0.01
         wipe
        "
        )
    };
    let import = import(&[1.0, 2.0, 4.0].map(one).concat());
    assert_eq!(import.models.len(), 1);
    assert_eq!(import.models[0].repeats, [(1.0, 0.04), (2.0, 0.08), (4.0, 0.16)]);
    let twice = import_of_two();
    assert_eq!(twice.models.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["s.toml", "s-pushover-2.toml"]);
}

/// A motion, then a pushover of another model.
fn import_of_two() -> Import {
    import(&format!(
        "{COLUMN}{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 100 0.01
         wipe
         {COLUMN}{GRAVITY}timeSeries Linear 2
         pattern Plain 2 2
         load 2 1 0 0
         integrator DisplacementControl 2 1 0.01
         analysis Static
         analyze 10"
    ))
}

#[test]
fn a_script_without_a_model_says_so() {
    let import = import("wipe");
    assert!(told(&import, Fate::Refused)[0].contains("has built no model"));
    assert!(import.models.is_empty());
}

#[test]
fn circles_of_materials_and_empty_commands_are_refused() {
    let circle = import(&column(
        "uniaxialMaterial Parallel 1 2
         uniaxialMaterial Parallel 2 1
         element truss 1 1 2 0.1 1
         element elasticBeamColumn 2 1 2 0.1 3e7 0.001 1",
    ));
    assert!(
        told(&circle, Fate::Refused).iter().any(|m| m.contains("or of itself")),
        "{:?}",
        told(&circle, Fate::Refused)
    );
    for command in [
        "model",
        "node",
        "element",
        "section",
        "patch",
        "fiber",
        "integrator",
        "pattern",
        "load",
        "eleLoad",
        "region",
        "recorder",
        "fix",
        "remove",
    ] {
        let empty = import(&column(&format!(
            "{command}\nelement elasticBeamColumn 2 1 2 0.1 3e7 0.001 1\nanalysis Static\nanalyze 1\nanalysis Transient\nanalyze 1 0.1"
        )));
        assert!(!empty.report.findings.is_empty(), "{command} is dropped without a word");
    }
}

#[test]
fn a_broken_record_is_refused_with_its_line() {
    let head = "{\"recorder\":\"python\",\"script\":\"s.py\",\"version\":1}\n";
    assert!(Record::read(&format!("{head}nonsense\n{head}")).is_err_and(|e| e.contains("line 2")));
    assert!(Record::read(&format!("{head}{{\"command\":\"no")).is_ok_and(|r| r.commands.is_empty()));
    assert!(Record::read("{\"recorder\":\"python\",\"version\":2}\n").is_err_and(|e| e.contains("version")));
}
