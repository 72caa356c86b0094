//! Pictures of the book, drawn from the registries: what an element is and does, how a scheme amplifies, when the sides of a coupling
//! step and exchange, what a compensator leaves of an error; and the ways of signals that chapters describe. They stand in `docs/book/src/img`, so that the repository shows
//! them too, and are held to be current as the generated chapters are.

mod compensators;
mod couplings;
mod elements;
mod flows;
mod frames;
mod materials;
mod schemes;
mod strokes;

/// Where they are, beside the chapters.
pub(crate) const FOLDER: &str = "img";

/// Name and contents of all pictures; what could not be drawn otherwise.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    let mut drawn = flows::all();
    drawn.extend(elements::all()?);
    drawn.extend(materials::all()?);
    drawn.extend(frames::all());
    drawn.extend(schemes::all()?);
    drawn.extend(couplings::all()?);
    drawn.extend(compensators::all()?);
    Ok(drawn.into_iter().map(|(name, svg)| (format!("{FOLDER}/{name}.svg"), svg)).collect())
}

pub(crate) use couplings::steps;
pub(crate) use elements::has_curve;
pub(crate) use materials::written;
