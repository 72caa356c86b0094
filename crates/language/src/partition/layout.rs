//! Who has which degree of freedom, and which share of its mass; what is wrong with a partition.
//!
//! A free degree of freedom belongs to every substructure that has a use for it: one of its elements acts on it (a
//! nonzero row or column of M, C or K, or a coordinate of a law), or it lists the node and there is a nodal mass to
//! share. What is left over at a node goes with the node. An interface is where a free degree of freedom belongs to
//! two or more; supports are seen by each side.

use std::collections::{BTreeMap, BTreeSet};

use super::{Partition, Shares};
use crate::model::{Damping, Element, Kind, Model, Support};
use crate::problem::{Problem, Subject};

/// Shares that add up to one only up to this are meant to.
const ROUNDING: f64 = 1e-9;

/// Who has what.
pub struct Layout {
    /// Substructures of every degree of freedom, rising.
    pub members: Vec<Vec<usize>>,
    /// Share of the nodal mass that each of them has.
    pub shares: Vec<Vec<f64>>,
}

/// Reports what is wrong with the partition of a model.
pub(crate) fn check(model: &Model, partition: &Partition) -> Vec<Problem> {
    layout(model, partition).err().unwrap_or_default()
}

/// Calls `f` with every degree of freedom that an element refers to, and whether it acts on it.
pub fn visit(element: &Element, mut f: impl FnMut(usize, bool)) {
    match &element.kind {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => {
            coordinates.iter().flatten().for_each(|&(d, factor)| f(d, factor != 0.0));
        }
        Kind::Linear { dofs, mass, damping, stiffness } => {
            let n = dofs.len();
            let matrices = [mass, damping, stiffness];
            let given = || matrices.iter().filter(|m| !m.is_empty());
            for (i, &d) in dofs.iter().enumerate() {
                f(d, given().any(|m| (0..n).any(|j| m[i * n + j] != 0.0 || m[j * n + i] != 0.0)));
            }
        }
    }
}

/// Finds who has what, or what is wrong with the partition.
pub fn layout(model: &Model, partition: &Partition) -> Result<Layout, Vec<Problem>> {
    let mut problems = Vec::new();
    if matches!(model.damping, Damping::Modal(_)) {
        let message = "modal damping couples all degrees of freedom and cannot be divided among \
            substructures"
            .to_owned();
        let help = "use Rayleigh damping: rayleigh = { ratio = 0.05, modes = [1, 2] }";
        problems.push(Problem::error(Subject::Damping, message, help));
    }
    let members = members(model, partition, &mut problems);
    if problems.is_empty() {
        check_parts(model, partition, &members, &mut problems);
    }
    let shares = shares(model, partition, &members, &mut problems);
    if problems.is_empty() { Ok(Layout { members, shares }) } else { Err(problems) }
}

/// Substructures of every degree of freedom, rising.
fn members(model: &Model, partition: &Partition, problems: &mut Vec<Problem>) -> Vec<Vec<usize>> {
    let mut members = vec![BTreeSet::new(); model.dofs.len()];
    for (element, &owner) in model.elements.iter().zip(&partition.owners) {
        visit(element, |d, acts| {
            if acts {
                members[d].insert(owner);
            }
        });
    }
    let free = |d: usize| matches!(model.dofs[d].support, Support::Free);
    for (part, substructure) in partition.substructures.iter().enumerate() {
        for &node in &substructure.nodes {
            let dofs = || model.nodes[node].dofs.iter().map(|d| d.1);
            dofs().filter(|&d| free(d) && model.dofs[d].mass != 0.0).for_each(|d| {
                members[d].insert(part);
            });
            if !dofs().any(|d| members[d].contains(&part)) {
                let (node, name) = (&model.nodes[node].name, &substructure.name);
                let message = format!("node `{node}` of substructure `{name}` has no mass to share");
                let help = "give the node a `mass`, or list an element connected to it";
                problems.push(Problem::error(Subject::Substructure(part), message, help));
            }
        }
    }
    for node in &model.nodes {
        let present = node.dofs.iter().flat_map(|d| members[d.1].first().copied()).min();
        let left: Vec<usize> = node.dofs.iter().map(|d| d.1).filter(|&d| free(d) && members[d].is_empty()).collect();
        match (present.or(partition.rest), left.first()) {
            (Some(part), _) => left.iter().for_each(|&d| {
                members[d].insert(part);
            }),
            (None, Some(&d)) => {
                let message = format!("node `{}` belongs to no substructure: no element is connected to it", node.name);
                let help = format!("list it: nodes = [\"{}\"] in one of the [[substructure]]", node.name);
                problems.push(Problem::error(Subject::Dof(d), message, &help));
            }
            (None, None) => {}
        }
    }
    members.into_iter().map(|m| m.into_iter().collect()).collect()
}

/// Substructures without anything, or without an interface.
fn check_parts(model: &Model, partition: &Partition, members: &[Vec<usize>], problems: &mut Vec<Problem>) {
    let count = partition.substructures.len();
    let own = |part: usize| (0..members.len()).filter(move |&d| members[d].contains(&part));
    let empty = |part: usize| own(part).next().is_none() && !partition.owners.contains(&part);
    // Then others lack an interface because of it.
    let some_empty = (0..count).any(empty);
    for (part, substructure) in partition.substructures.iter().enumerate() {
        let name = &substructure.name;
        if empty(part) {
            let message = format!("substructure `{name}` is empty: all elements and nodes belong to others");
            let help = "remove it, or list fewer `elements` in the others";
            problems.push(Problem::error(Subject::Substructure(part), message, help));
        } else if count > 1 && !some_empty && !own(part).any(|d| is_interface(model, members, d)) {
            let message = format!("substructure `{name}` has no interface: it shares no free degree of freedom");
            let help = "substructures meet where their elements share a free degree of freedom of a node; check \
                `elements`, or list a node with a mass under `nodes`";
            problems.push(Problem::error(Subject::Substructure(part), message, help));
        }
    }
}

fn is_interface(model: &Model, members: &[Vec<usize>], dof: usize) -> bool {
    members[dof].len() > 1 && matches!(model.dofs[dof].support, Support::Free)
}

/// Share of every substructure in the nodal mass of every degree of freedom.
fn shares(model: &Model, partition: &Partition, members: &[Vec<usize>], problems: &mut Vec<Problem>) -> Vec<Vec<f64>> {
    let mut shares: Vec<Vec<f64>> = members.iter().map(|m| vec![1.0; m.len()]).collect();
    // Substructures that meet at each node.
    let mut meeting: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut refused = BTreeSet::new();
    for (n, node) in model.nodes.iter().enumerate() {
        for &(_, d) in node.dofs.iter().filter(|d| is_interface(model, members, d.1)) {
            meeting.entry(n).or_default().extend(&members[d]);
            let given: Vec<Option<f64>> =
                members[d].iter().map(|&p| partition.substructures[p].interface_mass.at(n)).collect();
            let sum: f64 = given.iter().flatten().sum();
            let others = given.iter().filter(|s| s.is_none()).count();
            if sum > 1.0 + ROUNDING || (others == 0 && sum < 1.0 - ROUNDING) {
                if refused.insert(n) {
                    problems.push(wrong_sum(partition, &node.name, &members[d], sum));
                }
                continue;
            }
            let remainder = (1.0 - sum).max(0.0) / others.max(1) as f64;
            shares[d] = given.into_iter().map(|s| s.unwrap_or(remainder)).collect();
        }
    }
    for (part, substructure) in partition.substructures.iter().enumerate() {
        let Shares::ByNode(list) = &substructure.interface_mass else { continue };
        for (node, _) in list.iter().filter(|(n, _)| !meeting.get(n).is_some_and(|m| m.contains(&part))) {
            let message =
                format!("node `{}` is not at an interface of `{}`", model.nodes[*node].name, substructure.name);
            let own = meeting.iter().filter(|m| m.1.contains(&part)).map(|m| model.nodes[*m.0].name.as_str());
            let help = match own.collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "remove it".to_owned(),
                names => format!("its interface nodes are {names}"),
            };
            problems.push(Problem::error(Subject::InterfaceMass(part), message, &help));
        }
    }
    shares
}

/// Shares that do not add up, shown at the last of the substructures that have one.
fn wrong_sum(partition: &Partition, node: &str, parts: &[usize], sum: f64) -> Problem {
    let all: Vec<String> = parts.iter().map(|&p| format!("`{}`", partition.substructures[p].name)).collect();
    let message = format!("the shares of the mass of node `{node}` in {} add up to {sum}", all.join(", "));
    let help = "they must add up to 1; omit `interface_mass` of one substructure, which then gets the remainder";
    let given = |p: &&usize| partition.substructures[**p].interface_mass != Shares::default();
    let last = parts.iter().rev().find(given);
    Problem::error(last.map_or(Subject::Model, |&p| Subject::InterfaceMass(p)), message, help)
}
