//! Random chains, and networks of substructures that meet at common degrees of freedom, beside the same structure in one piece.

use interfield_coupling::{Assembly, Port, Ranks, Substructure};
use interfield_kernel::Domain;
use interfield_kernel::scheme::registry::AnyScheme;

use crate::dense::Dense;
use crate::numerics::Random;

/// A chain of `n` masses, masses and springs between 10^-width and 10^width, damped or not; held at its first mass unless
/// it floats.
pub fn random_chain(random: &mut Random, n: usize, floating: bool, width: f64) -> Dense {
    let (mut m, mut c, mut k) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
    let damping = if random.uniform() < 0.5 { 0.0 } else { random.decades(-3.0, -1.0) };
    for i in 0..n {
        m[i * (n + 1)] = random.decades(-width, width);
        let spring = random.decades(-width, width);
        if i == 0 && floating {
            continue;
        }
        for (matrix, value) in [(&mut k, spring), (&mut c, damping * spring)] {
            matrix[i * (n + 1)] += value;
            if i > 0 {
                matrix[(i - 1) * (n + 1)] += value;
                matrix[i * n + i - 1] -= value;
                matrix[(i - 1) * n + i] -= value;
            }
        }
    }
    Dense::new(m, c, k)
}

/// One piece of a [`Network`].
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its matrices.
    pub system: Dense,
    /// Degree of freedom of the whole that each of its unknowns is.
    pub dofs: Vec<usize>,
    /// Whether it stands on the fine side.
    pub fine: bool,
}

/// Pieces, and the motion from which the whole starts.
#[derive(Clone, Debug)]
pub struct Network {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Initial displacements and velocities of the whole.
    pub start: [Vec<f64>; 2],
}

impl Network {
    /// From pieces; the start is made up.
    pub fn new(pieces: Vec<Piece>) -> Self {
        let n = pieces.iter().flat_map(|p| &p.dofs).max().map_or(0, |d| d + 1);
        let wave = |phase: f64| (0..n).map(|i| (1.3 * i as f64 + phase).sin()).collect();
        Network { pieces, start: [wave(0.4), wave(1.7)] }
    }

    /// Ready to be coupled: where k pieces meet there are k - 1 constraints.
    pub fn assembly(&self, scheme: AnyScheme, dt: f64, ss: usize) -> Assembly<Dense> {
        let mut rows = 0;
        let mut ports = vec![Vec::new(); self.pieces.len()];
        for dof in 0..self.start[0].len() {
            let at = |p: &Piece| p.dofs.iter().position(|d| *d == dof);
            let ends: Vec<(usize, usize)> =
                self.pieces.iter().enumerate().filter_map(|(i, p)| at(p).map(|j| (i, j))).collect();
            for pair in ends.windows(2) {
                for (&(piece, dof), sign) in pair.iter().zip([1.0, -1.0]) {
                    ports[piece].push(Port { row: rows, dof, sign });
                }
                rows += 1;
            }
        }
        let substructures = self.pieces.iter().zip(ports).map(|(p, ports)| Substructure {
            system: p.system.clone(),
            y0: self.start.iter().flat_map(|x| p.dofs.iter().map(|d| x[*d])).collect(),
            scheme,
            substeps: if p.fine { ss } else { 1 },
            fine: p.fine,
            ports,
        });
        Assembly { substructures: substructures.collect(), rows, dt, ranks: Ranks::default() }
    }

    /// The whole in one piece.
    pub fn whole(&self) -> Dense {
        let n = self.start[0].len();
        let gather = |pick: fn(&Dense) -> &Vec<f64>| {
            let mut sum = vec![0.0; n * n];
            for p in &self.pieces {
                for (i, &row) in p.dofs.iter().enumerate() {
                    for (j, &column) in p.dofs.iter().enumerate() {
                        sum[row * n + column] += pick(&p.system)[i * p.dofs.len() + j];
                    }
                }
            }
            sum
        };
        Dense::new(gather(|d| &d.m), gather(|d| &d.c), gather(|d| &d.k))
    }

    /// The whole, started with a scheme.
    ///
    /// # Panics
    /// If it cannot be.
    pub fn domain(&self, scheme: AnyScheme, dt: f64) -> Domain<AnyScheme, Dense, Vec<f64>> {
        let system = self.whole();
        let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
        let mut x = self.start.concat();
        x.resize(nx, 0.0);
        Domain::new(scheme, system, dt, x, vec![0.0; nw]).expect("a regular structure")
    }
}
