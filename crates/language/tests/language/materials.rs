//! Materials that are refused: where, why, and what to write instead; and formulas.

use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};

/// Messages of a model with one mass and these tables, each as `line message | help`.
fn refused(tables: &str) -> Vec<String> {
    let text = format!(
        "dofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"a\"\nat = [0, 0]\nfixed = [\"y\", \"rz\"]\nmass = 1\n{tables}\n\
         [[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = 1\n\
         [analysis]\nscheme = \"newmark-newton\"\ndt = 0.01\nduration = 1\n"
    );
    let (source, diags) = (Source::new("m.toml", text), Diagnostics::new());
    parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    let list = diags.located(&source).into_iter().filter(|d| d.severity == "error");
    list.map(|d| format!("{} {} | {}", d.line.unwrap_or(0), d.message, d.help.unwrap_or_default())).collect()
}

/// One material; its parameters begin in line 10.
fn material(keys: &str) -> Vec<String> {
    refused(&format!("[[material]]\nname = \"m\"\n{keys}"))
}

#[track_caller]
fn says(found: &[String], line: usize, message: &str, help: &str) {
    let fits = |m: &String| m.starts_with(&format!("{line} ")) && m.contains(message) && m.contains(help);
    assert!(found.len() == 1 && found.iter().all(fits), "{found:#?}\nexpected in line {line}: {message} | {help}");
}

#[test]
fn concrete_is_negative_and_softens() {
    let concrete = |fc: &str, ec0: &str, fcu: &str, ecu: &str| {
        material(&format!("type = \"kent-park\"\nfc = \"{fc}\"\nec0 = {ec0}\nfcu = \"{fcu}\"\necu = {ecu}"))
    };
    assert_eq!(concrete("-30 MPa", "-0.002", "-6 MPa", "-0.006"), [""; 0]);
    assert_eq!(concrete("-30 MPa", "-0.002", "0 MPa", "-0.006"), [""; 0]);
    says(
        &concrete("30 MPa", "-0.002", "-6 MPa", "-0.006"),
        10,
        "`fc` (strength in compression) must be negative",
        "write fc = \"-",
    );
    says(
        &concrete("-30 MPa", "0.002", "-6 MPa", "-0.006"),
        11,
        "`ec0` (strain at the strength) must be negative",
        "-0.002",
    );
    says(
        &concrete("-30 MPa", "-0.002", "6 MPa", "-0.006"),
        12,
        "`fcu` (residual stress) must be negative",
        "write fcu",
    );
    says(&concrete("-30 MPa", "-0.002", "-6 MPa", "-0.002"), 13, "no branch after its strength", "ecu = -0.006");
    says(&concrete("-30 MPa", "-0.002", "-36 MPa", "-0.006"), 12, "greater than the strength", "between `fc` and zero");
    says(&concrete("0 MPa", "-0.002", "0 MPa", "-0.006"), 10, "must be negative", "-30 MPa");
}

#[test]
fn steel_and_springs_have_stiffness_and_order() {
    says(&material("type = \"bilinear\"\nfy = 1\nE = 0\nb = 0.1"), 11, "`E` (modulus)", "");
    says(&material("type = \"bilinear\"\nfy = 1\nE = 10\nb = 1"), 12, "`b` (hardening ratio)", "");
    says(&material("type = \"menegotto-pinto\"\nfy = 1\nE = 10\nb = 1.0"), 12, "`b` (hardening ratio)", "");
    says(&material("type = \"elastic\"\nE = 0"), 10, "without stiffness", "`Ec`");
    assert_eq!(material("type = \"elastic\"\nE = 0\nEc = 5"), [""; 0]);
    says(
        &material("type = \"self-centring\"\nk1 = 1\nk2 = 2\nfa = 1\nbeta = 0.5"),
        11,
        "`k2` must be less",
        "activation",
    );
    says(&material("type = \"elastic-plastic-gap\"\nE = 1\nfy = 1\ngap = -1"), 12, "must have one sign", "compression");
    says(&material("type = \"viscous\"\nc = -1"), 10, "`c` (stress at unit rate)", "");
}

#[test]
fn backbones_grow_and_take_energy() {
    let pinching = |p: [f64; 6], n: [f64; 6]| {
        let side = |p: [f64; 6], s: char| {
            (0..3)
                .map(|i| format!("m{0}{s} = {1:?}\nr{0}{s} = {2:?}\n", i + 1, p[2 * i], p[2 * i + 1]))
                .collect::<String>()
        };
        material(&format!("type = \"pinching\"\n{}{}", side(p, 'p'), side(n, 'n')))
    };
    let (p, n) = ([10.0, 0.01, 12.0, 0.02, 5.0, 0.05], [-10.0, -0.01, -12.0, -0.02, -5.0, -0.05]);
    assert_eq!(pinching(p, n), [""; 0]);
    says(
        &pinching([10.0, 0.01, 12.0, 0.01, 5.0, 0.05], n),
        13,
        "positive side are not in order",
        "grow away from zero",
    );
    says(&pinching(p, [-10.0, 0.01, -12.0, -0.02, -5.0, -0.05]), 17, "negative side are not in order", "negative");
    says(&pinching(p, [-10.0, -0.01, -12.0, -0.02, 5.0, -0.05]), 20, "give energy away", "negative");
    says(&pinching([0.0, 0.01, 12.0, 0.02, 5.0, 0.05], n), 10, "wrong sign", "not zero");
}

#[test]
fn combinations_name_materials_that_fit() {
    let plain = "[[material]]\nname = \"s\"\ntype = \"elastic\"\nE = 1\n[[material]]\nname = \"f\"\ntype = \"elastic\"\nacts = \"force\"\nE = 1\n\
                 [[material]]\nname = \"v\"\ntype = \"viscous\"\nc = 1\n[[material]]\nname = \"m\"\n";
    let made = |keys: &str| refused(&format!("{plain}{keys}"));
    // Keys begin in line 22.
    says(&made("type = \"parallel\"\nof = []"), 23, "at least one material", "of =");
    says(&made("type = \"parallel\"\nof = [\"s\", \"f\"]"), 23, "`s` gives a stress, and `f` a force", "acts");
    says(&made("type = \"parallel\"\nof = [\"s\", \"steal\"]"), 23, "there is no material `steal`", "");
    says(&made("type = \"parallel\"\nof = [\"s\", \"m\"]"), 23, "a part of itself", "other materials");
    says(
        &made("type = \"parallel\"\nof = [\"s\", \"s\"]\nfactors = [1]"),
        24,
        "1 factors for 2 materials",
        "one factor for each",
    );
    says(&made("type = \"series\"\nof = [\"s\", \"v\"]"), 23, "depends on the rate", "maxwell");
    says(&made("type = \"parallel\"\nof = \"s\"\nacts = \"force\""), 24, "its parts give a stress", "remove `acts`");
    says(
        &made("type = \"limited\"\nof = \"s\"\nemin = 0.1\nemax = 0.2"),
        24,
        "zero strain must lie between",
        "emin = -0.05",
    );
    says(&made("type = \"limited\"\nof = \"s\""), 20, "no limit", "`emin`");
    says(&made("type = \"initial-strain\"\nof = \"s\"\ne0 = 1\ns0 = 1"), 20, "either a strain or a stress", "`s0`");
    let loops = refused(
        "[[material]]\nname = \"a\"\ntype = \"parallel\"\nof = \"b\"\n[[material]]\nname = \"b\"\ntype = \"parallel\"\nof = \"a\"",
    );
    assert!(loops.len() == 1 && loops.iter().all(|m| m.contains("lead back")), "{loops:#?}");
}

#[test]
fn formulas_of_materials_are_zero_and_finite_at_rest() {
    let formula = |keys: &str| material(&format!("type = \"formula\"\n{keys}"));
    assert_eq!(formula("stress = \"E * e\"\nparameters = { E = \"200 GPa\" }"), [""; 0]);
    says(&formula("stress = \"3 + e\""), 10, "not zero at zero strain", "initial-strain");
    says(&formula("stress = \"e / e\""), 10, "no finite stress", "max(e, 1e-9)");
    says(&formula("stress = \"sqrt(e)\""), 10, "slope of this formula is not finite", "sqrt(abs(e) + 1e-9)");
    says(&formula("stress = \"E * e\""), 10, "E", "");
    says(&formula("stress = \"e\"\nstates = { rate = \"1\" }"), 11, "cannot be the name of a state", "another name");
}

#[test]
fn elements_without_length_stand_at_one_place() {
    let springs = |keys: &str| {
        refused(&format!(
            "[[node]]\nname = \"b\"\nat = [0, 0]\nfixed = true\n[[node]]\nname = \"far\"\nat = [\"10 mm\", 0]\nfixed = true\n\
             [[material]]\nname = \"f\"\ntype = \"elastic\"\nacts = \"force\"\nE = 1\n[[element]]\ntype = \"zero-length\"\n{keys}"
        ))
    };
    let all = "nodes = [\"a\", \"b\"]\nmaterials = [\"f\", \"f\"]\ndirections = [\"x\", \"y\"]\n";
    assert_eq!(springs(all), [""; 0]);
    says(&springs(&all.replace("\"b\"", "\"far\"")), 22, "apart", "across a distance");
    says(&springs(&all.replace("\"y\"", "\"z\"")), 24, "there is no direction `z`", "x, y, rz");
    says(&springs(&all.replace("\"y\"", "\"x\"")), 24, "is there twice", "parallel");
    says(&springs(&all.replace("\"y\"", "\"rz\"")), 23, "gives a force, and a moment is needed", "acts = \"moment\"");
    says(&springs(&all.replace(", \"y\"", "")), 23, "2 materials for 1 directions", "one material for each");
    says(&springs(&format!("{all}along = [0, 0, 1]")), 25, "about z only", "along = [0, 1]");
    says(&springs(&format!("{all}along = [1, 0]\nacross = [2, 0]")), 25, "not parallel", "across");
}
