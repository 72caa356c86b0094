//! A model file from one analysis of the script.

use std::collections::{BTreeMap, BTreeSet};

use crate::arguments::Arguments;
use crate::channels::channels;
use crate::damping;
use crate::domain::{Domain, Node, Section, wrong};
use crate::elements::{Elements, Made, Use, dofs, node, placeholder, section};
use crate::loads::{Loads, Reader};
use crate::materials::{self, Acts, kind};
use crate::record::Command;
use crate::report::{Fate, Report};
use crate::schemes::scheme;
use crate::script::{Analysis, Run};
use crate::sections;
use crate::series::Files;
use crate::units::{Clue, Kind, Units};
use crate::write::{Keys, list, number, tables, text, texts};

/// What a file is made of besides the analysis.
pub(crate) struct Setting<'a> {
    /// Lines at the top, without `#`.
    pub(crate) header: &'a [String],
    pub(crate) title: &'a str,
    /// How files beside the model begin.
    pub(crate) stem: &'a str,
    pub(crate) units: &'a Units,
    pub(crate) files: &'a Files<'a>,
}

/// A model file.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) files: Vec<(String, String)>,
    /// Factors and peaks of ground motions.
    pub(crate) motions: Vec<(f64, f64)>,
}

/// Writes the model of an analysis; `written` are the records of the files before.
pub(crate) fn write(
    run: &Run,
    setting: &Setting<'_>,
    report: &mut Report,
    written: &mut Vec<(String, String)>,
) -> Written {
    let domain = &run.domain;
    let mut elements = Elements::new(domain, report);
    elements.all();
    let Elements { mut made, mut materials, sections: used, elastic, masses, .. } = elements;
    let sections = write_sections(domain, &used, &elastic, &mut materials, report);
    let tags: Vec<i64> = made.iter().map(|m| m.tag).collect();
    let loads = Reader { run, made: &tags, report, files: setting.files, stem: setting.stem, written }.read();
    let damping = damping::translate(domain, &massive(domain, &masses, &made), &damped(&made), report);
    for m in made.iter_mut().filter(|m| damping.without.contains(&m.tag)) {
        m.keys = m.keys.clone().with("damped", "false");
    }
    let mut out = setting.header.iter().map(|l| format!("# {l}\n")).collect::<String>();
    out += &comment(&unit_words(setting.units));
    out += &format!("title = {}\n", text(setting.title));
    let s = &setting.units.system;
    out += &format!("units = {{ length = {}, force = {}, time = \"s\" }}\n", text(s.length), text(s.force));
    let usual = usual_dofs(domain);
    out += &format!("dofs = {}\n\n", texts(dofs(domain.ndm, usual)));
    out += &nodes(domain, &masses, usual);
    out += &write_materials(domain, &mut materials, report);
    out += &sections;
    out += &write_elements(domain, &made, run, report);
    out += &constraints(domain, report);
    if !loads.rows.is_empty() {
        out += &format!("\n# {}\n{}", load_words(&loads), tables("load", &loads.rows));
    }
    out += &damping.text;
    out += &analysis(run, &loads, report);
    out += &channels(domain, &made, &loads.names, run, report);
    Written { text: named(out, &materials, domain), files: loads.files, motions: loads.motions }
}

/// Nodes that have a mass of their own or of elements.
fn massive(domain: &Domain, lumped: &BTreeMap<i64, f64>, made: &[Made]) -> Vec<i64> {
    let heavy = |m: &&Made| m.keys.0.iter().any(|(k, _)| k == "mass_per_length");
    let along: BTreeSet<i64> = made.iter().filter(heavy).flat_map(|m| m.nodes).collect();
    let own =
        |(tag, n): &(&i64, &Node)| n.mass.iter().any(|m| *m != 0.0) || lumped.contains_key(tag) || along.contains(tag);
    domain.nodes.iter().filter(own).map(|(tag, _)| *tag).collect()
}

/// Elements that take part in damping by stiffness.
fn damped(made: &[Made]) -> Vec<i64> {
    let takes = |m: &&Made| m.keys.0.iter().all(|(k, _)| k != "damped");
    made.iter().filter(takes).map(|m| m.tag).collect()
}

/// What the file says of its units.
fn unit_words(units: &Units) -> String {
    let (force, length) = (units.system.force, units.system.length);
    match units.reason.as_str() {
        "" => format!("Units: {force}, {length}, s, as told on the command line."),
        reason if units.blind => {
            format!("Units: {force}, {length} and s are assumed: {reason}. Tell them with --units.")
        }
        reason => {
            format!("Units: {force}, {length}, s, guessed: {reason}. If that is wrong, import again with --units.")
        }
    }
}

fn comment(words: &str) -> String {
    let mut out = String::new();
    let mut line = String::from("#");
    for word in words.split_whitespace() {
        if line.chars().count() + word.chars().count() > 110 {
            out += &format!("{line}\n");
            line = String::from("#");
        }
        line += &format!(" {word}");
    }
    out + &line + "\n"
}

fn load_words(loads: &Loads) -> &'static str {
    let held = loads.rows.iter().any(|r| r.0.iter().any(|(k, v)| k == "type" && v == "\"gravity\""));
    match (held, loads.rows.iter().any(|r| r.0.iter().any(|(k, v)| k == "type" && v != "\"gravity\""))) {
        (true, true) => "Loads that are held from the beginning (type gravity), then those in time.",
        (true, false) => "Loads that are held from the beginning.",
        _ => "Loads in time.",
    }
}

/// Numbers that tell the units.
pub(crate) fn clues(domain: &Domain) -> Vec<Clue> {
    // A material of a spring has a stiffness, not a modulus.
    let springs: BTreeSet<i64> = domain.elements.values().flat_map(spring_materials).collect();
    let stressed = domain.materials.iter().filter(|(tag, _)| !springs.contains(tag));
    let mut clues: Vec<Clue> = stressed.flat_map(|(tag, c)| materials::clues(*tag, c)).collect();
    let modulus = |value: Option<f64>, what: String| value.map(|value| Clue { kind: Kind::Elastic, value, what });
    for (tag, s) in &domain.sections {
        if kind(&s.command) == "Elastic" {
            clues.extend(modulus(s.command.arguments.get(2).and_then(|a| a.number()), format!("E of section {tag}")));
        }
    }
    for (tag, e) in &domain.elements {
        let p = Arguments::from(e.arguments.get(2..).unwrap_or(&[])).numbers();
        if kind(e) == "elasticBeamColumn" && p.len() > 4 {
            clues.extend(modulus(p.get(3).copied(), format!("E of element {tag}")));
        }
        let at = [0, 1].map(|i| p.get(i).and_then(|n| domain.nodes.get(&(n.round() as i64))));
        if let [Some(a), Some(b)] = at {
            let value = a.at.iter().zip(&b.at).map(|(a, b)| (b - a).powi(2)).sum::<f64>().sqrt();
            clues.push(Clue { kind: Kind::Length, value, what: String::new() });
        }
    }
    // Many members say no more than a few.
    let lengths = clues.iter().filter(|c| c.kind == Kind::Length).count();
    let mut seen = 0;
    clues.retain(|c| {
        seen += usize::from(c.kind == Kind::Length);
        c.kind != Kind::Length || seen % (lengths / 4 + 1) == 0
    });
    for (tag, series) in &domain.series {
        let factor = Arguments::of(series).after("-factor").and_then(|mut a| a.number());
        clues.extend(factor.map(|value| Clue {
            kind: Kind::Gravity,
            value,
            what: format!("factor of timeSeries {tag}"),
        }));
    }
    clues
}

/// Materials of springs and bearings.
fn spring_materials(element: &Command) -> Vec<i64> {
    let a = Arguments::of(element);
    ["-mat", "-P", "-Mz", "-My", "-T"].iter().filter_map(|f| a.after(f)).flat_map(|mut a| a.tags()).collect()
}

/// The number of degrees of freedom that most nodes have.
fn usual_dofs(domain: &Domain) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    domain.nodes.values().for_each(|n| *counts.entry(n.ndf).or_default() += 1);
    counts.into_iter().max_by_key(|(_, n)| *n).map_or(domain.ndf, |(ndf, _)| ndf)
}

fn nodes(domain: &Domain, masses: &BTreeMap<i64, f64>, usual: usize) -> String {
    let rows: Vec<Keys> = domain
        .nodes
        .iter()
        .map(|(tag, n)| {
            let names = dofs(domain.ndm, n.ndf);
            let keys = Keys::default().text("name", &node(*tag)).with("at", list(&n.at));
            let keys = if n.ndf == usual { keys } else { keys.with("dofs", texts(names)) };
            let fixed: Vec<&str> = names.iter().zip(&n.fixed).filter(|(_, f)| **f).map(|(d, _)| *d).collect();
            let keys = match fixed.len() {
                0 => keys,
                all if all == names.len() => keys.with("fixed", "true"),
                _ => keys.with("fixed", texts(&fixed)),
            };
            mass(keys, n, names, masses.get(tag).copied().unwrap_or(0.0))
        })
        .collect();
    tables("node", &rows)
}

/// The mass of a node, with what elements lump at it on its translations.
fn mass(keys: Keys, node: &Node, names: &[&str], lumped: f64) -> Keys {
    let rotates = |d: &str| d.starts_with('r');
    let of = |(i, d): (usize, &&str)| node.mass.get(i).copied().unwrap_or(0.0) + if rotates(d) { 0.0 } else { lumped };
    let all: Vec<f64> = names.iter().enumerate().map(of).collect();
    let moving: Vec<f64> = names.iter().zip(&all).filter(|(d, _)| !rotates(d)).map(|(_, m)| *m).collect();
    let turning = names.iter().zip(&all).any(|(d, m)| rotates(d) && *m != 0.0);
    if all.iter().all(|m| *m == 0.0) {
        return keys;
    }
    if !turning && moving.windows(2).all(|w| w[0] == w[1]) {
        return keys.number("mass", moving[0]);
    }
    let each = names.iter().zip(&all).filter(|(_, m)| **m != 0.0).fold(Keys::default(), |k, (d, m)| k.number(d, *m));
    keys.with("mass", each.inline())
}

/// Name of a material: its kind and its tag, and what it gives if it is used in several ways.
fn material_name(domain: &Domain, (tag, acts): Use, all: &[Use]) -> String {
    let kind = domain.materials.get(&tag).map_or("material", |c| kind(c)).to_lowercase();
    let several = all.iter().filter(|u| u.0 == tag).count() > 1;
    if several { format!("{kind}-{tag}-{}", acts.word()) } else { format!("{kind}-{tag}") }
}

/// Puts the names of materials where elements and fibres have left a place for them.
fn named(mut out: String, all: &[Use], domain: &Domain) -> String {
    for used in all {
        out = out.replace(&placeholder(used.0, used.1), &text(&material_name(domain, *used, all)));
    }
    out
}

fn write_materials(domain: &Domain, used: &mut Vec<Use>, report: &mut Report) -> String {
    let mut rows = Vec::new();
    used.sort();
    let mut next = 0;
    // Materials that others are made of come behind those.
    while let Some(&(tag, acts)) = used.get(next) {
        next += 1;
        let Some(command) = domain.materials.get(&tag) else { continue };
        let mut part = |tag: i64| {
            if !domain.materials.contains_key(&tag) {
                return wrong(format!("there is no material {tag}"), "define it before it is used");
            }
            if !used.contains(&(tag, acts)) {
                used.push((tag, acts));
            }
            Ok(placeholder(tag, acts))
        };
        match materials::keys(command, &mut part) {
            Ok(_) if !materials::is_known(domain, tag) => {
                let name = format!("uniaxialMaterial {}", kind(command));
                let message = "it is made of materials that cannot be translated, or of itself";
                report.add(Fate::Refused, &name, &command.place, message, "make it of others");
            }
            Ok(mut keys) => {
                let made = keys.0.iter().any(|(k, _)| k == "of");
                let mut all = vec![("name".to_owned(), placeholder(tag, acts))];
                all.append(&mut keys.0);
                // One made of others gives what these give.
                if acts != Acts::Stress && !made {
                    all.insert(2, ("acts".to_owned(), text(acts.word())));
                }
                rows.push(Keys(all));
            }
            Err((message, remedy)) => {
                let name = format!("uniaxialMaterial {}", kind(command));
                report.add(Fate::Refused, &name, &command.place, &message, &remedy);
            }
        }
    }
    let unused: BTreeSet<i64> = domain.materials.keys().copied().filter(|t| used.iter().all(|u| u.0 != *t)).collect();
    for command in unused.iter().filter_map(|t| domain.materials.get(t)) {
        let name = format!("uniaxialMaterial {}", kind(command));
        report.add(Fate::Ignored, &name, &command.place, "nothing that is translated uses this material", "");
    }
    if rows.is_empty() { String::new() } else { format!("\n# Tension is positive.\n{}", tables("material", &rows)) }
}

fn write_sections(
    domain: &Domain,
    used: &[(i64, bool)],
    elastic: &[Keys],
    materials: &mut Vec<Use>,
    report: &mut Report,
) -> String {
    let mut out = String::new();
    let mut used_tags = used.to_vec();
    used_tags.sort_unstable();
    for &used in &used_tags {
        let Some(given) = domain.sections.get(&used.0) else { continue };
        let name = format!("section {}", kind(&given.command));
        match sections::translate(domain, given) {
            Ok(made) => {
                for (message, remedy) in &made.remarks {
                    report.add(Fate::Replaced, &name, &given.command.place, message, remedy);
                }
                let made = if used.1 { made } else { made.bending() };
                out += &one_section(used, made, materials);
            }
            Err((message, remedy)) => report.add(Fate::Refused, &name, &given.command.place, &message, &remedy),
        }
    }
    let bases = |s: &Section| Arguments::of(&s.command).after("-section").and_then(|mut a| a.tag());
    let below: BTreeSet<i64> = domain.sections.values().filter_map(bases).collect();
    for (tag, unused) in &domain.sections {
        if used_tags.iter().all(|u| u.0 != *tag) && !below.contains(tag) {
            let name = format!("section {}", kind(&unused.command));
            report.add(Fate::Ignored, &name, &unused.command.place, "nothing that is translated uses this section", "");
        }
    }
    for (i, keys) in elastic.iter().enumerate() {
        let all = Keys::default().text("name", &format!("elastic-{}", i + 1));
        out += &format!("  {},\n", Keys([all.0, keys.0.clone()].concat()).inline());
    }
    match out.is_empty() {
        true => String::new(),
        false => format!("\n# Positions of fibres are [y, z] in local axes.\ncross-section = [\n{out}]\n"),
    }
}

fn one_section(used: (i64, bool), made: sections::Translated, materials: &mut Vec<Use>) -> String {
    let mut keys = Keys::default().text("name", &section(used));
    keys.0.extend(made.keys.0);
    if !made.resultants.is_empty() {
        let mut forces = Keys::default();
        for (force, material) in made.resultants {
            let acts = if force.starts_with(['N', 'V']) { Acts::SectionForce } else { Acts::SectionMoment };
            if !materials.contains(&(material, acts)) {
                materials.push((material, acts));
            }
            forces = forces.with(force, placeholder(material, acts));
        }
        keys = keys.with("resultants", forces.inline());
    }
    if made.fibres.is_empty() {
        return format!("  {},\n", keys.inline());
    }
    let mut rows = String::new();
    for (material, shape) in made.fibres {
        if !materials.contains(&(material, Acts::Stress)) {
            materials.push((material, Acts::Stress));
        }
        let mut all = shape.0;
        all.insert(1, ("material".to_owned(), placeholder(material, Acts::Stress)));
        rows += &format!("    {},\n", Keys(all).inline());
    }
    let head = keys.inline();
    let head = head.strip_suffix(" }").unwrap_or(&head);
    format!("  {head}, fibres = [\n{rows}  ] }},\n")
}

/// Elements, with what several of them share written once.
fn write_elements(domain: &Domain, made: &[Made], run: &Run, report: &mut Report) -> String {
    if made.is_empty() {
        report.add(Fate::Refused, "model", &run.place, "the model has no element that can be translated", "see above");
        return String::new();
    }
    let mut shared: Vec<(&Keys, &'static str, usize)> = Vec::new();
    for m in made {
        match shared.iter_mut().find(|s| s.0 == &m.keys) {
            Some(known) => known.2 += 1,
            None => shared.push((&m.keys, role(domain, m), 1)),
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: Vec<(&Keys, String)> = Vec::new();
    let mut out = String::from("\n");
    for (keys, role, count) in shared.into_iter().filter(|s| s.2 > 1) {
        let i = counts.entry(role).or_default();
        *i += 1;
        let name = format!("{role}-{i}");
        out += &format!("# Keys that {count} elements share.\nsection.{name} = {}\n", keys.inline());
        names.push((keys, name));
    }
    let rows: Vec<Keys> = made
        .iter()
        .map(|m| {
            let ends = texts(&m.nodes.map(node));
            let keys = Keys::default().text("name", &m.name).with("nodes", ends);
            match names.iter().find(|(k, _)| *k == &m.keys) {
                Some((_, name)) => keys.text("section", name),
                None => Keys([keys.0, m.keys.0.clone()].concat()),
            }
        })
        .collect();
    out + &tables("element", &rows)
}

/// What an element is, by where it stands.
fn role(domain: &Domain, m: &Made) -> &'static str {
    let is = |k: &str| m.keys.0.iter().any(|(key, v)| key == "type" && v == &text(k));
    let at = m.nodes.map(|n| domain.nodes.get(&n).map_or(&[][..], |n| &n.at));
    let up = if domain.ndm == 3 { 2 } else { 1 };
    let d: Vec<f64> = at[0].iter().zip(at[1]).map(|(a, b)| (b - a).abs()).collect();
    let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    match d.get(up) {
        _ if is("uniaxial") || length == 0.0 => "spring",
        _ if is("elastomeric-bearing") || is("friction-pendulum") => "bearing",
        _ if is("bar") => "bar",
        Some(h) if *h > 0.99 * length => "column",
        Some(h) if *h < 0.01 * length => "beam",
        _ => "member",
    }
}

fn constraints(domain: &Domain, report: &mut Report) -> String {
    let mut groups: Vec<(Keys, i64, Vec<i64>)> = Vec::new();
    for c in &domain.constraints {
        match constraint(domain, c) {
            Some((keys, leads, follows)) => match groups.iter_mut().find(|g| g.0 == keys && g.1 == leads) {
                Some(group) => group.2.extend(follows),
                None => groups.push((keys, leads, follows)),
            },
            None => {
                let remedy = "look at the line: OpenSees would refuse it too";
                report.add(Fate::Refused, &c.name, &c.place, "this constraint cannot be read", remedy);
            }
        }
    }
    handler(domain, report);
    if groups.is_empty() {
        return String::new();
    }
    let row = |(keys, leads, follows): (Keys, i64, Vec<i64>)| {
        let mut all = keys.text("leads", &node(leads));
        let names: Vec<String> = follows.iter().map(|n| node(*n)).collect();
        all = all.with("follows", texts(&names));
        all
    };
    let rows: Vec<Keys> = groups.into_iter().map(row).collect();
    format!("\n# Nodes that move together.\n{}", tables("constraint", &rows))
}

fn constraint(domain: &Domain, c: &Command) -> Option<(Keys, i64, Vec<i64>)> {
    let mut a = Arguments::of(c);
    let of = |kind: &str| Keys::default().text("type", kind);
    match c.name.as_str() {
        "equalDOF" => {
            let (leads, follows) = (a.tag()?, a.tag()?);
            let names = dofs(domain.ndm, domain.nodes.get(&follows)?.ndf);
            let list: Vec<&str> =
                a.tags().iter().filter_map(|d| names.get((*d - 1).max(0) as usize).copied()).collect();
            (!list.is_empty()).then(|| (of("equal").with("dofs", texts(&list)), leads, vec![follows]))
        }
        "rigidLink" => {
            let kind = if a.word()?.trim_start_matches('-') == "bar" { "rigid-bar" } else { "rigid-link" };
            Some((of(kind), a.tag()?, vec![a.tag()?]))
        }
        _ => {
            let normal = ["x", "y", "z"].get((a.tag()? - 1).max(0) as usize)?;
            Some((of("diaphragm").text("normal", normal), a.tag()?, a.tags()))
        }
    }
}

/// How OpenSees would have held constraints.
fn handler(domain: &Domain, report: &mut Report) {
    let Some(c) = &domain.solving.constraints else { return };
    let rigid = domain.constraints.iter().any(|c| c.name != "equalDOF");
    let (fate, message) = match kind(c) {
        "Plain" if rigid => (
            Fate::Replaced,
            "OpenSees leaves rigid links and diaphragms out with the handler Plain, after a warning; Interfield keeps them",
        ),
        "Penalty" | "Lagrange" => {
            (Fate::Replaced, "constraints are eliminated exactly, without penalties or multipliers")
        }
        _ => (Fate::Ignored, "constraints are eliminated exactly"),
    };
    let remedy = if kind(c) == "Plain" && rigid { "use Transformation in the script to compare" } else { "" };
    report.add(fate, &format!("constraints {}", kind(c)), &c.place, message, remedy);
}

/// `[pushover]` and `[analysis]`.
fn analysis(run: &Run, loads: &Loads, report: &mut Report) -> String {
    let rest = "\n[analysis]\nscheme = \"newmark-newton\"\ndt = 0.01\nduration = 10\n";
    if run.follows {
        let message =
            "another analysis had moved this model before; this one begins at rest, with the loads that are held";
        report.add(Fate::Replaced, "analyze", &run.place, message, "");
    }
    match &run.kind {
        Analysis::Rest => format!("\n# The script computes no motion: choose loads and times.{rest}"),
        Analysis::Load { to, step } => {
            let keys = Keys::default().with("pattern", pattern(run, loads, report));
            let keys = keys.number("to", *to).number("step", step.abs());
            format!(
                "\n# The load factor is led: the push ends at the strength of the structure.\n[pushover]\n{}",
                keys.lines()
            )
        }
        Analysis::Push { node: tag, dof, strokes, start, imposed } => {
            let domain = &run.domain;
            let names = domain.nodes.get(tag).map_or(&[][..], |n| dofs(domain.ndm, n.ndf));
            let control = format!("{}.{}", node(*tag), names.get(dof - 1).unwrap_or(&"x"));
            let keys = Keys::default().text("control", &control).with("pattern", pattern(run, loads, report));
            // DisplacementControl adds its increments to what gravity has left; `sp` counts from zero.
            let gravity = loads.rows.iter().any(|r| r.0.iter().any(|(k, v)| k == "type" && v == "\"gravity\""));
            let relative = gravity && !imposed;
            let keys = strokes_keys(keys, strokes, if relative { 0.0 } else { *start }, run, report);
            let keys = if relative { keys.with("relative", "true") } else { keys };
            format!("\n[pushover]\n{}", keys.lines())
        }
        Analysis::Motion { dt, steps, .. } => {
            let scheme = scheme(&run.domain, report);
            let keys = Keys::default().with("scheme", scheme.written).number("dt", dt * scheme.steps as f64);
            format!("\n[analysis]\n{}", keys.number("duration", dt * *steps as f64).lines())
        }
    }
}

/// Forces of a pushover for a load factor of one.
fn pattern(run: &Run, loads: &Loads, report: &mut Report) -> String {
    let domain = &run.domain;
    let name = |(n, d): &(i64, usize)| {
        let names = domain.nodes.get(n).map_or(&[][..], |n| dofs(domain.ndm, n.ndf));
        format!("{}.{}", node(*n), names.get(d - 1).unwrap_or(&"x"))
    };
    if loads.pattern.is_empty() {
        let remedy = "give a Plain pattern with a Linear series before the analysis";
        report.add(Fate::Refused, "analyze", &run.place, "no forces push the structure", remedy);
    }
    let forces: Vec<String> =
        loads.pattern.iter().map(|(at, f)| format!("{} = {}", text(&name(at)), number(*f))).collect();
    format!("{{ {} }}", forces.join(", "))
}

/// Where a pushover goes: monotonic, or in cycles.
fn strokes_keys(keys: Keys, strokes: &[(f64, u64)], start: f64, run: &Run, report: &mut Report) -> Keys {
    let sizes = || strokes.iter().map(|s| s.0.abs());
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    // The rest of a path before it turns is no step.
    let smallest = if most < 20.0 * least { least } else { most };
    let smallest = format!("{smallest:.9e}").parse().unwrap_or(smallest);
    let mut turns: Vec<f64> = Vec::new();
    let mut at = 0.0;
    for (step, count) in strokes {
        let from = at;
        at += step * *count as f64;
        let onward = turns.last().is_some_and(|last| {
            let before = if turns.len() > 1 { turns[turns.len() - 2] } else { 0.0 };
            (last - before).signum() == (at - from).signum()
        });
        if onward {
            turns.pop();
        }
        turns.push(at);
    }
    let scale = turns.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // Sums of many steps end where the user meant.
    let digits = 10.0f64.powi(10 - scale.log10().floor() as i32);
    let meant = |x: f64| (x * digits).round() / digits;
    let turns: Vec<f64> = turns.into_iter().map(meant).collect();
    // Displacements of a push include those by the loads that are held; those of the script count from there.
    let shifted = start.abs() > 0.01 * smallest;
    if let [to] = turns[..] {
        let to = if shifted { start + to } else { to };
        return keys.number("to", to).number("step", smallest);
    }
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * scale;
    let cycles: Option<Vec<f64>> = turns
        .chunks(3)
        .map(|c| match c {
            [up, down, back] if near(*down, -up) && near(*back, 0.0) => Some(*up),
            [up, down] if near(*down, -up) => Some(*up),
            _ => None,
        })
        .collect();
    // Without a stop at zero between the cycles the turns are the peaks themselves.
    let peaks: Option<Vec<f64>> = turns
        .chunks(2)
        .map(|c| match c {
            [up, down] if near(*down, -up) => Some(*up),
            [last] if near(*last, 0.0) => Some(f64::NAN),
            _ => None,
        })
        .collect();
    let peaks = peaks.map(|p| p.into_iter().filter(|x| !x.is_nan()).collect());
    if shifted {
        let message = format!(
            "the loads that are held bring the displacement to {}: the script cycles about that, Interfield about zero",
            number(start)
        );
        report.add(
            Fate::Replaced,
            "integrator DisplacementControl",
            &run.place,
            &message,
            "compare a symmetric structure",
        );
    }
    match cycles.or(peaks) {
        Some(cycles) => keys.with("cycles", list(&cycles)).number("step", smallest),
        None => {
            let last = turns.last().copied().unwrap_or(0.0);
            let words: Vec<String> = turns.iter().map(|x| number(*x)).collect();
            let message = format!("the protocol {} is neither monotonic nor in cycles", words.join(", "));
            report.add(
                Fate::Refused,
                "integrator DisplacementControl",
                &run.place,
                &message,
                "use equal amplitudes to both sides",
            );
            keys.number("to", last).number("step", smallest)
        }
    }
}
