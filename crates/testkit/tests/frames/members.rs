//! Sections driven along recorded strains, and cantilevers pushed to and fro.

use interfield_kernel::frame::fibres::Program;
use interfield_kernel::frame::member::{Formulation, Member};
use interfield_kernel::frame::rule::{Hinges, Rule};
use interfield_kernel::frame::section::Section;
use interfield_kernel::frame::transformation::{Plane, Transformation};
use interfield_kernel::frame::{Group, Tables};
use interfield_kernel::uniaxial::combined::Library;
use interfield_testkit::golden::golden;
use serde_json::Value;

use crate::materials::{material, numbers};

/// Sections and fibres of a model, as whoever assembles holds them.
#[derive(Default)]
pub(crate) struct Store {
    sections: Vec<Section>,
    groups: Vec<Group>,
    y: Vec<f64>,
    z: Vec<f64>,
    area: Vec<f64>,
}

impl Store {
    pub(crate) fn tables(&self) -> Tables<'_> {
        Tables {
            library: Library::default(),
            sections: &self.sections,
            groups: &self.groups,
            resultants: &[],
            y: &self.y,
            z: &self.z,
            area: &self.area,
            program: Program::default(),
        }
    }

    pub(crate) fn add(&mut self, section: &Value, materials: &Value) {
        let f = |v: &Value| v.as_f64().unwrap_or(0.0);
        if section["type"] != "fiber" {
            let e = f(&section["E"]);
            let stiffness = [
                e * f(&section["A"]),
                e * f(&section["Iz"]),
                e * f(&section["Iy"]),
                f(&section["G"]) * f(&section["J"]),
            ];
            self.sections.push(Section::Elastic(stiffness));
            return;
        }
        let fibres = section["fibers_of_all"].as_array().unwrap();
        let total: f64 = fibres.iter().map(|x| f(&x[2])).sum();
        let centroid = |axis: usize| fibres.iter().map(|x| f(&x[2]) * f(&x[axis])).sum::<f64>() / total;
        let (y0, z0) = (centroid(0), centroid(1));
        let first = self.groups.len();
        for m in materials.as_array().unwrap() {
            let mine: Vec<_> = fibres.iter().filter(|x| x[3] == m["tag"]).collect();
            if !mine.is_empty() {
                self.groups.push(Group { material: material(m), first: self.y.len(), count: mine.len() });
            }
            for x in mine {
                self.y.push(f(&x[0]) - y0);
                self.z.push(f(&x[1]) - z0);
                self.area.push(f(&x[2]));
            }
        }
        self.sections.push(Section::Fibres { first, count: self.groups.len() - first, torsion: f(&section["GJ"]) });
    }
}

pub(crate) fn close(what: &str, got: &[f64], expected: &[f64], tolerance: f64) {
    let peak = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let worst = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("{what}: {:.1e}", worst / peak);
    assert!(worst <= tolerance * peak, "{what}: {worst} of {peak}");
}

#[test]
fn sections_give_the_recorded_forces() {
    for file in ["frames/section_2d", "frames/section_3d"] {
        for case in golden(file)["cases"].as_array().unwrap() {
            let mut store = Store::default();
            store.add(&case["section"], &case["materials"]);
            let tables = store.tables();
            let section = store.sections[0];
            let mut h = vec![0.0; section.history(&tables)];
            section.start(&tables, &mut h);
            let (eps, kz) = (numbers(case, "eps"), numbers(case, "kz"));
            let ky = case["ky"].as_array().map(|_| numbers(case, "ky"));
            // The axial force comes first, in ten steps, at no curvature.
            let axial = case["axial"].as_f64().unwrap();
            let step = |h: &mut Vec<f64>, e: [f64; 4]| {
                let old = h.clone();
                section.evaluate::<4>(&tables, (&old, h), &e, 0.0)
            };
            let mut start = 0.0;
            for i in 1..=10 {
                for _ in 0..60 {
                    let mut trial = h.clone();
                    let (s, k) = step(&mut trial, [start, 0.0, 0.0, 0.0]);
                    start -= (s[0] - axial * f64::from(i) / 10.0) / k[0][0];
                }
                step(&mut h, [start, 0.0, 0.0, 0.0]);
            }
            let mut forces = [const { Vec::new() }; 3];
            for i in 0..kz.len() {
                let (s, _) = step(&mut h, [eps[i], kz[i], ky.as_ref().map_or(0.0, |k| k[i]), 0.0]);
                (0..3).for_each(|j| forces[j].push(s[j]));
            }
            let what = format!("{} {}", case["label"], case["path"]);
            close(&what, &forces[1], &numbers(case, "Mz"), 1e-9);
            if ky.is_some() {
                close(&what, &forces[2], &numbers(case, "My"), 1e-9);
            }
        }
    }
}

/// A column of members in line, clamped at its foot, with the dofs (x, y, rz) of its nodes.
struct Column {
    store: Store,
    members: Vec<(Member, Transformation)>,
    memory: Vec<Vec<f64>>,
    trial: Vec<Vec<f64>>,
    height: f64,
}

impl Column {
    fn new(model: &Value) -> Self {
        let mut store = Store::default();
        for s in model["sections"].as_array().unwrap() {
            store.add(s, &model["materials"]);
        }
        let elements = model["elements"].as_array().unwrap();
        let height = 3.0 / elements.len() as f64;
        let kind = match model["transforms"][0]["type"].as_str().unwrap() {
            "Linear" => Transformation::Linear,
            "PDelta" => Transformation::PDelta,
            _ => Transformation::Corotational,
        };
        let tag = |t: &Value| model["sections"].as_array().unwrap().iter().position(|s| s["tag"] == *t).unwrap();
        let members: Vec<_> = elements
            .iter()
            .map(|e| {
                let i = &e["integration"];
                let n = i["n"].as_u64().unwrap_or(0) as usize;
                let rule = match i["type"].as_str().unwrap() {
                    "Lobatto" => Rule::lobatto(n, tag(&i["section"])).unwrap(),
                    "Legendre" => Rule::legendre(n, tag(&i["section"])).unwrap(),
                    _ => Rule::hinges(
                        Hinges::Radau,
                        [i["lp_i"].as_f64().unwrap() / height, i["lp_j"].as_f64().unwrap() / height],
                        [tag(&i["section_i"]), tag(&i["section_interior"]), tag(&i["section_j"])],
                    ),
                };
                let formulation = match e["type"].as_str().unwrap() {
                    "disp-beam" => Formulation::Displacement,
                    _ => Formulation::ForceIterated { tolerance: 1e-14, passes: 50 },
                };
                (Member { length: height, rule, formulation, sheared: false, released: [false; 6] }, kind)
            })
            .collect();
        let tables = store.tables();
        let memory: Vec<Vec<f64>> = members
            .iter()
            .map(|(m, _)| {
                let mut memory = vec![0.0; m.memory::<2, 3>(&tables)];
                m.start::<2, 3>(&tables, &mut memory);
                memory
            })
            .collect();
        Column { members, trial: memory.clone(), memory, height, store }
    }

    /// Forces and tangent in the axes (x across, y up) of all nodes.
    fn forces(&mut self, u: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let n = u.len();
        let (mut p, mut k) = (vec![0.0; n], vec![vec![0.0; n]; n]);
        for (i, (m, kind)) in self.members.iter().enumerate() {
            // Local x is up, local y is to the left.
            let dof = [3 * i + 1, 3 * i, 3 * i + 2, 3 * i + 4, 3 * i + 3, 3 * i + 5];
            let sign = [1.0, -1.0, 1.0, 1.0, -1.0, 1.0];
            let local: [f64; 6] = std::array::from_fn(|j| sign[j] * u[dof[j]]);
            let plane = Plane::new(*kind, self.height, &local);
            let tables = self.store.tables();
            let basic =
                m.evaluate::<2, 3, f64>(&tables, (&self.memory[i], &mut self.trial[i]), &plane.v, (0.0, &[0.0; 3]));
            let (pe, ke) = plane.ends(&basic);
            for a in 0..6 {
                p[dof[a]] += sign[a] * pe[a];
                for b in 0..6 {
                    k[dof[a]][dof[b]] += sign[a] * sign[b] * ke[a][b];
                }
            }
        }
        (p, k)
    }

    /// Newton on the free dofs; the imposed one moves with the first solution. Returns the forces of all.
    fn balance(&mut self, u: &mut [f64], load: &[f64], fixed: &[usize], mut imposed: Option<(usize, f64)>) -> Vec<f64> {
        let free: Vec<usize> = (0..u.len()).filter(|i| !fixed.contains(i)).collect();
        for _ in 0..200 {
            let (p, k) = self.forces(u);
            let mut b: Vec<f64> = free.iter().map(|&i| load[i] - p[i]).collect();
            if let Some((dof, to)) = imposed.take() {
                free.iter().zip(&mut b).for_each(|(&i, b)| *b -= k[i][dof] * (to - u[dof]));
                u[dof] = to;
            } else if b.iter().all(|x| x.abs() < 1e-6) {
                self.memory.clone_from(&self.trial);
                return p;
            }
            if std::env::var_os("SHOW").is_some() {
                println!("{u:?} {b:?}");
            }
            let mut a: Vec<Vec<f64>> = free.iter().map(|&i| free.iter().map(|&j| k[i][j]).collect()).collect();
            solve(&mut a, &mut b);
            free.iter().zip(&b).for_each(|(&i, x)| u[i] += x);
        }
        panic!("no balance at {u:?}");
    }
}

pub(crate) fn solve(a: &mut [Vec<f64>], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
}

#[test]
fn plane_cantilevers_follow_the_recorded_cycles() {
    for file in ["frames/element_cantilever_2d", "frames/element_hinge_radau"] {
        for case in golden(file)["cases"].as_array().unwrap() {
            let mut column = Column::new(&case["model"]);
            let n = 3 * (column.members.len() + 1);
            let (mut u, mut load) = (vec![0.0; n], vec![0.0; n]);
            let axial = case["axial"].as_f64().unwrap();
            for i in 1..=10 {
                load[n - 2] = -axial * f64::from(i) / 10.0;
                column.balance(&mut u, &load, &[0, 1, 2], None);
            }
            let [mut rx, mut m, mut uy, mut rot] = [const { Vec::new() }; 4];
            for &tip in &numbers(case, "tip_ux") {
                let p = column.balance(&mut u, &load, &[0, 1, 2, n - 3], Some((n - 3, tip)));
                rx.push(p[0]);
                m.push(p[2]);
                uy.push(u[n - 2]);
                rot.push(u[n - 1]);
            }
            let results = &case["results"];
            let label = &case["label"];
            close(&format!("{label} Rx"), &rx, &numbers(results, "Rx"), 1e-6);
            close(&format!("{label} M"), &m, &numbers(results, "M"), 1e-6);
            close(&format!("{label} uy"), &uy, &numbers(results, "uy"), 1e-7);
            close(&format!("{label} rot"), &rot, &numbers(results, "rot"), 1e-7);
        }
    }
}
