//! Elements with states of a rate law, s' = g(q, q', s), on a static path. What does not depend on time, such as hysteresis, follows the straight way
//! of its deformation from the last balance; what relaxes in time is relaxed: g(q, 0, s) = 0. Nothing viscous acts (book: frames 6).

use interfield_kernel::Fault;
use interfield_kernel::element::Tangent;
use interfield_kernel::fault::Place;
use interfield_linalg::invert;

use super::Assembled;
use super::element::{Entry, Stored, gather};

/// The way is cut into finer and finer steps until the states change by less than this share.
const SETTLED: f64 = 1e-13;
/// Steps of the way at first, and at most.
const STEPS: [u32; 2] = [4, 1 << 14];
/// Newton's iterations for states that relax.
const ITERATIONS: u32 = 50;
/// Share of the way by which a derivative along it is taken.
const NEAR: f64 = 1e-6;

/// An element with states at a balance: its deformations and states there.
struct From<'a> {
    law: &'a Stored,
    q: Vec<f64>,
    s: &'a [f64],
}

impl From<'_> {
    fn rate(&self, q: &[f64], v: &[f64], s: &[f64]) -> Vec<f64> {
        let (mut p, mut g) = (vec![0.0; q.len()], vec![0.0; s.len()]);
        self.law.response(0.0, q, v, s, &mut p, &mut g);
        g
    }

    /// Force at deformations, where nothing moves.
    fn force(&self, q: &[f64], s: &[f64]) -> Vec<f64> {
        let (mut p, mut g) = (vec![0.0; q.len()], vec![0.0; s.len()]);
        self.law.response(0.0, q, &vec![0.0; q.len()], s, &mut p, &mut g);
        p
    }

    /// ∂g/∂s where nothing moves.
    fn relaxation(&self, q: &[f64], s: &[f64]) -> Vec<f64> {
        let (d, n) = (q.len(), s.len());
        let zero = vec![0.0; d];
        let [mut k, mut c, mut r] = [vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d * n]];
        let [mut a, mut b, mut e] = [vec![0.0; n * d], vec![0.0; n * d], vec![0.0; n * n]];
        let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
        self.law.tangent(0.0, q, &zero, s, &zero, out);
        e
    }

    /// The states at other deformations; `None` where they have no place of rest.
    fn moved(&self, to: &[f64]) -> Option<Vec<f64>> {
        let relaxes = self.relaxation(to, self.s).iter().any(|e| *e != 0.0)
            || self.rate(to, &vec![0.0; to.len()], self.s).iter().any(|g| *g != 0.0);
        if relaxes { self.relaxed(to) } else { self.followed(to) }
    }

    /// Along the straight way, in the time of one.
    fn followed(&self, to: &[f64]) -> Option<Vec<f64>> {
        let way: Vec<f64> = to.iter().zip(&self.q).map(|(b, a)| b - a).collect();
        if way.iter().all(|x| *x == 0.0) {
            return Some(self.s.to_vec());
        }
        let mut steps = STEPS[0];
        let mut coarse = self.walked(&way, steps);
        while steps < STEPS[1] {
            steps *= 2;
            let fine = self.walked(&way, steps);
            let size = fine.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            let change = fine.iter().zip(&coarse).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            coarse = fine;
            if change <= SETTLED * size {
                break;
            }
        }
        coarse.iter().all(|s| s.is_finite()).then_some(coarse)
    }

    /// Runge and Kutta's classical method, in so many steps.
    fn walked(&self, way: &[f64], steps: u32) -> Vec<f64> {
        let h = 1.0 / f64::from(steps);
        let at = |x: f64| -> Vec<f64> { self.q.iter().zip(way).map(|(q, w)| q + x * w).collect() };
        let ahead = |s: &[f64], g: &[f64], h: f64| -> Vec<f64> { s.iter().zip(g).map(|(s, g)| s + h * g).collect() };
        let mut s = self.s.to_vec();
        for i in 0..steps {
            let x = f64::from(i) * h;
            let g1 = self.rate(&at(x), way, &s);
            let g2 = self.rate(&at(x + 0.5 * h), way, &ahead(&s, &g1, 0.5 * h));
            let g3 = self.rate(&at(x + 0.5 * h), way, &ahead(&s, &g2, 0.5 * h));
            let g4 = self.rate(&at(x + h), way, &ahead(&s, &g3, h));
            for (j, s) in s.iter_mut().enumerate() {
                *s += h / 6.0 * (g1[j] + 2.0 * (g2[j] + g3[j]) + g4[j]);
            }
        }
        s
    }

    /// At rest, however long that takes.
    fn relaxed(&self, to: &[f64]) -> Option<Vec<f64>> {
        let (mut s, zero) = (self.s.to_vec(), vec![0.0; to.len()]);
        let n = s.len();
        let mut work = vec![0.0; n * n];
        for _ in 0..ITERATIONS {
            let g = self.rate(to, &zero, &s);
            let mut e = self.relaxation(to, &s);
            if !invert(&mut e, &mut work, n) {
                return None;
            }
            let step: Vec<f64> = e.chunks_exact(n).map(|row| row.iter().zip(&g).map(|(e, g)| e * g).sum()).collect();
            s.iter_mut().zip(&step).for_each(|(s, d): (&mut f64, &f64)| *s -= d);
            let size = s.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            if step.iter().all(|d: &f64| d.abs() <= 1e-14 * size) {
                return Some(s);
            }
        }
        None
    }
}

impl Assembled {
    /// Elements with states of rates, at the last balance.
    fn rated<'a>(&'a self, (u, s): (&[f64], &'a [f64])) -> impl Iterator<Item = (usize, &'a Entry, From<'a>)> {
        let from = move |e: &'a Entry, u: &[f64]| From {
            law: &e.law,
            q: (0..e.d).map(|i| gather(self.row(e, i), u, &self.imposed[0])).collect(),
            s: &s[e.state0..e.state0 + e.s],
        };
        let u = u.to_vec();
        let rated = self.elements.iter().enumerate().filter(|(_, e)| e.s > 0);
        rated.map(move |(i, e)| (i, e, from(e, &u)))
    }

    /// The states of all elements at `u`, which come from the last balance.
    pub(super) fn follow(&mut self, before: (&[f64], &[f64]), (u, s): (&[f64], &mut [f64])) -> Result<(), Fault> {
        if self.ns == 0 {
            return Ok(());
        }
        self.set_time(0.0);
        for (index, e, from) in self.rated(before) {
            let q: Vec<f64> = (0..e.d).map(|i| gather(self.row(e, i), u, &self.imposed[0])).collect();
            let states = from.moved(&q).ok_or(Fault::NonFinite { place: Place::ElementRate, index })?;
            s[e.state0..e.state0 + e.s].copy_from_slice(&states);
        }
        Ok(())
    }

    /// Replaces the tangents of elements with states by those of their force along the static path.
    pub(super) fn take_static_tangents(&mut self, before: (&[f64], &[f64]), u: &[f64]) -> Result<(), Fault> {
        if self.ns == 0 {
            return Ok(());
        }
        let mut found = Vec::new();
        for (index, e, from) in self.rated(before) {
            let q: Vec<f64> = (0..e.d).map(|i| gather(self.row(e, i), u, &self.imposed[0])).collect();
            let k = static_tangent(e, &from, &q, &self.tangents);
            found.push((index, k.ok_or(Fault::NonFinite { place: Place::ElementRate, index })?));
        }
        for (index, k) in found {
            let e = &self.elements[index];
            let (d, s) = (e.d, e.s);
            let blocks = &mut self.tangents[e.tangent0..];
            blocks[..d * d].copy_from_slice(&k);
            // States are followed beside the iteration.
            blocks[2 * d * d..2 * d * d + 3 * d * s + s * s].fill(0.0);
        }
        Ok(())
    }
}

/// dp/dq of the force at `q` that came from a balance: along the way by differences. Where there is no way yet, k + R B, with which hysteretic laws unload.
fn static_tangent(e: &Entry, from: &From<'_>, q: &[f64], tangents: &[f64]) -> Option<Vec<f64>> {
    let (d, n) = (e.d, e.s);
    let size = q.iter().zip(&from.q).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    if size == 0.0 {
        let [k, _, r, _, b, ..] = e.blocks(tangents);
        let rb = |i: usize| (0..n).map(|l| r[i / d * n + l] * b[l * d + i % d]).sum::<f64>();
        return Some((0..d * d).map(|i| k[i] + rb(i)).collect());
    }
    let mut k = vec![0.0; d * d];
    let near = NEAR * size;
    for j in 0..d {
        let at = |sign: f64| {
            let mut other = q.to_vec();
            other[j] += sign * near;
            Some(from.force(&other, &from.moved(&other)?))
        };
        let (more, less) = (at(1.0)?, at(-1.0)?);
        (0..d).for_each(|i| k[i * d + j] = (more[i] - less[i]) / (2.0 * near));
    }
    Some(k)
}
