//! A test on anything but an emulated laboratory: it starts only when it was rehearsed, armed and confirmed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use interfield_lab::hardware::{Hardware, Reply};
use interfield_results::Reader;
use interfield_wire::codec::{Greeting, Instrument};
use interfield_wire::host::Host;
use interfield_wire::udp::UdpDock;

use super::{file, interfield};

/// A spring that nobody emulates, as far as the program can know.
struct Real(Arc<AtomicU64>);

impl Hardware for Real {
    fn actuators(&self) -> usize {
        1
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        self.0.fetch_add(u64::from(command[0] != 0.0), Ordering::Relaxed);
        displacement[0] = command[0];
        force[0] = 2e4 * command[0];
        Reply::Fresh
    }
}

fn model(address: &str, bounds: &str) -> String {
    format!(
        r#"title = "A real specimen"
dofs = ["x"]
node = [{{ name = "a", mass = "1 t", initial = {{ x = "5 mm" }} }}]
element = [
  {{ type = "spring", name = "column", nodes = ["ground", "a"], dof = "x", k = "40 kN/m", c = "1 kN*s/m" }},
  {{ type = "spring", name = "brace", nodes = ["ground", "a"], dof = "x", k = "20 kN/m" }},
]
analysis = {{ scheme = "newmark", dt = "2 ms", duration = "0.2 s" }}
record = {{ channels = ["a.x"] }}
[[specimen]]
name = "brace-rig"
elements = ["brace"]
at = "{address}"
ramp = "50 ms"
actuator = [{{ {bounds} }}]
"#
    )
}

#[test]
fn nothing_real_moves_unless_rehearsed_armed_and_confirmed() {
    let (stop, moved) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    let mut dock = UdpDock::bind("127.0.0.1:0").expect("a free port");
    let address = format!("udp://{}", dock.address().expect("its address"));
    std::thread::scope(|scope| {
        let hosted = moved.clone();
        let stop = &stop;
        scope.spawn(move || {
            let instrument = Instrument { name: "1".into(), displacement: "SI".into(), force: "SI".into() };
            let offer = Greeting { specimen: "brace-rig".into(), actuators: vec![instrument], ..Greeting::default() };
            let mut open = || Ok(Box::new(Real(hosted.clone())) as Box<dyn Hardware>);
            let host = Host { offer, open: &mut open, news: &mut |_| (), stop, keep: true };
            host.serve(&mut dock).expect("it is always there")
        });
        // Whatever fails, the host ends.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| refusals(&address, &moved)));
        stop.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|e| std::panic::resume_unwind(e));
    });
}

fn refusals(address: &str, moved: &AtomicU64) {
    let bounded = "stroke = \"50 mm\", velocity = \"500 mm/s\"";
    let path = file("armed.toml", model(address, bounded));
    let path = path.to_str().unwrap();
    let record = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("interfield-out/armed.rehearsal.json");
    let _ = std::fs::remove_file(record);
    let run = |more: &[&str]| interfield(&[&["run", path, "-o", "armed.h5"], more].concat());
    let refused = |more: &[&str], why: &str| {
        let outcome = run(more).expect(1);
        assert!(outcome.stderr.contains(why), "{more:?}: {}", outcome.stderr);
        assert_eq!(moved.load(Ordering::Relaxed), 0, "{more:?}: it moved");
    };
    refused(&[], "the test was not rehearsed");
    refused(&["--arm", "--confirm", "brace-rig"], "the test was not rehearsed");
    interfield(&["rehearse", path]).expect(0);
    refused(&[], "it is a real specimen");
    refused(&["--arm"], "there is no terminal to confirm the start");
    refused(&["--arm", "--confirm", "other"], "confirmed for `other`");
    refused(&["--arm", "--confirm", "brace-rig", "--dt", "1 ms"], "have changed since");
    // Nothing says how far it may be sent.
    let open = file("unbounded.toml", model(address, "type = \"ideal\""));
    let outcome = interfield(&["run", open.to_str().unwrap(), "-o", "unbounded.h5"]).expect(1);
    assert!(
        outcome.stderr.contains("the largest displacement and velocity of its actuator 1 are not given"),
        "{}",
        outcome.stderr
    );
    assert_eq!(moved.load(Ordering::Relaxed), 0);
    let ran = run(&["--arm", "--confirm", "brace-rig"]).expect(0);
    assert!(moved.load(Ordering::Relaxed) > 0 && ran.stdout.contains("verdict: good"), "{}", ran.stdout);
    // For a reason, which is kept with the test.
    file("armed.toml", model(address, bounded).replace("A real specimen", "A changed specimen"));
    refused_now(path, "have changed since");
    run(&["--arm", "--confirm", "brace-rig", "--override", "the title only"]).expect(0);
    let recording = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("armed.lab.h5");
    let log = Reader::open(&recording).expect("a recording").log().to_owned();
    assert!(log.contains("reason: the title only") && log.contains("confirmed for `brace-rig`"), "{log}");
}

fn refused_now(path: &str, why: &str) {
    let outcome = interfield(&["run", path, "-o", "armed.h5", "--arm", "--confirm", "brace-rig"]).expect(1);
    assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
}
