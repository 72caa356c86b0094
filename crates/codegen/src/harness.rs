//! The program that runs an export against a laboratory by the clock, over the wire of the project.
//!
//! What leaves passes a guard: `c/guard.c`, a port of that of the laboratory, with the envelopes of the specimen.
//!
//! **Must not be here:** the wire (its header is added by whoever writes the files), compensation, calibration, limits on what is
//! measured.

use interfield_language::model::Model;
use interfield_language::specimen::{Action, Address, Home, Specimen, Watch};

use crate::api::Export;
use crate::text::{number, string};

/// Most actuators of the wire.
const MOST: usize = 32;

/// For so long a command may be too fast or too sudden before the test ends, s: as the controller of the library has it.
const REFUSED: f64 = 5e-3;

/// Where `interfield lab` is found if the model does not say it.
const ADDRESS: &str = "127.0.0.1:7700";

/// Adds `harness.c` to the export of a model with a specimen, or to its README why there is none. `times` are those of the
/// commands within a step, in steps; `None` where they do not follow one rule.
pub(crate) fn add(export: &mut Export, model: &Model, times: Option<&[f64]>) {
    if model.specimens.is_empty() {
        return;
    }
    let words = match program(export, model, times) {
        Ok(text) => {
            export.files.push(("harness.c".to_owned(), text));
            append(export, "Makefile", include_str!("../c/harness.mk"));
            "`make harness` compiles `harness.c`: this model in real time with `interfield lab MODEL`, or a \
                controller, over UDP (`interfield_wire.h`). `./harness --lockstep` runs as fast as possible. All \
                channels go to standard output as CSV."
                .to_owned()
        }
        Err(why) => format!("There is no `harness.c`: {why}."),
    };
    append(export, "README.md", &format!("\n## Harness\n\n{words}\n"));
}

fn append(export: &mut Export, name: &str, text: &str) {
    let text = export.interface.named(text);
    export.files.iter_mut().filter(|f| f.0 == name).for_each(|f| f.1 += &text);
}

/// The program, or why there is none.
fn program(export: &Export, model: &Model, times: Option<&[f64]>) -> Result<String, String> {
    if ["harness", "interfield_wire"].contains(&export.interface.name.as_str()) {
        return Err("the model has the same name; rename the model file".to_owned());
    }
    let Some(times) = times else {
        return Err("it is written for structures in one piece; export with `--whole`".to_owned());
    };
    let [specimen] = model.specimens.as_slice() else {
        return Err("it drives one specimen, but the model has several".to_owned());
    };
    let reason = specimen.between().or_else(|| {
        let sealed = specimen.key.is_some().then_some("the messages are encrypted with a key");
        sealed.or((specimen.dofs.len() > MOST).then_some("the protocol supports at most 32 actuators"))
    });
    if let Some(reason) = reason {
        return Err(format!("it commands actuators directly, but at `{}` {reason}", specimen.name));
    }
    let [envelopes, often, limits] = envelopes(specimen)?;
    let misses = specimen.gone_after();
    let list: Vec<String> = times.iter().map(|t| number(*t)).collect();
    let text = include_str!("../c/harness.c")
        .replace("@ADDRESS@", &address(specimen))
        .replace("@EVALUATIONS@", &times.len().to_string())
        .replace("@SPECIMEN@", &string(&specimen.name))
        .replace("@PERIOD@", &number(specimen.period))
        .replace("@TIMESCALE@", &number(specimen.time_scale))
        .replace("@RAMP@", &number(specimen.ramp))
        .replace("@BRAKE@", &number(specimen.brake))
        .replace("@BRIDGE@", &number(specimen.bridge))
        .replace("@HOME@", if specimen.home == Home::Displacement { "1" } else { "0" })
        .replace("@MISSES@", &misses.to_string())
        .replace("@GUARD@", include_str!("../c/guard.c"))
        .replace("@ENVELOPES@", &envelopes)
        .replace("@OFTEN@", &often)
        .replace("@LIMITS@", &limits)
        .replace("@TIMES@", &list.join(", "));
    Ok(export.interface.named(&text))
}

/// What each actuator may be sent, for how many samples in a row it may be wanted to do more, and what must not be asked of it, as
/// initialisers; or why the harness cannot keep it.
fn envelopes(specimen: &Specimen) -> Result<[String; 3], String> {
    if specimen.home == Home::Force {
        return Err(format!("it does not estimate the stiffness to unload `{}`", specimen.name));
    }
    let mut lists = [Vec::new(), Vec::new(), Vec::new()];
    for i in 0..specimen.actuators.len() {
        let guard = specimen.guard(i)?;
        let e = guard.envelope();
        if e.jerk.is_finite() {
            return Err(format!("it does not support a jerk limit, but `{}` has one", specimen.name));
        }
        let bounds = [e.position[0], e.position[1], e.velocity, e.acceleration, e.braking].map(number);
        let limits = specimen.limits_of(i);
        let samples = [limits.velocity, limits.acceleration].map(|watch| {
            let least = (REFUSED / specimen.period).ceil().max(1.0);
            format!("{:.0}", least.max(watch.map_or(1.0, |w| f64::from(w.samples))))
        });
        // A limit that only warns ends no test.
        let ends = |watch: Option<Watch>| watch.filter(|w| w.action > Action::Warn);
        let asked = [limits.displacement, limits.velocity].map(|watch| {
            let (limit, samples) = ends(watch).map_or((f64::INFINITY, 1), |w| (w.limit, w.samples));
            format!("{{{}, {samples}}}", number(limit))
        });
        let all = [bounds.join(", "), samples.join(", "), asked.join(", ")];
        lists.iter_mut().zip(all).for_each(|(list, numbers)| list.push(format!("{{{numbers}}}")));
    }
    Ok(lists.map(|list| list.join(", ")))
}

fn address(specimen: &Specimen) -> String {
    match &specimen.at {
        Some(Address::Udp { host, port }) => format!("{host}:{port}"),
        _ => ADDRESS.to_owned(),
    }
}
