//! From bytes to text.

use super::{ReadError, ReadOptions, read};
use crate::MAX_BYTES;
use crate::record::Record;

/// The message for a text beyond the limit.
pub(crate) fn too_long(bytes: usize) -> ReadError {
    ReadError::new(
        0,
        format!("{} MiB is more than a record may have ({} MiB)", bytes >> 20, MAX_BYTES >> 20),
        "a strong-motion record is a few megabytes; is this the right file?",
    )
}

/// Reads a record from bytes: UTF-8 or, for the headers of older files, Latin-1; UTF-16 with a byte-order mark;
/// archives, images and other binary content are refused by name.
pub fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Record, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(too_long(bytes.len()));
    }
    if let Some(text) = utf16(bytes) {
        let mut record = read(&text, options)?;
        record.notes.insert(0, "the text is UTF-16".to_owned());
        return Ok(record);
    }
    refuse_binary(bytes)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text, options),
        Err(e) => {
            let line = 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
            let text: String = bytes.iter().map(|&b| b as char).collect();
            let mut record = read(&text, options)?;
            record.notes.insert(0, format!("line {line} is not UTF-8; the text was read as Latin-1"));
            Ok(record)
        }
    }
}

fn utf16(bytes: &[u8]) -> Option<String> {
    let (order, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let units = rest.chunks_exact(2).map(|c| order([c[0], c[1]]));
    Some(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect())
}

/// Binary content by its first bytes, or by the control characters in it.
fn refuse_binary(bytes: &[u8]) -> Result<(), ReadError> {
    let known: [(&[u8], &str, &str); 8] = [
        (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
        (b"\x1f\x8b", "a gzip archive", "unpack it first"),
        (b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
        (b"\x89HDF", "an HDF5 file", "export the record as text"),
        (b"MATLAB 5.0", "a MAT file", "export the record as text"),
        (b"%PDF", "a PDF", "a record is a plain text file"),
        (b"\x89PNG", "an image", "a record is a plain text file"),
        (b"\xd0\xcf\x11\xe0", "an old Office file", "export the sheet as CSV"),
    ];
    if let Some((_, what, help)) = known.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Err(ReadError::new(0, format!("this is {what}, not a text"), *help));
    }
    // A closing control-Z is how MS-DOS ended a text.
    let body = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    let control = |b: &u8| *b < 9 || (14..32).contains(b) || *b == 127;
    if let Some(at) = body.iter().position(control) {
        let line = 1 + body[..at].iter().filter(|b| **b == b'\n').count();
        return Err(ReadError::new(
            line,
            format!("byte {:#04x} at offset {at} is not valid in a text: the content is binary or damaged", body[at]),
            "a record is a plain text file; export it as ASCII",
        ));
    }
    Ok(())
}

/// A page of a web site is what a download without a login usually is.
pub(crate) fn refuse_markup(text: &str) -> Result<(), ReadError> {
    let start: String = text.trim_start().chars().take(14).collect::<String>().to_ascii_lowercase();
    if start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<?xml") {
        return Err(ReadError::new(
            1,
            "this is a web page or XML, not a record",
            "the database may have answered with its login page; download again after signing in",
        ));
    }
    Ok(())
}
