//! The state machine of a drive by CiA 402 (IEC 61800-7-201, 6.3): which control word leads from a status word to "operation
//! enabled", and back to a drive without power. Bits only; nothing here knows a bus.

/// Where a drive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It starts, or reacts to a fault: nothing to do but wait.
    Busy,
    /// It must not be switched on yet.
    Disabled,
    /// Ready to be switched on.
    Ready,
    /// Switched on, without power at the motor.
    On,
    /// It follows its commands.
    Enabled,
    /// It stops by itself.
    QuickStop,
    /// It has a fault and waits for somebody to take note.
    Fault,
}

impl State {
    /// The state that a status word tells.
    pub(crate) fn of(status: u16) -> Self {
        match (status & 0x4f, status & 0x6f) {
            (0x08, _) => State::Fault,
            (0x40, _) => State::Disabled,
            (_, 0x21) => State::Ready,
            (_, 0x23) => State::On,
            (_, 0x27) => State::Enabled,
            (_, 0x07) => State::QuickStop,
            _ => State::Busy,
        }
    }

    /// The control word that leads on to "operation enabled". A fault is acknowledged by a rising edge, so the bit is set in
    /// every other cycle only.
    pub(crate) fn towards_enabled(self, odd: bool) -> u16 {
        match self {
            State::Busy | State::QuickStop => 0x00,
            State::Disabled => 0x06,
            State::Ready => 0x07,
            State::On | State::Enabled => 0x0f,
            State::Fault => u16::from(odd) * 0x80,
        }
    }

    /// The control word that leads to a drive without power, one state after the other.
    pub(crate) fn towards_disabled(self) -> u16 {
        match self {
            State::Enabled => 0x07,
            State::On => 0x06,
            _ => 0x00,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 30 of IEC 61800-7-201; x is any bit.
    #[test]
    fn status_words_are_told_apart() {
        let cases = [
            (0b0000_0000, State::Busy),
            (0b0010_0000, State::Busy),
            (0b0100_0000, State::Disabled),
            (0b0110_0000, State::Disabled),
            (0b0010_0001, State::Ready),
            (0b0010_0011, State::On),
            (0b0010_0111, State::Enabled),
            (0b0000_0111, State::QuickStop),
            (0b0000_1111, State::Busy),
            (0b0010_1111, State::Busy),
            (0b0000_1000, State::Fault),
            (0b0010_1000, State::Fault),
        ];
        for (status, state) in cases {
            // Voltage, warning, remote, target reached and the bits of the manufacturer say nothing.
            for others in [0, 0xff90] {
                assert_eq!(State::of(status | others), state, "{status:#b} {others:#x}");
            }
        }
    }
}
