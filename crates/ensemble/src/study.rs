//! What is varied: axes that span a grid, and parameters drawn at random for each point of it.

use interfield_motion::random::SplitMix64;

use crate::values::{Distribution, Setting, Values};

/// What a variable replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A parameter of the model.
    Parameter,
    /// The record of the ground motion.
    Record,
    /// The intensity to which the ground motion is scaled.
    Scale,
}

/// A variable with a list of values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// What it replaces.
    pub role: Role,
    /// Its values.
    pub values: Values,
}

/// A parameter drawn from a distribution.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Its name.
    pub name: String,
    /// Unit of its numbers.
    pub unit: String,
    /// Where they come from.
    pub distribution: Distribution,
}

/// How draws are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Latin hypercube (McKay, Beckman & Conover 1979): each parameter falls once into each of N slices of equal probability.
    Latin,
    /// Each draw independent of all others.
    Random,
}

impl Sampling {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Latin => "latin",
            Self::Random => "random",
        }
    }
}

/// Everything that is varied.
#[derive(Clone, Debug)]
pub struct Study {
    /// Axes of the grid; the last one changes fastest.
    pub axes: Vec<Axis>,
    /// Parameters drawn at random, the same draws at each point of the grid: differences along an axis are due to the axis.
    pub draws: Vec<Draw>,
    /// Draws at each point.
    pub samples: usize,
    /// How they are taken.
    pub sampling: Sampling,
    /// What they start from.
    pub seed: u64,
}

/// One variable of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Unit of its numbers.
    pub unit: &'a str,
    /// What it replaces.
    pub role: Role,
}

/// One case: a value for each variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its number, from 0.
    pub index: usize,
    /// Values in the order of [`Study::variables`].
    pub values: Vec<Setting>,
}

impl Study {
    /// The variables: axes, then draws.
    pub fn variables(&self) -> Vec<Variable<'_>> {
        let axes = self.axes.iter().map(|a| Variable { name: &a.name, unit: &a.values.unit, role: a.role });
        let draws = self.draws.iter().map(|d| Variable { name: &d.name, unit: &d.unit, role: Role::Parameter });
        axes.chain(draws).collect()
    }

    /// Number of cases; `None` beyond all bounds.
    pub fn count(&self) -> Option<usize> {
        let samples = if self.draws.is_empty() { 1 } else { self.samples };
        self.axes.iter().try_fold(samples, |n, axis| n.checked_mul(axis.values.list.len()))
    }

    /// All cases in their order: the last axis changes faster than those before it, draws fastest of all.
    pub fn cases(&self) -> Vec<Case> {
        let drawn = self.drawn();
        let mut points: Vec<Vec<Setting>> = vec![Vec::new()];
        for axis in &self.axes {
            let along = |point: &Vec<Setting>| -> Vec<Vec<Setting>> {
                let with = |value: &Setting| point.iter().chain([value]).cloned().collect();
                axis.values.list.iter().map(with).collect()
            };
            points = points.iter().flat_map(along).collect();
        }
        let values = points.iter().flat_map(|p| drawn.iter().map(move |d| p.iter().chain(d).cloned().collect()));
        values.enumerate().map(|(index, values)| Case { index, values }).collect()
    }

    /// The draws: for each sample a value of each drawn parameter. One empty sample if nothing is drawn.
    fn drawn(&self) -> Vec<Vec<Setting>> {
        if self.draws.is_empty() {
            return vec![Vec::new()];
        }
        let n = self.samples;
        let mut chance = SplitMix64::new(self.seed);
        let columns: Vec<Vec<Setting>> = self
            .draws
            .iter()
            .map(|draw| {
                let slices = permutation(n, &mut chance);
                let value = |slice: usize| {
                    // Away from 0 and 1, where a normal distribution has no end.
                    let u = chance.uniform().max(f64::EPSILON);
                    let p = if self.sampling == Sampling::Latin { (slice as f64 + u) / n as f64 } else { u };
                    Setting::number(draw.distribution.quantile(p.min(1.0 - f64::EPSILON)), &draw.unit)
                };
                slices.into_iter().map(value).collect()
            })
            .collect();
        (0..n).map(|i| columns.iter().map(|c| c[i].clone()).collect()).collect()
    }
}

/// The numbers below `n` in random order (Fisher and Yates).
fn permutation(n: usize, chance: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let j = (u128::from(chance.next_u64()) * (i as u128 + 1)) >> 64;
        order.swap(i, j as usize);
    }
    order
}
