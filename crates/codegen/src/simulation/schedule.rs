//! What differs between the couplings: parts of the state, tables, sites and texts of each.

use std::ops::Range;

use interfield_coupling::blueprint::{Gap, Macro, Role, Schedule, Ties};
use interfield_coupling::{Flexibility, PmcOptions, Tie};
use interfield_kernel::scheme::rosenbrock::{Rosenbrock, StageTimes};
use interfield_kernel::{Scheme, System};

use super::sites::{Moment, When};
use super::tables::{COMMON, Draft, FINE};

impl Draft<'_> {
    /// What differs between the couplings; where the multipliers are, and those of the last link.
    pub(super) fn schedule(&mut self) -> Option<(String, Option<String>)> {
        let b = self.b;
        let (na, nb, rows) = (self.len(&b.coarse), self.len(&b.fine), b.rows);
        let now = || "state + X_L".to_owned();
        match &b.schedule {
            Schedule::Single => {
                self.state.push("SUBDOMAINS", na);
                let strides = self.strides(&b.coarse, 0);
                self.sites.name("FINE");
                self.sites.stride(When::Always, Moment::node(0, 0.0), &[&strides]);
                self.texts.push(include_str!("../../c/coupling_single.c"));
                Some(("state".to_owned(), None))
            }
            Schedule::Gc { fine } => {
                self.pair(0, &[("A", na), ("B", nb), ("L", rows)])?;
                self.works(&[("w", 2 * rows), ("free", na)]);
                self.fine(fine)?;
                self.coarse_site("COARSE", 0, When::Always, Moment::node(0, 0.0));
                self.fine_sites(0);
                self.texts.extend([FINE, include_str!("../../c/coupling_gc.c")]);
                Some((now(), Some(now())))
            }
            Schedule::Pm { fine } => {
                self.starts = 1;
                self.pair(0, &[("A", na), ("B", nb), ("L", rows), ("NEXT", na)])?;
                self.works(&[("w", 2 * rows), ("free", na)]);
                fine.iter().try_for_each(|f| self.fine(f))?;
                self.coarse_site("FIRST", 0, When::StartUp, Moment::node(0, 0.0));
                self.coarse_site("COARSE", 1, When::Always, Moment::node(0, 0.0));
                self.fine_sites(0);
                self.texts.extend([FINE, include_str!("../../c/coupling_pm.c")]);
                Some((now(), Some(now())))
            }
            Schedule::Foh { step, start_up, gap, mixing } => {
                self.foh(step, start_up.as_ref(), gap.as_ref(), mixing.as_ref().map(|m| m.0))?;
                Some((now(), Some(format!("self->work + {}", self.work.at("linked")))))
            }
            Schedule::Pmc { options, tie, fine, start_up, gap, ahead } => {
                self.starts = options.starts() as u64;
                self.pmc(*options, tie, gap.as_ref(), ahead)?;
                self.fine(fine)?;
                self.macro_step("MACRO_CALM", start_up)?;
                self.texts.extend([FINE, include_str!("../../c/coupling_pmc.c")]);
                Some((now(), Some(now())))
            }
            // Refused before, with words: `Facts::not_in_c`.
            Schedule::Psl { .. } => None,
            Schedule::Staggered => {
                self.state.push("A", na);
                self.state.push("B", nb);
                self.flags.push("STAGGERED");
                self.staged()?;
                Some((format!("self->work + {}", self.work.at("node_l")), None))
            }
            Schedule::Parallel { mobility } => {
                self.starts = 2;
                for (name, len) in [("A2", na), ("F2", nb), ("A1", na), ("F1", nb), ("A", na), ("B", nb), ("AHEAD", na)]
                {
                    self.state.push(name, len);
                }
                self.flags.push("AHEAD");
                self.parallel(mobility)?;
                self.staged()?;
                self.texts.push(include_str!("../../c/coupling_parallel_steps.c"));
                Some((format!("self->work + {}", self.work.at("node_l")), None))
            }
            Schedule::Llm { start, step, lag } => {
                self.llm(start, step, *lag)?;
                Some((now(), None))
            }
        }
    }

    fn foh(
        &mut self,
        step: &Macro<'_>,
        calm: Option<&Macro<'_>>,
        gap: Option<&Gap<'_>>,
        chi: Option<f64>,
    ) -> Option<()> {
        let b = self.b;
        let (na, nb, rows, ss) = (self.len(&b.coarse), self.len(&b.fine), b.rows, b.substeps);
        self.starts = if calm.is_some() { 2 } else { 0 };
        let (rates_a, rates_b) = (self.lagging(&b.coarse), self.lagging(&b.fine));
        let past = self.starts as usize * (rates_a + rates_b);
        self.pair(usize::from(calm.is_some()), &[("A", na), ("B", nb), ("L", rows), ("LAST", rows), ("RATES", past)])?;
        self.works(&[("linked", rows)]);
        self.macro_step("MACRO_STEP", step)?;
        if let Some(calm) = calm {
            self.flags.push("START_UP");
            self.constants.extend([("RATES_A".to_owned(), rates_a), ("RATES_B".to_owned(), rates_b)]);
            self.works(&[("slopes", rates_a.max(rates_b))]);
            self.macro_step("MACRO_CALM", calm)?;
            self.calm_site();
        }
        if let Some(chi) = chi {
            self.flags.push("MIXED");
            self.numbers.push(("CHI", chi));
            self.sites.name("NODE");
            self.sites.point(When::Steps, Moment::node(0, 0.0));
        }
        self.gap(gap);
        self.coarse_site("COARSE", 0, When::Steps, Moment::node(0, 0.0));
        let mut strides = 1;
        if let Some(balance) = step.unbalanced {
            strides = ss;
            self.flags.push("UNBALANCED");
            self.works(&[("l0", rows), ("l1", rows), ("first", rows), ("last", rows)]);
            self.problem("BALANCE", balance)?;
            self.fine_sites(2);
            self.sites.name("LOADS");
            for j in 0..=ss {
                self.sites.point(When::Always, Moment::node(0, j as f64 / ss as f64 * b.h));
            }
        } else {
            let strides = self.strides(&b.fine, 0);
            self.sites.name("FINE");
            self.sites.stride(When::Steps, Moment::node(0, 0.0), &[&strides]);
        }
        let first = usize::from(chi.is_some());
        self.constants.push(("FIRST".to_owned(), first));
        self.constants.push(("EVENTS".to_owned(), first + strides));
        self.texts.push(include_str!("../../c/coupling_foh.c"));
        Some(())
    }

    fn pmc(&mut self, options: PmcOptions, tie: &Tie, gap: Option<&Gap<'_>>, ahead: &[Vec<f64>]) -> Option<()> {
        let b = self.b;
        let (na, nb, rows, h) = (self.len(&b.coarse), self.len(&b.fine), b.rows, b.h);
        let PmcOptions { windows, parallel, .. } = options;
        let (starts, coupled, free) = (options.starts(), options.coupled(), options.free());
        let (rates_a, rates_b) = (self.lagging(&b.coarse), self.lagging(&b.fine));
        self.pair(
            1,
            &[
                ("A", coupled * na),
                ("FREE", free * na),
                ("B", nb),
                ("L", rows),
                ("LAST", (options.multipliers() - 1) * rows),
                ("RATES", options.kept() * rates_b),
            ],
        )?;
        self.works(&[("w", 4 * rows), ("window", na), ("window_2", na), ("l0", rows), ("predicted", rows)]);
        self.works(&[("rates", (starts + 1) * rates_a), ("slopes", (starts + 1) * rates_a)]);
        self.works(&[("fine_rates", (options.kept() + 1) * rates_b)]);
        for (name, value) in [
            ("WINDOWS", windows),
            ("COUPLED", coupled),
            ("FREES", free),
            ("MULTIPLIERS", options.multipliers()),
            ("KEPT", options.kept()),
            ("RATES_A", rates_a),
            ("RATES_B", rates_b),
        ] {
            self.constants.push((name.to_owned(), value));
        }
        self.numbers.extend([("TIE_1", tie.weights[0]), ("TIE_2", tie.weights[1]), ("TIE_DELAY", tie.delay)]);
        let mixed: Vec<usize> = b.mixed().into_iter().flat_map(|r| [r.start, r.end]).collect();
        self.constants.push(("MIXED_RANGES".to_owned(), mixed.len() / 2));
        self.tables.indices("MIXED", mixed.into_iter().chain([0]));
        self.gap(gap);
        self.calm_site();
        let openings = ["OPENING", "OPENING_2"].into_iter().take(free).enumerate();
        for (i, name) in openings {
            let from = starts + 1 + i - windows;
            self.coarse_site(name, 0, When::StartUp, Moment::fixed((from as f64 - tie.delay) * h));
        }
        let d = tie.delay * h;
        let window = Moment::node(0, if options.predicts() { h - d } else { -d });
        self.coarse_site("COARSE", 0, When::Steps, window);
        self.fine_sites(0);
        self.flags.extend(parallel.then_some("PARALLEL"));
        if options.predicts() {
            self.flags.push("PREDICTS");
            let mut at = 0;
            let places = ahead.iter().map(|columns| {
                at += columns.len();
                at - columns.len()
            });
            let places: Vec<usize> = places.collect();
            self.tables.indices("AHEAD_OF", places);
            let mut columns = ahead.concat();
            columns.push(0.0);
            self.tables.numbers("AHEAD", &columns);
        }
        Some(())
    }

    /// Rates of a side that the scheme of its stepping 0 assigns to another time than the state.
    fn lagging(&self, side: &Range<usize>) -> usize {
        let of = |p: usize| {
            let way = &self.b.subdomains[p].steppings[0];
            if way.lag == 0.0 { 0 } else { way.scheme.rates(self.dims(p)) }
        };
        side.clone().map(of).sum()
    }

    /// Both sides staged.
    fn staged(&mut self) -> Option<()> {
        let b = self.b;
        let (na, nb, rows, h, ss) = (self.len(&b.coarse), self.len(&b.fine), b.rows, b.h, b.substeps);
        let tableaus = |side: &Range<usize>| -> Vec<Rosenbrock> {
            side.clone().filter_map(|p| b.subdomains[p].steppings.first()?.scheme.tableau()).collect()
        };
        let most = |list: &[Rosenbrock]| list.iter().map(|r| r.stages).max().unwrap_or(1);
        let (coarse, fine) = (tableaus(&b.coarse), tableaus(&b.fine));
        self.constants.push(("COARSE_STAGES".to_owned(), most(&coarse)));
        self.constants.push(("FINE_STAGES".to_owned(), most(&fine)));
        self.extra.push("AT_B", nb);
        self.works(&[("at_a", na), ("middle", na), ("end", na), ("l", rows), ("node_l", rows)]);
        self.problem("MOBILITY", b.mobility.as_ref()?)?;
        let when = if self.starts > 0 { When::Steps } else { When::Always };
        let half = |q: usize| Moment::node(0, q as f64 * (h / (2 * ss) as f64));
        self.sites.name("RUN");
        (0..2 * ss).for_each(|q| self.sites.point(when, half(q)));
        // All subdomains of such a coupling have one tableau.
        let shifted = coarse.first().filter(|r| r.time == StageTimes::Shifted).copied();
        self.sites.name("SHIFT_A");
        if let Some(r) = shifted {
            self.flags.push("SHIFTED");
            for x in [r.place(0), r.time_of(0)] {
                self.sites.point(when, Moment::node(0, 0.0).later(2, x * h));
            }
        }
        self.sites.name("SHIFT_B");
        if let Some(r) = shifted {
            let dt = h / ss as f64;
            for q in (0..2 * ss).step_by(2) {
                for x in [r.place(0), r.time_of(0)] {
                    self.sites.point(when, half(q).later(2, x * dt));
                }
            }
        }
        self.texts.insert(1, include_str!("../../c/coupling_staged.c"));
        self.texts.retain(|t| *t != COMMON[1]);
        self.texts.push(include_str!("../../c/coupling_staggered.c"));
        Some(())
    }

    fn parallel(&mut self, mobility: &Flexibility) -> Option<()> {
        let b = self.b;
        let (na, nb, rows, h) = (self.len(&b.coarse), self.len(&b.fine), b.rows, b.h);
        let measured = |p: usize| b.subdomains[p].system.memory().len() - b.subdomains[p].system.own_memory();
        let kept: usize = b.fine.clone().map(measured).sum();
        self.extra.push("DROPPED", nb);
        self.works(&[("node_rates", nb), ("window", na), ("l0", rows), ("l1", rows), ("kept", kept + rows)]);
        self.problem("WINDOW_MOBILITY", mobility)?;
        for (name, node) in [("CALM", 0), ("LOOK", 1)] {
            self.sites.name(name);
            (0..2).for_each(|q| self.sites.point(When::StartUp, Moment::node(node, f64::from(q) * (h / 2.0))));
        }
        self.sites.name("WINDOW");
        self.sites.point(When::Steps, Moment::node(-2, 0.0));
        self.sites.point(When::Steps, Moment::node(-2, 2.0 * h));
        self.texts.push(include_str!("../../c/coupling_parallel.c"));
        Some(())
    }

    fn llm(&mut self, start: &Ties<'_>, step: &Ties<'_>, lag: f64) -> Option<()> {
        let b = self.b;
        let rows = b.rows;
        self.state.push("SUBDOMAINS", self.len(&b.coarse));
        self.state.push("L", rows);
        let free = step.roles.iter().filter(|r| matches!(r, Role::Free(_))).count();
        let imposed = step.roles.len() - free;
        self.state.push("REACTIONS", imposed);
        self.works(&[("w", rows), ("z", rows), ("rates", step.roles.len()), ("balance", free)]);
        for (name, value) in [("DOFS", step.roles.len()), ("FREE_DOFS", free), ("IMPOSED_DOFS", imposed)] {
            self.constants.push((name.to_owned(), value));
        }
        if free > 0 {
            self.flags.push("FREE");
        }
        for (name, ties) in [("TIES_STEP", step), ("TIES_START", start)] {
            self.constants.push((name.to_owned(), self.interfaces.len()));
            for (block, range) in ties.blocks.iter().zip(ties.ranges) {
                self.interface(block.factor(), range.len(), block.matrix())?;
            }
            self.interface(ties.s, free, &[])?;
        }
        self.tables.indices("TIE_DOF", step.dofs.iter().copied().chain([0]));
        self.tables.indices("TIE_FIRST", step.ranges.iter().map(|r| r.start));
        let role = |r: &Role| match r {
            Role::Free(i) => *i as i64,
            Role::Imposed(i) => -1 - *i as i64,
        };
        self.tables.indices("DOF_ROLE", step.roles.iter().map(role).chain([0]));
        let strides = self.strides(&b.coarse, 0);
        self.sites.name("FINE");
        self.sites.stride(When::Always, Moment::node(0, 0.0), &[&strides]);
        self.sites.name("IMPOSED");
        self.sites.point(When::Always, Moment::node(1, lag));
        self.texts.push(include_str!("../../c/coupling_llm.c"));
        Some(())
    }
}
