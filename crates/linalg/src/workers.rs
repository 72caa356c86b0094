//! Who does a part of the work: the caller, before it goes on, or a worker thread, meanwhile.
//!
//! A job owns everything it needs and changes hands as a pointer through a wait-free ring, so that nothing is locked,
//! nothing is allocated after the start, and both ways give the same bits. A process, a machine or a laboratory can
//! stand behind the same two calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rtrb::{Consumer, Producer, RingBuffer};

/// Work that can be done without looking at anything else.
pub trait Job: Send + 'static {
    /// Does it; what came of it stays in the job.
    fn run(&mut self);
}

/// Starts a job, and gets it back done.
pub enum Workers<J> {
    /// The job runs in `start`.
    Caller(Option<Box<J>>),
    /// The job runs on a thread of its own.
    Worker(Worker<J>),
}

/// A thread that waits for jobs.
pub struct Worker<J> {
    to: Producer<Box<J>>,
    from: Consumer<Box<J>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Turns of the waiting loop before the processor is offered to others: a job is expected within microseconds.
const PATIENCE: u32 = 20_000;
/// Turns after which a worker sleeps until it is woken: some tens of milliseconds without a job.
const SLEEP: u32 = 100_000;

/// Waits for something to arrive; after a while it lets others run in between, and after a longer one calls `rest`.
fn wait<T>(mut ready: impl FnMut() -> Option<T>, rest: impl Fn()) -> T {
    let mut turns = 0;
    loop {
        if let Some(x) = ready() {
            return x;
        }
        turns += 1;
        match turns {
            ..PATIENCE => std::hint::spin_loop(),
            PATIENCE..SLEEP => std::thread::yield_now(),
            _ => {
                rest();
                turns = PATIENCE;
            }
        }
    }
}

impl<J: Job> Workers<J> {
    /// The caller does it all.
    pub fn caller() -> Self {
        Workers::Caller(None)
    }

    /// A thread of its own; the caller if the system gives none.
    pub fn worker(name: &str) -> Self {
        let (to, mut jobs) = RingBuffer::<Box<J>>::new(1);
        let (mut done, from) = RingBuffer::<Box<J>>::new(1);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            let mut next = || match jobs.pop() {
                Ok(job) => Some(Some(job)),
                Err(_) if stopped.load(Ordering::Acquire) => Some(None),
                Err(_) => None,
            };
            // Whoever hands a job over wakes the thread after that, so none is slept through.
            while let Some(mut job) = wait(&mut next, std::thread::park) {
                job.run();
                // One job at a time is under way, so there is room; if the owner has gone, so has the need.
                let _ = done.push(job);
            }
        };
        match std::thread::Builder::new().name(name.into()).spawn(work) {
            Ok(thread) => Workers::Worker(Worker { to, from, stop, thread: Some(thread) }),
            Err(_) => Self::caller(),
        }
    }

    /// Whether a thread is at work beside the caller.
    pub fn is_worker(&self) -> bool {
        matches!(self, Workers::Worker(_))
    }

    /// Hands a job over.
    pub fn start(&mut self, mut job: Box<J>) {
        match self {
            Workers::Caller(slot) => {
                job.run();
                *slot = Some(job);
            }
            Workers::Worker(w) => {
                // The ring has room: a job is started only when the last one has come back.
                drop(w.to.push(job));
                w.wake();
            }
        }
    }

    /// Waits for the job that was started.
    pub fn finish(&mut self) -> Box<J> {
        match self {
            Workers::Caller(slot) => wait(|| slot.take(), std::thread::yield_now),
            Workers::Worker(w) => wait(|| w.from.pop().ok().or_else(|| w.passed_on()), std::thread::yield_now),
        }
    }
}

impl<J> Worker<J> {
    /// Costs one atomic operation unless the thread sleeps.
    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// A panic of the worker is one of the caller: waiting for a thread that is gone would never end.
    fn passed_on(&mut self) -> Option<Box<J>> {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            std::panic::resume_unwind(panic);
        }
        None
    }
}

impl<J> Drop for Worker<J> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // A worker that panicked has nothing to tell: its job would have been a fault.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(u64);

    impl Job for Count {
        fn run(&mut self) {
            assert!(self.0 < 1000, "too far");
            self.0 += 1;
        }
    }

    #[test]
    fn a_thread_does_what_the_caller_does() {
        for mut workers in [Workers::caller(), Workers::worker("count")] {
            let mut job = Box::new(Count(0));
            for _ in 0..1000 {
                workers.start(job);
                job = workers.finish();
            }
            assert_eq!(job.0, 1000);
        }
    }

    #[test]
    fn a_thread_that_sleeps_is_woken() {
        let mut workers = Workers::worker("sleeper");
        // Longer than it waits for a job.
        for _ in 0..3 * SLEEP {
            std::thread::yield_now();
        }
        workers.start(Box::new(Count(0)));
        assert_eq!(workers.finish().0, 1);
    }

    #[test]
    #[should_panic(expected = "too far")]
    fn a_panic_of_the_worker_reaches_the_caller_instead_of_hanging_it() {
        let mut workers = Workers::worker("panic");
        workers.start(Box::new(Count(1000)));
        workers.finish();
    }
}
