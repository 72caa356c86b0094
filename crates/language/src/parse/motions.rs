//! What is done to a record before it is used, and motions generated to fit the spectrum of a code.

use std::ops::Range;

use interfield_motion::{
    Asce7, Ec8, Fit, GenerateOptions, GroundType, MotionError, Phase, Quantity, Record, STANDARD_GRAVITY, SpectrumType,
    generate,
};

use super::Context;
use super::records::{BAND_PASS, BASELINE, PEAK, RESAMPLE};
use super::signals::SignalType;
use crate::key::*;
use crate::reader::{Spanned, Table};
use crate::schema::Variant;
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
    /// Reads the keys; what is wrong with them is reported.
    pub(super) fn read(context: &Context<'_>, t: &Table<'_>) -> Self {
        let (baseline, corners) = (t.read(&BASELINE), t.read(&BAND_PASS));
        let dim = t.displacement();
        if dim != Dimension::ACCELERATION && dim != Dimension::ANGULAR_ACCELERATION {
            let given = [
                (BASELINE.name, baseline.as_ref().map(|b| &b.span)),
                (BAND_PASS.name, corners.as_ref().map(|b| &b.span)),
            ];
            for (key, span) in given.into_iter().filter_map(|(key, span)| Some((key, span?))) {
                let message = format!("`{key}` applies to accelerations, but this signal is {}", dim.describe());
                context.error(span.clone(), message, "remove it: this record is used without processing");
            }
        }
        let band_pass = corners.and_then(|c| match c.value.as_slice() {
            [low, high] if high.value > low.value => Some(Spanned::new((low.value, high.value), c.span.clone())),
            _ => {
                let message = "`band_pass` needs two frequencies, the lower one first";
                context.error(c.span.clone(), message, "write band_pass = [\"0.1 Hz\", \"25 Hz\"]");
                None
            }
        });
        let baseline = baseline.map(|b| b.map(|n| usize::try_from(n).unwrap_or(0)));
        Self { baseline, band_pass, resample: t.read(&RESAMPLE), peak: t.read(&PEAK) }
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
            let message = "this needs equally spaced samples, but those of the record are not";
            context.error(first, message, "resample the record first, or remove this key");
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

/// The `seed` of something random: an expression too, so that a parameter can choose it.
pub(super) const SEED: Key<Count> =
    key("seed", "The same seed gives the same numbers.").range(NOT_NEGATIVE).default("1").example("7");

/// A ground motion generated to match the spectrum of a design code.
pub(super) const GENERATED: SignalType =
    Type::new("generated", "A ground motion generated to match the spectrum of a design code.", &[KEYS], generated);

section! {
    [KEYS];
    DURATION: Time = key("duration", "Its duration.").range(POSITIVE).default("20 s").example("20 s");
    DT: Time = key("dt", "Its sampling interval.").range(POSITIVE).default("10 ms").example("10 ms");
    OTHER: Count = key("seed", "Seed: another value gives another motion with the same \
        spectrum.").range(NOT_NEGATIVE).default("1").example("2");
}

/// The response spectrum of a code, with its damping.
type Spectrum = Type<fn(&Table<'_>) -> Option<(f64, Target)>>;

/// Spectral acceleration of a period, m/s².
type Target = Box<dyn Fn(f64) -> f64>;

const SPECTRUM: Key<Choice<Spectrum>> = choice("spectrum", &SPECTRA, "The code.").required();

/// All spectra: one entry each.
const SPECTRA: [Spectrum; 2] = [
    Type::new("ec8", "A ground motion generated to match the spectrum of Eurocode 8.", &[EC8], ec8),
    Type::new("asce7", "A ground motion generated to match the spectrum of ASCE 7.", &[ASCE7], asce7),
];

section! {
    [EC8];
    AG: Acceleration = key("ag", "Design ground acceleration.").required().range(POSITIVE).example("0.25 g");
    GROUND: Choice<(GroundType, &'static str)> = choice("ground", &GROUNDS, "Ground type.").required().example("B");
    KIND: Whole = key("kind", "Spectrum of type 1 (high seismicity) or 2.").range(Allowed::Between(1.0, 2.0)).default("1").example("1");
    DAMPING: Pure = key("damping", "Damping of the spectrum.").range(Allowed::Between(0.001, 0.5)).default("0.05");
}

section! {
    [ASCE7];
    SDS: Acceleration = key("sds", "Design spectral acceleration at short periods.").required().range(POSITIVE).example("0.25 g");
    SD1: Acceleration = key("sd1", "Design spectral acceleration at a period of 1 s.").required().range(POSITIVE).example("0.25 g");
    TL: Time = key("tl", "Long-period transition.").range(POSITIVE).default("8 s").example("8 s");
}

const GROUNDS: [(GroundType, &str); 5] =
    [(GroundType::A, "A"), (GroundType::B, "B"), (GroundType::C, "C"), (GroundType::D, "D"), (GroundType::E, "E")];

/// The variant of a generated motion for each spectrum; any other as it is.
pub(super) fn spectra(variant: Variant) -> Vec<Variant> {
    if variant.when[0].1 != GENERATED.name {
        return vec![variant];
    }
    let one = |s: &Spectrum| {
        let own = s.variant(SPECTRUM.name);
        let keys = own.keys.into_iter().chain(variant.keys.clone()).collect();
        Variant { when: vec![variant.when[0], own.when[0]], keys, ..own }
    };
    SPECTRA.iter().map(one).collect()
}

fn ec8(t: &Table<'_>) -> Option<(f64, Target)> {
    let (ag, ground) = (t.read(&AG), t.read(&GROUND));
    let (kind, damping) = (t.good(&KIND), t.good(&DAMPING));
    let kind = if kind? == 2 { SpectrumType::Type2 } else { SpectrumType::Type1 };
    let spectrum = Ec8 { ag: ag?.value, ground: ground?.value.0, kind, damping: damping? };
    Some((spectrum.damping, Box::new(move |period| spectrum.acceleration(period))))
}

fn asce7(t: &Table<'_>) -> Option<(f64, Target)> {
    let (sds, sd1, tl) = (t.read(&SDS), t.read(&SD1), t.good(&TL));
    let spectrum = Asce7 { sds: sds?.value / STANDARD_GRAVITY, sd1: sd1?.value / STANDARD_GRAVITY, tl: tl? };
    Some((GenerateOptions::default().damping, Box::new(move |period| spectrum.acceleration(period))))
}

fn generated(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let spectrum = t.read(&SPECTRUM);
    let (duration, dt, seed) = (t.good(&DURATION), t.good(&DT), t.good(&OTHER));
    if spectrum.is_none() {
        t.ignore_all();
    }
    let target = spectrum.and_then(|s| (s.value.read)(t));
    let dim = t.displacement();
    if dim != Dimension::ACCELERATION {
        let message = format!("a generated motion is an acceleration, but {} is needed", dim.describe());
        context.error(t.span(), message, "use it for a [[load]] of type \"ground\"");
        return None;
    }
    let (duration, dt, seed, (damping, target)) = (duration?, dt?, seed?, target?);
    if duration / dt > MAX_GENERATED {
        let message =
            format!("a generated motion has at most {MAX_GENERATED} samples, this would have {:.0}", duration / dt);
        context.error(t.span(), message, "give a larger `dt` or a shorter `duration`");
        return None;
    }
    match generate(&*target, &GenerateOptions { dt, duration, seed, damping, ..GenerateOptions::default() }) {
        Ok(record) => Some(Signal::Samples { start: 0.0, dt: record.dt, values: record.values.into() }),
        Err(e) => {
            let help = "give a `duration` of 10 s or more in steps of 10 ms or less";
            context.error(t.span(), e.message, help);
            None
        }
    }
}
