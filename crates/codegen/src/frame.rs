//! Parts of nonlinear frames as C functions: springs, bars, members and bearings are run once over the recording scalar. What they ask
//! of their fibres becomes a call of a loop over them, whose body is recorded too.
//!
//! **Must not be here:** the equations of a material, a section or a member.

use std::cell::RefCell;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use interfield_kernel::frame::fibres::{LANES, padded};
use interfield_kernel::frame::matrix::{Matrix, zeros};
use interfield_kernel::frame::part::{At, Part};
use interfield_kernel::frame::section::bending;
use interfield_kernel::frame::transformation::{TRIADS, Transformation, Turned, corotated};
use interfield_kernel::frame::{Evaluate, Tables};
use interfield_kernel::portable::asin;
use interfield_kernel::uniaxial::combined::Library;
use interfield_kernel::uniaxial::material::{Material, Visitor};
use interfield_kernel::uniaxial::{Pace, Uniaxial};
use interfield_kernel::{Dual, Scalar};
use interfield_language::model::{FramePart, Sections};

use crate::record::{self, Operations, Rec};
use crate::text::{Tables as Constants, uses};

/// A part with its numbers.
#[derive(Clone, Debug)]
pub(crate) struct RecordedPart {
    /// Number of its function.
    pub(crate) function: usize,
    /// Its numbers.
    pub(crate) constants: Vec<f64>,
    /// Its fibres: per call first group, number of groups, and where their histories begin in what it remembers.
    pub(crate) fibres: Vec<usize>,
}

#[derive(Clone, PartialEq)]
struct Function {
    force: String,
    tangent: String,
    cost: [Operations; 2],
}

/// The loop over the fibres of a group, with as many levers as the section has: its body and its numbers.
#[derive(Clone)]
struct Loop {
    function: usize,
    constant0: usize,
    cost: Operations,
}

/// All parts of frames of an export.
#[derive(Default)]
pub(crate) struct Frames {
    sections: Option<Arc<Sections>>,
    parts: Vec<Function>,
    /// Bodies of loops by the number of levers, two or three; and the loops of all groups.
    bodies: [Vec<String>; 2],
    loops: [Vec<Loop>; 2],
    constants: Vec<f64>,
    /// Derivatives of a corotational member in space, if there is one: see `frame_turned` in frame.c.
    corotated: [String; 2],
}

/// What a part asks for while it is recorded.
struct Recorder<'a> {
    tables: Tables<'a>,
    /// Cost of a call for the fibres of a group.
    costs: [Vec<Operations>; 2],
    /// Numbers of a corotational member in space.
    corotated: Vec<f64>,
    fibres: RefCell<Vec<usize>>,
    /// Ranges of the memory that calls write.
    written: RefCell<Vec<Range<usize>>>,
}

impl Evaluate<Rec> for Recorder<'_> {
    fn tables(&self) -> &Tables<'_> {
        &self.tables
    }

    fn fibres<const N: usize>(
        &self,
        groups: Range<usize>,
        (memory, _): (&[Rec], &mut [Rec]),
        e: &[Rec; N],
        _: Rec,
    ) -> ([Rec; N], Matrix<N, Rec>) {
        let levers = bending(N);
        let first = memory.first().and_then(|m| record::place("m", *m)).unwrap_or(0);
        self.written.borrow_mut().push(first..first + memory.len());
        let call = [groups.start, groups.len(), first];
        let mut known = self.fibres.borrow_mut();
        let number = known.chunks(3).position(|c| *c == call).unwrap_or_else(|| {
            known.extend(call);
            known.len() / 3 - 1
        });
        let cost = self.costs[levers - 2][groups].iter().fold(Operations::default(), |sum, c| sum + *c);
        let text = format!("fibres_{levers}(F + {}, m, n, {{in}}, t, {{out}})", 3 * number);
        let out = record::call(text, &e[..levers], results(levers), cost);
        let (mut s, mut k) = ([Rec::constant(0.0); N], zeros());
        let mut lower = out[levers..].iter();
        for i in 0..levers {
            s[i] = out[i];
            for j in 0..=i {
                let kij = *lower.next().unwrap_or(&out[0]);
                (k[i][j], k[j][i]) = (kij, kij);
            }
        }
        (s, k)
    }

    fn advance(
        &self,
        material: &Material,
        history: &dyn Fn(usize) -> Rec,
        e: Dual<Rec>,
        pace: &Pace<Dual<Rec>>,
        keep: &mut dyn FnMut(usize, Rec),
    ) -> Dual<Rec> {
        material.advance(&self.tables.library, history, e, pace, keep)
    }

    fn exp(&self, x: Rec) -> Rec {
        x.exp()
    }

    fn power(&self, x: Rec, n: f64) -> Rec {
        x.powf(n)
    }

    fn turned(&self, _: f64, x: &[Rec; 9], memory: &[Rec]) -> Turned<Rec> {
        let numbers = self.corotated.iter().map(|c| Rec::constant(*c));
        let arguments: Vec<Rec> = x.iter().chain(&memory[..TRIADS]).copied().chain(numbers).collect();
        let out = record::call("frame_turned({in}, {out})".to_owned(), &arguments, 554, Operations::default());
        let at = |i: usize| out[i];
        Turned {
            v: std::array::from_fn(at),
            first: std::array::from_fn(|k| std::array::from_fn(|j| at(6 + 9 * k + j))),
            second: std::array::from_fn(|k| {
                std::array::from_fn(|i| std::array::from_fn(|j| at(60 + 81 * k + 9 * i + j)))
            }),
            ends: std::array::from_fn(|i| at(546 + i)),
        }
    }
}

/// Forces, and the lower triangle of the stiffness.
const fn results(levers: usize) -> usize {
    levers + levers * (levers + 1) / 2
}

impl Frames {
    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Records a part; `calm` is the rate below which viscous forces are linear.
    pub(crate) fn record(&mut self, frame: &FramePart, calm: f64) -> RecordedPart {
        if self.sections.is_none() {
            self.record_loops(&frame.sections);
            self.sections = Some(frame.sections.clone());
        }
        let tables = frame.sections.tables();
        let recorder = Recorder {
            costs: self.loops.each_ref().map(|l| l.iter().map(|l| l.cost).collect()),
            corotated: self.record_corotated(&frame.part),
            tables,
            fibres: RefCell::default(),
            written: RefCell::default(),
        };
        record::start_portable();
        let (d, len) = (frame.part.size(), frame.part.memory(&tables));
        let inputs = |letter, n| (0..n).map(|i| record::input(letter, i)).collect::<Vec<Rec>>();
        let (q, v, memory) = (inputs("q", d), inputs("v", d), inputs("m", len));
        let at = At { t: record::argument("t"), q: &q, v: &v, calm, load: frame.load };
        let nil = Rec::constant(0.0);
        let (mut next, mut p, mut k, mut c) = (memory.clone(), vec![nil; d], vec![nil; d * d], vec![nil; d * d]);
        frame.part.respond(&recorder, (&memory, &mut next), at, &mut p, &mut k);
        frame.part.damping(&recorder, &memory, at, &mut c);
        let named = |letter: &str, x: &[Rec]| -> Vec<(String, Rec)> {
            x.iter().enumerate().map(|(i, r)| (format!("{letter}[{i}]"), *r)).collect()
        };
        let written = recorder.written.into_inner();
        let own = named("n", &next).into_iter().enumerate().filter(|(i, _)| !written.iter().any(|w| w.contains(i)));
        let force = record::print(&[own.map(|o| o.1).collect(), named("p", &p)].concat());
        let tangent = record::print(&named("out", &[k, c].concat()));
        let function =
            Function { force: force.text, tangent: tangent.text, cost: [force.operations, tangent.operations] };
        let known = self.parts.iter().position(|f| *f == function);
        RecordedPart {
            function: known.unwrap_or_else(|| {
                self.parts.push(function);
                self.parts.len() - 1
            }),
            constants: record::constants(),
            fibres: recorder.fibres.into_inner(),
        }
    }

    /// The loops over the fibres of all groups.
    fn record_loops(&mut self, sections: &Sections) {
        let tables = sections.tables();
        for group in tables.groups {
            for levers in [2, 3] {
                let (body, constants, cost) = fibre_body(&group.material, &tables.library, levers);
                let bodies = &mut self.bodies[levers - 2];
                let function = bodies.iter().position(|b| *b == body).unwrap_or_else(|| {
                    bodies.push(body);
                    bodies.len() - 1
                });
                let cost = cost.times(group.count as u64);
                self.loops[levers - 2].push(Loop { function, constant0: self.constants.len(), cost });
                self.constants.extend(constants);
            }
        }
    }

    /// Deformations of a corotational member in space with derivatives along two directions; its numbers.
    fn record_corotated(&mut self, part: &Part) -> Vec<f64> {
        let Part::Space(member, Transformation::Corotational) = part else { return Vec::new() };
        record::start_portable();
        let nil = Rec::constant(0.0);
        let at = std::array::from_fn(|i| Dual {
            re: Dual { re: record::input("x", i), eps: record::input("d", i) },
            eps: Dual { re: record::input("b", i), eps: nil },
        });
        let fixed = |re: Rec| Dual { re: Dual { re, eps: nil }, eps: Dual { re: nil, eps: nil } };
        let memory = std::array::from_fn(|i| fixed(record::input("m", i)));
        let (v, ends) = corotated(member.length, &at, &memory);
        let named = |i: usize, r: Rec| (format!("out[{i}]"), r);
        let all = v.into_iter().enumerate();
        let all = all.flat_map(|(i, v)| [named(i, v.re.re), named(6 + i, v.re.eps), named(12 + i, v.eps.eps)]);
        let derivatives = record::print(&all.collect::<Vec<_>>()).text;
        let ends = ends.into_iter().enumerate().map(|(i, end)| named(i, end.re.re));
        let ends = record::print(&ends.collect::<Vec<_>>()).text;
        self.corotated = [derivatives, ends];
        record::constants()
    }

    /// What the force and the tangent of a part cost.
    pub(crate) fn cost(&self, part: usize) -> [Operations; 2] {
        self.parts[part].cost
    }

    /// Tables of the fibres, the loops over them, and the functions of the parts with the switches that call them by number.
    pub(crate) fn print(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut out = include_str!("../c/portable.c").to_owned() + "\n";
        out += &asin_text();
        out += &self.tables();
        for levers in [2, 3] {
            out += &self.print_loops(levers);
        }
        if !self.corotated[0].is_empty() {
            out += &self.print_turned();
        }
        let mut switches = [String::new(), String::new()];
        for (i, f) in self.parts.iter().enumerate() {
            for (kind, body) in [&f.force, &f.tangent].into_iter().enumerate() {
                let (suffix, arguments, call) = SIGNATURES[kind];
                let _ = writeln!(out, "static void part_{i}{suffix}({arguments})\n{{");
                for argument in call.split(", ").filter(|a| !uses(body, a)) {
                    let _ = writeln!(out, "    (void){argument};");
                }
                let _ = writeln!(out, "{body}}}\n");
                let _ = writeln!(switches[kind], "    case {i}:\n        part_{i}{suffix}({call});\n        break;");
            }
        }
        for (kind, cases) in switches.iter().enumerate() {
            let name = ["part_force", "part_stiffness"][kind];
            let _ = writeln!(
                out,
                "static void {name}(int part, {})\n{{\n    switch (part) {{\n{cases}    default:\n        break;\n    }}\n}}\n",
                SIGNATURES[kind].1
            );
        }
        out
    }

    fn tables(&self) -> String {
        let Some(sections) = &self.sections else { return String::new() };
        let mut t = Constants::new("");
        let tables = sections.tables();
        t.numbers("FIBRE_Y", tables.y);
        t.numbers("FIBRE_Z", tables.z);
        t.numbers("FIBRE_AREA", tables.area);
        t.numbers("MATERIAL_NUMBERS", if self.constants.is_empty() { &[0.0] } else { &self.constants });
        let entry = |(i, g): (usize, &interfield_kernel::frame::Group)| {
            let [a, b] = [&self.loops[0][i], &self.loops[1][i]];
            let (stride, history) = (padded(g.count), g.history());
            format!(
                "{{{}, {}, {stride}, {history}, {{{}, {}}}, {{{}, {}}}}}",
                g.first, g.count, a.function, b.function, a.constant0, b.constant0
            )
        };
        t.table("group_t", "GROUPS", tables.groups.iter().enumerate().map(entry));
        format!(
            "/* Fibres of one material in a section: the first of them, how many, places of a column of their histories and of all, and\n   \
             per number of levers their loop and its numbers. */\n\
             typedef struct {{\n    int first, count, stride, history, loop[2], numbers[2];\n}} group_t;\n\n{}",
            t.text
        )
    }

    fn print_loops(&self, levers: usize) -> String {
        let (bodies, mut out, mut cases) = (&self.bodies[levers - 2], String::new(), String::new());
        let count = results(levers);
        for (i, body) in bodies.iter().enumerate() {
            let _ = writeln!(
                out,
                "static void loop_{levers}_{i}(const group_t *G, const double *c, const double *h, double *next, const double *e, double t, double *sums)\n{{\n    \
                 const double *y = FIBRE_Y + G->first, *z = FIBRE_Z + G->first, *area = FIBRE_AREA + G->first;\n    \
                 const int stride = G->stride;\n    \
                 (void)c, (void)h, (void)next, (void)t, (void)z, (void)stride;\n    \
                 for (int i = 0; i < G->count; i++) {{\n        double a[{count}];\n{}        \
                 for (int k = 0; k < {count}; k++) {{\n            sums[{LANES} * k + i % {LANES}] += a[k];\n        }}\n    }}\n}}\n",
                body.replace("    ", "        ")
            );
            let _ = writeln!(
                cases,
                "        case {i}:\n            loop_{levers}_{i}(G, c, h, next, e, t, sums);\n            break;"
            );
        }
        let sum = "((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]))";
        let _ = writeln!(
            out,
            "/* Forces and the lower triangle of the stiffness of groups of fibres at the strains e; f: first group, number of groups, place\n   \
             of their histories. The sum of each eighth fibre is taken by itself. */\n\
             static void fibres_{levers}(const int *f, const double *m, double *n, const double *e, double t, double *out)\n{{\n    \
             double sums[{}] = {{0.0}};\n    const double *h = m + f[2];\n    double *next = n + f[2];\n    \
             for (int g = f[0]; g < f[0] + f[1]; g++) {{\n        const group_t *G = GROUPS + g;\n        \
             const double *c = MATERIAL_NUMBERS + G->numbers[{}];\n        \
             switch (G->loop[{}]) {{\n{cases}        default:\n            break;\n        }}\n        \
             h += G->history;\n        next += G->history;\n    }}\n    \
             for (int k = 0; k < {count}; k++) {{\n        const double *x = sums + {LANES} * k;\n        out[k] = {sum};\n    }}\n}}\n",
            LANES * count,
            levers - 2,
            levers - 2,
        );
        out
    }

    fn print_turned(&self) -> String {
        let [derivatives, ends] = &self.corotated;
        let c = |body: &str| if uses(body, "c") { "" } else { "    (void)c;\n" };
        format!(
            "static void corotated(const double *c, const double *x, const double *m, const double *d, const double *b, double *out)\n{{\n{}{derivatives}}}\n\n\
             static void corotated_ends(const double *c, const double *x, const double *m, double *out)\n{{\n{}{ends}}}\n\n{}\n",
            c(derivatives),
            c(ends),
            include_str!("../c/turned.c")
        )
    }
}

/// Suffix, parameters and arguments of the functions of a part.
const SIGNATURES: [(&str, &str, &str); 2] = [
    (
        "",
        "const double *c, const int *F, double t, const double *q, const double *v, const double *m, double *n, double *p",
        "c, F, t, q, v, m, n, p",
    ),
    (
        "_stiffness",
        "const double *c, const int *F, double t, const double *q, const double *v, const double *m, double *n, double *out",
        "c, F, t, q, v, m, n, out",
    ),
];

/// What is done for one fibre of a section with these levers, as `interfield_kernel::frame::fibres` does it for eight: statements over `i`,
/// numbers, cost.
fn fibre_body(material: &Material, library: &Library<'_>, levers: usize) -> (String, Vec<f64>, Operations) {
    record::start_portable();
    let [y, z, area] = ["y[i]", "z[i]", "area[i]"].map(record::named);
    let e = |i: usize| record::input("e", i);
    let mut strain = e(0) - y * e(1);
    if levers == 3 {
        strain = strain + z * e(2);
    }
    let Answer { stress, tangent, reached } = material.show(Fibre { strain, t: record::argument("t"), library });
    let (force, stiffness) = (stress * area, tangent * area);
    let lever = [Rec::constant(1.0), -y, z];
    let forces = (0..levers).map(|i| force * lever[i]);
    let lower = (0..levers).flat_map(|i| (0..=i).map(move |j| stiffness * lever[i] * lever[j]));
    let sums = forces.chain(lower).enumerate().map(|(i, r)| (format!("a[{i}]"), r));
    let next = reached.into_iter().enumerate().map(|(j, r)| (column("next", j), r));
    let body = record::print(&next.chain(sums).collect::<Vec<_>>());
    (body.text, record::constants(), body.operations)
}

/// The number of fibre `i` in a column of the histories.
fn column(array: &str, j: usize) -> String {
    match j {
        0 => format!("{array}[i]"),
        1 => format!("{array}[i + stride]"),
        _ => format!("{array}[i + {j} * stride]"),
    }
}

fn before(j: usize) -> Rec {
    record::named(&column("h", j))
}

/// A fibre that is recorded.
struct Fibre<'a> {
    strain: Rec,
    t: Rec,
    library: &'a Library<'a>,
}

struct Answer {
    stress: Rec,
    tangent: Rec,
    reached: Vec<Rec>,
}

impl Visitor for Fibre<'_> {
    type Answer = Answer;

    fn visit<const H: usize>(self, law: &impl Uniaxial<H>) -> Answer {
        let pace = Pace { t: self.t, rate: None, calm: 0.0 };
        let (stress, tangent, reached) = law.respond(&std::array::from_fn(before), self.strain, &pace);
        Answer { stress, tangent, reached: reached.to_vec() }
    }

    fn visit_made(self, made: &Material) -> Answer {
        let pace = Pace { t: self.t, rate: None, calm: 0.0 }.fixed();
        let strain = Dual { re: self.strain, eps: Rec::constant(1.0) };
        let mut reached = vec![Rec::constant(0.0); made.history()];
        let s = made.advance(self.library, before, strain, &pace, |j, x| reached[j] = x);
        Answer { stress: s.re, tangent: s.eps, reached }
    }
}

/// The inverse sine of our own.
fn asin_text() -> String {
    record::start_portable();
    let value = asin(record::argument("x"));
    let body = record::print(&[("const double y".to_owned(), value)]).text;
    let mut t = Constants::new("");
    t.numbers("ASIN", &record::constants());
    format!(
        "{}static double portable_asin(double x)\n{{\n    const double *c = ASIN;\n{body}    return y;\n}}\n\n",
        t.text
    )
}
