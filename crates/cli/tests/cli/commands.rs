//! The commands that do not run a model to its end: catalogues, spectra, orders, modes, help.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::scheme::registry::SCHEMES;
use interfield_results::Reader;
use serde_json::Value;

use super::{BASE, file, interfield, models, run};

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn spectral_radii_as_published() {
    let cases: [(&[&str], [f64; 4], f64); 4] = [
        (&["lsrt2", "--param", "gamma=minus"], [0.9999996, 0.996874, 0.44486, 0.04824], 5.1e-6),
        (&["lsrt2", "--param", "gamma=plus"], [0.999599, 0.667599, 0.08263, 0.00828], 5.1e-6),
        (&["chang"], [1.0; 4], 1e-9),
        (&["trapezoidal"], [1.0; 4], 1e-9),
    ];
    for (scheme, rho, tolerance) in cases {
        let mut args = vec!["spectrum", "--omega", "0.1,1,10,100", "--json", "--scheme"];
        args.extend(scheme);
        let document = interfield(&args).expect(0).json();
        assert_eq!(numbers(&document["omega"]), [0.1, 1.0, 10.0, 100.0]);
        for (found, expected) in numbers(&document["rho"]).into_iter().zip(rho) {
            assert!((found - expected).abs() < tolerance, "{scheme:?}: {found} is not {expected}");
        }
    }
    // The trapezoidal rule turns by 2 atan(Omega/2) and no longer tells where its pair is beyond pi.
    let document = interfield(&["spectrum", "--scheme", "trapezoidal", "--omega", "1,10", "--json"]).expect(0).json();
    let principal = numbers(&document["principal"][0]);
    assert!((principal[0] - 0.6).abs() < 1e-12 && (principal[1] - 0.8).abs() < 1e-12, "{principal:?}");
    assert!(document["principal"][1].is_null());
    let table = interfield(&["spectrum", "--scheme", "lsrt2", "--omega", "0.1"]).expect(0).stdout;
    assert!(table.contains("principal eigenvalue"), "{table}");
    assert!(table.contains("Omega") && table.contains("rho"), "{table}");
    let plot = interfield(&["spectrum", "--scheme", "newmark", "--plot", "rho.svg"]).expect(0);
    assert_eq!(plot.stderr, "");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("rho.svg");
    assert!(std::fs::read_to_string(path).unwrap().contains("<svg"));
}

#[test]
fn every_scheme_and_element_is_listed_and_explained() {
    let listed = |command: &str| {
        let document = interfield(&[command, "--json"]).expect(0).json();
        let names = document.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let schemes: Vec<&str> = SCHEMES.iter().map(|s| s.name).collect();
    let elements: Vec<&str> = catalogue().map(|i| i.name).collect();
    assert_eq!(listed("schemes"), schemes);
    assert_eq!(listed("elements"), elements);
    for (command, names) in [("schemes", schemes), ("elements", elements)] {
        let table = interfield(&[command]).expect(0).stdout;
        for name in names {
            assert!(table.contains(name));
            let page = interfield(&[command, name]).expect(0).stdout;
            assert!(page.starts_with(&format!("{name}: ")) && page.contains("source: "), "{page}");
            let one = interfield(&[command, name, "--json"]).expect(0).json();
            assert_eq!(one[0]["name"], name);
        }
    }
}

#[test]
fn observed_orders() {
    let model = models().join("duffing-chain.toml");
    let model = model.to_str().unwrap();
    for (scheme, order) in [("lsrt1", 1.0), ("lsrt2", 2.0), ("rosenbrock3", 3.0)] {
        let document = interfield(&["order", model, "--scheme", scheme, "--json"]).expect(0).json();
        assert_eq!(document["claimed_order"].as_f64(), Some(order));
        for key in ["u", "v"] {
            let found = document[key]["order"].as_f64().unwrap();
            assert!((found - order).abs() < 0.1, "{scheme}: order {found} in {key}");
        }
        assert!(document["s"].is_null());
    }
    let table = interfield(&["order", model, "--levels", "3"]).expect(0).stdout;
    assert!(table.contains("claimed order 2"), "{table}");
    interfield(&["order", model, "--levels", "1"]).expect(2);
    // A divided model is measured as it is divided, by the coupling that is asked for, or in one piece.
    let divided = models().join("split-mass.toml");
    let orders = |more: &[&str]| {
        let args =
            [&["order", divided.to_str().unwrap(), "--dt", "10 ms", "--until", "0.6 s", "--json"], more].concat();
        let found = interfield(&args).expect(0).json();
        (found["u"]["order"].as_f64().unwrap(), found["claimed_order"].as_u64(), found["u"]["differences"].clone())
    };
    let near = |order: f64, (found, ..): &(f64, Option<u64>, Value)| assert!((found - order).abs() < 0.15, "{found}");
    let coupled = orders(&["--coupling", "pmc", "--substeps", "4"]);
    near(2.0, &coupled);
    near(1.0, &orders(&["--coupling", "gc", "--substeps", "4"]));
    let whole = orders(&["--whole"]);
    near(2.0, &whole);
    assert!(coupled.1.is_none() && whole.1 == Some(2) && coupled.2 != whole.2);
    assert!(orders(&["--coupling", "pmc", "--substeps", "2"]).2 != coupled.2, "substeps count");
    // A run that blows up is a fault, not a mistake.
    let wild = file("wild.toml", BASE.replace("k = \"k\"\n\n[[load]]", "k = \"-1e6 kN/mm\"\n\n[[load]]"));
    let outcome = interfield(&["order", wild.to_str().unwrap(), "--until", "100 s", "--json"]);
    assert!([Some(2), Some(3)].contains(&outcome.code), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("panicked") && outcome.json()["errors"].is_array());
}

#[test]
fn modes_of_a_chain() {
    let model = file("modes.toml", BASE);
    let document = interfield(&["modes", model.to_str().unwrap(), "--json"]).expect(0).json();
    let modes = document["modes"].as_array().unwrap();
    // det(K - w2 M) = 0 with m = 20 t, 10 t and k = 4 MN/m twice: w2 = 400 (1 -+ sqrt(1/2)).
    assert_eq!(modes.len(), 2);
    for (mode, sign) in modes.iter().zip([-1.0, 1.0]) {
        let expected = (400.0 * (1.0 + sign * 0.5f64.sqrt())).sqrt();
        let omega = mode["omega"].as_f64().unwrap();
        assert!((omega - expected).abs() < 1e-9 * expected, "{omega} is not {expected}");
        let frequency = mode["frequency"].as_f64().unwrap();
        assert!((frequency * std::f64::consts::TAU - omega).abs() < 1e-12 * omega);
        let shape = |name: &str| mode["shape"][name].as_f64().unwrap();
        assert!((shape("roof.x") / shape("floor.x") + sign * 2f64.sqrt()).abs() < 1e-9);
    }
    let table = interfield(&["modes", model.to_str().unwrap(), "--count", "1"]).expect(0).stdout;
    assert!(table.contains("2 unknowns") && table.contains("roof.x"), "{table}");
    interfield(&["modes", model.to_str().unwrap(), "--count", "0"]).expect(2);
}

#[test]
fn help_is_there_with_examples() {
    let top = interfield(&["--help"]).expect(0).stdout;
    assert!(top.contains("Exit codes") && top.contains("Examples"), "{top}");
    for command in ["run", "show", "compare", "plot", "export", "modes", "spectrum", "order", "schemes", "elements"] {
        assert!(top.contains(command));
        let help = interfield(&[command, "--help"]).expect(0).stdout;
        assert!(help.contains(&format!("\n  interfield {command} ")), "{help}");
        assert!(help.lines().all(|l| l.chars().count() <= 100), "{help}");
    }
    assert!(interfield(&["--version"]).expect(0).stdout.starts_with("interfield "));
}

/// A model in several files is written out, and its result file holds all of them.
#[test]
fn models_in_several_files() {
    file("part-of-it.toml", "[[shear-building]]\nstoreys = 3\nmass = \"2 t\"\nk = \"4 kN/mm\"\n");
    let load = "[[load]]\ntype = \"ground\"\ndirection = \"x\"\nsignal = { type = \"synthetic\", peak = 1 }\n";
    let text = format!("include = [\"part-of-it.toml\"]\n{load}[analysis]\ndt = 0.01\nduration = 1\n");
    let (_, first) = run("in-files", &text, &[]);
    let model = file("in-files.toml", &text);
    let long = interfield(&["expand", model.to_str().unwrap()]).expect(0).stdout;
    assert!(long.contains("floor3") && !long.contains("include"), "{long}");
    let as_json = interfield(&["expand", model.to_str().unwrap(), "--json"]).expect(0).json();
    assert_eq!(as_json["model"], long);
    let (_, second) = run("in-one-file", &long, &[]);
    assert_eq!((&first.header, &first.rows), (&second.header, &second.rows));
    interfield(&["run", model.to_str().unwrap(), "-o", "in-files.h5"]).expect(0);
    let stored = Reader::open(&std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("in-files.h5")).unwrap();
    std::fs::remove_file(model.with_file_name("part-of-it.toml")).unwrap();
    let (_, third) = run("from-results", &stored.meta().model_text, &[]);
    assert_eq!(first.rows, third.rows);
    let mistaken = file("mistaken.toml", text.replace("part-of-it", "nowhere"));
    let found = interfield(&["expand", mistaken.to_str().unwrap(), "--json"]).expect(2).json();
    assert!(found["errors"][0]["message"].as_str().unwrap().contains("`nowhere.toml` does not exist"), "{found}");
}
