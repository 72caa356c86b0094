//! Structures of the performance bars, built in code: frames and hysteretic chains of any size.
//!
//! The plane frame and the chain are those of `peers/opensees_frames.py`, number for number, so that times and results
//! can be compared. **Must not be here:** clocks, other programs.

use std::f64::consts::TAU;

use interfield_kernel::element::AnyLaw;
use interfield_kernel::element::beam::MassKind;
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release};
use interfield_kernel::scheme::registry::{Arguments, find};
use interfield_language::formula::{FormulaElement, FormulaSpec};
use interfield_language::model::{
    Analysis, Channel, Coordinate, Damping, Dof, Element, Kind, Load, Model, Node, Quantity, Support, TangentPolicy,
};
use interfield_language::signal::Signal;
use interfield_language::units::UnitSystem;

/// Acceleration of gravity, m/s².
const GRAVITY: f64 = 9.81;

/// How a generated structure is integrated.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Name of a scheme, with its default parameters.
    pub scheme: &'static str,
    /// Step, s.
    pub dt: f64,
    /// Number of steps.
    pub steps: usize,
}

/// Ground acceleration at `count` times, peak about 1 g: three sines that grow for 2 s and die out after 10 s.
pub fn ground(count: usize, dt: f64) -> Signal {
    let sines = [(0.6, 1.1, 0.0), (0.3, 2.7, 1.0), (0.1, 6.3, 2.0)];
    let value = |k: usize| {
        let t = k as f64 * dt;
        let envelope = (t / 2.0).min(1.0) * (-(t - 10.0).max(0.0) / 5.0).exp();
        GRAVITY * envelope * sines.iter().map(|(a, f, phase)| a * (TAU * f * t + phase).sin()).sum::<f64>()
    };
    Signal::Samples { start: 0.0, dt, values: (0..count).map(value).collect() }
}

/// A model under construction.
struct Builder {
    model: Model,
}

impl Builder {
    /// An empty model under the ground acceleration `signal` along `direction`.
    fn new(title: String, run: Run, direction: &str, signal: Signal) -> Self {
        let info = find(run.scheme).unwrap_or_else(|| panic!("no scheme is called `{}`", run.scheme));
        let scheme = (info.build)(Arguments(&[])).expect("a scheme with default parameters");
        let model = Model {
            title,
            sections: Default::default(),
            units: UnitSystem::si(),
            nodes: Vec::new(),
            dofs: Vec::new(),
            elements: Vec::new(),
            damping: Damping::None,
            loads: vec![Load::Ground { direction: direction.to_owned(), signal, supports: true }],
            held: Vec::new(),
            load_names: vec!["quake".to_owned()],
            analysis: Analysis {
                scheme_name: run.scheme.to_owned(),
                scheme,
                dt: run.dt,
                duration: run.dt * run.steps as f64,
                tangent: TangentPolicy::Exact,
                land: false,
                statics: false,
            },
            pushover: None,
            channels: Vec::new(),
            every: 1,
            partition: None,
            specimens: Vec::new(),
            externals: Vec::new(),
            reductions: Vec::new(),
            superelements: Vec::new(),
            updates: Vec::new(),
        };
        Builder { model }
    }

    /// A node with these degrees of freedom (name, rotation or not), all free or all fixed.
    fn node(&mut self, name: &str, at: [f64; 3], dofs: &[(&str, bool)], fixed: bool) {
        let support = if fixed { Support::Fixed } else { Support::Free };
        let first = self.model.dofs.len();
        for (dof, angle) in dofs {
            self.model.dofs.push(Dof {
                name: format!("{name}.{dof}"),
                angle: *angle,
                support: support.clone(),
                mass: 0.0,
                u0: 0.0,
                v0: 0.0,
            });
        }
        let dofs = dofs.iter().enumerate().map(|(i, (dof, _))| ((*dof).to_owned(), first + i)).collect();
        self.model.nodes.push(Node { name: name.to_owned(), at, dofs });
    }

    fn element(&mut self, type_name: &str, kind: Kind) {
        let name = format!("e{}", self.model.elements.len() + 1);
        let type_name = type_name.to_owned();
        self.model.elements.push(Element {
            name,
            type_name,
            kind,
            damped: true,
            given: None,
            s0: Vec::new(),
            written_on: Vec::new(),
            inside: false,
        });
    }

    /// Degrees of freedom of two nodes.
    fn ends(&self, a: usize, b: usize) -> Vec<usize> {
        [a, b].iter().flat_map(|&n| self.model.nodes[n].dofs.iter().map(|d| d.1)).collect()
    }

    /// Constant stiffness on degrees of freedom, and half of the mass of the member with its rotary inertia
    /// half l² / 12 on the rotations, at both ends.
    fn member(&mut self, type_name: &str, dofs: Vec<usize>, stiffness: Vec<f64>, half_mass: f64, length: f64) {
        for &d in &dofs {
            let dof = &mut self.model.dofs[d];
            dof.mass += if dof.angle { half_mass * length * length / 12.0 } else { half_mass };
        }
        self.element(type_name, Kind::Linear { dofs, mass: Vec::new(), damping: Vec::new(), stiffness });
    }
}

const CONCRETE: f64 = 30e9;
const DENSITY: f64 = 25e3 / GRAVITY;

/// Linear plane frame of 3 (bays + 1) storeys unknowns: bays of 6 m, storeys of 3 m, E = 30 GPa, 25 kN/m³, columns
/// 0.5 x 0.5, beams 0.3 x 0.6, lumped masses, no damping; the ground moves along x.
pub fn plane_frame(bays: usize, storeys: usize, run: Run) -> Model {
    let signal = ground(run.steps + 2, run.dt);
    let mut b = Builder::new(format!("plane frame of {bays} bays and {storeys} storeys"), run, "x", signal);
    let node = |line: usize, level: usize| level * (bays + 1) + line;
    let at = |line: usize, level: usize| [6.0 * line as f64, 3.0 * level as f64];
    for level in 0..=storeys {
        for line in 0..=bays {
            let [x, y] = at(line, level);
            let dofs = [("x", false), ("y", false), ("rz", true)];
            b.node(&format!("n{level}_{line}"), [x, y, 0.0], &dofs, level == 0);
        }
    }
    let mut member = |from: (usize, usize), to: (usize, usize), area: f64, i: f64, length: f64| {
        let mass = MassKind::Lumped;
        let beam = Beam2d { e: CONCRETE, area, i, rho: 0.0, release: [false; 2], mass };
        let matrices = beam.matrices(at(from.0, from.1), at(to.0, to.1)).expect("a member of some length");
        let dofs = b.ends(node(from.0, from.1), node(to.0, to.1));
        b.member("beam2d", dofs, matrices.k.concat(), DENSITY * area * length / 2.0, length);
    };
    for level in 0..storeys {
        for line in 0..=bays {
            member((line, level), (line, level + 1), 0.25, 0.5f64.powi(4) / 12.0, 3.0);
        }
    }
    for level in 1..=storeys {
        for line in 0..bays {
            member((line, level), (line + 1, level), 0.18, 0.3 * 0.6f64.powi(3) / 12.0, 6.0);
        }
    }
    b.model
}

/// Linear space frame on a grid of (bays + 1)² columns, 6 unknowns per node: same members and spacing as the plane
/// frame, in both directions.
pub fn space_frame(bays: usize, storeys: usize, run: Run) -> Model {
    let signal = ground(run.steps + 2, run.dt);
    let mut b = Builder::new(format!("space frame of {bays} x {bays} bays and {storeys} storeys"), run, "x", signal);
    let lines = bays + 1;
    let node = |[i, j, level]: [usize; 3]| (level * lines + j) * lines + i;
    let at = |[i, j, level]: [usize; 3]| [6.0 * i as f64, 6.0 * j as f64, 3.0 * level as f64];
    let grid = || (0..=storeys).flat_map(move |k| (0..lines).flat_map(move |j| (0..lines).map(move |i| [i, j, k])));
    let dofs = [("x", false), ("y", false), ("z", false), ("rx", true), ("ry", true), ("rz", true)];
    for place in grid() {
        let [i, j, level] = place;
        b.node(&format!("n{level}_{j}_{i}"), at(place), &dofs, level == 0);
    }
    let column = (0.25, 0.5f64.powi(4) / 12.0, 0.5f64.powi(4) / 12.0, 0.141 * 0.5f64.powi(4), 3.0);
    let beam = (0.18, 0.3 * 0.6f64.powi(3) / 12.0, 0.6 * 0.3f64.powi(3) / 12.0, 0.229 * 0.6 * 0.3f64.powi(3), 6.0);
    let mut member = |from: [usize; 3], to: [usize; 3], (area, iy, iz, j, length): (f64, f64, f64, f64, f64)| {
        let section = Beam3d {
            e: CONCRETE,
            g: CONCRETE / 2.4,
            area,
            iy,
            iz,
            j,
            rho: 0.0,
            orientation: None,
            release: [Release::default(); 2],
            mass: MassKind::Lumped,
        };
        let matrices = section.matrices(at(from), at(to)).expect("a member of some length");
        let dofs = b.ends(node(from), node(to));
        b.member("beam3d", dofs, matrices.k.concat(), DENSITY * area * length / 2.0, length);
    };
    for [i, j, level] in grid() {
        if level < storeys {
            member([i, j, level], [i, j, level + 1], column);
        }
        if level > 0 && i < bays {
            member([i, j, level], [i + 1, j, level], beam);
        }
        if level > 0 && j < bays {
            member([i, j, level], [i, j + 1, level], beam);
        }
    }
    b.model
}

/// How the springs of a [`chain`] are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Springs {
    /// The law `bouc-wen` of the kernel.
    BuiltIn,
    /// The same equations as formulas.
    Formula,
}

/// Shear building: 10 t and a Bouc-Wen spring per storey (4 MN/m, yield at 1 cm, 5 % hardening). Its record is sampled
/// at `record` s for `samples` samples, whatever the step.
pub fn chain(storeys: usize, springs: Springs, run: Run, record: f64, samples: usize) -> Model {
    let mut b = Builder::new(format!("Bouc-Wen chain of {storeys} storeys"), run, "x", ground(samples, record));
    let (stiffness, mass, hardening, shape) = (4.0e6, 1.0e4, 0.05, 50.0);
    let (k, k2) = (stiffness * (1.0 - hardening), stiffness * hardening);
    let law = AnyLaw::new("bouc-wen", &[k, shape, shape, 1.0, k2]).expect("the law and its parameters exist");
    let formula = FormulaElement::new(&FormulaSpec {
        q: vec!["q".into()],
        v: vec!["v".into()],
        s: vec!["z".into()],
        forces: vec!["k2*q + z".into()],
        rates: vec!["k*v - beta*abs(v)*z - gamma*v*abs(z)".into()],
        constants: [("k", k), ("k2", k2), ("beta", shape), ("gamma", shape)].map(|(n, x)| (n.into(), x)).into(),
        input_scale: Vec::new(),
        output_scale: Vec::new(),
    })
    .expect("the formulas are right");
    for level in 0..=storeys {
        b.node(&format!("n{level}"), [0.0, 0.0, 3.0 * level as f64], &[("x", false)], level == 0);
        b.model.dofs[level].mass = mass;
    }
    for level in 0..storeys {
        let coordinates: Vec<Coordinate> = vec![vec![(level, -1.0), (level + 1, 1.0)]];
        match springs {
            Springs::BuiltIn => b.element("bouc-wen", Kind::Law { law, coordinates, path: false }),
            Springs::Formula => {
                let (element, states) = (Box::new(formula.clone()), vec!["z".to_owned()]);
                b.element("formula", Kind::Formula { element, coordinates, states });
            }
        }
    }
    b.model
}

/// Lets a model record displacements and accelerations of `count` of its degrees of freedom, spread over the structure.
pub fn record_some(model: &mut Model, count: usize) {
    let free: Vec<usize> = (0..model.dofs.len()).filter(|&d| matches!(model.dofs[d].support, Support::Free)).collect();
    for i in 0..count {
        let dof = free[i * (free.len() - 1) / count.max(2).saturating_sub(1)];
        let (quantity, unit) = match i % 2 {
            0 => (Quantity::Displacement(dof), "m"),
            _ => (Quantity::AbsoluteAcceleration(dof), "m/s^2"),
        };
        let name = format!("{} of {}", if i % 2 == 0 { "displacement" } else { "acceleration" }, model.dofs[dof].name);
        model.channels.push(Channel { name, quantity, unit: unit.to_owned(), factor: 1.0 });
    }
}
