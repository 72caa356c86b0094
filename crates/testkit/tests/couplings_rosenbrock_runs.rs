//! What couplings at the level of accelerations promise of any run: order on nonlinear problems, evaluations, complete state, threads,
//! no allocation, refusals.

use interfield_analysis::order::convergence;
use interfield_coupling::{
    Assembly, Coupling, CouplingError, Midpoint, Parallel, Port, Ranks, Staggered, Substructure, TwoSided,
};
use interfield_kernel::StepMap;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_testkit::alloc::{CountingAllocator, allocations};
use interfield_testkit::couplings::{
    ChainSprings, Cut, Setting, Staged, chain, cubic_chain, split, split_mass, three_dof,
};
use interfield_testkit::numerics::{distance, slope};
use interfield_testkit::variants::scheme;
use interfield_testkit::watch::Watch;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const LSRT1: AnyScheme = AnyScheme::Rosenbrock(Rosenbrock::lsrt1());
const MINUS: AnyScheme = AnyScheme::Rosenbrock(Rosenbrock::lsrt2(Rosenbrock::GAMMA_MINUS));
const ALL: [Staged; 3] = [Staged::Staggered, Staged::Parallel, Staged::Midpoint];

fn run<S: 'static>(coupled: &mut TwoSided<S>, from: u64, to: u64) {
    (from..to).for_each(|k| coupled.step(k).expect("the step succeeds"));
}

/// A chain whose fine side has a law that follows its evaluations.
fn remembering(method: Staged) -> Cut {
    let cut = chain(ChainSprings::Nonlinear);
    match method {
        Staged::Parallel => Cut { a: cut.b, b: cut.a, shared: vec![(0, 1)] },
        _ => cut,
    }
}

#[test]
fn nonlinear_loaded_chains_are_integrated_with_the_order_of_the_method() {
    for tangent in ["exact", "initial"] {
        for (method, schemes, wanted) in [
            (Staged::Staggered, [MINUS, MINUS], 2.0),
            (Staged::Parallel, [MINUS, MINUS], 2.0),
            (Staged::Staggered, [LSRT1, MINUS], 1.0),
            (Staged::Parallel, [MINUS, LSRT1], 1.0),
            (Staged::Midpoint, [MINUS, MINUS], 1.0),
        ] {
            for ss in [1, 2, 3] {
                let steps = if wanted == 2.0 { [64u64, 128, 256, 512] } else { [1024, 2048, 4096, 8192] };
                let end = |n: u64| {
                    let setting = Setting { a: schemes[0], b: schemes[1], dt: 1.0 / n as f64, ss };
                    let mut coupled = method.start(&cubic_chain(tangent), &setting);
                    run(&mut coupled, 0, n);
                    vec![[coupled.state_of(0), coupled.state_of(1)].concat()]
                };
                let runs: Vec<_> = steps.iter().map(|n| end(*n)).collect();
                let found = convergence(1.0 / steps[0] as f64, &runs, |s| s).order().expect("an order");
                assert!((found - wanted).abs() < 0.15, "{method:?} {tangent} ss={ss}: order {found}");
            }
        }
    }
}

#[test]
fn multipliers_are_the_interface_forces() {
    // M a + r + Lᵀ Λ = 0 with the common acceleration -d: Λ = (m_A - k_A) d on A, at the start d = 1.
    let b1 = 0.25;
    for method in ALL {
        let mut coupled = method.start(&split_mass(b1), &Setting::same(MINUS, 0.01, 3));
        let wanted = (b1 - 1.0) / (1.0 + b1);
        assert!((coupled.multipliers()[0] - wanted).abs() < 1e-14, "{method:?}: {:?}", coupled.multipliers());
        let mut links = [f64::NAN];
        coupled.links_of(0, &mut links);
        assert_eq!(links, [0.0]);
        // Afterwards they follow d = cos t + sin t.
        run(&mut coupled, 0, 50);
        let d = 0.5f64.cos() + 0.5f64.sin();
        let tolerance = if method == Staged::Midpoint { 1e-2 } else { 1e-3 };
        assert!((coupled.multipliers()[0] / (wanted * d) - 1.0).abs() < tolerance, "{method:?}");
        // Free accelerations -k u / m and those of the multipliers: -d on both sides.
        for (i, stiffness) in [1.0 / b1, b1].into_iter().enumerate() {
            let mut a = [-stiffness * coupled.state_of(i)[0]];
            coupled.add_multiplier_accelerations(i, &mut a);
            assert!((a[0] / d + 1.0).abs() < 5.0 * tolerance, "{method:?}: {a:?}, not {}", -d);
        }
    }
}

#[test]
fn several_substructures_meet_at_one_node() {
    // m = k = 1 cut in three; all parts are stacked on one side or distributed over both.
    for method in ALL {
        for fine in [[false, false, true], [false, true, true]] {
            let mut errors = Vec::new();
            let steps = [40u64, 80, 160];
            for n in steps {
                let assembly = || {
                    let cut = |m: f64, k: f64| split([m, 1.0], [k, 1.0], 1.0, 1.0);
                    let part = |i: usize, m: f64, k: f64, ports: &[(usize, f64)]| {
                        let setting = Setting::same(MINUS, 0.5 / n as f64, 2);
                        let mut sub = cut(m, k).assembly(&setting).substructures.remove(0);
                        sub.ports = ports.iter().map(|&(row, sign)| Port { row, dof: 0, sign }).collect();
                        sub.fine = fine[i];
                        sub.substeps = if fine[i] { 2 } else { 1 };
                        sub
                    };
                    Assembly {
                        substructures: vec![
                            part(0, 0.2, 0.5, &[(0, 1.0)]),
                            part(1, 0.5, 0.4, &[(0, -1.0), (1, 1.0)]),
                            part(2, 0.3, 0.1, &[(1, -1.0)]),
                        ],
                        rows: 2,
                        dt: 0.5 / n as f64,
                        ranks: Ranks::default(),
                    }
                };
                let twins = || assembly().substructures.into_iter().filter(|s| !s.fine).map(|s| s.system).collect();
                let coupled = match method {
                    Staged::Staggered => Staggered::start(assembly()),
                    Staged::Parallel => Parallel::start(assembly(), twins()),
                    Staged::Midpoint => Midpoint::start(assembly()),
                };
                let mut coupled = coupled.expect("it starts");
                run(&mut coupled, 0, n);
                let exact = [0.5f64.cos() + 0.5f64.sin(), 0.5f64.cos() - 0.5f64.sin()];
                errors.push((0..3).map(|i| distance(coupled.state_of(i), &exact)).fold(0.0, f64::max));
            }
            let h: Vec<f64> = steps.iter().map(|n| 0.5 / *n as f64).collect();
            let (order, wanted) = (slope(&h, &errors), if method == Staged::Midpoint { 1.0 } else { 2.0 });
            assert!((order - wanted).abs() < 0.1, "{method:?} {fine:?}: order {order}, {errors:?}");
        }
    }
}

#[test]
fn the_fine_side_is_evaluated_once_per_stage_and_never_rewound() {
    for ss in [1, 2, 3, 10] {
        for (method, schemes, in_a, in_b) in [
            (Staged::Staggered, [MINUS, MINUS], 2 * ss, 2 * ss),
            (Staged::Staggered, [LSRT1, LSRT1], ss, ss),
            // For odd ss the middle of a substep closes A.
            (Staged::Staggered, [MINUS, LSRT1], ss + ss % 2, ss + ss % 2),
            (Staged::Staggered, [LSRT1, MINUS], 2 * ss, 2 * ss),
            (Staged::Parallel, [MINUS, MINUS], 2 * ss, 2 * ss),
            (Staged::Parallel, [MINUS, LSRT1], ss, ss),
            (Staged::Midpoint, [MINUS, MINUS], ss, ss),
        ] {
            let side = |scheme, substeps, fine, sign| {
                let ports = vec![Port { row: 0, dof: 0, sign }];
                Substructure { system: Watch::default(), y0: vec![0.0, 0.0], scheme, substeps, fine, ports }
            };
            let substructures = vec![side(schemes[0], 1, false, 1.0), side(schemes[1], ss, true, -1.0)];
            let assembly = Assembly { substructures, rows: 1, dt: 1.0, ranks: Ranks::default() };
            let coupled = match method {
                Staged::Staggered => Staggered::start(assembly),
                Staged::Parallel => Parallel::start(assembly, vec![Watch::default()]),
                Staged::Midpoint => Midpoint::start(assembly),
            };
            let mut coupled = coupled.expect("it starts");
            run(&mut coupled, 0, 2);
            (0..2).for_each(|i| coupled.system_of(i).times.clear());
            run(&mut coupled, 2, 6);
            for (i, count) in [in_a, in_b].into_iter().enumerate() {
                let times = &coupled.system_of(i).times;
                assert_eq!(times.len(), 4 * count, "{method:?} ss={ss}: {times:?}");
                assert!(times.windows(2).all(|t| t[0] < t[1]), "{method:?} ss={ss}: {times:?}");
                assert!(times.iter().all(|t| (2.0..6.0).contains(t)), "{method:?} ss={ss}: {times:?}");
            }
        }
    }
}

#[test]
fn a_state_loaded_elsewhere_gives_the_same_bits() {
    for method in ALL {
        let setting = Setting::same(MINUS, 0.02, 3);
        let start = || method.start(&remembering(method), &setting);
        let mut whole = start();
        for k in 0..8 {
            let mut part = start();
            part.state_mut().copy_from_slice(whole.state());
            run(&mut part, k, k + 5);
            let mut on = start();
            on.state_mut().copy_from_slice(whole.state());
            run(&mut on, k, k + 2);
            let mut again = start();
            again.state_mut().copy_from_slice(on.state());
            run(&mut again, k + 2, k + 5);
            let bits = |c: &TwoSided<_>| c.state().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&part), bits(&again), "{method:?} step {k}");
            run(&mut whole, k, k + 1);
        }
    }
}

#[test]
fn threads_give_the_same_bits() {
    for cut in [&cubic_chain("exact"), &remembering(Staged::Parallel), &three_dof()] {
        for schemes in [[MINUS, MINUS], [LSRT1, MINUS]] {
            let setting = Setting { a: schemes[0], b: schemes[1], dt: 0.01, ss: 3 };
            let mut alone = Staged::Parallel.start(cut, &setting);
            let mut threaded = Staged::Parallel.start(cut, &setting);
            assert!(threaded.use_threads(true));
            for k in 0..300 {
                run(&mut alone, k, k + 1);
                run(&mut threaded, k, k + 1);
                let same = alone.state().iter().zip(threaded.state()).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same && alone.multipliers() == threaded.multipliers(), "step {k}");
            }
            assert!(!threaded.use_threads(false));
            run(&mut alone, 300, 310);
            run(&mut threaded, 300, 310);
            assert_eq!(alone.state(), threaded.state());
        }
    }
    let mut staggered = Staged::Staggered.start(&split_mass(1.0), &Setting::same(MINUS, 0.1, 1));
    assert!(!staggered.use_threads(true));
}

#[test]
fn steps_allocate_nothing() {
    for method in ALL {
        for threads in [false, true] {
            let mut coupled = method.start(&cubic_chain("exact"), &Setting::same(MINUS, 0.01, 3));
            coupled.use_threads(threads);
            let mut failed = None;
            let n = allocations(|| failed = (0..200).find_map(|k| coupled.step(k).err()));
            assert_eq!((n, failed), (0, None), "{method:?}");
        }
    }
}

#[test]
fn a_fault_leaves_the_state_as_it_was_and_names_the_substructure() {
    for method in ALL {
        for at in [1, 4] {
            for broken in 0..2 {
                let mut coupled = method.start(&cubic_chain("exact"), &Setting::same(MINUS, 0.01, 2));
                coupled.use_threads(true);
                run(&mut coupled, 0, at);
                let sound = coupled.state().to_vec();
                // The displacement of the first unknown of this substructure.
                let value = coupled.state_of(broken)[0];
                let index = coupled.state().iter().rposition(|x| *x == value).expect("part of the state");
                coupled.state_mut()[index] = f64::INFINITY;
                let before = coupled.state().to_vec();
                assert!(coupled.step(at).is_err(), "{method:?}");
                assert_eq!(coupled.faulty(), broken, "{method:?}");
                assert_eq!(coupled.state(), before);
                coupled.state_mut().copy_from_slice(&sound);
                run(&mut coupled, at, at + 3);
            }
        }
    }
}

#[test]
fn what_cannot_be_coupled_is_refused_in_words() {
    let refusal = |method: Staged, cut: &Cut, setting: &Setting| match method.try_start(cut, setting) {
        Err(CouplingError::Unsuitable(message)) => message,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("not refused"),
    };
    let cut = split_mass(1.0);
    for method in [Staged::Staggered, Staged::Parallel] {
        for (name, parameters, word) in [
            ("newmark", vec![], "lsrt2"),
            ("rosenbrock3", vec![], "lsrt2"),
            ("lsrt2", vec![("time", "shifted")], "shifted"),
        ] {
            let message = refusal(method, &cut, &Setting::same(scheme(name, &parameters), 0.1, 2));
            assert!(message.contains(word), "{message}");
        }
    }
    // Laws that are moved along a path are not in the way: every sequence of states has its own memory of them.
    assert!(Staged::Parallel.try_start(&chain(ChainSprings::Nonlinear), &Setting::same(MINUS, 0.1, 2)).is_ok());
    let setting = Setting::same(MINUS, 0.1, 2);
    let error = Parallel::start(cut.assembly(&setting), Vec::new()).err();
    assert!(matches!(error, Some(CouplingError::Unsuitable(m)) if m.contains("two copies")));
    let mut uneven = cut.assembly(&setting);
    uneven.substructures[0].fine = true;
    let error = Staggered::start(uneven).err();
    assert!(matches!(error, Some(CouplingError::Unsuitable(m)) if m.contains("substeps")));
}
