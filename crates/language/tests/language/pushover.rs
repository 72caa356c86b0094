//! `[pushover]`: protocols, load control, what the command line replaces, and mistakes.

use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::pushover::PushOverrides;
use interfield_language::parse::{Overrides, parse};

fn read(text: &str, overrides: &Overrides) -> Result<Model, String> {
    let source = Source::new("push.toml", text.to_owned());
    let diags = Diagnostics::new();
    let found = parse(&source, overrides, &|path| Err(format!("no file {path}")), &diags);
    found.map(|f| f.0).ok_or_else(|| diags.render(&source, false))
}

fn model(push: &str, more: &str) -> String {
    format!(
        "dofs = [\"x\"]\nunits = {{ length = \"mm\", force = \"kN\" }}\n[[node]]\nname = \"top\"\n[[element]]\ntype = \"spring\"\n\
         name = \"s\"\nnodes = [\"ground\", \"top\"]\ndof = \"x\"\nk = 4\n{more}\n[pushover]\n{push}\n"
    )
}

const PATTERN: &str = "control = \"top.x\"\npattern = { \"top.x\" = 1 }\n";

fn pushed(push: &str) -> Model {
    read(&model(&format!("{PATTERN}{push}"), ""), &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Amplitudes in mm.
fn amplitudes(push: &str) -> Vec<f64> {
    let push = pushed(push).pushover.unwrap();
    assert_eq!(push.cycles.len(), push.amplitudes.len());
    assert_eq!(push.cycles.last(), Some(&push.targets.len()));
    push.amplitudes.iter().map(|a| (a * 1e6).round() / 1e3).collect()
}

#[test]
fn standard_protocols_have_the_amplitudes_of_their_standards() {
    let atc = amplitudes("protocol = \"atc-24\"\nyield = 10\nto = 55\nstep = 5");
    let five = [[5.0; 3], [7.5; 3], [10.0; 3], [20.0; 3], [30.0; 3]].concat();
    assert_eq!(atc, [five, vec![40.0; 2], vec![50.0; 2]].concat());
    let sac = amplitudes("protocol = \"sac\"\nheight = \"3 m\"\nto = 90\nstep = 5");
    assert_eq!((sac.len(), sac[0], sac[18], sac[sac.len() - 1]), (28, 11.25, 30.0, 90.0));
    let aci = amplitudes("protocol = \"aci-374\"\nheight = \"2 m\"\nto = 70\nstep = 5");
    assert_eq!((aci.len(), aci[0], aci[32]), (33, 4.0, 70.0));
    let fema = amplitudes("protocol = \"fema-461\"\nto = -50\nstep = 5");
    assert_eq!((fema.len(), fema[19], fema[17]), (20, -50.0, -35.714));
}

#[test]
fn steps_divide_each_way_into_equal_parts_and_meet_every_turn() {
    let push = pushed("cycles = [10, -20]\nrepeat = 2\nstep = 3").pushover.unwrap();
    let mut turns: Vec<f64> = Vec::new();
    for a in [10.0, 10.0, -20.0, -20.0] {
        turns.extend([a, -a, 0.0]);
    }
    let met = turns.iter().filter(|t| push.targets.iter().any(|x| (x * 1e3 - **t).abs() < 1e-12)).count();
    assert_eq!(met, turns.len());
    let longest = push.targets.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    assert!(longest <= 3e-3 * (1.0 + 1e-9));
    assert_eq!(push.cycles.len(), 4);
}

#[test]
fn a_model_that_is_only_pushed_needs_no_analysis_and_records_what_a_push_is_about() {
    let found = pushed("to = 5\nstep = 1");
    assert!(found.analysis.statics);
    let names: Vec<&str> = found.channels.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["top.x", "pushover.shear", "pushover.factor", "pushover.work"]);
    assert_eq!(found.channels[1].unit, "kN");
    let moved = format!("{}\n[analysis]\ndt = 0.01\nduration = 1", model(&format!("{PATTERN}to = 5\nstep = 1"), ""));
    let moved = moved.replace("name = \"top\"", "name = \"top\"\nmass = \"1 t\"");
    assert!(!read(&moved, &Overrides::default()).unwrap().analysis.statics);
    let asked = Overrides { pushover: Some(PushOverrides::default()), ..Overrides::default() };
    assert!(read(&moved, &asked).unwrap().analysis.statics);
}

#[test]
fn without_a_control_the_load_factor_is_led() {
    let text = model("pattern = { \"top.x\" = 2 }\nto = 3\nstep = 0.5", "");
    let push = read(&text, &Overrides::default()).unwrap().pushover.unwrap();
    assert_eq!((push.control, push.targets.len(), push.targets[5]), (None, 6, 3.0));
}

#[test]
fn the_command_line_says_the_way_anew() {
    let text = model(&format!("{PATTERN}cycles = [10]\nstep = 1"), "");
    let with = |push: PushOverrides| read(&text, &Overrides { pushover: Some(push), ..Overrides::default() });
    let text_of = |s: &str| Some(s.to_owned());
    let to = with(PushOverrides { to: text_of("2 cm"), step: text_of("4"), ..PushOverrides::default() }).unwrap();
    let push = to.pushover.unwrap();
    assert_eq!((push.targets.len(), push.targets[4], push.cycles.len()), (5, 0.02, 0));
    let cycles = vec!["5".to_owned(), "1 cm".to_owned()];
    let push = with(PushOverrides { cycles, repeat: Some(3), ..PushOverrides::default() }).unwrap().pushover.unwrap();
    assert_eq!(push.amplitudes, [0.005, 0.005, 0.005, 0.01, 0.01, 0.01]);
    let said = with(PushOverrides { to: text_of("0"), ..PushOverrides::default() }).unwrap_err();
    assert!(said.contains("goes nowhere") && said.contains("--to"), "{said}");
    let said = with(PushOverrides { to: text_of("5 kN"), ..PushOverrides::default() }).unwrap_err();
    assert!(said.contains("--to") && said.contains("length"), "{said}");
    let said = with(PushOverrides { step: text_of("-1"), ..PushOverrides::default() }).unwrap_err();
    assert!(said.contains("--step must be greater than zero"), "{said}");
    let late = Overrides { dt: text_of("1 ms"), ..Overrides::default() };
    assert!(read(&text, &late).unwrap_err().contains("--dt belongs to an integration in time"));
}

#[test]
fn mistakes_are_told_where_they_stand() {
    let said = |push: &str| read(&model(push, ""), &Overrides::default()).unwrap_err();
    for (push, words) in [
        (format!("{PATTERN}step = 1"), "either `to` a displacement, in `cycles`, or by a `protocol`"),
        (format!("{PATTERN}to = 5\ncycles = [1]\nstep = 1"), "either `to`"),
        (format!("{PATTERN}to = 0\nstep = 1"), "goes nowhere"),
        (format!("{PATTERN}cycles = []\nstep = 1"), "there are no cycles"),
        (format!("{PATTERN}cycles = [3, 0]\nstep = 1"), "cycle 2 has no amplitude"),
        (format!("{PATTERN}protocol = \"atc-24\"\nto = 50\nstep = 1"), "needs the yield displacement"),
        (format!("{PATTERN}protocol = \"sac\"\nto = 50\nstep = 1"), "needs the height of the storey"),
        (format!("{PATTERN}protocol = \"fema-461\"\nstep = 1"), "needs its largest amplitude"),
        (format!("{PATTERN}protocol = \"atc-24\"\nyield = 10\nto = 2\nstep = 1"), "below the first amplitude"),
        (format!("{PATTERN}protocol = \"atc24\"\nto = 2\nstep = 1"), "atc-24"),
        (format!("{PATTERN}to = \"1 km\"\nstep = \"1 nm\""), "more than a million steps"),
        (format!("{PATTERN}to = 5\nstep = 0"), "step"),
        ("control = \"top.x\"\npattern = { \"top.x\" = 0 }\nto = 5\nstep = 1".to_owned(), "this pattern has no force"),
        ("control = \"top.x\"\npattern = {}\nto = 5\nstep = 1".to_owned(), "this pattern has no force"),
        ("control = \"roof.x\"\npattern = { \"top.x\" = 1 }\nto = 5\nstep = 1".to_owned(), "there is no node `roof`"),
    ] {
        let found = said(&push);
        assert!(found.contains(words) && found.contains("push.toml:"), "{push}\n{found}");
    }
    let specimen = "[[specimen]]\nname = \"rig\"\nelements = [\"s\"]\nrate = \"100 Hz\"";
    let with = |push: &str| read(&model(push, specimen), &Overrides::default());
    let found = with(&format!("{PATTERN}to = 5\nstep = 1")).unwrap_err();
    assert!(found.contains("a test with a specimen needs a velocity"), "{found}");
    let found = with("pattern = { \"top.x\" = 1 }\nto = 5\nstep = 1").unwrap_err();
    assert!(found.contains("moved by displacements"), "{found}");
    // Slower than asked for rather than between two samples.
    let slow = with(&format!("{PATTERN}to = 5\nstep = 1\nvelocity = \"0.7 mm/s\"\nhold = \"0.203 s\"")).unwrap();
    assert!((slow.analysis.dt - (1.43 + 0.21)).abs() < 1e-12, "{}", slow.analysis.dt);
}
