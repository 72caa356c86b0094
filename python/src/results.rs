//! Result and recording files: complete, killed, or still being written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use interfield::record::settings_json;
use interfield_results as results;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyIndexError, PyIsADirectoryError, PyOSError};
use pyo3::prelude::*;

use crate::source::Failure;

/// A result file, open for reading.
#[pyclass(frozen)]
pub(crate) struct Reader {
    path: PathBuf,
    reader: Mutex<results::Reader>,
}

fn open(path: &Path) -> PyResult<results::Reader> {
    if path.is_dir() {
        return Err(PyIsADirectoryError::new_err(format!("{}: it is a folder", path.display())));
    }
    results::Reader::open(path).map_err(|e| match e {
        results::Error::Io { .. } => PyOSError::new_err(e.to_string()),
        other => Failure::from(other.to_string()).into(),
    })
}

#[pymethods]
impl Reader {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Reader { reader: Mutex::new(open(&path)?), path })
    }

    /// Looks again how far the file has come.
    fn refresh(&self) -> PyResult<()> {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = open(&self.path)?;
        Ok(())
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.with(|r| r.rows())
    }

    #[getter]
    fn title(&self) -> String {
        self.with(|r| r.meta().title.clone())
    }

    #[getter]
    fn model(&self) -> String {
        self.with(|r| r.meta().model_text.clone())
    }

    #[getter]
    fn created(&self) -> String {
        self.with(|r| r.meta().created.clone())
    }

    /// All settings, as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.with(|r| settings_json(&r.meta().settings).to_string())
    }

    #[getter]
    fn log(&self) -> String {
        self.with(|r| r.log().to_owned())
    }

    /// How it ended: a word, and a sentence.
    #[getter]
    fn outcome(&self) -> (&'static str, String) {
        self.with(|r| {
            let words = r.outcome().words();
            let word = match r.outcome() {
                results::Outcome::Finished(_) if words.starts_with("fault") => "fault",
                results::Outcome::Finished(_) => "finished",
                results::Outcome::Interrupted(_) => "interrupted",
                results::Outcome::Unknown => "unknown",
            };
            (word, words)
        })
    }

    /// (name, unit, quantity, description) of each channel.
    #[getter]
    fn channels(&self) -> Vec<(String, String, String, String)> {
        let one =
            |c: &results::ChannelInfo| (c.name.clone(), c.unit.clone(), c.quantity.clone(), c.description.clone());
        self.with(|r| r.channels().iter().map(one).collect())
    }

    /// Values of a channel from row `start` to `stop`; -1 is the time.
    fn read<'py>(&self, py: Python<'py>, channel: i64, start: u64, stop: u64) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = py.detach(|| {
            self.with(|r| match usize::try_from(channel) {
                Ok(i) if i < r.channels().len() => r.read(i, start..stop).map_err(|e| Some(e.to_string())),
                Ok(_) => Err(None),
                Err(_) => r.time(start..stop).map_err(|e| Some(e.to_string())),
            })
        });
        match values {
            Ok(values) => Ok(values.into_pyarray(py)),
            Err(Some(message)) => Err(PyOSError::new_err(message)),
            Err(None) => Err(PyIndexError::new_err(format!("there is no channel number {channel}"))),
        }
    }
}

impl Reader {
    fn with<R>(&self, look: impl FnOnce(&results::Reader) -> R) -> R {
        look(&self.reader.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
