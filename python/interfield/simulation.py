"""A run that is stepped from Python: for people who invent schemes and controllers."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats
from .errors import warn

__all__ = ["Part", "Simulation"]

Floats = npt.NDArray[np.float64]


class Part:
    """Where a substructure stands in the state vector."""

    def __init__(self, name: str, dofs: list[str], places: list[int]) -> None:
        self.name, self.dofs = name, dofs
        begin, v, rest, end = places
        #: Displacements, velocities, and the rest (element states, history of the scheme), as slices; SI.
        self.u, self.v, self.rest = slice(begin, v), slice(v, rest), slice(rest, end)

    def __repr__(self) -> str:
        return f"<Part {self.name!r}: {', '.join(self.dofs)}>"


class Simulation:
    """A model at a step; made by `Model.simulation`.

    >>> import interfield
    >>> model = interfield.Model("Oscillator", dofs=["x"])
    >>> model.node("mass", mass="1 t", initial={"x": "1 mm"})
    >>> model.element("spring", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    >>> model.analysis(scheme="newmark", dt="10 ms", duration="1 s")
    >>> model.record(channels=["mass.x"])
    >>> sim = model.simulation()
    >>> start = sim.state
    >>> while sim.step():
    ...     pass
    >>> sim.t, sim.done
    (1.0, 100)
    >>> sim.restore(start)
    >>> sim.t, float(sim["mass.x"])
    (0.0, 0.001)
    """

    def __init__(self, source: Any, chosen: str, laws: list[Any], specimens: list[Any], compensators: list[Any]) -> None:
        self._native = _native.Stepper(source, chosen, laws, specimens, compensators)
        self._owners = (laws, specimens, compensators)
        warn(self._native.warnings, stacklevel=4)
        self._channels = self._native.channels
        self._index = {name: i for i, (name, _) in enumerate(self._channels)}
        #: Takes a step, or so many; False once the analysis is at its end. Raises what a function of the model raised.
        self._step = self._native.step

    def __reduce__(self) -> NoReturn:
        raise TypeError("a simulation is not pickled: pickle its model and its `state`, and restore the state in another simulation")

    def step(self, count: int = 1) -> bool:
        """Takes a step, or `count` steps; False once the analysis is at its end."""
        return self._step(count)

    def advance(self, count: int) -> bool:
        """The same for many steps, without the lock of the interpreter."""
        return self._native.advance(count)

    @property
    def t(self) -> float:
        """Time, s."""
        return self._native.t

    @property
    def dt(self) -> float:
        """Step, s."""
        return self._native.dt

    @property
    def done(self) -> int:
        """Steps taken."""
        return self._native.done

    @property
    def steps(self) -> int:
        """Steps to the end of the analysis."""
        return self._native.steps

    @property
    def channels(self) -> list[str]:
        """Names of the recorded channels."""
        return list(self._index)

    def unit(self, name: str) -> str:
        """The unit of a channel."""
        return self._channels[self._index[name]][1]

    def __getitem__(self, name: str) -> float:
        return self._native.get(self._index[name])

    @property
    def row(self) -> Floats:
        """All channels after the last step."""
        return self._native.row()

    @property
    def state(self) -> bytes:
        """The complete state, to be restored here, in another simulation of the same model and choices, or in another process."""
        return self._native.save()

    def restore(self, state: bytes) -> None:
        """Goes on from a state."""
        self._native.restore(state)

    @property
    def parts(self) -> list[Part]:
        """The substructures in the state vector; one of a structure in one piece."""
        return [Part(*p) for p in self._native.layout()]

    @property
    def vector(self) -> Floats:
        """The state vector of the step: displacements, velocities, states and history of each part, multipliers; SI. Can be set."""
        return self._native.vector()

    @vector.setter
    def vector(self, values: npt.ArrayLike) -> None:
        self._native.set_vector(floats(values, "states"))

    def amplification(self) -> Floats:
        """The matrix of one step, linearised about the present state."""
        return self._native.matrix()

    def finish(self) -> dict[str, Any]:
        """Ends the run: specimens return, programs end. How it went, with the verdict."""
        return dict(json.loads(self._native.finish()))
