//! Couplings on a model: what `check` says of them before a run, what it recommends and why, and that a run agrees.

use std::path::PathBuf;

use serde_json::Value;

use super::{file, interfield, models};

fn shipped(name: &str) -> String {
    models().join(name).to_str().expect("UTF-8").to_owned()
}

/// What `check` says of the couplings of a model.
fn checked(model: &str, more: &[&str]) -> Value {
    let args: Vec<&str> =
        ["check", model, "--json", "-o", "couplings-check.svg"].into_iter().chain(more.iter().copied()).collect();
    interfield(&args).expect(0).json()["couplings"].clone()
}

fn compared(model: &str, more: &[&str]) -> Value {
    let args: Vec<&str> =
        ["couplings", model, "--json", "-o", "couplings.svg"].into_iter().chain(more.iter().copied()).collect();
    interfield(&args).expect(0).json()
}

fn list<'a>(v: &'a Value, name: &str) -> &'a Vec<Value> {
    v[name].as_array().unwrap_or_else(|| panic!("no list `{name}` in {v}"))
}

/// Expected over measured error of the couplings whose errors are far above that of the reference.
fn ratios(found: &Value) -> Vec<(String, f64)> {
    let floor = 10.0 * found["reference"]["displacement_error"].as_f64().expect("an error");
    let one = |c: &Value| {
        let [measured, expected] = ["displacement_error", "expected_displacement_error"].map(|n| c[n].as_f64());
        // A coupling whose step does not resolve a mode has none.
        let (measured, expected) = (measured?, expected?);
        // What is wrong by more than the motion has no measure.
        (measured > floor.max(1e-6) && measured < 0.5)
            .then(|| (c["name"].as_str().expect("a name").to_owned(), expected / measured))
    };
    list(found, "couplings").iter().filter_map(one).collect()
}

/// Two linear chains that meet at a node, with numbers from `seed`, under a pulse.
fn chains(seed: u64) -> PathBuf {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |from: f64, to: f64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        from * (to / from).powf((state >> 11) as f64 / (1u64 << 53) as f64)
    };
    let (left, right) = (1 + seed as usize % 3, 1 + seed as usize % 2);
    let (mut nodes, mut elements, mut fine) = (String::new(), String::new(), Vec::new());
    for i in 0..=left + right {
        nodes += &format!("  {{ name = \"n{i}\", dofs = [\"x\"], mass = {} }},\n", random(0.3, 3.0));
        let before = if i == 0 { "ground".to_owned() } else { format!("n{}", i - 1) };
        elements += &format!(
            "  {{ type = \"spring\", name = \"s{i}\", nodes = [\"{before}\", \"n{i}\"], dof = \"x\", k = {} }},\n",
            random(100.0, 1000.0)
        );
        if i > left {
            fine.push(format!("\"s{i}\""));
        }
    }
    let substeps = [1, 2, 5, 10][seed as usize % 4];
    let text = format!(
        "title = \"Two chains\"\nnode = [\n{nodes}]\nelement = [\n{elements}]\n[damping]\nrayleigh = {{ ratio = 0.02, modes = [1, 2] }}\n\
         [[load]]\ntype = \"force\"\nat = \"n0.x\"\nsignal = {{ type = \"formula\", value = \"if(t < 0.5, sin(2*pi*t), 0)\" }}\n\
         [[substructure]]\nname = \"A\"\n[[substructure]]\nname = \"B\"\nelements = [{}]\nside = \"fine\"\nsubsteps = {substeps}\n\
         [analysis]\nscheme = \"alpha-os\"\ndt = \"10 ms\"\nduration = \"4 s\"\n[record]\nchannels = [\"n0.x\"]\n",
        fine.join(", ")
    );
    file(&format!("chains-{seed}.toml"), text)
}

#[test]
fn the_expected_error_of_linear_structures_is_what_runs_show() {
    let mut seen = 0;
    let random = (1..=5).map(|seed| chains(seed).to_str().expect("UTF-8").to_owned());
    for model in ["three-dof.toml", "split-mass.toml", "trento-rig.toml", "multi-support.toml"]
        .map(shipped)
        .into_iter()
        .chain(random)
    {
        let found = compared(&model, &[]);
        for (name, ratio) in ratios(&found) {
            // Waves that only one mode more would tell, and the error of a start-up, are not in it.
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{model}: `{name}` {ratio}\n{found:#}");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn the_expected_error_of_yielding_structures_has_the_right_size() {
    // Over less than a period the start-up of a coupling counts, which is no vibration.
    let found = compared(&shipped("rio-torto-as-built.toml"), &["--until", "2 s", "--only", "pmc,psl,psl1,pm,gc,foh"]);
    let all = ratios(&found);
    assert_eq!(all.len(), 6, "{found:#}");
    for (name, ratio) in all {
        assert!((0.2..5.0).contains(&ratio), "`{name}` {ratio}\n{found:#}");
    }
}

/// A chain of hysteretic storeys in front of a specimen, so many substeps.
fn storeys(name: &str, dt: &str, substeps: u32, more: &str) -> String {
    let storey = |i: usize| {
        let below = if i == 0 { "ground".to_owned() } else { format!("n{}", i - 1) };
        format!(
            "[[node]]\nname = \"n{i}\"\ndofs = [\"x\"]\nmass = 1000\n[[element]]\ntype = \"bouc-wen\"\nname = \"storey{i}\"\n\
             nodes = [\"{below}\", \"n{i}\"]\ndof = \"x\"\nk = 1e6\nbeta = 50\ngamma = 50\nmemory = \"path\"\n"
        )
    };
    let text = format!(
        "title = \"Storeys\"\n{}[[element]]\ntype = \"spring\"\nname = \"tested\"\nnodes = [\"n19\", \"ground\"]\ndof = \"x\"\nk = 1e5\n\
         [[load]]\ntype = \"ground\"\ndirection = \"x\"\nsignal = {{ type = \"harmonic\", amplitude = 0.1, frequency = \"1 Hz\" }}\n\
         [[substructure]]\nname = \"A\"\n[[substructure]]\nname = \"B\"\nelements = [\"tested\"]\ninterface_mass = 0.2\nside = \"fine\"\n\
         substeps = {substeps}\n[coupling]\nmethod = \"gc\"\n[analysis]\nscheme = \"alpha-os\"\ndt = \"{dt}\"\nduration = \"2 s\"\n\
         [record]\nchannels = [\"n0.x\"]\n{more}",
        (0..20).map(storey).collect::<String>()
    );
    file(name, text).to_str().expect("UTF-8").to_owned()
}

/// A specimen whose time passes so many times slower or faster.
fn tested(time_scale: f64) -> String {
    let rate = 1e3 / time_scale;
    format!(
        "[[specimen]]\nname = \"tested\"\nelements = [\"tested\"]\nrate = \"{rate:?} Hz\"\ntime_scale = {time_scale:?}\n\
         [[specimen.actuator]]\ntype = \"ideal\"\n"
    )
}

fn recommendation(found: &Value) -> [&str; 2] {
    let r = &found["recommendation"];
    [&r["reason"], &r["coupling"]].map(|v| v.as_str().unwrap_or("-"))
}

#[test]
fn the_recommendation_follows_what_fits_into_a_fine_step() {
    // No specimen, no clock.
    assert_eq!(recommendation(&checked(&storeys("free.toml", "4 ms", 4, ""), &[])), ["no specimen", "-"]);
    // The nominal times of this model decide at which clocks what fits.
    let slow = checked(&storeys("slow.toml", "4 ms", 4, &tested(1.0)), &[]);
    assert_eq!(recommendation(&slow), ["the whole fits", "gc"]);
    let nominal = |name: &str| slow["nominal"][name].as_f64().expect("a time");
    let (core, fine) = (nominal("coarse_linear_part"), nominal("fine_step"));
    let whole = nominal("coarse_step");
    assert!(nominal("coarse_laws_apart") > 1.5 * core, "{slow:#}");
    // A fine step of 1 ms times the scale, half of which is for computing. More is told by the time scale alone.
    let at = |name: &str, step: f64| checked(&storeys(name, "4 ms", 4, &tested(2.0 * step / 1e-3)), &[]);
    let fits = at("whole.toml", 1.05 * (whole + fine));
    assert_eq!(recommendation(&fits), ["the whole fits", "gc"], "{fits:#}");
    let core_fits = at("core.toml", 0.95 * (whole + fine));
    assert_eq!(recommendation(&core_fits), ["the linear part fits", "psl"], "{core_fits:#}");
    let large = at("large.toml", 0.95 * (core + fine));
    assert_eq!(recommendation(&large), ["too large", "pmc"], "{large:#}");
    // Errors below a thousandth are good enough as they are.
    assert!(slow["recommendation"]["followed"] == true && slow["recommendation"]["write"].is_null(), "{slow:#}");
    let equal = checked(&storeys("equal.toml", "1 ms", 1, &tested(1.0)), &[]);
    assert_eq!(equal["recommendation"]["followed"], true, "{equal:#}");
    let text = interfield(&["check", &storeys("equal.toml", "1 ms", 1, &tested(1.0))]).expect(0).stdout;
    assert!(text.contains("\ncoupling\n  `gc`, as recommended\n"), "{text}");
}

#[test]
fn a_program_on_the_coarse_side_gets_a_macro_step_to_answer() {
    let text = std::fs::read_to_string(storeys("foreign-base.toml", "4 ms", 4, &tested(1.0))).expect("a model");
    let external = "\n[[external]]\nname = \"soil\"\ndofs = [\"n0.x\"]\nstiffness = [[1e5]]\nadapter_stiffness = 1e9\nprogram = \"opensees\"\ncommand = [\"python3\", \"soil.py\"]\n";
    let model = file("foreign.toml", text + external);
    let found = checked(model.to_str().expect("UTF-8"), &[]);
    assert_eq!(recommendation(&found), ["another program", "pmc"], "{found:#}");
    let refused: Vec<&str> = list(&found, "refused").iter().filter_map(|r| r["name"].as_str()).collect();
    assert!(refused.contains(&"psl"), "{found:#}");
}

/// A document without what was measured.
fn without_times(mut v: Value) -> Value {
    match &mut v {
        Value::Object(all) => {
            all.retain(|name, _| !name.starts_with("measured"));
            for value in all.values_mut() {
                *value = without_times(value.take());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| *value = without_times(value.take())),
        _ => {}
    }
    v
}

#[test]
fn nothing_but_measured_times_depends_on_the_machine() {
    let model = shipped("isolated-building.toml");
    let [a, b] = [(); 2].map(|()| without_times(checked(&model, &[])));
    assert_eq!(a, b);
    assert!(a["alternatives"][0]["expected_error"].as_f64().is_some_and(|e| e > 0.0), "{a:#}");
    let [a, b] = [(); 2].map(|()| without_times(compared(&model, &["--until", "1 s", "--only", "pmc,gc"])));
    assert_eq!(a, b);
}

#[test]
fn what_grows_where_laws_yield_is_named() {
    // Sides of two stages are not passive with a softening specimen.
    let found = checked(&shipped("trento-test.toml"), &[]);
    let stable = |name: &str| {
        let one = list(&found, "alternatives").iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("{name}"));
        one["stable_if_laws_have_yielded"].as_bool()
    };
    assert_eq!(
        [stable("modified-ph"), stable("foh"), stable("gc"), stable("pm")],
        [Some(false), Some(false), Some(true), Some(true)]
    );
    let text = interfield(&["check", &shipped("trento-test.toml"), "--all"]).expect(0).stdout;
    let row = text.lines().find(|l| l.trim_start().starts_with("modified-ph")).expect("a row");
    assert!(row.ends_with("grows"), "{row}");
}

#[test]
fn every_divided_model_is_told_what_to_do_on_a_page_of_eighty_columns() {
    for entry in std::fs::read_dir(models()).expect("models") {
        let path = entry.expect("a model").path();
        let text = std::fs::read_to_string(&path).expect("a model");
        let divided = text.contains("[[substructure]]") || text.contains("substructure = [");
        if !divided && !path.ends_with("frame.toml") {
            continue;
        }
        let said = interfield(&["check", path.to_str().expect("UTF-8"), "-o", "couplings-page.svg"]).expect(0).stdout;
        let section = said.split("\ncoupling\n").nth(1).map(|s| s.split("\ncost\n").next().unwrap_or(s).to_owned());
        assert_eq!(section.is_some(), divided, "{}:\n{said}", path.display());
        let Some(section) = section else { continue };
        for part in ["\n  why: ", "\n  cost: ", "\n  measured: ", "\n  expected error: "] {
            assert!(section.contains(part), "{part} {}:\n{section}", path.display());
        }
        let lines = section.lines().count();
        assert!(lines <= 16, "{}: {lines} lines\n{section}", path.display());
        let wide: Vec<&str> = section.lines().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{}: {wide:#?}", path.display());
    }
}

#[test]
fn couplings_are_compared_in_one_command_and_one_picture() {
    let out = "couplings-three.svg";
    let args = ["couplings", &shipped("three-dof.toml"), "--only", "pmc,gc,psl,llm", "--until", "2 s", "-o", out];
    let said = interfield(&args).expect(0).stdout;
    for part in ["couplings compared", "pmc *", "reference: equal steps of", "not `llm`: localized multipliers"] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
    let svg = std::fs::read_to_string(format!("{}/{out}", env!("CARGO_TARGET_TMPDIR"))).expect("a picture");
    for part in ["pmc (of the model)", ">psl<", ">gc<", "Force of the interface", "error of the reference"] {
        assert!(svg.contains(part), "{part}");
    }
    // Equal steps make these one and the same scheme: a predicted force held to zero gap at the step's end.
    let found = compared(&shipped("three-dof.toml"), &["--substeps", "1", "--only", "psl1,foh,ph,modified-ph"]);
    let errors: Vec<f64> = list(&found, "couplings").iter().filter_map(|c| c["displacement_error"].as_f64()).collect();
    assert!(errors.len() == 4 && errors.iter().all(|e| (e / errors[0] - 1.0).abs() < 1e-6), "{errors:?}");
}

#[test]
fn what_cannot_be_compared_is_said_with_what_to_do() {
    let whole = interfield(&["couplings", &shipped("frame.toml")]).expect(2).stderr;
    assert!(whole.contains("the model is in one piece") && whole.contains("[[substructure]]"), "{whole}");
    let only = interfield(&["couplings", &shipped("three-dof.toml"), "--only", "pcm"]).expect(2).stderr;
    assert!(only.contains("there is no coupling `pcm`") && only.contains("pmc"), "{only}");
    let name = interfield(&["couplings", "pmc", "--dt", "1 ms"]).expect(2).stderr;
    assert!(name.contains("--dt is for a model"), "{name}");
    let missing = interfield(&["couplings", "no-such-model.toml"]).expect(1).stderr;
    assert!(missing.contains("does not exist"), "{missing}");
    let unknown = interfield(&["couplings", "pcm"]).expect(2).stderr;
    assert!(unknown.contains("there is no coupling `pcm`"), "{unknown}");
    let endless = interfield(&["couplings", &shipped("three-dof.toml"), "--substeps", "1000000"]).expect(2).stderr;
    assert!(
        endless.contains("the reference needs 4e9 steps") && endless.contains("give --until \"0.1 s\" or less"),
        "{endless}"
    );
    let none = interfield(&["couplings", &shipped("two-springs.toml"), "--only", "plsrt2,gc", "--until", "1 ms"])
        .expect(2)
        .stderr;
    assert!(none.contains("shorter than one step") || none.contains("no step"), "{none}");
}

/// A model without its `[coupling]`.
fn unnamed(model: &str) -> String {
    let text = std::fs::read_to_string(model).expect("a model").replace("[coupling]\nmethod = \"gc\"\n", "");
    file(&format!("unnamed-{}", model.rsplit('/').next().expect("a name")), text).to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_file_that_names_no_coupling_gets_the_one_that_fits() {
    let told = |model: &str, more: &[&str]| {
        let found = checked(model, more);
        [&found["coupling"], &found["chosen_by"]].map(|v| v.as_str().unwrap_or("-").to_owned())
    };
    let at = |name: &str, more: &str| unnamed(&storeys(name, "1 ms", 1, more));
    let slow = at("default-slow.toml", &tested(1.0));
    let nominal = checked(&slow, &[])["nominal"].clone();
    let [whole, core, fine] =
        ["coarse_step", "coarse_linear_part", "fine_step"].map(|n| nominal[n].as_f64().expect("a time"));
    // Half of a step of 1 ms times the scale is for computing.
    let scaled = |name: &str, step: f64| at(name, &tested(2.0 * step / 1e-3));
    assert_eq!(told(&slow, &[]), ["gc", "rule"]);
    assert_eq!(told(&scaled("default-core.toml", 0.95 * (whole + fine)), &[]), ["psl", "rule"]);
    assert_eq!(told(&scaled("default-large.toml", 0.95 * (core + fine)), &[]), ["pmc", "rule"]);
    // Steps are the user's: with substeps it is the coupling for them, and the better steps are told.
    let substeps = checked(&unnamed(&storeys("default-substeps.toml", "4 ms", 4, &tested(1.0))), &[]);
    assert_eq!([&substeps["coupling"], &substeps["recommendation"]["coupling"]], ["pmc", "gc"]);
    // Without a specimen nothing has to keep time.
    assert_eq!(told(&at("default-free.toml", ""), &[]), ["pmc", "rule"]);
    // A name is a name, in the file and on the command line.
    assert_eq!(told(&slow, &["--coupling", "foh"]), ["foh", "file"]);
    assert_eq!(told(&storeys("default-named.toml", "1 ms", 1, &tested(1.0)), &[]), ["gc", "file"]);
    // It is what runs.
    let run = interfield(&["run", &slow, "--until", "20 ms", "--json", "-o", "default-slow.h5"]).expect(0).json();
    assert_eq!(run["coupling"]["method"], "gc", "{run:#}");
    let said = interfield(&["check", &slow]).expect(0).stdout;
    assert!(said.contains("`gc`, taken because the file names none, as recommended"), "{said}");
}

/// One mass between two springs, one of them the specimen; masses and stiffnesses times a factor.
fn one_mass(name: &str, factor: f64, sides: &str, more: &str) -> String {
    let spring = |name: &str, k: f64| {
        let k = k * factor;
        format!(
            "[[element]]\ntype = \"spring\"\nname = \"{name}\"\nnodes = [\"ground\", \"m\"]\ndof = \"x\"\nk = {k}\n"
        )
    };
    let text = format!(
        "title = \"One mass\"\n[[node]]\nname = \"m\"\ndofs = [\"x\"]\nmass = {factor}\n{}{}\
         [[load]]\ntype = \"ground\"\ndirection = \"x\"\nsignal = {{ type = \"harmonic\", amplitude = 0.1, frequency = \"1 Hz\" }}\n\
         [[substructure]]\nname = \"A\"\n[[substructure]]\nname = \"B\"\nelements = [\"tested\"]\ninterface_mass = 0.4\nside = \"fine\"\n{sides}\
         [record]\nchannels = [\"m.x\"]\n{more}",
        spring("computed", 400.0),
        spring("tested", 200.0)
    );
    file(name, text).to_str().expect("UTF-8").to_owned()
}

const PMC_4: &str = "substeps = 4\n[coupling]\nmethod = \"pmc\"\n[analysis]\ndt = \"8 ms\"\nduration = \"3.2 s\"\n";

#[test]
fn advice_and_errors_do_not_depend_on_units_of_twelve_decades() {
    let of = |name: &str, factor: f64| {
        let found = checked(&one_mass(name, factor, PMC_4, &tested(1.0)), &[]);
        let errors: Vec<f64> =
            list(&found, "alternatives").iter().map(|c| c["expected_error"].as_f64().unwrap_or(-1.0)).collect();
        (recommendation(&found).map(str::to_owned), errors)
    };
    let (right, errors) = of("decades.toml", 1.0);
    assert!(errors.len() > 5 && errors.iter().all(|e| *e > 0.0), "{errors:?}");
    for factor in [1e-6, 1e6] {
        let (found, scaled) = of("decades.toml", factor);
        assert_eq!(found, right);
        for (a, b) in errors.iter().zip(&scaled) {
            assert!((a / b - 1.0).abs() < 1e-3, "{factor}: {errors:?} {scaled:?}");
        }
    }
}

#[test]
fn unusual_partners_are_compared_or_refused_by_name() {
    let analysis = |scheme: &str, method: &str| {
        format!(
            "[coupling]\nmethod = \"{method}\"\n[analysis]\nscheme = \"{scheme}\"\ndt = \"5 ms\"\nduration = \"0.5 s\"\n"
        )
    };
    // A coupling of equal steps only, and schemes of its own kind.
    let one = compared(&one_mass("one-step.toml", 1.0, &analysis("trapezoidal", "llm"), ""), &[]);
    assert!(list(&one, "couplings").iter().any(|c| c["own"] == true && c["name"] == "llm"), "{one:#}");
    assert_eq!(one["substeps"], 1);
    // An explicit side.
    let explicit = compared(&one_mass("explicit.toml", 1.0, &analysis("explicit-newmark", "gc"), &tested(1.0)), &[]);
    let own = list(&explicit, "couplings").iter().find(|c| c["own"] == true).expect("its own coupling");
    assert!(own["displacement_error"].as_f64().is_some_and(|e| e < 0.05), "{explicit:#}");
    // All that is said by `check` is said here too.
    assert_eq!(explicit["check"]["coupling"], "gc");
    assert_eq!(explicit["check"]["recommendation"]["reason"], "the whole fits", "{explicit:#}");
    // Nothing moves: there are no errors, and no claim.
    let still = one_mass("still.toml", 1.0, PMC_4, "");
    let text = std::fs::read_to_string(&still).expect("a model").replace("amplitude = 0.1", "amplitude = 0");
    let still = file("still.toml", text);
    let still = still.to_str().expect("UTF-8");
    assert!(checked(still, &[])["alternatives"][0]["expected_error"].is_null());
    let said = interfield(&["check", still]).expect(0).stdout;
    assert!(said.contains("expected error: not known: nothing moves the interface"), "{said}");
    let nothing = interfield(&["couplings", still, "-o", "still.svg"]).expect(0).stdout;
    assert!(!nothing.contains("NaN") && !nothing.contains("inf"), "{nothing}");
    // A program whose stiffness is not known.
    let unknown = "[[external]]\nname = \"soil\"\ndofs = [\"m.x\"]\nadapter_stiffness = 1e6\nprogram = \"opensees\"\ncommand = [\"python3\", \"soil.py\"]\n";
    let refused = interfield(&["couplings", &one_mass("unknown.toml", 1.0, PMC_4, unknown)]).expect(2).stderr;
    assert!(refused.contains("the stiffness of external `soil` is not known"), "{refused}");
}
