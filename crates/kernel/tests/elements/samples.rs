//! Representative parameters: every law of the registry needs at least one entry.

use crate::tools::Point;

/// A law with parameters, the region in which it is examined, and what the tests may not step over.
pub(crate) struct Sample {
    pub(crate) law: &'static str,
    pub(crate) parameters: &'static [f64],
    /// Centre and half width of the region, per coordinate, rate and state.
    pub(crate) q: &'static [(f64, f64)],
    pub(crate) v: &'static [(f64, f64)],
    pub(crate) s: &'static [(f64, f64)],
    /// Distance to the nearest corner of the law, as a fraction of the region.
    pub(crate) corner: fn(&Point) -> f64,
    /// Gives back all energy put in.
    pub(crate) conservative: bool,
}

/// No corner, but keep away from zero rates and states where a small scale makes differences inaccurate.
pub(crate) fn signs(x: &Point) -> f64 {
    x.v.iter().chain(&x.s).fold(1.0, |least: f64, y| least.min(y.abs()))
}

pub(crate) const SAMPLES: &[Sample] = &[
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
