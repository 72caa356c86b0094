//! Euler-Bernoulli member of a space frame, with St. Venant torsion.
//!
//! In local axes (x along the member): axially E A / l and rho A l / 6 [2 1; 1 2]; in torsion G J / l and
//! rho (Iy + Iz) l / 6 [2 1; 1 2]; in bending E Iz about z (uy, rz = uy') and E Iy about y (uz, ry = -uz')
//! with rho A l / 420 [156 22l 54 -13l; ...]; or the mass lumped on the translations.
//!
//! J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, chapters 5 and 11. Local
//! axes as in OpenSees: a vector v in the local x-z plane gives y = (v × x) / |v × x|, z = x × y.
//! Released moments by static condensation. Deviations: none (no rotary inertia of bending, no shear, no
//! warping).

use super::beam::{BeamError, MassKind, Member};
use super::info::{Coordinates, Info, Range::*, Unit, optional, required};

/// Moments released at one end, about the local axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Release {
    /// Torsion.
    pub torsion: bool,
    /// Bending about the local y axis.
    pub my: bool,
    /// Bending about the local z axis.
    pub mz: bool,
}

/// Section and material of a space member.
#[derive(Clone, Copy, Debug)]
pub struct Beam3d {
    /// Young's modulus, Pa.
    pub e: f64,
    /// Shear modulus, Pa.
    pub g: f64,
    /// Area, m^2.
    pub area: f64,
    /// Second moment of area about the local y axis, m^4.
    pub iy: f64,
    /// Second moment of area about the local z axis, m^4.
    pub iz: f64,
    /// Torsion constant, m^4.
    pub j: f64,
    /// Density, kg/m^3.
    pub rho: f64,
    /// A vector in the local x-z plane, not parallel to the member. By default the global Z axis, so that
    /// y lies in the horizontal plane; for a member within 0.001 rad of Z the global X axis.
    pub orientation: Option<[f64; 3]>,
    /// Released moments at the start and at the end.
    pub release: [Release; 2],
    /// Distribution of the mass.
    pub mass: MassKind,
}

/// Sine of the angle below which an orientation vector counts as parallel to the member.
const PARALLEL: f64 = 1e-3;

impl Beam3d {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "beam3d",
        title: "Euler-Bernoulli member of a space frame",
        equations: &[
            "degrees of freedom per node: ux, uy, uz, rx, ry, rz",
            "K = E A / l and G J / l [1 -1; -1 1] axially and in torsion",
            "K = E Iz / l^3 [12 6l -12 6l; ...] for uy, rz; E Iy / l^3 [12 -6l -12 -6l; ...] for uz, ry",
            "M = rho A l / 6 and rho (Iy + Iz) l / 6 [2 1; 1 2] axially and in torsion",
            "M = rho A l / 420 [156 22l 54 -13l; ...] in bending",
            "M = rho A l / 2 on each translation, nothing on rotations, if lumped",
            "y = (v × x) / |v × x|, z = x × y with the orientation vector v",
        ],
        reference: "J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968; local axes as in OpenSees",
        coordinates: Coordinates::Own,
        parameters: &[
            required("E", Unit::STRESS, Positive, "Young's modulus"),
            required("G", Unit::STRESS, Positive, "shear modulus"),
            required("A", Unit::AREA, Positive, "area"),
            required("Iy", Unit::SECOND_MOMENT, Positive, "second moment of area about the local y axis"),
            required("Iz", Unit::SECOND_MOMENT, Positive, "second moment of area about the local z axis"),
            required("J", Unit::SECOND_MOMENT, Positive, "torsion constant"),
            optional("rho", Unit::DENSITY, NonNegative, 0.0, "density"),
        ],
        options: &[
            (
                "vecxz",
                "three numbers: a vector in the local x-z plane; default the global z axis, x for a vertical member",
            ),
            (
                "release",
                "list of `start.rx`, `start.ry`, `start.rz`, `end.rx`, ...: moments about local axes that are zero",
            ),
            ("mass", "`consistent` (default) or `lumped` on the translations of the ends"),
        ],
        linear: true,
        ..Info::SPRING_LIKE
    };

    /// Length and local axes (rows x, y, z) of a member from `start` to `end`.
    pub fn axes(&self, start: [f64; 3], end: [f64; 3]) -> Result<(f64, [[f64; 3]; 3]), BeamError> {
        let along = [end[0] - start[0], end[1] - start[1], end[2] - start[2]];
        let l = norm(along);
        if !(l > 0.0 && l.is_finite()) {
            return Err(BeamError::ZeroLength);
        }
        let x = along.map(|c| c / l);
        let v = self.orientation.unwrap_or({
            let vertical = norm(cross([0.0, 0.0, 1.0], x)) < PARALLEL;
            if vertical { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }
        });
        let y = cross(v, x);
        let (length_v, length_y) = (norm(v), norm(y));
        if !(length_v > 0.0 && length_v.is_finite() && length_y >= PARALLEL * length_v) {
            return Err(BeamError::Orientation);
        }
        let y = y.map(|c| c / length_y);
        Ok((l, [x, y, cross(x, y)]))
    }

    /// Matrices between `start` and `end` (x, y, z in m), degrees of freedom (ux, uy, uz, rx, ry, rz) of
    /// the start, then of the end.
    pub fn matrices(&self, start: [f64; 3], end: [f64; 3]) -> Result<Member<12>, BeamError> {
        let (l, axes) = self.axes(start, end)?;
        let mass = self.rho * self.area * l;
        // Lumping is on the translations only.
        let spin = match self.mass {
            MassKind::Consistent => self.rho * (self.iy + self.iz) * l,
            MassKind::Lumped => 0.0,
        };
        let mut local = Member::<12>::ZERO;
        local.add_bar([0, 6], self.e * self.area / l, mass, self.mass);
        local.add_bar([3, 9], self.g * self.j / l, spin, self.mass);
        local.add_bending([1, 5, 7, 11], 1.0, self.e * self.iz, l, mass, self.mass);
        local.add_bending([2, 4, 8, 10], -1.0, self.e * self.iy, l, mass, self.mass);
        for (release, first) in self.release.into_iter().zip([3, 9]) {
            let stiffness = [self.g * self.j / l, 4.0 * self.e * self.iy / l, 4.0 * self.e * self.iz / l];
            let released = [release.torsion, release.my, release.mz];
            for axis in 0..3 {
                if released[axis] {
                    local.release(first + axis, stiffness[axis])?;
                }
            }
        }
        Ok(local.into_global(&axes))
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn norm(a: [f64; 3]) -> f64 {
    libm::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
}
