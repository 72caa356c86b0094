//! An export as a functional mock-up unit: its description and its sources. The binary is compiled from them by whoever has a
//! compiler, with `-ffp-contract=off`, so that the numbers are those of the library.

use super::Ports;
pub use super::description::Fmi;
use super::description::{build_description, model_description};
use crate::Export;
use crate::api::stamped;

/// A unit without its binary.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name of its binary, without ending.
    pub name: String,
    /// All files of the archive so far, by their names in it.
    pub files: Vec<(String, String)>,
    /// Those to compile.
    pub sources: Vec<String>,
}

/// The file of the wrapper.
const WRAPPER: &str = "fmu.c";

/// Wraps an export.
pub fn unit(export: &Export, fmi: Fmi) -> Unit {
    let interface = &export.interface;
    let ports = Ports::new(interface);
    let name = &interface.name;
    let model = super::model_files(export);
    let code = format!("{name}.c");
    let sources = [WRAPPER, code.as_str()];
    // Another model, or another version of the standard, is another unit.
    let texts =
        model.iter().map(|(_, text)| text.as_str()).chain([format!("{fmi:?}").as_str()]).collect::<Vec<_>>().concat();
    let token = token(&texts);
    let wrapper = [&super::host(interface), "\n", &interface.named(&version(fmi))].concat().replace("@TOKEN@", &token);

    let mut files = vec![
        ("modelDescription.xml".to_owned(), model_description(interface, &ports, fmi, &token, &sources)),
        (format!("sources/{WRAPPER}"), wrapper),
    ];
    if fmi == Fmi::Three {
        files.push(("sources/buildDescription.xml".to_owned(), build_description(interface, &sources)));
    }
    let sources = sources.iter().map(|s| format!("sources/{s}")).collect();
    files.extend(model.into_iter().map(|(file, text)| (format!("sources/{file}"), text)));
    Unit { name: name.clone(), files: stamped(files, &interface.origin), sources }
}

/// The functions of a version of the standard: those that both have alike are written once, with its names.
fn version(fmi: Fmi) -> String {
    let (own, names) = match fmi {
        Fmi::Two => (include_str!("../../c/wrap_fmi2.c"), ["fmi2", "FMUstate", "DeSerialize"]),
        Fmi::Three => (include_str!("../../c/wrap_fmi3.c"), ["fmi3", "FMUState", "Deserialize"]),
    };
    let shared = ["@FMI@", "@FMUState@", "@Deserialize@"]
        .into_iter()
        .zip(names)
        .fold(include_str!("../../c/wrap_fmi.c").to_owned(), |text, (place, name)| text.replace(place, name));
    own.replace("@SHARED@", &shared)
}

/// A name for a text in the form of a GUID: two hashes (FNV-1a, 64 bits) with different beginnings.
pub(super) fn token(text: &str) -> String {
    let hash = |start: u64| text.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let (a, b) = (hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142));
    format!(
        "{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xffff,
        b >> 48,
        b & 0xffff_ffff_ffff
    )
}
