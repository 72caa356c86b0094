//! Expressions: lexer and recursive-descent parser, shared by formulas ([`super::compile`]) and quantities
//! ([`crate::quantity`]). The parser drives a [`Build`] and stores nothing itself.
//!
//! Grammar: numbers, names, `+ - * /`, `^` (binds to the right and stronger than a sign: -x^2 = -(x^2)),
//! parentheses, functions, and `if(a < b, x, y)` with `< <= > >=`.

use std::ops::Range;

use interfield_kernel::Scalar;

use crate::diag::did_you_mean;
use crate::units::Unit;

/// What is wrong in an expression, located by a byte range of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl ExprError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Functions of one and of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Func {
    Abs,
    Sign,
    Sqrt,
    Exp,
    Ln,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Tanh,
    Min,
    Max,
    Pow,
}

const FUNCTIONS: &[(&str, Func)] = &[
    ("abs", Func::Abs),
    ("sign", Func::Sign),
    ("sqrt", Func::Sqrt),
    ("exp", Func::Exp),
    ("log", Func::Ln),
    ("ln", Func::Ln),
    ("sin", Func::Sin),
    ("cos", Func::Cos),
    ("tan", Func::Tan),
    ("asin", Func::Asin),
    ("acos", Func::Acos),
    ("atan", Func::Atan),
    ("tanh", Func::Tanh),
    ("min", Func::Min),
    ("max", Func::Max),
    ("pow", Func::Pow),
];

/// Names that no parameter and no variable may have.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == "pi" || name == "if" || FUNCTIONS.iter().any(|f| f.0 == name)
}

/// Whether a text is a name: a letter or `_`, then letters, digits and `_`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(name_start) && text.chars().all(name_char)
}

fn name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn name_char(c: char) -> bool {
    name_start(c) || c.is_ascii_digit()
}

impl Func {
    pub(super) fn arguments(self) -> usize {
        match self {
            Func::Min | Func::Max | Func::Pow => 2,
            _ => 1,
        }
    }

    /// The value, of one or of two arguments.
    pub(crate) fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Func::Abs => Scalar::abs(a),
            Func::Sign => Scalar::sign(a),
            Func::Sqrt => Scalar::sqrt(a),
            Func::Exp => Scalar::exp(a),
            Func::Ln => Scalar::ln(a),
            Func::Sin => Scalar::sin(a),
            Func::Cos => Scalar::cos(a),
            Func::Tan => Scalar::tan(a),
            Func::Asin => Scalar::asin(a),
            Func::Acos => Scalar::acos(a),
            Func::Atan => Scalar::atan(a),
            Func::Tanh => Scalar::tanh(a),
            Func::Min => Scalar::min(a, b),
            Func::Max => Scalar::max(a, b),
            Func::Pow => Scalar::pow(a, b),
        }
    }
}

/// Arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
}

/// Comparisons, with their symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmp {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// What the parser drives: values for quantities, nodes of a graph for formulas. Nothing in between is
/// stored, so that a long sum needs no stack.
pub(crate) trait Build {
    type Value: Clone;
    fn number(&mut self, x: f64, unit: Option<Unit>, span: Range<usize>) -> Self::Value;
    /// A name that is not a function; reports unknown names itself.
    fn name(&mut self, name: &str, span: Range<usize>) -> Self::Value;
    fn negate(&mut self, a: Self::Value) -> Self::Value;
    fn binary(&mut self, op: Op, a: Self::Value, b: Self::Value, span: Range<usize>) -> Self::Value;
    fn call(&mut self, f: Func, args: &[Self::Value], span: Range<usize>) -> Self::Value;
    fn choose(
        &mut self,
        cmp: Cmp,
        sides: [Self::Value; 2],
        values: [Self::Value; 2],
        span: Range<usize>,
    ) -> Self::Value;
    fn report(&mut self, error: ExprError);
    /// Whether a name is known (a variable or a parameter).
    fn knows(&self, name: &str) -> bool;
    /// Whether numbers may carry units.
    const UNITS: bool;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tok {
    Number(f64),
    Name,
    Op(char),
    Cmp(Cmp),
    End,
}

/// What an expression is made of, for messages.
const ALLOWED: &str = "an expression is made of numbers, names, + - * / ^ and parentheses";

/// Deepest nesting of parentheses and signs.
const DEEPEST: usize = 100;

struct Parser<'t, B: Build> {
    text: &'t str,
    pos: usize,
    tok: Tok,
    span: Range<usize>,
    /// End of the token before.
    end: usize,
    depth: usize,
    build: &'t mut B,
}

type Parsed<B> = Result<<B as Build>::Value, ExprError>;

/// Reads a whole expression. `None` if it could not be read; the error has been reported.
pub(crate) fn parse<B: Build>(text: &str, build: &mut B) -> Option<B::Value> {
    let mut p = Parser { text, pos: 0, tok: Tok::End, span: 0..0, end: 0, depth: 0, build };
    match p.all() {
        Ok(v) => Some(v),
        Err(e) => {
            p.build.report(e);
            None
        }
    }
}

impl<B: Build> Parser<'_, B> {
    fn all(&mut self) -> Parsed<B> {
        self.advance()?;
        if self.tok == Tok::End {
            let e = ExprError::new(0..self.text.len(), "the expression is empty");
            return Err(e.help("write a number, a number with a unit, or a formula"));
        }
        let v = self.sum()?;
        match self.tok {
            Tok::End => Ok(v),
            _ => Err(self.unexpected()),
        }
    }

    fn advance(&mut self) -> Result<(), ExprError> {
        self.end = self.span.end;
        let rest = &self.text[self.pos..];
        let trimmed = rest.trim_start();
        let start = self.pos + rest.len() - trimmed.len();
        let Some(c) = trimmed.chars().next() else {
            self.tok = Tok::End;
            self.pos = self.text.len();
            self.span = self.pos..self.pos;
            return Ok(());
        };
        let second = trimmed[c.len_utf8()..].chars().next();
        let (tok, len) = match c {
            '0'..='9' | '.' => {
                let len = number_length(trimmed);
                let x: f64 = trimmed[..len].parse().map_err(|_| {
                    let e = ExprError::new(start..start + len, format!("`{}` is not a number", &trimmed[..len]));
                    e.help("write for example 1.5 or 1.5e-3")
                })?;
                if !x.is_finite() {
                    let e = ExprError::new(start..start + len, "the number is too large");
                    return Err(e.help("the largest is about 1e308"));
                }
                (Tok::Number(x), len)
            }
            c if name_start(c) => (Tok::Name, trimmed.find(|c| !name_char(c)).unwrap_or(trimmed.len())),
            '*' if second == Some('*') => {
                return Err(ExprError::new(start..start + 2, "unexpected `**`").help("a power is written with `^`"));
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => (Tok::Op(c), 1),
            '·' | '×' | '⋅' => (Tok::Op('*'), c.len_utf8()),
            '−' => (Tok::Op('-'), c.len_utf8()),
            '<' if second == Some('=') => (Tok::Cmp(Cmp::LessEqual), 2),
            '>' if second == Some('=') => (Tok::Cmp(Cmp::GreaterEqual), 2),
            '<' => (Tok::Cmp(Cmp::Less), 1),
            '>' => (Tok::Cmp(Cmp::Greater), 1),
            _ => {
                let e = ExprError::new(start..start + c.len_utf8(), format!("unexpected `{c}`"));
                return Err(match c {
                    '|' => e.help("an absolute value is written abs(x)"),
                    '=' | '!' => e.help("compare with <, <=, > or >= inside if(...)"),
                    '[' | ']' | '{' | '}' => e.help("use round parentheses"),
                    '²' | '³' => e.help("a power is written with `^`"),
                    '%' if !B::UNITS => e.help("write 0.05 instead of 5 %"),
                    _ => e.help(ALLOWED),
                });
            }
        };
        self.tok = tok;
        self.span = start..start + len;
        self.pos = start + len;
        Ok(())
    }

    fn unexpected(&self) -> ExprError {
        let text = &self.text[self.span.clone()];
        let e = ExprError::new(self.span.clone(), format!("unexpected `{text}`"));
        match self.tok {
            Tok::End => ExprError::new(self.span.clone(), "the expression is incomplete")
                .help("something is missing after the last operator or parenthesis"),
            Tok::Op(')') => ExprError::new(self.span.clone(), "unbalanced parenthesis: `)` without `(`")
                .help("remove it, or add the opening `(`"),
            Tok::Number(_) | Tok::Name | Tok::Op('(') if self.end > 0 => {
                ExprError::new(self.span.clone(), format!("missing operator before `{text}`"))
                    .help(format!("write a product with `*`: ...*{text}"))
            }
            Tok::Op(',') => e.help("a decimal point is written `.`; a comma separates the arguments of a function"),
            Tok::Cmp(_) => e.help("a comparison is allowed only as the first argument of if(a < b, x, y)"),
            _ => e.help(ALLOWED),
        }
    }

    fn sum(&mut self) -> Parsed<B> {
        self.chain([('+', Op::Add), ('-', Op::Sub)], Self::term)
    }

    fn term(&mut self) -> Parsed<B> {
        self.chain([('*', Op::Mul), ('/', Op::Div)], Self::sign)
    }

    /// Operands between operators of one rank, from left to right.
    fn chain(&mut self, operators: [(char, Op); 2], operand: fn(&mut Self) -> Parsed<B>) -> Parsed<B> {
        let start = self.span.start;
        let mut a = operand(self)?;
        while let Some((_, op)) = operators.into_iter().find(|(c, _)| self.tok == Tok::Op(*c)) {
            self.operator()?;
            let b = operand(self)?;
            a = self.build.binary(op, a, b, start..self.end);
        }
        Ok(a)
    }

    /// Steps over an operator, behind which the text must go on.
    fn operator(&mut self) -> Result<(), ExprError> {
        let span = self.span.clone();
        self.advance()?;
        if self.tok == Tok::End {
            let message = format!("nothing follows the operator `{}`", &self.text[span.clone()]);
            return Err(ExprError::new(span, message).help("remove it, or write what follows"));
        }
        Ok(())
    }

    fn sign(&mut self) -> Parsed<B> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let e = ExprError::new(self.span.clone(), "the expression is nested too deeply");
            return Err(e.help("split it with [parameters]"));
        }
        let v = match self.tok {
            Tok::Op('-') => {
                self.operator()?;
                let a = self.sign()?;
                self.build.negate(a)
            }
            Tok::Op('+') => {
                self.operator()?;
                self.sign()?
            }
            _ => self.power()?,
        };
        self.depth -= 1;
        Ok(v)
    }

    fn power(&mut self) -> Parsed<B> {
        let start = self.span.start;
        let a = self.primary()?;
        if self.tok != Tok::Op('^') {
            return Ok(a);
        }
        self.operator()?;
        let b = self.sign()?;
        Ok(self.build.binary(Op::Pow, a, b, start..self.end))
    }

    fn primary(&mut self) -> Parsed<B> {
        let span = self.span.clone();
        match self.tok {
            Tok::Number(x) => {
                let unit = self.unit()?;
                let end = self.pos;
                self.advance()?;
                // The unit belongs to the token.
                self.end = end;
                Ok(self.build.number(x, unit, span.start..end))
            }
            Tok::Name => {
                let name = &self.text[span.clone()];
                self.advance()?;
                let call = self.tok == Tok::Op('(');
                match FUNCTIONS.iter().find(|f| f.0 == name) {
                    Some(&(_, f)) if call => self.call(name, f, span),
                    _ if name == "if" && call => self.choose(span),
                    Some(_) => {
                        Err(ExprError::new(span, format!("`{name}` is a function")).help(format!("write {name}(...)")))
                    }
                    _ if name == "if" => Err(ExprError::new(span, "`if` is a function").help("write if(a < b, x, y)")),
                    _ if call && (name == "pi" || self.build.knows(name)) => {
                        Err(ExprError::new(span, format!("`{name}` is not a function"))
                            .help(format!("write a product with `*`: {name}*(...)")))
                    }
                    _ if call => {
                        let names: Vec<&str> = FUNCTIONS.iter().map(|f| f.0).chain(["if"]).collect();
                        let mut help = format!("functions are {}", names.join(", "));
                        if let Some(s) = did_you_mean(name, names) {
                            help = format!("{s} {help}");
                        }
                        Err(ExprError::new(span, format!("unknown function `{name}`")).help(help))
                    }
                    _ if name == "pi" && !self.build.knows(name) => {
                        Ok(self.build.number(std::f64::consts::PI, None, span))
                    }
                    _ => Ok(self.build.name(name, span)),
                }
            }
            Tok::Op('(') => {
                self.advance()?;
                let v = self.sum()?;
                self.close(span)?;
                Ok(v)
            }
            Tok::Op(')') => {
                Err(ExprError::new(span, "unexpected `)`").help("something is missing before the parenthesis"))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The closing parenthesis of the one at `open`.
    fn close(&mut self, open: Range<usize>) -> Result<(), ExprError> {
        match self.tok {
            Tok::Op(')') => self.advance(),
            Tok::End => Err(ExprError::new(open, "unbalanced parenthesis: `(` is never closed").help("add `)`")),
            _ => Err(self.unexpected()),
        }
    }

    /// The unit behind the number that is the current token.
    fn unit(&mut self) -> Result<Option<Unit>, ExprError> {
        if !B::UNITS {
            return Ok(None);
        }
        let at = self.pos;
        let build = &*self.build;
        match Unit::parse_prefix(&self.text[at..], &|name| build.knows(name)) {
            Ok(Some((unit, len))) => {
                self.pos = at + len;
                Ok(Some(unit))
            }
            Ok(None) => Ok(None),
            Err(e) => {
                let span = at + e.span.start..at + e.span.end;
                let text = &self.text[span.clone()];
                if self.build.knows(text) {
                    return Err(ExprError::new(span, format!("missing operator before `{text}`"))
                        .help(format!("write a product with `*`: ...*{text}")));
                }
                Err(ExprError { span, message: e.message, help: e.help })
            }
        }
    }

    fn call(&mut self, name: &str, f: Func, span: Range<usize>) -> Parsed<B> {
        let open = self.span.clone();
        self.advance()?;
        let mut args = Vec::new();
        if self.tok != Tok::Op(')') {
            args.push(self.sum()?);
            while self.tok == Tok::Op(',') {
                self.operator()?;
                args.push(self.sum()?);
            }
        }
        self.close(open)?;
        let span = span.start..self.end;
        let n = f.arguments();
        let more = matches!(f, Func::Min | Func::Max) && args.len() > n;
        if args.len() != n && !more {
            let least = if matches!(f, Func::Min | Func::Max) { "at least " } else { "" };
            let plural = if n == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {least}{n} argument{plural}, found {}", args.len());
            let example = if n == 1 { "x" } else { "x, y" };
            return Err(ExprError::new(span, message).help(format!("write {name}({example})")));
        }
        Ok(self.build.call(f, &args, span))
    }

    fn choose(&mut self, span: Range<usize>) -> Parsed<B> {
        const HELP: &str = "write if(a < b, x, y): x if the comparison is true, otherwise y";
        let open = self.span.clone();
        self.advance()?;
        let left = self.sum()?;
        let Tok::Cmp(cmp) = self.tok else {
            return Err(ExprError::new(span.start..self.end, "`if` needs a comparison (<, <=, >, >=)").help(HELP));
        };
        self.operator()?;
        let right = self.sum()?;
        let mut values = Vec::new();
        while self.tok == Tok::Op(',') {
            self.operator()?;
            values.push(self.sum()?);
        }
        self.close(open)?;
        let span = span.start..self.end;
        match <[B::Value; 2]>::try_from(values) {
            Ok(values) => Ok(self.build.choose(cmp, [left, right], values, span)),
            Err(values) => {
                Err(ExprError::new(span, format!("`if` takes 3 arguments, found {}", values.len() + 1)).help(HELP))
            }
        }
    }
}

/// Length of the number at the start of a text: digits, a point, digits, an exponent.
fn number_length(text: &str) -> usize {
    let b = text.as_bytes();
    let digits = |mut i: usize| {
        while b.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let mut i = digits(0);
    if b.get(i) == Some(&b'.') {
        i = digits(i + 1);
    }
    if matches!(b.get(i), Some(b'e' | b'E')) {
        let sign = matches!(b.get(i + 1), Some(b'+' | b'-')) as usize;
        let end = digits(i + 1 + sign);
        if end > i + 1 + sign {
            return end;
        }
    }
    i
}
