//! A building of two storeys: the first one is a specimen, the second one learns from it.

use interfield_learn::online::pupil::Kind;
use interfield_learn::online::{
    COUNT, Filter, Hysteresis, Learner, Limits, Parameters, Pupil, Settings, State, Teacher,
};
use serde_json::Value;

use crate::common::{list, number};

/// The building and what acts on it.
pub(crate) struct Building {
    pub(crate) dt: f64,
    pub(crate) ground: Vec<f64>,
    pub(crate) mass: [f64; 2],
    pub(crate) damping: [f64; 2],
    pub(crate) truth: Parameters,
    pub(crate) initial: Parameters,
    /// Of the second storey, on k, Fy and k2.
    pub(crate) factor: f64,

    /// Noise of force, N, and deformation, m, and its samples.
    pub(crate) noise: [f64; 2],
    pub(crate) samples: [Vec<f64>; 2],
}

/// What came out.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) u: [Vec<f64>; 2],
    pub(crate) state: State,
    pub(crate) worst: f64,
    pub(crate) moving: f64,
    pub(crate) doubted: u32,
    pub(crate) gained: f64,
    pub(crate) tank: f64,
}

/// Root mean square of the difference, over that of the truth.
pub(crate) fn error(x: &[f64], truth: &[f64]) -> f64 {
    let square: f64 = x.iter().zip(truth).map(|(x, t)| (x - t).powi(2)).sum();
    (square / truth.iter().map(|t| t * t).sum::<f64>()).sqrt()
}

impl Building {
    pub(crate) fn golden(case: &Value) -> Self {
        let pair = |name: &str| [0, 1].map(|i| number(&case[name][i]));
        let theta = |name: &str| {
            let x = list(&case[name]);
            [x[0], x[1], x[2], x[3], x[4], f64::INFINITY, 0.0, 0.0]
        };
        Building {
            dt: number(&case["dt"]),
            ground: list(&case["ground"]),
            mass: pair("mass"),
            damping: pair("c"),
            truth: theta("theta_true"),
            initial: theta("theta_initial"),
            factor: number(&case["factor"]),
            noise: [number(&case["sigma_force"]), number(&case["sigma_disp"])],
            samples: ["force", "disp"].map(|name| list(&case["noise"][name])),
        }
    }

    /// One of many: where the truth is, how strong the motion, how long a weak one before it, how noisy the sensors.
    pub(crate) fn random(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let centre = [8e6, 80e3, 0.6, 2.0, 0.8e6];
        let mut truth = [0.0; COUNT];
        truth[5] = f64::INFINITY;
        for (x, c) in truth.iter_mut().zip(centre) {
            *x = c * (0.7 + 0.6 * dice.uniform());
        }
        (truth[2], truth[3]) = (truth[2].max(0.5), 1.0 + 3.0 * dice.uniform());
        let (dt, weak) = (0.005f64, [0.0, 20.0, 40.0][seed as usize % 3]);
        let peak = [3.0, 1.0, 0.4][(seed as usize / 3) % 3];
        let samples = ((weak + 20.0) / dt) as usize;
        // Noise through the filter of a soil layer at 2.5 Hz.
        let (omega, zeta) = (2.0 * std::f64::consts::PI * 2.5, 0.6);
        let (mut x, mut v) = (0.0, 0.0);
        let mut ground: Vec<f64> = (0..samples)
            .map(|k| {
                let a = dice.normal() / dt.sqrt() - 2.0 * zeta * omega * v - omega * omega * x;
                v += dt * a;
                x += dt * v;
                let t = k as f64 * dt;
                let envelope = |t: f64| (t / 4.0).min(1.0) * (-(t - 10.0).max(0.0) / 4.0).exp();
                let strength = if t < weak {
                    0.02 * (t / 4.0).min(1.0)
                } else {
                    envelope(t - weak).max(if weak > 0.0 { 0.02 } else { 0.0 })
                };
                (2.0 * zeta * omega * v + omega * omega * x) * strength
            })
            .collect();
        let largest = ground.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        ground.iter_mut().for_each(|a| *a *= peak / largest);
        let noise = [[500.0, 1500.0][(seed as usize / 9) % 2], 2e-5];
        let samples = [0, 1].map(|_| (0..ground.len()).map(|_| dice.normal()).collect());
        let initial = [5.6e6, 120e3, 0.8, 1.2, 1.6e6, f64::INFINITY, 0.0, 0.0];
        Building { dt, ground, mass: [50e3; 2], damping: [30e3; 2], truth, initial, factor: 0.7, noise, samples }
    }

    /// As a model file would say it: a factor of ten to either side.
    pub(crate) fn settings(&self, prior: f64) -> Settings {
        let mut bounds = self.initial.map(|x| [0.1 * x, 10.0 * x]);
        (bounds[2], bounds[3]) = ([0.5, 1.5], [0.5, 8.0]);
        Settings {
            law: Hysteresis::BoucWen,
            initial: self.initial,
            free: [true, true, true, true, true, false, false, false],
            bounds,
            noise: self.noise,
            prior,
            walk: 0.005,
            path: 0.01,
        }
    }

    fn scaled(&self, x: &Parameters) -> Parameters {
        [x[0] * self.factor, x[1] * self.factor, x[2], x[3], x[4] * self.factor, x[5], 0.0, 0.0]
    }

    /// Without noise, with the true law everywhere.
    pub(crate) fn truth(&self) -> Run {
        self.all(None, true, 0.0)
    }

    /// With noise: a teacher, or the first guess, or the known truth in the second storey.
    pub(crate) fn run(&self, teacher: Option<Settings>, known: bool) -> Run {
        self.all(teacher, known, 1.0)
    }

    fn all(&self, teacher: Option<Settings>, known: bool, noisy: f64) -> Run {
        let law = Hysteresis::BoucWen;
        let free = teacher.map(|s| s.free).unwrap_or_default();
        let mut teacher = teacher.map(|settings| {
            let filter = Filter::new(settings).unwrap();
            Teacher::new(Learner::Filter(Box::new(filter)), Limits::default(), self.dt)
        });
        let first = if known { &self.truth } else { &self.initial };
        let mut pupil = Pupil::new(Kind::Hysteretic, self.scaled(first), 0.1, self.dt);
        let (mut u, mut v, mut a) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let (mut z, mut at) = ([0.0; 2], [0.0; 2]);
        let mut run = Run {
            u: [Vec::new(), Vec::new()],
            state: State::Learning,
            worst: 0.0,
            moving: 0.0,
            doubted: 0,
            gained: 0.0,
            tank: 0.0,
        };
        let dt = self.dt;
        for k in 0..self.ground.len() {
            let mut half = v;
            if k > 0 {
                for i in 0..2 {
                    u[i] += dt * v[i] + 0.5 * dt * dt * a[i];
                    half[i] = v[i] + 0.5 * dt * a[i];
                }
            }
            let q = [u[0], u[1] - u[0]];
            z[0] = law.moved(&self.truth, z[0], at[0], q[0] - at[0]);
            z[1] = law.moved(pupil.parameters(), z[1], at[1], q[1] - at[1]);
            at = q;
            let measured = z[0] + self.truth[4] * q[0] + noisy * self.noise[0] * self.samples[0][k];
            let twin = z[1] + pupil.parameters()[4] * q[1];
            pupil.follow(q[1], z[1]);
            // (M + dt/2 C) a = -M ag - C v' - f
            let [c1, c2] = self.damping;
            let (d1, d2) = (c1 * half[0], c2 * (half[1] - half[0]));
            let h = if k > 0 { 0.5 * dt } else { 0.0 };
            let b = [
                -self.mass[0] * self.ground[k] - d1 + d2 - measured + twin,
                -self.mass[1] * self.ground[k] - d2 - twin,
            ];
            let m = [[self.mass[0] + h * (c1 + c2), -h * c2], [-h * c2, self.mass[1] + h * c2]];
            let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
            a = [(b[0] * m[1][1] - b[1] * m[0][1]) / det, (b[1] * m[0][0] - b[0] * m[1][0]) / det];
            for i in 0..2 {
                v[i] = half[i] + h * a[i];
                run.u[i].push(u[i]);
            }
            if let Some(teacher) = &mut teacher {
                teacher.step(q[0] + noisy * self.noise[1] * self.samples[1][k], measured);
                pupil.learn(&self.initial, teacher.used(), &free);
            }
        }
        if let Some(teacher) = &teacher {
            (run.state, run.worst, run.moving) = (teacher.state(), teacher.worst(), teacher.moving());
            run.doubted = teacher.doubted();
        }
        run.tank = pupil.tank();
        run.gained = pupil.gained();
        run
    }
}

/// Equally distributed numbers, the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
    }
}
