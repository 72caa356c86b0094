//! The C interface of FMI 3.0 for co-simulation, as far as it is used: declarations of our own after section 4 of the
//! standard. Neither event mode nor early return are asked for, so a unit handles its events inside a step.
//!
//! **Must not be here:** what a status means for a run; that is `instance`.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use crate::Error;
use crate::description::{Description, Kind};
use crate::fmi2::c_text;
use crate::instance::{Progress, Slave, Status};
use crate::log::{Log, log_message};

type Handle = *mut c_void;
type Set<T> = unsafe extern "C" fn(Handle, *const u32, usize, *const T, usize) -> c_int;
type Get<T> = unsafe extern "C" fn(Handle, *const u32, usize, *mut T, usize) -> c_int;
type Call = unsafe extern "C" fn(Handle) -> c_int;
type LogMessage = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

/// The functions of the library that are used.
struct Functions {
    enter: unsafe extern "C" fn(Handle, bool, f64, f64, bool, f64) -> c_int,
    exit: Call,
    terminate: Call,
    free: unsafe extern "C" fn(Handle),
    set_string: Set<*const c_char>,
    step: unsafe extern "C" fn(Handle, f64, f64, bool, *mut bool, *mut bool, *mut bool, *mut f64) -> c_int,
    numbers: Numbers,
}

/// One pair of functions per type of number.
macro_rules! numbers {
    ($($field:ident: $type:ty, $kind:pat, $set:literal, $get:literal;)*) => {
        struct Numbers {
            $($field: (Set<$type>, Get<$type>),)*
        }

        #[allow(unsafe_code)]
        impl Numbers {
            fn find(library: &Library, path: &Path) -> Result<Self, Error> {
                Ok(Numbers { $($field: (symbol(library, path, $set)?, symbol(library, path, $get)?),)* })
            }

            /// Sets; whole numbers have been checked for their range.
            ///
            /// # Safety
            /// The handle is that of a living instance.
            unsafe fn set(&self, h: Handle, kind: Kind, reference: u32, value: f64) -> c_int {
                match kind {
                    $($kind => {
                        let value = <$type as Number>::from_f64(value);
                        // SAFETY: one reference and one value are behind the pointers.
                        unsafe { (self.$field.0)(h, &raw const reference, 1, &raw const value, 1) }
                    })*
                    Kind::String | Kind::Binary | Kind::Clock => 3,
                }
            }

            /// Gets.
            ///
            /// # Safety
            /// The handle is that of a living instance.
            unsafe fn get(&self, h: Handle, kind: Kind, reference: u32) -> (c_int, f64) {
                match kind {
                    $($kind => {
                        let mut value = <$type as Number>::from_f64(0.0);
                        // SAFETY: one reference and one value are behind the pointers.
                        let status = unsafe { (self.$field.1)(h, &raw const reference, 1, &raw mut value, 1) };
                        (status, value.to_f64())
                    })*
                    Kind::String | Kind::Binary | Kind::Clock => (3, 0.0),
                }
            }
        }
    };
}

numbers! {
    float64: f64, Kind::Float64, "fmi3SetFloat64", "fmi3GetFloat64";
    float32: f32, Kind::Float32, "fmi3SetFloat32", "fmi3GetFloat32";
    int8: i8, Kind::Int8, "fmi3SetInt8", "fmi3GetInt8";
    uint8: u8, Kind::UInt8, "fmi3SetUInt8", "fmi3GetUInt8";
    int16: i16, Kind::Int16, "fmi3SetInt16", "fmi3GetInt16";
    uint16: u16, Kind::UInt16, "fmi3SetUInt16", "fmi3GetUInt16";
    int32: i32, Kind::Int32, "fmi3SetInt32", "fmi3GetInt32";
    uint32: u32, Kind::UInt32, "fmi3SetUInt32", "fmi3GetUInt32";
    int64: i64, Kind::Int64 | Kind::Enumeration, "fmi3SetInt64", "fmi3GetInt64";
    uint64: u64, Kind::UInt64, "fmi3SetUInt64", "fmi3GetUInt64";
    boolean: bool, Kind::Boolean, "fmi3SetBoolean", "fmi3GetBoolean";
}

/// A number of the interface.
trait Number {
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! number {
    ($($type:ty)*) => { $(impl Number for $type {
        fn from_f64(value: f64) -> Self {
            value as $type
        }
        fn to_f64(self) -> f64 {
            self as f64
        }
    })* };
}

number! { f64 f32 i8 u8 i16 u16 i32 u32 i64 u64 }

impl Number for bool {
    fn from_f64(value: f64) -> Self {
        value != 0.0
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// A function of the library. `T` must be the type that the standard gives the function of this name.
#[allow(unsafe_code)]
fn symbol<T: Copy>(library: &Library, path: &Path, name: &str) -> Result<T, Error> {
    // SAFETY: every caller states the type of the standard, see `Functions` and `numbers!`.
    let symbol = unsafe { library.get::<T>(name) };
    symbol.map(|s| *s).map_err(|_| crate::unit::no_function(path, name))
}

/// An instance.
pub(crate) struct Component {
    /// Null once it must not be called any more.
    handle: Handle,
    functions: Functions,
    /// The library keeps a pointer to it; boxed, so that it stays where it is.
    _log: Box<Log>,
    /// Last, so that it is unloaded after everything else.
    _library: Library,
}

// SAFETY: the standard lets the functions of an instance be called from any thread, one at a time; `&mut` sees to the latter.
#[allow(unsafe_code)]
unsafe impl Send for Component {}

impl Component {
    /// Loads the library and makes an instance.
    #[allow(unsafe_code)]
    pub(crate) fn new(description: &Description, path: &Path, folder: &Path, log: Log) -> Result<Self, Error> {
        let library = crate::unit::load(path)?;
        let functions = Functions {
            enter: symbol(&library, path, "fmi3EnterInitializationMode")?,
            exit: symbol(&library, path, "fmi3ExitInitializationMode")?,
            terminate: symbol(&library, path, "fmi3Terminate")?,
            free: symbol(&library, path, "fmi3FreeInstance")?,
            set_string: symbol(&library, path, "fmi3SetString")?,
            step: symbol(&library, path, "fmi3DoStep")?,
            numbers: Numbers::find(&library, path)?,
        };
        type Instantiate = unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            *const c_char,
            bool,
            bool,
            bool,
            bool,
            *const u32,
            usize,
            *mut c_void,
            LogMessage,
            *const c_void,
        ) -> Handle;
        let instantiate: Instantiate = symbol(&library, path, "fmi3InstantiateCoSimulation")?;

        let log = Box::new(log);
        let (name, token) = (c_text(&description.model), c_text(&description.token));
        // A path that ends with a separator.
        let resources = c_text(&folder.join("resources").join("").to_string_lossy());
        let (visible, logging, event_mode, early_return) = (false, true, false, false);
        // SAFETY: the pointers are valid for the call, that to the log for as long as the component; there are no intermediate
        // variables, hence no callback for them.
        let handle = unsafe {
            instantiate(
                name.as_ptr(),
                token.as_ptr(),
                resources.as_ptr(),
                visible,
                logging,
                event_mode,
                early_return,
                std::ptr::null(),
                0,
                std::ptr::from_ref(&*log).cast_mut().cast(),
                log_message,
                std::ptr::null(),
            )
        };
        if handle.is_null() {
            return Err(crate::unit::not_made(&description.model, &log));
        }
        Ok(Component { handle, functions, _log: log, _library: library })
    }

    /// Calls, unless the instance is gone.
    fn call(&mut self, f: impl FnOnce(Handle, &Functions) -> c_int) -> Status {
        if self.handle.is_null() { Status::Fatal } else { Status::of(f(self.handle, &self.functions)) }
    }
}

#[allow(unsafe_code)]
impl Slave for Component {
    fn enter_initialisation(&mut self, start: f64) -> Status {
        // SAFETY: the handle is that of a living instance, here and below.
        self.call(|h, f| unsafe { (f.enter)(h, false, 0.0, start, false, 0.0) })
    }

    fn exit_initialisation(&mut self) -> Status {
        // SAFETY: as above.
        self.call(|h, f| unsafe { (f.exit)(h) })
    }

    fn set(&mut self, kind: Kind, reference: u32, value: f64) -> Status {
        // SAFETY: as above.
        self.call(|h, f| unsafe { f.numbers.set(h, kind, reference, value) })
    }

    fn set_text(&mut self, reference: u32, text: &CString) -> Status {
        let text = text.as_ptr();
        // SAFETY: as above; one reference and one text are behind the pointers.
        self.call(|h, f| unsafe { (f.set_string)(h, &raw const reference, 1, &raw const text, 1) })
    }

    fn get(&mut self, kind: Kind, reference: u32) -> (Status, f64) {
        let mut value = 0.0;
        let status = self.call(|h, f| {
            // SAFETY: as above.
            let (status, got) = unsafe { f.numbers.get(h, kind, reference) };
            value = got;
            status
        });
        (status, value)
    }

    fn step(&mut self, from: f64, size: f64) -> (Status, Progress) {
        let (mut event, mut ended, mut early, mut last) = (false, false, false, from);
        // SAFETY: as above; the four answers are behind the pointers. We never go back: no state is set before this point in
        // time (third argument true).
        let status = self.call(|h, f| unsafe {
            (f.step)(h, from, size, true, &raw mut event, &raw mut ended, &raw mut early, &raw mut last)
        });
        let progress = match (ended, early || status == Status::Discard) {
            (true, _) => Progress::Ended,
            (_, true) => Progress::Until(last),
            _ => Progress::Whole,
        };
        (status, progress)
    }

    fn terminate(&mut self) -> Status {
        // SAFETY: as above.
        self.call(|h, f| unsafe { (f.terminate)(h) })
    }

    fn abandon(&mut self) {
        self.handle = std::ptr::null_mut();
    }
}

#[allow(unsafe_code)]
impl Drop for Component {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the instance is alive, and this is the last call.
            unsafe { (self.functions.free)(self.handle) };
        }
    }
}
