//! Recording: a row costs one copy into a ring; a thread carries the ring into the file.

use crate::layout::{
    self, COLUMN_TREE_FIELD, EOF_FIELD, EXTENT_SIZE, EXTENTS, FANOUT, FORMAT, LOG_AREA, LOG_HEADER, NODE, OUTCOME_SIZE,
    PAGE, RUNNING, write_at,
};
use crate::{ChannelInfo, Error, Meta, Result, identifiers, io_error};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What happens to a row when the ring is full because the disk is slower than the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The run waits: nothing is lost. For runs without a clock.
    #[default]
    Wait,
    /// The row is dropped and counted: the run never waits. For runs in real time.
    Drop,
}

/// How a run is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// Longest time a row stays out of the file; held between 1 ms and 50 ms.
    pub flush: Duration,
    /// What happens when the ring is full.
    pub policy: Policy,
    /// Rows of a block of the file; held between 16 and 65 536, and fewer when a block would exceed 16 MiB.
    pub block_rows: usize,
    /// Size of the ring in blocks; at least 2, and at most about 64 MiB in all.
    pub ring_blocks: usize,
    /// Whether a file that exists may be replaced.
    pub overwrite: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            flush: Duration::from_millis(20),
            policy: Policy::Wait,
            block_rows: layout::DEFAULT_BLOCK_ROWS,
            ring_blocks: 32,
            overwrite: false,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteReport {
    /// Rows in the file.
    pub rows: u64,
    /// Rows refused because the ring was full or the row had the wrong length.
    pub dropped: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Longest time one write to the file took, in milliseconds.
    pub worst_flush_ms: f64,
}

/// Records one run. One thread pushes; a thread of its own writes.
#[derive(Debug)]
pub struct Writer {
    ring: rtrb::Producer<f64>,
    row: Vec<f64>,
    policy: Policy,
    dropped: u64,
    pushed: u64,
    log: mpsc::Sender<String>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Written>>,
    path: PathBuf,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
    outcome: Mutex<Option<String>>,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Written {
    rows: u64,
    bytes: u64,
    worst: Duration,
}

impl Writer {
    /// Begins a result file. It appears at `path` complete with everything known before the first row; it is made as
    /// `path` with the process number and `.new` appended, which stays behind only if the process is killed meanwhile.
    ///
    /// # Errors
    /// When the file cannot be made, exists and may not be replaced, or a text does not fit into the format.
    pub fn create(path: &Path, meta: &Meta, channels: &[ChannelInfo], options: WriterOptions) -> Result<Self> {
        let columns = channels.len() + 1;
        let most = (16 << 20) / (columns * 8);
        let block_rows = options.block_rows.min(most).clamp(16, 65_536);
        let flush = options.flush.clamp(Duration::from_millis(1), Duration::from_millis(50));
        let image = Image::new(meta, channels, block_rows)?;

        // Made beside its place and then moved there, so that no half-made file is ever seen at `path`.
        if !options.overwrite && path.exists() {
            let source = io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already");
            return Err(Error::Io { path: path.to_path_buf(), source });
        }
        let mut hidden = path.as_os_str().to_owned();
        hidden.push(format!(".{}.new", std::process::id()));
        let hidden = PathBuf::from(hidden);
        let made = Self::place(&image, &hidden, path);
        if made.is_err() {
            std::fs::remove_file(&hidden).ok();
        }
        let file = made.map_err(io_error(path))?;

        let most = (64 << 20) / (columns * 8);
        let ring_rows = (block_rows * options.ring_blocks.clamp(2, 1 << 16)).min(most.max(2 * block_rows));
        let (ring, consumer) = rtrb::RingBuffer::new(ring_rows * columns);
        let (log, log_lines) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let mut recorder = Recorder {
            store: Store::new(file, image, columns, block_rows),
            ring: consumer,
            log_lines,
            shared: Arc::clone(&shared),
            flush,
            worst: Duration::ZERO,
        };
        let thread = thread::Builder::new()
            .name("results".into())
            .spawn(move || recorder.run())
            .map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
        Ok(Self {
            ring,
            row: vec![0.0; columns],
            policy: options.policy,
            dropped: 0,
            pushed: 0,
            log,
            shared,
            thread: Some(thread),
            path: path.to_path_buf(),
        })
    }

    fn place(image: &Image, hidden: &Path, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(hidden)?;
        file.set_len(image.end)?;
        write_at(&file, 0, &image.bytes)?;
        std::fs::rename(hidden, path)?;
        Ok(file)
    }

    /// Records the values of all channels at time `t`; says whether the row was taken.
    ///
    /// One copy and one atomic store: no lock, no allocation, no system call while there is room in the ring. Without
    /// room [`Policy::Drop`] returns at once and [`Policy::Wait`] waits. A row whose length is not the number of
    /// channels is refused and counted.
    #[inline]
    pub fn push(&mut self, t: f64, values: &[f64]) -> bool {
        if values.len() + 1 != self.row.len() {
            self.dropped += 1;
            return false;
        }
        self.row[0] = t;
        self.row[1..].copy_from_slice(values);
        if self.ring.push_entire_slice(&self.row).is_ok() {
            self.pushed += 1;
            return true;
        }
        self.push_into_full_ring()
    }

    #[cold]
    fn push_into_full_ring(&mut self) -> bool {
        if self.policy == Policy::Wait {
            while !self.ring.is_abandoned() {
                if let Some(thread) = &self.thread {
                    thread.thread().unpark();
                }
                thread::sleep(Duration::from_micros(100));
                if self.ring.push_entire_slice(&self.row).is_ok() {
                    self.pushed += 1;
                    return true;
                }
            }
        }
        self.dropped += 1;
        false
    }

    /// Adds a line to the log of the file, within the flush interval. Allocates: not for the stepping loop.
    pub fn log(&self, line: &str) {
        // The receiver lives as long as the thread; a failure of the thread is reported by `finish`.
        self.log.send(line.to_owned()).ok();
    }

    /// Whether everything so far could be written: one atomic load.
    pub fn is_recording(&self) -> bool {
        !self.shared.failed.load(Ordering::Relaxed) && !self.ring.is_abandoned()
    }

    /// What stopped the recording, if anything did.
    ///
    /// # Errors
    /// The failure of the writing thread.
    pub fn status(&self) -> std::result::Result<(), String> {
        if self.is_recording() {
            return Ok(());
        }
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(failure.clone().unwrap_or_else(|| "the writing thread ended".into()))
    }

    /// Rows refused so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Ends the file: everything pushed is written, the outcome noted, the file synchronised with the disk.
    ///
    /// An outcome that begins with `interrupted` reads back as [`Outcome::Interrupted`](crate::Outcome::Interrupted).
    ///
    /// # Errors
    /// [`Error::Recording`] when something could not be written; the rows before it are in the file.
    pub fn finish(mut self, outcome: &str) -> Result<WriteReport> {
        self.end(outcome)
    }

    fn end(&mut self, outcome: &str) -> Result<WriteReport> {
        *self.shared.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome.to_owned());
        self.shared.dropped.store(self.dropped, Ordering::Relaxed);
        self.shared.stop.store(true, Ordering::Release);
        let written = self.thread.take().and_then(|thread| {
            thread.thread().unpark();
            thread.join().ok()
        });
        let rows = written.as_ref().map_or(0, |w| w.rows);
        let lost = self.pushed.saturating_sub(rows) + self.dropped;
        match (written, self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take()) {
            (Some(w), None) => Ok(WriteReport {
                rows,
                dropped: self.dropped,
                bytes: w.bytes,
                worst_flush_ms: w.worst.as_secs_f64() * 1e3,
            }),
            (_, failure) => Err(Error::Recording {
                path: self.path.clone(),
                what: failure.unwrap_or_else(|| "the writing thread ended".into()),
                rows,
                lost,
            }),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // Nobody is left to hear of an error.
            self.end("interrupted: the recording was given up without an end").ok();
        }
    }
}

/// The file as it is before the first row.
#[derive(Debug)]
struct Image {
    bytes: Vec<u8>,
    /// Length of the file, the first block included.
    end: u64,
    /// First byte of the first block.
    data: u64,
    /// First B-tree node of the leaf level.
    leaves: u64,
    /// Where each column keeps the address of its B-tree.
    tree_fields: Vec<u64>,
    log_at: u64,
    outcome_at: u64,
    dropped_at: u64,
}

impl Image {
    fn new(meta: &Meta, channels: &[ChannelInfo], block_rows: usize) -> Result<Self> {
        check(meta, channels)?;
        let columns = channels.len() as u64 + 1;
        let mut bytes = vec![0; (EXTENTS + EXTENT_SIZE * columns) as usize];
        for column in 0..columns {
            patch(&mut bytes, EXTENTS + column * EXTENT_SIZE, &layout::extent_block(0));
        }

        let model_size = meta.model_text.len().max(1);
        let model_text_at = append(&mut bytes, meta.model_text.as_bytes());
        bytes.resize((model_text_at as usize + model_size).next_multiple_of(8), 0);
        let log_at = append(&mut bytes, &[0; LOG_AREA]);
        patch(&mut bytes, LOG_HEADER, &layout::text_dataset(log_at, LOG_AREA));
        let model = append(&mut bytes, &layout::text_dataset(model_text_at, model_size));

        let leaves = append(&mut bytes, &vec![0; (NODE * columns) as usize]);
        let ids = identifiers(channels.iter().map(|c| c.name.as_str()));
        let mut headers = Vec::new();
        for column in 0..columns {
            let attributes = match column.checked_sub(1).and_then(|c| channels.get(c as usize)) {
                None => vec![layout::text_attribute("unit", "s")],
                Some(channel) => vec![
                    layout::text_attribute("name", &channel.name),
                    layout::text_attribute("unit", &channel.unit),
                    layout::text_attribute("quantity", &channel.quantity),
                    layout::text_attribute("description", &channel.description),
                ],
            };
            let extent_at = EXTENTS + column * EXTENT_SIZE;
            let header = layout::column_dataset(leaves + column * NODE, block_rows, extent_at, attributes);
            // The address of the tree changes during the run: it must not lie across two pages.
            while (bytes.len() as u64 + COLUMN_TREE_FIELD) % PAGE > PAGE - 8 {
                bytes.resize(bytes.len() + 8, 0);
            }
            headers.push(append(&mut bytes, &header));
        }

        let links: Vec<(&str, u64)> = ids.iter().map(String::as_str).zip(headers[1..].iter().copied()).collect();
        let channel_group = append(&mut bytes, &layout::object_header(&layout::group(&links), 0));
        let mut messages = layout::group(&[]);
        messages.extend(meta.settings.iter().map(|(name, value)| layout::text_attribute(name, value)));
        let settings = append(&mut bytes, &layout::object_header(&messages, 0));

        let mut messages = layout::group(&[
            ("time", headers[0]),
            ("channels", channel_group),
            ("settings", settings),
            ("model", model),
            ("log", LOG_HEADER),
        ]);
        let mut outcome = RUNNING.as_bytes().to_vec();
        outcome.resize(OUTCOME_SIZE, 0);
        messages.push(layout::attribute("outcome", &layout::type_text(OUTCOME_SIZE), &outcome));
        let outcome_end: usize = messages.iter().map(|(_, data)| 8 + data.len().next_multiple_of(8)).sum();
        let outcome_unpadded = messages.last().map_or(0, |(_, data)| data.len());
        messages.push(layout::attribute("dropped", &layout::type_u64(), &[0; 8]));
        let dropped_unpadded = messages.last().map_or(0, |(_, data)| data.len());
        for (name, text) in [
            ("format", FORMAT),
            ("format_version", "1"),
            ("title", meta.title.as_str()),
            ("program", meta.program.as_str()),
            ("version", meta.version.as_str()),
            ("created", meta.created.as_str()),
        ] {
            messages.push(layout::text_attribute(name, text));
        }
        let root = append(&mut bytes, &layout::object_header(&messages, 0));
        let outcome_message_end = root + 16 + outcome_end as u64;
        let outcome_at = outcome_message_end - outcome_unpadded.next_multiple_of(8) as u64
            + (outcome_unpadded - OUTCOME_SIZE) as u64;
        let dropped_at = outcome_message_end + 8 + (dropped_unpadded - 8) as u64;

        let data = (bytes.len() as u64).next_multiple_of(PAGE);
        let end = data + columns * block_rows as u64 * 8;
        for column in 0..columns {
            let node = leaf(0, data, column, columns, block_rows);
            patch(&mut bytes, leaves + column * NODE, &node);
        }
        patch(&mut bytes, 0, &layout::superblock(end, root));
        let tree_fields = headers.iter().map(|h| h + COLUMN_TREE_FIELD).collect();
        Ok(Self { bytes, end, data, leaves, tree_fields, log_at, outcome_at, dropped_at })
    }
}

/// Refuses what the format cannot hold.
fn check(meta: &Meta, channels: &[ChannelInfo]) -> Result<()> {
    if channels.len() > 60_000 || meta.settings.len() > 60_000 {
        return Err(Error::Invalid("a result file holds at most 60 000 channels and as many settings".into()));
    }
    let mut names = std::collections::HashSet::new();
    for name in meta.settings.iter().map(|(name, _)| name) {
        if name.is_empty() || !names.insert(name) {
            return Err(Error::Invalid(format!("setting `{name}` is empty or given twice")));
        }
    }
    names.clear();
    if let Some(twice) = channels.iter().find(|c| !names.insert(&c.name)) {
        return Err(Error::Invalid(format!("channel `{}` is given twice", twice.name)));
    }
    let texts = [&meta.title, &meta.program, &meta.version, &meta.created].into_iter();
    let texts = texts.chain(meta.settings.iter().flat_map(|(name, value)| [name, value]));
    let texts = texts.chain(channels.iter().flat_map(|c| [&c.name, &c.unit, &c.quantity, &c.description]));
    for text in texts.chain([&meta.model_text]) {
        if text.contains('\0') {
            return Err(Error::Invalid("a text of a result file contains a zero character".into()));
        }
        if text.len() > 32_000 && !std::ptr::eq(text, &meta.model_text) {
            return Err(Error::Invalid(format!("a text of {} bytes is too long for an attribute", text.len())));
        }
    }
    let settings: usize = meta.settings.iter().map(|(name, value)| name.len() + value.len()).sum();
    if meta.model_text.len().max(settings) > 1 << 30 {
        return Err(Error::Invalid("the model text or the settings are longer than 1 GiB".into()));
    }
    Ok(())
}

/// The leaf of a column that knows its 64 blocks from `data` on, of which the first exists.
fn leaf(first_chunk: u64, data: u64, column: u64, columns: u64, block_rows: usize) -> Vec<u8> {
    let chunk_bytes = block_rows as u64 * 8;
    let children: Vec<u64> = (0..FANOUT).map(|i| data + (i * columns + column) * chunk_bytes).collect();
    layout::tree_node(0, 1, first_chunk, 1, &children, block_rows)
}

fn append(bytes: &mut Vec<u8>, part: &[u8]) -> u64 {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let at = bytes.len() as u64;
    bytes.extend_from_slice(part);
    at
}

fn patch(bytes: &mut [u8], at: u64, part: &[u8]) {
    bytes[at as usize..at as usize + part.len()].copy_from_slice(part);
}

/// One level of the B-trees. All columns have trees of the same shape; their nodes lie side by side.
#[derive(Debug)]
struct Level {
    nodes: u64,
    used: u64,
}

/// The file and the block that is being filled.
#[derive(Debug)]
struct Store {
    file: File,
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
    outcome_at: u64,
    dropped_at: u64,
}

impl Store {
    fn new(file: File, image: Image, columns: usize, block_rows: usize) -> Self {
        let from = EXTENTS as usize;
        Self {
            file,
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
            outcome_at: image.outcome_at,
            dropped_at: image.dropped_at,
        }
    }

    /// Rows that are in the file.
    fn rows(&self) -> u64 {
        (self.blocks - 1) * self.block_rows as u64 + self.flushed as u64
    }

    /// Takes as many of the rows as fit into the block; says how many.
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

    /// Brings the rows of the block into the file; a full block makes room for the next.
    fn save(&mut self) -> io::Result<()> {
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

    fn next_block(&mut self) -> io::Result<()> {
        let block_bytes = self.block.len() as u64;
        if self.blocks.is_multiple_of(FANOUT) {
            self.next_leaf()?;
        } else {
            self.lengthen(self.end + block_bytes)?;
            self.block_at = self.end - block_bytes;
            self.levels[0].used += 1;
            let leaves = &self.levels[0];
            for column in 0..self.columns as u64 {
                write_at(&self.file, leaves.nodes + column * NODE + 6, &(leaves.used as u16).to_le_bytes())?;
            }
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
        self.block_at = free.next_multiple_of(PAGE);
        self.lengthen(self.block_at + self.block.len() as u64)?;
        for column in 0..columns {
            let node = leaf(chunk, self.block_at, column, columns, self.block_rows);
            write_at(&self.file, leaves + column * NODE, &node)?;
        }
        for (at, bytes) in fresh.iter().chain(&pointers) {
            write_at(&self.file, *at, bytes)?;
        }
        Ok(())
    }

    /// Adds a line; what does not fit into the area of the log is kept until the end.
    fn log_line(&mut self, line: &str) -> io::Result<()> {
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

    /// Notes how the run ended; overwrites only, so that it works on a full disk too, but for a long log.
    fn end(&mut self, outcome: &str, dropped: u64) -> io::Result<()> {
        write_at(&self.file, self.dropped_at, &dropped.to_le_bytes())?;
        let mut length = outcome.len().min(OUTCOME_SIZE);
        while !outcome.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = outcome.as_bytes()[..length].to_vec();
        bytes.resize(OUTCOME_SIZE, 0);
        write_at(&self.file, self.outcome_at, &bytes)?;
        if self.log.len() > LOG_AREA {
            let at = self.end.next_multiple_of(8);
            self.lengthen(at + self.log.len() as u64)?;
            write_at(&self.file, at, &self.log)?;
            write_at(&self.file, LOG_HEADER, &layout::text_dataset(at, self.log.len()))?;
        }
        self.file.sync_data()
    }
}

/// The writing thread.
struct Recorder {
    store: Store,
    ring: rtrb::Consumer<f64>,
    log_lines: mpsc::Receiver<String>,
    shared: Arc<Shared>,
    flush: Duration,
    worst: Duration,
}

impl Recorder {
    fn run(&mut self) -> Written {
        let pause = (self.flush / 4).clamp(Duration::from_micros(250), Duration::from_millis(5));
        let mut failed = false;
        let mut last = Instant::now();
        loop {
            // Read before the ring is emptied: what was pushed before the stop is then in the ring.
            let stop = self.shared.stop.load(Ordering::Acquire) || self.ring.is_abandoned();
            let result = if failed { self.discard() } else { self.carry(stop, &mut last) };
            if let Err(error) = result {
                failed = true;
                self.report(&error);
            }
            if stop {
                break;
            }
            // Only a ring that fills while this thread writes keeps it from sleeping.
            if self.ring.slots() * 4 < self.ring.buffer().capacity() {
                thread::park_timeout(pause);
            }
        }
        let outcome = self.shared.outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut outcome = outcome.unwrap_or_else(|| "interrupted".into());
        if failed {
            outcome = "interrupted: recording failed".into();
        }
        let dropped = self.shared.dropped.load(Ordering::Relaxed);
        if let Err(error) = self.store.end(&outcome, dropped) {
            self.report(&error);
        }
        Written { rows: self.store.rows(), bytes: self.store.end, worst: self.worst }
    }

    fn report(&mut self, error: &io::Error) {
        // The area of the log exists already; if it cannot be written either, `finish` still reports the failure.
        self.store.log_line(&format!("recording failed: {error}")).ok();
        let mut failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert_with(|| error.to_string());
        self.shared.failed.store(true, Ordering::Relaxed);
    }

    /// Empties the ring so that a run that waits goes on without a record.
    fn discard(&mut self) -> io::Result<()> {
        let slots = self.ring.slots();
        if let Ok(chunk) = self.ring.read_chunk(slots) {
            chunk.commit_all();
        }
        while let Ok(line) = self.log_lines.try_recv() {
            self.store.log_line(&line).ok();
        }
        Ok(())
    }

    fn carry(&mut self, all: bool, last: &mut Instant) -> io::Result<()> {
        loop {
            let columns = self.store.columns;
            let room = (self.store.block_rows - self.store.filled) * columns;
            let ready = (self.ring.slots() / columns * columns).min(room);
            let Ok(chunk) = self.ring.read_chunk(ready) else { break };
            let (first, second) = chunk.as_slices();
            self.store.take(first);
            self.store.take(second);
            chunk.commit_all();
            if self.store.filled < self.store.block_rows {
                break;
            }
            let begin = Instant::now();
            self.store.save()?;
            self.store.next_block()?;
            *last = Instant::now();
            self.worst = self.worst.max(*last - begin);
        }
        if all || last.elapsed() >= self.flush {
            let begin = Instant::now();
            self.store.save()?;
            *last = Instant::now();
            self.worst = self.worst.max(*last - begin);
        }
        while let Ok(line) = self.log_lines.try_recv() {
            self.store.log_line(&line)?;
        }
        Ok(())
    }
}
