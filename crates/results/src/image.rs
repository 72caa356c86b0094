//! The file as it is before the first row: everything known by then, and room for what comes.

use crate::heap::{Heap, Reference};
use crate::layout::{
    self, COLUMN_TREE_FIELD, EVIDENCE_HEADER, EXTENT_SIZE, EXTENTS, FANOUT, FORMAT, LOG_AREA, LOG_HEADER, NODE, PAGE,
    RUNNING, VERSION,
};
use crate::{ChannelInfo, Error, Meta, Result, Setting};

/// The file as it is before the first row.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) bytes: Vec<u8>,
    /// Length of the file, the first block included.
    pub(crate) end: u64,
    /// First byte of the first block.
    pub(crate) data: u64,
    /// First B-tree node of the leaf level.
    pub(crate) leaves: u64,
    /// Where each column keeps the address of its B-tree.
    pub(crate) tree_fields: Vec<u64>,
    pub(crate) log_at: u64,
    /// Where the attribute of the outcome refers to its text, and the collection for the one at the end.
    pub(crate) outcome_field: u64,
    pub(crate) outcome_at: u64,
    pub(crate) dropped_at: u64,
}

impl Image {
    pub(crate) fn new(meta: &Meta, channels: &[ChannelInfo], block_rows: usize) -> Result<Self> {
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
        let nothing = append(&mut bytes, &[0; 8]);
        patch(&mut bytes, EVIDENCE_HEADER, &layout::text_dataset(nothing, 1));
        let model = append(&mut bytes, &layout::text_dataset(model_text_at, model_size));

        let heap = Heap::place(&mut bytes, texts(meta, channels));
        let text = |name: &str, text: &str| layout::text_attribute(name, heap.reference(text));
        let leaves = append(&mut bytes, &vec![0; (NODE * columns) as usize]);
        let mut headers = Vec::new();
        for column in 0..columns {
            let attributes = match column.checked_sub(1).and_then(|c| channels.get(c as usize)) {
                None => vec![text("unit", SECONDS)],
                Some(channel) => vec![
                    text("name", &channel.name),
                    text("unit", &channel.unit),
                    text("quantity", &channel.quantity),
                    text("description", &channel.description),
                ],
            };
            let extent_at = EXTENTS + column * EXTENT_SIZE;
            let header = layout::column_dataset(leaves + column * NODE, block_rows, extent_at, attributes);
            // The address of the tree changes during the run.
            within_a_page(&mut bytes, COLUMN_TREE_FIELD, 8);
            headers.push(append(&mut bytes, &header));
        }

        let names = link_names(channels);
        let links: Vec<(&str, u64)> = names.iter().map(String::as_str).zip(headers[1..].iter().copied()).collect();
        let channel_group = append(&mut bytes, &layout::object_header(&layout::group(&links), 0));
        let mut messages = layout::group(&[]);
        for (name, setting) in &meta.settings {
            match setting {
                Setting::Text(value) => messages.push(text(name, value)),
                Setting::Count(n) => messages.push(layout::count_attribute(name, *n)),
                Setting::Number(value, unit) => {
                    messages.push(layout::number_attribute(name, *value));
                    messages.extend((!unit.is_empty()).then(|| text(&unit_name(name), unit)));
                }
            }
        }
        let settings = append(&mut bytes, &layout::object_header(&messages, 0));

        let mut messages = layout::group(&[
            ("time", headers[0]),
            ("channels", channel_group),
            ("settings", settings),
            ("model", model),
            ("log", LOG_HEADER),
            ("evidence", EVIDENCE_HEADER),
        ]);
        let outcome_field = end_of(&mut messages, text("outcome", RUNNING)) - size_of::<Reference>() as u64;
        let dropped = end_of(&mut messages, layout::count_attribute("dropped", 0)) - 8;
        messages.extend([text("format", FORMAT), layout::count_attribute("format_version", VERSION)]);
        for (name, value) in
            [("title", &meta.title), ("program", &meta.program), ("version", &meta.version), ("created", &meta.created)]
        {
            messages.push(text(name, value));
        }
        within_a_page(&mut bytes, outcome_field, 16);
        let root = append(&mut bytes, &layout::object_header(&messages, 0));

        let data = (bytes.len() as u64).next_multiple_of(PAGE);
        let end = data + columns * block_rows as u64 * 8;
        for column in 0..columns {
            let node = leaf(0, data, column, columns, block_rows);
            patch(&mut bytes, leaves + column * NODE, &node);
        }
        patch(&mut bytes, 0, &layout::superblock(end, root));
        let tree_fields = headers.iter().map(|h| h + COLUMN_TREE_FIELD).collect();
        let (outcome_field, dropped_at) = (root + outcome_field, root + dropped);
        let outcome_at = heap.outcome_at;
        Ok(Self { bytes, end, data, leaves, tree_fields, log_at, outcome_field, outcome_at, dropped_at })
    }
}

/// Unit of the time.
const SECONDS: &str = "s";

/// Name of the attribute with the unit of a setting.
pub(crate) fn unit_name(setting: &str) -> String {
    format!("{setting}_unit")
}

/// Everything that attributes say.
fn texts<'a>(meta: &'a Meta, channels: &'a [ChannelInfo]) -> impl Iterator<Item = &'a str> {
    let of_channel = |c: &'a ChannelInfo| [&c.name, &c.unit, &c.quantity, &c.description].map(String::as_str);
    let of_setting = |(_, setting): &'a (String, Setting)| match setting {
        Setting::Text(text) | Setting::Number(_, text) => Some(text.as_str()),
        Setting::Count(_) => None,
    };
    let of_run = [&meta.title, &meta.program, &meta.version, &meta.created].map(String::as_str);
    let own = [SECONDS, RUNNING, FORMAT];
    let rest = meta.settings.iter().filter_map(of_setting).chain(channels.iter().flat_map(of_channel));
    own.into_iter().chain(of_run).chain(rest)
}

/// The names of the channels as HDF5 takes them, each once: a slash would be a path, and a dot alone is the group itself.
fn link_names(channels: &[ChannelInfo]) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let one = |c: &ChannelInfo| {
        let mut name = c.name.replace('/', "\u{2215}");
        while matches!(name.as_str(), "" | ".") || !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    channels.iter().map(one).collect()
}

/// Adds a message; says where its data end behind the beginning of the object header.
fn end_of(messages: &mut Vec<(u16, Vec<u8>)>, message: (u16, Vec<u8>)) -> u64 {
    const HEAD: usize = 16;
    let before: usize = messages.iter().map(|(_, data)| 8 + data.len().next_multiple_of(8)).sum();
    let end = HEAD + before + 8 + message.1.len();
    messages.push(message);
    end as u64
}

/// Leaves room, so that a field of what is appended next does not lie across two pages: it changes at once, also for a process
/// that is killed meanwhile.
fn within_a_page(bytes: &mut Vec<u8>, field: u64, size: u64) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    while (bytes.len() as u64 + field) % PAGE > PAGE - size {
        bytes.resize(bytes.len() + 8, 0);
    }
}

/// Refuses what the format cannot hold.
fn check(meta: &Meta, channels: &[ChannelInfo]) -> Result<()> {
    if channels.len() > 60_000 || meta.settings.len() > 60_000 {
        return Err(Error::Invalid("a result file holds at most 60 000 channels and as many settings".into()));
    }
    let mut names = std::collections::HashSet::new();
    for (name, setting) in &meta.settings {
        let own = [name.clone(), unit_name(name)];
        let used = if matches!(setting, Setting::Number(..)) { 2 } else { 1 };
        if name.is_empty() || !own.into_iter().take(used).all(|n| names.insert(n)) {
            return Err(Error::Invalid(format!("setting `{name}` is empty or given twice")));
        }
    }
    let mut names = std::collections::HashSet::new();
    if let Some(twice) = channels.iter().find(|c| !names.insert(&c.name)) {
        return Err(Error::Invalid(format!("channel `{}` is given twice", twice.name)));
    }
    for text in texts(meta, channels).chain(meta.settings.iter().map(|(name, _)| name.as_str())) {
        if text.len() > 32_000 {
            return Err(Error::Invalid(format!("a text of {} bytes is too long for an attribute", text.len())));
        }
    }
    let names = meta.settings.iter().map(|(name, _)| name.as_str());
    if texts(meta, channels).chain(names).chain([meta.model_text.as_str()]).any(|text| text.contains('\0')) {
        return Err(Error::Invalid("a text of a result file contains a zero character".into()));
    }
    let settings: usize = texts(meta, &[]).map(str::len).sum();
    if meta.model_text.len().max(settings) > 1 << 30 {
        return Err(Error::Invalid("the model text or the settings are longer than 1 GiB".into()));
    }
    Ok(())
}

/// The leaf of a column that knows its 64 blocks from `data` on, of which the first exists.
pub(crate) fn leaf(first_chunk: u64, data: u64, column: u64, columns: u64, block_rows: usize) -> Vec<u8> {
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
