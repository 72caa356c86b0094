//! Laws found again in data of an independent implementation: parameters, errors, criteria, figures.

mod common;

use common::{golden, list, number, samples};
use interfield_learn::confidence::Confidence;
use interfield_learn::problem::Problem;
use interfield_learn::quality::{figures, unexplained};
use interfield_learn::search::{everywhere, refine};
use interfield_learn::{Family, Options, Samples};
use serde_json::Value;

/// Everything that is expected of one law on one record.
fn agrees(samples: &Samples, expected: &Value, fixed: &[(&str, f64)], loose: bool) {
    let name = expected["law"].as_str().unwrap();
    let family = Family::named(name).unwrap();
    let fixed = fixed.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    let options = Options { fixed, ..Options::default() };
    let problem = Problem::new(family, samples, &options).unwrap();
    let ends = everywhere(&problem, problem.variables.len());
    let best = &ends[0];
    let point = problem.at(&best.x, true);
    let rss = number(&expected["rss"]);
    let near = |what: &str, got: f64, want: f64, share: f64| {
        assert!((got - want).abs() <= share * want.abs(), "{name}: {what} is {got} for {want}");
    };
    near("rss", best.cost, rss, if loose { 1e-3 } else { 1e-6 });
    let eta = problem.eta(&best.x);
    let all = family.variables(&samples.size());
    let parameters = if loose { 2e-2 } else { 1e-4 };
    // A fit at bounds with an index of thousands has no parameters to compare.
    let told = number(&expected["collinearity_index"]) < 100.0;
    let golden_name = |n: &'static str| match n {
        "Dk" => "dk",
        "Ds" => "ds",
        n => n,
    };
    for (v, eta) in all.iter().zip(&eta).filter(|_| told) {
        near(v.name, *eta, number(&expected["eta"][golden_name(v.name)]), parameters);
    }
    for (n, c) in problem.linear().iter().zip(&point.linear).filter(|_| told) {
        near(n, *c, number(&expected["linear"][*n]), parameters);
    }
    let confidence = Confidence::at(&problem, &best.x, &point);
    let some = if loose { 0.05 } else { 0.02 };
    near("sigma", confidence.sigma, number(&expected["sigma"]), some);
    near("tau", confidence.tau, number(&expected["correlation_time_samples"]), some);
    if told {
        near("collinearity", confidence.collinearity, number(&expected["collinearity_index"]), some);
        for (i, n) in confidence.names.iter().enumerate() {
            let want = number(&expected["relative_se_search"][golden_name(n)]);
            near(&format!("error of {n}"), confidence.relative[i], want, some);
        }
        let free = vec![false; best.x.len()];
        for e in confidence.estimates(&problem, &best.x, &point.linear, &free) {
            let want = &expected["parameters"][e.quantity.name];
            if want.is_number() {
                near(e.quantity.name, e.quantity.value, number(want), if loose { 0.2 } else { 2e-3 });
                let error = number(&expected["standard_error"][e.quantity.name]);
                near(&format!("error of {}", e.quantity.name), e.error, error, if loose { 0.5 } else { some });
            }
        }
    }
    let found = figures(&samples.q, &samples.p, &point.force);
    near("nrmse", found.nrmse, number(&expected["fit"]["nrmse_std"]), 1e-3);
    if told {
        near("peak", found.peak, number(&expected["fit"]["peak_error"]), 0.02);
        near("energy", found.energy, number(&expected["fit"]["energy_error"]), if loose { 0.1 } else { 0.02 });
        near(
            "energies",
            found.energy_history,
            number(&expected["fit"]["energy_history_error"]),
            if loose { 0.1 } else { 0.02 },
        );
    }
    // Held-back cycles.
    for fold in expected["cross_validation"].as_array().into_iter().flatten() {
        let (first, last) = (fold["first"].as_u64().unwrap() as usize, fold["last"].as_u64().unwrap() as usize);
        let weights = (0..samples.p.len()).map(|k| if (first..last).contains(&k) { 0.0 } else { 1.0 }).collect();
        let part = problem.clone().weighted(weights);
        let mut all: Vec<_> = ends.iter().filter_map(|e| refine(&part, e.x.clone())).collect();
        all.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let force = part.at(&all[0].x, false).force;
        let held = unexplained(&samples.p, &force, first..last);
        near("held back", held, number(&fold["nrmse_std_held"]), if loose { 0.05 } else { 1e-3 });
    }
}

#[test]
fn synthetic_records_give_the_numbers_of_an_independent_implementation() {
    for file in ["bouc_wen", "modified_bouc_wen", "degrading_bouc_wen", "mostaghel", "damper", "cubic"] {
        let data = golden(&format!("identify_{file}"));
        let fixed: Vec<(&str, f64)> =
            data["fixed"].as_object().into_iter().flatten().map(|(n, v)| (n.as_str(), number(v))).collect();
        let mut expected = data["expected"].clone();
        expected["cross_validation"] = data["cross_validation"].clone();
        agrees(&samples(&data), &expected, &fixed, false);
    }
}

#[test]
fn the_fibre_pier_gives_the_figures_of_the_sheet() {
    let data = golden("identify_pier");
    let samples = samples(&data);
    for (name, expected) in data["expected"].as_object().unwrap() {
        let fixed: &[(&str, f64)] = if name.contains("gamma = 0") { &[("r", 1.0), ("n", 1.0)] } else { &[] };
        agrees(&samples, expected, fixed, true);
    }
}

#[test]
fn computed_forces_are_those_of_the_independent_implementation() {
    for file in ["bouc_wen", "modified_bouc_wen", "degrading_bouc_wen", "mostaghel", "damper", "cubic"] {
        let data = golden(&format!("identify_{file}"));
        let samples = samples(&data);
        let family = Family::named(data["law"].as_str().unwrap()).unwrap();
        let eta: Vec<f64> = family
            .variables(&samples.size())
            .iter()
            .map(|v| {
                number(
                    &data["expected"]["eta"][match v.name {
                        "Dk" => "dk",
                        "Ds" => "ds",
                        n => n,
                    }],
                )
            })
            .collect();
        let path = interfield_learn::law::Path { q: &samples.q, v: &samples.v, start: 0.0, substeps: 1 };
        let columns = family.columns(&eta, &path, &samples.size());
        let names = family.linear(!samples.v.is_empty());
        let c: Vec<f64> = names.iter().map(|n| number(&data["expected"]["linear"][*n])).collect();
        let force: Vec<f64> = columns.chunks(names.len()).map(|y| y.iter().zip(&c).map(|(y, c)| y * c).sum()).collect();
        for (i, want) in list(&data["expected_force_at_every_50"]).iter().enumerate() {
            assert!(
                (force[50 * i] - want).abs() < 1e-7 * want.abs().max(1e3),
                "{file} {i}: {} for {want}",
                force[50 * i]
            );
        }
    }
}
