//! Substructures and how they are coupled: names are resolved here, interfaces are found by [`crate::partition`].

mod divided;

use std::collections::BTreeMap;
use std::ops::Range;

use interfield_coupling::registry::{COUPLINGS, Level, find};
use interfield_kernel::scheme::registry::AnyScheme;

use super::arguments::{self, Placed, arguments, build_entry, pairs, variant};
use super::nodes::GROUND;
use super::{Context, Overrides, analysis};
use crate::diag::{Diagnostic, did_you_mean, suggest};
use crate::key::*;
use crate::model::{Analysis, TangentPolicy};
use crate::partition::visit;
use crate::partition::{Choice as Chosen, Constraints, Coupling, Partition, Shares, Substructure};
use crate::reader::{Spanned, Table};
use crate::schema::Variant;

section! {
    /// A part of the structure.
    pub(super) SUBSTRUCTURE = ("substructure", "[[substructure]]", "A part of the structure with its own scheme and \
        step.");
    NAME: Text = key("name", "Its name. Without `elements` and `nodes`, it contains everything not listed elsewhere.")
        .required().example("piers");
    ELEMENTS: List<Text> = key("elements", "Its elements; a trailing * matches any ending.").example("[\"pier9\", \"iso-*\"]");
    NODES: List<Text> = key("nodes", "Nodes whose mass it shares, although none of its elements is connected to \
        them.").example("[\"deck9\"]");
    SCHEME: Or<Named, Inner> = analysis::scheme_key("Its integration scheme, if different from \
        [analysis].").example("newmark");
    TANGENT: Choice<(TangentPolicy, &'static str)> = analysis::OWN_TANGENT;
    SIDE: Choice<(bool, &'static str)> = choice("side", &[(false, "coarse"), (true, "fine")],
        "Its side, for a coupling with a coarse and a fine side.").example("fine");
    // Beyond a million the number is a mistake.
    SUBSTEPS: Whole = key("substeps", "Number of its substeps per step of the analysis.").range(Allowed::Between(1.0, 1e6))
        .default("1").example("10");
    PARTS: Whole = key("parts", "Divides it into so many substructures of about the same work that share few degrees of freedom: NAME-1, \
        NAME-2, ...").range(Allowed::Between(1.0, 4096.0)).default("1").example("4");
    INTERFACE_MASS: Or<Pure, Inner> = of(Or(Pure, Inner(&SHARES)), "interface_mass",
        "Its share of the nodal mass at interfaces, 0 to 1, for all nodes or by node.").range(SHARE).example("0.05");
}

/// One twentieth of the nodal mass is written 0.05 or "5 %".
const SHARE: Allowed = Allowed::Between(0.0, 1.0);

section! {
    SHARES = ("interface-mass", "{ deck9 = 0.05 }", "Share of the nodal mass, 0 to 1, by node.").others(|| Pure.value());
}

section! {
    /// How substructures advance together.
    pub(super) COUPLING = ("coupling", "[coupling]", "How the substructures are coupled.").variants(couplings);
    CONSTRAINTS: Choice<(Constraints, &'static str)> = choice("constraints",
        &[(Constraints::Tree, "tree"), (Constraints::AllPairs, "all-pairs")],
        "Where more than two substructures meet: constrain the first with each other one, or every \
            pair.").default("tree").example("all-pairs");
}

/// The key that chooses a coupling.
const METHOD: crate::key::Key<Text> = key("method", "The coupling.").required().example("pmc");

fn couplings() -> Vec<Variant> {
    COUPLINGS.iter().map(|i| variant(METHOD.name, i.name, [i.title, i.reference, i.advice], i.parameters)).collect()
}

/// A substructure as written.
struct Draft {
    name: Spanned<String>,
    /// `None`: that of the analysis.
    scheme: Option<(String, AnyScheme)>,
    tangent: Option<TangentPolicy>,
    substeps: u32,
    /// Into how many it is divided, and where that is said.
    parts: Spanned<usize>,
    fine: Option<bool>,
    /// Whether it takes what is not listed elsewhere.
    rest: bool,
    nodes: Vec<usize>,
    interface_mass: Shares,
}

/// Elements that have been given away: the substructure or specimen and the place that says so.
pub(super) type Owners = BTreeMap<usize, (usize, Range<usize>)>;

/// Reads all `[[substructure]]` and `[coupling]`, after everything they refer to.
pub(super) fn read(
    context: &mut Context<'_>,
    root: &Table<'_>,
    analysis: Option<&Analysis>,
    written: Written,
    overrides: &Overrides,
) -> Option<Partition> {
    let other = overrides.coupling.as_deref();
    let table = root.open(&super::COUPLING);
    let span = table.as_ref().map(Table::span);
    let coupling = read_coupling(context, table, other);
    let asked = [("--coupling", other.is_some()), ("--substeps", overrides.substeps.is_some())];
    for (option, _) in asked.iter().filter(|(_, given)| *given && !root.has(&super::SUBSTRUCTURE)) {
        let d = Diagnostic::unlocated(format!("{option}: the model has no substructures"));
        context.diags.push(d.help("divide the model with [[substructure]] first"));
    }
    let mut owners = Owners::new();
    let mut drafts: Vec<Draft> = Vec::new();
    for table in root.all(&super::SUBSTRUCTURE) {
        let draft = read_one(context, &table, drafts.len(), &mut owners);
        if let Some(first) = drafts.iter().find(|d| d.name.value == draft.name.value) {
            let message = format!("the name `{}` is used twice", draft.name.value);
            let d =
                Diagnostic::error(message, draft.name.span.clone()).also(first.name.span.clone(), "first used here");
            context.diags.push(d.help("give each substructure a different name"));
        }
        if let Some(first) = drafts.iter().find(|d| d.rest && draft.rest) {
            let message = "two substructures claim everything that is not listed elsewhere";
            let d = Diagnostic::error(message, draft.name.span.clone()).also(first.name.span.clone(), "the first one");
            context.diags.push(d.help("list the `elements` of one of them"));
        }
        drafts.push(draft);
        table.finish();
    }
    if let (Some(span), false) = (&span, root.has(&super::SUBSTRUCTURE)) {
        let help = "write [[substructure]] with `name` and `elements`, or remove [coupling]";
        context.error(span.clone(), "there is nothing to couple: the model has no substructures", help);
    }
    if drafts.is_empty() {
        return None;
    }
    let rest = drafts.iter().position(|d| d.rest);
    let mut owners = complete(context, &owners, rest);
    let rest = rest.map(|rest| drafts[..rest].iter().map(|d| d.parts.value).sum());
    let mut drafts = divided::divide(context, drafts, &mut owners);
    let (analysis, coupling) = (analysis?, coupling?);
    let fine = sides(&drafts);
    if let Some(substeps) = overrides.substeps {
        drafts.iter_mut().zip(&fine).filter(|(_, fine)| **fine).for_each(|(d, _)| d.substeps = substeps);
    }
    check_sides(context, &drafts, &fine, &coupling);
    let settled: Option<Vec<_>> = drafts.iter().map(|d| settle(context, d, &coupling, analysis, written)).collect();
    let finish = |((d, fine), (scheme_name, scheme, tangent)): ((Draft, bool), (String, AnyScheme, TangentPolicy))| {
        let (substeps, nodes) = (d.substeps, d.nodes);
        let (name, interface_mass) = (d.name.value, d.interface_mass);
        Substructure { name, scheme_name, scheme, substeps, fine, tangent, nodes, interface_mass }
    };
    let substructures = drafts.into_iter().zip(fine).zip(settled?).map(finish).collect();
    Some(Partition { substructures, owners, rest, coupling })
}

/// Substructure of every element; reports those without.
fn complete(context: &Context<'_>, owners: &Owners, rest: Option<usize>) -> Vec<usize> {
    let written = |e: &usize| !context.carried.contains(e);
    let free: Vec<usize> = (0..context.elements.len()).filter(|e| written(e) && !owners.contains_key(e)).collect();
    if let (None, Some(&first)) = (rest, free.first()) {
        let name = &context.elements[first].name;
        let message = match free.len() {
            1 => format!("element `{name}` belongs to no substructure"),
            n => format!("{n} elements belong to no substructure (the first is `{name}`)"),
        };
        let help = "list it, or add a [[substructure]] with a name only: it contains everything not listed elsewhere";
        context.error(context.places.elements[first].clone(), message, help);
    }
    let owner = |e: usize| owners.get(&e).map_or(rest.unwrap_or(0), |o| o.0);
    let dofs = |e: usize| {
        let mut dofs = Vec::new();
        visit(&context.elements[e], |d, acts| dofs.extend(acts.then_some(d)));
        dofs
    };
    // The mass of what follows goes with the first element on what leads it.
    let beside = |e: usize| {
        let on = dofs(e);
        (0..context.carried.start).find(|&other| dofs(other).iter().any(|d| on.contains(d))).map_or(owner(e), owner)
    };
    (0..context.elements.len()).map(|e| if written(&e) { owner(e) } else { beside(e) }).collect()
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>, index: usize, owners: &mut Owners) -> Draft {
    let name = table.read(&NAME);
    if let Some(name) = &name {
        context.check_name(&name.value, name.span.clone());
    }
    let name = name.unwrap_or_else(|| Spanned::new(format!("substructure {}", index + 1), table.span()));
    for item in table.read(&ELEMENTS).map_or_else(Vec::new, |l| listed(context, l)) {
        take_elements(context, &item, (index, "substructures"), owners);
    }
    let nodes = table.read(&NODES).map_or_else(Vec::new, |l| listed(context, l));
    let own_scheme =
        table.has(&SCHEME).then(|| analysis::scheme(context, Some(table), &SCHEME, &Overrides::default())).flatten();
    let (interface_mass, mass_span) = shares(context, table);
    context.places.substructures.push(name.span.clone());
    context.places.interface_masses.push(mass_span.unwrap_or_else(|| name.span.clone()));
    Draft {
        scheme: own_scheme,
        tangent: table.read(&TANGENT).map(|t| t.value.0),
        substeps: table.value(&SUBSTEPS) as u32,
        parts: table.read(&PARTS).map_or_else(|| Spanned::new(1, 0..0), |n| Spanned::new(n.value as usize, n.span)),
        fine: table.read(&SIDE).map(|s| s.value.0),
        rest: !table.has(&ELEMENTS) && !table.has(&NODES),
        nodes: nodes.iter().filter_map(|n| mobile_node(context, n)).collect(),
        interface_mass,
        name,
    }
}

/// A list that must not be empty.
fn listed(context: &Context<'_>, list: Spanned<Vec<Spanned<String>>>) -> Vec<Spanned<String>> {
    if list.value.is_empty() {
        let help = "add a name, or remove the key: a substructure without `elements` and `nodes` contains everything \
            not listed elsewhere";
        context.error(list.span, "this list is empty", help);
    }
    list.value
}

/// A node that is not the ground.
fn mobile_node(context: &Context<'_>, name: &Spanned<String>) -> Option<usize> {
    if name.value == GROUND {
        let message = "`ground` belongs to every substructure";
        context.error(name.span.clone(), message, "remove it: elements to the ground need no list");
        return None;
    }
    context.node(name)
}

/// Gives the elements that an item of a list names to number `index` of `what`.
pub(super) fn take_elements(
    context: &Context<'_>,
    item: &Spanned<String>,
    (index, what): (usize, &str),
    owners: &mut Owners,
) {
    let stem = item.value.strip_suffix('*');
    if stem.unwrap_or(&item.value).contains('*') {
        let message = format!("`{}` has a `*` that is not at its end", item.value);
        context.error(item.span.clone(), message, "a trailing * matches any ending: \"iso-*\"; name others in full");
        return;
    }
    let matches = |name: &str| stem.map_or(name == item.value, |stem| name.starts_with(stem));
    let found: Vec<usize> = (0..context.elements.len()).filter(|&e| matches(&context.elements[e].name)).collect();
    if found.is_empty() {
        return nothing_matches(context, item, stem.is_some(), matches);
    }
    let mut overlap = None;
    for e in found {
        match owners.get(&e) {
            Some((other, place)) if *other != index => {
                overlap.get_or_insert((e, place.clone()));
            }
            _ => {
                owners.insert(e, (index, item.span.clone()));
            }
        }
    }
    if let Some((e, place)) = overlap {
        let message = format!("element `{}` belongs to two {what}", context.elements[e].name);
        let d = Diagnostic::error(message, item.span.clone()).also(place, "first listed here");
        context.diags.push(d.help("list each element once"));
    }
}

/// Reports an item that names no element, unless it may mean one that could not be read.
fn nothing_matches(context: &Context<'_>, item: &Spanned<String>, pattern: bool, matches: impl Fn(&str) -> bool) {
    let is_load = |name: &str| context.load_dimensions.contains_key(name) || context.imposed.contains(name);
    let is_node = |name: &str| context.node_index.contains_key(name);
    let unread = |name: &String| matches(name) && !is_node(name) && !is_load(name);
    if context.names_unknown || context.names.keys().any(unread) {
        return;
    }
    let name = &item.value;
    let elements = || context.elements.iter().map(|e| e.name.as_str());
    let (message, help) = if pattern {
        let some: Vec<&str> = elements().take(5).collect();
        (format!("no element matches `{name}`"), format!("elements are {}, ...", some.join(", ")))
    } else if is_node(name) {
        (format!("`{name}` is a node, not an element"), format!("write nodes = [\"{name}\"]"))
    } else {
        let help = suggest(name, elements()).map_or_else(
            || "name an element of this file; a trailing * matches any ending".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        (format!("there is no element `{name}`"), help)
    };
    context.error(item.span.clone(), message, help);
}

/// `interface_mass`: one share, or a table by node; and its place.
fn shares(context: &Context<'_>, table: &Table<'_>) -> (Shares, Option<Range<usize>>) {
    let Some(given) = table.read(&INTERFACE_MASS) else { return (Shares::default(), None) };
    let shares = match given.value {
        Either::First(share) => Shares::All(share),
        Either::Second(inner) => {
            let mut list = Vec::new();
            for key in inner.keys() {
                let share = inner.entry(&key.value, &Pure, SHARE);
                list.extend(mobile_node(context, &key).zip(share.map(|s| s.value)));
            }
            inner.finish();
            Shares::ByNode(list)
        }
    };
    (shares, Some(given.span))
}

/// CouplingMethod and options; without `[coupling]` it is left open, and the `other` one of the command line comes before all.
fn read_coupling(context: &Context<'_>, table: Option<Table<'_>>, other: Option<&str>) -> Option<Coupling> {
    let Some(table) = table else {
        let name = Spanned::new(other.unwrap_or(COUPLINGS[0].name).to_owned(), 0..0);
        let choice = if other.is_some() { Chosen::Named } else { Chosen::Open };
        return make_coupling(context, name, &[], Constraints::Tree).map(|c| Coupling { choice, ..c });
    };
    let name = table.read(&METHOD);
    let constraints = table.value(&CONSTRAINTS).0;
    let given = arguments(&table, &[METHOD.name, CONSTRAINTS.name]);
    table.finish();
    let (name, given) = (name?, given?);
    match other {
        // Parameters of the file belong to the method of the file.
        Some(other) if other != name.value => {
            make_coupling(context, Spanned::new(other.to_owned(), 0..0), &[], constraints)
        }
        _ => make_coupling(context, name, &given, constraints),
    }
}

fn make_coupling(
    context: &Context<'_>,
    name: Spanned<String>,
    given: &[Placed],
    constraints: Constraints,
) -> Option<Coupling> {
    let Some(info) = find(&name.value) else {
        let names: Vec<&str> = COUPLINGS.iter().map(|m| m.name).collect();
        let help = did_you_mean(&name.value, names.iter().copied())
            .unwrap_or_else(|| format!("couplings are {}", names.join(", ")));
        context.diags.push(arguments::at(&name.span, format!("there is no coupling `{}`", name.value)).help(help));
        return None;
    };
    match build_entry(("coupling", info.name), info.parameters, info.build, &pairs(given)) {
        Ok(method) => Some(Coupling { info, method, constraints, choice: Chosen::Named }),
        Err(mut errors) => {
            let replaced = errors.iter_mut().filter(|e| e.0.as_deref() == Some("mix"));
            for (_, _, help) in replaced.filter(|_| info.parameters.iter().any(|p| p.name == "tie")) {
                *help =
                    "`tie` has taken its place, without its loss of accuracy: remove `mix` (tie = 0.5 is the default)"
                        .to_owned();
            }
            arguments::report(context, &name, given, errors);
            None
        }
    }
}

/// Scheme and tangents of a substructure under a coupling: its own, those of the analysis if written, or what the coupling
/// works best with.
fn settle(
    context: &Context<'_>,
    draft: &Draft,
    coupling: &Coupling,
    analysis: &Analysis,
    written: Written,
) -> Option<(String, AnyScheme, TangentPolicy)> {
    let info = coupling.info;
    let (name, scheme) = match &draft.scheme {
        Some(own) => own.clone(),
        // A coupling of the command line brings its own scheme where that of the file does not suit it.
        None if written.scheme && (!written.recoupled || info.schemes.contains(&analysis.scheme)) => {
            (analysis.scheme_name.clone(), analysis.scheme)
        }
        None => (info.scheme.to_owned(), analysis::scheme_from_text(info.scheme, &[]).ok()?),
    };
    if !info.schemes.contains(&scheme) {
        let message = format!("coupling `{}` needs {}, not `{name}`", info.name, info.schemes.words());
        let help = format!("remove `scheme`: substructure `{}` then uses `{}`", draft.name.value, info.scheme);
        context.error(draft.name.span.clone(), message, help);
    }
    let tangent = draft.tangent.or(written.tangent.then_some(analysis.tangent));
    let tangent = match (info.level, tangent) {
        (Level::Mass, tangent) => tangent.unwrap_or_default(),
        (Level::Constant, None) => TangentPolicy::Initial,
        (Level::Constant, Some(TangentPolicy::Exact)) => {
            let message =
                format!("coupling `{}` computes its operators only once and cannot use the exact tangent", info.name);
            let help = "write tangent = \"initial\", or \"given\" with estimates";
            context.error(draft.name.span.clone(), message, help);
            TangentPolicy::Initial
        }
        (Level::Constant, Some(other)) => other,
    };
    Some((name, scheme, tangent))
}

/// What `[analysis]` (or the command line) says itself.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) scheme: bool,
    pub(super) tangent: bool,
    /// The command line asks for another coupling, and for no scheme.
    pub(super) recoupled: bool,
}

/// Which substructures stand on the fine side: as written; else those with substeps; else all but the first.
fn sides(drafts: &[Draft]) -> Vec<bool> {
    let substeps = drafts.iter().any(|d| d.substeps > 1);
    let fine = |(i, d): (usize, &Draft)| d.fine.unwrap_or(if substeps { d.substeps > 1 } else { i > 0 });
    drafts.iter().enumerate().map(fine).collect()
}

/// Whether the coupling can work with these sides and their substeps.
fn check_sides(context: &Context<'_>, drafts: &[Draft], fine: &[bool], coupling: &Coupling) {
    for (d, _) in drafts.iter().zip(fine).filter(|(d, fine)| d.substeps > 1 && !**fine) {
        let message = format!("substructure `{}` has substeps but is on the coarse side", d.name.value);
        context.error(d.name.span.clone(), message, "remove `side` or `substeps`");
    }
    let all_alike = |want: bool| fine.iter().all(|f| *f == want);
    if drafts.len() > 1 && coupling.info.sided && (all_alike(true) || all_alike(false)) {
        let message = format!(
            "coupling `{}` needs a coarse and a fine side, but all substructures are on one side",
            coupling.info.name
        );
        context.error(drafts[0].name.span.clone(), message, "write side = \"coarse\" or \"fine\" in one of them");
    }
    if coupling.info.one_rate {
        let mut counts = drafts.iter().zip(fine).filter(|(_, fine)| **fine).map(|(d, _)| d);
        if let Some(first) = counts.next()
            && let Some(other) = counts.find(|d| d.substeps != first.substeps)
        {
            let message = format!(
                "with coupling `{}`, all substructures of the fine side must have the same substeps",
                coupling.info.name
            );
            let help = format!(
                "`{}` has {}, `{}` has {}; only plsrt2, staggered and midpoint need the same",
                first.name.value, first.substeps, other.name.value, other.substeps
            );
            context.error(other.name.span.clone(), message, help);
        }
    }
}
