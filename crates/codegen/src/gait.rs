//! A scheme with its step as a constant table, and the switch between the families that an export uses.

use std::fmt::Write;

use interfield_kernel::scheme::alpha::{Alpha, Predictor};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Dims, Scheme};

use crate::text::number;

/// A scheme with its step.
#[derive(Clone, Copy, Debug)]
pub struct Gait {
    /// Scheme.
    pub scheme: AnyScheme,
    /// Step, s.
    pub dt: f64,
    /// Slot of its first operator.
    pub slot: usize,
}

/// Families of schemes, each with its C file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Family {
    Alpha,
    Rosenbrock,
    Chang,
    Splitting,
    StateSpace,
    Newton,
}

impl Family {
    /// Of a scheme.
    pub fn of(scheme: &AnyScheme) -> Self {
        match scheme {
            AnyScheme::Rosenbrock(_) => Family::Rosenbrock,
            AnyScheme::Alpha(_) => Family::Alpha,
            AnyScheme::Newton(_) => Family::Newton,
            // Refused before: see `printed`.
            AnyScheme::ModelBased(_) | AnyScheme::Composite(_) | AnyScheme::Iterated(_) => Family::Newton,
            AnyScheme::Chang(_) => Family::Chang,
            AnyScheme::Splitting(_) => Family::Splitting,
            AnyScheme::StateSpace(_) => Family::StateSpace,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Family::Alpha => include_str!("../c/scheme_alpha.c"),
            Family::Rosenbrock => include_str!("../c/scheme_rosenbrock.c"),
            Family::Chang => include_str!("../c/scheme_chang.c"),
            Family::Splitting => include_str!("../c/scheme_splitting.c"),
            Family::StateSpace => include_str!("../c/scheme_state_space.c"),
            Family::Newton => include_str!("../c/scheme_newton.c"),
        }
    }

    /// Calls that start it (up to the measured forces, and from there), aim a stage and settle it. Newton's method has no
    /// stages, a Rosenbrock method no start.
    fn calls(self) -> [&'static str; 4] {
        const BEGIN: &str = "sys_rates_begin(S, W, in, t, y, h, h + S->n)";
        const END: &str = "sys_rates_end(S, W, G->slot, in, t, y, h, h + S->n)";
        match self {
            Family::Alpha => [BEGIN, END, "alpha_aim(S, W, G, in, t, y, h)", "alpha_settle(S, W, G, y, h)"],
            Family::Rosenbrock => {
                ["", "", "rosenbrock_aim(S, W, G, in, t, y, stage)", "rosenbrock_settle(S, W, G, y, stage)"]
            }
            Family::Chang => [BEGIN, END, "chang_aim(S, W, G, in, t, y, h)", "chang_settle(S, W, G, y, h)"],
            Family::Splitting => [
                BEGIN,
                "splitting_start_end(S, W, G, in, t, y, h)",
                "splitting_aim(S, W, G, in, t, y, h)",
                "splitting_settle(S, W, G, y, h)",
            ],
            Family::StateSpace => [
                "state_space_start_begin(S, W, in, t, y, h)",
                "sys_rates_end(S, W, G->slot, in, t, y, h + S->n, h + 2 * S->n)",
                "state_space_aim(S, W, G, in, t, y, h)",
                "state_space_settle(S, W, G, y, h)",
            ],
            Family::Newton => [BEGIN, END, "", ""],
        }
    }

    /// Whether it evaluates forces before its first step.
    pub fn evaluates_at_start(self) -> bool {
        self != Family::Rosenbrock
    }
}

/// The alpha family behind a scheme, if it has one.
fn weights(scheme: &AnyScheme) -> Option<Alpha> {
    match scheme {
        AnyScheme::Alpha(a) => Some(*a),
        AnyScheme::Newton(n) => Some(n.alpha),
        AnyScheme::Splitting(s) => Some(s.weights()),
        _ => None,
    }
}

impl Gait {
    /// Times of its evaluations in steps, and whether it takes the tangent at the start of the step.
    pub fn times(&self) -> (Vec<f64>, bool) {
        match &self.scheme {
            AnyScheme::Rosenbrock(r) => ((0..r.stages).map(|i| r.time_of(i)).collect(), true),
            AnyScheme::Alpha(_) | AnyScheme::Newton(_) => {
                (vec![1.0 - weights(&self.scheme).map_or(0.0, |a| a.alpha_f)], false)
            }
            AnyScheme::Chang(_) => (vec![1.0], true),
            AnyScheme::Splitting(_) => (vec![1.0], false),
            AnyScheme::StateSpace(s) => (vec![s.alpha_f], false),
            AnyScheme::ModelBased(_) | AnyScheme::Composite(_) | AnyScheme::Iterated(_) => (vec![], true),
        }
    }

    /// Numbers it works with, see the C files.
    pub fn scratch(&self, d: Dims) -> usize {
        let (n, ns, ny) = (d.nu, d.ns, d.state());
        let common = 2 * ny + n + ns;
        match &self.scheme {
            AnyScheme::Rosenbrock(r) => (3 + r.stages) * ny + n,
            AnyScheme::Alpha(_) => common + n,
            AnyScheme::Newton(_) => common + 2 * n + ns,
            AnyScheme::Chang(_) => common + 2 * n + 2 * ns,
            AnyScheme::Splitting(_) => common + 3 * n + ns,
            AnyScheme::StateSpace(_) => common + 2 * n,
            AnyScheme::ModelBased(_) | AnyScheme::Composite(_) | AnyScheme::Iterated(_) => 0,
        }
    }

    /// Its table. `rows`: of the inputs at each evaluation, and where the tangent is taken.
    pub fn emit(&self, name: &str, d: Dims, rows: &[usize], row_linear: usize) -> String {
        let (times, _) = self.times();
        let list = |x: &[f64]| x.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
        let indices = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut f = vec![
            ("family", (Family::of(&self.scheme) as i32).to_string()),
            ("slot", self.slot.to_string()),
            ("stages", times.len().to_string()),
            ("history", self.scheme.memory(d).history.to_string()),
            ("dt", number(self.dt)),
            ("time", format!("{{{}}}", list(&times))),
            ("row", format!("{{{indices}}}")),
            ("row_linear", row_linear.to_string()),
        ];
        if let AnyScheme::Rosenbrock(r) = &self.scheme {
            let square = |a: &[[f64; 6]; 6]| {
                let rows: Vec<String> = a.iter().map(|r| format!("{{{}}}", list(r))).collect();
                format!("{{{}}}", rows.join(", "))
            };
            f.push(("gamma", number(r.gamma)));
            f.push(("alpha", square(&r.alpha)));
            f.push(("gammas", square(&r.gammas)));
            f.push(("b", format!("{{{}}}", list(&r.b))));
        }
        if let Some(a) = weights(&self.scheme) {
            f.push(("gamma", number(a.gamma)));
            f.push(("alpha_m", number(a.alpha_m)));
            f.push(("alpha_f", number(a.alpha_f)));
            f.push(("beta", number(a.beta)));
            f.push(("full", i32::from(a.predictor == Predictor::Full).to_string()));
        }
        if let AnyScheme::StateSpace(s) = &self.scheme {
            f.push(("gamma", number(s.gamma)));
            f.push(("alpha_m", number(s.alpha_m)));
            f.push(("alpha_f", number(s.alpha_f)));
            f.push(("full", i32::from(s.predictor == Predictor::Full).to_string()));
        }
        if let AnyScheme::Newton(x) = &self.scheme {
            f.push(("tolerance", number(x.tolerance)));
            f.push(("max_iterations", x.max_iterations.to_string()));
        }
        let fields: String = f.iter().map(|(k, v)| format!("    .{k} = {v},\n")).collect();
        format!("static const gait_t {name} = {{\n{fields}}};\n\n")
    }
}

/// The C of the families that are used, and the functions that choose among them.
pub fn schemes(families: &[Family]) -> String {
    let mut used = families.to_vec();
    used.sort_unstable();
    used.dedup();
    let mut out = String::new();
    for family in &used {
        let _ = writeln!(out, "{}", family.text());
    }
    let cases = |call: usize, wrap: fn(&str) -> String| -> String {
        let case = |f: &Family| {
            let text = f.calls()[call];
            (!text.is_empty()).then(|| format!("    case {}:\n        {}\n", *f as i32, wrap(text)))
        };
        used.iter().filter_map(case).collect()
    };
    let returned = |c: &str| format!("return {c};");
    let called = |c: &str| format!("{c};\n        break;");
    let stages = used.iter().any(|f| *f != Family::Newton);
    let newton = used.contains(&Family::Newton);
    for (call, half) in ["begin", "end"].into_iter().enumerate() {
        let _ = write!(
            out,
            "/* Fills the history h from y = [u v s] at time t: {}. */\n\
             static int scheme_start_{half}(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)\n\
             {{\n    (void)S, (void)W, (void)in, (void)t, (void)y, (void)h;\n    switch (G->family) {{\n{}    default:\n        return 0;\n    }}\n}}\n\n",
            ["up to the measured forces", "from there"][call],
            cases(call, returned)
        );
    }
    out.push_str(
        "static int scheme_start(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)\n\
         {\n    const int fault = scheme_start_begin(S, W, G, in, t, y, h);\n    \
         return fault ? fault : scheme_start_end(S, W, G, in, t, y, h);\n}\n\n",
    );
    if stages {
        let _ = write!(
            out,
            "/* Where evaluation `stage` of a step from t wants to know the forces: point and shift in W. */\n\
             static int scheme_aim(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h, int stage)\n\
             {{\n    (void)h, (void)stage;\n    switch (G->family) {{\n{}    default:\n        return 0;\n    }}\n}}\n\n\
             /* Takes the forces of the evaluation, and ends the step if it was the last. */\n\
             static void scheme_settle(const system_t *S, double *W, const gait_t *G, double *y, double *h, int stage)\n\
             {{\n    (void)h, (void)stage;\n    switch (G->family) {{\n{}    default:\n        break;\n    }}\n}}\n\n{}\n",
            cases(2, returned),
            cases(3, called),
            include_str!("../c/scheme_force.c"),
        );
    }
    let body = match (stages, newton) {
        (true, true) => format!(
            "    if (G->family == {}) {{\n        return newton_step(S, W, G, in, t, y, h);\n    }}\n    return scheme_stages(S, W, G, in, t, y, h);\n",
            Family::Newton as i32
        ),
        (true, false) => "    return scheme_stages(S, W, G, in, t, y, h);\n".to_owned(),
        (false, _) => "    return newton_step(S, W, G, in, t, y, h);\n".to_owned(),
    };
    let _ = write!(
        out,
        "/* One step from t: y = [u v s] and the history h in place. in: the rows of the inputs of this step. */\n\
         static int scheme_step(const system_t *S, double *W, const gait_t *G, const double *in, double t, double *y, double *h)\n{{\n{body}}}\n\n"
    );
    out
}
