//! Actuators found again in motions of an independent implementation.

mod common;

use common::{golden, list, number};
use interfield_learn::actuator::{Motion, identify};

fn motion(file: &str) -> Motion {
    let data = golden(file);
    Motion { command: list(&data["command"]), reached: list(&data["reached"]), dt: number(&data["dt"]) }
}

#[test]
fn golden_actuators_have_their_order_and_numbers() {
    for file in ["actuator_order1_noise", "actuator_order2_chirp"] {
        let data = golden(file);
        let found = identify(&motion(file)).unwrap();
        let (chosen, expected) = (&found.chosen, &data["expected"]);
        assert_eq!(chosen.order as u64, expected["order"].as_u64().unwrap(), "{file}");
        assert_eq!(chosen.delayed, expected["with_delay"].as_bool().unwrap(), "{file}");
        for n in &chosen.numbers {
            let (want, error) =
                (number(&expected["parameters"][n.name]), number(&expected["standard_error_robust"][n.name]));
            assert!((n.value - want).abs() < 0.2 * error, "{file}: {} is {} for {want} ± {error}", n.name, n.value);
            assert!((n.error - error).abs() < 0.05 * error, "{file}: error of {} is {} for {error}", n.name, n.error);
        }
        let near = |what: &str, got: f64, want: f64, share: f64| {
            assert!((got - want).abs() < share * want.abs(), "{file}: {what} is {got} for {want}");
        };
        near("rms", chosen.rms, number(&expected["rms_residual"]), 1e-4);
        near("bic", chosen.bic, number(&expected["bic"]), 1e-6);
        near("collinearity", chosen.collinearity, number(&expected["collinearity_index"]), 0.02);
        near("lag", chosen.lag(), number(&expected["low_frequency_lag"]), 1e-3);
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }
}
