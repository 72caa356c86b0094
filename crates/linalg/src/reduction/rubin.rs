//! Reduction with modes of the free component and its residual flexibility (Rubin, AIAA J. 13, 1975), in the displacements of the kept
//! unknowns: it assembles like the fixed interface. Better where the interface is soft, as on isolators; ill-conditioned where the interface or
//! the number of modes is large, because the flexibility that is left is the difference of two that are nearly equal.

use super::{Component, Superelement, Unreducible, restricted, sum, symmetric};
use crate::choice::SymmetricFactor;
use crate::eigen::{EigenError, symmetric_eigen};
use crate::modes::{dot, modes};

/// Largest condition of the residual flexibility (scaled to a unit diagonal): six digits of it are then left.
const CONDITION: f64 = 1e10;
/// ω² of a rigid motion as a share of the largest ratio of a stiffness and a mass.
const RIGID: f64 = 1e-11;

/// Reduces a component with its `count` lowest elastic modes while the interface is free, and its rigid motions.
///
/// # Errors
/// When the modes were not found, or the residual flexibility is too close to singular.
pub fn free_interface(component: &Component<'_>, count: usize) -> Result<Superelement, Unreducible> {
    let Component { pattern, stiffness, mass, kept } = *component;
    let (n, nb) = (pattern.n(), kept.len());
    let diagonal = |values: &[f64], i: usize| pattern.position(i, i).map_or(0.0, |p| values[p]);
    let massive = (0..n).filter(|&i| diagonal(mass, i) > 0.0);
    let highest = massive.map(|i| diagonal(stiffness, i) / diagonal(mass, i)).fold(0.0, f64::max);
    // At most six rigid motions of one body; of a mechanism there are more, which the count then shows.
    let found = modes(pattern, stiffness, mass, (count + 7).min(n))?;
    let rigid = found.omega2.partition_point(|v| *v <= RIGID * highest);
    let all = (rigid + count).min(found.omega2.len());
    let shapes = &found.shapes[..all];
    let product = |values: &[f64], x: &[f64]| {
        let mut y = vec![0.0; n];
        pattern.mul(values, x, &mut y);
        y
    };

    // Flexibility with the rigid motions taken out: held where it is determinate.
    let held = determinate(&shapes[..rigid])?;
    let free: Vec<usize> = (0..n).filter(|i| !held.contains(i)).collect();
    let mut place = vec![None; n];
    free.iter().enumerate().for_each(|(a, &i)| place[i] = Some(a));
    let (inner, [k, _]) = restricted(pattern, &free, &place, [stiffness, mass]);
    let mut factor = SymmetricFactor::new(&inner);
    factor.factorize(&k).map_err(|row| Unreducible::Mechanism { row: free[row] })?;
    let inertia: Vec<Vec<f64>> = shapes[..rigid].iter().map(|r| product(mass, r)).collect();
    let mut left: Vec<Vec<f64>> = Vec::new();
    for &b in kept {
        let mut f = vec![0.0; n];
        f[b] = 1.0;
        for (r, mr) in shapes.iter().zip(&inertia) {
            f.iter_mut().zip(mr).for_each(|(f, m)| *f -= r[b] * m);
        }
        let mut part: Vec<f64> = free.iter().map(|&i| f[i]).collect();
        factor.solve(&mut part);
        let mut u = vec![0.0; n];
        free.iter().zip(part).for_each(|(&i, x)| u[i] = x);
        for (r, mr) in shapes.iter().zip(&inertia) {
            let share = dot(mr, &u);
            u.iter_mut().zip(r).for_each(|(u, r)| *u -= share * r);
        }
        for (omega2, x) in found.omega2[rigid..all].iter().zip(&shapes[rigid..]) {
            let share = x[b] / omega2;
            u.iter_mut().zip(x).for_each(|(u, x)| *u -= share * x);
        }
        left.push(u);
    }

    let b: Vec<f64> = (0..nb).flat_map(|i| left.iter().map(move |u| u[kept[i]])).collect();
    let scale: Vec<f64> = (0..nb).map(|i| b[i * nb + i].abs().sqrt().recip()).collect();
    let scaled: Vec<f64> = (0..nb * nb).map(|p| b[p] * scale[p / nb] * scale[p % nb]).collect();
    let condition = match symmetric_eigen(&scaled, nb) {
        Ok((values, _)) => values[nb - 1] / values[0],
        Err(_) => f64::INFINITY,
    };
    if !(1.0..CONDITION).contains(&condition) {
        return Err(Unreducible::Condition(condition.abs()));
    }
    // B⁻¹ by columns.
    let mut inverse: Vec<f64> = (0..nb * nb).map(|p| if p / nb == p % nb { 1.0 } else { 0.0 }).collect();
    if !crate::dense_solve(&scaled, nb, &mut inverse, nb) {
        return Err(Unreducible::Condition(condition));
    }
    let entry = |i: usize, j: usize| inverse[i * nb + j] * scale[i] * scale[j];
    let mut motions: Vec<Vec<f64>> =
        (0..nb).map(|j| sum(n, left.iter().enumerate().map(|(i, u)| (entry(i, j), u)))).collect();
    for x in shapes {
        let follows = sum(n, motions[..nb].iter().enumerate().map(|(j, t)| (x[kept[j]], t)));
        motions.push(x.iter().zip(follows).map(|(x, f)| x - f).collect());
    }
    let interior: Vec<usize> = (0..n).filter(|i| kept.binary_search(i).is_err()).collect();
    let motions: Vec<Vec<f64>> = motions.iter().map(|t| interior.iter().map(|&i| t[i]).collect()).collect();
    let mut element = Superelement {
        kept: nb,
        modes: all,
        omega2: found.omega2[..all].to_vec(),
        next: found.omega2.get(all).copied(),
        stiffness: Vec::new(),
        mass: Vec::new(),
        interior,
        motions,
    };
    element.stiffness = symmetric(element.projected(component, stiffness), element.size());
    element.mass = symmetric(element.projected(component, mass), element.size());
    Ok(element)
}

/// Rows that hold these motions determinately: by elimination with pivots.
fn determinate(motions: &[Vec<f64>]) -> Result<Vec<usize>, Unreducible> {
    let mut left = motions.to_vec();
    let mut held = Vec::new();
    while let Some(motion) = left.pop() {
        let largest = motion.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let Some((row, pivot)) = largest.filter(|m| *m.1 != 0.0) else {
            return Err(EigenError::NoConvergence.into());
        };
        for other in &mut left {
            let share = other[row] / pivot;
            other.iter_mut().zip(&motion).for_each(|(o, m)| *o -= share * m);
        }
        held.push(row);
    }
    Ok(held)
}
