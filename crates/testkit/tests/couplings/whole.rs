//! Structures cut at random and held together by multipliers are the whole structure, to round-off: one scheme for all
//! parts, one step.

use interfield_coupling::registry::find;
use interfield_coupling::{
    Assembly, Coupling, CouplingMethod, Gc, GcOptions, Llm, Localized, Port, Ranks, Substructure,
};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::model::{Model, TangentPolicy};
use interfield_language::partition;
use interfield_language::partition::{Choice, Constraints, Partition, Shares};
use interfield_structure::split::Split;
use interfield_structure::{Assembled, assemble};
use interfield_testkit::frames::{Run, Springs, chain, plane_frame};
use interfield_testkit::numerics::largest;
use interfield_testkit::run::{advance, start, taken_apart};
use interfield_testkit::variants::scheme;

const STEPS: u64 = 200;
const RUN: Run = Run { scheme: "trapezoidal", dt: 0.01, steps: STEPS as usize };

/// The elements of a model given to `count` substructures at random.
fn cut(model: &Model, scheme: AnyScheme, count: usize, mut seed: u64) -> Split {
    let substructure = |i: usize| partition::Substructure {
        name: format!("part {i}"),
        scheme_name: model.analysis.scheme_name.clone(),
        scheme,
        substeps: 1,
        fine: false,
        tangent: TangentPolicy::Initial,
        nodes: Vec::new(),
        interface_mass: Shares::default(),
    };
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let owners = (0..model.elements.len()).map(|e| if e < count { e } else { random(count) }).collect();
    let substructures = (0..count).map(substructure).collect();
    let info = find("clm").expect("the classical form has a name");
    let coupling = partition::Coupling {
        info,
        method: CouplingMethod::Gc(GcOptions),
        constraints: Constraints::Tree,
        choice: Choice::Named,
    };
    let partition = Partition { substructures, owners, rest: None, coupling };
    let model = Model { partition: Some(partition), ..model.clone() };
    taken_apart(&model)
}

/// Substructures, and where their unknowns are in the whole model.
fn assembly(taken: &Split, scheme: AnyScheme) -> (Assembly<Assembled>, Vec<Vec<usize>>) {
    let (mut substructures, mut dofs, mut unknowns) = (Vec::new(), Vec::new(), Vec::new());
    for part in &taken.parts {
        let assembled = assemble(&part.model).unwrap_or_else(|problems| panic!("{}", problems[0].message));
        dofs.push(assembled.free.iter().map(|&d| part.dofs[d]).collect());
        unknowns.push(assembled.free);
        let (system, y0) = (assembled.system, assembled.y0);
        substructures.push(Substructure { system, y0, scheme, substeps: 1, fine: false, ports: Vec::new() });
    }
    for (row, constraint) in taken.interface.iter().enumerate() {
        for ((part, dof), sign) in [(constraint.plus, 1.0), (constraint.minus, -1.0)] {
            let dof = unknowns[part].iter().position(|d| *d == dof).expect("a free end");
            substructures[part].ports.push(Port { row, dof, sign });
        }
    }
    (Assembly { substructures, rows: taken.interface.len(), dt: RUN.dt, ranks: Ranks::default() }, dofs)
}

/// Largest distance of the parts from the whole in displacement and in velocity, relative to its largest.
fn compare(coupled: &mut dyn Coupling<Assembled>, whole: &[f64], free: &[usize], dofs: &[Vec<usize>]) -> [f64; 2] {
    for k in 0..STEPS {
        coupled.step(k).unwrap_or_else(|fault| panic!("step {k}, part {}: {fault:?}", coupled.faulty()));
    }
    let n = free.len();
    let mut worst = [0.0_f64; 2];
    for (i, dofs) in dofs.iter().enumerate() {
        let x = coupled.state_of(i);
        for (j, dof) in dofs.iter().enumerate() {
            let at = free.iter().position(|f| f == dof).expect("an unknown of the whole");
            worst[0] = worst[0].max((x[j] - whole[at]).abs() / largest(&whole[..n]));
            worst[1] = worst[1].max((x[dofs.len() + j] - whole[n + at]).abs() / largest(&whole[n..2 * n]));
        }
    }
    worst
}

#[test]
fn localized_and_classical_multipliers_hold_random_parts_together_as_the_whole() {
    let mut models = vec![plane_frame(2, 3, RUN), chain(12, Springs::BuiltIn, RUN, 0.01, 400)];
    models.iter_mut().for_each(|m| m.analysis.tangent = TangentPolicy::Initial);
    for model in &models {
        for (name, parameters) in [
            ("trapezoidal", &[("predictor", "half")][..]),
            ("trapezoidal", &[]),
            ("state-space-alpha", &[("rho_inf", "0.8")]),
        ] {
            let scheme = scheme(name, parameters);
            let free = assemble(model).unwrap_or_else(|problems| panic!("{}", problems[0].message)).free;
            let mut sim = start(model, scheme, RUN.dt);
            advance(&mut sim, 0, STEPS);
            let whole = sim.y(0).to_vec();
            assert!(largest(&whole) > 1e-3, "{}: it moves", model.title);
            for (count, seed) in [(2, 1), (3, 2), (5, 3), (9, 4)] {
                let taken = cut(model, scheme, count, seed);
                let (parts, dofs) = assembly(&taken, scheme);
                let interface = Localized::of(&parts).unwrap_or_else(|e| panic!("{e}"));
                let mut localized = Llm::start(parts, interface).unwrap_or_else(|e| panic!("{e}"));
                let mut classical = Gc::start(assembly(&taken, scheme).0).unwrap_or_else(|e| panic!("{e}"));
                let errors =
                    [compare(&mut localized, &whole, &free, &dofs), compare(&mut classical, &whole, &free, &dofs)];
                assert!(largest(&errors.concat()) < 1e-11, "{} in {count}, {name}: {errors:?}", model.title);
            }
        }
    }
}
