//! Actuators that feel the specimen feel one another through it: their motion over a sample is solved together.
//!
//! ```text
//! M x" + r = F,    r(τ) = r₀ + K (x(τ) - x₀) + τ c          x strokes, τ from 0 to 1 over the sample
//! ```
//!
//! M and K are those of the specimen seen from the strokes. The equations of all such actuators ([`Hydraulic`]) are integrated as one system by the classical Runge-Kutta rule;
//! actuators that go where they are sent move on a cubic meanwhile. c is what the specimen does beyond its stiffness at rest (yielding, damping, finite rotations): it is found so that r(1) is the force of
//! the specimen at the end of the sample, by Broyden's iteration from the specimen as it was before. So no force is a sample late, and no actuator comes before another.
//!
//! Masses lighter than the rule bears (see [`hydraulic`](crate::plant::hydraulic)) are taken for the lightest it does, mode by mode: M ≥ (dt/2)² (a₂ + K).

use interfield_linalg::{Lu, dense_symmetric_generalized};

use crate::plant::Hydraulic;

/// States of a hydraulic actuator.
const STATES: usize = Hydraulic::STATES;
/// Most iterations for c; a linear specimen needs two.
const ITERATIONS: usize = 40;
/// Of the forces, where they count as equal.
const ROUNDING: f64 = 1e-13;
/// And where an iteration that has come no closer is given up.
const ENOUGH: f64 = 1e-7;

/// The actuators that feel the specimen, with all that is needed within a sample.
pub(super) struct Together {
    /// Their numbers, and they.
    feeling: Vec<(usize, Hydraulic)>,
    /// M and K of all strokes, m x m.
    inertia: Vec<f64>,
    stiffness: Vec<f64>,
    /// M of those that feel, factorised.
    masses: Lu,
    dt: f64,
    /// Commands of those that feel, at the beginning and the end.
    pub(super) commands: Vec<[f64; 2]>,
    /// Strokes and restoring forces of all at the beginning, and their velocities.
    pub(super) start: Vec<[f64; 3]>,
    /// States of those that feel at the beginning and at the end.
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    pub(super) end: End,
    stage: Vec<f64>,
    slopes: [Vec<f64>; 4],
    x: Vec<f64>,
    a: Vec<f64>,
    c: Vec<f64>,
    broyden: Broyden,
}

impl Together {
    /// `None` where there is nothing to solve together: a single actuator, or none that feels.
    pub(super) fn new(
        actuators: impl Iterator<Item = Option<Hydraulic>>,
        inertia: Vec<f64>,
        stiffness: Vec<f64>,
        dt: f64,
    ) -> Option<Self> {
        let all: Vec<Option<Hydraulic>> = actuators.collect();
        let m = all.len();
        let feeling: Vec<(usize, Hydraulic)> =
            all.into_iter().enumerate().filter_map(|(i, h)| h.map(|h| (i, h))).collect();
        if m < 2 || feeling.is_empty() {
            return None;
        }
        let k = feeling.len();
        let mut masses = Lu::new(k);
        masses.factorize(&heavy_enough(&feeling, &inertia, &stiffness, m, dt)).ok()?;
        let states = || vec![0.0; STATES * k];
        Some(Together {
            feeling,
            inertia,
            stiffness,
            masses,
            dt,
            commands: vec![[0.0; 2]; m],
            start: vec![[0.0; 3]; m],
            before: states(),
            after: states(),
            end: End { x: vec![0.0; m], v: vec![0.0; m], a: vec![0.0; m], forces: vec![0.0; m] },
            stage: states(),
            slopes: std::array::from_fn(|_| states()),
            x: vec![0.0; m],
            a: vec![0.0; k],
            c: vec![0.0; k],
            broyden: Broyden::new(k),
        })
    }

    /// Place of an actuator among those that feel.
    pub(super) fn place(&self, actuator: usize) -> Option<usize> {
        self.feeling.iter().position(|(i, _)| *i == actuator)
    }

    /// Restoring forces of all strokes out of what holds the specimen: inertia taken away.
    pub(super) fn restoring(&self, actuator: usize, forces: &[f64], accelerations: &[f64]) -> f64 {
        let m = forces.len();
        let row = &self.inertia[actuator * m..(actuator + 1) * m];
        forces[actuator] - row.iter().zip(accelerations).map(|(m, a)| m * a).sum::<f64>()
    }

    /// Moves those that feel over the sample, the others being known: they are in `end`, with displacement, velocity and acceleration. `hold` leads the
    /// specimen there and says what holds it; `false` where it cannot. Whether a motion was found.
    pub(super) fn solve(&mut self, hold: impl FnMut(&mut End) -> bool) -> bool {
        let mut end = std::mem::take(&mut self.end);
        let found = self.iterate(&mut end, hold);
        self.end = end;
        found
    }

    fn iterate(&mut self, end: &mut End, mut hold: impl FnMut(&mut End) -> bool) -> bool {
        self.c.fill(0.0);
        self.broyden.start();
        let mut sound = false;
        for _ in 0..ITERATIONS {
            self.integrate(end);
            sound = hold(end);
            let left = self.judge(end);
            if !sound || left <= ROUNDING {
                return sound;
            }
            sound = left <= ENOUGH;
            self.broyden.step(&mut self.c);
        }
        sound
    }

    /// What c lacks, into the iteration; its size over that of the forces.
    fn judge(&mut self, end: &End) -> f64 {
        let m = end.x.len();
        let (mut left, mut scale) = (0.0f64, 0.0f64);
        for (p, (i, h)) in self.feeling.iter().enumerate() {
            let r = self.restoring(*i, &end.forces, &end.a);
            let (mut linear, mut size) = (self.start[*i][1], r.abs() + self.start[*i][1].abs());
            for j in 0..m {
                let part = self.stiffness[i * m + j] * (end.x[j] - self.start[j][0]);
                linear += part;
                size += part.abs();
            }
            let lacks = r - linear - self.c[p];
            self.broyden.lacks[p] = lacks;
            left = left.max(lacks.abs());
            // What moves the oil by a rounding error moves nothing.
            scale = scale.max(size + h.a2.abs() * end.x[*i].abs());
        }
        if left == 0.0 { 0.0 } else { left / scale }
    }

    /// One step of the rule for all that feel.
    fn integrate(&mut self, end: &mut End) {
        let h = self.dt;
        let mut slopes = std::mem::take(&mut self.slopes);
        let mut stage = std::mem::take(&mut self.stage);
        stage.copy_from_slice(&self.before);
        for (k, share) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            if k > 0 {
                let last = &slopes[k - 1];
                stage.iter_mut().zip(self.before.iter().zip(last)).for_each(|(z, (z0, dz))| *z = z0 + share * h * dz);
            }
            self.rate(share, &stage, end, &mut slopes[k]);
        }
        for (s, z) in self.after.iter_mut().enumerate() {
            let [k1, k2, k3, k4] = [0, 1, 2, 3].map(|k| slopes[k][s]);
            *z = self.before[s] + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        }
        let after = std::mem::take(&mut self.after);
        // Accelerations at the end are those of the forces there.
        self.rate(1.0, &after, end, &mut stage);
        for (p, (i, _)) in self.feeling.iter().enumerate() {
            let z = &after[p * STATES..(p + 1) * STATES];
            (end.x[*i], end.v[*i], end.a[*i]) = (z[3], z[4], stage[p * STATES + 4]);
        }
        (self.after, self.stage, self.slopes) = (after, stage, slopes);
    }

    /// Rates of the states at a share of the sample.
    fn rate(&mut self, share: f64, z: &[f64], end: &End, rates: &mut [f64]) {
        let m = end.x.len();
        for j in 0..m {
            self.x[j] = match self.place(j) {
                Some(p) => z[p * STATES + 3],
                None => self.cubic(j, share, end)[0],
            };
        }
        for (p, (i, h)) in self.feeling.iter().enumerate() {
            let z = &z[p * STATES..(p + 1) * STATES];
            let mut r = self.start[*i][1] + share * self.c[p];
            for j in 0..m {
                r += self.stiffness[i * m + j] * (self.x[j] - self.start[j][0]);
                if self.place(j).is_none() {
                    r += self.inertia[i * m + j] * self.cubic(j, share, end)[1];
                }
            }
            let [from, to] = self.commands[*i];
            h.oil(z, from + share * (to - from), &mut rates[p * STATES..(p + 1) * STATES]);
            self.a[p] = z[2] - r;
        }
        self.masses.solve(&mut self.a);
        for (p, a) in self.a.iter().enumerate() {
            rates[p * STATES + 4] = *a;
        }
    }

    /// Displacement and acceleration within the sample of one that goes where it is sent: the cubic with its positions and velocities.
    fn cubic(&self, j: usize, share: f64, end: &End) -> [f64; 2] {
        let ([x0, _, v0], x1, v1, h) = (self.start[j], end.x[j], end.v[j], self.dt);
        let (s, step) = (share, x1 - x0);
        let (a, b) = (h * v0 - step, step - h * v1);
        let x = x0 + s * step + s * (1.0 - s) * ((1.0 - s) * a + s * b);
        let curvature = (6.0 * s - 4.0) * a + (2.0 - 6.0 * s) * b;
        [x, curvature / (h * h)]
    }
}

/// All actuators at the end of a sample.
#[derive(Default)]
pub(super) struct End {
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) a: Vec<f64>,
    /// What holds the specimen, by stroke.
    pub(super) forces: Vec<f64>,
}

/// M of those that feel, no mode of it lighter than (dt/2)² (a₂ + K).
fn heavy_enough(feeling: &[(usize, Hydraulic)], inertia: &[f64], stiffness: &[f64], m: usize, dt: f64) -> Vec<f64> {
    let k = feeling.len();
    let of =
        |matrix: &[f64]| -> Vec<f64> { (0..k * k).map(|e| matrix[feeling[e / k].0 * m + feeling[e % k].0]).collect() };
    let (mut masses, mut oil) = (of(inertia), of(stiffness));
    (0..k).for_each(|p| oil[p * k + p] += feeling[p].1.a2.abs());
    let lightest = (0.5 * dt).powi(2);
    let modes = dense_symmetric_generalized(&masses, &oil, k).or_else(|_| {
        // A specimen that pushes on its own: each stroke by itself.
        for e in 0..k * k {
            oil[e] = if e / k == e % k {
                feeling[e / k].1.a2.abs() + stiffness[feeling[e / k].0 * (m + 1)].abs()
            } else {
                0.0
            };
        }
        dense_symmetric_generalized(&masses, &oil, k)
    });
    let Ok((values, vectors)) = modes else { return masses };
    for (value, vector) in values.iter().zip(&vectors).filter(|(value, _)| **value < lightest) {
        let force: Vec<f64> = (0..k).map(|p| (0..k).map(|q| oil[p * k + q] * vector[q]).sum()).collect();
        for e in 0..k * k {
            masses[e] += (lightest - value) * force[e / k] * force[e % k];
        }
    }
    masses
}

/// Broyden's iteration for g(c) = 0 (Math. Comput. 19:577-593, 1965), which begins as c + g(c).
struct Broyden {
    /// g at the last point.
    lacks: Vec<f64>,
    before: Vec<f64>,
    /// -J⁻¹ as far as known.
    inverse: Vec<f64>,
    step: Vec<f64>,
    work: Vec<f64>,
    begun: bool,
}

impl Broyden {
    fn new(k: usize) -> Self {
        let zeros = || vec![0.0; k];
        Broyden {
            lacks: zeros(),
            before: zeros(),
            inverse: vec![0.0; k * k],
            step: zeros(),
            work: zeros(),
            begun: false,
        }
    }

    fn start(&mut self) {
        let k = self.step.len();
        self.inverse.iter_mut().enumerate().for_each(|(e, x)| *x = f64::from(u8::from(e / k == e % k)));
        self.begun = false;
    }

    fn step(&mut self, c: &mut [f64]) {
        let k = self.step.len();
        if self.begun {
            self.learn();
        }
        self.begun = true;
        self.before.copy_from_slice(&self.lacks);
        for p in 0..k {
            self.step[p] = (0..k).map(|q| self.inverse[p * k + q] * self.lacks[q]).sum();
            c[p] += self.step[p];
        }
    }

    /// The inverse shall know what the last step did: H (g - g₀) = -s.
    fn learn(&mut self) {
        let k = self.step.len();
        self.before.iter_mut().zip(&self.lacks).for_each(|(before, now)| *before = now - *before);
        for p in 0..k {
            self.work[p] = (0..k).map(|q| self.inverse[p * k + q] * self.before[q]).sum();
        }
        let along: f64 = self.step.iter().zip(&self.work).map(|(s, w)| s * w).sum();
        if along == 0.0 || !along.is_finite() {
            return;
        }
        // sᵀH, before H changes.
        for q in 0..k {
            self.before[q] = (0..k).map(|p| self.step[p] * self.inverse[p * k + q]).sum();
        }
        for e in 0..k * k {
            self.inverse[e] -= (self.step[e / k] + self.work[e / k]) * self.before[e % k] / along;
        }
    }
}
