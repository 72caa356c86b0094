//! A run of several processes: before it they agree that they run the same, and the ranks beside the first one follow it.

use interfield_coupling::Ranks;
use interfield_kernel::Fault;
use interfield_structure::preparation::Memory;
use interfield_structure::specimen::Rehearsal;
use sha2::{Digest, Sha256};

use crate::refused::{Cause, Refused};
use crate::run::{Prepared, Setup};
use crate::space::size;
use crate::{Choices, ModelFile, rehearsal};

/// What a rank answers to the first one about what it runs.
const SAME: f64 = 0.0;
const OTHER_PROGRAM: f64 = 1.0;
const OTHER_MODEL: f64 = 2.0;
/// It has ended before.
const ENDED: f64 = 3.0;

/// Numbers that are equal where program, model, the files that it reads and all settings are.
fn identity(file: &ModelFile, choices: &Choices) -> Result<Vec<f64>, Refused> {
    let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let program: [u8; 32] = Sha256::digest(program).into();
    let digest = rehearsal::digest(file, choices);
    // What is wrong with the model is said, with all of it, when it is prepared.
    let model = digest.unwrap_or_else(|why| Sha256::digest(why.as_bytes()).into());
    let numbers = |bytes: [u8; 32]| bytes.map(f64::from);
    Ok([vec![0.0], numbers(program).to_vec(), numbers(model).to_vec()].concat())
}

/// Looks whether all ranks run the same program on the same model; all of them learn who does not.
///
/// # Errors
/// Who does not; another rank that has ended.
pub fn agree(ranks: &Ranks, file: &ModelFile, choices: &Choices) -> Result<(), Refused> {
    let own = identity(file, choices)?;
    let mut answers = vec![SAME; ranks.count() + 1];
    if ranks.rank() == 0 {
        for other in 1..ranks.count() {
            let compared = |found: Vec<f64>| match found.len() == own.len() && found[1..33] == own[1..33] {
                false => OTHER_PROGRAM,
                true if found == own => SAME,
                true => OTHER_MODEL,
            };
            answers[other + 1] = ranks.receive(other).map_or(ENDED, compared);
        }
        (1..ranks.count()).for_each(|to| ranks.send(to, &answers));
    } else {
        ranks.send(0, &own);
        answers = ranks.receive(0).ok_or_else(|| {
            Refused::new(Cause::Input, "rank 0 has ended before the run; its own message says why", "")
        })?;
    }
    let who = |answer: f64| -> Vec<String> {
        answers.iter().skip(1).enumerate().filter(|a| *a.1 == answer).map(|a| a.0.to_string()).collect()
    };
    let all = [
        (OTHER_PROGRAM, "runs another build of the program than rank 0", "install the same program on all machines"),
        (
            OTHER_MODEL,
            "has another model, another file that it reads, or other settings than rank 0",
            "give all ranks the same files and options",
        ),
        (ENDED, "has ended before the run", "its own message says why"),
    ];
    let wrong: Vec<(String, &str)> = all
        .iter()
        .filter(|(answer, ..)| !who(*answer).is_empty())
        .map(|(answer, what, help)| (format!("rank {} {what}", who(*answer).join(", ")), *help))
        .collect();
    let Some((message, help)) = wrong.first() else { return Ok(()) };
    let mut refused = Refused::new(Cause::Input, message.as_str(), *help);
    refused.messages.extend(wrong[1..].iter().flat_map(|(m, h)| Refused::new(Cause::Input, m.as_str(), *h).messages));
    Err(refused)
}

/// What cannot be done by several processes, beside what is against the model.
///
/// # Errors
/// All of it.
pub(crate) fn suits(setup: &Setup) -> Result<(), Refused> {
    let asked = [
        (setup.real_time.real_time, "--real-time", "a test in real time"),
        (setup.arming.arm, "--arm", "a test with a real specimen"),
        (setup.replay.is_some(), "replay", "a replay"),
        (setup.checkpoint.is_some(), "--checkpoint", "a checkpoint"),
        (setup.resume.is_some(), "--resume", "going on from a checkpoint"),
    ];
    let mut messages = Vec::new();
    for (_, option, what) in asked.into_iter().filter(|a| a.0) {
        let help = format!("run without mpirun, or omit {option}");
        messages.extend(Refused::new(Cause::Input, format!("{what} is not possible on several ranks"), help).messages);
    }
    match messages.is_empty() {
        true => Ok(()),
        false => Err(Refused { messages, ..Refused::new(Cause::Input, "", "") }),
    }
}

/// The memory of each rank, in a line; those beside the first say it once they have started.
pub(crate) fn memories(ranks: &Ranks, own: Memory) -> Vec<String> {
    let of = |rank: usize| match rank {
        0 => Some(own),
        other => {
            let [_, factors, rest] = ranks.receive(other)?.try_into().ok()?;
            Some(Memory { factors, rest })
        }
    };
    let line = |rank: usize, Memory { factors, rest }: Memory| {
        format!("rank {rank}: {} of memory for factors, {} for matrices and states", size(factors), size(rest))
    };
    (0..ranks.count()).filter(|_| !ranks.is_alone()).filter_map(|rank| Some(line(rank, of(rank)?))).collect()
}

/// How a rank that follows the first one ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// All steps are taken.
    Finished,
    /// Another rank has ended the run, or a fault has that the first one reports.
    Told,
    /// A rank is gone; in words.
    Lost(String),
}

impl Prepared<'_> {
    /// Takes the steps of the substructures of this rank, for the first one, which looks at them and writes the results.
    ///
    /// # Errors
    /// What stands against the start.
    pub fn follow(self) -> Result<Followed, Refused> {
        let (structure, file, places, ranks) = self.into_parts();
        let mut sim = file.start(structure, &places, &mut Rehearsal)?;
        let memory = sim.memory();
        ranks.send(0, &[0.0, memory.factors, memory.rest]);
        for k in 0..sim.steps() {
            let Err(fault) = sim.coupling.step(k) else { continue };
            return Ok(match fault {
                Fault::Rank { told: false, .. } => Followed::Lost(sim.explain(fault)),
                Fault::Rank { .. } => Followed::Told,
                _ => {
                    // The others may not have heard of it.
                    ranks.end(Some((sim.coupling.faulty(), fault)));
                    Followed::Told
                }
            });
        }
        Ok(Followed::Finished)
    }
}
