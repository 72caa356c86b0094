//! The rig of Trento with four degrees of freedom, paper 001: both of its configurations as tests.

use interfield_report::{Axis, BLACK, Curve, Panel, Style};

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::histories::{drawn, largest, peak};
use crate::item::{Item, Paper, Stopped};
use crate::models::{
    File, History, Settings, TRENTO_FOUR_B, TRENTO_FOUR_C, computed, run, start_parts, start_whole, with_step,
};
use crate::outcome::Outcome;

/// 001, figure 9.
pub(crate) const FIG_9_OF_001: Item = Item {
    id: "001-fig-9",
    paper: Paper::P001,
    place: "Fig. 9",
    what: "The rig with two masses and four degrees of freedom: both configurations as tests in real time",
    look: "Two masses that move and turn, tied to the wall and to each other by springs at their ends. In one configuration the second mass \
        is in the laboratory with its own inertia, in the other the supports of the first. Second supports, which are met after 30 mm, \
        dampers of the square of the velocity and rotations of up to 40 degrees make them nonlinear; the third curve is the same rig without \
        them. The staggered scheme of the paper couples both parts; two actuators answer 10 ms late and are compensated. The sketches \
        and numbers of the rig are not in the text, so the division, stops, dampers and loads are ours.",
    commands: &[
        "interfield run models/trento-four-b.toml",
        "interfield run models/trento-four-c.toml",
        "interfield rehearse models/trento-four-b.toml",
        "interfield run models/trento-four-c.toml --coupling plsrt2",
    ],
    models: &[&TRENTO_FOUR_B, &TRENTO_FOUR_C],
    seconds: 1,
    run: |_| {
        let claim = Claim::new("The rig performs linear and nonlinear substructure tests in real time")
            .said(
                "A novel test rig has been designed to perform both linear and nonlinear substructure tests in real time on Multiple-DOFs \
                systems. [...] The non-linearities at this stage derive from mass rotations and springs with discontinuous supports. Also \
                non-linear dampers can be introduced.",
                "A Test Rig for Linear and Non-Linear MDOF Systems",
            )
            .untested("the paper reports no test on this rig, and its sketches and data are not in the text at hand");
        let tests = [
            Configuration::new("second mass in the laboratory", &TRENTO_FOUR_B)?,
            Configuration::new("supports in the laboratory", &TRENTO_FOUR_C)?,
        ];
        let fits = tests.iter().fold(
            Finding::new("Emulated, both configurations last their 10 s and fit the rig in one piece within 3 %, their halves each other within 1 %"),
            Configuration::fits,
        );
        let nonlinear = tests.iter().fold(
            Finding::new("The nonlinearities matter: without them the second mass would move more than twice as far"),
            Configuration::differs,
        );
        let panels = tests.iter().flat_map(Configuration::panels).collect();
        Ok(Outcome { panels, columns: 2, claims: vec![claim], findings: vec![fits, nonlinear], ..Outcome::default() })
    },
};

/// One of the two: the test, the rig computed in one piece, and without its nonlinearities.
struct Configuration {
    name: &'static str,
    test: History,
    exact: History,
    linear: History,
}

/// Steps of the rig in one piece to one of the test.
const FINER: usize = 4;
/// Small motions: loads and with them all displacements a thousandth; no stop is met and the dampers do nothing.
const SMALL: f64 = 1e-3;

impl Configuration {
    fn new(name: &'static str, file: &'static File) -> Result<Self, Stopped> {
        let model = |set| file.with(&Settings { set, ..Settings::default() });
        let whole = |set| {
            let model = computed(model(set)?);
            let dt = model.analysis.dt / FINER as f64;
            run(&mut start_whole(with_step(&model, dt))?, |_| Ok(()))
        };
        let mut linear = whole(&[("push", "300 mN"), ("turn", "60 mN*m")])?;
        linear.channels.iter_mut().for_each(|(_, values)| values.iter_mut().for_each(|x| *x /= SMALL));
        Ok(Configuration { name, test: run(&mut start_parts(model(&[])?)?, |_| Ok(()))?, exact: whole(&[])?, linear })
    }

    /// Largest difference of a channel from the rig in one piece, over its peak there.
    fn off(&self, channel: &str) -> f64 {
        let exact = self.exact.of(channel).iter().step_by(FINER);
        largest(self.test.of(channel).iter().zip(exact).map(|(a, b)| (a - b).abs())) / peak(&self.exact, channel)
    }

    fn fits(finding: Finding, c: &Configuration) -> Finding {
        let name = c.name;
        let lasted = c.test.times.last().copied().unwrap_or(f64::NAN);
        let finding = finding.measure(
            Measure::new(format!("{name}: the test lasted, of 10 s"), lasted, "s")
                .claimed(Expected::AtLeast(10.0 - 1e-9)),
        );
        let finding = ["second.y", "second.rz"].into_iter().fold(finding, |finding, channel| {
            let what = format!("{name}: largest difference of {channel} from the rig in one piece, over its peak");
            finding.measure(Measure::new(what, c.off(channel), "").claimed(Expected::AtMost(0.03)))
        });
        ["first.y", "first.rz"].into_iter().fold(finding, |finding, channel| {
            let what = format!("{name}: largest gap of {channel} over its peak");
            let share = peak(&c.test, &format!("{channel}.gap")) / peak(&c.test, channel);
            finding.measure(Measure::new(what, share, "").claimed(Expected::AtMost(0.01)))
        })
    }

    fn differs(finding: Finding, c: &Configuration) -> Finding {
        let ratio = peak(&c.linear, "second.y") / peak(&c.exact, "second.y");
        let what = format!("{}: largest second.y of small motions, scaled, over that of the rig", c.name);
        finding.measure(Measure::new(what, ratio, "").claimed(Expected::AtLeast(2.0)))
    }

    fn panels(&self) -> [Panel; 2] {
        let panel = |channel: &str, what: &str, unit: &str, factor: f64| {
            let scaled = |h: &History| drawn(h.over_time(channel)).into_iter().map(|(t, x)| (t, factor * x)).collect();
            Panel {
                title: format!("{}: {}", self.name, what.split(' ').next().unwrap_or(what)),
                x: Axis::new("time", "s"),
                y: Axis::new(what, unit),
                curves: vec![
                    Curve::line("in one piece", scaled(&self.exact)).colour(BLACK),
                    Curve::line("test", scaled(&self.test)).style(Style::Dashed).colour(0),
                    Curve::line("without nonlinearities", scaled(&self.linear)).colour(1),
                ],
                ..Panel::default()
            }
        };
        [
            panel("second.y", "translation of the second mass", "mm", 1e3),
            panel("second.rz", "rotation of the second mass", "deg", 180.0 / std::f64::consts::PI),
        ]
    }
}
