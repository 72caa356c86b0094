//! The certificate of stability of models: what is certified stays stable in its runs, what is not has a counter-example that can be run, and the path of a test is seen.

use serde_json::Value;

use super::{STOREY, file, interfield, models};

/// A moderate earthquake, and elements in the laboratory under it.
fn tested(duration: &str, channel: &str, elements: &str, specimen: &str) -> String {
    format!(
        r#"[[load]]
type = "ground"
direction = "x"
signal = {{ type = "synthetic", peak = "0.1 g" }}
[analysis]
scheme = "alpha-os"
dt = "5 ms"
duration = "{duration}"
[record]
channels = ["{channel}"]
[[specimen]]
name = "rig"
elements = {elements}
rate = "1 kHz"
{specimen}
"#
    )
}

/// A storey with its column in the laboratory, behind an actuator.
fn storey(column: &str, specimen: &str, actuator: &str) -> String {
    format!(
        r#"title = "A storey with its column in the laboratory"
{STOREY}[[element]]
name = "column"
nodes = ["ground", "floor"]
dof = "x"
{column}
{}[[specimen.actuator]]
type = "second-order"
frequency = "30 Hz"
damping = 0.7
{actuator}
"#,
        tested("8 s", "floor.x", r#"["column"]"#, specimen)
    )
}

const SPRING: &str = "type = \"spring\"\nk = \"30 kN/m\"";
/// Much stiffer beyond 5 mm.
const CONTACT: &str = "type = \"cubic\"\nk = \"10 kN/m\"\nk3 = \"1e8 N/m^3\"";
const YIELDING: &str = "type = \"bouc-wen\"\nk = \"30 kN/m\"\nbeta = \"100 1/m\"\ngamma = \"100 1/m\"";
const NARROW: &str = "uncertain = { delay = [\"0 ms\", \"1 ms\"], frequency = [\"28 Hz\", \"32 Hz\"], damping = { mean = 0.7, cov = 0.03 } }";
const COMPENSATED: &str = "compensation = { method = \"feedforward\", delay = \"7 ms\" }";

/// `check --stability` of a model.
fn checked(name: &str, text: String, code: i32) -> Value {
    let path = file(&format!("{name}.toml"), text);
    let picture = format!("{name}.svg");
    interfield(&["check", path.to_str().unwrap(), "--stability", "--json", "-o", &picture]).expect(code).json()
}

#[test]
fn what_is_certified_stays_stable_at_corners_and_between() {
    let text =
        storey(SPRING, &format!("{COMPENSATED}\nuncertain = {{ stiffness = [0.8, 1.2], mass = [0.9, 1.1] }}"), NARROW);
    let found = checked("certified", text.clone(), 0);
    let certificate = &found["stability"]["certificate"];
    assert_eq!(certificate["verdict"], "certified stable", "{certificate:#}");
    assert!(certificate["method"].as_str().is_some_and(|m| m.starts_with("sampled plus a bound")), "{certificate:#}");
    assert!(certificate["covered"].as_f64().is_some_and(|c| (c - 0.999).abs() < 1e-9), "{certificate:#}");
    let critical = certificate["critical_delay"].as_array().expect("an interval");
    let [low, high] = [0, 1].map(|i| critical[i].as_f64().expect("a time"));
    let bound = certificate["critical_delay_bound"].as_f64().expect("a time");
    assert!(0.0 < bound && bound <= 1.001 * low && low < high, "{certificate:#}");
    // The margin of the loop at the values of the file lies within.
    let own = found["stability"]["loop"]["critical_delay"].as_f64().expect("a time");
    assert!((0.99 * bound..1.05 * high).contains(&own), "{own} {certificate:#}");
    // Corners, and a point between, as files: stable by their eigenvalues too.
    for (k, [delay, frequency, ratio, stiffness]) in [
        ["0 ms", "28 Hz", "0.64", "0.8"],
        ["1 ms", "28 Hz", "0.76", "1.2"],
        ["1 ms", "32 Hz", "0.64", "1.2"],
        ["0.4 ms", "29.3 Hz", "0.71", "1.07"],
    ]
    .into_iter()
    .enumerate()
    {
        let single = format!(
            "uncertain = {{ delay = [\"{delay}\", \"{delay}\"], frequency = [\"{frequency}\", \"{frequency}\"], damping = [{ratio}, {ratio}] }}"
        );
        let specimen = format!("{COMPENSATED}\nuncertain = {{ stiffness = [{stiffness}, {stiffness}] }}");
        let found = checked(&format!("certified-{k}"), storey(SPRING, &specimen, &single), 0);
        assert!(
            found["stability"]["loop"]["stable"] == true && found["stability"]["certificate"].is_null(),
            "{found:#}"
        );
    }
    // As late as the bound says is still stable for the worst of its points, and twice as late as the best is not.
    let late = |d: f64| {
        text.replace("delay = [\"0 ms\", \"1 ms\"]", &format!("delay = [\"{} s\", \"{} s\"]", 1e-3 + d, 1e-3 + d))
    };
    let verdict =
        |d: f64, name: &str, code: i32| checked(name, late(d), code)["stability"]["certificate"]["verdict"].clone();
    assert_ne!(verdict(0.95 * bound, "certified-late", 0), "not certified: counter-example");
    assert_eq!(verdict(2.0 * high, "certified-too-late", 3), "not certified: counter-example");
}

#[test]
fn a_counter_example_is_a_model_that_grows_in_its_run() {
    let wide = "uncertain = { delay = [\"0 ms\", \"60 ms\"] }";
    let text = storey(SPRING, &format!("{COMPENSATED}\nuncertain = {{ stiffness = [0.8, 1.2] }}"), wide);
    let found = checked("uncertain", text, 3);
    let certificate = &found["stability"]["certificate"];
    assert_eq!(certificate["verdict"], "not certified: counter-example", "{certificate:#}");
    let path = certificate["counter_example"].as_str().unwrap_or_else(|| panic!("{certificate:#}"));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(path);
    let written = std::fs::read_to_string(&path).expect("a model file");
    assert!(written.starts_with("# A counter-example"), "{written}");
    let again =
        interfield(&["check", path.to_str().unwrap(), "--stability", "--json", "-o", "example.svg"]).expect(3).json();
    let [first, second] =
        [&found["stability"]["certificate"]["spectral_radius"], &again["stability"]["loop"]["spectral_radius"]];
    assert!((first.as_f64().unwrap() - second.as_f64().unwrap()).abs() < 1e-6, "{first} {second}");
    // It grows: by the end of the run it is far beyond what the stable model does.
    let peak = |model: &str, name: &str| {
        let run = interfield(&["run", model, "--json", "-o", name]).json();
        run["channels"][0]["peak"].as_f64().map_or(f64::INFINITY, f64::abs)
    };
    let stable = file("uncertain-stable.toml", storey(SPRING, COMPENSATED, ""));
    let [bad, good] = [peak(path.to_str().unwrap(), "example.h5"), peak(stable.to_str().unwrap(), "stable.h5")];
    assert!(bad > 10.0 * good, "{bad} {good}");
    // Its rehearsal says so too.
    let rehearsed = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).expect(3).json();
    assert!(rehearsed["ready"] == false && rehearsed["loop"]["stable"] == false, "{rehearsed:#}");
}

#[test]
fn the_path_of_the_test_is_seen() {
    // Stable at rest, and not where it is stiff.
    let late = "delay = \"9 ms\"";
    let path = file("hardening.toml", storey(CONTACT, "limits = { displacement = \"50 mm\" }", late));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).json();
    let certificate = &found["certificate"];
    assert!(found["loop"]["stable"] == true, "{:#}", found["loop"]);
    assert_eq!(certificate["verdict"], "not certified: counter-example", "{certificate:#}");
    assert!(
        found["ready"] == false || found["doubt"].as_str().is_some_and(|d| d.contains("along its predicted path")),
        "{found:#}"
    );
    let interval = &certificate["uncertain"][0]["interval"];
    assert!(interval[0].as_f64() <= Some(1.0) && interval[1].as_f64() > Some(2.0), "{certificate:#}");
    // The counter-example has the stiffness that the path reaches.
    let example = certificate["counter_example"].as_str().unwrap_or_else(|| panic!("{certificate:#}"));
    let example = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(example);
    let again =
        interfield(&["check", example.to_str().unwrap(), "--stability", "--json", "-o", "hard.svg"]).expect(3).json();
    assert!(again["stability"]["loop"]["stable"] == false, "{again:#}");

    // Softer is no danger here, and the worst place of the path is at rest.
    let path = file("yielding.toml", storey(YIELDING, COMPENSATED, ""));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).expect(0).json();
    let certificate = &found["certificate"];
    assert_eq!(certificate["verdict"], "certified stable", "{certificate:#}");
    let stretch = &certificate["path"][0];
    assert!(stretch["stiffness_factors"][0].as_f64() < Some(0.3), "{certificate:#}");
    assert!(stretch["worst"] == "rest" || stretch["worst"] == "stiffest", "{certificate:#}");
}

/// Two storeys, with both columns in the laboratory and a law beside the upper one in the computer.
fn two_storeys(column: &str, beside: &str, specimen: &str, actuator: &str) -> String {
    let storey = |name: &str, ends: &str| {
        format!(
            "[[node]]\nname = \"{name}\"\ndofs = [\"x\"]\nmass = \"1 t\"\n\
            [[element]]\nname = \"frame-{name}\"\ntype = \"spring\"\nnodes = {ends}\ndof = \"x\"\nk = \"40 kN/m\"\nc = \"1 kN*s/m\"\n\
            [[element]]\nname = \"column-{name}\"\nnodes = {ends}\ndof = \"x\"\n{column}\n"
        )
    };
    let drive = |name: &str| {
        format!(
            "[[specimen.actuator]]\nname = \"{name}\"\ndof = \"{name}.x\"\ntype = \"second-order\"\nfrequency = \"30 Hz\"\ndamping = 0.7\n{actuator}\n"
        )
    };
    format!(
        r#"title = "Two storeys with their columns in the laboratory"
{}{}[[element]]
name = "beside"
nodes = ["low", "high"]
dof = "x"
{beside}
{}{}{}"#,
        storey("low", r#"["ground", "low"]"#),
        storey("high", r#"["low", "high"]"#),
        tested("5 s", "low.x", r#"["column-low", "column-high"]"#, specimen),
        drive("low"),
        drive("high"),
    )
}

/// Specimens with several degrees of freedom, and the laws of the computed structure, have the tangents of the path, too.
#[test]
fn the_path_of_several_degrees_of_freedom_and_of_the_computed_side_is_seen() {
    // Stable at rest, and not where the columns are stiff.
    let limits = "limits = { displacement = \"50 mm\" }";
    let path = file("hard-storeys.toml", two_storeys(CONTACT, SPRING, limits, "delay = \"9 ms\""));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).json();
    assert!(found["loop"]["stable"] == true, "{:#}", found["loop"]);
    let moments = found["path"]["moments"].as_array().unwrap_or_else(|| panic!("{found:#}"));
    let said = |m: &Value| m["verdict"].as_str().map(str::to_owned);
    assert!(said(&moments[0]).as_deref() == Some("stable") && moments[0]["t"] == 0.0, "{:#}", found["path"]);
    assert!(moments.iter().any(|m| said(m).as_deref() == Some("unstable")), "{:#}", found["path"]);
    assert!(found["doubt"].as_str().is_some_and(|d| d.contains("along its predicted path")), "{}", found["doubt"]);

    // A gap has no stiffness at rest, and closes.
    let gap = "type = \"gap\"\nk = \"3000 kN/m\"\ngap = \"1 mm\"";
    let path = file("gap.toml", storey(gap, COMPENSATED, "").replace("8 s", "4 s"));
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).json();
    assert!(found["loop"]["stable"] == true, "{:#}", found["loop"]);
    assert!(
        found["doubt"].as_str().is_some_and(|d| d.contains("unstable with the tangents of")),
        "{:#}",
        found["path"]
    );

    // Both sides yield.
    let path = file("soft-storeys.toml", two_storeys(YIELDING, YIELDING, COMPENSATED, ""));
    let run = interfield(&["rehearse", path.to_str().unwrap()]).expect(0);
    assert!(
        run.stdout.contains("stable at each of these moments") && run.stdout.contains("moments, t = 0 s, "),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("not examined"), "{}", run.stdout);
}

#[test]
fn noise_of_uncertain_size_moves_the_actuator_and_is_doubted_beyond_a_limit() {
    let noise = "uncertain = { displacement_noise = [\"0 mm\", \"0.1 mm\"], force_noise = { mean = \"20 N\", cov = 0.1 } }\nstroke = \"1 m\"";
    let path = file(
        "noisy.toml",
        storey(
            SPRING,
            &format!("{COMPENSATED}\n[specimen.limits]\ntracking = {{ at = \"0.3 mm\", action = \"warn\" }}"),
            noise,
        ),
    );
    let found = interfield(&["rehearse", path.to_str().unwrap(), "--json"]).json();
    let shaken = &found["noise"][0];
    let [least, most] = [0, 1].map(|i| shaken["command_deviation"][i].as_f64().unwrap_or_else(|| panic!("{found:#}")));
    assert!(least > 0.0 && most > least, "{shaken:#}");
    assert!(
        shaken["over"] == "tracking error" && found["doubt"].as_str().is_some_and(|d| d.contains("noise alone")),
        "{found:#}"
    );
}

#[test]
fn what_the_bound_does_not_cover_is_undecided_and_says_why() {
    let path = models().join("rig-pair.toml");
    let text = std::fs::read_to_string(path).expect("a model");
    let at = text.find("[[specimen]]\n").expect("a specimen") + "[[specimen]]\n".len();
    let text = format!("{}uncertain = {{ stiffness = [0.95, 1.05] }}\n{}", &text[..at], &text[at..]);
    let found = checked("undecided", text, 0);
    let certificate = &found["stability"]["certificate"];
    let verdict = certificate["verdict"].as_str().unwrap_or_else(|| panic!("{certificate:#}"));
    match verdict {
        "undecided" => assert!(certificate["why"].as_str().is_some_and(|w| w.len() > 20), "{certificate:#}"),
        verdict => assert_eq!(verdict, "certified stable", "{certificate:#}"),
    }
}

/// Before it has adapted a compensator is linear, and certified as such, with words that say so.
#[test]
fn a_compensator_that_adapts_is_certified_with_its_start_values() {
    for method in ["fir-rls", "ats"] {
        let compensation = format!("compensation = {{ method = \"{method}\", delay = \"7 ms\" }}");
        let path = file(&format!("adapts-{method}.toml"), storey(SPRING, &compensation, NARROW));
        let run = interfield(&["check", path.to_str().unwrap(), "--stability"]).expect(0);
        assert!(run.stdout.contains("certified stable: no motion grows"), "{method}: {}", run.stdout);
        assert!(run.stdout.contains("start values, before it adapts"), "{method}: {}", run.stdout);
    }
}
