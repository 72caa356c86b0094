//! A part that another program computes is indistinguishable from elements of the model, whatever the scheme and the
//! coupling; what is wrong with it is said.

use std::sync::{Arc, Mutex};

use interfield_kernel::Fault;
use interfield_lab::partner::{Partner, Trouble};
use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::external::External;
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;
use interfield_structure::external::identify;
use interfield_structure::specimen::{Rehearsal, Workshop};

use crate::balance::model as parse_text;
use crate::specimens::{COUPLINGS, difference, rows};

/// Two masses; what joins them is `second`.
fn text(second: &str, cut: &str, scheme: &str) -> String {
    format!(
        r#"
title = "Two masses"
node = [{{ name = "a", dofs = ["x"], mass = 2, initial = 0.01 }}, {{ name = "b", dofs = ["x"], mass = 1 }}]
damping = {{ rayleigh = {{ a0 = 0.02, a1 = 1e-4 }} }}
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 1, frequency = 1.7 }} }}]
analysis = {{ {scheme} dt = 0.01, duration = 2 }}
record = {{ channels = ["a.x", "b.x"] }}
{cut}
[[element]]
type = "spring"
name = "first"
nodes = ["ground", "a"]
dof = "x"
k = 300
c = 0.5
{second}
"#
    )
}

const SPRING: &str =
    "[[element]]\ntype = \"spring\"\nname = \"second\"\nnodes = [\"a\", \"b\"]\ndof = \"x\"\nk = 200\n";
const BILINEAR: &str = "[[element]]\ntype = \"mostaghel\"\nmemory = \"path\"\nname = \"second\"\nnodes = [\"a\", \"b\"]\ndof = \"x\"\nk = 200\na = 0.1\ndelta = 0.004\n";
const EXTERNAL: &str = "[[external]]\nname = \"second\"\nprogram = \"opensees\"\ndofs = [\"a.x\", \"b.x\"]\ncommand = [\"frame\"]\nadapter_stiffness = 1e6\n";
const GIVEN: &str = "stiffness = [[200, -200], [-200, 200]]\n";

fn external() -> String {
    format!("{EXTERNAL}{GIVEN}")
}

/// A cut with `second` on the `side` and the rest on the other.
fn cut(coupling: &str, side: &str, substeps: u32) -> String {
    let (first, second) = if side == "fine" { ("coarse", "fine") } else { ("fine", "coarse") };
    let steps = |s: &str| if s == "fine" { substeps } else { 1 };
    format!(
        "coupling = {{ method = \"{coupling}\" }}\nsubstructure = [\n\
         {{ name = \"frame\", elements = [\"first\"], nodes = [\"a\"], side = \"{first}\", substeps = {} }},\n\
         {{ name = \"test\", elements = [\"second\"], side = \"{second}\", substeps = {} }},\n]",
        steps(first),
        steps(second)
    )
}

/// Two masses and their spring as a program: a spring or a slider with hardening between them, behind an adapter that gives.
#[derive(Clone)]
struct Program {
    hardening: f64,
    delta: f64,
    /// Stiffness of the adapter on each degree of freedom; infinite: it does not give.
    adapter: f64,
    slider: [f64; 2],
    times: Arc<Mutex<Vec<f64>>>,
    /// What it says instead from this exchange on.
    fails: Option<(usize, Result<f64, Trouble>)>,
    finished: Arc<Mutex<u32>>,
}

impl Program {
    const K: f64 = 200.0;

    fn linear() -> Self {
        Program {
            hardening: 1.0,
            delta: f64::INFINITY,
            adapter: f64::INFINITY,
            slider: [0.0; 2],
            times: Arc::default(),
            fails: None,
            finished: Arc::default(),
        }
    }
}

impl Partner for Program {
    fn dofs(&self) -> usize {
        2
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        _v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        let asked = {
            let mut times = self.times.lock().unwrap();
            times.push(t);
            times.len()
        };
        let (k, a) = (Self::K, self.hardening);
        // The adapters of both ends are in series with the spring: the elongation q that balances them.
        let whole = u[1] - u[0];
        let soft = 2.0 / self.adapter;
        let [q0, s0] = self.slider;
        let slide = |q: f64| (s0 + (q - q0)).clamp(-self.delta, self.delta);
        let p = |q: f64| if a == 1.0 { k * q } else { k * (a * q + (1.0 - a) * slide(q)) };
        let mut q = whole;
        for _ in 0..60 {
            q = whole - soft * p(q);
        }
        let f = p(q);
        self.slider = [q, slide(q)];
        reached.copy_from_slice(&[u[0] + f / self.adapter, u[1] - f / self.adapter]);
        force.copy_from_slice(&[-f, f]);
        if let Some((from, what)) = &self.fails
            && asked > *from
        {
            force[0] = (*what)?;
        }
        Ok(())
    }

    fn finish(&mut self) {
        *self.finished.lock().unwrap() += 1;
    }
}

/// Brings programs.
struct With(Program);

impl Workshop for With {
    fn partner(&mut self, _external: &External) -> Result<Option<Box<dyn Partner>>, String> {
        Ok(Some(Box::new(self.0.clone())))
    }
}

/// Couplings that compute the coarse side twice, or its laws apart from the rest: no program can stand there.
const TWICE: [&str; 3] = ["plsrt2", "psl", "psl1"];

#[test]
fn a_linear_program_changes_nothing_whatever_the_scheme_and_the_coupling() {
    for adapter in [f64::INFINITY, 1e5] {
        let program = || With(Program { adapter, ..Program::linear() });
        for scheme in ["newmark", "alpha-os", "lsrt2", "chang", "generalized-alpha", "rosenbrock3"] {
            let scheme = format!("scheme = \"{scheme}\",");
            let computed = rows(parse_text(&text(SPRING, "", &scheme)), &mut Rehearsal);
            let told = rows(parse_text(&text(&external(), "", &scheme)), &mut program());
            let found = difference(&told, &computed);
            assert!(found < 1e-11, "{scheme} behind an adapter of {adapter}: {found}");
        }
        for (coupling, substeps) in COUPLINGS {
            for side in ["fine", "coarse"] {
                if side == "coarse" && TWICE.contains(&coupling) {
                    continue;
                }
                let cut = cut(coupling, side, substeps);
                let computed = rows(parse_text(&text(SPRING, &cut, "")), &mut Rehearsal);
                let told = rows(parse_text(&text(&external(), &cut, "")), &mut program());
                let found = difference(&told, &computed);
                assert!(found < 1e-9, "{coupling}, {side} side, {substeps} substeps: {found}");
            }
        }
    }
}

#[test]
fn a_yielding_program_is_the_law_that_is_moved_along_its_path() {
    for adapter in [f64::INFINITY, 1e8] {
        let program = || With(Program { hardening: 0.1, delta: 0.004, adapter, ..Program::linear() });
        let compare = |cut: &str, scheme: &str| {
            let computed = rows(parse_text(&text(BILINEAR, cut, scheme)), &mut Rehearsal);
            let told = rows(parse_text(&text(&external(), cut, scheme)), &mut program());
            difference(&told, &computed)
        };
        // Where it yields, the correction by the elastic stiffness is too large by K / adapter of the force; it adds up.
        let limit = 1e-10 + 10.0 * Program::K / adapter;
        for scheme in ["alpha-os", "newmark"] {
            let found = compare("", &format!("scheme = \"{scheme}\", tangent = \"initial\","));
            assert!(found < limit, "{scheme} behind an adapter of {adapter}: {found}");
        }
        for (coupling, substeps) in [("pm", 4), ("gc", 3), ("modified-ph", 2)] {
            let found = compare(&cut(coupling, "fine", substeps), "");
            assert!(found < limit, "{coupling} behind an adapter of {adapter}: {found}");
        }
    }
}

#[test]
fn a_program_is_never_taken_back_and_asked_as_often_as_its_scheme_says() {
    for (coupling, substeps) in COUPLINGS.into_iter().filter(|c| c.0 != "plsrt2") {
        for side in ["fine", "coarse"] {
            if side == "coarse" && TWICE.contains(&coupling) {
                continue;
            }
            let program = Program::linear();
            let model = parse_text(&text(&external(), &cut(coupling, side, substeps), ""));
            let steps = rows(model, &mut With(program.clone())).len();
            let times = program.times.lock().unwrap();
            let started = times.iter().rposition(|t| *t == 0.0).unwrap_or(0);
            let back = times[started..].windows(2).position(|w| w[1] <= w[0]);
            assert_eq!(back, None, "{coupling}, {side}: {:?}", back.map(|i| &times[started + i..started + i + 4]));
            // Couplings of accelerations ask the coarse side at each step of the fine one; LSRT2 asks at both its stages.
            let staged = ["staggered", "midpoint"].contains(&coupling);
            let own = if side == "fine" || staged { steps as f64 * f64::from(substeps) } else { steps as f64 };
            let expected = if coupling == "staggered" { 2.0 } else { 1.0 };
            let per_step = times.len() as f64 / own;
            assert!((per_step - expected).abs() < 0.15 * expected, "{coupling}, {side}: {per_step} per step");
        }
    }
}

#[test]
fn its_channels_say_what_it_was_told_and_answered() {
    let channels = ["a.x", "b.x", "second.force.2", "second.b.x.target", "second.b.x.reached", "second.b.x.measured"];
    let list = format!("{channels:?}");
    let text =
        text(&external(), "", "scheme = \"newmark\",").replace("[\"a.x\", \"b.x\"] }\n", &format!("{list} }}\n"));
    let rows = rows(parse_text(&text), &mut With(Program { adapter: 1e5, ..Program::linear() }));
    let peak = |c: usize| rows.iter().fold(0.0, |m: f64, r| m.max(r[c].abs()));
    assert!(peak(5) > 0.1);
    for r in &rows {
        assert_eq!(r[2], r[5]);
        // Force over adapter stiffness is missing.
        assert!((r[3] - r[4] - r[5] / 1e5).abs() < 1e-15);
    }
    // The target is the predictor of the same step.
    assert!(rows.iter().all(|r| (r[3] - r[1]).abs() < 0.05 * peak(1)));
}

#[test]
fn a_program_without_an_answer_ends_the_run() {
    let cases = [
        (Err(Trouble::Late), "did not answer in time"),
        (Err(Trouble::Gone), "is not available"),
        (Err(Trouble::Refused), "cannot reach this displacement"),
        (Err(Trouble::Garbled), "sent an invalid answer"),
        (Ok(f64::NAN), "sent an invalid answer"),
    ];
    for (what, words) in cases {
        let program = Program { fails: Some((50, what)), ..Program::linear() };
        let model = parse_text(&text(&external(), "", "scheme = \"newmark\","));
        let mut run = Simulation::in_workshop(model, &mut With(program.clone())).map_err(|p| format!("{p:?}")).unwrap();
        let (at, fault) = (0..run.steps()).find_map(|k| run.step(k).err().map(|f| (k, f))).unwrap();
        assert!((48..52).contains(&at), "{at}");
        assert!(matches!(fault, Fault::Partner { index: 0, .. }), "{fault:?}");
        let said = run.explain(fault);
        assert!(said.starts_with("the program of external `second` ") && said.contains(words), "{said}");
        // It is not asked again, and the state is the one before.
        let before = run.y(0).to_vec();
        let asked = program.times.lock().unwrap().len();
        assert!(run.step(at).is_err());
        assert_eq!((program.times.lock().unwrap().len(), run.y(0)), (asked, &before[..]));
        run.coupling.system_of(0).finish();
        assert_eq!(*program.finished.lock().unwrap(), 1);
    }
}

#[test]
fn in_parts_the_fault_names_the_part() {
    let program = Program { fails: Some((40, Err(Trouble::Gone))), ..Program::linear() };
    let model = parse_text(&text(&external(), &cut("pm", "fine", 2), ""));
    let mut run = Simulation::in_workshop(model, &mut With(program)).map_err(|p| format!("{p:?}")).unwrap();
    let fault = (0..run.steps()).find_map(|k| run.step(k).err()).unwrap();
    let said = run.explain(fault);
    assert!(said.contains("`second`") && said.contains("is not available"), "{said}");
}

#[test]
fn stiffness_is_identified_behind_a_soft_adapter() {
    let probe = "probe = 1e-3\n";
    for adapter in [f64::INFINITY, 1e5, 1e3] {
        let program = Program { hardening: 0.1, delta: 0.004, adapter, ..Program::linear() };
        let mut model = parse_text(&text(&format!("{EXTERNAL}{probe}"), "", "scheme = \"newmark\","));
        // Before that nothing can be computed.
        let refused = Simulation::new(model.clone()).err().unwrap();
        assert!(refused.len() == 1 && refused[0].message.contains("is unknown before its program runs"));
        let found = identify(&model.externals[0], &mut program.clone()).unwrap();
        for (k, expected) in found.stiffness.iter().zip([200.0, -200.0, -200.0, 200.0]) {
            assert!((k - expected).abs() < 1e-9 * 200.0, "{adapter}: {found:?}");
        }
        assert_eq!((found.moves, program.times.lock().unwrap().len()), (7, 7));
        model.settle(0, found.stiffness);
        assert!(Simulation::new(model).is_ok());
    }
}

#[test]
fn what_is_not_linear_has_no_stiffness() {
    let model = |probe: &str| parse_text(&text(&format!("{EXTERNAL}probe = {probe}\n"), "", "scheme = \"newmark\","));
    let refuse = |model: Model, program: Program| identify(&model.externals[0], &mut { program }).unwrap_err();
    // Moved beyond its yield displacement it does not come back.
    let yields = Program { hardening: 0.1, delta: 0.004, ..Program::linear() };
    let said = refuse(model("0.005"), yields);
    assert!(said.contains("not linear at rest") && said.contains("5e-3 along degree of freedom 1"), "{said}");
    let silent = Program { fails: Some((3, Err(Trouble::Late))), ..Program::linear() };
    assert!(refuse(model("0.001"), silent).contains("did not answer in time while its stiffness"));
    let mad = Program { fails: Some((3, Ok(f64::INFINITY))), ..Program::linear() };
    assert!(refuse(model("0.001"), mad).contains("sent an invalid answer"));
    // A force of its own on one degree of freedom only: K is not symmetric.
    struct Skew;
    impl Partner for Skew {
        fn dofs(&self) -> usize {
            2
        }
        fn exchange(
            &mut self,
            _t: f64,
            u: &[f64],
            _v: &[f64],
            reached: &mut [f64],
            force: &mut [f64],
        ) -> Result<(), Trouble> {
            reached.copy_from_slice(u);
            force.copy_from_slice(&[u[0] + 0.5 * u[1], u[1]]);
            Ok(())
        }
    }
    let said = identify(&model("0.001").externals[0], &mut Skew).unwrap_err();
    assert!(said.contains("not symmetric: the difference is 50.0 %"), "{said}");
}

/// Messages and helps of a text with mistakes.
fn refused(text: &str) -> Vec<(String, String)> {
    let (source, diags) = (Source::new("wrong.toml", text.to_owned()), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    assert!(parse(&source, &Overrides::default(), &files, &diags).is_none(), "{text}");
    let located = diags.located(&source);
    located.iter().map(|d| (d.message.clone(), d.help.clone().unwrap_or_default())).collect()
}

#[test]
fn mistakes_are_named() {
    let cases: [(&str, &str, &str, &str); 19] = [
        ("name = \"second\"\n", "", "missing key `name`", "name = \"frame\""),
        ("name = \"second\"", "name = \"first\"", "`first` is used twice", "share one set of names"),
        ("\"opensees\"", "\"opensee\"", "unknown program `opensee`", "`opensees`"),
        ("\"opensees\"", "\"abaqus\"", "unknown program `abaqus`", "opensees, openfresco, ut-sim"),
        ("[\"a.x\", \"b.x\"]\ncommand", "[\"a.x\", \"b.y\"]\ncommand", "no degree of freedom `y`", "it has: x"),
        ("[\"a.x\", \"b.x\"]\ncommand", "[\"a.x\", \"a.x\"]\ncommand", "`a.x` is listed twice", "once"),
        ("[\"a.x\", \"b.x\"]\ncommand", "[]\ncommand", "it must name degrees of freedom", "roof.x"),
        ("command = [\"frame\"]", "command = []", "this command is empty", "python3"),
        ("command = [\"frame\"]\n", "", "neither a `command` nor an address `at`", "`at`"),
        ("command = [\"frame\"]", "at = \"8095\"", "`8095` is not the address of a program", "tcp://127.0.0.1:8095"),
        ("adapter_stiffness = 1e6\n", "", "missing key `adapter_stiffness`", "-stif"),
        ("adapter_stiffness = 1e6", "adapter_stiffness = -1e6", "must be greater than zero", "sign"),
        ("adapter_stiffness = 1e6", "adapter_stiffness = [1e6]", "has 1 numbers for 2", "one for each"),
        ("adapter_stiffness = 1e6", "adapter_stiffness = \"1 kN\"", "expected stiffness", "kN/mm"),
        ("stiffness = [[200, -200], [-200, 200]]", "stiffness = [[200]]", "is 1 x 1, expected 2 x 2", "one row"),
        ("stiffness = [[200, -200], [-200, 200]]", "stiffness = \"k.mtx\"", "no file k.mtx", "relative"),
        ("adapter_stiffness = 1e6", "adapter_stiffness = 1e6\ntimeout = 0", "`timeout` must be greater", "5 s"),
        ("adapter_stiffness = 1e6", "adapter_stiffness = 1e6\nunits = { length = \"kN\" }", "not a unit of length", ""),
        ("adapter_stiffness = 1e6", "adapter_stiffness = 1e6\nprogramme = 1", "unknown key `programme`", "program"),
    ];
    for (good, bad, message, help) in cases {
        let text = text(&external(), "", "scheme = \"newmark\",");
        assert!(text.contains(good), "{good}");
        // The last place: the external stands at the end of the file.
        let at = text.rfind(good).unwrap();
        let wrong = format!("{}{bad}{}", &text[..at], &text[at + good.len()..]);
        let found = refused(&wrong);
        assert!(found.iter().any(|(m, h)| m.contains(message) && h.contains(help)), "{bad}: {found:?}");
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
    }
}

#[test]
fn what_it_stands_on_and_who_else_wants_it() {
    let base = text(&external(), "", "scheme = \"newmark\",");
    let fixed = base.replace("mass = 1 }", "fixed = true }");
    assert!(
        refused(&fixed).iter().any(|f| f.0.contains("`b.x` is fixed, so the program cannot act")),
        "{:?}",
        refused(&fixed)
    );
    let moved = base.replace(
        "load = [",
        "load = [{ type = \"imposed\", at = \"b.x\", displacement = { type = \"constant\", value = 0 } }, ",
    );
    let found = refused(&moved);
    assert!(found.iter().any(|f| f.0.contains("`b.x` has an imposed motion")), "{found:?}");
    let both = format!("{base}\n[[specimen]]\nname = \"rig\"\nelements = [\"second\"]\n");
    let found = refused(&both);
    assert!(found.iter().any(|f| f.0.contains("is computed by another program and cannot be a specimen")), "{found:?}");
    for (channel, message) in [
        ("second.c.x.target", "`c.x` is not a degree of freedom of external `second`"),
        ("b.x.target", "no specimen is moved along `b.x`"),
        ("second.b.x.went", "has no quantity"),
    ] {
        let found = refused(&base.replace("[\"a.x\", \"b.x\"] }", &format!("[\"{channel}\"] }}")));
        assert!(found.len() == 1 && found[0].0.contains(message), "{channel}: {found:?}");
    }
    // One number for a translation and a rotation.
    let mixed = base.replace("dofs = [\"x\"], mass = 1", "dofs = [\"x\", \"rz\"], mass = { x = 1, rz = 1 }");
    let found = refused(&mixed.replace("[\"a.x\", \"b.x\"]\ncommand", "[\"a.x\", \"b.rz\"]\ncommand"));
    assert!(found.iter().any(|f| f.0.contains("cannot apply to both translations and rotations")), "{found:?}");
}

#[test]
fn schemes_that_iterate_and_sides_that_are_computed_twice_are_refused() {
    let why = |model: Model| Simulation::new(model).err();
    let newton = why(parse_text(&text(&external(), "", "scheme = \"newmark-newton\","))).unwrap();
    assert!(newton[0].message.contains("iterates, but the program of external `second` cannot go back"), "{newton:?}");
    assert!(newton[0].help.contains("alpha-os"));
    let twice = why(parse_text(&text(&external(), &cut("plsrt2", "coarse", 2), ""))).unwrap();
    assert!(twice[0].message.contains("computes the coarse side twice"), "{twice:?}");
    let advised: Vec<&str> = twice[0].help.split('"').skip(1).step_by(2).collect();
    assert!(!advised.is_empty());
    for coupling in advised {
        assert!(why(parse_text(&text(&external(), &cut(coupling, "coarse", 2), ""))).is_none(), "{coupling}");
    }
    assert!(why(parse_text(&text(&external(), &cut("plsrt2", "fine", 2), ""))).is_none());
}
