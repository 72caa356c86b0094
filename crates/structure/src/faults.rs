//! What went wrong, in the user's names: inside the loop, at the start, and why a coupling cannot begin.

use interfield_coupling::CouplingError;
use interfield_kernel::{Fault, Scheme};
use interfield_lab::partner::Trouble;
use interfield_lab::safety::Trip;
use interfield_language::model::Model;
use interfield_language::partition::Constraints;
use interfield_language::{Problem, Subject};

use crate::simulation::Part;
use crate::split::Constraint;

/// A fault of the loop in words, with the user's names.
pub(crate) fn explain(model: &Model, free: &[usize], looped: &[usize], fault: Fault) -> String {
    use interfield_kernel::fault::Place as P;
    let dof = |i: usize| free.get(i).map_or("?", |&d| model.dofs[d].name.as_str());
    let element = |i: usize| looped.get(i).map_or("?", |&e| model.elements[e].name.as_str());
    match fault {
        Fault::NonFinite { place, index } => match place {
            P::ElementForce => format!("the force of element `{}` is not a finite number", element(index)),
            P::ElementRate => format!("a state rate of element `{}` is not a finite number", element(index)),
            P::Displacement => format!("the displacement of `{}` is not finite: the run has diverged", dof(index)),
            P::Velocity => format!("the velocity of `{}` is not finite: the run has diverged", dof(index)),
            P::State => format!("internal state number {} is not finite: the run has diverged", index + 1),
        },
        Fault::Singular { dof: i } => format!(
            "`{}` can move without resistance: m M + c C + k K is singular or not positive definite there; mass and \
                stiffness are missing, or a negative tangent stiffness is too large for this step",
            dof(i)
        ),
        Fault::SingularElement { element: e } => {
            format!(
                "the internal states of element `{}` cannot be eliminated: its state matrix is singular",
                element(e)
            )
        }
        Fault::Laboratory { specimen, code, instrument } => {
            let words = Trip::from_code(code).map_or("for an unknown reason", Trip::words);
            let specimen = model.specimens.get(usize::from(specimen));
            let place = specimen.map_or_else(String::new, |s| s.names().told(instrument));
            let whose = specimen.filter(|_| model.specimens.len() > 1);
            let whose = whose.map_or_else(String::new, |s| format!(" of specimen `{}`", s.name));
            format!("the laboratory{whose} ended the test: {words}{place}")
        }
        Fault::Partner { index, code } => {
            let name = model.externals.get(index).map_or("?", |e| e.name.as_str());
            let words = Trouble::from_code(code).map_or("returned no force", Trouble::words);
            format!("the program of external `{name}` {words}")
        }
        Fault::Rank { rank, .. } => format!("rank {rank} has ended"),
        Fault::NoConvergence { iterations, residual } => format!(
            "Newton's iteration did not converge in {iterations} iterations (last correction {residual:.1e} of the first)"
        ),
    }
}

/// What a fault is about.
pub(crate) fn subject(free: &[usize], looped: &[usize], fault: Fault) -> Subject {
    use interfield_kernel::fault::Place as P;
    let dof = |i: usize| free.get(i).map_or(Subject::Model, |&d| Subject::Dof(d));
    let element = |i: usize| looped.get(i).map_or(Subject::Model, |&e| Subject::Element(e));
    match fault {
        Fault::NonFinite { place: P::ElementForce | P::ElementRate, index } => element(index),
        Fault::NonFinite { place: P::Displacement | P::Velocity, index } => dof(index),
        Fault::Singular { dof: i } => dof(i),
        Fault::SingularElement { element: e } => element(e),
        Fault::Laboratory { .. } | Fault::Partner { .. } | Fault::Rank { .. } => Subject::Start,
        Fault::NonFinite { .. } | Fault::NoConvergence { .. } => Subject::Model,
    }
}

/// A fault at the start, as a problem of the model.
pub(crate) fn cannot_start(model: &Model, free: &[usize], looped: &[usize], fault: Fault) -> Problem {
    if let Fault::Singular { dof } = fault
        && model.analysis.scheme.survey_start().needs_mass
        && let Some(dof) = free.get(dof).map(|&d| &model.dofs[d]).filter(|d| d.mass == 0.0)
    {
        let scheme = &model.analysis.scheme_name;
        let message =
            format!("`{}` has no mass, and scheme `{scheme}` finds accelerations by the mass alone", dof.name);
        let help = "give the node a `mass` there, or use a scheme that also balances stiffness, such as alpha-os";
        return Problem { subject: subject(free, looped, fault), message, help: help.to_owned(), fatal: true };
    }
    let help = match fault {
        Fault::Singular { .. } => "give the node a `mass`, connect it with an element, or fix it",
        Fault::SingularElement { .. } | Fault::NonFinite { .. } => "correct the parameters of the element",
        Fault::Laboratory { .. } => {
            "see the recording of the laboratory, the limits and the simulated faults of the specimen"
        }
        Fault::Partner { .. } => "read the last lines of the program's log",
        Fault::Rank { .. } => "read the message of that rank",
        Fault::NoConvergence { .. } => "use a smaller step, or a scheme that does not iterate",
    };
    let (mut message, subject) = (explain(model, free, looped, fault), subject(free, looped, fault));
    if subject == Subject::Start {
        message = format!("before the first step {message}");
    }
    Problem { subject, message, help: help.to_owned(), fatal: true }
}

/// Why the coupling cannot start, in the user's names.
pub(crate) fn refusal(error: &CouplingError, model: &Model, interface: &[Constraint], parts: &[Part]) -> Problem {
    let name = |row: usize| interface.get(row).map_or("?", |c| model.dofs[c.dof].name.as_str());
    match error {
        CouplingError::Fault(located) => {
            let part = &parts[located.substructure];
            part.sub.in_whole(cannot_start(&part.sub.model, &part.free, &part.looped, located.fault))
        }
        CouplingError::Redundant { rows } => {
            let names: std::collections::BTreeSet<&str> = rows.iter().map(|&r| name(r)).collect();
            let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
            let message = format!(
                "the constraints at {} are redundant, so the interface forces are not unique",
                names.join(", ")
            );
            let repeated = model.partition.as_ref().is_some_and(|p| p.coupling.constraints == Constraints::AllPairs);
            let help = match repeated {
                true => {
                    "write constraints = \"tree\" in [coupling], or method = \"llm\", which needs no choice of \
                        constraints"
                }
                false => {
                    "write method = \"llm\" in [coupling], which determines them, or divide the structure \
                    elsewhere"
                }
            };
            Problem::error(Subject::Model, message, help)
        }
        CouplingError::Rigid { row } => {
            let message = format!(
                "the interface `{}` has no mass on either side, or none in the substructure with substeps",
                name(*row)
            );
            let dof = interface.get(*row).map_or(Subject::Model, |c| Subject::Dof(c.dof));
            Problem::error(dof, message, "give the node a mass, and both sides a share of it (`interface_mass`)")
        }
        CouplingError::Reversed { row } => {
            let message = format!(
                "the interface operator at `{}` is not positive definite: a scheme is beyond its stability limit",
                name(*row)
            );
            let help = "use a smaller `dt`, more `substeps`, or an implicit `scheme`; `interfield check --stability` \
                on the substructure alone shows its limit";
            Problem::error(Subject::Step, message, help)
        }
        CouplingError::Unsuitable(message) => {
            Problem::error(Subject::Model, message.clone(), "change [coupling] or the substructures")
        }
    }
}
