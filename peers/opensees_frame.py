"""The planar frame of models/frame.toml in OpenSees: frequencies, and its motion in an earthquake.

3 bays of 6 m, 10 storeys of 3 m, fixed bases; columns 0.5 x 0.5 m, beams 0.3 x 0.6 m, one Euler-Bernoulli element
per member with consistent mass; Rayleigh damping of 5 % in modes 1 and 3; the ground moves in x with a peak of 0.2 g.
Newmark 1/4, 1/2 with steps of 0.01 s.

Frequencies are those of elasticBeamColumn. The motion is that of dispBeamColumn, the same matrices by quadrature: in
OpenSees 3.7.1 a plane elasticBeamColumn with -mass gets its inertia load under UniformExcitation twice (a rod of mass
m under constant acceleration a is pulled with m a instead of m a / 2 at its end; the space element is right).
The load is -(M iota) a with the mass that couples the free nodes to the supports, not only -M_ff iota a.

usage: python opensees_frame.py
Prints one JSON line: "omega" (rad/s, ten), "rayleigh" [of M, of K], "dt", "steps" and "top" (m: u_x of the node of
level 10, line 0) after these steps.
"""
import json
import math

import openseespy.opensees as ops

import motion

BAYS, STOREYS = 3, 10
E, DENSITY = 3.0e10, 25000.0 / 9.81
COLUMN = (0.5 * 0.5, 0.5**4 / 12.0)
BEAM = (0.3 * 0.6, 0.3 * 0.6**3 / 12.0)
PEAK, DT, STEPS, EVERY = 0.2 * 9.81, 0.01, 1000, 100


def node(level, line):
    return level * (BAYS + 1) + line + 1


def build(kind):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for level in range(STOREYS + 1):
        for line in range(BAYS + 1):
            ops.node(node(level, line), 6.0 * line, 3.0 * level)
    for line in range(BAYS + 1):
        ops.fix(node(0, line), 1, 1, 1)
    ops.geomTransf("Linear", 1)
    members = [(node(k, i), node(k + 1, i), COLUMN) for k in range(STOREYS) for i in range(BAYS + 1)]
    members += [(node(k, i), node(k, i + 1), BEAM) for k in range(1, STOREYS + 1) for i in range(BAYS)]
    sections = {COLUMN: 1, BEAM: 2}
    for (area, inertia), tag in sections.items():
        ops.section("Elastic", tag, E, area, inertia)
        ops.beamIntegration("Legendre", tag, tag, 3)
    for tag, (a, b, section) in enumerate(members, 1):
        area, inertia = section
        mass = ["-mass", DENSITY * area, "-cMass"]
        if kind == "elasticBeamColumn":
            ops.element(kind, tag, a, b, area, E, inertia, 1, *mass)
        else:
            ops.element(kind, tag, a, b, 1, sections[section], *mass)


def rayleigh(omega, ratio):
    """Factors of M and K for the same damping ratio in modes 1 and 3."""
    total = omega[0] + omega[2]
    return 2.0 * ratio * omega[0] * omega[2] / total, 2.0 * ratio / total


def main():
    build("elasticBeamColumn")
    omega = [math.sqrt(x) for x in ops.eigen(10)]
    of_m, of_k = rayleigh(omega, 0.05)
    build("dispBeamColumn")
    ops.rayleigh(of_m, 0.0, of_k, 0.0)
    ops.timeSeries("Path", 1, "-dt", motion.SAMPLING, "-values", *motion.samples(PEAK))
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.algorithm("Linear")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    steps, top = [], []
    for k in range(EVERY, STEPS + 1, EVERY):
        if ops.analyze(EVERY, DT) != 0:
            raise SystemExit("OpenSees could not make a step")
        steps.append(k)
        top.append(ops.nodeDisp(node(STOREYS, 0), 1))
    print(json.dumps({"omega": omega, "rayleigh": [of_m, of_k], "dt": DT, "steps": steps, "top": top}))


if __name__ == "__main__":
    main()
