//! The clock of the machine that never jumps, in nanoseconds since an arbitrary moment, and sleeping until a moment of it.

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::clock_nanosleep_absolute;
    use rustix::time::{ClockId, Timespec, clock_gettime};

    const SECOND: u64 = 1_000_000_000;

    /// Now: about 25 ns, no system call.
    pub(crate) fn now() -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * SECOND + now.tv_nsec as u64
    }

    /// Sleeps until `at`. An absolute moment: what happens before the call does not add to the sleep.
    pub(crate) fn sleep_until(at: u64) {
        let at = Timespec { tv_sec: (at / SECOND) as i64, tv_nsec: (at % SECOND) as _ };
        // A signal ends a sleep early; the moment stays the same.
        while clock_nanosleep_absolute(ClockId::Monotonic, &at) == Err(rustix::io::Errno::INTR) {}
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    static START: OnceLock<Instant> = OnceLock::new();

    /// Now.
    pub(crate) fn now() -> u64 {
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    /// Sleeps until `at`, as well as a relative sleep can.
    pub(crate) fn sleep_until(at: u64) {
        std::thread::sleep(Duration::from_nanos(at.saturating_sub(now())));
    }
}

pub(crate) use system::{now, sleep_until};
