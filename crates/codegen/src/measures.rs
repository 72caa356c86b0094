//! The units of what goes in and out: those of the model.

use interfield_kernel::element::info::Unit;
use interfield_language::model::{Element, Kind, Model};
use interfield_language::units::Dimension;

use crate::api::Measure;

/// A plain number.
pub(crate) fn plain() -> Measure {
    Measure { unit: "1".to_owned(), si: 1.0 }
}

/// What nothing is known about but its number in SI: states of formulas and blocks.
pub(crate) fn unknown() -> Measure {
    Measure { unit: "SI".to_owned(), si: 1.0 }
}

/// A quantity of this dimension; `angle`: that counts radians.
fn measure(model: &Model, dim: Dimension, angle: bool) -> Measure {
    let units = &model.units;
    match (angle, dim.is_none()) {
        (true, _) => Measure { unit: units.angle_label(dim), si: units.factor(dim) },
        (false, true) => plain(),
        (false, false) => Measure { unit: units.label(dim), si: units.factor(dim) },
    }
}

/// A displacement along a degree of freedom, or its `derivative` by time.
pub(crate) fn motion(model: &Model, dof: usize, derivative: i32) -> Measure {
    let angle = model.dofs[dof].angle;
    measure(model, disp(angle).per(Dimension::TIME.power(f64::from(derivative))), angle)
}

/// An acceleration of the ground along the degrees of freedom with this short name.
pub(crate) fn ground(model: &Model, direction: &str) -> Measure {
    let along = |d: &&interfield_language::model::Dof| d.name.rsplit('.').next() == Some(direction);
    let angle = model.dofs.iter().find(along).is_some_and(|d| d.angle);
    measure(model, disp(angle).per(Dimension::TIME.power(2.0)), angle)
}

/// A force along a degree of freedom.
pub(crate) fn force(model: &Model, dof: usize) -> Measure {
    measure(model, Dimension::MOMENT.per(disp(model.dofs[dof].angle)), false)
}

fn disp(angle: bool) -> Dimension {
    if angle { Dimension::NONE } else { Dimension::LENGTH }
}

/// A number of a law of the catalogue, on the coordinates that an element has.
pub(crate) fn of_law(model: &Model, element: &Element, unit: Unit) -> Measure {
    let Kind::Law { law, coordinates, .. } = &element.kind else { return unknown() };
    let angle = coordinates.first().and_then(|c| c.first()).is_some_and(|c| model.dofs[c.0].angle);
    let exponent = law.info().parameters.iter().position(|p| p.name == "n");
    let n = exponent.map_or(1.0, |j| law.with_parameters(|p| p[j]));
    let dim = interfield_language::law_dimension(unit, angle, n);
    measure(model, dim, angle && [Unit::DISP, Unit::RATE].contains(&unit))
}
