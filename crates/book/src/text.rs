//! Words for HTML and Markdown.

/// Text in HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Anchor of a heading, as GitHub makes it, so that links work in the book and in the repository: letters, digits and hyphens in
/// lower case, a hyphen for every blank.
pub(crate) fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
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

/// A text of a registry with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive() {
        assert_eq!(slug("What `check` warns of"), "what-check-warns-of");
        assert_eq!(slug("3.2 Generalized-α, softening"), "32-generalized-α-softening");
        assert_eq!(cell("a | b*c\n d, `x*y`"), "a \\| b\\*c d, `x*y`");
        assert_eq!(escape("a < \"b\""), "a &lt; &quot;b&quot;");
    }
}
