//! Forces and state rates at a point, and the accelerations that balance them.

use interfield_kernel::element::path::{MEMORY, PathLaw};
use interfield_kernel::fault::Place;
use interfield_kernel::{Fault, Point, Shift, System};

use super::element::{Entry, Line, Stored, gather, mul_add, with_state};
use super::{Assembled, Scratch};

/// What an evaluation moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moving {
    /// Members, laws with a memory, and specimens.
    All,
    /// Specimens stay: what they said last is carried to the point by their stiffness.
    Computed,
    /// Members of frames stay, too, and are left out.
    Laws,
}

impl Assembled {
    pub(super) fn set_time(&mut self, t: f64) {
        if self.acting == 0.0 {
            // Nothing moves in time: imposed displacements are those of the beginning.
            for (i, m) in self.motions.iter().enumerate() {
                self.imposed[0][i] = self.imposed_share * m.at(0.0)[0];
            }
            self.now = f64::NAN;
            return;
        }
        // Tangents, forces and loads are asked for at the same time one after the other, and a signal may be a long formula.
        if self.now == t {
            return;
        }
        self.now = t;
        for (i, m) in self.motions.iter().enumerate() {
            [self.imposed[0][i], self.imposed[1][i], self.imposed[2][i]] = m.at(t);
        }
        for (g, now) in self.grounds.iter().zip(&mut self.ground_now) {
            *now = g.signal.value(t);
        }
    }

    /// Adds `factor` times the external load at `t`, the time of the last [`Assembled::set_time`].
    pub(super) fn add_load(&self, t: f64, factor: f64, out: &mut [f64]) {
        let [u, v, a] = &self.imposed;
        for c in &self.couplings {
            out[c.row] -= factor * (c.k * u[c.imposed] + c.c * v[c.imposed] + c.m * a[c.imposed]);
        }
        let held = factor * self.held_share;
        out.iter_mut().zip(&self.held).for_each(|(out, f)| *out += held * f);
        let pushed = factor * self.push_factor;
        out.iter_mut().zip(&self.pushed).for_each(|(out, f)| *out += pushed * f);
        let factor = factor * self.acting;
        for (dof, signal) in &self.forces {
            out[*dof] += factor * signal.value(t);
        }
        for (ground, a) in self.grounds.iter().zip(&self.ground_now) {
            for (out, l) in out.iter_mut().zip(&ground.load) {
                *out -= factor * l * a;
            }
        }
    }

    /// Forces of elements and loads in the true masses, extrapolated by `shift`.
    pub(super) fn raw_force(
        &mut self,
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        moving: Moving,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Result<(), Fault> {
        self.set_time(at.t);
        // Constant matrices: r = K (u + du) + C (v + dv).
        match shift {
            None => self.linear_force(at.u, at.v, r),
            Some(d) => {
                let (mut u, mut v) = (std::mem::take(&mut self.scratch.x), std::mem::take(&mut self.scratch.y));
                for i in 0..self.n {
                    u[i] = at.u[i] + d.u[i];
                    v[i] = at.v[i] + d.v[i];
                }
                self.linear_force(&u, &v, r);
                (self.scratch.x, self.scratch.y) = (u, v);
            }
        }
        self.add_load(at.t, -1.0, r);
        let mut fault = self.add_elements(0..self.elements.len(), at, shift, moving, r, g);
        let mut memory = std::mem::take(&mut self.memory);
        let moves = moving == Moving::All;
        // A specimen is not moved on a number that is not one. All of them set out before the first is waited for.
        for specimen in self.measured.iter_mut().filter(|_| moves) {
            if fault.is_none() {
                fault = specimen.set_out(at).err();
            }
        }
        for specimen in &mut self.measured {
            if fault.is_none() {
                fault = specimen.add(at, moves, &mut memory, r).err();
            }
        }
        self.memory = memory;
        fault.map_or(Ok(()), Err)
    }

    /// Adds forces and state rates of these elements, and moves those that remember.
    #[inline]
    pub(super) fn add_elements(
        &mut self,
        which: impl Iterator<Item = usize>,
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        moving: Moving,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Option<Fault> {
        let mut memory = std::mem::take(&mut self.memory);
        let mut ahead = std::mem::take(&mut self.ahead);
        let mut fault = None;
        for index in which {
            let e = &self.elements[index];
            let bad = match (&e.law, &e.line) {
                _ if let Some(held) = e.held => self.held_force((e, held), at, shift, &memory, r, g),
                (Stored::Path(law), _) => self.path_force((e, law), at, shift, &mut memory, r),
                (Stored::Frame(_), _) if moving == Moving::Laws => None,
                (Stored::Frame(frame), _) => self.frame_force((e, frame), at, shift, (&mut memory, &mut ahead), r),
                (_, Some(line)) => self.line_force((e, line), at, shift, r, g),
                (_, None) => {
                    let mut work = std::mem::take(&mut self.scratch);
                    let bad = self.element_force(e, at, shift, &mut work, r, g);
                    self.scratch = work;
                    bad
                }
            };
            if let Some(place) = bad {
                fault.get_or_insert(Fault::NonFinite { place, index });
            }
        }
        self.rewound &= moving == Moving::Laws;
        self.memory = memory;
        self.ahead = ahead;
        fault
    }

    /// [`Assembled::raw_force`] of nobody's step: what it moves is moved back.
    fn look(&mut self, at: Point<'_>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.scratch.memory.copy_from_slice(&self.memory);
        let result = self.raw_force(at, None, Moving::Computed, r, g);
        self.memory.copy_from_slice(&self.scratch.memory);
        result
    }

    /// ∂r/∂t and ∂g/∂t by a one-sided difference of second order: loads may have a corner where a step begins.
    pub(super) fn time_derivative(
        &mut self,
        at: Point<'_>,
        dt: f64,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Result<(), Fault> {
        // Rounding and truncation are then both far below the error of a step.
        let near = 1e-3 * dt;
        r.fill(0.0);
        g.fill(0.0);
        let mut forces = std::mem::take(&mut self.scratch.b);
        let mut rates = std::mem::take(&mut self.scratch.g);
        let mut result = Ok(());
        for (i, weight) in [-1.5, 2.0, -0.5].into_iter().enumerate() {
            let later = Point { t: at.t + i as f64 * near, ..at };
            result = result.and_then(|()| self.look(later, &mut forces, &mut rates));
            r.iter_mut().zip(&forces).for_each(|(r, f)| *r += weight / near * f);
            g.iter_mut().zip(&rates).for_each(|(g, f)| *g += weight / near * f);
        }
        self.scratch.b = forces;
        self.scratch.g = rates;
        result
    }

    /// Adds force and state rates of one element; says where they are not finite.
    fn element_force(
        &self,
        e: &Entry,
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        work: &mut Scratch,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Option<Place> {
        let Scratch { q, v, acc, p, local, .. } = work;
        let (q, v, p) = (&mut q[..e.d], &mut v[..e.d], &mut p[..e.d]);
        for i in 0..e.d {
            let row = self.row(e, i);
            q[i] = gather(row, at.u, &self.imposed[0]);
            v[i] = gather(row, at.v, &self.imposed[1]);
        }
        let states = e.state0..e.state0 + e.s;
        let rate = &mut g[states.clone()];
        e.law.response(at.t, q, v, &at.s[states.clone()], p, rate);
        if e.massive {
            // Inertia force of the base and of imposed coordinates: p += M(q) (B a_base).
            for i in 0..e.d {
                acc[i] = self.base_acceleration(e, i);
            }
            let m = &mut local[..e.d * e.d];
            e.law.with(|law| law.mass(q, m));
            mul_add(m, &acc[..e.d], p, 1.0);
        }
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        let bad = match (finite(p), finite(rate)) {
            (true, true) => None,
            (true, false) => Some(Place::ElementRate),
            (false, _) => Some(Place::ElementForce),
        };
        if let Some(d) = shift {
            for i in 0..e.d {
                let row = self.row(e, i);
                q[i] = gather(row, d.u, &[]);
                v[i] = gather(row, d.v, &[]);
            }
            let [k, c, rs, a, b, es, _] = e.blocks(&self.tangents);
            mul_add(k, q, p, 1.0);
            mul_add(c, v, p, 1.0);
            mul_add(rs, &d.s[states.clone()], p, 1.0);
            mul_add(a, q, rate, 1.0);
            mul_add(b, v, rate, 1.0);
            mul_add(es, &d.s[states], rate, 1.0);
        }
        for i in 0..e.d {
            for &(j, f) in self.row(e, i) {
                if let Some(r) = r.get_mut(j as usize) {
                    *r += f * p[i];
                }
            }
        }
        bad
    }

    /// Moves a law to the deformation at `at` and adds its force there.
    fn path_force(
        &self,
        (e, law): (&Entry, &PathLaw),
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        memory: &mut [f64],
        r: &mut [f64],
    ) -> Option<Place> {
        let row = self.row(e, 0);
        let mine = &mut memory[e.memory0..e.memory0 + MEMORY];
        let now = law.moved([mine[0], mine[1]], gather(row, at.u, &self.imposed[0]));
        mine.copy_from_slice(&now);
        let mut p = law.force(now);
        let bad = (!p.is_finite()).then_some(Place::ElementForce);
        if let Some(d) = shift {
            let [k, c, ..] = e.blocks(&self.tangents);
            p += k[0] * gather(row, d.u, &[]) + c[0] * gather(row, d.v, &[]);
        }
        for &(i, f) in row {
            if let Some(r) = r.get_mut(i as usize) {
                *r += f * p;
            }
        }
        bad
    }

    /// [`Assembled::element_force`] the short way.
    #[inline]
    fn line_force(
        &self,
        (e, line): (&Entry, &Line),
        at: Point<'_>,
        shift: Option<Shift<'_>>,
        r: &mut [f64],
        g: &mut [f64],
    ) -> Option<Place> {
        let states = e.state0..e.state0 + e.s;
        let (q, v, mut p) = ([line.gather(at.u)], [line.gather(at.v)], [0.0]);
        let rate = &mut g[states.clone()];
        e.law.response(at.t, &q, &v, &at.s[states], &mut p, rate);
        let mut place = (!p[0].is_finite()).then_some(Place::ElementForce);
        if let [rate] = rate {
            if !rate.is_finite() {
                place = place.or(Some(Place::ElementRate));
            }
            if let Some(d) = shift {
                let [k, c, rs, a, b, es] = with_state(&self.tangents, e);
                let (q, v, s) = (line.gather(d.u), line.gather(d.v), d.s[e.state0]);
                p[0] = p[0] + k * q + c * v + rs * s;
                *rate = *rate + a * q + b * v + es * s;
            }
        } else if let Some(d) = shift {
            p[0] =
                p[0] + self.tangents[e.tangent0] * line.gather(d.u) + self.tangents[e.tangent0 + 1] * line.gather(d.v);
        }
        line.scatter(p[0], r);
        place
    }

    /// What the tangent of such an element adds to r and g, the sums of the general loops in their order.
    #[inline]
    pub(super) fn line_tangent(&self, (e, line): (&Entry, &Line), x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        let (q, v) = (line.gather(x.u), line.gather(x.v));
        if e.s == 0 {
            let [k, c] = [0, 1].map(|i| self.tangents[e.tangent0 + i]);
            return line.scatter(k * q + c * v, r);
        }
        let [k, c, rs, a, b, es] = with_state(&self.tangents, e);
        let s = x.s[e.state0];
        line.scatter(k * q + c * v, r);
        line.scatter(rs * s, r);
        g[e.state0] += a * q + b * v;
        g[e.state0] += es * s;
    }

    pub(super) fn linear_force(&self, u: &[f64], v: &[f64], r: &mut [f64]) {
        if self.damping.is_empty() {
            self.pattern.mul(&self.stiffness, u, r);
        } else {
            r.fill(0.0);
            self.pattern.mul2_add(&self.stiffness, u, &self.damping, v, r);
        }
        for (c, w) in &self.modal {
            let f = c * w.iter().zip(v).map(|(w, v)| w * v).sum::<f64>();
            for (r, w) in r.iter_mut().zip(w) {
                *r += f * w;
            }
        }
    }

    /// Acceleration of coordinate `i` of an element by the ground and by imposed motions.
    pub(super) fn base_acceleration(&self, e: &Entry, i: usize) -> f64 {
        let ground: f64 = self.ground_now.iter().enumerate().map(|(g, a)| a * e.ground[g * e.d + i]).sum();
        let imposed: f64 = self
            .row(e, i)
            .iter()
            .filter_map(|&(j, f)| Some(f * self.imposed[2].get((j as usize).checked_sub(self.n)?)?))
            .sum();
        ground + imposed
    }

    /// Mass matrix at a configuration into `values`.
    pub(super) fn assemble_mass(&mut self, u: &[f64], values: &mut [f64]) {
        let mut work = std::mem::take(&mut self.scratch);
        values.copy_from_slice(&self.mass);
        for e in self.elements.iter().filter(|e| e.massive) {
            for i in 0..e.d {
                work.q[i] = gather(self.row(e, i), u, &self.imposed[0]);
            }
            let m = &mut work.local[..e.d * e.d];
            e.law.with(|law| law.mass(&work.q[..e.d], m));
            for s in &self.scatter[e.scatter.clone()] {
                values[s.position as usize] += s.factor * m[s.index as usize];
            }
        }
        self.scratch = work;
    }

    /// Solves M(u) x = b in place, M at the configuration `u`.
    pub(super) fn solve_mass_at(&mut self, u: &[f64], b: &mut [f64]) -> Result<(), Fault> {
        let Some((mut factor, mut values)) = self.mass_now.take() else { return Ok(()) };
        self.assemble_mass(u, &mut values);
        let result = factor.factorize(&values).map_err(|s| Fault::Singular { dof: s.row });
        if result.is_ok() {
            factor.solve(b);
        }
        self.mass_now = Some((factor, values));
        result
    }

    /// Accelerations that balance the forces at a point: a = -M(u)⁻¹ r. Only for systems with element masses.
    pub(super) fn balance_acceleration(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        let mut g = std::mem::take(&mut self.scratch.g);
        let forces = self.look(at, a, &mut g);
        self.scratch.g = g;
        forces?;
        a.iter_mut().for_each(|r| *r = -*r);
        self.solve_mass_at(at.u, a)
    }

    /// Accelerations that balance the forces at a point, whatever the scheme: M(u) a = -r. The scheme's first
    /// operator is used when it is the mass matrix, else the mass matrix is factorised here.
    pub fn accelerations(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        if self.mass_now.is_some() {
            return self.balance_acceleration(at, a);
        }
        let mut g = std::mem::take(&mut self.scratch.g);
        let result = self.look(at, a, &mut g);
        a.iter_mut().for_each(|r| *r = -*r);
        if let Some(m) = &self.lumped
            && self.massless == 0.0
        {
            a.iter_mut().zip(m).for_each(|(a, m)| *a /= m);
        } else if let Some(slot) = self.operators.iter().position(|o| o.mck.c == 0.0) {
            self.solve(slot, a, &mut g);
        }
        self.scratch.g = g;
        result
    }
}
