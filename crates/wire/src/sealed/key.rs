//! The key that both sides of a line have.

use std::fmt;

use blake2::{Blake2s256, Digest};

/// What a key file begins with.
const MARK: &str = "interfield-key-1";
/// Bytes of a key.
const BYTES: usize = 32;

/// A secret of 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; BYTES]);

impl Key {
    /// A new one, of the system's randomness.
    ///
    /// # Errors
    /// When the system has none: a sentence.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|e| format!("the system provides no random numbers: {e}"))?;
        Ok(Key(bytes))
    }

    /// Reads the text of a key file.
    ///
    /// # Errors
    /// When it is none: a sentence without its subject, and without a word of what is in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(("", digits)) = text.trim().split_once(MARK) else {
            return Err(format!("is not a key file: a key file begins with `{MARK}`"));
        };
        let digits = digits.trim().as_bytes();
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |d: u8| char::from(d).to_digit(16);
            let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
                return Err("is damaged: a key consists of hexadecimal digits".to_owned());
            };
            *byte = (16 * high + low) as u8;
        }
        if digits.len() != 2 * BYTES {
            return Err(format!("is damaged: a key has {} hexadecimal digits, not {}", 2 * BYTES, digits.len()));
        }
        Ok(Key(bytes))
    }

    /// The text of a key file.
    pub fn text(&self) -> String {
        let digits: String = self.0.iter().map(|b| format!("{b:02x}")).collect();
        format!("{MARK} {digits}\n")
    }

    /// Sixteen digits by which people compare keys. Nobody finds the key from them.
    pub fn fingerprint(&self) -> String {
        let digest = Blake2s256::new().chain_update("interfield fingerprint").chain_update(self.0).finalize();
        let groups: Vec<String> = digest[..8].chunks(2).map(|b| format!("{:02x}{:02x}", b[0], b[1])).collect();
        groups.join("-")
    }

    pub(super) fn bytes(&self) -> &[u8; BYTES] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.fingerprint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_as_it_was_written() {
        let key = Key::random().expect("randomness");
        assert_eq!(Key::parse(&key.text()), Ok(key.clone()));
        assert_ne!(Key::random().map(|k| k.fingerprint()), Ok(key.fingerprint()));
        assert!(!format!("{key:?}").contains(&key.text()[17..25]), "no key in a message");
    }

    #[test]
    fn what_is_no_key_is_told_without_a_word_of_it() {
        let cases = [
            (String::new(), "is not a key file"),
            ("ssh-rsa 5ec3e7".to_owned(), "is not a key file"),
            (format!("{MARK} 5ec3e7"), "has 64 hexadecimal digits, not 6"),
            (format!("{MARK} {}", "5e".repeat(33)), "not 66"),
            (format!("{MARK} {}", "zz".repeat(32)), "consists of hexadecimal"),
            (format!("{MARK} {}", "ä".repeat(32)), "consists of hexadecimal"),
        ];
        for (text, what) in cases {
            let found = Key::parse(&text).expect_err("no key");
            assert!(found.contains(what) && !found.contains("5ec3e7"), "{text}: {found}");
        }
    }

    /// A fingerprint that was written down must fit for ever; this one is from hashlib of Python.
    #[test]
    fn the_fingerprint_stays() {
        let key = Key::parse(&format!("{MARK} {}", "07".repeat(32))).expect("a key");
        assert_eq!(key.fingerprint(), "1b78-1fea-a3d8-869a");
    }
}
