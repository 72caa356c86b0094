//! The stiffness of a program at rest, found by moving it a little.
//!
//! From rest each degree of freedom goes to +d, to -d and back. With the places x and forces f of these moves
//!
//! ```text
//! X = [x(+d) - x(-d)],  F = [f(+d) - f(-d)]  column by column,    K = F X⁻¹,    symmetrised
//! ```
//!
//! Places are those that the program reached, so that what stands between it and the command (an adapter) is not in K.
//! Nothing is found where forces do not fit a line through rest: at +d and -d, and back at rest.

use interfield_lab::partner::{Partner, Trouble};
use interfield_linalg::dense_solve;

use interfield_language::external::External;

/// Deviation from a straight line, or from symmetry, that is let pass, relative to the force.
pub const TOLERANCE: f64 = 0.01;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Identified {
    /// Stiffness, row-major, symmetric, N/m.
    pub stiffness: Vec<f64>,
    /// How often the program was moved.
    pub moves: usize,
}

/// Moves a program that stands at rest, by the amounts of `external.probe`.
///
/// # Errors
/// Why it has no stiffness there; a sentence for the user.
pub fn identify(external: &External, partner: &mut dyn Partner) -> Result<Identified, String> {
    let amounts = external.probe.as_deref().unwrap_or_default();
    let n = external.dofs.len();
    if partner.dofs() != n || amounts.len() != n {
        return Err(format!("its program has {} degrees of freedom, the model {n}", partner.dofs()));
    }
    let mut moves = 0;
    let mut go = |u: &[f64]| -> Result<(Vec<f64>, Vec<f64>), String> {
        moves += 1;
        let (mut reached, mut force) = (vec![0.0; n], vec![0.0; n]);
        let answer = partner.exchange(0.0, u, &vec![0.0; n], &mut reached, &mut force);
        answer.map_err(|trouble| format!("its program {} while its stiffness was identified", trouble.words()))?;
        if reached.iter().chain(&force).all(|x| x.is_finite()) {
            return Ok((reached, force));
        }
        Err(format!("its program {} while its stiffness was identified", Trouble::Garbled.words()))
    };
    let rest = vec![0.0; n];
    let (_, mut start) = go(&rest)?;
    // Rows are moves: Xᵀ and Fᵀ.
    let (mut places, mut forces) = (Vec::new(), Vec::new());
    for (i, amount) in amounts.iter().enumerate() {
        let at = |u: f64| (0..n).map(|j| if j == i { u } else { 0.0 }).collect::<Vec<f64>>();
        let (ahead, back) = (go(&at(*amount))?, go(&at(-amount))?);
        let (_, end) = go(&rest)?;
        let way: Vec<f64> = ahead.1.iter().zip(&back.1).map(|(a, b)| a - b).collect();
        let largest = way.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
        let bend = ahead.1.iter().zip(&back.1).zip(&start).map(|((a, b), s)| (a + b - 2.0 * s).abs());
        let left = end.iter().zip(&start).map(|(e, s)| 2.0 * (e - s).abs());
        let worst = bend.chain(left).fold(0.0, f64::max);
        if worst > TOLERANCE * largest {
            return Err(format!(
                "its program is not linear at rest: for displacements of +/- {amount:e} along degree of freedom {}, \
                    its forces deviate from a line by {:.1} %",
                i + 1,
                100.0 * worst / largest
            ));
        }
        places.extend(ahead.0.iter().zip(&back.0).map(|(a, b)| a - b));
        forces.extend(way);
        start = end;
    }
    // Xᵀ Kᵀ = Fᵀ.
    if !dense_solve(&places, n, &mut forces, n) {
        return Err("its program does not follow the commanded displacements".to_owned());
    }
    let transposed = forces;
    let largest = transposed.iter().fold(0.0, |m: f64, k| m.max(k.abs()));
    let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let skew = pairs().fold(0.0, |m: f64, (i, j)| m.max((transposed[i * n + j] - transposed[j * n + i]).abs()));
    if !largest.is_finite() || skew > TOLERANCE * largest {
        return Err(format!(
            "the stiffness of its program is not symmetric: the difference is {:.1} %",
            100.0 * skew / largest
        ));
    }
    let mean = |k: usize| 0.5 * (transposed[k] + transposed[k % n * n + k / n]);
    Ok(Identified { stiffness: (0..n * n).map(mean).collect(), moves })
}
