//! What a command line says of values: ranges, lists and distributions, all in one unit each.

use crate::normal;

/// Most values of one range.
const MOST_VALUES: usize = 1_000_000;

/// A value as it is handed to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What to write for it, with its unit.
    pub text: String,
    /// The number in the unit of its axis, where it is one.
    pub number: Option<f64>,
}

impl Setting {
    /// A number with a unit, which may be empty.
    pub fn number(number: f64, unit: &str) -> Self {
        Self { text: format!("{number} {unit}").trim_end().to_owned(), number: Some(number) }
    }
}

/// Values of one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Common unit, empty for plain numbers and for words.
    pub unit: String,
    /// The values in their order.
    pub list: Vec<Setting>,
}

/// A distribution of numbers in one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Mean and standard deviation.
    Normal(f64, f64),
    /// Median, and standard deviation of the logarithm.
    Lognormal(f64, f64),
    /// Ends.
    Uniform(f64, f64),
}

impl Distribution {
    /// What it is, in words.
    pub fn words(self) -> String {
        match self {
            Self::Normal(mean, std) => format!("normal, mean {mean}, standard deviation {std}"),
            Self::Lognormal(median, dispersion) => format!("lognormal, median {median}, dispersion {dispersion}"),
            Self::Uniform(from, to) => format!("uniform from {from} to {to}"),
        }
    }

    /// The value below which the probability is `p`.
    pub fn quantile(self, p: f64) -> f64 {
        match self {
            Self::Normal(mean, std) => mean + std * normal::quantile(p),
            Self::Lognormal(median, dispersion) => median * libm::exp(dispersion * normal::quantile(p)),
            Self::Uniform(from, to) => from + (to - from) * p,
        }
    }
}

/// A number and the unit behind it.
fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = |from: usize| text[from..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| from + n);
    let mut end = digits(usize::from(text.starts_with(['+', '-'])));
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        end = if exponent > end + 1 + sign { exponent } else { end };
    }
    let value = text[..end].parse::<f64>().ok().filter(|x| x.is_finite())?;
    Some((value, text[end..].trim()))
}

/// Two numbers in one unit, which may be written once, behind the second.
fn pair(a: &str, b: &str) -> Result<(f64, f64, String), String> {
    let both = number(a).zip(number(b));
    let ((a, unit_a), (b, unit_b)) = both.ok_or_else(|| format!("`{a}` and `{b}` are not two numbers with units"))?;
    if !unit_a.is_empty() && unit_a != unit_b {
        return Err(format!("`{unit_a}` and `{unit_b}` differ: write both numbers in the same unit"));
    }
    Ok((a, b, unit_b.to_owned()))
}

/// Rounded to twelve digits: what a person would have written.
fn round(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

/// Values written as a range (`0.1 g..1 g:10`, `1..100`, `0.01..1:5log`) or a list (`1, 2, 5`); `None` for a single one.
pub fn values(text: &str) -> Result<Option<Values>, String> {
    if let Some((from, to)) = text.split_once("..") {
        return range(from, to).map(Some);
    }
    let items = split(text);
    if items.len() < 2 {
        return Ok(None);
    }
    if let Some(empty) = items.iter().position(|i| i.is_empty()) {
        return Err(format!("value {} of the list is empty", empty + 1));
    }
    let mut numbers: Option<Vec<(f64, &str)>> = items.iter().map(|i| number(i)).collect();
    // The unit may be written once, behind the last number.
    if let Some(numbers) = &mut numbers
        && let Some((&mut (_, unit), before)) = numbers.split_last_mut()
        && before.iter().all(|(_, none)| none.is_empty())
    {
        before.iter_mut().for_each(|n| n.1 = unit);
    }
    let common = numbers.filter(|n| n.iter().all(|(_, unit)| *unit == n[0].1));
    Ok(Some(match common {
        Some(n) => {
            Values { unit: n[0].1.to_owned(), list: n.iter().map(|(x, unit)| Setting::number(*x, unit)).collect() }
        }
        // Words, expressions, or units that differ: taken as they are.
        None => {
            let word = |text: &&str| Setting { text: (*text).to_owned(), number: None };
            Values { unit: String::new(), list: items.iter().map(word).collect() }
        }
    }))
}

fn range(from: &str, to: &str) -> Result<Values, String> {
    let (to, count) = match to.split_once(':') {
        Some((to, count)) => (to, Some(count.trim())),
        None => (to, None),
    };
    let (a, b, unit) = pair(from, to)?;
    let whole = |x: f64| x == x.trunc() && x.abs() < 9e15;
    let Some(count) = count else {
        if !(whole(a) && whole(b) && a <= b) {
            return Err(
                "give the number of values, for example 0.1..1:10; without it, both ends must be whole numbers \
                in increasing order, as in 1..100"
                    .to_owned(),
            );
        }
        if b - a >= MOST_VALUES as f64 {
            return Err(format!("a range has at most {MOST_VALUES} values"));
        }
        let list = (0..=(b - a) as u64).map(|i| Setting::number(a + i as f64, &unit)).collect();
        return Ok(Values { unit, list });
    };
    let (digits, logarithmic) = count.strip_suffix("log").map_or((count, false), |digits| (digits.trim(), true));
    let n = digits.parse::<usize>().ok().filter(|n| (2..=MOST_VALUES).contains(n));
    let n = n.ok_or_else(|| format!("`{count}` is not a number of values from 2 to {MOST_VALUES}"))?;
    if logarithmic && !(a > 0.0 && b > 0.0) {
        return Err("both ends of a logarithmic range must be greater than zero".to_owned());
    }
    let value = |i: usize| {
        let f = i as f64 / (n - 1) as f64;
        match i {
            0 => a,
            i if i == n - 1 => b,
            _ if logarithmic => round(a * libm::pow(b / a, f)),
            _ => round(a + (b - a) * f),
        }
    };
    Ok(Values { list: (0..n).map(|i| Setting::number(value(i), &unit)).collect(), unit })
}

/// The parts between commas that stand in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let outside = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(outside).map(str::trim).collect()
}

/// A distribution with its unit: `normal(MEAN, STD)`, `lognormal(MEDIAN, DISPERSION)` or `uniform(FROM, TO)`. The standard
/// deviation may be in per cent of the mean.
pub fn distribution(text: &str) -> Result<(Distribution, String), String> {
    const HELP: &str = "write normal(4 kN/mm, 10 %), lognormal(4 kN/mm, 0.2) or uniform(3 kN/mm, 5 kN/mm)";
    let inside = text.trim().strip_suffix(')').and_then(|t| t.split_once('('));
    let (name, arguments) = inside.ok_or_else(|| format!("`{text}` is not a distribution: {HELP}"))?;
    let (name, arguments) = (name.trim(), split(arguments));
    let [a, b] = arguments[..] else {
        return Err(format!("a distribution needs two numbers, `{text}` has {}: {HELP}", arguments.len()));
    };
    let good = |good: bool, message: &str| if good { Ok(()) } else { Err(format!("`{text}`: {message}")) };
    match name {
        "normal" => {
            let share = number(b).filter(|(_, unit)| *unit == "%").zip(number(a)).filter(|(_, (_, unit))| *unit != "%");
            let (mean, std, unit) = match share {
                Some(((percent, _), (mean, unit))) => (mean, mean.abs() * percent / 100.0, unit.to_owned()),
                None => pair(a, b)?,
            };
            good(std > 0.0, "the standard deviation must be greater than zero")?;
            Ok((Distribution::Normal(mean, std), unit))
        }
        "lognormal" => {
            let both = number(a).zip(number(b).filter(|(_, unit)| unit.is_empty()));
            let ((median, unit), (dispersion, _)) =
                both.ok_or_else(|| format!("`{text}`: give the median with its unit and the dispersion as a number"))?;
            good(median > 0.0 && dispersion > 0.0, "both numbers must be greater than zero")?;
            Ok((Distribution::Lognormal(median, dispersion), unit.to_owned()))
        }
        "uniform" => {
            let (from, to, unit) = pair(a, b)?;
            good(from < to, "the first number must be the smaller one")?;
            Ok((Distribution::Uniform(from, to), unit))
        }
        _ => Err(format!("there is no distribution `{name}`: {HELP}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> (Vec<f64>, String) {
        let v = values(text).unwrap().unwrap();
        (v.list.iter().filter_map(|s| s.number).collect(), v.unit)
    }

    #[test]
    fn ranges_and_lists_are_what_a_person_would_write() {
        assert_eq!(numbers("0.1 g..0.5 g:5"), (vec![0.1, 0.2, 0.3, 0.4, 0.5], "g".to_owned()));
        assert_eq!(numbers("0.1..0.5g:5").1, "g");
        assert_eq!(numbers("-1..1:3").0, [-1.0, 0.0, 1.0]);
        assert_eq!(numbers("1e-2..1e2:5log").0, [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(numbers("7..10").0, [7.0, 8.0, 9.0, 10.0]);
        assert_eq!(numbers("1 kN, 2.5 kN"), (vec![1.0, 2.5], "kN".to_owned()));
        assert_eq!(numbers("0.1, 0.2,0.3 g"), (vec![0.1, 0.2, 0.3], "g".to_owned()));
        assert_eq!(values("0.3 g..0.4 g:2").unwrap().unwrap().list[1].text, "0.4 g");
        assert_eq!(values("k1, max(k1, k2)").unwrap().unwrap().list[1].text, "max(k1, k2)");
        assert_eq!(values("4 kN/mm"), Ok(None));
        assert_eq!(values("max(1, 2)"), Ok(None));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in ["0.1..1", "2..1", "1 m..2 mm:3", "0..1:3log", "1..2:1", "1..2:x", "a..b:3", "1,,2"] {
            assert!(values(bad).is_err(), "{bad}");
        }
        for bad in ["normal(1, 0)", "normal(1)", "gauss(1, 2)", "lognormal(-1, 0.2)", "uniform(2, 1)", "normal 1, 2"] {
            assert!(distribution(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn distributions_have_their_quantiles() {
        let of = |text: &str, p: f64| distribution(text).unwrap().0.quantile(p);
        assert!((of("normal(4 kN/mm, 10 %)", 0.975) - (4.0 + 0.4 * 1.959_963_984_540_054)).abs() < 1e-12);
        assert!((of("lognormal(3 s, 0.5)", 0.5) - 3.0).abs() < 1e-15);
        assert_eq!(of("uniform(3 m, 5 m)", 0.25), 3.5);
        assert_eq!(distribution("normal(4 kN/mm, 0.4 kN/mm)").unwrap().1, "kN/mm");
    }
}
