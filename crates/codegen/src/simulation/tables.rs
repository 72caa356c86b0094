//! A started coupling as constants, tables and the C texts that step it.
//!
//! **Must not be here:** what is done in a step; that is in c/coupling_*.c, beside the files of crates/coupling they mirror.

use std::fmt::Write;
use std::ops::Range;

use interfield_coupling::Flexibility;
use interfield_coupling::Guess;
use interfield_coupling::blueprint::{Blueprint, Fine, Gap, Macro};
use interfield_coupling::fine::Kernel;
use interfield_kernel::{Dims, Scheme, System};
use interfield_linalg::{Factor, Pattern};
use interfield_structure::assembled::Assembled;

use super::sites::{Moment, Sites, Strides, When};
use crate::stepping::Stepping;
use crate::subdomain::constant_factor;
use crate::text::{Tables, number, specialised};

/// A coupling in C.
pub(crate) struct Coupled {
    /// Constants and tables.
    pub(crate) tables: String,
    /// Functions.
    pub(crate) functions: String,
    /// Lines that fill the view of the coupling.
    pub(crate) view: String,
    /// Length of the state of the method.
    pub(crate) state: usize,
    /// Further numbers behind it.
    pub(crate) extra: usize,
    /// Numbers of work.
    pub(crate) work: usize,
    /// Macro-steps of the start-up.
    pub(crate) starts: u64,
    /// Bytes of its tables.
    pub(crate) bytes: usize,
    /// Rows of the inputs.
    pub(crate) sites: Sites,
    /// The multipliers at the present node, as C.
    pub(crate) multipliers: String,
    /// The multipliers of the last link, as C; none where nothing is linked.
    pub(crate) linked: Option<String>,
}

/// Where the parts of something stand, one after the other.
#[derive(Default)]
pub(super) struct Stack {
    list: Vec<(&'static str, usize, usize)>,
    end: usize,
}

impl Stack {
    pub(super) fn push(&mut self, name: &'static str, len: usize) {
        self.list.push((name, self.end, len));
        self.end += len;
    }

    pub(super) fn at(&self, name: &str) -> usize {
        self.list.iter().find(|x| x.0 == name).map_or(0, |x| x.1)
    }
}

/// What is collected on the way.
pub(super) struct Draft<'a> {
    pub(super) b: &'a Blueprint<'a, Assembled>,
    pub(super) steppings: &'a [Vec<Stepping>],
    pub(super) places: &'a Places<'a>,
    pub(super) constants: Vec<(String, usize)>,
    pub(super) numbers: Vec<(&'static str, f64)>,
    pub(super) tables: Tables,
    /// Parts of the state, named as `X_...`; and further ones that only C needs.
    pub(super) state: Stack,
    pub(super) extra: Stack,
    pub(super) work: Stack,
    pub(super) flexibilities: Vec<f64>,
    pub(super) fines: Vec<String>,
    pub(super) interfaces: Vec<String>,
    pub(super) widest: usize,
    pub(super) flags: Vec<&'static str>,
    pub(super) texts: Vec<&'static str>,
    pub(super) sites: Sites,
    pub(super) starts: u64,
}

/// Texts that all couplings need.
pub(super) const COMMON: [&str; 2] = [include_str!("../../c/coupling_side.c"), include_str!("../../c/coupling_ask.c")];
const PAIR: &str = include_str!("../../c/coupling_pair.c");
pub(super) const FINE: &str = include_str!("../../c/coupling_fine.c");
const MACRO: &str = include_str!("../../c/coupling_macro.c");
const GAP: &str = include_str!("../../c/coupling_gap.c");

/// Where the things stand that a coupling refers to, subdomain by subdomain.
pub(crate) struct Places<'a> {
    /// Steppings.
    pub(crate) steppings: &'a [Vec<Stepping>],
    /// Start of the memory.
    pub(crate) works: &'a [usize],
    /// Parameters of the initial state.
    pub(crate) initials: &'a [Vec<usize>],
    /// Numbers of the commands.
    pub(crate) commands: &'a [Vec<usize>],
    /// Length of a row of the inputs.
    pub(crate) inputs: usize,
    /// Length of the memory of all.
    pub(crate) work: usize,
}

/// Prints a coupling; `None` if a factor of it cannot be printed.
pub(crate) fn emit(b: &Blueprint<'_, Assembled>, places: &Places<'_>) -> Option<Coupled> {
    let mut draft = Draft {
        b,
        steppings: places.steppings,
        places,
        constants: Vec::new(),
        numbers: vec![("MACRO", b.h)],
        tables: Tables::new(""),
        state: Stack::default(),
        extra: Stack::default(),
        work: Stack { end: places.work, ..Stack::default() },
        flexibilities: Vec::new(),
        fines: Vec::new(),
        interfaces: Vec::new(),
        widest: 1,
        flags: Vec::new(),
        texts: COMMON.to_vec(),
        sites: Sites::new(b.subdomains.len()),
        starts: 0,
    };
    draft.subdomains();
    draft.sites.start();
    let (multipliers, linked) = draft.schedule()?;
    Some(draft.finish(multipliers, linked))
}

impl<'a> Draft<'a> {
    pub(super) fn dims(&self, p: usize) -> Dims {
        self.b.subdomains[p].system.dims()
    }

    pub(super) fn len(&self, side: &Range<usize>) -> usize {
        self.b.subdomains[side.clone()].iter().map(|p| p.len).sum()
    }

    /// Number of a stepping of a subdomain among all.
    fn stride0(&self, p: usize) -> usize {
        self.steppings[..p].iter().map(Vec::len).sum()
    }

    pub(super) fn strides(&self, side: &Range<usize>, stepping: usize) -> Strides<'a> {
        let one = |p: usize| (&self.steppings[p][stepping], self.b.subdomains[p].steppings[stepping].steps);
        (side.clone(), side.clone().map(one).collect())
    }

    /// Parties, ports, ways to stride and links.
    fn subdomains(&mut self) {
        let Places { works, initials, commands, .. } = *self.places;
        let b = self.b;
        let (mut subdomains, mut ports, mut strides, mut links) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut staged, mut initial, mut command, mut inertance) = (0, 0, 0, Vec::new());
        for side in [&b.coarse, &b.fine, &b.twins] {
            let mut offset = 0;
            for p in side.clone() {
                let subdomain = &b.subdomains[p];
                let ny = self.dims(p).state();
                subdomains.push(format!(
                    "{{{ny}, {}, {}, {offset}, {}, {}, {}, {staged}, {}, {}, {initial}, {}, {}}}",
                    subdomain.moved,
                    subdomain.len,
                    ports.len(),
                    subdomain.ports.len(),
                    self.stride0(p),
                    works[p],
                    inertance.len(),
                    command,
                    subdomain.substructure,
                ));
                ports.extend(subdomain.ports.iter().map(|x| format!("{{{}, {}, {}}}", x.row, x.dof, number(x.sign))));
                for (way, stepping) in subdomain.steppings.iter().zip(&self.steppings[p]) {
                    let held = way.rate != self.dims(p).nu;
                    strides.push(format!(
                        "{{{}, {}, {}, {}, {}, {}, {}, {}}}",
                        way.steps,
                        stepping.looks.len(),
                        links.len(),
                        way.rate,
                        u8::from(held),
                        u8::from(way.once),
                        way.scheme.rates(self.dims(p)),
                        number(way.lag),
                    ));
                    links.extend_from_slice(way.link);
                }
                inertance.extend_from_slice(subdomain.inertance);
                offset += subdomain.len;
                staged += ny + self.dims(p).nu;
                initial += ny;
                command += commands[p].len();
            }
        }
        let t = &mut self.tables;
        t.table("subdomain_t", "SUBDOMAINS", subdomains);
        ports.push("{0, 0, 0.0}".to_owned()); // so that there is a table, even of nothing
        t.table("port_t", "PORTS", ports);
        t.table("stride_t", "STRIDES", strides);
        links.push(0.0);
        t.numbers("LINKS", &links);
        t.numbers("NO_MULTIPLIERS", &vec![0.0; b.rows.max(1)]);
        inertance.push(0.0);
        t.numbers("INERTANCE", &inertance);
        t.indices("INITIALS", initials.iter().flatten().copied());
        t.indices("COMMAND_OF", commands.iter().flatten().copied());
        let names = |what: &str, n: usize| (0..n).map(|i| format!("&{what}_{i}")).collect::<Vec<_>>();
        t.table("system_t *const", "SYSTEMS", names("subdomain", b.subdomains.len()));
        t.table("stepping_t *const", "STEPPINGS", names("stepping", self.steppings.iter().map(Vec::len).sum()));
        // Where there are no two sides, all subdomains do what a fine side does.
        let fine = if b.fine.is_empty() { &b.coarse } else { &b.fine };
        for (name, side) in [("COARSE", &b.coarse), ("FINE", fine), ("TWINS", &b.twins)] {
            let _ = writeln!(t.text, "static const side_t {name} = {{{}, {}}};\n", side.start, side.end);
        }
        let most = (0..b.subdomains.len()).map(|p| self.dims(p).nu + self.dims(p).ns).max().unwrap_or(0);
        let (na, nb) = (self.len(&b.coarse), self.len(&b.fine));
        for (name, value) in [
            ("ROWS", b.rows),
            ("SUBSTEPS", b.substeps),
            ("SUBDOMAIN_COUNT", b.subdomains.len()),
            ("LEN_A", na),
            ("LEN_B", nb),
        ] {
            self.constants.push((name.to_owned(), value));
        }
        self.works(&[("a", most), ("ask_l0", b.rows), ("ask_l1", b.rows), ("asked", b.rows), ("d", b.rows)]);
        self.works(&[("staged", staged)]);
    }

    pub(super) fn works(&mut self, list: &[(&'static str, usize)]) {
        list.iter().for_each(|(name, len)| self.work.push(name, *len));
    }

    /// A problem of the interface; its number.
    pub(super) fn interface(&mut self, factor: Option<&Factor>, n: usize, matrix: &[f64]) -> Option<usize> {
        let number = self.interfaces.len();
        self.widest = self.widest.max(n);
        let init = match factor {
            None => "{.kind = 1, .n = 0}".to_owned(),
            Some(factor) => {
                let full = Pattern::new(n, (0..matrix.len()).map(|k| (k / n, k % n)));
                let laid_open = factor.blueprint(&full, matrix)?;
                format!(
                    "{{.n = {n}, {}}}",
                    constant_factor(&laid_open, n, &format!("INTERFACE_{number}"), &mut self.tables)?
                )
            }
        };
        self.interfaces.push(init);
        Some(number)
    }

    /// The same of a flexibility, by name.
    pub(super) fn problem(&mut self, name: &str, h: &Flexibility) -> Option<()> {
        let rows = self.b.rows;
        let number = self.interface(h.factor(), rows, h.matrix())?;
        self.constants.push((name.to_owned(), number));
        Some(())
    }

    pub(super) fn fine(&mut self, f: &Fine<'_>) -> Option<()> {
        let nodes = match f.kernel {
            Kernel::Linear => 2,
            Kernel::Cubic => 4,
        };
        let both = self.interface(f.h.factor(), self.b.rows, f.h.matrix())?;
        self.fines.push(format!("{{{nodes}, {}, {both}}}", self.flexibilities.len()));
        self.flexibilities.extend_from_slice(f.ha);
        Some(())
    }

    pub(super) fn macro_step(&mut self, name: &str, m: &Macro<'_>) -> Option<()> {
        let guess = match m.guess {
            Guess::Zero => 0,
            Guess::Constant => 1,
            Guess::Linear => 2,
        };
        if !self.constants.iter().any(|c| c.0 == "GUESS") {
            self.constants.push(("GUESS".to_owned(), guess));
            self.works(&[("guessed", self.b.rows)]);
            self.texts.push(MACRO);
        }
        self.problem(name, m.h)
    }

    pub(super) fn gap(&mut self, gap: Option<&Gap<'_>>) {
        let Some(gap) = gap else { return };
        self.flags.push("GAP");
        self.texts.push(GAP);
        self.numbers.push(("KAPPA", gap.kappa));
        self.works(&[("gap", self.b.rows)]);
        self.tables.numbers("GAP_A", gap.a);
        self.tables.numbers("GAP_B", gap.b);
        self.tables.numbers("GAP_L", gap.l);
    }

    /// Parts of the state, and the start of two sides.
    pub(super) fn pair(&mut self, start: usize, parts: &[(&'static str, usize)]) -> Option<()> {
        parts.iter().for_each(|(name, len)| self.state.push(name, *len));
        if parts.iter().any(|p| p.0 == "LAST") {
            self.flags.push("REMEMBERS");
        }
        self.constants.push(("STEPPING_START".to_owned(), start));
        self.texts.push(PAIR);
        self.problem("MOBILITY", self.b.mobility.as_ref()?)
    }

    /// Sites of the substeps of the fine side in a stepping.
    pub(super) fn fine_sites(&mut self, stepping: usize) {
        let (h, ss) = (self.b.h, self.b.substeps);
        let strides = self.strides(&self.b.fine, stepping);
        self.sites.name("FINE");
        for e in 0..ss {
            self.sites.stride(When::Always, Moment::node(0, e as f64 * h / ss as f64), &[&strides]);
        }
    }

    /// The site of a stride of the coarse side.
    pub(super) fn coarse_site(&mut self, name: &'static str, stepping: usize, when: When, at: Moment) {
        let strides = self.strides(&self.b.coarse, stepping);
        self.sites.name(name);
        self.sites.stride(when, at, &[&strides]);
    }

    /// The site of the calm strides of both sides in a start-up.
    pub(super) fn calm_site(&mut self) {
        let (a, b) = (self.strides(&self.b.coarse, 1), self.strides(&self.b.fine, 1));
        self.sites.name("CALM");
        self.sites.stride(When::StartUp, Moment::node(0, 0.0), &[&a, &b]);
    }

    fn finish(mut self, multipliers: String, linked: Option<String>) -> Coupled {
        let Places { inputs, .. } = *self.places;
        let commands: usize = self.places.commands.iter().map(Vec::len).sum();
        self.works(&[("solution", self.widest)]);
        // Where the subdomains stand at the present node.
        let sides = [(&self.b.coarse, self.state.at("A")), (&self.b.fine, self.state.at("B"))];
        let mut nodes = Vec::new();
        for (side, mut at) in sides {
            for subdomain in &self.b.subdomains[side.clone()] {
                nodes.push(at);
                at += subdomain.len;
            }
        }
        let t = &mut self.tables;
        t.table("interface_t", "INTERFACES", std::mem::take(&mut self.interfaces));
        t.table("fine_t", "FINES", std::mem::take(&mut self.fines));
        t.numbers("FLEXIBILITIES", &self.flexibilities);
        t.indices("NODE_OF", nodes);
        let mut constants = self.constants;
        constants.push(("STARTS".to_owned(), self.starts as usize));
        constants.extend(self.state.list.iter().map(|(name, at, _)| (format!("X_{name}"), *at)));
        constants.extend(self.extra.list.iter().map(|(name, at, _)| (format!("X_{name}"), self.state.end + at)));
        constants.push(("NODES".to_owned(), self.b.twins.start));
        let (now, kept) = if commands > 0 { ((self.sites.len() + 1) * inputs, 7) } else { (0, 0) };
        let whole = self.state.end + self.extra.end;
        constants.push(("COMMANDS".to_owned(), commands));
        constants.push(("AT_NOW".to_owned(), self.work.end + whole));
        constants.push(("AT_KEPT".to_owned(), self.work.end + whole + now));
        constants.push(("AT_A".to_owned(), self.work.at("a")));
        constants.push(("AT_BEFORE".to_owned(), self.work.end));
        let constants: Vec<String> = constants.iter().map(|(name, value)| format!("    {name} = {value}")).collect();
        let mut text =
            format!("{}\nenum {{\n{}\n}};\n\n", include_str!("../../c/coupling_types.c"), constants.join(",\n"));
        for (name, value) in &self.numbers {
            let _ = writeln!(text, "static const double {name} = {};\n", number(*value));
        }
        self.sites.emit(&mut text);
        text.push_str(&self.tables.text);
        text.push_str("/* A coupling at work: the macro-step (-1: the start), where its numbers are, what the fine side is asked for. */\n");
        text.push_str(
            "typedef struct {\n    long k;\n    double *x, *W;\n    const double *in, *parameters;\n    ask_t ask;\n",
        );
        if commands > 0 {
            text.push_str(
                "    double *commands, *si_commands;\n    const double *measured;\n    int event, evaluation;\n",
            );
            self.texts.push(include_str!("../../c/coupling_specimens.c"));
        }
        self.work.list.iter().for_each(|(name, _, _)| _ = writeln!(text, "    double *{name};"));
        text.push_str("} coupling_t;\n\n");
        let view = self.work.list.iter().map(|(name, at, _)| format!("    c.{name} = self->work + {at};\n")).collect();
        let functions = self.texts.iter().map(|t| specialised(t, &self.flags)).collect::<Vec<_>>().join("\n");
        let state = self.state.end;
        Coupled {
            tables: text,
            functions,
            view,
            state,
            extra: self.extra.end,
            work: self.work.end + whole + now + kept,
            starts: self.starts,
            bytes: self.tables.bytes,
            sites: self.sites,
            multipliers,
            linked,
        }
    }
}
