//! What each side does with messages in and out of order, without a network.

use interfield_lab::hardware::Interlock;
use interfield_wire::call::{Call, Reaction};
use interfield_wire::codec::{Content, Greeting, Letter, Shown, Stamp, decode};
use interfield_wire::layout::{Kind, Refused};
use interfield_wire::station::{Event, Station};

use super::{FRESH, NEEDED, greeting};

const PATIENCE: u64 = 2_000_000_000;

/// A station with an open session of this number.
fn open(n: usize, session: u64) -> (Station, Call) {
    let (mut station, mut call) = (Station::new(greeting(n), Some(PATIENCE)), Call::new(session, &greeting(n)));
    let hello = call.hello(0, &greeting(n)).to_vec();
    assert_eq!(station.hear(0, &hello), Event::Opened);
    assert_eq!(call.hear(0, station.welcome(0, false)), Reaction::Welcome(greeting(n)));
    (station, call)
}

fn refusal(station: &Station) -> Option<Refused> {
    match decode(station.outgoing()) {
        Ok((_, Content::Refusal { reason })) => Refused::from_number(reason),
        _ => None,
    }
}

#[test]
fn a_sample_goes_there_and_back() {
    let (mut station, mut call) = open(2, 7);
    let bytes = call.command(1000, NEEDED, &[1.5, -2.0]).to_vec();
    assert_eq!(station.hear(5, &bytes), Event::Move { missed: 0 });
    assert_eq!(station.command(), [1.5, -2.0]);
    let answer = station.answer(25, FRESH, &[1.4, -1.9], &[10.0, 20.0]).to_vec();
    assert_eq!(call.hear(1120, &answer), Reaction::Answered);
    assert_eq!(call.readings(), (&[1.4, -1.9][..], &[10.0, 20.0][..], true));
    // 120 ns there and back by the clock of the test, 20 of which the controller took by its own.
    assert_eq!((call.statistics().round_trip.summary().max, call.statistics().answering.summary().max), (100, 20));
}

#[test]
fn the_same_command_moves_once_and_is_answered_again() {
    let (mut station, mut call) = open(1, 7);
    let bytes = call.command(0, NEEDED, &[1.0]).to_vec();
    assert_eq!(station.hear(0, &bytes), Event::Move { missed: 0 });
    assert_eq!(station.hear(0, &bytes), Event::Ignored, "still moving");
    let first = station.answer(9, FRESH, &[1.0], &[5.0]).to_vec();
    assert_eq!(station.hear(10, &bytes), Event::Answer);
    assert_eq!(station.outgoing(), first);
    assert_eq!(call.hear(20, &first), Reaction::Answered);
    assert_eq!(call.hear(21, &first), Reaction::Ignored, "an answer that comes twice");
    assert_eq!((station.statistics().duplicates, call.statistics().duplicates), (2, 1));
}

#[test]
fn the_newest_wins_on_both_sides() {
    let (mut station, mut call) = open(1, 7);
    let commands: Vec<Vec<u8>> = (1..=4).map(|k| call.command(0, NEEDED, &[f64::from(k)]).to_vec()).collect();
    assert_eq!(station.hear(0, &commands[0]), Event::Move { missed: 0 });
    let first = station.answer(0, FRESH, &[1.0], &[1.0]).to_vec();
    assert_eq!(station.hear(0, &commands[2]), Event::Move { missed: 1 });
    let third = station.answer(0, FRESH, &[3.0], &[3.0]).to_vec();
    assert_eq!(station.hear(0, &commands[1]), Event::Ignored, "a specimen never goes back to an older command");
    assert_eq!(station.command(), [3.0]);
    assert_eq!((station.statistics().reordered, station.statistics().lost), (1, 0));

    assert_eq!(call.hear(0, &third), Reaction::Late);
    assert_eq!(call.hear(0, &first), Reaction::Ignored, "older readings do not replace newer ones");
    assert_eq!(call.readings().0, [3.0]);
    assert_eq!((call.statistics().late, call.statistics().reordered), (2, 1));
}

#[test]
fn a_second_test_is_refused_until_the_first_is_silent() {
    let (mut station, mut call) = open(1, 7);
    let hello = Call::new(8, &greeting(1)).hello(0, &greeting(1)).to_vec();
    assert_eq!(station.hear(PATIENCE, &hello), Event::Answer);
    assert_eq!(refusal(&station), Some(Refused::Busy));
    // A heartbeat of the first is enough.
    let beat = call.short(Kind::Heartbeat, 0).to_vec();
    assert_eq!(station.hear(PATIENCE, &beat), Event::Ignored);
    assert_eq!(station.hear(2 * PATIENCE, &hello), Event::Answer);
    assert_eq!(refusal(&station), Some(Refused::Busy));
    assert_eq!(station.hear(2 * PATIENCE + 1, &hello), Event::Opened);
    // The first wakes up: it may move nothing, and is told.
    let bytes = call.command(0, NEEDED, &[1.0]).to_vec();
    assert_eq!(station.hear(2 * PATIENCE + 2, &bytes), Event::Answer);
    assert_eq!(call.hear(0, station.outgoing()), Reaction::Stopped);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut station = Station::new(greeting(2), Some(PATIENCE));
    let mut cases: Vec<(Greeting, Refused)> = vec![(greeting(1), Refused::Actuators)];
    cases.push((Greeting { period_ns: 2_000_000, ..greeting(2) }, Refused::Period));
    cases.push((Greeting { specimen: "deck".into(), ..greeting(2) }, Refused::Specimen));
    let mut millimetres = greeting(2);
    millimetres.actuators[1].displacement = "mm".into();
    cases.push((millimetres, Refused::Units));
    for (hello, reason) in cases {
        let bytes = Call::new(9, &hello).hello(0, &hello).to_vec();
        assert_eq!(station.hear(0, &bytes), Event::Answer);
        assert_eq!(refusal(&station), Some(reason));
    }
    let mut other = Call::new(9, &greeting(2)).hello(0, &greeting(2)).to_vec();
    other[4] = 2;
    assert_eq!(station.hear(0, &other), Event::Answer);
    assert_eq!(refusal(&station), Some(Refused::Version));
    // Who does not care gets it.
    let any = Greeting { period_ns: 0, actuators: vec![Default::default(); 2], ..Greeting::default() };
    let bytes = Call::new(9, &any).hello(0, &any).to_vec();
    assert_eq!(station.hear(0, &bytes), Event::Opened);
}

#[test]
fn numbers_that_are_none_move_nothing() {
    let (mut station, mut call) = open(1, 7);
    for bad in [f64::NAN, f64::INFINITY] {
        let bytes = call.command(0, NEEDED, &[bad]).to_vec();
        assert_eq!(station.hear(0, &bytes), Event::Ignored);
    }
    let two =
        Letter::default().command(Stamp { session: 7, sequence: 99, time_ns: 0 }, NEEDED, 0, &[1.0, 2.0]).to_vec();
    assert_eq!(station.hear(0, &two), Event::Ignored);
    assert_eq!((station.command(), station.statistics().malformed), (&[0.0][..], 3));
}

#[test]
fn answers_to_commands_that_were_never_given_are_ignored() {
    let (_, mut call) = open(1, 7);
    call.command(0, NEEDED, &[1.0]);
    for (session, sequence) in [(7, 2), (7, 0), (8, 1)] {
        let stamp = Stamp { session, sequence, time_ns: 0 };
        let lie = Letter::default().measurement(stamp, FRESH, [0; 2], &[9.0], &[9.0]).to_vec();
        assert_eq!(call.hear(0, &lie), Reaction::Ignored);
    }
    assert_eq!(call.readings().0, [0.0]);
    assert_eq!((call.statistics().malformed, call.statistics().foreign), (2, 1));
}

/// Whoever does not know the bits of a status leaves them zero, and is understood.
#[test]
fn the_interlock_goes_one_way_and_the_emergency_stop_the_other() {
    let (mut station, mut call) = open(1, 7);
    for (enable, heartbeat) in [(true, true), (true, false), (false, true), (false, false)] {
        let wanted = Interlock { enable, heartbeat };
        let bytes = call.command(0, wanted, &[1.0]).to_vec();
        assert_eq!(station.hear(0, &bytes), Event::Move { missed: 0 });
        assert_eq!(station.interlock(), wanted);
        for (fresh, emergency_stop) in [(heartbeat, enable), (!heartbeat, !enable)] {
            let answer = station.answer(0, Shown { fresh, emergency_stop }, &[1.0], &[1.0]).to_vec();
            let mut other = Call::new(7, &greeting(1));
            (0..4).for_each(|_| drop(other.command(0, wanted, &[1.0]).to_vec()));
            other.hear(0, &answer);
            assert_eq!((other.readings().2, other.emergency_stop()), (fresh, emergency_stop));
        }
    }
}

/// An older command does not bring the interlock back to what it was.
#[test]
fn the_interlock_is_that_of_the_newest_command() {
    let (mut station, mut call) = open(1, 7);
    let on = call.command(0, NEEDED, &[1.0]).to_vec();
    let off = call.command(0, Interlock::default(), &[1.0]).to_vec();
    assert_eq!(station.hear(0, &off), Event::Move { missed: 1 });
    assert_eq!(station.hear(0, &on), Event::Ignored);
    assert_eq!(station.interlock(), Interlock::default());
}

#[test]
fn a_pressed_stop_is_heard_in_whichever_answer_says_so() {
    let pressed = Shown { fresh: true, emergency_stop: true };
    let answer = |sequence: u64, shown: Shown| {
        let stamp = Stamp { session: 7, sequence, time_ns: 0 };
        Letter::default().measurement(stamp, shown, [0; 2], &[0.0], &[0.0]).to_vec()
    };
    // The late answer of three says so, before or after the others.
    for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] {
        let (_, mut call) = open(1, 7);
        (0..3).for_each(|_| drop(call.command(0, NEEDED, &[0.0]).to_vec()));
        for k in order {
            call.hear(0, &answer(k, if k == 2 { pressed } else { FRESH }));
        }
        assert!(call.emergency_stop(), "{order:?}");
        // Without an answer it is what was heard last; with one that says otherwise it was released.
        call.command(0, NEEDED, &[0.0]);
        assert!(call.emergency_stop());
        call.hear(0, &answer(4, FRESH));
        assert!(!call.emergency_stop());
    }
}

#[test]
fn a_welcome_says_whether_nothing_real_moves_however_often_it_is_asked() {
    for emulated in [true, false] {
        let (mut station, mut call) = (Station::new(greeting(1), Some(PATIENCE)), Call::new(7, &greeting(1)));
        let hello = call.hello(0, &greeting(1)).to_vec();
        assert_eq!(station.hear(0, &hello), Event::Opened);
        let expected = Reaction::Welcome(Greeting { emulated, ..greeting(1) });
        assert_eq!(call.hear(0, station.welcome(0, emulated)), expected);
        assert_eq!(station.hear(1, &hello), Event::Answer);
        assert_eq!(call.hear(1, station.outgoing()), expected);
    }
}
