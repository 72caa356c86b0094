//! Learning while a test runs: filter, least squares, injection, on golden buildings and on many others.

#[path = "common/building.rs"]
mod building;
mod common;

use building::{Building, error};
use common::{golden, list, number};
use interfield_kernel::Persist;

use interfield_learn::online::pupil::Kind;
use interfield_learn::online::recursive::Start;
use interfield_learn::online::{
    COUNT, Filter, Hysteresis, Learner, Limits, Pupil, Recursive, Settings, State, Teacher, Terms,
};
use serde_json::Value;

fn settings(case: &Value) -> Settings {
    let of = |name: &str| list(&case[name]);
    let (lo, hi, initial) = (of("lo"), of("hi"), of("theta_initial"));
    let mut settings = Settings {
        law: Hysteresis::BoucWen,
        initial: [f64::INFINITY; COUNT],
        free: [true, true, true, true, true, false, false, false],
        bounds: [[0.0; 2]; COUNT],
        noise: [number(&case["sigma_force"]), number(&case["sigma_disp"])],
        prior: 0.35,
        walk: 0.005,
        path: 0.01,
    };
    for i in 0..5 {
        settings.initial[i] = initial[i];
        settings.bounds[i] = [lo[i], hi[i]];
    }
    settings
}

const GOLDEN: [&str; 3] = ["online_strong", "online_noisy", "online_weak_then_strong"];

#[test]
fn the_filter_follows_the_golden_trace() {
    for name in GOLDEN {
        let data = golden(name);
        let mut filter = Filter::new(settings(&data["case"])).unwrap();
        let (q, f) = (list(&data["replay"]["q"]), list(&data["replay"]["f"]));
        let rows: Vec<Vec<f64>> = data["replay"]["trace"].as_array().unwrap().iter().map(list).collect();
        let mut compared = 0;
        for (k, (q, f)) in q.iter().zip(&f).enumerate() {
            filter.step(*q, *f);
            let Some(row) = rows.iter().find(|row| row[0] as usize == k) else { continue };
            compared += 1;
            let got = filter.estimate();
            for i in 0..5 {
                assert!((got[i] / row[3 + i] - 1.0).abs() < 1e-3, "{name} {k}: {i} is {} for {}", got[i], row[3 + i]);
            }
            for (i, deviation) in filter.deviations().enumerate() {
                assert!(
                    (deviation / row[8 + i] - 1.0).abs() < 1e-2,
                    "{name} {k}: deviation {i} is {deviation} for {}",
                    row[8 + i]
                );
            }
        }
        assert_eq!(compared, rows.len());
    }
}

/// Root-mean-square errors of the roof: without updating they agree with the golden ones, with it they are an eighth or less.
#[test]
fn golden_buildings_learn() {
    for name in GOLDEN {
        let data = golden(name);
        let building = Building::golden(&data["case"]);
        let truth = building.truth();
        let run = |mode: &str| match mode {
            "none" => building.run(None, false),
            "known" => building.run(None, true),
            _ => building.run(Some(settings(&data["case"])), false),
        };
        let roof = ["none", "known", "safe"].map(|mode| {
            let found = run(mode);
            let got = error(&found.u[1], &truth.u[1]);
            if mode != "safe" {
                for (i, u) in ["u1", "u2"].iter().enumerate() {
                    let want = number(&data["result"][mode]["rms_error"][*u]);
                    let got = error(&found.u[i], &truth.u[i]);
                    assert!((got - want).abs() < 1e-6, "{name} {mode} {u}: {got} for {want}");
                }
            } else {
                assert_eq!(found.state, State::Learning);
                assert!(found.gained <= found.tank + 1e-6, "{} of {}", found.gained, found.tank);
                // The sheet has 47, 11 and 18.
                let want = number(&data["result"]["safe"]["rms_error"]["u2"]);
                assert!(got < 1.1 * want, "{name}: {got} for {want}");
            }
            got
        });
        assert!(roof[0] / roof[2] >= 8.0, "{name}: {roof:?}");
    }
}

/// Truths within 30 % and exponents from 1 to 4, up to 40 s of weak motion first, three strengths, two noises. One of the two hundred is
/// worse than without updating, by 1.3 %: there the first guess is nearly right by chance.
#[test]
fn two_hundred_truths_are_learned() {
    let mut reductions: Vec<f64> = (0..200)
        .map(|seed| {
            let building = Building::random(1000 + seed);
            let truth = building.truth();
            let none = error(&building.run(None, false).u[1], &truth.u[1]);
            let found = building.run(Some(building.settings(0.35)), false);
            assert!(found.u[1].iter().all(|u| u.is_finite()));
            assert_eq!(found.state, State::Learning, "{seed}: {} doubted, {}", found.doubted, found.worst);
            assert!(found.gained <= found.tank + 1e-6, "{seed}: {} of {}", found.gained, found.tank);
            none / error(&found.u[1], &truth.u[1])
        })
        .collect();
    reductions.sort_by(f64::total_cmp);
    println!("median {:.2}, the least {:.2?}", reductions[100], &reductions[..5]);
    assert!(reductions[100] >= 8.0, "{}", reductions[100]);
    assert!(reductions[0] > 0.98 && reductions[1] >= 1.0, "{:?}", &reductions[..2]);
}

/// Twelve decades of scale: the filter knows no units.
#[test]
fn the_filter_is_the_same_in_all_units() {
    let data = golden("online_strong");
    let (q, f) = (list(&data["replay"]["q"]), list(&data["replay"]["f"]));
    let end = |force: f64, length: f64| {
        let mut set = settings(&data["case"]);
        let factors = [force / length, force, 1.0, 1.0, force / length, length, 1.0, 1.0];
        for i in 0..COUNT {
            set.initial[i] *= factors[i];
            set.bounds[i] = set.bounds[i].map(|x| x * factors[i]);
        }
        set.noise = [set.noise[0] * force, set.noise[1] * length];
        set.path *= length;
        let mut filter = Filter::new(set).unwrap();
        q.iter().zip(&f).for_each(|(q, f)| {
            filter.step(q * length, f * force);
        });
        let x = filter.estimate();
        (0..5).map(|i| x[i] / factors[i]).collect::<Vec<f64>>()
    };
    let usual = end(1.0, 1.0);
    for (force, length) in [(1e-6, 1e6), (1e6, 1e-6)] {
        for (x, u) in end(force, length).iter().zip(&usual) {
            assert!((x / u - 1.0).abs() < 1e-6, "{x} for {u}");
        }
    }
}

/// What is saved and restored goes on with the same bits.
#[test]
fn a_teacher_goes_on_where_it_was() {
    let data = golden("online_strong");
    let (q, f) = (list(&data["replay"]["q"]), list(&data["replay"]["f"]));
    let make = || {
        let filter = Filter::new(settings(&data["case"])).unwrap();
        Teacher::new(Learner::Filter(Box::new(filter)), Limits::default(), 0.005)
    };
    let mut whole = make();
    let mut first = make();
    let half = q.len() / 2;
    for k in 0..q.len() {
        whole.step(q[k], f[k]);
        if k < half {
            first.step(q[k], f[k]);
        }
    }
    let mut saved = Vec::new();
    first.save(&mut |x| saved.push(x)).unwrap();
    let mut second = make();
    second.restore(&saved).unwrap();
    (half..q.len()).for_each(|k| second.step(q[k], f[k]));
    assert_eq!(whole.used(), second.used());
    assert_eq!(whole.learner().estimate(), second.learner().estimate());
    assert_eq!(whole.worst().to_bits(), second.worst().to_bits());
    assert!(make().restore(&saved[1..]).is_err());
}

/// NaN, a load cell that hangs, one with the wrong sign: learning ends, and the first guess comes back.
#[test]
fn bad_measurements_end_learning() {
    let data = golden("online_strong");
    let (q, f) = (list(&data["replay"]["q"]), list(&data["replay"]["f"]));
    let after = |spoil: &dyn Fn(usize, f64) -> f64| {
        let filter = Filter::new(settings(&data["case"])).unwrap();
        let mut teacher = Teacher::new(Learner::Filter(Box::new(filter)), Limits::default(), 0.005);
        for (k, (q, f)) in q.iter().zip(&f).enumerate() {
            teacher.step(*q, spoil(k, *f));
        }
        // Long enough for the way back.
        (0..4000).for_each(|_| teacher.step(0.0, 0.0));
        (teacher.state(), *teacher.used())
    };
    let first = settings(&data["case"]).initial;
    let near = |used: &[f64; COUNT]| (0..5).all(|i| (used[i] / first[i] - 1.0).abs() < 1e-9);
    let (state, used) = after(&|k, f| if k == 700 { f64::NAN } else { f });
    assert!(state == State::NotFinite && near(&used), "{state:?} {used:?}");
    let (state, used) = after(&|_, f| f);
    assert!(state == State::Learning && !near(&used));
    for factor in [0.0, -1.0] {
        // Hung at 500 kN, and with the wrong sign.
        let spoil = |k: usize, f: f64| if k > 700 { factor * f + if factor == 0.0 { 5e5 } else { 0.0 } } else { f };
        let (state, used) = after(&spoil);
        assert!(matches!(state, State::Inconsistent | State::Worse) && near(&used), "{state:?} {used:?}");
    }
}

/// Any sequence of changes, any path: the element never gains more than its tank held.
#[test]
fn injected_energy_stays_in_its_tank() {
    for kind in [Kind::Hysteretic, Kind::Slider] {
        let mut dice = building::Dice(7);
        let law = if kind == Kind::Slider { Hysteresis::Mostaghel } else { Hysteresis::BoucWen };
        let initial = [8e6, 80e3, 0.6, 2.0, 0.8e6, f64::INFINITY, 0.0, 0.0];
        let free = [true, true, false, false, true, false, false, false];
        let mut pupil = Pupil::new(kind, initial, 0.02, 0.1);
        let (mut q, mut z) = (0.0, 0.0);
        let (mut gave, mut waited) = (0, 0);
        for k in 0..40_000 {
            // A new goal every 20 steps.
            let step = 2e-3 * dice.normal() - 0.01 * q;
            let x = *pupil.parameters();
            let next = q + step;
            z = law.moved(&x, z, q, step);
            q = next;
            pupil.follow(q, if kind == Kind::Slider { z / x[0] } else { z });
            if k % 20 == 0 {
                let used = std::array::from_fn::<f64, COUNT, _>(|i| {
                    if free[i] { initial[i] * (0.3 + 1.4 * dice.uniform()) } else { initial[i] }
                });
                let energy = |x: &[f64; COUNT], z: f64| 0.5 * x[4] * q * q + 0.5 * z * z / x[0];
                let old = energy(&x, z);
                let change = pupil.learn(&initial, &used, &free);
                let now = *pupil.parameters();
                if kind == Kind::Slider {
                    // The slider stays, and its force follows the stiffness.
                    z *= now[0] / x[0];
                }
                assert!((energy(&now, z) - old - change.energy).abs() < 1e-9 * old.max(1.0), "{k}: {change:?}");
                assert!(z.abs() <= now[1] * 1.02 + 1e-6, "{k}: {z} beyond {}", now[1]);
                gave += usize::from(change.energy > 0.0);
                waited = pupil.waited();
            }
            assert!(pupil.gained() <= pupil.tank() + 1e-6, "{k}: {} of {}", pupil.gained(), pupil.tank());
        }
        assert!(gave > 100 && waited > 10, "{gave} {waited}");
    }
}

/// Nothing is dissipated, so that the tank stays small: what is dear waits for passages through zero, and still arrives. (A tank that is
/// used up at once leaves the element on its way for ever.)
#[test]
fn an_elastic_element_learns_with_little_energy() {
    let law = Hysteresis::BoucWen;
    let initial = [8e6, 1e9, 0.6, 2.0, 0.8e6, f64::INFINITY, 0.0, 0.0];
    let goal = [4e6, 1e9, 0.6, 2.0, 6e6, f64::INFINITY, 0.0, 0.0];
    let free = [true, false, false, false, true, false, false, false];
    let dt = 0.005;
    let mut pupil = Pupil::new(Kind::Hysteretic, initial, 0.1, dt);
    let (mut q, mut z) = (0.0, 0.0);
    for k in 1..2000 {
        let next = 0.01 * (10.0 * f64::from(k) * dt).sin();
        z = law.moved(pupil.parameters(), z, q, next - q);
        q = next;
        pupil.follow(q, z);
        // It learns once it moves, where a change is dearest.
        if k > 30 {
            pupil.learn(&initial, &goal, &free);
        }
        assert!(pupil.gained() <= pupil.tank() + 1e-9, "{} of {}", pupil.gained(), pupil.tank());
    }
    let now = pupil.parameters();
    assert!((now[0] / goal[0] - 1.0).abs() < 0.01 && (now[4] / goal[4] - 1.0).abs() < 0.01, "{now:?}");
}

/// Least squares: a cubic spring with a dashpot, found through noise; a rest of ten minutes forgets nothing.
#[test]
fn least_squares_find_what_is_linear() {
    let mut dice = building::Dice(3);
    let truth = [2e6, 4e8, 6e4];
    let start = Start {
        law: Terms::Cubic,
        initial: [1.5e6, 0.0, 0.0, 0.0, 0.0, 0.0, 6e8, 9e4],
        free: [true, false, false, false, false, false, true, true],
        bounds: [[1e5, 1e7], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [1e7, 1e10], [1e3, 1e6]],
        noise: [500.0, 2e-5],
        prior: 0.4,
        forgetting: 0.99,
    };
    let mut found = Recursive::new(start).unwrap();
    let dt = 0.001;
    let at = |k: usize| {
        let t = k as f64 * dt;
        let (q, v) =
            (0.05 * (6.0 * t).sin() + 0.02 * (17.0 * t).sin(), 0.3 * (6.0 * t).cos() + 0.34 * (17.0 * t).cos());
        (q, truth[0] * q + truth[1] * q.powi(3) + truth[2] * v)
    };
    for k in 0..20_000 {
        let (q, f) = at(k);
        found.step(q + 2e-5 * dice.normal(), f + 500.0 * dice.normal(), dt);
    }
    let places = [0, 6, 7];
    let moved = places.map(|i| found.estimate()[i]);
    for i in 0..3 {
        assert!((moved[i] / truth[i] - 1.0).abs() < 0.03, "{i}: {moved:?}");
        assert!(found.doubt(places[i]) < 0.5);
    }
    let doubt: Vec<f64> = places.iter().map(|i| found.doubt(*i)).collect();
    for _ in 0..600_000 {
        found.step(2e-5 * dice.normal(), 500.0 * dice.normal(), dt);
    }
    for i in 0..3 {
        assert!((found.estimate()[places[i]] / truth[i] - 1.0).abs() < 0.05, "{:?}", found.estimate());
        assert!(found.doubt(places[i]) < 2.0 * doubt[i] + 0.01);
    }
}

/// What cannot be started: guesses outside of their bounds, nothing to learn, no noise.
#[test]
fn settings_without_sense_are_refused() {
    let good = Building::random(1).settings(0.35);
    assert!(Filter::new(good).is_some());
    let bad = [
        Settings { free: [false; COUNT], ..good },
        Settings { noise: [0.0, 1e-5], ..good },
        Settings { noise: [1.0, f64::NAN], ..good },
        Settings { prior: 0.0, ..good },
        Settings { initial: [5.6e6, 120e3, 0.4, 1.2, 1.6e6, f64::INFINITY, 0.0, 0.0], ..good },
        Settings { law: Hysteresis::Mostaghel, ..good },
    ];
    for set in bad {
        assert!(Filter::new(set).is_none(), "{set:?}");
    }
}
