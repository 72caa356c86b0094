//! `interfield spectrum`: spectral radius, algorithmic damping and frequency error of any scheme, by stepping it.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_analysis::spectrum::Spectrum;
use interfield_kernel::Scheme;
use interfield_language::parse::analysis::scheme_from_text;
use interfield_report::{Axis, Curve, Figure, Panel};
use serde_json::json;

use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::pair;
use crate::output::{fail, fail_all, print, print_json};
use interfield::quantities::{ONE, UNITS};
use interfield::studies::spectra;
use interfield::table::{aligned, complex, short};

/// Spectral radius, damping and frequency error of a scheme
///
/// For a linear oscillator of circular frequency omega and step dt, over Omega = omega dt. The values are computed by
/// running steps of the scheme.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield spectrum --scheme lsrt2 --param gamma=minus --omega 0.1,1,10,100\n  \
interfield spectrum --scheme generalized-alpha --param rho_inf=0.5 --plot rho.svg")]
pub(crate) struct Args {
    /// Scheme, see `interfield schemes`
    #[arg(long)]
    scheme: String,
    /// Parameter of the scheme, e.g. --param gamma=plus
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    param: Vec<(String, String)>,
    /// Values of Omega, separated by commas [default: 61 from 0.01 to 1000]
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", allow_hyphen_values = true)]
    omega: Vec<f64>,
    /// Damping ratio of the test oscillator
    #[arg(long, default_value_t = 0.0, value_name = "RATIO", allow_hyphen_values = true)]
    xi: f64,
    /// Also draw the spectral radius into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let scheme = match scheme_from_text(&args.scheme, &args.param) {
        Ok(s) => s,
        Err(e) => {
            fail_all(args.json, None, None, &e.0);
            return Exit::BadInput;
        }
    };
    let refuse = |message: String, help: &str| {
        fail(args.json, None, None, &message, help);
        Exit::BadInput
    };
    if let Some(bad) = args.omega.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        let help = "Omega = omega dt is 2 pi times the step over the period: write for example --omega 0.1,1,10";
        return refuse(format!("Omega must be greater than zero, found {bad}"), help);
    }
    if !(args.xi.is_finite() && args.xi >= 0.0) {
        let message = format!("the damping ratio --xi must be zero or greater, found {}", args.xi);
        return refuse(message, "write 5 % of critical as --xi 0.05");
    }
    let omegas = if args.omega.is_empty() {
        (0..=60).map(|i| 10f64.powf(-2.0 + f64::from(i) / 12.0)).collect()
    } else {
        args.omega.clone()
    };
    let points = match spectra(scheme, args.xi, &omegas) {
        Ok(points) => points,
        Err(why) => return refuse(format!("the scheme could not be stepped: {why}"), "try other values of --omega"),
    };
    if let Some(path) = &args.plot {
        let panel = Panel {
            title: format!("Spectral radius of {}", args.scheme),
            x: Axis::new("Ω = ω Δt", "").log(),
            y: Axis::new("spectral radius ρ", ""),
            curves: vec![Curve::line("", points.iter().map(|p| (p.omega, p.rho)).collect())],
            ..Panel::default()
        };
        if let Err(message) = draw(path, &Figure::new(vec![panel]), DPI) {
            fail(args.json, Some(&path.display().to_string()), None, &message, "");
            return Exit::Failure;
        }
    }
    if args.json {
        let of = |f: &dyn Fn(&Spectrum) -> Option<f64>| points.iter().map(|p| json!(f(p))).collect::<Vec<_>>();
        print_json(&json!({
            "scheme": args.scheme,
            "parameters": args.param.iter().map(|(n, v)| (n.clone(), json!(v))).collect::<serde_json::Map<_, _>>(),
            "xi": args.xi,
            "order": scheme.claims().order,
            "omega": omegas,
            "rho": of(&|p| Some(p.rho)),
            "principal": points.iter().map(|p| json!(p.principal.map(|q| q.eigenvalue))).collect::<Vec<_>>(),
            "damping": of(&|p| p.principal.map(|q| q.damping)),
            "frequency_error": of(&|p| p.principal.map(|q| q.frequency_error)),
            "frequency_error_arg": of(&|p| p.principal.map(|q| q.frequency_error_arg)),
            UNITS: {
                "xi": ONE, "omega": "rad", "rho": ONE, "principal": ONE, "damping": ONE, "frequency_error": ONE,
                "frequency_error_arg": ONE,
            },
        }));
        return Exit::Done;
    }
    let rows: Vec<Vec<String>> = points
        .iter()
        .map(|p| {
            let of = |f: &dyn Fn(interfield_analysis::spectrum::Principal) -> f64| {
                p.principal.map_or("-".to_owned(), |q| format!("{:.3e}", f(q)))
            };
            let eigenvalue = p.principal.map_or("-".to_owned(), |q| complex(q.eigenvalue));
            vec![short(p.omega), format!("{:.7}", p.rho), eigenvalue, of(&|q| q.damping), of(&|q| q.frequency_error)]
        })
        .collect();
    print(&aligned(&["Omega", "rho", "principal eigenvalue", "damping ratio", "frequency error"], &rows));
    Exit::Done
}
