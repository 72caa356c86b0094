//! A model and its integration as portable C99, and the wrappers that FMI, Simulink and TwinCAT want around it.
//!
//! **Must not be here:** the equations of an element (they are recorded from their one definition), files, terminals,
//! processes.
