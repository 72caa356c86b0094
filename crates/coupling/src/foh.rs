//! Couplings with a multiplier linear in time over the macro-step: FOH, and with it PH and modified PH.
//!
//! FOH: derived in this project (book: passivity 2.7). Modified PH: paper 003, Table "modified PH method", with the history
//! load that the table lost (book: partitioned 3.3). PH: A. Prakash, K. D. Hjelmstad, Int. J. Numer. Methods Eng. 61:2183-2204, 2004.
//! Macro-step n → n+1, with a guess λᵖ of Λ_n+1:
//!
//! 1. *Concurrently* A one step h, B ss steps h/ss (each substructure its own ss), both under λ = (1-x) Λ_n + x λᵖ.
//! 2. H d = L^A v^A + L^B v^B, H = -(L^A Y^A_v + L^B Y^B_v), Y the response of a linear side to λ = x.
//! 3. A += Y^A d, B += Y^B d, Λ_n+1 = λᵖ + d.
//!
//! λᵖ = 0 is the modified PH method (its history load (1-j/ss) Λ_n is this line); for linear sides the guess changes
//! nothing but the size of the link. PH adds the unbalanced interface load of A to the multiplier of B.
//! Second order for any ss; conserves the pseudo-energy with trapezoidal sides. Limits: Y uses initial tangents over the whole
//! macro-step, so a softening B makes modified PH unstable for ss > 1 at nearly every step; for ss > 1 the interface needs
//! mass in B.
//! Start-up: none; with averaging schemes two macro-steps, see start_up.rs.   State x = [A B Λ_n Λ_n-1 | rates of the start-up].
//! Deviations from paper 003: the history load; selection of the velocities in front of V.

use interfield_kernel::scheme::registry::{AnyScheme, Argument, ArgumentError, Arguments, SchemeParameter, parameter};
use interfield_kernel::{Archive, System};

use crate::blueprint::{Macro, Schedule};
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::flexibility::Flexibility;
use crate::gap::GapMode;
use crate::interface::Assembly;
use crate::pair::{End, Member, Pair, ranges};
use crate::registry::{CouplingInfo, CouplingMethod, Facts, KAPPA, Options, Parts, unit_interval};
use crate::side::{Side, Stepping};
use crate::start_up::{calm, slope, timed};
use crate::{CouplingError, Located};

/// The guess of the multiplier at the end of the macro-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Zero: the modified PH method.
    Zero,
    /// The last one.
    Constant,
    /// Extrapolated from the last two: the link is then O(h⁴) instead of O(h²).
    Linear,
}

/// Options of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FohOptions {
    /// Guess of the multiplier.
    pub guess: Guess,
    /// Add the unbalanced interface load of A to the multiplier of B: the PH method.
    pub unbalanced: bool,
    /// Share χ of the acceleration-level multiplier mixed in at the start of each step: damps the alternating mode of Λ.
    pub chi: f64,
    /// Share κ of the displacement gap that is closed after each step.
    pub kappa: f64,
}

impl FohOptions {
    /// FOH.
    pub const FOH: Self = FohOptions { guess: Guess::Linear, unbalanced: false, chi: 0.0, kappa: 0.0 };
    /// Modified PH.
    pub const MODIFIED_PH: Self = FohOptions { guess: Guess::Zero, ..Self::FOH };
    /// PH.
    pub const PH: Self = FohOptions { unbalanced: true, ..Self::MODIFIED_PH };
}

/// Macro-steps of the start-up with averaging schemes.
const START_UP: usize = 2;

/// One macro-step under a linear multiplier; also the start-up of the PMC family.
pub(crate) struct MacroStep {
    guess: Guess,
    h: Flexibility,
    guessed: Vec<f64>,
    d: Vec<f64>,
    /// PH: (L^A L^Aᵀ)⁻¹, and the unbalanced loads at the start and end of a substep.
    unbalanced: Option<(Flexibility, [Vec<f64>; 4])>,
}

impl MacroStep {
    pub(crate) fn new<S: System + Send + 'static>(
        pair: &Pair<S>,
        steppings: (usize, usize),
        guess: Guess,
    ) -> Result<Self, CouplingError> {
        pair.require_inertia(1)?;
        let zeros = || vec![0.0; pair.rows];
        Ok(MacroStep {
            guess,
            h: pair.flexibility(steppings.0, steppings.1)?,
            guessed: zeros(),
            d: zeros(),
            unbalanced: None,
        })
    }

    fn balance<S: System + Send + 'static>(&mut self, pair: &Pair<S>) -> Result<(), CouplingError> {
        let n = pair.rows;
        let mut matrix = vec![0.0; n * n];
        pair.a().incidence(&mut matrix);
        // Constraints that do not touch A have no unbalanced load.
        (0..n)
            .filter(|i| matrix[i * n + i] == 0.0)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|i| matrix[i * n + i] = 1.0);
        let inverse = Flexibility::new(matrix, n).map_err(|error| match error {
            CouplingError::Redundant { .. } => CouplingError::Unsuitable(
                "`ph` cannot be used where the first substructure meets two others at one degree of freedom: the \
                    unbalanced load cannot be divided uniquely between the constraints; use `modified-ph`"
                    .to_owned(),
            ),
            other => other,
        })?;
        self.unbalanced = Some((inverse, std::array::from_fn(|_| vec![0.0; n])));
        Ok(())
    }

    /// Its tables.
    pub(crate) fn blueprint(&self) -> Macro<'_> {
        Macro { guess: self.guess, h: &self.h, unbalanced: self.unbalanced.as_ref().map(|u| &u.0) }
    }

    /// Advances `xa`, `xb` and `l` = Λ_n, `past` = Λ_n-1 from `t` with the steppings `ga`, `gb`.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn run<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        (ga, gb): (usize, usize),
        xa: &mut [f64],
        xb: &mut [f64],
        l: &mut [f64],
        past: &mut [f64],
        t: f64,
    ) -> Result<(), Located> {
        for (p, (l, past)) in self.guessed.iter_mut().zip(l.iter().zip(past.iter())) {
            *p = match self.guess {
                Guess::Zero => 0.0,
                Guess::Constant => *l,
                Guess::Linear => 2.0 * l - past,
            };
        }
        pair.coarse.begin((ga, End::Loaded), t, [l, &self.guessed], |_, x| x.copy_from_slice(xa));
        let fine = match &mut self.unbalanced {
            None => pair.fine.stride(gb, xb, t, l, &self.guessed),
            // The loads of A at the times of B need A's system, so A is waited for.
            Some(_) => {
                pair.end_coarse()?;
                self.unbalanced_strides(pair, xb, l, t)
            }
        };
        if self.unbalanced.is_none() {
            pair.end_coarse()?;
        }
        fine.map_err(|f| pair.fine_fault(f))?;
        xa.copy_from_slice(pair.coarse.arrived());
        self.d.fill(0.0);
        pair.a().port_rates(ga, xa, &mut self.d, 1.0);
        pair.fine.port_rates(gb, xb, &mut self.d, 1.0);
        self.h.solve(&mut self.d);
        pair.coarse.side().link(ga, xa, &self.d, 1.0);
        pair.fine.link(gb, xb, &self.d, 1.0);
        past.copy_from_slice(l);
        for (l, (p, d)) in l.iter_mut().zip(self.guessed.iter().zip(&self.d)) {
            *l = p + d;
        }
        Ok(())
    }

    /// PH: B's substeps under λ_j + (L^A L^Aᵀ)⁻¹ L^A [F(t_j) - (1-x) F_n - x F_n+1].
    fn unbalanced_strides<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        xb: &mut [f64],
        l: &[f64],
        t: f64,
    ) -> Result<(), crate::side::SideFault> {
        let Some((inverse, [first, last, l0, l1])) = &mut self.unbalanced else { return Ok(()) };
        let (h, ss) = (pair.h, pair.ss);
        let coarse = pair.coarse.side_mut();
        first.fill(0.0);
        last.fill(0.0);
        coarse.port_loads(t, first, 1.0);
        coarse.port_loads(t + h, last, 1.0);
        l1.copy_from_slice(l);
        for j in 1..=ss {
            let x = j as f64 / ss as f64;
            l0.copy_from_slice(l1);
            l1.fill(0.0);
            if j < ss {
                coarse.port_loads(t + x * h, l1, 1.0);
                for i in 0..l1.len() {
                    l1[i] -= (1.0 - x) * first[i] + x * last[i];
                }
                inverse.solve(l1);
            }
            for i in 0..l1.len() {
                l1[i] += (1.0 - x) * l[i] + x * self.guessed[i];
            }
            pair.fine.stride(SUBSTEP, xb, t + (j - 1) as f64 * h / ss as f64, l0, l1)?;
        }
        Ok(())
    }
}

/// Stepping of B between two of the unbalanced loads of PH.
const SUBSTEP: usize = 2;

/// The method.
pub struct Foh {
    layout: Layout,
    step: MacroStep,
    /// The start-up, if the sides need one.
    start_up: Option<MacroStep>,
    gap: Option<GapMode>,
    kappa: f64,
    mixing: Option<(f64, Flexibility, Vec<f64>)>,
}

impl Foh {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(
        assembly: Assembly<S>,
        options: FohOptions,
    ) -> Result<TwoSided<S>, CouplingError> {
        let both = |scheme: AnyScheme, dt, steps| {
            [timed(scheme), calm(timed(scheme))].map(|scheme| Stepping { scheme, dt, steps })
        };
        let mut pair = Pair::new(
            assembly,
            |scheme, h| both(scheme, h, 1).to_vec(),
            |scheme, h, [substeps, steps]| {
                let dt = h / substeps as f64;
                let mut steppings = both(scheme, dt, substeps).to_vec();
                steppings.push(Stepping { scheme: timed(scheme), dt, steps });
                steppings
            },
        )?;
        let (na, nb) = (pair.a().len(), pair.fine.len());
        let rates = [pair.a().lagging_len(0), pair.fine.lagging_len(0)];
        let starts = rates != [0, 0];
        let past = START_UP * (rates[0] + rates[1]);
        let ([a, b, l, _, _], len) = ranges([na, nb, pair.rows, pair.rows, past]);
        let mut x = vec![0.0; len];
        {
            let (xa, rest) = x.split_at_mut(na);
            let (xb, rest) = rest.split_at_mut(nb);
            let (l0, rest) = rest.split_at_mut(l.len());
            let stepping = usize::from(starts);
            pair.start((stepping, stepping), xa, xb, l0)?;
            rest[..l0.len()].copy_from_slice(l0);
        }
        let mut step = MacroStep::new(&pair, (0, 0), options.guess)?;
        if options.unbalanced {
            step.balance(&pair)?;
        }
        let start_up = if starts { Some(MacroStep::new(&pair, (1, 1), options.guess)?) } else { None };
        let gap = if options.kappa != 0.0 { Some(GapMode::new(&mut pair)?) } else { None };
        let mixing = match options.chi {
            0.0 => None,
            chi => Some((chi, pair.mobility()?, vec![0.0; pair.rows])),
        };
        // Unless accelerations are asked for, which may move laws, the coarse side is written last.
        let layout = Layout { len, open: if mixing.is_some() { 0 } else { b.start }..len, a, b, l };
        Ok(TwoSided::new(pair, Foh { layout, step, start_up, gap, kappa: options.kappa, mixing }, x))
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Foh {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Foh {
            step: self.step.blueprint(),
            start_up: self.start_up.as_ref().map(MacroStep::blueprint),
            gap: self.gap.as_ref().map(|gap| gap.blueprint(self.kappa)),
            mixing: self.mixing.as_ref().map(|(chi, mobility, _)| (*chi, mobility)),
        }
    }

    fn settled(&self) -> u64 {
        if self.start_up.is_some() { START_UP as u64 } else { 0 }
    }

    fn is_parallel(&self) -> bool {
        self.step.unbalanced.is_none()
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let t = k as f64 * pair.h;
        let (xa, rest) = x.split_at_mut(self.layout.a.end);
        let (xb, rest) = rest.split_at_mut(self.layout.b.len());
        let (multipliers, past) = rest.split_at_mut(2 * self.layout.l.len());
        let (l, last) = multipliers.split_at_mut(self.layout.l.len());
        if let Some(start_up) = &mut self.start_up
            && k < START_UP as u64
        {
            let (h, node) = (pair.h, k as usize);
            let (pa, pb) = past.split_at_mut(START_UP * pair.a().lagging_len(0));
            keep_rates(pair.a(), xa, pa, node);
            keep_rates(&pair.fine, xb, pb, node);
            start_up.run(pair, (1, 1), xa, xb, l, last, t)?;
            if node + 1 == START_UP {
                move_rates(pair.a(), xa, pa, h);
                move_rates(&pair.fine, xb, pb, h);
            }
            return Ok(());
        }
        past.fill(0.0);
        if let Some((chi, mobility, acc)) = &mut self.mixing {
            pair.acceleration_multipliers(mobility, (xa, xb), t, acc)?;
            for (l, acc) in l.iter_mut().zip(acc) {
                *l += *chi * (*acc - *l);
            }
        }
        self.step.run(pair, (0, 0), xa, xb, l, last, t)?;
        if let Some(gap) = &mut self.gap {
            gap.close(pair, self.kappa, [xa, &mut []], xb, multipliers);
        }
        Ok(())
    }

    fn link<'a>(&'a self, _: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &self.step.d)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(&mut self.step.d);
    }
}

/// Keeps the rates of node `node` of the start-up, to move them once those of all nodes are known.
fn keep_rates<S: System>(side: &Side<S>, x: &[f64], past: &mut [f64], node: usize) {
    let n = past.len() / START_UP;
    side.lagging_rates(0, x, &mut past[node * n..(node + 1) * n]);
}

/// Moves the rates at the last node of the start-up to their time.
fn move_rates<S: System>(side: &Side<S>, x: &mut [f64], past: &[f64], h: f64) {
    let n = past.len() / START_UP;
    side.shift_rates(0, x, |i, now| slope(&[past[i], past[n + i], now], 2, h));
}

impl Options for FohOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Foh::start(parts.assembly, self)?))
    }

    fn facts(&self) -> Facts {
        Facts { ramped: true, ..Facts::PLAIN }
    }
}

const CHI: SchemeParameter = parameter(
    "chi",
    Some("0"),
    "a number from 0 to 1",
    "damps the alternating mode of the multiplier, for Rosenbrock sides",
);

const GUESS: SchemeParameter = parameter(
    "guess",
    Some("linear"),
    "\"linear\", \"constant\" or \"zero\"",
    "prediction of the multiplier at the end of the macro-step; it determines the size of the link",
);

/// Entry of the catalogue.
pub(crate) const FOH: CouplingInfo = CouplingInfo {
    name: "foh",
    title: "multiplier linear over the macro-step, interfield parallel, order 2",
    reference: "derived in this project (book: passivity 2.7)",
    advice: "An order of magnitude more accurate than pmc if the tangents are accurate and the interface mass of the \
        fine side is not very small. Unstable with a softening fine side and substeps.",
    scheme: "alpha-os",
    parallel: true,
    ranks: true,
    parameters: &[GUESS, KAPPA, CHI],
    build: foh,
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const MODIFIED_PH: CouplingInfo = CouplingInfo {
    name: "modified-ph",
    title: "modified Prakash-Hjelmstad coupling, interfield parallel, order 2",
    reference: "Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems, \
        with the history load that is missing in its table",
    advice: "Conserves the pseudo-energy for any ratio of steps. With a softening fine side and substeps it is \
        unstable at almost any step.",
    scheme: "newmark",
    parallel: true,
    ranks: true,
    parameters: &[KAPPA],
    build: |a| Ok(FohOptions { kappa: a.number(&KAPPA, 0.0, unit_interval)?, ..FohOptions::MODIFIED_PH }.into()),
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const PH: CouplingInfo = CouplingInfo {
    name: "ph",
    title: "Prakash-Hjelmstad coupling, order 2",
    reference: "Prakash, Hjelmstad, Int. J. Numer. Methods Eng. 61:2183-2204, 2004",
    advice: "As modified-ph, with the unbalanced load of the coarse side; not parallel.",
    scheme: "newmark",
    ranks: true,
    comparison: true,
    build: |_| Ok(FohOptions::PH.into()),
    ..CouplingInfo::PLAIN
};

fn foh(a: Arguments<'_>) -> Result<CouplingMethod, ArgumentError> {
    let guess = match a.get(GUESS.name) {
        None | Some(Argument::Word("linear")) => Guess::Linear,
        Some(Argument::Word("constant")) => Guess::Constant,
        Some(Argument::Word("zero")) => Guess::Zero,
        Some(_) => return Err(GUESS.refuse()),
    };
    let kappa = a.number(&KAPPA, 0.0, unit_interval)?;
    let chi = a.number(&CHI, 0.0, unit_interval)?;
    Ok(FohOptions { guess, kappa, chi, ..FohOptions::FOH }.into())
}
