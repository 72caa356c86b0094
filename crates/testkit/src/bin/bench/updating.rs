//! Online updating: one specimen teaches a hundred elements.

use std::time::Instant;

use interfield_learn::online::pupil::Kind;
use interfield_learn::online::{Filter, Hysteresis, Learner, Limits, Pupil, Settings, Teacher};

use super::{Bar, Bench, Row};

/// Elements that learn.
const PUPILS: usize = 100;

impl Bench {
    /// A sample of the filter, and all that follows for a hundred elements, the making of their laws included.
    pub(crate) fn updating(&self) -> Result<Vec<Row>, String> {
        let law = Hysteresis::BoucWen;
        let truth = [8e6, 80e3, 0.6, 2.0, 0.8e6, f64::INFINITY, 0.0, 0.0];
        let initial = [5.6e6, 120e3, 0.8, 1.2, 1.6e6, f64::INFINITY, 0.0, 0.0];
        let mut bounds = initial.map(|x| [0.1 * x, 10.0 * x]);
        (bounds[2], bounds[3]) = ([0.5, 1.5], [0.5, 8.0]);
        let free = [true, true, true, true, true, false, false, false];
        let settings =
            Settings { law, initial, free, bounds, noise: [500.0, 2e-5], prior: 0.35, walk: 0.005, path: 0.01 };
        let steps = self.steps(50_000);
        let dt = 1e-3;
        let once = |pupils: usize| -> Result<f64, String> {
            let filter = Filter::new(settings).ok_or("the filter does not start")?;
            let mut teacher = Teacher::new(Learner::Filter(Box::new(filter)), Limits::default(), dt);
            let mut all = vec![Pupil::new(Kind::Hysteretic, initial, 0.1, dt); pupils];
            let (mut z, mut last, mut sum) = (0.0, 0.0, 0.0);
            let mut out = [0.0; 8];
            let mut most = 0.0f64;
            for k in 0..steps {
                let t = k as f64 * dt;
                let q = 0.03 * (9.0 * t).sin() + 0.02 * (23.0 * t).sin();
                z = law.moved(&truth, z, last, q - last);
                last = q;
                let begin = Instant::now();
                teacher.step(q, z + truth[4] * q);
                for pupil in &mut all {
                    pupil.follow(q, z);
                    if pupil.learn(&initial, teacher.used(), &free).changed {
                        law.element(pupil.parameters(), &mut out);
                        sum += out[1];
                    }
                }
                let seconds = begin.elapsed().as_secs_f64();
                most += seconds;
            }
            std::hint::black_box(sum);
            Ok(1e6 * most / steps as f64)
        };
        let best = |pupils: usize| -> Result<f64, String> {
            (0..5).map(|_| once(pupils)).try_fold(f64::INFINITY, |m, x| x.map(|x| m.min(x)))
        };
        let (alone, all) = (best(0)?, best(PUPILS)?);
        let row = |what: String, ours: f64, bar: Bar, note: &str| Row {
            case: "updating",
            what,
            unit: "us/step",
            ours,
            other: Err("no peer".to_owned()),
            bar,
            note: note.to_owned(),
        };
        Ok(vec![
            row("one specimen, five parameters".to_owned(), alone, Bar::Below(10.0), "with its free laws"),
            row(
                format!("the same and {PUPILS} elements"),
                all,
                Bar::Below(100.0),
                "energy budgets and new laws in each step",
            ),
        ])
    }
}
