//! The coupler between two parallel actuators and the joint of the frame: exact kinematics.
//!
//! The actuators hold it at the distance d from the joint, at angles α of ∓25.4633° from the horizontal:
//!
//! ```text
//! q_i = x + d (cos(θ + α_i) - cos α_i)        θ = asin s,  s = (q₁ - q₂)/(2 d sin α₂),  x = q₁ - d (cos(α₁ + s) - cos α₁)
//! ```
//!
//! The way back is that of the released model, which takes s for θ within the cosine: 2e-7 rad at the largest rotation of the benchmark.

/// Distance of the pins from the joint, m.
const DISTANCE: f64 = 0.295_394_465_080_170_37;
/// Angle of the second pin, rad.
const ANGLE: f64 = 25.4633 / 180.0 * std::f64::consts::PI;
/// Angles of both.
const ANGLES: [f64; 2] = [-ANGLE, ANGLE];

/// Strokes from displacement and rotation.
pub fn strokes([x, theta]: [f64; 2]) -> [f64; 2] {
    ANGLES.map(|angle| x + DISTANCE * ((theta + angle).cos() - angle.cos()))
}

/// Displacement and rotation from strokes.
pub fn pose([first, second]: [f64; 2]) -> [f64; 2] {
    let s = (first - second) / (2.0 * DISTANCE * ANGLES[1].sin());
    [first - DISTANCE * ((ANGLES[0] + s).cos() - ANGLES[0].cos()), s.clamp(-1.0, 1.0).asin()]
}

/// Forces of the actuators from those on x and θ: power is the same on both sides, at the middle position.
pub fn shares([force, moment]: [f64; 2]) -> [f64; 2] {
    let arm = DISTANCE * ANGLES[1].sin();
    [0.5 * (force + moment / arm), 0.5 * (force - moment / arm)]
}
