//! Redundant actuators share the force: what they press against each other is taken back by small offsets of their strokes.
//!
//! Left alone, pistons that move alike carry a force in proportion to the stiffness k between piston and specimen. So that each carries its share, it *leans*: with f the forces that the shares
//! ask for, f₀ those of the stiffness, both for what is measured in sum,
//!
//! ```text
//! lean = (f - f₀)/k        offset' = -(measured - f)/(k T)
//! ```
//!
//! The lean is what the force of the moment needs, the offset what is left: strokes that are off by a calibration or an alignment, taken back with the time constant T. What the specimen does is not touched by either, because
//! internal forces move nothing.

use interfield_kernel::Archive;

use super::Plan;
use crate::kinematics::Kinematics;

/// Offsets of the strokes.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    offsets: Vec<f64>,
    leans: Vec<f64>,
    /// The actuators, with forces in proportion to their stiffness; none where nothing is shared.
    stiff: Option<Kinematics>,
    internal: [Vec<f64>; 2],
}

impl Sharing {
    pub(super) fn new(kinematics: &Kinematics, plan: &Plan) -> Self {
        let zeros = || vec![0.0; kinematics.actuators()];
        // Rigid ones carry what they are asked to.
        let gives = plan.sharing.is_some() && plan.mounts.iter().all(|k| k.is_finite());
        let stiff = gives.then(|| kinematics.clone().by_stiffness(&plan.mounts));
        Sharing { offsets: zeros(), leans: zeros(), stiff, internal: [zeros(), zeros()] }
    }

    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(self.offsets.iter_mut().chain(&mut self.leans));
    }

    /// What is added to the stroke of an actuator, m.
    pub(super) fn offset(&self, i: usize) -> f64 {
        self.offsets[i]
    }

    /// All of them.
    pub(super) fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// What an actuator leans by under the force of the moment, m: a part of its target.
    pub(super) fn lean(&self, i: usize) -> f64 {
        self.leans[i]
    }

    /// Learns from the forces of a sample, with the specimen at `u`. Forces that are no numbers teach nothing.
    pub(super) fn learn(&mut self, kinematics: &mut Kinematics, plan: &Plan, forces: &[f64], u: &[f64]) {
        let (Some(time), Some(stiff)) = (plan.sharing, &mut self.stiff) else { return };
        if !forces.iter().all(|f| f.is_finite()) || !stiff.stand(u) {
            return;
        }
        let [off, bare] = &mut self.internal;
        kinematics.internal(forces, off);
        stiff.internal(forces, bare);
        let pace = (plan.period / time).min(1.0);
        for (i, k) in plan.mounts.iter().enumerate() {
            self.offsets[i] -= pace * off[i] / k;
            self.leans[i] = (bare[i] - off[i]) / k;
        }
    }
}
