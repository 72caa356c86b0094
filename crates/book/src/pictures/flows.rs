//! Ways of signals that chapters describe: the loop of a hybrid test, the line in front of the actuators, the states of a test, and
//! the crates of the program.

use interfield_report::BLACK;
use interfield_report::sketch::{GREY, Pen, Place, Sketch, Words};

use super::strokes::{INK, boxed, label};

/// Colours of what is computed, what is the laboratory's, and what is real.
const COMPUTED: usize = 0;
const CONTROL: usize = 4;
const REAL: usize = 2;

/// All of them.
pub(crate) fn all() -> Vec<(String, String)> {
    let drawn = [
        ("hybrid-loop", hybrid_loop()),
        ("last-line", last_line()),
        ("states", states()),
        ("rig", rig()),
        ("crates", crates()),
    ];
    drawn.into_iter().map(|(name, sketch)| (name.to_owned(), sketch.svg())).collect()
}

const BOX: Place = (118.0, 46.0);

fn note(s: &mut Sketch, text: &str, at: Place) {
    s.text(text, at, Words::Centred, 12.0, GREY);
}

/// Structure, coupling, controller, compensation, guard, actuator, specimen, sensors, and back.
fn hybrid_loop() -> Sketch {
    let mut s = Sketch::new(820.0, 330.0);
    let (top, bottom) = (90.0, 240.0);
    let column = |i: usize| 75.0 + 167.0 * i as f64;
    let upper: [(&[&str], usize); 5] = [
        (&["structure", "scheme"], COMPUTED),
        (&["coupling", "multipliers"], COMPUTED),
        (&["kinematics", "scale"], CONTROL),
        (&["compensation", "of the delay"], CONTROL),
        (&["limits, guard,", "calibration"], CONTROL),
    ];
    for (i, (lines, colour)) in upper.iter().enumerate() {
        boxed(&mut s, (column(i), top), BOX, *colour, lines);
        if i > 0 {
            s.arrow(&[(column(i - 1) + 59.0, top), (column(i) - 59.0, top)], INK);
        }
    }
    boxed(&mut s, (column(4), bottom), BOX, REAL, &["actuator"]);
    boxed(&mut s, (column(3), bottom), BOX, REAL, &["specimen"]);
    boxed(&mut s, (column(2), bottom), BOX, REAL, &["load cell,", "sensors"]);
    boxed(&mut s, (column(1), bottom), BOX, CONTROL, &["limits,", "recording"]);
    boxed(&mut s, (column(0), bottom), BOX, CONTROL, &["kinematics", "scale²"]);
    s.arrow(&[(column(4), top + 23.0), (column(4), bottom - 23.0)], INK);
    for i in (0..4).rev() {
        s.arrow(&[(column(i + 1) - 59.0, bottom), (column(i) + 59.0, bottom)], INK);
    }
    s.arrow(&[(column(0), bottom - 23.0), (column(0), top + 23.0)], INK);
    s.arrow(
        &[(column(2), bottom - 23.0), (column(2), 165.0), (column(3), 165.0), (column(3), top + 23.0)],
        Pen::new(GREY).dashed(),
    );
    note(&mut s, "reached displacement", ((column(2) + column(3)) / 2.0, 157.0));
    s.text("force", (column(0) + 8.0, 170.0), Words::Left, 12.0, GREY);
    s.text("command", (column(4) - 8.0, 170.0), Words::Right, 12.0, GREY);
    note(&mut s, "target", ((column(1) + column(2)) / 2.0, top - 34.0));
    note(&mut s, "computed: every step", ((column(0) + column(1)) / 2.0, 36.0));
    note(&mut s, "controller: every sample (rate)", (column(3), 36.0));
    note(&mut s, "in the laboratory, real or emulated", (column(3), 300.0));
    s.line(
        &[((column(1) + column(2)) / 2.0, 48.0), ((column(1) + column(2)) / 2.0, 128.0)],
        Pen::new(GREY).wide(1.0).dashed(),
    );
    s
}

/// What every command passes.
fn last_line() -> Sketch {
    let mut s = Sketch::new(820.0, 220.0);
    let y = [55.0, 145.0];
    boxed(&mut s, (70.0, y[0]), (110.0, 40.0), COMPUTED, &["targets"]);
    boxed(&mut s, (225.0, y[0]), (130.0, 40.0), CONTROL, &["compensation"]);
    boxed(&mut s, (147.0, y[1]), (264.0, 40.0), CONTROL, &["braking, returning"]);
    for (i, name) in ["limits", "guard", "calibration"].iter().enumerate() {
        boxed(&mut s, (390.0 + 125.0 * i as f64, 100.0), (100.0, 40.0), CONTROL, &[name]);
        if i > 0 {
            s.arrow(&[(315.0 + 125.0 * i as f64, 100.0), (340.0 + 125.0 * i as f64, 100.0)], INK);
        }
    }
    boxed(&mut s, (755.0, 100.0), (100.0, 40.0), REAL, &["actuators"]);
    boxed(&mut s, (755.0, 185.0), (100.0, 40.0), REAL, &["sensors"]);
    s.arrow(&[(125.0, y[0]), (160.0, y[0])], INK);
    s.line(&[(290.0, y[0]), (315.0, y[0]), (315.0, y[1]), (279.0, y[1])], INK);
    s.arrow(&[(315.0, 100.0), (340.0, 100.0)], INK).arrow(&[(690.0, 100.0), (705.0, 100.0)], INK);
    s.arrow(&[(755.0, 120.0), (755.0, 165.0)], INK);
    s.arrow(&[(705.0, 185.0), (390.0, 185.0), (390.0, 120.0)], INK);
    note(&mut s, "limits on everything measured, in every state", (548.0, 177.0));
    s
}

/// The states of a test, on the way that nothing disturbs.
fn states() -> Sketch {
    let mut s = Sketch::new(820.0, 190.0);
    let names = ["idle", "armed", "to start", "running", "returning", "at rest", "finished"];
    let column = |i: usize| 58.0 + 117.0 * i as f64;
    for (i, name) in names.iter().enumerate() {
        boxed(&mut s, (column(i), 45.0), (92.0, 36.0), if i == 6 { REAL } else { COMPUTED }, &[name]);
        if i > 0 {
            s.arrow(&[(column(i - 1) + 46.0, 45.0), (column(i) - 46.0, 45.0)], INK);
        }
    }
    boxed(&mut s, (column(3), 140.0), (92.0, 36.0), CONTROL, &["holding"]);
    boxed(&mut s, (column(6), 140.0), (92.0, 36.0), 1, &["aborted"]);
    s.arrow(&[(column(3) - 12.0, 63.0), (column(3) - 12.0, 122.0)], INK);
    s.arrow(&[(column(3) + 12.0, 122.0), (column(3) + 12.0, 63.0)], INK);
    s.text("trip, pause", (column(3) - 18.0, 96.0), Words::Right, 12.0, GREY);
    s.text("cause gone", (column(3) + 18.0, 96.0), Words::Left, 12.0, GREY);
    s.arrow(&[(column(3) + 46.0, 140.0), (column(4), 140.0), (column(4), 63.0)], Pen::new(GREY).dashed());
    note(&mut s, "hold too long, stop", (column(4) + 8.0, 158.0));
    s.arrow(&[(column(5) + 20.0, 63.0), (column(6) - 46.0, 122.0)], INK);
    s.text("anything tripped", (column(6) - 54.0, 144.0), Words::Right, 12.0, GREY);
    s
}

/// Between a system and hardware.
fn rig() -> Sketch {
    let mut s = Sketch::new(820.0, 150.0);
    boxed(&mut s, (65.0, 75.0), (100.0, 44.0), COMPUTED, &["system"]);
    boxed(
        &mut s,
        (375.0, 75.0),
        (300.0, 84.0),
        CONTROL,
        &["controller", "compensation or a path, limits, states,", "guard, tape", "here, or in a real-time thread"],
    );
    for (i, name) in ["emulated", "remote", "recorded"].iter().enumerate() {
        let y = 30.0 + 45.0 * i as f64;
        boxed(&mut s, (745.0, y), (110.0, 34.0), REAL, &[name]);
        s.arrow(&[(640.0, 75.0), (690.0, y)], INK);
    }
    s.arrow(&[(115.0, 75.0), (225.0, 75.0)], INK);
    s.line(&[(525.0, 75.0), (640.0, 75.0)], INK);
    label(&mut s, "Rig", (170.0, 66.0));
    label(&mut s, "Hardware", (582.0, 66.0));
    s
}

/// The crates, from the front ends to what knows nothing of the others.
fn crates() -> Sketch {
    let mut s = Sketch::new(820.0, 262.0);
    let columns: [(f64, usize, &[&str]); 4] = [
        (85.0, COMPUTED, &["cli", "ensemble", "gallery", "book"]),
        (285.0, 1, &["interfield"]),
        (505.0, CONTROL, &["language", "structure", "lab, learn", "results, report", "analysis, codegen"]),
        (725.0, REAL, &["motion", "coupling", "kernel, linalg", "wire, peers, ethercat", "fmi, mpi"]),
    ];
    for (x, colour, names) in columns {
        let apart = 46.0;
        let first = 142.0 - apart * (names.len() as f64 - 1.0) / 2.0;
        for (i, name) in names.iter().enumerate() {
            boxed(&mut s, (x, first + apart * i as f64), (156.0, 34.0), colour, &[name]);
        }
    }
    for (from, to) in [(163.0, 207.0), (363.0, 427.0), (583.0, 647.0)] {
        s.arrow(&[(from + 6.0, 142.0), (to - 6.0, 142.0)], Pen::new(BLACK).wide(2.5));
    }
    for (x, text) in
        [(85.0, "front ends"), (285.0, "the library"), (505.0, "what it is made of"), (725.0, "what they use")]
    {
        note(&mut s, text, (x, 14.0));
    }
    s
}
