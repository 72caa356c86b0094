//! Fixtures: what hangs between the load cells and the specimen and belongs to neither, such as a loading beam or a plate. The cells feel its
//! inertia and, where it turns, how its weight leans; neither is a force of the specimen.
//!
//! A fixture is a rigid body with mass m, inertia I about its centre, and the centre at the arm c from the node with which it moves.
//! With finite rotations about x, then y, then z (as [`Strut`](crate::kinematics::Strut)s have them) R, w and w' follow from the degrees of
//! freedom and their rates, and with c' = R c
//!
//! ```text
//! a_c = u" + w' x c' + w x (w x c')          F = m (a_c - g)
//! N   = c' x F + I' w' + w x I' w            I' = R I Rᵀ
//! ```
//!
//! F is what the translations of the node carry, and the component of N along the present axis of a rotation what that rotation carries.
//! The rates come from the measured displacements ([`Fit`]): no accelerometer is needed, what really moves is compensated, not what
//! was commanded, and without delay.
//!
//! Actuators go from target to target on nearly straight lines: between two targets their acceleration swings, and the cells feel it, too fast for
//! any fit. Of what is measured beyond the elastic force K u and the fixtures, the fit over the same window is kept, so that this swing is not
//! taken for a force of the specimen.

use crate::kinematics::{cross, dot};
use crate::signal::fit::Fit;

/// A rigid body between load cells and specimen.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about axes x, y, z through its centre of mass at rest, kg m².
    pub inertia: [f64; 3],
    /// Its centre of mass at rest, seen from its node, m.
    pub arm: [f64; 3],
    /// Acceleration of gravity, m/s².
    pub gravity: [f64; 3],
    /// Which degree of freedom moves it along x, y, z.
    pub translations: [Option<usize>; 3],
    /// Rotations about x, y, z.
    pub rotations: [Option<usize>; 3],
}

/// How the degrees of freedom of a fixture move.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// Displacements, m (rad).
    pub u: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations.
    pub a: &'a [f64],
}

type Vector = [f64; 3];

impl Fixture {
    /// Adds the force that moves and carries it to `force`, by degree of freedom, times `factor`.
    pub fn add(&self, course: Course<'_>, factor: f64, force: &mut [f64]) {
        let of = |d: Option<usize>, x: &[f64]| d.map_or(0.0, |d| x[d]);
        let angles = self.rotations.map(|d| of(d, course.u));
        let (mut axes, mut spin, mut spin_rate) = ([[0.0; 3]; 3], [0.0; 3], [0.0; 3]);
        // From the outermost rotation inwards: the axis of an earlier one is carried along by the later ones.
        for axis in (0..3).rev() {
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            (axis + 1..3).for_each(|later| turn(later, angles[later], &mut unit));
            axes[axis] = unit;
            let [rate, acceleration] = [course.v, course.a].map(|x| of(self.rotations[axis], x));
            let carried = cross(spin, unit);
            for i in 0..3 {
                spin_rate[i] += acceleration * unit[i] + rate * carried[i];
                spin[i] += rate * unit[i];
            }
        }
        let turned = |vector: Vector| turned(angles, vector);
        let arm = turned(self.arm);
        let (swing, pull) = (cross(spin_rate, arm), cross(spin, cross(spin, arm)));
        let carry: Vector = std::array::from_fn(|i| {
            self.mass * (of(self.translations[i], course.a) + swing[i] + pull[i] - self.gravity[i])
        });
        // I' x = R (I (Rᵀ x)).
        let own = |x: Vector| {
            let body = back(angles, x);
            turned(std::array::from_fn(|i| self.inertia[i] * body[i]))
        };
        let (tilt, inertial, gyroscopic) = (cross(arm, carry), own(spin_rate), cross(spin, own(spin)));
        let moment: Vector = std::array::from_fn(|i| tilt[i] + inertial[i] + gyroscopic[i]);
        for axis in 0..3 {
            if let Some(d) = self.translations[axis] {
                force[d] += factor * carry[axis];
            }
            if let Some(d) = self.rotations[axis] {
                force[d] += factor * dot(axes[axis], moment);
            }
        }
    }

    /// Its mass matrix at rest over `n` degrees of freedom, row-major, added to `matrix`.
    pub fn add_mass(&self, n: usize, matrix: &mut [f64]) {
        let zero = vec![0.0; n];
        let weightless = Fixture { gravity: [0.0; 3], ..self.clone() };
        for j in 0..n {
            let mut a = vec![0.0; n];
            a[j] = 1.0;
            let mut column = vec![0.0; n];
            weightless.add(Course { u: &zero, v: &zero, a: &a }, 1.0, &mut column);
            (0..n).for_each(|i| matrix[i * n + j] += column[i]);
        }
    }

    /// How its weight changes with small motions about rest, over `n` degrees of freedom, row-major, added to `matrix`: by differences of a small
    /// motion to both sides, which are exact to twelve digits.
    fn add_tilt(&self, n: usize, matrix: &mut [f64]) {
        const SMALL: f64 = 1e-5;
        let zero = vec![0.0; n];
        for j in 0..n {
            let mut column = vec![0.0; n];
            for side in [SMALL, -SMALL] {
                let mut u = vec![0.0; n];
                u[j] = side;
                self.add(Course { u: &u, v: &zero, a: &zero }, 0.5 / side, &mut column);
            }
            (0..n).for_each(|i| matrix[i * n + j] += column[i]);
        }
    }
}

/// All fixtures of a rig, as seen by its load cells.
#[derive(Clone, Debug)]
pub struct Fixtures {
    bodies: Vec<Fixture>,
    /// Whether the load cells show zero under the weight at rest.
    tared: bool,
    /// What the weight at rest would show else.
    rest: Vec<f64>,
    /// Mass and tilt at rest, in place of the bodies, for probes of a loop: what is left is linear.
    linear: Option<[Vec<f64>; 2]>,
    /// Stiffness of the specimen at rest, row-major.
    stiffness: Vec<f64>,
    fit: Fit,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Fixtures {
    /// These, on a specimen with this stiffness over `n` degrees of freedom. Rates are taken over `window` seconds, sampled every `dt`.
    pub fn new(bodies: Vec<Fixture>, tared: bool, (n, stiffness): (usize, Vec<f64>), [window, dt]: [f64; 2]) -> Self {
        let zeros = || vec![0.0; n];
        let mut rest = zeros();
        let still = zeros();
        for body in &bodies {
            body.add(Course { u: &still, v: &still, a: &still }, 1.0, &mut rest);
        }
        Fixtures { bodies, tared, rest, linear: None, stiffness, fit: Fit::new(window, dt), v: zeros(), a: zeros() }
    }

    /// For small motions about rest, and without the weight there.
    #[must_use]
    pub fn linearised(mut self) -> Self {
        let n = self.rest.len();
        let mut tilt = vec![0.0; n * n];
        self.bodies.iter().for_each(|body| body.add_tilt(n, &mut tilt));
        self.linear = Some([self.masses(), tilt]);
        self
    }

    /// Length of what is remembered: whether anything is, the motion, the force beyond the elastic one.
    pub fn memory(&self) -> usize {
        if self.bodies.is_empty() { 0 } else { 1 + 2 * self.rest.len() * self.fit.samples() }
    }

    /// Takes the part of the fixtures, which were seen at `u`, from forces on the degrees of freedom.
    pub fn take(&mut self, memory: &mut [f64], u: &[f64], force: &mut [f64]) {
        let n = self.rest.len();
        let Some((begun, memory)) = memory.split_first_mut() else { return };
        let first = self.begins(begun);
        let (motion, swing) = memory.split_at_mut(n * self.fit.samples());
        self.follow(motion, u, first);
        self.add(Course { u, v: &self.v, a: &self.a }, -1.0, force);
        for (i, past) in swing.chunks_exact_mut(self.fit.samples()).enumerate() {
            let elastic: f64 = self.stiffness[i * n..(i + 1) * n].iter().zip(u).map(|(k, u)| k * u).sum();
            let beyond = force[i] - elastic;
            if first {
                past.fill(beyond);
            }
            force[i] = elastic + self.fit.smooth(past, beyond);
        }
    }

    /// Adds what they do to forces on the degrees of freedom, with the rates that fit their motion best.
    pub fn give_fitted(&mut self, memory: &mut [f64], u: &[f64], force: &mut [f64]) {
        let Some((begun, memory)) = memory.split_first_mut() else { return };
        let first = self.begins(begun);
        let motion = self.rest.len() * self.fit.samples();
        self.follow(&mut memory[..motion], u, first);
        self.add(Course { u, v: &self.v, a: &self.a }, 1.0, force);
    }

    /// Whether this is the first sample: what was before stood there as long as it takes. Probes start anywhere, and know no first sample.
    fn begins(&self, begun: &mut f64) -> bool {
        self.linear.is_none() && std::mem::replace(begun, 1.0) == 0.0
    }

    /// Rates at `u`, from the motion so far.
    fn follow(&mut self, memory: &mut [f64], u: &[f64], first: bool) {
        for (i, past) in memory.chunks_exact_mut(self.fit.samples()).enumerate() {
            if first {
                past.fill(u[i]);
            }
            [self.v[i], self.a[i]] = self.fit.step(past, u[i]);
        }
    }

    /// Adds what they do to forces on the degrees of freedom, in this motion.
    pub fn give(&self, course: Course<'_>, force: &mut [f64]) {
        self.add(course, 1.0, force);
    }

    fn add(&self, course: Course<'_>, factor: f64, force: &mut [f64]) {
        if let Some([mass, tilt]) = &self.linear {
            let n = force.len();
            for (i, f) in force.iter_mut().enumerate() {
                let part = |j: usize| mass[i * n + j] * course.a[j] + tilt[i * n + j] * course.u[j];
                *f += factor * (0..n).map(part).sum::<f64>();
            }
            return;
        }
        self.bodies.iter().for_each(|body| body.add(course, factor, force));
        // The zero of cells that were tared is the weight at rest.
        if self.tared {
            force.iter_mut().zip(&self.rest).for_each(|(f, rest)| *f -= factor * rest);
        }
    }

    /// Their mass matrix at rest, row-major.
    pub fn masses(&self) -> Vec<f64> {
        let n = self.rest.len();
        let mut matrix = vec![0.0; n * n];
        self.bodies.iter().for_each(|body| body.add_mass(n, &mut matrix));
        matrix
    }
}

/// Turns a vector about the fixed axis number `axis`.
fn turn(axis: usize, angle: f64, vector: &mut Vector) {
    let (sin, cos) = angle.sin_cos();
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    (vector[j], vector[k]) = (cos * vector[j] - sin * vector[k], sin * vector[j] + cos * vector[k]);
}

fn turned(angles: Vector, mut vector: Vector) -> Vector {
    (0..3).for_each(|axis| turn(axis, angles[axis], &mut vector));
    vector
}

fn back(angles: Vector, mut vector: Vector) -> Vector {
    (0..3).rev().for_each(|axis| turn(axis, -angles[axis], &mut vector));
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEAM: Fixture = Fixture {
        mass: 120.0,
        inertia: [7.0, 5.0, 11.0],
        arm: [0.4, -0.3, 0.2],
        gravity: [0.0, -9.81, 0.0],
        translations: [Some(0), Some(1), Some(2)],
        rotations: [Some(3), Some(4), Some(5)],
    };

    /// Where its centre is, and its kinetic energy by the velocities of six points that have its inertia.
    fn centre(u: &[f64; 6]) -> Vector {
        let arm = turned([u[3], u[4], u[5]], BEAM.arm);
        std::array::from_fn(|i| u[i] + arm[i])
    }

    fn kinetic(u: &[f64; 6], v: &[f64; 6]) -> f64 {
        // Points on the axes at distances d with mass m/6 each have I_x = m/3 (d_y² + d_z²), and so on.
        let [x, y, z] = BEAM.inertia;
        let squares = [y + z - x, x + z - y, x + y - z].map(|s: f64| 1.5 * s / BEAM.mass);
        let mut energy = 0.0;
        for (axis, square) in squares.into_iter().enumerate() {
            for side in [-1.0, 1.0] {
                let mut arm = BEAM.arm;
                arm[axis] += side * square.sqrt();
                let at = |h: f64| {
                    let moved: [f64; 6] = std::array::from_fn(|i| u[i] + h * v[i]);
                    let arm = turned([moved[3], moved[4], moved[5]], arm);
                    std::array::from_fn::<f64, 3, _>(|i| moved[i] + arm[i])
                };
                let h = 1e-4;
                // Fourth order, so that second differences of the energy have digits left.
                let (a, b, c, d) = (at(-2.0 * h), at(-h), at(h), at(2.0 * h));
                let velocity: Vector = std::array::from_fn(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * h));
                energy += 0.5 * BEAM.mass / 6.0 * dot(velocity, velocity);
            }
        }
        energy
    }

    /// Lagrange's equations, d/dt dT/dv - dT/du + dV/du, by differences of the energies of six mass points.
    #[test]
    fn a_turning_body_obeys_lagrange() {
        let (u, v, a) =
            ([0.1, -0.2, 0.05, 0.4, -0.3, 0.7], [0.5, -0.3, 0.2, 1.1, 0.8, -0.9], [2.0, -1.0, 3.0, -2.0, 1.5, 4.0]);
        let mut force = [0.0; 6];
        BEAM.add(Course { u: &u, v: &v, a: &a }, 1.0, &mut force);
        let lean = |x: &[f64; 6], i: usize, h: f64| {
            let mut moved = *x;
            moved[i] += h;
            moved
        };
        let h = 1e-3;
        let momentum = |t: f64, i: usize| {
            let u_t: [f64; 6] = std::array::from_fn(|j| u[j] + t * v[j] + 0.5 * t * t * a[j]);
            let v_t: [f64; 6] = std::array::from_fn(|j| v[j] + t * a[j]);
            // T is a quadratic form of v: the difference is exact.
            (kinetic(&u_t, &lean(&v_t, i, 0.5)) - kinetic(&u_t, &lean(&v_t, i, -0.5))) / 1.0
        };
        for (i, force) in force.into_iter().enumerate() {
            let rate = (momentum(h, i) - momentum(-h, i)) / (2.0 * h);
            let shift = (kinetic(&lean(&u, i, h), &v) - kinetic(&lean(&u, i, -h), &v)) / (2.0 * h);
            let height = |x: &[f64; 6]| BEAM.mass * 9.81 * centre(x)[1];
            let weight = (height(&lean(&u, i, h)) - height(&lean(&u, i, -h))) / (2.0 * h);
            let expected = rate - shift + weight;
            assert!((force - expected).abs() < 2e-4 * (1.0 + expected.abs()), "{i}: {force} {expected}");
        }
    }

    /// A beam on a hinge: moment m g (c_x cos - c_y sin) about z, and the whole inertia I + m c².
    #[test]
    fn a_pendulum_leans_and_swings_as_in_the_book() {
        let beam = Fixture { translations: [None; 3], rotations: [None, None, Some(0)], ..BEAM };
        let angle: f64 = 0.6;
        let mut moment = [0.0];
        beam.add(Course { u: &[angle], v: &[3.0], a: &[2.0] }, 1.0, &mut moment);
        let weight = 120.0 * 9.81 * (0.4 * angle.cos() + 0.3 * angle.sin());
        let expected = weight + (11.0 + 120.0 * (0.16 + 0.09)) * 2.0;
        assert!((moment[0] - expected).abs() < 1e-10, "{} {expected}", moment[0]);
        let mut mass = [0.0];
        beam.add_mass(1, &mut mass);
        assert!((mass[0] - 41.0).abs() < 1e-12);
    }

    /// Of a pendulum: the whole inertia, and -m g c_y where it hangs.
    #[test]
    fn small_motions_have_mass_and_tilt() {
        let beam = Fixture { translations: [None; 3], rotations: [None, None, Some(0)], ..BEAM };
        let fixtures = Fixtures::new(vec![beam], true, (1, vec![0.0]), [0.02, 1e-3]).linearised();
        let mut moment = [0.0];
        fixtures.give(Course { u: &[1.0], v: &[5.0], a: &[2.0] }, &mut moment);
        let expected = 41.0 * 2.0 + 120.0 * 9.81 * 0.3;
        assert!((moment[0] - expected).abs() < 1e-6, "{} {expected}", moment[0]);
    }

    #[test]
    fn what_is_given_is_taken_again_tared_or_not() {
        let beam = Fixture { translations: [Some(0), None, None], rotations: [None, None, Some(1)], ..BEAM };
        for tared in [true, false] {
            let mut fixtures = Fixtures::new(vec![beam.clone()], tared, (2, vec![0.0; 4]), [0.02, 1e-3]);
            let mut memory = vec![0.0; fixtures.memory()];
            let mut largest: f64 = 0.0;
            for k in 0..400 {
                let t = f64::from(k) * 1e-3;
                // Smooth from rest, then 2 Hz.
                let w = 4.0 * std::f64::consts::PI;
                let (s, c) = (w * t).sin_cos();
                let (x, x1, x2) = (1.0 - c, w * s, w * w * c);
                let (u, v, a) = ([0.02 * x, 0.1 * x], [0.02 * x1, 0.1 * x1], [0.02 * x2, 0.1 * x2]);
                let mut force = [500.0, -70.0];
                fixtures.give(Course { u: &u, v: &v, a: &a }, &mut force);
                if k > 100 {
                    assert!((force[0] - 500.0).abs() > 1.0 || (force[1] + 70.0).abs() > 1.0, "it is felt");
                }
                fixtures.take(&mut memory, &u, &mut force);
                // Two windows after the sudden start.
                if k > 45 {
                    largest = largest.max((force[0] - 500.0).abs()).max((force[1] + 70.0).abs());
                }
            }
            // 3/28 (w T)² of the largest inertia force, m w² 0.02 + m c_y w² 0.1 and I w² 0.1 + m c w² 0.02.
            let inertia: f64 = 158.0 * (0.1 * 41.0 + 0.02 * 36.0);
            let stated = 3.0 / 28.0 * (0.02 * 12.57f64).powi(2) * inertia;
            assert!(largest < 1.2 * stated, "{largest} {stated}");
            let mut rest = [0.0, 0.0];
            fixtures.give(Course { u: &[0.0; 2], v: &[0.0; 2], a: &[0.0; 2] }, &mut rest);
            let weight = if tared { 0.0 } else { 120.0 * 9.81 * 0.4 };
            assert!((rest[1] - weight).abs() < 1e-9);
        }
    }
}
