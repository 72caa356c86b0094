//! What the catalogues of schemes and couplings share: choosing an entry, and its parameters in words and in JSON.

use interfield_kernel::scheme::registry::SchemeParameter;
use interfield_language::diag::did_you_mean;
use serde_json::{Value, json};

use crate::Exit;
use crate::output::fail;

/// The entries called `name`, or all without a name; refuses a name that none has. `kind` is what an entry is.
pub(crate) fn choose<'a, T>(
    kind: &str,
    entries: &'a [T],
    called: impl Fn(&T) -> &'static str,
    name: Option<&str>,
    json: bool,
) -> Result<Vec<&'a T>, Exit> {
    let chosen: Vec<&T> = entries.iter().filter(|e| name.is_none_or(|n| n == called(e))).collect();
    if let (true, Some(name)) = (chosen.is_empty(), name) {
        let names: Vec<&str> = entries.iter().map(called).collect();
        let all = || format!("{kind}s are {}", names.join(", "));
        let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(all);
        fail(json, None, None, &format!("there is no {kind} `{name}`"), &help);
        return Err(Exit::BadInput);
    }
    Ok(chosen)
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
