//! Every sequence of states goes on from its own memory of laws (book: passivity 4.1).

use interfield_coupling::{Assembly, Coupling, CouplingMethod, Options, PmcOptions};
use interfield_kernel::System;
use interfield_language::parse::Overrides;
use interfield_structure::{Assembled, Simulation};
use interfield_testkit::couplings::{
    BILINEAR, ChainSprings, Cut, ELASTIC, LSRT2, Sample, Setting, Staged, advance, alpha, chain, five_storeys, motion,
    row, trace,
};
use interfield_testkit::numerics::{Random, distance, largest};
use interfield_testkit::run::model;
use interfield_testkit::shared::shared;

/// The five storeys without loads and dampers, each floor with a velocity of its own.
fn unforced(seed: u64) -> Cut {
    let mut random = Random(seed);
    let velocities: Vec<f64> = (0..5).map(|_| 2.0 * random.uniform() - 1.0).collect();
    let still = |text: String| {
        let (head, _) = text.split_once("[[load]]").expect("a load");
        let (_, tail) = text.split_once("[analysis]").expect("an analysis");
        let mut text = format!("{head}[analysis]{tail}").replace(", c = 0.2", "");
        (1..=5).for_each(|i| {
            text = text.replace(
                &format!("name = \"f{i}\", mass"),
                &format!("name = \"f{i}\", initial_velocity = {:?}, mass", velocities[i - 1]),
            );
        });
        let lines = text.lines().filter(|line| !line.contains("\"damper\""));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    let Cut { a, b, shared } = five_storeys(BILINEAR, ELASTIC, 0.01);
    Cut { a: still(a), b: still(b), shared }
}

/// Kinetic energy of both parts, of floors of unit mass.
fn kinetic<S>(coupled: &dyn Coupling<S>) -> f64 {
    let of =
        |i: usize, masses: [f64; 3]| motion(coupled, i).1.iter().zip(masses).map(|(v, m)| 0.5 * m * v * v).sum::<f64>();
    of(0, [1.0, 1.0, 0.8]) + of(1, [0.2, 1.0, 1.0])
}

/// Largest kinetic energy in the last of four quarters of a run of the unforced frame, over that of the start.
fn left<S: System + Send + 'static>(assembly: Assembly<S>, method: CouplingMethod, steps: u64) -> f64 {
    let mut coupled = method.start(assembly.into()).unwrap_or_else(|e| panic!("{e}"));
    let start = kinetic(coupled.as_ref());
    let mut most = 0.0;
    for k in 0..steps {
        advance(&mut *coupled, k, k + 1);
        if 4 * k >= 3 * steps {
            most = f64::max(most, kinetic(coupled.as_ref()));
        }
    }
    most / start
}

/// Elastic-plastic storeys and no loads: no energy comes from anywhere.
#[test]
fn free_motion_decays_with_own_memories_and_grows_with_one() {
    let untied: CouplingMethod = PmcOptions { tie: 0.0, ..PmcOptions::PMC }.into();
    let setting = Setting::same(row("PMC-N").1, 0.02, 5);
    for seed in 1..=6 {
        let cut = unforced(seed);
        let own = left(cut.assembly(&setting), untied, 1000);
        assert!(own < 0.5, "start {seed}: {own}");
        let tied = left(cut.assembly(&setting), PmcOptions::PMC.into(), 1000);
        assert!(tied < 0.5, "start {seed}, tied: {tied}");
        let one = left(shared(cut.assembly(&setting)), untied, 1000);
        assert!(one > 10.0, "start {seed} with one memory: {one}, the test says nothing");
    }
}

/// A state of the coarse side ends with what its laws remember there, and so says the system at that node.
#[test]
fn the_memory_of_a_node_is_that_of_its_state() {
    for name in ["PMC-a", "PMCt-a", "PMC2s-a", "PM", "GC", "FOH-a"] {
        let (method, scheme) = row(name);
        let mut coupled = chain(ChainSprings::Nonlinear).begin(method, &Setting::same(scheme, 0.01, 5));
        for k in 0..50 {
            advance(&mut *coupled, k, k + 1);
            let (system, x) = coupled.at_node(0);
            let [.., deformation, force] = x else { panic!("{name}: no memory") };
            assert_eq!(system.memory(), [*deformation, *force], "{name}, step {k}");
            // The law was moved to where the node was predicted.
            assert!((deformation - x[0]).abs() < 0.01, "{name}, step {k}: {deformation} at {}", x[0]);
        }
    }
}

/// Members and springs with materials of branches on the coarse side, beside one whose history is a number.
fn framed() -> Cut {
    let spring = |name: &str, from: &str, to: &str, material: &str| {
        format!(
            "{{ type = \"uniaxial\", name = \"{name}\", nodes = [\"{from}\", \"{to}\"], dof = \"x\", material = \"{material}\" }},\n"
        )
    };
    let materials = "material = [\n{ name = \"steel\", type = \"menegotto-pinto\", acts = \"force\", fy = 3, E = 400, b = 0.02 },\n\
                     { name = \"slider\", type = \"elastic-plastic\", acts = \"force\", fy = 2, E = 300 },\n]\n";
    let Cut { a, b, shared } = five_storeys(ELASTIC, ELASTIC, 0.01);
    let a = a.replace(
        "element = [",
        &format!(
            "{materials}element = [\n{}{}",
            spring("m1", "ground", "f1", "steel"),
            spring("m2", "f1", "f2", "slider")
        ),
    );
    Cut { a, b, shared }
}

#[test]
fn histories_with_branches_are_taken_as_a_whole_and_numbers_are_mixed() {
    let start = || framed().begin(PmcOptions::PMC.into(), &Setting::same(alpha(0.8), 0.01, 5));
    let coupled = start();
    let blueprint = coupled.blueprint();
    let (moved, len) = (blueprint.subdomains[0].moved, blueprint.subdomains[0].len);
    // Ten numbers of the steel, one of the slider; behind each the deformation and the force of the last evaluation.
    assert_eq!(len - moved, 12 + 3);
    assert_eq!(blueprint.mixed(), [0..moved, moved + 12..len]);
    drop(blueprint);
    // What is not mixed is not read from older states; what is mixed is.
    for (place, read) in [(moved, false), (moved + 12, true)] {
        let mut coupled = start();
        advance(&mut *coupled, 0, 400);
        let right = sampled(&mut *start(), 401);
        (1..3).for_each(|back| coupled.state_mut()[back * len + place] = f64::NAN);
        let result = coupled.step(400);
        assert_eq!(result.is_err(), read, "number {place}: {result:?}");
        assert!(read || coupled.multipliers() == right, "number {place}");
    }
}

/// Multipliers after so many steps.
fn sampled(coupled: &mut dyn Coupling<Assembled>, steps: u64) -> Vec<f64> {
    advance(coupled, 0, steps);
    coupled.multipliers().to_vec()
}

/// Twelve isolators slide on the coarse side.
#[test]
fn the_isolated_viaduct_stays_together_with_and_without_a_tie() {
    for tie in [None, Some(0.0)] {
        let overrides =
            Overrides { coupling: Some("pmc".to_owned()), dt: Some("1 s/256".to_owned()), ..Overrides::default() };
        let mut model = model("rio-torto-isolated", &overrides);
        if let (Some(tie), Some(partition)) = (tie, &mut model.partition) {
            partition.coupling.method = PmcOptions { tie, ..PmcOptions::PMC }.into();
        }
        let mut sim = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
        let force = |k: u64| {
            sim.step(k).unwrap_or_else(|fault| panic!("step {k}: {}", sim.explain(fault)));
            sim.coupling.multipliers()[0] / 1e3
        };
        let forces: Vec<f64> = (0..4 * 256).map(force).collect();
        let most = largest(&forces);
        let third = forces.windows(4).map(|w| (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).powi(2));
        let rough = (third.sum::<f64>() / forces.len() as f64).sqrt();
        assert!((300.0..500.0).contains(&most), "tie {tie:?}: {most} kN");
        assert!(rough < 0.05 * most, "tie {tie:?}: {rough} kN");
        // The interface neither gives nor takes: with one memory it gives 57 % of what passes.
        let (given, passed) = sim.quality().map_or((f64::NAN, f64::NAN), |q| (q.net_work, q.through_work));
        assert!(given.abs() < 0.01 * passed, "tie {tie:?}: {given} of {passed} J");
    }
}

/// Largest distance of the displacements and velocities of two runs at the nodes of the first one, on (0, 1] s.
fn apart(coarse: &[Sample], fine: &[Sample]) -> f64 {
    let every = fine.len() / coarse.len();
    let far = |(k, s): (usize, &Sample)| {
        let at = &fine[(k + 1) * every - 1];
        f64::max(distance(&s[0], &at[0]), distance(&s[1], &at[1]))
    };
    coarse.iter().enumerate().map(far).fold(0.0, f64::max)
}

/// Four interlaced sequences over overlapping windows, and the answers to the fine side between them.
#[test]
fn the_parallel_rosenbrock_coupling_moves_path_dependent_laws_with_second_order() {
    let cut = chain(ChainSprings::Nonlinear);
    let reference = trace(&mut *cut.begin(row("GC").0, &Setting::same(alpha(1.0), 1.0 / 10_240.0, 1)), 10_240);
    for coupling in [Staged::Parallel, Staged::Staggered] {
        for ss in [1, 4, 10] {
            let error = |n: u64| {
                let mut coupled = coupling.start(&cut, &Setting::same(LSRT2, 1.0 / n as f64, ss));
                apart(&trace(&mut coupled, n), &reference)
            };
            let errors = [160, 320, 640].map(error);
            let order = (errors[0] / errors[2]).log2() / 2.0;
            assert!((1.9..2.2).contains(&order), "{coupling:?}, ss = {ss}: {order:.2}");
        }
    }
}
