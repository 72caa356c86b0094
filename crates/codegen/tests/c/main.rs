//! The generated C against the library: compiled with the compiler of this machine, run, and compared channel by channel.

mod bench;
mod couplings;
mod frames;
mod interface;
mod models;
mod rigs;
mod schemes;
