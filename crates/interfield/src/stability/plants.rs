//! The uncertain part of a loop: additional delay of all actuators first, then the intervals of each rig.

use interfield_analysis::certificate::{Disc, Plant};
use interfield_lab::plant::response::Disc as Response;
use interfield_lab::plant::uncertain::UncertainRig;

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
