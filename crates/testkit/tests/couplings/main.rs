//! Couplings of substructures: golden states, claims that hold and claims that fail.
//! One program, because linking costs more than running.

mod energy;
mod equality;
mod llm;
mod llm_claims;
mod newmark;
mod novel2;
mod order;
mod own_memory;
mod passive;
mod psl;
mod ranks;
mod rates;
mod rosenbrock;
mod spectra;
mod stability;
mod state;
mod varied;
mod viaduct;
mod whole;
