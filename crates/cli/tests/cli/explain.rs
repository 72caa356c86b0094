//! `interfield explain`: keys, tables, variants and choices, and what it says of a wrong name.

use super::interfield;

fn text(name: &str) -> String {
    interfield(&["explain", name]).expect(0).stdout
}

#[test]
fn a_key_says_what_it_holds_its_range_its_default_and_an_example() {
    let delay = text("specimen.actuator.delay");
    for words in [
        "Pure delay of its command",
        "time",
        "zero or greater",
        "default  0",
        "[[specimen.actuator]]",
        "delay = \"8 \
            ms\"",
    ] {
        assert!(delay.contains(words), "{words}: {delay}");
    }
    assert_eq!(text("actuator.delay"), delay, "the end of a name is enough");
    // Hz and rad/s are apart, and a name of the user's own stands for any.
    assert!(text("signal.quake.frequency").contains("frequency (cycles/time)"));
    assert!(text("signal.quake.omega").contains("angular frequency (angle/time)"));
    // A table that stands in several places is found in all of them.
    let words = |name: &str| {
        let text = text(name);
        text.split_once(": ").expect("a path").1.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(words("specimen.limits.force.samples"), words("specimen.actuator.limits.tracking.samples"));
}

#[test]
fn tables_variants_and_choices_are_listed() {
    let specimen = text("specimen");
    assert!(specimen.contains("patience") && specimen.contains("\"10 s\""), "{specimen}");
    let methods = text("coupling.method");
    for info in interfield_coupling::registry::COUPLINGS {
        assert!(methods.contains(&format!("\"{}\"", info.name)), "{}: {methods}", info.name);
    }
    assert!(text("signal").contains("signal.harmonic") && text("signal.harmonic").contains("amplitude"));
    let all = interfield(&["explain"]).expect(0).stdout;
    assert!(all.contains("specimen") && all.contains("analysis") && all.contains("viaduct"), "{all}");
    let json = interfield(&["explain", "analysis.dt", "--json"]).expect(0).json();
    assert_eq!((&json[0]["required"], &json[0]["range"]), (&true.into(), &"greater than zero".into()));
}

#[test]
fn a_wrong_name_is_corrected() {
    let wrong = interfield(&["explain", "specimen.actuator.dely"]).expect(2).stderr;
    assert!(wrong.contains("no key or table `specimen.actuator.dely`") && wrong.contains("delay`?"), "{wrong}");
}

#[test]
fn units_and_all_places_of_a_key_are_explained() {
    let stiffness = text("4 kN/mm");
    assert!(stiffness.contains("a unit of stiffness") && stiffness.contains("1 kN/mm = 1.000e6 kg/s^2"), "{stiffness}");
    assert!(text("units").contains("Units in common use: m, mm,"));
    let delay = text("delay");
    assert!(delay.contains("specimen.actuator.delay: ") && delay.contains("specimen.compensation.delay: "), "{delay}");
    assert!(text("actuator").starts_with("[[specimen.actuator]]\n"));
    let wrong = interfield(&["explain", "limits.stroke"]).expect(2).stderr;
    assert!(wrong.contains("`stroke` is `") && wrong.contains("`specimen.actuator.stroke`"), "{wrong}");
    let nonsense = interfield(&["explain", "frobnicate"]).expect(2).stderr;
    assert!(nonsense.contains("`interfield explain` lists the tables"), "{nonsense}");
}

#[test]
fn pages_fit_a_terminal_of_80_columns() {
    for name in
        ["specimen", "specimen.actuator", "limits", "delay", "units", "signal", "element.bouc-wen", "coupling.method"]
    {
        for line in text(name).lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}
