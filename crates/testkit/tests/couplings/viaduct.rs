//! The viaduct of paper 003 against independent implementations: frequencies whole and in parts, its ground motion, and a
//! coupled run with specimens that remember where they have been.

use interfield_language::Model;
use interfield_language::parse::Overrides;
use interfield_structure::{Simulation, Structure};
use interfield_testkit::golden::{golden, list, number, numbers};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::run::{load, model, set, taken_apart};

/// All frequencies of a model, Hz.
fn frequencies(model: &Model) -> Vec<f64> {
    let structure = Structure::new(model.clone().in_one_piece()).expect("assembled");
    let modes = structure.modes(structure.free().len()).expect("modes");
    modes.omega2.iter().map(|w2| w2.sqrt() / std::f64::consts::TAU).collect()
}

/// Each frequency on its own scale.
fn close(what: &str, found: &[f64], reference: &[f64]) {
    assert_eq!(found.len(), reference.len(), "{what}");
    for (i, (f, r)) in found.iter().zip(reference).enumerate() {
        assert!((f / r - 1.0).abs() < 1e-9, "{what}, mode {}: {f} instead of {r} Hz", i + 1);
    }
}

#[test]
fn all_frequencies_are_those_of_the_reference() {
    let file = golden("viaduct_model");
    for (name, case) in [("rio-torto-as-built", "as_built"), ("rio-torto-isolated", "isolated")] {
        let found = frequencies(&model(name, &Overrides::default()));
        close(name, &found, &numbers(&file[case]["all_frequencies_Hz"]));
    }
    // In plan, with feet that are driven: the transverse modes of the bridge as built.
    let found = frequencies(&model("rio-torto-llm", &Overrides::default()));
    close("rio-torto-llm", &found[..6], &numbers(&file["as_built"]["transverse_Hz"]));
}

#[test]
fn the_ground_moves_as_in_the_reference() {
    let file = golden("viaduct_model");
    let samples = file["ground_acceleration_samples"].as_object().expect("samples by time");
    assert_eq!(samples.len(), 6);
    for name in ["rio-torto-as-built", "rio-torto-isolated"] {
        let sim = load(name, &Overrides::default());
        for (t, a) in samples {
            let mut found = [0.0];
            sim.coupling.system(0).ground_values(t.parse().expect("a time"), &mut found);
            assert!((found[0] - number(a)).abs() < 1e-12, "{name}, t = {t}: {} instead of {a}", found[0]);
        }
    }
}

#[test]
fn the_parts_have_the_frequencies_of_table_2() {
    let file = golden("viaduct_table2");
    let shares = file["ours"].as_object().expect("rows by share");
    assert_eq!(shares.len(), 6);
    for (share, specimen) in shares {
        let parts = taken_apart(&model("rio-torto-isolated", &set(&[("m_f", share)]))).parts;
        let [bridge, specimens] = <[_; 2]>::try_from(parts).expect("two parts");
        let found = frequencies(&specimens.model);
        close(&format!("specimens, m_f = {share}"), &found, &numbers(specimen));
        let lowest = numbers(&file["detached_NS_lowest_Hz"][share]);
        close(&format!("bridge, m_f = {share}"), &frequencies(&bridge.model)[..lowest.len()], &lowest);
        if let Some(printed) = file["paper"].get(share).map(numbers) {
            let far = found.iter().zip(&printed).map(|(f, p)| (f / p - 1.0).abs()).fold(0.0, f64::max);
            assert!(far < 0.005, "m_f = {share}: {far} from the paper");
        }
    }
}

#[test]
fn specimens_that_remember_move_as_in_the_reference() {
    let file = golden("viaduct_link");
    let coupling = Some("modified-ph".to_owned());
    let substeps = Some(number(&file["ss"]) as u32);
    let overrides = Overrides { coupling, substeps, ..set(&[("m_f", &file["m_f"].to_string())]) };
    let mut sim =
        Simulation::new(model("rio-torto-isolated", &overrides)).unwrap_or_else(|p| panic!("{}", p[0].message));
    let unknown =
        |sim: &Simulation, part: usize, name: &str| sim.unknowns(part).position(|n| n == name).expect("there");
    let deck = ["deck9.y", "deck11.y"].map(|name| unknown(&sim, 0, name));
    let pier = ["pier9.y", "pier11.y"].map(|name| unknown(&sim, 1, name));
    let mut k = 0;
    for state in list(&file["states"]) {
        let n = number(&state["n"]) as u64;
        (k..n).for_each(|k| sim.step(k).unwrap_or_else(|fault| panic!("step {k}: {}", sim.explain(fault))));
        k = n;
        let (bridge, specimens) = (sim.coupling.state_of(0), sim.coupling.state_of(1));
        let a = sim.coupling.acceleration_of(0).expect("accelerations");
        let mut links = [0.0; 2];
        sim.coupling.links_of(1, &mut links);
        let lambda: Vec<f64> = sim.coupling.multipliers().iter().map(|l| l / 1e3).collect();
        // Displacements, then accelerations and multipliers, as the reference allows.
        for (what, found, tolerance) in [
            ("deck", deck.map(|i| bridge[i]).to_vec(), 1e-9),
            ("pier", pier.map(|i| specimens[i]).to_vec(), 1e-9),
            ("deck_a", deck.map(|i| a[i]).to_vec(), 1e-8),
            ("lambda", lambda, 1e-8),
            ("link", links.to_vec(), 1e-8),
        ] {
            let reference = numbers(&state[what]);
            let error = distance(&found, &reference) / largest(&reference);
            assert!(error < tolerance, "{what} after {n} steps: {found:?} instead of {reference:?}");
        }
    }
    assert_eq!(k, 1536);
}

/// Twelve isolators slide on the coarse side: a multiplier of 397 kN as with one sequence of steps, no gap, nothing rough.
#[test]
fn slow_laws_keep_the_multipliers_of_the_isolated_viaduct_smooth() {
    let overrides =
        Overrides { coupling: Some("psl".to_owned()), dt: Some("1 s/256".to_owned()), ..Overrides::default() };
    let mut sim =
        Simulation::new(model("rio-torto-isolated", &overrides)).unwrap_or_else(|p| panic!("{}", p[0].message));
    let force = |k: u64| {
        sim.step(k).unwrap_or_else(|fault| panic!("step {k}: {}", sim.explain(fault)));
        sim.coupling.multipliers()[0] / 1e3
    };
    let forces: Vec<f64> = (0..6 * 256).map(force).collect();
    let most = largest(&forces);
    assert!((350.0..500.0).contains(&most), "{most} kN");
    let third = forces.windows(4).map(|w| (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).powi(2));
    let rough = (third.sum::<f64>() / forces.len() as f64).sqrt();
    assert!(rough < 0.05 * most, "{rough} kN");
}
