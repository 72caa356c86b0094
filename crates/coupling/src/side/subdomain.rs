//! One substructure of a side: how it strides under given multipliers, and the linear answer of its state to them.
//!
//! **Must not be here:** the name of a scheme.

use interfield_kernel::scheme::Step;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Dims, Fault, Mck, Scheme, System};

use crate::blueprint;
use crate::interface::{Port, Substructure};
use crate::memory::{keep, recall};
use crate::ported::Ported;

/// A way in which a side may stride: its scheme, the length of a step and the number of steps in a stride.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepping {
    /// Scheme.
    pub scheme: AnyScheme,
    /// Length of a step, s.
    pub dt: f64,
    /// Steps in a stride.
    pub steps: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) stepping: Stepping,
    pub(super) slot: usize,
    /// Change of the state at the end of a stride per unit of λ₁ at each port; one column per port, of the entries `shared` of a
    /// substructure that is elsewhere.
    pub(super) link: Vec<f64>,
    /// Whether forces are asked for once in a step, at a point that does not depend on λ₁.
    pub(super) once: bool,
}

/// One substructure of a side.
#[derive(Clone, Debug)]
pub(super) struct Subdomain<S> {
    pub(super) system: Ported<S>,
    pub(super) dims: Dims,
    /// Length of [u v s h], where multipliers act.
    pub(super) moved: usize,
    /// Length of [u v s h z].
    pub(super) len: usize,
    pub(super) steppings: Vec<Prepared>,
    pub(super) w: Vec<f64>,
    /// Accelerations that one unit of each multiplier causes, M⁻¹ Lᵀ; one column per port.
    pub(super) inertance: Vec<f64>,
    pub(super) y0: Vec<f64>,
    /// Accelerations and state rates at the last asked point.
    pub(super) rates: [Vec<f64>; 2],
    /// Whether this rank advances it.
    pub(super) here: bool,
    /// Entries of the state that other ranks know, rising; none in one process.
    pub(super) shared: Vec<usize>,
}

impl<S: System> Subdomain<S> {
    pub(super) fn new(
        sub: Substructure<S>,
        steppings: &[Stepping],
        (here, alone): (bool, bool),
    ) -> Result<Self, Fault> {
        let Substructure { system, y0, ports, .. } = sub;
        let dims = system.dims();
        let mut system = Ported::new(system, ports);
        // Slot 0 is the mass, for consistent starts; the operators of the steppings follow.
        let mut operators = vec![Mck::MASS];
        let mut prepared = Vec::new();
        for &stepping in steppings {
            let once = stepping.scheme.evaluations() == Some(1) && stepping.steps == 1;
            prepared.push(Prepared { stepping, slot: operators.len(), link: Vec::new(), once });
            operators.extend_from_slice(stepping.scheme.operators(stepping.dt).as_slice());
        }
        if here {
            system.prepare(&operators)?;
        }
        let memory = |g: &Stepping| g.scheme.memory(dims);
        let history = steppings.iter().map(|g| memory(g).history).max().unwrap_or(0);
        let scratch = steppings.iter().map(|g| memory(g).scratch).max().unwrap_or(0);
        let moved = dims.state() + history;
        system.linearise(dims.point(0.0, &y0))?;
        let mut this = Subdomain {
            dims,
            moved,
            len: moved + system.system.own_memory(),
            system,
            steppings: prepared,
            w: vec![0.0; scratch],
            inertance: Vec::new(),
            y0,
            rates: [vec![0.0; dims.nu], vec![0.0; dims.ns]],
            here,
            shared: Vec::new(),
        };
        if !alone {
            this.shared = this.shared();
        }
        if !here {
            return Ok(this);
        }
        this.inertance = this.weigh_ports();
        for g in 0..steppings.len() {
            this.steppings[g].link = this.probe(g, &[], [0.0, 1.0])?;
        }
        Ok(this)
    }

    pub(super) fn ports(&self) -> &[Port] {
        &self.system.ports
    }

    /// Displacements, velocities and rates of the ports in the state.
    pub(super) fn shared(&self) -> Vec<usize> {
        let firsts = (0..self.steppings.len()).map(|g| self.rate(g)).chain([0, self.dims.nu]);
        let mut all: Vec<usize> = firsts.flat_map(|first| self.ports().iter().map(move |p| first + p.dof)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Length of a column of a link.
    pub(super) fn width(&self) -> usize {
        if self.here { self.moved } else { self.shared.len() }
    }

    /// Entry `index` of the state in a column of a link, which is that of a port.
    pub(super) fn entry(&self, column: &[f64], index: usize) -> f64 {
        let place = if self.here { Ok(index) } else { self.shared.binary_search(&index) };
        place.map_or(f64::NAN, |place| column[place])
    }

    /// Writes the entries that others know.
    pub(super) fn tell(&self, x: &[f64], out: &mut Vec<f64>) {
        out.extend(self.shared.iter().map(|&i| x[i]));
    }

    /// Writes what others know of columns of links.
    pub(super) fn tell_columns(&self, columns: &[f64], out: &mut Vec<f64>) {
        columns.chunks_exact(self.moved).for_each(|column| self.tell(column, out));
    }

    /// Takes the entries that others wrote; those that are left.
    pub(super) fn hear<'a>(&self, x: &mut [f64], body: &'a [f64]) -> &'a [f64] {
        let (own, rest) = body.split_at(self.shared.len());
        self.shared.iter().zip(own).for_each(|(&i, v)| x[i] = *v);
        rest
    }

    pub(super) fn blueprint(&self, i: usize) -> blueprint::Subdomain<'_, S> {
        blueprint::Subdomain {
            substructure: i,
            system: &self.system.system,
            y0: &self.y0,
            moved: self.moved,
            len: self.len,
            ports: self.ports().to_vec(),
            inertance: &self.inertance,
            steppings: (0..self.steppings.len()).map(|g| self.stride_blueprint(g)).collect(),
        }
    }

    pub(super) fn stride_blueprint(&self, g: usize) -> blueprint::Stride<'_> {
        let Prepared { stepping: Stepping { scheme, dt, steps }, slot, link, once } = &self.steppings[g];
        let (rate, lag) = (self.rate(g), scheme.claims().lag * dt);
        blueprint::Stride { scheme: *scheme, dt: *dt, steps: *steps, slot: *slot, link, once: *once, rate, lag }
    }

    pub(super) fn weigh_ports(&mut self) -> Vec<f64> {
        let (n, mut gs) = (self.dims.nu, vec![0.0; self.dims.ns]);
        let mut columns = vec![0.0; n * self.ports().len()];
        for (column, port) in columns.chunks_exact_mut(n.max(1)).zip(self.system.ports.clone()) {
            column[port.dof] = port.sign;
            gs.fill(0.0);
            self.system.slot = 0;
            self.system.solve(0, column, &mut gs);
        }
        columns
    }

    /// Where the port rates stand in the state.
    pub(super) fn rate(&self, g: usize) -> usize {
        self.steppings[g].stepping.scheme.port_rate(self.dims).start
    }

    /// Columns of the response at the end of a stride: from `start` (one state per port; rest if empty) under λ going
    /// from ends[0] to ends[1] at each port in turn.
    pub(super) fn probe(&mut self, g: usize, start: &[f64], ends: [f64; 2]) -> Result<Vec<f64>, Fault> {
        let (len, count) = (self.moved, self.ports().len());
        let rows = self.ports().iter().map(|p| p.row + 1).max().unwrap_or(0);
        let mut columns = vec![0.0; len * count];
        let mut l = [vec![0.0; rows], vec![0.0; rows]];
        for (j, column) in columns.chunks_exact_mut(len).enumerate() {
            if !start.is_empty() {
                column.copy_from_slice(&start[j * len..(j + 1) * len]);
            }
            // Ports of one side may share a constraint (both ends of the cut in one substructure): one port at a time.
            let ports = self.system.ports.clone();
            let row = ports[j].row;
            self.system.ports = vec![ports[j]];
            [l[0][row], l[1][row]] = ends;
            let result = self.linear_stride(g, column, &l);
            (l[0][row], l[1][row]) = (0.0, 0.0);
            self.system.ports = ports;
            result?;
        }
        Ok(columns)
    }

    pub(super) fn linear_stride(&mut self, g: usize, x: &mut [f64], l: &[Vec<f64>; 2]) -> Result<(), Fault> {
        let Prepared { stepping, slot, .. } = self.steppings[g];
        let (dims, w) = (self.dims, &mut self.w);
        self.system.linear(|system| {
            system.slot = slot;
            for j in 0..stepping.steps {
                stride_step(system, dims, &stepping, j, 0.0, x, w, &l[0], &l[1])?;
            }
            Ok(())
        })
    }

    pub(super) fn stride(&mut self, g: usize, x: &mut [f64], t: f64, l0: &[f64], l1: &[f64]) -> Result<(), Fault> {
        let Prepared { stepping, slot, .. } = self.steppings[g];
        let (x, z) = x.split_at_mut(self.moved);
        recall(&mut self.system, z);
        self.system.slot = slot;
        for j in 0..stepping.steps {
            stride_step(&mut self.system, self.dims, &stepping, j, t, x, &mut self.w, l0, l1)?;
            interfield_kernel::fault::check_finite(self.dims, &x[..self.dims.state()])?;
        }
        keep(&self.system, z);
        Ok(())
    }

    /// Fills the history of stepping `g` from [u v s] at `t` under constant multipliers.
    pub(super) fn restart(&mut self, g: usize, x: &mut [f64], t: f64, l: &[f64]) -> Result<(), Fault> {
        let Prepared { stepping, slot, .. } = self.steppings[g];
        let (x, z) = x.split_at_mut(self.moved);
        recall(&mut self.system, z);
        self.system.slot = slot;
        self.system.load_ports((t, stepping.dt), [0.0, 0.0], l, l);
        let (y, h) = x.split_at_mut(self.dims.state());
        stepping.scheme.start(&mut Step { t, dt: stepping.dt, y, h, w: &mut self.w, sys: &mut self.system })?;
        keep(&self.system, z);
        Ok(())
    }

    /// Accelerations and state rates that the forces at (x, t) cause without multipliers, to `rates`.
    pub(super) fn find_rates(&mut self, x: &mut [f64], t: f64) -> Result<(), Fault> {
        let (x, z) = x.split_at_mut(self.moved);
        recall(&mut self.system, z);
        self.system.slot = 0;
        self.system.unload();
        let [a, sd] = &mut self.rates;
        interfield_kernel::scheme::rates(&mut self.system, 0, t, &x[..self.dims.state()], a, sd)?;
        keep(&self.system, z);
        Ok(())
    }

    /// Adds `factor` times the columns of its ports, weighed by `d`, to its state.
    pub(super) fn add_columns(&self, columns: &[f64], x: &mut [f64], d: &[f64], factor: f64) {
        for (column, p) in columns.chunks_exact(self.width().max(1)).zip(self.ports()) {
            let f = factor * d[p.row];
            if !self.here {
                self.shared.iter().zip(column).for_each(|(&i, c)| x[i] += f * c);
                continue;
            }
            for (x, c) in x.iter_mut().zip(column) {
                *x += f * c;
            }
        }
    }
}

/// Step `j` of a stride that starts at `t`.
#[allow(clippy::too_many_arguments)]
fn stride_step<S: System>(
    system: &mut Ported<S>,
    dims: Dims,
    stepping: &Stepping,
    j: usize,
    t: f64,
    x: &mut [f64],
    w: &mut [f64],
    l0: &[f64],
    l1: &[f64],
) -> Result<(), Fault> {
    let (dt, n) = (stepping.dt, stepping.steps as f64);
    let (start, t) = (j as f64 / n, t + j as f64 * dt);
    let end = (j + 1) as f64 / n;
    // Schemes that compare their own rates take the multiplier as constant over the step (papers 004, CLM).
    let held = stepping.scheme.port_rate(dims).start != dims.nu;
    system.load_ports((t, dt), [if held { end } else { start }, end], l0, l1);
    let (y, h) = x.split_at_mut(dims.state());
    stepping.scheme.step(&mut Step { t, dt, y, h, w, sys: system })
}
