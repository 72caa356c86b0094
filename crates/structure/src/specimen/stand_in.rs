//! What a scheme computes with in place of a specimen: its elements as springs and dashpots with their tangents at rest, or
//! with the estimates that stand in the model.

use std::borrow::Cow;
use std::sync::Arc;

use super::Rows;
use crate::assemble::{Assembly, assemble, estimate, remembers, stored, tangent_at_rest};
use crate::assembled::Assembled;
use interfield_lab::emulate::Free;
use interfield_language::model::{Analysis, Damping, Dof, Element, Kind, Model, Support, TangentPolicy};
use interfield_language::specimen::Specimen;
use interfield_language::{Problem, Subject};
use interfield_linalg::Lu;

/// The elements of a specimen by themselves.
pub(crate) struct Physical {
    /// They as a system over the commanded and the inner degrees of freedom, without loads and masses of their own; until it is mounted.
    pub(super) system: Option<Assembled>,
    /// Internal states before the test.
    pub(super) start: Vec<f64>,
    /// What they are taken for.
    pub(super) stand_in: StandIn,
    /// What is known of its inner degrees of freedom, if there are some.
    pub(super) free: Option<Free>,
}

/// Springs and dashpots in the place of a specimen.
pub(crate) struct StandIn {
    /// Stiffness and damping, row-major over the commanded degrees of freedom.
    pub(super) stiffness: Vec<f64>,
    pub(super) damping: Vec<f64>,
    /// The same over all that actuators move: the commanded degrees of freedom, and the held ones among the inner ones.
    pub(super) driven: [Vec<f64>; 2],
    /// The same over all, with the free inner ones.
    whole: [Vec<f64>; 2],
    /// Deformations of its laws as rows over all that actuators move: resisted even where the tangent at rest is zero.
    pub(super) deformations: Vec<Vec<f64>>,
    /// Rows of the coordinates of its elements over all that actuators move, element by element.
    pub(super) rows: Rows,
}

/// The model with stand-ins for the elements of its specimens. Inner degrees of freedom exist in the laboratory only: they are no
/// unknowns, and the stand-in has what is left of its stiffness where they follow.
pub(crate) fn substitute(model: &Model) -> Result<(Cow<'_, Model>, Vec<StandIn>), Vec<Problem>> {
    if model.specimens.is_empty() {
        return Ok((Cow::Borrowed(model), Vec::new()));
    }
    let mut whole = model.clone();
    let (mut stand_ins, mut problems) = (Vec::new(), Vec::new());
    for (s, specimen) in model.specimens.iter().enumerate() {
        if specimen.inner.is_empty() {
            stand_ins.push(outer(model, specimen, &mut whole));
        } else {
            match condensed(model, specimen, &mut whole) {
                Ok(stand_in) => stand_ins.push(stand_in),
                Err(loose) => problems.push(loose_inner(model, (s, specimen), loose)),
            }
        }
    }
    if problems.is_empty() { Ok((Cow::Owned(whole), stand_ins)) } else { Err(problems) }
}

/// All coordinates of a specimen: commanded, held, free.
fn coordinates(specimen: &Specimen) -> Vec<usize> {
    specimen.dofs.iter().chain(&specimen.inner).copied().collect()
}

/// An element at rest: its rows over some degrees of freedom, and its stiffness and damping over them.
fn at_rest(model: &Model, e: usize, dofs: &[usize], inner: &[usize]) -> (Vec<Vec<f64>>, [Vec<f64>; 2]) {
    let rows = rows(model, dofs, e);
    let local = estimate(model, &model.elements[e], rows.len()).unwrap_or_else(|| tangents(model, e, inner));
    let spread = local.map(|local| spread(&local, &rows, dofs.len()));
    (rows, spread)
}

/// The stand-in of a specimen whose degrees of freedom are all commanded: each element is taken for its own tangents.
fn outer(model: &Model, specimen: &Specimen, whole: &mut Model) -> StandIn {
    let n = specimen.dofs.len();
    let (mut stiffness, mut damping) = (vec![0.0; n * n], vec![0.0; n * n]);
    let (mut all_rows, mut deformations) = (Vec::new(), Vec::new());
    for &e in &specimen.elements {
        let (rows, [k, c]) = at_rest(model, e, &specimen.dofs, &[]);
        stiffness.iter_mut().zip(&k).for_each(|(sum, k)| *sum += k);
        damping.iter_mut().zip(&c).for_each(|(sum, c)| *sum += c);
        stand_in_for(&mut whole.elements[e], &specimen.dofs, [k, c]);
        if is_law(&model.elements[e].kind) {
            deformations.extend(rows.iter().cloned());
        }
        all_rows.push((e, rows));
    }
    let driven = [stiffness.clone(), damping.clone()];
    StandIn { stiffness, damping, whole: driven.clone(), driven, deformations, rows: all_rows }
}

/// The stand-in of a specimen with inner degrees of freedom, which are fixed in the model: the first element is taken for all. The error
/// is an inner degree of freedom that nothing holds.
fn condensed(model: &Model, specimen: &Specimen, whole: &mut Model) -> Result<StandIn, usize> {
    let all = coordinates(specimen);
    let (n, moved) = (specimen.dofs.len(), specimen.columns());
    let mut matrices = [vec![0.0; all.len() * all.len()], vec![0.0; all.len() * all.len()]];
    let (mut all_rows, mut deformations) = (Vec::new(), Vec::new());
    for &e in &specimen.elements {
        let (mut rows, spread) = at_rest(model, e, &all, &specimen.inner);
        for (sum, own) in matrices.iter_mut().zip(&spread) {
            sum.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
        }
        if is_law(&model.elements[e].kind) {
            // What a free one can give way to is not resisted.
            let held = rows.iter().filter(|row| row[moved..].iter().all(|x| *x == 0.0));
            deformations.extend(held.map(|row| row[..moved].to_vec()));
        }
        rows.iter_mut().for_each(|row| row.truncate(moved));
        all_rows.push((e, rows));
        stand_in_for(&mut whole.elements[e], &[], Default::default());
    }
    let driven = condense(&matrices, all.len(), moved).map_err(|i| all[i])?;
    let [stiffness, damping] = condense(&matrices, all.len(), n).map_err(|i| all[i])?;
    if let Some(&first) = specimen.elements.first() {
        stand_in_for(&mut whole.elements[first], &specimen.dofs, [stiffness.clone(), damping.clone()]);
    }
    for &d in &specimen.inner {
        whole.dofs[d] = Dof { support: Support::Fixed, mass: 0.0, u0: 0.0, v0: 0.0, ..whole.dofs[d].clone() };
    }
    whole.held.retain(|(d, _)| !specimen.inner.contains(d));
    Ok(StandIn { stiffness, damping, driven, whole: matrices, deformations, rows: all_rows })
}

/// Whether an element has a law with deformations of its own.
fn is_law(kind: &Kind) -> bool {
    matches!(kind, Kind::Law { .. } | Kind::Formula { .. } | Kind::Block { .. })
}

/// An element that is replaced by springs and dashpots.
fn stand_in_for(element: &mut Element, dofs: &[usize], [stiffness, damping]: [Vec<f64>; 2]) {
    element.kind = Kind::Linear { dofs: dofs.to_vec(), mass: Vec::new(), damping, stiffness };
    (element.s0, element.given) = (Vec::new(), None);
}

/// What is left of stiffness and damping over the first `kept` of `n` coordinates where the others follow statically, u_i = T u_b with
/// T = -K_ii⁻¹ K_ib (Guyan): K_bb + K_bi T, and C over the same motions. The error is a coordinate that nothing holds.
fn condense(matrices: &[Vec<f64>; 2], n: usize, kept: usize) -> Result<[Vec<f64>; 2], usize> {
    let [k, c] = matrices;
    let (m, mut lu) = (n - kept, Lu::new(n - kept));
    let inner: Vec<f64> = (0..m * m).map(|x| k[(kept + x / m) * n + kept + x % m]).collect();
    // The pivot is compared with the stiffness of its own direction: radians and metres differ.
    let largest = |i: usize| (0..m).fold(0.0f64, |most, j| most.max(inner[i * m + j].abs()));
    if let Some(loose) = (0..m).find(|&i| largest(i) == 0.0) {
        return Err(kept + loose);
    }
    let scales: Vec<f64> = (0..m).map(|i| 1.0 / inner[i * m + i].abs().max(f64::MIN_POSITIVE).sqrt()).collect();
    let scaled: Vec<f64> = (0..m * m).map(|x| scales[x / m] * inner[x] * scales[x % m]).collect();
    lu.factorize(&scaled).map_err(|s| kept + s.row)?;
    if m > 0 && lu.least_pivot() < 1e-12 {
        let loose = (0..m).min_by(|&a, &b| largest(a).total_cmp(&largest(b))).unwrap_or(0);
        return Err(kept + loose);
    }
    // Columns of T.
    let mut t = vec![0.0; m * kept];
    let mut column = vec![0.0; m];
    for j in 0..kept {
        (0..m).for_each(|i| column[i] = -scales[i] * k[(kept + i) * n + j]);
        lu.solve(&mut column);
        (0..m).for_each(|i| t[i * kept + j] = scales[i] * column[i]);
    }
    // x_a of motion b: the identity over what is kept, T behind it.
    let motion = |a: usize, b: usize| if a < kept { f64::from(u8::from(a == b)) } else { t[(a - kept) * kept + b] };
    let seen = |matrix: &[f64]| -> Vec<f64> {
        let through = |i: usize, b: usize| -> f64 { (0..n).map(|a| matrix[i * n + a] * motion(a, b)).sum() };
        (0..kept * kept).map(|x| (0..n).map(|i| motion(i, x / kept) * through(i, x % kept)).sum()).collect()
    };
    Ok([seen(k), seen(c)])
}

/// Says that an inner degree of freedom is held by nothing.
fn loose_inner(model: &Model, (s, specimen): (usize, &Specimen), dof: usize) -> Problem {
    let name = &model.dofs[dof].name;
    let message = format!(
        "specimen `{}`: nothing holds the inner degree of freedom `{name}`: the stiffness of its elements is zero there",
        specimen.name
    );
    let help = "give it an element with stiffness, an initial position where its elements resist, or fix it";
    Problem::error(Subject::Specimen(s), message, help)
}

/// Stiffness and damping of an element at rest, row-major over its coordinates. Inner degrees of freedom rest where the model says.
fn tangents(model: &Model, e: usize, inner: &[usize]) -> [Vec<f64>; 2] {
    let element = &model.elements[e];
    match (stored(&element.kind), &element.kind) {
        (Some((law, coordinates)), kind) => {
            let start = |&(d, f): &(usize, f64)| if inner.contains(&d) { f * model.dofs[d].u0 } else { 0.0 };
            let rest: Vec<f64> = match kind {
                // What a frame carries at rest in the laboratory is nothing.
                Kind::Frame { .. } => vec![0.0; law.shape().0],
                _ => coordinates.iter().map(|c| c.iter().map(start).sum()).collect(),
            };
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
    let all = coordinates(specimen);
    // A constant load on what is free hangs there in the laboratory too.
    let held = model.held.iter().filter(|(d, _)| specimen.inner[specimen.held..].contains(d)).copied().collect();
    // What is really there, whatever it is taken for.
    let elements = specimen.elements.iter().map(|&e| unloaded(model, e)).collect();
    let alone = by_themselves(model, elements, held, |d| all.contains(&d).then_some(0.0));
    // Unknowns are numbered along the model.
    let assembly = assemble(&alone)?;
    let start = assembly.y0[2 * all.len()..].to_vec();
    let free = (!specimen.inner.is_empty()).then(|| free(model, specimen, &assembly, &stand_in));
    Ok(Physical { system: Some(assembly.system), start, stand_in, free })
}

/// What is known of the degrees of freedom of a specimen that no actuator moves.
fn free(model: &Model, specimen: &Specimen, assembly: &Assembly, stand_in: &StandIn) -> Free {
    let loose = &specimen.inner[specimen.held..];
    let [stiffness, damping] = stand_in.whole.clone();
    Free {
        order: assembly.unknowns(&coordinates(specimen)),
        driven: specimen.columns(),
        stiffness,
        damping,
        // Masses are those in the laboratory: forces by S², accelerations by S.
        masses: specimen.inner_masses[specimen.held..].iter().map(|m| m * specimen.scale).collect(),
        guess: loose.iter().map(|&d| model.dofs[d].u0).collect(),
        moving_mass: assembly.system.has_moving_mass(),
    }
}

/// A model of these elements alone, without loads: degrees of freedom with a start move, all others are fixed. `held` are its constant loads.
pub(crate) fn by_themselves(
    model: &Model,
    elements: Vec<Element>,
    held: Vec<(usize, f64)>,
    start: impl Fn(usize) -> Option<f64>,
) -> Model {
    let dof = |(d, dof): (usize, &Dof)| {
        // Masses are the laboratory's, or nothing is solved for; a system must have some.
        let (mass, support) = if start(d).is_some() { (1.0, Support::Free) } else { (0.0, Support::Fixed) };
        Dof { mass, support, u0: start(d).unwrap_or(0.0), v0: 0.0, ..dof.clone() }
    };
    Model {
        dofs: model.dofs.iter().enumerate().map(dof).collect(),
        elements,
        held,
        damping: Damping::None,
        loads: Vec::new(),
        load_names: Vec::new(),
        channels: Vec::new(),
        partition: None,
        specimens: Vec::new(),
        externals: Vec::new(),
        superelements: Vec::new(),
        updates: Vec::new(),
        // Masses of elements follow the configuration.
        analysis: Analysis { tangent: TangentPolicy::Exact, ..model.analysis.clone() },
        ..model.clone()
    }
}

/// An element as it stands in the laboratory: as it was made, without the loads of the structure.
pub(crate) fn unloaded(model: &Model, e: usize) -> Element {
    let mut alone = Element { given: None, ..model.elements[e].clone() };
    if let (Kind::Law { law, .. }, Some(truth)) = (&mut alone.kind, crate::learning::truth(model, e)) {
        *law = truth;
    }
    if let Kind::Frame { frame, .. } = &mut alone.kind {
        frame.rest = Arc::new([]);
    }
    alone
}

/// Coordinates of an element as rows over some degrees of freedom.
pub(super) fn rows(model: &Model, dofs: &[usize], e: usize) -> Vec<Vec<f64>> {
    let row = |terms: &[(usize, f64)]| {
        let mut row = vec![0.0; dofs.len()];
        for (d, f) in terms {
            if let Some(i) = dofs.iter().position(|x| x == d) {
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
