//! The header as text, from the declarations.

use std::ffi::c_char;

use crate::abi::DECLARATIONS;
use crate::handles::Interfield;

/// A function.
pub struct Declaration {
    /// Name.
    pub name: &'static str,
    /// Its description, line by line.
    pub docs: &'static [&'static str],
    /// Names and types of its arguments.
    pub arguments: &'static [(&'static str, &'static str)],
    /// What it returns.
    pub returns: &'static str,
}

/// A type of C, with the value that says that something failed.
pub trait InC {
    /// Its name in C.
    const NAME: &'static str;
}

macro_rules! in_c {
    ($($own:ty => $name:literal),* $(,)?) => { $(impl InC for $own { const NAME: &'static str = $name; })* };
}

in_c! {
    () => "void",
    i32 => "int32_t",
    i64 => "int64_t",
    u64 => "uint64_t",
    f64 => "double",
    *const c_char => "const char *",
    *mut f64 => "double *",
    *mut u8 => "uint8_t *",
    *const u8 => "const uint8_t *",
    *mut Interfield => "interfield_handle *",
}

const HEAD: &str = "/* Interfield for C and whatever calls C. Printed from crates/capi/src/abi.rs by its tests; do not edit.
 *
 * A handle is a run of a model, one step at a time. It may be used from any thread; calls of several threads at once are
 * done one after the other. A handle that is closed is refused. Functions that return int32_t return INTERFIELD_OK,
 * INTERFIELD_OVER at the end of the analysis, or INTERFIELD_FAILED: the sentence is in interfield_last_error. Texts are
 * UTF-8. Names and units live until the handle is closed, other texts until the next call of the same function.
 */
#ifndef INTERFIELD_H
#define INTERFIELD_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#define INTERFIELD_OK 0
#define INTERFIELD_OVER 1
#define INTERFIELD_FAILED (-1)

typedef struct interfield_handle interfield_handle;
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

/// `interfield.h`.
pub fn text() -> String {
    let mut out = format!("{HEAD}\n#define INTERFIELD_ABI {}\n", crate::ABI);
    for Declaration { name, docs, arguments, returns } in DECLARATIONS {
        let docs: Vec<&str> = docs.iter().map(|d| d.trim()).collect();
        let joined = |(name, kind): &(&str, &str)| {
            if kind.ends_with('*') { format!("{kind}{name}") } else { format!("{kind} {name}") }
        };
        let list: Vec<String> = arguments.iter().map(joined).collect();
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        let gap = if returns.ends_with('*') { "" } else { " " };
        out += &format!("\n/* {} */\n{returns}{gap}{name}({list});\n", docs.join("\n * "));
    }
    out + TAIL
}
