//! Numbers and tables of a model file as a person would write them.

/// A number in as few digits as say it: what arithmetic has added in the sixteenth digit is left out.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let clean = format!("{x:.14e}").parse::<f64>().unwrap_or(x);
    let digits = |x: f64| format!("{x:e}").split_once('e').map_or(0, |(m, _)| m.len());
    // Rounding that does not shorten would only lose a digit.
    let x = if digits(clean) + 3 < digits(x) { clean } else { x };
    if (1e-4..1e9).contains(&x.abs()) {
        return format!("{x}");
    }
    format!("{x:e}")
}

/// A list of numbers.
pub(crate) fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", "))
}

/// A text.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of texts.
pub(crate) fn texts<S: AsRef<str>>(values: &[S]) -> String {
    format!("[{}]", values.iter().map(|v| text(v.as_ref())).collect::<Vec<_>>().join(", "))
}

/// Keys of a table with their values, as they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keys(pub(crate) Vec<(String, String)>);

impl Keys {
    pub(crate) fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.0.push((key.to_owned(), value.into()));
        self
    }

    pub(crate) fn number(self, key: &str, value: f64) -> Self {
        self.with(key, number(value))
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        self.with(key, text(value))
    }

    /// A number unless it is the default.
    pub(crate) fn unless(self, key: &str, value: f64, default: f64) -> Self {
        if value == default { self } else { self.number(key, value) }
    }

    pub(crate) fn inline(&self) -> String {
        format!("{{ {} }}", self.0.iter().map(|(k, v)| format!("{k} = {v}")).collect::<Vec<_>>().join(", "))
    }

    pub(crate) fn lines(&self) -> String {
        self.0.iter().map(|(k, v)| format!("{k} = {v}\n")).collect()
    }
}

/// A list of tables, one per line.
pub(crate) fn tables(name: &str, rows: &[Keys]) -> String {
    let rows: String = rows.iter().map(|r| format!("  {},\n", r.inline())).collect();
    format!("{name} = [\n{rows}]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_a_person_wrote() {
        let written = [0.1 + 0.2, 3.0, 1.0 / 3.0, 2e11, -0.002, 386.4 * 1.5, 0.0, 1e-9, 29000.0, 0.7 * 3.0].map(number);
        assert_eq!(written, ["0.3", "3", "0.3333333333333333", "2e11", "-0.002", "579.6", "0", "1e-9", "29000", "2.1"]);
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(text("a \"b\"\\c\n"), "\"a \\\"b\\\"\\\\c \"");
    }
}
