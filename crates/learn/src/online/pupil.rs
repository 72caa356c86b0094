//! A numerical element whose parameters change during the run, and the energy that it gains by this.
//!
//! A hysteretic law stores E = k2 q²/2 + z²/(2 k). If parameters change while q and z stay, the element gains
//!
//! ```text
//! dE = (k2' - k2) q²/2 + z² (1/k' - 1/k)/2
//! ```
//!
//! A lower k and a higher k2 give energy. What it may gain over the run is a tank that holds a part of what the element has dissipated, and
//! the same part of what it stored most: elements that never yield could not learn otherwise. The element gives back at most this much
//! more than it received. A change costs nothing where z or q pass zero: a step may therefore use a small share of what the tank holds, so
//! that nothing is left of it only where nothing was cheap. What is more waits. The yield force waits as long as z is above it. The force therefore never jumps but
//! by (k2' - k2) q, and no state of a scheme is touched.
//! **Must not be here:** estimates.

use interfield_kernel::{Archive, Persist};

use super::hysteresis::{COUNT, Parameters};
use super::recursive::Terms;

/// Share of what its tank holds that a pupil may use in a second: little in half a cycle, so that a change that is dear now waits for the
/// next passage through zero.
const SPENT: f64 = 1.0;

/// What a pupil computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A law whose hysteretic force is its state.
    Hysteretic,
    /// A law whose slider displacement is its state: the force is k s.
    Slider,
    /// A law that is linear in its parameters.
    Terms(Terms),
}

/// What a change did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Whether parameters changed.
    pub changed: bool,
    /// Energy that the element gained, J.
    pub energy: f64,
}

/// The element.
#[derive(Clone, Debug)]
pub struct Pupil {
    kind: Kind,
    /// Its parameters at the start, and now.
    initial: Parameters,
    now: Parameters,
    tank: f64,
    /// Share of what the tank holds that a step may use for each of k and k2.
    share: f64,
    /// Largest k + k2 that the operator of a scheme bears.
    bound: f64,
    /// What it has dissipated, the most so far, what it gained, and what it stored most, J.
    dissipated: f64,
    spent: f64,
    gained: f64,
    most: f64,
    /// Largest gain over what the tank held then.
    fullest: f64,
    /// Where it was.
    before: [f64; 2],
    reach: f64,
    /// Steps in which a change waited for the tank.
    waited: u64,
}

impl Pupil {
    /// An element that may gain `tank` of what it dissipates, and learns every `dt` seconds.
    pub fn new(kind: Kind, initial: Parameters, tank: f64, dt: f64) -> Self {
        Pupil {
            kind,
            initial,
            now: initial,
            tank,
            share: (SPENT * dt).min(0.5),
            bound: f64::INFINITY,
            dissipated: 0.0,
            spent: 0.0,
            gained: 0.0,
            most: 0.0,
            fullest: 0.0,
            before: [0.0; 2],
            reach: 0.0,
            waited: 0,
        }
    }

    /// The same in motion: its deformation and hysteretic force at the start.
    pub fn starting(mut self, q: f64, z: f64) -> Self {
        self.before = [q, z];
        self
    }

    /// The same where an operator of a scheme was built for a stiffness, and k + k2 must stay below this one.
    pub fn bounded(mut self, bound: f64) -> Self {
        self.bound = bound;
        self
    }

    /// What bounds its stiffness.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Where it was last, m.
    pub fn deformation(&self) -> f64 {
        self.before[0]
    }

    /// Its parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.now
    }

    /// Energy that changes of parameters gave it, J.
    pub fn gained(&self) -> f64 {
        self.gained
    }

    /// What the tank may give over the run so far, J. What was dissipated does not come back: that its sum falls is an error of the sum.
    pub fn tank(&self) -> f64 {
        self.tank * (self.spent + self.most)
    }

    /// What it has dissipated, J.
    pub fn dissipated(&self) -> f64 {
        self.dissipated
    }

    /// Largest deformation so far, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Steps in which a change waited for its tank.
    pub fn waited(&self) -> u64 {
        self.waited
    }

    /// Largest gain over what the tank held then.
    pub fn fullest(&self) -> f64 {
        self.fullest
    }

    /// Follows the element to a deformation, where its state is `z` (of a linear law: the force of its dashpot).
    pub fn follow(&mut self, q: f64, z: f64) {
        let [last, before] = self.before;
        let (k, mean) = (self.now[0], 0.5 * (z + before));
        let (work, stored) = match self.kind {
            Kind::Hysteretic => (mean * (q - last), (z * z - before * before) / (2.0 * k)),
            Kind::Slider => (k * mean * (q - last), 0.5 * k * (z * z - before * before)),
            Kind::Terms(_) => (mean * (q - last), 0.0),
        };
        self.dissipated += work - stored;
        self.spent = self.spent.max(self.dissipated);
        self.before = [q, z];
        self.reach = self.reach.max(q.abs());
        let stored = match self.kind {
            Kind::Terms(terms) => terms.stored(&self.now, q),
            Kind::Hysteretic => 0.5 * self.now[4] * q * q + 0.5 * z * z / k,
            Kind::Slider => 0.5 * (self.now[4] * q * q + k * z * z),
        };
        self.most = self.most.max(stored);
    }

    /// Changes its parameters as those of its teacher changed from `first` to `used`, as far as its tank allows.
    pub fn learn(&mut self, first: &Parameters, used: &Parameters, free: &[bool; COUNT]) -> Change {
        let mut goal = self.now;
        for i in (0..COUNT).filter(|&i| free[i]) {
            goal[i] = self.initial[i] * (used[i] / first[i]);
        }
        let stiffness = |x: &Parameters| match self.kind {
            Kind::Terms(terms) => terms.stiffness(x, self.reach),
            _ => x[0] + x[4],
        };
        if stiffness(&goal) > self.bound.max(stiffness(&self.now)) {
            [0, 4, 6].iter().for_each(|&i| goal[i] = self.now[i]);
            self.waited += 1;
        }
        if goal == self.now {
            return Change::default();
        }
        let [q, z] = self.before;
        let budget = (self.tank() - self.gained).max(0.0);
        let energy = match self.kind {
            Kind::Hysteretic | Kind::Slider => self.hysteretic(&mut goal, q, z, budget),
            Kind::Terms(terms) => {
                let energy = terms.stored(&goal, q) - terms.stored(&self.now, q);
                if energy > budget {
                    // Linear in the parameters.
                    let share = budget / energy;
                    for (goal, now) in goal.iter_mut().zip(&self.now) {
                        *goal = if share > 0.0 { now + share * (*goal - now) } else { *now };
                    }
                    self.waited += 1;
                }
                energy.min(budget)
            }
        };
        let changed = goal != self.now;
        self.now = goal;
        self.gained += energy;
        if self.gained > 0.0 {
            self.fullest = self.fullest.max(self.gained / self.tank());
        }
        Change { changed, energy }
    }

    fn hysteretic(&mut self, goal: &mut Parameters, q: f64, z: f64, budget: f64) -> f64 {
        let now = &self.now;
        let slides = self.kind == Kind::Slider;
        let kept = if slides { goal[0] - now[0] } else { 1.0 / goal[0] - 1.0 / now[0] };
        let mut gains = [0.5 * z * z * kept, 0.5 * (goal[4] - now[4]) * q * q];
        // What takes energy changes at once, what gives some as far as a share pays for it.
        let most = self.share * budget;
        let dear = [gains[0] > most, gains[1] > most];
        for (i, place) in [(0, 0), (1, 4)].into_iter().filter(|(i, _)| dear[*i]) {
            let share = most / gains[i];
            goal[place] = match share > 0.0 {
                true if slides || place == 4 => now[place] + share * (goal[place] - now[place]),
                true => 1.0 / ((1.0 - share) / now[0] + share / goal[0]),
                false => now[place],
            };
            gains[i] *= share;
        }
        self.waited += u64::from(dear[0] || dear[1]);
        let energy = gains[0] + gains[1];
        // The strength waits above the present force; a state beyond it, as a step leaves it, is no reason to rise.
        let (force, own) = if slides { (goal[0] * z.abs(), now[1] * goal[0] / now[0]) } else { (z.abs(), now[1]) };
        if goal[1] < force {
            goal[1] = force.min(own.max(goal[1]));
        }
        energy
    }
}

impl Persist for Pupil {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(&mut self.now);
        let own = [
            &mut self.dissipated,
            &mut self.spent,
            &mut self.gained,
            &mut self.most,
            &mut self.fullest,
            &mut self.reach,
        ];
        archive.numbers(own);
        archive.numbers(&mut self.before);
        archive.whole(&mut self.waited);
    }
}
