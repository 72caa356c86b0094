//! The columns of the laws over a path.

use interfield_kernel::Scalar;

use super::{Family, Path, Size};

pub(super) fn columns<T: Scalar>(family: Family, eta: &[T], path: &Path<'_, T>, size: &Size) -> Vec<T> {
    let zero = T::constant(0.0);
    let (q, v) = (path.q, path.v);
    let width = family.linear(!v.is_empty()).len();
    let mut out = Vec::with_capacity(q.len() * width);
    match (family, eta) {
        (Family::BoucWen, &[xy, r, n]) => {
            let one = T::constant(1.0);
            moved(path, [path.start * xy], |_, [z], d| [yielding(one, z / xy, r, n, d)], |q, [z]| out.extend([z, q]));
        }
        (Family::ModifiedBoucWen, &[xy, xa, r, n]) => {
            let slope = |x: T, [z]: [T; 1], d: T| {
                let s = x / xa;
                [yielding(T::constant(1.0) / (s * s + 1.0), z / xy, r, n, d)]
            };
            moved(path, [path.start * xy], slope, |_, [z]| out.push(z));
        }
        (Family::DegradingBoucWen, &[xy, a, dk, ds, n, n1]) => {
            let (one, area) = (T::constant(1.0), xy * xy);
            let slope = |_: T, [f, h]: [T; 2], d: T| {
                let w = h / area;
                let stiffness = zero.max((-(dk * w)).exp() - a);
                let used = f * (ds * w + 1.0) / ((one - a) * xy);
                [stiffness * yielding(one, used, n1, n, d), f * d]
            };
            moved(path, [path.start * xy, zero], slope, |q, [f, _]| out.push(a * q + f));
        }
        (Family::Mostaghel, &[delta]) => {
            // Exactly: the slider follows until it slips.
            let mut s = path.start * delta;
            for k in 0..q.len() {
                let d = if k == 0 { zero } else { q[k] - q[k - 1] };
                s = delta.min((-delta).max(s + d));
                out.extend([q[k], s]);
            }
        }
        (Family::Damper, &[n, v0]) => {
            for &v in v {
                let relative = (v * v + v0 * v0) / (size.rms * size.rms);
                out.push(v / size.rms * relative.pow((n - 1.0) * 0.5));
            }
        }
        (Family::Cubic, _) => (0..q.len()).for_each(|k| {
            out.extend([q[k], q[k] * q[k] * q[k]]);
            out.extend(v.get(k).copied());
        }),
        (Family::Spring, _) => (0..q.len()).for_each(|k| {
            out.push(q[k]);
            out.extend(v.get(k).copied());
        }),
        _ => {}
    }
    out
}

/// [lead - |x|^n (r sign(d) sign(x) + 1 - r)] d
#[inline(always)]
fn yielding<T: Scalar>(lead: T, x: T, r: T, n: T, d: T) -> T {
    (lead - x.abs().pow(n) * (r * (d.sign() * x.sign()) + (T::constant(1.0) - r))) * d
}

/// Moves states along a path by the classical Runge-Kutta method, and shows the samples.
fn moved<T: Scalar, const S: usize>(
    path: &Path<'_, T>,
    start: [T; S],
    slope: impl Fn(T, [T; S], T) -> [T; S],
    mut see: impl FnMut(T, [T; S]),
) {
    let Some(&first) = path.q.first() else { return };
    let mut z = start;
    see(first, z);
    let along = |z: [T; S], k: [T; S], share: f64| -> [T; S] { core::array::from_fn(|i| z[i] + k[i] * share) };
    for pair in path.q.windows(2) {
        let d = (pair[1] - pair[0]) / path.substeps as f64;
        for step in 0..path.substeps {
            let x = pair[0] + d * step as f64;
            let middle = x + d * 0.5;
            let k1 = slope(x, z, d);
            let k2 = slope(middle, along(z, k1, 0.5), d);
            let k3 = slope(middle, along(z, k2, 0.5), d);
            let k4 = slope(x + d, along(z, k3, 1.0), d);
            z = core::array::from_fn(|i| z[i] + (k1[i] + k2[i] * 2.0 + k3[i] * 2.0 + k4[i]) / 6.0);
        }
        see(pair[1], z);
    }
}
