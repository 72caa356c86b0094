//! The mistakes of a sceptic, one table: what is written, what the program says, where, and what to write instead. The
//! chapter `mistakes.md` of the book is made here, so that it is what the program says.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::interfield;

/// A model in which all is well.
const MODEL: &str = include_str!("../data/forty-mistakes.toml");
/// Where the table is published.
const CHAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/mistakes.md");
/// Most lines of a screen.
const SCREEN: usize = 24;

/// A mistake: its kind, what should stand in the model and what stands there, with `§` at the place to look at; or, where
/// both are alike, what is wrong on the command line.
struct Mistake {
    kind: &'static str,
    right: &'static str,
    wrong: &'static str,
    options: &'static [&'static str],
    /// A part of the remedy that the program suggests.
    remedy: &'static str,
}

const fn mistake(kind: &'static str, right: &'static str, wrong: &'static str, remedy: &'static str) -> Mistake {
    Mistake { kind, right, wrong, options: &[], remedy }
}

const fn option(kind: &'static str, options: &'static [&'static str], remedy: &'static str) -> Mistake {
    Mistake { kind, right: "", wrong: "", options, remedy }
}

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // Syntax.
    mistake("a bracket is missing", "nodes = [\"floor\", \"roof\"]", "nodes = §[\"floor\", \"roof\"", "write nodes = [\"floor\", \"roof\"]"),
    mistake("a quote is missing", "elements = [\"brace\"]", "elements = [§\"brace]", "\"brace\""),
    mistake("a brace is missing", "rayleigh = { ratio = \"3 %\", modes = [1, 2] }", "rayleigh = §{ ratio = \"3 %\", modes = [1, 2]", "write rayleigh = { ratio = \"3 %\", modes = [1, 2] }"),
    mistake("a header with one bracket too few", "[[node]]\nname = \"roof\"", "§[[node]\nname = \"roof\"", "write [[node]]"),
    mistake("a header is missing", "[[load]]\ntype = \"ground\"", "§type = \"ground\"", "[[load]]"),
    mistake("a decimal comma", "damping = 0.7", "damping = 0§,7", "0.7"),
    mistake("a unit without quotes", "dt = \"5 ms\"", "dt = §5 ms", "\"5 ms\""),
    mistake("no equals sign", "mass = \"20 t\"", "§mass \"20 t\"", "write mass = \"20 t\""),
    // Keys, units and names.
    mistake("a misspelt key", "direction = \"x\"", "§directoin = \"x\"", "`direction`"),
    mistake("a misspelt section", "[damping]", "[§dampng]", "`damping`"),
    mistake("a key given twice", "stroke = \"100 mm\"", "stroke = \"100 mm\"\n§stroke = \"120 mm\"", "keep one"),
    mistake("a unit that does not exist", "mass = \"20 t\"", "mass = \"20 §tons\"", "`t`"),
    mistake("a quantity of another kind", "k = \"1 kN/mm\"", "k = \"§1 kN\"", "kN/mm"),
    mistake("an unknown parameter", "k = \"1.1*storey\"", "k = \"1.1*§story\"", "`storey`"),
    mistake("a parameter that nothing uses", "storey = \"4 kN/mm\"", "storey = \"4 kN/mm\"\n§spare = \"2 kN/mm\"", "remove it"),
    mistake("a node that does not exist", "nodes = [\"floor\", \"roof\"]", "nodes = [\"floor\", §\"rof\"]", "`roof`"),
    mistake("a name used twice", "name = \"storey2\"", "name = §\"storey1\"", "share one set of names"),
    mistake("names that differ in capitals only", "name = \"storey2\"", "name = §\"Storey1\"", "another name"),
    mistake("a channel that does not exist", "\"storey1.force\"", "§\"storey3.force\"", "`storey"),
    // Geometry, masses and stiffnesses.
    mistake("an element without a direction", "nodes = [\"floor\", \"roof\"]\ndof = \"x\"", "nodes = §[\"floor\", \"roof\"]", "dof = \"x\""),
    mistake("a node that nothing holds", "mass = \"10 t\"", "mass = \"10 t\"\n\n[[node]]\nname = §\"tower\"\nmass = \"5 t\"", "connect it"),
    mistake("a roof without a mass", "name = \"roof\"\nmass = \"10 t\"", "name = §\"roof\"", "`mass`"),
    mistake("a negative mass", "mass = \"10 t\"", "mass = §\"-10 t\"", "remove the sign"),
    mistake("a mass in the wrong unit", "mass = \"10 t\"", "mass = §20", "20000 kg"),
    mistake("a negative stiffness", "k = \"1.1*storey\"", "k = §\"-8 kN/mm\"", "remove the sign"),
    mistake("an absurd stiffness", "k = \"1.1*storey\"", "k = §1e300", "exponent"),
    mistake("no stiffness", "k = \"1.1*storey\"", "k = §0", "give it a stiffness"),
    mistake("stiffnesses far apart", "k = \"1.1*storey\"", "k = §\"5e12 kN/mm\"", "units of both"),
    // Damping.
    mistake("300 % of damping", "ratio = \"3 %\"", "ratio = §3", "\"3 %\""),
    mistake("a mode that does not exist", "rayleigh = { ratio = \"3 %\", modes = [1, 2] }", "rayleigh = §{ ratio = \"3 %\", modes = [1, 3] }", "lower `modes`"),
    // Loads and records.
    mistake("a direction in which nothing moves", "direction = \"x\"", "direction = §\"z\"", "x"),
    mistake("a record that is not there", "path = \"record.csv\"", "path = §\"recrod.csv\"", "relative to the model file"),
    mistake("an empty record", "path = \"record.csv\"", "path = §\"empty.csv\"", ""),
    mistake("a record with words in it", "path = \"record.csv\"", "path = §\"words.csv\"", "correct the line"),
    mistake("a record in another unit", "signal = { type = \"file\", path = \"record.csv\", unit = \"g\" }", "signal = §{ type = \"file\", path = \"gal.csv\", unit = \"g\" }", "check the unit"),
    // Steps and schemes.
    mistake("a step longer than the analysis", "dt = \"5 ms\"\nduration = \"10 s\"", "dt = §\"5 s\"\nduration = \"2 s\"", "smaller `dt`"),
    mistake("a scheme that does not exist", "scheme = \"lsrt2\"", "scheme = §\"lsrt\"", "`lsrt"),
    mistake("a parameter that the scheme does not have", "scheme = \"lsrt2\"", "scheme = { name = \"lsrt2\", §gama = \"plus\" }", "`gamma`"),
    mistake("rows further apart than the run is long", "[record]", "[record]\nevery = §100000", "smaller number"),
    // Couplings and cuts.
    mistake("nothing to couple", "[record]", "§[coupling]\nmethod = \"pmc\"\n\n[record]", "[[substructure]]"),
    mistake("a cut through an element that does not exist", "[record]", "[[substructure]]\nname = \"below\"\nelements = [§\"storey9\", \"storey1\", \"brace\"]\n\n[[substructure]]\nname = \"above\"\n\n[coupling]\nmethod = \"pmc\"\n\n[record]", "`storey"),
    // The laboratory.
    mistake("a specimen of an element that does not exist", "elements = [\"brace\"]", "elements = [§\"brase\"]", "`brace`"),
    mistake("a rate that does not fit the step", "rate = \"2 kHz\"", "rate = §\"1300 Hz\"", "write rate"),
    mistake("a compensator that does not exist", "compensation = \"ats\"", "compensation = §\"atss\"", "`ats`"),
    mistake("an actuator with a negative stroke", "stroke = \"100 mm\"", "stroke = §\"-100 mm\"", "remove the sign"),
    mistake("a limit beyond the stroke", "displacement = \"80 mm\"", "displacement = §\"200 mm\"", "limit"),
    mistake("an actuator that does not exist", "type = \"second-order\"", "type = §\"second-oder\"", "second-order"),
    mistake("a program that is not started", "[record]", "§[[external]]\nname = \"frame\"\ndofs = [\"roof.x\"]\nprogram = \"opensees\"\nadapter_stiffness = \"1e3 kN/mm\"\n\n[record]", "command"),
    // The command line.
    option("a step of zero", &["--dt", "0"], "--dt \"10 ms\""),
    option("substeps without a cut", &["--substeps", "5"], "[[substructure]]"),
    option("a parameter that the model does not have", &["--set", "story=3"], "`storey`"),
    option("an option without effect", &["--whole"], "leave it out"),
];

/// What was said.
struct Said {
    code: Option<i32>,
    lines: usize,
    messages: Vec<Value>,
}

/// Checks a model text in a folder.
fn check(folder: &Path, text: &str, options: &[&str]) -> Said {
    let path = folder.join("model.toml");
    std::fs::write(&path, text).unwrap();
    let args = [&["check", path.to_str().unwrap()], options].concat();
    let shown = interfield(&args);
    let document = interfield(&[&args[..], &["--json"]].concat()).json();
    let list = ["errors", "messages", "warnings"].iter().find_map(|key| document[*key].as_array());
    Said { code: shown.code, lines: shown.stderr.lines().count(), messages: list.cloned().unwrap_or_default() }
}

/// A folder with the records that the models name.
fn records() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forty");
    std::fs::create_dir_all(&folder).unwrap();
    let shaken = |scale: f64| {
        (0..=1000).fold("t,a\n".to_owned(), |mut text, i| {
            let t = f64::from(i) * 0.01;
            let a = scale * 0.2 * (6.0 * t).sin() * (1.0 - t / 10.0);
            let _ = writeln!(text, "{t},{a}");
            text
        })
    };
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("record.csv", &shaken(1.0));
    write("gal.csv", &shaken(981.0));
    write("empty.csv", "");
    write("words.csv", "t,a\n0,0.1\n0.01,0.2\n0.02,n/a\n");
    folder
}

/// The text of a mistake, and the line and column that its mark stands for.
fn text(m: &Mistake) -> (String, Option<(u64, u64)>) {
    if m.right.is_empty() {
        return (MODEL.to_owned(), None);
    }
    assert_eq!(MODEL.matches(m.right).count(), 1, "{}: it stands in the model once", m.kind);
    let marked = MODEL.replacen(m.right, m.wrong, 1);
    let before = &marked[..marked.find('§').expect("a mark")];
    let line = before.lines().count().max(1) as u64 + u64::from(before.ends_with('\n'));
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u64 + 1;
    (marked.replace('§', ""), Some((line, column)))
}

/// A row of the table; an error says what is wrong with what the program says.
fn row(folder: &Path, number: usize, m: &Mistake) -> Result<String, String> {
    let (text, place) = text(m);
    let said = check(folder, &text, m.options);
    let [only] = &said.messages[..] else {
        return Err(format!("{} messages: {:#?}", said.messages.len(), said.messages));
    };
    let (message, help) = (only["message"].as_str().unwrap_or(""), only["help"].as_str().unwrap_or(""));
    let code = if only["severity"] == "error" { 2 } else { 0 };
    let found = only["line"].as_u64().zip(only["column"].as_u64());
    let file = only["file"].as_str().unwrap_or("");
    let at_option = place.is_none() && file.starts_with("command line");
    if said.code != Some(code) || said.lines > SCREEN || (found != place && !at_option) || !help.contains(m.remedy) {
        return Err(format!("code {:?}, {} lines, expected at {place:?}: {only:#}", said.code, said.lines));
    }
    if message.is_empty() || help.is_empty() {
        return Err(format!("no message or no help: {only:#}"));
    }
    let wrong = match m.options {
        [] => text.lines().nth(place.map_or(0, |p| p.0 as usize - 1)).unwrap_or("").to_owned(),
        options => format!("interfield check model.toml {}", options.join(" ")),
    };
    let place = found.map_or_else(|| file.to_owned(), |(line, column)| format!("model.toml:{line}:{column}"));
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ").replace("<", "&lt;");
    let folder = format!("{}/", folder.display());
    let [message, help] = [message, help].map(|t| cell(&t.replace(&folder, "")));
    let severity = only["severity"].as_str().unwrap_or("");
    Ok(format!("| {number} | {} | `{}` | {severity}: {message} | {place} | {help} |\n", m.kind, cell(&wrong)))
}

#[test]
fn the_table_of_mistakes_is_what_the_program_says() {
    let folder = records();
    let good = check(&folder, MODEL, &[]);
    assert!(good.code == Some(0) && good.messages.is_empty(), "the model without mistakes: {:#?}", good.messages);
    assert!(MISTAKES.len() >= 40);
    let mut chapter = String::from(INTRODUCTION);
    let mut bad = Vec::new();
    for (i, m) in MISTAKES.iter().enumerate() {
        match row(&folder, i + 1, m) {
            Ok(row) => chapter.push_str(&row),
            Err(why) => bad.push(format!("{}: {why}", m.kind)),
        }
    }
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), MISTAKES.len(), bad.join("\n"));
    let _ = write!(chapter, "\nThe model:\n\n```text\n{MODEL}```\n");
    if std::env::var_os("INTERFIELD_BLESS").is_some() {
        std::fs::write(CHAPTER, &chapter).unwrap();
    }
    assert_eq!(std::fs::read_to_string(CHAPTER).unwrap_or_default(), chapter, "bless with INTERFIELD_BLESS=1");
}

const INTRODUCTION: &str = "# Mistakes, and what the program says

One mistake each in the model below the table, or on the command line. The program names the cause and its place once, in less than a
screen; what would only follow from it is not told. An *error* is refused with exit code 2. A *warning* is a doubt: the model can be run,
but probably not as meant. With what the last column says, each model checks without a word. The tests make this table from the
program.

| | mistake | written | message | place | remedy |
|---|---|---|---|---|---|
";
