//! Formulas of the model file: values, exact derivatives, errors, and the element made of them.

use interfield_kernel::element::{AnyLaw, Element, Tangent};
use interfield_kernel::expr::{Instr, Program};
use interfield_kernel::{Dual, Scalar};
use interfield_language::formula::{FormulaElement, FormulaSpec, compile};
use interfield_language::units::{Dimension, UnitSystem};

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

fn run<T: Scalar>(formulas: &[&str], inputs: &[(&str, T)], constants: &[(&str, f64)]) -> Vec<T> {
    let variables: Vec<String> = inputs.iter().map(|i| i.0.to_string()).collect();
    let constants: Vec<(String, f64)> = constants.iter().map(|c| (c.0.to_string(), c.1)).collect();
    let c = compile(&strings(formulas), &variables, &constants).unwrap_or_else(|e| panic!("{formulas:?}: {e:?}"));
    let mut registers = vec![T::constant(f64::NAN); c.program().registers];
    let mut out = vec![T::constant(f64::NAN); formulas.len()];
    let values: Vec<T> = inputs.iter().map(|i| i.1).collect();
    c.program().run(&values, &mut registers, &mut out);
    out
}

/// Formula, the same in Rust over q, v, z, t.
type Case = (&'static str, fn(f64, f64, f64, f64) -> f64);

const CASES: &[Case] = &[
    ("q", |q, _, _, _| q),
    ("-q^2", |q, _, _, _| -(q * q)),
    ("(-q)^2", |q, _, _, _| q * q),
    ("2^3^q", |q, _, _, _| 2f64.powf(3f64.powf(q))),
    ("q - v - z", |q, v, z, _| q - v - z),
    ("q/v/z", |q, v, z, _| q / v / z),
    ("q - (v - z)", |q, v, z, _| q - (v - z)),
    ("q*v + z*t", |q, v, z, t| q * v + z * t),
    ("q^3 + q^2 + q^1 + q^0", |q, _, _, _| q * q * q + q * q + q + 1.0),
    ("q^-1 + q^0.5 + q^-2", |q, _, _, _| 1.0 / q + q.sqrt() + q.powf(-2.0)),
    ("q^v", |q, v, _, _| q.powf(v)),
    ("pow(q, 1.7)", |q, _, _, _| q.powf(1.7)),
    ("A*v - beta*abs(v)*abs(z)^(n-1)*z - gamma*v*abs(z)^n", |_, v, z, _| {
        3.0 * v - 0.5 * v.abs() * z.abs().powf(0.8) * z - 0.2 * v * z.abs().powf(1.8)
    }),
    ("5 - q", |q, _, _, _| 5.0 - q),
    ("q - 5", |q, _, _, _| q - 5.0),
    ("5/q", |q, _, _, _| 5.0 / q),
    ("q/5", |q, _, _, _| q / 5.0),
    ("sqrt(q)*exp(-t)*sin(v)", |q, v, _, t| q.sqrt() * (-t).exp() * v.sin()),
    ("log(q) + ln(v)", |q, v, _, _| q.ln() + v.ln()),
    ("sin(2*pi*t) + cos(q) + tan(v)", |q, v, _, t| (2.0 * std::f64::consts::PI * t).sin() + q.cos() + v.tan()),
    ("asin(q/9) + acos(v/9) + atan(z) + tanh(t)", |q, v, z, t| {
        (q / 9.0).asin() + (v / 9.0).acos() + z.atan() + t.tanh()
    }),
    ("max(q, v) - min(q, v, z)", |q, v, z, _| q.max(v) - q.min(v).min(z)),
    ("max(q, 1)*min(2, v)", |q, v, _, _| q.max(1.0) * v.min(2.0)),
    ("sign(z)*abs(z)^1.5", |_, _, z, _| z.signum() * z.abs().powf(1.5)),
    ("if(q < v, 2*q, 3*v)", |q, v, _, _| if q < v { 2.0 * q } else { 3.0 * v }),
    ("if(q > v, q, z)", |q, v, z, _| if q > v { q } else { z }),
    ("if(q >= q, 1, 2) + if(q < q, 10, 20) + if(q <= q, 100, 200) + if(q > q, 1000, 2000)", |_, _, _, _| 2121.0),
    ("if(z <= 0, if(v >= 1, q, v), t)", |q, v, z, t| if z <= 0.0 { if v >= 1.0 { q } else { v } } else { t }),
    ("off*log(-q) + q", |q, _, _, _| q),
    ("--q + +q", |q, _, _, _| 2.0 * q),
    ("1.5e1*q + .5*v", |q, v, _, _| 15.0 * q + 0.5 * v),
    ("q*(1 + v*(1 + z*(1 + t)))", |q, v, z, t| q * (1.0 + v * (1.0 + z * (1.0 + t)))),
];

const CONSTANTS: &[(&str, f64)] = &[("A", 3.0), ("beta", 0.5), ("gamma", 0.2), ("n", 1.8), ("off", 0.0)];

fn points() -> impl Iterator<Item = [f64; 4]> {
    let mut seed = 7u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    // z takes both signs; q and v stay where all functions are defined.
    (0..20).map(move |_| [0.2 + 2.0 * next(), 0.3 + 2.0 * next(), 2.0 * next() - 1.0, next()])
}

#[test]
fn formulas_agree_with_rust() {
    let all: Vec<&str> = CASES.iter().map(|c| c.0).collect();
    for [q, v, z, t] in points() {
        let inputs = [("q", q), ("v", v), ("z", z), ("t", t)];
        let together = run(&all, &inputs, CONSTANTS);
        for (i, (text, native)) in CASES.iter().enumerate() {
            let (x, y) = (run(&[text], &inputs, CONSTANTS)[0], native(q, v, z, t));
            assert!((x - y).abs() <= 1e-13 * (1.0 + y.abs()), "{text}: {x} instead of {y}");
            assert_eq!(x, together[i], "{text}: alone and together");
        }
    }
}

#[test]
fn derivatives_are_exact() {
    let mut compared = 0;
    for (text, native) in CASES {
        for x in points() {
            for j in 0..4 {
                let mut inputs: Vec<_> =
                    ["q", "v", "z", "t"].into_iter().zip(x).map(|(n, x)| (n, Dual::constant(x))).collect();
                inputs[j].1.eps = 1.0;
                let d = run(&[text], &inputs, CONSTANTS)[0].eps;
                let h = 1e-5;
                let f = |s: f64| {
                    let mut y = x;
                    y[j] += s;
                    native(y[0], y[1], y[2], y[3])
                };
                let (wide, fine) = ((f(h) - f(-h)) / (2.0 * h), (f(h / 2.0) - f(-h / 2.0)) / h);
                // Not across a corner, nor where differences are useless.
                if (wide - fine).abs() > 1e-6 * (1.0 + fine.abs()) {
                    continue;
                }
                compared += 1;
                assert!((d - fine).abs() <= 2e-6 * (1.0 + fine.abs()), "{text} d/d{j} at {x:?}: {d} instead of {fine}");
            }
        }
    }
    assert!(compared > 2300, "{compared} of {}", CASES.len() * 80);
}

#[test]
fn formula_errors_are_located() {
    // Formula, range, part of the message, part of the help.
    let cases: &[(&str, std::ops::Range<usize>, &str, &str)] = &[
        ("k*q + beto*v", 6..10, "unknown name `beto`", "did you mean `beta`? names allowed here: q, v, z, t, k, beta"),
        ("(q + v", 0..1, "`(` is never closed", ""),
        ("q + v)", 5..6, "`)` without `(`", ""),
        ("q + ", 2..3, "nothing follows the operator `+`", ""),
        ("q * / v", 4..5, "unexpected `/`", ""),
        ("q v", 2..3, "missing operator before `v`", "*v"),
        ("2 q", 2..3, "missing operator before `q`", ""),
        ("2(q)", 1..2, "missing operator before `(`", ""),
        ("k(q)", 0..1, "`k` is not a function", "k*(...)"),
        ("sqrt(q, v)", 0..10, "`sqrt` takes 1 argument, found 2", ""),
        ("1 + max(q)", 4..10, "`max` takes at least 2 arguments, found 1", ""),
        ("pow(q)", 0..6, "`pow` takes 2 arguments, found 1", ""),
        ("sqrt()", 0..6, "`sqrt` takes 1 argument, found 0", ""),
        ("abs + q", 0..3, "`abs` is a function", "abs(...)"),
        ("sgn(q)", 0..3, "unknown function `sgn`", "did you mean `sign`?"),
        ("q/0", 0..3, "division by zero", ""),
        ("q/(1 - 1)", 0..9, "division by zero", ""),
        ("v + log(-1)", 4..11, "not a finite number", ""),
        ("q < v", 2..3, "unexpected `<`", "if(a < b, x, y)"),
        ("if(q, 1, 2)", 0..4, "`if` needs a comparison", ""),
        ("if(q < v, 1)", 0..12, "`if` takes 3 arguments, found 2", ""),
        ("if q < v", 0..2, "`if` is a function", ""),
        ("|z|", 0..1, "unexpected `|`", "abs(x)"),
        ("q == v", 2..3, "unexpected `=`", ""),
        ("q²", 1..3, "unexpected `²`", "^"),
        ("e*q", 0..1, "unknown name `e`", ""),
        ("", 0..0, "empty", ""),
        ("3 kN*q", 2..4, "missing operator", ""),
        ("max(q,)", 6..7, "unexpected `)`", ""),
    ];
    let variables = strings(&["q", "v", "z", "t"]);
    let constants = [("k".to_string(), 2.0), ("beta".to_string(), 3.0)];
    for (text, span, message, help) in cases {
        let e = compile(&strings(&["q", text]), &variables, &constants).expect_err(text).remove(0);
        assert_eq!(e.formula, 1);
        assert!(e.error.message.contains(message), "{text}: {}", e.error.message);
        assert_eq!(e.error.span, *span, "{text}: {}", e.error.message);
        assert!(e.error.help.clone().unwrap_or_default().contains(help), "{text}: {:?}", e.error.help);
    }
    let e = compile(&strings(&["a + b", "q", "c +"]), &variables, &constants).unwrap_err();
    assert_eq!(e.iter().map(|e| e.formula).collect::<Vec<_>>(), [0, 0, 2, 2], "{e:?}");
    for deep in ["(".repeat(100_000), "-".repeat(100_000), "q^".repeat(100_000), "abs(".repeat(100_000)] {
        assert!(compile(&[deep], &variables, &constants).is_err());
    }
    let long = vec!["q"; 100_000].join(" + ");
    assert!(compile(&[long], &variables, &constants).is_ok());
}

#[test]
fn programs_are_small() {
    let size = |formulas: &[&str], n: f64| {
        let constants: Vec<_> = CONSTANTS.iter().map(|c| (c.0.to_string(), if c.0 == "n" { n } else { c.1 })).collect();
        let c = compile(&strings(formulas), &strings(&["q", "v", "z", "t"]), &constants).unwrap();
        (c.program().code.len(), c.program().registers)
    };
    let bouc_wen = "A*v - beta*abs(v)*abs(z)^(n-1)*z - gamma*v*abs(z)^n";
    assert!(size(&[bouc_wen], 1.8).0 <= 12, "{:?}", size(&[bouc_wen], 1.8));
    assert!(size(&[bouc_wen], 1.0).0 <= 10);
    assert_eq!(size(&["sin(q)*v", "sin(q)*v"], 1.0).0, 2, "common subexpressions are shared");
    assert_eq!(size(&["2*3*q"], 1.0).0, 1, "constants are folded");
    assert_eq!(size(&["q", "q"], 1.0).0, 0);
    let long = (1..200).map(|i| format!("sin({i}*q)")).collect::<Vec<_>>().join(" + ");
    assert!(size(&[&long], 1.0).1 <= 8, "registers are used again: {:?}", size(&[&long], 1.0));
    // Too many values alive at once.
    let deep = (1..300).map(|i| format!("sin({i}*q)")).collect::<Vec<_>>();
    let e = compile(&deep, &strings(&["q"]), &[]).unwrap_err();
    assert!(e[0].error.message.contains("too large"), "{e:?}");
    assert!(std::mem::size_of::<Instr>() <= 8);
    let bad = Program { code: &[Instr::Neg(3, 0)], constants: &[], registers: 2, outputs: &[0] };
    assert!(!bad.validate(1));
    assert!(!Program { code: &[Instr::Const(0, 0)], ..bad }.validate(1));
    assert!(!Program { code: &[], outputs: &[2], ..bad }.validate(1));
    assert!(!Program { code: &[], ..bad }.validate(3));
    assert!(Program { code: &[Instr::Neg(1, 0)], ..bad }.validate(1));
}

fn bouc_wen(n: f64, units: bool) -> (FormulaElement, AnyLaw) {
    let (k, beta, gamma, k2) = (3e3, 0.7, 0.2, 150.0);
    let spec = FormulaSpec {
        q: strings(&["q"]),
        v: strings(&["v"]),
        s: strings(&["z"]),
        forces: strings(&["k2*q + z"]),
        rates: strings(&["k*v - beta*abs(v)*abs(z)^(n-1)*z - gamma*v*abs(z)^n"]),
        constants: [("k", k), ("beta", beta), ("gamma", gamma), ("n", n), ("k2", k2)]
            .map(|(name, x)| (name.to_string(), x))
            .to_vec(),
        ..FormulaSpec::default()
    };
    // In kN and mm the same numbers stand for other SI values.
    let (f, l) = (1e3f64, 1e-3f64);
    let (spec, scale) = if units {
        let kn_mm = UnitSystem::new(Some("mm"), Some("kN"), None, None).unwrap();
        (spec.in_units(&kn_mm, &[Dimension::LENGTH], &[Dimension::FORCE]), [f / l, f.powf(1.0 - n) / l])
    } else {
        (spec, [1.0, 1.0])
    };
    let native = [k * scale[0], beta * scale[1], gamma * scale[1], n, k2 * scale[0]];
    (FormulaElement::new(&spec).unwrap(), AnyLaw::new("bouc-wen", &native).unwrap())
}

fn response(e: &dyn Element, q: f64, v: f64, z: f64) -> [f64; 2] {
    let (mut p, mut g) = ([0.0], [0.0]);
    e.response(0.0, &[q], &[v], &[z], &mut p, &mut g);
    [p[0], g[0]]
}

fn tangent(e: &dyn Element, q: f64, v: f64, z: f64) -> [f64; 6] {
    let mut x = [[f64::NAN; 1]; 6];
    let [k, c, r, a, b, e2] = &mut x;
    e.tangent(0.0, &[q], &[v], &[z], &[0.0], Tangent { k, c, r, a, b, e: e2 });
    x.map(|x| x[0])
}

#[test]
fn formula_elements_agree_with_native_laws() {
    for n in [1.0, 1.7, 2.0, 3.0] {
        for units in [false, true] {
            let (formula, native) = bouc_wen(n, units);
            assert_eq!(formula.size(), (1, 1));
            assert!(formula.symmetric() && !formula.has_mass());
            for [q, v, z, _] in points() {
                let z = if units { z * 1e3 } else { z };
                let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
                let (x, y) = (response(&formula, q, v, z), response(&native, q, v, z));
                assert!(x.iter().zip(y).all(|(a, b)| same(*a, b)), "n = {n}: {x:?} {y:?}");
                let (x, y) = (tangent(&formula, q, v, z), tangent(&native, q, v, z));
                assert!(x.iter().zip(y).all(|(a, b)| same(*a, b)), "n = {n}: {x:?} {y:?}");
            }
        }
    }
}

/// Needs a chain rule in which a zero derivative stays zero: 0 * infinity is not a number.
#[test]
fn the_tangent_at_rest_is_finite() {
    for n in [1.0, 1.5, 2.0] {
        let x = tangent(&bouc_wen(n, false).0, 0.0, 0.1, 0.0);
        assert!(x.iter().all(|x| x.is_finite()), "n = {n}: {x:?}");
    }
}

#[test]
fn formula_elements_of_two_coordinates() {
    let spec = FormulaSpec {
        q: strings(&["x", "y"]),
        v: strings(&["vx", "vy"]),
        forces: strings(&["x^2*y + t*vy", "sin(x) - vx*y"]),
        ..FormulaSpec::default()
    };
    let e = FormulaElement::new(&spec).unwrap();
    assert!(!e.symmetric());
    let mut p = [0.0; 2];
    e.response(2.0, &[0.5, 3.0], &[7.0, 11.0], &[], &mut p, &mut []);
    assert!(near(p[0], 0.75 + 22.0) && near(p[1], 0.5f64.sin() - 21.0));
    let (mut k, mut c) = ([f64::NAN; 4], [f64::NAN; 4]);
    let out = Tangent { k: &mut k, c: &mut c, r: &mut [], a: &mut [], b: &mut [], e: &mut [] };
    e.tangent(2.0, &[0.5, 3.0], &[7.0, 11.0], &[], &[0.0; 2], out);
    assert_eq!(k, [3.0, 0.25, 0.5f64.cos(), -7.0]);
    assert_eq!(c, [0.0, 2.0, -3.0, 0.0]);
    for (bad, message) in [
        (FormulaSpec { forces: strings(&["x"]), ..spec.clone() }, "need as many"),
        (FormulaSpec { v: strings(&["x", "vy"]), ..spec.clone() }, "two variables"),
        (FormulaSpec { v: strings(&["sin", "vy"]), ..spec.clone() }, "cannot be the name"),
        (FormulaSpec { v: strings(&["t", "vy"]), ..spec.clone() }, "two variables"),
    ] {
        assert!(FormulaElement::new(&bad).unwrap_err()[0].error.message.contains(message));
    }
}
