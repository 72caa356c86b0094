//! What the commands say about a partitioned run: its substructures, and how well they held together.

use interfield_coupling::quality::Energy;
use interfield_kernel::Archive;
use interfield_language::partition::Partition;
use interfield_language::units::Dimension;
use interfield_motion::LongSignal;
use interfield_structure::Simulation;
use serde_json::{Value, json};

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

/// Settings for the result file.
pub fn settings(partition: &Partition) -> Vec<(String, String)> {
    let one = |s: &interfield_language::partition::Substructure| {
        let side = if s.fine { "fine" } else { "coarse" };
        (
            format!("substructure {}", s.name),
            format!("{side}, {}, {} substeps, {:?}", s.scheme_name, s.substeps, s.scheme),
        )
    };
    let coupling = ("coupling".to_owned(), format!("{}: {:?}", partition.coupling.info.name, partition.coupling));
    std::iter::once(coupling).chain(partition.substructures.iter().map(one)).collect()
}

/// How well the substructures held together, cut by cut: header and rows.
pub fn table(parts: &Simulation) -> (Vec<String>, Vec<Vec<String>>) {
    let header =
        ["cut", "unit", "largest", "gap", "drift per s", "gap of v", "force", "unit ", "link, coarse", "link, fine"];
    let units = &parts.model.units;
    let quality = parts.quality().unwrap_or_default();
    let row = |(c, q): (&interfield_structure::split::Constraint, &interfield_coupling::quality::RowQuality)| {
        let dof = &parts.model.dofs[c.dof];
        let disp = if dof.angle { Dimension::NONE } else { Dimension::LENGTH };
        let force = Dimension::MOMENT.per(disp);
        let unit = if dof.angle { "rad".to_owned() } else { units.label(disp) };
        let u = |x: f64| short(x / units.factor(disp));
        let v = |x: f64| short(x / units.factor(disp.per(Dimension::TIME)));
        vec![
            dof.name.clone(),
            unit,
            u(q.displacement),
            u(q.gap_u),
            v(q.drift),
            v(q.gap_v),
            short(q.force / units.factor(force)),
            units.label(force),
            u(q.link[0]),
            u(q.link[1]),
        ]
    };
    let rows = parts.interface.iter().zip(&quality.rows).map(row).collect();
    (header.map(str::to_owned).to_vec(), rows)
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
    let percent = if q.through_work > 0.0 { 100.0 * q.net_work / q.through_work } else { 0.0 };
    let mut out = format!(
        "  the cuts gave {} J to the structure, {} % of the {} J that went through them\n",
        short(q.net_work),
        short(percent),
        short(q.through_work)
    );
    let line = |name: &str, e: &Energy, unit: &str| {
        format!(
            "  {name} energy {} {unit} at the start, {} at most, {} at the end\n",
            short(e.start),
            short(e.max),
            short(e.end)
        )
    };
    // Of meaning only where the tangents are the springs.
    if !parts.is_linear() {
        return out;
    }
    out += &line("mechanical", &q.mechanical, "J");
    if q.pseudo.end.is_finite() {
        out += &line("pseudo-", &q.pseudo, "W/s");
    }
    out
}

/// Everything, in SI, for JSON.
pub fn json(parts: &Simulation, listener: &Listener) -> Value {
    let Some(partition) = &parts.model.partition else { return Value::Null };
    let quality = parts.quality().unwrap_or_default();
    let finite = |x: f64| x.is_finite().then_some(x);
    let energy = |e: &Energy| json!({ "start": finite(e.start), "max": finite(e.max), "end": finite(e.end) });
    json!({
        "method": partition.coupling.info.name,
        "parallel": partition.coupling.info.parallel,
        "substructures": partition.substructures.iter().enumerate().map(|(i, s)| json!({
            "name": s.name, "unknowns": parts.unknowns(i).len(), "side": if s.fine { "fine" } else { "coarse" },
            "scheme": s.scheme_name, "substeps": s.substeps,
        })).collect::<Vec<_>>(),
        "cuts": parts.interface.iter().zip(&quality.rows).enumerate().map(|(row, (c, q))| json!({
            "dof": parts.model.dofs[c.dof].name,
            "between": [parts.part(c.plus.0).name, parts.part(c.minus.0).name],
            "displacement": q.displacement, "gap_u": q.gap_u, "gap_u_halves": q.gap_halves, "gap_v": q.gap_v,
            "gap_a": finite(q.gap_a), "drift": q.drift, "force": q.force,
            "link_coarse": q.link[0], "link_fine": q.link[1],
            "force_spectrum_peaks": listener.peaks(row, parts.model.analysis.dt).iter()
                .map(|(f, a)| json!({ "frequency": f, "amplitude": a })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "net_work": quality.net_work,
        "through_work": quality.through_work,
        "mechanical_energy": energy(&quality.mechanical),
        "pseudo_energy": energy(&quality.pseudo),
    })
}
