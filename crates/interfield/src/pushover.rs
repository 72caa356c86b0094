//! What a push says of a structure, in words and as JSON, in the units of its model.

use interfield_language::Model;
use interfield_language::model::{PushPart, Quantity};
use interfield_language::parse::pushover::{FACTOR, SHEAR, WORK};
use interfield_language::units::Dimension;
use interfield_structure::capacity::{Capacity, Cycle, Path, Point, Side};
use serde_json::{Value, json};

use crate::quantities::{ONE, Quantities, number};
use crate::table::{aligned, short, wrapped};

/// Cycles that are listed on a page.
const LISTED: usize = 24;

/// The balances of a run that is pushed, as they come, in SI.
pub(crate) struct Balances {
    path: Path,
    /// Channels of displacement, load and work, with the sizes of their units in SI.
    places: [(usize, f64); 3],
}

impl Balances {
    /// For a model that is pushed.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let push = model.pushover.as_ref().filter(|_| model.analysis.statics)?;
        let place = |name: &str| model.channels.iter().position(|c| c.name == name);
        let size = |i: usize| match model.channels[i].quantity {
            // The base shear in N, the load factor as it is.
            Quantity::Push(PushPart::Factor) if model.channels[i].name == SHEAR => {
                push.shear(model).map_or(1.0, |sum| sum / model.channels[i].factor)
            }
            _ => 1.0 / model.channels[i].factor,
        };
        let displacement = model.channels.iter().position(|c| matches!(c.quantity, Quantity::Displacement(_)))?;
        let load = place(SHEAR).or_else(|| place(FACTOR))?;
        let places = [displacement, load, place(WORK)?].map(|i| (i, size(i)));
        Some(Balances { path: Path::new(push.targets.len(), &push.cycles), places })
    }

    /// Takes a row.
    pub(crate) fn push(&mut self, row: &[f64]) {
        let [u, load, work] = self.places.map(|(i, size)| row[i] * size);
        self.path.push(Point { u, load, work });
    }

    pub(crate) fn persist(&mut self, archive: &mut dyn interfield_kernel::Archive) {
        self.path.persist(archive);
    }

    /// What they say.
    pub(crate) fn strength(&self, model: &Model) -> Option<Strength> {
        let [displacement, load, _] = self.places.map(|(i, size)| (model.channels[i].unit.clone(), size));
        let energy = Dimension::MOMENT;
        let energy = (model.units.label(energy), model.units.factor(energy));
        let name = model.channels[self.places[0].0].name.clone();
        let load_name = if model.channels[self.places[1].0].name == SHEAR { "base shear" } else { "load factor" };
        Some(Strength { capacity: self.path.capacity()?, displacement, load, energy, name, load_name })
    }
}

/// What a push says, with the names and sizes in SI of its units.
#[derive(Clone, Debug)]
pub struct Strength {
    /// The numbers, SI.
    pub capacity: Capacity,
    displacement: (String, f64),
    load: (String, f64),
    energy: (String, f64),
    /// The controlled displacement.
    name: String,
    load_name: &'static str,
}

impl Strength {
    fn stiffness(&self, si: f64) -> f64 {
        si / self.load.1 * self.displacement.1
    }

    fn stiffness_unit(&self) -> String {
        let load = if self.load.0 == "-" { "1" } else { self.load.0.as_str() };
        format!("{load}/{}", self.displacement.0)
    }

    /// Sides with their signs.
    fn sides(&self) -> impl Iterator<Item = (&'static str, &Side)> {
        ["+", "-"].into_iter().zip(&self.capacity.sides).filter_map(|(sign, side)| Some((sign, side.as_ref()?)))
    }

    /// Header and rows of the table of strength, and of that of the cycles.
    pub fn tables(&self) -> [(Vec<String>, Vec<Vec<String>>); 2] {
        let (u, load) = (&self.displacement, &self.load);
        let header = [
            "<side".to_owned(),
            format!("yield [{}]", u.0),
            format!("peak [{}]", load.0),
            format!("at [{}]", u.0),
            format!("80 % [{}]", u.0),
            format!("last [{}]", load.0),
            format!("at [{}]", u.0),
            "ductility".to_owned(),
        ];
        let missing = || "-".to_owned();
        let side = |(sign, s): (&str, &Side)| {
            let at = |x: f64| short(x / u.1);
            let more = if s.usable.is_none() { ">= " } else { "" };
            vec![
                sign.to_owned(),
                s.yielded.map_or_else(missing, at),
                short(s.peak[1] / load.1),
                at(s.peak[0]),
                s.usable.map_or_else(missing, at),
                short(s.last[1] / load.1),
                at(s.last[0]),
                s.ductility.map_or_else(missing, |d| format!("{more}{}", short((1e3 * d).round() / 1e3))),
            ]
        };
        let rows = self.sides().map(side).collect();
        let cycles = [
            "<cycle".to_owned(),
            format!("from [{}]", u.0),
            format!("to [{}]", u.0),
            format!("min [{}]", load.0),
            format!("max [{}]", load.0),
            format!("k [{}]", self.stiffness_unit()),
            format!("work [{}]", self.energy.0),
            "xi [%]".to_owned(),
        ];
        let cycle = |(i, c): (usize, &Cycle)| {
            vec![
                (i + 1).to_string(),
                short(c.reach[1] / u.1),
                short(c.reach[0] / u.1),
                short(c.load[1] / load.1),
                short(c.load[0] / load.1),
                short(self.stiffness(c.stiffness)),
                short(c.energy / self.energy.1),
                short((1e4 * c.damping).round() / 1e2),
            ]
        };
        let listed = self.capacity.cycles.iter().enumerate().map(cycle).collect();
        [(header.to_vec(), rows), (cycles.to_vec(), listed)]
    }

    /// What the tables are about.
    pub fn heading(&self) -> String {
        format!(
            "{} over {}: initial stiffness {} {}",
            self.load_name,
            self.name,
            short(self.stiffness(self.capacity.stiffness)),
            self.stiffness_unit()
        )
    }

    /// As text.
    pub fn text(&self) -> String {
        let [(header, rows), (cycles, mut listed)] = self.tables();
        let words = |list: &[String]| list.iter().map(String::clone).collect::<Vec<_>>();
        let table = |header: &[String], rows: &[Vec<String>]| {
            let header = words(header);
            aligned(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows)
        };
        let mut out = wrapped("", &format!("\n{}", self.heading()));
        if !rows.is_empty() {
            out += &table(&header, &rows);
        }
        let left = listed.len().saturating_sub(LISTED);
        listed.truncate(LISTED);
        if !listed.is_empty() {
            out += &format!("\ncycles\n{}", table(&cycles, &listed));
        }
        if left > 0 {
            out += &format!("  ... and {left} more (--json shows them)\n");
        }
        out
    }

    /// As JSON, see [`crate::quantities`].
    pub fn json(&self) -> Value {
        let (u, load) = (&self.displacement, &self.load);
        let plain = |unit: &str| if unit == "-" { ONE.to_owned() } else { unit.to_owned() };
        let told = |x: f64, size: f64| number(x / size);
        let side = |(sign, s): (&str, &Side)| {
            Quantities::default()
                .with("side", sign)
                .quantity("yield_displacement", s.yielded.map(|x| told(x, u.1)), &u.0)
                .quantity("peak", told(s.peak[1], load.1), &plain(&load.0))
                .quantity("peak_displacement", told(s.peak[0], u.1), &u.0)
                .quantity("displacement_at_80_percent", s.usable.map(|x| told(x, u.1)), &u.0)
                .quantity("last", told(s.last[1], load.1), &plain(&load.0))
                .quantity("last_displacement", told(s.last[0], u.1), &u.0)
                .quantity("ductility", s.ductility.map(number), ONE)
                .with("ductility_is_lower_bound", s.usable.is_none())
                .object()
        };
        let cycle = |(i, c): (usize, &Cycle)| {
            Quantities::default()
                .with("cycle", i + 1)
                .quantity("from", told(c.reach[1], u.1), &u.0)
                .quantity("to", told(c.reach[0], u.1), &u.0)
                .quantity("smallest_load", told(c.load[1], load.1), &plain(&load.0))
                .quantity("largest_load", told(c.load[0], load.1), &plain(&load.0))
                .quantity("stiffness", number(self.stiffness(c.stiffness)), &self.stiffness_unit())
                .quantity("energy", told(c.energy, self.energy.1), &self.energy.0)
                .quantity("equivalent_damping", number(c.damping), ONE)
                .object()
        };
        Quantities::default()
            .with("displacement", self.name.as_str())
            .with("load", self.load_name)
            .quantity("initial_stiffness", number(self.stiffness(self.capacity.stiffness)), &self.stiffness_unit())
            .with("sides", json!(self.sides().map(side).collect::<Vec<_>>()))
            .with("cycles", json!(self.capacity.cycles.iter().enumerate().map(cycle).collect::<Vec<_>>()))
            .object()
    }
}
