//! GC, PH, PM and modified PH against the states of an independent implementation.

use interfield_coupling::CouplingMethod;
use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_testkit::couplings::{ChainSprings, Cut, Setting, begin, chain, row, split};
use interfield_testkit::golden::{golden, list, number, numbers};
use interfield_testkit::shared::shared;
use serde_json::Value;

fn problem(name: &str) -> Cut {
    match name {
        "split" => split([0.9, 0.1], [0.1, 0.9], 1.0, 1.0),
        "chain" => chain(ChainSprings::Linear),
        _ => chain(ChainSprings::Nonlinear),
    }
}

/// The reference has names of its own for modified PH.
fn method(name: &str) -> CouplingMethod {
    row(if ["GC", "PM", "PH"].contains(&name) { name } else { "mPH" }).0
}

/// Distance relative to the largest entry of the reference.
fn distance(found: &[f64], reference: &Value) -> f64 {
    let reference = numbers(reference);
    let scale = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs())).max(1e-300);
    found.iter().zip(&reference).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs())) / scale
}

#[test]
fn states_agree_with_the_reference() {
    let file = golden("newmark_states");
    let mut worst: Vec<(f64, String)> = Vec::new();
    for run in list(&file["runs"]) {
        let name = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let newmark = |side: &str| {
            let (beta, gamma) = (number(&run[format!("beta{side}")]), number(&run[format!("gamma{side}")]));
            AnyScheme::Alpha(Alpha::newmark(beta, gamma, Predictor::Half))
        };
        let ss = number(&run["ss"]) as usize;
        let setting = Setting { a: newmark("A"), b: newmark("B"), dt: number(&run["dtA"]), ss };
        let cut = problem(&name("problem"));
        // The laws of the reference have one memory for all states.
        let mut coupled = begin(method(&name("method")), shared(cut.assembly(&setting)));
        let tolerance = if name("problem") == "chain_nonlinear" { 1e-10 } else { 1e-11 };
        let mut k = 0;
        let states = std::iter::once(&run["start"]).chain(list(&run["states"]));
        for state in states {
            let n = number(&state["n"]) as u64;
            while k < n {
                coupled.step(k).expect("the step succeeds");
                k += 1;
            }
            for (i, side) in ["A", "B"].into_iter().enumerate() {
                let nu = coupled.dims_of(i).nu;
                let x = coupled.state_of(i);
                let parts = [("u", &x[..nu]), ("v", &x[nu..2 * nu]), ("a", &x[2 * nu..3 * nu])];
                for (key, part) in parts {
                    let reference = &state[format!("{key}{side}")];
                    if !reference.is_null() {
                        let what = format!("{} {} ss={ss} n={n} {key}{side}", name("problem"), name("method"));
                        worst.push((distance(part, reference) / tolerance, what));
                    }
                }
                let links = &state[format!("u{side}_link")];
                if !links.is_null() && n > 0 {
                    let ports: Vec<usize> = coupled.ports_of(i).iter().map(|p| p.dof).collect();
                    let mut found = vec![0.0; ports.len()];
                    coupled.links_of(i, &mut found);
                    let reference: Vec<f64> = ports.iter().map(|&p| numbers(links)[p]).collect();
                    let what = format!("{} {} ss={ss} n={n} link{side}", name("problem"), name("method"));
                    worst.push((distance(&found, &Value::from(reference)) / tolerance, what));
                }
            }
            let what = format!("{} {} ss={ss} n={n} lambda", name("problem"), name("method"));
            worst.push((distance(coupled.multipliers(), &state["lambda"]) / tolerance, what));
        }
    }
    assert!(worst.len() > 2000, "only {} comparisons", worst.len());
    worst.retain(|w| w.0 > 1.0 || w.0.is_nan());
    let shown: Vec<String> =
        worst.iter().take(40).map(|(d, what)| format!("{what}: {d:.2e} times the tolerance")).collect();
    assert!(worst.is_empty(), "{} differ\n{}", worst.len(), shown.join("\n"));
}
