//! The front end of the model file: units, quantities, parameters, TOML reading, messages.

use std::time::Instant;

use interfield_language::diag::{Diagnostic, Diagnostics, Source, suggest};
use interfield_language::document::Document;
use interfield_language::key::{
    Choice, Flag, Inner, Key, Length, List, Mass, Number, POSITIVE, Rows, Section, Stiffness, Tables, Text, Whole,
    choice, key, table, tables,
};
use interfield_language::parse::units;
use interfield_language::quantity::{PARAMETERS, Parameters, Scope, Value};
use interfield_language::reader::{Spanned, inner_span};
use interfield_language::units::{Dimension, Unit, UnitSystem};

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

// -------------------------------------------------------------------------------------------- units

#[test]
fn units_of_all_kinds() {
    use Dimension as D;
    let cases: &[(&str, f64, Dimension)] = &[
        ("kN/mm", 1e6, D::STIFFNESS),
        ("m/s^2", 1.0, D::ACCELERATION),
        ("m/s²", 1.0, D::ACCELERATION),
        ("m/s/s", 1.0, D::ACCELERATION),
        ("m·s⁻²", 1.0, D::ACCELERATION),
        ("N*s/m", 1.0, D::DAMPING),
        ("kN·m", 1e3, D::MOMENT),
        ("kN m", 1e3, D::MOMENT),
        ("kN × m", 1e3, D::MOMENT),
        ("1/s", 1.0, D::FREQUENCY),
        ("s^-1", 1.0, D::FREQUENCY),
        ("1", 1.0, D::NONE),
        ("t", 1e3, D::MASS),
        ("Mg", 1e3, D::MASS),
        ("gram", 1e-3, D::MASS),
        ("kg*m^2", 1.0, D::INERTIA),
        ("kg m2", 1.0, D::INERTIA),
        ("kg/m3", 1.0, D::DENSITY),
        ("MPa", 1e6, D::STRESS),
        ("N/mm^2", 1e6, D::STRESS),
        ("N/(mm*mm)", 1e6, D::STRESS),
        ("GPa", 1e9, D::STRESS),
        ("cm^4", 1e-8, D::SECOND_MOMENT),
        ("g", 9.80665, D::ACCELERATION),
        ("Gal", 0.01, D::ACCELERATION),
        ("Hz", 1.0, D::FREQUENCY),
        ("kHz", 1e3, D::FREQUENCY),
        ("rpm", std::f64::consts::PI / 30.0, D::FREQUENCY),
        ("deg", std::f64::consts::PI / 180.0, D::NONE),
        ("°", std::f64::consts::PI / 180.0, D::NONE),
        ("%", 0.01, D::NONE),
        ("rad", 1.0, D::NONE),
        ("mrad", 1e-3, D::NONE),
        ("kN*m/rad", 1e3, D::MOMENT),
        ("ms", 1e-3, D::TIME),
        ("µs", 1e-6, D::TIME),
        ("us", 1e-6, D::TIME),
        ("min", 60.0, D::TIME),
        ("h", 3600.0, D::TIME),
        ("in", 0.0254, D::LENGTH),
        ("ft", 0.3048, D::LENGTH),
        ("lbf", 4.4482216152605, D::FORCE),
        ("kip", 4448.2216152605, D::FORCE),
        ("ksi", 6894757.293168361, D::STRESS),
        ("kip/in^2", 6894757.293168361, D::STRESS),
        ("lb", 0.45359237, D::MASS),
        ("m^0.5", 1.0, D::LENGTH.power(0.5)),
        ("kN^(1/2)", 1e3f64.sqrt(), D::FORCE.power(0.5)),
        ("N^-0.5/m", 1.0, D::FORCE.power(-0.5).per(D::LENGTH)),
    ];
    for &(text, factor, dim) in cases {
        let u = Unit::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(near(u.factor, factor), "{text}: {} instead of {factor}", u.factor);
        assert_eq!(u.dim, dim, "{text}");
    }
    let bad: &[(&str, &str, &str)] = &[
        ("KN", "unknown unit `KN`", "did you mean `kN`?"),
        ("kn/mm", "unknown unit `kn`", "did you mean `kN`?"),
        ("kN/milimeter", "unknown unit `milimeter`", ""),
        ("tons", "unknown unit `tons`", "did you mean `t`?"),
        ("kipf/in", "unknown unit `kipf`", "did you mean `kip`?"),
        ("Newton", "unknown unit `Newton`", "did you mean `N`?"),
        ("kN/Meters", "unknown unit `Meters`", "did you mean `m`?"),
        ("milliseconds", "unknown unit `milliseconds`", "did you mean `ms`?"),
        ("degrees/s", "unknown unit `degrees`", "did you mean `deg`?"),
        ("percent", "unknown unit `percent`", "did you mean `%`?"),
        ("Nmm", "unknown unit `Nmm`", "did you mean `N*mm`?"),
        ("kNs/m", "unknown unit `kNs`", "did you mean `kN*s`?"),
        ("kN.m", "unexpected `.` in a unit", "did you mean `kN*m`?"),
        ("kN-m/rad", "unexpected `-` in a unit", "did you mean `kN*m/rad`?"),
        ("kg*m**2", "unexpected `*` in a unit", "did you mean `kg*m^2`?"),
        ("kNm", "unknown unit `kNm`", "did you mean `kN*m`?"),
        ("", "empty unit", "units are written like"),
        ("kN/", "the unit is incomplete", "units are written like"),
        ("kN//m", "unexpected `/` in a unit", ""),
        ("m^x", "unexpected `x` in a unit", ""),
        ("(m", "the unit is incomplete", ""),
        ("m^1000", "the exponent is too large", ""),
        ("5 kN", "unexpected `5` in a unit", ""),
    ];
    for &(text, message, help) in bad {
        let e = Unit::parse(text).expect_err(text);
        assert!(e.message.contains(message), "{text}: {}", e.message);
        assert!(e.help.clone().unwrap_or_default().contains(help), "{text}: {:?}", e.help);
    }
    assert_eq!(Unit::parse("kN/kn").unwrap_err().span, 3..5);
}

#[test]
fn dimensions_are_named() {
    assert_eq!(Dimension::STIFFNESS.describe(), "stiffness (force/length)");
    assert_eq!(Dimension::FORCE.to_string(), "kg*m/s^2");
    assert_eq!(Dimension::FREQUENCY.to_string(), "1/s");
    assert_eq!(Dimension::NONE.to_string(), "1");
    assert_eq!(Dimension::new(0.0, 0.5, 1.0).describe(), "a quantity in m^0.5*s");
}

#[test]
fn unit_systems() {
    use Dimension as D;
    let kn_mm = UnitSystem::new(Some("mm"), Some("kN"), None, Some("s")).unwrap();
    for (dim, factor, label) in [
        (D::LENGTH, 1e-3, "mm"),
        (D::FORCE, 1e3, "kN"),
        (D::STIFFNESS, 1e6, "kN/mm"),
        (D::ACCELERATION, 1e-3, "mm/s^2"),
        (D::DAMPING, 1e6, "kN*s/mm"),
        (D::MASS, 1e6, "kN*s^2/mm"),
        (D::MOMENT, 1.0, "kN*mm"),
        (D::STRESS, 1e9, "kN/mm^2"),
        (D::NONE, 1.0, "-"),
        (D::FREQUENCY, 1.0, "1/s"),
    ] {
        assert!(near(kn_mm.factor(dim), factor), "{label}: {}", kn_mm.factor(dim));
        assert_eq!(kn_mm.label(dim), label);
    }
    let angles = [D::NONE, D::FREQUENCY, D::ANGULAR_ACCELERATION].map(|d| kn_mm.angle_label(d));
    assert_eq!(angles, ["rad", "rad/s", "rad/s^2"]);
    let si = UnitSystem::si();
    assert_eq!([D::MASS, D::INERTIA, D::STIFFNESS, D::MOMENT].map(|d| si.label(d)), ["kg", "kg*m^2", "N/m", "N*m"]);
    let mass_based = UnitSystem::new(Some("mm"), None, Some("t"), Some("s")).unwrap();
    assert_eq!(mass_based.label(D::FORCE), "N");
    assert_eq!(mass_based.label(D::STRESS), "N/mm^2");
    assert!(near(mass_based.factor(D::STRESS), 1e6));
    assert_eq!(UnitSystem::new(None, Some("kN"), None, None).unwrap().label(D::MASS), "t");
    let us = UnitSystem::new(Some("in"), Some("kip"), None, Some("s")).unwrap();
    assert_eq!(us.label(D::STRESS), "kip/in^2");
    assert!(near(us.factor(D::STRESS), 6894757.293168361));
    assert!(UnitSystem::new(Some("m"), Some("kN"), Some("t"), None).is_ok());
    let e = UnitSystem::new(Some("m"), Some("kN"), Some("kg"), None).unwrap_err();
    assert!(e[0].error.message.contains("inconsistent"), "{e:?}");
    let e = UnitSystem::new(Some("kN"), Some("mm"), None, Some("sek")).unwrap_err();
    assert_eq!(e.iter().map(|e| e.key).collect::<Vec<_>>(), ["length", "time", "force"]);
}

// --------------------------------------------------------------------------------------- quantities

fn scope() -> Scope {
    let mut s = Scope::new(UnitSystem::new(Some("mm"), Some("kN"), None, None).unwrap());
    s.insert("k1", Value::of(4e6, Some(Dimension::STIFFNESS)));
    s.insert("m", Value::of(1e3, Some(Dimension::MASS)));
    s.insert("n", Value::bare(2.0));
    s
}

#[test]
fn quantities_evaluate() {
    use Dimension as D;
    let cases: &[(&str, Dimension, f64)] = &[
        ("4 kN/mm", D::STIFFNESS, 4e6),
        ("4kN/mm", D::STIFFNESS, 4e6),
        ("4", D::STIFFNESS, 4e6),
        ("k1", D::STIFFNESS, 4e6),
        ("2*k1 + 3 kN/mm", D::STIFFNESS, 11e6),
        ("-k1", D::STIFFNESS, -4e6),
        ("sqrt(k1/m)", D::ANGULAR_FREQUENCY, 4000f64.sqrt()),
        ("(k1/m)^0.5", D::ANGULAR_FREQUENCY, 4000f64.sqrt()),
        ("k1/m", D::ANGULAR_ACCELERATION, 4000.0),
        ("0.2 g", D::ACCELERATION, 1.96133),
        ("5 %", D::NONE, 0.05),
        ("5%*2", D::NONE, 0.1),
        ("30 deg", D::NONE, std::f64::consts::PI / 6.0),
        ("100*cos(60 deg)", D::FORCE, 50e3),
        ("2*pi*3 Hz", D::ANGULAR_FREQUENCY, 6.0 * std::f64::consts::PI),
        ("5 1/s", D::FREQUENCY, 5.0),
        ("3 m/2 m", D::NONE, 1.5),
        ("3 m/n", D::LENGTH, 1.5),
        ("3 kN*k1/k1", D::FORCE, 3e3),
        ("3 kN/m", D::STIFFNESS, 3e3),
        ("(3 kN)/m", D::ACCELERATION, 3.0),
        ("min(3 kN, 2000 N)", D::FORCE, 2e3),
        ("max(1, n, 3)", D::NONE, 3.0),
        ("0 + 3 kN", D::FORCE, 3e3),
        ("abs(-3 kN)", D::FORCE, 3e3),
        ("2^3^2", D::NONE, 512.0),
        ("-2^2", D::NONE, -4.0),
        ("2^-1", D::NONE, 0.5),
        ("1 - 2 - 3", D::NONE, -4.0),
        ("8/4/2", D::NONE, 1.0),
        ("1e3 N", D::FORCE, 1e3),
        (".5 kN", D::FORCE, 500.0),
        ("2·k1", D::STIFFNESS, 8e6),
        ("if(n > 1, 2 kN, 3 kN)", D::FORCE, 2e3),
        ("2 kN m", D::MOMENT, 2e3),
        ("2 N^0.5", D::FORCE.power(0.5), 2.0),
        ("12 kN/m2*3 m", D::STIFFNESS, 36e3),
    ];
    for &(text, dim, si) in cases {
        let x = scope().quantity(text, dim).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert!(near(x, si), "{text}: {x} instead of {si}");
    }
}

/// What counts cycles and what counts angle is converted as it is written, followed through `pi`, and otherwise refused.
#[test]
fn frequencies_are_told_apart() {
    use Dimension as D;
    let mut scope = Scope::new(UnitSystem::si());
    for (name, text) in
        [("f", "2 Hz"), ("w", "3 rad/s"), ("T", "0.5 s"), ("tau", "2*pi"), ("k", "8 N/m"), ("m", "2 kg")]
    {
        let value = scope.evaluate(text).unwrap();
        scope.insert(name, value);
    }
    let tau = std::f64::consts::TAU;
    // Text, in Hz, in rad/s, in 1/s; `None` where it is refused.
    type Row = (&'static str, Option<f64>, Option<f64>, Option<f64>);
    let cases: &[Row] = &[
        ("2", Some(2.0), Some(2.0), Some(2.0)),
        ("2 1/s", Some(2.0), Some(2.0), Some(2.0)),
        ("1/T", Some(2.0), Some(2.0), Some(2.0)),
        ("2 Hz", Some(2.0), Some(2.0 * tau), None),
        ("2 mHz", Some(2e-3), Some(2e-3 * tau), None),
        ("2 rad/s", Some(2.0 / tau), Some(2.0), Some(2.0)),
        ("2 mrad/ms", Some(2.0 / tau), Some(2.0), Some(2.0)),
        ("60 rpm", Some(1.0), Some(tau), Some(tau)),
        ("120 rev/min", Some(2.0), Some(2.0 * tau), Some(2.0 * tau)),
        ("720 deg/s", Some(2.0), Some(2.0 * tau), Some(2.0 * tau)),
        ("-f", Some(-2.0), Some(-2.0 * tau), None),
        ("f + 1 Hz", Some(3.0), Some(3.0 * tau), None),
        ("f + 1/T", Some(4.0), None, None),
        ("max(w, 60 rpm)", Some(1.0), Some(tau), Some(tau)),
        ("2*f", Some(4.0), None, None),
        ("2*pi*f", None, Some(2.0 * tau), Some(2.0 * tau)),
        ("f*tau", None, Some(2.0 * tau), Some(2.0 * tau)),
        ("6.2832*f", Some(12.5664), None, None),
        ("2*w", None, Some(6.0), Some(6.0)),
        ("w/(2*pi)", Some(3.0 / tau), None, None),
        ("w/2/pi", Some(3.0 / tau), None, None),
        ("w/6.25", None, Some(0.48), Some(0.48)),
        ("w/(1 rev)", Some(3.0 / tau), Some(3.0 / tau), Some(3.0 / tau)),
        ("f*(1 rev)", None, Some(2.0 * tau), Some(2.0 * tau)),
        ("sqrt(k/m)", None, Some(2.0), Some(2.0)),
        ("(k/m)^0.5", None, Some(2.0), Some(2.0)),
        ("sqrt(k/m)/(2*pi)", Some(2.0 / tau), None, None),
        ("sqrt(f*8 Hz)", Some(4.0), None, None),
        ("1/(2*pi*sqrt(m/k))", Some(2.0 / tau), Some(2.0 / tau), Some(2.0 / tau)),
    ];
    for &(text, hertz, angular, plain) in cases {
        for (dim, expected) in [(D::FREQUENCY, hertz), (D::ANGULAR_FREQUENCY, angular), (D::RATE, plain)] {
            match (scope.quantity(text, dim), expected) {
                (Ok(x), Some(y)) => assert!(near(x, y), "{text} as {}: {x}, not {y}", dim.describe()),
                (Err(e), None) => assert!(e[0].help.is_some(), "{text}: {e:?}"),
                (found, _) => panic!("{text} as {}: {found:?}, not {expected:?}", dim.describe()),
            }
        }
    }
    for text in ["f + w", "max(f, 3 rad/s)", "if(f < w, 1 Hz, 2 Hz)", "2 N/(mm*Hz)", "3 mm*Hz"] {
        assert!(scope.evaluate(text).is_err(), "{text}");
    }
    // Elsewhere Hz are 1/s: periods, and the formulas of structural dynamics.
    for (text, dim, si) in [
        ("1/f", D::TIME, 0.5),
        ("5/(2 Hz)", D::TIME, 2.5),
        ("m*(2*pi*f)^2", D::STIFFNESS, 2.0 * (2.0 * tau) * (2.0 * tau)),
        ("4*pi^2*m*f^2", D::STIFFNESS, 2.0 * (2.0 * tau) * (2.0 * tau)),
        ("2*0.05*m*w", D::DAMPING, 0.6),
        ("3 kN*m/rad", D::MOMENT, 3e3),
    ] {
        let x = scope.quantity(text, dim).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert!(near(x, si), "{text}: {x} instead of {si}");
    }
}

#[test]
fn quantities_are_checked() {
    use Dimension as D;
    // Text, dimension of the place, range of the error, part of the message, part of the help.
    let cases: &[(&str, Dimension, std::ops::Range<usize>, &str, &str)] = &[
        ("4 kN/m^2", D::STIFFNESS, 0..8, "expected stiffness (force/length), found stress", "4 kN/mm"),
        ("k1 + 3", D::STIFFNESS, 0..6, "cannot add stiffness (force/length) and a number without unit", "4 kN/mm"),
        ("k1 + 3 mm", D::STIFFNESS, 0..9, "cannot add stiffness (force/length) and length", ""),
        ("2*(k1 - m)", D::STIFFNESS, 3..9, "cannot subtract", ""),
        ("sin(3 mm)", D::NONE, 0..9, "the argument must be dimensionless, found length", ""),
        ("2^(3 mm)", D::NONE, 0..8, "an exponent must be dimensionless", ""),
        ("k2", D::STIFFNESS, 0..2, "unknown parameter `k2`", "did you mean `k1`?"),
        ("2*K1", D::STIFFNESS, 2..4, "unknown parameter `K1`", "did you mean `k1`?"),
        ("kN", D::FORCE, 0..2, "unknown parameter `kN`", "1 kN"),
        ("4 kn/mm", D::STIFFNESS, 2..4, "unknown unit `kn`", "did you mean `kN`?"),
        ("4 kN/mn", D::STIFFNESS, 5..7, "unknown parameter `mn`", "did you mean"),
        ("4 kN/mz", D::STIFFNESS, 5..7, "unknown parameter `mz`", ""),
        ("2 k1", D::STIFFNESS, 2..4, "missing operator", "*k1"),
        ("1/0", D::NONE, 0..3, "division by zero", ""),
        ("log(0)", D::NONE, 0..6, "not a finite number", ""),
        ("sqrt(-1)", D::NONE, 0..8, "not a finite number", ""),
        ("1e200*1e200", D::NONE, 0..11, "not a finite number", ""),
        ("1e999", D::NONE, 0..5, "too large", ""),
        ("2,5 kN", D::FORCE, 1..2, "unexpected `,`", "decimal point"),
        ("(3 kN", D::FORCE, 0..1, "never closed", ""),
        ("3 kN)", D::FORCE, 4..5, "`)` without `(`", ""),
        ("3 kN +", D::FORCE, 5..6, "nothing follows the operator `+`", ""),
        ("", D::FORCE, 0..0, "empty", ""),
        ("3 kN * m", D::ACCELERATION, 0..8, "expected acceleration", "`m` is the unit"),
        ("2**3", D::NONE, 1..3, "unexpected `**`", "^"),
    ];
    for (text, dim, span, message, help) in cases {
        let e = scope().quantity(text, *dim).expect_err(text).remove(0);
        assert!(e.message.contains(message), "{text}: {}", e.message);
        assert_eq!(e.span, *span, "{text}: {}", e.message);
        assert!(e.help.clone().unwrap_or_default().contains(help), "{text}: {:?}", e.help);
    }
    assert_eq!(scope().evaluate("x1 + x2").unwrap_err().len(), 2, "all unknown names at once");
}

// --------------------------------------------------------------------------------------- parameters

/// Resolves `[parameters]` and returns the scope with all messages as "line:column message | help".
fn resolve(text: &str, set: &[(&str, &str)]) -> (Scope, Vec<String>) {
    let source = Source::new("p.toml", text);
    let diags = Diagnostics::new();
    let doc = Document::parse(&source, &diags).unwrap();
    let nothing = Scope::default();
    let root = doc.root(&nothing, &FRAME_FILE);
    let mut parameters = root.open(&FRAME_PARAMETERS).map(Parameters::read).unwrap_or_default();
    for (name, text) in set {
        parameters.set(name, text, &diags);
    }
    let scope = parameters.resolve(UnitSystem::si(), &source, &diags);
    root.finish();
    (scope, messages(&diags, &source))
}

fn messages(diags: &Diagnostics, source: &Source) -> Vec<String> {
    let list = diags.located(source).into_iter().map(|d| {
        let place = d.line.zip(d.column).map_or("-".to_string(), |(l, c)| format!("{l}:{c}"));
        format!("{place} {} | {}", d.message, d.help.unwrap_or_default())
    });
    list.collect()
}

#[test]
fn parameters_resolve_in_any_order() {
    let text = "[parameters]\nomega = \"sqrt(k/m)\"\nk = \"2*k0\"\nk0 = \"4 kN/mm\"\nm = \"2 t\"\nn = 2\n";
    let (scope, errors) = resolve(text, &[]);
    assert_eq!(errors, [""; 0]);
    assert!(near(scope.get("omega").unwrap().si, 4000f64.sqrt()));
    assert_eq!(scope.get("omega").unwrap().dim, Some(Dimension::FREQUENCY));
    assert_eq!(scope.get("n"), Some(Value::bare(2.0)));
    let (scope, errors) = resolve(text, &[("k0", "16 kN/mm"), ("n", "m/(1 kg)")]);
    assert_eq!(errors, [""; 0]);
    assert!(near(scope.get("omega").unwrap().si, 16000f64.sqrt()));
    assert!(near(scope.get("n").unwrap().si, 2000.0));
}

#[test]
fn parameters_report_cycles_and_unknown_names() {
    let (scope, errors) = resolve("[parameters]\na = \"b\"\nb = \"2*c\"\nc = \"a + 1\"\nd = \"a\"\ne = 5\n", &[]);
    let help = "give one of them a value that does not refer to the others";
    assert_eq!(errors, [format!("2:5 the parameters refer to each other in a circle: a -> b -> c -> a | {help}")]);
    assert_eq!(scope.get("d"), None);
    assert_eq!(scope.get("e"), Some(Value::bare(5.0)));
    let (_, errors) = resolve("[parameters]\na = \"a\"\n", &[]);
    assert_eq!(errors, [format!("2:5 the parameters refer to each other in a circle: a -> a | {help}")]);
    // All at once, and the use of a wrong parameter is not reported again.
    let text = "[parameters]\nk0 = \"3 kn\"\nk1 = \"k0 + 1 mm\"\nk2 = \"k3 + k5\"\n\"a b\" = 1\nsin = 2\nx = [1]\n";
    let (_, errors) = resolve(text, &[("kk", "1"), ("k1", "2 *"), ("zzzzz", "1")]);
    let expected = [
        "- --set kk=1: the file has no parameter `kk` | did you mean `k0`?",
        "- --set zzzzz=1: the file has no parameter `zzzzz` | parameters are k0, k1, k2",
        "- --set k1=2 *: nothing follows the operator `*` | remove it",
        "2:9 unknown unit `kn` | did you mean `kN`?",
        "4:7 unknown parameter `k3` | did you mean `k0`?",
        "4:12 unknown parameter `k5` | did you mean `k0`?",
        "5:1 `a b` cannot be the name of a parameter | ",
        "6:1 `sin` cannot be the name of a parameter | ",
        "7:5 expected a number or a string, found a list | ",
    ];
    assert_eq!(errors.len(), expected.len(), "{errors:#?}");
    for (e, x) in errors.iter().zip(expected) {
        assert!(e.starts_with(x.trim_end()), "{e}\n{x}");
    }
    // A long chain needs no stack.
    let mut text = "[parameters]\n".to_string();
    for i in 0..50_000 {
        text += &format!("a{i} = \"a{}\"\n", i + 1);
    }
    let (scope, errors) = resolve(&(text + "a50000 = 7\n"), &[]);
    assert_eq!(errors, [""; 0]);
    assert_eq!(scope.get("a0"), Some(Value::bare(7.0)));
}

// ------------------------------------------------------------------------------------------- reader

const FRAME: &str = r#"# A frame.
title = "frame"
[units]
length = "mm"
force = "kN"
[parameters]
k1 = "4 kN/mm"
[[nodes]]
name = "base"
fixed = true
at = [0, 0]
[[nodes]]
name = "roof"
mass = "12 t"
at = [0, "3 m"]
[[elements]]
type = "spring"
nodes = ["base", "roof"]
k = "2*k1"
order = 3
matrix = [[1, 2], [3.5, 4]]
"#;

const TITLE: Key<Text> = key("title", "A title.").required().example("my frame");
const UNITS: Key<Inner> = table("units", &units::UNITS, "Units.");
const FRAME_PARAMETERS: Key<Inner> = table("parameters", &PARAMETERS, "Parameters.");
const NODES: Key<Tables> = tables("nodes", &FRAME_NODES, "Nodes.");
const ELEMENTS: Key<Tables> = tables("elements", &FRAME_ELEMENTS, "Elements.");
static FRAME_FILE: Section =
    Section::new("frame", "", "A frame.", &[&TITLE, &UNITS, &FRAME_PARAMETERS, &NODES, &ELEMENTS]);

const NAME: Key<Text> = key("name", "A name.").required().example("roof");
const FIXED: Key<Flag> = key("fixed", "Whether it is held.").default("false");
const MASS: Key<Mass> = key("mass", "A mass.").range(POSITIVE);
const AT: Key<List<Length>> = key("at", "A position.").required();
static FRAME_NODES: Section = Section::new("nodes", "[[nodes]]", "A node.", &[&NAME, &FIXED, &MASS, &AT]);

const TYPE: Key<Choice<(usize, &str)>> = choice("type", &[(0, "spring"), (1, "bouc-wen")], "A type.").required();
const JOINED: Key<List<Text>> = key("nodes", "Nodes.").required().example("[\"base\", \"roof\"]");
const K: Key<Stiffness> = key("k", "A stiffness.").required();
const ORDER: Key<Whole> = key("order", "An order.");
const NUMBER: Key<Number> = key("number", "A number.");
const MATRIX: Key<Rows> = key("matrix", "A matrix.");
static FRAME_ELEMENTS: Section =
    Section::new("elements", "[[elements]]", "An element.", &[&TYPE, &JOINED, &K, &ORDER, &NUMBER, &MATRIX]);

/// Reads everything a file like FRAME may contain; returns a summary of what it found.
fn read_frame(source: &Source, diags: &Diagnostics) -> Option<String> {
    use std::fmt::Write;
    let doc = Document::parse(source, diags)?;
    let nothing = Scope::default();
    let first = doc.root(&nothing, &FRAME_FILE);
    let units = first.open(&UNITS).and_then(units::read).unwrap_or_default();
    let parameters = first.open(&FRAME_PARAMETERS).map(Parameters::read).unwrap_or_default();
    let scope = parameters.resolve(units, source, diags);
    let root = doc.root(&scope, &FRAME_FILE);
    root.ignore(&UNITS);
    root.ignore(&FRAME_PARAMETERS);
    let mut out = String::new();
    let title = root.read(&TITLE);
    for node in root.all(&NODES) {
        let (name, fixed, mass) = (node.read(&NAME), node.value(&FIXED), node.read(&MASS));
        let at = node.read(&AT).map(|a| a.value.iter().map(|x| x.value).collect::<Vec<_>>());
        write!(out, "{:?} {fixed} {:?} {at:?};", name.map(|n| n.value), mass.map(|m| m.value)).unwrap();
        node.finish();
    }
    for e in root.all(&ELEMENTS) {
        let (kind, nodes, k) = (e.read(&TYPE), e.read(&JOINED), e.read(&K));
        let (order, number, matrix) = (e.read(&ORDER), e.read(&NUMBER), e.read(&MATRIX));
        write!(
            out,
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            kind.map(|k| k.value.0),
            nodes.map(|n| n.value.len()),
            k.map(|k| k.value),
            order.map(|o| o.value),
            number.map(|o| o.value),
            matrix.map(|m| m.value)
        )
        .unwrap();
        e.finish();
    }
    root.finish();
    Some(format!("{:?} {out}", title.map(|t| t.value)))
}

fn errors_of(text: &str) -> Vec<String> {
    let source = Source::new("frame.toml", text);
    let diags = Diagnostics::new();
    read_frame(&source, &diags);
    messages(&diags, &source)
}

#[test]
fn a_good_file_is_read() {
    let source = Source::new("frame.toml", FRAME);
    let diags = Diagnostics::new();
    let found = read_frame(&source, &diags).unwrap();
    assert_eq!(diags.render(&source, false), "");
    assert_eq!(
        found,
        "Some(\"frame\") Some(\"base\") true None Some([0.0, 0.0]);Some(\"roof\") false Some(12000.0) Some([0.0, 3.0]);\
         Some(0) Some(2) Some(8000000.0) Some(3) None Some([[1.0, 2.0], [3.5, 4.0]])"
    );
    // The same with inline tables.
    let inline = "title = \"f\"\nnodes = [{name = \"a\", at = [1]}, {name = \"b\", at = [2]}]\n";
    assert_eq!(errors_of(inline), [""; 0]);
}

#[test]
fn all_errors_of_a_file_at_once() {
    let text = r#"titel = "frame"
[units]
length = "mm"
force = "kn"
[[nodes]]
name = 5
fixed = "true"
at = [0, "3 kg", "3 µx"]
[[nodes]]
mass = "-1 t"
at = 3
colour = "red"
[[elements]]
type = "sprong"
nodes = ["a", 2]
k = "2*k1 + +"
order = 2.5
number = "7"
matrix = [[1, 2], [3]]
[elements.extra]
"#;
    let expected = [
        "1:1 unknown key `titel` | did you mean `title`?",
        "4:10 unknown unit `kn` | did you mean `kN`?",
        "6:8 expected a string, found a number | write it in quotes: \"5\"",
        "7:9 expected true or false, found a string | remove the quotes",
        "8:11 expected length, found mass | write for example \"20 mm\"",
        "8:21 unknown unit `µx` | ",
        "9:1 missing key `name` in `nodes` | write for example: name = \"roof\"",
        "10:8 `mass` must be greater than zero, found -1000 kg | remove the sign",
        "11:6 expected a list, found a number | write it in brackets: [3]",
        "12:1 unknown key `colour` in `nodes` | keys known here: at, fixed, mass, name",
        "14:8 unknown value \"sprong\" | did you mean `spring`? allowed are \"spring\", \"bouc-wen\"",
        "15:15 expected a string, found a number | write it in quotes: \"2\"",
        "16:8 unknown parameter `k1` | the file has no [parameters]",
        "16:13 nothing follows the operator `+` | ",
        "17:9 expected a whole number, found 2.5 | ",
        "18:10 expected a number, found a string | remove the quotes: 7",
        "19:19 the first row has 2 values, this one 1 | ",
        "20:11 unknown key `extra` in `elements` | keys known here",
    ];
    let found = errors_of(text);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (f, e) in found.iter().zip(expected) {
        assert!(f.starts_with(e), "{f}\n{e}");
    }
}

#[test]
fn syntax_errors_are_located() {
    let cases = [
        ("title = frame\n", "1:9", "quotes: \"frame\""),
        ("title = \"f\"\nk = 4 kN/mm\n", "2:", "quotes: \"4 kN/mm\""),
        ("title =\n", "1:", "a value must follow"),
        ("title = \"f\n", "1:", ""),
        ("[[nodes]\n", "1:", ""),
        ("title = \"a\"\ntitle = \"b\"\n", "2:1 `title` is given twice", "keep one"),
        ("title = \"a\"\n[x]\n[x]\n", "3:2 `x` is given twice", ""),
        ("title: 5\n", "1:", "`=`: title = 5"),
    ];
    for (text, place, help) in cases {
        let e = errors_of(text);
        assert!(e.iter().any(|e| e.starts_with(place) && e.contains(help)), "{text}: {e:?}");
    }
    // Several at once.
    let e = errors_of("a = frame\nb = \"x\"\nc = 3 kN\nd = [1, 2\n");
    assert!(e.len() >= 3 && e[0].starts_with("1:5") && e[1].starts_with("3:"), "{e:#?}");
}

#[test]
fn columns_count_characters() {
    let e = errors_of("title = \"µµ\"\r\n[[nodes]]\r\nname = \"äöü\" # ö\r\nat = [\"1 µm\", \"2 ö\"]\r\n");
    assert!(e.len() == 1 && e[0].starts_with("4:18 unknown unit `ö` | units are m, mm"), "{e:?}");
    let source = Source::new("s", "ab\ncµd\n");
    let expected = [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 1)];
    assert_eq!([0, 2, 3, 4, 6, 7, 8, 99].map(|o| source.line_column(o)), expected);
    assert_eq!(source.line_column(5), (2, 2), "inside a character");
}

#[test]
fn places_inside_strings() {
    for (text, range, found) in [
        ("x = \"ab + cd\"", 5..7, "cd"),
        ("x = 'ab + cd'", 5..7, "cd"),
        ("x = \"\"\"\nab + cd\"\"\"", 5..7, "cd"),
        ("x = \"a\\tb + cd\"", 6..8, "\"a\\tb + cd\""),
    ] {
        let source = Source::new("s", text);
        let diags = Diagnostics::new();
        let doc = Document::parse(&source, &diags).unwrap();
        let scope = Scope::default();
        const X: Key<Text> = key("x", "A text.");
        static ONE: Section = Section::new("one", "", "One key.", &[&X]);
        let value: Spanned<String> = doc.root(&scope, &ONE).read(&X).unwrap();
        assert_eq!(source.slice(inner_span(&source, &value, range)), found, "{text}");
    }
}

#[test]
fn rendering() {
    let text = "title = \"f\"\n[[nodes]]\nname = 5\n";
    let source = Source::new("frame.toml", text);
    let diags = Diagnostics::new();
    read_frame(&source, &diags);
    diags.push(Diagnostic::warning("nothing to do", 12..21).also(0..5, "because of this").label("here"));
    let plain = diags.render(&source, false);
    let expected = "\
error: missing key `at` in `nodes`
 --> frame.toml:2:1
  |
2 | [[nodes]]
  | ^^^^^^^^^
  |
  = help: write for example: at = [\"20 mm\", \"20 mm\"]

warning: nothing to do
 --> frame.toml:2:1
  |
1 | title = \"f\"
  | ----- because of this
2 | [[nodes]]
  | ^^^^^^^^^ here

error: expected a string, found a number
 --> frame.toml:3:8
  |
3 | name = 5
  |        ^ expected a string
  |
  = help: write it in quotes: \"5\"

2 errors, 1 warning in frame.toml
";
    assert_eq!(plain, expected, "{plain}");
    assert!(diags.render(&source, true).contains("\u{1b}["));
    assert_eq!((diags.error_count(), diags.warning_count(), diags.has_errors()), (2, 1, true));
}

#[test]
fn hostile_files() {
    let nested = |open: &str, close: &str, n: usize| format!("x = {}1{}\n", open.repeat(n), close.repeat(n));
    let long_line = format!("title = \"f\"\nx = [{}]\n", "1, ".repeat(300_000));
    for text in [
        nested("[", "]", 100_000),
        nested("{a = ", "}", 100_000),
        format!("{}x = 1\n", "a.".repeat(200_000)),
        format!("{}x = 1\n", "\"(\" . ".repeat(200_000)),
        format!("[{}x]\n", "a.".repeat(200_000)),
        format!("x = {{ {}x = 1 }}\n", "a.".repeat(200_000)),
        "[".repeat(1_000_000),
        "= = =\n".repeat(50_000),
        "x = \"".repeat(50_000),
        long_line,
        "\u{feff}title = \"f\"\n".to_string(),
        "\0\0\0".to_string(),
        String::new(),
    ] {
        let source = Source::new("hostile.toml", text);
        let diags = Diagnostics::new();
        let start = Instant::now();
        read_frame(&source, &diags);
        assert!(diags.render(&source, false).len() < 1_000_000);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
    // Many dots that are no nesting.
    let text = format!("title = \"{}\" # {}\nx = [{}]\n", "a. ".repeat(500), "a.".repeat(500), "1.5, ".repeat(500));
    assert!(errors_of(&text)[0].contains("unknown key `x`"));
    // A large good file.
    let mut text = "title = \"f\"\n".to_string();
    for i in 0..20_000 {
        text += &format!("[[nodes]]\nname = \"n{i}\"\nat = [\"{i} mm\", 2]\n");
    }
    assert_eq!(errors_of(&text), [""; 0]);
}

#[test]
fn suggestions() {
    let names = ["stiffness", "damping", "nodes", "k", "k2"];
    for (name, found) in [
        ("stifness", Some("stiffness")),
        ("Damping", Some("damping")),
        ("node", Some("nodes")),
        ("K", Some("k")),
        ("colour", None),
        ("x", None),
    ] {
        assert_eq!(suggest(name, names), found, "{name}");
    }
    assert_eq!(suggest(&"x".repeat(100_000), names), None);
}
