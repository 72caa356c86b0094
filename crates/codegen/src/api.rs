//! What a user of the C sees: the header, a program that runs the analysis, a Makefile and a page to read.

use std::fmt::Write;

use crate::record::Operations;
use crate::text::{number, string};

/// The beginning and the end of an instance, whatever is inside of it.
pub(crate) const LIFECYCLE: &str = include_str!("../c/lifecycle.c");

/// A named number of the interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name, as in the model.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// Default.
    pub value: f64,
}

/// The interface of an export.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Prefix of everything public; an identifier.
    pub name: String,
    /// Title of the model.
    pub title: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Step, s.
    pub dt: f64,
    /// Steps of the analysis.
    pub steps: u64,
    /// Times within a step at which the inputs are asked for, in steps; one more row is for its end.
    pub moments: Vec<f64>,
    /// Inputs, SI.
    pub inputs: Vec<Variable>,
    /// Outputs, in the units of the channels.
    pub outputs: Vec<Variable>,
    /// Commanded degrees of freedom, SI.
    pub commands: Vec<Variable>,
    /// What is measured there: displacements reached, then forces, SI.
    pub measured: Vec<Variable>,
    /// Evaluations per step: as often is a specimen commanded.
    pub evaluations: usize,
    /// Parameters, SI.
    pub parameters: Vec<Variable>,
    /// Length of the complete state.
    pub state: usize,
    /// Length of the memory besides.
    pub work: usize,
    /// Bytes of constant tables.
    pub tables: usize,
    /// What a step costs at most.
    pub per_step: Operations,
}

/// An export: files by name, and the interface they have.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name and text of every file.
    pub files: Vec<(String, String)>,
    /// The interface, for wrappers.
    pub interface: Interface,
}

impl Interface {
    /// A text with the placeholders of the C files filled in.
    pub(crate) fn named(&self, text: &str) -> String {
        text.replace("@name@", &self.name).replace("@NAME@", &self.name.to_uppercase())
    }

    /// Default values of the parameters, a line each.
    pub(crate) fn defaults(&self) -> String {
        let line = |p: &Variable| format!("        {}, /* {} */", number(p.value), p.name.replace("*/", ""));
        let lines: Vec<String> = self.parameters.iter().map(line).collect();
        if lines.is_empty() { "        0.0".to_owned() } else { lines.join("\n") }
    }

    /// Bytes of an instance where a `long` has eight.
    pub fn bytes(&self) -> usize {
        let inputs = self.inputs.len() * (self.moments.len() + 1);
        let groups = [inputs, self.outputs.len(), self.parameters.len(), self.commands.len(), self.measured.len()];
        8 * (groups.iter().map(|n| (*n).max(1)).sum::<usize>() + self.state + self.work) + 2 * 8 + 24
    }

    /// `enum` of indices and tables of names and units of one kind of variable.
    fn group(&self, kind: &str, variables: &[Variable]) -> (String, String) {
        let upper = self.name.to_uppercase();
        let mut list = String::from("enum {\n");
        let mut seen: Vec<String> = Vec::new();
        for (i, v) in variables.iter().enumerate() {
            let mut id = format!("{upper}_{kind}_{}", crate::text::identifier(&v.name).to_uppercase());
            if seen.contains(&id) {
                id = format!("{id}_{i}");
            }
            let _ = writeln!(list, "    {id} = {i}, /* {}, {} */", v.name.replace("*/", ""), v.unit);
            seen.push(id);
        }
        let _ = writeln!(list, "    {upper}_{kind}S = {}\n}};", variables.len());
        let table = |what: &str, f: fn(&Variable) -> &str| {
            let entries: Vec<String> = variables.iter().map(|v| string(f(v))).collect();
            let entries = if entries.is_empty() { "\"\"".to_owned() } else { entries.join(", ") };
            format!("const char *const {upper}_{kind}_{what}[] = {{{entries}}};\n")
        };
        let _ = writeln!(
            list,
            "extern const char *const {upper}_{kind}_NAMES[];\nextern const char *const {upper}_{kind}_UNITS[];\n"
        );
        (list, table("NAMES", |v| &v.name) + &table("UNITS", |v| &v.unit) + "\n")
    }
}

/// All files of an export, from the C below its includes; `stand_in`: stiffness that answers commands in `main.c`.
pub(crate) fn files(i: &Interface, code: &str, stand_in: &[f64]) -> Export {
    let upper = i.name.to_uppercase();
    let (inputs, input_names) = i.group("INPUT", &i.inputs);
    let (outputs, output_names) = i.group("OUTPUT", &i.outputs);
    let (parameters, parameter_names) = i.group("PARAMETER", &i.parameters);
    let (commands, command_names) = i.group("COMMAND", &i.commands);
    let (measured, measured_names) = i.group("MEASURED", &i.measured);
    let times: Vec<String> = i.moments.iter().chain([&1.0]).map(|t| number(*t)).collect();
    let header = include_str!("../c/header.h")
        .replace("@TITLE@", &i.title.replace("*/", ""))
        .replace("@SCHEME@", &i.scheme)
        .replace("@DT@", &number(i.dt))
        .replace("@STEPS@", &i.steps.to_string())
        .replace("@ROWS@", &(i.moments.len() + 1).to_string())
        .replace("@END@", &i.moments.len().to_string())
        .replace("@TIMES@", &times.join(", "))
        .replace("@STATE@", &i.state.to_string())
        .replace("@WORK@", &i.work.to_string())
        .replace("@GROUPS@", &[inputs, outputs, parameters, commands, measured].concat())
        .replace("@USE@", if i.commands.is_empty() { "" } else { MEASURING })
        .replace("@EVALUATIONS@", &i.evaluations.to_string())
        .replace("@FLOPS@", &i.per_step.flops.to_string())
        .replace("@DIVISIONS@", &i.per_step.divisions.to_string())
        .replace("@CALLS@", &i.per_step.calls.to_string())
        .replace("@TABLES@", &i.tables.to_string())
        .replace("@INSTANCE@", &i.bytes().to_string())
        .replace("@COMMANDS_LEN@", &i.commands.len().max(1).to_string())
        .replace("@MEASUREDS_LEN@", &i.measured.len().max(1).to_string())
        .replace("@INPUTS_LEN@", &(i.inputs.len() * (i.moments.len() + 1)).max(1).to_string())
        .replace("@OUTPUTS_LEN@", &i.outputs.len().max(1).to_string())
        .replace("@PARAMETERS_LEN@", &i.parameters.len().max(1).to_string());
    let source = format!(
        "/* {}: generated by interfield. See {name}.h. */\n#include \"{name}.h\"\n\n#include <math.h>\n\n\
         {input_names}{output_names}{parameter_names}{command_names}{measured_names}const double {upper}_TIMES[] = {{{}}};\n\n{code}",
        i.title.replace("*/", ""),
        times.join(", "),
        name = i.name,
    );
    let file = |name: &str, text: &str| (name.to_owned(), i.named(text));
    let files = vec![
        (format!("{}.c", i.name), i.named(&source)),
        (format!("{}.h", i.name), i.named(&header)),
        file("main.c", &main(i, stand_in)),
        file("Makefile", include_str!("../c/Makefile")),
        file("README.md", &readme(i)),
    ];
    Export { files, interface: i.clone() }
}

/// How to use an export with a specimen.
const MEASURING: &str = " * The model has a specimen: a step is divided at its @EVALUATIONS@ evaluation(s), and each \
    call of @name@_step runs to the next one. It ends \
the one\n * that was commanded last with m.measured[...], which answer m.commands[...], and begins the next, for which the commands are then\n \
* there. m.wanted is the step whose inputs the call will read (-1: none), m.fresh says whether outputs are new.\n *\n";

/// The program: it answers its own commands, if there are any, by springs.
fn main(i: &Interface, stand_in: &[f64]) -> String {
    let (specimen, measure) = if i.commands.is_empty() {
        (String::new(), "")
    } else {
        let k: Vec<String> = stand_in.iter().map(|k| number(*k)).collect();
        let text = format!(
            "/* Connect your hardware here. In this example, springs answer the commands. */\nstatic void \
                measure(void)\n{{\n    \
             static const double k[] = {{{}}};\n    for (int i = 0; i < @NAME@_COMMANDS; i++) {{\n        double f = 0.0;\n        \
             for (int j = 0; j < @NAME@_COMMANDS; j++) {{\n            f += k[i * @NAME@_COMMANDS + j] * model.commands[j];\n        }}\n        \
             model.measured[i] = model.commands[i];\n        model.measured[@NAME@_COMMANDS + i] = f;\n    }}\n}}\n\n",
            k.join(", ")
        );
        (text, "        measure();\n")
    };
    include_str!("../c/main.c").replace("@SPECIMEN@", &specimen).replace("@MEASURE@", measure)
}

fn readme(i: &Interface) -> String {
    let rows =
        |list: &[Variable]| -> String { list.iter().map(|v| format!("| `{}` | {} |\n", v.name, v.unit)).collect() };
    let table = |title: &str, list: &[Variable]| {
        if list.is_empty() {
            String::new()
        } else {
            format!("\n## {title}\n\n| name | unit |\n|---|---|\n{}", rows(list))
        }
    };
    format!(
        "# {}\n\nGenerated by `interfield export c`: scheme `{}`, step {} s. `make run` compiles it, runs the \
            analysis and prints all channels as CSV.\n\n`@name@.c` and `@name@.h` are all files that a target needs, \
            with `math.h`. The header of `@name@.h` explains their use, and `main.c` is an example. Compile with \
            `-ffp-contract=off` to get exactly the numbers of the library.\n{}{}{}{}",
        i.title,
        i.scheme,
        i.dt,
        table("Inputs", &i.inputs),
        table("Outputs", &i.outputs),
        table("Commands", &i.commands),
        table("Measured", &i.measured),
    )
}
