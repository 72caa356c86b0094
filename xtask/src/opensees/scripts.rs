//! Scripts of OpenSees imported, run in both programs, and compared: `crates/testkit/opensees-scripts`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::interfield;
use crate::context::{Context, Outcome};

/// Largest difference relative to the peak of a channel that is rounding and the tolerance of convergence of OpenSees.
const SAME: f64 = 1e-7;

/// A script with the largest difference of each of its analyses; where that is more than rounding, the reason stands beside it.
struct Case {
    script: &'static str,
    tolerances: &'static [f64],
}

const fn case(script: &'static str, tolerances: &'static [f64]) -> Case {
    Case { script, tolerances }
}

const CASES: &[Case] = &[
    case("braced_frame.py", &[SAME]),
    case("braced_frame.tcl", &[SAME]),
    case("bridge_bent_bearings.py", &[SAME]),
    case("bridge_pendulum.py", &[SAME]),
    case("building_3d.py", &[SAME]),
    case("building_3d.tcl", &[SAME]),
    case("cantilever_cyclic.py", &[SAME]),
    case("cantilever_cyclic.tcl", &[SAME]),
    case("dictionaries.py", &[SAME]),
    case("elastic_frame_modes.py", &[SAME]),
    case("elastic_frame_modes.tcl", &[SAME]),
    case("ida_loop.py", &[SAME; 5]),
    // HHT in one pass against Newton iterations: both of second order, the difference falls by four if the step is halved. Damping by the
    // committed stiffness becomes damping by the initial one.
    case("isolated_frame.py", &[0.04]),
    case("leaning_column.py", &[SAME]),
    // OpenSees leaves the velocity of a support that is moved by -disp alone at zero, and damps against it.
    case("multi_support.py", &[0.03]),
    case("old_style.py", &[SAME]),
    // The second push goes on from the first in OpenSees; the imported model begins it at rest, and says so.
    case("rc_column_biaxial.py", &[SAME, 1.01]),
    case("rc_frame_3x3.py", &[SAME]),
    case("rc_portal_earthquake.py", &[SAME]),
    case("rc_portal_pushover.py", &[SAME]),
    case("rc_portal_pushover.tcl", &[SAME]),
    case("rigid_offsets.py", &[SAME]),
    // SelfCentering of OpenSees keeps one side of the flag where it was if a step leads over zero.
    case("rocking_frame.py", &[0.1]),
    case("steel_frame_radau.py", &[SAME]),
    case("steel_frame_springs.py", &[SAME]),
    case("truss_snap_through.py", &[SAME]),
    // ViscousDamper integrates its own equation with a tolerance of its own.
    case("viscous_dampers.py", &[1e-4]),
];

/// Imports and compares all of them.
pub(super) fn stage(context: &Context, python: &Path) -> Outcome {
    let folder = context.target.join("opensees").join("scripts");
    // Scripts write beside themselves, so they are run elsewhere.
    copy(&context.root.join("crates/testkit/opensees-scripts"), &folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    let (mut failures, mut worst) = (Vec::new(), 0.0_f64);
    for case in CASES {
        match compared(context, python, &folder, case) {
            Ok(difference) => worst = worst.max(difference),
            Err(message) => failures.push(format!("{}: {message}", case.script)),
        }
    }
    match failures.is_empty() {
        true => {
            Ok(format!("{} scripts imported and compared, where nothing else is known within {worst:.0e}", CASES.len()))
        }
        false => Err(failures.join("; ")),
    }
}

/// The largest difference of the analyses that have to be the same.
fn compared(context: &Context, python: &Path, folder: &Path, case: &Case) -> Result<f64, String> {
    let mut command: Command = interfield(context);
    command.args(["import", "opensees"]).arg(folder.join(case.script)).args([
        "--compare",
        "--force",
        "--json",
        "--python",
    ]);
    command.arg(python).arg("--output").arg(folder.join("models"));
    let told = context.json(command)?;
    let analyses = told["comparison"]["analyses"].as_array().ok_or("no analysis was compared")?;
    if analyses.len() != case.tolerances.len() {
        let notes = &told["comparison"]["notes"];
        return Err(format!("{} analyses were compared, not {}: {notes}", analyses.len(), case.tolerances.len()));
    }
    let mut worst = 0.0_f64;
    for (analysis, tolerance) in analyses.iter().zip(case.tolerances) {
        let difference = analysis["relative"].as_f64().unwrap_or(f64::INFINITY);
        let verdict = analysis["verdict"].as_str().unwrap_or_default();
        println!("{}: {difference:.1e}", case.script);
        if difference.is_nan() || difference > *tolerance || analysis["fault"] != Value::Null {
            return Err(format!("differs by more than {tolerance:e}: {verdict}"));
        }
        if *tolerance == SAME {
            worst = worst.max(difference);
        }
    }
    Ok(worst)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A script without a case would not be tested.
    #[test]
    fn every_script_is_compared() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/testkit/opensees-scripts");
        let parts = ["rc_portal_model.py", "rc_portal_section.tcl"];
        let names = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let scripts: BTreeSet<String> =
            names.filter(|n| (n.ends_with(".py") || n.ends_with(".tcl")) && !parts.contains(&n.as_str())).collect();
        assert_eq!(scripts, CASES.iter().map(|c| c.script.to_owned()).collect());
        assert!(scripts.len() >= 20);
    }
}
