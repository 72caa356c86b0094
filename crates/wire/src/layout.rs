//! The bytes of a message, offset by offset. Everything is little-endian and lies where its own size divides the offset, so
//! that a C struct can be laid over it. The tables are what the book prints and what `c/interfield_wire.h` is tested against.
//!
//! The magic number, the version, the kind and the session stay where they are in all versions to come.

/// First bytes of every message.
pub const MAGIC: [u8; 4] = *b"IFWR";
/// Version of everything below.
pub const VERSION: u8 = 1;
/// Most actuators of a specimen: the largest message then fits into one datagram that no network cuts.
pub const MOST_ACTUATORS: usize = 32;
/// Length of the header.
pub const HEADER: usize = 40;
/// Length of the name of a specimen.
pub const SPECIMEN_NAME: usize = 32;
/// Length of the name of an actuator.
pub const ACTUATOR_NAME: usize = 16;
/// Length of a unit.
pub const UNIT: usize = 8;
/// Length of what a greeting says of an actuator.
pub const INSTRUMENT: usize = ACTUATOR_NAME + 2 * UNIT;
/// Length of the largest message, a greeting with all actuators.
pub const MOST_BYTES: usize = HEADER + 8 + SPECIMEN_NAME + MOST_ACTUATORS * INSTRUMENT;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Opens a session: what the test expects of the specimen.
    Hello = 1,
    /// The session is open: what the controller has.
    Welcome = 2,
    /// The session is not opened; the status says why.
    Refusal = 3,
    /// Where the actuators are wanted in this sample.
    Command = 4,
    /// What was measured, with the sequence number of the command it answers.
    Measurement = 5,
    /// Nothing else to say, but alive.
    Heartbeat = 6,
    /// The test is over, or the controller gives up.
    Stop = 7,
}

impl Kind {
    /// All, with what the book says of them.
    pub const ALL: [(Kind, &str, &str); 7] = [
        (Kind::Hello, "hello", "test to controller: opens a session and states what is expected"),
        (Kind::Welcome, "welcome", "controller to test: the session is open, states what is available"),
        (Kind::Refusal, "refusal", "controller to test: no session; `status` gives the reason"),
        (Kind::Command, "command", "test to controller: commanded displacements of the actuators in this sample"),
        (Kind::Measurement, "measurement", "controller to test: measured values; `sequence` is that of the command"),
        (Kind::Heartbeat, "heartbeat", "both directions: keep-alive without data"),
        (Kind::Stop, "stop", "both directions: the test is over, and the drives are no longer needed"),
    ];

    /// The kind with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Kind::ALL.iter().map(|k| k.0).find(|k| *k as u8 == number)
    }
}

/// Why a session is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refused {
    /// Somebody else has the specimen.
    Busy = 1,
    /// It speaks another version.
    Version = 2,
    /// It has another number of actuators.
    Actuators = 3,
    /// It works with another period.
    Period = 4,
    /// Its instruments have other units.
    Units = 5,
    /// It is another specimen.
    Specimen = 6,
    /// It takes messages under seal only.
    Sealed = 7,
}

impl Refused {
    /// All, in words.
    pub const ALL: [(Refused, &str); 7] = [
        (Refused::Busy, "another test uses the specimen"),
        (Refused::Version, "the controller uses another version of the protocol"),
        (Refused::Actuators, "the controller has another number of actuators and sensors"),
        (Refused::Period, "the controller has another sampling interval"),
        (Refused::Units, "the instruments of the controller have other units, or others of them are sensors only"),
        (Refused::Specimen, "the controller has another specimen"),
        (Refused::Sealed, "the controller requires messages encrypted with its key"),
    ];

    /// The reason with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Refused::ALL.iter().map(|r| r.0).find(|r| *r as u32 == number)
    }

    /// In words.
    pub fn words(self) -> &'static str {
        Refused::ALL.iter().find(|r| r.0 == self).map_or("", |r| r.1)
    }
}

/// Status of a measurement: its numbers are new readings. Without this bit they are the old ones.
pub const FRESH: u32 = 1;
/// Status of a measurement: the emergency stop of the laboratory is pressed.
pub const EMERGENCY_STOP: u32 = 2;
/// Status of a command: the drives are needed. A stop is a command without it.
pub const ENABLE: u32 = 1;
/// Status of a command: changes with every sample.
pub const HEARTBEAT: u32 = 2;
/// Status of a welcome: nothing real moves.
pub const EMULATED: u32 = 1;

/// The bits of a status: of which kind, their number, their name in `interfield_wire.h` and what they say when they are set.
pub const STATUS_BITS: [(Kind, u32, &str, &str); 5] = [
    (Kind::Welcome, EMULATED, "EMULATED", "emulated, no real hardware moves; not set: real hardware moves, or unknown"),
    (Kind::Command, ENABLE, "ENABLE", "the drives are needed; not set before a test, and from its end on"),
    (
        Kind::Command,
        HEARTBEAT,
        "HEARTBEAT_BIT",
        "heartbeat: changes with every sample; if it stops changing, the test has stopped",
    ),
    (Kind::Measurement, FRESH, "FRESH", "the values are new measurements; not set: repeated old values"),
    (Kind::Measurement, EMERGENCY_STOP, "EMERGENCY_STOP", "the emergency stop of the laboratory is pressed"),
];

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Where it starts.
    pub offset: usize,
    /// Its C type.
    pub ctype: &'static str,
    /// Its name in `interfield_wire.h`.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

const fn field(offset: usize, ctype: &'static str, name: &'static str, meaning: &'static str) -> Field {
    Field { offset, ctype, name, meaning }
}

/// Offset of the kind in the header.
pub const KIND_AT: usize = 5;
/// Offset of the number of actuators.
pub const COUNT_AT: usize = 6;
/// Offset of the session.
pub const SESSION_AT: usize = 8;
/// Offset of the sequence number.
pub const SEQUENCE_AT: usize = 16;
/// Offset of the time stamp.
pub const TIME_AT: usize = 24;
/// Offset of the status.
pub const STATUS_AT: usize = 32;
/// Offset of the checksum.
pub const CHECKSUM_AT: usize = 36;

/// The header.
pub const HEADER_FIELDS: [Field; 9] = [
    field(0, "uint8_t[4]", "magic", "`IFWR`"),
    field(4, "uint8_t", "version", "1"),
    field(KIND_AT, "uint8_t", "kind", "type of the body, see below"),
    field(
        COUNT_AT,
        "uint16_t",
        "count",
        "n, number of instruments in the body, at most 32: actuators, then transducers, then load cells; 0 without a body",
    ),
    field(SESSION_AT, "uint64_t", "session", "chosen by the test at random; a message with another one is ignored"),
    field(
        SEQUENCE_AT,
        "uint64_t",
        "sequence",
        "1, 2, 3 … of the commands; a measurement repeats that of its command; else 0",
    ),
    field(TIME_AT, "uint64_t", "time_ns", "clock of the sender when it sent, ns; only differences are used"),
    field(
        STATUS_AT,
        "uint32_t",
        "status",
        "reason of a refusal; bits of a welcome, a command and a measurement, see below; else 0",
    ),
    field(CHECKSUM_AT, "uint32_t", "checksum", "CRC-32 (IEEE 802.3) of the whole message with this field zero"),
];

/// The body of a greeting, hello or welcome.
pub const GREETING_FIELDS: [Field; 5] = [
    field(40, "uint64_t", "period_ns", "sampling interval, ns; 0: any"),
    field(48, "char[32]", "specimen", "its name in UTF-8, filled up with zeros; empty: any"),
    field(80, "char[16]", "actuator[0].name", "name of the first actuator"),
    field(
        96,
        "char[8]",
        "actuator[0].displacement",
        "unit of its commands and displacements; `SI`: m or rad; empty: any; `-`: a load cell, which has none",
    ),
    field(
        104,
        "char[8]",
        "actuator[0].force",
        "unit of its forces; `SI`: N or N m; empty: any; `-`: a transducer, which has none; then the next instrument, to n",
    ),
];

/// The body of a command.
pub const COMMAND_FIELDS: [Field; 2] = [
    field(40, "uint64_t", "tick_ns", "time of the laboratory at the end of this sample, ns"),
    field(48, "double[n]", "value", "commands; 0 for transducers and load cells"),
];

/// The body of a measurement.
pub const MEASUREMENT_FIELDS: [Field; 3] = [
    field(40, "uint64_t", "received_ns", "clock of the controller when the command arrived, ns"),
    field(48, "uint64_t", "echo_ns", "`time_ns` of the command"),
    field(56, "double[2n]", "value", "n displacements, then n forces; 0 where an instrument has none"),
];

/// The fields of a table, as the book prints them.
pub fn markdown(fields: &[Field]) -> String {
    let mut text = String::from("| offset | type | name | meaning |\n|---|---|---|---|\n");
    for f in fields {
        text += &format!("| {} | `{}` | `{}` | {} |\n", f.offset, f.ctype, f.name, f.meaning);
    }
    text
}

/// The bits of a status, as the book prints them.
pub fn markdown_bits() -> String {
    let mut text = String::from("| status of a | bit | name | meaning |\n|---|---|---|---|\n");
    for (kind, bit, name, meaning) in STATUS_BITS {
        let kind = Kind::ALL.iter().find(|k| k.0 == kind).map_or("", |k| k.1);
        text += &format!("| {kind} | {} | `IFW_{name}` | {meaning} |\n", bit.trailing_zeros());
    }
    text
}

/// Kinds and reasons of refusal, as the book prints them.
pub fn markdown_kinds() -> String {
    let mut text = String::from("| kind | name | meaning |\n|---|---|---|\n");
    for (kind, name, meaning) in Kind::ALL {
        text += &format!("| {} | {name} | {meaning} |\n", kind as u8);
    }
    text += "\n| status of a refusal | meaning |\n|---|---|\n";
    for (reason, words) in Refused::ALL {
        text += &format!("| {} | {words} |\n", reason as u32);
    }
    text
}
