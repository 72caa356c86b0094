//! Envelopes over the height: drifts of storeys, displacements and accelerations of floors, from the extremes of recorded channels.

use interfield::Ranges;
use interfield_language::Model;
use interfield_language::model::{Quantity, short_name};
use interfield_language::units::Dimension;
use interfield_report::{Axis, Block, Curve, Panel, Style};

/// Figures over the height, one for each quantity and direction that two storeys or floors have at least.
pub(crate) fn envelopes(model: &Model, ranges: &Ranges) -> Vec<Block> {
    let heights = Heights::of(model);
    let mut directions: Vec<&str> = Vec::new();
    for c in &model.channels {
        if let Quantity::Drift { above, .. } = c.quantity {
            let along = short_name(&model.dofs[above].name);
            if !directions.contains(&along) {
                directions.push(along);
            }
        }
    }
    let mut blocks = Vec::new();
    for along in directions {
        blocks.extend(drifts(model, ranges, &heights, along));
        for (what, of) in FLOORS {
            blocks.extend(floors(model, ranges, &heights, (along, what), of));
        }
    }
    blocks
}

/// The degree of freedom of a channel of a floor.
type Of = fn(&Quantity) -> Option<usize>;

const FLOORS: [(&str, Of); 2] = [
    ("displacement", |q| if let Quantity::Displacement(d) = q { Some(*d) } else { None }),
    ("absolute acceleration", |q| if let Quantity::AbsoluteAcceleration(d) = q { Some(*d) } else { None }),
];

/// Heights of nodes, in the unit of the model; storeys are counted where nodes have no place.
struct Heights<'a> {
    model: &'a Model,
    axis: Option<usize>,
    factor: f64,
}

impl<'a> Heights<'a> {
    fn of(model: &'a Model) -> Self {
        let spread = |a: usize| model.nodes.iter().any(|n| n.at[a] != model.nodes[0].at[a]);
        // As drawings have it: z is up if there is any, else y.
        let axis = if model.nodes.is_empty() { None } else { [2, 1].into_iter().find(|&a| spread(a)) };
        Heights { model, axis, factor: model.units.factor(Dimension::LENGTH) }
    }

    fn at(&self, dof: usize) -> Option<f64> {
        let node = self.model.nodes.iter().find(|n| n.dofs.iter().any(|d| d.1 == dof))?;
        Some(node.at[self.axis?] / self.factor)
    }

    fn label(&self) -> Axis {
        match self.axis {
            Some(_) => Axis::new("height", &self.model.units.label(Dimension::LENGTH)),
            None => Axis::new("storey", ""),
        }
    }
}

/// Largest, smallest and last value of a channel.
type Extremes = [f64; 3];

fn extremes(ranges: &Ranges, i: usize) -> Option<Extremes> {
    let r = ranges.0.get(i)?;
    (r.min <= r.max).then_some([r.max, r.min, r.last])
}

const NAMES: [&str; 3] = ["largest", "smallest", "at the end"];

fn drifts(model: &Model, ranges: &Ranges, heights: &Heights<'_>, along: &str) -> Option<Block> {
    let mut storeys: Vec<(f64, f64, Extremes)> = Vec::new();
    let mut unit = String::new();
    for (i, c) in model.channels.iter().enumerate() {
        let Quantity::Drift { above, height, .. } = c.quantity else { continue };
        if short_name(&model.dofs[above].name) != along {
            continue;
        }
        let Some(found) = extremes(ranges, i) else { continue };
        let number = storeys.len() as f64;
        let (top, high) = heights.at(above).map_or((number + 1.0, 1.0), |z| (z, height / heights.factor));
        unit.clone_from(&c.unit);
        storeys.push((top - high, top, found));
    }
    storeys.sort_by(|a, b| a.0.total_cmp(&b.0));
    let curve = |k: usize| {
        let steps = storeys.iter().flat_map(|s| [(s.2[k], s.0), (s.2[k], s.1)]);
        let line = Curve::line(NAMES[k], steps.collect());
        if k == 2 { line.style(Style::Dashed) } else { line }
    };
    (!storeys.is_empty()).then(|| {
        Block::Plot(Panel {
            title: format!("Storey drifts along {along}"),
            x: Axis::new("storey drift", &unit),
            y: heights.label(),
            curves: (0..3).map(curve).collect(),
            note: "Envelopes over all recorded rows; the value at the end is the residual drift if the structure has come to rest."
                .to_owned(),
            ..Panel::default()
        })
    })
}

fn floors(model: &Model, ranges: &Ranges, heights: &Heights<'_>, (along, what): (&str, &str), of: Of) -> Option<Block> {
    let mut floors: Vec<(f64, Extremes)> = Vec::new();
    let mut unit = String::new();
    for (i, c) in model.channels.iter().enumerate() {
        let Some(dof) = of(&c.quantity).filter(|d| short_name(&model.dofs[*d].name) == along) else { continue };
        let Some(found) = extremes(ranges, i) else { continue };
        unit.clone_from(&c.unit);
        floors.push((heights.at(dof).unwrap_or(floors.len() as f64 + 1.0), found));
    }
    floors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lines = if what == "displacement" { 3 } else { 2 };
    let curve = |k: usize| {
        let line = Curve::line(NAMES[k], floors.iter().map(|f| (f.1[k], f.0)).collect());
        line.style(if k == 2 { Style::Dashed } else { Style::Joined })
    };
    (floors.len() > 1).then(|| {
        Block::Plot(Panel {
            title: format!("Floors along {along}: {what}"),
            x: Axis::new(what, &unit),
            y: heights.label(),
            curves: (0..lines).map(curve).collect(),
            ..Panel::default()
        })
    })
}
