//! The tables of a specimen.

use interfield_lab::compensate::COMPENSATIONS;
use interfield_lab::fieldbus::Number as Type;
use interfield_lab::safety::Action;

use super::Value::{Either, Flag, Number, Quantity, Table, Tables, Text, Whole, Word};
use super::registries::parameter;
use super::sections::{chooser, key, list, named, quantity, section, sentence};
use super::{Key, Section, Value};
use crate::units::Dimension;

/// A length or an angle, after the degree of freedom that is moved.
fn stroke() -> Value {
    Quantity("a length, or an angle where a rotation is moved".to_owned())
}

/// The force against a [`stroke`].
fn force() -> Value {
    Quantity("a force, or a moment where a rotation is moved".to_owned())
}

/// All of them.
pub(super) fn all() -> Vec<Section> {
    let mut all = vec![specimen(), mass()];
    all.extend(compensation());
    all.extend([actuator(), along(), sensor("displacement-sensor"), sensor("force-sensor"), calibration()]);
    all.extend([wiring(), field(), interlock(), bit(), button(), limits(), actuator_limits(), limit(), fault()]);
    all
}

fn specimen() -> Section {
    let methods = COMPENSATIONS.iter().map(|m| m.name).collect();
    let keys = vec![
        key("name", Text, "Its name.", "\"isolators\"").required(),
        key(
            "at",
            Text,
            "Where its controller is: udp://HOST:PORT, shm:/NAME or ethercat:INTERFACE; emulated here if absent.",
            "\"udp://127.0.0.1:7700\"",
        ),
        key(
            "key",
            Text,
            "Key file that its messages are sealed with, see `interfield key`; relative to the model file.",
            "\"lab.key\"",
        ),
        key("insecure", Flag, "Lets messages leave the machine without a seal.", "true").default("false"),
        key(
            "elements",
            list(Text),
            "Elements whose force is measured; a trailing * matches any ending.",
            "[\"iso-*\"]",
        ),
        key(
            "mass",
            Table("specimen-mass"),
            "Mass that stands in the laboratory and is not in the model.",
            "{ \"table.x\" = \"1.8 kg\" }",
        ),
        key(
            "rate",
            quantity(Dimension::FREQUENCY),
            "Sampling rate of its controller; once per step if absent.",
            "\"1 kHz\"",
        ),
        key(
            "record_rate",
            quantity(Dimension::FREQUENCY),
            "Rate of its recording, a whole part of `rate`; each sample if absent. Limits and peaks see each sample anyway.",
            "\"100 Hz\"",
        ),
        key("time_scale", quantity(Dimension::NONE), "Seconds in the laboratory per second of the model.", "200")
            .default("1"),
        key("scale", quantity(Dimension::NONE), "Structure over specimen in length; forces by its square.", "2.5")
            .default("1"),
        key(
            "ramp",
            quantity(Dimension::TIME),
            "Shortest time of the ways to the initial displacement and home; longer where the envelope of an actuator asks for it.",
            "\"2 s\"",
        )
        .default("\"2 s\""),
        key("patience", quantity(Dimension::TIME), "Longest hold before going home; a pause may last longer.", "\"10 s\"")
            .default("\"10 s\""),
        key(
            "bridge",
            quantity(Dimension::TIME),
            "How long a late target is bridged by a motion that runs out, before the test holds.",
            "\"20 ms\"",
        )
        .default("\"20 ms\""),
        key("brake", quantity(Dimension::TIME), "In what time a motion is braked for a hold or on the way home.", "\"50 ms\"")
            .default("\"50 ms\""),
        key(
            "home",
            Word(vec!["displacement", "force", "hold"]),
            "Where the test leaves the specimen: where it stood at the start, where it carries no force, or where it is.",
            "\"force\"",
        )
        .default("\"displacement\""),
        key(
            "late",
            Word(vec!["hold", "extrapolate", "abort"]),
            "What the controller does while a target is late.",
            "\"extrapolate\"",
        )
        .default("\"hold\""),
        key(
            "correct_force",
            Flag,
            "Moves the measured force from where the specimen is to where it should be, by its stiffness at rest.",
            "true",
        )
        .default("false"),
        key(
            "compensation",
            Either(vec![Word(methods), Table("compensation")]),
            "How its commands are compensated.",
            "\"ats\"",
        )
        .default("\"none\""),
        key(
            "actuator",
            Tables("actuator"),
            "Its actuators; a perfect one along each moved degree of freedom if absent.",
            "[{ type = \"second-order\", frequency = \"25 Hz\", damping = 0.7 }]",
        ),
        key(
            "at_end",
            Word(vec!["hold", "zero"]),
            "What becomes of the outputs of EtherCAT terminals at the end.",
            "\"zero\"",
        )
        .default("\"hold\""),
        key(
            "interlock",
            Table("interlock"),
            "Digital in- and outputs of an EtherCAT bus for the interlock of the laboratory, which they do not replace.",
            "{ emergency_stop = { device = 2, byte = 0, bit = 3 }, enable = { device = 3, byte = 0, bit = 1 } }",
        ),
        key("limits", Table("limits"), "What must not happen.", "{ displacement = \"90 mm\" }"),
        key(
            "fault",
            Tables("fault"),
            "What goes wrong on purpose, in the emulated laboratory.",
            "[{ type = \"silence\", at = \"3 s\", for = \"50 ms\" }]",
        ),
    ];
    let doc = "Elements that stand in the laboratory: their force is measured, not computed. Without hardware they are emulated.";
    section("specimen", "[[specimen]]", &["specimen"], doc, keys)
}

fn mass() -> Section {
    let doc = "Mass in the laboratory, by degree of freedom.";
    named("specimen-mass", "mass = { \"table.x\" = \"1.8 kg\" }", &["specimen.mass"], doc, quantity(Dimension::MASS))
}

fn compensation() -> Vec<Section> {
    let all = COMPENSATIONS.iter().map(|info| {
        let mut keys = vec![chooser("method", info.name, info.title)];
        keys.extend(info.parameters.iter().map(parameter));
        let doc = format!("{} {}", sentence(&format!("{} ({})", info.title, info.reference)), info.advice);
        let written = "compensation = { method = ... }";
        Section {
            when: vec![("method", info.name)],
            ..section("compensation", written, &["specimen.compensation"], doc, keys)
        }
    });
    all.collect()
}

fn actuator() -> Section {
    let number = |name: &'static str, doc: &str, default: &str| key(name, Number, doc, default).default(default);
    let keys = vec![
        key("name", Text, "Its name.", "\"east\""),
        key("dof", Text, "The degree of freedom it moves.", "\"slab.x\""),
        key(
            "along",
            Table("along"),
            "Its stroke as a sum of degrees of freedom.",
            "{ \"tip.x\" = 1, \"base.x\" = -1 }",
        ),
        key(
            "anchor",
            list(quantity(Dimension::LENGTH)),
            "Its fixed end; the stroke is then the change of its length.",
            "[0, \"2 m\"]",
        ),
        key("attachment", list(quantity(Dimension::LENGTH)), "Its other end at rest.", "[\"1 m\", \"2 m\"]"),
        key("node", Text, "The node of the rigid body that it is attached to.", "\"platform\""),
        key(
            "type",
            Word(vec!["ideal", "first-order", "second-order", "transfer", "servo-hydraulic"]),
            "How it moves, in the emulated laboratory.",
            "\"second-order\"",
        )
        .default("\"ideal\""),
        key("time_constant", quantity(Dimension::TIME), "Of a first-order actuator.", "\"10 ms\""),
        key("frequency", quantity(Dimension::FREQUENCY), "Of a second-order actuator.", "\"25 Hz\""),
        key("damping", quantity(Dimension::NONE), "Damping ratio of a second-order actuator.", "0.7"),
        key("numerator", list(Number), "Of a transfer function: coefficients of s, the highest power first.", "[1]"),
        key("denominator", list(Number), "Of a transfer function.", "[0.01, 1]"),
        number("g", "Calibration of a servo-hydraulic actuator.", "1.0261"),
        number("a1b0", "Gain of its controller and valve, SI.", "2.1283e13"),
        number("a2", "Its natural velocity feedback, SI.", "4.2297e6"),
        number("a3", "Its leakage, 1/s.", "3.3"),
        number("beta1", "Damping of its valve, 1/s.", "425"),
        number("beta2", "Stiffness of its valve, 1/s^2.", "99976"),
        key("delay", quantity(Dimension::TIME), "Time by which it hears its command late.", "\"8 ms\"").default("0"),
        key("delay_swing", quantity(Dimension::TIME), "Amplitude by which the delay swings.", "\"2 ms\"").default("0"),
        key("delay_frequency", quantity(Dimension::FREQUENCY), "Frequency of the swing.", "\"0.5 Hz\"").default("0"),
        key("stroke", stroke(), "Largest displacement it can reach.", "\"100 mm\""),
        key(
            "velocity",
            Quantity("a velocity, or its angular kind".to_owned()),
            "Largest velocity it can reach.",
            "\"500 mm/s\"",
        ),
        key(
            "acceleration",
            Quantity("an acceleration, or its angular kind".to_owned()),
            "Largest acceleration it may be asked for; by default its largest velocity times 2 pi 200 Hz. It is braked with 2 pi 10 Hz times that velocity, or less.",
            "\"20 m/s^2\"",
        ),
        key("force", force(), "Largest force it can give.", "\"250 kN\""),
        key(
            "limits",
            Table("actuator-limits"),
            "Limits of its own, in place of those of the specimen.",
            "{ force = \"80 kN\" }",
        ),
        key("friction", force(), "Coulomb friction before its load cell.", "\"0.5 kN\"").default("0"),
        key(
            "displacement_sensor",
            Table("displacement-sensor"),
            "Its displacement sensor, in the emulated laboratory.",
            "{ noise = \"0.02 mm\" }",
        ),
        key(
            "force_sensor",
            Table("force-sensor"),
            "Its load cell, in the emulated laboratory.",
            "{ noise = \"1 N\", seed = 7 }",
        ),
        key("calibration", Table("calibration"), "What its instruments say.", "{ command = [0.1, 0] }"),
        key(
            "ethercat",
            Table("ethercat"),
            "Where its numbers are on an EtherCAT bus.",
            "{ device = 1, command = { byte = 0 }, displacement = { byte = 0 }, force = { byte = 4 } }",
        ),
    ];
    let doc = "An actuator with its sensors. A single one that does not say where it acts stands for all.";
    section("actuator", "[[specimen.actuator]]", &["specimen.actuator"], doc, keys)
}

fn along() -> Section {
    let doc = "Factors of the degrees of freedom in the stroke.";
    named("along", "along = { \"tip.x\" = 1 }", &["specimen.actuator.along"], doc, Number)
}

fn sensor(name: &'static str) -> Section {
    let (written, paths, of): (_, &'static [&'static str], _) = match name {
        "force-sensor" => ("force_sensor = { ... }", &["specimen.actuator.force_sensor"], force as fn() -> Value),
        _ => ("displacement_sensor = { ... }", &["specimen.actuator.displacement_sensor"], stroke as fn() -> Value),
    };
    let keys = vec![
        key("gain", quantity(Dimension::NONE), "Shown over true.", "1.01").default("1"),
        key("bias", of(), "Shown at zero.", "0").default("0"),
        key("noise", of(), "Standard deviation of its noise.", "0").default("0"),
        key("range", of(), "Largest number it can show.", "1"),
        key("quantum", of(), "Step of its converter.", "0").default("0"),
        key("seed", quantity(Dimension::NONE), "The same seed gives the same noise.", "\"seed\"").default("1"),
    ];
    section(name, written, paths, "A sensor that is not perfect.", keys)
}

fn calibration() -> Section {
    let pair = |name: &'static str, doc: &str| key(name, list(Number), doc, "[0.1, 0]").default("[1, 0]");
    let keys = vec![
        pair("command", "Gain and offset of the command, per unit of length of the file."),
        pair("displacement", "Gain and offset of the displacement sensor, per unit of length of the file."),
        pair(
            "force",
            "Gain and offset of the load cell, per unit of force of the file; a negative gain turns its sign.",
        ),
    ];
    section(
        "calibration",
        "calibration = { ... }",
        &["specimen.actuator.calibration"],
        "Instrument = gain x quantity + offset.",
        keys,
    )
}

fn wiring() -> Section {
    let place = |name: &'static str, doc: &str, example: &str| key(name, Table("ethercat-field"), doc, example);
    let keys = vec![
        key("device", Whole, "Its device: the place on the bus, counted from 1 along the cable.", "2").default("1"),
        place("command", "Where its command is in the outputs of the device.", "{ byte = 2, type = \"i32\" }")
            .required(),
        place("displacement", "Where its displacement is in the inputs.", "{ byte = 2, type = \"i32\" }").required(),
        place("force", "Where its force is in the inputs.", "{ device = 3, byte = 0, type = \"i16\" }").required(),
        key(
            "drive",
            Word(vec!["cia402"]),
            "A drive that is switched on and off by its control word; a terminal if absent.",
            "\"cia402\"",
        ),
        place("control", "Where the control word of a drive is in the outputs; at byte 0 if absent.", "{ byte = 0 }"),
        place("status", "Where the status word of a drive is in the inputs; at byte 0 if absent.", "{ byte = 0 }"),
        place("position", "Where the position of a drive is, if `displacement` is another sensor.", "{ byte = 2 }"),
        key(
            "absolute",
            Flag,
            "Whether commands are positions of the drive itself; else they begin with zero where it stands.",
            "true",
        )
        .default("false"),
        key("rx_pdos", list(Number), "Lists of outputs that the device is told to exchange.", "[0x1600]"),
        key("tx_pdos", list(Number), "Lists of inputs that the device is told to exchange.", "[0x1a00]"),
    ];
    let doc = "Bytes of an EtherCAT bus. Numbers there are what `calibration` makes of them.";
    section("ethercat", "ethercat = { ... }", &["specimen.actuator.ethercat"], doc, keys)
}

fn field() -> Section {
    const PATHS: &[&str] = &["specimen.actuator.ethercat.*"];
    let keys = vec![
        key("device", Whole, "Another device than that of the actuator.", "3"),
        key("byte", Whole, "First byte in the outputs or inputs of the device, from 0.", "2").required(),
        key(
            "type",
            Word(Type::ALL.map(|t| t.1).to_vec()),
            "What stands there, little-endian; a control or status word is u16.",
            "\"i16\"",
        )
        .default("\"i32\""),
    ];
    section("ethercat-field", "command = { byte = ... }", PATHS, "The place of a number on the bus.", keys)
}

fn interlock() -> Section {
    let keys = vec![
        key(
            "emergency_stop",
            Table("emergency-stop"),
            "Input that ends the test as hard as its actuators may brake.",
            "{ device = 2, byte = 0, bit = 3 }",
        ),
        key(
            "heartbeat",
            Table("ethercat-bit"),
            "Output that changes with every command; one that stands still is a controller that does.",
            "{ device = 3, byte = 0, bit = 0 }",
        ),
        key(
            "enable",
            Table("ethercat-bit"),
            "Output that is high while the drives are needed.",
            "{ device = 3, byte = 0, bit = 1 }",
        ),
    ];
    let doc = "What the interlock of the laboratory is told over an EtherCAT bus, and tells.";
    section("interlock", "interlock = { ... }", &["specimen.interlock"], doc, keys)
}

/// Where a bit is.
fn bit_keys() -> Vec<Key> {
    vec![
        key("device", Whole, "Its device: the place on the bus, counted from 1 along the cable.", "2").default("1"),
        key("byte", Whole, "Byte in the outputs or inputs of the device, from 0.", "0").required(),
        key("bit", Whole, "Bit of that byte, 0 (the lowest) to 7.", "3").required(),
    ]
}

fn bit() -> Section {
    const PATHS: &[&str] = &["specimen.interlock.heartbeat", "specimen.interlock.enable"];
    section("ethercat-bit", "enable = { bit = ... }", PATHS, "The place of a digital output on the bus.", bit_keys())
}

fn button() -> Section {
    let mut keys = bit_keys();
    keys.push(
        key("pressed", Flag, "Which level means pressed: low, so that a broken wire stops the test, or high.", "true")
            .default("false"),
    );
    let doc = "The place of an emergency stop on the bus.";
    section("emergency-stop", "emergency_stop = { bit = ... }", &["specimen.interlock.emergency_stop"], doc, keys)
}

fn actions() -> Value {
    Word(Action::ALL.map(|a| a.1).to_vec())
}

/// A limit with what follows, or by itself.
fn watched(name: &'static str, of: Value, doc: &str, example: &str) -> Key {
    key(name, Either(vec![of, Table("limit")]), doc, example)
}

/// What must not happen to an actuator.
fn watched_of_an_actuator() -> Vec<Key> {
    let rate = |of: &str| Quantity(format!("{of}, or its angular kind"));
    let number = || quantity(Dimension::NONE);
    vec![
        watched("displacement", stroke(), "Largest commanded stroke; nothing beyond it is ever sent.", "\"90 mm\""),
        watched(
            "velocity",
            rate("a velocity"),
            "Largest commanded velocity; nothing faster is ever sent.",
            "\"400 mm/s\"",
        ),
        watched(
            "acceleration",
            rate("an acceleration"),
            "Largest commanded acceleration; nothing more sudden is ever sent.",
            "\"20 m/s^2\"",
        ),
        watched("jerk", rate("a jerk"), "Largest commanded jerk; nothing above is ever sent.", "\"500 m/s^3\""),
        watched("force", force(), "Largest measured force.", "\"200 kN\""),
        watched("force_rate", rate("a rate of force"), "Fastest change of a measured force.", "\"2000 kN/s\""),
        watched("measured_displacement", stroke(), "Largest measured stroke.", "\"95 mm\""),
        watched("measured_velocity", rate("a velocity"), "Largest measured velocity.", "\"500 mm/s\""),
        watched("measured_acceleration", rate("an acceleration"), "Largest measured acceleration.", "\"30 m/s^2\""),
        watched("tracking", stroke(), "Largest distance of target and measured displacement.", "\"5 mm\""),
        watched("energy", number(), "Energy of the tracking error over the largest energy stored.", "0.1"),
        watched(
            "indicator",
            number(),
            "Energy fed in by the tracking error within a second over the largest stored: a loop becoming unstable.",
            "0.05",
        ),
        watched("frozen", stroke(), "Travel of the command while a sensor stands still.", "\"1 mm\""),
    ]
}

fn limits() -> Section {
    let number = || quantity(Dimension::NONE);
    let mut keys = watched_of_an_actuator();
    keys.extend([
        watched("missing", number(), "Samples in a row without readings.", "10"),
        watched("deadline", number(), "Targets that were not there in time.", "5"),
        watched("recorder", number(), "Samples that could not be recorded.", "0"),
        key("not_finite", actions(), "What follows a number that is none.", "\"abort\"").default("\"abort\""),
        key("gone", actions(), "What follows a lost connection.", "\"abort\"").default("\"abort\""),
    ]);
    let doc = "What must not happen to a specimen. A limit by itself ramps down (acceleration, jerk, frozen and missing hold, deadline and recorder warn).";
    section("limits", "[specimen.limits]", &["specimen.limits"], doc, keys)
}

fn actuator_limits() -> Section {
    let doc = "What must not happen to one actuator.";
    let written = "limits = { force = ... }";
    section("actuator-limits", written, &["specimen.actuator.limits"], doc, watched_of_an_actuator())
}

fn limit() -> Section {
    const PATHS: &[&str] = &["specimen.limits.*", "specimen.actuator.limits.*"];
    let keys = vec![
        key("at", Quantity("what the limit measures".to_owned()), "The limit.", "\"90 mm\"").required(),
        key("samples", Whole, "Samples in a row that must pass it.", "3").default("1"),
        key(
            "action",
            actions(),
            "What follows: it is logged, held until it is gone, led home, or braked and switched off.",
            "\"hold\"",
        ),
    ];
    section("limit", "force = { at = ..., action = ... }", PATHS, "A limit with what follows.", keys)
}

fn fault() -> Section {
    let types = vec![
        "frozen-displacement",
        "frozen-force",
        "silence",
        "spike",
        "nan",
        "delay",
        "gone",
        "emergency-stop",
        "stall",
    ];
    let keys = vec![
        key("type", Word(types), "What goes wrong.", "\"frozen-force\"").required(),
        key("at", quantity(Dimension::TIME), "When, in time of the laboratory.", "\"3 s\"").required(),
        key("for", quantity(Dimension::TIME), "For how long; for ever if absent.", "\"50 ms\""),
        key("actuator", Whole, "At which actuator, counted from 1; at all if absent.", "1"),
        key("size", Quantity("a force for a spike, a time for a delay".to_owned()), "How large.", "\"20 kN\""),
    ];
    section("fault", "[[specimen.fault]]", &["specimen.fault"], "A fault on purpose.", keys)
}
