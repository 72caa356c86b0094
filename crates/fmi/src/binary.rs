//! Which of the binaries in a unit is for this machine.

use crate::description::Version;

/// This machine in the words of FMI 3.0: architecture and system.
pub const PLATFORM: &str = platform();

const fn platform() -> &'static str {
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        "x86_64-linux"
    } else if cfg!(all(target_arch = "aarch64", target_os = "linux")) {
        "aarch64-linux"
    } else if cfg!(all(target_arch = "x86_64", target_os = "macos")) {
        "x86_64-darwin"
    } else if cfg!(all(target_arch = "aarch64", target_os = "macos")) {
        "aarch64-darwin"
    } else if cfg!(all(target_arch = "x86_64", target_os = "windows")) {
        "x86_64-windows"
    } else {
        "unknown"
    }
}

/// Folders below `binaries` that hold what runs here, the usual one first. FMI 2.0 has names of its own for the common
/// platforms only; newer exporters use those of FMI 3.0 for the others.
pub fn folders(version: Version) -> &'static [&'static str] {
    match (version, PLATFORM.as_bytes()) {
        (Version::Two, b"x86_64-linux") => &["linux64", "x86_64-linux"],
        (Version::Two, b"aarch64-darwin") => &["aarch64-darwin", "darwin64"],
        (Version::Two, b"x86_64-darwin") => &["darwin64", "x86_64-darwin"],
        (Version::Two, b"x86_64-windows") => &["win64", "x86_64-windows"],
        _ => &[PLATFORM],
    }
}

/// How the name of a shared library ends here.
pub fn extension() -> &'static str {
    std::env::consts::DLL_EXTENSION
}
