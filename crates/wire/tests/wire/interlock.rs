//! What the interlock of a laboratory is told over the wire, its emergency stop, and how long a silent controller is waited for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_wire::host::Host;
use interfield_wire::remote::{Pace, Remote};
use interfield_wire::station::{Event, Station};
use interfield_wire::{Heard, Link};

use super::lossy::{Weather, pair};
use super::{FRESH, LOCK_STEP, LONG, greeting};

/// A laboratory that notes what its interlock is told, and whose emergency stop is pressed in one sample.
struct Watched {
    told: Arc<Mutex<Vec<Interlock>>>,
    samples: u32,
    real: bool,
}

const PRESSED_IN: u32 = 7;

impl Hardware for Watched {
    fn actuators(&self) -> usize {
        1
    }

    fn interlock(&mut self, out: Interlock) {
        self.told.lock().expect("nobody panics").push(out);
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        self.samples += 1;
        displacement.copy_from_slice(command);
        force.fill(0.0);
        // Pressed without a new reading: it is heard all the same.
        if self.samples == PRESSED_IN { Reply::Stale } else { Reply::Fresh }
    }

    fn emergency_stop(&self) -> bool {
        self.samples == PRESSED_IN
    }

    fn is_emulated(&self) -> bool {
        !self.real
    }
}

#[test]
fn hosted_hardware_is_told_and_tells() {
    for real in [true, false] {
        let (link, mut dock) = pair(Weather { lost: 0, doubled: 20, swapped: 0 });
        let (stop, told) = (AtomicBool::new(false), Arc::new(Mutex::new(Vec::new())));
        let sent: Vec<Interlock> = (1..=20).map(|k| Interlock { enable: k > 2, heartbeat: k % 2 == 1 }).collect();
        std::thread::scope(|scope| {
            let hosted = Arc::clone(&told);
            scope.spawn(|| {
                let mut open =
                    move || Ok(Box::new(Watched { told: Arc::clone(&hosted), samples: 0, real }) as Box<dyn Hardware>);
                let host = Host { offer: greeting(1), open: &mut open, news: &mut |_| (), stop: &stop, keep: false };
                host.serve(&mut dock).expect("it is always there")
            });
            let mut remote = Remote::connect(Box::new(link), &greeting(1), LOCK_STEP, LONG).expect("a welcome");
            assert_eq!(remote.is_emulated(), !real);
            let (mut u, mut f) = ([0.0], [0.0]);
            for (k, interlock) in (1..).zip(&sent) {
                remote.interlock(*interlock);
                remote.exchange(&mut [], &[f64::from(k)], &mut u, &mut f);
                assert_eq!(remote.emergency_stop(), k == PRESSED_IN, "sample {k}");
            }
            remote.stop();
        });
        // A stop says of itself that the drives are not needed any more.
        let expected: Vec<Interlock> = sent.into_iter().chain([Interlock::default()]).collect();
        assert_eq!(*told.lock().expect("nobody panics"), expected);
    }
}

/// A controller at the end of no cable at all, which answers at once or not at all.
struct Near {
    station: Station,
    answer: Vec<u8>,
    mute: Arc<AtomicBool>,
}

impl Link for Near {
    fn send(&mut self, bytes: &[u8]) {
        self.answer = match self.station.hear(0, bytes) {
            Event::Opened => self.station.welcome(0, true).to_vec(),
            Event::Move { .. } => self.station.answer(0, FRESH, &[1.0], &[2.0]).to_vec(),
            _ => Vec::new(),
        };
    }

    fn receive(&mut self, buffer: &mut [u8], _: Instant) -> Heard {
        let bytes = std::mem::take(&mut self.answer);
        if bytes.is_empty() || self.mute.load(Ordering::Relaxed) {
            return Heard::Nothing;
        }
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Heard::Bytes(bytes.len())
    }
}

/// A test that bridges a hundred samples finds its controller again after ninety-nine.
#[test]
fn a_silent_controller_is_waited_for_as_long_as_is_said() {
    let mute = Arc::new(AtomicBool::new(false));
    let near = Near { station: Station::new(greeting(1), None), answer: Vec::new(), mute: Arc::clone(&mute) };
    let mut remote =
        Remote::connect(Box::new(near), &greeting(1), Pace::real_time(1e-3, 100), LONG).expect("a welcome");
    let (mut u, mut f) = ([0.0], [0.0]);
    let mut replies = |muted: bool, samples: usize| -> Vec<Reply> {
        mute.store(muted, Ordering::Relaxed);
        (0..samples).map(|_| remote.exchange(&mut [], &[1.0], &mut u, &mut f)).collect()
    };
    assert_eq!(replies(true, 99), [Reply::Stale; 99]);
    assert_eq!(replies(false, 1), [Reply::Fresh]);
    assert_eq!(replies(true, 101), [[Reply::Stale; 99].as_slice(), &[Reply::Gone; 2]].concat());
}
