//! The state of a run is complete: nothing that a step needs is hidden elsewhere.

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Dims, Domain, Fault, Mck, Point, Shift, StepMap, System};
use interfield_language::model::{Model, TangentPolicy};
use interfield_testkit::problems;
use interfield_testkit::run::{advance, copy_state, model, read, start, with_tangent};
use interfield_testkit::variants::variants;
use interfield_testkit::watch::Watch;

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Small enough for the explicit schemes on the frames.
const DT: f64 = 1e-4;

#[test]
fn a_copied_state_continues_with_the_same_bits() {
    let files = ["isolated-building", "spring-pendulum", "shear-pendulum-bouc-wen"];
    // Schemes that iterate cannot move a specimen.
    let files = files.map(|name| (name, Model { specimens: Vec::new(), ..model(name, &Default::default()) }));
    let small = problems::all().into_iter().map(|(name, text)| (name, read(&text)));
    for (name, model) in small.chain(files) {
        for tangent in [TangentPolicy::Exact, TangentPolicy::Initial] {
            let model = with_tangent(&model, tangent);
            for v in variants() {
                let mut first = start(&model, v.scheme, DT);
                advance(&mut first, 0, 50);
                let mut second = start(&model, v.scheme, DT);
                copy_state(&first, &mut second);
                advance(&mut first, 50, 70);
                advance(&mut second, 50, 70);
                assert_eq!(bits(first.coupling.state()), bits(second.coupling.state()), "{name}, {}", v.label);
            }
        }
    }
}

#[test]
fn sampling_does_not_change_the_run() {
    for (name, text) in problems::all() {
        let model = read(&text);
        for v in variants() {
            let [mut watched, mut blind] = [(), ()].map(|()| start(&model, v.scheme, DT));
            let mut out = vec![0.0; watched.channels().len()];
            for k in 0..20 {
                watched.sample(k, &mut out).unwrap();
                advance(&mut watched, k, k + 1);
                advance(&mut blind, k, k + 1);
            }
            assert_eq!(bits(watched.coupling.state()), bits(blind.coupling.state()), "{name}, {}", v.label);
        }
    }
}

#[test]
fn the_same_model_gives_the_same_bits_twice() {
    let model = read(problems::FORCED);
    for v in variants() {
        let [a, b] = [(), ()].map(|()| {
            let mut sim = start(&model, v.scheme, 0.01);
            advance(&mut sim, 0, 100);
            bits(sim.coupling.state())
        });
        assert_eq!(a, b, "{}", v.label);
    }
}

#[test]
fn step_k_lies_between_k_dt_and_the_next() {
    // 0.1 has no exact binary form: a summed time would be off by rounding after a million steps.
    let (dt, k) = (0.1, 1_000_000u64);
    for v in variants() {
        let (nx, nw) = Domain::<AnyScheme, Watch, Vec<f64>>::memory(&v.scheme, &Watch::default());
        let watch = Watch::default();
        let mut domain = Domain::new(v.scheme, watch, dt, vec![0.0; nx], vec![0.0; nw]).unwrap();
        domain.system_mut().times.clear();
        domain.step(k).unwrap();
        let times = &domain.system().times;
        let from = k as f64 * dt;
        assert!(!times.is_empty() && times.iter().all(|t| (from..=from + dt).contains(t)), "{}: {times:?}", v.label);
        let count = v.claims().evaluations;
        assert!(count.is_none_or(|n| n as usize == times.len()), "{}: {} evaluations", v.label, times.len());
    }
}

#[test]
fn shifted_lsrt2_sees_the_load_after_gamma_and_half_a_step() {
    let gamma = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
    for (time, wanted) in [("published", [0.0, 0.5]), ("shifted", [gamma, 0.5])] {
        let scheme = interfield_testkit::variants::scheme("lsrt2", &[("time", time)]);
        let (nx, nw) = Domain::<AnyScheme, Watch, Vec<f64>>::memory(&scheme, &Watch::default());
        let mut domain = Domain::new(scheme, Watch::default(), 1.0, vec![0.0; nx], vec![0.0; nw]).unwrap();
        domain.step(3).unwrap();
        let close = domain.system().times.iter().zip(wanted).all(|(t, place)| (t - 3.0 - place).abs() < 1e-15);
        assert!(close && domain.system().times.len() == 2, "{time}: {:?}", domain.system().times);
    }
}

#[test]
fn schemes_of_one_evaluation_see_the_load_where_they_say() {
    for (name, parameters, place) in [
        ("lsrt1", vec![], 0.0),
        ("lsrt1", vec![("time", "shifted")], 1.0),
        ("newmark", vec![], 1.0),
        ("hht", vec![("alpha", "0.25")], 0.75),
        ("generalized-alpha", vec![("rho_inf", "0.5")], 2.0 / 3.0),
        ("alpha-os", vec![("rho_inf", "0.5")], 1.0),
        ("chang", vec![], 1.0),
        ("trapezoidal", vec![], 1.0),
        ("state-space-alpha", vec![("rho_inf", "0.5")], 2.0 / 3.0),
    ] {
        let scheme = interfield_testkit::variants::scheme(name, &parameters);
        let (nx, nw) = Domain::<AnyScheme, Watch, Vec<f64>>::memory(&scheme, &Watch::default());
        let mut domain = Domain::new(scheme, Watch::default(), 0.5, vec![0.0; nx], vec![0.0; nw]).unwrap();
        domain.system_mut().times.clear();
        domain.step(7).unwrap();
        let times = &domain.system().times;
        assert!(times.len() == 1 && (times[0] - (3.5 + 0.5 * place)).abs() < 1e-15, "{name}: {times:?}");
    }
}

/// A mass whose force is the distance travelled by its evaluations, and which breaks beyond 1.
#[derive(Default)]
struct Path {
    memory: [f64; 2],
}

impl System for Path {
    fn dims(&self) -> Dims {
        Dims { nu: 1, ns: 0 }
    }
    fn force(&mut self, at: Point<'_>, _: Option<Shift<'_>>, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        let [x, travelled] = self.memory;
        self.memory = [at.u[0], travelled + (at.u[0] - x).abs()];
        r[0] = self.memory[1];
        if at.u[0] > 1.0 { Err(Fault::Singular { dof: 0 }) } else { Ok(()) }
    }
    fn prepare(&mut self, _: &[Mck]) -> Result<(), Fault> {
        Ok(())
    }
    fn linearise(&mut self, _: Point<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn solve(&mut self, _: usize, _: &mut [f64], _: &mut [f64]) {}
    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
    }
    fn mul_tangent(&self, _: Shift<'_>, r: &mut [f64], _: &mut [f64]) {
        r.fill(0.0);
    }
    fn load(&mut self, _: f64, out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn drift(&mut self, _: Point<'_>, _: f64, r: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        r[0] = 0.0;
        Ok(())
    }
    fn memory(&self) -> &[f64] {
        &self.memory
    }
    fn memory_mut(&mut self) -> &mut [f64] {
        &mut self.memory
    }
}

#[test]
fn the_memory_of_a_system_belongs_to_the_state() {
    type Domains = Domain<AnyScheme, Path, Vec<f64>>;
    for v in variants().into_iter().filter(|v| v.claims().evaluations.is_some()) {
        let (nx, nw) = Domains::memory(&v.scheme, &Path::default());
        let begin = || {
            let mut x = vec![0.0; nx];
            (x[0], x[1]) = (0.3, 5.0);
            Domains::new(v.scheme, Path::default(), 0.01, x, vec![0.0; nw]).unwrap()
        };
        let (mut first, mut second) = (begin(), begin());
        (0..4).for_each(|k| first.step(k).unwrap());
        assert!(first.state()[nx - 1] > 0.3, "{}: {:?}", v.label, first.state());
        // What others did with the system in between does not matter.
        second.state_mut().copy_from_slice(first.state());
        let (system, x) = first.parts();
        let at = Dims { nu: 1, ns: 0 }.point(0.0, &x[..2]);
        system.force(at, None, &mut [0.0], &mut []).unwrap();
        first.step(4).unwrap();
        second.step(4).unwrap();
        assert_eq!(bits(first.state()), bits(second.state()), "{}", v.label);
        // A fault gives the memory back too.
        let mut before = Vec::new();
        let failed = (5..50).any(|k| {
            before = bits(first.state());
            first.step(k).is_err()
        });
        assert!(failed && bits(first.state()) == before, "{}", v.label);
        assert_eq!(bits(first.system().memory()), before[nx - 2..], "{}", v.label);
        first.restart(0.0).unwrap();
        // Moved by one evaluation at most, from zero to where the structure stands.
        let (now, travelled) = (first.state()[0], first.state()[nx - 1]);
        assert!(travelled == 0.0 || travelled == now, "{}: {travelled} of {now}", v.label);
    }
}

#[test]
fn the_load_is_what_time_alone_does() {
    // The inertia of a pendulum under the ground motion depends on where it hangs.
    for (name, text) in problems::all().into_iter().filter(|p| p.0 != "pendulum") {
        let model = read(&text);
        let mut sim = start(&model, interfield_testkit::variants::scheme("newmark", &[]), DT);
        let system = sim.coupling.system_of(0);
        let d = system.dims();
        let y = vec![0.0; d.state()];
        let mut at = |t: f64| {
            let (mut r, mut g, mut load) = (vec![0.0; d.nu], vec![0.0; d.ns], vec![1.0; d.nu]);
            system.force(d.point(t, &y), None, &mut r, &mut g).unwrap();
            system.load(t, &mut load);
            (r, load)
        };
        let ((r0, f0), (r1, f1)) = (at(0.0), at(0.37));
        for i in 0..d.nu {
            let (dr, df) = (r1[i] - r0[i], f1[i] - f0[i]);
            assert!((dr + df).abs() < 1e-12 * (1.0 + dr.abs()), "{name}, {i}: {dr} and {df}");
        }
    }
}
