//! `[specimen.limits]` and `limits` of an actuator: one entry for each limit.

use interfield_lab::safety::{Action, Limits, Watch};

use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::schema;

section! {
    /// Of a specimen.
    pub(super) LIMITS = ("limits", "[specimen.limits]", "Limits of a specimen. The default action is ramp-down (hold \
        for acceleration, jerk, frozen and missing; warn for deadline and recorder).").more(|| described(&[OF_ACTUATORS, OF_TRANSDUCERS, OF_SPECIMENS]));
    NOT_FINITE: Choice<(Action, &'static str)> =
        choice("not_finite", &Action::ALL, "Action if a measurement is NaN (not a \
            number).").default("abort").example("abort");
    GONE: Choice<(Action, &'static str)> =
        choice("gone", &Action::ALL, "Action after a lost connection.").default("abort").example("abort");
}

section! {
    /// Of an actuator.
    pub(super) ACTUATOR_LIMITS = ("actuator-limits", "limits = { force = ... }", "Limits of one actuator.")
        .more(|| described(&[OF_ACTUATORS]));
}

section! {
    /// Of a transducer.
    pub(super) TRANSDUCER_LIMITS = ("transducer-limits", "limits = { frozen = ... }", "Limits of one transducer.")
        .more(|| described(&[SHOWN_BY_TRANSDUCERS, OF_TRANSDUCERS]));
}

section! {
    /// Of a load cell.
    pub(super) LOAD_CELL_LIMITS = ("load-cell-limits", "limits = { force = ... }", "Limits of one load cell.")
        .more(|| described(&[SHOWN_BY_LOAD_CELLS]));
}

section! {
    LIMIT = ("limit", "force = { at = ..., action = ... }", "A limit with its action.");
    AT: Limited = key("at", "Value of the limit.").required().range(NOT_NEGATIVE);
    SAMPLES: Whole = key("samples", "Number of consecutive samples above the limit that trigger the \
        action.").range(from(1.0)).default("1").example("3");
    ACTION: Choice<(Action, &'static str)> = choice("action", &Action::ALL, "Action: write to the log (warn), hold \
        until the cause is gone (hold), return to the start position (ramp-down), or brake and switch off \
        (abort).").example("hold");
}

/// A limit: its key, what follows by default, and where it goes.
type Limit = (&'static dyn Watched, Action, fn(&mut Limits, Watch));

/// Limits by the names of their fields, each with what it measures, what follows by default, and an example.
macro_rules! limits {
    ($($field:ident: $measure:ty, $action:ident, $doc:literal, $example:literal;)*) => {
        &[$((
            &limit::<$measure>(stringify!($field), $doc).example($example),
            Action::$action,
            |limits, watch| limits.$field = Some(Kept::of(watch)),
        )),*]
    };
}

/// What is kept of a limit.
trait Kept {
    fn of(watch: Watch) -> Self;
}

impl Kept for Watch {
    fn of(watch: Watch) -> Self {
        watch
    }
}

impl Kept for f64 {
    fn of(watch: Watch) -> Self {
        watch.limit
    }
}

/// What must not happen to an actuator.
static OF_ACTUATORS: &[Limit] = limits! {
    displacement: Stroke, RampDown, "Largest commanded stroke; larger commands are never sent.", "90 mm";
    velocity: StrokeRate, RampDown, "Largest commanded velocity; faster commands are never sent.", "400 mm/s";
    acceleration: StrokeAcceleration, Hold, "Largest commanded acceleration; larger ones are never sent.", "20 m/s^2";
    jerk: StrokeJerk, Hold, "Largest commanded jerk; larger ones are never sent.", "500 m/s^3";
    force: Force, RampDown, "Largest measured force.", "200 kN";
    force_rate: ForceRate, RampDown, "Fastest change of a measured force.", "2000 kN/s";
    measured_displacement: Stroke, RampDown, "Largest measured stroke.", "95 mm";
    measured_velocity: StrokeRate, RampDown, "Largest measured velocity.", "500 mm/s";
    measured_acceleration: StrokeAcceleration, RampDown, "Largest measured acceleration.", "30 m/s^2";
    tracking: Stroke, RampDown, "Largest difference between target and measured displacement.", "5 mm";
    energy: Pure, RampDown, "Energy of the tracking error, relative to the largest stored energy.", "0.1";
    indicator: Pure, RampDown, "Energy added by the tracking error within one second, relative to the largest stored \
        energy: detects a loop that becomes unstable.", "0.05";
    frozen: Stroke, Hold, "Travel of the command while a sensor does not change.", "1 mm";
    load_error: Force, RampDown, "Largest difference between the load and the measured force of an actuator in force \
        control, for 20 ms; 20 % of its load if absent.", "60 kN";
};

/// What redundant transducers must not do.
static OF_TRANSDUCERS: &[Limit] = limits! {
    disagreement: Stroke, RampDown, "Largest error by which a redundant transducer contradicts the others.", "0.5 mm";
};

/// What a transducer must not show besides.
static SHOWN_BY_TRANSDUCERS: &[Limit] = limits! {
    measured_displacement: Stroke, RampDown, "Largest measured displacement.", "95 mm";
    measured_velocity: StrokeRate, RampDown, "Largest measured velocity.", "500 mm/s";
    measured_acceleration: StrokeAcceleration, RampDown, "Largest measured acceleration.", "30 m/s^2";
    frozen: Stroke, Hold, "Travel of the actuators along its direction while it does not change.", "1 mm";
};

/// What a load cell must not show.
static SHOWN_BY_LOAD_CELLS: &[Limit] = limits! {
    force: Force, RampDown, "Largest measured force.", "200 kN";
    force_rate: ForceRate, RampDown, "Fastest change of the measured force.", "2000 kN/s";
    frozen: Stroke, Hold, "Travel of the actuators along its direction while it does not change.", "1 mm";
};

/// What must not happen to a specimen besides.
static OF_SPECIMENS: &[Limit] = limits! {
    missing: Pure, Hold, "Consecutive samples without measurements.", "10";
    deadline: Pure, Warn, "Number of targets that arrived too late.", "5";
    recorder: Pure, Warn, "Number of samples that could not be recorded.", "0";
};

/// A limit by itself, or a table with what follows.
const fn limit<M: Plain>(name: &'static str, doc: &'static str) -> Key<Or<M, Inner>> {
    of(Or(M::KIND, Inner(&LIMIT)), name, doc).range(NOT_NEGATIVE)
}

fn described(lists: &[&'static [Limit]]) -> Vec<schema::Key> {
    lists.iter().flat_map(|l| l.iter()).map(|l| l.0.describe()).collect()
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
    for (key, action, set) in list {
        if let Some(watch) = key.watch(table, *action) {
            set(limits, watch);
        }
    }
}

/// `limits` of one actuator.
pub(super) fn own(table: Table<'_>) -> Limits {
    gather(table, &[OF_ACTUATORS])
}

/// `limits` of one transducer.
pub(super) fn of_transducer(table: Table<'_>) -> Limits {
    gather(table, &[SHOWN_BY_TRANSDUCERS, OF_TRANSDUCERS])
}

/// `limits` of one load cell.
pub(super) fn of_load_cell(table: Table<'_>) -> Limits {
    gather(table, &[SHOWN_BY_LOAD_CELLS])
}

fn gather(table: Table<'_>, lists: &[&[Limit]]) -> Limits {
    let mut limits = nothing();
    lists.iter().for_each(|list| apply(list, &table, &mut limits));
    table.finish();
    limits
}

/// What must not happen to a specimen.
pub(super) fn read(context: &Context<'_>, table: Table<'_>) -> Limits {
    let mut limits = Limits::default();
    apply(OF_ACTUATORS, &table, &mut limits);
    apply(OF_TRANSDUCERS, &table, &mut limits);
    apply(OF_SPECIMENS, &table, &mut limits);
    if let Some(missing) = limits.missing.as_mut().filter(|_| table.has("missing")) {
        if missing.limit < 1.0 || missing.limit != missing.limit.trunc() {
            let message = format!("`missing` is a whole number of samples from 1, found {}", missing.limit);
            context.error(table.place("missing"), message, "write for example missing = 10");
        }
        missing.samples = missing.limit.max(1.0) as u32;
    }
    limits.not_finite = table.value(&NOT_FINITE).0;
    limits.gone = table.value(&GONE).0;
    table.finish();
    limits
}
