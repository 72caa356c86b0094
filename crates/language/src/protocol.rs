//! Loading protocols of cyclic tests: amplitudes of successive cycles, by the name of their standard.

use crate::key::Entry;

/// What a protocol is made for.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Largest amplitude, m (rad).
    pub largest: f64,
    /// Yield displacement.
    pub bend: Option<f64>,
    /// Height of the storey, m.
    pub height: Option<f64>,
}

/// A protocol of a standard.
#[derive(Debug)]
pub struct Protocol {
    /// Name in a model file.
    pub name: &'static str,
    /// Amplitudes are multiples of this.
    unit: Unit,
    /// Multiples, with the cycles at each.
    steps: &'static [(f64, usize)],
    /// How it goes on beyond its last step.
    more: More,
}

#[derive(Debug)]
enum Unit {
    /// The yield displacement.
    Yield,
    /// One per cent of the height.
    Drift,
    /// The largest amplitude.
    Largest,
}

#[derive(Debug)]
enum More {
    /// By so much more each time.
    Add(f64),
    /// By this factor each time.
    Times(f64),
}

impl Entry for Protocol {
    fn word(&self) -> &'static str {
        self.name
    }
}

/// All protocols.
pub const PROTOCOLS: &[Protocol] = &[
    // ATC-24, Guidelines for cyclic seismic testing of components of steel structures, 1992, section 4.4: six cycles below yield, three
    // each at one, two and three times the yield deformation, then two each, one yield deformation more each time.
    Protocol {
        name: "atc-24",
        unit: Unit::Yield,
        steps: &[(0.5, 3), (0.75, 3), (1.0, 3), (2.0, 3), (3.0, 3), (4.0, 2)],
        more: More::Add(1.0),
    },
    // SAC/BD-97/02 and AISC 341, chapter K: drift angles, 1 % more with two cycles each from 2 % on.
    Protocol {
        name: "sac",
        unit: Unit::Drift,
        steps: &[(0.375, 6), (0.5, 6), (0.75, 6), (1.0, 4), (1.5, 2), (2.0, 2)],
        more: More::Add(1.0),
    },
    // ACI 374.1-05, section 5: three cycles at each drift ratio, each 1.25 to 1.5 times the one before.
    Protocol {
        name: "aci-374",
        unit: Unit::Drift,
        steps: &[
            (0.2, 3),
            (0.25, 3),
            (0.35, 3),
            (0.5, 3),
            (0.75, 3),
            (1.0, 3),
            (1.4, 3),
            (1.75, 3),
            (2.2, 3),
            (2.75, 3),
            (3.5, 3),
        ],
        more: More::Times(1.25),
    },
    // FEMA 461, 2007, section 2.9: two cycles at each of ten amplitudes, each 1.4 times the one before, the last the largest.
    Protocol { name: "fema-461", unit: Unit::Largest, steps: &[(0.0484002582470509, 2)], more: More::Times(1.4) },
];

/// Most cycles of a protocol.
const MOST: usize = 10_000;

impl Protocol {
    /// The amplitudes of all cycles up to the largest, m (rad).
    ///
    /// # Errors
    /// What is missing or impossible, and what to write.
    pub fn amplitudes(&self, given: Given) -> Result<Vec<f64>, (String, String)> {
        let missing = |what: &str, key: &str| {
            let message = format!("protocol \"{}\" needs the {what}", self.name);
            (message, format!("write {key}"))
        };
        let unit = match self.unit {
            Unit::Yield => given.bend.ok_or_else(|| missing("yield displacement", "yield = \"12 mm\""))?,
            Unit::Drift => 0.01 * given.height.ok_or_else(|| missing("height of the storey", "height = \"3 m\""))?,
            Unit::Largest => given.largest.abs(),
        };
        let mut list = Vec::new();
        let mut steps = self.steps.iter().copied();
        let mut last = (0.0, 1);
        while list.len() < MOST {
            last = steps.next().unwrap_or(match self.more {
                More::Add(more) => (last.0 + more, last.1),
                More::Times(factor) => (last.0 * factor, last.1),
            });
            if last.0 * unit > given.largest.abs() * (1.0 + 1e-9) {
                break;
            }
            let amplitude = last.0 * unit;
            let rounded = (amplitude - given.largest.abs()).abs() < 1e-9 * amplitude;
            list.extend(std::iter::repeat_n(if rounded { given.largest.abs() } else { amplitude }, last.1));
        }
        if list.is_empty() {
            let message = format!("`to` is below the first amplitude of protocol \"{}\"", self.name);
            return Err((message, "write a larger `to`, the largest amplitude of the test".to_owned()));
        }
        // To the side that `to` is on first.
        Ok(list.into_iter().map(|a| a.copysign(given.largest)).collect())
    }
}
