//! Time of a step of generated C beside that of the library, with the same motion computed on both sides.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;

use crate::{Bar, Bench, Row};

/// Steps the whole analysis again and again, and prints the best time of a step in nanoseconds.
const DRIVER: &str = r#"
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "model.h"
static model_t m;
int main(void)
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec a, b;
        int fault = 0;
        model_init(&m);
        model_start(&m);
        clock_gettime(CLOCK_MONOTONIC, &a);
        while (m.step < MODEL_STEPS && !fault) {
            if (m.wanted >= 0) {
                model_motion(&m, m.wanted);
            }
            fault = model_step(&m);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        if (fault) {
            return 1;
        }
        const double time = (1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec)) / (double)MODEL_STEPS;
        best = time < best ? time : best;
    }
    printf("%.17g\n", best);
    return 0;
}
"#;

impl Bench {
    pub(crate) fn export(&self) -> Result<Vec<Row>, String> {
        let folder = std::env::temp_dir().join(format!("interfield-bench-export-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let rounds = if self.quick() { 3 } else { 20 };
        let rows = ["viaduct", "cantilever"].map(|name| measure(name, &folder, rounds));
        std::fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
        rows.into_iter().collect()
    }
}

/// A model of the repository in one piece, its specimens computed.
fn model(name: &str) -> Result<Model, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.toml"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (source, diags) = (Source::new(name, text), Diagnostics::new());
    let found = parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags);
    let mut model = found.ok_or_else(|| diags.render(&source, false))?.0;
    model.partition = None;
    model.specimens.clear();
    Ok(model)
}

fn measure(name: &str, folder: &Path, rounds: usize) -> Result<Row, String> {
    let model = model(name)?;
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let mut sim = Simulation::new(model.clone()).map_err(|p| format!("{p:?}"))?;
        let mut row = vec![0.0; sim.channels().len()];
        let begin = Instant::now();
        for k in 0..sim.steps() {
            sim.step(k).and_then(|()| sim.sample(k + 1, &mut row)).map_err(|f| format!("{f:?}"))?;
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e9 / sim.steps() as f64);
    }
    let export = interfield_codegen::export(&model, "model", &interfield_codegen::Origin::default())
        .map_err(|p| format!("{p:?}"))?;
    for (file, text) in &export.files {
        std::fs::write(folder.join(file), text).map_err(|e| e.to_string())?;
    }
    std::fs::write(folder.join("driver.c"), DRIVER.replace("ROUNDS", &rounds.to_string()))
        .map_err(|e| e.to_string())?;
    let mut compile = Command::new("cc");
    compile.current_dir(folder).args([
        "-std=c99",
        "-O3",
        "-ffp-contract=off",
        "-o",
        "driver",
        "driver.c",
        "model.c",
        "-lm",
    ]);
    let done = compile.status().map_err(|e| format!("no C compiler called `cc`: {e}"))?;
    let out = Command::new(folder.join("driver")).output().map_err(|e| e.to_string())?;
    let ours: f64 =
        String::from_utf8_lossy(&out.stdout).trim().parse().map_err(|_| format!("the C of {name} failed ({done})"))?;
    Ok(Row {
        case: "export",
        what: format!("{name}: a step of generated C, beside the library"),
        unit: "ns",
        ours,
        other: Ok(best),
        bar: Bar::RatioBelow(1.5),
        note: format!(
            "cc -O3 -ffp-contract=off, {} bytes of tables; motion and all channels included",
            export.interface.tables
        ),
    })
}
