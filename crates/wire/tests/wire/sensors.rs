//! Transducers and load cells besides those of the actuators.

use std::sync::atomic::AtomicBool;

use interfield_lab::hardware::{Hardware, Reply};
use interfield_wire::codec::{Greeting, UNMEASURED};
use interfield_wire::host::Host;
use interfield_wire::layout::Refused;
use interfield_wire::remote::Remote;
use interfield_wire::udp::{UdpDock, UdpLink};

use super::{LOCK_STEP, LONG, command, greeting};

/// Two actuators, a transducer and two load cells of its own.
struct Sensed;

impl Hardware for Sensed {
    fn actuators(&self) -> usize {
        2
    }

    fn sensors(&self) -> [usize; 2] {
        [1, 2]
    }

    fn exchange(&mut self, _: &mut [f64], command: &[f64], displacement: &mut [f64], force: &mut [f64]) -> Reply {
        assert_eq!((command.len(), displacement.len(), force.len()), (2, 3, 4));
        let [a, b] = [command[0], command[1]];
        displacement.copy_from_slice(&[a, b, a - b]);
        force.copy_from_slice(&[10.0 * a, 20.0 * b, a + b, a * b]);
        Reply::Fresh
    }
}

fn sensed() -> Greeting {
    let mut greeting = greeting(5);
    greeting.actuators[2].force = UNMEASURED.into();
    greeting.actuators[3..].iter_mut().for_each(|cell| cell.displacement = UNMEASURED.into());
    greeting
}

#[test]
fn sensors_of_their_own_stand_behind_those_of_the_actuators() {
    assert_eq!(sensed().counts(), [2, 1, 2]);
    let mut dock = UdpDock::bind("127.0.0.1:0").unwrap();
    let address = dock.address().unwrap();
    let serve = std::thread::spawn(move || {
        let mut open = || Ok(Box::new(Sensed) as Box<dyn Hardware>);
        let (stop, offer) = (AtomicBool::new(false), sensed());
        Host { offer, open: &mut open, news: &mut |_| {}, stop: &stop, keep: false }.serve(&mut dock).unwrap();
    });
    let link = Box::new(UdpLink::open(address).unwrap());
    let mut remote = Remote::connect(link, &sensed(), LOCK_STEP, LONG).unwrap();
    assert_eq!((remote.actuators(), remote.sensors()), (2, [1, 2]));
    let (mut u, mut f) = ([0.0; 3], [0.0; 4]);
    for k in 0..20 {
        let command = [command(k, 0), command(k, 1)];
        assert_eq!(remote.exchange(&mut [], &command, &mut u, &mut f), Reply::Fresh);
        let (mut want_u, mut want_f) = ([0.0; 3], [0.0; 4]);
        Sensed.exchange(&mut [], &command, &mut want_u, &mut want_f);
        assert_eq!((u, f), (want_u, want_f));
    }
    remote.stop();
    serve.join().unwrap();
}

/// Neither a controller of an earlier version, for which all instruments are actuators, nor one with any units is taken for one with sensors.
#[test]
fn an_actuator_is_not_taken_for_a_sensor() {
    let any = Greeting { actuators: vec![Default::default(); 5], ..Greeting::default() };
    for other in [greeting(5), any] {
        assert_eq!(other.refuses(&sensed()), Some(Refused::Units));
        assert_eq!(sensed().refuses(&other), Some(Refused::Units));
    }
    assert_eq!(sensed().refuses(&greeting(2)), Some(Refused::Actuators));
    assert_eq!(sensed().refuses(&sensed()), None);
}
