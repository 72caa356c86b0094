//! What every client does around an exchange: its connection until it is over, its time, what it counts.

use std::time::{Duration, Instant};

use interfield_lab::partner::Trouble;

use crate::channel::{Channel, receive};

/// A connection and how it was used.
pub(crate) struct Connection {
    /// Until it is over.
    channel: Option<Box<dyn Channel>>,
    timeout: Duration,
    exchanges: u64,
    spent: Duration,
    longest: Duration,
}

impl Connection {
    pub(crate) fn new(channel: Box<dyn Channel>, timeout: Duration) -> Self {
        Connection { channel: Some(channel), timeout, exchanges: 0, spent: Duration::ZERO, longest: Duration::ZERO }
    }

    /// Until when something that begins now may last.
    pub(crate) fn until(&self) -> Instant {
        Instant::now() + self.timeout
    }

    pub(crate) fn send(&mut self, message: &[u8], until: Instant) -> Result<(), Trouble> {
        self.channel.as_mut().ok_or(Trouble::Gone)?.send(message, until)
    }

    pub(crate) fn receive(&mut self, message: &mut [u8], until: Instant) -> Result<(), Trouble> {
        receive(&mut **self.channel.as_mut().ok_or(Trouble::Gone)?, message, until)
    }

    /// An exchange that began then is over.
    pub(crate) fn note(&mut self, began: Instant) {
        let took = began.elapsed();
        self.exchanges += 1;
        self.spent += took;
        self.longest = self.longest.max(took);
    }

    /// The connection, to be closed with or without a word.
    pub(crate) fn close(&mut self) -> Option<Box<dyn Channel>> {
        self.channel.take()
    }

    pub(crate) fn account(&self) -> Vec<(&'static str, f64)> {
        let mean = self.spent.as_secs_f64() / self.exchanges.max(1) as f64;
        vec![
            ("exchanges", self.exchanges as f64),
            ("mean time of an exchange [s]", mean),
            ("longest exchange [s]", self.longest.as_secs_f64()),
        ]
    }
}

/// Whether a substructure of `n` degrees of freedom can be asked to go there.
pub(crate) fn check(u: &[f64], n: usize) -> Result<(), Trouble> {
    if u.len() == n && u.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Trouble::Refused) }
}

/// Takes displacements, then forces, if all of them are numbers.
pub(crate) fn take(
    mut readings: impl Iterator<Item = f64> + Clone,
    reached: &mut [f64],
    force: &mut [f64],
) -> Result<(), Trouble> {
    let n = reached.len() + force.len();
    if readings.clone().take(n).filter(|x| x.is_finite()).count() < n {
        return Err(Trouble::Garbled);
    }
    reached.iter_mut().chain(force).for_each(|place| *place = readings.next().unwrap_or(f64::NAN));
    Ok(())
}
