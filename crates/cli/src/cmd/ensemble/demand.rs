//! What the runs are judged by: the largest value of a channel or of all storey drifts, and limits of it.

use interfield_ensemble::Figure;
use interfield_ensemble::ida::Collapse;
use interfield_language::Model;
use interfield_language::diag::did_you_mean;
use interfield_language::model::Quantity;
use interfield_language::quantity::Scope;
use interfield_language::units::Unit;

use super::question::{Mistake, first};

/// Name of the largest storey drift among the channels.
const DRIFT: &str = "drift";

/// Storey drift beyond which a building counts as collapsed where nothing else is said, %: models have lost their meaning there
/// (Vamvatsikos & Cornell 2002, sec. 5).
const LARGEST_DRIFT: f64 = 10.0;

/// Which figure of a channel is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Peak,
    Rms,
    Final,
    Residual,
}

impl Taken {
    const ALL: [(&'static str, Self); 4] =
        [("peak", Self::Peak), ("rms", Self::Rms), ("final", Self::Final), ("residual", Self::Residual)];

    /// Its magnitude.
    fn of(self, figure: &Figure) -> f64 {
        match self {
            Self::Peak => figure.peak.abs(),
            Self::Rms => figure.rms,
            Self::Final => figure.last.abs(),
            Self::Residual => figure.residual.abs(),
        }
    }
}

/// A demand: the largest magnitude of a figure over some channels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Demand {
    /// As it is written.
    name: String,
    /// For axes and tables, in words.
    pub words: String,
    pub unit: String,
    /// Channels of the model.
    pub channels: Vec<usize>,
    taken: Taken,
}

impl Demand {
    /// Reads `[peak|rms|final|residual] CHANNEL`, where the channel `drift` is the largest of all storey drifts.
    pub(super) fn read(text: &str, model: &Model) -> Result<Self, Mistake> {
        let text = text.trim();
        let (word, rest) = text.split_once(' ').unwrap_or(("", text));
        let taken = Taken::ALL.iter().find(|m| m.0 == word).map(|m| m.1);
        let name = if taken.is_some() { rest.trim() } else { text };
        let taken = taken.unwrap_or(Taken::Peak);
        let found = model.channels.iter().position(|c| c.name == name);
        let drifts = drifts(model);
        if found.is_none() && name == DRIFT && !drifts.is_empty() {
            return Ok(Self::drift(drifts, taken));
        }
        let channel = found.ok_or_else(|| {
            let all = !drifts.is_empty();
            let names = || model.channels.iter().map(|c| c.name.as_str()).chain(all.then_some(DRIFT));
            let known: Vec<&str> = names().take(20).collect();
            let help = match did_you_mean(name, names()) {
                _ if name == DRIFT => "write a [[drift]] for each storey into the model".to_owned(),
                Some(near) => near,
                None => format!("the model records {}", known.join(", ")),
            };
            (format!("no channel `{name}` is recorded"), help)
        })?;
        let c = &model.channels[channel];
        let words = match taken {
            Taken::Peak => format!("largest {name}"),
            Taken::Rms => format!("root mean square of {name}"),
            Taken::Final => format!("final {name}"),
            Taken::Residual => format!("residual {name}"),
        };
        Ok(Self { name: name.to_owned(), words, unit: c.unit.clone(), channels: vec![channel], taken })
    }

    fn drift(channels: Vec<usize>, taken: Taken) -> Self {
        let words = match taken {
            Taken::Peak => "largest storey drift",
            Taken::Rms => "largest root mean square of a storey drift",
            Taken::Final => "largest final storey drift",
            Taken::Residual => "largest residual storey drift",
        };
        Self { name: DRIFT.to_owned(), words: words.to_owned(), unit: "%".to_owned(), channels, taken }
    }

    /// The one that was asked for, or the most natural one: the largest storey drift, what the first limit is about, or the first channel.
    pub(super) fn choose(wanted: Option<&str>, limits: &[Limit], model: &Model) -> Result<Option<Self>, Mistake> {
        if let Some(text) = wanted {
            return Self::read(text, model)
                .map(Some)
                .map_err(|(why, help)| (format!("--demand \"{text}\": {why}"), help));
        }
        let drifts = drifts(model);
        if !drifts.is_empty() {
            return Ok(Some(Self::drift(drifts, Taken::Peak)));
        }
        let natural = || model.channels.first().and_then(|c| Self::read(&c.name, model).ok());
        Ok(limits.first().map(|l| l.demand.clone()).or_else(natural))
    }

    /// `words [unit]`.
    pub(super) fn label(&self) -> String {
        if self.unit.is_empty() { self.words.clone() } else { format!("{} [{}]", self.words, self.unit) }
    }

    /// Its value for a run with these figures; `None` where it is not known.
    pub(super) fn of(&self, figures: &[Figure]) -> Option<f64> {
        let values = self.channels.iter().map(|&c| figures.get(c).map(|f| self.taken.of(f)).filter(|x| x.is_finite()));
        values.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }

    /// Whether it is a value that remains after the motion.
    pub(super) fn is_residual(&self) -> bool {
        self.taken == Taken::Residual
    }

    /// A value written with or without a unit, in the unit of the demand.
    fn value(&self, text: &str, model: &Model) -> Result<f64, Mistake> {
        let example = || format!("write a value in {}", if self.unit.is_empty() { "no unit" } else { &self.unit });
        let value = Scope::new(model.units.clone()).evaluate(text).map_err(|e| (first(&e), example()))?;
        match (value.dim, Unit::parse(&self.unit)) {
            (None, _) => Ok(value.si),
            (Some(found), Ok(unit)) if found == unit.dim => {
                let si = value.at(unit.dim, &model.units).map_err(|(why, _)| (why, example()))?;
                Ok(si / unit.factor)
            }
            (Some(found), Ok(unit)) => {
                let why =
                    format!("`{}` is {}, but {} is {}", self.name, unit.dim.describe(), text.trim(), found.describe());
                Err((why, example()))
            }
            (Some(_), Err(_)) => Err((format!("`{}` has no unit", self.name), "write a plain number".to_owned())),
        }
    }

    /// What counts as collapse: a value of the demand, or `slope` for the rule of 20 %.
    pub(super) fn collapse(&self, text: Option<&str>, model: &Model) -> Result<Collapse, Mistake> {
        let refuse = |why: String, help: String| (format!("--collapse \"{}\": {why}", text.unwrap_or_default()), help);
        let Some(text) = text else {
            let drift = self.name == DRIFT && self.taken == Taken::Peak;
            return Ok(if drift { Collapse::Demand(LARGEST_DRIFT) } else { Collapse::Stopped });
        };
        if text.trim() == "slope" {
            return Ok(Collapse::Slope(0.2));
        }
        let value = self.value(text, model).map_err(|(why, help)| refuse(why, format!("{help}, or `slope`")))?;
        match value > 0.0 && value.is_finite() {
            true => Ok(Collapse::Demand(value)),
            false => Err(refuse(
                "it is not greater than zero".to_owned(),
                "write for example --collapse \"10 %\"".to_owned(),
            )),
        }
    }
}

/// The channels that are storey drifts.
fn drifts(model: &Model) -> Vec<usize> {
    let is_drift = |c: &usize| matches!(model.channels[*c].quantity, Quantity::Drift { .. });
    (0..model.channels.len()).filter(is_drift).collect()
}

/// A limit state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    /// As it was written.
    pub text: String,
    pub demand: Demand,
    /// In the unit of the demand.
    pub threshold: f64,
}

impl Limit {
    /// Reads `DEMAND > VALUE` for the channels of a model.
    fn read(text: &str, model: &Model) -> Result<Self, Mistake> {
        let refuse = |(why, help): Mistake| (format!("--exceeds \"{text}\": {why}"), help);
        let example = || "write for example --exceeds \"storey1.deformation > 20 mm\"".to_owned();
        let (left, right) =
            text.split_once('>').ok_or_else(|| refuse(("there is no `>` in it".to_owned(), example())))?;
        let demand = Demand::read(left, model).map_err(refuse)?;
        let threshold = demand.value(right, model).map_err(refuse)?;
        if !(threshold > 0.0 && threshold.is_finite()) {
            return Err(refuse(("a limit is greater than zero: it is one of a magnitude".to_owned(), example())));
        }
        Ok(Self { text: text.trim().to_owned(), demand, threshold })
    }
}

/// All limits, or all that is wrong with them.
pub(super) fn limits(texts: &[String], model: &Model) -> Result<Vec<Limit>, Vec<Mistake>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for text in texts {
        match Limit::read(text, model) {
            Ok(limit) => good.push(limit),
            Err(mistake) => bad.push(mistake),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}
