"""Many runs of one model: parameter studies and incremental dynamic analysis."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats
from ._progress import bar
from .errors import warn
from .model import Model, _choices

if TYPE_CHECKING:
    import xarray

__all__ = ["Ensemble", "Ida", "Motion", "ensemble", "ida", "read_motion"]

Floats = npt.NDArray[np.float64]

#: Key figures of a channel over a run.
FIGURES = ("min", "max", "peak", "peak_time", "rms", "last", "residual")


@dataclass(frozen=True)
class Motion:
    """A ground motion: acceleration in m/s^2 at an interval of `dt` seconds."""

    dt: float
    values: Floats
    name: str = ""

    def intensity(self, period: float | None = None) -> float:
        """Peak acceleration, or the spectral acceleration at a period in s with 5 % damping, m/s^2."""
        return _native.intensity(self.dt, floats(self.values, "accelerations"), period)


def read_motion(path: str | os.PathLike[str], *, unit: float | None = None, dt: float | None = None) -> Motion:
    """Reads a ground motion in any format that `interfield motion` knows; `unit` is one of its numbers in m/s^2."""
    step, values = _native.read_motion(os.fspath(path), unit, dt)
    return Motion(step, values, os.path.basename(os.fspath(path)))


@dataclass(frozen=True)
class Ensemble:
    """Key figures of many runs: `figures[case, channel, figure]`, NaN of a run that could not begin."""

    cases: list[dict[str, Any]]
    channels: list[str]
    units: list[str]
    figures: Floats
    #: How each run ended: finished, fault, broken off, refused; and why.
    endings: list[tuple[str, str]]
    histories: list[list[Floats]]

    def __getitem__(self, channel: str) -> dict[str, Floats]:
        """Figures of a channel by name, one number per case."""
        if channel not in self.channels:
            raise KeyError(f"there is no channel `{channel}`; there are: {', '.join(self.channels)}")
        i = self.channels.index(channel)
        return {name: self.figures[:, i, k] for k, name in enumerate(FIGURES)}

    def peak(self, channel: str) -> Floats:
        """Largest magnitudes, one per case."""
        return np.abs(self[channel]["peak"])

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Which runs came to their end."""
        return np.array([word == "finished" for word, _ in self.endings])

    def to_xarray(self) -> xarray.Dataset:
        """Figures over cases and channels."""
        import xarray as xr

        coords = {"case": range(len(self.endings)), "channel": self.channels, "unit": ("channel", self.units)}
        data = {name: (("case", "channel"), self.figures[:, :, k]) for k, name in enumerate(FIGURES)}
        return xr.Dataset(data, coords=coords)


def ensemble(
    model: Model,
    cases: Iterable[Mapping[str, Any]],
    *,
    motions: Sequence[Motion] = (),
    tail: float = 0.0,
    threads: int = 0,
    thin: int | None = None,
    progress: bool | None = None,
    **choices: Any,
) -> Ensemble:
    """Runs a model once for each case, on all cores.

    A case is a dict: `motion` (number in `motions`) and `factor` for the ground, any choice of `Model.run` (`dt`, `coupling`, ...), and
    parameters of the model by name. `thin=n` keeps every n-th recorded sample of all channels as `histories`.
    """
    known = {"scheme", "dt", "until", "coupling", "substeps", "whole", "tangent", "param"}
    listed = [dict(case) for case in cases]
    native = []
    for case in listed:
        own = dict(case)
        motion, factor = own.pop("motion", None), float(own.pop("factor", 1.0))
        if motion is not None and not 0 <= int(motion) < len(motions):
            raise ValueError(f"there is no motion number {motion}; {len(motions)} were given")
        given = {**choices, **{n: v for n, v in own.items() if n in known}}
        given["set"] = {**choices.get("set", {}), **{n: v for n, v in own.items() if n not in known}}
        native.append((_choices(**given), None if motion is None else int(motion), factor))
    model._of_its_elements("ensemble")
    for chosen, _, _ in native:
        model._source(chosen)
    grounds = [(m.dt, floats(m.values, "accelerations")) for m in motions]
    shown, close = bar("runs", progress)
    try:
        channels, figures, endings, histories, said = _native.ensemble(
            model._source(), native, grounds, tail, threads, thin, shown
        )
    finally:
        close()
    warn(said)
    return Ensemble(listed, [c for c, _ in channels], [u for _, u in channels], figures, endings, histories)


@dataclass(frozen=True)
class Ida:
    """Incremental dynamic analysis: `demand[motion, level]` at `intensity[level]` in m/s^2; NaN where a run failed."""

    intensity: Floats
    demand: Floats
    runs: Ensemble

    def fractiles(self, shares: Sequence[float] = (0.16, 0.5, 0.84)) -> Floats:
        """Fractiles of the demand over all motions at each level; a run that failed counts as infinite."""
        filled = np.where(np.isnan(self.demand), np.inf, self.demand)
        ordered = np.sort(filled, axis=0)
        places = [min(int(np.ceil(s * len(ordered))) - 1, len(ordered) - 1) for s in shares]
        return ordered[np.maximum(places, 0)]


def ida(
    model: Model,
    motions: Sequence[Motion],
    levels: npt.ArrayLike,
    *,
    demand: str,
    period: float | None = None,
    **options: Any,
) -> Ida:
    """Runs a model under each motion at each level of intensity (m/s^2): peak acceleration, or spectral acceleration at `period`."""
    at = floats(levels, "levels of intensity")
    own = [m.intensity(period) for m in motions]
    for i, intensity in enumerate(own):
        if not intensity > 0:
            raise ValueError(f"motion number {i} has no intensity: it cannot be scaled")
    if not (np.all(np.isfinite(at)) and np.all(at > 0)):
        raise ValueError("levels of intensity must be greater than zero")
    cases = [{"motion": i, "factor": float(level / own[i])} for i in range(len(motions)) for level in at]
    runs = ensemble(model, cases, motions=motions, **options)
    peaks = np.where(runs.finished, runs.peak(demand), np.nan)
    return Ida(at, peaks.reshape(len(motions), len(at)), runs)
