//! From a [`Model`] to an [`Assembled`] system: numbering, constant matrices, damping, and the checks that need
//! matrices.

pub(crate) mod component;

use interfield_kernel::Fault;
use interfield_kernel::element::Tangent;
use interfield_kernel::element::path::PathLaw;
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::transformation::Transformation;
use interfield_linalg::{EigenError, Modes, Pattern, modes};

use crate::assembled::{Assembled, Coupling, Ground, Ingredients, Part as Looped, Row, Stored};
use crate::damping::add_damping;
use crate::definite;
use crate::faults::{explain, subject};
use crate::restraint;
use interfield_language::model::{
    BlockData, Coordinate, Damping, Dof, Element, Estimate, Kind, Load, Model, Support, TangentPolicy, short_name,
};
use interfield_language::signal::{Motion, Signal};
use interfield_language::{Problem, Subject};

/// Where a degree of freedom of the model went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Unknown number i.
    Free(usize),
    /// Imposed motion number i.
    Imposed(usize),
    /// Held.
    Fixed,
}

/// An assembled model with what is needed to name its parts.
pub struct Assembly {
    /// The system.
    pub system: Assembled,
    /// Initial [u v s].
    pub y0: Vec<f64>,
    /// Place of every degree of freedom of the model.
    pub places: Vec<Place>,
    /// Model index of every unknown.
    pub free: Vec<usize>,
    /// Model element of every element in the system's loop, in its order.
    pub looped: Vec<usize>,
    /// Whether the states of these remember their deformation.
    pub memory: Vec<bool>,
    /// Coefficients a0, a1 of its Rayleigh damping.
    pub rayleigh: Option<[f64; 2]>,
    /// Warnings.
    pub warnings: Vec<Problem>,
}

impl Assembly {
    /// Lowest `count` modes of the small-amplitude motion about the initial state.
    pub fn modes(&self, count: usize) -> Result<Modes, EigenError> {
        let (pattern, mass, stiffness) = self.system.matrices(&self.memory);
        modes(pattern, &stiffness, &mass, count)
    }

    /// The unknowns that degrees of freedom of the model are; those that are held have none.
    pub(crate) fn unknowns(&self, dofs: &[usize]) -> Vec<usize> {
        let unknown = |&d: &usize| match self.places[d] {
            Place::Free(i) => Some(i),
            Place::Imposed(_) | Place::Fixed => None,
        };
        dofs.iter().filter_map(unknown).collect()
    }

    /// Says in words what went wrong inside the loop, with the user's names.
    pub fn explain(&self, model: &Model, fault: Fault) -> String {
        explain(model, &self.free, &self.looped, fault)
    }
}

/// Values on a pattern, by row and column.
fn add(pattern: &Pattern, values: &mut [f64], i: usize, j: usize, x: f64) {
    if let Some(p) = pattern.position(i, j) {
        values[p] += x;
    }
}

struct Numbering {
    places: Vec<Place>,
    free: Vec<usize>,
    imposed: Vec<usize>,
}

impl Numbering {
    /// The imposed motions, in their order.
    fn motions(&self, model: &Model) -> Vec<Motion> {
        let motion = |&d: &usize| match &model.dofs[d].support {
            Support::Imposed(m) => Some(m.clone()),
            _ => None,
        };
        self.imposed.iter().filter_map(motion).collect()
    }

    fn new(model: &Model) -> Self {
        let (mut free, mut imposed) = (Vec::new(), Vec::new());
        let places = model
            .dofs
            .iter()
            .enumerate()
            .map(|(i, d)| match d.support {
                Support::Free => {
                    free.push(i);
                    Place::Free(free.len() - 1)
                }
                Support::Imposed(_) => {
                    imposed.push(i);
                    Place::Imposed(imposed.len() - 1)
                }
                // What follows others is in nothing that is assembled.
                Support::Fixed | Support::Follows(_) => Place::Fixed,
            })
            .collect();
        Numbering { places, free, imposed }
    }

    /// A coordinate over unknowns: fixed degrees of freedom drop out.
    fn row(&self, coordinate: &Coordinate) -> Row {
        coordinate
            .iter()
            .filter_map(|&(d, f)| match self.places[d] {
                Place::Free(i) => Some((i as u32, f)),
                Place::Imposed(i) => Some(((self.free.len() + i) as u32, f)),
                Place::Fixed => None,
            })
            .collect()
    }

    fn unknowns<'a>(&'a self, coordinates: &'a [Coordinate]) -> impl Iterator<Item = usize> + Clone + 'a {
        coordinates.iter().flatten().filter_map(|&(d, _)| match self.places[d] {
            Place::Free(i) => Some(i),
            _ => None,
        })
    }
}

/// The law and coordinates of an element that is evaluated in the loop, or of a linear law merged into the constant
/// matrices; `None` for plain matrices.
pub(crate) fn stored(kind: &Kind) -> Option<(Stored, &[Coordinate])> {
    match kind {
        Kind::Law { law, coordinates, path } => {
            let path = PathLaw::of(law).filter(|_| *path);
            Some((path.map_or(Stored::Law(*law), Stored::Path), coordinates))
        }
        Kind::Formula { element, coordinates, .. } => Some((Stored::Formula(element.clone()), coordinates)),
        Kind::Frame { frame, coordinates } => Some((Stored::Frame(frame.clone()), coordinates)),
        Kind::Block { block, coordinates } => Some((Stored::Block(Box::new(block.clone())), coordinates)),
        Kind::Linear { .. } => None,
    }
}

/// Tangent of a law at rest: (K + R B if `memory`, C), row-major.
pub(crate) fn tangent_at_rest(law: &Stored, s0: &[f64], q: &[f64], memory: bool) -> (Vec<f64>, Vec<f64>) {
    let (d, s, _) = law.shape();
    let [mut k, mut c, mut r, mut a, mut b, mut e] = [d * d, d * d, d * s, s * d, s * d, s * s].map(|n| vec![0.0; n]);
    let states: Vec<f64> = if s0.is_empty() { vec![0.0; s] } else { s0.to_vec() };
    let zero = vec![0.0; d];
    let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
    law.taken_for(|law| law.tangent(0.0, q, &zero, &states, &zero, out));
    if memory {
        for i in 0..d {
            for l in 0..s {
                for j in 0..d {
                    k[i * d + j] += r[i * s + l] * b[l * d + j];
                }
            }
        }
    }
    (k, c)
}

/// Where a degree of freedom is at the start.
pub(crate) fn start_of(dof: &Dof) -> f64 {
    match &dof.support {
        Support::Imposed(motion) => motion.at(0.0)[0],
        _ => dof.u0,
    }
}

/// Whether the states of an element remember its deformation, see the catalogue.
pub(crate) fn remembers(kind: &Kind) -> bool {
    match kind {
        Kind::Law { law, .. } => law.info().hysteretic,
        Kind::Formula { .. } | Kind::Frame { .. } => true,
        Kind::Block { block, .. } => block.remembers,
        Kind::Linear { .. } => false,
    }
}

pub(crate) fn is_linear(kind: &Kind) -> bool {
    matches!(kind, Kind::Linear { .. }) || matches!(kind, Kind::Law { law, .. } if law.info().linear)
}

pub(crate) fn is_symmetric(kind: &Kind) -> bool {
    match kind {
        Kind::Law { law, .. } => law.info().symmetric,
        // Equilibrium on the displaced ends couples shear to the axial force.
        Kind::Frame { frame, .. } => match frame.part {
            Part::Spring { .. } | Part::Truss { .. } | Part::Springs { .. } | Part::Slice { .. } => true,
            Part::Plane(_, kind) | Part::Space(_, kind) => kind != Transformation::PDelta,
            Part::Bearing(_) => false,
        },
        Kind::Formula { coordinates, .. } | Kind::Block { coordinates, .. } => coordinates.len() == 1,
        Kind::Linear { dofs, mass, damping, stiffness } => {
            [mass, damping, stiffness].iter().all(|a| matrix_is_symmetric(a, dofs.len()))
        }
    }
}

/// An n x n matrix, or none.
fn matrix_is_symmetric(a: &[f64], n: usize) -> bool {
    let scale = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    a.is_empty() || (0..n).all(|i| (0..i).all(|j| (a[i * n + j] - a[j * n + i]).abs() <= 1e-12 * scale))
}

fn has_symmetric_estimate(e: &Element) -> bool {
    match &e.given {
        Some(Estimate::Matrices(k, c)) => [k, c].iter().all(|a| matrix_is_symmetric(a, a.len().isqrt())),
        Some(Estimate::Each(..)) | None => true,
    }
}

/// The estimate that the scheme works with in place of an element with `d` coordinates, if the policy says so.
pub(crate) fn estimate(model: &Model, e: &Element, d: usize) -> Option<[Vec<f64>; 2]> {
    let asked = model.analysis.tangent == TangentPolicy::Given;
    e.given.as_ref().filter(|_| asked).map(|given| given.matrices(d))
}

/// Constant matrices as an element of the loop, which may have another tangent.
fn plain_block(n: usize, stiffness: &[f64], damping: &[f64]) -> Stored {
    let full = |m: &[f64]| if m.is_empty() { vec![0.0; n * n] } else { m.to_vec() };
    let [a, b, bv, c] = std::array::from_fn(|_| Vec::new());
    let (d, dv) = (full(stiffness), full(damping));
    Stored::Block(Box::new(BlockData { inputs: n, a, b, bv, c, d, dv, ..BlockData::default() }))
}

/// Which unknowns any element couples.
fn pattern_of(model: &Model, numbering: &Numbering) -> Pattern {
    let mut entries = Vec::new();
    for e in model.elements.iter().filter(|e| !e.inside) {
        let unknowns: Vec<usize> = match &e.kind {
            Kind::Linear { dofs, .. } => dofs
                .iter()
                .filter_map(|&d| match numbering.places[d] {
                    Place::Free(i) => Some(i),
                    _ => None,
                })
                .collect(),
            Kind::Law { coordinates, .. }
            | Kind::Formula { coordinates, .. }
            | Kind::Block { coordinates, .. }
            | Kind::Frame { coordinates, .. } => numbering.unknowns(coordinates).collect(),
        };
        entries.extend(unknowns.iter().flat_map(|&i| unknowns.iter().map(move |&j| (i, j))));
    }
    Pattern::new(numbering.free.len(), entries)
}

/// What the elements of a model are made into.
struct Gathered<'a> {
    constant: Constant<'a>,
    /// The stiffness that takes part in Rayleigh damping, between unknowns and towards supports.
    damped: Vec<f64>,
    damped_supports: Vec<Coupling>,
    /// Elements in the loop, their numbers in the model, whether they remember, and their states at the start.
    parts: Vec<Looped>,
    looped: Vec<usize>,
    memory: Vec<bool>,
    s0: Vec<f64>,
}

/// Adds what is constant to the matrices, and collects what is evaluated in the loop.
fn gather<'a>(model: &Model, numbering: &'a Numbering, pattern: &'a Pattern) -> Gathered<'a> {
    let mut constant = Constant::new(pattern, numbering);

    let (mut damped, mut damped_supports) = (vec![0.0; pattern.nnz()], Vec::new());
    let (mut parts, mut looped, mut memory, mut s0) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, e) in model.elements.iter().enumerate().filter(|e| !e.1.inside) {
        match &e.kind {
            Kind::Linear { dofs, mass, damping, stiffness } => {
                let rows: Vec<Coordinate> = dofs.iter().map(|&d| vec![(d, 1.0)]).collect();
                if e.damped {
                    constant.scatter(&rows, stiffness, &mut damped);
                    constant.scatter_supports(&rows, stiffness, &mut damped_supports);
                }
                if let Some(given) = estimate(model, e, dofs.len()) {
                    constant.add(&rows, mass, &[], &[]);
                    let law = plain_block(dofs.len(), stiffness, damping);
                    let rows = rows.iter().map(|c| numbering.row(c)).collect();
                    parts.push(Looped { law, rows, given: Some(given), ground: Vec::new() });
                    looped.push(index);
                    memory.push(false);
                } else {
                    constant.add(&rows, mass, damping, stiffness);
                }
            }
            kind => {
                let Some((law, coordinates)) = stored(kind) else { continue };
                let q: Vec<f64> =
                    coordinates.iter().map(|c| c.iter().map(|&(d, f)| f * start_of(&model.dofs[d])).sum()).collect();
                let (k, c) = tangent_at_rest(&law, &e.s0, &q, remembers(kind));
                if let Kind::Frame { frame, .. } = kind {
                    constant.add(coordinates, &frame.mass, &[], &[]);
                }
                if e.damped {
                    constant.scatter(coordinates, &k, &mut damped);
                    constant.scatter_supports(coordinates, &k, &mut damped_supports);
                }
                let given = estimate(model, e, coordinates.len());
                if is_linear(kind) && given.is_none() {
                    constant.add(coordinates, &[], &c, &k);
                } else {
                    let states = law.shape().1;
                    s0.extend((0..states).map(|i| e.s0.get(i).copied().unwrap_or(0.0)));
                    let rows = coordinates.iter().map(|c| numbering.row(c)).collect();
                    parts.push(Looped { law, rows, given, ground: ground_motion(model, coordinates) });
                    looped.push(index);
                    memory.push(remembers(kind));
                }
            }
        }
    }
    for (i, &d) in numbering.free.iter().enumerate() {
        add(pattern, &mut constant.mass, i, i, model.dofs[d].mass);
    }
    Gathered { constant, damped, damped_supports, parts, looped, memory, s0 }
}

/// Loads on the unknowns; those of ground motions by the mass, and by that towards supports where these move along.
fn applied(
    model: &Model,
    numbering: &Numbering,
    pattern: &Pattern,
    (mass, held): (&[f64], &[(usize, usize, f64)]),
) -> (Vec<(usize, Signal)>, Vec<Ground>) {
    let mut forces = Vec::new();
    let mut grounds = Vec::new();
    for load in &model.loads {
        match load {
            Load::Force { dof, signal } => {
                if let Place::Free(i) = numbering.places[*dof] {
                    forces.push((i, signal.clone()));
                }
            }
            Load::Ground { direction, signal, supports } => {
                let moves = |d: usize| f64::from(short_name(&model.dofs[d].name) == direction);
                let iota: Vec<f64> = numbering.free.iter().map(|&d| moves(d)).collect();
                let mut load = vec![0.0; numbering.free.len()];
                pattern.mul(mass, &iota, &mut load);
                if *supports {
                    for &(i, d, m) in held {
                        load[i] += m * moves(d);
                    }
                }
                for &(d, m) in model.inertia_inside(direction, *supports).flat_map(|inertia| &inertia.load) {
                    if let Place::Free(i) = numbering.places[d] {
                        load[i] += m;
                    }
                }
                grounds.push(Ground { iota, load, signal: signal.clone() });
            }
        }
    }
    (forces, grounds)
}

/// Assembles a model; all problems at once.
pub fn assemble(model: &Model) -> Result<Assembly, Vec<Problem>> {
    let unsettled = model.unsettled();
    if !unsettled.is_empty() {
        return Err(unsettled);
    }
    let numbering = Numbering::new(model);
    let n = numbering.free.len();
    if n == 0 {
        let message = "the model has no free degree of freedom".to_owned();
        return Err(vec![Problem::error(Subject::Model, message, "free at least one node, or add one")]);
    }

    let pattern = pattern_of(model, &numbering);
    let Gathered { constant, damped, damped_supports, parts, looped, memory, s0 } = gather(model, &numbering, &pattern);
    let mut problems = check_connected(model, &numbering, &pattern, &constant, &damped, &parts);
    problems.extend(definite::masses(model, &pattern, &constant.mass));
    problems.extend(restraint::uneven_stiffnesses(model).filter(|p| p.fatal));
    let u0 = numbering.free.iter().map(|&d| model.dofs[d].u0);
    let v0 = numbering.free.iter().map(|&d| model.dofs[d].v0);
    let y0: Vec<f64> = u0.chain(v0).chain(s0).collect();

    let Constant { mass, damping, stiffness, couplings, held, .. } = constant;
    let damping = if damping.iter().all(|c| *c == 0.0) { Vec::new() } else { damping };
    let (forces, grounds) = applied(model, &numbering, &pattern, (&mass, &held));
    let mut ingredients = Ingredients {
        n,
        pattern: Some(pattern),
        mass,
        damping,
        stiffness,
        modal: Vec::new(),
        motions: numbering.motions(model),
        couplings,
        forces,
        held: held_loads(model, &numbering),
        grounds,
        parts,
        symmetric: model.elements.iter().all(|e| is_symmetric(&e.kind) && has_symmetric_estimate(e)),
        policy: model.analysis.tangent,
    };
    if problems.iter().any(|p| p.fatal) {
        return Err(problems);
    }
    let assemble_now = |ingredients: Ingredients| {
        Assembled::new(ingredients, &y0).map_err(|fault| {
            let help = "check the parameters of this element and the initial state";
            Problem::error(
                subject(&numbering.free, &looped, fault),
                explain(model, &numbering.free, &looped, fault),
                help,
            )
        })
    };
    let system = match assemble_now(ingredients.clone()) {
        Ok(s) => s,
        Err(p) => {
            problems.push(p);
            return Err(problems);
        }
    };
    let mut assembly = Assembly {
        system,
        y0: y0.clone(),
        places: Vec::new(),
        free: Vec::new(),
        looped: Vec::new(),
        memory,
        rayleigh: None,
        warnings: Vec::new(),
    };
    if !matches!(model.damping, Damping::None) {
        match add_damping((model, &numbering.free), &assembly, &mut ingredients, &damped, &damped_supports) {
            Ok(rayleigh) => {
                assembly.rayleigh = rayleigh;
                match assemble_now(ingredients) {
                    Ok(s) => assembly.system = s,
                    Err(p) => problems.push(p),
                }
            }
            // What it says of a part of the model is not doubted as well.
            Err(causes) => {
                problems.retain(|p| !causes.iter().any(|c| c.subject == p.subject));
                problems.extend(causes);
            }
        }
    }
    if problems.iter().any(|p| p.fatal) {
        return Err(problems);
    }
    assembly.places = numbering.places;
    assembly.free = numbering.free;
    assembly.looped = looped;
    assembly.warnings = problems;
    Ok(assembly)
}

/// The loads that are there from the beginning, over the unknowns; empty if there are none.
fn held_loads(model: &Model, numbering: &Numbering) -> Vec<f64> {
    let mut loads = vec![0.0; if model.held.is_empty() { 0 } else { numbering.free.len() }];
    for &(dof, force) in &model.held {
        if let Place::Free(i) = numbering.places[dof] {
            loads[i] += force;
        }
    }
    loads
}

/// Motion of the coordinates of an element when the ground moves by one, for each base acceleration.
fn ground_motion(model: &Model, coordinates: &[Coordinate]) -> Vec<f64> {
    let mut motion = Vec::new();
    for load in &model.loads {
        if let Load::Ground { direction, .. } = load {
            let moves = |d: usize| f64::from(short_name(&model.dofs[d].name) == direction);
            motion.extend(coordinates.iter().map(|c| c.iter().map(|&(d, f)| f * moves(d)).sum::<f64>()));
        }
    }
    motion
}

/// Constant matrices under construction.
struct Constant<'a> {
    pattern: &'a Pattern,
    numbering: &'a Numbering,
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    couplings: Vec<Coupling>,
    /// Mass between a free row and a held (fixed or imposed) degree of freedom of the model.
    held: Vec<(usize, usize, f64)>,
}

impl<'a> Constant<'a> {
    fn new(pattern: &'a Pattern, numbering: &'a Numbering) -> Self {
        let zero = vec![0.0; pattern.nnz()];
        Constant {
            pattern,
            numbering,
            mass: zero.clone(),
            damping: zero.clone(),
            stiffness: zero,
            couplings: Vec::new(),
            held: Vec::new(),
        }
    }

    fn pairs(&self, rows: &[Coordinate], mut f: impl FnMut(usize, usize, usize, f64)) {
        let d = rows.len();
        for (i, ri) in rows.iter().enumerate() {
            for (j, rj) in rows.iter().enumerate() {
                for &(a, fa) in ri {
                    for &(b, fb) in rj {
                        f(a, b, i * d + j, fa * fb);
                    }
                }
            }
        }
    }

    fn scatter(&self, rows: &[Coordinate], local: &[f64], values: &mut [f64]) {
        if local.is_empty() {
            return;
        }
        self.pairs(rows, |a, b, at, f| {
            if let (Place::Free(i), Place::Free(j)) = (self.numbering.places[a], self.numbering.places[b]) {
                add(self.pattern, values, i, j, f * local[at]);
            }
        });
    }

    /// Stiffness between free and imposed degrees of freedom.
    fn scatter_supports(&self, rows: &[Coordinate], local: &[f64], couplings: &mut Vec<Coupling>) {
        if local.is_empty() {
            return;
        }
        self.pairs(rows, |a, b, at, f| {
            if let (Place::Free(row), Place::Imposed(imposed)) = (self.numbering.places[a], self.numbering.places[b]) {
                couplings.push(Coupling { row, imposed, m: 0.0, c: 0.0, k: f * local[at] });
            }
        });
    }

    fn add(&mut self, rows: &[Coordinate], mass: &[f64], damping: &[f64], stiffness: &[f64]) {
        let [mut m, mut c, mut k] = [&mut self.mass, &mut self.damping, &mut self.stiffness].map(std::mem::take);
        self.scatter(rows, mass, &mut m);
        self.scatter(rows, damping, &mut c);
        self.scatter(rows, stiffness, &mut k);
        (self.mass, self.damping, self.stiffness) = (m, c, k);
        let (mut couplings, mut held) = (std::mem::take(&mut self.couplings), std::mem::take(&mut self.held));
        let of = |local: &[f64], at: usize| local.get(at).copied().unwrap_or(0.0);
        self.pairs(rows, |a, b, at, f| {
            let (Place::Free(row), place) = (self.numbering.places[a], self.numbering.places[b]) else { return };
            let [m, c, k] = [of(mass, at), of(damping, at), of(stiffness, at)].map(|x| x * f);
            if let Place::Imposed(imposed) = place {
                couplings.push(Coupling { row, imposed, m, c, k });
            }
            if !matches!(place, Place::Free(_)) && m != 0.0 {
                held.push((row, b, m));
            }
        });
        (self.couplings, self.held) = (couplings, held);
    }
}

/// Degrees of freedom that nothing holds, or that have no mass.
fn check_connected(
    model: &Model,
    numbering: &Numbering,
    pattern: &Pattern,
    constant: &Constant<'_>,
    damped: &[f64],
    parts: &[Looped],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut massive = vec![false; numbering.free.len()];
    let mut touched = vec![false; numbering.free.len()];
    for part in parts {
        for &(i, _) in part.rows.iter().flatten().filter(|r| (r.0 as usize) < numbering.free.len()) {
            touched[i as usize] = true;
            massive[i as usize] |= part.law.shape().2;
        }
    }
    let mut without_mass = Vec::new();
    for (i, &d) in numbering.free.iter().enumerate() {
        let diagonal = |values: &[f64]| pattern.position(i, i).map_or(0.0, |p| values[p]);
        // A mass holds nothing where nothing moves in time.
        let has_mass = !model.analysis.statics && (diagonal(&constant.mass) != 0.0 || massive[i]);
        let any = |values: &[f64]| pattern.row(i).any(|p| values[p] != 0.0);
        let held = any(&constant.stiffness) || any(&constant.damping) || any(damped) || touched[i];
        let name = &model.dofs[d].name;
        match (has_mass, held) {
            (false, false) => problems.push(Problem::unconnected(d, name)),
            (false, true) => without_mass.push(d),
            (true, _) => {}
        }
    }
    if model.analysis.statics {
        return problems;
    }
    if without_mass.len() == numbering.free.len() {
        // Unconnected ones have been reported each; then this is one of them.
        if let Some(&d) = without_mass.first() {
            let message = format!("no free degree of freedom has a mass (the first is `{}`)", model.dofs[d].name);
            problems.push(Problem::error(
                Subject::Dof(d),
                message,
                "give the nodes a `mass`, or the members a density `rho`",
            ));
        }
    } else if let Some(&d) = without_mass.first() {
        let (count, name) = (without_mass.len(), &model.dofs[d].name);
        let message = match count {
            1 => format!("`{name}` can move and has no mass"),
            _ => format!("{count} free degrees of freedom have no mass (the first is `{name}`)"),
        };
        if massive.contains(&true) {
            let help =
                "a pendulum in the model needs a mass on every free degree of freedom: give them one, or fix them";
            problems.push(Problem::error(Subject::Dof(d), message, help));
        } else {
            let help = "they follow the others quasi-statically: displacements are correct, velocities only with \
                schemes of the Newmark family, accelerations with no scheme; give them a mass if you need these";
            problems.push(Problem { subject: Subject::Dof(d), message, help: help.to_owned(), fatal: false });
        }
    }
    problems
}
