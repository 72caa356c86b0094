//! Functions of time, imposed motions, matrix files.

use interfield_language::matrix_market;
use interfield_language::model::{Load, Support};
use interfield_language::signal::{Motion, Signal};
use interfield_testkit::run::read;

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn samples_are_linear_in_between_and_zero_outside() {
    let s = Signal::Samples { start: 1.0, dt: 0.5, values: [2.0, 4.0, -2.0].into() };
    for (t, y) in [(1.0, 2.0), (1.25, 3.0), (1.5, 4.0), (1.75, 1.0), (2.0, -2.0), (0.99, 0.0), (2.01, 0.0), (-5.0, 0.0)]
    {
        assert!(near(s.value(t), y, 1e-14), "{t}: {}", s.value(t));
    }
    assert_eq!(s.peak(), Some(4.0));
}

#[test]
fn samples_are_hit_in_spite_of_rounding() {
    let values: Vec<f64> = (0..=2000).map(|i| f64::from(i).sin()).collect();
    let s = Signal::Samples { start: 0.0, dt: 0.01, values: values.as_slice().into() };
    for (i, v) in values.iter().enumerate() {
        assert!(near(s.value(i as f64 * 0.01), *v, 1e-12), "{i}");
    }
    // The very last sample is not lost to a time that is too late by one bit.
    assert!(s.value(20.000_000_000_000_004) != 0.0);
}

#[test]
fn points_are_linear_in_between_and_zero_outside() {
    let s = Signal::Points([(0.0, 1.0), (1.0, 3.0), (4.0, 0.0), (5.0, 7.0)].into());
    for (t, y) in [(0.0, 1.0), (0.5, 2.0), (1.0, 3.0), (2.0, 2.0), (4.0, 0.0), (4.5, 3.5), (5.0, 7.0), (5.1, 0.0)] {
        assert!(near(s.value(t), y, 1e-14), "{t}: {}", s.value(t));
    }
    assert_eq!((s.peak(), s.value(-0.1)), (Some(7.0), 0.0));
}

#[test]
fn harmonics_and_constants_are_what_they_say() {
    let s = Signal::Harmonic { amplitude: 2.0, omega: 3.0, phase: 0.4, mean: 1.0 };
    assert!(near(s.value(0.7), 1.0 + 2.0 * (3.0f64 * 0.7 + 0.4).sin(), 1e-15));
    assert_eq!(s.peak(), Some(3.0));
    assert_eq!(Signal::Constant(-4.0).value(1e9), -4.0);
}

/// A mass with this load block; returns its signal.
fn signal(units: &str, load: &str) -> Signal {
    let text = format!(
        "title = \"t\"\ndofs = [\"x\"]\nnode = [{{ name = \"a\", mass = 1 }}]\nelement = [{{ type = \"spring\", \
         name = \"k\", nodes = [\"ground\", \"a\"], dof = \"x\", k = 1 }}]\n{units}\n[[load]]\ntype = \"force\"\nat = \"a.x\"\n\
         signal = {load}\n[analysis]\ndt = 0.01\nduration = 1\n"
    );
    match read(&text).loads.remove(0) {
        Load::Force { signal, .. } => signal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn signals_of_a_file_are_read_with_their_units() {
    let s = signal("", "{ type = \"harmonic\", amplitude = \"2 kN\", frequency = \"0.5 Hz\", phase = \"90 deg\" }");
    assert!(near(s.value(2.0), 2000.0, 1e-9));
    let s = signal("", "{ type = \"formula\", value = \"3*t^2 + sin(pi*t)\" }");
    assert!(near(s.value(0.5), 1.75, 1e-14));
    let s = signal("", "{ type = \"formula\", value = \"t\", scale = -2 }");
    assert!(near(s.value(0.5), -1.0, 1e-14));
    let s = signal("[units]\ntime = \"ms\"\nforce = \"kN\"", "{ type = \"formula\", value = \"t\" }");
    assert!(near(s.value(0.5), 500_000.0, 1e-6), "{}", s.value(0.5));
    let s = signal("", "{ type = \"table\", dt = 0.1, values = [0, 1, \"2 N\"] }");
    assert!(near(s.value(0.15), 1.5, 1e-14));
    let s = signal("", "{ type = \"table\", times = [0, 1, 4], values = [0, 1, 7] }");
    assert!(matches!(s, Signal::Points(_)) && near(s.value(2.0), 3.0, 1e-14));
}

/// Whether velocity and acceleration are the derivatives of the displacement, by central differences.
fn consistent(m: &Motion, times: impl Iterator<Item = f64>, h: f64, tolerance: [f64; 2]) {
    for t in times {
        let [_, v, a] = m.at(t);
        let ([u0, v0, _], [u1, v1, _]) = (m.at(t - h), m.at(t + h));
        assert!(near((u1 - u0) / (2.0 * h), v, tolerance[0]), "velocity at {t}: {v} {}", (u1 - u0) / (2.0 * h));
        assert!(near((v1 - v0) / (2.0 * h), a, tolerance[1]), "acceleration at {t}: {a} {}", (v1 - v0) / (2.0 * h));
    }
}

#[test]
fn imposed_motions_have_consistent_derivatives() {
    let harmonic = Motion::Harmonic { amplitude: 0.3, omega: 5.0, phase: 0.2, mean: 0.1 };
    consistent(&harmonic, (0..40).map(|i| 0.05 * f64::from(i)), 1e-4, [1e-6, 1e-5]);
    let text = "title = \"t\"\ndofs = [\"x\"]\nnode = [{ name = \"base\" }, { name = \"a\", mass = 1 }]\n\
                element = [{ type = \"spring\", name = \"k\", nodes = [\"base\", \"a\"], dof = \"x\", k = 1 }]\n\
                [[load]]\ntype = \"imposed\"\nat = \"base.x\"\n\
                displacement = { type = \"formula\", value = \"0.1*sin(3*t)*exp(-t) + 0.02*t^3\" }\n\
                [analysis]\ndt = 0.01\nduration = 1\n";
    let Support::Imposed(formula) = read(text).dofs[0].support.clone() else { panic!("not imposed") };
    consistent(&formula, (1..40).map(|i| 0.05 * f64::from(i)), 1e-4, [1e-6, 1e-5]);
    let t = 0.7f64;
    let [u, v, a] = formula.at(t);
    let (s, c, e) = ((3.0 * t).sin(), (3.0 * t).cos(), (-t).exp());
    assert!(near(u, 0.1 * s * e + 0.02 * t.powi(3), 1e-15));
    assert!(near(v, 0.1 * e * (3.0 * c - s) + 0.06 * t * t, 1e-15));
    assert!(near(a, 0.1 * e * (-8.0 * s - 6.0 * c) + 0.12 * t, 1e-9), "{a}");
    let values: Vec<f64> = (0..=100).map(|i| (0.05 * f64::from(i)).sin()).collect();
    let spline = Motion::from_displacement(&Signal::Samples { start: 0.0, dt: 0.05, values: values.into() });
    consistent(&spline, (0..99).map(|i| 0.02 + 0.05 * f64::from(i)), 1e-4, [1e-6, 1e-6]);
    // Continuous across the samples.
    for i in 1..100 {
        let t = 0.05 * f64::from(i);
        let (before, after) = (spline.at(t - 1e-9), spline.at(t + 1e-9));
        assert!(before.iter().zip(&after).all(|(x, y)| near(*x, *y, 1e-7)), "{t}: {before:?} {after:?}");
    }
}

#[test]
fn a_spline_passes_through_its_samples_and_follows_the_function() {
    let values: Vec<f64> = (0..=100).map(|i| (0.05 * f64::from(i)).sin()).collect();
    let spline = Motion::from_displacement(&Signal::Samples { start: 0.0, dt: 0.05, values: values.as_slice().into() });
    for (i, v) in values.iter().enumerate() {
        assert!(near(spline.at(0.05 * i as f64)[0], *v, 1e-14));
    }
    // Away from the ends, where a natural spline has no curvature.
    for i in 0..60 {
        let t = 1.0 + 0.05 * f64::from(i) + 0.017;
        let [u, v, a] = spline.at(t);
        assert!(near(u, t.sin(), 1e-7) && near(v, t.cos(), 1e-5) && near(a, -t.sin(), 1e-3), "{t}");
    }
}

#[test]
fn an_acceleration_linear_in_time_is_integrated_exactly() {
    // a = 2 - 3 t, so v = 2 t - 1.5 t², u = t² - 0.5 t³.
    let values: Vec<f64> = (0..=40).map(|i| 2.0 - 0.3 * f64::from(i)).collect();
    let m =
        Motion::from_acceleration(&Signal::Samples { start: 0.0, dt: 0.1, values: values.into() }, 4.0, 0.1).unwrap();
    for i in 0..=80 {
        let t = 0.05 * f64::from(i);
        let [u, v, a] = m.at(t);
        assert!(near(u, t * t - 0.5 * t * t * t, 1e-12) && near(v, 2.0 * t - 1.5 * t * t, 1e-12), "{t}: {u} {v}");
        assert!(near(a, 2.0 - 3.0 * t, 1e-12), "{t}: {a}");
    }
}

/// The motion of a support with this acceleration formula.
fn integral(value: &str, duration: f64) -> Motion {
    let text = format!(
        "dofs = [\"x\"]\nnode = [{{ name = \"base\" }}, {{ name = \"a\", mass = 1 }}]\n\
         element = [{{ type = \"spring\", nodes = [\"base\", \"a\"], dof = \"x\", k = 1 }}]\n[[load]]\ntype = \"imposed\"\n\
         at = \"base.x\"\nacceleration = {{ type = \"formula\", value = \"{value}\" }}\n[analysis]\ndt = 0.01\nduration = {duration}\n"
    );
    match read(&text).dofs[0].support.clone() {
        Support::Imposed(motion) => motion,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_acceleration_formula_is_integrated_whatever_the_duration() {
    // Closed forms of displacement and velocity; the error stated is 1e-10 a_max t^2/2 and 1e-10 a_max t.
    type Exact = fn(f64) -> [f64; 2];
    let cases: [(&str, f64, Exact); 5] = [
        ("cos(30*t)", 1.0, |t| [(1.0 - (30.0 * t).cos()) / 900.0, (30.0 * t).sin() / 30.0]),
        ("exp(-t/5)", 1.0, |t| [5.0 * t - 25.0 * (1.0 - (-t / 5.0).exp()), 5.0 * (1.0 - (-t / 5.0).exp())]),
        ("if(t < 1.2345, 1, 0)", 1.0, |t| {
            let s = t.min(1.2345);
            [s * s / 2.0 + s * (t - s), s]
        }),
        ("2*abs(t - pi)", 200.0, |t| {
            let p = std::f64::consts::PI;
            let x = (t - p).max(0.0);
            let s = t.min(p);
            let at = [s * s * p - s * s * s / 3.0, 2.0 * p * s - s * s];
            [at[0] + at[1] * (t - s) + x * x * x / 3.0, at[1] + x * x]
        }),
        ("0.3*t - 0.1*t^3", 1e4, |t| [0.05 * t.powi(3) - 0.005 * t.powi(5), 0.15 * t * t - 0.025 * t.powi(4)]),
    ];
    for (value, a_max, exact) in cases {
        let motions = [20.0, 60.0, 2000.0].map(|duration| integral(value, duration));
        for i in 0..=1000 {
            let t = 0.0201 * f64::from(i);
            let [[u, v, _], second, third] = [&motions[0], &motions[1], &motions[2]].map(|m| m.at(t));
            assert_eq!((second[..2] == [u, v], third[..2] == [u, v]), (true, true), "{value} at {t} s");
            let [x, y] = exact(t);
            let scale = 1e-10 * a_max * t;
            assert!(
                near(u, x, scale * t / 2.0 + 1e-15) && near(v, y, scale + 1e-15),
                "{value} at {t} s: {u} {x}, {v} {y}"
            );
        }
    }
}

#[test]
fn a_motion_that_has_ended_rests() {
    let samples = Signal::Samples { start: 0.0, dt: 0.1, values: [0.0, 1.0, 0.0, -1.0, 0.0].into() };
    for m in [Motion::from_acceleration(&samples, 0.4, 0.1).unwrap(), Motion::from_displacement(&samples)] {
        let [end, ..] = m.at(0.4);
        assert_eq!(m.at(7.0), [end, 0.0, 0.0]);
    }
}

#[test]
fn what_moves_when_its_acceleration_ends_goes_on_moving() {
    // Velocity at the end: the area 0.25 + 0.125 - 0.125 under the table; it is carried on for 1.5 s.
    let samples = Signal::Samples { start: 0.0, dt: 0.5, values: [0.0, 1.0, -0.5, 0.0].into() };
    let m = Motion::from_acceleration(&samples, 3.0, 0.01).expect("samples are integrated exactly");
    let [end, v, _] = m.at(1.5);
    assert!(near(end, 0.375, 1e-12) && near(v, 0.25, 1e-12), "{end} {v}");
    for t in [1.6, 2.0, 3.0] {
        let [u, v, a] = m.at(t);
        assert!(near(u, 0.375 + 0.25 * (t - 1.5), 1e-12) && near(v, 0.25, 1e-12) && a == 0.0, "{t}: {u} {v} {a}");
    }
}

#[test]
fn matrix_market_files_are_read() {
    let general = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e3\n1 2 4\n";
    assert_eq!(matrix_market::parse(general).unwrap(), [[1.5, 4.0, 0.0], [0.0, 0.0, -2e3]]);
    let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 -1\n";
    assert_eq!(matrix_market::parse(symmetric).unwrap(), [[3.0, -1.0], [-1.0, 0.0]]);
    let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n";
    assert_eq!(matrix_market::parse(skew).unwrap(), [[0.0, -5.0], [5.0, 0.0]]);
    let array = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
    assert_eq!(matrix_market::parse(array).unwrap(), [[1.0, 3.0], [2.0, 4.0]]);
    let lower = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
    assert_eq!(matrix_market::parse(lower).unwrap(), [[1.0, 2.0], [2.0, 3.0]]);
}

#[test]
fn broken_matrix_market_files_are_refused_in_words() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let array = "%%MatrixMarket matrix array real general\n";
    for (text, words) in [
        (String::new(), "empty"),
        ("1 2 x\n".to_owned(), "line 1"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n".to_owned(), "`complex`"),
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n".to_owned(), "`hermitian`"),
        (head.to_owned(), "size is missing"),
        (format!("{head}2 x 1\n"), "line 2: expected the size"),
        (format!("{head}2 2\n"), "line 2"),
        (format!("{head}0 2 0\n"), "cannot be used"),
        (format!("{head}100000 100000 1\n1 1 1\n"), "cannot be used"),
        (format!("{head}2 2 1\n3 1 1\n"), "no entry (3, 1)"),
        (format!("{head}2 2 1\n0 1 1\n"), "no entry (0, 1)"),
        (format!("{head}2 2 1\n1 1\n"), "line 3: expected row, column and value"),
        (format!("{head}2 2 1\n1 1 abc\n"), "`abc` is not a number"),
        (format!("{head}2 2 1\n1 1 nan\n"), "not a finite number"),
        (format!("{head}2 2 2\n1 1 1\n"), "2 entries declared, 1 found"),
        (format!("{array}2 2\n1\n2\n3\n"), "ends before"),
        (format!("{array}2 2\n1\n2\n3\n4\n5\n"), "more numbers"),
    ] {
        let e = matrix_market::parse(&text).expect_err(&text);
        assert!(e.contains(words), "{text:?}: {e}");
    }
    // Rows of numbers alone are what OpenSees prints.
    assert_eq!(matrix_market::parse("1 2 3\n"), Ok(vec![vec![1.0, 2.0, 3.0]]));
}
