//! Nodes, materials, sections, members and constraints.

use interfield_opensees::Fate;

use crate::{column, has, import, model, told};

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
