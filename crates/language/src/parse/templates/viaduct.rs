//! `[[viaduct]]`: a straight deck of spans on piers, in its vertical plane or, for the motion across it, in plan.
//!
//! Along the bridge (`plane = "longitudinal"`) x runs along the deck, y upwards, and piers are beams. Across it
//! (`plane = "transverse"`) the drawing is a plan: y runs across the deck, and a pier is a law from the ground to its top.

use toml::de::{DeTable, DeValue};

use super::block::{AT, Block, Each, Keys, NAME, count, positions, spacing};
use super::sections::{LAW, MEMBER};
use super::{Body, Made, sections};
use crate::key::*;
use crate::reader::{Item, Spanned};

const DOFS: [&str; 3] = ["x", "y", "rz"];

section! {
    /// A deck on piers.
    pub(super) VIADUCT = ("viaduct", "[[viaduct]]",
        "A deck `deck0`, `span1`, ... on `pier1`, ...; with bearings, `cap1` and `bearing1_x` between them.");
    VIADUCT_NAME: Text = NAME;
    VIADUCT_AT: List<Length> = AT;
    PLANE: Choice<(bool, &'static str)> = choice("plane", &[(false, "longitudinal"), (true, "transverse")], "Longitudinal: the vertical plane along the bridge, with piers as beams. Transverse: the plan view, with piers as element laws.").default("longitudinal").example("transverse");
    SPANS: Or<Count, List<Length>> = spacing("spans", "Lengths of the spans from the left, or their number.");
    LENGTH: Length = key("length", "Length of each, if `spans` is a number.").range(POSITIVE).example("3.5 m");
    SPAN_ELEMENTS: Count = count("span_elements", "Number of beams per span.").default("1").example("4");
    DECK: Each<Keys> = of(Or(MEMBER, List(MEMBER)), "deck", "The deck (beam2d), for all spans or each.").required().example("box");
    HINGES: List<Whole> = key("hinges", "Spans with a hinge at their right end, counted from \
        1.").range(from(1.0)).default("[]").example("[3, 6]");
    ABUTMENTS: Each<Abutment> = of(Or(ABUTMENT, List(ABUTMENT)), "abutments", "Support of both ends, or of each \
        end.").default("pinned")
        .example("[\"pinned\", \"roller\"]");
    PIER: Each<PierKeys> = of(Or(PIER_KEYS, List(PIER_KEYS)), "pier", "The piers: beams (longitudinal) or element \
        laws (transverse).").example("shaft");
    OWN_PIER: PierKeys = of(PIER_KEYS, "pier<N>", "Law of one pier, instead of the common one; transverse \
        only.").example("tall");
    K: Each<Stiffness> = key("k", "Stiffness of linear piers; transverse only.").example("20 kN/mm");
    HEIGHTS: Each<Length> = key("heights", "Heights of the piers, for all or each; required and allowed for \
        longitudinal only.")
        .example("[\"8 m\", \"12 m\"]");
    PIER_ELEMENTS: Count = count("pier_elements", "Number of beams per pier; longitudinal \
        only.").default("1").example("2");
    BASE: Choice<(bool, &'static str)> = choice("base", &[(false, "fixed"), (true, "pinned")], "Supports of the \
        piers; longitudinal only.")
        .default("fixed").example("pinned");
    PIER_MASS: Each<Mass> = key("pier_mass", "Mass at the top of the piers.").example("50 t");
    BEARING: Each<Rest> = of(Or(REST, List(REST)), "bearing", "Connection between piers and deck: fixed, pinned, or \
        element laws.").default("fixed")
        .example("pinned");
}

/// What an abutment holds, by its word.
type Abutment = Choice<(&'static [&'static str], &'static str)>;
const ABUTMENT: Abutment = Choice(&[(&["x", "y"], "pinned"), (&["y"], "roller"), (&DOFS, "fixed"), (&[], "free")]);

/// A beam, or a law.
type PierKeys = Or<Keys, Inner>;
const PIER_KEYS: PierKeys = Or(MEMBER, LAW.1);

/// A word, or laws by direction.
type Rest = Or<Choice<(bool, &'static str)>, Inner>;
const REST: Rest = Or(Choice(&[(false, "fixed"), (true, "pinned")]), Inner(&BEARINGS));

section! {
    BEARINGS = ("bearing", "bearing = { ... }", "Laws between the top of a pier and the deck.");
    ALONG: Keys = of(LAW, "x", "Law along the deck; longitudinal.").example("{ type = \"spring\", k = \"5 kN/mm\" }");
    ACROSS: Keys = of(LAW, "y", "Law upwards, or across the deck if transverse.").example("{ type = \"spring\", k = \"5 kN/mm\" }");
    ABOUT: Keys = of(LAW, "rz", "Law of the rotation; longitudinal.").example("{ type = \"spring\", k = \"5 kN/mm\" }");
}

/// Nodes `deck0`, `deck1`, ... over abutments and piers, `deck2_1`, ... within the second span, `cap1`, ... under
/// bearings, `shaft1_1`, ... and `base1`, ... of piers; elements `span1`, `pier1`, `bearing1_x`, ...
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let viaduct = Viaduct::read(block)?;
    viaduct.deck(body)?;
    (1..viaduct.spans.len()).try_for_each(|pier| viaduct.pier(pier, body))
}

/// How a deck rests on a pier.
enum Bearing<'a> {
    /// Of one piece with it.
    Fixed,
    /// On a hinge.
    Pinned,
    /// On laws between the cap and the deck, by direction.
    Laws(Vec<(String, DeTable<'a>)>),
}

struct Viaduct<'b, 't, 'a> {
    block: &'b Block<'t, 'a>,
    prefix: String,
    transverse: bool,
    /// Lengths, m.
    spans: Vec<f64>,
    /// Elements of a span and of a pier.
    pieces: [usize; 2],
    origin: [f64; 3],
    deck: Vec<DeTable<'a>>,
    /// Spans with a hinge at their right end, counted from 1.
    hinges: Vec<usize>,
    abutments: [Vec<&'static str>; 2],
    piers: Vec<DeTable<'a>>,
    heights: Vec<f64>,
    pinned_base: bool,
    masses: Vec<Item<'a>>,
    bearings: Vec<Bearing<'a>>,
}

impl<'b, 't, 'a> Viaduct<'b, 't, 'a> {
    fn read(block: &'b Block<'t, 'a>) -> Option<Self> {
        let prefix = block.prefix();
        let transverse = block.table.good(&PLANE);
        let spans = block.lengths(&SPANS, &LENGTH);
        let pieces = [SPAN_ELEMENTS, PIER_ELEMENTS].map(|key| block.table.good(&key).map(|n| n as usize));
        let origin = block.origin();
        let abutments = abutments(block);
        let (prefix, spans, transverse, [Some(a), Some(b)]) = (prefix?, spans?, transverse?.0, pieces) else {
            return None;
        };
        let n = spans.len() - 1;
        let tables = spans.len() as u64 * 2 * a as u64 + n as u64 * (2 * b as u64 + 6);
        block.shared.claim(tables, 0, &block.span())?;
        let deck = sections::members(block, &DECK, spans.len(), "spans", "beam2d");
        let hinges = hinges(block, spans.len());
        let masses = match block.table.has(&PIER_MASS) {
            true => block.each(&PIER_MASS, n, "piers"),
            false => Some(Vec::new()),
        };
        let bearings = bearings(block, n, transverse);
        let pinned_base = if transverse { Some(false) } else { block.table.good(&BASE).map(|b| b.0) };
        let (piers, heights) = match transverse {
            true => (if n > 0 { block.laws(&PIER, &K, n) } else { Some(Vec::new()) }, Some(vec![0.0; n])),
            false => (sections::members(block, &PIER, n, "piers", "beam2d"), heights(block, n)),
        };
        Some(Self {
            block,
            prefix,
            transverse,
            spans,
            pieces: [a, b],
            origin,
            deck: deck?,
            hinges: hinges?,
            abutments: abutments?,
            piers: piers?,
            heights: heights?,
            pinned_base: pinned_base?,
            masses: masses?,
            bearings: bearings?,
        })
    }

    fn made(&self, name: String) -> Made<'a> {
        Made::new(format!("{}{name}", self.prefix), self.block.span())
    }

    fn named(&self, name: String) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A node of the deck: number `piece` of a span, counted from its left end.
    fn deck_node(&self, span: usize, piece: usize) -> String {
        match piece {
            0 => format!("deck{span}"),
            p if p == self.pieces[0] => format!("deck{}", span + 1),
            p => format!("deck{}_{p}", span + 1),
        }
    }

    fn deck(&self, body: &mut Body<'a>) -> Option<()> {
        let x = positions(&self.spans);
        let n = self.spans.len();
        for span in 0..=n {
            let pieces = if span < n { self.pieces[0] } else { 1 };
            for piece in 0..pieces {
                let along = x[span] + self.spans.get(span).map_or(0.0, |l| l * piece as f64 / pieces as f64);
                let node = self.made(self.deck_node(span, piece)).texts("dofs", DOFS);
                let node = node.at(&[self.origin[0] + along, self.origin[1]]);
                let monolithic = piece == 0 && (1..n).contains(&span) && !self.on_laws(span);
                body.node(match (span, piece) {
                    (0, 0) if !self.abutments[0].is_empty() => node.texts("fixed", self.abutments[0].clone()),
                    (s, 0) if s == n && !self.abutments[1].is_empty() => node.texts("fixed", self.abutments[1].clone()),
                    _ if monolithic => node.maybe("mass", self.mass_on_deck(span)),
                    _ => node,
                });
            }
        }
        for (span, keys) in self.deck.iter().enumerate() {
            for piece in 0..self.pieces[0] {
                let beam = self.made(numbered("span", span + 1, piece, self.pieces[0]));
                let ends = [self.deck_node(span, piece), self.deck_node(span, piece + 1)];
                let beam = beam.texts("nodes", ends.map(|e| self.named(e)));
                let hinged = piece + 1 == self.pieces[0] && self.hinges.contains(&(span + 1));
                body.element(if hinged { beam.texts("release", ["end"]) } else { beam }.and(keys.clone()));
            }
        }
        Some(())
    }

    fn on_laws(&self, pier: usize) -> bool {
        matches!(self.bearings[pier - 1], Bearing::Laws(_))
    }

    /// Mass of the top of a pier that has no node of its own.
    fn mass_on_deck(&self, pier: usize) -> Option<Item<'a>> {
        let mass = self.masses.get(pier - 1)?.clone();
        if !self.transverse {
            return Some(mass);
        }
        // Only the deck knows the other direction.
        let mut table = DeTable::new();
        table.insert(toml::Spanned::new(mass.span(), "y".into()), mass.clone());
        Some(toml::Spanned::new(mass.span(), DeValue::Table(table)))
    }

    fn pier(&self, pier: usize, body: &mut Body<'a>) -> Option<()> {
        let x = self.origin[0] + self.spans[..pier].iter().sum::<f64>();
        let deck = self.named(format!("deck{pier}"));
        let mut top = deck.clone();
        if let Bearing::Laws(laws) = &self.bearings[pier - 1] {
            top = self.named(format!("cap{pier}"));
            let dofs: &[&str] = if self.transverse { &["y"] } else { &DOFS };
            let cap = self.made(format!("cap{pier}")).texts("dofs", dofs.to_vec()).at(&[x, self.origin[1]]);
            body.node(cap.maybe("mass", self.masses.get(pier - 1).cloned()));
            for (dof, law) in laws {
                let bearing = self.made(format!("bearing{pier}_{dof}")).texts("nodes", [&top, &deck]);
                body.element(bearing.text("dof", dof).and(law.clone()));
            }
        }
        let keys = &self.piers[pier - 1];
        if self.transverse {
            let shaft = self.made(format!("pier{pier}")).texts("nodes", ["ground".to_owned(), top]);
            body.element(shaft.text("dof", "y").and(keys.clone()));
            return Some(());
        }
        let pieces = self.pieces[1];
        let node = |piece: usize| match piece {
            0 => self.named(format!("base{pier}")),
            p if p == pieces => top.clone(),
            p => self.named(format!("shaft{pier}_{p}")),
        };
        for piece in 0..pieces {
            let y = self.origin[1] - self.heights[pier - 1] * (pieces - piece) as f64 / pieces as f64;
            let made = Made::new(node(piece), self.block.span()).texts("dofs", DOFS).at(&[x, y]);
            body.node(match piece {
                0 if self.pinned_base => made.texts("fixed", ["x", "y"]),
                0 => made.texts("fixed", DOFS),
                _ => made,
            });
        }
        for piece in 0..pieces {
            let shaft = self.made(numbered("pier", pier, piece, pieces)).texts("nodes", [node(piece), node(piece + 1)]);
            let hinged = piece + 1 == pieces && matches!(self.bearings[pier - 1], Bearing::Pinned);
            body.element(if hinged { shaft.texts("release", ["end"]) } else { shaft }.and(keys.clone()));
        }
        Some(())
    }
}

/// Name of a piece; the only one has no number.
fn numbered(what: &str, i: usize, piece: usize, pieces: usize) -> String {
    if pieces == 1 { format!("{what}{i}") } else { format!("{what}{i}_{}", piece + 1) }
}

/// What the abutments hold: one word for both, or two.
fn abutments(block: &Block<'_, '_>) -> Option<[Vec<&'static str>; 2]> {
    match block.table.good(&ABUTMENTS)? {
        Either::First(both) => Some([both.0.to_vec(), both.0.to_vec()]),
        Either::Second(list) => match &list[..] {
            [left, right] => Some([left.value.0.to_vec(), right.value.0.to_vec()]),
            other => {
                let message = format!("a viaduct has two abutments, found {}", other.len());
                let help = "write abutments = [\"pinned\", \"roller\"]";
                block.error(block.table.place(&ABUTMENTS), message, help)
            }
        },
    }
}

fn hinges(block: &Block<'_, '_>, spans: usize) -> Option<Vec<usize>> {
    let list = block.table.good(&HINGES)?;
    let one = |h: &Spanned<i64>| match usize::try_from(h.value).ok().filter(|h| (1..=spans).contains(h)) {
        None => block.error(
            h.span.clone(),
            format!("there is no span {}", h.value),
            format!("spans are counted 1 to {spans}"),
        ),
        found => found,
    };
    let all: Vec<Option<usize>> = list.iter().map(one).collect();
    all.into_iter().collect()
}

/// Heights of the piers, m.
fn heights(block: &Block<'_, '_>, n: usize) -> Option<Vec<f64>> {
    block.table.get_required(HEIGHTS.name, || HEIGHTS.written_example())?;
    block.each_length(&HEIGHTS, n, "piers")
}

fn bearings<'a>(block: &Block<'_, 'a>, n: usize, transverse: bool) -> Option<Vec<Bearing<'a>>> {
    if !block.table.has(&BEARING) {
        return Some((0..n).map(|_| Bearing::Fixed).collect());
    }
    let one = |item: Item<'a>| match item.get_ref() {
        DeValue::String(word) => {
            let allowed = Choice(if transverse { &REST.0.0[..1] } else { REST.0.0 });
            let word = Spanned::new(word.to_string(), item.span());
            Some(if allowed.find(&block.table, &word)?.0 { Bearing::Pinned } else { Bearing::Fixed })
        }
        DeValue::Table(laws) => {
            let directions: &[&str] = if transverse { &[ACROSS.name] } else { &DOFS };
            let example = "bearing = { y = { type = \"spring\", k = \"100 kN/mm\" } }";
            let mut found = Vec::new();
            for (dof, law) in laws.iter() {
                let name = Spanned::new(dof.get_ref().to_string(), dof.span());
                block.table.choose(&name, directions)?;
                found.push((name.value, block.keys_of(law, example)?));
            }
            Some(Bearing::Laws(found))
        }
        _ => {
            let help =
                "write \"fixed\", \"pinned\" or laws by direction: { y = { type = \"spring\", k = \"1 kN/mm\" } }";
            block.error(item.span(), "this is not a valid bearing", help)
        }
    };
    let all: Vec<Option<Bearing<'a>>> = block.each(&BEARING, n, "piers")?.into_iter().map(one).collect();
    all.into_iter().collect()
}
