//! The objects of a simulated device, by CAN application protocol over EtherCAT (ETG.1000.6, 5.6): short transfers only.

use std::collections::BTreeMap;

use super::sii::{RX_LIST, TX_LIST};

/// Objects by index and subindex.
pub(super) struct Objects(BTreeMap<(u16, u8), u32>);

impl Objects {
    /// A device that exchanges so many bytes, and whose drive has a mode.
    pub(super) fn new(outputs: usize, inputs: usize) -> Self {
        let mut all = BTreeMap::from([((0x6060, 0), 0), ((0x60c2, 1), 1), ((0x60c2, 2), 0)]);
        for (assigned, list, length) in [(0x1c12, RX_LIST, outputs), (0x1c13, TX_LIST, inputs)] {
            all.extend([((assigned, 0), 1), ((assigned, 1), u32::from(list)), ((list, 0), length as u32)]);
            all.extend((1..=length).map(|sub| ((list, sub as u8), 0x2000_0008 | (sub as u32) << 8)));
        }
        Objects(all)
    }

    /// The value of an object.
    pub(super) fn get(&self, index: u16, sub: u8) -> Option<u32> {
        self.0.get(&(index, sub)).copied()
    }

    /// The answer to what was put into the mailbox; `None` to what is no request.
    pub(super) fn answer(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        let [_, _, _, _, _, kind, _, service, command, lo, hi, sub, data @ ..] = request else { return None };
        // Mailbox type 3 and service 2: a request for an object.
        if kind & 0x0f != 3 || service >> 4 != 2 {
            return None;
        }
        let key = (u16::from_le_bytes([*lo, *hi]), *sub);
        let value = u32::from_le_bytes(data.first_chunk().copied().unwrap_or_default());
        let (command, value) = match (command >> 5, self.0.get_mut(&key)) {
            (2, Some(object)) => (0x43, *object),
            (1, Some(object)) => {
                let unused = 8 * u32::from(command >> 2 & 3);
                *object = value & (u32::MAX >> unused);
                (0x60, 0)
            }
            // "The object does not exist."
            _ => (0x80, 0x0602_0000),
        };
        let mut answer = vec![10, 0, 0, 0, 0, *kind, 0, 0x30, command, *lo, *hi, *sub];
        answer.extend(value.to_le_bytes());
        Some(answer)
    }
}
