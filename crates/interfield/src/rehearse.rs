//! A test before the test. Is the loop stable behind these actuators, how much more delay and gain would it bear, what will the
//! actuators have to do, and what would be thought of the test?

use std::sync::{Arc, Mutex, PoisonError};

use interfield_lab::controller::{COLUMNS, Controller, HEAD, Tape};
use interfield_lab::kinematics::Lever;
use interfield_lab::rig::Rig;
use interfield_lab::safety::Watch;
use interfield_lab::verdict::{Grade, History, Peaks, Recording, Verdict};
use interfield_language::Model;
use interfield_language::model::Kind;
use interfield_language::parse::Places;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_structure::Simulation;
use interfield_structure::specimen::Workshop;
use interfield_structure::specimen::path::{Tangents, felt, tangents_along};
use serde_json::{Value, json};

use crate::laboratory::{self, Assessed, READ_BACK};
use crate::noise::{self, Shaken, shaken};
use crate::plan::Plan;
use crate::quantities::{ONE, Quantities, number};
use crate::refused::{Cause, Refused};
use crate::stability::{Certificate, Course, Loop, Moments, certify, examine_course, examine_loop, example};
use crate::table::{aligned, paged, short, time, wrapped};
use crate::{Choices, ModelFile};

impl ModelFile {
    /// Rehearses the test of the model: its loop is probed, and the whole test run once in the emulated laboratory, as fast as it goes. `progress` is told
    /// the steps done and all steps.
    ///
    /// # Errors
    /// Everything that stands against a run of the model.
    pub fn rehearse(&self, choices: &Choices, progress: &mut dyn FnMut(u64, u64)) -> Result<Rehearsed, Refused> {
        let (model, places) = self.model(choices)?;
        let mut found = rehearse_model(self, model, &places, progress)?;
        if let Ok(Some(certificate)) = &found.certificate {
            found.example = example::write(self, choices, certificate);
        }
        Ok(found)
    }
}

/// Rehearses a model that may have been changed after it was read.
pub(crate) fn rehearse_model(
    file: &ModelFile,
    model: Model,
    places: &Places,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Rehearsed, Refused> {
    let structure = file.advised_model(model, places, None)?.structure;
    let model = structure.model.clone();
    if model.specimens.is_empty() {
        let help = "define the tested elements with [[specimen]]";
        return Err(Refused::new(Cause::Input, "there is nothing to rehearse: the model has no specimen", help));
    }
    // Nothing swings where each step ends at rest.
    let looped = if model.analysis.statics { Err(String::new()) } else { examine_loop(&model) };
    let mut dry = Dry::default();
    let sim = file.start(structure, places, &mut dry)?;
    let mut moments = Moments::new(&sim, |s| has_one_path(&model, s));
    let found = dry_run(sim, (&dry, &mut moments), progress);
    let along: Vec<_> = (0..model.specimens.len()).map(|s| dry.tangents(&model, s)).collect();
    let known: Vec<Option<Tangents>> = along.iter().map(|t| t.as_ref().ok().copied().flatten()).collect();
    let unseen = along.into_iter().zip(&model.specimens).filter_map(|(t, s)| Some((s.name.clone(), t.err()?)));
    let unseen = unseen.chain(std::mem::take(&mut moments.still)).collect();
    let dt = model.specimens.first().map_or(0.0, |s| s.period / s.time_scale);
    let certificate = certify(&model, &known, dt);
    let course = examine_course(&model, &moments, &known, looped.as_ref().ok().and_then(Loop::critical_delay));
    let noise = shaken(&model);
    Ok(Rehearsed { looped, certificate, course, unseen, noise, ..found })
}

/// Whether a specimen has one degree of freedom and some stiffness at rest, so that its tangents are an interval of factors on that; others, such as a gap that
/// closes, are followed moment by moment.
fn has_one_path(model: &Model, s: usize) -> bool {
    let specimen = &model.specimens[s];
    let ([actuator], [_], []) = (&specimen.actuators[..], &specimen.dofs[..], &specimen.inner[..]) else {
        return false;
    };
    let frame = |e: &usize| matches!(model.elements[*e].kind, Kind::Frame { .. });
    let stiff = || felt(model, s).is_ok_and(|f| f.elastic[0] + f.stored[0] > 0.0);
    matches!(actuator.lever, Lever::Linear(_)) && !specimen.elements.iter().any(frame) && stiff()
}

/// Runs the whole test once, as fast as it goes.
fn dry_run(mut sim: Simulation, (dry, moments): (&Dry, &mut Moments), progress: &mut dyn FnMut(u64, u64)) -> Rehearsed {
    let (steps, plan, dt) = (sim.steps(), Plan::new(&sim), sim.dt());
    let mut ended = None;
    let mut followed = moments.look(&sim, 0.0, 0.0);
    for k in 0..steps {
        if let Err(fault) = sim.step(k) {
            ended = Some((k, sim.explain(fault)));
            break;
        }
        // A law that fails where a run does not was moved a little elsewhere: what was seen so far remains.
        if followed.is_ok() {
            followed = moments.look(&sim, (k + 1) as f64 * dt, dt);
        }
        progress(k, steps);
    }
    sim.finish();
    let links = sim.quality().map(|q| q.rows.iter().fold(0.0f64, |m, r| m.max(r.link[1])));
    let model = sim.model.clone();
    let (mut assessed, mut demands) = (Vec::new(), Vec::new());
    for (i, rig) in sim.rigs() {
        let specimen = &model.specimens[i];
        let Some(seen) = dry.seen.iter().find(|s| s.0 == specimen.name) else { continue };
        let seen = seen.1.lock().unwrap_or_else(PoisonError::into_inner);
        let period = specimen.period;
        let names = specimen.names();
        let dry =
            Recording { histories: &seen.histories, period, peaks: &[], missing: 0, failure: None, names: &names };
        assessed.extend(Assessed::of(specimen, rig, dry));
        demands.extend(seen.histories.iter().enumerate().flat_map(|(a, h)| demands_of(specimen, a, h, &model.units)));
    }
    Rehearsed {
        model,
        plan,
        looped: Err(String::new()),
        certificate: Ok(None),
        course: None,
        example: None,
        unseen: Vec::new(),
        noise: Ok(Vec::new()),
        ended,
        links,
        assessed,
        demands,
    }
}

/// What was seen of a specimen: one history per actuator.
pub(crate) struct Seen {
    pub histories: Vec<History>,
}

/// A workshop that looks at what the actuators do, and writes nothing.
#[derive(Default)]
pub(crate) struct Dry {
    pub seen: Vec<(String, Arc<Mutex<Seen>>)>,
}

impl Dry {
    /// Tangents of a specimen along the path that its actuator was sent on; none if they are always the same. The error is a sentence without its subject.
    fn tangents(&self, model: &Model, s: usize) -> Result<Option<Tangents>, String> {
        let specimen = &model.specimens[s];
        let bends = |e: &usize| match &model.elements[*e].kind {
            Kind::Linear { .. } => false,
            Kind::Law { law, .. } => !law.info().linear,
            _ => true,
        };
        if !specimen.elements.iter().any(bends) || !has_one_path(model, s) {
            return Ok(None);
        }
        let [Lever::Linear(factors)] = &specimen.actuators.iter().map(|a| a.lever.clone()).collect::<Vec<_>>()[..]
        else {
            return Ok(None);
        };
        let seen = self.seen.iter().find(|(name, _)| *name == specimen.name).ok_or("was not moved")?;
        let seen = seen.1.lock().unwrap_or_else(PoisonError::into_inner);
        let targets = seen.histories.first().map_or(&[][..], |h| &h.target);
        let path: Vec<f64> =
            targets.iter().filter(|x| x.is_finite()).map(|x| x / factors[0] * specimen.scale).collect();
        tangents_along(model, s, &path, specimen.period).map(Some)
    }
}

impl Workshop for Dry {
    fn mount(&mut self, specimen: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        let seen = Arc::new(Mutex::new(Seen { histories: vec![History::default(); specimen.actuators.len()] }));
        controller.call(specimen.names());
        controller.record(Box::new(Eye(seen.clone())));
        self.seen.push((specimen.name.clone(), seen));
        Ok(Box::new(controller))
    }
}

/// Keeps what a recording of the test would hold.
struct Eye(Arc<Mutex<Seen>>);

impl Tape for Eye {
    fn push(&mut self, sample: &[f64]) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = sample[HEAD.len()..].chunks_exact(COLUMNS.len());
        for (history, row) in seen.histories.iter_mut().zip(rows) {
            let value = |name: &str| COLUMNS.iter().position(|c| *c == name).map_or(f64::NAN, |i| row[i]);
            // As many as are read back of a recording: the verdict says that samples are missing.
            if history.target.len() as u64 >= READ_BACK {
                return false;
            }
            history.target.push(value("target"));
            history.command.push(value("command"));
            history.reached.push(value("reached"));
            history.force.push(value("force"));
        }
        true
    }

    fn end(&mut self, _outcome: &str, _log: &[String]) {}
}

/// A quantity of an actuator against what it can do and may do.
struct Demand {
    actuator: String,
    /// Whose: of the target or of the command; empty where there is only one.
    of: &'static str,
    what: &'static str,
    /// Name and size in SI of its unit.
    unit: (String, f64),
    expected: f64,
    can: f64,
    may: Option<f64>,
}

impl Demand {
    fn name(&self) -> String {
        format!("{} {}", self.of, self.what).trim_start().to_owned()
    }

    fn limit(&self) -> f64 {
        self.may.map_or(self.can, |may| may.min(self.can))
    }

    fn fits(&self) -> bool {
        self.expected <= self.limit()
    }

    /// Distance to the nearer limit, % of it.
    fn left(&self) -> Option<f64> {
        self.limit().is_finite().then(|| 100.0 * (1.0 - self.expected / self.limit()))
    }

    fn row(&self) -> Vec<String> {
        let number = |x: f64| if x.is_finite() { short(x / self.unit.1) } else { "-".to_owned() };
        vec![
            self.actuator.clone(),
            format!("{} [{}]", self.name(), self.unit.0),
            number(self.expected),
            number(self.can),
            self.may.map_or("-".to_owned(), number),
            self.left().map_or("-".to_owned(), |left| format!("{left:.0}")),
            if self.fits() { String::new() } else { "too much".to_owned() },
        ]
    }

    fn json(&self) -> Value {
        let (label, unit) = &self.unit;
        let told = |x: f64| number(x / unit);
        Quantities::default()
            .with("actuator", self.actuator.as_str())
            .with("quantity", self.name())
            .quantity("expected", told(self.expected), label)
            .quantity("can", told(self.can), label)
            .quantity("may", self.may.map(told), label)
            .quantity("left", self.left(), "%")
            .with("fits", self.fits())
            .object()
    }
}

/// What an actuator has to do in a test.
fn demands_of(specimen: &Specimen, i: usize, history: &History, units: &UnitSystem) -> Vec<Demand> {
    let (peaks, limits) = (Peaks::of(history, specimen.period), specimen.limits_of(i));
    let Some(actuator) = specimen.actuators.get(i) else { return Vec::new() };
    let watched = |w: Option<Watch>| w.map(|w| w.limit);
    let can = &actuator.limits;
    let one = |of, what, dim, expected, can, may| Demand {
        actuator: format!("{}.{}", specimen.name, actuator.name),
        of,
        what,
        unit: actuator.unit(dim, units),
        expected,
        can,
        may,
    };
    let mut all = Vec::new();
    for (of, [stroke, velocity]) in [("target", peaks.target), ("command", peaks.command)] {
        all.push(one(of, "stroke", Dimension::LENGTH, stroke, can.stroke, watched(limits.displacement)));
        all.push(one(of, "velocity", Dimension::VELOCITY, velocity, can.velocity, watched(limits.velocity)));
    }
    all.push(one("", "force", Dimension::FORCE, peaks.force, can.force, watched(limits.force)));
    all.push(one("", "tracking error", Dimension::LENGTH, peaks.error, f64::INFINITY, watched(limits.tracking)));
    all
}

/// All that a rehearsal found.
pub struct Rehearsed {
    model: Arc<Model>,
    /// The test as it will be run.
    plan: Plan,
    /// The loop, or why it could not be probed.
    looped: Result<Loop, String>,
    /// The certificate for its uncertain numbers and along its path, or why there is none; and where its counter-example was written.
    certificate: Result<Option<Certificate>, String>,
    example: Option<Result<String, String>>,
    /// The loop at moments of the dry run, if laws bend that the certificate takes at rest.
    course: Option<Course>,
    /// What noise of uncertain size does to the loop, or why that is not known.
    noise: Result<Vec<Shaken>, String>,
    /// Specimens and elements whose tangents along the path are unknown, and why.
    unseen: Vec<(String, String)>,
    /// After how many steps and why the dry run ended early.
    ended: Option<(u64, String)>,
    /// Largest link displacement on the fine side, m.
    links: Option<f64>,
    /// What would be said of the test.
    assessed: Vec<Assessed>,
    demands: Vec<Demand>,
}

impl Rehearsed {
    /// The worst verdict of all specimens.
    pub fn grade(&self) -> Grade {
        if self.ended.is_some() {
            return Grade::Failed;
        }
        Verdict::worst(self.assessed.iter().map(|a| a.verdict.clone())).grade
    }

    /// Worst error, peak error and energy error of all actuators, %; `None` where none had anything to follow.
    pub fn tracking(&self) -> Option<[f64; 3]> {
        let all = self.assessed.iter().flat_map(|a| a.actuators.iter().flatten());
        all.map(|t| [t.nrmse, t.peak_error, 100.0 * t.energy.abs()])
            .reduce(|a, b| core::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] }))
    }

    /// Specimens whose dry run failed.
    fn failed(&self) -> impl Iterator<Item = &Assessed> {
        self.assessed.iter().filter(|a| a.verdict.grade == Grade::Failed)
    }

    /// Whether the growth that the probe sees is of small motions, or of a compensation that has not learned yet, and the dry run, in
    /// which motions are large and it learns, shows nothing of it.
    fn is_outgrown(&self) -> bool {
        let partial = self.looped.as_ref().is_ok_and(Loop::is_partial);
        partial && self.ended.is_none() && self.failed().next().is_none()
    }

    /// What stands against the test; empty if it is ready.
    pub fn objections(&self) -> Vec<String> {
        let mut all = Vec::new();
        match &self.looped {
            Ok(found) => all.extend(found.objection().filter(|_| !self.is_outgrown())),
            Err(_) if self.model.analysis.statics => {}
            Err(why) => all.push(format!("the loop could not be probed: {why}")),
        }
        match &self.certificate {
            Ok(found) => {
                let said = found.as_ref().and_then(Certificate::objection);
                all.extend(said.filter(|(_, asked)| *asked).map(|(said, _)| said));
            }
            Err(why) => all.push(format!("the uncertain values could not be examined: {why}")),
        }
        let course = self.course.as_ref().and_then(Course::objection).filter(|(_, asked)| *asked);
        all.extend(course.map(|(said, _)| format!("along the predicted path {said}")));
        if let Some((steps, why)) = &self.ended {
            let place = match self.model.analysis.statics {
                true => format!("in step {}", steps + 1),
                false => format!("at t = {}", time(*steps as f64 * self.model.analysis.dt)),
            };
            all.push(format!("the dry run ended {place}: {why}"));
        }
        // What ended it is the reason for its verdict too.
        for a in self.failed().filter(|_| self.ended.is_none()) {
            all.push(format!("the dry run of `{}` failed: {}", a.name, a.verdict.reasons.join("; ")));
        }
        for d in self.demands.iter().filter(|d| !d.fits()) {
            let than = if d.expected > d.can { "the actuator capacity" } else { "the limit" };
            let said = format!("actuator {}: {} exceeds {than}", d.actuator, d.what);
            if !all.contains(&said) {
                all.push(said);
            }
        }
        all
    }

    /// Where the probe and the dry run disagree, and why they may.
    fn doubt(&self) -> Option<String> {
        let path = self.certificate.as_ref().ok().and_then(|c| c.as_ref()?.objection()).filter(|(_, asked)| !asked);
        let course = self.course.as_ref().and_then(Course::objection).filter(|(_, asked)| !asked);
        let path = path
            .into_iter()
            .chain(course)
            .map(|(said, _)| format!("along its predicted path {said}, and the dry run goes along it"));
        let noise = match &self.noise {
            Ok(all) => all.iter().filter_map(Shaken::doubt).collect(),
            Err(why) => vec![format!("the response to noise is not known: {why}")],
        };
        let all: Vec<String> = self.disagreement().into_iter().chain(path).chain(noise).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// See [`Rehearsed::doubt`].
    fn disagreement(&self) -> Option<String> {
        let found = self.looped.as_ref().ok()?;
        let dry_fails = self.ended.is_some() || self.failed().next().is_some();
        if found.stable != dry_fails {
            return None;
        }
        let mut why = Vec::new();
        if !found.learning.is_empty() {
            why.push(
                "the compensation adapts in the dry run, but the stability analysis uses its start \
                values"
                    .to_owned(),
            );
        }
        if found.small {
            why.push(
                "the specimen yields or changes in the dry run, but the stability analysis uses its initial \
                    stiffness"
                    .to_owned(),
            );
        }
        if found.stable {
            let sensors = |s: &Specimen| s.actuators.iter().any(|a| a.displacement.noise > 0.0 || a.force.noise > 0.0);
            if self.model.specimens.iter().any(sensors) {
                why.push("the dry run includes sensor noise".to_owned());
            }
            if self.demands.iter().any(|d| d.expected > d.can) {
                why.push("the actuators reach their capacity".to_owned());
            }
            why.push("a test with a stable loop can fail because of tracking errors".to_owned());
            return Some(format!("the loop is stable, but the dry run fails: {}", why.join("; ")));
        }
        if let Some(doubling) = found.doubling_time() {
            let duration = self.model.analysis.duration;
            why.push(format!("the motion doubles in {} of a test of {}", time(doubling), time(duration)));
        }
        Some(format!("the loop is unstable, but the dry run does not fail: {}", why.join("; ")))
    }

    /// As text.
    pub fn text(&self) -> String {
        let units = &self.model.units;
        let mut out = format!("{}\n{}", self.model.title, self.plan.heading());
        out += &match &self.looped {
            Ok(found) => found.text(),
            Err(_) if self.model.analysis.statics => {
                "\nloop of structure, controller and actuators\n  quasi-static: each target is reached and measured before the next is \
                    computed\n"
                    .to_owned()
            }
            Err(why) => format!("\nloop of structure, controller and actuators\n  not probed: {why}\n"),
        };
        if let Ok(Some(found)) = &self.certificate {
            out += &paged(&found.text(self.example.as_ref()));
        }
        out += &self.course.as_ref().map_or_else(String::new, |course| paged(&course.text()));
        for (name, why) in &self.unseen {
            out += &wrapped("  ", &format!("tangents along the path are not examined: `{name}` {why}"));
        }
        if let Ok(noise) = &self.noise {
            out += &noise::text(noise);
        }
        out += &laboratory::text(&self.assessed, units);
        out += "\nactuator demands\n";
        let rows: Vec<Vec<String>> = self.demands.iter().map(Demand::row).collect();
        out += &aligned(&["<actuator", "<quantity", "expected", "capacity", "limit", "margin [%]", "<"], &rows);
        if let Some(link) = self.links {
            let unit = units.label(Dimension::LENGTH);
            let link = short(link / units.factor(Dimension::LENGTH));
            out += &format!("  links move the specimen by at most {link} {unit}\n");
        }
        for a in &self.assessed {
            let lasts = |(action, s): &(&str, f64)| match s.is_finite() {
                true => format!("{action} {}", time(*s)),
                false => format!("{action}: unknown, because its actuators have no stated stroke and velocity"),
            };
            let times: Vec<String> = a.rests.iter().map(lasts).collect();
            out += &format!("  longest time until `{}` is at rest: {}\n", a.name, times.join(", "));
        }
        out += "\n";
        let doubt = self.doubt();
        out += &match (self.objections().as_slice(), &doubt) {
            ([], None) => "ready for the test\n".to_owned(),
            ([], Some(doubt)) => format!("ready for the test, with one caution: {doubt}\n"),
            (list, doubt) => {
                let doubt = doubt.as_ref().map_or_else(String::new, |d| format!("{d}\n"));
                format!("{doubt}not ready: {}\n", list.join("; "))
            }
        };
        out
    }

    /// As JSON, see [`crate::quantities`].
    pub fn json(&self) -> Value {
        let units = &self.model.units;
        let found = self.looped.as_ref().ok().map(Loop::json).unwrap_or_default();
        let rest =
            |(what, t): &(&str, f64)| Quantities::default().with("action", *what).seconds("time", number(*t)).object();
        let rests =
            |a: &Assessed| json!({ "specimen": a.name, "actions": a.rests.iter().map(rest).collect::<Vec<_>>() });
        let link = self.links.map_or(Value::Null, |link| number(link / units.factor(Dimension::LENGTH)));
        Quantities::default()
            .with("title", self.model.title.as_str())
            .with("setup", self.plan.json())
            .with("ready", self.objections().is_empty())
            .with("objections", self.objections())
            .with("doubt", self.doubt())
            .with("loop", found.clone())
            .with(
                "certificate",
                self.certificate.as_ref().ok().and_then(|c| Some(c.as_ref()?.json(self.example.as_ref()))),
            )
            .with("path", self.course.as_ref().map(Course::json))
            .with(
                "noise",
                self.noise.as_ref().map_or_else(|_| Vec::new(), |n| n.iter().map(Shaken::json).collect::<Vec<_>>()),
            )
            .with(
                "path_not_examined",
                self.unseen.iter().map(|(name, why)| json!({ "name": name, "why": why })).collect::<Vec<_>>(),
            )
            .quantity("spectral_radius", found["spectral_radius"].clone(), ONE)
            .with("stable", found["stable"].clone())
            .seconds("critical_delay", found["critical_delay"].clone())
            .quantity("critical_gain", found["critical_gain"].clone(), ONE)
            .with(
                "ended",
                self.ended.as_ref().map(|(k, why)| {
                    let t = *k as f64 * self.model.analysis.dt;
                    Quantities::default().seconds("t", t).with("reason", why.as_str()).object()
                }),
            )
            .quantity("largest_link", link, &units.label(Dimension::LENGTH))
            .with("laboratory", laboratory::json(&self.assessed, units))
            .with("actuators", self.demands.iter().map(Demand::json).collect::<Vec<_>>())
            .with("time_to_rest", self.assessed.iter().map(rests).collect::<Vec<_>>())
            .object()
    }
}
