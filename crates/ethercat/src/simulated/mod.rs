//! A line of simulated devices behind a network interface, with a specimen behind them: a bus without hardware.
//!
//! The devices are what a wiring asks for: drives by CiA 402 with mailbox and clock, terminals without a mailbox. All of it is in
//! one thread, and the specimen answers in the frame that brought the command, which no real device can: what a real bus adds in
//! delay belongs to the actuators of the model.
//!
//! **Must not be here:** anything that the other end of the cable knows; only frames arrive here.

mod coe;
mod device;
mod sii;

use std::time::{Duration, Instant};

use interfield_lab::fieldbus::{Bit, Field, Layout};
use interfield_lab::hardware::{Hardware, Interlock, Reply};

use crate::socket::{MOST_BYTES, Socket};
use device::Device;

/// How often the request to stop and the watchdogs are looked at while nothing comes.
const LOOK: Duration = Duration::from_millis(10);

/// Ethernet header, then the header of EtherCAT.
const HEADERS: usize = 16;

/// What becomes of a frame with process data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is answered.
    Answered,
    /// It never arrived.
    Lost,
    /// The first device does not take part.
    Deserted,
    /// It is answered after this time.
    Late(Duration),
    /// Only its first half comes back.
    Torn,
    /// All drives show a fault from now on, until it is acknowledged.
    DriveFault,
}

/// What a line saw, for tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Frames with process data while all devices were operational.
    pub cycles: u64,
    /// Distance of each of them from the middle between two pulses of the last device, ns.
    pub phases: Vec<i64>,
    /// States of the devices at the end: 1 initial, 2 pre-operational, 4 safe, 8 operational.
    pub states: Vec<u8>,
    /// Modes of operation that the drives were told.
    pub modes: Vec<Option<u32>>,
    /// Commands at the end, in the numbers of the bus.
    pub commands: Vec<f64>,
    /// What the outputs told the interlock at the end.
    pub interlock: Interlock,
    /// How often its heartbeat and its enable changed.
    pub beats: u64,
    /// See [`Seen::beats`].
    pub switched: u64,
}

/// A drive as it is simulated: its status word, and where its motor stands before anybody moves it.
struct Motor {
    status: u16,
    stands: f64,
}

/// Devices in a line, and what they move.
pub struct Line {
    layout: Layout,
    devices: Vec<Device>,
    /// One per actuator.
    motors: Vec<Motor>,
    specimen: Box<dyn Hardware>,
    memory: Vec<f64>,
    command: Vec<f64>,
    displacement: Vec<f64>,
    force: Vec<f64>,
    seen: Seen,
}

impl Line {
    /// The devices that a wiring asks for, with clocks that are this much too fast, ppm (`None`: without clocks), and drives that
    /// stand at these positions.
    pub fn new(layout: &Layout, specimen: Box<dyn Hardware>, clocks: Option<f64>, stands: &[f64]) -> Self {
        let n = layout.devices();
        let end = |fields: &mut dyn Iterator<Item = Field>, i: usize| {
            fields.filter(|f| f.device == i).map(|f| f.end()).max().unwrap_or(0)
        };
        let device = |i: usize| {
            let sizes = [end(&mut layout.output_bytes(), i), end(&mut layout.input_bytes(), i)];
            let drive = layout.actuators.iter().any(|a| a.drive.is_some_and(|d| d.control.device == i));
            let name = if drive { "SIMULATED-DRIVE" } else { "SIMULATED-IO" };
            // Every clock has an error of its own.
            let ppm = clocks.map(|ppm| ppm + 10.0 * i as f64);
            Device::new(name, sizes, drive, ppm, n - 1 - i)
        };
        let (count, [transducers, load_cells]) = (specimen.actuators(), specimen.sensors());
        let stands = |i: usize| stands.get(i).copied().unwrap_or(0.0);
        Line {
            layout: layout.clone(),
            devices: (0..n).map(device).collect(),
            motors: (0..count).map(|i| Motor { status: 0x40, stands: stands(i) }).collect(),
            memory: vec![0.0; specimen.memory()],
            specimen,
            command: (0..count).map(stands).collect(),
            displacement: vec![0.0; count + transducers],
            force: vec![0.0; count + load_cells],
            seen: Seen::default(),
        }
    }

    /// Answers frames until `stop`, which is asked again and again with the states of the devices, says so. `fate` decides over
    /// each frame with process data, by its number.
    pub fn serve(
        mut self,
        socket: &Socket,
        stop: &mut dyn FnMut(&[u8]) -> bool,
        fate: &mut dyn FnMut(u64) -> Fate,
    ) -> Seen {
        let mut buffer = [0; MOST_BYTES];
        loop {
            self.seen.states.clear();
            self.seen.states.extend(self.devices.iter().map(Device::state));
            if stop(&self.seen.states) {
                break;
            }
            socket.wait(Instant::now() + LOOK);
            let now = Instant::now();
            self.devices.iter_mut().for_each(|d| d.watch(now));
            while let Some(n) = socket.receive(&mut buffer) {
                let frame = &mut buffer[..n];
                let fate = if has_process_data(frame) { fate(self.seen.cycles) } else { Fate::Answered };
                match fate {
                    Fate::Lost => continue,
                    Fate::Late(by) => std::thread::sleep(by),
                    Fate::DriveFault => self.motors.iter_mut().for_each(|m| m.status = 0x08),
                    Fate::Answered | Fate::Deserted | Fate::Torn => {}
                }
                self.pass(frame, fate == Fate::Deserted);
                // The first device marks the frame as one that comes back.
                if let Some(source) = frame.get_mut(6) {
                    *source |= 0x02;
                }
                let whole = if fate == Fate::Torn { n / 2 } else { n };
                socket.send(&frame[..whole]);
            }
        }
        self.seen.modes = self.devices.iter().map(|d| d.object(0x6060, 0)).collect();
        self.seen.commands = self.command;
        self.specimen.stop();
        self.seen
    }

    /// A frame goes through the line, command by command.
    fn pass(&mut self, frame: &mut [u8], deserted: bool) {
        let mut at = HEADERS;
        while let Some(head) = frame.get(at..at + 10).and_then(|h| <[u8; 10]>::try_from(h).ok()) {
            let flags = u16::from_le_bytes([head[6], head[7]]);
            let length = usize::from(flags & 0x07ff);
            let end = at + 10 + length;
            let Some(rest) = frame.get_mut(at..end + 2) else { return };
            let (head, rest) = rest.split_at_mut(10);
            let (data, counter) = rest.split_at_mut(length);
            let counted = self.command(head, data, deserted);
            let sum = u16::from_le_bytes([counter[0], counter[1]]).wrapping_add(counted);
            counter.copy_from_slice(&sum.to_le_bytes());
            if flags & 0x8000 == 0 {
                return;
            }
            at = end + 2;
        }
    }

    /// One command; what it adds to its working counter (ETG.1000.4, table 10 and following).
    fn command(&mut self, head: &mut [u8], data: &mut [u8], deserted: bool) -> u16 {
        let position = u16::from_le_bytes([head[2], head[3]]);
        let register = usize::from(u16::from_le_bytes([head[4], head[5]]));
        let logical = u64::from(u32::from_le_bytes([head[2], head[3], head[4], head[5]]));
        let kind = head[0];
        let mut counted = 0;
        match kind {
            // By position and to all: every device counts it up.
            1..=3 | 7..=9 | 13 => {
                let next = position.wrapping_add(self.devices.len() as u16);
                head[2..4].copy_from_slice(&next.to_le_bytes());
                for (i, device) in self.devices.iter_mut().enumerate() {
                    let mine = position.wrapping_add(i as u16) == 0;
                    counted += match kind {
                        1..=3 if !mine => 0,
                        1 | 7 => read(device, register, data, kind == 7),
                        2 | 8 => u16::from(device.write(register, data)),
                        13 if mine => read(device, register, data, false),
                        13 => u16::from(device.write(register, data)),
                        _ => exchange(device, register, data, kind == 9),
                    };
                }
            }
            // By the address that was given.
            4..=6 | 14 => {
                for device in &mut self.devices {
                    let mine = device.station() == position;
                    counted += match kind {
                        4 | 14 if mine => read(device, register, data, false),
                        5 if mine => u16::from(device.write(register, data)),
                        6 if mine => exchange(device, register, data, false),
                        14 => u16::from(device.write(register, data)),
                        _ => 0,
                    };
                }
            }
            10..=12 => {
                let first = usize::from(deserted);
                if kind != 10 {
                    let weight = if kind == 12 { 2 } else { 1 };
                    let took = |d: &mut Device| u16::from(d.take(logical, data));
                    counted += weight * self.devices.iter_mut().skip(first).map(took).sum::<u16>();
                    self.sample();
                }
                if kind != 11 {
                    counted += self.devices.iter().skip(first).map(|d| u16::from(d.give(logical, data))).sum::<u16>();
                }
            }
            _ => {}
        }
        counted
    }

    /// All devices have their outputs: one sample of the specimen.
    fn sample(&mut self) {
        let operational = self.devices.iter().all(|d| d.output().is_some());
        for (i, wiring) in self.layout.actuators.iter().enumerate() {
            let output = |field: Field| self.devices.get(field.device)?.output().map(|image| field.read(image));
            let motor = &mut self.motors[i];
            let follows = match wiring.drive {
                Some(drive) => {
                    motor.status = next_status(motor.status, output(drive.control).unwrap_or(0.0) as u16);
                    motor.status == 0x27
                }
                None => operational,
            };
            if let (true, Some(command)) = (follows, output(wiring.command)) {
                self.command[i] = command;
            }
        }
        self.hear_interlock();
        let from_rest: Vec<f64> = self.command.iter().zip(&self.motors).map(|(c, m)| c - m.stands).collect();
        let reply = self.specimen.exchange(&mut self.memory, &from_rest, &mut self.displacement, &mut self.force);
        if operational {
            self.seen.cycles += 1;
            let pulses = self.devices.last().and_then(Device::pulses);
            self.seen.phases.extend(pulses.map(|(period, time)| (time % period) as i64 - period as i64 / 2));
        }
        if let Some(button) = self.layout.interlock.emergency_stop
            && let Some(device) = self.devices.get_mut(button.bit.device)
        {
            let high = self.specimen.emergency_stop() == button.pressed;
            button.bit.write(high, device.input());
        }
        for (i, wiring) in self.layout.actuators.iter().enumerate() {
            let motor = &mut self.motors[i];
            if reply == Reply::Gone {
                motor.status = 0x08;
            }
            let mut input = |field: Field, value: f64| {
                if let Some(device) = self.devices.get_mut(field.device) {
                    field.write(value, device.input());
                }
            };
            input(wiring.displacement, self.displacement[i] + motor.stands);
            input(wiring.force, self.force[i]);
            if let Some(drive) = wiring.drive {
                input(drive.position, self.displacement[i] + motor.stands);
                input(drive.status, f64::from(motor.status));
            }
        }
        let n = self.motors.len();
        let transducers = self.layout.transducers.iter().zip(&self.displacement[n..]);
        for (field, value) in transducers.chain(self.layout.load_cells.iter().zip(&self.force[n..])) {
            if let Some(device) = self.devices.get_mut(field.device) {
                field.write(*value, device.input());
            }
        }
    }
}

impl Line {
    /// What the outputs tell the interlock; those of a device that is not operational stay as they were.
    fn hear_interlock(&mut self) {
        let output = |bit: Option<Bit>| bit.and_then(|b| b.read(self.devices.get(b.device)?.output()?));
        let contacts = self.layout.interlock;
        let before = self.seen.interlock;
        let heartbeat = output(contacts.heartbeat).unwrap_or(before.heartbeat);
        let enable = output(contacts.enable).unwrap_or(before.enable);
        self.seen.beats += u64::from(heartbeat != before.heartbeat);
        self.seen.switched += u64::from(enable != before.enable);
        self.seen.interlock = Interlock { enable, heartbeat };
        self.specimen.interlock(self.seen.interlock);
    }
}

/// The status word of a drive after a control word.
fn next_status(status: u16, control: u16) -> u16 {
    match (status, control & 0x8f) {
        (0x08, 0x80) => 0x40,
        (0x08, _) => 0x08,
        (0x40, 0x06) => 0x21,
        (0x21, 0x07) => 0x23,
        (0x23, 0x0f) => 0x27,
        (0x27, 0x07) => 0x23,
        (0x27 | 0x23, 0x06) => 0x21,
        (0x40, _) => 0x40,
        (_, 0x00) => 0x40,
        (status, _) => status,
    }
}

fn read(device: &mut Device, register: usize, data: &mut [u8], all: bool) -> u16 {
    let mut mine = vec![0; data.len()];
    if !device.read(register, &mut mine) {
        return 0;
    }
    data.iter_mut().zip(mine).for_each(|(d, m)| *d = if all { *d | m } else { m });
    1
}

fn exchange(device: &mut Device, register: usize, data: &mut [u8], all: bool) -> u16 {
    let written = data.to_vec();
    read(device, register, data, all) + 2 * u16::from(device.write(register, &written))
}

/// Whether a frame has a command by logical address.
fn has_process_data(frame: &[u8]) -> bool {
    let mut at = HEADERS;
    while let Some(head) = frame.get(at..at + 10) {
        if (10..=12).contains(&head[0]) {
            return true;
        }
        let flags = u16::from_le_bytes([head[6], head[7]]);
        if flags & 0x8000 == 0 {
            return false;
        }
        at += 12 + usize::from(flags & 0x07ff);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use interfield_lab::fieldbus::{AtEnd, Contacts, Number, Wiring};

    struct Nothing;

    impl Hardware for Nothing {
        fn actuators(&self) -> usize {
            1
        }

        fn exchange(&mut self, _: &mut [f64], _: &[f64], _: &mut [f64], _: &mut [f64]) -> Reply {
            Reply::Fresh
        }
    }

    fn line() -> Line {
        let field = |byte| Field { device: 0, byte, number: Number::F64 };
        let wiring = Wiring { command: field(0), displacement: field(0), force: field(8), drive: None };
        let layout = Layout {
            actuators: vec![wiring],
            transducers: vec![],
            load_cells: vec![],
            assignments: vec![],
            at_end: AtEnd::Hold,
            interlock: Contacts::default(),
        };
        Line::new(&layout, Box::new(Nothing), Some(0.0), &[])
    }

    /// Any frame: no panic, and nothing beyond the frame is touched because there is nothing.
    #[test]
    fn any_bytes_go_through() {
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize
        };
        let mut line = line();
        for _ in 0..50_000 {
            let mut frame: Vec<u8> = (0..next() % 120).map(|_| next() as u8).collect();
            // Half of them with a command that exists, on registers where something happens.
            if frame.len() > HEADERS + 12 && next() % 2 == 0 {
                frame[HEADERS] = 1 + (next() % 14) as u8;
                frame[HEADERS + 2..HEADERS + 4].fill(0);
                frame[HEADERS + 5] = (next() % 0x30) as u8;
                frame[HEADERS + 6..HEADERS + 8].copy_from_slice(&(next() as u16 % 64).to_le_bytes());
            }
            has_process_data(&frame);
            line.pass(&mut frame, next() % 2 == 0);
        }
    }

    /// A command by position reaches one device, counts up its address, and counts itself.
    #[test]
    fn a_read_is_counted() {
        let mut frame = vec![0; HEADERS + 14];
        frame[HEADERS] = 1;
        // Two bytes of the state at 0x0130.
        frame[HEADERS + 4..HEADERS + 8].copy_from_slice(&[0x30, 0x01, 2, 0]);
        line().pass(&mut frame, false);
        assert_eq!(frame[HEADERS + 2..HEADERS + 4], [1, 0], "one device went by");
        assert_eq!(frame[HEADERS + 10..], [device::INIT, 0, 1, 0], "its state, and one that answered");
    }
}
