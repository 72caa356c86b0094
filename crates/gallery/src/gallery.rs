//! The list of all items, and how they are run.

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{panic, thread};

use crate::item::{Item, Progress, Stopped};
use crate::outcome::Outcome;
use crate::{spectra, viaduct};

/// Every figure and table, by paper and place.
pub const ITEMS: &[Item] =
    &[spectra::FIG_1_OF_000, viaduct::TABLE_2, viaduct::FIG_6, viaduct::FIG_7, viaduct::ERRORS, viaduct::FIG_8];

/// The item of this name.
pub fn find(id: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|i| i.id == id)
}

/// How often progress is told.
const TELL: Duration = Duration::from_millis(100);

/// Runs items on so many threads; the outcomes stand in the order of the items and are the same however many threads
/// there are. `tell` hears in the calling thread which part of all work is done, from 0 to 1; `stop` ends it early, and what
/// was finished by then is kept.
pub fn run(
    items: &[&Item],
    threads: usize,
    stop: &AtomicBool,
    mut tell: impl FnMut(f64),
) -> Vec<Result<Outcome, Stopped>> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(items[i].seconds));
    let progress: Vec<Progress<'_>> = items.iter().map(|_| Progress::new(stop)).collect();
    let outcomes: Vec<Mutex<Option<Result<Outcome, Stopped>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(items.len()));
    let caller = thread::current();
    let work = || {
        while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let run_one = || progress[i].at(0.0).and_then(|()| (items[i].run)(&progress[i]));
            // An item that panics is a mistake of this program; the others are still worth having.
            let outcome = panic::catch_unwind(AssertUnwindSafe(run_one))
                .unwrap_or_else(|_| Err(Stopped::Fault("a mistake in this program: please report it".to_owned())));
            let _ = progress[i].at(1.0);
            if let Ok(mut place) = outcomes[i].lock() {
                *place = Some(outcome);
            }
            left.fetch_sub(1, Ordering::Release);
            caller.unpark();
        }
    };
    let total: f64 = items.iter().map(|i| f64::from(i.seconds.max(1))).sum();
    thread::scope(|scope| {
        (0..threads.clamp(1, items.len().max(1))).for_each(|_| drop(scope.spawn(&work)));
        while left.load(Ordering::Acquire) > 0 {
            let done = items.iter().zip(&progress).map(|(i, p)| f64::from(i.seconds.max(1)) * p.done()).sum::<f64>();
            tell(done / total);
            thread::park_timeout(TELL);
        }
    });
    let lost = || Err(Stopped::Fault("it was never finished".to_owned()));
    let take = |place: Mutex<Option<_>>| place.into_inner().ok().flatten().unwrap_or_else(lost);
    outcomes.into_iter().map(take).collect()
}
