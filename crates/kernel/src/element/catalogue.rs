//! The whole catalogue: the laws of the registry, and the elements with coordinates of their own.

use super::info::{Coordinates, Info, Range::*, Unit, optional, required};
use super::{LAWS, beam2d::Beam2d, beam3d::Beam3d, block::Block};

/// Mass at a node.
const MASS: Info = Info {
    name: "mass",
    title: "mass and rotary inertia at a node",
    equations: &["M = diag(m, m, m, jx, jy, jz) on the degrees of freedom that the node has"],
    reference: "elementary",
    coordinates: Coordinates::Own,
    options: &[("node", "the node")],
    parameters: &[
        required("m", Unit::MASS, NonNegative, "mass, on every translation"),
        optional("jx", Unit::ROTARY_INERTIA, NonNegative, 0.0, "rotary inertia about x"),
        optional("jy", Unit::ROTARY_INERTIA, NonNegative, 0.0, "rotary inertia about y"),
        optional("jz", Unit::ROTARY_INERTIA, NonNegative, 0.0, "rotary inertia about z"),
    ],
    linear: true,
    ..Info::SPRING_LIKE
};

/// Given matrices. Nothing keeps them symmetric or positive.
const MATRIX: Info = Info {
    name: "matrix",
    title: "given mass, damping and stiffness matrices on listed degrees of freedom",
    equations: &["p = K q + C q'", "inertia M q''"],
    reference: "elementary; e.g. a superelement reduced by another program",
    coordinates: Coordinates::Own,
    options: &[
        ("dofs", "list of `node.direction`"),
        ("M, C, K", "matrices as lists of rows or names of Matrix Market files; absent means zero"),
    ],
    linear: true,
    symmetric: false,
    dissipative: false,
    ..Info::SPRING_LIKE
};

/// Formula of the model file. Nothing is known of it in advance.
const FORMULA: Info = Info {
    name: "formula",
    title: "force and state rates as formulas in the model file",
    equations: &["p = p(q, q', s, t)", "s' = g(q, q', s, t)"],
    reference: "the model file",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes, dof", "one coordinate: the elongation u with the rate v"),
        ("dofs", "instead: list of `node.direction`; coordinates u1, u2, ... with the rates v1, v2, ..."),
        ("coordinates", "other names for them; the rate of `theta` is `theta_dot`"),
        ("force", "a formula, or one per coordinate: p"),
        ("states", "table of states, each with the formula of its rate"),
        ("parameters", "table of constants of this element; the parameters of the file can also be used"),
        ("initial", "table of initial values of the states"),
    ],
    symmetric: false,
    dissipative: false,
    ..Info::SPRING_LIKE
};

/// Elements that are not laws of fixed size.
pub const OWN: &[Info] = &[MASS, MATRIX, Beam2d::INFO, Beam3d::INFO, Block::INFO, FORMULA];

/// Every element type, laws first.
pub fn catalogue() -> impl Iterator<Item = &'static Info> {
    LAWS.iter().chain(OWN)
}
