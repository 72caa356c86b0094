//! SHA-256 of bytes and files: by it a file is known to be the one that a run was made with.

use std::path::Path;

use sha2::{Digest, Sha256};

/// The hash of some bytes, in hexadecimal digits.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// The hash of a file of any length.
pub fn of_file(path: &Path) -> std::io::Result<String> {
    use std::io::Read;
    let mut file = std::fs::File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut hash = Sha256::new();
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hash)),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// A hash in hexadecimal digits.
pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the standard, FIPS 180-4.
    #[test]
    fn it_is_the_one_of_the_standard() {
        assert_eq!(of_bytes(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let bytes = std::fs::read(&path).expect("a file");
        assert_eq!(of_file(&path).expect("its hash"), of_bytes(&bytes));
    }
}
