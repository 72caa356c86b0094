//! The whole catalogue: the laws of the registry, and the elements with coordinates of their own.

use super::info::{Coordinates, Info, Parameter, Range::*, Unit, optional, required};
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

/// A material between two nodes.
const UNIAXIAL: Info = Info {
    name: "uniaxial",
    title: "a uniaxial material between two nodes, as a spring",
    equations: &["p = s(q), the force or moment of the material at the elongation q"],
    reference: "the material",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes, dof", "the elongation along one degree of freedom, or along the line between the nodes"),
        ("material", "name of a [[material]] that gives a force, or a moment on a rotation"),
    ],
    hysteretic: true,
    ..Info::SPRING_LIKE
};

/// Materials between two nodes at one place.
const ZERO_LENGTH: Info = Info {
    name: "zero-length",
    title: "materials between two nodes at one place, along several directions",
    equations: &["p_i = s_i(q_i), q_i the displacement of the second node against the first along direction i"],
    reference: "the materials",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes", "two nodes at one place"),
        ("materials", "names of [[material]], one for each direction: forces along translations, moments about axes"),
        ("directions", "x, y, z, rx, ry, rz in local axes; in the plane x, y, rz"),
        ("along", "vector along its local x axis (default: global x)"),
        ("across", "vector in its local xy plane (default: global y)"),
    ],
    hysteretic: true,
    ..Info::SPRING_LIKE
};

/// A cross-section between two nodes at one place.
const ZERO_LENGTH_SECTION: Info = Info {
    name: "zero-length-section",
    title: "a cross-section between two nodes at one place: bond slip, a hinge, moment-curvature",
    equations: &["(N, Mz, My, T) of the section at the displacement along x and the rotations between the nodes"],
    reference: "the cross-section",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes", "two nodes at one place"),
        ("cross_section", "name of a [[cross-section]]"),
        ("along", "vector along its local x axis, the normal of the section (default: global x)"),
        ("across", "vector in its local xy plane (default: global y)"),
    ],
    hysteretic: true,
    ..Info::SPRING_LIKE
};

/// A bar.
const BAR: Info = Info {
    name: "bar",
    title: "a bar (truss member) of a uniaxial material",
    equations: &["p = A s(q / l) along the bar; corotational: along its present direction"],
    reference: "elementary; M. A. Crisfield, Non-linear Finite Element Analysis of Solids and Structures, Wiley 1991",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes", "its ends"),
        ("material", "name of a [[material]] that gives a stress"),
        ("area", "its area"),
        ("transformation", "`linear` (default) or `corotational`"),
    ],
    hysteretic: true,
    ..Info::SPRING_LIKE
};

/// A beam-column of cross-sections.
const MEMBER: Info = Info {
    name: "member",
    title: "beam-column with cross-sections along it: fibres, hinges at the ends, or elastic",
    equations: &[
        "force: s = b q in every section, v = integral of b^T e; strains by a fixed number of passes",
        "displacement: e = B v with a cubic deflection",
        "plane (x, y, rz) or space (x, y, z, rx, ry, rz), by the degrees of freedom of its nodes",
    ],
    reference: "E. Spacone, F. C. Filippou, F. F. Taucer, EESD 25, 1996; A. Neuenhofer, F. C. Filippou, J. Struct. Eng. 123(7), 1997",
    coordinates: Coordinates::Own,
    options: &[
        ("nodes", "its ends"),
        ("cross_section", "name of a [[cross-section]]; one with shear in force-based members only"),
        ("formulation", "`force` (default), `force-iterated` or `displacement`"),
        ("passes", "evaluations of each section per step, force formulation; 2 by default"),
        ("points", "sections along the member, 2 to 10; 5 by default"),
        ("rule", "`lobatto` (default, sections at the ends too), `legendre`, `radau`, `newton-cotes` or `trapezoidal`"),
        ("hinges", "plastic hinges at the ends, with the cross-section in between"),
        ("sections", "positions, weights and cross-sections one by one, instead of `cross_section`"),
        (
            "release",
            "moments that its ends do not carry: `start`, `end`; in space `start.ry`, `start.rz`, `start.rx` about local axes, and of the end",
        ),
        ("mass_per_length", "its mass per length"),
        ("mass", "`consistent` (default) or `lumped` on the translations of its ends"),
        ("transformation", "`linear` (default), `p-delta` or `corotational`"),
        ("vecxz", "three numbers: a vector in the local x-z plane; default the global z axis, x for a vertical member"),
        ("offsets", "rigid ends: two vectors from the nodes to the ends of the member"),
    ],
    hysteretic: true,
    symmetric: false,
    ..Info::SPRING_LIKE
};

/// A panel zone.
const PANEL: Info = Info {
    name: "panel-zone",
    title: "panel zone of a plane frame: a parallelogram of rigid edges that distorts",
    equations: &[
        "M = s(g), g = rotation of the beams - rotation of the columns",
        "ends of columns turn with the horizontal edges and move with the vertical ones, ends of beams the other way round",
        "panel: My = 0.55 fy dc tp db at fy/(sqrt(3) G), My (1 + 3 bf tf^2/(db dc tp)) at four times it, then hardening",
    ],
    reference: "H. Krawinkler, Eng. J. AISC 15(3), 1978",
    coordinates: Coordinates::Own,
    options: &[
        ("columns", "one or two nodes where columns meet the panel, the first leads"),
        ("beams", "one or two nodes where beams meet it; all but its rotation follows"),
        ("material", "name of a [[material]] that gives a moment over the distortion"),
        ("panel", "steel and dimensions of the panel, instead of a material"),
    ],
    hysteretic: true,
    ..Info::SPRING_LIKE
};

/// Options of both bearings.
const BEARING_OPTIONS: &[(&str, &str)] = &[
    (
        "nodes",
        "the node below and the node above; it stands along the line between them, upright where they are at one place",
    ),
    ("axial", "name of a [[material]] that gives a force: the bearing along its axis"),
    ("rotation", "name of a [[material]] that gives a moment, about the axes across"),
    (
        "torsion",
        "name of a [[material]] that gives a moment, about its axis; in space only, that of `rotation` if absent",
    ),
    ("shear_distance", "where the shear acts, as a share of its height from below; 0.5 by default"),
];

/// Elastomeric bearing.
const ELASTOMERIC: Info = Info {
    name: "elastomeric-bearing",
    title: "elastomeric bearing: bilinear shear, coupled in both directions, with P-Delta moments",
    equations: &[
        "q = h + k2 u + k3 sign(u) |u|^mu",
        "h = k0 (u - up) returned to |h| <= qd",
        "k0 = (1 - alpha1) k, k2 = alpha1 k, k3 = alpha2 k",
    ],
    reference: "M. C. Constantinou, A. Mokha, A. M. Reinhorn, J. Struct. Eng. 116(2), 1990; A. Schellenberg (OpenSees)",
    coordinates: Coordinates::Own,
    parameters: &[
        required("k", Unit::LINEAR_STIFFNESS, Positive, "shear stiffness before yielding"),
        required(
            "qd",
            Unit { mass: 1.0, length: 1.0, time: -2.0, ..Unit::NONE },
            Positive,
            "strength of the hysteretic part",
        ),
        required("alpha1", Unit::NONE, Between(0.0, 0.999), "share of the stiffness that stays"),
        optional("alpha2", Unit::NONE, NonNegative, 0.0, "share of the stiffness that grows with |u|^mu"),
        optional("mu", Unit::NONE, Positive, 2.0, "exponent of the growth"),
    ],
    options: BEARING_OPTIONS,
    hysteretic: true,
    symmetric: false,
    ..Info::SPRING_LIKE
};

/// Parameters of friction, of a slider.
const FORCE: Unit = Unit { mass: 1.0, length: 1.0, time: -2.0, ..Unit::NONE };
const PER_RATE: Unit = Unit { length: -1.0, time: 1.0, ..Unit::NONE };
const FRICTION: Parameter = required("friction", Unit::NONE, NonNegative, "coefficient of friction, at high rates");
const SLOW: Parameter = optional("friction_slow", Unit::NONE, NonNegative, 0.0, "the same at rest, with `rate`");
const RATE: Parameter = optional(
    "rate",
    PER_RATE,
    NonNegative,
    0.0,
    "how soon friction changes with the velocity; zero is Coulomb's friction",
);
const DROP: Parameter = optional(
    "friction_drop",
    Unit::NONE,
    NonNegative,
    0.0,
    "how much less friction at high rates is under high pressure",
);
const DROP_FORCE: Parameter =
    optional("drop_force", FORCE, NonNegative, 0.0, "pressure force at which tanh(1) of it is reached");
const FRICTION_EQUATION: &str =
    "mu = f - (f - friction_slow) exp(-rate |v|), f = friction - friction_drop tanh(N / (drop_force))";

/// Friction pendulum.
const PENDULUM: Info = Info {
    name: "friction-pendulum",
    title: "single friction pendulum: a slider on a sphere, with uplift",
    equations: &[
        "q = h + N/R u - N th",
        "h returned to |h| <= mu N",
        "N = P + q u/R - q th; where it is not positive (uplift) the bearing carries nothing",
        FRICTION_EQUATION,
    ],
    reference: "M. C. Constantinou, A. Mokha, A. M. Reinhorn, J. Struct. Eng. 116(2), 1990; A. Schellenberg (OpenSees)",
    coordinates: Coordinates::Own,
    parameters: &[
        required("radius", Unit::LENGTH, Positive, "effective radius"),
        required("k", Unit::LINEAR_STIFFNESS, Positive, "shear stiffness before sliding"),
        FRICTION,
        SLOW,
        RATE,
        DROP,
        DROP_FORCE,
    ],
    options: BEARING_OPTIONS,
    hysteretic: true,
    symmetric: false,
    ..Info::SPRING_LIKE
};

/// Flat slider.
const FLAT: Info = Info {
    name: "flat-slider",
    title: "flat sliding bearing, with uplift",
    equations: &[
        "q = h - N th",
        "h returned to |h| <= mu N",
        "N = P - q th; where it is not positive (uplift) the bearing carries nothing",
        FRICTION_EQUATION,
    ],
    reference: "M. C. Constantinou, A. Mokha, A. M. Reinhorn, J. Struct. Eng. 116(2), 1990; A. Schellenberg (OpenSees)",
    coordinates: Coordinates::Own,
    parameters: &[
        required("k", Unit::LINEAR_STIFFNESS, Positive, "shear stiffness before sliding"),
        FRICTION,
        SLOW,
        RATE,
        DROP,
        DROP_FORCE,
    ],
    options: BEARING_OPTIONS,
    hysteretic: true,
    symmetric: false,
    ..Info::SPRING_LIKE
};

/// Triple friction pendulum.
const TRIPLE: Info = Info {
    name: "triple-pendulum",
    title: "triple friction pendulum: four concave surfaces, five regimes, with stops and uplift",
    equations: &[
        "three sliders in series, radii R2 + R3, R1 - R2, R4 - R3, friction mu2, mu1, mu4",
        "F/N = h + x/R, |h| <= mu, and a stop where |x| reaches its travel; the sum of the x is the displacement",
        "N is the compression; in tension (uplift) the bearing carries nothing",
    ],
    reference: "D. M. Fenz, M. C. Constantinou, EESD 37(2) and 37(12), 2008",
    coordinates: Coordinates::Own,
    parameters: &[
        required("R1", Unit::LENGTH, Positive, "effective radius of the lower outer plate"),
        required("R2", Unit::LENGTH, Positive, "effective radius of the lower inner surface"),
        required("mu1", Unit::NONE, NonNegative, "friction of the lower outer plate"),
        required("mu2", Unit::NONE, NonNegative, "friction of both inner surfaces"),
        required("d1", Unit::LENGTH, Positive, "travel on the lower outer plate"),
        required("d2", Unit::LENGTH, Positive, "travel on the lower inner surface"),
        required(
            "weight",
            FORCE,
            Positive,
            "weight that it carries; its stiffness before any load acts follows from it",
        ),
        optional("R3", Unit::LENGTH, NonNegative, 0.0, "effective radius of the upper inner surface; R2 if absent"),
        optional("R4", Unit::LENGTH, NonNegative, 0.0, "effective radius of the upper outer plate; R1 if absent"),
        optional("mu4", Unit::NONE, NonNegative, 0.0, "friction of the upper outer plate; mu1 if absent"),
        optional("d3", Unit::LENGTH, NonNegative, 0.0, "travel on the upper inner surface; d2 if absent"),
        optional("d4", Unit::LENGTH, NonNegative, 0.0, "travel on the upper outer plate; d1 if absent"),
        optional("yielding", Unit::LENGTH, Positive, 1e-3, "displacement of a surface before it slides"),
    ],
    options: BEARING_OPTIONS,
    hysteretic: true,
    symmetric: false,
    ..Info::SPRING_LIKE
};

/// Elements that are not laws of fixed size.
pub const OWN: &[Info] = &[
    MASS,
    MATRIX,
    Beam2d::INFO,
    Beam3d::INFO,
    Block::INFO,
    FORMULA,
    UNIAXIAL,
    ZERO_LENGTH,
    ZERO_LENGTH_SECTION,
    BAR,
    MEMBER,
    ELASTOMERIC,
    PENDULUM,
    FLAT,
    TRIPLE,
    PANEL,
];

/// Every element type, laws first.
pub fn catalogue() -> impl Iterator<Item = &'static Info> {
    LAWS.iter().chain(OWN)
}
