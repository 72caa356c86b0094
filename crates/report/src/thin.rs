//! Long curves in few points, without losing a peak.
//!
//! Samples fall into buckets of equal count; of each bucket the samples with the smallest and largest x and y are
//! kept, in their order. Of a history these are first, smallest, largest and last, from which a line looks the same as from
//! all samples wherever a bucket is narrower than a pixel (M4 of Jugel et al., VLDB 2014); of a hysteresis loop they keep
//! its outline. When the buckets are used up they are joined in pairs: memory is bounded whatever the length, and
//! every point that is left is a sample, in its place.

use crate::Curve;

/// A sample with its number.
#[derive(Clone, Copy, Debug)]
struct Sample {
    number: u64,
    x: f64,
    y: f64,
}

/// The samples of a bucket with the smallest x, largest x, smallest y, largest y, and whether one that is not finite came among
/// or after them.
#[derive(Clone, Copy, Debug)]
struct Bucket([Sample; 4], bool);

impl Bucket {
    fn join(&mut self, other: &Bucket) {
        let Bucket([left, right, low, high], gap) = self;
        *gap |= other.1;
        // The earlier one stays where two are equal, as a first sample is not replaced by a later one.
        let better = |mine: &mut Sample, theirs: &Sample, yes: bool| {
            if yes {
                *mine = *theirs;
            }
        };
        let [l, r, b, t] = &other.0;
        better(left, l, l.x < left.x);
        better(right, r, r.x > right.x);
        better(low, b, b.y < low.y);
        better(high, t, t.y > high.y);
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let mut order = self.0;
        order.sort_unstable_by_key(|s| s.number);
        let mut last = None;
        let different = order.into_iter().filter(move |s| last.replace(s.number) != Some(s.number));
        different.map(|s| (s.x, s.y)).chain(self.1.then_some((order[3].x, f64::NAN)))
    }
}

/// Takes the samples of a curve one after the other and keeps few of them. Allocates when it is made, never after.
#[derive(Clone, Debug)]
pub struct Thinner {
    buckets: Vec<Bucket>,
    capacity: usize,
    /// Samples in a full bucket.
    size: u64,
    /// Samples in the last bucket.
    filled: u64,
    taken: u64,
}

impl Thinner {
    /// Room for at most four times `buckets` points (an even number of buckets, at least two).
    pub fn new(buckets: usize) -> Self {
        let capacity = buckets.max(2).next_multiple_of(2);
        Self { buckets: Vec::with_capacity(capacity), capacity, size: 1, filled: 0, taken: 0 }
    }

    /// Takes a sample; one that is not finite leaves a gap.
    pub fn push(&mut self, x: f64, y: f64) {
        if !(x.is_finite() && y.is_finite()) {
            self.buckets.last_mut().into_iter().for_each(|b| b.1 = true);
            return;
        }
        let one = Bucket([Sample { number: self.taken, x, y }; 4], false);
        self.taken += 1;
        if self.filled == self.size || self.buckets.is_empty() {
            if self.buckets.len() == self.capacity {
                self.halve();
            }
            self.buckets.push(one);
            self.filled = 1;
        } else if let Some(last) = self.buckets.last_mut() {
            last.join(&one);
            self.filled += 1;
        }
    }

    /// Joins the buckets in pairs. All are full when this is called.
    fn halve(&mut self) {
        for i in 0..self.capacity / 2 {
            let mut pair = self.buckets[2 * i];
            pair.join(&self.buckets[2 * i + 1]);
            self.buckets[i] = pair;
        }
        self.buckets.truncate(self.capacity / 2);
        self.size *= 2;
    }

    /// Samples taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Samples in a bucket: 1 as long as every sample is kept.
    pub fn bucket(&self) -> u64 {
        self.size
    }

    /// A curve of what is left.
    pub fn curve(&self, name: impl Into<String>) -> Curve {
        let thinned = (self.size > 1).then_some(self.taken);
        Curve { thinned, ..Curve::line(name, self.points()) }
    }

    /// What is left of the curve, in order; a point that is not finite is a gap.
    pub fn points(&self) -> Vec<(f64, f64)> {
        self.buckets.iter().flat_map(Bucket::points).collect()
    }
}

/// At most so many points of a curve.
pub fn thinned(points: impl IntoIterator<Item = (f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    let mut thinner = Thinner::new(most / 4);
    points.into_iter().for_each(|(x, y)| thinner.push(x, y));
    thinner.points()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [-1, 1) without a pattern (xorshift of Marsaglia).
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut s = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn every_bucket_of_every_length_keeps_its_peaks() {
        for (seed, length) in [1, 2, 3, 7, 16, 17, 100, 1000, 4097, 20_000, 65_536].into_iter().enumerate() {
            let mut random = noise(seed as u64 + 1);
            // Rare peaks upon noise.
            let y: Vec<f64> = (0..length)
                .map(|_| {
                    let a = random();
                    if random() > 0.998 { 50.0 * a } else { a }
                })
                .collect();
            let mut thinner = Thinner::new(16);
            for (i, &y) in y.iter().enumerate() {
                thinner.push(i as f64, y);
                assert!(thinner.buckets.len() <= 16);
            }
            let points = thinner.points();
            assert!(points.len() <= 64 && points.is_sorted_by(|a, b| a.0 < b.0));
            assert!(points.iter().all(|p| y[p.0 as usize] == p.1), "every point is a sample");
            // Whichever buckets are looked at, what is drawn has the peaks of all samples there.
            for (bucket, samples) in y.chunks(thinner.bucket() as usize).enumerate() {
                let from = (bucket as u64 * thinner.bucket()) as f64;
                let here = points.iter().filter(|p| p.0 >= from && p.0 < from + thinner.bucket() as f64);
                let range = |v: &mut dyn Iterator<Item = f64>| {
                    v.fold((f64::INFINITY, f64::NEG_INFINITY), |r, y| (r.0.min(y), r.1.max(y)))
                };
                assert_eq!(range(&mut here.map(|p| p.1)), range(&mut samples.iter().copied()), "{length} {bucket}");
            }
            assert_eq!((points[0].0, points[points.len() - 1].0), (0.0, (length - 1) as f64), "both ends are there");
            assert_eq!(thinner.taken(), length as u64);
        }
    }

    #[test]
    fn short_curves_are_whole() {
        let mut thinner = Thinner::new(100);
        (0..100).for_each(|i| thinner.push(f64::from(i), f64::from(i * i)));
        assert_eq!((thinner.bucket(), thinner.points().len()), (1, 100));
        thinner.push(f64::NAN, 1.0);
        assert_eq!(thinner.taken(), 100);
    }

    #[test]
    fn gaps_stay_gaps() {
        let gap = |i: u32| i % 1000 >= 900;
        for most in [20_000, 400] {
            let value = |i: u32| if gap(i) { f64::NAN } else { f64::from(i % 7) };
            let found = thinned((0..10_000).map(|i| (f64::from(i), value(i))), most);
            assert_eq!(found.iter().filter(|p| p.1.is_nan()).count(), 10);
            // No further from its place than a bucket is long.
            let near = |x: f64| (899.0 - 128.0..1000.0).contains(&(x % 1000.0)) || (most == 400 && x % 1000.0 < 128.0);
            assert!(found.iter().all(|p| !p.1.is_nan() || near(p.0)), "{found:?}");
        }
    }

    #[test]
    fn loops_keep_their_outline() {
        // A slowly growing ellipse: the farthest points in both directions belong to the last turn.
        let mut thinner = Thinner::new(64);
        let (mut right, mut top) = (0.0f64, 0.0f64);
        for i in 0..100_000 {
            let (phase, size) = (f64::from(i) * 0.01, 1.0 + f64::from(i) * 1e-5);
            let (x, y) = (3.0 * size * phase.cos(), size * phase.sin());
            (right, top) = (right.max(x), top.max(y));
            thinner.push(x, y);
        }
        let points = thinner.points();
        assert_eq!(points.iter().map(|p| p.0).fold(0.0, f64::max), right);
        assert_eq!(points.iter().map(|p| p.1).fold(0.0, f64::max), top);
    }
}
