//! `[[reduce]]`: reduced structures move as the whole ones, whatever is inside, and what cannot be reduced is said where it was written.

use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::Support;
use interfield_language::parse::{Overrides, parse};
use interfield_structure::{Simulation, Structure};

/// A frame of 5 bays and 12 storeys on a yielding damper in its first storey, with a mass on a lever of a rigid floor.
pub(super) const FRAME: &str = r#"
title = "Frame with a yielding brace"
dofs = ["x", "y", "rz"]

[[plane-frame]]
bays = 3
width = "6 m"
storeys = 12
height = "3.5 m"
column = { E = "30 GPa", A = "0.25 m^2", I = "52 dm^4", rho = "2500 kg/m^3" }
beam = { E = "30 GPa", A = "0.18 m^2", I = "54 dm^4", rho = "9000 kg/m^3" }

[[node]]
name = "d"
dofs = ["x"]
mass = "4 t"

[[element]]
name = "link"
type = "spring"
nodes = ["n1_1", "d"]
dof = "x"
k = "400 kN/mm"

[[element]]
name = "brace"
type = "bouc-wen"
nodes = ["n0_1", "d"]
dof = "x"
k = "60 kN/mm"
beta = "60 1/m"
gamma = "60 1/m"
n = 1

[damping]
rayleigh = { ratio = 0.05, modes = [1, 3] }

[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = "3 m/s^2" }

[analysis]
scheme = "newmark"
dt = "5 ms"
duration = "6 s"

[record]
channels = ["n12_0.x", "n6_2.x.abs", "n1_1.x", "n6_1.rz", "brace.force"]
"#;

pub(super) fn read(text: &str) -> Result<Model, String> {
    read_with(text, &[])
}

/// The same with files that the model refers to.
pub(super) fn read_with(text: &str, files: &[(&str, &str)]) -> Result<Model, String> {
    let source = Source::new("test.toml", text);
    let diags = Diagnostics::new();
    let file = |path: &str| match files.iter().find(|f| f.0 == path) {
        Some(file) => Ok(file.1.as_bytes().to_vec()),
        None => Err(format!("no file {path}")),
    };
    let found = parse(&source, &Overrides::default(), &file, &diags);
    let said = || {
        diags
            .located(&source)
            .iter()
            .map(|d| format!("{}: {}", d.message, d.help.as_deref().unwrap_or("")))
            .collect::<Vec<_>>()
    };
    found.map(|f| f.0).ok_or_else(|| said().join("\n"))
}

/// The first thing that stands against a model.
pub(super) fn refused(text: &str) -> String {
    let model = match read(text) {
        Ok(model) => model,
        Err(said) => return said,
    };
    match Structure::new(model) {
        Ok(_) => panic!("it should be refused"),
        Err(problems) => format!("{}: {}", problems[0].message, problems[0].help),
    }
}

/// Rows of the channels of a run.
pub(super) fn run(model: Model) -> Vec<Vec<f64>> {
    let mut sim = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
    let mut rows = Vec::new();
    for step in 0..sim.steps() {
        sim.step(step).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
        let mut row = vec![0.0; sim.model.channels.len()];
        sim.sample(step + 1, &mut row).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
        rows.push(row);
    }
    rows
}

/// Root mean square of the difference of each channel, as a share of that of the second.
pub(super) fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<f64> {
    let channel = |c: usize| {
        let (off, all) =
            a.iter().zip(b).fold((0.0, 0.0), |(off, all), (a, b)| (off + (a[c] - b[c]).powi(2), all + b[c] * b[c]));
        (off / all).sqrt()
    };
    (0..a[0].len()).map(channel).collect()
}

pub(super) fn with(reduce: &str) -> String {
    format!("{FRAME}\n[[reduce]]\nname = \"tower\"\n{reduce}\n")
}

#[test]
fn a_reduced_frame_moves_as_the_whole_one_also_inside() {
    let whole = run(read(FRAME).expect("good"));
    let reduced = read(&with("frequency = \"10 Hz\"")).expect("good");
    let structure = Structure::new(reduced.clone()).unwrap_or_else(|p| panic!("{}", p[0].message));
    let told = &structure.model.superelements[0];
    assert_eq!(told.kept.len(), 1, "the brace acts on one free unknown");
    assert!(
        told.lost <= 0.01 && told.lost_force.expect("a ground motion") <= 0.01,
        "{} {:?}",
        told.lost,
        told.lost_force
    );
    assert!(structure.free().len() < 40, "{} unknowns", structure.free().len());
    let shares: Vec<f64> = told.inertia.iter().filter(|i| i.direction == "x").map(|i| i.share).collect();
    assert!(!shares.is_empty() && shares.iter().all(|s| *s > 0.98 && *s < 1.0 + 1e-9), "{shares:?}");
    let off = apart(&run(reduced), &whole);
    assert!(off[0] < 1e-3 && off[2] < 5e-3 && off[3] < 2e-3 && off[4] < 5e-3, "{off:?}");
    assert!(off[1] < 2e-2, "the acceleration has the high modes: {off:?}");
    // With every mode it is the same structure in other coordinates.
    let all = read(&with("frequency = \"10 Hz\"\nmodes = 2000")).expect("good");
    let off = apart(&run(all), &whole);
    assert!(off.iter().all(|x| *x < 1e-6), "{off:?}");
}

#[test]
fn a_free_interface_and_no_residual_vectors_reduce_too() {
    let whole = run(read(FRAME).expect("good"));
    for reduce in ["frequency = \"10 Hz\"\nresidual = false", "frequency = \"10 Hz\"\ninterface = \"free\"\nmodes = 25"]
    {
        let off = apart(&run(read(&with(reduce)).expect("good")), &whole);
        assert!(off[0] < 1e-3 && off[2] < 2e-2, "{reduce}: {off:?}");
    }
}

/// Effective masses, elements inside, dashpots, elements without Rayleigh damping, an initial motion and gravity: all are of the whole structure.
#[test]
fn what_is_inside_weighs_damps_starts_and_carries_as_before() {
    let more = r#"
[[element]]
name = "dashpot"
type = "spring"
nodes = ["n4_1", "n5_1"]
dof = "x"
k = "1 N/mm"
c = "2 kN*s/mm"

[[element]]
name = "strap"
type = "spring"
nodes = ["n7_1", "n8_1"]
dof = "x"
k = "9 kN/mm"
damped = false
"#;
    let text = FRAME.replace("[damping]", &format!("{more}\n[damping]"));
    let text =
        text.replace("\"brace.force\"]", "\"brace.force\", \"strap.force\", \"strap.elongation\", \"dashpot.force\"]");
    let text = text.replace("strap.elongation", "strap.deformation");
    let whole = read(&text).unwrap_or_else(|e| panic!("{e}"));
    let reduced = read(&format!("{text}\n[[reduce]]\nname = \"tower\"\nfrequency = \"10 Hz\"\nkeep = [\"n6_0\"]\n"))
        .expect("good");
    let [a, b] = [&whole, &reduced].map(|m| Structure::new(m.clone()).unwrap_or_else(|p| panic!("{}", p[0].message)));
    assert_eq!(b.model.superelements[0].elements.len(), 2, "one with Rayleigh damping and one without");
    let [a, b] = [a, b].map(|s| interfield_structure::Modal::new(&s, 6).expect("modes"));
    for mode in 0..6 {
        let off = (b.omega2[mode] / a.omega2[mode]).sqrt() - 1.0;
        // From above, and worse towards the first mode that is missing.
        assert!(off < 1e-4 && off > -1e-9, "mode {mode} at {} rad/s: {off:e}", a.omega2[mode].sqrt());
        let (ra, rb) = (a.ratio(mode).expect("elastic"), b.ratio(mode).expect("elastic"));
        assert!((rb / ra - 1.0).abs() < 1e-4, "damping of mode {mode}: {ra} {rb}");
    }
    for (a, b) in a.directions.iter().zip(&b.directions) {
        assert_eq!(a.name, b.name);
        assert!((b.mass / a.mass - 1.0).abs() < 1e-9, "{}: {} {}", a.name, a.mass, b.mass);
        assert!((b.effective[0] / a.effective[0] - 1.0).abs() < 1e-5 || a.effective[0] < 1e-6 * a.mass, "{}", a.name);
    }
    let off = apart(&run(reduced), &run(whole));
    assert!(off.iter().all(|x| *x < 2e-3), "{off:?}");
}

/// A part of a divided structure is reduced with its interface as it is.
#[test]
fn a_substructure_is_reduced_between_its_interfaces() {
    let cut = format!(
        "{FRAME}\n[[substructure]]\nname = \"device\"\nelements = [\"brace\"]\nsubsteps = 4\nside = \"fine\"\ninterface_mass = 0.1\n\
         [[substructure]]\nname = \"frame\"\n[coupling]\nmethod = \"gc\"\n"
    );
    let whole = match read(&cut) {
        Ok(whole) => run(whole),
        Err(said) => panic!("{said}"),
    };
    let reduced =
        read(&format!("{cut}\n[[reduce]]\nname = \"tower\"\nsubstructure = \"frame\"\nfrequency = \"10 Hz\"\n"))
            .expect("good");
    let off = apart(&run(reduced), &whole);
    assert!(off[0] < 1e-3 && off[2] < 1e-2 && off[4] < 1e-2, "{off:?}");
    let said = refused(&format!("{cut}\n[[reduce]]\nname = \"tower\"\nfrequency = \"10 Hz\"\n"));
    assert!(said.contains("one of them must be named") && said.contains("device, frame"), "{said}");
    let said =
        refused(&format!("{cut}\n[[reduce]]\nname = \"tower\"\nsubstructure = \"frme\"\nfrequency = \"10 Hz\"\n"));
    assert!(said.contains("did you mean `frame`"), "{said}");
    let said =
        refused(&format!("{cut}\n[[reduce]]\nname = \"tower\"\nsubstructure = \"device\"\nfrequency = \"10 Hz\"\n"));
    assert!(said.contains("nothing to reduce: substructure `device`"), "{said}");
}

/// Small structures in which exactly one thing is wrong.
#[test]
fn what_cannot_be_reduced_is_said() {
    let chain = |extra: &str| {
        format!(
            "dofs = [\"x\"]\n[[node]]\nname = \"a\"\nmass = \"1 t\"\n[[node]]\nname = \"b\"\nmass = \"1 t\"\n[[node]]\nname = \"c\"\n\
             mass = \"1 t\"\n[[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n[[element]]\n\
             type = \"spring\"\nnodes = [\"a\", \"b\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n{extra}\n[analysis]\nscheme = \"newmark\"\ndt = \"1 ms\"\n\
             duration = \"0.1 s\"\n[record]\nchannels = [\"a.x\"]\n"
        )
    };
    let joined = "[[element]]\ntype = \"spring\"\nnodes = [\"b\", \"c\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n";
    let load = "[[load]]\nname = \"push\"\ntype = \"force\"\nat = \"c.x\"\nsignal = { type = \"constant\", value = \"1 kN\" }\n";
    let reduce = |keys: &str| format!("[[reduce]]\nname = \"part\"\nfrequency = \"5 Hz\"\n{keys}\n");
    let said = |extra: &str| refused(&chain(extra));
    let found = said(&format!("{joined}{}", reduce("")));
    assert!(found.contains("has no interface") && found.contains("keep = "), "{found}");
    let found = said(&format!("{load}{}", reduce("keep = [\"c\", \"a\"]")));
    assert!(found.contains("keeps `c.x`") && found.contains("not connected"), "{found}");
    let found = said(&format!("{joined}{}", reduce("keep = [\"a\", \"b\", \"c\"]")));
    assert!(found.contains("nothing to reduce: all 3"), "{found}");
    let found = said(&format!("{joined}{load}{}", reduce("keep = [\"d\"]")));
    assert!(found.contains("there is no node `d`"), "{found}");
    let found = said(&format!("{joined}{}", reduce("interface = \"free\"\nkeep = [\"c\"]")));
    assert!(found.contains("needs the number of `modes`"), "{found}");
    let found = said(&format!(
        "{joined}{}{}",
        reduce("keep = [\"c\"]"),
        "[[reduce]]\nname = \"again\"\nfrequency = \"5 Hz\"\n"
    ));
    assert!(found.contains("reduce the same elements"), "{found}");
    let found = said(&format!("{joined}{}", reduce("keep = [\"c\"]").replace("5 Hz", "5 kN")));
    assert!(found.contains("frequency"), "{found}");
    let found = said(&format!("{joined}{}", reduce("keep = [\"c\"]\nmodes = 0\nresidual = false")));
    assert!(found.contains("nothing of the inside moves"), "{found}");
    // Two masses that only each other hold: they float beside the interface.
    let floating = "[[node]]\nname = \"d\"\nmass = \"1 t\"\n[[node]]\nname = \"e\"\nmass = \"1 t\"\n[[element]]\ntype = \"spring\"\n\
                    nodes = [\"d\", \"e\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n";
    let found = said(&format!("{joined}{floating}{}", reduce("keep = [\"c\"]")));
    assert!(found.contains("without resistance") && (found.contains("`d.x`") || found.contains("`e.x`")), "{found}");
}

/// What follows the inside by a constraint follows what it follows now; what follows cannot be kept.
#[test]
fn a_rigid_link_inside_is_carried_along_and_cannot_be_the_interface() {
    let text = "dofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"base\"\nat = [0, 0]\nfixed = true\n[[node]]\nname = \"middle\"\nat = [0, \"3 m\"]\n\
        mass = { x = \"5 t\", y = \"5 t\", rz = \"1 t*m^2\" }\n[[node]]\nname = \"tip\"\nat = [\"2 m\", \"3 m\"]\nmass = { x = \"1 t\", y = \"1 t\", rz = \"0.1 t*m^2\" }\n\
        [[node]]\nname = \"top\"\nat = [0, \"6 m\"]\nmass = { x = \"5 t\", y = \"5 t\", rz = \"1 t*m^2\" }\n\
        [[element]]\ntype = \"beam2d\"\nnodes = [\"base\", \"middle\"]\nE = \"30 GPa\"\nA = \"0.1 m^2\"\nI = \"8 dm^4\"\n\
        [[element]]\ntype = \"beam2d\"\nnodes = [\"middle\", \"top\"]\nE = \"30 GPa\"\nA = \"0.1 m^2\"\nI = \"8 dm^4\"\n\
        [[constraint]]\ntype = \"rigid-link\"\nleads = \"middle\"\nfollows = [\"tip\"]\n\
        [[load]]\nname = \"push\"\ntype = \"force\"\nat = \"top.x\"\nsignal = { type = \"harmonic\", amplitude = \"20 kN\", frequency = \"2 Hz\" }\n\
        [analysis]\nscheme = \"newmark\"\ndt = \"2 ms\"\nduration = \"1 s\"\n[record]\nchannels = [\"tip.y\", \"tip.x\", \"top.x\"]\n";
    let whole = read(text).unwrap_or_else(|e| panic!("{e}"));
    let reduced =
        read(&format!("{text}[[reduce]]\nname = \"mast\"\nfrequency = \"50 Hz\"\n")).unwrap_or_else(|e| panic!("{e}"));
    let structure = Structure::new(reduced.clone()).unwrap_or_else(|p| panic!("{}", p[0].message));
    let tip = structure.model.dofs.iter().find(|d| d.name == "tip.y").expect("there");
    let Support::Follows(terms) = &tip.support else { panic!("it follows") };
    let unknown = |t: &(usize, f64)| matches!(structure.model.dofs[t.0].support, Support::Free);
    assert!(terms.iter().all(unknown) && terms.iter().any(|t| structure.model.is_generalised(t.0)), "{terms:?}");
    let off = apart(&run(reduced), &run(whole));
    assert!(off.iter().all(|x| *x < 1e-3), "{off:?}");
    let said = refused(&format!("{text}[[reduce]]\nname = \"mast\"\nfrequency = \"50 Hz\"\nkeep = [\"tip.x\"]\n"));
    assert!(said.contains("`tip.x` cannot be kept") && said.contains("keep what it follows: \"middle.x\""), "{said}");
}

/// Supports that move by themselves stay: absolute motions of two supports give the rigid translation exactly.
#[test]
fn supports_that_move_stay_and_carry_the_inside_with_them() {
    let text = "dofs = [\"x\"]\n[[node]]\nname = \"left\"\n[[node]]\nname = \"right\"\n[[node]]\nname = \"p\"\nmass = \"2 t\"\n[[node]]\nname = \"q\"\nmass = \"3 t\"\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"left\", \"p\"]\ndof = \"x\"\nk = \"2 kN/mm\"\nc = \"5 kN*s/m\"\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"p\", \"q\"]\ndof = \"x\"\nk = \"3 kN/mm\"\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"q\", \"right\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n\
        [[load]]\nname = \"l\"\ntype = \"imposed\"\nat = \"left.x\"\ndisplacement = { type = \"harmonic\", amplitude = \"10 mm\", frequency = \"1 Hz\" }\n\
        [[load]]\nname = \"r\"\ntype = \"imposed\"\nat = \"right.x\"\ndisplacement = { type = \"harmonic\", amplitude = \"7 mm\", frequency = \"3 Hz\" }\n\
        [analysis]\nscheme = \"newmark\"\ndt = \"1 ms\"\nduration = \"2 s\"\n[record]\nchannels = [\"p.x\", \"q.x.a\"]\n";
    let whole = read(text).unwrap_or_else(|e| panic!("{e}"));
    let reduced = read(&format!("{text}[[reduce]]\nname = \"deck\"\nfrequency = \"20 Hz\"\nmodes = 2\n"))
        .unwrap_or_else(|e| panic!("{e}"));
    let structure = Structure::new(reduced.clone()).unwrap_or_else(|p| panic!("{}", p[0].message));
    assert_eq!(structure.model.superelements[0].kept.len(), 2);
    // With every mode the generalised unknowns carry all inertia, and are those of the whole in other coordinates.
    let off = apart(&run(reduced), &run(whole));
    assert!(off.iter().all(|x| *x < 1e-9), "{off:?}");
}

/// The Rio Torto bridge between its specimens: some of its modes only turn, and their translations are rounding.
#[test]
fn a_bridge_with_modes_that_only_turn_is_reduced() {
    let text = include_str!("../../../../models/rio-torto-isolated.toml");
    let reduce = "\n[[reduce]]\nname = \"deck\"\nsubstructure = \"bridge\"\nfrequency = \"20 Hz\"\n";
    let [whole, reduced] = [text.to_owned(), format!("{text}{reduce}")].map(|text| {
        let mut model = read(&text).unwrap_or_else(|e| panic!("{e}"));
        model.analysis.duration = 3.0;
        model.specimens.clear();
        model
    });
    let structure = Structure::new(reduced.clone()).unwrap_or_else(|p| panic!("{}", p[0].message));
    let generalised = &structure.model.superelements[0].generalised;
    assert!(generalised.iter().any(|&d| structure.model.dofs[d].angle), "one that only turns");
    let (a, b) = (run(reduced), run(whole));
    let peak = |c: usize| b.iter().fold(0.0f64, |m, row| m.max(row[c].abs()));
    for c in (0..b[0].len()).filter(|&c| peak(c) > 0.0) {
        let off = a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a[c] - b[c]).abs()));
        assert!(off < 0.02 * peak(c), "channel {c}: {off:e} of {:e}", peak(c));
    }
}
