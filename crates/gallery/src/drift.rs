//! The parallel scheme in time: how far the two sides of a cut drift apart, since nothing but their accelerations holds them together.

use interfield_report::{Axis, BLACK, Curve, Panel, Style};

use interfield_structure::Simulation;

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::histories::{crossings, drawn, largest, peak, whole};
use crate::item::{Item, Paper, Stopped};
use crate::models::{File, History, Settings, THREE_DOF, TRENTO_RIG, run, start_parts, stopped};
use crate::outcome::Outcome;

/// A model coupled by the parallel scheme with this γ.
fn parallel(file: &File, gamma: &str, dt: &str, until: &str) -> Result<History, Stopped> {
    let param = [("gamma", gamma)];
    let settings = Settings { scheme: "lsrt2", param: &param, coupling: "plsrt2", dt, until, ..Settings::default() };
    run(&mut start_parts(file.with(&settings)?)?, |_| Ok(()))
}

/// The same model in one piece with a small step.
fn in_one_piece(file: &File, dt: &str, until: &str) -> Result<History, Stopped> {
    let param = [("gamma", "minus")];
    whole(file, &Settings { scheme: "lsrt2", param: &param, dt, until, ..Settings::default() }, |_| Ok(()))
}

/// Largest difference of a channel from that of a history with a step so many times smaller.
fn off(found: &History, exact: &History, channel: &str, finer: usize) -> f64 {
    largest(found.of(channel).iter().zip(exact.of(channel).iter().step_by(finer)).map(|(a, b)| (a - b).abs()))
}

/// The curve in other units.
fn scaled(points: Vec<(f64, f64)>, factor: f64) -> Vec<(f64, f64)> {
    points.into_iter().map(|(x, y)| (x, factor * y)).collect()
}

/// The value of a channel at a time, s.
fn at(history: &History, channel: &str, t: f64) -> f64 {
    let k = history.times.iter().position(|x| (x - t).abs() < 1e-9);
    k.and_then(|k| history.of(channel).get(k)).map_or(f64::NAN, |x| x.abs())
}

/// The printed modulus of the three-degree-of-freedom system, 2·10⁸ kN/m², read as N/m² beside masses in kg makes the structure
/// √1000 times slower, here 32 times, which is the same as a step 32 times finer: the same periods are seen.
const SLOWER: &str = "0.3125 ms";
/// Step of the structure in one piece, and how many of them are 10 ms.
const EXACT: (&str, usize) = ("0.0625 ms", 160);

/// What both readings of the modulus have in common.
const READINGS: &str = "so it is if the modulus is taken as 2·10⁸ N/m² beside masses in kg, which makes the structure √1000 \
    times slower and the step as much finer; with the units as printed it is not";

/// 000, figure 12.
pub(crate) const FIG_12_OF_000: Item = Item {
    id: "000-fig-12",
    paper: Paper::P000,
    place: "Fig. 12",
    what: "Three-degree-of-freedom split mass: the cut in motion, and how its sides drift apart",
    look: "A coupling of accelerations does not constrain velocities and displacements of the two sides, and the \
        errors of every step accumulate: the gap grows linearly in time. With the numbers as printed it is soon as \
        large as the motion itself; it falls with the \
square of the step. The printed modulus, 2·10⁸ kN/m², belongs to masses in tonnes; taken as it stands beside masses in kg the \
structure is 32 times slower, the step in relation finer, and the gap hardly visible. Which of both the authors computed is not told; \
002-fig-11 judges the same system by the same two readings.",
    commands: &[
        "interfield run models/three-dof.toml --coupling plsrt2",
        "interfield run models/three-dof.toml --coupling plsrt2 --dt \"2.5 ms\"",
        "interfield run models/three-dof.toml --coupling pmc",
    ],
    models: &[&THREE_DOF],
    seconds: 1,
    run: |progress| {
        let coarse = parallel(&THREE_DOF, "minus", "10 ms", "10 s")?;
        let halved = parallel(&THREE_DOF, "minus", "5 ms", "10 s")?;
        let quartered = parallel(&THREE_DOF, "minus", "2.5 ms", "10 s")?;
        progress.at(0.5)?;
        let slow = parallel(&THREE_DOF, "minus", SLOWER, "10 s")?;
        let share = |h: &History| peak(h, "joint.y.gap") / peak(h, "joint.y");
        let claim = Claim::new("The partitioned method entails favourable results, with little drift at the interface")
            .said(
                "The simulations focused on possible drift-off effect at the interface. [...] One can observe that the \
                partitioned method entail favourable results.",
                "Sec. 3.1",
            )
            .why("a gap of two per cent of the motion is what a figure shows: half a millimetre on axes of 25 mm")
            .correction(READINGS)
            .measure(
                Measure::new("gap over displacement within 10 s, units as printed", share(&coarse), "")
                    .claimed(Expected::AtMost(0.02)),
            )
            .measure(
                Measure::new("gap over displacement within as many periods, modulus in N/m²", share(&slow), "")
                    .corrected(Expected::AtMost(0.02)),
            );
        let at_end = |h: &History| 1e3 * at(h, "joint.y.gap", 10.0);
        let square = Finding::new("The gap grows linearly in time and falls with the square of the step")
            .measure(Measure::new("gap at 5 s", 1e3 * at(&coarse, "joint.y.gap", 5.0), "mm").reference(0.68, 0.01))
            .measure(Measure::new("gap at 10 s", at_end(&coarse), "mm").reference(1.35, 0.01))
            .measure(
                Measure::new("gap of the rotation at 10 s", 1e3 * at(&coarse, "joint.rz.gap", 10.0), "mrad")
                    .reference(0.67, 0.01),
            )
            .measure(
                Measure::new("gap at 10 s, 10 ms over 5 ms", at_end(&coarse) / at_end(&halved), "")
                    .claimed(Expected::Between(3.8, 4.2)),
            )
            .measure(Measure::new("gap at 10 s with 2.5 ms", at_end(&quartered), "mm").reference(0.086, 0.002));
        let gap = |h: &History, name: &str| Curve::line(name, scaled(drawn(h.over_time("joint.y.gap")), 1e3));
        let panels = vec![
            Panel {
                title: "mass at the cut, 10 ms".to_owned(),
                x: Axis::new("time", "s"),
                y: Axis::new("displacement", "mm"),
                curves: vec![
                    Curve::line("one side", scaled(drawn(coarse.over_time("joint.y")), 1e3)),
                    Curve::line("gap to the other", scaled(drawn(coarse.over_time("joint.y.gap")), 1e3)),
                ],
                ..Panel::default()
            },
            Panel {
                title: "gap and step".to_owned(),
                x: Axis::new("time", "s"),
                y: Axis::new("gap", "mm"),
                curves: vec![gap(&coarse, "10 ms"), gap(&halved, "5 ms"), gap(&quartered, "2.5 ms")],
                ..Panel::default()
            },
        ];
        Ok(Outcome { panels, columns: 2, claims: vec![claim], findings: vec![square], ..Outcome::default() })
    },
};

/// Energy of the three-degree-of-freedom system in its two halves over that at the start, step by step. The halves carry 2/3 and
/// 1/3 of the mass of 10 t with its radius of gyration of 2 m, the arm the end mass of 5 t (models/three-dof.toml).
fn energies(dt: &str) -> Result<Vec<f64>, Stopped> {
    const COLUMN: [[f64; 2]; 2] = [[384e3, 960e3], [960e3, 5600e3]];
    const ARM: [[f64; 3]; 3] = [[96e3, -480e3, -96e3], [-480e3, 4800e3, 480e3], [-96e3, 480e3, 96e3]];
    let param = [("gamma", "minus")];
    let settings =
        Settings { scheme: "lsrt2", param: &param, coupling: "plsrt2", dt, until: "10 s", ..Settings::default() };
    let mut machine = start_parts(THREE_DOF.with(&settings)?)?;
    let energy = |machine: &Simulation| -> f64 {
        let states: Vec<&[f64]> = machine.states().collect();
        half_energy(states[0], &[2e4 / 3.0, 8e4 / 3.0], &COLUMN)
            + half_energy(states[1], &[1e4 / 3.0, 4e4 / 3.0, 5e3], &ARM)
    };
    let start = energy(&machine);
    let mut found = Vec::new();
    for k in 0..machine.steps() {
        machine.step(k).map_err(|fault| stopped(&machine, fault))?;
        found.push(energy(&machine) / start);
    }
    Ok(found)
}

/// ½ vᵀ M v + ½ uᵀ K u of a state [u v] with lumped masses.
fn half_energy<const N: usize>(state: &[f64], mass: &[f64; N], stiffness: &[[f64; N]; N]) -> f64 {
    let (u, v) = state.split_at(N);
    let strain: f64 =
        stiffness.iter().zip(u).map(|(row, a)| a * row.iter().zip(u).map(|(k, b)| k * b).sum::<f64>()).sum();
    0.5 * (strain + mass.iter().zip(v).map(|(m, v)| m * v * v).sum::<f64>())
}

/// How late the top passes zero upwards for the last time, s.
fn lag(found: &History, exact: &History) -> f64 {
    let last = |history: &History| crossings(history, "end.y").last().copied().unwrap_or(f64::NAN);
    last(found) - last(exact)
}

/// What 002 says of figure 11.
const SENTENCE: &str = "从图 11 中可以看出,计算结果与精确解较接近,没有出现明显的能量耗散 (energy decay) 和周期滞后 \
    (period delay),与收敛性分析的结果一致。";
const TRANSLATION: &str = "Fig. 11 shows that the result is rather close to the exact solution, without visible energy \
    decay or period delay, as the analysis of convergence says.";

/// The energy of the system in its two halves, by both readings of the modulus.
fn kept_energy() -> Result<Claim, Stopped> {
    let worst = |energies: Vec<f64>| {
        energies.into_iter().fold(1.0, |w: f64, e| if (e - 1.0).abs() > (w - 1.0).abs() { e } else { w })
    };
    Ok(Claim::new("There is no visible decay of energy")
        .said(SENTENCE, "Sec. 4")
        .translation(TRANSLATION)
        .why(
            "two per cent of the energy are one per cent of the amplitude, the least that a figure shows. The structure has no \
            damping, so that a gain is as wrong as a loss",
        )
        .correction(READINGS)
        .measure(
            Measure::new("energy farthest from that at the start, units as printed", worst(energies("10 ms")?), "")
                .claimed(Expected::Between(0.98, 1.02)),
        )
        .measure(
            Measure::new(
                "energy farthest from that at the start, modulus in N/m²",
                worst(energies(SLOWER)?),
                "",
            )
            .corrected(Expected::Between(0.98, 1.02)),
        ))
}

/// 002, figure 11.
pub(crate) const FIG_11_OF_002: Item = Item {
    id: "002-fig-11",
    paper: Paper::P002,
    place: "Fig. 11",
    what: "Top of the three-degree-of-freedom system against the exact solution",
    look: "The curve deviates from the exact one because the two sides load each other as they drift apart; with the units as \
printed the error is a third of the motion after 10 s, and the energy does not decay but grows by a sixth. With the modulus in N/m² beside \
masses in kg, as in 000-fig-12, the structure is 32 times slower, and the curve, its energy and its period are those of the exact solution. A \
quarter of the step brings a sixteenth of the error.",
    commands: &[
        "interfield run models/three-dof.toml --coupling plsrt2",
        "interfield run models/three-dof.toml --whole --dt \"0.1 ms\"",
    ],
    models: &[&THREE_DOF],
    seconds: 1,
    run: |progress| {
        let found = parallel(&THREE_DOF, "minus", "10 ms", "10 s")?;
        let fine = parallel(&THREE_DOF, "minus", "2.5 ms", "10 s")?;
        let slow = parallel(&THREE_DOF, "minus", SLOWER, "10 s")?;
        progress.at(0.4)?;
        let exact = in_one_piece(&THREE_DOF, EXACT.0, "10 s")?;
        progress.at(0.7)?;
        let largest = peak(&exact, "end.y");
        let error = off(&found, &exact, "end.y", EXACT.1) / largest;
        let error_slow = off(&slow, &exact, "end.y", EXACT.1 / 32) / largest;
        let close = Claim::new("The result is close to the exact solution")
            .said(SENTENCE, "Sec. 4")
            .translation(TRANSLATION)
            .why("\"rather close\": within 5 % of the largest displacement, more than twice the width of a line in a figure")
            .correction(READINGS)
            .measure(
                Measure::new("largest error of the top over its peak, units as printed", error, "")
                    .claimed(Expected::AtMost(0.05))
                    .reference(0.317, 0.002),
            )
            .measure(
                Measure::new("largest error of the top over its peak, modulus in N/m²", error_slow, "")
                    .corrected(Expected::AtMost(0.05)),
            );
        let delay = Claim::new("There is no visible period delay")
            .said(SENTENCE, "Sec. 4")
            .translation(TRANSLATION)
            .why("0.07 s is what a figure shows: half a millimetre on an axis of 70 mm for 10 s")
            .measure(
                Measure::new("lag at the last zero before 10 s, units as printed", lag(&found, &exact), "s")
                    .claimed(Expected::Between(-0.07, 0.07)),
            );
        let findings = vec![
            Finding::new("A quarter of the step brings a sixteenth of the error")
                .measure(
                    Measure::new(
                        "2.5 ms: largest error of the top over its peak",
                        off(&fine, &exact, "end.y", EXACT.1 / 4) / largest,
                        "",
                    )
                    .claimed(Expected::Between(error / 17.0, error / 15.0)),
                )
                .measure(Measure::new("largest displacement of the top", 1e3 * largest, "mm").reference(1.25, 0.005)),
        ];
        let panel = Panel {
            x: Axis::new("time", "s"),
            y: Axis::new("top", "mm"),
            curves: vec![
                Curve::line("parallel scheme, 10 ms", scaled(drawn(found.over_time("end.y")), 1e3)),
                Curve::line("parallel scheme, 2.5 ms", scaled(drawn(fine.over_time("end.y")), 1e3)),
                Curve::line("exact", scaled(drawn(exact.over_time("end.y")), 1e3)).style(Style::Dashed).colour(BLACK),
            ],
            ..Panel::default()
        };
        Ok(Outcome {
            panels: vec![panel],
            columns: 1,
            claims: vec![close, kept_energy()?, delay],
            findings,
            ..Outcome::default()
        })
    },
};

/// What 000 says of its test on the rig.
fn of_the_test() -> [Claim; 2] {
    let fit = Claim::new("In the test both displacements fit well to the simulated ones")
        .said(
            "Both displacements fit well to the simulated ones considering the fact that friction forces existing in the \
            system were not modelled.",
            "Sec. 3.2",
        )
        .untested(
            "the measured displacements, the friction and the initial motion of the test are not published; to compare a \
            computed specimen with the same computation would say nothing",
        );
    let drift = Claim::new("The drift between both halves is small and limited")
        .said(
            "In addition, smaller limited drifts between displacements relevant to both the numerical and the physical \
            substructure were observed.",
            "Sec. 3.2",
        )
        .why(
            "one per cent of the largest displacement is the accuracy of a displacement transducer of such a rig; the paper \
            gives no number. The drift belongs to the method, so a computed specimen shows it, with γ = 1 − √2/2, which \
            the paper uses elsewhere",
        );
    [fit, drift]
}

/// 000, figure 15.
pub(crate) const FIG_15_OF_000: Item = Item {
    id: "000-fig-15",
    paper: Paper::P000,
    place: "Fig. 15",
    what: "Two-degree-of-freedom rig of Trento: translation, rotation and drift",
    look: "The rig is soft and the step of 4 ms fine for it, so that with the smaller γ the two halves stay together within a percent. \
With the larger γ, which the stability of the scheme seems to recommend, the gap becomes larger than \
the motion. Both sides are computed here: the curves show what the method does by itself, not the test with its friction, \
its delay and its compensation. The initial motion is ours.",
    commands: &["interfield run models/trento-rig.toml", "interfield run models/trento-rig.toml --param gamma=plus"],
    models: &[&TRENTO_RIG],
    seconds: 1,
    run: |progress| {
        let minus = parallel(&TRENTO_RIG, "minus", "4 ms", "4 s")?;
        let plus = parallel(&TRENTO_RIG, "plus", "4 ms", "4 s")?;
        progress.at(0.5)?;
        let exact = in_one_piece(&TRENTO_RIG, "0.1 ms", "4 s")?;
        let [fit, drift] = of_the_test();
        let gap = |name: &str, history: &History, channel: &str, what: &str| {
            let share = peak(history, &format!("{channel}.gap")) / peak(&exact, channel);
            Measure::new(format!("{name}: largest gap of the {what} over its largest displacement"), share, "")
        };
        let small = Expected::AtMost(0.01);
        let drift = drift
            .measure(gap("γ = 1 − √2/2", &minus, "mass.y", "translation").claimed(small).reference(0.0070, 1e-4))
            .measure(gap("γ = 1 − √2/2", &minus, "mass.rz", "rotation").claimed(small).reference(0.0040, 1e-4));
        let larger = Finding::new("With γ = 1 + √2/2 the gap becomes larger than the motion of the translation")
            .measure(
                gap("γ = 1 + √2/2", &plus, "mass.y", "translation")
                    .claimed(Expected::AtLeast(1.0))
                    .reference(1.82, 0.005),
            )
            .measure(gap("γ = 1 + √2/2", &plus, "mass.rz", "rotation").reference(0.71, 0.012));
        let accuracy =
            Finding::new("With both sides computed, the error of the coupling with γ = 1 − √2/2 is some per cent")
                .measure(
                    Measure::new("largest error of the translation", 1e3 * off(&minus, &exact, "mass.y", 40), "mm")
                        .claimed(Expected::AtMost(0.6)),
                )
                .measure(
                    Measure::new("largest error of the rotation", 1e3 * off(&minus, &exact, "mass.rz", 40), "mrad")
                        .claimed(Expected::AtMost(1.5)),
                );
        let history = |title: &str, channel: &str, y: Axis| Panel {
            title: title.to_owned(),
            x: Axis::new("time", "s"),
            y,
            curves: vec![
                Curve::line("γ = 1 − √2/2", scaled(drawn(minus.over_time(channel)), 1e3)),
                Curve::line("γ = 1 + √2/2", scaled(drawn(plus.over_time(channel)), 1e3)),
                Curve::line("exact", scaled(drawn(exact.over_time(channel)), 1e3)).style(Style::Dashed).colour(BLACK),
            ],
            ..Panel::default()
        };
        let gaps = |title: &str, channel: &str, y: Axis| {
            let mut panel = history(title, channel, y);
            panel.curves.pop();
            panel
        };
        let panels = vec![
            history("translation", "mass.y", Axis::new("displacement", "mm")),
            history("rotation", "mass.rz", Axis::new("rotation", "mrad")),
            gaps("gap of the translation", "mass.y.gap", Axis::new("gap", "mm")),
            gaps("gap of the rotation", "mass.rz.gap", Axis::new("gap", "mrad")),
        ];
        Ok(Outcome {
            panels,
            columns: 2,
            claims: vec![fit, drift],
            findings: vec![larger, accuracy],
            ..Outcome::default()
        })
    },
};
