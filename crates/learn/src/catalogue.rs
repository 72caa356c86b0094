//! Laws and materials of the registries as they are, from deformations and forces: parameters by their names, ranges and units alone.
//!
//! The boxes follow from the units: a force is measured by the largest force of the data, a deformation by the largest deformation, a rate by
//! the largest rate, so that the search is the same from nanometres to kilometres. All parameters that are forces, in whatever power, scale
//! together: the factor is eliminated, and the first of them is one.
//! **Must not be here:** equations of a law.

use interfield_kernel::Dual;
use interfield_kernel::element::info::{Info, Parameter, Range, Unit};
use interfield_kernel::element::{AnyLaw, Element as _, LAWS};
use interfield_kernel::uniaxial::Pace;
use interfield_kernel::uniaxial::combined::Library;
use interfield_kernel::uniaxial::material::{MATERIALS, MOST, Material};

use crate::general::{Predicts, Unknown};
use crate::law::{Scale, Size};
use crate::problem::Samples;

/// A number on a scale of logarithms, over its natural size.
const WIDE: [f64; 2] = [0.01, 30.0];
/// A number without unit that is positive.
const PURE: [f64; 2] = [0.02, 100.0];

/// What is identified.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A law of the elements with one coordinate.
    Law(&'static Info),
    /// A material with parameters alone.
    Material(&'static Info),
}

impl Kind {
    /// All of them: laws with one coordinate, and materials with parameters alone.
    pub fn all() -> impl Iterator<Item = Kind> {
        let single = |info: &&Info| {
            let zeros: Vec<f64> = info.parameters.iter().map(|p| p.default.unwrap_or(1.0)).collect();
            AnyLaw::new(info.name, &zeros).is_some_and(|law| law.size().0 == 1)
        };
        LAWS.iter().filter(single).map(Kind::Law).chain(MATERIALS.iter().map(Kind::Material))
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::all().find(|k| k.info().name == name)
    }

    /// Its entry in its catalogue.
    pub fn info(&self) -> &'static Info {
        match self {
            Kind::Law(info) | Kind::Material(info) => info,
        }
    }

    /// Whether its force depends on the rate, as far as its units tell.
    pub fn needs_rate(&self) -> bool {
        self.info().parameters.iter().any(|p| p.default.is_none() && (p.unit.time != 0.0 || p.unit.time_n != 0.0))
    }
}

/// A law or a material under a path.
pub struct Catalogued<'a> {
    kind: Kind,
    samples: &'a Samples,
    t: &'a [f64],
    /// Force, deformation and time by which parameters are measured.
    natural: [f64; 3],
    /// Parameters of the law; those that are searched have their place among the unknowns.
    places: Vec<Place>,
    /// Whether a factor of all forces is eliminated.
    pub scaled: bool,
    /// What is searched.
    pub unknowns: Vec<Unknown>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Its value, SI.
    Held(f64),
    /// Its natural size.
    One,
    Unknown(usize),
}

impl<'a> Catalogued<'a> {
    /// A law or material with numbers that are held (`fixed`, SI) and optional ones that are searched besides (`free`).
    ///
    /// # Errors
    /// A sentence.
    pub fn new(
        kind: Kind,
        samples: &'a Samples,
        t: &'a [f64],
        (fixed, free): (&[(String, f64)], &[String]),
    ) -> Result<Self, String> {
        let info = kind.info();
        let known = |name: &str| info.parameters.iter().any(|p| p.name == name);
        if let Some(name) = fixed.iter().map(|f| &f.0).chain(free).find(|n| !known(n)) {
            let all: Vec<&str> = info.parameters.iter().map(|p| p.name).collect();
            return Err(format!("`{}` has no parameter `{name}`; it has {}", info.name, all.join(", ")));
        }
        if kind.needs_rate() && samples.v.is_empty() {
            return Err(format!("`{}` depends on the rate, and the record has none", info.name));
        }
        let size = samples.size();
        let force = samples.p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let Size { q, v, .. } = size;
        let natural = [force, q, if v > 0.0 { q / v } else { 1.0 }];
        let mut own = Catalogued { kind, samples, t, natural, places: Vec::new(), scaled: false, unknowns: Vec::new() };
        let held_force = info.parameters.iter().any(|p| {
            p.unit.force != 0.0
                && (fixed.iter().any(|f| f.0 == p.name)
                    || p.default.is_some_and(|d| d != 0.0 && d != -1.0) && !searched(p, free))
        });
        for p in info.parameters {
            let place = if let Some((_, value)) = fixed.iter().find(|f| f.0 == p.name) {
                if !p.range.contains(*value) && Some(*value) != p.default {
                    return Err(format!("`{}` cannot be fixed to {value}: it is out of its range", p.name));
                }
                Place::Held(*value)
            } else if let Some(default) = p.default.filter(|_| !searched(p, free)) {
                Place::Held(default)
            } else if !own.scaled && !held_force && p.unit.force == 1.0 && own.sign(p) > 0.0 {
                own.scaled = true;
                Place::One
            } else {
                own.unknowns.push(own.unknown(p));
                Place::Unknown(own.unknowns.len() - 1)
            };
            own.places.push(place);
        }
        if own.unknowns.is_empty() && !own.scaled {
            return Err(format!("nothing of `{}` is left to identify", info.name));
        }
        Ok(own)
    }

    fn sign(&self, p: &Parameter) -> f64 {
        let negative = match (self.kind.info().name, p.range) {
            ("kent-park" | "kent-park-tension", Range::Any) => true,
            ("pinching", Range::Any) => p.name.ends_with('n'),
            // It acts on one side.
            ("elastic-plastic-gap", Range::Any) => self.samples.p.iter().sum::<f64>() < 0.0,
            _ => false,
        };
        if negative { -1.0 } else { 1.0 }
    }

    fn unknown(&self, p: &Parameter) -> Unknown {
        let make = |scale, bounds| Unknown { name: p.name.into(), scale, bounds, sign: self.sign(p), first: None };
        match (p.unit == Unit::NONE, p.range) {
            (_, Range::Between(lo, hi)) if lo > 0.0 && hi / lo > 20.0 => {
                make(Scale::Log, [lo, hi.min(10.0 * lo.max(1.0))])
            }
            (_, Range::Between(lo, hi)) => Unknown { sign: 1.0, ..make(Scale::Linear, [lo, hi]) },
            (_, Range::NonNegative) => Unknown { sign: 1.0, ..make(Scale::Linear, [0.0, 3.0]) },
            (true, _) => make(Scale::Log, PURE),
            (false, _) => make(Scale::Log, WIDE),
        }
    }

    /// All parameters, SI, for forces in the natural size times `factor`.
    fn parameters(&self, unknowns: &[f64], factor: f64) -> Vec<f64> {
        let info = self.kind.info();
        let plain: Vec<f64> = self
            .places
            .iter()
            .map(|place| match *place {
                Place::Held(x) => x,
                Place::One => 1.0,
                Place::Unknown(i) => unknowns[i],
            })
            .collect();
        let n = info.parameters.iter().position(|p| p.name == "n").map_or(1.0, |i| plain[i]);
        let [force, disp, time] = self.natural;
        let size = |p: &Parameter| {
            let u = &p.unit;
            let with = |x: f64, by: f64| if by == 0.0 { x } else { x + by * n };
            (force * factor).powf(with(u.force, u.force_n))
                * disp.powf(with(u.disp, u.disp_n))
                * time.powf(with(u.time, u.time_n))
        };
        let held = |place: &Place| matches!(place, Place::Held(_));
        let each = info.parameters.iter().zip(&self.places).zip(plain);
        each.map(|((p, place), x)| if held(place) || p.unit == Unit::NONE { x } else { x * size(p) }).collect()
    }

    /// Forces along the path.
    fn forces(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let info = self.kind.info();
        if info
            .parameters
            .iter()
            .zip(parameters)
            .any(|(p, x)| !x.is_finite() || !p.range.contains(*x) && Some(*x) != p.default)
        {
            return None;
        }
        let Samples { q, v, .. } = self.samples;
        let rate = |k: usize| v.get(k).copied();
        let out: Vec<f64> = match self.kind {
            Kind::Law(info) => {
                let law = AnyLaw::new(info.name, parameters)?;
                let mut s = vec![0.0; law.size().1];
                (0..q.len())
                    .map(|k| {
                        if k > 0 {
                            let dt = self.t[k] - self.t[k - 1];
                            advance(&law, (self.t[k - 1], dt), [q[k - 1], q[k]], &mut s);
                        }
                        let mut p = [0.0];
                        let mut g = vec![0.0; s.len()];
                        law.response(self.t[k], &[q[k]], &[rate(k).unwrap_or(0.0)], &s, &mut p, &mut g);
                        p[0]
                    })
                    .collect()
            }
            Kind::Material(info) => {
                let material = Material::new(info.name, parameters)?;
                let library = Library::default();
                let count = material.history();
                let (mut h, mut next) = ([0.0; MOST], [0.0; MOST]);
                material.start(&library, 1, &mut h[..count]);
                let fixed = |re: f64| Dual { re, eps: 0.0 };
                let own = |k: usize| {
                    let pace = Pace { t: fixed(self.t[k]), rate: rate(k).map(fixed), calm: 0.0 };
                    let s = material.advance(&library, |i| h[i], fixed(q[k]), &pace, |i, x| next[i] = x);
                    h[..count].copy_from_slice(&next[..count]);
                    s.re
                };
                (0..q.len()).map(own).collect()
            }
        };
        out.iter().all(|p| p.is_finite()).then_some(out)
    }
}

/// Whether a parameter with a default is searched: exponents, openings and stiffnesses beside, and what is asked for.
fn searched(p: &Parameter, free: &[String]) -> bool {
    let usual =
        p.default == Some(0.0) && p.range == Range::NonNegative && [Unit::DISP, Unit::STIFFNESS].contains(&p.unit);
    p.name == "n" || usual || free.iter().any(|f| f == p.name)
}

/// States of a law over a sample, by one classical Runge-Kutta step along a straight way.
fn advance(law: &AnyLaw, (t, dt): (f64, f64), [from, to]: [f64; 2], s: &mut [f64]) {
    if s.is_empty() || dt <= 0.0 {
        return;
    }
    let v = (to - from) / dt;
    let rates = |share: f64, s: &[f64]| {
        let (mut p, mut g) = ([0.0], vec![0.0; s.len()]);
        law.response(t + share * dt, &[from + share * (to - from)], &[v], s, &mut p, &mut g);
        g
    };
    let along = |k: &[f64], share: f64| s.iter().zip(k).map(|(s, k)| s + share * dt * k).collect::<Vec<f64>>();
    let k1 = rates(0.0, s);
    let k2 = rates(0.5, &along(&k1, 0.5));
    let k3 = rates(0.5, &along(&k2, 0.5));
    let k4 = rates(1.0, &along(&k3, 1.0));
    for i in 0..s.len() {
        s[i] += dt * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
    }
}

impl Predicts for Catalogued<'_> {
    fn predict(&self, unknowns: &[f64]) -> Option<Vec<f64>> {
        self.forces(&self.parameters(unknowns, 1.0))
    }

    fn names(&self) -> Vec<String> {
        self.kind.info().parameters.iter().map(|p| p.name.to_owned()).collect()
    }

    fn report(&self, unknowns: &[f64], factor: f64) -> Vec<f64> {
        self.parameters(unknowns, factor)
    }
}
