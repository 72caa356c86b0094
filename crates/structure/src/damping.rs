//! The structural damping: its matrices, and whether it takes energy out of every mode.
//!
//! Rayleigh damping, C = a0 M + a1 K, has a ratio of a0/(2 ω) + a1 ω/2 in a mode: with two ratios that differ much one of
//! the coefficients is negative, and some modes are driven instead of damped. Such a mode grows from rounding alone. It
//! is refused where the steps follow its motion, below the Nyquist frequency of the finest step, π/dt; above, where the
//! scheme decides what becomes of it, it is a warning.

use interfield_linalg::{Modes, highest};

use crate::assemble::Assembly;
use crate::assembled::{Coupling, Ingredients};
use crate::restraint;
use interfield_language::model::{Damping, Model};
use interfield_language::{Problem, Subject};

/// Up to so many unknowns all modes are looked at.
const ALL_MODES: usize = 800;
/// Modes looked at above.
const LOWEST: usize = 40;
/// Negative damping below this share of its two terms is rounding.
const ROUNDING: f64 = 1e-9;

/// What drives a mode.
struct Driven {
    /// Its name for messages.
    mode: String,
    /// Circular frequency, rad/s.
    omega: f64,
    /// φᵀCφ, 1/s.
    damping: f64,
}

/// What the Rayleigh damping of a whole model drives, at most one problem.
pub(crate) fn check(model: &Model, assembly: &Assembly) -> Option<Problem> {
    let [a0, a1] = assembly.rayleigh.filter(|a| a.iter().any(|x| *x < 0.0))?;
    let substeps =
        model.partition.as_ref().map_or(1, |p| p.substructures.iter().map(|s| s.substeps).max().unwrap_or(1));
    let nyquist = std::f64::consts::PI * f64::from(substeps) / model.analysis.dt;
    let driven = match driven(assembly, [a0, a1], nyquist) {
        Ok(driven) => driven?,
        Err(why) => {
            let message = format!(
                "with a0 = {a0:.4} 1/s and a1 = {a1:.4} s this damping may be negative for some \
                modes: {why}"
            );
            return Some(Problem::warning(Subject::Damping, message, "use one `ratio` for both modes"));
        }
    };
    let ratio = match driven.omega > 0.0 {
        true => format!("has a damping ratio of {:.3} %", 50.0 * driven.damping / driven.omega),
        false => format!("is damped by {:.3} 1/s", driven.damping),
    };
    let message = format!(
        "{} ({:.4} Hz) {ratio}: a0 = {a0:.4} 1/s and a1 = {a1:.3e} s make it unstable",
        driven.mode,
        driven.omega / std::f64::consts::TAU
    );
    let help = "use one `ratio` for both modes, ratios that differ less, or `modes` further apart";
    Some(Problem { fatal: driven.omega <= nyquist, ..Problem::warning(Subject::Damping, message, help) })
}

/// The lowest mode that is driven, if there is one that the steps follow; else the lowest of the others.
fn driven(assembly: &Assembly, [a0, a1]: [f64; 2], nyquist: f64) -> Result<Option<Driven>, String> {
    let n = assembly.free.len();
    let modes = assembly.modes(if n <= ALL_MODES { n } else { LOWEST }).map_err(|e| e.to_string())?;
    for (i, (omega2, shape)) in modes.omega2.iter().zip(&modes.shapes).enumerate() {
        let (omega, damping) = (omega2.max(0.0).sqrt(), assembly.system.viscous(shape));
        if damping < -ROUNDING * (a0.abs() + a1.abs() * omega2.abs()) {
            return Ok(Some(Driven { mode: format!("mode {}", i + 1), omega, damping }));
        }
    }
    if n <= ALL_MODES || a1 >= 0.0 {
        return Ok(None);
    }
    // Beyond the modes that are known damping is negative from the zero of a0 + a1 ω² on.
    let (pattern, mass, stiffness) = assembly.system.matrices(&assembly.memory);
    let top = highest(pattern, &stiffness, &mass).map_err(|e| e.to_string())?.max(0.0).sqrt();
    let zero = (a0 / -a1).max(0.0).sqrt();
    let omega = if zero < nyquist { top.min(nyquist) } else { top };
    let mode = if omega < top { "a mode" } else { "the highest mode" };
    Ok((top > zero).then(|| Driven { mode: mode.to_owned(), omega, damping: a0 + a1 * omega * omega }))
}

/// Relative distance below which two frequencies count as one: of their difference hardly a digit would be left, and
/// Rayleigh damping with different ratios there has coefficients that mean nothing elsewhere.
const SAME_FREQUENCY: f64 = 1e-3;

/// Why modes cannot have the ratios that they were given: what holds the structure is to blame before the damping is.
fn undamped(model: &Model, free: &[usize], found: &Modes, mode: usize) -> Vec<Problem> {
    let mut causes = restraint::causes(model);
    causes.extend(restraint::uneven_stiffnesses(model).filter(|_| causes.is_empty()));
    if causes.is_empty() {
        let moves = |shape: &Vec<f64>| (0..shape.len()).max_by(|&a, &b| shape[a].abs().total_cmp(&shape[b].abs()));
        let dof = found.shapes.get(mode - 1).and_then(moves).and_then(|i| free.get(i)).copied();
        let (subject, name) = match dof {
            Some(d) => (Subject::Dof(d), format!("`{}`", model.dofs[d].name)),
            None => (Subject::Damping, "the structure".to_owned()),
        };
        let message = format!("{name} is not restrained: mode {mode} has no stiffness");
        causes.push(Problem::error(subject, message, "support the structure, or connect the node to its neighbours"));
    }
    for cause in &mut causes {
        cause.fatal = true;
        if matches!(cause.subject, Subject::Dof(_)) {
            cause.help.push_str("; then give `a0` and `a1` in [damping] instead of ratios");
        }
    }
    causes
}

/// Adds the structural damping to the ingredients, with the modes of the undamped assembly; returns a0 and a1 of
/// Rayleigh damping.
pub(crate) fn add_damping(
    (model, free): (&Model, &[usize]),
    bare: &Assembly,
    ingredients: &mut Ingredients,
    damped: &[f64],
    damped_supports: &[Coupling],
) -> Result<Option<[f64; 2]>, Vec<Problem>> {
    let find = |count: usize| {
        bare.modes(count).map_err(|e| {
            let mut causes = restraint::causes(model);
            causes.iter_mut().for_each(|c| c.fatal = true);
            let message = format!("the modes that this damping needs could not be found: {e}");
            let unknown = Problem::error(Subject::Damping, message, "give `a0` and `a1` instead of ratios");
            if causes.is_empty() { vec![unknown] } else { causes }
        })
    };
    let too_few = |wanted: usize, found: usize| vec![mode_too_many((model, free), bare, wanted, found)];
    let (a0, a1) = match &model.damping {
        Damping::None => return Ok(None),
        Damping::Rayleigh { a0, a1 } => (*a0, *a1),
        Damping::RayleighModes { ratios, modes: wanted } => {
            let found = find(wanted[0].max(wanted[1]))?;
            let mut w = [0.0; 2];
            for (w, &mode) in w.iter_mut().zip(wanted) {
                let omega2 = found.omega2.get(mode - 1).ok_or_else(|| too_few(mode, found.omega2.len()))?;
                *w = omega2.max(0.0).sqrt();
                if *w == 0.0 {
                    return Err(undamped(model, free, &found, mode));
                }
            }
            // ζ_i = a0 / (2 ω_i) + a1 ω_i / 2; one ratio in both modes needs no difference of the frequencies.
            if ratios[0] == ratios[1] {
                let a1 = 2.0 * ratios[0] / (w[0] + w[1]);
                (a1 * w[0] * w[1], a1)
            } else if (w[1] - w[0]).abs() <= SAME_FREQUENCY * w[0].max(w[1]) {
                let message = format!(
                    "modes {} and {} have the same frequency and cannot have two damping ratios",
                    wanted[0], wanted[1]
                );
                return Err(vec![Problem::error(Subject::Damping, message, "give one `ratio`, or name other modes")]);
            } else {
                let a1 = 2.0 * (ratios[1] * w[1] - ratios[0] * w[0]) / (w[1] * w[1] - w[0] * w[0]);
                (2.0 * ratios[0] * w[0] - a1 * w[0] * w[0], a1)
            }
        }
        Damping::Modal(ratios) => {
            let found = find(ratios.len())?;
            if found.omega2.len() < ratios.len() {
                return Err(too_few(ratios.len(), found.omega2.len()));
            }
            for (i, ratio) in ratios.iter().enumerate() {
                let omega = found.omega2[i].max(0.0).sqrt();
                if omega == 0.0 && *ratio != 0.0 {
                    return Err(undamped(model, free, &found, i + 1));
                }
                if *ratio != 0.0 {
                    let (pattern, mass, _) = bare.system.matrices(&bare.memory);
                    let mut w = vec![0.0; ingredients.n];
                    pattern.mul(&mass, &found.shapes[i], &mut w);
                    ingredients.modal.push((2.0 * ratio * omega, w));
                }
            }
            return Ok(None);
        }
    };
    // All masses, those of elements in their initial configuration.
    let (_, mass, _) = bare.system.matrices(&bare.memory);
    let rayleigh = mass.iter().zip(damped).map(|(m, k)| a0 * m + a1 * k);
    if ingredients.damping.is_empty() {
        ingredients.damping = rayleigh.collect();
    } else {
        ingredients.damping.iter_mut().zip(rayleigh).for_each(|(c, x)| *c += x);
    }
    // The columns of moving supports: without them a rigid motion would be damped by a1 K.
    ingredients.couplings.iter_mut().for_each(|s| s.c += a0 * s.m);
    ingredients.couplings.extend(damped_supports.iter().map(|s| Coupling { c: a1 * s.k, k: 0.0, ..*s }));
    Ok(Some([a0, a1]))
}

/// A mode that does not exist; a mass that is missing is to blame before the damping is.
fn mode_too_many((model, free): (&Model, &[usize]), bare: &Assembly, wanted: usize, found: usize) -> Problem {
    let modes = if found == 1 { "1 mode" } else { &format!("{found} modes") };
    let (pattern, mass, _) = bare.system.matrices(&bare.memory);
    let massless = free.iter().enumerate().find(|(i, _)| pattern.position(*i, *i).is_none_or(|p| mass[p] == 0.0));
    if let Some((_, &d)) = massless {
        let name = &model.dofs[d].name;
        let message =
            format!("`{name}` has no mass: the structure has only {modes}, and the damping refers to mode {wanted}");
        return Problem::error(
            Subject::Dof(d),
            message,
            "give the node a `mass`, or choose lower `modes` in [damping]",
        );
    }
    let message = format!("the damping refers to mode {wanted}, but the structure has only {modes}");
    let help = match found {
        1 => "one mode is damped by modal = [0.05], or by `a0` and `a1`",
        _ => "name lower `modes`",
    };
    Problem::error(Subject::Damping, message, help)
}
