//! Large structures, in the small form that a test can afford (the large one is `cargo xtask bench large`): threads that share
//! solutions, analyses and factors that are kept, and memory that is not there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use interfield_linalg::Solver;
use interfield_structure::preparation::{Keeper, Preparation, Words};
use interfield_structure::specimen::Rehearsal;
use interfield_structure::{Simulation, Structure};
use interfield_testkit::frames::{Run, space_frame};

const STEPS: usize = 5;

fn structure() -> Structure {
    let model = space_frame(8, 14, Run { scheme: "newmark", dt: 0.01, steps: STEPS });
    Structure::new(model).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn started(preparation: Preparation) -> Simulation {
    let mut structure = structure();
    structure.preparation = preparation;
    structure.start(&mut Rehearsal).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The bits of its states after some steps.
fn run(mut simulation: Simulation) -> Vec<u64> {
    for k in 0..STEPS {
        simulation.step(k as u64).unwrap_or_else(|fault| panic!("{}", simulation.explain(fault)));
    }
    simulation.y(0).iter().map(|y| y.to_bits()).collect()
}

#[test]
fn threads_that_share_solutions_change_no_bit() {
    let alone = started(Preparation::default());
    let report = alone.solver(0).expect("a solver");
    assert_eq!((report.solver, report.n, report.threads), (Solver::Supernodal, 6804, 1));
    let expected = run(alone);
    for threads in [2, 3, 4] {
        let mut shared = started(Preparation::default());
        assert_eq!(shared.share_solutions(threads), threads);
        let said = shared.solver(0).expect("a solver").to_string();
        assert!(said.ends_with(&format!(", solved on {threads} cores")), "{said}");
        assert!(run(shared) == expected, "{threads} threads");
    }
}

/// Keeps in memory, and counts.
#[derive(Default)]
struct Kept {
    words: Mutex<BTreeMap<String, Vec<u64>>>,
    used: Mutex<Vec<String>>,
}

impl Keeper for Kept {
    fn load(&self, name: &str, accept: &mut dyn FnMut(&mut Words<'_>) -> bool) -> bool {
        let Some(words) = self.words.lock().unwrap().get(name).cloned() else { return false };
        let mut words = words.into_iter();
        let accepted = accept(&mut || words.next());
        if accepted {
            self.used.lock().unwrap().push(name.split('-').next().unwrap().to_owned());
        }
        accepted
    }

    fn keep(&self, name: &str, words: &mut dyn Iterator<Item = u64>) {
        self.words.lock().unwrap().insert(name.to_owned(), words.collect());
    }
}

#[test]
fn a_second_start_takes_what_the_first_one_kept_and_nothing_that_does_not_fit() {
    let kept = Arc::new(Kept::default());
    let preparation = || Preparation { keeper: Some(kept.clone()), ..Preparation::default() };
    let used = || std::mem::take(&mut *kept.used.lock().unwrap());
    let expected = run(started(preparation()));
    assert_eq!((used(), kept.words.lock().unwrap().len()), (vec![], 2));
    assert!(run(started(preparation())) == expected);
    assert_eq!(used(), ["analysis", "factor"]);
    // Words that are no analysis, or not the factor of this matrix, are noticed whatever they are.
    let good = kept.words.lock().unwrap().clone();
    let damages: [fn(&mut Vec<u64>); 5] = [
        |words| words.truncate(words.len() / 2),
        |words| words.clear(),
        |words| words.iter_mut().for_each(|w| *w = 1),
        |words| words.rotate_left(1),
        |words| words[700] = f64::NAN.to_bits(),
    ];
    for (i, damage) in damages.into_iter().enumerate() {
        for what in ["analysis", "factor"] {
            let mut bad = good.clone();
            let (_, words) = bad.iter_mut().find(|(name, _)| name.starts_with(what)).expect("it was kept");
            damage(words);
            *kept.words.lock().unwrap() = bad;
            let simulation = started(preparation());
            let found = used();
            assert!(!found.contains(&what.to_owned()), "{what}, damage {i}: {found:?}");
            assert!(run(simulation) == expected, "{what}, damage {i}");
        }
    }
}

#[test]
fn a_structure_that_does_not_fit_in_memory_is_refused_with_numbers() {
    let with = |memory: f64| {
        let mut structure = structure();
        structure.preparation.memory = Some(memory);
        structure.start(&mut Rehearsal)
    };
    let problems = with(2e6).err().expect("it does not fit");
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(problem.fatal && problem.message.contains("does not fit in memory"), "{problem:?}");
    assert!(problem.message.contains("2.0 MB are free") && problem.help.contains("[[reduce]]"), "{problem:?}");
    let fits = with(4e9).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (memory, report) = (fits.memory(), fits.solver(0).expect("a solver"));
    // The factor is most of it, and its size is that of its entries.
    let entries = 8.0 * report.nnz_factor as f64;
    assert!(memory.factors > entries && memory.factors < 3.0 * entries, "{memory:?}, {entries}");
    assert!(memory.rest > 1e6 && memory.total() < 1e9, "{memory:?}");
}
