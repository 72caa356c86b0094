//! The protocols of other programs: their bytes, both roles against each other, and peers that stall, flood, close, lie.

mod adapter;
mod bytes;
mod fuzz;
mod hostile;
mod roles;

use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interfield_peers::channel::{Door, PeerAddress, Transport};
use interfield_peers::host::{Ending, Host, News, OnStall, Served};
use interfield_peers::session::Session;
use interfield_peers::substructure::{Broken, Matrices, Substructure};
use interfield_peers::{opensees, site, utsim};

/// Long enough that only a real failure runs into it.
const LONG: Duration = Duration::from_secs(20);

/// A chain of springs whose force depends on every move it ever made, so that one too many or too few shows for ever.
struct Path {
    matrices: Matrices,
    sums: Vec<f64>,
    moves: Vec<Vec<f64>>,
    begun: u32,
    left: u32,
    /// Breaks at this move.
    breaks_at: usize,
    /// What a move takes.
    takes: Duration,
}

impl Path {
    fn new(n: usize) -> Self {
        // Not symmetric, so that rows and columns are told apart.
        let matrix = |scale: f64| (0..n * n).map(|k| scale * (1 + k) as f64).collect();
        let matrices = Matrices {
            stiffness: matrix(1.0),
            damping: matrix(0.1),
            measured_damping: Matrices::zeros(n),
            mass: matrix(0.01),
        };
        Path {
            matrices,
            sums: vec![0.0; n],
            moves: Vec::new(),
            begun: 0,
            left: 0,
            breaks_at: usize::MAX,
            takes: Duration::ZERO,
        }
    }
}

impl Substructure for Path {
    fn dofs(&self) -> usize {
        self.sums.len()
    }

    fn matrices(&self) -> &Matrices {
        &self.matrices
    }

    fn begin(&mut self) {
        self.begun += 1;
    }

    fn go(&mut self, u: &[f64], reached: &mut [f64], force: &mut [f64]) -> Result<(), Broken> {
        assert!(u.iter().all(|x| x.is_finite()), "moved to {u:?}");
        if self.moves.len() >= self.breaks_at {
            return Err(Broken("worn out"));
        }
        let end = Instant::now() + self.takes;
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            std::thread::park_timeout(left);
        }
        self.moves.push(u.to_vec());
        for (i, x) in u.iter().enumerate() {
            self.sums[i] = 0.9 * self.sums[i] + x;
            (reached[i], force[i]) = (*x, self.sums[i]);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.left += 1;
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Protocol {
    OpenSees,
    Site,
    UtSim,
}

fn session(protocol: Protocol, n: usize, transport: Transport) -> Box<dyn Session> {
    match protocol {
        Protocol::OpenSees => Box::new(opensees::Server::new(n)),
        Protocol::Site => Box::new(site::Actor::new(n, transport == Transport::Tcp)),
        Protocol::UtSim => Box::new(utsim::Server::new(n)),
    }
}

fn open(transport: Transport) -> Door {
    Door::open(&PeerAddress { transport, host: "127.0.0.1:0".into() }).expect("loopback is there")
}

/// Serves clients one after the other, each until its end; gives back what was moved, what was done, and what was said.
fn serve(
    protocol: Protocol,
    mut door: Door,
    mut path: Path,
    clients: usize,
    (stall, on_stall): (Duration, OnStall),
) -> JoinHandle<(Path, Vec<Served>, Vec<News>)> {
    std::thread::spawn(move || {
        let transport = door.place().transport;
        let (stop, over) = (AtomicBool::new(false), AtomicBool::new(false));
        let (mut records, mut said, mut unfinished) = (Vec::new(), Vec::new(), None);
        while records.len() < clients {
            let until = Instant::now() + LONG;
            let mut channel = door.accept(stall, until).expect("still ours").expect("a client comes");
            let mut session = session(protocol, path.sums.len(), transport);
            let mut news = |news: News| said.push(news);
            let mut host =
                Host { stall, on_stall, news: &mut news, stop: &stop, over: &over, unfinished: &mut unfinished };
            let record = host.serve(channel.as_mut(), session.as_mut(), &mut path);
            // The next one begins a test of its own.
            unfinished = unfinished.filter(|_| record.ending != Ending::Ended);
            records.push(record);
        }
        (path, records, said)
    })
}

/// Pseudo-random numbers, the same on every machine (SplitMix64).
struct Random(u64);

impl Random {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }
}
