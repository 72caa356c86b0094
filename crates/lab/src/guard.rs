//! The last line between everything else and the hardware: what an actuator is sent has passed here before it leaves.
//!
//! **Contract.** For *any* sequence of inputs (far, fast, shaking, infinite, not a number, missing) the outputs x₀, x₁, …, one
//! per sample of length T, starting at rest inside of the envelope, satisfy at every sample k
//!
//! ```text
//! lowest ≤ x_k ≤ highest      |v_k| ≤ velocity        v_k = (x_k - x_(k-1))/T
//!                             |a_k| ≤ acceleration    a_k = (v_k - v_(k-1))/T
//!                             |j_k| ≤ jerk            j_k = (a_k - a_(k-1))/T, where a jerk is given
//! ```
//!
//! and an input that cannot be followed brakes the actuator: as long as none can, it comes to rest and stays there. Whatever did
//! not leave as it came is told, with the bound that it would have passed.
//!
//! **Why it holds.** There is one rule: *an input leaves as it is if the envelope allows it in this sample, and if from there
//! the guard could still brake to rest inside of the envelope; otherwise the guard brakes.* (An input that is only a little too fast or too
//! sudden, by no more than an acceleration makes up in a sample, is trimmed to what is allowed, under the same rule.) By induction there is always a way
//! to brake that stays inside: the one that was looked at when the last input left. Inside, bounds are narrower than told
//! by what rounding can do, so that the inequalities above hold for the numbers that leave, not only on paper.
//!
//! **Must not be here:** schemes, compensators, models, wires, clocks, states of a test. Nothing allocates, waits or panics.

use interfield_kernel::Archive;

/// What an actuator may be sent: infinite where nothing is known. SI: m and s, or rad and s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// Lowest and highest position.
    pub position: [f64; 2],
    /// Largest velocity.
    pub velocity: f64,
    /// Largest acceleration.
    pub acceleration: f64,
    /// Deceleration with which the guard brakes, no more than the acceleration: gentler, and begun earlier.
    pub braking: f64,
    /// Largest jerk.
    pub jerk: f64,
}

impl Envelope {
    /// Everything that is a number.
    pub const OPEN: Envelope = Envelope {
        position: [f64::NEG_INFINITY, f64::INFINITY],
        velocity: f64::INFINITY,
        acceleration: f64::INFINITY,
        braking: f64::INFINITY,
        jerk: f64::INFINITY,
    };
}

/// What an input would have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is no number, or there is none.
    Number,
    /// It is beyond a position, or so fast that the actuator would run beyond it.
    Position,
    /// Too fast.
    Velocity,
    /// Too sudden.
    Acceleration,
    /// Too jerky.
    Jerk,
}

/// What leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// The command.
    pub command: f64,
    /// Why it is not the input.
    pub refused: Option<Bound>,
    /// Whether the guard brakes; else what leaves is the input, or it trimmed a little.
    pub braked: bool,
}

/// The guard of one actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// Narrowed by what rounding can do.
    envelope: Envelope,
    period: f64,
    at: Motion,
}

/// Where an actuator was sent, how fast, and how much faster than before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Motion {
    x: f64,
    v: f64,
    a: f64,
}

/// Bounds are narrower inside by this share of themselves, or by what differences of rounded positions can amount to.
const NARROWER: f64 = 1e-9;
/// Roundings of a position that a third difference can gather.
const ROUNDINGS: f64 = 64.0;
/// Most samples that braking may take where it has to be looked at sample by sample: a second at 100 kHz.
const LONGEST: u32 = 100_000;

impl Guard {
    /// The guard of an actuator that rests at zero and gets a command every `period` seconds.
    ///
    /// # Errors
    /// When the envelope holds no rest at zero, or rounding alone would pass it: a sentence.
    pub fn new(envelope: Envelope, period: f64) -> Result<Self, String> {
        let [low, high] = envelope.position;
        if !(low <= 0.0 && 0.0 <= high) {
            return Err("the rest position of an actuator must lie within its limits".to_owned());
        }
        let Envelope { velocity, acceleration, braking, jerk, .. } = envelope;
        let positive = [velocity, acceleration, braking, jerk, period].iter().all(|x| *x > 0.0);
        if !positive {
            return Err(
                "velocity, acceleration, jerk and sampling interval of an actuator must be greater than zero".into()
            );
        }
        let farthest = [low.abs(), high.abs()].into_iter().filter(|x| x.is_finite()).fold(0.0, f64::max);
        let rounding = ROUNDINGS * f64::EPSILON * farthest;
        let narrow = |bound: f64, steps: i32| bound - (NARROWER * bound).max(rounding / period.powi(steps));
        let narrowed = |bound: f64, steps: i32| if bound.is_finite() { narrow(bound, steps) } else { bound };
        let envelope = Envelope {
            position: [narrowed(low.abs(), 0), narrowed(high.abs(), 0)],
            velocity: narrowed(velocity, 1),
            acceleration: narrowed(acceleration, 2),
            braking: narrowed(braking.min(acceleration), 2),
            jerk: narrowed(jerk, 3),
        };
        if [envelope.velocity, envelope.braking, envelope.jerk].iter().any(|x| *x <= 0.0) {
            return Err("the limits of an actuator are too small for the resolution of its positions".to_owned());
        }
        let envelope = Envelope { position: [-envelope.position[0], envelope.position[1]], ..envelope };
        Ok(Guard { envelope, period, at: Motion::default() })
    }

    /// Saves or restores where the actuator was sent.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        let Motion { x, v, a } = &mut self.at;
        archive.numbers([x, v, a]);
    }

    /// Where the actuator was sent last.
    pub fn position(&self) -> f64 {
        self.at.x
    }

    /// How fast it was sent there.
    pub fn velocity(&self) -> f64 {
        self.at.v
    }

    /// Whether it was sent nowhere else for two samples.
    pub fn is_at_rest(&self) -> bool {
        self.at.v == 0.0 && self.at.a == 0.0
    }

    /// The envelope that it keeps, narrower than told by rounding.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Lets an input through, or brakes.
    pub fn pass(&mut self, input: f64) -> Passed {
        match self.refuses(input) {
            Ok(next) => {
                self.at = next;
                Passed { command: input, refused: None, braked: false }
            }
            Err(bound) => match self.trimmed(input).filter(|_| !matches!(bound, Bound::Number | Bound::Position)) {
                Some(next) => {
                    self.at = next;
                    Passed { command: next.x, refused: Some(bound), braked: false }
                }
                None => Passed { command: self.brake(), refused: Some(bound), braked: true },
            },
        }
    }

    /// The nearest motion that the envelope allows in this sample, if it is near, and if the guard could brake from there.
    fn trimmed(&self, input: f64) -> Option<Motion> {
        let (e, at, t) = (&self.envelope, &self.at, self.period);
        if e.acceleration == f64::INFINITY {
            return None;
        }
        let change = if e.jerk.is_finite() { e.jerk * t } else { f64::INFINITY };
        let [low, high] = [(at.a - change).max(-e.acceleration), (at.a + change).min(e.acceleration)];
        let a = (((input - at.x) / t).clamp(-e.velocity, e.velocity) - at.v) / t;
        let a = a.clamp(low.min(high), high);
        let v = at.v + a * t;
        let next = Motion { x: at.x + v * t, v, a };
        let inside = e.position[0] <= next.x && next.x <= e.position[1] && v.abs() <= e.velocity;
        let near = (input - next.x).abs() <= e.acceleration * t * t;
        (near && inside && self.can_rest(next)).then_some(next)
    }

    /// Brakes; what leaves.
    pub fn brake(&mut self) -> f64 {
        self.at = self.braked(self.at);
        self.at.x
    }

    /// The motion that an input makes, or the bound that it would pass.
    fn refuses(&self, input: f64) -> Result<Motion, Bound> {
        let (e, at) = (&self.envelope, &self.at);
        if !input.is_finite() {
            return Err(Bound::Number);
        }
        let v = (input - at.x) / self.period;
        let a = (v - at.v) / self.period;
        let inside = |x: f64| e.position[0] <= x && x <= e.position[1];
        // What stands still has not moved: it may stay even where rounding put it on the edge.
        if !inside(input) && input != at.x {
            return Err(Bound::Position);
        }
        if v.abs() > e.velocity {
            return Err(Bound::Velocity);
        }
        if a.abs() > e.acceleration {
            return Err(Bound::Acceleration);
        }
        if e.jerk.is_finite() && ((a - at.a) / self.period).abs() > e.jerk {
            return Err(Bound::Jerk);
        }
        let next = Motion { x: input, v, a };
        if self.can_rest(next) { Ok(next) } else { Err(Bound::Position) }
    }

    /// Whether braking from there ends inside of the envelope.
    fn can_rest(&self, from: Motion) -> bool {
        let e = &self.envelope;
        let inside = |x: f64| e.position[0] <= x && x <= e.position[1];
        if e.braking == f64::INFINITY {
            return true;
        }
        if e.jerk == f64::INFINITY {
            return from.v == 0.0 || inside(from.x + self.run_out(from.v));
        }
        // More than braking can ever take: its time, and the speed it can reach before the acceleration has turned.
        let fastest = from.v.abs() + from.a.abs() * self.period + 0.5 * from.a * from.a / e.jerk;
        let turns = (from.a.abs() + 2.0 * e.braking) / e.jerk;
        let time = 2.0 * (fastest / e.braking + turns + 4.0 * self.period);
        if fastest <= e.velocity && inside(from.x - fastest * time) && inside(from.x + fastest * time) {
            return true;
        }
        let mut m = from;
        for _ in 0..LONGEST {
            if m.v == 0.0 && m.a == 0.0 {
                return true;
            }
            m = self.braked(m);
            if !inside(m.x) || m.v.abs() > e.velocity {
                return false;
            }
        }
        false
    }

    /// How far an actuator goes on at a velocity, braked sample by sample: v - bT, v - 2bT, … > 0.
    fn run_out(&self, v: f64) -> f64 {
        let step = self.envelope.braking * self.period;
        let n = (v.abs() / step).floor();
        v.signum() * self.period * (n * v.abs() - 0.5 * step * n * (n + 1.0))
    }

    /// One sample of braking.
    fn braked(&self, from: Motion) -> Motion {
        let e = &self.envelope;
        let (v, a) = if e.braking == f64::INFINITY {
            (0.0, 0.0)
        } else if e.jerk == f64::INFINITY {
            let v = from.v.signum() * (from.v.abs() - e.braking * self.period).max(0.0);
            (v, (v - from.v) / self.period)
        } else {
            self.eased(from)
        };
        Motion { x: from.x + v * self.period, v, a }
    }

    /// Velocity and acceleration after a sample of braking with a jerk: as hard as possible, but so that the acceleration can
    /// be back at zero when the velocity is.
    fn eased(&self, from: Motion) -> (f64, f64) {
        let (e, t) = (&self.envelope, self.period);
        let sign = if from.v != 0.0 { from.v.signum() } else { from.a.signum() };
        let (v, a) = (sign * from.v, sign * from.a);
        let step = e.jerk * t;
        // The largest b with b T + (b - jT) T + (b - 2jT) T + … ≤ v.
        let m = (0.5 * ((1.0 + 8.0 * v / (t * step)).sqrt() - 1.0)).floor();
        let b = (v / t + 0.5 * step * m * (m + 1.0)) / (m + 1.0);
        let a = (-b).max(-e.braking).clamp(a - step, a + step);
        let v = v + a * t;
        // What is left below rounding is rest.
        let nothing = NARROWER * NARROWER * e.velocity.min(e.braking * t);
        let still = v.abs() <= nothing && a.abs() <= step;
        if still && a.abs() <= nothing / t { (0.0, 0.0) } else { (if still { 0.0 } else { sign * v }, sign * a) }
    }
}
