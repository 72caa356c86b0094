"""What Python costs: a run beside the program, a step beside the step itself, a law interpreted and compiled, and late answers in real time.

Run by `cargo xtask bench python`. Times are the best of several runs.
"""

import json
import os
import subprocess
import tempfile
import threading
import time

import numba
import numpy as np

import interfield

PROGRAM = os.environ["INTERFIELD_PROGRAM"]
FRAME = """
title = "Frame of 120 degrees of freedom"
dofs = ["x", "y", "rz"]
analysis = { scheme = "newmark", dt = "2 ms", duration = "40 s" }
record = { channels = ["n5-8.x"] }
"""


def frame():
    """Four bays, eight storeys: 40 free nodes with three degrees of freedom each."""
    model = interfield.Model.from_text(FRAME)
    member = {"E": "30 GPa", "A": "0.16 m^2", "I": "0.0021 m^4"}
    for i in range(1, 6):
        for j in range(9):
            keys = {"fixed": True} if j == 0 else {"mass": "8 t"}
            model.node(f"n{i}-{j}", at=[f"{5 * i} m", f"{3 * j} m"], **keys)
    for i in range(1, 6):
        for j in range(8):
            model.element("beam2d", nodes=[f"n{i}-{j}", f"n{i}-{j + 1}"], **member)
            if i < 5:
                model.element("beam2d", nodes=[f"n{i}-{j + 1}", f"n{i + 1}-{j + 1}"], **member)
    model.load("ground", direction="x", signal={"type": "synthetic", "peak": "0.2 g"})
    return model


def best(work, times=5):
    return min(work() for _ in range(times))


def runs():
    model = frame()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.toml")
        model.save(path)

        def program():
            out = os.path.join(folder, "program.h5")
            told = subprocess.run([PROGRAM, "run", path, "--output", out, "--json"], capture_output=True, text=True)
            return json.loads(told.stdout)["seconds"] if told.returncode == 0 else float("nan")

        def python():
            return model.run(progress=False, output=os.path.join(folder, "python.h5")).outcome["seconds"]

        ours, theirs = best(python), best(program)
    print(f"run of 120 DoF, 20000 steps: program {theirs:.3f} s, Python {ours:.3f} s, {100 * (ours / theirs - 1):+.1f} %")


def small():
    model = interfield.Model("Oscillator", dofs=["x"])
    model.node("mass", mass="1 t", initial={"x": "1 mm"})
    model.element("spring", name="k", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    model.analysis(scheme="newmark", dt="1 ms", duration="1000 s")
    model.record(channels=["mass.x"])
    return model


def steps():
    count = 200_000

    def inside():
        sim = small().simulation()
        start = time.perf_counter()
        sim.step(count)
        return (time.perf_counter() - start) / count

    def outside():
        sim = small().simulation()
        start = time.perf_counter()
        for _ in range(count):
            sim.step()
        return (time.perf_counter() - start) / count

    own, called = best(inside), best(outside)
    print(f"step: {1e9 * own:.0f} ns itself, {1e9 * called:.0f} ns from Python, {1e9 * (called - own):.0f} ns above")


def laws():
    count = 200_000

    def per_call(law):
        model = small()
        model.law("law", law, dofs=["mass.x"], stiffness=[[0.0]])
        model.analysis(scheme="alpha-os")

        def one():
            sim = model.simulation()
            start = time.perf_counter()
            sim.advance(count)
            return (time.perf_counter() - start) / count

        return best(one, 3)

    @numba.cfunc("float64(float64, float64, float64)")
    def compiled(t, u, v):
        return 1e3 * u

    def interpreted(t, u, v):
        return 1e3 * u

    for name, law in (("compiled", compiled), ("interpreted", interpreted)):
        spent = per_call(law)
        print(f"law, {name}: {1e-6 / spent:.2f} million steps with a call per second ({1e9 * spent:.0f} ns with the step)")


class Spring:
    """Without a thread beside it, or with one that keeps the interpreter busy."""

    def __init__(self, busy):
        self.busy, self.thread = busy, None

    def force(self, t, u, v):
        if self.busy and self.thread is None:
            self.thread = threading.Thread(target=self.work, daemon=True)
            self.thread.start()
        return 2e6 * u

    def work(self):
        while True:
            sum(range(1000))


def real_time():
    models = os.path.join(os.path.dirname(__file__), "..", "models")
    for busy in (False, True):
        model = interfield.Model.from_file(os.path.join(models, "isolated-building.toml"))
        specimen = model._open()["specimen"][0]
        specimen["rate"] = "1 kHz"
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = model.run(until="5 s", specimens={"isolators": Spring(busy)}, real_time=True, dt="4 ms",
                                   output=os.path.join(folder, "test.h5"), progress=False)
            except interfield.RunError as stopped:
                result = stopped.result
            name = "busy" if busy else "idle"
            if result is None:
                print(f"1 kHz in real time, interpreter {name}: the test could not begin")
                continue
            account = json.dumps(result.outcome["laboratory"])
            told = {k: v for k, v in json.loads(account)[0].items() if k in ("samples", "late", "hardware", "account", "timing")}
            print(f"1 kHz in real time, interpreter {name}: {result.verdict}\n  {json.dumps(told)[:1500]}\n  {result.hosts}")


if __name__ == "__main__":
    np.seterr(all="ignore")
    runs()
    steps()
    laws()
    real_time()
