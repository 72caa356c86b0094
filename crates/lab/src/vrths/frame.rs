//! The frame: three floors, condensed; stiffness, and mass and damping of the four cases. Units kg, N, m, s.

/// Degrees of freedom: the floors, from below.
pub(super) const FLOORS: usize = 3;

/// A square matrix of the floors.
pub(super) type Matrix = [[f64; FLOORS]; FLOORS];

/// Stiffness of the frame, N/m.
pub(super) const STIFFNESS: Matrix = [
    [26054883.879603837, -23133938.877108198, 5937035.463339146],
    [-23133938.877108198, 32560774.186380334, -14419970.777236981],
    [5937035.463339146, -14419970.777236985, 9267275.506224312],
];

/// The specimen, a part of the first floor: mass, damping, stiffness.
pub(super) const SPECIMEN: [f64; 3] = [29.13, 114.22086714782024, 1.19e6];

/// A case of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Its number, from 1.
    pub number: usize,
    /// Mass of each floor, kg.
    pub mass: f64,
    /// Damping ratio of all modes.
    pub ratio: f64,
    pub(super) damping: Matrix,
}

/// The four cases.
pub const CASES: [Case; 4] = [
    Case {
        number: 1,
        mass: 1000.0,
        ratio: 0.05,
        damping: [
            [14084.275745299876, -7873.031460913151, 440.4514988426247],
            [-7873.031460913151, 14943.622937895665, -6348.672096305331],
            [440.45149884262497, -6348.672096305332, 7223.101316804461],
        ],
    },
    Case {
        number: 2,
        mass: 1100.0,
        ratio: 0.04,
        damping: [
            [11817.42262041908, -6606.215423308698, 369.6755622296918],
            [-6606.215423308699, 12538.57756973086, -5327.047373791856],
            [369.6755622296924, -5327.047373791856, 6060.319809850064],
        ],
    },
    Case {
        number: 3,
        mass: 1300.0,
        ratio: 0.03,
        damping: [
            [9635.014363361863, -5386.025774196529, 301.43864014406876],
            [-5386.025774196528, 10223.006811768844, -4343.084702116766],
            [301.4386401440686, -4343.084702116764, 4941.298824869293],
        ],
    },
    Case {
        number: 4,
        mass: 1000.0,
        ratio: 0.03,
        damping: [
            [8450.565447179924, -4723.818876547891, 264.27089930557526],
            [-4723.818876547892, 8966.173762737399, -3809.203257783199],
            [264.27089930557594, -3809.203257783199, 4333.8607900826755],
        ],
    },
];
