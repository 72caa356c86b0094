//! What a careful colleague would say about a model that can be run, but perhaps not as meant: missing mass or stiffness,
//! steps too coarse, loads that do nothing, units that look wrong.
//!
//! Every remark is a [`Problem`] about a part of the model, so that it can be shown where that part was written. The
//! limits are wide on purpose: a remark that is wrong once is not read again.
//! **Must not be here:** mistakes (the parser and the assembly refuse those), text of the file.

use interfield_kernel::element::AnyLaw;
use interfield_kernel::element::path::PathLaw;

use crate::Structure;
use crate::modal::Modal;
use crate::restraint;
use interfield_language::model::short_name;
use interfield_language::model::{Damping, Kind, Load, Support};
use interfield_language::signal::{Motion, Signal};
use interfield_language::units::{Dimension, GRAVITY, significant, time_to};
use interfield_language::{Problem, Subject};

/// Fewer points per period than this show a mode wrongly: a tenth of the period per step costs some per cent of
/// frequency with most schemes.
const POINTS_PER_PERIOD: f64 = 10.0;
/// Fewer points per period than this do not show the mode at all.
const GROSS: f64 = 2.0;
/// Longest and shortest plausible fundamental periods, s: the tallest towers swing in ten seconds, a stiff specimen on a
/// table in some milliseconds.
const PERIODS: (f64, f64) = (10.0, 5e-3);
/// Plausible peaks of a ground motion, in g: a handful of records exceed 2, none comes near 5.
const GROUND_PEAKS: (f64, f64) = (1e-4, 3.0);
/// Neighbouring masses further apart than this are nearly always kg beside t beside something else.
const MASS_RATIO: f64 = 1e6;
/// Largest mass of one node that is not doubted where lengths are written in millimetres or less, kg: 10 000 t.
const MASS_IN_MILLIMETRES: f64 = 1e7;
/// A force that a motion begins with may be off by this share before it is told, against a walk of so many increments.
const FAR_START: f64 = 1e-4;
const FINE_WALK: u32 = 256;
/// A record that ends with more than this share of its peak was cut off.
const CUT_OFF: f64 = 0.05;
/// An analysis that goes on for so many times the length of a load waits for nothing.
const LONG_REST: f64 = 3.0;
/// Up to so many samples are a shape drawn by hand, whose corners may fall where they like.
const DRAWN: usize = 20;
/// Strong motion: between these shares of the integral of the squared acceleration (Trifunac and Brady 1975).
const STRONG_MOTION: (f64, f64) = (0.05, 0.95);

/// What to do about numbers that look wrong.
const PLAIN_NUMBERS: &str = "check the units of both: a plain number is in the units of the file";

/// What is known beside the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knowledge<'a> {
    /// The modes; without them nothing is said about stiffness, periods and steps.
    pub modal: Option<&'a Modal>,
    /// Largest Ω = ω dt for which the scheme is stable; `None` if it always is.
    pub stability_limit: Option<f64>,
    /// Whether the end of the analysis was chosen for this once, so that cutting a record short is no accident.
    pub duration_is_overridden: bool,
}

/// All remarks about a model.
pub fn advise(structure: &Structure, known: &Knowledge<'_>) -> Vec<Problem> {
    if structure.model.analysis.statics {
        // Nothing moves in time.
        return restraint::uneven_stiffnesses(&structure.model).into_iter().collect();
    }
    let mut found = Vec::new();
    for i in 0..structure.model.loads.len() {
        load(structure, i, known, &mut found);
    }
    supports(structure, &mut found);
    whole_steps(structure, &mut found);
    missing_mass(structure, &mut found);
    let masses = uneven_masses(structure);
    let uneven = restraint::uneven_stiffnesses(&structure.model);
    large_yield(structure, &mut found);
    far_starts(structure, &mut found);
    if let Some(modal) = known.modal {
        modes(structure, modal, uneven.is_some() || masses.is_some(), &mut found);
        step(structure, modal, known.stability_limit, &mut found);
    }
    found.extend(uneven);
    found.extend(masses);
    found
}

fn load(structure: &Structure, index: usize, known: &Knowledge<'_>, found: &mut Vec<Problem>) {
    let a = &structure.model.analysis;
    let load = &structure.model.loads[index];
    let (Load::Ground { signal, .. } | Load::Force { signal, .. }) = load;
    let mut warn = |subject, message: String, help: &str| found.push(Problem::warning(subject, message, help));
    let subject = Subject::Load(index);
    let peak = signal.peak().unwrap_or_else(|| peak_of_formula(signal, a.duration));
    if peak == 0.0 {
        warn(subject, "this load is zero at all times".to_owned(), "give it a value, or remove the load");
        return;
    }
    if matches!(load, Load::Ground { .. }) && !(GROUND_PEAKS.0..=GROUND_PEAKS.1).contains(&(peak / GRAVITY)) {
        let message = format!("the ground accelerates with a peak of {} g", digits(peak / GRAVITY));
        let help = "check the unit of the record: a plain number is in the units of the model; write \"0.3 g\", or \
            give `unit` for a record file";
        warn(subject, message, help);
    }
    let Some((start, end, last)) = extent(signal) else { return };
    if start < -1e-9 * a.duration {
        let message =
            format!("this load begins at {}, before the analysis; that part has no effect", time_to(start, 3));
        warn(subject, message, "shift its times so that it begins at 0 s");
    } else if start >= a.duration {
        let message = format!("this load begins at {}, after the end of the analysis", time_to(start, 3));
        warn(subject, message, "use a longer `duration`, or shift its times");
    }
    if end < a.duration - a.dt && last.abs() > CUT_OFF * peak {
        let share = 100.0 * last.abs() / peak;
        let message =
            format!("this load ends at {} at {share:.0} % of its peak and then jumps to zero", time_to(end, 3));
        warn(subject, message, "end the analysis at that time, or let the load decrease to zero");
    }
    if sampling(signal).is_some() && end > 0.0 && a.duration > LONG_REST * end {
        let message = format!(
            "this load ends at {}, and the analysis continues to {} without it",
            time_to(end, 3),
            time_to(a.duration, 3)
        );
        warn(subject, message, "check the time step of the record, or use a shorter `duration`");
    }
    if let Some(interval) = sampling(signal) {
        let name = structure.model.load_names.get(index).filter(|n| !n.is_empty());
        let of = name.map_or_else(|| format!("load {}", index + 1), |n| format!("`{n}`"));
        found.extend(missed(a.dt, interval, &of));
    }
    let mut warn = |subject, message: String, help: &str| found.push(Problem::warning(subject, message, help));
    if matches!(load, Load::Ground { .. })
        && !known.duration_is_overridden
        && let Some((from, to)) = strong_motion(signal).filter(|(_, to)| *to > a.duration * (1.0 + 1e-9))
    {
        let message = format!(
            "the analysis ends at {}, but the strong motion lasts from {} to {}",
            time_to(a.duration, 3),
            time_to(from, 3),
            time_to(to, 3)
        );
        warn(Subject::Duration, message, "use a longer `duration`");
    }
}

/// Samples at an interval that steps miss.
fn missed(dt: f64, interval: f64, of: &str) -> Option<Problem> {
    let (step, between) = (time_to(dt, 7), time_to(interval, 7));
    if dt > 1.001 * interval {
        let message = format!(
            "the step of {step} is longer than the sampling interval of {between} of {of}: some samples are skipped"
        );
        return Some(Problem::warning(Subject::Step, message, "use the sampling interval of the record or less"));
    }
    let steps = (interval / dt).round();
    if (interval / dt - steps).abs() <= 1e-6 * steps {
        return None;
    }
    let message = format!(
        "the step of {step} does not divide the sampling interval of {between} of {of}: peaks between \
            steps are lost"
    );
    let help = format!("use a whole number of steps per sample: dt = \"{between}/{}\"", (interval / dt).ceil());
    Some(Problem::warning(Subject::Step, message, &help))
}

/// Imposed motions that steps miss, or that stop at once.
fn supports(structure: &Structure, found: &mut Vec<Problem>) {
    let a = &structure.model.analysis;
    for (i, dof) in structure.model.dofs.iter().enumerate() {
        let Support::Imposed(Motion::Cubic { times, pieces }) = &dof.support else { continue };
        if times.len() > DRAWN {
            found.extend(
                median_interval(times).and_then(|dt| missed(a.dt, dt, &format!("the motion of `{}`", dof.name))),
            );
        }
        let (Some(&end), Some(start)) = (times.last(), times.iter().rev().nth(1)) else { continue };
        let peak = pieces.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
        let last = pieces.last().map_or(0.0, |[_, v, a, j]| v + (end - start) * (a + (end - start) * j / 2.0));
        if end < a.duration - a.dt && last.abs() > CUT_OFF * peak {
            let share = 100.0 * last.abs() / peak.max(last.abs());
            let message = format!(
                "the motion of `{}` ends at {} at {share:.0} % of its peak velocity and then stops abruptly",
                dof.name,
                time_to(end, 3)
            );
            let help = "end the analysis at that time, or let the velocity decrease to zero";
            found.push(Problem::warning(Subject::Dof(i), message, help));
        }
    }
}

/// A duration between two steps.
fn whole_steps(structure: &Structure, found: &mut Vec<Problem>) {
    let a = &structure.model.analysis;
    let end = a.steps() as f64 * a.dt;
    // So many steps that rounding moves the end are whole enough.
    if a.steps() > 0 && (a.duration - end).abs() > (1e-3 * a.dt).max(1e-8 * a.duration) {
        let message = format!(
            "the step of {} does not divide the duration of {}: the run ends at {}",
            time_to(a.dt, 7),
            time_to(a.duration, 7),
            time_to(end, 7)
        );
        let help = format!("write for example dt = \"{}/{}\"", time_to(a.duration, 7), (a.duration / a.dt).ceil());
        found.push(Problem::warning(Subject::Step, message, &help));
    }
}

/// A formula looked at 1001 times.
fn peak_of_formula(signal: &Signal, until: f64) -> f64 {
    (0..=1000).map(|i| signal.value(until * f64::from(i) / 1000.0).abs()).fold(0.0, f64::max)
}

/// First and last time of samples, and the last value.
fn extent(signal: &Signal) -> Option<(f64, f64, f64)> {
    match signal {
        Signal::Samples { start, dt, values } => {
            Some((*start, start + dt * (values.len() - 1) as f64, *values.last()?))
        }
        Signal::Points(p) => p.first().zip(p.last()).map(|(a, b)| (a.0, b.0, b.1)),
        Signal::Constant(_) | Signal::Harmonic { .. } | Signal::Formula(_) => None,
    }
}

/// Usual interval between samples: the median, so that one steep flank does not count.
fn sampling(signal: &Signal) -> Option<f64> {
    match signal {
        Signal::Samples { dt, values, .. } if values.len() > DRAWN => Some(*dt),
        Signal::Points(p) if p.len() > DRAWN => median_interval(&p.iter().map(|p| p.0).collect::<Vec<_>>()),
        _ => None,
    }
}

fn median_interval(times: &[f64]) -> Option<f64> {
    let mut intervals: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    intervals.sort_by(f64::total_cmp);
    intervals.get(intervals.len() / 2).copied()
}

/// Begin and end of the strong motion of a record with equal steps.
fn strong_motion(signal: &Signal) -> Option<(f64, f64)> {
    let Signal::Samples { start, dt, values } = signal else { return None };
    let total: f64 = values.iter().map(|a| a * a).sum();
    let reached = |share: f64| {
        let mut sum = 0.0;
        let i = values.iter().position(|a| {
            sum += a * a;
            sum >= share * total
        });
        i.map(|i| start + dt * i as f64)
    };
    reached(STRONG_MOTION.0).zip(reached(STRONG_MOTION.1))
}

/// A ground motion that loads nothing, because nothing along it has a mass.
fn missing_mass(structure: &Structure, found: &mut Vec<Problem>) {
    let (pattern, mass, _) = structure.matrices();
    let mut load = vec![0.0; pattern.n()];
    for (i, l) in structure.model.loads.iter().enumerate() {
        let Load::Ground { direction, .. } = l else { continue };
        let iota: Vec<f64> = structure.unknowns().map(|n| f64::from(short_name(n) == direction)).collect();
        pattern.mul(&mass, &iota, &mut load);
        if load.iter().all(|f| *f == 0.0) {
            let message =
                format!("no degree of freedom along `{direction}` has a mass: this ground motion has no effect");
            let help = "give the nodes a `mass`, or the members a density `rho`";
            found.push(Problem::warning(Subject::Load(i), message, help));
        }
    }
}

/// Connected translations whose masses differ beyond all reason.
fn uneven_masses(structure: &Structure) -> Option<Problem> {
    let (pattern, mass, _) = structure.matrices();
    let dof = |i: usize| &structure.model.dofs[structure.free()[i]];
    let of = |i: usize| pattern.position(i, i).map_or(0.0, |p| mass[p]);
    let shown = |i: usize| structure.model.units.show(of(i), Dimension::MASS, 3);
    let moving = |i: &usize| !dof(*i).angle && of(*i) > 0.0;
    let mut all: Vec<f64> = (0..pattern.n()).filter(moving).map(of).collect();
    all.sort_by(f64::total_cmp);
    for i in (0..pattern.n()).filter(moving) {
        let neighbours = pattern.columns(i).iter().map(|&j| j as usize);
        let small =
            neighbours.filter(|j| moving(j) && of(i) > MASS_RATIO * of(*j)).min_by(|&a, &b| of(a).total_cmp(&of(b)));
        let Some(j) = small else { continue };
        // The one that is further from the usual is to blame.
        let usual = all[all.len() / 2];
        let [blamed, other] = if of(i) / usual >= usual / of(j) { [i, j] } else { [j, i] };
        let message = format!(
            "`{}` has a mass of {}, its neighbour `{}` {}",
            dof(blamed).name,
            shown(blamed),
            dof(other).name,
            shown(other)
        );
        let subject = Subject::Mass(structure.free()[blamed]);
        return Some(Problem::warning(subject, message, PLAIN_NUMBERS));
    }
    let small_lengths = structure.model.units.factor(Dimension::LENGTH) <= 1e-3;
    let heaviest = (0..pattern.n()).filter(moving).max_by(|&a, &b| of(a).total_cmp(&of(b)));
    let i = heaviest.filter(|&i| small_lengths && of(i) > MASS_IN_MILLIMETRES)?;
    let unit = structure.model.units.label(Dimension::MASS);
    let message = format!(
        "`{}` has a mass of {} in a model whose lengths are in {}",
        dof(i).name,
        shown(i),
        structure.model.units.label(Dimension::LENGTH)
    );
    let help = format!("check the unit: a plain number is in {unit} here; write \"20 t\" or \"20000 kg\"");
    Some(Problem::warning(Subject::Mass(structure.free()[i]), message, &help))
}

/// A law that is moved along its path comes to its first deformation in one increment, whose error no step reduces.
fn far_starts(structure: &Structure, found: &mut Vec<Problem>) {
    for (i, e) in structure.model.elements.iter().enumerate() {
        let Kind::Law { law, coordinates, path: true } = &e.kind else { continue };
        let (Some(law), [coordinate]) = (PathLaw::of(law), coordinates.as_slice()) else { continue };
        let start: f64 = coordinate.iter().map(|(dof, factor)| factor * structure.model.dofs[*dof].u0).sum();
        let [once, fine] = [law.come(start), law.walk(start, FINE_WALK)].map(|memory| law.force(memory));
        let off = (once - fine).abs() / fine.abs().max(f64::MIN_POSITIVE);
        if start != 0.0 && off > FAR_START {
            let message = format!(
                "element `{}` starts deformed and is loaded from rest in one increment: the error of its initial \
                    force is {} %",
                e.name,
                digits(100.0 * off)
            );
            let help = "write memory = \"state\" with an `initial` state, or deform it by a load";
            found.push(Problem::warning(Subject::Element(i), message, help));
        }
    }
}

/// Elements that yield at a displacement larger than the whole structure.
fn large_yield(structure: &Structure, found: &mut Vec<Problem>) {
    let spread = |axis: usize| {
        let at = structure.model.nodes.iter().map(|n| n.at[axis]);
        at.clone().fold(f64::NEG_INFINITY, f64::max) - at.fold(f64::INFINITY, f64::min)
    };
    let size = (0..3).map(spread).fold(0.0, f64::max);
    let shown = |x: f64| structure.model.units.show(x, Dimension::LENGTH, 3);
    for (i, e) in structure.model.elements.iter().enumerate() {
        let Kind::Law { law, coordinates, .. } = &e.kind else { continue };
        let turns = coordinates.iter().flatten().any(|c| structure.model.dofs[c.0].angle);
        let yields = match law {
            AnyLaw::BoucWen(b) => ultimate_force(b.0.k, b.0.beta + b.0.gamma, b.0.n) / b.0.k,
            AnyLaw::ModifiedBoucWen(b) => ultimate_force(b.0.k, b.0.beta + b.0.gamma, b.0.n) / b.0.k,
            AnyLaw::DegradingBoucWen(b) => b.0.xy,
            AnyLaw::Mostaghel(b) => b.0.delta,
            _ => continue,
        };
        if size > 0.0 && !turns && yields.is_finite() && yields > size {
            let message = format!(
                "element `{}` yields at {}, more than the size of the whole structure, {}",
                e.name,
                shown(yields),
                shown(size)
            );
            found.push(Problem::warning(Subject::Element(i), message, "check the units of its parameters"));
        }
    }
}

/// Force at which a Bouc-Wen law stops rising, see its file.
fn ultimate_force(k: f64, shape: f64, n: f64) -> f64 {
    if shape > 0.0 { (k / shape).powf(1.0 / n) } else { f64::INFINITY }
}

fn modes(structure: &Structure, modal: &Modal, uneven: bool, found: &mut Vec<Problem>) {
    let dof = |mode: usize| modal.moves_most.get(mode).and_then(|&i| structure.free().get(i)).copied();
    let causes = if modal.omega2.iter().any(|w| *w <= 0.0) { restraint::causes(&structure.model) } else { Vec::new() };
    let known = uneven || !causes.is_empty();
    found.extend(causes);
    let mut told = Vec::new();
    for (mode, &omega2) in modal.omega2.iter().enumerate().filter(|(_, w)| !known && **w <= 0.0) {
        let Some(d) = dof(mode).filter(|d| !told.contains(d)) else { continue };
        told.push(d);
        let name = &structure.model.dofs[d].name;
        let (message, help) = if omega2 == 0.0 {
            let message = format!("`{name}` is not restrained: mode {} has no stiffness", mode + 1);
            (message, "connect it to a support or to its neighbours, or fix it, unless free drift is intended")
        } else {
            let message = format!("`{name}` is unstable: the stiffness of mode {} is negative", mode + 1);
            (message, "check the signs of stiffnesses and of lengths of pendulums, and the initial state")
        };
        found.push(Problem::warning(Subject::Dof(d), message, help));
    }
    damping(structure, modal, found);
    let first = (0..modal.omega2.len()).find(|&m| modal.omega2[m] > 0.0);
    if let Some((mode, period)) = first.and_then(|m| Some((m, modal.period(m)?)))
        && !(PERIODS.1..=PERIODS.0).contains(&period)
        && !known
    {
        let message = format!("the fundamental period is {} s", digits(period));
        let help = "check the units of masses and stiffnesses: a plain number is in the units of the file";
        found.push(Problem::warning(dof(mode).map_or(Subject::Model, Subject::Dof), message, help));
    }
}

/// Modes that grow by their damping, and those that matter but hardly move because of it.
fn damping(structure: &Structure, modal: &Modal, found: &mut Vec<Problem>) {
    let told = structure.warnings.iter().any(|w| w.subject == Subject::Damping);
    let size = modal.damping.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if let Some(mode) = modal.damping.iter().position(|c| *c < -1e-12 * size).filter(|_| !told) {
        let how = modal.ratio(mode).map_or_else(String::new, |z| format!(" ({} %)", digits(100.0 * z)));
        let message = format!("the damping of mode {} is negative{how}: its motion grows without load", mode + 1);
        let help = "check the signs of dashpots and of damping matrices, unless this is intended";
        let subject = restraint::driving(&structure.model).map_or(Subject::Model, Subject::Dashpot);
        found.push(Problem::warning(subject, message, help));
    }
    let last = modal.last_that_matters().unwrap_or(0);
    let Some((mode, ratio)) = (0..=last).find_map(|m| Some((m, modal.ratio(m).filter(|z| *z > 1.0)?))) else { return };
    let help = match structure.model.damping {
        // Ratios that are given so high have been doubted where they stand.
        Damping::RayleighModes { ratios, .. } if ratios.iter().all(|r| *r <= 1.0) => {
            "choose `modes` further apart, or use one `ratio`"
        }
        Damping::Rayleigh { .. } => "check `a0` (1/s) and `a1` (s): a mode has the ratio a0/(2 omega) + a1 omega/2",
        _ => return,
    };
    let message = format!("mode {} is overdamped: {} % of critical", mode + 1, digits(100.0 * ratio));
    found.push(Problem::warning(Subject::Damping, message, help));
}

fn step(structure: &Structure, modal: &Modal, stability: Option<f64>, found: &mut Vec<Problem>) {
    let dt = structure.model.analysis.dt;
    let omega = modal.omega_max * dt;
    if let Some(limit) = stability.filter(|limit| omega > *limit) {
        let message = format!(
            "the run is unstable with this step: omega dt = {} in the highest mode, but `{}` is stable up to {}",
            digits(omega),
            structure.model.analysis.scheme_name,
            digits(limit)
        );
        let help = format!("use dt = \"{}\" or less, or an implicit scheme", time_to(limit / modal.omega_max, 3));
        found.push(Problem::warning(Subject::Step, message, &help));
        return;
    }
    let last = modal.last_that_matters();
    if let Some((mode, period)) = last.and_then(|m| Some((m, modal.period(m)?)))
        && period < POINTS_PER_PERIOD * dt * (1.0 - 1e-9)
    {
        if structure.model.analysis.steps() == 0 {
            return;
        }
        let message = format!(
            "the step is too coarse for mode {} (the modes up to it have 90 % of the mass): {} points per period of \
                {} s",
            mode + 1,
            digits(period / dt),
            digits(period)
        );
        let help = format!("use dt = \"{}\" or less", time_to(period / POINTS_PER_PERIOD, 3));
        if period < GROSS * dt {
            // All else that can be said of such a step is the same mistake.
            found.retain(|p| p.subject != Subject::Step);
        }
        found.push(Problem::warning(Subject::Step, message, &help));
    }
}

/// Three significant digits.
fn digits(x: f64) -> String {
    significant(x, 3)
}
