//! A link that loses, repeats and reorders, and what is left of a test on it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use interfield_lab::hardware::{Hardware, Reply};
use interfield_wire::layout::MOST_BYTES;
use interfield_wire::remote::{Pace, Remote, Unconnected};
use interfield_wire::{Dock, Heard, Link};

use super::{LOCK_STEP, LONG, Random, greeting, host, same_bits};

/// How a link treats its messages, each with a chance of so many in a hundred.
#[derive(Clone, Copy)]
pub(super) struct Weather {
    pub(super) lost: u64,
    pub(super) doubled: u64,
    /// Kept back until after the next one.
    pub(super) swapped: u64,
}

/// One direction.
struct Lane {
    to: Sender<Vec<u8>>,
    weather: Weather,
    random: Random,
    back: VecDeque<Vec<u8>>,
}

impl Lane {
    fn send(&mut self, bytes: &[u8]) {
        let mut happens = |percent| self.random.next_u64() % 100 < percent;
        if happens(self.weather.lost) {
            return;
        }
        let copies = if happens(self.weather.doubled) { 2 } else { 1 };
        if happens(self.weather.swapped) {
            self.back.push_back(bytes.to_vec());
            return;
        }
        (0..copies).for_each(|_| drop(self.to.send(bytes.to_vec())));
        self.back.drain(..).for_each(|old| drop(self.to.send(old)));
    }
}

/// One end.
pub(super) struct End {
    lane: Lane,
    from: Receiver<Vec<u8>>,
}

impl End {
    fn take(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        match self.from.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                buffer[..bytes.len()].copy_from_slice(&bytes);
                Heard::Bytes(bytes.len())
            }
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::Dead,
        }
    }
}

impl Link for End {
    fn send(&mut self, bytes: &[u8]) {
        self.lane.send(bytes);
    }

    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        self.take(buffer, until)
    }
}

impl Dock for End {
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        self.take(buffer, until)
    }

    fn answer(&mut self, bytes: &[u8]) {
        self.lane.send(bytes);
    }

    fn adopt(&mut self) {}

    fn send(&mut self, bytes: &[u8]) {
        self.lane.send(bytes);
    }

    fn silence_is_death(&self) -> bool {
        false
    }
}

pub(super) fn pair(weather: Weather) -> (End, End) {
    let ((to_a, from_b), (to_b, from_a)) = (channel(), channel());
    let lane = |to, seed| Lane { to, weather, random: Random(seed), back: VecDeque::new() };
    (End { lane: lane(to_a, 1), from: from_a }, End { lane: lane(to_b, 2), from: from_b })
}

pub(super) const STORM: Weather = Weather { lost: 3, doubled: 10, swapped: 3 };

/// In lock-step the numbers do not depend on the weather: lost messages come again, doubled ones move nothing.
#[test]
fn lock_step_in_a_storm_gives_the_same_bits() {
    let (link, mut dock) = pair(STORM);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, false, &stop, &mut |_| ()));
        let mut remote = Remote::connect(Box::new(link), &greeting(2), LOCK_STEP, LONG).expect("a welcome");
        same_bits(&mut remote, 2, 400);
        let seen = remote.statistics().clone();
        assert_eq!((seen.commands, seen.lost), (400, 0));
        assert!(seen.repeated > 20 && seen.duplicates > 20, "there was a storm: {:?}", seen.counts());
        drop(remote);
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.statistics.commands, record.statistics.lost), (400, 0));
    });
}

/// By the clock a lost answer is stale and the next one fresh; a dead line is gone after the stated number of samples.
#[test]
fn by_the_clock_losses_are_stale_and_a_dead_line_is_gone() {
    let (end, mut dock) = pair(Weather { lost: 0, doubled: 0, swapped: 0 });
    let stop = AtomicBool::new(false);
    let silent = Arc::new(AtomicBool::new(false));
    /// While the line is not `silent`, an answer is waited for as long as it takes: a busy machine loses none.
    struct Patient(End, Arc<AtomicBool>);
    impl Link for Patient {
        fn send(&mut self, bytes: &[u8]) {
            Link::send(&mut self.0, bytes);
        }
        fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
            let speaks = !self.1.load(std::sync::atomic::Ordering::SeqCst);
            Link::receive(&mut self.0, buffer, if speaks { Instant::now() + LONG } else { until })
        }
    }
    /// Swallows everything while `silent`.
    struct Mute<'a>(&'a mut End, &'a AtomicBool);
    impl Dock for Mute<'_> {
        fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
            Dock::receive(self.0, buffer, until)
        }
        fn answer(&mut self, bytes: &[u8]) {
            if !self.1.load(std::sync::atomic::Ordering::SeqCst) {
                self.0.answer(bytes);
            }
        }
        fn adopt(&mut self) {}
        fn send(&mut self, bytes: &[u8]) {
            self.answer(bytes);
        }
        fn silence_is_death(&self) -> bool {
            false
        }
    }
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut Mute(&mut dock, &silent), 1, false, &stop, &mut |_| ()));
        let pace = Pace::RealTime { wait: Duration::from_millis(20), misses: 5 };
        let link = Patient(end, silent.clone());
        let mut remote = Remote::connect(Box::new(link), &greeting(1), pace, LONG).expect("a welcome");
        same_bits(&mut remote, 1, 20);
        silent.store(true, std::sync::atomic::Ordering::SeqCst);
        let (mut u, mut f) = ([7.0], [8.0]);
        for _ in 0..2 {
            assert_eq!(remote.exchange(&mut [], &[1.0], &mut u, &mut f), Reply::Stale);
        }
        assert_eq!((u, f), ([7.0], [8.0]), "readings that did not arrive are left as they were");
        silent.store(false, std::sync::atomic::Ordering::SeqCst);
        assert_eq!(remote.exchange(&mut [], &[1.0], &mut u, &mut f), Reply::Fresh);
        silent.store(true, std::sync::atomic::Ordering::SeqCst);
        let replies: Vec<Reply> = (0..6).map(|_| remote.exchange(&mut [], &[1.0], &mut u, &mut f)).collect();
        assert_eq!(replies, [[Reply::Stale; 4].as_slice(), &[Reply::Gone; 2]].concat());
        hosted.join().expect("the host was told to stop");
    });
}

#[test]
fn a_flood_of_nonsense_cannot_hold_the_loop() {
    /// Always has something to say, never anything of use.
    struct Flood;
    impl Link for Flood {
        fn send(&mut self, _: &[u8]) {}
        fn receive(&mut self, buffer: &mut [u8], _: Instant) -> Heard {
            buffer.fill(1);
            Heard::Bytes(MOST_BYTES)
        }
    }
    // One that is held does not come back.
    let found = Remote::connect(Box::new(Flood), &greeting(1), LOCK_STEP, Duration::from_millis(100));
    assert_eq!(found.err(), Some(Unconnected::Silent));
}
