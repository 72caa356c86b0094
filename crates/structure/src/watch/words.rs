//! Findings in words, with the user's names.

use super::{Finding, Grade, Spot, Verdict};

/// Names of what findings are about.
pub(crate) trait Names {
    /// An unknown.
    fn unknown(&self, at: Spot) -> &str;
    /// A law of the deformation.
    fn element(&self, at: Spot) -> &str;
    /// A cut between substructures.
    fn cut(&self, cut: usize) -> &str;
}

/// All findings as a verdict.
pub(crate) fn verdict(found: &[Finding], names: &dyn Names) -> Verdict {
    let grade = found.iter().map(Finding::grade).max().unwrap_or(Grade::Good);
    Verdict { grade, reasons: found.iter().map(|f| sentence(f, names)).collect() }
}

/// One finding.
pub(crate) fn sentence(finding: &Finding, names: &dyn Names) -> String {
    match *finding {
        Finding::Diverged { at, times } => format!(
            "diverged at t = {} s: the energy of `{}` is {} times the total input energy",
            digits(at.t),
            names.unknown(at),
            digits(times)
        ),
        Finding::RanAway(at) => format!(
            "diverged at t = {} s: `{}` has a negative stiffness, and the structure has lost its resistance",
            digits(at.t),
            names.element(at)
        ),
        Finding::Apart { cut, share } => format!(
            "at `{}` the gap between the substructures reached {} % of the motion there: use a smaller step, larger \
                shares of the mass (`interface_mass`), or another coupling",
            names.cut(cut),
            percent(share)
        ),
        Finding::Gained { at, share } => format!(
            "energy error: the integration added {} % of the input energy, most of it in `{}` up to t = {} s: use a \
                smaller step",
            percent(share),
            names.unknown(at),
            digits(at.t)
        ),
        Finding::Lost { until, share } => format!(
            "the integration dissipated {} % of the input energy up to t = {} s, although the model has no damping: \
                use a smaller step, or a scheme with less numerical damping",
            percent(share),
            digits(until)
        ),
        Finding::Unresolved { at, dt } => format!(
            "`{}` became stiff at t = {} s, and the step is too long for it: use dt = \"{} s\" or less, or events = \
             \"land\" in [analysis]",
            names.element(at),
            digits(at.t),
            digits(dt)
        ),
        Finding::Softened(at) => format!(
            "`{}` has a negative stiffness from t = {} s on: its law is valid for smaller deformations only",
            names.element(at),
            digits(at.t)
        ),
    }
}

fn percent(share: f64) -> String {
    digits(100.0 * share)
}

/// Three significant digits.
fn digits(x: f64) -> String {
    if x != 0.0 && !(1e-4..1e6).contains(&x.abs()) {
        return format!("{x:.2e}");
    }
    let decimals = if x == 0.0 { 0 } else { (2 - x.abs().log10().floor() as i32).clamp(0, 9) as usize };
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
