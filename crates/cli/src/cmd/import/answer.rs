//! `interfield import answer`: what the recording module asks while a script runs.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_language::model::Dof;
use interfield_opensees::{Options, Record, translate_here};
use serde_json::{Map, Value, json};

use super::reading;
use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::print_json;

/// Eigenvalues and shapes of the model that a record has built so far
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield import answer record.jsonl --eigen 3")]
pub(super) struct Args {
    /// The record so far
    record: PathBuf,
    /// How many eigenvalues
    #[arg(long, value_name = "N", required_unless_present = "rest")]
    eigen: Option<usize>,
    /// Displacements at rest, under the loads that are there
    #[arg(long, conflicts_with = "eigen")]
    rest: bool,
}

impl Args {
    pub(super) fn run(&self) -> Exit {
        self.answer().map_or(Exit::BadInput, |value| {
            print_json(&value);
            Exit::Done
        })
    }

    /// Nothing if the model cannot be translated or computed: the recorder then says so.
    fn answer(&self) -> Option<Value> {
        let record = Record::read(&std::fs::read_to_string(&self.record).ok()?).ok()?;
        let here = PathBuf::from(".");
        let (text, units) = translate_here(&record, &Options::default(), &|path| reading(&here, path))?;
        let loaded = Loaded::embedded("record", text, here, false);
        let structure = loaded.structure(&ModelArgs::default()).ok()?;
        let Some(count) = self.eigen else {
            let metre = units.system.metre();
            let one = |d: &Dof| (d.name.clone(), json!(if d.angle { d.u0 } else { d.u0 / metre }));
            let all: Map<String, Value> = structure.model.dofs.iter().map(one).collect();
            return Some(json!({ "displacements": all }));
        };
        let modes = structure.modes(count).ok()?;
        let names: Vec<&str> = structure.unknowns().collect();
        let shape = |shape: &Vec<f64>| -> Value {
            let entry = |(name, x): (&&str, &f64)| ((*name).to_owned(), json!(x));
            Value::Object(names.iter().zip(shape).map(entry).collect::<Map<String, Value>>())
        };
        let shapes: Vec<Value> = modes.shapes.iter().map(shape).collect();
        Some(json!({ "eigenvalues": modes.omega2, "unknowns": shapes }))
    }
}
