//! All values that the uncertain numbers of a model may have: the rigs as the certificate sees them, and the model at one point.

use interfield_lab::kinematics::Lever;
use interfield_lab::plant::Transfer;
use interfield_lab::plant::response::Lag;
use interfield_lab::plant::uncertain::{Follows, Spread, Uncertain, UncertainRig};
use interfield_language::Model;
use interfield_language::specimen::uncertain::{Known, Numbers};
use interfield_language::specimen::{Actuator, Dynamics, Specimen};
use interfield_structure::specimen::path::{Tangents, felt};

/// Shortest stretch of a path that counts: tangents that differ by less than this share of those at rest are the same.
const SAME: f64 = 1e-9;

/// One number of a model that is known within an interval.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub specimen: usize,
    /// Its actuator; none: a factor on what the whole specimen is.
    pub actuator: Option<usize>,
    /// Its key.
    pub name: &'static str,
    /// Lowest and highest value, SI; Hz.
    pub range: [f64; 2],
    /// The part of a path in it: factors on the stiffness at rest.
    pub path: Option<[f64; 2]>,
    /// Whether the file says so; if not, it is uncertain by its path alone.
    pub asked: bool,
    /// Share of a distribution that the interval covers.
    pub covered: f64,
    /// Size of the number that the certificate calls one.
    unit: f64,
}

/// All values.
pub(super) struct Region {
    /// What is uncertain.
    pub places: Vec<Place>,
    /// Of each place, where it stands among all numbers of the rigs.
    columns: Vec<usize>,
    /// All numbers of the rigs.
    all: Vec<[f64; 2]>,
}

/// Intervals of an actuator as the certificate sees them: each with its size of one.
fn spread(actuator: &Actuator) -> [(&'static str, f64); Spread::COUNT] {
    let mut copy = actuator.clone();
    let numbers = Numbers::of(&mut copy);
    let lag = |name: &str| numbers.get(name).is_some();
    let gain = match lag("frequency") || lag("time_constant") {
        true => 1.0,
        // That of a transfer function is in it.
        false => numbers.get("gain").unwrap_or(1.0),
    };
    let pace = if lag("time_constant") { "time_constant" } else { "frequency" };
    [("delay", 1.0), ("gain", gain), (pace, 1.0), ("damping", 1.0)]
}

/// Where specimens go, as far as it is known: their tangents.
pub(super) type Along<'a> = &'a [Option<Tangents>];

impl Region {
    /// Of a model, along a path if one is known; the number of a place that is known exactly is not in it.
    pub(super) fn of(model: &Model, along: Along<'_>) -> Self {
        let mut region = Region { places: Vec::new(), columns: Vec::new(), all: Vec::new() };
        for (s, specimen) in model.specimens.iter().enumerate() {
            for (a, actuator) in specimen.actuators.iter().enumerate() {
                let mut copy = actuator.clone();
                let numbers = Numbers::of(&mut copy);
                for (name, unit) in spread(actuator) {
                    let own = numbers.get(name).unwrap_or(unit);
                    let known = actuator.uncertain.all().iter().find(|(n, _)| *n == name).and_then(|(_, k)| *k);
                    let mut range = known.map_or([own; 2], |k| k.range);
                    if name == "delay" {
                        // What swings slowly is at any of its values for a while.
                        range = [(range[0] - actuator.delay[1]).max(0.0), range[1] + actuator.delay[1]];
                    }
                    region.add((s, Some(a), name), (range, unit), known, None);
                }
            }
            let path = along.get(s).copied().flatten();
            for ((name, known), own) in specimen.uncertain.all().into_iter().zip(specimen.uncertain.factors()) {
                let range = known.map_or([own; 2], |k| k.range);
                let factors = path.filter(|_| name == "stiffness").and_then(stiffness_factors);
                let whole = factors.map_or(range, |[low, high]| [low * range[0], high * range[1]]);
                region.add((s, None, name), (whole, 1.0), known, factors);
            }
        }
        region
    }

    fn add(
        &mut self,
        (specimen, actuator, name): (usize, Option<usize>, &'static str),
        (range, unit): ([f64; 2], f64),
        known: Option<&Known>,
        path: Option<[f64; 2]>,
    ) {
        if range[0] < range[1] {
            let covered = known.map_or(1.0, |k| k.covered);
            self.columns.push(self.all.len());
            let asked = path.is_none() || known.is_some();
            self.places.push(Place { specimen, actuator, name, range, path, asked, covered, unit });
        }
        self.all.push(range.map(|x| x / unit));
    }

    /// Whether nothing is uncertain.
    pub(super) fn is_point(&self) -> bool {
        self.places.is_empty()
    }

    /// Intervals of all numbers of the rigs, in the units of the certificate.
    pub(super) fn intervals(&self) -> &[[f64; 2]] {
        &self.all
    }

    /// The same at a point.
    pub(super) fn at(&self, point: &[f64]) -> Vec<[f64; 2]> {
        let mut all: Vec<[f64; 2]> = self.all.clone();
        for ((place, column), x) in self.places.iter().zip(&self.columns).zip(point) {
            all[*column] = [x / place.unit; 2];
        }
        all
    }

    /// The point of some numbers of the rigs.
    pub(super) fn point(&self, all: &[f64]) -> Vec<f64> {
        self.places.iter().zip(&self.columns).map(|(place, column)| all[*column] * place.unit).collect()
    }

    /// Its middle.
    pub(super) fn middle(&self) -> Vec<f64> {
        self.places.iter().map(|p| 0.5 * (p.range[0] + p.range[1])).collect()
    }

    /// The values of the file.
    pub(super) fn own(&self, model: &Model) -> Vec<f64> {
        let own = |place: &Place| {
            let specimen = &model.specimens[place.specimen];
            let found = match place.actuator {
                None => specimen
                    .uncertain
                    .all()
                    .iter()
                    .position(|(n, _)| *n == place.name)
                    .map(|i| specimen.uncertain.factors()[i]),
                Some(a) => Numbers::of(&mut specimen.actuators[a].clone()).get(place.name),
            };
            found.unwrap_or(1.0).clamp(place.range[0], place.range[1])
        };
        self.places.iter().map(own).collect()
    }

    /// The model at a point, with an additional delay of all actuators, s.
    pub(super) fn model(&self, model: &Model, point: &[f64], extra: f64) -> Model {
        let mut model = model.clone();
        for (place, x) in self.places.iter().zip(point) {
            let specimen = &mut model.specimens[place.specimen];
            match place.actuator {
                Some(a) => Numbers::of(&mut specimen.actuators[a]).set(place.name, *x),
                None => {
                    let mut factors = specimen.uncertain.factors();
                    let names = specimen.uncertain.all().map(|(name, _)| name);
                    names.iter().zip(&mut factors).filter(|(n, _)| **n == place.name).for_each(|(_, f)| *f = *x);
                    specimen.uncertain = specimen.uncertain.with_factors(factors);
                }
            }
        }
        model.specimens.iter_mut().flat_map(|s| &mut s.actuators).for_each(|a| a.delay[0] += extra);
        model
    }

    /// The number at a place, in words.
    pub(super) fn says(&self, model: &Model, i: usize) -> String {
        let Some(place) = self.places.get(i) else { return String::new() };
        let specimen = &model.specimens[place.specimen];
        match place.actuator {
            Some(a) => format!("{}.{} {}", specimen.name, specimen.actuators[a].name, place.name.replace('_', " ")),
            None => format!("{} {} factor", specimen.name, place.name),
        }
    }
}

impl Place {
    /// The unit in which its number is told: name, and size.
    pub(super) fn unit(&self) -> (&'static str, f64) {
        match self.name {
            "delay" | "time_constant" => ("ms", 1e-3),
            "frequency" => ("Hz", 1.0),
            _ => ("1", 1.0),
        }
    }

    /// A value as it is written into a file.
    pub(super) fn written(&self, x: f64) -> String {
        match self.name {
            "delay" | "time_constant" => format!("\"{x} s\""),
            "frequency" => format!("\"{x} Hz\""),
            _ => format!("{x:?}"),
        }
    }
}

/// Factors on the stiffness at rest along a path; none if it stays the same.
fn stiffness_factors(t: Tangents) -> Option<[f64; 2]> {
    let [low, high] = t.stiffness.map(|k| k / t.rest[0]);
    (high - low > SAME && low.is_finite() && high.is_finite()).then_some([low, high])
}

/// Why the stiffness of a path cannot be told by factors, or its specimen not by linear responses: a sentence without its subject.
fn unsuited(specimen: &Specimen, path: Option<Tangents>) -> Option<&'static str> {
    let hydraulic = specimen.actuators.iter().any(|a| matches!(a.dynamics, Dynamics::Hydraulic(_)));
    let mounts = specimen.actuators.iter().any(|a| a.mount.is_finite());
    let ranges = [specimen.transducers.is_empty(), specimen.load_cells.is_empty(), specimen.fixtures.is_empty()];
    let reasons = [
        (specimen.plant.is_some(), "has actuators that are described together"),
        (hydraulic, "has a hydraulic actuator, which feels the specimen"),
        (mounts, "has an actuator behind a mount that gives"),
        (ranges.contains(&false), "is measured by instruments besides those of its actuators, or has fixtures"),
        (specimen.actuators.len() != specimen.columns(), "has not one actuator for each degree of freedom"),
        (
            path.is_some_and(|t| t.rest[0] <= 0.0 && t.stiffness[1] > t.stiffness[0]),
            "has no stiffness at rest, but on its path",
        ),
    ];
    reasons.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why)
}

/// The rigs of a model as the bound sees them; the error is the reason why it cannot: a sentence.
pub(super) fn rigs(model: &Model, along: Along<'_>) -> Result<Vec<UncertainRig>, String> {
    let one = |(s, specimen): (usize, &Specimen)| -> Result<UncertainRig, String> {
        let said = |why: String| format!("`{}` {why}", specimen.name);
        let path = along.get(s).copied().flatten();
        if let Some(why) = unsuited(specimen, path) {
            return Err(said(why.to_owned()));
        }
        let felt = felt(model, s).map_err(said)?;
        let m = specimen.actuators.len();
        // Damping along the path may be anywhere between its bounds, also with a phase of its own.
        let beyond = match (path, &specimen.actuators[..]) {
            (Some(t), [a]) => {
                let most = (t.damping[1] - t.rest[1]).max(t.rest[1] - t.damping[0]);
                let factor = if let Lever::Linear(f) = &a.lever {
                    f[0]
                } else {
                    return Err(said("is moved by a strut along its path".to_owned()));
                };
                vec![most.max(0.0) / (specimen.scale * factor * factor)]
            }
            _ => vec![0.0; m * m],
        };
        let actuators = specimen.actuators.iter().map(|a| follows(a, specimen.period)).collect::<Option<Vec<_>>>();
        let actuators = actuators.ok_or_else(|| said("has an actuator whose response is not known".to_owned()))?;
        Ok(UncertainRig {
            actuators,
            matrices: [felt.elastic, felt.damping, felt.mass],
            stored: felt.stored,
            beyond: [vec![0.0; m * m], beyond],
            dt: specimen.period,
        })
    };
    model.specimens.iter().enumerate().map(one).collect()
}

/// How an actuator follows; none if that is not known.
fn follows(actuator: &Actuator, dt: f64) -> Option<Uncertain> {
    let mut copy = actuator.clone();
    let numbers = Numbers::of(&mut copy);
    let follows = match &actuator.dynamics {
        Dynamics::Ideal => Follows::Ideal,
        _ if numbers.get("frequency").is_some() => Follows::SecondOrder(Lag::new()),
        _ if numbers.get("time_constant").is_some() => Follows::FirstOrder(Lag::new()),
        Dynamics::Transfer { numerator, denominator } => {
            let rising = |c: &[f64]| c.iter().rev().copied().collect::<Vec<f64>>();
            Follows::Transfer(Transfer::new(&rising(numerator), &rising(denominator), dt)?)
        }
        Dynamics::Hydraulic(_) => return None,
    };
    Some(Uncertain { follows, displacement_gain: actuator.displacement.gain, force_gain: actuator.force.gain })
}
