//! EtherCAT drives and terminals as the hardware of a rig: targets out, measurements in, in the time of the distributed clock.
//!
//! **Must not be here:** model files, compensation, limits; anything of ours but the seam of `lab`.
