//! A study in pieces, on as many machines as there are: each piece has a journal of its own, and all journals together are that of the study.
//!
//! A run belongs to the piece of its number, so that all pieces have runs from everywhere in the study and about the same work.

use std::path::{Path, PathBuf};

use interfield_ensemble::{Case, Ending, Outcome};
use serde_json::json;

use super::journal::{Journal, Refusal};
use super::question::Mistake;

/// Most pieces.
const MOST: u32 = 100_000;
/// What the name of a journal of a piece begins and ends with.
const NAME: [&str; 2] = ["shard-", ".bin"];

/// One piece of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    number: u32,
    of: u32,
}

/// `3/64` on the command line.
pub(super) fn read(text: &str) -> Result<Shard, String> {
    let help = "write the number of the piece and how many there are, for example 3/64";
    let (number, of) = text.split_once('/').ok_or(help)?;
    let (Ok(number), Ok(of)) = (number.trim().parse(), of.trim().parse()) else { return Err(help.to_owned()) };
    match (1..=MOST).contains(&of) && (1..=of).contains(&number) {
        true => Ok(Shard { number, of }),
        false => Err(format!("the pieces are 1/{of} to {of}/{of}, and there can be at most {MOST}")),
    }
}

impl Shard {
    /// That of a rank, from 0.
    pub(super) fn of_rank(rank: usize, count: usize) -> Self {
        Shard { number: rank as u32 + 1, of: count as u32 }
    }

    /// Whether the run with this number (from 0) belongs to it.
    pub(super) fn has(self, index: usize) -> bool {
        index % self.of as usize == (self.number - 1) as usize
    }

    /// Name of its journal.
    pub(super) fn file(self) -> String {
        format!("{}{}-of-{}{}", NAME[0], self.number, self.of, NAME[1])
    }

    /// Ends the piece: what it says.
    pub(super) fn finish(
        self,
        journal: Journal,
        (keys, outcomes): (&[String], &[Option<Outcome>]),
        (out, had): (&Path, usize),
    ) -> Result<(String, serde_json::Value), String> {
        let own: Vec<(String, Outcome)> =
            keys.iter().zip(outcomes).filter_map(|(key, o)| Some((key.clone(), o.clone()?))).collect();
        let runs = own.len();
        let finished = own.iter().filter(|(_, o)| o.ending == Ending::Finished).count();
        let (keys, outcomes): (Vec<String>, Vec<Outcome>) = own.into_iter().unzip();
        journal.finish(&keys, &outcomes)?;
        let path = out.join(self.file());
        let before = if had > 0 { format!(" ({had} were done before)") } else { String::new() };
        let text = format!(
            "shard {} of {}: {runs} runs{before}, {finished} finished\n  journal: {}\n  when all shards are done: the same command with --merge \
             instead of --shard\n",
            self.number,
            self.of,
            path.display()
        );
        let document = json!({
            "shard": self.number, "of": self.of, "runs": runs, "runs_now": runs - had, "finished": finished,
            "journal": path.display().to_string(),
        });
        Ok((text, document))
    }
}

/// The journals of pieces in folders; an error is a sentence.
fn journals(folders: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in folders {
        let failed = |e: std::io::Error| format!("`{}` cannot be read: {e}", folder.display());
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with(NAME[0]) && name.ends_with(NAME[1]) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Takes the runs of all pieces into the journal of the study.
pub(super) fn merge(
    journal: &mut Journal,
    (folders, out): (&[PathBuf], &Path),
    (identity, about): (&str, &str),
) -> Result<(), Mistake> {
    let mut all = folders.to_vec();
    if !all.iter().any(|f| f == out) {
        all.push(out.to_owned());
    }
    let again = "give the folders of the pieces: --merge FOLDER FOLDER ...".to_owned();
    let found = journals(&all).map_err(|e| (e, again.clone()))?;
    if found.is_empty() {
        let names: Vec<String> = all.iter().map(|f| format!("`{}`", f.display())).collect();
        return Err((format!("there are no pieces of a study in {}", names.join(", ")), again));
    }
    for path in found {
        journal.adopt(&path, identity, about).map_err(|e| match e {
            Refusal::File(message) => {
                let help = "the pieces must be readable, and the folder of --output needs room for all of them once more; then --merge again";
                (message, help.to_owned())
            }
            Refusal::Other(what) => {
                let help = "wait for its end, or run this piece again in another folder".to_owned();
                (format!("`{}` {what}", path.display()), help)
            }
        })?;
    }
    Ok(())
}

/// What is missing of a study after its pieces were put together; `None` if nothing is.
pub(super) fn missing(
    journal: &Journal,
    cases: &[Case],
    keys: &[String],
    there: impl Fn(&str) -> bool,
) -> Option<Mistake> {
    let open = |key: &String| !journal.runs.contains_key(key) || !there(key);
    let open: Vec<usize> = cases.iter().zip(keys).filter(|(_, key)| open(key)).map(|(c, _)| c.index).collect();
    let first = open.first()?;
    let message =
        format!("{} of {} runs are missing in the pieces, the first is number {}", open.len(), cases.len(), first + 1);
    // With N pieces a run is in the one of its number.
    let help = "run the pieces again that were interrupted: each goes on where it was; then --merge (or the command without it runs \
        what is missing)";
    Some((message, help.to_owned()))
}
