"""OpenSees on the frames and hysteretic chains of the performance bars.

usage: python opensees_frames.py frame BAYS STOREYS STEPS [SYSTEM]
       python opensees_frames.py chain STOREYS STEPS
Prints one JSON line: number of degrees of freedom, steps, seconds of the stepping loop alone (after one step that factorises),
and the displacement of the top at the end; for the chain also every 50 steps after the first. SYSTEM is an OpenSees solver:
BandGeneral (the default), BandSPD, ProfileSPD, UmfPack, SuperLU, ...
"""
import json
import math
import sys
import time

import openseespy.opensees as ops

GRAVITY = 9.81


def ground(count, dt):
    """Ground acceleration, peak about 1 g: three sines that grow for 2 s and die out after 10 s."""
    sines = [(0.6, 1.1, 0.0), (0.3, 2.7, 1.0), (0.1, 6.3, 2.0)]
    record = []
    for k in range(count):
        t = k * dt
        envelope = min(1.0, t / 2.0) * math.exp(-max(0.0, t - 10.0) / 5.0)
        record.append(GRAVITY * envelope * sum(a * math.sin(2 * math.pi * f * t + phase) for a, f, phase in sines))
    return record


def excite(steps, dt):
    """The ground moves in direction 1. The record outlasts the run: how a path ends is a matter of rounding in OpenSees."""
    ops.timeSeries("Path", 1, "-dt", dt, "-values", *ground(steps + 3, dt))
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)


def timed(steps, dt, every=None, sample=None):
    """One step, which factorises, then `steps` more: their seconds, OpenSees' return code, and `sample()` after `every` steps."""
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    ops.analyze(1, dt)
    seconds, code, done, history = 0.0, 0, 0, []
    while done < steps and code == 0:
        count = min(every or steps, steps - done)
        start = time.perf_counter()
        code = ops.analyze(count, dt)
        seconds += time.perf_counter() - start
        done += count
        if sample:
            history.append(sample())
    return seconds, code, history


def frame(bays, storeys, steps, system="BandGeneral", dt=0.01):
    """Linear planar frame: bays of 6 m, storeys of 3 m, E = 30 GPa, 25 kN/m3, columns 0.5 x 0.5, beams 0.3 x 0.6.

    Masses are lumped at the nodes: half of each member, with the rotary inertia half l^2 / 12. No damping.
    """
    modulus, density = 30e9, 25e3 / GRAVITY
    column = (0.25, 0.5**4 / 12, 3.0)
    beam = (0.18, 0.3 * 0.6**3 / 12, 6.0)

    def node(line, level):
        return level * (bays + 1) + line + 1

    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for level in range(storeys + 1):
        for line in range(bays + 1):
            ops.node(node(line, level), 6.0 * line, 3.0 * level)
    for line in range(bays + 1):
        ops.fix(node(line, 0), 1, 1, 1)
    ops.geomTransf("Linear", 1)
    members = [(node(i, k), node(i, k + 1), column) for k in range(storeys) for i in range(bays + 1)]
    members += [(node(i, k), node(i + 1, k), beam) for k in range(1, storeys + 1) for i in range(bays)]
    masses = {}
    for tag, (a, b, (area, inertia, length)) in enumerate(members, 1):
        ops.element("elasticBeamColumn", tag, a, b, area, modulus, inertia, 1)
        half = density * area * length / 2
        for n in (a, b):
            mass, rotary = masses.get(n, (0.0, 0.0))
            masses[n] = (mass + half, rotary + half * length**2 / 12)
    for n, (mass, rotary) in masses.items():
        ops.mass(n, mass, mass, rotary)
    excite(steps, dt)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system(system)
    ops.algorithm("Linear", "-factorOnce")
    seconds, code, _ = timed(steps, dt)
    return {
        "case": "frame", "bays": bays, "storeys": storeys, "dof": 3 * (bays + 1) * storeys, "system": system,
        "steps": steps, "seconds": seconds, "ok": code, "top": ops.nodeDisp(node(0, storeys), 1),
    }


def chain(storeys, steps, dt=0.001):
    """Shear building: 10 t and a Bouc-Wen spring per storey (4 MN/m, yield at 1 cm, 5 % hardening), full Newton."""
    stiffness, mass = 4.0e6, 1.0e4
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for level in range(storeys + 1):
        ops.node(level + 1, 0.0)
    ops.fix(1, 1)
    for k in range(1, storeys + 1):
        # alpha, k, n, gamma, beta, A0, deltaA, deltaNu, deltaEta
        ops.uniaxialMaterial("BoucWen", k, 0.05, stiffness, 1.0, 50.0, 50.0, 1.0, 0.0, 0.0, 0.0)
        ops.element("zeroLength", k, k, k + 1, "-mat", k, "-dir", 1)
        ops.mass(k + 1, mass)
    excite(steps, dt)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-10, 20)
    ops.algorithm("Newton")
    every = 50
    seconds, code, history = timed(steps, dt, every, lambda: ops.nodeDisp(storeys + 1, 1))
    return {
        "case": "chain", "dof": storeys, "steps": steps, "seconds": seconds, "ok": code,
        "top": ops.nodeDisp(storeys + 1, 1), "every": every, "history": history,
    }


def main():
    kind, *rest = sys.argv[1:] or [""]
    if kind == "frame" and len(rest) in (3, 4):
        result = frame(int(rest[0]), int(rest[1]), int(rest[2]), *rest[3:])
    elif kind == "chain" and len(rest) == 2:
        result = chain(int(rest[0]), int(rest[1]))
    else:
        raise SystemExit(__doc__)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
