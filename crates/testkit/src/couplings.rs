//! Cut structures: the small problems of the couplings, as pairs of model files.

use interfield_coupling::{Assembly, CouplingError, Midpoint, Parallel, Port, Staggered, Substructure, TwoSided};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_model::{Assembled, assemble};

use crate::run::read;

/// A structure cut in two: model files of both sides and the unknowns that meet, (of A, of B).
#[derive(Clone, Debug)]
pub struct Cut {
    /// Model of A.
    pub a: String,
    /// Model of B.
    pub b: String,
    /// Unknowns that are the same.
    pub shared: Vec<(usize, usize)>,
}

/// How the sides are integrated.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Scheme of A.
    pub a: AnyScheme,
    /// Scheme of B.
    pub b: AnyScheme,
    /// Macro-step, s.
    pub dt: f64,
    /// Steps of B per macro-step.
    pub ss: usize,
}

impl Setting {
    /// The same scheme on both sides.
    pub fn same(scheme: AnyScheme, dt: f64, ss: usize) -> Self {
        Setting { a: scheme, b: scheme, dt, ss }
    }
}

/// Any analysis will do: a coupling brings its own scheme and step.
const TAIL: &str = "[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\nduration = 1\ntangent = \"initial\"\n";

impl Cut {
    /// Ready to be coupled.
    ///
    /// # Panics
    /// If a model is wrong.
    pub fn assembly(&self, setting: &Setting) -> Assembly<Assembled> {
        let side = |text: &str, scheme: AnyScheme, substeps: usize, fine: bool, ports: Vec<Port>| {
            let assembled = assemble(&read(text)).unwrap_or_else(|problems| panic!("{}", problems[0].message));
            Substructure { system: assembled.system, y0: assembled.y0, scheme, substeps, fine, ports }
        };
        let ports = |sign: f64, pick: fn(&(usize, usize)) -> usize| -> Vec<Port> {
            self.shared.iter().map(pick).enumerate().map(|(row, dof)| Port { row, dof, sign }).collect()
        };
        Assembly {
            substructures: vec![
                side(&self.a, setting.a, 1, false, ports(1.0, |s| s.0)),
                side(&self.b, setting.b, setting.ss, true, ports(-1.0, |s| s.1)),
            ],
            rows: self.shared.len(),
            dt: setting.dt,
        }
    }
}

/// SDOF split mass: one unknown on each side.
pub fn split([ma, mb]: [f64; 2], [ka, kb]: [f64; 2], u: f64, v: f64) -> Cut {
    let side = |m: f64, k: f64| {
        format!(
            "title = \"half\"\ndofs = [\"x\"]\n\
             node = [{{ name = \"m\", mass = {m:?}, initial = {u:?}, initial_velocity = {v:?} }}]\n\
             element = [{{ type = \"spring\", name = \"k\", nodes = [\"ground\", \"m\"], dof = \"x\", k = {k:?} }}]\n{TAIL}"
        )
    };
    Cut { a: side(ma, ka), b: side(mb, kb), shared: vec![(0, 0)] }
}

/// SDOF split mass of the papers with m = k = 1: b1 = m_A / m_B = k_B / k_A, from d = v = 1.
pub fn split_mass(b1: f64) -> Cut {
    split([b1 / (1.0 + b1), 1.0 / (1.0 + b1)], [1.0 / (1.0 + b1), b1 / (1.0 + b1)], 1.0, 1.0)
}

/// Springs of [`chain`] that may be replaced: the ground spring of x1 and that of x3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainSprings {
    /// Linear.
    Linear,
    /// Modified Bouc-Wen, moved along the evaluations, in A; softening cubic in B.
    Nonlinear,
}

/// Chain of three masses, cut at the second (newmark-and-llm.md, sec. 5).
pub fn chain(springs: ChainSprings) -> Cut {
    let (first, last) = match springs {
        ChainSprings::Linear => (
            "{ type = \"spring\", name = \"k1\", nodes = [\"ground\", \"x1\"], dof = \"x\", k = 2, c = 0.02 },",
            "{ type = \"spring\", name = \"k4\", nodes = [\"ground\", \"x3\"], dof = \"x\", k = 10, c = 0.01 },",
        ),
        ChainSprings::Nonlinear => (
            "{ type = \"modified-bouc-wen\", name = \"k1\", nodes = [\"ground\", \"x1\"], dof = \"x\", k = 2, alpha = 3, beta = 4, \
             memory = \"path\" },\n{ type = \"damper\", name = \"c1\", nodes = [\"ground\", \"x1\"], dof = \"x\", c = 0.02 },",
            "{ type = \"cubic\", name = \"k4\", nodes = [\"ground\", \"x3\"], dof = \"x\", k = 10, k3 = -60, tangent = { k = 10 } },\n\
             { type = \"damper\", name = \"c4\", nodes = [\"ground\", \"x3\"], dof = \"x\", c = 0.01 },",
        ),
    };
    let load = |at: &str, value: &str| {
        format!(
            "[[load]]\ntype = \"force\"\nname = \"load-{at}\"\nat = \"{at}.x\"\nsignal = {{ type = \"formula\", value = \"{value}\" }}\n"
        )
    };
    // The tangents are those at rest, not those of the initial state.
    let tail = TAIL.replace("\"initial\"", "\"given\"");
    let a = format!(
        "title = \"A\"\ndofs = [\"x\"]\nnode = [\n{{ name = \"x1\", mass = 1, initial = 0.1 }},\n\
         {{ name = \"x2\", mass = 0.6, initial = 0.2, initial_velocity = -0.5 }},\n]\nelement = [\n{first}\n\
         {{ type = \"spring\", name = \"k2\", nodes = [\"x1\", \"x2\"], dof = \"x\", k = 3, c = 0.03 }},\n]\n{}{}{tail}",
        load("x1", "sin(2*t)"),
        load("x2", "0.5*cos(3*t)"),
    );
    let b = format!(
        "title = \"B\"\ndofs = [\"x\"]\nnode = [\n{{ name = \"x2\", mass = 0.4, initial = 0.2, initial_velocity = -0.5 }},\n\
         {{ name = \"x3\", mass = 0.2, initial = -0.1, initial_velocity = 0.3 }},\n]\nelement = [\n\
         {{ type = \"spring\", name = \"k3\", nodes = [\"x2\", \"x3\"], dof = \"x\", k = 40, c = 0.04 }},\n{last}\n]\n{}{}{tail}",
        load("x2", "0.25*sin(5*t)"),
        load("x3", "cos(t) - 1"),
    );
    Cut { a, b, shared: vec![(1, 0)] }
}

/// Three-DoF split mass (lsrt.md 9.2): two shared unknowns, no damping.
pub fn three_dof() -> Cut {
    let (s, l, r, m1, m2, rho) = (32000.0, 5.0, 2.0, 1e4, 5e3, 2.0_f64);
    let matrix = |rows: &[&[f64]]| {
        let row = |r: &&[f64]| format!("[{}]", r.iter().map(|x| format!("{:?}", x * s)).collect::<Vec<_>>().join(", "));
        format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(", "))
    };
    let node = |part: f64| {
        format!(
            "{{ name = \"mid\", dofs = [\"y\", \"rz\"], mass = {{ y = {:?}, rz = {:?} }}, \
             initial_velocity = {{ y = 1e-3, rz = 1e-2 }} }}",
            part * m1,
            part * rho * rho * m1
        )
    };
    let ka = matrix(&[&[12.0, 6.0 * l], &[6.0 * l, 7.0 * l * l]]);
    let kb = matrix(&[&[3.0, -3.0 * l, -3.0], &[-3.0 * l, 6.0 * l * l, 3.0 * l], &[-3.0, 3.0 * l, 3.0]]);
    let a = format!(
        "title = \"A\"\nnode = [{}]\nelement = [{{ type = \"matrix\", name = \"ka\", dofs = [\"mid.y\", \"mid.rz\"], \
         K = {ka} }}]\n{TAIL}",
        node(r / (1.0 + r))
    );
    let b = format!(
        "title = \"B\"\nnode = [{}, {{ name = \"top\", dofs = [\"y\"], mass = {m2:?}, initial_velocity = 1e-3 }}]\n\
         element = [{{ type = \"matrix\", name = \"kb\", dofs = [\"mid.y\", \"mid.rz\", \"top.y\"], K = {kb} }}]\n{TAIL}",
        node(1.0 / (1.0 + r))
    );
    Cut { a, b, shared: vec![(0, 0), (1, 1)] }
}

/// The couplings at the level of accelerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staged {
    /// Staggered.
    Staggered,
    /// Interfield parallel.
    Parallel,
    /// Midpoint rule with frozen multipliers.
    Midpoint,
}

impl Staged {
    /// Starts it.
    pub fn try_start(self, cut: &Cut, setting: &Setting) -> Result<TwoSided<Assembled>, CouplingError> {
        let assembly = cut.assembly(setting);
        match self {
            Staged::Staggered => Staggered::start(assembly),
            Staged::Midpoint => Midpoint::start(assembly),
            Staged::Parallel => {
                let again = cut.assembly(setting).substructures;
                Parallel::start(assembly, again.into_iter().filter(|s| !s.fine).map(|s| s.system).collect())
            }
        }
    }

    /// Starts it.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(self, cut: &Cut, setting: &Setting) -> TwoSided<Assembled> {
        self.try_start(cut, setting).unwrap_or_else(|e| panic!("{self:?}, {setting:?}: {e:?}"))
    }
}

/// The chain with cubic springs at both ends, hardening in A and softening in B.
pub fn cubic_chain(tangent: &str) -> Cut {
    let Cut { a, b, shared } = chain(ChainSprings::Linear);
    let ends = |text: String| {
        text.replace("\"spring\", name = \"k1\"", "\"cubic\", name = \"k1\"")
            .replace("k = 2, c = 0.02", "k = 2, k3 = 30")
            .replace("\"spring\", name = \"k4\"", "\"cubic\", name = \"k4\"")
            .replace("k = 10, c = 0.01", "k = 10, k3 = -20")
            .replace("tangent = \"given\"", &format!("tangent = \"{tangent}\""))
    };
    Cut { a: ends(a), b: ends(b), shared }
}

/// Two-DoF rig (lsrt.md 9.3): translation and rotation, uncoupled, damped in A, from rest at 10 mm and 50 mrad.
pub fn rig() -> Cut {
    let side = |m: [f64; 2], c: [f64; 2], k: [f64; 2]| {
        let diagonal = |x: [f64; 2]| format!("[[{:?}, 0], [0, {:?}]]", x[0], x[1]);
        format!(
            "title = \"half\"\nnode = [{{ name = \"mid\", dofs = [\"y\", \"rz\"], mass = {{ y = {:?}, rz = {:?} }}, \
             initial = {{ y = 0.01, rz = 0.05 }} }}]\nelement = [{{ type = \"matrix\", name = \"k\", dofs = [\"mid.y\", \"mid.rz\"], \
             K = {}, C = {} }}]\n{TAIL}",
            m[0],
            m[1],
            diagonal(k),
            diagonal(c)
        )
    };
    Cut {
        a: side([1658.2, 117.9], [555.66, 22.226], [306_640.0, 12265.0]),
        b: side([552.7, 39.3], [0.0, 0.0], [39670.0, 1711.0]),
        shared: vec![(0, 0), (1, 1)],
    }
}
