//! Loads, motions, damping, and what is done with the structure.

use interfield_opensees::Fate;

use crate::{GRAVITY, column, has, import, model, told};

#[test]
fn loads_that_are_held_are_gravity() {
    let text = model(&column(GRAVITY));
    has(
        &text,
        &[
            "load = [",
            "{ type = \"gravity\", at = \"n2.y\", force = -100 }",
            "{ type = \"gravity\", elements = [\"e1\"], x = -3, y = -2 }",
            "computes no motion",
            "[analysis]",
        ],
    );
}

#[test]
fn half_of_a_load_that_is_held_is_half_of_it() {
    let text = model(&column(&GRAVITY.replace("analyze 10", "analyze 5")));
    has(&text, &["force = -50 }", "x = -1.5, y = -1 }"]);
}

#[test]
fn a_ground_motion_goes_into_a_file_beside() {
    let import = import(&column(&format!(
        "{GRAVITY}timeSeries Path 2 -dt 0.02 -filePath quake.txt -factor 9.81
         pattern UniformExcitation 2 1 -accel 2
         rayleigh 0.4 0 0.001 0
         integrator Newmark 0.5 0.25
         analysis Transient
         recorder Node -file d.out -time -node 2 -dof 1 2 disp
         recorder Node -file a.out -timeSeries 2 -node 2 -dof 1 accel
         recorder Element -file f.out -ele 1 localForce
         recorder Drift -file dr.out -iNode 1 -jNode 2 -dof 1 -perpDirn 2
         analyze 1000 0.01"
    )));
    let model = &import.models[0];
    assert_eq!((model.name.as_str(), model.command), ("s.toml", "run"));
    assert_eq!(model.beside.len(), 1);
    assert_eq!(model.beside[0].0, "s-record1.txt");
    assert!(model.beside[0].1.starts_with("0\n0.01\n0.02\n"), "{}", model.beside[0].1);
    has(
        &model.text,
        &[
            "{ type = \"ground\", name = \"ground-x\", direction = \"x\", signal = { type = \"file\", path = \"s-record1.txt\", format = \"columns\", dt = 0.02, scale = 9.81 } }",
            "rayleigh = { a0 = 0.4, a1 = 0.001 }",
            "scheme = \"newmark-newton\"\ndt = 0.01\nduration = 10\n",
            "[[drift]]\nname = \"drift-1-2\"\nnodes = [\"n1\", \"n2\"]\ndof = \"x\"\nheight = 3\n",
            "\"n2.x\", \"n2.y\", \"n2.x.abs\", \"e1.force.1\"",
            "\"ground-x\"",
        ],
    );
    assert_eq!(told(&import, Fate::Replaced), Vec::<String>::new());
}

#[test]
fn schemes_follow_integrator_and_algorithm() {
    let cases = [
        ("Newmark 0.5 0.25", "Newton", "scheme = \"newmark-newton\""),
        ("Newmark 0.6 0.3025", "KrylovNewton", "scheme = { name = \"newmark-newton\", gamma = 0.6, beta = 0.3025 }"),
        ("Newmark 0.5 0.25", "Linear", "scheme = \"newmark\""),
        ("HHT 0.9", "Newton", "scheme = { name = \"hht\", alpha = 0.1 }"),
        (
            "HHT 0.9",
            "Newton\nuniaxialMaterial Steel01 1 1 1 0.1",
            "scheme = { name = \"generalized-alpha-newton\", rho_inf = 0.818181818182 }",
        ),
        ("HHT 1", "Newton\nuniaxialMaterial Steel01 1 1 1 0.1", "scheme = \"newmark-newton\""),
        ("GeneralizedAlpha 1 0.8", "Newton", "scheme = { name = \"generalized-alpha-newton\", rho_inf = 0.25 }"),
        ("CentralDifference", "Linear", "scheme = \"explicit-newmark\""),
        ("TRBDF2", "Newton", "scheme = \"bathe-newton\"\ndt = 0.02"),
        ("AlphaOSGeneralized 0.7", "Linear", "scheme = { name = \"alpha-os\", rho_inf = 0.7 }"),
        ("KRAlphaExplicit 0.5", "Linear", "scheme = { name = \"kr-alpha\", rho_inf = 0.5 }"),
        ("WilsonTheta 1.4", "Newton", "scheme = \"newmark-newton\""),
    ];
    for (integrator, algorithm, scheme) in cases {
        let text = model(&column(&format!(
            "{GRAVITY}timeSeries Trig 2 0 100 0.5 -factor 3
             pattern Plain 2 2
             load 2 1 0 0
             algorithm {algorithm}
             integrator {integrator}
             analysis Transient
             analyze 1000 0.01"
        )));
        assert!(text.contains(scheme), "{integrator}: {scheme}\n{text}");
        has(
            &text,
            &["{ type = \"force\", at = \"n2.x\", signal = { type = \"harmonic\", amplitude = 3, omega = 12.56637"],
        );
    }
}

#[test]
fn displacement_control_is_a_pushover() {
    let push = |analyses: &str| {
        column(&format!("{GRAVITY}timeSeries Linear 2\npattern Plain 2 2\nload 2 2.5 0 0\nanalysis Static\n{analyses}"))
    };
    let text = model(&push("integrator DisplacementControl 2 1 0.001\nanalyze 100\nanalyze 100"));
    has(&text, &["[pushover]\ncontrol = \"n2.x\"\npattern = { \"n2.x\" = 2.5 }\nto = 0.2\nstep = 0.001\n"]);
    let up = "integrator DisplacementControl 2 1 0.001\n";
    let down = "integrator DisplacementControl 2 1 -0.001\n";
    let text =
        model(&push(&format!("{up}analyze 10\n{down}analyze 20\n{up}analyze 30\n{down}analyze 40\n{up}analyze 20")));
    has(&text, &["cycles = [0.01, 0.02]\nstep = 0.001\n"]);
    let text =
        model(&push(&format!("{up}analyze 12\n{down}analyze 24\n{up}analyze 84\n{down}analyze 144\n{up}analyze 72")));
    has(&text, &["cycles = [0.012, 0.072]\nstep = 0.001\n"]);
    let refused = told(&import(&push(&format!("{up}analyze 10\n{down}analyze 5\n{up}analyze 20"))), Fate::Refused);
    assert!(refused[0].contains("neither monotonic nor in cycles"), "{refused:?}");
}

#[test]
fn an_imposed_displacement_at_rest_is_a_pushover_of_it() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         timeSeries Path 1 -time 0 1 3 4 -values 0 1 -1 0
         pattern Plain 1 1
         sp 2 1 0.05
         integrator LoadControl 0.1
         analysis Static
         analyze 40",
    ));
    has(&text, &["control = \"n2.x\"\npattern = { \"n2.x\" = 1 }\ncycles = [0.05]\nstep = 0.005\n"]);
}

#[test]
fn forces_after_gravity_lead_the_load_factor() {
    let text = model(&column(&format!(
        "{GRAVITY}timeSeries Linear 2
         pattern Plain 2 2
         load 2 5 0 0
         integrator LoadControl 0.05
         analysis Static
         analyze 100"
    )));
    has(&text, &["[pushover]\npattern = { \"n2.x\" = 5 }\nto = 5\nstep = 0.05\n"]);
}

#[test]
fn supports_move_each_on_its_own() {
    let text = model(&column(
        "node 3 4 0
         fix 3 0 1 1
         element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1
         mass 2 1 1 0
         timeSeries Path 1 -dt 0.1 -values 0 0.01 0 -factor 2
         pattern MultipleSupport 1
         groundMotion 5 Plain -disp 1
         imposedMotion 3 1 5
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 10 0.01",
    ));
    has(
        &text,
        &[
            "{ type = \"imposed\", at = \"n3.x\", displacement = { type = \"table\", values = [0, 0.01, 0], dt = 0.1, scale = 2 } }",
        ],
    );
}

#[test]
fn a_record_that_begins_late_is_used_from_there_on() {
    let import = import(&column(&format!(
        "{GRAVITY}setTime 0.05
         timeSeries Path 2 -dt 0.1 -values 0 1 2 3
         pattern UniformExcitation 2 1 -accel 2
         integrator Newmark 0.5 0.25
         analysis Transient
         analyze 10 0.01"
    )));
    has(
        &import.models[0].text,
        &["values = [0.5, 1, 2, 3], times = [0, 0.05, 0.15000000000000002, 0.25]"
            .replace("0.15000000000000002", "0.15")
            .as_str()],
    );
    let replaced = told(&import, Fate::Replaced);
    assert!(replaced.iter().any(|m| m.contains("does not begin at zero")), "{replaced:?}");
    assert!(replaced.iter().any(|m| m.contains("the time is 0.05")), "{replaced:?}");
}

#[test]
fn damping_of_regions_leaves_elements_out() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         node 3 2 3
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1
         mass 2 1 1 0
         region 1 -eleOnly 1 -rayleigh 0 0 0.002 0
         region 2 -nodeOnly 2 -rayleigh 0.3 0 0 0",
    ));
    has(&text, &["name = \"e2\"", "damped = false", "rayleigh = { a0 = 0.3, a1 = 0.002 }"]);
    let after = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1
         mass 2 1 1 0
         rayleigh 0.3 0 0.002 0
         node 3 2 3
         element elasticBeamColumn 2 2 3 0.1 3e7 0.001 1",
    ));
    has(&after, &["name = \"e2\"", "damped = false"]);
}

#[test]
fn modal_damping_has_as_many_ratios_as_modes() {
    let text = model(&column(
        "element elasticBeamColumn 1 1 2 0.1 3e7 0.001 1\nmass 2 1 1 0\neigen -genBandArpack 2\nmodalDamping 0.03",
    ));
    has(&text, &["[damping]\nmodal = [0.03, 0.03]\n"]);
}
