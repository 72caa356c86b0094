//! `ethercat` of an actuator: which bytes of which device are its command, its displacement and its force.

use std::ops::Range;

use interfield_lab::fieldbus::{Assignment, Bit, Button, Contacts, Drive, Field, Number, Wiring};

use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::{Address, Instrument, Specimen};

/// Bytes that one frame carries, of all devices together.
const MOST_BYTES: i64 = 512;
const BYTES: Allowed = Allowed::Between(0.0, (MOST_BYTES - 1) as f64);
/// Devices on a bus, in the order of the cable.
const DEVICES: Allowed = Allowed::Between(1.0, 64.0);

section! {
    /// Of an actuator.
    pub(super) ETHERCAT = ("ethercat", "ethercat = { ... }", "Bytes on an EtherCAT bus; `calibration` converts their \
        values.");
    DEVICE: Whole = OWN_DEVICE;
    COMMAND: Inner = place("command", "Place of its command in the outputs of the device.").required();
    DISPLACEMENT: Inner = place("displacement", "Place of its displacement in the inputs.").required();
    FORCE: Inner = place("force", "Place of its force in the inputs.").required().example("{ device = 3, byte = 0, \
        type = \"i16\" }");
    DRIVE: Choice<((), &'static str)> = choice("drive", &[((), "cia402")],
        "Profile of a drive that is switched on and off by its control word; if absent, the device is a terminal.");
    CONTROL: Inner = place("control", "Place of the control word of a drive in the outputs; byte 0 if \
        absent.").example("{ byte = 0 }");
    STATUS: Inner = place("status", "Place of the status word of a drive in the inputs; byte 0 if \
        absent.").example("{ byte = 0 }");
    POSITION: Inner = place("position", "Place of the position of a drive, if `displacement` is another \
        sensor.").example("{ byte = 2 }");
    ABSOLUTE: Flag = key("absolute", "Whether commands are absolute positions of the drive; if not, zero is the \
        position at the start.")
        .default("false");
    RX_PDOS: List<crate::key::Number> = key("rx_pdos", "Output objects (PDOs) that the device \
        exchanges.").example("[0x1600]");
    TX_PDOS: List<crate::key::Number> = key("tx_pdos", "Input objects (PDOs) that the device \
        exchanges.").example("[0x1a00]");
}

const OWN_DEVICE: Key<Whole> = key("device", "Its device: position on the bus, counted from 1 along the cable.")
    .range(DEVICES)
    .default("1")
    .example("2");

section! {
    PLACE = ("ethercat-field", "command = { byte = ... }", "The place of a value on the bus.");
    OTHER_DEVICE: Whole = key("device", "Device, if different from that of the actuator.").range(DEVICES).example("3");
    BYTE: Whole = key("byte", "First byte in the outputs or inputs of the device, from 0.").required().range(BYTES).example("2");
    TYPE: Choice<(Number, &'static str)> = choice("type", &Number::ALL,
        "Data type, little-endian; a control or status word is u16.").default("i32").example("i16");
}

section! {
    /// Of a sensor of its own.
    pub(super) INPUT = ("ethercat-input", "ethercat = { byte = ... }", "The place of a sensor on the bus; `calibration` converts its value.");
    INPUT_DEVICE: Whole = OWN_DEVICE;
    INPUT_BYTE: Whole = BYTE;
    INPUT_TYPE: Choice<(Number, &'static str)> = TYPE;
}

const fn place(name: &'static str, doc: &'static str) -> Key<Inner> {
    table(name, &PLACE, doc).example("{ byte = 2, type = \"i32\" }")
}

section! {
    /// Of a specimen.
    pub(super) INTERLOCK = ("interlock", "interlock = { ... }", "Signals to and from the safety interlock of the \
        laboratory on an EtherCAT bus.");
    EMERGENCY_STOP: Inner = table("emergency_stop", &BUTTON, "Emergency-stop input: the test ends with the strongest \
        braking that the actuators allow.")
        .example("{ device = 2, byte = 0, bit = 3 }");
    HEARTBEAT: Inner = table("heartbeat", &BIT, "Heartbeat output: it changes with every command; if it stops \
        changing, the controller has stopped.")
        .example("{ device = 3, byte = 0, bit = 0 }");
    ENABLE: Inner = table("enable", &BIT, "Output that is high while the drives are needed.").example("{ device = 3, byte = 0, bit = 1 }");
}

section! {
    BIT = ("ethercat-bit", "enable = { bit = ... }", "The place of a digital output on the bus.");
    BIT_DEVICE: Whole = OWN_DEVICE;
    BIT_BYTE: Whole = key("byte", "Byte in the outputs or inputs of the device, from 0.").required().range(BYTES).example("0");
    BIT_PLACE: Whole = key("bit", "Bit of that byte, 0 (the lowest) to 7.").required().range(Allowed::Between(0.0, 7.0)).example("3");
}

section! {
    BUTTON = ("emergency-stop", "emergency_stop = { bit = ... }", "The place of an emergency stop on the bus.").more(|| crate::key::describe(BIT.keys));
    PRESSED: Flag = key("pressed", "Level of the pressed state: low (a broken wire stops the test) or \
        high.").default("false");
}

/// The wiring of one actuator, and what its device exchanges.
pub(super) fn read(context: &Context<'_>, t: Table<'_>) -> (Option<Wiring>, Option<Assignment>) {
    let device = t.value(&DEVICE) as usize - 1;
    let number = |key: &Key<Inner>| field(context, &t, key, device, Number::I32);
    let (command, displacement, force) = (number(&COMMAND), number(&DISPLACEMENT), number(&FORCE));
    let word = |key: &Key<Inner>| match t.has(key) {
        true => field(context, &t, key, device, Number::U16),
        false => Some(Field { device, byte: 0, number: Number::U16 }),
    };
    let drive = t.read(&DRIVE).is_some();
    let (control, status) = (word(&CONTROL), word(&STATUS));
    let position = if t.has(&POSITION) { number(&POSITION) } else { displacement };
    let absolute = t.value(&ABSOLUTE);
    let of_drives = [CONTROL, STATUS, POSITION].map(|key| (key.name, t.has(&key), t.place(&key)));
    for (key, _, place) in
        of_drives.into_iter().chain([(ABSOLUTE.name, t.has(&ABSOLUTE), t.place(&ABSOLUTE))]).filter(|k| k.1 && !drive)
    {
        context.error(place, format!("`{key}` belongs to a drive"), "write drive = \"cia402\" with it");
    }
    let lists = [lists(context, &t, &RX_PDOS), lists(context, &t, &TX_PDOS)];
    t.finish();
    let [outputs, inputs] = lists;
    let assignment = (!outputs.is_empty() || !inputs.is_empty()).then_some(Assignment { device, outputs, inputs });
    let wire = || {
        let drive = match drive {
            true => Some(Drive { control: control?, status: status?, position: position?, absolute }),
            false => None,
        };
        Some(Wiring { command: command?, displacement: displacement?, force: force?, drive })
    };
    (wire(), assignment)
}

/// A table with the place of a number, on this device and of this type if it says nothing else.
fn field(context: &Context<'_>, t: &Table<'_>, key: &Key<Inner>, device: usize, number: Number) -> Option<Field> {
    let inner = t.open(key)?;
    let device = inner.read(&OTHER_DEVICE).map_or(device, |d| d.value as usize - 1);
    let number = inner.read(&TYPE).map_or(number, |n| n.value.0);
    let byte = inner.read(&BYTE);
    inner.finish();
    let byte = byte?;
    fitting(context, Field { device, byte: byte.value as usize, number }, byte.span)
}

/// The place of a sensor of its own.
pub(super) fn input(context: &Context<'_>, t: Table<'_>) -> Option<Field> {
    let (device, byte, number) = (t.good(&INPUT_DEVICE), t.read(&INPUT_BYTE), t.value(&INPUT_TYPE).0);
    t.finish();
    let byte = byte?;
    fitting(context, Field { device: device? as usize - 1, byte: byte.value as usize, number }, byte.span)
}

/// A number that the largest device has room for.
fn fitting(context: &Context<'_>, field: Field, span: Range<usize>) -> Option<Field> {
    if field.end() > MOST_BYTES as usize {
        let message = format!("a number of {} bytes does not fit behind byte {}", field.number.bytes(), field.byte);
        context.error(span, message, format!("a device has {MOST_BYTES} bytes at most, counted from 0"));
        return None;
    }
    Some(field)
}

/// `interlock` of a specimen: its digital in- and outputs.
pub(super) fn interlock(context: &Context<'_>, table: &Table<'_>, key: &Key<Inner>, at: Option<&Address>) -> Contacts {
    let Some(t) = table.open(key) else { return Contacts::default() };
    if !matches!(at, Some(Address::Ethercat(_))) {
        let message = "`interlock` names inputs and outputs of an EtherCAT bus, but this specimen is not on a bus";
        let help = "write at = \"ethercat:eth0\" with it, or remove it: over a network its bits are in every message";
        context.error(table.place(key), message, help);
    }
    let [heartbeat, enable] = [HEARTBEAT, ENABLE].map(|key| {
        let inner = t.open(&key)?;
        let bit = bit(&inner);
        inner.finish();
        bit
    });
    let emergency_stop = t.open(&EMERGENCY_STOP).and_then(|inner| {
        let (bit, pressed) = (bit(&inner), inner.value(&PRESSED));
        inner.finish();
        Some(Button { bit: bit?, pressed })
    });
    t.finish();
    Contacts { emergency_stop, heartbeat, enable }
}

/// A table with the place of a bit.
fn bit(t: &Table<'_>) -> Option<Bit> {
    let (device, byte, bit) = (t.good(&BIT_DEVICE), t.read(&BIT_BYTE), t.read(&BIT_PLACE));
    Some(Bit { device: device? as usize - 1, byte: byte?.value as usize, bit: bit?.value as u8 })
}

/// Numbers of lists of process data.
fn lists(context: &Context<'_>, t: &Table<'_>, key: &Key<List<crate::key::Number>>) -> Vec<u16> {
    let Some(list) = t.read(key) else { return Vec::new() };
    let whole = |x: f64| (x.fract() == 0.0 && (1.0..=65_535.0).contains(&x)).then_some(x as u16);
    let found: Option<Vec<u16>> = list.value.iter().map(|x| whole(x.value)).collect();
    if found.is_none() {
        context.error(list.span, format!("`{}` must list object numbers", key.name), "write for example [0x1600]");
    }
    found.unwrap_or_default()
}

const OWN_PLACE: &str = "give every actuator, every control word and every output of the interlock a different place";

/// A specimen on a bus has all its actuators wired, to places of their own, and the bus for itself.
pub(super) fn check(
    context: &Context<'_>,
    specimen: &Specimen,
    others: &[Specimen],
    [at, interlock]: [Range<usize>; 2],
) {
    let Some(Address::Ethercat(interface)) = &specimen.at else { return };
    if let Some(other) = others.iter().find(|o| o.at == specimen.at) {
        let message = format!("specimen `{}` already uses the bus `{interface}`", other.name);
        context.error(
            at.clone(),
            message,
            "a bus belongs to one specimen: combine the two specimens, or use another interface",
        );
    }
    let further = specimen.further_transducers().chain(specimen.further_load_cells());
    let unwired = further.into_iter().find(|i| i.wiring.is_none());
    if let Some(Instrument { name, .. }) = unwired {
        let message = format!("sensor `{name}` of specimen `{}` has no wiring to the bus", specimen.name);
        context.error(at, message, "write ethercat = { device = 2, byte = 0, type = \"i16\" } in it");
        return;
    }
    let Some(layout) = specimen.layout() else {
        let message = format!("specimen `{}` has no wiring of its actuators to the bus", specimen.name);
        let help = "write in every [[specimen.actuator]]: ethercat = { device = 1, command = { byte = 0, type = \"i16\" }, \
                    displacement = { byte = 0, type = \"i16\" }, force = { byte = 2, type = \"i16\" } }";
        context.error(at, message, help);
        return;
    };
    let outputs: Vec<Field> = layout.outputs().collect();
    for (i, a) in outputs.iter().enumerate() {
        if outputs[..i].iter().any(|b| a.device == b.device && a.byte < b.end() && b.byte < a.end()) {
            let message = format!("bytes {} to {} of device {} are written twice", a.byte, a.end() - 1, a.device + 1);
            context.error(at.clone(), message, OWN_PLACE);
        }
    }
    let bits: Vec<Bit> = layout.interlock.outputs().collect();
    for (i, b) in bits.iter().enumerate() {
        let number = |f: &Field| f.device == b.device && (f.byte..f.end()).contains(&b.byte);
        if outputs.iter().any(number) || bits[..i].contains(b) {
            let message = format!("bit {} of byte {} of device {} is written twice", b.bit, b.byte, b.device + 1);
            context.error(interlock.clone(), message, OWN_PLACE);
        }
    }
}
