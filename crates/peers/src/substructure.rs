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

/// Why a client gets no measurements any more. It is answered with what is not a number: OpenSees and its relatives neither notice that a
/// connection is closed nor wait for a limited time, but what they compute from such an answer does not converge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Halt {
    /// It wants the substructure where no number says.
    NotANumber,
    /// The substructure does not move any more.
    Broken(Broken),
    /// The test was over for all: another substructure of it tripped or was led home.
    Over,
    /// It said nothing for too long, and the substructure was led home.
    Stalled,
    /// Another machine than the one that began the test wants to go on with it.
    Stranger,
    /// It wants to go on with the test of a client before it, but begins elsewhere than where that one left the substructure.
    Elsewhere,
}

impl Halt {
    /// Whether nobody can go on with the test either.
    pub fn ends_the_test(self) -> bool {
        matches!(self, Halt::Broken(_) | Halt::Over | Halt::Stalled)
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
    /// Those in which it moved the substructure several times.
    pub iterated: u64,
    /// Those in which it moved it back and forth.
    pub reversed: u64,
    /// Most moves in one step.
    pub most: u64,
}

impl Counts {
    /// Adds those of another client.
    pub fn add(&mut self, other: &Counts) {
        self.requests += other.requests;
        self.moves += other.moves;
        self.commits += other.commits;
        self.iterated += other.iterated;
        self.reversed += other.reversed;
        self.most = self.most.max(other.most);
    }
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
    /// Where a client before this one left it: the first move goes there.
    left_at: Option<Vec<f64>>,
    /// Moves since the last commit, the way of the last one, and whether one of them went back.
    in_step: u64,
    way: Vec<f64>,
    back: bool,
    /// Why nothing is measured any more.
    halt: Option<Halt>,
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
            left_at: None,
            in_step: 0,
            way: zeros(),
            back: false,
            halt: None,
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

    /// The client has ended a step; one of its own, if nothing is measured for it any more.
    pub fn commit(&mut self) {
        if self.halt.is_some() {
            return;
        }
        let counts = &mut self.counts;
        counts.commits += 1;
        counts.iterated += u64::from(self.in_step > 1);
        counts.reversed += u64::from(self.back);
        counts.most = counts.most.max(self.in_step);
        (self.in_step, self.back) = (0, false);
    }

    /// The test of this client was begun by another one, which left the substructure there.
    pub fn resume(&mut self, at: &[f64]) {
        self.left_at = Some(at.to_vec());
    }

    /// Nothing is measured for this client any more.
    pub fn halt(&mut self, why: Halt) {
        self.halt.get_or_insert(why);
    }

    /// Why nothing is measured any more.
    pub fn halted(&self) -> Option<Halt> {
        self.halt
    }

    /// Where it moved the substructure last.
    pub fn moved(&self) -> Option<&[f64]> {
        self.moved.as_deref()
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

    /// The client says where it wants the substructure: `values` in groups that [`Trial::accepts`]. Moves nothing. If a displacement or
    /// velocity is not a number, what was wanted before stands, and this is the end of the client.
    pub fn want(&mut self, command: Groups, values: impl Iterator<Item = f64> + Clone) {
        let kinematic: usize = command.iter().take(2).sum();
        if !values.clone().take(kinematic).all(f64::is_finite) {
            self.halt(Halt::NotANumber);
        }
        if self.halt.is_some() {
            return;
        }
        let mut values = values;
        for (group, size) in self.wanted.iter_mut().zip(command) {
            group.iter_mut().zip(values.by_ref().take(size)).for_each(|(place, x)| *place = x);
        }
        self.time = values.nth(command[3]).filter(|_| command[4] == 1).unwrap_or(self.time);
    }

    /// Moves the substructure to where it is wanted, if it is not there. If it cannot be moved, this is the end of the client.
    pub fn go(&mut self, substructure: &mut dyn Substructure) {
        let [wanted, ..] = &self.wanted;
        if self.halt.is_some() || self.moved.as_ref() == Some(wanted) {
            return;
        }
        if self.left_at.take().is_some_and(|at| !is_near(wanted, &at)) {
            return self.halt(Halt::Elsewhere);
        }
        if let Err(broken) = substructure.go(wanted, &mut self.reached, &mut self.force) {
            return self.halt(Halt::Broken(broken));
        }
        self.counts.moves += 1;
        let Some(moved) = &mut self.moved else {
            self.moved = Some(wanted.clone());
            return;
        };
        for ((way, moved), wanted) in self.way.iter_mut().zip(moved).zip(wanted) {
            let next = wanted - *moved;
            self.back |= self.in_step > 0 && next * *way < 0.0;
            (*way, *moved) = (next, *wanted);
        }
        self.in_step += 1;
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
        if self.halt.is_some() {
            self.answer.fill(f64::NAN);
        }
        &self.answer
    }

    /// A number of a matrix as it is answered.
    pub fn entry(&self, x: f64) -> f64 {
        if self.halt.is_some() { f64::NAN } else { x }
    }
}

/// Whether a client begins where the substructure stands, to the digits in which a script may have kept it.
fn is_near(wanted: &[f64], at: &[f64]) -> bool {
    let largest = at.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    wanted.iter().zip(at).all(|(w, a)| (w - a).abs() <= 1e-6 * largest)
}

/// A matrix by columns, as the programs send it.
pub(crate) fn by_columns(matrix: &[f64], n: usize) -> impl Iterator<Item = f64> + '_ {
    (0..n * n).map(move |k| matrix.get(k % n * n + k / n).copied().unwrap_or(0.0))
}
