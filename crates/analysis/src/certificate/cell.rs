//! The test of one cell: whether F is regular for all its phases and parameters.
//!
//! F depends on the parameters by the responses P of the plant only: F(z, p) = F(z, p₀) - W(z) (P(z, p) - P(z, p₀)) Eᵀ, where E picks the commands.
//! With S = Eᵀ F(z, p₀)⁻¹ W the matrix is regular where I - S ΔP is, which has a row and a column for each command only. S and what it changes by within
//! an interval of phases are computed once for each such interval, by the large matrices; the cells of parameters then cost next to nothing.
//!
//! Within the interval F(z, p₀) = F₀ + δ with |δ| ≤ E, W = W₀ + ω with |ω| ≤ Ω. X = F⁻¹ W solves F₀ X = W₀ + ω - δ X, so that |X - X₀| ≤ Y where
//! Y = G (Ω + E (|X₀| + Y)), G = |F₀⁻¹|: a series in G E, whose rest is bounded by a positive vector x with G E x ≤ ρ x.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::matrix::{invert, radius};
use super::search::middle;
use super::{Disc, Plant, Rest};
use crate::poles::Pole as Complex;

/// Relative rounding of the matrices, and of their inverse.
pub(super) const ROUNDING: f64 = 1e-12;
/// An interval of phases is too wide where the series in G E converges more slowly than this.
const SLOWEST: f64 = 0.5;
/// It converges fast enough where it does so.
const FAST: f64 = 0.05;
/// Terms of the series; the rest is bounded.
const TERMS: usize = 4;

/// Bounds near z = 1 are for points on the unit circle; beside it, within a twentieth, they are larger by less than this.
const BEYOND: f64 = 1.2;
/// Points of the circle around z = 1 at which the motions within it are counted.
const AROUND: usize = 96;

const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

/// What is known of an interval of phases: S in its middle, how far S is from that, and the responses of the plant at p₀.
struct Band {
    s: Vec<Complex>,
    off: Vec<f64>,
    discs: Vec<Disc>,
}

/// Ends of an interval of phases, and the radius of the circle around z = 1, by their bits.
type Key = [u64; 3];

/// What is known of a loop, for several searches: what was learned of an interval of phases holds for all values of the parameters.
pub struct Known {
    pub(super) rest: Rest,
    /// Motions that stand still in every loop.
    pub(super) still: usize,
    /// p₀.
    nominal: Vec<[f64; 2]>,
    /// By the bits of their ends; none: too wide.
    bands: HashMap<Key, Option<Band>>,
}

impl Known {
    /// Of a loop that is stable at this point.
    pub fn new(rest: &Rest, plant: &mut dyn Plant, point: &[f64]) -> Self {
        let nominal: Vec<[f64; 2]> = point.iter().map(|x| [*x; 2]).collect();
        Known { rest: rest.apart(plant, &nominal), still: rest.still(), nominal, bands: HashMap::new() }
    }
}

/// The test of a cell, with its memory.
pub(super) struct Test<'a> {
    rest: &'a Rest,
    plant: &'a mut dyn Plant,
    nominal: &'a [[f64; 2]],
    bands: &'a mut HashMap<Key, Option<Band>>,
    /// F in the middle and its inverse, absolute values of the inverse, the bound on what changes, and W with what changes in it.
    f: Vec<Complex>,
    inverse: Vec<f64>,
    change: Vec<f64>,
    w: Vec<Complex>,
    turned: Vec<f64>,
    /// The same of I - S ΔP.
    small: Vec<Complex>,
    small_inverse: Vec<f64>,
    small_change: Vec<f64>,
    small_phases: Vec<f64>,
    discs: Vec<Disc>,
    order: Vec<usize>,
    vectors: [Vec<f64>; 2],
    small_vectors: [Vec<f64>; 2],
}

impl<'a> Test<'a> {
    pub(super) fn new(known: &'a mut Known, plant: &'a mut dyn Plant) -> Self {
        let Known { rest, nominal, bands, .. } = known;
        let (commands, measured) = (rest.samples * rest.channels, 2 * rest.samples * rest.channels);
        let size = rest.states + commands;
        Test {
            f: vec![ZERO; size * size],
            inverse: vec![0.0; size * size],
            change: vec![0.0; size * size],
            w: vec![ZERO; size * measured],
            turned: vec![0.0; size * measured],
            small: vec![ZERO; commands * commands],
            small_inverse: vec![0.0; commands * commands],
            small_change: vec![0.0; commands * commands],
            small_phases: vec![0.0; commands * commands],
            discs: vec![Disc::default(); 2 * rest.channels * rest.channels * rest.samples],
            order: Vec::new(),
            vectors: Default::default(),
            small_vectors: Default::default(),
            bands,
            nominal,
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
        small(self.rest, band, &self.discs, [&mut self.small_change, &mut self.small_phases], &mut self.small);
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
        small(self.rest, band, &self.discs, [&mut self.small_change, &mut self.small_phases], &mut self.small);
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
        self.enter(ring, phases);
        let found = self.band();
        let good = found.is_some();
        self.bands.insert(key, found);
        good.then_some(key)
    }

    /// F and what belongs to it for an interval of phases, at p₀.
    fn enter(&mut self, ring: Option<f64>, phases: [f64; 2]) {
        self.respond(ring, phases, self.nominal);
        let (phase, half) = (middle(phases), 0.5 * (phases[1] - phases[0]));
        let turn = Complex { re: phase.cos(), im: phase.sin() };
        match ring {
            None => self.assemble(turn, half),
            Some(r) => self.assemble(Complex { re: 1.0 + r * turn.re, im: r * turn.im }, r * half),
        }
    }

    /// How many motions are within a circle of this radius around z = 1, with the responses at rest: by how often det F goes around zero.
    pub(super) fn winding(&mut self, r: f64) -> Option<usize> {
        let size = self.rest.states + self.rest.samples * self.rest.channels;
        let (mut sum, mut before) = (0.0, None);
        for k in 0..=AROUND {
            let phase = TAU * k as f64 / AROUND as f64;
            self.enter(Some(r), [phase; 2]);
            let now = invert(&mut self.f, size, &mut self.order)?;
            if let Some(before) = before.replace(now) {
                let step = now / before;
                sum += step.im.atan2(step.re);
            }
        }
        let turns = sum / TAU;
        (turns > -0.5).then_some(turns.round() as usize)
    }

    /// S in the interval that was assembled last.
    fn band(&mut self) -> Option<Band> {
        let (n, commands) = (self.rest.states, self.rest.samples * self.rest.channels);
        let (size, measured) = (n + commands, 2 * commands);
        invert(&mut self.f, size, &mut self.order)?;
        self.inverse.iter_mut().zip(&self.f).for_each(|(to, z)| *to = z.size());
        let [x, y] = &mut self.vectors;
        // The vector of the series, not only a bound below one: as near to the radius as a few iterations bring it, from a start of its own.
        x.clear();
        let rho = radius(&self.inverse, &self.change, size, FAST, [x, y]);
        if rho.is_nan() || rho > SLOWEST {
            return None;
        }
        let mut big = vec![ZERO; size * measured];
        for i in 0..size {
            let row = &mut big[i * measured..(i + 1) * measured];
            for k in 0..size {
                let g = self.f[i * size + k];
                if g != ZERO {
                    row.iter_mut()
                        .zip(&self.w[k * measured..(k + 1) * measured])
                        .filter(|(_, w)| **w != ZERO)
                        .for_each(|(to, w)| *to = *to + g * *w);
                }
            }
        }
        let times = |m: &[f64], from: &[f64]| -> Vec<f64> {
            let mut to = vec![0.0; size * measured];
            for (i, row) in to.chunks_exact_mut(measured).enumerate() {
                for k in 0..size {
                    let g = m[i * size + k];
                    if g != 0.0 {
                        row.iter_mut().zip(&from[k * measured..(k + 1) * measured]).for_each(|(to, f)| *to += g * f);
                    }
                }
            }
            to
        };
        let sizes: Vec<f64> = big.iter().map(|z| z.size()).collect();
        let mut right = times(&self.change, &sizes);
        right.iter_mut().zip(&self.turned).for_each(|(r, t)| *r += t);
        let mut term = times(&self.inverse, &right);
        let mut off = term.clone();
        for _ in 1..TERMS {
            term = times(&self.inverse, &times(&self.change, &term));
            off.iter_mut().zip(&term).for_each(|(sum, t)| *sum += t);
        }
        // All further terms of a column: below x times its largest ratio to x, times ρ + ρ² + ...
        for column in 0..measured {
            let most = (0..size).map(|i| term[i * measured + column] / x[i]).fold(0.0, f64::max);
            (n..size).for_each(|i| off[i * measured + column] += x[i] * most * rho / (1.0 - rho));
        }
        Some(Band { s: big.split_off(n * measured), off: off.split_off(n * measured), discs: self.discs.clone() })
    }

    /// F at z and p₀, W, and how far both may be from that within a distance `half` of z.
    fn assemble(&mut self, z: Complex, half: f64) {
        let Rest { states: n, channels: m, samples, a, b, c, d, off: [off_a, off_b, off_c] } = self.rest;
        let (n, m, samples) = (*n, *m, *samples);
        let (size, inputs, count) = (n + samples * m, 2 * m * samples, samples as f64);
        let block = 2 * m * m;
        let (phase, size_of_z) = (z.im.atan2(z.re), z.size());
        let turn = |angle: f64| Complex { re: angle.cos(), im: angle.sin() };
        for i in 0..n {
            for j in 0..n {
                let entry = a[i * n + j];
                let own = f64::from(u8::from(i == j));
                self.f[i * size + j] = Complex { re: own * z.re - entry, im: own * z.im };
                self.change[i * size + j] = own * (half + ROUNDING) + off_a[i * n + j];
            }
        }
        // Φ: sample j of the step from frequency l, (z e^(2π i l))^(j/samples).
        let waves: Vec<Complex> = (0..samples * samples)
            .map(|k| {
                let j = (k / samples) as f64;
                turn(j * (phase + TAU * (k % samples) as f64) / count).times(size_of_z.powf(j / count))
            })
            .collect();
        let half_wave = if size_of_z == 1.0 { half } else { BEYOND * half };
        let wave = |j: usize, l: usize| waves[j * samples + l];
        for row in 0..size {
            let (from, off, own): (&[f64], &[f64], Option<(usize, usize)>) = match row.checked_sub(n) {
                None => (&b[row * inputs..(row + 1) * inputs], &off_b[row * inputs..(row + 1) * inputs], None),
                Some(o) => (&d[o * inputs..(o + 1) * inputs], &[], Some((o / m, o % m))),
            };
            if let Some(o) = row.checked_sub(n) {
                for j in 0..n {
                    self.f[row * size + j] = Complex { re: -c[o * n + j], im: 0.0 };
                    self.change[row * size + j] = off_c[o * n + j];
                }
            }
            for l in 0..samples {
                for measured in 0..2 * m {
                    let (mut sum, mut turned) = (ZERO, 0.0);
                    for j in 0..samples {
                        let entry = from[j * 2 * m + measured];
                        turned += off.get(j * 2 * m + measured).copied().unwrap_or(0.0);
                        if entry != 0.0 {
                            sum = sum + wave(j, l).times(entry);
                            turned += entry.abs() * (j as f64 * half_wave / count + ROUNDING);
                        }
                    }
                    let at = row * inputs + l * 2 * m + measured;
                    (self.w[at], self.turned[at]) = (sum, turned);
                }
                for channel in 0..m {
                    let (mut f, mut e) = (ZERO, 0.0);
                    for measured in 0..2 * m {
                        let disc = self.discs[l * block + measured * m + channel];
                        let at = row * inputs + l * 2 * m + measured;
                        let (sum, turned) = (self.w[at], self.turned[at]);
                        if turned > 0.0 || sum != ZERO {
                            let centre = Complex { re: disc.re, im: disc.im };
                            f = f - sum * centre;
                            e += sum.size() * disc.radius + turned * (centre.size() + disc.radius);
                        }
                    }
                    if let Some((j, _)) = own.filter(|(_, own)| *own == channel) {
                        f = f + wave(j, l);
                        e += j as f64 * half_wave / count + ROUNDING;
                    }
                    let at = row * size + n + l * m + channel;
                    (self.f[at], self.change[at]) = (f, e);
                }
            }
        }
    }
}

fn bits(ring: Option<f64>, [low, high]: [f64; 2]) -> Key {
    [low.to_bits(), high.to_bits(), ring.map_or(0, f64::to_bits)]
}

/// I - S ΔP in the middle of a cell, how far it may be from that, and the part of it that the phases alone cause.
fn small(rest: &Rest, band: &Band, discs: &[Disc], [change, phases]: [&mut [f64]; 2], out: &mut [Complex]) {
    let (m, samples) = (rest.channels, rest.samples);
    let (n, measured, block) = (m * samples, 2 * m * samples, 2 * m * m);
    for row in 0..n {
        for l in 0..samples {
            for channel in 0..m {
                let at = row * n + l * m + channel;
                let (mut value, mut all, mut own) = (ZERO, ROUNDING, ROUNDING);
                for k in 0..2 * m {
                    let (there, here) = (discs[l * block + k * m + channel], band.discs[l * block + k * m + channel]);
                    let moved = Complex { re: there.re - here.re, im: there.im - here.im };
                    let s = row * measured + l * 2 * m + k;
                    let (size, off) = (band.s[s].size(), band.off[s]);
                    if size == 0.0 && off == 0.0 {
                        continue;
                    }
                    value = value + band.s[s] * moved;
                    let reach = there.radius + here.radius + ROUNDING * (here.re.abs() + here.im.abs());
                    all += size * reach + off * (moved.size() + reach);
                    own += size * here.radius + off * (moved.size() + here.radius);
                }
                let one = f64::from(u8::from(row == l * m + channel));
                out[at] = Complex { re: one - value.re, im: -value.im };
                (change[at], phases[at]) = (all, own);
            }
        }
    }
}
