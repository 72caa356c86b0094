//! Laws from measured deformations and forces.

use interfield::identify::law::{Compared, Finding, Measured};
use interfield::identify::signals::{Signal, Signals, unit};
use interfield_language::units::Dimension;
use interfield_learn::{Extras, Family, Identified, Levels, Options, Preparation, Prepared, Record, identify, prepare};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::source::Failure;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(columns, module)?)?;
    module.add_function(wrap_pyfunction!(law, module)?)
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;

fn said((message, help): (String, String)) -> Failure {
    Failure::Said(message, help)
}

/// Times in s, and name, unit and numbers of each column of a text file.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn columns<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<(Floats<'py>, Vec<(String, String, Floats<'py>)>)> {
    let signals = Signals::open(&path).map_err(said)?;
    let one = |name: &&str| signals.channel(name);
    let found = signals.names().iter().map(one).collect::<Result<Vec<_>, _>>().map_err(said)?;
    let all = found.into_iter().map(|s| (s.name, s.unit, s.values.into_pyarray(py))).collect();
    Ok((signals.time.into_pyarray(py), all))
}

/// A channel: name, unit, numbers.
type Given<'py> = (String, String, PyReadonlyArray1<'py, f64>);

fn signal((name, unit, values): &Given<'_>) -> Signal {
    Signal { name: name.clone(), unit: unit.clone(), values: values.as_array().to_vec() }
}

/// What is asked, as Python says it.
#[derive(FromPyObject)]
struct Asked {
    element: String,
    fixed: Vec<(String, f64)>,
    delay: bool,
    offset: bool,
    loaded: bool,
    smooth: bool,
    dead_band: bool,
    levels: bool,
    substeps: usize,
}

impl Asked {
    fn families(&self) -> Result<Vec<Family>, Failure> {
        if self.element == "auto" {
            return Ok(Family::ALL.to_vec());
        }
        let names = || Family::ALL.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
        Family::named(&self.element).map(|f| vec![f]).ok_or_else(|| {
            Failure::Said(
                format!("`{}` is not a law that can be identified", self.element),
                format!("choose one of {}, auto", names()),
            )
        })
    }

    /// What is fixed; of several laws, for those that have it.
    fn options(&self, family: Family, prepared: &Prepared) -> Options {
        let known = family.variables(&prepared.samples.size());
        let holds = |name: &str| self.element != "auto" || known.iter().any(|v| v.name == name);
        Options {
            fixed: self.fixed.iter().filter(|(name, _)| holds(name)).cloned().collect(),
            delay: self.delay,
            offset: self.offset,
            loaded: self.loaded,
            substeps: self.substeps,
        }
    }
}

/// In SI, with the units that it was measured in.
fn record(t: Vec<f64>, q: &Signal, p: &Signal, v: Option<&Signal>) -> Result<(Record, Measured), Failure> {
    let moment = Dimension::FORCE.times(Dimension::LENGTH);
    let measured = Measured {
        deformation: unit(q, None, "deformation", "`units`", &[Dimension::LENGTH, Dimension::NONE]).map_err(said)?,
        force: unit(p, None, "force", "`units`", &[Dimension::FORCE, moment]).map_err(said)?,
    };
    let si = |s: &Signal, factor: f64| s.values.iter().map(|x| x * factor).collect::<Vec<f64>>();
    let rate = match v {
        None => None,
        Some(v) => {
            let own = measured.deformation.1.dim.per(Dimension::TIME);
            let (_, unit) = unit(v, None, "rate", "`units`", &[own]).map_err(said)?;
            Some(si(v, unit.factor))
        }
    };
    let record = Record { t, q: si(q, measured.deformation.1.factor), v: rate, p: si(p, measured.force.1.factor) };
    Ok((record, measured))
}

/// Identifies: (text, JSON, block of a model file; times, deformations, measured and computed forces in SI).
#[pyfunction]
#[allow(clippy::type_complexity)]
fn law<'py>(
    py: Python<'py>,
    t: PyReadonlyArray1<'py, f64>,
    deformation: Given<'py>,
    force: Given<'py>,
    rate: Option<Given<'py>>,
    asked: Asked,
    source: &str,
) -> PyResult<(String, String, String, [Floats<'py>; 4])> {
    let (q, p, v) = (signal(&deformation), signal(&force), rate.as_ref().map(signal));
    let (record, measured) = record(t.as_array().to_vec(), &q, &p, v.as_ref())?;
    let families = asked.families()?;
    let auto = families.len() > 1;
    let wanted = Preparation {
        smooth: asked.smooth,
        dead_band: asked.dead_band,
        rate: auto || families.iter().any(|f| f.needs_rate()),
    };
    let prepared = prepare(&record, wanted).map_err(|problems| Failure::from(problems.join("\n")))?;
    let levels = if asked.levels { Levels::Always } else { Levels::IfNeeded };
    let mut failures = Vec::new();
    let mut fit = |py: Python<'py>, family: Family, levels: Levels| -> PyResult<Option<Identified>> {
        py.check_signals()?;
        let options = asked.options(family, &prepared);
        let found = py.detach(|| identify(family, &prepared, &options, Extras { validate: true, levels }));
        Ok(found.map_err(|why| failures.push(why)).ok())
    };
    let mut laws = Vec::new();
    for &family in &families {
        // Laws are compared without levels; the recommended one then gets them.
        laws.extend(fit(py, family, if auto { Levels::Never } else { levels })?);
    }
    let compared = if auto { Compared::of(laws.clone()) } else { None };
    let best = compared.as_ref().map(|c| c.laws[0].family);
    let again = best.map(|family| fit(py, family, levels)).transpose()?.flatten();
    let Some(found) = again.as_ref().or(laws.first()) else {
        return Err(Failure::Said(failures.join("; "), "choose another element, or \"auto\"".to_owned()).into());
    };
    let finding = Finding { prepared: &prepared, found, measured: &measured, source };
    let mut told: Value = finding.json();
    told["data_warnings"] = json!(prepared.warnings);
    told["failures"] = json!(failures);
    let mut text = finding.text();
    if let Some(compared) = &compared {
        told["compared"] = compared.json();
        text = compared.text() + "\n" + &text;
    }
    let (block, computed) = (finding.toml(), found.force.clone());
    let Prepared { samples, t, .. } = prepared;
    let arrays = [t, samples.q, samples.p, computed].map(|x| x.into_pyarray(py));
    Ok((text, told.to_string(), block, arrays))
}
