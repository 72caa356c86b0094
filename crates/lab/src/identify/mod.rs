//! Identification of a rig: from commands and strokes to a plant of all actuators, with delays.
//!
//! ```text
//! Y_i(ω) = Σ_j N_ij(s)/D_j(s) e^(-s τ_j) U_j(ω)      s = iω, U of commands that are linear between samples
//! ```
//!
//! A record from rest to rest needs no window: its spectra obey the equation line by line. Start: local least squares over neighbouring lines give the
//! matrix of responses, from which the columns are fitted one by one (Sanathanan, Koerner, IEEE Trans. Autom. Control 8:56-58, 1963) for several delays. Then all of it is refined together against the strokes
//! themselves (Levenberg, Marquardt), which is unbiased under white noise of the sensors. The order, and whether there are delays, is what Schwarz' criterion prefers among those that are stable.

mod columns;
mod excite;
mod refine;

use std::f64::consts::{PI, TAU};

use interfield_linalg::dense_solve;
use realfft::RealFftPlanner;

use crate::plant::{Complex64, Coupled, Rational, StateSpace};
use crate::signal::line;
use columns::Column;
pub use excite::{Excitation, Motion, Shape, characterise, play};

/// Highest order of a denominator.
const MOST: usize = 5;
/// Most lines of the spectra that are used.
const LINES: usize = 600;
/// Highest frequency, as a share of the sampling rate: above, commands between samples matter more than the actuators.
const HIGHEST: f64 = 0.2;

/// Commands and strokes of a rig, a history per actuator, m (rad).
#[derive(Clone, Debug)]
pub struct Record {
    /// What was sent.
    pub commands: Vec<Vec<f64>>,
    /// What was measured at the end of the sample.
    pub strokes: Vec<Vec<f64>>,
    /// Sampling interval, s.
    pub dt: f64,
}

/// What a rig does, as measured.
#[derive(Clone, Debug)]
pub struct Identified {
    /// Its transfer functions, row-major: stroke by command. A column has one denominator.
    pub entries: Vec<Rational>,
    /// The same with the delays of the commands.
    pub plant: StateSpace,
    /// Of each stroke: root mean square of what the plant does not explain, m (rad), and its share of the motion.
    pub residuals: Vec<[f64; 2]>,
    /// Responses as measured, without a plant: frequency (Hz) and matrix.
    pub responses: Vec<(f64, Vec<Complex64>)>,
    /// What a careful colleague would remark.
    pub doubts: Vec<String>,
}

/// One line of the spectra.
struct Line {
    omega: f64,
    /// By actuator; the commands as they are between samples.
    u: Vec<Complex64>,
    y: Vec<Complex64>,
}

/// Identifies a plant from a record, up to a frequency (Hz); by default as far as the commands go. `order` fixes that of the denominators.
///
/// # Errors
/// A sentence: a record that is too short, does not move, or does not move the actuators independently.
pub fn identify(record: &Record, highest: Option<f64>, order: Option<usize>) -> Result<Identified, String> {
    let m = record.commands.len();
    let samples = record.commands.iter().chain(&record.strokes).map(Vec::len).min().unwrap_or(0);
    if m == 0 || record.strokes.len() != m || samples < 64 {
        return Err("a record of 64 samples at least is needed, with command and stroke of each actuator".to_owned());
    }
    if !record.commands.iter().chain(&record.strokes).flatten().all(|x| x.is_finite()) {
        return Err("the record contains values that are not finite".to_owned());
    }
    let lines = spectra(record, samples, highest)?;
    let responses = measured(&lines, m)?;
    let scale = lines.last().map_or(1.0, |l| l.omega);
    let weights = record.strokes.iter().map(|y| 1.0 / size(y).max(f64::MIN_POSITIVE)).collect::<Vec<f64>>();
    let best = (order.map_or(1, |n| n.clamp(1, MOST))..=order.map_or(MOST, |n| n.clamp(1, MOST)))
        .flat_map(|n| [false, true].map(|late| (n, late)))
        .filter_map(|(n, late)| {
            let start: Vec<Column> =
                (0..m).map(|j| Column::fit(&responses, m, j, n, late, scale)).collect::<Option<_>>()?;
            refine::refine(start, &lines, &weights, late, scale)
        })
        .min_by(|a, b| a.criterion.total_cmp(&b.criterion))
        .ok_or("no stable plant fits the record: check that it moves every actuator, from rest to rest")?;
    let entries: Vec<Rational> = (0..m * m).map(|e| best.columns[e % m].rational(e / m, scale)).collect();
    let plant = StateSpace::from_transfer_matrix(&entries, m).ok_or("the numbers of the plant are not finite")?;
    let plant = StateSpace { delays: best.columns.iter().map(|c| c.delay / scale).collect(), ..plant };
    let residuals = residuals(record, &plant, samples);
    let doubts = doubts(record, &residuals, samples);
    Ok(Identified { entries, plant, residuals, responses, doubts })
}

/// Neighbouring lines that tell the responses to so many commands apart.
fn neighbours(commands: usize) -> usize {
    2 * commands + 3
}

/// Root mean square about the start.
fn size(x: &[f64]) -> f64 {
    let start = x.first().copied().unwrap_or(0.0);
    (x.iter().map(|x| (x - start).powi(2)).sum::<f64>() / x.len().max(1) as f64).sqrt()
}

/// Lines of the spectra with something to say.
fn spectra(record: &Record, samples: usize, highest: Option<f64>) -> Result<Vec<Line>, String> {
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(samples);
    let transform = |x: &[f64]| {
        let (start, mut output) = (x[0], plan.make_output_vec());
        let mut input: Vec<f64> = x[..samples].iter().map(|x| x - start).collect();
        plan.process(&mut input, &mut output).map(|()| output).map_err(|e| e.to_string())
    };
    let u = record.commands.iter().map(|x| transform(x)).collect::<Result<Vec<_>, _>>()?;
    let y = record.strokes.iter().map(|x| transform(x)).collect::<Result<Vec<_>, _>>()?;
    let step = 1.0 / (samples as f64 * record.dt);
    let last = ((HIGHEST / record.dt).min(highest.unwrap_or(f64::INFINITY)) / step).floor() as usize;
    let energy = |k: usize| u.iter().map(|u| u[k].norm_sqr()).sum::<f64>();
    let most = (1..=last.min(samples / 2)).map(energy).fold(0.0, f64::max);
    if most <= 0.0 {
        return Err("the commands of the record do not move".to_owned());
    }
    let told: Vec<usize> = (1..=last.min(samples / 2)).filter(|&k| energy(k) > 1e-6 * most).collect();
    let every = told.len().div_ceil(LINES).max(1);
    let line = |&k: &usize| {
        let half = PI * k as f64 * step * record.dt;
        let between = (half.sin() / half).powi(2);
        let omega = TAU * k as f64 * step;
        Line { omega, u: u.iter().map(|u| u[k] * between).collect(), y: y.iter().map(|y| y[k]).collect() }
    };
    // Neighbours stay together: only between neighbours do commands that were given one after the other differ, by their phase.
    let lines: Vec<Line> = told.chunks(neighbours(record.commands.len())).step_by(every).flatten().map(line).collect();
    if lines.len() < 12 * record.commands.len() {
        return Err(format!(
            "only {} lines of the spectrum are excited: use a longer record, or more frequencies",
            lines.len()
        ));
    }
    Ok(lines)
}

/// Responses over bands of neighbouring lines, in the mean square.
fn measured(lines: &[Line], m: usize) -> Result<Vec<(f64, Vec<Complex64>)>, String> {
    let width = neighbours(m);
    let one = |band: &[Line]| {
        // Σ conj(u) uᵀ G ᵀ = Σ conj(u) yᵀ, in real numbers.
        let (mut matrix, mut right) = (vec![0.0; 4 * m * m], vec![0.0; 2 * m * m]);
        for (i, j) in (0..m * m).map(|e| (e / m, e % m)) {
            let uu: Complex64 = band.iter().map(|l| l.u[i].conj() * l.u[j]).sum();
            let uy: Complex64 = band.iter().map(|l| l.u[i].conj() * l.y[j]).sum();
            let w = 2 * m;
            (matrix[i * w + j], matrix[(m + i) * w + m + j]) = (uu.re, uu.re);
            (matrix[i * w + m + j], matrix[(m + i) * w + j]) = (-uu.im, uu.im);
            (right[i * m + j], right[(m + i) * m + j]) = (uy.re, uy.im);
        }
        let middle = band.iter().map(|l| l.omega).sum::<f64>() / band.len() as f64;
        let solved = dense_solve(&matrix, 2 * m, &mut right, m);
        let entry = |e: usize| Complex64::new(right[(e % m) * m + e / m], right[(m + e % m) * m + e / m]);
        solved.then(|| (middle / TAU, (0..m * m).map(entry).collect::<Vec<_>>()))
    };
    let found: Vec<_> = lines.chunks(width).filter(|band| band.len() == width).filter_map(one).collect();
    if found.len() < 6 {
        return Err("the commands do not move the actuators independently: excite one after the other".to_owned());
    }
    Ok(found)
}

/// What the plant does not explain of the strokes, sample by sample.
fn residuals(record: &Record, plant: &StateSpace, samples: usize) -> Vec<[f64; 2]> {
    let m = plant.actuators;
    let sampled = Coupled::new(plant, record.dt);
    let longest = plant.delays.iter().fold(0.0f64, |a, b| a.max(*b));
    let mut lines = vec![vec![0.0; (longest / record.dt).ceil() as usize + 2]; m];
    let (mut state, mut before, mut now, mut x) =
        (vec![0.0; sampled.memory()], vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    let (mut left, mut all) = (vec![0.0; m], vec![0.0; m]);
    for k in 0..samples {
        for j in 0..m {
            line::push(&mut lines[j], record.commands[j][k] - record.commands[j][0]);
            now[j] = line::ago_between(&lines[j], plant.delays[j] / record.dt);
        }
        sampled.follow(&mut state, &before, &now, &mut x);
        before.copy_from_slice(&now);
        for i in 0..m {
            let y = record.strokes[i][k] - record.strokes[i][0];
            left[i] += (y - x[i]).powi(2);
            all[i] += y * y;
        }
    }
    (0..m).map(|i| [(left[i] / samples as f64).sqrt(), (left[i] / all[i].max(f64::MIN_POSITIVE)).sqrt()]).collect()
}

fn doubts(record: &Record, residuals: &[[f64; 2]], samples: usize) -> Vec<String> {
    let mut said = Vec::new();
    let largest = |x: &[f64]| x.iter().map(|v| (v - x[0]).abs()).fold(0.0, f64::max);
    let moved = |x: &Vec<f64>| (x[samples - 1] - x[0]).abs() > 0.02 * largest(x);
    if record.commands.iter().any(moved) {
        said.push("the record does not end where it began: record from rest to rest".to_owned());
    }
    if let Some(worst) = residuals.iter().map(|r| r[1]).reduce(f64::max).filter(|worst| *worst > 0.05) {
        said.push(format!(
            "{:.1} % of a stroke is not explained: friction, a limit that was reached, noise, or a motion that is too small",
            100.0 * worst
        ));
    }
    said
}
