//! How sides are started whose scheme assigns its accelerations to a time between the steps (generalized-α): some
//! macro-steps with the trapezoidal member of the same family, then the rates are moved to their time (book: passivity 2.3).
//! Without it the multipliers have a transient of first order.

use interfield_kernel::scheme::alpha::Alpha;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::StageTimes;
use interfield_kernel::scheme::splitting::Splitting;

/// The scheme to start with: same memory, no averaging.
pub(crate) fn calm(scheme: AnyScheme) -> AnyScheme {
    match scheme {
        AnyScheme::Splitting(_) => AnyScheme::Splitting(Splitting::trapezoidal()),
        AnyScheme::Alpha(a) if lag(&scheme) != 0.0 => AnyScheme::Alpha(Alpha::newmark(0.25, 0.5, a.predictor)),
        other => other,
    }
}

/// The rates in the history belong to t + lag τ, for a step τ.
pub(crate) fn lag(scheme: &AnyScheme) -> f64 {
    match scheme {
        AnyScheme::Splitting(s) => -s.lag(),
        AnyScheme::Alpha(a) => a.alpha_m - a.alpha_f,
        _ => 0.0,
    }
}

/// Passive couplings need the time-derivative term of Rosenbrock methods (book: rosenbrock 3); the published schemes leave
/// it out.
pub(crate) fn timed(scheme: AnyScheme) -> AnyScheme {
    match scheme {
        AnyScheme::Rosenbrock(r) if r.time == StageTimes::Published => AnyScheme::Rosenbrock(r.shifted()),
        other => other,
    }
}

/// Derivative at node `at` of the parabola through three values (or the line through two) that are `h` apart.
pub(crate) fn slope(values: &[f64], at: usize, h: f64) -> f64 {
    match (values, at) {
        (&[a, b], _) => (b - a) / h,
        (&[a, b, c], 0) => (-3.0 * a + 4.0 * b - c) / (2.0 * h),
        (&[a, _, c], 1) => (c - a) / (2.0 * h),
        (&[a, b, c], _) => (a - 4.0 * b + 3.0 * c) / (2.0 * h),
        _ => 0.0,
    }
}
