//! The wire against loss, reordering, liars, killed processes and a controller in C.

mod c;
mod fuzz;
mod interlock;
mod layout;
mod lossy;
mod processes;
mod safety;
mod sealed;
mod sensors;
mod sides;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use interfield_lab::hardware::{Hardware, Interlock, Reply};
use interfield_wire::Dock;
use interfield_wire::codec::{Greeting, Instrument, Shown};
use interfield_wire::host::{Host, Hosted, News};
use interfield_wire::remote::Pace;

/// Long enough that only a real failure runs into it.
const LONG: Duration = Duration::from_secs(20);
const LOCK_STEP: Pace = Pace::LockStep(LONG);

/// In the middle of a test.
const NEEDED: Interlock = Interlock { enable: true, heartbeat: false };
/// New readings, and nothing else.
const FRESH: Shown = Shown { fresh: true, emergency_stop: false };

/// What both sides say of `n` actuators sampled at 1 kHz.
fn greeting(n: usize) -> Greeting {
    let instrument = |i| Instrument { name: format!("a{i}"), displacement: "SI".into(), force: "SI".into() };
    let actuators = (0..n).map(instrument).collect();
    Greeting { period_ns: 1_000_000, specimen: "pier".into(), actuators, emulated: false }
}

/// A specimen whose force depends on every command it ever got, so that one too many or too few shows for ever.
struct Path {
    sums: Vec<f64>,
}

impl Path {
    fn new(n: usize) -> Self {
        Path { sums: vec![0.0; n] }
    }
}

impl Hardware for Path {
    fn actuators(&self) -> usize {
        self.sums.len()
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        for (i, c) in command.iter().enumerate() {
            self.sums[i] = 0.999 * self.sums[i] + c.sin();
            (displacement[i], force[i]) = (*c, self.sums[i]);
        }
        Reply::Fresh
    }
}

/// Hosts a [`Path`] until a test is over.
fn host(dock: &mut dyn Dock, n: usize, keep: bool, stop: &AtomicBool, news: &mut dyn FnMut(News)) -> Hosted {
    let mut open = || Ok(Box::new(Path::new(n)) as Box<dyn Hardware>);
    Host { offer: greeting(n), open: &mut open, news, stop, keep }.serve(dock).expect("a Path is always there")
}

/// Command of actuator `i` in sample `k`.
fn command(k: usize, i: usize) -> f64 {
    (0.01 * k as f64 + i as f64).sin()
}

/// Commands of some samples to both, which must answer the same bits.
fn same_bits(remote: &mut dyn Hardware, n: usize, samples: usize) {
    let mut local = Path::new(n);
    let [mut u, mut f, mut want_u, mut want_f] = [(); 4].map(|()| vec![0.0; n]);
    for k in 0..samples {
        let c: Vec<f64> = (0..n).map(|i| command(k, i)).collect();
        local.exchange(&mut [], &c, &mut want_u, &mut want_f);
        assert_eq!(remote.exchange(&mut [], &c, &mut u, &mut f), Reply::Fresh, "sample {k}");
        assert_eq!((&u, &f), (&want_u, &want_f), "sample {k}");
    }
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
}
