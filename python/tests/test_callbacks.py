"""Python inside of the loop: laws, specimens, compensators; and what they do wrong."""

import ctypes
import os

import numpy as np
import pytest
from test_models import MODELS

import interfield


def springs(law, **keys):
    """A mass between a spring of the model and one of Python."""
    model = interfield.Model("Two springs", dofs=["x"])
    model.node("mass", mass="1 t", initial={"x": "10 mm"})
    model.element("spring", name="own", nodes=["ground", "mass"], dof="x", k="20 kN/m")
    model.law("python", law, dofs=["mass.x"], **{"stiffness": [[20e3]], **keys})
    model.analysis(scheme="alpha-os", dt="5 ms", duration="1 s")
    model.record(channels=["mass.x", "python.force"])
    return model


def linear(t, u, v):
    return 20e3 * u


def taken_back(sim):
    """A state in the middle leads to the same row again; the state and the row."""
    sim.step(50)
    middle = sim.state
    sim.step(50)
    there = sim.row
    sim.restore(middle)
    sim.step(50)
    assert np.array_equal(sim.row, there)
    return middle, there


def test_a_law_is_an_element():
    whole = interfield.Model("One spring", dofs=["x"])
    whole.node("mass", mass="1 t", initial={"x": "10 mm"})
    whole.element("spring", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    whole.analysis(scheme="alpha-os", dt="5 ms", duration="1 s")
    whole.record(channels=["mass.x"])
    expected = whole.run(progress=False)["mass.x"]
    for law in (linear, lambda t, u, v: np.float64(20e3) * u, lambda t, u, v: np.array([20e3 * u])):
        found = springs(law).run(progress=False)["mass.x"]
        assert np.allclose(found, expected, rtol=0, atol=1e-12)
    # In its own units, its stiffness identified.
    mm = springs(lambda t, u, v: 20.0 * u, stiffness="identify", units={"length": "mm", "force": "N"})
    assert np.allclose(mm.run(progress=False)["mass.x"], expected, rtol=0, atol=1e-8)


def test_several_degrees_of_freedom_are_arrays():
    model = interfield.Model("Pair", dofs=["x"])
    model.node("a", mass="1 t", initial={"x": "10 mm"})
    model.node("b", mass="1 t")
    k = np.array([[3e4, -1e4], [-1e4, 3e4]])
    model.law("both", lambda t, u, v: k @ u, dofs=["a.x", "b.x"], stiffness=k)
    model.analysis(scheme="alpha-os", dt="5 ms", duration="1 s")
    model.record(channels=["a.x", "b.x"])
    own = model.copy()
    own._document["external"], own._laws = [], {}
    own.element("matrix", dofs=["a.x", "b.x"], K=k)
    a, b = model.run(progress=False), own.run(progress=False)
    assert np.allclose(a.rows, b.rows, rtol=0, atol=1e-12)


@pytest.mark.parametrize("law, cause, what", [
    (lambda t, u, v: 1 / 0, ZeroDivisionError, "division by zero"),
    (lambda t, u, v: float("nan"), ValueError, "returned NaN"),
    (lambda t, u, v: float("inf"), ValueError, "returned inf"),
    (lambda t, u, v: "text", TypeError, "must return 1 numbers"),
    (lambda t, u, v: None, TypeError, "must return 1 numbers"),
    (lambda t, u, v: [1.0, 2.0], ValueError, "must return 1 numbers, and returned 2"),
    (lambda t, u: 0.0, TypeError, "positional argument"),
])
def test_what_a_law_does_wrong_is_an_exception_and_the_file_is_whole(tmp_path, law, cause, what):
    path, calls = tmp_path / "out.h5", []

    def later(t, u, v):
        calls.append(t)
        return linear(t, u, v) if t < 0.5 else law(t, u, v)

    with pytest.raises(interfield.CallbackError, match=what) as caught:
        springs(later).run(progress=False, output=path)
    assert isinstance(caught.value.__cause__, cause)
    # What went wrong once is not asked again, and everything before it is kept.
    assert calls == sorted(calls) and calls[-1] >= 0.5
    kept = interfield.open_result(path)
    assert kept.outcome["end"] == "fault" and kept.t[-1] == pytest.approx(0.495, abs=0.011)
    assert np.array_equal(kept["mass.x"], caught.value.result["mass.x"])


def test_names_and_shapes_that_do_not_fit():
    with pytest.raises(interfield.RunError, match="there is none"):
        interfield.Model.from_text(springs(linear).to_toml()).run(progress=False)
    with pytest.raises(interfield.ModelError, match="no external .* `other`; it has: python"):
        springs(linear).run(laws={"other": linear}, progress=False)
    with pytest.raises(TypeError, match="not callable"):
        springs(3).run(progress=False)
    with pytest.raises(ValueError, match="no address"):
        springs(interfield.Compiled(0)).run(progress=False)


def test_a_compiled_law_is_called_through_its_address():
    signature = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
    compiled = interfield.Compiled.of(signature(linear))
    assert np.array_equal(springs(compiled).run(progress=False).rows, springs(linear).run(progress=False).rows)
    nan = interfield.Compiled.of(signature(lambda t, u, v: float("nan")))
    with pytest.raises(interfield.RunError, match="invalid answer"):
        springs(nan).run(progress=False)
    single = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_float, ctypes.c_float, ctypes.c_float)
    for wrong in (ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda t: 0.0), single(linear)):
        with pytest.raises(TypeError, match="double f.double t, double u, double v."):
            interfield.Compiled.of(wrong)
    # One of another role is found by its signature, before it is called.
    command = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(lambda target, measured: target)
    for given in ({"laws": {"python": interfield.Compiled.of(command)}}, {"observer": compiled}, {"compensators": {"python": compiled}}):
        with pytest.raises(TypeError, match="must have the signature"):
            springs(linear).run(progress=False, **given)


def test_numba_laws_have_states():
    numba = pytest.importorskip("numba")
    pointer = numba.types.CPointer(numba.float64)

    @numba.cfunc(numba.types.void(numba.float64, pointer, pointer, pointer, pointer))
    def friction(t, u, v, states, force):  # pragma: no cover: compiled
        # A spring of 20 kN/m with a slider of 100 N: its state is the place of the slider.
        trial = 20e3 * (u[0] - states[0])
        if trial > 100.0:
            states[0] = u[0] - 100.0 / 20e3
        elif trial < -100.0:
            states[0] = u[0] + 100.0 / 20e3
        force[0] = 20e3 * (u[0] - states[0])

    model = springs(interfield.Compiled.of(friction, states=1))
    result = model.run(progress=False)
    assert np.max(np.abs(result["python.force"])) == pytest.approx(100.0)
    # States are part of what is saved.
    sim = model.simulation()
    taken_back(sim)


class Slider:
    """The same in Python."""

    def __init__(self):
        self.place = 0.0

    def force(self, t, u, v):
        trial = 20e3 * (u - self.place)
        if abs(trial) > 100.0:
            self.place = u - np.sign(trial) * 100.0 / 20e3
        return 20e3 * (u - self.place)

    def save(self):
        return [self.place]

    def restore(self, numbers):
        (self.place,) = numbers


def test_an_object_that_saves_itself_is_taken_back():
    sim = springs(Slider()).simulation()
    taken_back(sim)
    with pytest.raises(interfield.ModelError, match="without save"):
        springs(linear).simulation().state


def hybrid():
    return interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))


def test_a_specimen_of_python_stands_behind_the_actuators():
    # The isolators as a linear spring, once as an element and once as a function: the same test twice.
    model, seen = hybrid(), []
    for i, element in enumerate(model._open()["element"]):
        if element.get("name") == "isolators":
            model._open()["element"][i] = {
                "type": "spring", "name": "isolators", "nodes": ["ground", "slab"], "dof": "x", "k": "2 kN/mm"
            }
    expected = model.run(until="1 s", progress=False)

    def spring(t, u, v):
        seen.append((t, u))
        return 2e6 * u

    model.specimen("isolators", spring)
    result = model.run(until="1 s", progress=False)
    assert len(seen) >= 2000 and result.outcome["laboratory"]
    assert np.ptp(expected["isolators.force"]) > 1.0
    for name in ("slab.x", "isolators.force", "isolators.deformation"):
        assert np.allclose(result[name], expected[name], rtol=1e-9, atol=1e-9), name


def test_a_specimen_that_fails_ends_the_test(tmp_path):
    model = hybrid()

    def breaks(t, u, v):
        if t > 0.5:
            raise RuntimeError("broken")
        return 2e6 * u

    model.specimen("isolators", breaks)
    path = tmp_path / "out.h5"
    with pytest.raises(interfield.CallbackError, match="broken") as caught:
        model.run(until="2 s", progress=False, output=path)
    assert 0.1 < interfield.open_result(path).t[-1] < 1.0
    recording = interfield.open_result(caught.value.result.recordings[0])
    assert len(recording.t) > 100


def test_what_would_forget_the_function_is_refused():
    model = hybrid()
    model.specimen("isolators", lambda t, u, v: 2e6 * u)
    for use in (
        model.rehearse, lambda: model.ensemble([{}]), lambda: interfield.order(model),
        lambda: interfield.radius_map(model, {"dt": ["1 ms"]}),
    ):
        with pytest.raises(ValueError, match="`isolators` is computed by a Python function"):
            use()


def test_a_compensator_of_python():
    model = hybrid()
    model.specimen("isolators", compensator=lambda target, measured: target)
    ours = model.run(until="1 s", progress=False)
    document = hybrid()
    document._open()["specimen"][0]["compensation"] = {"method": "none"}
    theirs = document.run(until="1 s", progress=False)
    assert np.array_equal(ours.rows, theirs.rows)
    wrong = hybrid()
    wrong.specimen("isolators", compensator=lambda target, measured: float("nan"))
    with pytest.raises(interfield.CallbackError, match="returned NaN"):
        wrong.run(until="1 s", progress=False)


class Late:
    """The target of the sample before: it remembers a number."""

    def __init__(self):
        self.before = 0.0

    def command(self, target, measured):
        self.before, said = target, self.before
        return said


class Saved(Late):
    def save(self):
        return [self.before]

    def restore(self, numbers):
        (self.before,) = numbers


def test_what_a_compensator_remembers_is_part_of_the_state():
    model = hybrid()
    sim = model.simulation(until="1 s", compensators={"isolators": Saved()})
    start = sim.state
    middle, there = taken_back(sim)
    # From the start, and in another simulation.
    other = model.simulation(until="1 s", compensators={"isolators": Saved})
    for state, steps in ((start, 100), (middle, 50)):
        other.restore(state)
        other.step(steps)
        assert np.array_equal(other.row, there)
    # What nobody can save is not lost in silence.
    forgets = model.simulation(until="1 s", compensators={"isolators": Late()})
    for use in (lambda: forgets.state, lambda: forgets.restore(start)):
        with pytest.raises(interfield.ModelError, match="`isolators` cannot be saved.*without save"):
            use()

    class Growing(Saved):
        def save(self):
            return [0.0] * (1 + (self.before != 0.0))

    with pytest.raises(interfield.CallbackError, match="save.. returned 2 numbers, and 1 at the start"):
        model.run(until="1 s", progress=False, compensators={"isolators": Growing()})


def test_a_compiled_compensator_is_the_interpreted_one():
    double = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(None, double, double, double, double)
    def late(target, measured, states, command):
        command[0], states[0] = states[0], target[0]

    model = hybrid()
    expected = model.run(until="1 s", progress=False, compensators={"isolators": Late()})
    compiled = interfield.Compiled.of(late, states=1)
    assert np.array_equal(model.run(until="1 s", progress=False, compensators={"isolators": compiled}).rows, expected.rows)
    sim = model.simulation(until="1 s", compensators={"isolators": compiled})
    middle, there = taken_back(sim)
    plain = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)
    same = model.run(until="0.2 s", progress=False, compensators={"isolators": plain(lambda target, measured: target)})
    assert np.array_equal(same.rows, model.run(until="0.2 s", progress=False, compensators={"isolators": lambda t, m: t}).rows)
    nan = interfield.Compiled.of(plain(lambda target, measured: float("nan")))
    with pytest.raises(interfield.RunError):
        model.run(until="0.2 s", progress=False, compensators={"isolators": nan})


def test_observers_may_be_objects_and_compiled():
    seen = []

    class Watch:
        def __init__(self):
            self.rows = 0

        def observe(self, t, row):
            self.rows += 1
            seen.append(self.rows)
            return self.rows < 5

    for _ in range(2):
        # A class is made anew for each run.
        assert len(springs(linear).run(progress=False, observer=Watch).t) <= 6
    assert seen == [*range(1, 6), *range(1, 6)]

    @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_double, ctypes.POINTER(ctypes.c_double))
    def compiled(t, row):
        kept.append((t, row[0], row[1]))
        return t < 0.5

    kept = []
    result = springs(linear).run(progress=False, observer=compiled)
    assert result.outcome["end"] == "interrupted"
    assert np.array_equal(np.array(kept), np.column_stack([result.t, result.rows])[: len(kept)])


class Tired:
    """A spring that loses a thousandth of its stiffness with each call."""

    def __init__(self):
        self.share = 1.0

    def force(self, t, u, v):
        self.share *= 0.999
        return 20e3 * self.share * u


def test_a_class_begins_each_run_anew():
    model = springs(Tired)
    first = model.run(progress=False)
    assert np.array_equal(model.run(progress=False).rows, first.rows)
    # An object goes on with what it remembers.
    used = springs(Tired())
    assert np.array_equal(used.run(progress=False).rows, first.rows)
    assert not np.array_equal(used.run(progress=False).rows, first.rows)
