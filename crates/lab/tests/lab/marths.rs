//! The multi-axial benchmark: the numbers of its release, and controllers on a motion of our own, because the records belong to their owners.

use std::f64::consts::TAU;

use interfield_kernel::scheme::registry::Argument;
use interfield_lab::compensate::Compensation;
use interfield_lab::marths::{
    Controller, Criteria, DELAYS, Motion, NOISE, Outcome, Perturbation, Plant, RATE, RECOMMENDED, Reference, Settings,
    Verdict, coupler, frequencies, published, registered, run,
};

use crate::method;

/// Six seconds of sines around the first frequency of the frame, after half a second of rest; peak about 6 m/s².
fn motion() -> Motion {
    let dt = 0.01;
    let value = |k: i32| {
        let t = f64::from(k) * dt - 0.5;
        let envelope = if t < 0.0 { 0.0 } else { (t / 2.0).min(1.0) * (-(t - 4.0).max(0.0)).exp() };
        let wave =
            |n: i32| (TAU * (0.4 + 0.45 * f64::from(n)) * t + f64::from(n * n)).sin() / (1.0 + 0.3 * f64::from(n));
        3.0 * envelope * (0..12).map(wave).sum::<f64>()
    };
    Motion { name: "sines".to_owned(), dt, values: (0..650).map(value).collect() }
}

fn test(reference: &Reference, controller: &Controller, perturbation: Perturbation) -> Outcome {
    run(&Settings {
        reference,
        controller: &*controller.compensator,
        estimator: controller.estimator.as_ref(),
        perturbation,
        seed: 3,
    })
}

/// A method of the registry with what a user of the benchmark knows.
fn known(name: &str) -> Controller {
    let of = |delay: f64| -> Compensation {
        let given: &[(&str, Argument<'_>)] = match name {
            "none" => &[],
            RECOMMENDED => &[("noise", Argument::Number(NOISE))],
            _ => &[("delay", Argument::Number(delay))],
        };
        method(name, given)
    };
    registered(&DELAYS.map(of))
}

/// Where a criterion is better than another: nearer to zero, or both zero.
fn better(ours: &Criteria, theirs: &Criteria) -> bool {
    let all = |c: &Criteria| c.values.iter().flatten().map(|x| x.abs()).collect::<Vec<f64>>();
    all(ours).iter().zip(all(theirs)).all(|(a, b)| *a <= b)
}

#[test]
fn the_frame_has_the_frequencies_of_the_release() {
    let found = frequencies();
    for (found, released) in found.iter().zip([2.29125888, 12.74801236, 26.28032891, 26.53515865, 29.91241027]) {
        assert!((found - released).abs() < 1e-8, "{found} {released}");
    }
    assert_eq!(found.len(), 15, "one for each degree of freedom with mass");
}

#[test]
fn the_plant_has_the_gains_and_delays_of_the_release() {
    let plant = Plant::new(&Perturbation::default());
    let (rest, slow) = (plant.response(0.0), plant.response(1.0));
    for (row, released) in rest.iter().zip([[0.8638, 0.1311], [0.1396, 0.9258]]) {
        assert!(row.iter().zip(released).all(|(g, r)| (g.re - r).abs() < 5e-5 && g.im == 0.0), "{row:?}");
    }
    for (i, delay) in DELAYS.iter().enumerate() {
        assert!((-slow[i][i].arg() / TAU - delay).abs() < 5e-5, "actuator {i}");
    }
    // Perturbed plants have the gains at rest of the nominal one, and other delays.
    let other = Plant::new(&Perturbation::draw(1, 7));
    let (there, late) = (other.response(0.0), other.response(1.0));
    assert!((0..4).all(|k| (there[k / 2][k % 2] - rest[k / 2][k % 2]).norm() < 1e-12));
    assert!((late[0][0].arg() - slow[0][0].arg()).abs() > 1e-3);
    assert_eq!(Perturbation::draw(1, 7), Perturbation::draw(1, 7));
    // The model that a compensator is given is this plant, with the half sample of the held command.
    let model = plant.model().expect("a model").response(TAU * 3.0).expect("no pole there");
    let held = num_complex(-TAU * 3.0 * 0.5 / RATE);
    for (k, g) in model.iter().enumerate() {
        let (re, im) = (plant.response(3.0)[k / 2][k % 2].re, plant.response(3.0)[k / 2][k % 2].im);
        let turned = [re * held[0] - im * held[1], re * held[1] + im * held[0]];
        assert!((g.re - turned[0]).abs() < 1e-12 && (g.im - turned[1]).abs() < 1e-12);
    }
}

/// cos and sin of an angle.
fn num_complex(angle: f64) -> [f64; 2] {
    [angle.cos(), angle.sin()]
}

#[test]
fn the_coupler_leads_back_and_shares_forces() {
    for pose in [[0.0, 0.0], [4e-3, -1e-2], [-7e-3, 2e-2]] {
        let back = coupler::pose(coupler::strokes(pose));
        // The released way back takes the sine for the angle within a cosine: of third order in the rotation.
        assert!((back[0] - pose[0]).abs() < 0.03 * pose[1].abs().powi(3) + 1e-15, "{pose:?} {back:?}");
        // And its quotient is exact in x only: the sum of the cosines is of second order.
        assert!((back[1] - pose[1]).abs() < 1e-12, "{pose:?} {back:?}");
    }
    let [first, second] = coupler::shares([100.0, 10.0]);
    assert!((first + second - 100.0).abs() < 1e-12 && (0.127 * (first - second) - 10.0).abs() < 1e-4);
}

#[test]
fn a_perfect_test_has_no_error_but_that_of_the_assumed_bay() {
    let perfect = Reference::new(&motion()).perfect();
    assert!(perfect.values.iter().flatten().all(|j| *j == 0.0), "{:?}", perfect.values);
    assert!(perfect.released.iter().flatten().all(|j| (1.5..20.0).contains(j)), "{:?}", perfect.released);
}

#[test]
fn early_decoupling_is_best_in_every_criterion() {
    let reference = Reference::new(&motion());
    let ours = test(&reference, &known(RECOMMENDED), Perturbation::default());
    assert!(ours.verdict == Verdict::Stable && !ours.saturated);
    let j = ours.criteria.largest();
    // Tracking is sensor noise; the floors are within a thousandth of the perfect test.
    assert!(j[0] == 0.0 && j[1] < 3.0 && j[4] < 1.5 && j[7] < 0.1, "{j:?}");
    let mut others: Vec<(&str, Controller)> =
        ["none", "polynomial", "ats", "inverse", "pi-lead"].map(|name| (name, known(name))).into();
    others.extend(["rodeac", "lqg"].map(|name| (name, published(name).expect("a published controller"))));
    for (name, other) in others {
        let found = test(&reference, &other, Perturbation::default());
        assert_eq!(found.verdict, Verdict::Stable, "{name}");
        assert!(better(&ours.criteria, &found.criteria), "{name}: {:?} {:?}", ours.criteria, found.criteria);
    }
}

#[test]
fn perturbed_plants_are_followed_almost_as_well() {
    let (reference, ours) = (Reference::new(&motion()), known(RECOMMENDED));
    let frozen = Controller { compensator: ours.compensator.frozen(), estimator: ours.estimator.clone() };
    let mut adapted = 0;
    for draw in 0..5 {
        let plant = Perturbation::draw(11, draw);
        let (found, fixed) = (test(&reference, &ours, plant), test(&reference, &frozen, plant));
        let j = found.criteria.largest();
        assert!(found.verdict == Verdict::Stable && j[0] == 0.0 && j[1] < 3.5 && j[7] < 1.0, "draw {draw}: {j:?}");
        adapted += usize::from(j[7] < fixed.criteria.largest()[7]);
    }
    assert!(adapted >= 4, "what it learns helps: {adapted} of 5");
}

#[test]
fn a_measurement_that_is_no_number_teaches_nothing() {
    let ours = known(RECOMMENDED).compensator;
    let mut memory = vec![0.0; ours.memory()];
    let mut commands = [0.0; 2];
    for k in 0..2000 {
        let x = 3e-3 * (TAU * 2.0 * f64::from(k) / RATE).sin();
        let seen = if k % 3 == 0 { f64::NAN } else { x };
        ours.command(&mut memory, &[x, -x], &[seen, -x], &mut commands);
        assert!(commands.iter().all(|u| u.is_finite() && u.abs() < 0.1), "{k}: {commands:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_test() {
    let (reference, rodeac) = (Reference::new(&motion()), published("rodeac").expect("a published controller"));
    let run = || test(&reference, &rodeac, Perturbation::draw(2, 1));
    assert!(run() == run());
    assert!(published("rodeak").is_none());
}
