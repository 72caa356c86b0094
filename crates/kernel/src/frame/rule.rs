//! Where along a member the sections stand, and how much of it belongs to each: points in [0, 1] and weights of sum 1.

/// Most points of a member.
pub const POINTS: usize = 10;

/// Points and weights of a member, with the section that stands at each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Number of points.
    pub count: usize,
    /// Positions along the member, 0 to 1.
    pub xi: [f64; POINTS],
    /// Weights.
    pub weight: [f64; POINTS],
    /// Sections, by their number in the tables.
    pub section: [usize; POINTS],
}

impl Rule {
    const EMPTY: Rule = Rule { count: 0, xi: [0.0; POINTS], weight: [0.0; POINTS], section: [0; POINTS] };

    /// Adds a point.
    fn push(&mut self, xi: f64, weight: f64, section: usize) {
        (self.xi[self.count], self.weight[self.count], self.section[self.count]) = (xi, weight, section);
        self.count += 1;
    }

    /// Gauss-Lobatto: both ends are points, exact for polynomials of degree 2n - 3. Two to ten points.
    pub fn lobatto(n: usize, section: usize) -> Option<Rule> {
        (2..=POINTS).contains(&n).then(|| {
            let mut rule = Rule::EMPTY;
            for i in 0..n {
                // The inner points are the roots of P'_{n-1}: Newton from those of Chebyshev.
                let mut x = -libm::cos(core::f64::consts::PI * i as f64 / (n - 1) as f64);
                if i > 0 && i + 1 < n {
                    for _ in 0..50 {
                        let (p, dp, ddp) = legendre(n - 1, x);
                        let _ = p;
                        x -= dp / ddp;
                    }
                }
                let p = legendre(n - 1, x).0;
                rule.push(0.5 * (1.0 + x), 1.0 / ((n * (n - 1)) as f64 * p * p), section);
            }
            rule
        })
    }

    /// Gauss-Legendre: exact for polynomials of degree 2n - 1. One to ten points.
    pub fn legendre(n: usize, section: usize) -> Option<Rule> {
        (1..=POINTS).contains(&n).then(|| {
            let mut rule = Rule::EMPTY;
            for i in 0..n {
                let mut x = -libm::cos(core::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5));
                for _ in 0..50 {
                    let (p, dp, _) = legendre(n, x);
                    x -= p / dp;
                }
                let dp = legendre(n, x).1;
                rule.push(0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * dp * dp), section);
            }
            rule
        })
    }

    /// Plastic hinges of lengths `lp` (as shares of the member) at both ends, modified Gauss-Radau (Scott and Fenves, J. Struct.
    /// Eng. 132(2), 2006): exact for linear elastic members, and the length of a hinge is right under softening.
    /// Sections at the first end, in between, and at the second.
    pub fn hinges([a, b]: [f64; 2], [first, between, second]: [usize; 3]) -> Rule {
        let (half, middle) = (0.5 - 2.0 * (a + b), 0.5 + 2.0 * (a - b));
        let inner = half / libm::sqrt(3.0);
        let mut rule = Rule::EMPTY;
        rule.push(0.0, a, first);
        rule.push(8.0 * a / 3.0, 3.0 * a, between);
        rule.push(middle - inner, half, between);
        rule.push(middle + inner, half, between);
        rule.push(1.0 - 8.0 * b / 3.0, 3.0 * b, between);
        rule.push(1.0, b, second);
        rule
    }
}

/// Legendre polynomial of degree n with its first and second derivative.
fn legendre(n: usize, x: f64) -> (f64, f64, f64) {
    let (mut before, mut p) = (1.0, x);
    for k in 2..=n {
        let next = ((2 * k - 1) as f64 * x * p - (k - 1) as f64 * before) / k as f64;
        (before, p) = (p, next);
    }
    let n = n as f64;
    let dp = n * (x * p - before) / (x * x - 1.0);
    let ddp = (2.0 * x * dp - n * (n + 1.0) * p) / (1.0 - x * x);
    (p, dp, ddp)
}
