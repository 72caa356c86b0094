//! Batteries over the registry of laws.

use interfield_kernel::Dual;
use interfield_kernel::element::catalogue::{OWN, catalogue};
use interfield_kernel::element::info::Coordinates;
use interfield_kernel::element::{AnyLaw, Element, LAWS};

use crate::samples::{SAMPLES, Sample};
use crate::tools::{Blocks, Point, assert_close, for_each_law, outputs, points, solve, widths};

#[test]
fn catalogue_entries_are_consistent() {
    let mut names: Vec<_> = catalogue().map(|x| x.name).collect();
    assert_eq!(names.len(), LAWS.len() + OWN.len());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), LAWS.len() + OWN.len(), "two elements share a name");
    for info in catalogue() {
        assert!(!info.title.is_empty() && !info.reference.is_empty() && !info.equations.is_empty(), "{}", info.name);
        let mut optional = false;
        for parameter in info.parameters {
            assert!(!parameter.doc.is_empty());
            if let Some(default) = parameter.default {
                assert!(parameter.range.contains(default), "{}.{}", info.name, parameter.name);
                optional = true;
            } else {
                assert!(!optional, "{}.{}: required after optional", info.name, parameter.name);
            }
            let unit = parameter.unit;
            if unit.force_n != 0.0 || unit.disp_n != 0.0 || unit.time_n != 0.0 {
                assert!(info.parameters.iter().any(|x| x.name == "n"), "{}.{}", info.name, parameter.name);
            }
        }
    }
    for_each_law(|sample, law| {
        let info = law.info();
        assert_eq!(info.name, sample.law);
        assert_eq!(info.states.len(), law.size().1);
        match info.coordinates {
            Coordinates::Difference => assert_eq!(law.size().0, 1),
            Coordinates::Listed(list) => assert_eq!(law.size().0, list.len()),
            Coordinates::Own => panic!("{}: a law of the registry has fixed coordinates", info.name),
        }
        assert_eq!(info.parameters.len(), sample.parameters.len());
        for (parameter, value) in info.parameters.iter().zip(sample.parameters) {
            assert!(parameter.range.contains(*value), "{}.{} = {value}", info.name, parameter.name);
        }
        assert!(AnyLaw::new(info.name, &vec![1.0; info.parameters.len() + 1]).is_none());
    });
    assert!(AnyLaw::new("no such law", &[]).is_none());
}

/// Compares all six blocks with differences of the response; `stencil` holds (offset, weight) pairs.
fn compare_tangent(step: f64, stencil: &[(f64, f64)], tolerance: f64) {
    for_each_law(|sample, law| {
        let (d, s) = law.size();
        let widths = widths(sample);
        for point in points(sample, 40) {
            let blocks = Blocks::of(law, &point);
            let here = outputs(law, &point);
            for j in 0..point.len() {
                let h = step * widths[j];
                let mut slope = vec![0.0; d + s];
                let mut size = vec![0.0; d + s];
                for (offset, weight) in stencil {
                    let mut moved = point.clone();
                    *moved.entry(j) += offset * h;
                    for (i, y) in outputs(law, &moved).into_iter().enumerate() {
                        slope[i] += weight * y / h;
                        size[i] = here[i].abs().max(y.abs()) / widths[j];
                    }
                }
                // At the strength of a law its terms cancel: what is left of stiffness times rate is rounding.
                let rates = point.v.iter().fold(widths[j], |m, v| m.max(v.abs()));
                let rounding = 4.0 * f64::EPSILON * sample.parameters[0].abs() * rates / h;
                for i in 0..d + s {
                    let exact = blocks.entry((d, s), i, j);
                    let scale = exact.abs().max(size[i]);
                    assert!(
                        (exact - slope[i]).abs() <= tolerance * scale + rounding,
                        "{} {:?}: output {i}, input {j}: exact {exact}, differences {} at {point:?}",
                        sample.law,
                        sample.parameters,
                        slope[i]
                    );
                }
            }
        }
    });
}

#[test]
fn tangents_match_central_differences() {
    compare_tangent(1e-5, &[(-1.0, -0.5), (1.0, 0.5)], 1e-6);
}

#[test]
fn tangents_match_fourth_order_differences() {
    let stencil = [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
    compare_tangent(2e-4, &stencil, 1e-8);
}

#[test]
fn points_visit_every_branch() {
    let forces = |name: &str, set: usize| -> Vec<(Point, Vec<f64>)> {
        let sample = SAMPLES.iter().filter(|x| x.law == name).nth(set).unwrap();
        let law = AnyLaw::new(name, sample.parameters).unwrap();
        points(sample, 40).into_iter().map(|x| (x.clone(), outputs(&law, &x))).collect()
    };
    let gap = forces("gap", 0);
    assert!(gap.iter().any(|x| x.1[0] > 0.0) && gap.iter().any(|x| x.1[0] < 0.0));
    assert!(gap.iter().any(|x| x.1[0] == 0.0 && x.0.q[0].abs() < 0.2));
    assert!(gap.iter().any(|x| x.1[0] == 0.0 && x.0.q[0].abs() > 0.2));
    let slider = forces("mostaghel", 0);
    for (s, v) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let beyond =
            slider.iter().find(|x| x.0.s[0] * s > 0.4 && x.0.v[0] * v > 0.0).expect("a point beyond the limit");
        assert_eq!(beyond.1[1], if s == v { 0.0 } else { beyond.0.v[0] });
    }
    assert!(slider.iter().any(|x| x.0.s[0].abs() < 0.4 && x.1[1] == x.0.v[0]));
    let lost = forces("degrading-bouc-wen", 1);
    assert!(lost.iter().any(|x| x.1[1] == 0.0) && lost.iter().any(|x| x.1[1] != 0.0));
}

#[test]
fn linear_flag_means_constant_tangent_without_states() {
    for_each_law(|sample, law| {
        let (d, s) = law.size();
        let points = points(sample, 40);
        let first = Blocks::of(law, &points[0]);
        let constant = points.iter().all(|x| {
            let y = Blocks::of(law, x);
            y.k == first.k && y.c == first.c
        });
        let set = law.info().linear;
        assert_eq!(set, constant && s == 0 && !law.has_mass(), "{} with {d} coordinates", sample.law);
    });
}

/// m M + c C + k K + c R (m I - c E)^-1 (c B + k A): what the element adds to a dynamic matrix.
fn dynamic(law: &AnyLaw, x: &Point, m: f64, c: f64, k: f64) -> Vec<Vec<f64>> {
    let (d, s) = law.size();
    let y = Blocks::of(law, x);
    let mut mass = vec![0.0; d * d];
    law.mass(&x.q, &mut mass);
    let mut out: Vec<Vec<f64>> = (0..d)
        .map(|i| (0..d).map(|j| m * mass[i * d + j] + c * y.c[i * d + j] + k * y.k[i * d + j]).collect())
        .collect();
    for j in 0..d {
        let states =
            (0..s).map(|i| (0..s).map(|l| if i == l { m } else { 0.0 } - c * y.e[i * s + l]).collect()).collect();
        let column = solve(states, (0..s).map(|i| c * y.b[i * d + j] + k * y.a[i * d + j]).collect());
        for i in 0..d {
            for l in 0..s {
                out[i][j] += c * y.r[i * s + l] * column[l];
            }
        }
    }
    out
}

#[test]
fn symmetry_is_as_claimed() {
    let mut listed = 0;
    for_each_law(|sample, law| {
        let d = law.size().0;
        let mut symmetric = true;
        for x in points(sample, 20) {
            for (m, c, k) in [(1.0, 0.01, 1e-4), (1.0, 0.5, 0.25), (1.0, 2.0, 4.0)] {
                let matrix = dynamic(law, &x, m, c, k);
                let largest = matrix.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
                assert!(largest.is_finite());
                for i in 0..d {
                    for j in 0..i {
                        symmetric &= (matrix[i][j] - matrix[j][i]).abs() <= 1e-12 * largest;
                    }
                }
            }
        }
        listed += usize::from(d > 1);
        assert_eq!(law.info().symmetric, symmetric, "{}", sample.law);
    });
    assert!(listed > 0, "only laws with several coordinates can be unsymmetric");
}

/// Work on a law and its states at the end of a smooth deformation that starts from rest at the centre
/// of the region and returns there.
struct Cycle {
    work: f64,
    /// Integral of |power|.
    traffic: f64,
    state: Vec<f64>,
    least_state: Vec<f64>,
}

fn cycle(sample: &Sample, law: &AnyLaw, amplitude: f64, turns: f64) -> Cycle {
    use std::f64::consts::PI;
    let (d, s) = law.size();
    let steps = 20000;
    let h = 1.0 / steps as f64;
    // q = centre + A sin(w t) sin^2(pi t)
    let motion = |t: f64| {
        let envelope = [(PI * t).sin().powi(2), PI * (2.0 * PI * t).sin(), 2.0 * PI * PI * (2.0 * PI * t).cos()];
        let mut x = Point { q: vec![], v: vec![], s: vec![], acc: vec![] };
        for (i, (centre, width)) in sample.q.iter().enumerate() {
            let w = 2.0 * PI * (turns + i as f64);
            let a = amplitude * width;
            let wave = [(w * t).sin(), w * (w * t).cos(), -w * w * (w * t).sin()];
            x.q.push(centre + a * wave[0] * envelope[0]);
            x.v.push(a * (wave[1] * envelope[0] + wave[0] * envelope[1]));
            x.acc.push(a * (wave[2] * envelope[0] + 2.0 * wave[1] * envelope[1] + wave[0] * envelope[2]));
        }
        x
    };
    // Rates of (states, work, traffic).
    let rates = |t: f64, y: &[f64]| {
        let mut x = motion(t);
        x.s = y[..s].to_vec();
        let out = outputs(law, &x);
        let power: f64 = (0..d).map(|i| out[i] * x.v[i]).sum();
        let mut rate = out[d..].to_vec();
        rate.extend([power, power.abs()]);
        rate
    };
    let mut y = vec![0.0; s + 2];
    let mut least_state = vec![0.0; s];
    for n in 0..steps {
        let t = n as f64 * h;
        let add = |y: &[f64], f: f64, k: &[f64]| y.iter().zip(k).map(|(a, b)| a + f * b).collect::<Vec<_>>();
        let k1 = rates(t, &y);
        let k2 = rates(t + 0.5 * h, &add(&y, 0.5 * h, &k1));
        let k3 = rates(t + 0.5 * h, &add(&y, 0.5 * h, &k2));
        let k4 = rates(t + h, &add(&y, h, &k3));
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        for i in 0..s {
            least_state[i] = f64::min(least_state[i], y[i]);
        }
    }
    Cycle { work: y[s], traffic: y[s + 1], state: y[..s].to_vec(), least_state }
}

#[test]
fn dissipative_laws_give_no_energy_back() {
    for_each_law(|sample, law| {
        for (amplitude, turns) in [(0.5, 1.0), (1.0, 2.0), (1.0, 5.0)] {
            let cycle = cycle(sample, law, amplitude, turns);
            let share = cycle.work / cycle.traffic;
            let name = (sample.law, sample.parameters);
            assert!(cycle.traffic > 0.0, "{name:?}: the cycle does no work at all");
            if law.info().dissipative {
                assert!(share >= -1e-6, "{name:?} gives back {share} of the energy");
            }
            assert_eq!(sample.conservative, share.abs() < 1e-6, "{name:?} keeps {share} of the energy");
            if law.info().hysteretic {
                assert!(share > 1e-3, "{name:?} dissipates only {share}");
            }
        }
    });
}

#[test]
fn degrading_bouc_wen_counts_its_own_work() {
    for sample in SAMPLES.iter().filter(|x| x.law == "degrading-bouc-wen") {
        let law = AnyLaw::new(sample.law, sample.parameters).unwrap();
        let cycle = cycle(sample, &law, 1.0, 5.0);
        // The elastic spring a k q in parallel stores nothing over the closed cycle.
        assert_close(cycle.state[1], cycle.work, 1e-6);
        assert!(cycle.least_state[1] >= -1e-9 * cycle.work, "H fell below zero");
    }
}

#[test]
fn two_node_laws_rest_without_force() {
    for_each_law(|sample, law| {
        let (d, s) = law.size();
        let rest = Point { q: vec![0.0; d], v: vec![0.0; d], s: vec![0.0; s], acc: vec![0.0; d] };
        let blocks = Blocks::of(law, &rest);
        for j in 0..2 * d + s {
            for i in 0..d + s {
                assert!(blocks.entry((d, s), i, j).is_finite(), "{}: tangent at rest ({i}, {j})", sample.law);
            }
        }
        if matches!(law.info().coordinates, Coordinates::Difference) {
            assert!(outputs(law, &rest).iter().all(|x| *x == 0.0), "{}", sample.law);
        }
    });
}

#[test]
fn hysteretic_laws_start_with_their_initial_stiffness() {
    let mut met = 0;
    for_each_law(|sample, law| {
        if law.info().hysteretic {
            let x = Point { q: vec![0.0], v: vec![0.0], s: vec![0.0; law.size().1], acc: vec![0.0] };
            let y = Blocks::of(law, &x);
            let found = y.k[0] + y.r.iter().zip(&y.b).map(|(r, b)| r * b).sum::<f64>();
            let p = sample.parameters;
            let expected = match sample.law {
                "bouc-wen" => p[0] + p[4],
                "modified-bouc-wen" => p[5] * p[0],
                "degrading-bouc-wen" | "mostaghel" => p[0],
                other => panic!("hysteretic law '{other}': add its initial stiffness here"),
            };
            assert_close(found, expected, 1e-14);
            met += 1;
        }
    });
    assert!(met >= 4);
}

#[test]
fn nan_is_never_swallowed() {
    for_each_law(|sample, law| {
        let (d, s) = law.size();
        let points = points(sample, 40);
        let tangents: Vec<_> = points.iter().map(|x| Blocks::of(law, x)).collect();
        for (point, tangent) in points.iter().zip(&tangents) {
            for j in 0..point.len() {
                let mut broken = point.clone();
                *broken.entry(j) = f64::NAN;
                let found = outputs(law, &broken);
                for i in 0..d + s {
                    // A NaN rate need not matter at a point where the law is out of contact; a NaN
                    // coordinate or state matters wherever it ever does, since it hides the branch.
                    let rate = (d..2 * d).contains(&j);
                    let depends = if rate {
                        tangent.entry((d, s), i, j) != 0.0
                    } else {
                        tangents.iter().any(|x| x.entry((d, s), i, j) != 0.0)
                    };
                    assert!(!depends || found[i].is_nan(), "{}: NaN in input {j} gives {found:?}", sample.law);
                }
            }
        }
    });
}

#[test]
fn dual_values_equal_f64_values_bit_for_bit() {
    for_each_law(|sample, law| {
        let (d, s) = law.size();
        for x in points(sample, 40) {
            let (mut p, mut g, mut m) = (vec![0.0; d], vec![0.0; s], vec![0.0; d * d]);
            law.evaluate(0.0, &x.q, &x.v, &x.s, &mut p, &mut g);
            law.evaluate_mass(&x.q, &mut m);
            let dual = |y: &[f64]| y.iter().map(|re| Dual { re: *re, eps: 1.0 }).collect::<Vec<_>>();
            let (mut pd, mut gd, mut md) = (dual(&p), dual(&g), dual(&m));
            law.evaluate(0.0, &dual(&x.q), &dual(&x.v), &dual(&x.s), &mut pd, &mut gd);
            law.evaluate_mass(&dual(&x.q), &mut md);
            for (plain, dual) in [(&p, &pd), (&g, &gd), (&m, &md)] {
                for (a, b) in plain.iter().zip(dual) {
                    assert_eq!(a.to_bits(), b.re.to_bits(), "{}: {a} and {}", sample.law, b.re);
                }
            }
        }
    });
}

#[test]
fn a_law_gives_its_parameters_back() {
    for sample in SAMPLES {
        let law = AnyLaw::new(sample.law, sample.parameters).unwrap();
        law.with_parameters(|p| assert_eq!(p, sample.parameters, "{}", sample.law));
    }
}
