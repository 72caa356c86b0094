//! The protocols of other programs in a laboratory: OpenSees (generic client and adapter elements), OpenFresco sites and
//! UT-SIM, each in both roles.
//!
//! Every protocol is a codec and a state machine without input and output, and below it a transport (TCP, UDP).
//! **Must not be here:** model files, compensation, limits; anything of ours but the seams of `lab`.
