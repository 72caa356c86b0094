//! SHA-256 (FIPS 180-4): by it a file is known to be the one that a run was made with.

use std::io::Read;
use std::path::Path;

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// The hash of some bytes, in hexadecimal digits.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut state = START;
    blocks.iter().for_each(|b| compress(&mut state, b));
    finish(state, rest, bytes.len() as u64)
}

/// The hash of a file of any length.
pub(crate) fn of_file(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let (mut state, mut length) = (START, 0);
    loop {
        // A whole buffer, but for the last one.
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        length += filled as u64;
        let (blocks, rest) = buffer[..filled].as_chunks::<64>();
        blocks.iter().for_each(|b| compress(&mut state, b));
        if filled < buffer.len() {
            return Ok(finish(state, rest, length));
        }
    }
}

/// Pads the last bytes of a message of this length, and writes the digits.
fn finish(mut state: [u32; 8], rest: &[u8], length: u64) -> String {
    let mut last = rest.to_vec();
    last.push(0x80);
    last.resize((last.len() + 8).next_multiple_of(64) - 8, 0);
    last.extend_from_slice(&(8 * length).to_be_bytes());
    last.as_chunks::<64>().0.iter().for_each(|b| compress(&mut state, b));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// Section 6.2.2.
fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for t in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(ROUNDS[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (word, x) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // FIPS 180-4 examples (NIST), and the lengths around the padding against `sha256sum`.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let two = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        let none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of_bytes(b"abc"), abc);
        assert_eq!(of_bytes(b""), none);
        assert_eq!(of_bytes(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), two);
        assert_eq!(of_bytes(&vec![b'a'; 1_000_000]), million);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hashed");
        for n in [0, 1, 55, 56, 63, 64, 65, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1_000_000] {
            std::fs::write(&path, vec![b'a'; n]).unwrap();
            assert_eq!(of_file(&path).unwrap(), of_bytes(&vec![b'a'; n]), "{n} bytes");
        }
    }
}
