//! Frames under gravity, pushed and shaken: golden models written as model files.

use std::fmt::Write;

use interfield_language::Model;
use interfield_language::model::Kind;
use interfield_structure::Simulation;
use interfield_testkit::golden::golden;
use interfield_testkit::run::{read, simulation};
use serde_json::Value;

use crate::materials::numbers;

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("no number: {v}"))
}

/// A golden model as the text of a model file, without loads and analysis.
fn written(model: &Value) -> String {
    let space = model["ndm"] == 3;
    let dofs: &[&str] = if space { &["x", "y", "z", "rx", "ry", "rz"] } else { &["x", "y", "rz"] };
    let mut text = format!("dofs = {dofs:?}\n");
    for n in list(&model["nodes"]) {
        writeln!(text, "[[node]]\nname = \"n{}\"\nat = {}", n["tag"], n["xyz"]).unwrap();
        let masses: Vec<String> = list(&n["mass"])
            .iter()
            .zip(dofs)
            .filter(|(m, _)| number(m) != 0.0)
            .map(|(m, d)| format!("{d} = {m}"))
            .collect();
        if !masses.is_empty() {
            writeln!(text, "mass = {{ {} }}", masses.join(", ")).unwrap();
        }
        if let Some(fix) = list(&model["fix"]).iter().find(|f| f["node"] == n["tag"]) {
            let held: Vec<&str> =
                list(&fix["dofs"]).iter().zip(dofs).filter(|(f, _)| number(f) != 0.0).map(|(_, d)| *d).collect();
            writeln!(text, "fixed = {held:?}").unwrap();
        }
    }
    list(&model["materials"]).iter().for_each(|m| material(&mut text, m));
    list(&model["sections"]).iter().for_each(|s| section(&mut text, s));
    for e in list(&model["elements"]) {
        element(&mut text, e, model);
    }
    for c in list(&model["equal_dof"]) {
        let dofs: Vec<&str> = list(&c["dofs"]).iter().map(|d| dofs[d.as_u64().unwrap() as usize - 1]).collect();
        writeln!(
            text,
            "[[constraint]]\ntype = \"equal\"\nleads = \"n{}\"\nfollows = [\"n{}\"]\ndofs = {dofs:?}",
            c["retained"], c["constrained"]
        )
        .unwrap();
    }
    for c in list(&model["rigid_diaphragm"]) {
        let follows: Vec<String> = list(&c["constrained"]).iter().map(|n| format!("n{n}")).collect();
        writeln!(text, "[[constraint]]\ntype = \"diaphragm\"\nleads = \"n{}\"\nfollows = {follows:?}", c["retained"])
            .unwrap();
    }
    text
}

fn material(text: &mut String, m: &Value) {
    let names: &[(&str, &str)] = match m["type"].as_str().unwrap() {
        "concrete01" | "concrete02" => &[
            ("fc", "fc"),
            ("epsc0", "ec0"),
            ("fcu", "fcu"),
            ("epscu", "ecu"),
            ("lam", "lambda"),
            ("ft", "ft"),
            ("Ets", "Ets"),
        ],
        "steel01" | "steel02" => &[
            ("Fy", "fy"),
            ("E0", "E"),
            ("b", "b"),
            ("R0", "R0"),
            ("cR1", "cR1"),
            ("cR2", "cR2"),
            ("a1", "a1"),
            ("a2", "a2"),
            ("a3", "a3"),
            ("a4", "a4"),
        ],
        _ => &[("E", "E")],
    };
    let kind = match m["type"].as_str().unwrap() {
        "concrete01" => "kent-park",
        "concrete02" => "kent-park-tension",
        "steel01" => "bilinear",
        "steel02" => "menegotto-pinto",
        other => other,
    };
    writeln!(text, "[[material]]\nname = \"m{}\"\ntype = \"{kind}\"", m["tag"]).unwrap();
    for (theirs, ours) in names {
        if !m[*theirs].is_null() {
            writeln!(text, "{ours} = {:?}", number(&m[*theirs])).unwrap();
        }
    }
}

fn section(text: &mut String, s: &Value) {
    writeln!(text, "[[cross-section]]\nname = \"s{}\"", s["tag"]).unwrap();
    if !s["GJ"].is_null() {
        writeln!(text, "torsion = {:?}", number(&s["GJ"])).unwrap();
    }
    writeln!(text, "centroid = true\nfibres = [").unwrap();
    for p in list(&s["patches"]) {
        writeln!(
            text,
            "  {{ shape = \"rectangle\", material = \"m{}\", from = {}, to = {}, divisions = [{}, {}] }},",
            p["mat"], p["from"], p["to"], p["ny"], p["nz"]
        )
        .unwrap();
    }
    for l in list(&s["layers"]) {
        writeln!(
            text,
            "  {{ shape = \"line\", material = \"m{}\", bars = {}, area = {}, from = {}, to = {} }},",
            l["mat"], l["n"], l["area"], l["from"], l["to"]
        )
        .unwrap();
    }
    writeln!(text, "]").unwrap();
}

/// A bearing, with its own materials.
fn bearing(text: &mut String, e: &Value, model: &Value) {
    let tag = &e["tag"];
    for (key, acts) in [("P", "force"), ("T", "moment"), ("Mz", "moment")] {
        let material = list(&model["materials"]).iter().find(|m| m["tag"] == e["mats"][key]);
        if let Some(m) = material {
            let (kind, ec) = if m["type"] == "ENT" { ("elastic", "E = 0\nEc = ") } else { ("elastic", "E = ") };
            writeln!(
                text,
                "[[material]]\nname = \"b{tag}-{key}\"\ntype = \"{kind}\"\nacts = \"{acts}\"\n{ec}{}",
                m["E"]
            )
            .unwrap();
        }
    }
    let f = |key: &str| number(&e[key]);
    let kind = match e["type"].as_str().unwrap() {
        "elastomeric-bearing" => format!(
            "type = \"elastomeric-bearing\"\nk = {}\nqd = {}\nalpha1 = {}\nalpha2 = {}\nmu = {}",
            f("kInit"),
            f("qd"),
            f("alpha1"),
            f("alpha2"),
            f("mu")
        ),
        _ => {
            let friction = list(&model["friction"]).iter().find(|m| m["tag"] == e["friction"]).unwrap();
            let mut text = format!("type = \"friction-pendulum\"\nradius = {}\nk = {}\n", f("Reff"), f("kInit"));
            if friction["mu"].is_null() {
                let of = |key: &str| number(&friction[key]);
                write!(text, "friction = {}\nfriction_slow = {}\nrate = {}", of("mu_fast"), of("mu_slow"), of("rate"))
                    .unwrap();
            } else {
                write!(text, "friction = {}", friction["mu"]).unwrap();
            }
            text
        }
    };
    writeln!(
        text,
        "[[element]]\n{kind}\nname = \"b{tag}\"\nnodes = [\"n{}\", \"n{}\"]\ndamped = false",
        e["nodes"][0], e["nodes"][1]
    )
    .unwrap();
    writeln!(text, "axial = \"b{tag}-P\"\nrotation = \"b{tag}-Mz\"\nshear_distance = {}", e["shear_dist"]).unwrap();
    if !e["mats"]["T"].is_null() {
        writeln!(text, "torsion = \"b{tag}-T\"").unwrap();
    }
}

fn element(text: &mut String, e: &Value, model: &Value) {
    if !e["mats"].is_null() {
        return bearing(text, e, model);
    }
    let transform = list(&model["transforms"]).iter().find(|t| t["tag"] == e["transform"]).unwrap();
    let kind = match transform["type"].as_str().unwrap() {
        "PDelta" => "p-delta",
        "Linear" => "linear",
        _ => "corotational",
    };
    let ends = format!("nodes = [\"n{}\", \"n{}\"]", e["nodes"][0], e["nodes"][1]);
    let elastic = e["type"].as_str().unwrap().starts_with("elastic-beam");
    if elastic {
        writeln!(text, "[[cross-section]]\nname = \"e{}\"\nE = {}\nA = {}", e["tag"], e["E"], e["A"]).unwrap();
        if e["Iz"].is_null() {
            writeln!(text, "Iz = {}", e["I"]).unwrap();
        } else {
            writeln!(text, "Iz = {}\nIy = {}\ntorsion = {:?}", e["Iz"], e["Iy"], number(&e["G"]) * number(&e["J"]))
                .unwrap();
        }
    }
    writeln!(text, "[[element]]\ntype = \"member\"\nname = \"b{}\"\n{ends}\ntransformation = \"{kind}\"", e["tag"])
        .unwrap();
    if !transform["offsets"].is_null() {
        writeln!(text, "offsets = {}", transform["offsets"]).unwrap();
    }
    if !transform["vecxz"].is_null() {
        writeln!(text, "vecxz = {}", transform["vecxz"]).unwrap();
    }
    if elastic {
        writeln!(
            text,
            "cross_section = \"e{}\"\nformulation = \"displacement\"\nrule = \"legendre\"\npoints = 2",
            e["tag"]
        )
        .unwrap();
        return;
    }
    let i = &e["integration"];
    writeln!(text, "cross_section = \"s{}\"\npoints = {}\nformulation = \"force-iterated\"", i["section"], i["n"])
        .unwrap();
}

/// Gravity of a golden file.
fn gravity(file: &Value) -> String {
    let space = file["model"]["ndm"] == 3;
    let dofs: &[&str] = if space { &["x", "y", "z", "rx", "ry", "rz"] } else { &["x", "y", "rz"] };
    let mut text = String::new();
    for l in list(&file["gravity"]["loads"]) {
        for (f, d) in list(&l["force"]).iter().zip(dofs).filter(|(f, _)| number(f) != 0.0) {
            writeln!(text, "[[load]]\ntype = \"gravity\"\nat = \"n{}.{d}\"\nforce = {f}", l["node"]).unwrap();
        }
    }
    for l in list(&file["gravity"]["ele_loads"]) {
        writeln!(text, "[[load]]\ntype = \"gravity\"\nelements = [\"b{}\"]\ny = {}", l["element"], l["w"][0]).unwrap();
    }
    text
}

/// A golden file of a run under ground motion.
fn shaken(file: &Value, scheme: &str, channels: &str) -> Simulation {
    let mut text = written(&file["model"]);
    text += &gravity(file);
    let (a0, a1) = (&file["damping"]["a0_mass"], &file["damping"]["a1_stiffness"]);
    writeln!(text, "[damping]\nrayleigh = {{ a0 = {a0}, a1 = {a1} }}").unwrap();
    for (i, m) in list(&file["motions"]).iter().enumerate() {
        let (dt, scale) = (number(&m["dt"]), number(&m["scale"]));
        let direction = ["x", "y", "z"][m["direction"].as_u64().unwrap() as usize - 1];
        // OpenSees starts without acceleration, whatever the load: nothing acts at the very first moment.
        let mut points = vec![[0.0, 0.0], [1e-9, scale * number(&m["values"][0])]];
        points.extend(list(&m["values"]).iter().enumerate().skip(1).map(|(k, v)| [k as f64 * dt, scale * number(v)]));
        let (times, values): (Vec<f64>, Vec<f64>) = points.iter().map(|p| (p[0], p[1])).unzip();
        writeln!(text, "[[load]]\nname = \"quake{i}\"\ntype = \"ground\"\ndirection = \"{direction}\"").unwrap();
        writeln!(text, "signal = {{ type = \"table\", times = {times:?}, values = {values:?} }}").unwrap();
    }
    let duration = number(&file["dt"]) * number(&file["steps"]);
    writeln!(
        text,
        "[analysis]\nscheme = {{ name = \"{scheme}\", tolerance = 1e-12 }}\ndt = {}\nduration = {duration}",
        file["dt"]
    )
    .unwrap();
    writeln!(text, "[record]\nchannels = {channels}").unwrap();
    simulation(read(&text))
}

#[test]
fn rigid_ends_carry_as_recorded() {
    for case in golden("frames/element_offsets")["cases"].as_array().unwrap() {
        let (load, tips) = (numbers(case, "load"), list(&case["results"]["u_tip"]));
        let dofs = ["x", "y", "rz"];
        let (mut u, mut forces) = (vec![0.0; 9], Vec::new());
        for (step, tip) in tips.iter().enumerate() {
            let mut text = written(&case["model"]).replace("name = \"n2\"", "name = \"n2\"\nmass = 1");
            for (f, d) in load.iter().zip(dofs) {
                let force = f * (step + 1) as f64 / tips.len() as f64;
                writeln!(text, "[[load]]\ntype = \"gravity\"\nat = \"n2.{d}\"\nforce = {force:?}").unwrap();
            }
            text += "[analysis]\nscheme = \"newmark-newton\"\ndt = 0.01\nduration = 1\n[record]\nchannels = [\"n2.x\", \"n2.y\", \
                     \"n2.rz\", \"b1.force.1\", \"b1.force.2\", \"b1.force.3\", \"b1.force.4\", \"b1.force.5\", \"b1.force.6\"]\n";
            let model = read(&text);
            let Kind::Frame { coordinates, .. } = model.elements[0].kind.clone() else { panic!("a member") };
            simulation(model).sample(0, &mut u).unwrap();
            for (ours, theirs) in u.iter().zip(list(tip)) {
                assert!(
                    (ours - number(theirs)).abs() <= 1e-8 * number(theirs).abs(),
                    "{} {ours} {theirs}",
                    case["label"]
                );
            }
            // The forces of the member on the degrees of freedom of its first node, through its offset.
            forces = vec![0.0; 6];
            let sum = coordinates.iter().zip(&u[3..]).flat_map(|(c, p)| c.iter().map(move |&(d, f)| (d, f * p)));
            sum.for_each(|(d, p)| forces[d] += p);
        }
        for (ours, theirs) in forces.iter().zip(numbers(&case["results"], "reaction")) {
            assert!((ours - theirs).abs() <= 1e-8 * theirs.abs(), "{} reaction {ours} {theirs}", case["label"]);
        }
    }
}

/// A golden run under ground motion: each of its channels as a sum of ours.
fn answers(name: &str, channels: &[(&str, &[(&str, f64)])], tolerance: f64) {
    let file = golden(name);
    let ours: Vec<&str> = channels.iter().flat_map(|c| c.1.iter().map(|t| t.0)).collect();
    let mut run = shaken(&file, "newmark-newton", &format!("{ours:?}"));
    let every = file["every"].as_u64().unwrap();
    let mut out = vec![0.0; ours.len()];
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); channels.len()];
    for step in 1..=file["steps"].as_u64().unwrap() {
        run.step(step - 1).unwrap_or_else(|f| panic!("step {step}: {f:?}"));
        if step % every == 0 {
            run.sample(step, &mut out).unwrap();
            let mut from = out.iter();
            for (row, (_, terms)) in rows.iter_mut().zip(channels) {
                row.push(terms.iter().map(|t| t.1 * from.next().unwrap()).sum());
            }
        }
    }
    for (row, (channel, _)) in rows.iter().zip(channels) {
        let expected = numbers(&file["results"], channel);
        let peak = number(&file["peak_of_all_steps"][channel]);
        let worst = row.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{channel}: {:.1e}", worst / peak);
        assert!(worst <= tolerance * peak, "{channel}: {worst} of {peak}");
    }
}

#[test]
fn a_reinforced_portal_answers_the_quake_as_recorded() {
    let channels: &[(&str, &[(&str, f64)])] = &[
        ("ux3", &[("n3.x", 1.0)]),
        ("uy3", &[("n3.y", 1.0)]),
        ("rot3", &[("n3.rz", 1.0)]),
        ("base_shear", &[("b1.force.2", -1.0), ("b2.force.2", -1.0)]),
        ("M1", &[("b1.force.3", 1.0)]),
        ("ax3", &[("n3.x.a", 1.0)]),
    ];
    answers("frames/frame_rc_portal_elcentro", channels, 1e-7);
}

#[test]
fn a_steel_frame_with_equal_floors_answers_the_quake_as_recorded() {
    let base = ["b1010.force.2", "b1011.force.2", "b1012.force.2", "b1013.force.2"].map(|c| (c, -1.0));
    let channels: &[(&str, &[(&str, f64)])] = &[
        ("ux1", &[("n101.x", 1.0)]),
        ("ux2", &[("n201.x", 1.0)]),
        ("ux3", &[("n301.x", 1.0)]),
        ("ux5", &[("n501.x", 1.0)]),
        ("rot_roof", &[("n501.rz", 1.0)]),
        ("base_shear", &base),
        ("overturning_col0_Ry", &[("b1010.force.1", 1.0)]),
        ("beam_M", &[("b2010.force.3", 1.0)]),
        ("ax5", &[("n501.x.a", 1.0)]),
    ];
    answers("frames/frame_steel_3x5_elcentro", channels, 1e-6);
}

#[test]
fn a_space_frame_with_diaphragms_answers_two_motions_as_recorded() {
    let channels: &[(&str, &[(&str, f64)])] = &[
        ("ux1", &[("n19.x", 1.0)]),
        ("uy1", &[("n19.y", 1.0)]),
        ("rz1", &[("n19.rz", 1.0)]),
        ("ux2", &[("n29.x", 1.0)]),
        ("uy2", &[("n29.y", 1.0)]),
        ("rz2", &[("n29.rz", 1.0)]),
        ("ux_corner", &[("n23.x", 1.0)]),
    ];
    answers("frames/frame_3d_2storey", channels, 1e-6);
}

/// Load factor and channels after each step of a push.
pub(crate) fn rows(model: Model, channels: &[&str], name: &str) -> Vec<Vec<f64>> {
    let mut push = simulation(model);
    let all: Vec<String> = push.channels().iter().map(|c| c.name.clone()).collect();
    let of = |name: &str| all.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"));
    let wanted: Vec<usize> = ["pushover.factor"].iter().chain(channels).map(|c| of(c)).collect();
    let mut out = vec![0.0; all.len()];
    (0..push.steps())
        .map(|step| {
            push.step(step).unwrap_or_else(|f| panic!("{name} step {step}: {}", push.explain(f)));
            push.sample(step + 1, &mut out).unwrap();
            wanted.iter().map(|i| out[*i]).collect()
        })
        .collect()
}

#[test]
fn an_isolated_frame_answers_the_quake_as_recorded() {
    let channels: &[(&str, &[(&str, f64)])] = &[
        ("ub1", &[("n11.x", 1.0)]),
        ("ux1", &[("n21.x", 1.0)]),
        ("ux2", &[("n31.x", 1.0)]),
        ("shear1", &[("b1.force.2", -1.0)]),
        ("shear2", &[("b2.force.2", -1.0)]),
        ("N1", &[("b1.force.1", 1.0)]),
        ("ax2", &[("n31.x.a", 1.0)]),
    ];
    answers("frames/bearing_isolated_frame", channels, 1e-4);
}

#[test]
fn frames_on_friction_pendula_answer_as_opensees() {
    let plane: &[(&str, &[(&str, f64)])] = &[
        ("ub1", &[("n11.x", 1.0)]),
        ("ux1", &[("n21.x", 1.0)]),
        ("shear1", &[("b1.force.2", -1.0)]),
        ("N1", &[("b1.force.1", 1.0)]),
    ];
    answers("frames/pendulum_frame_coulomb", plane, 1e-7);
    answers("frames/pendulum_frame_rate", plane, 1e-7);
    let space: &[(&str, &[(&str, f64)])] = &[
        ("ub1", &[("n11.x", 1.0)]),
        ("ux1", &[("n21.x", 1.0)]),
        ("vb3", &[("n13.y", 1.0)]),
        ("rz", &[("n21.rz", 1.0)]),
        ("N1", &[("b1.force.1", 1.0)]),
    ];
    answers("frames/pendulum_frame_space", space, 1e-7);
}

/// A golden file that is pushed: load factor, and channels.
pub(crate) fn pushed(name: &str, channels: &[&str]) -> (Value, Vec<Vec<f64>>) {
    let file = golden(name);
    let mut text = written(&file["model"]) + &gravity(&file);
    writeln!(text, "[pushover]\ncontrol = \"n3.x\"\npattern = {{ \"n3.x\" = 1, \"n4.x\" = 1 }}\nto = 1\nstep = 1")
        .unwrap();
    writeln!(text, "[record]\nchannels = {channels:?}").unwrap();
    let mut model = read(&text);
    model.pushover.as_mut().unwrap().targets = numbers(&file, "path");
    let steps = rows(model, channels, name);
    let columns = (0..=channels.len()).map(|c| steps.iter().map(|row| row[c]).collect()).collect();
    (file, columns)
}

#[test]
fn a_reinforced_portal_is_pushed_as_recorded() {
    for name in ["frames/frame_rc_portal_pushover", "frames/frame_rc_portal_cyclic"] {
        let (file, rows) = pushed(name, &["n3.y", "n3.rz", "b1.force.3"]);
        for (row, channel) in rows.iter().zip(["load_factor", "uy3", "rot3", "M1"]) {
            if file["results"][channel].is_null() {
                continue;
            }
            let expected = numbers(&file["results"], channel);
            let peak = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let worst = row.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("{name} {channel}: {:.1e}", worst / peak);
            // Nine digits are stored.
            assert!(worst <= 1e-8 * peak, "{name} {channel}: {worst} of {peak}");
        }
    }
}
