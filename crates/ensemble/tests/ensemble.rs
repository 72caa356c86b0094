//! Studies, their statistics and fragility curves against what is known of them beforehand.

use interfield_ensemble::fragility::{Trial, fit, fit_capacities, stripes};
use interfield_ensemble::ground::{Combine, DAMPING, Measure};
use interfield_ensemble::ida::{Capacity, Curve, Point};
use interfield_ensemble::values::{distribution, values};
use interfield_ensemble::{Axis, Draw, Role, Sampling, Study, bands, normal, over};
use interfield_motion::random::SplitMix64;
use interfield_motion::{Quantity, Record};

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
        Trial { intensity, exceeded: intensity > capacity, group: i }
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
        let trial = |(group, &(intensity, exceeded)): (usize, &(f64, bool))| Trial { intensity, exceeded, group };
        fit(&list.iter().enumerate().map(trial).collect::<Vec<_>>()).unwrap_err()
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
    let found = stripes(&list.map(|(intensity, exceeded)| Trial { intensity, exceeded, group: 0 }));
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
    let many: Vec<Trial> = (1..=95).map(|i| Trial { intensity: f64::from(i), exceeded: i > 50, group: 0 }).collect();
    assert_eq!(stripes(&many).iter().map(|s| s.total).sum::<usize>(), 95);
    assert_eq!(stripes(&many).len(), 10);
}

/// Capacities of `n` ground motions, each tried at the levels 0.1, 0.2 and so on; demand in proportion to the intensity, so that the limit 1
/// is reached at the capacity. Where `stops`, a run beyond it has no demand.
fn curves(n: usize, (median, dispersion): (f64, f64), seed: u64, stops: bool) -> Vec<Curve> {
    let mut chance = SplitMix64::new(seed);
    let mut curve = || {
        let capacity = median * (dispersion * normal::quantile(chance.uniform().max(1e-15))).exp();
        let point = |i: u32| {
            let intensity = 0.1 * f64::from(i);
            let demand = intensity / capacity;
            let demand = if stops && demand > 1.0 { f64::INFINITY } else { demand };
            Point { intensity, demand, collapsed: demand > 1.0 }
        };
        Curve { points: (1..=15).map(point).collect() }
    };
    (0..n).map(|_| curve()).collect()
}

#[test]
fn confidence_intervals_cover_the_truth_as_often_as_they_say() {
    const SEEDS: u32 = 200;
    let truth = (0.6, 0.35);
    for (n, stops) in [(4, false), (20, false), (20, true), (60, true)] {
        // Median and dispersion from capacities, median from counts.
        let mut covered = [0u32; 3];
        for seed in 0..SEEDS {
            let curves = curves(n, truth, u64::from(seed) * 7919 + 1, stops);
            let capacities: Vec<Capacity> = curves.iter().map(|c| c.capacity(1.0)).collect();
            let found = fit_capacities(&capacities).unwrap();
            let within = |(low, high): (f64, f64), x: f64| u32::from(low <= x && x <= high);
            covered[0] += within(found.median_interval, truth.0);
            covered[1] += within(found.dispersion_interval, truth.1);
            let trials = curves.iter().enumerate().flat_map(|(group, c)| {
                c.points.iter().map(move |p| Trial { intensity: p.intensity, exceeded: p.demand > 1.0, group })
            });
            if let Ok(fit) = fit(&trials.collect::<Vec<_>>()) {
                covered[2] += within(fit.median_interval, truth.0);
            }
        }
        let share = covered.map(|c| f64::from(c) / f64::from(SEEDS));
        // 95 % with three standard errors of 200 repetitions, 3 sqrt(0.95 0.05 / 200) = 0.046; asymptotic intervals of few curves are a little off.
        let least = if n < 20 { [0.904, 0.904, 0.0] } else { [0.904, 0.88, 0.88] };
        assert!(share.iter().zip(least).all(|(s, l)| *s >= l && *s <= 0.995), "{n} {stops}: {share:?}");
    }
}

#[test]
fn known_capacities_give_the_mean_and_the_deviation_of_their_logarithms() {
    let capacities = [0.2, 0.4, 0.8].map(|c| Capacity { low: c, high: c });
    let found = fit_capacities(&capacities).unwrap();
    assert!((found.median - 0.4).abs() < 1e-14 && (found.dispersion - std::f64::consts::LN_2).abs() < 1e-14);
    // Student with two degrees: 4.3027.
    let half = 4.302_652_729_9 * std::f64::consts::LN_2 / 3.0f64.sqrt();
    assert!((found.median_interval.1 / (0.4 * half.exp()) - 1.0).abs() < 1e-9, "{found:?}");
    // Narrow bounds are as good as the capacities themselves, but for the estimate of a population.
    let near = capacities.map(|c| Capacity { low: c.low * (1.0 - 1e-7), high: c.high * (1.0 + 1e-7) });
    let bounded = fit_capacities(&near).unwrap();
    assert!((bounded.median - 0.4).abs() < 1e-6, "{bounded:?}");
    assert!((bounded.dispersion - found.dispersion * (2.0f64 / 3.0).sqrt()).abs() < 1e-5, "{bounded:?}");
    let never = Capacity { low: 1.0, high: f64::INFINITY };
    assert!(fit_capacities(&[never; 3]).unwrap_err().contains("no ground motion reaches"));
    assert!(fit_capacities(&capacities[..1]).unwrap_err().contains("one ground motion"));
    assert!(fit_capacities(&[Capacity { low: 0.1, high: 0.2 }; 4]).unwrap_err().contains("between the same"));
}

/// A record of some sines.
fn record(dt: f64, phase: f64) -> Record {
    let value = |i: u32| {
        let t = dt * f64::from(i);
        (-0.2 * t).exp() * ((7.0 * t + phase).sin() + 0.4 * (23.0 * t).sin()) * 2.3
    };
    Record::new(dt, (0..1500).map(value).collect(), Quantity::Acceleration).unwrap()
}

/// Largest |omega^2 u| of an oscillator by steps of a hundredth of the sampling: an implementation of its own (Runge and Kutta of order four).
fn slow_spectrum(record: &Record, period: f64) -> f64 {
    let (omega, n) = (std::f64::consts::TAU / period, 40);
    let h = record.dt / f64::from(n);
    let ground = |x: f64| {
        let i = (x / record.dt).floor().max(0.0) as usize;
        match (record.values.get(i), record.values.get(i + 1)) {
            (Some(a), Some(b)) => a + (b - a) * (x / record.dt - i as f64),
            _ => 0.0,
        }
    };
    let rate = |t: f64, [u, v]: [f64; 2]| [v, -ground(t) - 2.0 * DAMPING * omega * v - omega * omega * u];
    let (mut x, mut most) = ([0.0; 2], 0.0f64);
    for k in 0..record.values.len() * n as usize {
        let t = k as f64 * h;
        let add = |x: [f64; 2], k: [f64; 2], f: f64| [x[0] + f * k[0], x[1] + f * k[1]];
        let a = rate(t, x);
        let b = rate(t + 0.5 * h, add(x, a, 0.5 * h));
        let c = rate(t + 0.5 * h, add(x, b, 0.5 * h));
        let d = rate(t + h * (1.0 - 1e-12), add(x, c, h));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        most = most.max(x[0].abs());
    }
    omega * omega * most
}

#[test]
fn intensities_are_those_of_oscillators_and_scale_with_the_motion() {
    let pair = [record(0.01, 0.0), record(0.01, 1.3)];
    let sa = |r: &[Record], t: f64, combine| Measure::Spectral(t).of(r, combine).unwrap();
    for period in [0.3, 0.9] {
        let [a, b] = [0, 1].map(|i| sa(&pair[i..=i], period, Combine::First));
        for (found, record) in [(a, &pair[0]), (b, &pair[1])] {
            let slow = slow_spectrum(record, period);
            assert!((found / slow - 1.0).abs() < 3e-4, "{period}: {found} {slow}");
        }
        assert!((sa(&pair, period, Combine::GeometricMean) / (a * b).sqrt() - 1.0).abs() < 1e-14);
        assert_eq!((sa(&pair, period, Combine::Larger), sa(&pair, period, Combine::First)), (a.max(b), a));
    }
    let average = Measure::Average(0.2, 1.4).of(&pair[..1], Combine::First).unwrap();
    let logs: f64 = (0..50).map(|i| sa(&pair[..1], 0.2 + 1.2 * f64::from(i) / 49.0, Combine::First).ln()).sum();
    assert!((average / (logs / 50.0).exp() - 1.0).abs() < 1e-13);
    // Scaled to 0.37 m/s^2, each measure is that to rounding.
    for measure in [Measure::Peak, Measure::Spectral(0.7), Measure::Average(0.2, 1.4)] {
        let factor = 0.37 / measure.of(&pair, Combine::GeometricMean).unwrap();
        let scaled =
            pair.clone().map(|r| Record::new(r.dt, r.values.iter().map(|x| factor * x).collect(), r.quantity).unwrap());
        let found = measure.of(&scaled, Combine::GeometricMean).unwrap();
        assert!((found / 0.37 - 1.0).abs() < 1e-12, "{measure:?}: {found}");
    }
}
