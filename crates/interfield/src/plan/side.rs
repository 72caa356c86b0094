//! The sides of a test: what each substructure is advanced with. A structure in one piece is one side.

use std::f64::consts::TAU;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Mck, Scheme};
use interfield_language::Model;
use interfield_language::partition::Substructure;
use interfield_language::specimen::Specimen;
use interfield_structure::Simulation;
use serde_json::{Value, json};

use crate::stability::machine::{UNCONDITIONAL, scheme_limit};
use crate::table::{aligned, labelled, short, time};

/// How a linear system of a side is solved.
struct Solver {
    /// Its matrix: m M + c C + k K.
    matrix: Mck,
    method: String,
    ordering: &'static str,
    unknowns: usize,
    entries: usize,
    factor_entries: usize,
    operations: usize,
}

/// A substructure as it is advanced; all there is of a structure in one piece.
pub(super) struct Side {
    /// Empty for a structure in one piece.
    name: String,
    /// Whether it stands on the fine side; `None` where a coupling knows no sides.
    fine: Option<bool>,
    pub(super) scheme: String,
    /// Evaluations of its forces in one of its steps; `None`: it iterates.
    pub(super) evaluations: Option<u32>,
    /// From one of its states to the next, s.
    pub(super) step: f64,
    /// Time over which its scheme steps, s: longer where a coupling interlaces several sequences of steps.
    stride: f64,
    /// Once it is started.
    unknowns: Option<usize>,
    solvers: Vec<Solver>,
    factorised_each_step: bool,
    /// Numbers of its specimens in the model.
    pub(super) specimens: Vec<usize>,
    /// Its highest circular frequency, rad/s, where it was looked for and found.
    omega_max: Option<f64>,
    /// Largest Ω = ω dt at which its scheme is stable; `None`: any, or not looked for.
    limit: Option<f64>,
}

impl Side {
    /// All sides of a model, as far as they are known before it is assembled.
    pub(super) fn all(model: &Model) -> Vec<Self> {
        let a = &model.analysis;
        let home = |i: usize| {
            let owner =
                |s: &Specimen| s.elements.first().and_then(|&e| model.partition.as_ref()?.owners.get(e).copied());
            (0..model.specimens.len()).filter(|&s| owner(&model.specimens[s]).is_none_or(|o| o == i)).collect()
        };
        let side = |i: usize, name: &str, scheme: (&str, &AnyScheme), substeps: u32| Side {
            name: name.to_owned(),
            fine: None,
            scheme: scheme.0.to_owned(),
            evaluations: scheme.1.evaluations(),
            step: a.dt / f64::from(substeps),
            stride: a.dt / f64::from(substeps),
            unknowns: None,
            solvers: Vec::new(),
            factorised_each_step: false,
            specimens: home(i),
            omega_max: None,
            limit: None,
        };
        let Some(partition) = &model.partition else { return vec![side(0, "", (&a.scheme_name, &a.scheme), 1)] };
        let coarse = partition.coarse_step();
        let one = |(i, s): (usize, &Substructure)| {
            let mut side = side(i, &s.name, (&s.scheme_name, &s.scheme), s.substeps);
            side.fine = partition.coupling.info.sided.then_some(s.fine);
            side.stride *= if s.fine { 1.0 } else { coarse };
            side.step = side.step.min(side.stride);
            side
        };
        partition.substructures.iter().enumerate().map(one).collect()
    }

    /// Learns what is known since the structure was started.
    pub(super) fn started(&mut self, sim: &Simulation, i: usize) {
        self.unknowns = Some(sim.unknowns(i).len());
        self.specimens.clone_from(&sim.part(i).specimens);
        self.factorised_each_step = sim.coupling.system(i).follows_state();
        let solver = sim.solvers(i).into_iter().map(|(matrix, r)| Solver {
            matrix,
            method: r.to_string(),
            ordering: r.ordering,
            unknowns: r.n,
            entries: r.nnz_matrix,
            factor_entries: r.nnz_factor,
            operations: r.solve_flops,
        });
        self.solvers = solver.collect();
    }

    /// Finds its highest frequency and the limit of its scheme.
    pub(super) fn look(&mut self, sim: &Simulation, i: usize) {
        self.omega_max = sim.omega_max(i).ok();
        let most = self.omega_max.map_or(0.0, |w| w * self.stride).max(UNCONDITIONAL);
        self.limit = scheme_limit(sim.part(i).model.analysis.scheme, most);
    }

    pub(super) const HEADER: [&'static str; 6] =
        ["substructure", "unknowns", "<side", "<scheme", "step", "evaluations per step"];

    pub(super) fn row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.unknowns.map_or_else(|| "-".to_owned(), |n| n.to_string()),
            self.side().unwrap_or("-").to_owned(),
            self.scheme.clone(),
            time(self.step),
            self.evaluations.map_or_else(|| "iterates".to_owned(), |n| n.to_string()),
        ]
    }

    fn side(&self) -> Option<&'static str> {
        self.fine.map(|fine| if fine { "fine" } else { "coarse" })
    }

    /// The largest of its own steps that its scheme alone is stable with, s.
    fn largest_step(&self) -> Option<f64> {
        self.limit.zip(self.omega_max.filter(|w| *w > 0.0)).map(|(limit, omega)| limit / omega)
    }

    fn when(&self, dynamic: Mck) -> &'static str {
        match (dynamic.c == 0.0, self.factorised_each_step) {
            (true, _) => "",
            (false, true) => ", factorised at each step",
            (false, false) => ", factorised once",
        }
    }

    /// How the matrix is solved that its step spends its time on.
    pub(super) fn solver_line(&self) -> String {
        let main = self.solvers.iter().position(|s| s.matrix.c != 0.0).unwrap_or(0);
        let label = if self.name.is_empty() { "solver".to_owned() } else { format!("solver of {}", self.name) };
        let line = |s: &Solver| labelled("  ", &label, &format!("{}{}", s.method, self.when(s.matrix)));
        self.solvers.get(main).map_or_else(String::new, line)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "substructure": (!self.name.is_empty()).then_some(&self.name), "side": self.side(), "scheme": self.scheme,
            "step": self.step, "force_evaluations_per_step": self.evaluations, "unknowns": self.unknowns,
            "highest_frequency": self.omega_max.map(|w| w / TAU),
            "scheme_step": self.stride, "omega_dt": self.omega_max.map(|w| w * self.stride),
            "largest_stable_omega_dt": self.limit, "largest_stable_step": self.largest_step(),
            "factorised_at_each_step": self.factorised_each_step,
            "solvers": self.solvers.iter().map(|s| json!({
                "m": s.matrix.m, "c": s.matrix.c, "k": s.matrix.k, "method": s.method, "ordering": s.ordering,
                "unknowns": s.unknowns, "matrix_entries": s.entries, "factor_entries": s.factor_entries,
                "solve_operations": s.operations,
            })).collect::<Vec<_>>(),
        })
    }
}

/// The step of each side against its highest frequency, and against the limit of its scheme.
pub(super) fn frequencies(sides: &[Side], cut: bool) -> String {
    let row = |side: &Side| {
        let unknown = || "not known".to_owned();
        let limit = match (side.limit, side.largest_step()) {
            (None, _) => "any step".to_owned(),
            (Some(_), Some(step)) if step < side.stride => format!("{}: exceeded", time(step)),
            (Some(_), Some(step)) => time(step),
            (Some(limit), None) => format!("omega dt = {}", short(limit)),
        };
        vec![
            if side.name.is_empty() { side.scheme.clone() } else { side.name.clone() },
            time(side.stride),
            side.omega_max.map_or_else(unknown, |w| short(w / TAU)),
            side.omega_max.map_or_else(unknown, |w| short(w * side.stride)),
            limit,
        ]
    };
    let header =
        [if cut { "substructure" } else { "scheme" }, "step dt", "highest f [Hz]", "omega dt", "<stable up to"];
    let rows: Vec<Vec<String>> = sides.iter().map(row).collect();
    let mut out = format!("\nstep against the highest frequency\n{}", aligned(&header, &rows));
    for side in sides.iter().filter(|side| side.stride != side.step) {
        let steps = short(side.stride / side.step);
        out += &labelled(
            "  ",
            &side.name,
            &format!("the coupling lets its scheme step over {steps} steps at a time, interlaced"),
        );
    }
    if cut {
        out += "  each side by itself: `check --stability` probes the coupled step\n";
    }
    out
}
