//! The file as it is before the first row: everything known by then, and room for what comes.

use crate::layout::{
    self, COLUMN_TREE_FIELD, EVIDENCE_HEADER, EXTENT_SIZE, EXTENTS, FANOUT, FORMAT, LOG_AREA, LOG_HEADER, NODE,
    OUTCOME_SIZE, PAGE, RUNNING,
};
use crate::{ChannelInfo, Error, Meta, Result, identifiers};

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
            ("evidence", EVIDENCE_HEADER),
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
