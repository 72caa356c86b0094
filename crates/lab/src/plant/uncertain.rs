//! A rig whose actuators and specimen are known within intervals only, by its frequency response.
//!
//! **Must not be here:** the structure around it, controllers, whether a loop is stable.

use super::response::{Band, Disc, Lag};
use super::{Complex64, Transfer};

/// Values of an actuator, lowest and highest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Delay, s.
    pub delay: [f64; 2],
    /// Stroke over command at rest.
    pub gain: [f64; 2],
    /// Natural frequency, Hz, of a second-order actuator; time constant, s, of a first-order one.
    pub pace: [f64; 2],
    /// Damping ratio of a second-order actuator.
    pub damping: [f64; 2],
}

impl Spread {
    /// How many values there are.
    pub const COUNT: usize = 4;

    /// In this order: delay, gain, pace, damping.
    pub fn intervals(&self) -> [[f64; 2]; Self::COUNT] {
        [self.delay, self.gain, self.pace, self.damping]
    }
}

/// How an actuator follows a command, as far as that is known.
#[derive(Clone, Debug)]
pub enum Follows {
    /// Exactly.
    Ideal,
    /// As a first-order lag.
    FirstOrder(Lag),
    /// As a second-order lag.
    SecondOrder(Lag),
    /// As this transfer function.
    Transfer(Transfer),
}

/// An uncertain actuator with its sensors.
#[derive(Clone, Debug)]
pub struct Uncertain {
    /// How it follows.
    pub follows: Follows,
    /// Measured over true displacement.
    pub displacement_gain: f64,
    /// Measured over true force.
    pub force_gain: f64,
}

impl Uncertain {
    /// Displacement, velocity and acceleration over the command, and the displacement as states see it that follow by the trapezoidal rule.
    fn response(&mut self, band: Band, extra: [f64; 2], cell: &[[f64; 2]]) -> [Disc; 4] {
        let [delay, gain, pace, damping] = [cell[0], cell[1], cell[2], cell[3]];
        let heard = band.delay([delay[0] + extra[0], delay[1] + extra[1]]) * Disc::of(gain);
        let own = match &mut self.follows {
            Follows::Ideal => {
                let rate = band.difference();
                [Disc::at(Complex64::from(1.0)), rate, rate * rate]
            }
            Follows::FirstOrder(lag) => lag.response(band, [0.0; 2], pace),
            Follows::SecondOrder(lag) => {
                let w = pace.map(|f| std::f64::consts::TAU * f);
                // The lag in the middle of a and b is not the one in the middle of frequency and damping: the interval is the same.
                let a = [w[1].powi(-2), w[0].powi(-2)];
                lag.response(band, a, [2.0 * damping[0] / w[1], 2.0 * damping[1] / w[0]])
            }
            Follows::Transfer(transfer) => transfer.response(band.phase, band.half),
        };
        let [x, v, a] = own;
        let followed = match self.follows {
            // Half of it comes a sample later: the velocity of a straight line is that of the whole sample.
            Follows::Ideal => x * band.mean(),
            _ => {
                let summed = v * band.trapezoidal();
                let near =
                    self.beyond_nyquist(&cell[2..4], band.dt).map(|gain| x.wider(band.trapezoidal_error(x, gain)));
                near.filter(|near| near.radius < summed.radius).unwrap_or(summed)
            }
        };
        [x, v, a, followed].map(|disc| disc * heard)
    }

    /// A bound on the gain at half of the sampling frequency and beyond, where it falls at least as 1/ω; none if there is none.
    fn beyond_nyquist(&self, cell: &[[f64; 2]], dt: f64) -> Option<f64> {
        let (w, [pace, damping]) = (std::f64::consts::PI / dt, [cell[0], cell[1]]);
        match &self.follows {
            Follows::Ideal => None,
            Follows::FirstOrder(_) => Some(1.0 / (w * pace[0])),
            Follows::SecondOrder(_) => {
                let ratio = w / (std::f64::consts::TAU * pace[1]);
                // |G| ≤ 1/(r² - 1), and ≤ 1/(2 ζ r) everywhere.
                let far = if ratio > 1.5 { 1.0 / (ratio * ratio - 1.0) } else { f64::INFINITY };
                Some(far.min(1.0 / (2.0 * damping[0] * ratio)))
            }
            // Fewer powers above than below: no bound is known without looking at its poles.
            Follows::Transfer(_) => None,
        }
    }
}

/// Actuators and the specimen between them.
#[derive(Clone, Debug)]
pub struct UncertainRig {
    /// Its actuators.
    pub actuators: Vec<Uncertain>,
    /// Stiffness, damping and mass between strokes and actuator forces, row by row.
    pub matrices: [Vec<f64>; 3],
    /// Stiffness by states that follow the displacements by the trapezoidal rule; empty: none.
    pub stored: Vec<f64>,
    /// How far each entry of stiffness and damping may be from that, besides their factors.
    pub beyond: [Vec<f64>; 2],
    /// Sampling interval, s.
    pub dt: f64,
}

impl UncertainRig {
    /// How many intervals describe it: those of its actuators, then factors on stiffness, damping and mass.
    pub fn intervals(&self) -> usize {
        Spread::COUNT * self.actuators.len() + 3
    }

    /// Measured displacement and force of each actuator over the command of each, row by row: displacement and force of the first, then
    /// those of the second. `extra` is an additional delay of all, s.
    pub fn response(&mut self, phase: f64, half: f64, extra: [f64; 2], cell: &[[f64; 2]], out: &mut [Disc]) {
        let m = self.actuators.len();
        let band = Band { phase, half, dt: self.dt };
        let factors = &cell[Spread::COUNT * m..];
        let [stiffness, damping, mass] = [factors[0], factors[1], factors[2]].map(Disc::of);
        for command in 0..m {
            let own = &cell[Spread::COUNT * command..Spread::COUNT * (command + 1)];
            let [x, v, a, followed] = self.actuators[command].response(band, extra, own);
            for i in 0..m {
                let [k, c, mass0] = &self.matrices;
                let entry = i * m + command;
                let real = |value: f64| Disc::at(Complex64::from(value));
                let stiff = stiffness * real(k[entry]).wider(self.beyond[0][entry]);
                let damped = damping * real(c[entry]).wider(self.beyond[1][entry]);
                let mut force = stiff * x;
                if let Some(&held) = self.stored.get(entry).filter(|k| **k != 0.0) {
                    force = force + stiffness * real(held) * followed;
                }
                // What is not there may be anywhere.
                if damped.centre.re != 0.0 || damped.radius > 0.0 {
                    force = force + damped * v;
                }
                if mass0[entry] != 0.0 {
                    force = force + mass * real(mass0[entry]) * a;
                }
                let seen = &self.actuators[i];
                let moved = if i == command { x * real(seen.displacement_gain) } else { real(0.0) };
                out[2 * i * m + command] = moved;
                out[(2 * i + 1) * m + command] = force * real(seen.force_gain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::noise;

    /// Every point of an interval lies in the disc of the interval: actuators of all kinds, at all phases.
    #[test]
    fn discs_hold_what_they_promise() {
        let mut drawn = 0;
        let mut uniform = |low: f64, high: f64| {
            drawn += 1;
            low + (high - low) * noise::uniform(3, drawn)
        };
        let (mut bounded, mut tight) = (0, 0);
        for round in 0..4000 {
            let dt = 10f64.powf(uniform(-3.3, -2.3));
            let kind = round % 3;
            let around = |x: f64, share: f64| [x * (1.0 - share), x * (1.0 + share)];
            let share = 10f64.powf(uniform(-4.0, -0.7));
            let pace = match kind {
                1 => around(10f64.powf(uniform(-3.0, -1.0)), share),
                _ => around(10f64.powf(uniform(0.0, 2.0)), share),
            };
            let delay = around(uniform(0.0, 30e-3), share);
            let spread = Spread { delay, gain: around(1.0, share), pace, damping: around(uniform(0.2, 1.5), share) };
            let lag = Lag::new;
            let follows = [Follows::SecondOrder(lag()), Follows::FirstOrder(lag()), Follows::Ideal][kind].clone();
            let actuators = vec![Uncertain { follows, displacement_gain: 1.0, force_gain: 1.0 }];
            let mut rig = UncertainRig {
                actuators,
                matrices: [vec![2.0], vec![3e-2], vec![1e-3]],
                beyond: [vec![0.0], vec![0.0]],
                stored: Vec::new(),
                dt,
            };
            let factors = [around(1.0, share), around(1.0, share), around(1.0, share)];
            let cell = [&spread.intervals()[..], &factors].concat();
            let (phase, half) = (uniform(0.0, 2.0 * std::f64::consts::PI), 10f64.powf(uniform(-6.0, -1.5)));
            let everywhere = [Disc::EVERYWHERE; 2];
            let (mut discs, mut exact) = (everywhere, everywhere);
            rig.response(phase, half, [0.0; 2], &cell, &mut discs);
            for _ in 0..8 {
                let mut within = |[low, high]: [f64; 2]| match uniform(0.0, 3.0) {
                    x if x < 1.0 => [low; 2],
                    x if x < 2.0 => [high; 2],
                    x => [low + (high - low) * (x - 2.0); 2],
                };
                let point: Vec<[f64; 2]> = cell.iter().map(|i| within(*i)).collect();
                let at = within([phase - half, phase + half])[0];
                rig.response(at, 0.0, [0.0; 2], &point, &mut exact);
                for (disc, value) in discs.iter().zip(&exact) {
                    assert!(value.radius == 0.0 && disc.contains(value.centre), "{round}: {disc:?} {value:?}");
                }
            }
            bounded += usize::from(discs.iter().all(|d| d.radius.is_finite()));
            tight += usize::from(discs[0].radius < 0.2);
        }
        assert!(bounded > 3500 && tight > 2000, "{bounded} {tight}");
    }

    /// The response of an actuator is what it does: a wave through the real one, after it has settled.
    #[test]
    fn the_response_is_that_of_the_emulated_actuator() {
        use crate::plant::{Actuator, Delayed, LinearSpecimen, Transfer};
        let (dt, delay, steps) = (1e-3, 7.3e-3, 6000);
        let specimen = LinearSpecimen { mass: 2.0, damping: 5e2, stiffness: 3e5 };
        for phase in [0.02f64, 0.3, 1.1] {
            let inner = Transfer::second_order(20.0, 0.6, dt).unwrap();
            let real = Delayed::new(Box::new(inner), delay, dt);
            let mut memory = vec![0.0; real.memory()];
            let (mut before, mut sums, mut moving) = (0.0, [Complex64::from(0.0); 2], specimen);
            // Whole periods only, so that the mean of the wave is exact enough.
            for k in 0..steps {
                let now = (phase * f64::from(k)).cos();
                let there = real.advance(&mut memory, [before, now], &mut moving);
                before = now;
                if k >= steps / 2 {
                    let wave = Complex64::from_polar(4.0 / f64::from(steps), -phase * f64::from(k));
                    sums[0] += wave * there.x;
                    sums[1] += wave * there.force;
                }
            }
            let actuators =
                vec![Uncertain { follows: Follows::SecondOrder(Lag::new()), displacement_gain: 1.0, force_gain: 1.0 }];
            let matrices = [vec![specimen.stiffness], vec![specimen.damping], vec![specimen.mass]];
            let stored = Vec::new();
            let mut rig = UncertainRig { actuators, matrices, stored, beyond: [vec![0.0], vec![0.0]], dt };
            let one = [1.0; 2];
            let cell = [[delay; 2], one, [20.0; 2], [0.6; 2], one, one, one];
            let mut discs = [Disc::EVERYWHERE; 2];
            rig.response(phase, 0.0, [0.0; 2], &cell, &mut discs);
            for (disc, sum) in discs.iter().zip(sums) {
                assert!((disc.centre - sum).norm() < 1e-2 * disc.centre.norm(), "{phase}: {disc:?} {sum}");
            }
        }
    }

    /// States that follow the displacement by the trapezoidal rule over its velocity, as those of emulated laws do: what they are lies in the disc.
    #[test]
    fn states_that_follow_are_within_their_disc() {
        use crate::plant::{Actuator, Ideal, LinearSpecimen, Transfer};
        use std::f64::consts::TAU;
        let (dt, steps) = (1e-3, 6000u32);
        for turns in [3, 40, 150, 700, 1400] {
            // Whole periods in the second half, when the start has died away.
            let phase = TAU * f64::from(turns) / 3000.0;
            let kinds: [(Box<dyn Actuator>, Follows, [f64; 2]); 3] = [
                (Box::new(Ideal::new(dt)), Follows::Ideal, [1.0, 1.0]),
                (Box::new(Transfer::first_order(5e-3, dt).unwrap()), Follows::FirstOrder(Lag::new()), [5e-3, 1.0]),
                (
                    Box::new(Transfer::second_order(60.0, 0.4, dt).unwrap()),
                    Follows::SecondOrder(Lag::new()),
                    [60.0, 0.4],
                ),
            ];
            for (real, follows, [pace, damping]) in kinds {
                let mut memory = vec![0.0; real.memory()];
                let mut specimen = LinearSpecimen { mass: 0.0, damping: 0.0, stiffness: 0.0 };
                let (mut before, mut v, mut state, mut sum) = (0.0, 0.0, 0.0, Complex64::from(0.0));
                for k in 0..steps {
                    let now = (phase * f64::from(k)).cos();
                    let there = real.advance(&mut memory, [before, now], &mut specimen);
                    state += 0.5 * dt * (v + there.v);
                    (before, v) = (now, there.v);
                    if k >= steps / 2 {
                        sum += Complex64::from_polar(4.0 / f64::from(steps), -phase * f64::from(k)) * state;
                    }
                }
                let mut one = Uncertain { follows, displacement_gain: 1.0, force_gain: 1.0 };
                let band = Band { phase, half: 0.0, dt };
                let cell = [[0.0; 2], [1.0; 2], [pace; 2], [damping; 2]];
                let [.., followed] = one.response(band, [0.0; 2], &cell);
                let off = (followed.centre - sum).norm();
                assert!(off <= followed.radius + 1e-3 * sum.norm() + 1e-9, "{turns}: {followed:?} {sum}");
                // Tight where it matters.
                assert!(turns > 40 || followed.radius < 0.02, "{turns}: {followed:?}");
            }
        }
    }
}
