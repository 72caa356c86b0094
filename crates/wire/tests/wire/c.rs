//! The controller in C: compiled with every warning, then driven over both transports.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_wire::Link;
use interfield_wire::codec::Greeting;
use interfield_wire::layout::Refused;
use interfield_wire::remote::{Remote, Unconnected};
use interfield_wire::udp::UdpLink;

use super::{LOCK_STEP, LONG, command, greeting};

/// Compiles the example. No compiler is a failure that says so: the header would be unproven.
fn compile(to: &str) -> PathBuf {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/controller.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(to);
    let mut cc = Command::new(&compiler);
    cc.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"]).arg(&program).arg(&source);
    if cfg!(target_os = "linux") {
        // Where shared memory was a library of its own.
        cc.arg("-lrt");
    }
    let output = cc.output().unwrap_or_else(|e| panic!("no C compiler `{compiler}` ({e}): install one, or set CC"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Ends with the test, whatever becomes of it.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(program: &Path, arguments: [&str; 2]) -> Process {
    let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("a pipe");
    let child = Process(child);
    BufReader::new(out).read_line(&mut line).expect("it says when it is ready");
    assert_eq!(line, "ready\n");
    child
}

/// One actuator that does not care which specimen and period.
fn spring() -> Greeting {
    Greeting { specimen: "any".into(), ..greeting(1) }
}

fn drive(mut process: Process, link: impl Fn() -> Box<dyn Link>) {
    let too_many = Remote::connect(link(), &greeting(2), LOCK_STEP, LONG);
    assert_eq!(too_many.err(), Some(Unconnected::Refused(Some(Refused::Actuators))));
    let mut millimetres = spring();
    millimetres.actuators[0].displacement = "mm".into();
    let unfit = Remote::connect(link(), &millimetres, LOCK_STEP, LONG);
    // The example takes any unit and says its own; it is our side that refuses, and ends its session.
    assert_eq!(unfit.err(), Some(Unconnected::Unfit(Refused::Units)));
    assert_eq!(process.0.wait().expect("it ends").code(), Some(0), "a stop ends the example");
}

fn exchange(mut process: Process, link: Box<dyn Link>) {
    let mut remote = Remote::connect(link, &spring(), LOCK_STEP, LONG).expect("a welcome");
    let (mut u, mut f) = ([0.0], [0.0]);
    assert_eq!(remote.exchange(&mut [], &[7.0], &mut u, &mut f), Reply::Fresh);
    assert_eq!(u, [0.0], "it stays where it is while the drives are not needed");
    assert!(!remote.is_emulated(), "a controller that says nothing of it is taken for a real one");
    for k in 0..2000 {
        let c = [command(k, 0)];
        remote.interlock(Interlock { enable: true, heartbeat: k % 2 == 0 });
        assert_eq!(remote.exchange(&mut [], &c, &mut u, &mut f), Reply::Fresh, "sample {k}");
        assert_eq!((u, f), (c, [2000.0 * c[0]]));
    }
    assert_eq!(remote.statistics().lost, 0);
    assert!(!remote.emergency_stop());
    let process_number = process.0.id().to_string();
    assert!(Command::new("kill").args(["-USR1", &process_number]).status().expect("kill").success());
    // A signal arrives soon, not at once.
    let pressed = (0..100_000).any(|_| {
        remote.exchange(&mut [], &[1.0], &mut u, &mut f);
        remote.emergency_stop()
    });
    assert!(pressed, "the emergency stop of the controller was not heard");
    drop(remote);
    assert_eq!(process.0.wait().expect("it ends").code(), Some(0));
}

/// A port that was free a moment ago.
fn port() -> u16 {
    std::net::UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr()).expect("a free port").port()
}

#[test]
fn a_controller_in_c_over_udp() {
    let program = compile("controller-udp");
    let port = port();
    let start = || start(&program, ["udp", &port.to_string()]);
    let link = || Box::new(UdpLink::open(("127.0.0.1", port)).expect("a socket")) as Box<dyn Link>;
    drive(start(), link);
    exchange(start(), link());
}

#[cfg(unix)]
#[test]
fn a_controller_in_c_over_shared_memory() {
    use interfield_wire::shared::SharedLink;
    let program = compile("controller-shm");
    let name = format!("/interfield-c-{}", std::process::id());
    let start = || start(&program, ["shm", &name]);
    let link = || Box::new(SharedLink::open(&name).expect("it is there")) as Box<dyn Link>;
    drive(start(), link);
    exchange(start(), link());
}
