//! From the text of a model file to a [`Model`], with all mistakes found in one go.
//!
//! **Must not be here:** file access (the caller hands in what a model refers to, see [`Files`]), matrices.

pub mod analysis;
mod arguments;
mod channels;
pub mod compensators;
mod connected;
mod constraints;
mod damping;
mod drifts;
pub(crate) mod elements;
mod externals;
mod fmu;
mod formulas;
mod frames;
mod joints;
mod loads;
mod materials;
mod matrices;
mod members;
mod motions;
mod nodes;
pub mod pushover;
mod records;
mod reductions;
mod sections;
mod signals;
mod specimens;
mod substructures;
mod superelements;
mod templates;
pub mod units;
mod updates;
mod zero_length;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Diagnostic, Diagnostics, Source, did_you_mean, suggest};
use crate::document::Document;
use crate::key::*;
use crate::model::{Analysis, Dof, Element, Model, Node, Pushing, Sections, TangentPolicy};
use crate::partition;
use crate::problem::{Problem, Subject};
use crate::quantity::{Parameters, Scope};
use crate::reader::Spanned;
use crate::units::{Dimension, UnitSystem};
use connected::Contact;
use nodes::GROUND;
use pushover::PushOverrides;

section! {
    /// A model file.
    pub(crate) FILE = ("file", "", "A model of Interfield: a structure, its loads and its time integration.").more(|| describe(templates::BLOCKS));
    TITLE: Text = key("title", "Title of the model, one line.").default("untitled").example("Two-storey tower");
    DOFS: List<Text> = key("dofs", "Default degrees of freedom of the nodes: x, y, z are translations, \
        rx, ry, rz and names that start with theta, phi, psi or rot are rotations.").example("[\"x\", \"y\", \"rz\"]");
    INCLUDE: Or<Text, List<Text>> = key("include", "Files whose tables are added to this model; paths are relative to \
        the file that includes them.").example("[\"sections.toml\"]");
    UNITS: Inner = table("units", &units::UNITS, "Units of plain numbers and of the output.")
        .example("{ length = \"mm\", force = \"kN\" }");
    PARAMETERS: Inner = table("parameters", &crate::quantity::PARAMETERS, "Named values, used in expressions such as \"2*k1\".")
        .example("{ k1 = \"4 kN/mm\" }");
    NODE: Tables = tables("node", &nodes::NODES, "The nodes.").example("[{ name = \"roof\", mass = \"10 t\" }]");
    ELEMENT: Tables = tables("element", &elements::ELEMENTS, "The elements.").or_short(&templates::SECTIONED)
        .example("[{ type = \"spring\", nodes = [\"ground\", \"roof\"], dof = \"x\", k = \"4 kN/mm\" }]");
    MATERIAL: Tables = tables("material", &materials::MATERIAL, "Uniaxial materials.")
        .example("[{ name = \"steel\", type = \"menegotto-pinto\", fy = \"420 MPa\", E = \"200 GPa\", b = 0.01 }]");
    CROSS_SECTION: Tables = tables("cross-section", &sections::CROSS_SECTION, "Cross-sections of members.")
        .example("[{ name = \"beam\", E = \"27 GPa\", A = \"0.25 m^2\", Iz = \"52 dm^4\" }]");
    CONSTRAINT: Tables = tables("constraint", &constraints::CONSTRAINT, "Nodes that move together.")
        .example("[{ type = \"diaphragm\", leads = \"centre\", follows = [\"corner-1\", \"corner-2\"] }]");
    DAMPING: Inner = table("damping", &damping::DAMPING, "Damping of the whole structure, in addition to that of elements.")
        .example("{ rayleigh = { ratio = 0.05 } }");
    LOAD: Tables = tables("load", &loads::LOADS, "The loads.")
        .example("[{ type = \"ground\", direction = \"x\", signal = \"quake\" }]");
    SIGNAL: Inner = table("signal", &signals::SIGNALS, "Named signals, for use by several loads.")
        .example("{ quake = { type = \"synthetic\", peak = \"0.3 g\" } }");
    ANALYSIS: Inner = table("analysis", &analysis::ANALYSIS, "Time integration; given in one of the files.")
        .example("{ scheme = \"lsrt2\", dt = \"5 ms\", duration = \"20 s\" }");
    PUSHOVER: Inner = table("pushover", &pushover::PUSHOVER, "How the structure is pushed.")
        .example("{ control = \"roof.x\", pattern = { \"roof.x\" = \"1 kN\" }, to = \"200 mm\", step = \"1 mm\" }");
    SUBSTRUCTURE: Tables = tables("substructure", &substructures::SUBSTRUCTURE, "Parts of the structure, each with \
        its own scheme and step.")
        .example("[{ name = \"deck\" }]");
    COUPLING: Inner = table("coupling", &substructures::COUPLING, "How the substructures are coupled.")
        .example("{ method = \"pmc\" }");
    REDUCE: Tables = tables("reduce", &reductions::REDUCTION, "Linear parts that are computed with fewer unknowns.")
        .example("[{ name = \"tower\", frequency = \"10 Hz\" }]");
    SUPERELEMENT: Tables = tables("superelement", &superelements::SUPERELEMENTS, "Superelements from files.")
        .example("[{ name = \"tower\", file = \"tower.superelement\" }]");
    SPECIMEN: Tables = tables("specimen", &specimens::SPECIMEN, "Elements tested in the laboratory.")
        .example("[{ name = \"isolators\", elements = [\"iso-*\"], rate = \"1 kHz\" }]");
    EXTERNAL: Tables = tables("external", &externals::EXTERNAL, "Parts of the structure that other programs compute.")
        .example("[{ name = \"frame\", dofs = [\"roof.x\"], program = \"opensees\", command = [\"python3\", \"frame.py\"], \
            adapter_stiffness = \"1e6 kN/m\" }]");
    UPDATE: Tables = tables("update", &updates::UPDATES, "Online updating of elements by a specimen.")
        .example("[{ name = \"dampers\", learn = [\"damper-*\"], force_noise = \"0.5 kN\", displacement_noise = \"0.02 mm\" }]");
    DRIFT: Tables = tables("drift", &drifts::DRIFTS, "Storey drifts to record.")
        .example("[{ name = \"storey1\", nodes = [\"ground\", \"floor1\"], dof = \"x\", height = \"3 m\" }]");
    RECORD: Inner = table("record", &channels::RECORD, "Recorded channels.").example("{ channels = [\"roof.x\"] }");
}

/// Reads a file that a model refers to (a record, a matrix); the error is a sentence for the user.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Settings from the command line that replace those of the file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `name=value` for parameters of the file.
    pub set: Vec<(String, String)>,
    /// Scheme.
    pub scheme: Option<String>,
    /// Parameters of the scheme.
    pub scheme_parameters: Vec<(String, String)>,
    /// Step, a quantity of time.
    pub dt: Option<String>,
    /// End of the analysis, a quantity of time.
    pub duration: Option<String>,
    /// Tangent policy.
    pub tangent: Option<String>,
    /// Coupling of the substructures.
    pub coupling: Option<String>,
    /// Substeps of all substructures of the fine side.
    pub substeps: Option<u32>,
    /// The structure is pushed, not moved in time.
    pub pushover: Option<PushOverrides>,
}

/// Where the parts of a model were written.
#[derive(Clone, Debug, Default)]
pub struct Places {
    dofs: Vec<Range<usize>>,
    /// Where their masses are given; their nodes where none is.
    masses: Vec<Range<usize>>,
    elements: Vec<Range<usize>>,
    /// Where their stiffnesses are given; the elements where none is.
    stiffnesses: Vec<Range<usize>>,
    /// Where their viscous damping is given; the elements where none is.
    dashpots: Vec<Range<usize>>,
    damping: Option<Range<usize>>,
    loads: Vec<Range<usize>>,
    step: Range<usize>,
    duration: Range<usize>,
    tangent: Range<usize>,
    /// The step, where it was given on the command line: the option.
    step_option: Option<String>,
    /// The duration, where it was given on the command line: the option.
    duration_option: Option<String>,
    substructures: Vec<Range<usize>>,
    interface_masses: Vec<Range<usize>>,
    specimens: Vec<Range<usize>>,
    reductions: Vec<Range<usize>>,
    updates: Vec<Range<usize>>,
}

impl Places {
    /// Whether the end of the analysis was chosen on the command line, for this once.
    pub fn duration_is_overridden(&self) -> bool {
        self.duration_option.is_some()
    }

    /// A problem of the assembly as a located message.
    pub fn locate(&self, problem: &Problem) -> Diagnostic {
        let span = match problem.subject {
            Subject::Dof(i) => self.dofs.get(i).cloned(),
            Subject::Mass(i) => self.masses.get(i).cloned(),
            Subject::Element(i) => self.elements.get(i).cloned(),
            Subject::Stiffness(i) => self.stiffnesses.get(i).cloned(),
            Subject::Dashpot(i) => self.dashpots.get(i).cloned(),
            Subject::Damping => self.damping.clone(),
            Subject::Load(i) => self.loads.get(i).cloned(),
            Subject::Step => Some(self.step.clone()),
            Subject::Duration => Some(self.duration.clone()),
            Subject::Substructure(i) => self.substructures.get(i).cloned(),
            Subject::InterfaceMass(i) => self.interface_masses.get(i).cloned(),
            Subject::Specimen(i) => self.specimens.get(i).cloned(),
            Subject::Reduction(i) => self.reductions.get(i).cloned(),
            Subject::Update(i) => self.updates.get(i).cloned(),
            Subject::Laboratory | Subject::Start | Subject::Model => None,
        };
        // What concerns the whole model stands at its beginning.
        let span = span.unwrap_or(0..0);
        let found = if problem.fatal { Diagnostic::error } else { Diagnostic::warning };
        let found = found(problem.message.clone(), span).help(&problem.help);
        let option = match problem.subject {
            Subject::Step => self.step_option.as_ref(),
            Subject::Duration => self.duration_option.as_ref(),
            _ => None,
        };
        match option {
            Some(option) => found.at_option(option),
            None => found,
        }
    }
}

/// What the parts of the parser share.
struct Context<'d> {
    source: &'d Source,
    diags: &'d Diagnostics,
    scope: &'d Scope,
    files: Files<'d>,
    /// Names of nodes, elements and loads, with their places: channels refer to all of them.
    names: BTreeMap<String, Range<usize>>,
    /// The same in small letters.
    folded: BTreeMap<String, String>,
    nodes: Vec<Node>,
    /// Nodes by name.
    node_index: BTreeMap<String, usize>,
    /// Nodes whose degrees of freedom could not be read: nothing is said about their use.
    unclear: BTreeSet<usize>,
    /// Whether the list of nodes could not be read at all.
    nodes_unknown: bool,
    /// Whether some nodes, elements or loads could not be read at all, so that their names are not known.
    names_unknown: bool,
    dofs: Vec<Dof>,
    elements: Vec<Element>,
    /// Whether the model is cut into substructures.
    partitioned: bool,
    places: Places,
    /// Dimensions of the named loads.
    load_dimensions: BTreeMap<String, Dimension>,
    /// Names of loads that impose a motion.
    imposed: BTreeSet<String>,
    /// Degrees of freedom with an imposed motion, and where it says so.
    imposed_at: BTreeMap<usize, Range<usize>>,
    /// Whether the coupling takes imposed motions of masses as constraints, so that they can be commanded.
    drives: bool,
    /// What is connected, for the check when there are other mistakes.
    contact: RefCell<Contact>,
    /// Elements with an estimate of their tangent, with the place that says so.
    estimates: Vec<(usize, Range<usize>)>,
    /// Materials and cross-sections.
    known: sections::Known,
    /// The fibres of these.
    sections: Arc<Sections>,
    /// Degrees of freedom of joints that follow others of the same joint.
    joints: RefCell<Vec<constraints::Joint>>,
    /// Elements that carry the masses of what follows others: written by nobody.
    carried: Range<usize>,
}

impl Context<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let definition = self.scope.definition(self.source.slice(span.clone()));
        self.diags.push(Diagnostic::error(message, span).help(help).of_parameter(definition));
    }

    /// Reports a malformed name.
    fn check_name(&self, name: &str, span: Range<usize>) {
        let good = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(good) {
            let message = format!("`{name}` cannot be a name");
            self.error(span, message, "use letters, digits, `_` and `-`; the dot separates node and direction");
        }
    }

    /// Takes a name; reports one that is malformed or already taken.
    fn declare(&mut self, name: &str, span: Range<usize>) {
        self.check_name(name, span.clone());
        match self.names.get(name) {
            Some(_) if name == GROUND => {
                let help = "`ground` never moves and needs no [[node]]; give this node another name";
                self.error(span, "`ground` always exists", help);
            }
            Some(first) => self.diags.push(
                Diagnostic::error(format!("the name `{name}` is used twice"), span)
                    .also(first.clone(), "first used here")
                    .help("nodes, elements and loads share one set of names, because channels refer to them"),
            ),
            None => {
                self.doubt_case(name, &span);
                self.names.insert(name.to_owned(), span);
            }
        }
    }

    /// Two names that differ in their case only are one name to most readers.
    fn doubt_case(&mut self, name: &str, span: &Range<usize>) {
        let folded = name.to_lowercase();
        match self.folded.get(&folded) {
            Some(other) => {
                let message = format!("`{name}` and `{other}` differ in capital letters only");
                let d = Diagnostic::warning(message, span.clone()).help("give one of them another name");
                self.diags.push(match self.names.get(other) {
                    Some(first) => d.also(first.clone(), "the other one"),
                    None => d,
                });
            }
            None => {
                self.folded.insert(folded, name.to_owned());
            }
        }
    }

    /// Whether a name stands in quotes only once, where it is declared.
    fn is_lonely(&self, name: &str) -> bool {
        self.source.text.match_indices(&format!("\"{name}\"")).nth(1).is_none()
    }

    /// The name nearest to a misspelt one; before others, one that nothing refers to.
    fn near<'n>(&self, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
        let lonely = suggest(name, names.clone().filter(|n| *n != GROUND && self.is_lonely(n)));
        lonely.or_else(|| suggest(name, names))
    }

    /// The node called `name`.
    fn node(&self, name: &Spanned<String>) -> Option<usize> {
        let found = self.node_index.get(&name.value).copied();
        let mut contact = self.contact.borrow_mut();
        if found.is_none() && !self.nodes_unknown {
            let near = self.near(&name.value, self.node_index.keys().map(String::as_str));
            match near.and_then(|n| self.node_index.get(n)) {
                Some(&probably) => contact.referred.push(probably),
                None => contact.unclear = true,
            }
            let help = match near {
                Some(n) => format!("did you mean `{n}`?"),
                None => format!("declare it: [[node]] with name = \"{}\"", name.value),
            };
            let d = Diagnostic::error(no_node(&name.value), name.span.clone()).help(help);
            // A name that stands nowhere else, beside several of the other, may be the one that is misspelt.
            let doubtful = |n: &&str| self.is_lonely(n) && !self.is_lonely(&name.value);
            self.diags.push(match near.filter(doubtful).and_then(|n| self.names.get(n)) {
                Some(place) => d.also(place.clone(), "or this one is misspelt"),
                None => d,
            });
        }
        contact.referred.extend(found);
        found
    }

    /// The degree of freedom of a node with this short name.
    fn dof_of(&self, node: usize, dof: &str, span: Range<usize>) -> Option<usize> {
        if self.unclear.contains(&node) {
            return None;
        }
        let node = &self.nodes[node];
        let found = node.dofs.iter().find(|(name, _)| name == dof).map(|(_, i)| *i);
        if found.is_none() && node.name == GROUND {
            let help = "write a [[node]] with a position and fixed = true instead";
            self.error(span, "`ground` has no position and no degrees of freedom: it never moves", help);
        } else if found.is_none() {
            let known: Vec<&str> = node.dofs.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("node `{}` has no degree of freedom `{dof}`", node.name);
            let near = did_you_mean(dof, known.iter().copied()).map_or_else(String::new, |d| format!("{d} "));
            self.error(span, message, format!("{near}it has: {}", known.join(", ")));
        }
        found
    }

    /// The degree of freedom written `node.dof`.
    fn dof(&self, text: &Spanned<String>) -> Option<usize> {
        let Some((node, dof)) = text.value.split_once('.') else {
            let message = format!("`{}` does not name a degree of freedom", text.value);
            let node = self.node_index.get(&text.value).and_then(|&n| self.nodes[n].dofs.first());
            let example = node.map_or("roof.x".to_owned(), |(dof, _)| format!("{}.{dof}", text.value));
            self.error(text.span.clone(), message, format!("write node.direction, for example \"{example}\""));
            return None;
        };
        let node = self.node(&Spanned::new(node.to_owned(), text.span.clone()))?;
        self.dof_of(node, dof, text.span.clone())
    }

    /// Whether an imposed degree of freedom is free in its substructure, held by a constraint of the coupling.
    fn drives(&self, dof: usize) -> bool {
        self.drives && self.dofs[dof].mass > 0.0
    }

    /// Dimension of a displacement along a degree of freedom.
    fn disp(&self, dof: usize) -> Dimension {
        if self.dofs[dof].angle { Dimension::ANGLE } else { Dimension::LENGTH }
    }

    /// Dimension of a force along a degree of freedom.
    fn force(&self, dof: usize) -> Dimension {
        Dimension::MOMENT.per(self.disp(dof))
    }
}

/// What is said of a node that is not there.
fn no_node(name: &str) -> String {
    format!("there is no node `{name}`")
}

/// The tangent policy that takes estimates, where no element has one.
fn doubt_estimates(context: &Context<'_>, analysis: Option<&Analysis>, overrides: &Overrides) {
    let given = analysis.is_some_and(|a| a.tangent == TangentPolicy::Given);
    if !given || !context.estimates.is_empty() || context.partitioned {
        return;
    }
    let message = "no element has an estimate that the tangent policy \"given\" could use";
    let help = "give elements a tangent = { k = \"4 kN/mm\" }, or use the policy exact or initial";
    let d = Diagnostic::warning(message, context.places.tangent.clone()).following().help(help);
    context.diags.push(match &overrides.tangent {
        Some(policy) => d.at_option(format!("--tangent {policy}")),
        None => d,
    });
}

/// The tables of a model with all blocks written out, what its expressions can refer to, and whether all blocks could be
/// read.
fn written_out<'s>(
    source: &'s Source,
    overrides: &Overrides,
    diags: &'s Diagnostics,
) -> Option<(Document<'s>, Scope, bool)> {
    if diags.has_errors() {
        // A file that could not be included: what it holds would be missed everywhere.
        return None;
    }
    let mut document = Document::parse(source, diags)?;
    let nothing = Scope::default();
    let root = document.root(&nothing, &FILE);
    let units = root.open(&UNITS).map_or_else(UnitSystem::si, |table| units::read(table).unwrap_or_default());
    let mut parameters = root.open(&PARAMETERS).map(Parameters::read).unwrap_or_default();
    for (name, text) in &overrides.set {
        parameters.set(name, text, diags);
    }
    let scope = parameters.resolve(units, source, diags);
    parameters.doubt_unused(source, diags);
    drop(root);
    let before = diags.error_count();
    templates::expand(document.entries_mut(), &scope, source, diags);
    let good = diags.error_count() == before;
    Some((document, scope, good))
}

/// A model as plain TOML: includes, parts, sections and templates written out. `None` if there was an error.
pub fn expand(source: &Source, overrides: &Overrides, diags: &Diagnostics) -> Option<String> {
    let (mut document, ..) = written_out(source, overrides, diags)?;
    (!diags.has_errors()).then(|| crate::print::document(document.entries_mut()))
}

/// Reads a model. Findings go to `diags`; `None` if there was an error.
pub fn parse(source: &Source, overrides: &Overrides, files: Files<'_>, diags: &Diagnostics) -> Option<(Model, Places)> {
    let (document, scope, complete) = written_out(source, overrides, diags)?;
    let root = document.root(&scope, &FILE);
    root.ignore(&UNITS);
    root.ignore(&PARAMETERS);
    let units = scope.units.clone();
    let mut context = Context {
        source,
        diags,
        scope: &scope,
        files,
        names: BTreeMap::new(),
        folded: BTreeMap::new(),
        nodes: Vec::new(),
        node_index: BTreeMap::new(),
        unclear: BTreeSet::new(),
        nodes_unknown: !complete,
        names_unknown: false,
        dofs: Vec::new(),
        elements: Vec::new(),
        partitioned: root.has(&SUBSTRUCTURE),
        places: Places::default(),
        load_dimensions: BTreeMap::new(),
        imposed: BTreeSet::new(),
        imposed_at: BTreeMap::new(),
        drives: false,
        contact: RefCell::default(),
        estimates: Vec::new(),
        known: sections::Known::default(),
        sections: Arc::default(),
        joints: RefCell::default(),
        carried: 0..0,
    };
    context.known = sections::Known::read(&context, &root);
    context.sections = Arc::new(std::mem::take(&mut context.known.sections));
    let title = root.value(&TITLE);
    // A section with an unknown name may hold anything that is missing elsewhere.
    let known = FILE.known_names();
    let strange = root.keys().iter().any(|k| !known.contains(k.value.as_str()));
    context.nodes_unknown |= strange;
    context.names_unknown =
        strange || !complete || [NODE, ELEMENT, EXTERNAL, LOAD].iter().any(|key| root.has(key) && !root.is_list(key));
    nodes::read(&mut context, &root);
    let superelements = superelements::read(&mut context, &root);
    elements::read(&mut context, &root);
    let externals = externals::read(&mut context, &root);
    let damping = damping::read(&mut context, &root);
    let pushover = pushover::read(&context, &root, overrides);
    let statics = pushover::is_wanted(&root, overrides);
    let moved = (!statics || root.has(&ANALYSIS)).then(|| analysis::read(&mut context, &root, overrides)).flatten();
    if statics {
        pushover::check_options(&context, overrides);
    }
    let analysis = if statics { pushover.as_ref().and_then(Pushing::analysis) } else { moved };
    let time = analysis.as_ref().map_or((0.0, 1.0), |a| (a.duration, a.dt));
    let (mut loads, mut names, mut held) = loads::read(&mut context, &root, time);
    held.extend(superelements.iter().flat_map(|s| &s.held).copied());
    let forces = constraints::Forces { loads: &mut loads, names: &mut names, held: &mut held };
    constraints::read(&mut context, &root, forces);
    superelements::check(&context, &superelements, &loads);
    let (own_scheme, own_tangent) = analysis::says(&root);
    let written = substructures::Written {
        scheme: overrides.scheme.is_some() || !overrides.scheme_parameters.is_empty() || own_scheme,
        tangent: overrides.tangent.is_some() || own_tangent,
        recoupled: overrides.coupling.is_some() && overrides.scheme.is_none(),
    };
    let partition = substructures::read(&mut context, &root, analysis.as_ref(), written, overrides);
    context.drives = partition.as_ref().is_some_and(|p| p.coupling.info.drives);
    let parts = partition.as_ref().filter(|_| !statics);
    let specimens = specimens::read(&mut context, &root, analysis.as_ref(), parts);
    if let Some(push) = pushover.as_ref().filter(|_| statics && !specimens.is_empty()) {
        pushover::check_test(&context, &root, push);
    }
    loads::refuse_on_specimens(&context, &specimens);
    specimens::inner::check(&context, &specimens, &loads);
    externals::check(&context, &externals);
    let reductions = reductions::read(&mut context, &root, partition.as_ref());
    doubt_estimates(&context, analysis.as_ref(), overrides);
    if overrides.tangent.is_none() {
        // That of the command line is for this once.
        let owner = |e: usize| partition.as_ref().and_then(|p| p.substructures.get(*p.owners.get(e)?));
        let whole = analysis.as_ref().map(|a| a.tangent);
        elements::unused_tangents(&context, |e| owner(e).map(|s| s.tangent).or(whole));
    }
    let steps = analysis.as_ref().map(Analysis::steps);
    let (updates, learned) = updates::read(&mut context, &root, &specimens);
    let mut declared = drifts::read(&context, &root);
    declared.extend(learned);
    let (channels, every) = channels::read(&context, &root, &names, (&specimens, &externals), declared, steps);
    root.finish();
    if diags.has_errors() {
        // Without mistakes the assembly finds this, with everything else that needs matrices.
        connected::check(&context);
        return None;
    }
    let Context { nodes, dofs, elements, places, .. } = context;
    let analysis = analysis?;
    let model = Model {
        sections: Arc::clone(&context.sections),
        title,
        units,
        nodes,
        dofs,
        elements,
        damping,
        loads,
        load_names: names,
        held,
        analysis,
        pushover,
        channels,
        every,
        partition,
        specimens,
        externals,
        reductions,
        superelements,
        updates,
    };
    let problems = model.partition.as_ref().map_or_else(Vec::new, |p| partition::check(&model, p));
    problems.iter().for_each(|p| diags.push(places.locate(p)));
    let model = if statics { pushover::made_static(model) } else { model };
    problems.is_empty().then_some((model, places))
}
