//! What is chosen for a run beside its model file.

use interfield_language::Model;
use interfield_language::parse::Overrides;
use interfield_language::parse::pushover::PushOverrides;
use serde_json::{Value, json};

/// Settings that replace those of the model file; the default replaces nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Parameters of the model, by name, with their new values as they would be written in the file: `("k", "4 kN/mm")`.
    pub set: Vec<(String, String)>,
    /// Scheme of the structure in one piece, or of all its substructures.
    pub scheme: Option<String>,
    /// Parameters of the scheme.
    pub param: Vec<(String, String)>,
    /// Time step, as in the file: `"1 ms"`.
    pub dt: Option<String>,
    /// End of the analysis: `"20 s"`.
    pub until: Option<String>,
    /// Coupling of the substructures.
    pub coupling: Option<String>,
    /// Steps of the fine side in one step of the analysis.
    pub substeps: Option<u32>,
    /// The structure in one piece, whatever substructures the model has.
    pub whole: bool,
    /// Tangent policy: exact, initial or given.
    pub tangent: Option<String>,
    /// The structure is pushed as `[pushover]` of the model says, with these changes, instead of moved in time.
    pub pushover: Option<PushOverrides>,
}

impl Choices {
    /// For the parser.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            scheme: self.scheme.clone(),
            scheme_parameters: self.param.clone(),
            dt: self.dt.clone(),
            duration: self.until.clone(),
            tangent: self.tangent.clone(),
            coupling: self.coupling.clone(),
            substeps: self.substeps,
            pushover: self.pushover.clone(),
        }
    }

    /// The model, in one piece if that is wanted.
    pub(crate) fn cut(&self, model: Model) -> Model {
        if self.whole { model.in_one_piece() } else { model }
    }

    /// As they stand on a command line; empty if nothing is replaced.
    pub(crate) fn words(&self) -> String {
        let Choices { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover } = self;
        let pairs = |name: &str, list: &[(String, String)]| -> Vec<String> {
            list.iter().map(|(n, v)| format!("--{name} {n}=\"{v}\"")).collect()
        };
        let one = |name: &str, value: &Option<String>| value.as_ref().map(|v| format!("--{name} \"{v}\""));
        let all = [
            one("scheme", scheme),
            one("dt", dt),
            one("until", until),
            one("coupling", coupling),
            substeps.map(|n| format!("--substeps {n}")),
            whole.then(|| "--whole".to_owned()),
            one("tangent", tangent),
        ];
        let push = pushover.iter().flat_map(|push| {
            let PushOverrides { to, cycles, repeat, step, velocity } = push;
            let cycles = (!cycles.is_empty()).then(|| format!("--cycles \"{}\"", cycles.join(", ")));
            let repeat = repeat.map(|n| format!("--repeat {n}"));
            [one("to", to), cycles, repeat, one("step", step), one("velocity", velocity)]
        });
        let all = all.into_iter().chain(push);
        let all = pairs("set", set).into_iter().chain(pairs("param", param)).chain(all.into_iter().flatten());
        all.collect::<Vec<_>>().join(" ")
    }

    /// As JSON: [`Choices::from_json`] takes it again.
    pub fn to_json(&self) -> Value {
        let Choices { set, scheme, param, dt, until, coupling, substeps, whole, tangent, pushover } = self;
        let push = pushover.as_ref().map(|push| {
            let PushOverrides { to, cycles, repeat, step, velocity } = push;
            json!({ "to": to, "cycles": cycles, "repeat": repeat, "step": step, "velocity": velocity })
        });
        json!({
            "set": set, "scheme": scheme, "param": param, "dt": dt, "until": until, "coupling": coupling,
            "substeps": substeps, "whole": whole, "tangent": tangent,
            "pushover": push,
        })
    }

    /// The same of somebody who wrote it: what is not understood is an error, a sentence.
    ///
    /// # Errors
    /// An unknown name, a value of another kind.
    pub fn written(given: &Value) -> Result<Self, String> {
        let Some(names) = given.as_object() else {
            return Err(format!("the choices are a JSON object such as {{\"until\": \"2 s\"}}, found {given}"));
        };
        let found = Choices::from_json(given);
        let kept = found.to_json();
        for (name, value) in names {
            let Some(own) = kept.get(name) else {
                let known: Vec<&str> = kept.as_object().into_iter().flatten().map(|(n, _)| n.as_str()).collect();
                return Err(format!("there is no choice `{name}`; there are: {}", known.join(", ")));
            };
            let same = match value.as_object() {
                // Of a group, what is not named is not chosen.
                Some(group) => group.iter().all(|(n, v)| own.get(n) == Some(v)),
                None => value.is_null() || own == value,
            };
            if !same {
                let help = "write texts (\"2 s\"), a whole number of substeps, true or false, and pairs of texts";
                return Err(format!("the choice `{name}` cannot be {value}: {help}"));
            }
        }
        Ok(found)
    }

    /// The choices that a result file keeps.
    pub fn from_json(kept: &Value) -> Self {
        let text = |name: &str| kept[name].as_str().map(str::to_owned);
        let pairs = |name: &str| {
            let pair = |p: &Value| Some((p[0].as_str()?.to_owned(), p[1].as_str()?.to_owned()));
            kept[name].as_array().into_iter().flatten().filter_map(pair).collect()
        };
        Choices {
            set: pairs("set"),
            scheme: text("scheme"),
            param: pairs("param"),
            dt: text("dt"),
            until: text("until"),
            coupling: text("coupling"),
            substeps: kept["substeps"].as_u64().and_then(|n| u32::try_from(n).ok()),
            whole: kept["whole"].as_bool().unwrap_or(false),
            tangent: text("tangent"),
            pushover: kept["pushover"].as_object().map(|push| {
                let text = |name: &str| push.get(name).and_then(Value::as_str).map(str::to_owned);
                let cycles = push.get("cycles").and_then(Value::as_array).into_iter().flatten();
                PushOverrides {
                    to: text("to"),
                    cycles: cycles.filter_map(|c| c.as_str().map(str::to_owned)).collect(),
                    repeat: push.get("repeat").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()),
                    step: text("step"),
                    velocity: text("velocity"),
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_understood_or_refused() {
        let all = json!({ "until": "2 s", "substeps": 4, "whole": true, "set": [["k", "4 kN/mm"]], "pushover": { "repeat": 2 } });
        let found = Choices::written(&all).expect("all of it is understood");
        assert_eq!((found.until.as_deref(), found.substeps, found.whole), (Some("2 s"), Some(4), true));
        assert_eq!(found.pushover.and_then(|p| p.repeat), Some(2));
        for (wrong, word) in [
            (json!({ "until": 2 }), "until"),
            (json!({ "substeps": "4" }), "substeps"),
            (json!({ "substeps": -1 }), "substeps"),
            (json!({ "whole": 1 }), "whole"),
            (json!({ "set": { "k": "4 kN/mm" } }), "set"),
            (json!({ "set": [["k", 4]] }), "set"),
            (json!({ "coupl": "pmc" }), "coupl"),
            (json!({ "pushover": { "too": "1 m" } }), "pushover"),
            (json!([]), "object"),
        ] {
            assert!(Choices::written(&wrong).is_err_and(|said| said.contains(word)), "{wrong}");
        }
    }
}
