//! Register programs: formulas of a model file in the form in which they run.
