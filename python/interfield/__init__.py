"""Hybrid simulation of structures.

>>> import interfield
>>> model = interfield.Model.from_text('''
... dofs = ["x"]
... node = [{ name = "mass", mass = "1 t", initial = { x = "1 mm" } }]
... element = [{ type = "spring", nodes = ["ground", "mass"], dof = "x", k = "40 kN/m" }]
... analysis = { scheme = "newmark", dt = "10 ms", duration = "1 s" }
... record = { channels = ["mass.x"] }
... ''')
>>> result = model.run(progress=False)
>>> result.t.shape, result.unit("mass.x")
((101,), 'm')
"""

from ._native import __version__
from .callables import Compiled
from .ensemble import Ensemble, Ida, Motion, ensemble, ida, read_motion
from .errors import CallbackError, InterfieldError, InterfieldWarning, MachineError, Message, ModelError, RunError
from .identification import Estimate, Identified, identify
from .model import Check, Model, Modes, Rehearsal, Stability
from .result import Channel, Result, open_result
from .simulation import Simulation
from .studies import (
    Convergence, Order, RadiusMap, Spectrum, analyse, order, radius_map, spectrum, stability_map,
)

__all__ = [
    "CallbackError", "Channel", "Check", "Compiled", "Convergence", "Ensemble", "Estimate", "Ida", "Identified", "InterfieldError",
    "InterfieldWarning", "MachineError", "Message", "Model", "ModelError", "Modes", "Motion", "Order", "RadiusMap",
    "Rehearsal", "Result", "RunError", "Simulation", "Spectrum", "Stability", "__version__", "analyse", "ensemble",
    "ida", "identify", "open_result", "order", "radius_map", "read_motion", "spectrum", "stability_map",
]
