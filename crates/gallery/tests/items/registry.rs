//! The list of items, and how they are run together.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use interfield_gallery::{ITEMS, Item, PLACES, Paper, Records, Shown, Stopped, find, run};

#[test]
fn items_have_names_of_their_own_and_say_what_they_are() {
    let names: BTreeSet<&str> = ITEMS.iter().map(|i| i.id).collect();
    assert_eq!(names.len(), ITEMS.len());
    for item in ITEMS {
        assert!(item.id.starts_with(item.paper.number()), "{}", item.id);
        assert!(item.look.matches(". ").count() >= 1, "{}: what to look at takes a few sentences", item.id);
        assert!(!item.models.is_empty() && !item.place.is_empty() && !item.what.is_empty(), "{}", item.id);
    }
    let sorted = ITEMS.windows(2).all(|pair| pair[0].paper <= pair[1].paper);
    assert!(sorted, "items stand by paper");
}

/// Figures and tables of the papers, by their highest numbers: nothing is left out, and what has an item has one that exists.
#[test]
fn every_figure_and_table_has_its_place() {
    for (paper, figures, tables) in [
        (Paper::P000, 15, &["Table 2.1", "Table 3.1", "Table 3.2"][..]),
        (Paper::P001, 9, &[]),
        (Paper::P002, 11, &[]),
        (Paper::P003, 8, &["Table 1", "Table 2"]),
        (Paper::P004, 7, &[]),
    ] {
        let expected = (1..=figures).map(|n| format!("Fig. {n}")).chain(tables.iter().map(|t| (*t).to_owned()));
        let found = PLACES.iter().filter(|p| p.paper == paper).map(|p| p.place.to_owned());
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{paper:?}");
    }
    for place in PLACES {
        if let Shown::Item(id) = place.shown {
            assert!(find(id).is_some_and(|item| item.paper == place.paper), "{id}");
        }
    }
}

/// Two cheap items.
fn some() -> [&'static Item; 2] {
    ["001-fig-7", "000-fig-1"].map(|id| find(id).expect("an item"))
}

#[test]
fn outcomes_are_the_same_whatever_the_number_of_threads() {
    let stop = AtomicBool::new(false);
    let records = Records::default();
    let of = |threads| run(&some(), threads, (&stop, &records), |item, outcome| (item.id, outcome), |_| ());
    let one = of(1);
    assert_eq!(one[0].as_ref().unwrap().0, "001-fig-7");
    assert_eq!(one, of(3));
}

#[test]
fn progress_is_told_and_ends_at_one() {
    let stop = AtomicBool::new(false);
    let mut told = Vec::new();
    run(&some(), 2, (&stop, &Records::default()), |_, _| (), |part| told.push(part));
    assert_eq!(told.last(), Some(&1.0));
    assert!(told.iter().all(|p| (0.0..=1.0).contains(p)), "{told:?}");
}

#[test]
fn what_is_asked_to_stop_stops_and_keeps_what_is_done() {
    let stop = AtomicBool::new(false);
    // The first one to be finished asks for the end.
    let results = run(&some(), 1, (&stop, &Records::default()), |_, _| stop.store(true, Ordering::Relaxed), |_| ());
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 1);
    assert_eq!(results.iter().filter(|r| **r == Err(Stopped::Interrupted)).count(), 1);
}
