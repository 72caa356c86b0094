//! The key figures of a record: as a table, as JSON, as a picture.

use std::path::Path;

use interfield_motion::{
    Compatibility, Fit, MotionError, Quantity, Record, ResponseSpectrum, STANDARD_GRAVITY, compatibility, log_periods,
};
use interfield_report::{Axis, Curve, Figure, Order, Panel, Style};
use serde_json::{Value, json};

use interfield::quantities::{ONE, UNITS};
use interfield::table::{short, time};

use super::{Args, Refusal};

/// Degree of the baseline taken off before velocity and displacement are measured.
const QUIET_BASELINE: usize = 1;
/// Periods between which a generated motion is held against its target, s.
const RANGE: (f64, f64) = (0.1, 2.0);

/// Everything that is told of a record.
pub(super) struct Figures {
    pub(super) record: Record,
    velocity: Option<Record>,
    displacement: Option<Record>,
    /// Of an acceleration only.
    strong: Option<Strong>,
    spectrum: Option<ResponseSpectrum>,
    fit: Option<Compatibility>,
    notes: Vec<String>,
}

/// Measures of an acceleration.
struct Strong {
    arias: f64,
    /// Times at which 5 % and 95 % of the Arias intensity are reached.
    significant: (f64, f64),
    cav: f64,
    mean_period: f64,
}

impl Figures {
    pub(super) fn of(
        args: &Args,
        record: Record,
        damping: f64,
        target: Option<&dyn Fn(f64) -> f64>,
    ) -> Result<Self, Refusal> {
        let wrong = |e: MotionError| Refusal::motion("", &e);
        let mut notes = record.notes.clone();
        let acceleration = record.quantity == Quantity::Acceleration;
        let chosen = args.baseline.is_some() || !args.band_pass.is_empty() || target.is_some() || !acceleration;
        let quiet = if chosen { None } else { record.baseline_corrected(QUIET_BASELINE, Fit::Velocity).ok() };
        if quiet.is_some() {
            notes.push(format!(
                "PGV, PGD, velocity and displacement are computed after a baseline correction of order \
                    {QUIET_BASELINE}; --baseline and --band-pass replace it"
            ));
        }
        let smooth = quiet.as_ref().unwrap_or(&record);
        let (velocity, displacement) = (smooth.velocity().ok(), smooth.displacement().ok());
        let (mut strong, mut spectrum, mut fit) = (None, None, None);
        if acceleration {
            strong = Some(Strong {
                arias: record.arias_intensity().map_err(wrong)?,
                significant: record.husid_times(0.05, 0.95).map_err(wrong)?,
                cav: record.cumulative_absolute_velocity().map_err(wrong)?,
                mean_period: record.mean_period().map_err(wrong)?,
            });
            if let Some(s) = &strong
                && ![s.arias, s.cav, s.mean_period].iter().all(|x| x.is_finite())
            {
                let message = format!("values up to {:.3e} m/s^2 are too large for a ground motion", record.peak());
                return Err(Refusal::line(message, "check the unit of the record: --unit"));
            }
            // A very long record has a coarser spectrum rather than a long wait.
            let count = if record.values.len() > 500_000 { 40 } else { 160 };
            spectrum = Some(record.response_spectrum(&log_periods(0.01, 10.0, count), damping).map_err(wrong)?);
        }
        if let Some(target) = target {
            fit = Some(compatibility(&record, target, damping, RANGE).map_err(wrong)?);
        }
        Ok(Self { record, velocity, displacement, strong, spectrum, fit, notes })
    }

    pub(super) fn text(&self, name: &str, picture: &Path, output: Option<&Path>) -> String {
        let r = &self.record;
        let mut rows: Vec<(&str, String)> = Vec::new();
        let samples = format!("{} every {}: {}", r.values.len(), time(r.dt), time(r.duration()));
        rows.push(("samples", samples));
        let at = |of: &Record| format!("at {}", time(of.peak_time()));
        if r.quantity == Quantity::Acceleration {
            let g = r.peak() / STANDARD_GRAVITY;
            rows.push(("PGA", format!("{} m/s^2 = {} g {}", short(r.peak()), short(g), at(r))));
        }
        if let Some(v) = &self.velocity {
            rows.push(("PGV", format!("{} m/s {}", short(v.peak()), at(v))));
        }
        if let Some(d) = &self.displacement {
            rows.push(("PGD", format!("{} m {}", short(d.peak()), at(d))));
        }
        if let Some(s) = &self.strong {
            let (from, to) = s.significant;
            rows.push(("Arias intensity", format!("{} m/s", short(s.arias))));
            rows.push(("duration D5-95", format!("{}, from {} to {}", time(to - from), time(from), time(to))));
            rows.push(("CAV", format!("{} m/s", short(s.cav))));
            rows.push(("mean period Tm", format!("{} s", short(s.mean_period))));
        }
        if let Some(s) = &self.spectrum
            && let Some((i, psa)) = s.psa.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))
        {
            let z = short(100.0 * s.damping);
            rows.push((
                "largest PSA",
                format!("{} m/s^2 at T = {} s ({z} % damping)", short(*psa), short(s.periods[i])),
            ));
        }
        let mut out = format!("{name}: {}, {}\n\n", r.quantity.name(), r.format.name());
        for (what, value) in rows {
            out += &format!("  {what:<16} {value}\n");
        }
        if let Some(f) = &self.fit {
            out += &format!("\n  fit to the target between {} and {} s:\n", RANGE.0, RANGE.1);
            out += &format!(
                "  {:<16} {:.1} % on average, {:.1} % at most\n",
                "misfit",
                100.0 * f.mean_misfit,
                100.0 * f.max_misfit
            );
            out += &format!(
                "  {:<16} {:.3} (T = {} s) to {:.3} (T = {} s) of the target\n",
                "ratios",
                f.min_ratio.0,
                short(f.min_ratio.1),
                f.max_ratio.0,
                short(f.max_ratio.1)
            );
            out += &format!("  {:<16} {:.3} of the target at T = 0\n", "PGA", f.pga_ratio);
            out += &format!("  {:<16} {}\n", "verdict", verdict(f));
        }
        if !r.meta.is_empty() {
            out += "\n  header:\n";
            let width = r.meta.iter().map(|(k, _)| k.chars().count()).max().unwrap_or(0).min(24);
            for (key, value) in r.meta.iter().take(20) {
                let value: String = value.chars().filter(|c| !c.is_control()).take(100).collect();
                out += &format!("  {key:<width$}  {value}\n");
            }
            if r.meta.len() > 20 {
                out += &format!("  and {} more (--json has all)\n", r.meta.len() - 20);
            }
        }
        if !self.notes.is_empty() {
            out += "\n  notes:\n";
            self.notes.iter().for_each(|n| out += &format!("  - {n}\n"));
        }
        out += &format!("\n  picture: {}\n", picture.display());
        if let Some(path) = output {
            out += &format!("  record: {}\n", path.display());
        }
        out
    }

    pub(super) fn json(&self, name: &str, picture: &Path, output: Option<&Path>) -> Value {
        let r = &self.record;
        let acceleration = r.quantity == Quantity::Acceleration;
        let header: Vec<Value> = r.meta.iter().map(|(k, v)| json!({ "key": k, "value": v })).collect();
        let strong = self.strong.as_ref();
        let spectrum = self.spectrum.as_ref().map(|s| {
            json!({
                "damping": s.damping, "period": s.periods, "psa": s.psa, "psv": s.psv, "sd": s.sd,
                UNITS: { "damping": ONE, "period": "s", "psa": "m/s^2", "psv": "m/s", "sd": "m" },
            })
        });
        let fit = self.fit.as_ref().map(|f| {
            json!({
                "from": RANGE.0, "to": RANGE.1,
                "mean_misfit": f.mean_misfit, "max_misfit": f.max_misfit,
                "min_ratio": f.min_ratio.0, "min_ratio_period": f.min_ratio.1,
                "max_ratio": f.max_ratio.0, "max_ratio_period": f.max_ratio.1,
                "pga_ratio": f.pga_ratio, "none_below_90_percent": f.meets_ec8, "verdict": verdict(f),
                UNITS: {
                    "from": "s", "to": "s", "mean_misfit": ONE, "max_misfit": ONE, "min_ratio": ONE, "min_ratio_period": "s",
                    "max_ratio": ONE, "max_ratio_period": "s", "pga_ratio": ONE,
                },
            })
        });
        json!({
            "file": name,
            "format": r.format.name(),
            "quantity": r.quantity.name(),
            "samples": r.values.len(),
            "dt": r.dt,
            "duration": r.duration(),
            "peak": r.peak(),
            "peak_time": r.peak_time(),
            "pga": acceleration.then(|| r.peak()),
            "pga_in_g": acceleration.then(|| r.peak() / STANDARD_GRAVITY),
            "pga_time": acceleration.then(|| r.peak_time()),
            "pgv": self.velocity.as_ref().map(Record::peak),
            "pgd": self.displacement.as_ref().map(Record::peak),
            "arias": strong.map(|s| s.arias),
            "d5_95": strong.map(|s| s.significant.1 - s.significant.0),
            "cav": strong.map(|s| s.cav),
            "mean_period": strong.map(|s| s.mean_period),
            UNITS: {
                "dt": "s", "duration": "s", "peak": r.quantity.unit(), "peak_time": "s", "pga": "m/s^2", "pga_in_g": "g",
                "pga_time": "s", "pgv": "m/s", "pgd": "m", "arias": "m/s", "d5_95": "s", "cav": "m/s", "mean_period": "s",
            },
            "header": header,
            "notes": self.notes,
            "spectrum": spectrum,
            "compatibility": fit,
            "picture": picture.display().to_string(),
            "output": output.map(|o| o.display().to_string()),
        })
    }

    /// Histories and spectrum, one below the other.
    pub(super) fn picture(&self, name: &str, target: Option<&dyn Fn(f64) -> f64>) -> Figure {
        let own = (self.record.quantity == Quantity::Acceleration).then_some(&self.record);
        let histories = [
            (own, "acceleration", "m/s²"),
            (self.velocity.as_ref(), "velocity", "m/s"),
            (self.displacement.as_ref(), "displacement", "m"),
        ];
        let history = |(record, what, unit): (Option<&Record>, &str, &str)| {
            let record = record?;
            let points = record.values.iter().enumerate().map(|(i, x)| (record.time(i), *x)).collect();
            let (x, y) = (Axis::new("time", "s"), Axis::new(what, unit));
            Some(Panel { x, y, order: Order::Time, curves: vec![Curve::line("", points)], ..Panel::default() })
        };
        let mut panels: Vec<Panel> = histories.into_iter().filter_map(history).collect();
        if let Some(s) = &self.spectrum {
            let legend = if target.is_some() { "motion" } else { "" };
            let mut curves = vec![Curve::line(legend, s.periods.iter().copied().zip(s.psa.iter().copied()).collect())];
            if let Some(target) = target {
                let points = s.periods.iter().map(|t| (*t, target(*t))).collect();
                curves.push(Curve::line("target", points).style(Style::Dashed));
            }
            panels.push(Panel {
                title: format!("response spectrum, {} % damping", short(100.0 * s.damping)),
                x: Axis::new("period", "s").log(),
                y: Axis::new("PSA", "m/s²"),
                order: Order::Sorted,
                curves,
                ..Panel::default()
            });
        }
        let title = Path::new(name).file_name().map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned());
        Figure { title, width: 900.0, slenderness: 0.22, ..Figure::new(panels) }
    }
}

/// Whether a generated motion does for the code.
fn verdict(f: &Compatibility) -> String {
    match (f.meets_ec8, f.pga_ratio >= 1.0) {
        (true, true) => "compatible: no value below 90 % of the target, and the PGA not below the target".to_owned(),
        (true, false) => {
            let up = 100.0 * (1.0 / f.pga_ratio - 1.0);
            format!("no value below 90 % of the target, but the PGA is below it: scale up by {up:.1} % if required")
        }
        _ => "not compatible: values below 90 % of the target; try another --seed or a longer --duration".to_owned(),
    }
}
