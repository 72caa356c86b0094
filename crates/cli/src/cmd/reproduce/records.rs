//! `--record NAME=FILE`: recorded motions that the papers name.

use std::path::Path;

use interfield_gallery::{RECORDS, Records};
use interfield_language::diag::did_you_mean;
use interfield_motion::{MAX_BYTES, Quantity, ReadOptions, Record, read_bytes};

/// A message with its help.
type Mistake = (String, String);

/// Reads the records; all that is wrong with them at once.
pub(super) fn given(list: &[String]) -> Result<Records, Vec<Mistake>> {
    let (mut records, mut mistakes) = (Records::default(), Vec::new());
    for (i, text) in list.iter().enumerate() {
        let name = |text: &str| text.split_once('=').map(|(name, _)| name.trim().to_owned());
        let twice = list[..i].iter().any(|earlier| name(earlier).is_some() && name(earlier) == name(text));
        if twice {
            let message = format!("--record {text}: this record is given twice");
            mistakes.push((message, "give each record once".to_owned()));
        } else if let Err(mistake) = add(&mut records, text) {
            mistakes.push(mistake);
        }
    }
    if mistakes.is_empty() { Ok(records) } else { Err(mistakes) }
}

fn add(records: &mut Records, text: &str) -> Result<(), Mistake> {
    let names: Vec<&str> = RECORDS.iter().map(|r| r.name).collect();
    let list = || format!("the records are {}", names.join(", "));
    let Some((name, file)) = text.split_once('=') else {
        return Err((format!("--record {text}: expected NAME=FILE"), list()));
    };
    let Some(named) = RECORDS.iter().find(|r| r.name == name.trim()) else {
        let help = did_you_mean(name.trim(), names.iter().copied()).unwrap_or_else(list);
        return Err((format!("--record {text}: no paper names a record `{}`", name.trim()), help));
    };
    records.add(named, read(Path::new(file.trim()))?);
    Ok(())
}

/// The unit is of no account: every item scales its record to the peak that the paper gives.
fn read(path: &Path) -> Result<Record, Mistake> {
    let name = path.display();
    let bytes = interfield::read_bytes(path, MAX_BYTES as u64)
        .map_err(|e| (format!("`{name}` {e}"), "give the file of a record: --record NAME=FILE".to_owned()))?;
    let read = |unit| read_bytes(&bytes, &ReadOptions { unit, ..ReadOptions::default() });
    let record = read(None).or_else(|_| read(Some(1.0)));
    let record = record.map_err(|e| (format!("`{name}`: {}", e.message), e.help))?;
    if record.quantity != Quantity::Acceleration {
        let help = "the items need the acceleration of the ground".to_owned();
        return Err((format!("`{name}` is a {}", record.quantity.name()), help));
    }
    // A motion of nothing but zeros cannot be scaled.
    record.scaled_to_peak(1.0).map_err(|e| (format!("`{name}`: {e}"), "give another file".to_owned()))?;
    Ok(record)
}
