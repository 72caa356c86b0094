//! The loop of structure, controller, actuators and specimens before anything moves: does a motion grow, which one, what would
//! stop it, and how much more delay and gain does the loop bear.

use interfield_analysis::stability::Motion;
use interfield_lab::compensate::Compensation;
use interfield_language::Model;
use interfield_language::specimen::{Actuator, Dynamics, Specimen};
use serde_json::{Value, json};

use super::machine::{Moves, assemble, moves};
use super::words::{guilty, of_motion, where_it_moves};
use super::{FEWER_PRODUCTS, PRODUCTS, judge};
use crate::quantities::{ONE, Quantities, number};
use crate::table::{radius, short, time};

/// Largest delay that is tried, s of the laboratory.
const LONGEST: f64 = 0.25;
/// Largest factor on the measured forces that is tried.
const STRONGEST: f64 = 100.0;
/// Growth per step that is noticed.
const NOTICED: f64 = 1e-6;

/// Where a margin is looked for.
struct Search {
    /// First and last value.
    range: [f64; 2],
    /// Values that are tried before the search is narrowed down.
    coarse: usize,
    /// It is found to this share of itself.
    fine: f64,
}

/// How far a loop is from the first motion that grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Margin {
    /// So much is borne.
    Up(f64),
    /// Everything that was tried is borne.
    Beyond(f64),
    /// The probe is too coarse to tell: it sees growth up to this per step where there may be none.
    Blurred(f64),
}

impl Margin {
    fn json(self) -> Option<f64> {
        if let Margin::Up(x) = self { Some(x) } else { None }
    }
}

/// What was found of a loop.
pub struct Loop {
    /// Whether no motion grows.
    pub stable: bool,
    radius: f64,
    leading: Option<(Motion, Option<Moves>)>,
    /// Whether laws were replaced by their tangents at rest.
    pub small: bool,
    /// Specimens whose compensation learns: the probe knows what they start with.
    pub learning: Vec<String>,
    /// Of a stable loop: additional delay of all actuators (s), factor on all measured forces.
    margins: Option<[Margin; 2]>,
    /// Of an unstable one: changes that stop it.
    remedies: Vec<String>,
}

/// Probes the loop of a model; the error is a sentence.
pub fn examine_loop(model: &Model) -> Result<Loop, String> {
    let (mut machine, small) = assemble(model.clone())?;
    let verdict = judge(&mut machine, PRODUCTS)?;
    let leading = verdict.motions.first().cloned().map(|motion| {
        let place = moves(&machine, &motion);
        (motion, place)
    });
    let learning = model.specimens.iter().filter(|s| s.learns()).map(|s| s.name.clone());
    let mut found = Loop {
        stable: verdict.stable,
        radius: verdict.radius,
        leading,
        small,
        learning: learning.collect(),
        margins: None,
        remedies: Vec::new(),
    };
    if found.stable {
        let period = model.specimens.iter().fold(f64::INFINITY, |m, s| m.min(s.period));
        let delays = Search { range: [0.1 * period, LONGEST], coarse: 16, fine: 1e-3 };
        let gains = Search { range: [0.01, STRONGEST - 1.0], coarse: 8, fine: 1e-2 };
        let delay = margin(model, found.radius, &delays, |a, d| a.delay[0] += d);
        let gain = margin(model, found.radius, &gains, |a, g| a.force.gain *= 1.0 + g);
        let factor = |g: Margin| match g {
            Margin::Up(g) => Margin::Up(1.0 + g),
            Margin::Beyond(g) => Margin::Beyond(1.0 + g),
            blurred => blurred,
        };
        found.margins = Some([delay, factor(gain)]);
    } else {
        found.remedies = remedies(model);
    }
    Ok(found)
}

/// Whether nothing grows after a change of all actuators, by more than `bound` per step.
fn bears(model: &Model, bound: f64, change: impl Fn(&mut Actuator)) -> bool {
    let mut model = model.clone();
    model.specimens.iter_mut().flat_map(|s| &mut s.actuators).for_each(change);
    let verdict = assemble(model).and_then(|(mut machine, _)| Ok(judge(&mut machine, FEWER_PRODUCTS)?));
    verdict.is_ok_and(|v| v.stable && v.radius <= bound)
}

/// How much of a change the loop bears; `radius` is that of the loop without it.
///
/// A radius that leaves this one behind counts as growth, whatever the probe calls it: where a structure is slow beside the step, its probe cannot
/// tell slow growth from a drift, and a margin that is too small is the safe mistake. A radius that is above one already, by rounding, would hide all growth below it: then there is no answer.
fn margin(model: &Model, radius: f64, search: &Search, change: impl Fn(&mut Actuator, f64)) -> Margin {
    if radius > 1.0 + NOTICED {
        return Margin::Blurred(radius);
    }
    let bound = 1.0 + 2.0 * NOTICED;
    let stable = |x: f64| bears(model, bound, |a| change(a, x));
    let [least, most] = search.range;
    let ratio = (most / least).max(2.0).powf(1.0 / search.coarse as f64);
    let mut below = 0.0;
    let first_bad = (0..=search.coarse).map(|i| least * ratio.powi(i as i32)).find(|&x| {
        let good = stable(x);
        if good {
            below = x;
        }
        !good
    });
    let Some(mut above) = first_bad else { return Margin::Beyond(most) };
    while above - below > search.fine * above {
        let middle = 0.5 * (above + below);
        if stable(middle) { below = middle } else { above = middle }
    }
    Margin::Up(below)
}

/// What would stop the growth, by trying.
fn remedies(model: &Model) -> Vec<String> {
    let settled = |model: Model| {
        let verdict = assemble(model).and_then(|(mut machine, _)| Ok(judge(&mut machine, FEWER_PRODUCTS)?));
        verdict.is_ok_and(|v| v.stable)
    };
    let with = |change: &dyn Fn(&mut Model)| {
        let mut model = model.clone();
        change(&mut model);
        settled(model)
    };
    let mut found = Vec::new();
    let bare = |m: &mut Model| {
        for s in &mut m.specimens {
            s.compensation = Compensation::Uncompensated;
            s.actuators.iter_mut().for_each(|a| a.compensation = None);
        }
    };
    let compensated =
        |s: &Specimen| (0..s.actuators.len()).any(|i| *s.compensation_of(i) != Compensation::Uncompensated);
    if model.specimens.iter().any(compensated) && with(&bare) {
        found.push(
            "the compensation causes the instability: without it (`method = \"none\"`) the loop is stable; \
            give it a smaller delay, or use another one"
                .to_owned(),
        );
    }
    let prompt = |m: &mut Model| {
        bare(m);
        for s in &mut m.specimens {
            s.plant = None;
            s.actuators.iter_mut().for_each(|a| (a.dynamics, a.delay) = (Dynamics::Ideal, [0.0; 3]));
        }
    };
    if with(&prompt) {
        found.push(
            "with ideal actuators (no delay) the loop is stable: compensate the whole delay, or use faster actuators"
                .to_owned(),
        );
    }
    let slow = |m: &mut Model| m.specimens.iter_mut().for_each(|s| s.time_scale *= 10.0);
    if with(&slow) {
        found.push("at a tenth of the speed the loop is stable: use a larger `time_scale`".to_owned());
    }
    let fine = |m: &mut Model| m.analysis.dt *= 0.5;
    if with(&fine) {
        found.push(format!("with half the step the loop is stable: --dt \"{}\"", time(0.5 * model.analysis.dt)));
    }
    let soft = |a: &mut Actuator| a.force.gain *= 0.5;
    if bears(model, f64::INFINITY, soft) {
        found.push(
            "with half the measured force the loop is stable: use more mass or damping in the computed \
                structure"
                .to_owned(),
        );
    }
    if found.is_empty() {
        found.push(
            "no single change of compensation, speed, step or force was found that makes the loop \
            stable"
                .to_owned(),
        );
    }
    found
}

impl Loop {
    /// Time in which the growing motion doubles, s of the model.
    pub fn doubling_time(&self) -> Option<f64> {
        self.leading.as_ref().filter(|_| !self.stable).and_then(|(motion, _)| motion.doubling_time())
    }

    /// Additional delay of all actuators at which a motion begins to grow, s of the laboratory; none of a loop that is unstable without it,
    /// or that bears all that was tried.
    pub fn critical_delay(&self) -> Option<f64> {
        self.margins.and_then(|[delay, _]| delay.json())
    }

    /// Whether this is not all of the truth: it holds for small motions, or before anything was learned.
    pub fn is_partial(&self) -> bool {
        self.small || !self.learning.is_empty()
    }

    /// What stands against a test with this loop.
    pub fn objection(&self) -> Option<String> {
        let what = self.leading.as_ref().map_or_else(String::new, |(m, place)| {
            format!(": {} Hz at {}", short(m.frequency()), where_it_moves(place.as_ref()))
        });
        (!self.stable).then(|| format!("the loop is unstable{what}"))
    }

    /// The section of the output.
    pub fn text(&self) -> String {
        let mut out = String::from("\nloop of structure, controller and actuators\n");
        out += match (self.stable, self.is_partial()) {
            (true, _) => "  stable: no motion grows\n",
            (false, false) => "  unstable: a motion grows\n",
            (false, true) => "  unstable at rest: a small motion grows\n",
        };
        if let Some((motion, place)) = self.leading.as_ref().filter(|_| !self.stable) {
            out += &guilty(motion, place.as_ref());
        }
        self.remedies.iter().for_each(|r| out += &format!("  {r}\n"));
        if let Some([delay, gain]) = self.margins {
            out += &match delay {
                Margin::Up(d) => format!("  delay margin: {} ms of additional delay\n", short(1e3 * d)),
                Margin::Beyond(d) => format!("  delay margin: more than {} of additional delay\n", time(d)),
                Margin::Blurred(r) => {
                    format!("  delay margin: unknown, the resolution of the analysis is only {}\n", radius(r))
                }
            };
            out += &match gain {
                Margin::Up(g) => format!("  gain margin: {} times the measured force\n", short(g)),
                Margin::Beyond(g) => format!("  gain margin: more than {} times the measured force\n", short(g)),
                Margin::Blurred(r) => {
                    format!("  gain margin: unknown, the resolution of the analysis is only {}\n", radius(r))
                }
            };
        }
        if self.small {
            out += "  valid for small motions about rest: not if a specimen yields, slides or closes a gap\n";
        }
        if !self.learning.is_empty() {
            out += "  valid for the compensation with its start values, before it adapts\n";
        }
        out
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let leading = self.leading.as_ref().map(|(motion, place)| {
            of_motion(motion)
                .with("moves_most_at", place.as_ref().map(|m| m.dof.as_str()))
                .with("substructure", place.as_ref().and_then(|m| m.substructure.as_ref()).map(|s| s.0.as_str()))
                .object()
        });
        let [delay, gain] = self.margins.map_or([None; 2], |m| m.map(Margin::json));
        Quantities::default()
            .with("stable", self.stable)
            .quantity("spectral_radius", number(self.radius), ONE)
            .with("small_motions_only", self.small)
            .with("learning", json!(self.learning))
            .with("leading_motion", leading)
            .seconds("critical_delay", delay)
            .quantity("critical_gain", gain, ONE)
            .with("what_to_change", json!(self.remedies))
            .object()
    }
}
