//! How the actuators of a rig are wired to a fieldbus: which bytes of which device are command, displacement and force.
//!
//! A description and its arithmetic; whoever talks to the bus is elsewhere. Numbers are those of the instruments, before
//! calibration.

/// A number in a process image, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    /// All, by the names of the model file.
    pub const ALL: [(Number, &str); 10] = [
        (Number::I8, "i8"),
        (Number::U8, "u8"),
        (Number::I16, "i16"),
        (Number::U16, "u16"),
        (Number::I32, "i32"),
        (Number::U32, "u32"),
        (Number::I64, "i64"),
        (Number::U64, "u64"),
        (Number::F32, "f32"),
        (Number::F64, "f64"),
    ];

    /// How many bytes it takes.
    pub fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::I64 | Number::U64 | Number::F64 => 8,
        }
    }

    /// Reads it from the beginning of some bytes; zeros where there are none.
    pub fn read(self, bytes: &[u8]) -> f64 {
        let mut raw = [0; 8];
        raw.iter_mut().zip(bytes).take(self.bytes()).for_each(|(r, b)| *r = *b);
        let bits = u64::from_le_bytes(raw);
        match self {
            Number::I8 => f64::from(bits as i8),
            Number::U8 => f64::from(bits as u8),
            Number::I16 => f64::from(bits as i16),
            Number::U16 => f64::from(bits as u16),
            Number::I32 => f64::from(bits as i32),
            Number::U32 => f64::from(bits as u32),
            Number::I64 => bits as i64 as f64,
            Number::U64 => bits as f64,
            Number::F32 => f64::from(f32::from_bits(bits as u32)),
            Number::F64 => f64::from_bits(bits),
        }
    }

    /// Writes it to the beginning of some bytes: rounded to the nearest, and at the end of the range where it is beyond. What is
    /// not a number is not written.
    pub fn write(self, value: f64, bytes: &mut [u8]) {
        if value.is_nan() {
            return;
        }
        let whole = value.round_ties_even();
        // A cast of Rust ends at the limits of its type.
        let bits = match self {
            Number::I8 => u64::from(whole as i8 as u8),
            Number::U8 => u64::from(whole as u8),
            Number::I16 => u64::from(whole as i16 as u16),
            Number::U16 => u64::from(whole as u16),
            Number::I32 => u64::from(whole as i32 as u32),
            Number::U32 => u64::from(whole as u32),
            Number::I64 => whole as i64 as u64,
            Number::U64 => whole as u64,
            Number::F32 => u64::from((value as f32).to_bits()),
            Number::F64 => value.to_bits(),
        };
        bytes.iter_mut().zip(bits.to_le_bytes()).take(self.bytes()).for_each(|(b, r)| *b = r);
    }
}

/// A number in the image of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Position of the device on the bus, from 0.
    pub device: usize,
    /// First byte in its outputs or inputs, from 0.
    pub byte: usize,
    /// What stands there.
    pub number: Number,
}

impl Field {
    /// The byte behind it.
    pub fn end(&self) -> usize {
        self.byte.saturating_add(self.number.bytes())
    }

    /// Its value in the image of its device.
    pub fn read(&self, image: &[u8]) -> f64 {
        self.number.read(image.get(self.byte..).unwrap_or_default())
    }

    /// Puts a value into the image of its device, if it has the room.
    pub fn write(&self, value: f64, image: &mut [u8]) {
        if let Some(place) = image.get_mut(self.byte..self.end()) {
            self.number.write(value, place);
        }
    }
}

/// A bit in the image of a device: a digital in- or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Position of the device on the bus, from 0.
    pub device: usize,
    /// Byte in its outputs or inputs, from 0.
    pub byte: usize,
    /// Which bit of it, from 0, the lowest.
    pub bit: u8,
}

impl Bit {
    /// The byte it is in.
    pub fn field(&self) -> Field {
        Field { device: self.device, byte: self.byte, number: Number::U8 }
    }

    /// Whether it is high in the image of its device; `None` if there is no such bit.
    pub fn read(&self, image: &[u8]) -> Option<bool> {
        let byte = *image.get(self.byte)?;
        Some(byte.checked_shr(u32::from(self.bit))? & 1 != 0)
    }

    /// Sets it in the image of its device, and leaves its neighbours as they are.
    pub fn write(&self, high: bool, image: &mut [u8]) {
        let mask = 1_u8.checked_shl(u32::from(self.bit)).unwrap_or(0);
        if let Some(byte) = image.get_mut(self.byte) {
            *byte = if high { *byte | mask } else { *byte & !mask };
        }
    }
}

/// The input of an emergency stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Button {
    /// Where it is in the inputs.
    pub bit: Bit,
    /// Which level means that it is pressed. Low: a broken wire stops the test, too.
    pub pressed: bool,
}

impl Button {
    /// Whether it is pressed; one that cannot be read is.
    pub fn is_pressed(&self, image: &[u8]) -> bool {
        self.bit.read(image).is_none_or(|high| high == self.pressed)
    }
}

/// The digital in- and outputs between a test and the interlock of the laboratory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contacts {
    /// Its emergency stop, in the inputs.
    pub emergency_stop: Option<Button>,
    /// Changes with every command, in the outputs; stands still when none comes.
    pub heartbeat: Option<Bit>,
    /// High while the drives are needed, in the outputs.
    pub enable: Option<Bit>,
}

impl Contacts {
    /// All bits that are written.
    pub fn outputs(&self) -> impl Iterator<Item = Bit> {
        [self.heartbeat, self.enable].into_iter().flatten()
    }
}

/// A drive with the profile CiA 402 (IEC 61800-7), in the mode "cyclic synchronous position".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    /// Control word, in the outputs.
    pub control: Field,
    /// Status word, in the inputs.
    pub status: Field,
    /// Where the drive itself says it is, in the inputs and in the numbers of its commands: it is switched on there.
    pub position: Field,
    /// Whether commands and displacements are what the drive counts; else they begin with zero where it stands.
    pub absolute: bool,
}

/// How an actuator is wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// Where it is sent, in the outputs.
    pub command: Field,
    /// Where it is, in the inputs.
    pub displacement: Field,
    /// What it feels, in the inputs.
    pub force: Field,
    /// Whether it has to be switched on first; `None`: a terminal, which is not.
    pub drive: Option<Drive>,
}

/// Which process data a device exchanges, where it leaves the choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Position of the device on the bus, from 0.
    pub device: usize,
    /// Lists of its outputs (RxPDO, 0x1600…); empty: as it is.
    pub outputs: Vec<u16>,
    /// Lists of its inputs (TxPDO, 0x1A00…); empty: as it is.
    pub inputs: Vec<u16>,
}

/// What becomes of the outputs of terminals at the end of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEnd {
    /// They stay as they are until the device leaves its operational state, and does what it was set up to do then.
    #[default]
    Hold,
    /// They become zero before that.
    Zero,
}

/// The wiring of a rig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// One per actuator.
    pub actuators: Vec<Wiring>,
    /// Transducers besides those of the actuators, in the inputs.
    pub transducers: Vec<Field>,
    /// Load cells besides those of the actuators, in the inputs.
    pub load_cells: Vec<Field>,
    /// What devices exchange.
    pub assignments: Vec<Assignment>,
    /// What becomes of the outputs.
    pub at_end: AtEnd,
    /// What the interlock of the laboratory is told, and tells.
    pub interlock: Contacts,
}

impl Layout {
    /// All numbers that are written.
    pub fn outputs(&self) -> impl Iterator<Item = Field> + '_ {
        self.actuators.iter().flat_map(|a| [Some(a.command), a.drive.map(|d| d.control)]).flatten()
    }

    /// All numbers that are read.
    pub fn inputs(&self) -> impl Iterator<Item = Field> + '_ {
        let of = |a: &Wiring| {
            let drive = a.drive.map(|d| [d.status, d.position]);
            [Some(a.displacement), Some(a.force), drive.map(|d| d[0]), drive.map(|d| d[1])]
        };
        self.actuators.iter().flat_map(of).flatten().chain(self.transducers.iter().chain(&self.load_cells).copied())
    }

    /// All bytes that are written: numbers, and those that hold a bit.
    pub fn output_bytes(&self) -> impl Iterator<Item = Field> + '_ {
        self.outputs().chain(self.interlock.outputs().map(|b| b.field()))
    }

    /// All bytes that are read.
    pub fn input_bytes(&self) -> impl Iterator<Item = Field> + '_ {
        self.inputs().chain(self.interlock.emergency_stop.map(|b| b.bit.field()))
    }

    /// How many devices it needs.
    pub fn devices(&self) -> usize {
        self.output_bytes().chain(self.input_bytes()).map(|f| f.device + 1).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_rounded_and_within_their_range() {
        let cases = [
            (Number::I8, -200.0, -128.0),
            (Number::U8, -3.0, 0.0),
            (Number::I16, 12.5, 12.0),
            (Number::U16, 70_000.0, 65_535.0),
            (Number::I32, -2_000_000_000.4, -2_000_000_000.0),
            (Number::U32, 4e9, 4e9),
            (Number::I64, -9e15, -9e15),
            (Number::U64, f64::INFINITY, u64::MAX as f64),
            (Number::F32, 0.5, 0.5),
            (Number::F64, 0.1, 0.1),
        ];
        for (number, value, expected) in cases {
            let mut image = [0xff; 12];
            let field = Field { device: 0, byte: 2, number };
            field.write(value, &mut image);
            assert_eq!(field.read(&image), expected, "{number:?}");
            assert!(image[..2].iter().chain(&image[field.end()..]).all(|b| *b == 0xff), "{number:?} wrote elsewhere");
        }
    }

    #[test]
    fn a_bit_leaves_its_neighbours_alone() {
        for (bit, byte) in (0..8).flat_map(|bit| (0..=255).map(move |byte| (bit, byte))) {
            let place = Bit { device: 0, byte: 1, bit };
            for high in [true, false] {
                let mut image = [0xa5, byte, 0x5a];
                place.write(high, &mut image);
                assert_eq!(place.read(&image), Some(high));
                let others = !(1 << bit);
                assert_eq!((image[0], image[1] & others, image[2]), (0xa5, byte & others, 0x5a), "bit {bit} of {byte}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_pressed() {
        for pressed in [true, false] {
            let button = |byte, bit| Button { bit: Bit { device: 0, byte, bit }, pressed };
            assert_eq!([0x00, 0x08].map(|b| button(0, 3).is_pressed(&[b])), [!pressed, pressed]);
            assert!(button(1, 3).is_pressed(&[0xff]) && button(0, 8).is_pressed(&[0x00]));
            let mut image = [0x77];
            Bit { device: 0, byte: 0, bit: 8 }.write(true, &mut image);
            Bit { device: 0, byte: 1, bit: 0 }.write(true, &mut image);
            assert_eq!(image, [0x77], "there is no such bit");
        }
    }

    #[test]
    fn what_is_no_number_or_has_no_place_is_not_written() {
        let field = Field { device: 0, byte: 0, number: Number::I32 };
        let mut image = [1, 0, 0, 0];
        field.write(f64::NAN, &mut image);
        assert_eq!(field.read(&image), 1.0);
        let beyond = Field { byte: 1, ..field };
        beyond.write(7.0, &mut image);
        assert_eq!(image, [1, 0, 0, 0]);
        assert_eq!(Field { byte: 9, ..field }.read(&image), 0.0);
    }
}
