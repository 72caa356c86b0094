//! Where OpenSees is known to differ from its own description, or to stop early, in the script at hand (book: frames 7).

use std::collections::BTreeSet;

use crate::record::{Command, Place, Record};

/// A reason for which results may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Where the script asks for it.
    pub place: Place,
    /// What is different.
    pub message: String,
}

fn word(command: &Command, i: usize) -> &str {
    command.arguments.get(i).and_then(|a| a.word()).unwrap_or_default()
}

fn number(command: &Command, i: usize) -> Option<f64> {
    command.arguments.get(i)?.number()
}

/// What follows an option, as `-factor 9.81`.
fn after(command: &Command, option: &str) -> Option<f64> {
    let at = command.arguments.iter().position(|a| a.word() == Some(option))?;
    number(command, at + 1)
}

/// Everything in the script that is known to make a difference, each once. `start` gives the first value of a time series.
pub fn reasons(record: &Record, start: &dyn Fn(&Command) -> Option<f64>) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    let mut say = |command: &Command, message: String| {
        if found.iter().all(|r| r.message != message) {
            found.push(Reason { place: command.place.clone(), message });
        }
    };
    let commands = &record.commands;
    for command in commands {
        match (command.name.as_str(), word(command, 0)) {
            ("integrator", kind) => {
                if let Some(message) = integrator(kind) {
                    say(command, message.to_owned());
                }
            }
            ("uniaxialMaterial", kind) => {
                if let Some(message) = material(kind) {
                    say(command, message.to_owned());
                }
            }
            ("element", kind) => {
                if let Some(message) = element(kind) {
                    say(command, message.to_owned());
                }
            }
            ("test", kind) => {
                if let Some(tolerance) = number(command, 1).filter(|t| *t > 1e-9) {
                    say(
                        command,
                        format!("OpenSees stops iterating at {kind} {tolerance:e}; Interfield iterates to rounding"),
                    );
                }
            }
            ("algorithm", "Linear") if !is_elastic(commands) => {
                let message = "algorithm Linear makes one iteration per step: what is left of the balance is an error of OpenSees";
                say(command, message.to_owned());
            }
            ("constraints", "Penalty") => {
                say(
                    command,
                    "Penalty fulfils constraints approximately; Interfield eliminates them exactly".to_owned(),
                );
            }
            ("constraints", "Plain") => {
                if let Some(rigid) = commands.iter().find(|c| matches!(c.name.as_str(), "rigidDiaphragm" | "rigidLink"))
                {
                    say(
                        command,
                        format!("with constraints Plain OpenSees ignores {} (line {})", rigid.name, rigid.place.line),
                    );
                }
            }
            ("groundMotion", _) if imposes_displacement_alone(command) => {
                let message = "with -disp alone OpenSees leaves the velocity of the moved support at zero, so damping acts as if it \
                               did not move; Interfield takes the velocity of the given displacement";
                say(command, message.to_owned());
            }
            ("pattern", "UniformExcitation") => {
                let tag = after(command, "-accel");
                let series = commands.iter().rfind(|c| c.name == "timeSeries" && number(c, 1) == tag && tag.is_some());
                if let Some(first) = series.and_then(start).filter(|a| *a != 0.0) {
                    say(
                        command,
                        format!(
                            "the record starts with {first}: OpenSees begins with zero acceleration all the same, and carries the \
                             difference on as an alternation from step to step; Interfield begins in balance"
                        ),
                    );
                }
            }
            _ => {}
        }
    }
    if let Some((command, node)) = chain(commands) {
        let message = format!(
            "node {node} follows one node and leads another: OpenSees mixes up its degrees of freedom; Interfield follows the chain"
        );
        say(command, message);
    }
    found
}

fn integrator(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "GeneralizedAlpha" => {
            "GeneralizedAlpha of OpenSees puts the acceleration of the end of the step into the inertia; Interfield that of the \
             alpha point, as published"
        }
        "TRBDF2" | "Bathe" => {
            "TRBDF2 of OpenSees alternates trapezoidal and backward steps of the full length; Interfield does both within each step"
        }
        "CentralDifference" => {
            "CentralDifference of OpenSees starts from u(-dt) = u(0); Interfield from the velocity and acceleration"
        }
        _ => return None,
    })
}

fn material(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Steel02" | "SteelMPF" | "Steel4" => {
            "Steel02 forgets its large loop at the smallest reversal: rounding and the tolerance of the iteration decide where it turns"
        }
        "SelfCentering" => {
            "SelfCentering of OpenSees keeps one side of the flag where it was if a step leads from it over zero to the other; \
             in Interfield it returns to the origin"
        }
        "Maxwell" => "Maxwell reads the global time step of OpenSees, also in trial steps",
        "ViscousDamper" => "ViscousDamper integrates its own equation with a tolerance of its own, about 1e-5",
        _ => return None,
    })
}

fn element(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "elastomericBearingPlasticity" | "elastomericBearing" => {
            "the elastomeric bearing of OpenSees keeps the plastic displacement of a rejected iteration"
        }
        "singleFPBearing" | "TripleFrictionPendulum" | "flatSliderBearing" => {
            "the sliding bearing of OpenSees iterates on the normal force with a tolerance of its own"
        }
        _ => return None,
    })
}

/// Whether a motion of a support has neither a velocity nor an acceleration.
fn imposes_displacement_alone(command: &Command) -> bool {
    let has = |option: &str| command.arguments.iter().any(|a| a.word() == Some(option));
    has("-disp") && !has("-vel") && !has("-accel")
}

/// Whether no material can yield.
fn is_elastic(commands: &[Command]) -> bool {
    commands.iter().filter(|c| c.name == "uniaxialMaterial").all(|c| matches!(word(c, 0), "Elastic" | "Viscous"))
}

/// A node that is constrained and retained in some of its directions only, with the command that retains it.
fn chain(commands: &[Command]) -> Option<(&Command, i64)> {
    let tag = |x: f64| x.round() as i64;
    let mut following: BTreeSet<i64> = BTreeSet::new();
    let ties = commands.iter().filter(|c| c.name == "equalDOF" || c.name == "rigidLink" || c.name == "rigidDiaphragm");
    let ties: Vec<(&Command, Vec<i64>)> =
        ties.map(|c| (c, c.arguments.iter().filter_map(|a| a.number()).map(tag).collect::<Vec<_>>())).collect();
    for (command, numbers) in &ties {
        match command.name.as_str() {
            "rigidDiaphragm" => following.extend(numbers.iter().skip(2)),
            _ => following.extend(numbers.get(1)),
        }
    }
    ties.iter().find_map(|(command, numbers)| {
        let leading = *numbers.get(usize::from(command.name == "rigidDiaphragm"))?;
        following.contains(&leading).then_some((*command, leading))
    })
}
