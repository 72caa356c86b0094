//! An export as an S-function of Simulink: its source, a script that builds it and a page to read.

use super::{Ports, tables};
use crate::Export;
use crate::api::stamped;

/// The files around `NAME.c` and `NAME.h`, and these.
pub fn files(export: &Export) -> Vec<(String, String)> {
    let interface = &export.interface;
    let name = &interface.name;
    let fill = |text: &str| {
        let text = text
            .replace("@TITLE@", &interface.title)
            .replace("@DT@", &format!("{:?}", super::interval(interface)))
            .replace("@STOP@", &format!("{:?}", interface.dt * interface.steps as f64))
            .replace("@TABLES@", &tables(&Ports::new(interface)));
        interface.named(&text)
    };
    let source = [&super::host(interface), "\n", include_str!("../../c/wrap_simulink.c")].concat();
    let mut files = super::model_files(export);
    files.extend([
        (format!("{name}_sfun.c"), fill(&source)),
        (format!("build_{name}.m"), fill(include_str!("../../c/wrap_simulink.m"))),
        ("README.md".to_owned(), fill(include_str!("../../c/wrap_simulink.md"))),
    ]);
    stamped(files, &interface.origin)
}
