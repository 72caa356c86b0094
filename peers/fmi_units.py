"""FMPy with units: what its validator finds, what it computes, and whether states go back. Prints one line of JSON.

    fmi_units.py UNIT            findings, messages, and all outputs at every communication step
    fmi_units.py --states UNIT   400 steps, with the state after 200 saved, restored and serialised on the way
"""

import json
import shutil
import sys
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


def states(path):
    """The outputs at the end: at first, from the state in memory, and from its bytes."""
    description = read_model_description(path)
    step = float(description.defaultExperiment.stepSize)
    outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    two = description.fmiVersion == "2.0"
    folder = extract(path)
    try:
        unit = (FMU2Slave if two else FMU3Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="states",
        )
        unit.instantiate()
        if two:
            unit.setupExperiment(startTime=0.0)
        unit.enterInitializationMode()
        unit.exitInitializationMode()

        def call(name, *arguments):
            name = name.replace("FMUState", "FMUstate").replace("Deserialize", "DeSerialize") if two else name
            return getattr(unit, ("fmi2" if two else "fmi3") + name)(unit.component, *arguments)

        def run(first, last):
            for k in range(first, last):
                unit.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
            return [float(x) for x in (unit.getReal if two else unit.getFloat64)(outputs)]

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
        unit.terminate()
        unit.freeInstance()
        return {"first": first, "again": again, "from_bytes": from_bytes}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


print(json.dumps(states(sys.argv[2]) if sys.argv[1] == "--states" else simulated(sys.argv[1])))
