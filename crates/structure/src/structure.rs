//! A model assembled, in one piece or in its parts: everything is known of it, nothing is started and nothing has moved.

use std::sync::Arc;

use interfield_coupling::registry::COUPLINGS;
use interfield_coupling::{Options, Port, Ranks};
use interfield_kernel::element::Element as _;
use interfield_kernel::{Scheme, System};
use interfield_language::external::External;
use interfield_language::model::{Channel, Element, Kind, Model, Quantity, Support};
use interfield_language::partition::{Choice, Partition};
use interfield_language::{Problem, Subject};
use interfield_linalg::{EigenError, Modes, Pattern, highest, modes};

use crate::assemble::{Assembly, Place, assemble};
use crate::assembled::Assembled;
use crate::budget;
use crate::damping;
use crate::elastic::computed;
use crate::gravity;
use crate::preparation::Preparation;
use crate::reduce::reduced;
use crate::simulation::Simulation;
use crate::specimen::{Physical, physical, substitute};
use crate::split::{Constraint, Drive, Split, SubModel, split};

/// A model assembled.
pub struct Structure {
    /// The model.
    pub model: Arc<Model>,
    /// What is doubtful about it, and about its cuts.
    pub warnings: Vec<Problem>,
    /// The constraints between its parts, row by row.
    pub interface: Vec<Constraint>,
    /// What its start may use.
    pub preparation: Preparation,
    pub(crate) parts: Vec<Part>,
    pub(crate) driven: Vec<Drive>,
    /// Of a cut structure: its matrices in one piece, which give its damping and its modes.
    pub(crate) whole: Option<Assembly>,
    /// Which process has which part.
    pub(crate) ranks: Ranks,
}

/// One substructure; all there is of a structure in one piece.
pub(crate) struct Part {
    pub(crate) sub: SubModel,
    pub(crate) assembly: Assembly,
    /// Its specimens, by themselves.
    pub(crate) specimens: Vec<Physical>,
    /// A second one, for couplings that advance it twice.
    pub(crate) twin: Option<Assembled>,
    /// Its entries of L.
    pub(crate) ports: Vec<Port>,
}

impl Structure {
    /// Assembles a model; all problems at once.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn new(model: impl Into<Arc<Model>>) -> Result<Self, Vec<Problem>> {
        let (given, doubts) = reduced(model.into())?;
        let mut this = Structure::of_reduced(given)?;
        this.warnings.extend(doubts);
        for told in this.model.superelements.iter().filter(|s| s.lost_response.get().is_none()) {
            told.lost_response.set(this.response_error(told)).ok();
        }
        Ok(this)
    }

    fn of_reduced(given: Arc<Model>) -> Result<Self, Vec<Problem>> {
        let mut this = Structure::assembled(Arc::clone(&given))?;
        if this.model.partition.as_ref().is_some_and(|p| p.coupling.choice == Choice::Open) {
            if let Some(partition) = budget::partition_by_work(&this) {
                let model = Model { partition: Some(partition), ..given.as_ref().clone() };
                // What it cannot take, or not start, stays with the coupling that can.
                let starts = Simulation::new(computed(&model)).is_ok();
                if let Ok(other) = Structure::assembled(Arc::new(model))
                    && starts
                {
                    return Ok(other);
                }
            }
            // Decided: a model that is made of this one keeps the coupling.
            let partition = &mut Arc::make_mut(&mut this.model).partition;
            partition.iter_mut().for_each(|p| p.coupling.choice = Choice::ByWork);
        }
        Ok(this)
    }

    fn assembled(model: Arc<Model>) -> Result<Self, Vec<Problem>> {
        let model = gravity::settled(model)?;
        let stood = |model: &Model| assemble(&substitute(model)?.0);
        let whole = model.partition.is_some().then(|| stood(&model)).transpose()?;
        let Split { parts: subs, interface, driven, mut warnings } = split(&model, whole.as_ref())?;
        let twins = model.partition.as_ref().is_some_and(|p| p.coupling.info.twins);
        let (mut parts, mut problems) = (Vec::new(), Vec::new());
        for (p, sub) in subs.into_iter().enumerate() {
            match Part::new(&model, sub, twins, |places| ports(&interface, p, places)) {
                Ok(part) => parts.push(part),
                Err(list) => problems.extend(list),
            }
        }
        if model.partition.is_some() && model.analysis.land {
            let message =
                "events = \"land\" changes the step of the whole structure and cannot be used with substructures";
            let help = "remove `events` and use more substeps, or run the structure in one piece with --whole";
            problems.push(Problem::error(Subject::Step, message.to_owned(), help));
        }
        if model.partition.is_some() {
            problems.extend(model.channels.iter().filter_map(|c| not_cut(&model, c, &interface)));
            problems.extend(model.channels.iter().filter_map(|c| apart_and_moved(&model, c, &parts)));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut this = Structure {
            model,
            warnings: Vec::new(),
            interface,
            preparation: Preparation::default(),
            parts,
            driven,
            whole,
            ranks: Ranks::default(),
        };
        match damping::check(&this.model, this.assembly()) {
            Some(driven) if driven.fatal => return Err(vec![driven]),
            driven => warnings.splice(0..0, this.assembly().warnings.iter().cloned().chain(driven)).for_each(drop),
        }
        warnings.extend(this.model.partition.as_ref().and_then(|p| moved_in_turn(p, &this.parts)));
        warnings.extend(this.model.partition.as_ref().and_then(|p| not_apart(p, &this.parts)));
        this.warnings = warnings;
        Ok(this)
    }

    /// The structure in one piece.
    pub(crate) fn assembly(&self) -> &Assembly {
        self.whole.as_ref().unwrap_or(&self.parts[0].assembly)
    }

    /// Its parts, each as a model of its own; one of a structure in one piece.
    pub fn parts(&self) -> impl Iterator<Item = &SubModel> {
        self.parts.iter().map(|part| &part.sub)
    }

    /// The degrees of freedom of the model that are its unknowns, rising.
    pub fn free(&self) -> &[usize] {
        &self.assembly().free
    }

    /// Names of the unknowns.
    pub fn unknowns(&self) -> impl ExactSizeIterator<Item = &str> {
        self.free().iter().map(|&d| self.model.dofs[d].name.as_str())
    }

    /// Pattern, mass and stiffness of the small-amplitude motion about the initial state.
    pub fn matrices(&self) -> (&Pattern, Vec<f64>, Vec<f64>) {
        let assembly = self.assembly();
        assembly.system.matrices(&assembly.memory)
    }

    /// φᵀf of shapes over the unknowns with the load at time `t`, N (N m) for a shape of one. Valid of a linear structure: what
    /// motions of supports do is the force of the structure at rest.
    pub fn modal_loads(&mut self, t: f64, shapes: &[&[f64]], out: &mut [f64]) {
        let moved = self.model.dofs.iter().any(|d| matches!(d.support, Support::Imposed(_)));
        let assembly = self.whole.as_mut().unwrap_or(&mut self.parts[0].assembly);
        let (dims, mut f) = (assembly.system.dims(), vec![0.0; assembly.free.len()]);
        if moved {
            let (rest, mut rates) = (vec![0.0; dims.state()], vec![0.0; dims.ns]);
            if assembly.system.force(dims.point(t, &rest), None, &mut f, &mut rates).is_err() {
                f.fill(0.0);
            }
            f.iter_mut().for_each(|f| *f = -*f);
        } else {
            assembly.system.load(t, &mut f);
        }
        let dot = |shape: &&[f64]| shape.iter().zip(&f).map(|(x, f)| x * f).sum();
        shapes.iter().zip(out).for_each(|(shape, out)| *out = dot(shape));
    }

    /// φᵀCφ of a shape over the unknowns.
    pub fn viscous(&self, shape: &[f64]) -> f64 {
        self.assembly().system.viscous(shape)
    }

    /// Largest circular frequency, rad/s.
    ///
    /// # Errors
    /// When it was not found.
    pub fn omega_max(&self) -> Result<f64, EigenError> {
        let (pattern, mass, stiffness) = self.matrices();
        Ok(highest(pattern, &stiffness, &mass)?.max(0.0).sqrt())
    }

    /// Lowest modes about the initial state.
    ///
    /// # Errors
    /// When they were not found.
    pub fn modes(&self, count: usize) -> Result<Modes, EigenError> {
        let (pattern, mass, stiffness) = self.matrices();
        modes(pattern, &stiffness, &mass, count)
    }
}

impl Part {
    fn new(
        model: &Model,
        sub: SubModel,
        twins: bool,
        ports: impl FnOnce(&[Place]) -> Vec<Port>,
    ) -> Result<Self, Vec<Problem>> {
        let in_whole = |list: Vec<Problem>| list.into_iter().map(|p| sub.in_whole(p)).collect::<Vec<_>>();
        iterates(&sub.model).map_err(|p| in_whole(vec![p]))?;
        let (stood, stand_ins) = substitute(&sub.model).map_err(in_whole)?;
        let assembly = assemble(&stood).map_err(in_whole)?;
        let specimens =
            sub.model.specimens.iter().zip(stand_ins).map(|(s, stand_in)| physical(&sub.model, s, stand_in));
        let specimens = specimens.collect::<Result<_, _>>().map_err(in_whole)?;
        let mut problems = Vec::new();
        let twin = if twins && !sub.fine {
            problems.extend(sub.model.externals.iter().map(|e| sub.in_whole(needed_twice(e))));
            let inner = sub.model.specimens.iter().any(|s| !s.inner.is_empty());
            let again = if inner { &stood } else { sub.model.as_ref() };
            Some(assemble(again).map_err(in_whole)?.system)
        } else {
            None
        };
        let ports = ports(&assembly.places);
        problems.extend(changing_mass(model, &sub, &assembly.places, &ports));
        if problems.is_empty() { Ok(Part { sub, assembly, specimens, twin, ports }) } else { Err(problems) }
    }
}

/// A specimen or a program on a coarse side with several sequences of states. Each of these has its own memory of laws; what the
/// specimen or the program remembers is there only once (book: passivity 4.1).
fn moved_in_turn(partition: &Partition, parts: &[Part]) -> Option<Problem> {
    let sequences = partition.coupling.method.facts().sequences;
    let of = |p: &Part| {
        let specimen = p.sub.model.specimens.first().map(|s| (Subject::Specimen(0), format!("specimen `{}`", s.name)));
        let external = || {
            let e = p.sub.model.externals.first()?;
            Some((Subject::Element(e.element), format!("external `{}`", e.name)))
        };
        let (subject, who) = specimen.or_else(external)?;
        let message = format!(
            "{who} is on the coarse side, and the {sequences} interlaced sequences of coupling `{}` move it in turn: if it \
                yields, it can add energy",
            partition.coupling.info.name
        );
        let help = "put it on the fine side, or use a coupling with one sequence: \"gc\", \"foh\"";
        Some(p.sub.in_whole(Problem::warning(subject, message, help)))
    };
    parts.iter().filter(|p| sequences > 1 && !p.sub.fine).find_map(of)
}

/// Elements of the coarse side that a coupling with slow laws evaluates in every fine step.
fn not_apart(partition: &Partition, parts: &[Part]) -> Option<Problem> {
    if !partition.coupling.method.facts().laws_apart {
        return None;
    }
    let coarse = parts.iter().filter(|p| !p.sub.fine);
    let evaluated = |p: &'_ Part| -> Vec<(usize, String)> {
        let name =
            |e: usize| (p.sub.elements[p.assembly.looped[e]], p.sub.model.elements[p.assembly.looped[e]].name.clone());
        p.assembly.system.not_apart().map(name).collect()
    };
    let all: Vec<(usize, String)> = coarse.flat_map(evaluated).collect();
    let (element, first) = all.first()?;
    let others = if all.len() > 1 {
        format!(" and {} other elements of the coarse side are", all.len() - 1)
    } else {
        " is".to_owned()
    };
    let message = format!(
        "`{first}`{others} evaluated in every fine step: `{}` computes only hysteretic laws of one deformation and \
            softening springs apart from the structure, between nodes with mass",
        partition.coupling.info.name
    );
    let help =
        "check that these evaluations fit into a fine step (`interfield check`), or use method = \"pmc\" in [coupling]";
    Some(Problem { fatal: false, ..Problem::error(Subject::Element(*element), message, help) })
}

/// Refuses a scheme that would move a specimen, or a program, back and forth.
fn iterates(model: &Model) -> Result<(), Problem> {
    let scheme = &model.analysis.scheme_name;
    if model.analysis.scheme.evaluations().is_some() {
        return Ok(());
    }
    let found = match (model.specimens.first(), model.externals.first()) {
        (Some(s), _) => (Subject::Specimen(0), format!("specimen `{}` cannot be moved back and forth", s.name)),
        (None, Some(e)) => {
            (Subject::Element(e.element), format!("the program of external `{}` cannot go back a step", e.name))
        }
        (None, None) => return Ok(()),
    };
    let message = format!("scheme `{scheme}` iterates, but {}", found.1);
    let help = "use a scheme with one or two evaluations per step: \"alpha-os\", \"newmark\", \"lsrt2\"";
    Err(Problem::error(found.0, message, help))
}

/// A channel about a cut where there is none.
fn not_cut(model: &Model, channel: &Channel, interface: &[Constraint]) -> Option<Problem> {
    let (Quantity::Gap(dof, _) | Quantity::InterfaceForce(dof) | Quantity::Link(dof)) = channel.quantity else {
        return None;
    };
    if interface.iter().any(|c| c.dof == dof) {
        return None;
    }
    let message = format!("channel `{}`: there is no interface at `{}`", channel.name, model.dofs[dof].name);
    Some(Problem::error(Subject::Dof(dof), message, "record it at an interface of substructures"))
}

/// A drift whose ends are in different parts, of which one has an imposed motion there: no part sees both.
fn apart_and_moved(model: &Model, channel: &Channel, parts: &[Part]) -> Option<Problem> {
    let Quantity::Drift { above, below: Some(below), .. } = channel.quantity else { return None };
    let has = |part: &Part, dof: usize| part.sub.dofs.contains(&dof);
    if parts.iter().any(|p| has(p, above) && has(p, below)) {
        return None;
    }
    let moved = |dof: &usize| !matches!(model.dofs[*dof].support, Support::Free);
    let dof = [above, below].into_iter().find(moved)?;
    let message = format!(
        "channel `{}`: its nodes are in different substructures, and `{}` has an imposed motion",
        channel.name, model.dofs[dof].name
    );
    let help =
        "measure the drift between free nodes, put both nodes into one substructure, or run in one piece with --whole";
    Some(Problem::error(Subject::Dof(dof), message, help))
}

/// Entries of L of part `p`.
fn ports(interface: &[Constraint], p: usize, places: &[Place]) -> Vec<Port> {
    let ends = interface.iter().enumerate().flat_map(|(row, c)| [(row, c.plus, 1.0), (row, c.minus, -1.0)]);
    ends.filter(|(_, (part, _), _)| *part == p)
        .filter_map(|(row, (_, dof), sign)| match places[dof] {
            Place::Free(dof) => Some(Port { row, dof, sign }),
            Place::Imposed(_) | Place::Fixed => None,
        })
        .collect()
}

/// An external on a side that is computed twice.
fn needed_twice(external: &External) -> Problem {
    let name = &external.name;
    let message =
        format!("the coupling computes the coarse side twice, but the program of external `{name}` can run only once");
    let once: Vec<String> =
        COUPLINGS.iter().filter(|m| m.sided && !m.twins).map(|m| format!("\"{}\"", m.name)).collect();
    let help = format!("put it into a substructure on the fine side, or use another coupling: {}", once.join(", "));
    Problem::error(Subject::Element(external.element), message, &help)
}

/// Couplings find their multipliers with the mass at the start. Where a pendulum meets an interface its mass there changes
/// with the motion: the parts would converge, to something else.
fn changing_mass(model: &Model, sub: &SubModel, places: &[Place], ports: &[Port]) -> Option<Problem> {
    let meets = |&(d, _): &(usize, f64)| match places[d] {
        Place::Free(i) => ports.iter().any(|p| p.dof == i),
        Place::Imposed(_) | Place::Fixed => false,
    };
    let swings = |e: &Element| match &e.kind {
        Kind::Law { law, coordinates, .. } => law.has_mass() && coordinates.iter().flatten().any(meets),
        _ => false,
    };
    let element = sub.model.elements.iter().position(swings)?;
    let coupling = model.partition.as_ref()?.coupling.info.name;
    let name = &sub.model.elements[element].name;
    let message = format!(
        "the mass of `{name}` changes with the motion and acts at an interface, where coupling `{coupling}` assumes a \
            constant mass"
    );
    let help = "divide the structure elsewhere, so that the pivot is not at an interface, or run it in one piece \
        (--whole)";
    Some(sub.in_whole(Problem::error(Subject::Element(element), message, help)))
}
