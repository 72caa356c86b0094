//! Stability before the run: closed forms, couplings, frames of thousands of unknowns.

use std::convert::Infallible;

use interfield_analysis::stability::{Eigensolver, Options, Stability, stability};
use interfield_analysis::step_limit::{Search, largest_stable_step};
use interfield_coupling::{CouplingError, Foh, FohOptions, Gc, Pm, Pmc, PmcOptions, TwoSided};
use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::scheme::splitting::Splitting;
use interfield_kernel::system::Shift;
use interfield_kernel::{Domain, StepMap, System};
use interfield_linalg::{DominantOptions, dominant};
use interfield_structure::Assembled;
use interfield_structure::assembled::oscillator;
use interfield_testkit::couplings::{Cut, Setting, split_mass, three_dof};
use interfield_testkit::frames::{Run, plane_frame};
use interfield_testkit::golden::{golden, numbers};
use interfield_testkit::run::simulation;
use interfield_testkit::variants::scheme;

fn explicit() -> AnyScheme {
    AnyScheme::Alpha(Alpha::newmark(0.0, 0.5, Predictor::Half))
}

fn implicit() -> AnyScheme {
    AnyScheme::Alpha(Alpha::newmark(0.25, 0.5, Predictor::Half))
}

fn unit_oscillator(scheme: AnyScheme, dt: f64) -> Box<dyn StepMap> {
    let system = oscillator(0.0).unwrap();
    let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
    Box::new(Domain::new(scheme, system, dt, vec![0.0; nx], vec![0.0; nw]).unwrap())
}

fn judge(map: &mut dyn StepMap) -> Stability {
    stability(map, &Options::default()).unwrap()
}

#[test]
fn the_explicit_limit_is_two_over_omega() {
    let make = |dt: f64| Ok::<_, Infallible>(unit_oscillator(explicit(), dt));
    let found = largest_stable_step(make, &Search::over(0.1..=10.0)).unwrap();
    let largest = found.largest.unwrap();
    assert!(largest <= 2.0 + 1e-9 && largest > 2.0 * (1.0 - 2e-4), "{largest}");
    assert_eq!(found.windows.len(), 1);
    assert!(*found.windows[0].end() == 10.0 && (found.windows[0].start() / 2.0 - 1.0).abs() < 2e-4);
    // The guilty motion turns at every step: half the sampling frequency.
    let above = judge(&mut *unit_oscillator(explicit(), 2.001));
    assert!(!above.stable && above.affine && above.eigensolver == Eigensolver::Dense);
    assert!((above.motions[0].frequency() * 2.0 * 2.001 - 1.0).abs() < 1e-9);
    // λ + 1/λ = 2 - Ω².
    let b = 2.001f64 * 2.001 / 2.0 - 1.0;
    let radius = b + (b * b - 1.0).sqrt();
    assert!((above.radius - radius).abs() < 1e-9, "{} instead of {radius}", above.radius);
    let doubling = above.motions[0].doubling_time().unwrap();
    assert!((radius.powf(doubling / 2.001) - 2.0).abs() < 1e-6, "{doubling}");
}

#[test]
fn unconditionally_stable_schemes_have_no_limit() {
    for name in ["lsrt1", "lsrt2", "generalized-alpha", "trapezoidal", "chang", "cr", "mkr-alpha", "bathe", "tr-bdf2"] {
        let make = |dt: f64| Ok::<_, Infallible>(unit_oscillator(scheme(name, &[]), dt));
        let found = largest_stable_step(make, &Search { points: 13, ..Search::over(0.01..=1e3) }).unwrap();
        assert_eq!((found.largest, found.windows.len()), (Some(1e3), 0), "{name}: {:?}", found.probed);
    }
    for dt in [0.1, 1.0, 10.0] {
        let radius = judge(&mut *unit_oscillator(scheme("lsrt1", &[]), dt)).radius;
        assert!((radius - 1.0 / (1.0 + dt * dt).sqrt()).abs() < 1e-12);
    }
}

fn passive(name: &str, cut: &Cut, dt: f64, ss: usize) -> TwoSided<Assembled> {
    let alpha = AnyScheme::Splitting(Splitting::generalized_alpha(0.8));
    let lsrt2 = AnyScheme::Rosenbrock(Rosenbrock::lsrt2(Rosenbrock::GAMMA_MINUS));
    let assembly = cut.assembly(&Setting::same(if name.ends_with("-R") { lsrt2 } else { alpha }, dt, ss));
    let coupled = match name.split('-').next() {
        Some("PMC") => Pmc::start(assembly, PmcOptions { tie: 0.0, ..PmcOptions::PMC }),
        Some("PMC2") => Pmc::start(assembly, PmcOptions { tie: 0.0, ..PmcOptions::PMC2 }),
        _ => Foh::start(assembly, FohOptions::FOH),
    };
    coupled.unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

#[test]
fn passive_couplings_have_the_spectra_of_the_reference() {
    let file = golden("novel_operators_spectra");
    let mut compared = 0;
    for (case, schemes) in file["largest eigenvalue magnitudes"].as_object().unwrap() {
        let value = |key: &str| -> f64 {
            case.split('|').find_map(|p| p.strip_prefix(key)?.strip_prefix('=')).unwrap().parse().unwrap()
        };
        let cut = split_mass(value("b1"));
        for (name, expected) in schemes.as_object().unwrap() {
            let found = judge(&mut passive(name, &cut, value("Omega"), value("ss") as usize));
            let expected = numbers(expected);
            assert_eq!(found.stable, expected[0] < 1.0 + 1e-6, "{case} {name}: {}", found.radius);
            // The eigenvalue one of the constant gap leads.
            assert!((found.radius - expected[0]).abs() < 1e-9, "{case} {name}: {} for {}", found.radius, expected[0]);
            for motion in found.motions.iter().take(2) {
                let near = expected.iter().map(|e| (e - motion.magnitude()).abs()).fold(1.0, f64::min);
                assert!(near < 1e-9, "{case} {name}: {} is none of {expected:?}", motion.magnitude());
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "only {compared} compared");
}

fn limit(method: &str, cut: &Cut, a: AnyScheme, b: AnyScheme, ss: usize) -> Option<f64> {
    let make = |dt: f64| -> Result<Box<dyn StepMap>, CouplingError> {
        let assembly = cut.assembly(&Setting { a, b, dt, ss });
        Ok(Box::new(match method {
            "GC" => Gc::start(assembly)?,
            "PM" => Pm::start(assembly)?,
            _ => Foh::start(assembly, FohOptions::MODIFIED_PH)?,
        }))
    };
    let found = largest_stable_step(make, &Search { points: 25, ..Search::over(1e-2..=50.0) }).unwrap();
    found.windows.first().map(|_| found.largest.unwrap())
}

#[test]
fn limits_of_couplings_on_the_split_mass_are_those_of_their_explicit_sides() {
    let cut = split_mass(0.5);
    let check = |method: &str, a: AnyScheme, b: AnyScheme, ss: usize, expected: f64| {
        let found = limit(method, &cut, a, b, ss).unwrap();
        assert!((found / expected - 1.0).abs() < 2e-4, "{method}, ss = {ss}: {found} instead of {expected}");
    };
    // Free frequencies ω_A = √2 and ω_B = 1/√2, of the whole ω = 1.
    let sqrt2 = 2.0_f64.sqrt();
    for method in ["GC", "PM"] {
        assert_eq!(limit(method, &cut, implicit(), implicit(), 10), None);
        check(method, implicit(), explicit(), 10, 10.0 * 2.0 * sqrt2);
    }
    check("GC", explicit(), explicit(), 10, 2.0 / sqrt2);
    // A takes steps of twice the length.
    check("PM", explicit(), explicit(), 10, 1.0 / sqrt2);
    // One step for both: the whole structure, of which k_B = 1/3 alone is explicit in the second case.
    check("GC", explicit(), explicit(), 1, 2.0);
    check("GC", implicit(), explicit(), 1, 12.0_f64.sqrt());
    check("mPH", implicit(), explicit(), 1, 12.0_f64.sqrt());
}

#[test]
fn on_three_unknowns_the_doubled_step_of_a_halves_the_limit() {
    let cut = three_dof();
    assert_eq!(limit("PM", &cut, implicit(), implicit(), 10), None);
    let [gc, pm] = ["GC", "PM"].map(|method| limit(method, &cut, explicit(), explicit(), 10).unwrap());
    assert!((gc / pm - 2.0).abs() < 1e-3, "{gc} {pm}");
}

#[test]
fn a_softer_specimen_than_its_tangent_makes_only_modified_ph_with_substeps_grow() {
    for method in ["GC", "PM", "mPH", "PMC"] {
        for (ss, dt) in [(1, 0.5), (10, 0.1), (10, 1.0)] {
            let found = judge(&mut softened(method, 2.0, dt, ss));
            assert_eq!(found.stable, !(method == "mPH" && ss == 10), "{method}, ss = {ss}: {}", found.radius);
            assert!(!found.affine, "{method}: the cubic term is seen");
        }
    }
    assert!(judge(&mut softened("mPH", 1.0, 1.0, 10)).stable);
}

/// The split mass whose B is softer than the tangent it is integrated with, by the factor `given`.
fn softened(method: &str, given: f64, dt: f64, ss: usize) -> TwoSided<Assembled> {
    let mut cut = split_mass(0.5);
    let k = 1.0 / 3.0;
    cut.b = cut
        .b
        .replace("\"spring\"", "\"cubic\"")
        .replace("k = 0.3333333333333333", &format!("k = {:?}, k3 = -1e-3, tangent = {{ k = {k:?} }}", k / given))
        .replace("\"initial\"", "\"given\"")
        .replace("initial = 1.0", "initial = 0")
        .replace("initial_velocity = 1.0", "initial_velocity = 0");
    cut.a = cut.a.replace("initial = 1.0", "initial = 0").replace("initial_velocity = 1.0", "initial_velocity = 0");
    assert!(cut.b.contains("cubic") && cut.b.contains("k3"));
    let assembly = cut.assembly(&Setting::same(implicit(), dt, ss));
    let coupled = match method {
        "GC" => Gc::start(assembly),
        "PM" => Pm::start(assembly),
        "PMC" => Pmc::start(
            cut.assembly(&Setting::same(scheme("alpha-os", &[]), dt, ss)),
            PmcOptions { tie: 0.0, ..PmcOptions::PMC },
        ),
        _ => Foh::start(assembly, FohOptions::MODIFIED_PH),
    };
    coupled.unwrap_or_else(|e| panic!("{method}: {e:?}"))
}

/// A frame of 3 (bays + 1) storeys unknowns with an explicit step, and the largest circular frequency of it.
fn frame(bays: usize, storeys: usize) -> (impl Fn(f64) -> interfield_structure::Simulation, f64) {
    let make = move |dt: f64| {
        let mut model = plane_frame(bays, storeys, Run { scheme: "newmark", dt, steps: 10 });
        model.analysis.scheme = explicit();
        simulation(model)
    };
    let sim = make(1e-5);
    let system = sim.coupling.system(0);
    let n = system.dims().nu;
    let (zero, mut mass, mut g) = (vec![0.0; n], vec![0.0; n], Vec::new());
    system.mul_mass(&vec![1.0; n], &mut mass);
    let product = |x: &[f64], y: &mut [f64]| -> Result<(), Infallible> {
        system.mul_tangent(Shift { u: x, v: &zero, s: &[] }, y, &mut g);
        y.iter_mut().zip(&mass).for_each(|(y, m)| *y /= m);
        Ok(())
    };
    let options = DominantOptions { products: 4000, ..DominantOptions::default() };
    let highest = dominant(n, product, &options).unwrap();
    assert!(highest.converged, "{} {}", highest.pairs[0].residual, highest.pairs[0].value.0);
    (make, highest.pairs[0].value.0.sqrt())
}

#[test]
fn a_wrong_step_of_a_frame_of_3000_unknowns_is_found() {
    let (make, omega) = frame(19, 50);
    for factor in [1.0001, 1.01, 2.0] {
        let dt = factor * 2.0 / omega;
        let mut sim = make(dt);
        assert_eq!(sim.coupling.system(0).dims().nu, 3000);
        let before = sim.coupling.state().to_vec();
        let found = judge(&mut *sim.coupling);
        assert_eq!(sim.coupling.state(), before, "the state is left as it was");
        assert!(!found.stable && found.affine);
        assert!(found.steps < 2000, "{factor}: {} steps", found.steps);
        // λ + 1/λ = 2 - Ω² of the highest mode.
        let b = 2.0 * factor * factor - 1.0;
        let radius = b + (b * b - 1.0).sqrt();
        assert!((found.radius - radius).abs() < 1e-6 * radius, "{factor}: {} instead of {radius}", found.radius);
        assert!((found.motions[0].frequency() * 2.0 * dt - 1.0).abs() < 1e-9);
        assert!(found.motions[0].largest(0..3000).is_some());
    }
}

#[test]
fn a_right_step_of_a_frame_of_3000_unknowns_is_passed_and_says_what_it_may_have_missed() {
    let (make, omega) = frame(19, 50);
    let mut sim = make(0.98 * 2.0 / omega);
    let found = stability(&mut *sim.coupling, &Options { products: 6000, ..Options::default() }).unwrap();
    assert!(found.stable && (found.radius - 1.0).abs() < 1e-3, "{}", found.radius);
    let Eigensolver::Krylov { bound, exhausted, .. } = found.eigensolver else { panic!("too long for a dense matrix") };
    assert!(exhausted && bound > 1.0 && bound < 1.003, "{bound}");
}

#[test]
fn products_and_matrix_agree() {
    let (make, omega) = frame(3, 5);
    for factor in [0.9, 1.05] {
        let mut sim = make(factor * 2.0 / omega);
        let by_matrix = judge(&mut *sim.coupling);
        let by_products = stability(&mut *sim.coupling, &Options { dense: 0, ..Options::default() }).unwrap();
        assert_eq!((by_matrix.stable, by_products.stable), (factor < 1.0, factor < 1.0));
        assert_eq!(by_matrix.eigensolver, Eigensolver::Dense);
        let error = (by_matrix.radius - by_products.radius).abs();
        assert!(error < if factor < 1.0 { 1e-3 } else { 1e-8 }, "{factor}: {error:e}");
    }
}
