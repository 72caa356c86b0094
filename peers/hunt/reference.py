"""The motion of a model by scipy's integrators, from equations that are assembled here and nowhere else.

M(q) a + p(q, v, s, t) = f(t), s' = g(q, v, s): every element adds its forces on its own degrees of freedom, in SI units.
"""

import math

import numpy
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

GRAVITY = 9.81  # of a pendulum that names none
MOST_EVALUATIONS = 80_000


def is_moved(e):
    """Whether a law comes to its initial deformation from rest: what the catalogue says of laws that have a choice."""
    return e.get("memory", "path" if e["type"] == "mostaghel" or e.get("n", 1) > 10 else "state") == "path"


class TooExpensive(Exception):
    """The reference would take too long."""


def value(signal, t):
    """A signal at a time."""
    kind = signal["type"]
    if kind == "harmonic":
        return signal["mean"] + signal["amplitude"] * math.sin(signal["omega"] * t + signal["phase"])
    if kind == "constant":
        return signal["value"]
    if kind == "table":
        x = t / signal["dt"]
        i = int(x)
        values = signal["values"]
        if x < 0 or i >= len(values) - 1:
            return 0.0
        return values[i] + (x - i) * (values[i + 1] - values[i])
    w = signal["omega"]
    return signal["amplitude"] * math.exp(-0.1 * w * t) * math.sin(w * t) ** 2


def derivatives(signal, t):
    """Value and rate of a displacement that is given."""
    kind = signal["type"]
    if kind == "harmonic":
        phase = signal["omega"] * t + signal["phase"]
        return value(signal, t), signal["amplitude"] * signal["omega"] * math.cos(phase)
    if kind == "constant":
        return signal["value"], 0.0
    w, a = signal["omega"], signal["amplitude"]
    decay, s, c = math.exp(-0.1 * w * t), math.sin(w * t), math.cos(w * t)
    return a * decay * s * s, a * w * decay * (2 * s * c - 0.1 * s * s)


def breaks(model):
    """Times at which a load has a corner."""
    tables = [l["signal"] for l in model["loads"] if l["signal"]["type"] == "table"]
    return [i * s["dt"] for s in tables for i in range(len(s["values"]))]


def two_node(e):
    """Force and rates of a law in its elongation q, its rate v and its states s; and how many states."""
    kind = e["type"]
    if kind == "spring":
        return (lambda q, v, s: (e["k"] * q + e["c"] * v, ())), 0
    if kind == "cubic":
        return (lambda q, v, s: (e["k"] * q + e["k3"] * q**3 + e["c"] * v, ())), 0
    if kind == "gap":
        def stop(q, v, s):
            push = max(0.0, e["k"] * (q - e["gap"]) + e["c"] * v) if q > e["gap"] else 0.0
            pull = min(0.0, e["k"] * (q + e["gap"]) + e["c"] * v) if q < -e["gap"] else 0.0
            return push + e["both"] * pull, ()
        return stop, 0
    if kind == "damper":
        return (lambda q, v, s: (e["c"] * v * (v * v + e["v0"] ** 2) ** ((e["n"] - 1) / 2), ())), 0
    if kind == "formula":
        return (lambda q, v, s: (e["k"] * e["d"] * math.tanh(q / e["d"]) + 0.1 * e["k"] * q, ())), 0
    return yielding(e)


def yielding(e):
    """Laws with a memory."""
    kind = e["type"]
    if kind == "bouc-wen":
        # In shares of the strength: z^n of the file may be beyond all numbers.
        strength = (e["k"] / (e["beta"] + e["gamma"])) ** (1 / e["n"])
        beta = e["beta"] / (e["beta"] + e["gamma"])
        def bouc_wen(q, v, s):
            x = s[0] / strength
            zn = min(abs(x), 1e3) ** e["n"]
            rate = e["k"] * (v - beta * abs(v) * math.copysign(zn, x) - (1 - beta) * v * zn)
            return e["k2"] * q + s[0], (rate,)
        return bouc_wen, 1
    if kind == "modified-bouc-wen":
        def modified(q, v, s):
            z = s[0]
            elastic = e["rho"] * e["k"] / (1 + e["alpha"] * q * q) * v
            return z, (elastic - e["beta"] * abs(v) * z - e["gamma"] * v * abs(z),)
        return modified, 1
    if kind == "degrading-bouc-wen":
        fy = (1 - e["a"]) * e["k"] * e["xy"]
        def degrading(q, v, s):
            f, work = s
            stiffness = max(0.0, math.exp(-e["dk"] * work) - e["a"]) * e["k"]
            shape = e["n1"] * abs(v) * math.copysign(1.0, f) + e["n2"] * v if f else e["n2"] * v
            return e["a"] * e["k"] * q + f, (stiffness * (v - abs(f * (1 + e["ds"] * work) / fy) ** e["n"] * shape), f * v)
        return degrading, 2
    def mostaghel(q, v, s):
        z, limit = s[0], e["delta"]
        held = (z >= limit and v > 0) or (z <= -limit and v < 0)
        return e["k"] * (e["a"] * q + (1 - e["a"]) * min(limit, max(-limit, z))), (0.0 if held else v,)
    return mostaghel, 1


def strength(e):
    """Size of the first state of a law."""
    if e["type"] == "mostaghel":
        return e["delta"]
    if e["type"] == "degrading-bouc-wen":
        return (1 - e["a"]) * e["k"] * e["xy"]
    return (e["k"] / (e["beta"] + e["gamma"])) ** (1 / e["n"]) if "beta" in e else 0.0


def come(e, law, way):
    """The state of a law that has come this way from rest."""
    if e["type"] == "mostaghel":
        return min(e["delta"], max(-e["delta"], way))  # an integrator would slip past its corner
    size = strength(e)
    return solve_ivp(lambda x, s: law(x * way, way, s)[1], (0, 1), [0.0], rtol=1e-10, atol=1e-12 * size, max_step=0.01).y[0, -1]


def initial_stiffness(e, q):
    """Tangent of a two-node law at its initial elongation."""
    kind = e["type"]
    if kind == "cubic":
        return e["k"] + 3 * e["k3"] * q * q
    if kind == "gap":
        return e["k"] if q > e["gap"] or (e["both"] and q < -e["gap"]) else 0.0
    if kind == "damper":
        return 0.0
    if kind == "formula":
        return e["k"] / math.cosh(min(abs(q / e["d"]), 300)) ** 2 + 0.1 * e["k"]
    if kind == "bouc-wen":
        return e["k"] + e["k2"]
    if kind == "modified-bouc-wen":
        # A law that evaluations move keeps its stiffness at rest as its initial one.
        return e["rho"] * e["k"] / (1 + (0.0 if is_moved(e) else e["alpha"] * q * q))
    return e["k"]


def beam(e, length):
    """Stiffness and consistent mass of an upright beam, in [x y rz] of both ends."""
    ea, ei, m = e["E"] * e["A"] / length, e["E"] * e["I"], e["rho"] * e["A"] * length
    l = length
    k, c = numpy.zeros((6, 6)), numpy.zeros((6, 6))
    k[numpy.ix_([0, 3], [0, 3])] = ea * numpy.array([[1, -1], [-1, 1]])
    c[numpy.ix_([0, 3], [0, 3])] = m / 6 * numpy.array([[2, 1], [1, 2]])
    bend = [1, 2, 4, 5]
    k[numpy.ix_(bend, bend)] = ei / l**3 * numpy.array(
        [[12, 6 * l, -12, 6 * l], [6 * l, 4 * l * l, -6 * l, 2 * l * l],
         [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l * l, -6 * l, 4 * l * l]])
    c[numpy.ix_(bend, bend)] = m / 420 * numpy.array(
        [[156, 22 * l, 54, -13 * l], [22 * l, 4 * l * l, 13 * l, -3 * l * l],
         [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l * l, -22 * l, 4 * l * l]])
    # Along y: local axial = y, local transverse = -x.
    turn = numpy.zeros((6, 6))
    for end in (0, 3):
        turn[end, end + 1], turn[end + 1, end], turn[end + 2, end + 2] = 1, -1, 1
    return turn.T @ k @ turn, turn.T @ c @ turn


class Equations:
    """A model as a system of ordinary differential equations of first order."""

    def __init__(self, model):
        self.model, self.index = model, {}
        names = {"x": ["x"], "theta": ["theta"], "rho-theta": ["rho", "theta"], "frame": ["x", "y", "rz"]}
        for n in model["nodes"]:
            for dof in names[n["dof"]]:
                self.index[f"{n['name']}.{dof}"] = len(self.index)
        size = self.size = len(self.index)
        self.mass, self.stiff, self.damp = (numpy.zeros((size, size)) for _ in range(3))
        self.u0, self.v0, self.iota = numpy.zeros(size), numpy.zeros(size), numpy.zeros(size)
        for n in model["nodes"]:
            self.node(n, names[n["dof"]])
        self.imposed = next((l for l in model["loads"] if l["type"] == "imposed"), None)
        # Inertia of free ends under a motion of the supports; sizes of the states, for tolerances.
        self.carried, self.sizes, self.moved = numpy.zeros(size), [], {}
        self.laws, self.swings, self.blocks, self.states = [], [], [], 0
        # Columns of the moving support in stiffness and in its share of the damping.
        self.support, self.initial_support = numpy.zeros(size), numpy.zeros(size)
        self.initial = numpy.zeros((size, size))
        for e in model["elements"]:
            self.element(e)
        self.damping()
        self.constant_mass = None if self.swings else numpy.linalg.inv(self.mass)
        self.linear = numpy.hstack([-self.stiff, -self.damp])
        self.evaluations = 0

    def node(self, n, dofs):
        for dof in dofs:
            i = self.index[f"{n['name']}.{dof}"]
            self.mass[i, i] = n["inertia"] if dof == "rz" else n["mass"]
            self.iota[i] = float(dof == "x")
            first = dof in ("x", "theta")
            self.u0[i] = n.get("u0", 0.0) if first else n.get("rho0", 0.0) if dof == "rho" else 0.0
            self.v0[i] = n.get("v0", 0.0) if first else 0.0

    def element(self, e):
        kind = e["type"]
        if kind == "beam2d":
            self.beam(e)
        elif kind == "matrix":
            at = [self.index[f"{n}.x"] for n in e["at"]]
            self.stiff[numpy.ix_(at, at)] += e["K"]
            self.initial[numpy.ix_(at, at)] += e["K"]
        elif kind in ("pendulum", "spring-pendulum"):
            at = [self.index[f"{e['at'][0]}.x"]]
            at += [self.index[f"{e['at'][1]}.{d}"] for d in (["theta"] if kind == "pendulum" else ["rho", "theta"])]
            self.swings.append((e, at))
            weight, s, c = e["m"] * GRAVITY, math.sin(self.u0[at[-1]]), math.cos(self.u0[at[-1]])
            if kind == "pendulum":
                self.initial[at[1], at[1]] += weight * e["length"] * c
            else:
                self.initial[numpy.ix_(at[1:], at[1:])] += [[e["k"], weight * s], [weight * s, weight * self.u0[at[1]] * c]]
        elif kind == "block":
            self.blocks.append((e, self.index[f"{e['at'][0]}.x"], self.states))
            self.states += 1
            self.sizes.append(self.model["scale"]["length"])
        else:
            self.two_node(e)

    def two_node(self, e):
        law, states = two_node(e)
        a, b = (-2 if n == "support" else self.index.get(f"{n}.x", -1) for n in e["at"])
        self.laws.append((law, a, b, self.states, states))
        first = self.states
        self.states += states
        self.sizes += {0: [], 1: [strength(e)], 2: [strength(e), strength(e) * e.get("xy", 0)]}[states]
        start = derivatives(self.imposed["signal"], 0.0)[0] if self.imposed and self.imposed["of"] == "displacement" else 0.0
        at = lambda i: self.u0[i] if i >= 0 else start if i == -2 else 0.0
        k = initial_stiffness(e, at(b) - at(a))
        if states == 1 and is_moved(e):
            way = at(b) - at(a)
            self.moved[first] = come(e, law, way)
        for i, si in ((a, -1), (b, 1)):
            for j, sj in ((a, -1), (b, 1)):
                if i >= 0 and j >= 0:
                    self.initial[i, j] += si * sj * k
                elif i >= 0 and j == -2:
                    self.initial_support[i] += si * sj * k

    def beam(self, e):
        positions = {n["name"]: n["at"][1] for n in self.model["nodes"]}
        length = positions[e["at"][1]] - positions.get(e["at"][0], 0.0)
        k, m = beam(e, length)
        at = [self.index.get(f"{n}.{d}") for n in e["at"] for d in ("x", "y", "rz")]
        free = [i for i, a in enumerate(at) if a is not None]
        where = numpy.ix_([at[i] for i in free], [at[i] for i in free])
        self.stiff[where] += k[numpy.ix_(free, free)]
        self.initial[where] += k[numpy.ix_(free, free)]
        self.mass[where] += m[numpy.ix_(free, free)]
        # A support that moves with the ground brings the mass between it and the free ends.
        for i in free:
            self.carried[at[i]] += sum(m[i, j] for j in range(6) if at[j] is None and j % 3 == 0)

    def damping(self):
        wanted = self.model["damping"]
        mass = self.mass_at(self.u0)
        omega2, shapes = eigh(self.initial, mass)
        self.omega = numpy.sqrt(numpy.maximum(omega2, 0.0))
        self.support_damp = numpy.zeros(self.size)
        if not wanted:
            return
        if "modal" in wanted:
            for ratio, w, shape in zip(wanted["modal"], self.omega, shapes.T):
                column = mass @ shape
                self.damp += 2 * ratio * w * numpy.outer(column, column)
            return
        a0, a1 = wanted.get("a0"), wanted.get("a1")
        if a0 is None:
            i, j = (m - 1 for m in wanted.get("modes", [1, 2]))
            ratios = wanted.get("ratios") or [wanted["ratio"]] * 2
            a0, a1 = numpy.linalg.solve([[0.5 / self.omega[m], 0.5 * self.omega[m]] for m in (i, j)], ratios)
        self.damp += a0 * mass + a1 * self.initial
        self.support_damp = a1 * self.initial_support

    def mass_at(self, u):
        if not self.swings:
            return self.mass
        mass = self.mass.copy()
        for e, at in self.swings:
            m = e["m"]
            if e["type"] == "pendulum":
                l, c = e["length"], math.cos(u[at[1]])
                mass[numpy.ix_(at, at)] += m * numpy.array([[1, l * c], [l * c, l * l]])
            else:
                rho, s, c = u[at[1]], math.sin(u[at[2]]), math.cos(u[at[2]])
                mass[numpy.ix_(at, at)] += m * numpy.array([[1, s, rho * c], [s, 1, 0], [rho * c, 0, rho * rho]])
        return mass

    def start(self):
        extra = [0.0, 0.0] if self.imposed and self.imposed["of"] == "acceleration" else []
        states = numpy.zeros(self.states)
        states[list(self.moved)] = list(self.moved.values())
        return numpy.concatenate([self.u0, self.v0, states, extra])

    def scales(self, count):
        """The size of every unknown."""
        length, omega = self.model["scale"]["length"], self.model["scale"]["omega"]
        turns = numpy.array([1.0 if d.endswith("theta") else 0.03 if d.endswith("rz") else length for d in self.index])
        sizes = numpy.concatenate([turns, turns * omega, self.sizes])
        return numpy.concatenate([sizes, [length, length * omega][: count - len(sizes)]])

    def rate(self, t, y):
        self.evaluations += 1
        if self.evaluations > MOST_EVALUATIONS:
            raise TooExpensive
        # Plain numbers: single ones of numpy are slow.
        n, plain = self.size, y.tolist()
        if not math.isfinite(sum(plain)):
            return numpy.full_like(y, numpy.nan)  # a trial that went too far: the integrator takes a shorter step
        u, v, s = plain[:n], plain[n:2 * n], plain[2 * n:2 * n + self.states]
        out = numpy.zeros_like(y)
        out[:n] = v
        us, vs = 0.0, 0.0
        if self.imposed:
            if self.imposed["of"] == "displacement":
                us, vs = derivatives(self.imposed["signal"], t)
            else:
                us, vs = plain[-2:]
                out[-2], out[-1] = vs, value(self.imposed["signal"], t)
        force = self.linear @ y[:2 * n]
        if vs:
            force -= self.support_damp * vs
        if self.model["loads"]:
            force += self.loads(t, u)
        force = force.tolist()
        for law, a, b, first, count in self.laws:
            q = (u[b] if b >= 0 else us if b == -2 else 0.0) - (u[a] if a >= 0 else us if a == -2 else 0.0)
            w = (v[b] if b >= 0 else vs if b == -2 else 0.0) - (v[a] if a >= 0 else vs if a == -2 else 0.0)
            p, g = law(q, w, s[first:first + count])
            if a >= 0:
                force[a] += p
            if b >= 0:
                force[b] -= p
            for i in range(count):
                out[2 * n + first + i] = g[i]
        for e, at, first in self.blocks:
            out[2 * n + first] = e["A"] * s[first] + e["Bv"] * v[at]
            force[at] -= e["C"] * s[first]
        for e, at in self.swings:
            self.swing(e, at, u, v, force)
        if self.constant_mass is not None:
            out[n:2 * n] = self.constant_mass @ force
        else:
            out[n:2 * n] = numpy.linalg.solve(self.mass_at(u), force)
        return out

    def loads(self, t, u):
        force = numpy.zeros(self.size)
        for load in self.model["loads"]:
            if load["type"] == "force":
                force[self.index[f"{load['at']}.x"]] += value(load["signal"], t)
            elif load["type"] == "ground":
                force -= (self.mass_at(u) @ self.iota + self.carried) * value(load["signal"], t)
        return force

    def swing(self, e, at, u, v, force):
        m, g = e["m"], GRAVITY
        if e["type"] == "pendulum":
            x, theta = at
            l, s = e["length"], math.sin(u[theta])
            force[x] += m * l * s * v[theta] ** 2
            force[theta] -= m * g * l * s
            return
        x, r, theta = at
        rho, s, c, w, dr = u[r], math.sin(u[theta]), math.cos(u[theta]), v[theta], v[r]
        force[x] -= m * (2 * dr * w * c - rho * w * w * s)
        force[r] -= e["k"] * (rho - e["length"]) + e["c"] * dr - m * rho * w * w - m * g * c
        force[theta] -= 2 * m * rho * dr * w + m * g * rho * s


def solve(model, times, nudge=0.0, sharper=1.0):
    """The equations, and their displacements at these times from 0 on, a row each; in SI units. `sharper` divides the tolerances."""
    equations = Equations(model)
    y = equations.start()
    y[:equations.size] *= 1 + nudge
    n = equations.size
    # Oscillations that would take thousands of cycles are left to a method that damps them.
    stiff = equations.omega.max() * times[-1] > 3000
    how = {"method": "Radau", "rtol": 1e-8 / sharper} if stiff else {"method": "DOP853", "rtol": 1e-9 / sharper}
    sizes = equations.scales(len(y))
    out, start = numpy.zeros((len(times), n)), 0.0
    out[0] = y[:n]
    for end in [*sorted(t for t in breaks(model) if 0 < t < times[-1]), times[-1]]:
        inside = (times > start) & (times <= end)
        found = solve_ivp(equations.rate, (start, end), y, t_eval=numpy.unique(numpy.append(times[inside], end)),
                          atol=1e-11 / sharper * sizes, max_step=(end - start) / 5, **how)
        if not found.success:
            raise TooExpensive
        out[inside] = found.y[:n, :inside.sum()].T
        y, start = found.y[:, -1], end
    return equations, out
