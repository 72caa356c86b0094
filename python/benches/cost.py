"""What Python costs: a run beside the program, a step beside the step itself, a law interpreted and compiled,
what stays of models that were dropped, and late answers in real time.

Run by `cargo xtask bench python`. Times are the best of several runs.
"""

import gc
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
    """Both write the same result file; the time is that of the whole call, or of the whole process."""
    model = frame()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.toml")
        model.save(path)
        model = interfield.Model.from_file(path)
        files = [os.path.join(folder, name) for name in ("program.h5", "python.h5")]

        def program():
            start = time.perf_counter()
            told = subprocess.run([PROGRAM, "run", path, "--output", files[0], "--json"], capture_output=True, text=True, check=True)
            return time.perf_counter() - start, json.loads(told.stdout)["seconds"]

        def python():
            start = time.perf_counter()
            result = model.run(progress=False, output=files[1])
            return time.perf_counter() - start, result.outcome["seconds"]

        pairs = [(program(), python()) for _ in range(7)]
        same = np.array_equal(*(interfield.open_result(file).rows for file in files))
    for what, k in (("whole", 0), ("from the first step to the last", 1)):
        theirs, ours = min(p[k] for p, _ in pairs), min(p[k] for _, p in pairs)
        print(f"run of 120 DoF, 20000 steps, {what}: program {theirs:.3f} s, Python {ours:.3f} s, {100 * (ours / theirs - 1):+.1f} %")
    print(f"the same bits: {same}")


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


def work():
    while True:
        sum(range(1000))


class Spring:
    """Interpreted; alone in its interpreter, or beside a thread that keeps it busy."""

    def __init__(self, busy=False):
        self.busy = busy

    def begin(self):
        if self.busy:
            self.busy = False
            threading.Thread(target=work, daemon=True).start()

    def force(self, t, u, v):
        self.begin()
        return 5e5 * u


class Compiled(Spring):
    """The same without the interpreter."""

    def compiled(self):
        self.begin()
        return numba.cfunc("float64(float64, float64, float64)")(spring)


def spring(t, u, v):
    return 5e5 * u


def real_time():
    models = os.path.join(os.path.dirname(__file__), "..", "..", "models")

    def test(name, specimen):
        model = interfield.Model.from_file(os.path.join(models, "isolated-building.toml"))
        model.change("specimen", "isolators", rate="1 kHz")
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = model.run(until="5 s", specimens={"isolators": specimen}, real_time=True, dt="4 ms",
                                   output=os.path.join(folder, "test.h5"), progress=False)
            except interfield.RunError as stopped:
                if (result := stopped.result) is None:
                    raise
        (rig,) = result.outcome["laboratory"]
        count = rig["account"]
        late, stale = (100 * count[k] / rig["samples"] for k in ("late", "stale"))
        print(f"1 kHz in real time, {name}: {rig['samples']} samples, {late:.3f} % answered late, {stale:.3f} % without an answer in "
              f"time, round trip median {count['round_trip_p50']:.0f} us, 99 % {count['round_trip_p99']:.0f} us; "
              f"{result.outcome['end']}, {result.verdict}")

    test("interpreted", Spring())
    test("interpreted, its interpreter busy", Spring(busy=True))
    test("compiled, its interpreter busy", Compiled(busy=True))
    threading.Thread(target=work, daemon=True).start()
    test("interpreted, the interpreter of the test busy", Spring())


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def dropped(count=100_000):
    """Models that are opened, stepped and dropped: what stays of them."""
    text = small().to_toml()

    def work(count):
        for _ in range(count):
            sim = interfield.Model.from_text(text).simulation()
            sim.step()
            sim.row
        gc.collect()

    work(2000)
    before, start = resident(), time.perf_counter()
    work(count)
    grown, spent = resident() - before, time.perf_counter() - start
    print(f"{count} models opened and dropped: {1e6 * spent / count:.0f} us each, {grown / 1024:.0f} KiB more in memory "
          f"({grown / count:.2f} bytes each)")


if __name__ == "__main__":
    np.seterr(all="ignore")
    runs()
    steps()
    laws()
    dropped()
    real_time()
