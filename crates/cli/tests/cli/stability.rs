//! `check --stability` and `stability-map`: do they find what is known to be unstable, and nothing else?

use serde_json::Value;

use super::{file, interfield, models};

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is no number"))
}

/// The finding about a model of the folder.
fn probe(model: &str, more: &[&str], code: i32) -> Value {
    let model = models().join(model);
    let args = [&["check", model.to_str().unwrap(), "--stability", "--json", "-o", "probe.svg"], more].concat();
    interfield(&args).expect(code).json()["stability"].clone()
}

fn split_mass(more: &[&str], dt: f64, code: i32) -> Value {
    let dt = format!("{dt} s");
    probe("split-mass.toml", &[&["--set", "b1=0.5", "--substeps", "10", "--dt", &dt], more].concat(), code)
}

/// The unstable windows found by the search over the step, s.
fn windows(found: &Value) -> Vec<[f64; 2]> {
    let list = found["step_limit"]["unstable_windows"].as_array().expect("windows");
    list.iter().map(|w| [number(&w[0]), number(&w[1])]).collect()
}

#[test]
fn the_window_of_plsrt2_on_the_split_mass() {
    // Ω = 4 dt, unstable from 20.6 to 32.7 (crates/testkit/tests/couplings_rosenbrock.rs).
    let plus = ["--coupling", "plsrt2", "--param", "gamma=plus"];
    for (omega, code) in [(20.5, 0), (20.7, 3), (26.0, 3), (32.6, 3), (32.8, 0)] {
        let found = split_mass(&plus, omega / 4.0, code);
        assert_eq!(found["stable"], code == 0, "{omega}");
        let [[from, to]] = windows(&found)[..] else { panic!("{omega}: {:?}", windows(&found)) };
        assert!((4.0 * from - 20.6).abs() < 0.06 && (4.0 * to - 32.7).abs() < 0.06, "{from} {to}");
        assert!((number(&found["step_limit"]["largest"]) / from - 1.0).abs() < 1e-3);
    }
    let found = split_mass(&plus, 6.0, 3);
    let motion = &found["leading_motion"];
    assert_eq!(
        (&motion["moves_most_at"], &motion["substructure"], &motion["side"]),
        (&"mass.x".into(), &"B".into(), &"fine".into())
    );
    let (growth, twice) = (number(&motion["growth"]), number(&motion["doubling_time"]));
    assert!(
        (growth * twice - 2f64.ln()).abs() < 1e-12
            && ((6.0 * growth).exp() - number(&motion["magnitude"])).abs() < 1e-12
    );
    // What it suggests is stable when it is tried.
    let options: Vec<&str> =
        found["stable_settings"].as_array().unwrap().iter().map(|s| s["options"].as_str().unwrap()).collect();
    assert!(options[0].starts_with("--dt \"5.1") && options.contains(&"--substeps 1"), "{options:?}");
    let step: f64 = options[0].trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert_eq!(split_mass(&plus, step, 0)["verdict"], "stable");
}

#[test]
fn the_windows_of_the_staggered_coupling_and_none_of_pmc() {
    let found = split_mass(&["--coupling", "staggered", "--param", "gamma=minus"], 15.0, 3);
    let near = |w: &[f64; 2], from: f64, to: f64| (w[0] - from).abs() < 0.01 && (w[1] - to).abs() < 0.01;
    let all = windows(&found);
    assert!(all.iter().any(|w| near(w, 9.65, 11.20)) && all.iter().any(|w| near(w, 13.06, 20.88)), "{all:?}");
    for dt in [0.5, 6.0, 15.0] {
        let found = split_mass(&["--coupling", "pmc", "--scheme", "alpha-os"], dt, 0);
        assert_eq!((found["verdict"].as_str(), windows(&found).len()), (Some("stable"), 0));
        assert_eq!(found["stable_settings"].as_array().map(Vec::len), Some(0));
    }
}

#[test]
fn the_limit_of_plsrt2_on_three_degrees_of_freedom() {
    let minus = ["--coupling", "plsrt2", "--param", "gamma=minus", "--dt"];
    let found = probe("three-dof.toml", &[&minus[..], &["0.1 s"]].concat(), 3);
    let limit = number(&found["step_limit"]["largest"]);
    assert!(limit < 0.1 && found["leading_motion"]["substructure"].is_string(), "{found}");
    for (factor, code) in [(0.9, 0), (1.2, 3)] {
        probe("three-dof.toml", &[&minus[..], &[&format!("{} s", factor * limit)]].concat(), code);
    }
    let pmc = ["--coupling", "pmc", "--scheme", "alpha-os", "--dt", "0.1 s"];
    assert_eq!(probe("three-dof.toml", &pmc, 0)["stable"], true);
}

/// 50 storeys of 20 columns: 3000 degrees of freedom.
const FRAME: &str = r#"
title = "Tall frame"
dofs = ["x", "y", "rz"]

[section.steel]
E = "210 GPa"
A = "60 cm^2"
I = "4000 cm^4"
mass_per_length = "48 kg/m"

[[plane-frame]]
bays = 19
width = "6 m"
storeys = 50
height = "3.5 m"
column = "steel"
beam = "steel"
floor_mass = "8 t"

[analysis]
scheme = { name = "newmark", beta = 0 }
dt = "1.25 ms"
duration = "1 s"

[record]
channels = ["n50_0.x"]
"#;

#[test]
fn a_wrong_step_of_an_explicit_scheme_on_a_frame_of_3000_degrees_of_freedom() {
    let frame = file("tall-frame.toml", FRAME);
    let args = ["check", frame.to_str().unwrap(), "--stability", "--json", "-o", "tall.svg"];
    let document = interfield(&args).expect(3).json();
    assert_eq!(document["unknowns"].as_array().map(Vec::len), Some(3000));
    let found = &document["stability"];
    assert_eq!(found["method"]["name"], "krylov");
    // Central differences: 2 / omega_max, and beyond it the highest mode grows and changes its sign at every step.
    let limit = 2.0 / number(&document["modal"]["omega_max"]);
    assert!(limit > 1.1e-3 && limit < 1.25e-3, "{limit}");
    assert!((number(&found["step_limit"]["largest"]) / limit - 1.0).abs() < 1e-4, "{found}");
    let motion = &found["leading_motion"];
    assert!((number(&motion["frequency"]) - 400.0).abs() < 1e-9, "{motion}");
    let half = 1.25e-3 / limit; // Ω/2: |λ| = Ω²/2 - 1 + Ω/2 sqrt(Ω² - 4)
    let magnitude = 2.0 * half * half - 1.0 + 2.0 * half * (half * half - 1.0).sqrt();
    assert!((number(&motion["magnitude"]) / magnitude - 1.0).abs() < 0.02, "{motion} {magnitude}");
    let own = &found["own_limits"][0];
    assert!((number(&own["omega_dt"]) - 2.0).abs() < 1e-3 && own["substructure"].is_null());
    assert!(found["stable_settings"][0]["options"].as_str().is_some_and(|o| o.starts_with("--dt \"0.0011")));
}

#[test]
fn text_says_what_grows_and_where() {
    let model = models().join("split-mass.toml");
    let args = ["check", model.to_str().unwrap(), "--stability", "-o", "words.svg", "--coupling", "plsrt2"];
    let more = ["--param", "gamma=plus", "--substeps", "10", "--set", "b1=0.5", "--dt", "6 s"];
    let text = interfield(&[&args[..], &more[..]].concat()).expect(3).stdout;
    for part in [
        "\nstability\n  coupling plsrt2, step 6 s: A lsrt2, B lsrt2 in 10 substeps\n  unstable: spectral radius 1.0437 ",
        "growing motion: 0.083333 Hz",
        "moves most at `mass.x` of `B` (fine side)",
        "largest stable step 5.15",
        "\nstable settings near the given one\n",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    // The whole of it, by the trapezoidal rule: (1 + i Omega/2) / (1 - i Omega/2) with Omega = 0.01; cut in two as well.
    let exact = ((1.0 - 2.5e-5) / (1.0 + 2.5e-5), 0.01 / (1.0 + 2.5e-5));
    for coupling in ["clm", "llm"] {
        let args = ["--scheme", "trapezoidal", "--substeps", "1", "--coupling", coupling];
        let found = probe("split-mass.toml", &args, 0)["principal"][0].clone();
        let value = [found["eigenvalue"][0].as_f64().unwrap(), found["eigenvalue"][1].as_f64().unwrap()];
        assert!((value[0] - exact.0).abs() < 1e-9 && (value[1] - exact.1).abs() < 1e-9, "{coupling}: {found}");
        assert_eq!(found["mode"], 1);
    }
    // Nonlinear models are told that it holds near the initial state.
    let chain = models().join("duffing-chain.toml");
    let text = interfield(&["check", chain.to_str().unwrap(), "--stability", "-o", "words.svg"]).expect(0).stdout;
    assert!(text.contains("small motions about its initial state"), "{text}");
}

#[test]
fn substeps_need_substructures_and_a_sensible_number() {
    let whole = models().join("frame.toml");
    let outcome = interfield(&["check", whole.to_str().unwrap(), "--substeps", "2", "-o", "x.svg"]).expect(2);
    assert!(outcome.stderr.contains("--substeps: the model has no substructures"), "{}", outcome.stderr);
    let cut = models().join("split-mass.toml");
    interfield(&["check", cut.to_str().unwrap(), "--substeps", "0", "-o", "x.svg"]).expect(2);
    let outcome =
        interfield(&["check", cut.to_str().unwrap(), "--coupling", "llm", "--scheme", "trapezoidal", "-o", "x.svg"]);
    assert!(outcome.expect(2).stderr.contains("the same step in all substructures"));
    let args = ["--coupling", "llm", "--scheme", "trapezoidal", "--substeps", "1", "-o", "x.svg"];
    interfield(&[&["check", cut.to_str().unwrap()], &args[..]].concat()).expect(0);
}

#[test]
fn a_map_has_all_values_and_a_picture() {
    let map = |more: &[&str]| interfield(&[&["stability-map", "--json", "--points", "9"], more].concat());
    let args = ["--coupling", "plsrt2", "--param", "gamma=plus", "--substeps", "1,10", "--omega", "5.2..8"];
    let found = map(&[&args[..], &["--ratios", "0.5..0.5", "-o", "map.svg"]].concat()).expect(0).json();
    assert_eq!(found["omega"].as_array().map(Vec::len), Some(9));
    let maps = found["maps"].as_array().unwrap();
    let unstable: Vec<&Value> = maps.iter().map(|m| &m["unstable"]).collect();
    assert_eq!(unstable, [0, 9], "inside the window, with substeps only");
    assert!(maps[1]["radius"][0].as_array().unwrap().iter().all(|r| number(r) > 1.001), "{}", maps[1]);
    assert!((number(&maps[1]["worst"]["ratio"]) - 0.5).abs() < 1e-12 && maps[0]["worst"].is_null());
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let svg = std::fs::read_to_string(folder.join("map.svg")).unwrap();
    assert!(svg.contains("the papers use 4 omega dt") && svg.contains("ss = 10") && svg.contains("stable everywhere"));
    let again = map(&[&args[..], &["--ratios", "0.5..0.5", "-o", "map.svg"]].concat()).expect(0).json();
    assert_eq!(found, again, "the same on however many cores");
    let pmc = interfield(&["stability-map", "--points", "7", "-o", "map.png"]).expect(0).stdout;
    assert!(pmc.starts_with("pmc with alpha-os, drawn in map.png\n"), "{pmc}");
    assert!(std::fs::read(folder.join("map.png")).unwrap().starts_with(b"\x89PNG"));
    for (wrong, says) in [
        (&["--coupling", "pcm"][..], "did you mean `pmc`"),
        (&["--omega", "3..1"][..], "the smaller one first"),
        (&["--omega", "0..1"][..], "greater than zero"),
        (&["--scheme", "hht", "--param", "foo=1"][..], "no parameter `foo`"),
        (&["--coupling", "plsrt2", "--scheme", "newmark"][..], "needs lsrt1 or lsrt2"),
        (&["--coupling", "llm"][..], "the same step in all substructures"),
        (&["-o", "map.gif"][..], "FILE.svg or FILE.png"),
    ] {
        let outcome = interfield(&[&["stability-map"], wrong].concat()).expect(2);
        assert!(outcome.stderr.contains(says), "{wrong:?}: {}", outcome.stderr);
    }
}

#[test]
fn a_laboratory_that_cannot_be_probed_is_explained() {
    let template = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/hybrid.toml");
    let text = std::fs::read_to_string(template).expect("a template");
    let usual = "compensation = { method = \"ats\", delay = \"9 ms\" }";
    let huge = "compensation = { method = \"feedforward\", series = [1e300, 1e300, 1e300, 1e300] }";
    assert!(text.contains(usual));
    let model = super::file("not-probed.toml", text.replace(usual, huge));
    let args = ["check", model.to_str().expect("UTF-8"), "--stability", "-o", "not-probed.svg"];
    let said = super::interfield(&args).expect(3).stderr;
    for words in [
        "cannot be judged: while the step was probed, the laboratory ended the test: ",
        "compensation and actuators amplify the probe",
        "help: look at the parameters of `compensation` and of [[specimen.actuator]]",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("Laboratory {") && !said.contains("code"), "{said}");
}
