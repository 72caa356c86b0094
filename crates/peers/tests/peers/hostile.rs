//! Peers over real sockets that stall, flood, close, violation, or come at the same time.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, UdpSocket};
use std::time::Duration;

use interfield_peers::channel::Transport;
use interfield_peers::host::{Ending, News, OnStall};
use interfield_peers::opensees::Sizes;
use interfield_peers::substructure::{Broken, Halt};
use interfield_peers::violation::Violation;

use super::{LONG, Path, Protocol, open, serve};

/// Short enough to be waited for, long enough for a loaded machine to answer in.
const SHORT: Duration = Duration::from_millis(400);

const NUMBERS: usize = 5;

fn sizes() -> Vec<u8> {
    Sizes { command: [1, 1, 1, 0, 1], answer: [0, 0, 0, 1, 0], numbers: NUMBERS }.encode()
}

fn message(code: f64, u: f64) -> Vec<u8> {
    [code, u, 0.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A client as OpenSees is one, with timeouts.
struct Client(TcpStream);

impl Client {
    /// Tries again while another one is served.
    fn connect(place: &str) -> Self {
        let end = std::time::Instant::now() + LONG;
        loop {
            match TcpStream::connect(place) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(LONG)).expect("a socket");
                    let mut client = Client(stream);
                    client.0.write_all(&sizes()).expect("open");
                    return client;
                }
                Err(e) => assert!(std::time::Instant::now() < end, "{e}"),
            }
            std::thread::yield_now();
        }
    }

    fn say(&mut self, code: f64, u: f64) {
        self.0.write_all(&message(code, u)).expect("open");
    }

    fn force(&mut self, u: f64) -> f64 {
        self.say(3.0, u);
        self.ask(10.0)
    }

    fn ask(&mut self, code: f64) -> f64 {
        self.say(code, 0.0);
        let mut reply = [0; 8 * NUMBERS];
        self.0.read_exact(&mut reply).expect("an answer");
        f64::from_le_bytes(reply[..8].try_into().expect("eight bytes"))
    }
}

#[test]
fn a_second_client_is_refused_and_the_first_undisturbed() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 2, (LONG, OnStall::Hold));
    let mut first = Client::connect(&place);
    assert_eq!(first.force(1.0), 1.0);
    let second = TcpStream::connect(&place);
    assert_eq!(second.err().map(|e| e.kind()), Some(ErrorKind::ConnectionRefused));
    assert_eq!(first.force(2.0), 2.9);
    first.say(99.0, 0.0);
    // Now it is the turn of another one.
    let mut second = Client::connect(&place);
    assert_eq!(second.force(0.0), 0.9 * 2.9);
    second.say(99.0, 0.0);
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!((path.begun, records[0].ending, records[1].ending), (2, Ending::Ended, Ending::Ended));
}

/// A test belongs to the client that began it: another one goes on only from where the specimen stands.
#[test]
fn a_dying_client_leaves_the_specimen_held_for_one_that_goes_on() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 4, (LONG, OnStall::Hold));
    let mut dies = Client::connect(&place);
    assert_eq!(dies.force(1.0), 1.0);
    drop(dies);
    // In the middle of a message.
    let mut cut = Client::connect(&place);
    cut.0.write_all(&message(3.0, 5.0)[..17]).expect("open");
    cut.0.shutdown(Shutdown::Write).expect("open");
    assert_eq!(cut.0.read(&mut [0; 8]).ok(), Some(0), "it is let go");
    // A script that begins anew.
    let mut anew = Client::connect(&place);
    assert!(anew.force(0.0).is_nan() && anew.force(1.0).is_nan());
    anew.say(99.0, 0.0);
    let mut next = Client::connect(&place);
    assert_eq!([next.force(1.0 + 1e-9), next.force(1.5)], [0.9 + 1.0 + 1e-9, 0.9 * (1.9 + 1e-9) + 1.5]);
    next.say(99.0, 0.0);
    let (path, records, news) = server.join().expect("no panic");
    assert_eq!(path.moves, [[1.0], [1.0 + 1e-9], [1.5]]);
    assert_eq!(path.left, 0, "a client that dies is no end of the test");
    let endings: Vec<Ending> = records.iter().map(|r| r.ending).collect();
    assert_eq!(endings, [Ending::Vanished, Ending::Vanished, Ending::Halted(Halt::Elsewhere), Ending::Ended]);
    assert_eq!(news, [News::Halted(Halt::Elsewhere)]);
}

#[test]
fn a_client_that_stalls_is_waited_for_or_the_specimen_led_home() {
    // Hold: it may go on later, after a message that came in two parts.
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (SHORT, OnStall::Hold));
    let mut client = Client::connect(&place);
    assert_eq!(client.force(1.0), 1.0);
    let trial = message(3.0, 2.0);
    client.0.write_all(&trial[..9]).expect("open");
    client.0.set_read_timeout(Some(2 * SHORT)).expect("open");
    assert_eq!(client.0.read(&mut [0; 8]).map_err(|e| e.kind()), Err(ErrorKind::WouldBlock));
    client.0.set_read_timeout(Some(LONG)).expect("open");
    client.0.write_all(&trial[9..]).expect("open");
    assert_eq!(client.force(2.0), 2.9);
    client.say(99.0, 0.0);
    let (path, records, news) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), path.left, records[0].ending), (2, 0, Ending::Ended));
    assert_eq!(news, [News::Stalled(OnStall::Hold), News::Resumed]);
    // Ramp down: the specimen is at home, and the client gets nothing that it could compute with until it goes.
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (SHORT, OnStall::RampDown));
    let mut client = Client::connect(&place);
    assert_eq!(client.force(1.0), 1.0);
    client.0.set_read_timeout(Some(2 * SHORT)).expect("open");
    let silence = client.0.read(&mut [0; 8]).map_err(|e| e.kind());
    assert_eq!(silence, Err(ErrorKind::WouldBlock), "neither answered nor closed");
    client.0.set_read_timeout(Some(LONG)).expect("open");
    assert!(client.force(2.0).is_nan());
    drop(client);
    let (path, records, news) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), path.left, records[0].ending), (1, 1, Ending::Halted(Halt::Stalled)));
    assert_eq!(news, [News::Stalled(OnStall::RampDown), News::Halted(Halt::Stalled)]);
}

/// A specimen may need minutes for a step; its client waits, and is no less there for that.
#[test]
fn a_move_may_take_longer_than_a_stall() {
    let stall = Duration::from_millis(200);
    let slow = |transport| {
        let door = open(transport);
        let place = door.place().host;
        let path = Path { takes: stall + stall / 4, ..Path::new(1) };
        (place, serve(Protocol::OpenSees, door, path, 1, (stall, OnStall::Hold)))
    };
    let (place, server) = slow(Transport::Tcp);
    let mut client = Client::connect(&place);
    assert_eq!([client.force(1.0), client.force(2.0)], [1.0, 2.9]);
    client.say(99.0, 0.0);
    assert_eq!(server.join().expect("no panic").1[0].ending, Ending::Ended);
    let (place, server) = slow(Transport::Udp);
    let caller = Caller::new(&place);
    caller.say(&sizes());
    assert_eq!([caller.force(1.0), caller.force(2.0)], [1.0, 2.9]);
    caller.say(&message(99.0, 0.0));
    assert_eq!(server.join().expect("no panic").1[0].ending, Ending::Ended);
}

/// Whoever only connects, or dribbles, does not keep others away, whatever a stall means for a client.
#[test]
fn who_never_says_what_it_is_is_let_go() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 2, (SHORT, OnStall::Hold));
    let mut silent = TcpStream::connect(&place).expect("the door is open");
    silent.write_all(&sizes()[..7]).expect("open");
    silent.set_read_timeout(Some(LONG)).expect("open");
    assert!(silent.read(&mut [0; 8]).map_or(true, |n| n == 0), "it is closed");
    let mut client = Client::connect(&place);
    assert_eq!(client.force(1.0), 1.0);
    client.say(99.0, 0.0);
    let (path, records, news) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), records[0].ending, news), (1, Ending::Vanished, vec![]));
}

#[test]
fn a_flood_moves_nothing_that_is_not_asked_for() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (LONG, OnStall::Hold));
    let mut client = Client::connect(&place);
    let flood: Vec<u8> = (0..100_000).flat_map(|k| message(3.0, f64::from(k))).collect();
    client.0.write_all(&flood).expect("it is taken");
    assert_eq!(client.force(0.5), 0.5);
    client.say(99.0, 0.0);
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!(path.moves, [[0.5]]);
    assert_eq!(records[0].counts.requests, 100_003);
}

/// Asks and never reads: what nobody takes is given up after the stall, and the server lives on.
#[test]
fn a_client_that_takes_no_answers_is_given_up() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (SHORT, OnStall::Hold));
    let mut client = Client::connect(&place);
    let requests: Vec<u8> = (0..1000).flat_map(|_| message(10.0, 0.0)).collect();
    client.0.set_write_timeout(Some(LONG)).expect("open");
    while client.0.write_all(&requests).is_ok() {}
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), records[0].ending), (1, Ending::Vanished));
}

#[test]
fn liars_are_sent_away() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 3, (LONG, OnStall::Hold));
    let closed = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(LONG)).expect("open");
        // Unread bytes of the liar make the system reset the connection, which is as good.
        !matches!(stream.read(&mut [0; 8]), Ok(n) if n > 0)
    };
    let mut huge = TcpStream::connect(&place).expect("the door is open");
    let mut violation = sizes();
    violation[40..44].copy_from_slice(&i32::MAX.to_le_bytes());
    huge.write_all(&violation).expect("open");
    assert!(closed(&mut huge));
    let mut nonsense = Client::connect(&place);
    nonsense.say(77.0, 0.0);
    assert!(closed(&mut nonsense.0));
    let mut web = loop {
        if let Ok(stream) = TcpStream::connect(&place) {
            break stream;
        }
    };
    web.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n").expect("open");
    assert!(closed(&mut web));
    let (path, records, _) = server.join().expect("no panic");
    assert!(path.moves.is_empty());
    let endings: Vec<Ending> = records.iter().map(|r| r.ending).collect();
    assert_eq!(
        endings,
        [
            Ending::Violated(Violation::Message),
            Ending::Violated(Violation::Action(77.0)),
            Ending::Violated(Violation::Size)
        ]
    );
}

/// OpenSees does not notice that its peer has gone and spins for ever, or waits for ever: it is answered with what does not converge.
#[test]
fn who_gets_no_measurements_is_answered_so_that_it_ends() {
    for (breaks_at, bad, halt, left) in
        [(1, 2.0, Halt::Broken(Broken("worn out")), 1), (9, f64::NAN, Halt::NotANumber, 0)]
    {
        let door = open(Transport::Tcp);
        let place = door.place().host;
        let path = Path { breaks_at, ..Path::new(1) };
        let server = serve(Protocol::OpenSees, door, path, 1, (LONG, OnStall::Hold));
        let mut client = Client::connect(&place);
        assert_eq!(client.force(1.0), 1.0);
        // Forces and matrices, whatever it asks for from now on.
        assert!(client.force(bad).is_nan() && client.force(0.0).is_nan());
        for matrix in [12.0, 13.0, 14.0, 15.0] {
            assert!(client.ask(matrix).is_nan());
        }
        client.say(99.0, 0.0);
        let (path, records, news) = server.join().expect("no panic");
        assert_eq!((path.moves.len(), path.left), (1, left), "led home if it broke, held if not");
        assert_eq!((records[0].ending, news), (Ending::Halted(halt), vec![News::Halted(halt)]));
    }
}

/// A client that is refused, and stays without a word, does not keep the one away that goes on.
#[test]
fn who_is_refused_is_let_go() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 3, (SHORT, OnStall::RampDown));
    let mut dies = Client::connect(&place);
    dies.force(1.0);
    drop(dies);
    let mut refused = Client::connect(&place);
    assert!(refused.force(0.0).is_nan());
    let mut next = Client::connect(&place);
    assert!(next.force(1.0).is_finite());
    next.say(99.0, 0.0);
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), path.left), (2, 0));
    assert_eq!(records.last().map(|r| r.ending), Some(Ending::Ended));
}

/// Iterations move the specimen several times per step: they are counted, and told once.
#[test]
fn several_moves_per_step_are_counted() {
    let door = open(Transport::Tcp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (LONG, OnStall::Hold));
    let mut client = Client::connect(&place);
    client.force(0.0);
    // One move; three on one way; two, of which one goes back; none.
    for step in [&[1.0][..], &[2.0, 3.0, 4.0], &[6.0, 5.0], &[5.0]] {
        step.iter().for_each(|u| assert!(client.force(*u).is_finite()));
        client.say(5.0, 0.0);
    }
    client.say(99.0, 0.0);
    let (_, records, news) = server.join().expect("no panic");
    let counts = records[0].counts;
    assert_eq!([counts.moves, counts.commits, counts.iterated, counts.reversed, counts.most], [7, 4, 2, 1, 3]);
    assert_eq!(news, [News::Iterates(3)]);
}

/// A UDP client of OpenSees.
struct Caller(UdpSocket);

impl Caller {
    fn new(place: &str) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("loopback is there");
        socket.connect(place).expect("an address");
        socket.set_read_timeout(Some(LONG)).expect("a socket");
        Caller(socket)
    }

    fn say(&self, bytes: &[u8]) {
        self.0.send(bytes).expect("open");
    }

    fn hears(&self, bytes: &[u8]) -> bool {
        let mut answer = [0; 64];
        self.0.recv(&mut answer).is_ok_and(|n| &answer[..n] == bytes)
    }

    fn force(&self, u: f64) -> f64 {
        self.say(&message(3.0, u));
        self.say(&message(10.0, u));
        let mut reply = [0; 8 * NUMBERS];
        assert_eq!(self.0.recv(&mut reply).expect("an answer"), reply.len());
        f64::from_le_bytes(reply[..8].try_into().expect("eight bytes"))
    }
}

#[test]
fn datagrams_of_others_are_dropped_until_the_client_is_silent_for_too_long() {
    let door = open(Transport::Udp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 2, (SHORT, OnStall::Hold));
    let (first, other) = (Caller::new(&place), Caller::new(&place));
    first.say(b"a");
    assert!(first.hears(b"b"));
    first.say(&sizes());
    assert_eq!(first.force(1.0), 1.0);
    // Greetings, trials and noise of another one, in between.
    for bytes in [b"a".to_vec(), sizes(), message(3.0, 7.0), message(10.0, 7.0), vec![0; 9000]] {
        other.say(&bytes);
    }
    assert_eq!(first.force(2.0), 2.9);
    // The first one falls silent; whoever greets again after the stall takes its place.
    other.0.set_read_timeout(Some(2 * SHORT)).expect("a socket");
    assert!(!other.hears(b"b"), "the first has it");
    other.0.set_read_timeout(Some(LONG)).expect("a socket");
    other.say(b"a");
    assert!(other.hears(b"b"));
    other.say(&sizes());
    assert_eq!([other.force(2.0), other.force(3.0)], [0.9 * 2.9 + 2.0, 0.9 * (0.9 * 2.9 + 2.0) + 3.0]);
    other.say(&message(99.0, 0.0));
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!(path.moves, [[1.0], [2.0], [2.0], [3.0]]);
    assert_eq!((records[0].ending, records[1].ending), (Ending::Vanished, Ending::Ended));
}

#[test]
fn a_first_datagram_of_sizes_needs_no_greeting() {
    let door = open(Transport::Udp);
    let place = door.place().host;
    let server = serve(Protocol::OpenSees, door, Path::new(1), 1, (LONG, OnStall::Hold));
    let client = Caller::new(&place);
    client.say(b"what is this?");
    client.say(&sizes());
    assert_eq!(client.force(1.0), 1.0);
    // A datagram of another length is no message.
    client.say(&message(3.0, 2.0)[..8]);
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), records[0].ending), (1, Ending::Violated(Violation::Length)));
}
