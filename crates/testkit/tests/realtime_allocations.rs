//! What a real-time loop calls in every period allocates nothing, also while its file is stalled.

use std::sync::mpsc;
use std::time::Duration;

use interfield_lab::hardware::{Hardware, Reply};
use interfield_lab::realtime::mailbox::{Patience, mailbox};
use interfield_lab::realtime::{Clock, Schedule, Sink, Tape, TapeOptions, Timing, Waking, WallClock, WhenLate};
use interfield_testkit::alloc::{CountingAllocator, allocations};
use interfield_wire::codec::{Greeting, Instrument};
use interfield_wire::host::Host;
use interfield_wire::remote::{Pace, Remote};
use interfield_wire::sealed::{Key, SealedDock, SealedLink};
use interfield_wire::{Dock, Link};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A file that hangs until the test ends.
struct Stalled(mpsc::Receiver<()>);

impl Sink for Stalled {
    fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
        self.0.recv().ok();
        Ok(rows.len())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn note(&mut self, _: &str) {}
}

#[test]
fn a_thousand_periods_allocate_nothing() {
    let schedule = Schedule::new(2e-5, WhenLate::Skip).unwrap();
    let mut timing = Timing::new(schedule.period_ns());
    let mut clock = WallClock::new(schedule, Waking::default());
    let (mut integrator, mut controller) = mailbox::<(), ()>(3, 3, Patience::Park);
    let (release, stalled) = mpsc::channel();
    let options = TapeOptions { rows: 500, ..TapeOptions::default() };
    let mut tape = Tape::new(20, Stalled(stalled), options).unwrap();
    let mut sum = 0.0;
    let count = allocations(|| {
        for n in 0..1000 {
            let tick = clock.wait();
            let number = integrator.post((), &[f64::from(n); 3]).unwrap();
            if let Some((number, (), target)) = controller.newest() {
                let measured = [target[0], -target[1], 0.0];
                controller.answer(number, (), &measured);
            }
            sum += integrator.wait(number, Duration::ZERO).unwrap().1[0];
            tape.record(f64::from(n), &[sum; 20]);
            sum += tape.health().fill;
            timing.note(&tick, clock.now_ns());
        }
    });
    assert_eq!(count, 0);
    assert!(tape.health().dropped >= 500, "the ring was full, too");
    assert_eq!(timing.wake_up.summary().count, 1000);
    drop(release);
}

#[test]
fn waiting_for_an_answer_allocates_nothing() {
    for patience in [Patience::Spin, Patience::Park] {
        let (mut integrator, mut controller) = mailbox::<(), ()>(1, 1, patience);
        let echo = std::thread::spawn(move || {
            allocations(|| {
                while !controller.is_alone() {
                    if let Some((number, (), target)) = controller.newest() {
                        let answer = [-target[0]];
                        controller.answer(number, (), &answer);
                    }
                    std::thread::yield_now();
                }
            })
        });
        let count = allocations(|| {
            for n in 0..100 {
                let number = integrator.post((), &[f64::from(n)]).unwrap();
                assert_eq!(integrator.wait(number, Duration::from_secs(60)), Ok(((), &[-f64::from(n)][..])));
            }
        });
        drop(integrator);
        assert_eq!((count, echo.join().unwrap()), (0, 0), "{patience:?}");
    }
}

/// Stands still.
struct Rest;

impl Hardware for Rest {
    fn actuators(&self) -> usize {
        2
    }

    fn exchange(&mut self, _: &mut [f64], _: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        displacement.fill(0.0);
        force.fill(0.0);
        Reply::Fresh
    }
}

fn exchanges_without_allocation(mut dock: Box<dyn Dock>, link: Box<dyn Link>) {
    const LONG: Duration = Duration::from_secs(20);
    let greeting = Greeting { actuators: vec![Instrument::default(); 2], ..Greeting::default() };
    let offer = greeting.clone();
    let host = std::thread::spawn(move || {
        let mut open = || Ok(Box::new(Rest) as Box<dyn Hardware>);
        let stop = false.into();
        Host { offer, open: &mut open, news: &mut |_| (), stop: &stop, keep: false }.serve(dock.as_mut())
    });
    let mut remote = Remote::connect(link, &greeting, Pace::LockStep(LONG), LONG).expect("a welcome");
    let (mut u, mut f) = ([0.0; 2], [0.0; 2]);
    let count = allocations(|| {
        for _ in 0..500 {
            assert_eq!(remote.exchange(&mut [], &[1.0; 2], &mut u, &mut f), Reply::Fresh);
        }
    });
    assert_eq!(count, 0);
    drop(remote);
    assert_eq!(host.join().expect("the host").expect("its record").statistics.commands, 500);
}

#[test]
fn a_specimen_behind_a_wire_allocates_nothing() {
    use interfield_wire::udp::{UdpDock, UdpLink};
    let dock = UdpDock::bind("127.0.0.1:0").expect("a port");
    let link = UdpLink::open(dock.address().expect("its address")).expect("a socket");
    exchanges_without_allocation(Box::new(dock), Box::new(link));
    let key = Key::random().expect("randomness");
    let dock = UdpDock::bind("127.0.0.1:0").expect("a port");
    let link = UdpLink::open(dock.address().expect("its address")).expect("a socket");
    let link = SealedLink::new(link, &key).expect("randomness");
    exchanges_without_allocation(Box::new(SealedDock::new(dock, key)), Box::new(link));
    #[cfg(unix)]
    {
        use interfield_wire::shared::{SharedDock, SharedLink};
        let name = format!("/interfield-allocations-{}", std::process::id());
        let dock = SharedDock::make(&name).expect("memory");
        let link = SharedLink::open(&name).expect("the same");
        exchanges_without_allocation(Box::new(dock), Box::new(link));
    }
}
