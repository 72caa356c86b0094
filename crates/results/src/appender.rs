//! The growing file: rows go into the last block of every column, a full block is followed by another, and at every moment
//! what is on disk opens.

use crate::heap::{collection, reference};
use crate::image::{Image, leaf};
use crate::layout::{
    self, EOF_FIELD, EXTENT_SIZE, EXTENTS, FANOUT, LOG_AREA, LOG_HEADER, NODE, OUTCOME_SIZE, PAGE, write_at,
};
use crate::place::place;
use crate::{ChannelInfo, Error, Meta, Result, io_error};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time between two synchronisations with the disk: with the flushes between them and the time they take, a power
/// failure costs less than a second.
const SYNC: Duration = Duration::from_millis(500);

/// Outcome of a file whose last rows could not be written.
pub(crate) const FAILED: &str = "interrupted: recording failed";

/// Outcome of a file that nobody ended.
pub(crate) const GIVEN_UP: &str = "interrupted: the recording was not completed";

/// One level of the B-trees. All columns have trees of the same shape; their nodes lie side by side.
#[derive(Debug, Clone)]
struct Level {
    nodes: u64,
    used: u64,
}

/// Writes a result file in the thread that calls: for those who have a thread and a queue of their own. A call that failed,
/// because the disk is full for instance, can be made again and then goes on where it stopped.
#[derive(Debug)]
pub struct Appender {
    file: File,
    path: PathBuf,
    columns: usize,
    block_rows: usize,
    /// The block in the order of the file.
    block: Vec<u8>,
    filled: usize,
    flushed: usize,
    block_at: u64,
    blocks: u64,
    end: u64,
    levels: Vec<Level>,
    tree_fields: Vec<u64>,
    extents: Vec<u8>,
    log: Vec<u8>,
    log_at: u64,
    outcome_field: u64,
    outcome_at: u64,
    dropped_at: u64,
    ended: bool,
    /// When it was synchronised with the disk, and whether its name was too.
    synced: Instant,
    named: bool,
}

impl Appender {
    /// Begins a result file. It appears at `path` complete with everything known before the first row; it is made as
    /// `path` with the process number and `.new` appended, which stays behind only if the process is killed meanwhile.
    /// It is locked against other writers as long as this lives. Blocks have `block_rows` rows, held between 16 and 65 536, and fewer when a block would exceed 16 MiB.
    ///
    /// # Errors
    /// When the file cannot be made, exists and may not be replaced, is being written by somebody else, or a text does not
    /// fit into the format.
    pub fn create(
        path: &Path,
        meta: &Meta,
        channels: &[ChannelInfo],
        block_rows: usize,
        overwrite: bool,
    ) -> Result<Self> {
        let columns = channels.len() + 1;
        let most = (16 << 20) / (columns * 8);
        let block_rows = block_rows.min(most).clamp(16, 65_536);
        let image = Image::new(meta, channels, block_rows)?;
        let file = place(&image, path, overwrite).map_err(io_error(path))?;
        let from = EXTENTS as usize;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            columns,
            block_rows,
            block: vec![0; columns * block_rows * 8],
            filled: 0,
            flushed: 0,
            block_at: image.data,
            blocks: 1,
            end: image.end,
            levels: vec![Level { nodes: image.leaves, used: 1 }],
            tree_fields: image.tree_fields,
            extents: image.bytes[from..from + columns * EXTENT_SIZE as usize].to_vec(),
            log: Vec::new(),
            log_at: image.log_at,
            outcome_field: image.outcome_field,
            outcome_at: image.outcome_at,
            dropped_at: image.dropped_at,
            ended: false,
            synced: Instant::now(),
            named: false,
        })
    }

    /// Rows of a block.
    pub(crate) fn block_rows(&self) -> usize {
        self.block_rows
    }

    /// Numbers of a row: the time and all channels.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Rows that are in the file.
    pub fn rows(&self) -> u64 {
        (self.blocks - 1) * self.block_rows as u64 + self.flushed as u64
    }

    /// Takes as many of the rows, each the time and the values of all channels, as fit into the block that is being
    /// filled; says how many. They are in the file after [`flush`](Self::flush), or when the block is full and more come.
    ///
    /// # Errors
    /// When a full block cannot be written; then no row was taken.
    pub fn append(&mut self, rows: &[f64]) -> io::Result<usize> {
        if self.filled == self.block_rows {
            self.flush_rows()?;
            self.next_block()?;
        }
        Ok(self.take(rows))
    }

    fn take(&mut self, rows: &[f64]) -> usize {
        let taken = (rows.len() / self.columns).min(self.block_rows - self.filled);
        // In tiles that stay in the first-level cache while they are turned.
        for tile in (0..taken).step_by(32) {
            let count = (taken - tile).min(32);
            let source = &rows[tile * self.columns..(tile + count) * self.columns];
            for column in 0..self.columns {
                let at = (column * self.block_rows + self.filled + tile) * 8;
                let target = self.block[at..at + count * 8].chunks_exact_mut(8);
                for (bytes, value) in target.zip(source[column..].iter().step_by(self.columns)) {
                    bytes.copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        self.filled += taken;
        taken
    }

    /// Brings everything that was taken into the file, where it survives the end of the process; twice a second also to
    /// the disk, where it survives that of the machine. That takes as long as the disk takes.
    ///
    /// # Errors
    /// What the system said; the rows are kept for another try.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flush_rows()?;
        if self.synced.elapsed() < SYNC {
            return Ok(());
        }
        self.synced = Instant::now();
        self.file.sync_data()?;
        if !self.named {
            // A file whose folder is not on the disk has no name there.
            #[cfg(unix)]
            File::open(self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")))?
                .sync_all()?;
            self.named = true;
        }
        Ok(())
    }

    fn flush_rows(&mut self) -> io::Result<()> {
        if self.filled > self.flushed {
            if self.flushed == 0 && self.filled == self.block_rows {
                write_at(&self.file, self.block_at, &self.block)?;
            } else {
                for column in 0..self.columns {
                    let (from, to) = (column * self.block_rows + self.flushed, column * self.block_rows + self.filled);
                    write_at(&self.file, self.block_at + from as u64 * 8, &self.block[from * 8..to * 8])?;
                }
            }
            let rows = (self.blocks - 1) * self.block_rows as u64 + self.filled as u64;
            for extent in self.extents.chunks_exact_mut(EXTENT_SIZE as usize) {
                extent[16..24].copy_from_slice(&rows.to_le_bytes());
            }
            // Page by page: what lies in one page changes at once, also for a process that is killed meanwhile.
            let mut at = 0;
            while at < self.extents.len() {
                let room = (PAGE - (EXTENTS + at as u64) % PAGE) as usize;
                let to = (at + room).min(self.extents.len());
                write_at(&self.file, EXTENTS + at as u64, &self.extents[at..to])?;
                at = to;
            }
            self.flushed = self.filled;
        }
        Ok(())
    }

    /// Makes room for another block.
    fn next_block(&mut self) -> io::Result<()> {
        if self.blocks.is_multiple_of(FANOUT) {
            let levels = self.levels.clone();
            if let Err(error) = self.next_leaf() {
                self.levels = levels;
                return Err(error);
            }
        } else {
            // Right behind the last one: there the leaf expects it.
            let block_at = self.block_at + self.block.len() as u64;
            self.lengthen(block_at + self.block.len() as u64)?;
            let leaves = &self.levels[0];
            for column in 0..self.columns as u64 {
                write_at(&self.file, leaves.nodes + column * NODE + 6, &(leaves.used as u16 + 1).to_le_bytes())?;
            }
            self.levels[0].used += 1;
            self.block_at = block_at;
        }
        self.blocks += 1;
        self.filled = 0;
        self.flushed = 0;
        Ok(())
    }

    fn lengthen(&mut self, end: u64) -> io::Result<()> {
        self.file.set_len(end)?;
        write_at(&self.file, EOF_FIELD, &end.to_le_bytes())?;
        self.end = end;
        Ok(())
    }

    /// Begins a new leaf in the tree of each column, with new parents where these are full. New nodes are written
    /// before anything points to them.
    fn next_leaf(&mut self) -> io::Result<()> {
        let columns = self.columns as u64;
        let chunk = self.blocks;
        let mut free = self.end.next_multiple_of(8);
        let mut allocate = || {
            let at = free;
            free += columns * NODE;
            at
        };
        let leaves = allocate();
        let mut fresh: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut pointers: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut child = leaves;
        let mut level = 1;
        loop {
            let span = FANOUT.pow(level as u32);
            let node = |used: u16, first: u64, children: &[u64]| {
                layout::tree_node(level as u8, used, first, span, children, self.block_rows)
            };
            let Some(parent) = self.levels.get_mut(level) else {
                let roots = allocate();
                for column in 0..columns {
                    let old = self.levels[level - 1].nodes + column * NODE;
                    fresh.push((roots + column * NODE, node(2, chunk - span, &[old, child + column * NODE])));
                    pointers.push((self.tree_fields[column as usize], (roots + column * NODE).to_le_bytes().to_vec()));
                }
                self.levels[level - 1] = Level { nodes: child, used: 1 };
                self.levels.push(Level { nodes: roots, used: 2 });
                break;
            };
            let used = parent.used;
            if used < FANOUT {
                for column in 0..columns {
                    let at = parent.nodes + column * NODE;
                    let mut entry = (child + column * NODE).to_le_bytes().to_vec();
                    entry.extend_from_slice(&layout::tree_key(chunk + span, self.block_rows));
                    pointers.push((at + 24 + used * 32 + 24, entry));
                    pointers.push((at + 6, (used as u16 + 1).to_le_bytes().to_vec()));
                }
                parent.used += 1;
                self.levels[level - 1] = Level { nodes: child, used: 1 };
                break;
            }
            let nodes = allocate();
            for column in 0..columns {
                fresh.push((nodes + column * NODE, node(1, chunk, &[child + column * NODE])));
            }
            self.levels[level - 1] = Level { nodes: child, used: 1 };
            child = nodes;
            level += 1;
        }
        let block_at = free.next_multiple_of(PAGE);
        self.lengthen(block_at + self.block.len() as u64)?;
        for column in 0..columns {
            let node = leaf(chunk, block_at, column, columns, self.block_rows);
            write_at(&self.file, leaves + column * NODE, &node)?;
        }
        for (at, bytes) in fresh.iter().chain(&pointers) {
            write_at(&self.file, *at, bytes)?;
        }
        self.block_at = block_at;
        Ok(())
    }

    /// Adds a line to the log; what does not fit into the area of the log is kept until the end.
    ///
    /// # Errors
    /// What the system said.
    pub fn log(&mut self, line: &str) -> io::Result<()> {
        const MOST: usize = 16 << 20;
        let before = self.log.len();
        let room = MOST.saturating_sub(before + 1);
        if line.len() > room {
            return Ok(());
        }
        self.log.extend(line.bytes().map(|b| if b == 0 { b' ' } else { b }));
        self.log.push(b'\n');
        let to = self.log.len().min(LOG_AREA);
        if before < to { write_at(&self.file, self.log_at + before as u64, &self.log[before..to]) } else { Ok(()) }
    }

    /// Ends the file: everything taken is written, the outcome and the number of rows that were dropped noted, the file
    /// synchronised with the disk. An outcome that begins with `interrupted` reads back as
    /// [`Outcome::Interrupted`](crate::Outcome::Interrupted). Returns the number of rows in the file.
    ///
    /// # Errors
    /// [`Error::Recording`] when something could not be written; the rows before it are in the file.
    pub fn finish(mut self, outcome: &str, dropped: u64) -> Result<u64> {
        let flushed = self.flush_rows();
        // Also when rows are lost: a file that cannot grow can still be overwritten.
        let lost = (self.filled - self.flushed) as u64 + dropped;
        let ended = self.end(if flushed.is_ok() { outcome } else { FAILED }, lost);
        let rows = self.rows();
        let failed = |e: io::Error| Error::Recording { path: self.path.clone(), what: e.to_string(), rows, lost };
        flushed.and(ended).map(|()| rows).map_err(failed)
    }

    /// Notes how the run ended; overwrites only, so that it works on a full disk too, but for a long log.
    pub(crate) fn end(&mut self, outcome: &str, dropped: u64) -> io::Result<()> {
        self.ended = true;
        write_at(&self.file, self.dropped_at, &dropped.to_le_bytes())?;
        let mut length = outcome.len().min(OUTCOME_SIZE);
        while !outcome.is_char_boundary(length) {
            length -= 1;
        }
        // The text first, then what refers to it.
        let outcome = &outcome[..length];
        write_at(&self.file, self.outcome_at, &collection(&[outcome]))?;
        write_at(&self.file, self.outcome_field, &reference(outcome, self.outcome_at, 1))?;
        if self.log.len() > LOG_AREA {
            let at = self.end.next_multiple_of(8);
            self.lengthen(at + self.log.len() as u64)?;
            write_at(&self.file, at, &self.log)?;
            write_at(&self.file, LOG_HEADER, &layout::text_dataset(at, self.log.len()))?;
        }
        self.file.sync_data()
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        if !self.ended {
            // Nobody is left to hear of an error.
            self.flush_rows().and_then(|()| self.end(GIVEN_UP, 0)).ok();
        }
    }
}
