//! Whether masses are masses: a motion whose kinetic energy is negative runs away whatever the step.

use interfield_linalg::Pattern;

use interfield_language::model::{Kind, Model};
use interfield_language::{Problem, Subject};

/// Semidefinite up to this share of the diagonal: consistent and condensed masses are rounded.
const ROUNDING: f64 = 1e-10;
/// Unknowns up to which the whole mass matrix is looked at.
const DENSE: usize = 2000;

/// Elements with an indefinite mass matrix, unless the masses around them make up for it.
pub(crate) fn masses(model: &Model, pattern: &Pattern, mass: &[f64]) -> Option<Problem> {
    let (index, element) = model.elements.iter().enumerate().find(|(_, e)| match &e.kind {
        Kind::Linear { dofs, mass, .. } => !mass.is_empty() && !semidefinite(mass.clone(), dofs.len()),
        _ => false,
    })?;
    let n = pattern.n();
    let known = n <= DENSE;
    if known {
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            pattern.row(i).zip(pattern.columns(i)).for_each(|(p, &j)| dense[i * n + j as usize] = mass[p]);
        }
        if semidefinite(dense, n) {
            return None;
        }
    }
    let message =
        format!("the mass matrix of `{}` is indefinite: some motions have negative kinetic energy", element.name);
    let help = "check the signs and the order of its entries; M must be positive semidefinite";
    Some(Problem { fatal: known, ..Problem::warning(Subject::Element(index), message, help) })
}

/// Cholesky's factorisation of the symmetric part, scaled to a unit diagonal and lifted by the rounding.
fn semidefinite(mut a: Vec<f64>, n: usize) -> bool {
    let scale: Vec<f64> = (0..n).map(|i| a[i * n + i].abs().sqrt()).collect();
    for i in 0..n {
        for j in 0..=i {
            let x = 0.5 * (a[i * n + j] + a[j * n + i]);
            let unit = scale[i] * scale[j];
            // Without a mass of its own nothing can be coupled to others.
            a[i * n + j] = if unit > 0.0 { x / unit } else { x.signum() * f64::from(u8::from(x != 0.0)) };
        }
    }
    for i in 0..n {
        for j in 0..=i {
            let (head, row) = a.split_at_mut(i * n);
            let dot: f64 = (0..j).map(|k| row[k] * if i == j { row[k] } else { head[j * n + k] }).sum();
            let rest = row[j] - dot;
            if i == j {
                if rest < -ROUNDING {
                    return false;
                }
                row[j] = (rest + ROUNDING).sqrt();
            } else {
                row[j] = rest / head[j * n + j];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::semidefinite;

    #[test]
    fn indefinite_matrices_are_told_from_semidefinite_ones() {
        let good: [&[f64]; 4] = [&[2.0, 1.0, 1.0, 2.0], &[1.0, 1.0, 1.0, 1.0], &[0.0; 4], &[1e12, 1.0, 1.0, 1e-12]];
        let bad: [&[f64]; 4] =
            [&[1.0, 2.0, 2.0, 1.0], &[1.0, 0.5, 0.5, 0.0], &[1.0, 0.0, 0.0, -1.0], &[1.0, 1.001, 1.001, 1.0]];
        assert!(good.iter().all(|m| semidefinite(m.to_vec(), 2)));
        assert!(bad.iter().all(|m| !semidefinite(m.to_vec(), 2)));
        // A consistent beam: 1/6 [2 1; 1 2] over three nodes, semidefinite with a massless one beside it.
        let beam = [2.0, 1.0, 0.0, 0.0, 1.0, 4.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!(semidefinite(beam.to_vec(), 4));
    }
}
