//! Functions that whoever runs a model brings along: laws, specimens and compensators that are computed by the program on
//! top of this library, such as Python.
//!
//! Laws and specimens are [`Partner`]s, asked once per step or sample, in the thread that computes the targets. A test in real
//! time refuses them all, because nobody knows how long they take: there a function belongs in a process of its own, see
//! [`crate::host`].

use std::collections::BTreeMap;
use std::sync::Arc;

use interfield_lab::compensate::Multivariable;
use interfield_lab::partner::Partner;

/// What is brought along, by name.
#[derive(Default)]
pub struct Callables {
    laws: BTreeMap<String, Box<dyn Partner>>,
    specimens: BTreeMap<String, Box<dyn Partner>>,
    compensators: BTreeMap<String, Arc<dyn Multivariable>>,
}

impl Callables {
    /// The forces of an external with `program = "callable"`.
    pub fn with_law(mut self, external: impl Into<String>, law: Box<dyn Partner>) -> Self {
        self.laws.insert(external.into(), law);
        self
    }

    /// The specimen behind the emulated actuators, in SI units at the scale of the laboratory, instead of its elements.
    pub fn with_specimen(mut self, specimen: impl Into<String>, law: Box<dyn Partner>) -> Self {
        self.specimens.insert(specimen.into(), law);
        self
    }

    /// The compensator of a specimen, instead of that of its model. Its commands pass the guard as all others do.
    pub fn with_compensator(mut self, specimen: impl Into<String>, compensator: Arc<dyn Multivariable>) -> Self {
        self.compensators.insert(specimen.into(), compensator);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.laws.is_empty() && self.specimens.is_empty() && self.compensators.is_empty()
    }

    pub(crate) fn law(&mut self, external: &str) -> Option<Box<dyn Partner>> {
        self.laws.remove(external)
    }

    pub(crate) fn specimen(&mut self, specimen: &str) -> Option<Box<dyn Partner>> {
        self.specimens.remove(specimen)
    }

    pub(crate) fn compensator(&mut self, specimen: &str) -> Option<Arc<dyn Multivariable>> {
        self.compensators.remove(specimen)
    }

    /// What fits nothing of a model with these externals and specimens, as a sentence.
    pub(crate) fn mistake(&self, externals: &[String], specimens: &[String]) -> Option<String> {
        let strange = |name: &String, known: &[String], what: &str| {
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            (!known.contains(name)).then(|| format!("the model has no {what} `{name}`; it has: {list}"))
        };
        let laws = self.laws.keys().find_map(|n| strange(n, externals, "external with program = \"callable\""));
        let all = self.specimens.keys().chain(self.compensators.keys());
        laws.or_else(|| all.into_iter().find_map(|n| strange(n, specimens, "specimen")))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use interfield_lab::partner::Trouble;

    use super::*;
    use crate::laboratory::RealTime;
    use crate::{Choices, ModelFile, Setup};

    /// Never asked.
    struct Silent;

    impl Partner for Silent {
        fn dofs(&self) -> usize {
            1
        }

        fn exchange(&mut self, _: f64, _: &[f64], _: &[f64], _: &mut [f64], _: &mut [f64]) -> Result<(), Trouble> {
            unreachable!("nothing has moved")
        }
    }

    #[test]
    fn functions_are_refused_in_real_time() {
        let text = r#"
            dofs = ["x"]
            node = [{ name = "mass", mass = "1 t", initial = { x = "1 mm" } }]
            element = [{ type = "spring", nodes = ["ground", "mass"], dof = "x", k = "40 kN/m" }]
            external = [{ name = "push", program = "callable", dofs = ["mass.x"], stiffness = [[0]] }]
            analysis = { scheme = "alpha-os", dt = "10 ms", duration = "10 s" }
        "#;
        let file = ModelFile::embedded("push", text.to_owned(), PathBuf::new());
        let setup = |real_time: bool, name: &str| Setup {
            callables: Callables::default().with_law(name, Box::new(Silent)),
            real_time: RealTime { real_time, ..RealTime::default() },
            ..Setup::default()
        };
        let refused = |setup: Setup| file.prepare(&Choices::default(), setup).err().map(|r| r.render(false));
        assert!(refused(setup(true, "push")).is_some_and(|said| said.contains("real-time test")));
        assert!(refused(setup(false, "pull")).is_some_and(|said| said.contains("no external")));
        assert_eq!(refused(setup(false, "push")), None);
    }
}
