//! What recording costs the stepping loop: nanoseconds per row of 20 channels, with the writing thread beside it.
//!
//! `cargo run --release -p interfield-results --example push_cost [FILE]`

use interfield_results::{ChannelInfo, Meta, Policy, Writer, WriterOptions};
use std::hint::black_box;
use std::time::Instant;

const CHANNELS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let chosen = std::env::args().nth(1);
    let path = chosen.clone().map_or_else(|| std::env::temp_dir().join("interfield-push-cost.h5"), Into::into);
    let channels: Vec<ChannelInfo> = (0..CHANNELS)
        .map(|i| ChannelInfo::new(&format!("dof {i}"), "m", "displacement", "a degree of freedom"))
        .collect();
    let meta = Meta { title: "cost of recording".into(), ..Meta::default() };

    // Work of about 2.5 µs stands for a step of the frame with 120 degrees of freedom.
    for (work_ns, rows) in [(2500u64, 400_000u64), (0, 4_000_000)] {
        let rounds = calibrate(work_ns);
        let (mut added, mut share) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let bare = run(rows, rounds, |_, _| true);
            let options = WriterOptions { policy: Policy::Wait, overwrite: true, ..WriterOptions::default() };
            let mut writer = Writer::create(&path, &meta, &channels, options)?;
            let begin = Instant::now();
            let recorded = run(rows, rounds, |t, row| writer.push(t, row));
            let report = writer.finish("finished")?;
            let total = begin.elapsed().as_secs_f64();
            let per_row = |seconds: f64| seconds * 1e9 / rows as f64;
            println!(
                "step {:6.0} ns, recorded {:6.0} ns of wall time; {:6.0} and {:6.0} ns of the processor; \
                 {} rows, {:.0} MB/s, worst write {:.2} ms",
                per_row(bare.0),
                per_row(recorded.0),
                per_row(bare.1),
                per_row(recorded.1),
                report.rows,
                report.bytes as f64 / total / 1e6,
                report.worst_flush_ms,
            );
            added.push(per_row(recorded.1 - bare.1));
            share.push((recorded.1 / bare.1 - 1.0) * 100.0);
        }
        println!(
            "median: {:.0} ns of processor time per row of {CHANNELS} channels, {:.1} % of the step\n",
            median(&mut added),
            median(&mut share)
        );
    }
    if chosen.is_none() {
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds that this thread was on a processor, where the system says it: other programs do not disturb it.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|ns| ns * 1e-9)
}

/// Rounds of arithmetic that take about so many nanoseconds.
fn calibrate(nanoseconds: u64) -> u64 {
    let begin = Instant::now();
    black_box(work(10_000_000));
    let one = begin.elapsed().as_secs_f64() * 1e9 / 1e7;
    (nanoseconds as f64 / one) as u64
}

fn work(rounds: u64) -> f64 {
    let mut x = black_box(0.5);
    for _ in 0..rounds {
        x = x * 0.999 + 1e-4;
    }
    x
}

/// Seconds by the clock and of the processor.
fn run(rows: u64, rounds: u64, mut push: impl FnMut(f64, &[f64]) -> bool) -> (f64, f64) {
    let mut row = [0.0; CHANNELS];
    let begin = Instant::now();
    let processor = processor_time();
    for step in 0..rows {
        let x = work(rounds);
        for (i, value) in row.iter_mut().enumerate() {
            *value = x * (step + i as u64) as f64;
        }
        black_box(push(step as f64 * 1e-3, black_box(&row)));
    }
    let clock = begin.elapsed().as_secs_f64();
    let processor = processor_time().zip(processor).map_or(clock, |(after, before)| after - before);
    (clock, processor)
}
