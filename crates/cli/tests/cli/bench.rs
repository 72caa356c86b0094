//! `bench vrths`, `compensators` and `certificate`: the numbers of the built-in motion, random tests, and what is said about mistakes.

use std::path::Path;

use serde_json::Value;

use super::interfield;

/// The tests of a controller on the built-in motion.
fn tests(controller: &str, more: &[&str], code: i32) -> Vec<Value> {
    let picture = format!("vrths-{controller}.svg");
    let args = [&["bench", "vrths", "--json", "--controller", controller, "-o", &picture], more].concat();
    let found = interfield(&args).expect(code).json();
    let drawn = std::fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join(picture)).expect("a picture");
    assert!(drawn.contains("second floor"));
    found["tests"].as_array().expect("tests").clone()
}

/// Criterion `j`, from 1.
fn criterion(test: &Value, j: usize) -> f64 {
    test["criteria"][j - 1].as_f64().unwrap_or_else(|| panic!("{test}"))
}

#[test]
fn early_is_below_the_floor_on_the_built_in_motion_and_on_perturbed_plants() {
    let early = tests("early", &["--perturbed", "2"], 0);
    assert_eq!(early.len(), 12);
    assert!(early.iter().all(|t| t["stable"] == true && criterion(t, 1) == 0.0 && criterion(t, 6) < 0.2), "{early:?}");
    assert_eq!(early.iter().filter(|t| t["perturbation"].is_null()).count(), 4);
    let ats = tests("ats", &[], 0);
    // What the delay of the force leaves to a controller that follows well.
    assert!(ats.iter().all(|t| criterion(t, 1) == 0.0 && (1.0..4.5).contains(&criterion(t, 6))), "{ats:?}");
}

#[test]
fn the_shipped_controller_is_late_and_without_one_all_is_lost() {
    let shipped = tests("pi-lead", &[], 0);
    assert!(shipped.iter().all(|t| (criterion(t, 1) - 4.64).abs() < 0.25 && criterion(t, 6) > 10.0), "{shipped:?}");
    let none = tests("none", &[], 3);
    assert!(none.len() == 4 && none.iter().all(|t| t["unstable_at"].as_f64().is_some_and(|t| t > 3.0)), "{none:?}");
    assert!(none.iter().all(|t| t["criteria"].is_null()));
}

#[test]
fn the_same_seed_gives_the_same_table() {
    let run = |seed: &str| {
        let out = interfield(&["bench", "vrths", "--seed", seed, "-o", "vrths-seed.svg"]).expect(0).stdout;
        out.lines().filter(|l| l.contains("synthetic")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b) = (run("3"), run("3"));
    assert!(a.len() == 4 && a == b && a != run("4"));
}

#[test]
fn mistakes_are_answered() {
    let wrong = interfield(&["bench", "vrths", "--controller", "atts", "--json"]).expect(2).json();
    assert!(wrong["errors"][0]["help"].as_str().is_some_and(|h| h.contains("`ats`")), "{wrong}");
    let wrong = interfield(&["bench", "vrths", "--param", "ahed=2", "--param", "ahead=-1", "--json"]).expect(2).json();
    assert_eq!(wrong["errors"].as_array().map(Vec::len), Some(2), "{wrong}");
    // All records that are not there, at once.
    std::fs::create_dir_all(Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-records")).expect("a folder");
    let wrong = interfield(&["bench", "vrths", "--records", "no-records", "--json"]).expect(1).json();
    assert_eq!(wrong["errors"].as_array().map(Vec::len), Some(3), "{wrong}");
    interfield(&["bench", "vrths", "--records", "nowhere"]).expect(1);
    interfield(&["bench", "vrths", "-o", "picture.bmp"]).expect(2);
    interfield(&["compensators", "atts"]).expect(2);
}

#[test]
fn records_are_found_by_their_names() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records");
    std::fs::create_dir_all(&folder).expect("a folder");
    let pulse: String = (0..300)
        .map(|k| format!("{},{}\n", f64::from(k) * 0.02, if (50..60).contains(&k) { 2.0 } else { 0.0 }))
        .collect();
    for name in ["elcentro_benchmark.csv", "KOBE.csv", "morgan-hill.csv"] {
        std::fs::write(folder.join(name), format!("t [s],a [m/s^2]\n{pulse}")).expect("a record");
    }
    std::fs::write(folder.join("elcentro.csv"), "not a record").expect("a file");
    let found = interfield(&["bench", "vrths", "--records", "records", "--json", "-o", "records.svg"]).expect(0).json();
    assert_eq!(found["tests"].as_array().map(Vec::len), Some(12));
    assert_eq!(found["tests"][4]["motion"], "Kobe");
    assert!(
        found["records"][0].as_str().is_some_and(|r| r.ends_with("elcentro_benchmark.csv")),
        "{}",
        found["records"]
    );
}

#[test]
fn compensators_are_explained() {
    let all = interfield(&["compensators", "--json"]).expect(0).json();
    let names: Vec<&str> = all.as_array().expect("a list").iter().filter_map(|m| m["name"].as_str()).collect();
    assert!(names[0] == "early" && names.contains(&"polynomial"), "{names:?}");
    let one = interfield(&["compensators", "early"]).expect(0).stdout;
    assert!(one.contains("ahead (default 1.5)"), "{one}");
}

#[test]
fn the_multi_axial_benchmark_is_followed_and_compared_with_a_perfect_test() {
    let args = ["bench", "marths", "--perturbed", "1", "-o", "marths.svg"];
    let found = interfield(&[&args[..], &["--json"]].concat()).expect(0).json();
    let tests = found["tests"].as_array().expect("tests");
    assert!(tests.len() == 2 && tests.iter().all(|t| t["stable"] == true && t["saturated"] == false), "{found}");
    let criterion = |j: usize, i: usize| tests[0]["criteria"][j - 1][i].as_f64().expect("a number");
    assert!(criterion(1, 0) == 0.0 && criterion(2, 1) < 2.0 && criterion(8, 3) < 0.1, "{found}");
    assert_eq!(found["criteria"][7]["values"].as_array().map(Vec::len), Some(4));
    let drawn = std::fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join("marths.svg")).expect("a picture");
    assert!(drawn.contains("actuator 2"));
    let said = interfield(&args).expect(0).stdout;
    assert!(said.contains("perfect actuators and sensors") && said.contains("0 of 1 unstable"), "{said}");
}

#[test]
fn mistakes_of_the_multi_axial_benchmark_are_answered() {
    let wrong = interfield(&["bench", "marths", "--controller", "lqk", "--json"]).expect(2).json();
    assert!(wrong["errors"][0]["help"].as_str().is_some_and(|h| h.contains("`lqg`")), "{wrong}");
    let wrong =
        interfield(&["bench", "marths", "--controller", "lqg", "--param", "doubt=1", "--json"]).expect(2).json();
    assert!(wrong["errors"][0]["message"].as_str().is_some_and(|m| m.contains("`doubt`")), "{wrong}");
    interfield(&["bench", "marths", "--param", "feedback=2"]).expect(2);
    interfield(&["bench", "marths", "--records", "nowhere"]).expect(1);
}

#[test]
fn all_compensators_are_in_one_table() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("short records");
    std::fs::create_dir_all(&folder).expect("a folder");
    let pulse: String = (0..30).map(|k| format!("{},{}\n", f64::from(k) * 0.02, f64::from(k % 5) - 2.0)).collect();
    for name in ["elcentro.csv", "kobe.csv", "morgan.csv"] {
        std::fs::write(folder.join(name), format!("t [s],a [m/s^2]\n{pulse}")).expect("a record");
    }
    let args = ["bench", "compensators", "--records", "short records", "-o", "compensators.svg"];
    let found = interfield(&[&args[..], &["--json"]].concat()).expect(0).json();
    let rows = found["compensators"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|r| r["name"] == name).unwrap_or_else(|| panic!("{name}: {found}"));
    assert!(row("lqg")["vrths"].is_null() && row("lqg")["marths"]["tests"] == 3, "{found}");
    assert!(row("early")["vrths"]["tests"] == 12 && row("early-decoupling")["marths"]["unstable"] == 0, "{found}");
}

/// None that is certified grows, all that is said to grow does, and critical delays are those of the time domain. A bound that is too small fails here.
#[test]
fn the_certificate_holds_on_random_tests() {
    let run = |threads: &str| {
        let mut found =
            interfield(&["bench", "certificate", "--plants", "150", "--seed", "5", "--threads", threads, "--json"])
                .expect(0)
                .json();
        found.as_object_mut().expect("an object").remove("seconds");
        found
    };
    let found = run("2");
    let count = |key: &str| found[key].as_u64().unwrap_or_else(|| panic!("{key}: {found}"));
    assert!(found["passed"] == true, "{found}");
    assert!(count("certified") >= 50 && count("certified_runs") >= 300, "{found}");
    assert!(count("counter_examples") >= 5 && count("unstable_in_the_middle") >= 5, "{found}");
    assert!(count("not_decided") <= 8, "{found}");
    let delays = &found["critical_delays"];
    assert!(delays["compared"].as_u64() >= Some(60) && delays["no_prediction"] == 0, "{found}");
    assert!(delays["largest_error"].as_f64().is_some_and(|e| e < 0.05) && delays["slow_and_not_seen"] == 0, "{found}");
}
