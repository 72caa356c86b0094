//! The table of contents: parts (`# Part`) and their chapters (`- [Title](file)`).

/// A part of the book.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) title: String,
    pub(crate) entries: Vec<Entry>,
}

/// A chapter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// Its file, relative to the table of contents.
    pub(crate) path: String,
}

/// Reads a table of contents.
pub(crate) fn parse(text: &str) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("# ") {
            parts.push(Part { title: title.trim().to_owned(), entries: Vec::new() });
        } else if let Some(entry) = line.strip_prefix("- ") {
            let inner = entry.trim().strip_prefix('[').and_then(|e| e.strip_suffix(')'));
            let (title, path) = inner
                .and_then(|e| e.split_once("]("))
                .ok_or_else(|| format!("SUMMARY.md:{}: expected - [Title](path.md)", number + 1))?;
            let part = parts.last_mut().ok_or("SUMMARY.md: the first line is a part, `# Title`")?;
            part.entries.push(Entry { title: title.to_owned(), path: path.to_owned() });
        } else if !line.trim().is_empty() {
            return Err(format!("SUMMARY.md:{}: neither `# Part` nor `- [Title](path.md)`", number + 1));
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_chapters_are_read_and_anything_else_is_refused() {
        let parts = parse("# One\n\n- [A b](a.md)\n- [C](../c.md)\n").unwrap();
        assert_eq!((parts.len(), parts[0].entries.len()), (1, 2));
        assert_eq!(parts[0].entries[1], Entry { title: "C".into(), path: "../c.md".into() });
        for bad in ["- [A](a.md)\n", "# One\n- A\n", "# One\ntext\n"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
