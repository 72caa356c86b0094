//! Limits, checked at every sample in every state.

use interfield_kernel::Archive;

use super::{Action, Alarm, Trip, graver};
use crate::guard::Bound;

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

/// The limits of a rig, or of one of its actuators; `None` is not watched. Lost connections and numbers that are not finite
/// always are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest commanded stroke, m.
    pub displacement: Option<Watch>,
    /// Largest commanded velocity, m/s.
    pub velocity: Option<Watch>,
    /// Largest commanded acceleration, m/s².
    pub acceleration: Option<Watch>,
    /// Largest commanded jerk, m/s³: the guard keeps it, and nothing follows.
    pub jerk: Option<f64>,
    /// Largest measured force of an actuator, N.
    pub force: Option<Watch>,
    /// Fastest change of a measured force, N/s.
    pub force_rate: Option<Watch>,
    /// Largest measured stroke, m.
    pub measured_displacement: Option<Watch>,
    /// Largest measured velocity, m/s.
    pub measured_velocity: Option<Watch>,
    /// Largest measured acceleration, m/s².
    pub measured_acceleration: Option<Watch>,
    /// Largest distance of target and measured displacement, m.
    pub tracking: Option<Watch>,
    /// Largest energy fed in by the tracking error, over the largest energy stored in the specimen.
    pub energy: Option<Watch>,
    /// The same over the last second.
    pub indicator: Option<Watch>,
    /// Travel of the command while a sensor stands still, m.
    pub frozen: Option<Watch>,
    /// Largest error by which a redundant transducer contradicts the others, m.
    pub disagreement: Option<Watch>,
    /// Largest distance of a measured force from its load, N: of an actuator in force control.
    pub load_error: Option<Watch>,
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
            missing: Some(Watch { limit: 0.0, samples: 10, action: Action::Hold }),
            recorder: Some(Watch::new(0.0, Action::Warn)),
            ..Limits::none()
        }
    }
}

impl Limits {
    /// Nothing is watched but what cannot be left unwatched.
    pub fn none() -> Self {
        Limits {
            displacement: None,
            velocity: None,
            acceleration: None,
            jerk: None,
            force: None,
            force_rate: None,
            measured_displacement: None,
            measured_velocity: None,
            measured_acceleration: None,
            tracking: None,
            energy: None,
            indicator: None,
            frozen: None,
            disagreement: None,
            load_error: None,
            missing: None,
            deadline: None,
            recorder: None,
            not_finite: Action::Abort,
            gone: Action::Abort,
        }
    }

    /// Those of these limits that have no unit: what is left for an actuator whose stroke is of another kind.
    #[must_use]
    pub fn without_motion(self) -> Self {
        let Limits { energy, indicator, missing, deadline, recorder, not_finite, gone, .. } = self;
        Limits { energy, indicator, missing, deadline, recorder, not_finite, gone, ..Limits::none() }
    }

    /// Those of a measured actuator, in the order of [`MEASURED`].
    pub fn watches(&self) -> [Option<Watch>; MEASURES] {
        [
            self.measured_displacement,
            self.measured_velocity,
            self.measured_acceleration,
            self.force,
            self.force_rate,
            self.tracking,
            self.energy,
            self.indicator,
            self.frozen,
            self.displacement,
            self.velocity,
        ]
    }

    /// These limits of an actuator, and those of its rig where it has none of its own.
    pub fn or(self, rig: Limits) -> Self {
        Limits {
            displacement: self.displacement.or(rig.displacement),
            velocity: self.velocity.or(rig.velocity),
            acceleration: self.acceleration.or(rig.acceleration),
            jerk: self.jerk.or(rig.jerk),
            force: self.force.or(rig.force),
            force_rate: self.force_rate.or(rig.force_rate),
            measured_displacement: self.measured_displacement.or(rig.measured_displacement),
            measured_velocity: self.measured_velocity.or(rig.measured_velocity),
            measured_acceleration: self.measured_acceleration.or(rig.measured_acceleration),
            tracking: self.tracking.or(rig.tracking),
            energy: self.energy.or(rig.energy),
            indicator: self.indicator.or(rig.indicator),
            frozen: self.frozen.or(rig.frozen),
            disagreement: self.disagreement.or(rig.disagreement),
            load_error: self.load_error.or(rig.load_error),
            ..rig
        }
    }
}

/// What one actuator was asked and seen to do in a sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Where it should be, m.
    pub target: f64,
    /// What it was sent, m.
    pub command: f64,
    /// Where it was seen, m.
    pub reached: f64,
    /// Force, N.
    pub force: f64,
    /// Whether it was led along the targets of the structure; else it was braked or led home, and lags as it lags.
    pub led: bool,
}

/// A specimen that moves does more work on its way than this share of what its noise does.
const MOVING: f64 = 0.1;
/// Time constant of measured rates, s: what is faster is noise of the sensors.
const SMOOTH: f64 = 5e-3;
/// Commands of this time, s, are what a sensor may still show when nobody compensates the lag of an actuator.
const LAG: f64 = 0.05;
/// A trip that was told is told again when it has grown by this factor.
const WORSE: f64 = 1.2;

/// An actuator that cannot follow for this time, s, is held.
const REFUSED: f64 = 5e-3;

/// The first of the measures, which can grow worse; the others are sums.
const MAGNITUDES: usize = 6;
/// Measures of an actuator, in the order of their counts.
pub const MEASURES: usize = 11;
/// What each of them is a measure of.
pub const MEASURED: [Trip; MEASURES] = [
    Trip::MeasuredDisplacement,
    Trip::MeasuredVelocity,
    Trip::MeasuredAcceleration,
    Trip::Force,
    Trip::ForceRate,
    Trip::Tracking,
    Trip::Energy,
    Trip::Indicator,
    Trip::Frozen,
    Trip::Displacement,
    Trip::Velocity,
];

/// What the monitor remembers of an actuator.
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
    /// Measured velocity, acceleration and rate of force, smooth.
    rates: [f64; 3],
    /// Lowest and highest of the last commands.
    span: Option<[f64; 2]>,
    /// Samples in a row in which too large a displacement or velocity was asked for.
    asked: [u32; 2],
    /// Samples in a row beyond each limit.
    counts: [u32; MEASURES],
    /// What each measure was when it was told; zero: it was not.
    reported: [f64; MEASURES],
    /// Whether it was told that a reading is no number.
    invalid: bool,
    /// What was compared with the limits in this sample.
    measures: [f64; MEASURES],
}

/// What was found in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The gravest of what was not told before.
    pub alarm: Option<Alarm>,
    /// Whether anything that holds, or more, lasts.
    pub lasts: bool,
}

impl Found {
    /// Both.
    pub fn and(self, other: Found) -> Found {
        Found { alarm: graver(self.alarm, other.alarm), lasts: self.lasts || other.lasts }
    }

    /// An alarm that lasts.
    pub fn of(alarm: Alarm) -> Found {
        Found { alarm: Some(alarm), lasts: alarm.action >= Action::Hold }
    }

    /// The same, if it was told before: it lasts, and is not told again.
    pub fn unless(self, reported: bool) -> Found {
        Found { alarm: self.alarm.filter(|_| !reported), ..self }
    }
}

/// Watches over one rig.
#[derive(Clone, Debug)]
pub struct Monitor {
    limits: Vec<Limits>,
    rig: Limits,
    period: f64,
    /// Actuators, then sensors of their own.
    actuators: Vec<Past>,
    sensors: usize,
    missing: u32,
    silent: bool,
    /// Samples in a row in which transducers contradicted each other, and by how much when it was told.
    contradicted: u32,
    contradiction: f64,
    /// By how much they do now, m (rad).
    contradicting: f64,
}

impl Monitor {
    /// A monitor over a rig, with the limits of each of its actuators, sampled every `period` seconds.
    pub fn new(rig: Limits, actuators: Vec<Limits>, period: f64) -> Self {
        let past = vec![Past::default(); actuators.len()];
        Monitor {
            limits: actuators,
            rig,
            period,
            actuators: past,
            sensors: 0,
            missing: 0,
            silent: false,
            contradicted: 0,
            contradiction: 0.0,
            contradicting: 0.0,
        }
    }

    /// The same over sensors of their own besides: they are looked at as actuators are, by the numbers that follow theirs.
    #[must_use]
    pub fn with_sensors(mut self, sensors: Vec<Limits>) -> Self {
        self.sensors += sensors.len();
        self.actuators.resize(self.actuators.len() + sensors.len(), Past::default());
        self.limits.extend(sensors);
        self
    }

    /// The limits of the rig.
    pub fn limits(&self) -> &Limits {
        &self.rig
    }

    /// The limits of an actuator, or of a sensor behind them, in the order of [`MEASURED`].
    pub fn watches(&self, i: usize) -> [Option<Watch>; MEASURES] {
        self.limits.get(i).map_or([None; MEASURES], Limits::watches)
    }

    /// What was compared with them in the last sample.
    pub fn measures(&self, i: usize) -> [f64; MEASURES] {
        self.actuators.get(i).map_or([0.0; MEASURES], |a| a.measures)
    }

    /// Samples in a row without readings.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// By how much redundant transducers contradicted each other when it was looked at last, m (rad).
    pub fn contradicting(&self) -> f64 {
        self.contradicting
    }

    /// The smallest limit of that, if any transducer has one.
    pub fn disagreement(&self) -> Option<Watch> {
        self.limits.iter().filter_map(|l| l.disagreement).min_by(|a, b| a.limit.total_cmp(&b.limit))
    }

    /// The limit of the tracking error of an actuator, m.
    pub fn tracking(&self, i: usize) -> Option<f64> {
        self.limits.get(i)?.tracking.map(|w| w.limit)
    }

    /// Saves or restores what it has seen.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        let Monitor {
            limits: _,
            rig: _,
            period: _,
            sensors: _,
            actuators,
            missing,
            silent,
            contradicted,
            contradiction,
            contradicting: _,
        } = self;
        actuators.iter_mut().for_each(|past| past.persist(archive));
        archive.whole(missing);
        archive.flag(silent);
        archive.whole(contradicted);
        archive.number(contradiction);
    }

    /// What an actuator is asked for, before it leaves; `sent` is what left last.
    pub fn asked(&mut self, i: usize, asked: f64, sent: f64) -> Option<Alarm> {
        let (Some(past), Some(l)) = (self.actuators.get_mut(i), self.limits.get(i)) else { return None };
        if !asked.is_finite() {
            return Some(Alarm::at(Trip::NotFinite, self.rig.not_finite, i));
        }
        let measures = [
            (Trip::Displacement, l.displacement, asked.abs()),
            (Trip::Velocity, l.velocity, (asked - sent).abs() / self.period),
        ];
        let mut alarm = None;
        for ((trip, watch, value), count) in measures.into_iter().zip(&mut past.asked) {
            // What only warns is told of what was sent.
            let Some(watch) = watch.filter(|w| w.action > Action::Warn) else { continue };
            *count = if value > watch.limit { count.saturating_add(1) } else { 0 };
            if *count >= watch.samples {
                alarm = graver(alarm, Some(Alarm::at(trip, watch.action, i)));
            }
        }
        alarm
    }

    /// What follows when the guard does not let a command of an actuator through, `times` in a row, for this reason.
    pub fn refused(&self, i: usize, bound: Bound, times: u32) -> Option<Alarm> {
        let l = self.limits.get(i)?;
        // A single command too sudden is only smoothed; what would leave the envelope counts at once.
        let (trip, watch, least) = match bound {
            Bound::Number => return Some(Alarm::at(Trip::NotFinite, self.rig.not_finite, i)),
            Bound::Position => (Trip::Displacement, l.displacement, 1.0),
            Bound::Velocity => (Trip::Velocity, l.velocity, REFUSED / self.period),
            Bound::Acceleration | Bound::Jerk => (Trip::Acceleration, l.acceleration, REFUSED / self.period),
        };
        let often = least.ceil().max(f64::from(watch.map_or(1, |w| w.samples)));
        // A limit that only warns is not what the guard keeps: the actuator itself can do no more.
        let action = watch.map_or(Action::Hold, |w| w.action.max(Action::Hold));
        (f64::from(times) >= often).then(|| Alarm::at(trip, action, i))
    }

    /// Looks at actuator `i` in this sample.
    pub fn look(&mut self, i: usize, now: Seen) -> Found {
        let (Some(past), Some(l)) = (self.actuators.get_mut(i), self.limits.get(i)) else { return Found::default() };
        let numbers = [now.target, now.command, now.reached, now.force];
        if numbers.iter().any(|x| !x.is_finite()) {
            let again = std::mem::replace(&mut past.invalid, true);
            return Found::of(Alarm::at(Trip::NotFinite, self.rig.not_finite, i)).unless(again);
        }
        past.invalid = false;
        let values = past.measure(now, self.period);
        past.measures = values;
        let mut found = Found::default();
        for (m, (trip, watch)) in MEASURED.into_iter().zip(l.watches()).enumerate() {
            // The commands themselves were judged before they left.
            let judged = matches!(trip, Trip::Displacement | Trip::Velocity);
            let Some(watch) = watch.filter(|w| !judged || w.action == Action::Warn) else { continue };
            let (value, reported) = (values[m], &mut past.reported[m]);
            past.counts[m] = if value > watch.limit { past.counts[m].saturating_add(1) } else { 0 };
            if past.counts[m] == 0 {
                *reported = 0.0;
            } else if past.counts[m] >= watch.samples {
                found.lasts |= watch.action >= Action::Hold;
                // Sums grow by themselves while what they count lasts.
                let grows = m < MAGNITUDES && value > WORSE * *reported;
                if *reported == 0.0 || grows {
                    *reported = value.max(f64::MIN_POSITIVE);
                    found.alarm = graver(found.alarm, Some(Alarm::at(trip, watch.action, i)));
                }
            }
        }
        found
    }

    /// Notes whether readings arrived.
    pub fn heard(&mut self, fresh: bool) -> Found {
        self.missing = if fresh { 0 } else { self.missing.saturating_add(1) };
        let lasting = self.rig.missing.filter(|w| self.missing >= w.samples.max(1));
        let Some(watch) = lasting else {
            self.silent = false;
            return Found::default();
        };
        let again = std::mem::replace(&mut self.silent, true);
        Found::of(Alarm::new(Trip::Missing, watch.action)).unless(again)
    }

    /// Redundant transducers: number `i` seems wrong by `error`, the others by nothing; `known` if it can be no other. What it must not exceed
    /// is a limit of that transducer.
    pub fn contradicted(&mut self, i: usize, error: f64, known: bool) -> Found {
        self.contradicting = error;
        let watch = self.limits.get(i).and_then(|l| l.disagreement).filter(|w| error > w.limit);
        let Some(watch) = watch else {
            (self.contradicted, self.contradiction) = (0, 0.0);
            return Found::default();
        };
        self.contradicted = self.contradicted.saturating_add(1);
        if self.contradicted < watch.samples {
            return Found::default();
        }
        let told = self.contradiction > 0.0 && error <= WORSE * self.contradiction;
        if !told {
            self.contradiction = error;
        }
        let alarm = Alarm { actuator: known.then_some(i as u16), ..Alarm::new(Trip::Disagreement, watch.action) };
        Found::of(alarm).unless(told)
    }

    /// What lasts is told again, because the test went on all the same.
    pub fn forget(&mut self) {
        self.actuators.iter_mut().for_each(|a| (a.reported, a.invalid) = ([0.0; MEASURES], false));
        (self.silent, self.contradiction) = (false, 0.0);
    }

    /// Energy error of all actuators, ∫ f d(target - reached), over the largest energy stored: negative where a lag feeds
    /// energy into the structure.
    pub fn energy_error(&self) -> f64 {
        let moved = &self.actuators[..self.actuators.len() - self.sensors];
        let (fed, stored) = moved.iter().fold((0.0, 0.0), |(f, s), a| (f + a.energy[0], s + a.stored));
        if stored > 0.0 { fed / stored } else { 0.0 }
    }
}

impl Past {
    fn persist(&mut self, archive: &mut dyn Archive) {
        let Past {
            seen,
            energy,
            stored,
            through,
            churn,
            travel,
            rates,
            span,
            asked,
            counts,
            reported,
            invalid,
            measures: _,
        } = self;
        archive.option(seen, Seen::default(), |archive, seen| {
            let Seen { target, command, reached, force, led } = seen;
            archive.numbers([target, command, reached, force]);
            archive.flag(led);
        });
        archive.numbers([stored, through, churn].into_iter().chain(energy).chain(travel).chain(rates).chain(reported));
        archive.option(span, [0.0; 2], |archive, span| archive.numbers(span));
        asked.iter_mut().chain(counts).for_each(|count| archive.whole(count));
        archive.flag(invalid);
    }

    /// What is compared with the limits, in their order.
    fn measure(&mut self, now: Seen, period: f64) -> [f64; MEASURES] {
        let before = self.seen.replace(now).unwrap_or(now);
        let moved = (now.command - before.command).abs();
        for (travel, still) in self.travel.iter_mut().zip([now.reached == before.reached, now.force == before.force]) {
            *travel = if still { *travel + moved } else { 0.0 };
        }
        let share = (period / SMOOTH).min(1.0);
        let velocity = self.rates[0];
        self.rates[0] += share * ((now.reached - before.reached) / period - self.rates[0]);
        self.rates[1] += share * ((self.rates[0] - velocity) / period - self.rates[1]);
        self.rates[2] += share * ((now.force - before.force) / period - self.rates[2]);
        let [low, high] = self.span.unwrap_or([now.command; 2]);
        let fade = (period / LAG).min(1.0);
        self.span = Some([
            now.command.min(low + fade * (now.command - low)),
            now.command.max(high + fade * (now.command - high)),
        ]);
        let astray = match self.span {
            Some([low, high]) if !now.led => (low - now.reached).max(now.reached - high).max(0.0),
            _ => (now.target - now.reached).abs(),
        };
        self.add_energy(now, before, period);
        // Before the motion begins all energy is that of noise, and says nothing.
        let moving = self.through > MOVING * self.churn;
        let share = |energy: f64| if moving && self.stored > 0.0 { energy / self.stored } else { 0.0 };
        [
            now.reached.abs(),
            self.rates[0].abs(),
            self.rates[1].abs(),
            now.force.abs(),
            self.rates[2].abs(),
            astray,
            share(self.energy[0]).abs(),
            share(-self.energy[1]),
            self.travel[0].max(self.travel[1]),
            now.command.abs(),
            moved / period,
        ]
    }

    /// ∫ f d(target - reached): what the structure believes to have given to the specimen, and did not. Negative where the
    /// specimen lags.
    fn add_energy(&mut self, now: Seen, before: Seen, period: f64) {
        if !(now.led && before.led) {
            return;
        }
        let error = |s: &Seen| s.target - s.reached;
        let fed = 0.5 * (now.force + before.force) * (error(&now) - error(&before));
        self.energy[0] += fed;
        // A leaky sum with a time constant of one second.
        self.energy[1] += fed - self.energy[1] * period.min(1.0);
        self.stored = self.stored.max(0.5 * (now.force * now.reached).abs());
        self.through += (now.force * (now.target - before.target)).abs();
        self.churn += fed.abs();
    }
}
