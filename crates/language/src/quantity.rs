//! Quantities: numbers with units, parameters, and arithmetic over both, checked for dimensions.
//!
//! A bare number takes the unit of the place where it is used, in the unit system of the file. Directly
//! behind a number a name is a unit: in "3 kN/m" the `m` is the metre even if a parameter has that name;
//! "(3 kN)/m" divides by the parameter.
//!
//! Where an angular frequency stands, Hz are converted, and where a cyclic one stands, rad/s, deg/s and rpm; but only
//! as they are written. Of a result such as "6.28*f" nobody can tell whether the conversion is in it already: it is
//! refused, unless `pi` says so ("2*pi*f", "w/(2*pi)").

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::ops::Range;

use crate::diag::{Diagnostic, Diagnostics, Source, did_you_mean};
use crate::formula::{Build, Cmp, ExprError, Func, Op, is_name, is_reserved, parse};
use crate::key::{Allowed, Anything, Kind, section};
use crate::reader::{Raw, Spanned, Table, inner_span};
use crate::syntax::without_comment;
use crate::units::{Count, Dimension, Unit, UnitSystem, suggest_unit};

/// Result of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// In SI; for a bare number the number itself.
    pub si: f64,
    /// `None` for a bare number.
    pub dim: Option<Dimension>,
    /// Power of pi in a bare number, as far as it was written.
    pi: f64,
    /// The result of a product, quotient or power, not as it was written.
    derived: bool,
}

impl Value {
    /// A number without unit.
    pub fn bare(x: f64) -> Self {
        Self::of(x, None)
    }

    /// As written: in SI, with its dimension or as a bare number.
    pub fn of(si: f64, dim: Option<Dimension>) -> Self {
        Self { si, dim, pi: 0.0, derived: false }
    }

    /// As text that reads back as exactly this value, with all that is known of it.
    pub(crate) fn literal(self) -> String {
        let Some(dim) = self.dim else {
            let of_pi = self.si / PI;
            return if self.pi == 1.0 && of_pi * PI == self.si {
                format!("{of_pi:?}*pi")
            } else {
                format!("{:?}", self.si)
            };
        };
        let counts = matches!(dim.count(), Some(Count::Cycles | Count::Angle));
        format!("{}{:?} {}", if self.derived && counts { "1*" } else { "" }, self.si, dim.counted())
    }

    /// The SI value at a place of a given dimension; a bare number takes the unit of the file. Otherwise a message, and
    /// what to write if an example does not say it.
    pub fn at(self, dim: Dimension, units: &UnitSystem) -> Result<f64, (String, Option<&'static str>)> {
        match self.dim {
            None if (self.si * units.factor(dim)).is_finite() => Ok(self.si * units.factor(dim)),
            None => Err(("the number is too large".to_owned(), None)),
            Some(d) if d == dim => Ok(self.si * self.turns(d, dim)?),
            Some(d) => Err((format!("expected {}, found {}", dim.describe(), d.describe()), None)),
        }
    }

    /// Factor between what a rate counts and what its place counts.
    fn turns(self, found: Dimension, place: Dimension) -> Result<f64, (String, Option<&'static str>)> {
        let (Some(counted), Some(wanted)) = (found.count(), place.count()) else { return Ok(1.0) };
        let refuse = |help: &'static str| {
            Err((format!("expected {}, found {}", place.describe(), found.describe()), Some(help)))
        };
        match (counted, wanted) {
            (Count::Plain, _) | (Count::Angle, Count::Plain) => Ok(1.0),
            (a, b) if a == b => Ok(1.0),
            (Count::Cycles, Count::Plain) => {
                refuse("Hz counts cycles: write 1/s, or rad/s for an angular frequency (2*pi times the one in Hz)")
            }
            (Count::Cycles, Count::Angle) if !self.derived => Ok(TAU),
            (Count::Angle, Count::Cycles) if !self.derived => Ok(TAU.recip()),
            (Count::Cycles, Count::Angle) => {
                refuse("a single frequency in Hz is converted; in an expression multiply it by 2*pi")
            }
            (Count::Angle, Count::Cycles) => {
                refuse("a single angular frequency is converted; in an expression divide it by (2*pi)")
            }
            _ => refuse("check the units: cycles or angles occur twice"),
        }
    }
}

/// Unit system and resolved parameters: what an expression can refer to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Units of bare numbers.
    pub units: UnitSystem,
    /// `None` for a parameter whose definition is wrong, so that its use is not reported again.
    values: BTreeMap<String, Option<Value>>,
    /// Where the file gives their values.
    places: BTreeMap<String, Range<usize>>,
}

impl Scope {
    /// Without parameters.
    pub fn new(units: UnitSystem) -> Self {
        Self { units, values: BTreeMap::new(), places: BTreeMap::new() }
    }

    /// Where the file gives the value of what is written at a place, if that is the name of a parameter and nothing else.
    pub fn definition(&self, written: &str) -> Option<Range<usize>> {
        self.places.get(written.trim_matches(['"', '\'', ' '])).cloned()
    }

    /// Value of a parameter.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(name).copied().flatten()
    }

    /// Adds or replaces a parameter.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.values.insert(name.into(), Some(value));
    }

    /// Names and values of all good parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Value)> {
        self.values.iter().filter_map(|(name, v)| Some((name.as_str(), (*v)?)))
    }

    /// All parameters as numbers in the units of the file, for formulas; one whose definition is wrong counts as 1, so
    /// that its use is not reported again.
    pub fn constants(&self) -> Vec<(String, f64)> {
        let number = |v: &Option<Value>| v.map_or(1.0, |v| v.si / v.dim.map_or(1.0, |d| self.units.factor(d)));
        self.values.iter().map(|(name, v)| (name.clone(), number(v))).collect()
    }

    /// Evaluates an expression. An empty list of errors means that a parameter in it is known to be wrong.
    pub fn evaluate(&self, text: &str) -> Result<Value, Vec<ExprError>> {
        let mut eval = Eval { values: &self.values, errors: Vec::new() };
        match parse(text, &mut eval).flatten() {
            Some(v) if eval.errors.is_empty() => Ok(v),
            _ => Err(eval.errors),
        }
    }

    /// Evaluates an expression for a place of a given dimension, to SI.
    pub fn quantity(&self, text: &str, dim: Dimension) -> Result<f64, Vec<ExprError>> {
        let value = self.evaluate(text)?;
        value.at(dim, &self.units).map_err(|(message, advice)| {
            let ambiguous = self.values.keys().find(|name| Unit::parse(name).is_ok() && follows_number(text, name));
            let mut help = advice.map_or_else(|| format!("write for example \"{}\"", dim.example()), str::to_owned);
            if let Some(name) = ambiguous {
                help += &format!(
                    "; after a number, `{name}` is the unit; write (...)/{name} or (...)*{name} for the parameter"
                );
            }
            vec![ExprError::new(0..text.len(), message).help(help)]
        })
    }
}

/// Whether a name stands behind an operator or space after a digit or letter; good enough for a hint.
fn follows_number(text: &str, name: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name)
}

/// Evaluation; `None` after an error that has been reported.
struct Eval<'a> {
    values: &'a BTreeMap<String, Option<Value>>,
    errors: Vec<ExprError>,
}

impl Eval<'_> {
    fn fail(&mut self, error: ExprError) -> Option<Value> {
        self.errors.push(error);
        None
    }

    fn finite(&mut self, v: Value, span: Range<usize>) -> Option<Value> {
        if v.si.is_finite() {
            return Some(v);
        }
        self.fail(
            ExprError::new(span, "the result is not a finite number")
                .help("check the values and units in this expression"),
        )
    }

    /// Common dimension of two values that are added or compared.
    fn common(&mut self, a: Value, b: Value, verb: &str, span: Range<usize>) -> Option<Option<Dimension>> {
        let bare = |v: Value| v.si == 0.0 && v.dim.is_none();
        match (a.dim, b.dim) {
            (None, None) => Some(None),
            (Some(x), Some(y)) if x == y && x.common(y).is_some() => Some(x.common(y)),
            (Some(x), None) | (None, Some(x)) if x.is_none() => Some(Some(x)),
            (Some(x), None) if bare(b) => Some(Some(x)),
            (None, Some(y)) if bare(a) => Some(Some(y)),
            (x, y) => {
                let name = |d: Option<Dimension>| d.map_or("a number without unit".to_string(), Dimension::describe);
                let unit = x.or(y).unwrap_or_default();
                let e = ExprError::new(span, format!("cannot {verb} {} and {}", name(x), name(y)));
                let missing = x.is_none() || y.is_none();
                self.fail(if missing {
                    e.help(format!("give the number a unit, as in {}", unit.example()))
                } else {
                    e.help("both sides must be of the same kind: check the units and the parentheses")
                });
                None
            }
        }
    }

    fn dimensionless(&mut self, v: Value, what: &str, span: Range<usize>) -> Option<f64> {
        match v.dim {
            Some(d) if !d.is_none() => {
                let e = ExprError::new(span, format!("{what} must be dimensionless, found {}", d.describe()));
                self.fail(
                    e.help(format!("divide it by a quantity of the same kind, for example by ({})", d.example())),
                );
                None
            }
            _ => Some(v.si),
        }
    }

    fn power(&mut self, a: Value, b: Value, span: Range<usize>) -> Option<Value> {
        let n = self.dimensionless(b, "an exponent", span.clone())?;
        let dim = a.dim.map(|d| if n == 0.5 { d.root() } else { d.power(n) });
        self.finite(Value { si: Func::Pow.value(a.si, n), dim, pi: a.pi * n, derived: true }, span)
    }
}

impl Build for Eval<'_> {
    type Value = Option<Value>;
    const UNITS: bool = true;

    fn number(&mut self, x: f64, unit: Option<Unit>, span: Range<usize>) -> Option<Value> {
        let v = match unit {
            Some(u) => Value::of(x * u.factor, Some(u.dim)),
            None => Value { pi: f64::from(u8::from(x == PI)), ..Value::bare(x) },
        };
        self.finite(v, span)
    }

    fn name(&mut self, name: &str, span: Range<usize>) -> Option<Value> {
        if let Some(v) = self.values.get(name) {
            return *v;
        }
        let e = ExprError::new(span, format!("unknown parameter `{name}`"));
        let help = if Unit::parse(name).is_ok() {
            format!("`{name}` is a unit: write a number before it, as in 1 {name}")
        } else if let Some(s) = did_you_mean(name, self.values.keys().map(String::as_str)) {
            s
        } else if let Some(unit) = suggest_unit(name).filter(|_| name.chars().all(char::is_alphabetic)) {
            format!("did you mean the unit `{unit}`?")
        } else if self.values.is_empty() {
            "the file has no [parameters]".to_string()
        } else {
            let names: Vec<&str> = self.values.keys().take(40).map(String::as_str).collect();
            format!("parameters are {}", names.join(", "))
        };
        self.fail(e.help(help))
    }

    fn negate(&mut self, a: Option<Value>) -> Option<Value> {
        a.map(|v| Value { si: -v.si, ..v })
    }

    fn binary(&mut self, op: Op, a: Option<Value>, b: Option<Value>, span: Range<usize>) -> Option<Value> {
        let (a, b) = (a?, b?);
        let product = |sign: f64, si: f64| {
            let dim = match (a.dim, b.dim) {
                (None, None) => None,
                (Some(x), None) => Some(x.times_pi(sign * b.pi)),
                (None, Some(y)) => Some(y.power(sign).times_pi(a.pi)),
                (Some(x), Some(y)) => Some(x.times(y.power(sign))),
            };
            Value { si, dim, pi: a.pi + sign * b.pi, derived: true }
        };
        let sum = |si: f64, dim: Option<Dimension>| Value { derived: a.derived || b.derived, ..Value::of(si, dim) };
        let v = match op {
            Op::Add => sum(a.si + b.si, self.common(a, b, "add", span.clone())?),
            Op::Sub => sum(a.si - b.si, self.common(a, b, "subtract", span.clone())?),
            Op::Mul => product(1.0, a.si * b.si),
            Op::Div if b.si == 0.0 => {
                return self
                    .fail(ExprError::new(span, "division by zero").help("the divisor is zero: check its values"));
            }
            Op::Div => product(-1.0, a.si / b.si),
            Op::Pow => return self.power(a, b, span),
        };
        self.finite(v, span)
    }

    fn call(&mut self, f: Func, args: &[Option<Value>], span: Range<usize>) -> Option<Value> {
        let mut a = args[0]?;
        match f {
            Func::Abs => Some(Value { si: a.si.abs(), ..a }),
            Func::Sqrt => {
                let dim = a.dim.map(Dimension::root);
                self.finite(Value { si: f.value(a.si, 0.0), dim, pi: a.pi / 2.0, derived: true }, span)
            }
            Func::Pow => self.power(a, args[1]?, span),
            Func::Min | Func::Max => {
                for b in &args[1..] {
                    let b = (*b)?;
                    let dim = self.common(a, b, "compare", span.clone())?;
                    a = Value { derived: a.derived || b.derived, ..Value::of(f.value(a.si, b.si), dim) };
                }
                Some(a)
            }
            Func::Sign => Some(Value::bare(f.value(a.si, 0.0))),
            _ => {
                let x = self.dimensionless(a, "the argument", span.clone())?;
                self.finite(Value::bare(f.value(x, 0.0)), span)
            }
        }
    }

    fn choose(
        &mut self,
        cmp: Cmp,
        [l, r]: [Option<Value>; 2],
        [yes, no]: [Option<Value>; 2],
        span: Range<usize>,
    ) -> Option<Value> {
        let (l, r, yes, no) = (l?, r?, yes?, no?);
        self.common(l, r, "compare", span.clone())?;
        let dim = self.common(yes, no, "choose between", span)?;
        let holds = match cmp {
            Cmp::Less => l.si < r.si,
            Cmp::LessEqual => l.si <= r.si,
            Cmp::Greater => l.si > r.si,
            Cmp::GreaterEqual => l.si >= r.si,
        };
        let chosen = if holds { yes } else { no };
        Some(Value { derived: chosen.derived, ..Value::of(chosen.si, dim) })
    }

    fn report(&mut self, error: ExprError) {
        self.errors.push(error);
    }

    fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }
}

/// Places of the known names in an expression; `UNITS` says whether its numbers may carry units.
pub(crate) fn names_in<const UNITS: bool>(text: &str, known: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut names = Names::<UNITS> { known, found: Vec::new() };
    parse(text, &mut names);
    names.found
}

struct Names<'a, const UNITS: bool> {
    known: &'a dyn Fn(&str) -> bool,
    found: Vec<Range<usize>>,
}

impl<const UNITS: bool> Build for Names<'_, UNITS> {
    type Value = ();
    const UNITS: bool = UNITS;
    fn number(&mut self, _: f64, _: Option<Unit>, _: Range<usize>) {}
    fn name(&mut self, name: &str, span: Range<usize>) {
        if (self.known)(name) {
            self.found.push(span);
        }
    }
    fn negate(&mut self, _: ()) {}
    fn binary(&mut self, _: Op, _: (), _: (), _: Range<usize>) {}
    fn call(&mut self, _: Func, _: &[()], _: Range<usize>) {}
    fn choose(&mut self, _: Cmp, _: [(); 2], _: [(); 2], _: Range<usize>) {}
    fn report(&mut self, _: ExprError) {}
    fn knows(&self, name: &str) -> bool {
        (self.known)(name)
    }
}

section! {
    /// `[parameters]`.
    pub PARAMETERS = ("parameters", "[parameters]", "Named values. A value may refer to others; `--set NAME=VALUE` on \
        the command line replaces one.").others(|| Anything.value());
}

/// Definitions of the parameters of a file, in any order, before they are resolved.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    entries: Vec<Entry>,
    index: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    name: Spanned<String>,
    raw: Spanned<Raw>,
    /// Text given from outside the file in place of the definition.
    set: Option<String>,
}

impl Parameters {
    /// No parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads all names of a table `[parameters]`.
    pub fn read(table: Table<'_>) -> Self {
        let mut parameters = Self::new();
        for name in table.keys() {
            let raw = table.entry(&name.value, &Anything, Allowed::Any);
            if !is_name(&name.value) || is_reserved(&name.value) || name.value == "t" {
                let d = Diagnostic::error(format!("`{}` cannot be the name of a parameter", name.value), name.span);
                let help = "a name is a letter followed by letters, digits and _; `t`, `pi` and function names are \
                    reserved";
                table.diagnostics().push(d.help(help));
            } else if let Some(raw) = raw {
                parameters.define(name, raw);
            }
        }
        table.finish();
        parameters
    }

    /// Adds a definition; a later one of the same name replaces it.
    pub fn define(&mut self, name: Spanned<String>, raw: Spanned<Raw>) {
        let entry = Entry { raw, set: None, name };
        match self.index.get(&entry.name.value) {
            Some(&i) => self.entries[i] = entry,
            None => {
                self.index.insert(entry.name.value.clone(), self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    /// Names in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.value.as_str())
    }

    /// Replaces the value of a parameter by a text from the command line or a study, before it is resolved.
    /// Reports an unknown name; returns whether it is known.
    pub fn set(&mut self, name: &str, text: &str, diags: &Diagnostics) -> bool {
        if let Some(&i) = self.index.get(name) {
            self.entries[i].set = Some(text.to_string());
            return true;
        }
        let names: Vec<&str> = self.names().take(40).collect();
        let help = did_you_mean(name, self.names()).unwrap_or_else(|| match names.is_empty() {
            true => "the file has no [parameters]".to_string(),
            false => format!("parameters are {}", names.join(", ")),
        });
        let message = format!("--set {name}={text}: the file has no parameter `{name}`");
        diags.push(Diagnostic::unlocated(message).help(help));
        false
    }

    /// Doubts parameters that nothing in the file uses: their name stands nowhere but at their definition.
    pub(crate) fn doubt_unused(&self, source: &Source, diags: &Diagnostics) {
        if self.entries.is_empty() {
            return;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for line in source.text.lines() {
            let line = without_comment(line);
            for word in line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| self.index.contains_key(*w))
            {
                *seen.entry(word).or_default() += 1;
            }
        }
        for e in self.entries.iter().filter(|e| seen.get(e.name.value.as_str()).is_some_and(|n| *n < 2)) {
            let message = format!("nothing uses the parameter `{}`", e.name.value);
            let d = Diagnostic::warning(message, e.name.span.clone()).following();
            diags.push(d.help("write its name where its value is meant, or remove it"));
        }
    }

    /// Evaluates all parameters, each after those it refers to. Reports cycles and all errors; a parameter
    /// with an error is known but has no value, so that its uses stay silent.
    pub fn resolve(&self, units: UnitSystem, source: &Source, diags: &Diagnostics) -> Scope {
        let n = self.entries.len();
        let needs: Vec<Vec<usize>> = self
            .entries
            .iter()
            .map(|e| {
                let text = match (&e.set, &e.raw.value) {
                    (Some(text), _) | (None, Raw::Text(text)) => text,
                    (None, Raw::Number(_)) => return Vec::new(),
                };
                let names = names_in::<true>(text, &|name| self.index.contains_key(name));
                names.into_iter().filter_map(|span| self.index.get(text.get(span)?).copied()).collect()
            })
            .collect();
        // Depth first without recursion; 1 = on the path, 2 = done.
        let mut state = vec![0u8; n];
        let mut cyclic = vec![false; n];
        let mut order = Vec::with_capacity(n);
        for root in 0..n {
            let mut path: Vec<(usize, usize)> = Vec::new();
            if state[root] == 0 {
                state[root] = 1;
                path.push((root, 0));
            }
            while let Some((i, next)) = path.last_mut() {
                let i = *i;
                let Some(&j) = needs[i].get(*next) else {
                    state[i] = 2;
                    order.push(i);
                    path.pop();
                    continue;
                };
                *next += 1;
                if state[j] == 0 {
                    state[j] = 1;
                    path.push((j, 0));
                } else if state[j] == 1 {
                    let from = path.iter().position(|p| p.0 == j).unwrap_or(0);
                    let cycle: Vec<usize> = path[from..].iter().map(|p| p.0).collect();
                    self.report_cycle(&cycle, &mut cyclic, diags);
                }
            }
        }
        let mut scope = Scope::new(units);
        scope.values = self.index.keys().map(|name| (name.clone(), None)).collect();
        let own = self.entries.iter().filter(|e| e.set.is_none());
        scope.places = own.map(|e| (e.name.value.clone(), e.raw.span.clone())).collect();
        for i in order {
            let e = &self.entries[i];
            if cyclic[i] {
                continue;
            }
            let value = match (&e.set, &e.raw.value) {
                (None, Raw::Number(x)) => Ok(Value::bare(*x)),
                (Some(text), _) | (None, Raw::Text(text)) => scope.evaluate(text),
            };
            match value {
                Ok(v) => scope.insert(e.name.value.clone(), v),
                Err(errors) => {
                    for x in errors {
                        diags.push(e.diagnostic(x, source));
                    }
                }
            }
        }
        scope
    }

    fn report_cycle(&self, cycle: &[usize], cyclic: &mut [bool], diags: &Diagnostics) {
        // Long cycles are cut in the message.
        let name = |i: &usize| self.entries[*i].name.value.as_str();
        let mut names: Vec<&str> = cycle.iter().take(8).map(name).collect();
        if cycle.len() > 8 {
            names.push("...");
        }
        names.extend(cycle.first().map(name));
        let seen = cycle.iter().any(|&i| cyclic[i]);
        cycle.iter().for_each(|&i| cyclic[i] = true);
        let first = &self.entries[cycle[0]];
        if seen {
            return;
        }
        let mut d = Diagnostic::error(
            format!("the parameters refer to each other in a circle: {}", names.join(" -> ")),
            first.raw.span.clone(),
        )
        .label(format!("`{}` refers to itself", first.name.value));
        for &i in cycle.iter().skip(1).take(4) {
            d = d.also(self.entries[i].raw.span.clone(), "through this one");
        }
        diags.push(d.help("give one of them a value that does not refer to the others"));
    }
}

impl Entry {
    fn diagnostic(&self, e: ExprError, source: &Source) -> Diagnostic {
        match (&self.set, &self.raw.value) {
            (None, Raw::Text(text)) => {
                let text = Spanned { value: text.clone(), span: self.raw.span.clone() };
                Diagnostic::error(e.message, inner_span(source, &text, e.span)).maybe_help(e.help)
            }
            (set, _) => {
                let text = set.as_deref().unwrap_or_default();
                Diagnostic::unlocated(format!("--set {}={text}: {}", self.name.value, e.message)).maybe_help(e.help)
            }
        }
    }
}
