//! Generated C with a specimen: what a laboratory measured in a run of the library is handed to the C evaluation by evaluation,
//! and its commands and channels must be those of the library.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use interfield_codegen::export;
use interfield_kernel::Fault;
use interfield_lab::controller::Controller;
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_model::diag::{Diagnostics, Source};
use interfield_model::parse::{Overrides, parse};
use interfield_model::specimen::{Specimen, Workshop};
use interfield_model::{Model, Simulation};

/// Targets, displacements reached and forces of every exchange.
type Tape = Arc<Mutex<Vec<[f64; 3]>>>;

struct Recording {
    rig: Controller,
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
        let reading = |r: Reading| memory[r.place(0, 1)];
        self.tape.lock().unwrap().push([Reading::Target, Reading::Reached, Reading::Force].map(reading));
        Ok(())
    }
    fn finish(&mut self, memory: &mut [f64]) {
        self.rig.finish(memory);
    }
    fn controller(&self) -> Option<&Controller> {
        self.rig.controller()
    }
}

struct Recorded(Tape);

impl Workshop for Recorded {
    fn mount(&mut self, _: &Specimen, rig: Controller) -> Result<Box<dyn Rig>, String> {
        Ok(Box::new(Recording { rig, tape: self.0.clone() }))
    }
}

fn model(scheme: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/forced-split-mass.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.replace(r#"{ name = "lsrt2", gamma = "plus" }"#, scheme);
    let (source, diags) = (Source::new("split.toml", text), Diagnostics::new());
    // Some of the schemes are unstable with this actuator, and the laboratory would end the test.
    let overrides = Overrides { duration: Some("0.2 s".to_owned()), ..Overrides::default() };
    let found = parse(&source, &overrides, &|path| Err(format!("no file {path}")), &diags);
    assert!(!diags.has_errors(), "{}", diags.render(&source, false));
    found.unwrap().0
}

/// Reads [target reached force] of every evaluation, checks the commands, prints the channels.
const DRIVER: &str = r#"
#include <stdio.h>
#include "split.h"
static split_t m;
static const double tape[][3] = {
TAPE};
static void row(void)
{
    for (int i = 0; m.fresh && i < SPLIT_OUTPUTS; i++) {
        printf(i ? ",%.17g" : "%.17g", m.outputs[i]);
    }
    if (m.fresh) {
        printf("\n");
    }
}
int main(void)
{
    split_init(&m);
    int fault = split_start(&m);
    row();
    long call = 0;
    while (m.step < SPLIT_STEPS && !fault) {
        if (m.pending >= 0) {
            if (m.commands[0] != tape[call][0]) {
                fprintf(stderr, "command %ld is %.17g, not %.17g\n", call, m.commands[0], tape[call][0]);
                return 1;
            }
            m.measured[0] = tape[call][1];
            m.measured[1] = tape[call][2];
            call++;
        }
        if (m.wanted >= 0) {
            split_motion(&m, m.wanted);
        }
        fault = split_step(&m);
        row();
    }
    return fault;
}
"#;

#[test]
fn commands_and_channels_are_those_of_the_library() {
    for (i, scheme) in
        [r#"{ name = "lsrt2", gamma = "plus" }"#, "\"newmark\"", "\"alpha-os\"", "\"chang\"", "\"trapezoidal\""]
            .into_iter()
            .enumerate()
    {
        let tape = Tape::default();
        let mut sim = Simulation::in_workshop(model(scheme), &mut Recorded(tape.clone())).unwrap();
        let mut row = vec![0.0; sim.channels().len()];
        let mut expected = Vec::new();
        for k in 0..=sim.steps() {
            sim.sample(k, &mut row).unwrap();
            expected.push(row.clone());
            if k < sim.steps() {
                sim.step(k).unwrap();
            }
        }
        let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-specimen-{i}"));
        std::fs::create_dir_all(&at).unwrap();
        for (name, text) in export(&model(scheme), "split").unwrap().files {
            std::fs::write(at.join(name), text).unwrap();
        }
        let mut lines = String::new();
        for [target, reached, force] in tape.lock().unwrap().iter() {
            let _ = writeln!(lines, "    {{{target:?}, {reached:?}, {force:?}}},");
        }
        std::fs::write(at.join("driver.c"), DRIVER.replace("TAPE", &lines)).unwrap();
        let strict =
            ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-ffp-contract=off", "-O2"];
        let out = Command::new("cc")
            .current_dir(&at)
            .args(strict)
            .args(["-o", "driver", "driver.c", "split.c", "-lm"])
            .output();
        let out = out.expect("this test needs a C compiler called `cc` (apt-get install gcc)");
        assert!(out.status.success(), "{scheme}: {}", String::from_utf8_lossy(&out.stderr));
        let out = Command::new(at.join("driver")).output().unwrap();
        assert!(out.status.success(), "{scheme}: {}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8(out.stdout).unwrap();
        let found: Vec<Vec<f64>> = text.lines().map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        assert_eq!(found, expected, "{scheme}");
    }
}
