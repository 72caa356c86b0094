"""A Python specimen in real time, in a process of its own. Nothing here depends on how fast the machine is."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from test_models import MODELS

import interfield


class Spring:
    """A class of a module: it is sent to the process of the specimen."""

    def force(self, t, u, v):
        return 2e6 * u


class Broken:
    def force(self, t, u, v):
        raise RuntimeError("broken in its process")


def test_it_answers_in_a_process_of_its_own(tmp_path):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    # Late answers wait: a slow machine makes a slow test, not another one.
    model.change("specimen", "isolators", late="hold")
    try:
        result = model.run(
            until="0.3 s", specimens={"isolators": Spring()}, real_time=True, output=tmp_path / "out.h5", progress=False
        )
    except interfield.RunError as stopped:
        # On a machine that stalls, the patience of the specimen ends the test as configured.
        result = stopped.result
    assert result is not None and result.outcome["laboratory"] and len(result.recordings) == 1
    assert len(interfield.open_result(result.recordings[0]).t) > 0


def test_what_fails_there_ends_the_test_as_configured(tmp_path):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    try:
        model.run(until="0.3 s", specimens={"isolators": Broken()}, real_time=True, output=tmp_path / "o.h5", progress=False)
    except interfield.RunError as stopped:
        assert stopped.result is None or stopped.result.outcome["end"] != "finished"
        assert isinstance(stopped, interfield.CallbackError) and "broken in its process" in str(stopped)
    else:
        raise AssertionError("a broken specimen must end the test")


def test_laws_and_compensators_are_refused():
    path = os.path.join(MODELS, "isolated-building.toml")
    for given in ({"laws": {"a": Spring()}}, {"compensators": {"isolators": lambda target, measured: target}}):
        with pytest.raises(ValueError, match="in real time, only specimens"):
            interfield.Model.from_file(path).run(real_time=True, progress=False, **given)
    model = interfield.Model.from_file(path)
    model.specimen("isolators", compensator=lambda target, measured: target)
    with pytest.raises(ValueError, match="in real time, only specimens"):
        model.run(real_time=True, progress=False)


class Late:
    """Answers once long after the next sample of a controller of 1 kHz, however fast the machine is."""

    def __init__(self, after):
        self.after, self.begun = after, None

    def force(self, t, u, v):
        self.begun = self.begun or t
        if self.after is not None and t - self.begun > 0.1:
            self.after, end = None, time.perf_counter() + 0.06
            while time.perf_counter() < end:
                pass
        return 2e6 * u


def late_test(tmp_path, **keys):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    model.change("specimen", "isolators", rate="1 kHz", **keys)
    try:
        return model.run(until="0.3 s", dt="4 ms", specimens={"isolators": Late(0.1)}, real_time=True,
                         output=tmp_path / "out.h5", progress=False)
    except interfield.RunError as stopped:
        return stopped.result


def test_a_late_answer_is_counted_and_the_verdict_tells(tmp_path):
    # However many samples are without measurements: it goes on.
    result = late_test(tmp_path, limits={"missing": {"at": 1e6, "action": "warn"}})
    (rig,) = result.outcome["laboratory"]
    assert rig["account"]["stale"] >= 10 and "without a new measurement in time" in " ".join(rig["reasons"])
    recording = interfield.open_result(result.recordings[0])
    assert np.sum(recording["isolators.fresh"] == 0.0) == rig["account"]["stale"]
    assert result.verdict != "good"


def test_late_answers_end_a_test_as_configured(tmp_path):
    result = late_test(tmp_path, limits={"missing": {"at": 3, "action": "abort"}})
    (rig,) = result.outcome["laboratory"]
    assert rig["state"] == "aborted" and result.outcome["end"] != "finished", result.verdict
    assert any(t["cause"] == "missing" for t in rig["transitions"]), rig["transitions"]
    assert len(interfield.open_result(result.recordings[0]).t) > 0


class Killed:
    """Its process is killed, as by a machine without memory."""

    def force(self, t, u, v):
        if t > 0.1:
            os.kill(os.getpid(), signal.SIGKILL)
        return 2e6 * u


def test_a_killed_process_ends_the_test(tmp_path):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    with pytest.raises(interfield.CallbackError, match="specimen `isolators`: its process ended with code -9") as caught:
        model.run(until="1 s", specimens={"isolators": Killed()}, real_time=True, output=tmp_path / "o.h5", progress=False)
    assert len(interfield.open_result(caught.value.result.recordings[0]).t) > 0


class Numba:
    """Compiled where it is computed."""

    def compiled(self):
        import numba

        return numba.cfunc("float64(float64, float64, float64)")(spring)


def spring(t, u, v):
    return 2e6 * u


def test_a_compiled_specimen_is_compiled_in_its_process(tmp_path):
    pytest.importorskip("numba")
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    here = model.run(until="0.3 s", specimens={"isolators": Numba()}, progress=False)
    interpreted = model.run(until="0.3 s", specimens={"isolators": Spring()}, progress=False)
    assert np.array_equal(here.rows, interpreted.rows)
    try:
        result = model.run(until="0.3 s", specimens={"isolators": Numba()}, real_time=True, output=tmp_path / "o.h5", progress=False)
    except interfield.RunError as stopped:
        result = stopped.result
    assert result.hosts["isolators"]["commands"] > 0
    with pytest.raises(TypeError, match="this process"):
        model.run(specimens={"isolators": interfield.Compiled(1)}, real_time=True, progress=False)


def test_a_function_that_no_other_process_has_is_said(tmp_path):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    with pytest.raises(TypeError, match="cannot be sent to a process of its own.*\n.*another process can import"):
        model.run(specimens={"isolators": lambda t, u, v: u}, real_time=True, progress=False)
    script = f"""
import interfield
class Own:
    def force(self, t, u, v):
        return 2e6 * u
if __name__ == "__main__":
    try:
        interfield.Model.from_file({os.path.join(MODELS, "isolated-building.toml")!r}).run(
            specimens={{"isolators": Own()}}, real_time=True, progress=False)
    except RuntimeError as e:
        print(e)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "must stand in a module" in said.stdout


def test_ctrl_c_leads_the_specimen_home(tmp_path):
    # The whole group hears it, as at a terminal: also the process of the specimen.
    path = tmp_path / "out.h5"
    script = f"""
import os, signal, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import interfield
from test_real_time import Spring, MODELS
def interrupt(t, row):
    if t > 0.3 and not done:
        done.append(t); os.killpg(0, signal.SIGINT)
done = []
if __name__ == "__main__":
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    model.change("specimen", "isolators", limits={{"missing": {{"at": 1e6, "action": "warn"}}}})
    try:
        model.run(until="20 s", specimens={{"isolators": Spring()}}, real_time=True, output={str(path)!r}, observer=interrupt, progress=False)
    except KeyboardInterrupt:
        print("interrupted")
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, start_new_session=True)
    assert said.stdout == "interrupted\n", said.stderr
    kept = interfield.open_result(path)
    assert kept.outcome["end"] == "interrupted" and 0.3 < kept.t[-1] < 19.0
    recording = interfield.open_result(tmp_path / "out.lab.h5")
    command = recording[next(name for name in recording if "command" in name)]
    assert abs(command[-1]) < 1e-3 * max(1e-9, np.max(np.abs(command)))


def test_the_process_of_a_specimen_ends_with_its_parent(tmp_path):
    script = f"""
import os, signal, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import interfield, multiprocessing
from test_real_time import Spring, MODELS
def tell(t, row):
    if t > 0.1 and not done:
        done.append(t); print(multiprocessing.active_children()[0].pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)
done = []
if __name__ == "__main__":
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    model.run(until="20 s", specimens={{"isolators": Spring()}}, real_time=True, output={str(tmp_path / "out.h5")!r}, observer=tell, progress=False)
"""
    # It holds the end of this pipe as long as it lives: that this returns is the proof.
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert said.returncode == -signal.SIGKILL and int(said.stdout) > 0
    kept = interfield.open_result(tmp_path / "out.h5")
    assert kept.outcome["end"] == "unknown" and np.all(np.isfinite(kept.rows))


def test_the_example_runs(tmp_path):
    example = os.path.join(os.path.dirname(__file__), "..", "examples", "real_time.py")
    words = [sys.executable, example, os.path.join(MODELS, "isolated-building.toml"), "0.3", str(tmp_path / "out.h5")]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 0 and " samples, " in said.stdout, said.stderr


def test_two_tests_at_once_have_their_own_specimens(tmp_path):
    found = {}

    def work(i):
        model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
        model.change("specimen", "isolators", late="hold", limits={"missing": {"at": 1e6, "action": "warn"}})
        try:
            found[i] = model.run(until="0.1 s", specimens={"isolators": Spring()}, real_time=True, output=tmp_path / f"{i}.h5", progress=False)
        except interfield.RunError as stopped:
            found[i] = stopped.result

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Each specimen answered its own test.
    assert len(found) == 2 and all(r.hosts["isolators"]["commands"] > 0 and r.hosts["isolators"]["foreign"] == 0 for r in found.values())


class Unmade:
    def __init__(self):
        raise LookupError("no sensor")

    def force(self, t, u, v):
        return 0.0


def test_specimens_that_cannot_begin_say_why(tmp_path):
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    for number, (law, error, word) in enumerate([
        (Unmade, interfield.CallbackError, "specimen `isolators`: LookupError: no sensor$"), (3, interfield.CallbackError, "not callable"),
    ]):
        with pytest.raises(error, match=word):
            model.run(until="0.1 s", specimens={"isolators": law}, real_time=True, output=tmp_path / f"{number}.h5", progress=False)
        # Nothing has moved, and nothing was written.
        assert not list(tmp_path.iterdir())
