//! Cut structures: the small problems of the couplings, as pairs of model files or of matrices, and the couplings by the
//! names of the tables.

use interfield_analysis::probe::amplification;
use interfield_coupling::{
    Assembly, Coupling, CouplingError, CouplingMethod, FohOptions, GcOptions, Midpoint, Options, Parallel, Parts,
    PmOptions, PmcOptions, Port, PslOptions, Ranks, Staggered, Substructure, TwoSided,
};
use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::scheme::splitting::Splitting;
use interfield_kernel::{StepMap, System};
use interfield_linalg::eigenvalues;
use interfield_structure::{Assembled, assemble};

use crate::dense::Dense;
use crate::run::read;

/// Starts a coupling where nothing can be wrong.
///
/// # Panics
/// If something is.
pub fn begin<S: System + Send + 'static>(method: CouplingMethod, assembly: Assembly<S>) -> Box<dyn Coupling<S>> {
    method.start(assembly.into()).unwrap_or_else(|e| panic!("{method:?}: {e:?}"))
}

/// The same for a coupling that needs the systems of the coarse side twice.
///
/// # Panics
/// If something is.
pub fn begin_twice<S: System + Send + 'static>(
    method: CouplingMethod,
    assembly: Assembly<S>,
    again: Assembly<S>,
) -> Box<dyn Coupling<S>> {
    let twins = again.substructures.into_iter().filter(|s| !s.fine).map(|s| s.system).collect();
    let parts = Parts { assembly, twins, driven: Vec::new() };
    method.start(parts).unwrap_or_else(|e| panic!("{method:?}: {e:?}"))
}

/// Newmark's trapezoidal rule as the papers write it.
pub const TRAPEZOIDAL: AnyScheme = newmark(0.25);
/// Newmark's explicit method.
pub const EXPLICIT: AnyScheme = newmark(0.0);
/// LSRT2 with the smaller L-stable parameter.
pub const LSRT2: AnyScheme = AnyScheme::Rosenbrock(Rosenbrock::lsrt2(Rosenbrock::GAMMA_MINUS));

/// Newmark's method of second order as the papers write it.
pub const fn newmark(beta: f64) -> AnyScheme {
    AnyScheme::Alpha(Alpha::newmark(beta, 0.5, Predictor::Half))
}

/// Generalized-alpha by operator splitting.
pub const fn alpha(rho: f64) -> AnyScheme {
    AnyScheme::Splitting(Splitting::generalized_alpha(rho))
}

/// A row of the tables: method and scheme of both sides. Names as in the book (book: passivity 1).
///
/// # Panics
/// If there is no such row.
pub fn row(name: &str) -> (CouplingMethod, AnyScheme) {
    let (family, side) = name.split_once('-').unwrap_or((name, ""));
    let scheme = match side {
        "" => TRAPEZOIDAL,
        "a" => alpha(0.8),
        "N" => AnyScheme::Splitting(Splitting::trapezoidal()),
        "R" => LSRT2,
        _ => panic!("{name}"),
    };
    let method = match family {
        "GC" => CouplingMethod::Gc(GcOptions),
        "PM" => CouplingMethod::Pm(PmOptions),
        "PH" => CouplingMethod::Foh(FohOptions::PH),
        "mPH" => CouplingMethod::Foh(FohOptions::MODIFIED_PH),
        "FOH" => CouplingMethod::Foh(FohOptions::FOH),
        "PMC" => CouplingMethod::Pmc(PmcOptions { tie: 0.0, ..PmcOptions::PMC }),
        "PMC2" => CouplingMethod::Pmc(PmcOptions { tie: 0.0, ..PmcOptions::PMC2 }),
        "PMCt" => CouplingMethod::Pmc(PmcOptions::PMC),
        "PMC2t" => CouplingMethod::Pmc(PmcOptions::PMC2),
        "PMC2s" => CouplingMethod::Pmc(PmcOptions::PMC2S),
        "PSL" => CouplingMethod::Psl(PslOptions::PSL),
        "PSL1" => CouplingMethod::Psl(PslOptions::PSL1),
        _ => panic!("{name}"),
    };
    (method, scheme)
}

/// All rows.
pub const ROWS: [&str; 13] =
    ["GC", "PM", "PH", "mPH", "PMC-a", "PMC-N", "PMC-R", "PMC2-a", "PMCt-a", "PMC2t-a", "PMC2s-a", "FOH-a", "FOH-R"];

/// Takes the steps `from..to`.
///
/// # Panics
/// If one fails.
pub fn advance(map: &mut dyn StepMap, from: u64, to: u64) {
    for k in from..to {
        map.step(k).unwrap_or_else(|e| panic!("step {k}: {e:?}"));
    }
}

/// Largest magnitude of an eigenvalue of one (settled) step of a linear map.
///
/// # Panics
/// If it cannot be computed.
pub fn radius(map: &mut dyn StepMap) -> f64 {
    let base = vec![0.0; map.len()];
    let (matrix, n) = amplification(map, &base, 1.0).unwrap_or_else(|e| panic!("{e:?}"));
    // What nobody reads or nobody writes (memory of the start-up) has the eigenvalue 0 and only costs time.
    let written = |i: usize| matrix[i * n..(i + 1) * n].iter().any(|x| *x != 0.0);
    let read = |j: usize| (0..n).any(|i| matrix[i * n + j] != 0.0);
    let kept: Vec<usize> = (0..n).filter(|&i| written(i) && read(i)).collect();
    let row = |i: usize| kept.iter().map(move |j| i * n + j);
    let small: Vec<f64> = kept.iter().flat_map(|&i| row(i)).map(|p| matrix[p]).collect();
    let values = eigenvalues(&small, kept.len()).unwrap_or_else(|e| panic!("{e}"));
    values.iter().fold(0.0, |m, e| f64::max(m, e.0.hypot(e.1)))
}

/// What is compared at a node: displacements and velocities of all substructures, and multipliers.
pub type Sample = [Vec<f64>; 3];

/// The present node.
pub fn sample<S>(coupled: &dyn Coupling<S>) -> Sample {
    let mut sample = [Vec::new(), Vec::new(), coupled.multipliers().to_vec()];
    for i in 0..coupled.count() {
        let (u, v) = motion(coupled, i);
        sample[0].extend_from_slice(u);
        sample[1].extend_from_slice(v);
    }
    sample
}

/// Samples after each of `steps` steps.
///
/// # Panics
/// If one fails.
pub fn trace<S>(coupled: &mut dyn Coupling<S>, steps: u64) -> Vec<Sample> {
    let step = |k| {
        advance(coupled, k, k + 1);
        sample(coupled)
    };
    (0..steps).map(step).collect()
}

/// u and v of substructure `i`.
pub fn motion<S>(coupled: &dyn Coupling<S>, i: usize) -> (&[f64], &[f64]) {
    let n = coupled.dims_of(i).nu;
    coupled.state_of(i)[..2 * n].split_at(n)
}

/// Largest gap of displacements and of velocities over all constraints, Σ L u and Σ L v.
pub fn gaps<S>(coupled: &dyn Coupling<S>) -> [f64; 2] {
    let mut gaps = vec![[0.0; 2]; coupled.multipliers().len()];
    for i in 0..coupled.count() {
        let (u, v) = motion(coupled, i);
        for p in coupled.ports_of(i) {
            gaps[p.row][0] += p.sign * u[p.dof];
            gaps[p.row][1] += p.sign * v[p.dof];
        }
    }
    [0, 1].map(|j| gaps.iter().fold(0.0, |m, g| f64::max(m, g[j].abs())))
}

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
        let side = |text: &str| {
            let assembled = assemble(&read(text)).unwrap_or_else(|problems| panic!("{}", problems[0].message));
            (assembled.system, assembled.y0)
        };
        pair(side(&self.a), side(&self.b), &self.shared, setting)
    }

    /// Coupled by `method`.
    ///
    /// # Panics
    /// If a model is wrong, or the coupling cannot be started.
    pub fn begin(&self, method: CouplingMethod, setting: &Setting) -> Box<dyn Coupling<Assembled>> {
        begin_twice(method, self.assembly(setting), self.assembly(setting))
    }
}

/// Two systems, each with its initial [u v s], that share these unknowns (of A, of B).
pub fn pair<S>(a: (S, Vec<f64>), b: (S, Vec<f64>), shared: &[(usize, usize)], setting: &Setting) -> Assembly<S> {
    let ports = |sign: f64, pick: fn(&(usize, usize)) -> usize| -> Vec<Port> {
        shared.iter().map(pick).enumerate().map(|(row, dof)| Port { row, dof, sign }).collect()
    };
    let side = |(system, y0): (S, Vec<f64>), scheme, substeps, fine, ports| Substructure {
        system,
        y0,
        scheme,
        substeps,
        fine,
        ports,
    };
    Assembly {
        substructures: vec![
            side(a, setting.a, 1, false, ports(1.0, |s| s.0)),
            side(b, setting.b, setting.ss, true, ports(-1.0, |s| s.1)),
        ],
        rows: shared.len(),
        dt: setting.dt,
        ranks: Ranks::default(),
    }
}

/// SDOF split mass by matrices, from d = 1, v = 0.
pub fn split_dense(a: Dense, b: Dense, setting: &Setting) -> Assembly<Dense> {
    pair((a, vec![1.0, 0.0]), (b, vec![1.0, 0.0]), &[(0, 0)], setting)
}

/// The halves of [`split_mass`] by matrices.
pub fn halves(b1: f64) -> [Dense; 2] {
    let s = 1.0 + b1;
    [Dense::single(b1 / s, 1.0 / s), Dense::single(1.0 / s, b1 / s)]
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
    /// Hardening cubic in A, softening cubic in B: smooth.
    Cubic,
    /// The cubic springs with dampers of cubic and quadratic force beside them.
    Damped,
}

const CUBIC_FIRST: &str = "{ type = \"cubic\", name = \"k1\", nodes = [\"ground\", \"x1\"], dof = \"x\", k = 2, k3 = 3, c = 0.02, \
                           tangent = { k = 2, c = 0.02 } },";
const CUBIC_LAST: &str = "{ type = \"cubic\", name = \"k4\", nodes = [\"ground\", \"x3\"], dof = \"x\", k = 10, k3 = -60, c = 0.01, \
                          tangent = { k = 10, c = 0.01 } },";
const DAMPED_FIRST: &str = "{ type = \"cubic\", name = \"k1\", nodes = [\"ground\", \"x1\"], dof = \"x\", k = 2, k3 = 3, tangent = { k = 2 } },\n\
                            { type = \"damper\", name = \"c1\", nodes = [\"ground\", \"x1\"], dof = \"x\", c = 0.8, n = 3, v0 = 0.2, \
                            tangent = { k = 0, c = 0.032 } },";
const DAMPED_LAST: &str = "{ type = \"cubic\", name = \"k4\", nodes = [\"ground\", \"x3\"], dof = \"x\", k = 10, k3 = -60, tangent = { k = 10 } },\n\
                           { type = \"damper\", name = \"c4\", nodes = [\"ground\", \"x3\"], dof = \"x\", c = 0.5, n = 2, v0 = 0.2, \
                           tangent = { k = 0, c = 0.1 } },";

/// Chain of three masses, cut at the second (book: problems 1.2).
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
        ChainSprings::Cubic => (CUBIC_FIRST, CUBIC_LAST),
        ChainSprings::Damped => (DAMPED_FIRST, DAMPED_LAST),
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

/// Three-DoF split mass (book: problems 1.3): two shared unknowns, no damping.
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

/// Two-DoF rig (book: problems 1.4): translation and rotation, uncoupled, damped in A, from rest at 10 mm and 50 mrad.
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

/// The portal frame of [`crate::problems::frame`] with this damping, cut above the first storey: six shared unknowns.
pub fn frame(damping: &str) -> Cut {
    let beam = |name: &str, from: &str, to: &str, section: &str| {
        format!(
            "{{ type = \"beam2d\", name = \"{name}\", nodes = [\"{from}\", \"{to}\"], E = 3e10, {section}, rho = 2500 }},\n"
        )
    };
    let (column, girder) = ("A = 0.09, I = 6.75e-4", "A = 0.12, I = 1.6e-3");
    let tail = format!(
        "]\n[damping]\n{damping}\n[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = \"x\"\n\
         signal = {{ type = \"synthetic\", peak = 2 }}\n{TAIL}"
    );
    let shared = "{ name = \"a1\", at = [0, 3] }, { name = \"b1\", at = [5, 3] }";
    let head =
        |nodes: &str| format!("title = \"storey\"\ndofs = [\"x\", \"y\", \"rz\"]\nnode = [{nodes}]\nelement = [\n");
    let feet = "{ name = \"a0\", at = [0, 0], fixed = true }, { name = \"b0\", at = [5, 0], fixed = true }";
    let top = "{ name = \"a2\", at = [0, 6] }, { name = \"b2\", at = [5, 6] }";
    let a = head(&format!("{feet}, {shared}"))
        + &beam("ca1", "a0", "a1", column)
        + &beam("cb1", "b0", "b1", column)
        + &beam("g1", "a1", "b1", girder)
        + &tail;
    let b = head(&format!("{shared}, {top}"))
        + &beam("ca2", "a1", "a2", column)
        + &beam("cb2", "b1", "b2", column)
        + &beam("g2", "a2", "b2", girder)
        + &tail;
    Cut { a, b, shared: (0..6).map(|i| (i, i)).collect() }
}

/// The split mass with the spring of A as a law, and the spring of B with a share of the stiffness that its operators know.
pub fn split_law(share: f64) -> Cut {
    let Cut { a, b, shared } = split_mass(0.5);
    let law = |text: &str| text.replace("\"spring\"", "\"cubic\", k3 = 0");
    let (k, soft) = (0.5 / 1.5, share * 0.5 / 1.5);
    let b = law(&b)
        .replace(&format!("k = {k:?}"), &format!("k = {soft:?}, tangent = {{ k = {k:?} }}"))
        .replace("tangent = \"initial\"", "tangent = \"given\"");
    Cut { a: law(&a), b, shared }
}

/// Five storeys of unit mass; the storeys of A are a linear spring of 20 and a law of 380, those of B the same with `upper`; the
/// lower three are A (book: problems 1.5).
pub fn five_storeys(lower: &str, upper: &str, h: f64) -> Cut {
    let storey = |from: usize, to: usize, law: &str| {
        let foot = if from == 0 { "ground".to_owned() } else { format!("f{from}") };
        let nodes = format!("nodes = [\"{foot}\", \"f{to}\"], dof = \"x\"");
        format!(
            "{{ type = \"spring\", name = \"s{to}\", {nodes}, k = 20, c = 0.2 }},\n{{ {law}, name = \"law{to}\", {nodes} }},\n"
        )
    };
    let part = |floors: &[(usize, f64)], storeys: String| {
        let node = |(i, m): &(usize, f64)| format!("{{ name = \"f{i}\", mass = {m:?} }}");
        let drag = |(i, m): &(usize, f64)| {
            format!(
                "{{ type = \"damper\", name = \"d{i}\", nodes = [\"ground\", \"f{i}\"], dof = \"x\", c = {:?} }},\n",
                0.1 * m
            )
        };
        let nodes: Vec<String> = floors.iter().map(node).collect();
        let dampers: String = floors.iter().map(drag).collect();
        format!(
            "title = \"part\"\ndofs = [\"x\"]\nnode = [{}]\nelement = [\n{storeys}{dampers}]\n[[load]]\ntype = \"ground\"\n\
             name = \"quake\"\ndirection = \"x\"\nsignal = {{ type = \"synthetic\", peak = 3 }}\n[analysis]\nscheme = \"lsrt2\"\n\
             dt = {h:?}\nduration = 10\ntangent = \"initial\"\n",
            nodes.join(", ")
        )
    };
    let a = part(&[(1, 1.0), (2, 1.0), (3, 0.8)], storey(0, 1, lower) + &storey(1, 2, lower) + &storey(2, 3, lower));
    let b = part(&[(3, 0.2), (4, 1.0), (5, 1.0)], storey(3, 4, upper) + &storey(4, 5, upper));
    Cut { a, b, shared: vec![(2, 0)] }
}

/// An elastic law of [`five_storeys`].
pub const ELASTIC: &str = "type = \"spring\", k = 380";
/// An elastic-plastic one.
pub const BILINEAR: &str = "type = \"mostaghel\", k = 380, a = 0, delta = 0.01";
/// A smooth one.
pub const BOUC_WEN: &str = "type = \"bouc-wen\", k = 380, beta = 50, gamma = 50";
