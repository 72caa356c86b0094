//! Laws as C functions: each element is run once over the recording scalar, and elements whose recordings differ in their
//! numbers only share one function.

use std::fmt::Write;

use interfield_kernel::element::AnyLaw;
use interfield_kernel::element::block::Block;
use interfield_kernel::element::path::PathLaw;
use interfield_kernel::{Dual, Scalar};
use interfield_structure::assembled::Stored;

use crate::frame::Frames;
use crate::record::{self, Operations, Rec};
use crate::text::{number, uses};

/// What of a law is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Forces and rates; a path-moved law: the force and the variable after moving to `q[0]` from `s[0]`, `s[1]`.
    Force,
    /// The exact tangent too.
    Tangent,
    /// The force of a path-moved law where it stands, `q[0]` and `s[0]`.
    Standing,
}

/// A law with its numbers.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Number of its function.
    pub law: usize,
    /// Its numbers.
    pub constants: Vec<f64>,
    /// Of a part of a frame: its fibres, three numbers per group that it asks for.
    pub fibres: Vec<usize>,
}

#[derive(Default, PartialEq)]
struct Function {
    force: String,
    tangent: String,
    mass: String,
    cost: [Operations; 3],
}

/// All laws of an export.
#[derive(Default)]
pub struct Laws {
    functions: Vec<Function>,
    pub(crate) frames: Frames,
}

/// Records what is wanted of a law: its function and its numbers.
fn recorded(law: &Stored, want: Want) -> (Function, Vec<f64>) {
    let (d, s, massive) = law.shape();
    record::start();
    let t = record::argument("t");
    let inputs = |letter, n| (0..n).map(|i| record::input(letter, i)).collect::<Vec<Rec>>();
    let (q, v) = (inputs("q", d), inputs("v", d));
    let zero = Rec::constant(0.0);
    let (mut p, mut g) = (vec![zero; d], vec![zero; s]);
    let mut function = Function::default();
    match (law, want) {
        (Stored::Path(path), Want::Standing) => {
            p[0] = path.force([q[0], record::input("s", 0)]);
        }
        (Stored::Path(path), _) => {
            let moved = path.step([record::input("s", 0), record::input("s", 1)], q[0]);
            p[0] = path.force(moved);
            g.push(moved[1]);
        }
        _ => evaluate(law, t, &q, &v, &inputs("s", s), &mut p, &mut g),
    }
    let named = |letter: &str, x: &[Rec]| -> Vec<(String, Rec)> {
        x.iter().enumerate().map(|(i, r)| (format!("{letter}[{i}]"), *r)).collect()
    };
    let body = record::print(&[named("p", &p), named("g", &g)].concat());
    (function.force, function.cost[0]) = (body.text, body.operations);
    if want == Want::Tangent {
        let body = record::print(&tangent(law, t, &q, &v, &inputs("s", s), &inputs("acc", d)));
        (function.tangent, function.cost[1]) = (body.text, body.operations);
    }
    if massive {
        let mut m = vec![zero; d * d];
        mass(law, &q, &mut m);
        let body = record::print(&named("m", &m));
        (function.mass, function.cost[2]) = (body.text, body.operations);
    }
    (function, record::constants())
}

/// What a number of a recorded law is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A parameter.
    Parameter,
    /// The strength that follows from the parameters.
    Strength,
    /// The same with the other sign.
    MinusStrength,
}

/// Which numbers of a recorded law parameter `j` decides, and how: those that follow it when it changes, while nothing else
/// does. Empty if the parameter acts in any other way.
pub fn places_of(law: &AnyLaw, path: bool, j: usize, want: Want) -> Vec<(usize, Number)> {
    let stored = |law: AnyLaw| PathLaw::of(&law).filter(|_| path).map_or(Stored::Law(law), Stored::Path);
    let (value, moved, other) = law.with_parameters(|p| {
        let mut p = p.to_vec();
        let value = p[j];
        p[j] = if value == 0.0 { 0.125 } else { value * (1.0 + 1.0 / 1024.0) };
        (value, p[j], AnyLaw::new(law.info().name, &p))
    });
    let Some(other) = other else { return Vec::new() };
    let ((f, before), (g, after)) = (recorded(&stored(*law), want), recorded(&stored(other), want));
    if f != g || before.len() != after.len() {
        return Vec::new();
    }
    let strengths = [law, &other].map(|law| law.with_parameters(|p| law.strength(p)));
    let number = |i: usize| match (before[i], after[i], strengths) {
        (x, y, _) if x == value && y == moved => Some(Number::Parameter),
        (x, y, [Some(a), Some(b)]) if x == a && y == b => Some(Number::Strength),
        (x, y, [Some(a), Some(b)]) if x == -a && y == -b => Some(Number::MinusStrength),
        _ => None,
    };
    // A strength without bound stays one when a parameter changes a little.
    let decided = |i: &usize| before[*i].to_bits() != after[*i].to_bits() || before[*i].abs() == f64::MAX;
    let places: Option<Vec<_>> = (0..before.len()).filter(decided).map(|i| Some((i, number(i)?))).collect();
    places.unwrap_or_default()
}

/// Statements that compute the strength of a law from its parameters, each a C expression, and put it to these places of
/// `self->work`.
pub fn strength_setting(law: &AnyLaw, parameters: &[String], places: &[(usize, Number)]) -> String {
    record::start();
    let inputs: Vec<Rec> = (0..parameters.len()).map(|i| record::input("p", i)).collect();
    let Some(strength) = law.strength(&inputs).filter(|_| !places.is_empty()) else { return String::new() };
    let output = |&(place, number): &(usize, Number)| {
        (format!("self->work[{place}]"), if number == Number::MinusStrength { -strength } else { strength })
    };
    let body = record::print(&places.iter().map(output).collect::<Vec<_>>()).text.replace("    ", "        ");
    let constants: Vec<String> = record::constants().into_iter().map(number).collect();
    let table =
        |name: &str, entries: &[String]| format!("        const double {name}[] = {{{}}};\n", entries.join(", "));
    format!("    {{\n{}{}{body}    }}\n", table("p", parameters), table("c", &constants))
}

impl Laws {
    /// Records a law, or a part of a frame whose viscous forces are linear below the rate `calm`.
    pub fn record(&mut self, law: &Stored, want: Want, calm: f64) -> Recorded {
        if let Stored::Frame(frame) = law {
            let part = self.frames.record(frame, calm);
            return Recorded { law: part.function, constants: part.constants, fibres: part.fibres };
        }
        let (function, constants) = recorded(law, want);
        let law = self.functions.iter().position(|f| *f == function).unwrap_or_else(|| {
            self.functions.push(function);
            self.functions.len() - 1
        });
        Recorded { law, constants, fibres: Vec::new() }
    }

    /// What one evaluation, one tangent and one mass matrix of a law cost.
    pub fn cost(&self, law: usize) -> [Operations; 3] {
        self.functions[law].cost
    }

    /// The same of an element.
    pub fn cost_of(&self, element: &Stored, law: usize) -> [Operations; 3] {
        match element {
            Stored::Frame(_) => {
                let [force, tangent] = self.frames.cost(law);
                [force, tangent, Operations::default()]
            }
            _ => self.cost(law),
        }
    }

    /// The functions, and the switches that call them by number.
    pub fn print(&self) -> String {
        let mut out = String::new();
        let mut switches = [String::new(), String::new(), String::new()];
        for (i, f) in self.functions.iter().enumerate() {
            for (kind, body) in [&f.force, &f.tangent, &f.mass].into_iter().enumerate() {
                if body.is_empty() {
                    continue;
                }
                let (suffix, arguments, call) = SIGNATURES[kind];
                let _ = writeln!(out, "static void law_{i}{suffix}({arguments})\n{{");
                for argument in call.split(", ").filter(|a| !uses(body, a)) {
                    let _ = writeln!(out, "    (void){argument};");
                }
                let _ = writeln!(out, "{body}}}\n");
                let _ = writeln!(switches[kind], "    case {i}:\n        law_{i}{suffix}({call});\n        break;");
            }
        }
        for (kind, cases) in switches.iter().enumerate() {
            let (_, arguments, call) = SIGNATURES[kind];
            let name = ["law_force", "law_tangent", "law_mass"][kind];
            let _ = writeln!(out, "static void {name}(int law, {arguments})\n{{");
            if cases.is_empty() {
                call.split(", ").for_each(|a| {
                    let _ = writeln!(out, "    (void){a};");
                });
            }
            let _ = writeln!(out, "    switch (law) {{\n{cases}    default:\n        break;\n    }}\n}}\n");
        }
        out
    }
}

/// Suffix, parameters and arguments of the three functions of a law.
const SIGNATURES: [(&str, &str, &str); 3] = [
    (
        "",
        "const double *c, double t, const double *q, const double *v, const double *s, double *p, double *g",
        "c, t, q, v, s, p, g",
    ),
    (
        "_tangent",
        "const double *c, double t, const double *q, const double *v, const double *s, const double *acc, double *out",
        "c, t, q, v, s, acc, out",
    ),
    ("_mass", "const double *c, const double *q, double *m", "c, q, m"),
];

/// Forces and rates of a law in any scalar.
fn evaluate<T: Scalar>(law: &Stored, t: T, q: &[T], v: &[T], s: &[T], p: &mut [T], g: &mut [T]) {
    match law {
        // No law of the catalogue depends on time.
        Stored::Law(law) => law.evaluate(0.0, q, v, s, p, g),
        Stored::Formula(formula) => formula.evaluate(t, q, v, s, p, g),
        Stored::Block(x) => {
            Block { coordinates: x.inputs, states: x.states, a: &x.a, b: &x.b, bv: &x.bv, c: &x.c, d: &x.d, dv: &x.dv }
                .evaluate(q, v, s, p, g)
        }
        Stored::Path(path) => p[0] = path.force(path.step([T::constant(0.0); 2], q[0])),
        // Recorded by itself, see `frame.rs`.
        Stored::Frame(_) => p.fill(T::constant(f64::NAN)),
    }
}

fn mass<T: Scalar>(law: &Stored, q: &[T], m: &mut [T]) {
    if let Stored::Law(law) = law {
        law.evaluate_mass(q, m);
    }
}

/// The tangent blocks [K C R A B E], one derivative at a time as the loop takes them; K contains d(M(q) acc)/dq.
fn tangent(law: &Stored, t: Rec, q: &[Rec], v: &[Rec], s: &[Rec], acc: &[Rec]) -> Vec<(String, Rec)> {
    let (d, ns, massive) = law.shape();
    let (zero, one) = (Rec::constant(0.0), Rec::constant(1.0));
    let lift = |x: &[Rec]| x.iter().map(|x| Dual { re: *x, eps: zero }).collect::<Vec<_>>();
    let (mut q, mut v, mut s) = (lift(q), lift(v), lift(s));
    let time = Dual { re: t, eps: zero };
    let mut out = vec![zero; 2 * d * d + 3 * d * ns + ns * ns];
    // Starts of the blocks of p and g, and their widths, by what is varied.
    let blocks =
        [(0, 2 * d * d + d * ns, d), (d * d, 2 * d * d + 2 * d * ns, d), (2 * d * d, 2 * d * d + 3 * d * ns, ns)];
    for (varied, (of_p, of_g, width)) in blocks.into_iter().enumerate() {
        for j in 0..width {
            let vary = |q: &mut [Dual<Rec>], v: &mut [Dual<Rec>], s: &mut [Dual<Rec>], eps: Rec| match varied {
                0 => q[j].eps = eps,
                1 => v[j].eps = eps,
                _ => s[j].eps = eps,
            };
            vary(&mut q, &mut v, &mut s, one);
            let none = Dual { re: zero, eps: zero };
            let (mut p, mut g) = (vec![none; d], vec![none; ns]);
            evaluate(law, time, &q, &v, &s, &mut p, &mut g);
            if massive {
                let mut m = vec![none; d * d];
                mass(law, &q, &mut m);
                for i in 0..d {
                    for l in 0..d {
                        p[i] = p[i] + m[i * d + l] * Dual { re: acc[l], eps: zero };
                    }
                }
            }
            vary(&mut q, &mut v, &mut s, zero);
            for i in 0..d {
                out[of_p + i * width + j] = p[i].eps;
            }
            for i in 0..ns {
                out[of_g + i * width + j] = g[i].eps;
            }
        }
    }
    out.into_iter().enumerate().map(|(i, r)| (format!("out[{i}]"), r)).collect()
}
