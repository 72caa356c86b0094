//! A model for small motions about its initial position, at rest: every law in place of its tangents.
//!
//! What is left is linear, so that a probe of a step is exact at any size of the change. A law probed by differences is known to about the curvature
//! times their size, and a compensator that differentiates three times multiplies that by (delay/period)³: the probe then sees growth where there is none.
//! **Must not be here:** how a step is probed.

use crate::assemble::{is_linear, remembers, stored};
use crate::assembled::Stored;
use interfield_kernel::element::Tangent;
use interfield_language::model::{BlockData, Coordinate, Dof, Element, Kind, Model};

/// The model with its laws linearised; `None` if it is linear already. A law without finite tangents at rest stays as it is.
pub fn linearised(model: &Model) -> Option<Model> {
    linearised_at(model, |_| None)
}

/// The same where elements have the tangents of a moment of a path, as [`crate::walk::Walk::tangents`] tells them, and others those at rest. What knows an element
/// at rest only, a scheme that keeps its operators or the stand-in of a specimen, takes it for that.
pub fn linearised_at<'a>(model: &Model, moment: impl Fn(usize) -> Option<&'a [f64]>) -> Option<Model> {
    // A specimen is known to its stand-in as it stands in the laboratory, before it is led to its initial displacement.
    let in_laboratory = |e: usize| model.specimens.iter().find(|s| s.elements.contains(&e));
    let one = |(i, e): (usize, &Element)| {
        // Inner degrees of freedom rest where the model says: nothing leads them there.
        let start = |dof: usize| match in_laboratory(i) {
            Some(specimen) if !specimen.inner.contains(&dof) => 0.0,
            _ => model.dofs[dof].u0,
        };
        let kind = match (linear_kind(e, start)?, moment(i)) {
            (Kind::Block { block, coordinates }, Some(now)) => Kind::Block { block: moved(block, now), coordinates },
            (kind, _) => kind,
        };
        Some(Element { kind, s0: Vec::new(), ..e.clone() })
    };
    let replaced: Vec<Option<Element>> = model.elements.iter().enumerate().map(one).collect();
    if replaced.iter().all(Option::is_none) {
        return None;
    }
    let elements = replaced.into_iter().zip(&model.elements).map(|(new, old)| new.unwrap_or_else(|| old.clone()));
    let at_rest = |dof: &Dof| Dof { u0: 0.0, v0: 0.0, ..dof.clone() };
    Some(Model {
        elements: elements.collect(),
        dofs: model.dofs.iter().map(at_rest).collect(),
        // They look into laws that are no longer there.
        channels: Vec::new(),
        updates: Vec::new(),
        ..model.clone()
    })
}

/// The tangents of an element that is not linear.
pub(crate) fn linear_kind(e: &Element, u0: impl Fn(usize) -> f64) -> Option<Kind> {
    if is_linear(&e.kind) || matches!(e.kind, Kind::Block { .. }) {
        return None;
    }
    let (law, coordinates) = stored(&e.kind)?;
    let (d, s, massive) = law.shape();
    let q: Vec<f64> = coordinates.iter().map(|c| c.iter().map(|&(i, f)| f * u0(i)).sum()).collect();
    let block = BlockData { remembers: remembers(&e.kind), ..tangents(&law, &q, &e.s0) };
    let parts = [&block.a, &block.b, &block.bv, &block.c, &block.d, &block.dv];
    if !parts.iter().all(|m| m.iter().all(|x| x.is_finite())) {
        return None;
    }
    if !massive {
        return Some(Kind::Block { block, coordinates: coordinates.to_vec() });
    }
    if s > 0 {
        return None;
    }
    let mut mass = vec![0.0; d * d];
    law.with(|law| law.mass(&q, &mut mass));
    let mut dofs: Vec<usize> = coordinates.iter().flatten().map(|&(i, _)| i).collect();
    dofs.sort_unstable();
    dofs.dedup();
    let [mass, damping, stiffness] = [&mass, &block.dv, &block.d].map(|local| over(&dofs, coordinates, local));
    Some(Kind::Linear { dofs, mass, damping, stiffness })
}

/// Tangents [K C R A B E] of a moment in the place of those at rest. How fast what states remember fades while the law moves is not stiffness, and left out.
fn moved(rest: BlockData, now: &[f64]) -> BlockData {
    let mut parts = now;
    let mut next = |like: &[f64]| {
        let (part, others) = parts.split_at(like.len());
        parts = others;
        part.to_vec()
    };
    let [d, dv, c, b, bv, a] = [&rest.d, &rest.dv, &rest.c, &rest.b, &rest.bv, &rest.a].map(|like| next(like));
    let (a, b) = if rest.remembers { (vec![0.0; a.len()], vec![0.0; b.len()]) } else { (a, b) };
    BlockData {
        a,
        b,
        bv,
        c,
        d,
        dv,
        inputs: rest.inputs,
        states: rest.states,
        remembers: rest.remembers,
        taken_for: Some(Box::new(rest)),
    }
}

/// Tangents of a law at rest.
fn tangents(law: &Stored, q: &[f64], s0: &[f64]) -> BlockData {
    let (d, s, _) = law.shape();
    let [mut k, mut c, mut r, mut a, mut b, mut e] = [d * d, d * d, d * s, s * d, s * d, s * s].map(|n| vec![0.0; n]);
    let states: Vec<f64> = (0..s).map(|i| s0.get(i).copied().unwrap_or(0.0)).collect();
    let zero = vec![0.0; d];
    let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
    law.tangent(0.0, q, &zero, &states, &zero, out);
    BlockData { inputs: d, states: s, a: e, b: a, bv: b, c: r, d: k, dv: c, ..BlockData::default() }
}

/// Bᵀ m B over some degrees of freedom.
fn over(dofs: &[usize], coordinates: &[Coordinate], local: &[f64]) -> Vec<f64> {
    let (n, d) = (dofs.len(), coordinates.len());
    let factor = |c: usize, dof: usize| -> f64 { coordinates[c].iter().filter(|t| t.0 == dof).map(|t| t.1).sum() };
    let entry = |i: usize, j: usize| -> f64 {
        (0..d * d).map(|k| factor(k / d, dofs[i]) * local[k] * factor(k % d, dofs[j])).sum()
    };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}
