//! Records as text, model files as text: what each command of a script becomes.

mod analyses;
mod refusals;
mod structure;

use interfield_opensees::{Fate, Import, Options, Record, translate, units};

/// A record of commands, one per line as in Tcl; its line numbers are those of the text.
pub(crate) fn record(script: &str) -> Record {
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

/// Commands that apply gravity and hold it.
pub(crate) const GRAVITY: &str = "
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

pub(crate) fn import_with(script: &str, options: Options) -> Import {
    let files = |path: &str| match path {
        "quake.txt" => Ok((0..40).map(|i| format!("{}\n", f64::from(i % 5) * 0.01)).collect()),
        _ => Err("no such file".to_owned()),
    };
    translate(&record(script), &Options { stem: "s".into(), title: "s".into(), ..options }, &files)
}

pub(crate) fn import(script: &str) -> Import {
    import_with(script, Options { units: units::told("kN,m").ok(), ..Options::default() })
}

/// The one model of a script that nothing is refused of.
pub(crate) fn model(script: &str) -> String {
    let import = import(script);
    let refused: Vec<_> = import.report.of(Fate::Refused).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(import.models.len(), 1);
    import.models[0].text.clone()
}

/// Messages of one fate, with their lines.
pub(crate) fn told(import: &Import, fate: Fate) -> Vec<String> {
    import.report.of(fate).map(|f| format!("{}: {}: {}", f.place, f.command, f.message)).collect()
}

/// A column on a fixed foot, 3 high.
pub(crate) const COLUMN: &str = "
model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3
fix 1 1 1 1
geomTransf Linear 1
";

pub(crate) fn column(more: &str) -> String {
    format!("{COLUMN}{more}")
}

/// What stands in a text, in this order.
pub(crate) fn has(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("`{part}` is not there, or not in its place:\n{text}"),
        }
    }
}
