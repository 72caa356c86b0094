//! Sites: the places of a schedule at which subdomains look at the inputs, and the rows of the inputs that they look at there.
//!
//! Times are written down as the coupling computes them, sum by sum, so that a signal is asked for at the same bits.

use std::fmt::Write;
use std::ops::Range;

use crate::stepping::Stepping;
use crate::text::{Tables, number};

/// When a row of the inputs is taken: ((base + a) + b) + c, the base being a node of the macro-grid or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// The node k + `node` in macro-step k; none: the zero of time.
    node: Option<i32>,
    later: [f64; 3],
}

impl Moment {
    /// Later than a node by `a`.
    pub(crate) fn node(node: i32, a: f64) -> Self {
        Moment { node: Some(node), later: [a, 0.0, 0.0] }
    }

    /// The same in every macro-step.
    pub(crate) fn fixed(t: f64) -> Self {
        Moment { node: None, later: [t, 0.0, 0.0] }
    }

    /// Later again, by the second (1) or the third (2) sum.
    pub(crate) fn later(self, place: usize, by: f64) -> Self {
        let mut later = self.later;
        later[place] = by;
        Moment { later, ..self }
    }

    /// In steps of `h` from the start of macro-step `k`.
    fn in_steps(self, h: f64, k: f64) -> f64 {
        self.node.map_or(-k, f64::from) + self.later.iter().sum::<f64>() / h
    }
}

/// The macro-steps that look at a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Those of the start-up.
    StartUp = 1,
    /// All others.
    Steps = 2,
    /// All.
    Always = 3,
}

/// Parties that stride: a range of them, and stepping and number of steps of each.
pub(crate) type Strides<'a> = (Range<usize>, Vec<(&'a Stepping, usize)>);

/// The rows and sites of a schedule.
pub(crate) struct Sites {
    rows: Vec<(u8, Moment)>,
    /// First row of each subdomain at each site; none: the row of the end of the step, which is t = 0 before the start.
    sites: Vec<Vec<Option<usize>>>,
    names: Vec<(&'static str, usize)>,
    subdomains: usize,
}

impl Sites {
    /// For this number of subdomains.
    pub(crate) fn new(subdomains: usize) -> Self {
        Sites { rows: Vec::new(), sites: Vec::new(), names: Vec::new(), subdomains }
    }

    /// Names the site that comes next.
    pub(crate) fn name(&mut self, name: &'static str) {
        self.names.push((name, self.sites.len()));
    }

    /// Rows that follow each other; those of before if they are the same.
    fn rows(&mut self, when: When, moments: &[Moment]) -> usize {
        let same = |w: &[(u8, Moment)]| w.iter().map(|r| &r.1).eq(moments);
        let found = self.rows.windows(moments.len().max(1)).position(same);
        let first = found.unwrap_or_else(|| {
            self.rows.extend(moments.iter().map(|m| (0, *m)));
            self.rows.len() - moments.len()
        });
        self.rows[first..first + moments.len()].iter_mut().for_each(|r| r.0 |= when as u8);
        first
    }

    /// The site of the start.
    pub(crate) fn start(&mut self) {
        self.name("START");
        self.sites.push(vec![None; self.subdomains]);
    }

    /// A site at which subdomains look at one moment.
    pub(crate) fn point(&mut self, when: When, at: Moment) {
        let row = self.rows(when, &[at]);
        self.sites.push(vec![Some(row); self.subdomains]);
    }

    /// A site at which subdomains stride from `at`.
    pub(crate) fn stride(&mut self, when: When, at: Moment, strides: &[&Strides<'_>]) {
        let mut site = vec![Some(0); self.subdomains];
        for (side, steppings) in strides {
            for (p, (stepping, steps)) in side.clone().zip(steppings) {
                let mut rows = Vec::new();
                for j in 0..*steps {
                    let start = at.later(1, j as f64 * stepping.dt);
                    rows.extend(stepping.looks.iter().map(|x| start.later(2, x * stepping.dt)));
                }
                site[p] = Some(self.rows(when, &rows));
            }
        }
        self.sites.push(site);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Times of the rows within a step, in steps; those at fixed times, in the last of `starts` steps.
    pub(crate) fn moments(&self, h: f64, starts: u64) -> Vec<f64> {
        self.rows.iter().map(|r| r.1.in_steps(h, starts.saturating_sub(1) as f64)).collect()
    }

    /// Constants `SITE_...`, the first rows, and when rows are taken.
    pub(crate) fn emit(&self, out: &mut String) {
        let names: Vec<String> = self.names.iter().map(|(name, at)| format!("    SITE_{name} = {at}")).collect();
        let _ = writeln!(out, "enum {{\n{}\n}};\n", names.join(",\n"));
        let mut t = Tables::new("");
        let end = self.rows.len();
        t.indices("SITES", self.sites.iter().flatten().map(|row| row.unwrap_or(end)));
        // A table of nothing would be none: one row more than there are.
        let nothing = (0, Moment::fixed(0.0));
        let rows = || self.rows.iter().chain([&nothing]);
        t.indices("ROW_WHEN", rows().map(|r| r.0));
        t.indices("ROW_FIXED", rows().map(|r| u8::from(r.1.node.is_none())));
        t.indices("ROW_NODE", rows().map(|r| r.1.node.unwrap_or(0)));
        t.table("double", "ROW_LATER", rows().flat_map(|r| r.1.later).map(number));
        out.push_str(&t.text);
    }
}
