//! What a unit says through its logger: the warnings and errors, the last of them kept.

use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Messages kept; older ones are counted only, so that a talkative unit cannot fill the memory.
const KEPT: usize = 100;
/// Longest text kept of a message.
const LONGEST: usize = 1000;

/// A message of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its category, as the unit names it.
    pub category: String,
    /// Its text.
    pub text: String,
}

#[derive(Debug, Default)]
struct Kept {
    messages: VecDeque<Message>,
    count: u64,
}

/// The messages of one instance. Copies share them, so that one can be read while the unit runs in another thread.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Kept>>);

impl Log {
    /// The last messages, oldest first.
    pub fn messages(&self) -> Vec<Message> {
        self.lock().messages.iter().cloned().collect()
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.lock().count
    }

    /// The last text, if there is any.
    pub fn last(&self) -> Option<String> {
        self.lock().messages.back().map(|m| m.text.clone())
    }

    /// Notes a message.
    pub(crate) fn note(&self, category: &str, text: &str) {
        let text: String = text.trim_end().chars().take(LONGEST).collect();
        let mut kept = self.lock();
        kept.count += 1;
        if kept.messages.len() == KEPT {
            kept.messages.pop_front();
        }
        kept.messages.push_back(Message { category: category.to_owned(), text });
    }

    /// Notes what a unit said in C.
    ///
    /// # Safety
    /// The pointers are null or point to text that ends with a zero.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn note_c(&self, category: *const c_char, text: *const c_char) {
        // SAFETY: a pointer that is not null points to text that ends with a zero, as the caller promises.
        let read = |p: *const c_char| match p.is_null() {
            true => String::new(),
            false => unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned(),
        };
        self.note(&read(category), &read(text));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The logger that a unit is given, with its [`Log`] as environment. A status of 0 is no warning.
///
/// # Safety
/// `environment` is null or a living [`Log`]; the texts are null or end with a zero.
#[allow(unsafe_code)]
pub(crate) unsafe extern "C" fn log_message(
    environment: *mut c_void,
    status: c_int,
    category: *const c_char,
    text: *const c_char,
) {
    if status != 0 && !environment.is_null() {
        // SAFETY: what the caller promises.
        unsafe { (*environment.cast::<Log>()).note_c(category, text) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_messages_are_kept_and_all_are_counted() {
        let log = Log::default();
        for k in 0..KEPT + 5 {
            log.note("c", &format!("{k}\n"));
        }
        let messages = log.messages();
        assert_eq!((messages.len(), log.count()), (KEPT, 105));
        assert_eq!((messages[0].text.as_str(), log.last().as_deref()), ("5", Some("104")));
        log.note("c", &"x".repeat(5000));
        assert_eq!(log.last().map(|t| t.len()), Some(LONGEST));
    }
}
