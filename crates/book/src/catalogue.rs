//! The catalogues of elements, schemes, couplings and compensators, from their registries.

use interfield_coupling::registry::{COUPLINGS, Level};
use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::Info;
use interfield_kernel::scheme::Scheme;
use interfield_kernel::scheme::registry::{Arguments, SCHEMES, SchemeParameter};
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
         prints the same.\n\n| type | what it is |\n|---|---|\n",
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
        // What cannot be read as a formula stands as it is.
        let equations = match plain::displayed(info.equations, &names(info)) {
            Ok(latex) => format!("```math\n{latex}\n```"),
            Err(_) => format!("```text\n{}\n```", info.equations.join("\n")),
        };
        out += &format!("{equations}\n\nSource: {}. {}\n\n", cited(info.reference), facts(info));
        let section = sections.iter().find(|s| s.name == "element" && s.when.iter().any(|w| w.1 == info.name));
        out += &section.map_or_else(String::new, keys);
    }
    out
}

/// What its equations call by a word.
pub(crate) fn names(info: &Info) -> Vec<&'static str> {
    info.parameters.iter().map(|p| p.name).chain(info.states.iter().map(|s| s.name)).collect()
}

fn facts(info: &Info) -> String {
    let mut facts = vec![if info.linear { "Linear" } else { "Nonlinear" }];
    facts.push(if info.symmetric { "symmetric tangent" } else { "tangent not symmetric in general" });
    facts.extend(info.hysteretic.then_some("hysteretic"));
    facts.extend((info.dissipative && !info.linear).then_some("gives no energy back over a closed cycle"));
    let states: Vec<String> = info.states.iter().map(|s| code(s.name)).collect();
    let states = if states.is_empty() { String::new() } else { format!(" States: {}.", states.join(", ")) };
    format!("{}.{states}", facts.join(", "))
}

/// The page of the schemes.
pub(crate) fn schemes() -> String {
    let mut out = String::from(
        "# Schemes\n\nWhat `scheme` in `[analysis]` and `[[substructure]]` may be. The order is that on smooth nonlinear, forced, \
         damped problems, with the exact tangent and with the initial one; the tests hold every scheme to it. A scheme that \
         iterates is not for a specimen. [Theory](rosenbrock.md) says how they work. Pictures show the spectral radius of a step of the undamped \
         oscillator over Ω = ω Δt: one means no loss, above one the motion grows.\n\n\
         | scheme | order | with initial tangent | forces per step | what it is |\n|---|---|---|---|---|\n",
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
        "# Couplings\n\nWhat `method` in [`[coupling]`](reference.md#coupling) may be, the recommended one first. \
         [Substructures and couplings](substructures.md) says how to choose. Pictures show one macro-step, from $t_n$ to \
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
            Level::Mass => "may follow the state: the interface problem contains masses only",
        };
        out += &format!(
            "- Source: {}.\n- Substructures take {}; without one, `{}`.\n- Sides: {sides}.\n- Tangents: {tangents}.\n\n",
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
        "# Compensators\n\nWhat makes a specimen follow in spite of its actuator, the recommended one first. [Compensation](compensation.md) \
         says how they compare; `interfield compensators NAME` prints the same. Pictures show how far a specimen is from its target \
         behind an actuator that is 12 ms late (two lags of first order), without noise: those that do not learn are given this delay, those that learn half \
         of it, and `pi-lead` has the gains of its default; `early` sends the specimen ahead on purpose, by 1.5 samples.\n\n| compensator | learns | what it is |\n|---|---|---|\n",
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
    let mut out = String::from("| coupling | parallel | usual scheme | what it is good for |\n|---|---|---|---|\n");
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
