//! The complete state of anything that steps, as numbers, saved and restored by *one* list of its fields.
//!
//! Whoever remembers something from one step to the next names it in a `persist` function. The same lines save and restore,
//! so that no field can be forgotten on one side only. Whole numbers travel as halves of 32 bits, each an exact double, and
//! no number is calculated with on the way: what comes back are the same bits.

use core::fmt;

/// Why a state cannot be saved, or what was saved cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateError {
    /// This goes on by itself: real hardware, another program, a clock.
    Live(&'static str),
    /// What was saved belongs to something else.
    Mismatch,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Live(what) => write!(f, "{what} cannot be paused, so its state cannot be saved or restored"),
            StateError::Mismatch => f.write_str("the saved state belongs to another system"),
        }
    }
}

impl core::error::Error for StateError {}

/// Takes the numbers of a state one after the other, to save or to restore them.
pub trait Archive {
    /// Saves `x`, or restores it.
    fn number(&mut self, x: &mut f64);

    /// The first error stands; nothing is saved or restored behind it.
    fn fail(&mut self, error: StateError);
}

impl dyn Archive + '_ {
    /// Numbers, one after the other.
    pub fn numbers<'a>(&mut self, all: impl IntoIterator<Item = &'a mut f64>) {
        all.into_iter().for_each(|x| self.number(x));
    }

    /// A whole number of up to 64 bits.
    pub fn whole<T: Copy + TryInto<u64> + TryFrom<u64>>(&mut self, n: &mut T) {
        let value: u64 = (*n).try_into().unwrap_or_default();
        let mut halves = [f64::from((value >> 32) as u32), f64::from(value as u32)];
        self.numbers(&mut halves);
        // A conversion back and forth tells what is no number of 32 bits.
        let [high, low] = halves.map(|half| (half as u32, f64::from(half as u32) == half));
        match T::try_from(u64::from(high.0) << 32 | u64::from(low.0)) {
            Ok(restored) if high.1 && low.1 => *n = restored,
            _ => self.fail(StateError::Mismatch),
        }
    }

    /// Yes or no.
    pub fn flag(&mut self, flag: &mut bool) {
        self.choice(flag, &[false, true]);
    }

    /// One of several values.
    pub fn choice<T: Copy + PartialEq>(&mut self, value: &mut T, all: &[T]) {
        let mut place = all.iter().position(|x| x == value).unwrap_or(all.len());
        self.whole(&mut place);
        match all.get(place) {
            Some(restored) => *value = *restored,
            None => self.fail(StateError::Mismatch),
        }
    }

    /// A value that may be missing; `blank` is what is filled when one is restored.
    pub fn option<T>(&mut self, value: &mut Option<T>, blank: T, persist: impl FnOnce(&mut Self, &mut T)) {
        let mut present = value.is_some();
        self.flag(&mut present);
        let mut inner = value.take().unwrap_or(blank);
        if present {
            persist(self, &mut inner);
            *value = Some(inner);
        }
    }

    /// Something that is not restored but must be the same: a length, or whether a part is there.
    pub fn same(&mut self, fixed: usize) {
        let mut there = fixed;
        self.whole(&mut there);
        if there != fixed {
            self.fail(StateError::Mismatch);
        }
    }
}

/// What has a complete state.
pub trait Persist {
    /// Names all that it remembers, in a fixed order.
    fn persist(&mut self, archive: &mut dyn Archive);

    /// Gives the complete state out, number by number.
    ///
    /// # Errors
    /// When a part of it goes on by itself.
    fn save(&mut self, to: &mut dyn FnMut(f64)) -> Result<(), StateError> {
        let mut saver = Saver { to, result: Ok(()) };
        self.persist(&mut saver);
        saver.result
    }

    /// Takes the complete state of another one of its kind. After an error it is of no use any more.
    ///
    /// # Errors
    /// When it is not the state of one of its kind, or a part goes on by itself.
    fn restore(&mut self, from: &[f64]) -> Result<(), StateError> {
        let mut loader = Loader { from, result: Ok(()) };
        self.persist(&mut loader);
        loader.result.and(if loader.from.is_empty() { Ok(()) } else { Err(StateError::Mismatch) })
    }
}

struct Saver<'a> {
    to: &'a mut dyn FnMut(f64),
    result: Result<(), StateError>,
}

impl Archive for Saver<'_> {
    fn number(&mut self, x: &mut f64) {
        if self.result.is_ok() {
            (self.to)(*x);
        }
    }

    fn fail(&mut self, error: StateError) {
        self.result = self.result.and(Err(error));
    }
}

struct Loader<'a> {
    from: &'a [f64],
    result: Result<(), StateError>,
}

impl Archive for Loader<'_> {
    fn number(&mut self, x: &mut f64) {
        match self.from.split_first() {
            Some((first, rest)) if self.result.is_ok() => (*x, self.from) = (*first, rest),
            _ => self.fail(StateError::Mismatch),
        }
    }

    fn fail(&mut self, error: StateError) {
        self.result = self.result.and(Err(error));
    }
}
