//! Whether what a run will write fits on its disk, asked before anything moves.

use std::path::Path;

use interfield_language::Model;

use crate::laboratory::tape;
use crate::record::Format;

/// What was found about the room for a run.
pub enum Room {
    /// There is enough, as far as anybody can tell.
    Enough,
    /// It fits, but nothing else may grow meanwhile; in words.
    Little(String),
    /// It does not fit; in words.
    None(String),
}

/// Looks at the disk that the results of a run go to.
pub fn room(model: &Model, results: &Path, format: Format) -> Room {
    let Some(free) = free(results) else { return Room::Enough };
    let recorded: f64 = model.specimens.iter().map(|s| tape::bytes(s, samples(model, s))).sum();
    let result = result_bytes(model, format);
    let need = recorded + result;
    let folder = folder_of(results).display().to_string();
    let recording =
        if recorded > 0.0 { format!("about {} for the recording and ", size(recorded)) } else { String::new() };
    let said = format!("{recording}about {} for the results; `{folder}` has {} free", size(result), size(free));
    match () {
        () if free < need => Room::None(format!("the disk is too small for the run: it needs {said}")),
        () if free < 2.0 * need => Room::Little(format!("the disk is nearly full: the run needs {said}")),
        () => Room::Enough,
    }
}

/// Samples of a test that goes as planned, with the ways to the start and home.
fn samples(model: &Model, specimen: &interfield_language::specimen::Specimen) -> f64 {
    let duration = model.analysis.steps() as f64 * model.analysis.dt;
    (duration * specimen.time_scale + 2.0 * specimen.ramp) / specimen.period
}

pub(crate) fn result_bytes(model: &Model, format: Format) -> f64 {
    let rows = model.analysis.steps() as f64 / model.every.max(1) as f64;
    let columns = (model.channels.len() + 1) as f64;
    match format {
        // A block is begun as a whole; the head holds log and index.
        Format::Results => 2e5 + (rows + interfield_results::layout::DEFAULT_BLOCK_ROWS as f64) * 8.0 * columns,
        // Digits of a number and its comma, most often.
        Format::Csv => rows * 22.0 * columns,
    }
}

/// The nearest folder above a file that exists.
fn folder_of(path: &Path) -> &Path {
    let here = Path::new(".");
    path.ancestors().skip(1).find(|p| p.is_dir()).unwrap_or(here)
}

/// Bytes that whoever runs this may still write on the disk of a file.
#[cfg(unix)]
fn free(path: &Path) -> Option<f64> {
    let disk = rustix::fs::statvfs(folder_of(path)).ok()?;
    // Some file systems say nothing about their size.
    (disk.f_blocks > 0).then_some(disk.f_bavail as f64 * disk.f_frsize as f64)
}

#[cfg(not(unix))]
fn free(_path: &Path) -> Option<f64> {
    None
}

/// Bytes of memory that are free for this process, if the system says so: of the machine, and of the group that a batch system or a
/// container put it in.
pub fn memory() -> Option<f64> {
    // For tests of what happens where there is little.
    let pretended = std::env::var(PRETENDED).ok().and_then(|s| s.parse().ok());
    pretended.or_else(|| {
        let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<f64>().ok();
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let machine = 1024.0 * text.lines().find(|l| l.starts_with("MemAvailable")).and_then(kilobytes)?;
        let number =
            |file: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<f64>().ok();
        let group = number("memory.max").map(|most| most - number("memory.current").unwrap_or(0.0));
        Some(group.map_or(machine, |group| machine.min(group)))
    })
}

/// Free bytes of memory, in place of those that the system says.
const PRETENDED: &str = "INTERFIELD_PRETEND_MEMORY";

/// Bytes for people.
pub(crate) fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} bytes"),
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_said_in_their_unit() {
        assert_eq!([12.0, 4.2e4, 1.25e6, 7.77e10].map(size), ["12 bytes", "42 kB", "1.2 MB", "77.7 GB"]);
    }
}
