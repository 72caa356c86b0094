//! A partitioned structure is the sum of its parts.

use interfield_coupling::registry::find;
use interfield_coupling::{CouplingMethod, FohOptions};
use interfield_kernel::{Shift, System};
use interfield_language::model::{Damping, Load, Model, Support};
use interfield_language::partition::{Choice, Constraints, Coupling, Partition, Shares, Substructure};
use interfield_language::signal::Signal;
use interfield_structure::split::{Constraint, Split};
use interfield_structure::{Assembly, assemble};
use interfield_testkit::frames::{Run, Springs, chain, plane_frame, space_frame};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems;
use interfield_testkit::run::{advance, load, model, read, set, taken_apart};

/// Numbers in [0, 1) from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    fn vector(&mut self, n: usize, scale: f64) -> Vec<f64> {
        (0..n).map(|_| scale * (2.0 * self.next() - 1.0)).collect()
    }
}

fn assembled(model: &Model) -> Assembly {
    assemble(model).unwrap_or_else(|problems| panic!("{}: {}", model.title, problems[0].message))
}

/// The same structure with its elements given to `count` substructures at random; the first takes `share` of the mass at
/// its interfaces.
fn partitioned(model: &Model, count: usize, random: &mut Random, share: f64) -> Model {
    let substructure = |i: usize| Substructure {
        name: format!("part {i}"),
        scheme_name: model.analysis.scheme_name.clone(),
        scheme: model.analysis.scheme,
        substeps: 1 + i as u32,
        fine: i > 0,
        tangent: model.analysis.tangent,
        nodes: Vec::new(),
        interface_mass: if i == 0 { Shares::All(share) } else { Shares::default() },
    };
    // Each has one element at least.
    let mut owners: Vec<usize> =
        (0..model.elements.len()).map(|e| if e < count { e } else { random.below(count) }).collect();
    for i in (1..owners.len()).rev() {
        owners.swap(i, random.below(i + 1));
    }
    let substructures = (0..count).map(substructure).collect();
    let info = find("foh").expect("FOH has a name");
    let coupling = Coupling {
        info,
        method: CouplingMethod::Foh(FohOptions::FOH),
        constraints: Constraints::Tree,
        choice: Choice::Named,
    };
    let partition = Partition { substructures, owners, rest: None, coupling };
    Model { partition: Some(partition), ..model.clone() }
}

/// Where the unknowns and states [u s] of every part are in those of the whole: Boolean assembly.
fn places(whole: &Assembly, taken: &Split, parts: &[Assembly]) -> Vec<[Vec<usize>; 2]> {
    let unknown: std::collections::BTreeMap<usize, usize> =
        whole.free.iter().enumerate().map(|(i, &d)| (d, i)).collect();
    let one = |(sub, part): (&interfield_structure::split::SubModel, &Assembly)| {
        let u = part.free.iter().map(|&d| unknown[&sub.dofs[d]]).collect();
        let mut s = vec![0; part.system.dims().ns];
        for (l, &e) in part.looped.iter().enumerate() {
            let in_whole =
                whole.looped.iter().position(|&w| w == sub.elements[e]).expect("the element is in the whole");
            let end = if l + 1 < part.looped.len() { part.system.state_offset(l + 1) } else { s.len() };
            let start = part.system.state_offset(l);
            (start..end).for_each(|i| s[i] = whole.system.state_offset(in_whole) + i - start);
        }
        [u, s]
    };
    taken.parts.iter().zip(parts).map(one).collect()
}

fn pick(from: &[f64], at: &[usize]) -> Vec<f64> {
    at.iter().map(|&i| from[i]).collect()
}

/// Compares the whole with the sum of its parts: M, the tangents K, C and R, forces and rates at arbitrary states and times.
fn compare(model: &Model, random: &mut Random) {
    let mut whole = assembled(model);
    let taken = taken_apart(model);
    let mut parts: Vec<Assembly> = taken.parts.iter().map(|p| assembled(&p.model)).collect();
    let places = places(&whole, &taken, &parts);
    let (n, ns) = (whole.system.dims().nu, whole.system.dims().ns);

    let close = |what: &str, sum: &[f64], wanted: &[f64]| {
        let error = distance(sum, wanted);
        assert!(
            error <= 1e-12 * largest(wanted),
            "{}: {what} differ by {error:e} of {:e}",
            model.title,
            largest(wanted)
        );
    };
    // Every state is in one part.
    let mut states: Vec<usize> = places.iter().flat_map(|p| p[1].clone()).collect();
    states.sort_unstable();
    assert_eq!(states, (0..ns).collect::<Vec<_>>());
    // A constraint for every part of an unknown but the first, and none that joins different ones.
    let having: usize = places.iter().map(|p| p[0].len()).sum();
    assert_eq!(taken.interface.len(), having - n);
    for Constraint { dof, plus, minus } in &taken.interface {
        assert!(plus.0 < minus.0);
        assert!([plus, minus].iter().all(|s| taken.parts[s.0].dofs[s.1] == *dof));
    }

    let (u, v, s) = (random.vector(n, 0.03), random.vector(n, 0.2), random.vector(ns, 0.1));
    let (mut wanted, mut sum) = (vec![0.0; n], vec![0.0; n]);
    whole.system.mul_mass(&u, &mut wanted);
    for (part, [at, _]) in parts.iter().zip(&places) {
        let mut r = vec![0.0; at.len()];
        part.system.mul_mass(&pick(&u, at), &mut r);
        at.iter().zip(&r).for_each(|(&i, r)| sum[i] += r);
    }
    close("masses", &sum, &wanted);

    let zero = (vec![0.0; n], vec![0.0; ns]);
    for (what, u, v, s) in
        [("stiffnesses", &u, &zero.0, &zero.1), ("dampings", &zero.0, &v, &zero.1), ("states", &zero.0, &zero.0, &s)]
    {
        let (mut wanted, mut sum) = ([vec![0.0; n], vec![0.0; ns]], [vec![0.0; n], vec![0.0; ns]]);
        let [r, g] = &mut wanted;
        whole.system.mul_tangent(Shift { u, v, s }, r, g);
        for (part, [at, of]) in parts.iter().zip(&places) {
            let (mut r, mut g) = (vec![0.0; at.len()], vec![0.0; of.len()]);
            part.system.mul_tangent(Shift { u: &pick(u, at), v: &pick(v, at), s: &pick(s, of) }, &mut r, &mut g);
            at.iter().zip(&r).for_each(|(&i, r)| sum[0][i] += r);
            of.iter().zip(&g).for_each(|(&i, g)| sum[1][i] += g);
        }
        close(what, &sum[0], &wanted[0]);
        close(what, &sum[1], &wanted[1]);
    }

    // With loads, from the initial state on.
    let (mut wanted, mut sum) = ([vec![0.0; n], vec![0.0; ns]], [vec![0.0; n], vec![0.0; ns]]);
    let t = 0.7;
    let y: Vec<f64> = whole.y0.iter().zip(u.iter().chain(&v).chain(&s)).map(|(a, b)| a + b).collect();
    let [r, g] = &mut wanted;
    let dims = whole.system.dims();
    whole.system.force(dims.point(t, &y), None, r, g).expect("finite forces");
    for (part, [at, of]) in parts.iter_mut().zip(&places) {
        let own0 = [pick(&whole.y0[..n], at), pick(&whole.y0[n..2 * n], at), pick(&whole.y0[2 * n..], of)].concat();
        assert_eq!(part.y0, own0, "{}: initial states", model.title);
        let own = [pick(&y[..n], at), pick(&y[n..2 * n], at), pick(&y[2 * n..], of)].concat();
        let (mut r, mut g) = (vec![0.0; at.len()], vec![0.0; of.len()]);
        let dims = part.system.dims();
        part.system.force(dims.point(t, &own), None, &mut r, &mut g).expect("finite forces");
        at.iter().zip(&r).for_each(|(&i, r)| sum[0][i] += r);
        of.iter().zip(&g).for_each(|(&i, g)| sum[1][i] += g);
    }
    close("forces", &sum[0], &wanted[0]);
    close("rates", &sum[1], &wanted[1]);
}

const RUN: Run = Run { scheme: "newmark", dt: 0.01, steps: 100 };

/// With Rayleigh damping, initial values and a force on every third free degree of freedom.
fn enriched(mut model: Model, random: &mut Random) -> Model {
    model.damping = Damping::RayleighModes { ratios: [0.04, 0.04], modes: [1, 3] };
    for (i, dof) in model.dofs.iter_mut().enumerate().filter(|d| matches!(d.1.support, Support::Free)) {
        (dof.u0, dof.v0) = (0.01 * random.next(), random.next());
        if i % 3 == 0 {
            model.loads.push(Load::Force { dof: i, signal: Signal::Constant(1e4 * random.next()) });
        }
    }
    model
}

#[test]
fn random_partitions_add_up_to_the_whole() {
    let mut random = Random(7);
    let mut structures = vec![
        enriched(plane_frame(2, 3, RUN), &mut random),
        enriched(space_frame(1, 2, RUN), &mut random),
        enriched(chain(7, Springs::BuiltIn, RUN, 0.01, 200), &mut random),
        enriched(chain(7, Springs::Formula, RUN, 0.01, 200), &mut random),
    ];
    // Not the pendulum: with its mass, forces are scaled by the inverse of the whole mass matrix.
    let others = problems::all().into_iter().filter(|(name, _)| !["pendulum", "frame, modal"].contains(name));
    structures.extend(others.map(|(_, text)| read(&text)));
    // Supports that move, with Rayleigh damping and consistent masses: each side has its own columns there.
    let moving = read(problems::SUPPORTED).dofs.swap_remove(0).support;
    let mut frame = read(&problems::frame("rayleigh = { ratio = 0.05, modes = [1, 2] }"));
    frame.dofs[..6].iter_mut().for_each(|d| d.support = moving.clone());
    structures.push(frame);
    for structure in &structures {
        for count in 1..=structure.elements.len().min(5) {
            for _ in 0..4 {
                let share = 0.05 + 0.9 * random.next();
                compare(&partitioned(structure, count, &mut random, share), &mut random);
            }
        }
    }
}

#[test]
fn the_models_of_the_papers_add_up() {
    let mut random = Random(1);
    for b1 in ["0.25", "1", "3"] {
        let whole = model("split-mass", &set(&[("b1", b1)]));
        compare(&whole, &mut random);
        let mut sim = load("split-mass", &set(&[("b1", b1)]));
        advance(&mut sim, 0, 100);
        assert!((sim.y(0)[0] - (1f64.cos() + 1f64.sin())).abs() < 1e-4, "{}", sim.y(0)[0]);
        let b1: f64 = b1.parse().expect("a number");
        let taken = taken_apart(&whole);
        let mass = |part: usize| taken.parts[part].model.dofs[0].mass;
        assert!((mass(0) - b1 / (1.0 + b1)).abs() < 1e-15 && (mass(1) - 1.0 / (1.0 + b1)).abs() < 1e-15);
    }
    let mut sim = load("three-dof", &set(&[]));
    let steps = sim.steps();
    advance(&mut sim, 0, steps);
    let whole = model("three-dof", &set(&[]));
    compare(&whole, &mut random);
    let omega: Vec<f64> = assembled(&whole).modes(3).expect("three modes").omega2.iter().map(|w| w.sqrt()).collect();
    assert!(distance(&omega, &[2.7011, 7.2805, 16.337]) < 5e-4, "{omega:?}");
    let taken = taken_apart(&whole);
    let masses = |part: usize| taken.parts[part].model.dofs.iter().map(|d| d.mass).collect::<Vec<_>>();
    assert!(distance(&masses(0), &[20e3 / 3.0, 80e3 / 3.0]) < 1e-8);
    assert!(distance(&masses(1), &[10e3 / 3.0, 40e3 / 3.0, 5e3]) < 1e-8);
    assert_eq!(taken.parts[1].model.analysis.dt, 1e-3);
    assert_eq!(taken.parts[1].substeps, 10);
}
