//! The tables of the model file, apart from the elements.

use interfield_kernel::scheme::registry::SCHEMES;

use super::Value::{Either, Flag, List, Number, Quantity, Table, Tables, Text, Whole, Word};
use super::{Key, Section, Value, externals, laboratory, registries, templates};
use crate::units::Dimension;

/// Tangent policies.
const TANGENTS: [&str; 3] = ["exact", "initial", "given"];

/// An optional key.
pub(super) fn key(name: &'static str, value: Value, doc: impl Into<String>, example: impl Into<String>) -> Key {
    Key { name, value, required: false, default: None, doc: doc.into(), example: example.into() }
}

impl Key {
    pub(super) fn required(self) -> Self {
        Key { required: true, ..self }
    }

    pub(super) fn default(self, value: &str) -> Self {
        Key { default: Some(value.to_owned()), ..self }
    }
}

/// A text of a registry as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// The key that chooses a variant.
pub(super) fn chooser(name: &'static str, value: &'static str, doc: &str) -> Key {
    key(name, Word(vec![value]), sentence(doc), format!("\"{value}\"")).required()
}

pub(super) fn quantity(dim: Dimension) -> Value {
    Quantity(if dim.is_none() { "a pure number".to_owned() } else { dim.describe() })
}

pub(super) fn list(of: Value) -> Value {
    List(Box::new(of))
}

pub(super) fn section(
    name: &'static str,
    written: &'static str,
    paths: &'static [&'static str],
    doc: impl Into<String>,
    keys: Vec<Key>,
) -> Section {
    Section { name, written, paths, when: Vec::new(), doc: doc.into(), keys, others: None }
}

/// A table whose keys are the user's names.
pub(super) fn named(
    name: &'static str,
    written: &'static str,
    paths: &'static [&'static str],
    doc: &str,
    others: Value,
) -> Section {
    Section { others: Some(others), ..section(name, written, paths, doc, Vec::new()) }
}

/// The tables before the elements.
pub(super) fn first() -> Vec<Section> {
    vec![file(), units(), parameters(), node(), per_dof()]
}

/// The tables after the elements.
pub(super) fn rest() -> Vec<Section> {
    let mut all = vec![damping(), rayleigh()];
    all.extend(loads());
    all.push(signals());
    all.extend(signal_types());
    all.push(analysis());
    all.extend([substructure(), shares()]);
    all.extend(registries::couplings());
    all.extend(registries::schemes());
    all.extend(laboratory::all());
    all.extend(externals::all());
    all.push(record());
    all
}

fn file() -> Section {
    let mut keys = vec![
        key("title", Text, "One line that says what this is.", "\"Two-storey tower\"").default("\"untitled\""),
        key(
            "dofs",
            list(Text),
            "Degrees of freedom of every node that does not list its own: x, y, z are translations, rx, ry, rz and names that start with theta, phi, psi or rot are rotations.",
            "[\"x\", \"y\", \"rz\"]",
        ),
        key(
            "include",
            Either(vec![Text, list(Text)]),
            "Files whose tables are read as if they stood here; relative to the file that includes them.",
            "[\"sections.toml\"]",
        ),
        key(
            "units",
            Table("units"),
            "Units of plain numbers and of the output.",
            "{ length = \"mm\", force = \"kN\" }",
        ),
        key(
            "parameters",
            Table("parameters"),
            "Named values, used in expressions such as \"2*k1\".",
            "{ k1 = \"4 kN/mm\" }",
        ),
        key("node", Tables("node"), "The nodes.", "[{ name = \"roof\", mass = \"10 t\" }]"),
        key(
            "element",
            templates::elements(),
            "The elements.",
            "[{ type = \"spring\", nodes = [\"ground\", \"roof\"], dof = \"x\", k = \"4 kN/mm\" }]",
        ),
        key(
            "damping",
            Table("damping"),
            "Damping of the whole structure, in addition to that of elements.",
            "{ rayleigh = { ratio = 0.05 } }",
        ),
        key("load", Tables("load"), "The loads.", "[{ type = \"ground\", direction = \"x\", signal = \"quake\" }]"),
        key(
            "signal",
            Table("signals"),
            "Named signals, for use by several loads.",
            "{ quake = { type = \"synthetic\", peak = \"0.3 g\" } }",
        ),
        key(
            "analysis",
            Table("analysis"),
            "How to integrate; it stands in one of the files.",
            "{ scheme = \"lsrt2\", dt = \"5 ms\", duration = \"20 s\" }",
        ),
        key(
            "substructure",
            Tables("substructure"),
            "Parts of the structure with schemes and steps of their own.",
            "[{ name = \"deck\" }]",
        ),
        key("coupling", Table("coupling"), "How the substructures advance together.", "{ method = \"pmc\" }"),
        key(
            "specimen",
            Tables("specimen"),
            "Elements that stand in the laboratory.",
            "[{ name = \"isolators\", elements = [\"iso-*\"], rate = \"1 kHz\" }]",
        ),
        key(
            "external",
            Tables("external"),
            "Parts of the structure that other programs compute.",
            "[{ name = \"frame\", dofs = [\"roof.x\"], program = \"opensees\", command = [\"python3\", \"frame.py\"], adapter_stiffness = \"1e6 kN/m\" }]",
        ),
        key("record", Table("record"), "What to record.", "{ channels = [\"roof.x\"] }"),
    ];
    keys.extend(templates::declarations());
    keys.extend(templates::blocks());
    section("file", "", &[""], "A model of Interfield: a structure, its loads, and how to integrate it.", keys)
}

fn units() -> Section {
    let keys = vec![
        key("length", Text, "Unit of length.", "\"mm\"").default("\"m\""),
        key("time", Text, "Unit of time.", "\"s\"").default("\"s\""),
        key("force", Text, "Unit of force; the unit of mass follows from it.", "\"kN\"").default("\"N\""),
        key("mass", Text, "Unit of mass, instead of that of force.", "\"t\"").default("\"kg\""),
    ];
    section(
        "units",
        "[units]",
        &["units", "external.units"],
        "Units of plain numbers in the file and of the output, or of a program; SI if absent.",
        keys,
    )
}

fn parameters() -> Section {
    let doc = "Named values. A value may use others; `--set NAME=VALUE` on the command line replaces one.";
    named("parameters", "[parameters]", &["parameters", "part.parameters"], doc, Quantity("anything".to_owned()))
}

fn node() -> Section {
    let of = |dim: Dimension| Either(vec![quantity(dim), Table("per-dof")]);
    let keys = vec![
        key("name", Text, "Its name; `ground` is always there and always fixed.", "\"roof\"").required(),
        key("at", list(quantity(Dimension::LENGTH)), "Its position, one to three coordinates.", "[0, \"3 m\"]"),
        key("dofs", list(Text), "Its degrees of freedom, if not those of the top of the file.", "[\"x\", \"rz\"]"),
        key(
            "fixed",
            Either(vec![Flag, list(Text)]),
            "true, or the degrees of freedom that are held.",
            "[\"x\", \"y\"]",
        )
        .default("false"),
        key(
            "mass",
            of(Dimension::MASS),
            "Mass on all translations, or a table by degree of freedom.",
            "{ x = \"10 t\", rz = \"5 t*m^2\" }",
        ),
        key(
            "initial",
            of(Dimension::LENGTH),
            "Initial displacement, on all translations or by degree of freedom.",
            "{ x = \"5 mm\" }",
        ),
        key(
            "initial_velocity",
            of(Dimension::VELOCITY),
            "Initial velocity, on all translations or by degree of freedom.",
            "{ x = \"1 m/s\" }",
        ),
    ];
    section("node", "[[node]]", &["node"], "A named point with its degrees of freedom.", keys)
}

fn per_dof() -> Section {
    let paths = &["node.mass", "node.initial", "node.initial_velocity"];
    let doc = "A value for each degree of freedom of the node, by its name.";
    named("per-dof", "{ x = ..., rz = ... }", paths, doc, Quantity("what the degree of freedom measures".to_owned()))
}

fn damping() -> Section {
    let keys = vec![
        key(
            "rayleigh",
            Table("rayleigh"),
            "C = a0 M + a1 K with the initial stiffness.",
            "{ ratio = 0.05, modes = [1, 3] }",
        ),
        key(
            "modal",
            list(quantity(Dimension::NONE)),
            "Damping ratios of the first modes, none in the others.",
            "[0.05, \"5 %\"]",
        ),
    ];
    section("damping", "[damping]", &["damping"], "Damping of the whole structure: either `rayleigh` or `modal`.", keys)
}

fn rayleigh() -> Section {
    let keys = vec![
        key("ratio", quantity(Dimension::NONE), "Damping ratio in both modes.", "0.05"),
        key(
            "ratios",
            list(quantity(Dimension::NONE)),
            "Damping ratios in the two modes, instead of one.",
            "[0.02, 0.05]",
        ),
        key("modes", list(Whole), "The two modes, counted from 1.", "[1, 3]").default("[1, 2]"),
        key("a0", quantity(Dimension::RATE), "Factor of the mass, instead of ratios.", "\"0.4 1/s\""),
        key("a1", quantity(Dimension::TIME), "Factor of the stiffness, instead of ratios.", "\"1 ms\""),
    ];
    section("rayleigh", "{ ratio = ... }", &["damping.rayleigh"], "Rayleigh damping, by ratios or by factors.", keys)
}

fn loads() -> Vec<Section> {
    let signal = || Either(vec![Text, Table("signal")]);
    let load = |kind: &'static str, doc: &str, own: Vec<Key>| {
        let mut keys = vec![chooser("type", kind, doc), key("name", Text, "Its name, for channels.", "\"quake\"")];
        keys.extend(own);
        Section { when: vec![("type", kind)], ..section("load", "[[load]]", &["load"], doc, keys) }
    };
    let harmonic = "{ type = \"harmonic\", amplitude = \"8 kN\", frequency = \"2 Hz\" }";
    vec![
        load(
            "ground",
            "Acceleration of the ground; displacements are then relative to it.",
            vec![
                key("direction", Text, "Degree of freedom along which the ground moves.", "\"x\"").required(),
                key(
                    "signal",
                    signal(),
                    "Its acceleration: a table, or the name of a [signal.NAME].",
                    "{ type = \"synthetic\", peak = \"0.3 g\" }",
                )
                .required(),
                key(
                    "support_inertia",
                    Flag,
                    "Whether the mass that couples free nodes to the moving supports is included.",
                    "false",
                )
                .default("true"),
            ],
        ),
        load(
            "force",
            "A force or moment on one degree of freedom.",
            vec![
                key("at", Text, "The degree of freedom.", "\"roof.x\"").required(),
                key("signal", signal(), "Its value: a table, or the name of a [signal.NAME].", harmonic).required(),
            ],
        ),
        load(
            "imposed",
            "A prescribed motion of one degree of freedom, by displacement or acceleration.",
            vec![
                key("at", Text, "The degree of freedom.", "\"base.x\"").required(),
                key(
                    "displacement",
                    signal(),
                    "Its displacement: a table, or the name of a [signal.NAME].",
                    "{ type = \"harmonic\", amplitude = \"5 mm\", frequency = \"2 Hz\" }",
                ),
                key("acceleration", signal(), "Its acceleration instead, integrated twice from rest.", "\"quake\""),
            ],
        ),
    ]
}

fn signals() -> Section {
    let doc = "Named signals, [signal.NAME], for use by several loads.";
    named("signals", "[signal]", &["signal"], doc, Table("signal"))
}

fn signal_types() -> Vec<Section> {
    let signal = |when: Vec<(&'static str, &'static str)>, doc: &str, own: Vec<Key>| {
        let mut keys: Vec<Key> = when.iter().map(|(k, v)| chooser(k, v, doc)).collect();
        keys.extend(own);
        keys.push(key("scale", Number, "Factor on all values.", "1.5").default("1"));
        let paths = &["load.signal", "load.displacement", "load.acceleration", "signal.*"];
        Section { when, ..section("signal", "signal = { ... }", paths, doc, keys) }
    };
    let of_signal = || Quantity("what the signal drives".to_owned());
    let time = |name, doc: &str, example: &str| key(name, quantity(Dimension::TIME), doc, example);
    let acceleration = |name, doc: &str| key(name, quantity(Dimension::ACCELERATION), doc, "\"0.25 g\"").required();
    let generated = |spectrum, doc: &str, own: Vec<Key>| {
        let mut keys = own;
        keys.extend([
            time("duration", "Its duration.", "\"20 s\"").default("\"20 s\""),
            time("dt", "Its sampling interval.", "\"10 ms\"").default("\"10 ms\""),
            key("seed", Either(vec![Whole, Text]), "Chooses another motion with the same spectrum.", "2").default("1"),
        ]);
        signal(vec![("type", "generated"), ("spectrum", spectrum)], doc, keys)
    };
    vec![
        signal(
            vec![("type", "harmonic")],
            "mean + amplitude sin(omega t + phase).",
            vec![
                key("amplitude", of_signal(), "Its amplitude.", "\"8 kN\"").required(),
                key("frequency", quantity(Dimension::FREQUENCY), "Cycles per time, instead of `omega`.", "\"2 Hz\""),
                key(
                    "omega",
                    quantity(Dimension::ANGULAR_FREQUENCY),
                    "Circular frequency, instead of `frequency`.",
                    "\"7 rad/s\"",
                ),
                key("phase", quantity(Dimension::NONE), "Phase at t = 0.", "\"90 deg\"").default("0"),
                key("mean", of_signal(), "Value about which it swings.", "\"2 kN\"").default("0"),
            ],
        ),
        signal(
            vec![("type", "synthetic")],
            "The synthetic ground motion of the tests: 20 s, sampled at 10 ms.",
            vec![key("peak", of_signal(), "Its peak.", "\"0.3 g\"").required()],
        ),
        signal(
            vec![("type", "table")],
            "Values in the file, linear in between and zero outside.",
            vec![
                key("values", list(of_signal()), "The values.", "[0, \"5 kN\", 0]").required(),
                time("dt", "Interval between them, instead of `times`.", "\"10 ms\""),
                key("times", list(quantity(Dimension::TIME)), "Their times, instead of `dt`.", "[0, \"1 s\", \"2 s\"]"),
            ],
        ),
        signal(
            vec![("type", "file")],
            "A record in a file: PEER AT2, ESM, COSMOS, or columns of numbers.",
            vec![
                key("path", Text, "The file, relative to the model.", "\"record.at2\"").required(),
                key(
                    "format",
                    Word(vec!["columns", "peer", "esm", "cosmos"]),
                    "Its format, if it is not recognised.",
                    "\"peer\"",
                ),
                key("unit", Text, "Unit of its values, if it does not say.", "\"g\""),
                time("dt", "Sampling interval, if it does not say.", "\"10 ms\""),
                key("column", Whole, "Column of a file of columns, counted from 1.", "2"),
                key("baseline", Whole, "Degree (0 to 3) of the polynomial taken off the acceleration.", "1"),
                key(
                    "band_pass",
                    list(quantity(Dimension::FREQUENCY)),
                    "Corners of a zero-phase filter.",
                    "[\"0.1 Hz\", \"25 Hz\"]",
                ),
                time("resample", "New sampling interval.", "\"5 ms\""),
                key("peak", of_signal(), "Peak to which it is scaled.", "\"0.3 g\""),
            ],
        ),
        generated(
            "ec8",
            "A ground motion made to fit the spectrum of Eurocode 8.",
            vec![
                acceleration("ag", "Design ground acceleration."),
                key("ground", Word(vec!["A", "B", "C", "D", "E"]), "Ground type.", "\"B\"").required(),
                key("kind", Whole, "Spectrum of type 1 or 2.", "1").default("1"),
                key("damping", quantity(Dimension::NONE), "Damping of the spectrum.", "0.05").default("0.05"),
            ],
        ),
        generated(
            "asce7",
            "A ground motion made to fit the spectrum of ASCE 7.",
            vec![
                acceleration("sds", "Design spectral acceleration at short periods."),
                acceleration("sd1", "Design spectral acceleration at a period of 1 s."),
                time("tl", "Long-period transition.", "\"8 s\"").default("\"8 s\""),
            ],
        ),
        signal(
            vec![("type", "constant")],
            "The same value always.",
            vec![key("value", of_signal(), "The value.", "\"5 kN\"").required()],
        ),
        signal(
            vec![("type", "formula")],
            "A formula in `t`, in the units of the file.",
            vec![key("value", Text, "The formula.", "\"10*sin(2*pi*t)\"").required()],
        ),
    ]
}

fn analysis() -> Section {
    let names: Vec<&'static str> = SCHEMES.iter().map(|s| s.name).collect();
    let keys = vec![
        key("scheme", Either(vec![Word(names), Table("scheme")]), "The integrator: a name, or a table with its parameters; see `interfield schemes`.", "{ name = \"lsrt2\", gamma = \"plus\" }").default("\"lsrt2\""),
        key("dt", quantity(Dimension::TIME), "The step.", "\"5 ms\"").required(),
        key("duration", quantity(Dimension::TIME), "End of the analysis.", "\"20 s\"").required(),
        key("tangent", Word(TANGENTS.to_vec()), "Jacobian that the scheme works with: exact, that of the initial state, or estimates given by the elements.", "\"initial\"").default("\"exact\""),
        key("events", Word(vec!["step", "land"]), "What becomes of stops and springs that turn stiff: stepped over like everything else (the verdict says if that was too coarse), or landed on, in substeps short enough; not with specimens, nor in substructures.", "\"land\"").default("\"step\""),
    ];
    section("analysis", "[analysis]", &["analysis"], "How to integrate.", keys)
}

fn substructure() -> Section {
    let names: Vec<&'static str> = SCHEMES.iter().map(|s| s.name).collect();
    let keys = vec![
        key(
            "name",
            Text,
            "Its name; with neither `elements` nor `nodes` it takes everything not listed elsewhere.",
            "\"piers\"",
        )
        .required(),
        key("elements", list(Text), "Its elements; a trailing * matches any ending.", "[\"pier9\", \"iso-*\"]"),
        key("nodes", list(Text), "Nodes whose mass it shares although no element of it touches them.", "[\"deck9\"]"),
        key(
            "scheme",
            Either(vec![Word(names), Table("scheme")]),
            "Its integrator, if not that of [analysis].",
            "\"newmark\"",
        ),
        key("tangent", Word(TANGENTS.to_vec()), "Its Jacobian, if not that of [analysis].", "\"initial\""),
        key(
            "side",
            Word(vec!["coarse", "fine"]),
            "Its side of a coupling that has a coarse and a fine one.",
            "\"fine\"",
        ),
        key("substeps", Whole, "Number of its steps in one step of the analysis.", "10").default("1"),
        key(
            "interface_mass",
            Either(vec![quantity(Dimension::NONE), Table("interface-mass")]),
            "Its share of the nodal mass at interfaces, 0 to 1, for all nodes or by node.",
            "0.05",
        ),
    ];
    let doc = "A part of the structure with a scheme and a step of its own.";
    section("substructure", "[[substructure]]", &["substructure"], doc, keys)
}

fn shares() -> Section {
    let doc = "Share of the nodal mass, 0 to 1, by node.";
    named("interface-mass", "{ deck9 = 0.05 }", &["substructure.interface_mass"], doc, quantity(Dimension::NONE))
}

fn record() -> Section {
    let keys = vec![
        key(
            "channels",
            list(Text),
            "What is recorded: `roof.x`, `roof.x.v`, `roof.x.a`, `roof.x.abs` (absolute acceleration), `spring.force`, `spring.deformation`, a state `iso.z`, a load `quake`, and of a specimen `slab.x.target`, `slab.x.reached`, `slab.x.measured` (force), of an external `frame.roof.x.target` and so on; all displacements (up to 24) if absent.",
            "[\"roof.x\", \"spring.force\"]",
        ),
        key("every", Whole, "Records every so many steps.", "10").default("1"),
        key(
            "energy",
            Flag,
            "Records the energy balance too: energy.kinetic, energy.internal, energy.damping, energy.input, energy.error.",
            "true",
        )
        .default("false"),
    ];
    section("record", "[record]", &["record"], "What to record.", keys)
}
