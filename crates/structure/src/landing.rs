//! Landing on events: a step in which a law turns too stiff for it is taken again, in substeps short enough.
//!
//! Stops and hardening springs are soft for most of a run and stiff for a few milliseconds of it. A step that is right for
//! the rest runs into them blindly. Here each step is looked at after it was taken: if a law of the deformation that turned
//! stiff on the way swings its mass with ω, and ω dt is above [`RESOLVED`], the state before is taken back and the step is made of
//! substeps with ω dt below it. Corners thereby fall within a substep of its ends. Only where going back is possible: no
//! specimens, one piece.
//! **Must not be here:** equations of a law or a scheme.

use interfield_coupling::{Coupling, Single, Substructure};
use interfield_kernel::{Fault, Scheme, StepMap, System};

use crate::assemble::assemble;
use crate::assembled::Assembled;
use interfield_language::model::Model;
use interfield_language::{Problem, Subject};

/// Numbers of substeps that are ready.
const LADDER: [u64; 4] = [8, 64, 512, 4096];
/// Largest ω dt of a step over a law that turned stiff.
const RESOLVED: f64 = 0.05;

/// The same model with shorter steps.
pub(crate) struct Landing {
    /// One per rung of the ladder.
    finer: Vec<Single<Assembled>>,
    before: Vec<f64>,
    /// Deformations before and after a step.
    ways: [Vec<[f64; 2]>; 2],
    /// Stiffness at the start and mass of every law.
    properties: Vec<(f64, f64)>,
}

impl Landing {
    /// Shortest of its steps, as a share of those of the analysis.
    pub(crate) const FINEST: f64 = 1.0 / LADDER[LADDER.len() - 1] as f64;

    /// Prepares all steps; what stands against it is said.
    pub(crate) fn new(model: &Model, coarse: &dyn Coupling<Assembled>) -> Result<Self, Vec<Problem>> {
        let refuse = |message: &str, help: &str| vec![Problem::error(Subject::Step, message.to_owned(), help)];
        if !(model.specimens.is_empty() && model.externals.is_empty()) {
            let message =
                "events = \"land\" repeats parts of a step, which is not possible with a specimen or another program";
            return Err(refuse(message, "remove `events`, and use a smaller step"));
        }
        let (scheme, system) = (model.analysis.scheme, coarse.system(0));
        if scheme.memory(system.dims()).history > 0 && !scheme.claims().carries_acceleration {
            let message = format!(
                "events = \"land\" changes the step, but `{}` needs a constant step",
                model.analysis.scheme_name
            );
            return Err(refuse(&message, "use one of the schemes \"lsrt2\", \"newmark\", \"caam\""));
        }
        let mut finer = Vec::new();
        for rung in LADDER {
            let assembly = assemble(model)?;
            let dt = model.analysis.dt / rung as f64;
            let (system, y0, ports) = (assembly.system, assembly.y0, Vec::new());
            let started = Single::start(Substructure { system, y0, scheme, substeps: 1, fine: false, ports }, dt);
            finer.push(started.map_err(|why| {
                refuse(&format!("a substep of {dt:e} s cannot be prepared: {why}"), "leave `events` out")
            })?);
        }
        let ways = std::array::from_fn(|_| vec![[0.0; 2]; system.curve_count()]);
        Ok(Landing { finer, before: coarse.state().to_vec(), ways, properties: system.curve_properties() })
    }

    /// Step `k` of the coarse domain, in substeps if it needs them.
    pub(crate) fn step(&mut self, coarse: &mut dyn Coupling<Assembled>, k: u64) -> Result<(), Fault> {
        self.before.copy_from_slice(coarse.state());
        let dt = coarse.dt();
        self.look(0, coarse);
        // A step that fails may do so because it runs into something.
        let taken = coarse.step(k);
        let most = if taken.is_ok() {
            self.look(1, coarse);
            dt * self.frequency(coarse.system(0), (k + 1) as f64 * dt)
        } else {
            f64::INFINITY
        };
        if most <= RESOLVED {
            return Ok(());
        }
        let rung = LADDER.iter().position(|n| most <= RESOLVED * *n as f64).unwrap_or(LADDER.len() - 1);
        let (finer, n) = (&mut self.finer[rung], LADDER[rung]);
        coarse.state_mut().copy_from_slice(&self.before);
        finer.state_mut().copy_from_slice(&self.before);
        (0..n).try_for_each(|j| finer.step(k * n + j))?;
        coarse.state_mut().copy_from_slice(finer.state());
        Ok(())
    }

    fn look(&mut self, end: usize, coarse: &dyn Coupling<Assembled>) {
        let (system, x) = (coarse.system(0), coarse.state());
        let n = system.dims().nu;
        system.deformations(&x[..n], &x[n..2 * n], &mut self.ways[end]);
    }

    /// Largest circular frequency of a mass on a law that turned stiff on the way through a step, rad/s.
    fn frequency(&self, system: &Assembled, t: f64) -> f64 {
        let mut most = 0.0f64;
        for (i, &(initial, mass)) in self.properties.iter().enumerate().filter(|p| p.1.1.is_finite()) {
            let ([from, _], [to, _]) = (self.ways[0][i], self.ways[1][i]);
            let slope = system.steepest(i, t, [from.min(to), from.max(to)], initial);
            most = most.max((slope.unwrap_or(0.0) / mass).sqrt());
        }
        most
    }
}
