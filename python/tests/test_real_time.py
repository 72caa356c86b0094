"""A Python specimen in real time, in a process of its own. Nothing here depends on how fast the machine is."""

import os

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
    model._open()["specimen"][0]["late"] = "hold"
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
