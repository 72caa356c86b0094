//! Actuators and degrees of freedom: lengths from displacements and back, forces from actuators to degrees of freedom.
//!
//! With q the strokes of the actuators and u the displacements, q = q(u), J = dq/du. Work is the same seen from both
//! sides, fᵀ dq = rᵀ du, so that r = Jᵀ f. The way back, u(q), is Newton's iteration on q(u) = q from the last known
//! displacement: quadratically convergent for the small changes of one sample, and exact in one pass where q is linear.

use interfield_linalg::Lu;

/// One actuator, seen from the commanded degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub enum Lever {
    /// Stroke = Σ factor · displacement.
    Linear(Vec<f64>),
    /// A strut from a fixed point to a point of a rigid body; the stroke is the change of its length.
    Strut(Strut),
}

/// A strut between the laboratory and a rigid body whose motion is some of the commanded degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Strut {
    /// Fixed end, m.
    pub anchor: [f64; 3],
    /// The other end at rest, m.
    pub attachment: [f64; 3],
    /// The node about which the body turns, m.
    pub pivot: [f64; 3],
    /// Which commanded degree of freedom moves the body along x, y, z.
    pub translations: [Option<usize>; 3],
    /// Rotations about x, y, z.
    pub rotations: [Option<usize>; 3],
}

/// Most iterations of u(q); a rig needs two or three.
const ITERATIONS: usize = 20;

/// All actuators of a rig: as many as commanded degrees of freedom.
#[derive(Clone, Debug)]
pub struct Kinematics {
    levers: Vec<Lever>,
    /// J, row-major, where it was last taken.
    jacobian: Vec<f64>,
    lu: Lu,
    rest: Vec<f64>,
    work: Vec<f64>,
    linear: bool,
}

impl Kinematics {
    /// One actuator along each of `n` degrees of freedom.
    pub fn direct(n: usize) -> Self {
        let unit = |i: usize| Lever::Linear((0..n).map(|j| f64::from(u8::from(i == j))).collect());
        Self::new((0..n).map(unit).collect()).expect("the identity can be inverted")
    }

    /// These actuators; `None` if they cannot hold the degrees of freedom at rest: too few, too many, or parallel.
    pub fn new(levers: Vec<Lever>) -> Option<Self> {
        let n = levers.len();
        let linear = levers.iter().all(|l| matches!(l, Lever::Linear(_)));
        let mut this = Kinematics {
            levers,
            jacobian: vec![0.0; n * n],
            lu: Lu::new(n),
            rest: vec![0.0; n],
            work: vec![0.0; n],
            linear,
        };
        let zero = vec![0.0; n];
        let mut q = vec![0.0; n];
        let fits = this.levers.iter().all(|l| match l {
            Lever::Linear(row) => row.len() == n,
            Lever::Strut(s) => s.translations.iter().chain(&s.rotations).flatten().all(|&d| d < n),
        });
        (fits && this.evaluate(&zero, &mut q)).then_some(this)
    }

    /// The same actuators for small motions about rest: struts that do not turn.
    #[must_use]
    pub fn linearised(mut self) -> Self {
        let n = self.len();
        let mut rest = vec![0.0; n];
        // As for a new one, which held the degrees of freedom there.
        self.evaluate(&vec![0.0; n], &mut rest);
        self.levers = (0..n).map(|i| Lever::Linear(self.jacobian[i * n..(i + 1) * n].to_vec())).collect();
        self.linear = true;
        self
    }

    /// Number of actuators, and of degrees of freedom.
    pub fn len(&self) -> usize {
        self.levers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.levers.is_empty()
    }

    /// Strokes at the displacements `u`.
    pub fn strokes(&self, u: &[f64], q: &mut [f64]) {
        for (lever, q) in self.levers.iter().zip(q) {
            *q = match lever {
                Lever::Linear(row) => row.iter().zip(u).map(|(f, u)| f * u).sum(),
                Lever::Strut(strut) => strut.stroke(u),
            };
        }
    }

    /// Displacements at the strokes `q`; `u` holds a guess before. `false` if the actuators jam.
    pub fn displacements(&mut self, q: &[f64], u: &mut [f64]) -> bool {
        let n = self.len();
        let mut at = std::mem::take(&mut self.rest);
        let mut found = false;
        for _ in 0..ITERATIONS {
            if !self.evaluate(u, &mut at) {
                break;
            }
            let mut step = std::mem::take(&mut self.work);
            (0..n).for_each(|i| step[i] = q[i] - at[i]);
            let (size, scale) = (largest(&step), 1.0 + largest(q));
            self.lu.solve(&mut step);
            (0..n).for_each(|i| u[i] += step[i]);
            self.work = step;
            if self.linear || size <= 1e-14 * scale {
                found = true;
                break;
            }
        }
        self.rest = at;
        found
    }

    /// Rates of the displacements from rates of the strokes, at the last point of [`Kinematics::displacements`]:
    /// J u' = q', in place.
    pub fn rates(&mut self, rates: &mut [f64]) {
        self.lu.solve(rates);
    }

    /// Forces on the degrees of freedom by forces of the actuators: r = Jᵀ f.
    pub fn to_dofs(&self, f: &[f64], r: &mut [f64]) {
        let n = self.len();
        for j in 0..n {
            r[j] = (0..n).map(|i| self.jacobian[i * n + j] * f[i]).sum();
        }
    }

    /// Forces of the actuators that balance forces on the degrees of freedom: Jᵀ f = r, in place.
    pub fn to_actuators(&mut self, r: &mut [f64]) {
        self.lu.solve_transposed(r);
    }

    /// Strokes and Jacobian at `u`, the Jacobian factorised. `false` if it is singular.
    fn evaluate(&mut self, u: &[f64], q: &mut [f64]) -> bool {
        let n = self.len();
        for (i, lever) in self.levers.iter().enumerate() {
            let row = &mut self.jacobian[i * n..(i + 1) * n];
            match lever {
                Lever::Linear(factors) => {
                    q[i] = factors.iter().zip(u).map(|(f, u)| f * u).sum();
                    row.copy_from_slice(factors);
                }
                Lever::Strut(strut) => q[i] = strut.linearise(u, row),
            }
        }
        // Struts that are parallel but for rounding hold nothing.
        self.lu.factorize(&self.jacobian).is_ok() && self.lu.least_pivot() > 1e-12 * largest(&self.jacobian)
    }
}

impl Strut {
    /// Change of its length.
    fn stroke(&self, u: &[f64]) -> f64 {
        length(self.reach(u).0) - length(difference(self.attachment, self.anchor))
    }

    /// Change of its length, and the derivatives of it.
    fn linearise(&self, u: &[f64], row: &mut [f64]) -> f64 {
        let (reach, arm) = self.reach(u);
        let now = length(reach);
        let along = reach.map(|x| x / now);
        row.fill(0.0);
        for axis in 0..3 {
            if let Some(d) = self.translations[axis] {
                row[d] += along[axis];
            }
            if let Some(d) = self.rotations[axis] {
                // The axis of an earlier rotation is turned by the later ones.
                let mut turn = [0.0; 3];
                turn[axis] = 1.0;
                (axis + 1..3).for_each(|later| self.turn(later, u, &mut turn));
                row[d] += dot(along, cross(turn, arm));
            }
        }
        now - length(difference(self.attachment, self.anchor))
    }

    /// Turns a vector about the fixed axis number `axis`.
    fn turn(&self, axis: usize, u: &[f64], vector: &mut [f64; 3]) {
        let (sin, cos) = self.rotations[axis].map_or(0.0, |d| u[d]).sin_cos();
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        (vector[j], vector[k]) = (cos * vector[j] - sin * vector[k], sin * vector[j] + cos * vector[k]);
    }

    /// The strut as a vector, and the arm from the pivot to the moved end. Rotations are finite: about x, then y, then z.
    fn reach(&self, u: &[f64]) -> ([f64; 3], [f64; 3]) {
        let of = |d: Option<usize>| d.map_or(0.0, |d| u[d]);
        let mut arm = difference(self.attachment, self.pivot);
        (0..3).for_each(|axis| self.turn(axis, u, &mut arm));
        let end: [f64; 3] = std::array::from_fn(|i| self.pivot[i] + of(self.translations[i]) + arm[i]);
        (difference(end, self.anchor), arm)
    }
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}
