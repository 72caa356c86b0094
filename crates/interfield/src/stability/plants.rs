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
pub(super) fn suspects(intervals: &[[f64; 2]], middle: &[f64], at: &[f64]) -> Vec<Vec<f64>> {
    let on = |t: f64| -> Vec<f64> {
        let moved = at.iter().zip(middle).map(|(a, m)| a + t * (a - m));
        moved.zip(intervals).map(|(x, [low, high])| x.clamp(*low, *high)).collect()
    };
    let side = |(([low, high], m), a): ((&[f64; 2], &f64), &f64)| if a > m { *high } else { *low };
    let corner = intervals.iter().zip(middle).zip(at).map(side).collect();
    vec![on(0.0), on(0.05), on(0.3), on(1.0), corner]
}

/// The first additional delay at which a motion grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Onset {
    /// Here, s.
    At(f64),
    /// Not in the range.
    Beyond,
    /// The cells ran out.
    Unknown,
}

/// Motions that come near the circle and do not reach it are passed so often at most, each time by this share of the delay and of a sample.
const PASSES: usize = 40;
const PASSED: f64 = 0.01;
/// Where the bound does not tell, the loop is asked at so many places, these shares of the delay apart.
const PLACES: usize = 200;
const STRIDE: f64 = 0.02;
/// Growth is looked for behind the place where a motion stands on the circle, or nearly so: at these shares of the delay.
const BEHIND: [f64; 3] = [0.02, 0.005, 0.045];

/// The first additional delay up to `most` at which a motion grows. `first` is the bound over a range, in which a motion that nearly grows cannot be told from one that
/// does; the loop itself can. Of a delay of the actuators besides it (`own`, s) the next multiple of a sample `dt` is tried too: between them the interpolation of a command damps
/// what is fast, so that a narrow window of growth has its middle there.
pub(super) fn onset(
    [own, most, dt]: [f64; 3],
    mut first: impl FnMut([f64; 2]) -> Found,
    mut grows: impl FnMut(f64) -> bool,
) -> Onset {
    let mut from = 0.0;
    for _ in 0..PASSES {
        let x = match first([from, most]) {
            Found::Singular { at, .. } => at[0],
            Found::Excluded => return Onset::Beyond,
            Found::Exhausted { .. } | Found::Uncounted => break,
        };
        let all = own + x;
        let multiples = [(all / dt).floor(), (all / dt).ceil()].map(|k| k * dt - own);
        let near = |y: &f64| *y > from && (y - x).abs() <= BEHIND[2] * all;
        let behind = BEHIND.map(|share| x + share * all);
        if behind.into_iter().chain(multiples.into_iter().filter(near)).any(&mut grows) {
            return Onset::At(x);
        }
        // It only comes near: on from a place where nothing grows.
        from = (x + PASSED * (all + dt)).max(from);
        if from >= most {
            return Onset::Beyond;
        }
        if grows(from) {
            return Onset::At(from);
        }
    }
    // The bound does not tell: the loop is asked from place to place.
    for _ in 0..PLACES {
        from += STRIDE * (own + from + dt);
        if from >= most {
            return Onset::Beyond;
        }
        if grows(from) {
            return Onset::At(from);
        }
    }
    Onset::Unknown
}
