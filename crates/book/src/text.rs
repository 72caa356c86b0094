//! Words for HTML and Markdown.

/// Text in HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Anchor of a heading: its words in lower case, joined by hyphens.
pub(crate) fn slug(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Prose in a cell of a Markdown table: what the table or HTML would take for its own is escaped, code is left alone.
pub(crate) fn cell(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = |(i, part): (usize, &str)| match i % 2 {
        1 => part.replace('|', "\\|"),
        _ => part.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_").replace('[', "\\["),
    };
    spaced.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`")
}

/// Code in a cell of a Markdown table.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive() {
        assert_eq!(slug("What `check` warns of"), "what-check-warns-of");
        assert_eq!(cell("a | b*c\n d, `x*y`"), "a \\| b\\*c d, `x*y`");
        assert_eq!(escape("a < \"b\""), "a &lt; &quot;b&quot;");
    }
}
