//! Before anything real moves: a test on more than an emulated laboratory starts only when it was rehearsed, armed and confirmed.

use interfield_language::specimen::Specimen;

use crate::rehearsal::Rehearsal;

/// What was said about the start of a test.
#[derive(Clone, Debug, Default)]
pub struct Arming {
    /// Whether a test on a real specimen is armed; it starts when it is confirmed.
    pub arm: bool,
    /// The start confirmed by the names of its specimens, separated by commas.
    pub confirm: Option<String>,
    /// Why it starts without a passed rehearsal of this very model; kept with the test.
    pub reason: Option<String>,
    /// Asks somebody for the name of a specimen, where nothing was confirmed beforehand.
    pub ask: Option<fn(&str) -> Option<String>>,
}

impl Arming {
    /// Whether a test may move this specimen, behind which something real may be: what is to be kept with the test. The error is a sentence
    /// for the user.
    ///
    /// # Errors
    /// When it may not.
    pub(crate) fn clear(&self, specimen: &Specimen, rehearsal: &Rehearsal) -> Result<Vec<String>, String> {
        bounded(specimen)?;
        let rehearsed = self.rehearsed(rehearsal)?;
        let name = &specimen.name;
        if !self.arm {
            return Err(format!(
                "it is a real specimen, and the test would move it; add --arm, and --confirm {name} where no terminal \
                    is available"
            ));
        }
        let said = match &self.confirm {
            Some(said) => said.clone(),
            None => self
                .ask
                .and_then(|ask| ask(name))
                .ok_or_else(|| format!("there is no terminal to confirm the start; write --confirm {name}"))?,
        };
        if !said.split(',').any(|said| said.trim() == name) {
            return Err(format!(
                "the start was confirmed for `{}`, not for this specimen; write --confirm {name}",
                said.trim()
            ));
        }
        Ok(vec![rehearsed, format!("armed, and confirmed for `{name}`")])
    }

    fn rehearsed(&self, rehearsal: &Rehearsal) -> Result<String, String> {
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
                Err(format!("{against}; run `interfield rehearse` with the same settings, or give --override REASON"))
            }
        }
    }
}

/// A guard can only keep bounds that somebody has stated.
fn bounded(specimen: &Specimen) -> Result<(), String> {
    let open = (0..specimen.actuators.len()).find(|&i| {
        let e = specimen.envelope(i);
        !(e.position[1].is_finite() && e.velocity.is_finite())
    });
    let Some(i) = open else { return Ok(()) };
    Err(format!(
        "the largest displacement and velocity of its actuator {} are not given; write stroke and velocity in \
            [[specimen.actuator]], or displacement and velocity in [specimen.limits]",
        specimen.actuators[i].name
    ))
}
