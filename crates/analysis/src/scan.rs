//! Many independent questions, asked on all cores and answered in order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// `work` of every item, in the order of the items whatever the order of the work; `progress` is told in the calling thread how
/// many are done.
pub fn scan<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync, mut progress: impl FnMut(usize)) -> Vec<R> {
    let mut answers: Vec<(usize, R)> = Vec::with_capacity(items.len());
    each(items, all_cores(), work, |i, answer| {
        answers.push((i, answer));
        progress(answers.len());
        ControlFlow::Continue(())
    });
    answers.sort_by_key(|(i, _)| *i);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Threads that this machine runs at once.
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// `work` of every item on so many threads; the calling thread receives each answer with the number of its item as soon as it is
/// there, and ends it all by breaking: what is under way then is finished and dropped.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut receive: impl FnMut(usize, R) -> ControlFlow<()>,
) {
    let next = AtomicUsize::new(0);
    let (send, answers) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1).min(items.len()) {
            let (send, work, next) = (send.clone(), &work, &next);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    if send.send((i, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        for (i, answer) in answers {
            if receive(i, answer).is_break() {
                break;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::scan;

    #[test]
    fn answers_stand_in_the_order_of_the_questions() {
        let items: Vec<u64> = (0..200).collect();
        let mut told = Vec::new();
        // The first ones take longest.
        let work = |&i: &u64| (0..(200 - i) * 500).fold(i, |a, b| a.wrapping_mul(31).wrapping_add(b));
        let found = scan(&items, work, |done| told.push(done));
        assert_eq!(found, items.iter().map(work).collect::<Vec<_>>());
        assert_eq!(told, (1..=200).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_to_ask_is_nothing_to_answer() {
        assert!(scan(&[] as &[u8], |_| 0, |_| ()).is_empty());
    }
}
