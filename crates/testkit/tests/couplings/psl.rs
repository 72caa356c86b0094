//! Passive slow laws: accuracy, gaps, threads, faults, which laws they are (book: passivity 2.8).

use interfield_coupling::{Coupling, CouplingError, CouplingMethod, Options};
use interfield_kernel::System;
use interfield_structure::{Assembled, assemble};
use interfield_testkit::couplings::{
    BILINEAR, BOUC_WEN, ChainSprings, Cut, ELASTIC, Setting, advance, alpha, chain, five_storeys, gaps, motion, row,
};
use interfield_testkit::run::read;

/// W_n, W_n+1 and the newest node [x y q z] of `n` laws, as they stand in the complete state behind both sides.
fn laws(coupled: &dyn Coupling<Assembled>, n: usize, remembered: usize) -> [Vec<f64>; 5] {
    let start = coupled.range_of(1).end + coupled.multipliers().len();
    let at = |from: usize, len: usize| coupled.state()[start + from..start + from + len].to_vec();
    [at(0, n), at(n, n), at(2 * n, n), at(4 * n, n), at(5 * n, remembered)]
}

/// Displacements of the first and of the last floor over 10 s, after each 10 ms.
fn floors(method: CouplingMethod, cut: &Cut, scheme: &Setting, every: u64) -> Vec<[f64; 2]> {
    let mut coupled = cut.begin(method, scheme);
    let step = |k: u64| {
        advance(&mut *coupled, k * every, (k + 1) * every);
        [coupled.state_of(0)[0], coupled.state_of(1)[2]]
    };
    (0..1000).map(step).collect()
}

/// rms error over rms, of the floor that is worse.
fn distance(found: &[[f64; 2]], right: &[[f64; 2]]) -> f64 {
    let of = |i: usize| {
        let error: f64 = found.iter().zip(right).map(|(a, b)| (a[i] - b[i]).powi(2)).sum();
        (error / right.iter().map(|b| b[i].powi(2)).sum::<f64>()).sqrt()
    };
    of(0).max(of(1))
}

#[test]
fn the_frame_is_more_accurate_than_with_pmc() {
    // Once with an elastic lower part in the core, once where it yields.
    for (lower, upper, better) in [(ELASTIC, BOUC_WEN, 40.0), (BILINEAR, BILINEAR, 1.7)] {
        let (gc, _) = row("GC");
        let fine = Setting::same(alpha(0.8), 0.01 / 20.0, 1);
        let right = floors(gc, &five_storeys(lower, upper, 0.01), &fine, 20);
        let setting = Setting::same(alpha(0.8), 0.01, 5);
        let of = |name: &str| distance(&floors(row(name).0, &five_storeys(lower, upper, 0.01), &setting, 1), &right);
        let (psl, pmc) = (of("PSL"), of("PMC"));
        assert!(psl < 0.06 && psl * better < pmc, "{lower}: {psl:.2e}, PMC {pmc:.2e}");
    }
}

#[test]
fn the_displacements_agree_and_the_law_gap_stays_small() {
    let mut coupled = five_storeys(BILINEAR, BOUC_WEN, 0.01).begin(row("PSL").0, &Setting::same(alpha(0.8), 0.01, 5));
    let (mut gap, mut law, mut most) = (0.0, 0.0, 0.0);
    for k in 0..1000 {
        advance(&mut *coupled, k, k + 1);
        gap = f64::max(gap, gaps(coupled.as_ref())[0]);
        let [_, _, x, ..] = laws(coupled.as_ref(), 3, 6);
        law = f64::max(law, (x[0] - coupled.state_of(0)[0]).abs());
        most = f64::max(most, coupled.state_of(0)[0].abs());
    }
    assert!(gap < 1e-13 && law < 0.02 * most && most > 0.02, "gap {gap:e}, law gap {law:e} of {most:e}");
}

fn bits(coupled: &dyn Coupling<Assembled>) -> Vec<u64> {
    coupled.state().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn threads_and_restored_states_change_no_bit() {
    let start = || chain(ChainSprings::Nonlinear).begin(row("PSL").0, &Setting::same(alpha(0.8), 0.002, 5));
    let (mut alone, mut threaded, mut restored) = (start(), start(), start());
    assert!(threaded.use_threads(true));
    for k in 0..300 {
        advance(&mut *alone, k, k + 1);
        advance(&mut *threaded, k, k + 1);
        assert_eq!(bits(&*alone), bits(&*threaded), "step {k}");
        if k % 100 < 3 {
            // Into one that stands elsewhere.
            restored.state_mut().copy_from_slice(alone.state());
        }
        if k % 100 >= 3 {
            advance(&mut *restored, k, k + 1);
            assert_eq!(bits(&*alone), bits(&*restored), "step {k}, restored");
        }
    }
    assert!(
        !chain(ChainSprings::Nonlinear).begin(row("PSL1").0, &Setting::same(alpha(0.8), 0.002, 5)).use_threads(true)
    );
}

#[test]
fn a_fault_of_the_fine_grid_waits_for_the_laws_and_leaves_all_as_it_was() {
    let mut cut = chain(ChainSprings::Nonlinear);
    let element = "element = [\n{ type = \"formula\", name = \"broken\", nodes = [\"ground\", \"x3\"], dof = \"x\", \
                   force = \"u*sqrt(0.105 - t)\" },\n";
    cut.b = cut.b.replacen("element = [\n", element, 1);
    for threads in [false, true] {
        let mut coupled = cut.begin(row("PSL").0, &Setting::same(alpha(0.8), 0.01, 5));
        coupled.use_threads(threads);
        advance(&mut *coupled, 0, 10);
        let before = bits(&*coupled);
        let fault = coupled.step(10).expect_err("not a number");
        assert_eq!(coupled.step(10), Err(fault));
        assert_eq!(bits(&*coupled), before);
        assert_eq!(coupled.faulty(), 1);
    }
}

#[test]
fn a_state_law_is_moved_as_the_same_law_along_its_path() {
    let run = |memory: &str| {
        let law = format!("{BOUC_WEN}, memory = \"{memory}\"");
        let mut coupled = five_storeys(&law, ELASTIC, 0.01).begin(row("PSL").0, &Setting::same(alpha(0.8), 0.01, 5));
        advance(&mut *coupled, 0, 300);
        let (u, v) = motion(coupled.as_ref(), 0);
        [u.to_vec(), v.to_vec(), coupled.multipliers().to_vec()].concat()
    };
    assert_eq!(run("state"), run("path"));
}

/// What is left to a law at a node without mass is a velocity that says nothing: computed apart it would not converge.
#[test]
fn only_what_can_be_computed_apart_is() {
    let apart = |laws: &str| {
        let text = format!(
            "title = \"a\"\ndofs = [\"x\"]\nnode = [{{ name = \"m\", mass = 1 }}, {{ name = \"o\" }}]\nelement = [\n\
             {{ type = \"spring\", nodes = [\"m\", \"o\"], dof = \"x\", k = 3 }},\n{laws}]\n[analysis]\ndt = 0.01\nduration = 1\n"
        );
        let mut system = assemble(&read(&text)).unwrap_or_else(|p| panic!("{}", p[0].message)).system;
        system.laws().map_or(0, |laws| laws.size()[0])
    };
    let at = |node: &str, law: &str| format!("{{ {law}, nodes = [\"ground\", \"{node}\"], dof = \"x\" }},\n");
    for (law, count) in [
        (BILINEAR, 1),
        (BOUC_WEN, 1),
        ("type = \"bouc-wen\", k = 3, beta = 1, gamma = 1, memory = \"path\"", 1),
        ("type = \"modified-bouc-wen\", k = 3, beta = 1", 1),
        ("type = \"cubic\", k = 3, k3 = -1, c = 0.1", 1),
        ("type = \"cubic\", k = 3, k3 = 1", 0),
        ("type = \"gap\", k = 3, gap = 0.1", 0),
        ("type = \"damper\", c = 0.1, n = 0.5", 0),
        (ELASTIC, 0),
    ] {
        assert_eq!(apart(&at("m", law)), count, "{law}");
        assert_eq!(apart(&at("o", law)), 0, "{law} at a node without mass");
    }
}

#[test]
fn it_needs_the_laws_twice() {
    let assembly = chain(ChainSprings::Nonlinear).assembly(&Setting::same(alpha(0.8), 0.01, 5));
    let refused = row("PSL").0.start(assembly.into()).err();
    assert!(matches!(refused, Some(CouplingError::Unsuitable(why)) if why.contains("two copies")));
}
