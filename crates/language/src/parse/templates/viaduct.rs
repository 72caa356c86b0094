//! `[[viaduct]]`: a straight deck of spans on piers, in its vertical plane or, for the motion across it, in plan.
//!
//! Along the bridge (`plane = "longitudinal"`) x runs along the deck, y upwards, and piers are beams. Across it
//! (`plane = "transverse"`) the drawing is a plan: y runs across the deck, and a pier is a law from the ground to its top.

use toml::de::{DeTable, DeValue};

use super::block::{Block, positions};
use super::{Body, Made, sections};
use crate::reader::{Item, Spanned};
use crate::units::Dimension;

const DOFS: [&str; 3] = ["x", "y", "rz"];

/// Keys of the block.
pub(super) const KEYS: [&str; 16] = [
    "name",
    "at",
    "plane",
    "spans",
    "length",
    "span_elements",
    "deck",
    "hinges",
    "abutments",
    "pier",
    "k",
    "heights",
    "pier_elements",
    "base",
    "pier_mass",
    "bearing",
];

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
    /// Spans whose right end is hinged, counted from 1.
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
        let transverse = block.choice("plane", &["longitudinal", "transverse"]);
        let spans = block.lengths("spans", "length");
        let pieces = ["span_elements", "pier_elements"]
            .map(|key| if block.table.has(key) { block.count(key, "4") } else { Some(1) });
        let origin = block.origin();
        let abutments = abutments(block);
        let (prefix, spans, transverse, [Some(a), Some(b)]) = (prefix?, spans?, transverse? == 1, pieces) else {
            return None;
        };
        let n = spans.len() - 1;
        let tables = spans.len() as u64 * 2 * a as u64 + n as u64 * (2 * b as u64 + 6);
        block.shared.claim(tables, 0, &block.span())?;
        let deck = sections::members(block, "deck", spans.len(), "spans", "beam2d");
        let hinges = hinges(block, spans.len());
        let masses = match block.table.has("pier_mass") {
            true => block.each("pier_mass", n, "piers"),
            false => Some(Vec::new()),
        };
        let bearings = bearings(block, n, transverse);
        let pinned_base = if transverse { Some(0) } else { block.choice("base", &["fixed", "pinned"]) };
        let (piers, heights) = match transverse {
            true => (if n > 0 { block.laws("pier", n) } else { Some(Vec::new()) }, Some(vec![0.0; n])),
            false => (sections::members(block, "pier", n, "piers", "beam2d"), heights(block, n)),
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
            pinned_base: pinned_base? == 1,
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
    const KINDS: [(&str, &[&str]); 4] = [("pinned", &["x", "y"]), ("roller", &["y"]), ("fixed", &DOFS), ("free", &[])];
    let held = |text: &Spanned<String>| Some(KINDS[block.word(text, &KINDS.map(|k| k.0))?].1.to_vec());
    if !block.table.has("abutments") {
        return Some([KINDS[0].1.to_vec(), KINDS[0].1.to_vec()]);
    }
    if block.table.is_string("abutments") {
        let both = held(&block.table.string("abutments")?)?;
        return Some([both.clone(), both]);
    }
    let list = block.table.list_of_strings("abutments")?;
    let [left, right] = &list.value[..] else {
        let message = format!("a viaduct has two abutments, found {}", list.value.len());
        return block.error(list.span, message, "write abutments = [\"pinned\", \"roller\"]");
    };
    let (left, right) = (held(left), held(right));
    Some([left?, right?])
}

fn hinges(block: &Block<'_, '_>, spans: usize) -> Option<Vec<usize>> {
    let Some(list) = block.table.integers("hinges") else { return (!block.table.has("hinges")).then(Vec::new) };
    let one = |h: &Spanned<i64>| match usize::try_from(h.value).ok().filter(|h| (1..=spans).contains(h)) {
        None => block.error(
            h.span.clone(),
            format!("there is no span {}", h.value),
            format!("spans are counted 1 to {spans}"),
        ),
        found => found,
    };
    let all: Vec<Option<usize>> = list.value.iter().map(one).collect();
    all.into_iter().collect()
}

/// Heights of the piers, m.
fn heights(block: &Block<'_, '_>, n: usize) -> Option<Vec<f64>> {
    if block.table.is_list("heights") {
        let list = block.table.quantities("heights", Dimension::LENGTH, block.scope)?;
        if list.value.len() != n {
            let message = format!("`heights` lists {} values for {n} piers", list.value.len());
            return block.error(list.span, message, "write one value for all piers, or one for each");
        }
        return Some(list.value.iter().map(|h| h.value).collect());
    }
    Some(vec![block.table.quantity_required("heights", Dimension::LENGTH, block.scope)?.value; n])
}

fn bearings<'a>(block: &Block<'_, 'a>, n: usize, transverse: bool) -> Option<Vec<Bearing<'a>>> {
    if !block.table.has("bearing") {
        return Some((0..n).map(|_| Bearing::Fixed).collect());
    }
    let one = |item: Item<'a>| match item.get_ref() {
        DeValue::String(word) => {
            let allowed: &[&str] = if transverse { &["fixed"] } else { &["fixed", "pinned"] };
            let word = Spanned::new(word.to_string(), item.span());
            Some(if block.word(&word, allowed)? == 0 { Bearing::Fixed } else { Bearing::Pinned })
        }
        DeValue::Table(laws) => {
            let directions: &[&str] = if transverse { &["y"] } else { &DOFS };
            let example = "bearing = { y = { type = \"spring\", k = \"100 kN/mm\" } }";
            let mut found = Vec::new();
            for (dof, law) in laws.iter() {
                let name = Spanned::new(dof.get_ref().to_string(), dof.span());
                block.word(&name, directions)?;
                found.push((name.value, block.keys_of(law, example)?));
            }
            Some(Bearing::Laws(found))
        }
        _ => {
            let help =
                "write \"fixed\", \"pinned\" or laws by direction: { y = { type = \"spring\", k = \"1 kN/mm\" } }";
            block.error(item.span(), "this is no bearing", help)
        }
    };
    let all: Vec<Option<Bearing<'a>>> = block.each("bearing", n, "piers")?.into_iter().map(one).collect();
    all.into_iter().collect()
}
