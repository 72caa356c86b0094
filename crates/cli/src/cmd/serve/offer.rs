//! What is offered: the model, its specimens, and the addresses where they are found.

use std::path::{Path, PathBuf};
use std::time::Duration;

use interfield::laboratory::{self, Replay};
use interfield::outputs::{Claim, OUT, free_recording, present};
use interfield::record;
use interfield::rehearsal::{self, Rehearsal};
use interfield_lab::controller::MissPolicy;
use interfield_language::Model;
use interfield_language::quantity::Scope;
use interfield_language::units::Dimension;
use interfield_peers::channel::{Door, PeerAddress};
use interfield_results::Meta;

use super::super::lab::choose;
use super::Args;
use super::stand::Stand;
use crate::Exit;
use crate::load::Loaded;
use crate::output::fail;

/// All that is decided before the first client comes.
pub(super) struct Offer<'a> {
    pub(super) args: &'a Args,
    pub(super) model: Model,
    pub(super) replay: Option<Replay>,
    pub(super) stall: Duration,
    pub(super) add_damping: f64,
    pub(super) folder: PathBuf,
    pub(super) results: PathBuf,
    pub(super) meta: Meta,
    pub(super) rehearsal: Rehearsal,
}

impl<'a> Offer<'a> {
    /// The result file after which the recordings of the next test are named, and what keeps that name until they are made.
    pub(super) fn next_recording(&self, first: &Stand) -> Result<(PathBuf, Claim), String> {
        let several = (self.model.specimens.len() > 1).then_some(first.specimen.name.as_str());
        free_recording(&self.results, |results| laboratory::recording(results, several))
    }

    /// Reads the model and opens the doors; what is wrong has been said.
    pub(super) fn prepare(args: &'a Args) -> Result<(Self, Vec<Stand>), Exit> {
        let refuse = |message: &str, help: &str, exit: Exit| {
            fail(args.json, None, None, message, help);
            exit
        };
        let loaded = Loaded::open(&args.model, args.json)?;
        let (mut model, _) = loaded.model(&args.settings)?;
        let chosen = chosen(&model, args).map_err(|(message, help)| refuse(&message, &help, Exit::BadInput))?;
        let places = places(args, chosen.len())
            .map_err(|message| refuse(&message, "give one --listen, or one for each specimen", Exit::BadInput))?;
        let time = |option: &str, text: &str| {
            let example = format!("write for example {option} \"10 s\"");
            waiting_time(&model, text).map_err(|why| refuse(&format!("{option}: {why}"), &example, Exit::BadInput))
        };
        // Not nothing: every answer would come too late.
        let stall = Duration::from_secs_f64(time("--stall", &args.stall)?.max(1e-3));
        let add_damping = time("--add-damping", &args.add_damping)?;
        let replay = args.replay.as_ref().map(|path| Replay::open(path, args.tolerance)).transpose().map_err(|e| {
            refuse(&e, "give a recording NAME.lab.h5, written by `interfield run` or `serve`", Exit::Failure)
        })?;
        for index in &chosen {
            let specimen = &mut model.specimens[*index];
            // The client keeps no time: whenever its next displacement comes is early enough.
            specimen.late = if args.real_time.real_time { MissPolicy::Wait } else { MissPolicy::Hold };
            specimen.limits.deadline = None;
            if replay.as_ref().is_some_and(|r| !r.holds(specimen)) {
                let message = format!("the recording holds no specimen `{}`", specimen.name);
                return Err(refuse(
                    &message,
                    "give a recording of this specimen, or another --specimen",
                    Exit::BadInput,
                ));
            }
        }
        let mut stands = Vec::new();
        for (index, place) in chosen.into_iter().zip(&places) {
            let door = Door::open(place)
                .map_err(|e| refuse(&format!("{place}: {e}"), "give another --listen", Exit::Failure))?;
            stands.push(Stand::new(index, model.specimens[index].clone(), door));
        }
        let stem = args.model.file_stem().unwrap_or(args.model.as_os_str());
        let results = args.output.clone().unwrap_or_else(|| Path::new(OUT).join(stem).with_extension("h5"));
        // A name that somebody chose is his; others get the next number.
        if let Some(there) = args.output.as_deref().and_then(present) {
            let message = format!("{there}; recordings are never replaced");
            return Err(refuse(&message, "give another --output", Exit::BadInput));
        }
        let listen: Vec<String> = places.iter().map(ToString::to_string).collect();
        let settings = [
            ("dt", record::seconds(model.analysis.dt)),
            ("protocol", args.protocol.name().into()),
            ("listen", listen.join(", ").into()),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let mut meta = record::about(&model.title, loaded.text(), settings, &(&args.settings).into());
        record::complete(&mut meta, &loaded, &model, &args.real_time.into());
        let folder = loaded.folder().to_owned();
        let rehearsal = rehearsal::of(&loaded, &(&args.settings).into());
        Ok((Offer { args, model, replay, stall, add_damping, folder, results, meta, rehearsal }, stands))
    }
}

/// All specimens, or those that are meant, each once; else what is wrong, and what to write.
fn chosen(model: &Model, args: &Args) -> Result<Vec<usize>, (String, String)> {
    if args.specimen.is_empty() && model.specimens.len() > 1 {
        return Ok((0..model.specimens.len()).collect());
    }
    if args.specimen.is_empty() {
        return choose(model, None).map(|index| vec![index]);
    }
    let mut all = Vec::new();
    for name in &args.specimen {
        let index = choose(model, Some(name))?;
        if all.contains(&index) {
            return Err((format!("--specimen {name} is given twice"), "name each specimen once".to_owned()));
        }
        all.push(index);
    }
    Ok(all)
}

/// Where each of `n` specimens is found: at the addresses given, or at the one given and the ports behind it.
fn places(args: &Args, n: usize) -> Result<Vec<PeerAddress>, String> {
    match args.listen.as_slice() {
        [first] => (0..n)
            .map(|k| first.port_behind(k).ok_or_else(|| format!("{first}: there are no {n} ports from there on")))
            .collect(),
        all if all.len() == n => Ok(all.to_vec()),
        all => Err(format!("{} addresses for {n} specimens", all.len())),
    }
}

/// A time to wait, s.
fn waiting_time(model: &Model, text: &str) -> Result<f64, String> {
    match Scope::new(model.units.clone()).quantity(text, Dimension::TIME) {
        Ok(time) if (0.0..1e9).contains(&time) => Ok(time),
        Ok(time) => Err(format!("{time} s is not a valid waiting time")),
        Err(errors) => Err(errors.first().map_or("is not a time", |e| e.message.as_str()).to_owned()),
    }
}
