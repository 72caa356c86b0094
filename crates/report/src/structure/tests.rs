//! What is to be seen of structures.

use super::supports::Fixity;
use super::*;

fn holds(moves: &str, turns: &str) -> Holds {
    // - not there, f free, x fixed, i imposed.
    let of = |text: &str| {
        let mut all = [Hold::Absent; 3];
        for (hold, c) in all.iter_mut().zip(text.chars()) {
            *hold = match c {
                'f' => Hold::Free,
                'x' => Hold::Fixed,
                'i' => Hold::Imposed,
                _ => Hold::Absent,
            };
        }
        all
    };
    Holds { moves: of(moves), turns: of(turns) }
}

fn node(name: &str, at: [f64; 3], held: Holds) -> Node {
    Node { name: name.into(), at, held, ..Node::default() }
}

fn line(name: &str, from: usize, to: Option<usize>, kind: Kind) -> Line {
    Line { name: name.into(), from, to, kind, ..Line::default() }
}

/// A portal of two columns and a beam in the x-y plane; the right column stands on `held`.
fn portal(held: Holds) -> Structure {
    let (fixed, free) = (holds("xx-", "--x"), holds("ff-", "--f"));
    let nodes = vec![
        node("base", [0.0, 0.0, 0.0], fixed),
        node("eaves", [0.0, 4.0, 0.0], free),
        node("corner", [6.0, 4.0, 0.0], free),
        node("foot", [6.0, 0.0, 0.0], held),
    ];
    let member = |name: &str, a: usize, b: usize| line(name, a, Some(b), Kind::Member);
    let lines = vec![member("column1", 0, 1), member("beam", 1, 2), member("column2", 2, 3)];
    Structure { nodes, lines, ..Structure::default() }
}

#[test]
fn supports_have_the_symbol_of_what_they_hold() {
    let found = |held: Holds| {
        let drawing = portal(held).drawing();
        drawing.supports.iter().find(|s| s.0 == 3).map(|s| (s.1.fixity, s.1.label.clone()))
    };
    let of = |moves: &str, turns: &str| found(holds(moves, turns)).map(|f| f.0);
    assert_eq!(of("xx-", "--x"), Some(Fixity::Fixed));
    assert_eq!(of("xx-", "--f"), Some(Fixity::Pinned));
    assert_eq!(of("xx-", "---"), Some(Fixity::Pinned), "a node of a truss");
    assert_eq!(of("fx-", "--f"), Some(Fixity::Roller));
    assert_eq!(of("fx-", "--x"), Some(Fixity::Guided));
    assert_eq!(of("ff-", "--x"), Some(Fixity::Turned));
    assert_eq!(of("x--", "---"), Some(Fixity::Fixed), "the base of a shear building");
    assert_eq!(of("ff-", "--f"), None);
    let (fixity, label) = found(holds("ix-", "--x")).unwrap();
    assert_eq!((fixity, label.as_str()), (Fixity::Fixed, "imposed: x"));
    // In space a symbol cannot say everything.
    let mut space = portal(holds("xxx", "xff"));
    space.nodes[2].at[2] = 5.0;
    let drawing = space.drawing();
    let (_, support) = drawing.supports.iter().find(|s| s.0 == 3).unwrap();
    assert_eq!((support.fixity, support.label.as_str()), (Fixity::Pinned, "held: x, y, z, rx"));
}

#[test]
fn a_roller_stands_on_the_side_that_holds_it() {
    let below = portal(holds("fx-", "--f")).drawing();
    let beside = portal(holds("xf-", "--f")).drawing();
    let bounds = |d: &Drawing| d.supports.iter().find(|s| s.0 == 3).unwrap().1.symbol(d.front).bounds((0.0, 0.0));
    assert!(bounds(&below)[3] > 15.0 && bounds(&below)[1] >= -0.1, "{:?}", bounds(&below));
    assert!(bounds(&beside)[2] - bounds(&beside)[0] > 15.0, "{:?}", bounds(&beside));
}

#[test]
fn a_clamp_is_behind_the_end_of_a_cantilever() {
    let nodes = vec![node("wall", [0.0; 3], holds("xx-", "--x")), node("tip", [3.0, 0.0, 0.0], holds("ff-", "--f"))];
    let lines = vec![line("beam", 0, Some(1), Kind::Member)];
    let drawing = Structure { nodes, lines, ..Structure::default() }.drawing();
    let [left, _, right, _] = drawing.supports[0].1.symbol(drawing.front).bounds((0.0, 0.0));
    assert!(left < -4.0 && right <= 0.1, "the hatching is on the left: {left} {right}");
}

/// Left, top, right and bottom of all texts of a sheet.
fn texts(scene: &Scene) -> Vec<(&str, [f64; 4])> {
    let mut found = Vec::new();
    for shape in &scene.shapes {
        if let Shape::Text(t) = shape {
            found.push((t.content.as_str(), t.bounds()));
        }
    }
    found
}

fn no_text_meets_another(scene: &Scene) {
    let all = texts(scene);
    for (i, (a, x)) in all.iter().enumerate() {
        assert!(x[0] >= 0.0 && x[2] <= scene.width && x[1] >= 0.0 && x[3] <= scene.height, "`{a}` is cut: {x:?}");
        for (b, y) in &all[..i] {
            let apart = x[0] >= y[2] || y[0] >= x[2] || x[1] >= y[3] || y[1] >= x[3];
            assert!(apart, "`{a}` meets `{b}`: {x:?} {y:?}");
        }
    }
}

#[test]
fn a_sheet_says_what_is_there() {
    let mut structure = portal(holds("xx-", "--f"));
    structure.loads = vec![
        Load { name: "quake".into(), node: None, axis: 0 },
        Load { name: "wind".into(), node: Some(1), axis: 0 },
        Load { name: "twist".into(), node: Some(2), axis: 5 },
    ];
    structure.parts = vec![(Place::Specimen, "pier".into()), (Place::External, "peer".into())];
    structure.lines[2].part = Some(0);
    structure.nodes[1].mass = "20 t".into();
    structure.lines.push(Line { axis: Some(1), ..line("bearing", 2, None, Kind::Spring) });
    structure.lines.push(Line { axis: Some(5), ..line("joint", 2, None, Kind::Spring) });
    structure.lines.push(line("dashpot", 1, Some(3), Kind::Damper));
    structure.lines.push(Line { part: Some(1), ..line("other", 0, Some(2), Kind::Link) });
    let sheet = structure.sheet("A portal", ("m", 1.0));
    no_text_meets_another(&sheet.0);
    let svg = sheet.svg();
    for part in
        ["support fixed", "support pinned", "support ground", "support rotational spring", "node mass", "load ground"]
    {
        assert!(svg.contains(&format!("class=\"{part}")), "{part}");
    }
    for class in ["specimen", "external", "member", "spring", "damper", "dimension", "axis"] {
        assert!(svg.contains(&format!("<g class=\"{class}\">")), "{class}");
    }
    for text in
        ["eaves, 20 t", "base", "beam", "bearing", "6 m", "4 m", "wind", "twist", "specimen pier", "external peer"]
    {
        assert!(svg.contains(&format!(">{text}<")), "{text}");
    }
    assert!(svg.contains(">quake: ground motion along x<") && svg.contains(">base: fixed: held in x, y, rz</title>"));
    assert!(svg.contains("prefers-color-scheme: dark"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(sheet.png(96.0).starts_with(b"\x89PNG"));
}

#[test]
fn no_name_meets_another_and_what_is_left_out_is_said() {
    let grid = |n: usize, up: bool| {
        let at = |i: usize| if up { [0.0; 3] } else { [(i % n) as f64, (i / n) as f64, ((i * 7) % 5) as f64] };
        let held = |i: usize| if i < n { holds("xxx", "fff") } else { holds("fff", "fff") };
        let nodes: Vec<Node> = (0..n * n)
            .map(|i| Node { mass: format!("{i} kg"), ..node(&format!("node number {i} of all"), at(i), held(i)) })
            .collect();
        let lines = (0..n * n - 1).map(|i| line(&format!("member {i}"), i, Some(i + 1), Kind::Member)).collect();
        Structure { nodes, lines, ..Structure::default() }
    };
    for (n, up) in [(2, false), (5, false), (20, false), (40, false), (4, true), (12, true)] {
        let sheet = grid(n, up).sheet("A grid with a long title ".repeat(9).as_str(), ("mm", 1e3));
        no_text_meets_another(&sheet.0);
        let said = sheet.svg().contains("Some names of nodes do not fit");
        let shown = texts(&sheet.0).iter().filter(|t| t.0.starts_with("node number")).count();
        assert_eq!(said, shown < n * n, "{n} {shown}");
    }
}

#[test]
fn odd_structures_are_drawn_too() {
    assert!(Structure::default().sheet("", ("m", 1.0)).svg().starts_with("<svg"));
    let nodes = vec![node("a", [f64::NAN; 3], Holds::default())];
    let lines = vec![line("x", 7, Some(9), Kind::Member), line("y", 0, Some(0), Kind::Member)];
    let wild = Structure { nodes, lines, ..Structure::default() };
    assert!(wild.drawing().edges.is_empty());
    let svg = wild.sheet("<b>", ("m", 1.0)).svg();
    assert!(!svg.contains("NaN") && !svg.contains("<b>"), "{svg}");
}

#[test]
fn nodes_without_positions_stand_in_levels() {
    let free = holds("f--", "---");
    let mut structure = Structure {
        nodes: ["roof", "slab", "floor", "bob"].map(|n| node(n, [0.0; 3], free)).to_vec(),
        lines: vec![
            line("isolator", 1, None, Kind::Spring),
            line("storey1", 1, Some(2), Kind::Spring),
            line("storey2", 2, Some(0), Kind::Spring),
            line("rod", 0, Some(3), Kind::Spring),
        ],
        loads: vec![Load { name: "quake".into(), node: None, axis: 0 }],
        ..Structure::default()
    };
    structure.nodes[3].swings = true;
    let drawing = structure.drawing();
    assert!(drawing.sketch);
    assert_eq!(drawing.points[..3], [[0.0, 0.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    assert!(drawing.points[3][0] > 0.0 && drawing.points[3][2] < 3.0, "the bob hangs beside the roof");
    assert_eq!(drawing.points[4], [0.0; 3], "the foot of the first link");
    assert_eq!(drawing.swinging, [3]);
    assert!(drawing.edges[1].bends, "a storey bends between floors that do not turn");
    // A chain that is pushed lies.
    structure.loads[0].node = Some(0);
    let chain = structure.drawing();
    assert_eq!(chain.points[..3], [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    assert!(!chain.edges[1].bends);
}

#[test]
fn space_is_seen_as_such_and_a_plane_from_its_front() {
    let free = holds("fff", "fff");
    let nodes = vec![
        node("a", [0.0, 0.0, 0.0], holds("xxx", "xxx")),
        node("b", [1.0, 0.0, 3.0], free),
        node("c", [0.0, 2.0, 3.0], free),
    ];
    let lines = vec![line("ab", 0, Some(1), Kind::Member)];
    let mut structure = Structure { nodes, lines, ..Structure::default() };
    let drawing = structure.drawing();
    assert_eq!(drawing.front, SPACE);
    let up = Drawing::project([0.0, 0.0, 1.0], drawing.front);
    assert!(up[0].abs() < 1e-12 && up[1] > 0.5, "the vertical stays vertical: {up:?}");
    structure.nodes.truncate(2);
    let drawing = structure.drawing();
    assert_eq!(Drawing::project(drawing.points[1], drawing.front), [1.0, 3.0]);
    // With x and y only, y is the height; rotations follow their axes.
    let plane = portal(holds("xx-", "--x")).drawing();
    assert_eq!(Drawing::project(plane.points[2], plane.front), [6.0, 4.0]);
    assert_eq!(plane.along([0.0, 0.0, 1.0]), [0.0, -1.0, 0.0]);
}

/// A straight bridge along x.
fn bridge() -> Structure {
    let free = holds("fff", "fff");
    let nodes = (0..5).map(|i| node(&format!("deck{i}"), [30.0 * f64::from(i), 0.0, 0.0], free)).collect();
    let lines = (0..4).map(|i| line(&format!("span{i}"), i, Some(i + 1), Kind::Member)).collect();
    Structure { nodes, lines, ..Structure::default() }
}

#[test]
fn a_motion_out_of_the_plane_is_seen_from_aside() {
    let drawing = bridge().drawing();
    let moving = |axis: usize| {
        let frames = (0..5).flat_map(|_| (0..6).map(|a| if a == axis { 0.1f32 } else { 0.0 })).collect();
        Motion::Frames { times: vec![0.0], frames }
    };
    assert_eq!(drawing.direction(&moving(2)), drawing.front, "up and down is seen from the front");
    let direction = drawing.direction(&moving(1));
    let seen = Drawing::project([0.0, 1.0, 0.0], direction);
    assert!(seen[0].hypot(seen[1]) > 0.5, "the transverse motion shows: {seen:?}");
    let along = Drawing::project([1.0, 0.0, 0.0], direction);
    assert!(along[0].hypot(along[1]) > 0.8, "and the bridge too: {along:?}");
}

#[test]
fn displacements_are_enlarged_by_round_numbers() {
    let drawing = bridge().drawing();
    assert_eq!(drawing.magnification(0.2), 50.0);
    assert_eq!(drawing.magnification(100.0), 0.1);
    assert_eq!((drawing.magnification(0.0), drawing.magnification(f64::NAN)), (0.0, 0.0));
}

#[test]
fn members_of_a_still_pass_through_their_shape_function() {
    let drawing = bridge().drawing();
    let mut state = vec![0.0f32; 30];
    (state[6 + 2], state[6 + 4]) = (0.5, -0.01);
    let course = drawing.course(&drawing.edges[0], Some((&state, 2.0)));
    let end = |i: usize, u: f64, t: f64| (drawing.points[i], [0.0, 0.0, u], [0.0, t, 0.0]);
    let turn = 2.0 * f64::from(-0.01f32);
    let ends = Ends { at: [end(0, 0.0, 0.0), end(1, 1.0, turn)], hinges: [false; 2] };
    let middle = bent(&ends, 0.5);
    assert!((0..3).all(|a| (course[6][a] - middle[a]).abs() < 1e-9), "{:?} {middle:?}", course[6]);
    assert!((middle[2] - 0.5).abs() > 0.05, "which is no straight chord: {middle:?}");
    assert_eq!(drawing.course(&drawing.edges[0], None).len(), 2);
    assert!(drawing.still(SPACE, Some((&state, 2.0)), 560.0, 420.0).contains("<path"));
}

fn instrument(name: &str, role: Role, acts: Vec<(usize, Acts)>) -> Instrument {
    Instrument { name: name.into(), role, holds: String::new(), acts }
}

/// The portal in a rig: a strut, a long one, an actuator with an arm, one that turns, one that holds a load, and sensors of their own.
fn rigged() -> Structure {
    let strut = |anchor: [f64; 3], attachment: [f64; 3]| Acts::Strut { anchor, attachment };
    let sum = |moves: [f64; 3], turns: [f64; 3]| Acts::Sum { moves, turns };
    let mut structure = portal(holds("xx-", "--x"));
    structure.rigid = vec![[1, 2]];
    let still = [0.0; 3];
    structure.instruments = vec![
        instrument("west", Role::Actuator, vec![(1, strut([-3.0, 4.0, 0.0], [0.0, 4.0, 0.0]))]),
        instrument("far", Role::Actuator, vec![(1, strut([-100.0, 3.0, 0.0], [0.0, 3.0, 0.0]))]),
        instrument("arm", Role::Actuator, vec![(2, sum([1.0, 0.0, 0.0], [0.0, 0.0, 1.5]))]),
        instrument("twist", Role::Actuator, vec![(2, sum(still, [0.0, 0.0, -1.0]))]),
        Instrument {
            holds: "-1200 kN".into(),
            ..instrument("jack", Role::Actuator, vec![(2, sum([0.0, 1.0, 0.0], still))])
        },
        instrument("pair-1", Role::Actuator, vec![(1, sum([0.0, 1.0, 0.0], still))]),
        instrument("pair-2", Role::Actuator, vec![(1, sum([0.0, 1.0, 0.0], still))]),
        instrument("lvdt", Role::Transducer, vec![(2, strut([9.0, 4.0, 0.0], [6.0, 4.0, 0.0]))]),
        instrument("cell", Role::LoadCell, vec![(1, sum([1.0, 0.0, 0.0], still))]),
    ];
    structure
}

#[test]
fn a_rig_is_drawn_in_its_place() {
    let sheet = rigged().sheet("A portal in its rig", ("m", 1.0));
    no_text_meets_another(&sheet.0);
    let svg = sheet.svg();
    for class in ["actuator", "transducer", "load cell", "rigid"] {
        assert!(svg.contains(&format!("<g class=\"{class}\">")), "{class}");
    }
    for text in ["west", "far, 100 m long", "arm", "twist", "jack, holds -1200 kN", "pair-1", "pair-2", "lvdt", "cell"]
    {
        assert!(svg.contains(&format!(">{text}<")), "{text}");
    }
    for word in ["actuator with transducer", "actuator in force control", "transducer", "load cell"] {
        assert!(svg.contains(&format!(">{word}<")), "{word}");
    }
    assert!(svg.contains(">reaction wall or floor<") && !svg.contains("NaN") && !svg.contains("inf"));
    assert!(svg.contains(">jack (actuator in force control, holds -1200 kN)</title>"));
    // The strut is to scale: its wall is 3 m to the left of the column, which is 4 m high.
    let drawing = rigged().drawing();
    let [west, ..] = &rigged().places(&drawing, &rigged().instruments[0])[..] else { panic!("no place") };
    let rig::Place::Strut { from, to, wall: true, length: None } = west else { panic!("{west:?}") };
    assert_eq!((*from, *to), (drawing.along([-3.0, 4.0, 0.0]), drawing.along([0.0, 4.0, 0.0])));
}

#[test]
fn odd_rigs_are_drawn_too() {
    let sum = |moves: [f64; 3], turns: [f64; 3]| Acts::Sum { moves, turns };
    let odd = [
        Acts::Strut { anchor: [f64::NAN; 3], attachment: [0.0; 3] },
        Acts::Strut { anchor: [f64::INFINITY, 0.0, 0.0], attachment: [0.0; 3] },
        Acts::Strut { anchor: [0.0; 3], attachment: [0.0; 3] },
        Acts::Strut { anchor: [0.0, 0.0, 9e9], attachment: [0.0, 4.0, 0.0] },
        sum([0.0; 3], [0.0; 3]),
        sum([f64::NAN; 3], [1.0; 3]),
        sum([1e-300, 0.0, 0.0], [0.0, 0.0, 1e300]),
    ];
    for acts in odd {
        for node in [1, 99] {
            let mut structure = portal(holds("xx-", "--x"));
            structure.rigid = vec![[0, 77]];
            structure.instruments = vec![instrument("<odd>", Role::Actuator, vec![(node, acts.clone())])];
            let svg = structure.sheet("odd", ("m", 1.0)).svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<odd>"), "{acts:?}\n{svg}");
        }
    }
}
