//! The linear part of a model by itself: the matrices of some elements between some of its degrees of freedom.

use interfield_language::model::{Dof, Element, Model, Support, short_name};
use interfield_linalg::Pattern;

use super::{Constant, Gathered, Numbering, gather, pattern_of};

/// Matrices of a part of a model. Rows are degrees of freedom of the model, rising.
pub(crate) struct Component {
    pub(crate) rows: Vec<usize>,
    pub(crate) pattern: Pattern,
    pub(crate) mass: Vec<f64>,
    pub(crate) stiffness: Vec<f64>,
    /// The stiffness that takes part in Rayleigh damping.
    pub(crate) damped: Vec<f64>,
    /// Mass between rows and what is held, by row and degree of freedom of the model.
    held: Vec<(usize, usize, f64)>,
}

/// What a degree of freedom is to a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing: none of its elements acts there, or it is held.
    Outside,
    /// It is shared with others, and its nodal mass is not in the component.
    Kept,
    /// It is the component's own.
    Interior,
}

impl Component {
    /// Of the linear elements with these numbers.
    pub(crate) fn new(model: &Model, elements: &[usize], roles: &[Role]) -> Self {
        let dof = |(d, role): (&Dof, &Role)| {
            let (support, mass) = match (role, &d.support) {
                (Role::Interior, _) => (Support::Free, d.mass),
                (Role::Kept, _) => (Support::Free, 0.0),
                (Role::Outside, Support::Follows(_)) => (d.support.clone(), 0.0),
                (Role::Outside, _) => (Support::Fixed, 0.0),
            };
            Dof { support, mass, u0: 0.0, v0: 0.0, ..d.clone() }
        };
        let own: Vec<Element> = elements.iter().map(|&e| model.elements[e].clone()).collect();
        let dofs = model.dofs.iter().zip(roles).map(dof).collect();
        let alone = Model { elements: own, dofs, superelements: Vec::new(), ..bare(model) };
        let numbering = Numbering::new(&alone);
        let pattern = pattern_of(&alone, &numbering);
        let Gathered { constant, damped, .. } = gather(&alone, &numbering, &pattern);
        let Constant { mass, stiffness, held, .. } = constant;
        Component { rows: numbering.free, pattern, mass, stiffness, damped, held }
    }

    /// Motion of the rows when the ground moves by one along a direction, and the inertia against it; `supports`: what moves with the ground
    /// besides takes part.
    pub(crate) fn ground(&self, model: &Model, direction: &str, supports: bool) -> [Vec<f64>; 2] {
        let moves = |d: usize| {
            let free = matches!(model.dofs[d].support, Support::Free);
            f64::from(u8::from((free || supports) && short_name(&model.dofs[d].name) == direction))
        };
        let along: Vec<f64> = self.rows.iter().map(|&d| moves(d)).collect();
        let mut load = vec![0.0; along.len()];
        self.pattern.mul(&self.mass, &along, &mut load);
        self.held.iter().filter(|_| supports).for_each(|&(row, d, m)| load[row] += m * moves(d));
        [along, load]
    }
}

/// A model without what a component does not have.
fn bare(model: &Model) -> Model {
    Model {
        nodes: Vec::new(),
        dofs: Vec::new(),
        elements: Vec::new(),
        loads: Vec::new(),
        load_names: Vec::new(),
        held: Vec::new(),
        channels: Vec::new(),
        partition: None,
        specimens: Vec::new(),
        externals: Vec::new(),
        reductions: Vec::new(),
        superelements: Vec::new(),
        updates: Vec::new(),
        pushover: None,
        title: String::new(),
        units: model.units.clone(),
        sections: model.sections.clone(),
        damping: model.damping.clone(),
        analysis: model.analysis.clone(),
        every: 1,
    }
}
