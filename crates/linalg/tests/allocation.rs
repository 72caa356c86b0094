//! Nothing in the loop allocates: a counting allocator watches every method.

mod common;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use interfield_linalg::{Factor, Kind, Pattern, Planned, Solver, Watch};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// A global allocator cannot be written without unsafe; it only counts and forwards to the system's.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and releases of this thread during a call.
fn count(call: impl FnOnce()) -> usize {
    let before = COUNT.get();
    call();
    COUNT.get() - before
}

fn watch(factor: &mut Factor, good: &[f64], n: usize) {
    let name = factor.report().to_string();
    let bad = vec![0.0; good.len()];
    let mut x = vec![1.0; n];
    let mut in_loop = |factor: &mut Factor| {
        count(|| {
            for _ in 0..3 {
                assert!(factor.factorize(good).is_ok());
                factor.solve(&mut x);
                assert!(factor.factorize(&bad).is_err());
                factor.solve(&mut x);
            }
        })
    };
    // From the very first call on: nothing is built lazily.
    assert_eq!(in_loop(factor), 0, "{name}");
    let in_thread = || {
        factor.prepare_thread();
        in_loop(factor)
    };
    let allocations = std::thread::scope(|s| s.spawn(in_thread).join().unwrap());
    assert_eq!(allocations, 0, "{name}, in another thread");
}

#[test]
fn no_method_allocates_in_the_loop() {
    assert!(count(|| drop(std::hint::black_box(vec![1u8; 100]))) >= 2, "the counter counts");
    let matrices = [
        common::chain(5, 1e6, 1e3, false).effective(0.01),
        common::chain(100, 1e6, 1e3, false).effective(0.01),
        common::plane_frame(3, 10, false).effective(0.01),
        common::plane_frame(10, 40, false).effective(0.01),
        common::space_frame(3, 3, 5).effective(0.01),
    ];
    for matrix in &matrices {
        for kind in [Kind::Symmetric, Kind::General] {
            for method in [Solver::Inverse, Solver::Dense, Solver::Simplicial, Solver::Supernodal] {
                if matches!(method, Solver::Inverse | Solver::Dense) && matrix.n() > 700 {
                    continue;
                }
                if let Ok(mut factor) = Factor::with_solver(&matrix.pattern, kind, method) {
                    watch(&mut factor, &matrix.values, matrix.n());
                }
            }
            for constant in [true, false] {
                watch(&mut Factor::new(&matrix.pattern, kind, constant), &matrix.values, matrix.n());
            }
        }
    }
    // Blocks with several panels, updates of several pieces.
    let large = common::space_frame(7, 7, 12).effective(0.01);
    let mut factor = Factor::with_solver(&large.pattern, Kind::Symmetric, Solver::Supernodal).unwrap();
    watch(&mut factor, &large.values, large.n());
    // Shared with threads that were there before.
    assert_eq!(factor.share_solutions(2), 2);
    watch(&mut factor, &large.values, large.n());
    let mut unsymmetric = Factor::with_solver(&large.pattern, Kind::General, Solver::Supernodal).unwrap();
    watch(&mut unsymmetric, &large.values, large.n());
    watch(&mut Factor::new(&Pattern::new(4, []), Kind::Symmetric, false), &[1.0, 2.0, 3.0, 4.0], 4);
}

#[test]
fn products_do_not_allocate() {
    let matrix = common::plane_frame(3, 10, false).effective(0.01);
    let (x, mut y) = (vec![1.0; matrix.n()], vec![0.0; matrix.n()]);
    let allocations = count(|| {
        matrix.pattern.mul(&matrix.values, &x, &mut y);
        matrix.pattern.mul_add(&matrix.values, &x, &mut y);
        matrix.pattern.mul2_add(&matrix.values, &x, &matrix.values, &x, &mut y);
    });
    assert_eq!(allocations, 0);
}

/// What a large factor will be is known before any memory is asked for: a model that does not fit is refused, not killed.
#[test]
fn what_a_factor_will_be_is_told_without_its_memory() {
    let matrix = common::space_frame(8, 8, 14).effective(0.01);
    for kind in [Kind::Symmetric, Kind::General] {
        let planned = Planned::new(&matrix.pattern, kind, true, &Watch::default());
        assert!(planned.is_large());
        let mut told = None;
        assert_eq!(count(|| told = Some(planned.report())), 0);
        assert_eq!(told, Some(planned.reserve().report()));
    }
}
