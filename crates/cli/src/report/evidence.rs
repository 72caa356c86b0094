//! What only the end of a run can tell: found once, kept in the result file, and the page of the run is made from there, at its
//! end and whenever it is asked for again.

use std::path::Path;

use interfield_report::{Block, bring_back, keep};
use interfield_results::{Reader, attach};
use serde_json::{Value, json};

/// What a page tells beside the rows and the settings of its run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Whether the run came to its end, and no test in it failed.
    pub(crate) good: bool,
    /// How it ended, in a line.
    pub(crate) verdict: String,
    /// What is to be seen of the structure, modes and deformed shape; `None` if it was not computed.
    pub(crate) structure: Option<[Vec<Block>; 2]>,
    /// Drifts and floors over the height.
    pub(crate) storeys: Vec<Block>,
    /// What members carried at the largest displacement and over the run, and after gravity.
    pub(crate) members: Vec<Block>,
    pub(crate) gravity: Vec<Block>,
    /// How well substructures held together.
    pub(crate) interface: Vec<Block>,
    /// What the laboratory did.
    pub(crate) laboratory: Vec<Block>,
    /// What a push said of the structure.
    pub(crate) pushover: Vec<Block>,
    /// Warnings and messages of the run.
    pub(crate) log: Vec<String>,
    /// What took how long.
    pub(crate) timings: Vec<(String, String)>,
    /// All numbers of the laboratory: verdicts, tracking, timing, what the wire counted; `null` without one.
    pub(crate) numbers: Value,
}

impl Evidence {
    /// Keeps it in a result file that has been ended; the error is a sentence.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), String> {
        let document = json!({
            "good": self.good,
            "verdict": self.verdict,
            "laboratory": self.numbers,
            "log": self.log,
            "timings": self.timings,
            "page": {
                "structure": self.structure.as_ref().map(|both| both.each_ref().map(|blocks| keep(blocks))),
                "storeys": keep(&self.storeys), "members": keep(&self.members), "gravity": keep(&self.gravity),
                "interface": keep(&self.interface), "laboratory": keep(&self.laboratory), "pushover": keep(&self.pushover),
            },
        });
        attach(path, &document.to_string()).map_err(|e| format!("the verdict could not be added to the results: {e}"))
    }

    /// What a result file keeps; `None` if the run was killed before its end, or an earlier version made the file.
    pub(crate) fn of(reader: &Reader) -> Option<Self> {
        let kept: Value = serde_json::from_str(&reader.evidence().ok()?).ok()?;
        let page = &kept["page"];
        let text = |v: &Value| v.as_str().map(str::to_owned);
        let pair = |v: &Value| Some((text(&v[0])?, text(&v[1])?));
        Some(Evidence {
            good: kept["good"].as_bool()?,
            verdict: text(&kept["verdict"])?,
            structure: bring_back(&page["structure"][0]).zip(bring_back(&page["structure"][1])).map(|(m, d)| [m, d]),
            // Earlier versions had none of them.
            storeys: bring_back(&page["storeys"]).unwrap_or_default(),
            members: bring_back(&page["members"]).unwrap_or_default(),
            gravity: bring_back(&page["gravity"]).unwrap_or_default(),
            interface: bring_back(&page["interface"])?,
            laboratory: bring_back(&page["laboratory"])?,
            pushover: bring_back(&page["pushover"]).unwrap_or_default(),
            log: kept["log"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            timings: kept["timings"].as_array()?.iter().map(pair).collect::<Option<_>>()?,
            numbers: kept["laboratory"].clone(),
        })
    }
}
