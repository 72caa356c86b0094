//! Messages to bytes and back. Decoding takes any bytes, allocates for greetings only (at most 32 names), and believes no
//! length that it did not check.

use interfield_lab::hardware::Interlock;

use crate::layout::{
    ACTUATOR_NAME, CHECKSUM_AT, COUNT_AT, EMERGENCY_STOP, EMULATED, ENABLE, FRESH, HEADER, HEARTBEAT, INSTRUMENT,
    KIND_AT, Kind, MAGIC, MOST_ACTUATORS, MOST_BYTES, Refused, SEQUENCE_AT, SESSION_AT, SPECIMEN_NAME, STATUS_AT,
    TIME_AT, UNIT, VERSION,
};

/// What the header says besides the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Whose message.
    pub session: u64,
    /// Which command.
    pub sequence: u64,
    /// Clock of the sender, ns.
    pub time_ns: u64,
}

/// What one side says of itself in a greeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// Sampling interval, ns; 0: any.
    pub period_ns: u64,
    /// Name of the specimen; empty: any.
    pub specimen: String,
    /// Its actuators, then its transducers, then its load cells.
    pub actuators: Vec<Instrument>,
    /// Whether nothing real moves, in a welcome.
    pub emulated: bool,
}

/// Unit of what an instrument of a greeting does not measure.
pub const UNMEASURED: &str = "-";

/// An actuator in a greeting, or a sensor of its own: a transducer has no force, a load cell no displacement, see [`UNMEASURED`]. Empty texts
/// fit any unit, but an actuator is not taken for a sensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instrument {
    /// Name.
    pub name: String,
    /// Unit of commands and displacements.
    pub displacement: String,
    /// Unit of forces.
    pub force: String,
}

impl Greeting {
    /// Number of actuators, of transducers and of load cells.
    pub fn counts(&self) -> [usize; 3] {
        let transducers = self.actuators.iter().filter(|a| a.force == UNMEASURED).count();
        let load_cells = self.actuators.iter().filter(|a| a.displacement == UNMEASURED).count();
        [self.actuators.len().saturating_sub(transducers + load_cells), transducers, load_cells]
    }

    /// Why a test that says `hello` cannot have what this says; `None`: it can.
    pub fn refuses(&self, hello: &Greeting) -> Option<Refused> {
        // Periods of independent origin agree to rounding, a nanosecond or two.
        let same = |a: u64, b: u64| a == 0 || b == 0 || a.abs_diff(b) <= 2 + a / 1_000_000;
        let fits = |a: &str, b: &str| a == b || ((a.is_empty() || b.is_empty()) && a != UNMEASURED && b != UNMEASURED);
        let units =
            |(a, b): (&Instrument, &Instrument)| fits(&a.displacement, &b.displacement) && fits(&a.force, &b.force);
        if self.actuators.len() != hello.actuators.len() {
            return Some(Refused::Actuators);
        }
        if !same(self.period_ns, hello.period_ns) {
            return Some(Refused::Period);
        }
        if !fits(&self.specimen, &hello.specimen) {
            return Some(Refused::Specimen);
        }
        (!self.actuators.iter().zip(&hello.actuators).all(units)).then_some(Refused::Units)
    }
}

/// Numbers inside a message.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a>(&'a [u8]);

impl Values<'_> {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.chunks_exact(8).map(|b| f64::from_bits(word(b, 0)))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len() / 8
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a message says.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Content<'a> {
    Hello(Greeting),
    Welcome(Greeting),
    Refusal { reason: u32 },
    Command { interlock: Interlock, tick_ns: u64, values: Values<'a> },
    Measurement { shown: Shown, received_ns: u64, echo_ns: u64, displacement: Values<'a>, force: Values<'a> },
    Heartbeat,
    Stop,
}

/// What a measurement says besides its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its numbers are new readings.
    pub fresh: bool,
    /// The emergency stop of the laboratory is pressed.
    pub emergency_stop: bool,
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Too short for a header, or not ours.
    Foreign,
    /// Ours, in another version; the session is where it always is.
    #[allow(missing_docs)]
    Version { version: u8, session: u64 },
    /// There is no such kind.
    Kind,
    /// The length does not fit to kind and number of actuators.
    Length,
    /// Bytes were changed on the way.
    Checksum,
}

/// Reads a message.
///
/// # Errors
/// Whatever is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<(Stamp, Content<'_>), Malformed> {
    if bytes.len() < HEADER || !bytes.starts_with(&MAGIC) {
        return Err(Malformed::Foreign);
    }
    if bytes[4] != VERSION {
        return Err(Malformed::Version { version: bytes[4], session: word(bytes, SESSION_AT) });
    }
    let kind = Kind::from_number(bytes[KIND_AT]).ok_or(Malformed::Kind)?;
    let count = usize::from(u16::from_le_bytes([bytes[COUNT_AT], bytes[COUNT_AT + 1]]));
    if count > MOST_ACTUATORS || bytes.len() != length(kind, count) {
        return Err(Malformed::Length);
    }
    if half(bytes, CHECKSUM_AT) != checksum(bytes) {
        return Err(Malformed::Checksum);
    }
    let stamp =
        Stamp { session: word(bytes, SESSION_AT), sequence: word(bytes, SEQUENCE_AT), time_ns: word(bytes, TIME_AT) };
    let status = half(bytes, STATUS_AT);
    let body = &bytes[HEADER..];
    let content = match kind {
        Kind::Hello => Content::Hello(greeting(body)),
        Kind::Welcome => Content::Welcome(Greeting { emulated: status & EMULATED != 0, ..greeting(body) }),
        Kind::Refusal => Content::Refusal { reason: status },
        Kind::Command => {
            let interlock = Interlock { enable: status & ENABLE != 0, heartbeat: status & HEARTBEAT != 0 };
            Content::Command { interlock, tick_ns: word(body, 0), values: Values(&body[8..]) }
        }
        Kind::Measurement => {
            let (displacement, force) = body[16..].split_at(8 * count);
            Content::Measurement {
                shown: Shown { fresh: status & FRESH != 0, emergency_stop: status & EMERGENCY_STOP != 0 },
                received_ns: word(body, 0),
                echo_ns: word(body, 8),
                displacement: Values(displacement),
                force: Values(force),
            }
        }
        Kind::Heartbeat => Content::Heartbeat,
        Kind::Stop => Content::Stop,
    };
    Ok((stamp, content))
}

/// Length of a message.
pub fn length(kind: Kind, count: usize) -> usize {
    HEADER
        + match kind {
            Kind::Hello | Kind::Welcome => 8 + SPECIMEN_NAME + count * INSTRUMENT,
            Kind::Command => 8 + 8 * count,
            Kind::Measurement => 16 + 16 * count,
            Kind::Refusal | Kind::Heartbeat | Kind::Stop => 0,
        }
}

fn greeting(body: &[u8]) -> Greeting {
    let (head, rest) = body.split_at(8 + SPECIMEN_NAME);
    let instrument = |b: &[u8]| Instrument {
        name: text(&b[..ACTUATOR_NAME]),
        displacement: text(&b[ACTUATOR_NAME..ACTUATOR_NAME + UNIT]),
        force: text(&b[ACTUATOR_NAME + UNIT..]),
    };
    let actuators = rest.chunks_exact(INSTRUMENT).map(instrument).collect();
    Greeting { period_ns: word(head, 0), specimen: text(&head[8..]), actuators, emulated: false }
}

/// Text up to the first zero. It will be shown: what could command a terminal is taken out.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Eight bytes as a number; zeros where there are none.
fn word(bytes: &[u8], at: usize) -> u64 {
    let mut raw = [0; 8];
    bytes.iter().skip(at).zip(&mut raw).for_each(|(b, r)| *r = *b);
    u64::from_le_bytes(raw)
}

/// The bits of a status that are set.
fn bits<const N: usize>(all: [(bool, u32); N]) -> u32 {
    all.into_iter().filter(|b| b.0).fold(0, |status, b| status | b.1)
}

/// Four bytes as a number.
fn half(bytes: &[u8], at: usize) -> u32 {
    (word(bytes, at) & 0xffff_ffff) as u32
}

/// A message to send, in memory of its own.
#[derive(Clone)]
pub struct Letter {
    bytes: [u8; MOST_BYTES],
    length: usize,
}

impl Default for Letter {
    fn default() -> Self {
        Letter { bytes: [0; MOST_BYTES], length: 0 }
    }
}

impl Letter {
    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// A hello or a welcome. Texts and lists that are too long are cut.
    pub fn greeting(&mut self, kind: Kind, stamp: Stamp, greeting: &Greeting) -> &[u8] {
        self.start(kind, greeting.actuators.len());
        self.put(&greeting.period_ns.to_le_bytes());
        self.put_text(&greeting.specimen, SPECIMEN_NAME);
        for a in greeting.actuators.iter().take(MOST_ACTUATORS) {
            self.put_text(&a.name, ACTUATOR_NAME);
            self.put_text(&a.displacement, UNIT);
            self.put_text(&a.force, UNIT);
        }
        self.seal(stamp, bits([(greeting.emulated && kind == Kind::Welcome, EMULATED)]))
    }

    /// A message without a body: refusal (with its reason), heartbeat, stop.
    pub fn short(&mut self, kind: Kind, stamp: Stamp, status: u32) -> &[u8] {
        self.start(kind, 0);
        self.seal(stamp, status)
    }

    /// A command.
    pub fn command(&mut self, stamp: Stamp, interlock: Interlock, tick_ns: u64, values: &[f64]) -> &[u8] {
        self.start(Kind::Command, values.len());
        self.put(&tick_ns.to_le_bytes());
        self.put_values(values);
        self.seal(stamp, bits([(interlock.enable, ENABLE), (interlock.heartbeat, HEARTBEAT)]))
    }

    /// A measurement; `times` are when the command came, by the clocks of controller and test.
    pub fn measurement(
        &mut self,
        stamp: Stamp,
        shown: Shown,
        times: [u64; 2],
        displacement: &[f64],
        force: &[f64],
    ) -> &[u8] {
        self.start(Kind::Measurement, displacement.len().min(force.len()));
        times.iter().for_each(|t| self.put(&t.to_le_bytes()));
        let n = displacement.len().min(force.len());
        self.put_values(&displacement[..n]);
        self.put_values(&force[..n]);
        self.seal(stamp, bits([(shown.fresh, FRESH), (shown.emergency_stop, EMERGENCY_STOP)]))
    }

    fn start(&mut self, kind: Kind, count: usize) {
        let count = count.min(MOST_ACTUATORS) as u16;
        self.bytes[..HEADER].fill(0);
        self.bytes[..4].copy_from_slice(&MAGIC);
        self.bytes[4] = VERSION;
        self.bytes[KIND_AT] = kind as u8;
        self.bytes[COUNT_AT..COUNT_AT + 2].copy_from_slice(&count.to_le_bytes());
        self.length = HEADER;
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.length..self.length + bytes.len()) {
            place.copy_from_slice(bytes);
            self.length += bytes.len();
        }
    }

    fn put_values(&mut self, values: &[f64]) {
        values.iter().take(MOST_ACTUATORS).for_each(|x| self.put(&x.to_le_bytes()));
    }

    /// A text in a field of this size; cut between characters.
    fn put_text(&mut self, text: &str, size: usize) {
        let end = (0..=size.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        self.put(&text.as_bytes()[..end]);
        (end..size).for_each(|_| self.put(&[0]));
    }

    fn seal(&mut self, stamp: Stamp, status: u32) -> &[u8] {
        for (at, number) in [(SESSION_AT, stamp.session), (SEQUENCE_AT, stamp.sequence), (TIME_AT, stamp.time_ns)] {
            self.bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        self.bytes[STATUS_AT..STATUS_AT + 4].copy_from_slice(&status.to_le_bytes());
        let sum = checksum(&self.bytes[..self.length]);
        self.bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
        self.bytes()
    }
}

/// The CRC-32 of Ethernet and zip, byte by byte: polynomial 0xEDB88320 (reflected), start and end inverted.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

/// Checksum of a message, with the field of the checksum as zero.
fn checksum(message: &[u8]) -> u32 {
    let field = CHECKSUM_AT..CHECKSUM_AT + 4;
    !message.iter().enumerate().fold(!0, |crc: u32, (i, byte)| {
        let byte = if field.contains(&i) { 0 } else { *byte };
        (crc >> 8) ^ TABLE[((crc ^ u32::from(byte)) & 0xff) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the specification of the algorithm; the field of a checksum is beyond these bytes.
    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }

    /// A digest of one message of each kind: whoever changes a byte of the format has to change the version.
    #[test]
    fn the_bytes_are_those_of_version_1() {
        let stamp = Stamp { session: 0x0102_0304_0506_0708, sequence: 9, time_ns: 10 };
        let mut letter = Letter::default();
        let mut sums = Vec::new();
        let instrument = Instrument { name: "east".into(), displacement: "m".into(), force: "N".into() };
        let greeting =
            Greeting { period_ns: 1_000_000, specimen: "pier".into(), actuators: vec![instrument; 2], emulated: false };
        for kind in [Kind::Hello, Kind::Welcome] {
            sums.push(half(letter.greeting(kind, stamp, &greeting), CHECKSUM_AT));
        }
        sums.push(half(letter.short(Kind::Refusal, stamp, 1), CHECKSUM_AT));
        sums.push(half(letter.command(stamp, Interlock::default(), 11, &[1.0, -2.5]), CHECKSUM_AT));
        let fresh = Shown { fresh: true, emergency_stop: false };
        sums.push(half(letter.measurement(stamp, fresh, [12, 13], &[1.0, -2.5], &[3.0, 4.0]), CHECKSUM_AT));
        sums.push(half(letter.short(Kind::Heartbeat, stamp, 0), CHECKSUM_AT));
        sums.push(half(letter.short(Kind::Stop, stamp, 0), CHECKSUM_AT));
        assert_eq!(sums, SUMS, "{sums:#x?}");
    }

    const SUMS: [u32; 7] = [0x17b0_c9c3, 0x1990_9ffc, 0x1e3f_330a, 0x8d42_4344, 0x8486_8771, 0x9591_77fe, 0x5a0f_6036];
}
