//! What all couplings of two sides share: complete state, faults that leave everything as it was, threads.

use std::ops::Range;

use interfield_kernel::{Dims, Fault, StepMap, System};

use crate::interface::Port;
use crate::pair::{Pair, Place};
use crate::{CouplingError, Located};

/// A coupling as its users see it.
pub trait Coupling<S>: StepMap + Send {
    /// Number of substructures.
    fn count(&self) -> usize;
    /// [u v s h] of substructure `i` at the present node of the macro-grid.
    fn state_of(&self, i: usize) -> &[f64];
    /// Numbers of unknowns of substructure `i`.
    fn dims_of(&self, i: usize) -> Dims;
    /// Entries of L of substructure `i`.
    fn ports_of(&self, i: usize) -> &[Port];
    /// Multipliers at the present node: M a + r + Lᵀ Λ = 0.
    fn multipliers(&self) -> &[f64];
    /// Displacement of each port of substructure `i` that came from the link of the last step.
    fn links_of(&self, i: usize, out: &mut [f64]);
    /// Accelerations of substructure `i` at the present node, where its scheme keeps them.
    fn acceleration_of(&self, i: usize) -> Option<&[f64]>;
    /// a -= M⁻¹ Lᵀ Λ: what the multipliers add to the accelerations that the forces of substructure `i` alone cause.
    fn add_multiplier_accelerations(&self, i: usize, a: &mut [f64]);
    /// Whether substructure `i` stands on the fine side.
    fn is_fine(&self, i: usize) -> bool;
    /// System of substructure `i`, with the memory that belongs to the present state.
    fn system_of(&mut self, i: usize) -> &mut S;
    /// Substructure in which the last fault happened.
    fn faulty(&self) -> usize;
    /// Lets threads advance the substructures, or the caller alone: the same bits. Says whether threads will be used;
    /// couplings that are not interfield-parallel cannot.
    fn use_threads(&mut self, threads: bool) -> bool;
}

/// Where things stand in the complete state of a method (without the memories of the systems).
pub(crate) struct Layout {
    pub(crate) len: usize,
    /// Coarse side at the present node.
    pub(crate) a: Range<usize>,
    /// Fine side at the present node.
    pub(crate) b: Range<usize>,
    /// Multipliers at the present node.
    pub(crate) l: Range<usize>,
}

/// A schedule over two sides.
pub(crate) trait Method<S>: Send {
    /// Complete state.
    fn layout(&self) -> &Layout;
    /// Number of the first step that is like all later ones.
    fn settled(&self) -> u64;
    /// Whether both sides can advance at the same time.
    fn is_parallel(&self) -> bool;
    /// Step `k` of the macro-grid.
    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located>;
    /// Gait and multipliers of the last link of a side.
    fn link<'a>(&'a self, x: &'a [f64], place: Place) -> (usize, &'a [f64]);
}

/// A coupling of two sides.
pub struct TwoSided<S> {
    pair: Pair<S>,
    method: Box<dyn Method<S>>,
    /// Complete state of the method, then the memories of both sides.
    x: Vec<f64>,
    before: Vec<f64>,
    faulty: usize,
}

impl<S: System + Send + 'static> TwoSided<S> {
    /// Puts a started method and its sides together.
    pub(crate) fn new(pair: Pair<S>, method: impl Method<S> + 'static, mut x: Vec<f64>) -> Self {
        let memory = x.len()..x.len() + pair.a().memory_len() + pair.fine.memory_len();
        x.resize(memory.end, 0.0);
        let mut this = TwoSided { pair, method: Box::new(method), before: x.clone(), x, faulty: 0 };
        this.store_memory();
        this.before.copy_from_slice(&this.x);
        this
    }

    fn memories(&self) -> (Range<usize>, Range<usize>) {
        let start = self.method.layout().len;
        let cut = start + self.pair.a().memory_len();
        (start..cut, cut..self.x.len())
    }

    fn store_memory(&mut self) {
        let (a, b) = self.memories();
        self.pair.a().store_memory(&mut self.x[a]);
        self.pair.fine.store_memory(&mut self.x[b]);
    }

    fn load_memory(&mut self) {
        let (a, b) = self.memories();
        self.pair.coarse.side_mut().load_memory(&self.x[a]);
        self.pair.fine.load_memory(&self.x[b]);
    }
}

impl<S: System + Send + 'static> StepMap for TwoSided<S> {
    fn len(&self) -> usize {
        self.x.len()
    }

    fn dt(&self) -> f64 {
        self.pair.h
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn state_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }

    fn settled(&self) -> u64 {
        self.method.settled()
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        self.before.copy_from_slice(&self.x);
        self.load_memory();
        let len = self.method.layout().len;
        match self.method.step(&mut self.pair, &mut self.x[..len], k) {
            Ok(()) => {
                self.store_memory();
                Ok(())
            }
            Err(Located { substructure, fault }) => {
                self.faulty = substructure;
                self.x.copy_from_slice(&self.before);
                Err(fault)
            }
        }
    }
}

impl<S: System + Send + 'static> Coupling<S> for TwoSided<S> {
    fn count(&self) -> usize {
        self.pair.places.len()
    }

    fn state_of(&self, i: usize) -> &[f64] {
        let layout = self.method.layout();
        match self.pair.places[i] {
            Place::Coarse(j) => &self.x[layout.a.clone()][self.pair.a().range(j)],
            Place::Fine(j) => &self.x[layout.b.clone()][self.pair.fine.range(j)],
        }
    }

    fn dims_of(&self, i: usize) -> Dims {
        match self.pair.places[i] {
            Place::Coarse(j) => self.pair.a().dims(j),
            Place::Fine(j) => self.pair.fine.dims(j),
        }
    }

    fn ports_of(&self, i: usize) -> &[Port] {
        match self.pair.places[i] {
            Place::Coarse(j) => self.pair.a().ports(j),
            Place::Fine(j) => self.pair.fine.ports(j),
        }
    }

    fn multipliers(&self) -> &[f64] {
        &self.x[self.method.layout().l.clone()]
    }

    fn links_of(&self, i: usize, out: &mut [f64]) {
        let place = self.pair.places[i];
        let (g, l) = self.method.link(&self.x, place);
        match place {
            Place::Coarse(j) => self.pair.a().link_displacements(g, j, l, out),
            Place::Fine(j) => self.pair.fine.link_displacements(g, j, l, out),
        }
    }

    fn acceleration_of(&self, i: usize) -> Option<&[f64]> {
        let (side, j) = match self.pair.places[i] {
            Place::Coarse(j) => (self.pair.a(), j),
            Place::Fine(j) => (&self.pair.fine, j),
        };
        let d = side.dims(j);
        side.carries_acceleration(j).then(|| &self.state_of(i)[d.state()..d.state() + d.nu])
    }

    fn add_multiplier_accelerations(&self, i: usize, a: &mut [f64]) {
        match self.pair.places[i] {
            Place::Coarse(j) => self.pair.a().add_accelerations(j, self.multipliers(), a),
            Place::Fine(j) => self.pair.fine.add_accelerations(j, self.multipliers(), a),
        }
    }

    fn is_fine(&self, i: usize) -> bool {
        matches!(self.pair.places[i], Place::Fine(_))
    }

    fn system_of(&mut self, i: usize) -> &mut S {
        self.load_memory();
        match self.pair.places[i] {
            Place::Coarse(j) => self.pair.coarse.side_mut().system_mut(j),
            Place::Fine(j) => self.pair.fine.system_mut(j),
        }
    }

    fn faulty(&self) -> usize {
        self.faulty
    }

    fn use_threads(&mut self, threads: bool) -> bool {
        self.pair.use_threads(threads && self.method.is_parallel())
    }
}

/// What a method may ask of its substructures; refusals in words.
pub(crate) fn require(condition: bool, message: &str) -> Result<(), CouplingError> {
    if condition { Ok(()) } else { Err(CouplingError::Unsuitable(message.to_owned())) }
}
