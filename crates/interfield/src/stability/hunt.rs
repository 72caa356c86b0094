//! The certificate tried on random tests: what it certifies must not grow in the time domain, and its critical delays must be those of the time domain.

use std::ops::ControlFlow;

use interfield_analysis::certificate::{Found, Known, Limits, Plant, Rest, search, spectral_radius};
use interfield_analysis::scan::each;
use interfield_lab::random::Random;
use interfield_lab::signal::noise::uniform;
use serde_json::{Value, json};

use super::plants::{Plants, grown, onset};
use crate::quantities::{ONE, UNITS};
use crate::table::{short, time};

/// Additional delays are looked at up to so many samples.
const LONGEST: f64 = 14.0;
/// A critical delay is found to this share of a sample.
const FINE: f64 = 2e-3;
/// Intervals are divided into so many parts at most.
const PARTS: f64 = 4096.0;
/// Cells of one certificate at most.
const CELLS: usize = 60_000;
/// Periods of a free vibration in the time domain; and of one whose end is in doubt.
const PERIODS: [f64; 2] = [20.0, 400.0];
/// A motion that changes less than this from a fifth of the run to the next is in doubt.
const DOUBT: f64 = 0.05;
/// Delays per sample that are tried one after the other in the time domain. One of them is a multiple of the sample: between multiples the interpolation
/// of a command damps what is fast, so that a narrow window of instability has its middle there.
const TRIED: f64 = 4.0;
/// Delays near a prediction that the eigenvalues are asked for where the time domain does not see it.
const LOOKED: u32 = 80;
/// A critical delay is bisected to this share of itself in the time domain.
const BISECTED: f64 = 4e-3;
/// Certified tests run at all corners where these are no more, else at so many of them; and at so many points between.
const CORNERS: u64 = 8;
const BETWEEN: u64 = 4;
/// Longest run for a growth that is slow, periods.
const SLOWEST: f64 = 20_000.0;
/// Spectral radius of a counter-example at least.
const GROWING: f64 = 1.0 + 1e-6;
/// So many numbers of tests are told of each kind.
const TOLD: usize = 10;
/// Largest share by which a predicted critical delay may be off.
const NEAR: f64 = 0.05;

/// What such a hunt says, and what it does not.
const COVERED: &str = "  covered: linear loops at one state, one actuator, one or two storeys; not covered: laws that yield, harden or lose contact, several \
actuators, noise, filters, limits of stroke and force\n";

/// What the certificate said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Certified,
    CounterExample,
    Undecided,
    /// Unstable in the middle of its intervals.
    Unstable,
}

/// Why a test is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// In the middle of its intervals a motion neither grows nor decays, to rounding: there is nothing to certify.
    OnTheCircle,
    /// Somewhere in them one comes nearer to that than the bound tells, and none was found that grows.
    Near,
    /// The cells ran out.
    Exhausted,
}

/// One random test.
struct Tried {
    said: Said,
    open: Option<Open>,
    /// Whether the time domain says the opposite.
    wrong: bool,
    cells: usize,
    /// Points of a certified box that were run.
    runs: usize,
    delay: Delay,
}

/// Critical delays, s: predicted, and found in the time domain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Delay {
    /// Unstable without an additional delay, or the cells ran out.
    Unknown,
    /// Neither has one in the range.
    Beyond,
    /// Both have one.
    Both([f64; 2]),
    /// Runs of usual length see another one, or none; the eigenvalues of the loop have this one, and runs that are long enough show growth (or would be
    /// longer than the longest).
    Slow { predicted: f64, found: f64, shown: bool },
    /// Only one of them has one, and the eigenvalues do not speak for the prediction.
    One { predicted: Option<f64>, found: Option<f64> },
}

/// All of them.
pub struct Hunt {
    seed: u64,
    plants: u64,
    counts: [usize; 4],
    /// Why those that are not decided are not, in the order of [`Open`], each with a few numbers.
    open: [(usize, Vec<u64>); 3],
    runs: usize,
    /// Certified, and grew.
    wrong: Vec<u64>,
    /// Counter-examples or unstable ones that did not grow.
    tame: Vec<u64>,
    /// Critical delays that were compared, and the largest error of all.
    compared: usize,
    largest: (f64, u64),
    mean: f64,
    /// Number, predicted and found critical delay, s, of those that are off by more than is allowed.
    off: Vec<(u64, [Option<f64>; 2])>,
    /// Those that grow too slowly for a run of usual length; of these, those that a longer run does not show.
    slow: Vec<u64>,
    unseen: usize,
    /// Without a critical delay in the range, in the prediction and in the time domain.
    beyond: usize,
    /// Without a prediction.
    unknown: usize,
    cells: usize,
}

/// Tries so many random tests on so many threads; `progress` is told how many are done.
pub fn hunt(seed: u64, plants: u64, threads: usize, mut progress: impl FnMut(u64)) -> Hunt {
    let numbers: Vec<u64> = (0..plants).collect();
    let mut tried: Vec<Option<Tried>> = (0..plants).map(|_| None).collect();
    let mut done = 0;
    each(
        &numbers,
        threads,
        |&i| attempt(seed, i),
        |i, found| {
            tried[i] = Some(found);
            done += 1;
            progress(done);
            ControlFlow::Continue(())
        },
    );
    let mut all = Hunt {
        seed,
        plants,
        counts: [0; 4],
        open: Default::default(),
        runs: 0,
        wrong: Vec::new(),
        tame: Vec::new(),
        compared: 0,
        largest: (0.0, 0),
        mean: 0.0,
        off: Vec::new(),
        slow: Vec::new(),
        unseen: 0,
        beyond: 0,
        unknown: 0,
        cells: 0,
    };
    tried.into_iter().enumerate().filter_map(|(i, t)| Some((i as u64, t?))).for_each(|(i, t)| all.count(i, &t));
    all.mean /= all.compared.max(1) as f64;
    all
}

/// Whether two critical delays, predicted and found, are as near as they must be, and their relative distance.
fn near([predicted, found]: [f64; 2]) -> (bool, f64) {
    let error = (predicted - found).abs() / found.max(f64::MIN_POSITIVE);
    (error <= NEAR, error)
}

/// The first additional delay at which something grows, s: one after the other from zero upwards, then by bisection; none up to `most`. `own` is the
/// delay without it.
fn first_growth([own, most, dt]: [f64; 3], grows: impl Fn(f64) -> bool) -> Option<f64> {
    let step = dt / TRIED;
    let start = (own / step).floor() as u64 + 1;
    let later = (start..).map(|k| k as f64 * step - own).take_while(|x| *x < most);
    let mut low = 0.0;
    for mut high in later.chain([most]) {
        if !grows(high) {
            low = high;
            continue;
        }
        while high - low > BISECTED * (own + high) {
            let half = 0.5 * (low + high);
            if grows(half) { high = half } else { low = half }
        }
        return Some(0.5 * (low + high));
    }
    None
}

/// A random test with its certificate, and what it does.
struct Attempt {
    test: Random,
    middle: Vec<f64>,
    seed: u64,
    number: u64,
}

fn attempt(seed: u64, number: u64) -> Tried {
    attempt_with(seed, number, |plants| Box::new(plants))
}

/// The same with what the search is told of the plants.
fn attempt_with(seed: u64, number: u64, told: impl Fn(Plants) -> Box<dyn Plant>) -> Tried {
    let test = Random::new(seed, number);
    let intervals = test.intervals();
    let middle: Vec<f64> = intervals.iter().map(|[a, b]| 0.5 * (a + b)).collect();
    let this = Attempt { test, middle, seed, number };
    let mut tried = Tried { said: Said::Unstable, open: None, wrong: false, cells: 0, runs: 0, delay: Delay::Unknown };
    let radius = this.radius(&this.middle, 0.0);
    if radius > GROWING {
        tried.wrong = !this.grows(&this.middle, 0.0) && !this.grows_slowly(&this.middle, 0.0);
        return tried;
    }
    if radius >= 1.0 {
        (tried.said, tried.open) = (Said::Undecided, Some(Open::OnTheCircle));
        return tried;
    }
    let (matrix, n) = this.test.matrix();
    let rest = Rest::from_step(&matrix, n, &[n - 3, n - 2], &[n - 1], 1);
    let mut plants = told(Plants::new(vec![this.test.rig()]));
    let mut known = Known::new(&rest, plants.as_mut(), &[&[0.0], &this.middle[..]].concat());
    let widths = |intervals: &[[f64; 2]]| -> Vec<f64> {
        [FINE * this.test.dt].into_iter().chain(intervals.iter().map(|[a, b]| (b - a) / PARTS)).collect()
    };
    // The whole box, without additional delay.
    let limits = Limits { first: None, widths: widths(&intervals), cells: CELLS, ring: None };
    let found = search(&mut known, plants.as_mut(), &[&[[0.0; 2]], &intervals[..]].concat(), &limits);
    tried.cells += found.cells;
    match found.found {
        Found::Excluded => {
            tried.said = Said::Certified;
            let points = this.points(&intervals);
            tried.runs = points.len();
            tried.wrong = points.iter().any(|p| this.grows(p, 0.0) || this.radius(p, 0.0) > GROWING);
        }
        ref other @ (Found::Singular { ref at, .. } | Found::Exhausted { ref at, .. }) => {
            let radius = |p: &[f64]| Some(this.radius(p, 0.0));
            match grown(&intervals, &this.middle, &at[1..], GROWING, radius) {
                Some(bad) => {
                    tried.said = Said::CounterExample;
                    tried.wrong = !this.grows(&bad, 0.0) && !this.grows_slowly(&bad, 0.0);
                }
                None => {
                    let near = matches!(other, Found::Singular { .. });
                    (tried.said, tried.open) = (Said::Undecided, Some(if near { Open::Near } else { Open::Exhausted }));
                }
            }
        }
        Found::Uncounted => (tried.said, tried.open) = (Said::Undecided, Some(Open::Exhausted)),
    }
    // The critical delay in the middle.
    let most = LONGEST * this.test.dt;
    let point: Vec<[f64; 2]> = this.middle.iter().map(|x| [*x; 2]).collect();
    let limits = Limits { first: Some(0), widths: widths(&point), cells: CELLS, ring: None };
    let first = |[from, most]: [f64; 2]| {
        let found = search(&mut known, plants.as_mut(), &[&[[from, most]], &point[..]].concat(), &limits);
        tried.cells += found.cells;
        found.found
    };
    let grows = |x: f64| this.radius(&this.middle, x) > 1.0;
    tried.delay = this.compare(onset([this.middle[0], most, this.test.dt], first, grows));
    tried
}

impl Attempt {
    /// Spectral radius of the whole loop, which is stepped for it with the emulated actuator and compensator.
    fn radius(&self, values: &[f64], extra: f64) -> f64 {
        let (matrix, n) = self.test.whole(values, extra);
        spectral_radius(&matrix, n).unwrap_or(f64::INFINITY)
    }

    /// Whether it grows in the time domain.
    fn grows(&self, values: &[f64], extra: f64) -> bool {
        let ends = self.test.grown(values, extra, PERIODS[0]);
        match ends.map(|x| if x > 1.0 + DOUBT { 1 } else { -i32::from(x < 1.0 - DOUBT) }) {
            [1, 1] => true,
            [-1, -1] => false,
            _ => self.test.grown(values, extra, PERIODS[1])[0] > 1.0,
        }
    }

    /// Whether it grows in a run as long as its spectral radius needs to grow by e¹², at most [`SLOWEST`].
    fn grows_slowly(&self, values: &[f64], extra: f64) -> bool {
        let rate = self.radius(values, extra).ln() * self.test.period / self.test.dt;
        let periods = (5.0 * 12.0 / rate).clamp(PERIODS[1], SLOWEST);
        rate > 0.0 && self.test.grown(values, extra, periods)[0] > 1.0
    }

    /// Points of a certified box to run.
    fn points(&self, intervals: &[[f64; 2]]) -> Vec<Vec<f64>> {
        let wide: Vec<usize> = (0..intervals.len()).filter(|&k| intervals[k][1] > intervals[k][0]).collect();
        let all = 1u64 << wide.len();
        let drawn = |n: u64, k: usize| uniform(self.seed ^ 0x5eed, 256 * self.number + 16 * n + k as u64);
        let mut points: Vec<Vec<f64>> = (0..all.min(CORNERS))
            .map(|n| {
                let upper = |k: usize| match wide.iter().position(|w| *w == k) {
                    Some(bit) if all <= CORNERS => n >> bit & 1 == 1,
                    _ => drawn(n, k) < 0.5,
                };
                pick(intervals, |k| f64::from(u8::from(upper(k))))
            })
            .collect();
        if all > 1 {
            points.extend((CORNERS..CORNERS + BETWEEN).map(|n| pick(intervals, |k| drawn(n, k))));
        }
        points
    }

    /// The predicted critical delay beside that of the time domain, which is looked for without it. `predicted` is additional, s.
    fn compare(&self, predicted: Option<f64>) -> Delay {
        let (own, dt) = (self.middle[0], self.test.dt);
        let range = [own, LONGEST * dt, dt];
        let found = first_growth(range, |x| self.grows(&self.middle, x));
        let [predicted, found] = [predicted, found].map(|x| x.map(|x| own + x));
        let one = Delay::One { predicted, found };
        match (predicted, found) {
            (None, None) => Delay::Beyond,
            (Some(p), Some(f)) if near([p, f]).0 => Delay::Both([p, f]),
            (Some(p), later) if later.is_none_or(|f| f > p) => {
                // A narrow window, between two delays that were tried or of slow growth? The eigenvalues know: something grows near the prediction.
                let close: Vec<f64> = (0..=LOOKED)
                    .map(|k| p * (1.0 - NEAR + 2.0 * NEAR * f64::from(k) / f64::from(LOOKED)))
                    .chain([(p / dt).floor() * dt, (p / dt).ceil() * dt].into_iter().filter(|x| near([*x, p]).0))
                    .map(|x| (x - own).max(0.0))
                    .collect();
                let grows: Vec<(f64, f64)> =
                    close.iter().map(|x| (self.radius(&self.middle, *x), *x)).filter(|(r, _)| *r > 1.0).collect();
                let Some(first) = grows.iter().map(|g| g.1).min_by(f64::total_cmp) else { return one };
                // And nothing grows before it.
                let before = first_growth(range, |x| self.radius(&self.middle, x) > 1.0);
                if before.is_some_and(|x| own + x < p * (1.0 - NEAR)) {
                    return one;
                }
                // Where it grows most, up to the next sample and a half.
                let within = (0..=60).map(|k| first + f64::from(k) * dt / 40.0);
                let within = within.map(|x| (self.radius(&self.middle, x), x)).chain(grows);
                let fastest = within.max_by(|a, b| a.0.total_cmp(&b.0));
                let shown = fastest.is_some_and(|(_, x)| self.grows_slowly(&self.middle, x));
                Delay::Slow { predicted: p, found: own + first, shown }
            }
            _ => one,
        }
    }
}

/// A point of intervals, by its share of each.
fn pick(intervals: &[[f64; 2]], share: impl Fn(usize) -> f64) -> Vec<f64> {
    intervals.iter().enumerate().map(|(k, [a, b])| a + (b - a) * share(k)).collect()
}

impl Hunt {
    fn count(&mut self, i: u64, t: &Tried) {
        self.counts[t.said as usize] += 1;
        if let Some(open) = t.open {
            let (count, numbers) = &mut self.open[open as usize];
            *count += 1;
            numbers.extend((numbers.len() < TOLD).then_some(i));
        }
        self.cells += t.cells;
        self.runs += t.runs;
        if t.wrong {
            if t.said == Said::Certified { self.wrong.push(i) } else { self.tame.push(i) }
        }
        match t.delay {
            Delay::Unknown => self.unknown += usize::from(t.said != Said::Unstable),
            Delay::Beyond => self.beyond += 1,
            Delay::One { predicted, found } => self.off.push((i, [predicted, found])),
            Delay::Both(both) => self.compare(i, both),
            Delay::Slow { predicted, found, shown } => {
                self.compare(i, [predicted, found]);
                self.slow.push(i);
                self.unseen += usize::from(!shown);
            }
        }
    }

    fn compare(&mut self, i: u64, both: [f64; 2]) {
        let (_, error) = near(both);
        self.compared += 1;
        self.mean += error;
        if error > self.largest.0 {
            self.largest = (error, i);
        }
    }

    /// Whether nothing that is certified grew, all that is said to grow did, and all critical delays are near enough.
    pub fn passed(&self) -> bool {
        self.wrong.is_empty() && self.tame.is_empty() && self.off.is_empty()
    }

    /// What was found, as text.
    pub fn text(&self) -> String {
        let [certified, counter, undecided, unstable] = self.counts;
        let mut out = format!("{} random tests, seed {}\n", self.plants, self.seed);
        out += &format!(
            "  certified stable for all values: {certified}, run at {} corners and points between; growing: {}\n",
            self.runs,
            self.wrong.len()
        );
        out += &format!(
            "  not stable for all values: {counter}, each with a counter-example; unstable in the middle: {unstable}; of these, not growing: {}\n",
            self.tame.len()
        );
        let reasons = [
            "a motion neither grows nor decays in the middle",
            "one comes nearer to that than is told apart",
            "cells ran out",
        ];
        let open = |(why, (count, numbers)): (&str, &(usize, Vec<u64>))| match numbers.first() {
            Some(first) => format!("{why}: {count} (first: test {first})"),
            None => format!("{why}: 0"),
        };
        let open: Vec<String> = reasons.into_iter().zip(&self.open).map(open).collect();
        out += &format!("  not decided: {undecided}; {}\n", open.join("; "));
        out += &format!(
            "  critical delays compared with those of the time domain: {}; mean error {} %, largest {} % (test {}); off by more than {} %: {}\n",
            self.compared + self.off.len(),
            short(100.0 * self.mean),
            short(100.0 * self.largest.0),
            self.largest.1,
            short(100.0 * NEAR),
            self.off.len()
        );
        out += &format!(
            "  of these, in a window of growth too slow for {} periods, compared by the eigenvalues of the loop: {}; not seen in {} periods either: {}\n",
            PERIODS[1],
            self.slow.len(),
            SLOWEST,
            self.unseen
        );
        out += &format!(
            "  no critical delay up to {LONGEST} samples more, nor any growth: {}; no prediction: {}\n",
            self.beyond, self.unknown
        );
        out += &format!("  cells tested: {}, {} per test\n", self.cells, self.cells as u64 / self.plants.max(1));
        let said = |x: Option<f64>| x.map_or_else(|| "none".to_string(), time);
        for (number, [predicted, found]) in self.off.iter().take(10) {
            out += &format!("  test {number}: critical delay {} predicted, {} found\n", said(*predicted), said(*found));
        }
        for (what, list) in [("certified, but it grows", &self.wrong), ("said to grow, but it does not", &self.tame)] {
            list.iter().take(10).for_each(|number| out += &format!("  test {number}: {what}\n"));
        }
        out += COVERED;
        out
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let [certified, counter, undecided, unstable] = self.counts;
        json!({
            "plants": self.plants, "seed": self.seed, "passed": self.passed(),
            "certified": certified, "certified_runs": self.runs, "certified_and_growing": self.wrong,
            "counter_examples": counter, "unstable_in_the_middle": unstable, "said_to_grow_and_not_growing": self.tame,
            "not_decided": undecided,
            "not_decided_because": {
                "on_the_circle": self.open[0].0, "near_the_circle": self.open[1].0, "cells_ran_out": self.open[2].0,
                "first_of_each": self.open.iter().map(|o| &o.1).collect::<Vec<_>>(),
            },
            "critical_delays": {
                "compared": self.compared + self.off.len(), "mean_error": self.mean, "largest_error": self.largest.0,
                "largest_error_of": self.largest.1,
                "off": self.off.iter().map(|(i, [p, f])| json!({ "test": i, "predicted": p, "found": f })).collect::<Vec<_>>(),
                "slow": self.slow, "slow_and_not_seen": self.unseen,
                "beyond": self.beyond, "no_prediction": self.unknown,
                UNITS: { "mean_error": ONE, "largest_error": ONE, "predicted": "s", "found": "s" },
            },
            "cells": self.cells,
        })
    }
}

#[cfg(test)]
mod tests {
    use interfield_analysis::certificate::Disc;

    use super::*;

    /// Says a hundredth of how uncertain the plants are.
    struct Lying(Plants);

    impl Plant for Lying {
        fn channels(&self) -> usize {
            self.0.channels()
        }

        fn response(&mut self, phase: f64, half: f64, cell: &[[f64; 2]], out: &mut [Disc]) {
            self.0.response(phase, half, cell, out);
            out.iter_mut().for_each(|disc| disc.radius *= 0.01);
        }
    }

    /// A certificate whose bound is broken certifies what grows, and the hunt sees it.
    #[test]
    fn a_broken_bound_is_caught() {
        let caught = |i: &u64| {
            let tried = attempt_with(5, *i, |plants| Box::new(Lying(plants)));
            tried.said == Said::Certified && tried.wrong
        };
        let honest = (0..60).filter(|i| attempt(5, *i).wrong).count();
        let caught = (0..60).filter(caught).count();
        assert!(honest == 0 && caught > 0, "{honest} {caught}");
    }

    /// Two tests in which a motion comes near the unit circle, long before one crosses it: the delay at which it is near is none at which the loop begins to grow.
    /// And one in which it stays near while the delay is small beside a sample: what is a small share of a sample is none of the delay.
    #[test]
    fn a_motion_that_only_comes_near_the_circle_is_no_critical_delay() {
        for number in [368, 8346] {
            let tried = attempt(11, number);
            assert!(!tried.wrong, "{number}");
            let (Delay::Both([predicted, found]) | Delay::Slow { predicted, found, .. }) = tried.delay else {
                panic!("{number}: {:?}", tried.delay)
            };
            assert!(near([predicted, found]).0, "{number}: {predicted} {found}");
            assert!(predicted < 1.005 * found, "{number}: {predicted} {found}");
        }
        // It crosses at 17.999 samples, and the range ends at 17.998.
        assert_eq!(attempt(11, 2776).delay, Delay::Beyond);
    }
}
