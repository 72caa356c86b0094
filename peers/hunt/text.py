"""A model as a file that a user might write: some units of the file, others on the numbers."""

import math
import random

LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048}
FORCES = {"N": 1.0, "kN": 1e3, "MN": 1e6, "lbf": 0.45359237 * 9.80665, "kip": 453.59237 * 9.80665}
TIMES = {"s": 1.0, "ms": 1e-3, "min": 60.0}
MASSES = {"kg": 1.0, "t": 1e3, "gram": 1e-3, "lb": 0.45359237}

# Exponents of force, length and time, by element type and parameter; what is not here is a pure number.
STIFFNESS, DASHPOT, LENGTH = (1, -1, 0), (1, -1, 1), (0, 1, 0)
DIMENSIONS = {
    "k": STIFFNESS, "k2": STIFFNESS, "c": DASHPOT, "k3": (1, -3, 0), "gap": LENGTH, "v0": (0, 1, -1), "xy": LENGTH,
    "delta": LENGTH, "dk": (-1, -1, 0), "ds": (-1, -1, 0), "alpha": (0, -2, 0), "length": LENGTH, "E": (1, -2, 0),
    "A": (0, 2, 0), "I": (0, 4, 0), "rho": (1, -4, 2), "m": (1, -1, 2), "force": (1, 0, 0), "time": (0, 0, 1),
    "omega": (0, 0, -1), "acceleration": (0, 1, -2), "inertia": (1, 1, 2), "velocity": (0, 1, -1), "none": (0, 0, 0),
}


class Writer:
    """Writes quantities; the same model always in the same units."""

    def __init__(self, model):
        self.draw = random.Random(f"{model['seed']} units")
        self.model = model
        self.units = [self.draw.choice(list(d)) for d in (FORCES, LENGTHS)] + [self.draw.choice(["s", "s", "s", "ms"])]
        if any(e.get("n", 1) > 10 for e in model["elements"]):
            self.units[0] = "N"  # N^(1-n) of any other would be beyond all numbers
        self.length = LENGTHS[self.units[1]]

    def factor(self, dimension, units):
        parts = zip(dimension, units, (FORCES, LENGTHS, TIMES))
        return math.prod(table[unit] ** exponent for exponent, unit, table in parts)

    def quantity(self, value, dimension):
        """A number in the units of the file, or a text with units of its own."""
        if isinstance(dimension, str):
            dimension = DIMENSIONS[dimension]
        if not any(dimension) or self.draw.random() < 0.5:
            return repr(value / self.factor(dimension, self.units))
        units = [self.draw.choice(list(d)) for d in (FORCES, LENGTHS, TIMES)]
        names = [f"{u}^{e}" if e != 1 else u for u, e in zip(units, dimension) if e > 0]
        below = [f"{u}^{-e}" if e != -1 else u for u, e in zip(units, dimension) if e < 0]
        unit = "*".join(names or ["1"]) + "".join(f"/{b}" for b in below)
        return f'"{value / self.factor(dimension, units)!r} {unit}"'

    def mass(self, value):
        if self.draw.random() < 0.5:
            return self.quantity(value, "m")
        unit = self.draw.choice(list(MASSES))
        return f'"{value / MASSES[unit]!r} {unit}"'

    def signal(self, s, dimension):
        kind = s["type"]
        if kind == "constant":
            return f'{{ type = "constant", value = {self.quantity(s["value"], dimension)} }}'
        if kind == "harmonic":
            return self.harmonic(s, dimension)
        if kind == "table":
            values = ", ".join(self.quantity(v, dimension) for v in s["values"])
            if s["written"] == "dt":
                times = f'dt = {self.quantity(s["dt"], "time")}'
            else:
                times = f'times = [{", ".join(self.quantity(i * s["dt"], "time") for i in range(len(s["values"])))}]'
            return f'{{ type = "table", values = [{values}], {times} }}'
        w = s["omega"] * self.factor(DIMENSIONS["time"], self.units)
        size = s["amplitude"] / self.factor(DIMENSIONS[dimension], self.units)
        return f'{{ type = "formula", value = "{size!r}*exp(-{0.1 * w!r}*t)*sin({w!r}*t)^2" }}'

    def harmonic(self, s, dimension):
        w, time = s["omega"], self.factor(DIMENSIONS["time"], self.units)
        frequency = {
            "rad/s": f'omega = "{w!r} rad/s"',
            "Hz": f'frequency = "{w / (2 * math.pi)!r} Hz"',
            "rpm": f'frequency = "{w / (2 * math.pi) * 60!r} rpm"',
            "omega plain": f"omega = {w * time!r}",
            "frequency plain": f"frequency = {w / (2 * math.pi) * time!r}",
        }[s["written"]]
        more = f', phase = {s["phase"]!r}' if s["phase"] else ""
        more += f', mean = {self.quantity(s["mean"], dimension)}' if s["mean"] else ""
        return f'{{ type = "harmonic", amplitude = {self.quantity(s["amplitude"], dimension)}, {frequency}{more} }}'


def write(model, how, step, duration):
    """The file of a model, integrated as `how` says with this step."""
    w = Writer(model)
    lines = [f'title = "hunt {model["seed"]}"', "[units]"]
    lines += [f'{key} = "{unit}"' for key, unit in zip(("force", "length", "time"), w.units)]
    lines += [line for n in model["nodes"] for line in node(w, n)]
    lines += foot(model) + support(model)
    lines += [line for e in model["elements"] for line in element(w, e)]
    lines += damping(w, model["damping"])
    lines += [line for load in model["loads"] for line in loading(w, load)]
    lines += ["[analysis]", f'dt = "{step!r} s"', f'duration = "{duration!r} s"', *scheme(how["scheme"])]
    if how.get("tangent"):
        lines.append(f'tangent = "{how["tangent"]}"')
    if how.get("coupling"):
        lines += parts(model) + ["[coupling]", f'method = "{how["coupling"]}"']
    return "\n".join(lines) + "\n"


def scheme(wanted):
    if not wanted:
        return []
    name, parameters = wanted
    more = "".join(f', {k} = {repr(v) if not isinstance(v, str) else chr(34) + v + chr(34)}' for k, v in parameters.items())
    return [f'scheme = {{ name = "{name}"{more} }}']


def node(w, n):
    lines = ["[[node]]", f'name = "{n["name"]}"']
    if n["dof"] == "frame":
        lines += ['dofs = ["x", "y", "rz"]', f'at = [{w.quantity(n["at"][0], LENGTH)}, {w.quantity(n["at"][1], LENGTH)}]']
        mass, inertia = w.mass(n["mass"]), w.quantity(n["inertia"], "inertia")
        lines.append(f"mass = {{ x = {mass}, y = {mass}, rz = {inertia} }}")
    else:
        names = {"x": ["x"], "theta": ["theta"], "rho-theta": ["rho", "theta"]}[n["dof"]]
        lines.append(f'dofs = [{", ".join(chr(34) + d + chr(34) for d in names)}]')
        if n["mass"]:
            lines.append(f'mass = {w.mass(n["mass"])}')
    first = "theta" if "theta" in n["dof"] else "x"
    start = [f'{first} = {w.quantity(n["u0"], "none" if first == "theta" else LENGTH)}'] if n.get("u0") else []
    start += [f'rho = {w.quantity(n["rho0"], LENGTH)}'] if n.get("rho0") else []
    if start:
        lines.append(f'initial = {{ {", ".join(start)} }}')
    if n.get("v0"):
        lines.append(f'initial_velocity = {{ {first} = {w.quantity(n["v0"], "velocity")} }}')
    return lines


def foot(model):
    if all(n["dof"] != "frame" for n in model["nodes"]):
        return []
    return ["[[node]]", 'name = "foot"', 'dofs = ["x", "y", "rz"]', "at = [0, 0]", "fixed = true"]


def support(model):
    return ["[[node]]", 'name = "support"', 'dofs = ["x"]'] if any(l["type"] == "imposed" for l in model["loads"]) else []


def element(w, e):
    lines = ["[[element]]", f'type = "{e["type"]}"', f'name = "{e["name"]}"']
    kind, names = e["type"], ", ".join(f'"{n}"' for n in e["at"])
    file = lambda dimension: w.factor(DIMENSIONS[dimension], w.units)
    if kind == "matrix":
        dofs = ", ".join(f'"{n}.x"' for n in e["at"])
        rows = ", ".join(f"[{row[0] / file('k')!r}, {row[1] / file('k')!r}]" for row in e["K"])
        return lines + [f"dofs = [{dofs}]", f"K = [{rows}]"]
    if kind == "block":
        return lines + [f'dofs = ["{e["at"][0]}.x"]', f"A = [[{e['A'] * file('time')!r}]]", f"Bv = [[{e['Bv']!r}]]",
                        f"C = [[{e['C'] / file('k')!r}]]"]
    if kind == "formula":
        k, d = e["k"] / file("k"), e["d"] / file("length")
        return lines + [f"nodes = [{names}]", 'dof = "x"', f'force = "{k!r}*({d!r}*tanh(u/{d!r}) + 0.1*u)"']
    if "pendulum" in kind:
        more = ["theta"] if kind == "pendulum" else ["rho", "theta"]
        dofs = [f'{e["at"][0]}.x'] + [f'{e["at"][1]}.{d}' for d in more]
        lines.append("dofs = [" + ", ".join(f'"{d}"' for d in dofs) + "]")
    else:
        lines.append(f"nodes = [{names}]")
        lines += [] if kind == "beam2d" else ['dof = "x"']
    return lines + parameters(w, e)


def parameters(w, e):
    lines = []
    for key, value in e.items():
        if key in ("type", "name", "at"):
            continue
        if key == "memory":
            lines.append(f'memory = "{value}"')
        elif key in ("beta", "gamma"):
            # N^(1-n)/m
            dimension = (1 - e["n"], -1, 0)
            lines.append(f"{key} = {w.quantity(value, dimension) if e['n'] < 10 else repr(value / w.factor(dimension, w.units))}")
        elif key == "c" and e["type"] == "damper":
            lines.append(f"c = {value / w.factor((1, -e['n'], e['n']), w.units)!r}")
        elif key == "m":
            lines.append(f"m = {w.mass(value)}")
        elif e["type"] == "modified-bouc-wen" and key == "rho" or key in ("a", "n", "n1", "n2", "both"):
            lines.append(f"{key} = {value!r}")
        elif value or key not in ("c", "k2", "rho"):
            lines.append(f"{key} = {w.quantity(value, key)}")
    return lines


def damping(w, d):
    if not d:
        return []
    if "modal" in d:
        return ["[damping]", f'modal = {d["modal"]}']
    if "a0" in d:
        return ["[damping]", f'rayleigh = {{ a0 = {w.quantity(d["a0"], "omega")}, a1 = {w.quantity(d["a1"], "time")} }}']
    more = f', modes = {d["modes"]}' if "modes" in d else ""
    ratio = f'ratio = {d["ratio"]}' if "ratio" in d else f'ratios = {d["ratios"]}'
    return ["[damping]", f"rayleigh = {{ {ratio}{more} }}"]


def loading(w, load):
    lines = ["[[load]]", f'type = "{load["type"]}"', 'name = "load"']
    if load["type"] == "force":
        return lines + [f'at = "{load["at"]}.x"', f'signal = {w.signal(load["signal"], "force")}']
    if load["type"] == "ground":
        return lines + ['direction = "x"', f'signal = {w.signal(load["signal"], "acceleration")}']
    of = load["of"]
    return lines + ['at = "support.x"', f'{of} = {w.signal(load["signal"], "length" if of == "displacement" else of)}']


def parts(model):
    lines = []
    for part in model["parts"]:
        names = ", ".join(f'"{e}"' for e in part["elements"])
        lines += ["[[substructure]]", f'name = "{part["name"]}"', f"elements = [{names}]"]
        if part.get("substeps", 1) > 1:
            lines.append(f'substeps = {part["substeps"]}')
        if part.get("share"):
            lines.append(f'interface_mass = {part["share"]!r}')
    return lines
