//! Findings in words, with the user's names.

use interfield_language::units::{significant, time_to};

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
            "diverged at t = {}: the energy of `{}` is {} times the total input energy",
            time_to(at.t, 3),
            names.unknown(at),
            digits(times)
        ),
        Finding::RanAway(at) => format!(
            "diverged at t = {}: `{}` has a negative stiffness, and the structure has lost its resistance",
            time_to(at.t, 3),
            names.element(at)
        ),
        Finding::Apart { cut, share } => format!(
            "at `{}` the gap between the substructures reached {} % of the motion there: use a smaller step, larger \
                shares of the mass (`interface_mass`), or another coupling",
            names.cut(cut),
            percent(share)
        ),
        Finding::Gained { at, share } => format!(
            "energy error: the integration added {} % of the input energy, most of it in `{}` up to t = {}: use a \
                smaller step",
            percent(share),
            names.unknown(at),
            time_to(at.t, 3)
        ),
        Finding::Lost { until, share } => format!(
            "the integration dissipated {} % of the input energy up to t = {}, beyond the damping of the model: use a \
                smaller step, or a scheme with less numerical damping",
            percent(share),
            time_to(until, 3)
        ),
        Finding::Unresolved { at, dt } => format!(
            "`{}` became stiff at t = {}, and the step is too long for it: use dt = \"{}\" or less, or events = \
             \"land\" in [analysis]",
            names.element(at),
            time_to(at.t, 3),
            time_to(dt, 3)
        ),
        Finding::Softened(at) => format!(
            "`{}` has a negative stiffness from t = {} on: its law is valid for smaller deformations only",
            names.element(at),
            time_to(at.t, 3)
        ),
    }
}

fn percent(share: f64) -> String {
    digits(100.0 * share)
}

/// Three significant digits.
fn digits(x: f64) -> String {
    significant(x, 3)
}
