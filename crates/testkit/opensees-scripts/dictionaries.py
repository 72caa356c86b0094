#!/usr/bin/env python3
# A frame from a data file: dictionaries, classes, numpy, generators; modes, then free vibration from a pull-back.
# Units: kN, m, t (from frame_data.json)
import json
import sys
from pathlib import Path

import numpy as np
import openseespy.opensees as ops

HERE = Path(__file__).resolve().parent
data = json.loads((HERE / 'frame_data.json').read_text())


class Frame:
    def __init__(self, data):
        self.data = data
        self.x = np.concatenate([[0.0], np.cumsum(data['bays'])])
        self.y = np.concatenate([[0.0], np.cumsum(data['storeys'])])

    def tag(self, floor, line):
        return 100 * (floor + 1) + line

    def build(self):
        ops.wipe()
        ops.model('basic', '-ndm', 2, '-ndf', 3)
        coordinates = {self.tag(k, i): (x, y) for k, y in enumerate(self.y) for i, x in enumerate(self.x)}
        for tag, xy in coordinates.items():
            ops.node(tag, *xy)
        for i in range(len(self.x)):
            ops.fix(self.tag(0, i), *[1, 1, 1])
        ops.geomTransf('PDelta', 1)
        ops.geomTransf('Linear', 2)
        for number, (i, j, kind, transf) in enumerate(self.members(), start=1):
            s = self.data['sections'][kind]
            ops.element('elasticBeamColumn', number, i, j, s['A'], self.data['E'], s['I'], transf)
        for k, m in enumerate(self.data['floor_mass'], start=1):
            share = np.full(len(self.x), m / len(self.x))
            for i, mi in enumerate(share):
                ops.mass(self.tag(k, i), *[mi, mi, 0.0])

    def members(self):
        for k in range(len(self.y) - 1):
            for i in range(len(self.x)):
                yield self.tag(k, i), self.tag(k + 1, i), 'C1', 1
        for k in range(1, len(self.y)):
            for i in range(len(self.x) - 1):
                yield self.tag(k, i), self.tag(k, i + 1), 'B1', 2


frame = Frame(data)
frame.build()
roof = frame.tag(2, 0)
omega = np.sqrt(np.array(ops.eigen('-genBandArpack', 2)))
print('f =', omega / 2 / np.pi, 'Hz', file=sys.stderr)
zeta = np.array([0.02, 0.02])
A = 0.5 * np.array([[1 / omega[0], omega[0]], [1 / omega[1], omega[1]]])
a0, a1 = np.linalg.solve(A, zeta)
ops.rayleigh(a0, 0.0, a1, 0.0)

ops.timeSeries('Path', 1, '-time', *np.array([0.0, 0.4, 0.41, 10.0]), '-values', *np.array([0.0, 1.0, 0.0, 0.0]))
ops.pattern('Plain', 1, 1)
ops.load(roof, *[60.0, 0.0, 0.0])
for command, arguments in dict(constraints=['Plain'], numberer=['RCM'], system=['BandGeneral'],
                               test=['NormDispIncr', 1e-13, 10], algorithm=['Newton'],
                               integrator=['Newmark', 0.5, 0.25], analysis=['Transient']).items():
    getattr(ops, command)(*arguments)
history = []
for step in range(600):
    ops.analyze(1, 0.005)
    history.append(ops.nodeDisp(roof, 1))
print('peak', float(np.abs(history).max()), 'm')
