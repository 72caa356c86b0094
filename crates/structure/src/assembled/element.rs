//! How elements are stored for the loop, and the small products they need.

use interfield_kernel::element::{
    AnyLaw, Element, Tangent,
    block::Block,
    path::{MEMORY, PathLaw},
};

use interfield_language::formula::FormulaElement;
use interfield_language::model::{BlockData, FramePart};

use super::frame;
use super::slow::Held;

/// An element as it is stored for the loop.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A law of the kernel.
    Law(AnyLaw),
    /// A law of the kernel that evaluations move.
    Path(PathLaw),
    /// A part of a nonlinear frame.
    Frame(Box<FramePart>),
    /// Formulas of the model file.
    Formula(Box<FormulaElement>),
    /// A linear block.
    Block(Box<BlockData>),
}

impl Stored {
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&dyn Element) -> R) -> R {
        match self {
            Stored::Law(x) => f(x),
            Stored::Path(x) => f(x),
            Stored::Frame(x) => f(&frame::AtRest(x)),
            Stored::Formula(x) => f(x.as_ref()),
            Stored::Block(x) => f(&block(x)),
        }
    }

    /// The law that those take it for who know it at rest only.
    pub(crate) fn taken_for<R>(&self, f: impl FnOnce(&dyn Element) -> R) -> R {
        match self {
            Stored::Block(x) => f(&block(x.taken_for.as_ref().unwrap_or(x))),
            other => other.with(f),
        }
    }

    /// Forces and state rates, see [`Element::response`].
    #[inline]
    pub fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        match self {
            Stored::Law(x) => x.response(t, q, v, s, p, g),
            other => other.with(|e| e.response(t, q, v, s, p, g)),
        }
    }

    /// Exact tangent, see [`Element::tangent`].
    #[inline]
    pub fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], acc: &[f64], out: Tangent<'_>) {
        match self {
            Stored::Law(x) => x.tangent(t, q, v, s, acc, out),
            other => other.with(|e| e.tangent(t, q, v, s, acc, out)),
        }
    }

    /// Numbers that it remembers of its evaluations.
    pub fn memory(&self) -> usize {
        match self {
            Stored::Path(_) => MEMORY,
            Stored::Frame(frame) => frame::memory(frame),
            _ => 0,
        }
    }

    /// Coordinates, states, and whether it carries mass.
    pub fn shape(&self) -> (usize, usize, bool) {
        self.with(|e| (e.size().0, e.size().1, e.has_mass()))
    }
}

fn block(x: &BlockData) -> Block<'_> {
    let BlockData { inputs, states, a, b, bv, c, d, dv, .. } = x;
    Block { coordinates: *inputs, states: *states, a, b, bv, c, d, dv }
}

/// A local coordinate: (unknown, factor). Unknowns from `n` on are imposed degrees of freedom.
pub type Row = Vec<(u32, f64)>;

/// One element with its connectivity, as [`super::Assembled::new`] takes it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The law.
    pub law: Stored,
    /// One row per coordinate.
    pub rows: Vec<Row>,
    /// Estimated stiffness and damping for [`interfield_language::model::TangentPolicy::Given`], row by row over its coordinates.
    pub given: Option<[Vec<f64>; 2]>,
    /// Motion of its coordinates when the ground moves by one: per base acceleration, per coordinate. Held degrees
    /// of freedom move with the ground too. Only read for elements with mass.
    pub ground: Vec<f64>,
}

pub(super) struct Entry {
    pub(super) law: Stored,
    pub(super) d: usize,
    pub(super) s: usize,
    pub(super) massive: bool,
    pub(super) given: Option<[Vec<f64>; 2]>,
    pub(super) ground: Vec<f64>,
    /// First of its rows, counted over all elements.
    pub(super) row0: usize,
    /// First of its states.
    pub(super) state0: usize,
    /// Start of its memory, if it has one, and its length.
    pub(super) memory0: usize,
    pub(super) memory: usize,
    /// Start of its tangent blocks [K C R A B E M].
    pub(super) tangent0: usize,
    /// Start of its eliminated blocks [(mI - cE)⁻¹, cB + kA] in every operator.
    pub(super) eliminated0: usize,
    /// Its range in `scatter`.
    pub(super) scatter: std::ops::Range<usize>,
    /// Set for elements that take the short way.
    pub(super) line: Option<Line>,
    /// What stands in its place while a coupling computes it.
    pub(super) held: Option<Held>,
}

/// The unknowns of an element with one coordinate between at most two free degrees of freedom, at most one state and no
/// mass: springs, dampers, hysteretic laws. Structures have them by the hundred, and going through the general loops
/// takes twice as long. A missing end has the factor zero.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) at: [u32; 2],
    pub(super) factor: [f64; 2],
}

impl Line {
    pub(super) fn new(rows: &[Row], states: usize, massive: bool, n: usize) -> Option<Self> {
        let free = |&(i, _): &(u32, f64)| (i as usize) < n;
        match rows {
            [row] if states <= 1 && !massive && row.iter().all(free) => match row[..] {
                [a] => Some(Line { at: [a.0, a.0], factor: [a.1, 0.0] }),
                [a, b] => Some(Line { at: [a.0, b.0], factor: [a.1, b.1] }),
                _ => None,
            },
            _ => None,
        }
    }

    #[inline]
    pub(super) fn gather(&self, x: &[f64]) -> f64 {
        self.factor[0] * x[self.at[0] as usize] + self.factor[1] * x[self.at[1] as usize]
    }

    #[inline]
    pub(super) fn scatter(&self, p: f64, r: &mut [f64]) {
        r[self.at[0] as usize] += self.factor[0] * p;
        r[self.at[1] as usize] += self.factor[1] * p;
    }
}

/// The tangent blocks of an element with one coordinate and one state.
#[inline]
pub(super) fn with_state(tangents: &[f64], e: &Entry) -> [f64; 6] {
    let mut blocks = [0.0; 6];
    blocks.copy_from_slice(&tangents[e.tangent0..e.tangent0 + 6]);
    blocks
}

/// Where a local d x d matrix goes: values[position] += factor * local[index].
#[derive(Clone, Copy)]
pub(super) struct Scatter {
    pub(super) index: u32,
    pub(super) position: u32,
    pub(super) factor: f64,
}

impl Entry {
    pub(super) fn blocks<'a>(&self, t: &'a [f64]) -> [&'a [f64]; 7] {
        let (d, s) = (self.d, self.s);
        let mut rest = &t[self.tangent0..];
        [d * d, d * d, d * s, s * d, s * d, s * s, if self.massive { d * d } else { 0 }].map(|len| {
            let (block, tail) = rest.split_at(len);
            rest = tail;
            block
        })
    }
}

/// Σ factor * x over a row; imposed columns take their value from `imposed`.
#[inline]
pub(crate) fn gather(row: &[(u32, f64)], free: &[f64], imposed: &[f64]) -> f64 {
    row.iter()
        .map(|&(i, f)| {
            let i = i as usize;
            f * if i < free.len() { free[i] } else { imposed.get(i - free.len()).copied().unwrap_or(0.0) }
        })
        .sum()
}

/// y += A x for a row-major matrix with `x.len()` columns.
#[inline]
pub(super) fn mul_add(a: &[f64], x: &[f64], y: &mut [f64], factor: f64) {
    if x.is_empty() {
        return;
    }
    for (row, y) in a.chunks_exact(x.len()).zip(y) {
        *y += factor * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}
