//! Register programs: formulas of a model file in the form in which they run.
//!
//! A program reads its inputs from registers 0, 1, ..., computes in place and names the registers that
//! hold its outputs. It is a straight line: no jumps, so its running time does not depend on the values.
//! Bounds: at most 256 registers and 65536 constants; nothing is allocated. A program accepted by
//! [`Program::validate`] never indexes out of range.
//! **Must not be here:** the parser and the compiler, which live beside the model file.

use crate::Scalar;

/// Number of a register.
pub type Reg = u8;

/// Most registers a program may have.
pub const MAX_REGISTERS: usize = 256;

/// One instruction. The first field is the register written, the others are the registers read; `k` is
/// the index of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instr {
    /// d = constant k.
    Const(Reg, u16),
    /// d = -a.
    Neg(Reg, Reg),
    /// d = |a|.
    Abs(Reg, Reg),
    /// d = sign(a).
    Sign(Reg, Reg),
    /// d = square root of a.
    Sqrt(Reg, Reg),
    /// d = e^a.
    Exp(Reg, Reg),
    /// d = natural logarithm of a.
    Ln(Reg, Reg),
    /// d = sin a.
    Sin(Reg, Reg),
    /// d = cos a.
    Cos(Reg, Reg),
    /// d = tan a.
    Tan(Reg, Reg),
    /// d = asin a.
    Asin(Reg, Reg),
    /// d = acos a.
    Acos(Reg, Reg),
    /// d = atan a.
    Atan(Reg, Reg),
    /// d = tanh a.
    Tanh(Reg, Reg),
    /// d = a + b.
    Add(Reg, Reg, Reg),
    /// d = a - b.
    Sub(Reg, Reg, Reg),
    /// d = a b.
    Mul(Reg, Reg, Reg),
    /// d = a / b.
    Div(Reg, Reg, Reg),
    /// d = a^b.
    Pow(Reg, Reg, Reg),
    /// d = larger of a and b.
    Max(Reg, Reg, Reg),
    /// d = smaller of a and b.
    Min(Reg, Reg, Reg),
    /// d = a + k.
    AddC(Reg, Reg, u16),
    /// d = k - a.
    RevSubC(Reg, Reg, u16),
    /// d = k a.
    MulC(Reg, Reg, u16),
    /// d = a / k.
    DivC(Reg, Reg, u16),
    /// d = k / a.
    RevDivC(Reg, Reg, u16),
    /// d = a^k.
    PowC(Reg, Reg, u16),
    /// d = a where c >= 0, else b: fields d, c, a, b.
    Select(Reg, Reg, Reg, Reg),
    /// d = a b + c, rounded twice: two instructions in one.
    MulAdd(Reg, Reg, Reg, Reg),
    /// d = c - a b.
    SubMul(Reg, Reg, Reg, Reg),
    /// d = k a + c: fields d, a, c, k.
    MulCAdd(Reg, Reg, Reg, u16),
    /// d = c - k a: fields d, a, c, k.
    SubMulC(Reg, Reg, Reg, u16),
}

impl Instr {
    /// Register written, registers read, constant read.
    pub fn operands(&self) -> (Reg, [Option<Reg>; 3], Option<u16>) {
        use Instr::*;
        match *self {
            Const(d, k) => (d, [None; 3], Some(k)),
            Neg(d, a)
            | Abs(d, a)
            | Sign(d, a)
            | Sqrt(d, a)
            | Exp(d, a)
            | Ln(d, a)
            | Sin(d, a)
            | Cos(d, a)
            | Tan(d, a)
            | Asin(d, a)
            | Acos(d, a)
            | Atan(d, a)
            | Tanh(d, a) => (d, [Some(a), None, None], None),
            Add(d, a, b) | Sub(d, a, b) | Mul(d, a, b) | Div(d, a, b) | Pow(d, a, b) | Max(d, a, b) | Min(d, a, b) => {
                (d, [Some(a), Some(b), None], None)
            }
            AddC(d, a, k) | RevSubC(d, a, k) | MulC(d, a, k) | DivC(d, a, k) | RevDivC(d, a, k) | PowC(d, a, k) => {
                (d, [Some(a), None, None], Some(k))
            }
            Select(d, a, b, c) | MulAdd(d, a, b, c) | SubMul(d, a, b, c) => (d, [Some(a), Some(b), Some(c)], None),
            MulCAdd(d, a, b, k) | SubMulC(d, a, b, k) => (d, [Some(a), Some(b), None], Some(k)),
        }
    }
}

/// A straight-line program over borrowed memory.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Instructions in order.
    pub code: &'a [Instr],
    /// Constants.
    pub constants: &'a [f64],
    /// Registers needed; the inputs occupy the first ones.
    pub registers: usize,
    /// Registers that hold the outputs at the end.
    pub outputs: &'a [u16],
}

impl Program<'_> {
    /// Whether every register and constant named by the program exists, with `inputs` inputs. A program
    /// that passes runs without panic on slices at least as long as [`Program::registers`] and
    /// [`Program::outputs`] ask for.
    pub fn validate(&self, inputs: usize) -> bool {
        let register = |r: usize| r < self.registers;
        self.registers <= MAX_REGISTERS
            && inputs <= self.registers
            && self.outputs.iter().all(|&o| register(o as usize))
            && self.code.iter().all(|i| {
                let (d, read, k) = i.operands();
                register(d as usize)
                    && read.iter().flatten().all(|&r| register(r as usize))
                    && k.is_none_or(|k| (k as usize) < self.constants.len())
            })
    }

    /// Copies the inputs into the first registers, executes, and copies the outputs to `out`.
    /// Needs `registers.len() >= self.registers >= inputs.len()` and `out.len() >= self.outputs.len()`.
    #[inline]
    pub fn run<T: Scalar>(&self, inputs: &[T], registers: &mut [T], out: &mut [T]) {
        registers[..inputs.len()].copy_from_slice(inputs);
        self.execute(registers);
        for (y, &o) in out.iter_mut().zip(self.outputs) {
            *y = registers[o as usize];
        }
    }

    /// Executes on registers whose first ones already hold the inputs; the outputs stay in the registers
    /// named by [`Program::outputs`].
    #[inline]
    pub fn execute<T: Scalar>(&self, registers: &mut [T]) {
        use Instr::*;
        let r = &mut registers[..self.registers];
        let c = self.constants;
        macro_rules! unary {
            ($d:ident, $a:ident, $f:ident) => {
                r[$d as usize] = r[$a as usize].$f()
            };
        }
        macro_rules! binary {
            ($d:ident, $a:ident, $op:tt, $b:ident) => {
                r[$d as usize] = r[$a as usize] $op r[$b as usize]
            };
        }
        for i in self.code {
            match *i {
                Const(d, k) => r[d as usize] = T::constant(c[k as usize]),
                Neg(d, a) => r[d as usize] = -r[a as usize],
                Abs(d, a) => unary!(d, a, abs),
                Sign(d, a) => unary!(d, a, sign),
                Sqrt(d, a) => unary!(d, a, sqrt),
                Exp(d, a) => unary!(d, a, exp),
                Ln(d, a) => unary!(d, a, ln),
                Sin(d, a) => unary!(d, a, sin),
                Cos(d, a) => unary!(d, a, cos),
                Tan(d, a) => unary!(d, a, tan),
                Asin(d, a) => unary!(d, a, asin),
                Acos(d, a) => unary!(d, a, acos),
                Atan(d, a) => unary!(d, a, atan),
                Tanh(d, a) => unary!(d, a, tanh),
                Add(d, a, b) => binary!(d, a, +, b),
                Sub(d, a, b) => binary!(d, a, -, b),
                Mul(d, a, b) => binary!(d, a, *, b),
                Div(d, a, b) => binary!(d, a, /, b),
                Pow(d, a, b) => r[d as usize] = r[a as usize].pow(r[b as usize]),
                Max(d, a, b) => r[d as usize] = r[a as usize].max(r[b as usize]),
                Min(d, a, b) => r[d as usize] = r[a as usize].min(r[b as usize]),
                AddC(d, a, k) => r[d as usize] = r[a as usize] + c[k as usize],
                RevSubC(d, a, k) => r[d as usize] = -r[a as usize] + c[k as usize],
                MulC(d, a, k) => r[d as usize] = r[a as usize] * c[k as usize],
                DivC(d, a, k) => r[d as usize] = r[a as usize] / c[k as usize],
                RevDivC(d, a, k) => r[d as usize] = T::constant(c[k as usize]) / r[a as usize],
                PowC(d, a, k) => r[d as usize] = r[a as usize].powf(c[k as usize]),
                Select(d, s, a, b) => r[d as usize] = r[s as usize].select(r[a as usize], r[b as usize]),
                MulAdd(d, a, b, s) => r[d as usize] = r[a as usize] * r[b as usize] + r[s as usize],
                SubMul(d, a, b, s) => r[d as usize] = r[s as usize] - r[a as usize] * r[b as usize],
                MulCAdd(d, a, s, k) => r[d as usize] = r[a as usize] * c[k as usize] + r[s as usize],
                SubMulC(d, a, s, k) => r[d as usize] = r[s as usize] - r[a as usize] * c[k as usize],
            }
        }
    }
}
