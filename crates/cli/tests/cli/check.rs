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
    for scheme in SCHEMES.iter().filter(|s| !["rosenbrock", "explicit-newmark"].contains(&s.name)) {
        assert!(limit(&["--scheme", scheme.name]).is_null(), "{}", scheme.name);
    }
    let explicit = number(&limit(&["--scheme", "explicit-newmark"]));
    assert!((explicit - 2.0).abs() < 1e-3, "{explicit}");
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
        assert!(
            warnings.contains("the run is unstable with this step")
                && warnings.contains(
                    "or an implicit \
            scheme"
                ),
            "{warnings}"
        );
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
    assert!(text.contains("modes\n  not available: ") && text.contains("not symmetric"), "{text}");
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

#[test]
fn every_mode_shows_its_damping() {
    let ratios = |name: &str, damping: &str| -> Vec<f64> {
        let model = file(name, BASE.replacen("[analysis]", &format!("{damping}\n[analysis]"), 1));
        let document = interfield(&["check", model.to_str().unwrap(), "--json", "-o", "damping.svg"]).expect(0).json();
        document["modal"]["modes"].as_array().unwrap().iter().map(|m| number(&m["damping_ratio"])).collect()
    };
    let near = |found: Vec<f64>, expected: [f64; 2]| {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-9), "{found:?} {expected:?}");
    };
    near(ratios("ratio.toml", "[damping]\nrayleigh = { ratio = 0.05 }"), [0.05, 0.05]);
    near(ratios("ratios.toml", "[damping]\nrayleigh = { ratios = [0.02, 0.03] }"), [0.02, 0.03]);
    near(ratios("modal.toml", "[damping]\nmodal = [0.04]"), [0.04, 0.0]);
    near(ratios("none.toml", ""), [0.0, 0.0]);
    // C = a1 K by dashpots beside the springs: a1 omega / 2.
    let omega = [-1.0, 1.0].map(|sign: f64| (400.0 * (1.0 + sign * 0.5f64.sqrt())).sqrt());
    let dashpot = |from: &str, to: &str| {
        format!("[[element]]\ntype = \"damper\"\nnodes = [\"{from}\", \"{to}\"]\ndof = \"x\"\nc = \"k*4 ms\"\n")
    };
    let both = dashpot("ground", "floor") + &dashpot("floor", "roof");
    near(ratios("dashpots.toml", &both), omega.map(|w| 0.002 * w));
}

/// Warnings of `check` for the base model with one piece of text replaced.
fn warnings(name: &str, piece: &str, becomes: &str) -> Vec<String> {
    let model = file(name, BASE.replacen(piece, becomes, 1));
    let document = interfield(&["check", model.to_str().unwrap(), "--json", "-o", "warnings.svg"]).expect(0).json();
    document["warnings"].as_array().unwrap().iter().map(|w| w["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn driven_modes_and_missed_samples_are_warned_about() {
    let matrix = "[[element]]\ntype = \"matrix\"\ndofs = [\"roof.x\"]\nC = [[-0.001]]\n[analysis]";
    let found = warnings("driven.toml", "[analysis]", matrix);
    assert!(found.iter().any(|w| w.contains("the damping of mode 1 is negative (")), "{found:?}");
    // Above the Nyquist frequency of the step the scheme decides: mode 2 has 4.1 Hz.
    let coarse = "dt = \"200 ms\"\nduration = \"1 s\"\n[damping]\nrayleigh = { a0 = 0.4, a1 = \"-0.8 ms\" }\n";
    let found = warnings("nyquist.toml", "dt = \"10 ms\"\nduration = \"1 s\"\n", coarse);
    assert!(found.iter().any(|w| w.contains("mode 2 (4.1589 Hz) has a damping ratio of -0.28")), "{found:?}");
    // The synthetic motion has a sample every 10 ms.
    for (dt, expected) in [("3 ms", true), ("12 ms", true), ("5 ms", false), ("10 ms/3", false), ("10 ms", false)] {
        let found = warnings("samples.toml", "dt = \"10 ms\"", &format!("dt = \"{dt}\""));
        assert_eq!(found.iter().any(|w| w.contains("s of load 1: ")), expected, "{dt}: {found:?}");
    }
}

#[test]
fn couplings_are_refused_for_the_true_reason() {
    let chain = |method: &str, third: &str, k: &str| {
        format!(
            "dofs = [\"x\"]\nnode = [{{ name = \"a\", mass = 1, initial = 0.01 }}, {{ name = \"i\", mass = 3 }}, {{ name = \"b\", mass = 1 }}, {{ name = \"c\", mass = 1 }}]\n\
             element = [{{ type = \"spring\", name = \"k0\", nodes = [\"ground\", \"a\"], dof = \"x\", k = 100 }},\n\
             {{ type = \"spring\", name = \"k1\", nodes = [\"a\", \"i\"], dof = \"x\", k = 100 }},\n\
             {{ type = \"spring\", name = \"k2\", nodes = [\"i\", \"b\"], dof = \"x\", k = {k} }},\n\
             {{ type = \"spring\", name = \"k3\", nodes = [\"i\", \"c\"], dof = \"x\", k = 100 }}]\n\
             analysis = {{ dt = 0.01, duration = 1 }}\ncoupling = {{ method = \"{method}\" }}\nrecord = {{ channels = [\"i.x\"] }}\n\
             substructure = [{{ name = \"p\", elements = [\"k0\", \"k1\"] }}, {{ name = \"q\", side = \"fine\", substeps = 2, {third} }}]\n"
        )
    };
    let message = |name: &str, text: String| {
        let model = file(name, text);
        let errors = interfield(&["check", model.to_str().unwrap(), "--json"]).expect(2).json();
        let first = &errors["errors"][0];
        format!("{} {}", first["message"], first["help"])
    };
    let three = "elements = [\"k2\"] }, { name = \"r\", side = \"fine\", substeps = 2, elements = [\"k3\"]";
    let found = message("ph.toml", chain("ph", three, "100"));
    assert!(found.contains("meets two others") && found.contains("modified-ph") && !found.contains("tree"), "{found}");
    let explicit = "elements = [\"k2\", \"k3\"], scheme = { name = \"newmark\", beta = 0 }";
    let found = message("limit.toml", chain("modified-ph", explicit, "1e6"));
    assert!(found.contains("beyond its stability limit") && !found.contains("mass"), "{found}");
}
