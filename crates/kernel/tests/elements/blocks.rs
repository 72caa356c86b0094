//! The linear block with states.

use interfield_kernel::element::Element;
use interfield_kernel::element::block::Block;

use crate::tools::{Blocks, Lcg, Point, outputs};

#[test]
fn block_tangents_are_its_matrices_and_its_response_is_linear() {
    let (d, s) = (2, 3);
    let mut random = Lcg(31);
    let [a, b, bv, c, dq, dv] = [s * s, s * d, s * d, d * s, d * d, d * d].map(|n| random.vector(n));
    let block = Block { coordinates: d, states: s, a: &a, b: &b, bv: &bv, c: &c, d: &dq, dv: &dv };
    assert!(block.fits());
    assert_eq!((block.size(), block.has_mass()), ((d, s), false));
    let zero = Point { q: vec![0.0; d], v: vec![0.0; d], s: vec![0.0; s], acc: vec![1.0; d] };
    let tangent = Blocks::of(&block, &zero);
    let found = [&tangent.k, &tangent.c, &tangent.r, &tangent.a, &tangent.b, &tangent.e];
    assert_eq!(found, [&dq, &dv, &c, &b, &bv, &a]);
    for j in 0..zero.len() {
        let mut unit = zero.clone();
        *unit.entry(j) = 1.0;
        for (i, y) in outputs(&block, &unit).into_iter().enumerate() {
            assert_eq!(y, tangent.entry((d, s), i, j));
        }
    }
    // Superposition at a random point.
    let x = Point { q: random.vector(d), v: random.vector(d), s: random.vector(s), acc: vec![0.0; d] };
    for (i, y) in outputs(&block, &x).into_iter().enumerate() {
        let sum: f64 = (0..x.len()).map(|j| tangent.entry((d, s), i, j) * *x.clone().entry(j)).sum();
        assert!((y - sum).abs() < 1e-14, "{y} and {sum}");
    }
    // Each matrix counts.
    let shorter = |x: &mut &[f64]| *x = &x[1..];
    for wrong in 0..6 {
        let mut block = block;
        let matrix = match wrong {
            0 => &mut block.a,
            1 => &mut block.b,
            2 => &mut block.bv,
            3 => &mut block.c,
            4 => &mut block.d,
            _ => &mut block.dv,
        };
        shorter(matrix);
        assert!(!block.fits(), "matrix {wrong}");
    }
}
