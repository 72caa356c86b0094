//! Large structures in space: set-up, factorisation, solution and step, beside CHOLMOD on the same matrix in the same run and
//! beside the best solver of OpenSees.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use interfield_linalg::{Factor, Kind, Pattern};
use interfield_testkit::frames::{Run, space_frame};
use serde_json::Value;

use crate::{Bar, Bench, Row, advance, median, real, start};

const DT: f64 = 0.01;
/// Solvers of OpenSees that hold matrices of this size.
const SYSTEMS: &[&str] = &["SparseSYM", "UmfPack", "SuperLU"];

/// Bays, storeys, and the seconds that a set-up may take.
const FRAMES: &[(&str, usize, usize, f64)] =
    &[("frame of 29,040", 10, 40, 2.0), ("cube of 27,744", 16, 16, 2.0), ("frame of 76,800", 15, 50, 10.0)];

impl Bench {
    pub(crate) fn large(&self) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        // Of one core and of as many as share a solution: the bound is that of those at work.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let bandwidth = (1..=cores).map(bandwidth).collect::<Vec<_>>();
        for &(name, bays, storeys, limit) in &FRAMES[..if self.quick() { 2 } else { FRAMES.len() }] {
            rows.extend(self.large_frame_in_space(name, (bays, storeys), limit, &bandwidth)?);
        }
        Ok(rows)
    }

    fn large_frame_in_space(
        &self,
        name: &str,
        (bays, storeys): (usize, usize),
        limit: f64,
        bandwidth: &[f64],
    ) -> Result<Vec<Row>, String> {
        let steps = self.steps(100);
        let model = space_frame(bays, storeys, Run { scheme: "newmark", dt: DT, steps });
        let begin = Instant::now();
        let mut simulation = start(model)?;
        let setup = begin.elapsed().as_secs_f64();
        let threads = simulation.share_solutions(bandwidth.len());
        let bandwidth = bandwidth[threads - 1];
        let mut times = Vec::with_capacity(steps);
        for k in 0..steps {
            let begin = Instant::now();
            advance(&mut simulation, k)?;
            times.push(1e3 * begin.elapsed().as_secs_f64());
        }
        let step = median(&mut times);
        let solver = simulation.solver(0).map(|s| s.to_string()).unwrap_or_default();
        let (pattern, mass, stiffness) = simulation.matrices(0);
        let values: Vec<f64> = mass.iter().zip(&stiffness).map(|(m, k)| m + 0.25 * DT * DT * k).collect();
        let ours = measure(pattern, &values, (steps, threads))?;
        let peer = cholmod(pattern, &values, steps);
        let of = |what: fn(&Peer) -> f64| peer.as_ref().map(what).map_err(Clone::clone);
        let bound = 1e3 * 16.0 * ours.entries / bandwidth;
        let opensees = SYSTEMS.iter().filter_map(|system| {
            let args = [bays.to_string(), storeys.to_string(), "20".to_owned(), (*system).to_owned()];
            let said = self.script("opensees_large.py", &args).ok()?;
            Some((real(&said, "setup").ok()?, 1e3 * real(&said, "step").ok()?, *system))
        });
        let opensees = opensees.min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no solver of OpenSees finished".to_owned());
        let row = |what: &str, unit, ours, other, bar, note: String| Row {
            case: "large",
            what: format!("{name}: {what}"),
            unit,
            ours,
            other,
            bar,
            note,
        };
        let text = |o: Result<&(f64, f64, &str), &String>| o.map_or_else(Clone::clone, |o| o.2.to_owned());
        let entries = |p: &Peer| {
            format!(
                "{} million entries, CHOLMOD {} million with {}",
                million(ours.entries),
                million(p.entries),
                p.ordering
            )
        };
        let said = peer.as_ref().map_or_else(Clone::clone, entries);
        let difference = peer.as_ref().map_or(f64::NAN, |p| (p.sum - ours.sum).abs() / ours.sum.abs());
        Ok(vec![
            row("whole set-up", "s", setup, Err(String::new()), Bar::Below(limit), solver),
            row(
                "set-up, OpenSees",
                "s",
                setup,
                opensees.as_ref().map(|o| o.0).map_err(Clone::clone),
                Bar::RatioBelow(1.0),
                text(opensees.as_ref()),
            ),
            row(
                "analysis and factorisation, CHOLMOD",
                "s",
                ours.analyse + ours.factorise,
                of(|p| p.analyse + p.factorise),
                Bar::RatioBelow(1.0),
                said,
            ),
            row("factorisation alone, CHOLMOD", "s", ours.factorise, of(|p| p.factorise), Bar::None, String::new()),
            row(
                "solution, CHOLMOD",
                "ms",
                1e3 * ours.solve,
                of(|p| 1e3 * p.solve),
                Bar::RatioBelow(1.0),
                format!("solutions differ by {difference:.0e}"),
            ),
            row(
                "whole step, solution of CHOLMOD alone",
                "ms",
                step,
                of(|p| 1e3 * p.solve),
                Bar::RatioBelow(1.0),
                String::new(),
            ),
            row(
                "whole step, factor read twice from memory",
                "ms",
                step,
                Ok(bound),
                Bar::RatioBelow(1.4),
                format!("{:.1} GB/s with {threads} cores", 1e-9 * bandwidth),
            ),
            row(
                "whole step, OpenSees",
                "ms",
                step,
                opensees.as_ref().map(|o| o.1).map_err(Clone::clone),
                Bar::RatioBelow(1.0),
                text(opensees.as_ref()),
            ),
        ])
    }
}

fn million(x: f64) -> String {
    format!("{:.1}", 1e-6 * x)
}

/// Times in seconds, entries of the factor, and the sum of the solution for a right-hand side of ones.
struct Peer {
    analyse: f64,
    factorise: f64,
    solve: f64,
    entries: f64,
    sum: f64,
    ordering: &'static str,
}

fn measure(pattern: &Pattern, values: &[f64], (repeats, threads): (usize, usize)) -> Result<Peer, String> {
    let begin = Instant::now();
    let mut factor = Factor::new(pattern, Kind::Symmetric, true);
    let analyse = begin.elapsed().as_secs_f64();
    let mut times = Vec::new();
    for _ in 0..5 {
        let begin = Instant::now();
        factor.factorize_on_all_cores(values).map_err(|s| s.to_string())?;
        times.push(begin.elapsed().as_secs_f64());
    }
    let factorise = median(&mut times);
    factor.share_solutions(threads);
    let mut x = vec![1.0; pattern.n()];
    let mut times = Vec::new();
    for _ in 0..repeats.max(5) {
        x.fill(1.0);
        let begin = Instant::now();
        factor.solve(&mut x);
        times.push(begin.elapsed().as_secs_f64());
    }
    let report = factor.report();
    let solve = median(&mut times);
    Ok(Peer {
        analyse,
        factorise,
        solve,
        entries: report.nnz_factor as f64,
        sum: x.iter().sum(),
        ordering: report.ordering,
    })
}

/// CHOLMOD on the same matrix: of AMD and METIS the one with which analysis and factorisation are faster.
fn cholmod(pattern: &Pattern, values: &[f64], repeats: usize) -> Result<Peer, String> {
    let program = std::env::var("INTERFIELD_CHOLMOD").map_err(|_| crate::NO_PEER.to_owned())?;
    let file = std::env::temp_dir().join(format!("interfield-matrix-{}", std::process::id()));
    std::fs::write(&file, lower_triangle(pattern, values)).map_err(|e| e.to_string())?;
    let peers: Vec<Peer> =
        ["metis", "amd"].into_iter().filter_map(|ordering| run(&program, &file, ordering, repeats).ok()).collect();
    std::fs::remove_file(&file).map_err(|e| e.to_string())?;
    let seconds = |p: &Peer| p.analyse + p.factorise;
    peers.into_iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b))).ok_or_else(|| "CHOLMOD failed".to_owned())
}

fn run(program: &str, file: &Path, ordering: &'static str, repeats: usize) -> Result<Peer, String> {
    let output = Command::new(program).arg(file).args([ordering, &repeats.max(5).to_string()]).output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    let said: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{program}: {e}"))?;
    let [analyse, factorise, solve, entries, sum] =
        ["analyse", "factorise", "solve", "entries", "sum"].map(|name| real(&said, name));
    Ok(Peer { analyse: analyse?, factorise: factorise?, solve: solve?, entries: entries?, sum: sum?, ordering })
}

/// The matrix as `peers/cholmod.c` reads it.
fn lower_triangle(pattern: &Pattern, values: &[f64]) -> Vec<u8> {
    let n = pattern.n();
    let (mut pointers, mut rows, mut entries) = (vec![0i64], Vec::new(), Vec::new());
    for j in 0..n {
        for (k, &i) in pattern.row(j).zip(pattern.columns(j)).filter(|(_, i)| **i as usize >= j) {
            rows.push(i64::from(i));
            entries.push(values[k]);
        }
        pointers.push(rows.len() as i64);
    }
    let head = [n as i64, rows.len() as i64];
    let integers = head.iter().chain(&pointers).chain(&rows).flat_map(|x| x.to_le_bytes());
    integers.chain(entries.iter().flat_map(|x| x.to_le_bytes())).collect()
}

/// Bytes per second that so many cores read from memory together: the best of several walks through 256 MB.
fn bandwidth(cores: usize) -> f64 {
    let data: Vec<Vec<f64>> = (0..cores).map(|_| vec![1.0; (1 << 25) / cores]).collect();
    let read = |data: &[f64]| {
        let mut sums = [0.0; 16];
        for chunk in data.as_chunks::<16>().0 {
            for k in 0..16 {
                sums[k] += chunk[k];
            }
        }
        std::hint::black_box(sums);
    };
    let walk = |_| {
        let begin = Instant::now();
        std::thread::scope(|scope| data.iter().for_each(|part| drop(scope.spawn(move || read(part)))));
        8.0 * (1 << 25) as f64 / begin.elapsed().as_secs_f64()
    };
    (0..9).map(walk).fold(0.0, f64::max)
}
