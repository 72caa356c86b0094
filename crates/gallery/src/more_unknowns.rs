//! Paper 002 on subcycling and the number of unknowns: does a larger structure make a coupling stable?

use interfield_analysis::stability::{Options, stability};
use interfield_report::{Axis, Curve, Panel, Style};
use interfield_structure::Structure;
use interfield_structure::harmonic::Body;

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{File, SPLIT_MASS, Settings, THREE_DOF, refused, start_parts, with_step};
use crate::outcome::Outcome;
use crate::split_mass::spaced;

/// 002, section 3.
pub(crate) const MORE_UNKNOWNS: Item = Item {
    id: "002-sec-3",
    paper: Paper::P002,
    place: "Sec. 3",
    what: "Stability of the parallel scheme with one and with three unknowns, over many structures and steps",
    look: "The share of structures and steps at which nothing grows by more than the axis says: a split mass of one unknown and the system of \
        paper 002 with three, each with other ratios of masses and numbers of substeps, over Ω of the highest mode from 0.1 to 100. The \
        curves of one and of three unknowns are nearly the same: γ decides, and the number of unknowns does not. Below 1e-6 there is nothing to read: \
        with two unknowns at the interface the eigenvalue one, a gap that nothing closes, is a defective one, and rounding moves it by so much.",
    commands: &[
        "interfield check models/three-dof.toml --coupling plsrt2 --stability",
        "interfield check models/split-mass.toml --coupling plsrt2 --set b1=2 --substeps 10 --stability",
    ],
    models: &[&SPLIT_MASS, &THREE_DOF],
    seconds: 4,
    run,
};

/// Growth per step that is more than rounding: where two unknowns meet at the interface, a gap that nothing closes is a defective eigenvalue one
/// (it drifts linearly), which is computed no better than the root of rounding, times its condition.
const ROUNDING: f64 = 1e-6;
/// Growth that a run of a thousand steps shows: a tenth.
const SEEN: f64 = 1e-4;

/// Values of Ω that are tried, from 0.1 to 100.
const TRIED: u32 = 31;
const RATIOS: [&str; 3] = ["0.2", "1", "5"];
const SUBSTEPS: [u32; 2] = [2, 10];
const END_MASSES: [&str; 2] = ["1 t", "5 t"];

/// A structure with its number of unknowns.
struct Sample {
    file: &'static File,
    set: Vec<(&'static str, &'static str)>,
    substeps: u32,
}

/// All structures with one unknown, or with three.
fn samples(unknowns: u32) -> Vec<Sample> {
    let mut list = Vec::new();
    for (ratio, substeps) in RATIOS.into_iter().flat_map(|r| SUBSTEPS.map(|ss| (r, ss))) {
        match unknowns {
            1 => list.push(Sample { file: &SPLIT_MASS, set: vec![("b1", ratio)], substeps }),
            _ => list.extend(END_MASSES.map(|m2| Sample {
                file: &THREE_DOF,
                set: vec![("r", ratio), ("m2", m2)],
                substeps,
            })),
        }
    }
    list
}

impl Sample {
    /// Growth per step of the fastest growing motion, zero where none grows, for every Ω = ω_max Δt_A.
    fn growth(&self, gamma: &str) -> Result<Vec<f64>, Stopped> {
        let param = [("gamma", gamma)];
        let settings = Settings {
            set: &self.set,
            scheme: "lsrt2",
            param: &param,
            coupling: "plsrt2",
            substeps: self.substeps,
            ..Settings::default()
        };
        let model = self.file.with(&settings)?;
        let structure = Structure::new(model.clone()).map_err(|problems| refused(&problems))?;
        let resonances = structure.resonances(Body::Coupled, 10).map_err(|e| Stopped::Fault(e.to_string()))?;
        let highest = resonances.last().map_or(f64::NAN, |r| r.omega);
        let growth = |omega: f64| {
            // A steps over four steps of the analysis.
            let mut machine = start_parts(with_step(&model, omega / (4.0 * highest)))?;
            let found = stability(machine.coupling.as_mut(), &Options { tolerance: ROUNDING, ..Options::default() });
            let name = self.file.name;
            found.map(|s| s.radius - 1.0).map_err(|e| Stopped::Fault(format!("{name} at Ω = {omega}: {e:?}")))
        };
        spaced(0.1, 100.0, TRIED).map(growth).collect()
    }
}

/// Share of the cases in which nothing grows by more than this in a step.
fn stable(growth: &[f64], limit: f64) -> f64 {
    growth.iter().filter(|g| **g <= limit).count() as f64 / growth.len() as f64
}

fn run(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let mut claim = Claim::new("The more unknowns a structure has, the more likely is its stability with several steps")
        .said("文献[17]指出, 多步长的积分方法会随着系统自由度数量的增加, 其稳定性概率大幅提高。文中将该方法求解多自由度问题成功应用, 也恰恰证实这一结论。", "Sec. 3")
        .translation("Reference 17 states that the probability that a multi-time-step method is stable rises greatly with the number of degrees of freedom. The \
            successful application of the method to a problem of several degrees of freedom confirms this.")
        .why("greatly higher: the share of stable cases is larger by a tenth at least with three unknowns than with one; where nearly all cases are \
            stable already, it is no smaller. Stable is what it is in Fig. 8 of the paper, no eigenvalue beyond one, up to rounding (1e-6: see the \
            comment). The cases have ratios of masses from 0.2 to 5, end masses of 1 and 5 t, 2 and 10 substeps, and steps of Ω = ω_max Δt_A from \
            0.1 to 100");
    let mut finding = Finding::new(
        "Of growth that a run of a thousand steps shows, by more than a tenth, both are free about as often",
    );
    let mut curves = Vec::new();
    for (colour, gamma) in ["minus", "plus"].into_iter().enumerate() {
        let sign = if gamma == "minus" { '−' } else { '+' };
        let mut all = Vec::new();
        for (i, unknowns) in [1, 3].into_iter().enumerate() {
            let mut growth = Vec::new();
            let list = samples(unknowns);
            for (k, sample) in list.iter().enumerate() {
                growth.extend(sample.growth(gamma)?);
                progress.at(0.5 * colour as f64 + 0.25 * i as f64 + 0.25 * k as f64 / list.len() as f64)?;
            }
            let name = format!("γ = 1 {sign} √2/2, {unknowns} unknown{}", if unknowns == 1 { "" } else { "s" });
            claim =
                claim.measure(Measure::new(format!("{name}: share of stable cases"), stable(&growth, ROUNDING), ""));
            let points = spaced(ROUNDING, 1.0, 91).map(|limit| (limit, stable(&growth, limit))).collect();
            let style = if unknowns == 1 { Style::Dashed } else { Style::Line };
            curves.push(Curve::line(name, points).style(style).colour(colour));
            all.push(growth);
        }
        let more = |limit: f64| stable(&all[1], limit) - stable(&all[0], limit);
        let what = |words: &str| format!("γ = 1 {sign} √2/2: share{words} with three unknowns less that with one");
        let least = if stable(&all[0], ROUNDING) < 0.9 { 0.1 } else { 0.0 };
        claim = claim.measure(Measure::new(what(""), more(ROUNDING), "").claimed(Expected::AtLeast(least)));
        finding = finding.measure(
            Measure::new(what(" without growth that is seen"), more(SEEN), "").claimed(Expected::Between(-0.05, 0.05)),
        );
    }
    let panel = Panel {
        x: Axis::new("growth per step", "").log(),
        y: Axis::new("share of cases that grow less", "").over(0.0, 1.05),
        curves,
        ..Panel::default()
    };
    Ok(Outcome { panels: vec![panel], columns: 1, claims: vec![claim], findings: vec![finding], ..Outcome::default() })
}
