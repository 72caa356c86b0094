//! `interfield check`: what it says about a model, and when it warns.

use interfield_kernel::scheme::registry::SCHEMES;

use super::{BASE, file, interfield, models};

fn number(v: &serde_json::Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is no number"))
}

#[test]
fn masses_modes_and_step_of_a_chain() {
    let model = file("check.toml", BASE);
    let document = interfield(&["check", model.to_str().unwrap(), "--json", "-o", "check.svg"]).expect(0).json();
    let svg = std::fs::read_to_string(model.with_file_name("check.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.matches("<path").count() >= 2, "{svg}");
    let modal = &document["modal"];
    assert_eq!(number(&modal["directions"][0]["mass"]), 30e3);
    // w2 = 400 (1 -+ sqrt(1/2)), shapes (1, +-sqrt 2): Gamma = (20 +- 10 sqrt 2) / sqrt(40) in sqrt(t).
    let (root, omega) = (2f64.sqrt(), |sign: f64| (400.0 * (1.0 + sign * 0.5f64.sqrt())).sqrt());
    let mut sum = 0.0;
    for (mode, sign) in modal["modes"].as_array().unwrap().iter().zip([1.0, -1.0]) {
        let mass = (20.0 + sign * 10.0 * root).powi(2) / 40.0 * 1e3;
        let along = &mode["along"]["x"];
        assert!((number(&along["effective_mass"]) / mass - 1.0).abs() < 1e-9, "{along}");
        assert!((number(&along["participation"]).powi(2) / mass - 1.0).abs() < 1e-9, "{along}");
        sum += number(&along["share"]);
    }
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    assert!((number(&modal["omega_max"]) / omega(1.0) - 1.0).abs() < 1e-9);
    assert_eq!(modal["last_mode_that_matters"], 1);
    let points = std::f64::consts::TAU / omega(-1.0) / 0.01;
    assert!((number(&modal["points_per_period"]) / points - 1.0).abs() < 1e-9);
    assert_eq!(document["solvers"][0]["unknowns"], 2);
    assert!(number(&document["seconds_per_step"]) > 0.0 && number(&document["estimated_seconds"]) > 0.0);
    assert_eq!(document["dofs"][0]["name"], "floor.x");
    assert_eq!(number(&document["dofs"][0]["mass"]), 20e3);
}

#[test]
fn the_text_is_short_for_long_models() {
    let model = models().join("frame.toml");
    let args = ["check", model.to_str().unwrap(), "-o", "frame-check.svg"];
    let outcome = interfield(&args).expect(0);
    assert_eq!(outcome.stderr, "");
    for part in [
        "structure\n",
        "\nmasses that move\n",
        "\nmodes\n",
        "\nsolver\n",
        "AMD ordering",
        "points per period",
        "\ncost\n",
    ] {
        assert!(outcome.stdout.contains(part), "{part}:\n{}", outcome.stdout);
    }
    assert!(
        outcome.stdout.contains("... and 112 more (--all shows them)") && outcome.stdout.ends_with("no warnings\n")
    );
    assert!(!outcome.stdout.contains("n10_3.rz"));
    let all = interfield(&[&args[..], &["--all"]].concat()).expect(0).stdout;
    assert!(all.contains("n10_3.rz") && !all.contains("--all"));
}

#[test]
fn stability_limits_of_all_schemes() {
    let model = file("limits.toml", BASE);
    let limit = |more: &[&str]| {
        let args = [&["check", model.to_str().unwrap(), "--json", "-o", "limits.svg"], more].concat();
        interfield(&args).expect(0).json()["stability_limit"].clone()
    };
    for scheme in SCHEMES.iter().filter(|s| s.name != "rosenbrock") {
        assert!(limit(&["--scheme", scheme.name]).is_null(), "{}", scheme.name);
    }
    // Central differences: Omega = 2; beta = 1/6, gamma = 1/2: Omega = sqrt(12).
    let central = number(&limit(&["--scheme", "newmark", "--param", "beta=0"]));
    assert!((central - 2.0).abs() < 1e-3, "{central}");
    let linear = number(&limit(&["--scheme", "newmark", "--param", "beta=0.16666666666666666"]));
    assert!((linear - 12f64.sqrt()).abs() < 1e-3, "{linear}");
    // And a step beyond is warned of, by `run` too, with the step that would do.
    let args = ["--scheme", "newmark", "--param", "beta=0", "--dt", "0.12 s", "--until", "20 s", "--json"];
    for command in [&["check", "-o", "limits.svg"][..], &["run", "-o", "limits.csv"][..]] {
        let args = [&command[..1], &[model.to_str().unwrap()], &command[1..], &args].concat();
        let outcome = interfield(&args);
        let warnings = outcome.json()["warnings"].to_string();
        assert!(warnings.contains("grows without bound") && warnings.contains("or an implicit scheme"), "{warnings}");
    }
}

#[test]
fn mistakes_and_models_without_modes() {
    let wrong = file("check-wrong.toml", BASE.replace("floor\", \"roof", "floor\", \"rof"));
    let outcome = interfield(&["check", wrong.to_str().unwrap(), "--json"]).expect(2);
    assert!(outcome.json()["errors"][0]["message"].as_str().unwrap().contains("rof"));
    interfield(&["check", "missing.toml"]).expect(1);
    let model = file("check-self.toml", BASE);
    interfield(&["check", model.to_str().unwrap(), "-o", model.to_str().unwrap()]).expect(2);
    // A pendulum that hangs askew has an unsymmetric tangent, and no real modes.
    let askew = models().join("shear-pendulum.toml");
    let text = interfield(&["check", askew.to_str().unwrap(), "-o", "askew.svg"]).expect(0).stdout;
    assert!(text.contains("modes\n  not known: ") && text.contains("not symmetric"), "{text}");
}

#[test]
fn warnings_stand_in_the_text_and_are_not_errors() {
    let model = file("check-warn.toml", BASE.replace("\"0.2 g\"", "\"200 g\""));
    let outcome = interfield(&["check", model.to_str().unwrap(), "-o", "warn.svg"]).expect(0);
    assert!(
        outcome.stderr.contains("check-warn.toml:38") && outcome.stderr.contains("peak of 200 g"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stdout.contains("no warnings"));
    // The run says the same and goes on.
    let outcome = interfield(&["run", model.to_str().unwrap(), "-o", "warn.csv"]).expect(0);
    assert!(outcome.stderr.contains("peak of 200 g"), "{}", outcome.stderr);
}
