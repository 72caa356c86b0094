"""Two-storey steel frame in OpenSees, moved floor by floor through one adapter: a substructure of opensees-frame.toml.

Units kN, mm, s. Started by `interfield run`, which says where to listen and how stiff the adapter is. All masses are in
the model file: this is the static part of the frame, and each step of its analysis is a displacement that was sent.
"""

import os
import sys

try:
    import openseespy.opensees as ops
except ImportError as missing:
    sys.exit(f"openseespy cannot be imported: {missing}\ninstall it with `{sys.executable} -m pip install openseespy`")

PORT = int(os.environ["INTERFIELD_PORT"])
STIFFNESS = [float(k) for k in os.environ["INTERFIELD_ADAPTER_STIFFNESS"].split()]
BAY, STOREY = 6000.0, 3500.0

ops.model("basic", "-ndm", 2, "-ndf", 3)
for floor in range(3):
    for axis in range(2):
        ops.node(10 * floor + axis, axis * BAY, floor * STOREY)
ops.fix(0, 1, 1, 1)
ops.fix(1, 1, 1, 1)
for floor in (1, 2):
    ops.equalDOF(10 * floor, 10 * floor + 1, 1)

# S235 with one percent of hardening; columns HEB 200, beams IPE 360 as fibres.
ops.uniaxialMaterial("Steel01", 1, 0.235, 210.0, 0.01)


def section(tag, height, width, web, flange):
    ops.section("Fiber", tag)
    ops.patch("rect", 1, 2, 1, -height / 2, -width / 2, -height / 2 + flange, width / 2)
    ops.patch("rect", 1, 8, 1, -height / 2 + flange, -web / 2, height / 2 - flange, web / 2)
    ops.patch("rect", 1, 2, 1, height / 2 - flange, -width / 2, height / 2, width / 2)
    ops.beamIntegration("Lobatto", tag, tag, 5)


section(1, 200.0, 200.0, 9.0, 15.0)
section(2, 360.0, 170.0, 8.0, 12.7)
ops.geomTransf("Linear", 1)
for floor in (1, 2):
    for axis in range(2):
        ops.element("forceBeamColumn", 10 * floor + axis, 10 * (floor - 1) + axis, 10 * floor + axis, 1, 1)
    ops.element("forceBeamColumn", 100 + floor, 10 * floor, 10 * floor + 1, 1, 2)

# One adapter over all degrees of freedom, in the order of `dofs`: OpenSees waits here until we have connected.
ops.element("adapter", 200, "-node", 10, 20, "-dof", 1, "-dof", 1, "-stif", *STIFFNESS, PORT)

ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormUnbalance", 1e-7, 50)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static", "-noWarnings")
# More steps than will ever be asked for: it ends when it is told to.
ops.analyze(10**9)
