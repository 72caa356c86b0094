//! Nonlinear frames against recorded results of OpenSees 3.7.1.

mod materials;
mod members;
