//! Fewer unknowns on a large interface: kept unknowns on which nothing else acts move with the characteristic constraint modes of the
//! component (Castanier, Tan and Pierre, AIAA J. 39, 2001), modes of its stiffness and mass condensed statically on the interface.

use super::{Matrices, Superelement, symmetric};
use crate::Pattern;
use crate::eigen::{EigenError, symmetric_eigen};
use crate::modes::{dot, modes};
use crate::tall;

/// Directions of the interface whose share beside the others is below this add nothing.
const DEPENDENT: f64 = 1e-10;

impl Matrices {
    /// Characteristic constraint modes: ω² ascending, and shapes over the kept unknowns, φᵀMφ = 1.
    ///
    /// # Errors
    /// When they were not found.
    pub fn characteristic(&self) -> Result<(Vec<f64>, Vec<Vec<f64>>), EigenError> {
        let nb = self.kept;
        let block = |a: &[f64]| (0..nb * nb).map(|p| a[p / nb * self.size + p % nb]).collect::<Vec<f64>>();
        // Some of it may have no mass: the pair as a sparse one, whose modes are found there too.
        let all = Pattern::new(nb, (0..nb).flat_map(|i| (0..i).map(move |j| (i, j))));
        let found = modes(&all, &block(&self.stiffness), &block(&self.mass), nb)?;
        Ok((found.omega2, found.shapes))
    }

    /// The same with only these kept unknowns, in this order, before all others.
    pub fn reordered(&self, kept: &[usize]) -> Matrices {
        let others = (0..self.size).filter(|i| !kept.contains(i));
        let order: Vec<usize> = kept.iter().copied().chain(others).collect();
        let take = |a: &[f64]| order.iter().flat_map(|&i| order.iter().map(move |&j| a[i * self.size + j])).collect();
        Matrices { kept: kept.len(), size: self.size, stiffness: take(&self.stiffness), mass: take(&self.mass) }
    }

    /// Sᵀ A S of both matrices, for columns S over the unknowns, with the first `kept` of them kept.
    fn changed(&self, columns: &[Vec<f64>], kept: usize) -> Matrices {
        let size = columns.len();
        let change = |a: &[f64]| {
            let applied: Vec<Vec<f64>> =
                columns.iter().map(|s| a.chunks_exact(self.size).map(|row| dot(row, s)).collect()).collect();
            symmetric(columns.iter().flat_map(|s| applied.iter().map(move |x| dot(s, x))).collect(), size)
        };
        Matrices { kept, size, stiffness: change(&self.stiffness), mass: change(&self.mass) }
    }
}

impl Superelement {
    /// The same with fewer unknowns on its interface: of the kept unknowns at the places `soft` (rising) only the characteristic modes below
    /// an ω² and the motions `besides` (over the kept unknowns) stay, as generalised unknowns behind the others; `rows` are the rows of the
    /// kept unknowns in the component.
    ///
    /// # Errors
    /// When they were not found.
    pub fn with_interface_modes(
        self,
        (rows, soft): (&[usize], &[usize]),
        below: f64,
        besides: &[Vec<f64>],
    ) -> Result<Superelement, EigenError> {
        let (nb, size, matrices) = (self.kept, self.size(), self.matrices());
        let (omega2, shapes) = matrices.characteristic()?;
        let low = omega2.iter().zip(shapes).filter(|m| *m.0 < below).map(|m| m.1);
        let moved: Vec<Vec<f64>> =
            low.chain(besides.iter().cloned()).map(|x| soft.iter().map(|&b| x[b]).collect()).collect();
        // Each unknown in the scale of its own stiffness, so that metres and radians compare.
        let unit: Vec<f64> = soft.iter().map(|&b| self.stiffness[b * size + b].max(f64::MIN_POSITIVE).sqrt()).collect();
        let scaled: Vec<Vec<f64>> = moved.iter().map(|x| x.iter().zip(&unit).map(|(x, u)| x * u).collect()).collect();
        let length: Vec<f64> = scaled.iter().map(|x| dot(x, x).sqrt()).collect();
        let some: Vec<usize> = (0..moved.len()).filter(|&j| length[j] > 0.0).collect();
        let gram: Vec<f64> = some
            .iter()
            .flat_map(|&i| some.iter().map(move |&j| (i, j)))
            .map(|(i, j)| dot(&scaled[i], &scaled[j]) / (length[i] * length[j]))
            .collect();
        let (values, vectors) = symmetric_eigen(&gram, some.len())?;
        let largest = values.last().copied().unwrap_or(0.0);
        let own = values.iter().zip(&vectors).filter(|v| *v.0 > DEPENDENT * largest).map(|(_, q)| {
            let mut x = vec![0.0; soft.len()];
            for (q, &j) in q.iter().zip(&some) {
                x.iter_mut().zip(&moved[j]).for_each(|(x, m)| *x += q / length[j] * m);
            }
            x
        });
        let own: Vec<Vec<f64>> = own.collect();

        let hard: Vec<usize> = (0..nb).filter(|b| soft.binary_search(b).is_err()).collect();
        let unit_at = |i: usize| (0..size).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let mut columns: Vec<Vec<f64>> = hard.iter().copied().chain(nb..size).map(unit_at).collect();
        columns.extend(own.iter().map(|x| {
            let mut column = vec![0.0; size];
            soft.iter().zip(x).for_each(|(&b, x)| column[b] = *x);
            column
        }));
        let Matrices { stiffness, mass, .. } = matrices.changed(&columns, hard.len());

        // What was kept follows now: its rows stand among those inside, in their order.
        let places: Vec<(usize, Option<usize>)> = {
            let inside = self.interior.iter().enumerate().map(|(a, &row)| (row, Err(a)));
            let mut all: Vec<(usize, Result<usize, usize>)> =
                inside.chain(soft.iter().enumerate().map(|(s, &b)| (rows[b], Ok(s)))).collect();
            all.sort_unstable();
            all.into_iter().map(|(row, place)| (row, place.ok())).collect()
        };
        let soft_motions: Vec<&[f64]> = soft.iter().map(|&b| self.motions[b].as_slice()).collect();
        let n = self.interior.len();
        let merged = |inner: &[f64], at: &dyn Fn(usize) -> f64| {
            let mut inner = inner.iter();
            places.iter().map(|p| p.1.map_or_else(|| inner.next().copied().unwrap_or(0.0), at)).collect::<Vec<f64>>()
        };
        let interface = tall::sums(n, &own, &soft_motions);
        let still = hard.iter().copied().chain(nb..size).map(|i| merged(&self.motions[i], &|_| 0.0));
        let motions: Vec<Vec<f64>> =
            still.chain(own.iter().zip(&interface).map(|(x, inner)| merged(inner, &|s| x[s]))).collect();
        let interior = places.iter().map(|p| p.0).collect();
        Ok(Superelement { kept: hard.len(), stiffness, mass, interior, motions, ..self })
    }
}
