//! What the commands say about a partitioned run: its substructures, and how well they held together.

use interfield_coupling::quality::{Energy, RowQuality};
use interfield_kernel::Archive;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::partition::{Constraints, Partition};
use interfield_language::units::Dimension;
use interfield_motion::LongSignal;
use interfield_results::Setting;
use interfield_structure::Simulation;
use serde_json::{Value, json};

use crate::quantities::{Quantities, number};
use crate::table::{aligned, short};

/// Cuts whose force is listened to.
const HEARD: usize = 16;
/// Peaks of a spectrum that are told.
const PEAKS: usize = 5;
/// More than a signal remembers.
const MOST_MEANS: usize = 1 << 24;

/// Listens to the forces through the cuts, for their spectra: a frequency that is none of the structure's is the
/// coupling's own.
pub struct Listener(Vec<LongSignal>);

impl Listener {
    /// For the cuts of a partitioned run.
    pub fn new(parts: &Simulation) -> Self {
        Self(parts.interface.iter().take(HEARD).map(|_| LongSignal::default()).collect())
    }

    /// Everything heard so far.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        for signal in &mut self.0 {
            let (means, block, sum, filled) = signal.memory();
            let mut length = means.len();
            archive.whole(&mut length);
            means.resize(length.min(MOST_MEANS), 0.0);
            archive.numbers(means);
            archive.whole(block);
            archive.number(sum);
            archive.whole(filled);
        }
    }

    /// Looks at the forces; never allocates.
    pub fn push(&mut self, parts: &Simulation) {
        self.0.iter_mut().enumerate().for_each(|(row, signal)| signal.push(parts.interface_force(row)));
    }

    /// The highest peaks of the Fourier amplitudes of cut `row`: frequencies in Hz, amplitudes in N s.
    fn peaks(&self, row: usize, dt: f64) -> Vec<(f64, f64)> {
        let lines = self.0.get(row).and_then(|signal| signal.fourier(dt).ok()).unwrap_or_default();
        let top = |w: &&[(f64, f64)]| w[1].1 > w[0].1 && w[1].1 >= w[2].1;
        let mut peaks: Vec<(f64, f64)> = lines.windows(3).filter(top).map(|w| w[1]).collect();
        peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
        peaks.truncate(PEAKS);
        peaks
    }
}

/// Coefficients of a scheme: `alpha_m 0.3333, beta 0.44, ...`, to their last digit.
pub fn coefficients(scheme: &AnyScheme) -> String {
    let mut list = Vec::new();
    scheme.coefficients(|name, x| list.push(format!("{name} {x}")));
    list.join(", ")
}

/// Settings for the result file.
pub fn settings(partition: &Partition) -> Vec<(String, Setting)> {
    let sided = partition.coupling.info.sided;
    let one = |s: &interfield_language::partition::Substructure| {
        let side = match (sided, s.fine) {
            (false, _) => "",
            (true, true) => "fine side, ",
            (true, false) => "coarse side, ",
        };
        let substeps = if s.substeps == 1 { String::new() } else { format!(", {} substeps", s.substeps) };
        let coefficients = coefficients(&s.scheme);
        let coefficients = if coefficients.is_empty() { coefficients } else { format!(" ({coefficients})") };
        let text = format!("{side}scheme {}{coefficients}{substeps}", s.scheme_name);
        (format!("substructure {}", s.name), text.into())
    };
    let coupling = &partition.coupling;
    let options: String = coupling.method.numbers().iter().map(|(name, x)| format!(", {name} {x}")).collect();
    let constraints = match coupling.constraints {
        Constraints::Tree => "",
        Constraints::AllPairs => ", constraints all-pairs",
    };
    let text = format!("{}{options}{constraints}", coupling.info.name);
    std::iter::once(("coupling".to_owned(), text.into())).chain(partition.substructures.iter().map(one)).collect()
}

/// Units of what is told of a cut: of displacement, its rate and force, each with its size in SI.
struct Told {
    moved: (String, f64),
    rate: (String, f64),
    acceleration: (String, f64),
    force: (String, f64),
}

impl Told {
    fn of(parts: &Simulation, dof: usize) -> Self {
        let units = &parts.model.units;
        let angle = parts.model.dofs[dof].angle;
        let disp = if angle { Dimension::NONE } else { Dimension::LENGTH };
        let motion = |derivative: f64| {
            let dim = disp.per(Dimension::TIME.power(derivative));
            (if angle { units.angle_label(dim) } else { units.label(dim) }, units.factor(dim))
        };
        let force = Dimension::MOMENT.per(disp);
        let force = (units.label(force), units.factor(force));
        Told { moved: motion(0.0), rate: motion(1.0), acceleration: motion(2.0), force }
    }
}

/// How well the substructures held together, cut by cut: header and rows. Units stand in the header where all cuts have the same,
/// else at the numbers.
pub fn table(parts: &Simulation) -> (Vec<String>, Vec<Vec<String>>) {
    let quality = parts.quality().unwrap_or_default();
    let told: Vec<Told> = parts.interface.iter().map(|c| Told::of(parts, c.dof)).collect();
    let alike = told.windows(2).all(|w| w[0].moved == w[1].moved);
    let unit = |of: fn(&Told) -> &(String, f64)| match told.first().filter(|_| alike) {
        Some(told) => format!(" [{}]", of(told).0),
        None => String::new(),
    };
    let (moved, rate, force) = (unit(|t| &t.moved), unit(|t| &t.rate), unit(|t| &t.force));
    let columns = [
        ("largest", &moved),
        ("gap", &moved),
        ("drift of the gap", &rate),
        ("gap of velocity", &rate),
        ("force", &force),
        ("link, coarse", &moved),
        ("link, fine", &moved),
    ];
    let header = columns.map(|(name, unit)| format!("{name}{unit}"));
    let row = |((c, q), t): ((&interfield_structure::split::Constraint, &RowQuality), &Told)| {
        let number = |x: f64, (label, unit): &(String, f64)| match alike {
            true => short(x / unit),
            false => format!("{} {label}", short(x / unit)),
        };
        vec![
            parts.model.dofs[c.dof].name.clone(),
            number(q.displacement, &t.moved),
            number(q.gap_u, &t.moved),
            number(q.drift, &t.rate),
            number(q.gap_v, &t.rate),
            number(q.force, &t.force),
            number(q.link[0], &t.moved),
            number(q.link[1], &t.moved),
        ]
    };
    let rows = parts.interface.iter().zip(&quality.rows).zip(&told).map(row).collect();
    (std::iter::once("cut".to_owned()).chain(header).collect(), rows)
}

/// The same as text, with the energies.
pub fn text(parts: &Simulation) -> String {
    if parts.model.partition.is_none() {
        return String::new();
    }
    let (header, rows) = table(parts);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    format!("\n{}{}", aligned(&header, &rows), energies(parts))
}

/// Energies in two lines.
pub fn energies(parts: &Simulation) -> String {
    let q = parts.quality().unwrap_or_default();
    let units = &parts.model.units;
    let (unit, joule) = (units.label(Dimension::MOMENT), units.factor(Dimension::MOMENT));
    let percent = if q.through_work > 0.0 { 100.0 * q.net_work / q.through_work } else { 0.0 };
    let mut out = format!(
        "  the interfaces added {} {unit} to the structure, {} % of the {} {unit} transferred\n",
        short(q.net_work / joule),
        short(percent),
        short(q.through_work / joule)
    );
    let line = |name: &str, e: &Energy, (unit, size): (&str, f64)| {
        format!(
            "  {name} energy {} {unit} at the start, {} {unit} at most, {} {unit} at the end\n",
            short(e.start / size),
            short(e.max / size),
            short(e.end / size)
        )
    };
    // Of meaning only where the tangents are the springs.
    if !parts.is_linear() {
        return out;
    }
    out += &line("mechanical", &q.mechanical, (&unit, joule));
    if q.pseudo.end.is_finite() {
        out += &line("pseudo-", &q.pseudo, (&units.label(PSEUDO), units.factor(PSEUDO)));
    }
    out
}

/// Dimension of the pseudo-energy: of velocities and accelerations in the place of displacements and velocities.
const PSEUDO: Dimension = Dimension::new(1.0, 2.0, -4.0);

/// Everything, see [`crate::quantities`].
pub fn json(parts: &Simulation, listener: &Listener) -> Value {
    let Some(partition) = &parts.model.partition else { return Value::Null };
    let units = &parts.model.units;
    let quality = parts.quality().unwrap_or_default();
    let energy = |e: &Energy, dim: Dimension| {
        let told = |object: Quantities, (name, x): (&str, f64)| object.si(name, x, dim, units);
        [("start", e.start), ("max", e.max), ("end", e.end)].into_iter().fold(Quantities::default(), told).object()
    };
    let cut = |(row, (c, q)): (usize, (&interfield_structure::split::Constraint, &RowQuality))| {
        let told = Told::of(parts, c.dof);
        let amplitude = format!("{}*{}", told.force.0, units.label(Dimension::TIME));
        let peak = |(f, a): &(f64, f64)| {
            let a = a / told.force.1 / units.factor(Dimension::TIME);
            Quantities::default().quantity("frequency", *f, "Hz").quantity("amplitude", a, &amplitude).object()
        };
        let add = |object: Quantities, (name, x, (label, unit)): (&str, f64, &(String, f64))| {
            object.quantity(name, number(x / unit), label)
        };
        let quantities = [
            ("displacement", q.displacement, &told.moved),
            ("gap_u", q.gap_u, &told.moved),
            ("gap_v", q.gap_v, &told.rate),
            ("gap_a", q.gap_a, &told.acceleration),
            ("drift", q.drift, &told.rate),
            ("force", q.force, &told.force),
            ("link_coarse", q.link[0], &told.moved),
            ("link_fine", q.link[1], &told.moved),
        ];
        let peaks = listener.peaks(row, parts.model.analysis.dt);
        let head = Quantities::default()
            .with("dof", parts.model.dofs[c.dof].name.as_str())
            .with("between", json!([parts.part(c.plus.0).name, parts.part(c.minus.0).name]))
            .quantity("gap_u_halves", json!(q.gap_halves.map(|x| x / told.moved.1)), &told.moved.0)
            .with("force_spectrum_peaks", peaks.iter().map(peak).collect::<Vec<_>>());
        quantities.into_iter().fold(head, add).object()
    };
    let part = |(i, s): (usize, &interfield_language::partition::Substructure)| {
        json!({
            "name": s.name, "unknowns": parts.unknowns(i).len(), "side": if s.fine { "fine" } else { "coarse" },
            "scheme": s.scheme_name, "substeps": s.substeps,
        })
    };
    Quantities::default()
        .with("method", partition.coupling.info.name)
        .with("parallel", partition.coupling.info.parallel)
        .with("substructures", partition.substructures.iter().enumerate().map(part).collect::<Vec<_>>())
        .with("cuts", parts.interface.iter().zip(&quality.rows).enumerate().map(cut).collect::<Vec<_>>())
        .si("net_work", quality.net_work, Dimension::MOMENT, units)
        .si("through_work", quality.through_work, Dimension::MOMENT, units)
        .with("mechanical_energy", energy(&quality.mechanical, Dimension::MOMENT))
        .with("pseudo_energy", energy(&quality.pseudo, PSEUDO))
        .object()
}
