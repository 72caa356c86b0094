//! How well a coupling held together: gaps, drift, work of the multipliers, energies, motion by links. Observed once per
//! macro-step, without allocating; what is observed never influences the run.

use interfield_kernel::{Shift, System};

use crate::coupled::Coupling;

/// What happened at one constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowQuality {
    /// Largest gap in displacement, m (or rad).
    pub gap_u: f64,
    /// The same over the first and second half of the run: growth shows here.
    pub gap_halves: [f64; 2],
    /// Largest gap in velocity.
    pub gap_v: f64,
    /// Largest gap in acceleration; NaN where the schemes of the sides keep none.
    pub gap_a: f64,
    /// Slope of the displacement gap, by least squares over the run, m/s.
    pub drift: f64,
    /// Largest multiplier, N.
    pub multiplier: f64,
    /// Largest displacement by the link on the coarse and on the fine side.
    pub link: [f64; 2],
    /// Largest displacement of the interface itself, to compare with.
    pub displacement: f64,
}

/// Extremes of an energy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Energy {
    pub start: f64,
    pub end: f64,
    pub max: f64,
}

/// Sums for a straight line through the gaps.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    n: f64,
    t: f64,
    tt: f64,
    y: f64,
    ty: f64,
}

impl Line {
    fn add(&mut self, t: f64, y: f64) {
        self.n += 1.0;
        self.t += t;
        self.tt += t * t;
        self.y += y;
        self.ty += t * y;
    }

    fn slope(&self) -> f64 {
        let d = self.n * self.tt - self.t * self.t;
        if d > 0.0 { (self.n * self.ty - self.t * self.y) / d } else { 0.0 }
    }
}

/// The observer.
pub struct Monitor {
    rows: Vec<RowQuality>,
    lines: Vec<Line>,
    total_steps: u64,
    seen: u64,
    now: [Vec<f64>; 3],
    before: [Vec<f64>; 2],
    links: Vec<f64>,
    scratch: [Vec<f64>; 7],
    net_work: f64,
    through_work: f64,
    mechanical: Energy,
    pseudo: Energy,
}

/// The findings over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Per constraint.
    pub rows: Vec<RowQuality>,
    /// Work that the multipliers did on all sides together, J: zero if the interface neither creates nor loses energy
    /// (seen at macro-steps).
    pub net_work: f64,
    /// Work that went through the interface, ∫ |Λᵀ L v| dt over the first sides, J: the measure of `net_work`.
    pub through_work: f64,
    /// ½ vᵀMv + ½ uᵀKu of all substructures with the tangents of the operators, J: of meaning where sides are linear.
    pub mechanical: Energy,
    /// ½ aᵀMa + ½ vᵀKv, what Newmark couplings with β = 1/4 conserve, W/s; NaN where a scheme keeps no acceleration.
    pub pseudo: Energy,
}

const EMPTY: Energy = Energy { start: 0.0, end: 0.0, max: f64::NEG_INFINITY };

impl Energy {
    fn observe(&mut self, e: f64, first: bool) {
        if first {
            self.start = e;
        }
        self.end = e;
        self.max = self.max.max(e);
    }
}

impl Monitor {
    /// For a coupling that will take `steps` macro-steps.
    pub fn new<S>(coupling: &dyn Coupling<S>, steps: u64) -> Self {
        let rows = (0..coupling.count()).flat_map(|i| coupling.ports_of(i)).map(|p| p.row + 1).max().unwrap_or(0);
        let widest = (0..coupling.count()).map(|i| coupling.dims_of(i).nu).max().unwrap_or(0);
        let states = (0..coupling.count()).map(|i| coupling.dims_of(i).ns).max().unwrap_or(0);
        let ports = (0..coupling.count()).map(|i| coupling.ports_of(i).len()).max().unwrap_or(0);
        Monitor {
            rows: vec![RowQuality::default(); rows],
            lines: vec![Line::default(); rows],
            total_steps: steps,
            seen: 0,
            now: std::array::from_fn(|_| vec![0.0; rows]),
            before: std::array::from_fn(|_| vec![0.0; rows]),
            links: vec![0.0; ports],
            scratch: std::array::from_fn(|i| vec![0.0; if i < 5 { widest } else { states }]),
            net_work: 0.0,
            through_work: 0.0,
            mechanical: EMPTY,
            pseudo: EMPTY,
        }
    }

    /// Looks at the coupling after macro-step `k` (0: at the start).
    pub fn observe<S: System>(&mut self, coupling: &mut dyn Coupling<S>, k: u64) {
        self.now.iter_mut().for_each(|g| g.fill(0.0));
        let half = usize::from(2 * k > self.total_steps);
        for i in 0..coupling.count() {
            let (d, x) = (coupling.dims_of(i), coupling.state_of(i));
            let a = coupling.acceleration_of(i);
            for p in coupling.ports_of(i) {
                self.now[0][p.row] += p.sign * x[p.dof];
                self.now[1][p.row] += p.sign * x[d.nu + p.dof];
                self.now[2][p.row] += p.sign * a.map_or(f64::NAN, |a| a[p.dof]);
                let size = &mut self.rows[p.row].displacement;
                *size = size.max(x[p.dof].abs());
            }
            if k > 0 {
                let n = coupling.ports_of(i).len();
                coupling.links_of(i, &mut self.links[..n]);
                let side = usize::from(coupling.is_fine(i));
                for (p, l) in coupling.ports_of(i).iter().zip(&self.links) {
                    let link = &mut self.rows[p.row].link[side];
                    *link = link.max(l.abs());
                }
            }
        }
        let l = coupling.multipliers();
        for (r, row) in self.rows.iter_mut().enumerate() {
            let [u, v, a] = [self.now[0][r], self.now[1][r], self.now[2][r]];
            row.gap_u = row.gap_u.max(u.abs());
            row.gap_halves[half] = row.gap_halves[half].max(u.abs());
            row.gap_v = row.gap_v.max(v.abs());
            row.gap_a = if a.is_nan() { f64::NAN } else { row.gap_a.max(a.abs()) };
            row.multiplier = row.multiplier.max(l.get(r).map_or(0.0, |l| l.abs()));
            self.lines[r].add(k as f64 * coupling.dt(), u);
            // The multipliers work on the gap, and through the interface on the motion of each side.
            let mean = 0.5 * (l.get(r).copied().unwrap_or(0.0) + self.before[1][r]);
            if self.seen > 0 {
                self.net_work -= mean * (u - self.before[0][r]);
            }
        }
        self.before[0].copy_from_slice(&self.now[0]);
        for (b, l) in self.before[1].iter_mut().zip(l) {
            *b = *l;
        }
        let dt = coupling.dt();
        let power: f64 = (0..coupling.count().min(1))
            .flat_map(|i| coupling.ports_of(i).iter().map(move |p| (i, p)))
            .map(|(i, p)| {
                let v = coupling.state_of(i)[coupling.dims_of(i).nu + p.dof];
                (coupling.multipliers().get(p.row).copied().unwrap_or(0.0) * v).abs()
            })
            .sum();
        self.through_work += power * dt;
        self.observe_energies(coupling);
        self.seen += 1;
    }

    fn observe_energies<S: System>(&mut self, coupling: &mut dyn Coupling<S>) {
        let [x, v, a, y, zeros, g, no_states] = &mut self.scratch;
        let (mut mechanical, mut pseudo) = (0.0, 0.0);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..coupling.count() {
            let d = coupling.dims_of(i);
            let n = d.nu;
            x[..n].copy_from_slice(&coupling.state_of(i)[..n]);
            v[..n].copy_from_slice(&coupling.state_of(i)[n..2 * n]);
            let carried = coupling.acceleration_of(i).map(|now| a[..n].copy_from_slice(now)).is_some();
            let system = coupling.system_of(i);
            let mut twice = |inertial: &[f64], elastic: &[f64]| {
                system.mul_mass(&inertial[..n], &mut y[..n]);
                let inertia = dot(&inertial[..n], &y[..n]);
                let along = Shift { u: &elastic[..n], v: &zeros[..n], s: &no_states[..d.ns] };
                system.mul_tangent(along, &mut y[..n], &mut g[..d.ns]);
                inertia + dot(&elastic[..n], &y[..n])
            };
            mechanical += 0.5 * twice(v, x);
            pseudo += if carried { 0.5 * twice(a, v) } else { f64::NAN };
        }
        self.mechanical.observe(mechanical, self.seen == 0);
        self.pseudo.observe(pseudo, self.seen == 0);
    }

    /// The findings so far.
    pub fn quality(&self) -> Quality {
        let mut rows = self.rows.clone();
        rows.iter_mut().zip(&self.lines).for_each(|(r, l)| r.drift = l.slope());
        Quality {
            rows,
            net_work: self.net_work,
            through_work: self.through_work,
            mechanical: self.mechanical,
            pseudo: self.pseudo,
        }
    }
}
