//! `ethercat` of an actuator: which bytes of which device are its command, its displacement and its force.

use std::ops::Range;

use interfield_lab::fieldbus::{Assignment, Bit, Button, Contacts, Drive, Field, Number, Wiring};

use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::{Address, Specimen};

/// Bytes that one frame carries, of all devices together.
const MOST_BYTES: i64 = 512;
/// Devices on a bus.
const MOST_DEVICES: i64 = 64;

/// The wiring of one actuator, and what its device exchanges.
pub(super) fn read(context: &Context<'_>, t: Table<'_>) -> (Option<Wiring>, Option<Assignment>) {
    let device = device(context, &t).unwrap_or(0);
    let number = |key: &str| field(context, &t, key, device, Number::I32);
    let (command, displacement, force) = (number("command"), number("displacement"), number("force"));
    let word = |key: &str| match t.has(key) {
        true => field(context, &t, key, device, Number::U16),
        false => Some(Field { device, byte: 0, number: Number::U16 }),
    };
    let drive = t.choice("drive", &["cia402"]).is_some();
    let (control, status) = (word("control"), word("status"));
    let position = if t.has("position") { number("position") } else { displacement };
    let absolute = t.bool("absolute").is_some_and(|b| b.value);
    for key in ["control", "status", "position", "absolute"].iter().filter(|k| t.has(k) && !drive) {
        context.error(t.place(key), format!("`{key}` belongs to a drive"), "write drive = \"cia402\" with it");
    }
    let lists = [lists(context, &t, "rx_pdos"), lists(context, &t, "tx_pdos")];
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

/// `device`: its place on the bus, counted from 1.
fn device(context: &Context<'_>, t: &Table<'_>) -> Option<usize> {
    let place = t.integer("device")?;
    if !(1..=MOST_DEVICES).contains(&place.value) {
        let message = format!("a bus has the devices 1 to {MOST_DEVICES}, in the order of the cable");
        context.error(place.span, message, "write device = 1 for the first one");
        return None;
    }
    Some(place.value as usize - 1)
}

/// A table with the place of a number.
fn field(context: &Context<'_>, t: &Table<'_>, key: &str, default: usize, number: Number) -> Option<Field> {
    let example = format!("{key} = {{ byte = 2, type = \"i32\" }}");
    let Some(inner) = t.table(key) else {
        if !t.has(key) {
            context.error(t.span(), format!("`{key}` is missing"), format!("write {example}"));
        }
        return None;
    };
    let device = device(context, &inner).unwrap_or(default);
    let names = Number::ALL.map(|n| n.1);
    let number = inner.choice("type", &names).map_or(number, |c| Number::ALL[c.value].0);
    let byte = inner.integer_required("byte", "2");
    inner.finish();
    let byte = byte?;
    if !(0..=MOST_BYTES - number.bytes() as i64).contains(&byte.value) {
        let message = format!("`byte` counts from 0 in the outputs or inputs of the device, to {MOST_BYTES} at most");
        context.error(byte.span, message, format!("write {example}"));
        return None;
    }
    Some(Field { device, byte: byte.value as usize, number })
}

/// `interlock` of a specimen: its digital in- and outputs.
pub(super) fn interlock(context: &Context<'_>, table: &Table<'_>, at: Option<&Address>) -> Contacts {
    let Some(t) = table.table("interlock") else { return Contacts::default() };
    if !matches!(at, Some(Address::Ethercat(_))) {
        let message = "`interlock` names in- and outputs of an EtherCAT bus, and this specimen is not on one";
        let help = "write at = \"ethercat:eth0\" with it, or take it away: over the wire its bits are in every message";
        context.error(table.place("interlock"), message, help);
    }
    let (heartbeat, enable) = (bit(context, &t, "heartbeat"), bit(context, &t, "enable"));
    let (heartbeat, enable) = (heartbeat.map(|b| b.0), enable.map(|b| b.0));
    let emergency_stop = bit(context, &t, "emergency_stop").map(|(bit, pressed)| Button { bit, pressed });
    t.finish();
    Contacts { emergency_stop, heartbeat, enable }
}

/// A table with the place of a bit, and which level of an input means pressed.
fn bit(context: &Context<'_>, t: &Table<'_>, key: &str) -> Option<(Bit, bool)> {
    let inner = t.table(key)?;
    let device = if inner.has("device") { device(context, &inner) } else { Some(0) };
    let (byte, bit) = (inner.integer_required("byte", "0"), inner.integer_required("bit", "3"));
    let pressed = key == "emergency_stop" && inner.bool("pressed").is_some_and(|b| b.value);
    inner.finish();
    let (byte, bit) = (byte?, bit?);
    let mut fits = true;
    for (number, name, most) in [(&byte, "byte", MOST_BYTES - 1), (&bit, "bit", 7)] {
        if !(0..=most).contains(&number.value) {
            let message = format!("`{name}` counts from 0 to {most}");
            context.error(number.span.clone(), message, format!("write {key} = {{ device = 2, byte = 0, bit = 3 }}"));
            fits = false;
        }
    }
    let found = Bit { device: device?, byte: byte.value as usize, bit: bit.value as u8 };
    fits.then_some((found, pressed))
}

/// Numbers of lists of process data.
fn lists(context: &Context<'_>, t: &Table<'_>, key: &str) -> Vec<u16> {
    let Some(list) = t.numbers(key) else { return Vec::new() };
    let whole = |x: f64| (x.fract() == 0.0 && (1.0..=65_535.0).contains(&x)).then_some(x as u16);
    let found: Option<Vec<u16>> = list.value.iter().map(|x| whole(x.value)).collect();
    if found.is_none() {
        context.error(list.span, format!("`{key}` are numbers of objects"), "write for example [0x1600]");
    }
    found.unwrap_or_default()
}

const OWN_PLACE: &str = "give every actuator, every control word and every output of the interlock a place of its own";

/// A specimen on a bus has all its actuators wired, to places of their own, and the bus for itself.
pub(super) fn check(
    context: &Context<'_>,
    specimen: &Specimen,
    others: &[Specimen],
    [at, interlock]: [Range<usize>; 2],
) {
    let Some(Address::Ethercat(interface)) = &specimen.at else { return };
    if let Some(other) = others.iter().find(|o| o.at == specimen.at) {
        let message = format!("specimen `{}` has the bus `{interface}` already", other.name);
        context.error(
            at.clone(),
            message,
            "a bus belongs to one specimen: make one of both, or take another interface",
        );
    }
    let Some(layout) = specimen.layout() else {
        let message = format!("specimen `{}` does not say how its actuators are wired to the bus", specimen.name);
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
