//! Ranks of a run, by the MPI of the machine.
//!
//! Nothing here is linked with MPI. Implementations differ in their binary interface, so the connection is a file of C,
//! [`SOURCE`], that the machine's own `mpicc` compiles once ([`build`]); a process that `mpirun` has started loads it ([`World::join`]).
//! **Must not be here:** models, couplings; the text of a message to a user beyond its reason.

mod world;

pub use world::World;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The connection in C.
pub const SOURCE: &str = include_str!("connection.c");
/// Name of the compiled connection.
pub const FILE: &str = if cfg!(target_os = "macos") { "libinterfield_mpi.dylib" } else { "libinterfield_mpi.so" };
/// Where it is, if not beside the program.
pub const VARIABLE: &str = "INTERFIELD_MPI";

/// Variables in which launchers say how many processes they have started together, and which this is: OpenMPI, MPICH and those made of it
/// (Intel MPI, MVAPICH, Slurm with `--mpi=pmi2`), Slurm with `--mpi=pmix`.
const LAUNCHERS: [[&str; 2]; 3] =
    [["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"], ["PMI_SIZE", "PMI_RANK"], ["SLURM_STEP_NUM_TASKS", "PMIX_RANK"]];

/// Number of this process and how many were started together, if a launcher of MPI has started several.
pub fn launched() -> Option<(usize, usize)> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let found = LAUNCHERS.iter().find_map(|[count, rank]| Some((number(rank)?, number(count)?)));
    found.filter(|(_, count)| *count > 1)
}

/// Where the connection is looked for: where [`VARIABLE`] says, or beside the program.
pub fn place() -> PathBuf {
    let given = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    given.unwrap_or_else(beside)
}

/// Beside the program.
pub fn beside() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.parent().unwrap_or(Path::new(".")).join(FILE)
}

/// Compiles the connection with a compiler of MPI, usually `mpicc`.
///
/// # Errors
/// Why not, in a sentence.
pub fn build(compiler: &str, to: &Path) -> Result<(), String> {
    let source = to.with_extension("c");
    let failed = |what: &Path, e: std::io::Error| format!("`{}` cannot be written: {e}", what.display());
    // Under another name first: a run that starts meanwhile finds a whole file, or none.
    let part = to.with_extension(format!("part-{}", std::process::id()));
    std::fs::write(&source, SOURCE).map_err(|e| failed(&source, e))?;
    let compiled = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&part)
        .arg(&source)
        .output()
        .map_err(|e| format!("`{compiler}` cannot be started: {e}"));
    let removed = std::fs::remove_file(&source);
    let output = compiled?;
    if !output.status.success() {
        let _ = std::fs::remove_file(&part);
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{compiler}` failed: {}", said.lines().next().unwrap_or("it said nothing")));
    }
    std::fs::rename(&part, to).map_err(|e| failed(to, e))?;
    removed.map_err(|e| failed(&source, e))
}
