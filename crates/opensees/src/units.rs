//! OpenSees has no units: those of a script are told by the user, or guessed from its numbers.

/// A system of units: a force and a length; the time is in s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Name of the unit of force.
    pub force: &'static str,
    /// Name of the unit of length.
    pub length: &'static str,
    /// N.
    newton: f64,
    /// m.
    metre: f64,
}

impl System {
    /// The unit of length, m.
    pub fn metre(&self) -> f64 {
        self.metre
    }
}

const LBF: f64 = 4.448_221_615_260_5;
const GRAVITY: f64 = 9.806_65;
const INCH: f64 = 0.0254;
const FOOT: f64 = 0.3048;

const fn system(force: &'static str, newton: f64, length: &'static str, metre: f64) -> System {
    System { force, length, newton, metre }
}

/// Systems that scripts use, the usual ones first.
const SYSTEMS: [System; 14] = [
    system("kip", 1e3 * LBF, "in", INCH),
    system("N", 1.0, "m", 1.0),
    system("kN", 1e3, "m", 1.0),
    system("N", 1.0, "mm", 1e-3),
    system("kN", 1e3, "mm", 1e-3),
    system("lbf", LBF, "in", INCH),
    system("kip", 1e3 * LBF, "ft", FOOT),
    system("MN", 1e6, "m", 1.0),
    system("kN", 1e3, "cm", 1e-2),
    system("kgf", GRAVITY, "cm", 1e-2),
    system("tf", 1e3 * GRAVITY, "m", 1.0),
    system("lbf", LBF, "ft", FOOT),
    system("N", 1.0, "cm", 1e-2),
    system("kgf", GRAVITY, "m", 1.0),
];

/// A number of the script that tells its units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clue {
    pub(crate) kind: Kind,
    pub(crate) value: f64,
    /// Where it is from: `E of Steel02 1`.
    pub(crate) what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Modulus of steel.
    Steel,
    /// Strength of concrete.
    Concrete,
    /// Modulus of an elastic member of any material.
    Elastic,
    /// A factor of a ground motion, which may be that of gravity.
    Gravity,
    /// Length of a member.
    Length,
}

impl Clue {
    /// How well it speaks for a system.
    fn weight(&self, s: &System) -> f64 {
        let stress = self.value.abs() * s.newton / (s.metre * s.metre);
        let length = self.value.abs() * s.metre;
        let (good, weight) = match self.kind {
            Kind::Steel => ((1.7e11..2.3e11).contains(&stress), 4.0),
            Kind::Concrete => ((1e7..1.5e8).contains(&stress), 2.0),
            Kind::Elastic => ((1.5e10..4.5e10).contains(&stress) || (1.7e11..2.3e11).contains(&stress), 2.0),
            Kind::Gravity => ((9.75..9.85).contains(&length), 3.0),
            Kind::Length => ((0.5..60.0).contains(&length), 0.5),
        };
        if good { weight } else { 0.0 }
    }
}

/// The units of a script and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The system.
    pub system: System,
    /// Why, in words; empty if the user has said it.
    pub reason: String,
    /// Whether nothing spoke for them.
    pub blind: bool,
}

/// Units by the words of the user: `kN,m`, `kip-in`, `lb in`.
///
/// # Errors
/// What can be written.
pub fn told(text: &str) -> Result<Units, String> {
    let words: Vec<String> =
        text.split([',', '-', ' ', ';', '/']).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    let plain = |w: &str| match w {
        "lb" | "lbs" | "pound" => "lbf".to_owned(),
        "kips" => "kip".to_owned(),
        "inch" | "inches" => "in".to_owned(),
        "feet" | "foot" => "ft".to_owned(),
        "ton" | "tonf" => "tf".to_owned(),
        w => w.to_owned(),
    };
    let words: Vec<String> = words.iter().map(|w| plain(w)).filter(|w| !matches!(w.as_str(), "s" | "sec")).collect();
    let is = |s: &&System| {
        let (f, l) = (s.force.to_lowercase(), s.length);
        matches!(&words[..], [a, b] if (*a == f && b == l) || (*b == f && a == l))
    };
    let found = SYSTEMS.iter().find(is);
    let list = || SYSTEMS.iter().map(|s| format!("{},{}", s.force, s.length)).collect::<Vec<_>>().join(" ");
    found
        .map(|s| Units { system: *s, reason: String::new(), blind: false })
        .ok_or_else(|| format!("write a force and a length, one of: {}", list()))
}

/// The system that most of the clues fit; the time is taken to be in s.
pub(crate) fn guess(clues: &[Clue]) -> Units {
    let score = |s: &System| clues.iter().map(|c| c.weight(s)).sum::<f64>();
    let mut best = SYSTEMS[0];
    for s in &SYSTEMS {
        if score(s) > score(&best) {
            best = *s;
        }
    }
    let strong = |c: &&Clue| c.kind != Kind::Length && c.weight(&best) > 0.0;
    let mut why: Vec<String> = Vec::new();
    for kind in [Kind::Steel, Kind::Concrete, Kind::Elastic, Kind::Gravity] {
        if let Some(c) = clues.iter().filter(strong).find(|c| c.kind == kind) {
            let like = match kind {
                Kind::Steel => "is that of steel",
                Kind::Concrete => "is that of concrete",
                Kind::Elastic => "is that of concrete or steel",
                Kind::Gravity | Kind::Length => "is the acceleration of gravity",
            };
            why.push(format!("{} = {} {like}", c.what, crate::write::number(c.value)));
        }
    }
    if why.is_empty() {
        let system = SYSTEMS[1];
        let reason = "no number of the script tells its units; results are right if they are consistent, with s".into();
        return Units { system, reason, blind: true };
    }
    Units { system: best, reason: why.join("; "), blind: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(clues: &[(Kind, f64)]) -> String {
        let clues: Vec<Clue> = clues.iter().map(|&(kind, value)| Clue { kind, value, what: "x".into() }).collect();
        let s = guess(&clues).system;
        format!("{},{}", s.force, s.length)
    }

    #[test]
    fn moduli_and_lengths_tell_the_units() {
        assert_eq!(of(&[(Kind::Steel, 29000.0), (Kind::Length, 144.0)]), "kip,in");
        assert_eq!(of(&[(Kind::Steel, 2.9e7), (Kind::Length, 144.0)]), "lbf,in");
        assert_eq!(of(&[(Kind::Steel, 2e11), (Kind::Length, 3.0)]), "N,m");
        assert_eq!(of(&[(Kind::Steel, 2.1e8), (Kind::Length, 3.0)]), "kN,m");
        assert_eq!(of(&[(Kind::Steel, 2e5), (Kind::Length, 3000.0)]), "N,mm");
        assert_eq!(of(&[(Kind::Steel, 2e5), (Kind::Length, 3.0)]), "MN,m");
        assert_eq!(of(&[(Kind::Steel, 200.0), (Kind::Length, 3000.0)]), "kN,mm");
        assert_eq!(of(&[(Kind::Concrete, -5.0), (Kind::Gravity, 386.4)]), "kip,in");
        assert_eq!(of(&[(Kind::Length, 3.0)]), "N,m");
    }

    #[test]
    fn users_write_units_in_many_ways() {
        for (text, force, length) in
            [("kN,m", "kN", "m"), ("in,kip", "kip", "in"), ("Kips-Inches-sec", "kip", "in"), ("lb ft", "lbf", "ft")]
        {
            let s = told(text).map(|u| u.system).unwrap_or(SYSTEMS[12]);
            assert_eq!((s.force, s.length), (force, length), "{text}");
        }
        assert!(told("furlong").is_err_and(|e| e.contains("kip,in")));
    }
}
