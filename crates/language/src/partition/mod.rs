//! A structure cut into substructures: which elements each one has, how it is integrated, and where they meet.
//!
//! ```text
//! Partition (part of a Model) --layout--> who has which degree of freedom --split--> one Model per part, constraints
//! ```
//!
//! **Must not be here:** text, coupling formulas.

pub(crate) mod bisect;
mod layout;

use interfield_coupling::CouplingMethod;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo, Level};
use interfield_kernel::scheme::registry::{AnyScheme, Arguments};

use crate::model::TangentPolicy;
use crate::parse::analysis::scheme_from_text;

pub(crate) use layout::check;
pub use layout::{Layout, layout, visit};

/// Shares of the nodal mass at interfaces that a substructure takes: `m_f` of paper 003, equation 22.
#[derive(Clone, Debug, PartialEq)]
pub enum Shares {
    /// This share at every interface node.
    All(f64),
    /// Shares by node (index into the nodes of the model); the others are not given.
    ByNode(Vec<(usize, f64)>),
}

impl Default for Shares {
    /// None given.
    fn default() -> Self {
        Shares::ByNode(Vec::new())
    }
}

impl Shares {
    /// The share given for a node.
    pub(crate) fn at(&self, node: usize) -> Option<f64> {
        match self {
            Shares::All(share) => Some(*share),
            Shares::ByNode(list) => list.iter().find(|s| s.0 == node).map(|s| s.1),
        }
    }
}

/// A substructure.
#[derive(Clone, Debug)]
pub struct Substructure {
    /// Name.
    pub name: String,
    /// Name of its scheme, as the user wrote it.
    pub scheme_name: String,
    /// Its scheme.
    pub scheme: AnyScheme,
    /// Number of its steps in one step of the analysis, at least 1.
    pub substeps: u32,
    /// Whether it stands on the fine side, which exchanges multipliers at each of its steps.
    pub fine: bool,
    /// Tangent policy.
    pub tangent: TangentPolicy,
    /// Nodes whose mass it shares although no element of it need touch them.
    pub nodes: Vec<usize>,
    /// Its shares of the nodal mass at interfaces; what nobody is given is divided equally among the others.
    pub interface_mass: Shares,
}

/// Which pairs are held together where more than two substructures meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Constraints {
    /// The first with each of the others: as many as needed.
    #[default]
    Tree,
    /// Every pair: redundant where three or more meet.
    AllPairs,
}

/// Who chose a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The file or the command line.
    #[default]
    Named,
    /// Nobody yet: what fits into a fine step decides, once the work of the sides is counted.
    Open,
    /// That rule.
    ByWork,
}

/// How the substructures are coupled.
#[derive(Clone, Copy)]
pub struct Coupling {
    /// Catalogue entry of the method.
    pub info: &'static CouplingInfo,
    /// The method with its options.
    pub method: CouplingMethod,
    /// Which pairs are held together.
    pub constraints: Constraints,
    /// Who chose it.
    pub choice: Choice,
}

impl Default for Coupling {
    /// The one for a coarse side of any size.
    fn default() -> Self {
        let (constraints, choice) = (Constraints::Tree, Choice::Named);
        Coupling { info: &COUPLINGS[0], method: CouplingMethod::default(), constraints, choice }
    }
}

impl std::fmt::Debug for Coupling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, {:?}", self.method, self.constraints)
    }
}

/// A partition of a model.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The substructures, in the order of the file.
    pub substructures: Vec<Substructure>,
    /// Substructure of every element of the model.
    pub owners: Vec<usize>,
    /// Substructure of the nodes that no element touches and that none lists.
    pub rest: Option<usize>,
    /// How they are coupled.
    pub coupling: Coupling,
}

impl Partition {
    /// Length of the steps in which the structure of the coarse side is integrated, in macro-steps.
    pub fn coarse_step(&self) -> f64 {
        interfield_coupling::Options::coarse_step(&self.coupling.method, self.exchanges())
    }

    /// How often the sides exchange in a macro-step.
    pub fn exchanges(&self) -> usize {
        interfield_coupling::exchanges(self.substructures.iter().filter(|s| s.fine).map(|s| s.substeps as usize))
    }

    /// The same with another coupling, as the command line would have it: with its defaults, and with its own scheme in substructures whose
    /// scheme does not suit it. `None` if it has no defaults.
    pub fn coupled_by(&self, info: &'static CouplingInfo) -> Option<Self> {
        let method = (info.build)(Arguments(&[])).ok()?;
        let own = scheme_from_text(info.scheme, &[]).ok()?;
        let follows = self.coupling.info.level == Level::Mass;
        let one = |s: &Substructure| {
            let suits = info.schemes.contains(&s.scheme);
            let (scheme, scheme_name) =
                if suits { (s.scheme, s.scheme_name.clone()) } else { (own, info.scheme.to_owned()) };
            let tangent = match (info.level, s.tangent) {
                (Level::Constant, TangentPolicy::Exact) => TangentPolicy::Initial,
                // What a coupling with constant operators asks for is no choice of the user.
                (Level::Mass, TangentPolicy::Initial) if !follows => TangentPolicy::default(),
                (_, tangent) => tangent,
            };
            Substructure { scheme, scheme_name, tangent, ..s.clone() }
        };
        let coupling = Coupling { info, method, choice: Choice::Named, ..self.coupling };
        Some(Partition { substructures: self.substructures.iter().map(one).collect(), coupling, ..self.clone() })
    }
}
