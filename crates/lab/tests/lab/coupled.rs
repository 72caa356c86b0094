//! Actuators that act on one another: their dynamics against closed forms, and the methods that compensate all of them together.

use std::f64::consts::TAU;
use std::sync::Arc;

use interfield_kernel::Fault;
use interfield_lab::compensate::{Compensation, Multivariable};
use interfield_lab::emulate::{Body, Drive, Emulated, Motion, Sensor};
use interfield_lab::guard::{Envelope, Guard};
use interfield_lab::hardware::Hardware;
use interfield_lab::identify::{Excitation, Identified, Record, Shape, characterise, identify};
use interfield_lab::kinematics::{Kinematics, Lever};
use interfield_lab::plant::{
    Actuator, Coupled, Delayed, Hydraulic, Ideal, Limited, Limits, LinearSpecimen, Rational, StateSpace, Transfer,
};
use interfield_testkit::alloc::allocations;
use realfft::num_complex::Complex64;

use crate::{DT, method};

/// Zeros and poles, Hz, and gain of a column of the multi-axial benchmark (Condori Uribe et al., Front. Built Environ. 9:1270996, 2023).
fn benchmark_entry(zeros: &[f64], poles: &[f64], gain: f64) -> Rational {
    let real = |f: &f64| Complex64::new(TAU * f, 0.0);
    let frame = [Complex64::new(-50.0, 63.0), Complex64::new(-50.0, -63.0)].map(|p| TAU * p);
    let poles: Vec<Complex64> = poles.iter().map(real).chain(frame).collect();
    Rational::from_roots(&zeros.iter().map(real).collect::<Vec<_>>(), &poles, gain)
}

/// The plant of that benchmark, with poles and zeros times these factors, its gains at rest kept.
fn benchmark(slow: f64, fast: f64) -> Vec<Rational> {
    let first = |gain: f64| benchmark_entry(&[-120.0, -90.0], &[-2.65 * slow, -40.0], gain * slow);
    let second = |zero: f64, gain: f64| benchmark_entry(&[zero], &[-3.5, -18.5 * fast], gain * fast);
    vec![first(2165.2), second(-3.0, 4_539_400.0), first(349.95), second(-5.0, 19_238_000.0)]
}

fn plant(entries: &[Rational]) -> StateSpace {
    let m = (entries.len() as f64).sqrt() as usize;
    StateSpace::from_transfer_matrix(entries, m).unwrap_or_else(|| panic!("no plant"))
}

fn value(r: &Rational, s: Complex64) -> Complex64 {
    let horner = |c: &[f64]| c.iter().rev().fold(Complex64::ZERO, |sum, c| sum * s + c);
    horner(&r.numerator) / horner(&r.denominator)
}

/// Two motions of some millimetres: three frequencies each, unlike.
fn motions(k: usize) -> [f64; 2] {
    let t = k as f64 * DT;
    // Smooth: a kink in a target is a jolt in any inverse.
    let ramp = 1e-3 * (0.25 * TAU * t.min(1.0)).sin().powi(4);
    let sum = |waves: [(f64, f64); 3]| ramp * waves.iter().map(|(a, f)| a * (TAU * f * t).sin()).sum::<f64>();
    [sum([(1.0, 1.1), (0.7, 2.9), (0.2, 6.3)]), sum([(0.6, 0.9), (0.8, 2.3), (0.3, 4.7)])]
}

/// Largest tracking error, over the largest target, of each actuator after `from` samples.
fn tracking(compensator: &dyn Multivariable, plant: &StateSpace, samples: usize, from: usize) -> [f64; 2] {
    let plant = Coupled::new(plant, DT);
    let (mut memory, mut state) = (vec![0.0; compensator.memory()], vec![0.0; plant.memory()]);
    let (mut before, mut command, mut x) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    let (mut worst, mut largest) = ([0.0f64; 2], [0.0f64; 2]);
    for k in 0..samples {
        let target = motions(k);
        compensator.command(&mut memory, &target, &x, &mut command);
        plant.follow(&mut state, &before, &command, &mut x);
        before = command;
        for i in 0..2 {
            if k >= from {
                worst[i] = worst[i].max((x[i] - target[i]).abs());
            }
            largest[i] = largest[i].max(target[i].abs());
        }
    }
    [worst[0] / largest[0], worst[1] / largest[1]]
}

fn with_model(name: &str, model: StateSpace) -> Compensation {
    let mut found = method(name, &[]);
    found.set_model(Some(model));
    found
}

#[test]
fn a_transfer_matrix_is_what_its_entries_say() {
    let entries = benchmark(1.0, 1.0);
    let found = plant(&entries);
    // Entries of a column share their denominator, and so their states.
    assert_eq!(found.order, 8);
    for frequency in [0.0, 0.3, 2.65, 17.0, 80.0, 400.0] {
        let response = found.response(TAU * frequency).unwrap_or_default();
        for (g, entry) in response.iter().zip(&entries) {
            let expected = value(entry, Complex64::new(0.0, TAU * frequency));
            assert!((g - expected).norm() < 1e-12 * expected.norm().max(1.0), "{frequency} Hz: {g} {expected}");
        }
    }
    // As published, to the digits of the publication.
    let dc = found.dc().unwrap_or_default();
    for (g, expected) in dc.iter().zip([0.8638, 0.1311, 0.1396, 0.9258]) {
        assert!((g - expected).abs() < 6e-5, "{dc:?}");
    }
    let late = |i: usize| -found.response(TAU).unwrap_or_default()[i].arg() / TAU * 1e3;
    assert!((late(0) - 60.8).abs() < 0.1 && (late(3) - 23.9).abs() < 0.1, "{} {}", late(0), late(3));
}

#[test]
fn coupled_actuators_are_sampled_exactly() {
    // Sixteen samples in one: the same motion for commands that are linear over the long ones.
    let model = plant(&benchmark(1.0, 1.0));
    let (coarse, fine) = (Coupled::new(&model, 16.0 * DT), Coupled::new(&model, DT));
    let (mut a, mut b) = (vec![0.0; coarse.memory()], vec![0.0; fine.memory()]);
    let command = |k: usize| motions(16 * k);
    let [mut x, mut y, mut v, mut w, mut c, mut d] = [[0.0; 2]; 6];
    for k in 0..200 {
        let (from, to) = (command(k), command(k + 1));
        coarse.advance(&mut a, &from, &to, [&mut x, &mut v, &mut c]);
        for part in 0..16 {
            let at = |share: f64| [0, 1].map(|i| from[i] + share / 16.0 * (to[i] - from[i]));
            fine.advance(&mut b, &at(f64::from(part)), &at(f64::from(part + 1)), [&mut y, &mut w, &mut d]);
        }
        for i in 0..2 {
            assert!((x[i] - y[i]).abs() < 1e-14 && (v[i] - w[i]).abs() < 1e-11 && (c[i] - d[i]).abs() < 1e-8, "{k}");
        }
    }
    // One actuator by itself is the transfer function.
    let entry = Rational { numerator: vec![1.0], denominator: vec![0.95, 0.02, 1.5e-4, 5e-7] };
    let alone = Coupled::new(&plant(std::slice::from_ref(&entry)), DT);
    let transfer = Transfer::new(&entry.numerator, &entry.denominator, DT).unwrap_or_else(|| panic!("no plant"));
    let (mut a, mut b) = (vec![0.0; alone.memory()], vec![0.0; transfer.memory()]);
    let mut specimen = LinearSpecimen { mass: 0.0, damping: 0.0, stiffness: 0.0 };
    for k in 0..500 {
        let ([from, _], [to, _]) = (motions(k), motions(k + 1));
        let (mut x, mut v, mut acc) = ([0.0], [0.0], [0.0]);
        alone.advance(&mut a, &[from], &[to], [&mut x, &mut v, &mut acc]);
        let reached = transfer.advance(&mut b, [from, to], &mut specimen);
        let close = |x: f64, y: f64, scale: f64| (x - y).abs() < 1e-13 * scale;
        assert!(close(x[0], reached.x, 1.0) && close(v[0], reached.v, 1e3) && close(acc[0], reached.a, 1e6), "{k}");
    }
}

#[test]
fn decoupling_follows_where_methods_for_one_actuator_cannot() {
    let model = plant(&benchmark(1.0, 1.0));
    let error = |c: &Compensation| tracking(&*c.together(2, DT), &model, 8 * 1024, 2048);
    let decoupled = error(&with_model("decoupling", model.clone()));
    assert!(decoupled.iter().all(|e| *e < 0.006), "{decoupled:?}");
    // Adaptive, each actuator by itself: the interaction of a tenth and more stays.
    let early = method("early", &[("delay", crate::Argument::Number(0.03)), ("ahead", crate::Argument::Number(0.0))]);
    let alone = error(&early);
    assert!(alone.iter().zip(decoupled).all(|(a, d)| *a > 10.0 * d), "{alone:?} {decoupled:?}");
}

#[test]
fn early_decoupling_corrects_what_the_model_lacks() {
    let model = plant(&benchmark(1.0, 1.0));
    for (slow, fast) in [(0.9, 1.1), (1.1, 0.9)] {
        let mut changed = plant(&benchmark(slow, fast));
        changed.d.fill(0.0);
        // The first actuator is also 3 % short, which the second feels through their interaction.
        let own = changed.order;
        changed.c[..own].iter_mut().for_each(|c| *c *= 0.97);
        let error =
            |name: &str| tracking(&*with_model(name, model.clone()).together(2, DT), &changed, 20 * 1024, 12 * 1024);
        let (fixed, adapted) = (error("decoupling"), error("early-decoupling"));
        let worst = |errors: [f64; 2]| errors[0].max(errors[1]);
        assert!(worst(adapted) < 0.02 && worst(adapted) < 0.5 * worst(fixed), "{slow} {fast}: {fixed:?} {adapted:?}");
    }
}

#[test]
fn six_actuators_learn_without_allocation_and_within_bounds() {
    let one = Rational { numerator: vec![1.0], denominator: vec![1.0, 0.02] };
    let model = StateSpace::diagonal(&vec![one; 6]).unwrap_or_else(|| panic!("no plant"));
    let compensator = with_model("early-decoupling", model).together(6, DT);
    let mut memory = vec![0.0; compensator.memory()];
    let mut commands = [0.0; 6];
    // Measurements that have nothing to do with the commands.
    let noise = |k: usize| std::array::from_fn::<f64, 6, _>(|i| 0.1 * ((k * (i + 3)) as f64 * 0.7).sin());
    let count = allocations(|| {
        for k in 0..4000 {
            let [x, y] = motions(k);
            compensator.command(&mut memory, &[x, y, x, y, x, y], &noise(k), &mut commands);
            assert!(commands.iter().all(|c| c.abs() < 0.5), "{k}: {commands:?}");
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn every_stable_model_has_a_compensator_that_is_exact_at_rest() {
    let rational = |n: &[f64], d: &[f64]| Rational { numerator: n.to_vec(), denominator: d.to_vec() };
    let nothing = rational(&[], &[1.0]);
    let models = [
        ("zero in the right half-plane", vec![rational(&[1.0, -0.004], &[1.0, 0.01, 5e-5])]),
        ("gain without dynamics", vec![rational(&[0.7], &[1.0])]),
        ("direct path", vec![rational(&[1.0, 0.002], &[1.0, 0.01])]),
        (
            "singular at high frequency",
            vec![
                rational(&[1.0], &[1.0, 0.01]),
                rational(&[0.1], &[1.0, 0.01]),
                rational(&[0.5], &[1.0, 0.01]),
                rational(&[0.9], &[1.0, 0.01, 1e-5]),
            ],
        ),
        (
            "no interaction",
            vec![rational(&[1.0], &[1.0, 0.03, 2e-4]), nothing.clone(), nothing, rational(&[0.4], &[0.5, 1e-3])],
        ),
        (
            "micrometres per metre",
            vec![
                rational(&[1.0], &[1.0, 0.01]),
                rational(&[1e-7], &[1.0, 0.02]),
                rational(&[1e5], &[1.0, 0.01]),
                rational(&[1.0], &[1.0, 0.02]),
            ],
        ),
    ];
    for (what, entries) in models {
        let model = plant(&entries);
        let m = model.actuators;
        let compensator = with_model("decoupling", model.clone()).together(m, DT);
        let plant = Coupled::new(&model, DT);
        let (mut memory, mut state) = (vec![0.0; compensator.memory()], vec![0.0; plant.memory()]);
        let [mut before, mut command, mut x] = [(); 3].map(|()| vec![0.0; m]);
        let target: Vec<f64> = (0..m).map(|i| 1.0 - 0.3 * i as f64).collect();
        for _ in 0..4000 {
            compensator.command(&mut memory, &target, &x, &mut command);
            plant.follow(&mut state, &before, &command, &mut x);
            before.copy_from_slice(&command);
        }
        for (x, target) in x.iter().zip(&target) {
            assert!((x - target).abs() < 1e-9, "{what}: {x} {target}");
        }
    }
}

/// A specimen of two degrees of freedom without memory: K u + hardening of the first + C u' + M u".
#[derive(Clone)]
struct Springs {
    masses: [f64; 2],
    damping: [f64; 4],
    stiffness: [f64; 4],
    /// N/m³.
    hardening: f64,
}

impl Springs {
    fn restoring(&self, u: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        let [k, c] = [&self.stiffness, &self.damping];
        let mut r = [0, 1].map(|i| (0..2).map(|j| k[2 * i + j] * u[j] + c[2 * i + j] * v[j]).sum::<f64>());
        r[0] += self.hardening * u[0].powi(3);
        r
    }
}

impl Body for Springs {
    fn memory(&self) -> usize {
        0
    }
    fn advance(&mut self, _: &mut [f64], to: Motion<'_>, _: f64, force: &mut [f64]) -> Result<(), Fault> {
        let r = self.restoring([to.u[0], to.u[1]], [to.v[0], to.v[1]]);
        (0..2).for_each(|i| force[i] = r[i] + self.masses[i] * to.a[i]);
        Ok(())
    }
    fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }
}

/// What two pistons are sent, m.
fn sent(t: f64) -> [f64; 2] {
    let ramp = (0.25 * TAU * (4.0 * t).min(1.0)).sin().powi(4);
    [5e-3 * ramp * (TAU * 3.1 * t).sin(), -3e-3 * ramp * (TAU * 4.7 * t).cos()]
}

/// Two hydraulic actuators on a specimen, sample by sample; positions at the end, and the last forces.
fn emulated(body: &Springs, levers: &[[f64; 2]; 2], dt: f64, samples: usize, swapped: bool) -> [[f64; 2]; 2] {
    let drive = || Drive {
        actuator: Arc::new(Limited::new(
            Box::new(Delayed::new(Box::new(Hydraulic::benchmark(dt)), 0.0, dt)),
            Limits::NONE,
            dt,
        )),
        displacement: Sensor::default(),
        force: Sensor::default(),
        friction: 0.0,
    };
    let order = if swapped { [1, 0] } else { [0, 1] };
    let kinematics = Kinematics::new(order.map(|i| Lever::Linear(levers[i].to_vec())).to_vec(), 2);
    let mut rig =
        Emulated::new(vec![drive(), drive()], kinematics, Box::new(body.clone()), (&body.masses, None), dt, Vec::new());
    let mut memory = vec![0.0; rig.memory()];
    let (mut x, mut force) = ([0.0; 2], [0.0; 2]);
    for k in 1..=samples {
        let command = sent(k as f64 * dt);
        let count = allocations(|| {
            rig.exchange(&mut memory, &order.map(|i| command[i]), &mut x, &mut force);
        });
        assert_eq!(count, 0);
    }
    [order.map(|i| x[i]), order.map(|i| force[i])]
}

/// The same equations in one system, by the same rule in small steps; commands are linear over the samples.
fn in_one_piece(body: &Springs, dt: f64, samples: usize) -> [f64; 2] {
    const FINE: usize = 64;
    let h = Hydraulic::benchmark(dt);
    let rate = |z: &[[f64; 5]; 2], u: [f64; 2]| {
        let r = body.restoring([z[0][3], z[1][3]], [z[0][4], z[1][4]]);
        [0, 1].map(|i| {
            let [y, dy, f, x, v] = z[i];
            let valve = h.a1b0 * (h.g * u[i] - x) - h.beta1 * dy - h.beta2 * y;
            [dy, valve, y - h.a2 * v - h.a3 * f, v, (f - r[i]) / body.masses[i]]
        })
    };
    let mut z = [[0.0; 5]; 2];
    let step = dt / FINE as f64;
    for k in 0..samples * FINE {
        let (sample, part) = (k / FINE, k % FINE);
        let (from, to) =
            (if sample == 0 { [0.0; 2] } else { sent(sample as f64 * dt) }, sent((sample + 1) as f64 * dt));
        let at = |share: f64| [0, 1].map(|i| from[i] + (part as f64 + share) / FINE as f64 * (to[i] - from[i]));
        let along =
            |d: &[[f64; 5]; 2], share: f64| [0, 1].map(|i| std::array::from_fn(|s| z[i][s] + share * step * d[i][s]));
        let k1 = rate(&z, at(0.0));
        let k2 = rate(&along(&k1, 0.5), at(0.5));
        let k3 = rate(&along(&k2, 0.5), at(0.5));
        let k4 = rate(&along(&k3, 1.0), at(1.0));
        let sum: [[f64; 5]; 2] =
            [0, 1].map(|i| std::array::from_fn(|s| (k1[i][s] + 2.0 * (k2[i][s] + k3[i][s]) + k4[i][s]) / 6.0));
        z = along(&sum, 1.0);
    }
    [z[0][3], z[1][3]]
}

const DIRECT: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// Stiffly coupled: each floor resists the other almost as much as itself.
fn stiff() -> Springs {
    let k = 2.4e6;
    Springs { masses: [40.0, 25.0], damping: [0.0; 4], stiffness: [k, -0.95 * k, -0.95 * k, k], hardening: 0.0 }
}

#[test]
fn actuators_that_feel_one_another_converge_to_the_equations_in_one_piece() {
    let damped = Springs { damping: [3e3, -1e3, -1e3, 2e3], hardening: 5e10, ..stiff() };
    for (body, order, largest) in [(stiff(), 3.7, 2e-5), (damped, 1.7, 2e-3)] {
        let errors = [512.0, 1024.0, 2048.0].map(|rate: f64| {
            let samples = (0.6 * rate) as usize;
            let [x, _] = emulated(&body, &DIRECT, 1.0 / rate, samples, false);
            let exact = in_one_piece(&body, 1.0 / rate, samples);
            (0..2).map(|i| (x[i] - exact[i]).abs()).fold(0.0, f64::max) / 5e-3
        });
        assert!(errors[1] < largest, "{errors:?}");
        for (coarse, fine) in errors.iter().zip(&errors[1..]) {
            assert!((coarse / fine).log2() > order, "{errors:?}");
        }
    }
}

#[test]
fn no_actuator_comes_before_another() {
    // Two actuators on a beam, so that the masses are coupled too; light, damped and hardening.
    let levers = [[1.0, 0.4], [1.0, -0.6]];
    for masses in [[40.0, 25.0], [1e-3, 0.0], [400.0, 200.0]] {
        let body = Springs { masses, damping: [4e3, 0.0, 0.0, 4e3], hardening: 5e10, ..stiff() };
        let run = |swapped: bool| emulated(&body, &levers, DT, 600, swapped);
        let (one, other) = (run(false), run(true));
        for (a, b) in one.iter().flatten().zip(other.iter().flatten()) {
            assert!(a.is_finite() && (a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{masses:?}: {one:?} {other:?}");
        }
        assert!(one[0].iter().all(|x| x.abs() < 0.02), "{masses:?}: {one:?}");
    }
}

#[test]
fn strong_dampers_and_any_scale_are_solved_within_the_sample() {
    for scale in [1e-6, 1.0, 1e3] {
        let c = 2e5 * scale;
        let k = 2.4e6 * scale;
        let body = Springs {
            masses: [0.0, 25.0 * scale],
            damping: [c, -0.9 * c, -0.9 * c, c],
            stiffness: [k, -0.95 * k, -0.95 * k, k],
            hardening: 0.0,
        };
        let [x, force] = emulated(&body, &DIRECT, DT, 600, false);
        assert!(x.iter().all(|x| x.abs() < 0.02) && force.iter().all(|f| f.is_finite()), "{scale}: {x:?} {force:?}");
    }
}

/// The rig of the benchmark without a specimen that resists, with noisy sensors; what the identification of it says.
fn identified(noise: f64, delay: f64) -> (StateSpace, Identified) {
    let mut model = plant(&benchmark(1.0, 1.0));
    model.delays = vec![delay, 0.0];
    let drive = |i: usize| Drive {
        actuator: Arc::new(Delayed::new(Box::new(Ideal::new(DT)), model.delays[i], DT)),
        displacement: Sensor { noise, seed: 5, ..Sensor::default() },
        force: Sensor::default(),
        friction: 0.0,
    };
    let body = Springs { masses: [0.0; 2], damping: [0.0; 4], stiffness: [1e5, 0.0, 0.0, 1e5], hardening: 0.0 };
    let drives = vec![drive(0), drive(1)];
    let kinematics = Kinematics::direct(2);
    let rig = Emulated::new(drives, kinematics, Box::new(body), (&[0.0; 2], None), DT, Vec::new());
    let mut rig = rig.moving_together(Some(Coupled::new(&model, DT)));
    let envelope =
        Envelope { position: [-0.1, 0.1], velocity: 0.5, acceleration: 50.0, braking: 20.0, jerk: f64::INFINITY };
    let mut guards: Vec<Guard> = (0..2).map(|_| Guard::new(envelope, DT).unwrap_or_else(|e| panic!("{e}"))).collect();
    let excitation =
        Excitation { shape: Shape::Multisine, band: [0.1, 20.0], amplitudes: vec![5e-3; 2], duration: 12.0 };
    let record = characterise(&mut rig, &mut guards, &excitation, DT);
    let record = record.unwrap_or_else(|e| panic!("{e}"));
    assert!(record.commands.iter().flatten().all(|u| u.abs() < 5.001e-3));
    (model, identify(&record, Some(20.0), None).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn a_known_plant_is_identified_from_noisy_strokes() {
    for (noise, delay, tolerance) in [(2e-5, 0.004, 0.01), (2e-5, 0.0, 0.01)] {
        let (model, found) = identified(noise, delay);
        for frequency in [0.2, 0.5, 1.0, 2.3, 5.0, 10.0, 15.0] {
            let (g, h) = (model.response(TAU * frequency), found.plant.response(TAU * frequency));
            for (g, h) in g.unwrap_or_default().iter().zip(&h.unwrap_or_default()) {
                assert!((g - h).norm() < tolerance, "{noise} {delay}, {frequency} Hz: {g} {h}");
            }
        }
        for [rest, _] in &found.residuals {
            assert!((0.95 * noise..1.5 * noise + 5e-7).contains(rest), "{noise}: {:?}", found.residuals);
        }
        assert!(found.doubts.is_empty(), "{:?}", found.doubts);
        // What is identified makes a compensator that follows the true plant.
        let compensator = with_model("decoupling", found.plant).together(2, DT);
        let bare = StateSpace { delays: vec![0.0; 2], ..model };
        if delay == 0.0 {
            let error = tracking(&*compensator, &bare, 6 * 1024, 2048);
            assert!(error.iter().all(|e| *e < 0.02), "{error:?}");
        }
    }
}

/// A body that resists nothing.
struct Nothing(Vec<f64>);

impl Body for Nothing {
    fn memory(&self) -> usize {
        0
    }
    fn advance(&mut self, _: &mut [f64], _: Motion<'_>, _: f64, force: &mut [f64]) -> Result<(), Fault> {
        force.fill(0.0);
        Ok(())
    }
    fn stiffness(&self) -> &[f64] {
        &self.0
    }
}

/// Actuators that were moved one after the other by the same motion differ between neighbouring lines of the spectrum only.
#[test]
fn any_number_of_actuators_is_identified() {
    let (dt, w) = (1.0 / 250.0, TAU * 12.0);
    for m in 1..=4 {
        let drive = |_| Drive {
            actuator: Arc::new(Transfer::new(&[w * w], &[w * w, 1.4 * w, 1.0], dt).expect("a proper one")),
            displacement: Sensor { noise: 1e-5, ..Sensor::default() },
            force: Sensor::default(),
            friction: 0.0,
        };
        let body = Nothing(vec![0.0; m * m]);
        let mut rig = Emulated::new(
            (0..m).map(drive).collect(),
            Kinematics::direct(m),
            Box::new(body),
            (&vec![0.0; m], None),
            dt,
            Vec::new(),
        );
        let mut guards: Vec<Guard> = (0..m).map(|_| Guard::new(Envelope::OPEN, dt).expect("a guard")).collect();
        // As `interfield identify` does.
        let excitation =
            Excitation { shape: Shape::Multisine, band: [0.1, 20.0], amplitudes: vec![5e-3; m], duration: 20.0 };
        let record = characterise(&mut rig, &mut guards, &excitation, dt).expect("a record");
        let found = identify(&record, Some(20.0), Some(2)).unwrap_or_else(|e| panic!("{m}: {e}"));
        let s = Complex64::new(0.0, TAU * 5.0);
        let true_response = w * w / (s * s + 1.4 * w * s + w * w);
        for (e, g) in found.plant.response(TAU * 5.0).expect("no pole there").iter().enumerate() {
            let expected = if e / m == e % m { true_response } else { Complex64::ZERO };
            assert!((g - expected).norm() < 0.01, "{m}, entry {e}: {g} {expected}");
        }
    }
}

#[test]
fn records_that_say_nothing_are_refused() {
    let still = Record { commands: vec![vec![0.0; 500]; 2], strokes: vec![vec![0.0; 500]; 2], dt: DT };
    assert!(identify(&still, None, None).is_err_and(|e| e.contains("do not move")));
    let wave: Vec<f64> = (0..8000).map(|k| motions(k)[0]).collect();
    let same = Record { commands: vec![wave.clone(), wave.clone()], strokes: vec![wave.clone(), wave.clone()], dt: DT };
    assert!(identify(&same, Some(20.0), None).is_err_and(|e| e.contains("independently")));
    let short = Record { commands: vec![wave[..20].to_vec()], strokes: vec![wave[..20].to_vec()], dt: DT };
    assert!(identify(&short, None, None).is_err_and(|e| e.contains("64 samples")));
    let mut broken = same;
    broken.strokes[1][7] = f64::NAN;
    assert!(identify(&broken, None, None).is_err_and(|e| e.contains("not finite")));
}
