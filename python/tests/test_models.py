"""Models from files, texts and Python; their messages."""

import glob
import os
import warnings

import numpy as np
import pytest

import interfield

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "models")


def oscillator(**analysis):
    model = interfield.Model("Oscillator", dofs=["x"])
    model.node("mass", mass="1 t", initial={"x": "1 mm"})
    model.element("spring", name="k", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    model.analysis(**{"scheme": "newmark", "dt": "10 ms", "duration": "1 s", **analysis})
    model.record(channels=["mass.x", "mass.x.v"])
    return model


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(MODELS, "*.toml"))), ids=os.path.basename)
def test_every_model_round_trips(path):
    model = interfield.Model.from_file(path)
    same = interfield.Model.from_text(model.to_toml(), folder=MODELS)
    assert same.expanded() == model.expanded()
    # Rewritten by Python, table by table.
    rewritten = model.copy()
    rewritten._open()
    again = interfield.Model.from_text(rewritten.to_toml(), folder=MODELS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert again.check().text.splitlines()[1:] == model.check().text.splitlines()[1:]


def test_keys_take_numbers_texts_arrays_and_quantities():
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    text, quantity = oscillator(), oscillator(dt=10 * unit.ms)
    quantity._document["element"] = []
    quantity.element("spring", name="k", nodes=np.array(["ground", "mass"]), dof="x", k=40.0 * unit.kN / unit.m)
    assert np.array_equal(text.run(progress=False).rows, quantity.run(progress=False).rows)


@pytest.mark.parametrize("made, dt", [
    (lambda u: 10 * u.ms, 0.01), (lambda u: 0.01 * u.second, 0.01), (lambda u: 1e4 * u.microsecond, 0.01), (lambda u: u.Quantity(1e-4, "ks") * 100, 10.0),
])
def test_times_of_pint(made, dt):
    unit = pytest.importorskip("pint").UnitRegistry()
    model = oscillator(duration="20 s")
    assert model.simulation(dt=made(unit)).dt == pytest.approx(dt, rel=1e-12)


def test_units_that_mean_something_else_in_pint_keep_their_size():
    unit = pytest.importorskip("pint").UnitRegistry()
    from interfield._toml import quantity

    # The gram of pint is the gravity of a model file.
    assert quantity(5e5 * unit.gram) == "500.0 kg" and quantity(0.2 * unit.g_0) == "1.96133 m/s^2"
    model = oscillator()
    model.change("node", "mass", mass=1e6 * unit.gram)
    assert model.modes().omega == pytest.approx([np.sqrt(40.0)])
    for name in ("ton", "force_ton", "mile/hour", "knot", "turn/minute", "dyn", "gram*g_0", "kip/inch", "lbf*ft", "percent", "degree", "psi", "Gal", "slug"):
        given = unit.Quantity(3.0, name)
        text = quantity(given)
        number, _, symbol = text.partition(" ")
        again = unit.Quantity(float(number), symbol.replace("^", "**"))
        assert again.to_base_units().magnitude == pytest.approx(given.to_base_units().magnitude, rel=1e-12), text
        # The model file reads all of them, whatever it then says about their dimension.
        try:
            model.change("node", "mass", mass=text)
            model.modes()
        except interfield.ModelError as e:
            assert "unknown unit" not in str(e), text


def test_all_problems_at_once_with_their_places():
    model = oscillator()
    model.element("spring", nodes=["ground", "mas"], dof="x", k="40 kN")
    with pytest.raises(interfield.ModelError) as caught:
        model.check()
    messages = caught.value.messages
    assert len(messages) >= 2 and all(m.line for m in messages)
    lines = model.to_toml().splitlines()
    assert any("mas" in lines[m.line - 1] for m in messages)
    assert isinstance(caught.value, ValueError)


def test_a_table_is_changed_by_its_name():
    model = oscillator()
    model.change("element", "k", k="160 kN/m")
    assert model.modes().omega == pytest.approx([2 * np.sqrt(40.0)])
    for section, name in (("element", "c"), ("specimen", "k"), ("analysis", "dt")):
        with pytest.raises(ValueError, match=f"no {section} `{name}`; it has"):
            model.change(section, name, k=1)


def test_a_value_without_a_form_is_refused_at_once():
    with pytest.raises(TypeError, match="has no form in a model file"):
        oscillator().node("a", mass=object())
    with pytest.raises(ValueError, match="not a valid number"):
        oscillator().node("a", mass=float("nan"))


def test_warnings_are_warnings_of_python():
    with pytest.warns(interfield.InterfieldWarning):
        oscillator().check(whole=True)


def test_files_that_are_not_there():
    with pytest.raises(FileNotFoundError):
        interfield.Model.from_file("nowhere.toml")
    with pytest.raises(OSError):
        interfield.open_result("nowhere.h5")


def test_modes_stability_and_amplification():
    model = oscillator()
    modes = model.modes()
    omega = np.sqrt(40.0)
    assert modes.omega == pytest.approx([omega]) and modes.dofs == ["mass.x"]
    assert modes.periods == pytest.approx([2 * np.pi / omega])
    assert model.stability() and model.stability().radius == pytest.approx(1.0)
    matrix = model.amplification()
    # Newmark's average acceleration conserves energy: the eigenvalues lie on the unit circle.
    values = np.linalg.eigvals(matrix)
    assert np.max(np.abs(values)) == pytest.approx(1.0, abs=1e-9)
    explicit = oscillator(scheme="explicit-newmark", dt="1 s", duration="10 s")
    found = explicit.stability()
    assert not found and found.radius > 1


def test_a_load_may_be_a_function():
    told, called = oscillator(), oscillator()
    told.load("force", at="mass.x", signal={"type": "formula", "value": "10*t"})
    called.load("force", at="mass.x", signal=lambda t: 10 * t)
    # Linear in time: what is sampled is what is meant.
    a, b = told.run(progress=False), called.run(progress=False)
    assert np.allclose(a["mass.x"], b["mass.x"], rtol=1e-12, atol=1e-18)


def test_a_load_that_was_sampled_ends_with_its_samples():
    model = oscillator()
    model.load("force", at="mass.x", signal=lambda t: 10.0)
    for use in (model.run, model.simulation, model.check, model.rehearse):
        with pytest.raises(ValueError, match="sampled up to 1.01 s"):
            use(until="2 s")
    with pytest.raises(ValueError, match="sampled up to 1.01 s"):
        model.ensemble([{"until": 2}], progress=False)
    model.analysis(duration="2 s")
    with pytest.raises(ValueError, match="sampled up to 1.01 s"):
        model.run(progress=False)
    assert model.run(until="1 s", progress=False).t[-1] == pytest.approx(1.0)


def test_plain_times_are_in_the_unit_of_the_model():
    text, plain = oscillator(), interfield.Model("Oscillator", dofs=["x"])
    plain.units(time="ms")
    plain.node("mass", mass="1 t", initial={"x": "1 mm"})
    plain.element("spring", name="k", nodes=["ground", "mass"], dof="x", k="40 kN/m")
    plain.analysis(scheme="newmark", dt=10, duration=1000)
    plain.record(channels=["mass.x"])
    seen = []
    for model in (text, plain):
        model.load("force", at="mass.x", signal=lambda t: seen.append(t) or 10 * t)
    assert len(seen) == 204 and seen[:102] == seen[102:] and seen[101] == pytest.approx(1.01)
    a, b = text.run(until="0.5 s", progress=False), plain.run(until=500, progress=False)
    assert len(a.t) == len(b.t) == 51 and np.array_equal(a["mass.x"], b["mass.x"])


def test_choices_of_a_wrong_kind_are_refused():
    for wrong in ({"substeps": 0}, {"substeps": 2.5}, {"scheme": 3}, {"coupling": True}, {"set": {"k": None}}, {"step": 1}):
        with pytest.raises((TypeError, ValueError)):
            oscillator().run(progress=False, **wrong)
