//! Result files: what `run` writes, and the commands that read it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{BASE, Csv, csv, file, interfield, program, run};

/// Runs a model text into a result file; returns the summary and the file.
fn record(name: &str, text: &str, more: &[&str]) -> (Value, PathBuf) {
    let model = file(&format!("{name}.toml"), text);
    let out = model.with_extension("h5");
    let mut args = vec!["run", model.to_str().unwrap(), "--json", "--output", out.to_str().unwrap()];
    args.extend(more);
    let summary = interfield(&args).expect(0).json();
    assert_eq!(summary["results"], out.to_str().unwrap());
    assert!(summary["csv"].is_null());
    (summary, out)
}

fn show(path: &Path) -> Value {
    interfield(&["show", path.to_str().unwrap(), "--json"]).expect(0).json()
}

fn numbers(value: &Value, key: &str) -> Vec<f64> {
    value["channels"].as_array().unwrap().iter().map(|c| c[key].as_f64().unwrap()).collect()
}

/// A file in the folder of temporary files that is not there.
fn absent(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// The one message of a refused command and its suggestion.
fn refusal(args: &[&str], code: i32) -> (String, String) {
    let outcome = interfield(&[args, &["--json"]].concat()).expect(code);
    let errors = outcome.json()["errors"].clone();
    assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
    let text = |key: &str| errors[0][key].as_str().unwrap_or_default().to_owned();
    assert!(outcome.stderr.contains(&text("message")), "{}", outcome.stderr);
    (text("message"), text("help"))
}

#[test]
fn everything_about_a_run_is_in_its_file() {
    let text = BASE.replace("title = \"Two storeys\"", "title = \"Two\\u0000 Stöckwerke <&>\"");
    let more = ["--set", "k=8 MN/m", "--scheme", "generalized-alpha", "--param", "rho_inf=0.5", "--until", "0.505 s"];
    let (summary, path) = record("about", &text, &more);
    let shown = show(&path);
    assert_eq!(
        (shown["title"].as_str(), shown["outcome"].as_str()),
        (Some("Two  Stöckwerke <&>"), Some("finished; verdict: good"))
    );
    assert_eq!((shown["program"].as_str(), shown["version"].as_str()), (Some("interfield"), Some("0.1.0")));
    assert!(shown["created"].as_str().is_some_and(|t| t.starts_with("20") && t.ends_with('Z')), "{shown}");
    assert_eq!((shown["dt"].as_f64(), shown["duration"].as_f64()), (Some(0.01), Some(0.505)));
    assert_eq!((shown["rows"].as_u64(), shown["dropped"].as_u64()), (Some(51), Some(0)));
    let settings = &shown["settings"];
    for (key, part) in [
        ("scheme", "generalized-alpha"),
        ("scheme_coefficients", "alpha_m 0"),
        ("tangent", "exact"),
        ("solver", "factorised once"),
        ("set", "k=8 MN/m"),
        ("param", "rho_inf=0.5"),
        ("command_line", "--set 'k=8 MN/m' --scheme generalized-alpha"),
    ] {
        assert!(settings[key].as_str().is_some_and(|s| s.contains(part)), "{key}: {settings}");
    }
    let roof = &shown["channels"][0];
    assert_eq!((roof["name"].as_str(), roof["unit"].as_str()), (Some("roof.x"), Some("mm")));
    assert_eq!(roof["quantity"], "displacement");
    assert_eq!(roof["description"], "displacement of `roof.x`, relative to the ground");
    for key in ["min", "max", "peak_time", "final"] {
        assert_eq!(numbers(&shown, key), numbers(&summary, key), "{key}");
    }
    assert!(shown["log"].as_array().unwrap().last().unwrap().as_str().unwrap().starts_with("finished: 50 steps"));
    let path = path.to_str().unwrap();
    assert_eq!(interfield(&["show", path, "--model"]).expect(0).stdout, text);
    assert_eq!(interfield(&["show", path, "--model", "--json"]).expect(0).json()["model"], text);
    let page = interfield(&["show", path]).expect(0).stdout;
    for part in ["Stöckwerke", "finished", "0.01 s", "51, t = 0 s to 0.5 s", "roof.x", "rms", "log:"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn warnings_are_in_the_log() {
    // A floor without mass; that the run is short is meant.
    let (summary, path) = record("warned", &BASE.replace("mass = \"20 t\"\n", ""), &["--until", "1 s"]);
    let (warnings, shown) = (summary["warnings"].as_array().unwrap(), show(&path));
    assert_eq!(warnings.len(), 1, "{summary}");
    let log = shown["log"].as_array().unwrap();
    // Then the timings, the verdict and how it ended.
    assert_eq!(log.len(), warnings.len() + 3, "{summary}");
    for (line, warning) in log.iter().zip(warnings) {
        let (line, message) = (line.as_str().unwrap(), warning["message"].as_str().unwrap());
        assert!(line.ends_with(&format!("warning: {message}")) && message.contains("no mass"), "{line}");
    }
}

#[test]
fn export_gives_the_rows_of_a_direct_csv() {
    let text = format!("{BASE}every = 30\n");
    let (_, direct) = run("export-direct", &text, &[]);
    let (_, path) = record("export", &text, &[]);
    let out = absent("made/of/export.csv");
    let report =
        interfield(&["export", path.to_str().unwrap(), "-o", out.to_str().unwrap(), "--json"]).expect(0).json();
    assert_eq!((report["rows"].as_u64(), report["channels"].as_u64()), (Some(5), Some(3)));
    let Csv { header, rows } = csv(&out);
    assert_eq!(header[1..], direct.header[1..]);
    let bits = |rows: &[Vec<f64>]| rows.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&rows), bits(&direct.rows));
    let out = absent("export.mat");
    interfield(&["export", path.to_str().unwrap(), "-o", out.to_str().unwrap()]).expect(0);
    assert!(std::fs::read(&out).unwrap().starts_with(b"MATLAB 5.0 MAT-file"));
    let path = path.to_str().unwrap();
    let (message, help) = refusal(&["export", path, "-o", "export.xls"], 2);
    assert!(message.contains("export.xls") && help == "write FILE.csv or FILE.mat", "{message} {help}");
    refusal(&["export", path, "-o", path], 2);
    let (message, _) = refusal(&["export", path, "-o", "/proc/nowhere/x.csv"], 1);
    assert!(message.contains("cannot be written"), "{message}");
}

#[test]
fn comparisons() {
    let (_, a) = record("compare-a", BASE, &[]);
    let (_, b) = record("compare-b", BASE, &["--dt", "5 ms"]);
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let same = interfield(&["compare", a, a, "--tolerance", "0", "--json"]).expect(0).json();
    assert_eq!(numbers(&same, "max"), [0.0; 3]);
    assert_eq!((same["same_grid"].as_bool(), same["moments"].as_u64()), (Some(true), Some(101)));
    let other = interfield(&["compare", a, b, "--json"]).expect(0).json();
    assert_eq!((other["same_grid"].as_bool(), other["moments"].as_u64()), (Some(false), Some(201)));
    let relative = numbers(&other, "relative");
    assert!(relative.iter().all(|r| *r > 0.0 && *r < 0.5), "{relative:?}");
    assert!(relative.is_sorted_by(|x, y| x >= y), "worst first: {relative:?}");
    let table = interfield(&["compare", a, b]).expect(0).stdout;
    assert!(table.contains("relative to peak") && table.contains("interpolation"), "{table}");

    // Exit code 3 beyond the tolerance.
    interfield(&["compare", a, b, "--tolerance", "0.5"]).expect(0);
    let outcome = interfield(&["compare", a, b, "--tolerance", "1e-9", "--json"]).expect(3);
    assert_eq!(outcome.json()["exceeded"], serde_json::json!(["storey1.force", "roof.x"]));
    assert!(outcome.stderr.contains("above the tolerance: "), "{}", outcome.stderr);
    refusal(&["compare", a, b, "--tolerance", "-1"], 2);
    refusal(&["compare", a, b, "--tolerance", "nan"], 2);

    // Other units, other channels.
    let (_, c) = record("compare-c", &BASE.replace("length = \"mm\"", "length = \"m\""), &[]);
    let (_, d) = record("compare-d", &BASE.replace("[\"roof.x\", \"storey1.force\", \"quake\"]", "[\"floor.x\"]"), &[]);
    let (c, d) = (c.to_str().unwrap(), d.to_str().unwrap());
    let outcome = interfield(&["compare", a, c, "--tolerance", "1e9"]).expect(3);
    assert!(outcome.stdout.contains("units differ: mm and m"), "{}", outcome.stdout);
    let (message, _) = refusal(&["compare", a, d], 2);
    assert!(message.contains("no channel in common"), "{message}");

    let svg = absent("compare.svg");
    interfield(&["compare", a, b, "--plot", svg.to_str().unwrap()]).expect(0);
    let svg = std::fs::read_to_string(svg).unwrap();
    let difference = "compare-b.h5 less compare-a.h5";
    for part in ["roof.x [mm]", "storey1.force [kN]", "quake [mm/s²]", "compare-a.h5", "roof.x: B − A [mm]", difference]
    {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn plots() {
    let channels = "channels = [\"roof.x\", \"floor.x\", \"storey1.force\", \"storey1.deformation\"]";
    let (_, path) =
        record("plot", &BASE.replace("channels = [\"roof.x\", \"storey1.force\", \"quake\"]", channels), &[]);
    let path = path.to_str().unwrap();
    let draw = |more: &[&str]| {
        let svg = absent("plot.svg");
        interfield(&[&["plot", path, "-o", svg.to_str().unwrap()], more].concat()).expect(0);
        std::fs::read_to_string(svg).unwrap()
    };
    let one = draw(&["--channel", "roof.x"]);
    assert!(one.contains("time [s]") && one.contains("roof.x [mm]"));
    assert!(one.contains("width=\"640\""));
    let two = draw(&["--channel", "roof.x", "--channel", "floor.x"]);
    assert!(two.contains("displacement [mm]") && two.contains(">roof.x<") && two.contains(">floor.x<"));
    let versus = draw(&["--channel", "storey1.force", "--versus", "storey1.deformation"]);
    assert!(versus.contains("storey1.deformation [mm]") && versus.contains("storey1.force [kN]"));

    let (message, help) = refusal(&["plot", path, "--channel", "rof.x", "-o", "x.svg"], 2);
    assert!(message.contains("has no channel `rof.x`") && help == "did you mean `roof.x`?", "{message} {help}");
    let (_, help) = refusal(&["plot", path, "--channel", "roof.x", "--versus", "moon", "-o", "x.svg"], 2);
    assert!(help.starts_with("channels are roof.x, floor.x"), "{help}");
    let (message, help) = refusal(&["plot", path, "--panel", "roof.x, storey1.force", "-o", "x.svg"], 2);
    assert!(message.contains("roof.x [mm] and storey1.force [kN] have different units"), "{message}");
    assert!(help.contains("--panel \"storey1.force over roof.x\""), "{help}");
    refusal(&["plot", path, "--channel", "roof.x", "-o", "x.pdf"], 2);
    refusal(&["plot", path, "--panel", " , ", "-o", "x.svg"], 2);
}

/// What a figure has, as JSON: for each panel its unit, and of each curve the channel, unit and rows.
fn panels(args: &[&str]) -> Vec<Value> {
    let svg = absent("panels.svg");
    let found = interfield(&[&["plot", "--json", "-o", svg.to_str().unwrap()], args].concat()).expect(0).json();
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    found["panels"].as_array().unwrap().clone()
}

#[test]
fn panels_are_made_by_unit_and_as_written() {
    let channels = "channels = [\"roof.x\", \"floor.x\", \"storey1.force\", \"storey1.deformation\", \"quake\"]";
    let (_, path) =
        record("panels", &BASE.replace("channels = [\"roof.x\", \"storey1.force\", \"quake\"]", channels), &[]);
    let path = path.to_str().unwrap();
    let names = |panel: &Value| -> Vec<String> {
        panel["curves"].as_array().unwrap().iter().map(|c| c["channel"].as_str().unwrap().to_owned()).collect()
    };
    let by_unit = panels(&[path, "-c", "*.x", "-c", "storey1.force"]);
    assert_eq!(by_unit.iter().map(names).collect::<Vec<_>>(), [vec!["roof.x", "floor.x"], vec!["storey1.force"]]);
    let written = panels(&[path, "--panel", "roof.x, floor.x", "--panel", "floor.x"]);
    assert_eq!(written.iter().map(names).collect::<Vec<_>>(), [vec!["roof.x", "floor.x"], vec!["floor.x"]]);
    // Nothing asked for: the load, the displacements, the loop.
    let chosen = panels(&[path]);
    assert_eq!(
        chosen.iter().map(|p| p["x"].as_str().unwrap()).collect::<Vec<_>>(),
        ["time [s]", "time [s]", "storey1.deformation [mm]"]
    );
    assert_eq!(names(&chosen[1]), ["roof.x", "floor.x"]);
    let (message, _) = refusal(&["plot", path, "-c", "cellar*", "-o", "x.svg"], 2);
    assert!(message.contains("has no channel like `cellar*`"), "{message}");
}

#[test]
fn time_windows_have_their_rows_and_no_others() {
    let (_, path) = record("window", BASE, &["--dt", "10 ms", "--until", "4 s"]);
    let path = path.to_str().unwrap();
    let rows =
        |more: &[&str]| panels(&[&[path, "-c", "roof.x"], more].concat())[0]["curves"][0]["rows"].as_u64().unwrap();
    assert_eq!(rows(&[]), 401);
    assert_eq!(rows(&["--from", "1 s", "--to", "2 s"]), 101, "both ends are in it");
    assert_eq!(rows(&["--from", "3500 ms"]), 51);
    assert_eq!(rows(&["--to", "0.5"]), 51);
    let svg = absent("window.svg");
    interfield(&["plot", path, "-c", "roof.x", "--from", "2", "--to", "3", "-o", svg.to_str().unwrap()]).expect(0);
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.contains(">2.5</text>") && !svg.contains(">1.5</text>"), "the axis goes from 2 s to 3 s");
    let (message, help) = refusal(&["plot", path, "--from", "5 s", "-o", "x.svg"], 2);
    assert!(message.contains("no rows in the given time range") && help.contains("t = 0 s to 4 s"), "{message} {help}");
    refusal(&["plot", path, "--from", "2 s", "--to", "1 s", "-o", "x.svg"], 2);
    let (message, _) = refusal(&["plot", path, "--from", "1.001 s", "--to", "1.002 s", "-o", "x.svg"], 2);
    assert!(message.contains("no row of"), "{message}");
}

#[test]
fn runs_are_laid_over_each_other_in_one_unit() {
    let (_, a) = record("overlay-a", BASE, &["--until", "2 s"]);
    let (_, b) = record("overlay-b", &BASE.replace("length = \"mm\"", "length = \"m\""), &["--until", "2 s"]);
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let svg = absent("overlay.svg");
    interfield(&["plot", a, b, "-c", "roof.x", "-o", svg.to_str().unwrap()]).expect(0);
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.contains(">overlay-a</text>") && svg.contains(">overlay-b</text>") && svg.contains("roof.x [mm]"));
    // In one unit both are the same curve: the same points on paper.
    let lines: Vec<&str> = svg.lines().filter(|l| l.contains("stroke-width=\"1.4\"") && l.len() > 300).collect();
    let points = |line: &str| line.split('"').nth(1).unwrap().to_owned();
    assert_eq!(lines.len(), 2);
    assert_eq!(points(lines[0]), points(lines[1]));
    let named = absent("named.svg");
    let labels = ["--label", "fine steps", "--label", "coarse"];
    interfield(&[&["plot", a, b, "-c", "roof.x", "-o", named.to_str().unwrap()], &labels[..]].concat()).expect(0);
    let named = std::fs::read_to_string(named).unwrap();
    assert!(named.contains(">fine steps<") && named.contains(">coarse<"));
    let (message, _) = refusal(&["plot", a, b, "-c", "moon.x", "-o", "x.svg"], 2);
    assert!(message.contains("overlay-a.h5` has no channel `moon.x`"), "{message}");
    let (message, _) = refusal(&["plot", a, b, "--label", "1", "--label", "2", "--label", "3", "-o", "x.svg"], 2);
    assert!(message.contains("3 labels for 2 result files"), "{message}");
}

#[test]
fn spectra_are_drawn_of_what_has_one() {
    let (_, path) = record("spectra", BASE, &["--until", "4 s"]);
    let path = path.to_str().unwrap();
    let of = |kind: &str, channel: &str| panels(&[path, "--spectrum", kind, "-c", channel])[0].clone();
    assert_eq!(of("fourier", "roof.x")["y"], "Fourier amplitude of roof.x [mm·s]");
    assert_eq!(of("response", "quake")["x"], "period [s]");
    let (message, help) = refusal(&["plot", path, "--spectrum", "response", "-c", "roof.x", "-o", "x.svg"], 2);
    assert!(message.contains("roof.x [mm] is not an acceleration") && help.contains("fourier"), "{message} {help}");
}

/// A single row far above the others, in a run with many more rows than pixels.
#[test]
fn reports_and_plots_lose_no_peak() {
    let pulse = "{ type = \"formula\", value = \"if(abs(t - 33.3331) < 0.0006, 1, 0.001*sin(t))\" }";
    let text = BASE.replace("{ type = \"synthetic\", peak = \"0.2 g\" }", pulse);
    let page = absent("peak.html");
    let more = ["--dt", "1 ms", "--until", "50 s", "--report", page.to_str().unwrap()];
    let (summary, path) = record("peak", &text, &more);
    assert_eq!(summary["steps"], 50_000);
    let svg = absent("peak.svg");
    interfield(&["plot", path.to_str().unwrap(), "-c", "quake", "-o", svg.to_str().unwrap()]).expect(0);
    // One row has 1 mm/s^2, all others at most 0.001: without that row the axis would end there.
    let (svg, page) = (std::fs::read_to_string(svg).unwrap(), std::fs::read_to_string(page).unwrap());
    assert!([">1</text>", ">1.0</text>", ">1.2</text>"].iter().any(|tick| svg.contains(tick)), "no peak");
    assert!(svg.len() < 200_000, "{} bytes", svg.len());
    let quake = values(&page, "quake");
    assert_eq!(quake.iter().copied().fold(0.0, f32::max), 1.0, "{} points", quake.len());
    // Made again from the file, the page has the same curves.
    let again = absent("peak-again.html");
    interfield(&["report", path.to_str().unwrap(), "-o", again.to_str().unwrap()]).expect(0);
    assert_eq!(values(&std::fs::read_to_string(again).unwrap(), "quake"), quake);
}

/// The values of a history in a page.
fn values(page: &str, name: &str) -> Vec<f32> {
    let within = |from: &str| page.split(from).nth(1).unwrap().split("</script>").next().unwrap();
    let specs: Value = serde_json::from_str(within("id=\"specs\">")).unwrap();
    let plots = specs.as_array().unwrap().iter().filter(|p| p["order"] == "time");
    let curves: Vec<&Value> = plots.flat_map(|p| p["curves"].as_array().unwrap()).collect();
    let curve = curves.iter().find(|c| c["name"] == name).unwrap();
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = curve["y"]["d"].as_str().unwrap().trim_end_matches('=');
    let bits = text.bytes().flat_map(|c| (0..6).rev().map(move |i| digit(c) >> i & 1)).collect::<Vec<u8>>();
    let bytes: Vec<u8> = bits.chunks_exact(8).map(|b| b.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn figures_come_in_column_widths_and_as_png() {
    let (_, path) = record("figures", BASE, &["--until", "2 s"]);
    let path = path.to_str().unwrap();
    let png = absent("figure.png");
    interfield(&["plot", path, "-c", "roof.x", "-o", png.to_str().unwrap(), "--width", "single", "--dpi", "300"])
        .expect(0);
    let bytes = std::fs::read(png).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    // 90 mm at 300 dots per inch.
    let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    assert!((1060..=1066).contains(&width), "{width}");
    // The file says so itself: 300 dots per inch are 11811 per metre.
    let physical = bytes.windows(4).position(|w| w == b"pHYs").expect("a pHYs chunk") + 4;
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((number(physical), number(physical + 4), bytes[physical + 8]), (11_811, 11_811, 1));
    let svg = absent("figure.svg");
    interfield(&["plot", path, "-c", "roof.x", "-o", svg.to_str().unwrap(), "--width", "120mm"]).expect(0);
    assert!(std::fs::read_to_string(svg).unwrap().contains("width=\"454\""));
    refusal(&["plot", path, "-c", "roof.x", "-o", "x.svg", "--width", "wide"], 2);
    refusal(&["report", path, "-o", "x.pdf"], 2);
}

/// A model that cannot be read any more, and displacements that are not recorded: the page says so.
#[test]
fn the_report_of_a_result_says_what_it_cannot_show() {
    let text = BASE.replace("\"roof.x\", ", "");
    let (_, path) = record("lost", &text, &["--until", "2 s"]);
    let page = path.with_extension("html");
    interfield(&["report", path.to_str().unwrap()]).expect(0);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("is not recorded") && page.contains("Mode shapes"), "no word about what is missing");
}

#[test]
fn files_that_are_no_results() {
    let (_, good) = record("damaged", BASE, &["--until", "30 s"]);
    let whole = std::fs::read(&good).unwrap();
    let (message, _) = refusal(&["show", "nowhere.h5"], 1);
    assert!(message.contains("`nowhere.h5` does not exist"), "{message}");
    let (message, _) = refusal(&["show", "/"], 1);
    assert!(message.contains("is a folder"), "{message}");
    refusal(&["show", "/dev/zero"], 1);
    let model = file("no-result.toml", BASE);
    let (message, help) = refusal(&["show", model.to_str().unwrap()], 2);
    assert!(message.contains("not an HDF5 file") && help.contains("interfield run"), "{message} {help}");
    let foreign = file("foreign.h5", [b"\x89HDF\r\n\x1a\n\x02".as_slice(), &[0; 4096]].concat());
    let (message, _) = refusal(&["compare", good.to_str().unwrap(), foreign.to_str().unwrap()], 2);
    assert!(message.contains("foreign.h5") && message.contains("another program"), "{message}");
    let empty = file("empty.h5", "");
    refusal(&["export", empty.to_str().unwrap(), "-o", "empty.csv"], 2);
    for length in [4, 100, 5000, whole.len() / 2, whole.len() - 1] {
        let cut = file("cut.h5", &whole[..length]);
        let (message, _) = refusal(&["plot", cut.to_str().unwrap(), "-c", "roof.x", "-o", "cut.svg"], 2);
        assert!(message.contains("truncated") || message.contains("too short") || message.contains("not"), "{message}");
    }
}

/// Killed without a warning in the middle of a run.
#[cfg(unix)]
#[test]
fn a_killed_run_keeps_what_was_there() {
    let model = file("killed.toml", BASE);
    let out = absent("killed.h5");
    let mut child = program()
        .args(["run", model.to_str().unwrap(), "--until", "1e5 s", "-o", out.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while std::fs::metadata(&out).map_or(0, |m| m.len()) < 1_000_000 {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing is written");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Also readable while the run goes on.
    assert!(show(&out)["rows"].as_u64().unwrap() > 1000);
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = show(&out);
    assert!(shown["outcome"].as_str().unwrap().starts_with("unknown: the run was killed"), "{shown}");
    let rows = shown["rows"].as_u64().unwrap();
    assert!(rows > 10_000, "{rows}");
    assert!((shown["last_time"].as_f64().unwrap() - (rows - 1) as f64 * 0.01).abs() < 1e-6);
    assert!(interfield(&["show", out.to_str().unwrap()]).expect(0).stdout.contains("unknown"));
    std::fs::remove_file(&out).unwrap();
}

/// Ctrl-C, and a step that fails.
#[cfg(unix)]
#[test]
fn a_run_that_stops_says_why_in_its_file() {
    let model = file("stopped.toml", BASE);
    let out = absent("stopped.h5");
    let child = program()
        .args(["run", model.to_str().unwrap(), "--until", "1e5 s", "--json", "-o", out.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while std::fs::metadata(&out).map_or(0, |m| m.len()) < 500_000 {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing is written");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let shown = show(&out);
    assert!(shown["outcome"].as_str().unwrap().starts_with("interrupted: by a signal at t = "), "{shown}");
    assert_eq!(shown["rows"].as_u64().unwrap(), summary["steps"].as_u64().unwrap() + 1);
    std::fs::remove_file(&out).unwrap();

    let load = BASE
        .replace("{ type = \"synthetic\", peak = \"0.2 g\" }", "{ type = \"formula\", value = \"sqrt(0.505 - t)\" }");
    let model = file("stopped-load.toml", load);
    let out = model.with_extension("h5");
    let page = model.with_extension("html");
    let (out, page) = (out.to_str().unwrap(), page.to_str().unwrap());
    interfield(&["run", model.to_str().unwrap(), "-o", out, "--report", page]).expect(3);
    let shown = show(Path::new(out));
    assert!(shown["outcome"].as_str().unwrap().starts_with("fault: at t = 0.5"), "{shown}");
    assert_eq!(shown["rows"], 51);
    assert!(std::fs::read_to_string(page).unwrap().contains("results up to there are kept"));
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_what_was_there() {
    let model = file("small-files.toml", BASE);
    let (out, page) = (absent("small-files.h5"), absent("small-files.html"));
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_interfield")])
        .args(["run", model.to_str().unwrap(), "--until", "1e5 s", "--json", "-o", out.to_str().unwrap()])
        .args(["--report", page.to_str().unwrap()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the results could not be written: File too large"), "{text}");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&summary["ended"], &summary["verdict"]), (&"not written".into(), &"failed".into()));
    assert!(summary["reason"].as_str().unwrap().contains("rows are kept"), "{summary}");
    let shown = show(&out);
    assert_eq!(shown["outcome"], "interrupted: recording failed");
    assert!(shown["rows"].as_u64().unwrap() > 10_000, "{shown}");
    assert!(std::fs::read_to_string(&page).unwrap().contains("could not be written"));
}
