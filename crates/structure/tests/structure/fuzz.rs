//! Whatever a file contains, nothing panics, and every message has a place in it.

use interfield_language::diag::Diagnostics;
use interfield_language::formula::compile;
use interfield_language::include::gather;
use interfield_language::parse::{Overrides, expand, parse};
use interfield_language::quantity::{Scope, Value};
use interfield_language::units::{Dimension, Unit, UnitSystem};
use interfield_structure::Simulation;

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\"", "'", "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\n", "#", "(", ")", "+",
    "-", "*", "/", "^", "1", "0", "e9", "kN", "µ", "ö", "²", "%", "if(", "<", "min(", "abs",
    " ", "\\u", "\t", "\r", "nan", "inf", "true", "[nodes]", "[[nodes]]", "a.b", "\"\"\"", "1979-05-27", "0x", "_", "\0",
    "-1", "1e400", "theta", "x", "[]", "{}", "true", "\"ground\"", "\"k\"", "u/0", "1 m", "mm",
];

/// Changes a text at random, always the same way.
struct Mutation(u64);

impl Mutation {
    fn next(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn of(&mut self, text: &str, times: usize) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.next(times) {
            let at = self.next(chars.len() + 1);
            match self.next(4) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 if at < chars.len() => {
                    let other = self.next(chars.len());
                    chars.swap(at, other);
                }
                2 if self.next(20) == 0 => chars.truncate(at.max(chars.len() / 2)),
                _ => {
                    let piece = PIECES[self.next(PIECES.len())];
                    drop(chars.splice(at..at, piece.chars()));
                }
            }
        }
        chars.into_iter().collect()
    }

    /// Replaces whole values and lines, so that the TOML stays good.
    fn of_values(&mut self, text: &str, times: usize) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..1 + self.next(times) {
            let (i, j) = (self.next(lines.len()), self.next(lines.len()));
            let value = |line: &str| line.split_once(" = ").map(|(k, v)| (k.to_owned(), v.to_owned()));
            match (self.next(4), value(&lines[i]), value(&lines[j])) {
                (0, Some(_), _) => drop(lines.remove(i)),
                (1, Some((key, _)), Some((_, other))) => lines[i] = format!("{key} = {other}"),
                (2, Some((_, mine)), Some((other, _))) => lines[i] = format!("{other} = {mine}"),
                (_, Some((key, _)), _) => {
                    let values =
                        ["0", "-1", "1e300", "nan", "[]", "{}", "\"\"", "\"-1 m\"", "[\"ground\", \"ground\"]", "true"];
                    lines[i] = format!("{key} = {}", values[self.next(values.len())]);
                }
                _ => {}
            }
        }
        lines.join("\n")
    }
}

/// Reads and, if that succeeds, assembles and runs a few steps.
fn try_model(text: String) -> bool {
    let diags = Diagnostics::new();
    let files = |_: &str| Err("does not exist".to_owned());
    let source = gather("fuzz.toml", &text, &files, &diags);
    let model = parse(&source, &Overrides::default(), &files, &diags);
    for d in diags.sorted() {
        assert!(d.span.clone().is_none_or(|s| s.start <= s.end && source.text.get(s).is_some()), "{d:?}");
        assert!(d.help.is_some_and(|h| !h.is_empty()), "`{}` has no help:\n{}", d.message, source.text);
    }
    diags.render(&source, false);
    if model.is_none() {
        assert!(diags.has_errors(), "refused without a reason:\n{}", source.text);
    }
    let Some((model, places)) = model else { return false };
    // A matrix of these sizes is assembled in no time, but a step may be one of very many.
    match Simulation::new(model) {
        Err(problems) => {
            problems.iter().for_each(|p| diags.push(places.locate(p)));
            diags.render(&source, false);
            false
        }
        Ok(mut sim) => {
            let mut row = vec![0.0; sim.channels().len()];
            for k in 0..sim.steps().min(3) {
                if sim.sample(k, &mut row).and_then(|()| sim.step(k)).is_err() {
                    break;
                }
            }
            true
        }
    }
}

#[test]
fn models_never_panic() {
    let all =
        include_str!("../../../cli/tests/data/all-elements.toml").replace("\"stiffness.mtx\"", "[[4, -2], [-2, 2]]");
    let texts = [
        all.as_str(),
        include_str!("../../../cli/tests/data/base.toml"),
        include_str!("../../../cli/tests/data/twenty-mistakes.toml"),
        include_str!("../../../../models/spring-pendulum.toml"),
    ];
    assert!(try_model(all.clone()) && try_model(texts[1].to_owned()));
    let mut mutation = Mutation(7);
    let mut good = 0;
    for i in 0..6000 {
        let text = texts[i % texts.len()];
        let text = if i % 3 == 0 { mutation.of(text, 6) } else { mutation.of_values(text, 4) };
        good += usize::from(try_model(text));
    }
    assert!(good > 100, "{good} of the changed models still run");
}

/// Includes, parts, sections and templates: also what is written out of them is a model, or there is a message.
#[test]
fn short_models_never_panic() {
    let texts = [
        include_str!("../../../language/tests/data/templates.toml"),
        include_str!("../../../../models/piers.toml"),
        include_str!("../../../../models/viaduct.toml"),
        include_str!("../../../../models/frame.toml"),
    ];
    assert!(texts.iter().all(|t| try_model((*t).to_owned())));
    let mut mutation = Mutation(3);
    let mut good = 0;
    for i in 0..2000 {
        let text = texts[i % texts.len()];
        let text = if i % 3 == 0 { mutation.of(text, 6) } else { mutation.of_values(text, 4) };
        good += usize::from(try_model(text.clone()));
        let diags = Diagnostics::new();
        let source = gather("fuzz.toml", &text, &|_| Err("does not exist".to_owned()), &diags);
        if let Some(long) = expand(&source, &Overrides::default(), &diags) {
            assert!(toml::de::DeTable::parse(&long).is_ok(), "{text}\n{long}");
        } else {
            assert!(diags.has_errors(), "{text}");
        }
    }
    assert!(good > 50, "{good} of the changed models still run");
}

#[test]
fn expressions_never_panic() {
    let mut mutation = Mutation(1);
    let variables: Vec<String> = ["q", "v", "z", "t"].map(str::to_owned).to_vec();
    let constants = [("A", 3.0), ("beta", 0.5), ("off", 0.0)].map(|(n, x)| (n.to_owned(), x));
    let formulas = [
        "A*v - beta*(abs(v)*abs(z)^0.8*z + v*abs(z)^1.8)",
        "if(q > 0, max(q, beta), -sqrt(q^2 + v^2)) + off*log(q)",
        "sin(2*pi*t)^2 + min(q, v, z)*tanh(z/beta) - pow(q, 3)",
    ];
    let mut scope = Scope::new(UnitSystem::si());
    scope.insert("k1", Value::of(4e6, Some(Dimension::STIFFNESS)));
    scope.insert("n", Value::bare(2.0));
    for i in 0..40_000 {
        let text = mutation.of(formulas[i % formulas.len()], 4);
        match compile(std::slice::from_ref(&text), &variables, &constants) {
            Ok(c) => {
                let mut registers = [0.5; 256];
                c.program().run(&[0.3, -0.2, 0.1, 1.0], &mut registers, &mut [0.0]);
            }
            Err(e) => {
                let good = e.iter().all(|e| text.get(e.error.span.clone()).is_some() && e.error.help.is_some());
                assert!(good, "{text}: {e:?}");
            }
        }
        let text = mutation.of("2*k1 + 3 kN/mm - max(4 N/m, sqrt(k1^2)) * 5 % / n", 4);
        if let Err(e) = scope.evaluate(&text) {
            let good = e.iter().all(|e| text.get(e.span.clone()).is_some() && e.help.is_some());
            assert!(!e.is_empty() && good, "{text}: {e:?}");
        }
        let _ = Unit::parse(&mutation.of("kg*m^2/(s^0.5*kN)²", 4));
    }
}
