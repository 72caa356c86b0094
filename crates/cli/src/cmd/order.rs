//! `interfield order`: the observed order of accuracy of a scheme, or of a coupling, on a model of the user.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_analysis::order::Convergence;
use serde_json::{Value, json};

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{print, print_json};
use interfield::quantities::{ONE, UNITS};
use interfield::studies::Observed;
use interfield::table::{aligned, short};

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
        Ok(found) => Told(found).tell(args.json),
        Err(exit) => exit,
    }
}

fn measure(args: &Args) -> Result<Observed, Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let found = loaded.or_refuse(loaded.order(&(&args.settings).into(), args.levels))?;
    loaded.show();
    Ok(found)
}

/// Tells what was found.
struct Told(Observed);

impl Told {
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
            "dt": self.0.u.dt,
            "claimed_order": self.0.claimed,
            "u": show(&self.0.u),
            "v": show(&self.0.v),
            "s": self.0.s.as_ref().map_or(Value::Null, show),
            // Differences are norms over unknowns of all kinds: m and rad, and their rates.
            UNITS: { "dt": "s", "differences": "SI", "orders": ONE, "order": ONE },
        })
    }

    fn text(&self) -> String {
        let all = [Some(&self.0.u), Some(&self.0.v), self.0.s.as_ref()];
        let cell = |c: &Convergence, i: usize| {
            let order = i.checked_sub(1).and_then(|j| c.orders.get(j)).map_or("-".to_owned(), |o| format!("{o:.3}"));
            [format!("{:.3e}", c.differences[i]), order]
        };
        let row = |i: usize| {
            let cells = all.into_iter().flatten().flat_map(|c| cell(c, i));
            [short(self.0.u.dt[i])].into_iter().chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = (0..self.0.u.dt.len()).map(row).collect();
        let header = ["dt [s]", "change in u", "order", "change in v", "order", "change in s", "order"];
        let columns = rows.first().map_or(0, Vec::len);
        let claim = self.0.claimed.map_or_else(
            || "`interfield couplings` shows the order that the coupling claims".to_owned(),
            |order| format!("claimed order {order}"),
        );
        let change = "each change is the largest difference from the run with half the step";
        format!("{}\n{claim}; {change}\n", aligned(&header[..columns], &rows))
    }
}
