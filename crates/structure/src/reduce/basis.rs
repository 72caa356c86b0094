//! As many modes as a reduction needs, and what is lost with them.

use interfield_language::model::Model;
use interfield_language::reduction::{Interface, Reduction};
use interfield_language::units::significant;
use interfield_language::{Problem, Subject};
use interfield_linalg::reduction::{Bound, Component, Interior, Lost, Superelement, Unreducible, free_interface};
use interfield_linalg::{EigenError, Wanted};

use crate::assemble::component;

/// Most modes of a superelement: beyond, the whole structure is faster.
const MOST: usize = 2000;
/// The modes go to this multiple of the frequency of interest, with residual vectors and without, before more are taken.
const BEYOND: [f64; 2] = [1.5, 2.0];

/// A reduced component.
pub(super) struct Found {
    pub(super) element: Superelement,
    pub(super) lost: Lost,
    /// What bounds it; none of a free interface, and of one in characteristic modes.
    pub(super) bound: Option<Bound>,
    /// Number of generalised motions that stand for a part of the interface.
    pub(super) interface: usize,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Found {
    /// The same with characteristic modes below a circular frequency for the kept unknowns at the places `soft`. What that loses of the
    /// stiffness of the others up to a frequency in Hz is measured, and added.
    pub(super) fn with_interface_modes(
        self,
        (rows, soft): (&[usize], &[usize]),
        below: f64,
        besides: &[Vec<f64>],
        frequency: f64,
    ) -> Result<Found, Unreducible> {
        if soft.is_empty() {
            return Ok(self);
        }
        let Found { element, mut lost, .. } = self;
        let (nb, whole) = (element.kept, element.matrices());
        let element = element.with_interface_modes((rows, soft), below * below, besides)?;
        let hard: Vec<usize> = (0..nb).filter(|b| !soft.contains(b)).collect();
        let exact = whole.reordered(&hard);
        for share in (1..=COMPARED).map(|i| i as f64 / COMPARED as f64) {
            let omega2 = (share * std::f64::consts::TAU * frequency).powi(2);
            let both = exact.dynamic_stiffness(omega2, &[]).zip(element.dynamic_stiffness(omega2, &[]));
            if let Some(((exact, _), (z, _))) = both {
                let size = |m: &dyn Fn(usize) -> f64| (0..exact.len()).map(|p| m(p).powi(2)).sum::<f64>().sqrt();
                let all = size(&|p| exact[p]);
                lost.stiffness += if all > 0.0 { size(&|p| z[p] - exact[p]) / all } else { 0.0 } / COMPARED as f64;
            }
        }
        let interface = element.size() - element.kept - (whole.size - nb);
        Ok(Found { element, lost, bound: None, interface })
    }

    /// The shares of the generalised motions in a motion of the inside, while the kept unknowns move by `kept`, and what is lost of it: by
    /// least squares in the inertia of the inside.
    pub(super) fn shares(&self, component: &Component<'_>, kept: &[f64], motion: &[f64]) -> (Vec<f64>, f64) {
        let Superelement { interior, motions, kept: nb, .. } = &self.element;
        let (mut all, mut product) = (vec![0.0; component.pattern.n()], vec![0.0; component.pattern.n()]);
        let mut inertia = |x: &[f64]| -> Vec<f64> {
            interior.iter().zip(x).for_each(|(&i, x)| all[i] = *x);
            component.pattern.mul(component.mass, &all, &mut product);
            interior.iter().map(|&i| product[i]).collect()
        };
        let mut rest = motion.to_vec();
        for (x, psi) in kept.iter().zip(motions).filter(|t| *t.0 != 0.0) {
            rest.iter_mut().zip(psi).for_each(|(r, p)| *r -= x * p);
        }
        let mut size = |x: &[f64]| dot(x, &inertia(x)).max(0.0).sqrt();
        let whole = size(motion).max(size(&rest));
        let (motions, count) = (&motions[*nb..], motions.len() - nb);
        let (mut gram, mut shares) = (vec![0.0; count * count], vec![0.0; count]);
        for (j, x) in motions.iter().enumerate() {
            let m = inertia(x);
            (0..=j).for_each(|i| gram[i * count + j] = dot(&motions[i], &m));
            (0..j).for_each(|i| gram[j * count + i] = gram[i * count + j]);
            shares[j] = dot(&m, &rest);
        }
        if !interfield_linalg::dense_solve(&gram, count, &mut shares, 1) {
            shares.fill(0.0);
        }
        for (share, x) in shares.iter().zip(motions) {
            rest.iter_mut().zip(x).for_each(|(r, x)| *r -= share * x);
        }
        let left = dot(&rest, &inertia(&rest)).max(0.0).sqrt();
        (shares, if whole > 0.0 { left / whole } else { 0.0 })
    }
}

/// Reduces a component as it is asked for; `loads` over its rows act inside.
pub(super) fn find(component: &Component<'_>, asked: &Reduction, loads: &[Vec<f64>]) -> Result<Found, Unreducible> {
    let omega = std::f64::consts::TAU * asked.frequency;
    let mut interior = Interior::new(*component)?;
    if asked.interface == Interface::Free {
        let element = free_interface(component, asked.modes.unwrap_or(0))?;
        let lost = Lost { stiffness: measured(&interior, &element, omega)?, forces: Vec::new() };
        return Ok(Found { element, lost, bound: None, interface: 0 });
    }
    let inside: Vec<Vec<f64>> = loads.iter().map(|f| interior.part(f)).collect();
    let beyond = BEYOND[usize::from(!asked.residual)];
    let mut wanted = asked.modes.map_or(Wanted::Below((beyond * omega).powi(2)), Wanted::Count);
    loop {
        let mut basis = interior.modes(wanted, MOST)?;
        if asked.residual {
            interior.add_residual(&mut basis, &inside)?;
        }
        let bound = Bound::new(&mut interior, &basis, &inside);
        let reduced: Vec<Vec<f64>> = loads.iter().map(|f| interior.load(&basis, f)).collect();
        let lost = bound.lost(&interior.matrices(&basis), &reduced, omega)?;
        let worst = lost.forces.iter().copied().fold(lost.stiffness, f64::max);
        if asked.modes.is_some() || worst <= asked.accuracy || basis.next().is_none() {
            let element = interior.into_superelement(basis);
            return Ok(Found { element, lost, bound: Some(bound), interface: 0 });
        }
        if basis.modes() >= MOST {
            return Err(EigenError::TooMany { most: MOST }.into());
        }
        wanted = Wanted::Count((basis.modes() * 13 / 10).max(basis.modes() + 4).min(MOST));
    }
}

/// Frequencies at which a free interface is compared with the whole component.
const COMPARED: usize = 6;

/// Share of the dynamic stiffness that is lost, the worst of some frequencies; not next to a frequency of the inside, where both are large.
fn measured(interior: &Interior<'_>, element: &Superelement, omega: f64) -> Result<f64, Unreducible> {
    let (nb, n) = (element.kept, element.size());
    let unit: Vec<f64> =
        (0..nb).map(|b| element.stiffness[b * n + b]).map(|k| if k > 0.0 { k.sqrt().recip() } else { 0.0 }).collect();
    let norm = |m: &dyn Fn(usize) -> f64| {
        let entry = |p: usize| unit[p / nb] * m(p) * unit[p % nb];
        (0..nb * nb).map(|p| entry(p) * entry(p)).sum::<f64>().sqrt()
    };
    let mut worst = 0.0f64;
    for share in (1..=COMPARED).map(|i| i as f64 / COMPARED as f64) {
        let omega2 = (share * omega).powi(2);
        let Ok(exact) = interior.dynamic_stiffness(omega2) else { continue };
        let Some((z, _)) = element.dynamic_stiffness(omega2, &[]) else { continue };
        worst = worst.max(norm(&|p| z[p] - exact[p]) / norm(&|p| exact[p]));
    }
    Ok(worst)
}

/// Why a part cannot be reduced, in the words of the model.
pub(super) fn refused(
    model: &Model,
    number: usize,
    asked: &Reduction,
    component: &component::Component,
    why: Unreducible,
) -> Problem {
    let (name, subject) = (&asked.name, Subject::Reduction(number));
    match why {
        Unreducible::Mechanism { row } => {
            let dof = &model.dofs[component.rows[row]].name;
            let message = format!(
                "the inside of `{name}` can move without resistance while its interface stands: nothing holds `{dof}`, a part that it \
                    belongs to floats, or its stiffness is not positive"
            );
            let help = format!("support it, connect it to the rest, or keep it: keep = [\"{dof}\"]");
            Problem::error(subject, message, &help)
        }
        Unreducible::Unstable { negative } => {
            let motions = if negative == 1 { "1 motion".to_owned() } else { format!("{negative} motions") };
            let message = format!(
                "the inside of `{name}` is unstable while its interface stands: {motions} of negative stiffness"
            );
            Problem::error(
                subject,
                message,
                "look for an element with a negative stiffness, or keep its degrees of freedom",
            )
        }
        Unreducible::Modes(EigenError::TooMany { most }) => {
            let message = format!(
                "`{name}` needs more than {most} modes for {} % up to {} Hz",
                significant(100.0 * asked.accuracy, 2),
                significant(asked.frequency, 3)
            );
            Problem::error(subject, message, "choose a lower `frequency` or a larger `accuracy`, or keep fewer nodes")
        }
        Unreducible::Modes(why) => {
            let message = format!("the modes of `{name}` could not be found: {why}");
            Problem::error(subject, message, "check the masses and the stiffnesses of its elements")
        }
        Unreducible::Condition(condition) => {
            let message = format!(
                "`{name}` cannot be reduced with a free interface: what its modes leave of the flexibility of the interface has a condition of {}",
                significant(condition, 2)
            );
            Problem::error(
                subject,
                message,
                "use interface = \"fixed\", fewer `modes`, or keep fewer degrees of freedom",
            )
        }
    }
}
