//! Products of many long vectors, block of rows by block of rows, so that each block is read from memory once, and on all cores.
//!
//! The blocks and the order in which their parts are added do not depend on the number of cores: neither do the bits.

use rayon::prelude::*;

/// Rows of a block: some hundred vectors of it stay in the second-level cache.
const BLOCK: usize = 256;
/// Blocks whose parts are added before they meet those of others.
const GROUP: usize = 64;

/// Parts of the rows, added in their order.
fn added(n: usize, size: usize, part: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
    let rows = BLOCK * GROUP;
    let group = |g: usize| {
        let mut sums = vec![0.0; size];
        let end = n.min((g + 1) * rows);
        (g * rows..end).step_by(BLOCK).for_each(|first| part(first..end.min(first + BLOCK), &mut sums));
        sums
    };
    let groups: Vec<Vec<f64>> = (0..n.div_ceil(rows)).into_par_iter().map(group).collect();
    let mut out = vec![0.0; size];
    groups.iter().for_each(|sums| out.iter_mut().zip(sums).for_each(|(o, s)| *o += s));
    out
}

/// Eight sums at a time, which the processor adds beside each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|i| sums[i] += a[i] * b[i]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// aᵢ · bⱼ for all pairs, row by row.
pub(crate) fn products<A: AsRef<[f64]> + Sync, B: AsRef<[f64]> + Sync>(a: &[A], b: &[B]) -> Vec<f64> {
    let n = a.first().map_or(0, |a| a.as_ref().len());
    added(n, a.len() * b.len(), |rows, sums| {
        for (a, sums) in a.iter().zip(sums.chunks_exact_mut(b.len().max(1))) {
            let a = &a.as_ref()[rows.clone()];
            b.iter().zip(sums).for_each(|(b, s)| *s += dot(a, &b.as_ref()[rows.clone()]));
        }
    })
}

/// vᵢ · x for all.
pub(crate) fn shares<V: AsRef<[f64]> + Sync>(vectors: &[V], x: &[f64]) -> Vec<f64> {
    products(vectors, &[x])
}

/// x + Σ factorᵢ vᵢ.
pub(crate) fn add<V: AsRef<[f64]> + Sync>(x: &mut [f64], factors: &[f64], vectors: &[V]) {
    x.par_chunks_mut(BLOCK * GROUP).enumerate().for_each(|(g, group)| {
        for (i, part) in group.chunks_mut(BLOCK).enumerate() {
            let first = (g * GROUP + i) * BLOCK;
            let rows = first..first + part.len();
            for (factor, v) in factors.iter().zip(vectors).filter(|t| *t.0 != 0.0) {
                part.iter_mut().zip(&v.as_ref()[rows.clone()]).for_each(|(x, v)| *x += factor * v);
            }
        }
    });
}

/// Σ factorsⱼᵢ vᵢ for all j.
pub(crate) fn sums<V: AsRef<[f64]> + Sync>(n: usize, factors: &[Vec<f64>], vectors: &[V]) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = factors.iter().map(|_| vec![0.0; n]).collect();
    // All sums of a group of rows at once, so that the vectors are read once.
    let mut columns: Vec<_> = out.iter_mut().map(|o| o.chunks_mut(BLOCK * GROUP)).collect();
    let groups: Vec<Vec<&mut [f64]>> =
        (0..n.div_ceil(BLOCK * GROUP)).map(|_| columns.iter_mut().filter_map(Iterator::next).collect()).collect();
    groups.into_par_iter().enumerate().for_each(|(g, mut group)| {
        let length = group.first().map_or(0, |c| c.len());
        for first in (0..length).step_by(BLOCK) {
            let end = length.min(first + BLOCK);
            let rows = g * BLOCK * GROUP + first..g * BLOCK * GROUP + end;
            for (out, factors) in group.iter_mut().zip(factors) {
                let out = &mut out[first..end];
                for (factor, v) in factors.iter().zip(vectors).filter(|t| *t.0 != 0.0) {
                    out.iter_mut().zip(&v.as_ref()[rows.clone()]).for_each(|(o, v)| *o += factor * v);
                }
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Across the edges of blocks and groups, against sums that are exact.
    #[test]
    fn blocks_and_groups_meet_without_a_gap() {
        for n in [0, 1, BLOCK, BLOCK + 1, BLOCK * GROUP - 1, BLOCK * GROUP + 3, 3 * BLOCK * GROUP + 777] {
            let v: Vec<Vec<f64>> = (0..3).map(|k| (0..n).map(|i| ((i * (k + 2)) % 17) as f64).collect()).collect();
            let exact = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let all: Vec<f64> = v.iter().flat_map(|a| v[..2].iter().map(move |b| exact(a, b))).collect();
            assert_eq!(products(&v, &v[..2]), all, "{n}");
            let mut x = v[0].clone();
            add(&mut x, &[2.0, -3.0], &v[1..]);
            assert!((0..n).all(|i| x[i] == v[0][i] + 2.0 * v[1][i] - 3.0 * v[2][i]), "{n}");
            let both = sums(n, &[vec![1.0, 0.0, 4.0], vec![0.0, 5.0, -1.0]], &v);
            assert!((0..n).all(|i| both[0][i] == v[0][i] + 4.0 * v[2][i] && both[1][i] == 5.0 * v[1][i] - v[2][i]));
        }
    }
}
