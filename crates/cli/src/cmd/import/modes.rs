//! Periods: what OpenSees answered to `eigen`, and what Interfield computes of the model recorded up to there.

use std::path::Path;

use interfield::{Choices, ModelFile};
use interfield_opensees::peer::Peer;
use interfield_opensees::{Options, Record, translate_here};

/// A period in both programs, s.
pub(super) struct Mode {
    pub(super) theirs: f64,
    pub(super) ours: f64,
}

/// One list for each `eigen` of the script that both have answered.
pub(super) fn modes(record: &Record, peer: &Peer, folder: &Path) -> Vec<Vec<Mode>> {
    let asked = record.commands.iter().enumerate().filter(|(_, c)| c.name == "eigen");
    let both = asked.zip(&peer.eigenvalues).filter_map(|((i, _), (_, theirs))| {
        let sofar = Record { commands: record.commands[..i].to_vec(), ..record.clone() };
        let (text, _) = translate_here(&sofar, &Options::default(), &|path| super::reading(folder, path))?;
        let structure =
            ModelFile::embedded("record", text, folder.to_path_buf()).quiet_structure(&Choices::default()).ok()?;
        let ours = structure.modes(theirs.len()).ok()?;
        let period = |omega2: &f64| std::f64::consts::TAU / omega2.sqrt();
        Some(
            theirs
                .iter()
                .zip(&ours.omega2)
                .map(|(a, b)| Mode { theirs: period(a), ours: period(b) })
                .collect::<Vec<_>>(),
        )
    });
    both.filter(|list| !list.is_empty()).collect()
}
