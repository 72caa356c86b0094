//! Substructures in several processes (ranks), on one machine or many. A rank has and advances its own substructures; of the others it
//! has their ports. All ranks compute the interface alike, from the same numbers in the same order, hence to the same bits as one process.
//!
//! What is said after a stride, by each rank that has a substructure of the side to all others: the motion of its ports. The complete
//! states go to the first rank alone, which looks at them and writes them.
//! **Must not be here:** how messages travel.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interfield_kernel::Fault;
use interfield_kernel::fault::Place;

use crate::side::SideFault;

/// Messages between ranks: they arrive whole, those of a channel in the order in which they were sent.
pub trait Exchange: Send + Sync {
    /// Number of this rank, from 0.
    fn rank(&self) -> usize;
    /// How many there are.
    fn count(&self) -> usize;
    /// Sends numbers to another rank, without waiting for it.
    fn send(&self, to: usize, channel: Channel, numbers: &[f64]);
    /// Waits for the next message of another rank on a channel; how many numbers it had, which `numbers` begins with. `None`: that rank is gone, or
    /// this one was told to end.
    fn receive(&self, from: usize, channel: Channel, numbers: &mut Vec<f64>) -> Option<usize>;
}

/// What a message is about. The coarse side tells how it fared before the fine one does, and is heard after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Channel {
    #[default]
    Whole,
    Coarse,
    Fine,
}

const CHANNELS: [Channel; 3] = [Channel::Whole, Channel::Coarse, Channel::Fine];

impl<E: Exchange + ?Sized> Exchange for Arc<E> {
    fn rank(&self) -> usize {
        (**self).rank()
    }

    fn count(&self) -> usize {
        (**self).count()
    }

    fn send(&self, to: usize, channel: Channel, numbers: &[f64]) {
        (**self).send(to, channel, numbers);
    }

    fn receive(&self, from: usize, channel: Channel, numbers: &mut Vec<f64>) -> Option<usize> {
        (**self).receive(from, channel, numbers)
    }
}

/// Which rank has which substructure; one process has them all.
#[derive(Clone, Default)]
pub struct Ranks {
    team: Option<Arc<Team>>,
    owners: Vec<usize>,
    /// Numbers in the whole of the substructures that this is about.
    members: Vec<usize>,
}

/// All ranks, seen by one of them.
struct Team {
    exchange: Box<dyn Exchange>,
    /// Whether this one has said that it ends.
    ended: AtomicBool,
    /// Ranks that have said so, or are gone, by channel.
    parted: Vec<[AtomicBool; 3]>,
}

impl Team {
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.exchange.rank();
        (0..self.exchange.count()).filter(move |&r| r != own)
    }

    fn receive(&self, from: usize, channel: Channel, numbers: &mut Vec<f64>) -> Option<usize> {
        let found = self.exchange.receive(from, channel, numbers);
        if found.is_none_or(|count| count == 0 || numbers[0] == END) {
            self.parted[from][channel as usize].store(true, Ordering::Release);
        }
        found.filter(|count| *count > 0)
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranks").field("owners", &self.owners).finish_non_exhaustive()
    }
}

/// Numbers before those of a message: what it is, and of a fault where and which.
const HEAD: usize = 6;
/// What a message is.
const DATA: f64 = 0.0;
const FAULT: f64 = 1.0;
const END: f64 = 2.0;

impl Ranks {
    /// Ranks that have nothing yet.
    pub fn new(exchange: Box<dyn Exchange>) -> Self {
        let parted = (0..exchange.count()).map(|_| std::array::from_fn(|_| AtomicBool::new(false))).collect();
        let team = Team { exchange, ended: AtomicBool::new(false), parted };
        Ranks { team: Some(Arc::new(team)), ..Ranks::default() }
    }

    /// The same, each substructure with its rank.
    #[must_use]
    pub fn with(&self, owners: Vec<usize>) -> Self {
        Ranks { team: self.team.clone(), members: (0..owners.len()).collect(), owners }
    }

    /// The same of these substructures alone.
    pub(crate) fn of(&self, substructures: impl Iterator<Item = usize>) -> Self {
        let members: Vec<usize> = substructures.collect();
        let owners = members.iter().map(|&i| self.owners.get(i).copied().unwrap_or(0)).collect();
        Ranks { team: self.team.clone(), owners, members }
    }

    fn exchange(&self) -> Option<&dyn Exchange> {
        self.team.as_ref().map(|team| team.exchange.as_ref())
    }

    /// How many ranks there are.
    pub fn count(&self) -> usize {
        self.exchange().map_or(1, Exchange::count)
    }

    /// Sends numbers to another rank; the first says what they are, and must be zero.
    pub fn send(&self, to: usize, numbers: &[f64]) {
        if let Some(exchange) = self.exchange() {
            exchange.send(to, Channel::Whole, numbers);
        }
    }

    /// Waits for numbers sent with [`Ranks::send`]; `None` if that rank has ended.
    pub fn receive(&self, from: usize) -> Option<Vec<f64>> {
        let mut numbers = Vec::new();
        let count = self.team.as_ref()?.receive(from, Channel::Whole, &mut numbers)?;
        numbers.truncate(count);
        (numbers[0] == DATA).then_some(numbers)
    }

    /// The rank of every substructure.
    pub fn owners(&self) -> &[usize] {
        &self.owners
    }

    /// Whether one process has everything.
    pub fn is_alone(&self) -> bool {
        self.team.is_none()
    }

    /// Number of this rank.
    pub fn rank(&self) -> usize {
        self.exchange().map_or(0, Exchange::rank)
    }

    /// Whether this rank has the substructure.
    pub fn is_here(&self, substructure: usize) -> bool {
        self.exchange().is_none_or(|e| self.owners.get(substructure) == Some(&e.rank()))
    }

    /// The other ranks that have any of the substructures, rising.
    pub(crate) fn others(&self) -> Vec<usize> {
        let mut others: Vec<usize> = self.owners.iter().copied().filter(|&r| r != self.rank()).collect();
        others.sort_unstable();
        others.dedup();
        if self.is_alone() { Vec::new() } else { others }
    }

    /// Whether this rank has any of the substructures.
    pub(crate) fn has_any(&self) -> bool {
        (0..self.owners.len()).any(|i| self.is_here(i))
    }

    /// Ends the work of all ranks together: says so to the others, and waits until they have said it, whatever they say before. What
    /// ended it, if it was a fault that they cannot know of.
    pub fn end(&self, fault: Option<SideFault>) {
        let Some(team) = &self.team else { return };
        if team.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut message = vec![0.0; HEAD];
        if let Some(fault) = fault {
            head(&mut message, FAULT, fault);
        }
        message[0] = END;
        for channel in CHANNELS {
            team.others().for_each(|to| team.exchange.send(to, channel, &message));
        }
        for (from, channel) in team.others().flat_map(|from| CHANNELS.map(|channel| (from, channel))) {
            while !team.parted[from][channel as usize].load(Ordering::Acquire) {
                team.receive(from, channel, &mut message);
            }
        }
    }

    /// Sends the complete states of the substructures, which stand at `ranges` of `x`, to the first rank.
    pub(crate) fn gather(
        &self,
        x: &mut [f64],
        ranges: impl Iterator<Item = Range<usize>> + Clone,
        mail: &mut Mail,
    ) -> Result<(), SideFault> {
        let Some(team) = &self.team else { return Ok(()) };
        if team.exchange.rank() > 0 {
            if self.has_any() {
                mail.begin();
                ranges.enumerate().filter(|(i, _)| self.is_here(*i)).for_each(|(_, r)| mail.out.extend(&x[r]));
                team.exchange.send(0, mail.channel, &mail.out);
            }
            return Ok(());
        }
        let mut worst = Ok(());
        for from in self.others() {
            let of = |i: &usize| self.owners[*i] == from;
            match mail.receive(team, from, true) {
                Ok(mut body) => {
                    for (_, range) in ranges.clone().enumerate().filter(|(i, _)| of(i)) {
                        let (own, rest) = body.split_at(range.len());
                        x[range].copy_from_slice(own);
                        body = rest;
                    }
                }
                Err(fault) => worst = first(worst, Err(fault)),
            }
        }
        worst
    }

    /// Says to all others how the own substructures fared, with what `tell` writes of them.
    pub(crate) fn tell(&self, outcome: Result<(), SideFault>, mail: &mut Mail, tell: impl FnOnce(&mut Vec<f64>)) {
        let Some(team) = &self.team else { return };
        mail.begin();
        match outcome {
            Ok(()) => tell(&mut mail.out),
            Err((i, fault)) => head(&mut mail.out, FAULT, (self.members[i], fault)),
        }
        team.others().for_each(|to| team.exchange.send(to, mail.channel, &mail.out));
    }

    /// Hears from each other rank that has a substructure; `hear` gets its number and what it wrote. Which fault one process would have met.
    pub(crate) fn hear(
        &self,
        outcome: Result<(), SideFault>,
        mail: &mut Mail,
        mut hear: impl FnMut(usize, &[f64]),
    ) -> Result<(), SideFault> {
        let Some(team) = &self.team else { return outcome };
        let mut worst = outcome;
        for at in 0..mail.others.len() {
            let from = mail.others[at];
            match mail.receive(team, from, false) {
                Ok(body) => hear(from, body),
                Err((whole, fault)) => {
                    let own = self.members.iter().position(|m| *m == whole).unwrap_or(0);
                    worst = first(worst, Err((own, fault)));
                }
            }
        }
        worst
    }
}

/// The fault that one process would have met first; that somebody has ended is the last of them.
fn first(a: Result<(), SideFault>, b: Result<(), SideFault>) -> Result<(), SideFault> {
    let order = |f: &SideFault| (matches!(f.1, Fault::Rank { .. }), f.0);
    match (a, b) {
        (Err(a), Err(b)) => Err(if order(&b) < order(&a) { b } else { a }),
        (Err(a), Ok(())) => Err(a),
        (Ok(()), b) => b,
    }
}

/// Room for messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    out: Vec<f64>,
    inward: Vec<f64>,
    channel: Channel,
    others: Vec<usize>,
}

impl Mail {
    pub(crate) fn new(ranks: &Ranks, channel: Channel, longest: usize) -> Self {
        let longest = if ranks.is_alone() { 0 } else { HEAD + longest };
        Mail { out: Vec::with_capacity(longest), inward: vec![0.0; longest], channel, others: ranks.others() }
    }

    /// Whether there is anybody to write to.
    pub(crate) fn is_needed(&self) -> bool {
        self.inward.capacity() > 0
    }

    /// How many other ranks have something.
    pub(crate) fn others(&self) -> usize {
        self.others.len()
    }

    fn begin(&mut self) {
        self.out.clear();
        self.out.extend([DATA; HEAD]);
    }

    /// The body of the next message. Why a rank has ended is asked for at the end of a step alone, when nobody can have met another fault.
    fn receive(&mut self, team: &Team, from: usize, at_end: bool) -> Result<&[f64], SideFault> {
        let gone = |told| (0, Fault::Rank { rank: from as u16, told });
        let Some(count) = team.receive(from, self.channel, &mut self.inward) else { return Err(gone(false)) };
        let message = &self.inward[..count];
        match message.get(..HEAD) {
            Some(head) if head[0] == DATA => Ok(&message[HEAD..]),
            Some(head) if head[0] == FAULT => Err(fault_of(head)),
            // It met a fault after its last message.
            Some(head) if head[2] > 0.0 && at_end => Err(fault_of(head)),
            _ => Err(gone(true)),
        }
    }
}

/// Writes what is not data.
fn head(message: &mut Vec<f64>, kind: f64, (substructure, fault): SideFault) {
    let [a, b, c] = match fault {
        Fault::NonFinite { place, index } => {
            let place = PLACES.iter().position(|p| *p == place).unwrap_or(0);
            [1.0, place as f64, index as f64]
        }
        Fault::Singular { dof } => [2.0, dof as f64, 0.0],
        Fault::SingularElement { element } => [3.0, element as f64, 0.0],
        Fault::NoConvergence { iterations, residual } => [4.0, f64::from(iterations), residual],
        Fault::Laboratory { specimen, code, instrument } => {
            let instrument = instrument.map_or(0, |i| u32::from(i) + 1);
            [5.0 + 16.0 * f64::from(specimen), f64::from(code), f64::from(instrument)]
        }
        Fault::Partner { index, code } => [6.0, index as f64, f64::from(code)],
        Fault::Rank { rank, told } => [7.0, f64::from(rank), f64::from(u8::from(told))],
    };
    message.clear();
    message.extend([kind, substructure as f64, a, b, c, 0.0]);
}

fn fault_of(head: &[f64]) -> SideFault {
    let (kind, a, b) = (head[2], head[3], head[4]);
    let fault = match kind as u32 % 16 {
        1 => Fault::NonFinite { place: PLACES[(a as usize).min(PLACES.len() - 1)], index: b as usize },
        2 => Fault::Singular { dof: a as usize },
        3 => Fault::SingularElement { element: a as usize },
        4 => Fault::NoConvergence { iterations: a as u32, residual: b },
        5 => Fault::Laboratory {
            specimen: (kind as u32 / 16) as u16,
            code: a as u32,
            instrument: (b as u32).checked_sub(1).map(|i| i as u16),
        },
        6 => Fault::Partner { index: a as usize, code: b as u32 },
        _ => Fault::Rank { rank: a as u16, told: b != 0.0 },
    };
    (head[1] as usize, fault)
}

const PLACES: [Place; 5] =
    [Place::ElementForce, Place::ElementRate, Place::Displacement, Place::Velocity, Place::State];
