//! The uncertain part of a loop: additional delay of all actuators first, then the intervals of each rig.

use interfield_analysis::certificate::{Disc, Found, Plant};
use interfield_lab::plant::response::Disc as Response;
use interfield_lab::plant::uncertain::{Spread, UncertainRig};

/// All rigs of a loop.
pub(super) struct Plants {
    rigs: Vec<UncertainRig>,
    room: Vec<Response>,
}

impl Plants {
    pub(super) fn new(rigs: Vec<UncertainRig>) -> Self {
        let largest = rigs.iter().map(|r| r.actuators.len()).max().unwrap_or(0);
        Plants { rigs, room: vec![Response::EVERYWHERE; 2 * largest * largest] }
    }

    /// The longest delay within intervals of all rigs, s.
    pub(super) fn longest_delay(&self, intervals: &[[f64; 2]]) -> f64 {
        let (mut longest, mut rest) = (0.0f64, intervals);
        for rig in &self.rigs {
            let (own, others) = rest.split_at(rig.intervals());
            (0..rig.actuators.len()).for_each(|a| longest = longest.max(own[Spread::COUNT * a][1]));
            rest = others;
        }
        longest
    }
}

impl Plant for Plants {
    fn channels(&self) -> usize {
        self.rigs.iter().map(|r| r.actuators.len()).sum()
    }

    fn response(&mut self, phase: f64, half: f64, cell: &[[f64; 2]], out: &mut [Disc]) {
        let all = self.channels();
        out.fill(Disc::default());
        let (extra, mut rest, mut first) = (cell[0], &cell[1..], 0);
        for rig in &mut self.rigs {
            let (own, others) = rest.split_at(rig.intervals());
            let m = rig.actuators.len();
            let room = &mut self.room[..2 * m * m];
            rig.response(phase, half, extra, own, room);
            for (k, disc) in room.iter().enumerate() {
                let at = (2 * first + k / m) * all + first + k % m;
                out[at] = Disc { re: disc.centre.re, im: disc.centre.im, radius: disc.radius };
            }
            (rest, first) = (others, first + m);
        }
    }
}

/// Points of intervals to look for a counter-example, where a motion stands on the unit circle, or nearly so, `at` some values: from the
/// `middle`, where the loop is stable, through these and on; and the corner there.
fn suspects(intervals: &[[f64; 2]], middle: &[f64], at: &[f64]) -> Vec<Vec<f64>> {
    let on = |t: f64| -> Vec<f64> {
        let moved = at.iter().zip(middle).map(|(a, m)| a + t * (a - m));
        moved.zip(intervals).map(|(x, [low, high])| x.clamp(*low, *high)).collect()
    };
    let side = |(([low, high], m), a): ((&[f64; 2], &f64), &f64)| if a > m { *high } else { *low };
    let corner = intervals.iter().zip(middle).zip(at).map(side).collect();
    vec![on(0.0), on(0.05), on(0.3), on(1.0), corner]
}

/// Shares of an interval by which a value is changed, one after the other, on the way up to a larger radius.
const STRIDES: [f64; 4] = [1.0, 0.3, 0.1, 0.03];

/// A point of intervals at which the spectral radius is above `limit`: of the suspects, and from the largest of them upwards, one value after the other; none if it is
/// nowhere seen above. `radius` says none where it is not known.
pub(super) fn grown(
    intervals: &[[f64; 2]],
    middle: &[f64],
    at: &[f64],
    limit: f64,
    mut radius: impl FnMut(&[f64]) -> Option<f64>,
) -> Option<Vec<f64>> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for point in suspects(intervals, middle, at) {
        let Some(r) = radius(&point) else { continue };
        if best.as_ref().is_none_or(|(most, _)| r > *most) {
            best = Some((r, point));
        }
    }
    let (mut most, mut point) = best?;
    for stride in STRIDES {
        for (k, [low, high]) in intervals.iter().enumerate().filter(|(_, [low, high])| low < high) {
            for sign in [-1.0, 1.0] {
                if most > limit {
                    return Some(point);
                }
                let mut other = point.clone();
                other[k] = (point[k] + sign * stride * (high - low)).clamp(*low, *high);
                if other[k] != point[k]
                    && let Some(r) = radius(&other).filter(|r| *r > most)
                {
                    (most, point) = (r, other);
                }
            }
        }
    }
    (most > limit).then_some(point)
}

/// Where the bound does not tell, the loop is asked at places that are this share of the delay apart, or this share of a sample; the first is nearer.
const STRIDE: f64 = 0.02;
const SMALLEST: f64 = 5e-3;
const FIRST: f64 = 5e-3;
/// So many places at first, twice as many whenever the bound does not tell again.
const PLACES: usize = 3;
/// An onset is bisected to this share of the delay, or this share of a sample.
const BISECTED: f64 = 4e-3;
const FINEST: f64 = 1e-4;

/// The first additional delay up to `most` at which a motion grows, s: the largest that is known not to grow. `first` is the bound over a range, in which a
/// motion that nearly grows cannot be told from one that does; the loop itself can, and it is asked from there on, place by place, until the bound may tell
/// again. Of a delay of the actuators besides it (`own`, s) the multiples of a sample `dt` are places too: between them the interpolation of a command
/// damps what is fast, so that a narrow window of growth has its middle there.
pub(super) fn onset(
    [own, most, dt]: [f64; 3],
    mut first: impl FnMut([f64; 2]) -> Found,
    mut grows: impl FnMut(f64) -> bool,
) -> Option<f64> {
    // Up to here nothing grows.
    let mut from = 0.0;
    let mut places = PLACES;
    while from < most {
        match first([from, most]) {
            Found::Excluded => return None,
            Found::Singular { below, .. } => from = below.max(from),
            Found::Exhausted { below, .. } => (from, places) = (below.max(from), usize::MAX),
            Found::Uncounted => places = usize::MAX,
        }
        let mut near = FIRST / STRIDE;
        for _ in 0..places {
            let stride = near * (STRIDE * (own + from)).max(SMALLEST * dt);
            let multiple = ((own + from) / dt + FINEST).floor() * dt + dt - own;
            let to = (from + stride).min(multiple).min(most);
            if grows(to) {
                return Some(last(from, to, |x| BISECTED * (own + x), FINEST * dt, grows));
            }
            (from, near) = (to, 1.0);
            if from >= most {
                break;
            }
        }
        places = places.saturating_mul(2);
    }
    None
}

/// Of a place where nothing grows and one where something does: the last where nothing does.
fn last(low: f64, high: f64, share: impl Fn(f64) -> f64, finest: f64, mut grows: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    while high - low > share(high).max(finest) {
        let half = 0.5 * (low + high);
        if grows(half) { high = half } else { low = half }
    }
    low
}
