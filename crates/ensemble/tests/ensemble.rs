//! Studies, their statistics and fragility curves against what is known of them beforehand.

use interfield_ensemble::fragility::{Trial, fit, stripes};
use interfield_ensemble::values::{distribution, values};
use interfield_ensemble::{Axis, Draw, Role, Sampling, Study, bands, normal, over};
use interfield_motion::random::SplitMix64;

fn axis(name: &str, text: &str) -> Axis {
    Axis { name: name.to_owned(), role: Role::Parameter, values: values(text).unwrap().unwrap() }
}

fn draw(name: &str, text: &str) -> Draw {
    let (distribution, unit) = distribution(text).unwrap();
    Draw { name: name.to_owned(), unit, distribution }
}

fn study(axes: Vec<Axis>, draws: Vec<Draw>, samples: usize, sampling: Sampling) -> Study {
    Study { axes, draws, samples, sampling, seed: 7 }
}

#[test]
fn the_last_axis_changes_fastest_and_draws_repeat_at_each_point() {
    let study =
        study(vec![axis("a", "1..2"), axis("b", "5..7")], vec![draw("k", "uniform(0 N, 1 N)")], 4, Sampling::Latin);
    let cases = study.cases();
    assert_eq!((cases.len(), study.count()), (24, Some(24)));
    let names: Vec<&str> = study.variables().iter().map(|v| v.name).collect();
    assert_eq!(names, ["a", "b", "k"]);
    for (i, case) in cases.iter().enumerate() {
        assert_eq!(case.index, i);
        let expected = [(1 + i / 12).to_string(), (5 + i / 4 % 3).to_string()];
        assert_eq!([case.values[0].text.clone(), case.values[1].text.clone()], expected);
        assert_eq!(case.values[2], cases[i % 4].values[2], "the same draws at each point of the grid");
    }
}

#[test]
fn a_latin_hypercube_hits_every_slice_once_and_random_draws_do_not() {
    let n = 200;
    let slices = |sampling: Sampling| -> Vec<usize> {
        let cases = study(vec![], vec![draw("a", "uniform(0, 1)"), draw("b", "uniform(0, 1)")], n, sampling).cases();
        let count = |j: usize| {
            let mut hit = vec![0; n];
            cases.iter().for_each(|c| hit[(c.values[j].number.unwrap() * n as f64) as usize] += 1);
            hit.iter().filter(|h| **h == 1).count()
        };
        vec![count(0), count(1)]
    };
    assert_eq!(slices(Sampling::Latin), [n, n]);
    // A slice holds exactly one of n independent draws with probability 1/e.
    for count in slices(Sampling::Random) {
        assert!((50..100).contains(&count), "{count}");
    }
}

#[test]
fn draws_follow_their_distribution_and_their_seed() {
    let drawn = |seed: u64, text: &str| -> Vec<f64> {
        let study = Study { seed, ..study(vec![], vec![draw("k", text)], 2000, Sampling::Random) };
        study.cases().iter().filter_map(|c| c.values[0].number).collect()
    };
    assert_eq!(drawn(1, "normal(3, 2)"), drawn(1, "normal(3, 2)"));
    assert_ne!(drawn(1, "normal(3, 2)"), drawn(2, "normal(3, 2)"));
    let band = bands(&drawn(1, "normal(3, 2)").iter().map(std::slice::from_ref).collect::<Vec<_>>())[0];
    // Standard errors: 2/sqrt(2000) of the mean, 2/sqrt(4000) of the standard deviation; three of them.
    assert!((band.mean - 3.0).abs() < 0.135, "{}", band.mean);
    assert!((band.std - 2.0).abs() < 0.095, "{}", band.std);
}

#[test]
fn answers_do_not_depend_on_the_threads() {
    let inputs: Vec<u64> = (0..100).collect();
    let work = |&seed: &u64| {
        let mut chance = SplitMix64::new(seed);
        (0..1000 - 9 * seed).map(|_| chance.uniform()).sum::<f64>().to_bits()
    };
    let one = over(&inputs, 1, work);
    for threads in [0, 2, 3, 8, 1000] {
        assert_eq!(over(&inputs, threads, work), one, "{threads} threads");
    }
}

/// Runs at ten intensities whose capacity is lognormal.
fn trials(n: usize, median: f64, dispersion: f64, seed: u64) -> Vec<Trial> {
    let mut chance = SplitMix64::new(seed);
    let mut trial = |i: usize| {
        let intensity = 0.1 * f64::from(1 + i as u32 % 10);
        let capacity = median * (dispersion * normal::quantile(chance.uniform().max(1e-15))).exp();
        Trial { intensity, exceeded: intensity > capacity }
    };
    (0..n).map(&mut trial).collect()
}

#[test]
fn the_fit_finds_the_curve_the_runs_were_drawn_from_within_the_errors_it_states() {
    const N: u32 = 200;
    for (median, dispersion) in [(0.5, 0.4), (0.3, 0.25), (0.8, 0.6)] {
        // Errors in units of the stated standard errors: mean 0 and mean square 1.
        let (mut mean, mut square) = ([0.0; 2], [0.0; 2]);
        for seed in 0..N {
            let found = fit(&trials(1000, median, dispersion, u64::from(seed) * 7919)).unwrap();
            let off = [
                (found.median / median).ln() / found.median_error,
                (found.dispersion - dispersion) / found.dispersion_error,
            ];
            for i in 0..2 {
                mean[i] += off[i] / f64::from(N);
                square[i] += off[i] * off[i] / f64::from(N);
            }
        }
        // Four standard errors of 200 repetitions: 4/sqrt(200) and 4 sqrt(2/200).
        assert!(mean.iter().all(|m| m.abs() < 0.283), "{mean:?}");
        assert!(square.iter().all(|s| (s - 1.0).abs() < 0.4), "{square:?}");
    }
}

#[test]
fn no_other_curve_is_more_likely_than_the_fit() {
    let trials = trials(60, 0.5, 0.4, 11);
    let likelihood = |median: f64, dispersion: f64| -> f64 {
        let p = |t: &Trial| normal::below((t.intensity / median).ln() / dispersion);
        trials.iter().map(|t| if t.exceeded { p(t).ln() } else { (1.0 - p(t)).ln() }).sum()
    };
    let found = fit(&trials).unwrap();
    let best = likelihood(found.median, found.dispersion);
    for (a, b) in [(1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999), (1.01, 1.01), (0.99, 1.01)] {
        assert!(likelihood(found.median * a, found.dispersion * b) < best);
    }
}

#[test]
fn where_there_is_no_curve_the_reason_is_told() {
    let at = |list: &[(f64, bool)]| -> String {
        fit(&list.iter().map(|&(intensity, exceeded)| Trial { intensity, exceeded }).collect::<Vec<_>>()).unwrap_err()
    };
    assert!(at(&[(1.0, true), (2.0, true)]).contains("every run"));
    assert!(at(&[(1.0, false), (2.0, false)]).contains("no run"));
    assert!(at(&[(1.0, false), (2.0, true)]).contains("cannot be fitted"));
    assert!(at(&[(1.0, false), (1.0, true)]).contains("cannot be fitted"));
    assert!(at(&[(1.0, true), (2.0, true), (3.0, false), (1.0, false)]).contains("more often"));
    assert!(at(&[(0.0, true), (2.0, false)]).contains("greater than zero"));
}

#[test]
fn stripes_count_and_bound_the_probability() {
    let list = [(0.2, false), (0.1, false), (0.2, true), (0.1, false), (0.2, true), (0.2, true)];
    let found = stripes(&list.map(|(intensity, exceeded)| Trial { intensity, exceeded }));
    assert_eq!(
        found.iter().map(|s| (s.intensity, s.exceeded, s.total)).collect::<Vec<_>>(),
        [(0.1, 0, 2), (0.2, 3, 4)]
    );
    // Wilson's interval of 3 in 4 and of 0 in 2, worked by hand.
    let (low, high) = found[1].interval;
    assert!((low - 0.300_642).abs() < 1e-6 && (high - 0.954_413).abs() < 1e-6, "{low} {high}");
    let (low, high) = found[0].interval;
    assert!(low == 0.0 && (high - 0.657_620).abs() < 1e-6, "{low} {high}");
    // All different: ten bins.
    let many: Vec<Trial> = (1..=95).map(|i| Trial { intensity: f64::from(i), exceeded: i > 50 }).collect();
    assert_eq!(stripes(&many).iter().map(|s| s.total).sum::<usize>(), 95);
    assert_eq!(stripes(&many).len(), 10);
}
