//! Compensators side by side on a model: its actuators are identified from a recording or an excitation of the emulated rig, every method gets
//! the settings that follow, and the whole test is rehearsed with each.

use std::path::{Path, PathBuf};

use interfield_kernel::scheme::registry::Arguments;
use interfield_lab::compensate::registry::{COMPENSATIONS, Compensation, CompensationInfo, find};
use interfield_lab::verdict::Grade;
use interfield_language::Model;
use interfield_language::diag::did_you_mean;
use interfield_language::specimen::Specimen;
use interfield_learn::actuator::{Candidate, Motion, identify};
use serde_json::{Value, json};

use crate::identify::actuator::{Setting, recorded, settings};
use crate::identify::plant::{Wanted, excited};
use crate::identify::signals::Signals;
use crate::quantities::{ONE, UNITS};
use crate::refused::{Cause, Refused};
use crate::rehearse::{Rehearsed, rehearse_model};
use crate::table::{aligned, short, time};
use crate::{Choices, ModelFile};

/// Excitation of each actuator: frequencies, Hz, and time, s.
const BAND: [f64; 2] = [0.2, 20.0];
const DURATION: f64 = 8.0;

/// A compensator on a model.
pub struct Tried {
    /// The method.
    pub method: &'static CompensationInfo,
    /// Why it could not be tried, or what came of it.
    pub outcome: Result<Rehearsed, String>,
    /// What to write: one line per specimen, or per actuator.
    pub settings: Vec<Applied>,
}

/// A line of a model file, and where it belongs.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The specimen.
    pub specimen: String,
    /// Its actuator; none: the specimen itself.
    pub actuator: Option<String>,
    /// The line.
    pub line: String,
}

impl Applied {
    /// With its place as a comment.
    fn told(&self) -> String {
        match &self.actuator {
            Some(actuator) => format!("# actuator `{actuator}` of specimen `{}`\n{}", self.specimen, self.line),
            None => format!("# specimen `{}`\n{}", self.specimen, self.line),
        }
    }
}

/// All of them, the best first.
pub struct Tests {
    /// Identified actuators: specimen, actuator, model.
    pub actuators: Vec<(String, String, Candidate)>,
    /// Where they were identified.
    pub source: String,
    /// What was tried.
    pub tried: Vec<Tried>,
}

impl ModelFile {
    /// Rehearses the test of the model with one compensator, or with all of them; actuators are identified from a recording, or from an
    /// excitation of the emulated rig.
    ///
    /// # Errors
    /// Everything that stands against a run of the model.
    pub fn rehearse_compensations(
        &self,
        choices: &Choices,
        (name, recording): (&str, Option<&Path>),
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Tests, Refused> {
        let methods: Vec<&'static CompensationInfo> = match (name, find(name)) {
            ("all", _) => COMPENSATIONS.iter().collect(),
            (_, Some(method)) => vec![method],
            _ => {
                let names = || COMPENSATIONS.iter().map(|m| m.name).chain(["all"]);
                let help = did_you_mean(name, names())
                    .unwrap_or_else(|| "`interfield compensators` lists them; or write all".into());
                return Err(Refused::new(Cause::Input, format!("`{name}` is not a compensator"), help));
            }
        };
        let (model, places) = self.model(choices)?;
        let refuse = |message: String| {
            Refused::new(
                Cause::Input,
                message,
                "identify the actuators from a recording: `interfield identify-actuator FILE.lab.h5`",
            )
        };
        let mut known: Vec<Vec<Candidate>> = Vec::new();
        let told = recording.map(Signals::open).transpose();
        let told = told.map_err(|(message, help)| Refused::new(Cause::Input, message, help))?;
        for i in 0..model.specimens.len() {
            known.push(match &told {
                Some(signals) => {
                    from_recording(&model, i, signals).map_err(|(m, h)| Refused::new(Cause::Input, m, h))?
                }
                None => identified(&model, i).map_err(refuse)?,
            });
        }
        let mut tried = Vec::new();
        for method in methods {
            let mut changed = model.clone();
            let (mut lines, mut refused) = (Vec::new(), None);
            for (specimen, actuators) in changed.specimens.iter_mut().zip(&known) {
                match set(specimen, method, actuators) {
                    Ok(own) => lines.extend(own),
                    Err(message) => refused = Some(message),
                }
            }
            let outcome = match refused {
                Some(message) => Err(message),
                None => rehearse_model(self, changed, &places, progress)
                    .map_err(|e| e.messages.first().map_or_else(|| e.to_string(), |m| m.message.clone())),
            };
            tried.push(Tried { method, outcome, settings: lines });
        }
        tried.sort_by(|a, b| a.rank().0.cmp(&b.rank().0).then(a.rank().1.total_cmp(&b.rank().1)));
        let named = model.specimens.iter().zip(known).flat_map(|(s, all)| {
            let names: Vec<String> = s.actuators.iter().map(|a| a.name.clone()).collect();
            let specimen = s.name.clone();
            names.into_iter().zip(all).map(move |(a, c)| (specimen.clone(), a, c)).collect::<Vec<_>>()
        });
        let source = recording.map_or_else(|| "an excitation of the emulated rig".into(), |p| p.display().to_string());
        Ok(Tests { actuators: named.collect(), source, tried })
    }

    /// The text of the model with the settings of a tried compensator; none where its actuators are written in a way in which they cannot be
    /// put in, or the text would not mean them.
    pub fn with_settings(&self, text: &str, choices: &Choices, tried: &Tried) -> Option<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let header = |l: &str| l.trim_start().starts_with('[');
        let key = |l: &str, name: &str| {
            l.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        let named = |l: &str, name: &str| key(l, "name") && l.split('"').nth(1) == Some(name);
        for setting in &tried.settings {
            let (mut specimen, mut place, mut own) = (None, None, None);
            for (i, line) in lines.iter().enumerate() {
                let head = line.trim();
                if header(line) {
                    own = match head {
                        h if h.starts_with("[[specimen]]") => Some(false),
                        h if h.starts_with("[[specimen.actuator]]") => Some(true),
                        _ => None,
                    };
                } else if own == Some(false) && key(line, "name") {
                    specimen = line.split('"').nth(1).map(str::to_owned);
                }
                let here = specimen.as_deref() == Some(setting.specimen.as_str());
                match &setting.actuator {
                    Some(actuator) if own == Some(true) && here && named(line, actuator) => place = Some(i),
                    None if own == Some(false) && here && key(line, "name") => place = Some(i),
                    _ => {}
                }
            }
            let start = place?;
            let first = (0..start).rev().find(|&i| header(&lines[i]))?;
            let end = (start + 1..lines.len()).find(|&i| header(&lines[i])).unwrap_or(lines.len());
            let old = (first..end).find(|&i| key(&lines[i], "compensation"));
            match old {
                Some(i) => lines[i].clone_from(&setting.line),
                None => lines.insert(start + 1, setting.line.clone()),
            }
        }
        let text = lines.join("\n") + "\n";
        let folder = self.path().parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let (model, _) = ModelFile::embedded("tuned", text.clone(), folder).model(choices).ok()?;
        let means = |s: &Applied| {
            let specimen = model.specimens.iter().find(|m| m.name == s.specimen)?;
            let place = match &s.actuator {
                Some(name) => specimen.actuators.iter().position(|a| a.name == *name)?,
                None => 0,
            };
            Some(specimen.compensation_of(place).info().name == tried.method.name)
        };
        tried.settings.iter().all(|s| means(s) == Some(true)).then_some(text)
    }
}

/// Actuators of a specimen from a recording that has all of them.
fn from_recording(model: &Model, index: usize, signals: &Signals) -> Result<Vec<Candidate>, (String, String)> {
    let specimen = &model.specimens[index];
    let all = recorded(signals, [None, None])?;
    let one = |actuator: &interfield_language::specimen::Actuator| {
        let full = format!("{}.{}", specimen.name, actuator.name);
        let found = all.iter().find(|r| r.name == full || r.name == actuator.name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
            (format!("the recording has no actuator `{full}`"), format!("it has {}", names.join(", ")))
        })?;
        let refuse = |list: Vec<String>| {
            let help = "record a chirp or noise: `interfield motion --chirp`".to_owned();
            (format!("actuator `{full}` cannot be identified: {}", list.join("; ")), help)
        };
        Ok(identify(&found.motion).map_err(refuse)?.chosen)
    };
    specimen.actuators.iter().map(one).collect()
}

/// Actuators of a specimen, each from its own excitation.
fn identified(model: &Model, index: usize) -> Result<Vec<Candidate>, String> {
    let specimen = &model.specimens[index];
    let wanted = Wanted { band: BAND, amplitude: None, duration: DURATION, order: None };
    let record = excited(model, index, &wanted)?;
    let one = |(i, actuator): (usize, &interfield_language::specimen::Actuator)| {
        let motion = Motion { command: record.commands[i].clone(), reached: record.strokes[i].clone(), dt: record.dt };
        let found = identify(&motion).map_err(|all| {
            format!("actuator `{}` of `{}` cannot be identified: {}", actuator.name, specimen.name, all.join("; "))
        })?;
        Ok(found.chosen)
    };
    specimen.actuators.iter().enumerate().map(one).collect()
}

/// Gives a specimen a compensator with the settings of its actuators; what to write in the model file.
fn set(
    specimen: &mut Specimen,
    method: &'static CompensationInfo,
    actuators: &[Candidate],
) -> Result<Vec<Applied>, String> {
    let make = |all: &[Setting]| -> Result<Compensation, String> {
        let given: Vec<_> = all.iter().map(Setting::argument).collect();
        (method.build)(Arguments(&given))
            .map_err(|e| format!("`{}` of `{}` does not fit these actuators", e.name, method.name))
    };
    let line = |all: &[Setting]| match all {
        [] => format!("compensation = \"{}\"", method.name),
        all => {
            let inner: Vec<String> = all.iter().map(Setting::toml).collect();
            format!("compensation = {{ method = \"{}\", {} }}", method.name, inner.join(", "))
        }
    };
    if method.multivariable {
        let model =
            specimen.linear_plant().ok_or("it needs a model of the actuators, and servo-hydraulic ones have none")?;
        specimen.actuators.iter_mut().for_each(|a| a.compensation = None);
        specimen.compensation = make(&[])?;
        specimen.compensation.set_model(Some(model));
        return Ok(vec![Applied { specimen: specimen.name.clone(), actuator: None, line: line(&[]) }]);
    }
    let mut lines = Vec::new();
    for (actuator, c) in specimen.actuators.iter_mut().zip(actuators) {
        let all = settings(method, c);
        actuator.compensation = Some(make(&all)?);
        let (specimen, name) = (specimen.name.clone(), actuator.name.clone());
        lines.push(Applied { specimen, actuator: Some(name), line: line(&all) });
    }
    Ok(lines)
}

impl Tried {
    /// Worst verdict and worst tracking error: what comes first.
    fn rank(&self) -> (u8, f64) {
        match &self.outcome {
            Err(_) => (4, f64::INFINITY),
            Ok(r) => {
                let grade = match r.grade() {
                    Grade::Good if r.objections().is_empty() => 0,
                    Grade::Good => 1,
                    Grade::Doubtful => 2,
                    Grade::Failed => 3,
                };
                (grade, r.tracking().map_or(f64::INFINITY, |t| t[0]))
            }
        }
    }
}

impl Tests {
    /// The recommended one: a good verdict and nothing against it.
    pub fn recommended(&self) -> Option<&Tried> {
        self.tried.first().filter(|t| t.rank().0 == 0)
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let mut out = format!("actuators, identified from {}\n", self.source);
        let rows: Vec<Vec<String>> = self
            .actuators
            .iter()
            .map(|(specimen, name, c)| {
                vec![
                    format!("{specimen}.{name}"),
                    c.order.to_string(),
                    time(c.number("delay")),
                    time(c.lag()),
                    short(100.0 * c.unexplained),
                ]
            })
            .collect();
        out += &aligned(&["<actuator", "order", "delay", "lag of slow motions", "not explained [%]"], &rows);
        out += "\ncompensators, each with the settings that follow\n";
        let rows: Vec<Vec<String>> = self
            .tried
            .iter()
            .map(|t| {
                let name = t.method.name.to_owned();
                match &t.outcome {
                    Err(why) => vec![name, "-".into(), "-".into(), "-".into(), "not tried".into(), why.clone()],
                    Ok(r) => {
                        let [error, peak, energy] = r
                            .tracking()
                            .unwrap_or([f64::NAN; 3])
                            .map(|x| if x.is_finite() { short(x) } else { "-".into() });
                        vec![name, error, peak, energy, r.grade().word().to_owned(), r.objections().join("; ")]
                    }
                }
            })
            .collect();
        out += &aligned(
            &["<compensation", "error [%]", "peak error [%]", "energy error [%]", "<verdict", "<against it"],
            &rows,
        );
        out += &match self.recommended() {
            Some(best) => {
                format!(
                    "\nrecommended: {}; for the model file:\n\n{}\n",
                    best.method.name,
                    best.settings.iter().map(Applied::told).collect::<Vec<_>>().join("\n")
                )
            }
            None => "\nnone of them is good: slow the test (`time_scale`), or use faster actuators\n".to_owned(),
        };
        out
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let actuator = |(specimen, name, c): &(String, String, Candidate)| {
            json!({
                "specimen": specimen, "actuator": name, "order": c.order, "delay": c.number("delay"), "lag": c.lag(), "not_explained": c.unexplained,
                UNITS: { "delay": "s", "lag": "s", "not_explained": ONE },
            })
        };
        let tried = |t: &Tried| match &t.outcome {
            Err(why) => json!({ "compensation": t.method.name, "verdict": null, "reason": why }),
            Ok(r) => {
                let [error, peak, energy] = r.tracking().unwrap_or([f64::NAN; 3]);
                json!({
                    "compensation": t.method.name, "verdict": r.grade().word(), "objections": r.objections(), "error": error,
                    "peak_error": peak, "energy_error": energy,
                    "toml": t.settings.iter().map(Applied::told).collect::<Vec<_>>(),
                    UNITS: { "error": "%", "peak_error": "%", "energy_error": "%" },
                })
            }
        };
        json!({
            "source": self.source,
            "actuators": self.actuators.iter().map(actuator).collect::<Vec<_>>(),
            "compensators": self.tried.iter().map(tried).collect::<Vec<_>>(),
            "recommended": self.recommended().map(|t| t.method.name),
        })
    }
}
