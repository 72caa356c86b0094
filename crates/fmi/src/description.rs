//! What a unit says of itself: its variables, units and abilities.

/// The version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

impl Version {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Version::Two => "FMI 2.0",
            Version::Three => "FMI 3.0",
        }
    }
}

/// Where the value of a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Causality {
    Parameter,
    CalculatedParameter,
    StructuralParameter,
    Input,
    Output,
    Local,
    Independent,
}

impl Causality {
    /// All, with their names in the description.
    const NAMES: [(Causality, &'static str); 7] = [
        (Causality::Parameter, "parameter"),
        (Causality::CalculatedParameter, "calculatedParameter"),
        (Causality::StructuralParameter, "structuralParameter"),
        (Causality::Input, "input"),
        (Causality::Output, "output"),
        (Causality::Local, "local"),
        (Causality::Independent, "independent"),
    ];

    /// Of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, n)| *n == name).map(|(c, _)| *c)
    }

    /// Its name in the description.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(c, _)| *c == self).map_or("", |(_, n)| n)
    }
}

/// The type of a variable, in the words of FMI 3.0 (2.0: `Real` is Float64, `Integer` is Int32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    Enumeration,
    String,
    Binary,
    Clock,
}

impl Kind {
    const NAMES: [(Kind, &'static str); 15] = [
        (Kind::Float64, "Float64"),
        (Kind::Float32, "Float32"),
        (Kind::Int8, "Int8"),
        (Kind::UInt8, "UInt8"),
        (Kind::Int16, "Int16"),
        (Kind::UInt16, "UInt16"),
        (Kind::Int32, "Int32"),
        (Kind::UInt32, "UInt32"),
        (Kind::Int64, "Int64"),
        (Kind::UInt64, "UInt64"),
        (Kind::Boolean, "Boolean"),
        (Kind::Enumeration, "Enumeration"),
        (Kind::String, "String"),
        (Kind::Binary, "Binary"),
        (Kind::Clock, "Clock"),
    ];

    /// Of this name in FMI 3.0, or its like in 2.0.
    pub(crate) fn find(name: &str) -> Option<Self> {
        match name {
            "Real" => Some(Kind::Float64),
            "Integer" => Some(Kind::Int32),
            _ => Self::NAMES.iter().find(|(_, n)| *n == name).map(|(k, _)| *k),
        }
    }

    /// Its name in FMI 3.0.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(k, _)| *k == self).map_or("", |(_, n)| n)
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::Float64 | Kind::Float32)
    }

    /// The least and the largest whole number it holds, if it holds whole numbers. Beyond 2⁵³ a number of ours is not exact,
    /// so these are the limits of the large types.
    pub(crate) fn whole(self) -> Option<(f64, f64)> {
        let exact = 9_007_199_254_740_992.0;
        match self {
            Kind::Int8 => Some((i8::MIN.into(), i8::MAX.into())),
            Kind::UInt8 => Some((0.0, u8::MAX.into())),
            Kind::Int16 => Some((i16::MIN.into(), i16::MAX.into())),
            Kind::UInt16 => Some((0.0, u16::MAX.into())),
            Kind::Int32 => Some((i32::MIN.into(), i32::MAX.into())),
            Kind::UInt32 => Some((0.0, u32::MAX.into())),
            Kind::Int64 | Kind::Enumeration => Some((-exact, exact)),
            Kind::UInt64 => Some((0.0, exact)),
            _ => None,
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its number in calls.
    pub reference: u32,
    /// Where its value comes from.
    pub causality: Causality,
    /// When its value may change, in the words of the standard.
    pub variability: String,
    /// Its type.
    pub kind: Kind,
    /// The name of its unit.
    pub unit: Option<String>,
    /// Its start value, as written.
    pub start: Option<String>,
    /// What it is, as the author of the unit says.
    pub about: String,
    /// Whether it is an array (FMI 3.0).
    pub array: bool,
}

/// A unit of measurement in SI: `SI value = factor * value + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The name by which variables refer to it.
    pub name: String,
    /// Powers of kg, m, s, A, K, mol, cd, rad.
    pub powers: [i32; 8],
    /// SI per unit.
    pub factor: f64,
    /// SI value at zero.
    pub offset: f64,
}

/// What the author proposes for a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Start (s).
    pub start: Option<f64>,
    /// End (s).
    pub stop: Option<f64>,
    /// Time between two exchanges (s).
    pub step: Option<f64>,
}

/// Everything a co-simulation needs to know of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The standard it follows.
    pub version: Version,
    /// The name of the model in it.
    pub model: String,
    /// What it is, as its author says.
    pub about: String,
    /// The program that made it.
    pub tool: String,
    /// By this the binary knows its description (`guid`, `instantiationToken`).
    pub token: String,
    /// The name of the binary.
    pub identifier: String,
    /// Whether the time between two exchanges may change.
    pub variable_steps: bool,
    /// Its internal step (s), if it is fixed: exchanges are multiples of it (FMI 3.0).
    pub internal_step: Option<f64>,
    /// Whether its state can be saved and restored.
    pub states: bool,
    /// Whether it needs the program that made it.
    pub needs_tool: bool,
    /// What the author proposes.
    pub experiment: Experiment,
    /// Units with their meaning in SI.
    pub scales: Vec<Scale>,
    /// All variables.
    pub variables: Vec<Variable>,
}

impl Description {
    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name)
    }

    /// The unit of a variable in SI, where the description says it.
    pub fn scale(&self, variable: &Variable) -> Option<&Scale> {
        let unit = variable.unit.as_deref()?;
        self.scales.iter().find(|s| s.name == unit)
    }
}
