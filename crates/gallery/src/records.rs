//! Recorded ground motions that the papers name. None is shipped: users give the files they have.

use interfield_motion::Record;

/// A record that a paper names.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Event, station and component, as the paper names them.
    pub what: &'static str,
}

/// 000, section 2.1: figure 3(b).
pub(crate) const SHIFANG: Named =
    Named { name: "shifang-ns", what: "N-S component of the Wenchuan earthquake recorded at Shifang" };
/// 000, section 2.1: figures 4 and 5.
pub(crate) const KOBE: Named = Named { name: "kobe-ew", what: "E-W component of the Kobe earthquake" };
/// 000, section 2.2: figure 6.
pub(crate) const EL_CENTRO: Named = Named { name: "el-centro-ew", what: "E-W component of the El Centro wave" };

/// All records that the items of the gallery look for.
pub const RECORDS: &[&Named] = &[&SHIFANG, &KOBE, &EL_CENTRO];

impl Named {
    /// Why a claim about this motion is not tested without it.
    pub(crate) fn missing(&self) -> String {
        format!("the {} is not part of this program; give it with --record {}=FILE", self.what, self.name)
    }
}

/// The records that a user has given.
#[derive(Clone, Debug, Default)]
pub struct Records(Vec<(&'static str, Record)>);

impl Records {
    /// Adds a record under the name of one of [`RECORDS`].
    pub fn add(&mut self, named: &Named, record: Record) {
        self.0.push((named.name, record));
    }

    /// The record of this name, if it was given.
    pub fn of(&self, named: &Named) -> Option<&Record> {
        self.0.iter().find(|(name, _)| *name == named.name).map(|(_, record)| record)
    }
}
