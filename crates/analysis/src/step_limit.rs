//! The largest stable step: a scan over the step, and the edges between stable and unstable ones refined.

use std::ops::RangeInclusive;

use interfield_kernel::StepMap;

use crate::stability::{Options, StabilityError, stability};

/// Where to look for the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Steps of interest, s.
    pub range: RangeInclusive<f64>,
    /// Steps probed over the range, equally spaced in their logarithm. Windows narrower than the spacing may be missed.
    pub points: usize,
    /// Edges are refined to this relative width.
    pub resolution: f64,
    /// How each step is judged.
    pub options: Options,
}

impl Search {
    /// 40 steps over `range`, edges to one in ten thousand.
    pub fn over(range: RangeInclusive<f64>) -> Self {
        Search { range, points: 40, resolution: 1e-4, options: Options::default() }
    }
}

/// One probed step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probed {
    /// Step, s.
    pub dt: f64,
    /// Spectral radius.
    pub radius: f64,
    /// Verdict.
    pub stable: bool,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLimit {
    /// The largest step such that it and all smaller ones probed are stable, s. `None`: the smallest one is unstable.
    pub largest: Option<f64>,
    /// Unstable windows, ascending: first and last unstable step of each, s. A window that touches an end of the range may go
    /// on beyond it.
    pub windows: Vec<RangeInclusive<f64>>,
    /// All steps probed, ascending.
    pub probed: Vec<Probed>,
}

/// Why a search failed.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchError<E> {
    /// There is no map with this step.
    #[allow(missing_docs)]
    Make { dt: f64, error: E },
    /// The stability of this step could not be judged.
    #[allow(missing_docs)]
    Judge { dt: f64, error: StabilityError },
    /// The range is empty, or not of positive finite steps.
    Range,
}

/// Searches the range of steps for the limits of stability of the maps that `make` builds for a step.
pub fn largest_stable_step<E>(
    mut make: impl FnMut(f64) -> Result<Box<dyn StepMap>, E>,
    search: &Search,
) -> Result<StepLimit, SearchError<E>> {
    let (low, high) = (*search.range.start(), *search.range.end());
    if !(low > 0.0 && low <= high && high.is_finite()) {
        return Err(SearchError::Range);
    }
    let mut probe = |dt: f64| -> Result<Probed, SearchError<E>> {
        let mut map = make(dt).map_err(|error| SearchError::Make { dt, error })?;
        let found = stability(&mut *map, &search.options).map_err(|error| SearchError::Judge { dt, error })?;
        Ok(Probed { dt, radius: found.radius, stable: found.stable })
    };
    let last = search.points.max(2) - 1;
    let at = |i: usize| if i == last { high } else { low * (high / low).powf(i as f64 / last as f64) };
    let mut probed = (0..=last).rev().map(|i| probe(at(i))).collect::<Result<Vec<_>, _>>()?;
    probed.reverse();
    let mut refined = Vec::new();
    for pair in probed.windows(2) {
        let [mut a, mut b] = [pair[0], pair[1]];
        while a.stable != b.stable && b.dt > a.dt * (1.0 + search.resolution) {
            let middle = probe((a.dt * b.dt).sqrt())?;
            refined.push(middle);
            *(if middle.stable == a.stable { &mut a } else { &mut b }) = middle;
        }
    }
    probed.extend(refined);
    probed.sort_by(|x, y| x.dt.total_cmp(&y.dt));
    let windows = probed
        .chunk_by(|x, y| x.stable == y.stable)
        .filter(|run| !run[0].stable)
        .map(|run| run[0].dt..=run[run.len() - 1].dt)
        .collect();
    let largest = probed.iter().take_while(|p| p.stable).last().map(|p| p.dt);
    Ok(StepLimit { largest, windows, probed })
}
