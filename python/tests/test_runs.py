"""Runs: the same bits as the program, results in all forms, ends of all kinds."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types

import numpy as np
import pytest
from test_models import MODELS, oscillator

import interfield

PROGRAM = os.environ.get("INTERFIELD_PROGRAM", os.path.join(MODELS, "..", "target", "debug", "interfield"))


def program(tmp_path, model, *options):
    out = tmp_path / "program.h5"
    subprocess.run([PROGRAM, "run", os.path.join(MODELS, model), "--output", str(out), "--json", *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return interfield.open_result(out)


@pytest.mark.parametrize("name, options, choices", [
    ("duffing-chain.toml", ["--until", "2 s"], {"until": "2 s"}),
    ("isolated-building.toml", ["--until", "2 s", "--coupling", "pmc", "--substeps", "4"],
     {"until": "2 s", "coupling": "pmc", "substeps": 4}),
    ("frame.toml", ["--set", "E=25 GPa"], {"set": {"E": "25 GPa"}}),
])
def test_the_same_bits_as_the_program(tmp_path, name, options, choices):
    theirs = program(tmp_path, name, *options)
    model = interfield.Model.from_file(os.path.join(MODELS, name))
    ours = model.run(progress=False, **choices)
    assert list(ours) == list(theirs) and np.array_equal(ours.t, theirs.t)
    for channel in theirs:
        assert np.array_equal(ours[channel], theirs[channel]), channel
    # The same once more, step by step.
    sim = model.simulation(**choices)
    rows = [sim.row]
    while sim.step():
        rows.append(sim.row)
    rows.append(sim.row)
    every = (len(rows) - 1) // (len(ours.t) - 1)
    assert np.array_equal(np.array(rows)[::every], ours.rows)


@pytest.mark.parametrize("page", ["README.md", "docs/book/src/python.md"])
def test_the_first_example_of_a_page_runs(tmp_path, page):
    pytest.importorskip("matplotlib")
    with open(os.path.join(MODELS, "..", page), encoding="utf-8") as file:
        example = re.search(r"```python\n(.*?)```", file.read(), re.S)[1]
    assert len(example.strip().splitlines()) <= 6
    os.symlink(os.path.abspath(MODELS), tmp_path / "models")
    said = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert said.stdout == "good\n"
    picture = (tmp_path / "response.png").read_bytes()
    assert picture[:4] == b"\x89PNG"
    shown = os.path.join(MODELS, "..", "docs", "img", "python-first.png")
    if os.environ.get("INTERFIELD_BLESS"):
        with open(shown, "wb") as file:
            file.write(picture)
    assert os.path.exists(shown)
    assert interfield.open_result(tmp_path / "response.h5").t[-1] == pytest.approx(10.0)


def test_a_file_is_written_while_it_runs(tmp_path):
    path = tmp_path / "out.h5"
    seen = []

    def look(t, row):
        if 0.5 < t < 0.52:
            seen.append(interfield.open_result(path).outcome["end"])

    result = oscillator(dt="1 ms").run(output=path, observer=look, progress=False)
    assert seen and set(seen) == {"unknown"}
    memory = oscillator(dt="1 ms").run(progress=False)
    assert np.array_equal(result["mass.x"], memory["mass.x"])
    assert result.file == str(path) and interfield.open_result(path).verdict == result.verdict


def test_arrays_are_not_copied():
    result = oscillator().run(progress=False)
    assert np.shares_memory(result["mass.x"], result.rows)


def test_forms_of_a_result():
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    result = oscillator().run(progress=False)
    data = result.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["mass.x"].attrs["units"] == "m" and data.t.attrs["units"] == "s"
    frame = result.to_pandas()
    assert frame.attrs["units"]["mass.x"] == "m" and frame.index.name == "t"
    assert len(result.plot("mass.x", "mass.x.v").axes) == 2
    page = result._repr_html_()
    assert "verdict: good" in page and "<svg" in page and "mass.x" in page
    with pytest.raises(KeyError, match="did you mean `mass.x`"):
        result["mass.y"]


def test_a_result_with_holes_shows_what_there_is():
    t = np.arange(4.0)
    rows = np.array([[0.0, np.nan], [-2.0, np.nan], [np.nan, np.nan], [1.0, np.nan]])
    channels = [("a", "m", "displacement", ""), ("b", "m", "displacement", "")]
    result = interfield.Result._of_run({"file": None, "title": "holes"}, channels, (t, rows))
    assert result.peak("a") == -2.0 and np.isnan(result.peak("b"))
    page = result._repr_html_()
    assert page.count("<polyline") == 1 and "nan" not in page.split("<polyline")[1].split("/>")[0]


def test_an_observer_ends_a_run():
    result = oscillator().run(observer=lambda t, row: t < 0.5, progress=False)
    assert result.outcome["end"] == "interrupted" and 0.5 <= result.t[-1] <= 0.511
    # The false of numpy ends it too; nothing at all does not.
    numpy = oscillator().run(observer=lambda t, row: np.float64(t) < 0.5, progress=False)
    assert np.array_equal(numpy.rows, result.rows)
    assert oscillator().run(observer=lambda t, row: None, progress=False).t[-1] == pytest.approx(1.0)

    def fails(t, row):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(interfield.CallbackError, match="on purpose") as caught:
        oscillator().run(observer=fails, progress=False)
    assert isinstance(caught.value.__cause__, ZeroDivisionError) and len(caught.value.result.t) >= 1


def test_a_run_that_diverges_has_its_result(tmp_path):
    path = tmp_path / "out.h5"
    with pytest.raises(interfield.RunError) as caught:
        oscillator(scheme="explicit-newmark", dt="1 s", duration="10000 s").run(progress=False, output=path)
    assert len(caught.value.result.t) > 1 and len(interfield.open_result(path).t) == len(caught.value.result.t)


def test_the_lock_is_released_while_it_runs():
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        oscillator(dt="0.01 ms", duration="2 s").run(progress=False)
        assert counted[0] > before + 10
    finally:
        stop.set()
        thread.join()


def test_ctrl_c_ends_the_run_and_the_file_is_whole(tmp_path):
    path = tmp_path / "out.h5"
    script = textwrap.dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from test_models import oscillator
        def interrupt(t, row):
            if t > 1.0 and not done:
                done.append(t); os.kill(os.getpid(), signal.SIGINT)
        done = []
        try:
            oscillator(dt="0.1 ms", duration="10000 s").run(output={str(path)!r}, observer=interrupt, progress=False)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "interrupted"
    result = interfield.open_result(path)
    assert result.outcome["end"] == "interrupted" and result.t[-1] > 1.0


def test_a_killed_process_leaves_a_file_that_opens(tmp_path):
    path = tmp_path / "out.h5"
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from test_models import oscillator
        def tell(t, row):
            if t >= 5.0: print("far", flush=True); sys.stdin.readline()
        oscillator(duration="100000 s").run(output={str(path)!r}, observer=tell, progress=False)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert process.stdout.readline() == b"far\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    result = interfield.open_result(path)
    assert result.outcome["end"] == "unknown" and np.all(np.isfinite(result.rows))


def test_a_test_with_a_specimen_rehearses():
    model = interfield.Model.from_file(os.path.join(MODELS, "forced-split-mass.toml"))
    rehearsal = model.rehearse(until="1 s", progress=False)
    assert model.to_toml() and "loop" in rehearsal.text and rehearsal.data
    with pytest.raises(interfield.ModelError, match="nothing to rehearse"):
        oscillator().rehearse(progress=False)


def test_a_terminal_sees_a_bar_that_goes_away(capfd):
    oscillator(dt="0.01 ms", duration="4 s").run(progress=True)
    shown = capfd.readouterr().err
    assert "running [" in shown and "100 %" in shown and shown.endswith("\r")
    oscillator().run()
    assert capfd.readouterr().err == ""


def test_a_notebook_sees_a_bar_that_goes_away(monkeypatch):
    shown, handles = [], []

    class Handle:
        def update(self, page):
            shown.append(page)

    class ZMQInteractiveShell:
        pass

    def display(page, display_id):
        handles.append(page)
        return Handle()

    page = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=ZMQInteractiveShell, display=page))
    monkeypatch.setitem(sys.modules, "IPython.display", page)
    # Without being asked for: somebody looks at a notebook.
    oscillator(dt="0.01 ms", duration="4 s").run()
    assert handles == [""] and shown[-1] == "" and any("<progress value=" in text and "running" in text for text in shown)
    assert "value='400000' max='400000'" in shown[-2]


def test_a_structure_is_pushed():
    model = interfield.Model.from_file(os.path.join(MODELS, "rc-portal.toml"))
    result = model.run(pushover={"to": "20 mm"}, progress=False)
    assert result.outcome["pushover"] and len(result.t) > 10


def test_files_of_other_commands_are_results_too(tmp_path):
    def command(*words):
        subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    t = np.arange(0, 3, 0.01)
    record, model = tmp_path / "record.csv", os.path.join(MODELS, "hysteretic-building.toml")
    record.write_text("\n".join(["t [s],a [m/s^2]", *(f"{x},{np.sin(8 * x)}" for x in t)]))
    command("ensemble", model, "--records", str(record), "--levels", "0.1 g, 0.2 g", "--output", str(tmp_path / "ida"))
    found = interfield.open_result(tmp_path / "ida" / "ida.h5")
    assert found.unit("intensity") == "g" and found["intensity"].tolist() == pytest.approx([0.1, 0.2])
    command("ensemble", model, "--set", "peak=0.1 g, 0.2 g", "--until", "2 s", "--output", str(tmp_path / "grid"))
    bands = interfield.open_result(tmp_path / "grid" / "bands.h5")
    assert len(bands.t) > 10 and bands.to_xarray().sizes["t"] == len(bands.t)
    command("pushover", os.path.join(MODELS, "rc-portal.toml"), "--to", "20 mm", "--output", str(tmp_path / "push.h5"))
    push = interfield.open_result(tmp_path / "push.h5")
    assert push.peak("pushover.shear") != 0.0 and "<svg" in push._repr_html_()
