//! Hosts around the generated C: FMI, Simulink, TwinCAT. A wrapper knows the C by its [`Interface`] only.
//!
//! ```text
//! c/wrap_call.c  one call: motion from the model file or from outside, forces of specimens       c/wrap_twincat.*
//! c/wrap_host.c  numbers by reference, faults in words                                          c/wrap_simulink.*
//! c/wrap_fmi.c   communication steps of any length, states; inside of                           c/wrap_fmi2.c, c/wrap_fmi3.c
//! ```
//!
//! **Must not be here:** how a step is computed; files, compilers (the command line runs them).

mod description;
pub mod fmu;
pub mod simulink;
pub mod twincat;

use std::fmt::Write;

use crate::{Export, Interface, Variable};

/// Units that say nothing, or nothing that a host could use.
const NO_UNITS: [&str; 4] = ["", "1", "-", "SI"];

/// A number that a host sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Port {
    /// A name that no other port has.
    pub(crate) name: String,
    /// Its unit, in the notation of model files.
    pub(crate) unit: Option<String>,
    /// What it is, in a few words.
    pub(crate) about: String,
    /// Its value before anybody sets it.
    pub(crate) start: f64,
}

/// The ports of an export, each group in the order of its table in the header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ports {
    pub(crate) parameters: Vec<Port>,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
}

impl Ports {
    /// Inputs end with `.input`: a motion is often a channel of the same name as well.
    pub(crate) fn new(interface: &Interface) -> Self {
        let mut taken: Vec<String> = Vec::new();
        let mut group = |variables: &[Variable], ending: &str, about: &dyn Fn(&str) -> String| {
            let port = |v: &Variable| {
                let wanted = format!("{}{ending}", v.name);
                let mut name = wanted.clone();
                let mut count = 1;
                while taken.contains(&name) {
                    count += 1;
                    name = format!("{wanted}_{count}");
                }
                taken.push(name.clone());
                let unit = (!NO_UNITS.contains(&v.unit())).then(|| v.unit().to_owned());
                Port { name, unit, about: about(&v.name), start: v.value }
            };
            variables.iter().map(port).collect::<Vec<_>>()
        };
        let mut outputs = group(&interface.outputs, "", &|name| format!("channel {name} at the end of a step"));
        outputs.extend(group(&interface.commands, ".command", &|name| format!("displacement for {name}")));
        let parameters = group(&interface.parameters, "", &|name| match name.rsplit_once('.') {
            Some((motion, "scale")) => format!("factor on the motion {motion} of the model file"),
            Some((element, law)) if law != "initial" => format!("{law} of {element}"),
            _ => "value at the start".to_owned(),
        });
        let mut inputs = group(&interface.inputs, ".input", &|name| format!("{name} at the end of the coming step"));
        // What is measured is a place and a force for each command; the place is the command's.
        let forces = &interface.measured[interface.commands.len().min(interface.measured.len())..];
        inputs.extend(group(forces, ".input", &|name| format!("{name}, the response to the last command")));
        Ports { parameters, inputs, outputs }
    }
}

/// What every host needs, without the C library.
fn call(interface: &Interface) -> String {
    interface.named(&include_str!("../../c/wrap_call.c").replace("@CALLS@", &calls(interface).to_string()))
}

/// What FMI and Simulink share besides.
fn host(interface: &Interface) -> String {
    let include = format!("#include \"{}.h\"\n\n", interface.name);
    [&include, &call(interface), "\n", &interface.named(include_str!("../../c/wrap_host.c"))].concat()
}

/// Calls of `NAME_step` per step of the model: a specimen is commanded at every evaluation.
fn calls(interface: &Interface) -> usize {
    if interface.commands.is_empty() { 1 } else { interface.evaluations.max(1) }
}

/// Time between two calls (s).
fn interval(interface: &Interface) -> f64 {
    interface.dt / calls(interface) as f64
}

/// `NAME.c` and `NAME.h`.
fn model_files(export: &Export) -> Vec<(String, String)> {
    let name = &export.interface.name;
    let wanted = [format!("{name}.c"), format!("{name}.h")];
    export.files.iter().filter(|(n, _)| wanted.contains(n)).cloned().collect()
}

/// The ports as tables of a page, counted from 1 as vectors are there.
fn tables(ports: &Ports) -> String {
    let mut out = String::new();
    for (title, list) in [("Inputs", &ports.inputs), ("Outputs", &ports.outputs), ("Parameters", &ports.parameters)] {
        let _ = writeln!(out, "## {title}\n");
        if list.is_empty() {
            out += "None.\n\n";
            continue;
        }
        out += "| | name | unit | start |\n|---|---|---|---|\n";
        for (i, port) in list.iter().enumerate() {
            let unit = port.unit.as_deref().unwrap_or("");
            let start = if title == "Outputs" { String::new() } else { format!("{:?}", port.start) };
            let _ = writeln!(out, "| {} | `{}` | {unit} | {start} |", i + 1, port.name);
        }
        out.push('\n');
    }
    out.trim_end().to_owned()
}
