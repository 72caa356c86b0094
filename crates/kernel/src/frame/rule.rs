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

    /// Gauss-Radau: the first end is a point, exact for polynomials of degree 2n - 2. Two to ten points.
    pub fn radau(n: usize, section: usize) -> Option<Rule> {
        (2..=POINTS).contains(&n).then(|| {
            let mut rule = Rule::EMPTY;
            rule.push(0.0, 1.0 / (n * n) as f64, section);
            for i in 1..n {
                // Roots of (P_{n-1} + P_n)/(1 + x), from those of Chebyshev.
                let mut x = -libm::cos(core::f64::consts::TAU * i as f64 / (2 * n - 1) as f64);
                for _ in 0..50 {
                    let ((p, dp, _), (q, dq, _)) = (legendre(n - 1, x), legendre(n, x));
                    x -= (p + q) / (dp + dq - (p + q) / (1.0 + x));
                }
                let p = legendre(n - 1, x).0;
                rule.push(0.5 * (1.0 + x), 0.5 * (1.0 - x) / ((n * n) as f64 * p * p), section);
            }
            rule
        })
    }

    /// Newton-Cotes: points at equal distances, both ends included, exact for polynomials of degree n - 1. Two to ten points.
    pub fn newton_cotes(n: usize, section: usize) -> Option<Rule> {
        let gauss = (n >= 2).then(|| Rule::legendre(n, section))??;
        let mut rule = Rule::EMPTY;
        for i in 0..n {
            let at = |i: usize| i as f64 / (n - 1) as f64;
            let lagrange = |x: f64| (0..n).filter(|&j| j != i).map(|j| (x - at(j)) / (at(i) - at(j))).product::<f64>();
            rule.push(at(i), (0..n).map(|g| gauss.weight[g] * lagrange(gauss.xi[g])).sum(), section);
        }
        Some(rule)
    }

    /// Trapezoidal: points at equal distances, both ends included with half the weight. Two to ten points.
    pub fn trapezoidal(n: usize, section: usize) -> Option<Rule> {
        (2..=POINTS).contains(&n).then(|| {
            let (mut rule, step) = (Rule::EMPTY, 1.0 / (n - 1) as f64);
            for i in 0..n {
                rule.push(i as f64 * step, if i == 0 || i + 1 == n { 0.5 * step } else { step }, section);
            }
            rule
        })
    }

    /// Points, weights and sections as given. One to ten points.
    pub fn given(points: &[(f64, f64, usize)]) -> Option<Rule> {
        (1..=POINTS).contains(&points.len()).then(|| {
            let mut rule = Rule::EMPTY;
            points.iter().for_each(|&(xi, weight, section)| rule.push(xi, weight, section));
            rule
        })
    }

    /// Plastic hinges of lengths a and b (as shares of the member) at both ends (Scott and Fenves, J. Struct. Eng. 132(2), 2006).
    /// Sections at the first end, in between, and at the second.
    pub fn hinges(kind: Hinges, [a, b]: [f64; 2], [first, between, second]: [usize; 3]) -> Rule {
        let mut rule = Rule::EMPTY;
        let third = libm::sqrt(3.0);
        let inside = |rule: &mut Rule, from: f64, to: f64| {
            let (half, middle) = (0.5 * (to - from), 0.5 * (from + to));
            rule.push(middle - half / third, half, between);
            rule.push(middle + half / third, half, between);
        };
        match kind {
            Hinges::Radau => {
                rule.push(0.0, a, first);
                rule.push(8.0 * a / 3.0, 3.0 * a, between);
                inside(&mut rule, 4.0 * a, 1.0 - 4.0 * b);
                rule.push(1.0 - 8.0 * b / 3.0, 3.0 * b, between);
                rule.push(1.0, b, second);
            }
            Hinges::TwoRadau => {
                rule.push(0.0, 0.25 * a, first);
                rule.push(2.0 * a / 3.0, 0.75 * a, first);
                inside(&mut rule, a, 1.0 - b);
                rule.push(1.0 - 2.0 * b / 3.0, 0.75 * b, second);
                rule.push(1.0, 0.25 * b, second);
            }
            Hinges::Midpoint => {
                rule.push(0.5 * a, a, first);
                inside(&mut rule, a, 1.0 - b);
                rule.push(1.0 - 0.5 * b, b, second);
            }
            Hinges::Endpoint => {
                rule.push(0.0, a, first);
                inside(&mut rule, a, 1.0 - b);
                rule.push(1.0, b, second);
            }
        }
        rule
    }
}

/// How plastic hinges at the ends of a member are integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hinges {
    /// Modified Gauss-Radau: exact for linear elastic members, and the length of a hinge is right under softening. A hinge takes four times its
    /// length of the member.
    Radau,
    /// Two points of Gauss-Radau in each hinge.
    TwoRadau,
    /// One point in the middle of each hinge.
    Midpoint,
    /// One point at each end.
    Endpoint,
}

impl Hinges {
    /// What hinges of these lengths take of a member, as shares of it.
    pub fn reach(self, [a, b]: [f64; 2]) -> f64 {
        if self == Hinges::Radau { 4.0 * (a + b) } else { a + b }
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
