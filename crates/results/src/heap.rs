//! Texts of any length for attributes: HDF5 keeps what has no fixed length in global heaps, and an attribute refers to it.
//! Programs of others see such a text as text; one of fixed length comes to Python as bytes.

use std::collections::{HashMap, HashSet};

/// Bytes of the head of a collection, and of an object in it.
const HEAD: usize = 16;
/// The HDF5 library makes no smaller collection.
const LEAST: usize = 4096;
/// Objects of a collection: their numbers have 16 bits.
const MOST: usize = 32_000;

/// A text as it stands in an attribute: length, address of its collection, number in it.
pub(crate) type Reference = [u8; 16];

/// What refers to nothing, which is the empty text.
pub(crate) const EMPTY: Reference = [0; 16];

/// The texts of a file by what they say.
pub(crate) struct Heap<'a> {
    places: HashMap<&'a str, Reference>,
    /// The collection for the outcome, nothing in it yet.
    pub(crate) outcome_at: u64,
}

impl<'a> Heap<'a> {
    /// Appends all texts, each once, and a collection for the outcome.
    pub(crate) fn place(bytes: &mut Vec<u8>, texts: impl Iterator<Item = &'a str>) -> Self {
        let mut seen = HashSet::new();
        let texts: Vec<&str> = texts.filter(|t| !t.is_empty() && seen.insert(*t)).collect();
        let mut places = HashMap::new();
        let mut append = |some: &[&str]| {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            let at = bytes.len() as u64;
            bytes.extend(collection(some));
            at
        };
        let outcome_at = append(&[]);
        for some in texts.chunks(MOST) {
            let at = append(some);
            places.extend(some.iter().zip(1..).map(|(t, number)| (*t, reference(t, at, number))));
        }
        Heap { places, outcome_at }
    }

    /// What an attribute says that holds a text of [`place`](Self::place).
    pub(crate) fn reference(&self, text: &str) -> Reference {
        self.places.get(text).copied().unwrap_or(EMPTY)
    }
}

/// Refers to a text that is object `number` of the collection at an address.
pub(crate) fn reference(text: &str, collection: u64, number: u32) -> Reference {
    let mut out = EMPTY;
    out[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    out[4..12].copy_from_slice(&collection.to_le_bytes());
    out[12..].copy_from_slice(&number.to_le_bytes());
    out
}

/// A collection of these texts, numbered from 1. One of few short texts always has the same size.
pub(crate) fn collection(texts: &[&str]) -> Vec<u8> {
    let mut bytes = b"GCOL\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&[0; 8]);
    for (text, number) in texts.iter().zip(1u16..) {
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(&[1, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    // Object 0 is what is free, its head included.
    let size = (bytes.len() + HEAD).max(LEAST);
    let free = (size - bytes.len()) as u64;
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&free.to_le_bytes());
    bytes.resize(size, 0);
    bytes[8..16].copy_from_slice(&(size as u64).to_le_bytes());
    bytes
}

/// The bytes of object `number` in the bytes of a collection.
pub(crate) fn find(collection: &[u8], number: u32) -> Option<&[u8]> {
    let word = |at: usize| Some(u64::from_le_bytes(collection.get(at..at + 8)?.try_into().ok()?));
    let mut at = HEAD;
    loop {
        let (head, size) = (word(at)?, usize::try_from(word(at + 8)?).ok()?);
        let index = (head & 0xffff) as u32;
        if index == 0 {
            return None;
        }
        let data = collection.get(at + HEAD..)?;
        if index == number {
            return data.get(..size);
        }
        at = at.checked_add(HEAD)?.checked_add(size.checked_next_multiple_of(8)?)?;
    }
}
