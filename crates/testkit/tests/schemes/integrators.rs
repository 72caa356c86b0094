//! CR, KR-α, MKR-α, Bathe, TR-BDF2 and explicit Newmark: the runs of OpenSees, closed forms, and the algorithms as they are printed.

use interfield_analysis::spectrum::spectrum;
use interfield_kernel::scheme::model_based::ModelBased;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Dims, Domain, Fault, Mck, Point, Shift, StepMap, System};
use interfield_testkit::dense::Dense;
use interfield_testkit::golden::{golden, list, number, numbers, rows};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems;
use interfield_testkit::run::{history, read};
use interfield_testkit::variants::scheme;
use serde_json::Value;

type Run<S> = Domain<AnyScheme, S, Vec<f64>>;

fn domain<S: System>(scheme: AnyScheme, system: S, dt: f64, y0: &[f64]) -> Run<S> {
    let (nx, nw) = Run::<S>::memory(&scheme, &system);
    let mut x = y0.to_vec();
    x.resize(nx, 0.0);
    Domain::new(scheme, system, dt, x, vec![0.0; nw]).unwrap()
}

// ---------------------------------------------------------------------------- the runs of OpenSees

/// The law of Giuffré, Menegotto and Pinto as OpenSees has it, without hardening of the strength: the history
/// [e s emax emin epl es ss er sr direction] is moved to the strain `e`, and gives the stress.
struct Steel {
    fy: f64,
    e0: f64,
    b: f64,
    r: [f64; 3],
}

impl Steel {
    fn advance(&self, h: &mut [f64], e: f64) -> f64 {
        let Steel { fy, e0, b, r: [r0, cr1, cr2] } = *self;
        let (ey, d) = (fy / e0, e - h[0]);
        if d == 0.0 {
            return h[1];
        }
        let sign = d.signum();
        if h[9] == 0.0 {
            (h[2], h[3], h[4], h[5], h[6]) = (ey, -ey, sign * ey, sign * ey, sign * fy);
        } else if h[9] != sign {
            (h[7], h[8]) = (h[0], h[1]);
            (h[2], h[3]) = if sign < 0.0 { (h[2].max(h[0]), h[3]) } else { (h[2], h[3].min(h[0])) };
            h[5] = (sign * fy * (1.0 - b) - h[8] + e0 * h[7]) / (e0 * (1.0 - b));
            h[6] = sign * fy + b * e0 * (h[5] - sign * ey);
            h[4] = if sign < 0.0 { h[3] } else { h[2] };
        }
        h[9] = sign;
        let (xi, x) = ((h[4] - h[5]).abs() / ey, (e - h[7]) / (h[5] - h[7]));
        let r = r0 * (1.0 - cr1 * xi / (cr2 + xi));
        h[0] = e;
        h[1] = h[8] + (h[6] - h[8]) * (b * x + (1.0 - b) * x / (1.0 + x.abs().powf(r)).powf(1.0 / r));
        h[1]
    }
}

/// Three masses on springs over each other, on moving ground.
struct Chain {
    /// Masses and dampers, and the springs that the operators know; true springs are these, or of steel.
    linear: Dense,
    steel: Option<Steel>,
    mass: f64,
    /// Ground acceleration and its sampling interval.
    ground: (Vec<f64>, f64),
    memory: Vec<f64>,
    committed: Vec<f64>,
}

impl Chain {
    fn new(file: &Value, hysteretic: bool) -> Self {
        let [mass, k, damping] = ["mass", "stiffness", "damping_per_mass"].map(|key| number(&file[key]));
        let diagonal = |x: f64| (0..9).map(|i| if i % 4 == 0 { x } else { 0.0 }).collect::<Vec<f64>>();
        let stiffness = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 1.0].map(|x| k * x).to_vec();
        let linear = Dense::new(diagonal(mass), diagonal(damping * mass), stiffness);
        let s = &file["steel02"];
        let [fy, e0, b, r0, cr1, cr2] = ["Fy", "E0", "b", "R0", "cR1", "cR2"].map(|key| number(&s[key]));
        let motion = &file["motion"];
        let scale = number(&motion["scale"]);
        let values = numbers(&motion["values"]).iter().map(|a| scale * a).collect();
        Chain {
            linear: if hysteretic { linear.softened(0.0) } else { linear },
            steel: hysteretic.then_some(Steel { fy, e0, b, r: [r0, cr1, cr2] }),
            mass,
            ground: (values, number(&motion["dt"])),
            memory: vec![0.0; 30],
            committed: vec![0.0; 30],
        }
    }

    fn acceleration(&self, t: f64) -> f64 {
        let (values, dt) = &self.ground;
        let x = t / dt;
        let i = (x as usize).min(values.len() - 2);
        values[i] + (x - i as f64) * (values[i + 1] - values[i])
    }
}

impl System for Chain {
    fn dims(&self) -> Dims {
        self.linear.dims()
    }
    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.linear.force(at, shift, r, g)?;
        let inertia = self.mass * self.acceleration(at.t);
        r.iter_mut().for_each(|r| *r += inertia);
        if let Some(steel) = &self.steel {
            for (i, h) in self.memory.chunks_exact_mut(10).enumerate() {
                let below = if i > 0 { at.u[i - 1] } else { 0.0 };
                let p = steel.advance(h, at.u[i] - below);
                r[i] += p;
                if i > 0 {
                    r[i - 1] -= p;
                }
            }
        }
        Ok(())
    }
    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.linear.prepare(operators)
    }
    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.linear.linearise(at)
    }
    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        self.linear.solve(slot, b, bs);
    }
    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        self.linear.mul_mass(x, y);
    }
    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.linear.mul_tangent(x, r, g);
    }
    fn load(&mut self, t: f64, out: &mut [f64]) {
        out.fill(-self.mass * self.acceleration(t));
    }
    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        r.fill(0.0);
        Ok(())
    }
    fn memory(&self) -> &[f64] {
        &self.memory
    }
    fn memory_mut(&mut self) -> &mut [f64] {
        &mut self.memory
    }
    fn commit(&mut self) {
        self.committed.copy_from_slice(&self.memory);
    }
    fn rewind(&mut self) {
        self.memory.copy_from_slice(&self.committed);
    }
}

#[test]
fn the_runs_of_opensees_are_reproduced() {
    let file = golden("integrators");
    let (dt, cases) = (number(&file["dt"]), list(&file["cases"]));
    assert_eq!(cases.len(), 10);
    for case in cases {
        let label = case["label"].as_str().unwrap();
        let hysteretic = case["kind"] == "hysteretic";
        let rho = case["integrator"][1].as_f64().map(|r| r.to_string()).unwrap_or_default();
        // Steps of ours in two of theirs: TRBDF2 of OpenSees is a half of Bathe's method at each of its steps.
        let (ours, every) = match case["integrator"][0].as_str().unwrap() {
            "Newmark" => (vec![scheme("newmark-newton", &[])], 2),
            "NewmarkExplicit" => (vec![scheme("explicit-newmark", &[])], 2),
            "KRAlphaExplicit" => (vec![scheme("kr-alpha", &[("rho_inf", &rho)])], 2),
            _ if hysteretic => (vec![scheme("bathe-newton", &[])], 1),
            _ => (vec![scheme("bathe", &[]), scheme("bathe-newton", &[])], 1),
        };
        let expected = rows(&case["u"]);
        let peak = expected.iter().map(|u| largest(u)).fold(0.0, f64::max);
        for scheme in ours {
            let mut run = domain(scheme, Chain::new(&file, hysteretic), 2.0 * dt / every as f64, &[0.0; 6]);
            // OpenSees starts without acceleration, whatever the load.
            run.state_mut()[6..].fill(0.0);
            let mut worst = 0.0f64;
            for (j, step) in (0..expected[0].len()).zip(1u64..) {
                ((step - 1) * every..step * every).for_each(|k| run.step(k).unwrap());
                let wanted = [expected[0][j], expected[1][j], expected[2][j]];
                worst = worst.max(distance(&run.state()[..3], &wanted));
            }
            let tolerance = if !hysteretic {
                1e-9
            } else if label.ends_with("Newton") {
                1e-7
            } else {
                1e-8
            };
            assert!(worst < tolerance * peak, "{label}: {:e} of the peak", worst / peak);
        }
    }
}

// ---------------------------------------------------------------------------- closed forms

const OMEGAS: [f64; 9] = [1e-3, 0.03, 0.3, 1.0, 2.5, 7.0, 40.0, 1e3, 1e5];
const RADII: [f64; 5] = [0.0, 0.3, 0.5, 0.8, 1.0];

/// Spectral radius of the oscillator with a unit step, of whose stiffness the operators know Ω² and the truth is a share.
fn radius(scheme: AnyScheme, xi: f64, omega: f64, share: f64) -> f64 {
    let system = Dense::new(vec![1.0], vec![2.0 * xi * omega], vec![omega * omega]).softened(share);
    spectrum(&mut domain(scheme, system, 1.0, &[0.0; 2]), omega).unwrap().rho
}

#[test]
fn cr_has_the_roots_of_average_acceleration() {
    for xi in [0.0, 0.05, 0.7] {
        for o in OMEGAS {
            let exact = ((1.0 - xi * o + o * o / 4.0) / (1.0 + xi * o + o * o / 4.0)).sqrt();
            let rho = radius(scheme("cr", &[]), xi, o, 1.0);
            assert!((rho - exact).abs() < 1e-13 + f64::EPSILON * o, "xi = {xi}, Omega = {o}: {rho} instead of {exact}");
        }
    }
}

#[test]
fn kr_alpha_has_the_radius_of_generalized_alpha() {
    for rho in ["0", "0.3", "0.5", "0.8", "1"] {
        for (xi, o) in [0.0, 0.05, 0.7].into_iter().flat_map(|xi| OMEGAS.map(|o| (xi, o))) {
            let [a, b] =
                ["kr-alpha", "generalized-alpha"].map(|name| radius(scheme(name, &[("rho_inf", rho)]), xi, o, 1.0));
            // Three eigenvalues meet at infinity, as far apart as Omega^(-2/3).
            assert!((a - b).abs() < 1e-11 + 1e-15 * o * o, "rho_inf = {rho}, xi = {xi}, Omega = {o}: {a} and {b}");
        }
    }
}

#[test]
fn the_parameters_of_mkr_alpha_follow_from_what_it_promises() {
    for rho in RADII {
        let ModelBased { alpha_m, alpha_f, beta, gamma } = ModelBased::mkr_alpha(rho);
        // Those that the paper prints.
        let printed = (2.0 * rho.powi(3) + rho * rho - 1.0) / (rho.powi(3) + rho * rho + rho + 1.0);
        assert!((alpha_m - printed).abs() < 1e-15 && (gamma - (0.5 - alpha_m + alpha_f)).abs() < 1e-15);
        assert!((beta - (0.5 + gamma) / 2.0).abs() < 1e-15);
        let mkr = AnyScheme::ModelBased(ModelBased::mkr_alpha(rho));
        // All roots of size rho at infinity, none above one before.
        assert!((radius(mkr, 0.0, 1e6, 1.0) - rho).abs() < 2e-4, "{rho}");
        for (xi, o) in [0.0, 0.05, 0.7, 3.0].into_iter().flat_map(|xi| OMEGAS.map(|o| (xi, o))) {
            let found = radius(mkr, xi, o, 1.0);
            assert!(found < 1.0 + 1e-12 + f64::EPSILON * o, "rho_inf = {rho}, xi = {xi}, Omega = {o}: {found}");
        }
    }
    // More damping at low frequencies than KR-alpha.
    let at_one = ["mkr-alpha", "kr-alpha"].map(|name| radius(scheme(name, &[("rho_inf", "0.5")]), 0.0, 1.0, 1.0));
    assert!((at_one[0] - 0.958_355_416).abs() < 1e-9 && (at_one[1] - 0.989_312_786).abs() < 1e-9, "{at_one:?}");
}

#[test]
fn composite_methods_have_the_radius_of_their_closed_form() {
    let tr_bdf2 = 2.0 - 2f64.sqrt();
    let list = [("bathe", 0.5), ("bathe", 0.1), ("bathe", 0.35), ("bathe", 0.9), ("tr-bdf2", tr_bdf2)];
    for (name, g) in list {
        let text = g.to_string();
        let parameters = [("gamma", text.as_str())];
        for suffix in ["", "-newton"] {
            let s = scheme(&format!("{name}{suffix}"), if name == "bathe" { &parameters } else { &[] });
            for o in OMEGAS {
                let (c3, d) = ((2.0 - g) / (1.0 - g), ((1.0 - g) * (1.0 - g) + 1.0) / (2.0 * (1.0 - g)));
                let square = (c3 * c3 + o * o * d * d) / ((c3 * c3 + o * o) * (1.0 + g * g * o * o / 4.0));
                let found = radius(s, 0.0, o, 1.0);
                let rounding = 1e-13 + 1e-15 * o;
                assert!((found - square.sqrt()).abs() < rounding, "{name}{suffix} {g}, Omega = {o}: {found}");
            }
        }
    }
    let short = |o: f64| ((144.0 + 25.0 * o * o) / ((9.0 + o * o) * (16.0 + o * o))).sqrt();
    assert!((radius(scheme("bathe", &[]), 0.0, 2.5, 1.0) - short(2.5)).abs() < 1e-13);
}

#[test]
fn explicit_newmark_leaves_its_limit_by_the_closed_form() {
    let explicit = scheme("explicit-newmark", &[]);
    for o in [2.0001, 2.1, 3.0, 10.0] {
        let b = (o * o - 2.0) / 2.0;
        let (found, exact) = (radius(explicit, 0.0, o, 1.0), b + (b * b - 1.0f64).sqrt());
        assert!((found - exact).abs() < 1e-9 * exact, "Omega = {o}: {found} instead of {exact}");
    }
    // 4 = 2 gamma Omega² at the eigenvalue -1.
    for gamma in [0.5, 0.6, 1.0] {
        let s = scheme("explicit-newmark", &[("gamma", &format!("{gamma:?}"))]);
        let limit = (2.0f64 / gamma).sqrt();
        assert!(
            radius(s, 0.0, 0.999 * limit, 1.0) < 1.0 + 1e-9 && radius(s, 0.0, 1.001 * limit, 1.0) > 1.001,
            "{gamma}"
        );
    }
}

#[test]
fn a_structure_softer_than_its_tangent_stays_stable() {
    let names = ["cr", "kr-alpha", "mkr-alpha", "bathe", "tr-bdf2"];
    let all = names.map(|name| scheme(name, &[])).into_iter();
    let radii = ["0", "0.5", "1"].into_iter();
    let more = radii.flat_map(|r| ["kr-alpha", "mkr-alpha"].map(|name| scheme(name, &[("rho_inf", r)])));
    for s in all.chain(more) {
        for share in [0.01, 0.1, 0.5, 0.9] {
            for o in [0.1, 1.0, 2.5, 7.0, 40.0, 1e3] {
                let rho = radius(s, 0.0, o, share);
                assert!(rho < 1.0 + 1e-9, "{s:?}, {share} K, Omega = {o}: {rho}");
            }
        }
    }
    // Stiffer than the tangent: MKR-alpha bears twice as much with rho_inf = 1, the others nothing at long steps.
    assert!(radius(scheme("mkr-alpha", &[("rho_inf", "1")]), 0.0, 1e3, 1.9) < 1.0 + 1e-9);
    assert!(names[..2].iter().all(|name| radius(scheme(name, &[]), 0.0, 1e3, 1.5) > 1.5));
}

// ---------------------------------------------------------------------------- as they are printed

/// The algorithm box of KR-alpha for one unknown, with the velocity of its own time; CR is that with A3 = 0.
fn printed(p: ModelBased, [m, c, k]: [f64; 3], load: impl Fn(f64) -> f64, h: f64, start: [f64; 3]) -> Vec<[f64; 3]> {
    let ModelBased { alpha_m, alpha_f, beta, gamma } = p;
    let a0 = m + gamma * h * c + beta * h * h * k;
    let a1 = m / a0;
    let a3 = (alpha_m * m + alpha_f * gamma * h * c + alpha_f * beta * h * h * k) / a0;
    let [mut u, mut v, mut a] = start;
    let weighted = |new: f64, old: f64| (1.0 - alpha_f) * new + alpha_f * old;
    (0..200)
        .map(|n| {
            let u1 = u + h * v + (0.5 + gamma) * h * h * a1 * a;
            let v1 = v + h * a1 * a;
            let f = load((f64::from(n) + 1.0 - alpha_f) * h);
            a = ((f - c * weighted(v1, v) - k * weighted(u1, u)) / m - a3 * a) / (1.0 - a3);
            (u, v) = (u1, v1);
            [u, v, a]
        })
        .collect()
}

struct Forced(Dense, fn(f64) -> f64);

impl System for Forced {
    fn dims(&self) -> Dims {
        self.0.dims()
    }
    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.0.force(at, shift, r, g)?;
        r[0] -= (self.1)(at.t);
        Ok(())
    }
    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.0.prepare(operators)
    }
    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.0.linearise(at)
    }
    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        self.0.solve(slot, b, bs);
    }
    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        self.0.mul_mass(x, y);
    }
    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.0.mul_tangent(x, r, g);
    }
    fn load(&mut self, t: f64, out: &mut [f64]) {
        out[0] = (self.1)(t);
    }
    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        r.fill(0.0);
        Ok(())
    }
}

const BOX: [f64; 3] = [2.0, 0.8, 30.0];

fn push(t: f64) -> f64 {
    5.0 * (3.0 * t).cos()
}

fn forced(p: ModelBased, h: f64, [u, v]: [f64; 2]) -> Run<Forced> {
    let [m, c, k] = BOX;
    domain(AnyScheme::ModelBased(p), Forced(Dense::new(vec![m], vec![c], vec![k]), push), h, &[u, v])
}

fn members() -> impl Iterator<Item = ModelBased> {
    [ModelBased::cr()]
        .into_iter()
        .chain(RADII.into_iter().flat_map(|r| [ModelBased::kr_alpha(r), ModelBased::mkr_alpha(r)]))
}

#[test]
fn model_based_algorithms_are_those_that_are_printed() {
    for p in members() {
        for h in [0.02, 0.4] {
            let mut run = forced(p, h, [0.1, 0.7]);
            // [u v a b]: the printed velocity is that of an earlier time.
            let of = |x: &[f64]| [x[0], x[1] - p.gamma * h * x[3], x[2]];
            for (k, wanted) in printed(p, BOX, push, h, of(run.state())).into_iter().enumerate() {
                run.step(k as u64).unwrap();
                let found = of(run.state());
                let scale = [1.0, 5.0, 30.0];
                let close = (0..3).all(|i| (found[i] - wanted[i]).abs() < 1e-11 * scale[i]);
                assert!(close, "{p:?}, h = {h}, step {k}: {found:?} instead of {wanted:?}");
            }
        }
    }
}

#[test]
fn the_printed_start_costs_an_order() {
    // Error of the displacement at 2 s with both starts, against a run in short steps.
    let end = |p: ModelBased, steps: u64, shifted: bool| {
        let h = 2.0 / steps as f64;
        let mut run = forced(p, h, [0.1, 0.7]);
        if !shifted {
            let b = run.state()[3];
            run.state_mut()[1] += p.gamma * h * b; // so that the late velocity is v(0)
        }
        (0..steps).for_each(|k| run.step(k).unwrap());
        run.state()[0]
    };
    for p in members() {
        let exact = end(p, 1 << 17, true);
        for (shifted, order) in [(true, 2.0), (false, 1.0)] {
            let [a, b] = [1024, 2048].map(|steps| (end(p, steps, shifted) - exact).abs());
            assert!(((a / b).log2() - order).abs() < 0.1, "{p:?}, {shifted}: {a:e} and {b:e}");
        }
    }
}

#[test]
fn composite_methods_in_one_pass_and_iterated_agree_for_linear_structures() {
    for text in [problems::linear_forced(0.01), problems::frame("rayleigh = { ratio = 0.05, modes = [1, 2] }")] {
        let model = read(&text);
        for name in ["bathe", "tr-bdf2"] {
            let [a, b] = ["", "-newton"].map(|s| history(&model, scheme(&format!("{name}{s}"), &[]), 0.01, 300));
            let scale = a.iter().map(|y| largest(y)).fold(0.0, f64::max);
            let worst = a.iter().zip(&b).map(|(x, y)| distance(x, y)).fold(0.0, f64::max);
            assert!(worst < 1e-11 * scale, "{name}: {worst:e} of {scale}");
        }
    }
}
