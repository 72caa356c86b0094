//! Batteries over the registry of laws, and closed-form checks of each element.

use interfield_kernel::element::beam::{BeamError, MassKind, Member};
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release};
use interfield_kernel::element::block::Block;
use interfield_kernel::element::catalogue::{OWN, catalogue};
use interfield_kernel::element::info::Coordinates;
use interfield_kernel::element::{AnyLaw, Element, LAWS, Tangent};
use interfield_kernel::{Dual, Scalar};

// ---------------------------------------------------------------------------------------------------
// Representative parameters: every law of the registry needs at least one entry.

/// A law with parameters, the region in which it is examined, and what the tests may not step over.
struct Sample {
    law: &'static str,
    parameters: &'static [f64],
    /// Centre and half width of the region, per coordinate, rate and state.
    q: &'static [(f64, f64)],
    v: &'static [(f64, f64)],
    s: &'static [(f64, f64)],
    /// Distance to the nearest corner of the law, as a fraction of the region.
    corner: fn(&Point) -> f64,
    /// Gives back all energy put in.
    conservative: bool,
}

/// No corner, but keep away from zero rates and states where a small scale makes differences inaccurate.
fn signs(x: &Point) -> f64 {
    x.v.iter().chain(&x.s).fold(1.0, |least: f64, y| least.min(y.abs()))
}

const SAMPLES: &[Sample] = &[
    Sample {
        law: "spring",
        parameters: &[400.0, 7.0],
        q: &[(0.0, 0.3)],
        v: &[(0.0, 2.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: false,
    },
    Sample {
        law: "cubic",
        parameters: &[400.0, -900.0, 0.0],
        q: &[(0.0, 0.3)],
        v: &[(0.0, 2.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: true,
    },
    Sample {
        law: "cubic",
        parameters: &[400.0, 5000.0, 3.0],
        q: &[(0.0, 0.3)],
        v: &[(0.0, 2.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: false,
    },
    // The corners of the gap law: contact, and the cut of the tensile force.
    Sample {
        law: "gap",
        parameters: &[1000.0, 0.2, 150.0, 1.0],
        q: &[(0.0, 1.0)],
        v: &[(0.0, 2.0)],
        s: &[],
        corner: |x| {
            let depth = x.q[0].abs() - 0.2;
            depth.abs().min((depth + x.q[0].signum() * 0.15 * x.v[0]).abs())
        },
        conservative: false,
    },
    Sample {
        law: "gap",
        parameters: &[1000.0, 0.2, 0.0, 0.0],
        q: &[(0.0, 1.0)],
        v: &[(0.0, 2.0)],
        s: &[],
        corner: |x| (x.q[0] - 0.2).abs(),
        conservative: true,
    },
    Sample {
        law: "damper",
        parameters: &[50.0, 0.3, 1e-3],
        q: &[(0.0, 1.0)],
        v: &[(0.0, 1.0)],
        s: &[],
        corner: signs,
        conservative: false,
    },
    Sample {
        law: "damper",
        parameters: &[50.0, 2.0, 1e-2],
        q: &[(0.0, 1.0)],
        v: &[(0.0, 1.0)],
        s: &[],
        corner: signs,
        conservative: false,
    },
    Sample {
        law: "bouc-wen",
        parameters: &[7.2, 60.0, 40.0, 1.0, 1.5],
        q: &[(0.0, 0.5)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 0.1)],
        corner: |x| x.v[0].abs().min(x.s[0].abs() / 0.1),
        conservative: false,
    },
    Sample {
        law: "bouc-wen",
        parameters: &[2.0, 1.5, -0.5, 0.8, 0.0],
        q: &[(0.0, 5.0)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 1.0)],
        corner: signs,
        conservative: false,
    },
    Sample {
        law: "modified-bouc-wen",
        parameters: &[20.0, 12.0, 26.0, 2.0, 1.0, 1.0],
        q: &[(0.0, 0.5)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 1.0)],
        corner: signs,
        conservative: false,
    },
    Sample {
        law: "modified-bouc-wen",
        parameters: &[20.0, 9.0, 3.0, -1.0, 2.5, 0.8],
        q: &[(0.0, 0.5)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 1.2)],
        corner: signs,
        conservative: false,
    },
    Sample {
        law: "degrading-bouc-wen",
        parameters: &[100.0, 0.02, 0.1, 0.02, 0.05, 2.0, 0.5, 0.5],
        q: &[(0.0, 0.1)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 1.8), (10.0, 10.0)],
        corner: signs,
        conservative: false,
    },
    // Reaches the complete loss of stiffness, exp(-dk H) = a at H = 24.08.
    Sample {
        law: "degrading-bouc-wen",
        parameters: &[100.0, 0.02, 0.3, 0.05, 0.01, 0.9, 0.7, -0.2],
        q: &[(0.0, 0.1)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 1.4), (20.0, 20.0)],
        corner: |x| signs(x).min((x.s[1] - 24.08).abs() / 20.0),
        conservative: false,
    },
    Sample {
        law: "mostaghel",
        parameters: &[400.0, 0.05, 0.4],
        q: &[(0.0, 2.0)],
        v: &[(0.0, 1.0)],
        s: &[(0.0, 0.6)],
        corner: |x| x.v[0].abs().min((x.s[0].abs() - 0.4).abs()),
        conservative: false,
    },
    Sample {
        law: "pendulum",
        parameters: &[0.1, 0.2, 9.81],
        q: &[(0.0, 0.5), (0.3, 1.2)],
        v: &[(0.0, 1.0), (0.0, 3.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: true,
    },
    Sample {
        law: "spring-pendulum",
        parameters: &[0.34, 400.0, 0.167, 1.4, 9.81],
        q: &[(0.0, 0.5), (0.175, 0.05), (0.3, 1.2)],
        v: &[(0.0, 1.0), (0.0, 0.5), (0.0, 3.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: false,
    },
    Sample {
        law: "spring-pendulum",
        parameters: &[0.34, 400.0, 0.167, 0.0, 9.81],
        q: &[(0.0, 0.5), (0.175, 0.05), (0.3, 1.2)],
        v: &[(0.0, 1.0), (0.0, 0.5), (0.0, 3.0)],
        s: &[],
        corner: |_| 1.0,
        conservative: true,
    },
];

/// Runs a check over every parameter set of every registered law.
fn for_each_law(mut check: impl FnMut(&Sample, &AnyLaw)) {
    for info in LAWS {
        let mut met = 0;
        for sample in SAMPLES.iter().filter(|x| x.law == info.name) {
            let law = AnyLaw::new(sample.law, sample.parameters).expect("wrong number of parameters in SAMPLES");
            check(sample, &law);
            met += 1;
        }
        assert!(met > 0, "law '{}' has no entry in SAMPLES: add parameters here", info.name);
    }
    for sample in SAMPLES {
        assert!(LAWS.iter().any(|x| x.name == sample.law), "no law '{}' for an entry of SAMPLES", sample.law);
    }
}

// ---------------------------------------------------------------------------------------------------
// Tools.

/// Deterministic pseudo-random numbers (Knuth's MMIX generator).
struct Lcg(u64);

impl Lcg {
    /// Uniform in [-1, 1].
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

#[derive(Clone, Debug)]
struct Point {
    q: Vec<f64>,
    v: Vec<f64>,
    s: Vec<f64>,
    acc: Vec<f64>,
}

impl Point {
    fn len(&self) -> usize {
        self.q.len() + self.v.len() + self.s.len()
    }
    /// Entry `j` of (q, v, s).
    fn entry(&mut self, j: usize) -> &mut f64 {
        let (d, s) = (self.q.len(), self.v.len());
        if j < d {
            &mut self.q[j]
        } else if j < d + s {
            &mut self.v[j - d]
        } else {
            &mut self.s[j - d - s]
        }
    }
}

/// Points of the region at least 6 % away from corners; the largest difference stencil reaches 0.1 %.
fn points(sample: &Sample, count: usize) -> Vec<Point> {
    let mut random = Lcg(17 + sample.law.len() as u64 + sample.parameters.len() as u64);
    let mut out = Vec::new();
    for _ in 0..100 * count {
        let mut draw = |region: &[(f64, f64)]| region.iter().map(|(c, h)| c + h * random.next()).collect::<Vec<_>>();
        let (q, v, s) = (draw(sample.q), draw(sample.v), draw(sample.s));
        let acc = random.vector(q.len()).iter().map(|x| 5.0 * x).collect();
        let point = Point { q, v, s, acc };
        if (sample.corner)(&point) > 0.06 {
            out.push(point);
        }
        if out.len() == count {
            return out;
        }
    }
    panic!("{}: hardly any point is away from corners", sample.law);
}

/// Half widths of the region in the order of [`Point::entry`].
fn widths(sample: &Sample) -> Vec<f64> {
    sample.q.iter().chain(sample.v).chain(sample.s).map(|x| x.1).collect()
}

/// (p + M acc, g)
fn outputs(law: &dyn Element, x: &Point) -> Vec<f64> {
    let (d, s) = law.size();
    let (mut p, mut g, mut m) = (vec![0.0; d], vec![0.0; s], vec![0.0; d * d]);
    law.response(0.0, &x.q, &x.v, &x.s, &mut p, &mut g);
    if law.has_mass() {
        law.mass(&x.q, &mut m);
        for i in 0..d {
            for j in 0..d {
                p[i] += m[i * d + j] * x.acc[j];
            }
        }
    }
    p.extend(g);
    p
}

struct Blocks {
    k: Vec<f64>,
    c: Vec<f64>,
    r: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    e: Vec<f64>,
}

impl Blocks {
    fn of(law: &dyn Element, x: &Point) -> Blocks {
        let (d, s) = law.size();
        let nan = |n| vec![f64::NAN; n];
        let mut y = Blocks { k: nan(d * d), c: nan(d * d), r: nan(d * s), a: nan(s * d), b: nan(s * d), e: nan(s * s) };
        let out = Tangent { k: &mut y.k, c: &mut y.c, r: &mut y.r, a: &mut y.a, b: &mut y.b, e: &mut y.e };
        law.tangent(0.0, &x.q, &x.v, &x.s, &x.acc, out);
        y
    }

    /// Derivative of output `i` of (p, g) with respect to entry `j` of (q, v, s).
    fn entry(&self, (d, s): (usize, usize), i: usize, j: usize) -> f64 {
        let force = i < d;
        let row = if force { i } else { i - d };
        let (block, width, column) = if j < d {
            (if force { &self.k } else { &self.a }, d, j)
        } else if j < 2 * d {
            (if force { &self.c } else { &self.b }, d, j - d)
        } else {
            (if force { &self.r } else { &self.e }, s, j - 2 * d)
        };
        block[row * width + column]
    }
}

/// Gaussian elimination with pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&x, &y| a[x][i].abs().total_cmp(&a[y][i].abs())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for r in i + 1..n {
            let f = a[r][i] / a[i][i];
            for c in i..n {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for i in (0..n).rev() {
        for c in i + 1..n {
            b[i] -= a[i][c] * b[c];
        }
        b[i] /= a[i][i];
    }
    b
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "found {found}, expected {expected}");
}

// ---------------------------------------------------------------------------------------------------
// Batteries over the registry.

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

// ---------------------------------------------------------------------------------------------------
// Single laws.

/// Force of a two-node law after a steady deformation from rest to `to`, states by RK4 in q.
fn pushed(law: &AnyLaw, state: &mut [f64], from: f64, to: f64, steps: usize) -> f64 {
    let v = (to - from).signum();
    let h = (to - from).abs() / steps as f64;
    let rate = |q: f64, s: &[f64]| {
        let (mut p, mut g) = ([0.0], vec![0.0; s.len()]);
        law.response(0.0, &[q], &[v], s, &mut p, &mut g);
        g
    };
    for n in 0..steps {
        let q = from + v * h * n as f64;
        let add = |s: &[f64], f: f64, k: &[f64]| s.iter().zip(k).map(|(a, b)| a + f * b).collect::<Vec<_>>();
        let k1 = rate(q, state);
        let k2 = rate(q + 0.5 * v * h, &add(state, 0.5 * h, &k1));
        let k3 = rate(q + 0.5 * v * h, &add(state, 0.5 * h, &k2));
        let k4 = rate(q + v * h, &add(state, h, &k3));
        for i in 0..state.len() {
            state[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    let (mut p, mut g) = ([0.0], vec![0.0; state.len()]);
    law.response(0.0, &[to], &[v], state, &mut p, &mut g);
    p[0]
}

fn force(law: &AnyLaw, q: f64, v: f64) -> f64 {
    let mut p = [0.0];
    law.response(0.0, &[q], &[v], &[], &mut p, &mut []);
    p[0]
}

#[test]
fn spring_and_cubic_values() {
    assert_close(force(&AnyLaw::new("spring", &[3.0, 5.0]).unwrap(), 2.0, -0.5), 3.5, 1e-15);
    assert_close(force(&AnyLaw::new("cubic", &[3.0, 2.0, 5.0]).unwrap(), 2.0, -0.5), 19.5, 1e-15);
}

#[test]
fn gap_pushes_and_never_pulls() {
    let one = AnyLaw::new("gap", &[1000.0, 0.2, 150.0, 0.0]).unwrap();
    let both = AnyLaw::new("gap", &[1000.0, 0.2, 150.0, 1.0]).unwrap();
    assert_eq!(force(&one, 0.2, 3.0), 0.0, "touching is not yet contact");
    assert_close(force(&one, 0.5, 1.0), 450.0, 1e-14);
    assert_close(force(&both, -0.5, -1.0), -450.0, 1e-14);
    assert_eq!(force(&one, -0.5, -1.0), 0.0);
    assert_eq!(force(&one, 0.5, -3.0), 0.0, "separating faster than the spring follows");
    let mut random = Lcg(3);
    for _ in 0..1000 {
        let (q, v) = (random.next(), 3.0 * random.next());
        assert!(force(&one, q, v) >= 0.0);
        let p = force(&both, q, v);
        assert!(p * q >= 0.0, "pulls: p = {p} at q = {q}, v = {v}");
        assert_eq!(p, -force(&both, -q, -v));
        assert!(q.abs() > 0.2 || p == 0.0);
    }
}

#[test]
fn damper_follows_the_power_law_within_the_stated_deviation() {
    let (c, n, v0) = (50.0, 0.3, 1e-3);
    let law = AnyLaw::new("damper", &[c, n, v0]).unwrap();
    for (v, deviation) in [(1e-3, 0.2154), (1e-2, 0.003477), (0.1, 0.000035)] {
        let pure = c * f64::powf(v, n);
        assert_close(1.0 - force(&law, 0.0, v) / pure, deviation, 0.01);
        assert_eq!(force(&law, 0.0, -v), -force(&law, 0.0, v));
    }
    // Finite tangent at rest, c v0^(n-1).
    let rest = Point { q: vec![0.0], v: vec![0.0], s: vec![], acc: vec![0.0] };
    assert_close(Blocks::of(&law, &rest).c[0], c * f64::powf(v0, n - 1.0), 1e-14);
    // Exact dashpot for n = 1.
    assert_eq!(force(&AnyLaw::new("damper", &[c, 1.0, v0]).unwrap(), 0.0, 0.37), c * 0.37);
}

#[test]
fn bouc_wen_reaches_its_ultimate_force() {
    for n in [0.8, 1.0, 2.0, 3.0] {
        let (k, beta, gamma) = (20.0, 3.0, 1.0);
        let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, n, 0.0]).unwrap();
        let ultimate = f64::powf(k / (beta + gamma), 1.0 / n);
        assert_close(pushed(&law, &mut [0.0], 0.0, 20.0, 20000), ultimate, 1e-9);
        assert_close(pushed(&law, &mut [0.0], 0.0, -20.0, 20000), -ultimate, 1e-9);
        // A parallel spring adds k2 q.
        let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, n, 0.5]).unwrap();
        assert_close(pushed(&law, &mut [0.0], 0.0, 20.0, 20000), ultimate + 10.0, 1e-9);
    }
}

/// For n = 1 the rate is smooth at z = 0 but for the term of gamma: its slope there is -beta |q'|, as a run that starts with a velocity needs it.
#[test]
fn bouc_wen_has_its_slope_at_zero_force() {
    // Stiffness degrading laws: n1 k / (k xy) in place of beta.
    let laws: [(&str, &[f64], usize); 3] = [
        ("bouc-wen", &[20.0, 3.0, 1.0, 1.0, 0.0], 1),
        ("modified-bouc-wen", &[20.0, 3.0, 0.5, 1.0, 1.0, 1.0], 1),
        ("degrading-bouc-wen", &[20.0, 0.25, 0.0, 0.0, 0.0, 1.0, 0.75, 0.25], 2),
    ];
    for (name, parameters, states) in laws {
        let law = AnyLaw::new(name, parameters).unwrap();
        let at = |v: f64| Point { q: vec![0.3], v: vec![v], s: vec![0.0; states], acc: vec![0.0] };
        for v in [0.2, -0.2] {
            assert_close(Blocks::of(&law, &at(v)).e[0], -3.0 * f64::abs(v), 1e-14);
        }
    }
}

#[test]
fn bouc_wen_loading_and_unloading_in_closed_form() {
    let (k, beta, gamma) = (7200.0, 60.0, 40.0);
    let law = AnyLaw::new("bouc-wen", &[k, beta, gamma, 1.0, 0.0]).unwrap();
    let zu = k / (beta + gamma);
    for q in [0.001, 0.01, 0.05] {
        let mut z = [0.0];
        let top = zu * (1.0 - f64::exp(-q * k / zu));
        assert_close(pushed(&law, &mut z, 0.0, q, 4000), top, 1e-11);
        // Unloading to zero force: dz/dq = k + (beta - gamma) z, from z = top.
        let travel = f64::ln(1.0 + (beta - gamma) * top / k) / (beta - gamma);
        assert!(pushed(&law, &mut z, q, q - travel, 4000).abs() < 1e-9 * top);
    }
}

#[test]
fn modified_bouc_wen_limits() {
    let linear = AnyLaw::new("modified-bouc-wen", &[20.0, 0.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
    let mut z = [0.0];
    assert_close(pushed(&linear, &mut z, 0.0, 3.0, 100), 60.0, 1e-13);
    assert_close(pushed(&linear, &mut z, 3.0, -1.0, 100), -20.0, 1e-12);
    // Without beta and gamma the force is rho k / sqrt(alpha) atan(sqrt(alpha) q).
    let softening = AnyLaw::new("modified-bouc-wen", &[20.0, 0.0, 4.0, 0.0, 1.0, 0.5]).unwrap();
    assert_close(pushed(&softening, &mut [0.0], 0.0, 3.0, 4000), 5.0 * f64::atan(6.0), 1e-11);
    // Without alpha it is the Bouc-Wen law.
    let (parameters, twin) = ([20.0, 3.0, 0.0, 1.0, 2.0, 1.0], [20.0, 3.0, 1.0, 2.0, 0.0]);
    let modified = AnyLaw::new("modified-bouc-wen", &parameters).unwrap();
    let plain = AnyLaw::new("bouc-wen", &twin).unwrap();
    let (mut a, mut b) = ([0.0], [0.0]);
    for (from, to) in [(0.0, 1.0), (1.0, -0.7), (-0.7, 0.4)] {
        assert_close(pushed(&modified, &mut a, from, to, 500), pushed(&plain, &mut b, from, to, 500), 1e-13);
    }
}

#[test]
fn degrading_bouc_wen_limits() {
    // Without degradation and post-yield stiffness: yields at k xy.
    let law = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.0, 2.0, 0.5, 0.5]).unwrap();
    assert_close(pushed(&law, &mut [0.0, 0.0], 0.0, 0.5, 20000), 2.0, 1e-9);
    // It is then the Bouc-Wen law with beta = n1 k / Fy^n, gamma = n2 k / Fy^n.
    let law = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.0, 2.0, 0.7, 0.3]).unwrap();
    let twin = AnyLaw::new("bouc-wen", &[100.0, 0.7 * 100.0 / 4.0, 0.3 * 100.0 / 4.0, 2.0, 0.0]).unwrap();
    let (mut a, mut b) = ([0.0, 0.0], [0.0]);
    for (from, to) in [(0.0, 0.03), (0.03, -0.01), (-0.01, 0.005)] {
        assert_close(pushed(&law, &mut a, from, to, 2000), pushed(&twin, &mut b, from, to, 2000), 1e-11);
    }
    // Strength: at full yield F follows Fy(H); with ds H = 1 it has fallen to one half.
    let weak = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.0, 0.0, 0.5, 2.0, 0.5, 0.5]).unwrap();
    let mut state = [0.0, 0.0];
    let end = pushed(&weak, &mut state, 0.0, 3.0, 100000);
    assert!(state[1] > 2.0, "H = {}", state[1]);
    assert_close(end, 2.0 / (1.0 + 0.5 * state[1]), 0.02);
    // Stiffness: elastic slope (exp(-dk H) - a) k + a k at F = 0.
    let soft = AnyLaw::new("degrading-bouc-wen", &[100.0, 0.02, 0.1, 0.3, 0.0, 2.0, 0.5, 0.5]).unwrap();
    let y = Blocks::of(&soft, &Point { q: vec![0.1], v: vec![1.0], s: vec![0.0, 2.0], acc: vec![0.0] });
    assert_close(y.k[0] + y.r[0] * y.b[0], 100.0 * f64::exp(-0.6), 1e-13);
}

#[test]
fn mostaghel_is_bilinear() {
    let (k, a, delta) = (400.0, 0.05, 0.4);
    let law = AnyLaw::new("mostaghel", &[k, a, delta]).unwrap();
    let mut s = [0.0];
    assert_close(pushed(&law, &mut s, 0.0, 0.2, 100), k * 0.2, 1e-13);
    // Plateau: slope a k beyond the yield displacement, and no trace of the overshoot in the force.
    let first = pushed(&law, &mut s, 0.2, 1.0, 1000);
    let second = pushed(&law, &mut s, 1.0, 2.0, 1000);
    assert_close(first, k * (a * 1.0 + (1.0 - a) * delta), 1e-13);
    assert_close(second - first, a * k, 1e-12);
    assert!((s[0] - delta).abs() <= 1.01 * 0.8e-3, "overshoot by more than one increment: {}", s[0]);
    // Unloading: elastic over 2 delta, then the opposite plateau.
    let excess = s[0] - delta;
    assert_close(pushed(&law, &mut s, 2.0, 1.5, 100), second - k * 0.5 + k * (1.0 - a) * excess, 1e-12);
    assert_close(pushed(&law, &mut s, 1.5, -2.0, 4000), -second, 1e-12);
}

/// Accelerations from (M + diag(extra)) a = load - p.
fn accelerations(law: &AnyLaw, q: &[f64], v: &[f64], extra: &[f64], load: &[f64]) -> Vec<f64> {
    let d = q.len();
    let (mut p, mut m) = (vec![0.0; d], vec![0.0; d * d]);
    law.response(0.0, q, v, &[], &mut p, &mut []);
    law.mass(q, &mut m);
    let matrix = (0..d).map(|i| (0..d).map(|j| m[i * d + j] + if i == j { extra[i] } else { 0.0 }).collect()).collect();
    solve(matrix, (0..d).map(|i| load[i] - p[i]).collect())
}

/// Rate of an energy along the motion, relative to the sum of the absolute powers.
fn energy_rate(q: &[f64], v: &[f64], a: &[f64], energy: impl Fn(&[Dual], &[Dual]) -> Dual) -> f64 {
    let along =
        |x: &[f64], dx: &[f64]| x.iter().zip(dx).map(|(re, eps)| Dual { re: *re, eps: *eps }).collect::<Vec<_>>();
    let still = |x: &[f64]| along(x, &vec![0.0; x.len()]);
    let size = energy(&along(q, v), &still(v)).eps.abs() + energy(&still(q), &along(v, a)).eps.abs();
    energy(&along(q, v), &along(v, a)).eps / size
}

#[test]
fn pendulum_keeps_its_energy_and_matches_the_solved_form() {
    let (m, l, g, floor) = (0.1, 0.2, 9.81, 10.0);
    let law = AnyLaw::new("pendulum", &[m, l, g]).unwrap();
    let mut random = Lcg(5);
    for _ in 0..200 {
        let q = [random.next(), 3.0 * random.next()];
        let v = [random.next(), 5.0 * random.next()];
        let a = accelerations(&law, &q, &v, &[floor, 0.0], &[0.0, 0.0]);
        let rate = energy_rate(&q, &v, &a, |q, v| {
            let (sin, cos) = (q[1].sin(), q[1].cos());
            let (vx, vy) = (v[0] + v[1] * cos * l, v[1] * sin * l);
            v[0] * v[0] * (0.5 * floor) + (vx * vx + vy * vy) * (0.5 * m) - cos * (m * g * l)
        });
        assert!(rate.abs() < 1e-12, "dE/dt = {rate}");
        // LSRT 9.4 with the load f on the floor: x'' = (f + m L sin theta'^2 + m g sin cos)/(m2 + m sin^2).
        let f = 3.0 * random.next();
        let a = accelerations(&law, &q, &v, &[floor, 0.0], &[f, 0.0]);
        let (sin, cos) = q[1].sin_cos();
        let ax = (f + m * l * sin * v[1] * v[1] + m * g * sin * cos) / (floor + m * sin * sin);
        assert!((a[0] - ax).abs() < 1e-13 * (1.0 + ax.abs()));
        let at = -(g * sin + cos * ax) / l;
        assert!((a[1] - at).abs() < 1e-13 * (1.0 + at.abs()));
    }
    // Small oscillations on a fixed floor: omega^2 = g / L.
    let rest = Point { q: vec![0.0, 0.0], v: vec![0.0, 0.0], s: vec![], acc: vec![0.0, 0.0] };
    let mut mass = [0.0; 4];
    law.mass(&rest.q, &mut mass);
    assert_close(Blocks::of(&law, &rest).k[3] / mass[3], g / l, 1e-14);
}

#[test]
fn spring_pendulum_keeps_its_energy_and_matches_the_explicit_equations() {
    let (m, k, l, c, g, pivot) = (0.34, 400.0, 0.167, 1.4, 9.81, 11.0);
    let damped = AnyLaw::new("spring-pendulum", &[m, k, l, c, g]).unwrap();
    let undamped = AnyLaw::new("spring-pendulum", &[m, k, l, 0.0, g]).unwrap();
    let mut random = Lcg(7);
    for _ in 0..200 {
        let q = [random.next(), l + 0.05 * random.next(), 3.0 * random.next()];
        let v = [random.next(), random.next(), 5.0 * random.next()];
        let a = accelerations(&undamped, &q, &v, &[pivot, 0.0, 0.0], &[0.0; 3]);
        let rate = energy_rate(&q, &v, &a, |q, v| {
            let (sin, cos) = (q[2].sin(), q[2].cos());
            let vx = v[0] + v[1] * sin + q[1] * v[2] * cos;
            let vy = v[1] * cos - q[1] * v[2] * sin;
            let stretch = q[1] - l;
            v[0] * v[0] * (0.5 * pivot) + (vx * vx + vy * vy) * (0.5 * m) + stretch * stretch * (0.5 * k)
                - q[1] * cos * (m * g)
        });
        assert!(rate.abs() < 1e-12, "dE/dt = {rate}");
        // LSRT 9.6, `load` standing for F - c1 x' - R.
        let load = 20.0 * random.next();
        let a = accelerations(&damped, &q, &v, &[pivot, 0.0, 0.0], &[load, 0.0, 0.0]);
        let (sin, cos) = q[2].sin_cos();
        let spring = k * (q[1] - l) + c * v[1];
        let x = (load + spring * sin) / pivot;
        let rho = q[1] * v[2] * v[2] + g * cos - spring / m - x * sin;
        let theta = (-2.0 * v[1] * v[2] - g * sin - x * cos) / q[1];
        let largest = x.abs().max(rho.abs()).max(theta.abs());
        for (found, expected) in a.iter().zip([x, rho, theta]) {
            assert!((found - expected).abs() < 1e-13 * largest, "{a:?} and {:?}", [x, rho, theta]);
        }
    }
    // At rest hanging from its spring.
    let a = accelerations(&damped, &[0.0, l + m * g / k, 0.0], &[0.0; 3], &[pivot, 0.0, 0.0], &[0.0; 3]);
    assert!(a.iter().all(|x| x.abs() < 1e-12), "{a:?}");
}

// ---------------------------------------------------------------------------------------------------
// Beams.

const PLANE: Beam2d =
    Beam2d { e: 2e11, area: 0.01, i: 2e-5, rho: 7850.0, release: [false, false], mass: MassKind::Consistent };

const FIXED: Release = Release { torsion: false, my: false, mz: false };

const SPACE: Beam3d = Beam3d {
    e: 2e11,
    g: 8e10,
    area: 0.01,
    iy: 5e-5,
    iz: 2e-5,
    j: 3e-5,
    rho: 7850.0,
    orientation: None,
    release: [FIXED, FIXED],
    mass: MassKind::Consistent,
};

fn times<const N: usize>(a: &[[f64; N]; N], x: &[f64; N]) -> [f64; N] {
    core::array::from_fn(|i| (0..N).map(|j| a[i][j] * x[j]).sum())
}

/// Qᵀ A Q for a block-diagonal Q of 3 x 3 blocks whose rows are the new axes.
fn turned<const N: usize>(a: &[[f64; N]; N], axes: &[[f64; 3]; 3]) -> [[f64; N]; N] {
    let q = |i: usize, j: usize| if i / 3 == j / 3 { axes[i % 3][j % 3] } else { 0.0 };
    core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            let mut sum = 0.0;
            for r in 0..N {
                for c in 0..N {
                    sum += q(r, i) * a[r][c] * q(c, j);
                }
            }
            sum
        })
    })
}

fn largest<const N: usize>(a: &[[f64; N]; N]) -> f64 {
    a.iter().flatten().fold(0.0, |x: f64, y| x.max(y.abs()))
}

#[track_caller]
fn assert_same<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N], tolerance: f64) {
    let scale = largest(b);
    assert!(scale > 0.0);
    for i in 0..N {
        for j in 0..N {
            assert!((a[i][j] - b[i][j]).abs() <= tolerance * scale, "({i}, {j}): {} and {}", a[i][j], b[i][j]);
        }
    }
}

fn assert_symmetric<const N: usize>(member: &Member<N>) {
    for i in 0..N {
        for j in 0..N {
            assert_eq!(member.k[i][j], member.k[j][i]);
            assert_eq!(member.m[i][j], member.m[j][i]);
        }
    }
}

/// Displacements of the free end of a cantilever fixed at its start.
fn tip<const N: usize>(k: &[[f64; N]; N], load: &[f64]) -> Vec<f64> {
    let h = N / 2;
    solve((h..N).map(|i| k[i][h..].to_vec()).collect(), load.to_vec())
}

/// A rotation matrix from random Euler angles; rows are the new axes.
fn rotation(random: &mut Lcg) -> [[f64; 3]; 3] {
    let [(s1, c1), (s2, c2), (s3, c3)] = [0; 3].map(|_| (3.0 * random.next()).sin_cos());
    let z = [[c1, s1, 0.0], [-s1, c1, 0.0], [0.0, 0.0, 1.0]];
    let y = [[c2, 0.0, -s2], [0.0, 1.0, 0.0], [s2, 0.0, c2]];
    let x = [[1.0, 0.0, 0.0], [0.0, c3, s3], [0.0, -s3, c3]];
    let product = |a: [[f64; 3]; 3], b: [[f64; 3]; 3]| -> [[f64; 3]; 3] {
        core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|l| a[i][l] * b[l][j]).sum()))
    };
    product(x, product(y, z))
}

const RELEASES: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

#[test]
fn plane_beam_rigid_motions_and_mass() {
    let mut random = Lcg(11);
    for release in RELEASES {
        for mass in [MassKind::Consistent, MassKind::Lumped] {
            let a = [random.next(), random.next()];
            let b = [3.0 + random.next(), 2.0 * random.next()];
            let beam = Beam2d { release, mass, ..PLANE };
            let member = beam.matrices(a, b).unwrap();
            assert_symmetric(&member);
            let total = beam.rho * beam.area * f64::hypot(b[0] - a[0], b[1] - a[1]);
            let rigid =
                [[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0], [-a[1], a[0], 1.0, -b[1], b[0], 1.0]];
            for mode in rigid {
                let scale = largest(&member.k);
                assert!(times(&member.k, &mode).iter().all(|f| f.abs() < 1e-9 * scale));
            }
            for (direction, mode) in rigid[..2].iter().enumerate() {
                let inertia = times(&member.m, mode);
                assert_close(inertia[direction] + inertia[3 + direction], total, 1e-13);
                assert!((inertia[1 - direction] + inertia[4 - direction]).abs() < 1e-12 * total);
            }
            if mass == MassKind::Consistent {
                // The interpolation holds rigid rotations, so the moment of inertia is that of a thin bar.
                let l = f64::hypot(b[0] - a[0], b[1] - a[1]);
                let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
                let spin = [-(a[1] - middle[1]), a[0] - middle[0], 1.0, -(b[1] - middle[1]), b[0] - middle[0], 1.0];
                let energy: f64 = times(&member.m, &spin).iter().zip(spin).map(|(x, y)| x * y).sum();
                assert_close(energy, total * l * l / 12.0, 1e-12);
            }
            for (dof, released) in [(2, release[0]), (5, release[1])] {
                for j in 0..6 {
                    assert_eq!(released || mass == MassKind::Lumped, member.m[dof].iter().all(|x| *x == 0.0));
                    assert_eq!(released, member.k[dof].iter().all(|x| *x == 0.0));
                    assert!(!released || member.k[j][dof] == 0.0);
                }
            }
        }
    }
}

#[test]
fn plane_beam_closed_forms() {
    let l = 5.0;
    let Beam2d { e, area, i, rho, .. } = PLANE;
    let member = PLANE.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    let load = [3e4, 1e4, 0.0];
    let u = tip(&member.k, &load);
    assert_close(u[0], load[0] * l / (e * area), 1e-12);
    assert_close(u[1], load[1] * l.powi(3) / (3.0 * e * i), 1e-12);
    assert_close(u[2], load[1] * l * l / (2.0 * e * i), 1e-12);
    let u = tip(&member.k, &[0.0, 0.0, 2e3]);
    assert_close(u[1], 2e3 * l * l / (2.0 * e * i), 1e-12);
    assert_close(u[2], 2e3 * l / (e * i), 1e-12);
    // Consistent mass coefficients.
    let unit = rho * area * l / 420.0;
    for (row, column, factor) in [
        (0, 0, 140.0),
        (0, 3, 70.0),
        (1, 1, 156.0),
        (1, 2, 22.0 * l),
        (1, 4, 54.0),
        (1, 5, -13.0 * l),
        (2, 2, 4.0 * l * l),
        (2, 4, 13.0 * l),
        (2, 5, -3.0 * l * l),
        (4, 5, -22.0 * l),
        (5, 5, 4.0 * l * l),
    ] {
        assert_close(member.m[row][column], factor * unit, 1e-13);
    }
    let lumped = Beam2d { mass: MassKind::Lumped, ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    for a in 0..6 {
        for b in 0..6 {
            let expected = if a == b && a % 3 < 2 { 210.0 * unit } else { 0.0 };
            assert!((lumped.m[a][b] - expected).abs() <= 1e-13 * unit);
        }
    }
    // Propped: hinged start, fixed end; 3 EI/l^3 [1, 0, -1, l] and the mass of w = (1 - 3/2 x + x^3/2).
    let hinged = Beam2d { release: [true, false], ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    let stiffness = 3.0 * e * i / l.powi(3);
    assert_close(hinged.k[1][1], stiffness, 1e-12);
    assert_close(hinged.k[1][5], stiffness * l, 1e-12);
    assert_close(hinged.k[5][5], stiffness * l * l, 1e-12);
    assert_close(hinged.m[1][1], rho * area * l * 33.0 / 140.0, 1e-12);
    // Hinged at both ends: a bar, with the mass of a linear interpolation.
    let bar = Beam2d { release: [true, true], ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    assert!(bar.k[1].iter().all(|x| x.abs() < 1e-12 * largest(&member.k)));
    assert_close(bar.m[1][1], rho * area * l / 3.0, 1e-12);
    assert_close(bar.m[1][4], rho * area * l / 6.0, 1e-12);
}

#[test]
fn rotated_plane_beam_is_the_transformed_one() {
    let mut random = Lcg(13);
    for release in RELEASES {
        let beam = Beam2d { release, ..PLANE };
        let flat = beam.matrices([0.0, 0.0], [4.0, 0.0]).unwrap();
        let (sin, cos) = (3.0 * random.next()).sin_cos();
        let start = [random.next(), random.next()];
        let tilted = beam.matrices(start, [start[0] + 4.0 * cos, start[1] + 4.0 * sin]).unwrap();
        let axes = [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]];
        assert_same(&tilted.k, &turned(&flat.k, &axes), 1e-13);
        assert_same(&tilted.m, &turned(&flat.m, &axes), 1e-13);
    }
}

#[test]
fn plane_cantilever_first_frequency() {
    let (l, elements) = (5.0, 4);
    let n = 3 * (elements + 1);
    let (mut k, mut m) = (vec![vec![0.0; n]; n], vec![vec![0.0; n]; n]);
    // Inclined, so that the change of axes takes part.
    let node = |i: usize| [0.6 * l * i as f64 / elements as f64, 0.8 * l * i as f64 / elements as f64];
    for element in 0..elements {
        let member = PLANE.matrices(node(element), node(element + 1)).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                k[3 * element + i][3 * element + j] += member.k[i][j];
                m[3 * element + i][3 * element + j] += member.m[i][j];
            }
        }
    }
    // Inverse iteration on the free degrees of freedom.
    let free = |a: &[Vec<f64>]| a[3..].iter().map(|row| row[3..].to_vec()).collect::<Vec<_>>();
    let (k, m) = (free(&k), free(&m));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut x = Lcg(1).vector(n - 3);
    let mut omega2 = 0.0;
    for _ in 0..20 {
        let mx: Vec<f64> = m.iter().map(|row| dot(row, &x)).collect();
        let y = solve(k.clone(), mx.clone());
        let my: Vec<f64> = m.iter().map(|row| dot(row, &y)).collect();
        omega2 = dot(&y, &mx) / dot(&y, &my);
        let size = dot(&y, &my).sqrt();
        x = y.iter().map(|c| c / size).collect();
    }
    let exact = 3.516015268 * (PLANE.e * PLANE.i / (PLANE.rho * PLANE.area)).sqrt() / (l * l);
    let excess = omega2.sqrt() / exact - 1.0;
    assert!((0.0..5e-5).contains(&excess), "relative error {excess}: finite elements overestimate slightly");
}

#[test]
fn space_beam_rigid_motions_and_mass() {
    let mut random = Lcg(19);
    for case in 0..48u32 {
        let bit = |i: u32| case >> i & 1 == 1;
        let release = [
            Release { torsion: bit(0), my: bit(1), mz: bit(2) },
            Release { torsion: false, my: bit(3), mz: bit(4) && !bit(5) },
        ];
        let mass = if bit(5) { MassKind::Lumped } else { MassKind::Consistent };
        let a = [random.next(), random.next(), random.next()];
        let b = [3.0 + random.next(), 2.0 * random.next(), 2.0 * random.next()];
        let beam = Beam3d { release, mass, ..SPACE };
        let member = beam.matrices(a, b).unwrap();
        assert_symmetric(&member);
        let (l, axes) = beam.axes(a, b).unwrap();
        let total = beam.rho * beam.area * l;
        let scale = largest(&member.k);
        for axis in 0..3 {
            let mut shift = [0.0; 12];
            (shift[axis], shift[6 + axis]) = (1.0, 1.0);
            assert!(times(&member.k, &shift).iter().all(|f| f.abs() < 1e-9 * scale));
            let inertia = times(&member.m, &shift);
            for other in 0..3 {
                let expected = if other == axis { total } else { 0.0 };
                assert!((inertia[other] + inertia[6 + other] - expected).abs() < 1e-12 * total);
            }
            // Rotation about a global axis through the origin: u = e x position.
            let mut spin = [0.0; 12];
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            for (end, position) in [(0, a), (6, b)] {
                spin[end + next] = -position[last];
                spin[end + last] = position[next];
                spin[end + 3 + axis] = 1.0;
            }
            assert!(times(&member.k, &spin).iter().all(|f| f.abs() < 1e-9 * scale));
            // No moment at the released ends, whatever the deformation (in local axes up to roundoff).
            let u: [f64; 12] = core::array::from_fn(|_| random.next());
            let force = times(&member.k, &u);
            for (end, released) in [(3, release[0]), (9, release[1])] {
                for (local, free) in [released.torsion, released.my, released.mz].into_iter().enumerate() {
                    let moment: f64 = (0..3).map(|i| axes[local][i] * force[end + i]).sum();
                    let torsion_free = local == 0 && release[0].torsion;
                    assert_eq!(free || torsion_free, moment.abs() < 1e-12 * scale, "local axis {local}");
                }
            }
        }
    }
    // Along the global axes the zero is exact.
    let hinged = Beam3d { release: [Release { my: true, mz: true, ..FIXED }, FIXED], ..SPACE };
    let member = hinged.matrices([0.0; 3], [4.0, 0.0, 0.0]).unwrap();
    assert!(member.k[4].iter().chain(&member.k[5]).chain(&member.m[4]).chain(&member.m[5]).all(|x| *x == 0.0));
}

#[test]
fn space_beam_closed_forms() {
    let l = 4.0;
    let Beam3d { e, g, area, iy, iz, j, rho, .. } = SPACE;
    let member = SPACE.matrices([0.0; 3], [l, 0.0, 0.0]).unwrap();
    let u = tip(&member.k, &[2e4, 1e4, 3e4, 5e3, 0.0, 0.0]);
    assert_close(u[0], 2e4 * l / (e * area), 1e-12);
    assert_close(u[1], 1e4 * l.powi(3) / (3.0 * e * iz), 1e-12);
    assert_close(u[2], 3e4 * l.powi(3) / (3.0 * e * iy), 1e-12);
    assert_close(u[3], 5e3 * l / (g * j), 1e-12);
    // A load along +z turns the tip about -y.
    assert_close(u[4], -3e4 * l * l / (2.0 * e * iy), 1e-12);
    assert_close(u[5], 1e4 * l * l / (2.0 * e * iz), 1e-12);
    let lumped = Beam3d { mass: MassKind::Lumped, ..SPACE }.matrices([0.0; 3], [l, 0.0, 0.0]).unwrap();
    for a in 0..12 {
        for b in 0..12 {
            let expected = if a == b && a % 6 < 3 { rho * area * l / 2.0 } else { 0.0 };
            assert!((lumped.m[a][b] - expected).abs() <= 1e-13 * expected, "({a}, {b})");
        }
    }
    assert_close(member.m[3][3], rho * (iy + iz) * l / 3.0, 1e-13);
    assert_close(member.m[3][9], rho * (iy + iz) * l / 6.0, 1e-13);
    assert_close(member.m[2][2], rho * area * l * 156.0 / 420.0, 1e-13);
    assert_close(member.m[2][4], -rho * area * l * 22.0 * l / 420.0, 1e-13);
    assert_close(member.m[1][5], rho * area * l * 22.0 * l / 420.0, 1e-13);
}

#[test]
fn space_beam_in_the_plane_is_the_plane_beam() {
    let mut random = Lcg(23);
    for release in RELEASES {
        for mass in [MassKind::Consistent, MassKind::Lumped] {
            let a = [random.next(), random.next()];
            let b = [2.0 + random.next(), 3.0 * random.next()];
            let plane = Beam2d { release, mass, ..PLANE }.matrices(a, b).unwrap();
            let ends = release.map(|mz| Release { mz, ..FIXED });
            let space = Beam3d { release: ends, mass, ..SPACE };
            let space = space.matrices([a[0], a[1], 0.7], [b[0], b[1], 0.7]).unwrap();
            let map = [0, 1, 5, 6, 7, 11];
            let pick = |x: &[[f64; 12]; 12]| -> [[f64; 6]; 6] {
                core::array::from_fn(|i| core::array::from_fn(|j| x[map[i]][map[j]]))
            };
            assert_same(&pick(&space.k), &plane.k, 1e-13);
            assert_same(&pick(&space.m), &plane.m, 1e-13);
        }
    }
}

#[test]
fn rotated_space_beam_is_the_transformed_one() {
    let mut random = Lcg(29);
    for _ in 0..10 {
        let ends = [Release { my: true, ..FIXED }, Release { torsion: true, mz: true, ..FIXED }];
        let v = [0.3, 0.4, 1.0];
        let beam = Beam3d { release: ends, orientation: Some(v), ..SPACE };
        let plain = beam.matrices([0.0; 3], [4.0, 1.0, 0.0]).unwrap();
        // Rows of `axes` are the body axes after the turn: a vector x becomes axesᵀ x.
        let axes = rotation(&mut random);
        let turn = |x: [f64; 3]| -> [f64; 3] { core::array::from_fn(|i| (0..3).map(|l| axes[l][i] * x[l]).sum()) };
        let beam = Beam3d { orientation: Some(turn(v)), ..beam };
        let tilted = beam.matrices([0.0; 3], turn([4.0, 1.0, 0.0])).unwrap();
        assert_same(&tilted.k, &turned(&plain.k, &axes), 1e-13);
        assert_same(&tilted.m, &turned(&plain.m, &axes), 1e-13);
    }
}

#[test]
fn default_orientation_of_the_space_beam() {
    let (_, axes) = SPACE.axes([0.0; 3], [2.0, 0.0, 0.0]).unwrap();
    assert_eq!(axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let (l, column) = SPACE.axes([1.0, 1.0, 0.0], [1.0, 1.0, 3.0]).unwrap();
    assert_eq!((l, column), (3.0, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]));
    let (_, inclined) = SPACE.axes([0.0; 3], [1.0, 2.0, 5.0]).unwrap();
    assert!(inclined[1][2] == 0.0 && inclined[2][2] > 0.0, "y horizontal, z upwards");
}

#[test]
fn impossible_beams_are_refused() {
    assert_eq!(PLANE.matrices([1.0, 2.0], [1.0, 2.0]).unwrap_err(), BeamError::ZeroLength);
    assert_eq!(PLANE.matrices([1.0, f64::NAN], [1.0, 2.0]).unwrap_err(), BeamError::ZeroLength);
    assert_eq!(SPACE.matrices([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).unwrap_err(), BeamError::ZeroLength);
    let along = |v| Beam3d { orientation: Some(v), ..SPACE }.matrices([0.0; 3], [1.0, 1.0, 0.0]).map(|_| ());
    assert_eq!(along([2.0, 2.0, 0.0]), Err(BeamError::Orientation));
    assert_eq!(along([0.0, 0.0, 0.0]), Err(BeamError::Orientation));
    assert_eq!(along([0.0, 0.0, f64::NAN]), Err(BeamError::Orientation));
    assert_eq!(along([1e-9, 0.0, 0.0]), Ok(()), "its length does not matter");
    let twist = Release { torsion: true, ..FIXED };
    let spinning = Beam3d { release: [twist, twist], ..SPACE };
    assert_eq!(spinning.matrices([0.0; 3], [0.7, 0.3, 0.9]).unwrap_err(), BeamError::Mechanism);
}

// ---------------------------------------------------------------------------------------------------
// Blocks.

#[test]
fn block_tangents_are_its_matrices_and_its_response_is_linear() {
    let (d, s) = (2, 3);
    let mut random = Lcg(31);
    let [a, b, bv, c, dq, dv] = [s * s, s * d, s * d, d * s, d * d, d * d].map(|n| random.vector(n));
    let block = Block { coordinates: d, states: s, a: &a, b: &b, bv: &bv, c: &c, d: &dq, dv: &dv };
    assert!(block.fits());
    assert_eq!((block.size(), block.has_mass()), ((d, s), false));
    let zero = Point { q: vec![0.0; d], v: vec![0.0; d], s: vec![0.0; s], acc: vec![1.0; d] };
    let tangent = Blocks::of(&block, &zero);
    let found = [&tangent.k, &tangent.c, &tangent.r, &tangent.a, &tangent.b, &tangent.e];
    assert_eq!(found, [&dq, &dv, &c, &b, &bv, &a]);
    for j in 0..zero.len() {
        let mut unit = zero.clone();
        *unit.entry(j) = 1.0;
        for (i, y) in outputs(&block, &unit).into_iter().enumerate() {
            assert_eq!(y, tangent.entry((d, s), i, j));
        }
    }
    // Superposition at a random point.
    let x = Point { q: random.vector(d), v: random.vector(d), s: random.vector(s), acc: vec![0.0; d] };
    for (i, y) in outputs(&block, &x).into_iter().enumerate() {
        let sum: f64 = (0..x.len()).map(|j| tangent.entry((d, s), i, j) * *x.clone().entry(j)).sum();
        assert!((y - sum).abs() < 1e-14, "{y} and {sum}");
    }
    // Each matrix counts.
    let shorter = |x: &mut &[f64]| *x = &x[1..];
    for wrong in 0..6 {
        let mut block = block;
        let matrix = match wrong {
            0 => &mut block.a,
            1 => &mut block.b,
            2 => &mut block.bv,
            3 => &mut block.c,
            4 => &mut block.d,
            _ => &mut block.dv,
        };
        shorter(matrix);
        assert!(!block.fits(), "matrix {wrong}");
    }
}

#[test]
fn a_law_gives_its_parameters_back() {
    for sample in SAMPLES {
        let law = AnyLaw::new(sample.law, sample.parameters).unwrap();
        law.with_parameters(|p| assert_eq!(p, sample.parameters, "{}", sample.law));
    }
}
