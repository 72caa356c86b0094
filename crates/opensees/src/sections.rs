//! `section`, with `patch`, `layer` and `fiber`: cross-sections of ours.

use crate::arguments::Arguments;
use crate::domain::{Domain, Section, Wrong, wrong};
use crate::materials::kind;
use crate::record::Command;
use crate::write::{Keys, list, number};

/// A cross-section: its keys, its fibres, and the tags of their materials in the order of the fibres.
pub(crate) struct Translated {
    pub(crate) keys: Keys,
    /// Tag of the material and keys of the shape.
    pub(crate) fibres: Vec<(i64, Keys)>,
    /// What a user should know.
    pub(crate) remarks: Vec<(String, String)>,
}

pub(crate) fn translate(domain: &Domain, section: &Section) -> Result<Translated, Wrong> {
    let command = &section.command;
    let mut a = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
    let plain = |keys: Keys| Ok(Translated { keys, fibres: Vec::new(), remarks: Vec::new() });
    match kind(command) {
        "Elastic" => plain(elastic(domain, &a.numbers())?),
        "Fiber" | "fiberSec" | "FiberThermal" | "NDFiber" if kind(command) != "NDFiber" => {
            let keys = torsion(domain, &a)?;
            let fibres = section.parts.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
            if fibres.is_empty() {
                return wrong("the section has no fibres", "give patches, layers or fibres after it");
            }
            Ok(Translated { keys: keys.with("centroid", "true"), fibres, remarks: Vec::new() })
        }
        "WFSection2d" | "WSection2d" => {
            let all = a.numbers();
            if all.len() < 7 {
                return wrong("WFSection2d needs a material, d, tw, bf, tf, Nfw and Nff", "give all of them");
            }
            let fibres = wide_flange(&all);
            Ok(Translated { keys: Keys::default(), fibres, remarks: Vec::new() })
        }
        "Aggregator" => aggregated(domain, &a),
        other => wrong(
            format!("Interfield has no section `{other}`"),
            "use a Fiber or an Elastic section; a section of one material per force is an Aggregator on one of these",
        ),
    }
}

fn elastic(domain: &Domain, all: &[f64]) -> Result<Keys, Wrong> {
    let keys = |e: f64, a: f64, iz: f64| Keys::default().number("E", e).number("A", a).number("Iz", iz);
    match (domain.ndm, all) {
        (3, [e, a, iz, iy, g, j, ..]) => Ok(keys(*e, *a, *iz).number("Iy", *iy).number("torsion", g * j)),
        (2, [e, a, iz, ..]) => Ok(keys(*e, *a, *iz)),
        _ => wrong("the elastic section has too few numbers", "in space it has E A Iz Iy G J, in a plane E A Iz"),
    }
}

/// `-GJ` or a material for the torsion.
fn torsion(domain: &Domain, a: &Arguments<'_>) -> Result<Keys, Wrong> {
    if let Some(gj) = a.after("-GJ").and_then(|mut a| a.number()) {
        return Ok(Keys::default().number("torsion", gj));
    }
    let Some(tag) = a.after("-torsion").and_then(|mut a| a.tag()) else { return Ok(Keys::default()) };
    Ok(Keys::default().number("torsion", stiffness(domain, tag, "torsion")?))
}

/// Stiffness of an elastic material.
fn stiffness(domain: &Domain, tag: i64, what: &str) -> Result<f64, Wrong> {
    let Some(material) = domain.materials.get(&tag) else {
        return wrong(format!("there is no material {tag}"), "define it before it is used");
    };
    match (kind(material), material.arguments.get(2).and_then(|a| a.number())) {
        ("Elastic", Some(k)) => Ok(k),
        (other, _) => wrong(
            format!("the {what} of a section must be elastic, and material {tag} is {other}"),
            "give it an Elastic material",
        ),
    }
}

/// Forces of other materials beside a section: only elastic torsion.
fn aggregated(domain: &Domain, a: &Arguments<'_>) -> Result<Translated, Wrong> {
    let base = a.after("-section").and_then(|mut a| a.tag());
    let Some(base) = base.and_then(|tag| domain.sections.get(&tag)) else {
        return wrong(
            "an Aggregator without a section below it is unknown",
            "use an Elastic or a Fiber section, and put nonlinear hinges into zeroLength elements",
        );
    };
    let mut section = translate(domain, base)?;
    let mut a = a.clone();
    while let (Some(material), Some(force)) = (a.tag(), a.word()) {
        match force {
            "T" => {
                section.keys.0.retain(|(key, _)| key != "torsion");
                section.keys = section.keys.number("torsion", stiffness(domain, material, "torsion")?);
            }
            "Vy" | "Vz" => section.remarks.push((
                format!("the shear {force} of an Aggregator is left out: members are rigid in shear"),
                "members are then a little stiffer; OpenSees leaves it out too in dispBeamColumn".to_owned(),
            )),
            other => {
                let message = format!("{other} of an Aggregator beside a section that has it is unknown");
                return wrong(message, "leave it to the fibres, or put a spring into a zeroLength element");
            }
        }
    }
    Ok(section)
}

/// A wide flange: web and two flanges in strips across the bending.
fn wide_flange(all: &[f64]) -> Vec<(i64, Keys)> {
    let (material, d, tw, bf, tf) = (all[0].round() as i64, all[1], all[2], all[3], all[4]);
    let (web, flange) = (all[5], all[6]);
    let inner = 0.5 * d - tf;
    let strip = |y0: f64, y1: f64, width: f64, n: f64| {
        let keys = Keys::default().text("shape", "rectangle").with("from", list(&[y0, -0.5 * width]));
        (material, keys.with("to", list(&[y1, 0.5 * width])).with("divisions", list(&[n, 1.0])))
    };
    vec![strip(inner, 0.5 * d, bf, flange), strip(-inner, inner, tw, web), strip(-0.5 * d, -inner, bf, flange)]
}

/// A patch, a layer or a fibre: tag of its material, and its keys.
fn shape(command: &Command) -> Result<(i64, Keys), Wrong> {
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
        ("patch", "quad" | "quadr" | "quadrilateral", [ni, nj, p @ ..]) if p.len() >= 8 => quadrilateral([*ni, *nj], p),
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
fn quadrilateral([ni, nj]: [f64; 2], p: &[f64]) -> Keys {
    let corner = |i: usize| [p[2 * i], p[2 * i + 1]];
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let area: f64 = (0..4).map(|i| cross(corner(i), corner((i + 1) % 4))).sum();
    let (order, cells) = if area >= 0.0 { ([0, 1, 2, 3], [ni, nj]) } else { ([0, 3, 2, 1], [nj, ni]) };
    let corners: Vec<String> = order.iter().map(|&i| list(&corner(i))).collect();
    let keys = Keys::default().text("shape", "quadrilateral").with("corners", format!("[{}]", corners.join(", ")));
    keys.with("divisions", list(&cells))
}
