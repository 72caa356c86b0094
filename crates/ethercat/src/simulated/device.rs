//! A simulated device: registers, states, memory, and the map from the addresses of the bus to its memory (ETG.1000.4).

use std::ops::Range;
use std::time::{Duration, Instant};

use super::coe::Objects;
use super::sii::{INPUTS, MAILBOX_IN, MAILBOX_OUT, OUTPUTS, memory};

const STATION: usize = 0x0010;
const AL_CONTROL: usize = 0x0120;
const AL_STATUS: usize = 0x0130;
const AL_CODE: usize = 0x0134;
const SII_CONTROL: usize = 0x0502;
const SII_DATA: usize = 0x0508;
const FMMU: usize = 0x0600;
const CHANNEL: usize = 0x0800;
const PORT_TIMES: usize = 0x0900;
const SYSTEM_TIME: usize = 0x0910;
const RECEIVE_TIME: usize = 0x0918;
const OFFSET: usize = 0x0920;
const DIFFERENCE: usize = 0x092c;
const SYNC_ACTIVE: usize = 0x0981;
const SYNC_PERIOD: usize = 0x09a0;

/// Entries of the map from addresses of the bus to memory.
const ENTRIES: usize = 16;

/// Time from one device to the next, ns.
const HOP: u64 = 120;

/// Longest time without process data: then outputs are not trusted any more.
const WATCHDOG: Duration = Duration::from_millis(100);

/// The states of a device.
pub(super) const INIT: u8 = 1;
pub(super) const SAFE_OP: u8 = 4;
pub(super) const OP: u8 = 8;

/// A device.
pub(super) struct Device {
    memory: Vec<u8>,
    sii: Vec<u8>,
    objects: Option<Objects>,
    pub(super) outputs: usize,
    pub(super) inputs: usize,
    /// Its own clock: where it started, and how fast it is.
    clock: Option<(u64, f64)>,
    started: Instant,
    /// When process data came last.
    fed: Instant,
}

impl Device {
    /// The device at a place of a line with this many behind it.
    pub(super) fn new(
        name: &str,
        [outputs, inputs]: [usize; 2],
        mailbox: bool,
        clock: Option<f64>,
        behind: usize,
    ) -> Self {
        let mut device = Device {
            memory: vec![0; 0x4000],
            sii: memory(name, outputs, inputs, mailbox),
            objects: mailbox.then(|| Objects::new(outputs, inputs)),
            outputs,
            inputs,
            clock: clock.map(|ppm| (1_000_000_000 * (1 + behind as u64), 1.0 + 1e-6 * ppm)),
            started: Instant::now(),
            fed: Instant::now(),
        };
        // Clock of 64 bits with pulses; port 0 has a cable, port 1 if there is another device.
        let features = if clock.is_some() { 0x010c } else { 0 };
        device.set(0x0008, &u16::to_le_bytes(features));
        device.set(0x0110, &u16::to_le_bytes(if behind > 0 { 0x0031 } else { 0x0011 }));
        device.set(AL_STATUS, &[INIT, 0]);
        let latched = 2 * HOP * behind as u64;
        device.set(PORT_TIMES + 4, &u32::to_le_bytes(latched as u32));
        device
    }

    pub(super) fn station(&self) -> u16 {
        self.word(STATION) as u16
    }

    pub(super) fn state(&self) -> u8 {
        self.memory[AL_STATUS] & 0x0f
    }

    /// The value of one of its objects.
    pub(super) fn object(&self, index: u16, sub: u8) -> Option<u32> {
        self.objects.as_ref()?.get(index, sub)
    }

    /// Period of its pulses, ns, if they are on; and its share of the common time.
    pub(super) fn pulses(&self) -> Option<(u64, u64)> {
        let on = self.memory[SYNC_ACTIVE] & 3 == 3;
        let period = self.word(SYNC_PERIOD) & 0xffff_ffff;
        (on && period > 0).then(|| (period, self.system_time()))
    }

    /// Outputs as they came last; nothing unless it is operational.
    pub(super) fn output(&self) -> Option<&[u8]> {
        let start = usize::from(OUTPUTS);
        (self.state() == OP).then(|| &self.memory[start..start + self.outputs])
    }

    /// Inputs, to be filled.
    pub(super) fn input(&mut self) -> &mut [u8] {
        let start = usize::from(INPUTS);
        &mut self.memory[start..start + self.inputs]
    }

    /// Falls out of the operational state when no process data came for too long.
    pub(super) fn watch(&mut self, now: Instant) {
        if self.outputs > 0 && self.state() == OP && now.duration_since(self.fed) > WATCHDOG {
            self.set(AL_STATUS, &[SAFE_OP | 0x10, 0]);
            self.set(AL_CODE, &0x001b_u16.to_le_bytes());
        }
    }

    /// Reads registers or memory into `data`; whether they are there.
    pub(super) fn read(&mut self, at: usize, data: &mut [u8]) -> bool {
        let Some(end) = at.checked_add(data.len()).filter(|e| *e <= self.memory.len()) else { return false };
        if (at..end).contains(&SYSTEM_TIME) && self.clock.is_some() {
            let time = self.system_time();
            self.set(SYSTEM_TIME, &time.to_le_bytes());
        }
        data.copy_from_slice(&self.memory[at..end]);
        let (start, length) = MAILBOX_OUT;
        if self.objects.is_some() && at <= usize::from(start) && end >= usize::from(start + length) {
            self.memory[CHANNEL + 8 + 5] &= !0x08;
        }
        true
    }

    /// Writes registers or memory; whether they are there.
    pub(super) fn write(&mut self, at: usize, data: &[u8]) -> bool {
        let Some(end) = at.checked_add(data.len()).filter(|e| *e <= self.memory.len()) else { return false };
        if at == PORT_TIMES {
            return self.latch();
        }
        if at == SYSTEM_TIME {
            return self.adjust(data);
        }
        // What the device says itself is not written by others: type, state, status of the channels.
        if !(0x0000..0x0010).contains(&at) && at != AL_STATUS {
            self.memory[at..end].copy_from_slice(data);
        }
        match at {
            AL_CONTROL => self.request(data.first().copied().unwrap_or(0)),
            SII_CONTROL => self.look_up(),
            _ => {}
        }
        let (start, length) = MAILBOX_IN;
        if at <= usize::from(start) && end >= usize::from(start + length) {
            self.answer_mail();
        }
        true
    }

    /// Takes the outputs that a logical frame has for it; whether there were any.
    pub(super) fn take(&mut self, address: u64, data: &[u8]) -> bool {
        let mut any = false;
        for i in 0..ENTRIES {
            if let Some((mine, frame)) = self.mapped(i, 2, address, data.len()) {
                self.memory[mine].copy_from_slice(&data[frame]);
                self.fed = Instant::now();
                any = true;
            }
        }
        any
    }

    /// Gives the inputs that a logical frame asks it for; whether there were any.
    pub(super) fn give(&self, address: u64, data: &mut [u8]) -> bool {
        let mut any = false;
        for i in 0..ENTRIES {
            if let Some((mine, frame)) = self.mapped(i, 1, address, data.len()) {
                data[frame].copy_from_slice(&self.memory[mine]);
                any = true;
            }
        }
        any
    }

    /// Which bytes of the memory are which of a logical frame, by an entry of the map for this direction.
    fn mapped(&self, entry: usize, direction: u8, address: u64, length: usize) -> Option<(Range<usize>, Range<usize>)> {
        let entry = FMMU + 16 * entry;
        let on = self.memory[entry + 12] & 1 != 0 && self.memory[entry + 11] & direction != 0;
        if !on || self.state() < SAFE_OP {
            return None;
        }
        let (start, size) = (self.word(entry) & 0xffff_ffff, self.word(entry + 4) & 0xffff);
        let physical = (self.word(entry + 8) & 0xffff) as usize;
        let (from, to) = (start.max(address), (start + size).min(address + length as u64));
        let mine = physical + from.checked_sub(start)? as usize..physical + to.checked_sub(start)? as usize;
        let frame = (from - address) as usize..to.checked_sub(address)? as usize;
        (from < to && mine.end <= self.memory.len()).then_some((mine, frame))
    }

    /// Another state is wanted. Data can be exchanged only if the channels have the right lengths.
    fn request(&mut self, wanted: u8) {
        let state = wanted & 0x0f;
        let first = if self.objects.is_some() { 2 } else { 0 };
        let length = |i: usize| (self.word(CHANNEL + 8 * i + 2) & 0xffff) as usize;
        let fits = length(first) == self.outputs && length(first + 1) == self.inputs;
        if state >= SAFE_OP && !fits {
            let now = self.state();
            self.set(AL_STATUS, &[now | 0x10, 0]);
            // "Invalid output configuration"
            self.set(AL_CODE, &0x001d_u16.to_le_bytes());
            return;
        }
        self.fed = Instant::now();
        self.set(AL_STATUS, &[state, 0]);
        self.set(AL_CODE, &[0, 0]);
    }

    /// Puts four bytes of what it says of itself where they are read.
    fn look_up(&mut self) {
        let at = 2 * (self.word(SII_CONTROL + 2) & 0xffff) as usize;
        let four: [u8; 4] = std::array::from_fn(|i| self.sii.get(at + i).copied().unwrap_or(0xff));
        self.set(SII_DATA, &four);
        self.set(SII_CONTROL, &[0, 0]);
    }

    /// Answers what came into its mailbox.
    fn answer_mail(&mut self) {
        let (at, length) = (usize::from(MAILBOX_IN.0), usize::from(MAILBOX_IN.1));
        let Some(objects) = &mut self.objects else { return };
        if let Some(answer) = objects.answer(&self.memory[at..at + length]) {
            self.set(usize::from(MAILBOX_OUT.0), &answer);
            self.memory[CHANNEL + 8 + 5] |= 0x08;
        }
    }

    /// Notes when the frame came, by its own clock.
    fn latch(&mut self) -> bool {
        let Some(now) = self.local_time() else { return false };
        let behind = self.word(PORT_TIMES + 4).wrapping_sub(self.word(PORT_TIMES)) as u32;
        let first = now as u32;
        self.set(PORT_TIMES, &first.to_le_bytes());
        self.set(PORT_TIMES + 4, &first.wrapping_add(behind).to_le_bytes());
        self.set(RECEIVE_TIME, &now.to_le_bytes());
        true
    }

    /// Comes to the time of the reference clock, at once: the filter of a real device is not simulated.
    fn adjust(&mut self, data: &[u8]) -> bool {
        let (Some(_), Some(time)) = (self.clock, data.first_chunk()) else { return false };
        let difference = self.system_time().wrapping_sub(u64::from_le_bytes(*time)) as i64;
        // Zeros are written while the bus is set up.
        if u64::from_le_bytes(*time) != 0 {
            self.set(DIFFERENCE, &(difference as i32).to_le_bytes());
            let offset = self.word(OFFSET).wrapping_sub(difference as u64);
            self.set(OFFSET, &offset.to_le_bytes());
        }
        true
    }

    fn local_time(&self) -> Option<u64> {
        let (start, rate) = self.clock?;
        Some(start + (self.started.elapsed().as_nanos() as f64 * rate) as u64)
    }

    /// The common time as it knows it.
    fn system_time(&self) -> u64 {
        self.local_time().unwrap_or(0).wrapping_add(self.word(OFFSET))
    }

    fn set(&mut self, at: usize, bytes: &[u8]) {
        self.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|i| self.memory[at + i]))
    }
}
