//! The operator's console of a command: its options, what its page is told of a model, what a run shows.

mod described;
pub(crate) mod playback;
mod shown;
mod watched;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use interfield::laboratory::Shown;
use interfield_console::camera::Camera;
use interfield_console::mcap::McapFile;
use interfield_console::udp::UdpJson;
use interfield_console::{Console, Extras, Hub, Serving};
use interfield_language::Model;
use serde_json::{Value, json};

use crate::output::complain;
pub(crate) use described::{about, rig_about, rig_topic};
pub(crate) use shown::{Commanded, Observer};
pub(crate) use watched::{LabDesk, Watched};

/// Address of a console, unless given.
const ADDRESS: &str = "127.0.0.1:7722";
const PORT: u16 = 7722;

/// The address of a console, unless given.
pub(crate) fn address() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], PORT))
}

/// What the command line says about the console.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConsoleArgs {
    /// Serve the operator's console, a page in the browser that shows and commands the test; the test waits there to be started [default address: 127.0.0.1:7722]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = ADDRESS)]
    pub(crate) console: Option<SocketAddr>,
    /// Start at once, without waiting for the console
    #[arg(long, requires = "console")]
    pub(crate) console_start: bool,
    /// Others look through an encrypted tunnel, such as ssh or WireGuard, and need a key; ADDRESS may then be one inside of it
    #[arg(long, requires = "console")]
    pub(crate) console_tunnel: bool,
    /// Show pictures of a camera: a folder, or http://HOST/PATH of an MJPEG stream; may be given several times
    #[arg(long, value_name = "PLACE", requires = "console")]
    pub(crate) console_camera: Vec<String>,
    /// Write the stream of the console to this MCAP file
    #[arg(long, value_name = "FILE", requires = "console")]
    pub(crate) console_mcap: Option<PathBuf>,
    /// Serve the stream of the console as MCAP at /live.mcap
    #[arg(long, requires = "console")]
    pub(crate) console_mcap_live: bool,
    /// Send the stream of the console as JSON over UDP to this address, for PlotJuggler
    #[arg(long, value_name = "ADDRESS", requires = "console")]
    pub(crate) console_udp: Option<SocketAddr>,
    /// Serve health metrics for Prometheus at /metrics
    #[arg(long, requires = "console")]
    pub(crate) console_metrics: bool,
}

/// What a console has to do with.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    /// The file beside which a layout is kept.
    pub(crate) model: Option<&'a Path>,
    /// The file beside which pictures of cameras are kept.
    pub(crate) results: Option<&'a Path>,
    /// Pictures of an earlier test.
    pub(crate) kept: Vec<Camera>,
    /// The core of a loop in real time.
    pub(crate) core: Option<usize>,
}

/// Starts a console; `None` if none is wanted.
pub(crate) fn open(args: &ConsoleArgs, about: Value, beside: Beside<'_>) -> Result<Option<(Hub, Console)>, String> {
    let Some(address) = args.console else { return Ok(None) };
    let Beside { model, results, kept, core } = beside;
    let hub = Hub::new(about);
    let given = args.console_camera.iter().map(|place| Camera::new(place));
    let cameras = given.chain(kept.into_iter().map(Ok)).collect::<Result<Vec<_>, _>>()?;
    hub.tell("cameras", cameras.iter().map(|c| json!(c.name())).collect());
    if let Some(path) = &args.console_mcap {
        hub.outlet(Box::new(McapFile::create(path)?));
    }
    if let Some(to) = args.console_udp {
        hub.outlet(Box::new(UdpJson::new(to)?));
    }
    if let Some(path) = model.filter(|m| m.is_file()).map(layout) {
        match std::fs::read_to_string(&path) {
            Ok(text) => match serde_json::from_str(&text).map_err(|e| e.to_string()).and_then(|saved| names(&saved)) {
                Ok(panels) => hub.tell("layout", json!({ "panels": panels })),
                Err(why) => complain(&format!(
                    "warning: the layout in `{}` is not used: {why}; delete the file, or save the layout again from the page",
                    path.display()
                )),
            },
            // Most models have none.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => complain(&format!("warning: the layout in `{}` cannot be read: {e}", path.display())),
        }
        let own = hub.clone();
        hub.saved_by(move |value| save(&path, value).inspect(|_| own.tell("layout", value.clone())));
    }
    let extras = Extras { prometheus: args.console_metrics, mcap: args.console_mcap_live, cameras };
    let pictures = results.map(pictures);
    let console =
        Console::serve(&hub, Serving { address, tunnel: args.console_tunnel, extras, pictures, keep_off: core })?;
    complain(&format!("console for viewers:  {}", console.page()));
    complain(&format!("console to command:   {}", console.operator_page()));
    Ok(Some((hub, console)))
}

/// What to do about a console that could not be opened.
pub(crate) const HELP: &str = "write --console 127.0.0.1:0 for any free port of this machine; from another machine use a tunnel: ssh -L 7722:127.0.0.1:7722 HOST, or --console ADDRESS --console-tunnel for an address inside of WireGuard";

/// Where pictures of cameras are kept: beside the results.
pub(crate) fn pictures(results: &Path) -> PathBuf {
    results.with_extension("pictures")
}

/// Where the layout of a console is kept: beside the model.
fn layout(model: &Path) -> PathBuf {
    model.with_extension("console.json")
}

/// Most panels of a layout.
const PANELS: usize = 64;

/// Panels of a layout by their names.
fn names(layout: &Value) -> Result<Vec<String>, String> {
    let panels = layout["panels"].as_array().filter(|p| p.len() <= PANELS);
    let name = |name: &Value| name.as_str().filter(|n| n.len() <= 40).map(str::to_owned);
    let names = panels.and_then(|p| p.iter().map(name).collect());
    names.ok_or_else(|| "a layout is {\"panels\": [...]} with the names of panels".to_owned())
}

fn save(path: &Path, layout: &Value) -> Result<String, String> {
    let text = format!("{:#}\n", json!({ "panels": names(layout)? }));
    std::fs::write(path, text).map_err(|e| format!("`{}` cannot be written: {e}", path.display()))?;
    Ok(format!("saved in {}", path.display()))
}

/// Shows the samples of the rigs of a model on a hub.
pub(crate) fn shown(hub: &Hub, model: &Arc<Model>) -> Shown {
    let (hub, model) = (hub.clone(), model.clone());
    Arc::new(move |specimen, controller| {
        let topic = rig_topic(specimen, controller, &model.units);
        hub.tell_more("rigs", rig_about(specimen, controller, &model.units, &topic));
        // A second of samples: the server empties it every 10 ms.
        let rows = ((1.0 / specimen.period) as usize).clamp(256, 1 << 14);
        Some(hub.topic(topic, rows))
    })
}

/// Seconds in the laboratory per second of the model, of the slowest specimen.
pub(crate) fn time_scale(model: &Model) -> f64 {
    model.specimens.iter().map(|s| s.time_scale).fold(1.0, f64::max)
}

/// What a page is told of a model whose structure is computed elsewhere.
pub(crate) fn about_model(model: &Model, kind: &str) -> Value {
    json!({ "title": model.title, "kind": kind, "rigs": [], "confirm": [] })
}
