//! One frame per period: commands out, measurements in, drives led through their states.

use std::time::{Duration, Instant};

use ethercrab::MainDevice;
use ethercrab::error::Error;
use ethercrab::subdevice_group::Op;
use interfield_lab::fieldbus::{AtEnd, Bit, Drive, Field, Layout};
use interfield_lab::hardware::Interlock;

use super::beat::Beat;
use super::pump::Pump;
use super::report::{Outcome, Report};
use super::{Group, Inbox, said};
use crate::drive::State;

/// Longest time until all devices are operational, and until all drives are switched on.
const BEGINNING: Duration = Duration::from_secs(5);
/// Longest time until all drives are switched off.
const ENDING: Duration = Duration::from_secs(1);
/// Cycles in which outputs that become zero are sent.
const FAREWELL: u32 = 5;

/// What the drives are to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Switch on where they stand.
    On,
    /// Follow commands.
    Follow,
    /// Switch off where they stand.
    Off,
}

/// A drive as it is led.
#[derive(Clone, Copy)]
struct Led {
    state: State,
    /// Where it stood when it was switched on, as its position and as its displacement.
    zero: [f64; 2],
}

/// What a frame brought back.
struct Passed {
    counter: u16,
    /// Whether all devices are in their operational state.
    operational: bool,
    /// Time of the reference clock, ns.
    time: Option<u64>,
}

/// A bus with devices in their operational state.
pub(super) struct Cycle<'a, DC> {
    pump: Pump<'a>,
    main: &'a MainDevice<'a>,
    group: Group<Op, DC>,
    layout: Layout,
    answer_within: Duration,
    beat: Beat,
    report: Report,
    has_reference: bool,
    /// Working counter of a frame that all devices took part in.
    expected: u16,
    /// One per actuator.
    led: Vec<Led>,
    /// What the outputs hold, in the numbers of the controller; `None` before the first command.
    command: Option<Vec<f64>>,
    /// What came with the newest command.
    interlock: Interlock,
    /// Displacements of the actuators and of the transducers, then forces of the actuators and of the load cells.
    measured: Vec<f64>,
}

impl<'a, DC> Cycle<'a, DC> {
    pub(super) fn new(
        pump: Pump<'a>,
        main: &'a MainDevice<'a>,
        group: Group<Op, DC>,
        layout: Layout,
        period: Duration,
        answer_within: Duration,
    ) -> Self {
        let n = layout.actuators.len();
        let expected = group
            .iter(main)
            .map(|d| u16::from(!d.inputs_raw().is_empty()) + 2 * u16::from(!d.outputs_raw().is_empty()))
            .sum();
        let has_reference = group.iter(main).any(|d| d.dc_support().any());
        // Pressed until it was read.
        let report = Report { emergency_stop: layout.interlock.emergency_stop.is_some(), ..Report::default() };
        Cycle {
            pump,
            main,
            group,
            measured: vec![0.0; 2 * n + layout.transducers.len() + layout.load_cells.len()],
            layout,
            answer_within,
            beat: Beat::new(period),
            report,
            has_reference,
            expected,
            led: vec![Led { state: State::Busy, zero: [0.0; 2] }; n],
            command: None,
            interlock: Interlock::default(),
        }
    }

    /// Cycles until all devices are operational and all drives follow.
    pub(super) fn begin(&mut self) -> Result<(), String> {
        let end = Instant::now() + BEGINNING;
        while self.turn(Aim::On, false) != Outcome::Good || self.report.emergency_stop {
            if Instant::now() > end {
                return Err(self.obstacle());
            }
        }
        for (i, wiring) in self.layout.actuators.iter().enumerate() {
            let relative = wiring.drive.filter(|d| !d.absolute);
            if let Some(drive) = relative {
                self.led[i].zero = [self.read(drive.position), self.read(wiring.displacement)];
            }
        }
        self.report = Report::default();
        Ok(())
    }

    /// What keeps the bus from beginning.
    fn obstacle(&self) -> String {
        let answered = self.report.lost + self.report.miscounted < self.report.cycles / 2;
        if let Some(button) = self.layout.interlock.emergency_stop.filter(|_| answered && self.report.emergency_stop) {
            let (level, Bit { device, byte, bit }) = (if button.pressed { "high" } else { "low" }, button.bit);
            return format!(
                "the emergency stop is pressed (bit {bit} of input byte {byte} of device {} is {level}): release it, \
                    or check its wiring",
                device + 1
            );
        }
        let drive =
            self.layout.actuators.iter().zip(&self.led).find(|(w, l)| w.drive.is_some() && l.state != State::Enabled);
        match drive {
            Some((wiring, led)) if answered => {
                let device = wiring.command.device;
                let name = said(Some(self.group.subdevice(self.main, device))).map(|d| d.name().to_owned());
                let why = if led.state == State::Fault { "has a fault" } else { "cannot be switched on" };
                format!("the drive at device {} `{}` {why}", device + 1, name.unwrap_or_default())
            }
            _ => "the devices do not become operational; check their status LEDs".to_owned(),
        }
    }

    /// Follows commands until nobody sends any more.
    pub(super) fn serve(&mut self, mut inbox: Inbox) {
        while !inbox.is_alone() {
            self.pump.sleep(self.beat.due());
            let number = inbox.newest().map(|(number, interlock, values)| {
                self.interlock = interlock;
                match &mut self.command {
                    Some(command) => command.copy_from_slice(values),
                    None => self.command = Some(values.to_vec()),
                }
                number
            });
            let outcome = self.turn(Aim::Follow, number.is_none());
            if let Some(number) = number {
                inbox.answer(number, (outcome, self.report), &self.measured);
            }
        }
    }

    /// Switches the drives off, and takes the devices out of their operational state.
    pub(super) fn end(mut self) {
        let end = Instant::now() + ENDING;
        let on = |l: &Led| matches!(l.state, State::Enabled | State::On | State::Ready);
        let mut farewell = FAREWELL;
        while farewell > 0 || (self.led.iter().any(on) && Instant::now() < end) {
            self.turn(Aim::Off, true);
            farewell = farewell.saturating_sub(1);
        }
        // Whoever does not follow now is stopped by its own watchdog.
        let Cycle { mut pump, main, group, .. } = self;
        let leave = async {
            let group = group.into_safe_op(main).await?;
            let group = group.into_pre_op(main).await?;
            group.into_init(main).await
        };
        let _ = pump.run(leave, Instant::now() + ENDING);
    }

    /// One frame, when it is due; whether its commands are those of the last one.
    fn turn(&mut self, aim: Aim, held: bool) -> Outcome {
        self.pump.sleep(self.beat.due());
        self.put(aim);
        let sent = Instant::now();
        let response = self.pump.run(exchange(&self.group, self.main, self.has_reference), sent + self.answer_within);
        let outcome = match response {
            None | Some(Err(_)) => Outcome::Lost,
            Some(Ok(passed)) => {
                self.report.round_trip_ns = sent.elapsed().as_nanos() as u64;
                self.report.phase_ns = passed.time.map_or(0, |time| self.beat.heard(time).unsigned_abs());
                match passed {
                    Passed { operational: false, .. } => Outcome::Left,
                    Passed { counter, .. } if counter != self.expected => Outcome::Miscounted,
                    Passed { .. } => self.take(),
                }
            }
        };
        self.report.note(outcome, held);
        self.beat.next();
        outcome
    }

    /// Fills the outputs.
    fn put(&mut self, aim: Aim) {
        let odd = self.report.cycles % 2 == 1;
        // Nothing is switched on while the emergency stop is pressed.
        let off = aim == Aim::Off || (aim == Aim::On && self.report.emergency_stop);
        let contacts = self.layout.interlock;
        self.set(contacts.enable, aim == Aim::Follow && self.interlock.enable);
        self.set(contacts.heartbeat, self.interlock.heartbeat);
        for (i, wiring) in self.layout.actuators.iter().enumerate() {
            let Led { state, zero } = self.led[i];
            let commanded = self.command.as_ref().map(|c| c[i]);
            match wiring.drive {
                Some(Drive { control, position, .. }) => {
                    let word = if off { state.towards_disabled() } else { state.towards_enabled(odd) };
                    // A drive with a fault in the middle of a test stays where it is until somebody has looked.
                    let word = if aim == Aim::Follow && state == State::Fault { 0 } else { word };
                    let target = match (aim, commanded) {
                        (Aim::On, _) | (_, None) => self.read(position),
                        (_, Some(value)) => value + zero[0],
                    };
                    self.write(control, f64::from(word));
                    self.write(wiring.command, target);
                }
                None if aim == Aim::Off && self.layout.at_end == AtEnd::Zero => self.clear(wiring.command),
                None => {
                    if let Some(value) = commanded {
                        self.write(wiring.command, value);
                    }
                }
            }
        }
    }

    /// Reads the inputs.
    fn take(&mut self) -> Outcome {
        let n = self.layout.actuators.len();
        let forces = n + self.layout.transducers.len();
        let mut enabled = true;
        if let Some(button) = self.layout.interlock.emergency_stop {
            let device = self.group.subdevice(self.main, button.bit.device);
            self.report.emergency_stop = device.map_or(true, |d| button.is_pressed(&d.inputs_raw()));
        }
        for (i, wiring) in self.layout.actuators.iter().enumerate() {
            if let Some(drive) = wiring.drive {
                self.led[i].state = State::of(self.read(drive.status) as u16);
                enabled &= self.led[i].state == State::Enabled;
            }
            self.measured[i] = self.read(wiring.displacement) - self.led[i].zero[1];
            self.measured[forces + i] = self.read(wiring.force);
        }
        for (i, field) in self.layout.transducers.iter().enumerate() {
            self.measured[n + i] = self.read(*field);
        }
        for (i, field) in self.layout.load_cells.iter().enumerate() {
            self.measured[forces + n + i] = self.read(*field);
        }
        if enabled { Outcome::Good } else { Outcome::Faulted }
    }

    fn read(&self, field: Field) -> f64 {
        self.group.subdevice(self.main, field.device).map_or(0.0, |d| field.read(&d.inputs_raw()))
    }

    fn write(&self, field: Field, value: f64) {
        if let Ok(device) = self.group.subdevice(self.main, field.device) {
            field.write(value, &mut device.outputs_raw_mut());
        }
    }

    fn set(&self, bit: Option<Bit>, high: bool) {
        if let Some(bit) = bit
            && let Ok(device) = self.group.subdevice(self.main, bit.device)
        {
            bit.write(high, &mut device.outputs_raw_mut());
        }
    }

    fn clear(&self, field: Field) {
        if let Ok(device) = self.group.subdevice(self.main, field.device)
            && let Some(bytes) = device.outputs_raw_mut().get_mut(field.byte..field.end())
        {
            bytes.fill(0);
        }
    }
}

/// Sends the images around, and with them the time of the reference clock if there is one. (Asked for a time that nobody has,
/// version 0.7.1 of the library waits for its own lock.)
async fn exchange<DC>(group: &Group<Op, DC>, main: &MainDevice<'_>, has_reference: bool) -> Result<Passed, Error> {
    if has_reference {
        let r = group.tx_rx_sync_system_time(main).await?;
        return Ok(Passed { counter: r.working_counter, operational: r.all_op(), time: r.extra });
    }
    let r = group.tx_rx(main).await?;
    Ok(Passed { counter: r.working_counter, operational: r.all_op(), time: None })
}
