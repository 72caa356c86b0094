//! What is wrong is said, with the line it is at.

use interfield_motion::{Format, MAX_BYTES, ReadOptions, read, read_bytes};

fn error(text: &str) -> (usize, String) {
    let e = read(text, &ReadOptions::default()).expect_err(text);
    (e.line, e.to_string())
}

fn assert_error(text: &str, line: usize, part: &str) {
    let (l, m) = error(text);
    assert!(l == line && m.contains(part), "{text:?}\n gave line {l}: {m}\n not line {line}: {part}");
}

const HEAD: &str = "PEER NGA STRONG MOTION DATABASE RECORD\nA, B, C, D\nACCELERATION TIME SERIES IN UNITS OF G\n";

#[test]
fn peer() {
    let p = |rest: &str| format!("{HEAD}{rest}");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n 1.0 2.0\n 3.0 abc\n"), 6, "`abc` is not a number");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n 1.0 2.0\n\n NaN 4.0\n"), 7, "finite");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n 1.0 -Inf\n 3.0 4.0\n"), 5, "finite");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n 1.0 1e400\n 3.0 4.0\n"), 5, "range");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n 1.0 **********\n 3.0 4.0\n"), 5, "field");
    assert_error(&p("NPTS= 400, DT= .005 SEC\n 1.0 2.0\n 3.0 4.0\n"), 6, "states 400 values, but only 4");
    assert_error(&p("NPTS= 999999999999, DT= .005 SEC\n 1.0 2.0\n"), 5, "truncated");
    assert_error(&p("NPTS= 4, DT= .005 SEC\n"), 4, "no values");
    assert_error(&p("NPTS= 4, DT= 0.0 SEC\n 1 2\n"), 4, "sampling interval");
    assert_error(&p("NPTS= 4, DT= -0.01 SEC\n 1 2\n"), 4, "sampling interval");
    assert_error(&p("NPTS= 4\n 1 2\n 3 4\n"), 4, "no sampling interval");
    let forced = ReadOptions { format: Some(Format::Peer), ..Default::default() };
    assert_eq!(read(HEAD, &forced).unwrap_err().line, 3);
}

#[test]
fn one_percent_may_be_missing_and_more_is_cut() {
    let row = " .1E-1\n".repeat(995);
    let r = read(&format!("{HEAD}NPTS= 1000, DT= .005 SEC\n{row}"), &ReadOptions::default()).unwrap();
    assert!(r.values.len() == 995 && r.notes[0].contains("5 of the stated 1000"), "{:?}", r.notes);
    let r = read(&format!("{HEAD}NPTS= 990, DT= .005 SEC\n{row}"), &ReadOptions::default()).unwrap();
    assert!(r.values.len() == 990 && r.notes[0].contains("5 values beyond"), "{:?}", r.notes);
    let (line, _) = error(&format!("{HEAD}NPTS= 1010, DT= .005 SEC\n{row}"));
    assert_eq!(line, 999);
}

#[test]
fn esm() {
    let e = |dt: &str, n: &str, u: &str, body: &str| {
        format!("EVENT_NAME: X\nSTATION_CODE: Y\nSAMPLING_INTERVAL_S: {dt}\nNDATA: {n}\nUNITS: {u}\n{body}")
    };
    assert_error(&e("0.005", "3", "cm/s^2", "1\nx\n3\n"), 7, "`x` is not a number");
    assert_error(&e("0.005", "3", "cm/s^2", "x\n2\n3\n"), 6, "neither `KEY: value` nor a number");
    assert_error(&e("0.005", "3", "cm/s^2", "inf\n2\n3\n"), 6, "finite");
    assert_error(&e("0.005", "3", "cm/s^2", "1\n2\nnan\n"), 8, "finite");
    assert_error(&e("abc", "3", "cm/s^2", "1\n2\n3\n"), 3, "`abc` is not a number");
    assert_error(&e("0.005", "-3", "cm/s^2", "1\n2\n3\n"), 4, "number of values");
    assert_error(&e("0.005", "3", "furlong", "1\n2\n3\n"), 5, "`furlong` is unknown");
    assert_error(&e("0.005", "300", "cm/s^2", "1\n2\n3\n"), 8, "states 300");
    assert_error(&e("0.005", "3", "cm/s^2", ""), 5, "fewer than two");
    // Three components side by side must not be read as one.
    assert_error(&e("0.005", "10", "cm/s^2", &"1 2 3\n".repeat(10)), 15, "states 10 values, but 30");
    assert_error(&e("0.005", "2", "cm\nDATA_TYPE: DISPLACEMENT RESPONSE SPECTRUM", "1 2\n3 4\n"), 6, "not a record");
}

#[test]
fn cosmos() {
    let head = "Corrected acceleration (Format v01.20 with 2 text lines)\nRecord of X\n";
    assert_error(head, 2, "describes the data");
    let line = "6 acceleration pts, approx 0 secs, units=cm/s2 (04), Format=(4F10.5)\n";
    assert_error(&format!("{head}{line}1 2 3 4\n5 6\n"), 3, "no sampling interval");
    let spaced = "6 points of accel data equally spaced at .02 sec, in cm/sec2. (4F10.5)\n";
    assert_error(&format!("{head}{spaced}1 2 3 4\n5 zz\n"), 5, "`zz`");
    assert_error(&format!("{head}{spaced}1 2 3 4\n"), 4, "states 6");
    assert_error(&format!("{head}1 Real-header values follow on 1 lines\nbad\n"), 4, "`bad`");
}

#[test]
fn columns() {
    let h = "t [s],a [m/s^2]\n";
    assert_error(&format!("{h}0,1\n0.1,x\n"), 3, "`x`");
    assert_error(&format!("{h}0,1\n0.1,nan\n"), 3, "finite");
    assert_error(&format!("{h}0,1\n0.1\n"), 3, "1 values on this line");
    assert_error(&format!("{h}0,1\n0.1,2,3\n"), 3, "more values");
    assert_error(&format!("{h}0,1\n0.1,2\n0.1,3\n"), 4, "does not increase");
    assert_error(&format!("{h}0,1\n0.1,2\n0.2,3\n0.4,4\n0.5,4\n"), 5, "not equally spaced");
    assert_error(&format!("{h}0,1\n"), 2, "two values");
    assert_error("0,1\n0.1,2\n", 1, "no unit");
    assert_error("t,a\n0,1\n0.1,2\n", 1, "no unit");
    assert_error("a [g]\n1\n2\n", 2, "no sampling interval");
    assert_error("nan,1\n0.1,2\n", 1, "finite");
    assert_error("hello\nworld\n", 2, "no numbers");
    assert_error("", 0, "empty");
    assert_error(" \n\n", 0, "empty");
    let o = ReadOptions { column: Some(7), ..Default::default() };
    assert!(read(&format!("{h}0,1\n0.1,2\n"), &o).unwrap_err().message.contains("column 7"));
    let wide = format!("{}\n", "1 ".repeat(5000));
    assert_error(&wide, 1, "more than 256");
}

#[test]
fn not_text_at_all() {
    let e = |b: &[u8]| read_bytes(b, &ReadOptions::default()).unwrap_err();
    assert!(e(b"PK\x03\x04abc").message.contains("ZIP"));
    assert!(e(b"\x1f\x8b\x08").message.contains("gzip"));
    assert!(e(b"MATLAB 5.0 MAT-file").message.contains("MAT"));
    assert!(e(b"<!DOCTYPE html><html>").message.contains("web page"));
    let binary = e(b"t [s],a [g]\n0,1\n\x00\x01");
    assert!(binary.line == 3 && binary.message.contains("binary"), "{binary}");
    assert!(e(&[]).message.contains("empty"));
}

#[test]
fn a_text_beyond_the_limit_is_refused_at_once() {
    let bytes = vec![b' '; MAX_BYTES + 1];
    let e = read_bytes(&bytes, &ReadOptions::default()).unwrap_err();
    assert!(e.line == 0 && e.message.contains("128 MiB"), "{e}");
}

#[test]
fn bad_options() {
    let text = "t [s],a [g]\n0,1\n1,2\n";
    for o in [
        ReadOptions { dt: Some(f64::NAN), ..Default::default() },
        ReadOptions { dt: Some(-1.0), ..Default::default() },
        ReadOptions { unit: Some(0.0), ..Default::default() },
        ReadOptions { unit: Some(f64::INFINITY), ..Default::default() },
        ReadOptions { unit: Some(1e308), ..Default::default() },
        ReadOptions { format: Some(Format::Generated), ..Default::default() },
    ] {
        // 1e308 itself is a number; the second value times it is not.
        assert!(read(&text.replace(",2", ",20"), &o).is_err(), "{o:?}");
    }
}
