"""Laws from measured deformations and forces."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats
from .errors import warn_each
from .model import _Told
from .result import Result, open_result

__all__ = ["Estimate", "Identified", "identify"]

Floats = npt.NDArray[np.float64]
_Channel = tuple[str, str, Floats]


@dataclass(frozen=True)
class Estimate:
    """A parameter in the `unit` of the measurements, with its 95 % `interval`; None where the data do not tell it."""

    value: float
    unit: str
    interval: tuple[float, float] | None
    determined: bool


@dataclass(frozen=True)
class Identified(_Told):
    """A law of measurements: `text` for people, `data` for programs, `toml` for a model file."""

    text: str
    data: dict[str, Any]
    toml: str
    #: Times in s, deformations, measured and computed forces in SI.
    t: Floats
    deformation: Floats
    force: Floats
    computed: Floats

    @property
    def law(self) -> str:
        """Name of the law: the recommended one, where several were compared."""
        return str(self.data["law"])

    @property
    def parameters(self) -> dict[str, Estimate]:
        """Parameters by name."""
        found = {}
        for p in self.data["parameters"]:
            interval = None if p["interval"] is None else (float(p["interval"][0]), float(p["interval"][1]))
            found[str(p["name"])] = Estimate(float(p["value"]), str(p["units"]["value"]), interval, bool(p["determined"]))
        return found

    @property
    def unexplained(self) -> float:
        """Share of the force that the law does not explain."""
        return float(self.data["not_explained"])


def identify(
    data: str | os.PathLike[str] | Result | Mapping[str, npt.ArrayLike],
    element: str = "auto",
    *,
    of: str | None = None,
    deformation: str | None = None,
    force: str | None = None,
    rate: str | None = None,
    units: Mapping[str, str] | None = None,
    window: tuple[float, float] | None = None,
    fixed: Mapping[str, float] | None = None,
    delay: bool = False,
    offset: bool = False,
    loaded: bool = False,
    smooth: bool = False,
    dead_band: bool = False,
    levels: bool = False,
    substeps: int = 1,
) -> Identified:
    """The law of a specimen or an element, as `interfield identify`.

    `data` is a `Result`, the path of a result, a recording or a text file with columns, or a dict of arrays with the times `t` in s.
    `of` names the element or specimen, or `deformation`, `force` and `rate` name channels; of a dict these are `q`, `p` and `v`, in m and N
    unless `units` says otherwise.

    >>> import numpy as np, interfield
    >>> t = np.arange(0, 4, 0.01)
    >>> q = 0.02 * np.sin(6 * t)
    >>> found = interfield.identify({"t": t, "q": q, "p": 2e6 * q - 1e8 * q**3}, "cubic")
    >>> round(found.parameters["k"].value), found.parameters["k"].unit, found.unexplained < 1e-6
    (2000000, 'N/m', True)
    """
    t, channels, source = _channels(data, units or {})
    names = [name for name, _, _ in channels]
    if (deformation is None) != (force is None):
        raise ValueError("give both deformation and force, or none of them")
    if deformation is None or force is None:
        deformation, force = _pair(names, of)
        if deformation == "q" and "v" in names:
            rate = rate or "v"
    keep = np.ones(len(t), dtype=bool) if window is None else (t >= window[0]) & (t <= window[1])

    def chosen(name: str) -> _Channel:
        if name not in names:
            raise KeyError(f"there is no channel `{name}`; there are: {', '.join(names)}")
        _, unit, values = channels[names.index(name)]
        if len(values) != len(t):
            raise ValueError(f"`{name}` has {len(values)} numbers, the times {len(t)}")
        return name, unit, values[keep]

    asked = SimpleNamespace(
        element=element, fixed=[(str(n), float(x)) for n, x in (fixed or {}).items()], delay=delay, offset=offset, loaded=loaded,
        smooth=smooth, dead_band=dead_band, levels=levels, substeps=substeps,
    )
    if not 1 <= substeps <= 100:
        raise ValueError(f"substeps must be from 1 to 100, found {substeps}")
    text, told, block, arrays = _native.law(
        t[keep], chosen(deformation), chosen(force), None if rate is None else chosen(rate), asked, source
    )
    found = Identified(text, json.loads(told), block, *arrays)
    warn_each([*found.data["data_warnings"], *found.data["warnings"], *found.data["failures"]])
    return found


def _channels(data: Any, units: Mapping[str, str]) -> tuple[Floats, list[_Channel], str]:
    """Times, channels, and where they come from."""
    if isinstance(data, Result):
        return data.t, [(c.name, units.get(c.name, c.unit), data[c.name]) for c in data.channels], data.file or data.title
    if isinstance(data, Mapping):
        if "t" not in data:
            raise ValueError("a dict of arrays needs the times `t` in s")
        usual = {"q": "m", "p": "N", "v": "m/s", **units}
        return floats(data["t"], "times"), [(n, usual.get(n, ""), floats(x, n)) for n, x in data.items() if n != "t"], "arrays"
    path = os.fspath(data)
    if path.endswith(".h5"):
        return _channels(open_result(path), units)
    t, columns = _native.columns(path)
    return t, [(name, units.get(name, unit), values) for name, unit, values in columns], path


def _pair(names: list[str], of: str | None) -> tuple[str, str]:
    """Deformation and force of an element or a specimen, or the only pair that there is."""
    pairs = [
        (stem + mate, stem + ".force")
        for stem in (name.removesuffix(".force") for name in names if name.endswith(".force"))
        for mate in (".deformation", ".reached") if stem + mate in names
    ]
    found = [p for p in pairs if of is None or p[1] == f"{of}.force" or p[1].startswith(f"{of}.")]
    if of is None and not pairs and {"q", "p"} <= set(names):
        return "q", "p"
    if len(found) != 1:
        known = ", ".join(p[1].removesuffix(".force") for p in pairs) or "none"
        raise ValueError(f"name the element or specimen whose deformation and force are meant with `of`; there are: {known}")
    return found[0]
