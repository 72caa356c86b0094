//! Eigenvalues of one step of the coupled Rosenbrock methods: stability, algorithmic damping and frequency error.

use interfield_analysis::spectrum::Principal;
use interfield_report::{Axis, Curve, Mark, Panel, Style};

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::item::{Item, Paper, Stopped};
use crate::models::SPLIT_MASS;
use crate::outcome::Outcome;
use crate::spectra::{MINUS, PLUS, oscillator, probed};
use crate::split_mass::{Cut, Window, parallel, spaced, staggered};

/// The section of 001 on stability.
const ABSOLUTE: &str = "Absolute Stability Properties";
/// Ω at which the dissipation of Fig. 6 is compared: the end of its axis here.
const FAST: f64 = 1.5;
/// A radius that grows, and one that does not by more than rounding.
const GROWS: Expected = Expected::AtLeast(1.0 + 1e-8);
pub(crate) const STABLE: Expected = Expected::AtMost(1.0 + 1e-8);

/// 001, figure 5.
pub(crate) const FIG_5_OF_001: Item = Item {
    id: "001-fig-5",
    paper: Paper::P001,
    place: "Fig. 5",
    what: "Eigenvalues of the staggered scheme on the split mass",
    look: "One oscillator is divided into two halves that share its mass, and one step of both together is a matrix. \
        Two of its eigenvalues are the oscillation, and their magnitude is its decay per step; the others belong to \
        the interface. One is always 1: a gap between the halves does not close. Panels (a) to (c) are the paper's; \
        panel (d) is not in it, and the paper does not say whether its authors examined this case: \
with γ = 1 − √2/2 and subcycling there are windows of the step in which a motion grows, so that a smaller step can be \
worse than a larger one.",
    commands: &[
        "interfield stability-map --coupling staggered --param gamma=minus --substeps 1,10 --ratios 0.1..10",
        "interfield stability-map --coupling staggered --param gamma=plus --substeps 1,10 --ratios 0.1..10",
        "interfield check models/split-mass.toml --coupling staggered --param gamma=minus --substeps 10 --dt \"8 s\" --stability",
    ],
    models: &[&SPLIT_MASS],
    seconds: 2,
    run: |progress| {
        let cuts = [staggered("minus", 0.5, 1), staggered("plus", 0.5, 1), staggered("plus", 1.0, 10)];
        let mut panels = Vec::new();
        for cut in cuts {
            panels.push(eigenvalues(cut, &[], 1.2)?);
        }
        let bad = staggered("minus", 1.0, 10);
        let found = windows(bad)?;
        panels.push(eigenvalues(bad, &found, 1.75)?);
        progress.at(0.3)?;
        let size = sizes(&cuts)?;
        let unitary = Claim::new(
            "The amplification matrix has four eigenvalues, none of them zero; one of the two spurious ones is 1",
        )
        .said(
            "the size of the state vector involved in the recurrence (11) is 4, and therefore, the number of non-zero \
            eigenvalues of the amplification matrix is 4. [...] One of the two spurious eigenvalues is unitary.",
            ABSOLUTE,
        )
        .why(
            "counted. \"Non-zero\" is tested up to Ω = 1, since all but the unitary one tend to zero with growing Ω; 0.1 is far above \
            rounding. An eigenvalue of a defective matrix is computed to 1e-8",
        )
        .measure(Measure::new("length of the state", size.length, "").claimed(exactly(4.0)))
        .measure(Measure::new("smallest magnitude up to Ω = 1", size.smallest, "").claimed(Expected::AtLeast(0.1)))
        .measure(
            Measure::new("largest distance of an eigenvalue to 1", size.from_one, "").claimed(Expected::AtMost(1e-8)),
        );
        let one = ["minus", "plus"].into_iter().flat_map(|gamma| RATIOS.map(|b1| staggered(gamma, b1, 1)));
        let alone = Claim::new("Without subcycling the scheme is stable")
            .said(
                "From the stability analysis, we can conclude that when ss=1, the scheme is stable. This has also been \
                analytically proved by means of linear recurrences.",
                ABSOLUTE,
            )
            .why("a proof allows no exception: no step may grow by more than rounding (1e-8) anywhere in the scan")
            .measure(growing("both γ, b₁ from 0.01 to 100", one)?.claimed(exactly(0.0)).reference(0.0, 0.0));
        progress.at(0.5)?;
        let shown = staggered("plus", 1.0, 10);
        let examined = Claim::new("With subcycling the scheme appears stable in the cases examined")
            .said("When ss>1, the scheme appears to be stable for all cases examined.", ABSOLUTE)
            .why(
                "the paper claims no more than its cases, and the only one it names with ss > 1 is that of Fig. 5(c). In this case no \
                step may grow by more than rounding (1e-8)",
            )
            .measure(growing(&shown.words(), std::iter::once(shown))?.claimed(exactly(0.0)));
        let all = |gamma| SUBSTEPS.into_iter().flat_map(move |ss| RATIOS.map(|b1| staggered(gamma, b1, ss)));
        let plus = Finding::new("With γ = 1 + √2/2 no unstable step was found in a scan of other cases").measure(
            growing("ss from 2 to 40, b₁ from 0.01 to 100", all("plus"))?.claimed(exactly(0.0)).reference(0.0, 0.0),
        );
        progress.at(0.8)?;
        let mut minus =
            Finding::new("With γ = 1 − √2/2 and subcycling a motion grows in windows of Ω, which move with b₁ and ss")
                .measure(
                    growing("ss from 2 to 40, b₁ from 0.01 to 100", all("minus"))?.claimed(Expected::AtLeast(1.0)),
                );
        let other = staggered("minus", 0.5, 10);
        let edges = [([9.65, 11.20], Some((1.44, 0.005))), ([13.06, 20.88], None)];
        minus.measures.extend(of_windows(other, &windows(other)?, &edges, GROWS));
        let edges = [([3.57, 3.82], None), ([7.18, 9.26], Some((1.66, 0.01))), ([9.73, 16.90], None)];
        minus.measures.extend(of_windows(bad, &found, &edges, GROWS));
        let claims = vec![unitary, alone, examined];
        Ok(Outcome { panels, columns: 2, claims, findings: vec![plus, minus], ..Outcome::default() })
    },
};

/// 001, figure 6.
pub(crate) const FIG_6_OF_001: Item = Item {
    id: "001-fig-6",
    paper: Paper::P001,
    place: "Fig. 6",
    what: "Algorithmic damping and frequency error of the staggered scheme",
    look: "The oscillation of the step is compared with the true one: how much damping the method adds, and by how much its \
frequency is off. Both should vanish as the step does, with the cube and the square of Ω for a second-order method. Dashed: \
the same method on the structure in one piece. What the cut adds is the distance between both; with γ = 1 − √2/2 it may even \
be negative damping, which is growth at every step, however small.",
    commands: &[
        "interfield spectrum --scheme lsrt2 --param gamma=minus --omega 0.1,0.5,1",
        "interfield run models/split-mass.toml --coupling staggered --substeps 10 --set b1=2 --dt \"0.3 s\" --until \"3000 s\"",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |progress| {
        let mut panels = Vec::new();
        for ss in [1, 10] {
            panels.extend(principal(ss)?);
            progress.at(0.04 * f64::from(ss))?;
        }
        let mut claim = Claim::new("The partitioned algorithms dissipate high frequencies as their progenitors do")
            .said(
                "Moreover, both the algorithmic damping ξ and the frequency error (Ω − Ω̄)/Ω determined by the principal eigenvalues \
                are depicted in Fig. 6. We can observe that the partitioned algorithms exhibit favourable dissipation capabilities in \
                the high frequency range as the progenitor algorithms.",
                ABSOLUTE,
            )
            .why(
                "neither γ nor b₁ of the figure are told; judged are the three cases of Fig. 5. High frequencies: as in 000-fig-1, with a magnitude of \
                0.1 at Ω = 100 a motion is below one per cent after two steps; all eigenvalues count but the unitary one, which the paper names. \
                As the progenitors: at Ω = 1.5, four steps per period, at least the damping of the progenitor with the smaller γ, which the paper \
                calls favourable (Fig. 2)",
            );
        let alone = |integrator| -> Result<f64, Stopped> {
            Ok(probed(&oscillator(integrator)?, FAST)?.1.map_or(f64::NAN, |p| p.damping))
        };
        let [minus, plus] = [alone(MINUS)?, alone(PLUS)?];
        let damping = |cut: Cut| -> Result<f64, Stopped> {
            Ok(cut.model()?.spectrum(FAST)?.principal.map_or(f64::NAN, |p| p.damping))
        };
        let rest = |cut: Cut, omega: f64| -> Result<Measure, Stopped> {
            let rest = without_one(&cut.model()?.spectrum(omega)?.eigenvalues).first().copied().unwrap_or(f64::NAN);
            Ok(Measure::new(format!("{}: largest |λ| but 1 at Ω = {omega}", cut.words()), rest, ""))
        };
        for cut in [staggered("minus", 0.5, 1), staggered("plus", 0.5, 1), staggered("plus", 1.0, 10)] {
            let what = format!("{}: algorithmic damping ratio at Ω = {FAST}", cut.words());
            claim = claim
                .measure(rest(cut, 100.0)?.claimed(Expected::AtMost(0.1)))
                .measure(Measure::new(what, damping(cut)?, "").claimed(Expected::AtLeast(minus)));
        }
        let third = damping(staggered("plus", 0.5, 10))? / plus;
        let less = Finding::new(
            "With γ = 1 + √2/2 and ten substeps the damping at Ω = 1.5 is about a third of that in one piece",
        )
        .measure(
            Measure::new("b₁ = 0.5: damping over that in one piece", third, "").claimed(Expected::Between(0.3, 0.4)),
        );
        let grows = staggered("minus", 0.5, 10);
        let spurious = Finding::new(
            "With γ = 1 − √2/2, b₁ = 0.5 and ten substeps, of which the paper does not speak, high frequencies are not dissipated: at Ω = 10 a motion grows, \
            and at Ω = 1000 one of the cut hardly decays",
        )
        .measure(rest(grows, 10.0)?.claimed(GROWS))
        .measure(rest(grows, 1000.0)?.claimed(Expected::AtLeast(0.5)));
        let mut driven = Finding::new(
            "With γ = 1 − √2/2, b₁ above 1 and subcycling the damping of the oscillation is negative: weakly unstable at every step, \
            however small. The paper does not say that such cases were examined",
        );
        for (b1, ss, value, tolerance) in [
            (2.0, 3, -5e-4, 0.5e-4),
            (2.0, 4, -8e-4, 0.5e-4),
            (2.0, 10, -1.0e-3, 0.05e-3),
            (10.0, 10, -2.6e-4, 0.05e-4),
        ] {
            driven = driven.measure(leading_damping(staggered("minus", b1, ss))?.reference(value, tolerance));
        }
        Ok(Outcome {
            panels,
            columns: 2,
            claims: vec![claim],
            findings: vec![less, spurious, driven],
            ..Outcome::default()
        })
    },
};

const PAIRS: &str =
    "The number of non-zero eigenvalues of R is 10: 4 complex pairs and 2 real ones, of which one is always 1.";
const CONDITIONS: &str = "An analysis of different cases (different ss and b₁) shows: with γ = 1 + √2/2 the method dissipates well, \
    which guarantees unconditional stability; with γ = 1 − √2/2 it is only conditionally stable.";

/// 002, figure 8.
pub(crate) const FIG_8_OF_002: Item = Item {
    id: "002-fig-8",
    paper: Paper::P002,
    place: "Fig. 8",
    what: "Eigenvalues of the interfield-parallel scheme on the split mass",
    look: "The parallel scheme lets both halves compute at the same time: A steps over four system steps on overlapping windows, \
so its state is longer, and there are ten eigenvalues instead of four. The paper finds γ = 1 + √2/2 unconditionally stable. \
The shaded window in panel (a), which is the paper's own case, shows that it is not: the radius exceeds one by a few \
percent, too little to be visible on the scale of a figure, but enough to make a test unstable within a second.",
    commands: &[
        "interfield stability-map --coupling plsrt2 --param gamma=plus --substeps 1,5,10 --omega 0.1..100",
        "interfield check models/split-mass.toml --coupling plsrt2 --param gamma=plus --set b1=0.1 --substeps 10 --dt \"13 s\" --stability",
    ],
    models: &[&SPLIT_MASS],
    seconds: 3,
    run: |progress| {
        let cuts = [parallel("plus", 0.1, 10), parallel("minus", 0.1, 10)];
        let found = windows(cuts[0])?;
        let panels = vec![eigenvalues(cuts[0], &found, 1.2)?, eigenvalues(cuts[1], &windows(cuts[1])?, 1.4)?];
        progress.at(0.3)?;
        let size = sizes(&cuts)?;
        let ten =
            Claim::new("The amplification matrix has size 14 and ten non-zero eigenvalues; one of them is always 1")
                .said("因此, R 矩阵的维数为 14。[...] R 矩阵的非零特征值的个数为 10, 其中, 4 对共轭复数, 2 个为实数(其中有 1 个特征值恒为 1)。", "Sec. 3")
                .translation(PAIRS)
                .why(
                    "counted. A quadruple zero is computed no better than the fourth root of rounding, so that magnitudes below 1e-3 count \
                    as zero; up to Ω = 1, where the others are larger",
                )
                .measure(Measure::new("length of the state", size.length, "").claimed(exactly(14.0)))
                .measure(
                    Measure::new("eigenvalues that are not zero up to Ω = 1", size.nonzero, "").claimed(exactly(10.0)),
                )
                .measure(
                    Measure::new("largest distance of an eigenvalue to 1", size.from_one, "")
                        .claimed(Expected::AtMost(1e-8)),
                );
        let mut pairs = Claim::new("The ten are four complex pairs and two real ones")
            .said("R 矩阵的非零特征值的个数为 10, 其中, 4 对共轭复数, 2 个为实数(其中有 1 个特征值恒为 1)。", "Sec. 3")
            .translation(PAIRS)
            .why("counted, in the two cases of the figure; the sentence restricts no Ω")
            .correction("true of small Ω only: of γ = 1 − √2/2 up to Ω of about 5, of γ = 1 + √2/2 below 0.3");
        for (cut, omega, count) in
            [(cuts[1], 1.0, 4.0), (cuts[1], 20.0, 3.0), (cuts[0], 0.1, 4.0), (cuts[0], 0.3, 3.0), (cuts[0], 1.0, 3.0)]
        {
            let found = cut.model()?.spectrum(omega)?.eigenvalues;
            let complex = found.iter().filter(|e| e.1 > 1e-6 && e.0.hypot(e.1) > NOTHING).count() as f64;
            let measure = Measure::new(format!("{}: complex pairs at Ω = {omega}", cut.words()), complex, "");
            let measure = measure.claimed(exactly(4.0)).reference(count, 0.0);
            pairs = pairs.measure(if count == 4.0 { measure.corrected(exactly(4.0)) } else { measure });
        }
        progress.at(0.4)?;
        let mut always = Claim::new("With γ = 1 + √2/2 the scheme is unconditionally stable")
            .said(
                "通过不同情况(不同的参数 ss 和 b₁) 分析发现: 在 γ = 1 + √2/2 时该方法具有较好的能量耗散特性, 能够保证其无条件稳定性; \
                在 γ = 1 − √2/2 时该方法仅为条件稳定。",
                "Sec. 3",
            )
            .translation(CONDITIONS)
            .why(
                "unconditionally stable means that no step grows, up to rounding (1e-8). The first case is that of the paper's own \
                figure",
            )
            .correction("it grows in a window of Ω from ss = 6 on, also in the case of the paper's figure");
        always.measures.extend(of_windows(cuts[0], &found, &[([39.3, 70.3], Some((1.034, 0.0005)))], STABLE));
        for (b1, edges) in [(0.5, ([20.6, 32.7], Some((1.049, 0.0005)))), (1.0, ([18.2, 21.3], Some((1.007, 0.0005))))]
        {
            let cut = parallel("plus", b1, 10);
            always.measures.extend(of_windows(cut, &windows(cut)?, &[edges], STABLE));
        }
        progress.at(0.6)?;
        let few =
            [1, 2, 5].into_iter().flat_map(|ss| [0.01, 0.1, 0.5, 1.0, 2.0, 10.0].map(|b1| parallel("plus", b1, ss)));
        let six = parallel("plus", 0.1, 6);
        let largest = windows(six)?.into_iter().map(|w| w.radius).fold(0.0, f64::max);
        let always = always
            .measure(
                Measure::new(format!("{}: largest ρ", six.words()), largest, "").claimed(Expected::AtMost(1.0 + 1e-8)),
            )
            .measure(growing("ss up to 5, b₁ from 0.01 to 10", few)?.reference(0.0, 0.0));
        progress.at(0.8)?;
        let small = conditional()?
            .said("在 γ = 1 − √2/2 时该方法仅为条件稳定。", "Sec. 3")
            .translation("With γ = 1 − √2/2 the method is only conditionally stable.");
        Ok(Outcome { panels, columns: 2, claims: vec![ten, pairs, always, small], ..Outcome::default() })
    },
};

/// That the parallel scheme with the smaller γ is stable for small steps only, if at all.
pub(crate) fn conditional() -> Result<Claim, Stopped> {
    let mut claim = Claim::new("With γ = 1 − √2/2 the parallel scheme is only conditionally stable").why(
        "conditionally stable means that some step grows; Ω = 1000 is far beyond any step that resolves a motion. The paper gives no \
        limits of the step",
    );
    for (b1, ss, limit, tolerance) in
        [(0.1, 10, 16.1, 0.05), (0.5, 10, 9.2, 0.05), (1.0, 10, 1.10, 0.005), (1.0, 1, 1.44, 0.005)]
    {
        let cut = parallel("minus", b1, ss);
        let first = windows(cut)?.first().map_or(f64::INFINITY, |w| w.from);
        let measure = Measure::new(format!("{}: first Ω that grows", cut.words()), first, "");
        claim = claim.measure(measure.claimed(Expected::AtMost(1e3)).reference(limit, tolerance));
    }
    Ok(claim.measure(leading_damping(parallel("minus", 2.0, 10))?.reference(-1.8e-3, 0.1e-3)))
}

/// Algorithmic damping of the oscillation for small steps.
fn leading_damping(cut: Cut) -> Result<Measure, Stopped> {
    let value = cut.model()?.leading_damping(0.1)?;
    Ok(Measure::new(format!("{}: damping ratio over Ω³ at Ω = 0.1", cut.words()), value, ""))
}

/// Magnitudes below this are zero: a quadruple zero is computed no better than the fourth root of rounding.
const NOTHING: f64 = 1e-3;
/// Ratios b₁ and substeps of the scans.
const RATIOS: [f64; 7] = [0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0];
const SUBSTEPS: [u32; 5] = [2, 3, 4, 10, 40];

fn exactly(value: f64) -> Expected {
    Expected::Near { value, tolerance: 0.0 }
}

pub(crate) fn windows(cut: Cut) -> Result<Vec<Window>, Stopped> {
    cut.model()?.windows()
}

/// Magnitudes of the eigenvalues, largest first, without the one that is nearest to 1.
fn without_one(eigenvalues: &[(f64, f64)]) -> Vec<f64> {
    let from_one = |e: &(f64, f64)| (e.0 - 1.0).hypot(e.1);
    let one = (0..eigenvalues.len()).min_by(|a, b| from_one(&eigenvalues[*a]).total_cmp(&from_one(&eigenvalues[*b])));
    eigenvalues.iter().enumerate().filter(|(i, _)| Some(*i) != one).map(|(_, e)| e.0.hypot(e.1)).collect()
}

/// Magnitudes of all eigenvalues over Ω, with the windows in which they grow.
pub(crate) fn eigenvalues(cut: Cut, windows: &[Window], top: f64) -> Result<Panel, Stopped> {
    let model = cut.model()?;
    let mut curves: Vec<Curve> = Vec::new();
    for omega in spaced(0.01, 1e3, 601) {
        for (i, magnitude) in without_one(&model.spectrum(omega)?.eigenvalues).into_iter().enumerate() {
            if curves.len() <= i {
                let name = if i == 0 { "all other eigenvalues" } else { "" };
                curves.push(Curve::line(name, Vec::new()).colour(0));
            }
            curves[i].points.push((omega, magnitude));
        }
    }
    // Those that are zero have nothing to show.
    curves.retain(|c| c.points.iter().any(|p| p.1 > NOTHING));
    curves.push(Curve::line("the eigenvalue 1", vec![(0.01, 1.0), (1e3, 1.0)]).style(Style::Dashed).colour(1));
    let grows = |w: &Window| Mark::Region(w.from, w.to, "a motion grows".to_owned());
    Ok(Panel {
        title: cut.words(),
        x: Axis::new("Ω = ω × step of A", "").log().over(0.01, 1e3),
        y: Axis::new("magnitude |λ|", "").over(0.0, top),
        curves,
        marks: windows.iter().map(grows).collect(),
        ..Panel::default()
    })
}

/// Damping and frequency error of the oscillation over Ω, coupled and in one piece.
fn principal(ss: u32) -> Result<[Panel; 2], Stopped> {
    let (mut damping, mut error) = (Vec::new(), Vec::new());
    for (colour, (cut, alone)) in
        [(staggered("minus", 0.5, ss), MINUS), (staggered("plus", 0.5, ss), PLUS)].into_iter().enumerate()
    {
        let (model, alone) = (cut.model()?, (alone.0, oscillator(alone)?));
        let (mut coupled, mut whole) = (Vec::new(), Vec::new());
        for omega in (1..=150).map(|i| 0.01 * f64::from(i)) {
            coupled.push((omega, model.spectrum(omega)?.principal));
            whole.push((omega, probed(&alone.1, omega)?.1));
        }
        let mut add = |name: String, found: &[(f64, Option<Principal>)], style: Style| {
            let points =
                |of: fn(Principal) -> f64| found.iter().map(|(omega, p)| (*omega, p.map_or(f64::NAN, of))).collect();
            damping.push(Curve::line(&name, points(|p| p.damping)).style(style.clone()).colour(colour));
            error.push(Curve::line(name, points(|p| p.frequency_error)).style(style).colour(colour));
        };
        add(format!("{}, coupled", alone.0), &coupled, Style::Line);
        add(format!("{}, in one piece", alone.0), &whole, Style::Dashed);
    }
    let panel = |what: &str, y: Axis, curves| Panel {
        title: format!("{what}, b₁ = 0.5, ss = {ss}"),
        x: Axis::new("Ω = ω × step of A", "").over(0.0, 1.5),
        y,
        curves,
        ..Panel::default()
    };
    Ok([
        panel("damping", Axis::new("algorithmic damping ratio", ""), damping),
        panel("frequency error", Axis::new("relative frequency error", ""), error),
    ])
}

/// What the matrices of some couplings have in common.
struct Sizes {
    length: f64,
    nonzero: f64,
    smallest: f64,
    from_one: f64,
}

fn sizes(cuts: &[Cut]) -> Result<Sizes, Stopped> {
    let mut sizes = Sizes { length: 0.0, nonzero: f64::INFINITY, smallest: f64::INFINITY, from_one: 0.0 };
    for cut in cuts {
        let model = cut.model()?;
        for omega in spaced(0.1, 100.0, 31) {
            let found = model.spectrum(omega)?.eigenvalues;
            let magnitudes = || found.iter().map(|e| e.0.hypot(e.1));
            sizes.length = found.len() as f64;
            if omega <= 1.0 {
                sizes.nonzero = sizes.nonzero.min(magnitudes().filter(|m| *m > NOTHING).count() as f64);
                sizes.smallest = magnitudes().fold(sizes.smallest, f64::min);
            }
            let nearest = found.iter().map(|e| (e.0 - 1.0).hypot(e.1)).fold(f64::INFINITY, f64::min);
            sizes.from_one = sizes.from_one.max(nearest);
        }
    }
    Ok(sizes)
}

/// How many of these couplings and of 49 values of Ω from 0.01 to 10 000 let a motion grow.
fn growing(which: &str, cuts: impl Iterator<Item = Cut>) -> Result<Measure, Stopped> {
    let (mut count, mut of) = (0, 0);
    for cut in cuts {
        let model = cut.model()?;
        for omega in spaced(0.01, 1e4, 49) {
            of += 1;
            count += u32::from(model.growth(omega)?.is_some());
        }
    }
    Ok(Measure::new(format!("{which}: steps that grow, of {of} examined"), f64::from(count), ""))
}

/// A window of an independent implementation, with its largest radius and the tolerance of that where it is known.
type Edges = ([f64; 2], Option<(f64, f64)>);

/// The windows of a coupling, with what is said of the largest radius in them. `edges` are the windows that an independent
/// implementation found, some with their largest radius and its tolerance.
pub(crate) fn of_windows(cut: Cut, found: &[Window], edges: &[Edges], radius_is: Expected) -> Vec<Measure> {
    let name = cut.words();
    let mut measures = Vec::new();
    for (i, ([from, to], radius)) in edges.iter().enumerate() {
        let none = Window { from: f64::NAN, to: f64::NAN, radius: f64::NAN };
        let window = found.get(i).unwrap_or(&none);
        let largest = Measure::new(format!("{name}: largest ρ in this window"), window.radius, "").claimed(radius_is);
        measures.push(Measure::new(format!("{name}: window from Ω"), window.from, "").reference(*from, 0.005 * from));
        measures.push(Measure::new(format!("{name}: window to Ω"), window.to, "").reference(*to, 0.005 * to));
        measures.push(match radius {
            Some((value, tolerance)) => largest.reference(*value, *tolerance),
            None => largest,
        });
    }
    measures
}
