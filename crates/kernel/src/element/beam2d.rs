//! Euler-Bernoulli member of a plane frame.
//!
//! K: E A / l axially, E I / l^3 [12 6l -12 6l; ...] in bending; M: rho A l / 6 [2 1; 1 2] axially,
//! rho A l / 420 [156 22l 54 -13l; ...] in bending, or lumped on the translations.
//!
//! J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, chapters 5 and 11.
//! Released end moments by static condensation. Deviations: none (no rotary inertia, no shear).

use super::beam::{BeamError, MassKind, Member};
use super::info::{Coordinates, Info, Range::*, Unit, optional, required};

/// Section and material of a plane member.
#[derive(Clone, Copy, Debug)]
pub struct Beam2d {
    /// Young's modulus, Pa.
    pub e: f64,
    /// Area, m^2.
    pub area: f64,
    /// Second moment of area, m^4.
    pub i: f64,
    /// Density, kg/m^3.
    pub rho: f64,
    /// Moment released (hinge) at the start and at the end.
    pub release: [bool; 2],
    /// Distribution of the mass.
    pub mass: MassKind,
}

impl Beam2d {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "beam2d",
        title: "Euler-Bernoulli member of a plane frame",
        equations: &[
            "degrees of freedom per node: ux, uy, rz",
            "K = E A / l [1 -1; -1 1] axially, E I / l^3 [12 6l -12 6l; ...] in bending",
            "M = rho A l / 6 [2 1; 1 2] axially, rho A l / 420 [156 22l 54 -13l; ...] in bending",
            "M = rho A l / 2 on each translation, nothing on rotations, if lumped",
        ],
        reference: "J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968",
        coordinates: Coordinates::Own,
        parameters: &[
            required("E", Unit::STRESS, Positive, "Young's modulus"),
            required("A", Unit::AREA, Positive, "area"),
            required("I", Unit::SECOND_MOMENT, Positive, "second moment of area"),
            optional("rho", Unit::DENSITY, NonNegative, 0.0, "density"),
        ],
        options: &[
            ("release", "list of `start`, `end`: hinges (zero moment)"),
            ("mass", "`consistent` (default) or `lumped` on the translations of the ends"),
        ],
        linear: true,
        ..Info::SPRING_LIKE
    };

    /// Matrices between `start` and `end` (x, y in m), degrees of freedom (ux, uy, rz) of the start, then
    /// of the end.
    pub fn matrices(&self, start: [f64; 2], end: [f64; 2]) -> Result<Member<6>, BeamError> {
        let along = [end[0] - start[0], end[1] - start[1]];
        let l = libm::hypot(along[0], along[1]);
        if !(l > 0.0 && l.is_finite()) {
            return Err(BeamError::ZeroLength);
        }
        let mass = self.rho * self.area * l;
        let mut local = Member::<6>::ZERO;
        local.add_bar([0, 3], self.e * self.area / l, mass, self.mass);
        local.add_bending([1, 2, 4, 5], 1.0, self.e * self.i, l, mass, self.mass);
        for (released, dof) in self.release.into_iter().zip([2, 5]) {
            if released {
                local.release(dof, 4.0 * self.e * self.i / l)?;
            }
        }
        let (cos, sin) = (along[0] / l, along[1] / l);
        Ok(local.into_global(&[[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]))
    }
}
