//! A wall of a million unknowns (30,000 with `--quick`) with a yielding specimen and 60 interface unknowns: reduced, then run at 1 kHz of the
//! wall clock, then compared with the whole structure step by step.
//!
//! The wall is a plane lattice: a square of 58 m, its members so that stiffness and mass per area do not depend on how fine it is. A plane
//! structure, because its factor fits beside the rest in 16 GB; of a lattice in space it would have ten times the entries.

use std::sync::mpsc;
use std::time::Instant;

use interfield_kernel::element::beam::MassKind;
use interfield_kernel::element::beam2d::Beam2d;
use interfield_lab::realtime::{Clock, Schedule, Timing, WallClock, WhenLate};
use interfield_language::Model;
use interfield_language::model::{Channel, Dof, Element, Kind, Node, Quantity, Support};
use interfield_language::parse::Overrides;
use interfield_structure::Simulation;
use interfield_testkit::run::read_with;

use crate::realtime::{PERIOD, PRIORITY, SPIN, core, in_real_time, missing, tails};
use crate::viaduct::{OnTheWall, ProgramLog};
use crate::{Bar, Bench, Row, advance, median, start};

const CASE: &str = "million";
/// Side of the wall and its thickness, m; Young's modulus, Pa; density with what stands on it, kg/m3.
const SIDE: f64 = 57.7;
const THICKNESS: f64 = 0.3;
const MODULUS: f64 = 30e9;
const DENSITY: f64 = 11_000.0;
/// Nodes of the interface, each with three unknowns.
const NODES: usize = 20;
/// Steps that are compared with those of the whole structure: 0.2 s.
const COMPARED: usize = 200;

/// A wall under construction.
struct Wall {
    /// Cells along a side.
    cells: usize,
    /// Level of the interface.
    level: usize,
}

impl Wall {
    fn new(quick: bool) -> Self {
        let cells = if quick { 100 } else { 577 };
        Wall { cells, level: cells / 2 }
    }

    /// Line of an interface node.
    fn line(&self, i: usize) -> usize {
        i * self.cells / (NODES - 1)
    }

    fn name(level: usize, line: usize) -> String {
        format!("n{level}_{line}")
    }

    /// The model file: interface, specimen, load; `reduce`: with what makes it small.
    fn text(&self, specimen: bool, reduce: bool) -> String {
        let names: Vec<String> = (0..NODES).map(|i| Wall::name(self.level, self.line(i))).collect();
        let nodes: String = names.iter().map(|n| format!("[[node]]\nname = \"{n}\"\n")).collect();
        // Nothing beside the wall; without them the file alone would not be a structure.
        let ties = |(i, n): (usize, &String)| {
            let tie = |dof: &str, k: &str| {
                format!(
                    "[[element]]\nname = \"tie{i}{dof}\"\ntype = \"spring\"\nnodes = [\"ground\", \"{n}\"]\ndof = \"{dof}\"\nk = \"{k}\"\n"
                )
            };
            tie("x", "1 N/m") + &tie("y", "1 N/m") + &tie("rz", "1 N*m/rad")
        };
        let ties: String = names.iter().enumerate().map(ties).collect();
        let channels: Vec<String> =
            names.iter().flat_map(|n| ["x", "y", "rz"].map(|d| format!("\"{n}.{d}\""))).collect();
        let keep: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
        let mut text = format!(
            "title = \"wall\"\ndofs = [\"x\", \"y\", \"rz\"]\n{nodes}{ties}\
             [[element]]\nname = \"brace\"\ntype = \"bouc-wen\"\nnodes = [\"ground\", \"{first}\"]\ndof = \"x\"\nk = \"400 kN/mm\"\nk2 = \"20 kN/mm\"\n\
             beta = \"800 1/m\"\ngamma = \"800 1/m\"\n\
             [damping]\nrayleigh = {{ a0 = 0.8, a1 = 0.0004 }}\n\
             [[load]]\nname = \"quake\"\ntype = \"ground\"\ndirection = \"x\"\nsignal = {{ type = \"formula\", value = \
             \"if(t > 0, if(t < 0.1, sin(5*pi*t)^2, 1)*(4*sin(2*pi*3.1*t) + 2*sin(2*pi*7.3*t + 1) + sin(2*pi*14.9*t + 2)), 0)\" }}\n\
             [analysis]\nscheme = \"newmark\"\ntangent = \"initial\"\ndt = \"1 ms\"\nduration = \"100 s\"\n\
             [record]\nchannels = [{channels}, \"brace.force\"]\n",
            first = names[0],
            channels = channels.join(", ")
        );
        if specimen {
            text += "[[specimen]]\nname = \"rig\"\nelements = [\"brace\"]\nrate = \"1 kHz\"\nlate = \"extrapolate\"\n";
        }
        if reduce {
            text += &format!("[[reduce]]\nname = \"wall\"\nfrequency = \"25 Hz\"\nkeep = [{}]\n", keep.join(", "));
        }
        text
    }

    /// The file with the wall that it stands for, and some of its inside recorded.
    fn model(&self, specimen: bool, reduce: bool) -> Model {
        let mut model = read_with("wall.toml", &self.text(specimen, reduce), &Overrides::default());
        let (lines, pitch) = (self.cells + 1, SIDE / self.cells as f64);
        let mut places = vec![usize::MAX; lines * lines];
        for level in 0..lines {
            for line in 0..lines {
                let name = Wall::name(level, line);
                let at = [pitch * line as f64, pitch * level as f64, 0.0];
                let place = &mut places[level * lines + line];
                if let Some(known) =
                    (level == self.level).then(|| model.nodes.iter().position(|n| n.name == name)).flatten()
                {
                    model.nodes[known].at = at;
                    *place = known;
                    continue;
                }
                let first = model.dofs.len();
                let support = if level == 0 { Support::Fixed } else { Support::Free };
                for (dof, angle) in [("x", false), ("y", false), ("rz", true)] {
                    let name = format!("{name}.{dof}");
                    model.dofs.push(Dof { name, angle, support: support.clone(), mass: 0.0, u0: 0.0, v0: 0.0 });
                }
                let dofs = ["x", "y", "rz"].iter().enumerate().map(|(i, d)| ((*d).to_owned(), first + i)).collect();
                *place = model.nodes.len();
                model.nodes.push(Node { name, at, dofs });
            }
        }
        let area = THICKNESS * pitch;
        let beam = Beam2d {
            e: MODULUS,
            area,
            i: THICKNESS * pitch.powi(3) / 12.0,
            rho: 0.0,
            release: [false; 2],
            mass: MassKind::Lumped,
        };
        let half = 0.5 * DENSITY * area * pitch;
        let [upright, level] = [[0.0, 1.0], [1.0, 0.0]]
            .map(|[x, y]| beam.matrices([0.0; 2], [x * pitch, y * pitch]).expect("some length").k.concat());
        let mut member = |a: usize, b: usize, stiffness: &Vec<f64>| {
            let dofs: Vec<usize> =
                [a, b].iter().flat_map(|&n| model.nodes[places[n]].dofs.iter().map(|d| d.1)).collect();
            for &d in &dofs {
                let dof = &mut model.dofs[d];
                dof.mass += if dof.angle { half * pitch * pitch / 12.0 } else { half };
            }
            let kind = Kind::Linear { dofs, mass: Vec::new(), damping: Vec::new(), stiffness: stiffness.clone() };
            model.elements.push(Element {
                name: format!("m{}", model.elements.len()),
                type_name: "beam2d".to_owned(),
                kind,
                damped: true,
                given: None,
                s0: Vec::new(),
                written_on: Vec::new(),
                inside: false,
            });
        };
        for row in 1..lines {
            for line in 0..lines {
                member((row - 1) * lines + line, row * lines + line, &upright);
                if line > 0 {
                    member(row * lines + line - 1, row * lines + line, &level);
                }
            }
        }
        for i in 1..=10 {
            let node = &model.nodes[places[(i * self.cells / 10) * lines + i * self.cells / 11]];
            let (_, dof) = node.dofs[0];
            let name = model.dofs[dof].name.clone();
            model.channels.push(Channel { name, quantity: Quantity::Displacement(dof), unit: "m".into(), factor: 1.0 });
        }
        model
    }
}

/// Largest memory of this process so far, GB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1024e-9
}

/// The first rows of channels of a run.
fn rows(simulation: &mut Simulation) -> Result<Vec<Vec<f64>>, String> {
    let mut rows = vec![vec![0.0; simulation.model.channels.len()]; COMPARED];
    for (k, row) in rows.iter_mut().enumerate() {
        advance(simulation, k)?;
        simulation.sample(k as u64 + 1, row).map_err(|f| simulation.explain(f))?;
    }
    Ok(rows)
}

/// Root mean square of the differences of some channels, as a share of that of the largest of them.
fn apart(ours: &[Vec<f64>], whole: &[Vec<f64>], channels: &[usize]) -> f64 {
    let size = |of: &dyn Fn(usize) -> f64| (0..whole.len()).map(|k| of(k).powi(2)).sum::<f64>().sqrt();
    let largest = channels.iter().map(|&c| size(&|k| whole[k][c])).fold(0.0, f64::max);
    channels.iter().map(|&c| size(&|k| ours[k][c] - whole[k][c])).fold(0.0, f64::max) / largest
}

impl Bench {
    pub(crate) fn million(&self) -> Result<Vec<Row>, String> {
        let wall = Wall::new(self.quick());
        let row =
            |what: String, unit, ours, other, bar, note: String| Row { case: CASE, what, unit, ours, other, bar, note };
        let none = || Err(String::new());

        let begin = Instant::now();
        let model = wall.model(false, true);
        let made = begin.elapsed().as_secs_f64();
        let unknowns = model.dofs.iter().filter(|d| matches!(d.support, Support::Free)).count();
        let begin = Instant::now();
        let mut simulation = start(model)?;
        let (reduced_in, held) = (begin.elapsed().as_secs_f64(), memory());
        let told = simulation.model.superelements.first().ok_or("nothing was reduced")?.clone();
        let note = format!(
            "{} kept, {} modes to {:.1} Hz, {} residual vectors; at most {:.2e} of the stiffness and {:.2e} of the forces of loads are lost; made in {made:.1} s",
            told.kept.len(),
            told.modes,
            told.last.unwrap_or(f64::NAN),
            told.generalised.len() - told.modes,
            told.lost,
            told.lost_force.unwrap_or(f64::NAN),
        );
        let limit = |full: f64, quick: f64| Bar::Below(if self.quick() { quick } else { full });
        let mut out = vec![
            row(format!("{unknowns} unknowns: reduction"), "s", reduced_in, none(), limit(600.0, 5.0), note),
            row("memory".to_owned(), "GB", held, none(), limit(16.0, 2.0), String::new()),
        ];

        let ours = rows(&mut simulation)?;
        let mut times = Vec::new();
        for k in COMPARED..COMPARED + 5000 {
            let begin = Instant::now();
            advance(&mut simulation, k)?;
            times.push(1e6 * begin.elapsed().as_secs_f64());
        }
        let solver = simulation.solver(0).map(|s| s.to_string()).unwrap_or_default();
        let step = median(&mut times);
        let note = format!("99.9 %: {:.1} us; {solver}", times[times.len() * 999 / 1000]);
        out.push(row("step, median".to_owned(), "us", step, none(), Bar::Below(50.0), note));

        let model = std::sync::Arc::clone(&simulation.model);
        drop(simulation);
        out.extend(self.by_the_clock(&wall, &model)?);
        drop(model);

        let begin = Instant::now();
        let mut simulation = start(wall.model(false, false))?;
        let set_up = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let whole = rows(&mut simulation)?;
        let seconds = begin.elapsed().as_secs_f64();
        let kinds: [Vec<usize>; 3] = std::array::from_fn(|d| (0..NODES).map(|i| 3 * i + d).collect());
        let interface = kinds.iter().map(|c| apart(&ours, &whole, c)).fold(0.0, f64::max);
        let inside: Vec<usize> = (3 * NODES + 1..ours[0].len()).collect();
        let note = format!(
            "0.2 s of the whole: set up in {set_up:.1} s, {:.0} ms a step; force of the specimen {:.1e} apart",
            1e3 * seconds / COMPARED as f64,
            apart(&ours, &whole, &[3 * NODES])
        );
        out.push(row(
            "interface motion apart from the whole".to_owned(),
            "%",
            100.0 * interface,
            none(),
            Bar::Below(0.5),
            note,
        ));
        out.push(row(
            "motion inside".to_owned(),
            "%",
            100.0 * apart(&ours, &whole, &inside),
            none(),
            Bar::Below(0.1),
            String::new(),
        ));
        Ok(out)
    }

    /// The specimen on a rig of its own at 1 kHz, after a loop that does nothing for as long.
    fn by_the_clock(&self, wall: &Wall, reduced: &Model) -> Result<Vec<Row>, String> {
        let seconds = self.seconds();
        let ticks = 1000 * seconds as u64;
        let schedule = Schedule::new(PERIOD, WhenLate::Skip)?;
        let period = schedule.period_ns();
        let (_, empty) = in_real_time(PRIORITY, move || {
            let mut clock = WallClock::new(schedule, SPIN);
            let mut timing = Timing::new(period);
            for _ in 0..ticks {
                let tick = clock.wait();
                timing.note(&tick, clock.now_ns());
            }
            timing
        })?;
        // The rig belongs to the file; what was reduced stays reduced.
        let with_rig = read_with("wall.toml", &wall.text(true, false), &Overrides::default());
        let model = Model { specimens: with_rig.specimens, ..reduced.clone() };
        let (tell, told) = mpsc::channel();
        let core = core();
        let (rights, done) = in_real_time(PRIORITY - 1, move || {
            let mut simulation = Simulation::in_workshop(model, &mut OnTheWall { tell, core })
                .map_err(|p| p.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("; "))?;
            (0..500 + ticks).try_for_each(|k| simulation.step(k).map_err(|fault| simulation.explain(fault)))
        })?;
        done?;
        let ProgramLog { timing, refused, compute, counts: [samples, _, late] } =
            told.recv().map_err(|_| "the controller told nothing")?;
        let note = format!(
            "{seconds} s, {samples} samples, {late} without a target in time, {} periods missed, the empty loop {}; from a measurement to the next \
             target {}{}{refused}",
            timing.missed,
            empty.missed,
            tails(&compute.summary()),
            missing(&rights)
        );
        let what = "1 kHz by the clock: late steps beyond those of an empty loop".to_owned();
        let beyond = (late + timing.missed) as f64 - empty.missed as f64;
        Ok(vec![Row {
            case: CASE,
            what,
            unit: "",
            ours: beyond.max(0.0),
            other: Err(String::new()),
            bar: Bar::Below(0.5),
            note,
        }])
    }
}
