//! Methods with other parameters than those of the golden runs, against an implementation of its own (`golden/README.md`): schemes in one piece,
//! couplings of all families, the viaduct, and tests behind an actuator.

use interfield_language::parse::Overrides;
use interfield_structure::Simulation;
use interfield_testkit::golden::{golden, list, number};
use interfield_testkit::run::{model, read_with};
use serde_json::Value;

/// What a case replaces in its model.
fn overrides(case: &Value) -> Overrides {
    let text = |key: &str| case[key].as_str().map(str::to_owned);
    let pairs = |key: &str| {
        let table = case[key].as_object().into_iter().flatten();
        table.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
    };
    Overrides {
        set: pairs("set"),
        scheme: text("scheme"),
        scheme_parameters: pairs("param"),
        coupling: text("coupling"),
        substeps: text("substeps").map(|n| n.parse().expect("a number of substeps")),
        dt: text("dt"),
        duration: text("until"),
        tangent: text("tangent"),
        ..Overrides::default()
    }
}

#[test]
fn states_with_other_parameters_agree_with_the_reference() {
    let file = golden("varied");
    let cases = list(&file["cases"]);
    assert_eq!(cases.len(), 65);
    let mut wrong = Vec::new();
    for case in cases {
        let name = case["model"].as_str().expect("a model");
        let model = match file["models"][name].as_str() {
            Some(text) => read_with(name, text, &overrides(case)),
            None => model(name, &overrides(case)),
        };
        let names: Vec<String> = model.channels.iter().map(|c| c.name.clone()).collect();
        let (mut row, mut peaks) = (vec![0.0; names.len()], vec![0.0f64; names.len()]);
        let mut sim = Simulation::new(model).unwrap_or_else(|p| panic!("{}: {}", case["what"], p[0].message));
        for k in 0..sim.steps() {
            sim.step(k).unwrap_or_else(|fault| panic!("{}: step {k}: {}", case["what"], sim.explain(fault)));
            sim.sample(k + 1, &mut row).expect("a row");
            peaks.iter_mut().zip(&row).for_each(|(peak, x)| *peak = peak.max(x.abs()));
        }
        for (channel, expected) in case["channels"].as_object().expect("channels") {
            let i = names.iter().position(|n| n == channel).expect("a channel");
            let error = (row[i] - number(expected)).abs() / peaks[i];
            if error.is_nan() || error > 1e-10 {
                wrong.push(format!("{} {channel}: {} instead of {expected}", case["what"], row[i]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
