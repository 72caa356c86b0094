//! Verdicts on maps whose eigenvalues were put in.

use interfield_analysis::stability::{Options, Stability, stability};
use interfield_kernel::{Archive, Fault, Persist, StepMap};

/// x ← A x + load, with a cubic term in the first entry.
struct Map {
    a: Vec<f64>,
    load: f64,
    cubic: f64,
    x: Vec<f64>,
}

impl Persist for Map {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.numbers(&mut self.x);
    }
}

impl StepMap for Map {
    fn len(&self) -> usize {
        self.x.len()
    }
    fn dt(&self) -> f64 {
        0.01
    }
    fn state(&self) -> &[f64] {
        &self.x
    }
    fn state_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }
    fn step(&mut self, _: u64) -> Result<(), Fault> {
        let bend = self.cubic * self.x[0].powi(3);
        let row = |row: &[f64]| row.iter().zip(&self.x).map(|(a, x)| a * x).sum::<f64>() + self.load;
        self.x = self.a.chunks_exact(self.x.len()).map(row).collect();
        self.x[0] += bend;
        Ok(())
    }
}

/// Q J Q⁻¹ with a fixed Q.
fn like(j: [f64; 9]) -> Map {
    let q = [2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 4.0];
    let inverse = [11.0, -4.0, 1.0, -4.0, 8.0, -2.0, 1.0, -2.0, 5.0].map(|v| v / 18.0);
    let multiply = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..9).map(|i| (0..3).map(|k| a[i / 3 * 3 + k] * b[3 * k + i % 3]).sum()).collect()
    };
    Map { a: multiply(&multiply(&q, &j), &inverse), load: 0.3, cubic: 0.0, x: vec![0.1, 0.2, -0.3] }
}

fn judge(map: &mut Map) -> Stability {
    stability(map, &Options::default()).expect("a verdict")
}

#[test]
fn a_triple_eigenvalue_of_one_drifts_and_is_not_unstable() {
    let found = judge(&mut like([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]));
    assert!(found.stable && found.affine, "{}", found.radius);
    assert!(found.radius > 1.0 + 1e-6 && found.drifts, "rounding splits it: {}", found.radius);
}

#[test]
fn slow_growth_beside_an_eigenvalue_of_one_is_growth() {
    for excess in [1e-5, 1e-3] {
        let found = judge(&mut like([1.0, 0.0, 0.0, 0.0, 1.0 + excess, 0.0, 0.0, 0.0, 0.5]));
        assert!(!found.stable && !found.drifts && (found.radius - 1.0 - excess).abs() < 1e-9, "{}", found.radius);
        assert!((found.motions[0].rate() - (1.0 + excess).ln() / 0.01).abs() < 1e-6);
        assert_eq!(found.motions[0].frequency(), 0.0);
    }
    assert!(judge(&mut like([1.0, 0.0, 0.0, 0.0, 1.0 + 1e-8, 0.0, 0.0, 0.0, 0.5])).stable, "below the tolerance");
}

#[test]
fn a_nonlinear_map_is_judged_where_it_stands_and_left_there() {
    let mut map = Map { a: vec![0.5], load: 0.0, cubic: 1.0, x: vec![0.0] };
    let at_rest = judge(&mut map);
    assert!(at_rest.stable && !at_rest.affine && (at_rest.radius - 0.5).abs() < 1e-6);
    map.x[0] = 0.6;
    let away = judge(&mut map);
    assert!(!away.stable && (away.radius - (0.5 + 3.0 * 0.36)).abs() < 1e-6, "{}", away.radius);
    assert_eq!(map.x, [0.6]);
    let by_products =
        stability(&mut map, &Options { dense: 0, products: 2000, ..Options::default() }).expect("a verdict");
    assert!(!by_products.stable && (by_products.radius - away.radius).abs() < 1e-6, "{by_products:?}");
}
