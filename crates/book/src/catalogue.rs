//! The catalogues of elements, schemes, couplings and compensators, from their registries.

use interfield_coupling::registry::{COUPLINGS, Level};
use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::Info;
use interfield_kernel::scheme::Scheme;
use interfield_kernel::scheme::registry::{Arguments, SCHEMES, SchemeParameter};
use interfield_kernel::uniaxial::material::MATERIALS;
use interfield_lab::compensate;
use interfield_language::schema::tables;

use crate::reference::keys;
use crate::text::{capital, cell, code};
use crate::{pictures, plain};

/// The page of the elements.
pub(crate) fn elements() -> String {
    let mut out = String::from(
        "# Elements\n\nEvery `type` of an [`[[element]]`](reference.md#element). q is the coordinate, p the force, s or z \
         internal states; a dash means a rate. Two-node laws work on the elongation q = u_b - u_a. `interfield elements TYPE` \
         prints the same.\n\n| type | description |\n|---|---|\n",
    );
    for info in catalogue() {
        out += &format!("| [{0}](elements.md#{0}) | {1} |\n", info.name, cell(info.title));
    }
    let sections = tables();
    for info in catalogue() {
        let name = info.name;
        out += &format!("\n## {name}\n\n{}.\n\n![Drawing of {name}](img/element-{name}.svg)", capital(info.title));
        if pictures::has_curve(info) {
            out += &format!("\n![Force of {name}, computed](img/element-{name}-force.svg)");
        }
        out += "\n\n";
        out += &format!("{}\n\nSource: {}. {}\n\n", equations(info), cited(info.reference), facts(info));
        let section = sections.iter().find(|s| s.name == "element" && s.when.iter().any(|w| w.1 == info.name));
        out += &section.map_or_else(String::new, keys);
    }
    out
}

/// The page of the materials.
pub(crate) fn materials() -> String {
    let mut out = String::from(
        "# Materials\n\nEvery `type` of a [`[[material]]`](reference.md#material), for fibres, bars and springs. e is the strain, s the stress, \
         tension positive; with `acts = \"force\"` or `\"moment\"` they are elongation and force, or rotation and moment. Pictures are \
         computed: the strain goes to and fro three times, farther each time. [Nonlinear frames](frames.md#1-uniaxial-materials) says how \
         materials remember, and where OpenSees differs.\n\n| type | description |\n|---|---|\n",
    );
    for info in MATERIALS.iter().chain(pictures::written()) {
        out += &format!("| [{0}](materials.md#{0}) | {1} |\n", info.name, cell(info.title));
    }
    let sections = tables();
    for info in MATERIALS.iter().chain(pictures::written()) {
        let name = info.name;
        out += &format!(
            "\n## {name}\n\n{}.\n\n![Stress of {name}, computed](img/material-{name}.svg)\n\n",
            capital(info.title)
        );
        out += &format!("{}\n\nSource: {}.\n\n", equations(info), cited(info.reference));
        let section = sections.iter().find(|s| s.name == "material" && s.when.iter().any(|w| w.1 == name));
        out += &section.map_or_else(String::new, keys);
    }
    out
}

/// What cannot be read as a formula stands as it is.
fn equations(info: &Info) -> String {
    match plain::displayed(info.equations, &names(info)) {
        Ok(latex) => format!("```math\n{latex}\n```"),
        Err(_) => format!("```text\n{}\n```", info.equations.join("\n")),
    }
}

/// What its equations call by a word.
pub(crate) fn names(info: &Info) -> Vec<&'static str> {
    info.parameters.iter().map(|p| p.name).chain(info.states.iter().map(|s| s.name)).collect()
}

fn facts(info: &Info) -> String {
    let mut facts = vec![if info.linear { "Linear" } else { "Nonlinear" }];
    facts.push(if info.symmetric { "symmetric tangent" } else { "tangent not symmetric in general" });
    facts.extend(info.hysteretic.then_some("hysteretic"));
    facts.extend((info.dissipative && !info.linear).then_some("dissipates energy or conserves it over a closed cycle"));
    let states: Vec<String> = info.states.iter().map(|s| code(s.name)).collect();
    let states = if states.is_empty() { String::new() } else { format!(" States: {}.", states.join(", ")) };
    format!("{}.{states}", facts.join(", "))
}

/// The page of the schemes.
pub(crate) fn schemes() -> String {
    let mut out = String::from(
        "# Schemes\n\nValues of `scheme` in `[analysis]` and `[[substructure]]`. The order is given for smooth \
            nonlinear, forced, damped problems, with the exact and with the initial tangent; the tests check it for \
            every scheme. A scheme that iterates cannot be used with a specimen. [Theory](rosenbrock.md) explains how \
            they work. Pictures show the spectral radius of a step of the undamped \
         oscillator over Ω = ω Δt: one means no loss, above one the motion grows.\n\n\
         | scheme | order | with initial tangent | forces per step | description |\n|---|---|---|---|---|\n",
    );
    for info in SCHEMES {
        let scheme = (info.build)(Arguments(&[])).ok();
        let claims = scheme.map(|s| s.claims());
        let number = |x: Option<u32>| x.map_or_else(|| "-".to_owned(), |x| x.to_string());
        let forces = match scheme {
            Some(s) => s.evaluations().map_or_else(|| "iterates".to_owned(), |e| e.to_string()),
            None => "its stages".to_owned(),
        };
        out += &format!(
            "| [{0}](schemes.md#{0}) | {1} | {2} | {forces} | {3} |\n",
            info.name,
            number(claims.map(|c| c.order)),
            number(claims.map(|c| c.order_frozen)),
            cell(info.title)
        );
    }
    for info in SCHEMES {
        out += &format!(
            "\n## {0}\n\n{1}.\n\n![Spectral radius of {0}](img/scheme-{0}.svg)\n\nSource: {2}.\n\n",
            info.name,
            capital(info.title),
            cited(info.reference)
        );
        out += &parameters(info.parameters);
    }
    out
}

/// The page of the couplings.
pub(crate) fn couplings() -> String {
    let mut out = format!(
        "# Couplings\n\nValues of `method` in [`[coupling]`](reference.md#coupling), the recommended one first. \
            [Substructures and couplings](substructures.md) explains the choice. Pictures show one macro-step, from \
            $t_n$ to \
         $t_{{n+1}}$, with four substeps: arcs are steps, equal numbers happen at the same time, orange dots are where multipliers are \
         found and, on the coarse side, what they are found from.\n\n{}",
        choice()
    );
    for info in COUPLINGS {
        out += &format!(
            "\n## {0}\n\n{1}. {2}\n\n![One macro-step of {0}](img/coupling-{0}.svg)\n\n{3}\n",
            info.name,
            capital(info.title),
            cell(info.advice),
            pictures::steps(info.name)
        );
        let sides = match (info.sided, info.one_rate) {
            (false, _) => "none: all substructures have the same step",
            (true, true) => "a coarse and a fine one; all substructures of the fine side have the same substeps",
            (true, false) => "a coarse and a fine one; substeps may differ within the fine side",
        };
        let tangents = match info.level {
            Level::Constant => "initial: the operators of the interface are computed once",
            Level::Mass => "may change with the state: the interface problem contains masses only",
        };
        let ranks = match info.ranks {
            true => "yes, with the bits of one process",
            false => "no",
        };
        out += &format!(
            "- Source: {}.\n- Schemes of the substructures: {}; default `{}`.\n- Sides: {sides}.\n- Tangents: \
                {tangents}.\n- [Several machines](machines.md): {ranks}.\n\n",
            cited(info.reference),
            info.schemes.words(),
            info.scheme
        );
        out += &parameters(info.parameters);
    }
    out
}

/// The page of the compensators.
pub(crate) fn compensators() -> String {
    let mut out = String::from(
        "# Compensators\n\nMethods that compensate the delay and dynamics of actuators, the recommended one first. \
            [Compensation](compensation.md) compares them; `interfield compensators NAME` prints the same. Pictures \
            show the tracking error of a specimen with an actuator delay of 12 ms (two first-order lags), without \
            noise: those that do not adapt are given this delay, those that learn half \
         of it, and `pi-lead` has the gains of its default; `early` sends the specimen ahead on purpose, by 1.5 \
         samples.\n\n| compensator | adapts | description |\n|---|---|---|\n",
    );
    for info in compensate::COMPENSATIONS {
        let learns = if info.adaptive { "yes" } else { "no" };
        out += &format!("| [{0}](compensators.md#{0}) | {learns} | {1} |\n", info.name, cell(info.title));
    }
    for info in compensate::COMPENSATIONS {
        out += &format!(
            "\n## {0}\n\n{1}. {2}\n\n![Error of a specimen with {0}](img/compensator-{0}.svg)\n\nSource: {3}.\n\n",
            info.name,
            capital(info.title),
            cell(info.advice),
            cited(info.reference)
        );
        out += &parameters(info.parameters);
    }
    out
}

/// A source; the chapter of the book that it names becomes a link.
fn cited(reference: &str) -> String {
    let text = cell(reference);
    let Some((before, after)) = text.split_once("book: ") else { return text };
    let length = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
    let (chapter, rest) = after.split_at(length);
    format!("{before}book: [{chapter}]({chapter}.md){rest}")
}

/// Which coupling for what, as a table.
fn choice() -> String {
    let mut out = String::from("| coupling | parallel | default scheme | use and limits |\n|---|---|---|---|\n");
    for info in COUPLINGS {
        let parallel = if info.parallel { "yes" } else { "no" };
        let scheme = format!("[{0}](schemes.md#{0})", info.scheme);
        out += &format!("| [{0}](couplings.md#{0}) | {parallel} | {scheme} | {1} |\n", info.name, cell(info.advice));
    }
    out
}

fn parameters(list: &[SchemeParameter]) -> String {
    if list.is_empty() {
        return "No parameters.\n".to_owned();
    }
    let row = |p: &SchemeParameter| {
        let default = p.default.map_or_else(|| "required".to_owned(), code);
        format!("| {} | {} | {default} | {} |\n", code(p.name), cell(p.expected), cell(&capital(p.doc)))
    };
    let rows: String = list.iter().map(row).collect();
    format!("| parameter | value | default | meaning |\n|---|---|---|---|\n{rows}")
}
