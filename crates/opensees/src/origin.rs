//! Where the numbers of a Tcl script come from. Tcl has texts only, so a number cannot carry a mark: the script is recorded once more with
//! the answers to one query changed a little, and the arguments that change with them descend from it.

use crate::record::{Origin, Record};

/// Queries whose answers are not known while a script is recorded, or that Interfield computes.
const INEXACT: &[&str] = &[
    "eigen",
    "nodeDisp",
    "nodeVel",
    "nodeAccel",
    "nodeReaction",
    "nodeUnbalance",
    "nodeEigenvector",
    "nodeResponse",
    "getLoadFactor",
    "eleForce",
    "eleDynamicalForce",
    "eleResponse",
    "basicForce",
    "basicDeformation",
    "sectionForce",
    "sectionDeformation",
    "sectionLocation",
    "sectionWeight",
    "modalProperties",
    "getStress",
    "getStrain",
    "getTangent",
];

impl Record {
    /// The queries from which numbers of this script may descend.
    pub fn inexact_queries(&self) -> Vec<&'static str> {
        INEXACT.iter().copied().filter(|q| self.commands.iter().any(|c| c.name == *q)).collect()
    }

    /// Marks the numbers that differ in a record of the same script with changed answers to this query. If the script has even given
    /// other commands, its course depends on the answer.
    pub fn mark(&mut self, query: &str, changed: &Record) {
        let live = self.commands.iter().filter(|c| c.name == query).all(|c| c.live);
        let mut same = self.commands.len() == changed.commands.len();
        for (own, other) in self.commands.iter_mut().zip(&changed.commands) {
            if (&own.name, own.arguments.len()) != (&other.name, other.arguments.len()) {
                same = false;
                break;
            }
            for (a, _) in own.arguments.iter_mut().zip(&other.arguments).filter(|(a, b)| a.value != b.value) {
                a.origin = Some(Origin { query: query.to_owned(), live });
            }
        }
        if !same {
            self.depends.push(query.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(alpha: &str, live: bool) -> Record {
        let lines = [
            r#"{"recorder": "tcl", "script": "a.tcl", "version": 1}"#.to_owned(),
            format!(r#"{{"command": "eigen", "arguments": [1], "file": "a.tcl", "line": 1, "live": {live}}}"#),
            format!(r#"{{"command": "rayleigh", "arguments": [{alpha}, 0.0], "file": "a.tcl", "line": 2}}"#),
            r#"{"end": "ok"}"#.to_owned(),
        ];
        Record::read(&lines.join("\n")).unwrap()
    }

    #[test]
    fn numbers_that_change_with_an_answer_descend_from_it() {
        let mut own = record("0.5", true);
        assert_eq!(own.inexact_queries(), ["eigen"]);
        own.mark("eigen", &record("0.5004", true));
        assert!(own.depends.is_empty());
        let origins: Vec<_> = own.commands[1].arguments.iter().map(|a| a.origin.clone()).collect();
        assert_eq!(origins, [Some(Origin { query: "eigen".to_owned(), live: true }), None]);
    }

    #[test]
    fn another_course_of_the_script_is_noticed() {
        let mut own = record("0.5", false);
        let mut other = record("0.5", false);
        other.commands.pop();
        own.mark("eigen", &other);
        assert_eq!(own.depends, ["eigen"]);
    }
}
