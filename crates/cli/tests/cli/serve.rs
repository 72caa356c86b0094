//! A specimen for other programs: `interfield serve` against clients that behave, and clients that do not.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use interfield_lab::partner::Partner;
use interfield_peers::opensees::Sizes;
use interfield_peers::{site, utsim};
use interfield_results::Reader;
use serde_json::Value;

use super::{Running, file, interfield};

/// Long enough that only a real failure runs into it.
const LONG: Duration = Duration::from_secs(60);

/// An oscillator on a hysteretic damper, in mm and kN. `more` is added to the specimen.
fn model(name: &str, more: &str) -> PathBuf {
    let text = format!(
        r#"title = "Served damper"
dofs = ["x"]

[units]
length = "mm"
force = "kN"

[[node]]
name = "a"
mass = "1 t"

[[element]]
type = "bouc-wen"
name = "damper"
nodes = ["ground", "a"]
dof = "x"
k = "20 kN/m"
beta = "0.1 1/mm"
gamma = "0.1 1/mm"

[[specimen]]
name = "damper"
elements = ["damper"]
rate = "1 kHz"
ramp = "0.5 s"
{more}

[analysis]
dt = "10 ms"
duration = "1 s"
"#
    );
    file(name, text)
}

/// A server that is ready: where it listens, and what it says.
pub(super) struct Serving {
    running: Running,
    address: String,
    /// Said before it was ready.
    before: Vec<String>,
    says: Receiver<String>,
}

impl Serving {
    pub(super) fn start(model: &Path, more: &[&str]) -> Self {
        let output = model.with_extension("h5");
        let fixed = ["serve", model.to_str().expect("UTF-8"), "--json", "--listen", "tcp://127.0.0.1:0", "-o"];
        let mut running = Running::start(&[&fixed[..], &[output.to_str().expect("UTF-8")], more].concat());
        let errors = BufReader::new(running.0.stderr.take().expect("a pipe"));
        let (tell, says) = channel();
        std::thread::spawn(move || errors.lines().map_while(Result::ok).for_each(|line| drop(tell.send(line))));
        let mut before = Vec::new();
        let address = loop {
            let line: String = says.recv_timeout(LONG).unwrap_or_else(|_| panic!("it is never ready: {before:?}"));
            match line.rsplit_once(" at tcp://") {
                Some((_, address)) => break address.to_owned(),
                None => before.push(line),
            }
        };
        Serving { running, address, before, says }
    }

    /// Waits for a line with these words.
    fn says_with(&self, words: &str) -> String {
        let end = Instant::now() + LONG;
        loop {
            let line = self.says.recv_timeout(end.saturating_duration_since(Instant::now()));
            let line = line.unwrap_or_else(|_| panic!("it never says `{words}`"));
            if line.contains(words) {
                return line;
            }
        }
    }

    /// A word of the operator.
    fn order(&mut self, word: &str) {
        let input = self.running.0.stdin.as_mut().expect("a pipe");
        writeln!(input, "{word}").and_then(|()| input.flush()).expect("it listens");
    }

    pub(super) fn end(self, code: i32) -> Value {
        let (found, said) = self.running.end();
        assert_eq!(found, Some(code), "{said}");
        serde_json::from_str(&said).expect("JSON")
    }
}

/// A client that speaks as OpenSees does, for one degree of freedom.
pub(super) struct Client(TcpStream);

const NUMBERS: usize = 5;

impl Client {
    pub(super) fn connect(serving: &Serving) -> Self {
        Client::connect_to(&serving.address)
    }

    fn connect_to(address: &str) -> Self {
        let end = Instant::now() + LONG;
        let mut stream = loop {
            match TcpStream::connect(address) {
                Ok(stream) => break stream,
                Err(e) => assert!(e.kind() == ErrorKind::ConnectionRefused && Instant::now() < end, "{e}"),
            }
        };
        stream.set_read_timeout(Some(LONG)).expect("a socket");
        let sizes = Sizes { command: [1, 1, 1, 0, 1], answer: [0, 0, 0, 1, 0], numbers: NUMBERS };
        stream.write_all(&sizes.encode()).expect("open");
        Client(stream)
    }

    pub(super) fn say(&mut self, code: f64, u: f64) {
        let message: Vec<u8> = [code, u, 0.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        self.0.write_all(&message).expect("open");
    }

    fn ask(&mut self, code: f64, u: f64) -> f64 {
        self.say(code, u);
        let mut reply = [0; 8 * NUMBERS];
        self.0.read_exact(&mut reply).expect("an answer");
        f64::from_le_bytes(reply[..8].try_into().expect("eight bytes"))
    }

    pub(super) fn force(&mut self, u: f64) -> f64 {
        self.say(3.0, u);
        self.ask(10.0, u)
    }

    pub(super) fn commit(&mut self, u: f64) {
        self.say(5.0, u);
    }
}

/// Column of a recording.
fn recorded(model: &Path, channel: &str) -> Vec<f64> {
    let reader = Reader::open(&model.with_extension("lab.h5")).expect("the recording opens");
    reader.read(reader.channel(channel).expect("a channel"), 0..reader.rows()).expect("rows")
}

/// Loads beyond yielding and unloads, mm.
fn history() -> impl Iterator<Item = f64> {
    (0..100).map(|k| 12.0 * (0.1 * f64::from(k)).sin())
}

#[test]
fn numbers_have_the_units_of_the_file_and_a_move_takes_a_step() {
    let model = model("served.toml", "");
    let serving = Serving::start(&model, &["--add-damping", "5 ms"]);
    let mut client = Client::connect(&serving);
    // 20 kN/m, and 5 ms times that.
    assert_eq!(client.ask(12.0, 0.0), 0.02);
    assert!((client.ask(14.0, 0.0) - 1e-4).abs() < 1e-18);
    assert_eq!(client.ask(15.0, 0.0), 0.0);
    assert_eq!(client.force(0.0), 0.0);
    let forces: Vec<f64> = history()
        .map(|u| {
            let force = client.force(u);
            client.commit(u);
            force
        })
        .collect();
    // It yields at k/(beta+gamma) = 0.1 kN.
    let largest = forces.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
    assert!(largest > 0.09 && largest <= 0.1, "{largest}");
    client.say(99.0, 0.0);
    let said = serving.end(0);
    let laboratory = &said["laboratory"][0];
    assert_eq!((&said["clients"], &said["commits"], &said["moves"]), (&1.into(), &100.into(), &100.into()));
    assert_eq!(laboratory["verdict"], "good");
    // One sample at rest, ten for each displacement that was not the last one again, and the way home: braked within 50, led home in 500, at
    // rest after 51.
    assert_eq!(laboratory["samples"], 1 + 99 * 10 + 51 + 500 + 51);
    let target = recorded(&model, "damper.1.target");
    for (k, u) in history().enumerate().skip(1) {
        assert!((target[10 * k] - u).abs() < 1e-12, "{k}");
    }
    assert!(target.last().expect("rows").abs() < 1e-12, "it was led home");
    // The same recording in place of the specimen: the same forces.
    let copy = model.with_file_name("served-again.toml");
    std::fs::copy(&model, &copy).expect("a copy");
    let recording = model.with_extension("lab.h5");
    let serving = Serving::start(&copy, &["--replay", recording.to_str().expect("UTF-8")]);
    let mut client = Client::connect(&serving);
    client.force(0.0);
    for (u, expected) in history().zip(&forces) {
        assert!((client.force(u) - expected).abs() < 1e-12);
    }
    // Where it never was, the recording cannot say.
    client.say(3.0, 77.0);
    client.say(10.0, 77.0);
    serving.says_with("the specimen has stopped");
    drop(client);
    serving.says_with("note: the commands differ from the recording from sample 992 on");
    serving.end(3);
}

/// A partner of ours moves a specimen of ours.
fn partner(name: &str, protocol: &str, connect: &dyn Fn(interfield_peers::channel::PeerAddress) -> Box<dyn Partner>) {
    let model = model(name, "");
    let serving = Serving::start(&model, &["--protocol", protocol]);
    let place = format!("tcp://{}", serving.address).parse().expect("an address");
    let mut partner = connect(place);
    let (mut reached, mut force) = ([0.0], [0.0]);
    for u in history() {
        partner.exchange(0.0, &[u], &[0.0], &mut reached, &mut force).expect("it answers");
        assert!((reached[0] - u).abs() < 1e-12);
    }
    assert!(force[0].abs() > 0.01);
    partner.finish();
    let said = serving.end(0);
    assert_eq!((&said["moves"], &said["laboratory"][0]["verdict"]), (&100.into(), &"good".into()));
}

#[test]
fn a_shadow_site_and_an_integrator_of_ut_sim_are_served() {
    partner("served-site.toml", "openfresco", &|place| {
        let settings = site::Settings { place, dofs: 1, patience: LONG, timeout: LONG };
        Box::new(site::Shadow::connect(&settings, &mut || true).expect("an actor"))
    });
    partner("served-ut-sim.toml", "ut-sim", &|place| {
        let precision = utsim::Precision::Double;
        let settings = utsim::Settings { place, dofs: 1, precision, patience: LONG, timeout: LONG };
        Box::new(utsim::Integrator::connect(&settings, &mut || true).expect("a substructure"))
    });
}

/// A test belongs to the client that began it: a script that was started anew is refused, one that begins where the specimen stands goes on.
#[test]
fn after_a_dying_client_only_one_that_goes_on_is_let_in() {
    let model = model("gone-on.toml", "");
    let serving = Serving::start(&model, &[]);
    let mut dies = Client::connect(&serving);
    dies.force(0.0);
    dies.force(5.0);
    drop(dies);
    serving.says_with("the client disconnected; the specimen is held at a.x = 5 mm");
    serving.says_with("one from 127.0.0.1 that begins at a.x = 5 mm can continue");
    let mut liar = Client::connect(&serving);
    liar.say(42.0, 0.0);
    serving.says_with("a client was rejected: it sent the request 42");
    let mut anew = Client::connect(&serving);
    assert!(anew.force(0.0).is_nan());
    serving.says_with("a client is refused: it does not begin at the position of the specimen");
    assert!(anew.force(5.0).is_nan(), "it cannot try again");
    anew.say(99.0, 0.0);
    let mut next = Client::connect(&serving);
    assert!(next.force(5.0) > 0.0);
    next.force(6.0);
    next.say(99.0, 0.0);
    let said = serving.end(0);
    assert_eq!((&said["clients"], &said["moves"]), (&4.into(), &4.into()));
    assert_eq!(said["refused"].as_array().map(Vec::len), Some(2), "{}", said["refused"]);
    // Nothing between 5 and 6 mm but the two; then the way home.
    let target = recorded(&model, "damper.1.target");
    assert!(target[10..520].iter().all(|u| (5.0..=6.0).contains(u)), "it never jumps");
}

/// With the word of the operator any client takes over, by a ramp.
#[test]
fn the_operator_may_admit_another_client() {
    let model = model("admitted.toml", "");
    let mut serving = Serving::start(&model, &["--control"]);
    serving.order("admit");
    serving.says_with("admit: refused: no client has left a test to continue");
    let mut dies = Client::connect(&serving);
    dies.force(0.0);
    dies.force(5.0);
    drop(dies);
    serving.says_with("`admit` lets any client continue with a ramp");
    serving.order("admit");
    serving.says_with("admit: the next client continues with the specimen");
    let mut next = Client::connect(&serving);
    assert!(next.force(-5.0).is_finite());
    next.say(99.0, 0.0);
    let said = serving.end(0);
    assert_eq!((&said["clients"], &said["moves"]), (&2.into(), &3.into()));
    // One sample at rest, 10 to 5 mm, from there to -5 mm the 500 of the ramp, and the way home.
    let target = recorded(&model, "damper.1.target");
    assert_eq!((target.len(), target[10]), (1 + 10 + 500 + 51 + 500 + 51, 5.0));
    assert!((target[11] - (5.0 - 10.0 / 500.0)).abs() < 1e-12 && (target[510] + 5.0).abs() < 1e-12);
}

#[test]
fn a_specimen_without_a_client_is_led_home_if_told_so() {
    let model = model("left-behind.toml", "");
    let serving = Serving::start(&model, &["--stall", "300 ms", "--on-stall", "ramp-down"]);
    let mut dies = Client::connect(&serving);
    dies.force(0.0);
    dies.force(5.0);
    drop(dies);
    serving.says_with("no client continues: the specimen returns to its start position");
    assert_eq!(serving.end(3)["laboratory"][0]["verdict"], "failed");
    assert_eq!(recorded(&model, "damper.1.target").last(), Some(&0.0));
}

#[test]
fn a_limit_that_is_passed_ends_the_test_and_its_client() {
    let model = model("limited.toml", "limits = { displacement = \"10 mm\" }");
    let serving = Serving::start(&model, &[]);
    let mut client = Client::connect(&serving);
    client.force(0.0);
    client.force(5.0);
    assert!(client.force(50.0).is_nan(), "what it computes from that does not converge");
    serving.says_with("the specimen has stopped: a commanded displacement exceeded its limit");
    assert!(client.force(5.0).is_nan() && client.ask(13.0, 5.0).is_nan());
    drop(client);
    let said = serving.end(3);
    assert_eq!(said["laboratory"][0]["verdict"], "failed");
    assert!(recorded(&model, "damper.1.reached").iter().all(|u| u.abs() < 15.0), "one sample beyond the limit at most");
}

/// Iterations load and unload a specimen within a step: they are counted, told, and doubted.
#[test]
fn several_moves_per_step_are_remarked() {
    let tested = |name: &str, step: &dyn Fn(f64, f64) -> Vec<f64>| {
        let model = model(name, "");
        let serving = Serving::start(&model, &[]);
        let mut client = Client::connect(&serving);
        client.force(0.0);
        let mut before = 0.0;
        for u in history().skip(1) {
            for u in step(before, u) {
                client.force(u);
            }
            client.commit(u);
            before = u;
        }
        client.say(99.0, 0.0);
        serving.says_with("in one step: iterations load and unload it");
        serving.end(0)
    };
    let said = tested("iterated.toml", &|_, u| vec![u + 2.0, u - 2.0, u]);
    let laboratory = &said["laboratory"][0];
    assert_eq!((&said["steps_back_and_forth"], &said["most_moves_in_a_step"]), (&99.into(), &3.into()));
    assert_eq!(laboratory["verdict"], "doubtful");
    assert!(laboratory["reasons"][0].as_str().is_some_and(|r| r.contains("back and forth in 99")), "{laboratory}");
    // A path that is only sampled more finely is remarked, not doubted.
    let said = tested("finer.toml", &|before, u| vec![0.5 * (before + u), u]);
    assert_eq!((&said["steps_with_several_moves"], &said["laboratory"][0]["verdict"]), (&99.into(), &"good".into()));
    let reasons = said["laboratory"][0]["reasons"].to_string();
    assert!(reasons.contains("several times in 99 of 99 steps, at most 2 times"), "{reasons}");
}

/// Two dampers of one frame, each with its own client, as elements of one script of OpenSees are.
fn two(name: &str, limit: &str) -> PathBuf {
    let one = std::fs::read_to_string(model(&format!("one-of-{name}"), limit)).expect("text");
    let second = one
        .replace("title = \"Served damper\"\ndofs = [\"x\"]\n\n[units]\nlength = \"mm\"\nforce = \"kN\"\n", "")
        .replace("\"damper\"", "\"brace\"")
        .replace("\"a\"", "\"b\"");
    let (second, _) = second.split_once("[analysis]").expect("an analysis");
    let second = second.replace(limit, "");
    file(name, one.replace("[analysis]", &format!("{second}\n[analysis]")))
}

#[test]
fn several_specimens_are_served_by_one_process() {
    let model = two("served-two.toml", "");
    let serving = Serving::start(&model, &[]);
    let other = serving.says_with("specimen `brace` (b.x; mm, kN) for OpenSees at tcp://");
    let other = other.rsplit_once("tcp://").expect("an address").1.to_owned();
    let (mut damper, mut brace) = (Client::connect(&serving), Client::connect_to(&other));
    for u in history() {
        assert_eq!(damper.force(u), brace.force(u), "two of a kind");
        damper.commit(u);
        brace.commit(u);
    }
    damper.say(99.0, 0.0);
    brace.say(99.0, 0.0);
    let said = serving.end(0);
    assert_eq!((&said["clients"], &said["commits"]), (&2.into(), &200.into()));
    for (i, name) in ["damper", "brace"].into_iter().enumerate() {
        assert_eq!((&said["specimens"][i]["specimen"], &said["specimens"][i]["commits"]), (&name.into(), &100.into()));
        assert_eq!(said["laboratory"][i]["verdict"], "good");
        assert!(model.with_extension(format!("{name}.lab.h5")).exists(), "{name}");
    }
}

#[test]
fn a_trip_of_one_specimen_ends_the_test_for_all() {
    let model = two("tripped-two.toml", "limits = { displacement = \"10 mm\" }");
    let serving = Serving::start(&model, &[]);
    let other = serving.says_with("`brace`").rsplit_once("tcp://").expect("an address").1.to_owned();
    let (mut damper, mut brace) = (Client::connect(&serving), Client::connect_to(&other));
    for client in [&mut damper, &mut brace] {
        client.force(0.0);
        client.force(5.0);
    }
    assert!(damper.force(50.0).is_nan());
    serving.says_with("`brace`: error: the test is over: another specimen of it has stopped");
    assert!(brace.force(6.0).is_nan());
    drop((damper, brace));
    let said = serving.end(3);
    for i in 0..2 {
        assert_eq!(said["laboratory"][i]["verdict"], "failed", "{said}");
    }
}

/// Which ones, and where.
#[test]
fn specimens_are_chosen_and_placed() {
    let model = two("chosen-two.toml", "");
    let serving = Serving::start(&model, &["--specimen", "brace"]);
    let mut client = Client::connect(&serving);
    client.force(1.0);
    client.say(99.0, 0.0);
    let said = serving.end(0);
    assert_eq!(
        (&said["specimens"][0]["specimen"], said["specimens"].as_array().map(Vec::len)),
        (&"brace".into(), Some(1))
    );
    let path = model.to_str().expect("UTF-8");
    let cases: [(&[&str], &str); 4] = [
        (&["--specimen", "brace", "--specimen", "brace"], "--specimen brace is given twice"),
        (&["--specimen", "brace", "--specimen", "dampr"], "no specimen `dampr`"),
        (
            &["--listen", "tcp://127.0.0.1:1", "--listen", "tcp://127.0.0.1:2", "--listen", "tcp://127.0.0.1:3"],
            "3 addresses for 2 specimens",
        ),
        (&["--listen", "tcp://127.0.0.1:65535"], "there are no 2 ports from there on"),
    ];
    for (more, what) in cases {
        let found = interfield(&[&["serve", path], more].concat()).expect(2);
        assert!(found.stderr.contains(what), "{more:?}: {}", found.stderr);
    }
}

#[test]
fn what_is_not_a_number_moves_nothing_and_the_next_client_goes_on() {
    let model = model("not-a-number.toml", "");
    let serving = Serving::start(&model, &[]);
    let mut client = Client::connect(&serving);
    client.force(0.0);
    client.say(3.0, f64::NAN);
    serving.says_with("a displacement that is NaN (not a number)");
    assert!(client.ask(10.0, 0.0).is_nan());
    drop(client);
    let mut next = Client::connect(&serving);
    next.force(0.0);
    assert!(next.force(5.0) > 0.0);
    next.say(99.0, 0.0);
    assert_eq!(serving.end(0)["moves"], 3);
    assert!(recorded(&model, "damper.1.command").iter().all(|u| u.is_finite()));
}

#[test]
fn a_stall_leads_the_specimen_home_if_told_so() {
    let model = model("stalled.toml", "");
    let serving = Serving::start(&model, &["--stall", "500 ms", "--on-stall", "ramp-down"]);
    let mut client = Client::connect(&serving);
    client.force(0.0);
    client.force(5.0);
    serving.says_with("the client stalls: the specimen returns to its start position");
    assert!(client.ask(10.0, 5.0).is_nan());
    drop(client);
    let said = serving.end(3);
    // Led home, but not as planned.
    assert_eq!(
        (&said["laboratory"][0]["state"], &said["laboratory"][0]["verdict"]),
        (&"aborted".into(), &"failed".into())
    );
    let target = recorded(&model, "damper.1.target");
    assert_eq!(target.last(), Some(&0.0));
}

/// Client, server and the controller of the specimen, in three processes.
#[test]
fn a_specimen_behind_the_wire_is_served_as_one_in_the_process() {
    let forces = |serving: &Serving| {
        let mut client = Client::connect(serving);
        client.force(0.0);
        let forces: Vec<f64> = history().map(|u| client.force(u)).collect();
        client.say(99.0, 0.0);
        forces
    };
    let here = model("served-here.toml", "");
    let serving = Serving::start(&here, &[]);
    let expected = forces(&serving);
    serving.end(0);
    let (lab, address) = super::lab::lab(&here, "udp://127.0.0.1:0", &[]);
    let there = model("served-there.toml", &format!("at = \"{address}\""));
    let serving = Serving::start(&there, &[]);
    assert!(serving.before.iter().any(|l| l.contains("no displacement limit")), "{:?}", serving.before);
    assert_eq!(forces(&serving), expected);
    assert_eq!(serving.end(0)["laboratory"][0]["verdict"], "good");
    assert_eq!(lab.end().0, Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leads_the_specimen_home() {
    for more in [&[][..], &["--real-time"]] {
        let model = model(&format!("interrupted-{}.toml", more.len()), "");
        let serving = Serving::start(&model, more);
        let mut client = Client::connect(&serving);
        client.force(0.0);
        client.force(5.0);
        let id = serving.running.0.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().is_ok_and(|s| s.success()));
        let said = serving.end(130);
        assert_eq!(said["laboratory"][0]["state"], "aborted", "led home, but not as planned");
        assert!(recorded(&model, "damper.1.target").last().expect("rows").abs() < 1e-12);
    }
}

#[test]
fn one_test_after_the_other_each_with_its_recording() {
    let model = model("kept.toml", "");
    for left in ["kept-2.lab.h5", "kept-3.lab.h5"] {
        let _ = std::fs::remove_file(model.with_file_name(left));
    }
    let serving = Serving::start(&model, &["--keep"]);
    let mut forces = Vec::new();
    for _ in 0..2 {
        let mut client = Client::connect(&serving);
        client.force(0.0);
        forces.push(history().map(|u| client.force(u)).collect::<Vec<f64>>());
        client.say(99.0, 0.0);
        serving.says_with(" at tcp://");
    }
    assert_eq!(forces[0], forces[1], "each test has a specimen that nobody has moved");
    assert!(model.with_file_name("kept-2.lab.h5").exists());
    #[cfg(unix)]
    {
        let id = serving.running.0.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().is_ok_and(|s| s.success()));
        assert_eq!(serving.end(130)["laboratory"].as_array().map(Vec::len), Some(2));
        assert!(!model.with_file_name("kept-3.lab.h5").exists(), "nobody came: nothing to keep");
    }
}

#[test]
fn mistakes_are_answered() {
    let good = model("serve-good.toml", "");
    let path = good.to_str().expect("UTF-8");
    let cases: [(&[&str], &str); 6] = [
        (&["--specimen", "dampr"], "no specimen `dampr`"),
        (&["--listen", "127.0.0.1:8090"], "is not an address: write for example tcp://127.0.0.1:8090"),
        (&["--listen", "tcp://127.0.0.1"], "has no port"),
        (&["--stall", "10 mm"], "--stall: expected time"),
        (&["--stall=-1 s"], "not a valid waiting time"),
        (&["--protocol", "opensee"], "opensees"),
    ];
    for (more, what) in cases {
        let found = interfield(&[&["serve", path], more].concat()).expect(2);
        assert!(found.stderr.contains(what), "{more:?}: {}", found.stderr);
    }
    let without = std::fs::read_to_string(&good).expect("text");
    let without = file(
        "serve-without.toml",
        without.split("[[specimen]]").next().expect("a start").to_owned() + "[analysis]\ndt = 1\nduration = 1\n",
    );
    let found = interfield(&["serve", without.to_str().expect("UTF-8")]).expect(2);
    assert!(found.stderr.contains("no specimen") && found.stderr.contains("[[specimen]]"), "{}", found.stderr);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = format!("tcp://{}", taken.local_addr().expect("bound"));
    let found = interfield(&["serve", path, "--listen", &place]).expect(1);
    assert!(found.stderr.contains("give another --listen"), "{}", found.stderr);
    assert!(interfield(&["serve", path, "--replay", "absent.lab.h5"]).expect(1).stderr.contains("absent.lab.h5"));
}
