//! A structure in memory: everything resolved, named, and in SI units. Made from a model file by `parse`, or by
//! a program; assembled into a system by `interfield-structure`.
//!
//! **Must not be here:** text, units, matrices.

use std::sync::Arc;

use interfield_kernel::Dual;
use interfield_kernel::element::{AnyLaw, Element as _};
use interfield_kernel::expr::Instr;
use interfield_kernel::frame::fibres::Program;
use interfield_kernel::frame::member::Spread;
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::section::Section;
use interfield_kernel::frame::{Group, Resultant, Tables};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::uniaxial::Pace;
use interfield_kernel::uniaxial::combined::{Library, Share};
use interfield_kernel::uniaxial::material::Material;
use interfield_lab::rig::Reading;

use crate::external::External;
use crate::formula::FormulaElement;
use crate::partition::Partition;
use crate::reduction::{Inertia, Reduction, Superelement};
use crate::signal::{Motion, Signal};
use crate::specimen::Specimen;
use crate::units::{Dimension, UnitSystem};
use crate::update::{Learned, Update};

/// What holds a degree of freedom.
#[derive(Clone, Debug)]
pub enum Support {
    /// Nothing: it is an unknown.
    Free,
    /// The ground.
    Fixed,
    /// A prescribed motion.
    Imposed(Motion),
    /// Other degrees of freedom, none of which follows: it moves with them and is no unknown.
    Follows(Coordinate),
}

/// One degree of freedom of a node.
#[derive(Clone, Debug)]
pub struct Dof {
    /// `node.dof`.
    pub name: String,
    /// Whether it is a rotation (rad) rather than a translation (m).
    pub angle: bool,
    /// What holds it.
    pub support: Support,
    /// Lumped mass, kg (kg m²).
    pub mass: f64,
    /// Initial displacement.
    pub u0: f64,
    /// Initial velocity.
    pub v0: f64,
}

/// A node: a named point with its degrees of freedom.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Position, m; missing coordinates are zero.
    pub at: [f64; 3],
    /// Its degrees of freedom, as indices into [`Model::dofs`], with their short names.
    pub dofs: Vec<(String, usize)>,
}

/// A local coordinate of an element: a sum of degrees of freedom with factors.
pub type Coordinate = Vec<(usize, f64)>;

/// What an element does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A law of the kernel; `path`: moved by its evaluations instead of integrated, if it is a law that can be.
    #[allow(missing_docs)]
    Law { law: AnyLaw, coordinates: Vec<Coordinate>, path: bool },
    /// Formulas of the model file.
    #[allow(missing_docs)]
    Formula { element: Box<FormulaElement>, coordinates: Vec<Coordinate>, states: Vec<String> },
    /// A linear first-order block s' = A s + B q + Bv q', p = C s + D q + Dv q'.
    #[allow(missing_docs)]
    Block { block: BlockData, coordinates: Vec<Coordinate> },
    /// A part of a nonlinear frame: a material between two points, a member, a bearing.
    #[allow(missing_docs)]
    Frame { frame: Box<FramePart>, coordinates: Vec<Coordinate> },
    /// Constant matrices on a list of degrees of freedom, row-major; empty means zero.
    #[allow(missing_docs)]
    Linear { dofs: Vec<usize>, mass: Vec<f64>, damping: Vec<f64>, stiffness: Vec<f64> },
}

impl Kind {
    /// Whether it has a mass of its own.
    pub fn has_mass(&self) -> bool {
        match self {
            Kind::Law { law, .. } => law.has_mass(),
            Kind::Formula { element, .. } => element.has_mass(),
            Kind::Block { .. } => false,
            Kind::Frame { frame, .. } => !frame.mass.is_empty(),
            Kind::Linear { mass, .. } => mass.iter().any(|m| *m != 0.0),
        }
    }
}

/// Sections and fibres of a frame, which its members share.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// Names of the sections.
    pub names: Vec<String>,
    /// Sections.
    pub sections: Vec<Section>,
    /// Fibres of one material each.
    pub groups: Vec<Group>,
    /// Single forces of sections with materials of their own.
    pub resultants: Vec<Resultant>,
    /// Positions of the fibres, m.
    pub y: Vec<f64>,
    /// The same along z.
    pub z: Vec<f64>,
    /// Areas, m².
    pub area: Vec<f64>,
    /// Parts of combined materials.
    pub parts: Vec<Share>,
    /// Instructions, constants and outputs of formula materials.
    pub code: Vec<Instr>,
    /// Their constants.
    pub constants: Vec<f64>,
    /// Registers with their results.
    pub outputs: Vec<u16>,
    /// What the fibres cover.
    pub outlines: Vec<Outline>,
    /// Numbers of the fibres in their section as the file lists them, from 1.
    pub numbers: Vec<usize>,
    /// Names of the materials of the groups.
    pub materials: Vec<String>,
    /// All materials that were read.
    pub named: Vec<NamedMaterial>,
}

/// A material as the file has it.
#[derive(Clone, Debug)]
pub struct NamedMaterial {
    /// Its name.
    pub name: String,
    /// What it is.
    pub material: Material,
    /// Dimensions of stress and strain, or of what stands for them.
    pub gives: [Dimension; 2],
}

/// A point of the path of a material, SI.
#[derive(Clone, Copy, Debug)]
pub struct Strained {
    /// Strain.
    pub strain: f64,
    /// Stress.
    pub stress: f64,
    /// Tangent.
    pub tangent: f64,
}

impl Sections {
    /// A material led along strains, one every `dt` seconds, each committed at once.
    pub fn driven(&self, material: &Material, strains: &[f64], dt: f64) -> Vec<Strained> {
        let library = self.library();
        let mut history = vec![0.0; material.history()];
        material.start(&library, 1, &mut history);
        let mut path = Vec::new();
        for (i, &strain) in strains.iter().enumerate() {
            let old = history.clone();
            let pace = Pace::at(dt * (i + 1) as f64);
            let e = Dual { re: strain, eps: 1.0 };
            let s = material.advance(&library, |j| old[j], e, &pace, |j, x| history[j] = x);
            path.push(Strained { strain, stress: s.re, tangent: s.eps });
        }
        path
    }
}

/// Corners (y, z) of what a fibre covers, m; none of a bar, which has an area only.
pub type Outline = Vec<[f64; 2]>;

impl Sections {
    /// As the kernel takes them.
    pub fn tables(&self) -> Tables<'_> {
        let Sections { sections, groups, resultants, y, z, area, .. } = self;
        let program = Program::default();
        Tables { library: self.library(), sections, groups, resultants, y, z, area, program }
    }

    /// What its materials refer to.
    pub fn library(&self) -> Library<'_> {
        Library { parts: &self.parts, code: &self.code, constants: &self.constants, outputs: &self.outputs }
    }
}

/// A part of a nonlinear frame.
#[derive(Clone, Debug)]
pub struct FramePart {
    /// What it is.
    pub part: Part,
    /// The sections of the frame.
    pub sections: Arc<Sections>,
    /// Load along it that is there from the beginning, N/m in local axes.
    pub load: Spread,
    /// Mass over its coordinates, row-major; empty if it has none.
    pub mass: Vec<f64>,
    /// What it remembers at the beginning, after gravity; empty if it was never moved.
    pub rest: Arc<[f64]>,
}

/// Matrices of a linear block, row-major.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BlockData {
    pub inputs: usize,
    pub states: usize,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub bv: Vec<f64>,
    pub c: Vec<f64>,
    pub d: Vec<f64>,
    pub dv: Vec<f64>,
    /// Whether its states remember its deformation, as those of a hysteretic law do: their stiffness then counts.
    pub remembers: bool,
    /// What those take it for who know the element at rest only: a scheme that keeps the tangents of the start, the stand-in of a specimen.
    pub taken_for: Option<Box<BlockData>>,
}

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Name.
    pub name: String,
    /// Type in the catalogue.
    pub type_name: String,
    /// What it does.
    pub kind: Kind,
    /// Whether its stiffness is included in Rayleigh damping.
    pub damped: bool,
    /// Estimate for the `given` tangent policy.
    pub given: Option<Estimate>,
    /// Initial values of its states; empty means zero.
    pub s0: Vec<f64>,
    /// Degrees of freedom that it was written on, where constraints have put it on others.
    pub written_on: Vec<usize>,
    /// Whether it is inside a superelement, which has its stiffness, damping and mass: it is read, and acts on nothing.
    pub inside: bool,
}

/// Stiffness and damping that a scheme takes an element for.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimate {
    /// On each of its coordinates.
    Each(f64, f64),
    /// Over all its coordinates, row by row.
    Matrices(Vec<f64>, Vec<f64>),
}

impl Estimate {
    /// Stiffness and damping over `d` coordinates, row by row.
    pub fn matrices(&self, d: usize) -> [Vec<f64>; 2] {
        let diagonal = |x: f64| (0..d * d).map(|i| if i % (d + 1) == 0 { x } else { 0.0 }).collect();
        match self {
            Estimate::Each(k, c) => [diagonal(*k), diagonal(*c)],
            Estimate::Matrices(k, c) => [k.clone(), c.clone()],
        }
    }
}

/// Damping of the whole structure, in addition to that of elements.
#[derive(Clone, Debug, Default)]
pub enum Damping {
    /// None.
    #[default]
    None,
    /// C = a0 M + a1 K with the initial stiffness.
    #[allow(missing_docs)]
    Rayleigh { a0: f64, a1: f64 },
    /// Rayleigh damping with these ratios in these modes (numbered from 1).
    #[allow(missing_docs)]
    RayleighModes { ratios: [f64; 2], modes: [usize; 2] },
    /// Damping ratios of the first modes; the other modes have no damping.
    Modal(Vec<f64>),
}

/// A load.
#[derive(Clone, Debug)]
pub enum Load {
    /// Acceleration of the ground under the whole structure, along the degrees of freedom with this short name;
    /// the unknowns are then relative to the ground. `supports`: the load includes the inertia that couples free nodes
    /// to the supports, which move with the ground (there is none with lumped masses).
    #[allow(missing_docs)]
    Ground { direction: String, signal: Signal, supports: bool },
    /// A force on one degree of freedom.
    #[allow(missing_docs)]
    Force { dof: usize, signal: Signal },
}

/// Which Jacobian a scheme works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TangentPolicy {
    /// The exact tangent wherever the scheme asks for it.
    #[default]
    Exact,
    /// The exact tangent of the initial state at rest, without its velocities, for ever.
    Initial,
    /// Estimates given per element, as for a specimen; elements without one keep their initial tangent.
    Given,
}

impl Analysis {
    /// Whole steps up to the end: none goes beyond it. A duration that is a multiple of the step up to rounding is one.
    pub fn steps(&self) -> u64 {
        let exact = self.duration / self.dt;
        (exact + 1e-9 * exact.max(1.0)).floor() as u64
    }
}

/// How to integrate.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Name of the scheme, as the user wrote it.
    pub scheme_name: String,
    /// The scheme.
    pub scheme: AnyScheme,
    /// Step, s.
    pub dt: f64,
    /// End, s.
    pub duration: f64,
    /// Tangent policy.
    pub tangent: TangentPolicy,
    /// Whether steps in which a law turns stiff are taken in substeps.
    pub land: bool,
    /// Whether the structure is pushed as [`Model::pushover`] says, from balance to balance, instead of moved in time.
    pub statics: bool,
}

/// How a structure is pushed.
#[derive(Clone, Debug)]
pub struct Pushing {
    /// The degree of freedom that is led; without one it is the load factor.
    pub control: Option<usize>,
    /// Forces for a load factor of one, N (N m).
    pub pattern: Coordinate,
    /// Where the controlled displacement, m (rad), or the load factor goes, step by step.
    pub targets: Vec<f64>,
    /// Number of the step in which each cycle of the protocol ends; none of a monotonic push.
    pub cycles: Vec<usize>,
    /// Amplitude of each cycle.
    pub amplitudes: Vec<f64>,
    /// Largest velocity of the controlled displacement in a test, m/s (rad/s).
    pub velocity: Option<f64>,
    /// How long each target is held before it is measured, s.
    pub hold: f64,
    /// Whether targets count from the displacement under the loads that are held.
    pub relative: bool,
    /// What the protocol is called, where it has a name.
    pub protocol: Option<&'static str>,
}

/// A recorded quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Displacement of a degree of freedom (relative to the ground under ground acceleration).
    Displacement(usize),
    /// Velocity.
    Velocity(usize),
    /// Acceleration.
    Acceleration(usize),
    /// Acceleration including that of the ground.
    AbsoluteAcceleration(usize),
    /// Force of a coordinate of an element.
    Force(usize, usize),
    /// Coordinate of an element (elongation).
    Deformation(usize, usize),
    /// Internal state of an element.
    State(usize, usize),
    /// Of a section of a member: element, number of the section along it from 0, what.
    Section(usize, usize, Within),
    /// Storey drift: the displacement of a degree of freedom against another (or against a held one) over a height, m.
    #[allow(missing_docs)]
    Drift { above: usize, below: Option<usize>, height: f64 },
    /// Value of a load signal.
    LoadSignal(usize),
    /// What a pushed structure is pushed by.
    Push(PushPart),
    /// Distance of the two sides of a cut at a degree of freedom, in derivative 0 or 1.
    Gap(usize, usize),
    /// Force that the cut transmits at a degree of freedom (on the first side, with the sign of the degree of freedom).
    InterfaceForce(usize),
    /// Displacement of the fine side at a degree of freedom by the link of the last step.
    Link(usize),
    /// A part of the energy balance of the whole structure.
    Energy(EnergyPart),
    /// What the laboratory said last of a commanded degree of freedom: specimen, number of the degree of freedom in it.
    Specimen(usize, usize, Reading),
    /// What is known of an update.
    Update(usize, Learned),
    /// What the program of an external said last of a degree of freedom: external, number of the degree of freedom in it.
    External(usize, usize, Reading),
}

/// What a pushed structure is pushed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushPart {
    /// The load factor; with the sum of the pattern as its factor the base shear.
    Factor,
    /// Work of the pattern since the beginning, J.
    Work,
}

/// What is read of a section of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// A strain: elongation, curvature about z, about y, twist.
    Strain(usize),
    /// A force: axial, moment about z, about y, torque.
    Force(usize),
    /// Strain of a fibre, by its number in the tables.
    FibreStrain(usize),
    /// Stress of a fibre.
    FibreStress(usize),
}

impl Within {
    /// Strains and forces of a section by the names of their channels; those of a plane section first.
    pub const ALL: [(&str, Self); 8] = [
        ("axial", Self::Force(0)),
        ("elongation", Self::Strain(0)),
        ("moment", Self::Force(1)),
        ("curvature", Self::Strain(1)),
        ("moment_y", Self::Force(2)),
        ("curvature_y", Self::Strain(2)),
        ("torque", Self::Force(3)),
        ("twist", Self::Strain(3)),
    ];
}

/// A part of the energy balance: input = change of kinetic + internal + error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyPart {
    /// Kinetic energy.
    Kinetic,
    /// Work done on springs, dampers and all other elements.
    Internal,
    /// The part of the internal work that went into the damping matrix.
    Damping,
    /// Work of the loads.
    Input,
    /// What is missing in the balance.
    Error,
}

impl EnergyPart {
    /// All parts, by the names of their channels.
    pub const ALL: [(&str, Self); 5] = [
        ("kinetic", Self::Kinetic),
        ("internal", Self::Internal),
        ("damping", Self::Damping),
        ("input", Self::Input),
        ("error", Self::Error),
    ];
}

/// A recorded channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name, as written.
    pub name: String,
    /// What is recorded.
    pub quantity: Quantity,
    /// Unit it is written in.
    pub unit: String,
    /// Value in that unit = factor * value in SI.
    pub factor: f64,
}

/// A structure, its loads, and what to do with it.
#[derive(Clone, Debug)]
pub struct Model {
    /// One line.
    pub title: String,
    /// Units of plain numbers in the file and of the output.
    pub units: UnitSystem,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Degrees of freedom of all nodes.
    pub dofs: Vec<Dof>,
    /// Elements.
    pub elements: Vec<Element>,
    /// Damping.
    pub damping: Damping,
    /// Loads.
    pub loads: Vec<Load>,
    /// Their names.
    pub load_names: Vec<String>,
    /// Forces that are there from the beginning, by degree of freedom, N (N m): gravity.
    pub held: Vec<(usize, f64)>,
    /// How to integrate.
    pub analysis: Analysis,
    /// How it is pushed, if it is.
    pub pushover: Option<Pushing>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Every how many steps they are recorded.
    pub every: u64,
    /// Its cross-sections and materials.
    pub sections: Arc<Sections>,
    /// Its division into substructures.
    pub partition: Option<Partition>,
    /// Elements tested in the laboratory.
    pub specimens: Vec<Specimen>,
    /// Parts of the structure that other programs compute.
    pub externals: Vec<External>,
    /// Parts that are to be reduced.
    pub reductions: Vec<Reduction>,
    /// Parts that have been reduced.
    pub superelements: Vec<Superelement>,
    /// Online updating.
    pub updates: Vec<Update>,
}

impl Model {
    /// A coordinate in degrees of freedom that follow no others.
    pub fn resolved(&self, coordinate: &[(usize, f64)]) -> Coordinate {
        let mut sum = Coordinate::new();
        for &(d, f) in coordinate {
            match &self.dofs[d].support {
                Support::Follows(others) => others.iter().for_each(|&(o, g)| add(&mut sum, o, f * g)),
                _ => add(&mut sum, d, f),
            }
        }
        sum
    }

    /// What the insides of superelements weigh along a direction; `supports`: with what moves with the ground besides.
    pub fn inertia_inside<'a>(&'a self, direction: &'a str, supports: bool) -> impl Iterator<Item = &'a Inertia> {
        let along = move |i: &&Inertia| i.direction == direction && i.supports == supports;
        self.superelements.iter().flat_map(|s| &s.inertia).filter(along)
    }

    /// Whether a degree of freedom is a generalised one of a superelement, which has no place and no direction.
    pub fn is_generalised(&self, dof: usize) -> bool {
        self.superelements.iter().any(|s| match s.generalised[..] {
            // One after the other, in every part of the model.
            [first, .., last] => (first..=last).contains(&dof),
            [one] => one == dof,
            [] => false,
        })
    }

    /// The same structure without its cuts.
    pub fn in_one_piece(self) -> Self {
        // What was to be reduced part by part is reduced together, as well as the best of them.
        let together = self.reductions.iter().cloned().reduce(|mut a, b| {
            a.keep.extend(b.keep);
            a.modes = a.modes.zip(b.modes).map(|(a, b)| a + b);
            Reduction { frequency: a.frequency.max(b.frequency), accuracy: a.accuracy.min(b.accuracy), file: None, ..a }
        });
        // Its file is that of the part.
        let alone = |r: Reduction| Reduction {
            file: r.file.clone().filter(|_| r.substructure.is_none()),
            substructure: None,
            ..r
        };
        let reductions = together.map(alone).into_iter().collect();
        Model { partition: None, reductions, ..self }
    }
}

/// Adds a term to a coordinate.
fn add(sum: &mut Coordinate, dof: usize, factor: f64) {
    match sum.iter_mut().find(|s| s.0 == dof) {
        Some(term) => term.1 += factor,
        None => sum.push((dof, factor)),
    }
}

/// The part of a name after the last point: `x` of `roof.x`.
pub fn short_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
