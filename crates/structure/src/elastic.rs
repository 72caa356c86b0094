//! A model for questions about its coupling alone: all of it computed, its laws elastic, or softer than the operators take them for.
//!
//! **Must not be here:** couplings, how a step is probed.

use crate::assemble::{remembers, stored, tangent_at_rest};
use crate::assembled::{can_yield, is_slow};
use crate::linearised::linear_kind;
use interfield_kernel::element::AnyLaw;
use interfield_language::model::{BlockData, Dof, Element, Estimate, Kind, Model, Support, TangentPolicy};

/// The model without laboratory and records: all of it is computed, programs by their stiffness.
pub fn computed(model: &Model) -> Model {
    Model { specimens: Vec::new(), channels: Vec::new(), ..model.clone() }
}

/// The model for small motions about rest, all of it computed. Laws that a coupling may compute apart from the structure are
/// still laws of one deformation; loads and motions of supports are those of the model, what is there from the beginning is not.
pub fn elastic(model: &Model) -> Model {
    let start = |dof: usize| model.dofs[dof].u0;
    let one = |e: &Element| {
        let kind = slow_kind(e, start).or_else(|| linear_kind(e, start));
        kind.map_or_else(|| e.clone(), |kind| Element { kind, s0: Vec::new(), ..e.clone() })
    };
    let at_rest = |dof: &Dof| Dof { u0: 0.0, v0: 0.0, ..dof.clone() };
    Model {
        elements: model.elements.iter().map(one).collect(),
        dofs: model.dofs.iter().map(at_rest).collect(),
        held: Vec::new(),
        ..computed(model)
    }
}

/// An elastic model in a free vibration that begins with these displacements of degrees of freedom: supports rest, nothing loads it.
pub fn released(elastic: &Model, displaced: impl IntoIterator<Item = (usize, f64)>) -> Model {
    let held = |dof: &Dof| match dof.support {
        Support::Imposed(_) => Dof { support: Support::Fixed, ..dof.clone() },
        _ => dof.clone(),
    };
    let mut dofs: Vec<Dof> = elastic.dofs.iter().map(held).collect();
    displaced.into_iter().for_each(|(dof, u)| dofs[dof].u0 = u);
    Model { dofs, loads: Vec::new(), load_names: Vec::new(), ..elastic.clone() }
}

/// An elastic model whose laws have yielded: those of `model` that can, and what stands in the laboratory, have `share` of their stiffness, and
/// the operators of the schemes still have all of it. `None` if nothing of it can yield.
pub fn softened(elastic: &Model, model: &Model, share: f64) -> Option<Model> {
    let tested = |i: usize| model.specimens.iter().any(|s| s.elements.contains(&i));
    let one = |(i, (e, original)): (usize, (&Element, &Element))| {
        let yields = tested(i) || stored(&original.kind).is_some_and(|(law, _)| can_yield(&law));
        softer(e, share).filter(|_| yields)
    };
    let yielded: Vec<Option<Element>> = elastic.elements.iter().zip(&model.elements).enumerate().map(one).collect();
    if yielded.iter().all(Option::is_none) {
        return None;
    }
    let elements = yielded.into_iter().zip(&elastic.elements).map(|(new, old)| new.unwrap_or_else(|| old.clone()));
    let mut soft = Model { elements: elements.collect(), ..elastic.clone() };
    for s in soft.partition.iter_mut().flat_map(|p| &mut p.substructures) {
        // Tangents that follow the state know what has yielded.
        if s.tangent != TangentPolicy::Exact {
            s.tangent = TangentPolicy::Given;
        }
    }
    Some(soft)
}

/// A linear element with a share of its stiffness, taken for what it was.
fn softer(e: &Element, share: f64) -> Option<Element> {
    let (kind, given) = match &e.kind {
        Kind::Law { coordinates, .. } if coordinates.len() == 1 => {
            let (k, c) = tangent_at_rest(&stored(&e.kind)?.0, &[], &[0.0], false);
            let law = AnyLaw::new("cubic", &[share * k[0], 0.0, c[0]])?;
            (Kind::Law { law, coordinates: coordinates.clone(), path: false }, Estimate::Matrices(k, c))
        }
        Kind::Block { block, coordinates } => {
            let (k, c) = tangent_at_rest(&stored(&e.kind)?.0, &[], &vec![0.0; coordinates.len()], block.remembers);
            let scaled = |x: &[f64]| x.iter().map(|x| share * x).collect();
            let soft = BlockData { c: scaled(&block.c), d: scaled(&block.d), ..block.clone() };
            (Kind::Block { block: soft, coordinates: coordinates.clone() }, Estimate::Matrices(k, c))
        }
        Kind::Linear { dofs, mass, damping, stiffness } if !stiffness.is_empty() => {
            let n = dofs.len() * dofs.len();
            let full = |m: &[f64]| if m.is_empty() { vec![0.0; n] } else { m.to_vec() };
            let given = Estimate::Matrices(stiffness.clone(), full(damping));
            let stiffness = stiffness.iter().map(|k| share * k).collect();
            let (dofs, mass, damping) = (dofs.clone(), mass.clone(), damping.clone());
            (Kind::Linear { dofs, mass, damping, stiffness }, given)
        }
        _ => return None,
    };
    Some(Element { kind, given: Some(given), ..e.clone() })
}

/// A linear law of one deformation in the place of one that a coupling may compute apart.
fn slow_kind(e: &Element, u0: impl Fn(usize) -> f64) -> Option<Kind> {
    let Kind::Law { law, coordinates, .. } = &e.kind else { return None };
    if law.info().linear || !is_slow(law) {
        return None;
    }
    let (law, _) = stored(&e.kind)?;
    let q: Vec<f64> = coordinates.iter().map(|c| c.iter().map(|&(i, f)| f * u0(i)).sum()).collect();
    let (k, c) = tangent_at_rest(&law, &e.s0, &q, remembers(&e.kind));
    let law = AnyLaw::new("cubic", &[k[0], 0.0, c[0]]).filter(|_| k[0].is_finite() && c[0].is_finite())?;
    Some(Kind::Law { law, coordinates: coordinates.clone(), path: false })
}
