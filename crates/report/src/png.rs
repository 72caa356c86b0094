//! A scene as pixels, in a PNG file.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::letters;
use crate::scene::{Anchor, Colour, DASHES, Point, Scene, Shape, Text};
use crate::strokes::dashed as in_dashes;

/// Bytes of a PNG file with so many of its pixels along a pixel of the scene (PNG specification, 3rd edition, W3C 2025).
pub(crate) fn write(scene: &Scene, scale: f64) -> Vec<u8> {
    let [width, height] = [scene.width, scene.height].map(|s| (s * scale).round().max(1.0) as usize);
    let mut canvas = Canvas { width, height, pixels: vec![255; 3 * width * height] };
    scene.shapes.iter().for_each(|shape| canvas.draw(shape, scale));
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [width, height].map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes()).concat();
    // Eight bits each of red, green and blue; the only methods there are; not interlaced.
    chunk(&mut out, b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat());
    let per_metre = ((scale * crate::figure::PIXELS_PER_INCH / 0.0254).round() as u32).to_be_bytes();
    chunk(&mut out, b"pHYs", &[&per_metre[..], &per_metre, &[1]].concat());
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in canvas.pixels.chunks(3 * width) {
        // No filter. Writing to memory does not fail.
        let _ = packed.write_all(&[0]).and_then(|()| packed.write_all(row));
    }
    chunk(&mut out, b"IDAT", &packed.finish().unwrap_or_default());
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(kind);
    out.extend(data);
    out.extend(crc.sum().to_be_bytes());
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// How much of each pixel of a part of the canvas is covered, from 0 to 1.
struct Mask {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    cover: Vec<f32>,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape, scale: f64) {
        let scaled = |points: &[Point]| points.iter().map(|p| (p.0 * scale, p.1 * scale)).collect::<Vec<Point>>();
        match shape {
            Shape::Strokes { lines, colour, width, dashed } => {
                let lines: Vec<Vec<Point>> = if *dashed {
                    lines.iter().flat_map(|l| in_dashes(l, DASHES.0, DASHES.1)).map(|l| scaled(&l)).collect()
                } else {
                    lines.iter().map(|l| scaled(l)).collect()
                };
                self.stroke(&lines, 0.5 * width * scale, *colour);
            }
            Shape::Area { outline, colour, opacity } => self.fill(&[scaled(outline)], *colour, *opacity),
            Shape::Dots { at, radius, colour } => {
                let dots: Vec<Vec<Point>> = scaled(at).into_iter().map(|p| vec![p, p]).collect();
                self.stroke(&dots, radius * scale, *colour);
            }
            Shape::Group { shapes, .. } => shapes.iter().for_each(|shape| self.draw(shape, scale)),
            Shape::Text(Text { content, at, anchor, size, upright, bold, colour }) => {
                let wide = letters::width(content, *size);
                let from = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -0.5 * wide,
                    Anchor::End => -wide,
                };
                let place = |p: &Point| {
                    let (x, y) = (p.0 + from, p.1);
                    let (x, y) = if *upright { (at.0 - y, at.1 - x) } else { (at.0 + x, at.1 - y) };
                    (x * scale, y * scale)
                };
                let outlines = letters::outlines(content, *size);
                let contours: Vec<Vec<Point>> = outlines.iter().map(|c| c.iter().map(place).collect()).collect();
                self.fill(&contours, *colour, 1.0);
                if *bold {
                    let closed: Vec<Vec<Point>> = contours.iter().map(|c| [&c[..], &c[..1]].concat()).collect();
                    self.stroke(&closed, 0.03 * size * scale, *colour);
                }
            }
        }
    }

    /// The part of the canvas where lines are, with so much around them.
    fn mask(&self, lines: &[Vec<Point>], around: f64) -> Mask {
        let mut bounds = [f64::INFINITY, f64::INFINITY, 0.0, 0.0];
        for (x, y) in lines.iter().flatten() {
            bounds = [bounds[0].min(*x), bounds[1].min(*y), bounds[2].max(*x), bounds[3].max(*y)];
        }
        let low = |v: f64, most: usize| ((v - around).floor().max(0.0) as usize).min(most);
        let high = |v: f64, most: usize| ((v + around).ceil().max(0.0) as usize).min(most);
        let (left, top) = (low(bounds[0], self.width), low(bounds[1], self.height));
        let width = high(bounds[2], self.width).saturating_sub(left);
        let height = high(bounds[3], self.height).saturating_sub(top);
        Mask { left, top, width, height, cover: vec![0.0; width * height] }
    }

    /// Lines with round ends and corners: a pixel is covered as far as it is within `half` of a line, so that dense curves
    /// keep smooth edges.
    fn stroke(&mut self, lines: &[Vec<Point>], half: f64, colour: Colour) {
        let reach = half + 0.5;
        let mut mask = self.mask(lines, reach);
        // A line thinner than a pixel is paler instead.
        let full = (2.0 * half).min(1.0);
        for (a, b) in lines.iter().flat_map(|l| l.windows(2).map(|pair| (pair[0], pair[1]))) {
            mask.segment(a, b, reach, full);
        }
        self.paint(&mask, colour, 1.0);
    }

    /// The area within closed contours; those that turn the other way are holes.
    fn fill(&mut self, contours: &[Vec<Point>], colour: Colour, opacity: f64) {
        let mut mask = self.mask(contours, 1.0);
        for contour in contours.iter().filter(|c| c.len() > 2) {
            let next = contour.iter().cycle().skip(1);
            contour.iter().zip(next).for_each(|(a, b)| mask.edge(*a, *b));
        }
        // Each edge left behind what changes to its right.
        for row in mask.cover.chunks_mut(mask.width.max(1)) {
            let mut sum = 0.0;
            for c in row {
                sum += *c;
                *c = sum.abs().min(1.0);
            }
        }
        self.paint(&mask, colour, opacity as f32);
    }

    fn paint(&mut self, mask: &Mask, colour: Colour, opacity: f32) {
        for (row, cover) in mask.cover.chunks(mask.width.max(1)).enumerate() {
            let from = 3 * ((mask.top + row) * self.width + mask.left);
            for (pixel, c) in self.pixels[from..].chunks_mut(3).zip(cover).filter(|(_, c)| **c > 0.0) {
                let share = c * opacity;
                pixel.iter_mut().zip(colour).for_each(|(p, new)| {
                    *p = (f32::from(*p) + share * (f32::from(new) - f32::from(*p))).round() as u8;
                });
            }
        }
    }
}

impl Mask {
    /// Covers what is near a line from `a` to `b`, fully up to half a pixel before `reach`.
    fn segment(&mut self, a: Point, b: Point, reach: f64, full: f64) {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let square = dx * dx + dy * dy;
        let from = (a.1.min(b.1) - reach - self.top as f64).floor().max(0.0) as usize;
        let to = ((a.1.max(b.1) + reach - self.top as f64).ceil().max(0.0) as usize).min(self.height);
        for row in from..to {
            let y = (self.top + row) as f64 + 0.5;
            // The part of the line that is near enough to this row.
            let at = |y: f64| if dy == 0.0 { None } else { Some(((y - a.1) / dy).clamp(0.0, 1.0)) };
            let (s, t) = at(y - reach).zip(at(y + reach)).unwrap_or((0.0, 1.0));
            let (x0, x1) = (a.0 + s * dx, a.0 + t * dx);
            let first = (x0.min(x1) - reach - self.left as f64).floor().max(0.0) as usize;
            let last = ((x0.max(x1) + reach - self.left as f64).ceil().max(0.0) as usize).min(self.width);
            for column in first..last {
                let x = (self.left + column) as f64 + 0.5;
                let along = if square > 0.0 { ((x - a.0) * dx + (y - a.1) * dy) / square } else { 0.0 };
                let along = along.clamp(0.0, 1.0);
                let distance = (x - a.0 - along * dx).hypot(y - a.1 - along * dy);
                let cover = (reach - distance).clamp(0.0, full) as f32;
                let here = &mut self.cover[row * self.width + column];
                *here = here.max(cover);
            }
        }
    }

    /// Adds an edge of a contour: to each pixel it passes the area to its right within it, so that sums along a row are what
    /// is covered.
    fn edge(&mut self, a: Point, b: Point) {
        if a.1 == b.1 {
            return;
        }
        let (sign, a, b) = if a.1 < b.1 { (1.0, a, b) } else { (-1.0, b, a) };
        let slope = (b.0 - a.0) / (b.1 - a.1);
        let (left, top) = (self.left as f64, self.top as f64);
        let from = (a.1 - top).floor().max(0.0) as usize;
        let to = ((b.1 - top).ceil().max(0.0) as usize).min(self.height);
        for row in from..to {
            let (y0, y1) = ((top + row as f64).max(a.1), (top + row as f64 + 1.0).min(b.1));
            if y1 <= y0 {
                continue;
            }
            let x = |y: f64| (a.0 + slope * (y - a.1) - left).clamp(0.0, self.width as f64);
            let (x0, x1) = (x(y0).min(x(y1)), x(y0).max(x(y1)));
            let height = sign * (y1 - y0);
            let mut before = 0.0;
            for column in x0 as usize..self.width.min(x1 as usize + 2) {
                // Share of the edge's height whose right side covers this pixel, up to its right border.
                let c = column as f64;
                let covered = share(x0, x1, c) * height;
                self.cover[row * self.width + column] += (covered - before) as f32;
                before = covered;
            }
        }
    }
}

/// The mean over an edge from `x0` to `x1` of how much of the pixel from `c` to `c + 1` is to its right.
fn share(x0: f64, x1: f64, c: f64) -> f64 {
    // The integral of the covered part of the pixel over the place of the edge.
    let integral = |x: f64| match x - c {
        d if d <= 0.0 => d,
        d if d >= 1.0 => 0.5,
        d => d - 0.5 * d * d,
    };
    if x1 - x0 < 1e-9 { (1.0 - (x0 - c)).clamp(0.0, 1.0) } else { (integral(x1) - integral(x0)) / (x1 - x0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::INK;

    fn canvas(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![255; 3 * width * height] }
    }

    /// Ink on the canvas in pixels.
    fn ink(canvas: &Canvas) -> f64 {
        canvas.pixels.chunks(3).map(|p| (255.0 - f64::from(p[0])) / 255.0).sum()
    }

    #[test]
    fn areas_cover_what_they_should() {
        for (outline, area) in [
            (vec![(2.25, 3.5), (7.75, 3.5), (7.75, 6.25), (2.25, 6.25)], 5.5 * 2.75),
            (vec![(1.0, 1.0), (9.0, 2.0), (3.0, 8.5)], 0.5 * (8.0 * 7.5 - 2.0 * 1.0)),
            (vec![(1.2, 1.0), (1.4, 9.0), (1.3, 9.0)], 0.5 * (0.1 * 8.0)),
        ] {
            for outline in [outline.clone(), outline.into_iter().rev().collect()] {
                let mut canvas = canvas(12, 12);
                canvas.fill(&[outline], [0, 0, 0], 1.0);
                assert!((ink(&canvas) - area).abs() < 0.05, "{} {area}", ink(&canvas));
            }
        }
    }

    #[test]
    fn holes_are_left_white_and_what_is_outside_is_cut() {
        let square = |a: f64, b: f64| vec![(a, a), (b, a), (b, b), (a, b)];
        let mut with_hole = canvas(12, 12);
        with_hole.fill(&[square(1.0, 11.0), square(3.0, 9.0).into_iter().rev().collect()], [0, 0, 0], 1.0);
        assert!((ink(&with_hole) - 64.0).abs() < 0.1);
        let mut cut = canvas(12, 12);
        cut.fill(&[square(-100.0, 6.0)], [0, 0, 0], 1.0);
        assert!((ink(&cut) - 36.0).abs() < 0.1, "{}", ink(&cut));
        cut.stroke(&[vec![(-50.0, -50.0), (500.0, 500.0)]], 1.0, INK);
        cut.fill(&[vec![]], INK, 1.0);
        cut.stroke(&[vec![]], 1.0, INK);
    }

    #[test]
    fn strokes_are_as_wide_as_asked_whatever_their_points() {
        let coarse = vec![(5.0, 10.0), (45.0, 30.0)];
        let fine = (0..=1000).map(|i| f64::from(i) / 1000.0).map(|s| (5.0 + 40.0 * s, 10.0 + 20.0 * s)).collect();
        for line in [coarse, fine] {
            let mut canvas = canvas(50, 40);
            canvas.stroke(&[line], 1.5, [0, 0, 0]);
            let expected = 3.0 * 40f64.hypot(20.0) + std::f64::consts::PI * 1.5 * 1.5;
            assert!((ink(&canvas) - expected).abs() < 0.02 * expected, "{} {expected}", ink(&canvas));
        }
    }

    #[test]
    fn the_file_is_a_png_of_its_size() {
        let mut scene = Scene { width: 20.0, height: 10.0, shapes: Vec::new() };
        scene.text("Ω", (10.0, 9.0), Anchor::Middle, 8.0);
        let file = write(&scene, 2.0);
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(file[16..24], [0, 0, 0, 40, 0, 0, 0, 20]);
        assert_eq!(file, write(&scene, 2.0), "the same bytes again");
        // Of the specification: the end of every file.
        assert_eq!(file[file.len() - 12..], [0, 0, 0, 0, 73, 69, 78, 68, 0xae, 0x42, 0x60, 0x82]);
    }
}
