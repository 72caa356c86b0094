//! A system laid open, for programs that print it instead of running it.
//!
//! Everything is a copy: what is done with it cannot disturb a run. Meanings are those of the fields of [`Assembled`].

use interfield_kernel::Mck;
use interfield_linalg::{Blueprint as FactorBlueprint, Pattern};

use super::element::{Row, Stored};
use super::operators::Operator;
use super::{Assembled, Coupling, Ground};

/// A dynamic matrix of a [`Blueprint`].
#[derive(Clone, Debug)]
pub struct OperatorBlueprint {
    /// Its coefficients; those of the mass matrix include the share of stiffness of massless unknowns.
    pub mck: Mck,
    /// Factorised again whenever tangents are taken.
    pub follows: bool,
    /// m M + c C + k K of the constant matrices (of a diagonal matrix the diagonal).
    pub base: Vec<f64>,
    /// Its factor.
    pub factor: FactorBlueprint,
    /// Per element with states: (mI - cE)⁻¹ and cB + kA.
    pub eliminated: Vec<f64>,
    /// D⁻¹ W of the modal damping vectors, one after the other.
    pub modal_z: Vec<f64>,
    /// Small matrix of the Woodbury formula.
    pub modal_small: Vec<f64>,
}

/// An element of a [`Blueprint`].
#[derive(Clone, Debug)]
pub struct ElementBlueprint {
    /// Its law.
    pub law: Stored,
    /// Coordinates.
    pub d: usize,
    /// States.
    pub s: usize,
    /// Whether it carries mass.
    pub massive: bool,
    /// One row per coordinate.
    pub rows: Vec<Row>,
    /// Motion of its coordinates per ground motion.
    pub ground: Vec<f64>,
    /// First of its states.
    pub state0: usize,
    /// Start of its memory, and its length.
    pub memory0: usize,
    /// See there.
    pub memory: usize,
    /// What a part of a frame remembers at the beginning; empty of all others.
    pub start: Vec<f64>,
    /// Start of its tangent blocks [K C R A B E M].
    pub tangent0: usize,
    /// Start of its eliminated blocks.
    pub eliminated0: usize,
    /// Where its local matrix goes: index in it, position in the pattern, factor.
    pub scatter: Vec<(u32, u32, f64)>,
    /// Unknowns and factors of an element that takes the short way.
    pub line: Option<([u32; 2], [f64; 2])>,
}

/// A specimen of a [`Blueprint`].
#[derive(Clone, Debug)]
pub struct SpecimenBlueprint {
    /// Commanded unknowns.
    pub unknowns: Vec<usize>,
    /// Stiffness of its stand-in.
    pub stiffness: Vec<f64>,
    /// Damping of its stand-in.
    pub damping: Vec<f64>,
    /// Whether forces are moved from where it is to where it should be.
    pub correct: bool,
    /// Where [target | reached | force] of its unknowns begin in the memory of the system.
    pub memory0: usize,
}

/// A system laid open.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// Unknowns.
    pub n: usize,
    /// States.
    pub ns: usize,
    /// Whether tangents follow the state.
    pub follows: bool,
    /// Pattern of all matrices.
    pub pattern: Pattern,
    /// Constant mass.
    pub mass: Vec<f64>,
    /// Constant damping; empty: none.
    pub damping: Vec<f64>,
    /// Constant stiffness.
    pub stiffness: Vec<f64>,
    /// The mass matrix if it is diagonal.
    pub lumped: Option<Vec<f64>>,
    /// Mass at the linearisation, if elements carry mass; else empty.
    pub mass_linear: Vec<f64>,
    /// Factor of the mass matrix at any configuration, if elements carry mass.
    pub mass_factor: Option<FactorBlueprint>,
    /// Modal damping.
    pub modal: Vec<(f64, Vec<f64>)>,
    /// Constant matrices between free and imposed unknowns.
    pub couplings: Vec<Coupling>,
    /// Unknowns that are loaded by forces, in the order of the loads.
    pub forces: Vec<usize>,
    /// Loads that are there from the beginning, over the unknowns; empty: none.
    pub held: Vec<f64>,
    /// Whether its scheme iterates: tangents of parts of frames are then taken from where the step began.
    pub iterated: bool,
    /// Rate below which viscous forces of parts of frames are linear.
    pub calm: f64,
    /// Base accelerations.
    pub grounds: Vec<Ground>,
    /// Number of imposed motions.
    pub imposed: usize,
    /// Elements.
    pub elements: Vec<ElementBlueprint>,
    /// Their tangents at the linearisation.
    pub tangents: Vec<f64>,
    /// Length of the memory of path-moved laws.
    pub memory: usize,
    /// Dynamic matrices.
    pub operators: Vec<OperatorBlueprint>,
    /// Share of the stiffness that stands in for missing masses.
    pub massless: f64,
    /// Specimens.
    pub specimens: Vec<SpecimenBlueprint>,
}

impl Blueprint {
    /// How many coordinates its parts of frames have.
    pub fn frame_coordinates(&self) -> usize {
        self.elements.iter().filter(|e| matches!(e.law, Stored::Frame(_))).map(|e| e.d).sum()
    }

    /// Whether parts of frames are among its elements.
    pub fn is_framed(&self) -> bool {
        self.elements.iter().any(|e| matches!(e.law, Stored::Frame(_)))
    }
}

impl Assembled {
    /// Lays the system open as it is now prepared. `None` if a supernodal factor has no sparse counterpart.
    pub fn blueprint(&self) -> Option<Blueprint> {
        let elements = self.elements.iter().map(|e| ElementBlueprint {
            law: e.law.clone(),
            d: e.d,
            s: e.s,
            massive: e.massive,
            rows: (0..e.d).map(|i| self.row(e, i).to_vec()).collect(),
            ground: e.ground.clone(),
            state0: e.state0,
            memory0: e.memory0,
            memory: e.memory,
            start: match &e.law {
                Stored::Frame(part) => {
                    let mut start = vec![0.0; e.memory];
                    super::frame::start(part, 0.0, &vec![0.0; e.d], &mut start);
                    start
                }
                _ => Vec::new(),
            },
            tangent0: e.tangent0,
            eliminated0: e.eliminated0,
            scatter: self.scatter[e.scatter.clone()].iter().map(|s| (s.index, s.position, s.factor)).collect(),
            line: e.line.map(|l| (l.at, l.factor)),
        });
        let follows = self.follows_state();
        let mass_factor = match &self.mass_now {
            Some((factor, values)) => Some(factor.blueprint(&self.pattern, values)?),
            None => None,
        };
        Some(Blueprint {
            n: self.n,
            ns: self.ns,
            follows,
            pattern: self.pattern.clone(),
            mass: self.mass.clone(),
            damping: self.damping.clone(),
            stiffness: self.stiffness.clone(),
            lumped: self.lumped.clone(),
            mass_linear: self.mass_lin.clone(),
            mass_factor,
            modal: self.modal.clone(),
            couplings: self.couplings.clone(),
            forces: self.forces.iter().map(|f| f.0).collect(),
            held: self.held.clone(),
            iterated: self.iterated,
            calm: self.calm(),
            grounds: self.grounds.clone(),
            imposed: self.motions.len(),
            elements: elements.collect(),
            tangents: self.tangents.clone(),
            memory: self.elements.iter().map(|e| e.memory).sum(),
            operators: self.operators.iter().map(|o| self.lay_open(o, follows)).collect::<Option<_>>()?,
            massless: self.massless,
            specimens: self.measured.iter().map(crate::specimen::Measured::blueprint).collect(),
        })
    }

    fn lay_open(&self, o: &Operator, follows: bool) -> Option<OperatorBlueprint> {
        Some(OperatorBlueprint {
            mck: o.mck,
            follows: follows && !o.constant,
            base: o.base.clone(),
            factor: o.factor.blueprint(&self.pattern, &o.values)?,
            eliminated: o.eliminated.clone(),
            modal_z: o.modal_z.concat(),
            modal_small: o.modal_small.clone(),
        })
    }
}
