//! What every server does with requests, whatever language they come in: remembers where its substructure is wanted, moves
//! it only if there is a way to go, answers again what was measured, counts.

use crate::dense::subtract_product;
use crate::violation::Violation;

/// What a client moves.
pub trait Substructure {
    /// Number of degrees of freedom.
    fn dofs(&self) -> usize;

    /// What a client may know of it beforehand.
    fn matrices(&self) -> &Matrices;

    /// A client begins. Where the substructure stands may be far from where this one wants it first.
    fn begin(&mut self) {}

    /// Moves to `u`, and says where it got to and its forces. Takes as long as it takes.
    ///
    /// # Errors
    /// When it cannot: it will not move again.
    fn go(&mut self, u: &[f64], reached: &mut [f64], force: &mut [f64]) -> Result<(), Broken>;

    /// The test is over: goes back to where it stood before the first client.
    fn leave(&mut self);
}

/// The substructure does not move any more: why, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken(pub &'static str);

/// Matrices of a substructure, n x n by rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrices {
    /// Stiffness at rest.
    pub stiffness: Vec<f64>,
    /// Damping that a client computes with: it adds it times its own velocities to the forces that it is answered.
    pub damping: Vec<f64>,
    /// The part of it that measured forces contain already, and that is therefore taken out of the answer.
    pub measured_damping: Vec<f64>,
    /// Mass that a client computes with.
    pub mass: Vec<f64>,
}

impl Matrices {
    /// A matrix of zeros for `n` degrees of freedom.
    pub fn zeros(n: usize) -> Vec<f64> {
        vec![0.0; n * n]
    }
}

/// Why a client gets no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Halt {
    /// It does not keep to the protocol.
    Violation(Violation),
    /// It wants the substructure where no number says.
    NotANumber,
    /// The substructure does not move any more.
    Broken(Broken),
}

impl From<Violation> for Halt {
    fn from(violation: Violation) -> Self {
        Halt::Violation(violation)
    }
}

impl From<Broken> for Halt {
    fn from(broken: Broken) -> Self {
        Halt::Broken(broken)
    }
}

/// What was done for a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub requests: u64,
    /// Moves of the substructure.
    pub moves: u64,
    /// Steps that the client committed.
    pub commits: u64,
}

/// Groups of numbers in a message: displacements, velocities, accelerations, forces, time.
pub type Groups = [usize; 5];

/// Where the substructure is wanted and what it showed.
pub struct Trial {
    /// Displacements, velocities, accelerations as the client said them last, and its time.
    wanted: [Vec<f64>; 3],
    time: f64,
    /// Where it was moved last.
    moved: Option<Vec<f64>>,
    reached: Vec<f64>,
    force: Vec<f64>,
    answer: Vec<f64>,
    counts: Counts,
}

impl Trial {
    /// A trial with `n` degrees of freedom, at rest.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Trial {
            wanted: [zeros(), zeros(), zeros()],
            time: 0.0,
            moved: None,
            reached: zeros(),
            force: zeros(),
            answer: Vec::with_capacity(4 * n + 1),
            counts: Counts::default(),
        }
    }

    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        self.reached.len()
    }

    /// What was done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A message has come.
    pub fn note(&mut self) {
        self.counts.requests += 1;
    }

    /// The client has ended a step.
    pub fn commit(&mut self) {
        self.counts.commits += 1;
    }

    /// Whether groups of these sizes can be commanded.
    ///
    /// # Errors
    /// When they are not those of this substructure.
    pub fn accepts(&self, command: Groups) -> Result<(), Violation> {
        let n = self.dofs();
        match command {
            [u, ..] if u != n => Err(Violation::Dofs(u, n)),
            [_, v, ..] if ![0, n].contains(&v) => Err(Violation::Dofs(v, n)),
            [_, _, a, ..] if ![0, n].contains(&a) => Err(Violation::Dofs(a, n)),
            [_, _, _, f, _] if f != 0 => Err(Violation::ForceControl),
            [.., t] if t > 1 => Err(Violation::Size),
            _ => Ok(()),
        }
    }

    /// Whether groups of these sizes can be answered.
    ///
    /// # Errors
    /// When they are not those of this substructure.
    pub fn offers(&self, answer: Groups) -> Result<(), Violation> {
        let n = self.dofs();
        let [u, v, a, f, t] = answer;
        match [u, v, a, f].into_iter().find(|x| ![0, n].contains(x)) {
            Some(other) => Err(Violation::Dofs(other, n)),
            None if t > 1 => Err(Violation::Size),
            None => Ok(()),
        }
    }

    /// The client says where it wants the substructure: `values` in groups that [`Trial::accepts`]. Moves nothing.
    ///
    /// # Errors
    /// When a displacement or velocity is not a number; what was wanted before stands.
    pub fn want(&mut self, command: Groups, values: impl Iterator<Item = f64> + Clone) -> Result<(), Halt> {
        let kinematic: usize = command.iter().take(2).sum();
        if !values.clone().take(kinematic).all(f64::is_finite) {
            return Err(Halt::NotANumber);
        }
        let mut values = values;
        for (group, size) in self.wanted.iter_mut().zip(command) {
            group.iter_mut().zip(values.by_ref().take(size)).for_each(|(place, x)| *place = x);
        }
        self.time = values.nth(command[3]).filter(|_| command[4] == 1).unwrap_or(self.time);
        Ok(())
    }

    /// Moves the substructure to where it is wanted, if it is not there.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn go(&mut self, substructure: &mut dyn Substructure) -> Result<(), Halt> {
        let [wanted, ..] = &self.wanted;
        if self.moved.as_ref() != Some(wanted) {
            substructure.go(wanted, &mut self.reached, &mut self.force)?;
            self.counts.moves += 1;
            match &mut self.moved {
                Some(moved) => moved.copy_from_slice(wanted),
                None => self.moved = Some(wanted.clone()),
            }
        }
        Ok(())
    }

    /// What is answered, in groups of these sizes: displacements reached, velocities and accelerations as wanted (nothing
    /// measures them), forces, time as said.
    pub fn answer(&mut self, groups: Groups, matrices: &Matrices) -> &[f64] {
        self.answer.clear();
        let [_, velocity, acceleration] = &self.wanted;
        for (group, size) in [&self.reached, velocity, acceleration].into_iter().zip(groups) {
            self.answer.extend(group.iter().take(size));
        }
        if groups[3] > 0 {
            let start = self.answer.len();
            self.answer.extend(&self.force);
            subtract_product(&matrices.measured_damping, velocity, self.answer.get_mut(start..).unwrap_or_default());
        }
        self.answer.extend((groups[4] == 1).then_some(self.time));
        &self.answer
    }
}

/// A matrix by columns, as the programs send it.
pub(crate) fn by_columns(matrix: &[f64], n: usize) -> impl Iterator<Item = f64> + '_ {
    (0..n * n).map(move |k| matrix.get(k % n * n + k / n).copied().unwrap_or(0.0))
}
