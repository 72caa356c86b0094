"""OpenSees on the fibre frames of `cargo xtask bench frames` (crates/testkit/src/fibre_frames.rs), number for number.

usage: python opensees_fibre_frames.py rc|steel newton|linear STEPS DT EVERY
Prints one JSON line: equations, steps, seconds of the stepping loop alone, Newton iterations per step, return code, and the sway of
the roof every EVERY steps. One step is taken before the clock starts.
"""
import json
import math
import sys
import time

import openseespy.opensees as ops

SAMPLE = 0.01


def ground(count, scale):
    """Three sines that grow for 2 s and die out after 10 s, as in opensees_frames.py."""
    sines = [(0.6, 1.1, 0.0), (0.3, 2.7, 1.0), (0.1, 6.3, 2.0)]
    record = []
    for k in range(count):
        t = k * SAMPLE
        envelope = min(1.0, t / 2.0) * math.exp(-max(0.0, t - 10.0) / 5.0)
        record.append(scale * 9.81 * envelope * sum(a * math.sin(2 * math.pi * f * t + p) for a, f, p in sines))
    return record


def plane(bays, storeys, width, height, mass, column, beam):
    """Nodes, equal floors, masses and gravity; column(tag, i, j) and beam(tag, i, j) add the members."""
    node = lambda level, line: 100 * level + line + 1
    for level in range(storeys + 1):
        for line in range(bays + 1):
            ops.node(node(level, line), width * line, height * level)
            share = 1e3 * mass * (0.5 if line in (0, bays) else 1.0)
            if level == 0:
                ops.fix(node(level, line), 1, 1, 1)
            else:
                ops.mass(node(level, line), share, share, 0.0)
    for level in range(1, storeys + 1):
        for line in range(1, bays + 1):
            ops.equalDOF(node(level, 0), node(level, line), 1)
    for level in range(storeys):
        for line in range(bays + 1):
            column(1000 * (level + 1) + line, node(level, line), node(level + 1, line))
    for level in range(1, storeys + 1):
        for line in range(bays):
            beam(100000 + 1000 * level + line, node(level, line), node(level, line + 1))
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    for level in range(1, storeys + 1):
        for line in range(bays + 1):
            share = 1e3 * mass * (0.5 if line in (0, bays) else 1.0)
            ops.load(node(level, line), 0.0, -9.81 * share, 0.0)
    return node(storeys, 0)


def rc():
    ops.uniaxialMaterial("Concrete01", 1, -36e6, -0.003, -25e6, -0.02)
    ops.uniaxialMaterial("Concrete01", 2, -30e6, -0.002, -5e6, -0.006)
    ops.uniaxialMaterial("Steel02", 3, 420e6, 200e9, 0.01, 18.0, 0.925, 0.15)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 10, 1, -0.25, -0.25, 0.25, 0.25)
    ops.patch("rect", 2, 6, 1, -0.30, -0.30, -0.25, 0.30)
    ops.patch("rect", 2, 6, 1, 0.25, -0.30, 0.30, 0.30)
    ops.patch("rect", 2, 5, 1, -0.25, -0.30, 0.25, -0.25)
    ops.patch("rect", 2, 5, 1, -0.25, 0.25, 0.25, 0.30)
    ops.layer("straight", 3, 3, 800e-6, -0.25, -0.25, -0.25, 0.25)
    ops.layer("straight", 3, 2, 800e-6, 0.0, -0.25, 0.0, 0.25)
    ops.layer("straight", 3, 3, 800e-6, 0.25, -0.25, 0.25, 0.25)
    ops.geomTransf("PDelta", 1)
    ops.geomTransf("Linear", 2)
    ops.beamIntegration("Lobatto", 1, 1, 5)
    column = lambda tag, i, j: ops.element("forceBeamColumn", tag, i, j, 1, 1)
    beam = lambda tag, i, j: ops.element("elasticBeamColumn", tag, i, j, 0.18, 27e9, 0.0054, 2)
    return plane(3, 10, 6.0, 3.2, 30.0, column, beam), (0.25, 0.0015), 0.45


def steel():
    sizes = [(1, 345e6, 0.36, 0.37, 0.022, 0.014), (2, 275e6, 0.5, 0.2, 0.016, 0.0102)]
    for tag, fy, d, b, flange, web in sizes:
        ops.uniaxialMaterial("Steel02", tag, fy, 200e9, 0.01, 20.0, 0.925, 0.15)
        ops.section("Fiber", tag)
        outside, inside = 0.5 * d, 0.5 * d - flange
        ops.patch("rect", tag, 2, 1, -outside, -0.5 * b, -inside, 0.5 * b)
        ops.patch("rect", tag, 6, 1, -inside, -0.5 * web, inside, 0.5 * web)
        ops.patch("rect", tag, 2, 1, inside, -0.5 * b, outside, 0.5 * b)
        ops.beamIntegration("Lobatto", tag, tag, 5)
    ops.geomTransf("PDelta", 1)
    ops.geomTransf("Linear", 2)
    column = lambda tag, i, j: ops.element("forceBeamColumn", tag, i, j, 1, 1)
    beam = lambda tag, i, j: ops.element("forceBeamColumn", tag, i, j, 2, 2)
    return plane(3, 5, 7.0, 4.0, 20.0, column, beam), (0.2, 0.001), 0.7


def solver(algorithm):
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-8, 50)
    ops.algorithm(algorithm)


def main(kind, algorithm, steps, dt, every):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    roof, (a0, a1), scale = {"rc": rc, "steel": steel}[kind]()
    solver("Newton")
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    code = ops.analyze(10)
    ops.loadConst("-time", 0.0)
    ops.wipeAnalysis()
    ops.rayleigh(a0, 0.0, a1, 0.0)
    ops.timeSeries("Path", 2, "-dt", SAMPLE, "-values", *ground(int(steps * dt / SAMPLE) + 3, scale))
    ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
    solver({"newton": "Newton", "linear": "Linear"}[algorithm])
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    code = code or ops.analyze(1, dt)
    seconds, cpu, done, history = 0.0, 0.0, 1, []
    while done < steps and code == 0:
        count = min(every - done % every, steps - done)
        start, started = time.perf_counter(), time.process_time()
        code = ops.analyze(count, dt)
        seconds += time.perf_counter() - start
        cpu += time.process_time() - started
        done += count
        if done % every == 0:
            history.append(ops.nodeDisp(roof, 1))
    print(json.dumps({"ok": code, "steps": steps - 1, "seconds": seconds, "cpu": cpu, "history": history, "equations": ops.systemSize()}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
