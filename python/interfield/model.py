"""Models: from a file, from a text, or built in Python."""

from __future__ import annotations

import copy
import json
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native, _toml, callables
from ._progress import bar
from .errors import CallbackError, Message, ModelError, RunError, warn
from .result import Result, escape

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Check", "Direction", "Model", "Modes", "Rehearsal", "Stability"]

Floats = npt.NDArray[np.float64]
#: Laws, specimens and compensators.
Functions = tuple[list[callables.Spec], list[callables.Spec], list[callables.Spec]]


@dataclass(frozen=True)
class _Source:
    name: str
    text: str
    folder: str


class _Told:
    """Shows its text, also in a notebook."""

    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


@dataclass(frozen=True)
class Check(_Told):
    """What is known of a model before it runs: `text` for people, `data` for programs."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Direction:
    """A direction of the ground with the share of each mode in it."""

    name: str
    #: Mass that moves along it, kg.
    mass: float
    participation: Floats
    #: Effective masses, kg.
    effective: Floats


@dataclass(frozen=True)
class Modes:
    """Natural modes about the initial state."""

    #: Names of the degrees of freedom: rows of `shapes`.
    dofs: list[str]
    #: Circular frequencies, rad/s.
    omega: Floats
    #: One column per mode.
    shapes: Floats
    directions: list[Direction]

    @property
    def frequencies(self) -> Floats:
        """Hz."""
        return self.omega / (2 * np.pi)

    @property
    def periods(self) -> Floats:
        """s; infinite for a motion that nothing holds."""
        with np.errstate(divide="ignore"):
            return 2 * np.pi / self.omega

    def __len__(self) -> int:
        return len(self.omega)


@dataclass(frozen=True)
class Stability(_Told):
    """Whether a step lets a motion grow: `stable`, and everything that was found as `text` and `data`."""

    stable: bool
    text: str
    data: dict[str, Any]

    @property
    def radius(self) -> float:
        """Spectral radius of the step."""
        return float(self.data["spectral_radius"])

    def __bool__(self) -> bool:
        return self.stable


@dataclass(frozen=True)
class Rehearsal(_Told):
    """A test before the test: `text` for people, `data` for programs."""

    text: str
    data: dict[str, Any]


def _text(value: Any) -> str | None:
    plain = _toml.plain(value)
    return None if plain is None else plain if isinstance(plain, str) else repr(plain)


class Model:
    """A structure, its loads and its analysis.

    >>> import interfield
    >>> model = interfield.Model("Oscillator", dofs=["x"])
    >>> model.node("mass", mass="1 t")
    >>> model.element("spring", name="k", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    >>> model.load("force", at="mass.x", signal={"type": "harmonic", "amplitude": "1 kN", "frequency": "1 Hz"})
    >>> model.analysis(scheme="newmark", dt="10 ms", duration="1 s")
    >>> model.record(channels=["mass.x"])
    >>> round(float(model.modes().frequencies[0]), 4)
    1.0066
    >>> result = model.run(progress=False)
    >>> result["mass.x"].shape
    (101,)

    Every method that adds a table takes the keys of the model file as arguments (`interfield explain` and the reference of the
    book list them): numbers, texts with a unit, lists, dicts, numpy arrays, quantities of `pint`. A wrong key is
    found when the model is used, with its place in `to_toml()`.
    """

    def __init__(self, title: str = "untitled", **keys: Any) -> None:
        document: dict[str, Any] = {"title": title}
        document.update(_toml.plain(keys))
        self._document: dict[str, Any] | None = document
        self._written = ""
        self._name = "model"
        self._folder = "."
        self._laws: dict[str, Any] = {}
        self._specimens: dict[str, Any] = {}
        self._compensators: dict[str, Any] = {}
        #: Up to where loads that are functions were sampled, s.
        self._sampled = float("inf")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model file (TOML). Files that it refers to are seen from its folder."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as e:
            line = e.object.count(b"\n", 0, e.start) + 1
            what = "it is not text in UTF-8"
            message = Message("error", what, "save it as UTF-8", str(path), line, e.start - e.object.rfind(b"\n", 0, e.start))
            raise ModelError(str(message), [message]) from None
        return cls.from_text(text, folder=path.parent, name=str(path))

    @classmethod
    def from_text(cls, text: str, folder: str | os.PathLike[str] = ".", name: str = "model") -> Model:
        """From the text of a model file. `folder` is where it sees other files, `name` stands in messages.

        >>> import interfield
        >>> text = 'node = [{ name = "a", dofs = ["x"], mass = "1 kg", colour = 1 }]'
        >>> try:
        ...     interfield.Model.from_text(text).check()
        ... except interfield.ModelError as e:
        ...     print(*[m.message for m in e.messages], sep="; ")
        the model has no [analysis]; unknown key `colour` in `node`
        """
        model = cls()
        model._document = None
        model._written, model._folder, model._name = text, os.fspath(folder), name
        return model

    # ---- building ---------------------------------------------------------------------------------------------------

    def _open(self) -> dict[str, Any]:
        """The tables, to be changed; comments of a text are lost with the first change."""
        if self._document is None:
            # Of a file with `include`, all in one.
            self._document = tomllib.loads(_native.bundle(self._source()))
            self._written = ""
        return self._document

    def add(self, section: str, **keys: Any) -> None:
        """Adds a table to a list of the model file, such as `add("drift", name="storey1", ...)`."""
        self._open().setdefault(section, []).append(_toml.plain(keys))

    def set(self, section: str, **keys: Any) -> None:
        """Sets keys of a table of the model file, such as `set("damping", rayleigh={"ratio": 0.05})`."""
        self._open().setdefault(section, {}).update(_toml.plain(keys))

    def change(self, section: str, name: str, **keys: Any) -> None:
        """Changes keys of a table that is there, such as `change("specimen", "isolators", rate="1 kHz")`; None removes one.

        >>> import interfield
        >>> model = interfield.Model("Oscillator", dofs=["x"])
        >>> model.node("mass", mass="1 t", initial={"x": "1 mm"})
        >>> model.change("node", "mass", mass="2 t", initial=None)
        >>> print(model.to_toml())
        title = "Oscillator"
        dofs = ["x"]
        <BLANKLINE>
        [[node]]
        name = "mass"
        mass = "2 t"
        <BLANKLINE>
        """
        tables = self._open().get(section, [])
        named = [t for t in tables if isinstance(t, dict) and t.get("name") == name] if isinstance(tables, list) else []
        if not named:
            names = [str(t["name"]) for t in tables if isinstance(t, dict) and "name" in t] if isinstance(tables, list) else []
            raise ValueError(f"the model has no {section} `{name}`; it has: {', '.join(names) or 'none'}")
        for table in named:
            table.update(_toml.plain(keys))
            for key in [k for k, value in keys.items() if value is None]:
                table.pop(key, None)

    def node(self, name: str, **keys: Any) -> None:
        """Adds a node: `mass`, `dofs`, `at`, `fixed`, `initial`, ..."""
        self.add("node", name=name, **keys)

    def element(self, type: str, **keys: Any) -> None:
        """Adds an element of a type, see `interfield elements`."""
        self.add("element", type=type, **keys)

    def material(self, type: str, **keys: Any) -> None:
        """Adds a uniaxial material."""
        self.add("material", type=type, **keys)

    def load(self, type: str, *, signal: Any = None, sampled: str | float | None = None, **keys: Any) -> None:
        """Adds a load: `ground` or `force`, with the name of a signal, a table, or a Python function of the time in s.

        A function is called at once, every `sampled` (default: the step of the analysis), over the whole analysis; between these
        times the load is linear. A longer run is refused. Its values are in the units of the model. Give a law instead where the load depends on the motion.
        """
        if callable(signal):
            signal = self._samples(signal, sampled)
        self.add("load", type=type, signal=signal, **keys)

    def signal(self, name: str, type: str, **keys: Any) -> None:
        """Defines a signal that several loads use."""
        self._open().setdefault("signal", {})[name] = _toml.plain({"type": type, **keys})

    def substructure(self, name: str, **keys: Any) -> None:
        """Adds a substructure."""
        self.add("substructure", name=name, **keys)

    def coupling(self, method: str, **keys: Any) -> None:
        """How the substructures are coupled, see `interfield couplings`."""
        self.set("coupling", method=method, **keys)

    def analysis(self, **keys: Any) -> None:
        """Time integration: `scheme`, `dt`, `duration`, ..."""
        self.set("analysis", **keys)

    def units(self, **keys: Any) -> None:
        """Units of plain numbers and of results: `length`, `force`, ..."""
        self.set("units", **keys)

    def parameters(self, **keys: Any) -> None:
        """Named values for expressions."""
        self.set("parameters", **keys)

    def damping(self, **keys: Any) -> None:
        """Damping of the whole structure."""
        self.set("damping", **keys)

    def record(self, **keys: Any) -> None:
        """What is recorded: `channels`, `every`."""
        self.set("record", **keys)

    def law(self, name: str, function: Any, *, dofs: Sequence[str], stiffness: Any = "identify", **keys: Any) -> None:
        """Adds an element whose forces a Python function computes.

        `function(t, u, v)` gets the time in s, displacements and velocities of the `dofs` (numbers for one, arrays for several), and
        returns the resisting force(s), in SI or in the `units` given here. It may be an object with a method `force`, a
        :class:`Compiled` or a `numba.cfunc`. It is called once per step, and never taken back; the scheme uses the linear `stiffness`
        (in the units of the model; by default identified by small displacements) beside it.
        """
        self.add("external", name=name, program="callable", dofs=list(dofs), stiffness=stiffness, **keys)
        self._laws[name] = function

    def specimen(
        self, name: str, function: Any = None, *, compensator: Any = None, **keys: Any
    ) -> None:
        """Adds a specimen, or gives one of the model a Python function.

        `function(t, u, v)` computes the forces of the specimen behind its emulated actuators, in N and m at the scale of the laboratory.
        `compensator(target, measured)` returns the command of its actuator(s) in m at each sample; all limits of the model hold for it.
        """
        if keys:
            self.add("specimen", name=name, **keys)
        if function is not None:
            self._specimens[name] = function
        if compensator is not None:
            self._compensators[name] = compensator

    def _samples(self, function: Callable[[float], float], every: str | float | None) -> dict[str, Any]:
        analysis = self._open().get("analysis", {})
        if "duration" not in analysis or (every is None and "dt" not in analysis):
            raise ValueError("a load that is a function needs analysis(dt=..., duration=...) first")
        dt, duration = self._seconds(analysis["dt"] if every is None else every), self._seconds(analysis["duration"])
        if not (dt > 0 and duration > 0):
            raise ValueError("a load that is a function needs an interval and a duration greater than zero")
        count = math.ceil(duration / dt) + 2
        self._sampled = min(self._sampled, (count - 1) * dt)
        return {"type": "table", "dt": f"{dt!r} s", "values": [float(function(i * dt)) for i in range(count)]}

    def _seconds(self, value: Any) -> float:
        units = self._open().get("units", {})
        return seconds(_toml.plain(value), units.get("time", "s") if isinstance(units, dict) else "s")

    # ---- texts ------------------------------------------------------------------------------------------------------

    def to_toml(self) -> str:
        """The text of the model file; `Model.from_text` makes the same model of it. Functions of Python are not part of it."""
        return self._written if self._document is None else _toml.dump(self._document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    def expanded(self, **choices: Any) -> str:
        """The model with templates and parts written out."""
        return _native.expand(self._source(), _choices(**choices))

    def copy(self) -> Model:
        """Another model with the same tables and functions."""
        other = copy.copy(self)
        other._document = copy.deepcopy(self._document)
        other._laws, other._specimens = dict(self._laws), dict(self._specimens)
        other._compensators = dict(self._compensators)
        return other

    def _source(self, chosen: str | None = None) -> _Source:
        if chosen is not None and self._sampled < float("inf"):
            end = json.loads(chosen)["until"] or self._open().get("analysis", {}).get("duration")
            if end is not None and self._seconds(end) > self._sampled:
                raise ValueError(
                    f"a load that is a function was sampled up to {self._sampled:g} s, and the run goes to {end}: "
                    "give analysis(duration=...) as much before the load is added"
                )
        return _Source(self._name, self.to_toml(), self._folder)

    def __repr__(self) -> str:
        title = self._document.get("title", "untitled") if self._document is not None else self._name
        return f"<interfield.Model {title!r}>"

    # ---- before a run -----------------------------------------------------------------------------------------------

    def check(self, **choices: Any) -> Check:
        """Reads and assembles the model: raises `ModelError` with everything that is wrong, warns about what is doubtful."""
        text, data, said = _native.check(self._source(chosen := _choices(**choices)), chosen)
        warn(said)
        return Check(text, json.loads(data))

    def modes(self, count: int = 10, **choices: Any) -> Modes:
        """The lowest natural modes about the initial state."""
        dofs, omega, shapes, directions, said = _native.modes(self._source(), _choices(**choices), count)
        warn(said)
        return Modes(dofs, omega, shapes, [Direction(*d) for d in directions])

    def stability(self, **choices: Any) -> Stability:
        """Whether any motion of one step grows, the largest stable step, and what to do."""
        text, data, stable, said = _native.stability(self._source(), _choices(**choices))
        warn(said)
        return Stability(stable, text, json.loads(data))

    def amplification(self, **choices: Any) -> Floats:
        """The matrix of one step of the model in any coupling, about its initial state: x(k+1) = A x(k) without loads."""
        return _native.amplification(self._source(), _choices(**choices))[0]

    def rehearse(self, *, progress: bool | None = None, **choices: Any) -> Rehearsal:
        """Probes the loop of the test, and runs it once in the emulated laboratory."""
        self._of_its_elements("rehearse")
        chosen = _choices(**choices)
        source = self._source(chosen)
        shown, close = bar("rehearsing", progress)
        try:
            text, data, said = _native.rehearse(source, chosen, shown)
        finally:
            close()
        warn(said)
        return Rehearsal(text, json.loads(data))

    # ---- runs -------------------------------------------------------------------------------------------------------

    def run(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        laws: Mapping[str, Any] | None = None,
        specimens: Mapping[str, Any] | None = None,
        compensators: Mapping[str, Any] | None = None,
        observer: Any = None,
        progress: bool | None = None,
        real_time: bool = False,
        core: int | None = None,
        priority: int | None = None,
        threads: bool = False,
        checkpoint: float | None = None,
        resume: str | os.PathLike[str] | None = None,
        **choices: Any,
    ) -> Result:
        """Runs the model to its end.

        `scheme`, `dt`, `until`, `coupling`, `substeps`, `whole`, `tangent`, `set` (a dict of parameters) and `param` (of the scheme)
        replace what the model says; `pushover` (True, or a dict with `to`, `cycles`, `repeat`, `step`, `velocity`) pushes the structure instead.
        Without `output` the result stays in memory; with it, it is written to a result file while the run goes on.
        `observer(t, row)` sees each recorded row and ends the run by returning False. In real time, specimens run in processes of their own,
        laws and compensators are refused, and `core` and `priority` are those of the thread of the controller.
        `checkpoint` saves the complete state beside the result file at this interval in seconds, and `resume` goes on from such a file.
        Ctrl-C ends the run as it should end and raises `KeyboardInterrupt`; a run that fails raises `RunError`, an exception
        of a function `CallbackError`: both have the `result` up to there, and the file is whole.
        """
        chosen = _choices(**choices)
        options: dict[str, Any] = {
            "output": None if output is None else os.fspath(output), "stem": Path(self._name).stem,
            "threads": threads, "real_time": real_time, "core": core, "priority": priority,
            "checkpoint": None if checkpoint is None else float(checkpoint),
            "resume": None if resume is None else os.fspath(resume),
        }
        for name, value, least, most in (("core", core, 0, 1023), ("priority", priority, 1, 99)):
            if value is not None and not (real_time and least <= operator.index(value) <= most):
                raise ValueError(f"{name} is a number from {least} to {most}, in real time, found {value!r}")
        if output is not None and os.fspath(output).lower().endswith(".csv"):
            raise ValueError("a run writes FILE.h5; result.to_pandas().to_csv(...) writes comma-separated values")
        if checkpoint is not None and not 0 <= float(checkpoint) < 1e9:
            raise ValueError(f"the interval of checkpoints is a number of seconds, found {checkpoint}")
        if output is None and not (checkpoint is None and resume is None):
            raise ValueError("checkpoints stand beside a result file: give an output")
        source = self._source(chosen)
        if real_time:
            if laws or compensators or self._laws or self._compensators:
                raise ValueError("in real time, only specimens can be Python functions: a law or a compensator would stop the loop")
            from ._process import in_processes

            with in_processes(self, chosen, {**self._specimens, **(specimens or {})}) as (moved, hosts):
                try:
                    result = _run(moved, chosen, options, ([], [], []), observer, progress)
                except RunError as stopped:
                    counted = hosts()
                    if stopped.result is not None:
                        stopped.result.hosts = counted
                    why = [f"specimen `{name}`: {told['failed']}" for name, told in counted.items() if "failed" in told]
                    if not why:
                        raise
                    error = CallbackError("\n".join([*why, str(stopped)]), stopped.messages)
                    error.result = stopped.result
                    raise error from stopped
                result.hosts = hosts()
                return result
        return _run(source, chosen, options, self._functions(chosen, laws, specimens, compensators), observer, progress)

    def _of_its_elements(self, what: str) -> None:
        """Refuses what would compute with the elements of the model in place of its functions."""
        functions = [*self._laws, *self._specimens, *self._compensators]
        if functions:
            raise ValueError(f"{what}: `{functions[0]}` is computed by a Python function, which is possible in run() and simulation() only")

    def _functions(
        self,
        chosen: str,
        laws: Mapping[str, Any] | None = None,
        specimens: Mapping[str, Any] | None = None,
        compensators: Mapping[str, Any] | None = None,
    ) -> Functions:
        all_laws = {**self._laws, **(laws or {})}
        all_specimens = {**self._specimens, **(specimens or {})}
        all_compensators = {**self._compensators, **(compensators or {})}
        if not (all_laws or all_specimens or all_compensators):
            return [], [], []
        externals, tested = _native.parts(self._source(), chosen)
        actuators = {name: n for name, _, n, _ in tested}
        return (
            callables.specs(all_laws, dict(externals)),
            callables.specs(all_specimens, {name: n for name, n, _, _ in tested}),
            callables.specs(all_compensators, actuators, "compensator"),
        )

    def ensemble(self, cases: Iterable[Mapping[str, Any]], **options: Any) -> Any:
        """Runs many variants on all cores, see :func:`interfield.ensemble`."""
        from .ensemble import ensemble

        return ensemble(self, cases, **options)

    def simulation(
        self,
        *,
        laws: Mapping[str, Any] | None = None,
        specimens: Mapping[str, Any] | None = None,
        compensators: Mapping[str, Any] | None = None,
        **choices: Any,
    ) -> Any:
        """A run to be stepped, see :class:`interfield.Simulation`."""
        from .simulation import Simulation

        chosen = _choices(**choices)
        return Simulation(self._source(chosen), chosen, *self._functions(chosen, laws, specimens, compensators))


def _run(
    source: _Source,
    chosen: str,
    options: dict[str, Any],
    functions: Functions,
    observer: Any,
    progress: bool | None,
) -> Result:
    seen = None if observer is None else callables.spec("", observer, role="observer")
    shown, close = bar("running", progress)
    try:
        outcome, channels, rows, said, ended = _native.run(source, chosen, json.dumps(options), *functions, seen, shown)
    finally:
        close()
    warn(said, stacklevel=4)
    told = json.loads(outcome)
    result = Result._of_run(told, channels, rows)
    if ended is not None:
        name, cause = ended
        if not isinstance(cause, Exception):
            # Ctrl-C, the end of the program.
            raise cause
        what = f"the function of `{name}`" if name else "the observer"
        error: RunError = CallbackError(f"{what} ended the run: {type(cause).__name__}: {cause}\n{told['line']}")
        error.result = result
        raise error from cause
    if told["end"] in ("fault", "diverged", "not written"):
        error = RunError(f"{told['line']}\n{told['text']}".rstrip())
        error.result = result
        raise error
    return result


def _choices(
    *,
    set: Mapping[str, Any] | None = None,
    scheme: str | None = None,
    param: Mapping[str, Any] | None = None,
    dt: Any = None,
    until: Any = None,
    coupling: str | None = None,
    substeps: int | None = None,
    whole: bool = False,
    tangent: str | None = None,
    pushover: bool | Mapping[str, Any] | None = None,
) -> str:
    """What is chosen beside the model, for the native part."""

    def pairs(given: Mapping[str, Any] | None) -> list[list[str | None]]:
        for name, value in (given or {}).items():
            if value is None:
                raise TypeError(f"`{name}` is given no value")
        return [[name, _text(value)] for name, value in (given or {}).items()]

    for name, value in {"scheme": scheme, "coupling": coupling, "tangent": tangent}.items():
        if not (value is None or isinstance(value, str)):
            raise TypeError(f"{name} is a name, found {value!r}")
    if substeps is not None:
        substeps = operator.index(substeps)
        if not 1 <= substeps < 2**32:
            raise ValueError(f"substeps must be 1 or greater, found {substeps}")

    push = None if pushover is None or pushover is False else _toml.plain({} if pushover is True else pushover)
    return json.dumps({
        "set": pairs(set), "scheme": scheme, "param": pairs(param), "dt": _text(dt), "until": _text(until),
        "coupling": coupling, "substeps": substeps, "whole": bool(whole), "tangent": tangent, "pushover": push,
    })


def seconds(value: Any, unit: str = "s") -> float:
    """A time of a model in s; plain numbers are in `unit`.

    >>> seconds("5 ms"), seconds(5, "ms"), seconds(5)
    (0.005, 0.005, 5.0)
    """
    sizes = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}
    found = re.fullmatch(r"([-+.\deE]+?)\s*([a-z]*)", str(value).strip())
    try:
        number, own = (float(found[1]), found[2] or unit) if found else (float("nan"), "")
    except ValueError:
        own = ""
    if own not in sizes:
        raise ValueError(f"`{value}` is not a time in s, ms, us, min or h")
    return number * sizes[own]
