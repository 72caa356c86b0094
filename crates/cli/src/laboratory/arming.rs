//! Before anything real moves: a test on more than an emulated laboratory starts only when it was rehearsed, armed and confirmed.

use std::io::{BufRead, IsTerminal, Write};

use interfield_model::specimen::Specimen;

use crate::rehearsal::Rehearsal;

/// What the command line says about the start of a test.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Arming {
    /// Arm a test on a real specimen; it starts when it is confirmed
    #[arg(long)]
    arm: bool,
    /// Confirm the start of a test by the name of its specimen (several: separated by commas); asked for at the terminal if absent
    #[arg(long, value_name = "SPECIMEN", requires = "arm")]
    confirm: Option<String>,
    /// Start without a passed rehearsal of this very model, for this reason, which is kept with the test
    #[arg(long = "override", value_name = "REASON", requires = "arm")]
    reason: Option<String>,
}

/// A sentence and what to do about it.
pub(crate) type Refusal = (String, String);

impl Arming {
    /// Whether the test may start: what is to be kept with it.
    ///
    /// # Errors
    /// When it may not.
    pub(crate) fn clear(&self, real: &[&Specimen], rehearsal: &Rehearsal) -> Result<Vec<String>, Refusal> {
        if real.is_empty() {
            return Ok(Vec::new());
        }
        for specimen in real {
            bounded(specimen)?;
        }
        let mut kept = vec![self.rehearsed(rehearsal)?];
        let names: Vec<&str> = real.iter().map(|s| s.name.as_str()).collect();
        let names = names.join(",");
        if !self.arm {
            let message = format!("`{names}` is not emulated: something real would move");
            return Err((
                message,
                format!("rehearse the test, then add --arm, and --confirm {names} where nobody can be asked"),
            ));
        }
        let said = match &self.confirm {
            Some(said) => said.clone(),
            None => asked(&names)?,
        };
        if said.trim() != names {
            let message = format!("the start was confirmed for `{}`, and the test moves `{names}`", said.trim());
            return Err((message, format!("--confirm {names}")));
        }
        kept.push(format!("armed, and confirmed for `{names}`"));
        Ok(kept)
    }

    fn rehearsed(&self, rehearsal: &Rehearsal) -> Result<String, Refusal> {
        let against = match rehearsal {
            Rehearsal::Passed => return Ok("rehearsed, and ready".to_owned()),
            Rehearsal::Failed(objections) => format!("its rehearsal was not passed: {}", objections.join("; ")),
            Rehearsal::Changed => {
                "the model, its records or its settings have changed since they were rehearsed".to_owned()
            }
            Rehearsal::Missing => "the test was not rehearsed".to_owned(),
        };
        match &self.reason {
            Some(reason) => Ok(format!("started although {against}; reason: {reason}")),
            None => {
                Err((against, "run `interfield rehearse` with the same settings, or give --override REASON".to_owned()))
            }
        }
    }
}

/// A guard can only keep bounds that somebody has stated.
fn bounded(specimen: &Specimen) -> Result<(), Refusal> {
    let open = (0..specimen.actuators.len()).find(|&i| {
        let e = specimen.envelope(i);
        !(e.position[1].is_finite() && e.velocity.is_finite())
    });
    let Some(i) = open else { return Ok(()) };
    let message = format!("nobody says how far and how fast actuator {} of `{}` may be sent", i + 1, specimen.name);
    let help = "write stroke and velocity in [[specimen.actuator]], or displacement and velocity in [specimen.limits]";
    Err((message, help.to_owned()))
}

/// Asks at the terminal.
fn asked(names: &str) -> Result<String, Refusal> {
    let nobody = || ("nobody is there to confirm the start".to_owned(), format!("--confirm {names}"));
    if !std::io::stdin().is_terminal() {
        return Err(nobody());
    }
    let mut err = std::io::stderr();
    let _ = write!(err, "type `{names}` to start the test: ");
    let _ = err.flush();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|_| nobody())?;
    Ok(line)
}
