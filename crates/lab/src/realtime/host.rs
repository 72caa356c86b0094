//! What a machine is like, as far as it concerns a loop that keeps time, and how well it wakes one.
//!
//! Facts are read below a root, `/` on a real machine, so that any machine can be looked at. What cannot be read is said to be unknown: nothing is guessed.

use std::path::Path;

use super::rights::{Request, Rights, claim};
use super::{Clock, Schedule, Timing, Waking, WallClock, WhenLate};
use crate::verdict::Grade;

/// Something that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What.
    pub name: &'static str,
    /// What was found.
    pub found: String,
    /// What to do about it; none if it is well or unknown.
    pub advice: Option<String>,
}

/// Deepest sleep of a processor that does not disturb, µs to wake.
const LIGHT_SLEEP: u64 = 10;
/// Bits of the effective capabilities of a process that let it lock memory and choose its priority.
const IPC_LOCK: u64 = 1 << 14;
const SYS_NICE: u64 = 1 << 23;

/// The files below a root.
struct Files<'a>(&'a Path);

impl Files<'_> {
    /// A file without its last line break; the error says that it is unknown.
    fn read(&self, path: &str) -> Result<String, String> {
        let text = std::fs::read_to_string(self.0.join(path.trim_start_matches('/')));
        text.map(|t| t.trim().to_owned()).map_err(|_| format!("unknown: {path} cannot be read"))
    }

    fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join(path.trim_start_matches('/'))) else { return Vec::new() };
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Whether this process has a capability.
    fn is_capable(&self, bit: u64) -> bool {
        let status = self.read("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|l| l.strip_prefix("CapEff:")).map(str::trim);
        mask.and_then(|m| u64::from_str_radix(m, 16).ok()).is_some_and(|m| m & bit != 0)
    }

    /// The soft limit of this name.
    fn limit(&self, name: &str) -> Result<String, String> {
        let limits = self.read("/proc/self/limits")?;
        let line = limits.lines().find_map(|l| l.strip_prefix(name));
        let soft = line.and_then(|l| l.split_whitespace().next());
        soft.map(str::to_owned).ok_or_else(|| format!("unknown: /proc/self/limits has no `{name}`"))
    }
}

/// Everything that can be read before a test, always in the same order.
pub fn facts(root: &Path) -> Vec<Fact> {
    let files = Files(root);
    let look = |name, found: Result<(String, Option<String>), String>| {
        let (found, advice) = found.unwrap_or_else(|unknown| (unknown, None));
        Fact { name, found, advice }
    };
    vec![
        look("kernel", kernel(&files)),
        look("machine", machine(&files)),
        look("priority", priority(&files)),
        look("locked memory", locked_memory(&files)),
        look("deep sleep", deep_sleep(&files)),
        look("frequency", frequency(&files)),
        look("isolated cores", isolated(&files)),
        look("clock source", clock_source(&files)),
        look("throttling", throttling(&files)),
    ]
}

type Found = Result<(String, Option<String>), String>;

fn kernel(files: &Files<'_>) -> Found {
    let release = files.read("/proc/sys/kernel/osrelease")?;
    let version = files.read("/proc/version").unwrap_or_default();
    let real_time = files.read("/sys/kernel/realtime").is_ok_and(|t| t == "1") || version.contains("PREEMPT_RT");
    if real_time {
        return Ok((format!("{release}, real-time (PREEMPT_RT)"), None));
    }
    let kind = version.split_whitespace().find(|w| w.starts_with("PREEMPT")).unwrap_or("preemption model not stated");
    let advice = "install a kernel built with PREEMPT_RT (Debian: linux-image-rt-amd64), or add `preempt=full` to the kernel command line";
    Ok((format!("{release}, not real-time ({kind})"), Some(advice.to_owned())))
}

/// How many numbers a list such as `0-3,8` has, and the last.
fn cores(list: &str) -> (usize, Option<usize>) {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some((from.trim().parse::<usize>().ok()?, to.trim().parse::<usize>().ok()?))
    };
    let ranges: Vec<(usize, usize)> = list.split(',').filter_map(range).collect();
    (ranges.iter().map(|(a, b)| (b + 1).saturating_sub(*a)).sum(), ranges.iter().map(|r| r.1).max())
}

fn machine(files: &Files<'_>) -> Found {
    let (count, _) = cores(&files.read("/sys/devices/system/cpu/online")?);
    let flags = files.read("/proc/cpuinfo").unwrap_or_default();
    let is_virtual = flags.lines().any(|l| l.starts_with("flags") && l.contains(" hypervisor"));
    let several = if count == 1 { "1 core".to_owned() } else { format!("{count} cores") };
    let few = (count < 2).then(|| "a test needs two cores: one for the controller, one for the structure".to_owned());
    if !is_virtual {
        return Ok((several, few));
    }
    let advice = "run tests with hardware on a physical machine: the host of a virtual machine can interrupt it at \
        any time";
    Ok((format!("{several}, virtual"), Some(advice.to_owned())))
}

fn priority(files: &Files<'_>) -> Found {
    if files.is_capable(SYS_NICE) {
        return Ok(("any (CAP_SYS_NICE)".to_owned(), None));
    }
    let limit = files.limit("Max realtime priority")?;
    let enough = limit == "unlimited" || limit.parse::<u32>().is_ok_and(|p| p >= 80);
    let advice = "`ulimit -r` is too low for SCHED_FIFO 80: put `@GROUP - rtprio 99` into /etc/security/limits.conf and log in again";
    Ok((format!("SCHED_FIFO up to {limit}"), (!enough).then(|| advice.to_owned())))
}

fn locked_memory(files: &Files<'_>) -> Found {
    if files.is_capable(IPC_LOCK) {
        return Ok(("all (CAP_IPC_LOCK)".to_owned(), None));
    }
    let limit = files.limit("Max locked memory")?;
    let advice = "`ulimit -l` is not unlimited: put `@GROUP - memlock unlimited` into /etc/security/limits.conf and log in again";
    match limit.as_str() {
        "unlimited" => Ok(("all".to_owned(), None)),
        bytes => Ok((format!("up to {bytes} bytes"), Some(advice.to_owned()))),
    }
}

fn deep_sleep(files: &Files<'_>) -> Found {
    const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cpuidle";
    let states = files.names(FOLDER);
    if states.is_empty() {
        return Err(format!("unknown: {FOLDER} does not exist or is empty"));
    }
    let allowed = |state: &&String| files.read(&format!("{FOLDER}/{state}/disable")).is_ok_and(|d| d == "0");
    let latency = |state: &String| files.read(&format!("{FOLDER}/{state}/latency")).ok()?.parse::<u64>().ok();
    let deepest = states.iter().filter(allowed).filter_map(latency).max();
    let Some(deepest) = deepest else { return Ok(("none allowed".to_owned(), None)) };
    let advice = "let your group write to /dev/cpu_dma_latency by a udev rule, or add `processor.max_cstate=1 intel_idle.max_cstate=0` to the kernel command line";
    Ok((format!("up to {deepest} us to wake"), (deepest > LIGHT_SLEEP).then(|| advice.to_owned())))
}

fn frequency(files: &Files<'_>) -> Found {
    const PATH: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let governor = files.read(PATH)?;
    let advice = (governor != "performance").then(|| "`cpupower frequency-set -g performance`".to_owned());
    Ok((format!("governor {governor}"), advice))
}

fn isolated(files: &Files<'_>) -> Found {
    let list = files.read("/sys/devices/system/cpu/isolated")?;
    if !list.is_empty() {
        let ticking = files.read("/sys/devices/system/cpu/nohz_full").is_ok_and(|l| l.is_empty() || l == "(null)");
        let advice = ticking.then(|| format!("add `nohz_full={list}` to the kernel command line"));
        return Ok((format!("{list}: assign one to the test with --core"), advice));
    }
    let (count, last) = cores(&files.read("/sys/devices/system/cpu/online").unwrap_or_default());
    let advice = last.filter(|_| count > 1).map(|core| {
        format!(
            "add `isolcpus={core} nohz_full={core}` to the kernel command line, and run the test with --core {core}"
        )
    });
    Ok(("none".to_owned(), advice))
}

fn clock_source(files: &Files<'_>) -> Found {
    let source = files.read("/sys/devices/system/clocksource/clocksource0/current_clocksource")?;
    // Those that are read without a system call.
    let quick = ["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"].contains(&source.as_str());
    let advice = "it is slow to read: add `clocksource=tsc tsc=reliable` to the kernel command line if the processor \
        has an invariant TSC";
    Ok((source, (!quick).then(|| advice.to_owned())))
}

fn throttling(files: &Files<'_>) -> Found {
    let runtime = files.read("/proc/sys/kernel/sched_rt_runtime_us")?;
    Ok(match runtime.as_str() {
        "-1" => ("none".to_owned(), None),
        us => (format!("{us} us of each period for real-time threads: affects only a loop that spins"), None),
    })
}

/// Time that was taken away from a virtual machine, and all time, so far, in ticks of the system; `None` if not known.
pub fn stolen(root: &Path) -> Option<[u64; 2]> {
    let text = Files(root).read("/proc/stat").ok()?;
    let times: Vec<u64> = text.lines().next()?.split_whitespace().skip(1).filter_map(|w| w.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; guests are counted in user.
    Some([*times.get(7)?, times.iter().take(8).sum()])
}

/// Wakes a thread every `period` seconds for some seconds, with these rights: how late it was, and what it was granted.
///
/// # Errors
/// When the period is none, or the system gives no thread.
pub fn wake_ups(period: f64, seconds: f64, request: Request, waking: Waking) -> Result<(Timing, Rights), String> {
    let schedule = Schedule::new(period, WhenLate::Skip)?;
    let run = move || {
        let rights = claim(&request);
        let mut timing = Timing::new(schedule.period_ns());
        let mut clock = WallClock::new(schedule, waking);
        loop {
            let tick = clock.wait();
            timing.note(&tick, clock.now_ns());
            if tick.woke_ns as f64 >= 1e9 * seconds {
                return (timing, rights);
            }
        }
    };
    // A thread of its own: rights belong to it, and end with it.
    let thread = std::thread::Builder::new().name("interfield-doctor".into()).spawn(run).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| "the timing thread ended unexpectedly".to_owned())
}

/// Shares of a period by which 99.9 % of all wake-ups, and the latest one, may be late before the machine is doubted.
const DOUBTED: [f64; 2] = [0.2, 0.5];
/// Share of all periods that may be missed, or overrun, before the rate cannot be held.
const LOST: f64 = 1e-3;

/// Whether a loop of this period (ns) can be kept, by how one was kept; and the reason in words.
pub fn judge(timing: &Timing, period_ns: u64) -> (Grade, String) {
    let late = timing.wake_up.summary();
    let (period, periods) = (period_ns as f64, (late.count + timing.missed).max(1) as f64);
    let share = |ns: u64| 100.0 * ns as f64 / period;
    if late.count == 0 {
        return (Grade::Failed, "no wake-up was measured".to_owned());
    }
    if late.p99 as f64 > period {
        return (Grade::Failed, format!("1 wake-up in 100 is late by {:.0} % of a period or more", share(late.p99)));
    }
    let lost = timing.missed + timing.overrun;
    if lost as f64 > LOST * periods {
        return (
            Grade::Failed,
            format!("{} of {periods:.0} periods missed, {} overrun", timing.missed, timing.overrun),
        );
    }
    if lost > 0 {
        return (
            Grade::Doubtful,
            format!("{} of {periods:.0} periods missed, {} overrun", timing.missed, timing.overrun),
        );
    }
    if late.max as f64 > DOUBTED[1] * period || late.p99_9 as f64 > DOUBTED[0] * period {
        let (usual, latest) = (share(late.p99_9), share(late.max));
        let said =
            format!("99.9 % of the wake-ups are late by up to {usual:.0} % of a period, the latest by {latest:.0} %");
        return (Grade::Doubtful, said);
    }
    (Grade::Good, format!("the latest wake-up is late by {:.1} % of a period", share(late.max)))
}
