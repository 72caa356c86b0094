//! Actuators that act on one another: what is predicted of their loop is what a run does, and what is wrong with a plant is said where it is.

use super::{file, interfield};

/// A rig with the plant of the multi-axial benchmark.
const RIG: &str = include_str!("../data/coupled-rig.toml");

#[test]
fn a_coupled_rig_grows_as_its_loop_says_and_decoupling_stops_it() {
    // So little force that no limit is reached while the motion grows.
    let bare = RIG.replace("\"decoupling\"", "\"none\"").replace("1.5 kN", "1e-5 kN");
    let model = file("coupled-bare.toml", &bare);
    let model = model.to_str().expect("UTF-8");
    let said = interfield(&["check", "--stability", model]).expect(3).stdout;
    let growth = said.split("growth ").nth(1).and_then(|s| s.split(' ').next()).and_then(|s| s.parse::<f64>().ok());
    let growth = growth.unwrap_or_else(|| panic!("{said}"));
    assert!(said.contains("unstable at rest") && (growth - 2.2).abs() < 0.1, "{said}");
    interfield(&["run", model, "-o", "coupled-bare.csv"]);
    let csv = std::fs::read_to_string(format!("{}/coupled-bare.csv", env!("CARGO_TARGET_TMPDIR"))).expect("results");
    let peak = |from: f64| {
        let rows = csv.lines().filter_map(|l| {
            let mut numbers = l.split(',').map_while(|n| n.trim().parse::<f64>().ok());
            Some((numbers.next()?, numbers.next()?))
        });
        rows.filter(|(t, _)| (from..from + 1.0).contains(t)).map(|(_, x)| x.abs()).fold(0.0, f64::max)
    };
    let grown = (peak(5.0) / peak(3.0)).ln() / 2.0;
    assert!((grown - growth).abs() < 0.05 * growth, "{grown} {growth}");

    let model = file("coupled-rig.toml", RIG);
    let model = model.to_str().expect("UTF-8");
    let said = interfield(&["check", "--stability", model]).expect(0).stdout;
    assert!(said.contains("stable: no motion grows") && said.contains("all 2 actuators together, 8 states"), "{said}");
    let run = interfield(&["run", model, "-o", "coupled-rig.h5"]).expect(0).stdout;
    assert!(run.contains("verdict: good") && run.contains("compensation decoupling"), "{run}");
}

#[test]
fn each_actuator_is_compensated_in_its_own_way_and_the_page_says_how() {
    let own = RIG
        .replace("compensation = \"decoupling\"", "compensation = { method = \"early\", delay = \"24 ms\" }")
        .replace("name = \"east\"\n", "name = \"east\"\ncompensation = { method = \"ats\", delay = \"61 ms\" }\n");
    let model = file("coupled-own.toml", &own);
    let model = model.to_str().expect("UTF-8");
    let said = interfield(&["check", model]).expect(0).stdout;
    assert!(said.contains("ats (delay 61 ms") && said.contains("early (delay 24 ms"), "{said}");
    let json = interfield(&["check", model, "--json"]).expect(0).json();
    let actuators = &json["setup"]["specimens"][0]["actuators"];
    let method = |i: usize| actuators[i]["compensation"]["method"].as_str().unwrap_or_default().to_owned();
    assert_eq!([method(0), method(1)], ["ats", "early"], "{json}");
    // The tracking table tells them too, whatever the verdict.
    let run = interfield(&["run", model, "-o", "coupled-own.h5"]).stdout;
    let told = |name: &str, method: &str| run.lines().any(|l| l.trim().starts_with(name) && l.trim().ends_with(method));
    assert!(told("actuator", "compensation") && told("east", "ats") && told("west", "early"), "{run}");
}

#[test]
fn a_rig_is_identified_and_what_is_printed_is_a_plant_of_the_file() {
    // The emulated laboratory speaks metres, whatever the instruments, and has its other sensors too.
    let calibrated = "name = \"east\"\ncalibration = { command = [0.05, 0.2], displacement = [0.05, 0.1] }\n";
    let sensors = "[[specimen.transducer]]\nactuator = \"east\"\n[[specimen.transducer]]\nactuator = \"west\"\n\
                   [[specimen.transducer]]\nelement = \"braces\"\n";
    let model = file("coupled-identify.toml", RIG.replacen("name = \"east\"\n", calibrated, 1) + sensors);
    let model = model.to_str().expect("UTF-8");
    let args = ["identify-actuator", model, "--order", "3", "--json"];
    let found = interfield(&args).expect(0).json();
    for actuator in found["actuators"].as_array().expect("actuators") {
        assert!(actuator["not_explained"].as_f64().is_some_and(|share| share < 0.01), "{found}");
    }
    let (head, _) = RIG.split_once("[specimen.plant]").expect("a plant");
    let again = file("coupled-identified.toml", format!("{head}{}", found["toml"].as_str().expect("text")));
    let said = interfield(&["check", again.to_str().expect("UTF-8")]).expect(0).stdout;
    assert!(said.contains("all 2 actuators together, 6 states") && said.contains("no warnings"), "{said}");
    for (args, says) in [
        (&["identify-actuator", model, "--specimen", "fram"][..], "`frame`"),
        (&["identify-actuator", model, "--from", "nothing.lab.h5"][..], "nothing.lab.h5"),
        (&["identify-actuator", model, "--to", "500"][..], "can be identified at this rate"),
        (&["identify-actuator", model, "--to", "0"][..], "greater than zero"),
    ] {
        let wrong = interfield(args).expect(2);
        assert!(wrong.stderr.contains(says), "{says}: {}", wrong.stderr);
    }
}

#[test]
fn what_is_wrong_with_a_plant_is_said_where_it_is() {
    for (what, with, says) in [
        ("stroke = \"east\"\nzeros", "stroke = \"eats\"\nzeros", "the specimen has no actuator `eats`"),
        ("zeros = [\"-3 Hz\"]", "zeros = [\"-3 Hz\", \"-4 Hz\", \"-5 Hz\", \"-6 Hz\", \"-7 Hz\"]", "of no lower order"),
        ("poles = [\"-2.65 Hz\"", "poles = [\"2.65 Hz\"", "not stable: it has a pole at 16.65"),
        ("gain = 2165.2", "gain = 21652", "at rest, a command of 1 to actuator `east` moves it by 8.6"),
        ("[\"-50 Hz\", \"63 Hz\"]", "[\"-50 Hz\"]", "a pair is written as [real part, imaginary part]"),
        ("gain = 349.95", "numerator = [1]", "a numerator and a denominator, or zeros, poles and a gain"),
        ("command = \"west\"\nstroke = \"west\"", "command = \"west\"\nstroke = \"east\"", "a second entry"),
        (
            "name = \"west\"\n",
            "name = \"west\"\ntype = \"first-order\"\ntime_constant = \"5 ms\"\n",
            "has dynamics of its own",
        ),
        (
            "name = \"west\"\n",
            "name = \"west\"\ncompensation = \"ats\"\n",
            "compensates all actuators together, and actuator `west`",
        ),
        (
            "name = \"west\"\n",
            "name = \"west\"\ncompensation = \"decoupling\"\n",
            "`decoupling` compensates all actuators together",
        ),
        (
            "type = \"transfer-matrix\"",
            "type = \"state-space\"\na = [[-1]]\nb = [[1]]\nc = [[1], [1]]",
            "`b` is 1 x 1, expected 1 x 2",
        ),
        ("\"decoupling\"", "{ method = \"ats\", plant = { type = \"state-space\" } }", "has no parameter `plant`"),
    ] {
        assert!(RIG.contains(what), "{what}");
        let model = file("coupled-wrong.toml", RIG.replacen(what, with, 1));
        let said = interfield(&["check", model.to_str().expect("UTF-8")]);
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(
            all.contains(says) && all.contains("coupled-wrong.toml:") && !all.contains("panicked"),
            "{says}: {all}"
        );
    }
}
