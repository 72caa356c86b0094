//! Online updating over unknown truths: how often it helps, and whether it ever hurts.

use interfield::Choices;
use interfield::updating::{Rehearsed, compare, drawn};
use interfield_ensemble::{all_cores, over};

use super::{Args, failed};
use crate::Exit;
use crate::cmd::updating::figure;
use crate::drawing::{DPI, draw};
use crate::load::Loaded;
use crate::output::{print, print_json};

/// Truths within the spread of the first guess, each with updating and without. Done if it never hurts.
pub(super) fn ask(args: &Args, count: u32) -> Result<Exit, Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let model = loaded.or_refuse(loaded.updated(&Choices::from(&args.settings)))?;
    let models = drawn(&model, count, 0.01 * args.spread, args.draw_seed);
    let found = over(&models, args.threads.map_or_else(all_cores, |n| n as usize), compare);
    let factors = models.into_iter().map(|m| m.updates.iter().flat_map(|u| u.truth.clone()).collect());
    let rehearsed = Rehearsed::new(model, factors.zip(found).collect())
        .map_err(|message| failed(args, &message, "run the model itself: interfield run"))?;
    loaded.show();
    if let Some(path) = &args.plot {
        draw(path, &figure(&rehearsed), DPI).map_err(|message| failed(args, &message, "give another --plot"))?;
    }
    if args.json {
        print_json(&rehearsed.json());
    } else {
        print(&rehearsed.text());
    }
    Ok(if rehearsed.is_good() { Exit::Done } else { Exit::Fault })
}
