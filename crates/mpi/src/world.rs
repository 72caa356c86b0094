//! The processes that were started together.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use interfield_coupling::{Channel, Exchange};

/// The functions of the connection, in their order there. Whatever they are given is checked here: lengths are those of slices, ranks exist.
#[repr(C)]
#[derive(Clone, Copy)]
struct Functions {
    start: extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    post: extern "C" fn(c_int, c_int, *const f64, c_int) -> c_int,
    look: extern "C" fn(c_int, c_int) -> c_int,
    take: extern "C" fn(c_int, c_int, *mut f64, c_int) -> c_int,
    name: extern "C" fn(*mut c_char, c_int),
    end: extern "C" fn(c_int),
}

/// Name of the functions in the connection, with their version.
const SYMBOL: &[u8] = b"interfield_mpi_1\0";
/// How long a rank that is told to end waits for a message that may be under way.
const GRACE: Duration = Duration::from_millis(200);
/// After so long without a message, who is waited for is said.
const PATIENCE: Duration = Duration::from_secs(20);
/// Looks without a pause: a message is expected within microseconds. Then others may run.
const TURNS: u32 = 2000;

/// The processes that were started together, seen by one of them. Messages go through the thread that computes.
pub struct World {
    functions: Functions,
    rank: usize,
    count: usize,
    /// Since when this rank is told to end.
    ending: OnceLock<Instant>,
    /// One more than the rank that was waited for in vain.
    lost: AtomicUsize,
    /// Says who is waited for.
    slow: Mutex<Box<dyn Fn(usize, Duration) + Send>>,
}

impl World {
    /// Joins the other processes, through the connection at `path`. It is never unloaded: MPI can be started once in a process.
    ///
    /// # Errors
    /// Why not, in a sentence.
    pub fn join(path: &Path) -> Result<Self, String> {
        // Loading runs the initialisers of MPI; the file is the one that `build` made, or the user named.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|e| format!("`{}` cannot be loaded: {e}", path.display()))?;
        // The symbol is a constant of this type, and its name has the version of the type.
        let functions = unsafe { library.get::<*const Functions>(SYMBOL).map(|f| **f) };
        let functions = functions.map_err(|_| format!("`{}` belongs to another version", path.display()))?;
        std::mem::forget(library);
        let (mut rank, mut count) = (0, 0);
        if (functions.start)(&raw mut rank, &raw mut count) != 0 {
            return Err("MPI could not be started".to_owned());
        }
        let number = |n: c_int| usize::try_from(n).map_err(|_| "MPI gave this process no number".to_owned());
        Ok(World {
            functions,
            rank: number(rank)?,
            count: number(count)?,
            ending: OnceLock::new(),
            lost: AtomicUsize::new(0),
            slow: Mutex::new(Box::new(|_, _| ())),
        })
    }

    /// The implementation of MPI, in its own words.
    pub fn name(&self) -> String {
        let mut text: [c_char; 256] = [0; 256];
        (self.functions.name)(text.as_mut_ptr(), text.len() as c_int);
        let bytes: Vec<u8> = text.iter().map(|c| *c as u8).collect();
        let text = CStr::from_bytes_until_nul(&bytes).map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
        text.split(',').next().unwrap_or_default().lines().next().unwrap_or_default().trim().to_owned()
    }

    /// Calls this when another rank does not answer for long, with its number and the time.
    pub fn when_slow(&self, tell: impl Fn(usize, Duration) + Send + 'static) {
        *self.slow.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(tell);
    }

    /// This rank was told to end, by a signal: it no longer waits for the others.
    pub fn end_soon(&self) {
        let _ = self.ending.set(Instant::now());
    }

    /// Whether it was told.
    pub fn is_ending(&self) -> bool {
        self.ending.get().is_some()
    }

    /// The rank that was waited for in vain.
    pub fn lost(&self) -> Option<usize> {
        self.lost.load(Ordering::Acquire).checked_sub(1)
    }

    /// Parts from the others. They must have been told, see [`interfield_coupling::Ranks::end`].
    pub fn leave(&self) {
        (self.functions.end)(c_int::from(self.lost().is_some() || self.is_ending()));
    }

    fn wait(&self, from: usize, channel: Channel) -> Option<usize> {
        let (mut turns, mut began, mut told) = (0, None, false);
        loop {
            match (self.functions.look)(from as c_int, channel as c_int) {
                count if count >= 0 => return usize::try_from(count).ok(),
                -1 => {}
                _ => return None,
            }
            turns += 1;
            if turns < TURNS {
                std::hint::spin_loop();
                continue;
            }
            let began = *began.get_or_insert_with(Instant::now);
            if self.ending.get().is_some_and(|since| since.elapsed() > GRACE) {
                return None;
            }
            if !told && began.elapsed() > PATIENCE {
                told = true;
                self.slow.lock().unwrap_or_else(PoisonError::into_inner)(from, began.elapsed());
            }
            if began.elapsed() > Duration::from_millis(20) {
                std::thread::sleep(Duration::from_micros(200));
            } else {
                std::thread::yield_now();
            }
        }
    }
}

impl Exchange for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn send(&self, to: usize, channel: Channel, numbers: &[f64]) {
        let length = c_int::try_from(numbers.len()).unwrap_or(c_int::MAX);
        // A message that cannot be sent is missed by the one who waits for it.
        let _ = (self.functions.post)(to as c_int, channel as c_int, numbers.as_ptr(), length);
    }

    fn receive(&self, from: usize, channel: Channel, numbers: &mut Vec<f64>) -> Option<usize> {
        let found = self.wait(from, channel).and_then(|count| {
            if numbers.len() < count {
                numbers.resize(count, 0.0);
            }
            let taken = (self.functions.take)(from as c_int, channel as c_int, numbers.as_mut_ptr(), count as c_int);
            (taken == 0).then_some(count)
        });
        if found.is_none() {
            self.lost.store(from + 1, Ordering::Release);
        }
        found
    }
}
