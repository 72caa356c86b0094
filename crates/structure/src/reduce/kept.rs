//! Superelements that are kept in a file: whether one is that of the model, and the model with it.

use std::collections::HashMap;

use interfield_language::model::{Model, Support};
use interfield_language::reduction::{Reduction, Stored, Superelement};
use interfield_linalg::reduction as numeric;

use super::roles::Parts;
use super::{Loads, follow_further, replace_held, wanted};
use crate::assemble::component::Component;

/// Counts with every change of the method: files of before are made again.
const METHOD: u64 = 1;

/// A hash of numbers and words (FNV-1a, twice).
struct Hash([u64; 2]);

impl Hash {
    fn put(&mut self, x: u64) {
        for (i, hash) in self.0.iter_mut().enumerate() {
            for byte in x.rotate_left(17 * i as u32).to_le_bytes() {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }

    fn numbers<'a>(&mut self, all: impl IntoIterator<Item = &'a f64>) {
        all.into_iter().for_each(|x| self.put(x.to_bits()));
    }

    fn word(&mut self, text: &str) {
        self.put(text.len() as u64);
        text.bytes().for_each(|b| self.put(u64::from(b)));
    }
}

/// Of everything that a superelement is made of: matrices, names, wishes, loads, initial motions.
pub(super) fn hash(
    model: &Model,
    asked: &Reduction,
    component: &Component,
    part: &numeric::Component<'_>,
    loads: &Loads,
) -> String {
    let mut hash = Hash([0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142]);
    hash.put(METHOD);
    hash.word(&format!(
        "{} {:?} {:?} {:?} {:?} {:?} {:?}",
        asked.name, asked.frequency, asked.accuracy, asked.modes, asked.residual, asked.interface, asked.characteristic
    ));
    for &d in &component.rows {
        let dof = &model.dofs[d];
        hash.word(&dof.name);
        let start = match &dof.support {
            Support::Imposed(motion) => [motion.at(0.0)[0], motion.at(0.0)[1]],
            _ => [dof.u0, dof.v0],
        };
        hash.numbers(&start);
    }
    part.kept.iter().for_each(|&r| hash.put(r as u64));
    for i in 0..component.rows.len() {
        component.pattern.columns(i).iter().for_each(|&j| hash.put(u64::from(j)));
    }
    for values in [&component.stiffness, &component.mass, &component.damped] {
        hash.numbers(values);
    }
    for (direction, supports, motions) in &loads.grounds {
        hash.word(direction);
        hash.put(u64::from(*supports));
        motions.iter().for_each(|m| hash.numbers(m));
    }
    loads.moved.iter().for_each(|(direction, supports)| hash.word(&format!("{direction} {supports}")));
    hash.numbers(loads.held.iter().flatten());
    format!("{:016x}{:016x}", hash.0[0], hash.0[1])
}

/// The model with what a file holds, if that is this part of it, with all that is recorded.
pub(super) fn taken(
    model: &mut Model,
    asked: &Reduction,
    parts: &Parts,
    component: &Component,
    (part, hash): (&numeric::Component<'_>, &str),
    stored: &Stored,
) -> Option<Superelement> {
    let kept: Vec<usize> = part.kept.iter().map(|&r| component.rows[r]).collect();
    let names: HashMap<&str, usize> =
        stored.unknowns[..stored.kept].iter().enumerate().map(|(i, u)| (u.name.as_str(), i)).collect();
    let hard: Vec<usize> = kept.iter().copied().filter(|&d| names.contains_key(model.dofs[d].name.as_str())).collect();
    let in_order = hard.iter().enumerate().all(|(i, &d)| names.get(model.dofs[d].name.as_str()) == Some(&i));
    if stored.hash != *hash || hard.len() != stored.kept || !in_order {
        return None;
    }
    let rows: HashMap<&str, usize> = stored.inside.iter().enumerate().map(|(i, x)| (x.name.as_str(), i)).collect();
    let within: Vec<usize> = component.rows.iter().copied().filter(|d| !hard.contains(d)).collect();
    let mut place = vec![None; model.dofs.len()];
    within.iter().enumerate().for_each(|(a, &d)| place[d] = Some(a));
    let wanted = wanted(model, &place, within.len() * stored.unknowns.len());
    if within.iter().any(|&d| wanted[d] && !rows.contains_key(model.dofs[d].name.as_str())) {
        return None;
    }
    let inside: Vec<(usize, usize)> =
        within.iter().filter_map(|&d| Some((d, *rows.get(model.dofs[d].name.as_str())?))).collect();
    let mut told = stored.put(asked.clone(), hard, (&mut model.dofs, &mut model.elements), &inside);
    // What is neither kept nor in the file is at rest in pictures.
    for &d in within.iter().filter(|&&d| !rows.contains_key(model.dofs[d].name.as_str())).collect::<Vec<_>>() {
        let dof = &mut model.dofs[d];
        (dof.support, dof.mass, dof.u0, dof.v0) = (Support::Follows(Vec::new()), 0.0, 0.0, 0.0);
    }
    if let (Some(partition), Some(owner)) = (&mut model.partition, asked.substructure) {
        partition.owners.extend(told.elements.iter().map(|_| owner));
    }
    let held = told.held.clone();
    replace_held(model, |d| place.get(d).is_some_and(Option::is_some), &held);
    follow_further(model, |d| place.get(d).is_some_and(Option::is_some));
    parts.elements.iter().for_each(|&e| model.elements[e].inside = true);
    told.inside = within;
    Some(told)
}
