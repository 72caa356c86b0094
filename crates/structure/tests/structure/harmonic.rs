//! Harmonic responses: closed forms, and what must hold between the parts of a structure and the whole.

use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Structure;
use interfield_structure::harmonic::{Body, Complex, Resonance, frequencies};

fn structure(text: &str) -> Structure {
    let (source, diags) = (Source::new("test.toml", text), Diagnostics::new());
    let model = parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    let (model, _) = model.unwrap_or_else(|| panic!("{}", diags.render(&source, false)));
    Structure::new(model).unwrap_or_else(|problems| panic!("{}", problems[0].message))
}

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn inverse(z: Complex) -> Complex {
    let square = z.0 * z.0 + z.1 * z.1;
    (z.0 / square, -z.1 / square)
}

fn close(found: Complex, exact: Complex) {
    let error = (found.0 - exact.0).hypot(found.1 - exact.1) / exact.0.hypot(exact.1);
    assert!(error < 1e-9, "{found:?} is not {exact:?}");
}

/// An oscillator of 4 kg and 100 N/m with `more` elements and damping.
fn oscillator(more: &str) -> Structure {
    structure(&format!(
        "dofs = [\"x\"]\n[[node]]\nname = \"a\"\nmass = 4\n[[element]]\ntype = \"spring\"\nname = \"s\"\n\
        nodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = 100\nc = 3\n{more}\n[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\nduration = 1\n"
    ))
}

#[test]
fn an_oscillator_answers_by_its_closed_form() {
    let maxwell = "[[element]]\ntype = \"formula\"\nname = \"maxwell\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\n\
        force = \"p\"\nstates = { p = \"50*v - 50/2*p\" }\n";
    let modal = "[damping]\nmodal = [0.2]\n";
    for omega in [0.1, 3.0, 5.0, 40.0] {
        let stiffness = |more: Complex| (100.0 - 4.0 * omega * omega + more.0, 3.0 * omega + more.1);
        let [plain, relaxing, damped] = ["", maxwell, modal].map(oscillator);
        let one = |s: &Structure| s.harmonic(Body::Coupled).response(omega, 0).unwrap()[0];
        close(one(&plain), inverse(stiffness((0.0, 0.0))));
        // A spring of 50 N/m behind a dashpot of 2 N s/m.
        let branch = times((0.0, 50.0 * omega), inverse((50.0 / 2.0, omega)));
        close(one(&relaxing), inverse(stiffness(branch)));
        // 2 ξ ω m = 2 * 0.2 * 5 * 4.
        close(one(&damped), inverse(stiffness((0.0, 8.0 * omega))));
    }
    let undamped = structure(
        "dofs = [\"x\"]\n[[node]]\nname = \"a\"\nmass = 4\n[[element]]\ntype = \"spring\"\nname = \"s\"\n\
        nodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = 100\n[analysis]\nscheme = \"lsrt2\"\ndt = 0.01\nduration = 1\n",
    );
    let unbounded = undamped.harmonic(Body::Coupled).response(5.0, 0).unwrap_err();
    assert!(unbounded.to_string().contains("`a.x` is unbounded"), "{unbounded}");
}

/// Receptances between some degrees of freedom of a body, row by row.
fn receptances(structure: &Structure, body: Body, dofs: &[usize], omega: f64) -> Vec<Complex> {
    let mut harmonic = structure.harmonic(body);
    let unknowns: Vec<usize> = dofs.iter().map(|d| harmonic.unknown(*d).unwrap()).collect();
    let columns: Vec<Vec<Complex>> = unknowns.iter().map(|f| harmonic.response(omega, *f).unwrap()).collect();
    unknowns.iter().flat_map(|i| columns.iter().map(move |c| c[*i])).collect()
}

/// Of a 2 by 2 matrix.
fn inverted(m: &[Complex]) -> Vec<Complex> {
    let minus = |z: Complex| (-z.0, -z.1);
    let (ad, bc) = (times(m[0], m[3]), times(m[1], m[2]));
    let scale = inverse((ad.0 - bc.0, ad.1 - bc.1));
    [m[3], minus(m[1]), minus(m[2]), m[0]].map(|z| times(z, scale)).to_vec()
}

#[test]
fn at_the_interface_the_stiffnesses_of_the_parts_add_up() {
    for file in ["three-dof", "trento-rig", "rio-torto-isolated"] {
        let path = format!("{}/../../models/{file}.toml", env!("CARGO_MANIFEST_DIR"));
        let structure = structure(&std::fs::read_to_string(path).unwrap());
        let dofs = structure.interface_dofs();
        assert_eq!((dofs.len(), structure.bodies().len()), (2, 3), "{file}");
        for hertz in [0.05, 0.61, 3.3, 21.0, 170.0] {
            let omega = std::f64::consts::TAU * hertz;
            let [whole, a, b] = [Body::Coupled, Body::Part(0), Body::Part(1)]
                .map(|body| inverted(&receptances(&structure, body, &dofs, omega)));
            let size = whole.iter().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max);
            for i in 0..4 {
                let off = (whole[i].0 - a[i].0 - b[i].0).hypot(whole[i].1 - a[i].1 - b[i].1);
                assert!(off < 1e-8 * size, "{file}, {hertz} Hz, entry {i}: {off:e} of {size:e}");
            }
        }
    }
}

#[test]
fn no_peak_falls_between_two_frequencies() {
    let sharp = Resonance { omega: 7.0, ratio: 1e-3 };
    let undamped = Resonance { omega: 20.0, ratio: 0.0 };
    let found = frequencies(1.0, 100.0, 11, &[sharp, undamped, Resonance { omega: 500.0, ratio: 0.1 }]);
    assert!(found.is_sorted() && found[0] == 1.0 && (found.last().unwrap() - 100.0).abs() < 1e-9);
    assert!(found.contains(&7.0) && found.iter().filter(|w| (*w / 7.0 - 1.0).abs() < 0.01).count() > 10);
    // There the response is unbounded: beside it, not at it.
    assert!(!found.contains(&20.0) && found.iter().any(|w| (w / 20.0 - 1.0).abs() < 1e-4));
}
