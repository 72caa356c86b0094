//! What systems remember. Laws: as the end z of every state of theirs, so that each of several sequences of states has its own
//! (book: passivity 4.1). Rigs: once, behind the complete state of a coupling, because there is one of each.

use std::ops::Range;

use interfield_kernel::System;

/// Lets a system go on from a state that ends with `z`.
pub(crate) fn recall(system: &mut impl System, z: &[f64]) {
    if !z.is_empty() {
        system.memory_mut()[..z.len()].copy_from_slice(z);
    }
}

/// Writes the end `z` of the state at which a system has arrived.
pub(crate) fn keep(system: &impl System, z: &mut [f64]) {
    z.copy_from_slice(&system.memory()[..z.len()]);
}

/// What of stacked states is mixed where a mean of states is taken; the rest is what laws remember as a whole. Of each system the lengths
/// of [u v s h] and [u v s h z].
pub(crate) fn mixed<'a, S: System + 'a>(systems: impl Iterator<Item = (usize, usize, &'a S)>) -> Vec<Range<usize>> {
    let (mut ranges, mut start): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for (moved, len, system) in systems {
        for i in (0..len).filter(|&i| i < moved || system.mixes(i - moved)).map(|i| start + i) {
            match ranges.last_mut() {
                Some(last) if last.end == i => last.end += 1,
                _ => ranges.push(i..i + 1),
            }
        }
        start += len;
    }
    ranges
}

/// Length of what rigs of these systems remember.
pub(crate) fn rigs<'a, S: System + 'a>(systems: impl Iterator<Item = &'a S>) -> usize {
    systems.map(|s| s.memory().len() - s.own_memory()).sum()
}

/// Writes what they remember.
pub(crate) fn keep_rigs<'a, S: System + 'a>(systems: impl Iterator<Item = &'a S>, mut m: &mut [f64]) {
    for system in systems {
        let rigs = &system.memory()[system.own_memory()..];
        let (own, rest) = m.split_at_mut(rigs.len());
        own.copy_from_slice(rigs);
        m = rest;
    }
}

/// Gives it back to them.
pub(crate) fn recall_rigs<'a, S: System + 'a>(systems: impl Iterator<Item = &'a mut S>, mut m: &[f64]) {
    for system in systems {
        let (first, len) = (system.own_memory(), system.memory().len());
        let (own, rest) = m.split_at(len - first);
        if !own.is_empty() {
            system.memory_mut()[first..].copy_from_slice(own);
        }
        m = rest;
    }
}
