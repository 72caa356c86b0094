//! A superelement by itself, as a text file: kept once, taken again, shared with others.
//!
//! One thing per line, numbers in SI and to their last bit. What a line is says its first word; matrices and rows of numbers follow the line
//! that announces them.

use super::{Acting, Inertia, Interface, Reduction, Remainder, Superelement};
use crate::model::{Dof, Element, Kind, Model, Support};

/// First words of a file.
const HEAD: &str = "interfield superelement 1";
/// Most unknowns: matrices are dense.
const MOST: usize = 4000;

/// An unknown of a superelement.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// `node.dof` of a kept one; the last part of the name of a generalised one.
    pub name: String,
    /// Whether it is an angle.
    pub angle: bool,
    /// Place of its node, m.
    pub at: [f64; 3],
    /// Initial displacement and velocity; those of kept ones belong to the model.
    pub start: [f64; 2],
}

/// A degree of freedom inside, which follows the unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Inside {
    /// `node.dof`.
    pub name: String,
    /// Whether it is an angle.
    pub angle: bool,
    /// Place of its node, m.
    pub at: [f64; 3],
    /// Its motion by each unknown.
    pub row: Vec<f64>,
}

/// A superelement as it is kept in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// What it was made of: the same where matrices, loads and wishes are the same.
    pub hash: String,
    /// Its name.
    pub name: String,
    /// Number of kept unknowns; generalised ones follow them.
    pub kept: usize,
    /// All of them.
    pub unknowns: Vec<Unknown>,
    /// M, row by row.
    pub mass: Vec<f64>,
    /// Parts of K, row by row, each with whether it takes part in Rayleigh damping.
    pub stiffness: Vec<(bool, Vec<f64>)>,
    /// Inertia by direction; its loads by the numbers of the unknowns.
    pub inertia: Vec<Inertia>,
    /// What constant loads inside are on the unknowns.
    pub held: Vec<f64>,
    /// What follows.
    pub inside: Vec<Inside>,
    /// Highest frequency of interest, Hz, and the accuracy that was asked for.
    pub asked: [f64; 2],
    /// Number of degrees of freedom inside, and of modes.
    pub counts: [usize; 2],
    /// Frequencies of the last mode, the first that is missing, and the highest of all, Hz.
    pub frequencies: [Option<f64>; 3],
    /// Shares that are lost: of the stiffness, of forces of loads, of the initial motion.
    pub lost: [Option<f64>; 3],
    /// What bounds it.
    pub remainder: Option<Remainder>,
}

impl Stored {
    /// Of a superelement of a model.
    pub fn of(model: &Model, told: &Superelement) -> Self {
        let dofs: Vec<usize> = told.kept.iter().chain(&told.generalised).copied().collect();
        let mut places = vec![[0.0; 3]; model.dofs.len()];
        model.nodes.iter().for_each(|n| n.dofs.iter().for_each(|d| places[d.1] = n.at));
        let local = |d: usize| dofs.iter().position(|x| *x == d);
        let unknown = |(i, &d): (usize, &usize)| {
            let Dof { name, angle, u0, v0, .. } = &model.dofs[d];
            let own = i >= told.kept.len();
            let name = if own { name.rsplit('.').next().unwrap_or(name).to_owned() } else { name.clone() };
            Unknown { name, angle: *angle, at: places[d], start: if own { [*u0, *v0] } else { [0.0; 2] } }
        };
        let matrices = |e: &usize| match &model.elements[*e].kind {
            Kind::Linear { mass, stiffness, .. } => (mass.clone(), (model.elements[*e].damped, stiffness.clone())),
            _ => Default::default(),
        };
        let (mut masses, stiffness): (Vec<_>, Vec<_>) = told.elements.iter().map(matrices).unzip();
        let inertia = |i: &Inertia| {
            let load = i.load.iter().filter_map(|(d, m)| Some((local(*d)?, *m))).collect();
            Inertia { load, ..i.clone() }
        };
        let mut held = vec![0.0; dofs.len()];
        told.held.iter().filter_map(|(d, f)| Some((local(*d)?, f))).for_each(|(i, f)| held[i] += f);
        let first = told.kept.len();
        let inside = |&d: &usize| {
            let Support::Follows(terms) = &model.dofs[d].support else { return None };
            let mut row = vec![0.0; dofs.len()];
            for (t, x) in terms {
                let place = match t.checked_sub(told.generalised.first().copied().unwrap_or(usize::MAX)) {
                    Some(j) if j < told.generalised.len() => Some(first + j),
                    _ => local(*t),
                };
                row[place?] = *x;
            }
            let Dof { name, angle, .. } = model.dofs[d].clone();
            (!terms.is_empty()).then_some(Inside { name, angle, at: places[d], row })
        };
        Stored {
            hash: told.hash.clone(),
            name: told.name.clone(),
            kept: first,
            unknowns: dofs.iter().enumerate().map(unknown).collect(),
            mass: masses.first_mut().map(std::mem::take).unwrap_or_default(),
            stiffness,
            inertia: told.inertia.iter().map(inertia).collect(),
            held,
            inside: told.inside.iter().filter_map(inside).collect(),
            asked: [told.asked.frequency, told.asked.accuracy],
            counts: [told.interior, told.modes],
            frequencies: [told.last, told.next, told.highest],
            lost: [Some(told.lost), told.lost_force, Some(told.lost_start)],
            remainder: told.remainder.clone(),
        }
    }

    /// Puts it on kept degrees of freedom: generalised ones and elements behind the others; `inside` are the degrees of freedom that follow, each with
    /// its number here.
    pub fn put(
        &self,
        asked: Reduction,
        kept: Vec<usize>,
        (dofs, elements): (&mut Vec<Dof>, &mut Vec<Element>),
        inside: &[(usize, usize)],
    ) -> Superelement {
        let first = dofs.len();
        for u in &self.unknowns[self.kept..] {
            let [u0, v0] = u.start;
            let name = format!("{}.{}", asked.name, u.name);
            dofs.push(Dof { name, angle: u.angle, support: Support::Free, mass: 0.0, u0, v0 });
        }
        let all: Vec<usize> = kept.iter().copied().chain(first..dofs.len()).collect();
        for &(d, i) in inside {
            let row = &self.inside[i].row;
            let terms = all.iter().copied().zip(row.iter().copied()).filter(|t| t.1 != 0.0).collect();
            let dof = &mut dofs[d];
            *dof = Dof { support: Support::Follows(terms), mass: 0.0, u0: 0.0, v0: 0.0, ..dof.clone() };
        }
        let mut numbers = Vec::new();
        for (i, (damped, stiffness)) in self.stiffness.iter().enumerate() {
            numbers.push(elements.len());
            elements.push(Element {
                name: if i == 0 { asked.name.clone() } else { format!("{}-undamped", asked.name) },
                type_name: "superelement".to_owned(),
                kind: Kind::Linear {
                    dofs: all.clone(),
                    mass: if i == 0 { self.mass.clone() } else { Vec::new() },
                    damping: Vec::new(),
                    stiffness: stiffness.clone(),
                },
                damped: *damped,
                given: None,
                s0: Vec::new(),
                written_on: Vec::new(),
                inside: false,
            });
        }
        let inertia = |i: &Inertia| {
            let load = i.load.iter().map(|(u, m)| (all[*u], *m)).collect();
            Inertia { load, ..i.clone() }
        };
        let held = all.iter().copied().zip(self.held.iter().copied()).filter(|h| h.1 != 0.0).collect();
        let [last, next, highest] = self.frequencies;
        Superelement {
            name: asked.name.clone(),
            elements: numbers,
            kept,
            generalised: (first..dofs.len()).collect(),
            inertia: self.inertia.iter().map(inertia).collect(),
            interior: self.counts[0],
            modes: self.counts[1],
            last,
            next,
            highest,
            lost: self.lost[0].unwrap_or(f64::INFINITY),
            lost_force: self.lost[1],
            lost_start: self.lost[2].unwrap_or(0.0),
            lost_response: Default::default(),
            remainder: self.remainder.clone(),
            held,
            inside: inside.iter().map(|i| i.0).collect(),
            hash: self.hash.clone(),
            taken: true,
            asked,
        }
    }

    /// What was asked for when it was made, as far as it is known.
    pub fn asked(&self, name: &str) -> Reduction {
        Reduction {
            name: name.to_owned(),
            substructure: None,
            keep: Vec::new(),
            frequency: self.asked[0],
            accuracy: self.asked[1],
            modes: None,
            residual: true,
            interface: if self.remainder.is_some() { Interface::Fixed } else { Interface::Free },
            characteristic: None,
            file: None,
            stored: None,
        }
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let n = self.unknowns.len();
        let mut out = format!("{HEAD}\n# SI units; numbers are exact\nname {}\nhash {}\n", self.name, self.hash);
        let list = |x: &[f64]| x.iter().map(|x| format!(" {x:?}")).collect::<String>();
        let some =
            |x: &[Option<f64>]| x.iter().map(|x| x.map_or(" -".to_owned(), |x| format!(" {x:?}"))).collect::<String>();
        let rows = |out: &mut String, a: &[f64]| a.chunks_exact(n.max(1)).for_each(|row| *out += &(list(row) + "\n"));
        out += &format!("asked{}\ncounts {} {}\n", list(&self.asked), self.counts[0], self.counts[1]);
        out +=
            &format!("frequencies{}\nlost{}\nunknowns {n} {}\n", some(&self.frequencies), some(&self.lost), self.kept);
        for u in &self.unknowns {
            out += &format!("{} {}{}{}\n", u.name, u8::from(u.angle), list(&u.at), list(&u.start));
        }
        out += "mass\n";
        rows(&mut out, &self.mass);
        for (damped, stiffness) in &self.stiffness {
            out += &format!("stiffness {}\n", u8::from(*damped));
            rows(&mut out, stiffness);
        }
        for i in &self.inertia {
            let mut load = vec![0.0; n];
            i.load.iter().for_each(|(d, m)| load[*d] = *m);
            out += &format!(
                "inertia {} {}{}\n{}\n",
                i.direction,
                u8::from(i.supports),
                list(&[i.mass, if i.share.is_finite() { i.share } else { 0.0 }]),
                list(&load)
            );
        }
        out += &format!("held\n{}\ninside {}\n", list(&self.held), self.inside.len());
        for i in &self.inside {
            out += &format!("{} {}{}{}\n", i.name, u8::from(i.angle), list(&i.at), list(&i.row));
        }
        if let Some(r) = &self.remainder {
            out += &format!("remainder {} {}{}\n", r.loads.len(), r.residual.len(), some(&[r.next]));
            for load in &r.loads {
                out += &match load {
                    Acting::Ground { direction, supports } => format!("ground {direction} {}\n", u8::from(*supports)),
                    Acting::Held => "held\n".to_owned(),
                };
            }
            for ((omega2, shares), scale) in r.residual.iter().zip(&r.scale) {
                out += &format!("{}{}{}\n", list(&[*omega2]).trim_start(), list(&[*scale]), list(shares));
            }
            let size = self.kept + r.loads.len() + 2 * r.residual.len();
            r.gram.chunks_exact(size.max(1)).for_each(|row| out += &(list(row) + "\n"));
        }
        let check = check(out.lines());
        out + &format!("end {check}\n")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// A sentence that says what is wrong in which line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = Lines { all: text.lines().enumerate(), at: 0 };
        if lines.next()?.trim() != HEAD {
            return Err(format!("line 1 must be `{HEAD}`"));
        }
        let name = lines.after("name")?.trim().to_owned();
        let hash = lines.after("hash")?.trim().to_owned();
        let asked = lines.fixed("asked")?;
        let counts = lines.fixed::<2>("counts")?.map(|x| x as usize);
        let frequencies = lines.optional("frequencies")?;
        let lost = lines.optional("lost")?;
        let [n, kept] = lines.fixed::<2>("unknowns")?.map(|x| x as usize);
        if n == 0 || n > MOST || kept > n {
            return Err(format!(
                "line {}: {n} unknowns, {kept} of them kept, cannot be used (at most {MOST})",
                lines.at
            ));
        }
        let mut unknowns = Vec::new();
        for _ in 0..n {
            let (name, angle, x) = lines.named(5)?;
            unknowns.push(Unknown { name, angle, at: [x[0], x[1], x[2]], start: [x[3], x[4]] });
        }
        lines.after("mass")?;
        let mass = lines.matrix(n, n)?;
        let (mut stiffness, mut inertia) = (Vec::new(), Vec::new());
        let held = loop {
            let line = lines.next()?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["stiffness", damped] if stiffness.len() < 2 => stiffness.push((damped == "1", lines.matrix(n, n)?)),
                ["inertia", direction, supports, mass, share] => {
                    let (mass, share) = (lines.number(mass)?, lines.number(share)?);
                    let load = lines.matrix(1, n)?.into_iter().enumerate().filter(|l| l.1 != 0.0).collect();
                    let (direction, supports) = (direction.to_owned(), supports == "1");
                    inertia.push(Inertia { direction, supports, load, mass, share });
                }
                ["held"] => break lines.matrix(1, n)?,
                _ => return Err(lines.expected("stiffness, inertia or held")),
            }
        };
        if stiffness.is_empty() {
            return Err(format!("line {}: there is no stiffness", lines.at));
        }
        let [count] = lines.fixed::<1>("inside")?.map(|x| x as usize);
        let mut inside = Vec::new();
        for _ in 0..count {
            let (name, angle, x) = lines.named(3 + n)?;
            inside.push(Inside { name, angle, at: [x[0], x[1], x[2]], row: x[3..].to_vec() });
        }
        let mut stored = Stored {
            hash,
            name,
            kept,
            unknowns,
            mass,
            stiffness,
            inertia,
            held,
            inside,
            asked,
            counts,
            frequencies,
            lost,
            remainder: None,
        };
        let mut line = lines.next()?;
        if let Some(rest) = line.strip_prefix("remainder") {
            stored.remainder = Some(lines.remainder(rest, kept, n)?);
            line = lines.next()?;
        }
        let found = line.strip_prefix("end").ok_or_else(|| lines.expected("remainder or end"))?.trim();
        // A file that was written by hand need not know it.
        if !found.is_empty() && found != check(text.lines().take(lines.at - 1)) {
            return Err("something in it is not as it was written".to_owned());
        }
        Ok(stored)
    }
}

/// FNV-1a (64 bits) of lines, however they end.
fn check<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let bytes = lines.flat_map(|line| line.trim_end().bytes().chain([b'\n']));
    format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)))
}

/// The lines of a file that say something.
struct Lines<'a> {
    all: std::iter::Enumerate<std::str::Lines<'a>>,
    /// Number of the present line, from 1.
    at: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        for (i, line) in self.all.by_ref() {
            self.at = i + 1;
            if !line.trim().is_empty() && !line.starts_with('#') {
                return Ok(line);
            }
        }
        Err(format!("the file ends after line {}: it is not complete", self.at))
    }

    fn expected(&self, what: &str) -> String {
        format!("line {}: expected {what}", self.at)
    }

    fn number(&self, word: &str) -> Result<f64, String> {
        let x: f64 = word.parse().map_err(|_| format!("line {}: `{word}` is not a number", self.at))?;
        if x.is_finite() || x == f64::INFINITY {
            Ok(x)
        } else {
            Err(format!("line {}: {word} is not a finite number", self.at))
        }
    }

    fn after(&mut self, word: &str) -> Result<&'a str, String> {
        self.next()?.strip_prefix(word).ok_or_else(|| self.expected(word))
    }

    fn optional<const N: usize>(&mut self, word: &str) -> Result<[Option<f64>; N], String> {
        let rest = self.after(word)?;
        self.options(rest)?.try_into().map_err(|_| self.expected(&format!("`{word}` with {N} numbers")))
    }

    fn options(&self, text: &str) -> Result<Vec<Option<f64>>, String> {
        text.split_whitespace().map(|w| if w == "-" { Ok(None) } else { self.number(w).map(Some) }).collect()
    }

    fn fixed<const N: usize>(&mut self, word: &str) -> Result<[f64; N], String> {
        let all: [Option<f64>; N] = self.optional(word)?;
        match all.iter().copied().collect::<Option<Vec<f64>>>().and_then(|x| x.try_into().ok()) {
            Some(x) => Ok(x),
            None => Err(self.expected(&format!("`{word}` with {N} numbers"))),
        }
    }

    /// A name, whether it is an angle, and numbers.
    fn named(&mut self, count: usize) -> Result<(String, bool, Vec<f64>), String> {
        let line = self.next()?;
        let mut words = line.split_whitespace();
        let (Some(name), Some(angle)) = (words.next(), words.next()) else {
            return Err(self.expected("a name and numbers"));
        };
        let numbers = words.map(|w| self.number(w)).collect::<Result<Vec<f64>, String>>()?;
        match numbers.len() == count && ["0", "1"].contains(&angle) {
            true => Ok((name.to_owned(), angle == "1", numbers)),
            false => Err(self.expected(&format!("a name, 0 or 1, and {count} numbers"))),
        }
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Result<Vec<f64>, String> {
        let mut out = Vec::with_capacity(rows * columns);
        for _ in 0..rows {
            let row = self.next()?.split_whitespace().map(|w| self.number(w)).collect::<Result<Vec<f64>, String>>()?;
            if row.len() != columns {
                return Err(self.expected(&format!("{columns} numbers, found {}", row.len())));
            }
            out.extend(row);
        }
        Ok(out)
    }

    fn remainder(&mut self, rest: &str, kept: usize, n: usize) -> Result<Remainder, String> {
        let head = self.options(rest)?;
        let [Some(loads), Some(vectors), next] = head[..] else {
            return Err(self.expected("`remainder` with 3 numbers"));
        };
        let (count, vectors) = (loads as usize, vectors as usize);
        if vectors > n || count > MOST {
            return Err(self.expected("fewer residual vectors than unknowns"));
        }
        let mut loads = Vec::new();
        for _ in 0..count {
            let line = self.next()?;
            loads.push(match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["held"] => Acting::Held,
                ["ground", direction, supports] => {
                    Acting::Ground { direction: direction.to_owned(), supports: supports == "1" }
                }
                _ => return Err(self.expected("ground or held")),
            });
        }
        let (mut residual, mut scale) = (Vec::new(), Vec::new());
        for _ in 0..vectors {
            let row = self.matrix(1, 2 + kept + count)?;
            residual.push((row[0], row[2..].to_vec()));
            scale.push(row[1]);
        }
        let size = kept + count + 2 * vectors;
        Ok(Remainder { loads, residual, scale, gram: self.matrix(size, size)?, next })
    }
}
