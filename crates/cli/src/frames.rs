//! What `interfield check` says of nonlinear frames: materials, cross-sections, how members are computed, constraints, gravity; and the
//! cross-sections drawn.

use std::path::{Path, PathBuf};

use interfield::files::{has_extension, write};
use interfield::table::{aligned, short, wrapped};
use interfield_kernel::frame::member::{Formulation, Member};
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::rule::Rule;
use interfield_kernel::frame::transformation::Transformation;
use interfield_language::Model;
use interfield_language::model::{FramePart, Kind, Support};
use interfield_language::units::Dimension;
use interfield_report::printed;
use interfield_report::section::beside;
use serde_json::{Value, json};

use crate::drawing::DPI;
use crate::report::cross_section;

/// The first part of the frame of a model: all of them share sections.
fn frame(model: &Model) -> Option<&FramePart> {
    frames(model).next().map(|f| f.1)
}

fn frames(model: &Model) -> impl Iterator<Item = (&str, &FramePart)> {
    model.elements.iter().filter_map(|e| match &e.kind {
        Kind::Frame { frame, .. } => Some((e.name.as_str(), &**frame)),
        _ => None,
    })
}

/// Draws the cross-sections that have fibres beside the picture of the structure; where.
pub(crate) fn draw_sections(picture: &Path, model: &Model) -> Result<Option<PathBuf>, String> {
    let Some(frame) = frame(model) else { return Ok(None) };
    let sections = &frame.sections.sections;
    let drawn = (0..sections.len()).map(|i| cross_section(model, frame, i)).filter(|s| !s.fibres.is_empty());
    let sheets: Vec<_> = drawn.map(|s| s.sheet()).collect();
    if sheets.is_empty() {
        return Ok(None);
    }
    let stem = picture.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let kind = picture.extension().map_or_else(|| "svg".into(), |e| e.to_string_lossy().into_owned());
    let path = picture.with_file_name(format!("{stem}-sections.{kind}"));
    let sheet = beside(sheets);
    if has_extension(&path, "png") { write(&path, sheet.png(DPI)) } else { write(&path, sheet.svg()) }?;
    Ok(Some(path))
}

/// All of it in words; empty without a frame.
pub(crate) fn text(model: &Model) -> String {
    let mut out = String::new();
    if let Some(frame) = frame(model) {
        out += &materials(frame);
        out += &sections(model, frame);
        out += &members(model);
    }
    // The insides of superelements are told with these.
    let inside: usize = model.superelements.iter().map(|s| s.interior).sum();
    let following =
        model.dofs.iter().filter(|d| matches!(d.support, Support::Follows(_))).count().saturating_sub(inside);
    if following > 0 {
        out += &format!("\nconstraints\n  {following} degrees of freedom follow others and are eliminated\n");
    }
    out + &gravity(model)
}

fn materials(frame: &FramePart) -> String {
    let mut known: Vec<(&str, &str, String)> = Vec::new();
    for (name, group) in frame.sections.materials.iter().zip(&frame.sections.groups) {
        if known.iter().all(|k| k.0 != name) {
            let l = group.material.limits();
            let mut states = Vec::new();
            if l.tension.is_finite() {
                states.push(format!("yields at a strain of {}", short(l.tension)));
            }
            if l.peak.is_finite() {
                states.push(format!("strength at a strain of {}, crushed at {}", short(l.peak), short(l.crushed)));
            }
            known.push((name, group.material.info().name, states.join("; ")));
        }
    }
    if known.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = known.into_iter().map(|(a, b, c)| vec![a.to_owned(), b.to_owned(), c]).collect();
    format!("\nmaterials of fibres\n{}", aligned(&["name", "<type", "<"], &rows))
}

/// EA, EIz and EIy at rest.
fn stiffness(frame: &FramePart, section: usize) -> [f64; 3] {
    let tables = frame.sections.tables();
    let k = tables.sections[section].at_rest::<4>(&tables);
    [k[0][0], k[1][1], k[2][2]]
}

fn sections(model: &Model, frame: &FramePart) -> String {
    let units = &model.units;
    let dims = [Dimension::FORCE, Dimension::FLEXURAL_RIGIDITY, Dimension::FLEXURAL_RIGIDITY];
    // Of a plane frame the third says nothing.
    let shown = if frames(model).any(|(_, f)| matches!(f.part, Part::Space(..))) { 3 } else { 2 };
    let labels = ["EA", "EIz", "EIy"].iter().zip(dims).take(shown).map(|(n, d)| format!("{n} [{}]", units.label(d)));
    let labels: Vec<String> = labels.collect();
    let tables = frame.sections.tables();
    let row = |(i, name): (usize, &String)| {
        let fibres: usize = tables.sections[i].groups(&tables).iter().map(|g| g.count).sum();
        let what = if fibres == 0 { "elastic".to_owned() } else { format!("{fibres} fibres") };
        let numbers = stiffness(frame, i).into_iter().zip(dims).map(|(x, d)| short(x / units.factor(d)));
        [vec![name.clone(), what], numbers.take(shown).collect()].concat()
    };
    let rows: Vec<Vec<String>> = frame.sections.names.iter().enumerate().map(row).collect();
    let header: Vec<&str> = ["name", "<"].into_iter().chain(labels.iter().map(String::as_str)).collect();
    format!("\ncross-sections, stiffness at rest\n{}", aligned(&header, &rows))
}

/// How a member is computed, in words.
fn computed(member: &Member, kind: Transformation) -> String {
    let Member { rule, .. } = member;
    let points = rule.count;
    let same = |other: Option<Rule>| other.is_some_and(|o| o.xi == rule.xi && o.weight == rule.weight);
    let along = if same(Rule::lobatto(points, 0)) {
        format!("{points} Lobatto points")
    } else if same(Rule::legendre(points, 0)) {
        format!("{points} Legendre points")
    } else {
        "hinges at the ends".to_owned()
    };
    let by = match member.formulation {
        Formulation::Displacement => format!("displacement-based, {along}"),
        Formulation::Force { passes: 1 } => format!("force-based, {along}, 1 pass"),
        Formulation::Force { passes } => format!("force-based, {along}, {passes} passes"),
        Formulation::ForceIterated { .. } => format!("force-based, {along}, iterated"),
    };
    let kind = match kind {
        Transformation::Linear => "linear geometry",
        Transformation::PDelta => "P-Delta",
        Transformation::Corotational => "corotational",
    };
    let shear = if member.sheared { ", with shear" } else { "" };
    let released = if member.released.contains(&true) { ", with releases" } else { "" };
    format!("{by}, {kind}{shear}{released}")
}

/// Members by how they are computed.
fn grouped(model: &Model) -> Vec<(String, Vec<&str>)> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, frame) in frames(model) {
        let (Part::Plane(member, kind) | Part::Space(member, kind)) = &frame.part else { continue };
        let words = computed(member, *kind);
        match kinds.iter_mut().find(|k| k.0 == words) {
            Some(found) => found.1.push(name),
            None => kinds.push((words, vec![name])),
        }
    }
    kinds
}

fn members(model: &Model) -> String {
    const NAMED: usize = 6;
    let kinds = grouped(model);
    if kinds.is_empty() {
        return String::new();
    }
    let line = |(words, names): &(String, Vec<&str>)| {
        let named = names.iter().take(NAMED).map(|n| (*n).to_owned()).collect::<Vec<_>>().join(", ");
        let more = if names.len() > NAMED { format!(", and {} more", names.len() - NAMED) } else { String::new() };
        wrapped("  ", &format!("{words}: {named}{more}"))
    };
    format!("\nmembers\n{}", kinds.iter().map(line).collect::<String>())
}

/// Loads that are there from the beginning.
fn gravity(model: &Model) -> String {
    let spread = frames(model).filter(|(_, f)| f.load != [0.0; 3]).count();
    if model.held.is_empty() && spread == 0 {
        return String::new();
    }
    let (factor, unit) = model.units.readable(Dimension::FORCE);
    let mut sums: Vec<(&str, f64)> = Vec::new();
    for &(d, force) in model.held.iter().filter(|h| !model.dofs[h.0].angle) {
        let along = interfield_language::model::short_name(&model.dofs[d].name);
        match sums.iter_mut().find(|s| s.0 == along) {
            Some(sum) => sum.1 += force,
            None => sums.push((along, force)),
        }
    }
    let sums = sums.iter().map(|(along, x)| format!("{} {} along {along} at nodes", short(x / factor), printed(&unit)));
    let spread = match spread {
        0 => None,
        1 => Some("loads along 1 member".to_owned()),
        n => Some(format!("loads along {n} members")),
    };
    let all: Vec<String> = sums.chain(spread).collect();
    format!("\ngravity, before the run\n{}", wrapped("  ", &all.join("; ")))
}

/// The same for JSON; `null` without a frame.
pub(crate) fn described(model: &Model) -> Value {
    let Some(frame) = frame(model) else { return Value::Null };
    let (units, tables) = (&model.units, frame.sections.tables());
    let section = |(i, name): (usize, &String)| {
        let [ea, eiz, eiy] = stiffness(frame, i);
        let groups = tables.sections[i].groups(&tables);
        json!({
            "name": name, "fibres": groups.iter().map(|g| g.count).sum::<usize>(),
            "EA": ea / units.factor(Dimension::FORCE),
            "EIz": eiz / units.factor(Dimension::FLEXURAL_RIGIDITY), "EIy": eiy / units.factor(Dimension::FLEXURAL_RIGIDITY),
            interfield::quantities::UNITS: {
                "EA": units.label(Dimension::FORCE), "EIz": units.label(Dimension::FLEXURAL_RIGIDITY),
                "EIy": units.label(Dimension::FLEXURAL_RIGIDITY),
            },
        })
    };
    json!({
        "sections": frame.sections.names.iter().enumerate().map(section).collect::<Vec<_>>(),
        "members": grouped(model).iter().map(|(how, names)| json!({ "computed": how, "names": names })).collect::<Vec<_>>(),
    })
}
