//! The element whose forces and state rates are formulas of the model file.

use interfield_kernel::element::{Element, Tangent};
use interfield_kernel::expr::MAX_REGISTERS;
use interfield_kernel::{Dual, Lanes, Scalar};

use super::compile::{Compiled, FormulaError, compile};
use super::parse::{ExprError, is_name, is_reserved};
use crate::units::{Dimension, UnitSystem};

/// What an element defined by formulas is made of. The numbers in the formulas are in the unit system of
/// the file if [`FormulaSpec::in_units`] was called, else in SI.
#[derive(Clone, Debug, Default)]
pub struct FormulaSpec {
    /// Names of the coordinates.
    pub q: Vec<String>,
    /// Names of their rates, as many.
    pub v: Vec<String>,
    /// Names of the states.
    pub s: Vec<String>,
    /// One formula per coordinate.
    pub forces: Vec<String>,
    /// One formula per state.
    pub rates: Vec<String>,
    /// Parameters.
    pub constants: Vec<(String, f64)>,
    /// Factors from SI to the inputs of the formulas, in the order q, v, s, t; empty: all 1.
    pub input_scale: Vec<f64>,
    /// Factors from the results of the formulas to SI, forces then rates; empty: all 1.
    pub output_scale: Vec<f64>,
}

impl FormulaSpec {
    /// Lets the formulas compute in the units of a file: `q` and `s` are the dimensions of the coordinates
    /// (LENGTH or NONE) and of the states. The constants are to be given in the same units
    /// ([`crate::quantity::Scope::constants`]).
    pub fn in_units(mut self, units: &UnitSystem, q: &[Dimension], s: &[Dimension]) -> Self {
        let rate = |d: &Dimension| d.per(Dimension::TIME);
        let force = |d: &Dimension| Dimension::MOMENT.per(*d);
        let inputs = q.iter().copied().chain(q.iter().map(rate)).chain(s.iter().copied()).chain([Dimension::TIME]);
        self.input_scale = inputs.map(|d| 1.0 / units.factor(d)).collect();
        self.output_scale = q.iter().map(force).chain(s.iter().map(rate)).map(|d| units.factor(d)).collect();
        self
    }
}

/// Derivatives that one run of a program gives: with more, small elements would compute what nobody asks for.
const DIRECTIONS: usize = 4;

/// An element whose forces and state rates are formulas. Nothing is allocated when it runs; registers live
/// on the stack in arrays of 8, 16, 64 or 256.
#[derive(Clone, Debug)]
pub struct FormulaElement {
    spec: FormulaSpec,
    compiled: Compiled,
    d: usize,
    s: usize,
    input_scale: Vec<f64>,
    output_scale: Vec<f64>,
}

impl FormulaElement {
    /// Compiles an element. `formula` of an error counts the forces first, then the rates. Numbers of names
    /// and formulas must agree.
    pub fn new(spec: &FormulaSpec) -> Result<Self, Vec<FormulaError>> {
        let (d, s) = (spec.q.len(), spec.s.len());
        let one = |message: String| {
            let length = spec.forces.first().map_or(0, String::len);
            let error = ExprError::new(0..length, message).help(
                "give coordinates, their rates and the states different names; functions, `pi` and `t` are taken",
            );
            Err(vec![FormulaError { formula: 0, error }])
        };
        if spec.v.len() != d || spec.forces.len() != d || spec.rates.len() != s || d == 0 {
            return one(format!(
                "{d} coordinates and {s} states need as many rates and formulas, found {} rate names, {} forces, {} state rates",
                spec.v.len(),
                spec.forces.len(),
                spec.rates.len()
            ));
        }
        let mut variables: Vec<String> = [&spec.q, &spec.v, &spec.s].into_iter().flatten().cloned().collect();
        variables.push("t".to_string());
        for (i, name) in variables.iter().enumerate() {
            if !is_name(name) || is_reserved(name) {
                return one(format!("`{name}` cannot be the name of a variable"));
            }
            if variables[..i].contains(name) {
                return one(format!("two variables have the name `{name}`"));
            }
        }
        let formulas: Vec<String> = spec.forces.iter().chain(&spec.rates).cloned().collect();
        let compiled = compile(&formulas, &variables, &spec.constants)?;
        let scale = |given: &[f64], n: usize| if given.len() == n { given.to_vec() } else { vec![1.0; n] };
        Ok(Self {
            spec: spec.clone(),
            d,
            s,
            input_scale: scale(&spec.input_scale, variables.len()),
            output_scale: scale(&spec.output_scale, d + s),
            compiled,
        })
    }

    /// Whether the tangent is symmetric for certain: only with one coordinate.
    pub fn symmetric(&self) -> bool {
        self.d == 1
    }

    /// What it is made of.
    pub fn spec(&self) -> &FormulaSpec {
        &self.spec
    }

    /// Its constants that its formulas mention.
    pub fn constants(&self) -> impl Iterator<Item = &(String, f64)> {
        let mentioned = |name: &str, formula: &str| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            formula.match_indices(name).any(|(at, _)| {
                let before = formula[..at].chars().next_back().is_none_or(|c| !word(c));
                before && formula[at + name.len()..].chars().next().is_none_or(|c| !word(c))
            })
        };
        let all = move |c: &&(String, f64)| self.spec.forces.iter().chain(&self.spec.rates).any(|f| mentioned(&c.0, f));
        self.spec.constants.iter().filter(all)
    }

    /// The same with some of its constants as states that keep their values, behind its own: what differentiates by states then
    /// differentiates by constants.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn opened(&self, constants: &[&str]) -> Result<Self, Vec<FormulaError>> {
        let mut spec = self.spec.clone();
        spec.constants.retain(|c| !constants.contains(&c.0.as_str()));
        spec.s.extend(constants.iter().map(|c| (*c).to_owned()));
        spec.rates.extend(constants.iter().map(|_| "0".to_owned()));
        let states = self.d * 2 + self.s;
        if !spec.input_scale.is_empty() {
            spec.input_scale.splice(states..states, constants.iter().map(|_| 1.0));
        }
        if !spec.output_scale.is_empty() {
            spec.output_scale.extend(constants.iter().map(|_| 1.0));
        }
        FormulaElement::new(&spec)
    }

    /// The program, for listings and code generation.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Forces `p` and state rates `g` in any scalar.
    pub fn evaluate<T: Scalar>(&self, t: T, q: &[T], v: &[T], s: &[T], p: &mut [T], g: &mut [T]) {
        let program = self.compiled.program();
        let mut r = [T::constant(0.0); MAX_REGISTERS];
        let inputs = q.iter().chain(v).chain(s).chain([&t]);
        for ((r, x), scale) in r.iter_mut().zip(inputs).zip(&self.input_scale) {
            *r = *x * *scale;
        }
        program.execute(&mut r);
        let outputs = program.outputs.iter().zip(&self.output_scale);
        for (y, (o, scale)) in p.iter_mut().chain(g).zip(outputs) {
            *y = r[*o as usize] * *scale;
        }
    }

    fn respond<const N: usize>(&self, t: f64, x: [&[f64]; 3], p: &mut [f64], g: &mut [f64]) {
        let mut r = [0.0f64; N];
        self.load(&mut r, t, x);
        let program = self.compiled.program();
        program.execute(&mut r);
        let (outputs, scale) = (program.outputs, &self.output_scale[..]);
        for i in 0..self.d {
            p[i] = r[outputs[i] as usize] * scale[i];
        }
        for i in 0..self.s {
            g[i] = r[outputs[self.d + i] as usize] * scale[self.d + i];
        }
    }

    /// Scaled inputs into the first registers.
    #[inline]
    fn load<T: Scalar>(&self, r: &mut [T], t: f64, [q, v, s]: [&[f64]; 3]) {
        let (d, scale) = (self.d, &self.input_scale[..]);
        for i in 0..d {
            r[i] = T::constant(q[i] * scale[i]);
            r[d + i] = T::constant(v[i] * scale[d + i]);
        }
        for i in 0..self.s {
            r[2 * d + i] = T::constant(s[i] * scale[2 * d + i]);
        }
        r[2 * d + self.s] = T::constant(t * scale[2 * d + self.s]);
    }

    fn derive<const N: usize>(&self, t: f64, x: [&[f64]; 3], out: Tangent<'_>) {
        let program = self.compiled.program();
        let (d, s) = (self.d, self.s);
        let mut r = [Dual::<Lanes<DIRECTIONS>>::constant(0.0); N];
        for j in 0..2 * d + s {
            let lane = j % DIRECTIONS;
            let these = j..(j + DIRECTIONS).min(2 * d + s);
            if lane == 0 && these.clone().any(|j| self.compiled.depends_on(j)) {
                // The program may have overwritten its inputs.
                self.load(&mut r, t, x);
                these.for_each(|j| r[j].eps.0[j % DIRECTIONS] = self.input_scale[j]);
                program.execute(&mut r);
            }
            let depends = self.compiled.depends_on(j);
            let eps = |i: usize| {
                if depends { r[program.outputs[i] as usize].eps.0[lane] * self.output_scale[i] } else { 0.0 }
            };
            let (p, g, column, width): (&mut [f64], &mut [f64], usize, usize) = match j {
                j if j < d => (&mut *out.k, &mut *out.a, j, d),
                j if j < 2 * d => (&mut *out.c, &mut *out.b, j - d, d),
                j => (&mut *out.r, &mut *out.e, j - 2 * d, s),
            };
            for i in 0..d {
                p[i * width + column] = eps(i);
            }
            for i in 0..s {
                g[i * width + column] = eps(d + i);
            }
        }
    }
}

impl Element for FormulaElement {
    fn size(&self) -> (usize, usize) {
        (self.d, self.s)
    }

    fn has_mass(&self) -> bool {
        false
    }

    fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        match self.compiled.registers {
            0..=8 => self.respond::<8>(t, [q, v, s], p, g),
            9..=16 => self.respond::<16>(t, [q, v, s], p, g),
            17..=64 => self.respond::<64>(t, [q, v, s], p, g),
            _ => self.respond::<MAX_REGISTERS>(t, [q, v, s], p, g),
        }
    }

    fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], _acc: &[f64], out: Tangent<'_>) {
        match self.compiled.registers {
            0..=8 => self.derive::<8>(t, [q, v, s], out),
            9..=16 => self.derive::<16>(t, [q, v, s], out),
            17..=64 => self.derive::<64>(t, [q, v, s], out),
            _ => self.derive::<MAX_REGISTERS>(t, [q, v, s], out),
        }
    }

    fn mass(&self, _q: &[f64], m: &mut [f64]) {
        m[..self.d * self.d].fill(0.0);
    }
}
