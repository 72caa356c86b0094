//! What the members of a frame carried in a run: forces along them, the state of their sections, the worst sections with their stress, and
//! the storeys over the height.

use interfield_language::Model;
use interfield_language::model::{FramePart, Kind};
use interfield_language::units::Dimension;
use interfield_report::Block;
use interfield_report::section::{CrossSection, Fibre};
use interfield_report::structure::{Along, Station};
use interfield_structure::Simulation;
use interfield_structure::carried::{Carried, Damage, Forces, SectionState, When};

use super::frames::Frames;
use super::scene::Scene;
use crate::drawing::structure;
use interfield::table::short;

/// Most members that are looked at, and that are drawn.
pub(crate) const LOOKED_AT: usize = 4000;
const DRAWN: usize = 1500;
/// Sections whose stress is drawn: so many in all, and of one member.
const SECTIONS: usize = 4;
const OF_ONE: usize = 2;

/// States of sections, by [`level`].
const STATES: [&str; 5] =
    ["no damage", "concrete cracked", "steel yielded", "concrete beyond its strength", "concrete crushed"];

fn level(damage: Damage) -> usize {
    match damage {
        Damage::None => 0,
        Damage::Cracked => 1,
        Damage::Yielded(_) => 2,
        Damage::BeyondStrength(_) => 3,
        Damage::Crushed(_) => 4,
    }
}

/// A part of the forces of a member: its name, what it is measured in, its values, and the side to which they are drawn.
type Component = (&'static str, Dimension, fn(&Forces) -> &[f64], fn(&Carried) -> [f64; 3]);

fn minus_y(c: &Carried) -> [f64; 3] {
    c.axes[1].map(|x| -x)
}

/// Moments are drawn on the tension side: at negative y for a positive Mz, at positive z for a positive My.
const COMPONENTS: [Component; 3] = [
    ("Moments", Dimension::MOMENT, |f| &f.moment_z, minus_y),
    ("Moments about y", Dimension::MOMENT, |f| &f.moment_y, |c| c.axes[2]),
    ("Axial forces, tension positive,", Dimension::FORCE, |f| &f.axial, minus_y),
];

/// What is known of the members of a run.
pub(crate) struct Pictures {
    /// After gravity.
    pub(crate) gravity: Vec<Block>,
    /// At the largest displacement, and over the run.
    pub(crate) members: Vec<Block>,
}

impl Scene {
    /// Pictures of the members of a run.
    pub(crate) fn pictures(&self, model: &Model, sim: &Simulation, frames: &Frames) -> Pictures {
        let mut pictures = Pictures { gravity: Vec::new(), members: Vec::new() };
        let Some((t, peak)) = sim.members(When::Peak).filter(|m| !m.1.is_empty()) else { return pictures };
        if peak.len() > DRAWN {
            let text = format!("{} members: more than {DRAWN} are not drawn.", peak.len());
            pictures.members.push(Block::Text(text));
            return pictures;
        }
        let names: Vec<String> = structure(model).lines.into_iter().map(|l| l.name).collect();
        let line = |c: &Carried| names.iter().position(|n| *n == model.elements[c.element].name);
        let moment = format!("at {t:.3} s, at the largest displacement");
        let loaded = !model.held.is_empty() || model.elements.iter().any(|e| spread(&e.kind));
        if let Some((_, start)) = sim.members(When::Start).filter(|_| loaded) {
            pictures.gravity = self.diagrams(model, &start, &line, "after gravity", |c| vec![c.forces]);
        }
        pictures.members.extend(self.plastic(model, &peak, &line, (&moment, frames.peak())));
        pictures.members.extend(self.diagrams(model, &peak, &line, &moment, |c| vec![c.forces]));
        let over = "smallest and largest of the run";
        pictures.members.extend(self.diagrams(model, &peak, &line, over, |c| c.envelope.to_vec()));
        pictures.members.extend(worst_sections(model, &peak, t));
        pictures
    }

    /// Moments and axial forces on the structure.
    fn diagrams(
        &self,
        model: &Model,
        members: &[Carried],
        line: &dyn Fn(&Carried) -> Option<usize>,
        when: &str,
        forces: fn(&Carried) -> Vec<Forces>,
    ) -> Vec<Block> {
        let mut blocks = Vec::new();
        for (name, dimension, values, side) in COMPONENTS {
            let (factor, unit) = model.units.readable(dimension);
            let along = |c: &Carried| {
                let curves = forces(c).iter().map(|f| values(f).iter().map(|x| x / factor).collect()).collect();
                Some(Along { line: line(c)?, curves, side: across(c, side(c)) })
            };
            let along: Vec<Along> = members.iter().filter_map(along).collect();
            if along.iter().all(|a| a.curves.iter().flatten().all(|x| *x == 0.0)) {
                continue;
            }
            let title = format!("{name} {when}");
            let sheet = self.drawing.diagram("", &along, &interfield_report::printed(&unit));
            let note = if dimension == Dimension::MOMENT { "Drawn on the tension side." } else { "" };
            blocks.push(Block::Still { title, sheet, note: note.to_owned() });
        }
        blocks
    }

    /// The state of all sections with fibres, on the deformed structure.
    fn plastic(
        &self,
        model: &Model,
        members: &[Carried],
        line: &dyn Fn(&Carried) -> Option<usize>,
        (moment, (_, u)): (&str, (f64, &[f32])),
    ) -> Option<Block> {
        let mut stations = Vec::new();
        for c in members {
            let Some(frame) = frame(model, c) else { continue };
            let Some(line) = line(c) else { continue };
            for (i, s) in c.sections.iter().enumerate() {
                let words: Vec<String> = damages(frame, s).map(|(name, d)| told(name, d)).collect();
                let name = &model.elements[c.element].name;
                let title = format!("{name}, section {}: {}", i + 1, words.join("; "));
                stations.push(Station { line, share: s.xi, state: level(worst(frame, s)), title });
            }
        }
        if stations.is_empty() {
            return None;
        }
        let state = self.displaced(|d| self.unknowns[d].map_or(0.0, |i| f64::from(u[i])));
        let states = STATES.map(str::to_owned);
        let sheet = self.drawing.stations("", &state, &stations, &states);
        let counts = (0..STATES.len()).rev().map(|i| (stations.iter().filter(|s| s.state == i).count(), STATES[i]));
        let counts: Vec<String> = counts.filter(|c| c.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let note = format!(
            "Each section by the largest strains of the run, on the shape {moment}. Sections: {}.",
            counts.join(", ")
        );
        Some(Block::Still { title: "State of the sections".to_owned(), sheet, note })
    }
}

/// A direction across a member; any one where its own is not known.
fn across(c: &Carried, side: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = c.axes[0];
    if side != [0.0; 3] {
        return side;
    }
    // Bars have only their own direction.
    let flat = x.hypot(y);
    if flat > 1e-9 { [-y / flat, x / flat, 0.0] } else { [z.signum(), 0.0, 0.0] }
}

fn spread(kind: &Kind) -> bool {
    matches!(kind, Kind::Frame { frame, .. } if frame.load != [0.0; 3])
}

fn frame<'a>(model: &'a Model, c: &Carried) -> Option<&'a FramePart> {
    match &model.elements[c.element].kind {
        Kind::Frame { frame, .. } => Some(frame),
        _ => None,
    }
}

/// Each material of a section with what became of it.
fn damages<'a>(frame: &'a FramePart, s: &'a SectionState) -> impl Iterator<Item = (&'a str, Damage)> {
    let tables = frame.sections.tables();
    let groups = tables.sections[s.section].groups(&tables);
    let first =
        groups.first().map_or(0, |g| frame.sections.groups.iter().position(|x| x.first == g.first).unwrap_or(0));
    groups.iter().zip(&s.extremes).enumerate().map(move |(i, (g, extremes))| {
        let name = frame.sections.materials.get(first + i).map_or("", String::as_str);
        (name, Damage::of(&g.material.limits(), *extremes))
    })
}

fn worst(frame: &FramePart, s: &SectionState) -> Damage {
    damages(frame, s).map(|d| d.1).fold(Damage::None, |a, b| if b > a { b } else { a })
}

fn told(name: &str, damage: Damage) -> String {
    match damage {
        Damage::None => format!("{name} elastic"),
        Damage::Cracked => format!("{name} cracked"),
        Damage::Yielded(x) => format!("{name} yielded, {} yield strains", short(x)),
        Damage::BeyondStrength(x) => format!("{name} beyond its strength, {} times its strain there", short(x)),
        Damage::Crushed(x) => format!("{name} crushed, {} times its last strain", short(x)),
    }
}

/// The sections with the worst damage, with their stress.
fn worst_sections(model: &Model, members: &[Carried], t: f64) -> Vec<Block> {
    let mut all: Vec<(Damage, f64, &Carried, usize)> = Vec::new();
    for c in members {
        let Some(frame) = frame(model, c) else { continue };
        let bent = |s: &SectionState| s.seen.strains[1].hypot(s.seen.strains[2]);
        all.extend(c.sections.iter().enumerate().map(|(i, s)| (worst(frame, s), bent(s), c, i)));
    }
    all.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal).then(b.1.total_cmp(&a.1)));
    let mut shown: Vec<(usize, usize)> = Vec::new();
    let mut blocks = Vec::new();
    for (_, _, c, i) in all {
        if shown.len() == SECTIONS {
            break;
        }
        if shown.iter().filter(|s| s.0 == c.element).count() == OF_ONE {
            continue;
        }
        let Some(frame) = frame(model, c) else { continue };
        shown.push((c.element, i));
        blocks.push(stressed(model, frame, (&model.elements[c.element].name, i), &c.sections[i], t));
    }
    blocks
}

/// A section with its stress at a moment.
fn stressed(model: &Model, frame: &FramePart, (name, number): (&str, usize), s: &SectionState, t: f64) -> Block {
    let (stress, unit) = model.units.readable(Dimension::STRESS);
    let mut section = cross_section(model, frame, s.section);
    for fibre in &mut section.fibres {
        // Fibres of both lists are in the order of the tables.
        let Some((_, strain, value)) = s.fibres.iter().find(|f| frame.sections.numbers[f.0] == fibre.number) else {
            continue;
        };
        fibre.stress = value / stress;
        let tables = frame.sections.tables();
        let group = tables.sections[s.section].groups(&tables).get(fibre.material);
        let damage = group.map_or(Damage::None, |g| Damage::of(&g.material.limits(), [*strain, *strain]));
        fibre.spent = level(damage) > 1;
    }
    section.stress = Some(interfield_report::printed(&unit));
    let [eps, kz, ky, _] = s.seen.strains;
    section.strains = Some([eps, kz, ky]);
    let in_unit = |x: f64, dimension: Dimension| {
        let (factor, unit) = model.units.readable(dimension);
        format!("{} {}", short(x / factor), interfield_report::printed(&unit))
    };
    let forces = s.seen.forces;
    let mut note =
        format!("N = {}, Mz = {}", in_unit(forces[0], Dimension::FORCE), in_unit(forces[1], Dimension::MOMENT));
    if forces[2] != 0.0 {
        note += &format!(", My = {}", in_unit(forces[2], Dimension::MOMENT));
    }
    note += &format!("; curvature about z {}", in_unit(kz, Dimension::NONE.per(Dimension::LENGTH)));
    let words: Vec<String> = damages(frame, s).map(|(name, d)| told(name, d)).collect();
    let note = format!("{note}. Over the run: {}.", words.join("; "));
    section.note = String::new();
    let title =
        format!("Stress in `{name}`, section {} at {:.0} % of its length, at {t:.3} s", number + 1, 100.0 * s.xi);
    section.title = String::new();
    Block::Still { title: title.replace('`', ""), sheet: section.sheet(), note }
}

/// A cross-section as it is drawn; colours show materials.
pub(crate) fn cross_section(model: &Model, frame: &FramePart, number: usize) -> CrossSection {
    let sections = &frame.sections;
    let tables = sections.tables();
    let groups = tables.sections[number].groups(&tables);
    let mut fibres = Vec::new();
    for (material, g) in groups.iter().enumerate() {
        fibres.extend((g.first..g.first + g.count).map(|f| Fibre {
            number: sections.numbers[f],
            at: [sections.y[f], sections.z[f]],
            outline: sections.outlines[f].clone(),
            area: sections.area[f],
            material,
            stress: 0.0,
            spent: false,
        }));
    }
    let name = |g: &interfield_kernel::frame::Group| {
        let index = sections.groups.iter().position(|x| x.first == g.first).unwrap_or(0);
        sections.materials.get(index).cloned().unwrap_or_default()
    };
    let units = &model.units;
    CrossSection {
        title: sections.names.get(number).cloned().unwrap_or_default(),
        fibres,
        materials: groups.iter().map(name).collect(),
        length: (units.label(Dimension::LENGTH), 1.0 / units.factor(Dimension::LENGTH)),
        ..CrossSection::default()
    }
}
