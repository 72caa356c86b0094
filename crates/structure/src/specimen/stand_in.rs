//! What a scheme computes with in place of a specimen: its elements as springs and dashpots with their tangents at rest, or
//! with the estimates that stand in the model.

use std::borrow::Cow;
use std::sync::Arc;

use super::Rows;
use crate::assemble::{assemble, estimate, remembers, stored, tangent_at_rest};
use crate::assembled::Assembled;
use interfield_language::Problem;
use interfield_language::model::{Damping, Dof, Element, Kind, Model, Support};
use interfield_language::specimen::Specimen;

/// The elements of a specimen by themselves.
pub(crate) struct Physical {
    /// They as a system over the commanded degrees of freedom, without loads and masses of their own; until it is mounted.
    pub(super) system: Option<Assembled>,
    /// Internal states before the test.
    pub(super) start: Vec<f64>,
    /// What they are taken for.
    pub(super) stand_in: StandIn,
}

/// Springs and dashpots in the place of a specimen.
pub(crate) struct StandIn {
    /// Stiffness and damping, row-major over the commanded degrees of freedom.
    pub(super) stiffness: Vec<f64>,
    pub(super) damping: Vec<f64>,
    /// Rows of the coordinates of its elements over the commanded degrees of freedom, element by element.
    pub(super) rows: Rows,
}

/// The model with stand-ins for the elements of its specimens.
pub(crate) fn substitute(model: &Model) -> (Cow<'_, Model>, Vec<StandIn>) {
    if model.specimens.is_empty() {
        return (Cow::Borrowed(model), Vec::new());
    }
    let mut whole = model.clone();
    let mut stand_ins = Vec::new();
    for specimen in &model.specimens {
        let n = specimen.dofs.len();
        let (mut stiffness, mut damping) = (vec![0.0; n * n], vec![0.0; n * n]);
        let mut all_rows = Vec::new();
        for &e in &specimen.elements {
            let rows = rows(model, specimen, e);
            let local = estimate(model, &model.elements[e], rows.len()).unwrap_or_else(|| tangents(model, e));
            let [k, c] = local.map(|local| spread(&local, &rows, n));
            stiffness.iter_mut().zip(&k).for_each(|(sum, k)| *sum += k);
            damping.iter_mut().zip(&c).for_each(|(sum, c)| *sum += c);
            let element = &mut whole.elements[e];
            element.kind = Kind::Linear { dofs: specimen.dofs.clone(), mass: Vec::new(), damping: c, stiffness: k };
            (element.s0, element.given) = (Vec::new(), None);
            all_rows.push((e, rows));
        }
        stand_ins.push(StandIn { stiffness, damping, rows: all_rows });
    }
    (Cow::Owned(whole), stand_ins)
}

/// Stiffness and damping of an element at rest, row-major over its coordinates.
fn tangents(model: &Model, e: usize) -> [Vec<f64>; 2] {
    let element = &model.elements[e];
    match (stored(&element.kind), &element.kind) {
        (Some((law, _)), kind) => {
            let rest = vec![0.0; law.shape().0];
            let (k, c) = tangent_at_rest(&law, &element.s0, &rest, remembers(kind));
            [k, c]
        }
        (None, Kind::Linear { dofs, damping, stiffness, .. }) => {
            let full = |m: &Vec<f64>| if m.is_empty() { vec![0.0; dofs.len() * dofs.len()] } else { m.clone() };
            [full(stiffness), full(damping)]
        }
        (None, _) => unreachable!("only plain matrices have no law"),
    }
}

/// Bᵀ k B over `n` degrees of freedom.
fn spread(local: &[f64], rows: &[Vec<f64>], n: usize) -> Vec<f64> {
    let d = rows.len();
    let entry = |i: usize, j: usize| -> f64 { (0..d * d).map(|k| rows[k / d][i] * local[k] * rows[k % d][j]).sum() };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}

/// A specimen as a system of its own, with its initial states: all else is held, and nothing loads it. What loads that are there from
/// the beginning make of it, it learns on its way to the start of the test.
pub(crate) fn physical(model: &Model, specimen: &Specimen, stand_in: StandIn) -> Result<Physical, Vec<Problem>> {
    let dof = |(d, dof): (usize, &Dof)| {
        let commanded = specimen.dofs.iter().position(|&x| x == d);
        // Its own masses are the laboratory's; a system must have some.
        let (mass, support) = commanded.map_or((0.0, Support::Fixed), |_| (1.0, Support::Free));
        Dof { mass, support, u0: 0.0, v0: 0.0, ..dof.clone() }
    };
    let alone = Model {
        dofs: model.dofs.iter().enumerate().map(dof).collect(),
        // What is really there, whatever it is taken for.
        elements: specimen.elements.iter().map(|&e| unloaded(&model.elements[e])).collect(),
        held: Vec::new(),
        damping: Damping::None,
        loads: Vec::new(),
        load_names: Vec::new(),
        channels: Vec::new(),
        partition: None,
        specimens: Vec::new(),
        externals: Vec::new(),
        ..model.clone()
    };
    // Unknowns are numbered along the model, as the commanded degrees of freedom are.
    assemble(&alone).map(|a| {
        let start = a.y0[2 * specimen.dofs.len()..].to_vec();
        Physical { system: Some(a.system), start, stand_in }
    })
}

/// An element as it stands in the laboratory: as it was made, without the loads of the structure.
fn unloaded(element: &Element) -> Element {
    let mut alone = Element { given: None, ..element.clone() };
    if let Kind::Frame { frame, .. } = &mut alone.kind {
        frame.rest = Arc::new([]);
    }
    alone
}

/// Coordinates of an element as rows over the commanded degrees of freedom.
fn rows(model: &Model, specimen: &Specimen, e: usize) -> Vec<Vec<f64>> {
    let row = |terms: &[(usize, f64)]| {
        let mut row = vec![0.0; specimen.dofs.len()];
        for (d, f) in terms {
            if let Some(i) = specimen.dofs.iter().position(|x| x == d) {
                row[i] += f;
            }
        }
        row
    };
    match &model.elements[e].kind {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => coordinates.iter().map(|c| row(c)).collect(),
        Kind::Linear { dofs, .. } => dofs.iter().map(|&d| row(&[(d, 1.0)])).collect(),
    }
}
