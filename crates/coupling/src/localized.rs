//! Where elements touch under localized multipliers: generalized degrees of freedom, the unknowns of elements that are
//! tied to them, and the rates that are imposed on some of them.

use std::fmt;

use interfield_kernel::System;

use crate::CouplingError::{self, Unsuitable};
use crate::coupled::require;
use crate::interface::{Assembly, Substructure};

/// A rate as a function of time: [h(t), h'(t)]. It is called inside the step and must not allocate.
pub type Rate = Box<dyn Fn(f64) -> [f64; 2] + Send>;

/// A generalized degree of freedom whose rate is given: a support, an actuator.
pub struct Imposed {
    /// Generalized degree of freedom.
    pub dof: usize,
    /// Its rate and the derivative of it. The imposed displacement is the trapezoidal sum of the rate.
    pub rate: Rate,
}

/// Unknowns of substructures that all move at a given rate: a support that several of them stand on.
pub struct Driven {
    /// (substructure, unknown).
    pub ends: Vec<(usize, usize)>,
    /// Their rate.
    pub rate: Rate,
}

impl fmt::Debug for Imposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imposed").field("dof", &self.dof).finish_non_exhaustive()
    }
}

/// An interface of localized multipliers: one multiplier per tie.
#[derive(Debug, Default)]
pub struct Localized {
    /// Ties of each element: its unknown, and the generalized degree of freedom that this is.
    pub ties: Vec<Vec<(usize, usize)>>,
    /// Number of generalized degrees of freedom.
    pub dofs: usize,
    /// Those with a given rate, each at most once.
    pub imposed: Vec<Imposed>,
}

impl Localized {
    /// The interface that the constraints of an assembly mean: unknowns tied to each other, however often and around
    /// how many corners, are one generalized degree of freedom. Nothing is imposed.
    pub fn of<S>(assembly: &Assembly<S>) -> Result<Self, CouplingError> {
        let ports = || assembly.substructures.iter().enumerate().flat_map(|(i, s)| s.ports.iter().map(move |p| (i, p)));
        let mut unknowns: Vec<(usize, usize)> = ports().map(|(i, p)| (i, p.dof)).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        // Class of each unknown, named after the smallest of its members.
        let mut class: Vec<usize> = (0..unknowns.len()).collect();
        for row in 0..assembly.rows {
            let ends: Vec<(usize, f64)> = ports()
                .filter(|(_, p)| p.row == row)
                .filter_map(|(i, p)| Some((unknowns.binary_search(&(i, p.dof)).ok()?, p.sign)))
                .collect();
            let &[(a, sign_a), (b, sign_b)] = ends.as_slice() else {
                let count = ends.len();
                return Err(Unsuitable(format!(
                    "localized multipliers connect unknowns in pairs; constraint {row} has {count}"
                )));
            };
            if sign_a + sign_b != 0.0 {
                return Err(Unsuitable(format!(
                    "localized multipliers make unknowns equal; constraint {row} gives both of them the same sign"
                )));
            }
            let (keep, drop) = (class[a].min(class[b]), class[a].max(class[b]));
            class.iter_mut().filter(|c| **c == drop).for_each(|c| *c = keep);
        }
        let mut names = class.clone();
        names.sort_unstable();
        names.dedup();
        let mut ties = vec![Vec::new(); assembly.substructures.len()];
        for (&(element, unknown), class) in unknowns.iter().zip(&class) {
            ties[element].push((unknown, names.partition_point(|n| n < class)));
        }
        Ok(Localized { ties, dofs: names.len(), imposed: Vec::new() })
    }

    /// Adds a generalized degree of freedom with a given rate, to which these unknowns of elements are tied.
    pub fn drive(&mut self, driven: Driven) {
        for (element, unknown) in driven.ends {
            self.ties[element].push((unknown, self.dofs));
        }
        self.imposed.push(Imposed { dof: self.dofs, rate: driven.rate });
        self.dofs += 1;
    }

    /// Whether these elements can be tied like this.
    pub(crate) fn check<S: System>(&self, elements: &[Substructure<S>]) -> Result<(), CouplingError> {
        let (count, listed) = (elements.len(), self.ties.len());
        require(count == listed, &format!("there are {count} elements and ties for {listed}"))?;
        let mut touched = vec![false; self.dofs];
        for (i, (element, ties)) in elements.iter().zip(&self.ties).enumerate() {
            let unknowns = element.system.dims().nu;
            for &(unknown, dof) in ties {
                require(
                    unknown < unknowns,
                    &format!("element {i} has {unknowns} unknowns; a tie names number {unknown}, counted from 0"),
                )?;
                let Some(touched) = touched.get_mut(dof) else { return Err(self.no_such(dof)) };
                *touched = true;
            }
        }
        if let Some(dof) = touched.iter().position(|t| !t) {
            return Err(Unsuitable(format!("no element is connected to generalized degree of freedom {dof}: omit it")));
        }
        let mut imposed = vec![false; self.dofs];
        for Imposed { dof, .. } in &self.imposed {
            let Some(imposed) = imposed.get_mut(*dof) else { return Err(self.no_such(*dof)) };
            require(!*imposed, &format!("the rate of generalized degree of freedom {dof} is imposed twice"))?;
            *imposed = true;
        }
        Ok(())
    }

    fn no_such(&self, dof: usize) -> CouplingError {
        let count = self.dofs;
        Unsuitable(format!(
            "there are {count} generalized degrees of freedom; number {dof}, counted from 0, does not \
            exist"
        ))
    }
}
