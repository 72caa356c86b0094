//! What the last line before an actuator costs: the guard per command, beside a limiter that only cuts position and velocity off.

use std::hint::black_box;
use std::time::Instant;

use interfield_lab::guard::{Envelope, Guard};

use crate::{Bar, Bench, Row};

/// Sampling interval, s.
const T: f64 = 5e-4;

impl Bench {
    /// A motion that is followed, and one that is braked at every other moment.
    pub(crate) fn guard(&self) -> Result<Vec<Row>, String> {
        let times = self.steps(5_000_000);
        let open = f64::INFINITY;
        let envelope =
            Envelope { position: [-0.28, 0.28], velocity: 1.5, acceleration: 1885.0, braking: 94.0, jerk: open };
        let smooth = |k: usize| 0.2 * (3.0 * T * k as f64).sin();
        let wild = |k: usize| smooth(k) + if k % 50 < 25 { 0.3 } else { 0.0 };
        let cut = limiter(times, wild);
        let mut rows = Vec::new();
        for (jerk, what) in [(open, "no jerk limit"), (1e5, "a jerk limit")] {
            let envelope = Envelope { jerk, ..envelope };
            for (motion, input) in [("followed", &smooth as &dyn Fn(usize) -> f64), ("braked half of the time", &wild)]
            {
                let ours = pass(envelope, times, input)?;
                rows.push(Row {
                    case: "guard",
                    what: format!("a command, {motion}, {what}"),
                    unit: "ns",
                    ours,
                    other: Ok(cut),
                    bar: Bar::Below(1000.0),
                    note: "beside a limiter of position and velocity".to_owned(),
                });
            }
        }
        Ok(rows)
    }
}

/// Nanoseconds per command of the guard.
fn pass(envelope: Envelope, times: usize, input: &dyn Fn(usize) -> f64) -> Result<f64, String> {
    let mut guard = Guard::new(envelope, T)?;
    let begin = Instant::now();
    for k in 0..times {
        black_box(guard.pass(black_box(input(k))));
    }
    Ok(1e9 * begin.elapsed().as_secs_f64() / times as f64)
}

/// Nanoseconds per command of what most laboratories have.
fn limiter(times: usize, input: impl Fn(usize) -> f64) -> f64 {
    let mut x = 0.0f64;
    let begin = Instant::now();
    for k in 0..times {
        let step = 1.5 * T;
        x = black_box(input(k)).clamp(-0.28, 0.28).clamp(x - step, x + step);
        black_box(x);
    }
    1e9 * begin.elapsed().as_secs_f64() / times as f64
}
