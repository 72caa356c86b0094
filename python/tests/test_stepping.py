"""Stepping, and what is learned by stepping."""

import os

import numpy as np
import pytest
from test_models import MODELS, oscillator

import interfield


def test_states_come_back_bit_by_bit():
    model = interfield.Model.from_file(os.path.join(MODELS, "isolated-building.toml"))
    sim = model.simulation(until="1 s")
    sim.step(100)
    state = sim.state
    sim.step(100)
    there = sim.row
    other = model.simulation(until="1 s")
    other.restore(state)
    assert other.done == 100
    other.advance(100)
    assert np.array_equal(other.row, there)
    with pytest.raises(interfield.ModelError, match="another model"):
        model.simulation(until="2 s").restore(state)
    with pytest.raises(interfield.ModelError, match="cannot be restored"):
        other.restore(state[:-1])
    assert "verdict" in sim.finish()


def test_the_vector_is_the_state_of_the_step():
    sim = oscillator().simulation()
    (part,) = sim.parts
    assert part.dofs == ["mass.x"] and sim.vector[part.u] == pytest.approx([1e-3])
    matrix, before = sim.amplification(), sim.vector
    sim.step()
    assert np.allclose(matrix @ before, sim.vector, rtol=1e-9, atol=1e-12)
    changed = sim.vector
    changed[part.u] = 5e-3
    sim.vector = changed
    assert sim["mass.x"] == 5e-3
    with pytest.raises(ValueError, match="numbers"):
        sim.vector = changed[:-1]
    with pytest.raises(ValueError, match="finite"):
        sim.vector = changed * np.nan


def test_the_end_of_the_analysis():
    sim = oscillator().simulation()
    assert sim.step(99) and not sim.step() and not sim.step()
    assert sim.done == sim.steps == 100


def test_spectra_against_closed_forms():
    found = interfield.spectrum("trapezoidal", omega=[0.5, 1.0, 2.0])
    # The trapezoidal rule turns the oscillator by 2 atan(omega dt / 2).
    assert np.allclose(np.angle(found.principal), 2 * np.arctan([0.25, 0.5, 1.0]), rtol=1e-12)

    def trapezoidal(w):
        a = np.array([[0, w], [-w, 0]])
        return np.linalg.solve(np.eye(2) - a / 2, np.eye(2) + a / 2)

    own = interfield.analyse(trapezoidal, omega=[0.5, 1.0, 2.0])
    assert np.allclose(own.frequency_error, found.frequency_error, rtol=1e-9)
    with pytest.raises(interfield.ModelError, match="trapezodial"):
        interfield.spectrum("trapezodial")
    with pytest.raises(ValueError, match="greater than zero"):
        interfield.spectrum("newmark", omega=[0.0])


def test_orders_are_observed():
    model = interfield.Model.from_file(os.path.join(MODELS, "duffing-chain.toml"))
    found = interfield.order(model, levels=4, scheme="lsrt2", dt="5 ms", until="0.5 s")
    assert found.claimed == 2 and found.u.order == pytest.approx(2, abs=0.2) and len(found.u.dt) == 3


def test_maps_of_a_model_and_of_a_coupling():
    found = interfield.radius_map(oscillator(scheme="explicit-newmark"), {"dt": ["0.1 s", "1 s"]}, progress=False)
    assert found.stable.tolist() == [True, False]
    # The limit of the explicit scheme: omega dt = 2.
    split = interfield.stability_map("gc", omega=[0.1, 1.0], ratios=[1.0], substeps=[1], progress=False)
    assert split.radius.shape == (1, 1, 2) and split.stable.all()
    with pytest.raises(interfield.ModelError, match="no coupling `gx`"):
        interfield.stability_map("gx", progress=False)


def test_an_ensemble_is_its_runs():
    model = oscillator()
    model.parameters(k="40 kN/m")
    model._document["element"][0]["k"] = "k"
    values = ["20 kN/m", "40 kN/m", "wrong"]
    found = model.ensemble([{"k": v} for v in values], progress=False)
    assert [word for word, _ in found.endings] == ["finished", "finished", "refused"]
    for value, peak in zip(values[:2], found.peak("mass.x.v")):
        run = model.run(set={"k": value}, progress=False)
        assert peak == np.max(np.abs(run["mass.x.v"]))
    assert np.isnan(found.figures[2]).all() and found.to_xarray()["peak"].shape == (3, 2)


def test_incremental_dynamic_analysis():
    model = oscillator()
    model._document["node"][0]["initial"] = {"x": 0}
    model.load("ground", direction="x", signal={"type": "synthetic", "peak": "0.1 g"})
    t = np.arange(0, 2, 0.01)
    motions = [interfield.Motion(0.01, np.sin(2 * np.pi * f * t)) for f in (0.7, 1.3)]
    assert motions[0].intensity() == pytest.approx(1.0, rel=1e-3)
    found = interfield.ida(model, motions, [0.5, 1.0], demand="mass.x", progress=False)
    # A linear structure that begins at rest.
    assert found.demand.shape == (2, 2) and np.allclose(found.demand[:, 1] / found.demand[:, 0], 2, rtol=1e-9)
    assert found.fractiles([0.5]).shape == (1, 2)
