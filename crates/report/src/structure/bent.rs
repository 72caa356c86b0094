//! The shape of a member that bends between its ends.

type Vector = [f64; 3];

/// What is known at the ends of a member: its places at rest, displacements and rotations (vectors, rad).
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Place, displacement and rotation of the start and of the end.
    pub at: [(Vector, Vector, Vector); 2],
    /// Ends that do not turn with their nodes.
    pub hinges: [bool; 2],
}

/// A point of a member at the share `s` of its length: linear along its axis, and across it the cubic of Hermite with the slopes
/// θ × e that the ends have (Euler-Bernoulli without loads between the ends; J. S. Przemieniecki, Theory of Matrix Structural
/// Analysis, 1968, section 5.6). A hinged end has the slope that leaves it without a moment.
pub fn bent(ends: &Ends, s: f64) -> Vector {
    let [(a, ua, ta), (b, ub, tb)] = ends.at;
    let axis = minus(b, a);
    let length = dot(axis, axis).sqrt();
    let straight = |x: Vector, y: Vector| [0, 1, 2].map(|i| x[i] + s * (y[i] - x[i]));
    if length == 0.0 || !length.is_finite() {
        return plus(straight(a, b), straight(ua, ub));
    }
    let e = axis.map(|x| x / length);
    // Slopes times the length, so that all are displacements.
    let slope = |t: Vector| cross(t, e).map(|x| x * length);
    let across = |u: Vector| minus(u, e.map(|x| x * dot(u, e)));
    let (wa, wb, chord) = (across(ua), across(ub), minus(across(ub), across(ua)));
    let (mut pa, mut pb) = (slope(ta), slope(tb));
    // No moment at a hinge: w'' = 0 there.
    match ends.hinges {
        [true, true] => (pa, pb) = (chord, chord),
        [true, false] => pa = [0, 1, 2].map(|i| 1.5 * chord[i] - 0.5 * pb[i]),
        [false, true] => pb = [0, 1, 2].map(|i| 1.5 * chord[i] - 0.5 * pa[i]),
        [false, false] => {}
    }
    let (s2, s3) = (s * s, s * s * s);
    let weights = [1.0 - 3.0 * s2 + 2.0 * s3, s - 2.0 * s2 + s3, 3.0 * s2 - 2.0 * s3, s3 - s2];
    let bending = [0, 1, 2].map(|i| weights[0] * wa[i] + weights[1] * pa[i] + weights[2] * wb[i] + weights[3] * pb[i]);
    let axial = straight(minus(ua, wa), minus(ub, wb));
    plus(plus(straight(a, b), axial), bending)
}

fn plus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: Vector = [0.0; 3];

    fn near(a: Vector, b: Vector) {
        assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-12), "{a:?} {b:?}");
    }

    /// A cantilever of length 2 along x with a force at its end: w = P x² (3 l - x) / 6 EI, slope P l² / 2 EI at the end.
    #[test]
    fn a_cantilever_has_its_closed_form() {
        let (l, p) = (2.0, 0.3);
        let w = |x: f64| p * x * x * (3.0 * l - x) / 6.0;
        let end = ([l, 0.0, 0.0], [0.0, w(l), 0.0], [0.0, 0.0, p * l * l / 2.0]);
        let ends = Ends { at: [(STILL, STILL, STILL), end], hinges: [false; 2] };
        for k in 0..=10 {
            let x = l * f64::from(k) / 10.0;
            near(bent(&ends, x / l), [x, w(x), 0.0]);
        }
        // A propped end has no moment: its node may turn as it likes.
        let hinged =
            |turn: f64| Ends { at: [(STILL, STILL, STILL), (end.0, end.1, [0.0, 0.0, turn])], hinges: [false, true] };
        near(bent(&hinged(0.0), 0.5), bent(&ends, 0.5));
        near(bent(&hinged(9.0), 0.5), bent(&ends, 0.5));
    }

    /// What moves and turns as a whole stays straight, whichever way it points.
    #[test]
    fn a_rigid_motion_does_not_bend() {
        let (a, b) = ([1.0, 2.0, 3.0], [2.0, 0.0, 4.0]);
        let turn = [1e-3, -2e-3, 5e-4];
        let moved = |p: Vector| plus([0.1, -0.2, 0.05], cross(turn, p));
        let ends = Ends { at: [(a, moved(a), turn), (b, moved(b), turn)], hinges: [false; 2] };
        for s in [0.0, 0.25, 0.5, 1.0] {
            let p = [0, 1, 2].map(|i| a[i] + s * (b[i] - a[i]));
            near(bent(&ends, s), plus(p, moved(p)));
        }
        let both = Ends { hinges: [true; 2], ..ends };
        near(bent(&both, 0.5), bent(&ends, 0.5));
    }

    #[test]
    fn a_member_without_length_is_drawn_where_it_is() {
        let ends = Ends { at: [(STILL, [1.0, 0.0, 0.0], STILL), (STILL, [1.0, 0.0, 0.0], STILL)], hinges: [false; 2] };
        near(bent(&ends, 0.5), [1.0, 0.0, 0.0]);
    }
}
