//! Operators and spectra of the couplings of two sides against those of an independent implementation.

use interfield_analysis::spectrum::spectrum;
use interfield_coupling::fine::Kernel;
use interfield_coupling::side::{Side, Stepping};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_structure::Assembled;
use interfield_testkit::couplings::{ChainSprings, Setting, alpha, begin, chain, halves, row, split_dense};
use interfield_testkit::golden::{golden, list, numbers, rows};
use serde_json::Value;

/// Step and substeps of the stored operators.
const H: f64 = 0.02;
const SS: usize = 4;

/// A side of the linear chain, alone.
fn side(b: bool, scheme: AnyScheme, dt: f64, steps: usize) -> Side<Assembled> {
    let mut assembly = chain(ChainSprings::Linear).assembly(&Setting::same(scheme, H, SS));
    let sub = assembly.substructures.swap_remove(usize::from(b));
    Side::new(vec![sub], 1, |scheme, _| vec![Stepping { scheme, dt, steps }]).expect("a side")
}

/// u, v and, of the splitting scheme, a and p of a stacked state [u v a p ..].
fn compare(found: &[f64], stored: &Value, what: &str) {
    let stored: Vec<f64> = list(stored).iter().flat_map(|block| rows(block).concat()).collect();
    for (i, (x, y)) in found.iter().zip(&stored).enumerate() {
        assert!((x - y).abs() <= 1e-12 * y.abs().max(1e-6), "{what}, entry {i}: {x:e} instead of {y:e}");
    }
    assert!(found.len() >= stored.len() && stored.len() >= 4, "{what}");
}

fn link(side: &Side<Assembled>) -> Vec<f64> {
    let mut x = vec![0.0; side.len()];
    side.link(0, &mut x, &[1.0], 1.0);
    x
}

fn flexibility(side: &Side<Assembled>) -> f64 {
    let mut h = [0.0];
    side.flexibility(0, &mut h);
    h[0]
}

fn same(found: f64, stored: &Value, what: &str) {
    let stored = rows(stored)[0][0];
    assert!((found - stored).abs() < 1e-13 * stored.abs(), "{what}: {found} instead of {stored}");
}

#[test]
fn operators_are_those_of_the_reference() {
    let file = golden("novel_operators_spectra");
    let stored = &file["operators of the linear chain, h=0.02, ss=4"];
    for (j, expected) in rows(&stored["cubic weights, ss=4"]).iter().enumerate() {
        let found = Kernel::Cubic.weights((j + 1) as f64 / SS as f64);
        assert_eq!(found.as_slice(), expected.as_slice());
    }
    let shifted = AnyScheme::Rosenbrock(Rosenbrock::lsrt2(Rosenbrock::GAMMA_MINUS).shifted());
    for (name, scheme, window) in [
        ("PMC-a(0.8)", alpha(0.8), 3.0),
        ("PMC-R", shifted, 3.0),
        ("PMC2-a(0.8)", alpha(0.8), 2.0),
        ("FOH-a(0.8)", alpha(0.8), 1.0),
        ("FOH-R", shifted, 1.0),
    ] {
        let operators = &stored[name];
        let mut a = side(false, scheme, window * H, 1);
        // FOH answers over the whole macro-step, the others at every substep.
        let b = side(true, scheme, H / SS as f64, if name.starts_with("FOH") { SS } else { 1 });
        compare(&link(&a), &operators["YA"], &format!("{name} YA"));
        compare(&link(&b), &operators["YB"], &format!("{name} YB"));
        let (ha, hb) = (flexibility(&a), flexibility(&b));
        if name.starts_with("FOH") {
            same(ha + hb, &operators["H"], &format!("{name} H"));
        } else {
            same(ha, &operators["HA"], &format!("{name} HA"));
            same(hb, &operators["HB"], &format!("{name} HB"));
        }
        if !operators["ahead"].is_null() {
            let ahead = a.probe_from_link(0, 0, [1.0, 0.0]).expect("linear");
            compare(&ahead[0], &operators["ahead"], &format!("{name} ahead"));
        }
    }
}

/// Magnitudes of all eigenvalues of one step, the largest first.
fn magnitudes(name: &str, b1: f64, omega: f64, ss: usize) -> Vec<f64> {
    let (method, scheme) = row(name);
    let [a, b] = halves(b1);
    let mut coupled = begin(method, split_dense(a, b, &Setting::same(scheme, omega, ss)));
    let spectrum = spectrum(&mut *coupled, omega).expect("a spectrum");
    spectrum.eigenvalues.iter().map(|e| e.0.hypot(e.1)).collect()
}

#[test]
fn eigenvalues_are_those_of_the_reference() {
    let file = golden("novel_operators_spectra");
    let mut compared = 0;
    for (key, schemes) in file["largest eigenvalue magnitudes"].as_object().expect("cases") {
        let parts: Vec<f64> =
            key.split('|').filter_map(|p| p.split_once('=').and_then(|(_, x)| x.parse().ok())).collect();
        for (name, stored) in schemes.as_object().expect("schemes") {
            let short = name.trim_end_matches("(0.8)");
            let found = magnitudes(short, parts[0], parts[1], parts[2] as usize);
            let stored = numbers(stored);
            for (i, &y) in stored.iter().enumerate() {
                // Where several coincide, each is only as well determined as the square root of rounding; those of the
                // stored magnitudes that are zero up to that are not compared.
                let meets = stored.iter().enumerate().any(|(j, x)| j != i && (x - y).abs() < 1e-3);
                let tolerance = if meets { 1e-5 } else { 1e-7 };
                if y > 1e-6 {
                    assert!((found[i] - y).abs() < tolerance, "{key} {name} {i}: {} instead of {y}", found[i]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 450, "only {compared}");
}

#[test]
fn newmark_couplings_have_the_eigenvalues_of_the_table() {
    let ten: [(&str, &[f64]); 3] = [
        ("GC", &[1.0, 0.96237, 0.96237, 0.65187]),
        ("PM", &[1.0, 0.98240, 0.98240, 0.90402, 0.90402, 0.86117]),
        ("mPH", &[1.0, 1.0, 1.0, 1.0]),
    ];
    for (name, expected) in ten {
        let found = magnitudes(name, 1.0, 1.0, 10);
        for (i, y) in expected.iter().enumerate() {
            assert!((found[i] - y).abs() < 6e-6, "{name} {i}: {} instead of {y}", found[i]);
        }
    }
    for name in ["GC", "PM", "PH", "mPH"] {
        let found = magnitudes(name, 1.0, 1.0, 1);
        let own = found.iter().filter(|x| **x > 0.5);
        assert!(own.clone().count() >= 3 && own.clone().all(|x| (x - 1.0).abs() < 1e-9), "{name}: {found:?}");
    }
}
