//! Tangents of a specimen along a path: what its laws are like where the test takes them.

use super::stand_in::rows;
use crate::assemble::{remembers, stored};
use interfield_kernel::element::Tangent;
use interfield_language::Model;
use interfield_language::model::Kind;

/// Lowest and highest tangents of a specimen with one degree of freedom, rest included, N/m and N s/m (N m, N m s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents {
    /// Stiffness.
    pub stiffness: [f64; 2],
    /// Damping.
    pub damping: [f64; 2],
}

/// The tangents of a specimen with one commanded degree of freedom while that goes along `path`, m (rad), every `dt` seconds. States of laws follow
/// by the trapezoidal rule, as those of the emulated specimen do.
///
/// # Errors
/// Why they are not known: a sentence.
pub fn tangents_along(model: &Model, specimen: usize, path: &[f64], dt: f64) -> Result<Tangents, String> {
    let s = model.specimens.get(specimen).ok_or("there is no such specimen")?;
    let [dof] = s.dofs[..] else { return Err("it has several degrees of freedom".to_owned()) };
    let mut sums = vec![[0.0; 2]; path.len() + 1];
    for &e in &s.elements {
        let element = &model.elements[e];
        let factors: Vec<f64> = rows(model, &[dof], e).iter().map(|row| row[0]).collect();
        let d = factors.len();
        let onto = |local: &[f64]| -> f64 {
            (0..d * d).map(|k| factors[k / d] * local[k] * factors[k % d]).sum()
        };
        if let Kind::Linear { stiffness, damping, .. } = &element.kind {
            let full = |m: &[f64]| if m.is_empty() { 0.0 } else { onto(m) };
            sums.iter_mut().for_each(|sum| *sum = [sum[0] + full(stiffness), sum[1] + full(damping)]);
            continue;
        }
        let unknown = || format!("the tangents of `{}` along the path are unknown", element.name);
        let (law, _) = stored(&element.kind).ok_or_else(unknown)?;
        if law.memory() > 0 {
            return Err(unknown());
        }
        let memory = remembers(&element.kind);
        let states = law.shape().1;
        let mut now: Vec<f64> = (0..states).map(|i| element.s0.get(i).copied().unwrap_or(0.0)).collect();
        let (mut before, mut force) = (0.0, vec![0.0; d]);
        let [mut g0, mut g1] = [vec![0.0; states], vec![0.0; states]];
        let mut v_before = 0.0;
        // Rest first.
        for (k, u) in std::iter::once(&0.0).chain(path).enumerate() {
            let v = if k == 0 { 0.0 } else { (u - before) / dt };
            let at = |x: f64| factors.iter().map(|f| f * x).collect::<Vec<f64>>();
            let (q, rate, t) = (at(*u), at(v), k as f64 * dt);
            if k > 0 && states > 0 {
                law.response(t - dt, &at(before), &at(v_before), &now, &mut force, &mut g0);
                let trial: Vec<f64> = now.iter().zip(&g0).map(|(s, g)| s + dt * g).collect();
                law.response(t, &q, &rate, &trial, &mut force, &mut g1);
                now.iter_mut().zip(g0.iter().zip(&g1)).for_each(|(s, (a, b))| *s += 0.5 * dt * (a + b));
            }
            let [mut kk, mut cc, mut r, mut a, mut b, mut e] =
                [d * d, d * d, d * states, states * d, states * d, states * states].map(|n| vec![0.0; n]);
            let out = Tangent { k: &mut kk, c: &mut cc, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
            law.tangent(t, &q, &rate, &now, &vec![0.0; d], out);
            if memory {
                for i in 0..d {
                    for j in 0..d {
                        kk[i * d + j] += (0..states).map(|l| r[i * states + l] * b[l * d + j]).sum::<f64>();
                    }
                }
            }
            let [stiffness, damping] = [onto(&kk), onto(&cc)];
            if !(stiffness.is_finite() && damping.is_finite()) {
                return Err(format!("the tangent of `{}` is infinite at t = {t:.6} s of the path", element.name));
            }
            sums[k][0] += stiffness;
            sums[k][1] += damping;
            (before, v_before) = (*u, v);
        }
    }
    let range = |i: usize| sums.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |r, x| [r[0].min(x[i]), r[1].max(x[i])]);
    Ok(Tangents { stiffness: range(0), damping: range(1) })
}
