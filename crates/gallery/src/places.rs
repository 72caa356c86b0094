//! Every figure and table of the papers, and what stands for it here.

use crate::item::Paper::{self, P000, P001, P002, P003, P004};

/// What stands for a figure or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// An item of the gallery.
    Item(&'static str),
    /// It claims nothing that could be computed: a sketch, a photograph, an algorithm, data. Where it is to be found here.
    Here(&'static str),
    /// It is not in the text at hand: it could not be tested.
    Missing(&'static str),
}

/// A figure or table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The paper.
    pub paper: Paper,
    /// Its number there: `Fig. 1`.
    pub place: &'static str,
    /// What it shows.
    pub what: &'static str,
    /// What stands for it.
    pub shown: Shown,
}

const fn item(paper: Paper, place: &'static str, what: &'static str, id: &'static str) -> Place {
    Place { paper, place, what, shown: Shown::Item(id) }
}

const fn here(paper: Paper, place: &'static str, what: &'static str, place_here: &'static str) -> Place {
    Place { paper, place, what, shown: Shown::Here(place_here) }
}

/// All of them, in the order of the papers.
pub const PLACES: &[Place] = &[
    item(P000, "Fig. 1", "spectral radii", "000-fig-1"),
    here(P000, "Fig. 2", "sketch of the shear structure with a pendulum", "models/shear-pendulum.toml"),
    item(P000, "Fig. 3", "histories of the shear structure", "000-fig-3"),
    item(P000, "Fig. 4", "first floor with a Bouc-Wen storey", "000-fig-4"),
    item(P000, "Fig. 5", "force over displacement of the first storey", "000-fig-5"),
    item(P000, "Fig. 6", "top of the plane frame", "000-fig-6"),
    here(P000, "Fig. 7", "sketch and view of the spring pendulum", "models/rig-pendulum.toml"),
    item(P000, "Fig. 8", "test of the spring pendulum", "000-fig-8"),
    here(P000, "Fig. 9", "picture of a reactor vessel, an example of divided systems", "no statement"),
    here(P000, "Fig. 10", "schedule of the parallel method", "coupling plsrt2"),
    here(P000, "Fig. 11", "sketch of the three-degree-of-freedom system", "models/three-dof.toml"),
    item(P000, "Fig. 12", "displacement of the three-degree-of-freedom system", "000-fig-12"),
    here(P000, "Fig. 13", "view of the rig of Trento", "models/trento-test.toml"),
    here(P000, "Fig. 14", "sketch of the two-degree-of-freedom system", "models/trento-test.toml"),
    item(P000, "Fig. 15", "test and computation on the rig of Trento", "000-fig-15"),
    here(P000, "Table 2.1", "data of the spring pendulum", "models/rig-pendulum.toml"),
    here(P000, "Table 3.1", "procedure of the parallel method", "coupling plsrt2"),
    here(P000, "Table 3.2", "data of the rig of Trento", "models/trento-test.toml"),
    here(P001, "Fig. 1", "sketch of the split mass and of the loop", "models/forced-split-mass.toml"),
    item(P001, "Fig. 2", "spectral radii", "001-fig-2"),
    item(P001, "Fig. 3", "test of the split mass", "001-fig-3"),
    here(P001, "Fig. 4", "schedules of the staggered and of the parallel procedure", "couplings staggered and plsrt2"),
    item(P001, "Fig. 5", "eigenvalues of the staggered procedure", "001-fig-5"),
    item(P001, "Fig. 6", "damping and frequency error of the staggered procedure", "001-fig-6"),
    item(P001, "Fig. 7", "global errors of the staggered procedure and of the midpoint rule", "001-fig-7"),
    item(P001, "Fig. 8", "eigenvalues and global error of the parallel procedure", "001-fig-8"),
    item(P001, "Fig. 9", "rig with four degrees of freedom", "001-fig-9"),
    here(P002, "Fig. 1", "sketch of a real-time test", "models/trento-test.toml"),
    here(P002, "Fig. 2", "sketch of a test with condensed unknowns", "no statement"),
    item(P002, "Fig. 3", "spectral radii", "002-fig-3"),
    here(P002, "Fig. 4", "picture of a reactor vessel, an example of divided systems", "no statement"),
    here(P002, "Fig. 5", "sketch of a beam cut in two", "coupling plsrt2"),
    here(P002, "Fig. 6", "schedule of the parallel method", "coupling plsrt2"),
    here(P002, "Fig. 7", "sketch of the split mass", "models/split-mass.toml"),
    item(P002, "Fig. 8", "eigenvalues of the parallel method", "002-fig-8"),
    item(P002, "Fig. 9", "global error of the parallel method", "002-fig-9"),
    here(P002, "Fig. 10", "sketch of the three-degree-of-freedom system", "models/three-dof.toml"),
    item(P002, "Fig. 11", "top of the three-degree-of-freedom system", "002-fig-11"),
    here(P003, "Fig. 1", "schedule of PM", "coupling pm"),
    here(P003, "Fig. 2", "schedule of modified PH", "coupling modified-ph"),
    here(P003, "Fig. 3", "view of the viaduct", "models/rio-torto-test.toml"),
    item(P003, "Fig. 4", "plan of the bridge, with its lowest frequencies", "003-fig-4"),
    here(P003, "Fig. 5", "sketch of the cut at a pier", "models/rio-torto-test-isolated.toml"),
    item(P003, "Fig. 6", "links of PM", "003-fig-6"),
    item(P003, "Fig. 7", "links of modified PH", "003-fig-7"),
    item(P003, "Fig. 8", "mock-ups, loading system, loops of pier 9 in the tests", "003-fig-8c"),
    Place {
        paper: P003,
        place: "Table 1",
        what: "not known",
        shown: Shown::Missing(
            "it stands in a part of section 3 that is not in the text at hand, and no other part speaks of it",
        ),
    },
    item(P003, "Table 2", "frequencies of the detached specimens", "003-table-2"),
    item(P004, "Fig. 1", "convergence", "004-fig-1"),
    here(P004, "Fig. 2", "sketch of cantilever and spring", "models/cantilever.toml"),
    item(P004, "Fig. 3", "displacements with and without noise", "004-fig-3"),
    item(P004, "Fig. 4", "forces with and without noise", "004-fig-4"),
    here(P004, "Fig. 5", "view of the laboratory", "models/cantilever-real-time.toml"),
    here(P004, "Fig. 6", "picture of a generated Simulink model", "interfield export simulink"),
    item(P004, "Fig. 7", "four tests and the computation", "004-fig-7"),
];
