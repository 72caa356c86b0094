//! `modelDescription.xml` and `buildDescription.xml` of a unit.
//!
//! Value references are those of `c/wrap_host.c`: the time, parameters, the switch of the motion, inputs, outputs.

use std::fmt::Write;

use interfield_language::units::Unit;

use super::{Port, Ports};
use crate::Interface;
use crate::api::GENERATOR;

/// The version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fmi {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

/// The switch that lets a host give the motion.
const SWITCH: &str = "motion_from_inputs";

/// How a variable behaves, in the words of the standard.
struct Manner {
    causality: &'static str,
    variability: &'static str,
    start: bool,
}

const PARAMETER: Manner = Manner { causality: "parameter", variability: "fixed", start: true };
const INPUT: Manner = Manner { causality: "input", variability: "continuous", start: true };
const OUTPUT: Manner = Manner { causality: "output", variability: "continuous", start: false };

/// `modelDescription.xml`.
pub(super) fn model_description(face: &Interface, ports: &Ports, fmi: Fmi, token: &str, sources: &[&str]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let title = escape(&face.title);
    let about = escape(&format!("{}, scheme {}, step {} s. {}", face.title, face.scheme, face.dt, face.origin.line()));
    let hash = &face.origin.sha256;
    let (version, key) = match fmi {
        Fmi::Two => ("2.0", "guid"),
        Fmi::Three => ("3.0", "instantiationToken"),
    };
    let _ = writeln!(
        out,
        "<fmiModelDescription fmiVersion=\"{version}\" modelName=\"{title}\" {key}=\"{token}\"\n  \
         description=\"{about}\" version=\"{hash}\"\n  generationTool=\"{GENERATOR}\" variableNamingConvention=\"flat\">"
    );
    let name = &face.name;
    let step = super::interval(face);
    // A specimen answers one command per communication step.
    let variable = face.commands.is_empty();
    match fmi {
        Fmi::Two => {
            let _ = writeln!(
                out,
                "  <CoSimulation modelIdentifier=\"{name}\" canHandleVariableCommunicationStepSize=\"{variable}\"\n    \
                 canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\">\n    <SourceFiles>"
            );
            for file in sources {
                let _ = writeln!(out, "      <File name=\"{file}\"/>");
            }
            out += "    </SourceFiles>\n  </CoSimulation>\n";
        }
        Fmi::Three => {
            let _ = writeln!(
                out,
                "  <CoSimulation modelIdentifier=\"{name}\" canHandleVariableCommunicationStepSize=\"{variable}\"\n    \
                 canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" fixedInternalStepSize=\"{step:?}\"/>"
            );
        }
    }
    out += &unit_definitions(ports);
    out += "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n";
    let stop = face.dt * face.steps as f64;
    let _ = writeln!(out, "  <DefaultExperiment startTime=\"0\" stopTime=\"{stop:?}\" stepSize=\"{step:?}\"/>");
    out += "  <ModelVariables>\n";
    let outputs = variables(&mut out, ports, fmi);
    out += "  </ModelVariables>\n  <ModelStructure>\n";
    match fmi {
        // By the place in the list, counted from 1.
        Fmi::Two => {
            for group in ["Outputs", "InitialUnknowns"] {
                let _ = writeln!(out, "    <{group}>");
                for reference in outputs.clone() {
                    let _ = writeln!(out, "      <Unknown index=\"{}\"/>", reference + 1);
                }
                let _ = writeln!(out, "    </{group}>");
            }
        }
        Fmi::Three => {
            for group in ["Output", "InitialUnknown"] {
                for reference in outputs.clone() {
                    let _ = writeln!(out, "    <{group} valueReference=\"{reference}\"/>");
                }
            }
        }
    }
    out += "  </ModelStructure>\n</fmiModelDescription>\n";
    out
}

/// All variables; the references of the outputs.
fn variables(out: &mut String, ports: &Ports, fmi: Fmi) -> std::ops::Range<usize> {
    match fmi {
        Fmi::Two => {
            *out += "    <ScalarVariable name=\"time\" valueReference=\"0\" causality=\"independent\" \
                     variability=\"continuous\">\n      <Real unit=\"s\"/>\n    </ScalarVariable>\n";
        }
        Fmi::Three => {
            *out += "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" \
                     variability=\"continuous\" unit=\"s\"/>\n";
        }
    }
    for (i, port) in ports.parameters.iter().enumerate() {
        variable(out, port, &PARAMETER, 1 + i, fmi);
    }
    let switch = 1 + ports.parameters.len();
    let about = "Whether the motion comes from the inputs instead of the model file; an input set before a step is \
        the value at the end of the step";
    let _ = match fmi {
        Fmi::Two => writeln!(
            out,
            "    <ScalarVariable name=\"{SWITCH}\" valueReference=\"{switch}\" causality=\"parameter\" \
             variability=\"fixed\"\n      description=\"{about}\">\n      <Boolean start=\"false\"/>\n    </ScalarVariable>"
        ),
        Fmi::Three => writeln!(
            out,
            "    <Boolean name=\"{SWITCH}\" valueReference=\"{switch}\" causality=\"parameter\" \
             variability=\"fixed\"\n      description=\"{about}\" start=\"false\"/>"
        ),
    };
    for (i, port) in ports.inputs.iter().enumerate() {
        variable(out, port, &INPUT, switch + 1 + i, fmi);
    }
    let first = switch + 1 + ports.inputs.len();
    for (i, port) in ports.outputs.iter().enumerate() {
        variable(out, port, &OUTPUT, first + i, fmi);
    }
    first..first + ports.outputs.len()
}

fn variable(out: &mut String, port: &Port, manner: &Manner, reference: usize, fmi: Fmi) {
    let (name, about) = (escape(&port.name), escape(&port.about));
    let initial = if manner.start { "" } else { " initial=\"calculated\"" };
    let unit = port.unit.as_ref().map_or(String::new(), |u| format!(" unit=\"{}\"", escape(u)));
    let start = if manner.start { format!(" start=\"{:?}\"", port.start) } else { String::new() };
    let head = format!(
        "name=\"{name}\" valueReference=\"{reference}\" causality=\"{}\" variability=\"{}\"{initial}\n      \
         description=\"{about}\"",
        manner.causality, manner.variability
    );
    let _ = match fmi {
        Fmi::Two => writeln!(out, "    <ScalarVariable {head}>\n      <Real{unit}{start}/>\n    </ScalarVariable>"),
        Fmi::Three => writeln!(out, "    <Float64 {head}{unit}{start}/>"),
    };
}

/// Every unit in use, by its powers of base units where it has whole ones.
fn unit_definitions(ports: &Ports) -> String {
    let all = ports.parameters.iter().chain(&ports.inputs).chain(&ports.outputs);
    let mut units: Vec<&str> = all.filter_map(|p| p.unit.as_deref()).chain(["s"]).collect();
    units.sort_unstable();
    units.dedup();
    let mut out = String::from("  <UnitDefinitions>\n");
    for unit in units {
        let base = Unit::parse(unit).ok().and_then(|u| base_unit(unit, &u)).unwrap_or_default();
        let _ = writeln!(out, "    <Unit name=\"{}\">{base}</Unit>", escape(unit));
    }
    out + "  </UnitDefinitions>\n"
}

fn base_unit(text: &str, unit: &Unit) -> Option<String> {
    let mut out = String::from("<BaseUnit");
    for (name, power) in [("kg", unit.dim.mass), ("m", unit.dim.length), ("s", unit.dim.time)] {
        if power.fract() != 0.0 {
            return None;
        }
        if power != 0.0 {
            let _ = write!(out, " {name}=\"{}\"", power as i64);
        }
    }
    // Model files count angles as numbers, FMI by the radian.
    if text.split(|c: char| !c.is_alphanumeric()).next() == Some("rad") {
        out += " rad=\"1\"";
    }
    // Powers of factors round: a thousandth to the third is written as such.
    let factor: f64 = format!("{:.14e}", unit.factor).parse().unwrap_or(unit.factor);
    if factor != 1.0 {
        let _ = write!(out, " factor=\"{factor:?}\"");
    }
    Some(out + "/>")
}

/// `sources/buildDescription.xml` of FMI 3.0.
pub(super) fn build_description(face: &Interface, sources: &[&str]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  \
         <BuildConfiguration modelIdentifier=\"{}\">\n    <SourceFileSet language=\"C99\" \
         compilerOptions=\"-ffp-contract=off\">\n",
        face.name
    );
    for file in sources {
        let _ = writeln!(out, "      <SourceFile name=\"{file}\"/>");
    }
    out + "    </SourceFileSet>\n    <Library name=\"m\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n"
}

/// A text in an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
