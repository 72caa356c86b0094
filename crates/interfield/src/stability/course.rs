//! The loop along the predicted path: at moments of the dry run every law has the tangents that it has there, in the structure as in the specimens, and the loop is
//! judged as it is judged at rest.

use interfield_language::Model;
use interfield_structure::linearised::linearised_at;
use serde_json::{Value, json};

use super::certified::{Verdict, verdict_on};
use super::moments::Moments;
use super::region::{Along, Region};
use super::{FEWER_PRODUCTS, judge};
use crate::quantities::{ONE, Quantities, UNITS, number};
use crate::stability::machine::assemble;
use crate::table::{radius, short, time, wrapped};

/// Cells of the bound at one moment, and at all of them together.
const CELLS: usize = 20_000;
const ALL_CELLS: usize = 60_000;
const NONE_LEFT: &str = "the values that were probed are stable, but no cells were left for a bound; write narrower intervals, or fewer of them";
/// Shares of the delay margin that are tried at each moment: a window of growth may lie before it.
const SHARES: [f64; 4] = [1.0, 0.7, 0.4, 0.2];
/// A smaller margin is found to this share of itself.
const FOUND: f64 = 2e-2;

/// One moment that was examined.
struct Examined {
    t: f64,
    verdict: Verdict,
    radius: f64,
}

/// What was found along a path.
pub struct Course {
    examined: Vec<Examined>,
    /// Moments of the dry run, and how far any of them is from one that was examined: a share of the largest stiffness.
    seen: usize,
    off: f64,
    /// Additional delay that the loop bears at all of these moments, s of the laboratory, and where it bears no more; none: as much as at rest.
    least: Option<(f64, f64)>,
    /// Whether values are uncertain beside the path, and whether the file says so.
    uncertain: bool,
    asked: bool,
    unstable_at_rest: bool,
    /// Why a moment could not be examined.
    failed: Option<String>,
}

/// Examines a model at the moments of its dry run; `margin` is the additional delay that it bears at rest, s, if that is known.
pub(crate) fn examine_course(
    model: &Model,
    moments: &Moments,
    along: Along<'_>,
    margin: Option<f64>,
) -> Option<Course> {
    if moments.is_empty() || model.analysis.statics {
        return None;
    }
    let (kept, off) = moments.kept();
    let region = Region::of(model, along);
    let mut found = Course {
        examined: Vec::new(),
        seen: moments.seen,
        off,
        least: None,
        uncertain: !region.is_point(),
        asked: region.places.iter().any(|p| p.asked),
        unstable_at_rest: false,
        failed: None,
    };
    let (mut least, mut left) = (margin, ALL_CELLS);
    for moment in &kept {
        let frozen = linearised_at(model, |e| moments.tangents(moment, e))?;
        match verdict_on(&frozen, along, CELLS.min(left)) {
            Ok((mut verdict, radius, cells)) => {
                if let (Verdict::Undecided(why), 0) = (&mut verdict, left) {
                    NONE_LEFT.clone_into(why);
                }
                left = left.saturating_sub(cells);
                if let (Some(most), true) = (least, !matches!(verdict, Verdict::CounterExample(_)))
                    && let Some(less) = smaller(&frozen, most)
                {
                    (least, found.least) = (Some(less), Some((less, moment.t)));
                }
                found.examined.push(Examined { t: moment.t, verdict, radius });
            }
            Err(why) => {
                found.failed.get_or_insert_with(|| format!("at t = {}: {why}", time(moment.t)));
            }
        }
    }
    // Rest comes first.
    found.unstable_at_rest = found.examined.first().is_some_and(|e| matches!(e.verdict, Verdict::CounterExample(_)));
    found.examined.sort_by(|a, b| a.t.total_cmp(&b.t));
    Some(found)
}

/// An additional delay below `most` that is the largest the loop bears, s; none if it bears that, too.
fn smaller(model: &Model, most: f64) -> Option<f64> {
    let bears = |delay: f64| {
        let mut late = model.clone();
        late.specimens.iter_mut().flat_map(|s| &mut s.actuators).for_each(|a| a.delay[0] += delay);
        let verdict = assemble(late).and_then(|(mut machine, _)| Ok(judge(&mut machine, FEWER_PRODUCTS)?));
        verdict.is_ok_and(|v| v.stable)
    };
    // The margin itself is a little less than where it grows at rest: so it is here.
    let first = SHARES.iter().rev().map(|s| s * most).find(|x| !bears(*x))?;
    let below = SHARES.iter().map(|s| s * most).find(|x| *x < first).unwrap_or(0.0);
    let (mut low, mut high) = (below, first);
    while high - low > FOUND * high {
        let half = 0.5 * (low + high);
        if bears(half) { low = half } else { high = half }
    }
    Some(low)
}

impl Course {
    /// The moment at which it grows most.
    fn worst(&self) -> Option<&Examined> {
        let growing = self.examined.iter().filter(|e| matches!(e.verdict, Verdict::CounterExample(_)));
        growing.max_by(|a, b| a.radius.total_cmp(&b.radius))
    }

    fn undecided(&self) -> impl Iterator<Item = (&Examined, &str)> {
        self.examined.iter().filter_map(|e| match &e.verdict {
            Verdict::Undecided(why) => Some((e, why.as_str())),
            _ => None,
        })
    }

    /// What speaks against a test along this path, and whether the file asked for a certificate; of a loop that is unstable at rest that is known.
    pub(crate) fn objection(&self) -> Option<(String, bool)> {
        let worst = self.worst().filter(|_| !self.unstable_at_rest)?;
        Some((format!("the loop is unstable with the tangents of t = {}", time(worst.t)), self.asked))
    }

    /// The section of the output.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from("\nloop along the predicted path\n");
        let moments: Vec<String> = self.examined.iter().map(|e| time(e.t)).collect();
        out += &wrapped(
            "  ",
            &format!(
                "examined with the tangents of {} of {} moments, t = {}; every other moment is within {} % of one of them, of the largest stiffness",
                self.examined.len(),
                self.seen,
                moments.join(", "),
                short((100.0 * self.off).ceil())
            ),
        );
        match self.worst() {
            Some(worst) => {
                out += &format!(
                    "  a motion grows with the tangents of t = {}: spectral radius {}\n",
                    time(worst.t),
                    radius(worst.radius)
                );
            }
            None => {
                let what = if self.uncertain { "certified stable for all uncertain values" } else { "stable" };
                let stable = self.examined.iter().filter(|e| e.verdict == Verdict::Stable).count();
                out += &match stable == self.examined.len() {
                    true => format!("  {what} at each of these moments\n"),
                    false => format!("  {what} at {stable} of {} moments\n", self.examined.len()),
                };
            }
        }
        if let Some((e, why)) = self.undecided().next() {
            out += &wrapped(
                "  ",
                &format!("undecided at {} moments, at t = {}: {why}", self.undecided().count(), time(e.t)),
            );
        }
        if let Some((delay, t)) = self.least {
            out += &format!(
                "  least delay margin: {} of additional delay, with the tangents of t = {}\n",
                time(delay),
                time(t)
            );
        }
        if let Some(why) = &self.failed {
            out += &wrapped("  ", &format!("not examined {why}"));
        }
        out
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Value {
        let moment = |e: &Examined| {
            let word = match e.verdict {
                Verdict::Stable => "stable",
                Verdict::CounterExample(_) => "unstable",
                Verdict::Undecided(_) => "undecided",
            };
            json!({ "t": e.t, "verdict": word, "spectral_radius": e.radius, UNITS: { "t": "s", "spectral_radius": ONE } })
        };
        Quantities::default()
            .with("moments", self.examined.iter().map(moment).collect::<Vec<_>>())
            .with("seen", self.seen)
            .quantity("distance", number(self.off), ONE)
            .with("for_all_uncertain_values", self.uncertain)
            .seconds("critical_delay", self.least.map(|l| l.0))
            .seconds("critical_delay_at", self.least.map(|l| l.1))
            .with("not_examined", self.failed.as_deref())
            .object()
    }
}
