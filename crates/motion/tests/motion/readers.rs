//! Every layout a record comes in, on samples written for these tests.

use interfield_motion::{Format, Quantity, ReadOptions, STANDARD_GRAVITY, read, read_bytes};

fn options() -> ReadOptions {
    ReadOptions::default()
}

const MODERN: &str = "PEER NGA STRONG MOTION DATABASE RECORD\n\
Anywhere-01, 1/2/1999, Some Station, Hall A, 090\n\
ACCELERATION TIME SERIES IN UNITS OF G\n\
NPTS=   7, DT=   .0050 SEC,\n\
  .1000000E-02  -.2000000E-02   .3000000E-02  -.4000000E-02   .5000000E-02\n\
  .6000000E-02   .7000000E-02\n";

#[test]
fn peer_modern() {
    let r = read(MODERN, &options()).unwrap();
    assert_eq!((r.format, r.quantity, r.dt, r.values.len()), (Format::Peer, Quantity::Acceleration, 0.005, 7));
    assert_eq!(r.values[1], -0.002 * STANDARD_GRAVITY);
    assert_eq!(r.meta("event"), Some("Anywhere-01"));
    assert_eq!(r.meta("station"), Some("Some Station, Hall A"));
    assert_eq!(r.meta("component"), Some("090"));
    assert!(r.notes.is_empty(), "{:?}", r.notes);
    // The same with carriage returns, with a byte-order mark, with old Macintosh line ends.
    let crlf = format!("\u{feff}{}", MODERN.replace('\n', "\r\n"));
    assert_eq!(read_bytes(crlf.as_bytes(), &options()).unwrap().values, r.values);
    assert_eq!(read(&MODERN.replace('\n', "\r"), &options()).unwrap().values, r.values);
}

#[test]
fn peer_count_line_variants() {
    for line in [
        "NPTS=      7, DT=   .0050 SEC",
        "NPTS=7 DT=0.005",
        "NPTS: 7, DT: 0.005 sec",
        "   7    0.0050    NPTS, DT",
        "   7    0.0050",
        "npts =  7 , dt =  5.0E-03SEC",
        "NPTS=  7, DT= .00500 SEC, some more text",
    ] {
        let text = MODERN.replace("NPTS=   7, DT=   .0050 SEC,", line);
        let r = read(&text, &options()).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!((r.format, r.dt, r.values.len()), (Format::Peer, 0.005, 7), "{line}");
    }
}

#[test]
fn peer_six_line_header() {
    let text = "Data for Nowhere 1950 North South Component\n9 points at equal spacing of 0.02 sec\n\
        Points are listed in the format of 8F10.5, i.e., 8 points across in\na row with 5 decimal places\n\
        The units are (g)\n*** Begin data ***\nNPTS=  9, DT= .02000 SEC\n\
        \x20  0.00100   0.00200   0.00300   0.00400   0.00500   0.00600   0.00700   0.00800\n\
        \x20 -0.00900\n*** End Data ***\n\n\n";
    let r = read(text, &options()).unwrap();
    assert_eq!((r.format, r.dt, r.values.len()), (Format::Peer, 0.02, 9));
    assert_eq!(r.values[8], -0.009 * STANDARD_GRAVITY);
    assert!(r.notes.is_empty(), "{:?}", r.notes);
}

#[test]
fn peer_run_together_velocity_and_fortran_exponents() {
    let text = "PEER STRONG MOTION DATABASE RECORD\nA, B, C\nVELOCITY TIME SERIES IN UNITS OF CM/S\nNPTS= 4, DT= .01 SEC\n\
        -.1234567E-02-.7654321E-03 0.1000000D+010.2000000D+01\n";
    let r = read(text, &options()).unwrap();
    assert_eq!(r.quantity, Quantity::Velocity);
    let expected = [-0.1234567e-4, -0.7654321e-5, 0.01, 0.02];
    assert!(r.values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-18));
    assert_eq!(r.notes.len(), 1);
}

#[test]
fn peer_rows_without_a_header() {
    let o = ReadOptions { format: Some(Format::Peer), dt: Some(0.02), ..options() };
    let r = read("0.1 0.2 0.3\n0.4 0.5\n", &o).unwrap();
    assert_eq!((r.values.len(), r.dt), (5, 0.02));
    assert!(r.notes.iter().any(|n| n.contains("g was assumed")), "{:?}", r.notes);
}

fn esm(ndata: &str, units: &str, body: &str) -> String {
    let mut keys = vec![
        "EVENT_NAME: SOMEWHERE".to_owned(),
        "EVENT_ID: XX-1".to_owned(),
        "EVENT_DATE_YYYYMMDD: 20200101".to_owned(),
        "NETWORK: XX".to_owned(),
        "STATION_CODE: ABC".to_owned(),
        "STREAM: HNE".to_owned(),
        "SAMPLING_INTERVAL_S: 0.005000".to_owned(),
        format!("NDATA: {ndata}"),
        format!("UNITS: {units}"),
        "PGA_CM/S^2: -3.0".to_owned(),
        "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS: 20200101_00:00:00.000".to_owned(),
    ];
    while keys.len() < 64 {
        keys.push(format!("USER{}:", keys.len()));
    }
    format!("{}\n{body}", keys.join("\n"))
}

#[test]
fn esm_ascii() {
    let r = read(&esm("4", "cm/s^2", "1.0\n2.0\n-3.0\n0.5\n"), &options()).unwrap();
    assert_eq!((r.format, r.dt, r.quantity), (Format::Esm, 0.005, Quantity::Acceleration));
    assert_eq!(r.values, [0.01, 0.02, -0.03, 0.005]);
    assert_eq!(
        (r.meta("event"), r.meta("station"), r.meta("component")),
        (Some("SOMEWHERE"), Some("ABC"), Some("HNE"))
    );
    assert!(r.notes.is_empty());
    assert_eq!(read(&esm("2", "cm/s", "1.0\n2.0\n"), &options()).unwrap().quantity, Quantity::Velocity);
}

#[test]
fn esm_latin_1_header() {
    let text = esm("2", "cm/s^2", "1\n2\n").replace("SOMEWHERE", "CIT?");
    let mut bytes = text.into_bytes();
    let at = bytes.iter().position(|b| *b == b'?').unwrap();
    bytes[at] = 0xe0;
    let r = read_bytes(&bytes, &options()).unwrap();
    assert_eq!(r.meta("event"), Some("CITà"));
    assert!(r.notes[0].contains("line 1") && r.notes[0].contains("Latin-1"));
}

/// A COSMOS record with the given data line and body; the real header has 10 ms at its place.
fn cosmos(data_line: &str, body: &str) -> String {
    let mut t =
        "Corrected acceleration    (Format v01.20 with 13 text lines) Src: test\nRecord of nothing\n".to_owned();
    t += "Hypocenter: none\nOrigin: none\nStatn No: 05- 1  Code:XX-1  Test site\n";
    for i in 6..=13 {
        t += &format!("Text line {i}\n");
    }
    t += " 100 Integer-header values follow on  10 lines, Format= (10I8)\n";
    for _ in 0..10 {
        t += &"    -999".repeat(10);
        t += "\n";
    }
    t += " 100 Real-header values follow on  20 lines, Format= (5F15.6)\n";
    for i in 0..20 {
        for j in 0..5 {
            t += &format!("{:15.6}", if i * 5 + j == 61 { 10.0 } else { -999.0 });
        }
        t += "\n";
    }
    t += "   2 Comment line(s) follow, each starting with a \"|\":\n|\n| remark 12 pts\n";
    format!("{t}{data_line}\n{body}")
}

#[test]
fn cosmos_v1_20() {
    let line = "       6 acceleration pts, approx  0 secs, units=cm/s2  (04), Format=(4F10.5)";
    let body = "   1.00000  -2.00000   3.00000   4.00000\n   5.00000   6.00000\nEnd-of-data for Chan  1 acceleration\n";
    let text = cosmos(line, body);
    let r = read(&text, &options()).unwrap();
    assert_eq!((r.format, r.dt), (Format::Cosmos, 0.01));
    assert_eq!(r.values, [0.01, -0.02, 0.03, 0.04, 0.05, 0.06]);
    assert_eq!(r.meta("station"), Some("05- 1  Code:XX-1  Test site"));
    // A second block is named, not read.
    let r = read(&format!("{text}{text}"), &options()).unwrap();
    assert_eq!(r.values.len(), 6);
    assert!(r.notes.iter().any(|n| n.contains("further blocks")));
}

#[test]
fn cosmos_full_fields_are_cut_by_width() {
    let line = "  4 acceleration pts, approx  0 secs, units=cm/s2 (04), Format=(4F10.5)";
    let r = read(&cosmos(line, "1234.123451234.12345-234.123451234.12345\n"), &options()).unwrap();
    assert!((r.values[2] + 2.3412345).abs() < 1e-12 && r.values.len() == 4);
}

#[test]
fn csmip_data_line() {
    let line = "    4 points of accel data equally spaced at  .020 sec, in cm/sec2. (8f10.3)";
    let r = read(&cosmos(line, "     1.000     2.000     3.000     4.000\n/&\n"), &options()).unwrap();
    assert_eq!((r.dt, r.values.len(), r.values[3]), (0.02, 4, 0.04));
}

#[test]
fn cosmos_counts_are_refused_without_a_factor() {
    let text = cosmos("  3 acceleration pts, approx  0 secs, units=counts (50),Format=(3I8)", "  1  2  3\n");
    let e = read(&text, &options()).unwrap_err();
    assert_eq!(e.line, 49, "{e}");
    assert!(e.message.contains("counts"));
    assert_eq!(read(&text, &ReadOptions { unit: Some(0.5), ..options() }).unwrap().values, [0.5, 1.0, 1.5]);
}

#[test]
fn columns_with_headers() {
    for (text, value) in [
        ("t [s], a [m/s^2]\n0,0\n0.01,1\n0.02,2\n", 2.0),
        ("time,acc(g)\n0,0\n0.01,1\n0.02,2\n", 2.0 * STANDARD_GRAVITY),
        ("time_s,accel_m_s2\n0,0\n0.01,1\n0.02,2\n", 2.0),
        ("# remark\n# station: here\nt [ms];a [cm/s²]\n0;0\n10;1,5\n20;2,0\n", 0.02),
        ("# t [s] a [m/s^2]\n0 0\n0.01 1\n0.02 2\n", 2.0),
        ("Time (s)\tAcceleration (gal)\n0\t0\n0.01\t1\n0.02\t2\n", 0.02),
        ("acc [g]   t [s]\n0 5.00\n1 5.01\n2 5.02\n", 2.0 * STANDARD_GRAVITY),
    ] {
        let r = read(text, &options()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!((r.format, r.dt, r.values.len()), (Format::Columns, 0.01, 3), "{text}");
        assert!((r.values[2] - value).abs() < 1e-12, "{text}: {:?}", r.values);
    }
}

#[test]
fn several_columns_and_a_choice() {
    let text = "time_s,accel_ew_cm_s2,accel_ns_cm_s2\n0,1,2\n0.1,3,4\n0.2,5,6\n";
    let r = read(text, &options()).unwrap();
    assert_eq!(r.values, [0.01, 0.03, 0.05]);
    assert!(r.notes[0].contains("3 (accel_ns_cm_s2)"), "{:?}", r.notes);
    let r = read(text, &ReadOptions { column: Some(3), ..options() }).unwrap();
    assert_eq!(r.values, [0.02, 0.04, 0.06]);
    assert_eq!(r.meta("column"), Some("accel_ns_cm_s2"));
}

#[test]
fn one_column() {
    let o = ReadOptions { dt: Some(0.02), unit: Some(STANDARD_GRAVITY), ..options() };
    assert_eq!(read("0.1\n0.2\n", &o).unwrap().values[1], 0.2 * STANDARD_GRAVITY);
    let r = read("# acc [m/s^2], dt = 0.005\n1\n2\n3\n", &options()).unwrap();
    assert_eq!((r.dt, r.values.len()), (0.005, 3));
}

#[test]
fn rounded_time_stamps_are_taken_with_a_note() {
    // 256 samples a second, stamps with three decimals.
    let mut text = "t [s],v [m/s]\n".to_owned();
    for i in 0..1000 {
        text += &format!("{:.3},{}\n", i as f64 / 256.0, i);
    }
    let r = read(&text, &options()).unwrap();
    assert!((r.dt * 256.0 - 1.0).abs() < 1e-3 && r.notes[0].contains("rounded"), "{} {:?}", r.dt, r.notes);
    assert_eq!(r.quantity, Quantity::Velocity);
}

#[test]
fn options_override_with_a_note() {
    let r = read(MODERN, &ReadOptions { dt: Some(0.01), unit: Some(9.81), ..options() }).unwrap();
    assert_eq!((r.dt, r.values[0]), (0.01, 0.001 * 9.81));
    assert_eq!(r.notes.len(), 2);
}

#[test]
fn utf_16() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend("t [s]\ta [g]\n0\t0\n1\t1\n".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(read_bytes(&bytes, &options()).unwrap().dt, 1.0);
}
