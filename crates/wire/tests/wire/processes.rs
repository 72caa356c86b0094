//! Real transports between two ends: equal bits, one client at a time, and what happens when one end dies.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use interfield_lab::hardware::{Hardware, Reply};
use interfield_wire::host::News;
use interfield_wire::layout::Refused;
use interfield_wire::remote::{Remote, Unconnected};
use interfield_wire::udp::{UdpDock, UdpLink};

use super::{LOCK_STEP, LONG, greeting, host, same_bits};

fn udp() -> (UdpDock, std::net::SocketAddr) {
    let dock = UdpDock::bind("127.0.0.1:0").expect("a free port");
    let address = dock.address().expect("its address");
    (dock, address)
}

fn connect(address: std::net::SocketAddr) -> Result<Remote, Unconnected> {
    let link = UdpLink::open(address).expect("a socket");
    Remote::connect(Box::new(link), &greeting(2), LOCK_STEP, LONG)
}

#[test]
fn udp_gives_the_same_bits() {
    let (mut dock, address) = udp();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, false, &stop, &mut |_| ()));
        let mut remote = connect(address).expect("a welcome");
        same_bits(&mut remote, 2, 2000);
        remote.stop();
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.sessions, record.statistics.commands, record.interrupted), (1, 2000, false));
        assert_eq!(remote.exchange(&mut [], &[0.0; 2], &mut [0.0; 2], &mut [0.0; 2]), Reply::Gone);
    });
}

#[test]
fn a_second_client_is_refused_and_strangers_are_ignored() {
    let (mut dock, address) = udp();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, false, &stop, &mut |_| ()));
        let mut first = connect(address).expect("a welcome");
        assert_eq!(connect(address).err(), Some(Unconnected::Refused(Some(Refused::Busy))));
        let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        for size in [0, 1, 39, 40, 1104, 1105, 60_000] {
            stranger.send_to(&vec![b'I'; size], address).expect("loopback takes it");
        }
        same_bits(&mut first, 2, 200);
        drop(first);
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.sessions, record.statistics.malformed), (1, 7));
    });
}

/// A client that vanishes without a word is replaced after its silence; the next test gets a specimen nobody has moved.
#[test]
fn the_host_survives_a_dying_client() {
    let (mut dock, address) = udp();
    let stop = AtomicBool::new(false);
    let (tell, news) = channel();
    let mut tell = |n| assert!(tell.send(n).is_ok());
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, true, &stop, &mut tell));
        // A hello from a socket that is closed at once: no heartbeat, no stop.
        let hello = interfield_wire::call::Call::new(4, &greeting(2)).hello(0, &greeting(2)).to_vec();
        UdpSocket::bind("127.0.0.1:0").and_then(|s| s.send_to(&hello, address)).expect("it is sent");
        assert_eq!(news.recv_timeout(LONG), Ok(News::Opened));
        assert_eq!(news.recv_timeout(LONG), Ok(News::Vanished));
        let mut remote = connect(address).expect("a welcome after the silence");
        same_bits(&mut remote, 2, 50);
        drop(remote);
        assert_eq!([news.recv_timeout(LONG), news.recv_timeout(LONG)], [Ok(News::Opened), Ok(News::Closed)]);
        stop.store(true, Ordering::Relaxed);
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.sessions, record.interrupted), (2, true));
    });
}

#[test]
fn a_host_that_is_stopped_tells_its_client() {
    let (mut dock, address) = udp();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, true, &stop, &mut |_| ()));
        let mut remote = connect(address).expect("a welcome");
        same_bits(&mut remote, 2, 5);
        stop.store(true, Ordering::Relaxed);
        hosted.join().expect("the host ends");
        assert_eq!(remote.exchange(&mut [], &[0.0; 2], &mut [0.0; 2], &mut [0.0; 2]), Reply::Gone);
    });
}

#[test]
fn nobody_there_is_said_in_time() {
    let (dock, address) = udp();
    drop(dock);
    let link = UdpLink::open(address).expect("a socket");
    let found = Remote::connect(Box::new(link), &greeting(1), LOCK_STEP, Duration::from_millis(300));
    assert_eq!(found.err(), Some(Unconnected::Silent));
}

#[cfg(unix)]
mod shared {
    use super::*;
    use interfield_wire::shared::{SharedDock, SharedLink};
    use std::io::ErrorKind;

    /// A name of its own for each test and process.
    fn name(test: &str) -> String {
        format!("/interfield-{test}-{}", std::process::id())
    }

    #[test]
    fn shared_memory_gives_the_same_bits_and_takes_one_client() {
        let name = name("bits");
        let mut dock = SharedDock::make(&name).expect("memory");
        assert_eq!(SharedDock::make(&name).err().map(|e| e.kind()), Some(ErrorKind::AddrInUse));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let hosted = scope.spawn(|| host(&mut dock, 2, true, &stop, &mut |_| ()));
            for _ in 0..2 {
                let link = SharedLink::open(&name).expect("it is there");
                let mut remote = Remote::connect(Box::new(link), &greeting(2), LOCK_STEP, LONG).expect("a welcome");
                assert_eq!(SharedLink::open(&name).err().map(|e| e.kind()), Some(ErrorKind::AddrInUse));
                same_bits(&mut remote, 2, 2000);
            }
            stop.store(true, Ordering::Relaxed);
            assert_eq!(hosted.join().expect("the host ends").sessions, 2);
        });
        drop(dock);
        assert_eq!(SharedLink::open(&name).err().map(|e| e.kind()), Some(ErrorKind::NotFound));
    }

    /// What a killed controller left goes when the next one begins, whatever their names; what is alive, or no wire, stays.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_of_killed_controllers_is_removed_by_the_next() {
        let left = |kind: &str| format!("/dev/shm{}", name(kind));
        // The number of a process that has ended: nobody has it, and nobody will for a while.
        let mut ended = std::process::Command::new("true").spawn().expect("a process");
        ended.wait().expect("its end");
        let alive = SharedDock::make(&name("alive")).expect("memory");
        let whole = std::fs::read(left("alive")).expect("the bytes of a wire");
        let mut dead = whole.clone();
        dead[8..16].copy_from_slice(&u64::from(ended.id()).to_le_bytes());
        std::fs::write(left("dead"), &dead).expect("memory");
        let mut other = dead.clone();
        other[0] ^= 1;
        std::fs::write(left("no-wire"), &other).expect("memory");
        let next = SharedDock::make(&name("next")).expect("memory");
        let there = |kind: &str| std::path::Path::new(&left(kind)).exists();
        assert!(!there("dead"), "left behind");
        assert!(there("alive") && there("no-wire") && there("next"));
        std::fs::remove_file(left("no-wire")).expect("it was there");
        drop((alive, next));
        assert!(!there("alive") && !there("next"));
    }

    /// Somebody else's memory of the same name is not taken for a wire.
    #[cfg(target_os = "linux")]
    #[test]
    fn other_memory_is_refused() {
        let name = name("other");
        let path = format!("/dev/shm{name}");
        for (size, what) in [(10_usize, "too small"), (5000, "another version of the protocol")] {
            std::fs::write(&path, vec![1; size]).expect("memory");
            let refused = SharedLink::open(&name).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(refused.contains(what), "{refused}");
        }
        std::fs::remove_file(&path).expect("it was there");
    }
}
