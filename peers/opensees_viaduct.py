"""The Rio Torto viaduct of models/rio-torto-as-built.toml and rio-torto-isolated.toml in OpenSees, in one piece.

Units m, t, kN, s; the deck along x, motion along y. Frequencies of both; for the isolated bridge also its motion, with
Newton iterations at every step: Newmark 1/4, 1/2, and a bilinear law for the isolators (elastic-perfectly plastic beside elastic).
Damping a0 M + a1 K with the stiffness of deck, bearings and piers, not of the isolators (a zeroLength takes part only with -doRayleigh).

usage: python opensees_viaduct.py DURATION STEPS_PER_SECOND...
Prints one JSON line: "omega" (rad/s, by case: all of "as-built", "isolated") and "runs", a list of
{"per_second", "deck": displacement in m of the deck at pier 9, "pier": of the top of that pier} 64 times per second.
"""
import json
import math
import sys

import openseespy.opensees as ops

SPANS = [29.0] + [33.0] * 11 + [29.0]
E, G, A, I_TRANSVERSE, I_VERTICAL, J = 34e6, 34e6 / 2.4, 4.63, 51.90, 3.45, 0.10
MASS_PER_LENGTH = 4.63 * 2.5 + 3.0
SEAT, ROLL = 2e6, 2.5e7
A0, A1 = 0.16, 6e-4
HINGED = (2, 7, 12)
PIER_MASS = [54.1, 46.5, 50.4, 54.5, 58.7, 62.8, 65.5, 60.5, 53.9, 48.4, 55.1, 52.8]
PIER_K = [31450, 37030, 19440, 11200, 6970, 4700, 3710, 5810, 11940, 26740, 27820, 37240]
ISOLATOR_K = [570e3] + [400e3] * 7 + [347.2e3, 400e3, 573.9e3, 570e3]
ISOLATOR_MASS, FRICTION, RADIUS, GRAVITY = 0.001, 0.04, 3.0, 9.81
SAMPLES_PER_SECOND = 64
Y = 2


def ground(t):
    """Ground acceleration, m/s2: twelve sines under an envelope."""
    if t <= 0.0:
        return 0.0
    envelope = math.sin(math.pi * t / 2.0) ** 2 if t < 1.0 else 1.0 if t <= 6.0 else math.exp(-(t - 6.0) / 2.0)
    frequencies = [0.5 * 1.25**i for i in range(12)]
    sines = [math.sin(2 * math.pi * f * t + (i + 1) ** 2) / (1 + (f / 3.0) ** 2) for i, f in enumerate(frequencies)]
    return 0.55 * envelope * sum(sines)


def deck(node):
    return node + 1


def top(pier):
    return 100 + pier


def build(isolated):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    last = len(SPANS)
    tags = iter(range(1, 1000))
    spring = {}

    def elastic(k):
        if k not in spring:
            spring[k] = next(tags)
            ops.uniaxialMaterial("Elastic", spring[k], k)
        return spring[k]

    def link(a, b, materials, directions, damped):
        ops.element("zeroLength", next(tags), a, b, "-mat", *materials, "-dir", *directions, "-doRayleigh", int(damped))

    x = 0.0
    for n in range(last + 1):
        around = (SPANS[n - 1] if n > 0 else 0.0) + (SPANS[n] if n < last else 0.0)
        m = MASS_PER_LENGTH * around / 2.0
        ry, rz = m * I_VERTICAL / A, m * I_TRANSVERSE / A
        ops.node(deck(n), x, 0.0, 0.0)
        if n in (0, last):
            ops.fix(deck(n), 1, 1, 1, 1, 0, 0)
            ops.mass(deck(n), 0.0, 0.0, 0.0, 0.0, ry, rz)
        else:
            ops.node(1000 + n, x, 0.0, 0.0)
            ops.fix(1000 + n, 1, 1, 1, 1, 1, 1)
            moved = m + (ISOLATOR_MASS if isolated else PIER_MASS[n - 1])
            ops.mass(deck(n), m, moved, m, ry + rz, ry, rz)
            link(1000 + n, deck(n), [elastic(SEAT), elastic(ROLL)], [3, 4], True)
            k = PIER_K[n - 1]
            if isolated:
                ops.node(top(n), x, 0.0, 0.0)
                ops.fix(top(n), 1, 0, 1, 1, 1, 1)
                ops.mass(top(n), 0.0, PIER_MASS[n - 1], 0.0, 0.0, 0.0, 0.0)
                link(1000 + n, top(n), [elastic(k)], [Y], True)
                initial, weight = ISOLATOR_K[n - 1], GRAVITY * m
                share = weight / RADIUS / initial
                yields = FRICTION * weight / (initial * (1.0 - share))
                sliding, law = next(tags), next(tags)
                ops.uniaxialMaterial("ElasticPP", sliding, initial * (1.0 - share), yields)
                ops.uniaxialMaterial("Parallel", law, sliding, elastic(initial * share))
                link(top(n), deck(n), [law], [Y], False)
            else:
                link(1000 + n, deck(n), [elastic(k)], [Y], True)
        x += SPANS[n] if n < last else 0.0
    ops.geomTransf("Linear", 1, 0.0, 0.0, 1.0)
    for span in range(1, last + 1):
        hinge = ["-releasez", 2] if not isolated and span in HINGED else []
        ops.element("elasticBeamColumn", next(tags), deck(span - 1), deck(span), A, E, G, J, I_VERTICAL, I_TRANSVERSE, 1, *hinge)


def frequencies(isolated, count):
    build(isolated)
    return [math.sqrt(value) for value in sorted(ops.eigen("-fullGenLapack", count))]


def motion(duration, per_second):
    build(True)
    ops.rayleigh(A0, 0.0, A1, 0.0)
    steps = round(duration * per_second)
    # The record outlasts the run: how a path ends is a matter of rounding in OpenSees.
    ops.timeSeries("Path", 1, "-dt", 1.0 / per_second, "-values", *[ground(k / per_second) for k in range(steps + 3)])
    ops.pattern("UniformExcitation", 1, Y, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-12, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    every = per_second // SAMPLES_PER_SECOND
    run = {"per_second": per_second, "deck": [], "pier": []}
    for _ in range(steps // every):
        if ops.analyze(every, 1.0 / per_second) != 0:
            raise SystemExit("OpenSees could not make a step")
        run["deck"].append(ops.nodeDisp(deck(9), Y))
        run["pier"].append(ops.nodeDisp(top(9), Y))
    return run


def main():
    duration, *rates = sys.argv[1:]
    omega = {"as-built": frequencies(False, 76), "isolated": frequencies(True, 88)}
    print(json.dumps({"omega": omega, "runs": [motion(float(duration), int(rate)) for rate in rates]}))


if __name__ == "__main__":
    main()
