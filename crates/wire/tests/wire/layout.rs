//! The book and the header say what the codec does.

use interfield_wire::layout::{
    COMMAND_FIELDS, GREETING_FIELDS, HEADER_FIELDS, MEASUREMENT_FIELDS, STATUS_BITS, markdown, markdown_bits,
    markdown_kinds,
};

const HEADER: &str = include_str!("../../c/interfield_wire.h");
const PAGE: &str = include_str!("../../../../docs/book/src/controller.md");

#[test]
fn the_book_prints_the_layout_of_the_codec() {
    let tables = [&HEADER_FIELDS[..], &GREETING_FIELDS, &COMMAND_FIELDS, &MEASUREMENT_FIELDS].map(markdown);
    for table in tables.into_iter().chain([markdown_kinds(), markdown_bits()]) {
        assert!(PAGE.contains(&table), "docs/book/src/controller.md needs this table:\n{table}");
    }
}

#[test]
fn the_header_has_the_bits_of_the_codec() {
    for (_, bit, name, _) in STATUS_BITS {
        let line = format!("#define IFW_{name} {bit}u ");
        assert!(HEADER.contains(&line), "c/interfield_wire.h needs `{line}`");
    }
}
