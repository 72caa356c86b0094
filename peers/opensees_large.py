"""OpenSees on the space frames of `cargo xtask bench large`: columns 0.5 m x 0.5 m, beams 0.3 m x 0.6 m, lumped masses.

usage: python opensees_large.py BAYS STOREYS STEPS SYSTEM
Prints one JSON line: unknowns, seconds until the first step is done (the model is built, the matrix factorised), seconds per
step after it.
"""
import json
import math
import sys
import time

import openseespy.opensees as ops


def main():
    bays, storeys, steps, system = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    begin = time.perf_counter()
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    e, density = 30e9, 25e3 / 9.81
    lines = bays + 1

    def tag(i, j, level):
        return (level * lines + j) * lines + i + 1

    masses = {}
    for level in range(storeys + 1):
        for j in range(lines):
            for i in range(lines):
                ops.node(tag(i, j, level), 6.0 * i, 6.0 * j, 3.0 * level)
                if level == 0:
                    ops.fix(tag(i, j, level), 1, 1, 1, 1, 1, 1)
    ops.geomTransf("Linear", 1, 0.0, 1.0, 0.0)
    ops.geomTransf("Linear", 2, 0.0, 0.0, 1.0)
    column = (0.25, 0.141 * 0.5**4, 0.5**4 / 12, 0.5**4 / 12)
    beam = (0.18, 0.229 * 0.6 * 0.3**3, 0.3 * 0.6**3 / 12, 0.6 * 0.3**3 / 12)
    count = 0

    def member(a, b, section, length, transformation):
        nonlocal count
        count += 1
        area, torsion, iy, iz = section
        ops.element("elasticBeamColumn", count, a, b, area, e, e / 2.4, torsion, iy, iz, transformation)
        half = density * area * length / 2
        for node in (a, b):
            masses[node] = masses.get(node, 0.0) + half

    for level in range(storeys + 1):
        for j in range(lines):
            for i in range(lines):
                if level < storeys:
                    member(tag(i, j, level), tag(i, j, level + 1), column, 3.0, 1)
                if level > 0 and i < bays:
                    member(tag(i, j, level), tag(i + 1, j, level), beam, 6.0, 2)
                if level > 0 and j < bays:
                    member(tag(i, j, level), tag(i, j + 1, level), beam, 6.0, 2)
    for node, mass in masses.items():
        ops.mass(node, mass, mass, mass, mass, mass, mass)
    dt = 0.01
    ops.timeSeries("Path", 1, "-dt", dt, "-values", *[math.sin(0.07 * k) for k in range(steps + 3)])
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("AMD" if system in ("SparseSYM", "Umfpack", "UmfPack", "SuperLU") else "RCM")
    ops.system(system)
    ops.algorithm("Linear", "-factorOnce")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    ok = ops.analyze(1, dt)
    ready = time.perf_counter()
    ok = ok or ops.analyze(steps, dt)
    seconds = time.perf_counter() - ready
    print(json.dumps({"ok": ok, "unknowns": 6 * lines * lines * storeys, "setup": ready - begin, "step": seconds / steps}))


main()
