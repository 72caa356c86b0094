//! The time-stepping loop does not allocate.

use interfield_coupling::{Imposed, Llm};
use interfield_kernel::StepMap;
use interfield_language::model::{Model, TangentPolicy};
use interfield_structure::Simulation;
use interfield_testkit::alloc::{CountingAllocator, allocations, count};
use interfield_testkit::fibre_frames::{Run, steel_frame};
use interfield_testkit::localized::{held, hysteretic};
use interfield_testkit::problems;
use interfield_testkit::run::{model, read, simulation, start, with_tangent};
use interfield_testkit::variants::{scheme, variants};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Small enough for the explicit schemes on the frames.
const DT: f64 = 1e-4;

#[test]
fn the_counter_counts() {
    let before = count();
    let n = allocations(|| drop(std::hint::black_box(vec![0u8; 100])));
    assert_eq!(n, 1);
    assert_eq!(allocations(|| ()), 0);
    assert!(count() > before);
}

fn steps_allocate_nothing(name: &str, model: &Model, steps: u64) {
    for v in variants() {
        let mut sim = start(model, v.scheme, DT);
        // As runs do.
        sim.watch().unwrap_or_else(|f| panic!("{f:?}"));
        let mut failed = None;
        let n = allocations(|| failed = (0..steps).find_map(|k| sim.step(k).err()));
        assert!(failed.is_none(), "{name}, {}: {failed:?}", v.label);
        assert_eq!(n, 0, "{name}, {}", v.label);
    }
}

#[test]
fn a_thousand_steps_of_every_scheme_allocate_nothing() {
    for (name, text) in problems::all() {
        let model = read(&text);
        steps_allocate_nothing(name, &model, 1000);
        steps_allocate_nothing(name, &with_tangent(&model, TangentPolicy::Initial), 20);
        steps_allocate_nothing(name, &with_tangent(&model, TangentPolicy::Given), 20);
    }
}

/// Numerical elements that learn from a specimen, with their channels.
#[test]
fn learning_allocates_nothing() {
    let mut sim = Simulation::new(model("learning-building", &Default::default())).unwrap_or_else(|p| panic!("{p:?}"));
    sim.watch().unwrap_or_else(|f| panic!("{f:?}"));
    let mut row = vec![0.0; sim.channels().len()];
    let mut failed = None;
    let n =
        allocations(|| failed = (0..3000).find_map(|k| sim.step(k).and_then(|()| sim.sample(k + 1, &mut row)).err()));
    assert!(failed.is_none(), "{failed:?}");
    assert_eq!(n, 0);
    assert!(sim.lessons()[0].parameters.iter().any(|p| p.told));
}

#[test]
fn steps_of_the_model_files_allocate_nothing() {
    for name in ["isolated-building", "spring-pendulum", "shear-pendulum-bouc-wen", "frame"] {
        // Schemes that iterate cannot move a specimen.
        let computed = Model { specimens: Vec::new(), ..model(name, &Default::default()) };
        steps_allocate_nothing(name, &computed, 20);
    }
}

#[test]
fn steps_of_fibre_frames_allocate_nothing() {
    for (scheme, formulation) in [
        ("\"newmark\"", "force"),
        ("\"alpha-os\"", "force"),
        ("\"lsrt2\"", "force"),
        ("\"newmark-newton\"", "force"),
        ("\"newmark-newton\"", "force-iterated"),
    ] {
        let mut sim = simulation(read(&steel_frame(Run { scheme, formulation, dt: 0.01, steps: 30 })));
        sim.watch().unwrap_or_else(|f| panic!("{f:?}"));
        let mut failed = None;
        let n = allocations(|| failed = (0..30).find_map(|k| sim.step(k).err()));
        assert_eq!((n, failed), (0, None), "{scheme}, {formulation}");
    }
}

#[test]
fn a_test_in_the_emulated_laboratory_allocates_nothing() {
    let model = model("isolated-building", &Default::default());
    assert!(!model.specimens.is_empty());
    let mut run = Simulation::new(model).unwrap_or_else(|p| panic!("{p:?}"));
    run.watch().unwrap_or_else(|f| panic!("{f:?}"));
    let mut row = vec![0.0; run.model.channels.len()];
    let mut failed = None;
    let n = allocations(|| {
        failed = (0..500).find_map(|k| run.step(k).and_then(|()| run.sample(k + 1, &mut row)).err());
    });
    assert_eq!((n, failed), (0, None));
}

#[test]
fn sampling_allocates_nothing() {
    for (name, text) in problems::all() {
        let model = read(&text);
        for v in variants() {
            let mut sim = start(&model, v.scheme, DT);
            let mut out = vec![0.0; sim.channels().len()];
            let mut failed = None;
            let n = allocations(|| {
                failed = (0..50).find_map(|k| sim.step(k).and_then(|()| sim.sample(k + 1, &mut out)).err());
            });
            assert!(failed.is_none(), "{name}, {}: {failed:?}", v.label);
            assert_eq!(n, 0, "{name}, {}", v.label);
            assert!(!out.is_empty() && out.iter().all(|x| x.is_finite()), "{name}, {}: {out:?}", v.label);
        }
    }
}

#[test]
fn a_failing_step_allocates_nothing() {
    let model = read(problems::FORCED);
    for v in variants() {
        let mut sim = start(&model, v.scheme, DT);
        sim.coupling.state_mut()[0] = f64::NAN;
        let mut result = Ok(());
        assert_eq!(allocations(|| result = sim.step(0)), 0, "{}", v.label);
        assert!(result.is_err(), "{}", v.label);
    }
}

#[test]
fn localized_multipliers_allocate_nothing() {
    let truss = hysteretic();
    for name in ["trapezoidal", "state-space-alpha"] {
        let moving = Imposed { dof: 2, rate: Box::new(|t| [t.sin(), t.cos()]) };
        let interface = truss.interface(vec![held(0), moving]);
        let mut coupled = Llm::start(truss.pieces(scheme(name, &[]), 0.01), interface).expect("it starts");
        let mut failed = None;
        assert_eq!(allocations(|| failed = (0..1000).find_map(|k| coupled.step(k).err())), 0, "{name}");
        assert!(failed.is_none(), "{name}: {failed:?}");
        coupled.state_mut()[0] = f64::NAN;
        assert_eq!(allocations(|| failed = coupled.step(1000).err()), 0, "{name}");
        assert!(failed.is_some(), "{name}");
    }
}
