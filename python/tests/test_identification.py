"""Laws from measurements: the same numbers as the program, from files, results and arrays."""

import json
import os
import subprocess

import numpy as np
import pytest
from test_callbacks import hybrid
from test_models import MODELS
from test_runs import PROGRAM

import interfield


def cubic(q):
    return 2e6 * q - 1e8 * q**3


def arrays():
    t = np.arange(0, 4, 0.01)
    q = 0.02 * np.sin(6 * t)
    return {"t": t, "q": q, "p": cubic(q)}


def test_the_same_as_the_program(tmp_path):
    result = hybrid().run(until="6 s", progress=False, output=tmp_path / "out.h5")
    told = subprocess.run([PROGRAM, "identify", str(tmp_path / "out.h5"), "--element", "bouc-wen", "--of", "isolators", "--fix", "n=1", "--json"],
                          check=True, capture_output=True, text=True).stdout
    theirs = {p["name"]: p["value"] for p in json.loads(told)["parameters"]}
    memory = hybrid().run(until="6 s", progress=False)
    for data in (tmp_path / "out.h5", result, memory):
        with pytest.warns(interfield.InterfieldWarning):
            found = interfield.identify(data, "bouc-wen", of="isolators", fixed={"n": 1})
        assert {name: p.value for name, p in found.parameters.items()} == theirs and found.law == "bouc-wen"
        assert found.toml and "bouc-wen" in str(found) and "<pre>" in found._repr_html_()
    assert len(found.t) == len(found.computed) == len(found.force)
    # What is in the file is what was run.
    assert found.unexplained < 0.2 and np.corrcoef(found.force, found.computed)[0, 1] > 0.9


def test_arrays_and_texts_with_units(tmp_path):
    data = arrays()
    si = interfield.identify(data, "cubic")
    assert si.parameters["k"].value == pytest.approx(2e6, rel=1e-6) and np.allclose(si.computed, data["p"], atol=1e-3)
    low, high = si.parameters["k"].interval
    assert low <= si.parameters["k"].value <= high and si.parameters["k"].determined
    scaled = interfield.identify({"t": data["t"], "q": 1e3 * data["q"], "p": 1e-3 * data["p"]}, "cubic", units={"q": "mm", "p": "kN"})
    assert scaled.parameters["k"].unit == "kN/mm" and scaled.parameters["k"].value == pytest.approx(2.0, rel=1e-6)
    path = tmp_path / "loops.csv"
    rows = [f"{t},{q},{p}" for t, q, p in zip(data["t"], 1e3 * data["q"], 1e-3 * data["p"])]
    path.write_text("\n".join(["t [s],q [mm],p [kN]", *rows]))
    assert interfield.identify(path, "cubic").parameters == scaled.parameters
    compared = interfield.identify(path)
    assert compared.law == "cubic" and len(compared.data["compared"]["laws"]) >= 5


@pytest.mark.parametrize("change, word", [
    ({"element": "bouc-wenn"}, "bouc-wenn"), ({"of": "pier"}, "of"), ({"deformation": "q"}, "both"), ({"units": {"q": "kN"}}, "kN"),
    ({"substeps": 0}, "substeps"), ({"window": (1.0, 1.05)}, "6 samples"), ({"fixed": {"z": 1.0}}, "z"),
])
def test_what_cannot_be_identified_is_said(change, word):
    with pytest.raises((ValueError, KeyError), match=word):
        interfield.identify(arrays(), **{"element": "cubic", **change})


def test_data_that_are_no_record():
    data = arrays()
    for wrong in ({"q": data["q"][:-1]}, {"q": data["q"] * np.nan}, {"q": np.zeros(400)}, {"t": data["t"][::-1]}, {"q": data["q"] * 1j}):
        with pytest.raises((ValueError, TypeError)):
            interfield.identify({**data, **wrong}, "cubic")
    with pytest.raises(ValueError, match="times `t`"):
        interfield.identify({"q": data["q"]}, "cubic")
    with pytest.raises((OSError, ValueError)):
        interfield.identify(os.path.join(MODELS, "nowhere.csv"))
