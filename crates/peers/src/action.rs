//! What a message asks for: one list of codes for OpenSees, OpenFresco and UT-SIM.

/// What a message asks for. The numbers are those on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Sites: who is there, and in which version.
    Open = 1,
    /// Sites: how long messages are.
    Setup = 2,
    /// Where the substructure is wanted.
    Trial = 3,
    /// Go there, where that is asked for apart.
    Execute = 4,
    /// The step is over.
    Commit = 5,
    /// All that is measured.
    Readings = 6,
    /// Displacements alone.
    Displacement = 7,
    /// Velocities alone.
    Velocity = 8,
    /// Accelerations alone.
    Acceleration = 9,
    /// Forces alone.
    Force = 10,
    /// Time alone.
    Time = 11,
    /// Stiffness at the start.
    InitialStiffness = 12,
    /// Stiffness now.
    TangentStiffness = 13,
    /// Damping.
    Damping = 14,
    /// Mass.
    Mass = 15,
    /// The end.
    End = 99,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 16] = [
        Action::Open,
        Action::Setup,
        Action::Trial,
        Action::Execute,
        Action::Commit,
        Action::Readings,
        Action::Displacement,
        Action::Velocity,
        Action::Acceleration,
        Action::Force,
        Action::Time,
        Action::InitialStiffness,
        Action::TangentStiffness,
        Action::Damping,
        Action::Mass,
        Action::End,
    ];

    /// The action with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Action::ALL.into_iter().find(|a| *a as u8 == number)
    }

    /// The action of a message whose first number is a code; one that is no whole number is none.
    pub fn from_code(code: f64) -> Option<Self> {
        Action::ALL.into_iter().find(|a| a.code() == code)
    }

    /// Its code as the first number of a message.
    pub fn code(self) -> f64 {
        f64::from(self as u8)
    }
}
