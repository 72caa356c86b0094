//! Closed forms of single laws.

use interfield_kernel::element::{AnyLaw, Element};
use interfield_kernel::{Dual, Scalar};

use crate::tools::{Blocks, Lcg, Point, assert_close, solve};

/// Force of a two-node law after a steady deformation from rest to `to`, states by RK4 in q.
fn pushed(law: &AnyLaw, state: &mut [f64], from: f64, to: f64, steps: usize) -> f64 {
    let v = (to - from).signum();
    let h = (to - from).abs() / steps as f64;
    let rate = |q: f64, s: &[f64]| {
        let (mut p, mut g) = ([0.0], vec![0.0; s.len()]);
        law.response(0.0, &[q], &[v], s, &mut p, &mut g);
        g
    };
    for n in 0..steps {
        let q = from + v * h * n as f64;
        let add = |s: &[f64], f: f64, k: &[f64]| s.iter().zip(k).map(|(a, b)| a + f * b).collect::<Vec<_>>();
        let k1 = rate(q, state);
        let k2 = rate(q + 0.5 * v * h, &add(state, 0.5 * h, &k1));
        let k3 = rate(q + 0.5 * v * h, &add(state, 0.5 * h, &k2));
        let k4 = rate(q + v * h, &add(state, h, &k3));
        for i in 0..state.len() {
            state[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    let (mut p, mut g) = ([0.0], vec![0.0; state.len()]);
    law.response(0.0, &[to], &[v], state, &mut p, &mut g);
    p[0]
}

fn force(law: &AnyLaw, q: f64, v: f64) -> f64 {
    let mut p = [0.0];
    law.response(0.0, &[q], &[v], &[], &mut p, &mut []);
    p[0]
}

#[test]
fn spring_and_cubic_values() {
    assert_close(force(&AnyLaw::new("spring", &[3.0, 5.0]).unwrap(), 2.0, -0.5), 3.5, 1e-15);
    assert_close(force(&AnyLaw::new("cubic", &[3.0, 2.0, 5.0]).unwrap(), 2.0, -0.5), 19.5, 1e-15);
}

#[test]
fn gap_pushes_and_never_pulls() {
    let one = AnyLaw::new("gap", &[1000.0, 0.2, 150.0, 0.0]).unwrap();
    let both = AnyLaw::new("gap", &[1000.0, 0.2, 150.0, 1.0]).unwrap();
    assert_eq!(force(&one, 0.2, 3.0), 0.0, "touching is not yet contact");
    assert_close(force(&one, 0.5, 1.0), 450.0, 1e-14);
    assert_close(force(&both, -0.5, -1.0), -450.0, 1e-14);
    assert_eq!(force(&one, -0.5, -1.0), 0.0);
    assert_eq!(force(&one, 0.5, -3.0), 0.0, "separating faster than the spring follows");
    let mut random = Lcg(3);
    for _ in 0..1000 {
        let (q, v) = (random.next(), 3.0 * random.next());
        assert!(force(&one, q, v) >= 0.0);
        let p = force(&both, q, v);
        assert!(p * q >= 0.0, "pulls: p = {p} at q = {q}, v = {v}");
        assert_eq!(p, -force(&both, -q, -v));
        assert!(q.abs() > 0.2 || p == 0.0);
    }
}

#[test]
fn damper_follows_the_power_law_within_the_stated_deviation() {
    let (c, n, v0) = (50.0, 0.3, 1e-3);
    let law = AnyLaw::new("damper", &[c, n, v0]).unwrap();
    for (v, deviation) in [(1e-3, 0.2154), (1e-2, 0.003477), (0.1, 0.000035)] {
        let pure = c * f64::powf(v, n);
        assert_close(1.0 - force(&law, 0.0, v) / pure, deviation, 0.01);
        assert_eq!(force(&law, 0.0, -v), -force(&law, 0.0, v));
    }
    // Finite tangent at rest, c v0^(n-1).
    let rest = Point { q: vec![0.0], v: vec![0.0], s: vec![], acc: vec![0.0] };
    assert_close(Blocks::of(&law, &rest).c[0], c * f64::powf(v0, n - 1.0), 1e-14);
    // Exact dashpot for n = 1.
    assert_eq!(force(&AnyLaw::new("damper", &[c, 1.0, v0]).unwrap(), 0.0, 0.37), c * 0.37);
}

#[test]
fn bouc_wen_reaches_its_ultimate_force() {
    for n in [0.8, 1.0, 2.0, 3.0] {
        let (k, beta, gamma) = (20.0, 3.0, 1.0);
        let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, n, 0.0]).unwrap();
        let ultimate = f64::powf(k / (beta + gamma), 1.0 / n);
        assert_close(pushed(&law, &mut [0.0], 0.0, 20.0, 20000), ultimate, 1e-9);
        assert_close(pushed(&law, &mut [0.0], 0.0, -20.0, 20000), -ultimate, 1e-9);
        // A parallel spring adds k2 q.
        let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, n, 0.5]).unwrap();
        assert_close(pushed(&law, &mut [0.0], 0.0, 20.0, 20000), ultimate + 10.0, 1e-9);
    }
}

/// For n = 1 the rate is smooth at z = 0 but for the term of gamma: its slope there is -beta |q'|, as a run that starts with a velocity needs it.
#[test]
fn bouc_wen_has_its_slope_at_zero_force() {
    // Stiffness degrading laws: n1 k / (k xy) in place of beta.
    let laws: [(&str, &[f64], usize); 3] = [
        ("bouc-wen", &[20.0, 3.0, 1.0, 1.0, 0.0], 1),
        ("modified-bouc-wen", &[20.0, 3.0, 0.5, 1.0, 1.0, 1.0], 1),
        ("degrading-bouc-wen", &[20.0, 0.25, 0.0, 0.0, 0.0, 1.0, 0.75, 0.25], 2),
    ];
    for (name, parameters, states) in laws {
        let law = AnyLaw::new(name, parameters).unwrap();
        let at = |v: f64| Point { q: vec![0.3], v: vec![v], s: vec![0.0; states], acc: vec![0.0] };
        for v in [0.2, -0.2] {
            assert_close(Blocks::of(&law, &at(v)).e[0], -3.0 * f64::abs(v), 1e-14);
        }
    }
}

#[test]
fn bouc_wen_loading_and_unloading_in_closed_form() {
    let (k, beta, gamma) = (7200.0, 60.0, 40.0);
    let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, 1.0, 0.0]).unwrap();
    let zu = k / (beta + gamma);
    for q in [0.001, 0.01, 0.05] {
        let mut z = [0.0];
        let top = zu * (1.0 - f64::exp(-q * k / zu));
        assert_close(pushed(&law, &mut z, 0.0, q, 4000), top, 1e-11);
        // Unloading to zero force: dz/dq = k + (beta - gamma) z, from z = top.
        let travel = f64::ln(1.0 + (beta - gamma) * top / k) / (beta - gamma);
        assert!(pushed(&law, &mut z, q, q - travel, 4000).abs() < 1e-9 * top);
    }
}

#[test]
fn modified_bouc_wen_limits() {
    let linear = AnyLaw::new("modified-bouc-wen", &[20.0, 0.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
    let mut z = [0.0];
    assert_close(pushed(&linear, &mut z, 0.0, 3.0, 100), 60.0, 1e-13);
    assert_close(pushed(&linear, &mut z, 3.0, -1.0, 100), -20.0, 1e-12);
    // Without beta and gamma the force is rho k / sqrt(alpha) atan(sqrt(alpha) q).
    let softening = AnyLaw::new("modified-bouc-wen", &[20.0, 0.0, 4.0, 0.0, 1.0, 0.5]).unwrap();
    assert_close(pushed(&softening, &mut [0.0], 0.0, 3.0, 4000), 5.0 * f64::atan(6.0), 1e-11);
    // Without alpha it is the Bouc-Wen law.
    let (parameters, twin) = ([20.0, 3.0, 0.0, 1.0, 2.0, 1.0], [20.0, 3.0, 1.0, 2.0, 0.0]);
    let modified = AnyLaw::new("modified-bouc-wen", &parameters).unwrap();
    let plain = AnyLaw::new("bouc-wen", &twin).unwrap();
    let (mut a, mut b) = ([0.0], [0.0]);
    for (from, to) in [(0.0, 1.0), (1.0, -0.7), (-0.7, 0.4)] {
        assert_close(pushed(&modified, &mut a, from, to, 500), pushed(&plain, &mut b, from, to, 500), 1e-13);
    }
}

#[test]
fn degrading_bouc_wen_limits() {
    // Without degradation and post-yield stiffness: yields at k xy.
    let law = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.0, 2.0, 0.5, 0.5]).unwrap();
    assert_close(pushed(&law, &mut [0.0, 0.0], 0.0, 0.5, 20000), 2.0, 1e-9);
    // It is then the Bouc-Wen law with beta = n1 k / Fy^n, gamma = n2 k / Fy^n.
    let law = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.0, 2.0, 0.7, 0.3]).unwrap();
    let twin = AnyLaw::new("bouc-wen", &[100.0, 0.7 * 100.0 / 4.0, 0.3 * 100.0 / 4.0, 2.0, 0.0]).unwrap();
    let (mut a, mut b) = ([0.0, 0.0], [0.0]);
    for (from, to) in [(0.0, 0.03), (0.03, -0.01), (-0.01, 0.005)] {
        assert_close(pushed(&law, &mut a, from, to, 2000), pushed(&twin, &mut b, from, to, 2000), 1e-11);
    }
    // Strength: at full yield F follows Fy(H); with ds H = 1 it has fallen to one half.
    let weak = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.5, 2.0, 0.5, 0.5]).unwrap();
    let mut state = [0.0, 0.0];
    let end = pushed(&weak, &mut state, 0.0, 3.0, 100000);
    assert!(state[1] > 2.0, "H = {}", state[1]);
    assert_close(end, 2.0 / (1.0 + 0.5 * state[1]), 0.02);
    // Stiffness: elastic slope (exp(-dk H) - a) k + a k at F = 0.
    let soft = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.1, 0.3, 0.0, 2.0, 0.5, 0.5]).unwrap();
    let y = Blocks::of(&soft, &Point { q: vec![0.1], v: vec![1.0], s: vec![0.0, 2.0], acc: vec![0.0] });
    assert_close(y.k[0] + y.r[0] * y.b[0], 100.0 * f64::exp(-0.6), 1e-13);
}

#[test]
fn mostaghel_is_bilinear() {
    let (k, a, delta) = (400.0, 0.05, 0.4);
    let law = AnyLaw::new("mostaghel", &[k, a, delta]).unwrap();
    let mut s = [0.0];
    assert_close(pushed(&law, &mut s, 0.0, 0.2, 100), k * 0.2, 1e-13);
    // Plateau: slope a k beyond the yield displacement, and no trace of the overshoot in the force.
    let first = pushed(&law, &mut s, 0.2, 1.0, 1000);
    let second = pushed(&law, &mut s, 1.0, 2.0, 1000);
    assert_close(first, k * (a * 1.0 + (1.0 - a) * delta), 1e-13);
    assert_close(second - first, a * k, 1e-12);
    assert!((s[0] - delta).abs() <= 1.01 * 0.8e-3, "overshoot by more than one increment: {}", s[0]);
    // Unloading: elastic over 2 delta, then the opposite plateau.
    let excess = s[0] - delta;
    assert_close(pushed(&law, &mut s, 2.0, 1.5, 100), second - k * 0.5 + k * (1.0 - a) * excess, 1e-12);
    assert_close(pushed(&law, &mut s, 1.5, -2.0, 4000), -second, 1e-12);
}

/// Accelerations from (M + diag(extra)) a = load - p.
fn accelerations(law: &AnyLaw, q: &[f64], v: &[f64], extra: &[f64], load: &[f64]) -> Vec<f64> {
    let d = q.len();
    let (mut p, mut m) = (vec![0.0; d], vec![0.0; d * d]);
    law.response(0.0, q, v, &[], &mut p, &mut []);
    law.mass(q, &mut m);
    let matrix = (0..d).map(|i| (0..d).map(|j| m[i * d + j] + if i == j { extra[i] } else { 0.0 }).collect()).collect();
    solve(matrix, (0..d).map(|i| load[i] - p[i]).collect())
}

/// Rate of an energy along the motion, relative to the sum of the absolute powers.
fn energy_rate(q: &[f64], v: &[f64], a: &[f64], energy: impl Fn(&[Dual], &[Dual]) -> Dual) -> f64 {
    let along =
        |x: &[f64], dx: &[f64]| x.iter().zip(dx).map(|(re, eps)| Dual { re: *re, eps: *eps }).collect::<Vec<_>>();
    let still = |x: &[f64]| along(x, &vec![0.0; x.len()]);
    let size = energy(&along(q, v), &still(v)).eps.abs() + energy(&still(q), &along(v, a)).eps.abs();
    energy(&along(q, v), &along(v, a)).eps / size
}

#[test]
fn pendulum_keeps_its_energy_and_matches_the_solved_form() {
    let (m, l, g, floor) = (0.1, 0.2, 9.81, 10.0);
    let law = AnyLaw::new("pendulum", &[m, l, g]).unwrap();
    let mut random = Lcg(5);
    for _ in 0..200 {
        let q = [random.next(), 3.0 * random.next()];
        let v = [random.next(), 5.0 * random.next()];
        let a = accelerations(&law, &q, &v, &[floor, 0.0], &[0.0, 0.0]);
        let rate = energy_rate(&q, &v, &a, |q, v| {
            let (sin, cos) = (q[1].sin(), q[1].cos());
            let (vx, vy) = (v[0] + v[1] * cos * l, v[1] * sin * l);
            v[0] * v[0] * (0.5 * floor) + (vx * vx + vy * vy) * (0.5 * m) - cos * (m * g * l)
        });
        assert!(rate.abs() < 1e-12, "dE/dt = {rate}");
        // LSRT 9.4 with the load f on the floor: x'' = (f + m L sin theta'^2 + m g sin cos)/(m2 + m sin^2).
        let f = 3.0 * random.next();
        let a = accelerations(&law, &q, &v, &[floor, 0.0], &[f, 0.0]);
        let (sin, cos) = q[1].sin_cos();
        let ax = (f + m * l * sin * v[1] * v[1] + m * g * sin * cos) / (floor + m * sin * sin);
        assert!((a[0] - ax).abs() < 1e-13 * (1.0 + ax.abs()));
        let at = -(g * sin + cos * ax) / l;
        assert!((a[1] - at).abs() < 1e-13 * (1.0 + at.abs()));
    }
    // Small oscillations on a fixed floor: omega^2 = g / L.
    let rest = Point { q: vec![0.0, 0.0], v: vec![0.0, 0.0], s: vec![], acc: vec![0.0, 0.0] };
    let mut mass = [0.0; 4];
    law.mass(&rest.q, &mut mass);
    assert_close(Blocks::of(&law, &rest).k[3] / mass[3], g / l, 1e-14);
}

#[test]
fn spring_pendulum_keeps_its_energy_and_matches_the_explicit_equations() {
    let (m, k, l, c, g, pivot) = (0.34, 400.0, 0.167, 1.4, 9.81, 11.0);
    let damped = AnyLaw::new("spring-pendulum", &[m, k, l, c, g]).unwrap();
    let undamped = AnyLaw::new("spring-pendulum", &[m, k, l, 0.0, g]).unwrap();
    let mut random = Lcg(7);
    for _ in 0..200 {
        let q = [random.next(), l + 0.05 * random.next(), 3.0 * random.next()];
        let v = [random.next(), random.next(), 5.0 * random.next()];
        let a = accelerations(&undamped, &q, &v, &[pivot, 0.0, 0.0], &[0.0; 3]);
        let rate = energy_rate(&q, &v, &a, |q, v| {
            let (sin, cos) = (q[2].sin(), q[2].cos());
            let vx = v[0] + v[1] * sin + q[1] * v[2] * cos;
            let vy = v[1] * cos - q[1] * v[2] * sin;
            let stretch = q[1] - l;
            v[0] * v[0] * (0.5 * pivot) + (vx * vx + vy * vy) * (0.5 * m) + stretch * stretch * (0.5 * k)
                - q[1] * cos * (m * g)
        });
        assert!(rate.abs() < 1e-12, "dE/dt = {rate}");
        // LSRT 9.6, `load` standing for F - c1 x' - R.
        let load = 20.0 * random.next();
        let a = accelerations(&damped, &q, &v, &[pivot, 0.0, 0.0], &[load, 0.0, 0.0]);
        let (sin, cos) = q[2].sin_cos();
        let spring = k * (q[1] - l) + c * v[1];
        let x = (load + spring * sin) / pivot;
        let rho = q[1] * v[2] * v[2] + g * cos - spring / m - x * sin;
        let theta = (-2.0 * v[1] * v[2] - g * sin - x * cos) / q[1];
        let largest = x.abs().max(rho.abs()).max(theta.abs());
        for (found, expected) in a.iter().zip([x, rho, theta]) {
            assert!((found - expected).abs() < 1e-13 * largest, "{a:?} and {:?}", [x, rho, theta]);
        }
    }
    // At rest hanging from its spring.
    let a = accelerations(&damped, &[0.0, l + m * g / k, 0.0], &[0.0; 3], &[pivot, 0.0, 0.0], &[0.0; 3]);
    assert!(a.iter().all(|x| x.abs() < 1e-12), "{a:?}");
}
