//! `interfield order`: the observed order of accuracy of a scheme on a model of the user.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_analysis::order::{Convergence, Trajectory, convergence};
use interfield_kernel::{Scheme, System};
use serde_json::{Value, json};

use interfield_structure::specimen::Rehearsal;

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::table::{aligned, short};

/// Most numbers kept of each run for the comparison.
const MAX_KEPT: usize = 20_000_000;

/// Observed order of accuracy of a scheme on a model, by halving the step
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield order models/duffing-chain.toml --scheme rosenbrock3\n  \
interfield order models/spring-pendulum.toml --scheme lsrt2 --dt \"4 ms\" --until \"1 s\"")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Number of runs, each with half the step of the one before
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(3..=16))]
    levels: u32,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let mut runs: Vec<Trajectory> = Vec::new();
    let (mut dt, mut n, mut ns, mut claimed) = (0.0, 0, 0, 0);
    for level in 0..args.levels {
        let mut sim = match loaded.model(&args.settings) {
            Ok((mut model, places)) => {
                // All runs share the grid of the coarsest.
                if level == 0 {
                    dt = model.analysis.dt;
                }
                model.analysis.duration = (model.analysis.duration / dt).round().max(1.0) * dt;
                model.analysis.dt = dt / f64::powi(2.0, level as i32);
                let model = model.in_one_piece();
                let structure = match loaded.assemble(model, &places) {
                    Ok(s) => s,
                    Err(e) => return e,
                };
                if level == 0 {
                    loaded.show();
                }
                match loaded.start(structure, &places, &mut Rehearsal) {
                    Ok(s) => s,
                    Err(e) => return e,
                }
            }
            Err(e) => return e,
        };
        let dims = sim.coupling.system(0).dims();
        (n, ns, claimed) = (dims.nu, dims.ns, sim.model.analysis.scheme.claims().order);
        let ratio = 1u64 << level;
        let coarse = (sim.model.analysis.duration / dt).round() as u64;
        let keep = (coarse * dims.state() as u64).div_ceil(MAX_KEPT as u64).max(1);
        let mut trajectory = Trajectory::new();
        for k in 0..coarse * ratio {
            if let Err(fault) = sim.coupling.step(k) {
                let t = k as f64 * sim.coupling.dt();
                let dt = sim.coupling.dt();
                let message = format!("at t = {} s with a step of {} s: {}", short(t), short(dt), sim.explain(fault));
                let file = args.model.display().to_string();
                fail(
                    args.json,
                    Some(&file),
                    None,
                    &message,
                    "try a smaller step with --dt, or a shorter time with --until",
                );
                return Exit::Fault;
            }
            if (k + 1) % (ratio * keep) == 0 {
                trajectory.push(sim.y(0).to_vec());
            }
        }
        runs.push(trajectory);
    }
    let u = convergence(dt, &runs, |y| &y[..n]);
    let v = convergence(dt, &runs, |y| &y[n..2 * n]);
    let s = (ns > 0).then(|| convergence(dt, &runs, |y| &y[2 * n..]));
    if args.json {
        let show = |c: &Convergence| json!({ "differences": c.differences, "orders": c.orders, "order": c.order() });
        print_json(&json!({
            "dt": u.dt,
            "claimed_order": claimed,
            "u": show(&u),
            "v": show(&v),
            "s": s.as_ref().map_or(Value::Null, show),
        }));
        return Exit::Done;
    }
    let cell = |c: &Convergence, i: usize| {
        let order = i.checked_sub(1).and_then(|j| c.orders.get(j)).map_or("-".to_owned(), |o| format!("{o:.3}"));
        [format!("{:.3e}", c.differences[i]), order]
    };
    let rows: Vec<Vec<String>> = (0..u.dt.len())
        .map(|i| {
            let mut row = vec![short(u.dt[i])];
            row.extend([Some(&u), Some(&v), s.as_ref()].into_iter().flatten().flat_map(|c| cell(c, i)));
            row
        })
        .collect();
    let mut header = vec!["dt [s]", "change in u", "order", "change in v", "order"];
    if s.is_some() {
        header.extend(["change in s", "order"]);
    }
    print(&aligned(&header, &rows));
    print(&format!("\nclaimed order {claimed}; each change is the largest difference to the run with half the step\n"));
    Exit::Done
}
