//! Closed forms of the beams.

use interfield_kernel::element::beam::{BeamError, MassKind, Member};
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release};

use crate::tools::{Lcg, assert_close, solve};

const PLANE: Beam2d =
    Beam2d { e: 2e11, area: 0.01, i: 2e-5, rho: 7850.0, release: [false, false], mass: MassKind::Consistent };

const FIXED: Release = Release { torsion: false, my: false, mz: false };

const SPACE: Beam3d = Beam3d {
    e: 2e11,
    g: 8e10,
    area: 0.01,
    iy: 5e-5,
    iz: 2e-5,
    j: 3e-5,
    rho: 7850.0,
    orientation: None,
    release: [FIXED, FIXED],
    mass: MassKind::Consistent,
};

fn times<const N: usize>(a: &[[f64; N]; N], x: &[f64; N]) -> [f64; N] {
    core::array::from_fn(|i| (0..N).map(|j| a[i][j] * x[j]).sum())
}

/// Qᵀ A Q for a block-diagonal Q of 3 x 3 blocks whose rows are the new axes.
fn turned<const N: usize>(a: &[[f64; N]; N], axes: &[[f64; 3]; 3]) -> [[f64; N]; N] {
    let q = |i: usize, j: usize| if i / 3 == j / 3 { axes[i % 3][j % 3] } else { 0.0 };
    core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            let mut sum = 0.0;
            for r in 0..N {
                for c in 0..N {
                    sum += q(r, i) * a[r][c] * q(c, j);
                }
            }
            sum
        })
    })
}

fn largest<const N: usize>(a: &[[f64; N]; N]) -> f64 {
    a.iter().flatten().fold(0.0, |x: f64, y| x.max(y.abs()))
}

#[track_caller]
fn assert_same<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N], tolerance: f64) {
    let scale = largest(b);
    assert!(scale > 0.0);
    for i in 0..N {
        for j in 0..N {
            assert!((a[i][j] - b[i][j]).abs() <= tolerance * scale, "({i}, {j}): {} and {}", a[i][j], b[i][j]);
        }
    }
}

fn assert_symmetric<const N: usize>(member: &Member<N>) {
    for i in 0..N {
        for j in 0..N {
            assert_eq!(member.k[i][j], member.k[j][i]);
            assert_eq!(member.m[i][j], member.m[j][i]);
        }
    }
}

/// Displacements of the free end of a cantilever fixed at its start.
fn tip<const N: usize>(k: &[[f64; N]; N], load: &[f64]) -> Vec<f64> {
    let h = N / 2;
    solve((h..N).map(|i| k[i][h..].to_vec()).collect(), load.to_vec())
}

/// A rotation matrix from random Euler angles; rows are the new axes.
fn rotation(random: &mut Lcg) -> [[f64; 3]; 3] {
    let [(s1, c1), (s2, c2), (s3, c3)] = [0; 3].map(|_| (3.0 * random.next()).sin_cos());
    let z = [[c1, s1, 0.0], [-s1, c1, 0.0], [0.0, 0.0, 1.0]];
    let y = [[c2, 0.0, -s2], [0.0, 1.0, 0.0], [s2, 0.0, c2]];
    let x = [[1.0, 0.0, 0.0], [0.0, c3, s3], [0.0, -s3, c3]];
    let product = |a: [[f64; 3]; 3], b: [[f64; 3]; 3]| -> [[f64; 3]; 3] {
        core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|l| a[i][l] * b[l][j]).sum()))
    };
    product(x, product(y, z))
}

const RELEASES: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

#[test]
fn plane_beam_rigid_motions_and_mass() {
    let mut random = Lcg(11);
    for release in RELEASES {
        for mass in [MassKind::Consistent, MassKind::Lumped] {
            let a = [random.next(), random.next()];
            let b = [3.0 + random.next(), 2.0 * random.next()];
            let beam = Beam2d { release, mass, ..PLANE };
            let member = beam.matrices(a, b).unwrap();
            assert_symmetric(&member);
            let total = beam.rho * beam.area * f64::hypot(b[0] - a[0], b[1] - a[1]);
            let rigid =
                [[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0], [-a[1], a[0], 1.0, -b[1], b[0], 1.0]];
            for mode in rigid {
                let scale = largest(&member.k);
                assert!(times(&member.k, &mode).iter().all(|f| f.abs() < 1e-9 * scale));
            }
            for (direction, mode) in rigid[..2].iter().enumerate() {
                let inertia = times(&member.m, mode);
                assert_close(inertia[direction] + inertia[3 + direction], total, 1e-13);
                assert!((inertia[1 - direction] + inertia[4 - direction]).abs() < 1e-12 * total);
            }
            if mass == MassKind::Consistent {
                // The interpolation holds rigid rotations, so the moment of inertia is that of a thin bar.
                let l = f64::hypot(b[0] - a[0], b[1] - a[1]);
                let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
                let spin = [-(a[1] - middle[1]), a[0] - middle[0], 1.0, -(b[1] - middle[1]), b[0] - middle[0], 1.0];
                let energy: f64 = times(&member.m, &spin).iter().zip(spin).map(|(x, y)| x * y).sum();
                assert_close(energy, total * l * l / 12.0, 1e-12);
            }
            for (dof, released) in [(2, release[0]), (5, release[1])] {
                for j in 0..6 {
                    assert_eq!(released || mass == MassKind::Lumped, member.m[dof].iter().all(|x| *x == 0.0));
                    assert_eq!(released, member.k[dof].iter().all(|x| *x == 0.0));
                    assert!(!released || member.k[j][dof] == 0.0);
                }
            }
        }
    }
}

#[test]
fn plane_beam_closed_forms() {
    let l = 5.0;
    let Beam2d { e, area, i, rho, .. } = PLANE;
    let member = PLANE.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    let load = [3e4, 1e4, 0.0];
    let u = tip(&member.k, &load);
    assert_close(u[0], load[0] * l / (e * area), 1e-12);
    assert_close(u[1], load[1] * l.powi(3) / (3.0 * e * i), 1e-12);
    assert_close(u[2], load[1] * l * l / (2.0 * e * i), 1e-12);
    let u = tip(&member.k, &[0.0, 0.0, 2e3]);
    assert_close(u[1], 2e3 * l * l / (2.0 * e * i), 1e-12);
    assert_close(u[2], 2e3 * l / (e * i), 1e-12);
    // Consistent mass coefficients.
    let unit = rho * area * l / 420.0;
    for (row, column, factor) in [
        (0, 0, 140.0),
        (0, 3, 70.0),
        (1, 1, 156.0),
        (1, 2, 22.0 * l),
        (1, 4, 54.0),
        (1, 5, -13.0 * l),
        (2, 2, 4.0 * l * l),
        (2, 4, 13.0 * l),
        (2, 5, -3.0 * l * l),
        (4, 5, -22.0 * l),
        (5, 5, 4.0 * l * l),
    ] {
        assert_close(member.m[row][column], factor * unit, 1e-13);
    }
    let lumped = Beam2d { mass: MassKind::Lumped, ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    for a in 0..6 {
        for b in 0..6 {
            let expected = if a == b && a % 3 < 2 { 210.0 * unit } else { 0.0 };
            assert!((lumped.m[a][b] - expected).abs() <= 1e-13 * unit);
        }
    }
    // Propped: hinged start, fixed end; 3 EI/l^3 [1, 0, -1, l] and the mass of w = (1 - 3/2 x + x^3/2).
    let hinged = Beam2d { release: [true, false], ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    let stiffness = 3.0 * e * i / l.powi(3);
    assert_close(hinged.k[1][1], stiffness, 1e-12);
    assert_close(hinged.k[1][5], stiffness * l, 1e-12);
    assert_close(hinged.k[5][5], stiffness * l * l, 1e-12);
    assert_close(hinged.m[1][1], rho * area * l * 33.0 / 140.0, 1e-12);
    // Hinged at both ends: a bar, with the mass of a linear interpolation.
    let bar = Beam2d { release: [true, true], ..PLANE }.matrices([0.0, 0.0], [l, 0.0]).unwrap();
    assert!(bar.k[1].iter().all(|x| x.abs() < 1e-12 * largest(&member.k)));
    assert_close(bar.m[1][1], rho * area * l / 3.0, 1e-12);
    assert_close(bar.m[1][4], rho * area * l / 6.0, 1e-12);
}

#[test]
fn rotated_plane_beam_is_the_transformed_one() {
    let mut random = Lcg(13);
    for release in RELEASES {
        let beam = Beam2d { release, ..PLANE };
        let flat = beam.matrices([0.0, 0.0], [4.0, 0.0]).unwrap();
        let (sin, cos) = (3.0 * random.next()).sin_cos();
        let start = [random.next(), random.next()];
        let tilted = beam.matrices(start, [start[0] + 4.0 * cos, start[1] + 4.0 * sin]).unwrap();
        let axes = [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]];
        assert_same(&tilted.k, &turned(&flat.k, &axes), 1e-13);
        assert_same(&tilted.m, &turned(&flat.m, &axes), 1e-13);
    }
}

#[test]
fn plane_cantilever_first_frequency() {
    let (l, elements) = (5.0, 4);
    let n = 3 * (elements + 1);
    let (mut k, mut m) = (vec![vec![0.0; n]; n], vec![vec![0.0; n]; n]);
    // Inclined, so that the change of axes takes part.
    let node = |i: usize| [0.6 * l * i as f64 / elements as f64, 0.8 * l * i as f64 / elements as f64];
    for element in 0..elements {
        let member = PLANE.matrices(node(element), node(element + 1)).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                k[3 * element + i][3 * element + j] += member.k[i][j];
                m[3 * element + i][3 * element + j] += member.m[i][j];
            }
        }
    }
    // Inverse iteration on the free degrees of freedom.
    let free = |a: &[Vec<f64>]| a[3..].iter().map(|row| row[3..].to_vec()).collect::<Vec<_>>();
    let (k, m) = (free(&k), free(&m));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut x = Lcg(1).vector(n - 3);
    let mut omega2 = 0.0;
    for _ in 0..20 {
        let mx: Vec<f64> = m.iter().map(|row| dot(row, &x)).collect();
        let y = solve(k.clone(), mx.clone());
        let my: Vec<f64> = m.iter().map(|row| dot(row, &y)).collect();
        omega2 = dot(&y, &mx) / dot(&y, &my);
        let size = dot(&y, &my).sqrt();
        x = y.iter().map(|c| c / size).collect();
    }
    let exact = 3.516015268 * (PLANE.e * PLANE.i / (PLANE.rho * PLANE.area)).sqrt() / (l * l);
    let excess = omega2.sqrt() / exact - 1.0;
    assert!((0.0..5e-5).contains(&excess), "relative error {excess}: finite elements overestimate slightly");
}

#[test]
fn space_beam_rigid_motions_and_mass() {
    let mut random = Lcg(19);
    for case in 0..48u32 {
        let bit = |i: u32| case >> i & 1 == 1;
        let release = [
            Release { torsion: bit(0), my: bit(1), mz: bit(2) },
            Release { torsion: false, my: bit(3), mz: bit(4) && !bit(5) },
        ];
        let mass = if bit(5) { MassKind::Lumped } else { MassKind::Consistent };
        let a = [random.next(), random.next(), random.next()];
        let b = [3.0 + random.next(), 2.0 * random.next(), 2.0 * random.next()];
        let beam = Beam3d { release, mass, ..SPACE };
        let member = beam.matrices(a, b).unwrap();
        assert_symmetric(&member);
        let (l, axes) = beam.axes(a, b).unwrap();
        let total = beam.rho * beam.area * l;
        let scale = largest(&member.k);
        for axis in 0..3 {
            let mut shift = [0.0; 12];
            (shift[axis], shift[6 + axis]) = (1.0, 1.0);
            assert!(times(&member.k, &shift).iter().all(|f| f.abs() < 1e-9 * scale));
            let inertia = times(&member.m, &shift);
            for other in 0..3 {
                let expected = if other == axis { total } else { 0.0 };
                assert!((inertia[other] + inertia[6 + other] - expected).abs() < 1e-12 * total);
            }
            // Rotation about a global axis through the origin: u = e x position.
            let mut spin = [0.0; 12];
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            for (end, position) in [(0, a), (6, b)] {
                spin[end + next] = -position[last];
                spin[end + last] = position[next];
                spin[end + 3 + axis] = 1.0;
            }
            assert!(times(&member.k, &spin).iter().all(|f| f.abs() < 1e-9 * scale));
            // No moment at the released ends, whatever the deformation (in local axes up to roundoff).
            let u: [f64; 12] = core::array::from_fn(|_| random.next());
            let force = times(&member.k, &u);
            for (end, released) in [(3, release[0]), (9, release[1])] {
                for (local, free) in [released.torsion, released.my, released.mz].into_iter().enumerate() {
                    let moment: f64 = (0..3).map(|i| axes[local][i] * force[end + i]).sum();
                    let torsion_free = local == 0 && release[0].torsion;
                    assert_eq!(free || torsion_free, moment.abs() < 1e-12 * scale, "local axis {local}");
                }
            }
        }
    }
    // Along the global axes the zero is exact.
    let hinged = Beam3d { release: [Release { my: true, mz: true, ..FIXED }, FIXED], ..SPACE };
    let member = hinged.matrices([0.0; 3], [4.0, 0.0, 0.0]).unwrap();
    assert!(member.k[4].iter().chain(&member.k[5]).chain(&member.m[4]).chain(&member.m[5]).all(|x| *x == 0.0));
}

#[test]
fn space_beam_closed_forms() {
    let l = 4.0;
    let Beam3d { e, g, area, iy, iz, j, rho, .. } = SPACE;
    let member = SPACE.matrices([0.0; 3], [l, 0.0, 0.0]).unwrap();
    let u = tip(&member.k, &[2e4, 1e4, 3e4, 5e3, 0.0, 0.0]);
    assert_close(u[0], 2e4 * l / (e * area), 1e-12);
    assert_close(u[1], 1e4 * l.powi(3) / (3.0 * e * iz), 1e-12);
    assert_close(u[2], 3e4 * l.powi(3) / (3.0 * e * iy), 1e-12);
    assert_close(u[3], 5e3 * l / (g * j), 1e-12);
    // A load along +z turns the tip about -y.
    assert_close(u[4], -3e4 * l * l / (2.0 * e * iy), 1e-12);
    assert_close(u[5], 1e4 * l * l / (2.0 * e * iz), 1e-12);
    let lumped = Beam3d { mass: MassKind::Lumped, ..SPACE }.matrices([0.0; 3], [l, 0.0, 0.0]).unwrap();
    for a in 0..12 {
        for b in 0..12 {
            let expected = if a == b && a % 6 < 3 { rho * area * l / 2.0 } else { 0.0 };
            assert!((lumped.m[a][b] - expected).abs() <= 1e-13 * expected, "({a}, {b})");
        }
    }
    assert_close(member.m[3][3], rho * (iy + iz) * l / 3.0, 1e-13);
    assert_close(member.m[3][9], rho * (iy + iz) * l / 6.0, 1e-13);
    assert_close(member.m[2][2], rho * area * l * 156.0 / 420.0, 1e-13);
    assert_close(member.m[2][4], -rho * area * l * 22.0 * l / 420.0, 1e-13);
    assert_close(member.m[1][5], rho * area * l * 22.0 * l / 420.0, 1e-13);
}

#[test]
fn space_beam_in_the_plane_is_the_plane_beam() {
    let mut random = Lcg(23);
    for release in RELEASES {
        for mass in [MassKind::Consistent, MassKind::Lumped] {
            let a = [random.next(), random.next()];
            let b = [2.0 + random.next(), 3.0 * random.next()];
            let plane = Beam2d { release, mass, ..PLANE }.matrices(a, b).unwrap();
            let ends = release.map(|mz| Release { mz, ..FIXED });
            let space = Beam3d { release: ends, mass, ..SPACE };
            let space = space.matrices([a[0], a[1], 0.7], [b[0], b[1], 0.7]).unwrap();
            let map = [0, 1, 5, 6, 7, 11];
            let pick = |x: &[[f64; 12]; 12]| -> [[f64; 6]; 6] {
                core::array::from_fn(|i| core::array::from_fn(|j| x[map[i]][map[j]]))
            };
            assert_same(&pick(&space.k), &plane.k, 1e-13);
            assert_same(&pick(&space.m), &plane.m, 1e-13);
        }
    }
}

#[test]
fn rotated_space_beam_is_the_transformed_one() {
    let mut random = Lcg(29);
    for _ in 0..10 {
        let ends = [Release { my: true, ..FIXED }, Release { torsion: true, mz: true, ..FIXED }];
        let v = [0.3, 0.4, 1.0];
        let beam = Beam3d { release: ends, orientation: Some(v), ..SPACE };
        let plain = beam.matrices([0.0; 3], [4.0, 1.0, 0.0]).unwrap();
        // Rows of `axes` are the body axes after the turn: a vector x becomes axesᵀ x.
        let axes = rotation(&mut random);
        let turn = |x: [f64; 3]| -> [f64; 3] { core::array::from_fn(|i| (0..3).map(|l| axes[l][i] * x[l]).sum()) };
        let beam = Beam3d { orientation: Some(turn(v)), ..beam };
        let tilted = beam.matrices([0.0; 3], turn([4.0, 1.0, 0.0])).unwrap();
        assert_same(&tilted.k, &turned(&plain.k, &axes), 1e-13);
        assert_same(&tilted.m, &turned(&plain.m, &axes), 1e-13);
    }
}

#[test]
fn default_orientation_of_the_space_beam() {
    let (_, axes) = SPACE.axes([0.0; 3], [2.0, 0.0, 0.0]).unwrap();
    assert_eq!(axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let (l, column) = SPACE.axes([1.0, 1.0, 0.0], [1.0, 1.0, 3.0]).unwrap();
    assert_eq!((l, column), (3.0, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]));
    let (_, inclined) = SPACE.axes([0.0; 3], [1.0, 2.0, 5.0]).unwrap();
    assert!(inclined[1][2] == 0.0 && inclined[2][2] > 0.0, "y horizontal, z upwards");
}

#[test]
fn impossible_beams_are_refused() {
    assert_eq!(PLANE.matrices([1.0, 2.0], [1.0, 2.0]).unwrap_err(), BeamError::ZeroLength);
    assert_eq!(PLANE.matrices([1.0, f64::NAN], [1.0, 2.0]).unwrap_err(), BeamError::ZeroLength);
    assert_eq!(SPACE.matrices([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).unwrap_err(), BeamError::ZeroLength);
    let along = |v| Beam3d { orientation: Some(v), ..SPACE }.matrices([0.0; 3], [1.0, 1.0, 0.0]).map(|_| ());
    assert_eq!(along([2.0, 2.0, 0.0]), Err(BeamError::Orientation));
    assert_eq!(along([0.0, 0.0, 0.0]), Err(BeamError::Orientation));
    assert_eq!(along([0.0, 0.0, f64::NAN]), Err(BeamError::Orientation));
    assert_eq!(along([1e-9, 0.0, 0.0]), Ok(()), "its length does not matter");
    let twist = Release { torsion: true, ..FIXED };
    let spinning = Beam3d { release: [twist, twist], ..SPACE };
    assert_eq!(spinning.matrices([0.0; 3], [0.7, 0.3, 0.9]).unwrap_err(), BeamError::Mechanism);
}
