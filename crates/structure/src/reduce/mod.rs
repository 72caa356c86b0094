//! A model with `[[reduce]]` as one whose linear parts are superelements (book: reduction 2).
//!
//! A superelement is an element with constant matrices on the kept degrees of freedom and on generalised ones. What was inside follows these
//! like the followers of a constraint, so that all of it can be recorded, drawn and given a load that is there from the beginning; elements
//! inside are read and act on nothing. From there on schemes, couplings, exports and channels see an ordinary model.
//!
//! **Must not be here:** how a component is reduced (`interfield_linalg::reduction`).

mod basis;
pub(crate) mod estimate;
mod kept;
mod response;
mod roles;

use std::sync::Arc;

use interfield_language::model::{Dof, Element, Kind, Load, Model, Quantity, Support, short_name};
use interfield_language::reduction::{Acting, Inertia, Reduction, Remainder, Superelement};
use interfield_language::units::significant;
use interfield_language::{Problem, Subject};
use interfield_linalg::reduction as numeric;

use crate::assemble::component::{Component, Role};
use basis::{Found, find};
use roles::Parts;

/// Most numbers that the motions of all of the inside may have; beyond, only what is recorded is kept.
const MOST_NUMBERS: usize = 8_000_000;
/// Share of the mass along the motion of the ground below which a reduction is doubted.
const LEAST_MASS: f64 = 0.95;
/// Share of an initial motion beyond which its loss is said.
const MOST_START: f64 = 1e-6;

/// The model with its parts reduced, and what is doubtful about that.
///
/// # Errors
/// Everything that stands against it.
pub(crate) fn reduced(model: Arc<Model>) -> Result<(Arc<Model>, Vec<Problem>), Vec<Problem>> {
    if model.reductions.is_empty() {
        return Ok((model, Vec::new()));
    }
    // A program that has not told its stiffness is said first.
    let unsettled = model.unsettled();
    if !unsettled.is_empty() {
        return Err(unsettled);
    }
    let mut out = model.as_ref().clone();
    let asked = std::mem::take(&mut out.reductions);
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    for (i, asked) in asked.into_iter().enumerate() {
        match reduce(&mut out, i, asked) {
            Ok(doubts) => warnings.extend(doubts),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok((Arc::new(out), warnings)) } else { Err(problems) }
}

/// Reduces one part.
fn reduce(model: &mut Model, number: usize, mut asked: Reduction) -> Result<Vec<Problem>, Vec<Problem>> {
    let stored = asked.stored.take();
    let parts = Parts::new(model, number, &asked)?;
    let component = Component::new(model, &parts.elements, &parts.roles);
    let kept: Vec<usize> =
        (0..component.rows.len()).filter(|&r| parts.roles[component.rows[r]] == Role::Kept).collect();
    let loads = Loads::new(model, &component);
    let mut part = numeric::Component {
        pattern: &component.pattern,
        stiffness: &component.stiffness,
        mass: &component.mass,
        kept: &kept,
    };
    let hash = match &asked.file {
        Some(_) => kept::hash(model, &asked, &component, &part, &loads),
        None => String::new(),
    };
    let taken = stored.and_then(|stored| kept::taken(model, &asked, &parts, &component, (&part, &hash), &stored));
    if let Some(told) = taken {
        let doubts = doubts(number, &asked, &told, loads.directions());
        model.superelements.push(told);
        return Ok(doubts);
    }
    let mut found =
        find(&part, &asked, &loads.all()).map_err(|e| vec![basis::refused(model, number, &asked, &component, e)])?;
    let hard: Vec<usize>;
    if let Some(top) = asked.characteristic {
        let soft: Vec<usize> = (0..kept.len()).filter(|&b| !parts.needed[component.rows[kept[b]]]).collect();
        let besides: Vec<Vec<f64>> = loads.grounds.iter().map(|g| kept.iter().map(|&r| g.2[0][r]).collect()).collect();
        found = found
            .with_interface_modes((&kept, &soft), std::f64::consts::TAU * top, &besides, asked.frequency)
            .map_err(|e| vec![basis::refused(model, number, &asked, &component, e)])?;
        hard = kept.iter().enumerate().filter(|(b, _)| !soft.contains(b)).map(|(_, &r)| r).collect();
        part.kept = &hard;
    }
    let start = Start::new(model, &component, &part, &found);
    let (scale, turns): (Vec<f64>, Vec<bool>) = scales(model, &component, &found.element).into_iter().unzip();
    let mut told = insert(model, &asked, &parts.elements, (&component, &part), (&found, (&scale, &turns), &start));
    told.remainder = found.bound.map(|bound| remainder(bound, loads.acting(), &scale));
    told.hash = hash;
    let doubts = doubts(number, &asked, &told, loads.directions());
    model.superelements.push(told);
    Ok(doubts)
}

/// What acts inside.
struct Loads {
    /// By direction: whether moved supports take part, motion and inertia of the rows.
    grounds: Vec<(String, bool, [Vec<f64>; 2])>,
    /// What is there from the beginning.
    held: Option<Vec<f64>>,
    /// Directions of motions that the model has.
    moved: Vec<(String, bool)>,
}

impl Loads {
    fn new(model: &Model, component: &Component) -> Self {
        let mut moved: Vec<(String, bool)> = Vec::new();
        for load in &model.loads {
            if let Load::Ground { direction, supports, .. } = load
                && !moved.contains(&(direction.clone(), *supports))
            {
                moved.push((direction.clone(), *supports));
            }
        }
        // Of all directions: modes are told of them, and a superelement may be moved along another one in another model.
        let mut all = moved.clone();
        for &d in component.rows.iter().filter(|&&d| !model.dofs[d].angle) {
            for supports in [false, true] {
                let along = (short_name(&model.dofs[d].name).to_owned(), supports);
                if !all.contains(&along) {
                    all.push(along);
                }
            }
        }
        let one = |(direction, supports): (String, bool)| {
            let found = component.ground(model, &direction, supports);
            (direction, supports, found)
        };
        let mut held = vec![0.0; component.rows.len()];
        for &(d, f) in &model.held {
            if let Ok(row) = component.rows.binary_search(&d) {
                held[row] += f;
            }
        }
        let held = held.iter().any(|f| *f != 0.0).then_some(held);
        Loads { grounds: all.into_iter().map(one).collect(), held, moved }
    }

    /// Those that residual vectors and bounds are about.
    fn all(&self) -> Vec<Vec<f64>> {
        let moved = self.grounds.iter().filter(|g| self.moved.contains(&(g.0.clone(), g.1)));
        moved.map(|g| g.2[1].clone()).chain(self.held.clone()).collect()
    }

    /// What these are.
    fn acting(&self) -> Vec<Acting> {
        let moved = self.grounds.iter().filter(|g| self.moved.contains(&(g.0.clone(), g.1)));
        let grounds = moved.map(|g| Acting::Ground { direction: g.0.clone(), supports: g.1 });
        grounds.chain(self.held.as_ref().map(|_| Acting::Held)).collect()
    }

    fn directions(&self) -> &[(String, bool)] {
        &self.moved
    }
}

fn remainder(bound: numeric::Bound, loads: Vec<Acting>, scale: &[f64]) -> Remainder {
    let scale = scale[scale.len() - bound.residual.len()..].to_vec();
    Remainder { loads, residual: bound.residual, scale, gram: bound.gram, next: bound.next }
}

/// The bound that a superelement has.
fn bound(told: &Superelement) -> Option<numeric::Bound> {
    let Remainder { loads, residual, gram, next, .. } = told.remainder.clone()?;
    Some(numeric::Bound { kept: told.kept.len(), loads: loads.len(), residual, gram, next })
}

/// Initial motion of the generalised unknowns.
struct Start {
    u: Vec<f64>,
    v: Vec<f64>,
    lost: f64,
}

impl Start {
    fn new(model: &Model, component: &Component, part: &numeric::Component<'_>, found: &Found) -> Self {
        let kept = part.kept;
        // A support that moves does so from the beginning.
        let at = |d: &Dof, derivative: usize| match &d.support {
            Support::Imposed(motion) => motion.at(0.0)[derivative],
            _ if derivative == 0 => d.u0,
            _ => d.v0,
        };
        let of = |derivative: usize| -> (Vec<f64>, f64) {
            let all: Vec<f64> = component.rows.iter().map(|&d| at(&model.dofs[d], derivative)).collect();
            if all.iter().all(|x| *x == 0.0) {
                return (vec![0.0; found.element.size() - kept.len()], 0.0);
            }
            let still: Vec<f64> = kept.iter().map(|&r| all[r]).collect();
            found.shares(part, &still, &found.element.interior.iter().map(|&r| all[r]).collect::<Vec<_>>())
        };
        let ((u, lost_u), (v, lost_v)) = (of(0), of(1));
        Start { u, v, lost: lost_u.max(lost_v) }
    }
}

/// Share of the kinetic energy of a motion below which its translations are rounding.
const TURNS: f64 = 1e-6;

/// Factors of the unknowns of a superelement, so that each generalised one is the displacement where its motion is largest, in m, and its inertia a
/// mass in kg; and whether it is an angle, because the motion only turns.
fn scales(model: &Model, component: &Component, element: &numeric::Superelement) -> Vec<(f64, bool)> {
    let diagonal = |row: usize| component.pattern.position(row, row).map_or(0.0, |p| component.mass[p]);
    let rows: Vec<(bool, f64)> =
        element.interior.iter().map(|&r| (model.dofs[component.rows[r]].angle, diagonal(r))).collect();
    let of = |motion: &[f64], angle: bool| {
        let those = rows.iter().zip(motion).filter(|(row, _)| row.0 == angle);
        those.fold((0.0f64, 0.0), |(most, energy), (row, x)| (most.max(x.abs()), energy + row.1 * x * x))
    };
    let one = |motion: &Vec<f64>| {
        let ((moves, energy), (turns, turning)) = (of(motion, false), of(motion, true));
        let angle = energy <= TURNS * (energy + turning) && turns > 0.0 || moves == 0.0;
        let most = if angle { turns } else { moves };
        (if most > 0.0 { most.recip() } else { 1.0 }, angle)
    };
    std::iter::repeat_n((1.0, false), element.kept).chain(element.motions[element.kept..].iter().map(one)).collect()
}

/// Puts a superelement into the model, in the place of what is inside it.
fn insert(
    model: &mut Model,
    asked: &Reduction,
    inside: &[usize],
    (component, part): (&Component, &numeric::Component<'_>),
    (found, (scale, turns), start): (&Found, (&[f64], &[bool]), &Start),
) -> Superelement {
    let element = &found.element;
    let (size, nb) = (element.size(), element.kept);
    let kept: Vec<usize> = part.kept.iter().map(|&r| component.rows[r]).collect();
    let first = model.dofs.len();
    for j in 0..size - nb {
        let name = match (j.checked_sub(element.modes), j.checked_sub(size - nb - found.interface)) {
            (None, _) => format!("{}.mode{}", asked.name, j + 1),
            (Some(j), None) => format!("{}.residual{}", asked.name, j + 1),
            (_, Some(j)) => format!("{}.interface{}", asked.name, j + 1),
        };
        let (u0, v0) = (start.u[j] / scale[nb + j], start.v[j] / scale[nb + j]);
        model.dofs.push(Dof { name, angle: turns[nb + j], support: Support::Free, mass: 0.0, u0, v0 });
    }
    let generalised: Vec<usize> = (first..model.dofs.len()).collect();
    let dofs: Vec<usize> = kept.iter().chain(&generalised).copied().collect();
    let scaled = |m: Vec<f64>| -> Vec<f64> {
        m.iter().enumerate().map(|(p, x)| x * scale[p / size] * scale[p % size]).collect()
    };
    let mass = scaled(element.mass.clone());
    let inertia = inertia(model, component, part, (element, scale), (&dofs, &mass));

    // What takes no part in Rayleigh damping stands in an element of its own.
    let any = |values: &[f64]| values.iter().any(|x| *x != 0.0);
    let project = |values: &[f64]| if any(values) { scaled(element.projected(part, values)) } else { Vec::new() };
    let apart: Vec<f64> = component.stiffness.iter().zip(&component.damped).map(|(k, d)| k - d).collect();
    let largest = component.stiffness.iter().fold(0.0f64, |m, k| m.max(k.abs()));
    let mixed = apart.iter().any(|k| k.abs() > 1e-13 * largest);
    let whole = scaled(element.stiffness.clone());
    let matrices = match (mixed, any(&component.damped)) {
        (false, _) => vec![(whole, true)],
        (true, false) => vec![(whole, false)],
        (true, true) => vec![(project(&component.damped), true), (project(&apart), false)],
    };
    let mut elements = Vec::new();
    for (i, (stiffness, damped)) in matrices.into_iter().enumerate() {
        let mass = if i == 0 { mass.clone() } else { Vec::new() };
        let name = if i == 0 { asked.name.clone() } else { format!("{}-undamped", asked.name) };
        elements.push(model.elements.len());
        model.elements.push(Element {
            name,
            type_name: "superelement".to_owned(),
            kind: Kind::Linear { dofs: dofs.clone(), mass, damping: Vec::new(), stiffness },
            damped,
            given: None,
            s0: Vec::new(),
            written_on: Vec::new(),
            inside: false,
        });
        if let (Some(partition), Some(owner)) = (&mut model.partition, asked.substructure) {
            partition.owners.push(owner);
        }
    }
    let inside_loads = follow(model, component, (element, scale), &dofs);
    inside.iter().for_each(|&e| model.elements[e].inside = true);
    let hertz = |omega2: f64| omega2.max(0.0).sqrt() / std::f64::consts::TAU;
    Superelement {
        name: asked.name.clone(),
        elements,
        kept,
        generalised,
        inertia,
        asked: asked.clone(),
        interior: element.interior.len(),
        modes: element.modes,
        last: element.omega2.last().copied().map(hertz),
        next: element.next.map(hertz),
        highest: element.highest().map(|w| w / std::f64::consts::TAU),
        lost: found.lost.stiffness,
        lost_force: found.lost.forces.iter().copied().reduce(f64::max),
        lost_start: start.lost,
        lost_response: Default::default(),
        remainder: None,
        held: inside_loads,
        inside: element.interior.iter().map(|&r| component.rows[r]).collect(),
        hash: String::new(),
        taken: false,
    }
}

/// What the inside weighs, by direction.
fn inertia(
    model: &Model,
    component: &Component,
    part: &numeric::Component<'_>,
    (element, scale): (&numeric::Superelement, &[f64]),
    (dofs, mass): (&[usize], &[f64]),
) -> Vec<Inertia> {
    let size = dofs.len();
    let one = |(direction, supports, [along, load]): (String, bool, [Vec<f64>; 2])| {
        let shown: Vec<f64> = part.kept.iter().map(|&r| along[r]).collect();
        let mut added: Vec<f64> = element.load(part, &load).iter().zip(scale).map(|(f, s)| f * s).collect();
        let by_matrix = |i: usize| shown.iter().enumerate().map(|(b, x)| mass[i * size + b] * x).sum::<f64>();
        let on_kept: f64 = shown.iter().enumerate().map(|(i, x)| x * by_matrix(i)).sum();
        (0..size).for_each(|i| added[i] -= by_matrix(i));
        let all: f64 = along.iter().zip(&load).map(|(a, l)| a * l).sum();
        // Of what moves as a rigid body, whatever supports add to it.
        let rigid = component.ground(model, &direction, false);
        let moves = rigid[1].iter().any(|l| *l != 0.0);
        let share = if moves { element.mass_share(part, &rigid[0], &rigid[1]).unwrap_or(f64::NAN) } else { 1.0 };
        let load = dofs.iter().copied().zip(added).filter(|l| l.1 != 0.0).collect();
        Inertia { direction, supports, load, mass: all - on_kept, share }
    };
    Loads::new(model, component).grounds.into_iter().map(one).collect()
}

/// Lets the inside follow the unknowns of its superelement, with what loads it from the beginning: what that is on the unknowns.
fn follow(
    model: &mut Model,
    component: &Component,
    (element, scale): (&numeric::Superelement, &[f64]),
    dofs: &[usize],
) -> Vec<(usize, f64)> {
    let mut inside = vec![None; model.dofs.len()];
    element.interior.iter().enumerate().for_each(|(a, &r)| inside[component.rows[r]] = Some(a));
    let wanted = wanted(model, &inside, element.interior.len() * element.size());
    let row = |a: usize| -> Vec<(usize, f64)> {
        let terms = dofs.iter().zip(&element.motions).zip(scale).map(|((&d, motion), s)| (d, motion[a] * s));
        terms.filter(|t| t.1 != 0.0).collect()
    };
    let mut sums: std::collections::BTreeMap<usize, f64> = Default::default();
    for (a, f) in model.held.iter().filter_map(|(d, f)| Some((inside[*d]?, f))) {
        row(a).into_iter().for_each(|(d, x)| *sums.entry(d).or_default() += f * x);
    }
    let held: Vec<(usize, f64)> = sums.into_iter().collect();
    replace_held(model, |d| inside[d].is_some(), &held);
    for (d, a) in inside.iter().enumerate() {
        if let Some(a) = *a {
            let terms = if wanted[d] { row(a) } else { Vec::new() };
            let dof = &mut model.dofs[d];
            *dof = Dof { support: Support::Follows(terms), mass: 0.0, u0: 0.0, v0: 0.0, ..dof.clone() };
        }
    }
    follow_further(model, |d| inside.get(d).is_some_and(Option::is_some));
    held
}

/// Puts constant loads inside on the unknowns.
fn replace_held(model: &mut Model, inside: impl Fn(usize) -> bool, instead: &[(usize, f64)]) {
    let mut sums: std::collections::BTreeMap<usize, f64> = Default::default();
    let outside = model.held.iter().filter(|h| !inside(h.0));
    outside.chain(instead).for_each(|(d, f)| *sums.entry(*d).or_default() += f);
    model.held = sums.into_iter().collect();
}

/// What followed the inside follows what it follows now.
fn follow_further(model: &mut Model, inside: impl Fn(usize) -> bool) {
    for d in 0..model.dofs.len() {
        if let Support::Follows(terms) = &model.dofs[d].support
            && !inside(d)
            && terms.iter().any(|t| inside(t.0))
        {
            model.dofs[d].support = Support::Follows(model.resolved(terms));
        }
    }
}

/// The degrees of freedom inside whose motion is kept: all, or those of channels where all would be too many.
fn wanted(model: &Model, inside: &[Option<usize>], numbers: usize) -> Vec<bool> {
    if numbers <= MOST_NUMBERS {
        return vec![true; inside.len()];
    }
    let mut wanted = vec![false; inside.len()];
    let mut read = |d: usize| {
        if d < inside.len() {
            wanted[d] = true;
        }
        if let Support::Follows(terms) = &model.dofs[d].support {
            for t in terms.iter().filter(|t| t.0 < inside.len()) {
                wanted[t.0] = true;
            }
        }
    };
    for channel in &model.channels {
        match channel.quantity {
            Quantity::Displacement(d)
            | Quantity::Velocity(d)
            | Quantity::Acceleration(d)
            | Quantity::AbsoluteAcceleration(d) => read(d),
            Quantity::Drift { above, below, .. } => [Some(above), below].into_iter().flatten().for_each(&mut read),
            Quantity::Force(e, _) | Quantity::Deformation(e, _) => {
                interfield_language::partition::visit(&model.elements[e], |d, _| read(d));
            }
            _ => {}
        }
    }
    wanted
}

/// What should be known before the run.
fn doubts(number: usize, asked: &Reduction, told: &Superelement, moved: &[(String, bool)]) -> Vec<Problem> {
    let mut found = Vec::new();
    let subject = Subject::Reduction(number);
    let name = &asked.name;
    let percent = |x: f64| format!("{} %", significant(100.0 * x, 2));
    let worst = told.lost_force.map_or(told.lost, |f| f.max(told.lost));
    if let Some(next) = told.next.filter(|next| *next <= asked.frequency) {
        let message = format!(
            "`{name}` has {} modes, and the first that is missing is at {} Hz, below the frequency of interest of {} Hz: nothing is promised",
            told.modes,
            significant(next, 3),
            significant(asked.frequency, 3)
        );
        found.push(Problem::warning(
            subject,
            message,
            "write more `modes`, or remove the key: then `accuracy` chooses",
        ));
    } else if worst > asked.accuracy {
        let lost = if worst.is_finite() { format!("up to {} of", percent(worst)) } else { "all of".to_owned() };
        let message = format!(
            "`{name}`: {lost} the dynamic stiffness of the interface, or of the force of loads on it, is lost below {} Hz; {} was asked for",
            significant(asked.frequency, 3),
            percent(asked.accuracy)
        );
        found.push(Problem::warning(
            subject,
            message,
            "write more `modes`, or remove the key: then `accuracy` chooses",
        ));
    }
    let light =
        told.inertia.iter().filter(|i| moved.contains(&(i.direction.clone(), i.supports)) && i.share < LEAST_MASS);
    for inertia in light {
        let message =
            format!("`{name}` keeps only {} of its inertia along {}", percent(inertia.share), inertia.direction);
        found.push(Problem::warning(subject, message, "write more `modes`, or residual = true"));
    }
    if told.lost_start > MOST_START {
        let message = format!("{} of the initial motion inside `{name}` is lost", percent(told.lost_start));
        let help = "write more `modes`, or `keep` the nodes with an `initial` motion";
        found.push(Problem::warning(subject, message, help));
    }
    found
}
