//! The test of one cell: whether F is regular for all its phases and parameters.
//!
//! The loop is closed with a constant plant P̄ ([`Form`]), and what the plant does besides is w = Φ ΔP q, ΔP = P(z, p) - P̄, with Φ q the commands. The matrix F is
//! regular where I - S ΔP is, which has a row and a column for each command only:
//!
//! ```text
//! S(z) = Φ⁻¹ [C (zI - A)⁻¹ B + D] Φ
//! ```
//!
//! S and what it changes by within an interval of phases are computed once for each such interval, block by block; the cells of parameters then cost next to nothing.
//!
//! Within the interval z = z₀ + ζ with |ζ| ≤ η, and A = Λ + δ, Λ the blocks, |δ| ≤ Δ. With Q = (z₀I - Λ)⁻¹ the first change of C (zI - A)⁻¹ B is CQ (ζ + δ) QB, in which large
//! entries that nearly cancel have done so; for what follows, |(zI - Λ)⁻¹| ≤ Ḡ = (I - η|Q|)⁻¹|Q|, and a series in ḠΔ, whose rest is bounded by a positive vector x with ḠΔ x ≤ ρ x.
//! Where a form has a motion near the interval, another one is used.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::apart::{Block, Form};
use super::matrix::{invert, radius};
use super::search::middle;
use super::{Disc, Plant, Rest};
use crate::poles::Pole as Complex;

/// Relative rounding of the matrices, and of their inverse.
pub(super) const ROUNDING: f64 = 1e-12;
/// An interval of phases is too wide where a series converges more slowly than this.
const SLOWEST: f64 = 0.5;
/// It converges fast enough where it does so: no other form is needed.
const FAST: f64 = 0.05;
/// Iterations for the vector x.
const ITERATIONS: usize = 8;

/// Bounds near z = 1 are for points on the unit circle; beside it, within a twentieth, they are larger by less than this.
const BEYOND: f64 = 1.2;
/// Points of the circle around z = 1 at which the motions within it are counted.
const AROUND: usize = 96;

const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

/// What is known of an interval of phases: S in its middle, how far S is from that, and the form.
struct Band {
    s: Vec<Complex>,
    off: Vec<f64>,
    form: usize,
}

/// Ends of an interval of phases, and the radius of the circle around z = 1, by their bits.
type Key = [u64; 3];

/// What is known of a loop, for several searches: what was learned of an interval of phases holds for all values of the parameters.
pub struct Known {
    pub(super) rest: Rest,
    /// Motions that stand still in every loop.
    pub(super) still: usize,
    nominal: Vec<[f64; 2]>,
    forms: Vec<Form>,
    /// By the bits of their ends; none: too wide.
    bands: HashMap<Key, Option<Band>>,
}

impl Known {
    /// Of a loop that is stable at this point.
    pub fn new(rest: &Rest, plant: &mut dyn Plant, point: &[f64]) -> Self {
        let nominal: Vec<[f64; 2]> = point.iter().map(|x| [*x; 2]).collect();
        let forms = rest.forms(plant, &nominal);
        Known { rest: rest.clone(), still: rest.still(), nominal, forms, bands: HashMap::new() }
    }
}

/// (zI - Λ)⁻¹ of all blocks, one behind the other: in the middle of an interval, its absolute values G, and Ḡ.
#[derive(Default)]
struct Resolvent {
    q: Vec<Complex>,
    g: Vec<f64>,
    wide: Vec<f64>,
    /// A bound on the spectral radius of ηG.
    rho: f64,
    /// Direction of the determinant of zI - Λ.
    direction: Complex,
}

/// The test of a cell, with its memory.
pub(super) struct Test<'a> {
    rest: &'a Rest,
    plant: &'a mut dyn Plant,
    nominal: &'a [[f64; 2]],
    forms: &'a [Form],
    bands: &'a mut HashMap<Key, Option<Band>>,
    /// I - S ΔP, its inverse, and how far it may be from that.
    small: Vec<Complex>,
    small_inverse: Vec<f64>,
    small_change: Vec<f64>,
    small_phases: Vec<f64>,
    discs: Vec<Disc>,
    order: Vec<usize>,
    resolvents: [Resolvent; 2],
    small_vectors: [Vec<f64>; 2],
}

impl<'a> Test<'a> {
    pub(super) fn new(known: &'a mut Known, plant: &'a mut dyn Plant) -> Self {
        let Known { rest, nominal, forms, bands, .. } = known;
        let commands = rest.samples * rest.channels;
        Test {
            small: vec![ZERO; commands * commands],
            small_inverse: vec![0.0; commands * commands],
            small_change: vec![0.0; commands * commands],
            small_phases: vec![0.0; commands * commands],
            discs: vec![Disc::default(); 2 * rest.channels * rest.channels * rest.samples],
            order: Vec::new(),
            resolvents: Default::default(),
            small_vectors: Default::default(),
            bands,
            nominal,
            forms,
            rest,
            plant,
        }
    }

    /// Whether F is regular in the whole cell: where this is below one.
    pub(super) fn bound(&mut self, ring: Option<f64>, sides: &[[f64; 2]]) -> f64 {
        let Some(key) = self.learn(ring, sides[0]) else { return f64::INFINITY };
        self.respond(ring, sides[0], &sides[1..]);
        let Some(Some(band)) = self.bands.get(&key) else { return f64::INFINITY };
        let n = self.rest.samples * self.rest.channels;
        let at = &self.forms[band.form].plant;
        small(self.rest, at, band, &self.discs, [&mut self.small_change, &mut self.small_phases], &mut self.small);
        if invert(&mut self.small, n, &mut self.order).is_none() {
            return f64::INFINITY;
        }
        self.small_inverse.iter_mut().zip(&self.small).for_each(|(to, z)| *to = z.size());
        let [x, y] = &mut self.small_vectors;
        radius(&self.small_inverse, &self.small_change, n, 1.0, [x, y])
    }

    /// What one side contributes to the bound of the cell that was tested last; of phases that are too wide, everything.
    pub(super) fn share(&mut self, ring: Option<f64>, sides: &[[f64; 2]], side: usize) -> f64 {
        let key = bits(ring, sides[0]);
        if !matches!(self.bands.get(&key), Some(Some(_))) {
            return if side == 0 { f64::INFINITY } else { 0.0 };
        }
        let one: Vec<[f64; 2]> =
            sides.iter().enumerate().map(|(i, s)| if i == side { *s } else { [middle(*s); 2] }).collect();
        self.respond(ring, one[0], &one[1..]);
        let Some(Some(band)) = self.bands.get(&key) else { return 0.0 };
        let n = self.rest.samples * self.rest.channels;
        let at = &self.forms[band.form].plant;
        small(self.rest, at, band, &self.discs, [&mut self.small_change, &mut self.small_phases], &mut self.small);
        if side > 0 {
            // What the phases change is theirs.
            self.small_change.iter_mut().zip(&self.small_phases).for_each(|(all, own)| *all = (*all - own).max(0.0));
        }
        let (e, g, x) = (&self.small_change, &self.small_inverse, &self.small_vectors[0]);
        let row = |i: usize| -> f64 {
            let sum = |k: usize| -> f64 { (0..n).map(|j| e[k * n + j] * x[j]).sum() };
            (0..n).map(|k| (k, g[i * n + k])).filter(|(_, g)| *g != 0.0).map(|(k, g)| g * sum(k)).sum()
        };
        (0..n).map(|i| row(i) / x[i]).fold(0.0, f64::max)
    }

    /// Responses of the plant in a cell, at the frequencies that look the same at the steps. On a circle around z = 1 they are those at rest, with all that
    /// lies within it: the bounds on what a change of the phase does hold for any change of 1/z of that size, to first order.
    fn respond(&mut self, ring: Option<f64>, phases: [f64; 2], cell: &[[f64; 2]]) {
        let (count, block) = (self.rest.samples as f64, 2 * self.rest.channels * self.rest.channels);
        let (phase, half) = ring.map_or((middle(phases), 0.5 * (phases[1] - phases[0])), |r| (0.0, BEYOND * r));
        for (l, discs) in self.discs.chunks_exact_mut(block).enumerate() {
            self.plant.response((phase + TAU * l as f64) / count, half / count, cell, discs);
            if ring.is_some() {
                discs.iter_mut().for_each(|d| d.radius *= BEYOND);
            }
        }
    }

    /// Learns what is to be known of an interval of phases; none if it is too wide.
    fn learn(&mut self, ring: Option<f64>, phases: [f64; 2]) -> Option<Key> {
        let key = bits(ring, phases);
        if let Some(known) = self.bands.get(&key) {
            return known.as_ref().map(|_| key);
        }
        let (z, half) = point(ring, phases);
        let found = self.nearest_form(z, half).and_then(|form| self.band(form, z, half));
        let good = found.is_some();
        self.bands.insert(key, found);
        good.then_some(key)
    }

    /// The form of which no motion is near an interval, with its resolvent in the first place; none if all have one there.
    fn nearest_form(&mut self, z: Complex, half: f64) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (i, form) in self.forms.iter().enumerate() {
            let [kept, new] = &mut self.resolvents;
            let known = form.resolve(z, half + ROUNDING, new, &mut self.order);
            if known && (best.is_none() || new.rho < kept.rho) {
                best = Some(i);
                self.resolvents.swap(0, 1);
                if self.resolvents[0].rho < FAST {
                    break;
                }
            }
        }
        best
    }

    /// How many motions are within a circle of this radius around z = 1, with the responses at rest: by how often det F goes around zero.
    pub(super) fn winding(&mut self, r: f64) -> Option<usize> {
        let n = self.rest.samples * self.rest.channels;
        let (mut sum, mut before) = (0.0, None);
        for k in 0..=AROUND {
            let phases = [TAU * k as f64 / AROUND as f64; 2];
            let (z, half) = point(Some(r), phases);
            let form = self.forms.first()?;
            if !form.resolve(z, half + ROUNDING, &mut self.resolvents[0], &mut self.order) {
                return None;
            }
            let band = self.band(0, z, half)?;
            self.respond(Some(r), phases, self.nominal);
            let at = &self.forms[0].plant;
            small(self.rest, at, &band, &self.discs, [&mut self.small_change, &mut self.small_phases], &mut self.small);
            let now = invert(&mut self.small, n, &mut self.order)? * self.resolvents[0].direction;
            if let Some(before) = before.replace(now) {
                let step = now / before;
                sum += step.im.atan2(step.re);
            }
        }
        let turns = sum / TAU;
        (turns > -0.5).then_some(turns.round() as usize)
    }

    /// S within a distance `half` of z, of a form whose resolvent stands in the first place; none if it is too wide.
    fn band(&mut self, form: usize, z: Complex, half: f64) -> Option<Band> {
        let Resolvent { q, wide, .. } = &self.resolvents[0];
        let (number, form) = (form, &self.forms[form]);
        let (n, commands) = (self.rest.states, self.rest.samples * self.rest.channels);
        let measured = 2 * commands;
        let waves = Waves::new(self.rest, z, half);
        let [off_a, off_b, off_c, off_d] = &form.off;
        let real = |m: &[f64]| m.iter().map(|x| Complex { re: *x, im: 0.0 }).collect::<Vec<Complex>>();
        let (b, off_b) = waves.inputs(&real(&form.b), off_b);
        let (c, off_c) = waves.outputs(&real(&form.c), off_c, n);
        let (d, off_d) = waves.inputs(&real(&form.d), off_d);
        let (mut s, mut off) = waves.outputs(&d, &off_d, measured);
        // In the middle: QB, CQ.
        let states = in_blocks(&form.blocks, q, &b, measured, ZERO);
        add_product(&c, &states, n, measured, &mut s);
        let seen = before_blocks(&form.blocks, &c, q, n);
        let [states, seen] = [&states, &seen].map(|m| m.iter().map(|z| z.size()).collect::<Vec<f64>>());
        // With σ, what B is off and what ζ and δ make of QB, the states are QB + (zI - A)⁻¹ σ, and of that C sees CQσ + CQ (ζ + δ) (zI - A)⁻¹ σ.
        let reach = half + ROUNDING;
        let moved = |x: &[f64], width: usize| {
            let mut out: Vec<f64> = x.iter().map(|x| reach * x).collect();
            add_product(off_a, x, n, width, &mut out);
            out
        };
        let spread = |x: &[f64], width: usize| in_blocks(&form.blocks, wide, x, width, 0.0);
        let blurred = |x: &[f64], width: usize| {
            let mut out = vec![0.0; x.len()];
            add_product(off_a, x, n, width, &mut out);
            spread(&out, width)
        };
        let plus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
        let sources = plus(&moved(&states, measured), &off_b);
        let first = spread(&sources, measured);
        let mut series = blurred(&first, measured);
        remainder(&mut series, measured, |x| blurred(x, 1))?;
        let reached = plus(&first, &series);
        add_product(&seen, &plus(&sources, &moved(&reached, measured)), n, measured, &mut off);
        add_product(&off_c, &plus(&states, &reached), n, measured, &mut off);
        off.iter().all(|x| x.is_finite()).then_some(Band { s, off, form: number })
    }
}

/// A point in the middle of an interval of phases, on the unit circle or on that around z = 1, and how far the ends are from it.
fn point(ring: Option<f64>, phases: [f64; 2]) -> (Complex, f64) {
    let (phase, half) = (middle(phases), 0.5 * (phases[1] - phases[0]));
    let turn = Complex { re: phase.cos(), im: phase.sin() };
    match ring {
        None => (turn, half),
        Some(r) => (Complex { re: 1.0 + r * turn.re, im: r * turn.im }, r * half),
    }
}

fn bits(ring: Option<f64>, [low, high]: [f64; 2]) -> Key {
    [low.to_bits(), high.to_bits(), ring.map_or(0, f64::to_bits)]
}

impl Form {
    /// (zI - Λ)⁻¹ within a distance of z; `false` if it is too far.
    fn resolve(&self, z: Complex, reach: f64, into: &mut Resolvent, order: &mut Vec<usize>) -> bool {
        let Resolvent { q, g, wide, rho, direction } = into;
        q.clear();
        g.clear();
        wide.clear();
        (*rho, *direction) = (0.0, Complex { re: 1.0, im: 0.0 });
        for Block { size, a, .. } in &self.blocks {
            let (k, first) = (*size, q.len());
            q.extend(a.iter().enumerate().map(|(i, a)| {
                let own = if i % (k + 1) == 0 { z } else { ZERO };
                Complex { re: own.re - a, im: own.im }
            }));
            let Some(turn) = invert(&mut q[first..], k, order) else { return false };
            *direction = *direction * turn;
            g.extend(q[first..].iter().map(|z| z.size()));
            let Some(own) = widened(&g[first..], k, reach, wide) else { return false };
            *rho = rho.max(own);
            if *rho > SLOWEST {
                return false;
            }
        }
        true
    }
}

/// Adds (I - ηG)⁻¹ G to a list, and says a bound on the spectral radius of ηG; none if that is not below one.
fn widened(g: &[f64], k: usize, reach: f64, to: &mut Vec<f64>) -> Option<f64> {
    if let [g] = *g {
        to.push(g / (1.0 - reach * g));
        return (reach * g < 1.0).then_some(reach * g);
    }
    // I - ηG, beside it G, and ones: x = (I - ηG)⁻¹ 1 has ηG x = x - 1, so that the radius is below one if x is not below one. Without pivots: they are
    // positive where the radius is below one.
    let width = 2 * k + 1;
    let start = |i: usize, j: usize| match j.checked_sub(k) {
        None => f64::from(u8::from(i == j)) - reach * g[i * k + j],
        Some(j) if j < k => g[i * k + j],
        Some(_) => 1.0,
    };
    let mut rows: Vec<f64> = (0..k * width).map(|e| start(e / width, e % width)).collect();
    for i in 0..k {
        let (above, rest) = rows.split_at_mut(i * width);
        let (row, below) = rest.split_at_mut(width);
        if row[i] <= 0.0 || !row[i].is_finite() {
            return None;
        }
        let one = 1.0 / row[i];
        row[i..].iter_mut().for_each(|x| *x *= one);
        for other in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
            let factor = other[i];
            other[i..].iter_mut().zip(&row[i..]).for_each(|(to, x)| *to -= factor * x);
        }
    }
    let mut rho = 0.0f64;
    for row in rows.chunks_exact(width) {
        let x = row[2 * k];
        if !(x.is_finite() && x > 1.0 - ROUNDING) {
            return None;
        }
        rho = rho.max(1.0 - 1.0 / x);
        to.extend(row[k..2 * k].iter().map(|x| x.max(0.0)));
    }
    Some(rho)
}

/// What blocks make of rows of a width.
fn in_blocks<T, U>(blocks: &[Block], m: &[T], from: &[U], width: usize, zero: U) -> Vec<U>
where
    T: Copy + std::ops::Mul<U, Output = U>,
    U: Copy + std::ops::Add<Output = U>,
{
    let mut out = vec![zero; from.len()];
    let mut rest = m;
    for Block { first, size, .. } in blocks {
        let (own, others) = rest.split_at(size * size);
        for (i, row) in own.chunks_exact(*size).enumerate() {
            let to = &mut out[(first + i) * width..(first + i + 1) * width];
            for (j, factor) in row.iter().enumerate() {
                let from = &from[(first + j) * width..(first + j + 1) * width];
                to.iter_mut().zip(from).for_each(|(to, x)| *to = *to + *factor * *x);
            }
        }
        rest = others;
    }
    out
}

/// What rows see through blocks.
fn before_blocks(blocks: &[Block], rows: &[Complex], m: &[Complex], n: usize) -> Vec<Complex> {
    let mut out = vec![ZERO; rows.len()];
    for (row, out) in rows.chunks_exact(n.max(1)).zip(out.chunks_exact_mut(n.max(1))) {
        let mut rest = m;
        for Block { first, size, .. } in blocks {
            let (own, others) = rest.split_at(size * size);
            for (factor, from) in row[*first..first + size].iter().zip(own.chunks_exact(*size)) {
                out[*first..first + size].iter_mut().zip(from).for_each(|(to, x)| *to = *to + *factor * *x);
            }
            rest = others;
        }
    }
    out
}

/// Adds A B to a matrix, all row by row.
fn add_product<T>(a: &[T], b: &[T], inner: usize, columns: usize, out: &mut [T])
where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T>,
{
    if inner == 0 {
        return;
    }
    for (row, out) in a.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
        for (factor, from) in row.iter().zip(b.chunks_exact(columns)) {
            out.iter_mut().zip(from).for_each(|(to, x)| *to = *to + *factor * *x);
        }
    }
}

/// Adds to the first term of a series in a positive matrix all further ones: with x such that the matrix times x is below ρx, they are below x times the largest
/// ratio of the term to x, times ρ + ρ² + ...; none if ρ is too large.
fn remainder(term: &mut [f64], width: usize, times: impl Fn(&[f64]) -> Vec<f64>) -> Option<()> {
    let largest = |column: usize| term.iter().skip(column).step_by(width).fold(0.0, |m: f64, x| m.max(*x));
    let units: Vec<f64> = (0..width).map(largest).map(|m| if m > 0.0 { 1.0 / m } else { 0.0 }).collect();
    let mut x: Vec<f64> =
        term.chunks_exact(width).map(|row| row.iter().zip(&units).map(|(t, u)| t * u).sum()).collect();
    let mut rho = 0.0f64;
    for _ in 0..ITERATIONS {
        let next = times(&x);
        rho = next.iter().zip(&x).filter(|(n, _)| **n != 0.0).map(|(n, x)| n / x).fold(0.0, f64::max);
        if rho <= FAST || rho.is_nan() {
            break;
        }
        // A small part of the vector is kept, so that no entry becomes zero.
        let most = next.iter().zip(&x).fold(0.0f64, |m, (n, x)| m.max(n.max(1e-3 * x)));
        x.iter_mut().zip(&next).for_each(|(x, n)| *x = (n / most).max(1e-3 * *x));
    }
    if rho.is_nan() || rho > SLOWEST {
        return None;
    }
    for column in 0..width {
        let ratio = |(t, x): (&f64, &f64)| if *t > 0.0 { t / x } else { 0.0 };
        let most = term.iter().skip(column).step_by(width).zip(&x).map(ratio).fold(0.0, f64::max);
        term.iter_mut().skip(column).step_by(width).zip(&x).for_each(|(t, x)| *t += x * most * rho / (1.0 - rho));
    }
    Some(())
}

/// Φ, sample j of the step from frequency l, (z e^(2π i l))^(j/samples), near a point.
struct Waves {
    samples: usize,
    /// Measurements of a sample.
    measured: usize,
    /// Φ and Φ⁻¹, row by row.
    all: Vec<Complex>,
    inverse: Vec<Complex>,
    /// How far each sample of them may be from that, and its size: of Φ, of its inverse.
    off: [Vec<[f64; 2]>; 2],
}

impl Waves {
    fn new(rest: &Rest, z: Complex, half: f64) -> Self {
        let samples = rest.samples;
        let count = samples as f64;
        let (phase, size) = (z.im.atan2(z.re), z.size());
        let half = if size == 1.0 { half } else { BEYOND * half };
        let wave = |j: usize, l: usize, sign: f64| {
            let angle = sign * j as f64 * (phase + TAU * l as f64) / count;
            Complex { re: angle.cos(), im: angle.sin() }.times(size.powf(sign * j as f64 / count))
        };
        let all = (0..samples * samples).map(|k| wave(k / samples, k % samples, 1.0)).collect();
        let inverse = (0..samples * samples).map(|k| wave(k % samples, k / samples, -1.0).times(1.0 / count)).collect();
        let off = |sign: f64, unit: f64| {
            let one =
                |j: usize| [unit * (j as f64 * half / count + ROUNDING), unit * size.powf(sign * j as f64 / count)];
            (0..samples).map(one).collect()
        };
        Waves { samples, measured: 2 * rest.channels, all, inverse, off: [off(1.0, 1.0), off(-1.0, 1.0 / count)] }
    }

    /// M Φ and how far it may be from that, of a matrix with a column for each measurement of a step.
    fn inputs(&self, m: &[Complex], off: &[f64]) -> (Vec<Complex>, Vec<f64>) {
        let (samples, k) = (self.samples, self.measured);
        let width = samples * k;
        let (mut out, mut all_off) = (vec![ZERO; m.len()], vec![0.0; m.len()]);
        for row in 0..m.len() / width.max(1) {
            for at in 0..width {
                let (l, own) = (at / k, at % k);
                for j in 0..samples {
                    let from = row * width + j * k + own;
                    let [off_wave, size] = self.off[0][j];
                    out[row * width + at] = out[row * width + at] + m[from] * self.all[j * samples + l];
                    all_off[row * width + at] += off[from] * (size + off_wave) + m[from].size() * off_wave;
                }
            }
        }
        (out, all_off)
    }

    /// Φ⁻¹ M and how far it may be from that, of a matrix with a row for each command of a step.
    fn outputs(&self, m: &[Complex], off: &[f64], width: usize) -> (Vec<Complex>, Vec<f64>) {
        let (samples, channels) = (self.samples, self.measured / 2);
        let (mut out, mut all_off) = (vec![ZERO; m.len()], vec![0.0; m.len()]);
        for row in 0..samples * channels {
            let (l, channel) = (row / channels, row % channels);
            for j in 0..samples {
                let [off_wave, size] = self.off[1][j];
                let wave = self.inverse[l * samples + j];
                let from = (j * channels + channel) * width;
                for i in 0..width {
                    out[row * width + i] = out[row * width + i] + wave * m[from + i];
                    all_off[row * width + i] += off[from + i] * (size + off_wave) + m[from + i].size() * off_wave;
                }
            }
        }
        (out, all_off)
    }
}

/// I - S ΔP in the middle of a cell, how far it may be from that, and the part of it that S alone causes. `at` is the constant plant.
fn small(rest: &Rest, at: &[f64], band: &Band, discs: &[Disc], [change, phases]: [&mut [f64]; 2], out: &mut [Complex]) {
    let (m, samples) = (rest.channels, rest.samples);
    let (n, measured, block) = (m * samples, 2 * m * samples, 2 * m * m);
    for row in 0..n {
        for l in 0..samples {
            for channel in 0..m {
                let place = row * n + l * m + channel;
                let (mut value, mut all, mut own) = (ZERO, ROUNDING, ROUNDING);
                for k in 0..2 * m {
                    let (there, here) = (discs[l * block + k * m + channel], at[k * m + channel]);
                    let moved = Complex { re: there.re - here, im: there.im };
                    let s = row * measured + l * 2 * m + k;
                    let (size, off) = (band.s[s].size(), band.off[s]);
                    if size == 0.0 && off == 0.0 {
                        continue;
                    }
                    value = value + band.s[s] * moved;
                    let reach = there.radius + ROUNDING * (here.abs() + there.re.abs() + there.im.abs());
                    all += (size + off) * reach + off * moved.size();
                    own += off * moved.size();
                }
                let one = f64::from(u8::from(row == l * m + channel));
                out[place] = Complex { re: one - value.re, im: -value.im };
                (change[place], phases[place]) = (all, own);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Spring;

    impl Plant for Spring {
        fn channels(&self) -> usize {
            1
        }

        fn response(&mut self, _: f64, _: f64, _: &[[f64; 2]], out: &mut [Disc]) {
            out[0] = Disc { re: 1.0, im: 0.0, radius: 0.0 };
            out[1] = Disc { re: -0.05, im: 0.0, radius: 0.0 };
        }
    }

    /// S at points of an interval lies within what its middle says: loops with several samples in a step, near their motions and far from them, in both forms,
    /// on the unit circle and on a small one.
    #[test]
    fn an_interval_holds_what_lies_in_it() {
        let mut drawn = 1u64;
        let mut uniform = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (drawn >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let (mut bands, mut tight) = (0, 0);
        for round in 0..60usize {
            let (n, samples) = (3 + round % 6, 1 + round % 3);
            let mut draw = |count: usize, size: f64| (0..count).map(|_| size * uniform()).collect::<Vec<f64>>();
            let (a, b) = (draw(n * n, 2.2 / (n as f64).sqrt()), draw(n * 2 * samples, 1.0));
            let (c, d) = (draw(samples * n, 1.0), vec![0.0; samples * 2 * samples]);
            let rest = Rest { states: n, channels: 1, samples, a, b, c, d, off: Default::default() };
            let mut known = Known::new(&rest, &mut Spring, &[]);
            assert!(known.forms.len() == 2, "{round}");
            let mut plant = Spring;
            let mut test = Test::new(&mut known, &mut plant);
            for k in 0..24 {
                let (phase, half) = (0.13 * f64::from(k) + 0.01, 10f64.powi(-1 - k % 4));
                for form in 0..2 {
                    let mut at = |phases: [f64; 2], ring: Option<f64>| {
                        let (z, half) = point(ring, phases);
                        let near = &mut test.resolvents[0];
                        let found = test.forms[form].resolve(z, half + ROUNDING, near, &mut test.order);
                        found.then(|| test.band(form, z, half)).flatten()
                    };
                    let ring = (k % 5 == 0).then_some(0.04);
                    let Some(whole) = at([phase - half, phase + half], ring) else { continue };
                    bands += 1;
                    for share in [-1.0, -0.4, 0.7, 1.0] {
                        let one = at([phase + share * half; 2], ring).expect("a point of it");
                        for ((there, here), off) in one.s.iter().zip(&whole.s).zip(&whole.off) {
                            let moved = (*there - *here).size();
                            assert!(moved <= off * (1.0 + 1e-9), "{round} {k} {form}: {moved} {off}");
                            tight += usize::from(moved > 0.2 * off);
                        }
                    }
                }
            }
        }
        assert!(bands > 1500 && tight > 4 * bands, "{bands} {tight}");
    }
}
