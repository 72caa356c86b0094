//! Frames of fibre members for the performance bars, as texts of model files.
//!
//! The two plane frames are those of `peers/opensees_fibre_frames.py`, number for number, so that times and results can be compared.
//! **Must not be here:** clocks, other programs.

use std::fmt::Write;

use crate::frames::ground;

/// How a generated frame is integrated.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The scheme as in a model file: a name or a table.
    pub scheme: &'a str,
    /// How force-based members are computed: `force` or `force-iterated`.
    pub formulation: &'a str,
    /// Step, s.
    pub dt: f64,
    /// Steps.
    pub steps: usize,
}

/// The points of the record are this far apart whatever the step, s.
const SAMPLE: f64 = 0.01;

/// The end of every model: damping, ground motion along x, analysis.
fn finished(mut text: String, run: Run<'_>, [a0, a1]: [f64; 2], scale: f64) -> String {
    let count = (run.steps as f64 * run.dt / SAMPLE) as usize + 3;
    let record = ground(count, SAMPLE);
    let values: Vec<f64> = (0..count).map(|k| scale * record.value(k as f64 * SAMPLE)).collect();
    let times: Vec<f64> = (0..count).map(|k| k as f64 * SAMPLE).collect();
    let Run { scheme, dt, steps, .. } = run;
    let duration = dt * steps as f64;
    write!(
        text,
        "[damping]\nrayleigh = {{ a0 = {a0}, a1 = {a1} }}\n\
         [[load]]\nname = \"quake\"\ntype = \"ground\"\ndirection = \"x\"\n\
         signal = {{ type = \"table\", times = {times:?}, values = {values:?} }}\n\
         [analysis]\nscheme = {scheme}\ndt = {dt}\nduration = {duration}\n"
    )
    .unwrap_or_default();
    text
}

/// A plane frame: columns n0_0-n1_0 ..., beams, equal sway of each floor, masses (t) and gravity (kN) at its nodes.
struct Plane<'a> {
    bays: usize,
    storeys: usize,
    width: f64,
    height: f64,
    column: &'a str,
    beam: &'a str,
    /// Mass of an inner node, t; half of it at the ends of a floor.
    mass: f64,
}

impl Plane<'_> {
    fn write(&self, text: &mut String) {
        let Plane { bays, storeys, width, height, column, beam, mass } = *self;
        let mut say = |words: String| text.push_str(&words);
        for level in 0..=storeys {
            for line in 0..=bays {
                let at = format!("[{:?}, {:?}]", width * line as f64, height * level as f64);
                say(format!("[[node]]\nname = \"n{level}_{line}\"\nat = {at}\n"));
                let share = if line == 0 || line == bays { 0.5 * mass } else { mass };
                say(if level == 0 {
                    "fixed = true\n".to_owned()
                } else {
                    format!("mass = {{ x = {:?}, y = {:?} }}\n", 1e3 * share, 1e3 * share)
                });
                if level > 0 {
                    let force = -9.81e3 * share;
                    say(format!("[[load]]\ntype = \"gravity\"\nat = \"n{level}_{line}.y\"\nforce = {force:?}\n"));
                }
            }
            if level > 0 {
                let follows: Vec<String> = (1..=bays).map(|line| format!("n{level}_{line}")).collect();
                say(format!(
                    "[[constraint]]\ntype = \"equal\"\nleads = \"n{level}_0\"\nfollows = {follows:?}\ndofs = [\"x\"]\n"
                ));
            }
        }
        let mut member = |name: String, from: [usize; 2], to: [usize; 2], words: &str| {
            let nodes = [from, to].map(|[level, line]| format!("n{level}_{line}"));
            say(format!("[[element]]\ntype = \"member\"\nname = \"{name}\"\nnodes = {nodes:?}\n{words}\n"));
        };
        for level in 0..storeys {
            for line in 0..=bays {
                member(format!("c{level}_{line}"), [level, line], [level + 1, line], column);
            }
        }
        for level in 1..=storeys {
            for line in 0..bays {
                member(format!("b{level}_{line}"), [level, line], [level, line + 1], beam);
            }
        }
    }
}

/// Reinforced concrete, 3 bays of 6 m and 10 storeys of 3.2 m: 40 force-based columns of five sections with 40 fibres and P-Delta, elastic
/// beams; 90 unknowns.
pub fn rc_frame(run: Run<'_>) -> String {
    let mut text = String::from(
        r#"dofs = ["x", "y", "rz"]
[[material]]
name = "core"
type = "kent-park"
fc = -36e6
ec0 = -0.003
fcu = -25e6
ecu = -0.02
[[material]]
name = "cover"
type = "kent-park"
fc = -30e6
ec0 = -0.002
fcu = -5e6
ecu = -0.006
[[material]]
name = "steel"
type = "menegotto-pinto"
fy = 420e6
E = 200e9
b = 0.01
R0 = 18
[[cross-section]]
name = "column"
fibres = [
  { shape = "rectangle", material = "core", from = [-0.25, -0.25], to = [0.25, 0.25], divisions = [10, 1] },
  { shape = "rectangle", material = "cover", from = [-0.30, -0.30], to = [-0.25, 0.30], divisions = [6, 1] },
  { shape = "rectangle", material = "cover", from = [0.25, -0.30], to = [0.30, 0.30], divisions = [6, 1] },
  { shape = "rectangle", material = "cover", from = [-0.25, -0.30], to = [0.25, -0.25], divisions = [5, 1] },
  { shape = "rectangle", material = "cover", from = [-0.25, 0.25], to = [0.25, 0.30], divisions = [5, 1] },
  { shape = "line", material = "steel", bars = 3, area = 800e-6, from = [-0.25, -0.25], to = [-0.25, 0.25] },
  { shape = "line", material = "steel", bars = 2, area = 800e-6, from = [0, -0.25], to = [0, 0.25] },
  { shape = "line", material = "steel", bars = 3, area = 800e-6, from = [0.25, -0.25], to = [0.25, 0.25] },
]
[[cross-section]]
name = "beam"
E = 27e9
A = 0.18
Iz = 0.0054
"#,
    );
    let column =
        format!("cross_section = \"column\"\ntransformation = \"p-delta\"\nformulation = \"{}\"", run.formulation);
    let beam = "cross_section = \"beam\"\nformulation = \"displacement\"\nrule = \"legendre\"\npoints = 2";
    Plane { bays: 3, storeys: 10, width: 6.0, height: 3.2, column: &column, beam, mass: 30.0 }.write(&mut text);
    finished(text, run, [0.25, 0.0015], 0.45)
}

/// Steel, 3 bays of 7 m and 5 storeys of 4 m: 35 force-based members of five sections with 10 fibres; 45 unknowns.
pub fn steel_frame(run: Run<'_>) -> String {
    let mut text = String::from("dofs = [\"x\", \"y\", \"rz\"]\n");
    for (name, fy, [d, b, flange, web]) in
        [("column", 345e6, [0.36, 0.37, 0.022, 0.014]), ("beam", 275e6, [0.5, 0.2, 0.016, 0.0102])]
    {
        write!(
            text,
            "[[material]]\nname = \"{name}\"\ntype = \"menegotto-pinto\"\nfy = {fy:?}\nE = 200e9\nb = 0.01\nR0 = 20\n\
             [[cross-section]]\nname = \"{name}\"\nfibres = [\n"
        )
        .unwrap_or_default();
        let (outside, inside) = (0.5 * d, 0.5 * d - flange);
        for (from, to, half, count) in
            [(-outside, -inside, 0.5 * b, 2), (-inside, inside, 0.5 * web, 6), (inside, outside, 0.5 * b, 2)]
        {
            writeln!(
                text,
                "  {{ shape = \"rectangle\", material = \"{name}\", from = [{from:?}, {:?}], to = [{to:?}, {half:?}], divisions = [{count}, 1] }},",
                -half
            )
            .unwrap_or_default();
        }
        text += "]\n";
    }
    let member = |section: &str, transformation: &str| {
        format!(
            "cross_section = \"{section}\"\ntransformation = \"{transformation}\"\nformulation = \"{}\"",
            run.formulation
        )
    };
    let (column, beam) = (member("column", "p-delta"), member("beam", "linear"));
    Plane { bays: 3, storeys: 5, width: 7.0, height: 4.0, column: &column, beam: &beam, mass: 20.0 }.write(&mut text);
    finished(text, run, [0.2, 0.001], 0.7)
}

/// Bays of the [`tower`] along x and y, and its storeys.
const TOWER: [usize; 3] = [4, 3, 40];

/// Reinforced concrete in space, 4 x 3 bays of 6 m and 40 storeys of 3.2 m with rigid floors: 2040 force-based members of three sections
/// with 24 fibres, columns with P-Delta.
pub fn tower(run: Run<'_>) -> String {
    let [bx, by, storeys] = TOWER;
    let mut text = String::from(
        r#"dofs = ["x", "y", "z", "rx", "ry", "rz"]
[[material]]
name = "concrete"
type = "kent-park"
fc = -45e6
ec0 = -0.0025
fcu = -15e6
ecu = -0.01
[[material]]
name = "steel"
type = "menegotto-pinto"
fy = 500e6
E = 200e9
b = 0.01
"#,
    );
    for (name, y, z, torsion) in [("column", 0.5, 0.5, 1.5e9), ("beam", 0.35, 0.2, 1e8)] {
        write!(
            text,
            "[[cross-section]]\nname = \"{name}\"\ntorsion = {torsion:?}\nfibres = [\n\
             {{ shape = \"rectangle\", material = \"concrete\", from = [-{y}, -{z}], to = [{y}, {z}], divisions = [4, 4] }},\n\
             {{ shape = \"line\", material = \"steel\", bars = 4, area = 2e-3, from = [-{0}, -{1}], to = [-{0}, {1}] }},\n\
             {{ shape = \"line\", material = \"steel\", bars = 4, area = 2e-3, from = [{0}, -{1}], to = [{0}, {1}] }},\n]\n",
            0.9 * y,
            0.9 * z
        )
        .unwrap_or_default();
    }
    let name = |[i, j, level]: [usize; 3]| format!("n{level}_{j}_{i}");
    let mass = 25e3;
    let mut members = Vec::new();
    for level in 0..=storeys {
        for (i, j) in (0..=by).flat_map(|j| (0..=bx).map(move |i| (i, j))) {
            let here = [i, j, level];
            let at = [6.0 * i as f64, 6.0 * j as f64, 3.2 * level as f64];
            write!(text, "[[node]]\nname = \"{}\"\nat = {at:?}\n", name(here)).unwrap_or_default();
            if level == 0 {
                text += "fixed = true\n";
                continue;
            }
            write!(
                text,
                "mass = {{ x = {mass}, y = {mass}, z = {mass} }}\n[[load]]\ntype = \"gravity\"\nat = \"{}.z\"\nforce = {}\n",
                name(here),
                -9.81 * mass
            )
            .unwrap_or_default();
            members.push(("column", [i, j, level - 1], here));
            if i > 0 {
                members.push(("beam", [i - 1, j, level], here));
            }
            if j > 0 {
                members.push(("beam", [i, j - 1, level], here));
            }
        }
        if level > 0 {
            let corner = [0, 0, level];
            let others: Vec<String> = (0..=by)
                .flat_map(|j| (0..=bx).map(move |i| [i, j, level]))
                .filter(|place| *place != corner)
                .map(name)
                .collect();
            write!(text, "[[constraint]]\ntype = \"diaphragm\"\nleads = \"{}\"\nfollows = {others:?}\n", name(corner))
                .unwrap_or_default();
        }
    }
    for (number, (section, from, to)) in members.into_iter().enumerate() {
        let (kind, axis) = if section == "column" { ("p-delta", "[1, 0, 0]") } else { ("linear", "[0, 0, 1]") };
        write!(
            text,
            "[[element]]\ntype = \"member\"\nname = \"m{number}\"\nnodes = [\"{}\", \"{}\"]\ncross_section = \"{section}\"\n\
             transformation = \"{kind}\"\nvecxz = {axis}\nformulation = \"{}\"\npoints = 3\n",
            name(from),
            name(to),
            run.formulation
        )
        .unwrap_or_default();
    }
    finished(text, run, [0.05, 0.003], 0.3)
}
