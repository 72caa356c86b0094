//! What holds a structure in place, and the part of the model to blame where nothing does: a group of nodes without a
//! support, an element without stiffness or with a negative one, or one so stiff that rounding takes all others.
//!
//! **Must not be here:** modes, damping, steps.

use interfield_language::model::{Coordinate, Kind, Model, Support};
use interfield_language::units::Dimension;
use interfield_language::{Problem, Subject};

use crate::assemble::{remembers, start_of, stored, tangent_at_rest};

/// Stiffnesses further apart than this leave less than five digits of the softer one beside the stiffer.
const STIFFNESS_RATIO: f64 = 1e11;
/// Beyond this nothing of the softer one is left.
const NOTHING_LEFT: f64 = 1.0 / f64::EPSILON;
/// Share of the largest entry below which the force of a rigid motion is rounding.
const ROUNDING: f64 = 1e-9;
/// Most groups of nodes that are named.
const MOST_GROUPS: usize = 5;

/// An element in the initial state: its coordinates, and its stiffness over them.
struct AtRest {
    element: usize,
    coordinates: Vec<Coordinate>,
    k: Vec<f64>,
}

impl AtRest {
    fn of(model: &Model, element: usize) -> Self {
        let e = &model.elements[element];
        let (coordinates, k) = match (&e.kind, stored(&e.kind)) {
            // Its superelement has its stiffness.
            _ if e.inside => (Vec::new(), Vec::new()),
            (_, Some((law, coordinates))) => {
                let along = |c: &Coordinate| c.iter().map(|&(d, f)| f * start_of(&model.dofs[d])).sum();
                let q: Vec<f64> = coordinates.iter().map(along).collect();
                (coordinates.to_vec(), tangent_at_rest(&law, &e.s0, &q, remembers(&e.kind)).0)
            }
            (Kind::Linear { dofs, stiffness, .. }, None) => {
                (dofs.iter().map(|&d| vec![(d, 1.0)]).collect(), stiffness.clone())
            }
            (_, None) => (Vec::new(), Vec::new()),
        };
        AtRest { element, coordinates, k }
    }

    fn row(&self, i: usize) -> &[f64] {
        let n = self.coordinates.len();
        self.k.get(i * n..(i + 1) * n).unwrap_or_default()
    }

    /// The coordinates with a stiffness.
    fn active(&self) -> impl Iterator<Item = usize> {
        (0..self.coordinates.len()).filter(|&i| self.row(i).iter().any(|k| *k != 0.0))
    }

    fn largest(&self) -> f64 {
        self.k.iter().fold(0.0f64, |m, k| m.max(k.abs()))
    }

    /// The smallest entry of the diagonal, where it is negative.
    fn negative(&self) -> Option<f64> {
        let n = self.coordinates.len();
        let least = (0..n).filter_map(|i| self.k.get(i * n + i)).copied().fold(0.0, f64::min);
        (least < 0.0).then_some(least)
    }

    /// The degrees of freedom that its stiffness acts on.
    fn dofs(&self) -> impl Iterator<Item = usize> {
        self.active().flat_map(|i| self.coordinates[i].iter().map(|c| c.0))
    }

    /// Whether it resists a motion of all its degrees of freedom together: it stands on a support or on the ground.
    fn holds(&self, model: &Model) -> bool {
        if self.dofs().any(|d| !matches!(model.dofs[d].support, Support::Free)) {
            return true;
        }
        let translates = |c: &Coordinate| -> f64 { c.iter().filter(|c| !model.dofs[c.0].angle).map(|c| c.1).sum() };
        if let Kind::Linear { .. } = model.elements[self.element].kind {
            let rigid: Vec<f64> = self.coordinates.iter().map(translates).collect();
            let force = |i: usize| self.row(i).iter().zip(&rigid).map(|(k, u)| k * u).sum::<f64>();
            return (0..rigid.len()).any(|i| force(i).abs() > ROUNDING * self.largest());
        }
        self.active().any(|i| self.coordinates[i].iter().map(|c| c.1).sum::<f64>().abs() > ROUNDING)
    }

    /// The largest stiffness against a translation.
    fn along(&self, model: &Model) -> f64 {
        let n = self.coordinates.len();
        let translation = |i: usize| !self.coordinates[i].iter().any(|c| model.dofs[c.0].angle);
        (0..n).filter(|&i| translation(i)).filter_map(|i| self.k.get(i * n + i)).fold(0.0f64, |m, k| m.max(k.abs()))
    }

    /// Whether all its degrees of freedom are translations.
    fn translates(&self, model: &Model) -> bool {
        !self.coordinates.iter().flatten().any(|c| model.dofs[c.0].angle)
    }
}

/// A stiffness in the units of the model.
fn written(model: &Model, k: f64) -> String {
    let dim = Dimension::FORCE.per(Dimension::LENGTH);
    let k = k / model.units.factor(dim);
    let digits = if k == 0.0 || (1e-3..1e6).contains(&k.abs()) { k.to_string() } else { format!("{k:e}") };
    format!("{digits} {}", model.units.label(dim))
}

/// Why some motion of the structure meets no resistance, or less than none; nothing if the elements do not tell.
pub(crate) fn causes(model: &Model) -> Vec<Problem> {
    let elements: Vec<AtRest> = (0..model.elements.len()).map(|e| AtRest::of(model, e)).collect();
    let mut found: Vec<Problem> = elements.iter().filter_map(|e| negative(model, e)).collect();
    found.extend(floating(model, &elements));
    found
}

fn negative(model: &Model, e: &AtRest) -> Option<Problem> {
    let k = e.negative()?;
    let name = &model.elements[e.element].name;
    let size = if e.translates(model) { format!(": {}", written(model, k)) } else { String::new() };
    let message = format!(
        "the stiffness of `{name}` is negative{size}, and the rest of the structure does not \
        compensate it"
    );
    let help = "remove the sign, or check the length of a pendulum and the initial state";
    Some(Problem::warning(Subject::Stiffness(e.element), message, help))
}

/// Groups of degrees of freedom that no stiffness joins to a support.
fn floating(model: &Model, elements: &[AtRest]) -> Vec<Problem> {
    let mut groups = Groups((0..model.dofs.len()).collect());
    for e in elements {
        let mut dofs = e.dofs();
        if let Some(first) = dofs.next() {
            dofs.for_each(|d| groups.join(first, d));
        }
    }
    let mut held = vec![false; model.dofs.len()];
    for e in elements.iter().filter(|e| e.holds(model)) {
        e.dofs().for_each(|d| held[groups.of(d)] = true);
    }
    let free = |d: &usize| matches!(model.dofs[*d].support, Support::Free);
    let mut members = vec![Vec::new(); model.dofs.len()];
    for d in (0..model.dofs.len()).filter(free).filter(|&d| !held[groups.of(d)]) {
        members[groups.of(d)].push(d);
    }
    members.iter().filter(|m| !m.is_empty()).take(MOST_GROUPS).map(|m| unheld(model, elements, m)).collect()
}

fn unheld(model: &Model, elements: &[AtRest], members: &[usize]) -> Problem {
    let name = &model.dofs[members[0]].name;
    let touches = |e: &&AtRest| e.coordinates.iter().flatten().any(|c| members.contains(&c.0));
    // An element that is there but has no stiffness is the cause, not the node.
    if let Some(e) = elements.iter().filter(|e| !e.k.is_empty() && e.largest() == 0.0).find(touches) {
        let element = &model.elements[e.element].name;
        let message = format!(
            "`{element}` has no stiffness in the initial state, and no other element restrains \
            `{name}`"
        );
        let help = "give it a stiffness, or connect the node to its neighbours with another element";
        return Problem::warning(Subject::Stiffness(e.element), message, help);
    }
    let message = match members.len() {
        1 => format!("`{name}` is not restrained: no element with a stiffness acts on it"),
        2 => {
            format!(
                "`{name}` and `{}` are not restrained: no element connects them to a support",
                model.dofs[members[1]].name
            )
        }
        n => {
            format!(
                "`{name}` and {} others that move with it are not restrained: no element connects them to a \
                support",
                n - 1
            )
        }
    };
    let help = "connect it to a support or to its neighbours, or fix it, unless free drift is intended";
    Problem::warning(Subject::Dof(members[0]), message, help)
}

/// Elements between translations whose stiffnesses differ so much that rounding takes the softer one.
pub(crate) fn uneven_stiffnesses(model: &Model) -> Option<Problem> {
    let elements = (0..model.elements.len()).map(|e| AtRest::of(model, e));
    let known =
        elements.filter(|e| !matches!(model.elements[e.element].kind, Kind::Formula { .. } | Kind::Block { .. }));
    let mut all: Vec<(f64, usize)> = known.map(|e| (e.along(model), e.element)).filter(|k| k.0 > 0.0).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (&(soft, s), &(stiff, t)) = all.first().zip(all.last())?;
    if stiff <= STIFFNESS_RATIO * soft {
        return None;
    }
    // The one that is further from the usual is to blame.
    let usual = all[(all.len() - 1) / 2].0;
    let (blamed, value, how) = if stiff / usual >= usual / soft { (t, stiff, "stiff") } else { (s, soft, "soft") };
    let other = if blamed == t { s } else { t };
    let digits = (soft / stiff / f64::EPSILON).log10().floor().max(0.0);
    let name = |i: usize| &model.elements[i].name;
    let message = format!(
        "`{}` has a stiffness of {}, {:.0e} times as {how} as `{}`: rounding errors leave only {digits} digits for \
            the softer one",
        name(blamed),
        written(model, value),
        stiff / soft,
        name(other),
    );
    let help = "check the units of both; for a rigid connection use the same node, or 1e6 times the stiffness of the \
        neighbours";
    Some(Problem { fatal: stiff > NOTHING_LEFT * soft, ..Problem::warning(Subject::Stiffness(blamed), message, help) })
}

/// The first element that drives what it should damp.
pub(crate) fn driving(model: &Model) -> Option<usize> {
    model.elements.iter().position(|e| {
        !e.inside && {
            let (n, c) = match (&e.kind, stored(&e.kind)) {
                (Kind::Linear { dofs, damping, .. }, _) => (dofs.len(), damping.clone()),
                (_, Some((law, at))) => (at.len(), tangent_at_rest(&law, &e.s0, &vec![0.0; at.len()], false).1),
                (_, None) => (0, Vec::new()),
            };
            (0..n).any(|i| c.get(i * n + i).is_some_and(|c| *c < 0.0))
        }
    })
}

/// Disjoint sets of degrees of freedom: each points to another of its set, the last to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn of(&self, mut d: usize) -> usize {
        while self.0[d] != d {
            d = self.0[d];
        }
        d
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        // Towards the smaller number, so that paths stay short in a model that is written from one end to the other.
        self.0[a.max(b)] = a.min(b);
    }
}
