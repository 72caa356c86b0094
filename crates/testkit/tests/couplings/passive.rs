//! The passive multirate couplings PMC and FOH against the states of an independent implementation.

use interfield_coupling::CouplingMethod;
use interfield_coupling::{Coupling, FohOptions, PmcOptions};
use interfield_testkit::couplings::{ChainSprings, Cut, Setting, begin, chain, row, split_mass, three_dof};
use interfield_testkit::golden::{golden, list, number, numbers};
use interfield_testkit::shared::{Shared, shared};

/// A scheme by its name in the reference: "PMC-a(0.8) kappa=1".
fn start(name: &str, cut: &Cut, dt: f64, ss: usize) -> Box<dyn Coupling<Shared>> {
    let (method, scheme) = row(name.split(['(', ' ']).next().unwrap_or_default());
    let kappa = if name.contains("kappa=1") { 1.0 } else { 0.0 };
    let chi = if name.contains("chi=0.2") { 0.2 } else { 0.0 };
    let method = match method {
        CouplingMethod::Pmc(options) => CouplingMethod::Pmc(PmcOptions { kappa, ..options }),
        CouplingMethod::Foh(options) => CouplingMethod::Foh(FohOptions { kappa, chi, ..options }),
        other => other,
    };
    // The laws of the reference have one memory for all states.
    begin(method, shared(cut.assembly(&Setting::same(scheme, dt, ss))))
}

fn problem(name: &str) -> Option<Cut> {
    match name {
        "split b1=0.5" => Some(split_mass(0.5)),
        "chain (linear, loads)" => Some(chain(ChainSprings::Linear)),
        "chain_nonlinear (Bouc-Wen in A, cubic in B)" => Some(chain(ChainSprings::Nonlinear)),
        "three-DoF split mass" => Some(three_dof()),
        _ => None,
    }
}

#[test]
fn states_agree_with_the_reference() {
    let file = golden("novel_states");
    let mut worst: Vec<(f64, String)> = Vec::new();
    let mut compared = 0;
    for (case, data) in file["cases"].as_object().expect("cases") {
        // The reference does not say which dampers its fourth problem has.
        let Some(cut) = problem(case) else { continue };
        let (h, ss) = (number(&data["h"]), number(&data["ss"]) as usize);
        for (name, states) in data["schemes"].as_object().expect("schemes") {
            let mut coupled = start(name, &cut, h, ss);
            let mut k = 0;
            for state in list(states) {
                let n = number(&state["n"]) as u64;
                while k < n {
                    coupled.step(k).expect("the step succeeds");
                    k += 1;
                }
                let mut compare = |found: &[f64], key: &str| {
                    let reference = numbers(&state[key]);
                    let scale = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    let d = found.iter().zip(&reference).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs())) / scale;
                    compared += 1;
                    worst.push((d, format!("{case} {name} n={n} {key}")));
                };
                for (i, side) in ["A", "B"].into_iter().enumerate() {
                    let nu = coupled.dims_of(i).nu;
                    let x = coupled.state_of(i);
                    compare(&x[..nu], &format!("u{side}"));
                    compare(&x[nu..2 * nu], &format!("v{side}"));
                }
                compare(coupled.multipliers(), "lambda");
            }
        }
    }
    assert!(compared > 600, "only {compared} comparisons");
    worst.retain(|w| w.0 > 1e-9 || w.0.is_nan());
    let shown: Vec<String> = worst.iter().take(200).map(|(d, what)| format!("{what}: {d:.2e}")).collect();
    assert!(worst.is_empty(), "{} differ\n{}", worst.len(), shown.join("\n"));
}
