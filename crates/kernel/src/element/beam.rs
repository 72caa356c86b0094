//! What the plane and the space frame member share: Hermite matrices, end releases, change of axes.
//!
//! J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, chapters 5 (stiffness), 6
//! (condensation) and 11 (consistent mass).

/// Why a member has no matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeamError {
    /// The end nodes coincide (or a position is not finite).
    ZeroLength,
    /// The orientation vector is zero, or parallel to the member.
    Orientation,
    /// The released rotations leave the member free to spin about its axis, or a released rotation has
    /// no stiffness to condense.
    Mechanism,
}

/// How the mass of the member is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassKind {
    /// From the interpolation of the displacements; without rotary inertia of bending.
    Consistent,
    /// Half of the mass at each end, on the translations only, as in OpenSees; rotations that need
    /// inertia get it from a `mass` element.
    Lumped,
}

/// Stiffness and mass of a member in global axes.
#[derive(Clone, Copy, Debug)]
pub struct Member<const N: usize> {
    /// Stiffness matrix.
    pub k: [[f64; N]; N],
    /// Mass matrix.
    pub m: [[f64; N]; N],
}

impl<const N: usize> Member<N> {
    pub(super) const ZERO: Self = Self { k: [[0.0; N]; N], m: [[0.0; N]; N] };

    /// Adds the matrices of a bar of two nodes (axial or torsional) at the two indices `at`:
    /// k [1 -1; -1 1] and m/6 [2 1; 1 2], lumped m/2 I.
    pub(super) fn add_bar(&mut self, at: [usize; 2], stiffness: f64, mass: f64, kind: MassKind) {
        let (same, other) = match kind {
            MassKind::Consistent => (mass / 3.0, mass / 6.0),
            MassKind::Lumped => (0.5 * mass, 0.0),
        };
        for i in 0..2 {
            for j in 0..2 {
                self.k[at[i]][at[j]] += if i == j { stiffness } else { -stiffness };
                self.m[at[i]][at[j]] += if i == j { same } else { other };
            }
        }
    }

    /// Adds the matrices of a bending beam at the indices `at` of (w, w', w, w'); `slope` is the sign of
    /// the rotation DoF relative to w'.
    pub(super) fn add_bending(&mut self, at: [usize; 4], slope: f64, ei: f64, l: f64, mass: f64, kind: MassKind) {
        let k = [
            [12.0, 6.0 * l, -12.0, 6.0 * l],
            [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
            [-12.0, -6.0 * l, 12.0, -6.0 * l],
            [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
        ];
        let m = match kind {
            MassKind::Consistent => [
                [156.0, 22.0 * l, 54.0, -13.0 * l],
                [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
                [54.0, 13.0 * l, 156.0, -22.0 * l],
                [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
            ],
            MassKind::Lumped => {
                let mut m = [[0.0; 4]; 4];
                m[0][0] = 210.0;
                m[2][2] = 210.0;
                m
            }
        };
        let sign = [1.0, slope, 1.0, slope];
        for i in 0..4 {
            for j in 0..4 {
                self.k[at[i]][at[j]] += sign[i] * sign[j] * k[i][j] * ei / (l * l * l);
                self.m[at[i]][at[j]] += sign[i] * sign[j] * m[i][j] * mass / 420.0;
            }
        }
    }

    /// Releases the (local) degree of freedom `r` of one end by static condensation: the end of the
    /// member follows the other ends without force, u_r = -k_rj u_j / k_rr, and the mass follows the same
    /// transformation. Row and column `r` become exactly zero: the node keeps its own rotation, to which
    /// this member then gives neither stiffness nor mass.
    pub(super) fn release(&mut self, r: usize, intact_stiffness: f64) -> Result<(), BeamError> {
        let pivot = self.k[r][r];
        // After other releases only roundoff may be left of the stiffness; no valid case goes below 3/4.
        if pivot.is_nan() || pivot <= 1e-9 * intact_stiffness {
            return Err(BeamError::Mechanism);
        }
        let mut follow = [0.0; N];
        for j in 0..N {
            follow[j] = if j == r { 0.0 } else { -self.k[r][j] / pivot };
        }
        let (k, m) = (self.k, self.m);
        for i in 0..N {
            for j in 0..N {
                if i == r || j == r {
                    self.k[i][j] = 0.0;
                    self.m[i][j] = 0.0;
                } else {
                    // Rows other than r of the transformation are those of the identity.
                    self.k[i][j] = k[i][j] + k[i][r] * follow[j];
                    self.m[i][j] =
                        m[i][j] + m[i][r] * follow[j] + follow[i] * m[r][j] + follow[i] * m[r][r] * follow[j];
                }
            }
        }
        Ok(())
    }

    /// From local to global axes; the rows of `axes` are the local axes of one 3-vector (a node of the
    /// plane member; translations or rotations of the space member).
    pub(super) fn into_global(self, axes: &[[f64; 3]; 3]) -> Self {
        Self { k: rotate(&self.k, axes), m: rotate(&self.m, axes) }
    }
}

/// axesᵀ a axes on every 3 x 3 block, exactly symmetric.
fn rotate<const N: usize>(a: &[[f64; N]; N], axes: &[[f64; 3]; 3]) -> [[f64; N]; N] {
    let mut half = [[0.0; N]; N];
    let mut out = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..N {
            let block = j / 3 * 3;
            for l in 0..3 {
                half[i][j] += a[i][block + l] * axes[l][j - block];
            }
        }
    }
    for i in 0..N {
        // The lower triangle is copied: roundoff must not cost the symmetric solver its assumption.
        for j in i..N {
            let block = i / 3 * 3;
            let mut sum = 0.0;
            for l in 0..3 {
                sum += axes[l][i - block] * half[block + l][j];
            }
            out[i][j] = sum;
            out[j][i] = sum;
        }
    }
    out
}
