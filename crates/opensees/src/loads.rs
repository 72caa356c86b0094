//! Patterns of an analysis: loads that are held from the beginning, forces and motions in time, and the forces of a pushover.

use std::collections::BTreeMap;

use crate::arguments::Arguments;
use crate::domain::{Domain, Load, Pattern, Wrong, wrong};
use crate::elements::{dofs, element, node};
use crate::materials::kind;
use crate::record::{Argument, Command, Place};
use crate::report::{Fate, Report};
use crate::script::{Analysis, Run, title};
use crate::series::{Course, Files};
use crate::write::{Keys, texts};

/// Loads of one analysis as they are written.
#[derive(Default)]
pub(crate) struct Loads {
    /// Rows of `[[load]]`.
    pub(crate) rows: Vec<Keys>,
    /// Forces of a pushover for a factor of one, by degree of freedom.
    pub(crate) pattern: BTreeMap<(i64, usize), f64>,
    /// Files beside the model: name and text.
    pub(crate) files: Vec<(String, String)>,
    /// Factors and peaks of ground motions, in order.
    pub(crate) motions: Vec<(f64, f64)>,
    /// Names of ground motions, for channels.
    pub(crate) names: Vec<String>,
    held: BTreeMap<(i64, usize), f64>,
    /// Uniform loads along members by their components.
    spread: BTreeMap<i64, [f64; 3]>,
}

/// What translates the patterns of one run.
pub(crate) struct Reader<'a> {
    pub(crate) run: &'a Run,
    /// Tags of the elements that are there.
    pub(crate) made: &'a [i64],
    pub(crate) report: &'a mut Report,
    pub(crate) files: &'a Files<'a>,
    /// How files beside the model begin.
    pub(crate) stem: &'a str,
    /// Records that are written already: their text and their file.
    pub(crate) written: &'a mut Vec<(String, String)>,
}

impl Reader<'_> {
    pub(crate) fn read(mut self) -> Loads {
        let mut loads = Loads::default();
        for pattern in self.run.domain.patterns.values() {
            if let Err((message, remedy)) = self.pattern(&mut loads, pattern) {
                self.report.add(Fate::Refused, &title(&pattern.command), &pattern.command.place, &message, &remedy);
            }
        }
        self.settle(&mut loads);
        loads
    }

    fn domain(&self) -> &Domain {
        &self.run.domain
    }

    fn course(&self, named: Option<&Argument>) -> Result<Course, Wrong> {
        self.domain().course(named, self.files)
    }

    fn pattern(&mut self, loads: &mut Loads, pattern: &Pattern) -> Result<(), Wrong> {
        match pattern.kind() {
            "Plain" => self.plain(loads, pattern),
            "UniformExcitation" => self.uniform(loads, pattern),
            "MultipleSupport" => self.supports(loads, pattern),
            other => {
                wrong(format!("Interfield has no pattern `{other}`"), "use Plain, UniformExcitation or MultipleSupport")
            }
        }
    }

    fn plain(&mut self, loads: &mut Loads, pattern: &Pattern) -> Result<(), Wrong> {
        let (named, factor) = pattern.series();
        if let Some(held) = pattern.held {
            return self.hold(loads, pattern, held);
        }
        if pattern.loads.is_empty() {
            return Ok(());
        }
        let series = self.course(named)?.times(factor);
        match (&self.run.kind, &series) {
            (Analysis::Push { node, dof, imposed: true, .. }, _) if pattern.imposes() => {
                // A force of any size at the displacement that is led: the load factor is what the support would feel.
                loads.pattern.insert((*node, *dof), 1.0);
                Ok(())
            }
            (Analysis::Push { .. } | Analysis::Load { .. }, Course::Linear(f)) => self.push(loads, pattern, *f),
            (Analysis::Push { .. } | Analysis::Load { .. }, Course::Constant(f)) => self.hold(loads, pattern, *f),
            (Analysis::Push { .. } | Analysis::Load { .. }, _) => {
                wrong("forces of a pushover whose series is not Linear are unknown", "give the pattern a Linear series")
            }
            (Analysis::Rest, _) => self.hold(loads, pattern, series.at(self.domain().time)),
            (Analysis::Motion { .. }, Course::Constant(f)) if pattern.applied => self.hold(loads, pattern, *f),
            (Analysis::Motion { start, .. }, _) => {
                let start = *start;
                if pattern.applied {
                    let message = "this pattern was brought in by a static analysis and not held by loadConst: it goes on to \
                                   change in time, as in OpenSees, but the motion begins without it";
                    let remedy = "write loadConst('-time', 0.0) after the static analysis";
                    self.report.add(Fate::Replaced, "pattern Plain", &pattern.command.place, message, remedy);
                }
                self.moving(loads, pattern, series, start)
            }
        }
    }

    /// Degree of freedom by its number, if it is free.
    fn free(&self, tag: i64, dof: usize) -> Option<&'static str> {
        let node = self.domain().nodes.get(&tag)?;
        let name = dofs(self.domain().ndm, node.ndf).get(dof - 1)?;
        (!node.fixed.get(dof - 1).copied().unwrap_or(false)).then_some(*name)
    }

    /// Forces at nodes: those on supports have no effect.
    fn forces(&self, pattern: &Pattern) -> Vec<(i64, usize, f64)> {
        let of = |load: &Load| match load {
            Load::Node { node, values } => {
                let list = values.iter().enumerate().filter(|(_, f)| **f != 0.0).map(|(i, f)| (*node, i + 1, *f));
                list.filter(|(node, dof, _)| self.free(*node, *dof).is_some()).collect()
            }
            _ => Vec::new(),
        };
        pattern.loads.iter().flat_map(of).collect()
    }

    fn hold(&mut self, loads: &mut Loads, pattern: &Pattern, factor: f64) -> Result<(), Wrong> {
        for (node, dof, force) in self.forces(pattern) {
            *loads.held.entry((node, dof)).or_default() += factor * force;
        }
        for load in &pattern.loads {
            match load {
                Load::Element(command) => self.along(loads, command, factor)?,
                Load::Imposed { value, place, .. } if *value != 0.0 => self.settled(place),
                _ => {}
            }
        }
        Ok(())
    }

    fn settled(&mut self, place: &Place) {
        let remedy = "give the displacement to the node as `initial` in the model file, or impose it in time";
        self.report.add(Fate::Refused, "sp", place, "a displacement imposed at rest is unknown", remedy);
    }

    fn push(&mut self, loads: &mut Loads, pattern: &Pattern, factor: f64) -> Result<(), Wrong> {
        for (node, dof, force) in self.forces(pattern) {
            *loads.pattern.entry((node, dof)).or_default() += factor * force;
        }
        let other = pattern.loads.iter().any(|l| !matches!(l, Load::Node { .. }));
        if other {
            return wrong("loads along members and imposed displacements cannot push", "push with forces at nodes");
        }
        Ok(())
    }

    /// Forces and displacements that follow a series in time.
    fn moving(&mut self, loads: &mut Loads, pattern: &Pattern, series: Course, start: f64) -> Result<(), Wrong> {
        for (tag, dof, force) in self.forces(pattern) {
            let Some(name) = self.free(tag, dof) else { continue };
            let signal = self.signal(loads, series.clone().times(force), start);
            let keys = Keys::default().text("type", "force").text("at", &format!("{}.{name}", node(tag)));
            loads.rows.push(keys.with("signal", signal));
        }
        for load in &pattern.loads {
            match load {
                Load::Imposed { node: tag, dof, value, place } => {
                    let signal = self.signal(loads, series.clone().times(*value), start);
                    self.impose(loads, (*tag, *dof), ("displacement", signal), place);
                }
                Load::Element(command) => {
                    let remedy = "hold it with loadConst after a static analysis, or put forces at the nodes";
                    let message = "a load along a member that changes in time is unknown";
                    self.report.add(Fate::Refused, "eleLoad", &command.place, message, remedy);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn impose(&mut self, loads: &mut Loads, (tag, dof): (i64, usize), (key, signal): (&str, String), place: &Place) {
        let domain = &self.run.domain;
        let name = domain.nodes.get(&tag).and_then(|n| dofs(domain.ndm, n.ndf).get(dof - 1).copied());
        let Some(name) = name else {
            let message = format!("node {tag} has no degree of freedom {dof}");
            return self.report.add(Fate::Refused, "imposedMotion", place, &message, "name another");
        };
        let keys = Keys::default().text("type", "imposed").text("at", &format!("{}.{name}", node(tag)));
        loads.rows.push(keys.with(key, signal));
    }

    /// The signal of a series, with its file if it is long.
    fn signal(&mut self, loads: &mut Loads, series: Course, start: f64) -> String {
        let until = match self.run.kind {
            Analysis::Motion { dt, steps, .. } => dt * steps as f64,
            _ => 0.0,
        };
        let series = series.from(start);
        let name = format!("{}-record{}.txt", self.stem, self.written.len() + 1);
        let (keys, text) = series.signal(&name, start, until);
        let Some(text) = text else { return keys.inline() };
        if let Some((_, known)) = self.written.iter().find(|(t, _)| *t == text) {
            return keys.inline().replace(&crate::write::text(&name), &crate::write::text(known));
        }
        self.written.push((text.clone(), name.clone()));
        loads.files.push((name, text));
        keys.inline()
    }

    fn uniform(&mut self, loads: &mut Loads, pattern: &Pattern) -> Result<(), Wrong> {
        let Analysis::Motion { start, .. } = self.run.kind else { return Ok(()) };
        let a = Arguments::from(pattern.command.arguments.get(2..).unwrap_or(&[]));
        let direction = a.clone().tag().unwrap_or(1).max(1) as usize;
        let ndm = self.domain().ndm;
        if direction > ndm {
            return wrong("the ground cannot rotate", "use a direction of translation");
        }
        let Some(named) = a.after("-accel").or_else(|| a.after("-acceleration")).and_then(|a| a.rest().first()) else {
            return wrong("a ground motion without -accel is unknown", "give its acceleration");
        };
        if a.after("-vel0").is_some_and(|mut a| a.or(0.0) != 0.0) {
            return wrong("-vel0 is unknown", "give nodes an `initial_velocity` in the model file");
        }
        let factor = ["-fact", "-factor"].iter().find_map(|f| a.after(f)?.number()).unwrap_or(1.0);
        let series = self.course(Some(named))?.times(factor);
        if let Course::Path { factor, points, .. } = &series {
            let peak = points.iter().fold(0.0f64, |m, p| m.max(p.1.abs())) * factor.abs();
            loads.motions.push((*factor, peak));
        }
        if series.at(start) != 0.0 {
            let message = "the ground acceleration does not begin at zero: OpenSees starts with a = 0 and alternates about the \
                           solution, Interfield starts in balance";
            let remedy = "compare from a record that begins with zero";
            self.report.add(Fate::Replaced, "pattern UniformExcitation", &pattern.command.place, message, remedy);
        }
        if start != 0.0 {
            let message =
                format!("the time is {start} when the motion begins: the record is used from there on, as in OpenSees");
            let remedy = "write loadConst('-time', 0.0) before, unless this is meant";
            self.report.add(Fate::Replaced, "pattern UniformExcitation", &pattern.command.place, &message, remedy);
        }
        let signal = self.signal(loads, series, start);
        let axis = ["x", "y", "z"][direction - 1];
        let several = loads.names.iter().filter(|n| n.starts_with(&format!("ground-{axis}"))).count();
        let name = if several == 0 { format!("ground-{axis}") } else { format!("ground-{axis}-{}", several + 1) };
        loads.names.push(name.clone());
        let keys = Keys::default().text("type", "ground").text("name", &name).text("direction", axis);
        loads.rows.push(keys.with("signal", signal));
        Ok(())
    }

    /// Motions of single supports.
    fn supports(&mut self, loads: &mut Loads, pattern: &Pattern) -> Result<(), Wrong> {
        let Analysis::Motion { start, .. } = self.run.kind else { return Ok(()) };
        for load in &pattern.loads {
            let Load::Moved { node, dof, motion, place } = load else { continue };
            let Some(command) = pattern.motions.get(motion) else {
                return wrong(format!("there is no groundMotion {motion}"), "define it in the pattern");
            };
            let (key, series) = self.motion(command)?;
            if key == "displacement" && !Arguments::of(command).has("-vel") {
                let message = "OpenSees takes the velocity and the acceleration of this support for zero, Interfield those of its displacement";
                self.report.add(
                    Fate::Replaced,
                    "groundMotion",
                    &command.place,
                    message,
                    "give -vel and -accel too to compare damped structures",
                );
            }
            let signal = self.signal(loads, series, start);
            self.impose(loads, (*node, *dof), (key, signal), place);
        }
        Ok(())
    }

    fn motion(&self, command: &Command) -> Result<(&'static str, Course), Wrong> {
        let a = Arguments::of(command);
        let factor = ["-fact", "-factor"].iter().find_map(|f| a.after(f)?.number()).unwrap_or(1.0);
        let of = |flag: &str| a.after(flag).and_then(|a| a.rest().first());
        match (of("-disp"), of("-accel")) {
            (Some(series), _) => Ok(("displacement", self.course(Some(series))?.times(factor))),
            (None, Some(series)) => Ok(("acceleration", self.course(Some(series))?.times(factor))),
            _ => wrong("a groundMotion without -disp or -accel is unknown", "give its displacement"),
        }
    }

    /// A load along members.
    fn along(&mut self, loads: &mut Loads, command: &Command, factor: f64) -> Result<(), Wrong> {
        let a = Arguments::of(command);
        let mut tags = a.after("-ele").map(|mut a| a.tags()).unwrap_or_default();
        if let Some(range) = a.after("-range").map(|mut a| a.tags())
            && let [first, last, ..] = range[..]
        {
            tags.extend(self.domain().elements.keys().filter(|t| (first..=last).contains(*t)));
        }
        let space = self.domain().ndm == 3;
        let uniform = a.after("-beamUniform").or_else(|| a.after("beamUniform")).map(|mut a| a.numbers());
        let point = a.after("-beamPoint").or_else(|| a.after("beamPoint")).map(|mut a| a.numbers());
        match (uniform.as_deref(), point.as_deref()) {
            (Some(w), _) => {
                let get = |i: usize| w.get(i).copied().unwrap_or(0.0);
                let [x, y, z] = if space { [get(2), get(0), get(1)] } else { [get(1), get(0), 0.0] };
                for tag in tags {
                    let sum = loads.spread.entry(tag).or_default();
                    [x, y, z].iter().zip(sum).for_each(|(w, s)| *s += factor * w);
                }
                Ok(())
            }
            (_, Some([p, xi, rest @ ..])) if !space => {
                for tag in tags {
                    self.concentrated(
                        loads,
                        tag,
                        [rest.first().copied().unwrap_or(0.0), *p].map(|f| f * factor),
                        *xi,
                        command,
                    )?;
                }
                Ok(())
            }
            _ => wrong("this load along a member is unknown", "use -beamUniform, or forces at nodes"),
        }
    }

    /// A force on a member of a plane as the forces and moments of its clamped ends.
    fn concentrated(
        &mut self,
        loads: &mut Loads,
        tag: i64,
        [along, across]: [f64; 2],
        xi: f64,
        command: &Command,
    ) -> Result<(), Wrong> {
        let domain = &self.run.domain;
        let ends: Vec<i64> = domain
            .elements
            .get(&tag)
            .map_or_else(Vec::new, |e| Arguments::from(e.arguments.get(2..).unwrap_or(&[])).tags());
        let (Some(i), Some(j)) = (ends.first(), ends.get(1)) else {
            return wrong(format!("there is no element {tag}"), "load another");
        };
        let at = |n: &i64| domain.nodes.get(n).map_or([0.0; 2], |n| [n.at[0], *n.at.get(1).unwrap_or(&0.0)]);
        let (a, b) = (at(i), at(j));
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let (c, s) = ((b[0] - a[0]) / length, (b[1] - a[1]) / length);
        let eta = 1.0 - xi;
        let shear = [across * eta * eta * (1.0 + 2.0 * xi), across * xi * xi * (1.0 + 2.0 * eta)];
        let moment = [across * length * xi * eta * eta, -across * length * xi * xi * eta];
        let axial = [along * eta, along * xi];
        for (k, n) in [*i, *j].into_iter().enumerate() {
            let global = [axial[k] * c - shear[k] * s, axial[k] * s + shear[k] * c, moment[k]];
            for (d, f) in global
                .into_iter()
                .enumerate()
                .filter(|(d, f)| f.abs() > 1e-12 * across.abs() && self.free(n, d + 1).is_some())
            {
                *loads.held.entry((n, d + 1)).or_default() += f;
            }
        }
        let message = "a force on a member becomes the forces and moments of its clamped ends: nodes of elastic members move as \
                       with the force, moments inside of the member do not show it";
        self.report.add(Fate::Replaced, "eleLoad", &command.place, message, "put a node under the force to see them");
        Ok(())
    }

    /// Writes what is held, before what moves.
    fn settle(&mut self, loads: &mut Loads) {
        let mut rows = Vec::new();
        for ((tag, dof), force) in loads.held.iter().filter(|h| *h.1 != 0.0) {
            let Some(name) = self.free(*tag, *dof) else { continue };
            let keys = Keys::default().text("type", "gravity").text("at", &format!("{}.{name}", node(*tag)));
            rows.push(keys.number("force", *force));
        }
        let mut groups: Vec<([f64; 3], Vec<String>)> = Vec::new();
        for (tag, w) in loads.spread.iter().filter(|s| s.1.iter().any(|w| *w != 0.0)) {
            if !self.made.contains(tag) {
                let place = crate::elements::place(self.domain(), *tag);
                let message = format!("the load along element {tag} is left out with it");
                self.report.add(Fate::Replaced, "eleLoad", &place, &message, "");
                continue;
            }
            let member = self.domain().elements.get(tag).map_or("", kind);
            if !member.to_lowercase().contains("beam") {
                let message = format!("element {tag} is no member that a load can be spread along");
                self.report.add(
                    Fate::Refused,
                    "eleLoad",
                    &crate::elements::place(self.domain(), *tag),
                    &message,
                    "load its nodes",
                );
                continue;
            }
            match groups.iter_mut().find(|g| g.0 == *w) {
                Some(group) => group.1.push(element(*tag)),
                None => groups.push((*w, vec![element(*tag)])),
            }
        }
        for ([x, y, z], names) in groups {
            let keys = Keys::default().text("type", "gravity").with("elements", texts(&names));
            rows.push(keys.unless("x", x, 0.0).unless("y", y, 0.0).unless("z", z, 0.0));
        }
        loads.rows.splice(0..0, rows);
    }
}
