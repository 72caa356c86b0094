//! Recorders, and results that the script asks for: channels of a model file.

use crate::arguments::Arguments;
use crate::domain::Domain;
use crate::elements::{Made, dofs, node};
use crate::materials::kind;
use crate::record::Command;
use crate::report::{Fate, Report};
use crate::script::Run;
use crate::write::{Keys, text};

/// Channels beyond these are left to the user.
const MOST: usize = 200;

/// `[record]`, and drifts before it.
pub(crate) fn channels(domain: &Domain, made: &[Made], motions: &[String], run: &Run, report: &mut Report) -> String {
    let mut found = Found { domain, made, names: Vec::new(), drifts: Vec::new() };
    for command in &domain.recorders {
        if let Err(message) = found.recorder(command) {
            let remedy = "choose channels in [record] of the model file";
            report.add(Fate::Ignored, &format!("recorder {}", kind(command)), &command.place, &message, remedy);
        }
    }
    for command in &domain.queries {
        found.query(command);
    }
    let push = matches!(run.kind, crate::script::Analysis::Push { .. } | crate::script::Analysis::Load { .. });
    if let crate::script::Analysis::Push { node, dof, .. } = run.kind {
        found.add(&[node], &[dof], "");
    }
    if found.names.is_empty() && found.drifts.is_empty() {
        return String::new();
    }
    if !push {
        found.names.extend(motions.iter().cloned());
    }
    let mut out = String::new();
    if !found.drifts.is_empty() {
        // A list of tables may not follow a table: drifts have headers of their own.
        out = found.drifts.iter().map(|d| format!("\n[[drift]]\n{}", d.lines())).collect();
    }
    let cut = found.names.len() > MOST;
    if cut {
        let message = format!("the script looks at {} results; the first {MOST} become channels", found.names.len());
        report.add(Fate::Replaced, "recorder", &run.place, &message, "add others in [record] of the model file");
        found.names.truncate(MOST);
    }
    let rows: String = found
        .names
        .chunks(8)
        .map(|c| format!("  {},\n", c.iter().map(|n| text(n)).collect::<Vec<_>>().join(", ")))
        .collect();
    out + &format!("\n[record]\nchannels = [\n{rows}]\n")
}

struct Found<'a> {
    domain: &'a Domain,
    made: &'a [Made],
    names: Vec<String>,
    drifts: Vec<Keys>,
}

impl Found<'_> {
    fn push(&mut self, name: String) {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Channels of nodes: `suffix` says which quantity.
    fn add(&mut self, nodes: &[i64], numbers: &[usize], suffix: &str) {
        for tag in nodes {
            let Some(n) = self.domain.nodes.get(tag) else { continue };
            let names = dofs(self.domain.ndm, n.ndf);
            for d in numbers.iter().filter(|d| (1..=names.len()).contains(d)) {
                // Supports do not move relative to the ground.
                if suffix.is_empty() && n.fixed.get(d - 1).copied().unwrap_or(false) {
                    continue;
                }
                self.push(format!("{}.{}{suffix}", node(*tag), names[d - 1]));
            }
        }
    }

    fn recorder(&mut self, command: &Command) -> Result<(), String> {
        let a = Arguments::of(command);
        let tags = |flag: &str, range: &str, all: Vec<i64>| {
            if let Some(r) = a.after(range).map(|mut a| a.tags())
                && let [first, last, ..] = r[..]
            {
                return all.into_iter().filter(|t| (first..=last).contains(t)).collect();
            }
            a.after(flag).map(|mut a| a.tags()).unwrap_or_default()
        };
        let last = command.arguments.last().and_then(|x| x.word()).unwrap_or("");
        match kind(command) {
            "Node" | "EnvelopeNode" => {
                let nodes = tags("-node", "-nodeRange", self.domain.nodes.keys().copied().collect());
                let numbers: Vec<usize> = a
                    .after("-dof")
                    .map_or_else(Vec::new, |mut a| a.tags())
                    .into_iter()
                    .map(|d| d.max(0) as usize)
                    .collect();
                let suffix = match last {
                    "disp" => "",
                    "vel" => ".v",
                    "accel" if a.has("-timeSeries") => ".abs",
                    "accel" => ".a",
                    other => return Err(format!("`{other}` of a node is not a channel")),
                };
                self.add(&nodes, &numbers, suffix);
                Ok(())
            }
            "Element" | "EnvelopeElement" => {
                let elements = tags("-ele", "-eleRange", self.domain.elements.keys().copied().collect());
                self.forces(&elements, last)
            }
            "Drift" => {
                let get = |flag: &str| a.after(flag).map(|mut a| a.tags()).unwrap_or_default();
                let (i, j) = (get("-iNode"), get("-jNode"));
                let (dof, up) =
                    (get("-dof").first().copied().unwrap_or(1), get("-perpDirn").first().copied().unwrap_or(2));
                for (i, j) in i.into_iter().zip(j) {
                    self.drift(i, j, dof, up);
                }
                Ok(())
            }
            other => Err(format!("the recorder {other} has no counterpart")),
        }
    }

    fn drift(&mut self, i: i64, j: i64, dof: i64, up: i64) {
        let (Some(a), Some(b)) = (self.domain.nodes.get(&i), self.domain.nodes.get(&j)) else { return };
        let axis = (up - 1).max(0) as usize;
        let height = (b.at.get(axis).unwrap_or(&0.0) - a.at.get(axis).unwrap_or(&0.0)).abs();
        let Some(name) = dofs(self.domain.ndm, a.ndf).get((dof - 1).max(0) as usize) else { return };
        if height > 0.0 {
            let keys = Keys::default().text("name", &format!("drift-{i}-{j}"));
            let keys = keys.with("nodes", crate::write::texts(&[node(i), node(j)])).text("dof", name);
            self.drifts.push(keys.number("height", height));
        }
    }

    /// Forces of elements in their local axes, deformations of springs.
    fn forces(&mut self, elements: &[i64], what: &str) -> Result<(), String> {
        let what = match what {
            "force" | "forces" | "localForce" | "globalForce" | "axialForce" | "basicForce" | "basicForces"
            | "localForces" | "globalForces" => "force",
            "deformation" | "deformations" | "basicDeformation" | "basicDeformations" | "deformationsANDforces" => {
                "deformation"
            }
            other => return Err(format!("`{other}` of an element is not a channel")),
        };
        for m in self.made.iter().filter(|m| elements.contains(&m.tag)) {
            let is = |k: &str| m.keys.0.iter().any(|(key, v)| key == "type" && v == &text(k));
            let count = match self.domain.ndm {
                _ if is("uniaxial") || is("bar") => 1,
                3 => 12,
                _ => 6,
            };
            let names: Vec<String> = match count {
                1 => vec![format!("{}.{what}", m.name)],
                n => (1..=n).map(|i| format!("{}.{what}.{i}", m.name)).collect(),
            };
            names.into_iter().for_each(|n| self.push(n));
        }
        Ok(())
    }

    fn query(&mut self, command: &Command) {
        let mut a = Arguments::of(command);
        let Some(tag) = a.tag() else { return };
        let numbers: Vec<usize> = a.tag().map_or_else(Vec::new, |d| vec![d.max(0) as usize]);
        match command.name.as_str() {
            "nodeDisp" => self.add(&[tag], &numbers, ""),
            "nodeVel" => self.add(&[tag], &numbers, ".v"),
            "nodeAccel" => self.add(&[tag], &numbers, ".a"),
            "eleForce" | "basicForce" => drop(self.forces(&[tag], "force")),
            "eleResponse" => {
                let what = command.arguments.last().and_then(|x| x.word()).unwrap_or("").to_owned();
                drop(self.forces(&[tag], &what));
            }
            _ => {}
        }
    }
}
