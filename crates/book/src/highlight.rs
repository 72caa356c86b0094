//! Colours of examples: the words of a language in classes, as HTML. Only what a reader looks for is told apart: comments, texts,
//! numbers, keywords, names that get a value, and what is typed at a prompt.

use crate::text::escape;

/// Code in HTML; without colours where the language is not known here.
pub(crate) fn html(language: &str, code: &str) -> String {
    let lines = |line: fn(&str) -> String| code.lines().map(|l| line(l) + "\n").collect();
    match language {
        "toml" => lines(toml),
        "console" => lines(console),
        // A session that the tests do not run.
        "text" if code.starts_with("$ ") => lines(console),
        "sh" => lines(|l| words(l, &SHELL)),
        "c" => lines(|l| words(l, &C)),
        "python" => lines(|l| words(l, &PYTHON)),
        "rust" => lines(|l| words(l, &RUST)),
        _ => escape(code),
    }
}

/// What is special about a language.
struct Language {
    comment: &'static str,
    quotes: &'static [char],
    keywords: &'static [&'static str],
}

const TOML: Language = Language { comment: "#", quotes: &['"', '\''], keywords: &["true", "false"] };
const SHELL: Language = Language {
    comment: "#",
    quotes: &['"', '\''],
    keywords: &["if", "then", "else", "fi", "for", "in", "do", "done", "while", "export", "sudo"],
};
const C: Language = Language {
    comment: "//",
    quotes: &['"', '\''],
    keywords: &[
        "break", "case", "char", "const", "continue", "double", "else", "enum", "extern", "float", "for", "if", "int",
        "long", "return", "sizeof", "static", "struct", "switch", "typedef", "uint32_t", "uint64_t", "unsigned",
        "void", "while",
    ],
};
const PYTHON: Language = Language {
    comment: "#",
    quotes: &['"', '\''],
    keywords: &[
        "False", "None", "True", "and", "as", "break", "class", "def", "elif", "else", "except", "for", "from", "if",
        "import", "in", "lambda", "not", "or", "raise", "return", "try", "while", "with", "yield",
    ],
};
const RUST: Language = Language {
    comment: "//",
    // A quote is a lifetime as often as a letter.
    quotes: &['"'],
    keywords: &[
        "as", "const", "else", "enum", "fn", "for", "if", "impl", "in", "let", "match", "mod", "mut", "pub", "return",
        "self", "struct", "trait", "use", "where", "while",
    ],
};

fn span(class: &str, text: &str) -> String {
    format!("<span class=\"{class}\">{}</span>", escape(text))
}

/// A line of a session: what is typed after the prompt, and what is printed.
fn console(line: &str) -> String {
    match line.strip_prefix("$ ") {
        Some(command) => format!("{}<span class=\"typed\">{}</span>", span("prompt", "$ "), words(command, &SHELL)),
        None => escape(line),
    }
}

/// A line of a model file.
fn toml(line: &str) -> String {
    let start = line.trim_start();
    if start.starts_with('[')
        && start.split('#').next().is_some_and(|head| head.trim_end().ends_with(']') && !head.contains(['=', '"', ',']))
    {
        let (head, rest) = line.split_at(line.find('#').unwrap_or(line.len()));
        return span("keyword", head) + &words(rest, &TOML);
    }
    match line.split_once('=') {
        Some((name, value)) if name_only(name) => format!("{}={}", span("name", name), words(value, &TOML)),
        _ => words(line, &TOML),
    }
}

fn name_only(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A line, word by word.
fn words(line: &str, language: &Language) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let inside = before.is_alphanumeric() || before == '_';
        let (class, length) = if rest.starts_with(language.comment) && !inside {
            ("comment", rest.len())
        } else if language.quotes.contains(&first) {
            ("string", quoted(rest, first))
        } else if first.is_ascii_digit() && !inside {
            ("number", run(rest, |c| c.is_ascii_alphanumeric() || c == '.' || c == '_'))
        } else if (first.is_alphabetic() || first == '_') && !inside {
            let length = run(rest, |c| c.is_alphanumeric() || c == '_');
            (if language.keywords.contains(&&rest[..length]) { "keyword" } else { "" }, length)
        } else {
            ("", first.len_utf8())
        };
        let (word, after) = rest.split_at(length);
        out += &if class.is_empty() { escape(word) } else { span(class, word) };
        before = word.chars().next_back().unwrap_or(' ');
        rest = after;
    }
    out
}

/// Length of a text between quotes, with both; to the end of the line if it does not end.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !belongs(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_headers_names_texts_numbers_and_comments() {
        let html = html("toml", "[[element]] # one\nk = \"4 kN/mm\" # <stiff>\nlist = [1.5, -2e3]\n");
        for part in [
            "<span class=\"keyword\">[[element]] </span><span class=\"comment\"># one</span>",
            "<span class=\"name\">k </span>= <span class=\"string\">&quot;4 kN/mm&quot;</span> <span class=\"comment\"># &lt;stiff&gt;</span>",
            "[<span class=\"number\">1.5</span>, -<span class=\"number\">2e3</span>]",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
    }

    #[test]
    fn no_letter_is_lost_in_any_language() {
        let code = "$ run 'a b\" --x=\"1 # no\\\" \" # yes\n[a]\n  β = 1.0e-3_x // ü\n\"open\n";
        for language in ["toml", "console", "sh", "c", "python", "rust", "text", "none"] {
            let html = html(language, code);
            let mut plain = String::new();
            let mut tag = false;
            for c in html.chars() {
                match c {
                    '<' => tag = true,
                    '>' => tag = false,
                    c if !tag => plain.push(c),
                    _ => {}
                }
            }
            let plain = plain.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            assert_eq!(plain, code, "{language}");
        }
    }

    #[test]
    fn only_commands_are_typed() {
        assert_eq!(
            html("console", "$ interfield run\nprinted 1\n"),
            "<span class=\"prompt\">$ </span><span class=\"typed\">interfield run</span>\nprinted 1\n"
        );
    }
}
