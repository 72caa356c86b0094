//! What the registry knows of an element: names, units and ranges for the model file, equations and
//! sources for the catalogue.

/// Exponents of a physical unit: generalised force, generalised displacement, mass, length, time.
///
/// Generalised force and displacement are N and m on a translational coordinate, N m and rad on a
/// rotational one; a law written with them serves both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Generalised force.
    pub force: f64,
    /// Generalised displacement.
    pub disp: f64,
    /// Mass.
    pub mass: f64,
    /// Length.
    pub length: f64,
    /// Time.
    pub time: f64,
    /// This times the value of the parameter `n` is added to the exponent of the generalised force.
    pub force_n: f64,
    /// The same for the exponent of the generalised displacement.
    pub disp_n: f64,
    /// The same for the exponent of time.
    pub time_n: f64,
}

impl Unit {
    /// Dimensionless.
    pub const NONE: Unit =
        Unit { force: 0.0, disp: 0.0, mass: 0.0, length: 0.0, time: 0.0, force_n: 0.0, disp_n: 0.0, time_n: 0.0 };
    /// Generalised force, N or N m.
    pub const FORCE: Unit = Unit { force: 1.0, ..Unit::NONE };
    /// Generalised displacement, m or rad.
    pub const DISP: Unit = Unit { disp: 1.0, ..Unit::NONE };
    /// Rate of a generalised displacement, m/s or rad/s.
    pub const RATE: Unit = Unit { disp: 1.0, time: -1.0, ..Unit::NONE };
    /// N/m or N m/rad.
    pub const STIFFNESS: Unit = Unit { force: 1.0, disp: -1.0, ..Unit::NONE };
    /// N s/m or N m s/rad.
    pub const DAMPING: Unit = Unit { force: 1.0, disp: -1.0, time: 1.0, ..Unit::NONE };
    /// Work of the generalised force.
    pub const WORK: Unit = Unit { force: 1.0, disp: 1.0, ..Unit::NONE };
    /// kg.
    pub const MASS: Unit = Unit { mass: 1.0, ..Unit::NONE };
    /// m.
    pub const LENGTH: Unit = Unit { length: 1.0, ..Unit::NONE };
    /// Pa.
    pub const STRESS: Unit = Unit { mass: 1.0, length: -1.0, time: -2.0, ..Unit::NONE };
    /// m^2.
    pub const AREA: Unit = Unit { length: 2.0, ..Unit::NONE };
    /// m^4: second moment of area, torsion constant.
    pub const SECOND_MOMENT: Unit = Unit { length: 4.0, ..Unit::NONE };
    /// kg/m^3.
    pub const DENSITY: Unit = Unit { mass: 1.0, length: -3.0, ..Unit::NONE };
    /// kg m^2.
    pub const ROTARY_INERTIA: Unit = Unit { mass: 1.0, length: 2.0, ..Unit::NONE };
    /// m/s^2.
    pub const ACCELERATION: Unit = Unit { length: 1.0, time: -2.0, ..Unit::NONE };
    /// N/m, whatever the coordinate.
    pub const LINEAR_STIFFNESS: Unit = Unit { mass: 1.0, time: -2.0, ..Unit::NONE };
    /// N s/m, whatever the coordinate.
    pub const LINEAR_DAMPING: Unit = Unit { mass: 1.0, time: -1.0, ..Unit::NONE };
}

/// Force at unit rate of a power n of the rate, N (s/m)^n.
pub const POWER_DAMPING: Unit = Unit { force: 1.0, disp_n: -1.0, time_n: 1.0, ..Unit::NONE };

/// Values a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any finite number.
    Any,
    /// Greater than zero.
    Positive,
    /// Zero or greater.
    NonNegative,
    /// Between two numbers, both included.
    Between(f64, f64),
}

impl Range {
    /// Whether `x` lies in the range.
    pub fn contains(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Any => true,
                Range::Positive => x > 0.0,
                Range::NonNegative => x >= 0.0,
                Range::Between(a, b) => a <= x && x <= b,
            }
    }
}

/// One parameter of a law.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Key in the model file.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
    /// Allowed values.
    pub range: Range,
    /// Value when the key is absent; a key without default is required.
    pub default: Option<f64>,
    /// What it is, for the catalogue.
    pub doc: &'static str,
}

/// One internal state of a law.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Name in channels.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
}

/// A named coordinate of an element that is connected to listed degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    /// Name.
    pub name: &'static str,
    /// Whether it is an angle (rad) rather than a length (m).
    pub angle: bool,
    /// What it is.
    pub doc: &'static str,
}

/// How an element is connected.
#[derive(Clone, Copy, Debug)]
pub enum Coordinates {
    /// One coordinate: the displacement of the second node minus that of the first, along one degree of
    /// freedom or along the line between the nodes.
    Difference,
    /// Each coordinate is one degree of freedom, listed in this order.
    Listed(&'static [Coordinate]),
    /// Set by the element itself (beams, matrices, blocks, formulas).
    Own,
}

/// Catalogue entry of an element type.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// `type` in the model file.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The equations, one per line, as the source file states them.
    pub equations: &'static [&'static str],
    /// Where they come from.
    pub reference: &'static str,
    /// How it is connected.
    pub coordinates: Coordinates,
    /// Parameters in the order in which the constructor takes them.
    pub parameters: &'static [Parameter],
    /// Other keys of the model file that only this type has, each with what may be written.
    pub options: &'static [(&'static str, &'static str)],
    /// Internal states.
    pub states: &'static [State],
    /// Force linear in coordinates and rates: merged into the constant matrices before the loop.
    pub linear: bool,
    /// Tangent symmetric for every state and coefficient.
    pub symmetric: bool,
    /// The states stand for memory of the deformation (ds/dt proportional to the rate), so that
    /// K + R B is the stiffness a static test would find; not so for a controller.
    pub hysteretic: bool,
    /// Cannot give energy back over a closed cycle from rest.
    pub dissipative: bool,
}

impl Info {
    /// A nonlinear, symmetric, two-node law without states; the usual starting point of an entry.
    pub const SPRING_LIKE: Info = Info {
        name: "",
        title: "",
        equations: &[],
        reference: "",
        coordinates: Coordinates::Difference,
        parameters: &[],
        options: &[],
        states: &[],
        linear: false,
        symmetric: true,
        hysteretic: false,
        dissipative: true,
    };
}

/// Shorthand for a parameter without default.
pub const fn required(name: &'static str, unit: Unit, range: Range, doc: &'static str) -> Parameter {
    Parameter { name, unit, range, default: None, doc }
}

/// Shorthand for a parameter with default.
pub const fn optional(name: &'static str, unit: Unit, range: Range, default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit, range, default: Some(default), doc }
}

/// Option of the laws that evaluations can move, see [`super::path`].
pub const PATH_OPTION: (&str, &str) = (
    "memory",
    "\"state\": the scheme integrates the state; \"path\": every evaluation moves the law from the last q to the new \
        one in one increment, as with a specimen, with the initial tangent unless the scheme iterates (default: \
        \"path\" for mostaghel \
     and for n > 10 without an `initial` state, else \"state\")",
);
