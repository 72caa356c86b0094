//! Threads, complete states, faults and refusals of the couplings.

use interfield_coupling::{Coupling, CouplingError, Options};
use interfield_kernel::fault::Place;
use interfield_kernel::{Fault, System};
use interfield_structure::Assembled;
use interfield_testkit::couplings::{
    ChainSprings, Cut, ROWS, Setting, advance, begin, chain, halves, pair, row, split_dense,
};

/// Nonlinear, with a law in A that remembers its path.
fn start(name: &str) -> Box<dyn Coupling<Assembled>> {
    let (method, scheme) = row(name);
    begin(method, chain(ChainSprings::Nonlinear).assembly(&Setting::same(scheme, 0.002, 5)))
}

/// The complete state, bit by bit.
fn bits(coupled: &dyn Coupling<Assembled>) -> Vec<u64> {
    coupled.state().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn threads_change_no_bit() {
    for name in ["PM", "mPH", "FOH-a", "PMC-a", "PMC2-a"] {
        let (mut alone, mut threaded) = (start(name), start(name));
        assert!(threaded.use_threads(true), "{name}");
        for k in 0..1000 {
            advance(&mut *alone, k, k + 1);
            advance(&mut *threaded, k, k + 1);
            assert_eq!(bits(&*alone), bits(&*threaded), "{name}, step {k}");
        }
        // Back on the caller's own thread.
        assert!(!threaded.use_threads(false));
        advance(&mut *alone, 1000, 1010);
        advance(&mut *threaded, 1000, 1010);
        assert_eq!(bits(&*alone), bits(&*threaded), "{name}");
        assert!(!alone.system_of(0).memory().is_empty(), "{name}: no path memory in A");
    }
    // These wait for A before B can start.
    for name in ["GC", "PH"] {
        assert!(!start(name).use_threads(true), "{name}");
    }
}

#[test]
fn a_state_loaded_elsewhere_goes_on_with_the_same_bits() {
    for name in ROWS {
        // Within the start-up, at its end, and later.
        for at in [1, 2, 3, 40] {
            let (mut first, mut second) = (start(name), start(name));
            advance(&mut *first, 0, at);
            second.state_mut().copy_from_slice(first.state());
            advance(&mut *first, at, at + 30);
            advance(&mut *second, at, at + 30);
            assert_eq!(bits(&*first), bits(&*second), "{name}, from step {at}");
        }
    }
}

/// The nonlinear chain with an element whose force is no number after 0.105 s.
fn broken(in_b: bool) -> Cut {
    let mut cut = chain(ChainSprings::Nonlinear);
    let (side, node) = if in_b { (&mut cut.b, "x3") } else { (&mut cut.a, "x1") };
    let element = format!(
        "element = [\n{{ type = \"formula\", name = \"broken\", nodes = [\"ground\", \"{node}\"], dof = \"x\", \
         force = \"u*sqrt(0.105 - t)\" }},\n"
    );
    *side = side.replacen("element = [\n", &element, 1);
    cut
}

#[test]
fn a_fault_names_its_substructure_and_leaves_all_as_it_was() {
    for name in ROWS {
        let (method, scheme) = row(name);
        for in_b in [false, true] {
            for threads in [false, true] {
                let mut coupled = begin(method, broken(in_b).assembly(&Setting::same(scheme, 0.01, 5)));
                coupled.use_threads(threads);
                let what = format!("{name}, broken {}, threads {threads}", if in_b { "B" } else { "A" });
                let mut k = 0;
                loop {
                    let (before, memory) = (bits(&*coupled), coupled.system_of(0).memory().to_vec());
                    match coupled.step(k) {
                        Ok(()) => k += 1,
                        Err(fault) => {
                            let place = matches!(fault, Fault::NonFinite { place: Place::ElementForce, .. });
                            assert!(place, "{what}: {fault:?}");
                            assert_eq!(bits(&*coupled), before, "{what}");
                            assert_eq!(coupled.system_of(0).memory(), memory, "{what}");
                            // The same again, not something worse.
                            assert_eq!(coupled.step(k), Err(fault), "{what}");
                            assert_eq!(bits(&*coupled), before, "{what}");
                            break;
                        }
                    }
                }
                assert_eq!(coupled.faulty(), usize::from(in_b), "{what}");
                assert!((6..=11).contains(&k), "{what}: step {k}");
            }
        }
    }
}

#[test]
fn repeated_constraints_are_refused() {
    for name in ROWS {
        let (method, scheme) = row(name);
        let [a, b] = halves(1.0);
        let y = vec![0.0; 2];
        let assembly = pair((a, y.clone()), (b, y), &[(0, 0), (0, 0)], &Setting::same(scheme, 0.1, 2));
        assert_eq!(method.start(assembly.into()).err(), Some(CouplingError::Redundant { rows: vec![0, 1] }), "{name}");
    }
}

#[test]
fn a_constraint_that_moves_nothing_is_refused() {
    for name in ROWS {
        let (method, scheme) = row(name);
        let [a, b] = halves(1.0);
        let mut assembly = split_dense(a, b, &Setting::same(scheme, 0.1, 2));
        assembly.rows = 2;
        assert_eq!(method.start(assembly.into()).err(), Some(CouplingError::Rigid { row: 1 }), "{name}");
    }
}

/// Two masses on springs that meet at an unknown with these masses on the two sides.
fn meeting(masses: [f64; 2]) -> Cut {
    let side = |mass: f64| {
        let mass = if mass > 0.0 { format!("mass = {mass:?}, ") } else { String::new() };
        let spring = |from: &str, to: &str| {
            format!("{{ type = \"spring\", nodes = [\"{from}\", \"{to}\"], dof = \"x\", k = 3 }}")
        };
        format!(
            "title = \"side\"\ndofs = [\"x\"]\nnode = [{{ name = \"m\", mass = 1, initial = 0.1 }}, \
             {{ name = \"i\", {mass}initial = 0.1 }}]\nelement = [{}, {}]\n[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\n\
             duration = 1\n",
            spring("ground", "m"),
            spring("m", "i")
        )
    };
    Cut { a: side(masses[0]), b: side(masses[1]), shared: vec![(1, 1)] }
}

#[test]
fn an_interface_without_mass_in_b_is_refused_by_couplings_over_the_macro_step() {
    let cut = meeting([1.0, 0.0]);
    for name in ROWS {
        let (method, scheme) = row(name);
        let result = method.start(cut.assembly(&Setting::same(scheme, 0.01, 2)).into());
        if name == "GC" || name == "PM" {
            // Velocities are compared at every substep.
            let mut coupled = result.unwrap_or_else(|e| panic!("{name}: {e:?}"));
            advance(&mut *coupled, 0, 100);
            let u = coupled.state_of(0)[0];
            assert!((u - 6.096e-3).abs() < 1e-5, "{name}: {u}");
        } else {
            assert_eq!(result.err(), Some(CouplingError::Rigid { row: 0 }), "{name}");
        }
    }
    // A little of it is enough, as is one step on both sides.
    for (masses, ss) in [([1.0, 1e-6], 2), ([1.0, 0.0], 1)] {
        let (method, scheme) = row("mPH");
        let mut coupled = begin(method, meeting(masses).assembly(&Setting::same(scheme, 0.01, ss)));
        advance(&mut *coupled, 0, 100);
        let u = coupled.state_of(0)[0];
        assert!((u - 6.096e-3).abs() < 1e-5, "mPH, masses {masses:?}, ss = {ss}: {u}");
    }
}

#[test]
fn every_substructure_may_have_its_own_substeps() {
    // PH needs the unbalanced loads of the coarse side apart, which two constraints on one degree of freedom do not give.
    for name in ROWS.into_iter().filter(|name| *name != "PH") {
        let (method, scheme) = row(name);
        let [a, b] = halves(1.0);
        let mut assembly = split_dense(a, b.clone(), &Setting::same(scheme, 0.1, 2));
        let mut third = assembly.substructures[1].clone();
        (third.system, third.substeps) = (b, 3);
        third.ports[0].row = 1;
        assembly.substructures[0].ports.push(interfield_coupling::Port { row: 1, dof: 0, sign: 1.0 });
        assembly.substructures.push(third);
        assembly.rows = 2;
        // 2 and 3 have no common divisor: the interface is met once per macro-step.
        let mut coupled = method.start(assembly.into()).unwrap_or_else(|e| panic!("{name}: {e}"));
        advance(&mut *coupled, 0, 50);
        let states: Vec<&[f64]> = (0..3).map(|i| coupled.state_of(i)).collect();
        assert!(states.iter().flat_map(|x| x.iter()).all(|x| x.abs() < 10.0), "{name}: {states:?}");
    }
}
