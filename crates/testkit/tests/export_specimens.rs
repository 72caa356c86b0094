//! Generated C of a structure with specimens, in one piece or cut: what the laboratory measured in a run of the library is handed to the C
//! evaluation by evaluation, and its commands and channels must be those of the library.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use interfield_codegen::{Origin, export};
use interfield_kernel::Fault;
use interfield_lab::controller::Controller;
use interfield_lab::guard::{Bound, Envelope, Guard};
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_language::specimen::Specimen;
use interfield_language::units::UnitSystem;
use interfield_structure::Simulation;
use interfield_structure::specimen::Workshop;

/// By specimen, the [target reached force] of its degrees of freedom at every exchange.
type Tape = Arc<Mutex<BTreeMap<String, Vec<Vec<[f64; 3]>>>>>;

struct Recording {
    rig: Controller,
    name: String,
    tape: Tape,
}

impl Rig for Recording {
    fn dofs(&self) -> usize {
        self.rig.dofs()
    }
    fn memory(&self) -> usize {
        self.rig.memory()
    }
    fn exchange(&mut self, memory: &mut [f64], target: Target<'_>) -> Result<(), Fault> {
        self.rig.exchange(memory, target)?;
        let n = self.rig.dofs();
        let reading = |i: usize| [Reading::Target, Reading::Reached, Reading::Force].map(|r| memory[r.place(i, n)]);
        self.tape.lock().unwrap().entry(self.name.clone()).or_default().push((0..n).map(reading).collect());
        Ok(())
    }
    fn finish(&mut self, memory: &mut [f64]) {
        self.rig.finish(memory);
    }
}

struct Recorded(Tape);

impl Workshop for Recorded {
    fn mount(&mut self, specimen: &Specimen, rig: Controller) -> Result<Box<dyn Rig>, String> {
        Ok(Box::new(Recording { rig, name: specimen.name.clone(), tape: self.0.clone() }))
    }
}

fn model(text: &str) -> Model {
    let (source, diags) = (Source::new("test.toml", text.to_owned()), Diagnostics::new());
    let found = parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    assert!(!diags.has_errors(), "{}", diags.render(&source, false));
    found.unwrap().0
}

fn shipped(name: &str, duration: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|l| l.starts_with("duration")).unwrap().to_owned();
    text.replace(&line, &format!("duration = \"{duration}\""))
}

/// A tower on an isolator that stands in the laboratory, behind an actuator.
fn tower(method: &str, scheme: &str, substeps: u32) -> String {
    format!(
        r#"
title = "tower"
dofs = ["x"]
[[node]]
name = "base"
mass = 30
[[node]]
name = "roof"
mass = 15
[[element]]
type = "bouc-wen"
name = "isolator"
nodes = ["ground", "base"]
dof = "x"
k = 900
k2 = 90
beta = 20
gamma = 10
[[element]]
type = "spring"
name = "storey"
nodes = ["base", "roof"]
dof = "x"
k = 6000
c = 12
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = "0.2 g" }}
[[substructure]]
name = "tower"
elements = ["storey"]
interface_mass = 0.6
[[substructure]]
name = "bearing"
elements = ["isolator"]
substeps = {substeps}
[coupling]
{method}
[[specimen]]
name = "isolator"
elements = ["isolator"]
correct_force = true
[[specimen.actuator]]
type = "second-order"
frequency = "25 Hz"
damping = 0.7
[analysis]
scheme = {scheme}
tangent = "initial"
dt = "8 ms"
duration = "1.2 s"
[record]
channels = ["roof.x", "roof.x.a", "base.x", "base.x.abs", "isolator.force", "quake", "base.x.lambda", "base.x.gap"]
energy = true
"#
    )
}

/// Reads [target reached force] of every evaluation, checks the commands, prints the channels.
const DRIVER: &str = r#"
#include <math.h>
#include <stdio.h>
#include "NAME.h"
static NAME_t m;
enum { N = UPPER_COMMANDS };
static const double tape[][3 * N] = {
TAPE};
static void row(void)
{
    for (int i = 0; m.fresh && i < UPPER_OUTPUTS; i++) {
        printf(i ? ",%.17g" : "%.17g", m.outputs[i]);
    }
    if (m.fresh) {
        printf("\n");
    }
}
int main(void)
{
    NAME_init(&m);
    int fault = NAME_start(&m);
    row();
    long call = 0, step = 0;
    while (m.step < UPPER_STEPS && !fault) {
        for (int i = 0; i < N && m.pending >= 0; i++) {
            /* The tape is in SI, the ports have the units of the model. */
            const double command = m.si_commands[i];
            if (!(fabs(command - tape[call][i]) <= TOLERANCE * fabs(tape[call][i]))) {
                fprintf(stderr, "command %d of call %ld is %.17g, not %.17g\n", i, call, command, tape[call][i]);
                return 1;
            }
            if (m.commands[i] != command / UPPER_COMMAND_SI[i]) {
                fprintf(stderr, "command %d of call %ld has another unit\n", i, call);
                return 1;
            }
            m.measured[i] = tape[call][N + i] / UPPER_MEASURED_SI[i];
            m.measured[N + i] = tape[call][2 * N + i] / UPPER_MEASURED_SI[N + i];
        }
        call += m.pending >= 0;
        if (m.wanted >= 0) {
            NAME_motion(&m, m.wanted);
        } else {
            for (int i = 0; i < UPPER_ROWS * UPPER_INPUTS; i++) {
                m.inputs[i] = 1e30; /* not to be looked at */
            }
        }
        fault = NAME_step(&m);
        row();
        if (m.step > step + 1) {
            fprintf(stderr, "more than a step at once\n");
            return 1;
        }
        step = m.step;
    }
    if (call != (long)(sizeof tape / sizeof tape[0])) {
        fprintf(stderr, "%ld calls, and %lu exchanges in the library\n", call, (unsigned long)(sizeof tape / sizeof tape[0]));
        return 1;
    }
    return fault;
}
"#;

/// The run of the library and of the compiled C, which got the measurements of the library's.
fn compare(name: &str, text: &str, tolerance: f64) {
    let tape = Tape::default();
    let mut run = Simulation::in_workshop(model(text), &mut Recorded(tape.clone())).unwrap();
    let mut row = vec![0.0; run.model.channels.len()];
    let mut expected = Vec::new();
    for k in 0..=run.steps() {
        run.sample(k, &mut row).unwrap();
        expected.push(row.clone());
        if k < run.steps() {
            run.step(k).unwrap();
        }
    }
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-specimens-{name}"));
    std::fs::create_dir_all(&at).unwrap();
    // Ports in SI hand over what was measured to the last bit; a unit would round it, and a gap is a small difference.
    let exported = Model { units: UnitSystem::si(), ..model(text) };
    let export = export(&exported, name, &Origin::default()).unwrap_or_else(|p| panic!("{name}: {p:?}"));
    for (name, text) in &export.files {
        std::fs::write(at.join(name), text).unwrap();
    }
    let tape = tape.lock().unwrap();
    let specimens: Vec<&Vec<Vec<[f64; 3]>>> = run.model.specimens.iter().map(|s| &tape[&s.name]).collect();
    let mut lines = String::new();
    for call in 0..specimens[0].len() {
        let readings = |r: usize| specimens.iter().flat_map(move |s| s[call].iter().map(move |x| x[r]));
        let all: Vec<String> = (0..3).flat_map(readings).map(|x| format!("{x:?}")).collect();
        let _ = writeln!(lines, "    {{{}}},", all.join(", "));
    }
    let name = &export.interface.name;
    let driver = DRIVER
        .replace("NAME", name)
        .replace("UPPER", &name.to_uppercase())
        .replace("TAPE", &lines)
        .replace("TOLERANCE", &format!("{tolerance:?}"));
    std::fs::write(at.join("driver.c"), driver).unwrap();
    let strict = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-pedantic",
        "-Werror",
        "-ffp-contract=off",
        "-O2",
    ];
    let source = format!("{name}.c");
    let mut cc = Command::new("cc");
    let out = cc.current_dir(&at).args(strict).args(["-o", "driver", "driver.c", &source, "-lm"]).output();
    let out = out.expect("this test needs a C compiler called `cc` (apt-get install gcc)");
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    let out = Command::new(at.join("driver")).output().unwrap();
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let found: Vec<Vec<f64>> = text.lines().map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(found.len(), expected.len(), "{name}: rows");
    for c in 0..row.len() {
        // What is missing in an energy balance is what is left of large numbers: it is as exact as they are.
        let balance = |i: &usize| run.model.channels[*i].name.starts_with("energy");
        let alike: Vec<usize> = (0..row.len()).filter(|i| *i == c || (balance(i) && balance(&c))).collect();
        let size = expected.iter().flat_map(|r| alike.iter().map(|&i| r[i].abs())).fold(0.0f64, f64::max);
        for (k, (a, b)) in found.iter().zip(&expected).enumerate() {
            let ([a, b], channel) = ([a[c], b[c]], &run.model.channels[c].name);
            assert!(a == b || (a - b).abs() <= tolerance * size, "{name}: {channel} in row {k} is {a}, not {b}");
        }
    }
}

#[test]
fn every_kind_of_scheme_commands_what_the_library_commands() {
    // Some of the schemes are unstable with this actuator, and the laboratory would end a longer test.
    let text = shipped("forced-split-mass.toml", "0.2 s");
    let own = r#"{ name = "lsrt2", gamma = "plus" }"#;
    assert!(text.contains(own));
    for (name, scheme) in [
        ("split_lsrt2", own),
        ("split_newmark", "\"newmark\""),
        ("split_alpha_os", "\"alpha-os\""),
        ("split_chang", "\"chang\""),
        ("split_trapezoidal", "\"trapezoidal\""),
    ] {
        compare(name, &text.replace(own, scheme), 0.0);
    }
}

#[test]
fn every_coupling_commands_what_the_library_commands() {
    for (name, method, scheme, substeps) in [
        ("gc", "method = \"gc\"", "\"newmark\"", 3),
        ("pm", "method = \"pm\"", "\"newmark\"", 2),
        ("foh", "method = \"foh\"", "\"alpha-os\"", 2),
        ("foh_mixed", "method = \"foh\"\nchi = 0.3", "\"lsrt2\"", 2),
        ("ph", "method = \"ph\"", "\"newmark\"", 2),
        ("pmc", "method = \"pmc\"", "\"alpha-os\"", 4),
        ("pmc_untied", "method = \"pmc\"\ntie = 0", "\"alpha-os\"", 4),
        ("pmc2s", "method = \"pmc2s\"", "\"alpha-os\"", 2),
        ("pmc_lsrt2", "method = \"pmc\"", "\"lsrt2\"", 2),
        ("staggered", "method = \"staggered\"", "\"lsrt2\"", 2),
        ("staggered_1", "method = \"staggered\"", "\"lsrt1\"", 3),
        ("plsrt2", "method = \"plsrt2\"", "\"lsrt2\"", 2),
        ("clm", "method = \"clm\"", "\"trapezoidal\"", 2),
        ("llm", "method = \"llm\"", "\"trapezoidal\"", 1),
    ] {
        compare(name, &tower(method, scheme, substeps), 0.0);
    }
}

#[test]
fn the_models_with_specimens_on_their_rigs() {
    // The pendulum on the roof calls the sine of whatever library.
    compare("isolated_building", &shipped("isolated-building.toml", "3 s"), 1e-12);
    compare("cantilever", &shipped("cantilever.toml", "2 s"), 0.0);
}

/// A frame of fibres computed, a column in the laboratory, in parts under PMC.
#[test]
fn a_hybrid_test_of_a_frame_gives_the_bits_of_the_library() {
    compare("hybrid_frame", &shipped("hybrid-frame.toml", "1 s"), 0.0);
}

/// Reads envelope, period and number of inputs, then the inputs, again and again; writes what left and why.
const GUARD_MAIN: &str = r#"
#include <math.h>
#include <stdio.h>
#include "guard.c"

int main(int argc, char **argv)
{
    double head[7], input, out[2];
    FILE *in = fopen(argv[argc - 2], "rb"), *to = fopen(argv[argc - 1], "wb");
    while (in && to && fread(head, sizeof head, 1, in) == 1) {
        const struct envelope e = {head[0], head[1], head[2], head[3], head[4]};
        struct guard g = {0.0, 0.0, 0.0};
        for (long k = 0; k < (long)head[6] && fread(&input, sizeof input, 1, in) == 1; k++) {
            int braked = 0;
            out[1] = (double)guard_pass(&g, &e, head[5], input, &out[0], &braked) + (braked ? 100.0 : 0.0);
            out[1] += guard_rests(&g) ? 10.0 : 0.0;
            fwrite(out, sizeof out, 1, to);
        }
    }
    return !(in && to && fclose(in) == 0 && fclose(to) == 0);
}
"#;

/// What an adversary sends next, who knows where the actuator is and how fast.
fn adversary(random: &mut impl FnMut() -> f64, kind: u64, k: u64, guard: &Guard, t: f64) -> f64 {
    let (x, v, e) = (guard.position(), guard.velocity(), guard.envelope());
    let size = if e.position[1].is_finite() { e.position[1] - e.position[0] } else { 1.0 };
    let fast = if e.velocity.is_finite() { e.velocity * t } else { size };
    let sudden = if e.acceleration.is_finite() { e.acceleration * t * t } else { fast };
    match kind {
        0 => x + v * t + if (k / 97).is_multiple_of(2) { sudden } else { -sudden },
        1 => x + v * t + 2.4 * sudden * (random() - 0.5),
        2 => x + if (k / 500).is_multiple_of(2) { fast } else { -fast },
        3 => x + 2.0 * fast * (random() - 0.5),
        4 => size * (random() - 0.5) * 10f64.powf(40.0 * (random() - 0.5)),
        5 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, x][k as usize % 8],
        6 => e.position[k as usize % 2],
        7 => 0.4 * size * (3.0 * t * k as f64).sin(),
        _ => x + v * t,
    }
}

/// The guard of the harness is that of the laboratory, bit by bit, whatever comes in.
#[test]
fn the_guard_in_c_is_that_of_the_library() {
    const INPUTS: u64 = 1_000;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guard");
    std::fs::create_dir_all(&folder).unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut asked, mut expected, mut met) = (Vec::new(), Vec::new(), [0_u64; 5]);
    for case in 0..1_000_u64 {
        let mut bound = |open: u64, size: f64| {
            if case.is_multiple_of(open) { f64::INFINITY } else { size * 10f64.powf(6.0 * (random() - 0.5)) }
        };
        let (high, velocity, acceleration) = (bound(7, 0.1), bound(5, 1.0), bound(3, 30.0));
        let low = if case.is_multiple_of(4) { 0.0 } else { -high };
        let t = 10f64.powf(-2.0 - 2.0 * random());
        let braking = acceleration * if case % 2 == 0 { 0.1 } else { 1.0 };
        let envelope = Envelope { position: [low, high], velocity, acceleration, braking, jerk: f64::INFINITY };
        let Ok(mut guard) = Guard::new(envelope, t) else { continue };
        let e = *guard.envelope();
        asked.extend([e.position[0], e.position[1], e.velocity, e.acceleration, e.braking, t, INPUTS as f64]);
        let mut kind = 0;
        for k in 0..INPUTS {
            if k.is_multiple_of(111) {
                kind = (9.0 * random()) as u64;
            }
            let input = adversary(&mut random, kind, k, &guard, t);
            let passed = guard.pass(input);
            let why = passed.refused.map_or(0, |bound| match bound {
                Bound::Number => 1,
                Bound::Position => 2,
                Bound::Velocity => 3,
                Bound::Acceleration | Bound::Jerk => 4,
            });
            met[why] += 1;
            asked.push(input);
            expected.push([
                passed.command,
                why as f64 + if guard.is_at_rest() { 10.0 } else { 0.0 } + if passed.braked { 100.0 } else { 0.0 },
            ]);
        }
    }
    assert!(expected.len() > 900_000 && met.iter().all(|n| *n > 10_000), "{} inputs, {met:?}", expected.len());
    let file = |name: &str| folder.join(name);
    std::fs::write(file("in"), asked.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    std::fs::write(file("guard.c"), include_str!("../../codegen/c/guard.c")).unwrap();
    std::fs::write(file("main.c"), GUARD_MAIN).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut cc = Command::new(&compiler);
    cc.current_dir(&folder).args([
        "-std=c99",
        "-O2",
        "-ffp-contract=off",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-pedantic",
    ]);
    let output = cc.args(["-Werror", "-o", "guard", "main.c", "-lm"]).output();
    let output = output.unwrap_or_else(|e| panic!("no C compiler `{compiler}` ({e}): install one, or set CC"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(Command::new(file("guard")).args([file("in"), file("out")]).status().unwrap().success());
    let found = std::fs::read(file("out")).unwrap();
    assert_eq!(found.len(), 16 * expected.len());
    for (k, (found, expected)) in found.chunks_exact(16).zip(&expected).enumerate() {
        assert_eq!(found, [expected[0].to_le_bytes(), expected[1].to_le_bytes()].concat(), "input {k}: {expected:?}");
    }
}
