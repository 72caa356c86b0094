//! A specimen that this process computes for a test in another one, over shared memory or UDP: the place for interpreters,
//! whose pauses the test then sees as late answers and handles as its specimen says (`late`, `patience`, limits).

use std::sync::atomic::AtomicBool;

use interfield_lab::partner::Partner;
use interfield_language::specimen::Address;
use interfield_structure::specimen::emulated_with;
use interfield_wire::host::{Host, Hosted, News};

use crate::laboratory::remote::{dock, greeting};
use crate::refused::{Cause, Refused};
use crate::{Choices, ModelFile};

/// Makes the function of a session: every test gets a specimen that nobody has moved.
pub type MakeLaw<'a> = &'a mut dyn FnMut() -> Box<dyn Partner>;

impl ModelFile {
    /// Answers one test of a specimen of the model, whose forces a function computes behind its emulated actuators; `ready` is
    /// told the address once it listens.
    ///
    /// # Errors
    /// A specimen that is not there, an address that cannot be had.
    pub fn host(
        &self,
        choices: &Choices,
        specimen: &str,
        law: MakeLaw<'_>,
        stop: &AtomicBool,
        ready: &mut dyn FnMut(&str),
    ) -> Result<Hosted, Refused> {
        let (model, _) = self.model(choices)?;
        let refuse = |cause: Cause, message: String, help: &str| Refused::new(cause, message, help);
        let Some(index) = model.specimens.iter().position(|s| s.name == specimen) else {
            let names: Vec<&str> = model.specimens.iter().map(|s| s.name.as_str()).collect();
            let message = format!("the model has no specimen `{specimen}`; it has: {}", names.join(", "));
            return Err(refuse(Cause::Input, message, "name one of them"));
        };
        let own = &model.specimens[index];
        let Some(address @ (Address::Shared(_) | Address::Udp { .. })) = &own.at else {
            let help = "write at = \"shm:/NAME\" in its [[specimen]]";
            return Err(refuse(Cause::Input, format!("specimen `{specimen}` has no address"), help));
        };
        if address.leaves_the_machine() {
            let help = "use shared memory, shm:/NAME, or an address of this machine";
            return Err(refuse(Cause::Input, format!("{address}: a function is hosted on this machine only"), help));
        }
        let mut open = || {
            emulated_with(&model, index, Some(law()))
                .map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))
        };
        // Before anybody calls, so that a mistake is told here.
        open().map_err(|message| refuse(Cause::Input, message, "see `[[specimen]]` in the reference"))?;
        let (mut dock, found_at) = dock(address, None)
            .map_err(|e| refuse(Cause::Machine, format!("{address}: {e}"), "give the specimen another `at`"))?;
        ready(&found_at.to_string());
        let mut news = |_: News| ();
        Host { offer: greeting(own), open: &mut open, news: &mut news, stop, keep: false }
            .serve(dock.as_mut())
            .map_err(|e| refuse(Cause::Fault, e, ""))
    }
}
