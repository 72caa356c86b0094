//! Tangents of a specimen: what its actuators feel of it at rest, and along a path, where the test takes it.

use super::build::kinematics;
use super::stand_in::rows;
use crate::assemble::{remembers, stored};
use crate::assembled::Stored;
use interfield_kernel::element::Tangent;
use interfield_language::Model;
use interfield_language::model::Kind;

/// What the actuators of a specimen feel of it in small motions: matrices between strokes and forces, row by row, at the scale of the laboratory.
#[derive(Clone, Debug, PartialEq)]
pub struct Felt {
    /// Stiffness by the displacements themselves, N/m.
    pub elastic: Vec<f64>,
    /// Stiffness by states that follow the displacements, as those of hysteretic laws do, N/m.
    pub stored: Vec<f64>,
    /// Damping, N s/m.
    pub damping: Vec<f64>,
    /// Mass, kg.
    pub mass: Vec<f64>,
}

/// Tangents of an element: by its deformation, by states that follow it, by its rate.
struct Local {
    elastic: Vec<f64>,
    stored: Vec<f64>,
    damping: Vec<f64>,
}

/// What the actuators of a specimen feel at rest.
///
/// # Errors
/// Why that is not known: a sentence without its subject.
pub fn felt(model: &Model, specimen: usize) -> Result<Felt, String> {
    let s = model.specimens.get(specimen).ok_or("there is no such specimen")?;
    if s.inner.len() > s.held {
        return Err("has degrees of freedom that no actuator moves".to_owned());
    }
    let columns: Vec<usize> = s.dofs.iter().chain(&s.inner).copied().collect();
    let n = columns.len();
    let mut sums = [vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]];
    for &e in &s.elements {
        let element = &model.elements[e];
        let rows = rows(model, &columns, e);
        let start = |dof: usize| if s.inner.contains(&dof) { model.dofs[dof].u0 } else { 0.0 };
        let place: Vec<f64> = rows.iter().map(|r| r.iter().zip(&columns).map(|(f, d)| f * start(*d)).sum()).collect();
        let local = at_rest(&element.kind, &element.s0, &place, rows.len())
            .ok_or_else(|| format!("has an element with dynamics of its own, `{}`", element.name))?;
        for (sum, local) in sums.iter_mut().zip([&local.elastic, &local.stored, &local.damping]) {
            let d = rows.len();
            for i in 0..n * n {
                sum[i] += (0..d * d).map(|k| rows[k / d][i / n] * local[k] * rows[k % d][i % n]).sum::<f64>();
            }
        }
    }
    if sums.iter().flatten().any(|x| !x.is_finite()) {
        return Err("has no finite stiffness at rest".to_owned());
    }
    let mut kinematics = kinematics(s, true);
    let m = s.actuators.len();
    let mut between = |matrix: &[f64]| -> Vec<f64> {
        let columns: Vec<Vec<f64>> = (0..m).map(|j| kinematics.holding(matrix, j)).collect();
        (0..m * m).map(|k| columns[k % m][k / m]).collect()
    };
    // k = dF/dx = (dF/S²)/(dx/S); masses are those in the laboratory.
    let scaled = |matrix: &[f64]| -> Vec<f64> { matrix.iter().map(|x| x / s.scale).collect() };
    let [elastic, stored, damping] = sums.map(|sum| between(&scaled(&sum)));
    let masses: Vec<f64> = s.masses.iter().chain(&s.inner_masses).copied().collect();
    let mass: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { masses[k / n] } else { 0.0 }).collect();
    Ok(Felt { elastic, stored, damping, mass: between(&mass) })
}

/// Tangents of an element at rest; none if it moves in its own way.
fn at_rest(kind: &Kind, s0: &[f64], place: &[f64], d: usize) -> Option<Local> {
    if let Kind::Linear { stiffness, damping, mass, .. } = kind {
        let full = |m: &[f64]| if m.is_empty() { vec![0.0; d * d] } else { m.to_vec() };
        let massless = mass.iter().all(|m| *m == 0.0);
        return massless.then(|| Local { elastic: full(stiffness), stored: vec![0.0; d * d], damping: full(damping) });
    }
    let (law, _) = stored(kind)?;
    let (_, states, massive) = law.shape();
    let (states, rest) = ((0..states).map(|i| s0.get(i).copied().unwrap_or(0.0)).collect::<Vec<f64>>(), vec![0.0; d]);
    // What a frame carries at rest in the laboratory is nothing.
    let place = if matches!(kind, Kind::Frame { .. }) { &rest } else { place };
    let (local, own) = tangent(&law, (0.0, place, &rest), &states);
    let follows = states.is_empty() || (remembers(kind) && !own);
    (!massive && follows).then_some(local)
}

/// Tangents of a law where it is, and whether its states have rates that do not come from the rate of its deformation.
fn tangent(law: &Stored, (t, q, v): (f64, &[f64], &[f64]), states: &[f64]) -> (Local, bool) {
    let (d, s) = (q.len(), states.len());
    let [mut k, mut c, mut r, mut a, mut b, mut e] = [d * d, d * d, d * s, s * d, s * d, s * s].map(|n| vec![0.0; n]);
    let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
    law.tangent(t, q, v, states, &vec![0.0; d], out);
    let through = |k: usize| (0..s).map(|l| r[k / d * s + l] * b[l * d + k % d]).sum();
    let stored = (0..d * d).map(through).collect();
    let own = a.iter().chain(&e).any(|x| *x != 0.0);
    (Local { elastic: k, stored, damping: c }, own)
}

/// Lowest and highest tangents of a specimen with one degree of freedom, rest included, N/m and N s/m (N m, N m s) at the scale of the structure, and at
/// which point of the path each is; zero is rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents {
    /// Stiffness.
    pub stiffness: [f64; 2],
    /// Where it is lowest, and highest.
    pub at: [usize; 2],
    /// Damping.
    pub damping: [f64; 2],
    /// Stiffness and damping at rest.
    pub rest: [f64; 2],
}

/// The tangents of a specimen with one commanded degree of freedom while that goes along `path`, m (rad), every `dt` seconds. States of laws follow
/// by the trapezoidal rule, as those of the emulated specimen do.
///
/// # Errors
/// Why they are not known: a sentence without its subject.
pub fn tangents_along(model: &Model, specimen: usize, path: &[f64], dt: f64) -> Result<Tangents, String> {
    let s = model.specimens.get(specimen).ok_or("there is no such specimen")?;
    let ([dof], true) = (&s.dofs[..], s.inner.is_empty()) else {
        return Err("has several degrees of freedom".to_owned());
    };
    let mut sums = vec![[0.0; 2]; path.len() + 1];
    for &e in &s.elements {
        let element = &model.elements[e];
        let factors: Vec<f64> = rows(model, &[*dof], e).iter().map(|row| row[0]).collect();
        let d = factors.len();
        let onto = |local: &[f64]| -> f64 { (0..d * d).map(|k| factors[k / d] * local[k] * factors[k % d]).sum() };
        if let Kind::Linear { stiffness, damping, .. } = &element.kind {
            let full = |m: &[f64]| if m.is_empty() { 0.0 } else { onto(m) };
            sums.iter_mut().for_each(|sum| *sum = [sum[0] + full(stiffness), sum[1] + full(damping)]);
            continue;
        }
        let unknown = || format!("has an element whose tangents along a path are unknown, `{}`", element.name);
        // A law that evaluations move has the tangents of the same law with states.
        let law = match &element.kind {
            Kind::Law { law, .. } => Stored::Law(*law),
            kind => stored(kind).ok_or_else(unknown)?.0,
        };
        if law.memory() > 0 {
            return Err(unknown());
        }
        let (_, states, _) = law.shape();
        let mut now: Vec<f64> = (0..states).map(|i| element.s0.get(i).copied().unwrap_or(0.0)).collect();
        let (mut before, mut force) = (0.0, vec![0.0; d]);
        let [mut g0, mut g1] = [vec![0.0; states], vec![0.0; states]];
        let at = |x: f64| factors.iter().map(|f| f * x).collect::<Vec<f64>>();
        // Rest first.
        for (k, u) in std::iter::once(&0.0).chain(path).enumerate() {
            let v = if k == 0 { 0.0 } else { (u - before) / dt };
            let (q, rate, t) = (at(*u), at(v), k as f64 * dt);
            if k > 0 && states > 0 {
                law.response(t - dt, &at(before), &rate, &now, &mut force, &mut g0);
                let trial: Vec<f64> = now.iter().zip(&g0).map(|(s, g)| s + dt * g).collect();
                law.response(t, &q, &rate, &trial, &mut force, &mut g1);
                now.iter_mut().zip(g0.iter().zip(&g1)).for_each(|(s, (a, b))| *s += 0.5 * dt * (a + b));
            }
            let (local, _) = tangent(&law, (t, &q, &rate), &now);
            let states = if remembers(&element.kind) { onto(&local.stored) } else { 0.0 };
            let [stiffness, damping] = [onto(&local.elastic) + states, onto(&local.damping)];
            if !(stiffness.is_finite() && damping.is_finite()) {
                return Err(format!("has an element whose tangent is infinite at t = {t:.6} s, `{}`", element.name));
            }
            sums[k][0] += stiffness;
            sums[k][1] += damping;
            before = *u;
        }
    }
    let place =
        |sign: f64| (0..sums.len()).fold(0, |best, k| if sign * sums[k][0] > sign * sums[best][0] { k } else { best });
    let at = [place(-1.0), place(1.0)];
    let damping = sums.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |r, x| [r[0].min(x[1]), r[1].max(x[1])]);
    Ok(Tangents { stiffness: at.map(|k| sums[k][0]), at, damping, rest: sums[0] })
}
