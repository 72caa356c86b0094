//! A step of a coupling allocates nothing, on any thread. Alone in its file, so that no other thread is at work beside it.

use interfield_testkit::alloc::{CountingAllocator, count_everywhere};
use interfield_testkit::couplings::{ChainSprings, ROWS, Setting, advance, chain, row};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn steps_of_every_coupling_allocate_nothing_on_any_thread() {
    let before = count_everywhere();
    std::thread::spawn(|| drop(std::hint::black_box(vec![0u8; 100]))).join().expect("a thread");
    assert!(count_everywhere() > before, "the counter does not count");
    for name in ROWS.into_iter().chain(["PSL-a", "PSL1-a"]) {
        for threads in [false, true] {
            let (method, scheme) = row(name);
            let cut = chain(ChainSprings::Nonlinear);
            let mut coupled = cut.begin(method, &Setting::same(scheme, 0.002, 5));
            // A thread allocates before its first job; then back to the start, for the start-up of the coupling counts.
            let start = coupled.state().to_vec();
            coupled.use_threads(threads);
            advance(&mut *coupled, 0, 1);
            coupled.state_mut().copy_from_slice(&start);
            let before = count_everywhere();
            advance(&mut *coupled, 0, if threads { 200 } else { 1000 });
            assert_eq!(count_everywhere() - before, 0, "{name}, threads {threads}");
        }
    }
}
