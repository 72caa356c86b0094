//! Materials between nodes: several directions at one place, cross-sections at one place, viscous ones in every scheme.

use std::fmt::Write;

use interfield_kernel::frame::part::{At, Part};
use interfield_kernel::scheme::registry::SCHEMES;
use interfield_language::model::{FramePart, Kind};
use interfield_testkit::golden::golden;
use interfield_testkit::run::{read, simulation};
use serde_json::Value;

use crate::materials::numbers;
use crate::members::{Store, close};

/// Forces on the degrees of freedom of the model, element after element of the one part, along a path of their displacements.
fn driven(frame: &FramePart, coordinates: &[Vec<(usize, f64)>], path: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let tables = frame.sections.tables();
    let d = frame.part.size();
    let mut memory = vec![0.0; frame.part.memory(&tables)];
    frame.part.start(&tables, &mut memory);
    let (mut p, mut k) = (vec![0.0; d], vec![0.0; d * d]);
    let mut forces = Vec::new();
    for u in path {
        let q: Vec<f64> = coordinates.iter().map(|c| c.iter().map(|&(i, f)| f * u[i]).sum()).collect();
        let old = memory.clone();
        let at = At { t: 0.0, q: &q, v: &[], calm: 0.0, load: [0.0; 3] };
        frame.part.evaluate(&tables, (&old, &mut memory), at, &mut p, &mut k);
        let mut all = vec![0.0; u.len()];
        coordinates.iter().zip(&p).for_each(|(c, p)| c.iter().for_each(|&(i, f)| all[i] += f * p));
        forces.push(all);
    }
    forces
}

fn first(text: &str) -> (FramePart, Vec<Vec<(usize, f64)>>) {
    match read(text).elements.into_iter().next().unwrap().kind {
        Kind::Frame { frame, coordinates } => (*frame, coordinates),
        other => panic!("{other:?}"),
    }
}

const TAIL: &str = "[analysis]\nscheme = \"newmark-newton\"\ndt = 0.01\nduration = 1\n";

fn material(text: &mut String, m: &Value, acts: &str) {
    let (kind, keys): (&str, &[(&str, &str)]) = match m["type"].as_str().unwrap() {
        "steel02" => {
            ("menegotto-pinto", &[("Fy", "fy"), ("E0", "E"), ("b", "b"), ("R0", "R0"), ("cR1", "cR1"), ("cR2", "cR2")])
        }
        "elastic-pp" => ("elastic-plastic", &[("E", "E")]),
        _ => (
            "pinching",
            &[
                ("pinchX", "pinch_x"),
                ("pinchY", "pinch_y"),
                ("damage1", "damage1"),
                ("damage2", "damage2"),
                ("beta", "beta"),
            ],
        ),
    };
    writeln!(text, "[[material]]\nname = \"m{}\"\ntype = \"{kind}\"\nacts = \"{acts}\"", m["tag"]).unwrap();
    let mut key = |name: &str, x: f64| writeln!(text, "{name} = {x:?}").unwrap();
    keys.iter().for_each(|(theirs, ours)| key(ours, m[*theirs].as_f64().unwrap()));
    if kind == "elastic-plastic" {
        key("fy", m["E"].as_f64().unwrap() * m["eps_yp"].as_f64().unwrap());
    }
    for (i, side) in [1, 2, 3].into_iter().flat_map(|i| [(i, 'p'), (i, 'n')]).filter(|_| kind == "pinching") {
        key(&format!("m{i}{side}"), m[format!("s{i}{side}")].as_f64().unwrap());
        key(&format!("r{i}{side}"), m[format!("e{i}{side}")].as_f64().unwrap());
    }
}

#[test]
fn springs_at_one_place_act_as_recorded() {
    let file = golden("frames/element_zero_length");
    let e = &file["model"]["elements"][0];
    let mut text = "dofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"a\"\nat = [0, 0]\nfixed = true\n[[node]]\nname = \"b\"\nat = [0, 0]\nmass = 1\n".to_owned();
    for (i, acts) in ["force", "force", "moment"].into_iter().enumerate() {
        material(&mut text, &file["model"]["materials"][i], acts);
    }
    let vector = |key: &str| numbers(e, key).iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    writeln!(text, "[[element]]\ntype = \"zero-length\"\nnodes = [\"a\", \"b\"]\nmaterials = [\"m1\", \"m2\", \"m3\"]")
        .unwrap();
    writeln!(text, "directions = [\"x\", \"y\", \"rz\"]\nalong = [{}]\nacross = [{}]", vector("x"), vector("yp"))
        .unwrap();
    let (frame, coordinates) = first(&(text + TAIL));
    let u = ["ux", "uy", "rz"].map(|key| numbers(&file, key));
    let path: Vec<Vec<f64>> = (0..u[0].len()).map(|i| vec![0.0, 0.0, 0.0, u[0][i], u[1][i], u[2][i]]).collect();
    let forces = driven(&frame, &coordinates, &path);
    for (i, name) in ["Fx", "Fy", "Mz"].into_iter().enumerate() {
        let row: Vec<f64> = forces.iter().map(|f| f[3 + i]).collect();
        close(name, &row, &numbers(&file["results"], name), 1e-9);
    }
}

/// Turned in space, springs act as those that were not turned on displacements that were.
#[test]
fn springs_turn_with_their_axes() {
    let model = |axes: &str| {
        format!(
            "dofs = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]\n[[node]]\nname = \"b\"\nat = [0, 0, 0]\nmass = 1\n\
             [[material]]\nname = \"m\"\ntype = \"bilinear\"\nacts = \"force\"\nfy = 1\nE = 100\nb = 0.1\n\
             [[material]]\nname = \"r\"\ntype = \"elastic\"\nacts = \"moment\"\nE = 7\n\
             [[element]]\ntype = \"zero-length\"\nnodes = [\"ground\", \"b\"]\nmaterials = [\"m\", \"m\", \"r\"]\n\
             directions = [\"x\", \"z\", \"ry\"]\n{axes}\n{TAIL}"
        )
    };
    let (x, y) = ([2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0], [-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
    let z = [1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0];
    let turn = |v: &[f64]| [x, y, z].map(|a| (0..3).map(|i| a[i] * v[i]).sum::<f64>());
    let path: Vec<Vec<f64>> =
        (1..60).map(|i| (1..7).map(|k| 0.03 * (0.2 * f64::from(i * k)).sin()).collect()).collect();
    let turned: Vec<Vec<f64>> = path.iter().map(|u| [turn(&u[..3]), turn(&u[3..])].concat()).collect();
    let (frame, coordinates) = first(&model(&format!("along = {x:?}\nacross = [-2, 1, 2]")));
    let forces = driven(&frame, &coordinates, &path);
    let (frame, coordinates) = first(&model(""));
    for (ours, straight) in forces.iter().zip(driven(&frame, &coordinates, &turned)) {
        let ours = [turn(&ours[..3]), turn(&ours[3..])].concat();
        assert!(ours.iter().zip(&straight).all(|(a, b)| (a - b).abs() < 1e-12), "{ours:?} {straight:?}");
    }
}

#[test]
fn a_section_between_two_nodes_gives_what_the_section_gives() {
    for (file, size) in [("frames/section_2d", 2), ("frames/section_3d", 4)] {
        let case = &golden(file)["cases"][0];
        let mut store = Store::default();
        store.add(&case["section"], &case["materials"]);
        let tables = store.tables();
        let (section, part) = (tables.sections[0], Part::Slice { section: 0, size });
        let mut memory = vec![0.0; part.memory(&tables)];
        part.start(&tables, &mut memory);
        let (mut p, mut k) = (vec![0.0; size], vec![0.0; size * size]);
        for (eps, kz) in numbers(case, "eps").into_iter().zip(numbers(case, "kz")) {
            let old = memory.clone();
            let q = [eps, kz, 0.3 * kz, 0.1 * kz];
            let at = At { t: 0.0, q: &q[..size], v: &[], calm: 0.0, load: [0.0; 3] };
            part.evaluate(&tables, (&old, &mut memory), at, &mut p, &mut k);
            let mut mine = old.clone();
            let same = match size {
                2 => section.evaluate::<2>(&tables, (&old, &mut mine), &[q[0], q[1]], 0.0).0.to_vec(),
                _ => section.evaluate::<4>(&tables, (&old, &mut mine), &q, 0.0).0.to_vec(),
            };
            assert_eq!((&p, &memory), (&same, &mine));
        }
    }
}

/// A mass on a spring and a dashpot under a harmonic force: its displacement every 0.1 s.
fn shaken(elements: &str, scheme: &str, dt: f64) -> Vec<f64> {
    let text = format!(
        "dofs = [\"x\"]\n[[node]]\nname = \"a\"\nmass = 1000\n[[load]]\ntype = \"force\"\nat = \"a.x\"\n\
         signal = {{ type = \"harmonic\", amplitude = 2e4, frequency = 1.0 }}\n{elements}\n\
         [analysis]\nscheme = {scheme}\ndt = {dt}\nduration = 3\n[record]\nchannels = [\"a.x\"]\n"
    );
    let mut run = simulation(read(&text));
    let every = (0.1 / dt).round() as u64;
    let mut out = [0.0];
    let mut row = Vec::new();
    for step in 1..=(3.0 / dt).round() as u64 {
        run.step(step - 1).unwrap_or_else(|f| panic!("{scheme}, step {step}: {f:?}"));
        if step % every == 0 {
            run.sample(step, &mut out).unwrap();
            row.push(out[0]);
        }
    }
    row
}

fn parallel(c: f64, n: f64) -> String {
    format!(
        "[[material]]\nname = \"spring\"\ntype = \"elastic\"\nacts = \"force\"\nE = 1e5\n\
         [[material]]\nname = \"oil\"\ntype = \"viscous\"\nacts = \"force\"\nc = {c:?}\nn = {n}\n\
         [[material]]\nname = \"both\"\ntype = \"parallel\"\nof = [\"spring\", \"oil\"]\n\
         [[element]]\ntype = \"uniaxial\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nmaterial = \"both\"\n"
    )
}

/// Largest difference of two rows over the largest number of the second.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let peak = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / peak
}

/// The same by elements of the library.
fn elements(c: f64, n: f64) -> String {
    format!(
        "[[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = 1e5\n\
         [[element]]\ntype = \"damper\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nc = {c:?}\nn = {n}\nv0 = 1e-3\n"
    )
}

/// A dashpot of a material beside a spring moves a mass as the elements `damper` and `spring` do, in every scheme.
#[test]
fn viscous_materials_move_as_dampers_in_every_scheme() {
    // A Rosenbrock scheme of one's own needs coefficients; those with names stand for it.
    for scheme in SCHEMES.iter().map(|s| s.name).filter(|s| *s != "rosenbrock") {
        let scheme = &format!("{scheme:?}");
        for n in [1.0, 0.35] {
            let material = parallel(3000.0, n).replace("\nn = ", "\nv0 = 1e-3\nn = ");
            let error = apart(&shaken(&material, scheme, 0.002), &shaken(&elements(3000.0, n), scheme, 0.002));
            assert!(error < 1e-6, "{scheme}, n = {n}: {error}");
        }
    }
}

/// Without `v0` a scheme that iterates follows the pure power, and the others a power that is linear below 1 mm/s: the motions are alike.
#[test]
fn a_power_of_the_rate_is_followed_with_and_without_iteration() {
    let exact = shaken(&parallel(3000.0, 0.35), "\"newmark-newton\"", 0.001);
    let error = apart(&shaken(&parallel(3000.0, 0.35), "\"lsrt2\"", 0.002), &exact);
    assert!(error < 2e-3, "{error}");
}
