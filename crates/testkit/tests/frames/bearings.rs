//! Bearings: the five regimes of a triple pendulum, tangents, friction and uplift.

use interfield_kernel::frame::bearing::{Bearing, Shear};
use interfield_kernel::frame::part::{At, Part};
use interfield_kernel::frame::slider::{Friction, Slider};
use interfield_kernel::frame::triple::Triple;
use interfield_kernel::uniaxial::material::Material;

use crate::members::Store;

/// An elastic spring.
fn spring(k: f64) -> Material {
    Material::new("elastic", &[k, -1.0, 0.0]).unwrap()
}

fn bearing(space: bool, length: f64, shear: Shear) -> Part {
    let materials = [spring(2e9), spring(5e6), spring(6e6), spring(7e6)];
    Part::Bearing(Bearing { space, length, shear_distance: 0.3, shear, materials })
}

/// A part with its memory; moved to coordinates and rates, it commits if told.
struct Moved {
    part: Part,
    memory: Vec<f64>,
}

impl Moved {
    fn new(part: Part) -> Self {
        let store = Store::default();
        let mut memory = vec![0.0; part.memory(&store.tables())];
        part.start(&store.tables(), &mut memory);
        Moved { part, memory }
    }

    fn to(&mut self, q: &[f64], v: &[f64], commit: bool) -> (Vec<f64>, Vec<f64>) {
        let (store, d) = (Store::default(), self.part.size());
        let (mut next, mut p, mut k) = (self.memory.clone(), vec![0.0; d], vec![0.0; d * d]);
        let at = At { t: 0.0, q, v, calm: 0.0, load: [0.0; 3] };
        self.part.evaluate(&store.tables(), (&self.memory, &mut next), at, &mut p, &mut k);
        if commit {
            self.memory = next;
        }
        (p, k)
    }
}

const R: [f64; 4] = [2.0, 0.4, 0.3, 2.2];
const MU: [f64; 3] = [0.05, 0.02, 0.09];
const D: [f64; 4] = [0.3, 0.03, 0.04, 0.32];

/// Force over weight on the first way out, by the five regimes of Fenz and Constantinou, EESD 37(2), 2008, equations 4 to 21.
fn backbone(u: f64) -> f64 {
    let [r1, r2, r3, r4] = R;
    let [m1, m2, m4] = MU;
    let [d1, _, _, d4] = D;
    let u1 = (m1 - m2) * (r2 + r3);
    let u2 = u1 + (m4 - m1) * (r1 + r3);
    let u3 = u2 + d1 * (1.0 + r4 / r1) - (m4 - m1) * (r1 + r4);
    let u4 = u3 + ((d4 / r4 + m4) - (d1 / r1 + m1)) * (r2 + r4);
    if u < u1 {
        u / (r2 + r3) + m2
    } else if u < u2 {
        (u + m1 * (r1 - r2) + m2 * (r2 + r3)) / (r1 + r3)
    } else if u < u3 {
        (u + m1 * (r1 - r2) + m2 * (r2 + r3) + m4 * (r4 - r3)) / (r1 + r4)
    } else if u < u4 {
        (u - u3) / (r2 + r4) + d1 / r1 + m1
    } else {
        (u - u4) / (r2 + r3) + d4 / r4 + m4
    }
}

#[test]
fn a_triple_pendulum_has_its_five_regimes() {
    let yielding = 1e-7;
    let mut moved = Moved::new(bearing(false, 0.0, Shear::Triple(Triple::new(R, MU, D, (yielding, 1e6)))));
    let (weight, stiffness) = (1e6, 2e9);
    let at = |u: f64| [0.0, 0.0, 0.0, -weight / stiffness, u, 0.0];
    // Out to the end of the travel of the inner surfaces, through all regimes.
    let end = 0.655;
    for i in 1..=655 {
        let u = f64::from(i) * 1e-3;
        let (p, _) = moved.to(&at(u), &[], true);
        assert!((p[4] / weight - backbone(u)).abs() < 2e-6, "{u}: {} and not {}", p[4] / weight, backbone(u));
    }
    // Back: every slider reverses at twice its friction (their equation 22), the inner ones first.
    let top = backbone(end);
    let (p, _) = moved.to(&at(end - 2.0 * MU[1] * (R[1] + R[2]) * 1e-3 - 4.0 * yielding), &[], false);
    assert!((p[4] / weight - (top - 2.0 * MU[1])).abs() < 1e-4, "{} {top}", p[4] / weight);
    // Beyond all travels the stops hold.
    let (p, _) = moved.to(&at(D.iter().sum::<f64>() + 1e-3), &[], false);
    assert!(p[4] / weight > 100.0, "{}", p[4] / weight);
}

#[test]
fn a_triple_pendulum_loses_as_much_energy_along_any_direction() {
    let loop_along = |angle: f64| {
        let mut moved = Moved::new(bearing(true, 0.0, Shear::Triple(Triple::new(R, MU, D, (1e-4, 1e6)))));
        let (mut work, mut last) = (0.0, [0.0; 3]);
        for i in 0..=400 {
            let u = 0.2 * (f64::from(i) * std::f64::consts::TAU / 200.0).sin();
            let (y, z) = (u * angle.cos(), u * angle.sin());
            let mut q = [0.0; 12];
            (q[6], q[7], q[8]) = (-5e-4, y, z);
            let (p, _) = moved.to(&q, &[], true);
            let f = p[7] * angle.cos() + p[8] * angle.sin();
            assert!((p[7] * angle.sin() - p[8] * angle.cos()).abs() < 1e-6 * 1e6, "across");
            work += 0.5 * (f + last[1]) * (u - last[0]);
            last = [u, f, 0.0];
        }
        work
    };
    let one = loop_along(0.0);
    assert!(one > 0.0);
    for angle in [0.4, 1.1, 2.5] {
        assert!((loop_along(angle) / one - 1.0).abs() < 1e-9, "{angle}");
    }
}

#[test]
fn tangents_of_bearings_are_those_of_their_forces() {
    let friction = Friction { slow: 0.03, fast: 0.08, rate: 20.0, drop: 0.02, force: 2e6 };
    let shears = [
        Shear::Elastomeric { stiffness: 1e7, strength: 9e4, linear: 0.1, growing: 0.05, exponent: 2.0 },
        Shear::Slider(Slider { curvature: 0.5, stiffness: 5e7, friction }),
        Shear::Slider(Slider { curvature: 0.0, stiffness: 5e7, friction: Friction::constant(0.06) }),
        Shear::Triple(Triple::new(R, MU, D, (1e-3, 1e6))),
    ];
    for shear in shears {
        for space in [false, true] {
            let mut moved = Moved::new(bearing(space, 0.2, shear));
            let (d, half) = (moved.part.size(), moved.part.size() / 2);
            let at = |s: f64| {
                let mut q: Vec<f64> = (0..d).map(|i| 1e-3 * s * ((3 * i + 1) as f64).sin()).collect();
                (q[0], q[half], q[half + 1]) = (0.0, -5e-4, 0.06 * s);
                q
            };
            let v: Vec<f64> = (0..d).map(|i| 0.1 * ((i + 2) as f64).cos()).collect();
            moved.to(&at(0.7), &v, true);
            // On the way out (sliding), and a little back (holding on).
            for share in [1.0, 0.6995] {
                let (q, flat) = (at(share), matches!(shear, Shear::Slider(s) if s.curvature == 0.0));
                let k = moved.to(&q, &v, false).1;
                let largest = k.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                for j in 0..d {
                    let h = 1e-8;
                    let side = |sign: f64| {
                        let mut q = q.clone();
                        q[j] += sign * h;
                        let mut moved = Moved { part: moved.part, memory: moved.memory.clone() };
                        moved.to(&q, &v, false).0
                    };
                    let (up, down) = (side(1.0), side(-1.0));
                    for i in 0..d {
                        let slope = (up[i] - down[i]) / (2.0 * h);
                        // The radius of a sphere along one axis changes with the displacement along the other: left out, and small.
                        let tolerance = if space && !flat { 2e-4 } else { 2e-6 };
                        let wrong = (k[i * d + j] - slope).abs() / largest;
                        assert!(wrong < tolerance, "{shear:?} space {space} {share}: {i} {j} {} {slope}", k[i * d + j]);
                    }
                }
            }
        }
    }
}

#[test]
fn bearings_that_slide_carry_nothing_where_they_lift_off() {
    let slider = Slider { curvature: 0.5, stiffness: 5e7, friction: Friction::constant(0.06) };
    for shear in [Shear::Slider(slider), Shear::Triple(Triple::new(R, MU, D, (1e-3, 1e6)))] {
        let mut moved = Moved::new(bearing(false, 0.0, shear));
        let at = |axial: f64, u: f64| [0.0, 0.0, 0.0, axial, u, 0.0];
        assert!(moved.to(&at(-5e-4, 0.1), &[], true).0[4] > 0.0);
        let lifted = moved.to(&at(1e-4, 0.15), &[], true);
        assert_eq!(lifted.0[4], 0.0);
        assert_eq!(lifted.1[4 * 6 + 4], 0.0);
        // Landed at the same place it holds on there, and carries what the sphere gives.
        let landed = moved.to(&at(-5e-4, 0.15), &[], true).0[4];
        let sphere = match shear {
            // The slope of the sphere adds to the pressure.
            Shear::Slider(s) => 1e6 * s.curvature * 0.15 / (1.0 - (s.curvature * 0.15).powi(2)),
            _ => landed,
        };
        assert!((landed - sphere).abs() < 1e-6 * 1e6 && landed > 0.0, "{landed} {sphere}");
    }
}
