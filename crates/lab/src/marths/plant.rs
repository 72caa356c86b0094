//! The two actuators with coupler and bay: strokes from commands, a matrix of four transfer functions.
//!
//! ```text
//! [q₁]   [H₁₁ H₁₂] [u₁]        H₁₁, H₂₁: two zeros, two poles, and the two of the bay
//! [q₂] = [H₂₁ H₂₂] [u₂]        H₁₂, H₂₂: one zero each, two poles, and the two of the bay
//! ```
//!
//! A column shares its poles and is one system of four states. It is advanced by the classical Runge-Kutta rule at the sampling interval with the command held, as in the
//! released model; for a linear system that is a matrix, the exponential series up to the fourth power.

use std::f64::consts::TAU;

use realfft::num_complex::Complex64;

use super::matrix::Matrix;
use super::{ACTUATORS, RATE};
use crate::plant::{Rational, StateSpace};
use crate::signal::noise::normal;

/// States of a column.
const STATES: usize = 4;

/// Poles of the bay, Hz; the other one is its conjugate.
const BAY: Complex64 = Complex64::new(-50.0, -63.0);
/// Zeros and poles of the first column, Hz.
const FIRST: [[f64; 2]; 2] = [[-120.0, -90.0], [-2.65, -40.0]];
/// Zeros of H₁₂ and H₂₂, and the poles of the second column, Hz.
const SECOND: ([f64; 2], [f64; 2]) = ([-3.0, -5.0], [-3.5, -18.5]);
/// Gains in the form of zeros, poles and gain, rad/s: H₁₁, H₂₁; H₁₂, H₂₂.
const GAINS: [[f64; 2]; 2] = [[2165.2, 349.95], [4.5394e6, 1.9238e7]];

/// Relative deviations of zeros and poles of a plant, in units of the standard deviations of the benchmark. Gains at rest stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perturbation {
    /// Zeros of the first column, of 5.5 %.
    pub first_zeros: [f64; 2],
    /// Poles of the first column, of 6 %.
    pub first_poles: [f64; 2],
    /// Poles of the bay, of 5 %.
    pub bay: f64,
    /// Zeros of H₁₂ and H₂₂, of 3 %.
    pub second_zeros: [f64; 2],
    /// Poles of the second column, of 3 %.
    pub second_poles: [f64; 2],
}

impl Perturbation {
    /// The draw of this number.
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut next = 9 * number;
        let mut draw = || {
            next += 1;
            normal(seed, next - 1)
        };
        Perturbation {
            first_zeros: [draw(), draw()],
            first_poles: [draw(), draw()],
            bay: draw(),
            second_zeros: [draw(), draw()],
            second_poles: [draw(), draw()],
        }
    }
}

/// One column: the strokes from one command.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    /// Coefficients of the denominator, from the constant up; the highest is one.
    denominator: [f64; STATES + 1],
    /// Of the numerators.
    numerators: [[f64; STATES]; ACTUATORS],
    /// New state from state and command.
    step: [[f64; STATES + 1]; STATES],
    /// Strokes from the state.
    outputs: [[f64; STATES]; ACTUATORS],
}

/// Coefficients of Π (s - root), from the constant up.
fn polynomial<const N: usize>(roots: &[Complex64]) -> [f64; N] {
    let mut p = vec![Complex64::ONE];
    for root in roots {
        let mut next = vec![Complex64::ZERO; p.len() + 1];
        for (i, c) in p.iter().enumerate() {
            next[i + 1] += c;
            next[i] -= root * c;
        }
        p = next;
    }
    std::array::from_fn(|i| p.get(i).map_or(0.0, |c| c.re))
}

/// Unit of the time of the states, rad/s: near the poles of the bay, so that the numbers of the companion form are near one.
const OMEGA: f64 = 300.0;

impl Column {
    /// From zeros of each row and poles, Hz, and the gains at rest.
    fn new(zeros: [&[f64]; ACTUATORS], poles: [f64; 2], bay: Complex64, rest: [f64; ACTUATORS]) -> Self {
        let radians = |hz: f64| Complex64::new(TAU * hz, 0.0);
        let denominator = polynomial(&[radians(poles[0]), radians(poles[1]), TAU * bay, TAU * bay.conj()]);
        let numerators = std::array::from_fn(|row| {
            let plain: [f64; STATES] = polynomial(&zeros[row].iter().map(|z| radians(*z)).collect::<Vec<_>>());
            plain.map(|b| b * rest[row] * denominator[0] / plain[0])
        });
        // d/dt z_i = Ω z_(i+1), the last: Ω u - Σ a_i Ω^(i - 3) z_i.
        let mut rates = [[0.0; STATES + 1]; STATES];
        for (i, row) in rates.iter_mut().enumerate() {
            if i + 1 < STATES {
                row[i + 1] = OMEGA;
            } else {
                (0..STATES).for_each(|j| row[j] = -denominator[j] * OMEGA.powi(j as i32 + 1 - STATES as i32));
                row[STATES] = OMEGA;
            }
        }
        let outputs = numerators.map(|b| std::array::from_fn(|i| b[i] * OMEGA.powi(i as i32 - STATES as i32)));
        Column { denominator, numerators, step: runge_kutta(&rates), outputs }
    }

    fn response(&self, row: usize, s: Complex64) -> Complex64 {
        let value = |p: &[f64]| p.iter().rev().fold(Complex64::ZERO, |sum, c| sum * s + c);
        value(&self.numerators[row]) / value(&self.denominator)
    }
}

/// The step map of z' = A z + b u over a sample, u held: Σ (A/f)^k/k! up to the fourth power, applied to [z; u].
fn runge_kutta(rates: &[[f64; STATES + 1]; STATES]) -> [[f64; STATES + 1]; STATES] {
    let mut map = [[0.0; STATES + 1]; STATES];
    for column in 0..=STATES {
        let mut term = [0.0; STATES + 1];
        term[column] = 1.0;
        (0..STATES).for_each(|i| map[i][column] = term[i]);
        for k in 1..=4 {
            let next: [f64; STATES] = std::array::from_fn(|i| {
                rates[i].iter().zip(&term).map(|(r, t)| r * t).sum::<f64>() / (RATE * f64::from(k))
            });
            term = [0.0; STATES + 1];
            term[..STATES].copy_from_slice(&next);
            (0..STATES).for_each(|i| map[i][column] += next[i]);
        }
    }
    map
}

/// The plant.
#[derive(Clone, Debug, PartialEq)]
pub struct Plant {
    columns: [Column; ACTUATORS],
}

impl Plant {
    /// With perturbed zeros and poles.
    pub fn new(p: &Perturbation) -> Self {
        let near = |nominal: [f64; 2], relative: f64, draw: [f64; 2]| {
            [nominal[0] * (1.0 + relative * draw[0]), nominal[1] * (1.0 + relative * draw[1])]
        };
        let rest = Self::at_rest();
        let bay = BAY * (1.0 + 0.05 * p.bay);
        let zeros = near(FIRST[0], 0.055, p.first_zeros);
        let [h12, h22] = near(SECOND.0, 0.03, p.second_zeros);
        Plant {
            columns: [
                Column::new([&zeros, &zeros], near(FIRST[1], 0.06, p.first_poles), bay, rest[0]),
                Column::new([&[h12], &[h22]], near(SECOND.1, 0.03, p.second_poles), bay, rest[1]),
            ],
        }
    }

    /// Gains at rest of both columns: k Π(-z)/Π(-p).
    fn at_rest() -> [[f64; ACTUATORS]; ACTUATORS] {
        let product = |roots: &[f64]| roots.iter().map(|hz| -TAU * hz).product::<f64>();
        let bay = (TAU * BAY).norm_sqr();
        let first = GAINS[0].map(|k| k * product(&FIRST[0]) / (product(&FIRST[1]) * bay));
        let second = |row: usize| GAINS[1][row] * product(&[SECOND.0[row]]) / (product(&SECOND.1) * bay);
        [first, [second(0), second(1)]]
    }

    /// The matrix of transfer functions at a frequency, Hz: rows are strokes, columns commands.
    pub fn response(&self, frequency: f64) -> [[Complex64; ACTUATORS]; ACTUATORS] {
        let s = Complex64::new(0.0, TAU * frequency);
        std::array::from_fn(|row| std::array::from_fn(|column| self.columns[column].response(row, s)))
    }

    /// As a model of a multi-variable compensator. Commands are held over a sample, which is half a sample late.
    pub fn model(&self) -> Option<StateSpace> {
        let entry = |row: usize, column: usize| {
            let column = &self.columns[column];
            Rational { numerator: column.numerators[row].to_vec(), denominator: column.denominator.to_vec() }
        };
        let entries: Vec<Rational> =
            (0..ACTUATORS).flat_map(|row| (0..ACTUATORS).map(move |column| entry(row, column))).collect();
        let found = StateSpace::from_transfer_matrix(&entries, ACTUATORS)?;
        Some(StateSpace { delays: vec![0.5 / RATE; ACTUATORS], ..found })
    }

    /// The step map z⁺ = A z + B u, y = C z of both columns: A, B, C.
    pub(super) fn sampled(&self) -> [Matrix; 3] {
        let n = ACTUATORS * STATES;
        let [mut a, mut b, mut c] = [Matrix::zero(n, n), Matrix::zero(n, ACTUATORS), Matrix::zero(ACTUATORS, n)];
        for (k, column) in self.columns.iter().enumerate() {
            for i in 0..STATES {
                (0..STATES).for_each(|j| *a.at(k * STATES + i, k * STATES + j) = column.step[i][j]);
                *b.at(k * STATES + i, k) = column.step[i][STATES];
                (0..ACTUATORS).for_each(|row| *c.at(row, k * STATES + i) = column.outputs[row][i]);
            }
        }
        [a, b, c]
    }

    /// Strokes at the state.
    pub(super) fn strokes(&self, state: &State) -> [f64; ACTUATORS] {
        let dot = |a: &[f64; STATES], b: &[f64; STATES]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        std::array::from_fn(|row| self.columns.iter().zip(state).map(|(c, z)| dot(&c.outputs[row], z)).sum())
    }

    /// One sample with the commands held.
    pub(super) fn step(&self, state: &mut State, commands: [f64; ACTUATORS]) {
        for ((column, z), command) in self.columns.iter().zip(state).zip(commands) {
            let old = [z[0], z[1], z[2], z[3], command];
            *z = column.step.map(|row| row.iter().zip(&old).map(|(a, x)| a * x).sum());
        }
    }
}

/// States of both columns.
pub(super) type State = [[f64; STATES]; ACTUATORS];
