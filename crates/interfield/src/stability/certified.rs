//! The certificate of stability of a model: is its loop stable for all values that its uncertain numbers may have, and if not, for which is it not?
//!
//! *Sampled*: the loop with the emulated laboratory is probed, by the eigenvalues of its step, at the values of the file, in the middle and at corners of
//! the intervals, and at points between. *A bound*: the frequency response of actuators and specimens is enclosed cell by cell, for all frequencies and all
//! values, and the loop cannot have a motion on the unit circle in any cell ([`interfield_analysis::certificate`]). Stable where both say so; a point that grows
//! is a counter-example; everything else is undecided.

use interfield_analysis::certificate::{Found, Known, Limits, search};
use interfield_lab::signal::noise::uniform;
use interfield_language::Model;
use serde_json::{Value, json};

use super::machine::assemble;
use super::plants::{Plants, grown, onset};
use super::region::{Along, Region, rigs};
use super::tap::rest_of;
use super::{PRODUCTS, judge};
use crate::quantities::{ONE, Quantities, UNITS, number};
use crate::table::{aligned, radius, short, time};

/// Corners at most, and points between.
const CORNERS: usize = 16;
const BETWEEN: usize = 8;
/// The same at moments of a path, of which there are several.
const FEW: [usize; 2] = [4, 0];
/// Cells at most: for the whole, and for a critical delay.
const CELLS: usize = 60_000;
/// Intervals are divided into so many parts at most, where a critical delay is looked for, and delays to this share of the one in the middle.
const PARTS: f64 = 64.0;
/// The same for the verdict: along a path a stiffness may fall to a tenth, and a motion with little damping is told from one that grows by small shares of that.
const FINEST_PARTS: f64 = 65_536.0;
const FINE: f64 = 4e-3;
/// Critical delays are looked for at so many points, and a bound for all values with so many times the cells of the verdict.
const POINTS: usize = 6;
const BEYOND: usize = 3;
/// Largest additional delay that is looked for, s of the laboratory.
const LONGEST: f64 = 0.25;
/// Motions nearer to z = 1 than this stand still, to rounding.
const STILL: f64 = 1e-5;
/// Motions at this distance from z = 1 and beyond do not matter to the circle around it, whose radius is this share of the distance of the nearest.
const NEAREST: f64 = 0.2;
const WITHIN: f64 = 0.25;
/// On that circle a delay turns by no more than this.
const TURN: f64 = 0.1;
/// A critical delay of the bound and one of the emulated loop may differ by this share, or by this share of a sample.
const NEAR: f64 = 0.05;
const NEAR_SAMPLE: f64 = 0.05;

/// What the certificate says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing grows, whatever the values.
    Stable,
    /// With these values something grows.
    CounterExample(Vec<f64>),
    /// Why it is not known, and what to change: a sentence.
    Undecided(String),
}

/// A point at which the loop was probed.
struct Probed {
    point: Vec<f64>,
    radius: f64,
    stable: bool,
    /// Distance from z = 1 of the nearest motion that does not stand still, and the largest size of those; none if not all motions are known.
    moving: Option<[f64; 2]>,
    /// Additional delay that it bears, s of the laboratory, if that was looked for and found.
    delay: Option<f64>,
}

/// Additional delay of all actuators that the loop bears, s of the laboratory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Critical {
    /// With less it is stable for all values: a bound; none if it was not looked for, or not found with so many cells.
    pub least: Option<f64>,
    /// The least and the largest of the points that were probed.
    pub probed: Option<[f64; 2]>,
}

/// Everything that was found.
pub struct Certificate {
    model: Model,
    region: Region,
    /// What it says.
    pub verdict: Verdict,
    /// Spectral radius of the counter-example, or the largest of the points that were probed.
    pub radius: f64,
    /// Growth of the counter-example, time in which it doubles, s of the model.
    pub doubling: Option<f64>,
    points: usize,
    cells: usize,
    /// Additional delay that it bears.
    pub critical: Option<Critical>,
    /// Where specimens go on their paths.
    pub along: Vec<Stretch>,
}

/// Where a specimen goes on its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Its name.
    pub specimen: String,
    /// Least and largest stiffness over that at rest.
    pub factors: [f64; 2],
    /// When, s of the model.
    pub times: [f64; 2],
    /// Additional delay that the loop bears with the least, at rest and with the largest, s of the laboratory.
    pub delays: [Option<f64>; 3],
}

/// Certifies a model, along a path if one is known, whose points are so many seconds of the model apart; none if nothing is uncertain.
///
/// # Errors
/// Why the loop cannot be probed: a sentence.
pub fn certify(model: &Model, along: Along<'_>, dt: f64) -> Result<Option<Certificate>, String> {
    let Some((mut found, mut probed, bound)) = decide(model, along, [CORNERS, BETWEEN], CELLS)? else {
        return Ok(None);
    };
    if let Some(mut bound) = bound.filter(|_| found.verdict == Verdict::Stable) {
        bound.delays(&mut found, &mut probed, along, dt)?;
    }
    Ok(Some(found))
}

/// The verdict on a model, by so many corners of its values and points between and so many cells: what was probed, and the bound, if there is one.
type Decided = (Certificate, Vec<Probed>, Option<Bound>);

fn decide(model: &Model, along: Along<'_>, points: [usize; 2], cells: usize) -> Result<Option<Decided>, String> {
    let region = Region::of(model, along);
    if region.is_point() || model.analysis.statics {
        return Ok(None);
    }
    let mut found = Certificate {
        verdict: Verdict::Stable,
        radius: 0.0,
        doubling: None,
        points: 0,
        cells: 0,
        critical: None,
        along: Vec::new(),
        model: model.clone(),
        region,
    };
    let probed = match found.sampled(points) {
        Ok(probed) => probed,
        Err(why) => {
            found.verdict = Verdict::Undecided(format!("the loop cannot be probed with these values: {why}"));
            return Ok(Some((found, Vec::new(), None)));
        }
    };
    found.points = probed.len();
    found.radius = probed.iter().map(|p| p.radius).fold(0.0, f64::max);
    let worst = probed.iter().filter(|p| !p.stable).max_by(|a, b| a.radius.total_cmp(&b.radius));
    if let Some(worst) = worst {
        let point = worst.point.clone();
        found.counter(point)?;
        return Ok(Some((found, probed, None)));
    }
    let bound = match found.bound(along, &probed) {
        Err(why) => {
            found.verdict = Verdict::Undecided(format!(
                "{why}; {} points were probed, all stable, but there is no bound for what lies between them",
                found.points
            ));
            None
        }
        Ok(mut bound) => {
            bound.whole(&mut found, cells)?;
            Some(bound)
        }
    };
    Ok(Some((found, probed, bound)))
}

/// The verdict on a model whose laws have the tangents of a moment, with its spectral radius and the cells that it took: by its eigenvalues where all values are
/// known, else by few points and a bound of so many cells.
///
/// # Errors
/// Why the loop cannot be probed: a sentence.
pub(super) fn verdict_on(model: &Model, along: Along<'_>, cells: usize) -> Result<(Verdict, f64, usize), String> {
    if let Some((found, ..)) = decide(model, along, FEW, cells)? {
        return Ok((found.verdict, found.radius, found.cells));
    }
    let (mut machine, _) = assemble(model.clone())?;
    let verdict = judge(&mut machine, PRODUCTS)?;
    Ok((if verdict.stable { Verdict::Stable } else { Verdict::CounterExample(Vec::new()) }, verdict.radius, 0))
}

impl Certificate {
    /// The loop at a point.
    fn probe(&self, point: &[f64], extra: f64) -> Result<Probed, String> {
        let (mut machine, _) = assemble(self.region.model(&self.model, point, extra))?;
        let verdict = judge(&mut machine, PRODUCTS)?;
        let (radius, stable) = (verdict.radius, verdict.stable);
        let far = |z: &(f64, f64)| (z.0 - 1.0).hypot(z.1);
        let moving = || verdict.eigenvalues.iter().filter(|z| far(z) > STILL);
        let known =
            || [moving().map(far).fold(NEAREST, f64::min), moving().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max)];
        let moving = (!verdict.eigenvalues.is_empty()).then(known);
        Ok(Probed { point: point.to_vec(), radius, stable, moving, delay: None })
    }

    /// The loop at the values of the file, in the middle, at corners and between.
    fn sampled(&self, [corners, between]: [usize; 2]) -> Result<Vec<Probed>, String> {
        let places = &self.region.places;
        let at = |share: &dyn Fn(usize) -> f64| -> Vec<f64> {
            places.iter().enumerate().map(|(k, p)| p.range[0] + (p.range[1] - p.range[0]) * share(k)).collect()
        };
        let all = 1usize.checked_shl(places.len() as u32).unwrap_or(usize::MAX);
        let drawn = |n: u64, k: usize| uniform(0xce57, 4096 * n + k as u64);
        let mut points = vec![self.region.own(&self.model), self.region.middle()];
        for n in 0..all.min(corners) {
            points.push(at(&|k| match all <= corners {
                true => (n >> k & 1) as f64,
                // The first two have all at their ends.
                false if n < 2 => n as f64,
                false => f64::from(u8::from(drawn(n as u64, k) < 0.5)),
            }));
        }
        points.extend((0..between as u64).map(|n| at(&|k| drawn(1000 + n, k))));
        points.iter().map(|p| self.probe(p, 0.0)).collect()
    }

    /// Something grows at a point.
    fn counter(&mut self, point: Vec<f64>) -> Result<(), String> {
        let (mut machine, _) = assemble(self.region.model(&self.model, &point, 0.0))?;
        let verdict = judge(&mut machine, PRODUCTS)?;
        self.radius = verdict.radius;
        self.doubling = verdict.motions.first().and_then(|m| m.doubling_time());
        self.verdict = Verdict::CounterExample(point);
        Ok(())
    }

    fn bound(&self, along: Along<'_>, probed: &[Probed]) -> Result<Bound, String> {
        let period = self.model.specimens.iter().map(|s| s.period);
        let (least, most) = period.fold((f64::INFINITY, 0.0f64), |(a, b), p| (a.min(p), b.max(p)));
        if least != most {
            return Err("its specimens have different rates".to_owned());
        }
        let mut plants = Plants::new(rigs(&self.model, along)?);
        let rest = rest_of(&self.model)?;
        // The longest delay of all, in steps: how it turns on the circle around z = 1 is bounded for small angles.
        let longest = (LONGEST + plants.longest_delay(self.region.intervals())) / (least * rest.samples() as f64);
        let ring = if rest.still() > 0 { Some(ring(probed)?.min(TURN / longest)) } else { None };
        let middle: Vec<f64> = self.region.at(&self.region.middle()).iter().map(|x| x[0]).collect();
        let known = Known::new(&rest, &mut plants, &[&[0.0], &middle[..]].concat());
        Ok(Bound { known, plants, period: least, ring })
    }

    /// The values of a point in words.
    fn values(&self, point: &[f64]) -> String {
        let one = |(i, x): (usize, &f64)| {
            let (unit, size) = self.region.places[i].unit();
            let unit = if unit == ONE { String::new() } else { format!(" {unit}") };
            format!("{} {}{unit}", self.region.says(&self.model, i), short(x / size))
        };
        point.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    /// What stands against a test, and whether the file asked for a certificate: of a path alone the dry run knows more, which goes along it.
    pub fn objection(&self) -> Option<(String, bool)> {
        let asked = self.region.places.iter().any(|p| p.asked);
        let said = match &self.verdict {
            Verdict::Stable => None,
            Verdict::CounterExample(point) => Some(format!("the loop is unstable with {}", self.values(point))),
            Verdict::Undecided(why) => Some(format!("the loop is not certified for all uncertain values: {why}")),
        };
        said.map(|said| (said, asked))
    }

    /// What is uncertain, and the point of a counter-example.
    pub(super) fn region(&self) -> (&Region, Option<&[f64]>) {
        let point = if let Verdict::CounterExample(point) = &self.verdict { Some(&point[..]) } else { None };
        (&self.region, point)
    }
}

/// Radius of a circle around z = 1 in which no loop that was probed has a motion but those that stand still.
fn ring(probed: &[Probed]) -> Result<f64, String> {
    let mut nearest = NEAREST;
    for point in probed {
        let [near, largest] = point.moving.ok_or("the state of a step is too long for all its motions to be known")?;
        if largest >= 1.0 {
            return Err("a motion neither grows nor decays; give the structure damping".to_owned());
        }
        nearest = nearest.min(near);
    }
    Ok(WITHIN * nearest)
}

/// The bound of a model.
struct Bound {
    known: Known,
    plants: Plants,
    /// Sampling interval, s.
    period: f64,
    /// Where the unit circle is left, see [`Limits::ring`].
    ring: Option<f64>,
}

impl Bound {
    /// Looks for the least additional delay that is not certified, or whether all of them are, with so many cells at most.
    fn search(&mut self, extra: [f64; 2], intervals: &[[f64; 2]], fine: Option<f64>, cells: usize) -> (Found, usize) {
        let (first, parts) = if fine.is_some() { (Some(0), PARTS) } else { (None, FINEST_PARTS) };
        let widths = [fine.unwrap_or(0.0)].into_iter().chain(intervals.iter().map(|[a, b]| (b - a) / parts)).collect();
        let limits = Limits { first, widths, cells, ring: self.ring };
        let found = search(&mut self.known, &mut self.plants, &[&[extra], intervals].concat(), &limits);
        (found.found, found.cells)
    }

    /// All values, without additional delay.
    fn whole(&mut self, found: &mut Certificate, most: usize) -> Result<(), String> {
        let (result, cells) = self.search([0.0; 2], found.region.intervals(), None, most);
        found.cells += cells;
        match result {
            Found::Excluded => {}
            Found::Singular { ref at, .. } | Found::Exhausted { ref at, .. } => {
                let ranges: Vec<[f64; 2]> = found.region.places.iter().map(|p| p.range).collect();
                let at = found.region.point(&at[1..]);
                let middle = found.region.middle();
                // What the probe calls stable is no growth, whatever its radius is by rounding.
                let probe = |point: &[f64]| {
                    found.probe(point, 0.0).ok().map(|p| if p.stable { p.radius.min(1.0) } else { p.radius })
                };
                if let Some(point) = grown(&ranges, &middle, &at, 1.0, probe) {
                    found.counter(point)?;
                } else if matches!(result, Found::Singular { .. }) {
                    let why = format!(
                        "near {} a motion neither grows nor decays, to the resolution of the bound; give the structure more damping, or \
                        write narrower intervals",
                        found.values(&at)
                    );
                    found.verdict = Verdict::Undecided(why);
                } else {
                    let why = format!(
                        "the bound was not reached with {most} cells; write narrower intervals, or fewer of them"
                    );
                    found.verdict = Verdict::Undecided(why);
                }
            }
            Found::Uncounted => {
                let why = "the motions that stand still in every loop could not be counted".to_owned();
                found.verdict = Verdict::Undecided(why);
            }
        }
        Ok(())
    }

    /// The critical delay at a point, s; none if none was found up to `most`.
    fn delay(&mut self, found: &Certificate, point: &[f64], most: f64, cells: &mut usize) -> Option<f64> {
        let (at, period) = (found.region.at(point), self.period);
        let own = self.plants.longest_delay(&at);
        let first = |[from, most]: [f64; 2]| {
            let (result, tested) = self.search([from, most], &at, Some(FINE * period), CELLS);
            *cells += tested;
            result
        };
        // What cannot be probed is no good news.
        let grows = |x: f64| !found.probe(point, x).is_ok_and(|p| p.stable);
        onset([own, most, period], first, grows)
    }

    /// Critical delays: of all values, and of the points that were probed; the bound is compared with the emulated loop.
    fn delays(
        &mut self,
        found: &mut Certificate,
        probed: &mut [Probed],
        along: Along<'_>,
        dt: f64,
    ) -> Result<(), String> {
        let mut cells = 0;
        let middle = found.region.middle();
        // Not farther than needed: a long delay takes many cells.
        let mut most = 8.0 * self.period;
        let mut at_middle = None;
        while at_middle.is_none() && most < LONGEST {
            most = (4.0 * most).min(LONGEST);
            at_middle = self.delay(found, &middle, most, &mut cells);
        }
        if let Some(why) = at_middle.map(|d| found.disagrees(&middle, d, self.period)).transpose()?.flatten() {
            found.verdict = Verdict::Undecided(why);
            return Ok(());
        }
        // At the values of the file, in the middle and at corners: the points between would hardly tell more.
        let mut delays: Vec<(Vec<f64>, Option<f64>)> = Vec::new();
        let mut delay = |this: &mut Self, found: &Certificate, point: &[f64]| {
            if let Some((_, known)) = delays.iter().find(|(other, _)| other == point) {
                return *known;
            }
            let new = this.delay(found, point, most, &mut cells);
            delays.push((point.to_vec(), new));
            new
        };
        for point in probed.iter_mut().take(POINTS) {
            point.delay = delay(self, found, &point.point);
        }
        let mut along_path = Vec::new();
        for (i, place) in found.region.places.iter().enumerate() {
            let (Some(factors), Some(Some(t))) = (place.path, along.get(place.specimen)) else { continue };
            let own = found.region.own(&found.model);
            let delays = [factors[0], 1.0, factors[1]].map(|factor| {
                let mut point = own.clone();
                point[i] = factor.clamp(place.range[0], place.range[1]);
                delay(self, found, &point)
            });
            let specimen = found.model.specimens[place.specimen].name.clone();
            // Rest stands before the first point of the path.
            let times = t.at.map(|k| k.saturating_sub(1) as f64 * dt);
            along_path.push(Stretch { specimen, factors, times, delays });
        }
        found.along = along_path;
        let range =
            delays.iter().filter_map(|(_, d)| *d).fold([f64::INFINITY, 0.0], |[a, b], x| [a.min(x), f64::max(b, x)]);
        let probed = (range[1] > 0.0).then_some(range);
        // A bound for all values takes many cells: half of the least is asked for, within reason, and only where the file asks for a certificate.
        let mut least = None;
        if found.region.places.iter().any(|p| p.asked) {
            let half = probed.map_or(most, |[least, _]| 0.5 * least);
            let budget = CELLS.min(BEYOND * found.cells);
            let (result, tested) = self.search([0.0, half], found.region.intervals(), None, budget);
            cells += tested;
            least = (result == Found::Excluded).then_some(half);
        }
        found.critical = Some(Critical { least, probed });
        found.cells += cells;
        Ok(())
    }
}

impl Certificate {
    /// Whether the emulated loop grows before the critical delay of the bound: then one of them is wrong, and nothing is certified.
    fn disagrees(&self, middle: &[f64], delay: f64, period: f64) -> Result<Option<String>, String> {
        let off = NEAR * delay + NEAR_SAMPLE * period;
        let before = self.probe(middle, (delay - off).max(0.0))?;
        if !before.stable {
            return Ok(Some(format!(
                "the bound finds a critical delay of {} and the emulated loop a smaller one: please report this",
                time(delay)
            )));
        }
        Ok(None)
    }

    /// The share of all values that the intervals cover, where distributions are given.
    fn covered(&self) -> f64 {
        1.0 - self.region.places.iter().map(|p| 1.0 - p.covered).sum::<f64>()
    }

    fn method(&self) -> String {
        format!(
            "{} points probed with the emulated laboratory, and a bound by zero exclusion over all frequencies and values ({} cells)",
            self.points, self.cells
        )
    }

    /// The section of the output. `file` is where the counter-example was written, or why it was not.
    pub fn text(&self, file: Option<&Result<String, String>>) -> String {
        let mut out = String::from("\ncertificate for all uncertain values\n");
        let row = |i: usize| {
            let place = &self.region.places[i];
            let (unit, size) = place.unit();
            let from = match (place.path, place.covered < 1.0) {
                (Some(_), _) => "path",
                (None, true) => "distribution, 99.9 %",
                (None, false) => "interval",
            };
            let numbers = place.range.map(|x| short(x / size));
            vec![
                self.region.says(&self.model, i),
                numbers[0].clone(),
                numbers[1].clone(),
                unit.to_owned(),
                from.to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = (0..self.region.places.len()).map(row).collect();
        out += &aligned(&["<quantity", "from", "to", "<unit", "<by"], &rows);
        match &self.verdict {
            Verdict::Stable => {
                out += "  certified stable: no motion grows for any of these values\n";
                out += &format!(
                    "  method: sampled plus a bound: {}; largest spectral radius of the points {}\n",
                    self.method(),
                    radius(self.radius)
                );
            }
            Verdict::CounterExample(point) => {
                let doubles = self.doubling.map_or_else(String::new, |t| format!(", doubles in {}", time(t)));
                out += &format!(
                    "  not certified: counter-example: {}: spectral radius {}{doubles}\n",
                    self.values(point),
                    radius(self.radius)
                );
                out += &match file {
                    Some(Ok(path)) => format!("  the counter-example as a model: {path}\n"),
                    Some(Err(why)) => format!("  the counter-example was not written: {why}\n"),
                    None => String::new(),
                };
            }
            Verdict::Undecided(why) => out += &format!("  undecided: {why}\n"),
        }
        if self.covered() < 1.0 {
            out +=
                &format!("  the intervals cover at least {} % of the distributions\n", short(100.0 * self.covered()));
        }
        if let Some(Critical { least, probed }) = self.critical {
            let bound =
                least.map_or_else(String::new, |t| format!("; below {} stable for all values (bound)", time(t)));
            out += &match probed {
                Some([low, high]) => {
                    let [low, high] = [low.min(high), high].map(time);
                    format!("  critical delay: {low} to {high} of additional delay{bound}\n")
                }
                None => format!("  critical delay: none found{bound}\n"),
            };
        }
        for stretch in &self.along {
            out += &stretch.text();
        }
        if self.model.specimens.iter().any(|s| s.learns()) {
            out += "  valid for the compensation with its start values, before it adapts\n";
        }
        if self.verdict == Verdict::Stable {
            out += "  valid for constant values within the intervals, tangents taken one by one: not while they change quickly\n";
        }
        out
    }

    /// Everything as JSON.
    pub fn json(&self, file: Option<&Result<String, String>>) -> Value {
        let place = |i: usize| {
            let p = &self.region.places[i];
            let (unit, size) = p.unit();
            let point = if let Verdict::CounterExample(point) = &self.verdict { Some(point[i] / size) } else { None };
            json!({
                "name": self.region.says(&self.model, i), "interval": p.range.map(|x| x / size), "counter_example": point,
                "path": p.path, "covered": p.covered,
                UNITS: { "interval": unit, "counter_example": unit, "path": ONE, "covered": ONE },
            })
        };
        let (word, why) = match &self.verdict {
            Verdict::Stable => ("certified stable", None),
            Verdict::CounterExample(_) => ("not certified: counter-example", None),
            Verdict::Undecided(why) => ("undecided", Some(why.as_str())),
        };
        Quantities::default()
            .with("verdict", word)
            .with("why", why)
            .with(
                "method",
                if self.verdict == Verdict::Stable {
                    Some(format!("sampled plus a bound: {}", self.method()))
                } else {
                    None
                },
            )
            .with("uncertain", (0..self.region.places.len()).map(place).collect::<Vec<_>>())
            .with("points", self.points)
            .with("cells", self.cells)
            .quantity("spectral_radius", number(self.radius), ONE)
            .seconds("doubling_time", self.doubling)
            .quantity("covered", self.covered(), ONE)
            .seconds("critical_delay", self.critical.and_then(|c| c.probed).map(|p| json!(p)))
            .seconds("critical_delay_bound", self.critical.and_then(|c| c.least))
            .with("counter_example", file.and_then(|f| f.as_ref().ok().cloned()))
            .with("counter_example_error", file.and_then(|f| f.as_ref().err().cloned()))
            .with("path", self.along.iter().map(Stretch::json).collect::<Vec<_>>())
            .object()
    }
}

impl Stretch {
    /// The worst of least, rest and largest: 0, 1, 2.
    fn worst(&self) -> Option<usize> {
        let known = self.delays.iter().enumerate().filter_map(|(i, d)| Some((i, (*d)?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }

    fn text(&self) -> String {
        let [low, high] = self.factors;
        let mut out = format!(
            "  path of `{}`: its stiffness goes from {} times that at rest (t = {}) to {} times (t = {})\n",
            self.specimen,
            short(low),
            time(self.times[0]),
            short(high),
            time(self.times[1])
        );
        if let Some(i) = self.worst() {
            let place = match i {
                0 => format!("where it is softest, at t = {}", time(self.times[0])),
                1 => "at rest".to_owned(),
                _ => format!("where it is stiffest, at t = {}", time(self.times[1])),
            };
            out += &format!(
                "  the loop is worst {place}: its delay margin there is {} of additional delay\n",
                time(self.delays[i].unwrap_or(0.0))
            );
        }
        out
    }

    fn json(&self) -> Value {
        let worst = self.worst().map(|i| ["softest", "rest", "stiffest"][i]);
        json!({
            "specimen": self.specimen, "stiffness_factors": self.factors, "times": self.times, "critical_delays": self.delays, "worst": worst,
            UNITS: { "stiffness_factors": ONE, "times": "s", "critical_delays": "s" },
        })
    }
}
