//! Couplings: what the sides do in one macro-step, along the time of the structure. Equal numbers happen at the same time; the caption
//! says in words what they are.

use interfield_coupling::registry::COUPLINGS;
use interfield_report::BLACK;
use interfield_report::sketch::{GREY, PAPER, Pen, Place, Sketch, Words};

use crate::text::capital;

use super::strokes::{INK, SIZE, THIN, arc, label, rectangle};

/// A macro-step of a coupling.
struct Schedule {
    name: &'static str,
    /// Steps of the coarse side: number, from, to, in macro-steps from t_n.
    coarse: &'static [(u32, f64, f64)],
    /// Number of the substeps of the fine side, first and second half of the macro-step.
    fine: [u32; 2],
    /// Where the coarse side is asked for its velocities or states, in macro-steps, between which it is interpolated.
    nodes: &'static [f64],
    /// Where multipliers are found.
    multipliers: Multipliers,
    /// The numbers in words.
    steps: &'static [&'static str],
}

enum Multipliers {
    /// At the end of every substep.
    Substeps,
    /// At the start and in the middle of every substep.
    Stages,
    /// At the start of every substep.
    Starts,
    /// Once, at the end of the macro-step, linear in time before it.
    Ramp,
    /// Once for all parts.
    Once,
}

/// The classical one, which [`clm`](SCHEDULES) is for rates.
const GC: Schedule = Schedule {
    name: "gc",
    coarse: &[(1, 0.0, 1.0)],
    fine: [2, 2],
    nodes: &[0.0, 1.0],
    multipliers: Multipliers::Substeps,
    steps: &[
        "A makes one free step; B waits",
        "B makes its substeps; the multiplier of each is found from the free velocity of A, linear between t_n and t_n+1",
        "A is corrected by the last multiplier",
    ],
};

/// How far before the last state the mean of a tie of 0.5 lies, in macro-steps.
const TIE: f64 = 0.034;

const SCHEDULES: [Schedule; 15] = [
    Schedule {
        name: "pmc",
        coarse: &[(1, -TIE, 3.0)],
        fine: [1, 1],
        nodes: &[-1.0, 0.0, 1.0, 2.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "A steps freely to t_n+3, from t_n: from a mean of its last three states, which holds its three interlaced sequences together. At the same time B makes its substeps; the multiplier of each is found from the velocity of A, cubic between t_n-1 and t_n+2, which was computed before",
            "the free state of A at t_n+1 is corrected by the multiplier found at t_n+1",
        ],
    },
    Schedule {
        name: "pmc2",
        coarse: &[(1, 1.0 - TIE, 3.0)],
        fine: [1, 1],
        nodes: &[-1.0, 0.0, 1.0, 2.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "A steps freely from t_n+1, with a guess of the multiplier there, to t_n+3. At the same time B makes its substeps; the multiplier of each is found from the velocity of A, cubic between t_n-1 and t_n+2",
            "the states of A at t_n+1 and t_n+3 are corrected by the multiplier found at t_n+1",
        ],
    },
    Schedule {
        name: "pmc2s",
        coarse: &[(1, -TIE, 2.0)],
        fine: [2, 2],
        nodes: &[-1.0, 0.0, 1.0, 2.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "A steps freely to t_n+2, from t_n: from a mean of its last three states, which holds its two interlaced sequences together; B waits",
            "B makes its substeps; the multiplier of each is found from the velocity of A, cubic between t_n-1 and t_n+2",
            "the free state of A at t_n+1 is corrected by the multiplier found at t_n+1",
        ],
    },
    Schedule {
        name: "psl",
        coarse: &[(1, 0.0, 2.0)],
        fine: [1, 1],
        nodes: &[0.0, 1.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "the laws of A are computed from their deformations at t_n for t_n+2. At the same time the linear part of A and B make the substeps; the given forces of the laws are linear between t_n and t_n+1, and the multiplier of each substep makes the velocities of both agree",
            "the laws receive the rates of their deformations at t_n+1",
        ],
    },
    Schedule {
        name: "psl1",
        coarse: &[(1, 0.0, 1.0)],
        fine: [2, 2],
        nodes: &[0.0, 1.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "the laws of A are computed from their deformations at t_n for t_n+1",
            "the linear part of A and B make the substeps; the given forces of the laws are linear between t_n and t_n+1, and the multiplier of each substep makes the velocities of both agree",
            "the laws receive the rates of their deformations at t_n+1",
        ],
    },
    Schedule {
        name: "foh",
        coarse: &[(1, 0.0, 1.0)],
        fine: [1, 1],
        nodes: &[1.0],
        multipliers: Multipliers::Ramp,
        steps: &[
            "A makes one step, at the same time B makes its substeps, both under a multiplier linear in time that ends at a guess",
            "one interface problem at t_n+1 gives the multiplier",
            "both sides are corrected",
        ],
    },
    Schedule {
        name: "pm",
        coarse: &[(1, 0.0, 2.0)],
        fine: [1, 1],
        nodes: &[0.0, 1.0],
        multipliers: Multipliers::Substeps,
        steps: &[
            "A steps freely from t_n to t_n+2. At the same time B makes its substeps; the multiplier of each is found from the velocity of A, linear between t_n and t_n+1, which was computed before",
            "the free state of A at t_n+1 is corrected by the multiplier found at t_n+1",
        ],
    },
    Schedule {
        name: "modified-ph",
        coarse: &[(1, 0.0, 1.0)],
        fine: [1, 1],
        nodes: &[1.0],
        multipliers: Multipliers::Ramp,
        steps: &[
            "A makes one free step, at the same time B makes its substeps, under the multiplier of t_n that fades linearly",
            "one interface problem at t_n+1 gives the new multiplier, which grows linearly from t_n",
            "both sides are corrected",
        ],
    },
    Schedule {
        name: "ph",
        coarse: &[(1, 0.0, 1.0)],
        fine: [2, 2],
        nodes: &[1.0],
        multipliers: Multipliers::Ramp,
        steps: &[
            "A makes one step",
            "B makes its substeps under the multiplier of t_n that fades linearly, and the unbalanced load of A",
            "one interface problem at t_n+1 gives the new multiplier, and both sides are corrected",
        ],
    },
    GC,
    Schedule {
        name: "plsrt2",
        coarse: &[(1, -2.0, 0.0), (1, 0.0, 2.0)],
        fine: [1, 1],
        nodes: &[0.0, 1.0],
        multipliers: Multipliers::Stages,
        steps: &[
            "A steps from t_n-2 to t_n+2 in two stages, with multipliers at t_n-2 and t_n. At the same time B makes its substeps; two multipliers of each are found from B and from A, linear between t_n and t_n+1",
        ],
    },
    Schedule {
        name: "staggered",
        coarse: &[(1, 0.0, 0.5), (3, 0.5, 1.0)],
        fine: [2, 4],
        nodes: &[0.0, 0.5, 1.0],
        multipliers: Multipliers::Stages,
        steps: &[
            "first stage of A, to the middle of the macro-step; B waits",
            "B makes half of its substeps, two multipliers in each",
            "second stage of A with the multiplier in the middle; B waits",
            "B makes the rest of its substeps",
        ],
    },
    Schedule {
        name: "midpoint",
        coarse: &[(1, 0.0, 1.0)],
        fine: [2, 2],
        nodes: &[0.0, 1.0],
        multipliers: Multipliers::Starts,
        steps: &[
            "A makes one step under the multiplier of t_n, which is held; B waits",
            "B makes its substeps, each under the multiplier at its start, against A, linear between t_n and t_n+1",
        ],
    },
    Schedule {
        name: "llm",
        coarse: &[(1, 0.0, 1.0)],
        fine: [1, 1],
        nodes: &[1.0],
        multipliers: Multipliers::Once,
        steps: &[
            "every part steps alone, in any order",
            "one interface problem for all multipliers and for the frame",
            "every part is corrected",
        ],
    },
    Schedule {
        name: "clm",
        steps: &[
            GC.steps[0],
            "B makes its substeps; the multiplier of each is found from the free rates of A, linear between t_n and t_n+1",
            GC.steps[2],
        ],
        ..GC
    },
];

fn of(name: &str) -> Result<&'static Schedule, String> {
    SCHEDULES
        .iter()
        .find(|s| s.name == name)
        .ok_or_else(|| format!("coupling {name}: crates/book/src/pictures has no schedule"))
}

/// What the numbers of its picture mean, in Markdown.
pub(crate) fn steps(name: &str) -> String {
    let steps = of(name).map_or(&[][..], |s| s.steps);
    steps.iter().enumerate().map(|(i, step)| format!("{}. {}.\n", i + 1, times(&capital(step)))).collect()
}

/// The same words with times typeset: t_n+1.
fn times(text: &str) -> String {
    let mut pieces = text.split("t_n");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let length = if piece.starts_with(['+', '-']) { 2 } else { 0 };
        let (step, rest) = piece.split_at(length);
        out += &format!("$t_{{n{step}}}${rest}");
    }
    out
}

/// A picture of each.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    COUPLINGS.iter().map(|info| Ok((format!("coupling-{}", info.name), draw(of(info.name)?).svg()))).collect()
}

/// Substeps that are drawn.
const SUBSTEPS: usize = 4;
const COARSE: f64 = 105.0;
const FINE: f64 = 215.0;

fn draw(schedule: &Schedule) -> Sketch {
    let mut s = Sketch::new(640.0, 300.0);
    let steps = schedule.coarse.iter().flat_map(|c| [c.1, c.2]);
    let reached = steps.chain(schedule.nodes.iter().copied()).chain([0.0, 1.0]);
    let (first, last) = reached.fold((0.0, 1.0), |(a, b): (f64, f64), x| (a.min(x), b.max(x)));
    let unit = (490.0 / (last - first)).min(380.0);
    let left = 100.0 + (490.0 - unit * (last - first)) / 2.0;
    let x = |t: f64| left + unit * (t - first);
    s.area(&[(x(0.0), 40.0), (x(1.0), 40.0), (x(1.0), 250.0), (x(0.0), 250.0)], 5, 0.15);
    lanes(&mut s, schedule, &x, (first, last));
    multipliers(&mut s, schedule, &x);
    for (number, from, to) in schedule.coarse {
        stride(&mut s, (x(*from), COARSE), (x(*to), COARSE), 44.0_f64.min(unit * 0.28), *number, 0);
    }
    for i in 0..SUBSTEPS {
        let at = |i: usize| x(i as f64 / SUBSTEPS as f64);
        if matches!(schedule.multipliers, Multipliers::Once) {
            stride(&mut s, (x(0.0), FINE), (x(1.0), FINE), 30.0, schedule.fine[0], 2);
            break;
        }
        stride(&mut s, (at(i), FINE), (at(i + 1), FINE), 20.0, schedule.fine[usize::from(2 * i >= SUBSTEPS)], 2);
    }
    s
}

/// Time, its marks, and the names of the sides.
fn lanes(s: &mut Sketch, schedule: &Schedule, x: &dyn Fn(f64) -> f64, (first, last): (f64, f64)) {
    let once = matches!(schedule.multipliers, Multipliers::Once);
    for (y, name, what) in [(COARSE, "A", "coarse"), (FINE, "B", "fine")] {
        s.line(&[(x(first) - 12.0, y), (x(last) + 12.0, y)], INK);
        s.text(if once && name == "B" { "B, C .." } else { name }, (16.0, y + 1.0), Words::Left, 16.0, BLACK);
        s.text(if once { "a part" } else { what }, (16.0, y + 17.0), Words::Left, 12.0, GREY);
    }
    let mut t = first.ceil();
    while t <= last + 1e-9 {
        let name = match t as i32 {
            0 => "t_n".to_owned(),
            k => format!("t_n{k:+}"),
        };
        for y in [COARSE, FINE] {
            s.line(&[(x(t), y - 6.0), (x(t), y + 6.0)], INK);
        }
        label(s, &name, (x(t), 272.0));
        t += 1.0;
    }
    if !once {
        for i in 1..SUBSTEPS {
            let at = x(i as f64 / SUBSTEPS as f64);
            s.line(&[(at, FINE - 4.0), (at, FINE + 4.0)], INK);
        }
    }
    s.text("one macro-step", ((x(0.0) + x(1.0)) / 2.0, 290.0), Words::Centred, 12.0, GREY);
}

/// An arc from one time to another, with its number.
fn stride(s: &mut Sketch, from: Place, to: Place, height: f64, number: u32, colour: usize) {
    let middle = ((from.0 + to.0) / 2.0, from.1);
    s.arrow(&arc(middle, ((to.0 - from.0) / 2.0, height), 180.0, 352.0), Pen::new(colour));
    let circle = arc((middle.0, middle.1 - height), (9.5, 9.5), 0.0, 360.0);
    s.area(&circle, PAPER, 1.0).area(&circle, colour, 0.2).line(&circle, Pen::new(colour));
    s.text(&number.to_string(), (middle.0, middle.1 - height + 4.5), Words::Centred, SIZE, BLACK);
}

/// Where multipliers are found and act, and what of the coarse side they are found from.
fn multipliers(s: &mut Sketch, schedule: &Schedule, x: &dyn Fn(f64) -> f64) {
    let places: Vec<f64> = match schedule.multipliers {
        Multipliers::Substeps => (1..=SUBSTEPS).map(|i| i as f64 / SUBSTEPS as f64).collect(),
        Multipliers::Stages => (0..2 * SUBSTEPS).map(|i| i as f64 / SUBSTEPS as f64 / 2.0).collect(),
        Multipliers::Starts => (0..SUBSTEPS).map(|i| i as f64 / SUBSTEPS as f64).collect(),
        Multipliers::Ramp | Multipliers::Once => vec![1.0],
    };
    let nodes: Vec<Place> = schedule.nodes.iter().map(|t| (x(*t), COARSE)).collect();
    s.line(&nodes, Pen::new(1).wide(4.0));
    for node in &nodes {
        s.dot(*node, 5.0, 1);
    }
    if matches!(schedule.multipliers, Multipliers::Stages | Multipliers::Starts) {
        // The coarse side has a multiplier at the start of each of its stages, too.
        for (_, from, _) in schedule.coarse {
            s.dot((x(*from), COARSE), 5.0, 1);
        }
    }
    for place in &places {
        let at = x(*place);
        s.line(&[(at, COARSE + 8.0), (at, FINE - 5.0)], Pen::new(1).wide(1.0).dashed());
        s.dot((at, FINE), 5.0, 1);
    }
    if matches!(schedule.multipliers, Multipliers::Ramp) {
        s.line(
            &[(x(0.0), FINE + 20.0), (x(1.0), FINE + 8.0), (x(1.0), FINE + 20.0), (x(0.0), FINE + 20.0)],
            Pen::new(1),
        );
        s.area(&[(x(0.0), FINE + 20.0), (x(1.0), FINE + 8.0), (x(1.0), FINE + 20.0)], 1, 0.3);
    }
    rectangle(s, (470.0, 8.0), (628.0, 32.0), THIN);
    s.dot((483.0, 20.0), 5.0, 1);
    s.text("multiplier found, acts", (494.0, 24.0), Words::Left, 11.5, BLACK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_typeset() {
        assert_eq!(times("from t_n to t_n+3."), "from $t_{n}$ to $t_{n+3}$.");
    }

    /// What is drawn agrees with what the registry knows of a coupling.
    #[test]
    fn schedules_are_those_of_the_registry() {
        for info in COUPLINGS {
            let schedule = of(info.name).unwrap();
            let together = schedule.coarse.iter().all(|c| schedule.fine == [c.0; 2]);
            if info.sided {
                assert_eq!(together, info.parallel, "{}", info.name);
            }
            let method = (info.build)(interfield_kernel::scheme::registry::Arguments(&[])).unwrap();
            let facts = interfield_coupling::registry::Options::facts(&method);
            let (from, to) = (schedule.coarse[0].1, schedule.coarse[schedule.coarse.len() - 1].2);
            // A thousandth of a macro-step is not seen.
            assert!((to - from - facts.coarse_step).abs() < 1e-3, "{}", info.name);
            let ramp = matches!(schedule.multipliers, Multipliers::Ramp);
            // Those that start up with such a macro-step are told as ramped, too.
            assert!(!ramp || facts.ramped, "{}", info.name);
            let most = schedule.coarse.iter().map(|c| c.0).chain(schedule.fine).max().unwrap();
            assert!(schedule.steps.len() >= most as usize, "{}", info.name);
        }
    }
}
