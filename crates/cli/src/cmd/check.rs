//! `interfield check`: what was understood of a model, before anything is run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield_kernel::Scheme;
use interfield_language::Model;
use interfield_language::model::{Dof, Support};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_structure::modal::Direction;
use interfield_structure::{Modal, Simulation, Structure};
use serde_json::{Value, json};

use interfield_structure::specimen::Rehearsal as AsEmulated;

use crate::Exit;
use crate::drawing::draw_model;
use crate::frames;
use crate::load::{Loaded, ModelArgs, pushed};
use crate::output::{fail, print, print_json};
use interfield::Advised;
use interfield::alternatives::{Alternatives, examine as examine_couplings};
use interfield::files::{has_extension, same};
use interfield::plan::Plan;
use interfield::programs::{Programs, described_json};
use interfield::quantities::{ONE, UNITS};
use interfield::rehearsal::{Rehearsal, fingerprint, look_up};
use interfield::stability::{Unjudged, examine};
use interfield::table::{aligned, short, time, wrapped};

/// Show a model and its test as they will be run: structure, modes, schemes, steps, specimens, limits; and what looks wrong
///
/// One page to read before a run or a test: coupling, sides and schemes with their steps, specimens with their actuators, sensors, rates,
/// compensation and limits, parts that other programs compute. Nothing is run, except for a few milliseconds to see what a step
/// costs. The structure is drawn with names, axes, dimensions, supports, loads and masses; specimens and parts of other programs have
/// colours of their own. Cross-sections with fibres are drawn in a second file, with the numbers of the fibres.
#[derive(ClapArgs, Clone)]
#[command(after_help = "Examples:\n  interfield check models/frame.toml\n  \
interfield check models/isolated-building.toml --stability\n  \
interfield check models/frame.toml --all -o frame.svg\n  \
interfield check models/frame.toml --dt \"20 ms\" --scheme newmark --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Take the model as `interfield pushover` does, not its motion in time
    #[arg(long)]
    pushover: bool,
    /// Draw the structure to this file, FILE.svg or FILE.png [default: interfield-out/MODEL-check.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many modes, from the lowest
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    modes: u32,
    /// Test the stability of the step as `run` uses it: which motion grows, and which steps are stable
    #[arg(long)]
    stability: bool,
    /// Start the programs of `[[external]]` and apply small displacements, to identify stiffnesses that are not given
    #[arg(long)]
    identify: bool,
    /// Show every degree of freedom, and every coupling that can take a divided model
    #[arg(long)]
    all: bool,
    /// Draw the local axes of members
    #[arg(long)]
    axes: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Degrees of freedom that are shown without --all, those that move first.
const SHOWN: usize = 12;
/// How long steps are taken to see what one costs.
const MEASURED: Duration = Duration::from_millis(20);
/// One lap of them: shorter than the slice of time after which another process gets the processor.
const LAP: Duration = Duration::from_millis(1);

pub(crate) fn run(args: &Args) -> Exit {
    let args = &Args { settings: pushed(&args.settings, args.pushover), ..args.clone() };
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let stem = args.model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let default = || Path::new("interfield-out").join(format!("{stem}-check.svg"));
    let picture = args.output.clone().unwrap_or_else(default);
    if same(&picture, &args.model) {
        let message = format!("`{}` is the model file itself", picture.display());
        fail(args.json, None, None, &message, "give the picture another name with --output");
        return Exit::BadInput;
    }
    if !["svg", "png"].iter().any(|kind| has_extension(&picture, kind)) {
        let message = format!("`{}`: unknown type of picture", picture.display());
        fail(args.json, None, None, &message, "write FILE.svg or FILE.png");
        return Exit::BadInput;
    }
    let (mut model, places) = match loaded.model(&args.settings) {
        Ok(found) => found,
        Err(e) => return e,
    };
    let drawn = draw_model(&picture, &model, args.axes).and_then(|()| frames::draw_sections(&picture, &model));
    let sections = match drawn {
        Ok(sections) => sections,
        Err(message) => {
            let help = "give another file with --output, for example --output structure.svg";
            fail(args.json, Some(&picture.display().to_string()), None, &message, help);
            return Exit::Failure;
        }
    };
    let unknown = model.externals.iter().any(|e| e.probe.is_some());
    if unknown && !args.identify {
        return unsettled(&model, &loaded, args, &picture);
    }
    if unknown && let Err(message) = Programs::start(&mut model, loaded.folder(), &picture) {
        fail(args.json, None, None, &message, "see `[[external]]` in the reference");
        return Exit::Fault;
    }
    loaded.remember(&model);
    let Advised { structure: assembled, modal, stability_limit } =
        match loaded.advised_model(model, &places, Some(args.modes as usize)) {
            Ok(found) => found,
            Err(e) => return e,
        };
    // Started once, as `run` would, with the emulated laboratory.
    let masses = masses(&assembled);
    let unknowns = assembled.unknowns().map(str::to_owned).collect();
    let mut sim = match loaded.start(assembled, &places, &mut AsEmulated) {
        Ok(sim) => sim,
        Err(e) => return e,
    };
    let plan = Plan::with_limits(&sim);
    // Before a step is taken.
    let alternatives = examine_couplings(&sim, modal.as_ref().map_err(Clone::clone));
    let cost = cost(&mut sim);
    let found = Findings { sim, plan, masses, unknowns, modal, stability_limit, cost, alternatives, picture, sections };
    let stability = match args.stability.then(|| examine(&loaded, &(&args.settings).into())).transpose() {
        Ok(found) => found,
        Err(Unjudged { why, help }) => {
            let message = format!("the stability of the step cannot be judged: {why}");
            fail(args.json, Some(&args.model.display().to_string()), None, &message, help);
            return Exit::Fault;
        }
    };
    if args.json {
        let mut document = found.json(args.modes as usize);
        document["stability"] = stability.as_ref().map_or(Value::Null, interfield::stability::Findings::json);
        document["warnings"] = loaded.messages().into();
        print_json(&document);
    } else {
        print(&found.text(args.modes as usize, args.all));
        stability.iter().for_each(|found| print(&found.text()));
        if stability.is_some() && !found.sim.model.specimens.is_empty() {
            print(&format!("  {}\n", rehearsed(&loaded, args)));
        }
        match loaded.messages().len() {
            0 => print("\nno warnings\n"),
            _ => loaded.show(),
        }
    }
    if stability.is_some_and(|found| !found.stable()) { Exit::Fault } else { Exit::Done }
}

/// What is known of the rehearsal of a test.
fn rehearsed(loaded: &Loaded, args: &Args) -> String {
    let known = fingerprint(loaded, &(&args.settings).into()).map(|print| look_up(&args.model, &print));
    match known {
        Ok(Rehearsal::Passed) => "rehearsed: ready for the test".to_owned(),
        Ok(Rehearsal::Failed(why)) => format!("rehearsed: not ready: {}", why.join("; ")),
        Ok(Rehearsal::Changed) => "the model has changed since the rehearsal".to_owned(),
        Ok(Rehearsal::Missing) => "not rehearsed yet: `interfield rehearse` checks the whole test".to_owned(),
        Err(why) => format!("the rehearsal could not be checked: {why}"),
    }
}

/// What can be said of a model whose externals have not told their stiffness.
fn unsettled(model: &Model, loaded: &Loaded, args: &Args, picture: &Path) -> Exit {
    if args.json {
        print_json(&json!({
            "title": model.title, "picture": picture.display().to_string(), "externals": described_json(model),
            "setup": Plan::unsettled(model).json(),
            "warnings": loaded.messages(),
        }));
        return Exit::Done;
    }
    let help =
        "modes, frequencies and stability need the stiffness of the external: give --identify to start its program";
    let drawn = format!("drawn in {}", picture.display());
    print(&format!("{}\n  {drawn}\n{}\n{}", model.title, Plan::unsettled(model).text(), wrapped("", help)));
    match loaded.messages().len() {
        0 => print("\nno warnings\n"),
        _ => loaded.show(),
    }
    Exit::Done
}

/// Seconds per step: the median of short laps, because what else runs on the machine makes some of them longer. `None` where the
/// first step fails.
fn cost(sim: &mut Simulation) -> Option<f64> {
    let start = Instant::now();
    let (mut laps, mut done) = (Vec::new(), 0);
    while done < sim.steps() && (laps.is_empty() || start.elapsed() < MEASURED) {
        let (lap, first) = (Instant::now(), done);
        let mut fails = false;
        while !fails && done < sim.steps() && lap.elapsed() < LAP {
            fails = sim.step(done).is_err();
            done += u64::from(!fails);
        }
        if done > first {
            laps.push(lap.elapsed().as_secs_f64() / (done - first) as f64);
        }
        if fails {
            break;
        }
    }
    laps.sort_by(f64::total_cmp);
    laps.get(laps.len() / 2).copied()
}

/// Mass of every degree of freedom, SI: with that of elements where it is free.
fn masses(structure: &Structure) -> Vec<f64> {
    let mut all: Vec<f64> = structure.model.dofs.iter().map(|d| d.mass).collect();
    let (pattern, mass, _) = structure.matrices();
    let free = structure.free().iter().enumerate();
    free.for_each(|(i, &d)| all[d] = pattern.position(i, i).map_or(0.0, |p| mass[p]));
    all
}

/// Everything that is shown.
struct Findings {
    sim: Simulation,
    /// The test as it will be run.
    plan: Plan,
    /// Mass of every degree of freedom, SI.
    masses: Vec<f64>,
    /// Names of the unknowns of the structure in one piece.
    unknowns: Vec<String>,
    modal: Result<Modal, String>,
    /// Largest Ω at which the scheme is stable.
    stability_limit: Option<f64>,
    /// Seconds per step.
    cost: Option<f64>,
    /// The couplings it could have, if it is divided.
    alternatives: Option<Alternatives>,
    picture: PathBuf,
    /// Where the cross-sections are drawn, if there are any with fibres.
    sections: Option<PathBuf>,
}

fn held(dof: &Dof) -> &'static str {
    match dof.support {
        Support::Free => "free",
        Support::Fixed => "fixed",
        Support::Imposed(_) => "imposed",
        Support::Follows(_) => "follows",
    }
}

fn plural(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

impl Findings {
    /// How often each element type occurs, in the order of the file.
    fn types(&self) -> Vec<(&str, usize)> {
        let mut types: Vec<(&str, usize)> = Vec::new();
        for e in &self.sim.model.elements {
            match types.iter_mut().find(|t| t.0 == e.type_name) {
                Some(t) => t.1 += 1,
                None => types.push((&e.type_name, 1)),
            }
        }
        types
    }

    fn text(&self, modes: usize, all: bool) -> String {
        let model = &self.sim.model;
        let mut out = format!("{}\n\n", model.title);
        let types: Vec<String> = self.types().iter().map(|(name, n)| format!("{n} {name}")).collect();
        let count = |word: &str| model.dofs.iter().filter(|d| held(d) == word).count();
        let parts = format!(
            "{}, {} ({})",
            plural(model.nodes.iter().filter(|n| !n.dofs.is_empty()).count(), "node"),
            plural(model.elements.len(), "element"),
            types.join(", ")
        );
        out += &format!(
            "structure\n{}  degrees of freedom: {} free, {} fixed, {} imposed\n  drawn in {}\n",
            wrapped("  ", &parts),
            count("free"),
            count("fixed"),
            count("imposed"),
            self.picture.display()
        );
        if let Some(sections) = &self.sections {
            out += &format!("  cross-sections drawn in {}\n", sections.display());
        }
        out += &frames::text(model);
        out += &self.dof_table(all);
        out += &match &self.modal {
            Ok(modal) => mass_table(modal) + &mode_table(modal, modes, &self.unknowns, self.sim.dt()),
            Err(why) => format!("\nmodes\n  not available: {why}\n"),
        };
        let couplings = self.alternatives.as_ref().map_or_else(String::new, |a| a.text(model, all));
        out + &self.plan.text() + &couplings + &self.cost_text()
    }

    fn dof_table(&self, all: bool) -> String {
        let model = &self.sim.model;
        let units = &model.units;
        let mut dofs: Vec<(&Dof, &f64)> = model.dofs.iter().zip(&self.masses).collect();
        if !all {
            dofs.sort_by_key(|(d, _)| matches!(d.support, Support::Fixed));
            dofs.truncate(SHOWN);
        }
        let rows: Vec<Vec<String>> = dofs
            .into_iter()
            .map(|(d, &m)| {
                let disp = if d.angle { Dimension::NONE } else { Dimension::LENGTH };
                let (u0, v0) = (d.u0 / units.factor(disp), d.v0 / units.factor(disp.per(Dimension::TIME)));
                let mass_unit = if d.angle { "kg*m^2" } else { "kg" };
                let unit = if d.angle { "rad".to_owned() } else { units.label(disp) };
                let rate = format!("{unit}/{}", units.label(Dimension::TIME));
                vec![
                    d.name.clone(),
                    held(d).to_owned(),
                    short(m),
                    mass_unit.to_owned(),
                    short(u0),
                    unit,
                    short(v0),
                    rate,
                ]
            })
            .collect();
        let header = ["name", "<held", "mass", "<", "initial u", "<", "initial v", "<"];
        let mut out = format!("\ndegrees of freedom\n{}", aligned(&header, &rows));
        if rows.len() < model.dofs.len() {
            out += &format!("  ... and {} more (--all shows them)\n", model.dofs.len() - rows.len());
        }
        out
    }

    fn cost_text(&self) -> String {
        let lasts = self.plan.laboratory_time();
        let clock = lasts.map_or_else(String::new, |t| format!("  in real time the test takes {t}\n"));
        match self.cost {
            Some(s) => format!(
                "\ncost\n  {} per step on this machine, about {} for the run\n{clock}",
                time(s),
                time(s * self.sim.steps() as f64)
            ),
            None => format!("\ncost\n  not available: the first step fails\n{clock}"),
        }
    }

    fn json(&self, modes: usize) -> Value {
        let (sim, a) = (&self.sim, &self.sim.model.analysis);
        let units = &sim.model.units;
        let dofs: Vec<Value> = sim.model.dofs.iter().zip(&self.masses).map(|(d, m)| dof_json(d, *m, units)).collect();
        // Of a cut structure each side has a scheme and solvers of its own: see "setup".
        let whole = sim.model.partition.is_none();
        let setup = self.plan.json();
        json!({
            "title": sim.model.title,
            "picture": self.picture.display().to_string(),
            "section_picture": self.sections.as_ref().map(|s| s.display().to_string()),
            "frame": frames::described(&sim.model),
            "nodes": sim.model.nodes.iter().filter(|n| !n.dofs.is_empty())
                .map(|n| json!({ "name": n.name, "at": n.at.map(|x| x / sim.model.units.factor(Dimension::LENGTH)) })).collect::<Vec<_>>(),
            "elements": sim.model.elements.iter()
                .map(|e| json!({ "name": e.name, "type": e.type_name })).collect::<Vec<_>>(),
            "externals": described_json(&sim.model),
            "unknowns": self.unknowns,
            "dofs": dofs,
            "modal": self.modal.as_ref().ok().map(|m| modal_json(m, modes, &self.unknowns, sim)),
            "modal_error": self.modal.as_ref().err(),
            "scheme": whole.then_some(&a.scheme_name),
            "dt": a.dt,
            "duration": a.duration,
            "steps": sim.steps(),
            "force_evaluations_per_step": a.scheme.evaluations().filter(|_| whole),
            "stability_limit": self.stability_limit,
            "factorised_at_each_step": setup["sides"][0]["factorised_at_each_step"].as_bool().filter(|_| whole),
            "solvers": if whole { setup["sides"][0]["solvers"].clone() } else { Value::Null },
            "setup": setup,
            "couplings": self.alternatives.as_ref().map(|a| a.json(&sim.model)),
            "seconds_per_step": self.cost,
            "estimated_seconds": self.cost.map(|c| c * sim.steps() as f64),
            UNITS: {
                "at": sim.model.units.label(Dimension::LENGTH), "dt": "s", "duration": "s", "stability_limit": "s",
                "seconds_per_step": "s", "estimated_seconds": "s",
            },
        })
    }
}

fn mass_table(modal: &Modal) -> String {
    let row = |d: &Direction| {
        let excited = if d.excited { "yes" } else { "no" };
        vec![d.name.clone(), short(d.mass), excited.to_owned()]
    };
    let rows: Vec<Vec<String>> = modal.directions.iter().map(row).collect();
    format!("\nmasses that move\n{}", aligned(&["along", "mass [kg]", "<excited"], &rows))
}

fn mode_table(modal: &Modal, count: usize, unknowns: &[String], dt: f64) -> String {
    let mut header = ["mode", "f [Hz]", "T [s]", "damping [%]"].map(str::to_owned).to_vec();
    header.extend(modal.directions.iter().map(|d| format!("{} [%]", d.name)));
    header.push("<moves most at".to_owned());
    let mut sums = vec![0.0; modal.directions.len()];
    let mut rows = Vec::new();
    for (i, &omega2) in modal.omega2.iter().enumerate().take(count) {
        let frequency = omega2.max(0.0).sqrt() / std::f64::consts::TAU;
        let period = match modal.period(i) {
            Some(t) => short(t),
            None if omega2 < 0.0 => "unstable".to_owned(),
            None => "rigid".to_owned(),
        };
        let damping = modal.ratio(i).map_or_else(|| "-".to_owned(), |z| short(100.0 * z));
        let mut row = vec![(i + 1).to_string(), short(frequency), period, damping];
        for (d, sum) in modal.directions.iter().zip(&mut sums) {
            let share = if d.mass > 0.0 { 100.0 * d.effective[i] / d.mass } else { 0.0 };
            *sum += share;
            row.push(format!("{share:.2}"));
        }
        row.push(modal.moves_most.get(i).and_then(|&u| unknowns.get(u)).cloned().unwrap_or_default());
        rows.push(row);
    }
    let mut last = ["sum", "", "", ""].map(str::to_owned).to_vec();
    last.extend(sums.iter().map(|sum| format!("{sum:.2}")));
    rows.push(last);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let names: Vec<&str> = modal.directions.iter().map(|d| d.name.as_str()).collect();
    let mut out = format!("\nmodes\n{}", aligned(&header, &rows));
    if !names.is_empty() {
        out += &wrapped(
            "  ",
            &format!("{} [%]: effective mass of the mode, in percent of the mass that moves", names.join(", ")),
        );
    }
    if let Some((mode, period)) = modal.last_that_matters().and_then(|m| Some((m, modal.period(m)?))) {
        out += &format!("  mode {} completes 90 % of the mass: {:.0} points per period\n", mode + 1, period / dt);
    }
    out
}

/// A degree of freedom, for JSON.
fn dof_json(d: &Dof, mass: f64, units: &UnitSystem) -> Value {
    let (disp, inertia) =
        if d.angle { (Dimension::NONE, Dimension::INERTIA) } else { (Dimension::LENGTH, Dimension::MASS) };
    let rate = disp.per(Dimension::TIME);
    let label = |dim: Dimension| if d.angle { units.angle_label(dim) } else { units.label(dim) };
    let (one, mass_unit) = units.readable(inertia);
    json!({
        "name": d.name, "held": held(d), "angle": d.angle, "mass": mass / one,
        "u0": d.u0 / units.factor(disp), "v0": d.v0 / units.factor(rate),
        UNITS: { "mass": mass_unit, "u0": label(disp), "v0": label(rate) },
    })
}

fn modal_json(modal: &Modal, count: usize, unknowns: &[String], sim: &Simulation) -> Value {
    let units = &sim.model.units;
    let (mass, unit) = units.readable(Dimension::MASS);
    let dt = sim.dt();
    let modes: Vec<Value> = modal
        .omega2
        .iter()
        .enumerate()
        .take(count)
        .map(|(i, w)| {
            let along = modal.directions.iter().map(|d| {
                let share = if d.mass > 0.0 { d.effective[i] / d.mass } else { 0.0 };
                let numbers =
                    json!({ "participation": d.participation[i], "effective_mass": d.effective[i] / mass, "share": share });
                (d.name.clone(), numbers)
            });
            json!({
                "mode": i + 1, "omega2": w, "frequency": w.max(0.0).sqrt() / std::f64::consts::TAU,
                "period": modal.period(i), "damping_ratio": modal.ratio(i), "moves_most_at": modal.moves_most.get(i).and_then(|&u| unknowns.get(u)),
                "along": along.collect::<serde_json::Map<_, _>>(),
            })
        })
        .collect();
    let last = modal.last_that_matters();
    json!({
        "directions": modal.directions.iter()
            .map(|d| json!({ "name": d.name, "mass": d.mass / mass, "excited": d.excited })).collect::<Vec<_>>(),
        "modes": modes,
        "omega_max": modal.omega_max,
        "omega_max_dt": modal.omega_max * dt,
        "last_mode_that_matters": last.map(|m| m + 1),
        "points_per_period": last.and_then(|m| modal.period(m)).map(|t| t / dt),
        UNITS: {
            "mass": unit, "effective_mass": unit, "participation": "sqrt(kg)", "share": ONE, "omega2": "rad^2/s^2",
            "frequency": "Hz", "period": "s", "damping_ratio": ONE, "omega_max": "rad/s", "omega_max_dt": "rad", "points_per_period": ONE,
        },
    })
}
