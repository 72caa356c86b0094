//! A unit as a partner of a model: displacements and velocities in, forces out.
//!
//! Over the step to time t the unit sees the motion at t, held; its force is the one it gives at t. The first exchange
//! initialises it there. A unit that answers at once (a spring, a controller without delay) thereby answers what it is asked.

use interfield_lab::partner::{Partner, Trouble};

use crate::description::{Causality, Description, Kind, Variable};
use crate::instance::Instance;
use crate::log::Log;
use crate::{Error, Unit};

/// The variables of one degree of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Dof {
    /// Input: displacement (m) or rotation (rad).
    pub displacement: String,
    /// Input: velocity, if the unit wants it.
    pub velocity: Option<String>,
    /// Output: force (N) or moment (N m). `-NAME` for a unit that gives the force it exerts instead of the one that resists.
    pub force: String,
    /// Whether it is a rotation.
    pub rotation: bool,
}

/// The value of a parameter, in the unit that the description gives it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Number(f64),
    Flag(bool),
    Text(String),
}

/// Which variables of a unit mean what.
#[derive(Clone, Debug, PartialEq)]
pub struct Wiring {
    /// One for each degree of freedom.
    pub dofs: Vec<Dof>,
    /// Input: time (s), if the unit wants it as an input of its own.
    pub time: Option<String>,
    /// Parameters by name.
    pub parameters: Vec<(String, Value)>,
    /// Metres per length of variables without a unit.
    pub length: f64,
    /// Newtons per force of variables without a unit.
    pub force: f64,
}

/// Steps that differ by less than this part of themselves are the same: times are sums of steps.
const SAME_STEP: f64 = 1e-6;

/// A variable with its way to SI: `SI = factor * value + offset`.
struct Channel {
    variable: Variable,
    factor: f64,
    offset: f64,
}

/// A unit that answers displacements with forces.
pub struct UnitPartner {
    instance: Instance,
    displacements: Vec<Channel>,
    velocities: Vec<Option<Channel>>,
    forces: Vec<Channel>,
    time: Option<Channel>,
    variable_steps: bool,
    internal_step: Option<f64>,
    /// Time of the last exchange.
    last: Option<f64>,
    /// The first step, which the others must equal unless steps may vary.
    step: Option<f64>,
    exchanges: u64,
}

impl std::fmt::Debug for UnitPartner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnitPartner").field("instance", &self.instance).finish_non_exhaustive()
    }
}

/// A wiring that was found to be right.
struct Connected<'a> {
    displacements: Vec<Channel>,
    velocities: Vec<Option<Channel>>,
    forces: Vec<Channel>,
    time: Option<Channel>,
    parameters: Vec<(&'a Variable, &'a Value)>,
}

/// Connects everything, or says everything that is wrong. Nothing of the unit runs.
fn connected<'a>(description: &'a Description, wiring: &'a Wiring) -> Result<Connected<'a>, Vec<Error>> {
    let mut errors = Vec::new();
    let mut channel = |name: &str, role: Role| {
        let found = connect(description, name, role, wiring);
        found.map_err(|e| errors.push(e)).ok()
    };
    let (mut displacements, mut velocities, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    for dof in &wiring.dofs {
        let turns = dof.rotation;
        displacements.extend(channel(&dof.displacement, Role::Displacement { turns }));
        velocities.push(dof.velocity.as_ref().and_then(|v| channel(v, Role::Velocity { turns })));
        forces.extend(channel(&dof.force, Role::Force { turns }));
    }
    let time = wiring.time.as_ref().and_then(|t| channel(t, Role::Time));
    let mut parameters = Vec::new();
    for (name, value) in &wiring.parameters {
        match parameter(description, name, value) {
            Ok(found) => parameters.push(found),
            Err(e) => errors.push(e),
        }
    }
    let found = Connected { displacements, velocities, forces, time, parameters };
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

impl Wiring {
    /// Everything that is wrong with it for a unit, of which nothing runs.
    pub fn mistakes(&self, unit: &Unit) -> Vec<Error> {
        connected(unit.description(), self).err().unwrap_or_default()
    }
}

impl UnitPartner {
    /// Makes an instance of a unit and connects it.
    ///
    /// # Errors
    /// Everything that is wrong with the names, before anything of the unit runs; or what the unit says.
    pub fn new(unit: &Unit, wiring: &Wiring) -> Result<Self, Vec<Error>> {
        let description = unit.description();
        let Connected { displacements, velocities, forces, time, parameters } = connected(description, wiring)?;
        let mut instance = unit.instance().map_err(|e| vec![e])?;
        for (variable, value) in parameters {
            let set = match value {
                Value::Number(x) => instance.set(variable, *x),
                Value::Flag(on) => instance.set(variable, f64::from(*on)),
                Value::Text(text) => instance.set_text(variable, text),
            };
            set.map_err(|e| vec![e])?;
        }
        Ok(UnitPartner {
            instance,
            displacements,
            velocities,
            forces,
            time,
            variable_steps: description.variable_steps,
            internal_step: description.internal_step,
            last: None,
            step: None,
            exchanges: 0,
        })
    }

    /// What the unit says; shared, so that it can be read after the partner has been given away.
    pub fn log(&self) -> Log {
        self.instance.log().clone()
    }

    fn advance(&mut self, t: f64, u: &[f64], v: &[f64]) -> Result<(), Error> {
        if self.last.is_none() {
            self.instance.enter_initialisation(t)?;
        }
        for (channel, u) in self.displacements.iter().zip(u) {
            channel.set(&mut self.instance, *u)?;
        }
        for (channel, v) in self.velocities.iter().zip(v).filter_map(|(c, v)| c.as_ref().zip(Some(v))) {
            channel.set(&mut self.instance, *v)?;
        }
        if let Some(channel) = &self.time {
            channel.set(&mut self.instance, t)?;
        }
        match self.last {
            None => self.instance.exit_initialisation()?,
            // The same time again: nothing to step over, the unit answers from its new inputs.
            Some(last) if t == last => {}
            Some(last) => {
                self.check_step(last, t)?;
                self.instance.step(last, t - last)?;
            }
        }
        self.last = Some(t);
        self.exchanges += 1;
        Ok(())
    }

    fn check_step(&mut self, last: f64, t: f64) -> Result<(), Error> {
        let size = t - last;
        let same = |a: f64, b: f64| (a - b).abs() <= SAME_STEP * b;
        if size.is_nan() || size <= 0.0 {
            return Err(Error::new(format!("it cannot go back from {last} s to {t} s"), ""));
        }
        let first = *self.step.get_or_insert(size);
        if !self.variable_steps && !same(size, first) {
            let message = format!("it accepts equal steps only: {first} s before, {size} s at {last} s");
            return Err(Error::new(message, "use a scheme with one evaluation per step"));
        }
        if let Some(internal) = self.internal_step {
            let whole = (size / internal).round().max(1.0);
            if !same(size, whole * internal) {
                let message = format!("a step of {size} s is not a multiple of its internal step of {internal} s");
                return Err(Error::new(message, "choose dt as a multiple"));
            }
        }
        Ok(())
    }
}

impl Channel {
    fn set(&self, instance: &mut Instance, si: f64) -> Result<(), Error> {
        instance.set(&self.variable, (si - self.offset) / self.factor)
    }

    fn get(&self, instance: &mut Instance) -> Result<f64, Error> {
        Ok(self.factor * instance.get(&self.variable)? + self.offset)
    }
}

impl Partner for UnitPartner {
    fn dofs(&self) -> usize {
        self.forces.len()
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        if let Err(e) = self.advance(t, u, v) {
            self.instance.log().note("interfield", &e.to_string());
            return Err(Trouble::Refused);
        }
        for (channel, force) in self.forces.iter().zip(force) {
            match channel.get(&mut self.instance) {
                Ok(value) if value.is_finite() => *force = value,
                Ok(value) => {
                    let text = format!("`{}` is {value} at {t} s", channel.variable.name);
                    self.instance.log().note("interfield", &text);
                    return Err(Trouble::Garbled);
                }
                Err(e) => {
                    self.instance.log().note("interfield", &e.to_string());
                    return Err(Trouble::Garbled);
                }
            }
        }
        // It has no actuator: it is where it was told to be.
        for (reached, u) in reached.iter_mut().zip(u) {
            *reached = *u;
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.instance.terminate();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        vec![("exchanges", self.exchanges as f64), ("messages", self.instance.log().count() as f64)]
    }
}

/// What a variable is used for.
#[derive(Clone, Copy)]
enum Role {
    Displacement { turns: bool },
    Velocity { turns: bool },
    Force { turns: bool },
    Time,
}

impl Role {
    fn words(self) -> &'static str {
        match self {
            Role::Displacement { turns: false } => "a displacement",
            Role::Displacement { turns: true } => "a rotation",
            Role::Velocity { turns: false } => "a velocity",
            Role::Velocity { turns: true } => "an angular velocity",
            Role::Force { turns: false } => "a force",
            Role::Force { turns: true } => "a moment",
            Role::Time => "the time",
        }
    }

    fn causality(self) -> Causality {
        if matches!(self, Role::Force { .. }) { Causality::Output } else { Causality::Input }
    }

    /// Powers of kg, m and s; the radian does not count, some write it and some do not.
    fn powers(self) -> [i32; 3] {
        match self {
            Role::Displacement { turns } => [0, i32::from(!turns), 0],
            Role::Velocity { turns } => [0, i32::from(!turns), -1],
            Role::Force { turns } => [1, if turns { 2 } else { 1 }, -2],
            Role::Time => [0, 0, 1],
        }
    }

    /// SI per unit of a variable that declares none.
    fn factor(self, wiring: &Wiring) -> f64 {
        match self {
            Role::Displacement { turns: false } | Role::Velocity { turns: false } => wiring.length,
            Role::Force { turns: false } => wiring.force,
            Role::Force { turns: true } => wiring.force * wiring.length,
            Role::Displacement { turns: true } | Role::Velocity { turns: true } | Role::Time => 1.0,
        }
    }
}

/// The variable of a name in its role, checked.
fn connect(description: &Description, name: &str, role: Role, wiring: &Wiring) -> Result<Channel, Error> {
    let (found, sign) = match (description.variable(name), name.strip_prefix('-')) {
        (None, Some(rest)) if matches!(role, Role::Force { .. }) => (description.variable(rest), -1.0),
        (found, _) => (found, 1.0),
    };
    let wanted = role.causality();
    let Some(variable) = found else {
        return Err(unknown(description, name, &|v| v.causality == wanted));
    };
    // Local variables can be read as well, and some exporters put forces there.
    let readable = wanted == Causality::Output && variable.causality == Causality::Local;
    if variable.causality != wanted && !readable {
        let message =
            format!("`{name}` of `{}` is {} `{}`", description.model, article(variable), variable.causality.name());
        let help =
            format!("{} must be an {}: {}", role.words(), wanted.name(), list(description, &|v| v.causality == wanted));
        return Err(Error::new(message, help));
    }
    if variable.array {
        let message = format!("`{name}` of `{}` is an array, one number is needed", description.model);
        return Err(Error::new(message, "export its elements as separate variables"));
    }
    if !variable.kind.is_float() {
        let message = format!(
            "`{name}` of `{}` is of type {}, not a floating-point number",
            description.model,
            variable.kind.name()
        );
        return Err(Error::new(message, format!("give a variable that is {}", role.words())));
    }
    let (mut factor, mut offset) = (role.factor(wiring), 0.0);
    if let Some(scale) = description.scale(variable) {
        let [kg, m, s, rest @ .., _rad] = scale.powers;
        if [kg, m, s] != role.powers() || rest.iter().any(|p| *p != 0) {
            let message = format!(
                "`{name}` of `{}` has the unit {}, which is not {}",
                description.model,
                scale.name,
                role.words()
            );
            return Err(Error::new(message, list(description, &|v| v.causality == wanted)));
        }
        if scale.factor == 0.0 {
            let message = format!("the unit {} of `{}` has the factor 0", scale.name, description.model);
            return Err(Error::new(message, "this is an error of the program that exported the FMU"));
        }
        (factor, offset) = (scale.factor, scale.offset);
    }
    Ok(Channel { variable: variable.clone(), factor: sign * factor, offset: sign * offset })
}

/// A parameter and its value, checked.
fn parameter<'a>(
    description: &'a Description,
    name: &str,
    value: &'a Value,
) -> Result<(&'a Variable, &'a Value), Error> {
    let settable = |v: &Variable| match v.causality {
        Causality::Parameter | Causality::Input => true,
        Causality::StructuralParameter | Causality::CalculatedParameter | Causality::Independent => false,
        Causality::Output | Causality::Local => v.start.is_some() && v.variability != "constant",
    };
    let variable = description.variable(name);
    let variable = variable.ok_or_else(|| unknown(description, name, &|v| v.causality == Causality::Parameter))?;
    let model = &description.model;
    if !settable(variable) {
        let message =
            format!("`{name}` of `{model}` cannot be set, it is {} `{}`", article(variable), variable.causality.name());
        return Err(Error::new(message, list(description, &|v| v.causality == Causality::Parameter)));
    }
    if variable.array {
        return Err(Error::new(format!("`{name}` of `{model}` is an array, which cannot be set"), ""));
    }
    let fits = match (variable.kind, value) {
        (kind, Value::Number(x)) if kind.is_float() => x.is_finite(),
        (kind, Value::Number(x)) => {
            kind.whole().is_some_and(|(low, high)| x.fract() == 0.0 && (low..=high).contains(x))
        }
        (kind, Value::Flag(_)) => kind == Kind::Boolean,
        (kind, Value::Text(_)) => kind == Kind::String,
    };
    if !fits {
        let shown = match value {
            Value::Number(x) => x.to_string(),
            Value::Flag(on) => on.to_string(),
            Value::Text(text) => format!("\"{text}\""),
        };
        let message = format!("`{name}` of `{model}` is of type {} and cannot be {shown}", variable.kind.name());
        let help = variable.start.as_ref().map_or(String::new(), |s| format!("it starts with {s}"));
        return Err(Error::new(message, help));
    }
    Ok((variable, value))
}

fn article(variable: &Variable) -> &'static str {
    match variable.causality {
        Causality::Input | Causality::Output | Causality::Independent => "an",
        _ => "a",
    }
}

fn unknown(description: &Description, name: &str, among: &dyn Fn(&Variable) -> bool) -> Error {
    Error::new(format!("`{}` has no variable `{name}`", description.model), list(description, among))
}

/// The names of some variables, not more than fit on a line.
fn list(description: &Description, among: &dyn Fn(&Variable) -> bool) -> String {
    let names: Vec<_> = description.variables.iter().filter(|v| among(v)).map(|v| format!("`{}`", v.name)).collect();
    match names.len() {
        0 => "it has no such variable".to_owned(),
        n if n > 12 => format!("there are {}, … ({n} in all)", names[..12].join(", ")),
        _ => format!("there are {}", names.join(", ")),
    }
}
