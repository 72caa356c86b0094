//! Every model of the repository, in one piece and with its own scheme: all channels over the whole run, at every level of
//! optimisation.

use interfield_language::parse::Overrides;

use crate::bench::{LEVELS, compare, shipped};

/// Differences are rounding errors of `sin`, `exp` and `pow`, which are not the same in every library.
const TOLERANCE: f64 = 1e-12;

macro_rules! models {
    ($($test:ident: $file:literal, $set:expr;)*) => {
        $(#[test]
        fn $test() {
            let (until, most): (Option<&str>, f64) = $set;
            let overrides = Overrides { duration: until.map(str::to_owned), ..Overrides::default() };
            let d = compare(&$file.replace(".toml", ""), &shipped($file), &overrides, LEVELS);
            assert!(d <= most, "{}: {d:e}", $file);
        })*

        #[test]
        fn no_model_is_forgotten() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
            for file in std::fs::read_dir(folder).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                let known = [$($file),*].contains(&name.as_str()) || ELSEWHERE.contains(&name.as_str());
                assert!(known || !name.ends_with(".toml"), "{name} is not compared with its C");
            }
        }
    };
}

/// Quasi-static, larger than what is exported, or updated during the test: see `refusals`; or cut as it is meant, see `couplings`.
const ELSEWHERE: &[&str] = &[
    "cyclic-column.toml",
    "learning-building.toml",
    "multi-support.toml",
    "rio-torto-test.toml",
    "rio-torto-test-isolated.toml",
    "trento-four-b.toml",
    "trento-four-c.toml",
    "trento-test.toml",
];

// Zero: no function of math.h is called, and the operations are the same.
models! {
    braced_frame: "braced-frame.toml", (Some("1 s"), TOLERANCE);
    cantilever: "cantilever.toml", (None, TOLERANCE);
    controlled_split_mass: "controlled-split-mass.toml", (None, TOLERANCE);
    duffing_chain: "duffing-chain.toml", (None, 0.0);
    forced_split_mass: "forced-split-mass.toml", (None, TOLERANCE);
    frame: "frame.toml", (None, 0.0);
    hybrid_frame: "hybrid-frame.toml", (Some("3 s"), 0.0);
    rc_portal: "rc-portal.toml", (Some("6 s"), 0.0);
    hysteretic_building: "hysteretic-building.toml", (None, TOLERANCE);
    isolated_building: "isolated-building.toml", (None, TOLERANCE);
    piers: "piers.toml", (None, 0.0);
    rio_torto_as_built: "rio-torto-as-built.toml", (None, TOLERANCE);
    rio_torto_isolated: "rio-torto-isolated.toml", (None, TOLERANCE);
    rio_torto_llm: "rio-torto-llm.toml", (None, TOLERANCE);
    shear_pendulum: "shear-pendulum.toml", (None, TOLERANCE);
    // Chaotic, as their files say: no two libraries agree for longer.
    shear_pendulum_bouc_wen: "shear-pendulum-bouc-wen.toml", (Some("5 s"), TOLERANCE);
    shear_pendulum_quake: "shear-pendulum-quake.toml", (Some("5 s"), TOLERANCE);
    space_frame: "space-frame.toml", (None, TOLERANCE);
    split_mass: "split-mass.toml", (None, TOLERANCE);
    spring_pendulum: "spring-pendulum.toml", (None, TOLERANCE);
    three_dof: "three-dof.toml", (None, TOLERANCE);
    trento_rig: "trento-rig.toml", (None, TOLERANCE);
    two_springs: "two-springs.toml", (None, TOLERANCE);
    viaduct: "viaduct.toml", (None, TOLERANCE);
    cantilever_real_time: "cantilever-real-time.toml", (None, TOLERANCE);
    viscous_oscillator: "viscous-oscillator.toml", (None, TOLERANCE);
    rig_brace: "rig-brace.toml", (Some("2 s"), TOLERANCE);
    rig_hexapod: "rig-hexapod.toml", (Some("2 s"), TOLERANCE);
    rig_pair: "rig-pair.toml", (Some("2 s"), TOLERANCE);
    rig_pendulum: "rig-pendulum.toml", (Some("2 s"), TOLERANCE);
    rig_pier: "rig-pier.toml", (Some("2 s"), TOLERANCE);
    rig_plan: "rig-plan.toml", (Some("2 s"), TOLERANCE);
    rig_torsion: "rig-torsion.toml", (Some("2 s"), TOLERANCE);
}

/// A superelement is constant matrices in C, with the order of summation of the library, and what is inside it a sum of unknowns.
#[test]
fn reduced_frame() {
    let text = shipped("frame.toml") + "\n[[reduce]]\nname = \"tower\"\nfrequency = \"5 Hz\"\nkeep = [\"n1_1\"]\n";
    let overrides = Overrides { duration: Some("3 s".to_owned()), ..Overrides::default() };
    let d = compare("reduced_frame", &text, &overrides, LEVELS);
    assert!(d <= 0.0, "{d:e}");
}
