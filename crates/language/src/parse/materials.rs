//! Uniaxial materials: `[[material]]`. Those made of others may name them in any order.

use std::collections::BTreeMap;

use interfield_kernel::element::info::{Info, Parameter};
use interfield_kernel::uniaxial::combined::{Limited, Parallel, Parts, SERIES, Series, Share, Shifted};
use interfield_kernel::uniaxial::formula::Formula;
use interfield_kernel::uniaxial::material::{MADE, MATERIALS, MOST, Material};
use interfield_kernel::uniaxial::viscous::Viscous;

use super::Context;
use super::elements::{parameter_key, parameters};
use super::formulas::{self, CONSTANTS, RATES};
use super::sections::{declare, find};
use crate::diag::did_you_mean;
use crate::formula::{compile, is_name};
use crate::key::*;
use crate::model::Sections;
use crate::reader::{Spanned, Table};
use crate::schema::{self, Variant, sentence};
use crate::units::Dimension;

section! {
    /// A uniaxial material.
    pub(super) MATERIAL = ("material", "[[material]]", "A uniaxial material: stress over strain, or force over elongation.")
        .variants(variants);
    NAME: Text = key("name", "Its name.").required().example("steel");
    ACTS: Choice<(Acts, &'static str)> = choice("acts", &[(Acts::Stress, "stress"), (Acts::Force, "force"), (Acts::Moment, "moment"),
        (Acts::SectionForce, "section-force"), (Acts::SectionMoment, "section-moment")],
        "What it gives: a stress over a strain (fibres, bars), a force over an elongation or a moment over a rotation (springs, bearings), \
        a force over a strain or a moment over a curvature or twist (`resultants` of cross-sections). \
        A material made of others gives what these give.").default("stress").example("force");
}

section! {
    /// Keys of materials made of others, and of formulas.
    [OPTIONS];
    OF: Or<Text, List<Text>> = key("of", "Its materials.").required().example("[\"steel\", \"damper\"]");
    FACTORS: List<Pure> = key("factors", "What the stress of each is multiplied with.").example("[1.0, 0.5]");
    STRESS: Text = key("stress", "Stress as a formula of the strain `e`.").required().example("E * e / (1 + abs(e) / e0)");
    STATES: Inner = table("states", &RATES, "What it remembers, each with the formula of its next value.")
        .example("{ top = \"max(top, e)\" }");
    INITIAL: Inner = table("initial", &CONSTANTS, "Values of the states at the beginning.").example("{ top = 0.001 }");
    PARAMETERS: Inner = table("parameters", &CONSTANTS, "Constants of this material.").example("{ E = \"200 GPa\" }");
}

const TYPE: Key<Named> = of(Named(types), "type", "Kind of the material.").required().example("menegotto-pinto");

/// What a material gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acts {
    Stress,
    Force,
    Moment,
    SectionForce,
    SectionMoment,
}

impl Acts {
    /// The word in the model file, and the dimensions of what it gives and of what it is given.
    pub(super) const fn says(self) -> (&'static str, Dimension, Dimension) {
        match self {
            Acts::Stress => ("stress", Dimension::STRESS, Dimension::NONE),
            Acts::Force => ("force", Dimension::FORCE, Dimension::LENGTH),
            Acts::Moment => ("moment", Dimension::MOMENT, Dimension::ANGLE),
            Acts::SectionForce => ("section-force", Dimension::FORCE, Dimension::NONE),
            Acts::SectionMoment => ("section-moment", Dimension::MOMENT, Dimension::CURVATURE),
        }
    }

    fn word(self) -> &'static str {
        self.says().0
    }
}

/// Materials by their names; `None` where one was named and could not be read.
pub(super) type ByName = BTreeMap<String, Option<(Material, Acts)>>;

fn all() -> impl Iterator<Item = &'static Info> {
    MATERIALS.iter().chain(MADE)
}

fn types() -> Vec<&'static str> {
    all().map(|m| m.name).collect()
}

fn variants() -> Vec<Variant> {
    let dims = (Dimension::STRESS, Dimension::NONE, 1.0);
    let parameter = |p: &'static Parameter| schema::Key {
        range: p.range,
        doc: sentence(p.doc),
        default: p.default.map(|d| d.to_string()),
        ..parameter_key(p, dims).describe()
    };
    let option = |&(name, doc): &(&str, &str)| {
        let key = OPTIONS.iter().find(|k| k.name() == name)?.describe();
        Some(schema::Key { doc: sentence(doc), ..key })
    };
    let variant = |info: &'static Info| Variant {
        when: vec![(TYPE.name, info.name)],
        doc: format!("{}\n\n{}\n\n{}", sentence(info.title), info.equations.join("\n"), sentence(info.reference)),
        keys: info.parameters.iter().map(parameter).chain(info.options.iter().filter_map(option)).collect(),
    };
    all().map(variant).collect()
}

/// A material made of others that waits for them.
struct Waiting<'a> {
    name: Option<Spanned<String>>,
    info: &'static Info,
    table: Table<'a>,
    of: Vec<Spanned<String>>,
}

/// Reads all materials; what they refer to goes into the library of `sections`.
pub(super) fn read(context: &Context<'_>, root: &Table<'_>, sections: &mut Sections) -> ByName {
    let mut known = ByName::new();
    let mut waiting = Vec::new();
    let tables = root.all(&super::MATERIAL);
    let names: Vec<Option<Spanned<String>>> = tables.iter().map(|t| t.read(&NAME)).collect();
    for (table, name) in tables.into_iter().zip(&names) {
        let Some(info) = kind(context, &table) else {
            enter(context, &mut known, name, None);
            table.ignore_all();
            continue;
        };
        if info.options.iter().any(|o| o.0 == OF.name) {
            let of = match table.read(&OF).map(|of| (of.value, of.span)) {
                Some((Either::First(one), span)) => vec![Spanned::new(one, span)],
                Some((Either::Second(list), _)) => list,
                None => Vec::new(),
            };
            waiting.push(Waiting { name: name.clone(), info, table, of });
            continue;
        }
        let acts = table.value(&ACTS).0;
        let material = if info.name == Formula::INFO.name {
            formula(context, &table, acts, sections)
        } else {
            plain(context, &table, info, acts, sections)
        };
        enter(context, &mut known, name, material.map(|m| (m, acts)));
        table.finish();
    }
    // Those whose parts are all known, again and again.
    while let Some(at) = waiting.iter().position(|w| w.of.iter().all(|n| known.contains_key(&n.value))) {
        let next = waiting.remove(at);
        let material = made(context, &next, &known, sections);
        enter(context, &mut known, &next.name, material);
        next.table.finish();
    }
    for lost in waiting {
        refuse(context, &lost, &known, &names);
        enter(context, &mut known, &lost.name, None);
        lost.table.ignore_all();
    }
    known
}

fn enter(
    context: &Context<'_>,
    known: &mut ByName,
    name: &Option<Spanned<String>>,
    material: Option<(Material, Acts)>,
) {
    if let Some(name) = name {
        declare(context, name, known.contains_key(&name.value));
        known.insert(name.value.clone(), material);
    }
}

/// A material whose parts are unknown, or whose parts lead back to it.
fn refuse(context: &Context<'_>, lost: &Waiting<'_>, known: &ByName, names: &[Option<Spanned<String>>]) {
    let declared: Vec<&str> = names.iter().flatten().map(|n| n.value.as_str()).collect();
    for part in lost.of.iter().filter(|p| !known.contains_key(&p.value)) {
        if !declared.contains(&part.value.as_str()) {
            let help = did_you_mean(&part.value, declared.iter().copied())
                .unwrap_or_else(|| "write a [[material]] with this name".to_owned());
            context.error(part.span.clone(), format!("there is no material `{}`", part.value), help);
        } else if lost.name.as_ref().is_some_and(|n| n.value == part.value) {
            let message = format!("the material `{}` is a part of itself", part.value);
            context.error(part.span.clone(), message, "name other materials under `of`");
        } else {
            let message =
                format!("`{}` cannot be a part: it depends on this material, or on one that is wrong", part.value);
            context.error(part.span.clone(), message, "materials under `of` must not lead back to the material itself");
        }
    }
}

fn kind(context: &Context<'_>, table: &Table<'_>) -> Option<&'static Info> {
    let kind = table.read(&TYPE)?;
    let info = all().find(|m| m.name == kind.value);
    if info.is_none() {
        let help = did_you_mean(&kind.value, types()).unwrap_or_else(|| format!("kinds are {}", types().join(", ")));
        context.error(kind.span, format!("there is no material `{}`", kind.value), help);
    }
    info
}

/// A material with parameters alone.
fn plain(
    context: &Context<'_>,
    table: &Table<'_>,
    info: &'static Info,
    acts: Acts,
    sections: &mut Sections,
) -> Option<Material> {
    let (_, force, disp) = acts.says();
    let p = parameters(table, info, force, disp)?;
    if !sound(context, table, info, &p, acts) {
        return None;
    }
    let material = Material::new(info.name, &p)?;
    // An elastic material with a viscosity is one beside a dashpot.
    let eta = info.parameters.iter().position(|q| info.name == "elastic" && q.name == "eta").map_or(0.0, |i| p[i]);
    if eta == 0.0 {
        return Some(material);
    }
    let dashpot = Material::Viscous(Viscous { c: eta, n: 1.0, v0: 0.0 });
    sections.parts.extend([material, dashpot].map(|material| Share { material, factor: 1.0 }));
    Some(Material::Parallel(Parallel(Parts::last(&sections.parts, 2))))
}

/// A material made of others that are all known.
fn made(
    context: &Context<'_>,
    next: &Waiting<'_>,
    known: &ByName,
    sections: &mut Sections,
) -> Option<(Material, Acts)> {
    let (table, info) = (&next.table, next.info);
    let parts: Vec<Option<(Material, Acts)>> =
        next.of.iter().map(|n| find(context, n, known, "material", "[[material]]")).collect();
    let acts = parts.iter().flatten().next().map_or(Acts::Stress, |p| p.1);
    let (_, force, disp) = acts.says();
    let p = parameters(table, info, force, disp);
    let factors = table.read(&FACTORS);
    let parts: Vec<(Material, Acts)> = parts.into_iter().collect::<Option<_>>()?;
    let p = p?;
    let wrong = |place: std::ops::Range<usize>, message: String, help: &str| {
        context.error(place, message, help);
        None
    };
    let single = matches!(info.name, "limited" | "initial-strain");
    if parts.is_empty() || (single && parts.len() != 1) {
        let count = if single { "one material" } else { "at least one material" };
        return wrong(
            table.place(&OF),
            format!("`of` names {count}, found {}", parts.len()),
            "write for example of = \"steel\"",
        );
    }
    if let Some(at) = parts.iter().position(|p| p.1 != acts) {
        let message = format!(
            "`{}` gives a {}, and `{}` a {}",
            next.of[0].value,
            acts.word(),
            next.of[at].value,
            parts[at].1.word()
        );
        return wrong(
            next.of[at].span.clone(),
            message,
            "all parts of a material must give the same: see their `acts`",
        );
    }
    if table.has(&ACTS) && table.value(&ACTS).0 != acts {
        let message = format!("its parts give a {}", acts.word());
        return wrong(
            table.place(&ACTS),
            message,
            "remove `acts` here: a material made of others gives what these give",
        );
    }
    table.value(&ACTS);
    let shares = shares(context, table, &parts, factors)?;
    let count = shares.len();
    sections.parts.extend(shares);
    let material = match info.name {
        "parallel" => Material::Parallel(Parallel(Parts::last(&sections.parts, count))),
        "series" => series(context, next, count, sections)?,
        "limited" => limited(context, table, &p, sections)?,
        _ => shifted(context, table, &p, sections)?,
    };
    if material.history() > MOST {
        let message = format!("this material remembers {} numbers, more than {MOST}", material.history());
        return wrong(table.place(&OF), message, "combine fewer materials");
    }
    Some((material, acts))
}

/// The parts with their factors.
fn shares(
    context: &Context<'_>,
    table: &Table<'_>,
    parts: &[(Material, Acts)],
    factors: Option<Spanned<Vec<Spanned<f64>>>>,
) -> Option<Vec<Share>> {
    let factors = match factors {
        Some(list) if list.value.len() != parts.len() => {
            let message = format!("{} factors for {} materials", list.value.len(), parts.len());
            context.error(list.span, message, "write one factor for each name under `of`");
            return None;
        }
        Some(list) => list.value.iter().map(|f| f.value).collect(),
        None => vec![1.0; parts.len()],
    };
    if table.has(&FACTORS) && factors.iter().all(|f| *f == 0.0) {
        context.error(table.place(&FACTORS), "all factors are zero", "at least one material must act");
        return None;
    }
    Some(parts.iter().zip(factors).map(|(&(material, _), factor)| Share { material, factor }).collect())
}

fn series(context: &Context<'_>, next: &Waiting<'_>, count: usize, sections: &Sections) -> Option<Material> {
    let library = sections.library();
    if count > SERIES {
        let message = format!("{count} materials in series, more than {SERIES}");
        context.error(next.table.place(&OF), message, "combine some of them in a series of their own");
        return None;
    }
    let parts = &sections.parts[sections.parts.len() - count..];
    if let Some(at) = parts.iter().position(|p| p.material.viscous(&library)) {
        let message = format!("`{}` depends on the rate and cannot be a part of a series", next.of[at].value);
        let help = "a spring and a dashpot in series are type = \"maxwell\" (linear) or \"nonlinear-maxwell\"";
        context.error(next.of[at].span.clone(), message, help);
        return None;
    }
    if parts.iter().all(|p| p.material.stiffness(&library) <= 0.0) {
        let message = "no material of this series is stiff at rest";
        context.error(next.table.place(&OF), message, "at least one part must have a positive tangent at zero strain");
        return None;
    }
    Some(Material::Series(Series::new(&library, Parts::last(&sections.parts, count))))
}

fn limited(context: &Context<'_>, table: &Table<'_>, p: &[f64], sections: &Sections) -> Option<Material> {
    if !(p[0] < 0.0 && p[1] > 0.0) {
        let key = if p[0] < 0.0 { "emax" } else { "emin" };
        let help = "`emin` is negative and `emax` positive: the material fails outside; write for example emin = -0.05, emax = 0.08";
        context.error(table.place(key), "zero strain must lie between `emin` and `emax`", help);
        return None;
    }
    if !table.has("emin") && !table.has("emax") {
        context.error(table.span(), "this material has no limit", "write `emin`, `emax` or both");
        return None;
    }
    Some(Material::Limited(Limited::new(&sections.library(), [p[0], p[1]])))
}

fn shifted(context: &Context<'_>, table: &Table<'_>, p: &[f64], sections: &Sections) -> Option<Material> {
    if table.has("e0") == table.has("s0") {
        let help = "write the strain `e0`, or the stress `s0` from which the strain is found";
        context.error(table.span(), "an initial state is either a strain or a stress", help);
        return None;
    }
    let strain = if table.has("e0") {
        Some(p[0])
    } else {
        let part = sections.parts.last()?;
        Shifted::strain_of(&sections.library(), &part.material, p[1])
    };
    if strain.is_none() {
        let message = "the material never reaches this stress";
        context.error(table.place("s0"), message, "choose a stress within its strength, or write the strain `e0`");
    }
    Some(Material::Shifted(Shifted::new(&sections.parts, strain?)))
}

/// A material that is a formula. It computes in the units of the file.
fn formula(context: &Context<'_>, table: &Table<'_>, acts: Acts, sections: &mut Sections) -> Option<Material> {
    let constants = formulas::constants(context, table, &PARAMETERS);
    let stress = table.read(&STRESS);
    let states = formulas::rates(table, &STATES);
    let initial = initial(table, &states);
    let mut variables = vec!["e".to_owned(), "rate".to_owned()];
    for (name, _) in &states {
        if !is_name(&name.value) || variables.contains(&name.value) {
            let message = format!("`{}` cannot be the name of a state", name.value);
            context.error(name.span.clone(), message, "`e` is the strain and `rate` its rate: choose another name");
            return None;
        }
        variables.push(name.value.clone());
    }
    let stress = stress?;
    let texts: Vec<&Spanned<String>> = std::iter::once(&stress).chain(states.iter().map(|(_, next)| next)).collect();
    let written: Vec<String> = texts.iter().map(|t| t.value.clone()).collect();
    let compiled = match compile(&written, &variables, &constants) {
        Ok(compiled) => compiled,
        Err(errors) => {
            errors.into_iter().for_each(|e| formulas::report(context, table, &texts, e));
            return None;
        }
    };
    let (_, force, disp) = acts.says();
    let (units, program) = (&context.scope.units, compiled.program());
    let (code, first) = (sections.code.len(), sections.constants.len());
    let made = Formula {
        code: [code, code + program.code.len()],
        constants: [first, first + program.constants.len()],
        outputs: sections.outputs.len(),
        registers: program.registers,
        count: states.len(),
        rate: compiled.depends_on(1),
        scale: [1.0 / units.factor(disp), units.factor(Dimension::TIME) / units.factor(disp), units.factor(force)],
    };
    sections.code.extend_from_slice(program.code);
    sections.constants.extend(program.constants.iter().chain(&initial));
    sections.outputs.extend_from_slice(program.outputs);
    starts_well(context, &stress, Material::Formula(made), sections)
}

/// `initial`: values of the states at the beginning.
fn initial(table: &Table<'_>, states: &[(Spanned<String>, Spanned<String>)]) -> Vec<f64> {
    let Some(inner) = table.open(&INITIAL) else { return vec![0.0; states.len()] };
    let value = |(name, _): &(Spanned<String>, Spanned<String>)| {
        inner.entry(&name.value, &Pure, Allowed::Any).map_or(0.0, |x| x.value)
    };
    let values = states.iter().map(value).collect();
    inner.finish();
    values
}

/// A formula whose stress at rest is zero and that has a finite slope there.
fn starts_well(
    context: &Context<'_>,
    stress: &Spanned<String>,
    material: Material,
    sections: &Sections,
) -> Option<Material> {
    let (s, k) = material.first(&sections.library(), 0.0);
    let problem = if !s.is_finite() {
        Some((
            "this formula gives no finite stress at zero strain".to_owned(),
            "a division by zero, or a root or logarithm of a number that is not positive: avoid it, e.g. with max(e, 1e-9)",
        ))
    } else if s != 0.0 {
        Some((
            "the stress of this formula is not zero at zero strain".to_owned(),
            "subtract its value at e = 0; a stress at the beginning is a material of type = \"initial-strain\" around this one",
        ))
    } else if !k.is_finite() {
        Some((
            "the slope of this formula is not finite at zero strain".to_owned(),
            "a root or power with a vertical tangent there: smooth it, e.g. sqrt(abs(e) + 1e-9)",
        ))
    } else {
        None
    };
    if let Some((message, help)) = problem {
        context.error(stress.span.clone(), message, help);
        return None;
    }
    Some(material)
}

/// Whether parameters fit together; says what does not.
fn sound(context: &Context<'_>, table: &Table<'_>, info: &Info, p: &[f64], acts: Acts) -> bool {
    let (_, force, disp) = acts.says();
    let problem = match info.name {
        "kent-park" | "kent-park-tension" => {
            let shown = |i: usize, dim: Dimension| context.scope.units.show(-p[i].abs(), dim, 6);
            concrete(p, |i| shown(i, if i % 2 == 0 { force } else { disp }))
        }
        "elastic" if p[0] == 0.0 && p[1] <= 0.0 => Some((
            "E",
            "a material without stiffness gives nothing".to_owned(),
            "write a modulus `E`, or `Ec` for one in compression alone".to_owned(),
        )),
        "elastic-plastic-gap" if p[1] == 0.0 || p[2] * p[1] < 0.0 => Some((
            "gap",
            "`gap` and `fy` must have one sign".to_owned(),
            "both positive act in tension, both negative in compression".to_owned(),
        )),
        "pinching" => [(0, 1.0), (6, -1.0)].into_iter().find_map(|(side, sign)| backbone(&p[side..side + 6], sign)),
        "self-centring" if p[1] >= p[0] => {
            Some(("k2", "`k2` must be less than `k1`".to_owned(), "k2 is the stiffness after activation".to_owned()))
        }
        _ => None,
    };
    let good = problem.is_none();
    if let Some((key, message, help)) = problem {
        context.error(table.place(key), message, help);
    }
    good
}

/// What is wrong: at which key, why, and what to write.
type Wrong = (&'static str, String, String);

/// Strength, strain there, residual stress and strain there: all negative, with a softening branch.
fn concrete(p: &[f64], negative: impl Fn(usize) -> String) -> Option<Wrong> {
    let keys = ["fc", "ec0", "fcu", "ecu"];
    let said =
        ["strength in compression", "strain at the strength", "residual stress", "strain of the residual stress"];
    let positive = (0..4).find(|&i| p[i] > 0.0 || (p[i] == 0.0 && i != 2));
    if let Some(i) = positive {
        let message = format!("`{}` ({}) must be negative: compression is negative", keys[i], said[i]);
        let help = match p[i] == 0.0 {
            true => format!("write for example {} = {}", keys[i], ["\"-30 MPa\"", "-0.002", "0", "-0.006"][i]),
            false => format!("write {} = \"{}\"; all four numbers of the envelope are negative", keys[i], negative(i)),
        };
        return Some((keys[i], message, help));
    }
    if p[3] >= p[1] {
        let message = "this material has no branch after its strength: `ecu` must lie beyond `ec0`".to_owned();
        let help =
            "the stress falls from `fc` at `ec0` to `fcu` at `ecu`: write for example ec0 = -0.002, ecu = -0.006";
        return Some(("ecu", message, help.to_owned()));
    }
    (p[2] < p[0]).then(|| {
        let message = "the residual stress `fcu` is greater than the strength `fc`".to_owned();
        ("fcu", message, "after its strength concrete softens: `fcu` lies between `fc` and zero".to_owned())
    })
}

/// Corners (force, deformation) of one side of a pinching material.
fn backbone(p: &[f64], sign: f64) -> Option<Wrong> {
    let (m, r) = ([0, 2, 4].map(|i| sign * p[i]), [1, 3, 5].map(|i| sign * p[i]));
    let key = |at: usize, positive: [&'static str; 3], negative: [&'static str; 3]| {
        if sign > 0.0 { positive[at] } else { negative[at] }
    };
    let side = if sign > 0.0 { "positive" } else { "negative" };
    if let Some(at) = (0..3).find(|&i| r[i] <= if i == 0 { 0.0 } else { r[i - 1] }) {
        let message = format!(
            "the corners of the {side} side are not in order: deformation {} is not beyond the one before",
            at + 1
        );
        let help = format!("deformations of this side are {side} and grow away from zero");
        return Some((key(at, ["r1p", "r2p", "r3p"], ["r1n", "r2n", "r3n"]), message, help));
    }
    let at = (0..3).find(|&i| m[i] < 0.0 || (i == 0 && m[0] == 0.0))?;
    let message =
        format!("force {} of the {side} side has the wrong sign: the material would give energy away", at + 1);
    let help = format!("forces of this side are {side}, the first of them not zero");
    Some((key(at, ["m1p", "m2p", "m3p"], ["m1n", "m2n", "m3n"]), message, help))
}
