//! The certificate tried on random tests: what it certifies must not grow in the time domain, and its critical delays must be those of the time domain.

use std::ops::ControlFlow;

use interfield_analysis::certificate::{Found, Limits, Rest, search, spectral_radius};
use interfield_analysis::scan::each;
use interfield_lab::random::Random;
use interfield_lab::signal::noise::uniform;
use serde_json::{Value, json};

use super::plants::{Plants, suspects};
use crate::quantities::{ONE, UNITS};
use crate::table::{short, time};

/// Additional delays are looked at up to so many samples.
const LONGEST: f64 = 14.0;
/// A critical delay is found to this share of a sample.
const FINE: f64 = 2e-3;
/// Intervals are divided into so many parts at most.
const PARTS: f64 = 64.0;
/// Cells of one certificate at most.
const CELLS: usize = 20_000;
/// Periods of a free vibration in the time domain; and of one whose end is in doubt.
const PERIODS: [f64; 2] = [40.0, 400.0];
/// A motion that changes less than this from a fifth of the run to the next is in doubt.
const DOUBT: f64 = 0.05;
/// Spectral radius of a counter-example at least.
const GROWING: f64 = 1.0 + 1e-6;
/// Largest share by which a predicted critical delay may be off.
const NEAR: f64 = 0.05;

/// What the certificate said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Certified,
    CounterExample,
    Undecided,
    /// Unstable in the middle of its intervals.
    Unstable,
}

/// One random test.
struct Tried {
    said: Said,
    /// Whether the time domain says the opposite.
    wrong: bool,
    cells: usize,
    /// Critical delay, s: predicted, and by bisection in the time domain.
    delay: Option<[f64; 2]>,
    /// No critical delay is predicted, and the time domain has none either; or it has one.
    beyond: Option<bool>,
}

/// All of them.
pub struct Hunt {
    seed: u64,
    plants: u64,
    counts: [usize; 4],
    /// Certified, and grew.
    wrong: Vec<u64>,
    /// Counter-examples or unstable ones that did not grow.
    tame: Vec<u64>,
    /// Critical delays that were compared, and the largest error of all.
    compared: usize,
    largest: (f64, u64),
    mean: f64,
    /// Number, predicted and found critical delay, s, of those that are off by more than is allowed.
    off: Vec<(u64, [f64; 2])>,
    /// Without a critical delay in the range, in the prediction and in the time domain.
    beyond: usize,
    /// Of these, those that grow.
    missed: Vec<u64>,
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
        wrong: Vec::new(),
        tame: Vec::new(),
        compared: 0,
        largest: (0.0, 0),
        mean: 0.0,
        off: Vec::new(),
        beyond: 0,
        missed: Vec::new(),
        cells: 0,
    };
    for (i, t) in tried.into_iter().enumerate().filter_map(|(i, t)| Some((i as u64, t?))) {
        all.counts[t.said as usize] += 1;
        all.cells += t.cells;
        if t.wrong {
            if t.said == Said::Certified { all.wrong.push(i) } else { all.tame.push(i) }
        }
        if let Some([predicted, found]) = t.delay {
            let error = (predicted - found).abs() / found.max(f64::MIN_POSITIVE);
            all.compared += 1;
            all.mean += error;
            if error > all.largest.0 {
                all.largest = (error, i);
            }
            if error > NEAR {
                all.off.push((i, [predicted, found]));
            }
        }
        if let Some(fits) = t.beyond {
            all.beyond += 1;
            if !fits {
                all.missed.push(i);
            }
        }
    }
    all.mean /= all.compared.max(1) as f64;
    all
}

fn attempt(seed: u64, number: u64) -> Tried {
    let test = Random::new(seed, number);
    let middle: Vec<f64> = test.intervals().iter().map(|[a, b]| 0.5 * (a + b)).collect();
    let radius = |values: &[f64], extra: f64| {
        let (matrix, n) = test.whole(values, extra);
        spectral_radius(&matrix, n).unwrap_or(f64::INFINITY)
    };
    let grows = |values: &[f64], extra: f64| {
        let first = test.grown(values, extra, PERIODS[0]);
        if (first - 1.0).abs() > DOUBT { first > 1.0 } else { test.grown(values, extra, PERIODS[1]) > 1.0 }
    };
    let mut tried = Tried { said: Said::Unstable, wrong: false, cells: 0, delay: None, beyond: None };
    if radius(&middle, 0.0) >= 1.0 {
        tried.wrong = !grows(&middle, 0.0);
        return tried;
    }
    let (matrix, n) = test.matrix();
    let rest = Rest::from_step(&matrix, n, &[n - 3, n - 2], &[n - 1], 1);
    let mut plants = Plants::new(vec![test.rig()]);
    let intervals = test.intervals();
    let widths = |intervals: &[[f64; 2]]| -> Vec<f64> {
        [FINE * test.dt].into_iter().chain(intervals.iter().map(|[a, b]| (b - a) / PARTS)).collect()
    };
    // The whole box, without additional delay.
    let limits = Limits { first: None, widths: widths(&intervals), cells: CELLS };
    let found = search(&rest, &mut plants, &[&[[0.0; 2]], &intervals[..]].concat(), &limits);
    tried.cells += found.cells;
    match found.found {
        Found::Excluded => {
            tried.said = Said::Certified;
            // A corner, and a point between.
            let corner = pick(&intervals, |k| uniform(seed ^ 0x5eed, 32 * number + k).round());
            let between = pick(&intervals, |k| uniform(seed ^ 0x5eed, 32 * number + 16 + k));
            tried.wrong = [corner, between].iter().any(|p| grows(p, 0.0));
        }
        Found::Singular { at, .. } => {
            let bad = suspects(&intervals, &middle, &at[1..]).into_iter().find(|p| radius(p, 0.0) > GROWING);
            tried.said = if bad.is_some() { Said::CounterExample } else { Said::Undecided };
            tried.wrong = bad.is_some_and(|p| !grows(&p, 0.0));
        }
        Found::Exhausted { .. } => tried.said = Said::Undecided,
    }
    // The critical delay in the middle.
    let most = LONGEST * test.dt;
    let point: Vec<[f64; 2]> = middle.iter().map(|x| [*x; 2]).collect();
    let limits = Limits { first: Some(0), widths: widths(&point), cells: CELLS };
    let found = search(&rest, &mut plants, &[&[[0.0, most]], &point[..]].concat(), &limits);
    tried.cells += found.cells;
    match found.found {
        Found::Excluded => tried.beyond = Some(!grows(&middle, most)),
        Found::Singular { at, .. } => {
            let (own, extra) = (middle[0], at[0]);
            // Where a delay is a multiple of the sample, a loop may be unstable in a narrow window only.
            let ends = [1.25, 1.1, 1.05, 1.025, 1.012, 1.006, 1.003, 1.0015]
                .map(|factor| (factor * (own + extra) - own).max(0.0));
            let bad = ends.into_iter().find(|&e| grows(&middle, e));
            // A delay that is not seen in the time domain counts as one of twice the size.
            let (mut low, mut high) = (0.0, bad.unwrap_or(2.0 * (own + extra)));
            while bad.is_some() && high - low > 5e-3 * (own + high) {
                let half = 0.5 * (low + high);
                if grows(&middle, half) { high = half } else { low = half }
            }
            tried.delay = Some([own + extra, own + 0.5 * (low + high)]);
        }
        Found::Exhausted { .. } => {}
    }
    tried
}

/// A point of intervals, by its share of each.
fn pick(intervals: &[[f64; 2]], share: impl Fn(u64) -> f64) -> Vec<f64> {
    intervals.iter().enumerate().map(|(k, [a, b])| a + (b - a) * share(k as u64)).collect()
}

impl Hunt {
    /// Whether nothing that is certified grew, and all critical delays are near enough.
    pub fn passed(&self) -> bool {
        self.wrong.is_empty() && self.tame.is_empty() && self.off.is_empty() && self.missed.is_empty()
    }

    /// What was found, as text.
    pub fn text(&self) -> String {
        let [certified, counter, undecided, unstable] = self.counts;
        let mut out = format!("{} random tests, seed {}\n", self.plants, self.seed);
        out += &format!(
            "  certified stable for all values: {certified}; of these, growing in the time domain: {}\n",
            self.wrong.len()
        );
        out += &format!(
            "  not stable for all values: {counter}, each with a counter-example; unstable in the middle: {unstable}; of these, not growing: {}\n",
            self.tame.len()
        );
        out += &format!("  not decided: {undecided}\n");
        out += &format!(
            "  critical delays compared with bisection in the time domain: {}; mean error {} %, largest {} % (test {})\n",
            self.compared,
            short(100.0 * self.mean),
            short(100.0 * self.largest.0),
            self.largest.1
        );
        out += &format!(
            "  without a critical delay in the range: {}; of these, growing at its end: {}\n",
            self.beyond,
            self.missed.len()
        );
        out += &format!("  cells tested: {}, {} per test\n", self.cells, self.cells as u64 / self.plants.max(1));
        for (number, [predicted, found]) in self.off.iter().take(10) {
            out += &format!("  test {number}: critical delay {} predicted, {} found\n", time(*predicted), time(*found));
        }
        for (what, list) in [
            ("certified, but it grows", &self.wrong),
            ("said to grow, but it does not", &self.tame),
            ("grows without a critical delay", &self.missed),
        ] {
            list.iter().take(10).for_each(|number| out += &format!("  test {number}: {what}\n"));
        }
        out
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let [certified, counter, undecided, unstable] = self.counts;
        json!({
            "plants": self.plants, "seed": self.seed, "passed": self.passed(),
            "certified": certified, "certified_and_growing": self.wrong,
            "counter_examples": counter, "unstable_in_the_middle": unstable, "said_to_grow_and_not_growing": self.tame,
            "not_decided": undecided,
            "critical_delays": {
                "compared": self.compared, "mean_error": self.mean, "largest_error": self.largest.0,
                "largest_error_of": self.largest.1,
                "off": self.off.iter().map(|(i, [p, f])| json!({ "test": i, "predicted": p, "found": f })).collect::<Vec<_>>(),
                "beyond": self.beyond, "missed": self.missed,
                UNITS: { "mean_error": ONE, "largest_error": ONE, "predicted": "s", "found": "s" },
            },
            "cells": self.cells,
        })
    }
}
