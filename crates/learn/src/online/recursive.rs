//! Recursive least squares for laws that are linear in their parameters: springs, cubic springs, dampers whose shape is known.
//!
//! A sample is an interval over which the deformation moved well beyond its noise: force, powers of the deformation and rate are means over
//! it, so that the rate needs no derivative of a single measurement. Where the columns could not be seen in the noise nothing is learned
//! and nothing forgotten; plain forgetting would wind up in silence (book: identification 5).
//! **Must not be here:** what is done with estimates.

use interfield_kernel::{Archive, Persist};

use super::filter::Sample;
use super::hysteresis::{COUNT, Parameters};

/// Most terms.
pub const TERMS: usize = 3;
/// An interval is over when the deformation moved by so many deviations of its noise.
const INTERVAL: f64 = 20.0;
/// Columns below this part of the noise of the force tell nothing.
const EXCITED: f64 = 0.1;
/// An innovation beyond so many deviations is doubted.
const GATE: f64 = 4.0;

/// Laws that are linear in what is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terms {
    /// p = k q + c v.
    Spring,
    /// p = k q + k3 q³ + c v.
    Cubic,
    /// p = c v (v² + v0²)^((n-1)/2) with n and v0 that are known.
    Damper {
        /// Exponent.
        n: f64,
        /// Rate below which it is linear, m/s.
        v0: f64,
    },
}

impl Terms {
    /// Which parameters its columns belong to ([`super::NAMES`]).
    pub fn places(self) -> &'static [usize] {
        match self {
            Terms::Spring => &[0, 7],
            Terms::Cubic => &[0, 6, 7],
            Terms::Damper { .. } => &[7],
        }
    }

    /// Force of the part that takes energy and never gives it back, N.
    pub fn dashpot(self, x: &Parameters, v: f64) -> f64 {
        let columns = self.columns(0.0, v);
        x[7] * columns[self.places().len() - 1]
    }

    /// Stiffness within this deformation, N/m.
    pub fn stiffness(self, x: &Parameters, reach: f64) -> f64 {
        match self {
            Terms::Spring => x[0],
            Terms::Cubic => x[0] + 3.0 * x[6].max(0.0) * reach * reach,
            Terms::Damper { .. } => 0.0,
        }
    }

    /// What the parameters multiply.
    pub fn columns(self, q: f64, v: f64) -> [f64; TERMS] {
        match self {
            Terms::Spring => [q, v, 0.0],
            Terms::Cubic => [q, q * q * q, v],
            Terms::Damper { n, v0 } => [v * (v * v + v0 * v0).powf(0.5 * (n - 1.0)), 0.0, 0.0],
        }
    }

    /// Energy that it stores with these parameters, J.
    pub fn stored(self, x: &Parameters, q: f64) -> f64 {
        match self {
            Terms::Spring => 0.5 * x[0] * q * q,
            Terms::Cubic => 0.5 * x[0] * q * q + 0.25 * x[6] * q.powi(4),
            Terms::Damper { .. } => 0.0,
        }
    }
}

/// What recursive least squares start from.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The law.
    pub law: Terms,
    /// First guess.
    pub initial: Parameters,
    /// Which parameters are learned.
    pub free: [bool; COUNT],
    /// Bounds of each.
    pub bounds: [[f64; 2]; COUNT],
    /// Noise of force, N, and deformation, m.
    pub noise: [f64; 2],
    /// Deviation of the first guess, as a part of it.
    pub prior: f64,
    /// What an interval leaves of the weight of those before it.
    pub forgetting: f64,
}

/// The estimator.
#[derive(Clone, Debug)]
pub struct Recursive {
    set: Start,
    deviation: [f64; TERMS],
    x: Parameters,
    p: [[f64; TERMS]; TERMS],
    /// Sums over the interval: columns, force, time.
    sums: [f64; TERMS + 2],
    /// Where the interval began, and the last sample.
    from: f64,
    before: [f64; 2],
    /// Means of the last interval.
    mean: [f64; TERMS + 1],
}

impl Recursive {
    /// From a start; none if a guess is not inside its bounds, nothing is free, or a number is not usable.
    pub fn new(set: Start) -> Option<Self> {
        let mut own = Recursive {
            set,
            deviation: [0.0; TERMS],
            x: set.initial,
            p: [[0.0; TERMS]; TERMS],
            sums: [0.0; TERMS + 2],
            from: 0.0,
            before: [0.0; 2],
            mean: [0.0; TERMS + 1],
        };
        let sizes = [set.noise[0], set.noise[1], set.prior, set.forgetting];
        if !sizes.iter().all(|x| x.is_finite() && *x > 0.0) || set.forgetting > 1.0 {
            return None;
        }
        let mut any = false;
        for place in (0..COUNT).filter(|&i| set.free[i]) {
            let ([lo, hi], value) = (set.bounds[place], set.initial[place]);
            let i = set.law.places().iter().position(|p| *p == place)?;
            if !(lo < value && value < hi && lo.is_finite() && hi.is_finite()) {
                return None;
            }
            own.deviation[i] = set.prior * value.abs();
            own.p[i][i] = own.deviation[i].powi(2);
            any |= own.deviation[i] > 0.0;
        }
        any.then_some(own)
    }

    /// The law.
    pub fn law(&self) -> Terms {
        self.set.law
    }

    /// The start.
    pub fn start(&self) -> &Start {
        &self.set
    }

    /// The present estimate.
    pub fn estimate(&self) -> Parameters {
        self.x
    }

    /// The column of a parameter.
    fn column(&self, parameter: usize) -> Option<usize> {
        self.set.law.places().iter().position(|p| *p == parameter)
    }

    /// Bounds of the estimate of a parameter that contain it with so many deviations.
    pub fn band(&self, parameter: usize, deviations: f64) -> [f64; 2] {
        let way = self.column(parameter).map_or(0.0, |i| deviations * self.p[i][i].max(0.0).sqrt());
        [self.x[parameter] - way, self.x[parameter] + way]
    }

    /// Deviation of a parameter over that of its first guess.
    pub fn doubt(&self, parameter: usize) -> f64 {
        match self.column(parameter).map(|i| (self.deviation[i], self.p[i][i])) {
            Some((d, p)) if d > 0.0 => p.max(0.0).sqrt() / d,
            _ => 1.0,
        }
    }

    /// What parameters say of the force over the last interval, N, and what was measured.
    pub fn expected(&self, x: &Parameters) -> [f64; 2] {
        let columns = self.set.law.places().iter().zip(&self.mean);
        [columns.map(|(p, c)| x[*p] * c).sum(), self.mean[TERMS]]
    }

    /// Uses a sample: measured deformation, m, and force, N, `dt` after the one before.
    pub fn step(&mut self, q: f64, f: f64, dt: f64) -> Sample {
        if !(q.is_finite() && f.is_finite()) {
            return Sample::Refused;
        }
        let [last, force] = self.before;
        let v = (q - last) / dt;
        // Means of powers of a straight way are those of Simpson's rule; a power of the rate is taken of the mean rate, at the end.
        let (a, m, b) =
            (self.set.law.columns(last, v), self.set.law.columns(0.5 * (last + q), v), self.set.law.columns(q, v));
        for i in 0..TERMS {
            self.sums[i] += dt * (a[i] + 4.0 * m[i] + b[i]) / 6.0;
        }
        self.sums[TERMS] += dt * 0.5 * (f + force);
        self.sums[TERMS + 1] += dt;
        self.before = [q, f];
        if (q - self.from).abs() < INTERVAL * self.set.noise[1] {
            return Sample::Still;
        }
        let time = self.sums[TERMS + 1];
        let mut columns: [f64; TERMS] = core::array::from_fn(|i| self.sums[i] / time);
        let rate = (q - self.from) / time;
        let ends = self.set.law.columns(0.0, rate);
        match self.set.law {
            Terms::Spring => columns[1] = rate,
            Terms::Cubic => columns[2] = rate,
            Terms::Damper { .. } => columns = ends,
        }
        let force = self.sums[TERMS] / time;
        (self.sums, self.from) = ([0.0; TERMS + 2], q);
        self.mean = [columns[0], columns[1], columns[2], force];
        self.correct(columns, force)
    }

    fn correct(&mut self, columns: [f64; TERMS], force: f64) -> Sample {
        let places = self.set.law.places();
        let known: f64 = places.iter().zip(&columns).map(|(p, c)| c * self.x[*p]).sum();
        let phi: [f64; TERMS] = core::array::from_fn(|i| if self.deviation[i] > 0.0 { columns[i] } else { 0.0 });
        let noise = self.set.noise[0];
        let seen: f64 = phi.iter().zip(&self.deviation).map(|(c, d)| (c * d).powi(2)).sum();
        if seen < (EXCITED * noise).powi(2) {
            return Sample::Still;
        }
        let mut p = self.p;
        p.iter_mut().flatten().for_each(|p| *p /= self.set.forgetting);
        let shrink: [f64; TERMS] = core::array::from_fn(|i| {
            if p[i][i] > self.deviation[i].powi(2) { self.deviation[i] / p[i][i].sqrt() } else { 1.0 }
        });
        for i in 0..TERMS {
            (0..TERMS).for_each(|j| p[i][j] *= shrink[i] * shrink[j]);
        }
        let with: [f64; TERMS] = core::array::from_fn(|i| (0..TERMS).map(|j| p[i][j] * phi[j]).sum());
        let mut spread = noise * noise + phi.iter().zip(&with).map(|(c, w)| c * w).sum::<f64>();
        let innovation = force - known;
        let surprise = innovation.abs() / spread.sqrt();
        if surprise > GATE {
            spread *= surprise / GATE;
        }
        let mut x = self.x;
        for i in 0..TERMS {
            if let Some(&place) = places.get(i) {
                x[place] += with[i] / spread * innovation;
            }
            for j in 0..TERMS {
                p[i][j] -= with[i] * with[j] / spread;
            }
        }
        for i in 0..TERMS {
            if let Some(&place) = places.get(i).filter(|_| self.deviation[i] > 0.0) {
                let [lo, hi] = self.set.bounds[place];
                x[place] = x[place].clamp(lo, hi);
            }
            (0..i).for_each(|j| {
                let mean = 0.5 * (p[i][j] + p[j][i]);
                (p[i][j], p[j][i]) = (mean, mean);
            });
        }
        if !x.iter().chain(p.iter().flatten()).all(|x| x.is_finite()) {
            return Sample::Refused;
        }
        (self.x, self.p) = (x, p);
        if surprise > GATE { Sample::Doubted } else { Sample::Used }
    }
}

impl Persist for Recursive {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(&mut self.x);
        archive.numbers(self.p.iter_mut().flatten());
        archive.numbers(&mut self.sums);
        archive.number(&mut self.from);
        archive.numbers(&mut self.before);
        archive.numbers(&mut self.mean);
    }
}
