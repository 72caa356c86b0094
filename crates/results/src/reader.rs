//! Reading result files, complete, killed or still growing.

use crate::heap;
use crate::image::unit_name;
use crate::layout::{self, FANOUT, FORMAT, NODE, RUNNING, VERSION, read_at};
use crate::{ChannelInfo, Error, Meta, Result, Setting, io_error};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The run came to its end; the text says how.
    Finished(String),
    /// The run was stopped before its end; the text says why.
    Interrupted(String),
    /// The file says nothing: the run was killed, or it is still going.
    Unknown,
}

impl Outcome {
    /// How a run ended, in words.
    pub fn words(&self) -> String {
        match self {
            Outcome::Finished(text) | Outcome::Interrupted(text) => text.clone(),
            Outcome::Unknown => "unknown: the run was killed or is still running".to_owned(),
        }
    }
}

/// A result file, open for reading. Memory does not grow with the file.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: File,
    meta: Meta,
    channels: Vec<ChannelInfo>,
    columns: Vec<Column>,
    block_rows: u64,
    rows: u64,
    outcome: Outcome,
    dropped: u64,
    log: String,
    /// Place and length of the evidence.
    evidence: Option<(u64, u64)>,
}

#[derive(Debug)]
struct Column {
    tree: u64,
    rows: u64,
    /// The leaf used last: number and addresses.
    leaf: Mutex<(u64, Vec<u64>)>,
}

/// Some consecutive rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Number of the first row.
    pub start: u64,
    /// The times of the rows.
    pub time: Vec<f64>,
    /// The values of each channel asked for.
    pub channels: Vec<Vec<f64>>,
}

/// The rows of a file, some at a time.
#[derive(Debug)]
pub struct Chunks<'a> {
    reader: &'a Reader,
    channels: Vec<usize>,
    size: u64,
    next: u64,
    end: u64,
}

type Plain<T> = std::result::Result<T, String>;

impl Reader {
    /// Opens a result file. A killed one opens as well: it has the rows that all channels have.
    ///
    /// Only files of this crate are read, not HDF5 in general: a file rewritten by another program is refused.
    ///
    /// # Errors
    /// When the file cannot be read or is no result file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(io_error(path))?;
        let length = file.metadata().map_err(io_error(path))?.len();
        let parser = Parser { file: &file, length, heaps: RefCell::default() };
        let parsed = parser.parse().map_err(|what| Error::Format { path: path.to_path_buf(), what })?;
        let Parsed { meta, channels, columns, block_rows, outcome, dropped, log, evidence } = parsed;
        let rows = columns.iter().map(|c| c.rows).min().unwrap_or(0);
        let path = path.to_path_buf();
        Ok(Self { path, file, meta, channels, columns, block_rows, rows, outcome, dropped, log, evidence })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was known before the run.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The channels, in the order in which they were recorded; the time is none of them.
    pub fn channels(&self) -> &[ChannelInfo] {
        &self.channels
    }

    /// The number of the channel of a name.
    pub fn channel(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|c| c.name == name)
    }

    /// Rows that all channels have.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that were refused while the run went on.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How the run ended.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The log, as far as it was written.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Whether it has a place for evidence.
    pub(crate) fn takes_evidence(&self) -> bool {
        self.evidence.is_some()
    }

    /// What was found when the run had ended, see [`attach`](crate::attach); empty if nothing was.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn evidence(&self) -> Result<String> {
        let Some((at, length)) = self.evidence else { return Ok(String::new()) };
        let mut bytes = vec![0; length as usize];
        read_at(&self.file, at, &mut bytes).map_err(io_error(&self.path))?;
        Ok(text(&bytes))
    }

    /// Values of a channel; a range beyond the end is cut.
    ///
    /// # Errors
    /// When there is no such channel or the file cannot be read.
    pub fn read(&self, channel: usize, range: Range<u64>) -> Result<Vec<f64>> {
        self.column(channel.saturating_add(1), range)
    }

    /// Times of rows; a range beyond the end is cut.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn time(&self, range: Range<u64>) -> Result<Vec<f64>> {
        self.column(0, range)
    }

    /// All rows of some channels, `size` rows at a time (0: a size that reads well).
    pub fn chunks(&self, channels: &[usize], size: u64) -> Chunks<'_> {
        let size = if size == 0 { 16 * self.block_rows } else { size };
        Chunks { reader: self, channels: channels.to_vec(), size, next: 0, end: self.rows }
    }

    fn column(&self, column: usize, range: Range<u64>) -> Result<Vec<f64>> {
        let Some(source) = self.columns.get(column) else {
            return Err(Error::Invalid(format!("channel {} of {}", column.saturating_sub(1), self.channels.len())));
        };
        let (start, end) = (range.start.min(self.rows), range.end.min(self.rows));
        let mut values = Vec::with_capacity(end.saturating_sub(start) as usize);
        let mut bytes = Vec::new();
        let mut row = start;
        while row < end {
            let (chunk, offset) = (row / self.block_rows, row % self.block_rows);
            let count = (self.block_rows - offset).min(end - row);
            let at = self.chunk(source, chunk)? + offset * 8;
            bytes.resize(count as usize * 8, 0);
            read_at(&self.file, at, &mut bytes).map_err(io_error(&self.path))?;
            values.extend(bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default())));
            row += count;
        }
        Ok(values)
    }

    /// The address of a chunk. Leaves are always full but for the last, so the way down is the number in base 64.
    fn chunk(&self, column: &Column, chunk: u64) -> Result<u64> {
        let damaged = |what: &str| Error::Format { path: self.path.clone(), what: what.to_owned() };
        let mut cached = column.leaf.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, index) = (chunk / FANOUT, (chunk % FANOUT) as usize);
        if cached.0 == number
            && let Some(address) = cached.1.get(index)
        {
            return Ok(*address);
        }
        let mut at = column.tree;
        let mut above = u8::MAX;
        let mut node = vec![0; NODE as usize];
        loop {
            read_at(&self.file, at, &mut node).map_err(io_error(&self.path))?;
            let (level, used) = (node[5], usize::from(u16::from_le_bytes([node[6], node[7]])));
            if &node[..5] != b"TREE\x01" || level >= above || level > 9 || used > FANOUT as usize {
                return Err(damaged("an index node is damaged"));
            }
            let addresses: Vec<u64> = (0..used).map(|i| word(&node, 24 + i * 32 + 24)).collect();
            if level == 0 {
                let address = addresses.get(index).copied().ok_or_else(|| damaged("the index is too short"))?;
                *cached = (number, addresses);
                return Ok(address);
            }
            let digit = (chunk >> (6 * u32::from(level))) & (FANOUT - 1);
            at = addresses.get(digit as usize).copied().ok_or_else(|| damaged("the index is too short"))?;
            above = level;
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let range = self.next..(self.next + self.size).min(self.end);
        self.next = range.end;
        let read = || {
            let time = self.reader.time(range.clone())?;
            let channels = self.channels.iter().map(|c| self.reader.read(*c, range.clone())).collect::<Result<_>>()?;
            Ok(Chunk { start: range.start, time, channels })
        };
        let chunk = read();
        if chunk.is_err() {
            self.next = self.end;
        }
        Some(chunk)
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn short(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |b| usize::from(u16::from_le_bytes([b[0], b[1]])))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

struct Parsed {
    meta: Meta,
    channels: Vec<ChannelInfo>,
    columns: Vec<Column>,
    block_rows: u64,
    outcome: Outcome,
    dropped: u64,
    log: String,
    evidence: Option<(u64, u64)>,
}

struct Parser<'a> {
    file: &'a File,
    length: u64,
    /// Collections of texts that were read, by their addresses.
    heaps: RefCell<HashMap<u64, Vec<u8>>>,
}

#[derive(Default)]
struct Object {
    links: Vec<(String, u64)>,
    attributes: Vec<(String, Stored)>,
    layout: Vec<u8>,
    space: Vec<u8>,
}

/// What an attribute holds.
enum Stored {
    Text(String),
    Count(u64),
    Number(f64),
}

impl Object {
    fn attribute(&self, name: &str) -> Option<&Stored> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> String {
        match self.attribute(name) {
            Some(Stored::Text(text)) => text.clone(),
            _ => String::new(),
        }
    }

    fn count(&self, name: &str) -> Option<u64> {
        match self.attribute(name) {
            Some(Stored::Count(n)) => Some(*n),
            _ => None,
        }
    }

    /// Its attributes as settings, a number with the unit that stands beside it.
    fn settings(&self) -> Vec<(String, Setting)> {
        let is_number = |name: &str| matches!(self.attribute(name), Some(Stored::Number(_)));
        let unit = |name: &str| self.text(&unit_name(name));
        let is_unit = |name: &str| self.attributes.iter().any(|(n, _)| is_number(n) && unit_name(n) == name);
        let own = self.attributes.iter().filter(|(name, _)| !is_unit(name));
        let setting = |(name, stored): &(String, Stored)| {
            let setting = match stored {
                Stored::Text(text) => Setting::Text(text.clone()),
                Stored::Count(n) => Setting::Count(*n),
                Stored::Number(value) => Setting::Number(*value, unit(name)),
            };
            (name.clone(), setting)
        };
        own.map(setting).collect()
    }

    fn link(&self, name: &str) -> Plain<u64> {
        let found = self.links.iter().find(|(n, _)| n == name);
        found.map(|(_, address)| *address).ok_or_else(|| format!("`{name}` is missing"))
    }
}

impl Parser<'_> {
    fn bytes(&self, at: u64, length: u64) -> Plain<Vec<u8>> {
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            return Err("it is truncated".into());
        }
        let mut bytes = vec![0; length as usize];
        read_at(self.file, at, &mut bytes).map_err(|e| e.to_string())?;
        Ok(bytes)
    }

    fn parse(&self) -> Plain<Parsed> {
        let head = self.bytes(0, 96).map_err(|_| "it is too short".to_owned())?;
        if &head[..8] != b"\x89HDF\r\n\x1a\n" {
            return Err("it is not an HDF5 file".into());
        }
        let foreign = || "it is an HDF5 file of another program".to_owned();
        if head[8] != 0 {
            return Err(foreign());
        }
        let root = self.object(word(&head, 64)).map_err(|_| foreign())?;
        if root.text("format") != FORMAT {
            return Err(foreign());
        }
        let version = root.count("format_version").or_else(|| root.text("format_version").parse().ok()).unwrap_or(0);
        if !(1..=VERSION).contains(&version) {
            return Err(format!(
                "its format has version {version}, and this program reads up to version {VERSION}: a newer Interfield reads it"
            ));
        }

        let (time, mut block_rows) = self.column(&self.object(root.link("time")?)?)?;
        let mut columns = vec![time];
        let mut channels = Vec::new();
        for (_, address) in self.object(root.link("channels")?)?.links {
            let object = self.object(address)?;
            let (column, rows) = self.column(&object)?;
            if rows != block_rows {
                block_rows = 0;
            }
            columns.push(column);
            channels.push(ChannelInfo {
                name: object.text("name"),
                unit: object.text("unit"),
                quantity: object.text("quantity"),
                description: object.text("description"),
            });
        }
        if block_rows == 0 {
            return Err("the blocks have no size, or different sizes".into());
        }

        let settings = self.object(root.link("settings")?)?.settings();
        let outcome = match root.text("outcome") {
            o if o == RUNNING => Outcome::Unknown,
            o if o.starts_with("interrupted") => Outcome::Interrupted(o),
            o => Outcome::Finished(o),
        };
        let meta = Meta {
            title: root.text("title"),
            program: root.text("program"),
            version: root.text("version"),
            created: root.text("created"),
            model_text: self.text_dataset(root.link("model")?)?,
            settings,
        };
        let dropped = root.count("dropped").unwrap_or(0);
        let log = self.text_dataset(root.link("log")?)?;
        // Files of earlier versions have none.
        let evidence = root.link("evidence").and_then(|at| self.text_place(at)).ok();
        Ok(Parsed { meta, channels, columns, block_rows, outcome, dropped, log, evidence })
    }

    fn column(&self, object: &Object) -> Plain<(Column, u64)> {
        let layout = &object.layout;
        if layout.len() < 19 || layout[..3] != [3, 2, 2] || object.space.len() < 16 || object.space[1] != 1 {
            return Err("a channel is stored in an unknown way".into());
        }
        let block_rows = word(layout, 11) & 0xffff_ffff;
        let column =
            Column { tree: word(layout, 3), rows: word(&object.space, 8), leaf: Mutex::new((u64::MAX, Vec::new())) };
        // A row needs its eight bytes: a damaged length must not ask for more memory than the file has.
        if column.rows > self.length / 8 {
            return Err("a channel is longer than the file".into());
        }
        Ok((column, block_rows))
    }

    fn text_dataset(&self, at: u64) -> Plain<String> {
        let (at, length) = self.text_place(at)?;
        Ok(text(&self.bytes(at, length)?))
    }

    /// Place and length of a text, which lies within the file.
    fn text_place(&self, at: u64) -> Plain<(u64, u64)> {
        let object = self.object(at)?;
        if object.layout.len() < 18 || object.layout[..2] != [3, 1] {
            return Err("a text is stored in an unknown way".into());
        }
        let (at, length) = (word(&object.layout, 2), word(&object.layout, 10));
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            return Err("it is truncated".into());
        }
        Ok((at, length))
    }

    fn attribute(&self, data: &[u8]) -> Option<(String, Stored)> {
        if *data.first()? != 3 {
            return None;
        }
        let name = data.get(9..9 + short(data, 2))?;
        let datatype = data.get(9 + name.len()..)?.get(..short(data, 4))?;
        let size = (word(datatype, 0) >> 32) as usize;
        let value = data.get(9 + name.len() + datatype.len() + short(data, 6)..)?.get(..size)?;
        let stored = match datatype.first()? & 0x0f {
            0 if size == 8 => Stored::Count(word(value, 0)),
            1 if size == 8 => Stored::Number(f64::from_bits(word(value, 0))),
            3 => Stored::Text(text(value)),
            9 => Stored::Text(self.kept(value)?),
            _ => return None,
        };
        Some((text(name), stored))
    }

    /// The text that an attribute refers to.
    fn kept(&self, reference: &[u8]) -> Option<String> {
        let (length, at) = (word(reference, 0) & 0xffff_ffff, word(reference, 4));
        let number = (word(reference, 8) >> 32) as u32;
        if length == 0 {
            return Some(String::new());
        }
        let mut heaps = self.heaps.borrow_mut();
        if let std::collections::hash_map::Entry::Vacant(entry) = heaps.entry(at) {
            let head = self.bytes(at, 16).ok().filter(|head| head.starts_with(b"GCOL"))?;
            entry.insert(self.bytes(at, word(&head, 8)).ok()?);
        }
        let object = heap::find(heaps.get(&at)?, number)?;
        Some(text(object.get(..length as usize)?))
    }

    fn object(&self, at: u64) -> Plain<Object> {
        let prefix = self.bytes(at, 16)?;
        if prefix[0] != 1 {
            return Err("an object header is damaged".into());
        }
        let size = word(&prefix, 8) & 0xffff_ffff;
        let mut object = Object::default();
        let mut blocks = vec![(at + 16, size)];
        let mut visited = 0;
        while let Some((at, size)) = blocks.pop() {
            visited += 1;
            if visited > 16 {
                return Err("an object header has no end".into());
            }
            let bytes = self.bytes(at, size)?;
            let mut rest = bytes.as_slice();
            while rest.len() >= 8 {
                let (kind, size) = (short(rest, 0) as u16, short(rest, 2));
                let Some(data) = rest.get(8..8 + size) else { return Err("an object header is damaged".into()) };
                match kind {
                    layout::MSG_CONTINUATION => blocks.push((word(data, 0), word(data, 8))),
                    layout::MSG_LAYOUT => object.layout = data.to_vec(),
                    layout::MSG_DATASPACE => object.space = data.to_vec(),
                    layout::MSG_LINK => object.links.extend(link(data)),
                    layout::MSG_ATTRIBUTE => object.attributes.extend(self.attribute(data)),
                    _ => {}
                }
                rest = &rest[8 + size..];
            }
        }
        Ok(object)
    }
}

fn link(data: &[u8]) -> Option<(String, u64)> {
    // A name of version 1 has a length of one byte.
    let (length, at) = match data.get(..2)? {
        [1, 0x14] => (usize::from(*data.get(11)?), 12),
        [1, 0x15] => (short(data, 11), 13),
        _ => return None,
    };
    let name = data.get(at..at + length)?;
    data.get(at + length..at + 8 + length)?;
    Some((String::from_utf8_lossy(name).into_owned(), word(data, at + length)))
}
