//! The book and the header say what the codec does.

use interfield_wire::layout::{
    COMMAND_FIELDS, GREETING_FIELDS, HEADER_FIELDS, MEASUREMENT_FIELDS, markdown, markdown_kinds,
};

const PAGE: &str = include_str!("../../../../docs/book/src/controller.md");

#[test]
fn the_book_prints_the_layout_of_the_codec() {
    let tables = [&HEADER_FIELDS[..], &GREETING_FIELDS, &COMMAND_FIELDS, &MEASUREMENT_FIELDS].map(markdown);
    for table in tables.into_iter().chain([markdown_kinds()]) {
        assert!(PAGE.contains(&table), "docs/book/src/controller.md needs this table:\n{table}");
    }
}
