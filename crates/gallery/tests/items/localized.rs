//! The items of papers 003 and 004 that are computed in a moment, held to their verdicts. The others are run with the gallery.

use std::sync::atomic::AtomicBool;

use interfield_gallery::{Progress, Verdict, find};

#[test]
fn cheap_items_have_their_verdicts() {
    let stop = AtomicBool::new(false);
    for (id, verdict) in [
        ("003-table-2", Verdict::Reproduced),
        ("004-fig-1", Verdict::Corrected),
        ("004-fig-3", Verdict::Reproduced),
        ("004-fig-4", Verdict::Reproduced),
        ("004-fig-7", Verdict::Reproduced),
        ("004-sec-5", Verdict::Corrected),
    ] {
        let item = find(id).unwrap_or_else(|| panic!("no item {id}"));
        let outcome = (item.run)(&Progress::new(&stop)).unwrap_or_else(|e| panic!("{id}: {e:?}"));
        assert_eq!(outcome.verdict(), verdict, "{id}: {:#?}", outcome.claims);
        assert!(!outcome.panels.is_empty() || !outcome.tables.is_empty(), "{id} shows nothing");
    }
}
