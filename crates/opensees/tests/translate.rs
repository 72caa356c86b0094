//! Records as text, model files as text: what each command of a script becomes.

use interfield_opensees::{Fate, Import, Options, Record, translate, units};

/// A record of commands, one per line as in Tcl; its line numbers are those of the text.
fn record(script: &str) -> Record {
    let word = |w: &str| w.parse::<f64>().map_or_else(|_| format!("{w:?}"), |x| format!("{x:?}"));
    let mut out = String::from("{\"recorder\":\"python\",\"script\":\"s.py\",\"version\":1}\n");
    for (i, line) in script.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let arguments: Vec<String> = words.map(word).collect();
        out += &format!(
            "{{\"command\":\"{name}\",\"arguments\":[{}],\"file\":\"s.py\",\"line\":{}}}\n",
            arguments.join(","),
            i + 1
        );
    }
    Record::read(&(out + "{\"end\":\"ok\"}\n")).expect("a record")
}

fn import_with(script: &str, options: Options) -> Import {
    let files = |path: &str| match path {
        "quake.txt" => Ok((0..40).map(|i| format!("{}\n", f64::from(i % 5) * 0.01)).collect()),
        _ => Err("no such file".to_owned()),
    };
    translate(&record(script), &Options { stem: "s".into(), title: "s".into(), ..options }, &files)
}

fn import(script: &str) -> Import {
    import_with(script, Options { units: units::told("kN,m").ok(), ..Options::default() })
}

/// The one model of a script that nothing is refused of.
fn model(script: &str) -> String {
    let import = import(script);
    let refused: Vec<_> = import.report.of(Fate::Refused).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(import.models.len(), 1);
    import.models[0].text.clone()
}

/// Messages of one fate, with their lines.
fn told(import: &Import, fate: Fate) -> Vec<String> {
    import.report.of(fate).map(|f| format!("{}: {}: {}", f.place, f.command, f.message)).collect()
}

/// A column on a fixed foot, 3 high.
const COLUMN: &str = "
model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3
fix 1 1 1 1
geomTransf Linear 1
";

fn column(more: &str) -> String {
    format!("{COLUMN}{more}")
}

/// What stands in a text, in this order.
fn has(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("`{part}` is not there, or not in its place:\n{text}"),
        }
    }
}

#[test]
fn nodes_keep_coordinates_supports_and_masses() {
    let text = model(&column(
        "mass 2 4.5 4.5 0
         node 3 1 3 -mass 1 2 3
         fix 3 0 1 0
         element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1",
    ));
    has(
        &text,
        &[
            "units = { length = \"m\", force = \"kN\", time = \"s\" }",
            "dofs = [\"x\", \"y\", \"rz\"]",
            "{ name = \"n1\", at = [0, 0], fixed = true }",
            "{ name = \"n2\", at = [0, 3], mass = 4.5 }",
            "{ name = \"n3\", at = [1, 3], fixed = [\"y\"], mass = { x = 1, y = 2, rz = 3 } }",
            "{ name = \"elastic-1\", E = 30000000, A = 0.1, Iz = 0.001 }",
        ],
    );
}

#[test]
fn supports_by_coordinate_and_removal_follow_the_order_of_the_script() {
    let text = model(
        "model basic -ndm 2 -ndf 2
         node 1 0 0
         node 2 4 0
         node 3 2 1
         fixY 0 1 1
         remove sp 2 1
         uniaxialMaterial Elastic 1 2e8
         element truss 1 1 3 0.01 1
         element truss 2 2 3 0.01 1
         element truss 3 1 2 0.01 1
         remove element 3",
    );
    has(&text, &["dofs = [\"x\", \"y\"]", "\"n1\", at = [0, 0], fixed = true", "\"n2\", at = [4, 0], fixed = [\"y\"]"]);
    assert!(!text.contains("e3"), "{text}");
    has(&text, &["section.bar-1 = { type = \"bar\", material = \"elastic-1\", area = 0.01, damped = false }"]);
}

#[test]
fn materials_have_the_keys_of_ours() {
    let materials = [
        ("Elastic 1 200", "type = \"elastic\", E = 200 }"),
        ("Elastic 1 200 0 100", "type = \"elastic\", E = 200, Ec = 100 }"),
        ("ENT 1 200", "type = \"elastic\", E = 0, Ec = 200 }"),
        ("ElasticPP 1 200 0.002", "type = \"elastic-plastic\", E = 200, fy = 0.4 }"),
        ("ElasticPP 1 200 0.002 -0.001 0.0005", "fy = 0.4, fyc = 0.2, e0 = 0.0005 }"),
        ("ElasticPPGap 1 200 -3 -0.01 0.05 damage", "fy = -3, gap = -0.01, eta = 0.05, damage = 1 }"),
        ("Steel01 1 0.4 200 0.02", "type = \"bilinear\", fy = 0.4, E = 200, b = 0.02 }"),
        ("Steel01 1 0.4 200 0.02 0.1 55 0.2 50", "b = 0.02, a1 = 0.1, a3 = 0.2, a4 = 50 }"),
        ("Steel02 1 0.4 200 0.02 18 0.925 0.15", "type = \"menegotto-pinto\", fy = 0.4, E = 200, b = 0.02, R0 = 18 }"),
        ("Steel02 1 0.4 200 0.02 20 0.9 0.1 0 1 0 1 0.1", "R0 = 20, cR1 = 0.9, cR2 = 0.1, s0 = 0.1 }"),
        ("Concrete01 1 -30 -0.002 -6 -0.006", "type = \"kent-park\", fc = -30, ec0 = -0.002, fcu = -6, ecu = -0.006 }"),
        ("Concrete01 1 30 0.002 0 0.006", "fc = -30, ec0 = -0.002, fcu = 0, ecu = -0.006 }"),
        ("Concrete02 1 -30 -0.002 -6 -0.006 0.1 3 1500", "lambda = 0.1, ft = 3, Ets = 1500 }"),
        ("Hardening 1 200 0.4 1 2", "type = \"hardening\", E = 200, fy = 0.4, Hi = 1, Hk = 2 }"),
        ("SelfCentering 1 200 10 3 0.5", "type = \"self-centring\", k1 = 200, k2 = 10, fa = 3, beta = 0.5 }"),
        ("Viscous 1 20 0.35", "type = \"viscous\", c = 20, n = 0.35 }"),
        ("ViscousDamper 1 200 20 0.35", "type = \"nonlinear-maxwell\", k = 200, c = 20, n = 0.35 }"),
        ("Maxwell 1 200 20 0.5 4", "type = \"maxwell\", k = 200, c = 10 }"),
        (
            "Hysteretic 1 10 0.005 20 0.02 -10 -0.005 -20 -0.02 0.7 0.3 0 0.1 0.4",
            "m1p = 10, r1p = 0.005, m2p = 15, r2p = 0.0125, m3p = 20, r3p = 0.02, m1n = -10, r1n = -0.005, m2n = -15, r2n = -0.0125, \
             m3n = -20, r3n = -0.02, pinch_x = 0.7, pinch_y = 0.3, damage2 = 0.1, beta = 0.4 }",
        ),
    ];
    for (given, written) in materials {
        let text = model(&column(&format!("uniaxialMaterial {given}\nelement truss 1 1 2 0.1 1")));
        assert!(text.contains(written), "{given}: {written}\n{text}");
    }
}

#[test]
fn materials_made_of_others_bring_these_along() {
    let text = model(&column(
        "uniaxialMaterial Elastic 1 200
         uniaxialMaterial Steel02 2 0.4 200 0.02
         uniaxialMaterial Parallel 3 1 2 -factors 1 0.5
         uniaxialMaterial MinMax 4 3 -min -0.01 -max 0.02
         element truss 1 1 2 0.1 4",
    ));
    has(&text, &["name = \"minmax-4\", type = \"limited\", of = \"parallel-3\", emin = -0.01, emax = 0.02 }"]);
    has(
        &text,
        &["name = \"parallel-3\", type = \"parallel\", of = [\"elastic-1\", \"steel02-2\"], factors = [1, 0.5] }"],
    );
    has(&text, &["name = \"elastic-1\""]);
}

#[test]
fn a_material_has_a_name_for_each_way_it_is_used() {
    let text = model(&column(
        "node 3 0 3
         uniaxialMaterial Elastic 7 200
         element truss 1 1 2 0.1 7
         element zeroLength 2 2 3 -mat 7 7 -dir 1 6
         element zeroLength 3 2 3 -mat 7 -dir 2 -doRayleigh 1",
    ));
    has(
        &text,
        &[
            "{ name = \"elastic-7-stress\", type = \"elastic\", E = 200 }",
            "{ name = \"elastic-7-force\", type = \"elastic\", acts = \"force\", E = 200 }",
            "{ name = \"elastic-7-moment\", type = \"elastic\", acts = \"moment\", E = 200 }",
            "name = \"e2-1\", nodes = [\"n2\", \"n3\"], type = \"uniaxial\", material = \"elastic-7-force\", dof = \"x\", damped = false",
            "name = \"e2-2\", nodes = [\"n2\", \"n3\"], type = \"uniaxial\", material = \"elastic-7-moment\", dof = \"rz\", damped = false",
            "name = \"e3\", nodes = [\"n2\", \"n3\"], type = \"uniaxial\", material = \"elastic-7-force\", dof = \"y\" }",
        ],
    );
}

#[test]
fn springs_turn_with_their_axes_and_others_are_refused() {
    let springs = |orient: &str| {
        column(&format!(
            "node 3 0 3\nuniaxialMaterial Elastic 7 200\nelement elasticBeamColumn 9 1 2 0.1 3e7 0.001 1\n\
         element zeroLength 2 2 3 -mat 7 -dir 1 -orient {orient}"
        ))
    };
    has(&model(&springs("0 1 0 -1 0 0")), &["nodes = [\"n2\", \"n3\"]", "dof = \"y\""]);
    has(&model(&springs("0 -1 0 1 0 0")), &["nodes = [\"n3\", \"n2\"]", "dof = \"y\""]);
    let refused = told(&import(&springs("1 1 0 -1 1 0")), Fate::Refused);
    assert!(refused[0].starts_with("s.py:10: element zeroLength: axes that are not global"), "{refused:?}");
}

#[test]
fn fibres_become_shapes() {
    let text = model(&column(
        "uniaxialMaterial Concrete01 1 -30 -0.002 -6 -0.006
         uniaxialMaterial Steel02 2 400 2e8 0.02
         section Fiber 5 -GJ 1e6
         patch rect 1 10 1 0.2 0.2 -0.2 -0.2
         patch quad 1 4 2 -0.2 -0.2 0.2 -0.2 0.2 0.2 -0.2 0.2
         patch circ 1 8 2 0 0 0.1 0.3 0 360
         patch circ 1 8 2 0 0 0.1 0.3 0 180
         layer straight 2 3 0.0005 0.15 0.15 0.15 -0.15
         layer circ 2 8 0.0005 0 0 0.25
         fiber 0.1 -0.1 0.001 2
         beamIntegration Lobatto 1 5 4
         element forceBeamColumn 1 1 2 1 1",
    ));
    has(
        &text,
        &[
            "{ name = \"s5\", torsion = 1000000, centroid = true, fibres = [",
            "{ shape = \"rectangle\", material = \"concrete01-1\", from = [-0.2, -0.2], to = [0.2, 0.2], divisions = [10, 1] }",
            "{ shape = \"quadrilateral\", material = \"concrete01-1\", corners = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]], divisions = [4, 2] }",
            "{ shape = \"ring\", material = \"concrete01-1\", inner = 0.1, outer = 0.3, divisions = [8, 2] }",
            "outer = 0.3, divisions = [8, 2], start = \"0 deg\", end = \"180 deg\" }",
            "{ shape = \"line\", material = \"steel02-2\", bars = 3, area = 0.0005, from = [0.15, 0.15], to = [0.15, -0.15] }",
            "{ shape = \"arc\", material = \"steel02-2\", bars = 8, area = 0.0005, radius = 0.25 }",
            "{ shape = \"point\", material = \"steel02-2\", at = [0.1, -0.1], area = 0.001 }",
            "type = \"member\", cross_section = \"s5\", points = 4, formulation = \"force-iterated\"",
        ],
    );
}

#[test]
fn clockwise_corners_are_told() {
    let import = import(&column(
        "uniaxialMaterial Elastic 1 2e8
         section Fiber 1
         patch quad 1 4 2 -0.2 -0.2 -0.2 0.2 0.2 0.2 0.2 -0.2
         element nonlinearBeamColumn 1 1 2 5 1 1",
    ));
    assert!(told(&import, Fate::Replaced)[0].contains("go clockwise"), "{:?}", told(&import, Fate::Replaced));
    has(
        &import.models[0].text,
        &["corners = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]], divisions = [2, 4]"],
    );
}

/// Fibres, a hinge section and an elastic one.
const SECTIONS: &str = "
uniaxialMaterial Steel01 1 400 2e8 0.02
section Fiber 1
fiber 0.1 0 0.01 1
fiber -0.1 0 0.01 1
section Elastic 2 2e8 0.02 0.0002
section Elastic 3 2e8 0.02 0.0002 8e7 0.8
section WFSection2d 4 1 0.3 0.01 0.15 0.015 8 2
geomTransf PDelta 2 -jntOffset 0 0.2 0 -0.3
geomTransf Corotational 3
";

#[test]
fn members_in_all_of_their_forms() {
    let forms = [
        (
            "elasticBeamColumn 1 1 2 0.1 3e7 0.001 2",
            "formulation = \"displacement\", rule = \"legendre\", points = 2, transformation = \"p-delta\", offsets = [[0, 0.2], [0, -0.3]]",
        ),
        ("elasticBeamColumn 1 1 2 2 1", "cross_section = \"s2\""),
        (
            "elasticBeamColumn 1 1 2 0.1 3e7 0.001 1 -release 1",
            "formulation = \"force\", points = 3, release = [\"start\"]",
        ),
        ("elasticBeamColumn 1 1 2 0.1 3e7 0.001 1 -mass 2.5", "points = 2, mass_per_length = 2.5, mass = \"lumped\""),
        ("elasticBeamColumn 1 1 2 0.1 3e7 0.001 1 -mass 2.5 -cMass", "points = 2, mass_per_length = 2.5 }"),
        (
            "ElasticTimoshenkoBeam 1 1 2 3e7 1e7 0.1 0.001 0.08 1",
            "cross_section = \"elastic-1\", formulation = \"force\", points = 3",
        ),
        (
            "forceBeamColumn 1 1 2 5 1 3",
            "cross_section = \"s1\", formulation = \"force-iterated\", transformation = \"corotational\"",
        ),
        ("nonlinearBeamColumn 1 1 2 4 1 1", "points = 4, formulation = \"force-iterated\""),
        ("dispBeamColumn 1 1 2 3 1 1", "rule = \"legendre\", points = 3, formulation = \"displacement\""),
        ("forceBeamColumn 1 1 2 1 Legendre 1 3", "rule = \"legendre\", points = 3"),
        ("forceBeamColumn 1 1 2 1 NewtonCotes 1 5", "rule = \"newton-cotes\""),
        (
            "forceBeamColumn 1 1 2 1 HingeRadau 1 0.2 1 0.3 2",
            "cross_section = \"s2\", hinges = { start = \"s1\", start_length = 0.2, end = \"s1\", end_length = 0.3 }",
        ),
        ("forceBeamColumn 1 1 2 1 HingeMidpoint 1 0.2 1 0.3 2", "end_length = 0.3, rule = \"midpoint\" }"),
        (
            "forceBeamColumn 1 1 2 1 UserDefined 2 1 2 0 1 0.5 0.5",
            "sections = [{ at = 0, weight = 0.5, cross_section = \"s1\" }, { at = 1, weight = 0.5, cross_section = \"s2\" }]",
        ),
        ("forceBeamColumn 1 1 2 5 3 1", "cross_section = \"s3\""),
        ("dispBeamColumn 1 1 2 5 3 1", "cross_section = \"s3-bending\""),
        ("forceBeamColumn 1 1 2 5 4 1", "cross_section = \"s4\""),
        (
            "corotTruss 1 1 2 0.1 1",
            "type = \"bar\", material = \"steel01-1\", area = 0.1, transformation = \"corotational\"",
        ),
    ];
    for (given, written) in forms {
        let text = model(&column(&format!("{SECTIONS}element {given}")));
        assert!(text.contains(written), "{given}: {written}\n{text}");
    }
    let text = model(&column(&format!("{SECTIONS}element forceBeamColumn 1 1 2 5 3 1")));
    has(&text, &["{ name = \"s3\", E = 200000000, A = 0.02, Iz = 0.0002, G = 80000000, Ay = 0.016 }"]);
    let text = model(&column(&format!("{SECTIONS}element forceBeamColumn 1 1 2 5 4 1")));
    has(
        &text,
        &[
            "shape = \"wide-flange\", material = \"steel01-1\", depth = 0.3, web = 0.01, width = 0.15, flange = 0.015, divisions = [8, 2]",
        ],
    );
}

#[test]
fn a_section_between_nodes_at_one_place_is_a_member_of_unit_length() {
    let text = model(&column(&format!(
        "{SECTIONS}node 3 0 3
         element forceBeamColumn 1 1 2 5 1 1
         element zeroLengthSection 2 2 3 1 -orient 0 1 0 -1 0 0
         equalDOF 2 3 1"
    )));
    has(&text, &["rule = \"legendre\", points = 1, offsets = [[0, 0], [0, 1]], damped = false"]);
    has(&text, &["constraint = [", "{ type = \"equal\", dofs = [\"x\"], leads = \"n2\", follows = [\"n3\"] }"]);
}

#[test]
fn aggregated_forces_have_materials_of_their_own() {
    let text = model(&column(&format!(
        "{SECTIONS}uniaxialMaterial Elastic 8 5e5
         section Aggregator 9 8 Vy -section 1
         element forceBeamColumn 1 1 2 5 9 1"
    )));
    has(&text, &["name = \"elastic-8\", type = \"elastic\", acts = \"section-force\", E = 500000"]);
    has(&text, &["name = \"s9\", centroid = true, resultants = { Vy = \"elastic-8\" }, fibres = ["]);
}

#[test]
fn bearings_have_materials_for_their_other_directions() {
    let bearing = |element: &str| {
        column(&format!(
            "node 3 0 3
         uniaxialMaterial Elastic 1 1e6
         uniaxialMaterial Elastic 2 10
         frictionModel Coulomb 4 0.06
         element elasticBeamColumn 9 1 2 0.1 3e7 0.001 1
         element {element} -P 1 -Mz 2 -orient 0 1 0 -1 0 0"
        ))
    };
    let text = model(&bearing("elastomericBearingPlasticity 1 2 3 100 5 0.1 0 2"));
    has(
        &text,
        &[
            "type = \"elastomeric-bearing\", k = 100, qd = 5, alpha1 = 0.1, axial = \"elastic-1\", rotation = \"elastic-2\", damped = false",
        ],
    );
    let text = model(&bearing("singleFPBearing 1 2 3 4 2.5 1000"));
    has(&text, &["type = \"friction-pendulum\", radius = 2.5, k = 1000, friction = 0.06"]);
    let text = model(&bearing("flatSliderBearing 1 2 3 4 1000"));
    has(&text, &["type = \"flat-slider\", k = 1000, friction = 0.06"]);
    let text =
        model(&bearing("singleFPBearing 1 2 3 4 2.5 1000").replace("Coulomb 4 0.06", "VelDependent 4 0.03 0.06 20"));
    has(&text, &["k = 1000, friction = 0.06, friction_slow = 0.03, rate = 20"]);
}

#[test]
fn constraints_are_grouped_by_the_node_that_leads() {
    let import = import(
        "model basic -ndm 3 -ndf 6
         node 1 0 0 0
         node 2 0 0 3
         node 3 4 0 3
         node 4 2 0 3
         fix 1 1 1 1 1 1 1
         fix 4 0 0 1 1 1 0
         geomTransf Linear 1 0 1 0
         element elasticBeamColumn 1 1 2 0.1 3e7 1e7 0.002 0.001 0.003 1
         element elasticBeamColumn 2 2 3 0.1 3e7 1e7 0.002 0.001 0.003 1
         rigidDiaphragm 3 4 2 3
         constraints Plain",
    );
    let text = &import.models[0].text;
    has(
        text,
        &[
            "{ name = \"elastic-1\", E = 30000000, A = 0.1, Iz = 0.003, Iy = 0.001, torsion = 20000 }",
            "vecxz = [0, 1, 0]",
        ],
    );
    has(text, &["{ type = \"diaphragm\", normal = \"z\", leads = \"n4\", follows = [\"n2\", \"n3\"] }"]);
    assert!(told(&import, Fate::Replaced)[0].contains("with the handler Plain"), "{:?}", told(&import, Fate::Replaced));
}

/// Gravity, then held.
const GRAVITY: &str = "
element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
mass 2 10 10 0
timeSeries Linear 1
pattern Plain 1 1
load 2 0 -100 0
eleLoad -ele 1 -type -beamUniform -2 -3
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1e-8 10
algorithm Newton
integrator LoadControl 0.1
analysis Static
analyze 10
loadConst -time 0
wipeAnalysis
";

#[test]
fn loads_that_are_held_are_gravity() {
    let text = model(&column(GRAVITY));
    has(
        &text,
        &[
            "load = [",
            "{ type = \"gravity\", at = \"n2.y\", force = -100 }",
            "{ type = \"gravity\", elements = [\"e1\"], x = -3, y = -2 }",
            "computes no motion",
            "[analysis]",
        ],
    );
}

#[test]
fn half_of_a_load_that_is_held_is_half_of_it() {
    let text = model(&column(&GRAVITY.replace("analyze 10", "analyze 5")));
    has(&text, &["force = -50 }", "x = -1.5, y = -1 }"]);
}

#[test]
fn a_ground_motion_goes_into_a_file_beside() {
    let import = import(&column(&format!(
        "{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt -factor 9.81
         pattern UniformExcitation 2 1 -accel 2
         rayleigh 0.4 0 0.001 0
         integrator Newmark 0.5 0.25
         analysis Transient
         recorder Node -file d.out -time -node 2 -dof 1 2 disp
         recorder Node -file a.out -timeSeries 2 -node 2 -dof 1 accel
         recorder Element -file f.out -ele 1 localForce
         recorder Drift -file dr.out -iNode 1 -jNode 2 -dof 1 -perpDirn 2
         analyze 1000 0.01"
    )));
    let model = &import.models[0];
    assert_eq!((model.name.as_str(), model.command), ("s.toml", "run"));
    assert_eq!(model.beside.len(), 1);
    assert_eq!(model.beside[0].0, "s-record1.txt");
    assert!(model.beside[0].1.starts_with("0\n0.01\n0.02\n"), "{}", model.beside[0].1);
    has(
        &model.text,
        &[
            "{ type = \"ground\", name = \"ground-x\", direction = \"x\", signal = { type = \"file\", path = \"s-record1.txt\", format = \"columns\", dt = 0.02, scale = 9.81 } }",
            "rayleigh = { a0 = 0.4, a1 = 0.001 }",
            "scheme = \"newmark-newton\"\ndt = 0.01\nduration = 10\n",
            "[[drift]]\nname = \"drift-1-2\"\nnodes = [\"n1\", \"n2\"]\ndof = \"x\"\nheight = 3\n",
            "\"n2.x\", \"n2.y\", \"n2.x.abs\", \"e1.force.1\"",
            "\"ground-x\"",
        ],
    );
    assert_eq!(told(&import, Fate::Replaced), Vec::<String>::new());
}

#[test]
fn schemes_follow_integrator_and_algorithm() {
    let cases = [
        ("Newmark 0.5 0.25", "Newton", "scheme = \"newmark-newton\""),
        ("Newmark 0.6 0.3025", "KrylovNewton", "scheme = { name = \"newmark-newton\", gamma = 0.6, beta = 0.3025 }"),
        ("Newmark 0.5 0.25", "Linear", "scheme = \"newmark\""),
        ("HHT 0.9", "Newton", "scheme = { name = \"hht\", alpha = 0.1 }"),
        (
            "HHT 0.9",
            "Newton\nuniaxialMaterial Steel01 1 1 1 0.1",
            "scheme = { name = \"generalized-alpha-newton\", rho_inf = 0.818181818182 }",
        ),
        ("HHT 1", "Newton\nuniaxialMaterial Steel01 1 1 1 0.1", "scheme = \"newmark-newton\""),
        ("GeneralizedAlpha 1 0.8", "Newton", "scheme = { name = \"generalized-alpha-newton\", rho_inf = 0.25 }"),
        ("CentralDifference", "Linear", "scheme = \"explicit-newmark\""),
        ("TRBDF2", "Newton", "scheme = \"bathe-newton\"\ndt = 0.02"),
        ("AlphaOSGeneralized 0.7", "Linear", "scheme = { name = \"alpha-os\", rho_inf = 0.7 }"),
        ("KRAlphaExplicit 0.5", "Linear", "scheme = { name = \"kr-alpha\", rho_inf = 0.5 }"),
        ("WilsonTheta 1.4", "Newton", "scheme = \"newmark-newton\""),
    ];
    for (integrator, algorithm, scheme) in cases {
        let text = model(&column(&format!(
            "{GRAVITY}timeSeries Trig 2 0 100 0.5 -factor 3
             pattern Plain 2 2
             load 2 1 0 0
             algorithm {algorithm}
             integrator {integrator}
             analysis Transient
             analyze 1000 0.01"
        )));
        assert!(text.contains(scheme), "{integrator}: {scheme}\n{text}");
        has(
            &text,
            &["{ type = \"force\", at = \"n2.x\", signal = { type = \"harmonic\", amplitude = 3, omega = 12.56637"],
        );
    }
}

#[test]
fn displacement_control_is_a_pushover() {
    let push = |analyses: &str| {
        column(&format!("{GRAVITY}timeSeries Linear 2\npattern Plain 2 2\nload 2 2.5 0 0\nanalysis Static\n{analyses}"))
    };
    let text = model(&push("integrator DisplacementControl 2 1 0.001\nanalyze 100\nanalyze 100"));
    has(&text, &["[pushover]\ncontrol = \"n2.x\"\npattern = { \"n2.x\" = 2.5 }\nto = 0.2\nstep = 0.001\n"]);
    let up = "integrator DisplacementControl 2 1 0.001\n";
    let down = "integrator DisplacementControl 2 1 -0.001\n";
    let text =
        model(&push(&format!("{up}analyze 10\n{down}analyze 20\n{up}analyze 30\n{down}analyze 40\n{up}analyze 20")));
    has(&text, &["cycles = [0.01, 0.02]\nstep = 0.001\n"]);
    let text =
        model(&push(&format!("{up}analyze 12\n{down}analyze 24\n{up}analyze 84\n{down}analyze 144\n{up}analyze 72")));
    has(&text, &["cycles = [0.012, 0.072]\nstep = 0.001\n"]);
    let refused = told(&import(&push(&format!("{up}analyze 10\n{down}analyze 5\n{up}analyze 20"))), Fate::Refused);
    assert!(refused[0].contains("neither monotonic nor in cycles"), "{refused:?}");
}

#[test]
fn an_imposed_displacement_at_rest_is_a_pushover_of_it() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         timeSeries Path 1 -time 0 1 3 4 -values 0 1 -1 0
         pattern Plain 1 1
         sp 2 1 0.05
         integrator LoadControl 0.1
         analysis Static
         analyze 40",
    ));
    has(&text, &["control = \"n2.x\"\npattern = { \"n2.x\" = 1 }\ncycles = [0.05]\nstep = 0.005\n"]);
}

#[test]
fn forces_after_gravity_lead_the_load_factor() {
    let text = model(&column(&format!(
        "{GRAVITY}timeSeries Linear 2
         pattern Plain 2 2
         load 2 5 0 0
         integrator LoadControl 0.05
         analysis Static
         analyze 100"
    )));
    has(&text, &["[pushover]\npattern = { \"n2.x\" = 5 }\nto = 5\nstep = 0.05\n"]);
}

#[test]
fn supports_move_each_on_its_own() {
    let text = model(&column(
        "node 3 4 0
         fix 3 0 1 1
         element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1
         mass 2 1 1 0
         timeSeries Path 1 -dt 0.1 -values 0 0.01 0 -factor 2
         pattern MultipleSupport 1
         groundMotion 5 Plain -disp 1
         imposedMotion 3 1 5
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 10 0.01",
    ));
    has(
        &text,
        &[
            "{ type = \"imposed\", at = \"n3.x\", displacement = { type = \"table\", values = [0, 0.01, 0], dt = 0.1, scale = 2 } }",
        ],
    );
}

#[test]
fn a_record_that_begins_late_is_used_from_there_on() {
    let import = import(&column(&format!(
        "{GRAVITY}setTime 0.05
         timeSeries Path 2 -dt 0.1 -values 0 1 2 3
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 10 0.01"
    )));
    has(
        &import.models[0].text,
        &["values = [0.5, 1, 2, 3], times = [0, 0.05, 0.15000000000000002, 0.25]"
            .replace("0.15000000000000002", "0.15")
            .as_str()],
    );
    let replaced = told(&import, Fate::Replaced);
    assert!(replaced.iter().any(|m| m.contains("does not begin at zero")), "{replaced:?}");
    assert!(replaced.iter().any(|m| m.contains("the time is 0.05")), "{replaced:?}");
}

#[test]
fn damping_of_regions_leaves_elements_out() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         node 3 2 3
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1
         mass 2 1 1 0
         region 1 -eleOnly 1 -rayleigh 0 0 0.002 0
         region 2 -nodeOnly 2 -rayleigh 0.3 0 0 0",
    ));
    has(&text, &["name = \"e2\"", "damped = false", "rayleigh = { a0 = 0.3, a1 = 0.002 }"]);
    let after = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         mass 2 1 1 0
         rayleigh 0.3 0 0.002 0
         node 3 2 3
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1",
    ));
    has(&after, &["name = \"e2\"", "damped = false"]);
}

#[test]
fn modal_damping_has_as_many_ratios_as_modes() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1\nmass 2 1 1 0\neigen -genBandArpack 2\nmodalDamping 0.03",
    ));
    has(&text, &["[damping]\nmodal = [0.03, 0.03]\n"]);
}

#[test]
fn what_is_unknown_is_refused_with_its_line_and_a_remedy() {
    let import = import(&column(
        "uniaxialMaterial Pinching4 1 1 2 3
         uniaxialMaterial Elastic 2 100
         element truss 1 1 2 0.1 1
         element quad 2 1 2 1 2 0.1 PlaneStress 1
         frobnicate 1 2
         printModel node 1
         element elasticBeamColumn 5 1 2 0.1 3e7 0.001 1",
    ));
    let refused = told(&import, Fate::Refused);
    assert_eq!(
        refused,
        [
            "s.py:11: frobnicate: the command is unknown",
            "s.py:10: element quad: `quad` is no member of a frame",
            "s.py:7: uniaxialMaterial Pinching4: Interfield has no material `Pinching4`",
        ]
    );
    assert!(import.report.of(Fate::Refused).all(|f| !f.remedy.is_empty()));
    let ignored = told(&import, Fate::Ignored);
    assert!(
        ignored.iter().any(|m| m.contains("printModel"))
            && ignored.iter().any(|m| m.contains("nothing that is translated uses")),
        "{ignored:?}"
    );
}

#[test]
fn a_refused_command_may_be_left_out_by_name() {
    let script =
        column("uniaxialMaterial Elastic 2 100\nelement truss 1 1 2 0.1 2\nelement quad 2 1 2 1 2 0.1 PlaneStress 1");
    let allowed = import_with(&script, Options { allow: vec!["quad".into()], ..Options::default() });
    assert!(!allowed.report.refuses());
    assert!(told(&allowed, Fate::Replaced)[0].contains("left out, as --allow says"));
}

#[test]
fn numbers_that_descend_from_answers_are_not_trusted() {
    let mut text = String::from("{\"recorder\":\"python\",\"script\":\"s.py\",\"version\":1}\n");
    for (name, arguments) in [
        ("node", "1, 0, 0"),
        ("node", "2, 0, {\"value\": 3, \"from\": \"nodeDisp\"}"),
        ("rayleigh", "{\"value\": 0.4, \"from\": \"eigen\", \"live\": true}, 0, 0, 0"),
    ] {
        text += &format!("{{\"command\":\"{name}\",\"arguments\":[{arguments}],\"file\":\"s.py\",\"line\":3}}\n");
    }
    let record = Record::read(&text).expect("a record without its end");
    let import = translate(&record, &Options::default(), &|_| Err(String::new()));
    let refused = told(&import, Fate::Refused);
    assert!(refused[0].contains("node: its numbers descend from nodeDisp"), "{refused:?}");
    assert!(refused.iter().any(|m| m.contains("ended without a word")), "{refused:?}");
    assert!(
        told(&import, Fate::Replaced)[0]
            .contains("rayleigh: its numbers descend from eigen, which Interfield has computed")
    );
}

#[test]
fn analyses_that_differ_by_their_factor_are_one_model() {
    let one = |factor: f64| {
        format!(
            "{COLUMN}{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt -factor {factor}
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 100 0.01
         wipe
        "
        )
    };
    let import = import(&[1.0, 2.0, 4.0].map(one).concat());
    assert_eq!(import.models.len(), 1);
    assert_eq!(import.models[0].repeats, [(1.0, 0.04), (2.0, 0.08), (4.0, 0.16)]);
    let twice = import_of_two();
    assert_eq!(twice.models.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["s.toml", "s-pushover-2.toml"]);
}

/// A motion, then a pushover of another model.
fn import_of_two() -> Import {
    import(&format!(
        "{COLUMN}{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 100 0.01
         wipe
         {COLUMN}{GRAVITY}timeSeries Linear 2
         pattern Plain 2 2
         load 2 1 0 0
         integrator DisplacementControl 2 1 0.01
         analysis Static
         analyze 10"
    ))
}

#[test]
fn a_script_without_a_model_says_so() {
    let import = import("wipe");
    assert!(told(&import, Fate::Refused)[0].contains("has built no model"));
    assert!(import.models.is_empty());
}

#[test]
fn circles_of_materials_and_empty_commands_are_refused() {
    let circle = import(&column(
        "uniaxialMaterial Parallel 1 2
         uniaxialMaterial Parallel 2 1
         element truss 1 1 2 0.1 1
         element elasticBeamColumn 2 1 2 0.1 3e7 0.001 1",
    ));
    assert!(
        told(&circle, Fate::Refused).iter().any(|m| m.contains("or of itself")),
        "{:?}",
        told(&circle, Fate::Refused)
    );
    for command in [
        "model",
        "node",
        "element",
        "section",
        "patch",
        "fiber",
        "integrator",
        "pattern",
        "load",
        "eleLoad",
        "region",
        "recorder",
        "fix",
        "remove",
    ] {
        let empty = import(&column(&format!(
            "{command}\nelement elasticBeamColumn 2 1 2 0.1 3e7 0.001 1\nanalysis Static\nanalyze 1\nanalysis Transient\nanalyze 1 0.1"
        )));
        assert!(!empty.report.findings.is_empty(), "{command} is dropped without a word");
    }
}

#[test]
fn a_broken_record_is_refused_with_its_line() {
    let head = "{\"recorder\":\"python\",\"script\":\"s.py\",\"version\":1}\n";
    assert!(Record::read(&format!("{head}nonsense\n{head}")).is_err_and(|e| e.contains("line 2")));
    assert!(Record::read(&format!("{head}{{\"command\":\"no")).is_ok_and(|r| r.commands.is_empty()));
    assert!(Record::read("{\"recorder\":\"python\",\"version\":2}\n").is_err_and(|e| e.contains("version")));
}
