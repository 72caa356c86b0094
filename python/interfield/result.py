"""Results: of a run, of a result file, of a recording; also while it is being written."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _native

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

__all__ = ["Channel", "Result", "open_result"]

Floats = npt.NDArray[np.float64]


def escape(text: str) -> str:
    """Text for a page."""
    return html.escape(text)


@dataclass(frozen=True)
class Channel:
    """A recorded channel."""

    name: str
    unit: str
    quantity: str
    description: str


class Result(Mapping[str, Floats]):
    """What a run recorded: a mapping from names of channels to arrays, over `t` in s.

    >>> import interfield
    >>> model = interfield.Model("Oscillator", dofs=["x"])
    >>> model.node("mass", mass="1 t", initial={"x": "1 mm"})
    >>> model.element("spring", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    >>> model.analysis(scheme="newmark", dt="10 ms", duration="1 s")
    >>> model.record(channels=["mass.x"])
    >>> result = model.run(progress=False)
    >>> result.unit("mass.x"), float(result.t[-1]), float(result["mass.x"][0])
    ('m', 1.0, 0.001)
    >>> result.verdict
    'good'
    """

    def __init__(self, reader: _native.Reader | None = None, path: str | None = None) -> None:
        self._reader = reader
        self._path = path
        self._outcome: dict[str, Any] = {}
        self._kept: dict[int, Floats] = {}
        self._rows: Floats | None = None
        self._t: Floats | None = None
        #: What was counted by the processes of Python specimens in real time, by specimen.
        self.hosts: dict[str, Any] = {}
        self._channels = [] if reader is None else [Channel(*c) for c in reader.channels]
        self._index = {c.name: i for i, c in enumerate(self._channels)}

    @classmethod
    def _of_run(
        cls, outcome: dict[str, Any], channels: list[tuple[str, str, str, str]], rows: tuple[Floats, Floats] | None
    ) -> Result:
        file = outcome["file"]
        result = cls(_native.Reader(file) if rows is None and file else None, file)
        result._outcome = outcome
        if rows is not None:
            result._t, result._rows = rows
            result._channels = [Channel(*c) for c in channels]
            result._index = {c.name: i for i, c in enumerate(result._channels)}
        return result

    def __getstate__(self) -> dict[str, Any]:
        # A file is opened again where it is wanted.
        return {**self.__dict__, "_reader": self._reader is not None, "_kept": {}, "_t": self._t if self._reader is None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reader = _native.Reader(state["_path"]) if state["_reader"] else None

    # ---- a mapping --------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Floats:
        if name not in self._index:
            import difflib

            near = difflib.get_close_matches(name, self._index, 1)
            raise KeyError(f"there is no channel `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""))
        i = self._index[name]
        if self._rows is not None:
            # A view of the rows, without a copy.
            column: Floats = self._rows[:, i]
            return column
        if i not in self._kept:
            self._kept[i] = self._read(i)
        return self._kept[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._channels)

    def _read(self, channel: int) -> Floats:
        if self._reader is None:
            return np.empty(0)
        return self._reader.read(channel, 0, self._reader.rows)

    @property
    def t(self) -> Floats:
        """Times of the rows, s."""
        if self._t is None:
            self._t = self._read(-1)
        return self._t

    @property
    def channels(self) -> list[Channel]:
        """Name, unit, quantity and description of each channel."""
        return list(self._channels)

    def unit(self, name: str) -> str:
        """The unit of a channel."""
        self[name]
        return self._channels[self._index[name]].unit

    @property
    def rows(self) -> Floats:
        """All channels, one column each."""
        return self._rows if self._rows is not None else np.column_stack([self[name] for name in self])

    def refresh(self) -> int:
        """Looks again at a file that is being written; how many rows it has now."""
        if self._reader is not None:
            self._reader.refresh()
            self._kept, self._t = {}, None
        return len(self.t)

    # ---- what became of the run --------------------------------------------------------------------------------------

    @property
    def outcome(self) -> dict[str, Any]:
        """Everything that is known of how the run went; of a file its words only."""
        if not self._outcome and self._reader is not None:
            word, line = self._reader.outcome
            return {"end": word, "line": line, "title": self._reader.title}
        return self._outcome

    @property
    def title(self) -> str:
        """Title of the model."""
        return str(self.outcome.get("title", ""))

    @property
    def verdict(self) -> str:
        """What is thought of the run, in one line."""
        if "verdict" in self.outcome:
            return str(self.outcome["verdict"])
        _, found, verdict = str(self.outcome.get("line", "")).partition("verdict: ")
        return verdict if found else str(self.outcome.get("line", ""))

    @property
    def file(self) -> str | None:
        """The result file, if there is one."""
        return self._path

    @property
    def recordings(self) -> list[str]:
        """Recordings of specimens, for `open_result`."""
        return list(self._outcome.get("recordings", []))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that a file holds."""
        return dict(json.loads(self._reader.settings)) if self._reader else {}

    @property
    def log(self) -> str:
        """The log of a file."""
        return self._reader.log if self._reader else ""

    @property
    def model_text(self) -> str:
        """The text of the model that a file holds."""
        return self._reader.model if self._reader else ""

    def peak(self, name: str) -> float:
        """The recorded value of largest magnitude, with its sign; NaN where there is none."""
        values = self[name][np.isfinite(self[name])]
        return float(values[np.argmax(np.abs(values))]) if len(values) else float("nan")

    # ---- other forms ------------------------------------------------------------------------------------------------

    def to_pandas(self) -> pandas.DataFrame:
        """A frame over the time in s; units are in `frame.attrs["units"]`."""
        import pandas as pd

        frame = pd.DataFrame({name: self[name] for name in self}, index=pd.Index(self.t, name="t"))
        frame.attrs["units"] = {c.name: c.unit for c in self._channels}
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A dataset over `t`, each variable with `units`, `quantity` and `long_name`."""
        import xarray as xr

        data = {
            c.name: ("t", self[c.name], {"units": c.unit, "quantity": c.quantity, "long_name": c.description})
            for c in self._channels
        }
        time = ("t", self.t, {"units": "s", "long_name": "time"})
        return xr.Dataset(data, coords={"t": time}, attrs={"title": self.title, "verdict": self.verdict})

    def plot(self, *names: str, against: str | None = None) -> Figure:
        """Draws channels (all of them without names), one panel per unit; `against` another channel instead of the time."""
        from ._figure import shown

        chosen = list(names) or list(self)[:12]
        units = list(dict.fromkeys(self.unit(name) for name in chosen))
        figure = shown(7, 0.6 + 2.0 * len(units))
        panels = np.atleast_1d(figure.subplots(len(units), 1, sharex=True))
        x, label = (self.t, "t [s]") if against is None else (self[against], f"{against} [{self.unit(against)}]")
        for panel, unit in zip(panels, units):
            own = [n for n in chosen if self.unit(n) == unit]
            for name in own:
                panel.plot(x, self[name], label=name, linewidth=0.9)
            # A legend would lie on the curve.
            panel.set_ylabel(f"{own[0]} [{unit}]" if len(own) == 1 else f"[{unit}]")
            if len(own) > 1:
                panel.legend(loc="best", fontsize="small")
            panel.grid(alpha=0.3)
        panels[-1].set_xlabel(label)
        return figure

    def __repr__(self) -> str:
        return f"<interfield.Result {self.title!r}: {len(self.t)} rows of {len(self)} channels, {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.name)}</td><td>{escape(c.unit)}</td><td>{self.peak(c.name):.5g}</td>"
            f"<td>{self[c.name][-1]:.5g}</td><td>{_spark(self[c.name])}</td></tr>"
            for c in self._channels[:20] if len(self.t)
        )
        more = f"<p>and {len(self) - 20} more channels</p>" if len(self) > 20 else ""
        return (
            f"<div><b>{escape(self.title)}</b><br>{escape(str(self.outcome.get('line', '')))}<br>"
            f"verdict: {escape(self.verdict)}"
            f"<table><tr><th>channel</th><th>unit</th><th>peak</th><th>end</th><th></th></tr>{rows}</table>{more}</div>"
        )


def _spark(values: Floats, width: int = 160, height: int = 28) -> str:
    """A small picture that keeps all peaks: the range of each pixel."""
    known = values[np.isfinite(values)]
    if not len(known):
        return ""
    low, high = float(np.min(known)), float(np.max(known))
    scale = (height - 2) / (high - low) if high > low else 0.0
    parts = np.array_split(values, min(width, len(values)))
    points = []
    for i, part in enumerate(parts):
        part = part[np.isfinite(part)]
        if not len(part):
            continue
        x = i * width / len(parts)
        for y in (float(np.max(part)), float(np.min(part))):
            points.append(f"{x:.1f},{height - 1 - (y - low) * scale:.1f}")
    line = f"<polyline points='{' '.join(points)}' fill='none' stroke='#0072b2' stroke-width='1'/>"
    return f"<svg width='{width}' height='{height}' xmlns='http://www.w3.org/2000/svg'>{line}</svg>"


def open_result(path: str | os.PathLike[str]) -> Result:
    """Opens a result file or the recording of a specimen: complete, killed, or still being written (`refresh` looks again)."""
    return Result(_native.Reader(os.fspath(path)), os.fspath(path))
