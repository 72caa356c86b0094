//! One part between a clamped node and one that is loaded and led: space cantilevers, bearings, trusses.

use interfield_kernel::frame::bearing::{Bearing, Shear};
use interfield_kernel::frame::member::{Formulation, Member};
use interfield_kernel::frame::part::{At, Part};
use interfield_kernel::frame::rule::Rule;
use interfield_kernel::frame::slider::{Friction, Slider};
use interfield_kernel::frame::transformation::Transformation;
use interfield_testkit::golden::golden;
use serde_json::Value;

use crate::materials::{material, numbers};
use crate::members::{Store, close, solve};

/// A part whose second end moves; coordinates are local, the second half of them.
struct Tip {
    store: Store,
    part: Part,
    memory: Vec<f64>,
    next: Vec<f64>,
    u: Vec<f64>,
}

impl Tip {
    fn new(store: Store, part: Part) -> Self {
        let tables = store.tables();
        let mut memory = vec![0.0; part.memory(&tables)];
        part.start(&tables, &mut memory);
        Tip { next: memory.clone(), memory, u: vec![0.0; part.size()], part, store }
    }

    fn forces(&mut self) -> (Vec<f64>, Vec<f64>) {
        let d = self.part.size();
        let (mut p, mut k) = (vec![0.0; d], vec![0.0; d * d]);
        let at = At { t: 0.0, q: &self.u, v: &[], calm: 0.0, load: [0.0; 3] };
        self.part.evaluate(&self.store.tables(), (&self.memory, &mut self.next), at, &mut p, &mut k);
        (p, k)
    }

    /// Newton on the free coordinates of the tip; those that are led move with the first solution. Forces of all.
    fn balance(&mut self, free: &[usize], load: &[f64], led: &[(usize, f64)]) -> Vec<f64> {
        let d = self.part.size();
        let mut led = led.to_vec();
        for _ in 0..200 {
            let (p, k) = self.forces();
            let mut b: Vec<f64> = free.iter().map(|&i| load[i] - p[i]).collect();
            let moving = !led.is_empty();
            for (dof, to) in led.drain(..) {
                free.iter().zip(&mut b).for_each(|(&i, b)| *b -= k[i * d + dof] * (to - self.u[dof]));
                self.u[dof] = to;
            }
            if !moving && b.iter().all(|x| x.abs() < 1e-6) {
                self.memory.clone_from(&self.next);
                return p;
            }
            let mut a: Vec<Vec<f64>> = free.iter().map(|&i| free.iter().map(|&j| k[i * d + j]).collect()).collect();
            solve(&mut a, &mut b);
            free.iter().zip(&b).for_each(|(&i, x)| self.u[i] += x);
        }
        panic!("no balance");
    }

    /// Brings the axial load in ten steps.
    fn press(&mut self, free: &[usize], axial: usize, force: f64) -> Vec<f64> {
        let mut load = vec![0.0; self.part.size()];
        for i in 1..=10 {
            load[axial] = -force * f64::from(i) / 10.0;
            self.balance(free, &load, &[]);
        }
        load
    }
}

#[test]
fn space_cantilevers_follow_the_recorded_cycles() {
    for case in golden("frames/element_cantilever_3d")["cases"].as_array().unwrap() {
        let mut store = Store::default();
        store.add(&case["model"]["sections"][0], &case["model"]["materials"]);
        let kind = match case["model"]["transforms"][0]["type"].as_str().unwrap() {
            "Linear" => Transformation::Linear,
            "PDelta" => Transformation::PDelta,
            _ => Transformation::Corotational,
        };
        let formulation = Formulation::ForceIterated { tolerance: 1e-14, passes: 50 };
        let member = Member {
            length: 3.0,
            rule: Rule::lobatto(5, 0).unwrap(),
            formulation,
            sheared: false,
            released: [false; 6],
        };
        // Local x is global z, y is x, z is y.
        let mut tip = Tip::new(store, Part::Space(member, kind));
        let load = tip.press(&[6, 7, 8, 9, 10, 11], 6, case["axial"].as_f64().unwrap());
        let (ux, uy) = (numbers(case, "tip_ux"), numbers(case, "tip_uy"));
        let mut rows = [const { Vec::new() }; 6];
        for i in 0..ux.len() {
            let p = tip.balance(&[6, 9, 10, 11], &load, &[(7, ux[i]), (8, uy[i])]);
            for (row, x) in rows.iter_mut().zip([p[1], p[2], p[4], p[5], p[3], tip.u[6]]) {
                row.push(x);
            }
        }
        let tolerance = if kind == Transformation::Corotational { 1e-5 } else { 1e-6 };
        for (row, name) in rows.iter().zip(["Rx", "Ry", "Mx", "My", "Mz", "uz"]) {
            if name != "Mz" || kind == Transformation::Corotational {
                close(&format!("{} {name}", case["label"]), row, &numbers(&case["results"], name), tolerance);
            }
        }
    }
}

/// The bearing of a golden file; local x is up.
fn bearing(model: &Value) -> Bearing {
    let e = &model["elements"][0];
    let f = |key: &str| e[key].as_f64().unwrap();
    let space = model["ndm"] == 3;
    let law = |key: &str| {
        let tag = if e["mats"][key].is_null() { &e["mats"]["P"] } else { &e["mats"][key] };
        material(model["materials"].as_array().unwrap().iter().find(|m| m["tag"] == *tag).unwrap())
    };
    let top = model["nodes"][1]["xyz"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    let shear = match e["type"].as_str().unwrap() {
        "elastomeric-bearing" => Shear::Elastomeric {
            stiffness: f("kInit"),
            strength: f("qd"),
            linear: f("alpha1"),
            growing: f("alpha2"),
            exponent: f("mu"),
        },
        _ => Shear::Slider(Slider {
            curvature: 1.0 / f("Reff"),
            stiffness: f("kInit"),
            friction: Friction::constant(model["friction"][0]["mu"].as_f64().unwrap()),
        }),
    };
    Bearing { space, length: top, shear_distance: 0.5, shear, materials: [law("P"), law("T"), law("My"), law("Mz")] }
}

#[test]
fn bearings_shear_as_recorded() {
    for case in golden("frames/bearing_static")["cases"].as_array().unwrap() {
        let bearing = bearing(&case["model"]);
        let pendulum = matches!(bearing.shear, Shear::Slider(_));
        let (space, half) = (bearing.space, bearing.size() / 2);
        let mut tip = Tip::new(Store::default(), Part::Bearing(bearing));
        let p = case["P"].as_f64().unwrap();
        let axial = half;
        let load = tip.press(&[axial], axial, p);
        let ux = numbers(case, "ux");
        let uy = space.then(|| numbers(case, "uy"));
        let mut rows = [const { Vec::new() }; 5];
        for i in 0..ux.len() {
            // Plane: local y is to the left. Space: local y is global x, local z global y.
            let led = match &uy {
                None => vec![(half + 1, -ux[i])],
                Some(uy) => vec![(half + 1, ux[i]), (half + 2, uy[i])],
            };
            let p = tip.balance(&[axial], &load, &led);
            let values = match space {
                false => [-p[1], p[0], p[2], p[5], tip.u[axial]],
                true => [p[1], p[2], p[0], p[4], p[5]],
            };
            rows.iter_mut().zip(values).for_each(|(row, x)| row.push(x));
        }
        let names = if space { ["Rx1", "Ry1", "Rz1", "Mx1", "My1"] } else { ["Rx1", "Ry1", "Mz1", "Mz2", "uy2"] };
        for (row, name) in rows.iter().zip(names) {
            let expected = numbers(&case["results"], name);
            if expected.iter().all(|x| *x == 0.0) {
                continue;
            }
            let tolerance = if pendulum { 1e-7 } else { 1e-8 };
            close(&format!("{} {name}", case["label"]), row, &expected, tolerance);
        }
    }
}

#[test]
fn a_two_bar_arch_snaps_as_recorded() {
    for case in golden("frames/element_truss")["cases"].as_array().unwrap() {
        let law = material(&case["model"]["materials"][0]);
        let length = 2.0f64.hypot(0.3);
        let (c, s) = (2.0 / length, 0.3 / length);
        let turning = case["label"] == "corot-truss";
        let part = match turning {
            true => Part::Truss { material: law, area: 1e-3, length, size: 2 },
            false => Part::Spring { material: law, area: 1e-3, length },
        };
        let mut tip = Tip::new(Store::default(), part);
        let mut force = Vec::new();
        for v in numbers(case, "apex_uy") {
            tip.u = if turning { vec![s * v, c * v] } else { vec![s * v] };
            let (p, _) = tip.forces();
            force.push(2.0 * if turning { s * p[0] + c * p[1] } else { s * p[0] });
        }
        close(&format!("{}", case["label"]), &force, &numbers(&case["results"], "force_uy"), 1e-9);
    }
}
