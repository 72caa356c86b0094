//! A fast hash of words: 128 bits that tell matrices apart and notice damage. Not for secrets.

/// Two chains; every step is a bijection of the state.
#[derive(Clone, Debug)]
pub struct Digest {
    state: [u64; 2],
    count: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Digest { state: [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f], count: 0 }
    }
}

/// Spreads every bit over the word (Stafford 2011, variant 13).
fn mixed(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Digest {
    /// Takes a word.
    pub fn push(&mut self, word: u64) {
        let [a, b] = &mut self.state;
        *a = mixed(*a ^ word);
        *b = (b.rotate_left(23) ^ word.rotate_left(32)).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ *a;
        self.count += 1;
    }

    /// What was taken, in its order.
    pub fn finish(&self) -> [u64; 2] {
        let [a, b] = self.state;
        [mixed(a ^ self.count), mixed(b.wrapping_add(mixed(a)) ^ self.count.rotate_left(32))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: impl IntoIterator<Item = u64>) -> [u64; 2] {
        let mut digest = Digest::default();
        words.into_iter().for_each(|w| digest.push(w));
        digest.finish()
    }

    #[test]
    fn every_bit_and_every_place_counts() {
        let words = || (0..40u64).map(mixed);
        let mut seen = vec![of(words()), of([]), of([0]), of([0, 0]), of(words().rev()), of(words().take(39))];
        for k in 0..40 {
            for bit in 0..64 {
                seen.push(of(words().enumerate().map(|(i, w)| if i == k { w ^ 1 << bit } else { w })));
            }
        }
        let all = seen.len();
        for half in 0..2 {
            let mut list: Vec<u64> = seen.iter().map(|d| d[half]).collect();
            list.sort_unstable();
            list.dedup();
            assert_eq!(list.len(), all);
        }
    }
}
