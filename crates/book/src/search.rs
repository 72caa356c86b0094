//! What the search of the book looks through: a script that holds the words of every section, because a page that is opened from a
//! disk may load scripts, but read no files.

use serde_json::json;

use crate::page::Page;

/// The script.
pub(crate) fn index(pages: &[Page]) -> String {
    let mut sections = Vec::new();
    for page in pages {
        for heading in &page.headings {
            let words = heading.words.split_whitespace().collect::<Vec<_>>().join(" ");
            sections.push(json!([format!("{}#{}", page.file(), heading.id), page.entry.title, heading.text, words]));
        }
    }
    let sections: Vec<String> = sections.iter().map(ToString::to_string).collect();
    format!("window.interfieldIndex = [\n{}\n];\n", sections.join(",\n"))
}
