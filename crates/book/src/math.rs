//! Equations: LaTeX in the chapters (`$...$` and ```` ```math ````, which the repository shows typeset too) becomes MathML, which
//! browsers draw without a script and without a network.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// An equation as MathML, displayed or within a line; what is wrong with it otherwise.
pub(crate) fn mathml(latex: &str, displayed: bool) -> Result<String, String> {
    // Bars as a pair, so that they stand close to what is between them; `|` itself would end a cell of a table.
    let latex = latex.trim().replace("\\lvert", "\\left|").replace("\\rvert", "\\right|");
    let wrong = |e: &dyn std::fmt::Display| format!("the equation `{latex}` cannot be read: {e}");
    let storage = Storage::new();
    let events = Parser::new(&latex, &storage).collect::<Result<Vec<_>, _>>().map_err(|e| wrong(&e))?;
    let display_mode = if displayed { DisplayMode::Block } else { DisplayMode::Inline };
    let mut out = String::new();
    let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
    push_mathml(&mut out, events, RenderConfig { display_mode, ..RenderConfig::default() }).map_err(|e| wrong(&e))?;
    // The sign of micro is not the letter mu, and stays upright; a stroke of a fraction keeps no distance.
    Ok(out.replace('\u{b5}', "\u{3bc}").replace("<mo>/</mo>", "<mo lspace=\"0\" rspace=\"0\">/</mo>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_become_mathml() {
        let html = mathml(r"u_1 = \frac{h^2}{2} a", true).unwrap();
        assert!(html.starts_with("<math display=\"block\">") && html.contains("<mfrac>"), "{html}");
        assert!(mathml(r"\lvert z\rvert", true).unwrap().contains("<mo stretchy=\"true\">|</mo><mi>z</mi>"));
        assert!(mathml("x", false).unwrap().starts_with("<math display=\"inline\">"));
    }

    #[test]
    fn what_is_no_equation_is_told() {
        for wrong in [r"\unknown{x}", "{x", r"\frac{1}"] {
            let message = mathml(wrong, true).unwrap_err();
            assert!(message.contains(wrong) && message.contains("cannot be read"), "{message}");
        }
    }
}
