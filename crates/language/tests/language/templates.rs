//! Includes, parts, sections and templates: they stand for exactly the tables one would write by hand, and mistakes in
//! them are found at their place.

use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::include::{bundle, gather};
use interfield_language::model::Load;
use interfield_language::parse::{Overrides, expand, parse};
use interfield_language::signal::Signal;

const ALL: &str = include_str!("../data/templates.toml");

/// Reads a model; on failure all messages, as "file:line message | help".
fn read_with(text: &str, files: &[(&str, &str)]) -> Result<(Model, Source), Vec<String>> {
    let diags = Diagnostics::new();
    let file = |path: &str| {
        let found = files.iter().find(|f| f.0 == path).map(|f| f.1.as_bytes().to_vec());
        found.ok_or_else(|| "does not exist".to_owned())
    };
    let source = gather("model.toml", text, &file, &diags);
    match parse(&source, &Overrides::default(), &file, &diags) {
        Some((model, _)) => Ok((model, source)),
        None => Err(messages(&diags, &source)),
    }
}

fn messages(diags: &Diagnostics, source: &Source) -> Vec<String> {
    diags.render(source, false);
    let list = diags.located(source).into_iter().filter(|d| d.severity == "error");
    list.map(|d| format!("{}:{} {} | {}", d.file, d.line.unwrap_or(0), d.message, d.help.unwrap_or_default())).collect()
}

fn read(text: &str) -> Model {
    read_with(text, &[]).unwrap_or_else(|e| panic!("{e:#?}\n{text}")).0
}

/// Everything that the results depend on; numbers are written so that equal texts are equal bits.
fn structure(model: &Model) -> Vec<String> {
    let mut lines: Vec<String> = model.nodes.iter().map(|n| format!("{n:?}")).collect();
    lines.extend(model.dofs.iter().map(|d| format!("{d:?}")));
    lines.extend(model.elements.iter().map(|e| format!("{e:?}")));
    lines.extend(model.channels.iter().map(|c| format!("{c:?}")));
    lines
}

#[track_caller]
fn same(short: &str, long: &str) {
    let (short, long) = (structure(&read(short)), structure(&read(long)));
    for (a, b) in short.iter().zip(&long) {
        assert_eq!(a, b);
    }
    assert_eq!(short.len(), long.len());
}

const END: &str = "[analysis]\ndt = 0.01\nduration = 1\n";

#[test]
fn short_frames_are_the_long_ones() {
    same(include_str!("../../../../models/frame.toml"), include_str!("../data/frame-long.toml"));
    same(include_str!("../../../../models/space-frame.toml"), include_str!("../data/space-frame-long.toml"));
}

#[test]
fn a_shear_building_is_its_floors_and_storeys() {
    let short = "[[shear-building]]\nstoreys = 2\nmass = [\"2 t\", 900]\nk = \"4 kN/mm\"\nheight = 4\n\
        storey1 = { type = \"cubic\", k = 3, k3 = 5 }\n";
    let long = "[[node]]\nname = \"floor1\"\ndofs = [\"x\"]\nmass = \"2 t\"\nat = [0, 4]\n\
        [[node]]\nname = \"floor2\"\ndofs = [\"x\"]\nmass = 900\nat = [0, 8]\n\
        [[element]]\ntype = \"cubic\"\nname = \"storey1\"\nnodes = [\"ground\", \"floor1\"]\ndof = \"x\"\nk = 3\nk3 = 5\n\
        [[element]]\ntype = \"spring\"\nname = \"storey2\"\nnodes = [\"floor1\", \"floor2\"]\ndof = \"x\"\nk = \"4 kN/mm\"\n";
    same(&format!("{short}{END}"), &format!("{long}{END}"));
}

#[test]
fn a_chain_is_its_masses_and_springs() {
    let short = "[[chain]]\nname = \"c\"\nmasses = 2\nmass = 3\nspacing = 2\nends = [\"ground\", \"ground\"]\n\
        spring = { type = \"spring\", k = 7, c = 1 }\n";
    let node = |i: usize| format!("[[node]]\nname = \"c_m{i}\"\ndofs = [\"x\"]\nmass = 3\nat = [{}]\n", 2 * i);
    let spring = |i: usize, a: &str, b: &str| {
        let head = format!("[[element]]\ntype = \"spring\"\nname = \"c_spring{i}\"\n");
        format!("{head}nodes = [\"{a}\", \"{b}\"]\ndof = \"x\"\nk = 7\nc = 1\n")
    };
    let springs = [spring(1, "ground", "c_m1"), spring(2, "c_m1", "c_m2"), spring(3, "c_m2", "ground")].concat();
    same(&format!("{short}{END}"), &format!("{}{}{springs}{END}", node(1), node(2)));
}

/// A cantilever pier under a pinned deck, and the same by hand.
#[test]
fn a_viaduct_is_its_deck_and_piers() {
    let beam = "E = 1e9\nA = 2\nI = 3\nrho = 2500\n";
    let inline = "{ E = 1e9, A = 2, I = 3, rho = 2500 }";
    let short = format!(
        "[[viaduct]]\nspans = [10, 20]\ndeck = {inline}\npier = {inline}\nheights = 5\nbearing = \"pinned\"\n\
         abutments = [\"pinned\", \"roller\"]\nhinges = [2]\npier_mass = 70\n"
    );
    let node = |name: &str, at: &str, more: &str| {
        format!("[[node]]\nname = \"{name}\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = {at}\n{more}\n")
    };
    let element = |name: &str, a: &str, b: &str, more: &str| {
        format!("[[element]]\ntype = \"beam2d\"\nname = \"{name}\"\nnodes = [\"{a}\", \"{b}\"]\n{beam}{more}\n")
    };
    let long = [
        node("deck0", "[0, 0]", "fixed = [\"x\", \"y\"]"),
        node("deck1", "[10, 0]", "mass = 70"),
        node("deck2", "[30, 0]", "fixed = [\"y\"]"),
        node("base1", "[10, -5]", "fixed = true"),
        element("span1", "deck0", "deck1", ""),
        element("span2", "deck1", "deck2", "release = [\"end\"]"),
        element("pier1", "base1", "deck1", "release = [\"end\"]"),
    ];
    same(&format!("{short}{END}"), &format!("{}{END}", long.concat()));
}

#[test]
fn a_part_is_its_tables_with_names_places_and_values() {
    let part = "[part.cell.parameters]\nm = 2\nk = \"3*m*(1 N/m)\"\n[part.cell]\nnode = [{ name = \"mass\", dofs = [\"x\"], \
        at = [1], mass = \"m\" }]\nelement = [{ type = \"formula\", name = \"law\", nodes = [\"before\", \"mass\"], dof = \
        \"x\", force = \"k*u + i*v\" }]\n";
    let uses = "[[use]]\npart = \"cell\"\nname = \"c\"\ncount = 2\nat = [\"10*i\", 5]\nparameters = { m = [7, \"8*i\"] }\n\
        connect = { before = [\"ground\", \"c1_mass\"] }\n";
    let cell = |i: usize, before: &str, m: f64| {
        format!(
            "[[node]]\nname = \"c{i}_mass\"\ndofs = [\"x\"]\nat = [{}, 5]\nmass = {m}\n[[element]]\ntype = \"formula\"\n\
             name = \"c{i}_law\"\nnodes = [\"{before}\", \"c{i}_mass\"]\ndof = \"x\"\nforce = \"({:?})*u + ({:?})*v\"\n",
            10 * i + 1,
            3.0 * m,
            i as f64
        )
    };
    let long = format!("{}{}{END}", cell(1, "ground", 7.0), cell(2, "c1_mass", 16.0));
    same(&format!("{part}{uses}{END}"), &long);
}

/// Frequencies keep what they count on their way into a part.
#[test]
fn frequencies_of_a_part_stay_what_they_are() {
    let part = "[part.cell.parameters]\nf = \"2 Hz\"\nw = \"120 rpm\"\nturn = \"2*pi\"\nshare = \"50 %\"\n[part.cell]\n\
        node = [{ name = \"mass\", dofs = [\"x\"], mass = 1 }]\n\
        element = [{ type = \"spring\", nodes = [\"ground\", \"mass\"], dof = \"x\", k = 9 }]\n\
        load = [{ type = \"force\", at = \"mass.x\", signal = { type = \"harmonic\", amplitude = 1, KEY } }]\n\
        [[use]]\npart = \"cell\"\nname = \"c\"\n";
    let omega = |key: &str| match &read(&format!("{}{END}", part.replace("KEY", key))).loads[0] {
        Load::Force { signal: Signal::Harmonic { omega, .. }, .. } => *omega,
        other => panic!("{other:?}"),
    };
    let tau = std::f64::consts::TAU;
    for (key, expected) in [
        ("omega = \"f\"", 2.0 * tau),
        ("omega = \"w\"", 2.0 * tau),
        ("omega = \"turn*f\"", 2.0 * tau),
        ("omega = \"share*w\"", tau),
        ("frequency = \"f\"", 2.0 * tau),
        ("frequency = \"w\"", 2.0 * tau),
        ("frequency = \"w/turn\"", 2.0 * tau),
        ("frequency = \"share*f\"", tau),
    ] {
        assert!((omega(key) / expected - 1.0).abs() < 1e-12, "{key}: {} instead of {expected}", omega(key));
    }
}

/// What is written out is a model that means the same, and nothing short is left in it.
#[test]
fn what_is_written_out_means_the_same() {
    let mut texts = vec![ALL.to_owned()];
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models")).unwrap() {
        texts.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    for text in texts {
        let diags = Diagnostics::new();
        let source = gather("model.toml", &text, &|_| Err("does not exist".to_owned()), &diags);
        let long = expand(&source, &Overrides::default(), &diags)
            .unwrap_or_else(|| panic!("{}", diags.render(&source, false)));
        for short in ["[part", "[section", "\nuse =", "\ninclude", "plane-frame", " section ="] {
            assert!(!long.contains(short), "{short} in\n{long}");
        }
        same(&text, &long);
    }
}

#[test]
fn everything_short_is_read() {
    let model = read(ALL);
    let node = |name: &str| model.nodes.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("no node {name}"));
    let element = |name: &str| model.elements.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(node("tower_floor3").at, [0.0, 9.0, 0.0], "the including file says h");
    assert_eq!(node("block_floor2").at, [10.0, 7.0, 0.0]);
    assert_eq!(element("tower_storey1").type_name, "bouc-wen");
    assert_eq!(element("block_storey2_y").type_name, "spring");
    assert_eq!(element("spring3").type_name, "cubic");
    assert_eq!(node("f_n2_2").at, [29.0, 6.5, 0.0]);
    assert_eq!(node("n1_1_1").at, [5.0, 4.0, 3.0]);
    assert_eq!(node("long_deck2_1").at, [35.0, 50.0, 0.0]);
    assert_eq!(node("long_shaft2_1").at, [50.0, 45.5, 0.0]);
    assert_eq!(node("p2_foot").at, [20.0, 97.0, 0.0]);
    assert_eq!(node("p1_joint").at, [11.0, 100.0, 0.0]);
    element("single_hinge");
    let mass = |name: &str| model.dofs.iter().find(|d| d.name == name).unwrap().mass;
    assert_eq!(mass("f_n1_0.x"), 2000.0, "a third of 6 t");
    assert_eq!((mass("p1_mast_m1.x"), mass("p2_mast_m2.x"), mass("single_mast_m1.x")), (200.0, 300.0, 100.0));
}

#[test]
fn included_files_are_read_as_if_they_stood_there() {
    let main = format!("include = [\"a/one.toml\", \"two.toml\"]\n[parameters]\nm = 5\n{END}");
    let one = "include = [\"../three.toml\"]\n[[node]]\nname = \"a\"\ndofs = [\"x\"]\nmass = \"m\"\n";
    let two = "[[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = \"k\"\n";
    let three = "[parameters]\nm = 1\nk = 4";
    let (model, source) = read_with(&main, &[("a/one.toml", one), ("two.toml", two), ("three.toml", three)]).unwrap();
    assert_eq!((model.nodes.len(), model.elements.len(), model.dofs[0].mass), (2, 1, 5.0));
    // All in one text, which needs no other files.
    let all = bundle(&source).into_owned();
    assert!(all.contains("#@file a/one.toml\n") && all.starts_with(&main));
    let (again, source) = read_with(&all, &[]).unwrap();
    assert_eq!(structure(&model), structure(&again));
    assert_eq!(bundle(&source), all);
}

#[test]
fn mistakes_with_includes() {
    let files = [
        ("a.toml", "include = [\"b.toml\"]\n"),
        ("b.toml", "\ninclude = [\"a.toml\"]\n"),
        ("self.toml", "title = \"x\"\n\ninclude = \"model.toml\"\n"),
        ("title.toml", "# a comment\ntitle = \"x\"\n"),
        ("wrong.toml", "[[node]]\nname = \"a\"\ndofs = [\"x\"]\n mass = \"5 s\"\n"),
        ("broken.toml", "x = = 1\n"),
        ("sections.toml", "[section.a]\nE = 1\n"),
        ("unit.toml", "[units]\nlength = \"mm\"\n"),
    ];
    let cases = [
        (
            "include = [\"a.toml\"]",
            "b.toml:2 the files include each other in a circle: a.toml -> b.toml -> a.toml | remove",
        ),
        ("include = [\"self.toml\"]", "self.toml:3 the files include each other in a circle: model.toml -> self.toml"),
        ("include = [\"none.toml\"]", "model.toml:1 `none.toml` does not exist | the path is relative to the file"),
        (
            "include = [\"title.toml\", \"./title.toml\"]",
            "model.toml:1 `./title.toml` is included twice | include it once",
        ),
        (
            "title = \"y\"\ninclude = [\"title.toml\"]",
            "model.toml:1 `title` is given in two files | a model needs it once only",
        ),
        ("include = [\"wrong.toml\"]", "wrong.toml:4 expected mass, found time | write for example"),
        ("include = [\"broken.toml\"]", "broken.toml:1 "),
        ("include = 5", "model.toml:1 `include` is a list of paths | write include = ["),
        ("include = [\"sections.toml\"]\n[section.a]\nE = 2\n", "model.toml:2 `section.a` is given in two files"),
        (
            "include = [\"unit.toml\"]\n[units]\nlength = \"m\"\n",
            "model.toml:2 `units` is given in two files | a model needs",
        ),
    ];
    for (text, expected) in cases {
        let found = read_with(&format!("{text}\n{END}"), &files).map(|_| ()).unwrap_err();
        assert!(found.iter().any(|m| m.starts_with(expected)), "{text}: {found:#?}");
    }
}

/// Each mistake, at its key and with what to write instead; nothing that only follows from it.
#[test]
fn mistakes_in_blocks() {
    let frame = "[[plane-frame]]\nbays = 2\nwidth = 6\nstoreys = 2\nheight = 3\ncolumn = \"c\"\nbeam = \"c\"\n\
        [section.c]\nE = 1e9\nA = 1\nI = 1\nrho = 1\n";
    let building = "[[shear-building]]\nstoreys = 2\nmass = 5\nk = 3\n";
    let part = "[part.p]\nnode = [{ name = \"a\", dofs = [\"x\"], mass = 1 }]\nelement = [{ type = \"spring\", nodes = \
        [\"base\", \"a\"], dof = \"x\", k = 1 }]\nparameters = { k = 1 }\n[[use]]\npart = \"p\"\nname = \"u\"\nconnect = \
        { base = \"ground\" }\n";
    let cases = [
        (frame, "bays = 2", "bays = 1000000000", "2 this makes the model too large: it may have 2000000 nodes"),
        (frame, "bays = 2", "bays = 900000", "1 this makes the model too large"),
        (frame, "bays = 2", "bays = 0", "2 `bays` must be greater than zero, found 0"),
        (frame, "bays = 2", "bays = [6, -1]", "3 `width` needs a count"),
        (frame, "width = 6", "wdth = 6", "3 unknown key `wdth` in `plane-frame` | did you mean `width`?"),
        (frame, "height = 3", "height = \"3 s\"", "5 expected length, found time"),
        (frame, "column = \"c\"", "column = \"d\"", "6 there is no section `d` | declare it: [section.d]"),
        (frame, "column = \"c\"", "column = [\"c\"]", "6 `column` lists 1 values for 2 storeys"),
        (frame, "column = \"c\"\n", "", "1 missing key `column` in `plane-frame`"),
        (frame, "A = 1\n", "A = -1\n", "10 `A` (area) must be greater than zero"),
        (frame, "A = 1\n", "A = 1\nB = 1\n", "11 unknown key `B` in `element`"),
        (
            frame,
            "beam = \"c\"",
            "beam = \"c\"\nsupports = \"pined\"",
            "8 unknown value \"pined\" | did you mean `pinned`?",
        ),
        (building, "mass = 5", "mass = \"-5 t\"", "3 negative mass"),
        (building, "k = 3\n", "", "1 `shear-building` has no element law"),
        (
            building,
            "k = 3\n",
            "k = 3\nstorey7 = { type = \"spring\", k = 2 }\n",
            "5 there is no `storey7`: use storey1",
        ),
        (
            building,
            "k = 3\n",
            "storey = { type = \"sprng\", k = 2 }\n",
            "4 there is no element type `sprng` | did you mean",
        ),
        (building, "[[shear-building]]", "[shear-building]", "1 expected a list of tables"),
        (part, "part = \"p\"", "part = \"q\"", "6 there is no part `q`"),
        (part, "name = \"u\"", "name = \"u\"\nparameters = { h = 1 }", "8 the part has no parameter `h` | declare it"),
        (
            part,
            "name = \"u\"",
            "name = \"u\"\ncount = 2\nat = [[1], [2], [3]]",
            "9 `at` lists 3 positions for 2 instances",
        ),
        (part, "name = \"u\"", "name = \"u\"\ncount = 1e9", "8 expected a whole number"),
        (
            part,
            "name = \"u\"",
            "name = \"u\"\ncount = 999999999",
            "8 `count` must be between 1 and 2000000, found 999999999",
        ),
        (part, "base = \"ground\"", "bse = \"ground\"", "8 the part has no node `bse` to connect"),
        (part, "base = \"ground\"", "base = \"gronud\"", "3 there is no node `gronud` | did you mean `ground`?"),
        (part, "base = \"ground\"", "base = \"n{i}\"", "8 the braces in `n{i}` do not give a whole number"),
        (part, "parameters = { k = 1 }", "parameter = { k = 1 }", "4 unknown key `parameter` in `part.p`"),
        (part, "parameters = { k = 1 }", "parameters = { k = \"2 mm +\" }", "4 "),
        (
            part,
            "parameters = { k = 1 }",
            "use = [{ part = \"p\", name = \"x\" }]",
            "4 parts are used within parts more than 8",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, old, new, expected) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text);
        let found = read_with(&format!("{changed}{END}"), &[]).map(|_| ()).unwrap_err();
        // One mistake, at most two messages.
        if !found.iter().any(|m| m.starts_with(&format!("model.toml:{expected}"))) || found.len() > 2 {
            wrong.push((new, expected, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Few lines that stand for very much are refused before they fill the memory.
#[test]
fn small_files_cannot_make_huge_models() {
    let mut tower = String::from("[part.p0]\nnode = [{ name = \"a\", dofs = [\"x\"] }]\n");
    for i in 1..8 {
        tower += &format!("[[part.p{i}.use]]\npart = \"p{}\"\nname = \"n\"\ncount = 1000\n", i - 1);
    }
    tower += "[[use]]\npart = \"p7\"\nname = \"n\"\n";
    let long = "x".repeat(1 << 20);
    let copies =
        format!("[part.p]\nload = [{{ type = \"{long}\" }}]\n[[use]]\npart = \"p\"\nname = \"n\"\ncount = 1000000\n");
    let parameters: String = (0..20_000).map(|i| format!("a{i} = 1\n")).collect();
    let scopes = format!("[part.p]\n[[use]]\npart = \"p\"\nname = \"n\"\ncount = 1000000\n[parameters]\n{parameters}");
    for text in [tower, copies, scopes] {
        let start = std::time::Instant::now();
        let found = read_with(&format!("{text}{END}"), &[]).map(|_| ()).unwrap_err();
        assert!(found.iter().any(|m| m.contains("this makes the model too large")), "{found:#?}");
        assert!(start.elapsed().as_secs() < 10);
    }
}
