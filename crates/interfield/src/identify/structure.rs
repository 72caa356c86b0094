//! Elements of a structure, several at once, from its measured response: the model is run with other parameters until its channels are those
//! that were measured (output error), each weighted by its standard deviation. Derivatives are central differences: a run that was
//! stepped exactly the same way differs by its parameters alone.

use interfield_kernel::element::AnyLaw;
use interfield_kernel::element::info::Unit as Shape;
use interfield_language::diag::did_you_mean;
use interfield_language::formula::FormulaElement;
use interfield_language::model::{Channel, Kind};
use interfield_language::units::{Dimension, Unit};
use interfield_language::update::PARAMETERS;
use interfield_language::{Model, law_dimension};
use interfield_learn::general::{Effort, Fitted, Predicts, Task, Unknown, identify, not_explained};
use interfield_learn::online::{COUNT, Hysteresis};
use interfield_learn::quality::{deviation, unexplained};
use interfield_structure::Structure;
use interfield_structure::learning::without;
use interfield_structure::specimen::Rehearsal;

use super::element::unknown;
use super::signals::{Problem, Signals};

/// Most samples of a channel that are compared.
const MOST: usize = 4000;
/// Runs are dear: a first guess is known, and some starts beside it.
const EFFORT: Effort = Effort { screened: 16, refined: 2 };
/// Part of the first guess to either side, in which other starts are looked for.
const RANGE: f64 = 5.0;

/// Parameters of an element.
enum Of {
    /// A hysteretic law, by parameters that mean the same whatever the exponent is.
    Shaped(Hysteresis, [f64; COUNT]),
    /// A law by the numbers of its catalogue.
    Law(AnyLaw, Vec<f64>),
    /// Formulas.
    Formula(Box<FormulaElement>),
}

/// What a number is measured in.
#[derive(Clone, Debug)]
pub struct Label {
    /// Name of the unit in the model.
    pub unit: String,
    /// One of it in SI.
    pub factor: f64,
}

/// A searched number: its element, its place there.
struct Place {
    part: usize,
    at: usize,
}

/// A structure whose response was measured.
pub struct Response {
    model: Model,
    elements: Vec<(usize, Of)>,
    places: Vec<Place>,
    /// What is searched.
    pub unknowns: Vec<Unknown>,
    /// Units of what is searched.
    pub labels: Vec<Label>,
    /// Names of the compared channels.
    pub channels: Vec<String>,
    /// Times at which they are compared, s.
    times: Vec<f64>,
    /// Measured numbers, SI, channel after channel.
    pub measured: Vec<f64>,
    /// What to know of the data.
    pub warnings: Vec<String>,
}

/// What was found of a structure.
pub struct Found {
    /// The numbers.
    pub fitted: Fitted,
    /// Channels with the part of them that is not explained.
    pub channels: Vec<(String, f64)>,
    /// Part of all channels that is not explained.
    pub unexplained: f64,
}

impl Response {
    /// A model and measurements of its channels; `elements` are those whose parameters are searched, all but those that are `fixed`
    /// (`NAME.PARAMETER`), or those that are `free`.
    ///
    /// # Errors
    /// What is wrong with the data or the elements.
    pub fn new(
        model: &Model,
        signals: &Signals,
        elements: &[String],
        (fixed, free): (&[(String, f64)], &[String]),
        window: [Option<f64>; 2],
    ) -> Result<Self, Problem> {
        let mut own = Response {
            model: without(model.clone()),
            elements: Vec::new(),
            places: Vec::new(),
            unknowns: Vec::new(),
            labels: Vec::new(),
            channels: Vec::new(),
            times: Vec::new(),
            measured: Vec::new(),
            warnings: Vec::new(),
        };
        let mut named = Vec::new();
        for name in elements {
            let names = || model.elements.iter().map(|e| e.name.as_str());
            let e = model.elements.iter().position(|e| e.name == *name).ok_or_else(|| {
                let help = did_you_mean(name, names())
                    .unwrap_or_else(|| format!("it has {}", names().collect::<Vec<_>>().join(", ")));
                (format!("the model has no element `{name}`"), help)
            })?;
            named.extend(own.open(e, fixed, free).map_err(|message| (message, FIRST.to_owned()))?);
        }
        let asked = fixed.iter().map(|f| &f.0).chain(free);
        if let Some(wrong) = asked.clone().find(|n| !named.contains(*n)) {
            return Err((format!("`{wrong}` is none of the parameters"), format!("they are {}", named.join(", "))));
        }
        if own.unknowns.is_empty() {
            return Err(("nothing is left to identify".into(), "remove --fix".into()));
        }
        own.measure(signals, window)?;
        Ok(own)
    }

    /// Takes the parameters of an element; gives the names of all of them.
    fn open(&mut self, e: usize, fixed: &[(String, f64)], free: &[String]) -> Result<Vec<String>, String> {
        let (element, part) = (self.model.elements[e].clone(), self.elements.len());
        let angle =
            |c: Option<&Vec<(usize, f64)>>| c.and_then(|c| c.first()).is_some_and(|t| self.model.dofs[t.0].angle);
        let units = self.model.units.clone();
        let label = |dim: Dimension| Label { unit: units.label(dim), factor: units.factor(dim) };
        let (mut of, list): (Of, Vec<(usize, String, f64, Label)>) = match &element.kind {
            Kind::Law { law, coordinates, .. } => {
                let angle = angle(coordinates.first());
                let along = if angle { Dimension::ANGLE } else { Dimension::LENGTH };
                let shaped = Hysteresis::named(law.info().name)
                    .and_then(|shape| Some((shape, law.with_parameters(|p| shape.parameters(p))?)));
                match shaped {
                    Some((shape, x)) => {
                        let all = (0..COUNT).filter(|&i| shape.has(i) && x[i] != 0.0 && x[i].is_finite());
                        let one = |i: usize| {
                            (i, PARAMETERS[i].0.to_owned(), x[i], label(PARAMETERS[i].1.dimension(along, 1.0)))
                        };
                        (Of::Shaped(shape, x), all.map(one).collect())
                    }
                    None => {
                        let values = law.with_parameters(<[f64]>::to_vec);
                        let parameters = law.info().parameters;
                        let n = parameters.iter().position(|p| p.name == "n").map_or(1.0, |i| values[i]);
                        let own = |i: &usize| {
                            values[*i] != 0.0 && values[*i].is_finite() && parameters[*i].unit != Shape::NONE
                                || parameters[*i].default.is_none()
                        };
                        let one = |i: usize| {
                            let p = &parameters[i];
                            (i, p.name.to_owned(), values[i], label(law_dimension(p.unit, angle, n)))
                        };
                        let list = (0..values.len()).filter(own).filter(|i| values[*i] != 0.0).map(one).collect();
                        (Of::Law(*law, values), list)
                    }
                }
            }
            Kind::Formula { element, .. } => {
                let one = |(name, value): &(String, f64)| (name.clone(), *value);
                let all: Vec<(String, f64)> = element.constants().map(one).collect();
                let place = |name: &str| element.spec().constants.iter().position(|c| c.0 == name).unwrap_or(0);
                let list = all
                    .into_iter()
                    .filter(|c| c.1 != 0.0)
                    .map(|(name, value)| (place(&name), name, value, Label { unit: String::new(), factor: 1.0 }))
                    .collect();
                (Of::Formula(element.clone()), list)
            }
            _ => {
                return Err(format!(
                    "`{}` is a `{}`: parameters of laws and formulas can be identified from a response",
                    element.name, element.type_name
                ));
            }
        };
        let mut names = Vec::new();
        for (at, name, first, label) in list {
            let full = format!("{}.{name}", element.name);
            names.push(full.clone());
            if let Some((_, value)) = fixed.iter().find(|f| f.0 == full) {
                of.set(at, *value);
            } else if free.is_empty() || free.contains(&full) {
                let mut unknown = unknown(&full, first)?;
                unknown.bounds = [first.abs() / RANGE, first.abs() * RANGE];
                // Below a half it gives energy on some paths, above three halves it is no law.
                if matches!((&of, at), (Of::Shaped(..), 2)) {
                    unknown.bounds = [0.5, 1.5];
                }
                if matches!((&of, at), (Of::Shaped(..), 3)) {
                    unknown.bounds = [0.5, 8.0];
                }
                self.places.push(Place { part, at });
                self.unknowns.push(unknown);
                self.labels.push(label);
            }
        }
        self.elements.push((e, of));
        Ok(names)
    }

    /// Channels that the file and the model have.
    fn measure(&mut self, signals: &Signals, [from, to]: [Option<f64>; 2]) -> Result<(), Problem> {
        let t = &signals.time;
        let last = self.model.analysis.duration;
        let within = |t: f64| t >= from.unwrap_or(0.0).max(0.0) && t <= to.unwrap_or(last).min(last * (1.0 + 1e-9));
        if let Some(k) = t.windows(2).position(|t| t[1] <= t[0] || t[1].is_nan()) {
            return Err((format!("the time does not increase after {} s", t[k]), "correct the file".into()));
        }
        let kept: Vec<usize> = (0..t.len()).filter(|&k| within(t[k])).collect();
        let every = kept.len().div_ceil(MOST).max(1);
        let kept: Vec<usize> = kept.into_iter().step_by(every).collect();
        if kept.len() < 40 {
            let help = format!("the analysis of the model ends at {last} s: times count from its beginning");
            return Err((format!("{} samples within the time of the model; at least 40 are needed", kept.len()), help));
        }
        if t.last().is_some_and(|t| *t > last * (1.0 + 1e-6)) {
            self.warnings.push(format!("the data go on after the {last} s of the model: the rest is not used"));
        }
        let step = (kept.windows(2).map(|k| t[k[1]] - t[k[0]]).sum::<f64>()) / (kept.len() - 1) as f64;
        if let Some(k) = kept.windows(2).find(|k| t[k[1]] - t[k[0]] > 1.5 * step) {
            self.warnings.push(format!("samples are missing after {} s: the response there is not compared", t[k[0]]));
        }
        self.times = kept.iter().map(|&k| t[k]).collect();
        let names = signals.names();
        let mut used: Vec<Channel> = Vec::new();
        for channel in self.model.channels.iter().filter(|c| names.contains(&c.name.as_str())) {
            let signal = signals.channel(&channel.name)?;
            let factor = if signal.unit == channel.unit { 1.0 / channel.factor } else { same(&signal.unit, channel)? };
            let values: Vec<f64> = kept.iter().map(|&k| signal.values[k] * factor).collect();
            let bad = values.iter().filter(|x| !x.is_finite()).count();
            if bad > 0 {
                let message =
                    format!("`{}` is NaN (not a number) or infinite in {bad} of {} samples", channel.name, kept.len());
                return Err((message, "use the part before or after it (--from, --to), or remove the column".into()));
            }
            let most = values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if deviation(&values) <= 1e-9 * most || most == 0.0 {
                self.warnings.push(format!("`{}` is constant: it tells nothing", channel.name));
                continue;
            }
            self.measured.extend(values);
            used.push(Channel { factor: 1.0, unit: String::new(), ..channel.clone() });
        }
        if used.is_empty() {
            let own: Vec<&str> = self.model.channels.iter().map(|c| c.name.as_str()).take(12).collect();
            let message = "no channel of the file is recorded by the model".to_owned();
            return Err((message, format!("name the columns as the model's [record] does: {}", own.join(", "))));
        }
        self.channels = used.iter().map(|c| c.name.clone()).collect();
        self.model.channels = used;
        Ok(())
    }

    /// Times at which channels are compared, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Identifies.
    ///
    /// # Errors
    /// A sentence.
    pub fn identify(mut self) -> Result<(Self, Found), String> {
        // What the elements have no part in, such as a load, is the same whatever they are, and would make intervals too narrow.
        let first: Vec<f64> = self.unknowns.iter().map(|u| u.first.unwrap_or(1.0)).collect();
        let base = self.run(&first)?;
        let other = self.run(&first.iter().map(|x| 1.02 * x).collect::<Vec<_>>())?;
        let n = self.times.len();
        let touched: Vec<usize> =
            (0..self.channels.len()).filter(|c| base[c * n..(c + 1) * n] != other[c * n..(c + 1) * n]).collect();
        if touched.is_empty() {
            return Err("the recorded channels do not depend on these elements: do they carry load?".into());
        }
        let keep = |x: &[f64]| touched.iter().flat_map(|c| x[c * n..(c + 1) * n].to_vec()).collect::<Vec<f64>>();
        self.measured = keep(&self.measured);
        self.channels = touched.iter().map(|&c| self.channels[c].clone()).collect();
        self.model.channels = touched.iter().map(|&c| self.model.channels[c].clone()).collect();
        let size = |c: usize| deviation(&self.measured[c * n..(c + 1) * n]);
        let weights: Vec<f64> = (0..self.channels.len()).flat_map(|c| vec![1.0 / size(c); n]).collect();
        let task =
            Task { predicts: &self, unknowns: self.unknowns.clone(), measured: &self.measured, weights, scaled: false };
        let mut fitted = identify(&task, EFFORT, &[])?;
        let channel = |c: usize| {
            let range = c * n..(c + 1) * n;
            unexplained(&self.measured[range.clone()], &fitted.predicted[range.clone()], 0..n)
        };
        let channels: Vec<(String, f64)> =
            self.channels.iter().cloned().zip((0..self.channels.len()).map(channel)).collect();
        let all = (channels.iter().map(|c| c.1 * c.1).sum::<f64>() / channels.len() as f64).sqrt();
        fitted.warnings.extend(not_explained(all));
        Ok((self, Found { fitted, channels, unexplained: all }))
    }

    /// The model with these numbers.
    fn with(&self, unknowns: &[f64]) -> Option<Model> {
        let mut model = self.model.clone();
        let mut changed: Vec<Of> = self.elements.iter().map(|(_, of)| of.again()).collect();
        self.places.iter().zip(unknowns).for_each(|(p, x)| changed[p.part].set(p.at, *x));
        for ((e, _), of) in self.elements.iter().zip(changed) {
            of.put(&mut model.elements[*e].kind)?;
        }
        Some(model)
    }

    /// All channels at all times, channel after channel.
    fn run(&self, unknowns: &[f64]) -> Result<Vec<f64>, String> {
        let model = self.with(unknowns).ok_or("a parameter is out of its range")?;
        let first =
            |list: Vec<interfield_language::Problem>| list.into_iter().next().map_or_else(String::new, |p| p.message);
        let mut sim = Structure::new(model).and_then(|s| s.start(&mut Rehearsal)).map_err(first)?;
        let (n, dt) = (self.times.len(), sim.dt());
        let width = self.channels.len();
        let mut out = vec![0.0; n * width];
        let (mut row, mut before) = (vec![0.0; width], vec![0.0; width]);
        sim.sample(0, &mut row).map_err(|f| sim.explain(f))?;
        let mut next = 0;
        for k in 0..sim.steps() {
            core::mem::swap(&mut row, &mut before);
            let mut taken = || {
                sim.step(k)?;
                sim.sample(k + 1, &mut row)
            };
            if let Err(fault) = taken() {
                return Err(sim.explain(fault));
            }
            let end = (k + 1) as f64 * dt;
            while next < n && self.times[next] <= end * (1.0 + 1e-12) {
                let share = ((self.times[next] - k as f64 * dt) / dt).clamp(0.0, 1.0);
                (0..width).for_each(|c| out[c * n + next] = before[c] + share * (row[c] - before[c]));
                next += 1;
            }
        }
        (next == n).then_some(out).ok_or_else(|| "the run ends before the data".into())
    }

    /// Keys of the elements for the model file, in its units.
    pub fn toml(&self, unknowns: &[f64]) -> String {
        let Some(model) = self.with(unknowns) else { return String::new() };
        let mut out = String::new();
        for (e, of) in &self.elements {
            let element = &model.elements[*e];
            out += &format!("# of the element `{}`:\n", element.name);
            match (&element.kind, of) {
                (Kind::Law { law, coordinates, .. }, _) => {
                    let angle = coordinates.first().and_then(|c| c.first()).is_some_and(|t| model.dofs[t.0].angle);
                    law.with_parameters(|values| {
                        let all = law.info().parameters;
                        let n = all.iter().position(|p| p.name == "n").map_or(1.0, |i| values[i]);
                        for (p, x) in all.iter().zip(values) {
                            let dim = law_dimension(p.unit, angle, n);
                            // Units that contain an exponent have no name: the number counts in the units of the file.
                            out += &format!("{} = {:e}\n", p.name, x / model.units.factor(dim));
                        }
                    });
                }
                (Kind::Formula { element, .. }, _) => {
                    let all: Vec<String> = element.constants().map(|(n, x)| format!("{n} = {x:e}")).collect();
                    out += &format!("parameters = {{ {} }}\n", all.join(", "));
                }
                _ => {}
            }
        }
        out
    }
}

const FIRST: &str =
    "give the element a first guess in the model; `interfield identify DATA --element TYPE` fits one loop without";

/// The factor to SI of a channel that is in another unit than the model has.
fn same(unit: &str, channel: &Channel) -> Result<f64, Problem> {
    let wrong = || {
        let message = if unit.is_empty() {
            format!("`{}` has no unit", channel.name)
        } else {
            format!("`{}` is in {unit}, and the model records it in {}", channel.name, channel.unit)
        };
        (message, format!("write it as `{} [{}]`", channel.name, channel.unit))
    };
    let (one, own) = (Unit::parse(unit).map_err(|_| wrong())?, Unit::parse(&channel.unit).map_err(|_| wrong())?);
    if one.dim == own.dim && !unit.is_empty() { Ok(one.factor) } else { Err(wrong()) }
}

impl Of {
    fn again(&self) -> Of {
        match self {
            Of::Shaped(shape, x) => Of::Shaped(*shape, *x),
            Of::Law(law, x) => Of::Law(*law, x.clone()),
            Of::Formula(element) => Of::Formula(element.clone()),
        }
    }

    fn set(&mut self, at: usize, value: f64) {
        match self {
            Of::Shaped(_, x) => x[at] = value,
            Of::Law(_, x) => x[at] = value,
            Of::Formula(element) => {
                let mut spec = element.spec().clone();
                spec.constants[at].1 = value;
                if let Ok(new) = FormulaElement::new(&spec) {
                    **element = new;
                }
            }
        }
    }

    fn put(self, kind: &mut Kind) -> Option<()> {
        match (self, kind) {
            (Of::Shaped(shape, x), Kind::Law { law, .. }) => {
                let mut out = [0.0; COUNT];
                let count = shape.element(&x, &mut out);
                *law = AnyLaw::new(law.info().name, &out[..count])?;
            }
            (Of::Law(_, x), Kind::Law { law, .. }) => {
                let all = law.info().parameters;
                let sound = all.iter().zip(&x).all(|(p, x)| p.range.contains(*x));
                *law = AnyLaw::new(law.info().name, &x).filter(|_| sound)?;
            }
            (Of::Formula(new), Kind::Formula { element, .. }) => *element = new,
            _ => return None,
        }
        Some(())
    }
}

impl Predicts for Response {
    fn predict(&self, unknowns: &[f64]) -> Option<Vec<f64>> {
        self.run(unknowns).ok().filter(|y| y.iter().all(|y| y.is_finite()))
    }

    fn names(&self) -> Vec<String> {
        self.unknowns.iter().map(|u| u.name.clone()).collect()
    }

    fn report(&self, unknowns: &[f64], _: f64) -> Vec<f64> {
        unknowns.to_vec()
    }
}
