//! The known part of a loop over one step: from measurements to commands.

/// State-space of the known part over one step, matrices row by row.
///
/// Inputs are the measurements of the step, sample by sample, of each channel two; outputs its commands, sample by sample. States that never
/// change anything, or that nothing ever changes, are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    pub(super) states: usize,
    pub(super) channels: usize,
    pub(super) samples: usize,
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) d: Vec<f64>,
}

impl Rest {
    /// From the matrix of one step over the whole state, row by row, in which `inputs` and `outputs` are the places of measurements and of commands.
    pub fn from_step(matrix: &[f64], n: usize, inputs: &[usize], outputs: &[usize], channels: usize) -> Self {
        let mut states: Vec<usize> = (0..n).filter(|i| !inputs.contains(i) && !outputs.contains(i)).collect();
        let entry = |i: usize, j: usize| matrix[i * n + j];
        loop {
            let moved = |i: usize| states.iter().chain(inputs).any(|&j| j != i && entry(i, j) != 0.0);
            let seen = |j: usize| states.iter().chain(outputs).any(|&i| i != j && entry(i, j) != 0.0);
            let kept: Vec<usize> = states.iter().copied().filter(|&s| moved(s) && seen(s)).collect();
            if kept.len() == states.len() {
                break;
            }
            states = kept;
        }
        let part = |rows: &[usize], columns: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|&i| columns.iter().map(move |&j| entry(i, j))).collect()
        };
        Rest {
            states: states.len(),
            channels,
            samples: outputs.len() / channels.max(1),
            a: part(&states, &states),
            b: part(&states, inputs),
            c: part(outputs, &states),
            d: part(outputs, inputs),
        }
    }

    /// Number of states that take part.
    pub fn states(&self) -> usize {
        self.states
    }
}
