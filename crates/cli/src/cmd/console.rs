//! `interfield console`: the page of a finished test, played back at any speed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield::laboratory::recording;
use interfield_console::camera::Camera;
use interfield_console::{Command, Desk, Event, Hub, Kind, Level, Status};
use interfield_results::Reader;
use serde_json::json;

use crate::Exit;
use crate::console::playback::{Track, rig, run_track, shape_track};
use crate::console::{self, Beside, ConsoleArgs};
use crate::output::{complain, fail, print_json};
use crate::stored;

/// Show a finished test on the page of the operator's console, at any speed
///
/// Opens a result file and the recordings of its specimens beside it. The page is that of `interfield run --console`: pause, resume, another time
/// scale and another time are commanded from it. The program ends with Ctrl-C.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield console interfield-out/tower.h5\n  \
interfield console interfield-out/tower.h5 --scale 0.1 --console 127.0.0.1:0")]
pub(crate) struct Args {
    /// Result file, written by `interfield run`
    result: PathBuf,
    /// Seconds on the wall per second of the test; smaller is faster
    #[arg(long, value_name = "SCALE", default_value_t = 1.0, value_parser = scale)]
    scale: f64,
    /// Print the addresses of the page, or the error, as JSON on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    console: ConsoleArgs,
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|s: &f64| (1e-3..=1e3).contains(s));
    scale.ok_or_else(|| "write a number from 0.001 to 1000, for example --scale 0.1".to_owned())
}

/// Where the playback is.
struct Player {
    /// Time that is shown, s.
    t: f64,
    end: f64,
    plays: bool,
    scale: f64,
    /// The time was changed by somebody.
    moved: bool,
}

/// Commands of the page to a playback.
struct PlayerDesk(Mutex<Player>);

impl PlayerDesk {
    fn player(&self) -> std::sync::MutexGuard<'_, Player> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk for PlayerDesk {
    fn status(&self) -> Status {
        let Player { t, end, plays, scale, .. } = *self.player();
        let (word, can): (&str, &[&'static str]) = match (plays, t >= end) {
            (_, true) => ("end", &["seek", "scale"]),
            (true, _) => ("playing", &["pause", "seek", "scale"]),
            (false, _) => ("paused", &["resume", "seek", "scale"]),
        };
        let detail = "A finished test is played back. Nothing moves.".to_owned();
        Status { word: word.to_owned(), level: Level::Quiet, detail, can: can.to_vec(), t, scale, over: false }
    }

    fn command(&self, _who: &str, command: &Command) -> Result<String, String> {
        let mut player = self.player();
        match command {
            Command::Pause => player.plays = false,
            Command::Resume => player.plays = true,
            Command::Scale(scale) => player.scale = *scale,
            Command::Seek(t) => {
                (player.t, player.moved, player.plays) = (t.min(player.end), true, true);
            }
            _ => return Err("a finished test cannot be changed".to_owned()),
        }
        drop(player);
        Ok(self.status().word)
    }
}

/// How often rows are shown.
const TURN: Duration = Duration::from_millis(20);

pub(crate) fn run(args: &Args) -> Exit {
    match play(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn play(args: &Args) -> Result<(), Exit> {
    let reader = stored::open(&args.result, args.json)?;
    let times = reader.time(0..reader.rows()).map_err(|e| stored::damaged(&e, args.json))?;
    let Some(&end) = times.last() else {
        fail(
            args.json,
            Some(&args.result.display().to_string()),
            None,
            "the result has no rows",
            "run the model again",
        );
        return Err(Exit::BadInput);
    };
    let structure = stored::structure(&reader);
    let mut about = match &structure {
        Ok(structure) => console::about(structure, "playback"),
        Err(why) => {
            complain(&format!(
                "warning: the model in the result cannot be read, and its structure is not drawn: {why}"
            ));
            json!({ "title": reader.meta().title, "kind": "playback", "rigs": [] })
        }
    };
    about["duration"] = json!(end);
    about["confirm"] = json!([]);
    let mut options = args.console.clone();
    options.console.get_or_insert(console::address());
    let opened = console::open(
        &options,
        about,
        Beside { model: Some(&args.result), kept: Camera::kept(&console::pictures(&args.result)), ..Beside::default() },
    );
    let refuse = |message: String| {
        fail(args.json, None, None, &message, console::HELP);
        Exit::Failure
    };
    let Some((hub, console)) = opened.map_err(refuse)? else { return Ok(()) };
    if args.json {
        print_json(&json!({ "viewers": console.page(), "operator": console.operator_page() }));
    }
    let mut tracks =
        tracks(&hub, &reader, times, structure.as_ref().ok()).map_err(|e| stored::damaged(&e, args.json))?;
    let player = Player { t: 0.0, end, plays: true, scale: args.scale, moved: false };
    let desk = Arc::new(PlayerDesk(Mutex::new(player)));
    hub.commanded_by(desk.clone());
    let mut last = Instant::now();
    loop {
        std::thread::sleep(TURN);
        let passed = last.elapsed().as_secs_f64();
        last = Instant::now();
        let (t, moved) = {
            let mut player = desk.player();
            if player.plays {
                player.t = (player.t + passed / player.scale).min(player.end);
            }
            (player.t, std::mem::take(&mut player.moved))
        };
        for track in &mut tracks {
            if moved {
                track.seek(t);
            }
            track.show(t).map_err(|e| stored::damaged(&e, args.json))?;
        }
    }
}

/// All that can be shown of a test.
fn tracks(
    hub: &Hub,
    reader: &Reader,
    times: Vec<f64>,
    structure: Option<&interfield_structure::Structure>,
) -> Result<Vec<Track>, interfield_results::Error> {
    let again = |path: &Path| Reader::open(path);
    let mut tracks = vec![run_track(hub, again(reader.path())?, times.clone(), structure)];
    let Some(structure) = structure else { return Ok(tracks) };
    tracks.extend(shape_track(hub, again(reader.path())?, times, structure));
    let several = structure.model.specimens.len() > 1;
    for specimen in &structure.model.specimens {
        let path = recording(reader.path(), several.then_some(specimen.name.as_str()));
        if let Ok(recorded) = again(&path) {
            let log = recorded.log().to_owned();
            let track = rig(hub, recorded, specimen, &structure.model.units)?;
            notes(hub, &log, |t| track.of_the_test(t));
            tracks.push(track);
        }
    }
    if structure.model.specimens.is_empty() {
        notes(hub, reader.log(), |t| t);
    }
    Ok(tracks)
}

/// What a line of a log says and of which kind it is, if it begins with a word for one.
fn begins(line: &str) -> Option<(Kind, &str)> {
    let kinds = [("operator", Kind::Command), ("note", Kind::Note)];
    kinds.iter().find_map(|(name, kind)| Some((*kind, line.strip_prefix(name)?)))
}

/// What was said and noted during the test: `[WHEN: ]operator|note[ (WHO)]: WHAT`, with seconds of the laboratory or of the model.
fn notes(hub: &Hub, log: &str, of_the_test: impl Fn(f64) -> f64) {
    for line in log.lines() {
        let (when, found) = match (begins(line), line.split_once(": ")) {
            (Some(found), _) => ("", Some(found)),
            (None, Some((when, what))) => (when, begins(what)),
            (None, None) => continue,
        };
        let Some((kind, rest)) = found else { continue };
        let t = match when.strip_prefix("t = ") {
            Some(model) => seconds(model),
            None => seconds(when).map(&of_the_test),
        };
        // Where nobody gave a name there is none.
        let named = rest.strip_prefix(" (").and_then(|r| r.split_once("): "));
        let (who, text) = named.unwrap_or(("", rest.trim_start_matches(": ")));
        hub.event(Event { stamp: 0.0, ..Event::now(kind, t.unwrap_or(0.0).max(0.0), text).by(who) });
    }
}

/// The number at the start of a text.
fn seconds(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}
