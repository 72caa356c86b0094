//! `[[update]]`: online updating of numerical elements by a specimen.

use super::substructures::{Owners, take_elements};
use super::{Context, UPDATE};
use crate::diag::did_you_mean;
use crate::key::*;
use crate::model::{Channel, Kind, Quantity};
use crate::reader::{Spanned, Table};
use crate::specimen::Specimen;
use crate::units::Dimension;
use crate::update::{LAWS, Learned, PARAMETERS, Update, exponent};

section! {
    /// Updating.
    pub(super) UPDATES = ("update", "[[update]]", "Online updating: a specimen teaches numerical elements of the same law \
        during the test. Its estimates are recorded as `NAME.PARAMETER` with bands of 95 % (`.low`, `.high`).");
    NAME: Text = key("name", "Its name, used by channels.").required().example("dampers");
    FROM: Text = key("specimen", "The specimen that teaches; by default the only one.").example("lab");
    ELEMENT: Text = key("element", "The element of the specimen whose law is learned; by default its only one. Its parameters \
        in this file are the first guess.").example("storey1");
    LEARN: List<Text> = key("learn", "Numerical elements that learn, of the same law; a trailing * matches any ending. Their \
        parameters change in proportion to those of the specimen.").required().example("[\"storey*\"]");
    LEARNED: List<Text> = key("parameters", "Parameters that are learned: k, Fy (yield force), r = beta/(beta + gamma), n, k2 of \
        `bouc-wen`; k, Fy, r, n, xa = 1/sqrt(alpha) of `modified-bouc-wen`; k and Fy of the slider and k2 beside it of `mostaghel`; k, k3, c of `cubic`; c of `damper`. By default all that are not zero.").example("[\"k\", \"Fy\"]");
    FORCE_NOISE: Force = key("force_noise", "Standard deviation of the noise of the measured force.").required()
        .range(POSITIVE).example("0.5 kN");
    NOISE: Stroke = key("displacement_noise", "Standard deviation of the noise of the measured deformation.").required()
        .range(POSITIVE).example("0.02 mm");
    RANGE: Pure = key("range", "Factor up to which a parameter may be larger or smaller than the first guess.")
        .range(Allowed::Between(1.1, 1000.0)).default("10").example("4");
    PRIOR: Pure = key("prior", "Standard deviation of the first guess, relative to it.")
        .range(Allowed::Between(0.01, 2.0)).default("40 %").example("25 %");
    FASTEST: Rate = key("rate", "Largest relative change of a parameter per time.").range(POSITIVE).default("3 1/s")
        .example("1 1/s");
    TANK: Pure = key("tank", "Energy that changes of parameters may give to an element, relative to the energy that it has \
        dissipated.").range(Allowed::Between(0.0, 1.0)).default("0.1").example("0.05");
    ENABLED: Flag = key("enabled", "Whether parameters are updated; if not, the first guess stays.").default("true")
        .example("false");
    TRUTH: Inner = table("truth", &TRUE, "Parameters of the emulated specimen that differ from the first guess, as factors of it: \
        for rehearsals. Real hardware ignores them.").example("{ k = 1.3, Fy = 0.7 }");
}

section! {
    TRUE = ("truth", "truth = { k = 1.3 }", "Factors of the first guess.");
    TRUE_K: Pure = key("k", "Factor of the stiffness.").range(POSITIVE).example("1.3");
    TRUE_FY: Pure = key("Fy", "Factor of the yield force.").range(POSITIVE).example("0.7");
    TRUE_R: Pure = key("r", "Factor of r.").range(POSITIVE).example("0.8");
    TRUE_N: Pure = key("n", "Factor of the exponent.").range(POSITIVE).example("1.5");
    TRUE_K2: Pure = key("k2", "Factor of the stiffness in parallel.").range(POSITIVE).example("0.5");
    TRUE_XA: Pure = key("xa", "Factor of xa.").range(POSITIVE).example("0.5");
    TRUE_K3: Pure = key("k3", "Factor of the cubic stiffness.").range(POSITIVE).example("1.5");
    TRUE_C: Pure = key("c", "Factor of the damping.").range(POSITIVE).example("1.5");
}

const TRUTHS: [&Key<Pure>; 8] = [&TRUE_K, &TRUE_FY, &TRUE_R, &TRUE_N, &TRUE_K2, &TRUE_XA, &TRUE_K3, &TRUE_C];

/// Reads all `[[update]]`, and the channels that they are recorded as.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, specimens: &[Specimen]) -> (Vec<Update>, Vec<Channel>) {
    let (mut updates, mut owners, mut channels) = (Vec::new(), Owners::new(), Vec::new());
    for (index, table) in root.all(&UPDATE).into_iter().enumerate() {
        let name = table.read(&NAME);
        if let Some(name) = &name {
            context.declare(&name.value, name.span.clone());
        }
        context.places.updates.push(name.as_ref().map_or_else(|| table.span(), |n| n.span.clone()));
        let found = read_one(context, &table, (index, &mut owners), specimens, name);
        table.finish();
        let Some(update) = found else { continue };
        channels.extend(recorded(context, updates.len(), &update));
        updates.push(update);
    }
    (updates, channels)
}

fn read_one(
    context: &Context<'_>,
    table: &Table<'_>,
    (index, owners): (usize, &mut Owners),
    specimens: &[Specimen],
    name: Option<Spanned<String>>,
) -> Option<Update> {
    let before = context.diags.error_count();
    let (from, element) = (table.read(&FROM), table.read(&ELEMENT));
    let listed = table.read(&LEARNED);
    for item in table.read(&LEARN).map_or_else(Vec::new, |l| l.value) {
        take_elements(context, &item, (index, "updates"), owners);
    }
    let (force_noise, range, prior) = (table.read(&FORCE_NOISE), table.value(&RANGE), table.value(&PRIOR));
    let noise = table.read(&NOISE);
    let (rate, tank, enabled) = (table.value(&FASTEST), table.value(&TANK), table.value(&ENABLED));
    let truth = table.open(&TRUTH);
    let found = teacher(context, table, specimens, (from, element));
    let law = found.map(|(_, e)| context.elements[e].type_name.as_str());
    let allowed = law.and_then(|law| learnable(context, table, law));
    let truth = truth.map_or_else(Vec::new, |t| {
        let list = truths(context, &t, law.zip(allowed));
        t.finish();
        list
    });
    let ((specimen, teacher), allowed, law) = (found?, allowed?, law?);
    let parameters = match &listed {
        None => Vec::new(),
        Some(list) => list.value.iter().filter_map(|p| place(context, p, law, allowed)).collect(),
    };
    let pupils: Vec<usize> = owners.iter().filter(|(_, o)| o.0 == index).map(|(&e, _)| e).collect();
    for &e in &pupils {
        let place = owners[&e].1.clone();
        let pupil = &context.elements[e];
        if let Some(s) = specimens.iter().find(|s| s.elements.contains(&e)) {
            let message = format!("`{}` belongs to specimen `{}`: its force is measured", pupil.name, s.name);
            context.error(place, message, "list numerical elements only");
        } else if pupil.type_name != law {
            let message = format!(
                "`{}` is a `{}`, and specimen `{}` teaches a `{law}`",
                pupil.name, pupil.type_name, specimens[specimen].name
            );
            context.error(place, message, "elements learn from a specimen of the same law");
        }
    }
    let (name, force_noise, noise) = (name?.value, force_noise?.value, noise?.value);
    (context.diags.error_count() == before).then_some(Update {
        name,
        specimen,
        teacher,
        enabled,
        parameters,
        pupils,
        noise: [force_noise, noise],
        range,
        prior,
        rate,
        tank,
        truth,
    })
}

/// The specimen and the element that teach.
fn teacher(
    context: &Context<'_>,
    table: &Table<'_>,
    specimens: &[Specimen],
    (from, element): (Option<Spanned<String>>, Option<Spanned<String>>),
) -> Option<(usize, usize)> {
    if specimens.len() != context.places.specimens.len() {
        // Some have mistakes of their own.
        return None;
    }
    let specimen = match (from, specimens) {
        (Some(name), _) => match specimens.iter().position(|s| s.name == name.value) {
            Some(s) => s,
            None => {
                let near = did_you_mean(&name.value, specimens.iter().map(|s| s.name.as_str()));
                let help = near.unwrap_or_else(|| "name a [[specimen]]".to_owned());
                context.error(name.span, format!("there is no specimen `{}`", name.value), help);
                return None;
            }
        },
        (None, [_]) => 0,
        (None, []) => {
            context.error(table.span(), "an update needs a [[specimen]] that teaches", "add a [[specimen]]");
            return None;
        }
        (None, many) => {
            let names: Vec<&str> = many.iter().map(|s| s.name.as_str()).collect();
            let message = format!("which specimen teaches? The model has {}", names.join(", "));
            context.error(table.span(), message, format!("write specimen = \"{}\"", names[0]));
            return None;
        }
    };
    let own = &specimens[specimen];
    let names = || own.elements.iter().map(|&e| context.elements[e].name.as_str());
    let teacher = match (element, &own.elements[..]) {
        (Some(name), _) => match own.elements.iter().find(|&&e| context.elements[e].name == name.value) {
            Some(&e) => e,
            None => {
                let message = format!("specimen `{}` has no element `{}`", own.name, name.value);
                let list = names().collect::<Vec<_>>().join(", ");
                context.error(name.span, message, format!("it has: {list}"));
                return None;
            }
        },
        (None, &[only]) => only,
        (None, _) => {
            let list = names().collect::<Vec<_>>().join(", ");
            let message = format!("which element of specimen `{}` teaches? It has: {list}", own.name);
            context.error(table.span(), message, "write element = \"NAME\"");
            return None;
        }
    };
    Some((specimen, teacher))
}

/// The parameters of a law that can be learned.
fn learnable(context: &Context<'_>, table: &Table<'_>, law: &str) -> Option<&'static [usize]> {
    let found = LAWS.iter().find(|l| l.0 == law).map(|l| l.1);
    if found.is_none() {
        let list = LAWS.map(|l| l.0).join(", ");
        let message = format!("the law `{law}` cannot be learned during a test");
        let instead = match law {
            "degrading-bouc-wen" => {
                "write `bouc-wen` for the specimen and the elements that learn (it has no degradation), or remove [[update]]: "
            }
            _ => "",
        };
        let help = format!("laws that can: {list}; {instead}`interfield identify` fits others after the test");
        context.error(table.span(), message, help);
    }
    found
}

/// The place of a parameter among those of its law.
fn place(context: &Context<'_>, name: &Spanned<String>, law: &str, allowed: &[usize]) -> Option<usize> {
    let all = PARAMETERS;
    let found = allowed.iter().copied().find(|&i| all[i].0 == name.value);
    if found.is_none() {
        let names: Vec<&str> = allowed.iter().map(|&i| all[i].0).collect();
        let message = format!("`{}` is not a parameter of `{law}` that can be learned", name.value);
        context.error(name.span.clone(), message, format!("it has: {}", names.join(", ")));
    }
    found
}

fn truths(context: &Context<'_>, table: &Table<'_>, law: Option<(&str, &[usize])>) -> Vec<(usize, f64)> {
    let mut list = Vec::new();
    for key in TRUTHS {
        let Some(factor) = table.read(key) else { continue };
        let Some((law, allowed)) = law else { continue };
        let name = Spanned::new(key.name.to_owned(), table.place(key));
        list.extend(place(context, &name, law, allowed).map(|i| (i, factor.value)));
    }
    list
}

/// Its channels: estimates with their bands, the energy that changes gave, and whether it learns.
fn recorded(context: &Context<'_>, index: usize, update: &Update) -> Vec<Channel> {
    let element = &context.elements[update.teacher];
    let along = match &element.kind {
        Kind::Law { coordinates, .. } => coordinates.first().and_then(|c| c.first()).map(|t| context.disp(t.0)),
        _ => None,
    };
    let along = along.unwrap_or(Dimension::LENGTH);
    let n = exponent(&element.kind);
    let allowed = LAWS.iter().find(|l| l.0 == element.type_name).map_or(&[][..], |l| l.1);
    let chosen: Vec<usize> = if update.parameters.is_empty() { allowed.to_vec() } else { update.parameters.clone() };
    let units = &context.scope.units;
    let make = |what: String, learned: Learned, dim: Dimension| Channel {
        name: format!("{}.{what}", update.name),
        quantity: Quantity::Update(index, learned),
        unit: units.label(dim),
        factor: 1.0 / units.factor(dim),
    };
    let mut list = Vec::new();
    for i in chosen {
        let (name, measures) = PARAMETERS[i];
        let dim = measures.dimension(along, n);
        list.push(make(name.to_owned(), Learned::Value(i), dim));
        list.push(make(format!("{name}.low"), Learned::Low(i), dim));
        list.push(make(format!("{name}.high"), Learned::High(i), dim));
    }
    list.push(make("injected".to_owned(), Learned::Injected, Dimension::MOMENT));
    list.push(make("tank".to_owned(), Learned::Tank, Dimension::MOMENT));
    list.push(make("active".to_owned(), Learned::Active, Dimension::NONE));
    list
}
