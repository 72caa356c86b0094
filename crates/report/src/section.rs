//! Cross-sections with their fibres: which material is where, and what stress it has.

use crate::letters::wrapped;
use crate::scale::{range, short};
use crate::scene::{Anchor, BLUE, Colour, FAINT, INK, Point, SPECIMEN, Scene, Shape, Text, colour};
use crate::structure::Sheet;

/// Size of a picture, and of the section in it, pixels.
const WIDTH: f64 = 420.0;
const DRAWN: f64 = 250.0;
const SIZE: f64 = 11.0;
const LINE: f64 = 16.0;
/// Fibres beyond which their edges are not drawn, and beyond which they are not numbered.
const CROWD: usize = 1500;
const NUMBERED: usize = 140;

/// A fibre.
#[derive(Clone, Debug)]
pub struct Fibre {
    /// Its number, as channels have it.
    pub number: usize,
    /// Its place, y and z.
    pub at: [f64; 2],
    /// Corners of what it covers; none: a bar.
    pub outline: Vec<[f64; 2]>,
    /// Its area.
    pub area: f64,
    /// Number of its material.
    pub material: usize,
    /// Its stress, if it is known.
    pub stress: f64,
    /// Whether it is beyond what its material carries elastically: yielded or crushed.
    pub spent: bool,
}

/// A cross-section, in lengths of the drawing.
#[derive(Clone, Debug, Default)]
pub struct CrossSection {
    /// Its title.
    pub title: String,
    /// Its fibres.
    pub fibres: Vec<Fibre>,
    /// Names of its materials.
    pub materials: Vec<String>,
    /// Unit of lengths, and how many of it are one of the drawing.
    pub length: (String, f64),
    /// What stresses are measured in; none: colours show materials.
    pub stress: Option<String>,
    /// Strains (elongation, curvature about z, curvature about y), for the neutral axis.
    pub strains: Option<[f64; 3]>,
    /// A remark below it.
    pub note: String,
}

/// The side to which positive and negative stresses belong.
const TENSION: Colour = SPECIMEN;
const COMPRESSION: Colour = BLUE;

impl CrossSection {
    /// On paper: y up and z to the left, as it is seen against the member axis.
    pub fn sheet(&self) -> Sheet {
        let mut scene = Scene { width: WIDTH, height: 0.0, shapes: Vec::new() };
        let mut y = 6.0;
        for line in wrapped(&self.title, 12.0, WIDTH - 24.0) {
            y += LINE;
            scene.shapes.push(Shape::Text(Text { bold: true, ..Text::new(line, (12.0, y), Anchor::Start, 12.0) }));
        }
        let corners = || self.fibres.iter().flat_map(corners);
        let [(y0, y1), (z0, z1)] = [0, 1].map(|a| range(corners().map(|p| p[a])));
        let size = (y1 - y0).max(z1 - z0);
        let scale = if size > 0.0 && size.is_finite() { DRAWN / size } else { 1.0 };
        let (left, top) = (0.5 * WIDTH - 0.5 * (z1 - z0) * scale + 12.0, y + 34.0);
        let at = |p: [f64; 2]| -> Point { (left + (z1 - p[1]) * scale, top + (y1 - p[0]) * scale) };
        let largest: Vec<f64> = (0..self.materials.len())
            .map(|m| self.fibres.iter().filter(|f| f.material == m).fold(0.0, |most: f64, f| most.max(f.stress.abs())))
            .collect();
        for fibre in self.fibres.iter().filter(|f| !f.outline.is_empty()) {
            self.cell(&mut scene, fibre, &at, &largest);
        }
        // Bars lie on the concrete around them.
        for fibre in self.fibres.iter().filter(|f| f.outline.is_empty()) {
            self.bar(&mut scene, fibre, (&at, scale), &largest);
        }
        self.neutral(&mut scene, &at, [(y0, y1), (z0, z1)]);
        axes(&mut scene, &at, [(y0, y1), (z0, z1)]);
        let bottom = top + (y1 - y0) * scale;
        self.dimensions(&mut scene, [left, top, left + (z1 - z0) * scale, bottom], [y1 - y0, z1 - z0]);
        let mut y = self.legend(&mut scene, bottom + 48.0, &largest);
        for line in wrapped(&self.note, 10.0, WIDTH - 24.0) {
            y += 13.0;
            scene.shapes.push(Shape::Text(Text { colour: FAINT, ..Text::new(line, (12.0, y), Anchor::Start, 10.0) }));
        }
        scene.height = y + 12.0;
        Sheet(scene)
    }

    /// Colour and opacity of a fibre.
    fn tint(&self, fibre: &Fibre, largest: &[f64]) -> (Colour, f64) {
        match self.stress {
            None => (colour(Some(fibre.material), 0), if fibre.outline.is_empty() { 1.0 } else { 0.3 }),
            Some(_) => {
                let most = largest.get(fibre.material).copied().unwrap_or(0.0);
                let share = if most > 0.0 { fibre.stress.abs() / most } else { 0.0 };
                (if fibre.stress > 0.0 { TENSION } else { COMPRESSION }, 0.04 + 0.86 * share)
            }
        }
    }

    fn cell(&self, scene: &mut Scene, fibre: &Fibre, at: &impl Fn([f64; 2]) -> Point, largest: &[f64]) {
        let outline: Vec<Point> = fibre.outline.iter().map(|p| at(*p)).collect();
        let (colour, opacity) = self.tint(fibre, largest);
        let mut shapes = vec![Shape::Area { outline: outline.clone(), colour, opacity }];
        if self.fibres.len() <= CROWD {
            let closed = [&outline[..], &outline[..1]].concat();
            shapes.push(Shape::Strokes { lines: vec![closed], colour: FAINT, width: 0.5, dashed: false });
        }
        if fibre.spent {
            let (x, y) = at(fibre.at);
            let arms = vec![vec![(x - 3.0, y - 3.0), (x + 3.0, y + 3.0)], vec![(x - 3.0, y + 3.0), (x + 3.0, y - 3.0)]];
            shapes.push(Shape::Strokes { lines: arms, colour: INK, width: 1.2, dashed: false });
        }
        self.group(scene, fibre, shapes);
        if self.stress.is_none() && self.fibres.len() <= NUMBERED {
            let (x, y) = at(fibre.at);
            let text = Text::new(fibre.number.to_string(), (x, y + 2.5), Anchor::Middle, 7.0);
            scene.shapes.push(Shape::Text(Text { colour: FAINT, ..text }));
        }
    }

    fn bar(&self, scene: &mut Scene, fibre: &Fibre, (at, scale): (&impl Fn([f64; 2]) -> Point, f64), largest: &[f64]) {
        // A circle of its area, and never too small to be seen.
        let radius = ((fibre.area / std::f64::consts::PI).sqrt() * scale).clamp(4.0, 40.0);
        let (middle, (colour, opacity)) = (at(fibre.at), self.tint(fibre, largest));
        let round = |r: f64| -> Vec<Point> {
            (0..=24)
                .map(|i| (f64::from(i) * 15.0).to_radians())
                .map(|a| (middle.0 + r * a.cos(), middle.1 + r * a.sin()))
                .collect()
        };
        let paper = Shape::Area { outline: round(radius), colour: [255; 3], opacity: 1.0 };
        let disc = Shape::Area { outline: round(radius), colour, opacity };
        let width = if fibre.spent { 2.4 } else { 0.8 };
        let edge = Shape::Strokes { lines: vec![round(radius)], colour: INK, width, dashed: false };
        let filled = if self.stress.is_some() { vec![paper, disc, edge] } else { vec![disc] };
        self.group(scene, fibre, filled);
        if self.stress.is_none() && self.fibres.len() <= NUMBERED {
            let at = (middle.0 + radius + 1.0, middle.1 - radius);
            let text = Text::new(fibre.number.to_string(), at, Anchor::Start, 7.0);
            scene.shapes.push(Shape::Text(Text { colour: INK, ..text }));
        }
    }

    fn group(&self, scene: &mut Scene, fibre: &Fibre, shapes: Vec<Shape>) {
        let place = |x: f64| format!("{} {}", short(x * self.length.1), self.length.0);
        let material = self.materials.get(fibre.material).map_or("", String::as_str);
        let stress =
            self.stress.as_ref().map_or_else(String::new, |unit| format!(", stress {} {unit}", short(fibre.stress)));
        let title = format!(
            "fibre {}: {material}, y = {}, z = {}{stress}",
            fibre.number,
            place(fibre.at[0]),
            place(fibre.at[1])
        );
        scene.shapes.push(Shape::Group { class: "fibre".to_owned(), title, shapes });
    }

    /// Where the strain is zero: eps - y kz + z ky = 0.
    fn neutral(&self, scene: &mut Scene, at: &impl Fn([f64; 2]) -> Point, [(y0, y1), (z0, z1)]: [(f64, f64); 2]) {
        let Some([eps, kz, ky]) = self.strains else { return };
        let strain = |[y, z]: [f64; 2]| eps - y * kz + z * ky;
        let (b, c) = (0.06 * (y1 - y0), 0.06 * (z1 - z0));
        let corners = [[y0 - b, z0 - c], [y1 + b, z0 - c], [y1 + b, z1 + c], [y0 - b, z1 + c]];
        let mut ends = Vec::new();
        for i in 0..4 {
            let (p, q) = (corners[i], corners[(i + 1) % 4]);
            let (e, f) = (strain(p), strain(q));
            if (e > 0.0) != (f > 0.0) {
                let share = e / (e - f);
                ends.push(at([0, 1].map(|k| p[k] + share * (q[k] - p[k]))));
            }
        }
        if let [from, to, ..] = ends[..] {
            let line = Shape::Strokes { lines: vec![vec![from, to]], colour: INK, width: 1.4, dashed: true };
            scene.shapes.push(Shape::Group {
                class: "neutral".to_owned(),
                title: "neutral axis".to_owned(),
                shapes: vec![line],
            });
        }
    }

    /// Height on the right, width below.
    fn dimensions(&self, scene: &mut Scene, [left, top, right, bottom]: [f64; 4], [high, wide]: [f64; 2]) {
        let told = |x: f64| format!("{} {}", short(x * self.length.1), self.length.0);
        let (x, y) = (right + 24.0, bottom + 22.0);
        let lines = vec![
            vec![(x, top), (x, bottom)],
            vec![(x - 3.0, top), (x + 3.0, top)],
            vec![(x - 3.0, bottom), (x + 3.0, bottom)],
            vec![(left, y), (right, y)],
            vec![(left, y - 3.0), (left, y + 3.0)],
            vec![(right, y - 3.0), (right, y + 3.0)],
        ];
        scene.shapes.push(Shape::Strokes { lines, colour: FAINT, width: 0.8, dashed: false });
        let beside = Text::new(told(high), (x + 12.0, 0.5 * (top + bottom)), Anchor::Middle, 10.0);
        scene.shapes.push(Shape::Text(Text { upright: true, ..beside }));
        scene.text(&told(wide), (0.5 * (left + right), y + 13.0), Anchor::Middle, 10.0);
    }

    /// Materials or stresses; where it ends below.
    fn legend(&self, scene: &mut Scene, mut y: f64, largest: &[f64]) -> f64 {
        for (m, name) in self.materials.iter().enumerate() {
            let mine = || self.fibres.iter().filter(|f| f.material == m);
            y += LINE;
            match &self.stress {
                None => {
                    scene.area((12.0, y - 9.0), (14.0, 10.0), colour(Some(m), 0), 0.6);
                    let area: f64 = mine().map(|f| f.area).sum::<f64>() * self.length.1 * self.length.1;
                    let words = format!("{name}: {} fibres, {} {}²", mine().count(), short(area), self.length.0);
                    scene.text(&words, (34.0, y), Anchor::Start, SIZE);
                }
                Some(unit) => {
                    let (low, high) = range(mine().map(|f| f.stress));
                    // From the largest compression to the largest tension of this material.
                    let most = largest[m].max(f64::MIN_POSITIVE);
                    for k in 0..20 {
                        let stress = low + (high - low) * (f64::from(k) + 0.5) / 20.0;
                        let tint = if stress > 0.0 { TENSION } else { COMPRESSION };
                        let opacity = 0.04 + 0.86 * stress.abs() / most;
                        scene.area((12.0 + 4.0 * f64::from(k), y - 9.0), (4.0, 10.0), tint, opacity);
                    }
                    let spent = mine().filter(|f| f.spent).count();
                    let state = match (spent, mine().all(|f| f.outline.is_empty())) {
                        (0, _) => String::new(),
                        (n, true) => format!(", {n} of {} yielded (thick)", mine().count()),
                        (n, false) => format!(", {n} of {} beyond strength (x)", mine().count()),
                    };
                    let words = format!("{name}: {} to {} {unit}{state}", short(low), short(high));
                    scene.text(&words, (100.0, y), Anchor::Start, SIZE);
                }
            }
        }
        if self.strains.is_some() {
            y += LINE;
            let line = vec![vec![(12.0, y - 4.0), (92.0, y - 4.0)]];
            scene.shapes.push(Shape::Strokes { lines: line, colour: INK, width: 1.4, dashed: true });
            scene.text("neutral axis (strain zero), if it crosses the section", (100.0, y), Anchor::Start, SIZE);
        }
        y
    }
}

/// Sheets side by side, two in a row.
pub fn beside(sheets: Vec<Sheet>) -> Sheet {
    let across = sheets.len().clamp(1, 2);
    let mut all = Scene { width: WIDTH * across as f64, height: 0.0, shapes: Vec::new() };
    let mut sheets = sheets.into_iter().peekable();
    while sheets.peek().is_some() {
        let top = all.height;
        for (i, Sheet(scene)) in sheets.by_ref().take(across).enumerate() {
            all.height = all.height.max(top + scene.height);
            let place = (WIDTH * i as f64, top);
            all.shapes.extend(scene.shapes.into_iter().map(|s| s.moved(place)));
        }
    }
    Sheet(all)
}

/// Corners of a fibre, or of the square around a bar.
fn corners(fibre: &Fibre) -> Vec<[f64; 2]> {
    if !fibre.outline.is_empty() {
        return fibre.outline.clone();
    }
    let r = (fibre.area / std::f64::consts::PI).sqrt();
    vec![[fibre.at[0] - r, fibre.at[1] - r], [fibre.at[0] + r, fibre.at[1] + r]]
}

/// The axes of the section at its origin, as long as a part of it.
fn axes(scene: &mut Scene, at: &impl Fn([f64; 2]) -> Point, [(_, y1), (_, z1)]: [(f64, f64); 2]) {
    let origin = at([0.0, 0.0]);
    let (up, left) = (at([y1, 0.0]).1.min(origin.1) - 20.0, at([0.0, z1]).0.min(origin.0) - 20.0);
    for (to, head, name, place) in [
        ((origin.0, up), [(origin.0 - 3.0, up + 7.0), (origin.0 + 3.0, up + 7.0)], "y", (origin.0 + 8.0, up + 6.0)),
        ((left, origin.1), [(left + 7.0, origin.1 - 3.0), (left + 7.0, origin.1 + 3.0)], "z", (left, origin.1 - 7.0)),
    ] {
        scene.line(&[origin, to], INK, 1.0);
        scene.shapes.push(Shape::Area { outline: vec![to, head[0], head[1]], colour: INK, opacity: 1.0 });
        scene.text(name, place, Anchor::Start, SIZE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(stress: Option<&str>) -> CrossSection {
        let square = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let cell =
            Fibre { number: 1, at: [0.0, 0.0], outline: square, area: 4.0, material: 0, stress: -3.0, spent: true };
        let bar =
            Fibre { number: 2, at: [0.8, 0.0], outline: vec![], area: 0.01, material: 1, stress: 400.0, spent: true };
        CrossSection {
            title: "column <a>".into(),
            fibres: vec![cell, bar],
            materials: vec!["core".into(), "steel".into()],
            length: ("mm".into(), 1000.0),
            stress: stress.map(str::to_owned),
            strains: Some([0.0, 1.0, 0.0]),
            note: String::new(),
        }
    }

    #[test]
    fn a_section_tells_materials_or_stresses() {
        let plain = section(None).sheet().svg();
        assert!(plain.contains("core: 1 fibres") && plain.contains("2000 mm") && plain.contains("column &lt;a&gt;"));
        let stressed = section(Some("MPa")).sheet().svg();
        assert!(stressed.contains("steel: 400 to 400 MPa, 1 of 1 yielded (thick)"), "{stressed}");
        assert!(stressed.contains("beyond strength (x)") && stressed.contains("neutral axis"));
    }

    #[test]
    fn sheets_stand_side_by_side() {
        let three = beside((0..3).map(|_| section(None).sheet()).collect());
        let one = section(None).sheet();
        assert_eq!((three.0.width, three.0.height), (2.0 * one.0.width, 2.0 * one.0.height));
        assert_eq!(three.0.shapes.len(), 3 * one.0.shapes.len());
        assert!(beside(Vec::new()).0.shapes.is_empty());
    }

    #[test]
    fn nothing_is_no_number_where_a_section_is_nothing() {
        let empty = CrossSection { length: ("m".into(), 1.0), ..CrossSection::default() }.sheet().svg();
        assert!(!empty.contains("NaN") && !empty.contains("inf"), "{empty}");
        let point =
            Fibre { number: 1, at: [0.0; 2], outline: vec![], area: 0.0, material: 0, stress: 0.0, spent: false };
        let one =
            CrossSection { fibres: vec![point], materials: vec!["s".into()], ..section(Some("Pa")) }.sheet().svg();
        assert!(!one.contains("NaN") && !one.contains("inf"), "{one}");
    }
}
