//! The list of all items, and how they are run.

use std::cmp::Reverse;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;
use std::{panic, thread};

use crate::item::{Item, Progress, Stopped};
use crate::outcome::Outcome;
use crate::records::Records;
use crate::{
    amplification, control, drift, four_dofs, frequency_domain, global_errors, histories, links, localized, measured,
    more_unknowns, noise, one_stage, pendulums, real_time, resonance, spectra, subcycling, viaduct, viaduct_test,
};

/// Every figure and table, by paper and place.
pub const ITEMS: &[Item] = &[
    subcycling::INTRODUCTION_OF_000,
    spectra::FIG_1_OF_000,
    pendulums::FIG_3_OF_000,
    histories::FIG_4_OF_000,
    histories::FIG_5_OF_000,
    resonance::AFTER_A_SECOND,
    histories::FIG_6_OF_000,
    resonance::SHAKER,
    pendulums::FIG_8_OF_000,
    drift::FIG_12_OF_000,
    drift::FIG_15_OF_000,
    real_time::TRENTO,
    control::OPTION_III,
    one_stage::LSRT1,
    one_stage::CHANG,
    spectra::FIG_2_OF_001,
    measured::FIG_3_OF_001,
    amplification::FIG_5_OF_001,
    amplification::FIG_6_OF_001,
    global_errors::FIG_7_OF_001,
    global_errors::FIG_8_OF_001,
    four_dofs::FIG_9_OF_001,
    spectra::FIG_3_OF_002,
    more_unknowns::MORE_UNKNOWNS,
    amplification::FIG_8_OF_002,
    global_errors::FIG_9_OF_002,
    drift::FIG_11_OF_002,
    subcycling::INTRODUCTION_OF_003,
    viaduct::FIG_4,
    viaduct::TABLE_2,
    frequency_domain::HALVES,
    links::FIG_6,
    links::FIG_7,
    viaduct::ERRORS,
    viaduct_test::FIG_8,
    frequency_domain::SPECTRA,
    real_time::LATE,
    localized::FIG_1,
    noise::FIG_3,
    noise::FIG_4,
    noise::FIG_7,
    localized::ENERGY,
    real_time::UNIQUE,
    real_time::SUPPORTS,
];

/// The item of this name.
pub fn find(id: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|i| i.id == id)
}

/// How often progress is told.
const TELL: Duration = Duration::from_millis(100);

/// Runs items on so many threads with the records of the user, and does `finish` with every outcome as soon as it is there, on the same threads. What
/// comes out stands in the order of the items and is the same however many threads there are. `tell` hears in the calling
/// thread which part of all work is done, from 0 to 1; `stop` ends it early, and what was finished by then is kept.
pub fn run<R: Send>(
    items: &[&'static Item],
    threads: usize,
    (stop, records): (&AtomicBool, &Records),
    finish: impl Fn(&'static Item, Outcome) -> R + Sync,
    mut tell: impl FnMut(f64),
) -> Vec<Result<R, Stopped>> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| Reverse(items[i].seconds));
    let progress: Vec<Progress<'_>> = items.iter().map(|_| Progress::new(stop, records)).collect();
    let next = AtomicUsize::new(0);
    let one = |i: usize| {
        progress[i].at(0.0)?;
        let outcome = (items[i].run)(&progress[i])?;
        let finished = finish(items[i], outcome);
        progress[i].finish();
        Ok(finished)
    };
    let (send, receive) = mpsc::channel();
    let work = |send: Sender<(usize, Result<R, Stopped>)>| {
        while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            // An item that panics is a mistake of this program; the others are still worth having.
            let result = panic::catch_unwind(AssertUnwindSafe(|| one(i)))
                .unwrap_or_else(|_| Err(Stopped::Fault("a mistake in this program: please report it".to_owned())));
            if send.send((i, result)).is_err() {
                break;
            }
        }
    };
    let weight = |item: &Item| f64::from(item.seconds.max(1));
    let total: f64 = items.iter().map(|i| weight(i)).sum();
    let mut results: Vec<Option<Result<R, Stopped>>> = items.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            let (send, work) = (send.clone(), &work);
            scope.spawn(move || work(send));
        }
        drop(send);
        loop {
            match receive.recv_timeout(TELL) {
                Ok((i, result)) => results[i] = Some(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            tell(items.iter().zip(&progress).map(|(i, p)| weight(i) * p.done()).sum::<f64>() / total);
        }
    });
    let lost = || Err(Stopped::Fault("it was not completed".to_owned()));
    results.into_iter().map(|r| r.unwrap_or_else(lost)).collect()
}
