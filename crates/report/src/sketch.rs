//! A drawing by hand: strokes, areas, dots, arrows and words at given places, for schemes of what no numbers draw.

use crate::scene::{Anchor, Colour, Scene, Shape, Text, colour};
use crate::svg;

/// A point in pixels, y down.
pub type Place = (f64, f64);

/// What a line is drawn with: the number of a colour (as curves have them, [`BLACK`](crate::BLACK) too, [`GREY`] or [`PAPER`]), its width
/// in pixels, and whether it is dashed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Pen {
    pub colour: usize,
    pub width: f64,
    pub dashed: bool,
}

impl Pen {
    /// A line of this colour, 1.5 pixels wide.
    pub const fn new(colour: usize) -> Self {
        Pen { colour, width: 1.5, dashed: false }
    }

    /// The same pen, so wide.
    pub const fn wide(self, width: f64) -> Self {
        Pen { width, ..self }
    }

    /// The same pen, dashed.
    pub const fn dashed(self) -> Self {
        Pen { dashed: true, ..self }
    }
}

/// Number of grey, for what is only there to help.
pub const GREY: usize = usize::MAX;
/// Number of the colour of the paper, to cover what is below.
pub const PAPER: usize = usize::MAX - 1;

/// How a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Words {
    Left,
    Centred,
    Right,
}

/// A drawing on white paper.
#[derive(Clone, Debug)]
pub struct Sketch(Scene);

impl Sketch {
    /// Empty paper, in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        Sketch(Scene { width, height, shapes: Vec::new() })
    }

    /// A line through points.
    pub fn line(&mut self, points: &[Place], pen: Pen) -> &mut Self {
        let (lines, colour) = (vec![points.to_vec()], shade(pen.colour));
        self.0.shapes.push(Shape::Strokes { lines, colour, width: pen.width, dashed: pen.dashed });
        self
    }

    /// A line that ends in a point.
    pub fn arrow(&mut self, points: &[Place], pen: Pen) -> &mut Self {
        self.line(points, pen);
        if let [.., from, to] = points {
            let length = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
            let (x, y) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
            let barb = |side: f64| (to.0 - 8.0 * x - 3.5 * side * y, to.1 - 8.0 * y + 3.5 * side * x);
            self.area(&[*to, barb(1.0), barb(-1.0)], pen.colour, 1.0);
        }
        self
    }

    /// A filled outline.
    pub fn area(&mut self, outline: &[Place], colour: usize, opacity: f64) -> &mut Self {
        self.0.shapes.push(Shape::Area { outline: outline.to_vec(), colour: shade(colour), opacity });
        self
    }

    /// A dot.
    pub fn dot(&mut self, at: Place, radius: f64, colour: usize) -> &mut Self {
        self.0.shapes.push(Shape::Dots { at: vec![at], radius, colour: shade(colour) });
        self
    }

    /// Words; `at` is on their base line.
    pub fn text(&mut self, content: &str, at: Place, words: Words, size: f64, colour: usize) -> &mut Self {
        let anchor = match words {
            Words::Left => Anchor::Start,
            Words::Centred => Anchor::Middle,
            Words::Right => Anchor::End,
        };
        self.0.shapes.push(Shape::Text(Text { colour: shade(colour), ..Text::new(content, at, anchor, size) }));
        self
    }

    /// As SVG text.
    pub fn svg(&self) -> String {
        svg::write(&self.0)
    }
}

fn shade(number: usize) -> Colour {
    match number {
        GREY => [110, 110, 110],
        PAPER => [255, 255, 255],
        number => colour(Some(number), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_in_the_picture() {
        let mut sketch = Sketch::new(40.0, 20.0);
        sketch.arrow(&[(1.0, 2.0), (30.0, 2.0)], Pen::new(1).dashed()).dot((5.0, 5.0), 2.0, GREY);
        let svg = sketch.text("a < b", (3.0, 9.0), Words::Centred, 10.0, crate::BLACK).svg();
        for part in
            ["M1 2L30 2", "M30 2L22 5.5L22 -1.5Z", "stroke-dasharray", "#6e6e6e", "a &lt; b", "text-anchor=\"middle\""]
        {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
    }
}
