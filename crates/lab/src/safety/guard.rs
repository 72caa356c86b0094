//! Limits, checked at every sample.

use super::{Action, Alarm, Trip, graver};

/// A limit and what follows when it is passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watch {
    /// The limit, SI; its meaning is that of the [`Trip`].
    pub limit: f64,
    /// Samples in a row that must pass it before it counts.
    pub samples: u32,
    /// What follows.
    pub action: Action,
}

impl Watch {
    /// Every sample counts.
    pub const fn new(limit: f64, action: Action) -> Self {
        Watch { limit, samples: 1, action }
    }
}

/// The limits of a rig; `None` is not watched. Lost connections and numbers that are not finite always are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest commanded stroke, m.
    pub displacement: Option<Watch>,
    /// Largest commanded velocity, m/s.
    pub velocity: Option<Watch>,
    /// Largest measured force of an actuator, N.
    pub force: Option<Watch>,
    /// Largest distance of target and measured displacement, m.
    pub tracking: Option<Watch>,
    /// Largest energy fed in by the tracking error, over the largest energy stored in the specimen.
    pub energy: Option<Watch>,
    /// The same over the last second.
    pub indicator: Option<Watch>,
    /// Travel of the command while a sensor stands still, m.
    pub frozen: Option<Watch>,
    /// Samples in a row without readings: `samples` counts, the limit is not used.
    pub missing: Option<Watch>,
    /// Commands that were not ready in time.
    pub deadline: Option<Watch>,
    /// Samples that could not be recorded.
    pub recorder: Option<Watch>,
    /// What follows a number that is not finite.
    pub not_finite: Action,
    /// What follows a lost connection.
    pub gone: Action,
}

impl Default for Limits {
    /// What can be judged without knowing the rig: numbers, silence, a recorder that fails.
    fn default() -> Self {
        Limits {
            displacement: None,
            velocity: None,
            force: None,
            tracking: None,
            energy: None,
            indicator: None,
            frozen: None,
            missing: Some(Watch { limit: 0.0, samples: 10, action: Action::Hold }),
            deadline: None,
            recorder: Some(Watch::new(0.0, Action::Warn)),
            not_finite: Action::Abort,
            gone: Action::Abort,
        }
    }
}

impl Limits {
    /// Nothing is watched but what cannot be left unwatched.
    pub fn none() -> Self {
        Limits { missing: None, recorder: None, ..Limits::default() }
    }
}

/// What one actuator was asked and seen to do in a sample.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Where it should be, m.
    pub target: f64,
    /// What it was sent, m.
    pub command: f64,
    /// Where it was seen, m.
    pub reached: f64,
    /// Force, N.
    pub force: f64,
}

/// A specimen that moves does more work on its way than this share of what its noise does.
const MOVING: f64 = 0.1;

/// What the guard remembers of an actuator.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    seen: Option<Seen>,
    /// Energy of the tracking error: all, and of the last second.
    energy: [f64; 2],
    /// Largest energy stored so far.
    stored: f64,
    /// Work on the way of the target, and on the tracking error, both without their sign: which of them is noise.
    through: f64,
    churn: f64,
    /// Travel of the command since the displacement and the force sensor last changed.
    travel: [f64; 2],
    /// Samples in a row beyond each limit.
    counts: [u32; 7],
}

/// Watches over one rig.
#[derive(Clone, Debug)]
pub struct Guard {
    limits: Limits,
    period: f64,
    actuators: Vec<Past>,
    missing: u32,
}

impl Guard {
    /// A guard over `actuators`, sampled every `period` seconds.
    pub fn new(limits: Limits, actuators: usize, period: f64) -> Self {
        Guard { limits, period, actuators: vec![Past::default(); actuators], missing: 0 }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Looks at actuator `i` in this sample: the gravest of what tripped, with what follows.
    pub fn look(&mut self, i: usize, now: Seen) -> Option<Alarm> {
        let past = self.actuators.get_mut(i)?;
        let alarm = |trip, action| Some(Alarm { trip, action, actuator: Some(i as u16) });
        let numbers = [now.target, now.command, now.reached, now.force];
        if numbers.iter().any(|x| !x.is_finite()) {
            return alarm(Trip::NotFinite, self.limits.not_finite);
        }
        let before = past.seen.replace(now).unwrap_or(now);
        let moved = (now.command - before.command).abs();
        for (travel, still) in past.travel.iter_mut().zip([now.reached == before.reached, now.force == before.force]) {
            *travel = if still { *travel + moved } else { 0.0 };
        }
        // ∫ f d(target - reached): what the structure believes to have given to the specimen, and did not. Negative where the
        // specimen lags.
        let error = |s: &Seen| s.target - s.reached;
        let fed = 0.5 * (now.force + before.force) * (error(&now) - error(&before));
        past.energy[0] += fed;
        // A leaky sum with a time constant of one second.
        past.energy[1] += fed - past.energy[1] * self.period.min(1.0);
        past.stored = past.stored.max(0.5 * (now.force * now.reached).abs());
        past.through += (now.force * (now.target - before.target)).abs();
        past.churn += fed.abs();
        // Before the motion begins all energy is that of noise, and says nothing.
        let moving = past.through > MOVING * past.churn;
        let share = |energy: f64| if moving && past.stored > 0.0 { energy / past.stored } else { 0.0 };
        let l = &self.limits;
        let measures = [
            (Trip::Displacement, l.displacement, now.command.abs()),
            (Trip::Velocity, l.velocity, moved / self.period),
            (Trip::Force, l.force, now.force.abs()),
            (Trip::Tracking, l.tracking, error(&now).abs()),
            (Trip::Energy, l.energy, share(past.energy[0]).abs()),
            (Trip::Indicator, l.indicator, share(-past.energy[1])),
            (Trip::Frozen, l.frozen, past.travel[0].max(past.travel[1])),
        ];
        let mut found = None;
        for ((trip, watch, value), count) in measures.into_iter().zip(&mut past.counts) {
            let Some(watch) = watch else { continue };
            *count = if value > watch.limit { *count + 1 } else { 0 };
            if *count >= watch.samples {
                found = graver(found, alarm(trip, watch.action));
            }
        }
        found
    }

    /// Notes whether readings arrived.
    pub fn heard(&mut self, fresh: bool) -> Option<Alarm> {
        self.missing = if fresh { 0 } else { self.missing.saturating_add(1) };
        let watch = self.limits.missing?;
        (self.missing >= watch.samples.max(1)).then(|| Alarm::new(Trip::Missing, watch.action))
    }

    /// Energy error of all actuators, ∫ f d(target - reached), over the largest energy stored: negative where a lag feeds
    /// energy into the structure.
    pub fn energy_error(&self) -> f64 {
        let (fed, stored) = self.actuators.iter().fold((0.0, 0.0), |(f, s), a| (f + a.energy[0], s + a.stored));
        if stored > 0.0 { fed / stored } else { 0.0 }
    }
}
