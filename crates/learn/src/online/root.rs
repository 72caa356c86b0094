//! Square roots of covariances: small triangular matrices on the stack.
//! **Must not be here:** estimates.

/// Most rows.
pub const ROWS: usize = 6;
/// Most columns of what is made triangular: points, and a diagonal of noise.
pub const COLUMNS: usize = 3 * ROWS;

/// A wide matrix whose product with its transpose is a covariance.
pub type Wide = [[f64; COLUMNS]; ROWS];
/// A lower triangle with the same product.
pub type Root = [[f64; ROWS]; ROWS];

/// The lower triangle L with L Lᵀ = A Aᵀ for the first `n` rows and `m` columns of A, by reflections of rows: nothing is
/// subtracted, so that it is a root however ill-conditioned A is.
pub fn triangle(a: &mut Wide, n: usize, m: usize) -> Root {
    let mut root = [[0.0; ROWS]; ROWS];
    for i in 0..n {
        let norm = a[i][i..m].iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            // The reflection that turns the row into its first entry; the sign avoids cancellation.
            let alpha = if a[i][i] > 0.0 { -norm } else { norm };
            let mut v = [0.0; COLUMNS];
            v[i..m].copy_from_slice(&a[i][i..m]);
            v[i] -= alpha;
            let square = v[i..m].iter().map(|x| x * x).sum::<f64>();
            for row in a.iter_mut().take(n).skip(i) {
                let along = 2.0 * row[i..m].iter().zip(&v[i..m]).map(|(x, v)| x * v).sum::<f64>() / square;
                row[i..m].iter_mut().zip(&v[i..m]).for_each(|(x, v)| *x -= along * v);
            }
            if alpha < 0.0 {
                a.iter_mut().take(n).skip(i).for_each(|row| row[i] = -row[i]);
            }
        }
        root[i][..=i].copy_from_slice(&a[i][..=i]);
    }
    root
}

/// The standard deviation that a row of a root is.
pub fn deviation(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}
