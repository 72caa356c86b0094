//! The C interface of FMI 2.0 for co-simulation, as far as it is used: declarations of our own after section 4 of the
//! standard.
//!
//! **Must not be here:** what a status means for a run; that is `instance`.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;

use libloading::Library;

use crate::Error;
use crate::description::{Description, Kind};
use crate::instance::{Progress, Slave, Status};
use crate::log::{Log, log_message};

type Handle = *mut c_void;
type Set<T> = unsafe extern "C" fn(Handle, *const c_uint, usize, *const T) -> c_int;
type Get<T> = unsafe extern "C" fn(Handle, *const c_uint, usize, *mut T) -> c_int;
type Call = unsafe extern "C" fn(Handle) -> c_int;

/// `fmi2StatusKind`.
const LAST_SUCCESSFUL_TIME: c_int = 2;
const TERMINATED: c_int = 3;

/// `fmi2CallbackFunctions`.
#[repr(C)]
struct Callbacks {
    logger: unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char),
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    environment: *mut c_void,
}

#[allow(unsafe_code)]
unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// The logger. The standard's has more arguments after the text, as `printf` does; ours ignores them (a function with a
/// variable number of arguments cannot be written in stable Rust), so placeholders in the text stay as they are.
#[allow(unsafe_code)]
unsafe extern "C" fn logger(
    environment: *mut c_void,
    _instance: *const c_char,
    status: c_int,
    category: *const c_char,
    text: *const c_char,
) {
    // SAFETY: `environment` is the `Log` boxed in the component, which outlives the instance; the texts are C strings by the
    // standard. Callers pass the arguments that are named here in the same places whether or not more follow.
    unsafe { log_message(environment, status, category, text) };
}

/// The functions of the library that are used.
struct Functions {
    setup: unsafe extern "C" fn(Handle, c_int, f64, f64, c_int, f64) -> c_int,
    enter: Call,
    exit: Call,
    terminate: Call,
    free: unsafe extern "C" fn(Handle),
    set_real: Set<f64>,
    set_integer: Set<c_int>,
    set_boolean: Set<c_int>,
    set_string: Set<*const c_char>,
    get_real: Get<f64>,
    get_integer: Get<c_int>,
    get_boolean: Get<c_int>,
    step: unsafe extern "C" fn(Handle, f64, f64, c_int) -> c_int,
    real_status: unsafe extern "C" fn(Handle, c_int, *mut f64) -> c_int,
    boolean_status: unsafe extern "C" fn(Handle, c_int, *mut c_int) -> c_int,
}

/// An instance.
pub(crate) struct Component {
    /// Null once it must not be called any more.
    handle: Handle,
    functions: Functions,
    /// The library keeps pointers to these; boxed, so that they stay where they are.
    _callbacks: Box<Callbacks>,
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
        macro_rules! symbol {
            ($name:literal) => {{
                // SAFETY: the standard gives the function of this name the type it has in `Functions`.
                let symbol = unsafe { library.get(concat!($name, "\0")) };
                *symbol.map_err(|_| crate::unit::no_function(path, $name))?
            }};
        }
        let functions = Functions {
            setup: symbol!("fmi2SetupExperiment"),
            enter: symbol!("fmi2EnterInitializationMode"),
            exit: symbol!("fmi2ExitInitializationMode"),
            terminate: symbol!("fmi2Terminate"),
            free: symbol!("fmi2FreeInstance"),
            set_real: symbol!("fmi2SetReal"),
            set_integer: symbol!("fmi2SetInteger"),
            set_boolean: symbol!("fmi2SetBoolean"),
            set_string: symbol!("fmi2SetString"),
            get_real: symbol!("fmi2GetReal"),
            get_integer: symbol!("fmi2GetInteger"),
            get_boolean: symbol!("fmi2GetBoolean"),
            step: symbol!("fmi2DoStep"),
            real_status: symbol!("fmi2GetRealStatus"),
            boolean_status: symbol!("fmi2GetBooleanStatus"),
        };
        type Instantiate = unsafe extern "C" fn(
            *const c_char,
            c_int,
            *const c_char,
            *const c_char,
            *const Callbacks,
            c_int,
            c_int,
        ) -> Handle;
        let instantiate: Instantiate = symbol!("fmi2Instantiate");

        let log = Box::new(log);
        let environment = std::ptr::from_ref(&*log).cast_mut().cast();
        let callbacks = Box::new(Callbacks { logger, allocate: calloc, free, step_finished: None, environment });
        let (name, token) = (c_text(&description.model), c_text(&description.token));
        let resources = c_text(&uri(&folder.join("resources")));
        const CO_SIMULATION: c_int = 1;
        // SAFETY: the pointers are valid for the call, the callbacks for as long as the component.
        let handle = unsafe {
            instantiate(name.as_ptr(), CO_SIMULATION, token.as_ptr(), resources.as_ptr(), &raw const *callbacks, 0, 1)
        };
        if handle.is_null() {
            return Err(crate::unit::not_made(&description.model, &log));
        }
        Ok(Component { handle, functions, _callbacks: callbacks, _log: log, _library: library })
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
        let status = self.call(|h, f| unsafe { (f.setup)(h, 0, 0.0, start, 0, 0.0) });
        if status == Status::Fine { self.call(|h, f| unsafe { (f.enter)(h) }) } else { status }
    }

    fn exit_initialisation(&mut self) -> Status {
        // SAFETY: as above.
        self.call(|h, f| unsafe { (f.exit)(h) })
    }

    fn set(&mut self, kind: Kind, reference: u32, value: f64) -> Status {
        // The caller has checked that whole numbers are whole and in range.
        let whole = value as c_int;
        // SAFETY: as above; one reference and one value are behind the pointers.
        self.call(|h, f| unsafe {
            match kind {
                Kind::Float64 | Kind::Float32 => (f.set_real)(h, &raw const reference, 1, &raw const value),
                Kind::Boolean => (f.set_boolean)(h, &raw const reference, 1, &raw const whole),
                _ => (f.set_integer)(h, &raw const reference, 1, &raw const whole),
            }
        })
    }

    fn set_text(&mut self, reference: u32, text: &CString) -> Status {
        let text = text.as_ptr();
        // SAFETY: as above.
        self.call(|h, f| unsafe { (f.set_string)(h, &raw const reference, 1, &raw const text) })
    }

    fn get(&mut self, kind: Kind, reference: u32) -> (Status, f64) {
        let (mut value, mut whole) = (0.0, 0);
        // SAFETY: as above.
        let status = self.call(|h, f| unsafe {
            match kind {
                Kind::Float64 | Kind::Float32 => (f.get_real)(h, &raw const reference, 1, &raw mut value),
                Kind::Boolean => (f.get_boolean)(h, &raw const reference, 1, &raw mut whole),
                _ => (f.get_integer)(h, &raw const reference, 1, &raw mut whole),
            }
        });
        (status, if kind.is_float() { value } else { f64::from(whole) })
    }

    fn step(&mut self, from: f64, size: f64) -> (Status, Progress) {
        // SAFETY: as above. We never go back: no state is set before this point in time (third argument true).
        let status = self.call(|h, f| unsafe { (f.step)(h, from, size, 1) });
        if status != Status::Discard {
            return (status, Progress::Whole);
        }
        let (mut ended, mut last) = (0, from);
        // SAFETY: as above; the standard allows these questions after a discarded step.
        let asked = self.call(|h, f| unsafe { (f.boolean_status)(h, TERMINATED, &raw mut ended) });
        if asked == Status::Fine && ended != 0 {
            return (status, Progress::Ended);
        }
        // SAFETY: as above.
        let asked = self.call(|h, f| unsafe { (f.real_status)(h, LAST_SUCCESSFUL_TIME, &raw mut last) });
        (status, if asked == Status::Fine { Progress::Until(last) } else { Progress::Until(from) })
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

/// As a C string; a zero inside ends it.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or("")).unwrap_or_default()
}

/// A folder as the address that FMI 2.0 wants.
fn uri(folder: &Path) -> String {
    let path = folder.to_string_lossy().replace('\\', "/");
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"/-_.~:".contains(&b);
    let encoded = path.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    format!("file://{}{}", if path.starts_with('/') { "" } else { "/" }, encoded.collect::<String>())
}

const _: () = assert!(size_of::<Callbacks>() == 5 * size_of::<*const c_void>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_folders() {
        assert_eq!(uri(Path::new("/tmp/a b/ü/resources")), "file:///tmp/a%20b/%C3%BC/resources");
        assert_eq!(c_text("a\0b").as_bytes(), b"a");
    }
}
