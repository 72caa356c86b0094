//! `section`, with `patch`, `layer` and `fiber`: cross-sections of ours.

use crate::arguments::Arguments;
use crate::domain::{Domain, Section, Wrong, wrong};
use crate::materials::kind;
use crate::record::Command;
use crate::write::{Keys, list, number};

/// A cross-section: its keys, and what of it refers to materials.
#[derive(Default)]
pub(crate) struct Translated {
    pub(crate) keys: Keys,
    /// Tag of the material and keys of the shape.
    pub(crate) fibres: Vec<(i64, Keys)>,
    /// Forces with materials of their own: name of the force, tag of the material.
    pub(crate) resultants: Vec<(&'static str, i64)>,
    /// What a user should know.
    pub(crate) remarks: Vec<(String, String)>,
}

impl Translated {
    /// Whether members of it deform in shear.
    pub(crate) fn is_sheared(&self) -> bool {
        self.keys.0.iter().any(|(k, _)| k == "G") || self.resultants.iter().any(|(f, _)| f.starts_with('V'))
    }

    /// The same without shear.
    pub(crate) fn bending(mut self) -> Self {
        self.keys.0.retain(|(k, _)| !["G", "Ay", "Az"].contains(&k.as_str()));
        self.resultants.retain(|(f, _)| !f.starts_with('V'));
        self
    }
}

pub(crate) fn translate(domain: &Domain, section: &Section) -> Result<Translated, Wrong> {
    let command = &section.command;
    let mut a = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
    match kind(command) {
        "Elastic" => Ok(Translated { keys: elastic(domain, &a.numbers())?, ..Translated::default() }),
        "Fiber" | "fiberSec" | "FiberSection" => {
            let mut made = Translated { keys: torsion(domain, &a)?.with("centroid", "true"), ..Translated::default() };
            for part in &section.parts {
                made.fibres.push(shape(part, &mut made.remarks)?);
            }
            if made.fibres.is_empty() {
                return wrong("the section has no fibres", "give patches, layers or fibres after it");
            }
            Ok(made)
        }
        "WFSection2d" | "WSection2d" => {
            let all = a.numbers();
            if all.len() < 7 {
                return wrong("WFSection2d needs a material, d, tw, bf, tf, Nfw and Nff", "give all of them");
            }
            Ok(Translated { fibres: vec![wide_flange(&all)], ..Translated::default() })
        }
        "Aggregator" => aggregated(domain, &a),
        "Uniaxial" => {
            let (Some(material), Some(force)) = (a.tag(), a.word()) else {
                return wrong("the section needs a material and a force", "write section('Uniaxial', 1, 1, 'Mz')");
            };
            Ok(Translated { resultants: vec![(resultant(force)?, material)], ..Translated::default() })
        }
        other => wrong(
            format!("Interfield has no section `{other}`"),
            "use a Fiber, an Elastic, a WFSection2d or an Aggregator section",
        ),
    }
}

fn elastic(domain: &Domain, all: &[f64]) -> Result<Keys, Wrong> {
    let keys = |e: f64, a: f64, iz: f64| Keys::default().number("E", e).number("A", a).number("Iz", iz);
    match (domain.ndm, all) {
        (3, [e, a, iz, iy, g, j, rest @ ..]) => {
            let keys = keys(*e, *a, *iz).number("Iy", *iy).number("torsion", g * j);
            Ok(match rest {
                [y, z, ..] if *y != 0.0 && *z != 0.0 => keys.number("G", *g).number("Ay", y * a).number("Az", z * a),
                _ => keys,
            })
        }
        (2, [e, a, iz, rest @ ..]) => Ok(match rest {
            [g, y, ..] if *g != 0.0 && *y != 0.0 => keys(*e, *a, *iz).number("G", *g).number("Ay", y * a),
            _ => keys(*e, *a, *iz),
        }),
        _ => wrong("the elastic section has too few numbers", "in space it has E A Iz Iy G J, in a plane E A Iz"),
    }
}

/// `-GJ` or a material for the torsion.
fn torsion(domain: &Domain, a: &Arguments<'_>) -> Result<Keys, Wrong> {
    if let Some(gj) = a.after("-GJ").and_then(|mut a| a.number()) {
        return Ok(Keys::default().number("torsion", gj));
    }
    let Some(tag) = a.after("-torsion").and_then(|mut a| a.tag()) else { return Ok(Keys::default()) };
    match stiffness(domain, tag) {
        Some(k) => Ok(Keys::default().number("torsion", k)),
        None => wrong(
            format!("the torsion of fibres must be elastic, and material {tag} is not"),
            "give it an Elastic material",
        ),
    }
}

/// Stiffness of an elastic material.
fn stiffness(domain: &Domain, tag: i64) -> Option<f64> {
    let material = domain.materials.get(&tag).filter(|m| kind(m) == "Elastic" && m.arguments.len() == 3)?;
    material.arguments[2].number()
}

/// A force of a section by its name.
fn resultant(force: &str) -> Result<&'static str, Wrong> {
    let names = [("P", "N"), ("Mz", "Mz"), ("My", "My"), ("T", "T"), ("Vy", "Vy"), ("Vz", "Vz")];
    match names.iter().find(|n| n.0 == force) {
        Some((_, name)) => Ok(name),
        None => wrong(format!("`{force}` is not a force of a section"), "use P, Mz, Vy, My, Vz or T"),
    }
}

/// Forces with materials of their own, beside a section or alone.
fn aggregated(domain: &Domain, a: &Arguments<'_>) -> Result<Translated, Wrong> {
    let mut section = match a.after("-section").and_then(|mut a| a.tag()) {
        None => Translated::default(),
        Some(tag) => match domain.sections.get(&tag) {
            Some(base) => translate(domain, base)?,
            None => return wrong(format!("there is no section {tag}"), "define it before it is used"),
        },
    };
    let alone = section.fibres.is_empty() && section.keys.0.is_empty();
    let mut a = a.clone();
    while let (Some(material), Some(force)) = (a.tag(), a.word()) {
        let name = resultant(force)?;
        match (name, stiffness(domain, material)) {
            ("T", Some(k)) if !alone => {
                section.keys.0.retain(|(key, _)| key != "torsion");
                section.keys = section.keys.number("torsion", k);
            }
            _ => section.resultants.push((name, material)),
        }
    }
    Ok(section)
}

/// A wide flange.
fn wide_flange(all: &[f64]) -> (i64, Keys) {
    let keys = Keys::default().text("shape", "wide-flange").number("depth", all[1]).number("web", all[2]);
    let keys = keys.number("width", all[3]).number("flange", all[4]).with("divisions", list(&[all[5], all[6]]));
    (all[0].round() as i64, keys)
}

/// A patch, a layer or a fibre: tag of its material, and its keys.
fn shape(command: &Command, remarks: &mut Vec<(String, String)>) -> Result<(i64, Keys), Wrong> {
    let mut a = Arguments::of(command);
    let short = || ("the shape has too few numbers".to_owned(), "give all of them".to_owned());
    if command.name == "fiber" {
        let [y, z, area, material] = [a.number(), a.number(), a.number(), a.number()].map(|x| x.ok_or_else(short));
        let keys = Keys::default().text("shape", "point").with("at", list(&[y?, z?])).number("area", area?);
        return Ok((material?.round() as i64, keys));
    }
    let kind = a.word().unwrap_or_default().to_owned();
    let all = a.numbers();
    let material = all.first().ok_or_else(short)?.round() as i64;
    let angle = |x: f64| format!("\"{} deg\"", number(x));
    let keys = match (command.name.as_str(), kind.as_str(), &all[1..]) {
        ("patch", "rect" | "rectangular", [ny, nz, yi, zi, yj, zj, ..]) => Keys::default()
            .text("shape", "rectangle")
            .with("from", list(&[yi.min(*yj), zi.min(*zj)]))
            .with("to", list(&[yi.max(*yj), zi.max(*zj)]))
            .with("divisions", list(&[*ny, *nz])),
        ("patch", "quad" | "quadr" | "quadrilateral", [ni, nj, p @ ..]) if p.len() >= 8 => {
            quadrilateral([*ni, *nj], p, remarks)
        }
        ("patch", "circ" | "circular", [around, across, y, z, inner, outer, rest @ ..]) => {
            let keys = Keys::default().text("shape", "ring");
            let keys = if *y == 0.0 && *z == 0.0 { keys } else { keys.with("centre", list(&[*y, *z])) };
            let keys =
                keys.unless("inner", *inner, 0.0).number("outer", *outer).with("divisions", list(&[*around, *across]));
            match rest {
                [from, to, ..] if (to - from).abs() < 360.0 => keys.with("start", angle(*from)).with("end", angle(*to)),
                [from, ..] if *from != 0.0 => keys.with("start", angle(*from)).with("end", angle(from + 360.0)),
                _ => keys,
            }
        }
        ("layer", "straight", [n, area, y0, z0, y1, z1, ..]) => Keys::default()
            .text("shape", "line")
            .number("bars", *n)
            .number("area", *area)
            .with("from", list(&[*y0, *z0]))
            .with("to", list(&[*y1, *z1])),
        ("layer", "circ" | "circular", [n, area, y, z, radius, rest @ ..]) => {
            let keys = Keys::default().text("shape", "arc").number("bars", *n).number("area", *area);
            let keys = if *y == 0.0 && *z == 0.0 { keys } else { keys.with("centre", list(&[*y, *z])) };
            let keys = keys.number("radius", *radius);
            match rest {
                [from, to, ..] => keys.with("start", angle(*from)).with("end", angle(*to)),
                _ => keys,
            }
        }
        (name, kind, _) => {
            let known = "rect, quad and circ are patches, straight and circ are layers";
            return wrong(format!("`{name} {kind}` with {} numbers is unknown", all.len()), known);
        }
    };
    Ok((material, keys))
}

/// Corners counter-clockwise: those of a script may go the other way round.
fn quadrilateral([ni, nj]: [f64; 2], p: &[f64], remarks: &mut Vec<(String, String)>) -> Keys {
    let corner = |i: usize| [p[2 * i], p[2 * i + 1]];
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let area: f64 = (0..4).map(|i| cross(corner(i), corner((i + 1) % 4))).sum();
    if area < 0.0 {
        let message = "the corners of a quadrilateral go clockwise: OpenSees gives its fibres negative areas, Interfield positive ones";
        remarks.push((message.to_owned(), "name the corners counter-clockwise in the script".to_owned()));
    }
    let (order, cells) = if area >= 0.0 { ([0, 1, 2, 3], [ni, nj]) } else { ([0, 3, 2, 1], [nj, ni]) };
    let corners: Vec<String> = order.iter().map(|&i| list(&corner(i))).collect();
    let keys = Keys::default().text("shape", "quadrilateral").with("corners", format!("[{}]", corners.join(", ")));
    keys.with("divisions", list(&cells))
}
