"""Two storeys as springs of OpenSees, moved through one adapter: a substructure of storeys.toml. SI.

usage: opensees_storeys.py linear|steel [--udp] [--kill-after N]
"""

import os
import signal
import sys

import openseespy.opensees as ops

PORT = int(os.environ["INTERFIELD_PORT"])
STIFFNESS = [float(k) for k in os.environ["INTERFIELD_ADAPTER_STIFFNESS"].split()]
# Stiffness, N/m, and yield force, N, of the storeys, as in xtask/src/opensees/external.rs.
STOREYS = [(4e6, 4e4), (3e6, 3e4)]
HARDENING = 0.05

ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(0, 0.0)
ops.fix(0, 1)
for i, (k, fy) in enumerate(STOREYS, start=1):
    ops.node(i, 0.0)
    if sys.argv[1] == "steel":
        ops.uniaxialMaterial("Steel01", i, fy, k, HARDENING)
    else:
        ops.uniaxialMaterial("Elastic", i, k)
    ops.element("zeroLength", i, i - 1, i, "-mat", i, "-dir", 1)
options = ["-udp"] if "--udp" in sys.argv else []
ops.element("adapter", 10, "-node", 1, 2, "-dof", 1, "-dof", 1, "-stif", *STIFFNESS, PORT, *options)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1e-15, 50)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static", "-noWarnings")
if "--kill-after" in sys.argv:
    ops.analyze(int(sys.argv[sys.argv.index("--kill-after") + 1]))
    os.kill(os.getpid(), signal.SIGKILL)
ops.analyze(10**9)
