//! One memory of laws for all states of a system: what couplings did before each sequence of states had its own, and what the older
//! references do (book: passivity 4.1).

use interfield_coupling::{Assembly, Substructure};
use interfield_kernel::{Archive, Dims, Fault, Mck, Point, Shift, System};
use interfield_structure::Assembled;

/// A system whose laws have one memory, whatever the number of states: what was done before each sequence had its own.
pub struct Shared(pub Assembled);

impl System for Shared {
    fn dims(&self) -> Dims {
        self.0.dims()
    }
    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.0.force(at, shift, r, g)
    }
    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.0.prepare(operators)
    }
    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.0.linearise(at)
    }
    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        self.0.solve(slot, b, bs);
    }
    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        self.0.mul_mass(x, y);
    }
    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.0.mul_tangent(x, r, g);
    }
    fn load(&mut self, t: f64, out: &mut [f64]) {
        self.0.load(t, out);
    }
    fn drift(&mut self, at: Point<'_>, dt: f64, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        self.0.drift(at, dt, r, g)
    }
    fn memory(&self) -> &[f64] {
        self.0.memory()
    }
    fn memory_mut(&mut self) -> &mut [f64] {
        self.0.memory_mut()
    }
    fn own_memory(&self) -> usize {
        0
    }
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.0.persist(archive);
    }
    fn trial(&mut self, trial: bool) {
        self.0.trial(trial);
    }
}

/// The same substructures with one memory for all sequences.
pub fn shared(assembly: Assembly<Assembled>) -> Assembly<Shared> {
    let Assembly { substructures, rows, dt, ranks } = assembly;
    let one = |s: Substructure<Assembled>| {
        let Substructure { system, y0, scheme, substeps, fine, ports } = s;
        Substructure { system: Shared(system), y0, scheme, substeps, fine, ports }
    };
    Assembly { substructures: substructures.into_iter().map(one).collect(), rows, dt, ranks }
}
