"""What is learned of schemes and couplings by stepping them, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats
from ._progress import bar
from .errors import warn
from .model import Model, _choices, _text

__all__ = [
    "Convergence", "Order", "RadiusMap", "Spectrum", "analyse", "order", "radius_map", "spectrum", "stability_map",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spectrum:
    """A scheme on an oscillator, over Omega = omega dt. NaN where there is no oscillating pair."""

    omega: Floats
    radius: Floats
    principal: npt.NDArray[np.complex128]
    #: Algorithmic damping ratio.
    damping: Floats
    #: (Omega - Omega of the scheme) / Omega.
    frequency_error: Floats
    #: Order that the scheme claims; None for a scheme of one's own.
    claimed_order: int | None = None


def spectrum(
    scheme: str, *, omega: npt.ArrayLike | None = None, xi: float = 0.0, param: Mapping[str, Any] | None = None
) -> Spectrum:
    """Spectral radius, damping and frequency error of a scheme, as `interfield spectrum`.

    >>> import interfield
    >>> found = interfield.spectrum("newmark", omega=[0.1, 1.0, 10.0])
    >>> [round(float(r), 12) for r in found.radius]
    [1.0, 1.0, 1.0]
    """
    at = np.logspace(-2, 3, 61) if omega is None else floats(omega, "values of Omega")
    if not (np.all(np.isfinite(at)) and np.all(at > 0)):
        raise ValueError("Omega = omega dt must be greater than zero")
    if not (np.isfinite(xi) and xi >= 0):
        raise ValueError(f"the damping ratio xi must be zero or greater, found {xi}")
    given = [(name, _text(value) or "") for name, value in (param or {}).items()]
    claimed, radius, principal, damping, error = _native.spectrum(scheme, given, at.tolist(), xi)
    return Spectrum(at, radius, principal, damping, error, claimed)


def analyse(matrix: Callable[[float], npt.ArrayLike], *, omega: npt.ArrayLike | None = None) -> Spectrum:
    """The same for a scheme of one's own: `matrix(Omega)` returns its amplification matrix for an oscillator.

    >>> import numpy as np, interfield
    >>> def forward_euler(w):
    ...     return np.array([[1, w], [-w, 1]])
    >>> float(interfield.analyse(forward_euler, omega=[1.0]).radius[0]) ** 2  # doctest: +ELLIPSIS
    2.0000...
    """
    at = np.logspace(-2, 3, 61) if omega is None else floats(omega, "values of Omega")
    radius, principal = np.empty(len(at)), np.full(len(at), np.nan, dtype=np.complex128)
    for i, w in enumerate(at):
        values = np.linalg.eigvals(np.asarray(matrix(float(w))))
        radius[i] = np.max(np.abs(values))
        swinging = values[(values.imag > 1e-12) & (w < np.pi)]
        if len(swinging):
            principal[i] = swinging[np.argmin(np.abs(swinging - np.exp(1j * w)))]
    with np.errstate(all="ignore"):
        log = np.log(principal)
        size = np.abs(log)
        return Spectrum(at, radius, principal, -log.real / size, (at - size) / at)


@dataclass(frozen=True)
class Convergence:
    """Differences of runs with halved steps."""

    dt: Floats
    differences: Floats
    orders: Floats
    #: At the finest pair whose difference is clear of rounding.
    order: float | None


@dataclass(frozen=True)
class Order:
    """Observed order of accuracy of displacements, velocities and element states."""

    u: Convergence
    v: Convergence
    s: Convergence | None
    claimed: int | None


def order(model: Model, *, levels: int = 6, **choices: Any) -> Order:
    """Observed order of a scheme or a coupling on a model, by halving the step, as `interfield order`."""
    if not 3 <= levels <= 16:
        raise ValueError("levels must be from 3 to 16")
    model._of_its_elements("order")
    chosen = _choices(**choices)
    u, v, s, claimed, said = _native.order(model._source(chosen), chosen, levels)
    warn(said)
    return Order(Convergence(*u), Convergence(*v), None if s is None else Convergence(*s), claimed)


@dataclass(frozen=True)
class RadiusMap:
    """Spectral radii over a grid: `radius` and `stable` have one axis for each of `axes`, in their order."""

    axes: dict[str, list[Any]]
    radius: Floats
    stable: npt.NDArray[np.bool_]


def radius_map(model: Model, axes: Mapping[str, Sequence[Any]], *, progress: bool | None = None, **choices: Any) -> RadiusMap:
    """Spectral radius of one step of a model over choices: `radius_map(model, {"dt": [...], "coupling": [...]})`.

    Names of axes are those of `Model.run` (`dt`, `scheme`, `coupling`, `substeps`, ...); any other is a parameter of the model.
    """
    known = {"scheme", "dt", "until", "coupling", "substeps", "whole", "tangent"}
    model._of_its_elements("radius_map")
    grids = {name: list(values) for name, values in axes.items()}
    shape = [len(values) for values in grids.values()]
    all_choices = []
    for index in np.ndindex(*shape):
        picked = {name: values[i] for (name, values), i in zip(grids.items(), index)}
        given = {**choices, **{n: v for n, v in picked.items() if n in known}}
        given["set"] = {**choices.get("set", {}), **{n: v for n, v in picked.items() if n not in known}}
        all_choices.append(_choices(**given))
    shown, close = bar("cells", progress)
    try:
        radius, stable = _native.radii(model._source(), all_choices, shown)
    finally:
        close()
    return RadiusMap(grids, radius.reshape(shape), stable.reshape(shape))


def stability_map(
    coupling: str,
    *,
    scheme: str | None = None,
    ratio: str = "b1",
    omega: npt.ArrayLike | None = None,
    ratios: npt.ArrayLike | None = None,
    substeps: Sequence[int] = (1, 2, 10),
    param: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> RadiusMap:
    """Where a coupling is stable on the split mass, as `interfield stability-map`.

    >>> import interfield
    >>> found = interfield.stability_map("pmc", omega=[0.1, 10.0], ratios=[0.1, 1.0, 10.0], substeps=[1, 4], progress=False)
    >>> found.radius.shape, bool(found.stable.all())
    ((2, 3, 2), True)
    """
    at = np.logspace(-2, 3, 40) if omega is None else floats(omega, "values of omega")
    of = np.logspace(-2, 2, 40) if ratios is None else floats(ratios, "ratios")
    for values in (at, of):
        if not (np.all(np.isfinite(values)) and np.all(values > 0)):
            raise ValueError("values of omega and ratios must be greater than zero")
    if not all(1 <= n <= 1000 for n in substeps):
        raise ValueError(f"substeps must be from 1 to 1000, found {list(substeps)}")
    given = [(name, _text(value) or "") for name, value in (param or {}).items()]
    shown, close = bar("cells", progress)
    try:
        (radius, stable), _ = _native.split_mass_map(
            coupling, scheme, given, ratio, at.tolist(), of.tolist(), list(substeps), shown
        )
    finally:
        close()
    shape = (len(substeps), len(of), len(at))
    axes = {"substeps": list(substeps), "ratio": of.tolist(), "omega": at.tolist()}
    return RadiusMap(axes, radius.reshape(shape), stable.reshape(shape))
