//! The compiler: formulas to one graph in which equal subexpressions exist once, and the graph to a register program
//! of the kernel.

use std::collections::HashMap;
use std::ops::Range;

use interfield_kernel::Scalar;
use interfield_kernel::expr::{Instr, MAX_REGISTERS, Program, Reg};

use super::parse::{Build, Cmp, ExprError, Func, Op, parse};
use crate::diag::did_you_mean;
use crate::units::Unit;

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
            let e = ExprError::new(span, "the value of this constant expression is not a finite number");
            self.errors.push(e.help("check the values of its numbers and parameters"));
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
        } else if n == 0.5 {
            self.node(Node::Call(Func::Sqrt, a, a))
        } else {
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
            self.errors.push(ExprError::new(span, "division by zero").help("the divisor is zero: check its values"));
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
    pub(super) registers: usize,
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

    /// Index of a constant, `None` if there are too many.
    fn constant(&mut self, x: f64, index: &mut HashMap<u64, u16>) -> Option<u16> {
        if let Some(&k) = index.get(&x.to_bits()) {
            return Some(k);
        }
        let k = u16::try_from(self.constants.len()).ok()?;
        self.constants.push(x);
        index.insert(x.to_bits(), k);
        Some(k)
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

/// The operand that goes into a register and the one that is taken as a constant, for nodes that have such a form.
fn with_constant(graph: &Graph<'_>, node: Node) -> Option<(Id, Id)> {
    let constant = |id: Id| graph.value(id).is_some();
    match node {
        Node::Add(a, b) | Node::Mul(a, b) | Node::Sub(a, b) | Node::Div(a, b) if constant(a) => Some((b, a)),
        Node::Add(a, b) | Node::Mul(a, b) | Node::Sub(a, b) | Node::Div(a, b) if constant(b) => Some((a, b)),
        Node::Call(Func::Pow, a, b) if constant(b) => Some((a, b)),
        _ => None,
    }
}

/// Nodes that a node reads from registers.
fn operands(graph: &Graph<'_>, node: Node) -> [Option<Id>; 3] {
    with_constant(graph, node).map_or_else(|| node.reads(), |(a, _)| [Some(a), None, None])
}

/// For each node its last reader; `None` for nodes that nobody reads, `usize::MAX` for outputs.
fn last_readers(graph: &Graph<'_>, outputs: &[Id]) -> Vec<Option<Id>> {
    let mut last = vec![None; graph.nodes.len()];
    outputs.iter().for_each(|&o| last[o] = Some(Id::MAX));
    for id in (0..graph.nodes.len()).rev() {
        if last[id].is_some() {
            for a in operands(graph, graph.nodes[id]).into_iter().flatten() {
                last[a] = last[a].max(Some(id));
            }
        }
    }
    last
}

/// Instructions for the nodes that matter, registers given back after their last use. `None` if there are
/// too many registers or constants.
fn emit(graph: &Graph<'_>, outputs: &[Id], inputs: usize) -> Option<Compiled> {
    let n = graph.nodes.len();
    let last = last_readers(graph, outputs);
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
        if let (Some(_), Node::Input(i)) = (last[id], graph.nodes[id]) {
            home[id] = Some(Reg::try_from(i).ok()?);
            out.used[i] = true;
        }
    }
    let mut free: Vec<Reg> = (0..inputs).rev().filter(|&i| !out.used[i]).map(|i| i as Reg).collect();
    let mut index: HashMap<u64, u16> = HashMap::new();
    for id in 0..n {
        let node = graph.nodes[id];
        if last[id].is_none() || matches!(node, Node::Input(_)) {
            continue;
        }
        let taken = with_constant(graph, node).map(|t| t.1);
        let constant = match (taken, node) {
            (Some(c), Node::Sub(_, b)) if b == c => Some(-graph.value(c)?),
            (Some(c), _) => graph.value(c),
            (None, Node::Const(bits)) => Some(f64::from_bits(bits)),
            (None, _) => None,
        };
        let constant = match constant {
            Some(x) => out.constant(x, &mut index)?,
            None => 0,
        };
        // Operands first, then their registers may be written.
        let ids = operands(graph, node);
        let mut regs = [0; 3];
        for (r, id) in regs.iter_mut().zip(ids) {
            if let Some(id) = id {
                *r = home[id]?;
            }
        }
        for a in ids.into_iter().flatten() {
            if last[a] == Some(id) && !free.contains(&home[a]?) {
                free.push(home[a]?);
            }
        }
        let d = match free.pop() {
            Some(r) => r,
            None => {
                let r = Reg::try_from(out.registers).ok()?;
                out.registers += 1;
                r
            }
        };
        home[id] = Some(d);
        out.code.push(instruction(node, taken, d, regs, constant)?);
    }
    for &o in outputs {
        out.outputs.push(home[o]? as u16);
    }
    out.fuse();
    Some(out)
}

impl Compiled {
    /// Products that the next instruction adds or subtracts, and nobody else reads, become one instruction with it. Every number
    /// is rounded as before; what is saved is the way around the loop that runs them.
    fn fuse(&mut self) {
        let code = std::mem::take(&mut self.code);
        let mut i = 0;
        while i < code.len() {
            let fused = code.get(i + 1).and_then(|next| fused(code[i], *next));
            match fused.filter(|_| self.forgotten(code[i].operands().0, &code[i + 1..])) {
                Some(both) => {
                    self.code.push(both);
                    i += 2;
                }
                None => {
                    self.code.push(code[i]);
                    i += 1;
                }
            }
        }
    }

    /// Whether a register that the first of these instructions reads is not read after it.
    fn forgotten(&self, register: Reg, code: &[Instr]) -> bool {
        for (i, instruction) in code.iter().enumerate() {
            let (written, read, _) = instruction.operands();
            if i > 0 && read.contains(&Some(register)) {
                return false;
            }
            if written == register {
                return true;
            }
        }
        !self.outputs.contains(&(register as u16))
    }
}

/// A product and the sum or difference with it, in one.
fn fused(product: Instr, next: Instr) -> Option<Instr> {
    let (p, ..) = product.operands();
    // Added, or subtracted from the other operand.
    let (d, other, added) = match next {
        Instr::Add(d, a, b) if b == p && a != p => (d, a, true),
        Instr::Add(d, a, b) if a == p && b != p => (d, b, true),
        Instr::Sub(d, a, b) if b == p && a != p => (d, a, false),
        _ => return None,
    };
    Some(match (product, added) {
        (Instr::Mul(_, a, b), true) => Instr::MulAdd(d, a, b, other),
        (Instr::Mul(_, a, b), false) => Instr::SubMul(d, a, b, other),
        (Instr::MulC(_, a, k), true) => Instr::MulCAdd(d, a, other, k),
        (Instr::MulC(_, a, k), false) => Instr::SubMulC(d, a, other, k),
        _ => return None,
    })
}

/// The instruction of a node; `taken` is its operand that is a constant.
fn instruction(node: Node, taken: Option<Id>, d: Reg, [a, b, c]: [Reg; 3], constant: u16) -> Option<Instr> {
    Some(match (node, taken) {
        (Node::Input(_), _) => return None,
        (Node::Const(_), _) => Instr::Const(d, constant),
        (Node::Neg(_), _) => Instr::Neg(d, a),
        (Node::Add(..), Some(_)) => Instr::AddC(d, a, constant),
        (Node::Mul(..), Some(_)) => Instr::MulC(d, a, constant),
        (Node::Sub(_, y), Some(k)) if y == k => Instr::AddC(d, a, constant),
        (Node::Sub(..), Some(_)) => Instr::RevSubC(d, a, constant),
        (Node::Div(_, y), Some(k)) if y == k => Instr::DivC(d, a, constant),
        (Node::Div(..), Some(_)) => Instr::RevDivC(d, a, constant),
        (Node::Add(..), None) => Instr::Add(d, a, b),
        (Node::Sub(..), None) => Instr::Sub(d, a, b),
        (Node::Mul(..), None) => Instr::Mul(d, a, b),
        (Node::Div(..), None) => Instr::Div(d, a, b),
        (Node::Select(..), _) => Instr::Select(d, a, b, c),
        // Only powers have a form with a constant.
        (Node::Call(..), Some(_)) => Instr::PowC(d, a, constant),
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
    })
}
