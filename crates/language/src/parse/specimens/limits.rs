//! `[specimen.limits]` and `limits` of an actuator: one entry for each limit.

use interfield_lab::safety::{Action, Limits, Watch};

use crate::key::kinds::Plain;
use crate::key::{
    Choice, Described, Either, Force, ForceRate, Inner, Key, Limited, Measure, NOT_NEGATIVE, Or, Pure, Stroke,
    StrokeAcceleration, StrokeJerk, StrokeRate, Whole, choice, from, key, of, section,
};
use crate::parse::Context;
use crate::reader::Table;
use crate::schema;

section! {
    /// Of a specimen.
    pub(super) LIMITS = ("limits", "[specimen.limits]", "What must not happen to a specimen. A limit by itself ramps down \
        (acceleration, jerk, frozen and missing hold, deadline and recorder warn).").more(|| described(&[OF_ACTUATORS, OF_SPECIMENS]));
    NOT_FINITE: Choice<(Action, &'static str)> =
        choice("not_finite", &Action::ALL, "What follows a number that is none.").default("abort").example("abort");
    GONE: Choice<(Action, &'static str)> =
        choice("gone", &Action::ALL, "What follows a lost connection.").default("abort").example("abort");
}

section! {
    /// Of an actuator.
    pub(super) ACTUATOR_LIMITS = ("actuator-limits", "limits = { force = ... }", "What must not happen to one actuator.")
        .more(|| described(&[OF_ACTUATORS]));
}

section! {
    LIMIT = ("limit", "force = { at = ..., action = ... }", "A limit with what follows.");
    AT: Limited = key("at", "The limit.").required().range(NOT_NEGATIVE);
    SAMPLES: Whole = key("samples", "Samples in a row that must pass it.").range(from(1.0)).default("1").example("3");
    ACTION: Choice<(Action, &'static str)> = choice("action", &Action::ALL, "What follows: it is logged, held until it is gone, led \
        home, or braked and switched off.").example("hold");
}

/// A limit: its key, what follows by default, and where it goes.
struct Limit {
    key: &'static dyn Watched,
    action: Action,
    set: fn(&mut Limits, Watch),
}

/// What must not happen to an actuator.
static OF_ACTUATORS: &[Limit] = &[
    Limit {
        key: &limit::<Stroke>("displacement", "Largest commanded stroke; nothing beyond it is ever sent.")
            .example("90 mm"),
        action: Action::RampDown,
        set: |l, w| l.displacement = Some(w),
    },
    Limit {
        key: &limit::<StrokeRate>("velocity", "Largest commanded velocity; nothing faster is ever sent."),
        action: Action::RampDown,
        set: |l, w| l.velocity = Some(w),
    },
    Limit {
        key: &limit::<StrokeAcceleration>(
            "acceleration",
            "Largest commanded acceleration; nothing more sudden is ever sent.",
        ),
        action: Action::Hold,
        set: |l, w| l.acceleration = Some(w),
    },
    Limit {
        key: &limit::<StrokeJerk>("jerk", "Largest commanded jerk; nothing above is ever sent."),
        action: Action::Hold,
        set: |l, w| l.jerk = Some(w.limit),
    },
    Limit {
        key: &limit::<Force>("force", "Largest measured force.").example("200 kN"),
        action: Action::RampDown,
        set: |l, w| l.force = Some(w),
    },
    Limit {
        key: &limit::<ForceRate>("force_rate", "Fastest change of a measured force."),
        action: Action::RampDown,
        set: |l, w| l.force_rate = Some(w),
    },
    Limit {
        key: &limit::<Stroke>("measured_displacement", "Largest measured stroke.").example("95 mm"),
        action: Action::RampDown,
        set: |l, w| l.measured_displacement = Some(w),
    },
    Limit {
        key: &limit::<StrokeRate>("measured_velocity", "Largest measured velocity."),
        action: Action::RampDown,
        set: |l, w| l.measured_velocity = Some(w),
    },
    Limit {
        key: &limit::<StrokeAcceleration>("measured_acceleration", "Largest measured acceleration."),
        action: Action::RampDown,
        set: |l, w| l.measured_acceleration = Some(w),
    },
    Limit {
        key: &limit::<Stroke>("tracking", "Largest distance of target and measured displacement."),
        action: Action::RampDown,
        set: |l, w| l.tracking = Some(w),
    },
    Limit {
        key: &limit::<Pure>("energy", "Energy of the tracking error over the largest energy stored.").example("0.1"),
        action: Action::RampDown,
        set: |l, w| l.energy = Some(w),
    },
    Limit {
        key: &limit::<Pure>(
            "indicator",
            "Energy fed in by the tracking error within a second over the largest stored: a loop becoming unstable.",
        ),
        action: Action::RampDown,
        set: |l, w| l.indicator = Some(w),
    },
    Limit {
        key: &limit::<Stroke>("frozen", "Travel of the command while a sensor stands still.").example("1 mm"),
        action: Action::Hold,
        set: |l, w| l.frozen = Some(w),
    },
];

/// What must not happen to a specimen besides.
static OF_SPECIMENS: &[Limit] = &[
    Limit {
        key: &MISSING,
        action: Action::Hold,
        set: |l, w| l.missing = Some(Watch { samples: w.limit.max(1.0) as u32, ..w }),
    },
    Limit {
        key: &limit::<Pure>("deadline", "Targets that were not there in time.").example("5"),
        action: Action::Warn,
        set: |l, w| l.deadline = Some(w),
    },
    Limit {
        key: &limit::<Pure>("recorder", "Samples that could not be recorded.").example("0"),
        action: Action::Warn,
        set: |l, w| l.recorder = Some(w),
    },
];

const MISSING: Key<Or<Pure, Inner>> = limit("missing", "Samples in a row without readings.").example("10");

/// A limit by itself, or a table with what follows.
const fn limit<M: Plain>(name: &'static str, doc: &'static str) -> Key<Or<M, Inner>> {
    of(Or(M::KIND, Inner(&LIMIT)), name, doc).range(NOT_NEGATIVE)
}

fn described(lists: &[&'static [Limit]]) -> Vec<schema::Key> {
    lists.iter().flat_map(|l| l.iter()).map(|l| l.key.describe()).collect()
}

/// The key of a limit, whatever it measures.
trait Watched: Described {
    /// Reads it, with what follows by default.
    fn watch(&self, table: &Table<'_>, action: Action) -> Option<Watch>;
}

impl<M: Measure> Watched for Key<Or<M, Inner>> {
    fn watch(&self, table: &Table<'_>, action: Action) -> Option<Watch> {
        match table.read(self)?.value {
            Either::First(limit) => Some(Watch::new(limit, action)),
            Either::Second(inner) => {
                let inner = inner.along(self.kind.0.dimension(table.displacement()));
                let limit = inner.read(&AT);
                let samples = inner.value(&SAMPLES).min(i64::from(u32::MAX)) as u32;
                let action = inner.read(&ACTION).map_or(action, |a| a.value.0);
                inner.finish();
                Some(Watch { limit: limit?.value, samples, action })
            }
        }
    }
}

/// No limits of its own.
pub(super) fn nothing() -> Limits {
    Limits::none()
}

fn apply(list: &[Limit], table: &Table<'_>, limits: &mut Limits) {
    for limit in list {
        if let Some(watch) = limit.key.watch(table, limit.action) {
            (limit.set)(limits, watch);
        }
    }
}

/// `limits` of one actuator.
pub(super) fn own(table: Table<'_>) -> Limits {
    let mut limits = nothing();
    apply(OF_ACTUATORS, &table, &mut limits);
    table.finish();
    limits
}

/// What must not happen to a specimen.
pub(super) fn read(context: &Context<'_>, table: Table<'_>) -> Limits {
    let mut limits = Limits::default();
    apply(OF_ACTUATORS, &table, &mut limits);
    apply(OF_SPECIMENS, &table, &mut limits);
    if let Some(w) = limits.missing.filter(|w| table.has(&MISSING) && (w.limit < 1.0 || w.limit != w.limit.trunc())) {
        let message = format!("`missing` is a whole number of samples from 1, found {}", w.limit);
        context.error(table.place(&MISSING), message, "write for example missing = 10");
    }
    limits.not_finite = table.value(&NOT_FINITE).0;
    limits.gone = table.value(&GONE).0;
    table.finish();
    limits
}
