//! From the readings of a sample to what the structure is told: by the sensors of the actuators, or by others with kinematics of their own.

use super::{COLUMNS, Controller, HEAD};
use crate::hardware::Reply;
use crate::rig::Reading;
use crate::safety::monitor::{Found, Seen};
use crate::sensing::Sensing;

impl Controller {
    /// The same, measured by these sensors where they take the place of those of the actuators.
    ///
    /// # Errors
    /// When the hardware has others: a sentence.
    pub fn measured_by(mut self, sensing: Sensing) -> Result<Self, String> {
        let m = self.asked.len();
        let [transducers, load_cells] = sensing.counts();
        let there = self.hardware.sensors();
        if there != [transducers, load_cells] {
            return Err(format!(
                "its laboratory has {} transducers and {} load cells besides those of the actuators, and the model has \
                 {transducers} and {load_cells}",
                there[0], there[1]
            ));
        }
        self.raw[1].resize(m + transducers, 0.0);
        self.raw[2].resize(m + load_cells, 0.0);
        self.row.resize(HEAD.len() + COLUMNS.len() * m + transducers + load_cells, 0.0);
        self.follows = sensing.follows(&mut self.kinematics);
        self.monitor = self.monitor.with_sensors(sensing.gauges.iter().flatten().map(|g| g.limits).collect());
        self.sensing = sensing;
        Ok(self)
    }

    /// What the sensors besides those of the actuators show at rest, where they never showed anything.
    pub(super) fn gauges_at_rest(&mut self, [seen, felt]: [&[f64]; 2]) {
        let m = self.asked.len();
        let [_, displacement, force] = &mut self.raw;
        for (raw, (read, gauges)) in
            [displacement, force].into_iter().zip([seen, felt].into_iter().zip(&self.sensing.gauges))
        {
            raw[m..].iter_mut().zip(&read[m..]).zip(gauges).for_each(|((raw, x), gauge)| *raw = gauge.shows(*x));
        }
    }

    /// Reads the sensors besides those of the actuators.
    pub(super) fn read_gauges(&self, [seen, felt]: [&mut [f64]; 2]) {
        let m = self.asked.len();
        for (raw, (read, gauges)) in self.raw[1..].iter().zip([seen, felt].into_iter().zip(&self.sensing.gauges)) {
            read[m..].iter_mut().zip(&raw[m..]).zip(gauges).for_each(|((x, raw), gauge)| *x = gauge.reads(*raw));
        }
    }

    /// Looks at the sensors besides those of the actuators: numbers, limits, whether they move with the commands.
    pub(super) fn watch_gauges(&mut self, [seen, felt]: [&[f64]; 2]) -> Found {
        let m = self.asked.len();
        let mut found = Found::default();
        for (k, reading) in seen[m..].iter().chain(&felt[m..]).enumerate() {
            let moves = self.follows[k * m..(k + 1) * m].iter().zip(&self.command);
            let command = moves.map(|(f, c)| f * c).sum();
            // One number, whatever it measures: its limits say which.
            let now = Seen { target: command, command, reached: *reading, force: *reading, led: false };
            found = found.and(self.monitor.look(m + k, now));
        }
        found
    }

    /// Takes the last readings for where the specimen is, as a start for the kinematics.
    pub(super) fn stand_at(&mut self, readings: &[f64]) {
        let n = self.course.goal.len();
        let (readings, inner) = readings.split_at(Reading::COUNT * n);
        // Where no actuator drives a direction, the specimen is where it should be.
        let guess = if self.kinematics.is_regular() { &readings[n..2 * n] } else { &self.course.aim[..] };
        let held = inner.chunks_exact(Reading::INNER).map(|held| held[0]);
        self.u.iter_mut().zip(guess.iter().copied().chain(held)).for_each(|(u, x)| *u = x / self.plan.scale);
    }

    /// From the sensors to the structure: displacements by S, forces by S². `None` where no displacement fits to the readings; else how far
    /// redundant transducers contradict each other.
    pub(super) fn take_home(
        &mut self,
        readings: &mut [f64],
        past: &mut [f64],
        [seen, felt]: [&[f64]; 2],
        reply: Reply,
    ) -> Option<Found> {
        self.stand_at(readings);
        let (n, scale) = (self.course.goal.len(), self.plan.scale);
        let (readings, inner) = readings.split_at_mut(Reading::COUNT * n);
        let (reached, force) = readings[n..].split_at_mut(n);
        for (i, stroke) in self.strokes.iter_mut().enumerate() {
            *stroke = seen[i] - felt[i] / self.plan.mounts[i];
        }
        if !self.kinematics.displacements(&self.strokes, &mut self.u) {
            return None;
        }
        self.kinematics.to_dofs(&felt[..self.strokes.len()], &mut self.r);
        if !self.sensing.measure(past, [seen, felt], &mut self.u, &mut self.r) {
            return None;
        }
        reached.iter_mut().zip(&self.u).for_each(|(x, u)| *x = scale * u);
        force.iter_mut().zip(&self.r).for_each(|(f, r)| *f = r * (scale * scale));
        for (i, held) in inner.chunks_exact_mut(Reading::INNER).enumerate().take(self.u.len() - n) {
            held.copy_from_slice(&[scale * self.u[n + i], scale * scale * self.r[n + i]]);
        }
        let contradiction = self.sensing.contradiction(&self.u).filter(|_| reply == Reply::Fresh);
        Some(contradiction.map_or_else(Found::default, |c| self.monitor.contradicted(c.channel, c.error, c.known)))
    }
}
