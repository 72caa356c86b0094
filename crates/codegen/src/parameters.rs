//! Parameters: initial values, scales of the motions, and numbers of laws, by name.

use std::fmt::Write;

use interfield_kernel::element::AnyLaw;
use interfield_language::model::Kind;
use interfield_structure::assembled::Blueprint;
use interfield_structure::channels::Channels;

use crate::api::{Measure, Variable};
use crate::inputs::Inputs;
use crate::law::{Number, Want, places_of, strength_setting};
use crate::measures;
use crate::outputs::Read;
use crate::subdomain::{Plan, want};
use crate::text::number;

/// A structure or a substructure whose numbers can be set.
pub(crate) struct Owner<'a> {
    /// It as a model, and what its channels read.
    pub(crate) channels: Channels<'a>,
    /// Its degrees of freedom that are unknowns.
    pub(crate) free: &'a [usize],
    /// Its elements in the loop.
    pub(crate) looped: &'a [usize],
    /// Initial [u v s].
    pub(crate) y: &'a [f64],
    /// Its system.
    pub(crate) b: &'a Blueprint,
    /// Its memory, and where that starts in `self->work`.
    pub(crate) plan: &'a Plan,
    /// See there.
    pub(crate) work: usize,
    /// Laws that its channels read.
    pub(crate) read: Option<&'a Read>,
}

/// The parameters of an export.
#[derive(Default)]
pub(crate) struct Parameters {
    /// Initial values, then scales of motions, then numbers of laws. What several substructures have is there once.
    pub(crate) list: Vec<Variable>,
    /// Where the initial [u v s] of every owner stand in the list.
    pub(crate) initials: Vec<Vec<usize>>,
    /// First of the scales.
    pub(crate) scales: usize,
    /// Statements that put the numbers of laws to their places in `self->work`.
    pub(crate) setting: String,
}

/// Finds the parameters of all owners.
pub(crate) fn parameters(owners: &[Owner<'_>], inputs: &Inputs) -> Parameters {
    let mut all = Parameters::default();
    for owner in owners {
        let initials = owner.initials(&mut all);
        all.initials.push(initials);
    }
    all.scales = all.list.len();
    inputs.motions.iter().for_each(|motion| _ = all.find(format!("{motion}.scale"), measures::plain(), 1.0));
    owners.iter().for_each(|owner| owner.laws(&mut all));
    all
}

impl Parameters {
    /// The parameter of this name; it is new if there is none.
    fn find(&mut self, name: String, measure: Measure, si: f64) -> usize {
        let known = self.list.iter().position(|v| v.name == name);
        known.unwrap_or_else(|| {
            self.list.push(Variable::new(name, measure, si));
            self.list.len() - 1
        })
    }
}

impl Owner<'_> {
    /// Initial displacements, velocities and states, in the order of the state.
    fn initials(&self, all: &mut Parameters) -> Vec<usize> {
        let (model, b, y) = (self.channels.model, self.b, self.y);
        let mut places = Vec::new();
        for (k, suffix) in ["", ".v"].into_iter().enumerate() {
            for (i, &dof) in self.free.iter().enumerate() {
                let name = format!("{}{suffix}.initial", model.dofs[dof].name);
                places.push(all.find(name, measures::motion(model, dof, k as i32), y[k * b.n + i]));
            }
        }
        for (&e, part) in self.looped.iter().zip(&b.elements) {
            let element = &model.elements[e];
            for i in 0..part.s {
                let of_law = |law: &AnyLaw| law.info().states.get(i).map(|s| (s.name.to_owned(), s.unit));
                let (name, measure) = match &element.kind {
                    Kind::Law { law, .. } => of_law(law).map_or((None, measures::unknown()), |(name, u)| {
                        (Some(name), measures::of_law(model, element, u))
                    }),
                    Kind::Formula { states, .. } => (states.get(i).cloned(), measures::unknown()),
                    _ => (None, measures::unknown()),
                };
                let name = name.unwrap_or_else(|| format!("s{}", i + 1));
                let value = y[2 * b.n + part.state0 + i];
                places.push(all.find(format!("{}.{name}.initial", element.name), measure, value));
            }
        }
        places
    }

    /// Numbers of the laws in the loop, and of those that channels read.
    fn laws(&self, all: &mut Parameters) {
        let (b, plan) = (self.b, self.plan);
        for (l, (&e, part)) in self.looped.iter().zip(&b.elements).enumerate() {
            let element = &self.channels.model.elements[e];
            let Kind::Law { law, path, .. } = &element.kind else { continue };
            let (mut values, mut strengths) = (Vec::new(), Vec::new());
            for (j, parameter) in law.info().parameters.iter().enumerate() {
                let value = law.with_parameters(|p| p[j]);
                let at = |table: usize, want: Want| {
                    let start = self.work + plan.constants + table;
                    places_of(law, *path, j, want).into_iter().map(move |(i, number)| (start + i, number))
                };
                let mut places: Vec<_> = at(plan.element_constants[l], want(b, part)).collect();
                if places.is_empty() {
                    values.push(number(value));
                    continue;
                }
                let reading = if *path { Want::Standing } else { Want::Force };
                let read = self.read.into_iter().flat_map(|read| read.elements(self.channels));
                places.extend(read.filter(|r| r.0 == e).flat_map(|(_, further)| at(plan.further[further], reading)));
                let measure = measures::of_law(self.channels.model, element, parameter.unit);
                let name = format!("{}.{}", element.name, parameter.name);
                let set = format!("self->si_parameters[{}]", all.find(name, measure, value));
                let (own, follow): (Vec<_>, Vec<_>) = places.into_iter().partition(|p| p.1 == Number::Parameter);
                for (place, _) in own {
                    let _ = writeln!(all.setting, "    self->work[{place}] = {set};");
                }
                values.push(set);
                strengths.extend(follow);
            }
            strengths.sort_unstable_by_key(|s| s.0);
            strengths.dedup();
            all.setting += &strength_setting(law, &values, &strengths);
        }
    }
}
