//! The script from its first command to its last: what is standing at every analysis, and which analyses there are.

use crate::arguments::Arguments;
use std::collections::BTreeMap;

use crate::domain::{Domain, Load, Pattern};
use crate::materials::kind;
use crate::record::{Command, End, Place, Record};
use crate::report::{Fate, Report};
use crate::series::{Course, Files};

/// An analysis of the script, with what was standing when it began.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) domain: Domain,
    pub(crate) kind: Analysis,
    /// Number of the model that it belongs to: one more after each `wipe`.
    pub(crate) model: usize,
    pub(crate) place: Place,
    /// Whether another analysis had moved the same model before.
    pub(crate) follows: bool,
}

/// What is analysed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Analysis {
    /// Nothing but modes or the loads that are held.
    Rest,
    /// One displacement is led: node, number of its degree of freedom, increments with their steps, and whether `sp` imposes it.
    Push { node: i64, dof: usize, strokes: Vec<(f64, u64)>, imposed: bool, start: f64 },
    /// The load factor is led, after other loads are held: where it ends, and its step.
    Load { to: f64, step: f64 },
    /// In time, steps of dt.
    Motion { dt: f64, steps: u64, start: f64 },
}

/// Commands without effect on the mechanics.
const IGNORED: &[(&[&str], &str)] = &[
    (&["system", "numberer", "test"], "Interfield chooses solver, numbering and tolerance itself"),
    (
        &[
            "printModel",
            "printA",
            "printB",
            "printGID",
            "logFile",
            "record",
            "defaultUnits",
            "setPrecision",
            "start",
            "stop",
        ],
        "it has no effect on the mechanics",
    ),
    (
        &[
            "reactions",
            "domainChange",
            "setNumThreads",
            "setMaxOpenFiles",
            "setStartNodeTag",
            "initialize",
            "metaData",
            "sdfResponse",
        ],
        "it has no effect on the mechanics",
    ),
    (
        &["convertBinaryToText", "convertTextToBinary", "stripXML", "database", "save", "modalProperties"],
        "it works on results",
    ),
    (&["exec"], "no program is started while a script is recorded"),
    (
        &["display", "prp", "vrp", "vup", "vpn", "viewWindow", "plane", "port", "projection", "fill", "print"],
        "it draws or prints",
    ),
    (&["responseSpectrumAnalysis"], "`interfield modes` shows frequencies and shapes"),
];

/// Queries: what the script wants to see.
const QUERIES: &[&str] = &[
    "nodeDisp",
    "nodeVel",
    "nodeAccel",
    "nodeReaction",
    "eleForce",
    "eleResponse",
    "basicForce",
    "basicDeformation",
    "nodeEigenvector",
    "sectionForce",
    "sectionDeformation",
    "nodeResponse",
];
/// Questions about the model and the analysis, which the recorder has answered.
const ANSWERED: &[&str] = &[
    "getTime",
    "nodeCoord",
    "nodeDOFs",
    "nodeMass",
    "nodeBounds",
    "getNodeTags",
    "getEleTags",
    "eleNodes",
    "getFixedNodes",
    "getNumElements",
    "getNDM",
    "getNDF",
    "getLoadFactor",
    "testIter",
    "testNorm",
    "testNorms",
    "numIter",
    "numFact",
    "systemSize",
    "getPID",
    "getNP",
    "getNumThreads",
    "version",
    "getPatterns",
    "totalCPU",
    "solveCPU",
    "accelCPU",
    "nodeUnbalance",
    "eleDynamicalForce",
    "sectionLocation",
    "sectionWeight",
    "getFixedDOFs",
    "getConstrainedNodes",
    "getConstrainedDOFs",
    "getRetainedNodes",
    "getRetainedDOFs",
    "eleType",
    "classType",
    "barrier",
    "Bcast",
    "send",
    "recv",
];

/// Goes through the record.
pub(crate) struct Script<'a> {
    files: &'a Files<'a>,
    pub(crate) report: Report,
    domain: Domain,
    open: Option<Run>,
    pub(crate) runs: Vec<Run>,
    models: usize,
    /// Whether an analysis has moved the present model.
    moved: bool,
}

impl<'a> Script<'a> {
    pub(crate) fn new(report: Report, files: &'a Files<'a>) -> Self {
        Script { files, report, domain: Domain::new(), open: None, runs: Vec::new(), models: 1, moved: false }
    }

    /// Takes all commands and how the script ended; then `runs` and `report` are complete.
    pub(crate) fn read(&mut self, record: &Record) {
        for command in &record.commands {
            self.take(command);
        }
        self.finish();
        for query in &record.depends {
            let message = format!(
                "which commands the script gives depends on the answer to {query}; this is the course for the answers that were given while it was recorded"
            );
            self.report.add(Fate::Replaced, query, &Place::default(), &message, "compare with --compare");
        }
        let computed = self.runs.iter().any(|r| r.kind != Analysis::Rest);
        let (message, place) = match &record.end {
            End::Done => return,
            End::Error(message, place) => (format!("the script stopped with an error: {message}"), place.clone()),
            End::Cut => ("the script ended without a word".to_owned(), Place::default()),
        };
        if computed {
            let remedy = "check that the model is complete; an error in plots or in results, which are not computed here, does no harm";
            self.report.add(
                Fate::Replaced,
                "end",
                &place,
                &format!("{message}; what was said before is translated"),
                remedy,
            );
        } else {
            let remedy = "correct the script, or translate what was said before with --allow end";
            self.report.add(Fate::Refused, "end", &place, &format!("{message}, before any analysis of motion"), remedy);
        }
    }

    /// What stands at the end of a record that goes on.
    pub(crate) fn standing(&mut self, record: &Record) -> Option<Run> {
        record.commands.iter().for_each(|c| self.take(c));
        self.domain.recorders.clear();
        self.domain.queries.clear();
        let place = Place::default();
        let run = Run { domain: self.domain.clone(), kind: Analysis::Rest, model: self.models, place, follows: false };
        (!run.domain.elements.is_empty()).then_some(run)
    }

    fn take(&mut self, command: &Command) {
        self.descends(command);
        if command.name == "region" && !Arguments::of(command).has("-rayleigh") {
            let why = "a region without damping has no effect on the mechanics";
            self.report.add(Fate::Ignored, "region", &command.place, why, "");
        }
        if let Some(result) = self.domain.build(command) {
            if let Err((message, remedy)) = result {
                self.report.add(Fate::Refused, &title(command), &command.place, &message, &remedy);
            }
            return;
        }
        let name = command.name.as_str();
        match name {
            // Of the recorder itself: where a displacement that will be led is.
            "begins" => {
                let p = Arguments::of(command).numbers();
                if let [node, dof, at] = p[..] {
                    self.domain.begins = Some((node.round() as i64, dof.round().max(1.0) as usize, at));
                }
            }
            "constraints" => self.domain.solving.constraints = Some(command.clone()),
            "integrator" => self.domain.solving.integrator = Some(command.clone()),
            "algorithm" => self.domain.solving.algorithm = Some(command.clone()),
            "analysis" => self.domain.solving.analysis = Some(command.clone()),
            "analyze" => self.analyze(command),
            "loadConst" => self.hold(command),
            "setTime" => self.domain.time = Arguments::of(command).or(0.0),
            "wipe" => self.wipe(),
            "wipeAnalysis" => self.domain.solving = crate::domain::Solving::default(),
            "reset" => {
                self.close();
                self.domain.time = 0.0;
                self.moved = false;
            }
            "recorder" => self.domain.recorders.push(command.clone()),
            _ if QUERIES.contains(&name) => self.domain.queries.push(command.clone()),
            _ if ANSWERED.contains(&name) => {}
            _ => self.other(command),
        }
        if let Some((_, why)) = IGNORED.iter().find(|(names, _)| names.contains(&name)) {
            self.report.add(Fate::Ignored, name, &command.place, why, "");
        }
    }

    /// What is neither known nor without effect.
    fn other(&mut self, command: &Command) {
        let name = command.name.as_str();
        if IGNORED.iter().any(|(names, _)| names.contains(&name)) {
            return;
        }
        let (message, remedy) = match name {
            "nDMaterial" => {
                // Refused where an element uses it.
                let why = "materials of several stresses are used by no member of a frame";
                return self.report.add(Fate::Ignored, &title(command), &command.place, why, "");
            }
            "equalDOF_Mixed" => {
                ("equal degrees of freedom of different directions are unknown", "use equalDOF or rigidLink")
            }
            "mesh" | "remesh" | "block2D" | "block3D" | "pressureConstraint" => {
                ("continua and fluids are unknown", "keep this part in OpenSees as a partner ([[external]])")
            }
            "setNodeDisp" | "setNodeVel" | "setNodeAccel" => (
                "a state that is set by hand is unknown",
                "write initial or initial_velocity at the node in the model file",
            ),
            "parameter" | "addToParameter" | "updateParameter" | "setParameter" | "updateMaterialStage" => (
                "parameters that change during an analysis are unknown",
                "use --set with [parameters] in the model file",
            ),
            "InitialStateAnalysis" => {
                ("this state is unknown", "loads of gravity come first in Interfield: use loadConst")
            }
            "damping" | "setElementRayleighDampingFactors" | "setElementRayleighFactors" => {
                ("damping of single elements is unknown", "use rayleigh, or rayleigh in a region")
            }
            _ => ("the command is unknown", "if it has no effect on the mechanics, pass --allow with its name"),
        };
        self.report.add(Fate::Refused, &title(command), &command.place, message, remedy);
    }

    /// Says so if a number descends from an answer that was not computed.
    fn descends(&mut self, command: &Command) {
        let Some(origin) =
            command.arguments.iter().find_map(|a| a.origin.as_ref().filter(|o| !o.live).or(a.origin.as_ref()))
        else {
            return;
        };
        let query = &origin.query;
        if origin.live {
            let message =
                format!("its numbers descend from {query}, which Interfield has computed from the model up to there");
            self.report.add(Fate::Replaced, &command.name, &command.place, &message, "");
        } else if command.name != "recorder" && !QUERIES.contains(&command.name.as_str()) {
            let message =
                format!("its numbers descend from {query}, which is not computed while the script is recorded");
            let remedy = "write the numbers into the script, or correct them in the model file and pass --allow with the command";
            self.report.add(Fate::Refused, &title(command), &command.place, &message, remedy);
        }
    }

    fn wipe(&mut self) {
        self.finish();
        self.domain = Domain::new();
        self.models += 1;
        self.moved = false;
    }

    /// Ends the analysis that is going on.
    fn close(&mut self) {
        if let Some(mut run) = self.open.take() {
            run.domain.recorders.clone_from(&self.domain.recorders);
            run.domain.queries.clone_from(&self.domain.queries);
            self.runs.push(run);
        }
    }

    /// The model is complete: one that nothing moved is kept for its modes and its rest.
    fn finish(&mut self) {
        self.close();
        let model = self.models;
        if !self.domain.elements.is_empty() && self.runs.iter().all(|r| r.model != model) {
            let place = self.domain.elements.values().next().map(|c| c.place.clone()).unwrap_or_default();
            self.runs.push(Run { domain: self.domain.clone(), kind: Analysis::Rest, model, place, follows: false });
        }
    }

    /// `loadConst`: what acts now goes on to act.
    fn hold(&mut self, command: &Command) {
        if !matches!(self.open.as_ref().map(|r| &r.kind), Some(Analysis::Load { .. })) {
            self.close();
        }
        // What a static analysis brought in is held, and was no pushover.
        self.open = None;
        let domain = &self.domain;
        let now = |p: &Pattern| {
            let (named, factor) = p.series();
            domain.course(named, self.files).map_or(factor, |c| factor * c.at(domain.time))
        };
        let factors: BTreeMap<i64, f64> = domain.patterns.iter().map(|(tag, p)| (*tag, now(p))).collect();
        for (tag, pattern) in self.domain.patterns.iter_mut().filter(|(_, p)| p.held.is_none() && p.kind() == "Plain") {
            pattern.held = Some(factors.get(tag).copied().unwrap_or(1.0));
        }
        if let Some(time) = Arguments::of(command).after("-time").and_then(|mut a| a.number()) {
            self.domain.time = time;
        }
    }

    fn analyze(&mut self, command: &Command) {
        let mut a = Arguments::of(command);
        let steps = a.or(1.0).max(0.0).round() as u64;
        let integrator = self.domain.solving.integrator.clone();
        let name = integrator.as_ref().map_or("", kind);
        let word = self.domain.solving.analysis.as_ref().map_or("", kind);
        let is_static = match word {
            "Static" => true,
            w if w.ends_with("Transient") => false,
            _ => matches!(name, "" | "LoadControl" | "DisplacementControl" | "ArcLength"),
        };
        if steps == 0 {
            return;
        }
        if !is_static {
            return self.transient(command, steps, a.number());
        }
        let p = integrator
            .as_ref()
            .map_or_else(Vec::new, |c| Arguments::from(c.arguments.get(1..).unwrap_or(&[])).numbers());
        match (name, &p[..]) {
            ("" | "LoadControl" | "StaticLoadControl", _) => {
                self.load(command, steps, p.first().copied().unwrap_or(1.0));
            }
            ("DisplacementControl", [node, dof, step, ..]) => {
                self.push(command, (node.round() as i64, dof.round().max(1.0) as usize), (*step, steps), false);
            }
            _ => {
                let remedy = "use LoadControl for loads that are held and DisplacementControl for a pushover";
                let message = format!("static analysis with {name} is unknown");
                self.report.add(Fate::Refused, &format!("integrator {name}"), &command.place, &message, remedy);
            }
        }
    }

    /// Steps of the load factor: loads that will be held, a displacement that is imposed, or a pushover by forces.
    fn load(&mut self, command: &Command, steps: u64, step: f64) {
        let start = self.domain.time;
        self.domain.time += steps as f64 * step;
        if let Some((node, dof, value, course)) = self.imposed() {
            for i in 0..steps {
                let [a, b] = [i, i + 1].map(|k| value * course.at(start + k as f64 * step));
                if a != b {
                    self.push(command, (node, dof), (b - a, 1), true);
                }
            }
            return;
        }
        let held = self.domain.patterns.values().any(|p| p.held.is_some_and(|f| f != 0.0) && !p.loads.is_empty());
        let free = |p: &Pattern| p.held.is_none() && p.kind() == "Plain" && !p.loads.is_empty();
        if held && self.domain.patterns.values().any(free) {
            match &mut self.open {
                Some(Run { kind: Analysis::Load { to, .. }, .. }) => *to = self.domain.time,
                _ => {
                    let kind = Analysis::Load { to: self.domain.time, step };
                    self.begin(command, kind);
                }
            }
            return;
        }
        self.close();
        self.domain.patterns.values_mut().for_each(|p| p.applied = true);
    }

    /// The one displacement that a pattern imposes, with its series.
    fn imposed(&self) -> Option<(i64, usize, f64, Course)> {
        let free = |p: &&Pattern| p.held.is_none() && p.kind() == "Plain";
        let mut found = self.domain.patterns.values().filter(free).flat_map(|p| p.loads.iter().map(move |l| (p, l)));
        let (pattern, Load::Imposed { node, dof, value, .. }) = found.next()? else { return None };
        let (named, factor) = pattern.series();
        let course = self.domain.course(named, self.files).ok()?.times(factor);
        found.next().is_none().then_some((*node, *dof, *value, course))
    }

    fn push(&mut self, command: &Command, (node, dof): (i64, usize), stroke: (f64, u64), imposed: bool) {
        if let Some(Run { kind: Analysis::Push { node: n, dof: d, strokes, .. }, .. }) = &mut self.open
            && (*n, *d) == (node, dof)
        {
            match strokes.last_mut() {
                Some(last) if last.0 == stroke.0 => last.1 += stroke.1,
                _ => strokes.push(stroke),
            }
            return;
        }
        let begins = self.domain.begins.filter(|b| (b.0, b.1) == (node, dof));
        let start = begins.map_or(0.0, |b| b.2);
        self.begin(command, Analysis::Push { node, dof, strokes: vec![stroke], imposed, start });
    }

    fn transient(&mut self, command: &Command, steps: u64, dt: Option<f64>) {
        let Some(dt) = dt.filter(|dt| *dt > 0.0) else {
            let message = "an analysis in time needs a positive step";
            return self.report.add(Fate::Refused, "analyze", &command.place, message, "write analyze(1000, 0.01)");
        };
        let start = self.domain.time;
        self.domain.time += steps as f64 * dt;
        if let Some(Run { kind: Analysis::Motion { dt: h, steps: n, .. }, .. }) = &mut self.open {
            let (span, smaller) = (*n as f64 * *h + steps as f64 * dt, h.min(dt));
            if (*h - dt).abs() > 1e-9 * dt {
                let message = "the step changes during the analysis; the smallest one is used throughout";
                self.report.add(Fate::Replaced, "analyze", &command.place, message, "");
            }
            (*h, *n) = (smaller, (span / smaller).round() as u64);
            return;
        }
        self.begin(command, Analysis::Motion { dt, steps, start });
    }

    fn begin(&mut self, command: &Command, kind: Analysis) {
        self.close();
        let run = Run {
            domain: self.domain.clone(),
            kind,
            model: self.models,
            place: command.place.clone(),
            follows: std::mem::replace(&mut self.moved, true),
        };
        self.open = Some(run);
    }
}

/// A command with its type, as users know it.
pub(crate) fn title(command: &Command) -> String {
    let typed = [
        "uniaxialMaterial",
        "element",
        "section",
        "integrator",
        "timeSeries",
        "pattern",
        "nDMaterial",
        "beamIntegration",
        "geomTransf",
    ];
    match typed.contains(&command.name.as_str()) {
        true => format!("{} {}", command.name, kind(command)),
        false => command.name.clone(),
    }
}
