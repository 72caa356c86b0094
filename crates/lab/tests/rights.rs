//! Rights that are refused, and rights that are granted, whoever runs this. A process of its own: limits are lowered.
#![cfg(target_os = "linux")]

use interfield_lab::realtime::rights::{Request, claim};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, sched_getaffinity, set_capabilities};
use thread_priority::{RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, thread_schedule_policy};

const FIFO: ThreadSchedulePolicy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);

/// In a thread of its own: rights stay with a thread.
fn apart<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(f).join().unwrap()
}

#[test]
fn what_is_refused_is_said_and_what_is_granted_is_true() {
    let core = apart(|| {
        let allowed = sched_getaffinity(None).unwrap();
        let core = (0..1024).rfind(|c| allowed.is_set(*c)).unwrap();
        let rights = claim(&Request { core: Some(core), ..Request::default() });
        assert_eq!((rights.core, rights.missing.len()), (Some(core), 0));
        let now = sched_getaffinity(None).unwrap();
        assert!(now.is_set(core) && now.count() == 1);
        // A thread that inherits the core can still be given another.
        let first = (0..1024).find(|c| allowed.is_set(*c)).unwrap();
        assert_eq!(apart(move || claim(&Request { core: Some(first), ..Request::default() }).core), Some(first));
        core
    });

    apart(|| {
        let rights = claim(&Request { priority: Some(10), ..Request::default() });
        assert_eq!(rights.priority.is_some(), thread_schedule_policy() == Ok(FIFO));
        assert_eq!(rights.missing.len(), usize::from(rights.priority.is_none()));
    });

    apart(move || {
        let mut own = capabilities(None).unwrap();
        own.effective.remove(CapabilitySet::SYS_NICE | CapabilitySet::IPC_LOCK);
        set_capabilities(None, own).unwrap();
        for (resource, most) in [(Resource::Rtprio, 0), (Resource::Memlock, 65_536)] {
            setrlimit(resource, Rlimit { current: Some(most), maximum: getrlimit(resource).maximum }).unwrap();
        }
        let rights = claim(&Request { priority: Some(80), core: Some(100_000), lock_memory: true, stay_awake: false });
        assert_eq!((rights.priority, rights.core, rights.memory_locked), (None, None, false));
        let sentences: Vec<String> = rights.missing.iter().map(ToString::to_string).collect();
        for (words, sentence) in [
            ["memory is not locked", "memlock unlimited", "CAP_IPC_LOCK"],
            ["not bound to core 100000", "the cores ", &core.to_string()],
            ["SCHED_FIFO 80 is not permitted", "rtprio 99", "CAP_SYS_NICE"],
        ]
        .iter()
        .zip(&sentences)
        {
            assert!(words.iter().all(|w| sentence.contains(w)), "{sentence}");
        }
        assert_eq!(sentences.len(), 3);
        assert_ne!(thread_schedule_policy(), Ok(FIFO));

        let rights = claim(&Request { priority: Some(100), ..Request::default() });
        assert!(rights.missing[0].to_string().contains("from 1 to 99"));
    });
}
