//! Online updating: one specimen teaches a hundred elements. The estimator alone, and a whole test by the clock, with and without.

use std::fmt::Write;
use std::time::Instant;

use interfield_lab::realtime::{Clock, Schedule, Timing, WallClock, WhenLate};
use interfield_learn::online::pupil::Kind;
use interfield_learn::online::{Filter, Hysteresis, Learner, Limits, Pupil, Settings, Teacher};

use interfield_testkit::alloc::count;
use interfield_testkit::run::read_with;

use super::{Bar, Bench, Row, advance, start};
use crate::realtime::{PERIOD, PRIORITY, SPIN, in_real_time, missing, tails, us};

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
        let [with, without] = [true, false].map(|learns| self.updating_by_the_clock(learns));
        let ((seconds, note), (plain, beside)) = (with?, without?);
        let clocked = Row {
            other: Ok(plain),
            ..row(
                format!("a step at 1 kHz of a test with {PUPILS} of them / without updating, mean"),
                seconds,
                Bar::Below(100.0),
                &format!("{note}; without: {beside}"),
            )
        };
        Ok(vec![
            row("one specimen, five parameters".to_owned(), alone, Bar::Below(10.0), "with its free laws"),
            row(
                format!("the same and {PUPILS} elements"),
                all,
                Bar::Below(100.0),
                "energy budgets and new laws in each step",
            ),
            clocked,
        ])
    }

    /// A tower whose lowest storey is an emulated specimen, one step per millisecond of the wall clock in one thread: mean time of a step
    /// in us, and how it went.
    fn updating_by_the_clock(&self, learns: bool) -> Result<(f64, String), String> {
        let (warm_up, steps) = (500, 1000 * self.seconds() as u64 / 3);
        let text = tower(learns, warm_up + steps);
        let (rights, result) = in_real_time(PRIORITY, move || -> Result<_, String> {
            let mut simulation = start(read_with("bench.toml", &text, &Default::default()))?;
            (0..warm_up).try_for_each(|k| advance(&mut simulation, k as usize))?;
            let schedule = Schedule::new(PERIOD, WhenLate::Skip)?;
            let mut timing = Timing::new(schedule.period_ns());
            let mut clock = WallClock::new(schedule, SPIN);
            let (before, mut sum) = (count(), 0);
            for k in warm_up..warm_up + steps {
                let tick = clock.wait();
                let begin = clock.now_ns();
                advance(&mut simulation, k as usize)?;
                let end = clock.now_ns();
                timing.note(&tick, end);
                sum += end - begin;
            }
            Ok((timing, sum, count() - before))
        })?;
        let (timing, sum, allocations) = result?;
        let late = timing.missed + timing.overrun;
        let note = format!(
            "{}, {late} of {steps} late or left out, {allocations} allocations{}",
            tails(&timing.compute.summary()),
            missing(&rights)
        );
        Ok((us(sum) / steps as f64, note))
    }
}

/// A tower of Bouc-Wen storeys under an earthquake; those above the specimen learn from it.
fn tower(learns: bool, steps: u64) -> String {
    let duration = (steps + 10) as f64 * PERIOD;
    let mut text = format!(
        "dofs = [\"x\"]\nunits = {{ length = \"m\", force = \"N\" }}\nload = [{{ type = \"ground\", name = \"quake\", \
         direction = \"x\", signal = {{ type = \"synthetic\", peak = \"3 m/s^2\" }} }}]\n\
         analysis = {{ scheme = \"alpha-os\", dt = \"1 ms\", duration = \"{duration} s\" }}\n\
         [[specimen]]\nname = \"laboratory\"\nelements = [\"damper0\"]\nrate = \"1 kHz\"\n"
    );
    let mut pupils = Vec::new();
    for i in 0..=PUPILS {
        let below = if i == 0 { "ground".to_owned() } else { format!("floor{}", i - 1) };
        let _ = write!(
            text,
            "[[node]]\nname = \"floor{i}\"\nmass = 5000\n[[element]]\ntype = \"bouc-wen\"\nname = \"damper{i}\"\n\
             nodes = [\"{below}\", \"floor{i}\"]\ndof = \"x\"\nk = 5.6e6\nk2 = 1.6e6\nn = 1.2\n\
             beta = \"0.8*5.6e6/120e3^1.2\"\ngamma = \"0.2*5.6e6/120e3^1.2\"\n"
        );
        if i > 0 {
            pupils.push(format!("\"damper{i}\""));
        }
    }
    if learns {
        let _ = write!(
            text,
            "[[update]]\nname = \"dampers\"\nlearn = [{}]\nforce_noise = \"500 N\"\ndisplacement_noise = \"2e-5 m\"\n\
             truth = {{ k = 1.43, Fy = 0.67, r = 0.75, n = 1.67, k2 = 0.5 }}\n",
            pupils.join(", ")
        );
    }
    text
}
