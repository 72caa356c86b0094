//! Inputs: what acts on the structure from outside, at the times at which a step asks for it; and the motions of the model
//! file as C, so that the export can drive itself.

use std::fmt::Write;

use interfield_kernel::Dual;
use interfield_language::integral::Integral;
use interfield_language::model::{Load, Model, Support};
use interfield_language::signal::{Motion, Signal, TimeFunction};

use crate::api::Variable;
use crate::measures;
use crate::record::{self, Rec};
use crate::text::{Tables, number};

/// The inputs of a model.
pub struct Inputs {
    /// Components, in their order.
    pub components: Vec<Variable>,
    /// Names of the motions, each with a scale of its own: loads, then imposed motions.
    pub motions: Vec<String>,
    /// Component of each load.
    pub loads: Vec<usize>,
    /// First of the three components of each imposed degree of freedom.
    pub imposed: Vec<usize>,
    /// C functions of the motions of the model file.
    pub text: String,
    /// Bytes of their tables.
    pub bytes: usize,
}

/// The inputs of a model: one component per load, three per imposed degree of freedom.
pub fn inputs(model: &Model) -> Inputs {
    let mut out = Inputs {
        components: Vec::new(),
        motions: Vec::new(),
        loads: Vec::new(),
        imposed: Vec::new(),
        text: include_str!("../c/signals.c").to_owned(),
        bytes: 0,
    };
    let mut tables = Tables::new("motion");
    let mut functions = String::new();
    let mut calls = String::new();
    for (i, load) in model.loads.iter().enumerate() {
        let (measure, fallback, signal) = match load {
            Load::Ground { direction, signal, .. } => {
                (measures::ground(model, direction), format!("ground.{direction}"), signal)
            }
            Load::Force { dof, signal } => {
                (measures::force(model, *dof), format!("force.{}", model.dofs[*dof].name), signal)
            }
        };
        let mut name = model.load_names.get(i).cloned().unwrap_or(fallback);
        if out.motions.contains(&name) {
            name = format!("{name}.{}", i + 1);
        }
        out.loads.push(out.components.len());
        let at = out.components.len();
        let scale = out.motions.len();
        let _ =
            writeln!(calls, "    x[{at}] = scale[{scale}] * {};", signal_text(i, signal, &mut tables, &mut functions));
        out.components.push(Variable::new(name.clone(), measure, 0.0));
        out.motions.push(name);
    }
    for (d, dof) in model.dofs.iter().enumerate() {
        let Support::Imposed(motion) = &dof.support else { continue };
        let (at, scale) = (out.components.len(), out.motions.len());
        motion_text(scale, motion, &mut tables, &mut functions);
        let _ = writeln!(calls, "    motion_{scale}(t, x + {at});");
        for (k, suffix) in ["", ".v", ".a"].into_iter().enumerate() {
            let _ = writeln!(calls, "    x[{}] *= scale[{scale}];", at + k);
            let name = format!("{}{suffix}", dof.name);
            out.components.push(Variable::new(name, measures::motion(model, d, k as i32), 0.0));
        }
        out.imposed.push(at);
        out.motions.push(dof.name.clone());
    }
    out.bytes = tables.bytes;
    out.text.push('\n');
    out.text.push_str(&tables.text);
    out.text.push_str(&functions);
    let _ = write!(
        out.text,
        "/* The motions of the model file at time t, each times its scale. */\n\
         static void motions(double t, const double *scale, double *x)\n{{\n    (void)t, (void)scale, (void)x;\n{calls}}}\n\n"
    );
    out
}

/// An expression for a signal at `t`.
fn signal_text(i: usize, signal: &Signal, tables: &mut Tables, functions: &mut String) -> String {
    match signal {
        Signal::Constant(x) => number(*x),
        Signal::Harmonic { amplitude, omega, phase, mean } => {
            format!("({} + {} * sin({} * t + {}))", number(*mean), number(*amplitude), number(*omega), number(*phase))
        }
        Signal::Samples { start, dt, values } => {
            let table = tables.numbers(&format!("{i}_values"), values);
            format!("signal_samples({table}, {}, {}, {}, t)", values.len(), number(*start), number(*dt))
        }
        Signal::Points(points) => {
            let times = tables.numbers(&format!("{i}_times"), &points.iter().map(|p| p.0).collect::<Vec<_>>());
            let values = tables.numbers(&format!("{i}_values"), &points.iter().map(|p| p.1).collect::<Vec<_>>());
            format!("signal_points({times}, {values}, {}, t)", points.len())
        }
        Signal::Formula(f) => {
            record::start();
            let value = f.run(record::argument("t"));
            let table = formula(&format!("signal_{i}"), "double t, double *x", &[("x[0]", value)], tables, functions);
            let _ = table;
            format!("signal_{i}_value(t)")
        }
    }
}

/// A recorded function of time. Its numbers are a table beside it.
fn formula(
    name: &str,
    arguments: &str,
    outputs: &[(&str, Rec)],
    tables: &mut Tables,
    functions: &mut String,
) -> String {
    let outputs: Vec<(String, Rec)> = outputs.iter().map(|(n, r)| ((*n).to_owned(), *r)).collect();
    let body = record::print(&outputs);
    let table = tables.numbers(&format!("{name}_c"), &record::constants());
    let _ = writeln!(functions, "static void {name}({arguments})\n{{");
    if body.text.contains("c[") {
        let _ = writeln!(functions, "    const double *c = {table};");
    }
    if !body.text.contains('t') || !uses_time(&body.text) {
        let _ = writeln!(functions, "    (void)t;");
    }
    let _ = writeln!(functions, "{}}}\n", body.text);
    if name.starts_with("signal") {
        let _ = writeln!(
            functions,
            "static double {name}_value(double t)\n{{\n    double x = 0.0;\n    {name}(t, &x);\n    return x;\n}}\n"
        );
    }
    table
}

fn uses_time(body: &str) -> bool {
    body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == "t")
}

/// `static void motion_i(double t, double *x)`: displacement, velocity and acceleration.
fn motion_text(i: usize, motion: &Motion, tables: &mut Tables, functions: &mut String) {
    let head = format!("static void motion_{i}(double t, double *x)\n{{\n");
    match motion {
        Motion::Harmonic { amplitude, omega, phase, mean } => {
            let _ = write!(
                functions,
                "{head}    const double a = {}, w = {}, s = sin(w * t + {p}), c = cos(w * t + {p});\n\
                 \x20   x[0] = {} + a * s;\n    x[1] = a * w * c;\n    x[2] = -a * w * w * s;\n}}\n\n",
                number(*amplitude),
                number(*omega),
                number(*mean),
                p = number(*phase),
            );
        }
        Motion::HarmonicAcceleration { amplitude, omega, phase, mean } => {
            let _ = write!(
                functions,
                "{head}    const double a = {}, w = {}, p = {}, m = {};\n\
                 \x20   const double s = sin(w * t + p), c = cos(w * t + p), s0 = sin(p), c0 = cos(p), v = a / w, u = a / (w * w);\n\
                 \x20   x[0] = u * (s0 - s) + (v * c0 + 0.5 * m * t) * t;\n    x[1] = v * (c0 - c) + m * t;\n    x[2] = a * s + m;\n}}\n\n",
                number(*amplitude),
                number(*omega),
                number(*phase),
                number(*mean),
            );
        }
        Motion::Formula(f) => formula_motion(i, f, tables, functions),
        Motion::FormulaAcceleration(integral) => {
            record::start();
            let value = integral.acceleration().run(record::argument("t"));
            let name = format!("signal_motion_{i}");
            formula(&name, "double t, double *x", &[("x[0]", value)], tables, functions);
            let flat: Vec<f64> = integral.starts().iter().flatten().copied().collect();
            let starts = tables.numbers(&format!("{i}_starts"), &flat);
            let rule: Vec<f64> = Integral::rule().iter().flat_map(|&(x, w)| [x, w]).collect();
            let gauss = tables.numbers(&format!("{i}_gauss"), &rule);
            let _ = write!(
                functions,
                "{head}    motion_integral({name}_value, {starts}, {}, {gauss}, {}, t, x);\n}}\n\n",
                integral.starts().len(),
                Integral::rule().len()
            );
        }
        Motion::Cubic { times, pieces } => {
            let at = tables.numbers(&format!("{i}_cubic_times"), times);
            let flat: Vec<f64> = pieces.iter().flatten().copied().collect();
            let piece = tables.numbers(&format!("{i}_cubic"), &flat);
            let _ = write!(
                functions,
                "{head}    motion_cubic({at}, {}, {piece}, {}, t, x);\n}}\n\n",
                times.len(),
                pieces.len()
            );
        }
    }
}

fn formula_motion(i: usize, f: &TimeFunction, tables: &mut Tables, functions: &mut String) {
    record::start();
    let t = record::argument("t");
    let (zero, one) =
        (<Rec as interfield_kernel::Scalar>::constant(0.0), <Rec as interfield_kernel::Scalar>::constant(1.0));
    let twice = Dual { re: Dual { re: t, eps: one }, eps: Dual { re: one, eps: zero } };
    let y = f.run(twice);
    let outputs = [("x[0]", y.re.re), ("x[1]", y.re.eps), ("x[2]", y.eps.eps)];
    formula(&format!("motion_{i}"), "double t, double *x", &outputs, tables, functions);
}
