//! A machine is told by its files: those of a machine for tests, of an office, and of none at all; and a loop by how it was kept.

use std::path::{Path, PathBuf};

use interfield_lab::realtime::host::{facts, judge, stolen, wake_ups};
use interfield_lab::realtime::rights::Request;
use interfield_lab::realtime::{Clock, Schedule, Timing, VirtualClock, Waking, WhenLate};
use interfield_lab::verdict::Grade;

/// A folder that looks like a machine.
fn machine(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines").join(name);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units\n\
Max locked memory         unlimited            unlimited            bytes\n\
Max realtime priority     99                   99\n";

#[test]
fn a_machine_for_tests_needs_nothing() {
    let idle = "sys/devices/system/cpu/cpu0/cpuidle";
    let root = machine(
        "laboratory",
        &[
            ("proc/sys/kernel/osrelease", "6.1.0-rt\n"),
            ("proc/version", "Linux version 6.1.0 SMP PREEMPT_RT\n"),
            ("sys/devices/system/cpu/online", "0-7\n"),
            ("proc/cpuinfo", "flags\t\t: fpu vme tsc\n"),
            ("proc/self/limits", LIMITS),
            ("proc/self/status", "CapEff:\t0000000000000000\n"),
            (&format!("{idle}/state0/latency"), "0"),
            (&format!("{idle}/state0/disable"), "0"),
            (&format!("{idle}/state3/latency"), "890"),
            (&format!("{idle}/state3/disable"), "1"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/isolated", "6-7\n"),
            ("sys/devices/system/cpu/nohz_full", "6-7\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("proc/sys/kernel/sched_rt_runtime_us", "-1\n"),
        ],
    );
    for fact in facts(&root) {
        assert_eq!(fact.advice, None, "{fact:?}");
        assert!(!fact.found.contains("not known"), "{fact:?}");
    }
}

#[test]
fn an_office_machine_is_told_what_to_change() {
    let idle = "sys/devices/system/cpu/cpu0/cpuidle";
    let limits = LIMITS.replace("unlimited", "8388608").replace("99", "0");
    let root = machine(
        "office",
        &[
            ("proc/sys/kernel/osrelease", "6.8.0-generic\n"),
            ("proc/version", "Linux version 6.8.0 SMP PREEMPT_DYNAMIC\n"),
            ("sys/devices/system/cpu/online", "0-3\n"),
            ("proc/cpuinfo", "flags\t\t: fpu hypervisor tsc\n"),
            ("proc/self/limits", &limits),
            ("proc/self/status", "CapEff:\t0000000000000000\n"),
            (&format!("{idle}/state3/latency"), "890"),
            (&format!("{idle}/state3/disable"), "0"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/isolated", "\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("proc/sys/kernel/sched_rt_runtime_us", "950000\n"),
        ],
    );
    let found = facts(&root);
    let advice = |name: &str| found.iter().find(|f| f.name == name).and_then(|f| f.advice.clone()).unwrap_or_default();
    for (name, cure) in [
        ("kernel", "PREEMPT_RT"),
        ("machine", "virtual"),
        ("priority", "ulimit -r"),
        ("locked memory", "memlock unlimited"),
        ("deep sleep", "max_cstate=1"),
        ("frequency", "cpupower frequency-set -g performance"),
        ("isolated cores", "isolcpus=3 nohz_full=3"),
        ("clock source", "clocksource=tsc"),
    ] {
        assert!(advice(name).contains(cure), "{name}: {}", advice(name));
    }
    // Who may do everything needs no limits.
    std::fs::write(root.join("proc/self/status"), "CapEff:\t000001ffffffffff\n").unwrap();
    let found = facts(&root);
    assert!(found.iter().filter(|f| f.name == "priority" || f.name == "locked memory").all(|f| f.advice.is_none()));
}

#[test]
fn what_cannot_be_read_is_unknown_and_not_guessed() {
    let root = machine("nothing", &[]);
    let found = facts(&root);
    assert_eq!(found.len(), 9);
    for fact in found {
        assert!(fact.found.starts_with("unknown: /") && fact.advice.is_none(), "{fact:?}");
    }
    assert_eq!(stolen(&root), None);
    let root = machine("stolen", &[("proc/stat", "cpu  10 0 20 60 0 0 0 10 5 0\ncpu0 1 2 3\n")]);
    assert_eq!(stolen(&root), Some([10, 100]));
}

/// A loop of 1 ms whose every `every`-th wake-up is late by so many ns, and has so much to do.
fn kept(late: u64, every: u64, work: u64) -> Timing {
    let schedule = Schedule::new(1e-3, WhenLate::Skip).unwrap();
    let mut clock = VirtualClock::new(schedule)
        .late_by(move |n| if n % every == every - 1 { late } else { 1000 })
        .working_for(move |n| if n % every == every - 1 { work } else { 0 });
    let mut timing = Timing::new(1_000_000);
    for _ in 0..10_000 {
        let tick = clock.wait();
        timing.note(&tick, clock.now_ns());
    }
    timing
}

#[test]
fn a_machine_is_judged_by_the_loop_it_kept() {
    let cases = [
        ("punctual", kept(20_000, 100, 0), Grade::Good, "2.0 % of a period"),
        ("late now and then", kept(700_000, 5000, 0), Grade::Doubtful, "the latest by 70 %"),
        ("often a little late", kept(300_000, 100, 0), Grade::Doubtful, "up to 30 %"),
        ("two periods missed", kept(1_500_000, 5000, 0), Grade::Doubtful, "2 of 10002 periods missed"),
        ("many missed", kept(1_500_000, 500, 0), Grade::Failed, "periods missed"),
        ("too much work", kept(0, 100, 1_100_000), Grade::Failed, "overrun"),
        ("hardly ever on time", kept(5_500_000, 20, 0), Grade::Failed, "1 wake-up in 100"),
    ];
    for (what, timing, grade, reason) in cases {
        let found = judge(&timing, 1_000_000);
        assert!(found.0 == grade && found.1.contains(reason), "{what}: {found:?}");
    }
    assert_eq!(judge(&Timing::new(1_000_000), 1_000_000).0, Grade::Failed);
}

#[test]
fn wake_ups_are_counted_and_a_rate_that_is_none_is_refused() {
    let (timing, _) = wake_ups(1e-3, 0.05, Request::default(), Waking::Sleep).unwrap();
    // A busy machine may miss periods; it counts them.
    let periods = timing.wake_up.summary().count + timing.missed;
    assert!((51..=60).contains(&periods) || timing.missed > 0, "{periods}");
    assert!(wake_ups(1e-7, 0.05, Request::default(), Waking::Sleep).is_err());
}
