//! A recording as hardware: answers every sample with what was measured then, as long as it is asked the same.

use interfield_kernel::Archive;

use crate::hardware::{Hardware, Reply};

/// One actuator of a recording, as its instruments said it, sample by sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// What it was sent.
    pub command: Vec<f64>,
    /// Where it was seen.
    pub displacement: Vec<f64>,
    /// What its load cell showed.
    pub force: Vec<f64>,
}

/// A test that was recorded.
pub struct Recorded {
    tracks: Vec<Track>,
    /// What transducers and load cells besides those of the actuators showed, sample by sample.
    sensors: [Vec<Vec<f64>>; 2],
    /// Whether readings arrived, sample by sample.
    fresh: Vec<bool>,
    /// Largest difference between a command and the recorded one that still counts as the same, per actuator.
    allowed: Vec<f64>,
    sample: usize,
    /// Largest difference of a command so far, in units of the instruments.
    departure: f64,
    /// Sample, from 1, at which the commands left the recording.
    left: Option<usize>,
}

impl Recorded {
    /// A recording, and the difference of commands that is still the same, over the largest command of each actuator.
    ///
    /// # Errors
    /// When the columns are of different length, or there is none: a sentence.
    pub fn new(tracks: Vec<Track>, fresh: Vec<bool>, tolerance: f64) -> Result<Self, String> {
        let fits = |t: &Track| [&t.command, &t.displacement, &t.force].iter().all(|c| c.len() == fresh.len());
        if tracks.is_empty() || fresh.is_empty() || !tracks.iter().all(fits) {
            return Err("it holds no complete sample".to_owned());
        }
        let allowed =
            tracks.iter().map(|t| tolerance * t.command.iter().fold(0.0, |m: f64, c| m.max(c.abs()))).collect();
        let sensors = [Vec::new(), Vec::new()];
        Ok(Recorded { tracks, sensors, fresh, allowed, sample: 0, departure: 0.0, left: None })
    }
}

impl Recorded {
    /// The same with what transducers and load cells besides those of the actuators showed.
    ///
    /// # Errors
    /// When a column is of another length: a sentence.
    pub fn with_sensors(mut self, sensors: [Vec<Vec<f64>>; 2]) -> Result<Self, String> {
        if sensors.iter().flatten().any(|column| column.len() != self.fresh.len()) {
            return Err("it holds no complete sample".to_owned());
        }
        self.sensors = sensors;
        Ok(self)
    }
}

impl Hardware for Recorded {
    fn actuators(&self) -> usize {
        self.tracks.len()
    }

    fn sensors(&self) -> [usize; 2] {
        [self.sensors[0].len(), self.sensors[1].len()]
    }

    fn exchange(&mut self, _memory: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        let k = self.sample;
        // After the last sample there is nothing to say.
        let Some(&fresh) = self.fresh.get(k).filter(|_| self.left.is_none()) else { return Reply::Gone };
        self.sample += 1;
        for (i, track) in self.tracks.iter().enumerate() {
            let away = (command[i] - track.command[k]).abs();
            self.departure = self.departure.max(away);
            if away > self.allowed[i] || away.is_nan() {
                self.left = Some(k + 1);
            }
        }
        if self.left.is_some() {
            return Reply::Gone;
        }
        if !fresh {
            return Reply::Stale;
        }
        for (i, track) in self.tracks.iter().enumerate() {
            (displacement[i], force[i]) = (track.displacement[k], track.force[k]);
        }
        let n = self.tracks.len();
        for (shown, columns) in [displacement, force].into_iter().zip(&self.sensors) {
            shown[n..].iter_mut().zip(columns).for_each(|(x, column)| *x = column[k]);
        }
        Reply::Fresh
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        let Recorded { tracks: _, sensors: _, fresh: _, allowed: _, sample, departure, left } = self;
        archive.whole(sample);
        archive.number(departure);
        archive.option(left, 0, |archive, sample| archive.whole(sample));
    }

    fn has_instruments(&self) -> bool {
        false
    }

    fn is_emulated(&self) -> bool {
        true
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        let mut all = vec![
            ("recorded_samples", self.fresh.len() as f64),
            ("replayed_samples", self.sample as f64),
            ("largest_departure", self.departure),
        ];
        all.extend(self.left.map(|k| ("left_at_sample", k as f64)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(tolerance: f64) -> Recorded {
        let track =
            Track { command: vec![1.0, -2.0, 3.0], displacement: vec![0.9, -1.9, 2.9], force: vec![5.0, 6.0, 7.0] };
        Recorded::new(vec![track], vec![true, false, true], tolerance).expect("three samples")
    }

    #[test]
    fn the_same_commands_get_the_same_answers() {
        let mut hardware = recording(1e-6);
        let (mut u, mut f) = ([0.0], [0.0]);
        let mut ask = |c: f64| (hardware.exchange(&mut [], &[c], &mut u, &mut f), u[0], f[0]);
        assert_eq!(ask(1.0), (Reply::Fresh, 0.9, 5.0));
        assert_eq!(ask(-2.0 + 2e-6), (Reply::Stale, 0.9, 5.0), "within 1e-6 of the largest command, 3");
        assert_eq!(ask(3.0), (Reply::Fresh, 2.9, 7.0));
        assert_eq!(ask(3.0).0, Reply::Gone, "the recording is over");
        assert!(hardware.account().contains(&("replayed_samples", 3.0)));
    }

    #[test]
    fn other_commands_leave_the_recording_for_good() {
        for wrong in [1.1, f64::NAN] {
            let mut hardware = recording(1e-2);
            let mut ask = |c: f64| hardware.exchange(&mut [], &[c], &mut [0.0], &mut [0.0]);
            assert_eq!([ask(wrong), ask(-2.0)], [Reply::Gone; 2]);
            assert!(hardware.account().contains(&("left_at_sample", 1.0)));
        }
    }

    #[test]
    fn sensors_stand_behind_those_of_the_actuators() {
        let mut hardware = recording(1e-6).with_sensors([vec![vec![1.0, 2.0, 3.0]], vec![]]).expect("three samples");
        assert_eq!(hardware.sensors(), [1, 0]);
        let (mut u, mut f) = ([0.0; 2], [0.0]);
        let mut ask = |c: f64| (hardware.exchange(&mut [], &[c], &mut u, &mut f), u);
        assert_eq!(ask(1.0), (Reply::Fresh, [0.9, 1.0]));
        assert_eq!(ask(-2.0), (Reply::Stale, [0.9, 1.0]));
        assert_eq!(ask(3.0), (Reply::Fresh, [2.9, 3.0]));
        assert!(recording(1e-6).with_sensors([vec![], vec![vec![1.0]]]).is_err());
    }

    #[test]
    fn columns_of_different_length_are_refused() {
        let track = Track { command: vec![1.0], displacement: vec![1.0], force: Vec::new() };
        assert!(Recorded::new(vec![track], vec![true], 0.0).is_err());
        assert!(Recorded::new(Vec::new(), vec![true], 0.0).is_err());
    }
}
