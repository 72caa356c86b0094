//! What quantities measure: a type for each, so that a frequency in Hz and an angular frequency in rad/s cannot stand for
//! each other.

use super::Place;
use super::kinds::{Fallback, Kind, Plain};
use crate::reader::{Item, Table};
use crate::schema::Value;
use crate::units::Dimension;

/// A kind of quantity.
pub trait Measure: for<'d> Kind<Value<'d> = f64> {
    /// Its dimension, where displacements have this one.
    fn dimension(&self, along: Dimension) -> Dimension;
}

/// A quantity of a dimension that is known only when the file is read.
#[derive(Clone, Copy, Debug)]
pub struct Measured(pub Dimension);

impl Kind for Measured {
    type Value<'d> = f64;

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<f64> {
        let x = table.read_quantity(item, self.0)?;
        place.check(table, x.value, self.0, x.span).then_some(x.value)
    }

    fn value(&self) -> Value {
        let words = if self.0.is_none() { "a pure number".to_owned() } else { self.0.describe() };
        Value::quantity(&words, &self.0.example())
    }
}

/// Quantities: their dimension, from that of the displacements of the table (`along`) where it depends on them; then in words
/// and with an example.
macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = |$along:ident| $dim:expr $(, $words:literal, $example:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Plain for $name {
            const KIND: Self = $name;
        }

        impl Fallback<f64> for $name {
            fn fallback(&self) -> f64 {
                0.0
            }
        }

        impl Measure for $name {
            fn dimension(&self, $along: Dimension) -> Dimension {
                $dim
            }
        }

        impl Kind for $name {
            type Value<'d> = f64;

            fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<f64> {
                Measured(self.dimension(table.displacement())).read(table, place, item)
            }

            #[allow(unreachable_code)]
            fn value(&self) -> Value {
                $(return Value::quantity($words, $example);)?
                Measured(self.dimension(Dimension::LENGTH)).value()
            }
        }
    )*};
}

measures! {
    /// Without dimension, perhaps an expression.
    Pure = |_along| Dimension::NONE;
    /// Of time.
    Time = |_along| Dimension::TIME;
    /// Cycles per time, Hz.
    Frequency = |_along| Dimension::FREQUENCY;
    /// Angle per time, rad/s.
    AngularFrequency = |_along| Dimension::ANGULAR_FREQUENCY;
    /// 1/time that counts nothing.
    Rate = |_along| Dimension::RATE;
    /// Of a position or a distance.
    Length = |_along| Dimension::LENGTH;
    /// Of a cross-section or a fibre.
    Area = |_along| Dimension::AREA;
    /// Of a bending stiffness.
    SecondMoment = |_along| Dimension::SECOND_MOMENT;
    /// Of a material.
    Stress = |_along| Dimension::STRESS;
    /// Of a plane angle.
    Angle = |_along| Dimension::ANGLE;
    /// Of torsion: G J.
    Rigidity = |_along| Dimension::FLEXURAL_RIGIDITY;
    /// Along a member.
    ForcePerLength = |_along| Dimension::STIFFNESS, "a force per length", "-20 kN/m";
    /// On translations.
    Velocity = |_along| Dimension::VELOCITY;
    /// On translations.
    Acceleration = |_along| Dimension::ACCELERATION;
    /// On translations.
    Mass = |_along| Dimension::MASS;
    /// On rotations.
    RotaryInertia = |_along| Dimension::INERTIA;
    /// Per length of a member.
    MassPerLength = |_along| Dimension::MASS_PER_LENGTH;
    /// Force by length.
    Stiffness = |_along| Dimension::STIFFNESS;
    /// Of what is moved.
    Stroke = |along| along, "a length, or an angle for a rotation", "5 mm";
    /// Of what is moved.
    StrokeRate = |along| along.times(Dimension::RATE), "a velocity, or an angular velocity for a rotation", "500 mm/s";
    /// Of what is moved.
    StrokeAcceleration = |along| along.times(Dimension::RATE.power(2.0)), "an acceleration, or an angular \
        acceleration for a rotation", "20 m/s^2";
    /// Of what is moved.
    StrokeJerk = |along| along.times(Dimension::RATE.power(3.0)), "a jerk, or an angular jerk for a rotation", "500 \
        m/s^3";
    /// Against what is moved.
    Force = |along| Dimension::MOMENT.per(along), "a force, or a moment for a rotation", "10 kN";
    /// Against what is moved.
    ForceRate = |along| Force.dimension(along).times(Dimension::RATE), "a rate of force, or a rate of moment for a \
        rotation", "2000 kN/s";
    /// Of one coordinate.
    Tangent = |along| Force.dimension(along).per(along), "a stiffness, or a rotational stiffness for a rotation", "4 \
        kN/mm";
    /// Of one coordinate.
    TangentDamping = |along| Tangent.dimension(along).times(Dimension::TIME), "a damping, or a rotational damping for \
        a rotation", "5 kN*s/m";
    /// Of a sensor.
    Shown = |along| along, "the quantity that the sensor measures", "0.02 mm";
    /// Of a limit.
    Limited = |along| along, "the quantity that is limited", "90 mm";
    /// Of a signal.
    Driven = |along| along, "the quantity that the signal drives", "8 kN";
}
