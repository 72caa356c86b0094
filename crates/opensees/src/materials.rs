//! `uniaxialMaterial`: each kind with the keys of ours.

use crate::arguments::Arguments;
use crate::domain::{Domain, Wrong, wrong};
use crate::record::Command;
use crate::units::{Clue, Kind};
use crate::write::{Keys, list};

/// What a material gives where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Acts {
    Stress,
    Force,
    Moment,
    /// A force of a section over a strain.
    SectionForce,
    /// A moment of a section over a curvature or a twist.
    SectionMoment,
}

impl Acts {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Acts::Stress => "stress",
            Acts::Force => "force",
            Acts::Moment => "moment",
            Acts::SectionForce => "section-force",
            Acts::SectionMoment => "section-moment",
        }
    }
}

/// Type of a command that has one.
pub(crate) fn kind(command: &Command) -> &str {
    command.arguments.first().and_then(|a| a.word()).unwrap_or("")
}

fn parameters(command: &Command) -> Arguments<'_> {
    Arguments::from(command.arguments.get(2..).unwrap_or(&[]))
}

/// The keys of a material: its type and parameters. `part` names a material that it is made of.
pub(crate) fn keys(command: &Command, part: &mut dyn FnMut(i64) -> Result<String, Wrong>) -> Result<Keys, Wrong> {
    let kind = kind(command);
    let mut a = parameters(command);
    let all = a.clone().numbers();
    let needs = |n: usize| -> Result<(), Wrong> {
        match all.len() >= n {
            true => Ok(()),
            false => wrong(format!("{kind} has {} numbers, and needs {n}", all.len()), "give all of them"),
        }
    };
    let of = |name: &str| Keys::default().text("type", name);
    match kind {
        "Elastic" => {
            needs(1)?;
            let (e, eta) = (a.or(0.0), a.or(0.0));
            let compression = a.or(e);
            Ok(of("elastic").number("E", e).unless("Ec", compression, e).unless("eta", eta, 0.0))
        }
        "ENT" => {
            needs(1)?;
            Ok(of("elastic").number("E", 0.0).number("Ec", all[0]))
        }
        "ElasticPP" => {
            needs(2)?;
            let (e, yields) = (a.or(0.0), a.or(0.0));
            let (back, e0) = (a.or(-yields), a.or(0.0));
            let keys = of("elastic-plastic").number("E", e).number("fy", e * yields);
            Ok(keys.unless("fyc", -e * back, e * yields).unless("e0", e0, 0.0))
        }
        "ElasticPPGap" => {
            needs(3)?;
            let keys =
                of("elastic-plastic-gap").number("E", a.or(0.0)).number("fy", a.or(0.0)).number("gap", a.or(0.0));
            let keys = keys.unless("eta", a.or(0.0), 0.0);
            let damage = a.clone().word() == Some("damage") || a.or(0.0) != 0.0;
            Ok(keys.unless("damage", f64::from(u8::from(damage)), 0.0))
        }
        "Steel01" => {
            needs(3)?;
            let keys = of("bilinear").number("fy", a.or(0.0)).number("E", a.or(0.0)).number("b", a.or(0.0));
            Ok(hardening(keys, &mut a, 55.0))
        }
        "Steel02" => {
            needs(3)?;
            let keys = of("menegotto-pinto").number("fy", a.or(0.0)).number("E", a.or(0.0)).number("b", a.or(0.0));
            let keys =
                keys.unless("R0", a.or(15.0), 15.0).unless("cR1", a.or(0.925), 0.925).unless("cR2", a.or(0.15), 0.15);
            Ok(hardening(keys, &mut a, 1.0).unless("s0", a.or(0.0), 0.0))
        }
        // The signs of concrete are made negative by OpenSees too.
        "Concrete01" => {
            needs(4)?;
            Ok(concrete(of("kent-park"), &mut a))
        }
        "Concrete02" => {
            needs(4)?;
            let keys = concrete(of("kent-park-tension"), &mut a);
            let (fc, ec0) = (-all[0].abs(), -all[1].abs());
            let lambda = a.or(0.1);
            let ft = a.or(-0.1 * fc);
            let slope = a.or(0.1 * fc / ec0);
            Ok(keys.number("lambda", lambda).number("ft", ft.abs()).number("Ets", slope.abs()))
        }
        "Hysteretic" => hysteretic(of("pinching"), &all),
        "Hardening" => {
            needs(4)?;
            let keys = of("hardening").number("E", all[0]).number("fy", all[1]);
            if all.get(4).is_some_and(|eta| *eta != 0.0) {
                return wrong("the viscosity `eta` of Hardening is unknown", "set eta to 0");
            }
            Ok(keys.unless("Hi", all[2], 0.0).unless("Hk", all[3], 0.0))
        }
        "SelfCentering" => {
            needs(4)?;
            if all[4..].iter().any(|x| *x != 0.0) {
                return wrong("slip and bearing of SelfCentering are unknown", "remove epsSlip, epsBear and rBear");
            }
            let keys = of("self-centring").number("k1", all[0]).number("k2", all[1]);
            Ok(keys.number("fa", all[2]).number("beta", all[3]))
        }
        "Maxwell" => {
            needs(2)?;
            let (k, c, alpha, length) = (a.or(0.0), a.or(0.0), a.or(1.0), a.or(1.0));
            // The exponent of OpenSees acts on the length alone, not on the rate.
            Ok(of("maxwell").number("k", k).number("c", c / length.powf(alpha)))
        }
        "Viscous" => {
            needs(1)?;
            Ok(of("viscous").number("c", a.or(0.0)).unless("n", a.or(1.0), 1.0))
        }
        "ViscousDamper" => {
            needs(3)?;
            if all.get(3).is_some_and(|gap| *gap != 0.0) {
                return wrong("the gap of a ViscousDamper is unknown", "put it in series with an ElasticPPGap");
            }
            Ok(of("nonlinear-maxwell").number("k", all[0]).number("c", all[1]).number("n", all[2]))
        }
        "Parallel" | "Series" => {
            let names = a.tags().into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
            let factors = a.after("-factors").map(|mut a| a.numbers()).unwrap_or_default();
            let keys = of(if kind == "Parallel" { "parallel" } else { "series" })
                .with("of", format!("[{}]", names.join(", ")));
            Ok(if factors.iter().all(|f| *f == 1.0) { keys } else { keys.with("factors", list(&factors)) })
        }
        "MinMax" => {
            needs(1)?;
            let keys = of("limited").with("of", part(all[0].round() as i64)?);
            let limit = |flag: &str| a.after(flag).and_then(|mut a| a.number());
            let keys = limit("-min").map_or_else(|| keys.clone(), |x| keys.clone().number("emin", x));
            Ok(limit("-max").map_or_else(|| keys.clone(), |x| keys.clone().number("emax", x)))
        }
        "InitStrainMaterial" | "InitStrain" | "InitStressMaterial" | "InitStress" => {
            needs(2)?;
            let keys = of("initial-strain").with("of", part(all[0].round() as i64)?);
            Ok(keys.number(if kind.starts_with("InitStrain") { "e0" } else { "s0" }, all[1]))
        }
        _ => unknown(kind),
    }
}

/// Whether a material, and everything it is made of, can be translated.
pub(crate) fn is_known(domain: &Domain, tag: i64) -> bool {
    /// Materials within materials; more would be a circle.
    const DEEPEST: usize = 20;
    fn known(domain: &Domain, tag: i64, depth: usize) -> bool {
        let mut part = |inner: i64| match depth < DEEPEST && known(domain, inner, depth + 1) {
            true => Ok(String::new()),
            false => wrong("", ""),
        };
        domain.materials.get(&tag).is_some_and(|c| keys(c, &mut part).is_ok())
    }
    known(domain, tag, 0)
}

fn hardening(keys: Keys, a: &mut Arguments<'_>, range: f64) -> Keys {
    let [a1, a2, a3, a4] = [0.0, range, 0.0, range].map(|d| a.or(d));
    keys.unless("a1", a1, 0.0).unless("a2", a2, range).unless("a3", a3, 0.0).unless("a4", a4, range)
}

fn concrete(keys: Keys, a: &mut Arguments<'_>) -> Keys {
    let mut negative = || -a.or(0.0).abs();
    ["fc", "ec0", "fcu", "ecu"].into_iter().fold(keys, |k, name| {
        let x = negative();
        k.number(name, if x == 0.0 { 0.0 } else { x })
    })
}

/// Backbones of three points each, or of two, between which OpenSees puts a third half-way.
fn hysteretic(keys: Keys, all: &[f64]) -> Result<Keys, Wrong> {
    let points: Vec<f64> = match all.len() {
        16 | 17 => all[..12].to_vec(),
        12 | 13 => [&all[..4], &all[4..8]].into_iter().flat_map(halved).collect(),
        n => return wrong(format!("Hysteretic has {n} numbers, not 12, 13, 16 or 17"), "give all of them"),
    };
    let names = ["m1p", "r1p", "m2p", "r2p", "m3p", "r3p", "m1n", "r1n", "m2n", "r2n", "m3n", "r3n"];
    let keys = names.iter().zip(&points).fold(keys, |k, (name, x)| k.number(name, *x));
    let rest = &all[if all.len() > 13 { 12 } else { 8 }..];
    let last = [("pinch_x", 1.0), ("pinch_y", 1.0), ("damage1", 0.0), ("damage2", 0.0), ("beta", 0.0)];
    Ok(last.iter().zip(rest).fold(keys, |k, ((name, default), x)| k.unless(name, *x, *default)))
}

fn halved(p: &[f64]) -> [f64; 6] {
    [p[0], p[1], 0.5 * (p[0] + p[2]), 0.5 * (p[1] + p[3]), p[2], p[3]]
}

/// A kind that is not there, with the nearest that is.
fn unknown<T>(kind: &str) -> Result<T, Wrong> {
    let near = match kind {
        "Concrete04"
        | "Concrete06"
        | "Concrete07"
        | "ConcreteCM"
        | "Concrete01WithSITC"
        | "ConcretewBeta"
        | "FRPConfinedConcrete"
        | "ConfinedConcrete01" => "Concrete01 or Concrete02",
        "ReinforcingSteel" | "Dodd_Restrepo" | "SteelMPF" | "Steel4" | "Steel02Fatigue" | "RambergOsgoodSteel"
        | "DoddRestrepo" => "Steel02",
        "HystereticSM" | "Pinching4" | "Bilin" | "Bilin02" | "ModIMKPeakOriented" | "ModIMKPinching" | "IMKBilin"
        | "IMKPeakOriented" | "IMKPinching" | "HystereticPoly" | "SAWS" | "HystereticAsym" => {
            "Hysteretic, which has three points on each side, pinching and damage,"
        }
        "MultiLinear" | "ElasticMultiLinear" | "ElasticBilin" => "Hysteretic or ElasticPP",
        "Fatigue" => "its own material without Fatigue (no fracture)",
        "BoucWen" | "BWBN" | "BoucWenOriginal" | "BoucWenInfill" => "an element `bouc-wen` of Interfield",
        "BilinearOilDamper" => "ViscousDamper",
        "PySimple1" | "TzSimple1" | "QzSimple1" | "PyLiq1" | "TzLiq1" => "ElasticPP or Hysteretic",
        _ => "",
    };
    let keep = "keep this part in OpenSees as a partner ([[external]], `interfield explain external`)";
    let remedy = match near {
        "" => format!("use another material, or {keep}"),
        near => format!("use {near} in its place, or {keep}"),
    };
    wrong(format!("Interfield has no material `{kind}`"), remedy)
}

/// Numbers that tell the units.
pub(crate) fn clues(tag: i64, command: &Command) -> Vec<Clue> {
    let (kind, all) = (kind(command), parameters(command).numbers());
    let clue = |kind_of: Kind, i: usize, name: &str| {
        let value = *all.get(i)?;
        Some(Clue { kind: kind_of, value, what: format!("{name} of {kind} {tag}") })
    };
    let found = match kind {
        "Steel01" | "Steel02" | "Steel4" | "SteelMPF" => clue(Kind::Steel, 1, "E"),
        "ReinforcingSteel" => clue(Kind::Steel, 2, "E"),
        "Concrete01" | "Concrete02" | "Concrete04" => clue(Kind::Concrete, 0, "fc"),
        "Elastic" | "ElasticPP" => clue(Kind::Elastic, 0, "E"),
        _ => None,
    };
    found.into_iter().collect()
}
