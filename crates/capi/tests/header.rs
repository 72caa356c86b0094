//! The header is the one that the declarations print.

#[test]
fn the_header_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/interfield.h");
    let text = interfield_c::header::text();
    if std::env::var_os("INTERFIELD_BLESS").is_some() {
        std::fs::write(path, &text).expect("the header can be written");
    }
    let kept = std::fs::read_to_string(path).expect("the header is there");
    assert!(kept == text, "interfield.h is not current: INTERFIELD_BLESS=1 cargo test -p interfield-capi renews it");
}
