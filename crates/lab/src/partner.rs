//! A program that answers displacements with forces: a finite-element program, a remote site, a unit of another simulator.
//!
//! It computes what a specimen would do, needs no actuators and no compensation, and like a specimen cannot be rewound.

use interfield_kernel::{Archive, Fault, StateError};

use crate::rig::{Reading, Rig, Target};

/// Why a partner returned no force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No answer within the time allowed.
    Late,
    /// It is not available: its connection or its process has ended.
    Gone,
    /// It reported that it cannot reach this displacement.
    Refused,
    /// Its answer makes no sense: wrong length, not a number.
    Garbled,
}

impl Trouble {
    const ALL: [Trouble; 4] = [Trouble::Late, Trouble::Gone, Trouble::Refused, Trouble::Garbled];

    /// Number by which it travels out of a step, see [`Fault::Partner`].
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The trouble with this number.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.code() == code)
    }

    /// What the program did, as the rest of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Trouble::Late => "did not answer in time",
            Trouble::Gone => "is not available: its connection or its process has ended",
            Trouble::Refused => "reported that it cannot reach this displacement",
            Trouble::Garbled => "sent an invalid answer",
        }
    }
}

/// Anything that answers displacements with forces.
pub trait Partner: Send {
    /// Number of degrees of freedom.
    fn dofs(&self) -> usize;

    /// Goes to the displacements `u` (m, rad) with the velocities `v` at time `t` (s) of the model, and says where it got to
    /// and its resisting forces (N, N m), those a spring would show as + K u. Never called twice for one step.
    fn exchange(&mut self, t: f64, u: &[f64], v: &[f64], reached: &mut [f64], force: &mut [f64])
    -> Result<(), Trouble>;

    /// Saves or restores what it remembers. Another program cannot be saved.
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.fail(StateError::Live("another program"));
    }

    /// The run has ended.
    fn finish(&mut self) {}

    /// What it counted (messages, times), by name, for a report.
    fn account(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

impl<P: Partner + ?Sized> Partner for Box<P> {
    fn dofs(&self) -> usize {
        (**self).dofs()
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        (**self).exchange(t, u, v, reached, force)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        (**self).persist(archive);
    }

    fn finish(&mut self) {
        (**self).finish();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        (**self).account()
    }
}

/// A partner with units of its own, taken as one in SI. Radians are everybody's.
pub struct Converted<P> {
    partner: P,
    /// One unit of displacement, and of force, of each degree of freedom of the partner in SI.
    units: Vec<[f64; 2]>,
    /// One unit of its time, s.
    time: f64,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl<P: Partner> Converted<P> {
    /// `units`: of each degree of freedom, one unit of its displacement and of its force in SI; `time`: one unit of time, s.
    pub fn new(partner: P, units: Vec<[f64; 2]>, time: f64) -> Self {
        let n = units.len();
        Converted { partner, units, time, u: vec![0.0; n], v: vec![0.0; n] }
    }
}

impl<P: Partner> Partner for Converted<P> {
    fn dofs(&self) -> usize {
        self.partner.dofs()
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        for (i, [length, _]) in self.units.iter().enumerate() {
            (self.u[i], self.v[i]) = (u[i] / length, v[i] * self.time / length);
        }
        self.partner.exchange(t / self.time, &self.u, &self.v, reached, force)?;
        for (i, [length, unit]) in self.units.iter().enumerate() {
            reached[i] *= length;
            force[i] *= unit;
        }
        Ok(())
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.partner.persist(archive);
    }

    fn finish(&mut self) {
        self.partner.finish();
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        self.partner.account()
    }
}

/// Springs: what a partner would say if it were linear.
#[derive(Clone, Debug)]
pub struct Springs {
    /// Stiffness, row-major, N/m.
    pub stiffness: Vec<f64>,
    /// Number of degrees of freedom.
    pub dofs: usize,
}

impl Partner for Springs {
    fn dofs(&self) -> usize {
        self.dofs
    }

    fn exchange(
        &mut self,
        _t: f64,
        u: &[f64],
        _v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        reached.copy_from_slice(u);
        for (f, row) in force.iter_mut().zip(self.stiffness.chunks_exact(self.dofs.max(1))) {
            *f = row.iter().zip(u).map(|(k, u)| k * u).sum();
        }
        Ok(())
    }

    /// Springs remember nothing.
    fn persist(&mut self, _archive: &mut dyn Archive) {}
}

/// A partner as a rig: no actuators, no limits, and an end of the run when it gives no force.
pub struct Partnership {
    partner: Box<dyn Partner>,
    /// Its number in the substructure, for faults.
    index: usize,
    over: bool,
}

impl Partnership {
    /// `index`: its number in the substructure.
    pub fn new(partner: Box<dyn Partner>, index: usize) -> Self {
        Partnership { partner, index, over: false }
    }
}

impl Rig for Partnership {
    fn dofs(&self) -> usize {
        self.partner.dofs()
    }

    fn memory(&self) -> usize {
        Reading::COUNT * self.partner.dofs()
    }

    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        let n = target.u.len();
        let fault = |trouble: Trouble| Fault::Partner { index: self.index, code: trouble.code() };
        // What went wrong once is not asked again.
        if self.over {
            return Err(fault(Trouble::Gone));
        }
        // The head of the memory, in the order of `Reading`.
        let (asked, rest) = memory.split_at_mut(n);
        let (reached, force) = rest.split_at_mut(n);
        let answer = self.partner.exchange(target.t, target.u, target.v, reached, &mut force[..n]);
        let sound = || reached.iter().chain(&force[..n]).all(|x| x.is_finite());
        let answer = answer.and_then(|()| if sound() { Ok(()) } else { Err(Trouble::Garbled) });
        asked.copy_from_slice(target.u);
        self.over = answer.is_err();
        answer.map_err(fault)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.flag(&mut self.over);
        self.partner.persist(archive);
    }

    fn finish(&mut self, _memory: &mut [f64]) {
        self.over = true;
        self.partner.finish();
    }
}
