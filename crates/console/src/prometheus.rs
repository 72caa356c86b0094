//! Health of a test as metrics for Prometheus (text format 0.0.4).

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use interfield_lab::controller::live::LIVE_HEAD;

use crate::hub::Hub;

/// Columns of a rig that are metrics: name of the column, of the metric, its type, its meaning.
const RIG: [(&str, &str, &str, &str); 8] = [
    ("state", "interfield_rig_state", "gauge", "State of the test of a specimen, as numbered in its recording."),
    ("time", "interfield_rig_time_seconds", "counter", "Time in the laboratory."),
    ("cause", "interfield_rig_tripped", "gauge", "Number of the limit that ended or holds the test, from 1; 0: none."),
    ("late", "interfield_rig_late_samples_total", "counter", "Samples without a target in time."),
    ("unrecorded", "interfield_rig_unrecorded_samples_total", "counter", "Samples that were not recorded."),
    ("missed", "interfield_rig_missed_periods_total", "counter", "Periods of the controller that were missed."),
    ("wake", "interfield_rig_wake_up_seconds", "gauge", "Largest recent lateness of the controller."),
    ("work", "interfield_rig_work_seconds", "gauge", "Largest recent time of work of a period."),
];

/// A label as it is written.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// All metrics.
pub(crate) fn text(hub: &Hub) -> String {
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let one = |value: f64| [(String::new(), value)];
    if let Some(desk) = hub.desk() {
        let status = desk.status();
        let state = [(format!("{{state=\"{}\"}}", escaped(&status.word)), 1.0)];
        metric("interfield_test_state", "gauge", "State of the test.", &state);
        metric("interfield_test_level", "gauge", "0 quiet, 1 attention, 2 alarm.", &one(f64::from(status.level as u8)));
        metric("interfield_model_time_seconds", "gauge", "Time of the model.", &one(status.t));
        metric(
            "interfield_time_scale",
            "gauge",
            "Seconds in the laboratory per second of the model.",
            &one(status.scale),
        );
    }
    let viewers = hub.viewers().load(Ordering::Relaxed) as f64;
    metric("interfield_console_viewers", "gauge", "Viewers of the console.", &one(viewers));
    let refused = hub.refused().load(Ordering::Relaxed) as f64;
    metric("interfield_console_refused_total", "counter", "Commands and messages that were refused.", &one(refused));
    let latest = hub.latest();
    let dropped: Vec<(String, f64)> =
        latest.iter().map(|(t, _, d)| (format!("{{topic=\"{}\"}}", escaped(&t.name)), *d as f64)).collect();
    metric("interfield_console_dropped_rows_total", "counter", "Rows that a loop could not show.", &dropped);
    for (column, name, kind, help) in RIG {
        let Some(place) = LIVE_HEAD.iter().position(|c| *c == column) else { continue };
        let rigs = latest.iter().filter(|(t, _, _)| t.rig);
        let label = |name: &str| format!("{{specimen=\"{}\"}}", escaped(name.strip_prefix("rig.").unwrap_or(name)));
        let values: Vec<(String, f64)> =
            rigs.filter_map(|(t, row, _)| Some((label(&t.name), *row.get(place)?))).collect();
        metric(name, kind, help, &values);
    }
    out
}
