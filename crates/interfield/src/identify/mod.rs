//! What measurements tell: laws of specimens and elements, and the actuators of a rig, in the words of a model file.

pub mod actuator;
pub mod drive;
pub mod element;
pub mod general;
pub mod law;
pub mod plant;
pub mod signals;
pub mod structure;
