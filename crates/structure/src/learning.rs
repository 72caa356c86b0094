//! Online updating of a running structure: what a specimen measured in a step becomes the parameters of numerical elements for the next.
//!
//! ```text
//! step --> measured deformation and force of the teacher --> estimates --> every pupil: what its tank allows --> next step
//! ```
//!
//! Parameters change between steps only, and no state of a scheme is touched. Nothing allocates after the start.
//! **Must not be here:** filters, tanks ([`interfield_learn::online`]).

use std::sync::Arc;

use interfield_coupling::Coupling;
use interfield_kernel::element::AnyLaw;
use interfield_kernel::{Archive, Persist};
use interfield_lab::rig::Reading;
use interfield_language::model::{Kind, Model};
use interfield_language::update::{LAWS, Learned, PARAMETERS, Update};
use interfield_language::{Problem, Subject};
use interfield_learn::online::pupil::Kind as Keeps;
use interfield_learn::online::recursive::Start;
use interfield_learn::online::{
    COUNT, Filter, Hysteresis, Learner, Limits, Parameters, Pupil, Recursive, Settings, Shape, State, Teacher,
};

use crate::assembled::Assembled;
use crate::assembled::changing::{point, with};
use crate::channels::weights;
use crate::simulation::Part;
use crate::specimen::Rows;

/// Deviations on either side that contain an estimate with a probability of 95 %.
const BAND: f64 = 1.96;
/// Bounds of the shape r and of the exponent n, whatever the first guess is.
const SHAPE: [f64; 2] = [0.5, 1.5];
const EXPONENT: [f64; 2] = [0.5, 8.0];
/// Deviation of the variable of a filter that is 100 % of a parameter in the middle of its box, where the box is a factor of ten wide.
const PRIOR: f64 = 0.875;
/// What an interval of least squares leaves of the weight of those before it: a memory of 400 intervals.
const FORGETTING: f64 = 0.995;

/// All updates of a structure.
pub(crate) struct Learning {
    updates: Vec<Running>,
}

/// An update.
struct Running {
    /// Its number in the model.
    index: usize,
    /// Time step, s.
    dt: f64,
    teacher: Teacher,
    first: Parameters,
    free: [bool; COUNT],
    law: Shape,
    /// Part in which its specimen stands.
    part: usize,
    /// Deformation and force of the teacher, by places in the memory of the part.
    deformation: Vec<(usize, f64)>,
    force: Vec<(usize, f64)>,
    pupils: Vec<Place>,
}

/// A pupil, and where it is.
struct Place {
    pupil: Pupil,
    part: usize,
    /// Its number in the loop of the part.
    element: usize,
    law: AnyLaw,
}

/// The law of an element with other parameters; what is not learned, such as the rate below which a damper is linear, stays its own.
fn renewed(before: &AnyLaw, x: &Parameters) -> Option<AnyLaw> {
    let (shape, _) = before.with_parameters(|p| Shape::of(before.info().name, p))?;
    let mut out = [0.0; COUNT];
    let count = shape.element(x, &mut out);
    with(before, &out[..count])
}

/// Law and first guess of an element of a model, if it can be learned.
fn law_of(model: &Model, e: usize) -> Option<(AnyLaw, Shape, Parameters)> {
    let Kind::Law { law, .. } = &model.elements[e].kind else { return None };
    let (shape, x) = law.with_parameters(|p| Shape::of(law.info().name, p))?;
    Some((*law, shape, x))
}

/// The law that an element really has in the emulated laboratory, where it is not the one of the model.
pub(crate) fn truth(model: &Model, e: usize) -> Option<AnyLaw> {
    let update = model.updates.iter().find(|u| u.teacher == e && !u.truth.is_empty())?;
    let (law, _, x) = law_of(model, e)?;
    renewed(&law, &true_parameters(update, x))
}

fn true_parameters(update: &Update, mut x: Parameters) -> Parameters {
    update.truth.iter().for_each(|(i, factor)| x[*i] *= factor);
    // What is less than a half is not dissipative on every path.
    x[2] = if update.truth.iter().any(|t| t.0 == 2) { x[2].clamp(SHAPE[0], SHAPE[1]) } else { x[2] };
    x
}

/// The model in which all elements that learn know the truth from the beginning, and nothing is learned: what updating is compared with.
pub fn knowing(model: &Model) -> Model {
    let mut all = model.clone();
    for update in &model.updates {
        let Some((_, _, first)) = law_of(model, update.teacher) else { continue };
        let truth = true_parameters(update, first);
        for &e in &update.pupils {
            let Some((law, _, own)) = law_of(model, e) else { continue };
            let mut x = own;
            // A factor of nothing is nothing.
            let sized = update.truth.iter().filter(|t| first[t.0] != 0.0 && first[t.0].is_finite());
            sized.for_each(|&(i, _)| x[i] = own[i] * (truth[i] / first[i]));
            if let (Kind::Law { law: new, .. }, Some(true_law)) = (&mut all.elements[e].kind, renewed(&law, &x)) {
                *new = true_law;
            }
        }
    }
    without(all)
}

/// The model with nothing learned: the first guess stays.
pub fn without(model: Model) -> Model {
    let updates = model.updates.iter().map(|u| Update { enabled: false, ..u.clone() }).collect();
    Model { updates, ..model }
}

/// What an update came to, for a report.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name.
    pub name: String,
    /// Its specimen and the element that taught.
    pub teacher: String,
    /// How many elements learned.
    pub pupils: usize,
    /// Parameters that were learned.
    pub parameters: Vec<Taught>,
    /// Whether it still learns, or why it does not.
    pub state: State,
    /// Part of the samples in which the specimen moved beyond noise.
    pub moving: f64,
    /// Largest hysteretic force over the estimated yield force, if it has one.
    pub loaded: Option<f64>,
    /// Energy that changes gave to all elements, what their tanks held, and what they dissipated, J.
    pub energy: [f64; 3],
    /// Largest gain of an element over what its tank held then.
    pub fullest: f64,
    /// Changes that waited for a tank or an operator.
    pub waited: u64,
    /// Largest deformation of an element that learned, over that of the specimen.
    pub extrapolated: f64,
}

/// A parameter that was learned, SI.
#[derive(Clone, Debug)]
pub struct Taught {
    /// Its name.
    pub name: &'static str,
    /// Its first guess.
    pub first: f64,
    /// Its estimate with bounds of 95 %.
    pub value: [f64; 3],
    /// What is in use.
    pub used: f64,
    /// Whether data told anything of it.
    pub told: bool,
}

/// Below this part of moving samples a specimen hardly taught.
const MOVING: f64 = 0.2;
/// Below this part of the yield force nothing is known of yielding.
const LOADED: f64 = 0.3;

impl Lesson {
    /// What is doubtful about it, as sentences.
    pub fn doubts(&self) -> Vec<String> {
        let mut list = Vec::new();
        let percent = |x: f64| (100.0 * x).round();
        match self.state {
            State::Learning => {}
            State::Worse => list.push(
                "disabled: the estimates explain the measured force much worse than the first guess, which is used again".to_owned(),
            ),
            State::Inconsistent => list.push(
                "disabled: the measured force is often far from what the law allows (a sensor fault, or another law); the first guess is used again"
                    .to_owned(),
            ),
            State::NotFinite => {
                list.push("disabled: a measurement is NaN (not a number); the first guess is used again".to_owned());
            }
        }
        if self.moving < MOVING {
            list.push(format!(
                "the specimen hardly moved: in {} % of the steps by more than three standard deviations of the noise",
                percent(self.moving)
            ));
        }
        if let Some(loaded) = self.loaded.filter(|l| *l < LOADED) {
            let shape: Vec<&str> =
                self.parameters.iter().map(|p| p.name).filter(|n| ["Fy", "r", "n"].contains(n)).collect();
            if !shape.is_empty() {
                let percent = percent(loaded);
                list.push(format!(
                    "{} not learned: the largest hysteretic force is {percent} % of the yield force",
                    shape.join(", ")
                ));
            }
        }
        if self.extrapolated > 2.0 {
            list.push(format!(
                "extrapolated: elements that learned deformed {:.1} times as much as the specimen",
                self.extrapolated
            ));
        }
        list
    }
}

/// What is needed of the parts when updates are started.
pub(crate) struct Site<'a> {
    pub(crate) model: &'a Arc<Model>,
    pub(crate) parts: &'a [Part],
    /// Rows of the specimens of every part.
    pub(crate) rows: &'a [Vec<Rows>],
}

impl Learning {
    /// The updates of a model; none if it has none.
    ///
    /// # Errors
    /// What cannot be updated, all at once.
    pub(crate) fn new(site: &Site<'_>, coupling: &mut dyn Coupling<Assembled>) -> Result<Option<Self>, Vec<Problem>> {
        let (mut updates, mut problems) = (Vec::new(), Vec::new());
        for (index, update) in site.model.updates.iter().enumerate() {
            match Running::new(site, (index, update), coupling) {
                Ok(running) => updates.push(running),
                Err(list) => problems.extend(list),
            }
        }
        match (problems.is_empty(), updates.is_empty()) {
            (false, _) => Err(problems),
            (true, true) => Ok(None),
            (true, false) => Ok(Some(Learning { updates })),
        }
    }

    /// Learns of the step that ended at `t`. The energy that changes gave, J.
    pub(crate) fn step(
        &mut self,
        t: f64,
        parts: &mut [Part],
        coupling: &mut dyn Coupling<Assembled>,
        enabled: &[Update],
    ) -> f64 {
        let mut energy = 0.0;
        for running in &mut self.updates {
            let dt = running.dt;
            running.follow(t, dt, coupling);
            if enabled[running.index].enabled {
                energy += running.learn(parts, coupling);
            }
        }
        energy
    }

    /// The value of a channel, SI.
    pub(crate) fn read(&self, index: usize, what: Learned) -> f64 {
        let Some(running) = self.updates.iter().find(|r| r.index == index) else { return 0.0 };
        let learner = running.teacher.learner();
        let sum = |of: fn(&Pupil) -> f64| running.pupils.iter().map(|p| of(&p.pupil)).sum();
        match what {
            Learned::Value(i) => learner.estimate()[i],
            Learned::Low(i) => learner.band(i, BAND)[0],
            Learned::High(i) => learner.band(i, BAND)[1],
            Learned::Injected => sum(Pupil::gained),
            Learned::Tank => sum(Pupil::tank),
            Learned::Active => f64::from(u8::from(running.teacher.state() == State::Learning)),
        }
    }

    /// What all of them came to.
    pub(crate) fn lessons(&self, model: &Model) -> Vec<Lesson> {
        self.updates.iter().map(|r| r.lesson(model, &model.updates[r.index])).collect()
    }

    /// Puts parameters into the systems, after they were restored.
    pub(crate) fn apply(&mut self, parts: &mut [Part], coupling: &mut dyn Coupling<Assembled>) {
        for running in &mut self.updates {
            for place in &mut running.pupils {
                place.put(parts, coupling);
            }
        }
    }
}

impl Persist for Learning {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.updates.len());
        for running in &mut self.updates {
            running.teacher.persist(archive);
            running.pupils.iter_mut().for_each(|p| p.pupil.persist(archive));
        }
    }
}

impl Running {
    fn new(
        site: &Site<'_>,
        (index, update): (usize, &Update),
        coupling: &mut dyn Coupling<Assembled>,
    ) -> Result<Self, Vec<Problem>> {
        let model = site.model;
        let refuse = |message: String, help: &str| Problem::error(Subject::Update(index), message, help);
        if model.analysis.statics || model.analysis.land {
            let message = "updating needs time steps of one length".to_owned();
            return Err(vec![refuse(
                message,
                "remove [[update]], or run without `events = \"land\"` and without pushover",
            )]);
        }
        if model.partition.as_ref().is_some_and(|p| p.coupling.info.twins) {
            let message = "this coupling computes the coarse side twice, and only one copy would learn".to_owned();
            return Err(vec![refuse(
                message,
                "use the coupling \"pmc\", or run the structure in one piece with --whole",
            )]);
        }
        let name = &model.elements[update.teacher].name;
        let Some((_, law, first)) = law_of(model, update.teacher) else {
            let message = format!("`{name}` has no yield force: beta + gamma must be positive");
            return Err(vec![refuse(message, "give it the parameters of a first guess")]);
        };
        let free = free(update, model, &first, index)?;
        let (part, own) = teaching(site, update).ok_or_else(|| {
            let message = format!("deformation and force of `{name}` do not follow from what is measured");
            vec![refuse(message, "let a specimen teach whose elements are as many as its measured directions")]
        })?;
        let [deformation, force] = own.in_memory(coupling.system(part));
        let teacher = Teacher::new(
            learner(update, law, first, free).map_err(|e| vec![refuse(e, GUESS)])?,
            limits(update),
            model.analysis.dt,
        );
        let (mut pupils, mut problems) = (Vec::new(), Vec::new());
        for &e in &update.pupils {
            match pupil(site, (update, e), (law, &first, &free), coupling) {
                Ok(place) => pupils.push(place),
                Err((message, help)) => problems.push(refuse(message, help)),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Running { index, dt: model.analysis.dt, teacher, first, free, law, part, deformation, force, pupils })
    }

    /// Follows the pupils to the end of a step.
    fn follow(&mut self, t: f64, dt: f64, coupling: &mut dyn Coupling<Assembled>) {
        for place in &mut self.pupils {
            let (system, x) = coupling.at_node(place.part);
            let at = point(system, t, x);
            let [q, state] = system.strained(place.element, at);
            if let Shape::Linear(terms) = self.law {
                let rate = (q - place.pupil.deformation()) / dt;
                let force = terms.dashpot(place.pupil.parameters(), rate);
                place.pupil.follow(q, force);
                continue;
            }
            // A step may leave it beyond, where the law does not see it.
            let most = match self.law {
                Shape::Hysteretic(Hysteresis::Mostaghel) => place.law.with_parameters(|p| p[2]),
                _ => place.law.with_parameters(|p| place.law.strength(p)).unwrap_or(f64::MAX),
            };
            let state = state.clamp(-most, most);
            place.pupil.follow(q, state);
        }
    }

    /// Learns of what was measured; the energy that changes gave, J.
    fn learn(&mut self, parts: &mut [Part], coupling: &mut dyn Coupling<Assembled>) -> f64 {
        let (system, _) = coupling.at_node(self.part);
        let sum = |list: &[(usize, f64)]| -> f64 {
            let memory = interfield_kernel::System::memory(system);
            list.iter().map(|(i, w)| w * memory[*i]).sum()
        };
        self.teacher.step(sum(&self.deformation), sum(&self.force));
        let mut energy = 0.0;
        for place in &mut self.pupils {
            let change = place.pupil.learn(&self.first, self.teacher.used(), &self.free);
            energy += change.energy;
            if change.changed {
                place.put(parts, coupling);
            }
        }
        energy
    }

    fn lesson(&self, model: &Model, update: &Update) -> Lesson {
        let learner = self.teacher.learner();
        let estimate = learner.estimate();
        let taught = |i: usize| {
            let [low, high] = learner.band(i, BAND);
            Taught {
                name: PARAMETERS[i].0,
                first: self.first[i],
                value: [estimate[i], low, high],
                used: self.teacher.used()[i],
                told: learner.doubt(i) < Limits::default().gate,
            }
        };
        let sum = |of: fn(&Pupil) -> f64| self.pupils.iter().map(|p| of(&p.pupil)).sum();
        let most = self.pupils.iter().map(|p| p.pupil.reach()).fold(0.0, f64::max);
        Lesson {
            name: update.name.clone(),
            teacher: model.elements[update.teacher].name.clone(),
            pupils: self.pupils.len(),
            parameters: (0..COUNT).filter(|&i| self.free[i]).map(taught).collect(),
            state: self.teacher.state(),
            moving: self.teacher.moving(),
            loaded: self.teacher.loaded(),
            energy: [sum(Pupil::gained), sum(Pupil::tank), sum(Pupil::dissipated)],
            fullest: self.pupils.iter().map(|p| p.pupil.fullest()).fold(0.0, f64::max),
            waited: self.pupils.iter().map(|p| p.pupil.waited()).sum(),
            extrapolated: if self.teacher.reach() > 0.0 { most / self.teacher.reach() } else { 0.0 },
        }
    }
}

impl Place {
    /// Gives the element its parameters, and what reads its force.
    fn put(&mut self, parts: &mut [Part], coupling: &mut dyn Coupling<Assembled>) {
        let Some(law) = renewed(&self.law, self.pupil.parameters()) else { return };
        self.law = law;
        coupling.system_of(self.part).change(self.element, &law);
        parts[self.part].recorder.change(self.element, &law);
    }
}

/// What a first guess that cannot be used needs.
const GUESS: &str = "change the first guess, `range` or `parameters`";

/// Which parameters are learned: those that are named, or all that are not zero.
fn free(update: &Update, model: &Model, first: &Parameters, index: usize) -> Result<[bool; COUNT], Vec<Problem>> {
    let law = model.elements[update.teacher].type_name.as_str();
    let allowed = LAWS.iter().find(|l| l.0 == law).map_or(&[][..], |l| l.1);
    let usable = |i: usize| first[i] != 0.0 && first[i].is_finite();
    let mut free = [false; COUNT];
    if update.parameters.is_empty() {
        allowed.iter().filter(|&&i| usable(i)).for_each(|&i| free[i] = true);
    }
    let mut problems = Vec::new();
    for &i in &update.parameters {
        free[i] = usable(i);
        if !usable(i) {
            let message = format!(
                "`{}` of `{}` is zero, so that its size cannot be guessed",
                PARAMETERS[i].0, model.elements[update.teacher].name
            );
            let help = "give it a first guess that is not zero, or remove it from `parameters`";
            problems.push(Problem::error(Subject::Update(index), message, help));
        }
    }
    if problems.is_empty() { Ok(free) } else { Err(problems) }
}

fn limits(update: &Update) -> Limits {
    Limits { rate: update.rate, ..Limits::default() }
}

/// What estimates; the error is a sentence.
fn learner(update: &Update, law: Shape, first: Parameters, free: [bool; COUNT]) -> Result<Learner, String> {
    let mut bounds = first.map(|x| {
        let mut ends = [x / update.range, x * update.range];
        ends.sort_by(f64::total_cmp);
        ends
    });
    let noise = update.noise;
    match law {
        Shape::Linear(law) => {
            let start = Start { law, initial: first, free, bounds, noise, prior: update.prior, forgetting: FORGETTING };
            let found = Recursive::new(start).ok_or("the first guess is at a bound of its range")?;
            Ok(Learner::Recursive(Box::new(found)))
        }
        Shape::Hysteretic(law) => {
            (bounds[2], bounds[3]) = (SHAPE, EXPONENT);
            let prior = PRIOR * update.prior;
            let settings = Settings { law, initial: first, free, bounds, noise, prior, walk: 0.005, path: 0.01 };
            let filter = Filter::new(settings).ok_or_else(|| {
                "the first guess is at a bound of its range: r = beta/(beta + gamma) from 0.5 to 1.5, n from 0.5 to 8"
                    .to_owned()
            })?;
            Ok(Learner::Filter(Box::new(filter)))
        }
    }
}

/// Where deformation and force of a teacher are measured: specimen of a part, and weights of its readings.
struct Measured {
    specimen: usize,
    row: Vec<f64>,
    weights: Vec<f64>,
}

impl Measured {
    fn in_memory(&self, system: &Assembled) -> [Vec<(usize, f64)>; 2] {
        let own = &system.measured()[self.specimen];
        let of = |reading: Reading, list: &[f64]| {
            let weighted = list.iter().enumerate().filter(|(_, w)| **w != 0.0);
            weighted.map(|(i, w)| (own.place(reading, i), *w)).collect()
        };
        [of(Reading::Reached, &self.row), of(Reading::Force, &self.weights)]
    }
}

fn teaching(site: &Site<'_>, update: &Update) -> Option<(usize, Measured)> {
    site.parts.iter().enumerate().find_map(|(p, part)| {
        let specimen = part.sub.specimens.iter().position(|s| *s == update.specimen)?;
        let element = part.sub.elements.iter().position(|e| *e == update.teacher)?;
        let rows = &site.rows[p];
        let (found, weights) = weights(rows, element, 0)?;
        let row = rows[found].iter().find(|r| r.0 == element)?.1.first()?.clone();
        (found == specimen).then_some(())?;
        Some((p, Measured { specimen, row, weights: weights.ok()? }))
    })
}

/// A pupil at the start; the error is a sentence with its help.
fn pupil(
    site: &Site<'_>,
    (update, e): (&Update, usize),
    (law, first, free): (Shape, &Parameters, &[bool; COUNT]),
    coupling: &mut dyn Coupling<Assembled>,
) -> Result<Place, (String, &'static str)> {
    let name = &site.model.elements[e].name;
    let (own, _, initial) = law_of(site.model, e).ok_or_else(|| {
        (
            format!("`{name}` has no yield force: beta + gamma must be positive"),
            "give it the parameters of a first guess",
        )
    })?;
    // Exponents and shapes are copied, sizes are proportional.
    if update.enabled && (2..4).any(|i| (initial[i] - first[i]).abs() > 1e-6 * first[i]) {
        let message = format!(
            "`{name}` has another exponent n or another ratio beta/(beta + gamma) than the element that teaches"
        );
        return Err((message, "give both the same n, and the same beta/gamma: sizes may differ, shapes may not"));
    }
    if let Some(i) = (0..COUNT).find(|&i| free[i] && initial[i] == 0.0 && update.enabled) {
        let what = PARAMETERS[i].0;
        return Err((
            format!("`{what}` of `{name}` is zero and cannot follow that of the specimen"),
            "give it a value, or remove it from `parameters`",
        ));
    }
    let place = site.parts.iter().enumerate().find_map(|(p, part)| {
        let own = part.sub.elements.iter().position(|x| *x == e)?;
        Some((p, part.looped.iter().position(|l| *l == own)?))
    });
    let Some((part, element)) = place.filter(|(p, l)| coupling.system(*p).can_change(*l)) else {
        let message = format!("`{name}` is computed apart from the structure by this coupling, and cannot change");
        return Err((message, "use the coupling \"pmc\", or run the structure in one piece with --whole"));
    };
    let h = site.model.analysis.dt / f64::from(site.parts[part].sub.substeps);
    let bound = coupling.system(part).stiffest(element, h);
    let (system, x) = coupling.at_node(part);
    let at = point(system, 0.0, x);
    let [q, state] = system.strained(element, at);
    let keeps = match law {
        Shape::Hysteretic(Hysteresis::Mostaghel) => Keeps::Slider,
        Shape::Hysteretic(_) => Keeps::Hysteretic,
        Shape::Linear(terms) => Keeps::Terms(terms),
    };
    let pupil = Pupil::new(keeps, initial, update.tank, site.model.analysis.dt).bounded(bound).starting(q, state);
    Ok(Place { pupil, part, element, law: own })
}
