//! A material that is a formula of the model file: stress from strain, from its rate, and from numbers that it remembers.

use super::combined::{Library, Read, Write};
use super::{Pace, strain_rate};
use crate::element::info::Info;
use crate::expr::Program;
use crate::{Dual, Scalar};

/// A program of the library. Inputs: strain, rate, what it remembers; outputs: stress, what it remembers next.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// Range of its instructions.
    pub code: [usize; 2],
    /// Range of its constants.
    pub constants: [usize; 2],
    /// First of its outputs.
    pub outputs: usize,
    /// Registers.
    pub registers: usize,
    /// Numbers that it remembers; those of the beginning stand behind its constants.
    pub count: usize,
    /// Whether the rate is in it.
    pub rate: bool,
    /// Factors from SI to strain and rate of the formula, and from its stress to SI.
    pub scale: [f64; 3],
}

impl Formula {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "formula",
        title: "a formula of the model file",
        equations: &["s = stress(e, rate, states), states' = next(e, rate, states)"],
        reference: "yours",
        options: &[
            ("stress", "stress as a formula of the strain `e`, its rate `rate` and the states"),
            ("states", "what it remembers: each with the formula of its value after the increment"),
            ("initial", "values of the states at the beginning (default: 0)"),
            ("parameters", "constants of this material"),
        ],
        ..Info::SPRING_LIKE
    };

    /// Strain, time and rate where the rate is in it, then the states.
    pub(super) fn history(&self) -> usize {
        self.paced() + self.count
    }

    /// Nobody knows what its states are.
    pub(super) fn mixes(&self, _: &Library<'_>) -> bool {
        self.count == 0
    }

    fn paced(&self) -> usize {
        if self.rate { 3 } else { 0 }
    }

    pub(super) fn viscous(&self) -> bool {
        self.rate
    }

    pub(super) fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
        let (pace, states) = h.split_at_mut(self.paced() * count);
        pace.fill(0.0);
        let initial = &library.constants[self.constants[1]..self.constants[1] + self.count];
        for (i, x) in initial.iter().enumerate() {
            states[i * count..(i + 1) * count].fill(*x);
        }
    }

    pub(super) fn advance<T: Scalar>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        match self.registers {
            0..=16 => self.run::<T, 16>(library, history, e, pace, keep),
            17..=64 => self.run::<T, 64>(library, history, e, pace, keep),
            _ => self.run::<T, { crate::expr::MAX_REGISTERS }>(library, history, e, pace, keep),
        }
    }

    fn run<T: Scalar, const N: usize>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        let mut r = [Dual::<T>::constant(0.0); N];
        r[0] = e * self.scale[0];
        let old = |i: usize| Dual { re: history(i), eps: T::constant(0.0) };
        let mut next = [Dual::constant(0.0); 3];
        if self.rate {
            let rate;
            (rate, next) = strain_rate(&[old(0), old(1), old(2)], e, pace);
            r[1] = rate * self.scale[1];
        }
        let paced = self.paced();
        (0..self.count).for_each(|i| r[2 + i] = old(paced + i));
        let range = |[first, end]: [usize; 2]| first..end;
        let program = Program {
            code: &library.code[range(self.code)],
            constants: &library.constants[range(self.constants)],
            registers: self.registers,
            outputs: &library.outputs[self.outputs..self.outputs + 1 + self.count],
        };
        program.execute(&mut r);
        (0..paced).for_each(|i| keep(i, next[i].re));
        (0..self.count).for_each(|i| keep(paced + i, r[program.outputs[1 + i] as usize].re));
        r[program.outputs[0] as usize] * self.scale[2]
    }
}
