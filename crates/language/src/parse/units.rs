//! `[units]`: units of plain numbers in the file and of the output, or of a program.

use crate::diag::Diagnostic;
use crate::key::*;
use crate::reader::{Spanned, Table};
use crate::units::UnitSystem;

section! {
    /// Of the file, or of a program.
    pub UNITS = ("units", "[units]", "Units of plain numbers in the file and of the output, or of a program; SI if absent.");
    LENGTH: Text = key("length", "Unit of length.").default("m").example("mm");
    TIME: Text = key("time", "Unit of time.").default("s").example("s");
    FORCE: Text = key("force", "Unit of force; the unit of mass follows from it.").default("N").example("kN");
    MASS: Text = key("mass", "Unit of mass, instead of the unit of force.").default("kg").example("t");
}

/// The units that a table names; `None` after a mistake that has been reported.
pub fn read(table: Table<'_>) -> Option<UnitSystem> {
    let texts: [(Key<Text>, Option<Spanned<String>>); 4] =
        [LENGTH, FORCE, MASS, TIME].map(|key| (key, table.read(&key)));
    let [length, force, mass, time] = texts.each_ref().map(|t| t.1.as_ref().map(|t| t.value.as_str()));
    let units = UnitSystem::new(length, force, mass, time);
    for e in units.as_ref().err().into_iter().flatten() {
        let span = match texts.iter().find(|t| t.0.name == e.key) {
            Some((_, Some(t))) => table.locate(t, e.error.span.clone()),
            _ => table.span(),
        };
        let found = Diagnostic::error(e.error.message.clone(), span);
        table.diagnostics().push(found.maybe_help(e.error.help.clone()));
    }
    table.finish();
    units.ok()
}
