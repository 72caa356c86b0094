//! A substructure as constant tables, and the plan of the memory it works in.

use interfield_linalg::{Blueprint as FactorBlueprint, Sparse};
use interfield_structure::assembled::{Blueprint, ElementBlueprint, Stored};

use crate::law::{Laws, Recorded, Want};
use crate::text::{Tables, number};

/// A multiplier on an unknown: sign times λ of its row is added to the force of its degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Port {
    pub dof: usize,
    pub row: usize,
    pub sign: f64,
}

/// Where the signals of a subdomain are among the components of the inputs.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// Per force.
    pub forces: Vec<usize>,
    /// Per base acceleration.
    pub grounds: Vec<usize>,
    /// Per imposed unknown, the first of its three.
    pub imposed: Vec<usize>,
}

/// A substructure to be exported.
pub struct Subdomain<'a> {
    /// Prefix of its tables, `subdomain_0`.
    pub name: String,
    /// What it is.
    pub blueprint: &'a Blueprint,
    /// Whether some subdomain of the export has parts of frames.
    pub framed: bool,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Its inputs.
    pub wiring: Wiring,
    /// Numbers its schemes need besides, see `Stepping::scratch`.
    pub scratch: usize,
}

/// Places in the memory of a subdomain that others need.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Length of its memory.
    pub len: usize,
    /// Numbers of the laws.
    pub constants: usize,
    /// Path-moved laws.
    pub memory: usize,
    /// [target | reached | force] of commanded unknowns.
    pub measured: usize,
    /// [span | multipliers at both ends].
    pub ports: usize,
    /// Index of the last fault.
    pub fault: usize,
    /// A vector over the unknowns that nothing survives in.
    pub a: usize,
    /// First number of the law of each element.
    pub element_constants: Vec<usize>,
    /// First numbers of the further laws.
    pub further: Vec<usize>,
}

/// A subdomain in C.
pub struct Emitted {
    /// Its tables; the last is `static const system_t NAME`.
    pub text: String,
    /// Bytes of its tables.
    pub bytes: usize,
    /// Its memory.
    pub plan: Plan,
    /// The recorded laws of its elements.
    pub laws: Vec<Recorded>,
}

/// Hands out places in the memory.
struct Memory(usize);

impl Memory {
    fn take(&mut self, n: usize) -> usize {
        self.0 += n;
        self.0 - n
    }
}

/// Prints a subdomain; `further` are laws of channels, whose numbers lie behind those of the elements.
pub fn emit(subdomain: &Subdomain<'_>, laws: &mut Laws, further: &[Recorded]) -> Emitted {
    let b = subdomain.blueprint;
    let mut t = Tables::new(&subdomain.name);
    let mut memory = Memory(0);
    let mut plan = Plan::default();
    let massive = b.mass_factor.is_some();

    let mut recorded = Vec::new();
    let mut constants = Vec::new();
    for e in &b.elements {
        let r = laws.record(&e.law, want(b, e), b.calm);
        plan.element_constants.push(constants.len());
        constants.extend_from_slice(&r.constants);
        recorded.push(r);
    }
    for r in further {
        plan.further.push(constants.len());
        constants.extend_from_slice(&r.constants);
    }

    let dmax = b.elements.iter().map(|e| e.d).max().unwrap_or(0).max(1);
    let smax = b.elements.iter().map(|e| e.s).max().unwrap_or(0);
    let (n, ns, nm, nnz) = (b.n, b.ns, b.modal.len(), b.pattern.nnz());
    let commanded: usize = b.specimens.iter().map(|s| s.unknowns.len()).sum();
    let refactors = b.follows || massive;

    let mut fields: Vec<(&str, String)> = vec![
        ("n", n.to_string()),
        ("ns", ns.to_string()),
        ("nm", nm.to_string()),
        ("nmemory", b.memory.to_string()),
        ("follows", i32::from(b.follows).to_string()),
        ("massive", i32::from(massive).to_string()),
        ("massless", number(b.massless)),
        ("ptr", t.indices("ptr", pointers((0..n).map(|i| b.pattern.columns(i).len())))),
        ("idx", t.indices("idx", (0..n).flat_map(|i| b.pattern.columns(i).iter().copied()))),
        ("nnz", nnz.to_string()),
        ("mass", t.numbers("mass", &b.mass)),
        ("damping", t.numbers("damping", &b.damping)),
        ("stiffness", t.numbers("stiffness", &b.stiffness)),
        ("lumped", t.numbers("lumped", b.lumped.as_deref().unwrap_or(&[]))),
        ("modal_c", t.numbers("modal_c", &b.modal.iter().map(|m| m.0).collect::<Vec<_>>())),
        ("modal_w", t.numbers("modal_w", &b.modal.iter().flat_map(|m| m.1.clone()).collect::<Vec<_>>())),
        ("supports", b.couplings.len().to_string()),
        ("support_row", t.indices("support_row", b.couplings.iter().map(|c| c.row))),
        ("support_in", t.indices("support_in", b.couplings.iter().map(|c| subdomain.wiring.imposed[c.imposed]))),
        ("support_m", t.numbers("support_m", &b.couplings.iter().map(|c| c.m).collect::<Vec<_>>())),
        ("support_c", t.numbers("support_c", &b.couplings.iter().map(|c| c.c).collect::<Vec<_>>())),
        ("support_k", t.numbers("support_k", &b.couplings.iter().map(|c| c.k).collect::<Vec<_>>())),
        ("forces", b.forces.len().to_string()),
        ("force_dof", t.indices("force_dof", b.forces.iter().copied())),
        ("force_in", t.indices("force_in", subdomain.wiring.forces.iter().copied())),
        ("grounds", b.grounds.len().to_string()),
        ("ground_in", t.indices("ground_in", subdomain.wiring.grounds.iter().copied())),
        ("ground_load", t.numbers("ground_load", &b.grounds.iter().flat_map(|g| g.load.clone()).collect::<Vec<_>>())),
        ("imposed_in", t.indices("imposed_in", subdomain.wiring.imposed.iter().copied())),
        ("elements", b.elements.len().to_string()),
        ("tangents", t.numbers("tangents", &padded(&b.tangents, 6))),
        ("tangents_len", b.tangents.len().to_string()),
        ("mass_linear", t.numbers("mass_linear", &b.mass_linear)),
        ("constants", t.numbers("constants", &constants)),
        ("constants_len", constants.len().to_string()),
    ];
    if !b.held.is_empty() {
        fields.push(("held", t.numbers("held", &b.held)));
    }
    fields.extend(elements((b, subdomain.framed), &recorded, &plan.element_constants, &mut t));

    // Specimens.
    fields.extend([
        ("specimens", b.specimens.len().to_string()),
        ("specimen_ptr", t.indices("specimen_ptr", pointers_if(b.specimens.iter().map(|s| s.unknowns.len())))),
        ("specimen_dof", t.indices("specimen_dof", b.specimens.iter().flat_map(|s| s.unknowns.clone()))),
        ("specimen_correct", t.indices("specimen_correct", b.specimens.iter().map(|s| i32::from(s.correct)))),
        (
            "specimen_k",
            t.numbers("specimen_k", &b.specimens.iter().flat_map(|s| s.stiffness.clone()).collect::<Vec<_>>()),
        ),
        (
            "specimen_c",
            t.numbers("specimen_c", &b.specimens.iter().flat_map(|s| s.damping.clone()).collect::<Vec<_>>()),
        ),
        ("ports", subdomain.ports.len().to_string()),
        ("port_dof", t.indices("port_dof", subdomain.ports.iter().map(|p| p.dof))),
        ("port_row", t.indices("port_row", subdomain.ports.iter().map(|p| p.row))),
        ("port_sign", t.numbers("port_sign", &subdomain.ports.iter().map(|p| p.sign).collect::<Vec<_>>())),
    ]);

    // Factors and operators.
    if let Some(factor) = &b.mass_factor {
        fields.push(("mass_factor", emit_factor(factor, b, true, "mass_factor", &mut t, &mut memory)));
    }
    let eliminated: usize = b.elements.iter().map(|e| e.s * (e.s + e.d)).sum();
    let mut operators = Vec::new();
    for (i, o) in b.operators.iter().enumerate() {
        let name = |part: &str| format!("op{i}_{part}");
        let mut f: Vec<(&str, String)> = vec![
            ("m", number(o.mck.m)),
            ("c", number(o.mck.c)),
            ("k", number(o.mck.k)),
            ("follows", i32::from(o.follows).to_string()),
            ("factor", emit_factor(&o.factor, b, o.follows, &name("factor"), &mut t, &mut memory)),
        ];
        let modal = nm > 0 && o.mck.c != 0.0;
        if o.follows {
            f.push(("base", t.numbers(&name("base"), &o.base)));
            f.push(("at_values", memory.take(nnz).to_string()));
            f.push(("at_eliminated", memory.take(eliminated).to_string()));
            f.push(("at_modal_z", memory.take(if modal { nm * n } else { 0 }).to_string()));
            f.push(("at_modal_small", memory.take(if modal { nm * nm } else { 0 }).to_string()));
        } else {
            f.push(("eliminated", t.numbers(&name("eliminated"), &padded(&o.eliminated, 2))));
            if modal {
                f.push(("modal_z", t.numbers(&name("modal_z"), &o.modal_z)));
                f.push(("modal_small", t.numbers(&name("modal_small"), &o.modal_small)));
            }
        }
        let f: Vec<String> = f.iter().map(|(k, v)| format!(".{k} = {v}")).collect();
        operators.push(format!("{{{}}}", f.join(", ")));
    }
    fields.push(("operators", operators.len().to_string()));
    fields.push(("mass_slot", b.operators.iter().position(|o| o.mck.c == 0.0).unwrap_or(0).to_string()));
    fields.push(("op", t.table("operator_t", "op", operators)));

    // Memory.
    let lu = (smax * smax).max(dmax * smax).max(nm * nm).max(1);
    let sizes: [(&str, usize); 22] = [
        ("at_x", n),
        ("at_y", n),
        ("at_q", dmax),
        ("at_v", dmax),
        ("at_acc", dmax),
        ("at_p", dmax),
        ("at_local", dmax * dmax),
        ("at_lu", lu),
        ("at_modal", nm),
        ("at_a", n),
        ("at_g", ns),
        ("at_gs", ns),
        ("at_solve", n),
        ("at_saved", b.memory),
        ("at_tangents", if b.follows { b.tangents.len() } else { 0 }),
        ("at_mass", if massive { nnz } else { 0 }),
        ("at_mass_values", if massive { nnz } else { 0 }),
        ("at_row", if refactors { 2 * n } else { 0 }),
        ("at_constants", constants.len()),
        ("at_memory", b.memory),
        ("at_measured", 3 * commanded),
        ("at_ports", if subdomain.ports.is_empty() { 0 } else { 2 + 2 * subdomain.ports.len() }),
    ];
    for (name, size) in sizes {
        let at = memory.take(size);
        match name {
            "at_constants" => plan.constants = at,
            "at_memory" => plan.memory = at,
            "at_measured" => plan.measured = at,
            "at_ports" => plan.ports = at,
            "at_a" => plan.a = at,
            _ => {}
        }
        fields.push((name, at.to_string()));
    }
    if subdomain.framed {
        fields.push(("frame_coordinates", b.frame_coordinates().to_string()));
        fields.push(("iterated", i32::from(b.iterated).to_string()));
        fields.push(("at_moving", memory.take(1).to_string()));
        let longest = b.elements.iter().map(|e| e.memory).max().unwrap_or(0);
        fields.push(("at_ahead", memory.take(longest).to_string()));
        fields.push(("at_committed", memory.take(b.memory).to_string()));
        fields.push(("at_both", memory.take(2 * dmax * dmax).to_string()));
    }
    plan.fault = memory.take(1);
    fields.push(("at_fault", plan.fault.to_string()));
    fields.push(("at_scheme", memory.take(subdomain.scratch).to_string()));
    plan.len = memory.0;

    let fields: String = fields.iter().map(|(f, v)| format!("    .{f} = {v},\n")).collect();
    let text = format!("{}static const system_t {} = {{\n{fields}}};\n\n", t.text, subdomain.name);
    Emitted { text, bytes: t.bytes, plan, laws: recorded }
}

/// The functions that factorise and solve, for the kinds of factors that some systems have.
pub fn factors(blueprints: &[&Blueprint]) -> String {
    let kind = |f: &FactorBlueprint| match f {
        FactorBlueprint::Diagonal(_) => 0,
        FactorBlueprint::Inverse(_) => 1,
        FactorBlueprint::Dense { .. } => 2,
        FactorBlueprint::Sparse(_) => 3,
    };
    let changing = |b: &&Blueprint| {
        let of_mass = b.mass_factor.iter().map(kind);
        of_mass.chain(b.operators.iter().filter(|o| o.follows).map(|o| kind(&o.factor))).collect::<Vec<_>>()
    };
    let any = |b: &&Blueprint| {
        let of_mass = b.mass_factor.iter().map(kind);
        of_mass.chain(b.operators.iter().map(|o| kind(&o.factor))).collect::<Vec<_>>()
    };
    let make = [
        "for (int i = 0; i < S->n; i++) {\n            const double inverse = 1.0 / values[i];\n            if \
         (!isfinite(inverse) || !isfinite(values[i])) {\n                return i;\n            }\n            W[F->at + i] \
         = inverse;\n        }\n        return -1;",
        "",
        "return dense_factorize(F, S, values, W + F->at);",
        "return sparse_factorize(F->symbolic, values, W + F->at, W + S->at_row, W + S->at_row + S->n);",
    ];
    let solve = [
        "diagonal_solve(S->n, f, b);\n        break;",
        "inverse_solve(S->n, f, b, W + S->at_solve);\n        break;",
        "dense_solve(S->n, f, b, W + S->at_solve);\n        break;",
        "sparse_solve(F->symbolic, f, b, W + S->at_solve);\n        break;",
    ];
    let cases = |texts: [&str; 4], kinds: Vec<usize>| -> String {
        let case = |(i, text): (usize, &&str)| {
            (kinds.contains(&i) && !text.is_empty()).then(|| format!("    case {i}:\n        {text}\n"))
        };
        texts.iter().enumerate().filter_map(case).collect()
    };
    format!(
        "/* Factorises; -1, or the row that has no usable pivot. */\n\
         static int factor_make(const factor_t *F, const system_t *S, double *W, const double *values)\n{{\n    \
         (void)S, (void)W, (void)values;\n    switch (F->kind) {{\n{}    default:\n        return -1;\n    }}\n}}\n\n\
         /* b becomes the solution. */\n\
         static void factor_solve(const factor_t *F, const system_t *S, double *W, double *b)\n{{\n    \
         const double *f = F->values ? F->values : W + F->at;\n    switch (F->kind) {{\n{}    default:\n        break;\n    }}\n}}\n\n",
        cases(make, blueprints.iter().flat_map(changing).collect()),
        cases(solve, blueprints.iter().flat_map(any).collect()),
    )
}

/// What of the law of an element is needed.
pub(crate) fn want(b: &Blueprint, e: &ElementBlueprint) -> Want {
    if b.follows && !frozen(e) { Want::Tangent } else { Want::Force }
}

/// Whether the tangent of an element never changes.
fn frozen(e: &ElementBlueprint) -> bool {
    matches!(e.law, Stored::Block(_) | Stored::Path(_))
}

/// A table no shorter than the code for elements with a state would read: compilers look at the longest way through it.
fn padded(values: &[f64], least: usize) -> Vec<f64> {
    let mut out = values.to_vec();
    if !out.is_empty() && out.len() < least {
        out.resize(least, 0.0);
    }
    out
}

/// Running sums from zero.
fn pointers(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut out = vec![0];
    for n in lengths {
        out.push(out.last().unwrap_or(&0) + n);
    }
    out
}

/// The same, or nothing of nothing.
fn pointers_if(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let out = pointers(lengths);
    if out.len() > 1 { out } else { Vec::new() }
}

fn elements(
    (b, framed): (&Blueprint, bool),
    laws: &[Recorded],
    constants: &[usize],
    t: &mut Tables,
) -> Vec<(&'static str, String)> {
    let (mut row0, mut scatter0, mut ground0, mut fibre0, mut rest0) = (0, 0, 0, 0, 0);
    let mut entries = Vec::new();
    for ((e, law), c0) in b.elements.iter().zip(laws).zip(constants) {
        let kind = match (&e.law, e.line) {
            (Stored::Path(_), _) => 2,
            (Stored::Frame(_), _) => 3,
            (_, Some(_)) => 1,
            _ => 0,
        };
        let (at, factor) = e.line.unwrap_or(([0, 0], [0.0, 0.0]));
        let settled = matches!(&e.law, Stored::Frame(frame) if !frame.rest.is_empty());
        let rated = matches!(&e.law, Stored::Frame(frame) if frame.part.follows_rate(&frame.sections.tables()));
        let frame = format!(", {}, {fibre0}, {rest0}, {}, {}", e.memory, i32::from(settled), i32::from(rated));
        let frame = if framed { frame } else { String::new() };
        entries.push(format!(
            "{{{}, {}, {kind}, {}, {}, {}, {c0}, {row0}, {}, {}, {}, {}, {scatter0}, {}, {ground0}, {{{}, {}}}, {{{}, {}}}{frame}}}",
            e.d,
            e.s,
            i32::from(e.massive),
            i32::from(frozen(e)),
            law.law,
            e.state0,
            e.memory0,
            e.tangent0,
            e.eliminated0,
            scatter0 + e.scatter.len(),
            at[0],
            at[1],
            number(factor[0]),
            number(factor[1]),
        ));
        row0 += e.d;
        scatter0 += e.scatter.len();
        ground0 += e.ground.len();
        fibre0 += law.fibres.len();
        rest0 += e.start.len();
    }
    let rows = || b.elements.iter().flat_map(|e| &e.rows);
    let scatter = || b.elements.iter().flat_map(|e| &e.scatter);
    let mut fields = vec![
        ("element", t.table("element_t", "element", entries)),
        ("row_ptr", t.indices("row_ptr", pointers_if(rows().map(Vec::len)))),
        ("row_at", t.indices("row_at", rows().flatten().map(|r| r.0))),
        ("row_factor", t.numbers("row_factor", &rows().flatten().map(|r| r.1).collect::<Vec<_>>())),
        ("scatter_index", t.indices("scatter_index", scatter().map(|s| s.0))),
        ("scatter_at", t.indices("scatter_at", scatter().map(|s| s.1))),
        ("scatter_factor", t.numbers("scatter_factor", &scatter().map(|s| s.2).collect::<Vec<_>>())),
        (
            "element_ground",
            t.numbers("element_ground", &b.elements.iter().flat_map(|e| e.ground.clone()).collect::<Vec<_>>()),
        ),
    ];
    if b.is_framed() {
        let rest: Vec<f64> = b.elements.iter().flat_map(|e| e.start.iter().copied()).collect();
        fields.push(("rest", t.numbers("rest", &rest)));
        // Behind the last of them: a part without fibres has none.
        fields.push(("fibres", t.indices("fibres", laws.iter().flat_map(|l| l.fibres.iter().copied()).chain([0]))));
    }
    fields
}

/// An initialiser of `factor_t`; `changes`: its numbers lie in the memory.
fn emit_factor(
    f: &FactorBlueprint,
    b: &Blueprint,
    changes: bool,
    name: &str,
    t: &mut Tables,
    memory: &mut Memory,
) -> String {
    let n = b.n;
    let part = |p: &str| format!("{name}_{p}");
    match f {
        FactorBlueprint::Diagonal(_) if changes => format!("{{.kind = 0, .at = {}}}", memory.take(n)),
        FactorBlueprint::Diagonal(inverse) => format!("{{.kind = 0, .values = {}}}", t.numbers(name, inverse)),
        // Only what never changes is kept as an inverse.
        FactorBlueprint::Inverse(columns) => format!("{{.kind = 1, .values = {}}}", t.numbers(name, columns)),
        FactorBlueprint::Dense { symmetric } => {
            let target = (0..n).flat_map(|i| b.pattern.columns(i).iter().map(move |&j| i * n + j as usize));
            let target = t.indices(&part("target"), target);
            let at = memory.take(n * n + 4 * n + 1);
            format!("{{.kind = 2, .symmetric = {}, .target = {target}, .at = {at}}}", i32::from(*symmetric))
        }
        FactorBlueprint::Sparse(s) => {
            let symbolic = emit_symbolic(s, n, changes, name, t);
            if changes {
                format!("{{.kind = 3, .symbolic = &{symbolic}, .at = {}}}", memory.take(s.values.len()))
            } else {
                format!("{{.kind = 3, .symbolic = &{symbolic}, .values = {}}}", t.numbers(&part("values"), &s.values))
            }
        }
    }
}

/// Fields of an initialiser of a constant factor; `None` if it is of a kind that only changing matrices have.
pub(crate) fn constant_factor(f: &FactorBlueprint, n: usize, name: &str, t: &mut Tables) -> Option<String> {
    Some(match f {
        FactorBlueprint::Diagonal(inverse) => format!(".kind = 0, .values = {}", t.numbers(name, inverse)),
        FactorBlueprint::Inverse(columns) => format!(".kind = 1, .values = {}", t.numbers(name, columns)),
        FactorBlueprint::Dense { .. } => return None,
        FactorBlueprint::Sparse(s) => {
            let symbolic = emit_symbolic(s, n, false, name, t);
            format!(".kind = 3, .symbolic = &{symbolic}, .values = {}", t.numbers(&format!("{name}_values"), &s.values))
        }
    })
}

/// What of a sparse factor of `n` unknowns does not depend on values; its name.
fn emit_symbolic(s: &Sparse, n: usize, changes: bool, name: &str, t: &mut Tables) -> String {
    let part = |p: &str| format!("{name}_{p}");
    let panels = s.panels.iter().map(|p| format!("{{{}, {}, {}, {}, {}}}", p[0], p[1], p[2], p[3], p[4]));
    let mut fields = vec![
        ("n", n.to_string()),
        ("panels", s.panels.len().to_string()),
        ("values_len", s.values_len.to_string()),
        ("general", i32::from(s.general).to_string()),
        ("tolerance", number(s.tolerance)),
        ("order", t.indices(&part("order"), s.order.iter().copied())),
        ("panel", t.table("panel_t", &part("panel"), panels.collect::<Vec<_>>())),
        ("rows", t.indices(&part("rows"), s.rows.iter().copied())),
    ];
    if changes {
        fields.extend([
            ("row_panels_ptr", t.indices(&part("row_panels_ptr"), s.row_panels_ptr.iter().copied())),
            ("row_panels", t.indices(&part("row_panels"), s.row_panels.iter().copied())),
            ("row_panels_filled", t.indices(&part("row_panels_filled"), s.row_panels_filled.iter().copied())),
            ("panel_of", t.indices(&part("panel_of"), s.panel_of.iter().copied())),
            ("lower_ptr", t.indices(&part("lower_ptr"), s.lower_ptr.iter().copied())),
            ("lower_column", t.indices(&part("lower_column"), s.lower.iter().map(|e| e[0]))),
            ("lower_source", t.indices(&part("lower_source"), s.lower.iter().map(|e| e[1]))),
            ("lower_mirror", t.indices(&part("lower_mirror"), s.lower.iter().map(|e| e[2]))),
            ("diagonal", t.indices(&part("diagonal"), s.diagonal.iter().copied())),
        ]);
    }
    t.structure("symbolic_t", &part("symbolic"), &fields)
}
