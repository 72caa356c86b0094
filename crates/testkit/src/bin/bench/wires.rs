//! The wire to a controller: round trips of UDP, UDP under seal and shared memory at 1 and 4 kHz, beside two plain sockets that
//! throw the same bytes to and fro.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::realtime::{Clock, Histogram, Schedule, Summary, Waking, WallClock, WhenLate};
use interfield_wire::codec::{Greeting, Instrument, length};
use interfield_wire::host::Host;
use interfield_wire::layout::Kind;
use interfield_wire::remote::{Pace, Remote};
use interfield_wire::sealed::{Key, SealedDock, SealedLink};
use interfield_wire::shared::{SharedDock, SharedLink};
use interfield_wire::udp::{UdpDock, UdpLink};
use interfield_wire::{Dock, Link};

use crate::realtime::us;
use crate::{Bar, Bench, Row};

const PATIENCE: Duration = Duration::from_secs(5);

/// A specimen that costs nothing.
struct Echo;

impl Hardware for Echo {
    fn actuators(&self) -> usize {
        1
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        displacement.copy_from_slice(command);
        force.copy_from_slice(command);
        Reply::Fresh
    }
}

fn greeting() -> Greeting {
    Greeting { actuators: vec![Instrument::default()], ..Greeting::default() }
}

/// Does something so often by the clock; how long each took.
fn paced(rate: f64, times: usize, mut once: impl FnMut() -> Result<(), String>) -> Result<Summary, String> {
    let mut clock = WallClock::new(Schedule::new(1.0 / rate, WhenLate::Skip)?, Waking::Sleep);
    let mut histogram = Histogram::new(None);
    for _ in 0..times {
        clock.wait();
        let begin = Instant::now();
        once()?;
        histogram.record(begin.elapsed().as_nanos() as u64);
    }
    Ok(histogram.summary())
}

/// Round trips against a host in another thread.
fn wire(mut dock: Box<dyn Dock>, link: Box<dyn Link>, rate: f64, times: usize) -> Result<Summary, String> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut open = || Ok(Box::new(Echo) as Box<dyn Hardware>);
        let stop = &stop;
        let hosted = scope.spawn(move || {
            Host { offer: greeting(), open: &mut open, news: &mut |_| (), stop, keep: false }.serve(dock.as_mut())
        });
        let found = Remote::connect(link, &greeting(), Pace::LockStep(PATIENCE), PATIENCE).map_err(|e| e.to_string());
        let result = found.and_then(|mut remote| {
            let (mut u, mut f) = ([0.0], [0.0]);
            paced(rate, times, || match remote.exchange(&mut [], &[1.0], &mut u, &mut f) {
                Reply::Fresh => Ok(()),
                other => Err(format!("the wire says {other:?}")),
            })
        });
        stop.store(true, Ordering::Relaxed);
        hosted.join().map_err(|_| "the host panicked")??;
        result
    })
}

/// Both ends of a wire.
type Ends = (Box<dyn Dock>, Box<dyn Link>);

fn udp(sealed: bool) -> Result<Ends, String> {
    let dock = UdpDock::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
    let link = dock.address().and_then(UdpLink::open).map_err(|e| e.to_string())?;
    if !sealed {
        return Ok((Box::new(dock), Box::new(link)));
    }
    let key = Key::random()?;
    let link = SealedLink::new(link, &key)?;
    Ok((Box::new(SealedDock::new(dock, key)), Box::new(link)))
}

fn shared() -> Result<Ends, String> {
    let name = format!("/interfield-bench-{}", std::process::id());
    let dock = SharedDock::make(&name).map_err(|e| e.to_string())?;
    let link = SharedLink::open(&name).map_err(|e| e.to_string())?;
    Ok((Box::new(dock), Box::new(link)))
}

/// The floor: a command and a measurement as plain datagrams between two blocking sockets.
fn floor(rate: f64, times: usize) -> Result<Summary, String> {
    let sockets = || -> std::io::Result<[UdpSocket; 2]> {
        let (a, b) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
        a.connect(b.local_addr()?)?;
        b.connect(a.local_addr()?)?;
        a.set_read_timeout(Some(PATIENCE))?;
        b.set_read_timeout(Some(PATIENCE))?;
        Ok([a, b])
    };
    let [a, b] = sockets().map_err(|e| e.to_string())?;
    let (out, back) = (vec![1; length(Kind::Command, 1)], vec![2; length(Kind::Measurement, 1)]);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut buffer = [0; 256];
            while b.recv(&mut buffer).is_ok_and(|n| n > 0) && b.send(&back).is_ok() {}
        });
        let mut buffer = [0; 256];
        let result =
            paced(rate, times, || a.send(&out).and_then(|_| a.recv(&mut buffer)).map(drop).map_err(|e| e.to_string()));
        // An empty datagram ends the other side.
        let _ = a.send(&[]);
        result
    })
}

fn percentiles(s: &Summary) -> String {
    format!("p50 {:.1}, p99 {:.1}, p99.9 {:.1}, max {:.0}", us(s.p50), us(s.p99), us(s.p99_9), us(s.max))
}

impl Bench {
    pub(crate) fn wires(&self) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        for rate in [1000.0, 4000.0] {
            let times = self.steps(10 * rate as usize);
            let plain = floor(rate, times)?;
            for (what, (dock, link)) in [("UDP", udp(false)?), ("sealed UDP", udp(true)?), ("shared memory", shared()?)]
            {
                let found = wire(dock, link, rate, times)?;
                rows.push(Row {
                    case: "wires",
                    what: format!("{what} at {} kHz: there and back, median, beside plain sockets", rate / 1e3),
                    unit: "us",
                    ours: us(found.p50),
                    other: Ok(us(plain.p50)),
                    bar: Bar::RatioBelow(2.0),
                    note: format!("{}; plain sockets {}", percentiles(&found), percentiles(&plain)),
                });
            }
        }
        Ok(rows)
    }
}
