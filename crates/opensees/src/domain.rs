//! What is standing at a moment of the script: the model, its patterns, and how it is analysed.

use std::collections::BTreeMap;

use crate::arguments::Arguments;
use crate::record::{Argument, Command, Place};
use crate::series::{Course, Files, course};

/// A node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) at: Vec<f64>,
    /// Number of its degrees of freedom.
    pub(crate) ndf: usize,
    pub(crate) mass: Vec<f64>,
    pub(crate) fixed: Vec<bool>,
}

/// A cross-section with what was put into it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) command: Command,
    /// `patch`, `layer` and `fiber`.
    pub(crate) parts: Vec<Command>,
}

/// A load of a pattern.
#[derive(Clone, Debug)]
pub(crate) enum Load {
    Node {
        node: i64,
        values: Vec<f64>,
    },
    Element(Command),
    /// An imposed displacement: node, number of the degree of freedom, value.
    Imposed {
        node: i64,
        dof: usize,
        value: f64,
        place: Place,
    },
    /// A motion of a support: node, number of the degree of freedom, tag of the motion.
    Moved {
        node: i64,
        dof: usize,
        motion: i64,
        place: Place,
    },
}

/// A load pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) command: Command,
    pub(crate) loads: Vec<Load>,
    /// `groundMotion` by its tag.
    pub(crate) motions: BTreeMap<i64, Command>,
    /// The factor with which `loadConst` has frozen it.
    pub(crate) held: Option<f64>,
    /// Whether a static analysis has brought it in.
    pub(crate) applied: bool,
}

impl Pattern {
    pub(crate) fn kind(&self) -> &str {
        self.command.arguments.first().and_then(|a| a.word()).unwrap_or("Plain")
    }

    /// Whether it imposes a displacement.
    pub(crate) fn imposes(&self) -> bool {
        self.loads.iter().any(|l| matches!(l, Load::Imposed { value, .. } if *value != 0.0))
    }

    /// Its series and the factor on it, of a plain pattern.
    pub(crate) fn series(&self) -> (Option<&Argument>, f64) {
        let a = Arguments::from(self.command.arguments.get(2..).unwrap_or(&[]));
        let factor = ["-fact", "-factor"].iter().find_map(|f| a.after(f)?.number()).unwrap_or(1.0);
        (a.rest().first(), factor)
    }
}

/// How equations are solved, as the script says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solving {
    pub(crate) analysis: Option<Command>,
    pub(crate) integrator: Option<Command>,
    pub(crate) algorithm: Option<Command>,
    pub(crate) constraints: Option<Command>,
}

/// Everything that is standing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domain {
    pub(crate) ndm: usize,
    pub(crate) ndf: usize,
    pub(crate) nodes: BTreeMap<i64, Node>,
    pub(crate) materials: BTreeMap<i64, Command>,
    pub(crate) frictions: BTreeMap<i64, Command>,
    pub(crate) sections: BTreeMap<i64, Section>,
    pub(crate) transformations: BTreeMap<i64, Command>,
    pub(crate) integrations: BTreeMap<i64, Command>,
    pub(crate) elements: BTreeMap<i64, Command>,
    pub(crate) constraints: Vec<Command>,
    pub(crate) series: BTreeMap<i64, Command>,
    pub(crate) patterns: BTreeMap<i64, Pattern>,
    /// `rayleigh` and `region`s with it, in order; what they say of nodes and elements that were there is below.
    pub(crate) rayleigh: Vec<Command>,
    /// Factor of the mass by node.
    pub(crate) mass_factors: BTreeMap<i64, f64>,
    /// Factor of the stiffness by element.
    pub(crate) stiffness_factors: BTreeMap<i64, f64>,
    pub(crate) modal: Option<Command>,
    /// The last `eigen`.
    pub(crate) eigen: Option<Command>,
    pub(crate) recorders: Vec<Command>,
    /// Results that the script asks for.
    pub(crate) queries: Vec<Command>,
    pub(crate) solving: Solving,
    /// Where a displacement that is led begins: node, degree of freedom, displacement.
    pub(crate) begins: Option<(i64, usize, f64)>,
    /// Pseudo-time or time.
    pub(crate) time: f64,
    section: Option<i64>,
    pattern: Option<i64>,
}

/// What went wrong with a command: the message and the remedy.
pub(crate) type Wrong = (String, String);

pub(crate) fn wrong<T>(message: impl Into<String>, remedy: impl Into<String>) -> Result<T, Wrong> {
    Err((message.into(), remedy.into()))
}

const FEW: &str = "the command has too few arguments";
const LOOK: &str = "look at the line: OpenSees would refuse it too";

fn few() -> Wrong {
    (FEW.to_owned(), LOOK.to_owned())
}

impl Domain {
    pub(crate) fn new() -> Self {
        Domain { ndm: 2, ndf: 3, ..Domain::default() }
    }

    /// Takes a command that builds the model. `None` if it is not one of these.
    pub(crate) fn build(&mut self, command: &Command) -> Option<Result<(), Wrong>> {
        let mut a = Arguments::of(command);
        let result = match command.name.as_str() {
            "model" => self.model(&a),
            "node" => self.node(command),
            "fix" => self.fix(a),
            "fixX" | "fixY" | "fixZ" => self.fix_all(&command.name, a),
            "mass" => self.mass(a),
            "uniaxialMaterial" => store(&mut self.materials, command, 1),
            "frictionModel" => store(&mut self.frictions, command, 1),
            "geomTransf" => store(&mut self.transformations, command, 1),
            "beamIntegration" => store(&mut self.integrations, command, 1),
            "element" => store(&mut self.elements, command, 1),
            "timeSeries" => store(&mut self.series, command, 1),
            "region" => self.region(command),
            "section" => self.section(command),
            "patch" | "layer" | "fiber" => self.fill(command),
            "equalDOF" | "rigidLink" | "rigidDiaphragm" => {
                self.constraints.push(command.clone());
                Ok(())
            }
            "pattern" => self.pattern(command),
            "load" => self.load(a),
            "eleLoad" => self.put(Load::Element(command.clone())),
            "sp" => self.sp(a, &command.place),
            "imposedMotion" | "imposedSupportMotion" => self.moved(a, &command.place),
            "groundMotion" => self.motion(command),
            "rayleigh" => {
                let (nodes, elements) = (self.nodes.keys().copied().collect(), self.elements.keys().copied().collect());
                self.damp(command, nodes, elements, a.numbers());
                Ok(())
            }
            "modalDamping" | "modalDampingQ" => {
                self.modal = Some(command.clone());
                Ok(())
            }
            "eigen" => {
                self.eigen = Some(command.clone());
                Ok(())
            }
            "setNodeCoord" => {
                let (node, axis, x) = (a.tag(), a.tag(), a.number());
                match (node.and_then(|n| self.nodes.get_mut(&n)), axis, x) {
                    (Some(node), Some(axis), Some(x)) if (1..=node.at.len() as i64).contains(&axis) => {
                        node.at[axis as usize - 1] = x;
                        Ok(())
                    }
                    _ => Err(few()),
                }
            }
            "remove" => self.remove(a),
            _ => return None,
        };
        Some(result)
    }

    fn model(&mut self, a: &Arguments<'_>) -> Result<(), Wrong> {
        let ndm = a.after("-ndm").and_then(|mut a| a.tag());
        let Some(ndm) = ndm.filter(|n| (1..=3).contains(n)) else {
            return wrong("the model has no -ndm of 1, 2 or 3", "write model('basic', '-ndm', 2, '-ndf', 3)");
        };
        self.ndm = ndm as usize;
        let usual = [1, 3, 6][self.ndm - 1];
        self.ndf = a.after("-ndf").and_then(|mut a| a.tag()).map_or(usual, |n| n.clamp(1, 6) as usize);
        Ok(())
    }

    fn node(&mut self, command: &Command) -> Result<(), Wrong> {
        let mut a = Arguments::of(command);
        let tag = a.tag().ok_or_else(few)?;
        let at: Vec<f64> = (0..self.ndm).filter_map(|_| a.number()).collect();
        if at.len() < self.ndm {
            return Err(few());
        }
        let ndf = a.after("-ndf").and_then(|mut a| a.tag()).map_or(self.ndf, |n| n.clamp(1, 6) as usize);
        let mass = a.after("-mass").map_or_else(Vec::new, |mut a| a.numbers());
        let node = Node { at, ndf, mass, fixed: vec![false; ndf] };
        self.nodes.insert(tag, node);
        Ok(())
    }

    /// The series that an argument names: by its tag, or, in old scripts, by its own words.
    pub(crate) fn course(&self, named: Option<&Argument>, files: &Files<'_>) -> Result<Course, Wrong> {
        let Some(named) = named else { return wrong("the pattern has no timeSeries", "name one") };
        if let Some(tag) = named.number() {
            let tag = tag.round() as i64;
            return match self.series.get(&tag) {
                Some(command) => course(command, files),
                None => wrong(format!("there is no timeSeries {tag}"), "define it before the pattern"),
            };
        }
        let mut words = named.word().unwrap_or_default().split_whitespace().map(Argument::of);
        let kind = words.next().unwrap_or_else(|| Argument::of("Linear"));
        let arguments = [kind, Argument::of("0")].into_iter().chain(words).collect();
        course(&Command { name: "timeSeries".to_owned(), arguments, ..Command::default() }, files)
    }

    fn known(&mut self, tag: i64) -> Result<&mut Node, Wrong> {
        let message = || (format!("there is no node {tag}"), "define the node first".to_owned());
        self.nodes.get_mut(&tag).ok_or_else(message)
    }

    fn fix(&mut self, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let tag = a.tag().ok_or_else(few)?;
        let flags = a.numbers();
        let node = self.known(tag)?;
        node.fixed.iter_mut().zip(&flags).for_each(|(f, x)| *f |= *x != 0.0);
        Ok(())
    }

    /// All nodes at one coordinate.
    fn fix_all(&mut self, name: &str, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let axis = ["fixX", "fixY", "fixZ"].iter().position(|n| *n == name).unwrap_or(0);
        let x = a.number().ok_or_else(few)?;
        let near = a.after("-tol").and_then(|mut a| a.number()).unwrap_or(1e-10);
        let flags = a.numbers();
        let there = |n: &&mut Node| n.at.get(axis).is_some_and(|y| (y - x).abs() <= near);
        for node in self.nodes.values_mut().filter(there) {
            node.fixed.iter_mut().zip(&flags).for_each(|(f, x)| *f |= *x != 0.0);
        }
        Ok(())
    }

    fn mass(&mut self, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let tag = a.tag().ok_or_else(few)?;
        let mass = a.numbers();
        self.known(tag)?.mass = mass;
        Ok(())
    }

    /// Damping of these nodes and elements, in the place of what was said of them before.
    fn damp(&mut self, command: &Command, nodes: Vec<i64>, elements: Vec<i64>, factors: Vec<f64>) {
        let get = |i: usize| factors.get(i).copied().unwrap_or(0.0);
        self.mass_factors.extend(nodes.into_iter().map(|n| (n, get(0))));
        self.stiffness_factors.extend(elements.into_iter().map(|e| (e, get(1) + get(2) + get(3))));
        self.rayleigh.push(command.clone());
    }

    /// Nodes and elements of a region; without damping it has no effect.
    fn region(&mut self, command: &Command) -> Result<(), Wrong> {
        let a = Arguments::of(command);
        let Some(factors) = a.after("-rayleigh").map(|mut a| a.numbers()) else { return Ok(()) };
        let tags = |flags: &[&str]| flags.iter().find_map(|f| a.after(f)).map(|mut a| a.tags()).unwrap_or_default();
        let within = |flags: &[&str], all: Vec<i64>| match tags(flags)[..] {
            [first, last, ..] => all.into_iter().filter(|t| (first..=last).contains(t)).collect(),
            _ => Vec::new(),
        };
        let mut elements = tags(&["-ele", "-eleOnly"]);
        elements.extend(within(&["-eleRange", "-eleOnlyRange"], self.elements.keys().copied().collect()));
        let mut nodes = tags(&["-node", "-nodeOnly"]);
        nodes.extend(within(&["-nodeRange", "-nodeOnlyRange"], self.nodes.keys().copied().collect()));
        let ends = |e: &Command| Arguments::from(e.arguments.get(2..4).unwrap_or(&[])).tags();
        if a.has("-ele") || a.has("-eleRange") {
            nodes.extend(elements.iter().filter_map(|e| self.elements.get(e)).flat_map(ends));
        } else if a.has("-node") || a.has("-nodeRange") {
            let inside = |e: &Command| ends(e).iter().all(|n| nodes.contains(n));
            elements.extend(self.elements.iter().filter(|(_, e)| inside(e)).map(|(tag, _)| *tag));
        }
        self.damp(command, nodes, elements, factors);
        Ok(())
    }

    fn section(&mut self, command: &Command) -> Result<(), Wrong> {
        let mut a = Arguments::of(command);
        a.skip();
        let tag = a.tag().ok_or_else(few)?;
        self.sections.insert(tag, Section { command: command.clone(), parts: Vec::new() });
        self.section = Some(tag);
        Ok(())
    }

    fn fill(&mut self, command: &Command) -> Result<(), Wrong> {
        match self.section.and_then(|tag| self.sections.get_mut(&tag)) {
            Some(section) => {
                section.parts.push(command.clone());
                Ok(())
            }
            None => wrong("there is no section to put it into", "give it after section('Fiber', ...)"),
        }
    }

    fn pattern(&mut self, command: &Command) -> Result<(), Wrong> {
        let mut a = Arguments::of(command);
        a.skip();
        let tag = a.tag().ok_or_else(few)?;
        self.patterns.insert(tag, Pattern { command: command.clone(), ..Pattern::default() });
        self.pattern = Some(tag);
        Ok(())
    }

    fn put(&mut self, load: Load) -> Result<(), Wrong> {
        match self.pattern.and_then(|tag| self.patterns.get_mut(&tag)) {
            Some(pattern) => {
                pattern.loads.push(load);
                Ok(())
            }
            None => wrong("there is no pattern for this load", "give it after pattern('Plain', ...)"),
        }
    }

    fn load(&mut self, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let node = a.tag().ok_or_else(few)?;
        let values = a.numbers();
        self.known(node)?;
        self.put(Load::Node { node, values })
    }

    fn sp(&mut self, mut a: Arguments<'_>, place: &Place) -> Result<(), Wrong> {
        let (node, dof, value) = (a.tag().ok_or_else(few)?, a.tag().ok_or_else(few)?, a.number().ok_or_else(few)?);
        self.known(node)?;
        self.put(Load::Imposed { node, dof: dof.max(1) as usize, value, place: place.clone() })
    }

    fn moved(&mut self, mut a: Arguments<'_>, place: &Place) -> Result<(), Wrong> {
        let (node, dof, motion) = (a.tag().ok_or_else(few)?, a.tag().ok_or_else(few)?, a.tag().ok_or_else(few)?);
        self.known(node)?;
        self.put(Load::Moved { node, dof: dof.max(1) as usize, motion, place: place.clone() })
    }

    fn motion(&mut self, command: &Command) -> Result<(), Wrong> {
        let tag = Arguments::of(command).tag().ok_or_else(few)?;
        match self.pattern.and_then(|tag| self.patterns.get_mut(&tag)) {
            Some(pattern) => {
                pattern.motions.insert(tag, command.clone());
                Ok(())
            }
            None => wrong("there is no pattern for this motion", "give it after pattern('MultipleSupport', tag)"),
        }
    }

    fn remove(&mut self, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let kind = a.word().unwrap_or_default().to_owned();
        let tag = a.tag();
        let gone = match (kind.as_str(), tag) {
            ("loadPattern", Some(tag)) => self.patterns.remove(&tag).is_some(),
            ("element" | "ele", Some(tag)) => self.elements.remove(&tag).is_some(),
            ("node", Some(tag)) => self.nodes.remove(&tag).is_some(),
            ("timeSeries", Some(tag)) => self.series.remove(&tag).is_some(),
            ("sp" | "SPConstraint", Some(node)) => {
                let dof = a.tag().unwrap_or(1).max(1) as usize;
                let fixed = self.nodes.get_mut(&node).and_then(|n| n.fixed.get_mut(dof - 1));
                fixed.is_some_and(|f| std::mem::replace(f, false))
            }
            ("mp", Some(node)) => {
                let follows = |c: &Command| c.arguments.iter().skip(1).any(|x| x.number() == Some(node as f64));
                let before = self.constraints.len();
                self.constraints.retain(|c| !follows(c));
                self.constraints.len() < before
            }
            ("recorders", _) => {
                self.recorders.clear();
                true
            }
            ("recorder", _) => true,
            _ => {
                let message = format!("`{kind}` cannot be removed in a translation");
                return wrong(message, "remove the command that adds it");
            }
        };
        let message = || (format!("there is no {kind} {} to remove", tag.unwrap_or(0)), LOOK.to_owned());
        gone.then_some(()).ok_or_else(message)
    }
}

/// Keeps a definition by the tag that stands at this position.
fn store(list: &mut BTreeMap<i64, Command>, command: &Command, at: usize) -> Result<(), Wrong> {
    let tag = command.arguments.get(at).and_then(|a| a.number()).ok_or_else(few)?;
    list.insert(tag.round() as i64, command.clone());
    Ok(())
}
