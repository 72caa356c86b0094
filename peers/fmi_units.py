"""FMPy with units: what its validator finds, what it computes, and whether states go back. Prints one line of JSON.

    fmi_units.py UNIT            findings, messages, and all outputs at every communication step
    fmi_units.py --states UNIT   400 steps, with the state after 200 saved, restored and serialised on the way
    fmi_units.py --steps UNIT    the outputs at 1 s, by communication steps of all kinds
    fmi_units.py --fixed UNIT    what is said of a step of 1.3 ms by a unit that takes its own steps only
"""

import json
import shutil
import random
import sys
from contextlib import contextmanager
from ctypes import byref, c_size_t, c_ubyte, c_void_p, create_string_buffer

from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu


def simulated(path):
    """With steps of the default experiment."""
    experiment = read_model_description(path).defaultExperiment
    step, said = float(experiment.stepSize), []
    rows = simulate_fmu(
        path,
        fmi_type="CoSimulation",
        step_size=step,
        output_interval=step,
        stop_time=float(experiment.stopTime),
        logger=lambda *a: said.append(str(a)),
    )
    return {"findings": validate_fmu(path), "said": said, "outputs": {n: rows[n].tolist() for n in rows.dtype.names}}


@contextmanager
def instance(path):
    """An instance in step mode, its description and the references of its outputs; start(unit) begins again after a reset."""
    description = read_model_description(path)
    outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    folder = extract(path)
    try:
        unit = (FMU2Slave if description.fmiVersion == "2.0" else FMU3Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="unit",
        )
        unit.instantiate()
        start(unit)
        yield unit, description, outputs
        unit.terminate()
        unit.freeInstance()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start(unit):
    if isinstance(unit, FMU2Slave):
        unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()


def values(unit, outputs):
    return [float(x) for x in (unit.getReal if isinstance(unit, FMU2Slave) else unit.getFloat64)(outputs)]


def steps(path):
    """The outputs at 1 s: the first by steps of the model, the others by steps that are no multiples of them, and after a reset."""
    step = float(read_model_description(path).defaultExperiment.stepSize)
    uneven = random.Random(17)
    ways = [lambda: step, lambda: 1.3e-3, lambda: 0.3e-3, lambda: 7e-3, lambda: uneven.uniform(1e-5, 3 * step), lambda: 1.3e-3]
    found = []
    with instance(path) as (unit, _, outputs):
        for way in ways:
            time = 0.0
            while 1.0 - time > 1e-9:
                size = min(way(), 1.0 - time)
                unit.doStep(currentCommunicationPoint=time, communicationStepSize=size)
                time += size
            found.append(values(unit, outputs))
            unit.terminate()
            unit.reset()
            start(unit)
    return {"ends": found}


def fixed(path):
    """It must say so before a host has tried for long."""
    may_vary = read_model_description(path).coSimulation.canHandleVariableCommunicationStepSize
    said = []
    try:
        simulate_fmu(path, fmi_type="CoSimulation", stop_time=1.0, step_size=1.3e-3, output_interval=1.3e-3,
                     logger=lambda *a: said.append(str(a)))
    except Exception as error:
        said.append(str(error))
    return {"may_vary": bool(may_vary), "said": said}


def states(path):
    """The outputs at the end: at first, from the state in memory, and from its bytes."""
    with instance(path) as (unit, description, outputs):
        step = float(description.defaultExperiment.stepSize)
        two = description.fmiVersion == "2.0"

        def call(name, *arguments):
            name = name.replace("FMUState", "FMUstate").replace("Deserialize", "DeSerialize") if two else name
            return getattr(unit, ("fmi2" if two else "fmi3") + name)(unit.component, *arguments)

        def run(first, last):
            for k in range(first, last):
                unit.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
            return values(unit, outputs)

        run(0, 200)
        state, size = c_void_p(), c_size_t()
        call("GetFMUState", byref(state))
        call("SerializedFMUStateSize", state, byref(size))
        raw = create_string_buffer(size.value) if two else (c_ubyte * size.value)()
        call("SerializeFMUState", state, raw, size)
        first = run(200, 400)
        call("SetFMUState", state)
        again = run(200, 400)
        call("FreeFMUState", byref(state))
        restored = c_void_p()
        call("DeserializeFMUState", raw, size, byref(restored))
        call("SetFMUState", restored)
        from_bytes = run(200, 400)
        call("FreeFMUState", byref(restored))
        return {"first": first, "again": again, "from_bytes": from_bytes}


MODES = {"--states": states, "--steps": steps, "--fixed": fixed}
print(json.dumps(MODES.get(sys.argv[1], simulated)(sys.argv[-1])))
