//! A functional mock-up unit (FMI) as the program of an external: which of its variables mean what.

/// A unit in a file. Lists have one name for each degree of freedom, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its file, as seen from the folder of the model file.
    pub file: String,
    /// Inputs for displacements.
    pub displacements: Vec<String>,
    /// Inputs for velocities; empty: it wants none.
    pub velocities: Vec<String>,
    /// Outputs for forces; `-NAME` for a force that the unit exerts.
    pub forces: Vec<String>,
    /// Input for the time, if it wants one.
    pub time: Option<String>,
    /// Parameters by name, in its own units.
    pub parameters: Vec<(String, Setting)>,
}

/// The value of a parameter of a unit.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Setting {
    Number(f64),
    Flag(bool),
    Text(String),
}
