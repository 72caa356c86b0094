//! Strokes of struts against their closed form: the length between two points of which one turns about a node, in 106 bits, so that a
//! strut of a kilometre is measured to a millionth of the smallest motion.

use interfield_lab::kinematics::{Kinematics, Lever, Strut};

/// A number as the sum of two, with exact sums and products (T. J. Dekker, Numerische Mathematik 18, 1971).
#[derive(Clone, Copy)]
struct Long(f64, f64);

impl Long {
    const ZERO: Self = Long(0.0, 0.0);

    fn of(x: f64) -> Self {
        Long(x, 0.0)
    }

    fn plus(self, b: Self) -> Self {
        let s = self.0 + b.0;
        let t = s - self.0;
        let e = (self.0 - (s - t)) + (b.0 - t) + self.1 + b.1;
        let sum = s + e;
        Long(sum, e - (sum - s))
    }

    fn times(self, b: Self) -> Self {
        let p = self.0 * b.0;
        let e = self.0.mul_add(b.0, -p) + self.0 * b.1 + self.1 * b.0;
        let product = p + e;
        Long(product, e - (product - p))
    }

    fn minus(self, b: Self) -> Self {
        self.plus(Long(-b.0, -b.1))
    }

    fn by(self, x: f64) -> Self {
        // One step of the division of a remainder.
        let q = self.0 / x;
        let rest = self.minus(Long::of(q).times(Long::of(x)));
        Long(q, 0.0).plus(Long::of((rest.0 + rest.1) / x))
    }

    fn root(self) -> Self {
        let r = self.0.sqrt();
        let rest = self.minus(Long::of(r).times(Long::of(r)));
        Long::of(r).plus(Long::of(rest.0 / (2.0 * r)))
    }

    /// Sine and cosine by their series, for angles up to 1.
    fn turn(self) -> (Self, Self) {
        let (mut term, mut sin, mut cos) = (Long::of(1.0), Long::ZERO, Long::of(1.0));
        for k in 1..40 {
            term = term.times(self).by(f64::from(k));
            let signed = if k % 4 >= 2 { Long(-term.0, -term.1) } else { term };
            if k % 2 == 1 {
                sin = sin.plus(signed);
            } else {
                cos = cos.plus(signed);
            }
        }
        (sin, cos)
    }
}

type Vector = [f64; 3];

fn length(v: [Long; 3]) -> Long {
    v.into_iter().fold(Long::ZERO, |s, x| s.plus(x.times(x))).root()
}

/// |pivot + t + Rz Ry Rx (attachment - pivot) - anchor| - |attachment - anchor|.
fn closed_form(anchor: Vector, attachment: Vector, pivot: Vector, t: Vector, angles: Vector) -> f64 {
    let long = |v: Vector| v.map(Long::of);
    let [anchor, attachment, pivot, t] = [anchor, attachment, pivot, t].map(long);
    let mut arm: [Long; 3] = std::array::from_fn(|i| attachment[i].minus(pivot[i]));
    for (axis, angle) in angles.into_iter().enumerate() {
        let (s, c) = Long::of(angle).turn();
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let (y, z) = (arm[j], arm[k]);
        arm[j] = c.times(y).minus(s.times(z));
        arm[k] = s.times(y).plus(c.times(z));
    }
    let moved: [Long; 3] = std::array::from_fn(|i| pivot[i].plus(t[i]).plus(arm[i]).minus(anchor[i]));
    let rest: [Long; 3] = std::array::from_fn(|i| attachment[i].minus(anchor[i]));
    let stroke = length(moved).minus(length(rest));
    stroke.0 + stroke.1
}

/// A rig on one body: `struts` as attachment and direction to the anchor, at this length.
fn struts(list: &[(Vector, Vector)], long: f64, pivot: Vector, moved: [[Option<usize>; 3]; 2]) -> Vec<Strut> {
    let one = |&(attachment, to): &(Vector, Vector)| {
        let size = to.iter().map(|x| x * x).sum::<f64>().sqrt();
        let anchor = std::array::from_fn(|i| attachment[i] + long * to[i] / size);
        Strut { anchor, attachment, pivot, translations: moved[0], rotations: moved[1] }
    };
    list.iter().map(one).collect()
}

/// Three struts on an L-shaped plan, and the six legs of a hexapod.
fn rigs(long: f64) -> [(Vec<Strut>, usize); 2] {
    let plan =
        [([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]), ([0.0, 7.0, 0.0], [-1.0, 0.0, 0.0]), ([6.0, 0.0, 0.0], [0.1, -1.0, 0.0])];
    let legs: Vec<(Vector, Vector)> = (0..6)
        .map(|i| {
            let at = f64::from(i) * std::f64::consts::FRAC_PI_3;
            let lean = if i % 2 == 0 { 0.5 } else { -0.5 };
            ([1.2 * at.cos(), 1.2 * at.sin(), -0.1], [lean * -at.sin(), lean * at.cos(), -1.0])
        })
        .collect();
    let flat = [[Some(0), Some(1), None], [None, None, Some(2)]];
    let space = [[Some(0), Some(1), Some(2)], [Some(3), Some(4), Some(5)]];
    [(struts(&plan, long, [2.8, 2.4, 0.0], flat), 3), (struts(&legs, long, [0.0, 0.0, 0.3], space), 6)]
}

#[test]
fn strokes_have_their_closed_form_at_any_length_and_rotation() {
    for long in [0.01, 1.0, 3.7, 40.0, 100.0, 1000.0] {
        for angle in [1e-9, 1e-6, 1e-3, 0.03, 0.1, 0.5] {
            for (struts, n) in rigs(long) {
                let kinematics = Kinematics::new(struts.iter().cloned().map(Lever::Strut).collect(), n);
                // Displacements of the size of what the rotation does.
                let u: Vec<f64> = (0..n).map(|i| angle * [0.8, -0.6, 1.0, 0.7, -0.4, 0.9][i]).collect();
                let of = |d: Option<usize>| d.map_or(0.0, |d| u[d]);
                let mut q = vec![0.0; n];
                kinematics.strokes(&u, &mut q);
                for (strut, q) in struts.iter().zip(q) {
                    let [t, turn] = [strut.translations, strut.rotations].map(|list| list.map(of));
                    let exact = closed_form(strut.anchor, strut.attachment, strut.pivot, t, turn);
                    // Relative to the motion of the end, which is a few times the angle: 1e-24 m for the smallest one.
                    assert!(
                        (q - exact).abs() <= 2e-15 * 8.0 * angle,
                        "{long} m, {angle} rad: {q:e}, exactly {exact:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn displacements_come_back_from_strokes_at_any_length() {
    for long in [0.01, 1.0, 3.7, 40.0, 100.0, 1000.0] {
        for angle in [1e-9, 1e-6, 1e-3, 0.03, 0.1, 0.3] {
            // A rig turns over where its body moves by as much as a strut is long.
            for (struts, n) in rigs(long).into_iter().filter(|_| 10.0 * angle < long) {
                let mut kinematics = Kinematics::new(struts.into_iter().map(Lever::Strut).collect(), n);
                let u: Vec<f64> = (0..n).map(|i| angle * [0.8, -0.6, 1.0, 0.7, -0.4, 0.9][i]).collect();
                let (mut q, mut back) = (vec![0.0; n], vec![0.0; n]);
                // As a test goes: from sample to sample.
                for sample in 1..=8 {
                    let there: Vec<f64> = u.iter().map(|u| u * f64::from(sample) / 8.0).collect();
                    kinematics.strokes(&there, &mut q);
                    assert!(kinematics.displacements(&q, &mut back), "{long} m, {angle} rad");
                }
                let off = u.iter().zip(&back).fold(0.0f64, |m, (u, b)| m.max((u - b).abs()));
                assert!(off <= 1e-12 * angle, "{long} m, {angle} rad: {off:e}");
            }
        }
    }
}

/// At rest all strokes are zero, and so is everything that a difference could be compared with.
#[test]
fn every_rig_comes_home() {
    for long in [0.5, 2.3, 40.0, 1000.0] {
        for angle in [1e-3, 0.03, 0.2] {
            for (struts, n) in rigs(long).into_iter().filter(|_| 10.0 * angle < long) {
                let mut kinematics = Kinematics::new(struts.into_iter().map(Lever::Strut).collect(), n);
                let u: Vec<f64> = (0..n).map(|i| angle * [0.8, -0.6, 1.0, 0.7, -0.4, 0.9][i]).collect();
                let (mut q, mut back) = (vec![0.0; n], vec![0.0; n]);
                kinematics.strokes(&u, &mut q);
                for left in [1.0, 0.6, 0.1, 1e-2, 1e-5, 1e-9, 0.0] {
                    let asked: Vec<f64> = q.iter().map(|q| left * q).collect();
                    assert!(kinematics.displacements(&asked, &mut back), "{long} m, {angle} rad, {left} of the way");
                }
                assert!(back.iter().all(|x| x.abs() < 1e-20), "{long} m, {angle} rad: {back:?}");
            }
        }
    }
}
