//! Nonlinear frames against recorded results of OpenSees 3.7.1.

mod bearings;
mod compared;
mod constraints;
mod dynamics;
mod frames;
mod large;
mod materials;
mod members;
mod parts;
mod pushover;
mod refused;
mod sections;
mod springs;
