//! Bars between nodes that move along one axis: the problems of localized multipliers (book: problems 1.5),
//! in pieces, held together pair by pair, or whole.

use interfield_coupling::{Assembly, Imposed, Localized, Port, Ranks, Substructure};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Domain, StepMap};
use interfield_structure::{Assembled, assemble};

use crate::run::read;

/// A bar with a mass at each end.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Nodes; `None` is the ground, where a mass means nothing.
    pub ends: [Option<usize>; 2],
    /// Masses at the ends.
    pub masses: [f64; 2],
    /// The element as in a model file, without its nodes; its deformation is u₁ - u₂.
    pub law: String,
}

impl Bar {
    /// A bar between nodes.
    pub fn new(ends: [usize; 2], masses: [f64; 2], law: String) -> Self {
        Bar { ends: ends.map(Some), masses, law }
    }

    /// Nodes that move.
    fn nodes(&self) -> Vec<usize> {
        self.ends.iter().flatten().copied().collect()
    }
}

/// A bar, and which of its ends.
pub type End = (usize, usize);

/// Linear spring and damper.
pub fn spring(k: f64, c: f64) -> String {
    format!("type = \"spring\", k = {k:?}, c = {c:?}")
}

/// Cubic spring.
pub fn cubic(k: f64, k3: f64) -> String {
    format!("type = \"cubic\", k = {k:?}, k3 = {k3:?}")
}

/// Bouc-Wen spring with n = 1, states [force, work].
pub fn bouc_wen(a: f64, beta: f64, gamma: f64) -> String {
    let rate = format!("({a:?} - ({beta:?}*sign(r*v) + {gamma:?})*abs(r))*v");
    format!("type = \"formula\", force = \"r\", states = {{ r = \"{rate}\", w = \"r*v\" }}")
}

/// Bars and the start of their nodes.
#[derive(Clone, Debug)]
pub struct Truss {
    /// The bars.
    pub bars: Vec<Bar>,
    /// Initial displacement and velocity of each node.
    pub start: Vec<[f64; 2]>,
}

/// Assembled at rest, where the tangents are taken, then moved to `start`.
fn system(text: &str, start: &[[f64; 2]]) -> (Assembled, Vec<f64>) {
    let assembled = assemble(&read(text)).unwrap_or_else(|problems| panic!("{}", problems[0].message));
    let mut y0 = assembled.y0;
    for (i, [u, v]) in start.iter().enumerate() {
        (y0[i], y0[start.len() + i]) = (*u, *v);
    }
    (assembled.system, y0)
}

fn text(nodes: &[(usize, f64)], bars: &[&Bar]) -> String {
    let node = |(i, m): &(usize, f64)| format!("{{ name = \"n{i}\", mass = {m:?} }}");
    let name = |end: Option<usize>| end.map_or("ground".to_owned(), |n| format!("n{n}"));
    let element = |(i, bar): (usize, &&Bar)| {
        let [first, second] = bar.ends.map(name);
        format!("{{ name = \"b{i}\", nodes = [\"{second}\", \"{first}\"], dof = \"x\", {} }}", bar.law)
    };
    let nodes: Vec<String> = nodes.iter().map(node).collect();
    let elements: Vec<String> = bars.iter().enumerate().map(element).collect();
    format!(
        "title = \"bars\"\ndofs = [\"x\"]\nnode = [\n{}\n]\nelement = [\n{}\n]\n[analysis]\nscheme = \"trapezoidal\"\n\
         dt = 0.01\nduration = 1\ntangent = \"initial\"\n",
        nodes.join(",\n"),
        elements.join(",\n")
    )
}

impl Truss {
    /// Bars in a row between the nodes 0, 1, 2, ...
    pub fn row(bars: &[([f64; 2], String)], start: &[[f64; 2]]) -> Self {
        let bar = |(i, (masses, law)): (usize, &([f64; 2], String))| Bar::new([i, i + 1], *masses, law.clone());
        Truss { bars: bars.iter().enumerate().map(bar).collect(), start: start.to_vec() }
    }

    /// The bars as substructures, nothing holding them together.
    ///
    /// # Panics
    /// If a model is wrong.
    pub fn pieces(&self, scheme: AnyScheme, dt: f64) -> Assembly<Assembled> {
        let piece = |bar: &Bar| {
            let ends = bar.ends.iter().zip(bar.masses);
            let nodes: Vec<(usize, f64)> = ends.filter_map(|(end, m)| end.map(|n| (n, m))).collect();
            let start: Vec<[f64; 2]> = nodes.iter().map(|n| self.start[n.0]).collect();
            let (system, y0) = system(&text(&nodes, &[bar]), &start);
            Substructure { system, y0, scheme, substeps: 1, fine: false, ports: Vec::new() }
        };
        Assembly { substructures: self.bars.iter().map(piece).collect(), rows: 0, dt, ranks: Ranks::default() }
    }

    /// The interface of localized multipliers: every node of every bar is tied.
    pub fn interface(&self, imposed: Vec<Imposed>) -> Localized {
        let ties = self.bars.iter().map(|bar| bar.nodes().into_iter().enumerate().collect()).collect();
        Localized { ties, dofs: self.start.len(), imposed }
    }

    /// The bars as substructures, held together by these pairs of ends.
    ///
    /// # Panics
    /// If a model is wrong.
    pub fn pairs(&self, scheme: AnyScheme, dt: f64, pairs: &[(End, End)]) -> Assembly<Assembled> {
        let mut assembly = self.pieces(scheme, dt);
        assembly.rows = pairs.len();
        for (row, (plus, minus)) in pairs.iter().enumerate() {
            for ((bar, end), sign) in [(plus, 1.0), (minus, -1.0)] {
                // An end on the ground is no unknown.
                let dof = self.bars[*bar].ends[..*end].iter().flatten().count();
                assembly.substructures[*bar].ports.push(Port { row, dof, sign });
            }
        }
        assembly
    }

    /// The structure in one piece, nodes 0, 1, 2, ...
    ///
    /// # Panics
    /// If the model is wrong or cannot be started.
    pub fn whole(&self, scheme: AnyScheme, dt: f64) -> impl StepMap {
        let mut masses: Vec<(usize, f64)> = (0..self.start.len()).map(|i| (i, 0.0)).collect();
        for bar in &self.bars {
            for (end, m) in bar.ends.iter().zip(bar.masses) {
                end.iter().for_each(|n| masses[*n].1 += m);
            }
        }
        let (system, y0) = system(&text(&masses, &self.bars.iter().collect::<Vec<_>>()), &self.start);
        let (state, scratch) = Domain::<AnyScheme, Assembled, Vec<f64>>::memory(&scheme, &system);
        let mut x = y0;
        x.resize(state, 0.0);
        Domain::new(scheme, system, dt, x, vec![0.0; scratch]).unwrap_or_else(|fault| panic!("{fault:?}"))
    }
}

/// A node that does not move.
pub fn held(dof: usize) -> Imposed {
    Imposed { dof, rate: Box::new(|_| [0.0, 0.0]) }
}

/// Two springs in series between held nodes (paper 004, eq. 10), the middle from u = v = 1.
pub fn eq10(asymmetric: bool) -> Truss {
    let (first, second) = if asymmetric {
        (([0.5, 0.8], spring(0.1, 0.0)), ([0.2, 0.5], spring(0.9, 0.0)))
    } else {
        (([0.5, 0.5], spring(0.5, 0.0)), ([0.5, 0.5], spring(0.5, 0.0)))
    };
    Truss::row(&[first, second], &[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
}

/// A linear and a cubic spring in series between held nodes.
pub fn duffing(k3: f64) -> Truss {
    let halves = [0.5, 0.5];
    Truss::row(&[(halves, spring(0.5, 0.0)), (halves, cubic(1.0, k3))], &[[0.0, 0.0], [0.5, 1.0], [0.0, 0.0]])
}

/// A linear and a Bouc-Wen spring in series between held nodes.
pub fn hysteretic() -> Truss {
    let halves = [0.5, 0.5];
    Truss::row(&[(halves, spring(1.0, 0.05)), (halves, bouc_wen(2.0, 3.0, 1.0))], &[[0.0; 2], [0.0, 1.0], [0.0; 2]])
}
