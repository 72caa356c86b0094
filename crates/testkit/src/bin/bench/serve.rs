//! A spring served to OpenSees: time of its steps, beside a server that leaves its socket as it is.

use serde_json::Value;

use crate::ensemble::program;
use crate::{Bar, Bench, Row, number, real};

/// Time that a step may take, us.
const LIMIT: f64 = 300.0;

impl Bench {
    pub(crate) fn serve(&self) -> Result<Vec<Row>, String> {
        if self.peer.is_none() {
            // Without OpenSees there is nobody to serve.
            return Ok(Vec::new());
        }
        let program = program()?;
        let folder = std::env::temp_dir().join(format!("interfield-serve-{}", std::process::id()));
        let steps = self.steps(5000).to_string();
        let said = self
            .script("opensees_client_speed.py", &[program.display().to_string(), folder.display().to_string(), steps]);
        let _ = std::fs::remove_dir_all(&folder);
        let said = said?;
        let cases = said["cases"].as_array().ok_or("the peer gave no cases")?;
        let row = |case: &Value| {
            let udp = number(real(case, "udp")?);
            Ok(Row {
                case: "serve",
                what: format!(
                    "{}: a step of OpenSees over TCP, beside a plain server",
                    case["name"].as_str().unwrap_or("?")
                ),
                unit: "us",
                ours: real(case, "tcp")?,
                other: Ok(real(case, "plain")?),
                bar: Bar::Below(LIMIT),
                note: format!("over UDP {udp} us"),
            })
        };
        cases.iter().map(row).collect()
    }
}
