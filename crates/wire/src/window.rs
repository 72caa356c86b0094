//! Which sequence numbers have been seen: the newest, and 64 before it.

/// What a sequence number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Newer than all; so many before it are missing so far.
    #[allow(missing_docs)]
    Newest { missed: u64 },
    /// Older than the newest, and not seen before.
    Reordered,
    /// Seen before.
    Duplicate,
    /// Too old to tell.
    Ancient,
}

/// The newest sequence number and a bit for each of the 64 before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    newest: u64,
    seen: u64,
}

impl Window {
    /// The newest so far; 0: none.
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// Notes a sequence number. Numbers start with 1: 0 is as old as can be.
    pub fn note(&mut self, sequence: u64) -> Arrival {
        if sequence > self.newest {
            let ahead = sequence - self.newest;
            // Bit i stands for newest - 1 - i; what was the newest becomes one of them.
            let shifted = u32::try_from(ahead).ok().and_then(|n| self.seen.checked_shl(n)).unwrap_or(0);
            let before = if self.newest > 0 && ahead <= 64 { 1 << (ahead - 1) } else { 0 };
            self.seen = shifted | before;
            self.newest = sequence;
            return Arrival::Newest { missed: ahead - 1 };
        }
        let back = self.newest - sequence;
        if back == 0 {
            return Arrival::Duplicate;
        }
        if back > 64 || sequence == 0 {
            return Arrival::Ancient;
        }
        let bit = 1 << (back - 1);
        if self.seen & bit != 0 {
            return Arrival::Duplicate;
        }
        self.seen |= bit;
        Arrival::Reordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Against a set that remembers everything.
    #[test]
    fn every_arrival_is_told_apart() {
        let mut random = 1_u64;
        let (mut window, mut seen) = (Window::default(), BTreeSet::new());
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let newest = seen.last().copied().unwrap_or(0_u64);
            let sequence = (newest + (random >> 59)).saturating_sub((random >> 40) % 80);
            let expected = match sequence {
                s if s > newest => Arrival::Newest { missed: s - newest - 1 },
                s if s == newest => Arrival::Duplicate,
                s if s == 0 || newest - s > 64 => Arrival::Ancient,
                s if seen.contains(&s) => Arrival::Duplicate,
                _ => Arrival::Reordered,
            };
            assert_eq!(window.note(sequence), expected, "{sequence} after {newest}");
            seen.insert(sequence);
        }
    }

    #[test]
    fn far_jumps_are_no_overflow() {
        let mut window = Window::default();
        assert_eq!(window.note(u64::MAX), Arrival::Newest { missed: u64::MAX - 1 });
        assert_eq!(window.note(1), Arrival::Ancient);
        assert_eq!(window.note(u64::MAX - 64), Arrival::Reordered);
        assert_eq!(window.note(u64::MAX - 64), Arrival::Duplicate);
    }
}
