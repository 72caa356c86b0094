//! x

use crate::Export;

/// x
pub fn files(_export: &Export) -> Vec<(String, String)> { Vec::new() }
