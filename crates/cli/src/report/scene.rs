//! The structure of a model as it moves: its modes, and its deformed shape.

use interfield_language::model::{Model, Support};
use interfield_report::structure::Drawing;
use interfield_report::{Block, Motion, Table, View};
use interfield_results::{Error, Reader};
use interfield_structure::Structure;
use interfield_structure::modal::Modal;

use super::frames::Frames;
use crate::drawing::{Moves, moves, structure};
use interfield::table::short;

/// Modes in a report; large structures show fewer, and the largest none: these take longer than most runs.
const MODES: usize = 12;
const FEW_MODES: (usize, usize) = (800, 6);
const NO_MODES: usize = 20_000;

/// Moments of a deformed shape that is read from a result file.
const MOMENTS: u64 = 300;

/// Most numbers of a deformed shape in a page, two bytes each.
const NUMBERS: usize = 900_000;

/// A model as it is drawn.
pub(crate) struct Scene {
    pub(super) drawing: Drawing,
    /// Names of the nodes.
    names: Vec<String>,
    /// What moves each of them.
    moves: Vec<Moves>,
    /// The unknown that each degree of freedom is.
    pub(super) unknowns: Vec<Option<usize>>,
    /// Unit of length and how many make a metre.
    unit: (String, f64),
    /// Modes, or why there are none.
    modes: Result<Modes, String>,
    sketch: &'static str,
}

struct Modes {
    table: Table,
    shapes: Vec<(String, Vec<f32>)>,
}

impl Scene {
    /// Of a model, with its modes about the present state.
    pub(crate) fn new(assembled: &Structure) -> Self {
        let model = &assembled.model;
        let structure = structure(model);
        let drawing = structure.drawing();
        let moves = moves(model, &structure);
        let names = structure.nodes.iter().map(|n| n.name.clone()).collect();
        let length = interfield_language::units::Dimension::LENGTH;
        let unit = (model.units.label(length), 1.0 / model.units.factor(length));
        let sketch = if drawing.sketch { "The model has no node positions: this is a sketch." } else { "" };
        let mut unknowns = vec![None; model.dofs.len()];
        assembled.free().iter().enumerate().for_each(|(i, &d)| unknowns[d] = Some(i));
        let mut scene = Self { drawing, names, moves, unknowns, unit, modes: Err(String::new()), sketch };
        scene.modes = scene.find_modes(assembled);
        scene
    }

    /// Whether there is anything to draw.
    fn is_empty(&self) -> bool {
        self.drawing.nodes == 0 || self.drawing.edges.is_empty()
    }

    /// Displacements and rotations of all nodes for values of the degrees of freedom.
    pub(super) fn displaced(&self, value: impl Fn(usize) -> f64) -> Vec<f32> {
        let node = |moves: &Moves| {
            let mut d = [0.0; 6];
            for (dof, unit) in moves {
                let x = value(*dof);
                (0..6).for_each(|a| d[a] += x * unit[a]);
            }
            let [x, y, z, rx, ry, rz] = d;
            [self.drawing.along([x, y, z]), self.drawing.along([rx, ry, rz])].concat()
        };
        self.moves.iter().flat_map(node).map(|x| x as f32).collect()
    }

    fn find_modes(&self, structure: &Structure) -> Result<Modes, String> {
        let n = structure.unknowns().len();
        if n > NO_MODES {
            return Err(format!("Not computed for {n} unknowns; `interfield modes` does."));
        }
        let count = if n > FEW_MODES.0 { FEW_MODES.1 } else { MODES };
        let found = Modal::new(structure, count).map_err(|e| format!("The modes could not be computed: {e}."))?;
        let shape = |shape: &Vec<f64>| self.displaced(|d| self.unknowns[d].map_or(0.0, |i| shape[i]));
        let directions: Vec<_> = found.directions.iter().filter(|d| d.mass > 0.0).collect();
        let mut table = Table { header: ["mode", "f [Hz]", "T [s]"].map(str::to_owned).to_vec(), rows: Vec::new() };
        table.header.extend(directions.iter().map(|d| format!("effective mass along {} [%]", d.name)));
        let mut shapes = Vec::new();
        for (i, (omega2, vector)) in found.omega2.iter().zip(&found.shapes).enumerate() {
            let f = omega2.max(0.0).sqrt() / std::f64::consts::TAU;
            let (text, period) = match omega2 {
                w if *w > 0.0 => (format!("f = {} Hz, T = {} s", short(f), short(1.0 / f)), short(1.0 / f)),
                w if *w < 0.0 => ("unstable".to_owned(), "unstable".to_owned()),
                _ => ("rigid".to_owned(), "rigid".to_owned()),
            };
            let mut row = vec![(i + 1).to_string(), short(f), period];
            row.extend(directions.iter().map(|d| format!("{:.1}", 100.0 * d.effective[i] / d.mass)));
            table.rows.push(row);
            shapes.push((format!("mode {}: {text}", i + 1), shape(vector)));
        }
        Ok(Modes { table, shapes })
    }

    /// Frequencies and shapes.
    pub(crate) fn modes(&self) -> Vec<Block> {
        let modes = match &self.modes {
            Ok(modes) if modes.table.rows.is_empty() => return Vec::new(),
            Ok(modes) => modes,
            Err(why) => return vec![Block::Text(why.clone())],
        };
        let mut blocks = Vec::new();
        if !self.is_empty() {
            blocks.push(self.view("Mode shapes", Motion::Shapes(modes.shapes.clone())));
        }
        blocks.push(Block::Table(modes.table.clone()));
        blocks.push(Block::Text("Small vibrations about the initial state, without damping.".to_owned()));
        blocks
    }

    fn view(&self, title: &str, motion: Motion) -> Block {
        let (drawing, names, unit) = (self.drawing.clone(), self.names.clone(), self.unit.clone());
        Block::View(View { title: title.to_owned(), drawing, names, motion, unit, note: self.sketch.to_owned() })
    }

    /// The deformed shape at the moments gathered during a run.
    pub(crate) fn deformed(&self, model: &Model, frames: &Frames) -> Vec<Block> {
        let moments = frames.moments(NUMBERS / (6 * self.moves.len()).max(1));
        let moved = |&(t, u): &(f64, &[f32])| {
            self.displaced(|d| self.unknowns[d].map_or_else(|| imposed(model, d, t), |i| f64::from(u[i])))
        };
        let motion: Vec<f32> = moments.iter().flat_map(moved).collect();
        self.animated(&moments.iter().map(|m| m.0).collect::<Vec<f64>>(), motion)
    }

    /// The deformed shape out of a result file, which has it if every displacement that shows is recorded.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn deformed_in(&self, model: &Model, reader: &Reader) -> Result<Vec<Block>, Error> {
        let mut channel = vec![None; model.dofs.len()];
        for &(d, _) in self.moves.iter().flatten() {
            let dof = &model.dofs[d];
            let found = reader.channel(&dof.name).or_else(|| reader.channel(&format!("{}.u", dof.name)));
            match (&dof.support, found) {
                (Support::Free, None) => {
                    let why = format!("`{}` is not recorded, so the page of a result file cannot show it.", dof.name);
                    return Ok(vec![Block::Text(format!("{why} The page written by `interfield run` shows it."))]);
                }
                (_, found) => channel[d] = found,
            }
        }
        let (mut times, mut motion) = (Vec::new(), Vec::new());
        let length = self.unit.1;
        let moments = MOMENTS.min((NUMBERS / (6 * self.moves.len()).max(1)) as u64).max(2);
        for row in (0..reader.rows()).step_by(reader.rows().div_ceil(moments).max(1) as usize) {
            let t = reader.time(row..row + 1)?.first().copied().unwrap_or(0.0);
            let mut values = vec![0.0; model.dofs.len()];
            for (d, c) in channel.iter().enumerate() {
                values[d] = match c {
                    Some(c) => {
                        let x = reader.read(*c, row..row + 1)?.first().copied().unwrap_or(0.0);
                        if model.dofs[d].angle { x } else { x / length }
                    }
                    None => imposed(model, d, t),
                };
            }
            times.push(t);
            motion.extend(self.displaced(|d| values[d]));
        }
        Ok(self.animated(&times, motion))
    }

    fn animated(&self, times: &[f64], frames: Vec<f32>) -> Vec<Block> {
        if self.is_empty() || times.is_empty() || frames.iter().all(|x| *x == 0.0) {
            return Vec::new();
        }
        vec![self.view("The structure at selected times", Motion::Frames { times: times.to_vec(), frames })]
    }
}

/// Where an imposed motion has a degree of freedom at a time.
fn imposed(model: &Model, dof: usize, t: f64) -> f64 {
    match &model.dofs[dof].support {
        Support::Imposed(motion) => motion.at(t)[0],
        _ => 0.0,
    }
}
