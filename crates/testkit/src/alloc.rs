//! An allocator that counts, for the promise that the time-stepping loop does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

static EVERYWHERE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // Per thread, so that tests running side by side do not count each other; constant, so that reading it never
    // allocates.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting allocations and reallocations of each thread. Install it with
/// `#[global_allocator] static A: CountingAllocator = CountingAllocator;`.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

/// Allocations this thread has made so far; always 0 unless a [`CountingAllocator`] is installed.
pub fn count() -> usize {
    COUNT.with(Cell::get)
}

/// Allocations that all threads together have made so far.
pub fn count_everywhere() -> usize {
    EVERYWHERE.load(Ordering::SeqCst)
}

/// Allocations made by `f` in this thread.
pub fn allocations(f: impl FnOnce()) -> usize {
    let before = count();
    f();
    count() - before
}

fn tick() {
    EVERYWHERE.fetch_add(1, Ordering::SeqCst);
    // Fails only while a thread is being torn down, when nothing is counted any more.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// An allocator is an unsafe trait; every method passes its arguments on unchanged.
#[allow(unsafe_code)]
// SAFETY: all calls go to `System` with the caller's own guarantees.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tick();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
