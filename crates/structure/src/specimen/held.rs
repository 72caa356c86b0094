//! What the actuators of a specimen hold, against what it resists: directions that nothing drives, and actuators that press against each other.

use interfield_lab::kinematics::Kinematics;
use interfield_language::model::short_name;
use interfield_language::specimen::Specimen;

use super::stand_in::Physical;

/// Every deformation that the specimen resists must be driven, and actuators that could press against each other must share; the error is a
/// sentence for the user. `names` are those of the degrees of freedom.
pub(super) fn check(
    specimen: &Specimen,
    names: &[&str],
    physical: &Physical,
    kinematics: &Kinematics,
) -> Result<(), String> {
    let (m, n) = (kinematics.actuators(), kinematics.dofs());
    let (mut unheld, mut driven) = (Vec::new(), kinematics.clone());
    for row in resisted(specimen, physical, n) {
        if let Some(motion) = driven.unheld(&row) {
            unheld.push(direction(&motion, names));
            driven = driven.and(row);
        }
    }
    if !unheld.is_empty() {
        let list = unheld.join(" and ");
        let why = match m {
            1 => format!("its only actuator `{}` does not drive it", specimen.actuators[0].name),
            _ if m > kinematics.rank() => format!(
                "its actuators {} are not independent: they act along one line, or their lines meet in one point, \
                 and drive {} only",
                called(&kinematics.dependent(), specimen),
                directions(kinematics.rank())
            ),
            _ => format!("its {m} actuators do not drive it"),
        };
        return Err(format!(
            "it resists a motion along {list}, and {why}; add an actuator in this direction, or change the direction of one"
        ));
    }
    if m > kinematics.rank() && specimen.sharing.is_none() {
        return Err(format!(
            "its actuators {} are redundant: {m} actuators drive {}, and the smallest misalignment makes them press \
             against each other; write sharing = \"50 ms\" in the specimen and `mount_stiffness` in each actuator, or \
             remove an actuator",
            called(&kinematics.dependent(), specimen),
            directions(kinematics.rank())
        ));
    }
    // Emulated ones may be rigid and fit exactly; real ones never do.
    if m > kinematics.rank() && specimen.at.is_some() && specimen.actuators.iter().any(|a| a.mount.is_infinite()) {
        return Err("its actuators share the load, which needs the stiffness between piston and specimen; write for \
                    example mount_stiffness = \"200 kN/mm\" in each [[specimen.actuator]]"
            .to_owned());
    }
    Ok(())
}

/// Names of actuators.
fn called(actuators: &[usize], specimen: &Specimen) -> String {
    actuators.iter().map(|&i| format!("`{}`", specimen.actuators[i].name)).collect::<Vec<_>>().join(", ")
}

fn directions(count: usize) -> String {
    if count == 1 { "1 direction".to_owned() } else { format!("{count} directions") }
}

/// Rows over the degrees of freedom that the specimen resists: coordinates of its laws, rows of its stiffness and damping, its masses.
fn resisted(specimen: &Specimen, physical: &Physical, n: usize) -> Vec<Vec<f64>> {
    let matrices = &physical.stand_in.driven;
    let mut rows: Vec<Vec<f64>> = matrices.iter().flat_map(|m| m.chunks(n.max(1))).map(<[f64]>::to_vec).collect();
    rows.extend(physical.stand_in.deformations.iter().cloned());
    for (i, mass) in specimen.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
        rows.push((0..n).map(|j| if i == j { *mass } else { 0.0 }).collect());
    }
    rows.retain(|row| row.iter().any(|x| *x != 0.0));
    rows
}

/// A motion in words: the degrees of freedom in it, with their share of the largest.
pub(super) fn direction(row: &[f64], names: &[&str]) -> String {
    let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // Signs are a choice: the first one is positive.
    let sign = row.iter().find(|x| x.abs() > 1e-3 * largest).map_or(1.0, |x| x.signum());
    let (mut text, mut kinds) = (String::new(), [false; 2]);
    for (x, name) in row.iter().zip(names).map(|(x, name)| (sign * x / largest, name)) {
        if x.abs() <= 1e-3 {
            continue;
        }
        let joint = match (text.is_empty(), x < 0.0) {
            (true, _) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = (x.abs() * 1e3).round() / 1e3;
        let factor = if (size - 1.0).abs() < 1e-9 { String::new() } else { format!("{size} ") };
        text.push_str(&format!("{joint}{factor}{name}"));
        kinds[usize::from(["rx", "ry", "rz"].contains(&short_name(name)))] = true;
    }
    let units = if kinds == [true, true] { " (m and rad)" } else { "" };
    format!("`{text}`{units}")
}
