//! An export for TwinCAT: a cycle in C, glue for a C++ module, and its interface in structured text.

use std::fmt::Write;

use super::description::escape;
use super::{Port, Ports, tables};
use crate::api::stamped;
use crate::text::identifier;
use crate::{Export, Interface};

/// The files around `NAME.c` and `NAME.h`, and these.
pub fn files(export: &Export) -> Vec<(String, String)> {
    let interface = &export.interface;
    let ports = Ports::new(interface);
    let (name, upper) = (&interface.name, interface.name.to_uppercase());
    let length = |list: &[Port]| list.len().max(1).to_string();
    let fill = |text: &str| {
        let text = text
            .replace("@TITLE@", &interface.title.replace("*/", ""))
            .replace("@DT@", &format!("{:?}", super::interval(interface)))
            .replace("@PARAMETERS@", &length(&ports.parameters))
            .replace("@INPUTS@", &length(&ports.inputs))
            .replace("@OUTPUTS@", &length(&ports.outputs))
            .replace("@TABLES@", &tables(&ports));
        interface.named(&text)
    };
    let source =
        format!("#include \"{name}_plc.h\"\n\n{}{}", super::call(interface), include_str!("../../c/wrap_twincat.c"));
    let mut files = super::model_files(export);
    files.extend([
        (format!("{name}_plc.c"), fill(&source)),
        (format!("{name}_plc.h"), fill(include_str!("../../c/wrap_twincat.h"))),
        (format!("{name}_module.hpp"), fill(include_str!("../../c/wrap_twincat.hpp"))),
        (
            format!("ST_{upper}_IN.TcDUT"),
            data_type(&format!("ST_{upper}_IN"), INTO, &[&ports.parameters, &ports.inputs]),
        ),
        (format!("ST_{upper}_OUT.TcDUT"), data_type(&format!("ST_{upper}_OUT"), OUT, &[&ports.outputs])),
        (format!("FB_{upper}.TcPOU"), function_block(interface, &upper)),
        ("README.md".to_owned(), fill(include_str!("../../c/wrap_twincat.md"))),
    ]);
    stamped(files, &interface.origin)
}

/// Members before the numbers, as in `c/wrap_twincat.h`.
const INTO: &[(&str, &str, &str)] = &[
    ("nRun", "UDINT", "1: run; a change from 0 to 1 restarts it"),
    ("nMotionFromInputs", "UDINT", "1: the motion comes from the members below, 0: from the model file"),
    ("nUseParameters", "UDINT", "1: the parameters below are used at the start, 0: the defaults"),
    ("nReserved", "UDINT", ""),
];
const OUT: &[(&str, &str, &str)] = &[
    ("nState", "UDINT", "0: idle, 1: running, 2: fault"),
    ("nFault", "DINT", "fault code, see the header of the model"),
    ("nFaultIndex", "DINT", "where"),
    ("nStep", "UDINT", "completed steps"),
];

/// A structure. Its members have the order and the sizes of the one in C; an empty list of numbers is one there.
fn data_type(name: &str, head: &[(&str, &str, &str)], groups: &[&[Port]]) -> String {
    let mut text = format!("TYPE {name} :\nSTRUCT\n");
    for (member, kind, about) in head {
        let _ = writeln!(text, "    {member} : {kind};{}", comment(about));
    }
    let mut taken: Vec<String> = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        if group.is_empty() {
            let _ = writeln!(text, "    fNone{g} : LREAL;{}", comment("there is no variable with this number"));
        }
        for port in *group {
            // Structured text does not tell upper from lower case.
            let wanted = format!("f_{}", identifier(&port.name));
            let mut member = wanted.clone();
            let mut count = 1;
            while taken.contains(&member.to_lowercase()) {
                count += 1;
                member = format!("{wanted}_{count}");
            }
            taken.push(member.to_lowercase());
            let unit = port.unit.as_ref().map_or(String::new(), |u| format!(", {u}"));
            let _ = writeln!(text, "    {member} : LREAL;{}", comment(&format!("{}{unit}", port.name)));
        }
    }
    text += "END_STRUCT\nEND_TYPE\n";
    plc_object(&format!(
        "  <DUT Name=\"{name}\" Id=\"{}\">\n    <Declaration><![CDATA[{}]]></Declaration>\n  </DUT>\n",
        id(name),
        data(&text)
    ))
}

fn function_block(interface: &Interface, upper: &str) -> String {
    let declaration = format!(
        "(* {}. Call it once per cycle of {:?} s; stIn and stOut are mapped to the module. *)\n\
         FUNCTION_BLOCK FB_{upper}\nVAR_INPUT\n    bRun : BOOL; (* run; a change to TRUE restarts it *)\n    \
         bMotionFromInputs : BOOL; (* the motion comes from stIn instead of the model file *)\n    \
         bUseParameters : BOOL; (* the parameters of stIn are used at the start *)\nEND_VAR\nVAR_OUTPUT\n    \
         bRunning : BOOL;\n    bFault : BOOL; (* fault code in stOut.nFault *)\nEND_VAR\nVAR\n    \
         stIn AT %Q* : ST_{upper}_IN; (* to the module *)\n    stOut AT %I* : ST_{upper}_OUT; (* from the module *)\nEND_VAR\n",
        interface.title.replace("*)", ""),
        super::interval(interface)
    );
    let body = "stIn.nRun := BOOL_TO_UDINT(bRun);\nstIn.nMotionFromInputs := BOOL_TO_UDINT(bMotionFromInputs);\n\
                stIn.nUseParameters := BOOL_TO_UDINT(bUseParameters);\nbRunning := stOut.nState = 1;\nbFault := stOut.nState = 2;\n";
    let name = format!("FB_{upper}");
    plc_object(&format!(
        "  <POU Name=\"{name}\" Id=\"{}\" SpecialFunc=\"None\">\n    <Declaration><![CDATA[{}]]></Declaration>\n    \
         <Implementation>\n      <ST><![CDATA[{body}]]></ST>\n    </Implementation>\n  </POU>\n",
        id(&name),
        data(&declaration)
    ))
}

/// A file of TwinCAT's PLC: structured text in an envelope.
fn plc_object(inner: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TcPlcObject Version=\"1.1.0.1\">\n{inner}</TcPlcObject>\n")
}

fn id(name: &str) -> String {
    escape(&super::fmu::token(name))
}

fn comment(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" (* {} *)", text.replace("*)", "")) }
}

/// Text that does not end its envelope.
fn data(text: &str) -> String {
    text.replace("]]>", "]]")
}
