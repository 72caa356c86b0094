//! The processes that `mpirun` has started together, as the commands see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interfield::Operator;
use interfield::table::time;
use interfield_coupling::{Exchange, Ranks};
use interfield_mpi::{VARIABLE, World, launched, place};

use crate::Exit;
use crate::output::complain;

/// This process and those started with it; alone by default.
#[derive(Clone, Default)]
pub(crate) struct Team {
    pub(crate) ranks: Ranks,
    world: Option<Arc<World>>,
    /// Whether all have agreed to end: a launcher that ends the rest changes nothing.
    over: Arc<AtomicBool>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.ranks.fmt(f)
    }
}

impl Team {
    /// Joins the others, if there are any.
    pub(crate) fn join() -> Result<Self, Exit> {
        let Some((rank, count)) = launched() else { return Ok(Team::default()) };
        let path = place();
        let found = if path.exists() {
            World::join(&path)
        } else {
            Err(format!("the connection to MPI, `{}`, does not exist", path.display()))
        };
        let world = match found {
            Ok(world) if world.count() == count => Arc::new(world),
            other => {
                let why = other.map_or_else(
                    |why| why,
                    |_| "MPI knows of another number of them: the connection belongs to another MPI".to_owned(),
                );
                if rank == 0 {
                    complain(&format!(
                        "error: {count} processes were started together, but they cannot share the work: {why}"
                    ));
                    complain(&format!(
                        "help: compile the connection with the MPI that starts them: interfield mpi; another place of it is given by {VARIABLE}. \
                         Without it each process would do all of the work"
                    ));
                }
                return Err(Exit::BadInput);
            }
        };
        let slow = move |from: usize, waited: std::time::Duration| {
            let waited = time(waited.as_secs_f64());
            complain(&format!("rank {rank}: waits for rank {from} since {waited}"));
        };
        world.when_slow(slow);
        Ok(Team { ranks: Ranks::new(Box::new(world.clone())), world: Some(world), ..Team::default() })
    }

    /// Refuses a command that several processes cannot share.
    pub(crate) fn refuse_others() -> Result<(), Exit> {
        let Some((rank, count)) = launched() else { return Ok(()) };
        if rank == 0 {
            complain(&format!("error: this command cannot be shared by {count} processes"));
            complain("help: start it without mpirun; `run` and `ensemble` can be shared");
        }
        Err(Exit::BadInput)
    }

    /// Whether there is one process only.
    pub(crate) fn is_alone(&self) -> bool {
        self.world.is_none()
    }

    /// Whether this process speaks for all.
    pub(crate) fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// The machine's MPI.
    pub(crate) fn name(&self) -> String {
        self.world.as_ref().map_or_else(String::new, |w| w.name())
    }

    /// The rank that was waited for in vain.
    pub(crate) fn lost(&self) -> Option<usize> {
        self.world.as_ref().and_then(|w| w.lost())
    }

    /// Says something as this rank.
    pub(crate) fn complain(&self, text: &str) {
        complain(&format!("rank {}: {text}", self.ranks.rank()));
    }

    /// When a launcher ends this process, because another one is gone or somebody has interrupted it: says so, and lets the work end.
    pub(crate) fn on_interrupt(&self, operator: &Operator) {
        let Some(world) = self.world.clone() else { return };
        let (team, operator) = (self.clone(), operator.clone());
        // A second handler in one process is impossible here; without one a signal just ends the program.
        let _ = ctrlc::set_handler(move || {
            if team.over.load(Ordering::Acquire) {
                return;
            }
            if world.is_ending() {
                std::process::exit(i32::from(Exit::Interrupted as u8));
            }
            world.end_soon();
            team.complain("the launcher ends the run: another rank is gone, or the run was interrupted");
            operator.interrupt();
        });
    }

    /// Ends the work of all; the exit code of this process. That of the first rank is the one of the run: a launcher ends all processes when
    /// one ends with another than 0.
    pub(crate) fn part(&self, exit: Exit) -> Exit {
        let Some(world) = &self.world else { return exit };
        self.ranks.end(None);
        self.over.store(true, Ordering::Release);
        world.leave();
        if self.is_first() || world.lost().is_some() { exit } else { Exit::Done }
    }
}
