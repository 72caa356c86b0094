//! `[specimen.plant]`: the dynamics of all actuators together, with what they do to one another; one entry for each `type`.

use interfield_lab::plant::{Complex64, Rational, StateSpace};

use crate::diag::{Diagnostic, did_you_mean};
use crate::key::*;
use crate::parse::Context;
use crate::parse::matrices::{self, Matrix};
use crate::reader::{Spanned, Table};
use crate::schema::merged;
use crate::specimen::{Actuator, Dynamics};
use crate::units::Dimension;

/// A way to write a plant.
type PlantType = Type<fn(&Context<'_>, &Table<'_>, &[Actuator]) -> Option<StateSpace>>;

const TYPES: &[PlantType] = &[
    Type::new(
        "transfer-matrix",
        "Transfer functions from the commands of actuators to their strokes, by their names.",
        &[TRANSFER_MATRIX],
        transfer_matrix,
    ),
    Type::new(
        "state-space",
        "z' = a z + b u, y = c z + d u: commands u and strokes y in the order of the actuators.",
        &[STATE_SPACE],
        state_space,
    ),
];

section! {
    /// All actuators together.
    pub(super) PLANT = ("plant", "[specimen.plant]",
        "Dynamics of all actuators together, with their interaction, as identified. Strokes are in the units of the \
            file; time is in s. Delay and limits of each actuator still apply.").more(|| merged(TYPE.name, TYPES));
    TYPE: Choice<PlantType> = choice("type", TYPES, "How it is written.").required().example("transfer-matrix");
}

section! {
    [TRANSFER_MATRIX];
    ENTRIES: Tables = tables("entry", &ENTRY, "Its entries; those that are absent are zero.")
        .example("[{ command = \"east\", stroke = \"east\", numerator = [1], denominator = [0.01, 1] }]");
    SHARED: List<Number> = key("denominator", "Denominator of entries without one of their own, the highest power first.")
        .example("[0.01, 1]");
    SHARED_POLES: List<Or<AngularFrequency, List<AngularFrequency>>> =
        key("poles", "Poles of entries without poles of their own.").example("[\"-2.65 Hz\", [\"-50 Hz\", \"63 Hz\"]]");
}

section! {
    ENTRY = ("plant-entry", "[[specimen.plant.entry]]",
        "One transfer function: numerator over denominator, or zeros, poles and gain.");
    COMMAND: Text = key("command", "Name of the actuator that is commanded.").required().example("east");
    STROKE: Text = key("stroke", "Name of the actuator whose stroke follows.").required().example("east");
    NUMERATOR: List<Number> = key("numerator", "Coefficients of s, the highest power first.").example("[1]");
    DENOMINATOR: List<Number> = key("denominator", "Coefficients of s, the highest power first.").example("[0.01, 1]");
    ZEROS: List<Or<AngularFrequency, List<AngularFrequency>>> =
        key("zeros", "Zeros: a real one as a number, a pair as [real part, imaginary part].").example("[\"-120 Hz\"]");
    POLES: List<Or<AngularFrequency, List<AngularFrequency>>> =
        key("poles", "Poles: a real one as a number, a pair as [real part, imaginary part].")
        .example("[\"-2.65 Hz\", [\"-50 Hz\", \"63 Hz\"]]");
    GAIN: Number = key("gain", "Gain: factor of the product of (s - zero) over that of (s - pole), in rad/s.").example("2165.2");
}

section! {
    [STATE_SPACE];
    A: Or<Rows, Text> = matrix("a", "State matrix, 1/s: rows, or the name of a Matrix Market file.");
    B: Or<Rows, Text> = matrix("b", "Input matrix, a column per actuator: rows, or the name of a Matrix Market file.");
    C: Or<Rows, Text> = matrix("c", "Output matrix, a row per actuator: rows, or the name of a Matrix Market file.");
    D: Or<Rows, Text> = matrix("d", "Direct path; zero if absent. Rows, or the name of a Matrix Market file.");
}

const fn matrix(name: &'static str, doc: &'static str) -> Key<Or<Rows, Text>> {
    key(name, doc).example("[[-100]]")
}

/// Roots as they are written.
type Roots = Key<List<Or<AngularFrequency, List<AngularFrequency>>>>;

/// Largest deviation of the gain at rest from one, and of the interaction from none, that is not remarked.
const USUAL: f64 = 0.25;

/// The plant in a table, for these actuators, whose delays it has; `None` after a mistake that has been reported.
pub(super) fn read(context: &Context<'_>, t: &Table<'_>, actuators: &[Actuator]) -> Option<StateSpace> {
    let kind = t.read(&TYPE);
    if kind.is_none() {
        // Its keys cannot be judged.
        t.ignore_all();
    }
    let found = (kind?.value.read)(context, t, actuators)?;
    let delays = actuators.iter().map(|a| a.delay[0]).collect();
    let found = StateSpace { delays, ..found };
    is_stable(context, t, &found).then(|| {
        doubt(context, t, &found, actuators);
        found
    })
}

/// Actuators that move together have no dynamics of their own.
pub(super) fn check_actuators(context: &Context<'_>, tables: &[Table<'_>], actuators: &[Actuator]) {
    for (t, a) in tables.iter().zip(actuators).filter(|(_, a)| a.dynamics != Dynamics::Ideal) {
        let place = t.glimpse(TYPE.name).unwrap_or_else(|| t.span());
        let message = format!("`plant` describes all actuators, and actuator `{}` has dynamics of its own", a.name);
        context.error(place, message, "remove `type` here, or `plant`; `delay` and limits may stay");
    }
}

fn is_stable(context: &Context<'_>, t: &Table<'_>, plant: &StateSpace) -> bool {
    let Some(worst) = plant.poles().into_iter().max_by(|a, b| a.re.total_cmp(&b.re)) else {
        if plant.order > 0 {
            context.error(t.span(), "the poles of this plant cannot be computed", "check the size of its numbers");
        }
        return plant.order == 0;
    };
    // A pole at zero is one but for rounding.
    let size = plant.poles().iter().map(|p| p.norm()).fold(0.0, f64::max);
    if worst.re < -1e-12 * size {
        return true;
    }
    let at =
        if worst.im == 0.0 { format!("{:.6}", worst.re) } else { format!("{:.6} ± {:.6}i", worst.re, worst.im.abs()) };
    let message = format!("this plant is not stable: it has a pole at {at} rad/s");
    context.error(
        t.span(),
        message,
        "all poles need a negative real part: check signs, and the order of the coefficients",
    );
    false
}

fn doubt(context: &Context<'_>, t: &Table<'_>, plant: &StateSpace, actuators: &[Actuator]) {
    let Some(dc) = plant.dc() else { return };
    let m = plant.actuators;
    let units: Vec<f64> = actuators.iter().map(|a| stroke(context, a)).collect();
    for (row, column) in (0..m * m).map(|k| (k / m, k % m)) {
        // Lengths beside angles: any gain may be usual.
        if row != column && actuators[row].turns != actuators[column].turns {
            continue;
        }
        let gain = dc[row * m + column] * units[column] / units[row];
        let expected = f64::from(u8::from(row == column));
        if (gain - expected).abs() > USUAL {
            let (from, to) = (&actuators[column].name, &actuators[row].name);
            let message = match row == column {
                true => format!("at rest, a command of 1 to actuator `{from}` moves it by {gain:.4}"),
                false => format!("at rest, a command of 1 to actuator `{from}` moves actuator `{to}` by {gain:.4}"),
            };
            let help = "a servo loop brings a gain near 1 and little interaction; check the order of the coefficients";
            context.diags.push(Diagnostic::warning(message, t.span()).help(help));
        }
    }
}

/// Size in SI of the unit of a stroke.
fn stroke(context: &Context<'_>, actuator: &Actuator) -> f64 {
    actuator.unit(Dimension::LENGTH, &context.scope.units).1
}

fn transfer_matrix(context: &Context<'_>, t: &Table<'_>, actuators: &[Actuator]) -> Option<StateSpace> {
    let m = actuators.len();
    let shared = (t.read(&SHARED), roots(context, t, &SHARED_POLES)?);
    let mut entries: Vec<Option<Rational>> = vec![None; m * m];
    let (tables, mut good) = (t.all(&ENTRIES), true);
    for entry in tables {
        let place = [COMMAND, STROKE].map(|key| entry.read(&key).and_then(|name| named(context, &name, actuators)));
        let rational = rational(context, &entry, &shared);
        if let (&[Some(column), Some(row)], Some(mut found)) = (&place, rational) {
            let unit = stroke(context, &actuators[row]) / stroke(context, &actuators[column]);
            found.numerator.iter_mut().for_each(|b| *b *= unit);
            if entries[row * m + column].replace(found).is_some() {
                let message = format!(
                    "a second entry from the command of `{}` to the stroke of `{}`",
                    actuators[column].name, actuators[row].name
                );
                context.error(entry.span(), message, "keep one of them: parallel paths are one transfer function");
                good = false;
            }
        } else {
            good = false;
        }
        entry.finish();
    }
    if let Some(i) = (0..m).find(|i| good && entries[i * (m + 1)].is_none()) {
        let name = &actuators[i].name;
        let message = format!("actuator `{name}` does not follow its own command: there is no entry for it");
        let help = format!(
            "write entry = [{{ command = \"{name}\", stroke = \"{name}\", numerator = [1], denominator = [0.01, 1] }}, ...]"
        );
        context.error(t.span(), message, help);
        good = false;
    }
    let nothing = Rational { numerator: Vec::new(), denominator: vec![1.0] };
    let entries: Vec<Rational> = entries.into_iter().map(|e| e.unwrap_or_else(|| nothing.clone())).collect();
    let found = good.then(|| StateSpace::from_transfer_matrix(&entries, m))?;
    if found.is_none() {
        context.error(t.span(), "a number of this plant is not finite", "check the coefficients, poles and gains");
    }
    found
}

/// The actuator of this name.
fn named(context: &Context<'_>, name: &Spanned<String>, actuators: &[Actuator]) -> Option<usize> {
    let found = actuators.iter().position(|a| a.name == name.value);
    if found.is_none() {
        let names: Vec<&str> = actuators.iter().map(|a| a.name.as_str()).collect();
        let help = did_you_mean(&name.value, names.iter().copied());
        let help = help.unwrap_or_else(|| format!("its actuators are {}", names.join(", ")));
        context.error(name.span.clone(), format!("the specimen has no actuator `{}`", name.value), help);
    }
    found
}

/// Coefficients and poles that entries may share.
type Shared = (Option<Spanned<Vec<Spanned<f64>>>>, Option<Vec<Complex64>>);

/// One entry; coefficients from the constant upwards.
fn rational(context: &Context<'_>, t: &Table<'_>, (denominator, poles): &Shared) -> Option<Rational> {
    let by_roots = t.has(&ZEROS) || t.has(&POLES) || t.has(&GAIN);
    let (numerator, own) = (t.read(&NUMERATOR), t.read(&DENOMINATOR));
    let (zeros, own_poles) = (roots(context, t, &ZEROS), roots(context, t, &POLES));
    let gain = t.read(&GAIN);
    if by_roots && (t.has(&NUMERATOR) || t.has(&DENOMINATOR)) {
        let message = "an entry has a numerator and a denominator, or zeros, poles and a gain";
        context.error(t.span(), message, "remove one of the two");
        return None;
    }
    let rising = |l: &Spanned<Vec<Spanned<f64>>>| l.value.iter().rev().map(|x| x.value).collect::<Vec<f64>>();
    let found = if by_roots {
        let poles = own_poles?.or_else(|| poles.clone());
        let Some((gain, poles)) = gain.zip(poles) else {
            context.error(
                t.span(),
                "zeros and poles need a gain, and a gain needs poles",
                "write gain = 1 and poles = [\"-5 Hz\"]",
            );
            return None;
        };
        Rational::from_roots(&zeros?.unwrap_or_default(), &poles, gain.value)
    } else {
        let below = own.as_ref().or(denominator.as_ref());
        match (&numerator, below, poles) {
            (Some(above), Some(below), _) => Rational { numerator: rising(above), denominator: rising(below) },
            (Some(above), None, Some(poles)) => {
                Rational { numerator: rising(above), ..Rational::from_roots(&[], poles, 1.0) }
            }
            _ => {
                let message =
                    "an entry of a transfer matrix needs a numerator and a denominator, or zeros, poles and a gain";
                context.error(t.span(), message, "write numerator = [1], denominator = [0.01, 1]");
                return None;
            }
        }
    };
    if found.is_improper() || found.denominator.last().is_none_or(|a| *a == 0.0) {
        let message = "the denominator of a transfer function must be of no lower order than its numerator";
        let help = "coefficients of s, the highest power first: 1/(0.01 s + 1) is [1] over [0.01, 1]";
        context.error(t.span(), message, help);
        return None;
    }
    // Leading zeros of the numerator say nothing.
    let length = found.numerator.iter().rposition(|b| *b != 0.0).map_or(0, |last| last + 1);
    Some(Rational { numerator: found.numerator[..length].to_vec(), ..found })
}

/// Roots, both of a pair; `Some(None)` if there are none, `None` after a mistake.
#[allow(clippy::option_option)]
fn roots(context: &Context<'_>, t: &Table<'_>, key: &Roots) -> Option<Option<Vec<Complex64>>> {
    if !t.has(key) {
        return Some(None);
    }
    let mut all = Vec::new();
    for root in t.read(key)?.value {
        match root.value {
            Either::First(real) => all.push(Complex64::new(real, 0.0)),
            Either::Second(parts) => {
                let [real, imaginary] = &parts[..] else {
                    let help = "write [\"-50 Hz\", \"63 Hz\"] for -50 Hz ± 63 Hz i";
                    context.error(root.span, "a pair is written as [real part, imaginary part]", help);
                    return None;
                };
                let pole = Complex64::new(real.value, imaginary.value);
                all.extend([pole, pole.conj()]);
            }
        }
    }
    Some(Some(all))
}

fn state_space(context: &Context<'_>, t: &Table<'_>, actuators: &[Actuator]) -> Option<StateSpace> {
    let m = actuators.len();
    let given = [A, B, C, D].map(|key| matrices::rows(context, t, &key, ""));
    let [Some(a), Some(b), Some(c), Some(d)] = given else { return None };
    let (Matrix::Rows(a), Matrix::Rows(b), Matrix::Rows(c)) = (a, b, c) else {
        context.error(
            t.span(),
            "a state space needs the matrices a, b and c",
            "write a = [[-100]], b = [[100]], c = [[1]]",
        );
        return None;
    };
    let n = a.value.len();
    let units: Vec<f64> = actuators.iter().map(|x| stroke(context, x)).collect();
    let a = matrices::flat(context, A.name, &a, (n, n), |_, _| 1.0);
    let b = matrices::flat(context, B.name, &b, (n, m), |_, j| 1.0 / units[j]);
    let c = matrices::flat(context, C.name, &c, (m, n), |i, _| units[i]);
    let d = match d {
        Matrix::Rows(d) => matrices::flat(context, D.name, &d, (m, m), |i, j| units[i] / units[j]),
        Matrix::Word => Some(vec![0.0; m * m]),
    };
    StateSpace::new([a?, b?, c?, d?], m)
}
