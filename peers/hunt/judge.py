"""Runs a model by our program and by the reference, and says what became of it."""

import csv
import functools
import json
import math
import pathlib
import random
import subprocess
import tempfile

import numpy

import models
import reference
import text

WRONG = "silently wrong"
WORDS = ["right", "warned", "refused", WRONG, "not judged"]

# A result this many times larger than the true one is nobody's discretisation error.
ABSURD = 10
# Largest error, relative to the peak, of a run whose step resolves every mode.
GROSS = 0.5
# The error may be this many times the difference between a step and its half.
HALVING = 4
# What the reference itself is good for at best; the corners of laws cost more, which a second one with other tolerances tells.
FLOOR = 1e-6
# Growth of a small difference in the initial state beyond which nothing is judged.
SENSITIVE = 30
MOST_STEPS = 12_000
# What a reference that does not exist ends with.
UNSOLVED = (reference.TooExpensive, ArithmeticError, ValueError)
# Warnings that say nothing about the quality of an answer: they doubt the units of the file, which span twelve decades here.
IDLE = ("the fundamental period is", "the ground accelerates with a peak", "has a mass of", "more than the size of the whole structure",
        "the analysis ends at",
        "this load begins", "this load ends", "is that of no building material")


class Case:
    """A model, its reference, and the steps at which it runs."""

    def __init__(self, model):
        self.model = model
        draw = random.Random(f"{model['seed']} step")
        equations = reference.Equations(model)
        omega = numpy.array([w for w in equations.omega if w > 1e-9 * equations.omega.max()])
        if not len(omega):
            raise reference.TooExpensive
        self.highest = omega.max()
        target = omega.max() if draw.random() < 0.85 else draw.choice(list(omega))
        step = 2 * math.pi / target / 10 ** draw.uniform(1.3, 2.3)
        cycles = draw.uniform(1, 5) * 2 * math.pi / omega.min()
        self.steps = max(20, min(int(cycles / step), MOST_STEPS // 2))
        self.step = float(f"{step:.3g}")
        self.duration = self.step * self.steps
        self.times = self.step * numpy.arange(self.steps + 1)
        self.keep = max(1, self.steps // 400)
        self.times = self.times[::self.keep]
        equations, self.truth = reference.solve(model, self.times, sharper=50)
        self.names = list(equations.index)
        self.sizes = self.scales(self.truth)

    # The doubts of the reference cost two more references, and matter only where a result differs from it.

    @functools.cached_property
    def rough(self):
        """With larger tolerances; where that fails, the one there is has to do."""
        try:
            return reference.solve(self.model, self.times)[1]
        except UNSOLVED:
            return self.truth

    @functools.cached_property
    def floor(self):
        """What the reference is good for."""
        return FLOOR + (numpy.abs(self.rough - self.truth) / self.sizes).max()

    @functools.cached_property
    def sensitive(self):
        """Whether a small difference in the initial state grows beyond what can be judged."""
        try:
            _, moved = reference.solve(self.model, self.times, nudge=1e-4)
        except UNSOLVED:
            return True
        return (numpy.abs(moved - self.rough) / self.sizes).max() > SENSITIVE * 1e-4

    def scales(self, truth):
        """The largest motion of each kind of degree of freedom."""
        kind = lambda name: name.split(".")[1] in ("theta", "rz")
        peaks = numpy.abs(truth).max(axis=0)
        largest = [max(p for p, other in zip(peaks, self.names) if kind(other) == kind(name)) for name in self.names]
        return numpy.maximum(largest, 1e-300)

    def resolved(self, order):
        """Whether the step resolves every mode, so that the claimed error is far below `GROSS`."""
        x = self.highest * self.step
        return 0.2 * x**order * self.highest * self.duration < GROSS / 5


def hunt(job):
    """Findings of one model."""
    seed, number, program, output, shrinks = job
    model = models.make(seed, number)
    try:
        case = Case(model)
    except UNSOLVED as e:
        return number, [{"word": "not judged", "how": "", "detail": f"no reference: {type(e).__name__}"}]
    findings = []
    for how in choices(model):
        word, detail, step = judge(case, how, program)
        found = {"word": word, "how": describe(how), "detail": detail}
        if word == WRONG:
            if shrinks:
                model, detail, step = shrink(model, how, program, detail, step)
            case_file = pathlib.Path(output) / f"{seed}-{number}-{describe(how).replace(' ', '-')}.toml"
            head = f"# {detail}\n# python peers/hunt --seed {seed} --first {number} --models 1 ...\n"
            duration = Case(model).duration if shrinks else case.duration
            case_file.write_text(head + text.write(model, how, step, duration))
            found["file"] = str(case_file)
        findings.append(found)
    return number, findings


def choices(model):
    """Two schemes for the whole, and two couplings if it is divided."""
    draw = random.Random(f"{model['seed']} schemes")
    found = [{"scheme": (n, p), "order": o, "tangent": draw.choice([None, None, "initial"])}
             for n, p, o in draw.sample(models.SCHEMES, 2)]
    if model["parts"]:
        for name, scheme, order in draw.sample(models.COUPLINGS, 2):
            found.append({"coupling": name, "scheme": (scheme, {}) if scheme else None, "order": order, "tangent": "initial"})
    return found


def describe(how):
    name, parameters = how["scheme"] or ("", {})
    words = [how.get("coupling", ""), name, *map(str, parameters.values()), how.get("tangent") or ""]
    return " ".join(w for w in words if w)


def judge(case, how, program):
    """A word on a model run in one way, why, and the step of the run that it is about."""
    before, step, changes = None, case.step, []
    for halving in range(9):
        motion, word, detail = run(case, how, step, program)
        if word != "ran":
            return word, detail, step
        error = (numpy.abs(motion - case.truth) / case.sizes).max()
        peak = (numpy.abs(motion) / case.sizes).max()
        if not peak < ABSURD:
            return doubted(case, f"{peak:.3g} times as large as the true motion", step)
        if halving == 0 and error > GROSS and case.resolved(how["order"]):
            return doubted(case, f"differs by {error:.3g} of the peak, although omega dt = {case.highest * step:.2g}", step)
        if before is not None:
            change = (numpy.abs(motion - before) / case.sizes).max()
            if error <= HALVING * change + FLOOR or error <= HALVING * change + case.floor:
                return "right", f"error {error:.1e}, halving {change:.1e}", step
            changes.append(change)
        # Changes that grow are those of steps that do not yet resolve the fastest motion, such as that of a part with little
        # of the mass: they say nothing about where the answers go, so that shorter steps have to.
        growing = len(changes) > 1 and changes[-1] > changes[-2]
        if halving >= 4 and not growing or case.duration * 2 / step > (64 if growing else 16) * MOST_STEPS:
            break
        before, step = motion, step / 2
    return doubted(case, f"converges to something else: error {error:.2e}, the last halving changes {change:.1e}", step)


def doubted(case, detail, step):
    """A result that differs is wrong, unless no result could be told from another."""
    return ("not judged", "sensitive to its initial state", step) if case.sensitive else (WRONG, detail, step)


def run(case, how, step, program):
    """Displacements at the times of the reference, or what the program said instead."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder) / "model.toml", pathlib.Path(folder) / "out.csv"
        file.write_text(text.write(case.model, how, step, case.duration))
        done = subprocess.run([program, "run", file, "--json", "--output", out], capture_output=True, text=True)
        try:
            said = json.loads(done.stdout)
        except ValueError:
            return None, WRONG, f"no JSON: {done.stdout[-200:]} {done.stderr[-200:]}"
        if done.returncode != 0:
            errors = [e["message"] for e in said.get("errors", []) if e.get("severity") != "warning"] or said.get("reasons") or [said.get("reason") or done.stderr]
            return None, "refused", str(errors[0])
        words = [w["message"] for w in said["warnings"]] + [str(r) for r in said.get("reasons", [])]
        warnings = [w for w in words if not any(i in w for i in IDLE)]
        if warnings or said["verdict"] not in ("finished", "good"):
            return None, "warned", (warnings or [said["verdict"]])[0]
        return columns(out, case, round(case.step / step)), "ran", ""


def columns(path, case, refinement):
    """The recorded displacements in SI units."""
    with open(path) as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    header = [h.split(" [")[0] for h in rows[0]]
    length = text.Writer(case.model).length
    factors = [1.0 if n.split(".")[1] in ("theta", "rz") else length for n in case.names]
    wanted = rows[1::case.keep * refinement][:len(case.times)]
    return numpy.array([[float(row[header.index(n)]) * f for n, f in zip(case.names, factors)] for row in wanted])


def shrink(model, how, program, detail, step):
    """The model without whatever it can do without and still be silently wrong."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in reductions(model, how):
            try:
                word, told, at = judge(Case(candidate), how, program)
            except Exception:  # what cannot be solved is not smaller
                continue
            if word == WRONG:
                model, detail, step, smaller = candidate, told, at, True
                break
    return model, detail, step


def reductions(model, how):
    """Models with one thing less."""
    copy = lambda: json.loads(json.dumps(model))
    if model["damping"]:
        yield {**copy(), "damping": None}
    if model["loads"] and model["loads"][0]["type"] != "imposed" and len(models.moves(model)) > 1:
        yield {**copy(), "loads": []}
    for i, e in enumerate(model["elements"]):
        less = copy()
        del less["elements"][i]
        for part in less["parts"]:
            part["elements"] = [n for n in part["elements"] if n != e["name"]]
        if all(p["elements"] for p in less["parts"]) and less["elements"]:
            yield less
    for i, n in enumerate(model["nodes"]):
        touched = any(n["name"] in e["at"] for e in model["elements"]) or any(l.get("at") == n["name"] for l in model["loads"])
        if not touched and len(model["nodes"]) > 1:
            less = copy()
            del less["nodes"][i]
            yield less
        if n.get("v0") and len(models.moves(model)) > 1:
            less = copy()
            del less["nodes"][i]["v0"]
            yield less
