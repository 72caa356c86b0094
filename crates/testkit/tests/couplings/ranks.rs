//! Substructures on several ranks, here threads that send each other messages: the bits of one process, whoever has what; ranks
//! that end. Faults: stage `mpi` of `cargo xtask test`.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use interfield_coupling::registry::COUPLINGS;
use interfield_coupling::{Channel, Coupling, CouplingMethod, Exchange, FohOptions, Options, Parts, PmcOptions, Ranks};
use interfield_kernel::Fault;
use interfield_kernel::scheme::registry::Arguments;
use interfield_testkit::dense::Dense;
use interfield_testkit::networks::{Network, Piece, random_chain};
use interfield_testkit::numerics::Random;
use interfield_testkit::variants::scheme;

/// A rank that is a thread.
struct Post {
    rank: usize,
    to: Vec<[Sender<Vec<f64>>; 3]>,
    from: Vec<Inbox>,
}

impl Exchange for Post {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, channel: Channel, numbers: &[f64]) {
        // Whoever has gone needs nothing.
        let _ = self.to[to][channel as usize].send(numbers.to_vec());
    }

    fn receive(&self, from: usize, channel: Channel, numbers: &mut Vec<f64>) -> Option<usize> {
        let message = self.from[from][channel as usize].lock().ok()?.recv().ok()?;
        numbers.resize(numbers.len().max(message.len()), 0.0);
        numbers[..message.len()].copy_from_slice(&message);
        Some(message.len())
    }
}

/// What comes from a rank, one for each channel.
type Inbox = [Mutex<Receiver<Vec<f64>>>; 3];

/// Ranks that know each other.
fn ranks(count: usize) -> Vec<Ranks> {
    let mut to: Vec<Vec<[Sender<Vec<f64>>; 3]>> = (0..count).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Inbox>> = (0..count).map(|_| Vec::new()).collect();
    for sender in &mut to {
        for receiver in &mut from {
            let [(a, d), (b, e), (c, f)] = [channel(), channel(), channel()];
            sender.push([a, b, c]);
            receiver.push([d, e, f].map(Mutex::new));
        }
    }
    let posts = to.into_iter().zip(from).enumerate();
    posts.map(|(rank, (to, from))| Ranks::new(Box::new(Post { rank, to, from }))).collect()
}

/// Four chains end to end with a fifth across; two of the coarse side, three of the fine one.
fn network(seed: u64) -> Network {
    let mut r = Random(seed);
    let mut piece = |dofs: &[usize], fine: bool, floating: bool| Piece {
        system: random_chain(&mut r, dofs.len(), floating, 0.4),
        dofs: dofs.to_vec(),
        fine,
    };
    Network::new(vec![
        piece(&[0, 1, 2], false, false),
        piece(&[2, 3, 4, 5], true, true),
        piece(&[5, 6, 7], false, true),
        piece(&[7, 8, 9], true, true),
        piece(&[3, 10, 11], true, true),
    ])
}

/// What the first rank sees after each step: all states, multipliers and links; and how it ended.
type Seen = (Vec<Vec<u64>>, Option<(u64, usize, Fault)>);

fn look(coupling: &dyn Coupling<Dense>) -> Vec<u64> {
    let mut all: Vec<f64> = (0..coupling.count()).flat_map(|i| coupling.state_of(i).to_vec()).collect();
    all.extend(coupling.multipliers());
    for i in 0..coupling.count() {
        let mut links = vec![0.0; coupling.ports_of(i).len()];
        coupling.links_of(i, &mut links);
        all.extend(links);
    }
    all.into_iter().map(f64::to_bits).collect()
}

fn run(network: &Network, (method, name, ss): (CouplingMethod, &str, usize), ranks: &Ranks, steps: u64) -> Seen {
    let mut assembly = network.assembly(scheme(name, &[]), 0.05, ss);
    assembly.ranks = ranks.clone();
    let mut coupling = match method.start(Parts::from(assembly)) {
        Ok(coupling) => coupling,
        Err(e) => panic!("{method:?}: {e}"),
    };
    coupling.gather().expect("a start");
    let mut seen = vec![look(&*coupling)];
    for k in 0..steps {
        if let Err(fault) = coupling.step(k) {
            return (seen, Some((k, coupling.faulty(), fault)));
        }
        seen.push(look(&*coupling));
    }
    (seen, None)
}

/// The same on ranks with these owners; what each of them saw.
fn shared(network: &Network, what: (CouplingMethod, &str, usize), owners: &[usize], steps: u64) -> Vec<Seen> {
    let count = owners.iter().max().map_or(1, |m| m + 1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = ranks(count)
            .into_iter()
            .map(|ranks| {
                scope.spawn(move || {
                    let ranks = ranks.with(owners.to_vec());
                    let seen = run(network, what, &ranks, steps);
                    ranks.end(None);
                    seen
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("a rank")).collect()
    })
}

/// Every coupling that claims it, with the options that change what sides do.
fn methods() -> Vec<(CouplingMethod, &'static str, usize)> {
    let claims = COUPLINGS.iter().filter(|info| info.ranks);
    let mut all: Vec<_> = claims
        .map(|info| {
            let method = (info.build)(Arguments(&[])).expect("defaults");
            (method, info.scheme, if info.sided { 3 } else { 1 })
        })
        .collect();
    all.push((PmcOptions { kappa: 0.1, ..PmcOptions::PMC }.into(), "alpha-os", 2));
    all.push((PmcOptions { tie: 0.0, kappa: 0.2, ..PmcOptions::PMC2 }.into(), "newmark", 3));
    all.push((FohOptions { kappa: 0.1, chi: 0.3, ..FohOptions::FOH }.into(), "newmark", 4));
    all
}

#[test]
fn ranks_compute_the_bits_of_one_process() {
    let methods = methods();
    assert!(methods.len() > 10, "{}", methods.len());
    for (seed, (what, owners)) in methods
        .iter()
        .flat_map(|m| {
            // Each side on one rank; both on every rank; all apart; the first rank in the middle.
            [vec![0, 1, 0, 1, 1], vec![0, 0, 1, 1, 0], vec![0, 1, 2, 3, 4], vec![1, 2, 0, 2, 1]].map(|o| (*m, o))
        })
        .enumerate()
    {
        let network = network(40 + seed as u64);
        let (alone, none) = run(&network, what, &Ranks::default(), 40);
        assert_eq!(none, None, "{what:?}");
        let all = shared(&network, what, &owners, 40);
        assert!(all.iter().all(|seen| seen.1.is_none()), "{what:?} {owners:?}: {:?}", all[0].1);
        let first = alone.iter().zip(&all[0].0).position(|(a, b)| a != b);
        assert_eq!((first, all[0].0.len()), (None, alone.len()), "{what:?} {owners:?}");
    }
}

#[test]
fn a_rank_that_ends_or_is_gone_ends_the_others() {
    let (network, owners) = (network(3), [0, 1, 2, 1, 0]);
    for told in [true, false] {
        let ends: Vec<Seen> = std::thread::scope(|scope| {
            let threads: Vec<_> = ranks(3)
                .into_iter()
                .enumerate()
                .map(|(rank, ranks)| {
                    let (network, owners) = (&network, &owners);
                    scope.spawn(move || {
                        let ranks = ranks.with(owners.to_vec());
                        let steps = if rank == 1 { 10 } else { 1000 };
                        let seen = run(network, (PmcOptions::PMC.into(), "alpha-os", 2), &ranks, steps);
                        if told || rank != 1 {
                            ranks.end(None);
                        }
                        seen
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("a rank")).collect()
        });
        for rank in [0, 2] {
            let (step, _, fault) = ends[rank].1.expect("an end");
            // One that heard it from another one has that one's word.
            assert!((10..=12).contains(&step), "{step}");
            assert!(matches!(fault, Fault::Rank { rank: 0..=2, .. }), "{fault:?}");
        }
        assert!(ends.iter().any(|e| matches!(e.1, Some((_, _, Fault::Rank { rank: 1, told: t })) if t == told)));
    }
}
