//! Records and generated motions as signals: every format gives the samples that a table would, processing is applied
//! in its order, and mistakes are told where they are.

use std::collections::BTreeMap;

use interfield_language::diag::{Diagnostics, Severity, Source};
use interfield_language::model::Load;
use interfield_language::parse::{Overrides, parse};
use interfield_language::signal::Signal;
use interfield_motion::{Fit, Phase, Quantity, Record};

const G: f64 = 9.80665;

/// A mass on a spring with one load; lengths in mm, forces in kN.
fn model(load: &str) -> String {
    format!(
        "title = \"t\"\ndofs = [\"x\"]\nnode = [{{ name = \"a\", mass = \"1 t\" }}]\n\
         element = [{{ type = \"spring\", name = \"k\", nodes = [\"ground\", \"a\"], dof = \"x\", k = \"4 kN/mm\" }}]\n\
         [units]\nlength = \"mm\"\nforce = \"kN\"\n[[load]]\n{load}\n[analysis]\ndt = \"10 ms\"\nduration = \"1 s\"\n"
    )
}

/// The signal of a model with these files, or all messages; warnings are returned beside the signal.
fn read_load(load: &str, files: &[(&str, &[u8])]) -> Result<(Signal, Vec<String>), Vec<String>> {
    let source = Source::new("m.toml", model(load));
    let diags = Diagnostics::new();
    let files: BTreeMap<&str, &[u8]> = files.iter().copied().collect();
    let open = |path: &str| files.get(path).map(|b| b.to_vec()).ok_or_else(|| "does not exist".to_owned());
    let found = parse(&source, &Overrides::default(), &open, &diags);
    let words = |severity: Severity| -> Vec<String> {
        let all = diags.sorted().into_iter().filter(|d| d.severity == severity);
        all.map(|d| {
            let at = d.span.map_or("", |s| source.slice(s)).to_owned();
            format!("{} | {} | {at}", d.message, d.help.unwrap_or_default())
        })
        .collect()
    };
    match found {
        Some((mut model, _)) => match model.loads.remove(0) {
            Load::Ground { signal, .. } | Load::Force { signal, .. } => Ok((signal, words(Severity::Warning))),
        },
        None => Err(words(Severity::Error)),
    }
}

fn ground(signal: &str, files: &[(&str, &[u8])]) -> Result<(Signal, Vec<String>), Vec<String>> {
    read_load(&format!("type = \"ground\"\ndirection = \"x\"\nsignal = {signal}"), files)
}

/// Start, step and values of equally spaced samples.
fn samples(signal: Signal) -> (f64, f64, Vec<f64>) {
    match signal {
        Signal::Samples { start, dt, values } => (start, dt, values.to_vec()),
        other => panic!("{other:?}"),
    }
}

fn good(signal: &str, text: impl AsRef<[u8]>) -> (f64, f64, Vec<f64>) {
    let found = ground(signal, &[("r", text.as_ref())]).unwrap_or_else(|e| panic!("{signal}: {e:?}"));
    samples(found.0)
}

/// Checks that this is refused with one message; returns it.
fn bad(signal: &str, text: impl AsRef<[u8]>) -> String {
    let errors = ground(signal, &[("r", text.as_ref())]).expect_err(signal);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap_or_default()
}

/// Samples in g, every 10 ms.
const SAMPLES: [f64; 8] = [0.0, 0.01, -0.02, 0.05, -0.03, 0.015, -0.005, 0.0];

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{found:?} {expected:?}");
    }
}

/// The samples in every format.
fn formats() -> Vec<(&'static str, String)> {
    let rows = |scale: f64| SAMPLES.iter().map(|a| format!("{:.6}\n", a * scale)).collect::<String>();
    let timed = |header: &str, separator: &str, scale: f64| {
        let line = |(i, a): (usize, &f64)| format!("{:.2}{separator}{:.8}\n", i as f64 * 0.01, a * scale);
        header.to_owned() + &SAMPLES.iter().enumerate().map(line).collect::<String>()
    };
    let peer = format!(
        "PEER NGA STRONG MOTION DATABASE RECORD\nNowhere, 1/2/1999, Station, 090\n\
         ACCELERATION TIME SERIES IN UNITS OF G\nNPTS=  8, DT= .0100 SEC\n{}",
        rows(1.0)
    );
    let esm = format!(
        "EVENT_NAME: NOWHERE\nSTATION_CODE: ABC\nSAMPLING_INTERVAL_S: 0.010000\nNDATA: 8\nUNITS: cm/s^2\n{}{}",
        (0..59).map(|i| format!("USER{i}:\n")).collect::<String>(),
        rows(100.0 * G)
    );
    let mut cosmos = "Corrected acceleration    (Format v01.20 with 13 text lines) Src: test\n".to_owned();
    cosmos += &(2..=13).map(|i| format!("Text line {i}\n")).collect::<String>();
    cosmos += " 100 Integer-header values follow on  10 lines, Format= (10I8)\n";
    cosmos += &format!("{}\n", "    -999".repeat(10)).repeat(10);
    cosmos += " 100 Real-header values follow on  20 lines, Format= (5F15.6)\n";
    for i in 0..20 {
        let cell = |j| format!("{:15.6}", if i * 5 + j == 61 { 10.0 } else { -999.0 });
        cosmos += &format!("{}\n", (0..5).map(cell).collect::<String>());
    }
    cosmos += "   1 Comment line(s) follow, each starting with a \"|\":\n|\n";
    cosmos += "       8 acceleration pts, approx  0 secs, units=cm/s2  (04), Format=(4F10.5)\n";
    for four in SAMPLES.chunks(4) {
        cosmos += &format!("{}\n", four.iter().map(|a| format!("{:10.5}", a * 100.0 * G)).collect::<String>());
    }
    vec![
        ("{ type = \"file\", path = \"r\" }", peer),
        ("{ type = \"file\", path = \"r\" }", esm),
        ("{ type = \"file\", path = \"r\" }", cosmos),
        ("{ type = \"file\", path = \"r\", unit = \"g\" }", timed("t,a\n", ",", 1.0)),
        ("{ type = \"file\", path = \"r\", unit = \"g\" }", timed("# remark\n", "\t", 1.0)),
        ("{ type = \"file\", path = \"r\", unit = \"g\", dt = \"10 ms\" }", rows(1.0)),
        // Without a unit: that of the header, else that of the model, here mm/s^2.
        ("{ type = \"file\", path = \"r\" }", timed("t [s],a [m/s^2]\n", ",", G)),
        ("{ type = \"file\", path = \"r\" }", timed("# t [s] a [g]\n", " ", 1.0)),
        ("{ type = \"file\", path = \"r\" }", timed("time_s;accel_cm_s2\n", ";", 100.0 * G)),
        ("{ type = \"file\", path = \"r\" }", timed("t,a\n", ",", 1000.0 * G)),
        // A decimal comma; times beside a given step.
        ("{ type = \"file\", path = \"r\", unit = \"g\" }", timed("t;a\n", ";", 1.0).replace('.', ",")),
        ("{ type = \"file\", path = \"r\", unit = \"g\", dt = \"10 ms\" }", timed("t,a\n", ",", 1.0)),
    ]
}

#[test]
fn every_format_gives_the_samples_of_a_table() {
    let list = SAMPLES.map(|a| format!("\"{a} g\"")).join(", ");
    let table = format!("{{ type = \"table\", dt = \"10 ms\", values = [{list}] }}");
    let (start, dt, values) = samples(ground(&table, &[]).unwrap().0);
    for (signal, text) in formats() {
        let found = good(signal, &text);
        assert_eq!((found.0, found.1), (start, dt), "{text}");
        // COSMOS has five decimals of cm/s^2.
        close(&found.2, &values, 1e-7);
        // With a byte-order mark, other line ends, in UTF-16, and with a header in Latin-1.
        assert_eq!(good(signal, format!("\u{feff}{}", text.replace('\n', "\r\n"))).2, found.2);
        let wide: Vec<u8> = [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(good(signal, wide).2, found.2);
    }
    let esm = formats().swap_remove(1).1.into_bytes();
    let at = esm.windows(7).position(|w| w == b"NOWHERE").unwrap();
    let latin = [&esm[..at], b"CIT\xc0", &esm[at..]].concat();
    close(&good("{ type = \"file\", path = \"r\" }", latin).2, &values, 1e-7);
}

#[test]
fn columns_keep_their_times_and_may_be_anything() {
    // Unequal steps and a late start.
    let found = ground("{ type = \"file\", path = \"r\" }", &[("r", b"t,a\n0,1\n1,2\n3,4\n")]).unwrap().0;
    assert!(matches!(&found, Signal::Points(p) if p[2] == (3.0, 0.004)), "{found:?}");
    let (start, dt, values) = good("{ type = \"file\", path = \"r\", column = 3 }", "2,0,1000\n2.5,0,3000\n3,0,2000\n");
    assert_eq!((start, dt, values), (2.0, 0.5, vec![1.0, 3.0, 2.0]));
    // A force, in the unit of the model or of the header.
    for (header, scale) in [("t,F\n", 1000.0), ("t [s],F [N]\n", 1.0)] {
        let load = "type = \"force\"\nat = \"a.x\"\nsignal = { type = \"file\", path = \"r\", resample = \"0.5 s\" }";
        let text = format!("{header}0,1\n0.5,2\n1,-3\n");
        let (_, dt, values) = samples(read_load(load, &[("r", text.as_bytes())]).unwrap().0);
        assert_eq!((dt, values), (0.5, vec![scale, 2.0 * scale, -3.0 * scale]));
    }
    let force = |keys: &str, text: &str| {
        let load = format!("type = \"force\"\nat = \"a.x\"\nsignal = {{ type = \"file\", path = \"r\"{keys} }}");
        read_load(&load, &[("r", text.as_bytes())])
    };
    assert_eq!(samples(force(", peak = \"6 kN\"", "t,F\n0,1\n0.5,2\n1,-3\n").unwrap().0).2, [2000.0, 4000.0, -6000.0]);
    for (keys, text, expected) in [
        (", baseline = 1", "t,F\n0,1\n1,2\n", "`baseline` applies to accelerations, but this signal is force"),
        (", band_pass = [0.1, 2]", "t,F\n0,1\n1,2\n", "`band_pass` applies to accelerations, but this signal is force"),
        ("", &formats()[0].1, "`r`: this is a ground motion (PEER AT2), but force is needed"),
        ("", "t,a [g]\n0,1\n1,2\n", "the column `a [g]` is acceleration"),
    ] {
        let errors = force(keys, text).expect_err(keys);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{errors:?}");
    }
}

/// A record with a drift, in g.
fn drifting() -> (String, Vec<f64>) {
    let a: Vec<f64> = (0..400).map(|i| 0.1 * (0.3 * f64::from(i)).sin() + 0.01 + 1e-5 * f64::from(i)).collect();
    let text = a.iter().map(|x| format!("{x}\n")).collect();
    (text, a.iter().map(|x| x * G).collect())
}

#[test]
fn processing_in_its_order() {
    let (text, values) = drifting();
    let keys = "{ type = \"file\", path = \"r\", unit = \"g\", dt = \"10 ms\"";
    let record = Record::new(0.01, values, Quantity::Acceleration).unwrap();
    let plain = good(&format!("{keys} }}"), &text);
    assert_eq!(plain.2, record.values);
    let corrected = record.baseline_corrected(1, Fit::Velocity).unwrap();
    assert_eq!(good(&format!("{keys}, baseline = 1 }}"), &text).2, corrected.values);
    let filtered = corrected.band_pass(0.5, 20.0, 4, Phase::Zero).unwrap();
    let band = "baseline = 1, band_pass = [\"0.5 Hz\", \"20 Hz\"]";
    assert_eq!(good(&format!("{keys}, {band} }}"), &text).2, filtered.values);
    let resampled = filtered.resampled(0.005).unwrap();
    let (_, dt, values) = good(&format!("{keys}, resample = \"5 ms\", {band} }}"), &text);
    assert_eq!((dt, &values), (0.005, &resampled.values));
    let all = format!("{keys}, scale = -2, peak = \"0.3 g\", resample = \"5 ms\", {band} }}");
    let (_, _, values) = good(&all, &text);
    let peak = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!((peak - 0.6 * G).abs() < 1e-12);
    let factor = -2.0 * 0.3 * G / resampled.peak();
    close(&values, &resampled.values.iter().map(|x| x * factor).collect::<Vec<_>>(), 1e-12);
    for (more, expected, at) in [
        ("baseline = 4", "between 0 and 3, found 4", "4"),
        ("baseline = -1", "between 0 and 3, found -1", "-1"),
        ("band_pass = [\"5 Hz\"]", "two frequencies, the lower one first", "["),
        ("band_pass = [\"5 Hz\", \"1 Hz\"]", "two frequencies, the lower one first", "["),
        ("band_pass = [\"1 Hz\", \"80 Hz\"]", "80", "["),
        ("resample = 0", "greater than zero", "0"),
        ("resample = 1e-12", "more than 10000000 samples", "1e-12"),
        ("resample = \"1 h\"", "fewer than two samples", "\"1 h\""),
        ("peak = \"0 g\"", "greater than zero", "\"0 g\""),
        ("peak = \"3 mm\"", "expected acceleration", "3 mm"),
        ("format = \"sac\"", "unknown value \"sac\"", "\"sac\""),
    ] {
        let message = bad(&format!("{keys}, {more} }}"), &text);
        assert!(message.contains(expected), "{more}: {message}");
        assert!(message.split(" | ").nth(2).is_some_and(|s| s.starts_with(at)), "{more}: {message}");
    }
    assert!(bad("{ type = \"file\", path = \"r\", resample = 0.1 }", "0,1\n1,2\n3,4\n").contains("equally spaced"));
    let zeros = bad("{ type = \"file\", path = \"r\", dt = 1, peak = 1 }", "0\n0\n0\n");
    assert!(zeros.contains("zero throughout"), "{zeros}");
    // Only records are processed.
    let wrong = ground("{ type = \"constant\", value = 1, baseline = 1 }", &[]).expect_err("unknown key");
    assert!(wrong[0].contains("unknown key `baseline`"), "{wrong:?}");
}

#[test]
fn records_that_are_wrong() {
    let file = "{ type = \"file\", path = \"r\" }";
    let peer = formats().swap_remove(0).1;
    for (text, expected) in [
        (peer.replace("-0.030000", "-0.03x000"), "line 9: "),
        (peer.replace("NPTS=  8", "NPTS= 80"), "the header states 80 values, but only 8 were found"),
        (peer.replace("UNITS OF G", "UNITS OF CM/S"), "this is a velocity, but acceleration"),
        (formats()[1].1.replace("0.010000", "ten"), "line 3: "),
        ("t,a\n0,0.1\n0.01,n/a\n".to_owned(), "line 3: `n/a` is not a number"),
        ("<!DOCTYPE html><html></html>".to_owned(), "web page"),
        ("PK\u{3}\u{4}xxxx".to_owned(), "ZIP archive"),
        ("1\u{0}2\n".to_owned(), "is not valid in a text"),
        (String::new(), "empty"),
        ("# nothing\n".to_owned(), "needs 2 to"),
    ] {
        let message = bad(file, &text);
        assert!(message.starts_with("`r`: ") && message.contains(expected), "{message}");
        assert!(message.ends_with("\"r\""), "at the path: {message}");
        assert!(message.split(" | ").nth(1).is_some_and(|h| !h.is_empty()), "help: {message}");
    }
    assert!(bad("{ type = \"file\", path = \"r\", column = 2 }", &peer).contains("`r` is PEER AT2"));
    assert!(bad("{ type = \"file\", path = \"r\", column = 0 }", &peer).contains("counted from 1"));
    assert!(bad("{ type = \"file\", path = \"r\", unit = \"s\" }", &peer).contains("expected a unit of acceleration"));
    assert!(bad("{ type = \"file\", path = \"r\", dt = -1 }", &peer).contains("greater than zero"));
    assert!(bad("{ type = \"file\", path = \"r\", unit = \"g\", scale = 1e308 }", "0,1\n1,2\n").contains("too large"));
    // What was assumed is said.
    let (_, warnings) = ground(file, &[("r", peer.replace("UNITS OF G", "NOTHING").as_bytes())]).unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("g was assumed"), "{warnings:?}");
}

#[test]
fn generated_motions() {
    let ec8 = "type = \"generated\", spectrum = \"ec8\", ag = \"0.25 g\", ground = \"B\"";
    let (start, dt, values) = samples(ground(&format!("{{ {ec8} }}"), &[]).unwrap().0);
    assert_eq!((start, dt, values.len()), (0.0, 0.01, 2001));
    let again = format!("{{ {ec8}, kind = 1, seed = 1, duration = \"20 s\", dt = \"10 ms\", damping = \"5 %\" }}");
    assert_eq!(samples(ground(&again, &[]).unwrap().0).2, values, "defaults, and the same once more");
    let other = samples(ground(&format!("{{ {ec8}, seed = 2, scale = 2 }}"), &[]).unwrap().0).2;
    assert_ne!(other, values);
    let record = Record::new(dt, values, Quantity::Acceleration).unwrap();
    let psa = record.response_spectrum(&[0.2, 0.4, 1.0], 0.05).unwrap().psa;
    // 2.5 a_g S on the plateau, and T_C = 0.5 s.
    for (psa, target) in psa.iter().zip([7.355, 7.355, 3.677]) {
        assert!((psa / target - 1.0).abs() < 0.15, "{psa} {target}");
    }
    let asce = "type = \"generated\", spectrum = \"asce7\", sds = \"1.0 g\", sd1 = \"0.6 g\", duration = \"15 s\"";
    let (_, _, values) = samples(ground(&format!("{{ {asce}, tl = \"8 s\" }}"), &[]).unwrap().0);
    assert_eq!(samples(ground(&format!("{{ {asce} }}"), &[]).unwrap().0).2, values);
    for (signal, expected) in [
        ("spectrum = \"ec9\"".to_owned(), vec!["unknown value \"ec9\""]),
        (format!("{ec8}, kind = 3"), vec!["`kind` must be between 1 and 2, found 3"]),
        (format!("{ec8}, seed = -1"), vec!["whole number from 0, found -1"]),
        (format!("{ec8}, sds = 1"), vec!["unknown key `sds`"]),
        (format!("{ec8}, duration = \"0.1 s\""), vec!["is not a valid motion"]),
        (format!("{ec8}, duration = \"1 h\""), vec!["at most 40000 samples"]),
        (format!("{ec8}, damping = 5"), vec!["between 0.001 and 0.5"]),
        (ec8.replace("0.25 g", "-1 g").replace("\"B\"", "\"F\""), vec!["`ag` must be greater", "unknown value \"F\""]),
        (
            "spectrum = \"asce7\", damping = 0.05".to_owned(),
            vec!["missing key `sds`", "missing key `sd1`", "unknown key"],
        ),
    ] {
        let text = if signal.starts_with("type") { signal } else { format!("type = \"generated\", {signal}") };
        let errors = ground(&format!("{{ {text} }}"), &[]).expect_err(&text);
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
        assert!(expected.iter().all(|e| errors.iter().any(|f| f.contains(e))), "{errors:?}");
    }
    let errors = read_load(&format!("type = \"force\"\nat = \"a.x\"\nsignal = {{ {ec8} }}"), &[]).expect_err("a force");
    assert!(errors.len() == 1 && errors[0].contains("is an acceleration, but force"), "{errors:?}");
}
