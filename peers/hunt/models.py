"""Random models for the hunt, each a plain dictionary in SI units.

A model is made from a seed and a number alone, so that it can be made again. Lengths, masses and frequencies are drawn over
twelve, twelve and six decades; inside a model stiffnesses differ by a decade or two, and now and then by up to nine.
"""

import math
import random

SCHEMES = [
    ("lsrt2", {}, 2),
    ("lsrt2", {"gamma": "plus"}, 2),
    ("lsrt1", {}, 1),
    ("rosenbrock3", {}, 2),
    ("newmark", {}, 2),
    ("newmark", {"beta": 0, "gamma": 0.5}, 2),
    ("newmark-newton", {}, 2),
    ("caam", {}, 2),
    ("hht", {}, 2),
    ("generalized-alpha", {}, 2),
    ("generalized-alpha-newton", {}, 2),
    ("alpha-os", {}, 2),
    ("chang", {}, 2),
    ("trapezoidal", {}, 2),
    ("state-space-alpha", {}, 2),
]

# Couplings with the scheme of their sides, None for the default one; the last is the order with substeps.
COUPLINGS = [
    ("pmc", None, 2),
    ("pmc2", None, 2),
    ("foh", None, 2),
    ("pm", None, 1),
    ("modified-ph", None, 2),
    ("ph", None, 2),
    ("gc", None, 1),
    ("plsrt2", "lsrt2", 2),
    ("staggered", "lsrt2", 2),
    ("midpoint", "lsrt2", 1),
    ("llm", "trapezoidal", 2),
    ("clm", "trapezoidal", 1),
    ("gc", "lsrt2", 1),
    ("foh", "newmark", 2),
]


def make(seed, number):
    """The model of this number."""
    draw = random.Random(f"{seed}/{number}")
    scale = {
        "length": 10 ** draw.uniform(-6, 6),
        "mass": 10 ** draw.uniform(-6, 6),
        "omega": 10 ** draw.uniform(-3, 3),
    }
    scale["k"] = scale["mass"] * scale["omega"] ** 2
    spread = draw.choice([0.5, 0.5, 0.5, 1, 2, 4.5])
    model = {"seed": f"{seed}/{number}", "scale": scale, "nodes": [], "elements": [], "loads": [], "damping": None}
    build = draw.choice([chain, chain, chain, chain, cantilever, swinging])
    build(draw, model, spread)
    damping(draw, model)
    loads(draw, model)
    cut(draw, model)
    if not any(moves(model)):
        model["nodes"][0]["u0"] = scale["length"]
    return model


def moves(model):
    """What sets a model in motion."""
    return [n for n in model["nodes"] if n.get("u0") or n.get("v0")] + model["loads"]


def node(draw, model, dof="x", moving=0.5):
    """Adds a node with one degree of freedom; its mass is within a decade of the scale."""
    scale = model["scale"]
    name = f"n{len(model['nodes']) + 1}"
    made = {"name": name, "dof": dof, "mass": scale["mass"] * 10 ** draw.uniform(-0.7, 0.7)}
    if draw.random() < moving:
        made["u0"] = scale["length"] * draw.uniform(-1, 1)
    if draw.random() < 0.3:
        made["v0"] = scale["length"] * scale["omega"] * draw.uniform(-1, 1)
    model["nodes"].append(made)
    return made


def chain(draw, model, spread):
    """One to five masses, each held by the ground or by one before it, with more elements in parallel."""
    for i in range(draw.choice([1, 1, 2, 2, 3, 4, 5])):
        node(draw, model)
        below = draw.choice(["ground"] + [n["name"] for n in model["nodes"][:-1]]) if i else "ground"
        between = [below, model["nodes"][-1]["name"]]
        law(draw, model, between, draw.choice(["spring", "spring", "cubic", "formula", *YIELDING]), spread)
        while draw.random() < 0.35:
            law(draw, model, between, draw.choice(["spring", "gap", "damper", "cubic", "block", *YIELDING]), spread)
    if len(model["nodes"]) > 1 and draw.random() < 0.2:
        k = model["scale"]["k"] * 10 ** draw.uniform(-spread, spread)
        names = [n["name"] for n in model["nodes"][:2]]
        add(model, "matrix", names, K=[[2 * k, -k], [-k, k]])


YIELDING = ["bouc-wen", "modified-bouc-wen", "degrading-bouc-wen", "mostaghel"]


def law(draw, model, between, kind, spread):
    """A two-node law; what is nonlinear about it happens at about the scale of lengths."""
    scale = model["scale"]
    k = scale["k"] * 10 ** draw.uniform(-spread, spread)
    c = 2 * math.sqrt(k * scale["mass"]) * draw.choice([0, 0.01, 0.05, 0.3])
    knee = scale["length"] * 10 ** draw.uniform(-1.2, 0.7)
    if kind == "spring":
        add(model, kind, between, k=k, c=c)
    elif kind == "cubic":
        add(model, kind, between, k=k, k3=k / knee**2 * draw.choice([1, 1, 0.1, -0.02]), c=c)
    elif kind == "gap":
        stiff = k * 10 ** draw.uniform(0, 2.5)
        add(model, kind, between, k=stiff, gap=knee, c=draw.choice([0, c]), both=draw.choice([0, 1]))
    elif kind == "damper":
        rate = knee * scale["omega"]
        n = draw.choice([1, 1, 2, 0.5])
        add(model, kind, between, c=k / scale["omega"] * draw.choice([0.02, 0.2]) * rate ** (1 - n), n=n, v0=rate / 50)
    elif kind == "formula":
        add(model, kind, between, k=k, d=knee)
    elif kind == "block":
        rate = scale["omega"] * draw.uniform(0.3, 3)
        add(model, kind, [between[1]], A=-rate, Bv=1.0, C=0.1 * k)
    elif kind == "bouc-wen":
        n = draw.choice([1, 1, 1, 2, 1.5, 5, 100])
        if abs(n * math.log10(k * knee)) > 200:
            n = 2  # the parameters could not be written
        total = k / (k * knee) ** n
        share = draw.choice([0.5, 0.5, 0.7, 0.9])
        add(model, kind, between, k=k, beta=share * total, gamma=(1 - share) * total, n=n, k2=k * draw.choice([0, 0.05, 0.3]))
    elif kind == "modified-bouc-wen":
        alpha = draw.choice([0, 0.1]) / knee**2
        beta = 1 / knee + math.sqrt(alpha)
        memory = draw.choice([None, None, "path", "state"])
        add(model, kind, between, k=k, beta=beta, gamma=0.3 / knee, alpha=alpha, rho=1.0, n=1.0, memory=memory)
    elif kind == "degrading-bouc-wen":
        work = 1 / (k * knee**2)
        add(model, kind, between, k=k, xy=knee, a=draw.choice([0.05, 0.2]), dk=work * draw.choice([0, 0.02]),
            ds=work * draw.choice([0, 0.02]), n=draw.choice([1, 2]), n1=0.5, n2=0.5)
    elif kind == "mostaghel":
        memory = draw.choice([None, None, "path", "state"])
        add(model, kind, between, k=k, a=draw.choice([0.0, 0.05, 0.2]), delta=knee, memory=memory)


def add(model, kind, at, **parameters):
    """An element; what is None is not written."""
    name = f"e{len(model['elements']) + 1}"
    parameters = {k: v for k, v in parameters.items() if v is not None}
    model["elements"].append({"type": kind, "name": name, "at": at, **parameters})


def cantilever(draw, model, spread):
    """A column of one to three beams on a clamped foot, with masses, and a law at its top."""
    scale = model["scale"]
    height, beams = scale["length"] * 30, draw.choice([1, 2, 3])
    # Only the products of E with A and I matter: the sway of the column is at the scale of frequencies.
    stress = scale["k"] / scale["length"]
    inertia = scale["k"] * (height * beams) ** 3 / 3 / stress
    area = scale["k"] * height * 10 ** draw.uniform(0, 2) / stress
    rho = draw.choice([0.0, 0.3]) * scale["mass"] / (height * area)
    for i in range(beams):
        made = node(draw, model, "frame", moving=0)
        made["at"] = [0.0, height * (i + 1)]
        made["inertia"] = made["mass"] * (0.2 * height) ** 2
        below = model["nodes"][i - 1]["name"] if i else "foot"
        add(model, "beam2d", [below, made["name"]], E=stress, A=area, I=inertia, rho=rho)
    top = model["nodes"][-1]
    top["u0"] = scale["length"] * draw.uniform(-1, 1)
    if draw.random() < 0.7:
        law(draw, model, ["ground", top["name"]], draw.choice(["spring", "cubic", "damper", *YIELDING]), min(spread, 1))


def swinging(draw, model, spread):
    """A floor on a spring with a pendulum below it; earth's gravity decides the frequency."""
    scale = model["scale"]
    g = 9.81
    scale["omega"] = math.sqrt(g / scale["length"])
    scale["k"] = scale["mass"] * scale["omega"] ** 2
    floor = node(draw, model)
    floor["u0"] = 0.2 * scale["length"] * draw.uniform(-1, 1)
    floor.pop("v0", None)
    law(draw, model, ["ground", floor["name"]], draw.choice(["spring", "cubic", "bouc-wen", "mostaghel"]), 0.5)
    bob = node(draw, model, "theta", moving=0)
    bob.pop("v0", None)
    bob.update(mass=0.0, u0=draw.uniform(-1, 1))
    mass, length = scale["mass"] * draw.uniform(0.05, 0.5), scale["length"] * draw.uniform(0.5, 2)
    if draw.random() < 0.6:
        add(model, "pendulum", [floor["name"], bob["name"]], m=mass, length=length)
    else:
        bob["dof"] = "rho-theta"
        k = mass * g / length * draw.uniform(5, 20)
        bob["rho0"] = length + mass * g / k
        add(model, "spring-pendulum", [floor["name"], bob["name"]], m=mass, length=length, k=k,
            c=draw.choice([0, 0.02]) * 2 * math.sqrt(k * mass))


def damping(draw, model):
    """Rayleigh damping by factors or ratios, modal damping, or none."""
    kind = draw.choice([None, None, "factors", "ratio", "ratios", "modal"])
    omega = model["scale"]["omega"]
    count = sum(len(dofs(n)) for n in model["nodes"])
    if kind == "factors":
        model["damping"] = {"a0": 0.05 * omega * draw.random(), "a1": 0.02 / omega * draw.random()}
    elif kind == "ratio" and count > 1:
        model["damping"] = {"ratio": draw.choice([0.01, 0.05])}
    elif kind == "ratios" and count > 1:
        model["damping"] = {"ratios": [draw.choice([0.01, 0.05, 0.2]), draw.choice([0.01, 0.05])], "modes": [1, count]}
    elif kind == "modal":
        model["damping"] = {"modal": [draw.choice([0.01, 0.05]) for _ in range(draw.randint(1, count))]}


def dofs(n):
    """Names of the degrees of freedom of a node."""
    return {"x": ["x"], "theta": ["theta"], "rho-theta": ["rho", "theta"], "frame": ["x", "y", "rz"]}[n["dof"]]


def signal(draw, model, size):
    """A signal of this size."""
    omega = model["scale"]["omega"] * 10 ** draw.uniform(-0.7, 0.5)
    kind = draw.choice(["harmonic", "harmonic", "table", "constant", "formula"])
    if kind == "harmonic":
        return {"type": kind, "amplitude": size, "omega": omega, "phase": draw.choice([0.0, 0.0, draw.uniform(-3, 3)]),
                "mean": draw.choice([0.0, 0.0, 0.3 * size]), "written": draw.choice(["rad/s", "Hz", "rpm", "omega plain", "frequency plain"])}
    if kind == "table":
        step = 0.7 / omega
        values = [0.0] + [size * draw.uniform(-1, 1) for _ in range(draw.randint(2, 12))] + [0.0]
        return {"type": kind, "values": values, "dt": step, "written": draw.choice(["dt", "times"])}
    if kind == "constant":
        return {"type": kind, "value": size}
    return {"type": kind, "amplitude": size, "omega": omega}


def loads(draw, model):
    """A force, a motion of the ground, or a support that moves; or nothing."""
    scale = model["scale"]
    kind = draw.choice([None, "force", "force", "ground", "displacement", "acceleration"])
    free = [n for n in model["nodes"] if n["dof"] in ("x", "frame")]
    if kind == "force":
        at = draw.choice(free)["name"]
        model["loads"].append({"type": "force", "at": at, "signal": signal(draw, model, scale["k"] * scale["length"])})
    elif kind == "ground":
        size = scale["omega"] ** 2 * scale["length"]
        model["loads"].append({"type": "ground", "signal": signal(draw, model, size)})
    elif kind in ("displacement", "acceleration"):
        support = {"name": "support", "dof": "x", "mass": 0.0}
        size = scale["length"] * (1 if kind == "displacement" else scale["omega"] ** 2 * 0.3)
        s = signal(draw, model, size)
        if kind == "displacement" and s["type"] == "table":
            s = {"type": "formula", "amplitude": size, "omega": scale["omega"]}
        touching = [e for e in model["elements"] if e["at"][0] == "ground" and e["type"] != "block"]
        if touching:
            for e in draw.sample(touching, draw.randint(1, len(touching))):
                e["at"] = ["support", e["at"][1]]
            model["loads"].append({"type": "imposed", "of": kind, "signal": s})
            model["support"] = support


def cut(draw, model):
    """Divides the elements among two or three substructures."""
    names = [e["name"] for e in model["elements"]]
    modal = model["damping"] and "modal" in model["damping"]
    if len(names) < 2 or modal or draw.random() < 0.3:
        model["parts"] = []
        return
    count = 3 if len(names) > 2 and draw.random() < 0.3 else 2
    for _ in range(20):
        draw.shuffle(names)
        ends = [0, *sorted(draw.sample(range(1, len(names)), count - 1)), len(names)]
        groups = [names[a:b] for a, b in zip(ends, ends[1:])]
        if all(meets(model, group) for group in groups):
            break
    model["parts"] = [{"name": f"p{i + 1}", "elements": group} for i, group in enumerate(groups)]
    for part in model["parts"][1:]:
        part["substeps"] = draw.choice([1, 1, 2, 5, 10])
    if count == 2 and draw.random() < 0.7:
        model["parts"][1]["share"] = draw.choice([0.5, 0.3, 0.05, 1e-3])


def meets(model, group):
    """Whether a group of elements shares a node with another."""
    inside = {n for e in model["elements"] if e["name"] in group for n in e["at"]}
    outside = {n for e in model["elements"] if e["name"] not in group for n in e["at"]}
    return bool(inside & outside - {"ground", "support", "foot"})
