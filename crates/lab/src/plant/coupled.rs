//! Actuators that act on one another, sampled exactly for commands that are linear over the sample.
//!
//! As [`transfer`](super::transfer), for all actuators of a rig: the commands and their changes are further states (Van Loan, IEEE Trans. Autom. Control 23:395-404, 1978).
//! The delays of [`StateSpace`] are not in it: whoever sends the commands delays them.

use super::StateSpace;
use super::exponential::{exponential, product};

/// A sampled linear plant.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupled {
    order: usize,
    actuators: usize,
    /// The step map: new state from state, commands before, commands now; a row per state.
    map: Vec<f64>,
    /// Displacement, velocity and acceleration of each actuator from state, commands, rates of the commands; a row per actuator.
    outputs: [Vec<f64>; 3],
    dt: f64,
}

impl Coupled {
    /// Sampled every `dt` seconds.
    pub fn new(plant: &StateSpace, dt: f64) -> Self {
        let (n, m) = (plant.order, plant.actuators);
        let width = n + 2 * m;
        let mut whole = vec![0.0; width * width];
        for i in 0..n {
            for j in 0..n {
                whole[i * width + j] = plant.a[i * n + j] * dt;
            }
            for j in 0..m {
                whole[i * width + n + j] = plant.b[i * m + j] * dt;
            }
        }
        for j in 0..m {
            whole[(n + j) * width + n + m + j] = 1.0;
        }
        let e = exponential(&whole, width);
        let mut map = e[..n * width].to_vec();
        for row in map.chunks_mut(width) {
            let (level, slope) = row[n..].split_at_mut(m);
            level.iter_mut().zip(slope).for_each(|(level, slope)| *level -= *slope);
        }
        // y = C z + D u, y' = CA z + CB u + D u', y" = CA² z + CAB u + CB u'.
        let ca = product(&plant.c, &plant.a, [m, n, n]);
        let [cb, cab] = [&plant.c, &ca].map(|c| product(c, &plant.b, [m, n, m]));
        let nothing = vec![0.0; m * m];
        let caa = product(&ca, &plant.a, [m, n, n]);
        let outputs = [
            beside([&plant.c, &plant.d, &nothing], [n, m, m]),
            beside([&ca, &cb, &plant.d], [n, m, m]),
            beside([&caa, &cab, &cb], [n, m, m]),
        ];
        Coupled { order: n, actuators: m, map, outputs, dt }
    }

    /// Number of actuators.
    pub fn actuators(&self) -> usize {
        self.actuators
    }

    /// Numbers it remembers.
    pub fn memory(&self) -> usize {
        2 * self.order
    }

    /// Moves over one sample, in which the commands go linearly from `before` to `now`. What is reached at its end:
    /// displacements, velocities, accelerations.
    pub fn advance(&self, memory: &mut [f64], before: &[f64], now: &[f64], reached: [&mut [f64]; 3]) {
        self.step(memory, before, now);
        for (out, rows) in reached.into_iter().zip(&self.outputs) {
            self.read(rows, memory, before, now, out);
        }
    }

    /// As [`Coupled::advance`], for who asks for displacements only.
    pub fn follow(&self, memory: &mut [f64], before: &[f64], now: &[f64], reached: &mut [f64]) {
        self.step(memory, before, now);
        self.read(&self.outputs[0], memory, before, now, reached);
    }

    fn step(&self, memory: &mut [f64], before: &[f64], now: &[f64]) {
        let (n, m) = (self.order, self.actuators);
        let (state, next) = memory.split_at_mut(n);
        for (z, row) in next.iter_mut().zip(self.map.chunks_exact(n + 2 * m)) {
            *z = dot(&row[..n], state) + dot(&row[n..n + m], before) + dot(&row[n + m..], now);
        }
        state.copy_from_slice(&next[..n]);
        // What is only needed within a sample is not remembered.
        next.fill(0.0);
    }

    fn read(&self, rows: &[f64], state: &[f64], before: &[f64], now: &[f64], out: &mut [f64]) {
        let (n, m) = (self.order, self.actuators);
        for (y, row) in out.iter_mut().zip(rows.chunks_exact(n + 2 * m)) {
            let changes: f64 = (0..m).map(|j| row[n + m + j] * (now[j] - before[j])).sum();
            *y = dot(&row[..n], &state[..n]) + dot(&row[n..n + m], now) + changes / self.dt;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Matrices with so many columns, one beside the other.
fn beside(parts: [&[f64]; 3], widths: [usize; 3]) -> Vec<f64> {
    let rows = parts[1].len() / widths[1].max(1);
    let row = |i: usize| (0..3).flat_map(move |p| &parts[p][i * widths[p]..(i + 1) * widths[p]]);
    (0..rows).flat_map(row).copied().collect()
}
