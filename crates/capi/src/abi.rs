//! The functions: declared once for the compiler and for the header.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::PathBuf;

use interfield::ModelFile;

use crate::handles::{Interfield, close, open, said, with};
use crate::header::{Declaration, InC};
use crate::session::{self, Session};

const OK: i32 = 0;
const OVER: i32 = 1;
const FAILED: i32 = -1;

/// A text of the caller; the error is a sentence.
fn read<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{what} is missing (a null pointer)"));
    }
    // SAFETY: the header asks for a text that ends with a zero and lives during the call.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

macro_rules! abi {
    ($($(#[doc = $doc:literal])+ fn $name:ident($($argument:ident: $kind:ty),*) -> $returns:ty $body:block)+) => {
        $(
            $(#[doc = $doc])+
            ///
            /// # Safety
            /// As the header says: pointers are null or valid, handles are open.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $kind),*) -> $returns $body
        )+

        /// All functions, for the header.
        pub const DECLARATIONS: &[Declaration] = &[$(Declaration {
            name: stringify!($name),
            docs: &[$($doc),+],
            arguments: &[$((stringify!($argument), <$kind as InC>::NAME)),*],
            returns: <$returns as InC>::NAME,
        }),+];
    };
}

abi! {
    /// Version of the library. The ABI is INTERFIELD_ABI; functions are added to it and never changed.
    fn interfield_version() -> *const c_char {
        const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
        VERSION.as_ptr()
    }

    /// Opens a model file. `choices` may be null, or a JSON object that replaces what the file says:
    /// {"dt": "1 ms", "until": "2 s", "scheme": "lsrt2", "coupling": "pmc", "substeps": 4, "set": [["k", "4 kN/mm"]]}.
    /// Null if it failed; interfield_last_error(NULL) says why.
    fn interfield_open(path: *const c_char, choices: *const c_char) -> *mut Interfield {
        open(|| {
            let path = read(path, "the path")?;
            let choices = if choices.is_null() { "" } else { read(choices, "the text of the choices")? };
            Session::open(&session::at(path)?, choices)
        })
    }

    /// The same from the text of a model, which sees other files from `folder`.
    fn interfield_open_text(text: *const c_char, folder: *const c_char, choices: *const c_char) -> *mut Interfield {
        open(|| {
            let text = read(text, "the text of the model")?.to_owned();
            let folder = if folder.is_null() { "." } else { read(folder, "the folder")? };
            let choices = if choices.is_null() { "" } else { read(choices, "the text of the choices")? };
            Session::open(&ModelFile::embedded("model", text, PathBuf::from(folder)), choices)
        })
    }

    /// Ends the run and frees the handle; null is ignored.
    fn interfield_close(handle: *mut Interfield) -> () {
        close(handle);
    }

    /// Takes `count` steps. INTERFIELD_OVER once the analysis is at its end. After a failure the state is the one before the step.
    fn interfield_step(handle: *mut Interfield, count: u64) -> i32 {
        with(handle, FAILED, |s| s.step(count).map(|goes_on| if goes_on { OK } else { OVER }))
    }

    /// Time of the model, s; NaN if it failed.
    fn interfield_time(handle: *mut Interfield) -> f64 {
        with(handle, f64::NAN, |s| Ok(s.stepping.t()))
    }

    /// Length of a step, s; NaN if it failed.
    fn interfield_dt(handle: *mut Interfield) -> f64 {
        with(handle, f64::NAN, |s| Ok(s.stepping.run().simulation().dt()))
    }

    /// Steps to the end of the analysis; 0 if it failed.
    fn interfield_steps(handle: *mut Interfield) -> u64 {
        with(handle, 0, |s| Ok(s.stepping.run().simulation().steps()))
    }

    /// Number of recorded channels.
    fn interfield_channels(handle: *mut Interfield) -> i32 {
        with(handle, FAILED, |s| i32::try_from(s.channels()).map_err(|e| e.to_string()))
    }

    /// Name of a channel, from 0; null if there is none.
    fn interfield_channel_name(handle: *mut Interfield, index: i32) -> *const c_char {
        with(handle, std::ptr::null(), |s| {
            s.channel(index).map(|c| c[0].as_ptr()).ok_or_else(|| format!("there is no channel number {index}"))
        })
    }

    /// Unit of a channel, from 0; null if there is none.
    fn interfield_channel_unit(handle: *mut Interfield, index: i32) -> *const c_char {
        with(handle, std::ptr::null(), |s| {
            s.channel(index).map(|c| c[1].as_ptr()).ok_or_else(|| format!("there is no channel number {index}"))
        })
    }

    /// Value of a channel after the last step, in its unit.
    fn interfield_get(handle: *mut Interfield, name: *const c_char, value: *mut f64) -> i32 {
        with(handle, FAILED, |s| {
            let found = s.get(read(name, "the name")?)?;
            if value.is_null() {
                return Err("the place of the value is a null pointer".to_owned());
            }
            // SAFETY: the caller has place for a double there.
            unsafe { value.write_unaligned(found) };
            Ok(OK)
        })
    }

    /// All channels after the last step, in their order; `capacity` is the number of places.
    fn interfield_get_all(handle: *mut Interfield, values: *mut f64, capacity: u64) -> i32 {
        with(handle, FAILED, |s| {
            let row = s.stepping.row();
            if values.is_null() || capacity < row.len() as u64 {
                return Err(format!("{} places are needed", row.len()));
            }
            // SAFETY: the caller has `capacity` places, which are enough.
            unsafe { std::ptr::copy_nonoverlapping(row.as_ptr().cast::<u8>(), values.cast(), size_of_val(row)) };
            Ok(OK)
        })
    }

    /// Sets a number before the next step: NAME or NAME.2 is the (second) resisting force of an external with program = "callable",
    /// held until it is set again; the name of a displacement or velocity channel sets that unknown, in its unit.
    fn interfield_set(handle: *mut Interfield, name: *const c_char, value: f64) -> i32 {
        with(handle, FAILED, |s| s.set(read(name, "the name")?, value).map(|()| OK))
    }

    /// Writes the complete state into `buffer` and returns its size in bytes; with a null pointer or too little `capacity` it
    /// only returns the size. -1 if the model cannot be saved.
    fn interfield_save(handle: *mut Interfield, buffer: *mut u8, capacity: u64) -> i64 {
        with(handle, -1, |s| {
            let bytes = s.stepping.save_bytes().map_err(|refused| refused.to_string())?;
            if !buffer.is_null() && capacity >= bytes.len() as u64 {
                // SAFETY: the caller has `capacity` bytes, which are enough.
                unsafe { std::slice::from_raw_parts_mut(buffer, bytes.len()) }.copy_from_slice(&bytes);
            }
            i64::try_from(bytes.len()).map_err(|e| e.to_string())
        })
    }

    /// Goes on from a state of the same model and choices, of this or another process.
    fn interfield_restore(handle: *mut Interfield, buffer: *const u8, size: u64) -> i32 {
        with(handle, FAILED, |s| {
            if buffer.is_null() {
                return Err("the buffer is a null pointer".to_owned());
            }
            let size = isize::try_from(size).map_err(|_| format!("no state has {size} bytes"))?;
            // SAFETY: the caller has `size` bytes there, no more than a slice may have.
            let bytes = unsafe { std::slice::from_raw_parts(buffer, size.unsigned_abs()) };
            s.stepping.restore_bytes(bytes).map(|()| OK).map_err(|refused| refused.to_string())
        })
    }

    /// Ends the run (specimens return to their start) and says what is thought of it, in one line; null if it failed.
    fn interfield_verdict(handle: *mut Interfield) -> *const c_char {
        with(handle, std::ptr::null(), |s| {
            let outcome = s.stepping.finish();
            s.told = session::text(&outcome.verdict.line());
            Ok(s.told.as_ptr())
        })
    }

    /// Why the last call with this handle failed; with null, why interfield_open failed in this thread. Never null. The text lives
    /// until this thread asks again.
    fn interfield_last_error(handle: *mut Interfield) -> *const c_char {
        said(handle)
    }
}
