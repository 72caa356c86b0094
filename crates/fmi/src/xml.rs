//! `modelDescription.xml` of FMI 2.0 and 3.0.

use roxmltree::{Document, Node, ParsingOptions};

use crate::Error;
use crate::description::{Causality, Description, Experiment, Kind, Scale, Variable, Version};

/// Base units in the order of [`Scale::powers`].
const BASE: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

/// Reads a description.
pub(crate) fn read(bytes: &[u8]) -> Result<Description, Error> {
    let text = decode(bytes)?;
    // No DTD, hence no entities that grow.
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let wrong = |what: String| {
        Error::new(
            format!("modelDescription.xml: {what}"),
            "this is an error of the program that \
            exported the FMU",
        )
    };
    let document = Document::parse_with_options(&text, options).map_err(|e| wrong(e.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "fmiModelDescription" {
        return Err(wrong(format!("starts with <{}>, not with <fmiModelDescription>", root.tag_name().name())));
    }
    let said = root.attribute("fmiVersion").unwrap_or_default();
    let version = match said {
        "2.0" => Version::Two,
        _ if said.starts_with("3.") => Version::Three,
        _ => {
            let message =
                format!("this FMU uses FMI {}, which is not supported", if said.is_empty() { "?" } else { said });
            return Err(Error::new(message, "export it again for FMI 2.0 or 3.0"));
        }
    };
    let Some(slave) = child(root, "CoSimulation") else {
        let message = "this FMU is for model exchange only: it contains no solver";
        return Err(Error::new(message, "export it again for co-simulation"));
    };
    let token = if version == Version::Two { "guid" } else { "instantiationToken" };
    let need = |node: Node, key: &str| {
        let place = document.text_pos_at(node.range().start).row;
        let message = format!("<{}> in line {place} has no `{key}`", node.tag_name().name());
        node.attribute(key).map(str::to_owned).ok_or_else(|| wrong(message))
    };
    let identifier = need(slave, "modelIdentifier")?;
    if identifier.contains(['/', '\\']) || identifier.is_empty() {
        return Err(wrong(format!("`{identifier}` is not a valid name of a binary")));
    }
    let experiment = child(root, "DefaultExperiment").map_or_else(Experiment::default, |node| Experiment {
        start: number(node, "startTime"),
        stop: number(node, "stopTime"),
        step: number(node, "stepSize"),
    });
    let mut variables = Vec::new();
    for node in child(root, "ModelVariables").into_iter().flat_map(|n| n.children()).filter(Node::is_element) {
        let name = need(node, "name")?;
        let reference = need(node, "valueReference")?;
        let reference = reference.parse().map_err(|_| wrong(format!("`{reference}` is not a value reference")))?;
        // 2.0 puts the type into a child, 3.0 into the name of the element.
        let typed = if version == Version::Two { node.children().find(Node::is_element) } else { Some(node) };
        let kind = typed.and_then(|t| Some((t, Kind::find(t.tag_name().name())?)));
        let (typed, kind) = kind.ok_or_else(|| wrong(format!("variable `{name}` has no known type")))?;
        let causality = node.attribute("causality").unwrap_or("local");
        let causality =
            Causality::find(causality).ok_or_else(|| wrong(format!("variable `{name}`: causality `{causality}`")))?;
        variables.push(Variable {
            reference,
            causality,
            variability: node.attribute("variability").unwrap_or("").to_owned(),
            kind,
            unit: unit(root, typed),
            start: typed.attribute("start").map(str::to_owned),
            about: node.attribute("description").unwrap_or("").to_owned(),
            array: child(node, "Dimension").is_some(),
            name,
        });
    }
    let texts = |key: &str| root.attribute(key).unwrap_or("").to_owned();
    Ok(Description {
        version,
        model: need(root, "modelName")?,
        about: texts("description"),
        tool: texts("generationTool"),
        token: need(root, token)?,
        identifier,
        variable_steps: flag(slave, "canHandleVariableCommunicationStepSize"),
        internal_step: number(slave, "fixedInternalStepSize"),
        states: flag(slave, if version == Version::Two { "canGetAndSetFMUstate" } else { "canGetAndSetFMUState" }),
        needs_tool: flag(slave, "needsExecutionTool"),
        experiment,
        scales: scales(root),
        variables,
    })
}

/// The text: UTF-8, or Latin-1 where the file says so, as old exporters do.
fn decode(bytes: &[u8]) -> Result<String, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_start_matches('\u{feff}').to_owned()),
        Err(_)
            if bytes
                .iter()
                .take(200)
                .map(u8::to_ascii_lowercase)
                .collect::<Vec<_>>()
                .windows(10)
                .any(|w| w == b"iso-8859-1") =>
        {
            Ok(bytes.iter().map(|b| char::from(*b)).collect())
        }
        Err(e) => Err(Error::new(
            format!("modelDescription.xml is not UTF-8: {e}"),
            "this is an error of the program that \
                exported the FMU",
        )),
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.tag_name().name() == name)
}

fn number(node: Node, key: &str) -> Option<f64> {
    node.attribute(key)?.trim().parse().ok().filter(|x: &f64| x.is_finite())
}

fn flag(node: Node, key: &str) -> bool {
    matches!(node.attribute(key), Some("true" | "1"))
}

/// The unit of a variable: its own, or that of its declared type.
fn unit(root: Node, typed: Node) -> Option<String> {
    let own = typed.attribute("unit");
    let declared = || {
        let name = typed.attribute("declaredType")?;
        let types = child(root, "TypeDefinitions")?;
        let found = types.children().find(|t| t.attribute("name") == Some(name))?;
        // 2.0: <SimpleType><Real unit=.../></SimpleType>, 3.0: <Float64Type unit=.../>.
        found.attribute("unit").or_else(|| found.children().find_map(|c| c.attribute("unit")))
    };
    own.or_else(declared).map(str::to_owned)
}

fn scales(root: Node) -> Vec<Scale> {
    let units = child(root, "UnitDefinitions").into_iter().flat_map(|n| n.children());
    let scale = |node: Node| {
        let base = child(node, "BaseUnit")?;
        let power = |key: &str| base.attribute(key).and_then(|p| p.trim().parse().ok()).unwrap_or(0);
        Some(Scale {
            name: node.attribute("name")?.to_owned(),
            powers: BASE.map(power),
            factor: number(base, "factor").unwrap_or(1.0),
            offset: number(base, "offset").unwrap_or(0.0),
        })
    };
    units.filter(|n| n.tag_name().name() == "Unit").filter_map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Spring" guid="{1}" generationTool="hand">
  <CoSimulation modelIdentifier="spring" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions>
    <Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit>
    <Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1000"/></Unit>
    <Unit name="turns"/>
  </UnitDefinitions>
  <TypeDefinitions><SimpleType name="Force"><Real unit="kN"/></SimpleType></TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="2.5" stepSize="1e-3"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input" variability="continuous"><Real unit="mm" start="0"/></ScalarVariable>
    <ScalarVariable name="f" valueReference="2" causality="output"><Real declaredType="Force"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="3" description="how often"><Integer start="4"/></ScalarVariable>
  </ModelVariables>
</fmiModelDescription>"#;

    #[test]
    fn version_two() {
        let d = read(TWO.as_bytes()).unwrap();
        assert_eq!(
            (d.version, d.model.as_str(), d.token.as_str(), d.identifier.as_str()),
            (Version::Two, "Spring", "{1}", "spring")
        );
        assert!(d.variable_steps && !d.states && !d.needs_tool);
        assert_eq!(d.experiment, Experiment { start: Some(0.0), stop: Some(2.5), step: Some(1e-3) });
        let u = d.variable("u").unwrap();
        assert_eq!((u.causality, u.kind, u.start.as_deref()), (Causality::Input, Kind::Float64, Some("0")));
        assert_eq!(d.scale(u).map(|s| (s.factor, s.powers)), Some((1e-3, [0, 1, 0, 0, 0, 0, 0, 0])));
        let f = d.variable("f").unwrap();
        assert_eq!(d.scale(f).map(|s| (s.factor, s.powers)), Some((1e3, [1, 1, -2, 0, 0, 0, 0, 0])));
        assert_eq!(d.scales.len(), 2, "a unit without a meaning in SI says nothing");
        let n = d.variable("n").unwrap();
        assert_eq!((n.causality, n.kind, n.about.as_str()), (Causality::Local, Kind::Int32, "how often"));
    }

    #[test]
    fn version_three() {
        let text = r#"<fmiModelDescription fmiVersion="3.0.1" modelName="M" instantiationToken="t">
  <CoSimulation modelIdentifier="m" canGetAndSetFMUState="1" fixedInternalStepSize="0.01" needsExecutionTool="true"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>
  <TypeDefinitions><Float64Type name="Length" unit="m"/></TypeDefinitions>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Float64 name="u" valueReference="1" causality="input" declaredType="Length" start="0"/>
    <Float64 name="a" valueReference="2" causality="output"><Dimension start="3"/></Float64>
    <UInt8 name="b" valueReference="3" causality="structuralParameter" start="1"/>
  </ModelVariables></fmiModelDescription>"#;
        let d = read(text.as_bytes()).unwrap();
        assert_eq!((d.version, d.states, d.needs_tool, d.internal_step), (Version::Three, true, true, Some(0.01)));
        assert_eq!(d.variable("u").and_then(|u| u.unit.as_deref()), Some("m"));
        assert!(d.variable("a").is_some_and(|a| a.array) && !d.variable("b").is_some_and(|b| b.array));
        assert_eq!(d.variable("b").map(|b| (b.kind, b.causality)), Some((Kind::UInt8, Causality::StructuralParameter)));
    }

    #[test]
    fn latin_letters_of_old_exporters() {
        let text = TWO.replace("UTF-8", "ISO-8859-1").replace("hand", "M\u{fc}ller");
        let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
        assert_eq!(read(&bytes).unwrap().tool, "Müller");
        assert!(read(&TWO.replace("hand", "M").bytes().chain([0xff]).collect::<Vec<_>>()).is_err());
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let refused = |from: &str, to: &str, said: &str| {
            let text = TWO.replace(from, to);
            assert_ne!(text, TWO);
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.message.contains(said), "{error}");
        };
        refused("fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"", "FMI 1.0");
        refused("CoSimulation", "ModelExchange", "model exchange only");
        refused(" guid=\"{1}\"", "", "no `guid`");
        refused("valueReference=\"3\"", "valueReference=\"-3\"", "`-3`");
        refused("modelIdentifier=\"spring\"", "modelIdentifier=\"../spring\"", "not a valid name of a binary");
        refused("<Integer start=\"4\"/>", "<Quaternion/>", "no known type");
        refused("causality=\"output\"", "causality=\"side effect\"", "side effect");
        refused("</fmiModelDescription>", "", "modelDescription.xml");
        refused("fmiModelDescription", "html", "<html>");
        refused("<fmiModel", "<!DOCTYPE a [<!ENTITY a \"a\">]><fmiModel", "DTD");
    }
}
