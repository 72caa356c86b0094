//! One sample: command, guard, hardware, measurement, record, and what was found in it.

use super::lead::Lead;
use super::{COLUMNS, Controller, HEAD, MissPolicy};
use crate::hardware::{Interlock, Reply};
use crate::rig::{Reading, Rig};
use crate::safety::monitor::{Found, Seen};
use crate::safety::{Action, Alarm, Trip, graver};

impl Controller {
    /// Command, hardware, measurement, record: what was found.
    pub(super) fn sample(&mut self, memory: &mut [f64]) -> Found {
        let (m, n) = (self.asked.len(), self.course.goal.len());
        let (readings, rest) = memory.split_at_mut(self.readings());
        let [transducers, load_cells] = self.sensing.counts();
        let (sensors, rest) = rest.split_at_mut(2 * m + transducers + load_cells);
        let (own, rest) = rest.split_at_mut(self.compensation());
        let (past, hardware) = rest.split_at_mut(self.sensing.memory());
        let (seen, felt) = sensors.split_at_mut(m + transducers);
        self.hold_loads(readings, &felt[..m]);
        self.steer(own, &seen[..m], &felt[..m]);
        if let Some(alarm) = self.ask() {
            // Judged before it leaves: what leaves instead is the first sample of what follows.
            self.trip(alarm);
            if self.lead != Lead::Targets {
                self.steer(own, &seen[..m], &felt[..m]);
            }
        }
        let refused = self.pass();
        let reply = self.send(hardware, seen, felt);
        self.fresh = reply == Reply::Fresh;
        let mut found = self.watch(reply, &seen[..m], &felt[..m]).and(self.watch_gauges([seen, felt]));
        found.alarm = graver(found.alarm, refused);
        found = found.and(self.watch_loads());
        found = found.and(match self.take_home(readings, past, [seen, felt], reply) {
            Some(contradicted) => contradicted,
            None => self.lasting(Alarm::new(Trip::NotFinite, self.monitor.limits().not_finite)),
        });
        if self.plan.free > 0 {
            self.show_free(hardware, readings);
        }
        if reply == Reply::Fresh && self.lead == Lead::Targets {
            self.sharing.learn(&mut self.kinematics, &self.plan, &felt[..m], &self.u);
        }
        self.before.copy_from_slice(&self.now);
        self.now.copy_from_slice(&readings[n..Reading::COUNT * n]);
        self.write(reply, seen, felt);
        self.publish(reply, seen, felt, own);
        if let Some(w) = self.monitor.limits().recorder.filter(|w| self.dropped as f64 > w.limit) {
            found = found.and(self.lasting(Alarm::new(Trip::Recorder, w.action)));
        }
        found
    }

    /// What is asked of the actuators against its limits.
    fn ask(&mut self) -> Option<Alarm> {
        if self.lead != Lead::Targets {
            return None;
        }
        let mut alarm = None;
        for (i, guard) in self.guards.iter().enumerate() {
            alarm = graver(alarm, self.monitor.asked(i, self.asked[i], guard.position()));
        }
        alarm
    }

    /// The guard has the last word on every command.
    fn pass(&mut self) -> Option<Alarm> {
        let mut alarm = None;
        for i in 0..self.guards.len() {
            if self.lead != Lead::Targets && self.path.is_hard(i) && !self.loads.leads(i) {
                self.command[i] = self.guards[i].brake();
                self.refusals[i] = 0;
                continue;
            }
            let passed = self.guards[i].pass(self.asked[i]);
            self.command[i] = passed.command;
            let loads = self.loads.leads(i);
            let Some(bound) = passed.refused else {
                self.refusals[i] = 0;
                continue;
            };
            // What is only trimmed is followed all the same.
            self.refusals[i] = if passed.braked { self.refusals[i].saturating_add(1) } else { 0 };
            self.refused[i] += u64::from(self.lead == Lead::Targets);
            if self.lead == Lead::Targets && passed.braked {
                alarm = graver(alarm, self.monitor.refused(i, bound, self.refusals[i]));
                if !loads {
                    self.rejoin_one(i);
                }
            } else if passed.braked && !loads {
                // The guard brakes harder than was planned: the way goes on from where that ends.
                self.path.give_way(&self.guards);
            }
        }
        self.loads.take_back(&self.asked, &self.command);
        alarm
    }

    /// One sample of the hardware, through the calibration: strokes and forces of the actuators in and out.
    fn send(&mut self, memory: &mut [f64], seen: &mut [f64], felt: &mut [f64]) -> Reply {
        let [command, displacement, force] = &mut self.raw;
        for (i, c) in self.plan.calibration.iter().enumerate() {
            command[i] = c.command[0] * self.command[i] + c.command[1];
        }
        let enable = self.sequence.state().is_enabled();
        self.hardware.interlock(Interlock { enable, heartbeat: self.tick % 2 == 1 });
        if self.tick == 1 {
            // What was never measured is what the instruments show at rest.
            for (i, c) in self.plan.calibration.iter().enumerate() {
                displacement[i] = c.displacement[0] * seen[i] + c.displacement[1];
                force[i] = c.force[0] * felt[i] + c.force[1];
            }
            self.gauges_at_rest([seen, felt]);
        }
        let [command, displacement, force] = &mut self.raw;
        let reply = self.hardware.exchange(memory, command, displacement, force);
        // Old readings stay the numbers they are.
        if reply == Reply::Fresh {
            for (i, c) in self.plan.calibration.iter().enumerate() {
                seen[i] = (displacement[i] - c.displacement[1]) / c.displacement[0];
                felt[i] = (force[i] - c.force[1]) / c.force[0];
            }
            self.read_gauges([seen, felt]);
        }
        reply
    }

    fn watch(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) -> Found {
        let mut found = self.monitor.heard(reply == Reply::Fresh);
        let rig = *self.monitor.limits();
        if reply == Reply::Gone {
            found = found.and(self.lasting(Alarm::new(Trip::Gone, rig.gone)));
        }
        if self.hardware.emergency_stop() {
            found.alarm = Some(Alarm::new(Trip::EmergencyStop, Action::Abort));
        }
        let led = self.lead == Lead::Targets;
        for i in 0..seen.len() {
            let (target, command) = (self.stroke[i], self.command[i]);
            // What holds a load follows no target.
            let led = led && !self.loads.has(i);
            let now = Seen { target, command, reached: seen[i], force: felt[i], led };
            found = found.and(self.monitor.look(i, now));
            self.estimates[i].add(seen[i], felt[i]);
        }
        if self.tick == 1 && reply == Reply::Fresh {
            found.alarm = graver(found.alarm, self.misplaced(seen));
        }
        if self.lead == Lead::Bridge && self.plan.miss == MissPolicy::Abort {
            found.alarm = graver(found.alarm, Some(Alarm::new(Trip::Deadline, Action::Abort)));
        }
        if let Some(w) = rig.deadline.filter(|w| self.late[0] as f64 > w.limit) {
            found = found.and(self.lasting(Alarm::new(Trip::Deadline, w.action)));
        }
        found
    }

    /// An actuator that is not where it was sent in the first sample is not where the test begins.
    fn misplaced(&self, seen: &[f64]) -> Option<Alarm> {
        let far = |i: &usize| {
            let stroke = self.guards[*i].envelope().position[1];
            let allowed = self.monitor.tracking(*i).unwrap_or(0.1 * stroke).max(0.01 * stroke.min(f64::MAX));
            (seen[*i] - self.command[*i]).abs() > allowed
        };
        let first = (0..seen.len()).find(far);
        first.map(|i| Alarm::at(Trip::Start, Action::Abort, i))
    }

    /// An alarm that is told once in a test.
    pub(super) fn once(&mut self, alarm: Alarm) -> Option<Alarm> {
        let reported = std::mem::replace(&mut self.warned[alarm.trip.code() as usize], true);
        (!reported).then_some(alarm)
    }

    /// An alarm of something that does not go away: told once, and it lasts.
    pub(super) fn lasting(&mut self, alarm: Alarm) -> Found {
        let reported = self.once(alarm).is_none();
        Found::of(alarm).unless(reported)
    }

    /// One row of the recording.
    fn write(&mut self, reply: Reply, seen: &[f64], felt: &[f64]) {
        let Some(tape) = &mut self.tape else { return };
        let (head, columns) = self.row.split_at_mut(HEAD.len());
        let fresh = f64::from(u8::from(reply == Reply::Fresh));
        head.copy_from_slice(&[self.tick as f64 * self.plan.period, self.sequence.state().code(), fresh]);
        let m = self.asked.len();
        let (columns, gauges) = columns.split_at_mut(COLUMNS.len() * m);
        gauges.iter_mut().zip(seen[m..].iter().chain(&felt[m..])).for_each(|(x, reading)| *x = *reading);
        for (i, row) in columns.chunks_exact_mut(COLUMNS.len()).enumerate() {
            let (target, k) = (self.stroke[i], self.estimates[i].stiffness());
            row.copy_from_slice(&[target, self.asked[i], self.command[i], seen[i], felt[i], target - seen[i], k]);
        }
        if !tape.push(&self.row) {
            self.dropped += 1;
        }
    }
}
