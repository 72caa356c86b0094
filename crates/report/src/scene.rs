//! What is on the paper: strokes, areas, dots and texts in their places, in pixels with y down. Every drawing becomes this
//! first, and every backend starts from it.

use crate::letters::width;

/// A point in pixels.
pub(crate) type Point = (f64, f64);

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// The colour of texts and axes.
pub(crate) const INK: Colour = [30, 30, 30];
/// Of what is less important.
pub(crate) const FAINT: Colour = [110, 110, 110];

pub(crate) const BLUE: Colour = [0x00, 0x72, 0xb2];
/// Vermilion: what stands in the laboratory.
pub(crate) const SPECIMEN: Colour = [0xd5, 0x5e, 0x00];
pub(crate) const GREEN: Colour = [0x00, 0x9e, 0x73];
/// Purple: actuators and transducers.
pub(crate) const RIG: Colour = [0x7a, 0x3e, 0x9d];

/// Colours of M. Okabe and K. Ito, distinguishable with colour-blind eyes, and black.
const COLOURS: [Colour; 7] = [BLUE, SPECIMEN, GREEN, [0xcc, 0x79, 0xa7], [0xe6, 0x9f, 0x00], [0x56, 0xb4, 0xe9], INK];

/// The colour of this number, where `given` is what a curve asks for and `place` which it is in its panel.
pub(crate) fn colour(given: Option<usize>, place: usize) -> Colour {
    given.map_or(COLOURS[place % (COLOURS.len() - 1)], |n| COLOURS[n % COLOURS.len()])
}

/// Dashes and the gaps between them.
pub(crate) const DASHES: (f64, f64) = (5.0, 3.0);

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub content: String,
    pub at: Point,
    pub anchor: Anchor,
    pub size: f64,
    /// Read from below.
    pub upright: bool,
    pub bold: bool,
    pub colour: Colour,
}

impl Text {
    /// In ink, from left to right.
    pub(crate) fn new(content: impl Into<String>, at: Point, anchor: Anchor, size: f64) -> Self {
        Text { content: content.into(), at, anchor, size, upright: false, bold: false, colour: INK }
    }

    /// Left, top, right and bottom.
    pub(crate) fn bounds(&self) -> [f64; 4] {
        let wide = width(&self.content, self.size);
        let from = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * wide,
            Anchor::End => -wide,
        };
        let (up, down) = (0.75 * self.size, 0.2 * self.size);
        let (x, y) = self.at;
        if self.upright {
            [x - up, y - from - wide, x + down, y - from]
        } else {
            [x + from, y - up, x + from + wide, y + down]
        }
    }
}

/// Something on the paper.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Strokes {
        lines: Vec<Vec<Point>>,
        colour: Colour,
        width: f64,
        dashed: bool,
    },
    Area {
        outline: Vec<Point>,
        colour: Colour,
        opacity: f64,
    },
    Dots {
        at: Vec<Point>,
        radius: f64,
        colour: Colour,
    },
    Text(Text),
    /// Some that belong together, with a title that shows where the pointer rests.
    Group {
        class: String,
        title: String,
        shapes: Vec<Shape>,
    },
}

impl Shape {
    /// The same somewhere else.
    pub(crate) fn moved(self, (dx, dy): Point) -> Self {
        let far = |p: Point| (p.0 + dx, p.1 + dy);
        let all = |points: Vec<Point>| points.into_iter().map(far).collect::<Vec<_>>();
        match self {
            Shape::Strokes { lines, colour, width, dashed } => {
                Shape::Strokes { lines: lines.into_iter().map(all).collect(), colour, width, dashed }
            }
            Shape::Area { outline, colour, opacity } => Shape::Area { outline: all(outline), colour, opacity },
            Shape::Dots { at, radius, colour } => Shape::Dots { at: all(at), radius, colour },
            Shape::Text(text) => Shape::Text(Text { at: far(text.at), ..text }),
            Shape::Group { class, title, shapes } => {
                Shape::Group { class, title, shapes: shapes.into_iter().map(|s| s.moved((dx, dy))).collect() }
            }
        }
    }
}

/// All of it, on white paper.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub(crate) fn line(&mut self, points: &[Point], colour: Colour, width: f64) {
        self.shapes.push(Shape::Strokes { lines: vec![points.to_vec()], colour, width, dashed: false });
    }

    pub(crate) fn area(&mut self, (x, y): Point, (width, height): Point, colour: Colour, opacity: f64) {
        let outline = vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        self.shapes.push(Shape::Area { outline, colour, opacity });
    }

    pub(crate) fn text(&mut self, content: &str, at: Point, anchor: Anchor, size: f64) {
        self.shapes.push(Shape::Text(Text::new(content, at, anchor, size)));
    }
}
