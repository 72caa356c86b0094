//! Spectra, observed orders, maps of stability, matrices of steps: as arrays.

use interfield::studies::{Ratio, SplitMassMap, spectra};
use interfield_analysis::order::Convergence;
use interfield_kernel::Scheme;
use interfield_language::parse::analysis::scheme_from_text;
use numpy::{Complex64, IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::progress::Progress;
use crate::source::{Failure, Source, choices, warnings};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(spectrum, module)?)?;
    module.add_function(wrap_pyfunction!(order, module)?)?;
    module.add_function(wrap_pyfunction!(amplification, module)?)?;
    module.add_function(wrap_pyfunction!(radii, module)?)?;
    module.add_function(wrap_pyfunction!(split_mass_map, module)?)
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// (order that the scheme claims, radius, principal eigenvalue, damping ratio, frequency error) over Ω; NaN where there
/// is no principal pair.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn spectrum<'py>(
    py: Python<'py>,
    scheme: &str,
    parameters: Vec<(String, String)>,
    omegas: Vec<f64>,
    xi: f64,
) -> PyResult<(u32, Floats<'py>, Bound<'py, PyArray1<Complex64>>, Floats<'py>, Floats<'py>)> {
    let scheme = scheme_from_text(scheme, &parameters).map_err(|e| {
        let all: Vec<String> = e.0.iter().map(|m| format!("{}; {}", m.0, m.1)).collect();
        Failure::from(all.join("\n"))
    })?;
    let points = py.detach(|| spectra(scheme, xi, &omegas)).map_err(Failure::from)?;
    let rho: Vec<f64> = points.iter().map(|p| p.rho).collect();
    let none = Complex64::new(f64::NAN, f64::NAN);
    let value = |p: &interfield_analysis::spectrum::Spectrum| {
        p.principal.map_or(none, |q| Complex64::new(q.eigenvalue.0, q.eigenvalue.1))
    };
    let values: Vec<Complex64> = points.iter().map(value).collect();
    let damping: Vec<f64> = points.iter().map(|p| p.principal.map_or(f64::NAN, |q| q.damping)).collect();
    let error: Vec<f64> = points.iter().map(|p| p.principal.map_or(f64::NAN, |q| q.frequency_error)).collect();
    Ok((
        scheme.claims().order,
        rho.into_pyarray(py),
        values.into_pyarray(py),
        damping.into_pyarray(py),
        error.into_pyarray(py),
    ))
}

/// Steps (s), differences and orders of what was compared, and the order at the finest pair that counts.
type Observed<'py> = (Floats<'py>, Floats<'py>, Floats<'py>, Option<f64>);

fn observed(py: Python<'_>, c: Convergence) -> Observed<'_> {
    let order = c.order();
    (c.dt.into_pyarray(py), c.differences.into_pyarray(py), c.orders.into_pyarray(py), order)
}

/// Displacements, velocities, element states; the claimed order; warnings.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn order<'py>(
    py: Python<'py>,
    source: Source,
    chosen: &str,
    levels: u32,
) -> PyResult<(Observed<'py>, Observed<'py>, Option<Observed<'py>>, Option<u32>, String)> {
    let chosen = choices(chosen)?;
    let (found, said) = py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        let found = file.order(&chosen, levels)?;
        Ok((found, warnings(&file)))
    })?;
    let states = found.s.map(|c| observed(py, c));
    Ok((observed(py, found.u), observed(py, found.v), states, found.claimed, said))
}

/// The matrix of a step, and whether it holds for motions of any size.
#[pyfunction]
fn amplification<'py>(py: Python<'py>, source: Source, chosen: &str) -> PyResult<(Bound<'py, PyArray2<f64>>, bool)> {
    let chosen = choices(chosen)?;
    let found = py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        file.structure(&chosen)?;
        Ok(file.step_matrix(&chosen)?)
    })?;
    let size = found.size;
    Ok((found.entries.into_pyarray(py).reshape([size, size])?, found.affine))
}

/// Radii, and whether nothing grows.
type Radii<'py> = (Floats<'py>, Bound<'py, PyArray1<bool>>);

fn unzip(py: Python<'_>, found: Vec<(f64, bool)>) -> Radii<'_> {
    let (radius, stable): (Vec<f64>, Vec<bool>) = found.into_iter().unzip();
    (radius.into_pyarray(py), stable.into_pyarray(py))
}

/// Of the step of a model for each of several choices.
#[pyfunction]
fn radii<'py>(
    py: Python<'py>,
    source: Source,
    chosen: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Radii<'py>> {
    let all = chosen.iter().map(|c| choices(c)).collect::<PyResult<Vec<_>>>()?;
    let (found, stopped) = py.detach(|| {
        let file = source.open();
        let (mut progress, mut stopped, count) = (Progress::new(progress), None, all.len() as u64);
        let mut look = |done: usize| {
            if stopped.is_none() {
                stopped = progress.look(done as u64, count).err();
            }
        };
        let first = all.first().map_or(Ok(()), |first| file.structure(first).map(|_| ()).map_err(Failure::from));
        (first.and_then(|()| file.radii(&all, &mut look).map_err(Failure::from)), stopped)
    });
    match stopped {
        Some(e) => Err(e),
        None => Ok(unzip(py, found?)),
    }
}

/// Of a coupling on the split mass, by substeps, then by ratio, then by Ω; and the scheme that was used.
#[pyfunction]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn split_mass_map<'py>(
    py: Python<'py>,
    coupling: String,
    scheme: Option<String>,
    param: Vec<(String, String)>,
    ratio: &str,
    omegas: Vec<f64>,
    ratios: Vec<f64>,
    substeps: Vec<u32>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Radii<'py>, String)> {
    let known = Ratio::ALL.into_iter().find(|(name, _)| *name == ratio).ok_or_else(|| {
        let names: Vec<&str> = Ratio::ALL.iter().map(|r| r.0).collect();
        Failure::Said(format!("there is no ratio `{ratio}`"), format!("write one of: {}", names.join(", ")))
    })?;
    let map = SplitMassMap { coupling, scheme, param, ratio: known.1, omegas, ratios, substeps };
    let (found, stopped) = py.detach(|| {
        let (mut progress, mut stopped, count) = (Progress::new(progress), None, map.cells() as u64);
        let found = map.examine(|done| {
            if stopped.is_none() {
                stopped = progress.look(done as u64, count).err();
            }
        });
        (found.map_err(Failure::from), stopped)
    });
    match stopped {
        Some(e) => Err(e),
        None => found.map(|(found, scheme)| (unzip(py, found), scheme)).map_err(PyErr::from),
    }
}
