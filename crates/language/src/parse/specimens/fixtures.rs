//! `[[specimen.fixture]]`: what hangs between the load cells and the specimen.

use interfield_lab::fixture::Fixture;

use crate::key::*;
use crate::model::Node;
use crate::parse::Context;
use crate::reader::Table;

section! {
    /// A rigid body.
    pub(super) FIXTURE = ("fixture", "[[specimen.fixture]]", "A rigid body between the load cells and the specimen, such as a loading beam, that \
        belongs to neither. Its inertia, and the change of its weight where it turns, are taken off the measured force.");
    NODE: Text = key("node", "The node with which it moves; not needed if the specimen moves only one.").example("slab");
    MASS: Mass = key("mass", "Its mass.").required().range(NOT_NEGATIVE).example("850 kg");
    INERTIA: Or<RotaryInertia, List<RotaryInertia>> = of(Or(RotaryInertia, List(RotaryInertia)), "inertia",
        "Its moment of inertia about its centre of mass: one value where it turns about one axis, or a list about x, y and z.").range(NOT_NEGATIVE)
        .default("0").example("120 kg*m^2");
    CENTER: List<Length> = key("center", "Position of its centre of mass at rest; at the node if absent.").example("[\"1 m\", \"2.4 m\"]");
    DOWN: Choice<(Vertical, &'static str)> = choice("down", &VERTICALS, "Direction of gravity. Needed where its weight acts on the measured \
        force: where it turns about an axis that is not vertical, and without `tare`.").example("-y");
}

/// An axis with its sign.
type Vertical = (usize, f64);

const VERTICALS: [(Vertical, &str); 6] =
    [((0, 1.0), "x"), ((0, -1.0), "-x"), ((1, 1.0), "y"), ((1, -1.0), "-y"), ((2, 1.0), "z"), ((2, -1.0), "-z")];

/// Standard gravity, m/s² (ISO 80000-3).
const STANDARD_GRAVITY: f64 = 9.806_65;

/// The fixtures of a specimen that moves these degrees of freedom, with load cells that are tared or not.
pub(super) fn read(context: &Context<'_>, tables: Vec<Table<'_>>, dofs: &[usize], tared: bool) -> Vec<Fixture> {
    let mut list = Vec::new();
    for t in tables {
        list.extend(one(context, &t, dofs, tared));
        t.finish();
    }
    list
}

fn one(context: &Context<'_>, t: &Table<'_>, dofs: &[usize], tared: bool) -> Option<Fixture> {
    let mass = t.read_required(&MASS);
    let center = t.read(&CENTER);
    let down = t.read(&DOWN);
    let node = node(context, t, dofs)?;
    let moved = |short: &str| {
        let dof = node.dofs.iter().find(|d| d.0 == short)?.1;
        dofs.iter().position(|&d| d == dof)
    };
    let (translations, rotations) = (["x", "y", "z"].map(moved), ["rx", "ry", "rz"].map(moved));
    let inertia = inertia(context, t, rotations.map(|r| r.is_some()));
    let arm = match &center {
        Some(list) if !(1..=3).contains(&list.value.len()) => {
            context.error(list.span.clone(), "a point has one to three coordinates", "write for example [0, \"2 m\"]");
            return None;
        }
        Some(list) => std::array::from_fn(|i| list.value.get(i).map_or(0.0, |x| x.value) - node.at[i]),
        None => [0.0; 3],
    };
    if translations.iter().chain(&rotations).all(Option::is_none) {
        let message = format!("the specimen does not move node `{}`: a fixture there is never felt", node.name);
        let names: Vec<&str> = dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect();
        context.error(t.place(&NODE), message, format!("it moves {}", names.join(", ")));
        return None;
    }
    let gravity = match down {
        Some(down) => {
            let &((axis, sign), _) = down.value;
            std::array::from_fn(|i| if i == axis { sign * STANDARD_GRAVITY } else { 0.0 })
        }
        None => [0.0; 3],
    };
    let fixture = Fixture { mass: mass?.value, inertia: inertia?, arm, gravity, translations, rotations };
    if down_is_missing(&fixture, t.has(&DOWN), tared) {
        let message = "the weight of this fixture acts on the measured force, and nothing says where down is";
        let help = "write down = \"-y\" for a model in elevation, down = \"-z\" for a plan or a model in space";
        context.error(t.span(), message, help);
        return None;
    }
    Some(fixture)
}

/// Whether its weight changes as it turns, or is not tared, and nobody says in which direction it acts.
fn down_is_missing(fixture: &Fixture, known: bool, tared: bool) -> bool {
    let turns = (0..3).any(|axis| {
        // The centre leaves a vertical axis of rotation never, whatever axis is vertical, if it lies on it.
        let off = (0..3).any(|i| i != axis && fixture.arm[i] != 0.0);
        fixture.rotations[axis].is_some() && off
    });
    !known && fixture.mass > 0.0 && (turns || !tared)
}

/// The node that it moves with.
fn node<'c>(context: &'c Context<'_>, t: &Table<'_>, dofs: &[usize]) -> Option<&'c Node> {
    if let Some(name) = t.read(&NODE) {
        return Some(&context.nodes[context.node(&name)?]);
    }
    let moves = |node: &&Node| node.dofs.iter().any(|d| dofs.contains(&d.1));
    let moved: Vec<&Node> = context.nodes.iter().filter(moves).collect();
    if let [only] = moved[..] {
        return Some(only);
    }
    if !dofs.is_empty() && !t.has(&NODE) {
        let names: Vec<&str> = moved.iter().map(|n| n.name.as_str()).collect();
        let message = format!(
            "the specimen moves several nodes ({}): nothing says with which one this fixture moves",
            names.join(", ")
        );
        context.error(t.span(), message, format!("write node = \"{}\"", names.first().unwrap_or(&"NAME")));
    }
    None
}

/// Moments of inertia about x, y and z of a body that turns about some of these axes.
fn inertia(context: &Context<'_>, t: &Table<'_>, turns: [bool; 3]) -> Option<[f64; 3]> {
    let Some(given) = t.read(&INERTIA) else { return (!t.has(&INERTIA)).then_some([0.0; 3]) };
    let all = match given.value {
        Either::First(one) if turns.iter().filter(|t| **t).count() <= 1 => {
            return Some(turns.map(|turns| if turns { one } else { 0.0 }));
        }
        Either::First(_) => None,
        Either::Second(list) => <[f64; 3]>::try_from(list.iter().map(|x| x.value).collect::<Vec<f64>>()).ok(),
    };
    let Some(all) = all else {
        let message = "`inertia` is one value where the fixture turns about one axis, and three else";
        context.error(
            given.span,
            message,
            "write for example inertia = [\"20 kg*m^2\", \"20 kg*m^2\", \"35 kg*m^2\"], about x, y and z",
        );
        return None;
    };
    let most = 0.5 * all.iter().sum::<f64>() * (1.0 + 1e-9);
    if all.iter().any(|i| *i > most) {
        let message = "no body has these moments of inertia: one of them is greater than the sum of the others";
        context.error(given.span, message, "check the values about x, y and z through the centre of mass");
        return None;
    }
    Some(all)
}
