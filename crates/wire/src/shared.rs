//! Messages through POSIX shared memory, for a controller on the same machine. A C program uses the same memory, see
//! `c/interfield_wire.h`.
//!
//! ```text
//! offset    0  u32 magic "IFSM", u32 version 1
//!           8  u64 process of the controller, who made the memory and takes it away
//!          16  u64 process of the test, 0 if there is none; taken by compare-and-swap, so there is never a second
//!          64  slot to the controller
//!        1216  slot to the test
//!        2368  end
//! a slot:   0  u64 stamp: odd while the message is written, then the next even number
//!           8  u64 length of the message
//!          16  the message, 1104 bytes and room to the next multiple of 64
//! ```
//!
//! A slot holds the newest message only. That is enough: a command is the only one under way, and what was overwritten is sent
//! again. The reader takes a copy and believes it if the stamp was even and is the same afterwards (a sequence lock).
//! All words are atomic, so that a torn copy is a wrong number and never undefined. What cannot be guarded against: a process
//! of the same user that cuts the memory short kills both sides (SIGBUS); nobody else may open it.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use memmap2::MmapRaw;
use rustix::fs::Mode;
use rustix::process::{Pid, test_kill_process};
use rustix::shm;

use crate::layout::MOST_BYTES;
use crate::{Dock, Heard, Link};

/// First word: magic number and version.
const MARK: u64 = u32::from_le_bytes(*b"IFSM") as u64 | 1 << 32;
/// Place of the process of the controller, in words of 8 bytes.
const CONTROLLER: usize = 1;
/// Place of the process of the test.
const TEST: usize = 2;
/// Place of the slot to the controller.
const TO_CONTROLLER: usize = 8;
/// Words of a slot.
const SLOT: usize = 144;
/// Place of the slot to the test.
const TO_TEST: usize = TO_CONTROLLER + SLOT;
/// Words of the whole memory.
const WORDS: usize = TO_TEST + SLOT;

const _: () = assert!(16 + MOST_BYTES <= 8 * SLOT && MOST_BYTES.is_multiple_of(8));

/// Looks this long without a pause, then gives the processor away between two looks, then sleeps between them.
const SPIN: Duration = Duration::from_micros(50);
const YIELD: Duration = Duration::from_millis(2);
const NAP: Duration = Duration::from_micros(50);

/// Whether a process exists is asked this often only.
const LIVES: Duration = Duration::from_millis(20);

/// The mapped memory.
struct Memory(MmapRaw);

impl Memory {
    fn map(file: &File) -> io::Result<Self> {
        let map = MmapRaw::map_raw(file)?;
        if map.len() < 8 * WORDS {
            return Err(io::Error::new(ErrorKind::InvalidData, "it is too small for the protocol"));
        }
        Ok(Memory(map))
    }

    #[allow(unsafe_code)]
    fn words(&self) -> &[AtomicU64; WORDS] {
        // SAFETY: the mapping is page-aligned, readable, writable, at least WORDS words long (checked when it was made) and
        // lives as long as self. Any bits are a valid AtomicU64, and all sides access the memory by atomic operations only.
        unsafe { &*self.0.as_ptr().cast::<[AtomicU64; WORDS]>() }
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        &self.words()[at]
    }

    /// Writes a message into a slot.
    fn write(&self, slot: usize, bytes: &[u8]) {
        let [stamp, length, message @ ..] = &self.words()[slot..slot + SLOT] else { return };
        let before = stamp.load(Ordering::Relaxed) & !1;
        stamp.store(before | 1, Ordering::Relaxed);
        fence(Ordering::Release);
        length.store(bytes.len() as u64, Ordering::Relaxed);
        for (word, part) in message.iter().zip(bytes.chunks(8)) {
            let mut raw = [0; 8];
            raw[..part.len()].copy_from_slice(part);
            word.store(u64::from_le_bytes(raw), Ordering::Relaxed);
        }
        stamp.store(before.wrapping_add(2), Ordering::Release);
    }

    /// Takes a message that is newer than `seen` out of a slot.
    fn read(&self, slot: usize, seen: &mut u64, buffer: &mut [u8]) -> Option<usize> {
        let [stamp, length, message @ ..] = &self.words()[slot..slot + SLOT] else { return None };
        let before = stamp.load(Ordering::Acquire);
        if before == *seen || before & 1 == 1 {
            return None;
        }
        // Whatever the length says, no more is copied than there is.
        let n = usize::try_from(length.load(Ordering::Relaxed))
            .ok()
            .filter(|n| *n <= MOST_BYTES.min(buffer.len()))
            .unwrap_or(0);
        for (part, word) in buffer.chunks_exact_mut(8).zip(message).take(n.div_ceil(8)) {
            part.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        fence(Ordering::Acquire);
        if stamp.load(Ordering::Relaxed) != before {
            return None;
        }
        *seen = before;
        Some(n)
    }
}

fn lives(process: u64) -> bool {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    // A process that may not be signalled exists.
    pid.is_some_and(|p| !matches!(test_kill_process(p), Err(e) if e == rustix::io::Errno::SRCH))
}

/// One end: what it reads, and whose life it watches.
struct End {
    memory: Memory,
    reads: usize,
    writes: usize,
    seen: u64,
    peer: usize,
    looked: Instant,
}

impl End {
    fn new(memory: Memory, [reads, writes, peer]: [usize; 3]) -> Self {
        End { memory, reads, writes, seen: 0, peer, looked: Instant::now() }
    }

    /// Whether the process at the other end, if there is one, exists no more; asked rarely.
    fn lost_peer(&mut self) -> bool {
        if self.looked.elapsed() < LIVES {
            return false;
        }
        self.looked = Instant::now();
        let peer = self.memory.word(self.peer).load(Ordering::Acquire);
        peer != 0 && !lives(peer)
    }

    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        let start = Instant::now();
        loop {
            if let Some(n) = self.memory.read(self.reads, &mut self.seen, buffer) {
                return Heard::Bytes(n);
            }
            let now = Instant::now();
            if now >= until {
                return if self.lost_peer() { Heard::Dead } else { Heard::Nothing };
            }
            let waited = now - start;
            if waited < SPIN {
                std::hint::spin_loop();
            } else if waited < YIELD {
                std::thread::yield_now();
            } else {
                if self.lost_peer() {
                    return Heard::Dead;
                }
                std::thread::sleep(NAP.min(until - now));
            }
        }
    }
}

/// A client.
pub struct SharedLink(End);

impl SharedLink {
    /// Opens the memory of a controller.
    ///
    /// # Errors
    /// When nobody made it, it is something else, or another test has it.
    pub fn open(name: &str) -> io::Result<Self> {
        let file = File::from(shm::open(name, shm::OFlags::RDWR, Mode::empty())?);
        let memory = Memory::map(&file)?;
        if memory.word(0).load(Ordering::Acquire) != MARK {
            return Err(io::Error::new(ErrorKind::InvalidData, "it has another version of the protocol"));
        }
        if !lives(memory.word(CONTROLLER).load(Ordering::Acquire)) {
            return Err(io::Error::new(ErrorKind::NotFound, "the controller that created it has ended"));
        }
        let owner = memory.word(TEST);
        let before = owner.load(Ordering::Acquire);
        let own = u64::from(std::process::id());
        let free = before == 0 || !lives(before);
        if !free || owner.compare_exchange(before, own, Ordering::AcqRel, Ordering::Acquire).is_err() {
            let reason = format!("another test uses the specimen, process {before}");
            return Err(io::Error::new(ErrorKind::AddrInUse, reason));
        }
        Ok(SharedLink(End::new(memory, [TO_TEST, TO_CONTROLLER, CONTROLLER])))
    }
}

impl Link for SharedLink {
    fn send(&mut self, bytes: &[u8]) {
        self.0.memory.write(self.0.writes, bytes);
    }

    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        self.0.receive(buffer, until)
    }
}

impl Drop for SharedLink {
    fn drop(&mut self) {
        self.0.memory.word(TEST).store(0, Ordering::Release);
    }
}

/// The controller end; the memory goes with it.
pub struct SharedDock {
    end: End,
    name: String,
    /// Locked while the controller lives.
    _file: File,
}

impl SharedDock {
    /// Makes the memory.
    ///
    /// # Errors
    /// When another controller that is alive has one of this name.
    pub fn make(name: &str) -> io::Result<Self> {
        sweep();
        let new = || shm::open(name, shm::OFlags::CREATE | shm::OFlags::EXCL | shm::OFlags::RDWR, Mode::from(0o600));
        let file = match new() {
            Err(rustix::io::Errno::EXIST) => {
                let old = File::from(shm::open(name, shm::OFlags::RDWR, Mode::empty())?);
                let owner = Memory::map(&old).map(|m| m.word(CONTROLLER).load(Ordering::Acquire));
                if let Ok(process) = owner
                    && lives(process)
                {
                    let reason = format!("process {process} already offers a specimen there");
                    return Err(io::Error::new(ErrorKind::AddrInUse, reason));
                }
                // Left behind by one that was killed.
                shm::unlink(name)?;
                new()?
            }
            other => other?,
        };
        let file = File::from(file);
        file.set_len(8 * WORDS as u64)?;
        let memory = Memory::map(&file)?;
        memory.word(CONTROLLER).store(u64::from(std::process::id()), Ordering::Release);
        memory.word(0).store(MARK, Ordering::Release);
        // Nobody else has it; where there are no locks, the number of the process must do.
        let _ = file.try_lock();
        Ok(SharedDock { end: End::new(memory, [TO_CONTROLLER, TO_TEST, TEST]), name: name.to_owned(), _file: file })
    }
}

/// Removes the memory of controllers that were killed, whatever its name; the disk of shared memory is there on Linux only.
fn sweep() {
    for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
        // Nothing else is opened: it may belong to somebody.
        if !entry.metadata().is_ok_and(|m| m.is_file() && m.len() == 8 * WORDS as u64) {
            continue;
        }
        let Ok(file) = File::options().read(true).write(true).open(entry.path()) else { continue };
        // Numbers of processes mean nothing in another container; a lock does.
        let Some(memory) = file.try_lock().ok().and_then(|()| Memory::map(&file).ok()) else { continue };
        let owner = memory.word(CONTROLLER).load(Ordering::Acquire);
        // Without an owner it is being made, or taken away.
        if memory.word(0).load(Ordering::Acquire) == MARK && owner != 0 && !lives(owner) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Dock for SharedDock {
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        self.end.receive(buffer, until)
    }

    fn answer(&mut self, bytes: &[u8]) {
        self.end.memory.write(self.end.writes, bytes);
    }

    fn adopt(&mut self) {}

    fn send(&mut self, bytes: &[u8]) {
        self.answer(bytes);
    }

    /// Processes are watched instead.
    fn silence_is_death(&self) -> bool {
        false
    }
}

impl Drop for SharedDock {
    fn drop(&mut self) {
        self.end.memory.word(CONTROLLER).store(0, Ordering::Release);
        let _ = shm::unlink(&self.name);
    }
}
