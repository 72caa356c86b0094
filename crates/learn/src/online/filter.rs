//! A square-root cubature filter of a hysteretic law and its parameters, with what keeps it from harm.
//!
//! The state is [z, psi]: the hysteretic force and the free parameters, each within its bounds by a logistic map. Points x ± sqrt(n) S e_j
//! with equal weights (Arasaratnam and Haykin 2009) and roots of covariances (van der Merwe and Wan 2001): every weight is positive,
//! so that no covariance can become indefinite. Process noise belongs to the path travelled, not to time: a specimen that rests
//! teaches nothing and nothing is forgotten. The order of the steps matters; the book has it (book: identification 5).
//! **Must not be here:** what is done with estimates.

use interfield_kernel::{Archive, Persist};

use super::hysteresis::{COUNT, Hysteresis, Parameters};
use super::root::{COLUMNS, ROWS, Root, Wide, deviation, triangle};

/// Movement below so many deviations of the noise is none.
const DEAD_BAND: f64 = 3.0;
/// Random walk of z over a whole yield displacement, over the yield force.
const WALK_FORCE: f64 = 0.002;
/// Largest |psi| of an estimate, and of a point: beyond, the map has no slope and nothing comes back.
const REACH: [f64; 2] = [4.0, 6.0];
/// An innovation beyond so many deviations counts less (Huber).
const GATE: f64 = 4.0;
/// A parameter that moves the force by less than this part of its noise is not corrected.
const FREEZE: f64 = 0.005;
/// Largest correction of psi in one sample.
const LARGEST: f64 = 0.25;
/// Usual deviation of psi of a first guess: 40 % of a parameter in a box of 100 to 1.
const USUAL: f64 = 0.35;
/// z may deviate by so many yield forces.
const CEILING: f64 = 2.0;

/// What a filter starts from.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The law.
    pub law: Hysteresis,
    /// First guess.
    pub initial: Parameters,
    /// Which parameters are learned, at most five.
    pub free: [bool; COUNT],
    /// Bounds of each.
    pub bounds: [[f64; 2]; COUNT],
    /// Noise of the measured force, N, and of the measured deformation, m: standard deviations.
    pub noise: [f64; 2],
    /// Standard deviation of psi of the first guess: 0.35 are 40 % of a parameter in a box of 100 to 1.
    pub prior: f64,
    /// Random walk of psi over the reference path.
    pub walk: f64,
    /// The reference path, m.
    pub path: f64,
}

/// What became of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The specimen did not move beyond noise: nothing was done.
    Still,
    /// The estimate was corrected.
    Used,
    /// It was corrected with less trust: the force is far from what was expected.
    Doubted,
    /// Numbers were not finite; the state is the one before.
    Refused,
}

/// The filter.
#[derive(Clone, Debug)]
pub struct Filter {
    set: Settings,
    /// Places of the free parameters.
    free: [usize; COUNT],
    count: usize,
    x: [f64; ROWS],
    root: Root,
    last: f64,
}

impl Filter {
    /// From settings; none if a guess is not inside its bounds, nothing is free, or a number is not usable.
    pub fn new(set: Settings) -> Option<Self> {
        let mut f = Filter { set, free: [0; COUNT], count: 0, x: [0.0; ROWS], root: [[0.0; ROWS]; ROWS], last: 0.0 };
        let sizes = [set.noise[0], set.noise[1], set.prior, set.walk, set.path];
        if !sizes.iter().all(|x| x.is_finite() && *x > 0.0) {
            return None;
        }
        for i in (0..COUNT).filter(|&i| set.free[i]) {
            let ([lo, hi], value) = (set.bounds[i], set.initial[i]);
            if !(set.law.has(i) && 0.0 < lo && lo < value && value < hi && hi.is_finite()) || f.count + 1 == ROWS {
                return None;
            }
            let share = f.share(i, value);
            let psi = (share / (1.0 - share)).ln().clamp(-REACH[0], REACH[0]);
            f.free[f.count] = i;
            f.count += 1;
            f.x[f.count] = psi;
            f.root[f.count][f.count] = set.prior;
        }
        f.root[0][0] = set.noise[0];
        (f.count > 0).then_some(f)
    }

    /// Where in its box a value is, on the scale of the box.
    fn share(&self, i: usize, value: f64) -> f64 {
        let [lo, hi] = self.set.bounds[i];
        if LINEAR[i] { (value - lo) / (hi - lo) } else { (value / lo).ln() / (hi / lo).ln() }
    }

    fn value(&self, i: usize, psi: f64) -> f64 {
        let [lo, hi] = self.set.bounds[i];
        let share = 1.0 / (1.0 + (-psi).exp());
        if LINEAR[i] { lo + (hi - lo) * share } else { lo * ((hi / lo).ln() * share).exp() }
    }

    fn parameters(&self, x: &[f64; ROWS]) -> Parameters {
        let mut all = self.set.initial;
        for j in 0..self.count {
            all[self.free[j]] = self.value(self.free[j], x[1 + j]);
        }
        all
    }

    /// The present estimate.
    pub fn estimate(&self) -> Parameters {
        self.parameters(&self.x)
    }

    /// The estimate of the hysteretic force, N.
    pub fn force(&self) -> f64 {
        self.x[0]
    }

    /// Bounds of the estimate of a parameter that contain it with so many deviations; the value itself if it is not learned.
    pub fn band(&self, parameter: usize, deviations: f64) -> [f64; 2] {
        match self.free[..self.count].iter().position(|&i| i == parameter) {
            None => [self.set.initial[parameter]; 2],
            Some(j) => {
                let way = deviations * deviation(&self.root[1 + j]);
                [-way, way].map(|way| self.value(parameter, self.x[1 + j] + way))
            }
        }
    }

    /// Deviation of a parameter over that of its first guess, or of the usual one where that is smaller: whoever trusts a first guess
    /// little must not trust an estimate early. Below one, something was learned; one if it is not learned.
    pub fn doubt(&self, parameter: usize) -> f64 {
        let place = self.free[..self.count].iter().position(|&i| i == parameter);
        place.map_or(1.0, |j| deviation(&self.root[1 + j]) / self.set.prior.min(USUAL))
    }

    /// Deviations of the psi, in the order of the free parameters.
    pub fn deviations(&self) -> impl Iterator<Item = f64> + '_ {
        self.root[1..=self.count].iter().map(|row| deviation(row))
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.set
    }

    /// Columns of a root as points around `x`, within reach.
    fn points(&self, x: &[f64; ROWS], root: &Root) -> [[f64; ROWS]; 2 * ROWS] {
        let n = 1 + self.count;
        let far = (n as f64).sqrt();
        let mut points = [[0.0; ROWS]; 2 * ROWS];
        for (j, pair) in points.chunks_exact_mut(2).take(n).enumerate() {
            for (point, sign) in pair.iter_mut().zip([far, -far]) {
                for i in 0..n {
                    point[i] = x[i] + sign * root[i][j];
                }
                point[1..n].iter_mut().for_each(|psi| *psi = psi.clamp(-REACH[1], REACH[1]));
            }
        }
        points
    }

    /// Uses a sample: measured deformation, m, and force, N.
    pub fn step(&mut self, q: f64, f: f64) -> Sample {
        if !(q.is_finite() && f.is_finite()) {
            return Sample::Refused;
        }
        let (d, [noise_f, noise_q]) = (q - self.last, self.set.noise);
        if d.abs() < DEAD_BAND * noise_q {
            return Sample::Still;
        }
        let (n, weight) = (1 + self.count, (0.5 / (1 + self.count) as f64).sqrt());

        // Along the path.
        let now = self.estimate();
        let mut points = self.points(&self.x, &self.root);
        let points = &mut points[..2 * n];
        for point in points.iter_mut() {
            let own = self.parameters(point);
            point[0] = self.set.law.moved(&own, point[0], self.last, d);
        }
        let mut x = [0.0; ROWS];
        for i in 0..n {
            x[i] = points.iter().map(|p| p[i]).sum::<f64>() / (2 * n) as f64;
        }
        let mut wide: Wide = [[0.0; COLUMNS]; ROWS];
        for i in 0..n {
            for (j, point) in points.iter().enumerate() {
                wide[i][j] = weight * (point[i] - x[i]);
            }
            wide[i][2 * n + i] = if i == 0 {
                WALK_FORCE * now[1] * (d.abs() * now[0] / now[1]).min(1.0).sqrt()
            } else {
                self.set.walk * (d.abs() / self.set.path).sqrt()
            };
        }
        let mut root = triangle(&mut wide, n, 3 * n);
        for i in 0..n {
            let most = if i == 0 { CEILING * now[1] } else { self.set.prior };
            let own = deviation(&root[i]);
            if own > most {
                root[i].iter_mut().for_each(|s| *s *= most / own);
            }
        }

        // What is measured.
        let points = self.points(&x, &root);
        let points = &points[..2 * n];
        let beside = self.free[..self.count].iter().position(|&i| i == 4);
        let spring = |p: &[f64; ROWS]| beside.map_or(self.set.initial[4], |j| self.value(4, p[1 + j]));
        let mut expected = [0.0; 2 * ROWS];
        for (y, p) in expected.iter_mut().zip(points) {
            *y = p[0] + spring(p) * q;
        }
        let mean = expected[..2 * n].iter().sum::<f64>() / (2 * n) as f64;
        let there = self.parameters(&x);
        let mut noise = noise_f.powi(2) + ((there[0] + there[4]) * noise_q).powi(2);
        let mut spread = noise;
        let mut with = [0.0; ROWS];
        for (p, y) in points.iter().zip(&expected) {
            let dy = weight * (y - mean);
            spread += dy * dy;
            (0..n).for_each(|i| with[i] += weight * (p[i] - x[i]) * dy);
        }
        let innovation = f - mean;
        let surprise = innovation.abs() / spread.sqrt();
        if surprise > GATE {
            let more = spread * (surprise / GATE - 1.0);
            noise += more;
            spread += more;
        }
        let mut gain = with.map(|p| p / spread);
        for i in 1..n {
            if with[i].abs() < FREEZE * noise_f * deviation(&root[i]) {
                gain[i] = 0.0;
            }
        }
        let way = gain[1..n].iter().map(|k| (k * innovation).abs()).fold(0.0, f64::max);
        if way > LARGEST {
            gain.iter_mut().for_each(|k| *k *= LARGEST / way);
        }

        // The form of Joseph holds for any gain, frozen and limited ones too.
        let mut wide: Wide = [[0.0; COLUMNS]; ROWS];
        for i in 0..n {
            for (j, (p, y)) in points.iter().zip(&expected).enumerate() {
                wide[i][j] = weight * (p[i] - x[i] - gain[i] * (y - mean));
            }
            wide[i][2 * n] = gain[i] * noise.sqrt();
            x[i] += gain[i] * innovation;
        }
        let root = triangle(&mut wide, n, 2 * n + 1);
        x[1..n].iter_mut().for_each(|psi| *psi = psi.clamp(-REACH[0], REACH[0]));
        if !x.iter().chain(root.iter().flatten()).all(|x| x.is_finite()) {
            return Sample::Refused;
        }
        (self.x, self.root, self.last) = (x, root, q);
        if surprise > GATE { Sample::Doubted } else { Sample::Used }
    }
}

/// Parameters whose box is linear: r.
pub(super) const LINEAR: [bool; COUNT] = [false, false, true, false, false, false, false, false];

impl Persist for Filter {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.count);
        archive.numbers(&mut self.x);
        archive.numbers(self.root.iter_mut().flatten());
        archive.number(&mut self.last);
    }
}
