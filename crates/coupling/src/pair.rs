//! Two sides of a coupling, the coarse one ready to be advanced by a workers, and their consistent start.

use std::ops::Range;

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Archive, Dims, Fault, System};

use crate::blueprint::Subdomain;
use crate::coupled::Sides;
use crate::flexibility::Flexibility;
use crate::interface::{Assembly, Port, Substructure};
use crate::memory::{keep_rigs, recall_rigs, rigs};
use crate::ranks::{Channel, Mail, Ranks};
use crate::side::{Side, SideFault, Stepping};
use crate::{CouplingError, Located};
use interfield_linalg::workers::{Job, Workers};

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
    stepping: usize,
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
            End::Loaded => self.side.begin_stride(self.stepping, &mut self.x, self.t, &self.l0, &self.l1),
            End::Free => self.side.begin_free(self.stepping, &mut self.x, self.t, &self.l0),
        };
    }
}

/// The coarse side and its workers.
pub(crate) struct Coarse<S> {
    job: Option<Box<Stride<S>>>,
    workers: Workers<Stride<S>>,
}

impl<S: System + Send + 'static> Coarse<S> {
    fn new(side: Side<S>, rows: usize) -> Self {
        let x = vec![0.0; side.len()];
        let (l0, l1) = (vec![0.0; rows], vec![0.0; rows]);
        let job = Stride { side, stepping: 0, end: End::Loaded, t: 0.0, x, l0, l1, outcome: Ok(()) };
        Coarse { job: Some(Box::new(job)), workers: Workers::caller() }
    }

    /// The side, between strides.
    pub(crate) fn side(&self) -> &Side<S> {
        &self.job.as_ref().expect("the coarse side is at rest").side
    }

    /// The side, between strides.
    pub(crate) fn side_mut(&mut self) -> &mut Side<S> {
        &mut self.job.as_mut().expect("the coarse side is at rest").side
    }

    /// Begins a stride at `t` from the state that `from` writes; it goes on until [`Coarse::end`] is called.
    pub(crate) fn begin(
        &mut self,
        (stepping, end): (usize, End),
        t: f64,
        [l0, l1]: [&[f64]; 2],
        from: impl FnOnce(&Side<S>, &mut [f64]),
    ) {
        if let Some(mut job) = self.job.take() {
            (job.stepping, job.end, job.t) = (stepping, end, t);
            from(&job.side, &mut job.x);
            job.l0.copy_from_slice(l0);
            job.l1.copy_from_slice(l1);
            self.workers.start(job);
        }
    }

    /// Waits for the stride that was begun.
    pub(crate) fn end(&mut self) -> Result<(), SideFault> {
        let Stride { side, outcome, x, .. } = &mut **self.job.insert(self.workers.finish());
        side.end_stride(*outcome, x)
    }

    /// Where the last stride has come to.
    pub(crate) fn arrived(&self) -> &[f64] {
        &self.job.as_ref().expect("the coarse side is at rest").x
    }
}

/// Where a substructure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// In the coarse side A.
    Coarse(usize),
    /// In the fine side B.
    Fine(usize),
}

/// Sorts substructures into the coarse and the fine side.
#[allow(clippy::type_complexity)]
pub(crate) fn sort<S>(all: Vec<Substructure<S>>) -> (Vec<Member>, Vec<Substructure<S>>, Vec<Substructure<S>>) {
    let mut places = Vec::new();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for sub in all {
        if sub.fine {
            places.push(Member::Fine(b.len()));
            b.push(sub);
        } else {
            places.push(Member::Coarse(a.len()));
            a.push(sub);
        }
    }
    (places, a, b)
}

/// A fault, with the substructure that stands at `place`.
pub(crate) fn locate(places: &[Member], place: Member, fault: Fault) -> Located {
    Located { substructure: places.iter().position(|p| *p == place).unwrap_or(0), fault }
}

/// Both sides.
pub(crate) struct Pair<S> {
    pub(crate) coarse: Coarse<S>,
    pub(crate) fine: Side<S>,
    pub(crate) places: Vec<Member>,
    pub(crate) rows: usize,
    /// Macro-step h, s.
    pub(crate) h: f64,
    /// Strides of the fine side per macro-step, at whose ends a coupling may exchange: the greatest number that divides the
    /// substeps of all its substructures.
    pub(crate) ss: usize,
    /// Most substeps of a fine substructure.
    pub(crate) finest: usize,
    /// Who has which of all substructures.
    ranks: Ranks,
    mail: Mail,
}

impl<S: System + Send + 'static> Pair<S> {
    /// Sorts substructures into the coarse and the fine side, whose ways of striding `coarse` and `fine` give: of a scheme
    /// and the macro-step; on the fine side also of the number of substeps, and how many of them make a stride.
    pub(crate) fn new(
        assembly: Assembly<S>,
        coarse: impl Fn(AnyScheme, f64) -> Vec<Stepping>,
        fine: impl Fn(AnyScheme, f64, [usize; 2]) -> Vec<Stepping>,
    ) -> Result<Self, CouplingError> {
        let Assembly { substructures, rows, dt: h, ranks } = assembly;
        let (places, a, b) = sort(substructures);
        let of = |fine: bool| {
            let here = |p: &Member| matches!(p, Member::Fine(_)) == fine;
            ranks.of(places.iter().enumerate().filter(|(_, p)| here(p)).map(|(i, _)| i))
        };
        let finest = b.iter().map(|s| s.substeps).max().unwrap_or(1);
        let ss = exchanges(b.iter().map(|s| s.substeps));
        let whose = |place: fn(usize) -> Member, (i, fault)| CouplingError::Fault(locate(&places, place(i), fault));
        // Other ranks are waited for when this one has done what it can.
        let a = Side::begin(a, rows, (of(false), Channel::Coarse), |s, _| coarse(s, h));
        let b = Side::begin(b, rows, (of(true), Channel::Fine), |s, n| fine(s, h, [n, n / ss]));
        let a = a.and_then(Side::complete).map_err(|e| whose(Member::Coarse, e))?;
        let b = b.and_then(Side::complete).map_err(|e| whose(Member::Fine, e))?;
        let mail = Mail::new(&ranks, Channel::Whole, 0);
        Ok(Pair { coarse: Coarse::new(a, rows), fine: b, places, rows, h, ss, finest, ranks, mail })
    }

    /// Refuses an interface without inertia where a stride has several steps: the velocity after an even number of
    /// trapezoidal steps does not feel a λ that grows linearly, and the run would converge, to something else.
    pub(crate) fn require_inertia(&self, strides: usize) -> Result<(), CouplingError> {
        match self.fine.massless() {
            Some(row) if self.finest > strides => Err(CouplingError::Rigid { row }),
            _ => Ok(()),
        }
    }

    /// The coarse side.
    pub(crate) fn a(&self) -> &Side<S> {
        self.coarse.side()
    }

    /// Waits for the stride of the coarse side that was begun.
    pub(crate) fn end_coarse(&mut self) -> Result<(), Located> {
        self.coarse.end().map_err(|f| self.coarse_fault(f))
    }

    /// A fault of the coarse side, with the substructure.
    pub(crate) fn coarse_fault(&self, fault: SideFault) -> Located {
        locate(&self.places, Member::Coarse(fault.0), fault.1)
    }

    /// A fault of the fine side, with the substructure.
    pub(crate) fn fine_fault(&self, fault: SideFault) -> Located {
        locate(&self.places, Member::Fine(fault.0), fault.1)
    }

    /// H of both sides in steppings `ga` and `gb`, factorised.
    pub(crate) fn flexibility(&self, ga: usize, gb: usize) -> Result<Flexibility, CouplingError> {
        let mut h = vec![0.0; self.rows * self.rows];
        self.a().flexibility(ga, &mut h);
        self.fine.flexibility(gb, &mut h);
        Flexibility::new(h, self.rows)
    }

    /// Consistent start (book: partitioned 1.3): Λ₀ so that the accelerations agree, then the histories of the
    /// steppings `ga`, `gb` under it. Fills both states and `l`.
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
        (a, b): (&mut [f64], &mut [f64]),
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

impl<S: System + Send + 'static> Sides<S> for Pair<S> {
    fn macro_step(&self) -> f64 {
        self.h
    }

    fn places(&self) -> &[Member] {
        &self.places
    }

    fn range(&self, place: Member) -> Range<usize> {
        match place {
            Member::Coarse(i) => self.a().range(i),
            Member::Fine(i) => self.fine.range(i),
        }
    }

    fn dims(&self, place: Member) -> Dims {
        match place {
            Member::Coarse(i) => self.a().dims(i),
            Member::Fine(i) => self.fine.dims(i),
        }
    }

    fn ports(&self, place: Member) -> &[Port] {
        match place {
            Member::Coarse(i) => self.a().ports(i),
            Member::Fine(i) => self.fine.ports(i),
        }
    }

    fn counts(&self) -> (usize, usize) {
        (self.rows, self.ss)
    }

    fn blueprints(&self) -> [Vec<Subdomain<'_, S>>; 2] {
        [self.a().blueprint(), self.fine.blueprint()]
    }

    fn start_mobility(&self) -> Option<Flexibility> {
        self.mobility().ok()
    }

    fn system(&self, place: Member) -> &S {
        match place {
            Member::Coarse(i) => self.a().system(i),
            Member::Fine(i) => self.fine.system(i),
        }
    }

    fn system_at(&mut self, place: Member, x: &[f64]) -> &mut S {
        match place {
            Member::Coarse(i) => self.coarse.side_mut().at(i, x),
            Member::Fine(i) => self.fine.at(i, x),
        }
    }

    fn link_displacements(&self, place: Member, g: usize, l: &[f64], out: &mut [f64]) {
        match place {
            Member::Coarse(i) => self.a().link_displacements(g, i, l, out),
            Member::Fine(i) => self.fine.link_displacements(g, i, l, out),
        }
    }

    fn carries_acceleration(&self, place: Member) -> bool {
        match place {
            Member::Coarse(i) => self.a().carries_acceleration(i),
            Member::Fine(i) => self.fine.carries_acceleration(i),
        }
    }

    fn add_accelerations(&self, place: Member, l: &[f64], a: &mut [f64]) {
        match place {
            Member::Coarse(i) => self.a().add_accelerations(i, l, a),
            Member::Fine(i) => self.fine.add_accelerations(i, l, a),
        }
    }

    fn rigs(&self) -> usize {
        rigs(self.a().systems().chain(self.fine.systems()))
    }

    fn keep_rigs(&self, m: &mut [f64]) {
        keep_rigs(self.a().systems().chain(self.fine.systems()), m);
    }

    fn recall_rigs(&mut self, m: &[f64]) {
        recall_rigs(self.coarse.side_mut().systems_mut().chain(self.fine.systems_mut()), m);
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.coarse.side_mut().persist(archive);
        self.fine.persist(archive);
    }

    fn gather(&mut self, x: &mut [f64], [a, b]: [usize; 2]) -> Result<(), Located> {
        let Pair { coarse, fine, places, ranks, mail, .. } = self;
        let range = |place: &Member| {
            let (start, range) = match *place {
                Member::Coarse(i) => (a, coarse.side().range(i)),
                Member::Fine(i) => (b, fine.range(i)),
            };
            start + range.start..start + range.end
        };
        let gathered = ranks.gather(x, places.iter().map(range), mail);
        gathered.map_err(|(substructure, fault)| Located { substructure, fault })
    }

    fn use_threads(&mut self, threads: bool) -> bool {
        // Messages go through the thread that computes.
        let threads = threads && self.ranks.is_alone();
        self.coarse.workers = if threads { Workers::worker("interfield-side") } else { Workers::caller() };
        self.coarse.workers.is_worker()
    }
}

/// How often sides exchange in a macro-step: the greatest number that divides the substeps of all fine substructures.
pub fn exchanges(fine: impl Iterator<Item = usize>) -> usize {
    fine.reduce(common_divisor).unwrap_or(1).max(1)
}

/// Euclid's algorithm.
fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
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
