//! What is done to a record before it is used, and motions generated to fit the spectrum of a code.

use std::ops::Range;

use interfield_motion::{
    Asce7, Ec8, Fit, GenerateOptions, GroundType, MotionError, Phase, Quantity, Record, STANDARD_GRAVITY, SpectrumType,
    generate,
};

use super::Context;
use crate::reader::{Spanned, Table};
use crate::signal::Signal;
use crate::units::Dimension;

/// Most samples a generated motion may have: some seconds of work.
const MAX_GENERATED: f64 = 40_000.0;
/// Order of the Butterworth filter of `band_pass`, each way.
const FILTER_ORDER: usize = 4;

/// What is done to a record, in this order.
pub(super) struct Processing {
    /// Degree of the polynomial taken off.
    baseline: Option<Spanned<usize>>,
    /// Corner frequencies, Hz.
    band_pass: Option<Spanned<(f64, f64)>>,
    /// New sampling interval, s.
    resample: Option<Spanned<f64>>,
    /// Largest absolute value.
    peak: Option<Spanned<f64>>,
}

impl Processing {
    /// Reads the keys; `None` if one of them is wrong.
    pub(super) fn read(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Self> {
        let scope = &context.scope;
        let baseline = t.integer("baseline");
        let corners = t.quantities("band_pass", Dimension::FREQUENCY, scope);
        let resample = t.quantity("resample", Dimension::TIME, scope);
        let peak = t.quantity("peak", dim, scope);
        let given = ["baseline", "band_pass", "resample", "peak"].map(|key| t.has(key));
        let mut good = given == [baseline.is_some(), corners.is_some(), resample.is_some(), peak.is_some()];
        let mut refuse = |span: &Range<usize>, message: String, help: &str| {
            context.error(span.clone(), message, help);
            good = false;
        };
        if dim != Dimension::ACCELERATION && dim != Dimension::ANGULAR_ACCELERATION {
            let spans =
                [("baseline", baseline.as_ref().map(|b| &b.span)), ("band_pass", corners.as_ref().map(|b| &b.span))];
            for (key, span) in spans.into_iter().filter_map(|(key, span)| Some((key, span?))) {
                let message = format!("`{key}` is for accelerations, this signal is {}", dim.describe());
                refuse(span, message, "remove it: this record is used as it is");
            }
        }
        if let Some(b) = baseline.as_ref().filter(|b| !(0..=3).contains(&b.value)) {
            let message = format!("`baseline` is the degree of a polynomial, 0 to 3, found {}", b.value);
            refuse(&b.span, message, "write baseline = 1");
        }
        let band_pass = corners.and_then(|c| match c.value.as_slice() {
            [low, high] if low.value >= 0.0 && high.value > low.value => {
                Some(Spanned::new((low.value, high.value), c.span.clone()))
            }
            _ => {
                let message = "`band_pass` needs two rising frequencies".to_owned();
                refuse(&c.span, message, "write band_pass = [\"0.1 Hz\", \"25 Hz\"]");
                None
            }
        });
        let positive = [("resample", &resample, "resample = \"5 ms\""), ("peak", &peak, "a peak greater than zero")];
        for (key, value, help) in positive {
            if let Some(v) = value.as_ref().filter(|v| v.value <= 0.0) {
                refuse(&v.span, format!("`{key}` must be greater than zero"), &format!("write {help}"));
            }
        }
        let baseline = baseline.map(|b| b.map(|n| usize::try_from(n).unwrap_or(0)));
        good.then_some(Self { baseline, band_pass, resample, peak })
    }

    /// Applies everything that was asked for.
    pub(super) fn apply(&self, context: &Context<'_>, signal: Signal) -> Option<Signal> {
        let mut signal = self.record(context, signal)?;
        if let Some(peak) = &self.peak {
            let factor = peak.value / signal.peak().unwrap_or(0.0);
            if !factor.is_finite() {
                let message = "this record is zero throughout and cannot be scaled to a peak";
                context.error(peak.span.clone(), message, "give another record or column");
                return None;
            }
            signal.scale(factor);
        }
        Some(signal)
    }

    /// What needs equally spaced samples.
    pub(super) fn record(&self, context: &Context<'_>, signal: Signal) -> Option<Signal> {
        let spans = [
            self.baseline.as_ref().map(|b| b.span.clone()),
            self.band_pass.as_ref().map(|b| b.span.clone()),
            self.resample.as_ref().map(|b| b.span.clone()),
        ];
        let Some(first) = spans.into_iter().flatten().next() else { return Some(signal) };
        let Signal::Samples { start, dt, values } = signal else {
            let message = "this needs samples at equal steps, but those of the record are not";
            context.error(first, message, "bring the record to equal steps first, or use it as it is");
            return None;
        };
        let tell = |span: &Range<usize>, e: MotionError| {
            context.error(span.clone(), e.message, "change or remove this key");
        };
        let mut record = Record::new(dt, values.to_vec(), Quantity::Acceleration).map_err(|e| tell(&first, e)).ok()?;
        if let Some(b) = &self.baseline {
            record = record.baseline_corrected(b.value, Fit::Velocity).map_err(|e| tell(&b.span, e)).ok()?;
        }
        if let Some(b) = &self.band_pass {
            let (low, high) = b.value;
            record = record.band_pass(low, high, FILTER_ORDER, Phase::Zero).map_err(|e| tell(&b.span, e)).ok()?;
        }
        if let Some(r) = &self.resample {
            record = record.resampled(r.value).map_err(|e| tell(&r.span, e)).ok()?;
        }
        Some(Signal::Samples { start, dt: record.dt, values: record.values.into() })
    }
}

/// The `seed` of something random: a quantity, so that a parameter can choose it.
pub(super) fn seed(context: &Context<'_>, t: &Table<'_>) -> Option<u64> {
    let seed = t.quantity("seed", Dimension::NONE, &context.scope)?;
    // Up to 2^53 every whole number is one.
    if seed.value >= 0.0 && seed.value == seed.value.trunc() && seed.value <= 9.0e15 {
        return Some(seed.value as u64);
    }
    context.error(seed.span, "a `seed` is a whole number from 0", "write seed = 1");
    None
}

/// A ground motion made to fit the spectrum of a code.
pub(super) fn generated(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let scope = &context.scope;
    let positive = |key: &str, value: Option<Spanned<f64>>| {
        if let Some(bad) = value.as_ref().filter(|v| v.value <= 0.0) {
            let help = "give the design acceleration of the site, e.g. \"0.25 g\", and times in seconds";
            context.error(bad.span.clone(), format!("`{key}` must be greater than zero"), help);
            return None;
        }
        value.map(|v| v.value)
    };
    let acceleration = |key: &str| positive(key, t.quantity_required(key, Dimension::ACCELERATION, scope));
    let time = |key: &str, default: f64| {
        if t.has(key) { positive(key, t.quantity(key, Dimension::TIME, scope)) } else { Some(default) }
    };
    let default = GenerateOptions::default();
    let spectrum = t.choice_required("spectrum", &["ec8", "asce7"]);
    let (duration, dt) = (time("duration", default.duration), time("dt", default.dt));
    let seed = if t.has("seed") { seed(context, t) } else { Some(default.seed) };
    let mut damping = Some(default.damping);
    let target: Option<Box<dyn Fn(f64) -> f64>> = match spectrum.map(|s| s.value) {
        None => {
            t.keys().iter().for_each(|k| t.ignore(&k.value));
            None
        }
        Some(0) => {
            let ag = acceleration("ag");
            let ground = t.choice_required("ground", &["A", "B", "C", "D", "E"]);
            let kind = match t.integer("kind") {
                None => (!t.has("kind")).then_some(SpectrumType::Type1),
                Some(k) if k.value == 1 => Some(SpectrumType::Type1),
                Some(k) if k.value == 2 => Some(SpectrumType::Type2),
                Some(k) => {
                    let message = format!("EN 1998-1 has spectra of type 1 and 2, not {}", k.value);
                    context.error(k.span, message, "write kind = 1 (high seismicity) or kind = 2");
                    None
                }
            };
            if t.has("damping") {
                let given = t.quantity("damping", Dimension::NONE, scope);
                if let Some(bad) = given.as_ref().filter(|z| !(0.001..=0.5).contains(&z.value)) {
                    let message = format!("the damping of a spectrum lies between 0.001 and 0.5, found {}", bad.value);
                    context.error(bad.span.clone(), message, "write damping = 0.05 or damping = \"5 %\"");
                }
                damping = given.map(|z| z.value).filter(|z| (0.001..=0.5).contains(z));
            }
            let ground = ground
                .map(|g| [GroundType::A, GroundType::B, GroundType::C, GroundType::D, GroundType::E][g.value.min(4)]);
            match (ag, ground, kind, damping) {
                (Some(ag), Some(ground), Some(kind), Some(damping)) => {
                    let spectrum = Ec8 { ag, ground, kind, damping };
                    Some(Box::new(move |period| spectrum.acceleration(period)))
                }
                _ => None,
            }
        }
        Some(_) => {
            let (sds, sd1, tl) = (acceleration("sds"), acceleration("sd1"), time("tl", 8.0));
            match (sds, sd1, tl) {
                (Some(sds), Some(sd1), Some(tl)) => {
                    let spectrum = Asce7 { sds: sds / STANDARD_GRAVITY, sd1: sd1 / STANDARD_GRAVITY, tl };
                    Some(Box::new(move |period| spectrum.acceleration(period)))
                }
                _ => None,
            }
        }
    };
    if dim != Dimension::ACCELERATION {
        let message = format!("a generated motion is an acceleration, but {} is needed", dim.describe());
        context.error(t.span(), message, "use it for a [[load]] of type \"ground\"");
        return None;
    }
    let (duration, dt, seed, damping, target) = (duration?, dt?, seed?, damping?, target?);
    if duration / dt > MAX_GENERATED {
        let message =
            format!("a generated motion has at most {MAX_GENERATED} samples, this would have {:.0}", duration / dt);
        context.error(t.span(), message, "give a larger `dt` or a shorter `duration`");
        return None;
    }
    match generate(&*target, &GenerateOptions { dt, duration, seed, damping, ..default }) {
        Ok(record) => Some(Signal::Samples { start: 0.0, dt: record.dt, values: record.values.into() }),
        Err(e) => {
            let help = "give a `duration` of 10 s or more in steps of 10 ms or less";
            context.error(t.span(), e.message, help);
            None
        }
    }
}
