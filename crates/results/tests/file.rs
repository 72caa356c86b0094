//! Round trips, damaged files, exports and summaries.

use interfield_results::summary::{compare, statistics};
use interfield_results::{
    ChannelInfo, Error, Meta, Outcome, Policy, Reader, Setting, Writer, WriterOptions, attach, export, identifiers,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::remove_file(&path).ok();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

fn channels(names: &[&str]) -> Vec<ChannelInfo> {
    names.iter().map(|name| ChannelInfo::new(name, "m", "displacement", "")).collect()
}

fn record(path: &Path, names: &[&str], rows: impl Iterator<Item = (f64, Vec<f64>)>) -> u64 {
    let options = WriterOptions { block_rows: 64, ..WriterOptions::default() };
    let mut writer = Writer::create(path, &Meta::default(), &channels(names), options).unwrap();
    for (t, row) in rows {
        assert!(writer.push(t, &row));
    }
    writer.finish("finished").unwrap().rows
}

#[test]
fn everything_comes_back() {
    let file = Scratch::new("round-trip");
    let meta = Meta {
        title: "Rahmen – 3 Geschosse".into(),
        program: "interfield".into(),
        version: "0.1.0".into(),
        created: "2026-11-15T12:00:00Z".into(),
        model_text: "[frame]\nstoreys = 3\n".repeat(1000),
        settings: vec![
            ("dt".into(), Setting::Number(1e-3, "s".into())),
            ("steps".into(), Setting::Count(5000)),
            ("ratio".into(), Setting::Number(0.5, String::new())),
            ("größe".into(), "x, \"y\"".into()),
            ("empty".into(), "".into()),
        ],
    };
    let info = vec![
        ChannelInfo::new("roof/ux", "m", "displacement", "drift of the roof"),
        ChannelInfo::new("Kraft ü", "kN", "force", ""),
    ];
    let mut writer = Writer::create(&file.0, &meta, &info, WriterOptions::default()).unwrap();
    writer.log("the first line");
    let values =
        [0.0, -0.0, f64::NAN, f64::from_bits(0x7ff0_0000_dead_beef), f64::INFINITY, f64::MIN_POSITIVE / 8.0, 1e300];
    let value = |i: u64| values[(i % 7) as usize] + if i % 7 == 6 { i as f64 } else { 0.0 };
    for i in 0..5000u64 {
        assert!(writer.push(i as f64 * 1e-3, &[values[(i % 7) as usize], value(i)]));
    }
    writer.log("the last line");
    assert!(writer.status().is_ok());
    let report = writer.finish("finished after 5 s").unwrap();
    assert_eq!((report.rows, report.dropped), (5000, 0));
    assert_eq!(report.bytes, std::fs::metadata(&file.0).unwrap().len());

    let reader = Reader::open(&file.0).unwrap();
    assert_eq!(reader.meta(), &meta);
    assert_eq!(reader.channels(), info);
    assert_eq!(reader.outcome(), &Outcome::Finished("finished after 5 s".into()));
    assert_eq!(reader.log(), "the first line\nthe last line\n");
    assert_eq!((reader.rows(), reader.dropped()), (5000, 0));
    for (i, x) in reader.read(0, 0..u64::MAX).unwrap().iter().enumerate() {
        assert_eq!(x.to_bits(), values[i % 7].to_bits(), "row {i}");
    }
    let part = reader.read(1, 1000..1100).unwrap();
    assert_eq!(part.len(), 100);
    assert!(part.iter().zip(1000..).all(|(x, i)| x.to_bits() == value(i).to_bits()));
    assert_eq!(reader.time(4999..5001).unwrap(), [4.999]);
    assert!(reader.read(2, 0..1).is_err());
    assert_eq!(reader.read(0, 6000..7000).unwrap(), []);
    let sizes: Vec<usize> = reader.chunks(&[1], 999).map(|c| c.unwrap().channels[0].len()).collect();
    assert_eq!(sizes, [999, 999, 999, 999, 999, 5]);

    let refused = Writer::create(&file.0, &meta, &info, WriterOptions::default());
    assert!(matches!(refused, Err(Error::Io { .. })), "an existing result was replaced");
}

#[test]
fn trees_of_every_height_find_their_rows() {
    // Blocks of 16 rows: one leaf holds 1024 rows, two levels 65 536, three levels 4 194 304.
    for rows in [0u64, 1, 15, 16, 17, 1023, 1024, 1025, 65_535, 65_537, 200_001, 4_194_305 + 70_000] {
        let file = Scratch::new("heights");
        let options = WriterOptions { block_rows: 16, ring_blocks: 4096, ..WriterOptions::default() };
        let mut writer = Writer::create(&file.0, &Meta::default(), &channels(&["x"]), options).unwrap();
        for i in 0..rows {
            writer.push(i as f64, &[-(i as f64)]);
        }
        assert_eq!(writer.finish("finished").unwrap().rows, rows);
        let reader = Reader::open(&file.0).unwrap();
        assert_eq!(reader.rows(), rows);
        let mut next = 0.0;
        for chunk in reader.chunks(&[0], 1000) {
            let chunk = chunk.unwrap();
            for (t, x) in chunk.time.iter().zip(&chunk.channels[0]) {
                assert_eq!((*t, *x), (next, -next));
                next += 1.0;
            }
        }
        assert_eq!(next as u64, rows);
    }
}

#[test]
fn many_channels_and_a_long_log() {
    let file = Scratch::new("wide");
    let names: Vec<String> = (0..500).map(|i| format!("node {i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut writer = Writer::create(&file.0, &Meta::default(), &channels(&names), WriterOptions::default()).unwrap();
    let mut log = String::new();
    for i in 0..3000 {
        let row: Vec<f64> = (0..500).map(|c| f64::from(c * 10_000 + i)).collect();
        writer.push(f64::from(i), &row);
        let line = format!("step {i}: a line of the log that is longer than it would need to be");
        writer.log(&line);
        log += &line;
        log.push('\n');
    }
    writer.finish("interrupted: by the operator").unwrap();
    let reader = Reader::open(&file.0).unwrap();
    assert_eq!(reader.log(), log);
    assert_eq!(reader.outcome(), &Outcome::Interrupted("interrupted: by the operator".into()));
    assert_eq!(reader.read(499, 2999..3000).unwrap(), [4_992_999.0]);
    assert_eq!(reader.channel("node 499"), Some(499));
}

#[test]
fn a_growing_file_reads_and_slow_rows_arrive() {
    let file = Scratch::new("growing");
    let mut writer = Writer::create(&file.0, &Meta::default(), &channels(&["x"]), WriterOptions::default()).unwrap();
    assert_eq!(Reader::open(&file.0).unwrap().rows(), 0);
    for i in 0..5 {
        writer.push(f64::from(i), &[1.0]);
        // Nothing is pushed meanwhile: the rows must arrive by themselves, however busy the machine is.
        let end = Instant::now() + Duration::from_secs(60);
        let mut reader = Reader::open(&file.0).unwrap();
        while reader.rows() <= i as u64 {
            assert!(Instant::now() < end, "row {i} does not arrive");
            std::thread::yield_now();
            reader = Reader::open(&file.0).unwrap();
        }
        assert_eq!((reader.rows(), reader.outcome()), (i as u64 + 1, &Outcome::Unknown));
    }
    drop(writer);
    let reader = Reader::open(&file.0).unwrap();
    assert!(matches!(reader.outcome(), Outcome::Interrupted(_)));
}

#[test]
fn rows_that_find_no_room_are_counted() {
    let file = Scratch::new("drops");
    let options = WriterOptions { policy: Policy::Drop, block_rows: 16, ring_blocks: 2, ..WriterOptions::default() };
    let mut writer = Writer::create(&file.0, &Meta::default(), &channels(&["x"]), options).unwrap();
    let mut taken = 0;
    for i in 0..200_000 {
        taken += u64::from(writer.push(f64::from(i), &[0.0]));
    }
    assert!(!writer.push(0.0, &[1.0, 2.0]), "a row of the wrong length was taken");
    let report = writer.finish("finished").unwrap();
    assert_eq!((report.rows, report.dropped), (taken, 200_001 - taken));
    assert!(taken < 200_000, "the ring of 32 rows never filled");
    let reader = Reader::open(&file.0).unwrap();
    assert_eq!((reader.rows(), reader.dropped()), (taken, report.dropped));
}

#[test]
fn what_is_no_result_is_refused_without_panic() {
    let file = Scratch::new("damage");
    record(&file.0, &["a", "b"], (0..1000).map(|i| (f64::from(i), vec![1.0, 2.0])));
    let good = std::fs::read(&file.0).unwrap();
    assert!(Reader::open(Path::new("/nonexistent/result.h5")).is_err());
    for length in [0, 7, 95, 96, 600, 5000, 70_000] {
        std::fs::write(&file.0, &good[..length]).unwrap();
        assert!(Reader::open(&file.0).is_err(), "cut to {length} bytes");
    }
    std::fs::write(&file.0, "time,x\n0,1\n").unwrap();
    assert!(Reader::open(&file.0).unwrap_err().to_string().contains("not a readable result file"));
    // Any damage of the structures must end in an error or in values, never in a panic.
    let mut state = 1u64;
    for _ in 0..1000 {
        let mut bytes = good.clone();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            // The log area and the data say nothing about structure: mostly hit the rest.
            let at = if (1000..66_000).contains(&at) { at % 1000 } else { at };
            bytes[at] = (state >> 20) as u8;
        }
        std::fs::write(&file.0, &bytes).unwrap();
        if let Ok(reader) = Reader::open(&file.0) {
            statistics(&reader).ok();
        }
    }
}

#[test]
fn texts_that_do_not_fit_are_refused() {
    let file = Scratch::new("texts");
    let create = |meta: &Meta, info: &[ChannelInfo]| Writer::create(&file.0, meta, info, WriterOptions::default());
    assert!(create(&Meta::default(), &channels(&["a", "a"])).is_err());
    assert!(create(&Meta { title: "a\0b".into(), ..Meta::default() }, &[]).is_err());
    assert!(create(&Meta { settings: vec![("x".into(), "y".repeat(70_000).into())], ..Meta::default() }, &[]).is_err());
    assert!(create(&Meta { settings: vec![("x".into(), "".into()); 2], ..Meta::default() }, &[]).is_err());
    let number = ("x".into(), Setting::Number(1.0, "m".into()));
    assert!(create(&Meta { settings: vec![number, ("x_unit".into(), "".into())], ..Meta::default() }, &[]).is_err());
    assert!(!file.0.exists());
    assert!(Writer::create(Path::new("/nonexistent/x.h5"), &Meta::default(), &[], WriterOptions::default()).is_err());
    create(&Meta::default(), &[]).unwrap().finish("finished").unwrap();
    assert_eq!(Reader::open(&file.0).unwrap().channels(), []);
}

#[test]
fn channels_of_any_name_are_found_by_it() {
    let file = Scratch::new("names");
    let long = "ü".repeat(3000);
    let names = ["roof.ux", "a/b", "a\u{2215}b", ".", "", "time", "drift [%] of storey 1", &long];
    record(&file.0, &names, (0..10).map(|i| (f64::from(i), vec![f64::from(i); 8])));
    let reader = Reader::open(&file.0).unwrap();
    let found: Vec<&str> = reader.channels().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(found, names);
    assert_eq!(reader.read(7, 9..10).unwrap(), [9.0]);
}

#[test]
fn a_file_of_version_1_is_read() {
    let reader = Reader::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version-1.h5")).unwrap();
    assert_eq!((reader.rows(), reader.meta().title.as_str()), (41, "Two springs in series"));
    assert_eq!(reader.outcome(), &Outcome::Finished("finished; verdict: good".into()));
    let channels: Vec<(&str, &str)> = reader.channels().iter().map(|c| (c.name.as_str(), c.unit.as_str())).collect();
    assert_eq!(channels[..2], [("middle.x", "m"), ("middle.x.v", "m/s")]);
    assert_eq!(reader.meta().setting("dt"), Some(&Setting::Text("0.25 s".into())));
    assert_eq!(reader.meta().setting("dt").and_then(Setting::seconds), Some(0.25));
    assert_eq!(reader.read(0, 0..1).unwrap(), [1.0]);
    assert!(reader.evidence().unwrap().starts_with('{'));
}

#[test]
fn csv_keeps_every_bit() {
    let file = Scratch::new("csv");
    let value = |i: i32| [(f64::from(i) * 0.1).sin() * 1e-200, [f64::NAN, -0.0, 0.1 + 0.2][(i % 3) as usize]];
    record(&file.0, &["x", "a,\"b\""], (0..500).map(|i| (f64::from(i) * 0.1, value(i).to_vec())));
    let mut text = Vec::new();
    export::csv(&Reader::open(&file.0).unwrap(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t [s],x [m],\"a,\"\"b\"\" [m]\""));
    for (i, line) in (0..500).zip(lines.by_ref()) {
        let numbers: Vec<u64> = line.split(',').map(|n| n.parse::<f64>().unwrap().to_bits()).collect();
        let [x, y] = value(i);
        assert_eq!(numbers, [(f64::from(i) * 0.1).to_bits(), x.to_bits(), y.to_bits()]);
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn statistics_of_known_signals() {
    let file = Scratch::new("statistics");
    // Ten whole periods of a sine, so that its rms is 1/√2; a ramp with holes.
    let row = |i: i32| {
        let hole = if i % 10 == 9 { f64::NAN } else { -f64::from(i) };
        vec![(f64::from(i) * std::f64::consts::TAU / 1000.0).sin(), hole, f64::NAN]
    };
    record(&file.0, &["sine", "ramp", "nothing"], (0..10_000).map(|i| (f64::from(i) * 1e-3, row(i))));
    let s = statistics(&Reader::open(&file.0).unwrap()).unwrap();
    assert!((s[0].rms - 0.5f64.sqrt()).abs() < 1e-12, "{}", s[0].rms);
    assert_eq!((s[0].max, s[0].peak_time, s[0].nan), (1.0, 0.25, 0));
    assert_eq!((s[1].min, s[1].max, s[1].peak, s[1].peak_time), (-9998.0, 0.0, 9998.0, 9.998));
    assert_eq!(s[1].nan, 1000);
    assert!(s[1].last.is_nan());
    assert!(s[2].min.is_nan() && s[2].rms.is_nan() && s[2].nan == 10_000);
}

#[test]
fn comparison_on_equal_and_on_different_grids() {
    let (a, b, c) = (Scratch::new("compare-a"), Scratch::new("compare-b"), Scratch::new("compare-c"));
    record(&a.0, &["x", "y", "a"], (0..=1000).map(|i| (f64::from(i) * 0.01, vec![f64::from(i), 2.0, 0.0])));
    // The same ramp but for one row; shorter; channels in another order; one hole.
    let row = |i: i32| vec![if i == 5 { f64::NAN } else { 2.0 }, 0.0, f64::from(i) + if i == 300 { 0.5 } else { 0.0 }];
    record(&b.0, &["y", "b", "x"], (0..=800).map(|i| (f64::from(i) * 0.01, row(i))));
    // The same ramp at other moments: linear interpolation makes no error but rounding.
    record(&c.0, &["x"], (0..=270).map(|i| (f64::from(i) * 0.037, vec![f64::from(i) * 3.7])));
    let [a, b, c] = [&a, &b, &c].map(|file| Reader::open(&file.0).unwrap());

    let same = compare(&a, &a).unwrap();
    assert!(same.same_grid && same.moments == 1001 && same.channels.iter().all(|d| d.max == 0.0 && d.relative == 0.0));

    let d = compare(&a, &b).unwrap();
    assert_eq!((d.only_a.as_slice(), d.only_b.as_slice()), (["a".to_owned()].as_slice(), ["b".to_owned()].as_slice()));
    assert_eq!((d.rows, d.moments, d.span, d.same_grid), ((1001, 801), 801, Some((0.0, 8.0)), true));
    let x = &d.channels[0];
    assert_eq!((x.name.as_str(), x.max, x.max_time, x.peak, x.relative), ("x", 0.5, 3.0, 800.0, 0.5 / 800.0));
    assert!((x.rms - (0.25f64 / 801.0).sqrt()).abs() < 1e-15);
    assert_eq!((d.channels[1].max, d.channels[1].nan_mismatch), (0.0, 1));
    assert_eq!(d.worst().unwrap().name, "x");

    for d in [compare(&a, &c).unwrap(), compare(&c, &a).unwrap()] {
        assert!(!d.same_grid);
        assert_eq!(d.moments, 1000);
        assert!(d.channels[0].max < 1e-10, "{}", d.channels[0].max);
    }
}

#[test]
fn comparison_without_common_time_or_with_time_that_runs_back() {
    let (a, b, c) = (Scratch::new("apart-a"), Scratch::new("apart-b"), Scratch::new("apart-c"));
    record(&a.0, &["x"], (0..10).map(|i| (f64::from(i), vec![0.0])));
    record(&b.0, &["x"], (0..10).map(|i| (f64::from(i) + 100.0, vec![0.0])));
    record(&c.0, &["x"], [0.0, 1.0, 0.5, 2.0].map(|t| (t, vec![0.0])).into_iter());
    let [a, b, c] = [&a, &b, &c].map(|file| Reader::open(&file.0).unwrap());
    let d = compare(&a, &b).unwrap();
    assert!(d.span.is_none() && d.moments == 0 && d.channels[0].max.is_nan());
    assert!(compare(&a, &c).unwrap_err().to_string().contains("its time decreases from 1 to 0.5"));
    assert!(compare(&c, &a).is_err());
}

#[test]
fn matlab_files_have_the_right_size() {
    let file = Scratch::new("mat");
    let mat = Scratch::new("mat-out");
    record(&file.0, &["x", "end"], (0..777).map(|i| (f64::from(i), vec![1.0, 2.0])));
    export::mat5(&Reader::open(&file.0).unwrap(), &mat.0).unwrap();
    let bytes = std::fs::read(&mat.0).unwrap();
    // Every top-level element is a matrix, and together they fill the file.
    let (mut at, mut count) = (128, 0);
    while at < bytes.len() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(word(at), 14);
        at += 8 + word(at + 4) as usize;
        count += 1;
    }
    assert_eq!((at, count), (bytes.len(), 5));
    assert_eq!(identifiers(["end"]), ["end_"]);
}

#[test]
fn evidence_is_added_to_what_was_recorded_and_can_be_replaced() {
    let file = Scratch::new("evidence");
    let rows = |n: usize| (0..n).map(|i| (i as f64, vec![2.0 * i as f64]));
    record(&file.0, &["x"], rows(1000));
    assert_eq!(Reader::open(&file.0).unwrap().evidence().unwrap(), "", "none yet");
    for text in ["{\"verdict\": \"größe\"}".to_owned(), "long ".repeat(50_000), String::new()] {
        attach(&file.0, &text).unwrap();
        let reader = Reader::open(&file.0).unwrap();
        assert_eq!(reader.evidence().unwrap(), text);
        assert_eq!(reader.read(0, 0..1000).unwrap(), rows(1000).map(|r| r.1[0]).collect::<Vec<_>>());
        assert_eq!(reader.outcome(), &Outcome::Finished("finished".into()));
    }
    let other = Scratch::new("no-result");
    std::fs::write(&other.0, "not HDF5").unwrap();
    assert!(matches!(attach(&other.0, "x"), Err(Error::Format { .. })));
    assert_eq!(std::fs::read(&other.0).unwrap(), b"not HDF5");
}

#[cfg(unix)]
#[test]
fn of_two_writers_of_one_file_the_second_is_refused_as_long_as_the_first_lives() {
    let file = Scratch::new("two-writers");
    let over = || WriterOptions { overwrite: true, ..WriterOptions::default() };
    let begin = || Writer::create(&file.0, &Meta::default(), &channels(&["x"]), over());
    let mut first = begin().unwrap();
    first.push(0.0, &[1.0]);
    for _ in 0..2 {
        let refused = begin().expect_err("two writers of one file");
        assert!(refused.to_string().contains("another process is writing it"), "{refused}");
        assert!(attach(&file.0, "{}").is_err(), "evidence while it is written");
    }
    first.push(1.0, &[2.0]);
    assert_eq!(first.finish("finished").unwrap().rows, 2);
    assert_eq!(Reader::open(&file.0).unwrap().read(0, 0..9).unwrap(), [1.0, 2.0], "what the first wrote");
    begin().unwrap().finish("finished").unwrap();
    let beside = std::fs::read_dir(file.0.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name());
    let name = file.0.file_name().unwrap().to_str().unwrap().to_owned();
    let left: Vec<_> = beside.filter(|n| n.to_str().is_some_and(|n| n.starts_with(&name) && *n != name)).collect();
    assert!(left.is_empty(), "{left:?} left behind");
}
