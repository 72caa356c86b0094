//! The thread that owns the bus: finds the devices, sets them up, and hands them over to the [`cycle`].

mod beat;
mod cycle;
mod pump;
mod report;

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use ethercrab::error::{Error, MailboxError};
use ethercrab::std::ethercat_now;
use ethercrab::subdevice_group::{DcConfiguration, HasDc, NoDc, PreOp, PreOpPdi};
use ethercrab::{
    DcSync, DefaultLock, MainDevice, MainDeviceConfig, PduStorage, RetryBehaviour, SubDeviceGroup, Timeouts,
};
use interfield_lab::fieldbus::{Drive, Field, Layout};
use interfield_lab::hardware::Interlock;
use interfield_lab::realtime::mailbox::Controller;
use interfield_lab::realtime::rights::{Request, claim};

use crate::socket::{MOST_BYTES, Socket};
use cycle::Cycle;
use pump::Pump;
pub(crate) use report::{Outcome, Report};

/// Most devices on a bus, a power of two.
const MOST_DEVICES: usize = 64;
/// Most bytes of all images together: one frame carries them, the clock and the state of every device.
const MOST_IMAGE: usize = 512;
/// Frames under way at most.
const FRAMES: usize = 8;

type Group<S, DC> = SubDeviceGroup<MOST_DEVICES, MOST_IMAGE, DefaultLock, S, DC>;

/// Between setting up the clocks and the first pulse.
const FIRST_PULSE: Duration = Duration::from_millis(100);
/// Longest single step of setting up.
const STEP: Duration = Duration::from_secs(20);

/// Commands come with what the laboratory's interlock is told, measurements go with how the cycle went.
pub(crate) type Inbox = Controller<Interlock, (Outcome, Report)>;

/// What the thread is given.
pub(crate) struct Master {
    pub(crate) socket: Socket,
    pub(crate) layout: Layout,
    pub(crate) period: Duration,
    /// How long a frame may be under way.
    pub(crate) answer_within: Duration,
    pub(crate) inbox: Inbox,
    /// Rights of the thread, in a test by the clock.
    pub(crate) request: Option<Request>,
}

/// What was found.
pub(crate) struct Opened {
    pub(crate) devices: usize,
    /// Those that work by the distributed clock.
    pub(crate) clocks: usize,
}

/// ProgramLog once, when the devices are operational or not to be had.
pub(crate) type Ready = Sender<Result<Opened, String>>;

impl Master {
    /// Sets the bus up and cycles until the other end of the mailbox is gone.
    pub(crate) fn run(self, ready: &Ready) {
        if let Some(request) = &self.request {
            // What is refused here was refused the controller too, which says so.
            claim(request);
        }
        if let Err(message) = self.work(ready) {
            let _ = ready.send(Err(message));
        }
    }

    fn work(self, ready: &Ready) -> Result<(), String> {
        let storage = Box::new(PduStorage::<FRAMES, { PduStorage::element_size(MOST_BYTES) }>::new());
        let (tx, rx, pdu_loop) = storage.try_split().map_err(|()| "there is no memory for frames".to_owned())?;
        let timeouts =
            Timeouts { pdu: Duration::from_millis(100), eeprom: Duration::from_millis(500), ..Timeouts::default() };
        let config = MainDeviceConfig { retry_behaviour: RetryBehaviour::Count(2), ..MainDeviceConfig::default() };
        let main = MainDevice::new(pdu_loop, timeouts, config);
        let mut pump = Pump { socket: self.socket, tx, rx, buffer: [0; MOST_BYTES] };

        let found = pump.run(main.init_single_group::<MOST_DEVICES, MOST_IMAGE>(ethercat_now), Instant::now() + STEP);
        let mut group: Group<PreOp, NoDc> = said(found)?;
        enough(&group, &main, &self.layout)?;
        said(pump.run(prepare(&group, &main, &self.layout, self.period), Instant::now() + STEP))?;
        let clocks = synchronise(&mut group, &main, &self.layout);
        let devices = group.len();
        let group: Group<PreOpPdi, NoDc> = said(pump.run(group.into_pre_op_pdi(&main), Instant::now() + STEP))?;

        let opened = Opened { devices, clocks };
        let rest = (self.layout, self.period, self.answer_within, self.inbox);
        if clocks == 0 {
            return operate(pump, &main, group, rest, opened, ready);
        }
        let times =
            DcConfiguration { start_delay: FIRST_PULSE, sync0_period: self.period, sync0_shift: self.period / 2 };
        let synchronised = pump.run(group.configure_dc_sync(&main, times), Instant::now() + STEP);
        let group: Group<PreOpPdi, HasDc> = said(synchronised)?;
        operate(pump, &main, group, rest, opened, ready)
    }
}

/// Takes the devices to their operational state and cycles until the test is over.
fn operate<'a, DC>(
    mut pump: Pump<'a>,
    main: &'a MainDevice<'a>,
    group: Group<PreOpPdi, DC>,
    (layout, period, answer_within, inbox): (Layout, Duration, Duration, Inbox),
    opened: Opened,
    ready: &Ready,
) -> Result<(), String> {
    let group = said(pump.run(group.into_safe_op(main), Instant::now() + STEP))?;
    for (what, fields, outputs) in [
        ("outputs", layout.output_bytes().collect::<Vec<Field>>(), true),
        ("inputs", layout.input_bytes().collect(), false),
    ] {
        for field in fields {
            let device = said(Some(group.subdevice(main, field.device)))?;
            let room = if outputs { device.outputs_raw().len() } else { device.inputs_raw().len() };
            if field.end() > room {
                return Err(format!(
                    "device {} `{}` has {room} bytes of {what}, but the model uses bytes {} to {}",
                    field.device + 1,
                    device.name(),
                    field.byte,
                    field.end() - 1
                ));
            }
        }
    }
    let group = said(pump.run(group.request_into_op(main), Instant::now() + STEP))?;
    let mut cycle = Cycle::new(pump, main, group, layout, period, answer_within);
    cycle.begin()?;
    let _ = ready.send(Ok(opened));
    cycle.serve(inbox);
    cycle.end();
    Ok(())
}

/// Whether the devices that the wiring names are there.
fn enough(group: &Group<PreOp, NoDc>, main: &MainDevice<'_>, layout: &Layout) -> Result<(), String> {
    let wanted = layout.devices();
    let names: Vec<String> = group.iter(main).map(|d| format!("`{}`", d.name())).collect();
    match names.len() {
        0 => Err("no device answers; check cable and power".to_owned()),
        n if n < wanted => Err(format!("the model needs {wanted} devices, but {n} answer: {}", names.join(", "))),
        _ => Ok(()),
    }
}

/// What devices have to be told before they can exchange data: their lists, and the mode of drives.
async fn prepare(
    group: &Group<PreOp, NoDc>,
    main: &MainDevice<'_>,
    layout: &Layout,
    period: Duration,
) -> Result<(), Error> {
    const CYCLIC_SYNCHRONOUS_POSITION: u8 = 8;
    for assignment in &layout.assignments {
        let device = group.subdevice(main, assignment.device)?;
        for (index, lists) in [(0x1c12, &assignment.outputs), (0x1c13, &assignment.inputs)] {
            if !lists.is_empty() {
                device.sdo_write_array(index, lists).await?;
            }
        }
    }
    for Drive { control, .. } in layout.actuators.iter().filter_map(|a| a.drive) {
        let device = group.subdevice(main, control.device)?;
        match device.sdo_write(0x6060, 0, CYCLIC_SYNCHRONOUS_POSITION).await {
            // A drive without a mailbox has one mode only.
            Err(Error::Mailbox(MailboxError::NoReadMailbox | MailboxError::NoWriteMailbox)) => continue,
            other => other?,
        }
        if let Some((count, exponent)) = interpolation(period) {
            // Optional in the profile: a drive that does not have it works by its pulses.
            let _ = device.sdo_write(0x60c2, 1, count).await;
            let _ = device.sdo_write(0x60c2, 2, exponent).await;
        }
    }
    Ok(())
}

/// A period as `count · 10^exponent` s, if it can be told so.
fn interpolation(period: Duration) -> Option<(u8, i8)> {
    let ns = period.as_nanos();
    [(1_000_000, -3), (100_000, -4), (10_000, -5)]
        .into_iter()
        .filter(|(unit, _)| ns.is_multiple_of(*unit))
        .find_map(|(unit, exponent)| Some((u8::try_from(ns / unit).ok()?, exponent)))
}

/// Chooses the devices that work by the distributed clock: those of the wiring that can. How many.
fn synchronise(group: &mut Group<PreOp, NoDc>, main: &MainDevice<'_>, layout: &Layout) -> usize {
    let wired = |i: usize| layout.output_bytes().chain(layout.input_bytes()).any(|f| f.device == i);
    let mut clocks = 0;
    for (_, mut device) in group.iter_mut(main).enumerate().filter(|(i, d)| wired(*i) && d.dc_support().enhanced()) {
        device.set_dc_sync(DcSync::Sync0);
        clocks += 1;
    }
    clocks
}

/// What a step of setting up gave, or a sentence.
fn said<T>(outcome: Option<Result<T, Error>>) -> Result<T, String> {
    match outcome {
        None | Some(Err(Error::Timeout(_))) => Err("the devices do not answer in time".to_owned()),
        Some(Err(Error::Capacity(_))) => Err(format!("there are more than {MOST_DEVICES} devices on the bus")),
        Some(Err(Error::PdiTooLong { desired_length, .. })) => {
            Err(format!("the devices exchange {desired_length} bytes, more than the {MOST_IMAGE} of one frame"))
        }
        Some(Err(e)) => Err(format!("EtherCAT: {e}")),
        Some(Ok(value)) => Ok(value),
    }
}
