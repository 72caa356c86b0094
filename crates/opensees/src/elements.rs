//! `element`: each kind as an element of ours.

use std::collections::BTreeMap;

use crate::arguments::Arguments;
use crate::domain::{Domain, Wrong, wrong};
use crate::materials::{self, Acts, kind};
use crate::record::{Argument, Command, Place};
use crate::report::{Fate, Report};
use crate::sections::{self, Translated};
use crate::write::{Keys, list, texts};

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
    /// Tags of sections, and whether members deform in their shear.
    pub(crate) sections: Vec<(i64, bool)>,
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
                // Without a remedy it follows from something that is told where it stands.
                let fate = if remedy.is_empty() { Fate::Replaced } else { Fate::Refused };
                self.report.add(fate, &name, &command.place, &message, &remedy);
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
            "elasticBeamColumn" => self.elastic(e, a),
            "ElasticTimoshenkoBeam" => self.timoshenko(e, a),
            "forceBeamColumn" | "nonlinearBeamColumn" | "dispBeamColumn" | "beamWithHinges" => self.fibres(e, a),
            "truss" | "Truss" | "trussSection" | "corotTruss" | "CorotTruss" | "corotTrussSection" => self.truss(e, a),
            "zeroLength" => self.zero_length(e, a),
            "zeroLengthSection" => self.zero_length_section(e, a),
            "twoNodeLink" => self.link(e, a),
            "elastomericBearingPlasticity" | "ElastomericBearingPlasticity" => self.rubber(e, a),
            "singleFPBearing" | "SingleFPBearing" => self.pendulum(e, a, true),
            "flatSliderBearing" | "FlatSliderBearing" => self.pendulum(e, a, false),
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
        if !materials::is_known(self.domain, tag) {
            return wrong(format!("it is left out with its material {tag}"), "");
        }
        // The name is settled when all uses are known.
        Ok(placeholder(tag, acts))
    }

    /// Name of a section; its shear is left out where members cannot have it.
    fn section(&mut self, e: &Given<'_>, tag: i64, shear: bool) -> Result<String, Wrong> {
        let Some(given) = self.domain.sections.get(&tag) else {
            return wrong(format!("there is no section {tag}"), "define it before it is used");
        };
        let made = sections::translate(self.domain, given);
        let sheared = made.as_ref().is_ok_and(|s| s.is_sheared());
        let whole = |s: &Translated| {
            let fibres = s.fibres.iter().map(|f| f.0);
            fibres.chain(s.resultants.iter().map(|r| r.1)).all(|tag| materials::is_known(self.domain, tag))
        };
        let whole = made.as_ref().is_ok_and(whole);
        if sheared && !shear {
            self.remark(
                e,
                "it does not deform in the shear of its section, as in OpenSees",
                "use a forceBeamColumn to have it",
            );
        }
        let used = (tag, shear || !sheared);
        if !self.sections.contains(&used) {
            self.sections.push(used);
        }
        if !whole {
            return wrong(format!("it is left out with its section {tag}"), "");
        }
        Ok(section(used))
    }

    /// The mass of a member: half of it at each end unless told otherwise.
    fn massive(&mut self, a: &Arguments<'_>, keys: Keys) -> Keys {
        match a.after("-mass").and_then(|mut a| a.number()).filter(|m| *m != 0.0) {
            Some(m) if a.has("-cMass") => keys.number("mass_per_length", m),
            Some(m) => keys.number("mass_per_length", m).text("mass", "lumped"),
            None => keys,
        }
    }

    /// The mass of a bar: half of it at each end.
    fn lumped(&mut self, e: &Given<'_>, a: &Arguments<'_>) {
        let Some(per_length) = a.after("-rho").and_then(|mut a| a.number()).filter(|m| *m != 0.0) else { return };
        if a.after("-cMass").is_some_and(|mut a| a.number() != Some(0.0)) {
            self.remark(e, "its consistent mass is lumped at its ends", "divide the bar to come nearer");
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
        let elastic =
            |area: f64, modulus: f64, iz: f64| Keys::default().number("E", modulus).number("A", area).number("Iz", iz);
        let (section, transformation) = match (self.domain.ndm, &p[..]) {
            (_, [section, transformation]) => (self.section(&e, section.round() as i64, false)?, transformation),
            (2, [area, modulus, iz, transformation, ..]) => (self.own(elastic(*area, *modulus, *iz)), transformation),
            (3, [area, modulus, g, j, iy, iz, transformation, ..]) => {
                let keys = elastic(*area, *modulus, *iz);
                (self.own(keys.number("Iy", *iy).number("torsion", g * j)), transformation)
            }
            _ => {
                let forms = "in a plane it has A E Iz transf, in space A E G J Iy Iz transf, or a section and a transf";
                return wrong(format!("elasticBeamColumn with {} numbers is unknown", p.len()), forms);
            }
        };
        let keys = Keys::default().text("type", "member").text("cross_section", &section);
        let released = released(&a, self.domain.ndm);
        let keys = match released.is_empty() {
            true => keys.text("formulation", "displacement").text("rule", "legendre").number("points", 2.0),
            // Only forces can be released; three points of Lobatto are exact for an elastic member.
            false => keys.text("formulation", "force").number("points", 3.0).with("release", texts(&released)),
        };
        let keys = self.massive(&a, keys);
        let transformation = self.transformation(transformation.round() as i64)?;
        self.make(&e, element(e.tag), join(keys, transformation));
        Ok(())
    }

    /// An elastic member that deforms in shear.
    fn timoshenko(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let p = a.numbers();
        let (section, transformation) = match (self.domain.ndm, &p[..]) {
            (2, [modulus, g, area, iz, ay, transformation, ..]) => {
                let keys = Keys::default().number("E", *modulus).number("A", *area).number("Iz", *iz);
                (keys.number("G", *g).number("Ay", *ay), transformation)
            }
            (3, [modulus, g, area, j, iy, iz, ay, az, transformation, ..]) => {
                let keys = Keys::default().number("E", *modulus).number("A", *area).number("Iz", *iz).number("Iy", *iy);
                (keys.number("torsion", g * j).number("G", *g).number("Ay", *ay).number("Az", *az), transformation)
            }
            _ => {
                let forms = "in a plane it has E G A Iz Avy transf, in space E G A J Iy Iz Avy Avz transf";
                return wrong(format!("ElasticTimoshenkoBeam with {} numbers is unknown", p.len()), forms);
            }
        };
        let section = self.own(section);
        let keys = Keys::default().text("type", "member").text("cross_section", &section);
        let keys = self.massive(&a, keys.text("formulation", "force").number("points", 3.0));
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
                (self.rule(&e, force, kind(command), rest)?, *transformation)
            }
            // tag i j transf 'HingeRadau' ..., and in Tcl the same in one word.
            [transformation] => {
                let words: Vec<Argument> = a.rest().iter().flat_map(opened).collect();
                let mut inline = Arguments::from(&words);
                let kind = inline.word().unwrap_or_default().to_owned();
                (self.rule(&e, force, &kind, inline)?, *transformation)
            }
            [points, section, transformation, ..] => {
                let name = self.section(&e, section.round() as i64, force)?;
                (points_of(name, *points, if force { "lobatto" } else { "legendre" }), *transformation)
            }
            [] => return wrong("the member has neither sections nor a transformation", "give them"),
        };
        let formulation = if force { "force-iterated" } else { "displacement" };
        let keys = join(Keys::default().text("type", "member"), rule).text("formulation", formulation);
        let keys = self.massive(&start, keys);
        let transformation = self.transformation(transformation.round() as i64)?;
        self.make(&e, element(e.tag), join(keys, transformation));
        Ok(())
    }

    /// Where the sections of a member stand.
    fn rule(&mut self, e: &Given<'_>, force: bool, kind: &str, mut a: Arguments<'_>) -> Result<Keys, Wrong> {
        let p = a.numbers();
        let tag = |x: f64| x.round() as i64;
        let along = [
            ("Lobatto", "lobatto"),
            ("Legendre", "legendre"),
            ("Radau", "radau"),
            ("NewtonCotes", "newton-cotes"),
            ("Trapezoidal", "trapezoidal"),
        ];
        if let (Some((_, rule)), [section, points, ..]) = (along.iter().find(|r| r.0 == kind), &p[..]) {
            return Ok(points_of(self.section(e, tag(*section), force)?, *points, rule));
        }
        let hinged = [
            ("HingeRadau", "radau"),
            ("HingeRadauTwo", "two-radau"),
            ("HingeMidpoint", "midpoint"),
            ("HingeEndpoint", "endpoint"),
        ];
        if let (Some((_, rule)), [first, li, second, lj, middle, ..]) = (hinged.iter().find(|r| r.0 == kind), &p[..]) {
            let [first, second, middle] = [first, second, middle].map(|s| self.section(e, tag(*s), force));
            let hinges = Keys::default().text("start", &first?).number("start_length", *li);
            let hinges = hinges.text("end", &second?).number("end_length", *lj);
            let hinges = if *rule == "radau" { hinges } else { hinges.text("rule", rule) };
            return Ok(Keys::default().text("cross_section", &middle?).with("hinges", hinges.inline()));
        }
        // UserDefined N sections locations weights.
        let count = p.first().copied().unwrap_or(0.0).max(0.0) as usize;
        if kind == "UserDefined" && count > 0 && p.len() > 3 * count {
            let mut rows = Vec::new();
            for i in 0..count {
                let name = self.section(e, tag(p[1 + i]), force)?;
                let keys = Keys::default().number("at", p[1 + count + i]).number("weight", p[1 + 2 * count + i]);
                rows.push(keys.text("cross_section", &name).inline());
            }
            return Ok(Keys::default().with("sections", format!("[{}]", rows.join(", "))));
        }
        let known = "use Lobatto, Legendre, Radau, NewtonCotes, Trapezoidal, a rule with hinges, or UserDefined";
        wrong(format!("the rule {kind} with {} numbers is unknown", p.len()), known)
    }

    /// A section between two nodes at one place: a member of unit length with one section, which bends and stretches as the nodes do.
    fn zero_length_section(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let Some(tag) = a.tag() else { return wrong("a zeroLengthSection needs a section", "give its tag") };
        let name = self.section(&e, tag, false)?;
        let ndm = self.domain.ndm.max(2);
        let axes = self.axes(&a)?;
        let unit =
            |(axis, sign): (usize, f64)| (0..3).map(|i| if i == axis { sign } else { 0.0 }).collect::<Vec<f64>>();
        let (start, end) = (vec![0.0; ndm], unit(axes[0]));
        let keys =
            Keys::default().text("type", "member").text("cross_section", &name).text("formulation", "displacement");
        let keys = keys.text("rule", "legendre").number("points", 1.0);
        let keys = keys.with("offsets", format!("[{}, {}]", list(&start), list(&end[..ndm])));
        let keys = if ndm == 3 { keys.with("vecxz", list(&unit(axes[2]))) } else { keys };
        self.make(&e, element(e.tag), undamped(keys, &a));
        Ok(())
    }

    fn truss(&mut self, e: Given<'_>, mut a: Arguments<'_>) -> Result<(), Wrong> {
        let (Some(area), Some(material)) = (a.number(), a.tag()) else {
            return wrong("a truss with a section is unknown", "give it an area and a material");
        };
        self.lumped(&e, &a);
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
            let (dof, sign) = self.direction(*direction, turned)?;
            let acts = if dof.starts_with('r') { Acts::Moment } else { Acts::Force };
            let material = self.material(*material, acts)?;
            let keys = Keys::default().text("type", "uniaxial").with("material", material).text("dof", dof);
            let name = if one { element(e.tag) } else { format!("{}-{}", element(e.tag), k + 1) };
            // Against an axis is along it from the second node to the first.
            let ends = if sign < 0.0 { [e.ends[1], e.ends[0]] } else { e.ends };
            self.made.push(Made { tag: e.tag, name, nodes: ends, keys: undamped(keys, &a) });
        }
        Ok(())
    }

    /// Global axes along local x, y and z of a zeroLength, with their signs; only those that are global axes themselves.
    fn axes(&self, a: &Arguments<'_>) -> Result<[(usize, f64); 3], Wrong> {
        let Some(v) = a.after("-orient").map(|mut a| a.numbers()).filter(|v| !v.is_empty()) else {
            return Ok([(0, 1.0), (1, 1.0), (2, 1.0)]);
        };
        let axis = |v: &[f64]| {
            let size = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let large: Vec<usize> = (0..v.len()).filter(|&i| v[i].abs() > 1e-9 * size).collect();
            if let [i] = large[..] { Some((i, v[i].signum())) } else { None }
        };
        let x = v.get(..3).and_then(axis);
        let y = v.get(3..6).map_or(x.map(|(x, s)| ((x + 1) % 3, s)), axis);
        match (x, y) {
            (Some(x), Some(y)) if x.0 != y.0 => {
                // z = x cross y.
                let turns = if (x.0 + 1) % 3 == y.0 { 1.0 } else { -1.0 };
                Ok([x, y, (3 - x.0 - y.0, turns * x.1 * y.1)])
            }
            _ => wrong("axes that are not global ones are unknown in a zeroLength", "turn the model, or use a truss"),
        }
    }

    /// Degree of freedom of a direction, and whether the spring acts along it or against it.
    fn direction(&self, direction: i64, turned: [(usize, f64); 3]) -> Result<(&'static str, f64), Wrong> {
        const NAMES: [[&str; 3]; 2] = [["x", "y", "z"], ["rx", "ry", "rz"]];
        let ndf = self.domain.ndf;
        if self.domain.ndm < 3 && direction == 3 && ndf == 3 {
            return Ok(("rz", turned[2].1));
        }
        let (name, sign) = match direction {
            1..=3 => (NAMES[0][turned[direction as usize - 1].0], turned[direction as usize - 1].1),
            4..=6 => (NAMES[1][turned[direction as usize - 4].0], turned[direction as usize - 4].1),
            _ => ("", 1.0),
        };
        let known = dofs(self.domain.ndm, ndf);
        match known.iter().find(|d| **d == name) {
            Some(dof) => Ok((dof, sign)),
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

    /// A friction pendulum, or a flat slider.
    fn pendulum(&mut self, e: Given<'_>, mut a: Arguments<'_>, curved: bool) -> Result<(), Wrong> {
        let (model, radius, k) = (a.tag(), if curved { a.number() } else { Some(0.0) }, a.number());
        let (Some(model), Some(radius), Some(k)) = (model, radius, k) else {
            return wrong("the bearing needs a friction model, Reff (of a pendulum) and kInit", "give all of them");
        };
        self.upright(&e, &a)?;
        let keys = match curved {
            true => Keys::default().text("type", "friction-pendulum").number("radius", radius),
            false => Keys::default().text("type", "flat-slider"),
        };
        let keys = join(keys.number("k", k), self.friction(model)?);
        let distance = a.after("-shearDist").and_then(|mut a| a.number()).unwrap_or(0.0);
        let keys = self.bearing(&a, keys)?.number("shear_distance", distance);
        self.make(&e, element(e.tag), undamped(keys, &a));
        Ok(())
    }

    fn friction(&self, tag: i64) -> Result<Keys, Wrong> {
        let Some(model) = self.domain.frictions.get(&tag) else {
            return wrong(format!("there is no frictionModel {tag}"), "define it before it is used");
        };
        let p = Arguments::from(model.arguments.get(2..).unwrap_or(&[])).numbers();
        match (kind(model), &p[..]) {
            ("Coulomb", [mu, ..]) => Ok(Keys::default().number("friction", *mu)),
            ("VelDependent", [slow, fast, rate, ..]) => {
                Ok(Keys::default().number("friction", *fast).number("friction_slow", *slow).number("rate", *rate))
            }
            (other, _) => wrong(format!("frictionModel {other} is unknown"), "use Coulomb or VelDependent"),
        }
    }
}

/// An element as the script gives it.
struct Given<'a> {
    tag: i64,
    ends: [i64; 2],
    command: &'a Command,
}

/// Name of a section; the one without its shear has a name of its own.
pub(crate) fn section((tag, shear): (i64, bool)) -> String {
    if shear { format!("s{tag}") } else { format!("s{tag}-bending") }
}

/// An argument, or the words of one.
fn opened(argument: &Argument) -> Vec<Argument> {
    match argument.word() {
        Some(words) => words.split_whitespace().map(Argument::of).collect(),
        None => vec![argument.clone()],
    }
}

/// Ends of an elastic member that carry no moment: 1 the start, 2 the end, 3 both.
fn released(a: &Arguments<'_>, ndm: usize) -> Vec<String> {
    let axes: &[(&str, &str)] = if ndm == 3 {
        &[("-releasez", ".rz"), ("-releasey", ".ry"), ("-release", ".rz")]
    } else {
        &[("-release", ""), ("-releasez", "")]
    };
    let mut names = Vec::new();
    for (flag, axis) in axes {
        let code = a.after(flag).and_then(|mut a| a.tag()).unwrap_or(0);
        for (bit, end) in [(1, "start"), (2, "end")] {
            if code & bit != 0 {
                names.push(format!("{end}{axis}"));
            }
        }
    }
    names
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
        "TripleFrictionPendulum" | "TripleFrictionPendulumX" => "an element `triple-pendulum` of Interfield",
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
