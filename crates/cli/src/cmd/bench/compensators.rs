//! `interfield bench compensators`: all compensators in both benchmarks, in one table and one picture.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args as ClapArgs;
use interfield_lab::compensate::COMPENSATIONS;
use interfield_lab::marths::{PUBLISHED, Reference};
use interfield_report::{Axis, Curve, Figure, Panel, Style};
use serde_json::{Value, json};

use super::{Tests, drawn, marths, records, vrths};
use crate::Exit;
use crate::output::{print, print_json, progress};
use crate::stored::check_output;
use interfield::quantities::UNITS;
use interfield::table::{aligned, time};

/// All compensators in both benchmarks, and the published controllers of the multi-axial one
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench compensators\n  interfield bench compensators --records ground-motions --perturbed 5\n  \
interfield bench compensators -o compensators.png --json"
)]
pub(super) struct Args {
    #[command(flatten)]
    tests: Tests,
    /// Picture, FILE.svg or FILE.png
    #[arg(short, long, value_name = "FILE", default_value = "interfield-out/compensators.svg")]
    output: PathBuf,
}

/// The benchmarks, as the table calls them, and their criteria in it, counted from 0: delay, tracking, floors, and of the multi-axial one the joint.
const BENCHMARKS: [(&str, &[usize]); 2] = [("V", &[0, 1, 5]), ("M", &[0, 1, 4, 7])];

/// What a compensator reached in a benchmark: the largest value of each criterion over the stable tests.
struct Reached {
    values: Option<Vec<f64>>,
    lost: usize,
    tests: usize,
}

impl Reached {
    /// Its value of a criterion, if it lost no test.
    fn reliable(&self, criterion: usize) -> Option<f64> {
        self.values.as_ref().filter(|_| self.lost == 0)?.get(criterion).copied()
    }
}

/// Name of a criterion, counted from 0.
fn called(criterion: usize) -> String {
    format!("J{}", criterion + 1)
}

/// Whether a compensator lost no test, and no other such one has a smaller value of this criterion.
fn is_unbeaten(rows: &[Row], benchmark: usize, row: &Row, criterion: usize) -> bool {
    let value = |row: &Row| row.reached[benchmark].as_ref().and_then(|r| r.reliable(criterion));
    value(row).is_some_and(|own| rows.iter().filter_map(value).all(|other| own <= other))
}

/// The criteria in which a compensator is not beaten, by their names.
fn unbeaten(rows: &[Row], benchmark: usize, row: &Row) -> Vec<String> {
    let count = row.reached[benchmark].as_ref().and_then(|r| r.values.as_ref()).map_or(0, Vec::len);
    (0..count).filter(|&j| is_unbeaten(rows, benchmark, row, j)).map(called).collect()
}

struct Row {
    name: &'static str,
    /// In both; published controllers of the multi-axial benchmark are for two actuators.
    reached: [Option<Reached>; 2],
}

pub(super) fn run(args: &Args) -> Exit {
    match compared(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn compared(args: &Args) -> Result<Exit, Exit> {
    check_output(&args.output, &["svg", "png"], &[], args.tests.json)?;
    let (motions, files) = records::load(args.tests.records.as_deref(), args.tests.json)?;
    let started = Instant::now();
    let references: Vec<Reference> = motions.iter().map(Reference::new).collect();
    let names: Vec<&str> = motions.iter().map(|m| m.name.as_str()).collect();
    let both = COMPENSATIONS.iter().map(|c| (c.name, true));
    let all: Vec<(&'static str, bool)> = both.chain(PUBLISHED.iter().map(|(name, _)| (*name, false))).collect();
    let bar = progress(all.len() as u64, "compensators", !args.tests.json);
    let mut rows = Vec::with_capacity(all.len());
    for (name, one) in all {
        let single = one.then(|| single(name, &motions, args)).flatten();
        rows.push(Row { name, reached: [single, multi(name, &names, &references, args)] });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    let name = drawn(&args.output, &figure(&rows), args.tests.json)?;
    if args.tests.json {
        print_json(&json!({
            "benchmarks": ["vrths", "marths"], "seed": args.tests.seed, "perturbed": args.tests.perturbed, "records": files,
            "picture": name, "seconds": seconds, UNITS: { "seconds": "s" },
            "compensators": rows.iter().map(|row| describe(&rows, row)).collect::<Vec<_>>(),
        }));
    } else {
        print(&text(&rows));
        print(&format!("\n{} compensators in {}\n  figure: {name}\n", rows.len(), time(seconds)));
    }
    Ok(Exit::Done)
}

/// In the benchmark with one actuator.
fn single(name: &str, motions: &[interfield_lab::benchmark::Motion], args: &Args) -> Option<Reached> {
    let found = vrths::all(name, motions, args.tests.perturbed, args.tests.seed)?;
    let stable: Vec<[f64; 9]> = found.iter().filter(|t| t.stable()).map(|t| t.criteria).collect();
    let largest = |j: usize| stable.iter().map(|c| c[j].abs()).fold(0.0, f64::max);
    let values = (!stable.is_empty()).then(|| (0..9).map(largest).collect());
    Some(Reached { values, lost: found.len() - stable.len(), tests: found.len() })
}

/// In the multi-axial benchmark.
fn multi(name: &str, names: &[&str], references: &[Reference], args: &Args) -> Option<Reached> {
    let controller = marths::controller(name, &[]).ok()?;
    let found = marths::all(&controller, names, references, args.tests.perturbed, args.tests.seed, |_| {});
    let tests: Vec<&marths::Tested> = found.iter().collect();
    let values = marths::summary(&tests).map(|s| s.largest.to_vec());
    Some(Reached { values, lost: tests.iter().filter(|t| !t.stable()).count(), tests: tests.len() })
}

fn describe(rows: &[Row], row: &Row) -> Value {
    let one = |benchmark: usize| {
        row.reached[benchmark].as_ref().map(|r| {
            let values = r.values.iter().flatten().enumerate();
            let criteria: serde_json::Map<String, Value> = values.map(|(j, x)| (called(j), json!(x))).collect();
            json!({ "criteria": criteria, "unbeaten": unbeaten(rows, benchmark, row), "unstable": r.lost,
                "tests": r.tests, UNITS: { "J1": "ms", "J4 of marths": "ms", "others": "%" } })
        })
    };
    json!({ "name": row.name, "vrths": one(0), "marths": one(1) })
}

fn text(rows: &[Row]) -> String {
    let unit = |j: usize| if j == 0 { "ms" } else { "%" };
    let mut header = vec!["compensator".to_owned()];
    for (prefix, shown) in BENCHMARKS {
        header.extend(shown.iter().map(|&j| format!("{prefix} {} [{}]", called(j), unit(j))));
        header.push(format!("{prefix} unstable"));
    }
    let cells = |reached: &Option<Reached>, shown: &[usize]| match reached {
        None => vec![String::new(); shown.len() + 1],
        Some(r) => {
            let numbers = match &r.values {
                Some(values) => shown.iter().map(|&j| format!("{:.2}", values[j])).collect(),
                None => vec!["-".to_owned(); shown.len()],
            };
            [numbers, vec![format!("{}/{}", r.lost, r.tests)]].concat()
        }
    };
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let [single, multi] = &row.reached;
            [vec![row.name.to_owned()], cells(single, BENCHMARKS[0].1), cells(multi, BENCHMARKS[1].1)].concat()
        })
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut out = "Compensators in the benchmark with one actuator (V, bench vrths) and in the multi-axial one (M, bench marths).\n\
     Largest values of the stable tests; a method for one actuator is applied to each of the two.\n"
        .to_owned()
        + &aligned(&header, &lines)
        + "\nNot beaten in these criteria by any that lost no test; --json has all values:\n";
    for (benchmark, (prefix, _)) in BENCHMARKS.iter().enumerate() {
        for row in rows {
            let list = unbeaten(rows, benchmark, row);
            if !list.is_empty() {
                out += &format!("  {prefix} {}: {}\n", row.name, list.join(", "));
            }
        }
    }
    out
}

/// Bars of the error of the floors in both benchmarks, logarithmic: errors are between a tenth of a percent and all.
fn figure(rows: &[Row]) -> Figure {
    let panel = |benchmark: usize, title: &str, floors: usize| {
        let there: Vec<(&Row, &Reached)> =
            rows.iter().filter_map(|row| row.reached[benchmark].as_ref().map(|r| (row, r))).collect();
        let label =
            |(row, r): &(&Row, &Reached)| if r.lost > 0 { format!("{} ×", row.name) } else { row.name.to_owned() };
        let bars = |name: &str, place: usize| {
            let points = there.iter().enumerate().filter_map(|(i, (_, r))| Some((i as f64, r.values.as_ref()?[place])));
            Curve::line(name, points.collect()).style(Style::Bars)
        };
        Panel {
            title: title.to_owned(),
            x: Axis::of_names("", there.iter().map(label).collect()),
            y: Axis::new("root mean square", "%").log().over(0.01, 1000.0),
            curves: vec![bars("J2: tracking", 1), bars(&format!("{}: floors", called(floors)), floors)],
            ..Panel::default()
        }
    };
    let panels = vec![
        panel(0, "one actuator (vrths), largest error (×: unstable tests)", 5),
        panel(1, "two coupled actuators (marths), largest error (×: unstable tests)", 7),
    ];
    Figure { width: 900.0, slenderness: 0.3, ..Figure::new(panels) }
}
