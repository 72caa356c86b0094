//! `[[external]]`: parts of the structure that other programs compute. Each becomes an element, its linear stand-in, that
//! substructures and channels refer to by its name.

use super::elements::listed;
use super::matrices::{Matrix, flat, rows};
use super::{Context, fmu, units};
use crate::diag::did_you_mean;
use crate::external::{ENDPOINTS, Endpoint, External, Program, TYPE};
use crate::key::{Kind as _, *};
use crate::model::{Element, Kind, Support};
use crate::quantity::Scope;
use crate::reader::{Spanned, Table};
use crate::units::{Dimension, UnitSystem};

section! {
    /// A part that another program computes.
    pub(super) EXTERNAL = ("external", "[[external]]", "A part of the structure that another program computes. It \
        advances once per step and is never reset.")
        .variants(|| PROGRAMS.iter().map(|p| p.variant(PROGRAM.name)).collect());
    NAME: Text = key("name", "Its name, used by substructures and channels.").required().example("frame");
    DOFS: List<Text> = key("dofs", "Its degrees of freedom, in the order that the program \
        uses.").required().example("[\"roof.x\"]");
    UNITS: Inner = table("units", &units::UNITS, "Units of the program; for an FMU, the units of variables that \
        declare none.")
        .example("{ length = \"mm\", force = \"kN\" }");
    STIFFNESS: Or<Rows, Text> = key("stiffness", "Stiffness of the linear substitute that the scheme uses: a matrix \
        in the units of the file, the name of a Matrix Market file, or \"identify\": small displacements before the \
        run.")
        .default(IDENTIFY).example("[[4000]]");
    PROBE: EachDof<Stroke> = key("probe", "Displacement of each degree of freedom to identify the stiffness: one \
        number, or one for each.").range(POSITIVE).default("0.001 mm").example("0.01 mm");
    DAMPED: Flag = key("damped", "Whether the stiffness of the linear substitute is included in Rayleigh \
        damping.").default("true").example("false");
}

/// One quantity for all degrees of freedom, or one for each.
type EachDof<M> = Or<M, List<M>>;

/// A program.
type ProgramType = Type<fn(&Context<'_>, &Table<'_>, &[usize]) -> Option<Program>>;

/// The key that chooses a program.
const PROGRAM: Key<Named> = of(Named(programs), "program", "The program.").required();

/// All programs: one entry each.
const PROGRAMS: [ProgramType; 5] = [
    Type::new("opensees", "An OpenSees script with one element `adapter`.", &[PROCESS, OPENSEES], opensees),
    Type::new("openfresco", "A site of OpenFresco that waits for a client.", &[PROCESS], |_, _, _| {
        Some(Program::OpenFresco)
    }),
    Type::new("ut-sim", "A substructure of UT-SIM that waits for a client.", &[PROCESS], |_, _, _| {
        Some(Program::UtSim)
    }),
    Type::new(
        FMU,
        "A functional mock-up unit (FMI 2.0 or 3.0, co-simulation) in a file.",
        &[fmu::KEYS],
        |context, table, dofs| fmu::read(context, table, dofs).map(Program::Fmu),
    ),
    Type::new(CALLABLE, "A function of the program that runs the model, such as a Python script.", &[], |_, _, _| {
        Some(Program::Callable)
    }),
];

/// The programs that are not processes.
const FMU: &str = "fmu";
const CALLABLE: &str = "callable";

section! {
    [PROCESS];
    COMMAND: List<Text> = key("command", "Command that starts it, in the folder of the model file; if absent, the \
        program must be running.")
        .example("[\"python3\", \"frame.py\"]");
    AT: Text = key("at", "Address at which it listens, tcp://HOST:PORT or udp://HOST:PORT; a program that is started \
        here gets a free port of this machine.")
        .example("tcp://127.0.0.1:8095");
    START: Time = key("start", "Longest time until the program accepts a connection.").range(POSITIVE).default("30 \
        s").example("1 min");
    TIMEOUT: Time = key("timeout", "Longest time until the program answers.").range(POSITIVE).default("5 \
        s").example("5 s");
}

section! {
    [OPENSEES];
    ADAPTER_STIFFNESS: EachDof<Tangent> = key("adapter_stiffness", "Stiffness of the element `adapter` of the script \
        (-stif), one number or one for each degree of freedom. Its flexibility is \
        corrected.").required().range(POSITIVE).example("1e7 kN/m");
}

/// The word that asks for the stiffness of a program.
const IDENTIFY: &str = "identify";

fn programs() -> Vec<&'static str> {
    PROGRAMS.iter().map(|p| p.name).collect()
}

/// Reads all `[[external]]`, before what refers to elements.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) -> Vec<External> {
    let mut externals = Vec::new();
    for table in root.all(&super::EXTERNAL) {
        let found = read_one(context, &table);
        context.contact.borrow_mut().settle(found.is_some());
        externals.extend(found);
        table.finish();
    }
    externals
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) -> Option<External> {
    let name = table.read(&NAME);
    if let Some(name) = &name {
        context.declare(&name.value, name.span.clone());
    }
    let coordinates = listed(context, table, &DOFS, None);
    let dofs: Option<Vec<usize>> = coordinates.map(|c| c.into_iter().map(|c| c[0].0).collect());
    let known = dofs.as_deref().unwrap_or_default();
    let program = program(context, table, known);
    let units = table.open(&UNITS).map_or_else(|| Some(UnitSystem::si()), units::read);
    // By its word: what is wrong with a unit does not make it a process.
    let inside =
        table.is_string(&PROGRAM) && table.read(&PROGRAM).is_some_and(|p| [FMU, CALLABLE].contains(&&*p.value));
    let Contact { command, at, start, timeout } = if inside { Contact::default() } else { contact(context, table) };
    let damped = table.value(&DAMPED);
    let amounts = per_dof(context, table, &PROBE, known);
    let stiffness = stiffness(context, table, known);
    let (name, dofs, stiffness) = (name?, dofs?, stiffness?);
    // Not a number as long as it is not known: it acts on all its degrees of freedom, and cannot be computed with.
    let (matrix, probe) = match stiffness {
        Some(matrix) => (matrix, None),
        None => (vec![f64::NAN; dofs.len() * dofs.len()], Some(amounts?)),
    };
    let element = context.elements.len();
    context.places.stiffnesses.push(name.span.clone());
    context.places.dashpots.push(name.span.clone());
    context.places.elements.push(name.span);
    context.elements.push(Element {
        name: name.value.clone(),
        type_name: TYPE.to_owned(),
        kind: Kind::Linear { dofs: dofs.clone(), mass: Vec::new(), damping: Vec::new(), stiffness: matrix },
        damped,
        given: None,
        s0: Vec::new(),
        written_on: Vec::new(),
        inside: false,
    });
    let (program, units, name) = (program?, units?, name.value);
    Some(External { name, element, dofs, program, command, at, units, start, timeout, probe })
}

/// How a process is started and reached.
#[derive(Default)]
struct Contact {
    command: Vec<String>,
    at: Option<Endpoint>,
    start: f64,
    timeout: f64,
}

/// The keys of a program that is a process.
fn contact(context: &Context<'_>, table: &Table<'_>) -> Contact {
    let words = table.read(&COMMAND).map_or_else(Vec::new, |l| l.value);
    let command: Vec<String> = words.into_iter().map(|word| word.value).collect();
    if command.first().is_some_and(|c| c.trim().is_empty()) || (command.is_empty() && table.has(&COMMAND)) {
        let help = "write the program and its arguments: command = [\"python3\", \"frame.py\"]";
        context.error(table.place(&COMMAND), "this command is empty", help);
    }
    let at = table.read(&AT).and_then(|text| endpoint(context, &text));
    if !table.has(&AT) && !table.has(&COMMAND) {
        let help = "write `command` for a program to start, or `at` for a program that is already running";
        context.error(table.span(), "this external has neither a `command` nor an address `at`", help);
    }
    Contact { command, at, start: table.value(&START), timeout: table.value(&TIMEOUT) }
}

/// `program`, and the keys that only one of them has.
fn program(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Program> {
    let name = table.read(&PROGRAM)?;
    if let Some(program) = PROGRAMS.iter().find(|p| p.name == name.value) {
        return (program.read)(context, table, dofs);
    }
    let names = programs();
    let help = did_you_mean(&name.value, names.iter().copied())
        .unwrap_or_else(|| format!("programs are {}", names.join(", ")));
    // Keys of a program that is not known cannot be judged.
    table.ignore_all();
    context.error(name.span, format!("unknown program `{}`", name.value), help);
    None
}

fn opensees(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Program> {
    if !table.has(&ADAPTER_STIFFNESS) {
        let help = "write the value of -stif of the element `adapter`, with its unit: adapter_stiffness = \"1e7 kN/m\"";
        context.error(table.place(&PROGRAM), "missing key `adapter_stiffness` of an OpenSees script", help);
    }
    Some(Program::OpenSees { adapter: per_dof(context, table, &ADAPTER_STIFFNESS, dofs)? })
}

/// `at`: where the program listens.
fn endpoint(context: &Context<'_>, text: &Spanned<String>) -> Option<Endpoint> {
    Endpoint::parse(&text.value).map_err(|message| context.error(text.span.clone(), message, ENDPOINTS)).ok()
}

/// `stiffness`: `Some(None)` where it is to be identified.
fn stiffness(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Option<Vec<f64>>> {
    let n = dofs.len();
    let matrix = match rows(context, table, &STIFFNESS, IDENTIFY)? {
        Matrix::Word => return Some(None),
        Matrix::Rows(matrix) => matrix,
    };
    if n == 0 {
        return None;
    }
    let dim = |i: usize, j: usize| context.force(dofs[i]).per(context.disp(dofs[j]));
    let flat = flat(context, STIFFNESS.name, &matrix, (n, n), |i, j| context.scope.units.factor(dim(i, j)))?;
    Some(Some(flat))
}

/// A quantity for all degrees of freedom, if they are of one kind, or a list with one for each; its default if it is absent.
fn per_dof<M: Measure>(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &Key<EachDof<M>>,
    dofs: &[usize],
) -> Option<Vec<f64>> {
    let dim = |d: usize| key.kind.0.dimension(context.disp(d));
    let Some(first) = dofs.first().map(|&d| dim(d)) else {
        // Its dimension is not known.
        table.ignore(key);
        return None;
    };
    let place = Place { name: key.name, doc: "", example: None, range: POSITIVE };
    let Some(item) = table.get(key.name) else {
        // As much in rad as it is in m.
        let usual = Scope::default().quantity(key.default_text(), key.kind.0.dimension(Dimension::LENGTH)).ok()?;
        return Some(vec![usual; dofs.len()]);
    };
    let Some(list) = item.get_ref().as_array() else {
        let one = Measured(first).read(table, place, item)?;
        if dofs.iter().any(|&d| dim(d) != first) {
            let message = format!("a single `{}` cannot apply to both translations and rotations", key.name);
            context.error(item.span(), message, "write a list with one for each degree of freedom, in their order");
            return None;
        }
        return Some(vec![one; dofs.len()]);
    };
    if list.len() != dofs.len() {
        let message = format!("`{}` has {} numbers for {} degrees of freedom", key.name, list.len(), dofs.len());
        context.error(item.span(), message, "write one for each, in their order");
        return None;
    }
    let each: Vec<Option<f64>> = list.iter().zip(dofs).map(|(x, &d)| Measured(dim(d)).read(table, place, x)).collect();
    each.into_iter().collect()
}

/// What can be said once supports and their motions are known: a program has forces where the structure is free.
pub(super) fn check(context: &Context<'_>, externals: &[External]) {
    for external in externals {
        let place = || context.places.elements[external.element].clone();
        for &d in &external.dofs {
            let name = &context.dofs[d].name;
            match &context.dofs[d].support {
                Support::Imposed(_) if !context.drives(d) => {
                    let message = format!("`{name}` has an imposed motion, which cannot be passed to the program");
                    let help = "impose the motion in the program, or place an element between the two";
                    context.error(place(), message, help);
                }
                Support::Fixed => {
                    let message = format!("`{name}` is fixed, so the program cannot act on it");
                    context.error(place(), message, "remove it from `dofs`");
                }
                Support::Follows(_) => {
                    let message = format!("`{name}` follows other nodes, which the program does not know");
                    context.error(place(), message, "name the node that leads");
                }
                Support::Free | Support::Imposed(_) => {}
            }
        }
    }
}
