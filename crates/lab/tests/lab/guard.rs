//! The contract of the guard: no output leaves the envelope, whatever comes in, and what cannot be followed comes to rest.

use interfield_lab::guard::{Bound, Envelope, Guard};

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between -1 and 1.
    fn swing(&mut self) -> f64 {
        2.0 * self.roll() - 1.0
    }
}

/// What an adversary sends next: knows where the actuator is and how fast.
fn input(dice: &mut Dice, kind: u64, k: u64, guard: &Guard, e: &Envelope, t: f64) -> f64 {
    let (x, v) = (guard.position(), guard.velocity());
    let [low, high] = e.position;
    let size = if high.is_finite() { high - low } else { 1.0 };
    let fast = if e.velocity.is_finite() { e.velocity * t } else { size };
    let sudden = if e.acceleration.is_finite() { e.acceleration * t * t } else { fast };
    match kind {
        // As far and as fast as is allowed, to either end, turning at the worst moment.
        0 => x + v * t + if (k / 97).is_multiple_of(2) { sudden } else { -sudden },
        1 => x + v * t + sudden * dice.swing() * 1.2,
        // Straight at the edge, at any speed.
        2 => x + fast * if (k / 1000).is_multiple_of(2) { 1.0 } else { -1.0 },
        3 => x + fast * dice.swing(),
        // Anything.
        4 => size * dice.swing() * 10f64.powf(20.0 * dice.swing()),
        5 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, x][k as usize % 8],
        // A good motion with spikes in it.
        6 => 0.4 * size * (3.0 * t * k as f64).sin() + if k.is_multiple_of(211) { size * dice.swing() } else { 0.0 },
        // Shaking between two places.
        7 => {
            if k.is_multiple_of(2) {
                low
            } else {
                high
            }
        }
        _ => x + v * t,
    }
}

fn envelopes() -> Vec<(Envelope, f64)> {
    let of = |position: f64, velocity: f64, acceleration: f64, jerk: f64| Envelope {
        position: [-position, position],
        velocity,
        acceleration,
        braking: if position == 0.28 { 0.2 * acceleration } else { acceleration },
        jerk,
    };
    let inf = f64::INFINITY;
    vec![
        (of(0.28, 1.5, 471.0, inf), 5e-4),
        (of(0.28, 1.5, 20.0, 2000.0), 5e-4),
        (of(1e-6, 1e-7, 1e-9, inf), 1e-2),
        (of(1e3, 50.0, 1e4, 1e7), 1e-4),
        (of(0.1, 0.01, 0.05, 0.2), 2e-3),
        (of(0.1, inf, inf, inf), 1e-3),
        (of(0.1, 0.5, inf, inf), 1e-3),
        (of(inf, 0.5, 10.0, inf), 1e-3),
        (Envelope { position: [0.0, 0.2], ..of(1.0, 0.4, 5.0, 100.0) }, 1e-3),
        (Envelope::OPEN, 1e-3),
    ]
}

#[test]
fn ten_million_inputs_never_leave_the_envelope() {
    let mut inputs = 0u64;
    for (n, (e, t)) in envelopes().into_iter().enumerate() {
        let mut dice = Dice(n as u64 + 1);
        let mut guard = Guard::new(e, t).expect("an envelope that can be kept");
        let mut past = [0.0f64; 3];
        let mut kind = 0;
        for k in 0..1_050_000u64 {
            if k.is_multiple_of(1711) {
                kind = (dice.roll() * 9.0) as u64;
            }
            let asked = input(&mut dice, kind, k, &guard, &e, t);
            let passed = guard.pass(asked);
            inputs += 1;
            let x = passed.command;
            let v = |a: f64, b: f64| (a - b) / t;
            let rates = [v(x, past[0]), v(past[0], past[1]), v(past[1], past[2])];
            let (a, before) = (v(rates[0], rates[1]), v(rates[1], rates[2]));
            let j = v(a, before);
            let inside = e.position[0] <= x && x <= e.position[1];
            let kept = inside && rates[0].abs() <= e.velocity && a.abs() <= e.acceleration && j.abs() <= e.jerk;
            assert!(x.is_finite() && kept, "envelope {n}, kind {kind}, input {k}: {x} v {} a {a} j {j}", rates[0]);
            assert!(passed.refused.is_some() || x == asked, "{asked} became {x}: {:?}", passed.refused);
            past = [x, past[0], past[1]];
        }
    }
    assert!(inputs > 10_000_000);
}

#[test]
fn what_cannot_be_followed_comes_to_rest_in_the_time_that_braking_takes() {
    for (n, (e, t)) in envelopes().into_iter().enumerate().filter(|(_, (e, _))| e.velocity.is_finite()) {
        let mut dice = Dice(7 + n as u64);
        for _ in 0..20 {
            let mut guard = Guard::new(e, t).expect("an envelope that can be kept");
            for k in 0..500 {
                let asked = input(&mut dice, 1, k, &guard, &e, t);
                guard.pass(asked);
            }
            let stop = if e.braking.is_finite() { e.velocity / e.braking } else { 0.0 };
            let turn = if e.jerk.is_finite() { 4.0 * (e.acceleration + e.braking) / e.jerk } else { 0.0 };
            let samples = ((2.0 * stop + turn) / t).ceil() as u64 + 4;
            for _ in 0..samples {
                assert!(guard.pass(f64::NAN).refused == Some(Bound::Number));
            }
            assert!(guard.is_at_rest(), "envelope {n}: {guard:?} after {samples}");
            let rest = guard.position();
            for far in [f64::MAX, -f64::MAX, f64::NAN] {
                assert_eq!(guard.pass(far).command, rest);
            }
        }
    }
}

#[test]
fn what_the_envelope_allows_leaves_as_it_is() {
    let (e, t) = envelopes()[0];
    let mut guard = Guard::new(e, t).expect("an envelope that can be kept");
    for k in 0..100_000 {
        let x = 0.2 * (1.0 - (5.0 * t * f64::from(k)).cos());
        let passed = guard.pass(x);
        assert_eq!((passed.command, passed.refused), (x, None), "input {k}");
        if x > 0.27 {
            break;
        }
    }
    // It brakes before the edge, not behind it, and says which bound it keeps.
    let mut guard = Guard::new(e, t).expect("an envelope that can be kept");
    let mut x = 0.0;
    let bound = (1..10_000).find_map(|k| {
        x += t * (100.0 * t * f64::from(k)).min(0.7);
        guard.pass(x).refused
    });
    assert_eq!(bound, Some(Bound::Position));
    assert!(guard.position() < 0.28 && guard.position() > 0.277, "{}", guard.position());
    // From rest a velocity may not be reached at once.
    assert_eq!(Guard::new(e, t).unwrap().pass(1.0 * t).refused, Some(Bound::Acceleration));
    assert_eq!(Guard::new(e, t).unwrap().pass(2.0 * t).refused, Some(Bound::Velocity));
}

#[test]
fn envelopes_that_cannot_be_kept_are_refused() {
    let good = envelopes()[0].0;
    assert!(Guard::new(Envelope { position: [0.1, 0.2], ..good }, 1e-3).is_err());
    assert!(Guard::new(Envelope { velocity: 0.0, ..good }, 1e-3).is_err());
    assert!(Guard::new(Envelope { acceleration: f64::NAN, ..good }, 1e-3).is_err());
    assert!(Guard::new(good, 0.0).is_err());
    // A kilometre cannot be written finely enough for this acceleration at 10 MHz.
    let fine = Envelope { position: [-1e3, 1e3], acceleration: 1e-3, ..good };
    assert!(Guard::new(fine, 1e-7).is_err());
}
