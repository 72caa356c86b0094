//! A specimen at its address: one client after the other, until its test is over.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use interfield::laboratory::served::Served;
use interfield_lab::realtime::Histogram;
use interfield_language::specimen::Specimen;
use interfield_peers::channel::{Channel, Door, PeerAddress};
use interfield_peers::host::{Ending, Host, News, OnStall, Unfinished};
use interfield_peers::substructure::{Counts, Halt, Substructure};

use super::offer::Offer;
use super::words;
use crate::output::complain;

/// How often a specimen without a client looks whether the test is over.
const LOOK: Duration = Duration::from_millis(100);

/// What the specimens of one test have in common.
pub(super) struct Test<'a> {
    /// The operator wants it to end.
    pub(super) stop: &'a AtomicBool,
    /// One of them tripped, or was returned to the start: it is over for all.
    pub(super) over: AtomicBool,
    /// A client has ended it as planned.
    pub(super) ended: AtomicBool,
    pub(super) admission: &'a Admission,
}

/// Whether clients may take over what others have left behind.
#[derive(Default)]
pub(super) struct Admission {
    /// Specimens whose client is gone.
    left: AtomicU64,
    /// How often the operator has said so.
    said: AtomicU64,
}

impl Admission {
    /// A test begins: nothing is left behind.
    pub(super) fn begin(&self) {
        self.left.store(0, Ordering::Release);
    }

    /// The word of the operator.
    pub(super) fn admit(&self) -> Result<String, String> {
        if self.left.load(Ordering::Acquire) == 0 {
            return Err("no client has left a test to continue".to_owned());
        }
        self.said.fetch_add(1, Ordering::AcqRel);
        Ok("the next client continues with the specimen; its first move is a ramp".to_owned())
    }
}

/// A specimen that is offered, and what was done for its clients.
pub(super) struct Stand {
    pub(super) index: usize,
    pub(super) specimen: Specimen,
    door: Door,
    pub(super) clients: u64,
    pub(super) counts: Counts,
    pub(super) answering: Histogram,
    /// Clients that were sent away, and why.
    pub(super) refused: Vec<String>,
}

impl Stand {
    pub(super) fn new(index: usize, specimen: Specimen, door: Door) -> Self {
        Stand {
            index,
            specimen,
            door,
            clients: 0,
            counts: Counts::default(),
            answering: Histogram::new(None),
            refused: Vec::new(),
        }
    }

    /// Where it is found.
    pub(super) fn place(&self) -> PeerAddress {
        self.door.place()
    }

    /// Serves it until the test is over, and leads it home: how it ended, and what was done.
    pub(super) fn serve(
        &mut self,
        offer: &Offer<'_>,
        served: &mut Served,
        test: &Test<'_>,
    ) -> io::Result<(Ending, Counts)> {
        let mut counts = Counts::default();
        let ending = self.clients(offer, served, test, &mut counts);
        match ending {
            Ok(Ending::Ended) => {
                test.ended.store(true, Ordering::Release);
                served.ended_as_planned();
            }
            _ => test.over.store(true, Ordering::Release),
        }
        served.leave();
        self.counts.add(&counts);
        ending.map(|ending| (ending, counts))
    }

    /// One client after the other, as long as one may go on with the test.
    fn clients(
        &mut self,
        offer: &Offer<'_>,
        served: &mut Served,
        test: &Test<'_>,
        counts: &mut Counts,
    ) -> io::Result<Ending> {
        let mut unfinished: Option<Unfinished> = None;
        let mut lost: Option<Instant> = None;
        let admission = test.admission;
        let mut admitted = admission.said.load(Ordering::Acquire);
        loop {
            if test.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Stopped);
            }
            if test.over.load(Ordering::Acquire) {
                return Ok(Ending::Halted(Halt::Over));
            }
            if unfinished.is_none() && test.ended.load(Ordering::Acquire) {
                return Ok(Ending::Ended);
            }
            if offer.args.on_stall() == OnStall::RampDown && lost.is_some_and(|since| since.elapsed() >= offer.stall) {
                self.say(offer, "no client continues: the specimen returns to its start position");
                return Ok(Ending::Halted(Halt::Stalled));
            }
            let Some(mut channel) = self.door.accept(offer.stall, Instant::now() + LOOK)? else { continue };
            // What was said while nobody was there counts for this client.
            let said = admission.said.load(Ordering::Acquire);
            if std::mem::replace(&mut admitted, said) != said {
                unfinished.iter_mut().for_each(|test| test.admitted = true);
            }
            if lost.take().is_some() {
                admission.left.fetch_sub(1, Ordering::AcqRel);
            }
            let ending = self.client(offer, channel.as_mut(), served, test, (&mut unfinished, &mut *counts));
            match ending {
                Ending::Vanished | Ending::Violated(_) => {}
                Ending::Halted(halt) if !halt.ends_the_test() => {}
                ending => return Ok(ending),
            }
            if unfinished.is_some() {
                lost = Some(Instant::now());
                // What was said of another specimen before does not count for this one.
                admitted = admission.said.load(Ordering::Acquire);
                admission.left.fetch_add(1, Ordering::AcqRel);
            }
            self.tell_gone(offer, ending, unfinished.as_ref());
        }
    }

    /// One client.
    fn client(
        &mut self,
        offer: &Offer<'_>,
        channel: &mut dyn Channel,
        served: &mut Served,
        test: &Test<'_>,
        (unfinished, counts): (&mut Option<Unfinished>, &mut Counts),
    ) -> Ending {
        self.clients += 1;
        if !offer.args.json && std::io::stderr().is_terminal() {
            self.say(offer, "a client is connected to the specimen");
        }
        let mut session = offer.args.protocol.session(served.dofs(), self.place().transport);
        let standing = unfinished.as_ref().map(|test| words::position(&offer.model, &self.specimen, &test.at));
        let mut news = |news: News| self.say(offer, &words::news(news, standing.as_deref()));
        let mut host = Host {
            stall: offer.stall,
            on_stall: offer.args.on_stall(),
            news: &mut news,
            stop: test.stop,
            over: &test.over,
            unfinished,
        };
        let record = host.serve(channel, session.as_mut(), served);
        counts.add(&record.counts);
        self.answering.merge(&record.answering);
        record.ending
    }

    /// A client has gone, and the test has not ended.
    fn tell_gone(&mut self, offer: &Offer<'_>, ending: Ending, unfinished: Option<&Unfinished>) {
        let place = self.place();
        let gone = match ending {
            Ending::Violated(violation) => {
                self.refused.push(violation.to_string());
                format!("a client was rejected: {violation}")
            }
            Ending::Halted(halt) => {
                self.refused.push(words::why(halt));
                "that client has disconnected".to_owned()
            }
            _ => "the client disconnected".to_owned(),
        };
        let next = match unfinished {
            None => format!("waiting for the next client at {place}"),
            Some(test) => {
                let machine = test.machine.map_or_else(String::new, |m| format!(" from {m}"));
                let standing = words::position(&offer.model, &self.specimen, &test.at);
                let admit =
                    if offer.args.real_time.control { "`admit` lets any client continue with a ramp; " } else { "" };
                format!(
                    "the specimen is held at {standing}\nhelp: the test belongs to the client that began it: \
                        one{machine} that begins at {standing} can continue at {place}; {admit}Ctrl-C returns the \
                        specimen to its start position"
                )
            }
        };
        self.say(offer, &format!("{gone}; {next}"));
    }

    /// Says something of this specimen.
    fn say(&self, offer: &Offer<'_>, text: &str) {
        let name = if offer.model.specimens.len() > 1 { format!("`{}`: ", self.specimen.name) } else { String::new() };
        complain(&format!("{name}{text}"));
    }
}
