"""What nobody should do, and somebody will: an exception each time, never a crash, never a silent answer."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

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


@pytest.mark.parametrize("role", ["law", "compensator"])
def test_a_function_that_holds_its_simulation_is_freed_with_it(role):
    class Holding:
        sim = None

        def force(self, t, u, v):
            return linear(t, u, v)

        def command(self, target, measured):
            return target

    def make():
        holding = Holding()
        if role == "law":
            holding.sim = springs(holding).simulation()
        else:
            holding.sim = hybrid().simulation(until="1 s", compensators={"isolators": holding})
        holding.sim.step(3)
        gc.collect()
        # What somebody still has is not taken apart.
        assert holding.sim.step(3) and np.isfinite(holding.sim.row).all()
        return weakref.ref(holding)

    gone = make()
    gc.collect()
    assert gone() is None


def test_a_function_may_run_other_models_and_drop_its_own():
    held = {}

    def law(t, u, v):
        if held:
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


def test_a_file_with_flipped_bits_says_so_or_reads(tmp_path):
    whole = tmp_path / "out.h5"
    springs(linear).run(progress=False, output=whole)
    data, bad, random = bytearray(whole.read_bytes()), tmp_path / "bad.h5", np.random.default_rng(7)
    heads = [int(k) for k in random.integers(0, min(4096, len(data)), 150)]
    for place in [*heads, *(int(k) for k in random.integers(0, len(data), 150))]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(random.integers(8))
        bad.write_bytes(flipped)
        try:
            found = interfield.open_result(bad)
            found.rows, found.outcome, found.settings, found.log, found.model_text, repr(found), found._repr_html_()
        except (interfield.InterfieldError, OSError):
            pass


def test_a_file_that_changes_under_its_reader(tmp_path):
    path = tmp_path / "out.h5"
    expected = springs(linear).run(progress=False, output=path).rows
    data = path.read_bytes()
    # Cut after it was opened, before it is read.
    found = interfield.open_result(path)
    os.truncate(path, len(data) // 3)
    with pytest.raises((interfield.InterfieldError, OSError)):
        found.rows
    path.write_bytes(data)
    assert found.refresh() == len(expected) and np.array_equal(found.rows, expected)
    path.unlink()
    with pytest.raises((interfield.InterfieldError, OSError)):
        found.refresh()
    # What was read before is still there.
    assert len(found.t) == len(expected)


def test_the_recording_of_an_emulated_test_that_was_cut(tmp_path):
    result = hybrid().run(until="0.5 s", progress=False, output=tmp_path / "out.h5")
    (name,) = result.recordings
    with open(name, "rb") as file:
        data = file.read()
    expected, cut = interfield.open_result(name).rows, tmp_path / "cut.lab.h5"
    for length in range(0, len(data), max(1, len(data) // 60)):
        cut.write_bytes(data[:length])
        try:
            rows = interfield.open_result(cut).rows
        except (interfield.InterfieldError, OSError):
            continue
        assert np.array_equal(rows, expected[: len(rows)], equal_nan=True), length


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="a system without /proc")
def test_models_that_are_dropped_leave_nothing_behind():
    """`cargo xtask bench python` does it 100000 times."""
    text = springs(linear).to_toml()

    def open_and_drop(count):
        for _ in range(count):
            model = interfield.Model.from_text(text)
            sim = model.simulation(laws={"python": linear})
            sim.step(2)
            sim.row
            del model, sim
        gc.collect()

    open_and_drop(300)
    before = resident()
    open_and_drop(1500)
    # Less than a page for each of them.
    assert resident() - before < 1500 * 1024


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_copy_of_the_process_runs_models_of_its_own():
    said = subprocess.run(script("""
        import multiprocessing, interfield
        from test_callbacks import linear, springs
        from test_models import oscillator
        def work(i):
            found = oscillator().ensemble([{"dt": "5 ms"}, {"dt": "10 ms"}], progress=False)
            return springs(linear).run(progress=False).rows[-1].tolist(), found.peak("mass.x").tolist()
        if __name__ == "__main__":
            expected, sim = work(0), springs(linear).simulation()
            sim.step(10)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(all(found == expected for found in pool.map(work, range(4))))
            pid = os.fork()
            if pid == 0:
                # A simulation that no other thread was using is the copy's own.
                os._exit(0 if sim.step(10) and sim.done == 20 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), sim.done)
    """), capture_output=True, text=True, timeout=120)
    assert said.stdout == "True\n0 10\n", said.stderr


@pytest.mark.parametrize("make", [
    lambda values: values.astype(np.float32), lambda values: values.astype(">f8"), lambda values: values[::-1][::-1],
    lambda values: values.tolist(), lambda values: np.asfortranarray(values),
])
def test_arrays_of_another_kind_are_read_as_numbers(make):
    sim = oscillator().simulation()
    values = np.arange(len(sim.vector)) * 0.5
    sim.vector = make(values)
    assert np.array_equal(sim.vector, values)
    t = np.arange(0, 2, 0.01)
    motion = interfield.Motion(0.01, make(np.sign(np.sin(7 * t))))
    assert motion.intensity() == 1.0
    assert interfield.spectrum("newmark", omega=make(values[1:3] + 1)).radius == pytest.approx(1.0)


def test_arrays_that_are_no_numbers():
    sim = oscillator().simulation()
    before = sim.vector
    for wrong in (["a", "b"], [None, 1], [[1.0]], [1j, 2], object(), [], np.zeros((2, 2)), {}, "12"):
        with pytest.raises((TypeError, ValueError)):
            sim.vector = wrong
    assert np.array_equal(sim.vector, before)
    for wrong in ([1j], ["x"], [[1.0, 2.0]], [np.nan], [], [np.inf]):
        with pytest.raises((TypeError, ValueError)):
            interfield.Motion(0.01, np.array(wrong)).intensity()
    for dt in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            interfield.Motion(dt, np.ones(10)).intensity()


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
        import signal
        from test_callbacks import springs, linear
        # What a shell starts in the background ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
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


def test_a_simulation_that_is_over():
    sim = oscillator().simulation()
    sim.step(10)
    state, row = sim.state, sim.row
    assert sim.finish()["verdict"]
    assert np.array_equal(sim.row, row) and sim.done == 10 and sim["mass.x"] == row[0]
    with pytest.raises(KeyError):
        sim["mass.z"]
    assert sim.finish()["verdict"]
    # It can be taken back; a specimen would have to start again, which only a new simulation does.
    sim.restore(state)
    assert np.array_equal(sim.row, row)


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    expected, path = hybrid().run(until="0.4 s", progress=False).rows, tmp_path / "out.h5"
    said = subprocess.run(script(f"""
        import signal
        from test_callbacks import hybrid
        def kill(t, row):
            if t > 0.2:
                os.kill(os.getpid(), signal.SIGKILL)
        hybrid().run(until="0.4 s", output={str(path)!r}, checkpoint=0, observer=kill, progress=False)
    """), capture_output=True, text=True)
    assert said.returncode == -signal.SIGKILL, said.stderr
    # What was killed has its rows and its recording up to there.
    (killed,) = tmp_path.glob("*.lab.h5")
    assert np.array_equal(interfield.open_result(path).rows, expected[: len(interfield.open_result(path).t)])
    assert interfield.open_result(path).t[-1] > 0.1 and interfield.open_result(killed).t[-1] > 0.1
    result = hybrid().run(until="0.4 s", output=tmp_path / "on.h5", resume=path.with_suffix(".checkpoint"), progress=False)
    assert np.array_equal(result.rows, expected) and result.verdict
    for wrong in ({"checkpoint": 1.0}, {"resume": path}, {"core": 0}, {"real_time": True, "priority": 100}, {"real_time": True, "core": -1}):
        with pytest.raises(ValueError):
            hybrid().run(until="0.4 s", progress=False, **wrong)
    for wrong in (-1.0, float("nan"), 1e12):
        with pytest.raises(ValueError, match="number of seconds"):
            hybrid().run(until="0.4 s", output=tmp_path / "b.h5", progress=False, checkpoint=wrong)
    with pytest.raises(interfield.ModelError, match="cannot be saved"):
        hybrid().run(until="0.4 s", output=tmp_path / "c.h5", progress=False, checkpoint=1, compensators={"isolators": lambda t, m: t})


@pytest.mark.parametrize("where", ["specimens", "compensators"])
@pytest.mark.parametrize("what", [KeyboardInterrupt, ZeroDivisionError])
def test_what_is_raised_in_the_middle_of_a_test(tmp_path, where, what):
    calls = []

    def function(first, second, *third):
        calls.append(first)
        if len(calls) == 1500:
            raise what("on purpose")
        # A law f(t, u, v) or a compensator c(target, measured).
        return 2e6 * second if third else first

    with pytest.raises(what if what is KeyboardInterrupt else interfield.CallbackError, match="on purpose"):
        hybrid().run(until="2 s", progress=False, output=tmp_path / "out.h5", **{where: {"isolators": function}})
    recording = interfield.open_result(tmp_path / "out.lab.h5")
    # The rig still asks its specimen on the way back.
    assert len(calls) >= 1500 and len(recording.t) > 1000 and len(interfield.open_result(tmp_path / "out.h5").t) > 100


def test_what_would_come_to_nothing_is_refused_before_it_begins(tmp_path):
    with pytest.raises(ValueError, match="to_csv"):
        oscillator().run(output=tmp_path / "out.CSV", progress=False)
    silent, loud = interfield.Motion(0.01, np.zeros(100)), interfield.Motion(0.01, np.sin(np.arange(100)))
    model = oscillator()
    model.load("ground", direction="x", signal={"type": "synthetic", "peak": "0.1 g"})
    with pytest.raises(ValueError, match="motion number 1 has no intensity"):
        interfield.ida(model, [loud, silent], [1.0], demand="mass.x", progress=False)
    for levels in ([0.0], [-1.0], [float("nan")]):
        with pytest.raises(ValueError, match="levels of intensity"):
            interfield.ida(model, [loud], levels, demand="mass.x", progress=False)
    with pytest.raises(KeyError, match="mass.z.*there are: mass.x"):
        interfield.ida(model, [loud], [1.0], demand="mass.z", progress=False)
    for substeps in ([0], [2**40], [-1]):
        with pytest.raises(ValueError, match="substeps must be from 1 to 1000"):
            interfield.stability_map("pmc", omega=[1.0], ratios=[1.0], substeps=substeps, progress=False)
    for wrong in ({"address": -5}, {"address": 5, "states": -1}, {"address": 5, "dofs": 0}):
        with pytest.raises(ValueError, match="of a compiled function must be"):
            interfield.Compiled(**wrong)
    with pytest.raises(TypeError):
        interfield.Compiled("abc")
    path = tmp_path / "latin.toml"
    path.write_bytes("# Gebäude\ntitle = \"ä\"\n".encode("latin1"))
    with pytest.raises(interfield.ModelError, match="latin.toml:1:6: it is not text in UTF-8"):
        interfield.Model.from_file(path)
