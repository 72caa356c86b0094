//! Stability before the run: does any motion of one step of a map grow, and which?
//!
//! The step is linearised about the present state by stepping alone. Small maps are probed column by column and solved
//! densely; large ones are searched for growing motions with products only.
//!
//! *What counts as growth.* A magnitude above 1 + [`Options::tolerance`] (1e-6: a motion that would need 700 000 steps to
//! double disturbs no run). Rounding splits a multiple eigenvalue of magnitude one (drift, the gap of two displacements)
//! and may push one part out by 1e-8 for a double one and 1e-4 for a quadruple one. Whether an excess is real is therefore
//! asked of the matrix: halfway between the eigenvalue and the unit circle, can the matrix be told from one that has an
//! eigenvalue there? How well entries are known is not guessed where it matters: a map that is not affine is probed again with differences of another
//! size, and what changes is its error. If it cannot be told, the excess is a split, the motion grows as a power of time and not exponentially, and the
//! map is reported as [`Stability::drifts`].

use std::f64::consts::{LN_2, TAU};

use interfield_kernel::{Fault, StepMap};
use interfield_linalg::{
    Complex, DominantOptions, EigenError, KrylovError, Ritz, balance, dominant, eigenpairs, random, resolvent_distance,
};

use crate::probe::amplification;

/// How to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// A motion grows if its magnitude per step is above one plus this.
    pub tolerance: f64,
    /// Longest complete state that is probed entry by entry.
    pub dense: usize,
    /// Largest number of products for longer states. A product is one step, or two where the map is not affine.
    pub products: usize,
    /// Size of a difference in the state of a map that is not affine; see [`stability`].
    pub size: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-6, dense: 600, products: 20_000, size: 1e-7 }
    }
}

/// A motion that repeats itself from step to step, but for the factor λ.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// λ; of a conjugate pair, the one with positive imaginary part.
    pub value: Complex,
    /// The motion over the complete state, of unit length. Entries have the units of the state.
    pub shape: Vec<Complex>,
    /// Step, s.
    dt: f64,
}

impl Motion {
    /// |λ|: growth per step.
    pub fn magnitude(&self) -> f64 {
        self.value.0.hypot(self.value.1)
    }

    /// |arg λ| / (2π dt), Hz. At 1 / (2 dt) the motion changes sign at every step.
    pub fn frequency(&self) -> f64 {
        self.value.1.atan2(self.value.0).abs() / (TAU * self.dt)
    }

    /// ln |λ| / dt: exponent of the growth, 1/s. Negative: it decays.
    pub fn rate(&self) -> f64 {
        self.magnitude().ln() / self.dt
    }

    /// Time in which the motion doubles, s, if it grows.
    pub fn doubling_time(&self) -> Option<f64> {
        (self.rate() > 0.0).then(|| LN_2 / self.rate())
    }

    /// Largest entry of a part of the state, by number from the start of the part, and its share of all of that part:
    /// where it moves. `None` if it does not move there.
    pub fn largest(&self, part: std::ops::Range<usize>) -> Option<(usize, f64)> {
        let squares = || self.shape.get(part.clone()).into_iter().flatten().map(|z| z.0 * z.0 + z.1 * z.1);
        let total: f64 = squares().sum();
        let (place, square) = squares().enumerate().max_by(|x, y| x.1.total_cmp(&y.1))?;
        (total > 0.0).then(|| (place, square / total))
    }
}

/// How the answer was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eigensolver {
    /// All eigenvalues of the complete matrix.
    Dense,
    /// Products only.
    Krylov {
        /// Residual of the leading motion, if one leads.
        residual: Option<f64>,
        /// No motion grows faster than this per step, up to about 1 chance in 100; see `interfield_linalg::dominant`.
        bound: f64,
        /// Whether the search used up all products allowed: more of them lower the bound.
        exhausted: bool,
    },
}

/// The verdict on one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// Whether no motion grows exponentially, as far as [`Stability::eigensolver`] can tell.
    pub stable: bool,
    /// Whether a multiple eigenvalue of magnitude one lets a motion grow as a power of time (dense only).
    pub drifts: bool,
    /// Spectral radius. Where no single motion leads (undamped structures by products), the measured growth per step.
    pub radius: f64,
    /// The leading motions, largest first; the first of an unstable step is the guilty one. May be empty where no
    /// single motion leads.
    pub motions: Vec<Motion>,
    /// All eigenvalues, of a conjugate pair the one with positive imaginary part (dense only).
    pub eigenvalues: Vec<Complex>,
    /// How this was found.
    pub eigensolver: Eigensolver,
    /// Whether the map is affine, so that the verdict holds for motions of any size; otherwise it holds near the
    /// present state only.
    pub affine: bool,
    /// Steps made.
    pub steps: usize,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum StabilityError {
    /// A step of the map failed.
    Step(Fault),
    /// The eigenvalues could not be computed.
    Eigen(EigenError),
}

impl From<KrylovError<Fault>> for StabilityError {
    fn from(e: KrylovError<Fault>) -> Self {
        match e {
            KrylovError::Product(fault) => StabilityError::Step(fault),
            KrylovError::Eigen(e) => StabilityError::Eigen(e),
        }
    }
}

/// Stability of the first regular step of a map, linearised about its present state, which is left as it was.
///
/// Affine maps (linear structures under loads) are recognised and differenced exactly, at a size that makes loads
/// negligible. Others are differenced symmetrically, the largest entry changed by [`Options::size`]; to linearise about rest,
/// load zeros first. Memories of laws are part of the state and are reset by every probe.
pub fn stability(map: &mut dyn StepMap, options: &Options) -> Result<Stability, StabilityError> {
    let saved = map.state().to_vec();
    let mut prober = Prober::new(map, saved, options.size);
    let verdict = prober.recognise().map_err(StabilityError::Step).and_then(|()| {
        if prober.map.len() <= options.dense {
            by_matrix(&mut prober, options)
        } else {
            by_products(&mut prober, options)
        }
    });
    prober.map.state_mut().copy_from_slice(&prober.base);
    verdict
}

/// The matrix of the first regular step of a map, linearised as [`stability`] does; the state is left as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct StepMatrix {
    /// Row-major.
    pub entries: Vec<f64>,
    /// Length of the complete state.
    pub size: usize,
    /// Whether the map is affine, so that the matrix holds for motions of any size.
    pub affine: bool,
}

/// See [`StepMatrix`].
///
/// # Errors
/// A step that failed.
pub fn step_matrix(map: &mut dyn StepMap, options: &Options) -> Result<StepMatrix, Fault> {
    let saved = map.state().to_vec();
    let mut prober = Prober::new(map, saved, options.size);
    let found = prober.recognise().and_then(|()| {
        let base = prober.base.clone();
        amplification(prober.map, &base, prober.size)
    });
    prober.map.state_mut().copy_from_slice(&prober.base);
    found.map(|(entries, size)| StepMatrix { entries, size, affine: prober.affine })
}

/// So many motions are reported at most.
const REPORTED: usize = 8;

/// Relative rounding of a matrix that is known as well as can be.
const ROUNDING: f64 = 1e-12;
/// Differences of the second probe over those of the first: no power of two, so that entries are rounded differently.
const SMALLER: f64 = 0.37;
/// The error of a matrix is at most so many times what changes from one probe to the other.
const SURE: f64 = 10.0;

/// An excess above this is no split of a multiple eigenvalue.
const PLAIN: f64 = 0.05;

fn by_matrix(prober: &mut Prober<'_>, options: &Options) -> Result<Stability, StabilityError> {
    let (base, size) = (prober.base.clone(), prober.size);
    let (a, n) = amplification(prober.map, &base, size).map_err(StabilityError::Step)?;
    prober.steps += 2 * n;
    let (values, vectors) = eigenpairs(&a, n).map_err(StabilityError::Eigen)?;
    let dt = prober.map.dt();
    let mut motions: Vec<Motion> = values
        .into_iter()
        .zip(vectors)
        .filter(|(value, _)| value.1 >= 0.0)
        .map(|(value, shape)| Motion { value, shape, dt })
        .collect();
    motions.sort_by(|x, y| y.magnitude().total_cmp(&x.magnitude()));
    let radius = motions.first().map_or(0.0, Motion::magnitude);
    let eigenvalues = motions.iter().map(|m| m.value).collect();
    let suspects = motions.iter().take_while(|m| m.magnitude() > 1.0 + options.tolerance).count();
    let noise = if suspects > 0 { prober.measured_noise(&a, n)? } else { 0.0 };
    let mut guilty = None;
    for (i, motion) in motions[..suspects].iter().enumerate() {
        if !is_split(&a, n, motion, noise)? {
            guilty = Some(i);
            break;
        }
    }
    if let Some(i) = guilty {
        // Splits that stand in front of it are no motions of their own.
        motions.drain(..i);
    }
    motions.truncate(REPORTED);
    Ok(Stability {
        stable: guilty.is_none(),
        drifts: suspects > 0 && guilty != Some(0),
        radius: if guilty.is_some() { motions[0].magnitude() } else { radius },
        motions,
        eigenvalues,
        eigensolver: Eigensolver::Dense,
        affine: prober.affine,
        steps: prober.steps,
    })
}

/// Whether an excess over one is nothing but a multiple eigenvalue on the circle that rounding has split.
fn is_split(a: &[f64], n: usize, motion: &Motion, noise: f64) -> Result<bool, StabilityError> {
    let magnitude = motion.magnitude();
    if magnitude > 1.0 + PLAIN {
        return Ok(false);
    }
    let halfway = 0.5 * (1.0 + magnitude) / magnitude;
    let z = (motion.value.0 * halfway, motion.value.1 * halfway);
    Ok(resolvent_distance(a, n, z).map_err(StabilityError::Eigen)? < noise)
}

fn by_products(prober: &mut Prober<'_>, options: &Options) -> Result<Stability, StabilityError> {
    let n = prober.map.len();
    let dt = prober.map.dt();
    let search = DominantOptions {
        products: options.products,
        tolerance: prober.noise().max(1e-6),
        beyond: 1.0 + options.tolerance,
        ..DominantOptions::default()
    };
    let found = dominant(n, |x, y| prober.product(x, y), &search)?;
    // An approximation proves growth only where its error is small beside its excess.
    let grows = |p: &Ritz| {
        let excess = p.magnitude() - 1.0;
        excess > options.tolerance && p.residual < 0.1 * excess
    };
    let guilty = found.pairs.iter().position(grows);
    let trusted = found
        .pairs
        .into_iter()
        .skip(guilty.unwrap_or(0))
        .filter(|p| grows(p) || p.residual <= search.tolerance * p.magnitude());
    let (mut motions, mut residual) = (Vec::new(), None);
    for Ritz { value, vector, residual: r } in trusted {
        residual.get_or_insert(r);
        motions.push(Motion { value, shape: vector, dt });
    }
    Ok(Stability {
        stable: guilty.is_none(),
        drifts: false,
        radius: motions.first().map_or(found.growth, Motion::magnitude),
        motions,
        eigenvalues: Vec::new(),
        eigensolver: Eigensolver::Krylov {
            residual,
            bound: found.bound,
            exhausted: found.products + search.dimension >= search.products,
        },
        affine: prober.affine,
        steps: prober.steps,
    })
}

/// The linearised step as a product, by differences.
struct Prober<'a> {
    map: &'a mut dyn StepMap,
    base: Vec<f64>,
    /// Where the base goes.
    end: Vec<f64>,
    /// Largest entry of a difference.
    size: f64,
    affine: bool,
    steps: usize,
}

impl<'a> Prober<'a> {
    fn new(map: &'a mut dyn StepMap, base: Vec<f64>, size: f64) -> Self {
        Prober { map, end: base.clone(), base, size, affine: false, steps: 0 }
    }

    /// Relative rounding of what is probed.
    fn noise(&self) -> f64 {
        if self.affine { ROUNDING } else { 1e-7 }
    }

    /// Relative error of the matrix of one step, by probing it again with smaller differences: at most [`Prober::noise`].
    fn measured_noise(&mut self, a: &[f64], n: usize) -> Result<f64, StabilityError> {
        let assumed = self.noise();
        if self.affine {
            return Ok(assumed);
        }
        let base = self.base.clone();
        let (again, _) = amplification(self.map, &base, SMALLER * self.size).map_err(StabilityError::Step)?;
        self.steps += 2 * n;
        // In the units in which the distance to a split is measured.
        let (balanced, scale) = balance(a, n);
        let length = |entries: &mut dyn Iterator<Item = f64>| entries.map(|x| x * x).sum::<f64>().sqrt();
        let change = |k: usize| (again[k] - a[k]) * scale[k % n] / scale[k / n];
        let (error, size) = (length(&mut (0..n * n).map(change)), length(&mut balanced.iter().copied()));
        let measured = SURE * error / size.max(f64::MIN_POSITIVE);
        Ok(if measured.is_finite() { measured.clamp(ROUNDING, assumed) } else { assumed })
    }

    fn step(&mut self, x: &[f64], factor: f64) -> Result<&[f64], Fault> {
        for ((s, b), x) in self.map.state_mut().iter_mut().zip(&self.base).zip(x) {
            *s = b + factor * x;
        }
        self.steps += 1;
        self.map.step(self.map.settled())?;
        Ok(self.map.state())
    }

    /// Finds out whether the map is affine, by doubling a large and a small change, and chooses the size of differences.
    fn recognise(&mut self) -> Result<(), Fault> {
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let x = random(self.map.len());
        // Twice: an emulated laboratory learns from the first step how long a step takes.
        self.step(&x, 0.0)?;
        self.end = self.step(&x, 0.0)?.to_vec();
        let large = 1e3 * largest(&self.end).max(largest(&self.base)).max(1.0);
        // Compared with the response to the large change: a map that bends anywhere up to it is not affine.
        let response = |this: &mut Self, size: f64| -> Result<Vec<f64>, Fault> {
            let end = this.end.clone();
            let there = this.step(&x, size)?;
            Ok(there.iter().zip(&end).map(|(y, e)| (y - e) / size).collect())
        };
        let Ok(reference) = response(self, large) else { return Ok(()) };
        let scale = largest(&reference);
        let mut affine = true;
        for size in [-2.0 * large, 1e-2 * large] {
            let Ok(other) = response(self, size) else { return Ok(()) };
            // Entry by entry, for a law that bends in small units; the second term is the rounding of the solves.
            let same = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 * x.abs().max(y.abs()) + 1e-12 * scale;
            affine &= reference.iter().zip(&other).all(same);
        }
        if affine {
            (self.affine, self.size) = (true, large);
        }
        Ok(())
    }

    /// y = A x.
    fn product(&mut self, x: &[f64], y: &mut [f64]) -> Result<(), Fault> {
        let length = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if length == 0.0 {
            y.fill(0.0);
            return Ok(());
        }
        let factor = self.size / length;
        y.copy_from_slice(self.step(x, factor)?);
        if self.affine {
            y.iter_mut().zip(&self.end).for_each(|(y, e)| *y = (*y - e) / factor);
        } else {
            let back = self.step(x, -factor)?;
            y.iter_mut().zip(back).for_each(|(y, b)| *y = (*y - b) / (2.0 * factor));
        }
        Ok(())
    }
}
