//! A comparison of couplings, as text and as JSON.

use interfield_language::units::{significant, time_to};
use serde_json::{Value, json};

use super::compare::{Compared, Comparison, Quality};
use super::words::percent;
use crate::quantities::{ONE, Quantities, UNITS, number};
use crate::table::{aligned, labelled, time, wrapped};

impl Compared {
    /// Its expected error.
    pub fn expected_error(&self) -> f64 {
        self.expected.as_ref().map_or(f64::NAN, |e| e.error)
    }

    fn row(&self) -> Vec<String> {
        let name = format!("{}{}", self.info.name, if self.own { " *" } else { "" });
        let cost = format!("{} steps in {}", self.steps, time_to(self.per_step * self.steps as f64, 2));
        let expected = percent(self.expected_error());
        match &self.quality {
            Ok(q) => vec![
                name,
                percent(q.displacement),
                expected,
                percent(q.force),
                percent(q.gap),
                percent(q.roughness),
                percent(q.added),
                cost,
            ],
            Err(_) => {
                let none = || "-".to_owned();
                vec![name, none(), expected, none(), none(), none(), none(), cost]
            }
        }
    }

    fn json(&self) -> Value {
        let of = |value: fn(&Quality) -> f64| self.quality.as_ref().map_or(Value::Null, |q| number(value(q)));
        Quantities::default()
            .with("name", self.info.name)
            .with("own", self.own)
            .with("parallel", self.info.parallel)
            .with("schemes", self.schemes.clone())
            .with("outcome", self.quality.as_ref().err().map_or("finished", String::as_str))
            .quantity("displacement_error", of(|q| q.displacement), ONE)
            .quantity("expected_displacement_error", number(self.expected_error()), ONE)
            .quantity("force_error", of(|q| q.force), ONE)
            .quantity("gap", of(|q| q.gap), ONE)
            .quantity("roughness", of(|q| q.roughness), ONE)
            .quantity("energy_added", of(|q| q.added), ONE)
            .with("steps", self.steps)
            .seconds("measured_macro_step", number(self.per_step))
            .object()
    }
}

impl Comparison {
    /// The best first; what did not get to the end last.
    pub fn ordered(&self) -> Vec<&Compared> {
        let error = |c: &Compared| c.quality.as_ref().map_or(f64::INFINITY, |q| q.displacement);
        let mut list: Vec<&Compared> = self.couplings.iter().collect();
        list.sort_by(|a, b| error(a).total_cmp(&error(b)));
        list
    }

    /// The comparison, drawn in `picture`.
    pub fn text(&self, picture: &str) -> String {
        let end = time(self.steps as f64 * self.dt);
        let steps = match self.substeps {
            1 => format!("step {} to {end}, the sides exchange once in each", time(self.dt)),
            n => format!("step {} to {end}, {n} substeps of the fine side", time(self.dt)),
        };
        let mut out = format!("{}\n  couplings compared, drawn in {picture}\n  {steps}\n", self.title);
        let [specimens, programs] = self.computed;
        if specimens + programs > 0 {
            out += &wrapped("  ", "without laboratory: specimens by their laws, programs by their stiffness");
        }
        let header = ["coupling", "u", "expect", "force", "gap", "rough", "energy", "<cost here"];
        let rows: Vec<Vec<String>> = self.ordered().into_iter().map(Compared::row).collect();
        out += &format!("\n{}", aligned(&header, &rows));
        if self.couplings.iter().any(|c| c.own) {
            out += "  *: the coupling of the model\n";
        }
        out += &wrapped(
            "  ",
            "in %: u, force: error of displacements and forces of the interface, rms over rms; expect: what `check` \
                expects of u, elastic; gap: largest, over the largest displacement; rough: third difference of the \
                forces, last quarter; energy: added by the interface, of what went through",
        );
        let [u, f] = self.reference_error;
        let reference = format!(
            "equal steps of {} (`{}`); its own error is about {} % of displacements and {} % of forces, it is rough by {} %",
            time_to(self.reference_dt, 3),
            self.reference_coupling,
            percent(u),
            percent(f),
            percent(self.reference_roughness)
        );
        out += &labelled("  ", "reference", &reference);
        for c in &self.couplings {
            let Err(why) = &c.quality else { continue };
            let at = c.steps as f64 * self.dt;
            out += &wrapped("  ", &format!("`{}` {why} at t = {} s", c.info.name, significant(at, 3)));
        }
        for (name, why) in &self.refused {
            out += &wrapped("  ", &format!("not `{name}`: {why}"));
        }
        out
    }

    /// Everything but the histories, as JSON.
    /// `said` is what `check` says of the model.
    pub fn json(&self, picture: &str, said: Option<Value>) -> Value {
        json!({
            "title": self.title, "picture": picture, "dt": self.dt, "substeps": self.substeps, "steps": self.steps,
            "interface": self.rows.iter().map(|r| r.0.as_str()).collect::<Vec<_>>(),
            "computed": { "specimens": self.computed[0], "programs": self.computed[1] },
            "couplings": self.ordered().into_iter().map(Compared::json).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(|(name, why)| json!({ "name": name, "why": why })).collect::<Vec<_>>(),
            "reference": {
                "coupling": self.reference_coupling, "dt": self.reference_dt,
                "displacement_error": number(self.reference_error[0]), "force_error": number(self.reference_error[1]),
                "roughness": number(self.reference_roughness),
                UNITS: { "dt": "s", "displacement_error": ONE, "force_error": ONE, "roughness": ONE },
            },
            "check": said,
            UNITS: { "dt": "s" },
        })
    }
}
