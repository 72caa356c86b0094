//! Natural frequencies in a figure over the frequency, or over the period.

use interfield_report::{Curve, Mark, Panel, Style};
use interfield_structure::Structure;

/// Natural frequencies of a structure, or of one of its parts by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Natural {
    /// Whose: `coupled`, or the name of a part.
    pub of: String,
    /// Hz, from the lowest.
    pub hertz: Vec<f64>,
}

impl Natural {
    /// The lowest `count` of the structure and of each of its parts; the error is a sentence.
    pub(crate) fn of(structure: &Structure, count: usize) -> Result<Vec<Natural>, String> {
        let one = |body| {
            let found =
                structure.resonances(body, count).map_err(|e| format!("the modes could not be computed: {e}"))?;
            let hertz = found.iter().map(|r| r.omega / std::f64::consts::TAU).collect();
            let alone = structure.bodies().len() == 1;
            Ok(Natural { of: if alone { "natural" } else { structure.name_of(body) }.to_owned(), hertz })
        };
        structure.bodies().into_iter().map(one).collect()
    }
}

/// Distance between the rows of points above the curves: of the values, and of their decades.
const ROW: f64 = 0.06;

/// Marks natural frequencies in a panel over the frequency in Hz: a line each, and a point in a row for each owner, above the curves.
pub(crate) fn mark(panel: &mut Panel, natural: &[Natural]) {
    let values = panel.curves.iter().flat_map(|c| &c.points).map(|p| p.1).filter(|y| y.is_finite());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
    if low > high {
        return;
    }
    let decades = if low > 0.0 { (high / low).log10().max(1.0) } else { 1.0 };
    for (i, of) in natural.iter().enumerate().filter(|(_, n)| !n.hertz.is_empty()) {
        let above = ROW * (i + 1) as f64;
        let y =
            if panel.y.log { high * 10f64.powf(above * decades) } else { high + above * (high - low).max(high.abs()) };
        let points = of.hertz.iter().map(|f| (*f, y)).collect();
        panel.curves.push(Curve::line(format!("{} frequencies", of.of), points).style(Style::Points));
        panel.marks.extend(of.hertz.iter().map(|f| Mark::Vertical(*f, String::new())));
    }
}
