//! Formulas of a model file: expression parser, compiler to a register program, and the element that runs it.
//!
//! ```text
//! text --parse--> Build calls --compile--> Graph --> Compiled (kernel Program) --> FormulaElement
//! ```
//!
//! Names in a formula are the variables given by the caller and the parameters of the file, which are folded into the
//! program as constants; a variable hides a parameter of the same name.

mod compile;
mod element;
mod parse;

pub use compile::{Compiled, FormulaError, compile};
pub use element::{FormulaElement, FormulaSpec};
pub(crate) use parse::{Build, Cmp, Func, Op, is_reserved, parse};
pub use parse::{ExprError, is_name};
