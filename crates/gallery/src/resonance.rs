//! Two remarks of paper 000 that no figure of it shows: a force in resonance, and a response that has lost its high frequencies after a second.

use std::f64::consts::TAU;

use interfield_analysis::spectrum::spectrum;
use interfield_report::{Axis, Curve, Mark, Panel, Style};

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::histories::{largest, whole, yielding};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{SHEAR_PENDULUM_BOUC_WEN, SPLIT_MASS, SPRING_PENDULUM, Settings, start_whole, with_step};
use crate::outcome::Outcome;
use crate::records::KOBE;

/// 000, the frequency of the shaker.
pub(crate) const SHAKER: Item = Item {
    id: "000-sec-2-3",
    paper: Paper::P000,
    place: "Sec. 2.3",
    what: "Spring pendulum: amplitude of the pivot over the frequency of the shaker",
    look: "A resonance is a peak of these curves. The hysteretic spring of Table 2.1 yields at 10 N under a force of 20 N, and then no longer \
        pulls the mass back in proportion: its displacement falls steadily with the frequency, with the dashpots of both parts and with \
        that of the numerical part alone. The velocity of the numerical part has its peak at 1.15 Hz, that of both parts at 1.22 Hz. \
        Elastic, the numerical part would resonate at 1.6 Hz.",
    commands: &[
        "interfield run models/spring-pendulum.toml --set \"f=1.2 Hz\"",
        "interfield run models/spring-pendulum.toml --set \"f=0.4 Hz\" --until \"40 s\"",
    ],
    models: &[&SPRING_PENDULUM],
    seconds: 2,
    run: shaker,
};

/// A structure that is shaken: its name, mass of the pivot, dashpot and mass of the pendulum.
type Shaken = [&'static str; 4];
const SHAKEN: [Shaken; 2] =
    [["numerical part alone", "10 kg", "40 N*s/m", "1e-6 kg"], ["both parts", "11 kg", "90 N*s/m", "0.34 kg"]];

/// Frequencies of the shaker, Hz.
fn frequencies() -> impl Iterator<Item = f64> {
    (0..15).map(|i| 0.4 + 0.1 * f64::from(i))
}

/// Half of the ranges of displacement and velocity of the pivot over the last three periods of sixteen, m and m/s.
fn amplitudes(hertz: f64, [_, mass, c, m]: Shaken) -> Result<[f64; 2], Stopped> {
    let (f, until) = (format!("{hertz} Hz"), format!("{} s", 16.0 / hertz));
    let set = [("f", f.as_str()), ("mass", mass), ("c", c), ("m", m)];
    let settings = Settings { set: &set, dt: "2 ms", until: &until, ..Settings::default() };
    let history = whole(&SPRING_PENDULUM, &settings, |_| Ok(()))?;
    let rows = (3.0 / hertz / 2e-3) as usize;
    Ok(["pivot.x", "pivot.x.v"].map(|channel| {
        let last = || history.of(channel).iter().rev().take(rows).copied();
        0.5 * (largest(last()) + largest(last().map(|x| -x)))
    }))
}

/// Where a curve of equal spacing is largest: the vertex of the parabola through its highest point and the two beside it.
fn top(curve: &[(f64, f64)]) -> f64 {
    let Some(k) = (0..curve.len()).max_by(|a, b| curve[*a].1.total_cmp(&curve[*b].1)) else { return f64::NAN };
    match (k.checked_sub(1).and_then(|i| curve.get(i)), curve[k], curve.get(k + 1)) {
        (Some(left), (x, y), Some(right)) => {
            x + 0.25 * (right.0 - left.0) * (right.1 - left.1) / (2.0 * y - left.1 - right.1)
        }
        (_, (x, _), _) => x,
    }
}

fn shaker(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let mut claim = Claim::new("At 1.2 Hz the force is in resonance with the nonlinear numerical substructure")
        .said("Note that the force frequency f=1.2Hz is in resonance with the nonlinear NS.", "Sec. 2.3")
        .why("in resonance: the amplitude of the numerical part has its peak there, within 0.1 Hz, the spacing of the frequencies tried from 0.4 to \
            1.8 Hz. Geometry and signs are ours where the paper is silent (models/spring-pendulum.toml); masses, dashpots, springs and force are \
            its Table 2.1")
        .correction("the velocity has its peak there, and with it the power of the shaker is near its own; the displacement has no resonance");
    let within = Expected::Near { value: 1.2, tolerance: 0.1 };
    let mut curves = [Vec::new(), Vec::new()];
    for (i, shaken) in SHAKEN.into_iter().enumerate() {
        let one = |(k, f): (usize, f64)| {
            progress.at(0.5 * i as f64 + 0.5 * k as f64 / 15.0)?;
            Ok((f, amplitudes(f, shaken)?))
        };
        let found = frequencies().enumerate().map(one).collect::<Result<Vec<_>, Stopped>>()?;
        for (which, name) in ["displacement", "velocity"].into_iter().enumerate() {
            let curve: Vec<(f64, f64)> = found.iter().map(|(f, a)| (*f, 1e3 * a[which])).collect();
            let measure = Measure::new(format!("{}: frequency of the largest {name}", shaken[0]), top(&curve), "Hz");
            // The paper speaks of the numerical substructure.
            claim = claim.measure(match (i, which) {
                (0, 0) => measure.claimed(within),
                (0, _) => measure.corrected(within),
                _ => measure,
            });
            curves[which].push(Curve::line(shaken[0], curve).style(Style::Joined));
        }
    }
    let [displacements, velocities] = curves;
    let panel = |what: &str, unit: &str, curves: Vec<Curve>| Panel {
        title: format!("{what} of the pivot under 20 N"),
        x: Axis::new("frequency of the shaker", "Hz"),
        y: Axis::new("amplitude", unit),
        curves,
        marks: vec![Mark::Vertical(1.2, "1.2 Hz".to_owned())],
        ..Panel::default()
    };
    let panels = vec![panel("displacement", "mm", displacements), panel("velocity", "mm/s", velocities)];
    Ok(Outcome { panels, columns: 2, claims: vec![claim], ..Outcome::default() })
}

/// 000, high frequencies after one second.
pub(crate) const AFTER_A_SECOND: Item = Item {
    id: "000-sec-2-1",
    paper: Paper::P000,
    place: "Sec. 2.1",
    what: "Hysteretic storey: high frequencies of the first floor, second by second",
    look: "The second mode of the structure, near 13 Hz, is what the paper calls its high frequency. This is a statement about one record, so it \
        is tested only if the record is given. What can be said is where the \
        dissipation comes from. At a step of 1 ms LSRT2 with γ = 1 − √2/2 damps this mode by some millionths of critical: \
        no motion of a second notices. With γ = 1/2, which has no numerical damping, the run is the same line. It \
        is the hysteretic storey that dissipates.",
    commands: &[
        "interfield run models/shear-pendulum-bouc-wen.toml --param gamma=minus",
        "interfield run models/shear-pendulum-bouc-wen.toml --param gamma=0.5",
        "interfield spectrum --scheme lsrt2 --param gamma=minus --omega 0.08",
    ],
    models: &[&SHEAR_PENDULUM_BOUC_WEN, &SPLIT_MASS],
    seconds: 1,
    run: after_a_second,
};

/// Frequency above which the second mode is, and not the first, Hz.
const HIGH: f64 = 6.0;

/// rms of what is faster than [`HIGH`] in each second: the history less its mean over a period of it.
fn fast(values: &[f64], dt: f64) -> Vec<(f64, f64)> {
    let window = (1.0 / (HIGH * dt)).round() as usize;
    let mut sums = vec![0.0];
    values.iter().for_each(|x| sums.push(sums[sums.len() - 1] + x));
    let smooth = |i: usize| {
        let (from, to) = (i.saturating_sub(window / 2), (i + window / 2 + 1).min(values.len()));
        (sums[to] - sums[from]) / (to - from) as f64
    };
    let rest: Vec<f64> = values.iter().enumerate().map(|(i, x)| x - smooth(i)).collect();
    let second = (1.0 / dt).round() as usize;
    let rms = |(i, part): (usize, &[f64])| {
        (i as f64 + 0.5, (part.iter().map(|x| x * x).sum::<f64>() / part.len() as f64).sqrt())
    };
    rest.chunks(second).enumerate().map(rms).collect()
}

fn after_a_second(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let record = progress.record(&KOBE);
    let damped = yielding("minus", "1 ms", record, |part| progress.at(0.5 * part))?;
    let undamped = yielding("0.5", "1 ms", record, |part| progress.at(0.5 + 0.5 * part))?;
    let dt = 1e-3;
    let peak = largest(damped.of("floor1.x").iter().map(|x| x.abs()));
    // Records may begin with seconds of silence.
    let begun = damped.of("floor1.x").iter().position(|x| x.abs() > 0.01 * peak).unwrap_or(0);
    let [with, without] = [&damped, &undamped].map(|h| fast(h.of("floor1.x").get(begun..).unwrap_or(&[]), dt));
    // m1 = 1.5 kg between two springs of 4000 N/m, under a floor that hardly moves.
    let omega = (8000.0f64 / 1.5).sqrt();
    let model = SPLIT_MASS.with(&Settings { scheme: "lsrt2", param: &[("gamma", "minus")], ..Settings::default() })?;
    let mut machine = start_whole(with_step(&model, omega * dt))?;
    let ratio = spectrum(machine.coupling.as_mut(), omega * dt).map_err(|e| Stopped::Fault(format!("{e:?}")))?;
    let ratio = ratio.principal.map_or(f64::NAN, |p| p.damping);
    // Later the motion of the pendulum is chaotic, and any two methods differ (book: claims 1).
    let calm = 6001;
    let both = damped.of("floor1.x").iter().zip(undamped.of("floor1.x")).take(begun + calm);
    let off = largest(both.map(|(a, b)| (a - b).abs()));
    let claim = Claim::new("The high-frequency response is dissipated after 1 s")
        .said("It is observed that the high-frequency response is dissipated after 1s.", "Sec. 2.1")
        .why("dissipated: of the time since the floor moves by a hundredth of its peak, what is faster than 6 Hz, where the second mode is and the first is not, has less than a tenth of its largest value \
            of the first second in every later one");
    let first = with.first().map_or(f64::NAN, |p| p.1);
    let later = largest(with.iter().skip(1).map(|p| p.1)) / first;
    let claim = match record {
        Some(_) => claim.measure(
            Measure::new(
                "given record: fast part of the first floor, largest of the later seconds over the first",
                later,
                "",
            )
            .claimed(Expected::AtMost(0.1)),
        ),
        None => claim.untested(KOBE.missing()),
    };
    let finding = Finding::new("Whatever dissipates at a step of 1 ms, it is not the method")
        .measure(
            Measure::new("algorithmic damping ratio of the second mode at 1 ms", ratio, "")
                .claimed(Expected::AtMost(1e-5)),
        )
        .measure(
            Measure::new("amplitude of the second mode left after 1 s by the method alone", (-ratio * omega).exp(), "")
                .claimed(Expected::AtLeast(0.999)),
        );
    let same = Measure::new("largest difference to the run with γ = 1/2 within 6 s, over the peak", off / peak, "");
    let finding = finding.measure(match record {
        Some(_) => same,
        None => same.claimed(Expected::AtMost(0.02)),
    });
    let panel = Panel {
        title: format!("first floor, faster than {HIGH} Hz; second mode at {:.1} Hz", omega / TAU),
        x: Axis::new("time since the beginning of the motion", "s"),
        y: Axis::new("rms within a second", "mm"),
        curves: vec![
            Curve::line("γ = 1 − √2/2", with.iter().map(|p| (p.0, 1e3 * p.1)).collect()).style(Style::Joined),
            Curve::line("γ = 1/2, no numerical damping", without.iter().map(|p| (p.0, 1e3 * p.1)).collect())
                .style(Style::Dashed),
        ],
        ..Panel::default()
    };
    Ok(Outcome { panels: vec![panel], columns: 1, claims: vec![claim], findings: vec![finding], ..Outcome::default() })
}
