//! What the catalogues of schemes, couplings and compensators share: choosing an entry, telling it, and its parameters in words
//! and in JSON.

use clap::Args;
use interfield_kernel::scheme::registry::SchemeParameter;
use interfield_language::diag::did_you_mean;
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::table::aligned;

/// What of a catalogue is wanted, and how.
#[derive(Args)]
pub(crate) struct Wanted {
    /// Explain only this one
    pub(crate) name: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A catalogue, and how its entries are told.
pub(crate) struct Catalogue<T: 'static> {
    /// What an entry is.
    pub(crate) kind: &'static str,
    pub(crate) entries: &'static [T],
    pub(crate) name: fn(&T) -> &'static str,
    pub(crate) json: fn(&T) -> Value,
    /// Everything about an entry.
    pub(crate) explain: fn(&T) -> String,
    /// Titles of the columns of the list of all, and what an entry has in them.
    pub(crate) header: &'static [&'static str],
    pub(crate) row: fn(&T) -> Vec<String>,
    /// Where the list ends.
    pub(crate) note: &'static str,
}

impl<T> Catalogue<T> {
    /// Tells the entry that is wanted, or all; refuses a name that none has.
    pub(crate) fn tell(&self, wanted: &Wanted) -> Exit {
        let name = wanted.name.as_deref();
        let chosen: Vec<&T> = self.entries.iter().filter(|e| name.is_none_or(|n| n == (self.name)(e))).collect();
        if wanted.json && !chosen.is_empty() {
            print_json(&chosen.into_iter().map(self.json).collect());
            return Exit::Done;
        }
        match (name, chosen.first()) {
            (Some(name), None) => return self.refuse(name, wanted.json),
            (Some(_), Some(entry)) => print(&(self.explain)(entry)),
            (None, _) => {
                let rows: Vec<Vec<String>> = chosen.into_iter().map(self.row).collect();
                print(&format!("{}\n{}\n", aligned(self.header, &rows), self.note));
            }
        }
        Exit::Done
    }

    fn refuse(&self, name: &str, json: bool) -> Exit {
        let (kind, names): (_, Vec<&str>) = (self.kind, self.entries.iter().map(self.name).collect());
        let all = || format!("{kind}s are {}", names.join(", "));
        let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(all);
        fail(json, None, None, &format!("there is no {kind} `{name}`"), &help);
        Exit::BadInput
    }
}

/// Parameters in words.
pub(crate) fn parameters(list: &[SchemeParameter]) -> String {
    if list.is_empty() {
        return "  no parameters\n".to_owned();
    }
    let mut out = "  parameters:\n".to_owned();
    for p in list {
        let default = p.default.map_or("required".to_owned(), |d| format!("default {d}"));
        out += &format!("    {} ({default}): {}\n      {}\n", p.name, p.doc, p.expected);
    }
    out
}

/// Parameters in JSON.
pub(crate) fn parameters_json(list: &[SchemeParameter]) -> Value {
    let one =
        |p: &SchemeParameter| json!({ "name": p.name, "default": p.default, "expected": p.expected, "doc": p.doc });
    list.iter().map(one).collect()
}
