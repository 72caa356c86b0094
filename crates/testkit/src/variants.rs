//! Every scheme of the registry with its defaults, and the members of the families that are worth a test of their own.

use interfield_kernel::Scheme;
use interfield_kernel::scheme::Claims;
use interfield_kernel::scheme::registry::{AnyScheme, SCHEMES};
use interfield_kernel::scheme::splitting::Splitting;
use interfield_language::parse::analysis::scheme_from_text;

/// A scheme with parameters.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Name and parameters, for messages.
    pub label: String,
    /// The scheme.
    pub scheme: AnyScheme,
}

impl Variant {
    /// What it claims.
    pub fn claims(&self) -> Claims {
        self.scheme.claims()
    }
}

/// Members beside the defaults.
const TABLE: &[(&str, &[(&str, &str)])] = &[
    ("lsrt2", &[("gamma", "plus")]),
    ("lsrt2", &[("gamma", "0.5")]),
    ("lsrt2", &[("gamma", "0.25")]),
    ("lsrt1", &[("time", "shifted")]),
    ("lsrt2", &[("time", "shifted")]),
    // Order 2 by the conditions, three stages, no special structure.
    (
        "rosenbrock",
        &[
            ("gamma", "0.3"),
            ("b", "[0.125, 0.375, 0.5]"),
            ("alpha", "[0.4, 0.2, 0.5]"),
            ("gammas", "[-0.2, 0.1, -0.55]"),
        ],
    ),
    // Heun's explicit method of order 3.
    (
        "rosenbrock",
        &[
            ("gamma", "0"),
            ("b", "[0.25, 0, 0.75]"),
            ("alpha", "[0.3333333333333333, 0, 0.6666666666666666]"),
            ("gammas", "[0, 0, 0]"),
        ],
    ),
    ("newmark", &[("beta", "0")]),
    ("newmark", &[("gamma", "0.6"), ("beta", "0.3025")]),
    ("newmark", &[("predictor", "half")]),
    ("newmark-newton", &[("beta", "0.3025"), ("gamma", "0.6")]),
    ("hht", &[("alpha", "0")]),
    ("hht", &[("alpha", "0.3333333333333333")]),
    ("hht", &[("predictor", "half")]),
    ("generalized-alpha", &[("rho_inf", "0")]),
    ("generalized-alpha", &[("rho_inf", "0.5")]),
    ("generalized-alpha", &[("rho_inf", "1")]),
    ("generalized-alpha", &[("predictor", "half")]),
    ("generalized-alpha-newton", &[("rho_inf", "0")]),
    ("generalized-alpha-newton", &[("rho_inf", "1")]),
    ("alpha-os", &[("rho_inf", "0")]),
    ("alpha-os", &[("rho_inf", "0.5")]),
    ("alpha-os", &[("rho_inf", "1")]),
    ("trapezoidal", &[("predictor", "half")]),
    ("state-space-alpha", &[("rho_inf", "0")]),
    ("state-space-alpha", &[("rho_inf", "1")]),
    ("state-space-alpha", &[("predictor", "half")]),
    ("explicit-newmark", &[("gamma", "0.6")]),
    ("kr-alpha", &[("rho_inf", "0")]),
    ("kr-alpha", &[("rho_inf", "0.5")]),
    ("kr-alpha", &[("rho_inf", "1")]),
    ("mkr-alpha", &[("rho_inf", "0")]),
    ("mkr-alpha", &[("rho_inf", "0.5")]),
    ("mkr-alpha", &[("rho_inf", "1")]),
    ("bathe", &[("gamma", "0.3")]),
    ("bathe-newton", &[("gamma", "0.7")]),
];

/// A scheme by name with parameters as on the command line.
///
/// # Panics
/// If there is no such scheme.
pub fn scheme(name: &str, parameters: &[(&str, &str)]) -> AnyScheme {
    let owned: Vec<(String, String)> = parameters.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    scheme_from_text(name, &owned).unwrap_or_else(|e| panic!("{e:?}"))
}

/// All of them: every entry of the registry that can do without parameters, then the table, then what has no name.
pub fn variants() -> Vec<Variant> {
    let plain = SCHEMES.iter().filter(|s| s.parameters.iter().all(|p| p.default.is_some()));
    let plain = plain.map(|s| Variant { label: s.name.to_owned(), scheme: scheme(s.name, &[]) });
    let table = TABLE.iter().map(|(name, parameters)| {
        let words: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        Variant { label: format!("{name} {}", words.join(" ")), scheme: scheme(name, parameters) }
    });
    // A member for the start of couplings, without a name of its own.
    let unnamed = Variant {
        label: "alpha-os without averaging".to_owned(),
        scheme: AnyScheme::Splitting(Splitting::trapezoidal()),
    };
    plain.chain(table).chain([unnamed]).collect()
}
