//! Members, bearings and joints compared with OpenSees: each case is a model file with a path of the controlled displacement.

use std::fmt::Write;

use interfield_testkit::golden::golden;
use interfield_testkit::run::read;
use serde_json::Value;

use crate::frames::rows;
use crate::materials::numbers;

/// Load factor and channels along the targets of a case.
fn pushed(case: &Value) -> Vec<Vec<f64>> {
    let channels: Vec<&str> = case["channels"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let mut text = case["text"].as_str().unwrap().to_owned();
    let pattern: Vec<String> =
        case["pattern"].as_object().unwrap().iter().map(|(dof, force)| format!("\"{dof}\" = {force}")).collect();
    writeln!(
        text,
        "[pushover]\ncontrol = {}\npattern = {{ {} }}\nto = 1\nstep = 1",
        case["control"],
        pattern.join(", ")
    )
    .unwrap();
    writeln!(text, "[record]\nchannels = {channels:?}").unwrap();
    let mut model = read(&text);
    model.pushover.as_mut().unwrap().targets = numbers(case, "targets");
    rows(model, &channels, &case["label"].to_string())
}

/// Compares every column of the rows, over its largest magnitude.
fn compare(case: &Value, ours: &[Vec<f64>]) -> Vec<String> {
    let theirs = case["rows"].as_array().unwrap();
    assert_eq!(ours.len(), theirs.len(), "{}", case["label"]);
    let mut wrong = Vec::new();
    for column in 0..ours[0].len() {
        let expected: Vec<f64> = theirs.iter().map(|r| r[column].as_f64().unwrap()).collect();
        let peak = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let (at, worst) = ours
            .iter()
            .zip(&expected)
            .map(|(row, x)| (row[column] - x).abs())
            .enumerate()
            .fold((0, 0.0), |m, (i, x)| if x > m.1 || x.is_nan() { (i, x) } else { m });
        println!("{} column {column}: {:.1e} at {at}", case["label"], worst / peak);
        if worst.is_nan() || worst > case["tolerance"].as_f64().unwrap() * peak {
            wrong.push(format!("{} column {column}: {worst} of {peak} at step {at}", case["label"]));
        }
    }
    wrong
}

#[test]
fn members_follow_opensees() {
    let file = golden("frames/members_compared");
    let wrong: Vec<String> =
        file["cases"].as_array().unwrap().iter().flat_map(|case| compare(case, &pushed(case))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
