//! `interfield order`: the observed order of accuracy of a scheme, or of a coupling, on a model of the user.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_analysis::order::{Convergence, Trajectory, convergence};
use interfield_kernel::{Dims, Scheme};
use interfield_structure::Simulation;
use interfield_structure::specimen::Rehearsal;
use serde_json::{Value, json};

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::quantities::{ONE, UNITS};
use interfield::table::{aligned, short, time};

/// Most numbers kept of each run for the comparison.
const MAX_KEPT: u64 = 20_000_000;

/// Observed order of accuracy of a scheme or a coupling on a model, by halving the step
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield order models/duffing-chain.toml --scheme rosenbrock3\n  \
interfield order models/spring-pendulum.toml --scheme lsrt2 --dt \"4 ms\" --until \"1 s\"\n  \
interfield order models/split-mass.toml --coupling pmc --substeps 4")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Number of runs, each with half the step of the previous one
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(3..=16))]
    levels: u32,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match measure(args) {
        Ok(found) => found.tell(args.json),
        Err(exit) => exit,
    }
}

/// What the runs show, of displacements, velocities and element states.
struct Observed {
    u: Convergence,
    v: Convergence,
    s: Option<Convergence>,
    /// Order that the scheme claims; couplings say theirs in words.
    claimed: Option<u32>,
}

fn measure(args: &Args) -> Result<Observed, Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let mut runs: Vec<Trajectory> = Vec::new();
    let (mut dt, mut dims, mut claimed) = (0.0, Vec::new(), None);
    for level in 0..args.levels {
        let (mut model, places) = loaded.model(&args.settings)?;
        // All runs share the grid of the coarsest.
        if level == 0 {
            dt = model.analysis.dt;
        }
        let coarse = (model.analysis.duration / dt).round().max(1.0);
        model.analysis.duration = coarse * dt;
        model.analysis.dt = dt / f64::powi(2.0, level as i32);
        claimed = model.partition.is_none().then(|| model.analysis.scheme.claims().order);
        let structure = loaded.assemble(model, &places)?;
        if level == 0 {
            loaded.show();
        }
        let mut sim = loaded.start(structure, &places, &mut Rehearsal)?;
        dims = (0..sim.count()).map(|i| sim.coupling.dims_of(i)).collect();
        runs.push(trajectory(&mut sim, &dims, coarse as u64, 1 << level).map_err(|message| {
            let help = "try a smaller step with --dt, or a shorter time with --until";
            fail(args.json, Some(&args.model.display().to_string()), None, &message, help);
            Exit::Fault
        })?);
    }
    let n = dims.iter().map(|d| d.nu).sum();
    Ok(Observed {
        u: convergence(dt, &runs, |y| &y[..n]),
        v: convergence(dt, &runs, |y| &y[n..2 * n]),
        s: dims.iter().any(|d| d.ns > 0).then(|| convergence(dt, &runs, |y| &y[2 * n..])),
        claimed,
    })
}

/// Takes `ratio` steps for each of the `coarse` ones and keeps [u v s] where these end; the error is a sentence for the user.
fn trajectory(sim: &mut Simulation, dims: &[Dims], coarse: u64, ratio: u64) -> Result<Trajectory, String> {
    let numbers: usize = dims.iter().map(|d| d.state()).sum();
    let keep = (coarse * numbers as u64).div_ceil(MAX_KEPT).max(1);
    let mut kept = Trajectory::new();
    for k in 0..coarse * ratio {
        if let Err(fault) = sim.step(k) {
            let (t, dt) = (time(k as f64 * sim.dt()), time(sim.dt()));
            return Err(format!("at t = {t} with a step of {dt}: {}", sim.explain(fault)));
        }
        if (k + 1) % (ratio * keep) == 0 {
            let parts: Vec<_> = sim.states().zip(dims).collect();
            let u = parts.iter().flat_map(|(y, d)| &y[..d.nu]);
            let v = parts.iter().flat_map(|(y, d)| &y[d.nu..2 * d.nu]);
            let s = parts.iter().flat_map(|(y, d)| &y[2 * d.nu..d.state()]);
            kept.push(u.chain(v).chain(s).copied().collect());
        }
    }
    Ok(kept)
}

impl Observed {
    fn tell(&self, as_json: bool) -> Exit {
        if as_json {
            print_json(&self.json());
        } else {
            print(&self.text());
        }
        Exit::Done
    }

    fn json(&self) -> Value {
        let show = |c: &Convergence| json!({ "differences": c.differences, "orders": c.orders, "order": c.order() });
        json!({
            "dt": self.u.dt,
            "claimed_order": self.claimed,
            "u": show(&self.u),
            "v": show(&self.v),
            "s": self.s.as_ref().map_or(Value::Null, show),
            // Differences are norms over unknowns of all kinds: m and rad, and their rates.
            UNITS: { "dt": "s", "differences": "SI", "orders": ONE, "order": ONE },
        })
    }

    fn text(&self) -> String {
        let all = [Some(&self.u), Some(&self.v), self.s.as_ref()];
        let cell = |c: &Convergence, i: usize| {
            let order = i.checked_sub(1).and_then(|j| c.orders.get(j)).map_or("-".to_owned(), |o| format!("{o:.3}"));
            [format!("{:.3e}", c.differences[i]), order]
        };
        let row = |i: usize| {
            let cells = all.into_iter().flatten().flat_map(|c| cell(c, i));
            [short(self.u.dt[i])].into_iter().chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = (0..self.u.dt.len()).map(row).collect();
        let header = ["dt [s]", "change in u", "order", "change in v", "order", "change in s", "order"];
        let columns = rows.first().map_or(0, Vec::len);
        let claim = self.claimed.map_or_else(
            || "`interfield couplings` shows the order that the coupling claims".to_owned(),
            |order| format!("claimed order {order}"),
        );
        let change = "each change is the largest difference from the run with half the step";
        format!("{}\n{claim}; {change}\n", aligned(&header[..columns], &rows))
    }
}
