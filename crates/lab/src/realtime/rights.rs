//! What a thread needs from the system to keep its time: a real-time priority, memory that stays in place, a core, and a
//! timer without slack. A right that is refused is no error: the loop runs without it, and a sentence says what is missing,
//! what that costs and how to get it.
//!
//! Rights belong to the calling thread (locked memory to the process), and threads started afterwards inherit them:
//! start those that write files or compute before.

use std::fmt;
use std::fs::File;
use std::sync::Arc;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// Priority under SCHED_FIFO, 1 to 99; 80 is above what systems use for interrupts of ordinary devices.
    pub priority: Option<u8>,
    /// Core to stay on, from 0.
    pub core: Option<usize>,
    /// Lock all memory of the process, present and future.
    pub lock_memory: bool,
    /// Keep the processor out of the sleep from which it takes up to a few hundred microseconds to wake.
    pub stay_awake: bool,
}

impl Request {
    /// Everything a loop alone on a core can use: SCHED_FIFO 80, this core, locked memory, a processor that stays awake.
    pub fn all(core: usize) -> Self {
        Self { priority: Some(80), core: Some(core), lock_memory: true, stay_awake: true }
    }
}

/// What was granted. Timer slack and the stack need no permission and are always seen to.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    /// The real-time priority.
    pub priority: Option<u8>,
    /// The core.
    pub core: Option<usize>,
    /// Whether memory is locked.
    pub memory_locked: bool,
    /// Keeps the processor awake as long as it is open, here or in a copy.
    pub awake: Option<Arc<File>>,
    /// What was asked for and refused.
    pub missing: Vec<Notice>,
    /// What no program can ask for, but whoever set the machine up could do.
    pub advice: Vec<Notice>,
}

/// Something that could be better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What is not as it should be.
    pub what: String,
    /// What may happen because of it.
    pub cost: String,
    /// What to do.
    pub cure: String,
}

impl Notice {
    fn new(what: impl Into<String>, cost: &str, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cost: cost.into(), cure: cure.into() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.what, self.cost, self.cure)
    }
}

/// Asks for all rights for the calling thread.
pub fn claim(request: &Request) -> Rights {
    touch_stack();
    system::claim(request)
}

/// Writes to as much stack as a loop may ever use, so that its pages are there before it starts.
#[inline(never)]
fn touch_stack() {
    std::hint::black_box(&mut [1u8; 256 * 1024]);
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::io::{ErrorKind, Write};
    use std::num::NonZeroU64;
    use std::sync::Arc;

    use rustix::mm::{MlockAllFlags, mlockall};
    use rustix::process::{Resource, getrlimit};
    use rustix::thread::{
        CapabilitySet, CpuSet, capabilities, sched_getaffinity, sched_setaffinity, set_current_timer_slack,
    };
    use thread_priority::{RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};

    use super::{Notice, Request, Rights};

    pub(super) fn claim(request: &Request) -> Rights {
        let mut rights = Rights::default();
        if request.lock_memory {
            match lock_memory() {
                Ok(()) => rights.memory_locked = true,
                Err(notice) => rights.missing.push(notice),
            }
        }
        if let Some(core) = request.core {
            match stay_on(core) {
                Ok(()) => rights.core = Some(core),
                Err(notice) => rights.missing.push(notice),
            }
        }
        if let Some(priority) = request.priority {
            match fifo(priority) {
                Ok(()) => rights.priority = Some(priority),
                Err(notice) => rights.missing.push(notice),
            }
        }
        if request.stay_awake {
            match stay_awake("/dev/cpu_dma_latency") {
                Ok(file) => rights.awake = file.map(Arc::new),
                Err(notice) => rights.missing.push(notice),
            }
        }
        // Ordinary threads are woken up to 50 us late on purpose, to save power. Refused only by a kernel without prctl.
        set_current_timer_slack(NonZeroU64::new(1)).ok();
        rights.advice = advice(&rights);
        rights
    }

    fn fifo(priority: u8) -> Result<(), Notice> {
        let cost = "any other program can delay the loop by milliseconds";
        let value = priority.try_into().map(ThreadPriority::Crossplatform).map_err(|_| ());
        let Some(value) = value.ok().filter(|_| (1..=99).contains(&priority)) else {
            let what = format!("no real-time priority: {priority} is not a valid priority");
            return Err(Notice::new(what, cost, "choose a priority from 1 to 99"));
        };
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        let thread = thread_priority::thread_native_id();
        thread_priority::set_thread_priority_and_policy(thread, value, policy).map_err(|_| {
            Notice::new(
                format!("no real-time priority: SCHED_FIFO {priority} is not permitted"),
                cost,
                "put `@GROUP - rtprio 99` into /etc/security/limits.conf and log in again, or give the program \
                 CAP_SYS_NICE: `setcap cap_sys_nice,cap_ipc_lock+ep PROGRAM`",
            )
        })
    }

    fn lock_memory() -> Result<(), Notice> {
        let notice = || {
            Notice::new(
                "memory is not locked",
                "a memory page that was swapped out or is used for the first time can delay the loop by milliseconds",
                "put `@GROUP - memlock unlimited` into /etc/security/limits.conf and log in again, or give the program \
                 CAP_IPC_LOCK: `setcap cap_sys_nice,cap_ipc_lock+ep PROGRAM`",
            )
        };
        // Below a limit the lock might succeed now and let a later allocation fail, which would end the program.
        let unlimited = getrlimit(Resource::Memlock).current.is_none();
        let capable = capabilities(None).is_ok_and(|c| c.effective.contains(CapabilitySet::IPC_LOCK));
        if !unlimited && !capable {
            return Err(notice());
        }
        mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE).map_err(|_| notice())
    }

    fn stay_on(core: usize) -> Result<(), Notice> {
        let mut only = CpuSet::new();
        let exists = core < CpuSet::MAX_CPU;
        if exists {
            only.set(core);
        }
        // Asked of the system, not of the cores of this thread: it may have inherited a single one.
        if exists && sched_setaffinity(None, &only).is_ok() {
            return Ok(());
        }
        let own = sched_getaffinity(None).unwrap_or(only);
        let cores = (0..CpuSet::MAX_CPU).filter(|c| own.is_set(*c)).map(|c| c.to_string()).collect::<Vec<_>>();
        Err(Notice::new(
            format!("not bound to core {core}"),
            "the loop may move between cores, with cold caches after each move",
            format!("this thread may use the cores {}: name one of them", cores.join(", ")),
        ))
    }

    /// Asks for a wake-up latency of 0 us; the kernel keeps to it while the file is open. A machine without the file, a
    /// virtual one mostly, leaves its sleep to its host.
    fn stay_awake(path: &str) -> Result<Option<File>, Notice> {
        let ask = || {
            let mut file = File::options().write(true).open(path)?;
            file.write_all(&0i32.to_ne_bytes())?;
            Ok(file)
        };
        match ask() {
            Ok(file) => Ok(Some(file)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err::<_, std::io::Error>(_) => Err(Notice::new(
                "the processor may enter deep sleep states",
                "it can take a few hundred microseconds to wake",
                format!("let your group write to {path}, by a udev rule, or boot with `processor.max_cstate=1`"),
            )),
        }
    }

    fn advice(rights: &Rights) -> Vec<Notice> {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let mut advice = Vec::new();
        if read("/sys/kernel/realtime").trim() != "1" {
            advice.push(Notice::new(
                "the kernel is not a real-time kernel",
                "the kernel, busy with another program, can delay the loop by milliseconds from time to time",
                "install one built with PREEMPT_RT (Debian: the package linux-image-rt-amd64), or boot with `preempt=full`",
            ));
        }
        if let Some(core) = rights.core
            && !within(&read("/sys/devices/system/cpu/isolated"), core)
        {
            advice.push(Notice::new(
                format!("core {core} is shared"),
                "the system may run other threads and interrupts on it",
                format!("boot with `isolcpus={core} nohz_full={core}` to reserve it for the loop"),
            ));
        }
        advice
    }

    /// Whether a list such as `1,3-5` has this number.
    fn within(list: &str, number: usize) -> bool {
        list.trim().split(',').any(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            from.parse().is_ok_and(|from: usize| from <= number) && to.parse().is_ok_and(|to: usize| number <= to)
        })
    }

    #[cfg(test)]
    mod tests {
        use super::{stay_awake, within};

        #[test]
        fn a_processor_that_may_not_be_kept_awake_is_mentioned_one_that_cannot_is_not() {
            let notice = stay_awake("/").unwrap_err().to_string();
            assert!(notice.contains("deep sleep") && notice.contains("udev"), "{notice}");
            assert!(stay_awake("/no/such/file").unwrap().is_none());
        }

        #[test]
        fn lists_of_cores_are_read() {
            let found: Vec<usize> = (0..9).filter(|n| within("1,3-5,7\n", *n)).collect();
            assert_eq!(found, [1, 3, 4, 5, 7]);
            assert!(!within("\n", 0));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Notice, Request, Rights};

    pub(super) fn claim(request: &Request) -> Rights {
        let mut rights = Rights::default();
        if *request != Request::default() {
            rights.missing.push(Notice::new(
                "no real-time rights on this system",
                "any other program can delay the loop by milliseconds",
                "run tests with hardware on Linux",
            ));
        }
        rights
    }
}
