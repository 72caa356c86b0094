//! The stream as MCAP (<https://mcap.dev/spec>): a file, or live over HTTP. Records without chunks and without an index, as the
//! specification allows for what is written while it happens; messages are JSON with a JSON Schema.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::events::Event;
use crate::hub::{Hub, Outlet, Stamps};
use crate::topic::{Column, Topic};

const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];
const HEADER: u8 = 0x01;
const FOOTER: u8 = 0x02;
const SCHEMA: u8 = 0x03;
const CHANNEL: u8 = 0x04;
const MESSAGE: u8 = 0x05;
const DATA_END: u8 = 0x0f;
/// Number of the channel of events; topics are counted from 1.
const EVENTS: u16 = u16::MAX;

/// A row as a JSON object: its columns by their names. One without a name holds nothing.
pub(crate) fn row_json(columns: &[Column], row: &[f64]) -> Value {
    let entries = columns.iter().zip(row).filter(|(c, _)| c.is_named()).map(|(c, x)| (c.name.clone(), json!(x)));
    Value::Object(entries.collect::<Map<String, Value>>())
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Writes the stream as it comes.
pub(crate) struct Writer<W: Write> {
    out: W,
    /// Messages of each channel that is known.
    known: BTreeMap<u16, u32>,
}

impl<W: Write> Writer<W> {
    /// Begins a stream.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        let mut writer = Writer { out, known: BTreeMap::new() };
        let mut header = Vec::new();
        text(&mut header, "");
        text(&mut header, concat!("interfield ", env!("CARGO_PKG_VERSION")));
        writer.record(HEADER, &header)?;
        Ok(writer)
    }

    fn record(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        self.out.write_all(&[kind])?;
        self.out.write_all(&(content.len() as u64).to_le_bytes())?;
        self.out.write_all(content)
    }

    fn channel(&mut self, number: u16, name: &str, schema: &Value) -> io::Result<()> {
        if self.known.contains_key(&number) {
            return Ok(());
        }
        self.known.insert(number, 0);
        let mut content = number.to_le_bytes().to_vec();
        text(&mut content, name);
        text(&mut content, "jsonschema");
        text(&mut content, &schema.to_string());
        self.record(SCHEMA, &content)?;
        let mut content = [number.to_le_bytes(), number.to_le_bytes()].concat();
        text(&mut content, &format!("/{name}"));
        text(&mut content, "json");
        // No metadata.
        content.extend(0u32.to_le_bytes());
        self.record(CHANNEL, &content)
    }

    fn message(&mut self, number: u16, stamp: u64, value: &Value) -> io::Result<()> {
        let count = self.known.entry(number).or_default();
        let mut content = number.to_le_bytes().to_vec();
        content.extend(count.to_le_bytes());
        *count = count.wrapping_add(1);
        content.extend(stamp.to_le_bytes());
        content.extend(stamp.to_le_bytes());
        content.extend(value.to_string().as_bytes());
        self.record(MESSAGE, &content)
    }

    pub(crate) fn rows(&mut self, index: usize, topic: &Topic, stamps: Stamps, rows: &[f64]) -> io::Result<()> {
        let number = u16::try_from(index + 1).unwrap_or(EVENTS - 1);
        if !self.known.contains_key(&number) {
            let property = |c: &Column| (c.name.clone(), json!({ "type": ["number", "null"], "description": c.unit }));
            let properties: Map<String, Value> = topic.columns.iter().filter(|c| c.is_named()).map(property).collect();
            self.channel(number, &topic.name, &json!({ "type": "object", "properties": properties }))?;
        }
        for (i, row) in rows.chunks_exact(topic.columns.len().max(1)).enumerate() {
            self.message(number, stamps.of(i), &row_json(&topic.columns, row))?;
        }
        Ok(())
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        let schema = json!({ "type": "object", "properties": {
            "t": { "type": "number" }, "kind": { "type": "string" }, "text": { "type": "string" }, "who": { "type": "string" },
        } });
        self.channel(EVENTS, "events", &schema)?;
        // One of a test that is played back has no time of its own.
        let stamp = if event.stamp > 0.0 { event.stamp } else { crate::hub::now_ms() };
        self.message(EVENTS, (stamp * 1e6) as u64, &event.json())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.record(DATA_END, &0u32.to_le_bytes())?;
        self.record(FOOTER, &[0; 20])?;
        self.out.write_all(&MAGIC)?;
        self.out.flush()
    }
}

/// A file that takes the stream; what cannot be written ends it, and is said once.
pub struct McapFile {
    writer: Option<Writer<BufWriter<File>>>,
    name: String,
    /// Why it ended early, until that was told.
    trouble: Option<String>,
}

impl McapFile {
    /// Makes the file.
    ///
    /// # Errors
    /// A sentence.
    pub fn create(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let file = File::options().write(true).create_new(true).open(path);
        let file = file.map_err(|e| format!("`{name}` cannot be written: {e}"))?;
        let writer = Writer::new(BufWriter::new(file)).map_err(|e| format!("`{name}` cannot be written: {e}"))?;
        Ok(McapFile { writer: Some(writer), name, trouble: None })
    }

    fn attempt(&mut self, write: impl FnOnce(&mut Writer<BufWriter<File>>) -> io::Result<()>) {
        if let Some(Err(e)) = self.writer.as_mut().map(write) {
            self.give_up(&e);
        }
    }

    /// What is in the file can be read; what comes now is not in it. The test and its recording go on.
    fn give_up(&mut self, e: &io::Error) {
        // Where that is impossible there is nobody to tell.
        let _ = writeln!(io::stderr(), "warning: writing {} failed: {e}", self.name);
        self.trouble = Some(format!("writing {} failed: {e}", self.name));
        // What its buffer holds would only fail again.
        if let Some(writer) = self.writer.take() {
            drop(writer.out.into_parts());
        }
    }
}

impl Outlet for McapFile {
    fn rows(&mut self, index: usize, topic: &Topic, stamps: Stamps, rows: &[f64]) {
        self.attempt(|w| w.rows(index, topic, stamps, rows));
    }

    fn event(&mut self, event: &Event) {
        self.attempt(|w| w.event(event).and_then(|()| w.flush()));
    }

    fn trouble(&mut self) -> Option<[String; 2]> {
        let advice = "Free some disk space. The test and its recording are not affected; this file ends here.";
        self.trouble.take().map(|what| [what, advice.to_owned()])
    }

    fn end(&mut self) {
        self.attempt(Writer::end);
        self.writer = None;
    }
}

/// Sends the stream from now on to whoever asked for it, until one of them ends.
pub(crate) fn stream(hub: &Hub, stream: TcpStream, ended: &AtomicBool) {
    // However it ends, it is this reader that ends.
    let _ = send(hub, stream, ended);
}

fn send(hub: &Hub, mut stream: TcpStream, ended: &AtomicBool) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n")?;
    let mut writer = Writer::new(BufWriter::new(stream))?;
    let mut topics = hub.topics();
    let (mut last, mut seen) = (hub.turns(0).last().map_or(0, |t| t.number), 0);
    loop {
        let ends = ended.load(Ordering::Acquire);
        let (events, next) = hub.events(seen);
        seen = next;
        events.iter().try_for_each(|event| writer.event(event))?;
        for turn in hub.turns(last) {
            last = turn.number;
            for (index, rows) in &turn.blocks {
                // Rigs come with the loop, perhaps after whoever reads here.
                if *index >= topics.len() {
                    topics = hub.topics();
                }
                if let Some(topic) = topics.get(*index).filter(|t| t.open) {
                    let count = rows.len() / topic.columns.len().max(1);
                    let stamps = hub.stamps(turn.since, turn.clock, count);
                    writer.rows(*index, topic, stamps, rows)?;
                }
            }
        }
        if ends {
            return writer.end();
        }
        writer.flush()?;
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Kind;

    /// A device that is always full takes the place of a disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_ends_the_file_and_is_told_once() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let writer = Writer::new(BufWriter::new(file)).unwrap();
        let mut outlet = McapFile { writer: Some(writer), name: "stream.mcap".into(), trouble: None };
        assert!(outlet.trouble().is_none());
        outlet.event(&Event::now(Kind::Note, 1.0, "crack"));
        let [what, advice] = outlet.trouble().unwrap();
        assert!(what.contains("stream.mcap") && advice.contains("not affected"), "{what}");
        outlet.event(&Event::now(Kind::Note, 2.0, "another"));
        outlet.end();
        assert!(outlet.trouble().is_none(), "it is told once");
    }
}
