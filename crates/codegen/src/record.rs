//! The scalar that records what is done with it: a law, or an update of a scheme's step, run over it leaves a list of
//! operations, which is printed as C: a law as statements ([`print`]), an update as expressions ([`print_update`]).
//!
//! Equal operations are recorded once. Numbers become entries of a table `c`, so that laws which differ in their numbers
//! only are one function. The one exception is `constant(0)`, which is written out and folded away: derivatives are full
//! of zeros. Folding changes nothing but the sign of a zero.
//!
//! **Must not be here:** the equation of any element.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::{Add, Div, Mul, Neg, Sub};

use interfield_kernel::{Portable, Scalar};

/// A recorded number: its place on the tape of this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rec(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unary {
    Neg,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Max,
    Min,
    Scaled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Zero,
    /// Array of the function (by its letter) and index; a letter alone is a plain argument.
    Input(&'static str, Option<usize>),
    /// Something with a name of its own.
    Named(usize),
    /// Entry of the table.
    Constant(usize),
    Unary(Unary, Rec),
    Binary(Binary, Rec, Rec),
    Select(Rec, Rec, Rec),
    Greater(Rec, Rec, Rec, Rec),
    /// A number that a call has filled in: the call, and its place.
    Result(usize, usize),
}

impl Node {
    /// Whether nothing is computed for it.
    fn is_leaf(self) -> bool {
        matches!(self, Node::Zero | Node::Input(..) | Node::Named(_) | Node::Constant(_))
    }
}

/// A call of a function that is not recorded: from an array of numbers it fills another one.
struct Call {
    text: String,
    arguments: Vec<Rec>,
    results: usize,
    operations: Operations,
}

#[derive(Default)]
struct Tape {
    nodes: Vec<Node>,
    known: HashMap<Node, Rec>,
    constants: Vec<f64>,
    names: Vec<String>,
    /// Numbers that stand alone, and numbers that are the second operand of an operation on a first one: two different
    /// parameters of one value are told apart wherever they act on different things.
    alone: HashMap<u64, Rec>,
    beside: HashMap<(Binary, Rec, u64), Rec>,
    calls: Vec<Call>,
    /// Exponentials, logarithms and powers are our own, see `interfield_kernel::portable`.
    portable: bool,
}

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::default();
}

/// How often a function does what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions, multiplications, comparisons.
    pub flops: u64,
    /// Divisions and square roots.
    pub divisions: u64,
    /// Calls of functions of `math.h`.
    pub calls: u64,
}

impl Operations {
    /// These, so many times.
    pub fn times(self, n: u64) -> Self {
        Operations { flops: self.flops * n, divisions: self.divisions * n, calls: self.calls * n }
    }
}

impl Add for Operations {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Operations { flops: self.flops + o.flops, divisions: self.divisions + o.divisions, calls: self.calls + o.calls }
    }
}

impl Tape {
    fn reads(&self, node: Node) -> Vec<Rec> {
        match node {
            Node::Zero | Node::Input(..) | Node::Named(_) | Node::Constant(_) => Vec::new(),
            Node::Unary(_, a) => vec![a],
            Node::Binary(_, a, b) => vec![a, b],
            Node::Select(a, b, c) => vec![a, b, c],
            Node::Greater(a, b, c, d) => vec![a, b, c, d],
            Node::Result(call, _) => self.calls[call].arguments.clone(),
        }
    }

    fn node(&mut self, node: Node) -> Rec {
        if let Some(&r) = self.known.get(&node) {
            return r;
        }
        let r = Rec(self.nodes.len() as u32);
        self.nodes.push(node);
        self.known.insert(node, r);
        r
    }

    fn table(&mut self, x: f64) -> Rec {
        self.constants.push(x);
        self.node(Node::Constant(self.constants.len() - 1))
    }

    fn constant(&mut self, x: f64) -> Rec {
        if x == 0.0 {
            return self.node(Node::Zero);
        }
        if let Some(&r) = self.alone.get(&x.to_bits()) {
            return r;
        }
        let r = self.table(x);
        self.alone.insert(x.to_bits(), r);
        r
    }

    fn is_zero(&self, a: Rec) -> bool {
        self.nodes[a.0 as usize] == Node::Zero
    }

    /// The value of a number that stands alone.
    fn value(&self, a: Rec) -> Option<f64> {
        match self.nodes[a.0 as usize] {
            Node::Zero => Some(0.0),
            Node::Constant(i) if self.alone.get(&self.constants[i].to_bits()) == Some(&a) => Some(self.constants[i]),
            _ => None,
        }
    }

    fn unary(&mut self, op: Unary, a: Rec) -> Rec {
        match self.value(a) {
            Some(x) => self.constant(if self.portable { apply(op, Portable([x])).0[0] } else { apply(op, x) }),
            None => self.node(Node::Unary(op, a)),
        }
    }

    fn binary(&mut self, op: Binary, a: Rec, b: Rec) -> Rec {
        use Binary::*;
        let (x, y) = (self.value(a), self.value(b));
        let (zero_a, zero_b) = (self.is_zero(a), self.is_zero(b));
        match op {
            Add if zero_a => b,
            Add | Sub if zero_b => a,
            Sub if zero_a => self.unary(Unary::Neg, b),
            Mul | Scaled if zero_a || zero_b => self.constant(0.0),
            Mul | Scaled if x == Some(1.0) => b,
            Mul | Div if y == Some(1.0) => a,
            Div if zero_a => self.constant(0.0),
            _ => match (x, y) {
                (Some(x), Some(y)) => self.constant(combine(op, x, y)),
                _ => self.node(Node::Binary(op, a, b)),
            },
        }
    }

    /// An operation with a number that belongs to the law: nothing is folded into it.
    fn with_number(&mut self, op: Binary, a: Rec, x: f64) -> Rec {
        if self.is_zero(a) && matches!(op, Binary::Mul | Binary::Div) {
            return a;
        }
        let value = self.value(a);
        if let Some(y) = value.filter(|y| op != Binary::Mul || *y != 1.0) {
            return self.constant(combine(op, y, x));
        }
        if let Some(&r) = self.beside.get(&(op, a, x.to_bits())) {
            return r;
        }
        // Once a number is the number itself, zero or not: a parameter stays one in the derivative of `x * parameter`.
        let number = self.table(x);
        let r = if value.is_some() { number } else { self.node(Node::Binary(op, a, number)) };
        self.beside.insert((op, a, x.to_bits()), r);
        r
    }
}

fn apply<T: Scalar>(op: Unary, x: T) -> T {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sign => x.sign(),
        Unary::Sqrt => x.sqrt(),
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Tanh => x.tanh(),
    }
}

fn combine(op: Binary, x: f64, y: f64) -> f64 {
    match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::Pow => Scalar::pow(x, y),
        Binary::Max => Scalar::max(x, y),
        Binary::Min => Scalar::min(x, y),
        Binary::Scaled => Scalar::scaled(x, y),
    }
}

fn on_tape<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with_borrow_mut(f)
}

/// Starts an empty tape.
pub(crate) fn start() {
    TAPE.set(Tape::default());
}

/// Starts an empty tape on which elementary functions are those of `interfield_kernel::portable`.
pub(crate) fn start_portable() {
    TAPE.set(Tape { portable: true, ..Tape::default() });
}

/// A call `text` of a function that is not recorded, from these numbers to so many others; `{in}` and `{out}` stand for the arrays.
pub(crate) fn call(text: String, arguments: &[Rec], results: usize, operations: Operations) -> Vec<Rec> {
    on_tape(|t| {
        t.calls.push(Call { text, arguments: arguments.to_vec(), results, operations });
        (0..results).map(|i| t.node(Node::Result(t.calls.len() - 1, i))).collect()
    })
}

/// The place of an argument `array[index]`, if it is one.
pub(crate) fn place(array: &str, r: Rec) -> Option<usize> {
    on_tape(|t| match t.nodes[r.0 as usize] {
        Node::Input(name, index) if name == array => index,
        _ => None,
    })
}

/// An argument of the function that is recorded: `array[index]`.
pub(crate) fn input(array: &'static str, index: usize) -> Rec {
    on_tape(|t| t.node(Node::Input(array, Some(index))))
}

/// A plain argument of the function that is recorded.
pub(crate) fn argument(name: &'static str) -> Rec {
    on_tape(|t| t.node(Node::Input(name, None)))
}

/// Something with a name of its own, a number or an entry of a vector.
pub(crate) fn named(name: &str) -> Rec {
    on_tape(|t| {
        let i = t.names.iter().position(|n| n == name).unwrap_or_else(|| {
            t.names.push(name.to_owned());
            t.names.len() - 1
        });
        t.node(Node::Named(i))
    })
}

/// The table of numbers recorded so far.
pub(crate) fn constants() -> Vec<f64> {
    on_tape(|t| t.constants.clone())
}

/// A recorded function: its statements, and what they cost.
pub(crate) struct Body {
    /// C statements that end with the assignments to the outputs.
    pub(crate) text: String,
    /// What one call costs.
    pub(crate) operations: Operations,
}

/// Prints what leads to these outputs, `("p[0]", r)` each.
pub(crate) fn print(outputs: &[(String, Rec)]) -> Body {
    on_tape(|tape| {
        let mut needed = vec![false; tape.nodes.len()];
        let mut open: Vec<Rec> = outputs.iter().map(|o| o.1).collect();
        while let Some(r) = open.pop() {
            if !std::mem::replace(&mut needed[r.0 as usize], true) {
                open.extend(tape.reads(tape.nodes[r.0 as usize]));
            }
        }
        let name = |(i, node): (usize, &Node)| match *node {
            Node::Zero | Node::Named(_) => None,
            Node::Input(array, Some(i)) => Some(format!("{array}[{i}]")),
            Node::Input(argument, None) => Some(argument.to_owned()),
            Node::Constant(i) => Some(format!("c[{i}]")),
            Node::Result(call, i) => Some(format!("r{call}[{i}]")),
            _ => Some(format!("x{i}")),
        };
        let names: Vec<Option<String>> = tape.nodes.iter().enumerate().map(name).collect();
        let mut body = Body { text: String::new(), operations: Operations::default() };
        let mut called = vec![false; tape.calls.len()];
        for (i, node) in tape.nodes.iter().enumerate().filter(|(i, n)| needed[*i] && !n.is_leaf()) {
            if let Node::Result(call, _) = *node {
                if !std::mem::replace(&mut called[call], true) {
                    let arguments = tape.calls[call].arguments.iter();
                    let arguments: Vec<_> = arguments.map(|r| tape.expression(r.0 as usize, &names).0).collect();
                    let _ = write!(body.text, "{}", tape.calls[call].print(call, &arguments));
                    body.operations = body.operations + tape.calls[call].operations;
                }
                continue;
            }
            body.operations = body.operations + cost(*node);
            let _ = writeln!(body.text, "    const double x{i} = {};", tape.expression(i, &names[..i]).0);
        }
        for (output, r) in outputs {
            let _ = writeln!(body.text, "    {output} = {};", tape.expression(r.0 as usize, &names).0);
        }
        body
    })
}

/// Prints the new entries of vectors, `("u", r)` each: `u[i] = ...;`. What is used twice is computed once, under a name of its
/// own; numbers are written out. Nothing is overwritten before all that reads it is done.
pub(crate) fn print_update(outputs: &[(&str, Rec)]) -> Body {
    on_tape(|tape| {
        let mut uses = vec![0; tape.nodes.len()];
        let mut open: Vec<Rec> = outputs.iter().map(|o| o.1).collect();
        while let Some(r) = open.pop() {
            uses[r.0 as usize] += 1;
            if uses[r.0 as usize] == 1 {
                open.extend(tape.reads(tape.nodes[r.0 as usize]));
            }
        }
        let leaf = |node: &Node| node.is_leaf();
        let shared = |i: usize| uses[i] > 1 && !leaf(&tape.nodes[i]);
        let mut names: Vec<Option<String>> = vec![None; tape.nodes.len()];
        for i in (0..tape.nodes.len()).filter(|i| shared(*i)) {
            let output = outputs.iter().find(|o| o.1.0 as usize == i);
            names[i] = Some(output.map_or_else(|| format!("part_{i}"), |o| format!("new_{}", o.0)));
        }
        let mut body = Body { text: String::new(), operations: Operations::default() };
        for i in 0..tape.nodes.len() {
            if uses[i] > 0 && !leaf(&tape.nodes[i]) {
                body.operations = body.operations + cost(tape.nodes[i]);
            }
            if let Some(name) = &names[i] {
                let _ = writeln!(body.text, "const double {name} = {};", tape.expression(i, &names[..i]).0);
            }
        }
        let mut assigned: Vec<(&str, String)> =
            outputs.iter().map(|(v, r)| (*v, tape.expression(r.0 as usize, &names).0)).collect();
        // Names last: what they stand for is computed.
        assigned.sort_by_key(|(_, right)| right.starts_with("new_"));
        let mut later = String::new();
        for k in 0..assigned.len() {
            let (vector, right) = &assigned[k];
            if assigned[k + 1..].iter().any(|(_, r)| crate::text::uses(r, vector)) {
                let _ = writeln!(body.text, "const double new_{vector} = {right};");
                let _ = writeln!(later, "{vector}[i] = new_{vector};");
            } else {
                let _ = writeln!(body.text, "{vector}[i] = {right};");
            }
        }
        body.text.push_str(&later);
        body
    })
}

impl Tape {
    /// A node as an expression of those that have names, and how tightly it binds.
    fn expression(&self, i: usize, names: &[Option<String>]) -> (String, u8) {
        if let Some(Some(name)) = names.get(i) {
            return (name.clone(), 3);
        }
        let of = |r: Rec, least: u8| {
            let (text, binds) = self.expression(r.0 as usize, names);
            if binds < least { format!("({text})") } else { text }
        };
        match self.nodes[i] {
            Node::Zero => ("0.0".to_owned(), 3),
            Node::Input(name, _) => (name.to_owned(), 3), // all of them have names
            Node::Named(i) => (self.names[i].clone(), 3),
            Node::Constant(i) => (crate::text::number(self.constants[i]), 3),
            Node::Unary(Unary::Neg, a) => (format!("-{}", of(a, 3)), 2),
            Node::Unary(op, a) => (unary_text(op, &of(a, 0), self.portable).0, 3),
            Node::Result(call, i) => (format!("r{call}[{i}]"), 3),
            // Operations of one kind are done from left to right: a right operand of the same strength needs brackets.
            Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) => (binary_text(op, &of(a, 1), &of(b, 2)).0, 1),
            Node::Binary(op @ (Binary::Mul | Binary::Div), a, b) => (binary_text(op, &of(a, 2), &of(b, 3)).0, 2),
            Node::Binary(op, a, b) => (binary_text(op, &of(a, 0), &of(b, 0)).0, 3),
            Node::Select(c, a, b) => (format!("num_select({}, {}, {})", of(c, 0), of(a, 0), of(b, 0)), 3),
            Node::Greater(a, b, y, n) => {
                (format!("num_greater({}, {}, {}, {})", of(a, 0), of(b, 0), of(y, 0), of(n, 0)), 3)
            }
        }
    }
}

fn cost(node: Node) -> Operations {
    match node {
        Node::Unary(op, _) => unary_text(op, "", false).1,
        Node::Binary(op, ..) => binary_text(op, "", "").1,
        Node::Select(..) | Node::Greater(..) => FLOP,
        Node::Zero | Node::Input(..) | Node::Named(_) | Node::Constant(_) | Node::Result(..) => Operations::default(),
    }
}

impl Call {
    fn print(&self, number: usize, arguments: &[String]) -> String {
        let (taken, filled) = (format!("a{number}"), format!("r{number}"));
        let call = self.text.replace("{in}", &taken).replace("{out}", &filled);
        let list = arguments.join(", ");
        format!("    const double {taken}[] = {{{list}}};\n    double {filled}[{}];\n    {call};\n", self.results)
    }
}

const FLOP: Operations = Operations { flops: 1, divisions: 0, calls: 0 };
const DIVISION: Operations = Operations { flops: 0, divisions: 1, calls: 0 };
const CALL: Operations = Operations { flops: 0, divisions: 0, calls: 1 };

fn unary_text(op: Unary, a: &str, portable: bool) -> (String, Operations) {
    let (function, cost) = match op {
        Unary::Neg => return (format!("-{a}"), FLOP),
        Unary::Abs => ("fabs", FLOP),
        Unary::Sign => ("num_sign", Operations { flops: 4, ..FLOP }),
        Unary::Sqrt => ("sqrt", DIVISION),
        Unary::Exp => (if portable { "portable_exp" } else { "exp" }, CALL),
        Unary::Ln => (if portable { "portable_ln" } else { "log" }, CALL),
        Unary::Sin => ("sin", CALL),
        Unary::Cos => ("cos", CALL),
        Unary::Tan => ("tan", CALL),
        Unary::Asin => (if portable { "portable_asin" } else { "asin" }, CALL),
        Unary::Acos => ("acos", CALL),
        Unary::Atan => ("atan", CALL),
        Unary::Tanh => ("tanh", CALL),
    };
    (format!("{function}({a})"), cost)
}

fn binary_text(op: Binary, a: &str, b: &str) -> (String, Operations) {
    match op {
        Binary::Add => (format!("{a} + {b}"), FLOP),
        Binary::Sub => (format!("{a} - {b}"), FLOP),
        Binary::Mul => (format!("{a} * {b}"), FLOP),
        Binary::Div => (format!("{a} / {b}"), DIVISION),
        Binary::Pow => (format!("pow({a}, {b})"), CALL),
        Binary::Max => (format!("num_greater({a}, {b}, {a}, {b})"), FLOP),
        Binary::Min => (format!("num_greater({b}, {a}, {a}, {b})"), FLOP),
        Binary::Scaled => (format!("num_scaled({a}, {b})"), Operations { flops: 2, ..FLOP }),
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for Rec {
            type Output = Rec;
            fn $method(self, o: Rec) -> Rec {
                on_tape(|t| t.binary(Binary::$trait, self, o))
            }
        }
        impl $trait<f64> for Rec {
            type Output = Rec;
            fn $method(self, o: f64) -> Rec {
                on_tape(|t| t.with_number(Binary::$trait, self, o))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Rec {
    type Output = Rec;
    fn neg(self) -> Rec {
        on_tape(|t| t.unary(Unary::Neg, self))
    }
}

macro_rules! functions {
    ($($method:ident = $op:ident),*) => {
        $(fn $method(self) -> Rec {
            on_tape(|t| t.unary(Unary::$op, self))
        })*
    };
}

impl Scalar for Rec {
    fn constant(x: f64) -> Rec {
        on_tape(|t| t.constant(x))
    }
    functions!(
        abs = Abs,
        sign = Sign,
        sqrt = Sqrt,
        exp = Exp,
        ln = Ln,
        sin = Sin,
        cos = Cos,
        tan = Tan,
        asin = Asin,
        acos = Acos,
        atan = Atan,
        tanh = Tanh
    );
    fn powf(self, n: f64) -> Rec {
        // The cases of f64, which are part of the structure of a law.
        if n == 1.0 {
            self
        } else if n == 2.0 {
            self * self
        } else if n == 0.0 {
            Rec::constant(1.0)
        } else if on_tape(|t| t.portable) {
            (self.ln() * n).exp()
        } else {
            on_tape(|t| t.with_number(Binary::Pow, self, n))
        }
    }
    fn pow(self, y: Rec) -> Rec {
        if on_tape(|t| t.portable) { (self.ln() * y).exp() } else { on_tape(|t| t.binary(Binary::Pow, self, y)) }
    }
    fn max(self, other: Rec) -> Rec {
        on_tape(|t| t.binary(Binary::Max, self, other))
    }
    fn min(self, other: Rec) -> Rec {
        on_tape(|t| t.binary(Binary::Min, self, other))
    }
    fn select(self, yes: Rec, no: Rec) -> Rec {
        if yes == no { yes } else { on_tape(|t| t.node(Node::Select(self, yes, no))) }
    }
    fn greater(self, other: Rec, yes: Rec, no: Rec) -> Rec {
        if yes == no { yes } else { on_tape(|t| t.node(Node::Greater(self, other, yes, no))) }
    }
    fn scaled(self, factor: Rec) -> Rec {
        on_tape(|t| t.binary(Binary::Scaled, self, factor))
    }
    fn is_zero(self) -> bool {
        on_tape(|t| t.is_zero(self))
    }
}
