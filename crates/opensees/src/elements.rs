//! `element`: each kind as an element of ours.

use std::collections::BTreeMap;

use crate::arguments::Arguments;
use crate::domain::{Domain, Wrong, wrong};
use crate::materials::{Acts, kind};
use crate::record::{Command, Place};
use crate::report::{Fate, Report};
use crate::write::{Keys, list};

/// Name of a node.
pub(crate) fn node(tag: i64) -> String {
    format!("n{tag}")
}

/// Name of an element.
pub(crate) fn element(tag: i64) -> String {
    format!("e{tag}")
}

/// Names of the degrees of freedom of a node.
pub(crate) fn dofs(ndm: usize, ndf: usize) -> &'static [&'static str] {
    const SPACE: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
    const PLANE: [&str; 3] = ["x", "y", "rz"];
    match ndm {
        3 => &SPACE[..ndf.min(6)],
        _ => &PLANE[..ndf.min(3)],
    }
}

/// An element as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) tag: i64,
    pub(crate) name: String,
    pub(crate) nodes: [i64; 2],
    pub(crate) keys: Keys,
}

/// Where a material is used, and what it gives there.
pub(crate) type Use = (i64, Acts);

/// Elements translated so far, with what they use.
pub(crate) struct Elements<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) report: &'a mut Report,
    pub(crate) made: Vec<Made>,
    pub(crate) materials: Vec<Use>,
    /// Tags of sections.
    pub(crate) sections: Vec<i64>,
    /// Elastic sections that elements bring along.
    pub(crate) elastic: Vec<Keys>,
    /// Masses of elements on their nodes.
    pub(crate) masses: BTreeMap<i64, f64>,
}

impl<'a> Elements<'a> {
    pub(crate) fn new(domain: &'a Domain, report: &'a mut Report) -> Self {
        Elements {
            domain,
            report,
            made: Vec::new(),
            materials: Vec::new(),
            sections: Vec::new(),
            elastic: Vec::new(),
            masses: BTreeMap::new(),
        }
    }

    /// Translates all elements that are standing.
    pub(crate) fn all(&mut self) {
        for (tag, command) in &self.domain.elements {
            if let Err((message, remedy)) = self.one(*tag, command) {
                let name = format!("element {}", kind(command));
                self.report.add(Fate::Refused, &name, &command.place, &message, &remedy);
            }
        }
    }

    fn one(&mut self, tag: i64, command: &Command) -> Result<(), Wrong> {
        let mut a = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
        let (Some(i), Some(j)) = (a.tag(), a.tag()) else {
            return wrong("the element has no two nodes", "only elements between two nodes can be translated");
        };
        for n in [i, j] {
            if !self.domain.nodes.contains_key(&n) {
                return wrong(format!("element {tag} joins node {n}, which is not there"), "define the node first");
            }
        }
        let e = Given { tag, ends: [i, j], command };
        match kind(command) {
            "elasticBeamColumn" | "ModElasticBeam2d" if kind(command) == "elasticBeamColumn" => self.elastic(e, a),
            "forceBeamColumn" | "nonlinearBeamColumn" | "dispBeamColumn" | "beamWithHinges" => self.fibres(e, a),
            "truss" | "Truss" | "trussSection" | "corotTruss" | "CorotTruss" | "corotTrussSection" => self.truss(e, a),
            "zeroLength" => self.zero_length(e, a),
            "twoNodeLink" => self.link(e, a),
            "elastomericBearingPlasticity" | "ElastomericBearingPlasticity" => self.rubber(e, a),
            "singleFPBearing" | "SingleFPBearing" => self.pendulum(e, a),
            other => unknown(other),
        }
    }

    fn length(&self, ends: [i64; 2]) -> f64 {
        let at = ends.map(|n| self.domain.nodes.get(&n).map_or(&[][..], |n| &n.at));
        at[0].iter().zip(at[1]).map(|(a, b)| (b - a).powi(2)).sum::<f64>().sqrt()
    }

    fn remark(&mut self, e: &Given<'_>, message: &str, remedy: &str) {
        self.report.add(Fate::Replaced, &format!("element {}", kind(e.command)), &e.command.place, message, remedy);
    }

    fn make(&mut self, e: &Given<'_>, name: String, keys: Keys) {
        self.made.push(Made { tag: e.tag, name, nodes: e.ends, keys });
    }

    fn material(&mut self, tag: i64, acts: Acts) -> Result<String, Wrong> {
        if !self.domain.materials.contains_key(&tag) {
            return wrong(format!("there is no material {tag}"), "define it before it is used");
        }
        if !self.materials.contains(&(tag, acts)) {
            self.materials.push((tag, acts));
        }
        // The name is settled when all uses are known.
        Ok(placeholder(tag, acts))
    }

    fn section(&mut self, tag: i64) -> Result<String, Wrong> {
        if !self.domain.sections.contains_key(&tag) {
            return wrong(format!("there is no section {tag}"), "define it before it is used");
        }
        if !self.sections.contains(&tag) {
            self.sections.push(tag);
        }
        Ok(section(tag))
    }

    /// Half of the mass of a member to each end: what OpenSees does unless told otherwise.
    fn lumped(&mut self, e: &Given<'_>, a: &Arguments<'_>, flag: &str) {
        let Some(per_length) = a.after(flag).and_then(|mut a| a.number()).filter(|m| *m != 0.0) else { return };
        if a.has("-cMass") {
            self.remark(e, "its consistent mass is lumped at its ends", "divide the member to come nearer");
        }
        let half = 0.5 * per_length * self.length(e.ends);
        for n in e.ends {
            *self.masses.entry(n).or_default() += half;
        }
    }

    /// Keys of the transformation with this tag.
    fn transformation(&mut self, tag: i64) -> Result<Keys, Wrong> {
        let Some(command) = self.domain.transformations.get(&tag) else {
            return wrong(format!("there is no geomTransf {tag}"), "define it before it is used");
        };
        let mut keys = Keys::default();
        match kind(command) {
            "Linear" => {}
            "PDelta" | "LinearWithPDelta" => keys = keys.text("transformation", "p-delta"),
            "Corotational" => keys = keys.text("transformation", "corotational"),
            other => return wrong(format!("geomTransf {other} is unknown"), "use Linear, PDelta or Corotational"),
        }
        let mut a = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
        let ndm = self.domain.ndm;
        if ndm == 3 {
            let v = [a.number(), a.number(), a.number()];
            let [Some(x), Some(y), Some(z)] = v else {
                return wrong(
                    format!("geomTransf {tag} has no vector in the x-z plane"),
                    "in space it has three numbers",
                );
            };
            keys = keys.with("vecxz", list(&[x, y, z]));
        }
        if let Some(d) = a.after("-jntOffset").map(|mut a| a.numbers()).filter(|d| d.iter().any(|x| *x != 0.0)) {
            if d.len() < 2 * ndm {
                return wrong("-jntOffset needs a vector for each end", "give both");
            }
            keys = keys.with("offsets", format!("[{}, {}]", list(&d[..ndm]), list(&d[ndm..2 * ndm])));
        }
        Ok(keys)
    }

    fn elastic(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let p = a.numbers();
        let (section, transformation) = match (self.domain.ndm, &p[..]) {
            (_, [section, transformation]) => (self.section(section.round() as i64)?, transformation),
            (2, [area, modulus, iz, transformation, ..]) => {
                let keys = Keys::default().number("E", *modulus).number("A", *area).number("Iz", *iz);
                (self.own(keys), transformation)
            }
            (3, [area, modulus, g, j, iy, iz, transformation, ..]) => {
                let keys = Keys::default().number("E", *modulus).number("A", *area).number("Iz", *iz);
                (self.own(keys.number("Iy", *iy).number("torsion", g * j)), transformation)
            }
            _ => {
                let forms = "in a plane it has A E Iz transf, in space A E G J Iy Iz transf, or a section and a transf";
                return wrong(format!("elasticBeamColumn with {} numbers is unknown", p.len()), forms);
            }
        };
        if let Some(flag) = a.flags().find(|f| f.starts_with("-release")) {
            return wrong(format!("{flag} is unknown"), "put a zeroLength spring at that end");
        }
        self.lumped(&e, &a, "-mass");
        let keys = Keys::default().text("type", "member").text("cross_section", &section);
        let keys = keys.text("formulation", "displacement").text("rule", "legendre").number("points", 2.0);
        let transformation = self.transformation(transformation.round() as i64)?;
        self.make(&e, element(e.tag), join(keys, transformation));
        Ok(())
    }

    /// Name of an elastic section that an element brings along.
    fn own(&mut self, keys: Keys) -> String {
        let known = self.elastic.iter().position(|k| *k == keys);
        let i = known.unwrap_or_else(|| {
            self.elastic.push(keys);
            self.elastic.len() - 1
        });
        format!("elastic-{}", i + 1)
    }

    /// Beam-columns with sections along them, in their present and their old forms.
    fn fibres(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let force = kind(e.command) != "dispBeamColumn";
        let start = a.clone();
        let plain = a.numbers();
        let (rule, transformation) = match &plain[..] {
            [transformation, integration] => {
                let tag = integration.round() as i64;
                let Some(command) = self.domain.integrations.get(&tag) else {
                    return wrong(format!("there is no beamIntegration {tag}"), "define it before it is used");
                };
                let rest = Arguments::from(command.arguments.get(2..).unwrap_or(&[]));
                (self.rule(&e, kind(command), rest)?, *transformation)
            }
            // tag i j transf 'HingeRadau' ..., and in Tcl the same in one word.
            [transformation] => {
                let mut words: Vec<crate::record::Argument> = Vec::new();
                for x in a.rest() {
                    match x.word() {
                        Some(w) if w.contains(' ') => words.extend(w.split_whitespace().map(|w| {
                            crate::record::Argument { value: crate::record::Scalar::Word(w.to_owned()), origin: None }
                        })),
                        _ => words.push(x.clone()),
                    }
                }
                let mut inline = Arguments::from(&words);
                let kind = inline.word().unwrap_or_default().to_owned();
                (self.rule(&e, &kind, inline)?, *transformation)
            }
            [points, section, transformation, ..] => {
                let name = self.section(section.round() as i64)?;
                (points_of(name, *points, if force { "lobatto" } else { "legendre" }), *transformation)
            }
            [] => return wrong("the member has neither sections nor a transformation", "give them"),
        };
        let formulation = if force { "force-iterated" } else { "displacement" };
        self.lumped(&e, &start, "-mass");
        let keys = join(Keys::default().text("type", "member"), rule).text("formulation", formulation);
        let transformation = self.transformation(transformation.round() as i64)?;
        self.make(&e, element(e.tag), join(keys, transformation));
        Ok(())
    }

    /// Where the sections of a member stand.
    fn rule(&mut self, e: &Given<'_>, kind: &str, mut a: Arguments<'_>) -> Result<Keys, Wrong> {
        let p = a.numbers();
        let tag = |x: f64| x.round() as i64;
        match (kind, &p[..]) {
            ("Lobatto" | "Legendre", [section, points, ..]) => {
                let name = self.section(tag(*section))?;
                Ok(points_of(name, *points, if kind == "Lobatto" { "lobatto" } else { "legendre" }))
            }
            ("Radau" | "NewtonCotes" | "Trapezoidal" | "Simpson", [section, points, ..]) => {
                let message = format!("the rule {kind} becomes lobatto with as many points");
                self.remark(e, &message, "results differ as the two rules do; more points bring them together");
                let name = self.section(tag(*section))?;
                Ok(points_of(name, *points, "lobatto"))
            }
            (
                "HingeRadau" | "HingeRadauTwo" | "HingeMidpoint" | "HingeEndpoint",
                [first, li, second, lj, middle, ..],
            ) => {
                if kind != "HingeRadau" {
                    let message = format!("the rule {kind} becomes HingeRadau with the same hinge lengths");
                    self.remark(e, &message, "HingeRadau is exact for elastic members and keeps the hinge length");
                }
                let [first, second, middle] = [first, second, middle].map(|s| self.section(tag(*s)));
                let hinges = Keys::default().text("start", &first?).number("start_length", *li);
                let hinges = hinges.text("end", &second?).number("end_length", *lj);
                Ok(Keys::default().text("cross_section", &middle?).with("hinges", hinges.inline()))
            }
            _ => wrong(
                format!("the rule {kind} with {} numbers is unknown", p.len()),
                "use Lobatto, Legendre or HingeRadau",
            ),
        }
    }

    fn truss(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let (Some(area), Some(material)) = (a.number(), a.tag()) else {
            return wrong("a truss with a section is unknown", "give it an area and a material");
        };
        self.lumped(&e, &a, "-rho");
        let name = self.material(material, Acts::Stress)?;
        let keys = Keys::default().text("type", "bar").with("material", name).number("area", area);
        let rotates = kind(e.command).to_lowercase().starts_with("corot");
        let keys = if rotates { keys.text("transformation", "corotational") } else { keys };
        self.make(&e, element(e.tag), undamped(keys, &a));
        Ok(())
    }

    /// Springs between two nodes, one for each direction.
    fn zero_length(&mut self, e: Given<'_>, a: Arguments<'_>) -> Result<(), Wrong> {
        let materials = a.after("-mat").map(|mut a| a.tags()).unwrap_or_default();
        let directions = a.after("-dir").or_else(|| a.after("-dof")).map(|mut a| a.tags()).unwrap_or_default();
        if materials.is_empty() || materials.len() != directions.len() {
            return wrong("a zeroLength needs as many directions as materials", "write -mat 1 2 -dir 1 6");
        }
        let turned = self.axes(&a)?;
        let one = materials.len() == 1;
        for (k, (material, direction)) in materials.iter().zip(&directions).enumerate() {
            let dof = self.direction(*direction, turned)?;
            let acts = if dof.starts_with('r') { Acts::Moment } else { Acts::Force };
            let material = self.material(*material, acts)?;
            let keys = Keys::default().text("type", "uniaxial").with("material", material).text("dof", dof);
            let name = if one { element(e.tag) } else { format!("{}-{}", element(e.tag), k + 1) };
            self.make(&e, name, undamped(keys, &a));
        }
        Ok(())
    }

    /// Global axes along local x, y and z of a zeroLength; only those that are global axes themselves.
    fn axes(&self, a: &Arguments<'_>) -> Result<[usize; 3], Wrong> {
        let Some(v) = a.after("-orient").map(|mut a| a.numbers()).filter(|v| !v.is_empty()) else {
            return Ok([0, 1, 2]);
        };
        let axis = |v: &[f64]| {
            let size = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let large: Vec<usize> = (0..v.len()).filter(|&i| v[i].abs() > 1e-9 * size).collect();
            match large[..] {
                [i] if v[i] > 0.0 => Some(i),
                _ => None,
            }
        };
        let x = v.get(..3).and_then(axis);
        let y = v.get(3..6).map_or(x.map(|x| (x + 1) % 3), axis);
        match (x, y) {
            (Some(x), Some(y)) if x != y => Ok([x, y, 3 - x - y]),
            _ => wrong("axes that are not global ones are unknown in a zeroLength", "turn the model, or use a truss"),
        }
    }

    fn direction(&self, direction: i64, turned: [usize; 3]) -> Result<&'static str, Wrong> {
        const NAMES: [[&str; 3]; 2] = [["x", "y", "z"], ["rx", "ry", "rz"]];
        let ndf = self.domain.ndf;
        if self.domain.ndm < 3 && direction == 3 && ndf == 3 {
            return Ok("rz");
        }
        let name = match direction {
            1..=3 => NAMES[0][turned[direction as usize - 1]],
            4..=6 => NAMES[1][turned[direction as usize - 4]],
            _ => "",
        };
        let known = dofs(self.domain.ndm, ndf);
        match known.iter().find(|d| **d == name) {
            Some(dof) => Ok(dof),
            None => wrong(format!("its nodes cannot move in direction {direction}"), "use another direction"),
        }
    }

    fn link(&mut self, e: Given<'_>, a: Arguments<'_>) -> Result<(), Wrong> {
        if self.length(e.ends) == 0.0 {
            return self.zero_length(e, a);
        }
        let (materials, directions) = (
            a.after("-mat").map(|mut a| a.tags()).unwrap_or_default(),
            a.after("-dir").map(|mut a| a.tags()).unwrap_or_default(),
        );
        match (&materials[..], &directions[..]) {
            ([material], [1]) => {
                let material = self.material(*material, Acts::Force)?;
                let keys = Keys::default().text("type", "uniaxial").with("material", material);
                self.make(&e, element(e.tag), undamped(keys, &a));
                Ok(())
            }
            _ => wrong(
                "a twoNodeLink with a length and other directions than its axis is unknown",
                "use a zeroLength between nodes at one place, or an elastomericBearingPlasticity",
            ),
        }
    }

    /// Materials of a bearing: along its axis, in torsion, about the axes across.
    fn bearing(&mut self, a: &Arguments<'_>, keys: Keys) -> Result<Keys, Wrong> {
        let given = |flag: &str| a.after(flag).and_then(|mut a| a.tag());
        let (Some(axial), Some(rotation)) = (given("-P"), given("-Mz").or_else(|| given("-My"))) else {
            return wrong("the bearing has no -P or no -Mz", "give the materials of its other directions");
        };
        if given("-My").is_some_and(|y| y != rotation) {
            return wrong("different materials for -My and -Mz are unknown", "use one for both");
        }
        let keys = keys.with("axial", self.material(axial, Acts::Force)?);
        let keys = keys.with("rotation", self.material(rotation, Acts::Moment)?);
        match given("-T").filter(|t| *t != rotation) {
            Some(torsion) => Ok(keys.with("torsion", self.material(torsion, Acts::Moment)?)),
            None => Ok(keys),
        }
    }

    fn upright(&mut self, e: &Given<'_>, a: &Arguments<'_>) -> Result<(), Wrong> {
        let up = if self.domain.ndm == 3 { 2 } else { 1 };
        match a.after("-orient").map(|mut a| a.numbers()).filter(|v| v.len() >= 3) {
            Some(v) if (0..3).any(|i| (i == up) != (v[i] != 0.0)) || v[up] < 0.0 => {
                wrong("a bearing that does not stand upright is unknown", "turn the model so that it does")
            }
            None if self.length(e.ends) == 0.0 => {
                wrong("a bearing without length needs -orient", "write -orient 0 1 0 in a plane, 0 0 1 in space")
            }
            _ => Ok(()),
        }
    }

    fn rubber(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let p = a.numbers();
        let [k, qd, alpha1, alpha2, mu] = &p[..] else {
            return wrong("the bearing needs kInit qd alpha1 alpha2 mu", "give all five");
        };
        self.upright(&e, &a)?;
        let keys = Keys::default().text("type", "elastomeric-bearing").number("k", *k).number("qd", *qd);
        let keys = keys.number("alpha1", *alpha1).unless("alpha2", *alpha2, 0.0).unless("mu", *mu, 2.0);
        let distance = a.after("-shearDist").and_then(|mut a| a.number()).unwrap_or(0.5);
        let keys = self.bearing(&a, keys)?.unless("shear_distance", distance, 0.5);
        self.make(&e, element(e.tag), undamped(keys, &a));
        Ok(())
    }

    fn pendulum(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let (Some(model), Some(radius), Some(k)) = (a.tag(), a.number(), a.number()) else {
            return wrong("the bearing needs a friction model, Reff and kInit", "give all three");
        };
        let Some(friction) = self.domain.frictions.get(&model) else {
            return wrong(format!("there is no frictionModel {model}"), "define it before it is used");
        };
        let mu = match kind(friction) {
            "Coulomb" => friction.arguments.get(2).and_then(|a| a.number()).unwrap_or(0.0),
            other => return wrong(format!("frictionModel {other} is unknown"), "use Coulomb with a mean friction"),
        };
        self.upright(&e, &a)?;
        let keys = Keys::default().text("type", "friction-pendulum").number("radius", radius).number("k", k);
        let distance = a.after("-shearDist").and_then(|mut a| a.number()).unwrap_or(0.0);
        let keys = self.bearing(&a, keys.number("friction", mu))?.number("shear_distance", distance);
        self.make(&e, element(e.tag), undamped(keys, &a));
        Ok(())
    }
}

/// An element as the script gives it.
struct Given<'a> {
    tag: i64,
    ends: [i64; 2],
    command: &'a Command,
}

/// Name of a section.
pub(crate) fn section(tag: i64) -> String {
    format!("s{tag}")
}

/// Stands for the name of a material until all of its uses are known.
pub(crate) fn placeholder(tag: i64, acts: Acts) -> String {
    format!("@{tag}:{}@", acts.word())
}

fn points_of(section: String, points: f64, rule: &str) -> Keys {
    let keys = Keys::default().text("cross_section", &section);
    let keys = if rule == "lobatto" { keys } else { keys.text("rule", rule) };
    keys.unless("points", points, 5.0)
}

fn join(mut keys: Keys, more: Keys) -> Keys {
    keys.0.extend(more.0);
    keys
}

/// Springs, bars and bearings take no part in Rayleigh damping unless the script says so.
fn undamped(keys: Keys, a: &Arguments<'_>) -> Keys {
    let asked = a.after("-doRayleigh").is_some_and(|mut a| a.number() != Some(0.0));
    if asked { keys } else { keys.with("damped", "false") }
}

fn unknown(kind: &str) -> Result<(), Wrong> {
    let keep = "keep this part in OpenSees as a partner ([[external]], `interfield explain external`)";
    let near = match kind {
        "quad" | "ShellMITC4" | "ShellDKGQ" | "stdBrick" | "SSPquad" | "tri31" | "bbarQuad" | "enhancedQuad" => {
            return wrong(format!("`{kind}` is no member of a frame"), keep);
        }
        "dispBeamColumnInt" | "MVLEM" | "SFI_MVLEM" | "gradientInelasticBeamColumn" | "mixedBeamColumn" => {
            "a forceBeamColumn with a Fiber section"
        }
        "Joint2D" | "beamColumnJoint" => "zeroLength springs between rigid links",
        _ => "",
    };
    match near {
        "" => wrong(format!("Interfield has no element `{kind}`"), format!("use another element, or {keep}")),
        near => wrong(format!("Interfield has no element `{kind}`"), format!("use {near}, or {keep}")),
    }
}

/// Tags are positive and distinct by themselves; the place of an element for messages.
pub(crate) fn place(domain: &Domain, tag: i64) -> Place {
    domain.elements.get(&tag).map(|c| c.place.clone()).unwrap_or_default()
}
