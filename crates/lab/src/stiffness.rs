//! The stiffness of a specimen, estimated while it moves: recursive least squares of the force on the displacement, both as
//! changes from one sample to the next, with forgetting (Ljung, *System Identification*, 1999, section 11.2).

use interfield_kernel::Archive;

/// Share of the past kept from one sample to the next.
const KEPT: f64 = 0.995;

/// A running estimate, N/m.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    stiffness: f64,
    /// Σ dx df and Σ dx², the past fading.
    sums: [f64; 2],
    last: Option<[f64; 2]>,
}

impl Estimate {
    /// Starts from what is known.
    pub fn new(stiffness: f64) -> Self {
        Estimate { stiffness, sums: [0.0; 2], last: None }
    }

    /// Saves or restores it.
    pub fn persist(&mut self, archive: &mut dyn Archive) {
        let Estimate { stiffness, sums, last } = self;
        archive.numbers(sums.iter_mut().chain([stiffness]));
        archive.option(last, [0.0; 2], |archive, last| archive.numbers(last));
    }

    /// One more sample of displacement and force.
    pub fn add(&mut self, x: f64, f: f64) {
        let [dx, df] = self.last.map_or([0.0; 2], |[x0, f0]| [x - x0, f - f0]);
        self.last = Some([x, f]);
        if !(dx.is_finite() && df.is_finite()) {
            return;
        }
        self.sums = [KEPT * self.sums[0] + dx * df, KEPT * self.sums[1] + dx * dx];
        if self.sums[1] > 0.0 {
            self.stiffness = self.sums[0] / self.sums[1];
        }
    }

    /// The estimate now.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }
}
