//! Moments of a dry run: of all states that the laws of a structure and of its specimens go through, a few from which every other one is not far.
//!
//! Tangents of elements are compared in shares of the largest seen of each coordinate, and gathered about centres (Charikar, Chekuri, Feder and Motwani: incremental
//! clustering): a moment that is farther from all centres than a radius becomes a centre, and where they become too many the radius is doubled and near ones are
//! put together. How far any moment is from a kept one is known in the end. Kept in any case: rest, the softest and the stiffest moment.

use interfield_kernel::Fault;
use interfield_language::Model;
use interfield_structure::Simulation;
use interfield_structure::walk::{Slopes, Walk, bends, is_massive};

/// Centres at most, rest among them, where the state of a step has so many numbers at most: each costs all eigenvalues of a matrix of that size.
const CENTRES: [(usize, usize); 3] = [(150, 16), (400, 8), (usize::MAX, 4)];
/// Moments nearer than this are the same.
const SAME: f64 = 0.02;

/// One moment.
#[derive(Clone)]
pub(crate) struct Moment {
    /// s of the model.
    pub(crate) t: f64,
    /// Tangents of all elements, one behind the other.
    tangents: Vec<f64>,
    /// Their stiffness with that by states, and damping: what is compared.
    felt: Vec<f64>,
    /// Mean stiffness over the one at rest, element by element.
    stiffness: f64,
    /// How far moments that were put together with it may be.
    reach: f64,
}

/// An element that is followed.
struct Followed {
    element: usize,
    /// Coordinates and states.
    size: [usize; 2],
    remembers: bool,
    /// Where its tangents and what is compared begin, and its largest stiffness and damping by coordinates.
    first: [usize; 2],
    largest: [Vec<f64>; 2],
}

/// Those who watch the elements of a dry run.
#[derive(Default)]
pub(crate) struct Moments {
    walks: Vec<(Walk, f64)>,
    followed: Vec<Followed>,
    centres: Vec<Moment>,
    /// The softest and the stiffest moment so far.
    ends: Option<[Moment; 2]>,
    radius: f64,
    most: usize,
    /// How many there were.
    pub(crate) seen: usize,
    /// Names of elements that stay at rest, and why: a sentence without its subject.
    pub(crate) still: Vec<(String, String)>,
    now: [Vec<f64>; 2],
}

impl Moments {
    /// Of a simulation before its first step, whose specimens in `apart` are followed elsewhere.
    pub(crate) fn new(sim: &Simulation, apart: impl Fn(usize) -> bool) -> Self {
        let (model, len) = (&sim.model, sim.coupling.len());
        let most = CENTRES.iter().find(|(longest, _)| len <= *longest).map_or(1, |c| c.1);
        let mut found = Moments { radius: SAME, most, ..Moments::default() };
        if model.analysis.statics {
            return found;
        }
        let tested = |e: usize| model.specimens.iter().position(|s| s.elements.contains(&e));
        let all = 0..model.elements.len();
        let computed: Vec<usize> = all.clone().filter(|&e| tested(e).is_none() && bends(model, e)).collect();
        let massive = all.filter(|&e| tested(e).is_none_or(|s| !apart(s)) && is_massive(model, e));
        let why = "has a mass that moves in it".to_owned();
        found.still = massive.map(|e| (model.elements[e].name.clone(), why.clone())).collect();
        found.follow(model, &computed, None);
        for (s, specimen) in model.specimens.iter().enumerate().filter(|(s, _)| !apart(*s)) {
            let own: Vec<usize> = specimen.elements.iter().copied().filter(|&e| bends(model, e)).collect();
            if own.is_empty() {
                continue;
            }
            if specimen.inner.is_empty() {
                found.follow(model, &own, Some(s));
            } else {
                let why = "has degrees of freedom that the structure does not know".to_owned();
                found.still.push((specimen.name.clone(), why));
            }
        }
        found
    }

    /// Follows elements, those of a specimen at the speed of its laboratory.
    fn follow(&mut self, model: &Model, elements: &[usize], specimen: Option<usize>) {
        let (laboratory, slower) = (specimen.is_some(), specimen.map_or(1.0, |s| model.specimens[s].time_scale));
        match Walk::new(model, elements, laboratory) {
            Ok(None) => {}
            Ok(Some(walk)) => {
                for Slopes { element, size, remembers, .. } in walk.tangents() {
                    let first = self.followed.last().map_or([0, 0], Followed::end);
                    let largest = [vec![0.0; size[0]], vec![0.0; size[0]]];
                    self.followed.push(Followed { element, size, remembers, first, largest });
                }
                self.walks.push((walk, slower));
            }
            Err(why) => {
                let names =
                    elements.iter().map(|&e| (model.elements[e].name.clone(), format!("cannot be followed: {why}")));
                self.still.extend(names);
            }
        }
    }

    /// Whether nothing is followed.
    pub(crate) fn is_empty(&self) -> bool {
        self.followed.is_empty()
    }

    /// Looks at a simulation at time `t`, `dt` after the last look; at first with `dt` = 0, at rest.
    ///
    /// # Errors
    /// A law that fails on its way.
    pub(crate) fn look(&mut self, sim: &Simulation, t: f64, dt: f64) -> Result<(), Fault> {
        let [tangents, felt] = &mut self.now;
        tangents.clear();
        felt.clear();
        for (walk, slower) in &mut self.walks {
            if dt > 0.0 {
                walk.advance(|dof| sim.position(dof, t), *slower * dt)?;
            }
            walk.tangents().for_each(|slopes| tangents.extend_from_slice(slopes.blocks));
        }
        for one in &mut self.followed {
            one.feel(tangents, felt);
        }
        if tangents.iter().all(|x| x.is_finite()) {
            self.note(t);
        }
        Ok(())
    }

    fn note(&mut self, t: f64) {
        self.seen += 1;
        let [tangents, felt] = self.now.clone();
        let rest = self.centres.first().map_or(&felt, |rest| &rest.felt);
        let stiffness =
            self.followed.iter().map(|f| f.share(&felt, rest)).sum::<f64>() / self.followed.len().max(1) as f64;
        let new = Moment { t, tangents, felt, stiffness, reach: 0.0 };
        let Moments { followed, centres, ends, radius, most, .. } = self;
        let [softest, stiffest] = ends.get_or_insert_with(|| [new.clone(), new.clone()]);
        if new.stiffness < softest.stiffness {
            *softest = new.clone();
        } else if new.stiffness > stiffest.stiffness {
            *stiffest = new.clone();
        }
        let distance =
            |a: &Moment, b: &Moment| followed.iter().map(|f| f.distance(&a.felt, &b.felt)).fold(0.0, f64::max);
        let nearest = centres.iter_mut().map(|c| (distance(c, &new), c)).min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest {
            Some((d, centre)) if d <= *radius => centre.reach = centre.reach.max(d),
            _ => centres.push(new),
        }
        while centres.len() > *most {
            *radius *= 2.0;
            let mut kept: Vec<Moment> = Vec::new();
            for centre in centres.drain(..) {
                let near = kept.iter_mut().map(|k| (distance(k, &centre), k)).find(|(d, _)| *d <= *radius);
                match near {
                    Some((d, into)) => into.reach = into.reach.max(d + centre.reach),
                    None => kept.push(centre),
                }
            }
            *centres = kept;
        }
    }

    /// The moments that are kept, rest first, then the ends, and how far any other is from one of them: a share of the largest stiffness and damping.
    pub(crate) fn kept(&self) -> (Vec<Moment>, f64) {
        let mut all: Vec<Moment> =
            self.centres.iter().take(1).chain(self.ends.iter().flatten()).chain(&self.centres).cloned().collect();
        let mut times: Vec<f64> = Vec::new();
        all.retain(|m| {
            !times.contains(&m.t) && {
                times.push(m.t);
                true
            }
        });
        // What is known of their distance was measured in shares of what was the largest then, which is larger now.
        let off = self.centres.iter().map(|c| c.reach).fold(0.0, f64::max);
        (all, off)
    }

    /// Tangents of an element at a moment.
    pub(crate) fn tangents<'a>(&self, moment: &'a Moment, element: usize) -> Option<&'a [f64]> {
        let one = self.followed.iter().find(|f| f.element == element)?;
        Some(&moment.tangents[one.first[0]..one.end()[0]])
    }
}

impl Followed {
    fn end(&self) -> [usize; 2] {
        let [[d, s], [tangents, felt]] = [self.size, self.first];
        [tangents + 2 * d * d + 3 * d * s + s * s, felt + 2 * d * d]
    }

    /// Adds stiffness, with that by states, and damping of its tangents to what is compared.
    fn feel(&mut self, tangents: &[f64], felt: &mut Vec<f64>) {
        let [d, s] = self.size;
        let own = &tangents[self.first[0]..self.end()[0]];
        let (k, rest) = own.split_at(d * d);
        let (c, rest) = rest.split_at(d * d);
        let (r, b) = (&rest[..d * s], &rest[2 * d * s..3 * d * s]);
        let stored = |e: usize| -> f64 { (0..s).map(|l| r[e / d * s + l] * b[l * d + e % d]).sum() };
        felt.extend(k.iter().enumerate().map(|(e, k)| k + if self.remembers { stored(e) } else { 0.0 }));
        felt.extend_from_slice(c);
        let new = &felt[felt.len() - 2 * d * d..];
        for (largest, matrix) in self.largest.iter_mut().zip(new.chunks_exact((d * d).max(1))) {
            largest.iter_mut().enumerate().for_each(|(i, most)| *most = most.max(matrix[i * (d + 1)].abs()));
        }
    }

    /// Largest difference of two moments, in shares of the largest of each coordinate.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let d = self.size[0];
        let mut most = 0.0f64;
        for (m, largest) in self.largest.iter().enumerate() {
            let at = self.first[1] + m * d * d;
            for e in 0..d * d {
                let scale = (largest[e / d] * largest[e % d]).sqrt();
                let off = (a[at + e] - b[at + e]).abs();
                // Where nothing ever stood on the diagonal, nothing is compared.
                if scale > 0.0 {
                    most = most.max(off / scale);
                }
            }
        }
        most
    }

    /// Trace of its stiffness over that at rest, or over the largest where there is none at rest.
    fn share(&self, felt: &[f64], rest: &[f64]) -> f64 {
        let d = self.size[0];
        let trace = |m: &[f64]| {
            (0..d).map(|i| m[self.first[1] + i * (d + 1)] / self.largest[0][i].max(f64::MIN_POSITIVE)).sum::<f64>()
        };
        let own = trace(rest);
        if own > 0.0 { trace(felt) / own } else { 1.0 + trace(felt) }
    }
}

#[cfg(test)]
mod tests {
    use interfield_lab::signal::noise::uniform;

    use super::*;

    /// Three springs whose stiffness wanders: every moment is as near to one that is kept as is said, and the ends are among them.
    #[test]
    fn every_moment_is_near_one_that_is_kept() {
        let spring = |e: usize| Followed {
            element: e,
            size: [1, 0],
            remembers: false,
            first: [2 * e, 2 * e],
            largest: [vec![0.0], vec![0.0]],
        };
        let mut all = Moments { followed: (0..3).map(spring).collect(), radius: SAME, most: 8, ..Moments::default() };
        let mut seen = Vec::new();
        let mut k = [1.0, 1e6, 1e-9];
        let units = k;
        for n in 0..3000u64 {
            if n > 0 {
                for (i, k) in k.iter_mut().enumerate() {
                    *k = (*k + 0.05 * units[i] * (uniform(7, 3 * n + i as u64) - 0.5)).clamp(0.1 * units[i], units[i]);
                }
            }
            let tangents: Vec<f64> = k.iter().flat_map(|k| [*k, 0.0]).collect();
            let mut felt = Vec::new();
            all.followed.iter_mut().for_each(|f| f.feel(&tangents, &mut felt));
            all.now = [tangents, felt.clone()];
            all.note(n as f64);
            seen.push(felt);
        }
        let (kept, off) = all.kept();
        assert!(kept.len() <= 10 && kept[0].t == 0.0 && (0.05..1.0).contains(&off), "{} {off}", kept.len());
        let far = |a: &[f64], b: &[f64]| all.followed.iter().map(|f| f.distance(a, b)).fold(0.0, f64::max);
        let worst = seen.iter().map(|s| kept.iter().map(|k| far(&k.felt, s)).fold(f64::INFINITY, f64::min));
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= off && worst > 0.02, "{worst} {off}");
        let sums: Vec<f64> = seen.iter().map(|s| (0..3).map(|i| s[2 * i] / units[i]).sum()).collect();
        let least = sums.iter().fold(f64::INFINITY, |m: f64, x| m.min(*x));
        assert!(kept.iter().any(|k| (k.stiffness * 3.0 - least).abs() < 1e-9), "{least}");
    }
}
