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
        "\nas it will be run\n  scheme ",
        "\n  solver: ",
        "AMD ordering",
        "points per period",
        "\ncost\n",
    ] {
        assert!(outcome.stdout.contains(part), "{part}:\n{}", outcome.stdout);
    }
    assert!(
        outcome.stdout.contains("... and 120 more (--all shows them)") && outcome.stdout.ends_with("no warnings\n")
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
        assert_eq!(found.iter().any(|w| w.contains("s of `quake`: ")), expected, "{dt}: {found:?}");
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

/// The page of a model in the folder of the models.
fn page(name: &str) -> String {
    interfield(&["check", models().join(name).to_str().unwrap(), "-o", "page.svg"]).expect(0).stdout
}

#[test]
fn the_test_is_shown_as_it_will_be_run() {
    let text = page("isolated-building.toml");
    let shown = text.split_once("as it will be run\n").expect("a section").1;
    for words in [
        "coupling pmc: ",
        "1 interface: slab.x",
        "building             7  coarse  alpha-os    2 ms",
        "specimen             1  fine    alpha-os  0.5 ms",
        "specimen isolators\n  measured: isolators\n  moved along: slab.x\n  laboratory: emulated in this process",
        "controller: 2 kHz, each sample is recorded",
        "targets: alpha-os sends one target per step of 0.5 ms: a new target every\n    sample",
        "compensation: ats (delay 9 ms, window 1 s, skip 16, threshold 0.254 mm; adapts\n    during the test)",
        "follows: as second-order, 25 Hz, damping 0.7",
        "can: stroke 300 mm, velocity 2000 mm/s, force 500 kN",
        "sensors: displacement: noise 0.02 mm; force: noise 0.2 kN",
        "measured force               450 kN  ramp-down",
        "tracking error                20 mm  abort",
        "measurements missing    10 in a row  hold",
    ] {
        assert!(shown.contains(words), "{words}:\n{text}");
    }
    assert!(!text.contains("lsrt2"), "{text}");
    // And the rig of Trento with its own scheme, which evaluates twice per step.
    let rig = page("trento-rig.toml");
    assert!(
        rig.contains("coupling plsrt2: ")
            && rig.contains("B                    2  fine    lsrt2   2 ms                     2"),
        "{rig}"
    );
    assert!(rig.contains("A: the coupling lets its scheme step over 4 steps at a time"), "{rig}");
}

#[test]
fn run_rehearse_and_check_say_the_same_of_a_test() {
    let path = models().join("isolated-building.toml");
    let name = path.to_str().unwrap();
    let setup = |args: &[&str]| interfield(&[args, &["--until", "1 s", "--json"]].concat()).json()["setup"].clone();
    let [checked, ran, rehearsed] =
        [&["check", name, "-o", "same.svg"][..], &["run", name, "-o", "same.h5"], &["rehearse", name]].map(setup);
    assert_eq!(ran, rehearsed);
    for part in ["coupling", "specimens", "externals", "step", "steps", "unknowns"] {
        assert_eq!(checked[part], ran[part], "{part}");
    }
    // What takes a moment to find is looked for by `check` only.
    for (checked, ran) in checked["sides"].as_array().unwrap().iter().zip(ran["sides"].as_array().unwrap()) {
        for part in ["substructure", "side", "scheme", "step", "unknowns", "solvers"] {
            assert_eq!(checked[part], ran[part], "{part}");
        }
        assert!(number(&checked["highest_frequency"]) > 0.0 && checked["largest_stable_step"].is_null());
    }
    let actuator = &checked["specimens"][0]["actuators"][0];
    assert_eq!(actuator["stroke"], serde_json::json!({ "value": 300.0, "unit": "mm" }));
    // The words of a rehearsal, which takes a minute, are those of README.md.
    let head = interfield(&["run", name, "--until", "1 s", "-o", "same.h5"]).stdout;
    let line = "specimen isolators: emulated in this process, 2 kHz, a new target every\n    sample, compensation ats for a delay of 9 ms\n";
    assert!(head.contains(line), "{head}");
}

#[test]
fn every_model_and_template_is_a_page_of_80_columns() {
    let templates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let files = [models(), templates].into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut seen = 0;
    for path in files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "toml")) {
        let text = interfield(&["check", path.to_str().unwrap(), "-o", "wide.svg"]).expect(0).stdout;
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{}: {line}", path.display());
        }
        let lines = text.lines().count();
        // A frame of fibres with a cut and a specimen has most to say; each actuator beyond two has its paragraph. The section on the coupling
        // is of its own length, see `couplings`.
        let section = text.split("\ncoupling\n").nth(1).and_then(|s| s.split("\ncost\n").next());
        let lines = lines - section.map_or(0, |s| s.lines().count());
        let actuators = text.matches("\n  actuator ").count();
        assert!(lines < 130 + 4 * actuators.saturating_sub(2), "{}: {lines} lines", path.display());
        seen += 1;
    }
    assert!(seen > 25, "{seen}");
}

#[test]
fn names_of_actuators_and_limits_of_their_own_are_shown() {
    let template = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/hybrid-two-actuators.toml");
    let text = interfield(&["check", template.to_str().unwrap(), "-o", "two.svg"]).expect(0).stdout;
    for words in [
        "actuator lower\n    moves: floor1.x",
        "actuator upper\n    moves: floor2.x",
        "100 times slower than real time",
        "alpha-os sends one target per step of 5 ms (0.5 s in the laboratory):\n    a new target every 10 samples",
        "in real time the test takes 25 min",
    ] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    let force: Vec<&str> = text.lines().filter(|l| l.starts_with("  measured force")).collect();
    assert!(force[0].contains("900 kN") && force[0].ends_with("lower"), "{force:?}");
    assert!(force[1].contains("450 kN") && force[1].ends_with("upper"), "{force:?}");
}

#[test]
fn an_explicit_side_beyond_its_limit_is_seen() {
    let path = models().join("isolated-building.toml");
    let args =
        ["check", path.to_str().unwrap(), "--whole", "--scheme", "explicit-newmark", "--dt", "50 ms", "-o", "x.svg"];
    let text = interfield(&args).stdout;
    assert!(text.contains(": exceeded") && text.contains("explicit-newmark"), "{text}");
}
