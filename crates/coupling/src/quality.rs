//! How well a coupling held together: gaps, drift, work of the multipliers, energies, motion by links. Observed once per
//! macro-step, without allocating; what is observed never influences the run.

use interfield_kernel::{Archive, Shift, System};

use crate::coupled::Coupling;

/// Two unknowns that should move as one: (substructure, unknown) on either side of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Cut {
    pub plus: (usize, usize),
    pub minus: (usize, usize),
}

/// Force that the multipliers exert on an unknown of a substructure: -Lᵀ Λ.
pub fn interface_force<S>(coupling: &dyn Coupling<S>, (part, dof): (usize, usize)) -> f64 {
    let l = coupling.multipliers();
    let ports = coupling.ports_of(part).iter().filter(|p| p.dof == dof);
    -ports.map(|p| p.sign * l.get(p.row).copied().unwrap_or(0.0)).sum::<f64>()
}

/// Distance across a cut, in derivative 0 (displacement) or 1 (velocity).
pub fn gap<S>(coupling: &dyn Coupling<S>, cut: Cut, derivative: usize) -> f64 {
    let at = |(part, dof): (usize, usize)| coupling.state_of(part)[derivative * coupling.dims_of(part).nu + dof];
    at(cut.plus) - at(cut.minus)
}

/// What happened at one cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowQuality {
    /// Largest gap in displacement, m (or rad).
    pub gap_u: f64,
    /// The same over the first and second half of the run: growth shows here.
    pub gap_halves: [f64; 2],
    /// Largest gap in velocity, at the nodes of the macro-grid.
    pub gap_v: f64,
    /// Largest gap in acceleration; NaN where the schemes of the sides keep none.
    pub gap_a: f64,
    /// Slope of the displacement gap, by least squares over the run, m/s.
    pub drift: f64,
    /// Largest force through the cut, N.
    pub force: f64,
    /// Largest displacement by the link on the coarse and on the fine side.
    pub link: [f64; 2],
    /// Largest displacement of the interface itself, to compare with.
    pub displacement: f64,
}

/// Extremes of an energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    cuts: Vec<Cut>,
    rows: Vec<RowQuality>,
    lines: Vec<Line>,
    total_steps: u64,
    seen: u64,
    /// Displacement of the first side, gap and force at the last look.
    before: Vec<[f64; 3]>,
    links: Vec<f64>,
    scratch: [Vec<f64>; 7],
    net_work: f64,
    through_work: f64,
    mechanical: Energy,
    pseudo: Energy,
}

/// The findings over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// Per cut.
    pub rows: Vec<RowQuality>,
    /// Work that the multipliers did on all sides together, J: zero if the interface neither creates nor loses energy
    /// (seen at macro-steps).
    pub net_work: f64,
    /// Work that the forces did on the first sides, magnitudes added up, J: the measure of `net_work`.
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
    /// For a coupling that will take `steps` macro-steps and is held together at `cuts`.
    pub fn new<S>(coupling: &dyn Coupling<S>, cuts: Vec<Cut>, steps: u64) -> Self {
        let most = |f: &dyn Fn(usize) -> usize| (0..coupling.count()).map(f).max().unwrap_or(0);
        let (widest, states) = (most(&|i| coupling.dims_of(i).nu), most(&|i| coupling.dims_of(i).ns));
        Monitor {
            rows: vec![RowQuality::default(); cuts.len()],
            lines: vec![Line::default(); cuts.len()],
            total_steps: steps,
            seen: 0,
            before: vec![[0.0; 3]; cuts.len()],
            links: vec![0.0; most(&|i| coupling.ports_of(i).len())],
            scratch: std::array::from_fn(|i| vec![0.0; if i < 5 { widest } else { states }]),
            net_work: 0.0,
            through_work: 0.0,
            mechanical: EMPTY,
            pseudo: EMPTY,
            cuts,
        }
    }

    /// Looks at the coupling after macro-step `k` (0: at the start).
    pub fn observe<S: System>(&mut self, coupling: &mut dyn Coupling<S>, k: u64) {
        let half = usize::from(2 * k > self.total_steps);
        for (r, cut) in self.cuts.iter().enumerate() {
            let ((part, dof), row) = (cut.plus, &mut self.rows[r]);
            let [u, v] = [0, 1].map(|derivative| gap(&*coupling, *cut, derivative));
            let acceleration =
                |(part, dof): (usize, usize)| coupling.acceleration_of(part).map_or(f64::NAN, |a| a[dof]);
            let a = acceleration(cut.plus) - acceleration(cut.minus);
            let (x, force) = (coupling.state_of(part)[dof], interface_force(&*coupling, cut.plus));
            row.gap_u = row.gap_u.max(u.abs());
            row.gap_halves[half] = row.gap_halves[half].max(u.abs());
            row.gap_v = row.gap_v.max(v.abs());
            row.gap_a = if a.is_nan() { f64::NAN } else { row.gap_a.max(a.abs()) };
            row.force = row.force.max(force.abs());
            row.displacement = row.displacement.max(x.abs());
            self.lines[r].add(k as f64 * coupling.dt(), u);
            // What the force does to both sides together is its work on the gap.
            let [x0, u0, force0] = self.before[r];
            if self.seen > 0 {
                let mean = 0.5 * (force + force0);
                self.net_work += mean * (u - u0);
                self.through_work += (mean * (x - x0)).abs();
                for (part, dof) in [cut.plus, cut.minus] {
                    let n = coupling.ports_of(part).len();
                    coupling.links_of(part, &mut self.links[..n]);
                    let moved = coupling.ports_of(part).iter().zip(&self.links).filter(|(p, _)| p.dof == dof);
                    let link = &mut row.link[usize::from(coupling.is_fine(part))];
                    // Ports of one unknown see the same displacement.
                    *link = moved.map(|(_, l)| l.abs()).fold(*link, f64::max);
                }
            }
            self.before[r] = [x, u, force];
        }
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

    /// Saves or restores what it has seen.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        archive.whole(&mut self.seen);
        for RowQuality { gap_u, gap_halves, gap_v, gap_a, drift, force, link, displacement } in &mut self.rows {
            archive
                .numbers([gap_u, gap_v, gap_a, drift, force, displacement].into_iter().chain(gap_halves).chain(link));
        }
        for Line { n, t, tt, y, ty } in &mut self.lines {
            archive.numbers([n, t, tt, y, ty]);
        }
        archive.numbers(self.before.as_flattened_mut());
        archive.numbers([&mut self.net_work, &mut self.through_work]);
        for Energy { start, end, max } in [&mut self.mechanical, &mut self.pseudo] {
            archive.numbers([start, end, max]);
        }
    }

    /// Net work of the multipliers so far, J.
    pub fn net_work(&self) -> f64 {
        self.net_work
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
