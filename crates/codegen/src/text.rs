//! Pieces of C text: numbers, tables, names, and leaving out what is not called.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// A number that C reads back to the same bits.
pub(crate) fn number(x: f64) -> String {
    if x.is_nan() {
        "NAN".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned()
    } else {
        format!("{x:?}")
    }
}

/// A text as a C string.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A name as a C identifier: letters, digits and underscores, a letter first.
pub fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "m_");
    }
    out
}

/// Constant tables of one subdomain, each with its prefix.
pub(crate) struct Tables {
    prefix: String,
    /// The definitions.
    pub(crate) text: String,
    /// Bytes of all tables.
    pub(crate) bytes: usize,
}

impl Tables {
    pub(crate) fn new(prefix: &str) -> Self {
        Tables { prefix: prefix.to_owned(), text: String::new(), bytes: 0 }
    }

    /// A name behind the prefix, if there is one.
    fn named(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}_{name}", self.prefix) }
    }

    /// A table of numbers; the result is what to write where it is used.
    pub(crate) fn numbers(&mut self, name: &str, values: &[f64]) -> String {
        self.bytes += 8 * values.len();
        self.table("double", name, values.iter().map(|x| number(*x)))
    }

    /// A table of indices.
    pub(crate) fn indices<I: TryInto<i64>>(&mut self, name: &str, values: impl IntoIterator<Item = I>) -> String {
        let values: Vec<i64> = values.into_iter().map(|x| x.try_into().unwrap_or(-1)).collect();
        self.bytes += 4 * values.len();
        self.table("int", name, values.iter().map(i64::to_string))
    }

    /// A table of any type, from initialisers; `0` if it is empty, which C has no arrays for.
    pub(crate) fn table(&mut self, of: &str, name: &str, entries: impl IntoIterator<Item = String>) -> String {
        let mut line = String::from("   ");
        let mut lines = String::new();
        for entry in entries {
            if line.len() + entry.len() > 116 {
                let _ = writeln!(lines, "{line}");
                line = String::from("   ");
            }
            let _ = write!(line, " {entry},");
        }
        if line.trim().is_empty() {
            return "0".to_owned();
        }
        let name = self.named(name);
        let _ = writeln!(self.text, "static const {of} {name}[] = {{\n{lines}{line}\n}};\n");
        name
    }

    /// A single constant structure, from its fields.
    pub(crate) fn structure(&mut self, of: &str, name: &str, fields: &[(&str, String)]) -> String {
        let name = self.named(name);
        let fields: String = fields.iter().map(|(f, v)| format!("    .{f} = {v},\n")).collect();
        let _ = writeln!(self.text, "static const {of} {name} = {{\n{fields}}};\n");
        name
    }
}

/// Leaves out static functions that nothing calls. A function starts in the first column with `static`, after its comment, and
/// ends with a brace in the first column.
pub(crate) fn called(text: &str) -> String {
    let blocks = blocks(text);
    let names: Vec<Option<&str>> = blocks.iter().map(|b| function_name(b)).collect();
    let words = |b: &str| -> Vec<String> {
        let code: String = b.lines().filter(|l| !l.trim_start().starts_with("/*")).collect::<Vec<_>>().join("\n");
        code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let mut open: Vec<String> =
        blocks.iter().zip(&names).filter(|(_, n)| n.is_none()).flat_map(|(b, _)| words(b)).collect();
    let mut wanted: HashSet<String> = HashSet::new();
    while let Some(word) = open.pop() {
        if wanted.insert(word.clone())
            && let Some(i) = names.iter().position(|n| *n == Some(&word))
        {
            open.extend(words(blocks[i]));
        }
    }
    let keep = |n: &Option<&str>| n.is_none_or(|n| wanted.contains(n));
    blocks.iter().zip(&names).filter(|(_, n)| keep(n)).map(|(b, _)| *b).collect()
}

/// Leaves out constant tables of which nothing but their definition is there.
pub(crate) fn referenced(text: &str) -> String {
    let words = |text: &str, out: &mut HashMap<String, usize>| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.for_each(|w| *out.entry(w.to_owned()).or_default() += 1);
    };
    let mut count = HashMap::new();
    words(text, &mut count);
    let name = |block: &str| -> Option<String> {
        let head = block.lines().find(|l| l.starts_with("static const "))?.split_once(" =")?.0;
        Some(head.rsplit([' ', '*']).next()?.trim_end_matches("[]").to_owned())
    };
    let lonely = |block: &&str| name(block).is_some_and(|n| count.get(&n) == Some(&1));
    blocks(text).into_iter().filter(|b| !lonely(b)).collect()
}

/// Whether a text mentions a name.
pub(crate) fn uses(text: &str, name: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(name)
        .any(|(i, _)| edge(text[..i].chars().next_back()) && edge(text[i + name.len()..].chars().next()))
}

/// A text for these flags: lines between `#if FLAG` (or `#else`) and `#endif` only where it is given.
pub(crate) fn specialised(text: &str, flags: &[&str]) -> String {
    let mut open: Vec<bool> = Vec::new();
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end().split_once(' ').unwrap_or((line.trim_end(), "")) {
            ("#if", flag) => open.push(flags.contains(&flag)),
            ("#else", _) => _ = open.last_mut().map(|given| *given = !*given),
            ("#endif", _) => _ = open.pop(),
            _ if open.iter().all(|given| *given) => out.push_str(line),
            _ => {}
        }
    }
    out
}

/// A text cut at the empty lines outside of functions.
fn blocks(text: &str) -> Vec<&str> {
    let (mut out, mut start, mut at, mut inside) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        match line.trim_end() {
            "{" => inside = true,
            "}" => inside = false,
            "" if !inside => {
                out.push(&text[start..at]);
                start = at;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

/// The name of the static function that a block defines.
fn function_name(block: &str) -> Option<&str> {
    let line = block.lines().find(|l| l.starts_with("static "))?;
    let head = line.split_once('(')?.0;
    if head.contains('=') || head.contains('[') || !block.contains("\n{\n") {
        return None;
    }
    head.rsplit([' ', '*']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_calls_is_left_out() {
        let text = "/* head */\n\n/* a */\nstatic int a(int x)\n{\n    return x;\n}\n\nstatic int b(int x)\n{\n\n    return a(x);\n}\n\n\
                    static double *c(void)\n{\n    return 0;\n}\n\nint open(void)\n{\n    return b(1);\n}\n";
        let kept = called(text);
        assert!(
            kept.contains("int a(") && kept.contains("int b(") && kept.contains("open") && !kept.contains("c(void)")
        );
    }

    #[test]
    fn tables_that_nothing_reads_are_left_out() {
        let text = "static const int A[] = {\n    1,\n};\n\nstatic const side_t B = {0, 1};\n\nint open(void)\n{\n    return A[0];\n}\n";
        let kept = referenced(text);
        assert!(kept.contains("A[]") && !kept.contains('B') && kept.contains("open"));
    }

    #[test]
    fn a_text_is_cut_to_its_flags() {
        let text = "a\n#if X\nb\n#if Y\nc\n#endif\n#else\nd\n#endif\ne\n";
        assert_eq!(specialised(text, &["X"]), "a\nb\ne\n");
        assert_eq!(specialised(text, &["X", "Y"]), "a\nb\nc\ne\n");
        assert_eq!(specialised(text, &[]), "a\nd\ne\n");
    }

    #[test]
    fn numbers_come_back() {
        for x in [0.1, -1.0 / 3.0, 1e-300, 5e-324, f64::MAX, 1e22, 123456789.0, -0.0] {
            assert_eq!(number(x).parse::<f64>().unwrap().to_bits(), x.to_bits());
            assert!(number(x).contains(['.', 'e']), "a C compiler would read {} as an integer", number(x));
        }
    }

    #[test]
    fn names_become_identifiers() {
        assert_eq!(identifier("rio-torto.2"), "rio_torto_2");
        assert_eq!(identifier("3d"), "m_3d");
        assert_eq!(string("a\"b\\"), "\"a\\\"b\\\\\"");
    }
}
