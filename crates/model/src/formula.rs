//! Formulas of a model file: expression parser, compiler to a register program, and the element that runs
//! it.
//!
//! Grammar: numbers, names, `+ - * /`, `^` (binds to the right and stronger than a sign: -x^2 = -(x^2)),
//! parentheses, functions, and `if(a < b, x, y)` with `< <= > >=`. Names are the variables given by the
//! caller and the parameters of the file, which are folded into the program as constants; a variable hides
//! a parameter of the same name.

use std::collections::HashMap;
use std::ops::Range;

use interfield_kernel::element::{Element, Tangent};
use interfield_kernel::expr::{Instr, MAX_REGISTERS, Program, Reg};
use interfield_kernel::{Dual, Scalar};

use crate::diag::did_you_mean;
use crate::units::{Dimension, Unit, UnitSystem};

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

// ------------------------------------------------------------------------------------------- parser

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
    fn arguments(self) -> usize {
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
            return Err(ExprError::new(0..self.text.len(), "the expression is empty"));
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
                    ExprError::new(start..start + len, format!("`{}` is not a number", &trimmed[..len]))
                })?;
                if !x.is_finite() {
                    return Err(ExprError::new(start..start + len, "the number is too large"));
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
                    _ => e,
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
            Tok::End => ExprError::new(self.span.clone(), "the expression ends too early")
                .help("something is missing behind the last operator or parenthesis"),
            Tok::Op(')') => ExprError::new(self.span.clone(), "unbalanced parenthesis: `)` without `(`"),
            Tok::Number(_) | Tok::Name | Tok::Op('(') if self.end > 0 => {
                ExprError::new(self.span.clone(), format!("missing operator in front of `{text}`"))
                    .help(format!("write a product with `*`: ...*{text}"))
            }
            Tok::Op(',') => e.help("a decimal point is written `.`; a comma separates the arguments of a function"),
            Tok::Cmp(_) => e.help("a comparison stands only as the first argument of if(a < b, x, y)"),
            _ => e,
        }
    }

    fn sum(&mut self) -> Parsed<B> {
        let start = self.span.start;
        let mut a = self.term()?;
        loop {
            let op = match self.tok {
                Tok::Op('+') => Op::Add,
                Tok::Op('-') => Op::Sub,
                _ => return Ok(a),
            };
            self.operator()?;
            let b = self.term()?;
            a = self.build.binary(op, a, b, start..self.end);
        }
    }

    /// Steps over an operator, behind which the text must go on.
    fn operator(&mut self) -> Result<(), ExprError> {
        let span = self.span.clone();
        self.advance()?;
        if self.tok == Tok::End {
            let message = format!("nothing stands behind the operator `{}`", &self.text[span.clone()]);
            return Err(ExprError::new(span, message));
        }
        Ok(())
    }

    fn term(&mut self) -> Parsed<B> {
        let start = self.span.start;
        let mut a = self.sign()?;
        loop {
            let op = match self.tok {
                Tok::Op('*') => Op::Mul,
                Tok::Op('/') => Op::Div,
                _ => return Ok(a),
            };
            self.operator()?;
            let b = self.sign()?;
            a = self.build.binary(op, a, b, start..self.end);
        }
    }

    fn sign(&mut self) -> Parsed<B> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExprError::new(self.span.clone(), "the expression is nested too deeply"));
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
                Err(ExprError::new(span, "unexpected `)`").help("something is missing in front of the parenthesis"))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The closing parenthesis of the one at `open`.
    fn close(&mut self, open: Range<usize>) -> Result<(), ExprError> {
        match self.tok {
            Tok::Op(')') => self.advance(),
            Tok::End => Err(ExprError::new(open, "unbalanced parenthesis: `(` is never closed")),
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
                    return Err(ExprError::new(span, format!("missing operator in front of `{text}`"))
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
            return Err(ExprError::new(
                span,
                format!("`{name}` takes {least}{n} argument{plural}, found {}", args.len()),
            ));
        }
        Ok(self.build.call(f, &args, span))
    }

    fn choose(&mut self, span: Range<usize>) -> Parsed<B> {
        const HELP: &str = "write if(a < b, x, y): x where the comparison holds, y elsewhere";
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

// ----------------------------------------------------------------------------------------- compiler

type Id = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Input(usize),
    /// Bits of the value.
    Const(u64),
    Neg(Id),
    Add(Id, Id),
    Sub(Id, Id),
    Mul(Id, Id),
    Div(Id, Id),
    Call(Func, Id, Id),
    Select(Id, Id, Id),
}

impl Node {
    fn reads(self) -> [Option<Id>; 3] {
        match self {
            Node::Input(_) | Node::Const(_) => [None; 3],
            Node::Neg(a) => [Some(a), None, None],
            Node::Call(f, a, _) if f.arguments() == 1 => [Some(a), None, None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Div(a, b) | Node::Call(_, a, b) => {
                [Some(a), Some(b), None]
            }
            Node::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        }
    }
}

/// The shared graph of all formulas of an element: equal subexpressions exist once.
struct Graph<'a> {
    nodes: Vec<Node>,
    known: HashMap<Node, Id>,
    variables: &'a [String],
    constants: &'a [(String, f64)],
    errors: Vec<ExprError>,
}

impl Graph<'_> {
    fn node(&mut self, node: Node) -> Id {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    }

    fn constant(&mut self, x: f64) -> Id {
        // One zero.
        self.node(Node::Const(if x == 0.0 { 0 } else { x.to_bits() }))
    }

    fn value(&self, id: Id) -> Option<f64> {
        match self.nodes[id] {
            Node::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// A folded constant, which must be finite.
    fn folded(&mut self, x: f64, span: Range<usize>) -> Id {
        if !x.is_finite() {
            self.errors.push(ExprError::new(span, "the value of this constant expression is not a finite number"));
            return self.constant(1.0);
        }
        self.constant(x)
    }

    fn add(&mut self, a: Id, b: Id) -> Id {
        self.node(Node::Add(a.min(b), a.max(b)))
    }

    fn mul(&mut self, a: Id, b: Id) -> Id {
        self.node(Node::Mul(a.min(b), a.max(b)))
    }

    /// x^n for a constant exponent; general powers are slow.
    fn power(&mut self, a: Id, n: f64) -> Id {
        if n == 0.0 {
            self.constant(1.0)
        } else if n == 1.0 {
            a
        } else if n == 2.0 {
            self.mul(a, a)
        } else if n == 3.0 {
            let square = self.mul(a, a);
            self.mul(square, a)
        } else if n == -1.0 {
            let one = self.constant(1.0);
            self.node(Node::Div(one, a))
        } else {
            // Not sqrt for 0.5: its dual is not a number at 0 even where nothing varies.
            let n = self.constant(n);
            self.node(Node::Call(Func::Pow, a, n))
        }
    }
}

impl Build for Graph<'_> {
    type Value = Id;
    const UNITS: bool = false;

    fn number(&mut self, x: f64, _: Option<Unit>, _: Range<usize>) -> Id {
        self.constant(x)
    }

    fn name(&mut self, name: &str, span: Range<usize>) -> Id {
        if let Some(i) = self.variables.iter().position(|v| v == name) {
            return self.node(Node::Input(i));
        }
        if let Some(c) = self.constants.iter().find(|c| c.0 == name) {
            return self.folded(c.1, span);
        }
        let names = || self.variables.iter().chain(self.constants.iter().map(|c| &c.0)).map(String::as_str);
        let listed: Vec<&str> = names().take(40).collect();
        let mut help = format!("names allowed here: {}", listed.join(", "));
        if let Some(s) = did_you_mean(name, names()) {
            help = format!("{s} {help}");
        }
        self.errors.push(ExprError::new(span, format!("unknown name `{name}`")).help(help));
        self.constant(1.0)
    }

    fn negate(&mut self, a: Id) -> Id {
        match (self.value(a), self.nodes[a]) {
            (Some(x), _) => self.constant(-x),
            (_, Node::Neg(x)) => x,
            _ => self.node(Node::Neg(a)),
        }
    }

    fn binary(&mut self, op: Op, a: Id, b: Id, span: Range<usize>) -> Id {
        let (x, y) = (self.value(a), self.value(b));
        if op == Op::Div && y == Some(0.0) {
            self.errors.push(ExprError::new(span, "division by zero"));
            return a;
        }
        if let (Some(x), Some(y)) = (x, y) {
            let v = match op {
                Op::Add => x + y,
                Op::Sub => x - y,
                Op::Mul => x * y,
                Op::Div => x / y,
                Op::Pow => Scalar::pow(x, y),
            };
            return self.folded(v, span);
        }
        match (op, x, y) {
            (Op::Add, Some(0.0), _) => b,
            (Op::Add | Op::Sub, _, Some(0.0)) => a,
            (Op::Sub, Some(0.0), _) => self.negate(b),
            (Op::Mul, Some(1.0), _) => b,
            (Op::Mul | Op::Div, _, Some(1.0)) => a,
            // A parameter set to zero switches its term off.
            (Op::Mul, Some(0.0), _) | (Op::Mul, _, Some(0.0)) | (Op::Div, Some(0.0), _) => self.constant(0.0),
            (Op::Mul, Some(-1.0), _) => self.negate(b),
            (Op::Mul, _, Some(-1.0)) => self.negate(a),
            (Op::Add, ..) => self.add(a, b),
            (Op::Sub, ..) => self.node(Node::Sub(a, b)),
            (Op::Mul, ..) => self.mul(a, b),
            (Op::Div, ..) => self.node(Node::Div(a, b)),
            (Op::Pow, _, Some(n)) => self.power(a, n),
            (Op::Pow, ..) => self.node(Node::Call(Func::Pow, a, b)),
        }
    }

    fn call(&mut self, f: Func, args: &[Id], span: Range<usize>) -> Id {
        if f == Func::Pow {
            return self.binary(Op::Pow, args[0], args[1], span);
        }
        let mut a = args[0];
        if f.arguments() == 1 {
            return match self.value(a) {
                Some(x) => self.folded(f.value(x, 0.0), span),
                None => self.node(Node::Call(f, a, a)),
            };
        }
        for &b in &args[1..] {
            a = match (self.value(a), self.value(b)) {
                (Some(x), Some(y)) => self.folded(f.value(x, y), span.clone()),
                _ => self.node(Node::Call(f, a, b)),
            };
        }
        a
    }

    fn choose(&mut self, cmp: Cmp, [l, r]: [Id; 2], [mut yes, mut no]: [Id; 2], span: Range<usize>) -> Id {
        // select asks for >= 0: a > b is not(b >= a).
        let (l, r) = match cmp {
            Cmp::GreaterEqual => (l, r),
            Cmp::LessEqual => (r, l),
            Cmp::Greater => (r, l),
            Cmp::Less => (l, r),
        };
        if matches!(cmp, Cmp::Greater | Cmp::Less) {
            (yes, no) = (no, yes);
        }
        let difference = self.binary(Op::Sub, l, r, span);
        match self.value(difference) {
            Some(x) => {
                if x >= 0.0 {
                    yes
                } else {
                    no
                }
            }
            None if yes == no => yes,
            None => self.node(Node::Select(difference, yes, no)),
        }
    }

    fn report(&mut self, error: ExprError) {
        self.errors.push(error);
    }

    fn knows(&self, name: &str) -> bool {
        self.variables.iter().any(|v| v == name) || self.constants.iter().any(|c| c.0 == name)
    }
}

/// An error in one of several formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// Index of the formula.
    pub formula: usize,
    /// What and where in its text.
    pub error: ExprError,
}

/// Formulas compiled to one register program.
#[derive(Clone, Debug)]
pub struct Compiled {
    code: Vec<Instr>,
    constants: Vec<f64>,
    registers: usize,
    outputs: Vec<u16>,
    inputs: usize,
    /// Which inputs matter.
    used: Vec<bool>,
}

impl Compiled {
    /// The program; it has been validated.
    pub fn program(&self) -> Program<'_> {
        Program { code: &self.code, constants: &self.constants, registers: self.registers, outputs: &self.outputs }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Whether some output depends on an input.
    pub fn depends_on(&self, input: usize) -> bool {
        self.used.get(input).copied().unwrap_or(false)
    }
}

/// Compiles several formulas into one program with shared subexpressions. The inputs of the program are
/// the variables, in order; `constants` are the parameters. All errors of all formulas at once.
pub fn compile(
    formulas: &[String],
    variables: &[String],
    constants: &[(String, f64)],
) -> Result<Compiled, Vec<FormulaError>> {
    let mut graph = Graph { nodes: Vec::new(), known: HashMap::new(), variables, constants, errors: Vec::new() };
    let mut errors = Vec::new();
    let mut outputs = Vec::new();
    for (formula, text) in formulas.iter().enumerate() {
        outputs.extend(parse(text, &mut graph));
        errors.extend(graph.errors.drain(..).map(|error| FormulaError { formula, error }));
    }
    if errors.is_empty() {
        let error = match emit(&graph, &outputs, variables.len()) {
            Some(c) if c.program().validate(c.inputs) => return Ok(c),
            _ => ExprError::new(
                0..formulas.first().map_or(0, String::len),
                format!(
                    "the formulas of this element are too large: more than {MAX_REGISTERS} values are needed at once"
                ),
            )
            .help("split the element into several, or shorten its formulas"),
        };
        errors.push(FormulaError { formula: 0, error });
    }
    Err(errors)
}

/// Instructions for the nodes that matter, registers given back after their last use. `None` if there are
/// too many registers or constants.
fn emit(graph: &Graph<'_>, outputs: &[Id], inputs: usize) -> Option<Compiled> {
    let n = graph.nodes.len();
    let mut live = vec![false; n];
    // A node becomes an operand register unless every reader takes it as a constant.
    let mut loaded = vec![false; n];
    for &o in outputs {
        live[o] = true;
        loaded[o] = true;
    }
    let as_constant = |node: Node| -> Option<(Id, Id)> {
        // Operand in a register, operand taken as a constant.
        let constant = |id: Id| graph.value(id).is_some();
        match node {
            Node::Add(a, b) | Node::Mul(a, b) if constant(a) => Some((b, a)),
            Node::Sub(a, b) | Node::Div(a, b) if constant(a) => Some((b, a)),
            Node::Add(a, b) | Node::Mul(a, b) | Node::Sub(a, b) | Node::Div(a, b) if constant(b) => Some((a, b)),
            Node::Call(Func::Pow, a, b) if constant(b) => Some((a, b)),
            _ => None,
        }
    };
    let mut last = vec![0; n];
    for id in (0..n).rev() {
        if !live[id] {
            continue;
        }
        let node = graph.nodes[id];
        match as_constant(node) {
            Some((a, _)) => {
                live[a] = true;
                loaded[a] = true;
                last[a] = last[a].max(id);
            }
            None => {
                for a in node.reads().into_iter().flatten() {
                    live[a] = true;
                    loaded[a] = true;
                    last[a] = last[a].max(id);
                }
            }
        }
    }
    for &o in outputs {
        last[o] = usize::MAX;
    }
    let mut out = Compiled {
        code: Vec::new(),
        constants: Vec::new(),
        registers: inputs,
        outputs: Vec::new(),
        inputs,
        used: vec![false; inputs],
    };
    let mut home: Vec<Option<Reg>> = vec![None; n];
    for id in 0..n {
        if let (true, Node::Input(i)) = (live[id], graph.nodes[id]) {
            home[id] = Some(Reg::try_from(i).ok()?);
            out.used[i] = true;
        }
    }
    let mut free: Vec<Reg> = (0..inputs).rev().filter(|&i| !out.used[i]).map(|i| i as Reg).collect();
    let mut index: HashMap<u64, u16> = HashMap::new();
    for id in 0..n {
        let node = graph.nodes[id];
        if !live[id] || !loaded[id] || matches!(node, Node::Input(_)) {
            continue;
        }
        let reg = |id: Id| home[id];
        let mut k = |x: f64| -> Option<u16> {
            let constants = &mut out.constants;
            if let Some(&k) = index.get(&x.to_bits()) {
                return Some(k);
            }
            let k = u16::try_from(constants.len()).ok()?;
            constants.push(x);
            index.insert(x.to_bits(), k);
            Some(k)
        };
        // Operands first, then their registers may be written.
        let taken = as_constant(node);
        let constant = match taken {
            Some((_, c)) => {
                let x = graph.value(c)?;
                k(if matches!(node, Node::Sub(_, b) if b == c) { -x } else { x })?
            }
            None => match node {
                Node::Const(bits) => k(f64::from_bits(bits))?,
                _ => 0,
            },
        };
        let operands: [Reg; 3] = {
            let ids = match taken {
                Some((a, _)) => [Some(a), None, None],
                None => node.reads(),
            };
            let mut regs = [0; 3];
            for (r, id) in regs.iter_mut().zip(ids) {
                if let Some(id) = id {
                    *r = reg(id)?;
                }
            }
            for a in ids.into_iter().flatten() {
                if last[a] == id && !free.contains(&home[a]?) {
                    free.push(home[a]?);
                }
            }
            regs
        };
        let d = match free.pop() {
            Some(r) => r,
            None => {
                let r = Reg::try_from(out.registers).ok()?;
                out.registers += 1;
                r
            }
        };
        home[id] = Some(d);
        let [a, b, c] = operands;
        out.code.push(match (node, taken) {
            (Node::Input(_), _) => continue,
            (Node::Const(_), _) => Instr::Const(d, constant),
            (Node::Neg(_), _) => Instr::Neg(d, a),
            (Node::Add(..), Some(_)) => Instr::AddC(d, a, constant),
            (Node::Mul(..), Some(_)) => Instr::MulC(d, a, constant),
            (Node::Sub(_, y), Some((_, k))) if y == k => Instr::AddC(d, a, constant),
            (Node::Sub(..), Some(_)) => Instr::RevSubC(d, a, constant),
            (Node::Div(_, y), Some((_, k))) if y == k => Instr::DivC(d, a, constant),
            (Node::Div(..), Some(_)) => Instr::RevDivC(d, a, constant),
            (Node::Add(..), None) => Instr::Add(d, a, b),
            (Node::Sub(..), None) => Instr::Sub(d, a, b),
            (Node::Mul(..), None) => Instr::Mul(d, a, b),
            (Node::Div(..), None) => Instr::Div(d, a, b),
            (Node::Select(..), _) => Instr::Select(d, a, b, c),
            (Node::Call(f, ..), Some(_)) => {
                debug_assert_eq!(f, Func::Pow);
                Instr::PowC(d, a, constant)
            }
            (Node::Call(f, ..), None) => match f {
                Func::Abs => Instr::Abs(d, a),
                Func::Sign => Instr::Sign(d, a),
                Func::Sqrt => Instr::Sqrt(d, a),
                Func::Exp => Instr::Exp(d, a),
                Func::Ln => Instr::Ln(d, a),
                Func::Sin => Instr::Sin(d, a),
                Func::Cos => Instr::Cos(d, a),
                Func::Tan => Instr::Tan(d, a),
                Func::Asin => Instr::Asin(d, a),
                Func::Acos => Instr::Acos(d, a),
                Func::Atan => Instr::Atan(d, a),
                Func::Tanh => Instr::Tanh(d, a),
                Func::Min => Instr::Min(d, a, b),
                Func::Max => Instr::Max(d, a, b),
                Func::Pow => Instr::Pow(d, a, b),
            },
        });
    }
    for &o in outputs {
        out.outputs.push(home[o]? as u16);
    }
    Some(out)
}

// ------------------------------------------------------------------------------------------ element

/// What an element defined by formulas is made of. The numbers in the formulas are in the unit system of
/// the file if [`FormulaSpec::in_units`] was called, else in SI.
#[derive(Clone, Debug, Default)]
pub struct FormulaSpec {
    /// Names of the coordinates.
    pub q: Vec<String>,
    /// Names of their rates, as many.
    pub v: Vec<String>,
    /// Names of the states.
    pub s: Vec<String>,
    /// One formula per coordinate.
    pub forces: Vec<String>,
    /// One formula per state.
    pub rates: Vec<String>,
    /// Parameters.
    pub constants: Vec<(String, f64)>,
    /// Factors from SI to the inputs of the formulas, in the order q, v, s, t; empty: all 1.
    pub input_scale: Vec<f64>,
    /// Factors from the results of the formulas to SI, forces then rates; empty: all 1.
    pub output_scale: Vec<f64>,
}

impl FormulaSpec {
    /// Lets the formulas compute in the units of a file: `q` and `s` are the dimensions of the coordinates
    /// (LENGTH or NONE) and of the states. The constants are to be given in the same units
    /// ([`crate::quantity::Scope::constants`]).
    pub fn in_units(mut self, units: &UnitSystem, q: &[Dimension], s: &[Dimension]) -> Self {
        let rate = |d: &Dimension| d.per(Dimension::TIME);
        let force = |d: &Dimension| Dimension::MOMENT.per(*d);
        let inputs = q.iter().copied().chain(q.iter().map(rate)).chain(s.iter().copied()).chain([Dimension::TIME]);
        self.input_scale = inputs.map(|d| 1.0 / units.factor(d)).collect();
        self.output_scale = q.iter().map(force).chain(s.iter().map(rate)).map(|d| units.factor(d)).collect();
        self
    }
}

/// An element whose forces and state rates are formulas. Nothing is allocated when it runs; registers live
/// on the stack in arrays of 16, 64 or 256.
#[derive(Clone, Debug)]
pub struct FormulaElement {
    compiled: Compiled,
    d: usize,
    s: usize,
    input_scale: Vec<f64>,
    output_scale: Vec<f64>,
}

impl FormulaElement {
    /// Compiles an element. `formula` of an error counts the forces first, then the rates. Numbers of names
    /// and formulas must agree.
    pub fn new(spec: &FormulaSpec) -> Result<Self, Vec<FormulaError>> {
        let (d, s) = (spec.q.len(), spec.s.len());
        let one = |message: String| Err(vec![FormulaError { formula: 0, error: ExprError::new(0..0, message) }]);
        if spec.v.len() != d || spec.forces.len() != d || spec.rates.len() != s || d == 0 {
            return one(format!(
                "{d} coordinates and {s} states need as many rates and formulas, found {} rate names, {} forces, {} state rates",
                spec.v.len(),
                spec.forces.len(),
                spec.rates.len()
            ));
        }
        let mut variables: Vec<String> = [&spec.q, &spec.v, &spec.s].into_iter().flatten().cloned().collect();
        variables.push("t".to_string());
        for (i, name) in variables.iter().enumerate() {
            if !is_name(name) || is_reserved(name) {
                return one(format!("`{name}` cannot be the name of a variable"));
            }
            if variables[..i].contains(name) {
                return one(format!("two variables have the name `{name}`"));
            }
        }
        let formulas: Vec<String> = spec.forces.iter().chain(&spec.rates).cloned().collect();
        let compiled = compile(&formulas, &variables, &spec.constants)?;
        let scale = |given: &[f64], n: usize| if given.len() == n { given.to_vec() } else { vec![1.0; n] };
        Ok(Self {
            d,
            s,
            input_scale: scale(&spec.input_scale, variables.len()),
            output_scale: scale(&spec.output_scale, d + s),
            compiled,
        })
    }

    /// Whether the tangent is symmetric for certain: only with one coordinate.
    pub fn symmetric(&self) -> bool {
        self.d == 1
    }

    /// The program, for listings and code generation.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    fn respond<const N: usize>(&self, t: f64, x: [&[f64]; 3], p: &mut [f64], g: &mut [f64]) {
        let mut r = [0.0f64; N];
        self.load(&mut r, t, x);
        let program = self.compiled.program();
        program.execute(&mut r);
        let (outputs, scale) = (program.outputs, &self.output_scale[..]);
        for i in 0..self.d {
            p[i] = r[outputs[i] as usize] * scale[i];
        }
        for i in 0..self.s {
            g[i] = r[outputs[self.d + i] as usize] * scale[self.d + i];
        }
    }

    /// Scaled inputs into the first registers.
    #[inline]
    fn load<T: Scalar>(&self, r: &mut [T], t: f64, [q, v, s]: [&[f64]; 3]) {
        let (d, scale) = (self.d, &self.input_scale[..]);
        for i in 0..d {
            r[i] = T::constant(q[i] * scale[i]);
            r[d + i] = T::constant(v[i] * scale[d + i]);
        }
        for i in 0..self.s {
            r[2 * d + i] = T::constant(s[i] * scale[2 * d + i]);
        }
        r[2 * d + self.s] = T::constant(t * scale[2 * d + self.s]);
    }

    fn derive<const N: usize>(&self, t: f64, x: [&[f64]; 3], out: Tangent<'_>) {
        let program = self.compiled.program();
        let (d, s) = (self.d, self.s);
        let mut r = [Dual::constant(0.0); N];
        for j in 0..2 * d + s {
            let depends = self.compiled.depends_on(j);
            if depends {
                // The program may have overwritten its inputs.
                self.load(&mut r, t, x);
                r[j].eps = self.input_scale[j];
                program.execute(&mut r);
            }
            let eps = |i: usize| {
                if depends { r[program.outputs[i] as usize].eps * self.output_scale[i] } else { 0.0 }
            };
            let (p, g, column, width): (&mut [f64], &mut [f64], usize, usize) = match j {
                j if j < d => (&mut *out.k, &mut *out.a, j, d),
                j if j < 2 * d => (&mut *out.c, &mut *out.b, j - d, d),
                j => (&mut *out.r, &mut *out.e, j - 2 * d, s),
            };
            for i in 0..d {
                p[i * width + column] = eps(i);
            }
            for i in 0..s {
                g[i * width + column] = eps(d + i);
            }
        }
    }
}

impl Element for FormulaElement {
    fn size(&self) -> (usize, usize) {
        (self.d, self.s)
    }

    fn has_mass(&self) -> bool {
        false
    }

    fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        match self.compiled.registers {
            0..=16 => self.respond::<16>(t, [q, v, s], p, g),
            17..=64 => self.respond::<64>(t, [q, v, s], p, g),
            _ => self.respond::<MAX_REGISTERS>(t, [q, v, s], p, g),
        }
    }

    fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], _acc: &[f64], out: Tangent<'_>) {
        match self.compiled.registers {
            0..=16 => self.derive::<16>(t, [q, v, s], out),
            17..=64 => self.derive::<64>(t, [q, v, s], out),
            _ => self.derive::<MAX_REGISTERS>(t, [q, v, s], out),
        }
    }

    fn mass(&self, _q: &[f64], m: &mut [f64]) {
        m[..self.d * self.d].fill(0.0);
    }
}
