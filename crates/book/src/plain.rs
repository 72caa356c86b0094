//! Equations of the registries, which a terminal shows as they are written there, as LaTeX for the book: `z' = k q' - beta |z|^n / 2`.
//!
//! A blank between two factors is a product; `/` divides all factors before it by the one behind it; `[1 -1; -1 1]` and
//! `[[a, b], [c, d]]` are matrices; words that are no names are prose.

use std::iter::Peekable;
use std::str::CharIndices;

/// Lines as one displayed equation, aligned at the first sign of equality; `names` are words of several letters that stand for a
/// number. An error says what cannot be read.
pub(crate) fn displayed(lines: &[&str], names: &[&str]) -> Result<String, String> {
    let line = |line: &&str| {
        let (left, right) = line.split_once(" = ").map_or(("", *line), |(left, right)| (left, right));
        let (left, right) = (latex(left, names)?, latex(right, names)?);
        Ok(if left.is_empty() { format!("&{right}") } else { format!("{left}&={right}") })
    };
    let lines: Result<Vec<String>, String> = lines.iter().map(line).collect();
    Ok(format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", lines?.join("\\\\\n")))
}

/// A line, or a piece of one.
fn latex(text: &str, names: &[&str]) -> Result<String, String> {
    let mut reader = Reader { text, names, rest: text.char_indices().peekable(), items: Vec::new() };
    reader.all().map_err(|e| format!("`{text}`: {e}"))
}

/// A piece of a formula.
enum Item {
    /// Something that can be multiplied; what is in its parentheses, if it is nothing else.
    Factor(String, Option<String>),
    /// A sign, which ends a product.
    Sign(String),
    /// Prose.
    Word(String),
}

struct Reader<'a> {
    text: &'a str,
    names: &'a [&'a str],
    rest: Peekable<CharIndices<'a>>,
    items: Vec<Item>,
}

impl<'a> Reader<'a> {
    fn all(&mut self) -> Result<String, String> {
        while let Some(&(at, c)) = self.rest.peek() {
            if c.is_whitespace() {
                self.rest.next();
                continue;
            }
            match self.sign(at) {
                Some((length, sign)) => {
                    self.rest.by_ref().take(length).for_each(drop);
                    self.items.push(Item::Sign(sign.to_owned()));
                }
                None if c == '/' => {
                    self.rest.next();
                    self.divide()?;
                }
                None => {
                    let item = self.factor()?;
                    self.items.push(item);
                }
            }
        }
        Ok(joined(&self.items))
    }

    /// The sign at a place: how many letters it takes, and what it is.
    fn sign(&self, at: usize) -> Option<(usize, &'static str)> {
        const SIGNS: [(&str, &str); 14] = [
            ("...", "\\dots "),
            (">=", "\\ge "),
            ("<=", "\\le "),
            (">>", "\\gg "),
            (">", ">"),
            ("<", "<"),
            ("=", "="),
            ("+", "+"),
            ("-", "-"),
            (",", ",\\;"),
            (";", ";\\quad "),
            (":", ":\\;"),
            ("×", "\\times "),
            ("*", "\\cdot "),
        ];
        SIGNS.iter().find(|s| self.text[at..].starts_with(s.0)).map(|s| (s.0.chars().count(), s.1))
    }

    /// All factors of the product so far over the next one.
    fn divide(&mut self) -> Result<(), String> {
        while self.rest.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let below = match self.factor()? {
            Item::Factor(_, Some(inside)) => inside,
            Item::Factor(all, None) => all,
            _ => return Err("no divisor follows `/`".to_owned()),
        };
        let first = self.items.iter().rposition(|i| !matches!(i, Item::Factor(..))).map_or(0, |i| i + 1);
        let above = match &self.items[first..] {
            [] => return Err("nothing precedes `/`".to_owned()),
            [Item::Factor(_, Some(inside))] => inside.clone(),
            more => joined(more),
        };
        self.items.truncate(first);
        self.items.push(Item::Factor(format!("\\frac{{{above}}}{{{below}}}"), None));
        Ok(())
    }

    /// The next factor, with its exponent.
    fn factor(&mut self) -> Result<Item, String> {
        let base = self.base()?;
        if self.rest.next_if(|(_, c)| *c == '^').is_none() {
            return Ok(base);
        }
        let (Item::Factor(base, _), Item::Factor(all, inside)) = (base, self.base()?) else {
            return Err("a power needs numbers on both sides".to_owned());
        };
        Ok(Item::Factor(format!("{base}^{{{}}}", inside.unwrap_or(all)), None))
    }

    fn base(&mut self) -> Result<Item, String> {
        let &(at, c) = self.rest.peek().ok_or("it ends too early")?;
        match c {
            '(' => {
                let inside = latex(self.enclosed('(', ')')?, self.names)?;
                Ok(Item::Factor(format!("\\left({inside}\\right)"), Some(inside)))
            }
            '[' => {
                let inside = self.enclosed('[', ']')?;
                Ok(Item::Factor(bracketed(inside, self.names)?, None))
            }
            '|' => {
                self.rest.next();
                let length = self.text[at + 1..].find('|').ok_or("a bar is open")?;
                let inside = latex(&self.text[at + 1..at + 1 + length], self.names)?;
                while self.rest.next_if(|(i, _)| *i <= at + 1 + length).is_some() {}
                Ok(Item::Factor(format!("\\left|{inside}\\right|"), None))
            }
            c if c.is_ascii_digit() => {
                Ok(Item::Factor(self.run(at, |c| c.is_ascii_digit() || c == '.').to_owned(), None))
            }
            c if c.is_alphabetic() => {
                let word = self.run(at, |c| c.is_alphanumeric() || c == '_');
                let mut primes = String::new();
                while self.rest.next_if(|(_, c)| *c == '\'').is_some() {
                    primes.push('\'');
                }
                Ok(match symbol(word, self.names) {
                    Some(symbol) => Item::Factor(symbol + &primes, None),
                    None => Item::Word(word.to_owned()),
                })
            }
            c => Err(format!("`{c}` cannot be read")),
        }
    }

    fn run(&mut self, at: usize, belongs: impl Fn(char) -> bool) -> &'a str {
        let mut end = at;
        while let Some((i, c)) = self.rest.next_if(|(_, c)| belongs(*c)) {
            end = i + c.len_utf8();
        }
        &self.text[at..end]
    }

    /// What is between a pair, the first of which is next.
    fn enclosed(&mut self, open: char, close: char) -> Result<&'a str, String> {
        let mut depth = 0usize;
        let mut start = 0;
        for (i, c) in self.rest.by_ref() {
            if c == open {
                depth += 1;
                if depth == 1 {
                    start = i + 1;
                }
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(&self.text[start..i]);
                }
            }
        }
        Err(format!("`{open}` is open"))
    }
}

/// What is in square brackets: a matrix, or anything else.
fn bracketed(inside: &str, names: &[&str]) -> Result<String, String> {
    let entry = |e: &str| if e == "..." { Ok("\\cdots".to_owned()) } else { latex(e.trim(), names) };
    let row = |entries: Vec<&str>| entries.into_iter().map(entry).collect::<Result<Vec<_>, _>>().map(|e| e.join("&"));
    let rows: Vec<Result<String, String>> = if inside.starts_with('[') {
        split(inside).iter().map(|r| row(split(r.trim().trim_start_matches('[').trim_end_matches(']')))).collect()
    } else if inside.contains(';') {
        inside.split(';').map(|r| row(r.split_whitespace().collect())).collect()
    } else {
        return Ok(format!("\\left[{}\\right]", latex(inside, names)?));
    };
    let rows: Result<Vec<String>, String> = rows.into_iter().collect();
    Ok(format!("\\begin{{bmatrix}}{}\\end{{bmatrix}}", rows?.join("\\\\")))
}

/// Pieces between commas that no bracket encloses.
fn split(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// A name in LaTeX; `None` if the word is prose.
fn symbol(word: &str, names: &[&str]) -> Option<String> {
    const GREEK: [&str; 11] =
        ["alpha", "beta", "gamma", "delta", "rho", "theta", "zeta", "omega", "tau", "lambda", "mu"];
    const FUNCTIONS: [&str; 5] = ["max", "min", "exp", "sin", "cos"];
    const OPERATORS: [&str; 2] = ["sign", "diag"];
    const PROSE: [&str; 9] = ["in", "on", "or", "if", "of", "to", "at", "is", "as"];
    if GREEK.contains(&word) || FUNCTIONS.contains(&word) {
        return Some(format!("\\{word} "));
    }
    if OPERATORS.contains(&word) {
        return Some(format!("\\operatorname{{{word}}}"));
    }
    if let Some((base, index)) = word.split_once('_') {
        return Some(format!("{}_{{{}}}", symbol(base, names)?.trim(), symbol(index, names)?.trim()));
    }
    let mut letters = word.chars();
    let (first, index) = (letters.next()?, letters.as_str());
    if index.is_empty() {
        return Some(word.to_owned());
    }
    let short = index.chars().count() == 1 || index.chars().all(|c| c.is_ascii_digit());
    if short && !PROSE.contains(&word) {
        return Some(format!("{first}_{{{index}}}"));
    }
    names.contains(&word).then(|| format!("\\mathrm{{{word}}}"))
}

/// Pieces one after the other: factors with a thin space between them, prose with blanks around it.
fn joined(items: &[Item]) -> String {
    let mut out = String::new();
    let mut prose: Vec<&str> = Vec::new();
    let mut product = false;
    let close = |out: &mut String, prose: &mut Vec<&str>, before: bool, after: bool| {
        if !prose.is_empty() {
            let blank = |there: bool| if there { " " } else { "" };
            *out += &format!("\\text{{{}{}{}}}", blank(before), prose.join(" "), blank(after));
            prose.clear();
        }
    };
    for item in items {
        match item {
            Item::Word(word) => {
                prose.push(word);
                product = false;
                continue;
            }
            Item::Factor(text, _) => {
                let before = !out.is_empty();
                close(&mut out, &mut prose, before, true);
                // A function and its argument are not a product.
                let argument = text.starts_with("\\left(") && called(&out);
                if product && !argument {
                    out += "\\,";
                }
                out += text;
                product = true;
            }
            Item::Sign(sign) => {
                let before = !out.is_empty();
                close(&mut out, &mut prose, before, !sign.starts_with([',', ';', ':']));
                out += sign;
                product = false;
            }
        }
    }
    let before = !out.is_empty();
    close(&mut out, &mut prose, before, false);
    out.trim_end().to_owned()
}

fn called(out: &str) -> bool {
    ["\\max ", "\\min ", "\\exp ", "\\sin ", "\\cos ", "{sign}", "{diag}"].iter().any(|f| out.ends_with(f))
}

#[cfg(test)]
mod tests {
    use interfield_kernel::element::catalogue::catalogue;

    use super::*;

    #[test]
    fn formulas_are_read_as_they_are_meant() {
        for (plain, expected) in [
            ("k q + c q'", r"k\,q+c\,q'"),
            ("k q' - beta |q'| |z|^(n-1) z", r"k\,q'-\beta \,\left|q'\right|\,\left|z\right|^{n-1}\,z"),
            ("[rho k / (1 + alpha q^2) - gamma] q'", r"\left[\frac{\rho \,k}{1+\alpha \,q^{2}}-\gamma\right]\,q'"),
            ("c (q'^2 + v0^2)^((n-1)/2)", r"c\,\left(q'^{2}+v_{0}^{2}\right)^{\frac{n-1}{2}}"),
            (
                "E I / l^3 [12 6l; ...] in bending",
                r"\frac{E\,I}{l^{3}}\,\begin{bmatrix}12&6\,l\\\cdots\end{bmatrix}\text{ in bending}",
            ),
            ("m [[1, sin(theta)], [0, -1]]", r"m\,\begin{bmatrix}1&\sin \left(\theta\right)\\0&-1\end{bmatrix}"),
            ("max(0, k) for q > gap, else 0", r"\max \left(0,\;k\right)\text{ for }q>\mathrm{gap},\;\text{ else }0"),
            ("(v × x) / |v × x|", r"\frac{v\times x}{\left|v\times x\right|}"),
        ] {
            assert_eq!(latex(plain, &["gap"]).unwrap(), expected);
        }
        for wrong in ["/ 2", "k /", "(k", "|k", "k ^", "k ? q"] {
            assert!(latex(wrong, &[]).is_err(), "{wrong}");
        }
    }

    /// Letters and digits in their order, whatever stands around them.
    fn letters(text: &str) -> String {
        text.chars().filter(|c| c.is_alphanumeric() || *c == '\'').collect()
    }

    #[test]
    fn every_equation_of_the_registry_keeps_its_letters() {
        for info in catalogue() {
            for line in info.equations {
                let mut made = latex(line, &crate::catalogue::names(info)).unwrap();
                for markup in [
                    "\\begin{bmatrix}",
                    "\\end{bmatrix}",
                    "\\text",
                    "\\mathrm",
                    "\\operatorname",
                    "\\frac",
                    "\\left",
                    "\\right",
                    "\\quad",
                    "\\times",
                    "\\cdots",
                    "\\dots",
                    "\\ge",
                    "\\le",
                    "\\gg",
                    "\\cdot",
                ] {
                    made = made.replace(markup, "");
                }
                assert_eq!(letters(&made), letters(line), "{}", info.name);
            }
        }
    }
}
