//! Superelements by themselves: what is said of their errors before and after a run, kept in files, taken again and by other models; and what is
//! done to them that they were not made for.

use interfield_language::Model;
use interfield_language::model::Support;
use interfield_language::reduction::Stored;
use interfield_structure::{Simulation, Structure};

use super::reduction::{FRAME, apart, read, read_with, refused, run, with};

fn structure(model: Model) -> Structure {
    Structure::new(model).unwrap_or_else(|p| panic!("{}", p[0].message))
}

/// Rows of a run, and the error that it shows of its reduced parts.
fn run_and_look(model: Model) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut sim = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
    let mut rows = Vec::new();
    for step in 0..sim.steps() {
        sim.step(step).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
        let mut row = vec![0.0; sim.model.channels.len()];
        sim.sample(step + 1, &mut row).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
        rows.push(row);
    }
    (rows, sim.reduction_errors().iter().map(|s| s.error()).collect())
}

/// Displacements inside and of the interface are within what the run promises, and the promise is not empty: of energies, in which high modes
/// weigh more than in displacements.
#[test]
fn what_a_run_shows_of_its_error_covers_the_error() {
    let whole = run(read(FRAME).expect("good"));
    for reduce in [
        "frequency = \"10 Hz\"\nmodes = 3",
        "frequency = \"10 Hz\"\nmodes = 6\nresidual = false",
        "frequency = \"10 Hz\"",
    ] {
        let (rows, shown) = run_and_look(read(&with(reduce)).expect("good"));
        let off = apart(&rows, &whole);
        assert_eq!(shown.len(), 1);
        assert!(off[0] < shown[0] && off[2] < 2.0 * shown[0], "{reduce}: {shown:?}, true {off:?}");
        assert!(shown[0] < 60.0 * off[0].max(off[2]), "{reduce}: {shown:?} says nothing, true {off:?}");
    }
    // With every mode nothing is left.
    let (_, shown) = run_and_look(read(&with("frequency = \"10 Hz\"\nmodes = 2000")).expect("good"));
    assert!(shown[0] < 1e-6, "{shown:?}");
}

/// Harmonic ground motions of the linear structure: the motion of the interface is never further off than the bound says.
#[test]
fn the_response_to_harmonic_loads_is_within_its_bound() {
    let linear = FRAME
        .replace("type = \"bouc-wen\"", "type = \"spring\"")
        .replace("beta = \"60 1/m\"\ngamma = \"60 1/m\"\nn = 1\n", "");
    assert!(!linear.contains("beta"));
    let whole = structure(read(&linear).expect("good"));
    for (modes, most) in [(6, 1.0), (14, 0.05)] {
        let text = format!(
            "{linear}\n[[reduce]]\nname = \"tower\"\nfrequency = \"5 Hz\"\nkeep = [\"n1_1.x\", \"n6_0.x\"]\nmodes = {modes}\n"
        );
        let reduced = structure(read(&text).expect("good"));
        let told = &reduced.model.superelements[0];
        let bound = told.lost_response.get().copied().flatten().expect("it is known");
        assert!(bound > 0.0 && bound < most, "{modes} modes: {bound}");
        let dofs: Vec<usize> = told.kept.clone();
        let (mut worst, mut largest) = (0.0f64, 0.0f64);
        for hz in (1..=40).map(|i| 0.125 * f64::from(i)) {
            let [a, b] = [&whole, &reduced].map(|s| ground_response(s, hz, &dofs));
            let size = |d: &dyn Fn(usize) -> (f64, f64)| {
                (0..dofs.len()).map(d).map(|z| z.0 * z.0 + z.1 * z.1).sum::<f64>().sqrt()
            };
            worst = worst.max(size(&|i| (a[i].0 - b[i].0, a[i].1 - b[i].1)));
            largest = largest.max(size(&|i| a[i]));
        }
        assert!(worst <= bound * largest, "{modes} modes: {:e} is off, bound {bound:e}", worst / largest);
    }
}

/// Motion of some degrees of freedom by a harmonic acceleration of the ground of one, along x.
fn ground_response(s: &Structure, hz: f64, dofs: &[usize]) -> Vec<(f64, f64)> {
    use interfield_structure::harmonic::Body;
    let mut harmonic = s.harmonic(Body::Coupled);
    let modal = interfield_structure::Modal::new(s, 1).expect("modes");
    assert!(!modal.directions.is_empty());
    let mut forces = vec![s.ground_forces(0).iter().map(|m| (-m, 0.0)).collect::<Vec<_>>()];
    harmonic.respond(hz * std::f64::consts::TAU, &mut forces).expect("damped");
    let motion = |d: &usize| match &s.model.dofs[*d].support {
        Support::Free => forces[0][harmonic.unknown(*d).expect("free")],
        _ => (0.0, 0.0),
    };
    dofs.iter().map(motion).collect()
}

/// The rest of the frame without what was reduced: only the brace and its node, with the superelement from the file.
fn shared(keys: &str) -> String {
    let start = FRAME.find("[[plane-frame]]").expect("there");
    let end = FRAME.find("[[node]]").expect("there");
    let element = FRAME.find("[[element]]").expect("there");
    let brace = element + 1 + FRAME[element + 1..].find("[[element]]").expect("two");
    format!(
        "{}[[superelement]]\nname = \"tower\"\nfile = \"tower.superelement\"\n{keys}\n{}{}",
        &FRAME[..start],
        &FRAME[end..element],
        FRAME[brace..].replace("\"n0_1\"", "\"ground\"")
    )
}

/// A file holds the same to the last bit, the model takes it in place of reducing, and another model moves as this one with it.
#[test]
fn a_kept_superelement_gives_the_same_bits_in_its_model_and_in_another() {
    let file = "frequency = \"10 Hz\"\nfile = \"tower.superelement\"";
    let made = structure(read(&with(file)).expect("good"));
    let told = &made.model.superelements[0];
    assert!(!told.taken && told.hash.len() == 32, "{}", told.hash);
    let text = Stored::of(&made.model, told).text();
    let stored = Stored::read(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(stored.text(), text);
    let rows = run(made.model.as_ref().clone());

    let again = structure(read_with(&with(file), &[("tower.superelement", &text)]).expect("good"));
    assert!(again.model.superelements[0].taken, "it is the same model");
    assert_eq!(run(again.model.as_ref().clone()), rows);
    assert_eq!(again.model.superelements[0].lost, told.lost);

    let other = read_with(&shared(""), &[("tower.superelement", &text)]).unwrap_or_else(|e| panic!("{e}"));
    assert!(other.elements.len() < 5);
    assert_eq!(run(other), rows);

    // Anything else in the model, and it is made again.
    for (from, to) in
        [("0.25 m^2", "0.26 m^2"), ("rho = \"9000", "rho = \"9001"), ("direction = \"x\"", "direction = \"y\"")]
    {
        let changed = read_with(&with(file).replace(from, to), &[("tower.superelement", &text)]).expect("good");
        assert!(!structure(changed).model.superelements[0].taken, "{to}");
    }
    let other = "frequency = \"11 Hz\"\nfile = \"tower.superelement\"";
    let changed = read_with(&with(other), &[("tower.superelement", &text)]).expect("good");
    assert!(!structure(changed).model.superelements[0].taken);
    // What does not belong to it does not matter.
    let elsewhere =
        with(file).replace("duration = \"6 s\"", "duration = \"1 s\"").replace("k = \"60 kN/mm\"", "k = \"50 kN/mm\"");
    let changed = read_with(&elsewhere, &[("tower.superelement", &text)]).expect("good");
    assert!(structure(changed).model.superelements[0].taken);
}

/// Gravity inside and a prefix: two of the same superelement in one model.
#[test]
fn two_of_the_same_superelement_stand_beside_each_other() {
    let made = structure(read(&with("frequency = \"10 Hz\"\nkeep = [\"n1_1\"]")).expect("good"));
    let text = Stored::of(&made.model, &made.model.superelements[0]).text();
    let two = shared("prefix = \"left-\"")
        .replace("[[node]]", "[[superelement]]\nname = \"other\"\nfile = \"tower.superelement\"\n[[node]]");
    let two = two.replace("channels = [", "channels = [\"left-n12_0.x\", ");
    let model = read_with(&two, &[("tower.superelement", &text)]).unwrap_or_else(|e| panic!("{e}"));
    let rows = run(model);
    // The one on the left has no brace and no damper: it moves differently from the other.
    assert!(rows.iter().any(|r| (r[0] - r[1]).abs() > 1e-4), "they are two");
}

/// What is wrong with a file, or with what stands on it.
#[test]
fn wrong_files_and_wrong_uses_are_said() {
    let made = structure(read(&with("frequency = \"10 Hz\"")).expect("good"));
    let text = Stored::of(&made.model, &made.model.superelements[0]).text();
    let said = |model: &str, text: &str| read_with(model, &[("tower.superelement", text)]).expect_err("it is wrong");
    let found = read(&shared("")).expect_err("there is no file");
    assert!(found.contains("no file tower.superelement") && found.contains("interfield reduce"), "{found}");
    for (from, to, words) in [
        ("interfield superelement 1", "interfield superelement 9", "line 1 must be"),
        ("\nmass\n", "\nmass\nx ", "`x` is not a number"),
        ("\nend ", "\n# ", "it is not complete"),
        ("unknowns ", "unknowns 9999", "cannot be used"),
        ("\nheld\n", "\nheld\nNaN ", "not a finite number"),
    ] {
        let found = said(&shared(""), &text.replacen(from, to, 1));
        assert!(found.contains(words) && found.contains("not a whole superelement file"), "{to}: {found}");
        // Beside its own model, too: what is not ours is not written over.
        let found = said(&with("frequency = \"10 Hz\"\nfile = \"tower.superelement\""), &text.replacen(from, to, 1));
        assert!(found.contains(words), "{to}: {found}");
    }
    // Every cut of the file is refused, and none panics; so is every number of which a digit has changed.
    let end = text.rfind("end ").expect("its end");
    for at in (0..end).step_by(text.len() / 97).filter(|&at| text.is_char_boundary(at)) {
        assert!(Stored::read(&text[..at]).is_err(), "cut after {at} bytes");
        let Some(digit) = text[at..].find(|c: char| c.is_ascii_digit()).map(|i| at + i) else { continue };
        let other = if &text[digit..=digit] == "5" { "6" } else { "5" };
        assert!(Stored::read(&format!("{}{other}{}", &text[..digit], &text[digit + 1..])).is_err(), "byte {digit}");
    }
    // Line ends of another system change nothing, and a file written by hand may end without the check.
    assert_eq!(Stored::read(&text.replace('\n', "\r\n")), Stored::read(&text));
    assert_eq!(Stored::read(&format!("{}end\n", &text[..end])), Stored::read(&text));
    let on = shared("")
        + "[[element]]\ntype = \"spring\"\nname = \"late\"\nnodes = [\"ground\", \"n6_2\"]\ndof = \"x\"\nk = \"1 kN/mm\"\n";
    let found = said(&on, &text);
    assert!(found.contains("`late` acts on `n6_2.x`") && found.contains("keep = [\"n6_2\"]"), "{found}");
    let pushed = shared("")
        + "[[load]]\ntype = \"force\"\nname = \"push\"\nat = \"n12_0.x\"\nsignal = { type = \"constant\", value = \"1 kN\" }\n";
    let found = said(&pushed, &text);
    assert!(found.contains("a load acts on `n12_0.x`"), "{found}");
    let double = shared("").replace("[[node]]\nname = \"d\"", "[[node]]\nname = \"n12_0\"\n[[node]]\nname = \"d\"");
    let found = said(&double, &text);
    assert!(found.contains("inside the superelement") && found.contains("prefix"), "{found}");
}

/// An interface of many unknowns on which nothing else acts, in its characteristic modes.
#[test]
fn a_large_interface_moves_with_its_characteristic_modes() {
    let keep: Vec<String> =
        (0..=12).flat_map(|level| (0..4).map(move |line| format!("\"n{level}_{line}\""))).skip(4).collect();
    let keep = keep[..28].join(", ");
    let whole = run(read(FRAME).expect("good"));
    let plain = structure(read(&with(&format!("frequency = \"10 Hz\"\nkeep = [{keep}]"))).expect("good"));
    let text = with(&format!("frequency = \"10 Hz\"\nkeep = [{keep}]\ncharacteristic = \"60 Hz\""));
    let fewer = structure(read(&text).expect("good"));
    let (a, b) = (&plain.model.superelements[0], &fewer.model.superelements[0]);
    assert_eq!((a.kept.len(), b.kept.len()), (85, 1), "the damper needs its own");
    assert!(
        b.generalised.len() + 40 < a.kept.len() + a.generalised.len(),
        "{} {}",
        b.generalised.len(),
        a.generalised.len()
    );
    assert!(fewer.model.dofs.iter().any(|d| d.name == "tower.interface1"));
    let off = apart(&run(fewer.model.as_ref().clone()), &whole);
    assert!(off[0] < 2e-3 && off[2] < 1e-2 && off[4] < 1e-2, "{off:?}");
    // It is kept in a file like any other.
    let text = Stored::of(&fewer.model, b).text();
    let other = read_with(&shared(""), &[("tower.superelement", &text)]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run(other), run(fewer.model.as_ref().clone()));
}

/// A small tower of storeys with one thing changed.
fn tower(masses: &str, damping: &str, reduce: &str, k: &str) -> String {
    let mut text = String::from("dofs = [\"x\"]\n");
    for i in 1..=8 {
        let mass = if masses == "none" || (masses == "some" && i % 2 == 0) {
            String::new()
        } else {
            "mass = \"2 t\"\n".to_owned()
        };
        text += &format!("[[node]]\nname = \"n{i}\"\n{mass}");
        let below = if i == 1 { "ground".to_owned() } else { format!("n{}", i - 1) };
        text += &format!("[[element]]\ntype = \"spring\"\nnodes = [\"{below}\", \"n{i}\"]\ndof = \"x\"\nk = \"{k}\"\n");
    }
    format!(
        "{text}[[node]]\nname = \"top\"\nmass = \"1 t\"\n[[element]]\nname = \"slip\"\ntype = \"bouc-wen\"\nnodes = [\"n8\", \"top\"]\ndof = \"x\"\nk = \"2 kN/mm\"\n\
         beta = \"100 1/m\"\ngamma = \"100 1/m\"\n{damping}\n[[load]]\nname = \"quake\"\ntype = \"ground\"\ndirection = \"x\"\nsignal = {{ type = \"harmonic\", amplitude = \"2 m/s^2\", \
         frequency = \"1.5 Hz\" }}\n[analysis]\nscheme = \"newmark\"\ndt = \"2 ms\"\nduration = \"2 s\"\n[record]\nchannels = [\"n4.x\", \"top.x\", \"slip.force\"]\n{reduce}"
    )
}

/// No mass inside, no mass in half of the nodes, every damping, twelve decades of stiffness, frequencies far above all modes: as the whole.
#[test]
fn reductions_bear_what_they_were_not_made_for() {
    let reduce = "[[reduce]]\nname = \"part\"\nfrequency = \"20 Hz\"\n";
    let rayleigh = "[damping]\nrayleigh = { a0 = 0.2, a1 = 0.001 }\n";
    let cases = [
        ("all", rayleigh, "4 kN/mm", reduce),
        ("some", rayleigh, "4 kN/mm", reduce),
        ("none", rayleigh, "4 kN/mm", reduce),
        ("all", "", "4 kN/mm", reduce),
        ("all", "[damping]\nrayleigh = { ratio = 0.03, modes = [1, 2] }\n", "4 kN/mm", reduce),
        ("all", "[damping]\nmodal = [0.03, 0.04, 0.05]\n", "4 kN/mm", reduce),
        ("all", rayleigh, "4e6 kN/mm", reduce),
        ("all", rayleigh, "4e-6 kN/mm", reduce),
        ("all", rayleigh, "4 kN/mm", "[[reduce]]\nname = \"part\"\nfrequency = \"1 MHz\"\n"),
        ("all", rayleigh, "4 kN/mm", "[[reduce]]\nname = \"part\"\nfrequency = \"1 mHz\"\n"),
        ("all", rayleigh, "4 kN/mm", "[[reduce]]\nname = \"part\"\nfrequency = \"20 Hz\"\nmodes = 0\n"),
    ];
    for (masses, damping, k, reduce) in cases {
        println!("{masses} {damping} {k} {reduce}");
        let whole = run(read(&tower(masses, damping, "", k)).unwrap_or_else(|e| panic!("{e}")));
        let reduced = run(read(&tower(masses, damping, reduce, k)).unwrap_or_else(|e| panic!("{e}")));
        let off = apart(&reduced, &whole);
        let most = if reduce.contains("mHz") || reduce.contains("modes = 0") { 0.05 } else { 2e-3 };
        // Where nothing holds the tower to speak of, the force in the slip is rounding.
        let told = if k.contains("e-6") { &off[..2] } else { &off };
        assert!(told.iter().all(|x| *x < most), "{off:?}");
    }
    // Kept all, nothing is reduced; kept nothing with nothing else there, there is no interface.
    let all: Vec<String> = (1..=8).map(|i| format!("\"n{i}\"")).collect();
    let said = refused(&tower("all", "", &format!("{reduce}keep = [{}]\n", all.join(", ")), "4 kN/mm"));
    assert!(said.contains("nothing to reduce: all 8"), "{said}");
    let said = refused(&tower("all", "", reduce, "0 kN/mm"));
    assert!(
        said.contains("without resistance") || said.contains("positive") || said.contains("not restrained"),
        "{said}"
    );
}

/// Six equal masts on one table: every frequency of the inside six times.
#[test]
fn equal_parts_inside_are_all_found() {
    let mut text = String::from(
        "dofs = [\"x\"]\n[[node]]\nname = \"table\"\nmass = \"5 t\"\n[[element]]\nname = \"slip\"\ntype = \"bouc-wen\"\nnodes = [\"ground\", \"table\"]\n\
        dof = \"x\"\nk = \"8 kN/mm\"\nbeta = \"50 1/m\"\ngamma = \"50 1/m\"\n",
    );
    for mast in 0..6 {
        for i in 0..12 {
            let below = if i == 0 { "table".to_owned() } else { format!("m{mast}_{}", i - 1) };
            text += &format!(
                "[[node]]\nname = \"m{mast}_{i}\"\nmass = \"100 kg\"\n[[element]]\ntype = \"spring\"\nnodes = [\"{below}\", \"m{mast}_{i}\"]\ndof = \"x\"\nk = \"4 kN/mm\"\n"
            );
        }
    }
    // One mast is pushed at its tip: the others answer through the table.
    text += "[[load]]\nname = \"push\"\ntype = \"force\"\nat = \"m0_11.x\"\nsignal = { type = \"harmonic\", amplitude = \"1 kN\", frequency = \"3 Hz\" }\n\
        [damping]\nrayleigh = { a0 = 0.2, a1 = 0.001 }\n[analysis]\nscheme = \"newmark\"\ndt = \"2 ms\"\nduration = \"2 s\"\n[record]\nchannels = [\"m0_5.x\", \"m3_11.x\", \"table.x\"]\n";
    let whole = run(read(&text).unwrap_or_else(|e| panic!("{e}")));
    let reduced =
        read(&format!("{text}[[reduce]]\nname = \"masts\"\nfrequency = \"15 Hz\"\n")).unwrap_or_else(|e| panic!("{e}"));
    let off = apart(&run(reduced), &whole);
    assert!(off.iter().all(|x| *x < 1e-3), "{off:?}");
}

/// Matrices as OpenSees prints them and as Matrix Market has them are the same element, and are reduced like any other.
#[test]
fn matrices_of_other_programs_are_read_and_reduced() {
    let (n, k) = (5, 4e6);
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => {
            if i + 1 == n {
                k
            } else {
                2.0 * k
            }
        }
        1 => -k,
        _ => 0.0,
    };
    let rows = |separator: &str| -> String {
        let row = |i: usize| (0..n).map(|j| format!("{:.10e}", entry(i, j))).collect::<Vec<_>>().join(separator) + "\n";
        (0..n).map(row).collect()
    };
    let entries = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).filter(|&(i, j)| entry(i, j) != 0.0);
    let entries: Vec<String> = entries.map(|(i, j)| format!("{} {} {:e}\n", i + 1, j + 1, entry(i, j))).collect();
    let market =
        format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {}\n{}", entries.len(), entries.concat());
    let nodes: String = (1..=n).map(|i| format!("[[node]]\nname = \"n{i}\"\nmass = \"2 t\"\n")).collect();
    let dofs: Vec<String> = (1..=n).map(|i| format!("\"n{i}.x\"")).collect();
    let model = |reduce: &str| {
        format!(
            "dofs = [\"x\"]\n{nodes}[[element]]\nname = \"other\"\ntype = \"matrix\"\ndofs = [{}]\nK = \"K.txt\"\n[[load]]\nname = \"push\"\ntype = \"force\"\nat = \"n5.x\"\n\
             signal = {{ type = \"harmonic\", amplitude = \"3 kN\", frequency = \"2 Hz\" }}\n[damping]\nrayleigh = {{ a0 = 0.1, a1 = 0.001 }}\n[analysis]\nscheme = \"newmark\"\n\
             dt = \"2 ms\"\nduration = \"1 s\"\n[record]\nchannels = [\"n2.x\", \"n5.x\"]\n{reduce}",
            dofs.join(", ")
        )
    };
    let of =
        |file: &str, reduce: &str| run(read_with(&model(reduce), &[("K.txt", file)]).unwrap_or_else(|e| panic!("{e}")));
    let whole = of(&market, "");
    for file in [rows(" "), format!("# printA\n {}", rows("   ")), rows(", ")] {
        assert_eq!(of(&file, ""), whole);
    }
    let off = apart(&of(&rows(" "), "[[reduce]]\nname = \"part\"\nfrequency = \"10 Hz\"\n"), &whole);
    assert!(off.iter().all(|x| *x < 1e-3), "{off:?}");
    for (file, words) in [
        (rows(" ").replacen("e6 ", "e6 x", 1), "is not a number"),
        (rows(" ").trim_end().rsplit_once(' ').expect("words").0.to_owned(), "4 numbers in a row, 5 in those before"),
        (rows(" ") + "1 2 3 4 5\n", "6 x 5"),
        (String::from("\n\n"), "the file"),
    ] {
        let said = read_with(&model(""), &[("K.txt", &file)]).expect_err("it is wrong");
        assert!(said.contains(words), "{words}: {said}");
    }
}
