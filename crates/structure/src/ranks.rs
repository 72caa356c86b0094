//! Parts of a structure in several processes: who has which, and what cannot be so.

use interfield_coupling::Ranks;
use interfield_coupling::registry::COUPLINGS;
use interfield_kernel::{Scheme, System};
use interfield_language::{Problem, Subject};

use crate::structure::{Part, Structure};

impl Structure {
    /// Gives every part a rank, so that all have about the same work. Specimens are with the first rank, which has the laboratory.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn place(&mut self, ranks: &Ranks) -> Result<(), Vec<Problem>> {
        let count = ranks.count();
        let refuse = |subject, message: String, help: &str| Problem::error(subject, message, help);
        let model = &self.model;
        let Some(partition) = &model.partition else {
            let message = format!("the model is in one piece, and {count} ranks were started for it");
            let help = "divide it with [[substructure]], or run it without mpirun";
            return Err(vec![refuse(Subject::Model, message, help)]);
        };
        let mut problems = Vec::new();
        let info = partition.coupling.info;
        if !info.ranks {
            let able: Vec<&str> = COUPLINGS.iter().filter(|c| c.ranks).map(|c| c.name).collect();
            let message = format!("coupling `{}` cannot have its substructures in several processes", info.name);
            problems.push(refuse(Subject::Model, message, &format!("use one of {}", able.join(", "))));
        }
        if count > self.parts.len() {
            let message = format!("{count} ranks were started for {} substructures", self.parts.len());
            let help = format!("start at most {} ranks, or divide the model further", self.parts.len());
            problems.push(refuse(Subject::Model, message, &help));
        }
        if let Some(e) = model.externals.first() {
            let message =
                format!("external `{}` is computed by another program, which several ranks cannot share", e.name);
            problems.push(refuse(Subject::Element(e.element), message, "run the model without mpirun"));
        }
        if let Some(update) = model.updates.first() {
            let message =
                format!("update `{}` changes laws during the run, of which other ranks would not know", update.name);
            problems.push(refuse(Subject::Model, message, "remove [[update]], or run the model without mpirun"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let works: Vec<f64> = self.parts.iter().map(work).collect();
        let bound: Vec<bool> = self.parts.iter().map(|p| !p.sub.model.specimens.is_empty()).collect();
        self.ranks = ranks.with(owners(&works, &bound, count));
        Ok(())
    }

    /// Who has what, in a line for each rank; none in one process.
    pub fn placement(&self) -> Vec<String> {
        if self.ranks.is_alone() {
            return Vec::new();
        }
        let works: Vec<f64> = self.parts.iter().map(work).collect();
        let all: f64 = works.iter().sum();
        let line = |rank: usize| {
            let own: Vec<usize> = (0..works.len()).filter(|&i| self.ranks.owners()[i] == rank).collect();
            let names: Vec<&str> = own.iter().map(|&i| self.parts[i].sub.name.as_str()).collect();
            let share = own.iter().map(|&i| works[i]).sum::<f64>() / all;
            format!("rank {rank}: {} ({:.0} % of the work)", names.join(", "), 100.0 * share)
        };
        (0..self.ranks.count()).map(line).collect()
    }
}

/// Nominal time of a part in a macro-step, s.
fn work(part: &Part) -> f64 {
    let evaluations = f64::from(part.sub.model.analysis.scheme.evaluations().unwrap_or(3));
    let system = &part.assembly.system;
    // Some for each unknown, so that a part without elements has work too.
    f64::from(part.sub.substeps) * (system.work().times(evaluations).whole() + 1e-9 * system.dims().nu as f64)
}

/// The rank of each part: the largest first, each to the rank with the least work so far; no rank without a part.
fn owners(works: &[f64], bound: &[bool], ranks: usize) -> Vec<usize> {
    let mut owners = vec![0; works.len()];
    let mut load = vec![0.0; ranks];
    let mut free: Vec<usize> = Vec::new();
    for i in 0..works.len() {
        if bound[i] {
            load[0] += works[i];
        } else {
            free.push(i);
        }
    }
    free.sort_by(|&a, &b| works[b].total_cmp(&works[a]).then(a.cmp(&b)));
    let mut empty: Vec<bool> = (0..ranks).map(|r| r > 0 || !bound.contains(&true)).collect();
    for (at, &i) in free.iter().enumerate() {
        // As many parts as there are ranks without one must be left for those.
        let needed = empty.iter().filter(|e| **e).count() >= free.len() - at;
        let may = (0..ranks).filter(|&r| !needed || empty[r]);
        let rank = may.min_by(|&a, &b| load[a].total_cmp(&load[b])).unwrap_or(0);
        (owners[i], empty[rank]) = (rank, false);
        load[rank] += works[i];
    }
    owners
}

/// That a rank has ended, with what it had.
pub(crate) fn explain<'a>(ranks: &Ranks, parts: impl Iterator<Item = &'a str>, (rank, told): (u16, bool)) -> String {
    let owners = ranks.owners().iter().copied();
    let names: Vec<String> =
        parts.zip(owners).filter(|p| p.1 == usize::from(rank)).map(|p| format!("`{}`", p.0)).collect();
    let what = match &names[..] {
        [] => String::new(),
        [one] => format!(", which computes substructure {one},"),
        all => format!(", which computes the substructures {},", all.join(", ")),
    };
    match told {
        true => format!("rank {rank}{what} has ended the run; its own message says why"),
        false => {
            format!("rank {rank}{what} does not answer: its process was killed, or its machine or the network is lost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_balanced_work_and_none_is_idle() {
        assert_eq!(owners(&[1.0, 1.0, 1.0, 1.0], &[false; 4], 2), [0, 1, 0, 1]);
        assert_eq!(owners(&[4.0, 1.0, 1.0, 2.0], &[false; 4], 2), [0, 1, 1, 1]);
        // Two specimens stay with the first rank, whatever they weigh.
        assert_eq!(owners(&[9.0, 1.0, 1.0, 9.0], &[true, false, false, true], 3), [0, 1, 2, 0]);
        // Twelve decades of work, and still everybody has something.
        assert_eq!(owners(&[1e12, 1e-3, 1e-6], &[false; 3], 3), [0, 1, 2]);
    }
}
