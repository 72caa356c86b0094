//! Linear filters as a cascade of first- and second-order sections, by the bilinear rule (Tustin) from their Laplace form.
//!
//! A section is y = (b₀ + b₁ z⁻¹ + b₂ z⁻²)/(1 + a₁ z⁻¹ + a₂ z⁻²) u, kept in the transposed direct form: two numbers of memory each.

use std::f64::consts::{PI, TAU};

use realfft::num_complex::Complex64;

/// Most sections of a cascade: order 8.
pub const MOST_SECTIONS: usize = 4;

/// Numbers a section remembers.
const SECTION: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

/// A cascade of sections at a sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    sections: [Section; MOST_SECTIONS],
    count: usize,
    dt: f64,
}

impl Filter {
    /// What lets everything pass.
    pub fn none(dt: f64) -> Self {
        Filter { sections: Default::default(), count: 0, dt }
    }

    /// (b₀ + b₁ s + b₂ s²)/(a₀ + a₁ s + a₂ s²) by the rule of Tustin, s = 2/dt (1 - z⁻¹)/(1 + z⁻¹).
    pub fn tustin(b: [f64; 3], a: [f64; 3], dt: f64) -> Self {
        let k = 2.0 / dt;
        // A polynomial of the first order stays one: a second order would put a pole and a zero on z = -1.
        let transform = |p: [f64; 3]| {
            if a[2] == 0.0 && b[2] == 0.0 {
                [p[0] + p[1] * k, p[0] - p[1] * k, 0.0]
            } else {
                let (p1, p2) = (p[1] * k, p[2] * k * k);
                [p[0] + p1 + p2, 2.0 * (p[0] - p2), p[0] - p1 + p2]
            }
        };
        let (b, a) = (transform(b), transform(a));
        let section = Section { b: b.map(|x| x / a[0]), a: [a[1] / a[0], a[2] / a[0]] };
        let mut filter = Self::none(dt);
        filter.sections[0] = section;
        filter.count = 1;
        filter
    }

    /// Low-pass of the first order with its corner at `frequency`, Hz.
    pub fn first_order(frequency: f64, dt: f64) -> Self {
        let w = warped(frequency, dt);
        Self::tustin([w, 0.0, 0.0], [w, 1.0, 0.0], dt)
    }

    /// Low-pass of the second order with natural frequency, Hz, and damping ratio.
    pub fn second_order(frequency: f64, damping: f64, dt: f64) -> Self {
        let w = warped(frequency, dt);
        Self::tustin([w * w, 0.0, 0.0], [w * w, 2.0 * damping * w, 1.0], dt)
    }

    /// Low-pass of Butterworth, orders 1 to 8 (others become the nearest), with its corner (-3 dB) at `frequency`, Hz.
    pub fn butterworth(order: usize, frequency: f64, dt: f64) -> Self {
        let order = order.clamp(1, 2 * MOST_SECTIONS);
        let mut filter = Self::none(dt);
        for pair in 0..order / 2 {
            // Poles on a circle in the left half-plane, by pairs: the damping ratio is the sine of their angle to the axis.
            let damping = (PI * (2 * pair + 1) as f64 / (2 * order) as f64).sin();
            filter = filter.then(&Self::second_order(frequency, damping, dt));
        }
        if order % 2 == 1 { filter.then(&Self::first_order(frequency, dt)) } else { filter }
    }

    /// This filter followed by another; sections beyond the most there can be are left out.
    pub fn then(mut self, other: &Filter) -> Self {
        for section in &other.sections[..other.count] {
            if self.count < MOST_SECTIONS {
                self.sections[self.count] = *section;
                self.count += 1;
            }
        }
        self
    }

    /// Numbers it remembers.
    pub fn memory(&self) -> usize {
        SECTION * self.count
    }

    /// The output of a new sample.
    pub fn step(&self, memory: &mut [f64], input: f64) -> f64 {
        let sections = self.sections[..self.count].iter().zip(memory.chunks_exact_mut(SECTION));
        sections.fold(input, |u, (s, m)| {
            let y = s.b[0] * u + m[0];
            m[0] = s.b[1] * u - s.a[0] * y + m[1];
            m[1] = s.b[2] * u - s.a[1] * y;
            y
        })
    }

    /// Frequency response at a frequency, Hz.
    pub fn response(&self, frequency: f64) -> Complex64 {
        let z = Complex64::from_polar(1.0, -TAU * frequency * self.dt);
        let section = |s: &Section| (s.b[0] + z * (s.b[1] + z * s.b[2])) / (1.0 + z * (s.a[0] + z * s.a[1]));
        self.sections[..self.count].iter().map(section).product()
    }

    /// By how many seconds a sine of this frequency, Hz, comes out later: -phase/ω. Sections are taken one by one, so that no full turn
    /// is lost.
    pub fn phase_delay(&self, frequency: f64) -> f64 {
        let one = |s: &Section| {
            let alone = Filter { sections: [*s; MOST_SECTIONS], count: 1, dt: self.dt };
            -alone.response(frequency).arg() / (TAU * frequency)
        };
        self.sections[..self.count].iter().map(one).sum()
    }
}

/// The frequency, rad/s, that the rule of Tustin maps to this one, Hz: the corner stays where it is asked for.
fn warped(frequency: f64, dt: f64) -> f64 {
    2.0 / dt * (PI * frequency * dt).tan()
}
