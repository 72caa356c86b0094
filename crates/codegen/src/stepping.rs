//! A scheme with its step: the phases of the scheme, printed as C, with a table of its numbers.
//!
//! Nothing is known of any scheme here: its functions, the times at which it looks at the inputs, its memory and its cost come
//! from running its phases over a `Printer`.

use std::fmt::Write;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::scheme::{Correction, Length, Limits, Phases, State};
use interfield_kernel::{Dims, Fault, Scheme};

use crate::cost::Cost;
use crate::record::{self, Operations, Rec};
use crate::text::{Tables, number, uses};

/// A scheme with its step.
#[derive(Clone, Debug)]
pub struct Stepping {
    /// Step, s.
    pub dt: f64,
    /// Slot of its first operator.
    slot: usize,
    /// Functions, one per part: those of the start, and of the step.
    start: Vec<String>,
    step: Vec<String>,
    /// Numbers of its functions.
    numbers: Vec<f64>,
    /// Times at which it looks at the inputs, in steps.
    pub looks: Vec<f64>,
    /// Times of its evaluations, in steps.
    pub evaluations: Vec<f64>,
    /// Vectors of each [`Length`] that survive a step, and others.
    history: [usize; 2],
    scratch: [usize; 2],
    work: Vec<(Work, u64)>,
}

/// What a step does, for its cost.
#[derive(Clone, Copy, Debug)]
enum Work {
    Linearise,
    Force,
    Solve(usize),
    MulMass,
    MulTangent,
    /// Operations per entry of a vector.
    Update(Length, Operations),
}

impl Stepping {
    /// A scheme with a step of `dt`, s, whose operators start at `slot`; `remembers`: its system remembers where it was evaluated.
    pub fn new(scheme: &AnyScheme, dt: f64, slot: usize, remembers: bool) -> Self {
        let mut p = Printer { remembers, ..Printer::new(dt) };
        // Printing cannot fail as running can.
        let _ = scheme.start(&mut p);
        let start = p.finish();
        let scratch = std::mem::take(&mut p.scratch);
        (p.in_step, p.history) = (true, [0; 2]);
        let _ = scheme.step(&mut p);
        p.scratch = [0, 1].map(|i| p.scratch[i].max(scratch[i]));
        Stepping::from(p, start, slot)
    }

    /// The stages of a tableau whose forces a coupling composes: parts 2 i and 2 i + 1 lead up to the forces of stage i and
    /// on from them, the last one to the end of the step.
    pub fn staged(tableau: &Rosenbrock, dt: f64, slot: usize) -> Self {
        let mut p = Printer::new(dt);
        let start = p.finish();
        p.in_step = true;
        let y = &mut p.state();
        let (stages, aim) = &mut tableau.scratch(&mut p);
        for i in 0..tableau.stages {
            let (done, rest) = stages.split_at_mut(i);
            let Some(k) = &mut rest[0] else { break };
            p.update_states([&mut aim.x], [y], |_, [y]| [y]);
            tableau.aim(&mut p, i, done, aim);
            p.mul_tangent(&aim.shift, &mut k.v);
            p.end();
            tableau.settle(&mut p, 0, &aim.bu, k);
            p.end();
        }
        tableau.finish(&mut p, y, stages);
        Stepping::from(p, start, slot)
    }

    fn from(mut p: Printer, start: Vec<String>, slot: usize) -> Self {
        let step = p.finish();
        let Printer { dt, looks, evaluations, history, scratch, work, .. } = p;
        let numbers = p.numbers.iter().map(|n| n.value).collect();
        Stepping { dt, slot, start, step, numbers, looks, evaluations, history, scratch, work }
    }

    /// Cuts of its step, each for forces from outside.
    pub fn cuts(&self) -> usize {
        self.step.len() - 1
    }

    /// Whether it evaluates forces before its first step.
    pub fn evaluates_at_start(&self) -> bool {
        self.start.len() > 1
    }

    /// Numbers it works with.
    pub fn scratch(&self, d: Dims) -> usize {
        self.scratch[0] * d.nu + self.scratch[1] * (d.nu + d.ns)
    }

    /// One step at most.
    pub fn cost(&self, c: &Cost<'_>, d: Dims) -> Operations {
        let one = |work: Work| match work {
            Work::Linearise => c.linearise(),
            Work::Force => c.force(),
            Work::Solve(slot) => c.solve(self.slot + slot),
            Work::MulMass => c.mul_mass(),
            Work::MulTangent => c.mul_tangent(),
            Work::Update(length, each) => each.times(length_of(d, length) as u64),
        };
        self.work.iter().fold(Operations::default(), |sum, (work, times)| sum + one(*work).times(*times))
    }
}

fn length_of(d: Dims, length: Length) -> usize {
    d.nu + if length == Length::V { d.ns } else { 0 }
}

/// The functions of all schemes of an export; those that differ in their numbers only are one.
#[derive(Default)]
pub struct Schemes {
    functions: Vec<[Vec<String>; 2]>,
}

impl Schemes {
    /// The table of a stepping called `name`. `rows`: of the inputs at each of its looks.
    pub fn table(&mut self, name: &str, s: &Stepping, d: Dims, rows: &[usize]) -> String {
        let functions = [s.start.clone(), s.step.clone()];
        let scheme = self.functions.iter().position(|f| *f == functions).unwrap_or_else(|| {
            self.functions.push(functions);
            self.functions.len() - 1
        });
        let mut t = Tables::new(name);
        let row = t.indices("row", rows.iter().copied());
        let numbers = t.numbers("numbers", &s.numbers);
        let history = s.history[0] * d.nu + s.history[1] * (d.nu + d.ns);
        let _ = writeln!(
            t.text,
            "static const stepping_t {name} = {{{scheme}, {}, {}, {}, {history}, {}, {row}, {numbers}}};\n",
            s.slot,
            s.start.len() - 1,
            s.step.len() - 1,
            number(s.dt),
        );
        t.text
    }

    /// The functions, and those that choose among them.
    pub fn print(&self) -> String {
        let mut out = include_str!("../c/scheme.c").to_owned() + "\n";
        let mut cases = [String::new(), String::new()];
        for (i, both) in self.functions.iter().enumerate() {
            for (kind, parts) in both.iter().enumerate() {
                let name = format!("{}_{i}", ["start", "step"][kind]);
                let mut calls = String::new();
                for (part, body) in parts.iter().enumerate().filter(|(_, body)| !body.is_empty()) {
                    let _ = writeln!(out, "static int {name}_{part}({ARGUMENTS})\n{{\n{body}}}\n");
                    let _ = writeln!(calls, "        case {part}:\n            return {name}_{part}({CALL});");
                }
                let _ = writeln!(
                    cases[kind],
                    "    case {i}:\n        switch (part) {{\n{calls}        default:\n            return 0;\n        }}"
                );
            }
        }
        for (kind, cases) in cases.iter().enumerate() {
            let (name, what, in_of) =
                [("start", "the start", "its inputs"), ("step", "a step from t", "the rows of its inputs")][kind];
            let called = cases.contains(CALL);
            let unused: String = CALL.split(", ").filter(|_| !called).map(|a| format!("(void){a};\n    ")).collect();
            let _ = writeln!(
                out,
                "/* Part `part` of {what}, up to its next evaluation or to its end. in: {in_of}. */\n\
                 static int scheme_{name}_part({ARGUMENTS}, int part)\n{{\n    \
                 {unused}switch (G->scheme) {{\n{cases}    default:\n        return 0;\n    }}\n}}\n\n\
                 /* All of it. */\nstatic int scheme_{name}({ARGUMENTS})\n{{\n    int fault = 0;\n    \
                 for (int part = 0; part <= G->{name}_cuts && !fault; part++) {{\n        \
                 fault = scheme_{name}_part({CALL}, part);\n    }}\n    return fault;\n}}\n"
            );
        }
        out
    }
}

const ARGUMENTS: &str =
    "const system_t *S, double *W, const stepping_t *G, const double *in, double t, double *state, double *history";
const CALL: &str = "S, W, G, in, t, state, history";

/// A vector of the C.
#[derive(Clone, Debug)]
struct Vector {
    name: String,
    length: Length,
    /// Where it stands.
    place: String,
}

/// A number of the C, under the name that the scheme asked for or one like it.
struct Number {
    name: String,
    asked: String,
    value: f64,
}

/// A name that is not taken: `x`, `x_2`, `x_3`.
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut others = (2..).map(|i| format!("{name}_{i}"));
    if taken(name) { others.find(|n| !taken(n)).unwrap_or_default() } else { name.to_owned() }
}

/// Prints phases instead of running them.
struct Printer {
    dt: f64,
    remembers: bool,
    /// Times are counted: the start of a scheme looks at one row of the inputs only.
    in_step: bool,
    vectors: Vec<Vector>,
    numbers: Vec<Number>,
    looks: Vec<f64>,
    evaluations: Vec<f64>,
    history: [usize; 2],
    scratch: [usize; 2],
    work: Vec<(Work, u64)>,
    /// The parts before this one.
    parts: Vec<String>,
    body: String,
    /// Inside of an iteration: its limits.
    limits: Option<Limits>,
}

impl Printer {
    fn new(dt: f64) -> Self {
        record::start();
        Printer {
            dt,
            remembers: false,
            in_step: false,
            vectors: Vec::new(),
            numbers: Vec::new(),
            looks: Vec::new(),
            evaluations: Vec::new(),
            history: [0; 2],
            scratch: [0; 2],
            work: Vec::new(),
            parts: Vec::new(),
            body: String::new(),
            limits: None,
        }
    }

    /// A line of C.
    fn line(&mut self, text: &str) {
        let depth = if self.limits.is_some() { 2 } else { 1 };
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(depth));
    }

    /// A line of C where there are frames.
    fn framed(&mut self, text: &str) {
        self.body += "#if FRAMES\n";
        self.line(text);
        self.body += "#endif\n";
    }

    /// A call that returns a fault.
    fn check(&mut self, call: &str) {
        let new = !self.body.contains("int fault = ");
        // Inside of an iteration a name is not seen behind it.
        self.line(&format!("{}fault = {call};", if new && self.limits.is_none() { "int " } else { "" }));
        self.line("if (fault) {");
        self.line("    return fault;");
        self.line("}");
    }

    fn works(&mut self, work: Work) {
        let times = self.limits.map_or(1, |l| u64::from(l.iterations));
        self.work.push((work, times));
    }

    /// Vectors at the next places behind `base`; `taken` vectors of each length are there.
    fn vectors<const N: usize>(
        &mut self,
        names: [&'static str; N],
        length: Length,
        base: &str,
        taken: fn(&mut Self) -> &mut [usize; 2],
    ) -> [Vector; N] {
        names.map(|name| {
            let [u, v] = *taken(self);
            taken(self)[length as usize] += 1;
            let name = free(name, |name| self.vectors.iter().any(|v| v.name == name));
            let skip = |count: usize, length: &str| match count {
                0 => String::new(),
                1 => format!(" + {length}"),
                _ => format!(" + {count} * {length}"),
            };
            let vector = Vector { name, length, place: format!("{base}{}{}", skip(u, "n"), skip(v, "m")) };
            self.vectors.push(vector.clone());
            vector
        })
    }

    /// Row of the inputs and time, as arguments of a call.
    fn look(&mut self, time: f64) -> String {
        if !self.in_step {
            return "in, t".to_owned();
        }
        let row = self.looks.iter().position(|t| *t == time).unwrap_or_else(|| {
            self.looks.push(time);
            self.looks.len() - 1
        });
        let t = match time {
            0.0 => "t".to_owned(),
            1.0 => "t + G->dt".to_owned(),
            _ => format!("t + {} * G->dt", self.number("at", time)),
        };
        format!("in + G->row[{row}] * INPUTS, {t}")
    }

    /// The name of a number.
    fn number(&mut self, asked: &str, value: f64) -> String {
        let same = |n: &&Number| n.asked == asked && n.value.to_bits() == value.to_bits();
        if let Some(known) = self.numbers.iter().find(same) {
            return known.name.clone();
        }
        let name = free(asked, |name| self.numbers.iter().any(|n| n.name == name));
        self.numbers.push(Number { name: name.clone(), asked: asked.to_owned(), value });
        name
    }

    /// Ends a part. Its function begins with what it uses.
    fn cut(&mut self) {
        let body = std::mem::take(&mut self.body);
        if body.is_empty() {
            return self.parts.push(body);
        }
        let mut head = String::new();
        for (i, n) in self.numbers.iter().enumerate().filter(|(_, n)| uses(&body, &n.name)) {
            let _ = writeln!(head, "    const double {} = G->numbers[{i}];", n.name);
        }
        for v in self.vectors.iter().filter(|v| uses(&body, &v.name)) {
            let _ = writeln!(head, "    double *{} = {};", v.name, v.place);
        }
        let all = head + &body;
        let lengths = [("m", "    const int m = S->n + S->ns;\n"), ("n", "    const int n = S->n;\n")];
        let lengths: String = lengths.iter().filter(|(name, _)| uses(&all, name)).map(|l| l.1).collect();
        let unused = CALL.split(", ").filter(|a| !uses(&all, a) && !uses(&lengths, a));
        let unused: String = unused.map(|a| format!("    (void){a};\n")).collect();
        self.parts.push(lengths + &unused + &all);
    }

    /// Ends a part without an evaluation.
    fn end(&mut self) {
        if !self.body.is_empty() {
            self.line("return 0;");
        }
        self.cut();
    }

    /// Ends all that was printed of a start or a step.
    fn finish(&mut self) -> Vec<String> {
        self.end();
        self.vectors.clear();
        std::mem::take(&mut self.parts)
    }
}

fn loop_end(length: Length) -> &'static str {
    if length == Length::V { "m" } else { "n" }
}

impl Phases for Printer {
    type Vector = Vector;
    type Number = Rec;

    fn dt(&self) -> f64 {
        self.dt
    }

    fn remembers(&self) -> bool {
        self.remembers
    }

    fn numbers<const N: usize>(&mut self, named: [(&'static str, f64); N]) -> [Rec; N] {
        named.map(|(name, value)| record::named(&self.number(name, value)))
    }

    fn state(&mut self) -> State<Vector> {
        let part = |name: &str, length, place: &str| Vector { name: name.to_owned(), length, place: place.to_owned() };
        let state = State { u: part("u", Length::U, "state"), v: part("v", Length::V, "state + n") };
        self.vectors.extend([state.u.clone(), state.v.clone()]);
        state
    }

    fn history<const N: usize>(&mut self, names: [&'static str; N], length: Length) -> [Vector; N] {
        self.vectors(names, length, "history", |p| &mut p.history)
    }

    fn scratch<const N: usize>(&mut self, names: [&'static str; N], length: Length) -> [Vector; N] {
        self.vectors(names, length, "W + S->at_scheme", |p| &mut p.scratch)
    }

    fn update<const C: usize, const R: usize>(
        &mut self,
        changed: [&mut Vector; C],
        read: [&Vector; R],
        f: impl Fn([Rec; C], [Rec; R]) -> [Rec; C],
    ) {
        let entry = |v: &Vector| record::named(&format!("{}[i]", v.name));
        let new = f(changed.each_ref().map(|v| entry(v)), read.map(entry));
        let outputs: Vec<(&str, Rec)> = changed.iter().map(|v| v.name.as_str()).zip(new).collect();
        let body = record::print_update(&outputs);
        let lengths = || changed.iter().map(|v| v.length).chain(read.iter().map(|v| v.length));
        let length = if lengths().any(|l| l == Length::U) { Length::U } else { Length::V };
        self.line(&format!("for (int i = 0; i < {}; i++) {{", loop_end(length)));
        body.text.lines().for_each(|line| self.line(&format!("    {line}")));
        self.line("}");
        self.works(Work::Update(length, body.operations));
    }

    fn fill(&mut self, x: &mut Vector, value: f64) {
        self.line(&format!("fill({}, {}, {});", x.name, loop_end(x.length), number(value)));
    }

    fn copy(&mut self, from: &Vector, to: &mut Vector) {
        let length = if from.length == Length::U { from.length } else { to.length };
        self.line(&format!("copy({}, {}, {});", to.name, from.name, loop_end(length)));
    }

    fn linearise(&mut self, time: f64, at: &State<Vector>) -> Result<(), Fault> {
        let look = self.look(time);
        self.check(&format!("sys_linearise(S, W, {look}, {u}, {v}, {v} + n)", u = at.u.name, v = at.v.name));
        self.works(Work::Linearise);
        Ok(())
    }

    fn trial(&mut self, trial: bool) {
        self.framed(&format!("W[S->at_moving] = {};", number(f64::from(u8::from(trial)))));
    }

    fn force(
        &mut self,
        time: f64,
        at: &State<Vector>,
        shift: Option<&State<Vector>>,
        f: &mut Vector,
    ) -> Result<(), Fault> {
        let look = self.look(time);
        let shift = shift.map_or("0, 0".to_owned(), |x| format!("{}, {}", x.u.name, x.v.name));
        let arguments = format!("(S, W, {look}, {}, {}, {shift}, {})", at.u.name, at.v.name, f.name);
        self.works(Work::Force);
        if self.limits.is_some() {
            self.check(&format!("scheme_force_begin{arguments}"));
        } else {
            self.line(&format!("return scheme_force_begin{arguments};"));
            self.cut();
            if self.in_step {
                self.evaluations.push(time);
            }
        }
        self.check(&format!("scheme_force_end{arguments}"));
        Ok(())
    }

    fn solve(&mut self, slot: usize, b: &mut Vector) {
        self.line(&format!("sys_solve(S, W, G->slot + {slot}, {b}, {b} + n);", b = b.name));
        self.works(Work::Solve(slot));
    }

    fn mul_mass(&mut self, x: &Vector, y: &mut Vector) {
        self.line(&format!("sys_mul_mass(S, W, {}, {});", x.name, y.name));
        if y.length == Length::V {
            self.line(&format!("copy({} + n, {} + n, m - n);", y.name, x.name));
        }
        self.works(Work::MulMass);
    }

    fn mul_tangent(&mut self, x: &State<Vector>, f: &mut Vector) {
        self.line(&format!("scheme_mul_tangent(S, W, {}, {}, {});", x.u.name, x.v.name, f.name));
        self.works(Work::MulTangent);
    }

    fn drift(&mut self, _: &State<Vector>, _: &mut Vector) -> Result<(), Fault> {
        // Such schemes are refused before they are printed.
        self.line("#error \"the derivatives of the inputs are not known\"");
        Ok(())
    }

    fn iterate(
        &mut self,
        limits: Limits,
        mut phases: impl FnMut(&mut Self) -> Result<Correction, Fault>,
    ) -> Result<(), Fault> {
        let most = limits.iterations;
        // A step may iterate more than once, in one function.
        let again = self.body.contains("double before = ");
        self.line(if again { "done = 0;" } else { "int fault = 0, done = 0;" });
        self.line(if again { "before = INFINITY;" } else { "double before = INFINITY;" });
        self.framed("sys_commit(S, W);");
        self.line("for (int iteration = 0; !done; iteration++) {");
        self.limits = Some(limits);
        self.framed("sys_rewind(S, W);");
        self.line(&format!("if (iteration == {most}) {{"));
        self.line(&format!("    return sys_fault(S, W, FAULT_CONVERGENCE, {most});"));
        self.line("}");
        let result = phases(self);
        self.limits = None;
        self.line("}");
        result.map(|_| ())
    }

    fn measure(&mut self, correction: &Vector, x: &State<Vector>, rate: &Vector) -> Result<Correction, Fault> {
        let tolerance = number(self.limits.map_or(0.0, |l| l.tolerance));
        let [b, u, v, rate] = [correction, &x.u, &x.v, rate].map(|x| &x.name);
        self.check(&format!("scheme_measure(S, W, G->dt, {tolerance}, {b}, {u}, {v}, {rate}, &before, &done)"));
        Ok(Correction::default())
    }
}
