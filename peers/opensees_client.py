"""OpenSees moves a specimen that Interfield serves, by its element genericClient, in eight integrator and damping cases.

usage: opensees_client.py INTERFIELD tcp|udp FOLDER      prints one line of JSON
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import openseespy.opensees as ops

HERE = pathlib.Path(__file__).resolve().parent
K1, K2, M1, M2 = 9.0, 4.0, 1.0, 0.5
DT, STEPS = 0.02, 500

# Name, damping of the upper spring, Rayleigh factor, settings of the analysis.
CASES = [
    ("Newmark", 0.0, 0.0, {}),
    ("Newmark, damping of the client", 0.15, 0.0, {}),
    ("Newmark, Rayleigh damping", 0.0, 0.02, {}),
    ("Newmark, initial stiffness", 0.0, 0.0, {"algorithm": ("ModifiedNewton", "-initial")}),
    ("AlphaOS", 0.0, 0.0, {"integrator": ("AlphaOS", 0.9), "algorithm": ("Linear", "-initial")}),
    ("NewmarkHSFixedNumIter", 0.0, 0.0,
     {"integrator": ("NewmarkHSFixedNumIter", 0.5, 0.25), "test": ("FixedNumIter", 5)}),
    ("KRAlphaExplicit", 0.0, 0.0, {"integrator": ("KRAlphaExplicit", 0.5), "algorithm": ("Linear",)}),
    ("NewmarkExplicit", 0.0, 0.0, {"integrator": ("NewmarkExplicit", 0.5), "algorithm": ("Linear",)}),
]


def serve(program, transport, model, output, *options, count=1):
    """Starts a server; where its specimens listen: one place, or a list of `count`."""
    command = [program, "serve", str(HERE / model), "--listen", transport + "://127.0.0.1:0", "--json"]
    command += ["-o", output + ".h5", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    remotes = []
    for _ in range(count):
        line = server.stderr.readline()
        if "://" not in line:
            sys.exit(line + server.stderr.read())
        remotes.append((int(line.rsplit(":", 1)[1]), "127.0.0.1") + (("-udp",) if transport == "udp" else ()))
    return server, remotes if count > 1 else remotes[0]


def nodes():
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for tag in (1, 2, 3):
        ops.node(tag, 0.0)
    ops.fix(1, 1)
    ops.mass(2, M1)
    ops.mass(3, M2)


def masses(*material):
    """The masses on the lower storey, a spring unless another material is given."""
    nodes()
    ops.uniaxialMaterial(*(material or ("Elastic", 1, K1)))
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1, "-doRayleigh", 1)


def upper(remote, damping):
    """The upper spring: OpenSees' own, or one that is served."""
    if remote is None:
        ops.uniaxialMaterial("Elastic", 2, K2, damping)
        ops.element("zeroLength", 2, 2, 3, "-mat", 2, "-dir", 1, "-doRayleigh", 1)
    else:
        ops.element("genericClient", 2, "-node", 2, 3, "-dof", 1, "-dof", 1, "-server", *remote)


def quake(rayleigh):
    if rayleigh:
        ops.rayleigh(rayleigh, 0.0, rayleigh, 0.0)
    values = [0.3 * 9.81 * math.sin(2.7 * i * DT) * math.exp(-0.1 * i * DT) for i in range(STEPS)]
    ops.timeSeries("Path", 1, "-dt", DT, "-values", *values)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)


def steps(integrator=("Newmark", 0.5, 0.25), algorithm=("Newton",), test=("NormUnbalance", 1e-12, 20), count=STEPS):
    """Displacements, velocity and acceleration after every step, and how long each took."""
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test(*test)
    ops.algorithm(*algorithm)
    ops.integrator(*integrator)
    ops.analysis("Transient")
    rows, times = [], []
    for step in range(count):
        start = time.perf_counter()
        if ops.analyze(1, DT) != 0:
            sys.exit("%s: step %d failed" % (integrator[0], step))
        times.append(time.perf_counter() - start)
        rows.append([ops.nodeDisp(2, 1), ops.nodeDisp(3, 1), ops.nodeVel(3, 1), ops.nodeAccel(3, 1)])
    return rows, times


def finish(server):
    ops.wipe()  # The element says that it is over.
    said, errors = server.communicate(timeout=60)
    if server.returncode != 0:
        sys.exit("interfield serve: exit code %d\n%s%s" % (server.returncode, said, errors))
    return json.loads(said)


def compare(number, case, program, transport, folder):
    name, damping, rayleigh, settings = case
    masses()
    upper(None, damping)
    quake(rayleigh)
    own, _ = steps(**settings)
    output = "%s/%s-%d" % (folder, transport, number)
    server, remote = serve(program, transport, "link.toml", output, "--add-damping", "%r s" % (damping / K2))
    masses()
    upper(remote, damping)
    quake(rayleigh)
    hybrid, times = steps(**settings)
    said = finish(server)
    return {
        "name": name,
        "difference": max(abs(a - b) for x, y in zip(own, hybrid) for a, b in zip(x, y)),
        "largest": max(abs(a) for x in own for a in x),
        "median_us": 1e6 * statistics.median(times),
        "moves": said["moves"],
        "commits": said["commits"],
        "answer_us": said["answering"]["p50"],
        "verdict": said["laboratory"][0]["verdict"],
    }


def hysteretic(program, transport, folder):
    """Free vibration with yielding storeys: what Interfield itself computes with the scheme `newmark`."""
    server, remote = serve(program, transport, "hysteretic.toml", "%s/%s-hysteretic" % (folder, transport))
    masses("Steel01", 1, 0.02 * K1, K1, 0.05)
    upper(remote, 0.0)
    # The first move of a client is a slow ramp; asked where the specimen stands, it has been made, and the first step is a step.
    ops.eleForce(2)
    ops.setNodeVel(3, 1, 3.0, "-commit")
    # Without -initial the tangent of the lower storey follows its yielding, and the predictor is not that of the method.
    rows, _ = steps(integrator=("AlphaOS", 1.0), algorithm=("Linear", "-initial"))
    said = finish(server)
    return {"m1": [r[0] for r in rows], "m2": [r[1] for r in rows], "moves": said["moves"]}


def both(program, transport, folder):
    """Both springs are specimens of one server: how far from OpenSees' own springs."""
    settings = {"integrator": ("AlphaOS", 0.9), "algorithm": ("Linear", "-initial")}
    masses()
    upper(None, 0.0)
    quake(0.0)
    own, _ = steps(**settings)
    server, (lower, higher) = serve(program, transport, "both.toml", "%s/%s-both" % (folder, transport), count=2)
    nodes()
    ops.element("genericClient", 1, "-node", 2, "-dof", 1, "-server", *lower)
    upper(higher, 0.0)
    quake(0.0)
    hybrid, _ = steps(**settings)
    said = finish(server)
    return {
        "difference": max(abs(a - b) for x, y in zip(own, hybrid) for a, b in zip(x, y)),
        "commits": [s["commits"] for s in said["specimens"]],
        "verdicts": [s["verdict"] for s in said["laboratory"]],
    }


def main(program, transport, folder):
    cases = [compare(i, case, program, transport, folder) for i, case in enumerate(CASES)]
    storey = hysteretic(program, transport, folder)
    two = both(program, transport, folder)
    print(json.dumps({"dt": DT, "steps": STEPS, "cases": cases, "hysteretic": storey, "both": two}))


if __name__ == "__main__":
    main(*sys.argv[1:])
