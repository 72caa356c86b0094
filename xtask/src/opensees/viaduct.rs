//! The Rio Torto viaduct against OpenSees: frequencies, and how operator splitting approaches Newton iterations.

use std::path::Path;

use super::{column_at, frequencies, interfield, numbers, script};
use crate::context::{Context, Outcome};

const ISOLATED: &str = "models/rio-torto-isolated.toml";
/// Motion compared, s.
const DURATION: &str = "3";
/// Steps per second, each twice the one before.
const RATES: [&str; 3] = ["1024", "2048", "4096"];
/// Displacements that are compared: name in the peer's answer, column of ours.
const PLACES: [(&str, &str); 2] = [("deck", "deck9.y [m]"), ("pier", "pier9.y [m]")];
/// Samples per second in the peer's answer.
const SAMPLING: f64 = 64.0;
/// Largest difference of the deck with the finest step, relative to its largest displacement.
const CLOSE: f64 = 3.5e-5;
/// How far an observed order may be from 2.
const ORDER: f64 = 0.1;

/// Frequencies as built and isolated; the isolated bridge in an earthquake.
///
/// Both programs step with Newmark's average acceleration. OpenSees iterates; we evaluate each law once, at the predictor,
/// and are of second order as well, so that the difference must fall by four with every halving.
pub(super) fn stage(context: &Context, python: &Path) -> Outcome {
    let arguments: Vec<&str> = std::iter::once(DURATION).chain(RATES).collect();
    let peer = script(context, python, "opensees_viaduct.py", &arguments)?;
    let mut omega: f64 = 0.0;
    for (case, model) in [("as-built", "models/rio-torto-as-built.toml"), ("isolated", ISOLATED)] {
        omega = omega.max(frequencies(context, model, &numbers(&peer["omega"], case)?)?);
    }
    let mut errors = Vec::new();
    for (i, rate) in RATES.iter().enumerate() {
        let table = motion(context, rate)?;
        let mut at_rate = [0.0; PLACES.len()];
        for (error, (place, column)) in at_rate.iter_mut().zip(PLACES) {
            let theirs = numbers(&peer["runs"][i], place)?;
            let times: Vec<f64> = (1..=theirs.len()).map(|k| k as f64 / SAMPLING).collect();
            let ours = column_at(&table, column, &times)?;
            let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0_f64, |m, x| m.max(x.abs()));
            *error = largest(&mut ours.iter().zip(&theirs).map(|(a, b)| a - b)) / largest(&mut theirs.iter().copied());
            println!("{ISOLATED}: {place} with {rate} steps per second differs from Newton iterations by {error:.2e}");
        }
        errors.push(at_rate);
    }
    let orders = judge(&errors)?;
    let [deck, _] = errors[errors.len() - 1];
    Ok(format!("viaduct: frequencies {omega:.0e}, motion {deck:.0e} with order {orders:.2}"))
}

/// The motion of the isolated bridge with our program, as CSV.
fn motion(context: &Context, rate: &str) -> Result<String, String> {
    let folder = context.target.join("opensees");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let csv = folder.join(format!("viaduct-{rate}.csv"));
    let mut run = interfield(context);
    run.args(["run", ISOLATED, "--whole", "--scheme", "newmark", "--tangent", "initial"]);
    run.args(["--dt", &format!("1 s/{rate}"), "--until", &format!("{DURATION} s")]);
    run.arg("--output").arg(&csv).arg("--json");
    context.output(run)?;
    std::fs::read_to_string(&csv).map_err(|e| format!("{}: {e}", csv.display()))
}

/// The smallest observed order, if all are 2 and the deck is close in the end. Errors by step, the largest step first.
fn judge(errors: &[[f64; 2]]) -> Result<f64, String> {
    let orders: Vec<f64> =
        errors.windows(2).flat_map(|e| [(e[0][0] / e[1][0]).log2(), (e[0][1] / e[1][1]).log2()]).collect();
    let close = errors.last().is_some_and(|e| e[0] < CLOSE);
    if close && orders.iter().all(|o| (o - 2.0).abs() < ORDER) {
        Ok(orders.into_iter().fold(f64::INFINITY, f64::min))
    } else {
        Err(format!("{ISOLATED}: differences to OpenSees {errors:.6?} [deck, pier], observed orders {orders:.2?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn second_order_and_close_or_refused() {
        assert!(judge(&[[4e-4, 2e-3], [1e-4, 5e-4], [2.5e-5, 1.25e-4]]).is_ok());
        assert!(judge(&[[4e-4, 2e-3], [2e-4, 5e-4], [2.5e-5, 1.25e-4]]).is_err());
        assert!(judge(&[[8e-4, 2e-3], [2e-4, 5e-4], [5e-5, 1.25e-4]]).is_err());
        assert!(judge(&[[4e-4, 2e-3], [1e-4, 5e-4], [f64::NAN, 1.25e-4]]).is_err());
        assert!(judge(&[]).is_err());
    }
}
