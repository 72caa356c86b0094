//! Actuators and degrees of freedom: strokes from displacements and back, forces from actuators to degrees of freedom.
//!
//! With q the strokes of m actuators and u the displacements of n degrees of freedom, q = q(u), J = dq/du. Work is the same seen
//! from both sides, fᵀ dq = rᵀ du, so that r = Jᵀ f. The way back, u(q), is Newton's iteration on q(u) = q from the last known
//! displacement: quadratically convergent for the small changes of one sample, and exact in one pass where q is linear.
//!
//! Fewer actuators than degrees of freedom drive some directions only; u then stays where it was in the others. More actuators than
//! directions are redundant: u fits their strokes best, and forces that balance each other are *internal*. Both are the
//! pseudo-inverse of J, of the rank it has at rest; rows and columns are scaled there, so that radians and metres compare.

use interfield_linalg::{Lu, Svd};

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

impl Lever {
    /// Whether its stroke changes with a degree of freedom, from rest.
    pub fn acts_on(&self, dof: usize) -> bool {
        match self {
            Lever::Linear(row) => row[dof] != 0.0,
            Lever::Strut(strut) => strut.acts_on(dof),
        }
    }

    /// The same over these degrees of freedom only, in this order.
    #[must_use]
    pub fn over(&self, dofs: &[usize]) -> Self {
        let kept = |d: &Option<usize>| d.and_then(|d| dofs.iter().position(|k| *k == d));
        match self {
            Lever::Linear(row) => Lever::Linear(dofs.iter().map(|&d| row[d]).collect()),
            Lever::Strut(strut) => Lever::Strut(Strut {
                translations: strut.translations.each_ref().map(kept),
                rotations: strut.rotations.each_ref().map(kept),
                ..strut.clone()
            }),
        }
    }
}

/// Most iterations of u(q); a rig needs two or three.
const ITERATIONS: usize = 20;
/// Singular values below this share of the largest are those of directions that nothing holds: struts that are parallel but for rounding.
const NOTHING: f64 = 1e-9;
/// An actuator jams where the Jacobian has lost this much of what it was at rest.
const JAMMED: f64 = 1e-9;

/// The actuators of a rig, or its sensors: rows over degrees of freedom.
#[derive(Clone, Debug)]
pub struct Kinematics {
    levers: Vec<Lever>,
    dofs: usize,
    /// J, row-major, where it was last taken.
    jacobian: Vec<f64>,
    inverse: Inverse,
    /// Strokes where the Jacobian was taken, and how far each end had moved: what rounding is measured by.
    at: Vec<f64>,
    moved: Vec<f64>,
    step: Vec<f64>,
    change: Vec<f64>,
    linear: bool,
}

/// How J is inverted.
#[derive(Clone, Debug)]
enum Inverse {
    /// As many actuators as degrees of freedom, all of which they hold; the least pivot at rest.
    Regular(Lu, f64),
    /// All other rigs.
    Pseudo(Pseudo),
}

/// J⁺ = C (R J C)⁺ R, with diagonal R and C from J at rest.
#[derive(Clone, Debug)]
struct Pseudo {
    svd: Svd,
    rank: usize,
    /// The least singular value of this rank at rest.
    least: f64,
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// What the actuators carry of a force that several could, in proportion.
    shares: Vec<f64>,
    scaled: Vec<f64>,
    work: [Vec<f64>; 2],
}

impl Kinematics {
    /// One actuator along each of `n` degrees of freedom.
    pub fn direct(n: usize) -> Self {
        let unit = |i: usize| Lever::Linear((0..n).map(|j| f64::from(u8::from(i == j))).collect());
        Self::new((0..n).map(unit).collect(), n)
    }

    /// These actuators over `dofs` degrees of freedom. What they hold is asked with [`Kinematics::unheld`].
    ///
    /// # Panics
    /// When a lever is not one over `dofs` degrees of freedom.
    pub fn new(levers: Vec<Lever>, dofs: usize) -> Self {
        let m = levers.len();
        let fits = |l: &Lever| match l {
            Lever::Linear(row) => row.len() == dofs,
            Lever::Strut(s) => s.translations.iter().chain(&s.rotations).flatten().all(|&d| d < dofs),
        };
        assert!(levers.iter().all(fits), "levers over {dofs} degrees of freedom");
        let linear = levers.iter().all(|l| matches!(l, Lever::Linear(_)));
        let zeros = || vec![0.0; m];
        let mut this = Kinematics {
            levers,
            dofs,
            jacobian: vec![0.0; m * dofs],
            inverse: Inverse::Pseudo(Pseudo::new(m, dofs)),
            at: zeros(),
            moved: zeros(),
            step: zeros(),
            change: vec![0.0; dofs],
            linear,
        };
        this.linearise(&vec![0.0; dofs]);
        this.inverse = Inverse::at_rest(&this.jacobian, m, dofs);
        this
    }

    /// Redundant actuators carry forces in these proportions, one number each; what fits their strokes best is weighed so too.
    #[must_use]
    pub fn sharing(mut self, shares: &[f64]) -> Self {
        self.linearise(&vec![0.0; self.dofs]);
        if let Inverse::Pseudo(p) = &mut self.inverse {
            p.shares.copy_from_slice(shares);
            p.rest(&self.jacobian);
        }
        self
    }

    /// Redundant actuators carry forces as springs of this stiffness between their pistons and the body do, if all pistons move alike: those with the
    /// least Σ f²/k.
    #[must_use]
    pub fn by_stiffness(mut self, stiffness: &[f64]) -> Self {
        let largest = largest(stiffness);
        self = self.sharing(&vec![1.0; stiffness.len()]);
        // The scales of the rows, which make metres and radians compare, are undone.
        let Inverse::Pseudo(p) = &self.inverse else { return self };
        let shares: Vec<f64> = stiffness.iter().zip(&p.rows).map(|(k, row)| k / (largest * row * row)).collect();
        self.sharing(&shares)
    }

    /// The same actuators for small motions about rest: struts that do not turn.
    #[must_use]
    pub fn linearised(mut self) -> Self {
        self.linearise(&vec![0.0; self.dofs]);
        let levers = self.jacobian.chunks(self.dofs.max(1)).map(|row| Lever::Linear(row.to_vec())).collect();
        let small = Self::new(levers, self.dofs);
        match &self.inverse {
            Inverse::Regular(..) => small,
            Inverse::Pseudo(p) => small.sharing(&p.shares),
        }
    }

    /// Number of actuators.
    pub fn actuators(&self) -> usize {
        self.levers.len()
    }

    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// Number of independent directions that they hold at rest.
    pub fn rank(&self) -> usize {
        match &self.inverse {
            Inverse::Regular(..) => self.dofs,
            Inverse::Pseudo(p) => p.rank,
        }
    }

    /// Whether they hold every degree of freedom, each in one way.
    pub fn is_regular(&self) -> bool {
        matches!(self.inverse, Inverse::Regular(..))
    }

    /// A small motion from rest that changes a row over the degrees of freedom (a deformation that a specimen resists), but no stroke;
    /// `None` if there is none.
    pub fn unheld(&self, row: &[f64]) -> Option<Vec<f64>> {
        let Inverse::Pseudo(p) = &self.inverse else { return None };
        let mut rest: Vec<f64> = row.iter().zip(&p.columns).map(|(x, c)| x * c).collect();
        let size = largest(&rest);
        p.svd.leave_row_space(p.rank, &mut rest);
        let held = largest(&rest) <= 1e-6 * size;
        rest.iter_mut().zip(&p.columns).for_each(|(x, c)| *x *= c);
        (!held).then_some(rest)
    }

    /// These actuators for small motions, and one more along `row`.
    #[must_use]
    pub fn and(self, row: Vec<f64>) -> Self {
        let dofs = self.dofs;
        let mut levers = self.linearised().levers;
        levers.push(Lever::Linear(row));
        Self::new(levers, dofs)
    }

    /// Actuators that are not independent of others: without one of them the rest would hold as much.
    pub fn dependent(&self) -> Vec<usize> {
        match &self.inverse {
            Inverse::Regular(..) => Vec::new(),
            Inverse::Pseudo(p) => (0..self.actuators()).filter(|&i| p.svd.depends(p.rank, i)).collect(),
        }
    }

    /// Strokes at the displacements `u`.
    pub fn strokes(&self, u: &[f64], q: &mut [f64]) {
        for (lever, q) in self.levers.iter().zip(q) {
            *q = match lever {
                Lever::Linear(row) => row.iter().zip(u).map(|(f, u)| f * u).sum(),
                Lever::Strut(strut) => strut.reach(u).stroke,
            };
        }
    }

    /// Displacements at the strokes `q`; `u` holds a guess before. `false` if the actuators jam.
    pub fn displacements(&mut self, q: &[f64], u: &mut [f64]) -> bool {
        let (mut before, mut first) = (f64::INFINITY, None);
        for _ in 0..ITERATIONS {
            if !self.stand(u) {
                return false;
            }
            let mut off = 0.0f64;
            for i in 0..self.step.len() {
                self.step[i] = q[i] - self.at[i];
                // Nothing moved, nothing asked: nothing is off.
                off = off.max(self.step[i].abs() / (self.moved[i] + q[i].abs()).max(f64::MIN_POSITIVE));
            }
            self.inverse.solve(&self.step, &mut self.change);
            // What fits best is where nothing changes any more: strokes that contradict each other stay off.
            let (moves, size) = (largest(&self.change), largest(u));
            // On the way to rest the displacement itself is what is left: the way counts then.
            let way = *first.get_or_insert(moves);
            u.iter_mut().zip(&self.change).for_each(|(u, d)| *u += d);
            let near = moves <= 1e-15 * size.max(way) || (moves >= before && moves <= 1e-12 * size);
            if self.linear || off <= 1e-14 || near {
                return u.iter().all(|u| u.is_finite());
            }
            before = moves;
        }
        false
    }

    /// Rates of the displacements from rates of the strokes, at the last point of [`Kinematics::displacements`]: J u' = q'.
    pub fn rates(&mut self, strokes: &[f64], displacements: &mut [f64]) {
        self.inverse.solve(strokes, displacements);
    }

    /// Forces on the degrees of freedom by forces of the actuators: r = Jᵀ f.
    pub fn to_dofs(&self, f: &[f64], r: &mut [f64]) {
        let n = self.dofs;
        for (j, r) in r.iter_mut().enumerate() {
            *r = f.iter().enumerate().map(|(i, f)| self.jacobian[i * n + j] * f).sum();
        }
    }

    /// Forces of the actuators that balance forces on the degrees of freedom: Jᵀ f = r; of redundant ones those without internal forces.
    pub fn to_actuators(&mut self, r: &[f64], f: &mut [f64]) {
        self.inverse.solve_transposed(r, f);
    }

    /// What a matrix over the degrees of freedom (stiffness, mass; row-major) is against the stroke of actuator `i` alone, the others standing:
    /// eᵢᵀ J⁻ᵀ A J⁻¹ eᵢ.
    pub fn against(&mut self, matrix: &[f64], i: usize) -> f64 {
        self.holding(matrix, i)[i]
    }

    /// Forces of all actuators that such a matrix asks for, per stroke of actuator `i` alone: a column of J⁻ᵀ A J⁻¹.
    pub fn holding(&mut self, matrix: &[f64], i: usize) -> Vec<f64> {
        let (m, n) = (self.actuators(), self.dofs);
        let unit: Vec<f64> = (0..m).map(|j| f64::from(u8::from(i == j))).collect();
        let (mut moved, mut forces) = (vec![0.0; n], vec![0.0; m]);
        self.rates(&unit, &mut moved);
        let resists: Vec<f64> = (0..n).map(|a| (0..n).map(|b| matrix[a * n + b] * moved[b]).sum()).collect();
        self.to_actuators(&resists, &mut forces);
        forces
    }

    /// The part of the forces of redundant actuators that moves nothing: they press against each other. Of others it is none.
    pub fn internal(&mut self, f: &[f64], internal: &mut [f64]) {
        let Inverse::Pseudo(p) = &mut self.inverse else { return internal.fill(0.0) };
        let n = self.dofs;
        for (j, r) in self.change.iter_mut().enumerate() {
            *r = f.iter().enumerate().map(|(i, f)| self.jacobian[i * n + j] * f).sum();
        }
        p.solve_transposed(&self.change, internal);
        internal.iter_mut().zip(f).for_each(|(x, f)| *x = f - *x);
    }

    /// J where it was last taken, row-major.
    pub fn jacobian(&self) -> &[f64] {
        &self.jacobian
    }

    /// Strokes at `u`, where J is taken too.
    pub fn linearise_at(&mut self, u: &[f64], q: &mut [f64]) {
        self.linearise(u);
        q.copy_from_slice(&self.at);
    }

    /// Takes the Jacobian at `u` and inverts it. `false` if it has lost its rank.
    pub fn stand(&mut self, u: &[f64]) -> bool {
        self.linearise(u);
        self.inverse.take(&self.jacobian)
    }

    fn linearise(&mut self, u: &[f64]) {
        let n = self.dofs;
        for (i, lever) in self.levers.iter().enumerate() {
            let row = &mut self.jacobian[i * n..(i + 1) * n];
            match lever {
                Lever::Linear(factors) => {
                    self.at[i] = factors.iter().zip(u).map(|(f, u)| f * u).sum();
                    self.moved[i] = factors.iter().zip(u).map(|(f, u)| (f * u).abs()).sum();
                    row.copy_from_slice(factors);
                }
                Lever::Strut(strut) => {
                    let reach = strut.linearise(u, row);
                    (self.at[i], self.moved[i]) = (reach.stroke, reach.moved);
                }
            }
        }
    }
}

impl Inverse {
    /// Of J at rest.
    fn at_rest(jacobian: &[f64], m: usize, n: usize) -> Self {
        let mut pseudo = Pseudo::new(m, n);
        pseudo.rest(jacobian);
        if m == n && pseudo.rank == n {
            let mut lu = Lu::new(n);
            if lu.factorize(jacobian).is_ok() {
                let least = lu.least_pivot();
                return Inverse::Regular(lu, least);
            }
        }
        Inverse::Pseudo(pseudo)
    }

    fn take(&mut self, jacobian: &[f64]) -> bool {
        match self {
            Inverse::Regular(lu, rest) => lu.factorize(jacobian).is_ok() && lu.least_pivot() > JAMMED * *rest,
            Inverse::Pseudo(p) => p.take(jacobian),
        }
    }

    fn solve(&mut self, q: &[f64], u: &mut [f64]) {
        match self {
            Inverse::Regular(lu, _) => {
                u.copy_from_slice(q);
                lu.solve(u);
            }
            Inverse::Pseudo(p) => p.solve(q, u),
        }
    }

    fn solve_transposed(&mut self, r: &[f64], f: &mut [f64]) {
        match self {
            Inverse::Regular(lu, _) => {
                f.copy_from_slice(r);
                lu.solve_transposed(f);
            }
            Inverse::Pseudo(p) => p.solve_transposed(r, f),
        }
    }
}

impl Pseudo {
    fn new(m: usize, n: usize) -> Self {
        Pseudo {
            svd: Svd::new(m, n),
            rank: 0,
            least: 0.0,
            rows: vec![1.0; m],
            columns: vec![1.0; n],
            shares: vec![1.0; m],
            scaled: vec![0.0; m * n],
            work: [vec![0.0; m], vec![0.0; n]],
        }
    }

    /// Scales and rank from J at rest. A row or column of zeros is left as it is.
    fn rest(&mut self, jacobian: &[f64]) {
        let n = self.columns.len();
        let scale = |size: f64| if size > 0.0 { 1.0 / size } else { 1.0 };
        for (j, column) in self.columns.iter_mut().enumerate() {
            *column = scale(jacobian.iter().skip(j).step_by(n).fold(0.0, |m, x| m.max(x.abs())));
        }
        // The shortest scaled forces are those with the least Σ f²/share.
        for ((row, share), values) in self.rows.iter_mut().zip(&self.shares).zip(jacobian.chunks(n.max(1))) {
            *row = share.sqrt() * scale(values.iter().zip(&self.columns).fold(0.0, |m, (x, c)| m.max((x * c).abs())));
        }
        self.decompose(jacobian);
        self.rank = self.svd.rank(NOTHING);
        self.least = self.rank.checked_sub(1).map_or(0.0, |last| self.svd.values()[last]);
    }

    fn decompose(&mut self, jacobian: &[f64]) {
        let n = self.columns.len();
        for (k, (scaled, x)) in self.scaled.iter_mut().zip(jacobian).enumerate() {
            *scaled = self.rows[k / n] * x * self.columns[k % n];
        }
        self.svd.factorize(&self.scaled);
    }

    fn take(&mut self, jacobian: &[f64]) -> bool {
        self.decompose(jacobian);
        self.rank.checked_sub(1).is_none_or(|last| self.svd.values()[last] > JAMMED * self.least)
    }

    fn solve(&mut self, q: &[f64], u: &mut [f64]) {
        let scaled = &mut self.work[0];
        scaled.iter_mut().zip(q.iter().zip(&self.rows)).for_each(|(x, (q, r))| *x = r * q);
        self.svd.solve(self.rank, scaled, u);
        u.iter_mut().zip(&self.columns).for_each(|(u, c)| *u *= c);
    }

    fn solve_transposed(&mut self, r: &[f64], f: &mut [f64]) {
        let scaled = &mut self.work[1];
        scaled.iter_mut().zip(r.iter().zip(&self.columns)).for_each(|(x, (r, c))| *x = c * r);
        self.svd.solve_transposed(self.rank, scaled, f);
        f.iter_mut().zip(&self.rows).for_each(|(f, r)| *f *= r);
    }
}

/// A strut where its body has moved.
struct Reach {
    /// From the anchor to the moved end, m.
    strut: [f64; 3],
    /// From the node to the moved end, m.
    arm: [f64; 3],
    /// Change of its length, m.
    stroke: f64,
    /// How far its end has moved, m.
    moved: f64,
}

impl Strut {
    /// How a degree of freedom moves its end at rest, per unit.
    fn swing(&self, dof: usize) -> [f64; 3] {
        let arm = difference(self.attachment, self.pivot);
        let unit = |axis: usize| std::array::from_fn(|i| f64::from(u8::from(i == axis)));
        let of = |list: &[Option<usize>; 3]| list.iter().position(|d| *d == Some(dof)).map(unit);
        of(&self.translations).or_else(|| Some(cross(of(&self.rotations)?, arm))).unwrap_or_default()
    }

    /// Whether its length changes with a degree of freedom, from rest.
    pub fn acts_on(&self, dof: usize) -> bool {
        let (rest, swing) = (difference(self.attachment, self.anchor), self.swing(dof));
        dot(rest, swing).abs() > NOTHING * length(rest) * length(swing)
    }

    /// Its length at rest, m.
    pub fn length(&self) -> f64 {
        length(difference(self.attachment, self.anchor))
    }

    /// How far its end is from the axis of a rotation, m; zero where it is on it, and for other degrees of freedom.
    pub fn arm(&self, rotation: usize) -> f64 {
        if self.rotations.contains(&Some(rotation)) { length(self.swing(rotation)) } else { 0.0 }
    }

    /// Where it is, and the derivatives of its stroke.
    fn linearise(&self, u: &[f64], row: &mut [f64]) -> Reach {
        let reach = self.reach(u);
        let now = length(reach.strut);
        let along = reach.strut.map(|x| x / now);
        row.fill(0.0);
        for axis in 0..3 {
            if let Some(d) = self.translations[axis] {
                row[d] += along[axis];
            }
            if let Some(d) = self.rotations[axis] {
                // The axis of an earlier rotation is turned by the later ones.
                let mut turn = [0.0; 3];
                turn[axis] = 1.0;
                (axis + 1..3).for_each(|later| {
                    let change = self.turn(later, u, turn);
                    turn = sum(turn, change);
                });
                row[d] += dot(along, cross(turn, reach.arm));
            }
        }
        reach
    }

    /// What a turn about the fixed axis number `axis` adds to a vector: small for a small angle, without cancellation.
    fn turn(&self, axis: usize, u: &[f64], vector: [f64; 3]) -> [f64; 3] {
        let angle = self.rotations[axis].map_or(0.0, |d| u[d]);
        let (sin, half) = (angle.sin(), (0.5 * angle).sin());
        let less = -2.0 * half * half;
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut change = [0.0; 3];
        (change[j], change[k]) = (less * vector[j] - sin * vector[k], sin * vector[j] + less * vector[k]);
        change
    }

    /// Where it is. Rotations are finite: about x, then y, then z. With r = r₀ + d, |r| - |r₀| = d·(2 r₀ + d)/(|r| + |r₀|), which is exact to
    /// rounding of the motion, not of the length.
    fn reach(&self, u: &[f64]) -> Reach {
        let of = |d: Option<usize>| d.map_or(0.0, |d| u[d]);
        let mut arm = difference(self.attachment, self.pivot);
        let mut moved = self.translations.map(of);
        for axis in 0..3 {
            let change = self.turn(axis, u, arm);
            (arm, moved) = (sum(arm, change), sum(moved, change));
        }
        let rest = difference(self.attachment, self.anchor);
        let strut = sum(rest, moved);
        let stroke = dot(moved, sum(rest, strut)) / (length(rest) + length(strut));
        Reach { strut, arm, stroke, moved: length(moved) }
    }
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}
