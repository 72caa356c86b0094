//! Two sides of a coupling, the coarse one ready to be advanced by a crew, and their consistent start.

use std::ops::Range;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Fault, System};

use crate::coupled::require;
use crate::crew::{Crew, Job};
use crate::flexibility::Flexibility;
use crate::interface::Assembly;
use crate::side::{Gait, Side, SideFault};
use crate::{CouplingError, Located};

/// What a stride does with the multiplier at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// λ₁ acts.
    Loaded,
    /// λ₁ = 0 whatever stands there, see [`Side::free`].
    Free,
}

/// One stride of the coarse side, as a job.
pub(crate) struct Stride<S> {
    pub(crate) side: Side<S>,
    gait: usize,
    end: End,
    t: f64,
    x: Vec<f64>,
    l0: Vec<f64>,
    l1: Vec<f64>,
    outcome: Result<(), SideFault>,
}

impl<S: System + Send + 'static> Job for Stride<S> {
    fn run(&mut self) {
        self.outcome = match self.end {
            End::Loaded => self.side.stride(self.gait, &mut self.x, self.t, &self.l0, &self.l1),
            End::Free => self.side.free(self.gait, &mut self.x, self.t, &self.l0),
        };
    }
}

/// The coarse side and its crew.
pub(crate) struct Coarse<S> {
    job: Option<Box<Stride<S>>>,
    crew: Crew<Stride<S>>,
}

impl<S: System + Send + 'static> Coarse<S> {
    fn new(side: Side<S>, rows: usize) -> Self {
        let x = vec![0.0; side.len()];
        let (l0, l1) = (vec![0.0; rows], vec![0.0; rows]);
        let job = Stride { side, gait: 0, end: End::Loaded, t: 0.0, x, l0, l1, outcome: Ok(()) };
        Coarse { job: Some(Box::new(job)), crew: Crew::caller() }
    }

    /// The side, between strides.
    pub(crate) fn side(&self) -> &Side<S> {
        &self.job.as_ref().expect("the coarse side is at rest").side
    }

    /// The side, between strides.
    pub(crate) fn side_mut(&mut self) -> &mut Side<S> {
        &mut self.job.as_mut().expect("the coarse side is at rest").side
    }

    /// Begins a stride from `x` at `t`; it goes on until [`Coarse::end`] is called.
    pub(crate) fn begin(&mut self, gait: usize, end: End, x: &[f64], t: f64, l0: &[f64], l1: &[f64]) {
        if let Some(mut job) = self.job.take() {
            (job.gait, job.end, job.t) = (gait, end, t);
            job.x.copy_from_slice(x);
            job.l0.copy_from_slice(l0);
            job.l1.copy_from_slice(l1);
            self.crew.start(job);
        }
    }

    /// Waits for the stride that was begun; `x` receives its end.
    pub(crate) fn end(&mut self, x: &mut [f64]) -> Result<(), SideFault> {
        let job = self.job.insert(self.crew.finish());
        x.copy_from_slice(&job.x);
        job.outcome
    }
}

/// Where a substructure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the coarse side A.
    Coarse(usize),
    /// In the fine side B.
    Fine(usize),
}

/// Both sides.
pub(crate) struct Pair<S> {
    pub(crate) coarse: Coarse<S>,
    pub(crate) fine: Side<S>,
    pub(crate) places: Vec<Place>,
    pub(crate) rows: usize,
    /// Macro-step h, s.
    pub(crate) h: f64,
    /// Exchanges of the fine side per macro-step.
    pub(crate) ss: usize,
    /// Whether all fine substructures have this number of substeps.
    common: bool,
}

impl<S: System + Send + 'static> Pair<S> {
    /// Sorts substructures into the coarse and the fine side. `gaits` gives the ways of striding of each: scheme, macro-
    /// step, number of substeps.
    pub(crate) fn new(
        assembly: Assembly<S>,
        coarse: impl Fn(AnyScheme, f64) -> Vec<Gait>,
        fine: impl Fn(AnyScheme, f64, usize) -> Vec<Gait>,
    ) -> Result<Self, CouplingError> {
        let Assembly { substructures, rows, dt: h } = assembly;
        let mut places = Vec::new();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for sub in substructures {
            if sub.fine {
                places.push(Place::Fine(b.len()));
                b.push(sub);
            } else {
                places.push(Place::Coarse(a.len()));
                a.push(sub);
            }
        }
        let ss = b.iter().map(|s| s.substeps).max().unwrap_or(1);
        let common = b.iter().all(|s| s.substeps == ss);
        let whose = |place: fn(usize) -> Place, (i, fault): SideFault| {
            let substructure = places.iter().position(|p| *p == place(i)).unwrap_or(0);
            CouplingError::Fault(Located { substructure, fault })
        };
        let a = Side::new(a, rows, |s, _| coarse(s, h)).map_err(|e| whose(Place::Coarse, e))?;
        let b = Side::new(b, rows, |s, n| fine(s, h, n)).map_err(|e| whose(Place::Fine, e))?;
        Ok(Pair { coarse: Coarse::new(a, rows), fine: b, places, rows, h, ss, common })
    }

    /// Refuses fine substructures with different numbers of substeps, for methods that exchange at every substep.
    pub(crate) fn require_common_substeps(&self) -> Result<(), CouplingError> {
        require(
            self.common,
            "this coupling exchanges at every substep: all fine substructures need the same number of substeps \
             (modified PH and FOH let each have its own)",
        )
    }

    /// Lets a thread advance the coarse side, or the caller.
    pub(crate) fn use_threads(&mut self, threads: bool) -> bool {
        self.coarse.crew = if threads { Crew::worker() } else { Crew::caller() };
        self.coarse.crew.is_worker()
    }

    /// The coarse side.
    pub(crate) fn a(&self) -> &Side<S> {
        self.coarse.side()
    }

    /// A fault of the coarse side, with the substructure.
    pub(crate) fn coarse_fault(&self, fault: SideFault) -> Located {
        self.locate(Place::Coarse(fault.0), fault.1)
    }

    /// A fault of the fine side, with the substructure.
    pub(crate) fn fine_fault(&self, fault: SideFault) -> Located {
        self.locate(Place::Fine(fault.0), fault.1)
    }

    fn locate(&self, place: Place, fault: Fault) -> Located {
        Located { substructure: self.places.iter().position(|p| *p == place).unwrap_or(0), fault }
    }

    /// H of both sides in gaits `ga` and `gb`, factorised.
    pub(crate) fn flexibility(&self, ga: usize, gb: usize) -> Result<Flexibility, CouplingError> {
        let mut h = vec![0.0; self.rows * self.rows];
        self.a().flexibility(ga, &mut h);
        self.fine.flexibility(gb, &mut h);
        Flexibility::new(h, self.rows)
    }

    /// Consistent start (newmark-and-llm.md, sec. 1): Λ₀ so that the accelerations agree, then the histories of the
    /// gaits `ga`, `gb` under it. Fills both states and `l`.
    pub(crate) fn start(
        &mut self,
        (ga, gb): (usize, usize),
        a: &mut [f64],
        b: &mut [f64],
        l: &mut [f64],
    ) -> Result<(), CouplingError> {
        a.copy_from_slice(&self.a().initial());
        b.copy_from_slice(&self.fine.initial());
        let mut mobility = self.mobility()?;
        self.acceleration_multipliers(&mut mobility, (a, b), 0.0, l).map_err(CouplingError::Fault)?;
        let result = self.coarse.side_mut().restart(ga, a, 0.0, l);
        result.map_err(|f| CouplingError::Fault(self.coarse_fault(f)))?;
        let result = self.fine.restart(gb, b, 0.0, l);
        result.map_err(|f| CouplingError::Fault(self.fine_fault(f)))
    }

    /// L M⁻¹ Lᵀ of both sides, factorised.
    pub(crate) fn mobility(&self) -> Result<Flexibility, CouplingError> {
        let mut h = vec![0.0; self.rows * self.rows];
        self.a().mobility(&mut h);
        self.fine.mobility(&mut h);
        Flexibility::new(h, self.rows)
    }

    /// The multipliers that make the accelerations of both sides agree at (a, b, t): H_m Λ = Σ L M⁻¹(-r).
    pub(crate) fn acceleration_multipliers(
        &mut self,
        mobility: &mut Flexibility,
        (a, b): (&[f64], &[f64]),
        t: f64,
        l: &mut [f64],
    ) -> Result<(), Located> {
        l.fill(0.0);
        self.coarse.side_mut().free_accelerations(a, t, l).map_err(|f| self.coarse_fault(f))?;
        self.fine.free_accelerations(b, t, l).map_err(|f| self.fine_fault(f))?;
        mobility.solve(l);
        Ok(())
    }
}

/// Consecutive ranges of these lengths, and their sum.
pub(crate) fn ranges<const N: usize>(lengths: [usize; N]) -> ([Range<usize>; N], usize) {
    let mut end = 0;
    let ranges = lengths.map(|len| {
        end += len;
        end - len..end
    });
    (ranges, end)
}
