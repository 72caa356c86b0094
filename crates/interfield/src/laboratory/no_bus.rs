//! In place of `bus` where the program has none: what to do to get it.

use interfield_lab::hardware::Hardware;
use interfield_lab::realtime::rights::Request;
use interfield_language::specimen::Specimen;

const MISSING: &str = if cfg!(target_os = "linux") {
    "this program was built without EtherCAT; build it with: cargo build --release --features ethercat"
} else {
    "EtherCAT needs Linux; use udp://"
};

/// No hardware, but how to have it.
pub(crate) fn hardware(interface: &str, _: &Specimen, _: Option<Request>) -> Result<Box<dyn Hardware>, String> {
    Err(format!("ethercat:{interface}: {MISSING}"))
}

/// No simulated bus either.
///
/// # Errors
/// Always.
pub fn simulate(
    interface: &str,
    _: &Specimen,
    _: Box<dyn Hardware>,
    _: &std::sync::atomic::AtomicBool,
) -> Result<u64, String> {
    Err(format!("ethercat:{interface}: {MISSING}"))
}
