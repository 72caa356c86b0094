//! Short blocks: sections, parts and their uses, templates, and the tables of element keys inside of them.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinates, Info};

use super::Value::{Either, Quantity, Table, Tables, Text, Whole, Word};
use super::elements::element;
use super::sections::{key, list, named, quantity, section};
use super::{Key, Section, Value};
use crate::units::Dimension;

/// Templates, with what they are for; the lists of tables of this name.
const BLOCKS: [(&str, &str, &str); 6] = [
    ("use", "Parts put to use.", "[{ part = \"pier\", name = \"pier1\" }]"),
    ("shear-building", "Masses on storeys.", "[{ storeys = 5, mass = \"20 t\", k = \"30 kN/mm\" }]"),
    ("chain", "Masses in a row, joined by springs.", "[{ masses = 4, mass = \"1 t\", k = \"100 kN/m\" }]"),
    (
        "plane-frame",
        "Frames of columns and beams in a plane.",
        "[{ bays = [\"6 m\"], storeys = [\"3 m\"], column = \"steel\", beam = \"steel\" }]",
    ),
    (
        "space-frame",
        "Frames in space.",
        "[{ bays_x = [\"6 m\"], bays_y = [\"5 m\"], storeys = [\"3 m\"], column = \"steel\", beam = \"steel\" }]",
    ),
    (
        "viaduct",
        "Decks on piers.",
        "[{ spans = [\"20 m\", \"20 m\"], deck = \"box\", pier = \"shaft\", heights = \"8 m\" }]",
    ),
];

/// Keys of the file and of parts that hold blocks.
pub(super) fn blocks() -> Vec<Key> {
    BLOCKS.iter().map(|(name, doc, example)| key(name, Tables(name), *doc, *example)).collect()
}

/// Keys of the file that declare what blocks use.
pub(super) fn declarations() -> Vec<Key> {
    vec![
        key(
            "section",
            Table("sections"),
            "Keys that several elements share, by name.",
            "{ steel = { E = \"210 GPa\" } }",
        ),
        key("part", Table("parts"), "Groups of tables that are written once and used many times.", "{ pier = { } }"),
    ]
}

/// What stands in `[[element]]`: all keys of a type, or some of them with a section.
pub(super) fn elements() -> Value {
    list(Either(vec![Table("element"), Table("sectioned")]))
}

/// All tables of the template language.
pub(super) fn all() -> Vec<Section> {
    let sections = "Shared keys of elements, [section.NAME].";
    let parts = "Parts, [part.NAME]: tables with names of their own.";
    let paths = &["column", "beam", "beam_x", "beam_y", "deck", "pier"];
    let mut all = vec![
        sectioned(),
        named("sections", "[section]", &[], sections, Table("section")),
        shared(),
        named("parts", "[part]", &[], parts, Table("part")),
        part(),
        uses(),
        named(
            "use-parameters",
            "{ h = ... }",
            &["use.parameters"],
            "Values of the part's parameters; a list has one for each instance.",
            or_list(anything()),
        ),
        named(
            "use-connect",
            "{ top = ... }",
            &["use.connect"],
            "Nodes of the part, each with the node of the model that it is.",
            or_list(Text),
        ),
    ];
    all.extend([shear_building(), chain(), plane_frame(), space_frame(), viaduct(), bearing()]);
    let doc = "Keys of an element between two nodes, without the nodes: those of its `type`.";
    all.push(Section {
        keys: any(two_nodes, &["nodes", "dof", "dofs", "name"]),
        ..section("law", "{ type = ... }", &[], doc, vec![])
    });
    let doc = "Keys of a beam, without its nodes: those of beam2d or beam3d.";
    let mut keys = any(|i| i.name.starts_with("beam"), &["nodes", "name"]);
    keys.push(mass_per_length());
    all.push(Section { keys, ..section("member", "{ E = ..., A = ... }", paths, doc, vec![]) });
    all
}

fn anything() -> Value {
    Quantity("what the key stands for".to_owned())
}

fn or_list(value: Value) -> Value {
    Either(vec![value.clone(), list(value)])
}

fn count() -> Value {
    Either(vec![Whole, Text])
}

fn lengths() -> Value {
    Either(vec![count(), list(quantity(Dimension::LENGTH))])
}

fn law() -> Value {
    Either(vec![Text, Table("law")])
}

fn members() -> Value {
    or_list(Either(vec![Text, Table("member")]))
}

fn two_nodes(info: &Info) -> bool {
    matches!(info.coordinates, Coordinates::Difference) || info.name == "formula"
}

/// The keys of all elements that `which` accepts, each once and none required, without those in `left_out`.
fn any(which: impl Fn(&Info) -> bool, left_out: &[&str]) -> Vec<Key> {
    let types: Vec<&'static Info> = catalogue().filter(|i| which(i)).collect();
    let names: Vec<&'static str> = types.iter().map(|i| i.name).collect();
    let section_key =
        key("section", Text, "The [section.NAME] whose keys it takes where it has none itself.", "\"steel\"");
    let mut all = vec![key("type", Word(names), "Type of the element.", "\"spring\""), section_key];
    for (info, own) in types.iter().flat_map(|i| element(i).keys.into_iter().map(move |k| (i, k))) {
        if left_out.contains(&own.name) || own.name == "type" {
            continue;
        }
        match all.iter_mut().find(|k| k.name == own.name) {
            None => all.push(Key { required: false, default: None, ..own }),
            Some(known) => {
                if known.doc != own.doc && !known.doc.starts_with("As ") {
                    known.doc = format!("As the type of the element has it: {} and others.", info.name);
                }
                if known.value != own.value {
                    known.value = Either(vec![known.value.clone(), own.value]);
                }
            }
        }
    }
    all
}

fn mass_per_length() -> Key {
    let dim = Dimension::MASS.per(Dimension::LENGTH);
    key("mass_per_length", quantity(dim), "With `A`, in place of `rho`.", "\"48 kg/m\"")
}

/// An element whose other keys stand in a section; the reader meets it as an `[[element]]` of its type.
fn sectioned() -> Section {
    let keys = any(|_| true, &[]).into_iter().map(|k| if k.name == "section" { k.required() } else { k }).collect();
    let doc = "An element that takes keys of a [section.NAME]; those it gives itself hold.";
    section("sectioned", "[[element]] with section = ...", &[], doc, keys)
}

fn shared() -> Section {
    let mut keys = any(|_| true, &["name", "section"]);
    keys.retain(|k| k.name != "section");
    keys.push(mass_per_length());
    let doc = "Keys of an element that several elements share.";
    section("section", "[section.NAME]", &["section.*"], doc, keys)
}

fn part() -> Section {
    let mut keys = vec![
        key("parameters", Table("parameters"), "Its parameters with their usual values.", "{ h = \"5 m\" }"),
        key("node", Tables("node"), "Its nodes.", "[{ name = \"cap\", at = [0, \"h\"] }]"),
        key("element", elements(), "Its elements.", "[{ section = \"concrete\", nodes = [\"foot\", \"cap\"] }]"),
        key("load", Tables("load"), "Its loads.", "[{ type = \"force\", at = \"cap.x\", signal = \"push\" }]"),
    ];
    keys.extend(blocks());
    let doc = "Nodes, elements, loads and blocks, with names and parameters of their own.";
    section("part", "[part.NAME]", &["part.*"], doc, keys)
}

fn uses() -> Section {
    let position = list(quantity(Dimension::LENGTH));
    let keys = vec![
        key("part", Text, "The part.", "\"pier\"").required(),
        key("name", Text, "In front of its names: `NAME_node`, with a count `NAME1_node`.", "\"pier\"").required(),
        key("count", count(), "How many; `i` is the number of each, from 1.", "3").default("1"),
        key(
            "at",
            Either(vec![position.clone(), list(position)]),
            "Added to the positions of its nodes; a list of positions has one for each.",
            "[\"i*10 m\", 0]",
        ),
        key("parameters", Table("use-parameters"), "Values of its parameters.", "{ h = [\"4 m\", \"6 m\"] }"),
        key(
            "connect",
            Table("use-connect"),
            "Which nodes of the part are nodes of the model; `{i}` in a name is the number.",
            "{ top = \"deck{i}\" }",
        ),
    ];
    section("use", "[[use]]", &["use"], "A part put to use, once or many times.", keys)
}

/// A template: its own keys behind those that all have.
fn template(
    name: &'static str,
    written: &'static str,
    paths: &'static [&'static str],
    doc: &str,
    own: Vec<Key>,
) -> Section {
    let mut keys = vec![
        key("name", Text, "`NAME_` stands in front of all names made.", "\"annex\""),
        key(
            "at",
            list(quantity(Dimension::LENGTH)),
            "Position of the block, one to three coordinates.",
            "[\"10 m\", 0]",
        ),
    ];
    keys.extend(own);
    section(name, written, paths, doc, keys)
}

fn shear_building() -> Section {
    let own = vec![
        key("storeys", count(), "Number of storeys.", "5").required(),
        key("mass", or_list(quantity(Dimension::MASS)), "Mass of the floors, for all or each.", "\"20 t\"").required(),
        key("k", or_list(quantity(Dimension::STIFFNESS)), "Stiffness of linear storeys.", "\"30 kN/mm\""),
        key(
            "storey",
            or_list(law()),
            "Law of the storeys, in place of `k`.",
            "{ type = \"spring\", k = \"30 kN/mm\" }",
        ),
        key("storey<N>", law(), "Law of one storey, in place of that of all.", "\"soft\""),
        key("base", Text, "The node it stands on.", "\"slab\"").default("\"ground\""),
        key("dof", or_list(Text), "Direction, or several.", "[\"x\", \"y\"]").default("\"x\""),
        key("height", or_list(quantity(Dimension::LENGTH)), "Height of the storeys, for drawings.", "\"3.5 m\"")
            .default("\"3 m\""),
    ];
    let doc = "Floors `floor1`, ... one above the other, joined by `storey1`, ...";
    template("shear-building", "[[shear-building]]", &["shear-building"], doc, own)
}

fn chain() -> Section {
    let own = vec![
        key("masses", count(), "Number of masses.", "4").required(),
        key("mass", or_list(quantity(Dimension::MASS)), "The masses, for all or each.", "\"1 t\"").required(),
        key("k", or_list(quantity(Dimension::STIFFNESS)), "Stiffness of linear springs.", "\"100 kN/m\""),
        key("spring", or_list(law()), "Law of the springs, in place of `k`.", "{ type = \"spring\", k = \"1 kN/mm\" }"),
        key("spring<N>", law(), "Law of one spring, in place of that of all.", "\"soft\""),
        key("ends", list(Text), "What both ends are attached to: nodes, or \"free\".", "[\"ground\", \"roof\"]")
            .default("[\"ground\", \"free\"]"),
        key("dof", Text, "Direction.", "\"y\"").default("\"x\""),
        key("spacing", quantity(Dimension::LENGTH), "Distance of the masses, for drawings.", "\"2 m\"")
            .default("\"1 m\""),
    ];
    template("chain", "[[chain]]", &["chain"], "Masses `m1`, ... joined by `spring1`, ...", own)
}

fn supports() -> Key {
    key("supports", Word(vec!["fixed", "pinned"]), "What the columns stand on.", "\"pinned\"").default("\"fixed\"")
}

fn floor_mass() -> Key {
    let doc = "Mass of the floors, shared equally by their nodes.";
    key("floor_mass", or_list(quantity(Dimension::MASS)), doc, "\"8 t\"")
}

fn spacing(name: &'static str, doc: &str) -> Key {
    key(name, lengths(), doc, "[\"6 m\", \"4 m\"]").required()
}

fn each(name: &'static str, doc: &str) -> Key {
    key(name, quantity(Dimension::LENGTH), doc, "\"3.5 m\"")
}

fn plane_frame() -> Section {
    let own = vec![
        spacing("bays", "Widths of the bays from the left, or their number."),
        each("width", "Width of each, if `bays` is a number."),
        spacing("storeys", "Heights of the storeys from below, or their number."),
        each("height", "Height of each, if `storeys` is a number."),
        key("column", members(), "The columns (beam2d), for all storeys or each.", "\"steel\"").required(),
        key("beam", members(), "The beams (beam2d), for all storeys or each.", "\"steel\"").required(),
        supports(),
        floor_mass(),
    ];
    let doc = "Nodes `n2_0` (level, line), columns `c2_0` below them, beams `b2_0`; the levels are counted from the supports.";
    template("plane-frame", "[[plane-frame]]", &["plane-frame"], doc, own)
}

fn space_frame() -> Section {
    let own = vec![
        spacing("bays_x", "Widths of the bays along x, or their number."),
        each("width_x", "Width of each, if `bays_x` is a number."),
        spacing("bays_y", "Widths of the bays along y, or their number."),
        each("width_y", "Width of each, if `bays_y` is a number."),
        spacing("storeys", "Heights of the storeys from below, or their number."),
        each("height", "Height of each, if `storeys` is a number."),
        key("column", members(), "The columns (beam3d); `vecxz` = [0, 1, 0] unless given.", "\"steel\"").required(),
        key("beam", members(), "The beams (beam3d) of both directions.", "\"steel\""),
        key("beam_x", members(), "The beams along x, in place of `beam`.", "\"steel\""),
        key("beam_y", members(), "The beams along y, in place of `beam`.", "\"steel\""),
        supports(),
        floor_mass(),
    ];
    let doc =
        "Nodes `n2_0_1` (level, line along x, line along y), columns `c2_0_1` below them, beams `x2_0_1` and `y2_0_1`.";
    template("space-frame", "[[space-frame]]", &["space-frame"], doc, own)
}

fn viaduct() -> Section {
    let abutment = || Word(vec!["pinned", "roller", "fixed", "free"]);
    let pier = Either(vec![Text, Table("member"), Table("law")]);
    let rest = Either(vec![Word(vec!["fixed", "pinned"]), Table("bearing")]);
    let own = vec![
        key(
            "plane",
            Word(vec!["longitudinal", "transverse"]),
            "The vertical plane along the bridge, where piers are beams; or the plan, for motion across, where piers are laws.",
            "\"transverse\"",
        )
        .default("\"longitudinal\""),
        spacing("spans", "Lengths of the spans from the left, or their number."),
        each("length", "Length of each, if `spans` is a number."),
        key("span_elements", count(), "Beams of each span.", "4").default("1"),
        key("deck", members(), "The deck (beam2d), for all spans or each.", "\"box\"").required(),
        key("hinges", list(Whole), "Spans whose right end is hinged, counted from 1.", "[3, 6]").default("[]"),
        key("abutments", or_list(abutment()), "What both ends rest on, or each.", "[\"pinned\", \"roller\"]")
            .default("\"pinned\""),
        key("pier", or_list(pier.clone()), "The piers: beams, or laws if transverse.", "\"shaft\""),
        key("pier<N>", pier, "One pier, in place of those of all; transverse only.", "\"tall\""),
        key("k", or_list(quantity(Dimension::STIFFNESS)), "Stiffness of linear piers; transverse only.", "\"20 kN/mm\""),
        key(
            "heights",
            or_list(quantity(Dimension::LENGTH)),
            "Heights of the piers, for all or each; longitudinal, where it is required.",
            "[\"8 m\", \"12 m\"]",
        ),
        key("pier_elements", count(), "Beams of each pier; longitudinal.", "2").default("1"),
        key("base", Word(vec!["fixed", "pinned"]), "What the piers stand on; longitudinal.", "\"pinned\"")
            .default("\"fixed\""),
        key("pier_mass", or_list(quantity(Dimension::MASS)), "Mass at the top of the piers.", "\"50 t\""),
        key("bearing", or_list(rest), "What is between piers and deck: nothing, a hinge, or laws.", "\"pinned\"")
            .default("\"fixed\""),
    ];
    let doc = "A deck `deck0`, `span1`, ... on `pier1`, ...; with bearings, `cap1` and `bearing1_x` between them.";
    template("viaduct", "[[viaduct]]", &["viaduct"], doc, own)
}

fn bearing() -> Section {
    let along = |name, doc: &str| key(name, law(), doc, "{ type = \"spring\", k = \"5 kN/mm\" }");
    let keys = vec![
        along("x", "Law along the deck; longitudinal."),
        along("y", "Law upwards, or across the deck if transverse."),
        along("rz", "Law of the rotation; longitudinal."),
    ];
    section("bearing", "bearing = { ... }", &[], "Laws between the top of a pier and the deck.", keys)
}
