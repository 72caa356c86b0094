//! Handles: numbers that look like pointers. One that is closed, or never was one, is found out and not followed, and a handle
//! that two threads use at once is used by one after the other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

use crate::session::{self, Session};

/// What a handle points to, for C: nothing.
pub struct Interfield(());

/// A session, until an error inside of it; and why the last call with it failed.
struct Open {
    session: Mutex<Option<Session>>,
    said: Mutex<CString>,
}

/// All that are open, and the last handle that was given: none is given twice.
#[derive(Default)]
struct Table {
    open: HashMap<usize, Arc<Open>>,
    last: usize,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

/// Between two handles, bytes: some callers expect pointers to be even.
const APART: usize = 16;

thread_local! {
    /// Why the last call of this thread without a handle failed.
    static SAID: RefCell<CString> = RefCell::new(CString::default());
    /// What `interfield_last_error` showed to this thread.
    static SHOWN: RefCell<CString> = RefCell::new(CString::default());
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn say(message: &str) {
    SAID.with_borrow_mut(|said| *said = session::text(message));
}

/// What is open under a handle; a sentence is said where nothing is.
fn find(handle: *mut Interfield) -> Option<Arc<Open>> {
    if handle.is_null() {
        say("the handle is a null pointer");
        return None;
    }
    let found = TABLE.read().unwrap_or_else(PoisonError::into_inner).open.get(&handle.addr()).cloned();
    if found.is_none() {
        say("the handle is closed, or is none");
    }
    found
}

/// Does something with a session; no panic gets out.
pub(crate) fn with<R>(handle: *mut Interfield, failed: R, work: impl FnOnce(&mut Session) -> Result<R, String>) -> R {
    let Some(own) = find(handle) else { return failed };
    let mut session = locked(&own.session);
    let done = match session.as_mut() {
        Some(session) => catch_unwind(AssertUnwindSafe(|| work(session))).map_err(|_| ()),
        None => Err(()),
    };
    let done = done.unwrap_or_else(|()| {
        // What is left of it is not used again.
        drop(catch_unwind(AssertUnwindSafe(|| *session = None)));
        Err("an error inside of Interfield; close the handle".to_owned())
    });
    done.unwrap_or_else(|message| {
        *locked(&own.said) = session::text(&message);
        failed
    })
}

/// Makes a session; no panic gets out.
pub(crate) fn open(make: impl FnOnce() -> Result<Session, String>) -> *mut Interfield {
    let made = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| Err("an error inside of Interfield".to_owned()));
    match made {
        Ok(session) => {
            let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
            table.last += APART;
            let handle = table.last;
            let own = Open { session: Mutex::new(Some(session)), said: Mutex::default() };
            table.open.insert(handle, Arc::new(own));
            std::ptr::without_provenance_mut(handle)
        }
        Err(message) => {
            say(&message);
            std::ptr::null_mut()
        }
    }
}

/// Ends a session, after what another thread does with it.
pub(crate) fn close(handle: *mut Interfield) {
    let own = TABLE.write().unwrap_or_else(PoisonError::into_inner).open.remove(&handle.addr());
    if let Some(own) = own {
        let session = locked(&own.session).take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(session))));
    }
}

/// Why the last call failed, for this thread alone.
pub(crate) fn said(handle: *mut Interfield) -> *const c_char {
    let own = if handle.is_null() { None } else { find(handle) };
    let text = own.map_or_else(|| SAID.with_borrow(CString::clone), |own| locked(&own.said).clone());
    SHOWN.with_borrow_mut(|shown| {
        *shown = text;
        shown.as_ptr()
    })
}
