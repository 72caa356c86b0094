//! Substructures in the model file: where they meet, who has which mass, and every mistake with its place.

use interfield_coupling::{CouplingMethod, PmcOptions};
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::{Model, TangentPolicy};
use interfield_language::parse::{Overrides, Places, parse};
use interfield_language::partition::Constraints;
use interfield_structure::split::{Constraint, Split, SubModel};
use interfield_structure::{Assembly, assemble};

fn attempt(text: &str) -> (Option<(Model, Places)>, Source, Diagnostics) {
    let (source, diags) = (Source::new("test.toml", text), Diagnostics::new());
    let model = parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    (model, source, diags)
}

fn read(text: &str) -> Model {
    let (model, source, diags) = attempt(text);
    model.unwrap_or_else(|| panic!("{}", diags.render(&source, false))).0
}

/// Takes a model apart.
fn split(model: &Model) -> Result<Split, Vec<interfield_language::Problem>> {
    let model = std::sync::Arc::new(model.clone());
    let whole = assemble(&model)?;
    interfield_structure::split::split(&model, Some(&whole))
}

fn taken_apart(text: &str) -> Split {
    split(&read(text)).unwrap_or_else(|problems| panic!("{}", problems[0].message))
}

fn assembled(part: &SubModel) -> Assembly {
    assemble(&part.model).unwrap_or_else(|problems| panic!("{}: {}", part.name, problems[0].message))
}

const ANALYSIS: &str = "[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"\nduration = \"1 s\"\n";

/// Unit masses and springs named `ab` for a pair of nodes `a`, `b`; `0` is the ground.
fn network(nodes: &str, springs: &[&str], rest: &str) -> String {
    let mut text = String::from("dofs = [\"x\"]\n");
    for node in nodes.chars() {
        text += &format!("[[node]]\nname = \"{node}\"\nmass = 1\n");
    }
    for spring in springs {
        let end = |i: usize| if &spring[i..=i] == "0" { "ground" } else { &spring[i..=i] };
        let (a, b) = (end(0), end(1));
        text += &format!(
            "[[element]]\ntype = \"spring\"\nname = \"{spring}\"\nnodes = [\"{a}\", \"{b}\"]\ndof = \"x\"\nk = 100\n"
        );
    }
    text + rest + ANALYSIS
}

/// `[[substructure]]` blocks named `p0`, `p1`, ... with these lists of elements.
fn substructures(elements: &[&str]) -> String {
    let block = |(i, e): (usize, &&str)| format!("[[substructure]]\nname = \"p{i}\"\nelements = [{e}]\n");
    elements.iter().enumerate().map(block).collect()
}

/// The rows of the interface as (degree of freedom, plus part, minus part).
fn rows(taken: &Split) -> Vec<(&str, usize, usize)> {
    let name = |c: &Constraint| taken.parts[c.plus.0].model.dofs[c.plus.1].name.as_str();
    taken.interface.iter().map(|c| (name(c), c.plus.0, c.minus.0)).collect()
}

fn dofs(part: &SubModel) -> Vec<(&str, f64)> {
    part.model.dofs.iter().map(|d| (d.name.as_str(), d.mass)).collect()
}

#[test]
fn settings_of_substructures_and_coupling() {
    let model = read(&network(
        "ab",
        &["0a", "ab"],
        r#"
        [[substructure]]
        name = "rest"
        [[substructure]]
        name = "top"
        elements = ["a*"]
        scheme = { name = "newmark", beta = 0 }
        tangent = "initial"
        substeps = 7
        interface_mass = "25 %"
        [coupling]
        method = "pmc"
        constraints = "all-pairs"
        kappa = 0.5
        "#,
    ));
    let partition = model.partition.as_ref().unwrap();
    assert_eq!(partition.owners, [0, 1]);
    assert_eq!(partition.rest, Some(0));
    let coupling = &partition.coupling;
    assert_eq!(coupling.info.name, "pmc");
    assert_eq!(coupling.method, CouplingMethod::Pmc(PmcOptions { kappa: 0.5, ..PmcOptions::PMC }));
    assert_eq!(coupling.constraints, Constraints::AllPairs);
    let taken = split(&model).unwrap();
    let [rest, top] = &taken.parts[..] else { panic!("two parts") };
    assert_eq!((rest.name.as_str(), rest.substeps, rest.model.analysis.dt), ("rest", 1, 0.01));
    assert_eq!(rest.model.analysis.scheme_name, "lsrt2");
    assert_eq!(rest.model.analysis.tangent, TangentPolicy::Initial, "the operators of the coupling are constant");
    assert_eq!((rest.fine, top.fine), (false, true));
    assert_eq!((top.name.as_str(), top.substeps, top.model.analysis.dt), ("top", 7, 0.01 / 7.0));
    assert_eq!(top.model.analysis.scheme_name, "newmark");
    assert_eq!(top.model.analysis.tangent, TangentPolicy::Initial);
    assert_eq!(dofs(rest), [("a.x", 0.75)]);
    assert_eq!(dofs(top), [("a.x", 0.25), ("b.x", 1.0)]);
    assert_eq!(taken.interface, [Constraint { dof: 0, plus: (0, 0), minus: (1, 0) }]);
}

#[test]
fn three_at_a_node_need_two_rows() {
    let parts = substructures(&["\"0a\"", "\"ab\"", "\"ac\""]);
    let text = network("abc", &["0a", "ab", "ac"], &parts);
    assert_eq!(rows(&taken_apart(&text)), [("a.x", 0, 1), ("a.x", 0, 2)]);
    let all = text.replace("[analysis]", "[coupling]\nmethod = \"gc\"\nconstraints = \"all-pairs\"\n[analysis]");
    assert_eq!(rows(&taken_apart(&all)), [("a.x", 0, 1), ("a.x", 0, 2), ("a.x", 1, 2)]);
    // One share is given, the others have the remainder in equal parts.
    let shared = text.replace("elements = [\"ab\"]", "elements = [\"ab\"]\ninterface_mass = { a = 0.5 }");
    let masses: Vec<f64> = taken_apart(&shared).parts.iter().map(|p| p.model.dofs[0].mass).collect();
    assert_eq!(masses, [0.25, 0.5, 0.25]);
}

#[test]
fn rings_and_stars() {
    let ring = substructures(&["\"ab\", \"0a\"", "\"bc\"", "\"cd\"", "\"da\""]);
    let taken = taken_apart(&network("abcd", &["0a", "ab", "bc", "cd", "da"], &ring));
    assert_eq!(rows(&taken), [("a.x", 0, 3), ("b.x", 0, 1), ("c.x", 1, 2), ("d.x", 2, 3)]);
    let star = substructures(&["\"0h\"", "\"ha\"", "\"hb\"", "\"hc\""]);
    let taken = taken_apart(&network("habc", &["0h", "ha", "hb", "hc"], &star));
    assert_eq!(rows(&taken), [("h.x", 0, 1), ("h.x", 0, 2), ("h.x", 0, 3)]);
    assert_eq!(dofs(&taken.parts[2]), [("h.x", 0.25), ("b.x", 1.0)]);
}

#[test]
fn floating_parts_and_bare_masses_can_be_assembled() {
    // The middle is held by nothing, the last is a mass and nothing else.
    let parts = substructures(&["\"0a\"", "\"ab\", \"bc\""]) + "[[substructure]]\nname = \"p2\"\nnodes = [\"c\"]\n";
    let taken = taken_apart(&network("abc", &["0a", "ab", "bc"], &parts));
    assert_eq!(rows(&taken), [("a.x", 0, 1), ("c.x", 1, 2)]);
    assert_eq!(dofs(&taken.parts[2]), [("c.x", 0.5)]);
    let sizes: Vec<usize> = taken.parts.iter().map(|p| assembled(p).free.len()).collect();
    assert_eq!(sizes, [1, 3, 1]);
    assert!(taken.warnings.is_empty());
}

/// A deck on piers with isolators, of which two are the specimen.
fn viaduct() -> String {
    let mut text = String::from("[units]\nlength = \"m\"\nmass = \"t\"\n");
    for i in 8..=12 {
        let x = 33 * (i - 8);
        text += &format!(
            "[[node]]\nname = \"deck{i}\"\nat = [{x}]\ndofs = [\"x\", \"y\", \"rz\"]\nmass = {{ x = 480.975, y = 480.975, rz = 5391.5 }}\n"
        );
        text += &format!("[[node]]\nname = \"pier{i}\"\ndofs = [\"y\"]\nmass = {}\n", 44.9 + f64::from(i));
        text += &format!(
            "[[element]]\ntype = \"spring\"\nname = \"column{i}\"\nnodes = [\"ground\", \"pier{i}\"]\ndof = \"y\"\nk = 11940\n"
        );
        text += &format!(
            "[[element]]\ntype = \"mostaghel\"\nname = \"iso-{i}\"\nnodes = [\"pier{i}\", \"deck{i}\"]\ndof = \"y\"\nk = 347200\na = 0.0045\ndelta = 0.0005\ndamped = false\n"
        );
        text += &format!(
            "[[element]]\ntype = \"matrix\"\nname = \"iso-mass-{i}\"\ndofs = [\"deck{i}.y\"]\nM = [[0.001]]\n"
        );
        if i > 8 {
            let a = i - 1;
            text += &format!(
                "[[element]]\ntype = \"beam2d\"\nname = \"span{i}\"\nnodes = [\"deck{a}\", \"deck{i}\"]\nE = \"34 GPa\"\nA = 4.63\nI = 51.9\n"
            );
        }
    }
    text +=
        "[[element]]\ntype = \"spring\"\nname = \"abutment\"\nnodes = [\"ground\", \"deck8\"]\ndof = \"x\"\nk = 1e6\n";
    text += "[damping]\nrayleigh = { a0 = 0.16, a1 = 6e-4 }\n";
    text += "[[load]]\ntype = \"ground\"\ndirection = \"y\"\nsignal = { type = \"synthetic\", peak = 3 }\n";
    text += "[[load]]\ntype = \"force\"\nat = \"deck9.y\"\nsignal = { type = \"constant\", value = 5 }\n";
    text + r#"
        [[substructure]]
        name = "deck"
        [[substructure]]
        name = "piers"
        elements = ["column9", "column11", "iso-9", "iso-11", "iso-mass-9", "iso-mass-11"]
        substeps = 10
        interface_mass = { deck9 = 0.05, deck11 = 0.1 }
        "#
        + ANALYSIS
}

#[test]
fn viaduct_with_two_piers_as_specimen() {
    use interfield_kernel::System;
    let taken = taken_apart(&viaduct());
    let [deck, piers] = &taken.parts[..] else { panic!("two parts") };
    assert_eq!(rows(&taken), [("deck9.y", 0, 1), ("deck11.y", 0, 1)]);
    let names: Vec<&str> = piers.model.dofs.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["deck9.y", "pier9.y", "deck11.y", "pier11.y"]);
    let system = assembled(piers).system;
    let mut masses = [0.0; 4];
    system.mul_mass(&[1.0; 4], &mut masses);
    let wanted = [0.001 + 0.05 * 480.975, 53.9, 0.001 + 0.1 * 480.975, 55.9].map(|m| 1e3 * m);
    assert!(masses.iter().zip(wanted).all(|(m, w)| (m - w).abs() < 1e-9 * w), "{masses:?}");
    let of = |name: &str| deck.model.dofs.iter().find(|d| d.name == name).unwrap().mass;
    assert!((of("deck9.y") - 0.95 * 480_975.0).abs() < 1e-6 && (of("deck11.y") - 0.9 * 480_975.0).abs() < 1e-6);
    // What only the deck acts on stays whole, also at an interface node.
    assert_eq!([of("deck9.x"), of("deck9.rz"), of("deck10.y")], [480_975.0, 5_391_500.0, 480_975.0]);
    // The ground is under both, the force on the first.
    assert_eq!((deck.model.loads.len(), piers.model.loads.len()), (2, 1));
}

#[test]
fn a_row_of_zeros_is_no_use() {
    // The matrix of `m` refers to a rotation that it does not act on.
    let text = r#"
        dofs = ["x", "rz"]
        [[node]]
        name = "a"
        mass = { x = 1, rz = 1 }
        [[element]]
        type = "matrix"
        name = "k"
        dofs = ["a.x", "a.rz"]
        K = [[2, -1], [-1, 2]]
        [[element]]
        type = "matrix"
        name = "m"
        dofs = ["a.rz", "a.x"]
        K = [[0, 0], [0, 3]]
        "#
    .to_owned()
        + &substructures(&["\"k\"", "\"m\""])
        + ANALYSIS;
    let taken = taken_apart(&text);
    assert_eq!(rows(&taken), [("a.x", 0, 1)]);
    assert_eq!(assembled(&taken.parts[1]).free.len(), 1);
    assert_eq!(dofs(&taken.parts[1]), [("a.x", 0.5), ("a.rz", 0.0)]);
}

/// Problems found when a model is taken apart, with the text they point to.
fn refused(text: &str) -> Vec<(String, String, String)> {
    let (found, source, diags) = attempt(text);
    let (model, places) = found.unwrap_or_else(|| panic!("{}", diags.render(&source, false)));
    let problems = match split(&model) {
        Ok(taken) => taken.warnings,
        Err(problems) => problems,
    };
    let shown = |p: &interfield_language::Problem| {
        let span = places.locate(p).span.unwrap_or(0..0);
        (p.message.clone(), p.help.clone(), source.slice(span).to_owned())
    };
    problems.iter().map(shown).collect()
}

#[test]
fn sides_without_mass() {
    let parts = |share: &str| format!("[[substructure]]\nname = \"p0\"\n[[substructure]]\nname = \"p1\"\n{share}\n");
    let springs = ["0a", "ab"];
    let none = "has no mass at its interface `a.x`";
    // A spring is there: a warning.
    let text = network("ab", &springs, &parts("elements = [\"ab\"]\ninterface_mass = 0.0"));
    let found = refused(&text);
    assert!(found.len() == 1 && found[0].0.contains(none) && found[0].1.contains("interface_mass = 0.05"), "{found:?}");
    assert_eq!(found[0].2, "0.0");
    assert!(split(&read(&text)).is_ok());
    // The node has none either.
    let without = |text: &str| text.replace("name = \"a\"\nmass = 1", "name = \"a\"");
    let found = refused(&without(&text));
    assert!(found.len() == 1 && found[0].0 == "substructure `p0` has no mass", "{found:?}");
    assert!(found[0].1.contains("give its nodes a `mass`"), "{found:?}");
    let found = refused(&without(&network("abc", &["0c", "ca", "ab"], &parts("elements = [\"ab\"]"))));
    assert!(found.len() == 2 && found.iter().all(|f| f.0.contains(none)), "{found:?}");
    assert!(found[0].1.contains("give the node a `mass`"), "{found:?}");
    // Nothing but a share of zero.
    let found = refused(&network("ab", &springs, &parts("nodes = [\"a\", \"b\"]\ninterface_mass = { a = 0 }")));
    assert!(found.len() == 1 && found[0].0.contains(none), "{found:?}");
    let alone = network("ab", &springs, &parts("nodes = [\"a\"]\ninterface_mass = 0"));
    let found = refused(&alone);
    assert!(found.len() == 1 && found[0].0 == "substructure `p1` has no mass", "{found:?}");
    assert!(found[0].1.contains("interface_mass") && found[0].2 == "\"p1\"");
    assert!(split(&read(&alone)).is_err());
}

#[test]
fn the_whole_structure_is_checked_first() {
    let text = network("ab", &["0a", "ab"], &substructures(&["\"0a\"", "\"ab\""]));
    let found = refused(&text.replace("mass = 1\n", ""));
    assert!(found[0].0.contains("no free degree of freedom has a mass"), "{found:?}");
}

#[test]
fn ratios_are_those_of_the_whole() {
    let text = network("ab", &["0a", "ab"], &substructures(&["\"0a\"", "\"ab\""]));
    let text = text + "[damping]\nrayleigh = { ratio = 0.05, modes = [1, 2] }\n";
    let taken = taken_apart(&text);
    // ω² = 100 (3 ∓ √5) / 2
    let [w1, w2] = [-1.0, 1.0].map(|s: f64| (50.0 * (3.0 + s * 5f64.sqrt())).sqrt());
    for part in &taken.parts {
        let interfield_language::model::Damping::Rayleigh { a0, a1 } = part.model.damping else { panic!("Rayleigh") };
        assert!((a0 - 0.1 * w1 * w2 / (w1 + w2)).abs() < 1e-12 && (a1 - 0.1 / (w1 + w2)).abs() < 1e-14);
    }
}

/// Added to two masses in a chain, with `§` at the places that must be reported here, and for every message, in order, a
/// part of it and of its help.
#[rustfmt::skip]
const MISTAKES: &[(&str, &[(&str, &str)])] = &[
    ("[[substructure]]\nname = \"p\"\nelements = [\"0a\"]\n[[substructure]]\nname = \"q\"\nelements = [\"ab\", §\"0a\"]\n",
        &[("element `0a` belongs to two substructures", "list each element once")]),
    ("[[substructure]]\nname = \"p\"\nelements = [\"0*\"]\n[[substructure]]\nname = \"q\"\nelements = [§\"*\"]\n",
        &[("element `0a` belongs to two substructures", "once")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\", §\"abb\"]\n",
        &[("there is no element `abb`", "did you mean `ab`?")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [§\"a\", \"ab\"]\n",
        &[("`a` is a node, not an element", "nodes = [\"a\"]")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [§\"iso-*\", \"ab\"]\n",
        &[("no element matches `iso-*`", "elements are 0a, ab")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [§\"*b\", \"ab\"]\n",
        &[("`*` that is not at its end", "trailing *")]),
    ("[[substructure]]\nname = \"p\"\nelements = [\"0a\"]\n[[substructure]]\nname = \"q\"\nelements = §[]\n",
        &[("element `ab` belongs to no substructure", "a name only"), ("this list is empty", "remove the key")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = §\"q\"\n",
        &[("two substructures claim everything", "list the `elements` of one")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = §\"p\"\nelements = [\"ab\"]\n",
        &[("the name `p` is used twice", "a different name")]),
    ("[[substructure]]\nname = §\"p.q\"\n", &[("`p.q` cannot be a name", "letters, digits")]),
    ("[[substructure]]\nname = §\"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"*\"]\n",
        &[("substructure `p` is empty", "remove it")]),
    ("[[substructure]]\nname = §\"p\"\n[[substructure]]\nname = §\"q\"\nnodes = [\"far\"]\n[[node]]\nname = \"far\"\nmass = 1\n",
        &[("substructure `p` has no interface", "meet where"), ("substructure `q` has no interface", "meet where")]),
    ("[[substructure]]\nname = \"p\"\nelements = [\"*\"]\n[[node]]\nname = §\"far\"\nmass = 1\n",
        &[("node `far` belongs to no substructure", "nodes = [\"far\"]")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = §\"q\"\nnodes = [\"held\"]\n[[node]]\nname = \"held\"\nfixed = true\n",
        &[("node `held` of substructure `q` has no mass", "give the node a `mass`")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nnodes = [§\"ground\", §\"aa\"]\n",
        &[("`ground` belongs to every substructure", "remove it"), ("there is no node `aa`", "did you mean `a`?")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\nsubsteps = §0\n",
        &[("`substeps` must be between 1 and 1000000, found 0", "substeps = 10")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\nsubsteps = §2.5\n",
        &[("whole number", "")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\ninterface_mass = §1.2\n",
        &[("`interface_mass` must be between 0 and 1, found 1.2", "interface_mass = 0.05")]),
    ("[[substructure]]\nname = \"p\"\ninterface_mass = 0.5\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\ninterface_mass = §0.25\n",
        &[("the shares of the mass of node `a` in `p`, `q` add up to 0.75", "which then gets the remainder")]),
    ("[[substructure]]\nname = \"p\"\ninterface_mass = 0.5\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\ninterface_mass = §{ a = 0.75 }\n",
        &[("in `p`, `q` add up to 1.25", "add up to 1")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\ninterface_mass = §{ b = 0.5 }\n",
        &[("node `b` is not at an interface of `q`", "its interface nodes are a")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\ninterface_mass = { §c = 0.5, a = §2 }\n",
        &[("there is no node `c`", ""), ("between 0 and 1, found 2", "0.05")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\nscheme = §\"newmrk\"\ntangent = §\"initail\"\n",
        &[("there is no scheme `newmrk`", "did you mean `newmark`?"), ("unknown value \"initail\"", "did you mean `initial`?")]),
    ("[[substructure]]\nname = \"p\"\n[[substructure]]\nname = \"q\"\nelements = [\"ab\"]\n§substep = 3\n",
        &[("unknown key `substep` in `substructure`", "did you mean `substeps`?")]),
    ("§[[substructure]]\nelements = [\"ab\", \"0a\"]\n", &[("missing key `name` in `substructure`", "name = \"piers\"")]),
    ("§[substructure]\nname = \"p\"\n", &[("expected a list of tables, found a table", "[[substructure]]")]),
    ("§[coupling]\nmethod = \"pmc\"\n", &[("there is nothing to couple", "[[substructure]]")]),
    ("[[substructure]]\nname = \"p\"\n§[coupling]\nconstraints = §\"pairs\"\n",
        &[("missing key `method` in `coupling`", "method = \"pmc\""), ("unknown value \"pairs\"", "all-pairs")]),
    ("[[substructure]]\nname = \"p\"\n[damping]\nmodal = §[0.05]\n", &[("modal damping couples all", "rayleigh = {")]),
];

#[test]
fn every_mistake_has_its_message() {
    let before = network("ab", &["0a", "ab"], "").len() - ANALYSIS.len();
    for (added, expected) in MISTAKES {
        let (mut text, mut places) = (String::new(), Vec::new());
        for piece in network("ab", &["0a", "ab"], added).split('§') {
            text += piece;
            places.push(text.len());
        }
        places.pop();
        let (_, source, diags) = attempt(&text);
        let (found, shown) = (diags.sorted(), diags.render(&source, false));
        assert_eq!(found.len(), expected.len(), "{added}\n{shown}");
        for (d, (message, help)) in found.iter().zip(*expected) {
            assert!(d.message.contains(message), "{added}\n{message}\n{shown}");
            assert!(d.help.as_deref().unwrap_or_default().contains(help), "{added}\n{help}\n{shown}");
        }
        let starts: Vec<usize> = found.iter().filter_map(|d| Some(d.span.clone()?.start)).collect();
        assert_eq!(starts.into_iter().filter(|s| *s >= before).collect::<Vec<_>>(), places, "{added}\n{shown}");
    }
}
