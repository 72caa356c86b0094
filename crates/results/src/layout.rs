//! What is inside a result file, and the few HDF5 structures it needs.
//!
//! ```text
//! /                 attributes: format, format_version, title, program, version, created, outcome, dropped
//! /time             f64[n], attribute unit = "s"
//! /channels/<name>  f64[n] each, attributes name, unit, quantity, description
//! /settings         one attribute per setting, a text or a number; the unit of a number is the attribute <setting>_unit
//! /model            the model file, one text
//! /log              the log, one text
//! /evidence         what was found when the run had ended, one text (JSON); empty until then
//! ```
//!
//! A channel has the name it has in the model; only a slash, which HDF5 reads as a path, becomes `∕` (U+2215), and the
//! attribute `name` keeps it. Texts are UTF-8. In Python `f["channels/roof.ux"].attrs["unit"]` is a `str`, `f["settings"].attrs["dt"]` a
//! number, and a whole text is `f["model"].asstr("utf-8")[()]`. Files of version 1 (texts of fixed length in all attributes,
//! identifiers for names of channels) are read as well.
//!
//! The HDF5 dialect is the oldest one (super-block 0, object headers 1, version-1 B-trees), which every HDF5 library
//! since 1.8 reads and which has no checksums: a number can be changed in place by a write of eight bytes.
//! Rows are stored in blocks: a block holds `block_rows` values of the time, then of the first channel, and so on, so
//! that each column is an ordinary chunked data set. The order of writes makes the file valid at every moment:
//!
//! 1. A new block: the file is lengthened, then the end-of-file address in the super-block is raised, then the block is
//!    entered in the B-tree of each column (a leaf is written with all its future addresses, which are known, so that
//!    entering a block raises one counter).
//! 2. Rows: the values are written, then the lengths of all columns. All lengths lie together in the first page of the
//!    file (continuation blocks of the object headers) and are written at once: up to 112 columns change together;
//!    beyond that a kill may leave some columns shorter, and [`Reader`](crate::Reader) takes the shortest.
//!
//! A block that is not full is completed in place, so flushing often costs no space. Libraries were tried first:
//! `hdf5-pure` 0.47 appends rank-1 data safely but writes a partly filled chunk anew at every flush (a file of 21 columns
//! flushed every 50 rows came out 21 times too large); `hdf5-metno` needs a C library.

use std::fs::File;
use std::io;

use crate::heap::Reference;

/// Rows per block unless told otherwise.
pub const DEFAULT_BLOCK_ROWS: usize = 1024;
/// Bytes kept free for the log while the run goes on.
pub(crate) const LOG_AREA: usize = 64 * 1024;
/// Bytes kept for the outcome.
pub(crate) const OUTCOME_SIZE: usize = 256;
/// The outcome of a run that has not ended.
pub(crate) const RUNNING: &str = "running";
/// What the attribute `format` of the root says.
pub(crate) const FORMAT: &str = "interfield-result";
/// What its attribute `format_version` says.
pub(crate) const VERSION: u64 = 2;

pub(crate) const UNDEFINED: u64 = u64::MAX;
pub(crate) const PAGE: u64 = 4096;
/// Children of a B-tree node (2 K with the default K = 32).
pub(crate) const FANOUT: u64 = 64;
/// Bytes of a B-tree node: header, 65 keys of 24 bytes, 64 addresses.
pub(crate) const NODE: u64 = 24 + 65 * 24 + 64 * 8;
/// Where the end-of-file address lies.
pub(crate) const EOF_FIELD: u64 = 40;
/// Where the object header of the log begins.
pub(crate) const LOG_HEADER: u64 = 96;
/// Where the object header of the evidence begins, right behind.
pub(crate) const EVIDENCE_HEADER: u64 = 192;
/// Where the lengths of the columns begin, 32 bytes for each.
pub(crate) const EXTENTS: u64 = 512;
pub(crate) const EXTENT_SIZE: u64 = 32;

pub(crate) const MSG_DATASPACE: u16 = 0x01;
pub(crate) const MSG_LINK_INFO: u16 = 0x02;
pub(crate) const MSG_DATATYPE: u16 = 0x03;
pub(crate) const MSG_FILL: u16 = 0x05;
pub(crate) const MSG_LINK: u16 = 0x06;
pub(crate) const MSG_LAYOUT: u16 = 0x08;
pub(crate) const MSG_GROUP_INFO: u16 = 0x0a;
pub(crate) const MSG_ATTRIBUTE: u16 = 0x0c;
pub(crate) const MSG_CONTINUATION: u16 = 0x10;

/// An object header of version 1 from its messages, the number of messages in a continuation block added.
pub(crate) fn object_header(messages: &[(u16, Vec<u8>)], elsewhere: u16) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, data) in messages {
        body.extend_from_slice(&message(*kind, data));
    }
    let mut out = vec![1, 0];
    out.extend_from_slice(&(messages.len() as u16 + elsewhere).to_le_bytes());
    out.extend_from_slice(&1u32.to_le_bytes());
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&body);
    out
}

fn message(kind: u16, data: &[u8]) -> Vec<u8> {
    let padded = data.len().next_multiple_of(8);
    let mut out = Vec::with_capacity(8 + padded);
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&(padded as u16).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(data);
    out.resize(8 + padded, 0);
    out
}

pub(crate) fn type_f64() -> Vec<u8> {
    let mut out = vec![0x11, 0x20, 0x3f, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52];
    out.extend_from_slice(&1023u32.to_le_bytes());
    out
}

pub(crate) fn type_u64() -> Vec<u8> {
    vec![0x10, 0, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0]
}

/// Text of a fixed length, filled up with zeros, UTF-8.
pub(crate) fn type_text(size: usize) -> Vec<u8> {
    let mut out = vec![0x13, 0x11, 0, 0];
    out.extend_from_slice(&(size as u32).to_le_bytes());
    out
}

pub(crate) fn space_scalar() -> Vec<u8> {
    vec![1, 0, 0, 0, 0, 0, 0, 0]
}

/// The whole continuation block that holds the length of one column.
pub(crate) fn extent_block(rows: u64) -> Vec<u8> {
    let mut data = vec![1, 1, 1, 0, 0, 0, 0, 0];
    data.extend_from_slice(&rows.to_le_bytes());
    data.extend_from_slice(&UNDEFINED.to_le_bytes());
    message(MSG_DATASPACE, &data)
}

pub(crate) fn attribute(name: &str, datatype: &[u8], value: &[u8]) -> (u16, Vec<u8>) {
    let space = space_scalar();
    let mut out = vec![3, 0];
    out.extend_from_slice(&(name.len() as u16 + 1).to_le_bytes());
    out.extend_from_slice(&(datatype.len() as u16).to_le_bytes());
    out.extend_from_slice(&(space.len() as u16).to_le_bytes());
    out.push(1);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
    out.extend_from_slice(datatype);
    out.extend_from_slice(&space);
    out.extend_from_slice(value);
    (MSG_ATTRIBUTE, out)
}

/// An attribute that refers to a text in a heap: UTF-8 of any length, whose letters have the type of a byte.
pub(crate) fn text_attribute(name: &str, text: Reference) -> (u16, Vec<u8>) {
    let mut datatype = vec![0x19, 0x01, 0x01, 0, 16, 0, 0, 0];
    datatype.extend_from_slice(&[0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0]);
    attribute(name, &datatype, &text)
}

pub(crate) fn number_attribute(name: &str, value: f64) -> (u16, Vec<u8>) {
    attribute(name, &type_f64(), &value.to_le_bytes())
}

pub(crate) fn count_attribute(name: &str, value: u64) -> (u16, Vec<u8>) {
    attribute(name, &type_u64(), &value.to_le_bytes())
}

pub(crate) fn continuation(at: u64, length: u64) -> (u16, Vec<u8>) {
    let mut out = at.to_le_bytes().to_vec();
    out.extend_from_slice(&length.to_le_bytes());
    (MSG_CONTINUATION, out)
}

/// The messages that make a group of links, which keep their order.
pub(crate) fn group(links: &[(&str, u64)]) -> Vec<(u16, Vec<u8>)> {
    let mut info = vec![0, 1];
    info.extend_from_slice(&(links.len() as u64).to_le_bytes());
    info.extend_from_slice(&UNDEFINED.to_le_bytes());
    info.extend_from_slice(&UNDEFINED.to_le_bytes());
    let mut messages = vec![(MSG_LINK_INFO, info), (MSG_GROUP_INFO, vec![0, 0])];
    for (order, (name, address)) in links.iter().enumerate() {
        // With its place in the order, UTF-8, and a length of two bytes.
        let mut link = vec![1, 0x04 | 0x10 | 0x01];
        link.extend_from_slice(&(order as u64).to_le_bytes());
        link.push(1);
        link.extend_from_slice(&(name.len() as u16).to_le_bytes());
        link.extend_from_slice(name.as_bytes());
        link.extend_from_slice(&address.to_le_bytes());
        messages.push((MSG_LINK, link));
    }
    messages
}

/// The object header of a text that lies at an address.
///
/// The text is UTF-8 but called ASCII: Octave reads all as ASCII, and the HDF5 library refuses to give it UTF-8, which
/// would end the loading of the whole file.
pub(crate) fn text_dataset(address: u64, size: usize) -> Vec<u8> {
    let mut datatype = type_text(size);
    datatype[1] = 0x01;
    let mut layout = vec![3, 1];
    layout.extend_from_slice(&address.to_le_bytes());
    layout.extend_from_slice(&(size as u64).to_le_bytes());
    object_header(
        &[
            (MSG_DATASPACE, space_scalar()),
            (MSG_DATATYPE, datatype),
            (MSG_FILL, vec![2, 1, 2, 0]),
            (MSG_LAYOUT, layout),
        ],
        0,
    )
}

/// Where in the header that [`column_dataset`] makes the address of the B-tree lies.
pub(crate) const COLUMN_TREE_FIELD: u64 = 16 + 8 + 3;

/// The object header of a column.
pub(crate) fn column_dataset(tree: u64, block_rows: usize, extent_at: u64, attributes: Vec<(u16, Vec<u8>)>) -> Vec<u8> {
    let mut layout = vec![3, 2, 2];
    layout.extend_from_slice(&tree.to_le_bytes());
    layout.extend_from_slice(&(block_rows as u32).to_le_bytes());
    layout.extend_from_slice(&8u32.to_le_bytes());
    let mut messages = vec![
        (MSG_LAYOUT, layout),
        (MSG_DATATYPE, type_f64()),
        (MSG_FILL, vec![2, 3, 2, 0]),
        continuation(extent_at, EXTENT_SIZE),
    ];
    messages.extend(attributes);
    object_header(&messages, 1)
}

pub(crate) fn superblock(end: u64, root: u64) -> Vec<u8> {
    let mut out = b"\x89HDF\r\n\x1a\n".to_vec();
    out.extend_from_slice(&[0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0]);
    for word in [0, UNDEFINED, end, UNDEFINED, 0, root, 0, 0, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out
}

/// A key of a chunk B-tree: bytes of the chunk and its first row.
pub(crate) fn tree_key(chunk: u64, block_rows: usize) -> [u8; 24] {
    let mut key = [0; 24];
    key[..4].copy_from_slice(&(block_rows as u32 * 8).to_le_bytes());
    key[8..16].copy_from_slice(&(chunk * block_rows as u64).to_le_bytes());
    key
}

/// A B-tree node with consecutive children; `span` is the number of chunks below each child.
pub(crate) fn tree_node(
    level: u8,
    used: u16,
    first_chunk: u64,
    span: u64,
    children: &[u64],
    block_rows: usize,
) -> Vec<u8> {
    let mut out = b"TREE".to_vec();
    out.extend_from_slice(&[1, level]);
    out.extend_from_slice(&used.to_le_bytes());
    out.extend_from_slice(&UNDEFINED.to_le_bytes());
    out.extend_from_slice(&UNDEFINED.to_le_bytes());
    for (i, child) in children.iter().enumerate() {
        out.extend_from_slice(&tree_key(first_chunk + i as u64 * span, block_rows));
        out.extend_from_slice(&child.to_le_bytes());
    }
    out.extend_from_slice(&tree_key(first_chunk + children.len() as u64 * span, block_rows));
    out.resize(NODE as usize, 0);
    out
}

/// Reads exactly, at a place.
pub(crate) fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
    }
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut handle = file;
        handle.seek(SeekFrom::Start(at))?;
        handle.read_exact(buffer)
    }
}

/// Writes all, at a place.
pub(crate) fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
    }
    #[cfg(not(unix))]
    {
        use std::io::{Seek, SeekFrom, Write};
        let mut handle = file;
        handle.seek(SeekFrom::Start(at))?;
        handle.write_all(bytes)
    }
}
