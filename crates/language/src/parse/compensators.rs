//! Compensators by name, with parameters as they are written.

use interfield_lab::compensate::{COMPENSATIONS, Compensation, find};

use super::arguments::{Given, Refusal, build_entry, dimension};
use crate::diag::did_you_mean;
use crate::quantity::Scope;

/// A compensator by name with its parameters; or all mistakes, each with the parameter it is about.
pub(super) fn compensator(name: &str, given: &[(&str, Given)]) -> Result<Compensation, Vec<Refusal>> {
    let Some(info) = find(name) else {
        let names: Vec<&str> = COMPENSATIONS.iter().map(|m| m.name).collect();
        let all = || format!("compensators are {}", names.join(", "));
        let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(all);
        return Err(vec![(None, format!("there is no compensator `{name}`"), help)]);
    };
    build_entry(("compensator", info.name), info.parameters, info.build, given)
}

/// A parameter from a command line: in SI, or with a unit where it measures something.
fn from_text(name: &str, parameter: &str, text: &str) -> Result<Given, (String, String)> {
    let given = Given::from_text(text);
    let info = find(name).and_then(|i| i.parameters.iter().find(|p| p.name == parameter));
    let (Given::Word(_), Some((info, dim))) = (&given, info.and_then(|p| Some((p, dimension(p.measure?))))) else {
        return Ok(given);
    };
    Scope::default().quantity(text, dim).map(Given::Number).map_err(|errors| {
        let e = errors.into_iter().next();
        let help = e.as_ref().and_then(|e| e.help.clone()).unwrap_or_else(|| format!("it is {}", info.expected));
        (format!("{parameter}={text}: {}", e.map_or_else(|| "no number".to_owned(), |e| e.message)), help)
    })
}

/// A compensator by name with the parameters written on a command line, e.g. `ats` with `window=2`; or all mistakes, each as a message and a
/// suggestion.
pub fn compensator_from_text(
    name: &str,
    parameters: &[(String, String)],
) -> Result<Compensation, Vec<(String, String)>> {
    let (mut given, mut wrong) = (Vec::new(), Vec::new());
    for (parameter, text) in parameters {
        match from_text(name, parameter, text) {
            Ok(value) => given.push((parameter.as_str(), value)),
            Err(mistake) => wrong.push(mistake),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    compensator(name, &given).map_err(|errors| errors.into_iter().map(|(_, message, help)| (message, help)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(given: &[(&str, &str)]) -> Vec<(String, String)> {
        given.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn numbers_and_lists_are_taken() {
        let given = pairs(&[("series", "[1, 0.02, 1e-4, 0]"), ("ahead", "2")]);
        let Ok(Compensation::Early(early)) = compensator_from_text("early", &given) else { panic!() };
        assert_eq!((early.start, early.ahead), ([1.0, 0.02, 1e-4, 0.0], 2.0));
    }

    #[test]
    fn units_are_converted_to_what_a_parameter_measures() {
        let made = |method: &str, given: &[(&str, &str)]| {
            format!("{:?}", compensator_from_text(method, &pairs(given)).unwrap())
        };
        let plain = made("pi-lead", &[("zero", "31.41592653589793"), ("pole", "6283.185307179586"), ("ki", "95")]);
        assert_eq!(made("pi-lead", &[("zero", "5 Hz"), ("pole", "60000 rpm"), ("ki", "95 1/s")]), plain);
        assert_eq!(made("early", &[("corner", "12.566370614359172 rad/s")]), made("early", &[("corner", "2")]));
        let wrong = compensator_from_text("pi-lead", &pairs(&[("ki", "95 Hz"), ("zero", "5 m")])).unwrap_err();
        assert!(wrong.len() == 2 && wrong[0].1.contains("1/s") && wrong[1].0.contains("found length"), "{wrong:?}");
    }

    #[test]
    fn all_mistakes_are_told() {
        let wrong = compensator_from_text("ats", &pairs(&[("windo", "1"), ("skip", "1.5")])).unwrap_err();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].1.contains("`window`") && wrong[1].0.contains("whole number of samples"), "{wrong:?}");
        let required = compensator_from_text("polynomial", &[]).unwrap_err();
        assert!(required[0].0.contains("`delay`"), "{required:?}");
        assert!(compensator_from_text("atts", &[]).unwrap_err()[0].1.contains("`ats`"));
    }
}
