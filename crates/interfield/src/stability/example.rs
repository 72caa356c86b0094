//! A counter-example as a model file: the model with everything written out, and single values in the place of its intervals. The emulated laboratory has
//! them, so that the file grows in its run.

use std::ops::Range;
use std::path::{Path, PathBuf};

use interfield_language::Model;

use super::certified::Certificate;
use super::machine::assemble;
use super::region::Region;
use super::{PRODUCTS, judge};
use crate::{Choices, ModelFile, files};

/// Folder of such files, where nothing is read beside the model.
const OUT: &str = "interfield-out";

/// Writes the counter-example of a certificate, and says where; none if it has none.
pub(crate) fn write(loaded: &ModelFile, args: &Choices, found: &Certificate) -> Option<Result<String, String>> {
    let (region, Some(point)) = found.region() else { return None };
    Some(attempt(loaded, args, region, point))
}

fn attempt(loaded: &ModelFile, args: &Choices, region: &Region, point: &[f64]) -> Result<String, String> {
    let text = loaded.expanded(args).map_err(|_| "the model cannot be written".to_owned())?;
    let place = place(loaded, args);
    let folder = loaded.folder().to_owned();
    let read = |text: String| -> Result<(ModelFile, Model), String> {
        let file = ModelFile::embedded("counter-example", text, folder.clone());
        let rest = Choices { whole: args.whole, ..Choices::default() };
        let model = file.variant(&rest)?;
        Ok((file, model))
    };
    let (file, model) = read(text)?;
    let mut edits = Vec::new();
    for (place, x) in region.places.iter().zip(point) {
        let specimen = model.specimens.get(place.specimen).ok_or("it has another specimen")?;
        let find = |all: &[(&'static str, Option<&interfield_language::specimen::uncertain::Known>)]| {
            all.iter().find(|(name, _)| *name == place.name).and_then(|(_, known)| known.map(|k| k.span.clone()))
        };
        let span = match place.actuator {
            Some(a) => specimen.actuators.get(a).and_then(|a| find(&a.uncertain.all())),
            None => find(&specimen.uncertain.all()),
        };
        let value = place.written(*x);
        edits.push(match span {
            Some(span) => (span, format!("[{value}, {value}]")),
            None => beside(
                file.text(),
                place.specimen,
                &specimen.uncertain.all().map(|(_, k)| k.map(|k| k.span.clone())),
                place.name,
                &value,
            )?,
        });
    }
    let said = format!(
        "# A counter-example to the stability of {}: with these values of its uncertain numbers a motion grows.\n",
        loaded.path().display()
    );
    let edited = said + &edited(file.text(), edits)?;
    // Only what is seen to grow is called so.
    let (_, model) = read(edited.clone())?;
    let verdict = judge(&mut assemble(model)?.0, PRODUCTS)?;
    if verdict.stable {
        return Err("the model that was written is stable: please report this".to_owned());
    }
    files::write(&place, edited)?;
    Ok(place.display().to_string())
}

/// Where it is written: with other results, or beside the model where that names other files.
fn place(loaded: &ModelFile, args: &Choices) -> PathBuf {
    let stem = loaded.path().file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy());
    let name = format!("{stem}.counter-example.toml");
    let variants = loaded.variants();
    let alone =
        variants.model(args).is_ok_and(|m| m.externals.is_empty() && m.specimens.iter().all(|s| s.key.is_none()));
    if alone && variants.files().is_empty() { Path::new(OUT).join(name) } else { loaded.folder().join(name) }
}

/// Where a key is added to the table `uncertain` of a specimen: behind another key of it, or behind the header of the specimen.
fn beside(
    text: &str,
    specimen: usize,
    known: &[Option<Range<usize>>],
    name: &str,
    value: &str,
) -> Result<(Range<usize>, String), String> {
    if let Some(span) = known.iter().flatten().next() {
        let inline = text[span.end..].trim_start_matches([' ', '\t']).starts_with([',', '}']);
        let added =
            if inline { format!(", {name} = [{value}, {value}]") } else { format!("\n{name} = [{value}, {value}]") };
        return Ok((span.end..span.end, added));
    }
    let mut headers = text.match_indices("[[specimen]]").filter(|(i, _)| *i == 0 || text[..*i].ends_with('\n'));
    let (at, header) = headers.nth(specimen).ok_or("its specimen is not written as [[specimen]]")?;
    let end = at + header.len();
    Ok((end..end, format!("\nuncertain = {{ {name} = [{value}, {value}] }}")))
}

/// A text with parts of it replaced.
fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> Result<String, String> {
    edits.sort_by_key(|(span, _)| span.start);
    let (mut out, mut done) = (String::new(), 0);
    for (span, new) in edits {
        if span.start < done {
            return Err("two of its numbers are written at the same place".to_owned());
        }
        out += text.get(done..span.start).ok_or("the place of a number in it was not found")?;
        out += &new;
        done = span.end;
    }
    Ok(out + text.get(done..).ok_or("the place of a number in it was not found")?)
}
