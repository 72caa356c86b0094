//! Bounded least squares from several starts: a Levenberg-Marquardt search in the unit box with the damping rule of Nielsen (Report
//! IMM-REP-1999-05). Deterministic: the starts are a Kronecker sequence, no generator.

/// What a search asks of a problem.
pub trait Residuals {
    /// Sum of squares at a point of the unit box; infinite where there is none.
    fn cost(&self, x: &[f64]) -> f64;
    /// Sum of squares, Jᵀr and JᵀJ (row-major); `None` where there are none.
    fn normal(&self, x: &[f64]) -> Option<(f64, Vec<f64>, Vec<f64>)>;
}

/// Where a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Place in the unit box.
    pub x: Vec<f64>,
    /// Sum of squares there.
    pub cost: f64,
    /// Evaluations with derivatives.
    pub evaluations: usize,
}

/// Points at which a search looks first.
pub const SCREENED: usize = 64;
/// Best of them, which are refined.
pub const REFINED: usize = 6;
/// Most steps of a refinement.
const STEPS: usize = 60;
/// Largest step along a variable, part of its box.
const REACH: f64 = 0.3;

/// Point `j`, from 1, of the Kronecker sequence with the generalised golden ratio of `m` dimensions.
pub fn start(j: usize, m: usize) -> Vec<f64> {
    let mut g: f64 = 1.5;
    for _ in 0..60 {
        // g^(m+1) = g + 1
        g = (g + 1.0).powf(1.0 / (m as f64 + 1.0));
    }
    (1..=m).map(|d| (0.5 + j as f64 * g.powi(-(d as i32))).fract()).collect()
}

/// Looks at the starts, refines the best ones, and gives all ends, the best first.
pub fn everywhere(problem: &impl Residuals, m: usize) -> Vec<Found> {
    among(problem, m, [SCREENED, REFINED], None)
}

/// The same from so many starts, of which so many are refined, and from a first guess.
pub fn among(
    problem: &impl Residuals,
    m: usize,
    [screened, refined]: [usize; 2],
    first: Option<Vec<f64>>,
) -> Vec<Found> {
    if m == 0 {
        return vec![Found { x: Vec::new(), cost: problem.cost(&[]), evaluations: 1 }];
    }
    let mut starts: Vec<(f64, Vec<f64>)> = (1..=screened)
        .map(|j| {
            let x = start(j, m);
            (problem.cost(&x), x)
        })
        .filter(|(cost, _)| cost.is_finite())
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    starts.truncate(refined);
    let starts = first.into_iter().chain(starts.into_iter().map(|s| s.1));
    let mut found: Vec<Found> = starts.filter_map(|x| refine(problem, x)).collect();
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found
}

/// Refines one start.
pub fn refine(problem: &impl Residuals, mut x: Vec<f64>) -> Option<Found> {
    let m = x.len();
    let (mut cost, mut gradient, mut hessian) = problem.normal(&x)?;
    let (mut mu, mut nu) = (1e-2, 2.0);
    let mut evaluations = 1;
    for _ in 0..STEPS {
        let free: Vec<usize> =
            (0..m).filter(|&i| !(x[i] <= 0.0 && gradient[i] > 0.0 || x[i] >= 1.0 && gradient[i] < 0.0)).collect();
        if free.iter().all(|&i| gradient[i].abs() < 1e-12 * cost) || mu > 1e12 {
            break;
        }
        let Some(step) = damped(&hessian, &gradient, m, &free, mu) else {
            mu *= nu;
            nu *= 2.0;
            continue;
        };
        let mut next = x.clone();
        (0..m).for_each(|i| next[i] = (x[i] + step[i].clamp(-REACH, REACH)).clamp(0.0, 1.0));
        let s: Vec<f64> = (0..m).map(|i| next[i] - x[i]).collect();
        if s.iter().all(|s| s.abs() < 1e-9) {
            break;
        }
        let along: f64 = (0..m).map(|i| 2.0 * s[i] * gradient[i]).sum();
        let curved: f64 = (0..m * m).map(|e| s[e / m] * hessian[e] * s[e % m]).sum();
        let expected = -(along + curved);
        evaluations += 1;
        match problem.normal(&next) {
            Some((lower, g, h)) if lower < cost => {
                let gain = if expected > 0.0 { (cost - lower) / expected } else { 1.0 };
                mu *= (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
                nu = 2.0;
                let fall = (cost - lower) / cost;
                (x, cost, gradient, hessian) = (next, lower, g, h);
                if fall < 1e-12 {
                    break;
                }
            }
            _ => {
                mu *= nu;
                nu *= 2.0;
            }
        }
    }
    Some(Found { x, cost, evaluations })
}

/// (H + mu (diag H + 1e-6 tr(H)/m I)) s = -g on the free variables.
fn damped(h: &[f64], g: &[f64], m: usize, free: &[usize], mu: f64) -> Option<Vec<f64>> {
    let f = free.len();
    let floor = 1e-6 * (0..m).map(|i| h[i * m + i]).sum::<f64>() / m as f64;
    let mut a: Vec<f64> = (0..f * f).map(|e| h[free[e / f] * m + free[e % f]]).collect();
    (0..f).for_each(|i| a[i * f + i] += mu * (a[i * f + i] + floor));
    let mut b: Vec<f64> = free.iter().map(|&i| -g[i]).collect();
    if !interfield_linalg::dense_solve(&a, f, &mut b, 1) || b.iter().any(|b| !b.is_finite()) {
        return None;
    }
    let mut step = vec![0.0; m];
    free.iter().zip(b).for_each(|(&i, b)| step[i] = b);
    Some(step)
}

/// Jᵀr and JᵀJ from the columns of J.
pub fn normal_equations(jacobian: &[f64], residual: &[f64], m: usize) -> (Vec<f64>, Vec<f64>) {
    let n = residual.len();
    let column = |i: usize| &jacobian[i * n..(i + 1) * n];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let g = (0..m).map(|i| dot(column(i), residual)).collect();
    let mut h = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let x = dot(column(i), column(j));
            (h[i * m + j], h[j * m + i]) = (x, x);
        }
    }
    (g, h)
}
