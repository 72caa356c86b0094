//! From a partitioned model to one model per substructure, and the constraints that hold them together.

use std::sync::Arc;

use crate::assemble::Assembly;
use interfield_language::external::External;
use interfield_language::model::{
    Analysis, Channel, Coordinate, Damping, Dof, Element, Kind, Load, Model, Node, Quantity, Support,
};
use interfield_language::partition::{Constraints, Layout, Partition, Substructure, layout, visit};
use interfield_language::reduction::{Inertia, Superelement};
use interfield_language::signal::Motion;
use interfield_language::specimen::Specimen;
use interfield_language::update::Update;
use interfield_language::{Problem, Subject};

/// A partitioned model, taken apart.
#[derive(Clone, Debug)]
pub struct Split {
    /// The substructures, in the order of the file.
    pub parts: Vec<SubModel>,
    /// What holds them together.
    pub interface: Vec<Constraint>,
    /// Imposed motions that the coupling takes as constraints; their degrees of freedom are free in the parts.
    pub driven: Vec<Drive>,
    /// Interface degrees of freedom at which a side has no mass, as warnings. Such a side follows there quasi-statically;
    /// a coupling that solves with the mass matrix alone must refuse them.
    pub warnings: Vec<Problem>,
}

/// A degree of freedom with an imposed motion, in all parts that have it.
#[derive(Clone, Debug)]
pub struct Drive {
    /// (part, degree of freedom of its model).
    pub ends: Vec<(usize, usize)>,
    /// The motion.
    pub motion: Motion,
}

/// One substructure as a model of its own. Its step is that of the analysis divided by its substeps; it has no channels.
#[derive(Clone, Debug)]
pub struct SubModel {
    /// Name of the substructure; empty for a structure in one piece.
    pub name: String,
    /// Its degrees of freedom, elements and loads. What its elements refer to without acting on it is fixed here.
    pub model: Arc<Model>,
    /// Index in the whole model of each of its degrees of freedom.
    pub dofs: Vec<usize>,
    /// Index in the whole model of each of its elements.
    pub elements: Vec<usize>,
    /// Index in the whole model of each of its loads.
    pub loads: Vec<usize>,
    /// Index in the whole model of each of its specimens.
    pub specimens: Vec<usize>,
    /// Index in the whole model of each of its externals.
    pub externals: Vec<usize>,
    /// Number of its steps in one step of the analysis.
    pub substeps: u32,
    /// Whether it stands on the fine side.
    pub fine: bool,
}

impl SubModel {
    /// A channel of the whole model as one of this part, if what it reads is here.
    pub(crate) fn channel(&self, channel: &Channel) -> Option<Channel> {
        let dof = |d: usize| self.dofs.iter().position(|&x| x == d);
        let element = |e: usize| self.elements.iter().position(|&x| x == e);
        let quantity = match channel.quantity {
            Quantity::Displacement(d) => Quantity::Displacement(dof(d)?),
            Quantity::Velocity(d) => Quantity::Velocity(dof(d)?),
            Quantity::Acceleration(d) => Quantity::Acceleration(dof(d)?),
            Quantity::AbsoluteAcceleration(d) => Quantity::AbsoluteAcceleration(dof(d)?),
            Quantity::Force(e, i) => Quantity::Force(element(e)?, i),
            Quantity::Deformation(e, i) => Quantity::Deformation(element(e)?, i),
            Quantity::State(e, i) => Quantity::State(element(e)?, i),
            Quantity::Section(e, point, what) => Quantity::Section(element(e)?, point, what),
            Quantity::Drift { above, below, height } => {
                let below = below.map(|d| dof(d).ok_or(())).transpose().ok()?;
                Quantity::Drift { above: dof(above)?, below, height }
            }
            Quantity::Push(part) => Quantity::Push(part),
            Quantity::LoadSignal(i) => Quantity::LoadSignal(self.loads.iter().position(|&x| x == i)?),
            Quantity::Specimen(s, i, reading) => {
                Quantity::Specimen(self.specimens.iter().position(|&x| x == s)?, i, reading)
            }
            Quantity::External(e, i, reading) => {
                Quantity::External(self.externals.iter().position(|&x| x == e)?, i, reading)
            }
            Quantity::Gap(..)
            | Quantity::InterfaceForce(_)
            | Quantity::Link(_)
            | Quantity::Energy(_)
            | Quantity::Update(..) => return None,
        };
        Some(Channel { quantity, ..channel.clone() })
    }

    /// A problem of its assembly, about the same things in the whole model.
    pub fn in_whole(&self, mut problem: Problem) -> Problem {
        problem.subject = match problem.subject {
            Subject::Dof(d) => self.dofs.get(d).map_or(Subject::Model, |&d| Subject::Dof(d)),
            Subject::Mass(d) => self.dofs.get(d).map_or(Subject::Model, |&d| Subject::Mass(d)),
            Subject::Element(e) => self.elements.get(e).map_or(Subject::Model, |&e| Subject::Element(e)),
            Subject::Stiffness(e) => self.elements.get(e).map_or(Subject::Model, |&e| Subject::Stiffness(e)),
            Subject::Dashpot(e) => self.elements.get(e).map_or(Subject::Model, |&e| Subject::Dashpot(e)),
            Subject::Specimen(s) => self.specimens.get(s).map_or(Subject::Model, |&s| Subject::Specimen(s)),
            other => other,
        };
        problem.message = self.said_of(problem.message);
        problem
    }

    /// A sentence about it, with its name if it has one.
    pub(crate) fn said_of(&self, message: String) -> String {
        if self.name.is_empty() { message } else { format!("substructure `{}`: {message}", self.name) }
    }
}

/// One row of the interface: the motion of `plus` is that of `minus`. Sides are (part, degree of freedom of its model);
/// `plus` is the earlier part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Degree of freedom of the whole model.
    pub dof: usize,
    /// Enters with +1.
    pub plus: (usize, usize),
    /// Enters with -1.
    pub minus: (usize, usize),
}

/// Takes a partitioned model apart, with the Rayleigh coefficients of the `whole`; a model without partition is one part. All problems at once.
///
/// # Errors
/// Everything that stands against it.
pub fn split(model: &Arc<Model>, whole: Option<&Assembly>) -> Result<Split, Vec<Problem>> {
    let Some(partition) = &model.partition else {
        let part = SubModel {
            name: String::new(),
            model: model.clone(),
            dofs: (0..model.dofs.len()).collect(),
            elements: (0..model.elements.len()).collect(),
            loads: (0..model.loads.len()).collect(),
            specimens: (0..model.specimens.len()).collect(),
            externals: (0..model.externals.len()).collect(),
            substeps: 1,
            fine: false,
        };
        let (interface, driven, warnings) = Default::default();
        return Ok(Split { parts: vec![part], interface, driven, warnings });
    };
    let rayleigh = whole.and_then(|w| w.rayleigh);
    let damping = rayleigh.map_or(Damping::None, |[a0, a1]| Damping::Rayleigh { a0, a1 });
    let layout = layout(model, partition)?;
    let parts: Vec<SubModel> = (0..partition.substructures.len())
        .map(|part| Cut::new(model, partition, &layout, part).sub_model(damping.clone()))
        .collect();
    let interface = constraints(model, partition, &layout, &parts);
    let warnings = massless(model, &interface, &parts)?;
    let driven = driven(model, partition, &layout, &parts);
    Ok(Split { parts, interface, driven, warnings })
}

/// One substructure in the making.
struct Cut<'a> {
    model: &'a Model,
    partition: &'a Partition,
    layout: &'a Layout,
    part: usize,
    elements: Vec<usize>,
    /// Its degrees of freedom, rising.
    dofs: Vec<usize>,
    /// Where each degree of freedom of the whole model went.
    local: Vec<Option<usize>>,
}

impl<'a> Cut<'a> {
    fn new(model: &'a Model, partition: &'a Partition, layout: &'a Layout, part: usize) -> Self {
        let elements: Vec<usize> = (0..model.elements.len()).filter(|&e| partition.owners[e] == part).collect();
        let mut wanted: Vec<bool> = layout.members.iter().map(|m| m.contains(&part)).collect();
        elements.iter().for_each(|&e| visit(&model.elements[e], |d, _| wanted[d] = true));
        // What follows others is where they are.
        for (d, dof) in model.dofs.iter().enumerate() {
            if let Support::Follows(terms) = &dof.support {
                wanted[d] = terms.iter().all(|t| wanted[t.0]);
            }
        }
        let dofs: Vec<usize> = (0..wanted.len()).filter(|&d| wanted[d]).collect();
        let mut local = vec![None; wanted.len()];
        dofs.iter().enumerate().for_each(|(i, &d)| local[d] = Some(i));
        Cut { model, partition, layout, part, elements, dofs, local }
    }

    fn sub_model(self, damping: Damping) -> SubModel {
        let substructure = &self.partition.substructures[self.part];
        let analysis = Analysis {
            scheme_name: substructure.scheme_name.clone(),
            scheme: substructure.scheme,
            dt: self.model.analysis.dt / f64::from(substructure.substeps),
            duration: self.model.analysis.duration,
            tangent: substructure.tangent,
            land: false,
            statics: false,
        };
        let loads: Vec<usize> =
            (0..self.model.loads.len()).filter(|&l| self.load(&self.model.loads[l]).is_some()).collect();
        let (specimens, inside): (Vec<usize>, Vec<Specimen>) = self.specimens().into_iter().unzip();
        let (externals, outside) = self.externals().into_iter().unzip();
        let model = Model {
            title: format!("{}: {}", self.model.title, substructure.name),
            units: self.model.units.clone(),
            nodes: self.model.nodes.iter().filter_map(|n| self.node(n)).collect(),
            dofs: self.dofs.iter().map(|&d| self.dof(d)).collect(),
            elements: self.elements.iter().map(|&e| self.element(&self.model.elements[e])).collect(),
            damping,
            loads: loads.iter().filter_map(|&l| self.load(&self.model.loads[l])).collect(),
            load_names: loads.iter().filter_map(|&l| self.model.load_names.get(l).cloned()).collect(),
            held: self.held(),
            analysis,
            pushover: None,
            channels: Vec::new(),
            every: 1,
            sections: Arc::clone(&self.model.sections),
            partition: None,
            specimens: inside,
            externals: outside,
            reductions: Vec::new(),
            superelements: self.superelements(),
            updates: self.updates(&specimens),
        };
        let Substructure { name, substeps, fine, .. } = substructure;
        let (name, substeps, fine) = (name.clone(), *substeps, *fine);
        let model = Arc::new(model);
        SubModel { name, model, dofs: self.dofs, elements: self.elements, loads, specimens, externals, substeps, fine }
    }

    /// The specimens that stand here.
    fn specimens(&self) -> Vec<(usize, Specimen)> {
        let here = |(i, s): (usize, &Specimen)| {
            let elements =
                s.elements.iter().map(|e| self.elements.iter().position(|x| x == e)).collect::<Option<_>>()?;
            let dofs = s.dofs.iter().map(|&d| self.local[d]).collect::<Option<_>>()?;
            let inner = s.inner.iter().map(|&d| self.local[d]).collect::<Option<_>>()?;
            Some((i, Specimen { elements, dofs, inner, ..s.clone() }))
        };
        // One that consists of masses only belongs to the first part that has its degrees of freedom.
        let first = |(_, s): &(usize, &Specimen)| {
            let owner = s.elements.first().map(|&e| self.partition.owners[e]);
            owner.or_else(|| self.layout.members[*s.dofs.first()?].first().copied()) == Some(self.part)
        };
        self.model.specimens.iter().enumerate().filter(first).filter_map(here).collect()
    }

    /// What is updated by the specimens that stand here, without the elements that learn.
    fn updates(&self, specimens: &[usize]) -> Vec<Update> {
        let here = |u: &Update| {
            let specimen = specimens.iter().position(|s| *s == u.specimen)?;
            let teacher = self.elements.iter().position(|e| *e == u.teacher)?;
            Some(Update { specimen, teacher, pupils: Vec::new(), ..u.clone() })
        };
        self.model.updates.iter().filter_map(here).collect()
    }

    /// The externals whose stand-ins are here.
    fn externals(&self) -> Vec<(usize, External)> {
        let here = |(i, e): (usize, &External)| {
            let element = self.elements.iter().position(|x| *x == e.element)?;
            let dofs = e.dofs.iter().map(|&d| self.local[d]).collect::<Option<_>>()?;
            Some((i, External { element, dofs, ..e.clone() }))
        };
        self.model.externals.iter().enumerate().filter_map(here).collect()
    }

    /// The superelements that are here.
    fn superelements(&self) -> Vec<Superelement> {
        let here = |s: &Superelement| {
            let element = |e: &usize| self.elements.binary_search(e).ok();
            let dof = |d: &usize| self.local[*d];
            let inertia = |i: &Inertia| {
                let load = i.load.iter().filter_map(|(d, m)| Some((self.local[*d]?, *m))).collect();
                Inertia { load, ..i.clone() }
            };
            Some(Superelement {
                elements: s.elements.iter().map(element).collect::<Option<_>>()?,
                kept: s.kept.iter().map(dof).collect::<Option<_>>()?,
                generalised: s.generalised.iter().map(dof).collect::<Option<_>>()?,
                inertia: s.inertia.iter().map(inertia).collect(),
                held: Vec::new(),
                inside: s.inside.iter().filter_map(dof).collect(),
                ..s.clone()
            })
        };
        self.model.superelements.iter().filter_map(here).collect()
    }

    /// A node with those of its degrees of freedom that are here, if any.
    fn node(&self, node: &Node) -> Option<Node> {
        let here = node.dofs.iter().filter_map(|(name, d)| Some((name.clone(), self.local[*d]?)));
        let dofs: Vec<(String, usize)> = here.collect();
        (!dofs.is_empty()).then(|| Node { name: node.name.clone(), at: node.at, dofs })
    }

    /// A degree of freedom with its share of the mass; fixed if nothing here acts on it.
    fn dof(&self, d: usize) -> Dof {
        let mut dof = self.model.dofs[d].clone();
        if let Support::Follows(terms) = &mut dof.support {
            terms.retain_mut(|t| self.local[t.0].map(|local| t.0 = local).is_some());
            return dof;
        }
        match self.layout.members[d].iter().position(|&p| p == self.part) {
            Some(at) => {
                dof.mass *= self.layout.shares[d][at];
                if let Some(motion) = drive(self.model, self.partition, d) {
                    let [u0, v0, _] = motion.at(0.0);
                    dof = Dof { support: Support::Free, u0, v0, ..dof };
                }
            }
            None => dof = Dof { support: Support::Fixed, mass: 0.0, u0: 0.0, v0: 0.0, ..dof },
        }
        dof
    }

    fn element(&self, element: &Element) -> Element {
        let mut element = element.clone();
        let rename = |d: &mut usize| *d = self.local[*d].expect("a part has what its elements refer to");
        let rename_all = |list: &mut [Coordinate]| list.iter_mut().flatten().for_each(|c| rename(&mut c.0));
        match &mut element.kind {
            Kind::Law { coordinates, .. }
            | Kind::Formula { coordinates, .. }
            | Kind::Block { coordinates, .. }
            | Kind::Frame { coordinates, .. } => {
                rename_all(coordinates);
            }
            Kind::Linear { dofs, .. } => dofs.iter_mut().for_each(rename),
        }
        element
    }

    /// The loads that are there from the beginning, each on the first part that has its degree of freedom.
    fn held(&self) -> Vec<(usize, f64)> {
        let mine = |d: usize| self.layout.members[d].first() == Some(&self.part);
        self.model.held.iter().filter(|h| mine(h.0)).filter_map(|h| Some((self.local[h.0]?, h.1))).collect()
    }

    /// The ground moves under every part; a force is on the first that has its degree of freedom.
    fn load(&self, load: &Load) -> Option<Load> {
        match load {
            Load::Ground { .. } => Some(load.clone()),
            Load::Force { dof, .. } if self.layout.members[*dof].first() != Some(&self.part) => None,
            Load::Force { dof, signal } => Some(Load::Force { dof: self.local[*dof]?, signal: signal.clone() }),
        }
    }
}

/// The motion of a degree of freedom that the coupling takes as a constraint: it needs a mass of its own.
fn drive<'a>(model: &'a Model, partition: &Partition, dof: usize) -> Option<&'a Motion> {
    match &model.dofs[dof] {
        Dof { support: Support::Imposed(motion), mass, .. } if partition.coupling.info.drives && *mass > 0.0 => {
            Some(motion)
        }
        _ => None,
    }
}

fn driven(model: &Model, partition: &Partition, layout: &Layout, parts: &[SubModel]) -> Vec<Drive> {
    let one = |(dof, members): (usize, &Vec<usize>)| {
        let end = |&part: &usize| Some((part, parts[part].dofs.binary_search(&dof).ok()?));
        let ends = members.iter().filter_map(end).collect();
        Some(Drive { ends, motion: drive(model, partition, dof)?.clone() })
    };
    layout.members.iter().enumerate().filter_map(one).collect()
}

fn constraints(model: &Model, partition: &Partition, layout: &Layout, parts: &[SubModel]) -> Vec<Constraint> {
    let side = |part: usize, dof: usize| parts[part].dofs.binary_search(&dof).ok().map(|local| (part, local));
    let mut rows = Vec::new();
    for (dof, members) in layout.members.iter().enumerate() {
        if !matches!(model.dofs[dof].support, Support::Free) {
            continue;
        }
        let leading = match partition.coupling.constraints {
            Constraints::Tree => members.len().min(1),
            Constraints::AllPairs => members.len(),
        };
        for (i, &p) in members[..leading].iter().enumerate() {
            let with = members[i + 1..].iter().filter_map(|&q| Some((side(p, dof)?, side(q, dof)?)));
            rows.extend(with.map(|(plus, minus)| Constraint { dof, plus, minus }));
        }
    }
    rows
}

/// What keeps a degree of freedom of a part in place or slow.
#[derive(Clone, Copy, Default)]
struct Held {
    mass: bool,
    element: bool,
}

fn held(model: &Model) -> Vec<Held> {
    let mut held: Vec<Held> = model.dofs.iter().map(|d| Held { mass: d.mass != 0.0, element: false }).collect();
    for element in &model.elements {
        let massive = !matches!(element.kind, Kind::Linear { .. }) && element.kind.has_mass();
        visit(element, |d, acts| {
            held[d].element |= acts;
            held[d].mass |= massive && acts;
        });
        if let Kind::Linear { dofs, mass, .. } = &element.kind {
            let n = dofs.len();
            dofs.iter().enumerate().for_each(|(i, &d)| held[d].mass |= mass.get(i * n + i).is_some_and(|m| *m != 0.0));
        }
    }
    held
}

/// Sides of the interface without mass, as warnings; an error where a part has no mass at all, or nothing at an interface.
fn massless(model: &Model, interface: &[Constraint], parts: &[SubModel]) -> Result<Vec<Problem>, Vec<Problem>> {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (p, part) in parts.iter().enumerate() {
        let held = held(&part.model);
        let free = |d: &usize| matches!(part.model.dofs[*d].support, Support::Free);
        let name = &part.name;
        if !(0..held.len()).filter(free).any(|d| held[d].mass) {
            let message = format!("substructure `{name}` has no mass");
            let help = match part.dofs.iter().any(|&d| model.dofs[d].mass != 0.0) {
                true => format!("give `{name}` a share of the mass of its interface nodes: interface_mass = 0.05"),
                false => format!("give its nodes a `mass`; `{name}` then gets its share `interface_mass`"),
            };
            errors.push(Problem::error(Subject::Substructure(p), message, &help));
            continue;
        }
        let mut sides: Vec<usize> =
            interface.iter().flat_map(|c| [c.plus, c.minus]).filter(|s| s.0 == p).map(|s| s.1).collect();
        sides.sort_unstable();
        sides.dedup();
        for d in sides.into_iter().filter(|&d| !held[d].mass) {
            let whole = &model.dofs[part.dofs[d]];
            let message = format!("substructure `{name}` has no mass at its interface `{}`", whole.name);
            let help = match whole.mass {
                0.0 => format!("give the node a `mass`; `{name}` then gets its share `interface_mass`"),
                _ => format!("give `{name}` a share of the mass of the node: interface_mass = 0.05"),
            };
            let list = if held[d].element { &mut warnings } else { &mut errors };
            let fatal = !held[d].element;
            list.push(Problem { fatal, ..Problem::error(Subject::InterfaceMass(p), message, &help) });
        }
    }
    if errors.is_empty() { Ok(warnings) } else { Err(errors) }
}
