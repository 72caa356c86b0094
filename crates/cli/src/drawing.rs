//! Pictures in files, and a model as points and lines for one, with what moves them.

use std::path::Path;

use interfield::files::{has_extension, write};
use interfield::table::short;
use interfield_lab::controller::Control;
use interfield_lab::kinematics::Lever;
use interfield_language::Model;
use interfield_language::model::{Dof, Kind, Load as ModelLoad, Node as ModelNode, Support, short_name};
use interfield_language::units::Dimension;
use interfield_report::Figure;
use interfield_report::structure::{
    Acts, Hold, Holds, Instrument, Kind as LineKind, Line, Load, Node, Place, Role, Structure,
};
use interfield_structure::carried::axes_of;

/// Dots per inch of pictures, unless given.
pub(crate) const DPI: f64 = 192.0;

/// Draws a figure into a file: as PNG with so many dots per inch if it is called so, else as SVG.
pub(crate) fn draw(path: &Path, figure: &Figure, dpi: f64) -> Result<(), String> {
    if has_extension(path, "png") { write(path, figure.png(dpi)) } else { write(path, figure.svg()) }
}

/// Length of the arm at which the turning of a pendulum is drawn, m.
const ARM: f64 = 1.0;

/// What moves a node: a degree of freedom of the model, and the displacement and rotation for a unit of it.
pub(crate) type Moves = Vec<(usize, [f64; 6])>;

/// The nodes of a model that are drawn: the ground has no degrees of freedom, and links to it end at a support.
fn drawn(model: &Model) -> impl Iterator<Item = &ModelNode> {
    model.nodes.iter().filter(|n| !n.dofs.is_empty())
}

/// Names of the degrees of freedom along and about the axes.
const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The axis along which (0 to 2) or about which (3 to 5) a degree of freedom of this name moves.
fn axis(name: &str) -> Option<usize> {
    AXES.iter().position(|d| *d == name)
}

/// It only turns, and grows longer at most: a pendulum.
fn swings(model: &Model, node: &ModelNode) -> bool {
    let known = node.dofs.iter().any(|(n, _)| axis(n).is_some());
    !known && node.dofs.iter().any(|(_, d)| model.dofs[*d].angle)
}

/// Draws a model with all that is known of it: as PNG if the file is called so, else as SVG.
pub(crate) fn draw_model(path: &Path, model: &Model, axes: bool) -> Result<(), String> {
    let unit = model.units.label(Dimension::LENGTH);
    let mut structure = structure(model);
    if axes {
        structure.lines.iter_mut().for_each(|line| line.axes = local_axes(model, &line.name));
    }
    let sheet = structure.sheet(&model.title, (&unit, 1.0 / model.units.factor(Dimension::LENGTH)));
    if has_extension(path, "png") { write(path, sheet.png(DPI)) } else { write(path, sheet.svg()) }
}

/// Local y and z axes of a member of a frame.
fn local_axes(model: &Model, name: &str) -> Option<[[f64; 3]; 2]> {
    let element = model.elements.iter().find(|e| e.name == name)?;
    match &element.kind {
        Kind::Frame { frame, coordinates } if frame.part.member().is_some() => {
            let [_, y, z] = axes_of(model, coordinates);
            Some([y, z])
        }
        _ => None,
    }
}

/// The structure of a model.
pub(crate) fn structure(model: &Model) -> Structure {
    let mut node_of = vec![None; model.dofs.len()];
    for (i, node) in drawn(model).enumerate() {
        node.dofs.iter().for_each(|(_, d)| node_of[*d] = Some(i));
    }
    let parts = model.specimens.iter().map(|s| (Place::Specimen, s.name.clone()));
    let parts = parts.chain(model.externals.iter().map(|e| (Place::External, e.name.clone()))).collect();
    let lines = (0..model.elements.len()).flat_map(|e| lines(model, e, &node_of)).collect();
    let rigid = rigid(model, &node_of);
    let load = |(load, name): (&ModelLoad, &String)| {
        let (node, short) = match load {
            ModelLoad::Ground { direction, .. } => (None, direction.as_str()),
            ModelLoad::Force { dof, .. } => (Some(node_of[*dof]?), short_name(&model.dofs[*dof].name)),
        };
        Some(Load { name: name.clone(), node, axis: axis(short).unwrap_or(0) })
    };
    let loads = model.loads.iter().zip(&model.load_names).filter_map(load).collect();
    let instruments = instruments(model, &node_of);
    Structure { nodes: drawn(model).map(|n| node(model, n)).collect(), lines, loads, parts, instruments, rigid }
}

/// What moves and measures the specimens of a model. The sensors of an actuator are drawn with it.
fn instruments(model: &Model, node_of: &[Option<usize>]) -> Vec<Instrument> {
    let mut all = Vec::new();
    for specimen in &model.specimens {
        let columns: Vec<usize> = (0..specimen.columns()).filter_map(|i| specimen.column(i)).collect();
        let mut add = |name: &str, role: Role, lever: &Lever, holds: String| {
            // A number alone is no name, and with several specimens a name alone may not be enough.
            let whose = model.specimens.len() > 1 || name.parse::<usize>().is_ok();
            let name = if whose { format!("{} {name}", specimen.name) } else { name.to_owned() };
            let acts = acts(model, lever, &columns, node_of);
            all.push(Instrument { name, role, holds, acts });
        };
        for actuator in &specimen.actuators {
            let (unit, factor) = actuator.unit(Dimension::FORCE, &model.units);
            let load = actuator.loading.as_ref().filter(|l| l.control == Control::Force);
            let holds = load.map_or_else(String::new, |l| format!("{} {unit}", short(l.load / factor)));
            add(&actuator.name, Role::Actuator, &actuator.lever, holds);
        }
        specimen.further_transducers().for_each(|t| add(&t.name, Role::Transducer, &t.lever, String::new()));
        specimen.further_load_cells().for_each(|c| add(&c.name, Role::LoadCell, &c.lever, String::new()));
    }
    all
}

/// On which nodes an instrument acts, and how.
fn acts(model: &Model, lever: &Lever, dofs: &[usize], node_of: &[Option<usize>]) -> Vec<(usize, Acts)> {
    match lever {
        Lever::Strut(strut) => {
            let moved = strut.translations.iter().chain(&strut.rotations).flatten().next();
            let node = moved.and_then(|&i| node_of[*dofs.get(i)?]);
            let acts = Acts::Strut { anchor: strut.anchor, attachment: strut.attachment };
            node.map(|node| (node, acts)).into_iter().collect()
        }
        Lever::Linear(factors) => {
            let mut sums: Vec<(usize, [f64; 3], [f64; 3])> = Vec::new();
            for (factor, &dof) in factors.iter().zip(dofs).filter(|(f, _)| **f != 0.0) {
                let Some(node) = node_of[dof] else { continue };
                let found = sums.iter().position(|s| s.0 == node).unwrap_or_else(|| {
                    sums.push((node, [0.0; 3], [0.0; 3]));
                    sums.len() - 1
                });
                let (_, moves, turns) = &mut sums[found];
                match along(&model.dofs[dof]) {
                    axis @ 0..3 => moves[axis] += factor,
                    axis => turns[axis - 3] += factor,
                }
            }
            sums.into_iter().map(|(node, moves, turns)| (node, Acts::Sum { moves, turns })).collect()
        }
    }
}

/// The axis along which or about which a degree of freedom is drawn: a coordinate of another name to the right.
fn along(dof: &Dof) -> usize {
    axis(short_name(&dof.name)).unwrap_or(if dof.angle { 4 } else { 0 })
}

fn node(model: &Model, node: &ModelNode) -> Node {
    let mut held = Holds::default();
    let mut masses: Vec<f64> = Vec::new();
    for (_, d) in &node.dofs {
        let dof = &model.dofs[*d];
        let hold = match dof.support {
            Support::Free | Support::Follows(_) => Hold::Free,
            Support::Fixed => Hold::Fixed,
            Support::Imposed(_) => Hold::Imposed,
        };
        match along(dof) {
            a @ 0..3 => held.moves[a] = hold,
            a => held.turns[a - 3] = hold,
        }
        if !dof.angle && dof.mass > 0.0 && !masses.contains(&dof.mass) {
            masses.push(dof.mass);
        }
    }
    // Where the units of a model make one that nobody reads, such as kN*s^2/mm, kg.
    let label = model.units.label(Dimension::MASS);
    let read = label.chars().all(char::is_alphabetic);
    let (label, factor) = if read { (label.as_str(), model.units.factor(Dimension::MASS)) } else { ("kg", 1.0) };
    let mass = |m: &f64| short(m / factor);
    let mass = match &masses[..] {
        [] => String::new(),
        // Masses that differ by direction are told in their order.
        masses => format!("{} {label}", masses.iter().map(mass).collect::<Vec<_>>().join(" / ")),
    };
    Node { name: node.name.clone(), at: node.at, held, swings: swings(model, node), mass }
}

/// What is drawn of an element: a line from each of its nodes to the next, or to the ground. One over several storeys, such as
/// the weight on them (P-delta), so runs along them and does not hide how they stand.
fn lines(model: &Model, number: usize, node_of: &[Option<usize>]) -> Vec<Line> {
    let element = &model.elements[number];
    if model.superelements.iter().any(|s| s.elements.contains(&number)) {
        // What is inside is drawn as it stands.
        return Vec::new();
    }
    let (dofs, grounded): (Vec<usize>, bool) = match &element.kind {
        Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Frame { coordinates, .. } => {
            (coordinates.iter().flatten().map(|c| c.0).collect(), true)
        }
        // Matrices on one node resist its motion against the ground, if they are more than a mass.
        Kind::Linear { dofs, stiffness, damping, .. } => {
            (dofs.clone(), stiffness.iter().chain(damping).any(|k| *k != 0.0))
        }
        // A controller connects nothing that could be seen.
        Kind::Block { .. } => return Vec::new(),
    };
    // An element on a rigid floor is drawn where it stands.
    let dofs = if element.written_on.is_empty() { dofs } else { element.written_on.clone() };
    let mut nodes: Vec<usize> = Vec::new();
    for node in dofs.iter().filter_map(|d| node_of[*d]) {
        if !nodes.contains(&node) {
            nodes.push(node);
        }
    }
    let specimen = model.specimens.iter().position(|s| s.elements.contains(&number));
    let external = model.externals.iter().position(|e| e.element == number);
    let kind = match (element.type_name.as_str(), &element.kind) {
        (name, _) if name.starts_with("beam") || name == "member" => LineKind::Member,
        ("damper", _) => LineKind::Damper,
        (_, Kind::Linear { .. }) => LineKind::Link,
        _ => LineKind::Spring,
    };
    let axes: Vec<Option<usize>> = dofs.iter().map(|d| axis(short_name(&model.dofs[*d].name))).collect();
    let line = |from: usize, to: Option<usize>| Line {
        name: element.name.clone(),
        from,
        to,
        kind,
        axis: axes.first().copied().flatten().filter(|a| axes.iter().all(|b| *b == Some(*a))),
        hinges: if kind == LineKind::Member { hinges(&element.kind, &dofs, model) } else { [false; 2] },
        part: specimen.or_else(|| external.map(|e| model.specimens.len() + e)),
        axes: None,
    };
    match nodes[..] {
        [] => Vec::new(),
        [from] if grounded => vec![line(from, None)],
        _ => nodes.windows(2).map(|pair| line(pair[0], Some(pair[1]))).collect(),
    }
}

/// Nodes that lead, and those that move with them by a lever arm.
fn rigid(model: &Model, node_of: &[Option<usize>]) -> Vec<[usize; 2]> {
    let mut links = Vec::new();
    for (d, dof) in model.dofs.iter().enumerate() {
        // The inside of a superelement follows many, by no lever arm.
        if let Support::Follows(terms) = &dof.support
            && !terms.iter().any(|t| model.is_generalised(t.0))
            && let (Some(leads), Some(follows)) = (terms.first().and_then(|t| node_of[t.0]), node_of[d])
            && !links.contains(&[leads, follows])
        {
            links.push([leads, follows]);
        }
    }
    links
}

/// Ends of a member that do not turn with their nodes: their rotations have no stiffness left.
fn hinges(kind: &Kind, dofs: &[usize], model: &Model) -> [bool; 2] {
    if let Kind::Frame { frame, .. } = kind {
        let released = frame.part.member().map_or([false; 6], |m| m.released);
        return match dofs.len() {
            // Both bending moments of an end, in space.
            7.. => [released[1] && released[3], released[2] && released[4]],
            _ => [released[1], released[2]],
        };
    }
    let Kind::Linear { dofs, stiffness, .. } = kind else { return [false; 2] };
    let n = dofs.len();
    let turns = |end: usize| (end * n / 2..(end + 1) * n / 2).filter(|&i| model.dofs[dofs[i]].angle);
    [0, 1].map(|end| turns(end).all(|i| stiffness[i * n..(i + 1) * n].iter().all(|k| *k == 0.0)))
}

/// What moves each node of the structure of a model; a pendulum also moves with the node it hangs on.
pub(crate) fn moves(model: &Model, structure: &Structure) -> Vec<Moves> {
    let unit = |axis: usize, by: f64| std::array::from_fn(|a| if a == axis { by } else { 0.0 });
    let own: Vec<Moves> = drawn(model)
        .map(|node| {
            let swings = swings(model, node);
            let along = |name: &str, angle: bool| match (axis(name), angle) {
                (Some(axis), _) => Some(unit(axis, 1.0)),
                (None, true) => swings.then(|| unit(0, ARM)),
                // A pendulum that grows longer goes down; any other coordinate is drawn to the right.
                (None, false) => Some(if swings { unit(2, -1.0) } else { unit(0, 1.0) }),
            };
            let terms = |(name, d): &(String, usize)| {
                let shape = along(name, model.dofs[*d].angle)?;
                // What follows moves with what it follows.
                let scaled = move |(d, factor): (usize, f64)| (d, shape.map(|x: f64| factor * x));
                Some(model.resolved(&[(*d, 1.0)]).into_iter().map(scaled))
            };
            node.dofs.iter().filter_map(terms).flatten().collect()
        })
        .collect();
    let carried = |i: usize| structure.nodes[i].swings.then(|| structure.carrier(i)).flatten();
    (0..own.len())
        .map(|i| carried(i).map_or_else(|| own[i].clone(), |c| [own[c].clone(), own[i].clone()].concat()))
        .collect()
}
