//! Elastic response spectra of the codes, as targets.

use crate::STANDARD_GRAVITY;

/// Ground types of EN 1998-1:2004, table 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundType {
    /// Rock.
    A,
    /// Very dense sand, gravel or very stiff clay.
    B,
    /// Deep dense or medium-dense sand, gravel or stiff clay.
    C,
    /// Loose-to-medium cohesionless or soft-to-firm cohesive soil.
    D,
    /// A surface alluvium layer of 5 to 20 m over rock.
    E,
}

/// The two shapes EN 1998-1 recommends: type 2 where the surface-wave magnitude stays below 5.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpectrumType {
    /// High seismicity, table 3.2.
    Type1,
    /// Low seismicity, table 3.3.
    Type2,
}

/// The horizontal elastic response spectrum of EN 1998-1:2004, 3.2.2.2, with the recommended parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ec8 {
    /// Design ground acceleration on type A ground, a_g = γ_I a_gR, in m/s².
    pub ag: f64,
    /// The ground.
    pub ground: GroundType,
    /// The shape.
    pub kind: SpectrumType,
    /// Damping ratio (0.05 for 5 %).
    pub damping: f64,
}

impl Ec8 {
    /// (S, T_B, T_C, T_D): tables 3.2 and 3.3.
    pub fn parameters(&self) -> (f64, f64, f64, f64) {
        match (self.kind, self.ground) {
            (SpectrumType::Type1, GroundType::A) => (1.0, 0.15, 0.4, 2.0),
            (SpectrumType::Type1, GroundType::B) => (1.2, 0.15, 0.5, 2.0),
            (SpectrumType::Type1, GroundType::C) => (1.15, 0.20, 0.6, 2.0),
            (SpectrumType::Type1, GroundType::D) => (1.35, 0.20, 0.8, 2.0),
            (SpectrumType::Type1, GroundType::E) => (1.4, 0.15, 0.5, 2.0),
            (SpectrumType::Type2, GroundType::A) => (1.0, 0.05, 0.25, 1.2),
            (SpectrumType::Type2, GroundType::B) => (1.35, 0.05, 0.25, 1.2),
            (SpectrumType::Type2, GroundType::C) => (1.5, 0.10, 0.25, 1.2),
            (SpectrumType::Type2, GroundType::D) => (1.8, 0.10, 0.30, 1.2),
            (SpectrumType::Type2, GroundType::E) => (1.6, 0.05, 0.25, 1.2),
        }
    }

    /// The damping correction η = √(10/(5+ξ)) ≥ 0.55 with ξ in percent: expression (3.6).
    pub fn eta(&self) -> f64 {
        (10.0 / (5.0 + 100.0 * self.damping.max(0.0))).sqrt().max(0.55)
    }

    /// S_e(T) in m/s²: expressions (3.2) to (3.5). The code gives them up to 4 s; beyond, the last branch goes on
    /// (Annex A would let the displacement fall back to the ground's).
    pub fn acceleration(&self, period: f64) -> f64 {
        let (s, tb, tc, td) = self.parameters();
        let eta = self.eta();
        let t = period.max(0.0);
        let plateau = self.ag * s * eta * 2.5;
        if t < tb {
            self.ag * s * (1.0 + t / tb * (eta * 2.5 - 1.0))
        } else if t <= tc {
            plateau
        } else if t <= td {
            plateau * tc / t
        } else {
            plateau * tc * td / (t * t)
        }
    }
}

/// The design response spectrum of ASCE/SEI 7-16, 11.4.6 (5 % damping).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asce7 {
    /// S_DS, short-period design acceleration, in g.
    pub sds: f64,
    /// S_D1, one-second design acceleration, in g.
    pub sd1: f64,
    /// T_L, long-period transition, in seconds.
    pub tl: f64,
}

impl Asce7 {
    /// (T_0, T_S) = (0.2, 1) S_D1/S_DS.
    pub fn corners(&self) -> (f64, f64) {
        let ts = if self.sds > 0.0 { self.sd1 / self.sds } else { 0.0 };
        (0.2 * ts, ts)
    }

    /// S_a(T) in m/s²: expressions (11.4-5) to (11.4-7).
    pub fn acceleration(&self, period: f64) -> f64 {
        let (t0, ts) = self.corners();
        let t = period.max(0.0);
        let sa = if t < t0 {
            self.sds * (0.4 + 0.6 * t / t0)
        } else if t <= ts {
            self.sds
        } else if t <= self.tl {
            self.sd1 / t
        } else {
            self.sd1 * self.tl / (t * t)
        };
        sa * STANDARD_GRAVITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eurocode_corners_by_hand() {
        let s = Ec8 { ag: 2.0, ground: GroundType::C, kind: SpectrumType::Type1, damping: 0.05 };
        for (t, sa) in [(0.0, 2.3), (0.1, 4.025), (0.2, 5.75), (0.6, 5.75), (1.2, 2.875), (2.0, 1.725), (4.0, 0.43125)]
        {
            assert!((s.acceleration(t) - sa).abs() < 1e-12, "{t}");
        }
        // 10 % damping: eta = sqrt(10/15); 50 %: sqrt(10/55) = 0.426, so 0.55.
        assert!((Ec8 { damping: 0.10, ..s }.eta() - 0.816496580927726).abs() < 1e-12);
        assert_eq!(Ec8 { damping: 0.50, ..s }.eta(), 0.55);
        let d2 = Ec8 { ag: 1.0, ground: GroundType::D, kind: SpectrumType::Type2, damping: 0.05 };
        // 1.8*2.5 = 4.5; at 1.2 s 4.5*0.3/1.2 = 1.125; at 2.4 s a quarter of it.
        assert!((d2.acceleration(0.3) - 4.5).abs() < 1e-12);
        assert!((d2.acceleration(1.2) - 1.125).abs() < 1e-12);
        assert!((d2.acceleration(2.4) - 0.28125).abs() < 1e-12);
    }

    #[test]
    fn continuous_everywhere() {
        for kind in [SpectrumType::Type1, SpectrumType::Type2] {
            for ground in [GroundType::A, GroundType::B, GroundType::C, GroundType::D, GroundType::E] {
                for damping in [0.02, 0.05, 0.2] {
                    let s = Ec8 { ag: 1.0, ground, kind, damping };
                    let (_, tb, tc, td) = s.parameters();
                    for t in [tb, tc, td] {
                        assert!((s.acceleration(t - 1e-9) - s.acceleration(t + 1e-9)).abs() < 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn asce_corners_by_hand() {
        // S_DS = 1.0 g, S_D1 = 0.6 g: T_0 = 0.12 s, T_S = 0.6 s.
        let s = Asce7 { sds: 1.0, sd1: 0.6, tl: 8.0 };
        assert!((s.corners().0 - 0.12).abs() < 1e-15);
        for (t, sa) in [(0.0, 0.4), (0.06, 0.7), (0.12, 1.0), (0.6, 1.0), (1.2, 0.5), (8.0, 0.075), (16.0, 0.01875)] {
            assert!((s.acceleration(t) / STANDARD_GRAVITY - sa).abs() < 1e-12, "{t}");
        }
    }
}
