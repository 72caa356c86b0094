"""What nobody should do, and somebody will: an exception each time, never a crash, never a silent answer."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from test_callbacks import hybrid, linear, springs
from test_models import oscillator

import interfield


class Refusing:
    def __float__(self):
        raise RuntimeError("no number")

    def __len__(self):
        raise RuntimeError("no length")


FORCES = [
    ("complex", lambda t, u, v: 1j, TypeError),
    ("huge", lambda t, u, v: 10**400, TypeError),
    ("bytes", lambda t, u, v: b"1", TypeError),
    ("bytes that change", lambda t, u, v: bytearray(b"1"), TypeError),
    ("one that refuses", lambda t, u, v: Refusing(), TypeError),
    ("text of a number", lambda t, u, v: "1.0", TypeError),
    ("dict", lambda t, u, v: {"force": 1.0}, TypeError),
    ("itself", lambda t, u, v: linear, TypeError),
    ("empty", lambda t, u, v: [], ValueError),
    ("table", lambda t, u, v: np.zeros((2, 2)), TypeError),
    ("objects", lambda t, u, v: np.array([None]), TypeError),
]


@pytest.mark.parametrize("name, law, cause", FORCES, ids=[f[0] for f in FORCES])
def test_answers_that_are_no_force(name, law, cause):
    with pytest.raises(interfield.CallbackError) as caught:
        springs(lambda t, u, v: linear(t, u, v) if t < 0.5 else law(t, u, v)).run(progress=False)
    assert isinstance(caught.value.__cause__, cause) and 0.4 < caught.value.result.t[-1] < 0.6


def test_what_is_given_to_a_function_may_be_done_with_as_one_likes():
    model = interfield.Model("Pair", dofs=["x"])
    model.node("a", mass="1 t", initial={"x": "10 mm"})
    model.node("b", mass="1 t")
    k = np.array([[3e4, -1e4], [-1e4, 3e4]])
    kept = []

    def greedy(t, u, v):
        force = k @ u
        u[:] = np.nan
        v.resize(7, refcheck=False)
        kept.append(u)
        return force

    model.law("both", greedy, dofs=["a.x", "b.x"], stiffness=k)
    model.analysis(scheme="alpha-os", dt="5 ms", duration="1 s")
    model.record(channels=["a.x", "b.x"])
    greedy_run = model.run(progress=False)
    plain = model.run(laws={"both": lambda t, u, v: k @ u}, progress=False)
    assert np.array_equal(greedy_run.rows, plain.rows) and len(kept) > 100


def test_other_shapes_of_the_right_numbers():
    for wrap in (np.float32, lambda f: np.array(f), lambda f: [f], lambda f: (f,), lambda f: np.array([f, 9.0])[:1]):
        assert springs(lambda t, u, v: wrap(1e3 * u)).run(progress=False).verdict


@pytest.mark.parametrize("what", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_program_ends_it(tmp_path, what):
    path = tmp_path / "out.h5"

    def law(t, u, v):
        if t > 0.5:
            raise what("on purpose")
        return linear(t, u, v)

    with pytest.raises(what, match="on purpose"):
        springs(law).run(progress=False, output=path)
    assert 0.4 < interfield.open_result(path).t[-1] < 0.6
    sim = springs(law).simulation()
    with pytest.raises(what):
        sim.step(200)

    def observer(t, row):
        raise what("seen")

    with pytest.raises(what, match="seen"):
        springs(linear).run(progress=False, observer=observer)


def test_recursion_without_an_end():
    def deep(t, u, v):
        return deep(t, u, v)

    with pytest.raises(interfield.CallbackError) as caught:
        springs(lambda t, u, v: linear(t, u, v) if t < 0.5 else deep(t, u, v)).run(progress=False)
    assert isinstance(caught.value.__cause__, RecursionError)


@pytest.mark.parametrize("use", [
    lambda sim: sim.step(), lambda sim: sim.advance(3), lambda sim: sim.t, lambda sim: sim.row, lambda sim: sim.state,
    lambda sim: sim["mass.x"], lambda sim: sim.vector, lambda sim: sim.finish(), lambda sim: sim.amplification(), lambda sim: sim.parts,
])
@pytest.mark.parametrize("way", ["step", "advance"])
def test_a_function_cannot_use_the_simulation_that_calls_it(use, way):
    held = []

    def law(t, u, v):
        if held and t > 0.2:
            use(held[0])
        return linear(t, u, v)

    held.append(springs(law).simulation())
    with pytest.raises(interfield.CallbackError, match="is taking a step") as caught:
        getattr(held[0], way)(200)
    assert isinstance(caught.value.__cause__, RuntimeError)
    # Between the steps it can be used.
    assert held[0].t == pytest.approx(0.2) and np.isfinite(held[0].row).all()


def test_a_function_may_run_other_models_and_drop_its_own():
    held = {}

    def law(t, u, v):
        held.clear()
        gc.collect()
        if t == 0.5:
            assert oscillator().run(progress=False).verdict == "good"
        return linear(t, u, v)

    held["model"] = springs(law)
    held["sim"] = held["model"].simulation()
    sim = held["sim"]
    assert sim.step(50) and not held
    assert springs(law).run(progress=False).verdict


def test_threads_take_turns():
    model, count, threads = springs(linear), 25, 8
    model.analysis(duration="10 s")
    sim, failed = model.simulation(), []

    def work(i):
        try:
            for _ in range(count):
                (sim.step if i % 2 else sim.advance)(1)
                sim.row, sim.t, sim["mass.x"]
        except BaseException as e:
            failed.append(e)

    all_threads = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    alone = model.simulation()
    alone.step(count * threads)
    assert not failed and sim.done == alone.done and np.array_equal(sim.row, alone.row)


def test_models_run_in_threads_at_once():
    expected, found = springs(linear).run(progress=False).rows, {}

    def work(i):
        found[i] = springs(linear).run(progress=False).rows

    all_threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(rows, expected) for rows in found.values())


def script(text):
    head = f"import os, sys\nsys.path.insert(0, {os.path.dirname(__file__)!r})\n"
    return [sys.executable, "-c", head + textwrap.dedent(text)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_copy_of_the_process_leaves_the_run_alone(tmp_path):
    path = tmp_path / "out.h5"
    # One copy leaves by itself, one comes back into the run, one is made by multiprocessing.
    said = subprocess.run(script(f"""
        import multiprocessing
        from test_callbacks import linear, springs
        pids = []
        def law(t, u, v):
            if abs(t - 0.3) < 1e-9:
                pid = os.fork()
                if pid == 0:
                    os._exit(0)
                pids.append(pid)
            if abs(t - 0.5) < 1e-9:
                pids.append(os.fork())
            if abs(t - 0.7) < 1e-9:
                child = multiprocessing.get_context("fork").Process(target=print, args=("a child",), kwargs={{"flush": True}})
                child.start(); child.join()
            return linear(t, u, v)
        result = springs(law).run(progress=False, output={str(path)!r})
        ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        print(result.t[-1], ends)
    """), capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert said.stdout == "a child\n1.0 [0, 70]\n" and "os._exit()" in said.stderr
    assert np.array_equal(interfield.open_result(path).rows, springs(linear).run(progress=False).rows)


def test_results_and_models_are_pickled(tmp_path):
    model = springs(linear)
    again = pickle.loads(pickle.dumps(model))
    result = again.run(progress=False)
    assert np.array_equal(result.rows, model.run(progress=False).rows)
    copy = pickle.loads(pickle.dumps(result))
    assert np.array_equal(copy.rows, result.rows) and copy.verdict == result.verdict and list(copy) == list(result)
    # One in a file is opened again.
    filed = model.run(progress=False, output=tmp_path / "out.h5")
    copy = pickle.loads(pickle.dumps(filed))
    assert np.array_equal(copy.rows, result.rows) and copy.verdict == filed.verdict and copy.file == filed.file
    with pytest.raises(TypeError, match="state"):
        pickle.dumps(model.simulation())
    with pytest.raises(TypeError, match="this process"):
        pickle.dumps(interfield.Compiled(1))


def test_a_file_that_was_cut_anywhere(tmp_path):
    whole = tmp_path / "out.h5"
    expected = springs(linear).run(progress=False, output=whole).rows
    data, cut = whole.read_bytes(), tmp_path / "cut.h5"
    opened = 0
    for length in [*range(0, 4096, 37), *range(4096, len(data), max(1, len(data) // 200))]:
        cut.write_bytes(data[:length])
        try:
            found = interfield.open_result(cut)
            rows = found.rows
        except (interfield.InterfieldError, OSError):
            continue
        opened += 1
        assert np.array_equal(rows, expected[: len(rows)]), length
    for damaged in (b"", b"\x00" * 5000, os.urandom(5000)):
        cut.write_bytes(damaged)
        with pytest.raises((interfield.InterfieldError, OSError)):
            interfield.open_result(cut)
    with pytest.raises(OSError):
        interfield.open_result(tmp_path)


@pytest.mark.parametrize("keys, word", [
    ({"dt": "-1 ms"}, "-1 ms"), ({"dt": "0 s"}, "0"), ({"dt": "nan s"}, "nan"), ({"dt": "1 kN"}, "kN"), ({"dt": "1e-300 s"}, "dt"),
    ({"duration": "-1 s"}, "-1 s"), ({"dt": True}, "dt"), ({"dt": [1]}, "dt"), ({"scheme": 3}, "scheme"), ({"scheme": "nan"}, "nan"), ({"dt": 10**400}, "1000"),
])
def test_nonsense_in_the_analysis_is_located(keys, word):
    with pytest.raises(interfield.ModelError, match=word) as caught:
        oscillator(**keys).run(progress=False)
    assert any(m.line for m in caught.value.messages)


@pytest.mark.parametrize("choices", [
    {"dt": "-1 ms"}, {"dt": -1.0}, {"until": "-2 s"}, {"until": "1 km"}, {"dt": ""}, {"scheme": ""}, {"coupling": "nothing"},
    {"set": {"nothing": 1}}, {"substeps": 0}, {"substeps": 2**40}, {"dt": float("nan")}, {"until": float("inf")},
])
def test_nonsense_in_the_choices_is_refused(choices):
    with pytest.raises(ValueError):
        oscillator().run(progress=False, **choices)


def test_quantities_that_are_no_numbers():
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    model = oscillator()
    with pytest.raises(ValueError):
        model.element("spring", nodes=["ground", "mass"], dof="x", k=float("nan") * unit.kN / unit.m)
        model.check()
    model = oscillator()
    model.element("spring", nodes=["ground", "mass"], dof="x", k=1.0 * unit.degC)
    with pytest.raises(interfield.ModelError) as caught:
        model.check()
    assert caught.value.messages[0].line


def test_names_of_all_languages(tmp_path):
    model = interfield.Model("Über ∂ 模型 \U0001f3d7 \"quoted\" \\ \t", dofs=["x"])
    name = "Knoten-ä漢"
    model.node(name, mass="1 t", initial={"x": "1 mm"})
    model.element("spring", nodes=["ground", name], dof="x", k="40 kN/m")
    model.analysis(scheme="newmark", dt="10 ms", duration="1 s")
    model.record(channels=[f"{name}.x"])
    folder = tmp_path / "Ordner ü 漢"
    folder.mkdir()
    model.save(folder / "modèle.toml")
    again = interfield.Model.from_file(folder / "modèle.toml")
    result = again.run(progress=False, output=folder / "résultat.h5")
    assert np.array_equal(interfield.open_result(folder / "résultat.h5")[f"{name}.x"], result[f"{name}.x"])
    assert result.title == model._document["title"] and "模型" in result._repr_html_()


def test_specimens_of_python_that_go_wrong():
    for law, cause in ((lambda t, u, v: None, TypeError), (lambda t, u, v: [u, u], ValueError), (lambda t, u, v: float("nan"), ValueError)):
        with pytest.raises(interfield.CallbackError) as caught:
            hybrid().run(until="0.5 s", specimens={"isolators": law}, progress=False)
        assert isinstance(caught.value.__cause__, cause)


def test_a_state_of_somebody_else_or_of_nobody():
    sim = oscillator().simulation()
    state = sim.state
    rng = np.random.default_rng(3)
    for i in range(200):
        bad = bytearray(state)
        bad[int(rng.integers(len(bad)))] ^= 1 << int(rng.integers(8))
        with pytest.raises(interfield.ModelError):
            sim.restore(bytes(bad))
    for bad in (b"", b"x" * 10_000, state + b"\x00", state[: len(state) // 2]):
        with pytest.raises(interfield.ModelError):
            sim.restore(bad)
    sim.restore(state)
    for count in (-1, 2**70, 1.5, "3"):
        with pytest.raises((TypeError, OverflowError)):
            sim.step(count)
    sim.finish()
    sim.finish()
    assert isinstance(sim.step(), bool)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system without signals")
def test_ctrl_c_while_stepping():
    said = subprocess.run(script("""
        import signal, threading
        from test_callbacks import springs, linear
        def law(t, u, v):
            if t > 5.0 and not done:
                done.append(t); os.kill(os.getpid(), signal.SIGINT)
            return linear(t, u, v)
        for way in ("step", "advance"):
            done = []
            model = springs(law); model.analysis(duration="100000 s")
            sim = model.simulation()
            try:
                getattr(sim, way)(20_000_000)
            except (KeyboardInterrupt, Exception) as e:
                print(type(e).__name__, 4.9 < sim.t < 1000.0)
    """), capture_output=True, text=True, check=True)
    assert said.stdout == "KeyboardInterrupt True\n" * 2, said.stdout


def test_two_failures_at_once(tmp_path):
    def law(t, u, v):
        if t > 0.5:
            raise ZeroDivisionError("the law")
        return linear(t, u, v)

    def observer(t, row):
        if t > 0.49:
            raise LookupError("the observer")

    path = tmp_path / "out.h5"
    with pytest.raises(interfield.CallbackError) as caught:
        springs(law).run(progress=False, output=path, observer=observer)
    assert isinstance(caught.value.__cause__, (ZeroDivisionError, LookupError))
    assert 0.4 < interfield.open_result(path).t[-1] < 0.6
    with pytest.raises(interfield.CallbackError):
        springs(law).run(progress=True, observer=observer)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="a system without limits of files")
def test_a_disk_that_is_full(tmp_path):
    path = tmp_path / "out.h5"
    said = subprocess.run(script(f"""
        import interfield, resource
        from test_models import oscillator
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        model = oscillator(duration="100000 s")
        try:
            model.run(progress=False, output={str(path)!r})
        except interfield.RunError as e:
            print(e.result.outcome["end"])
    """), capture_output=True, text=True)
    assert said.stdout == "not written\n", (said.stdout, said.stderr)
    rows = interfield.open_result(path).rows
    assert len(rows) > 100 and np.isfinite(rows).all()


def test_keys_that_are_no_values():
    itself = []
    itself.append(itself)
    for value in (itself, object(), {1: object()}, lambda: 0):
        with pytest.raises((TypeError, ValueError, RecursionError)):
            oscillator().add("node", name="b", mass=value)
    model = oscillator()
    model.add("node\n[x]", name='a"\n[evil]')
    with pytest.raises(interfield.ModelError, match="evil|unknown"):
        model.check()
