# Quasi-static cyclic test of a steel cantilever by a drift protocol, as laboratories run it.
# Units: kN, m
import openseespy.opensees as ops
import numpy as np


def protocol(levels, repeats):
    """Peaks of the protocol, two per cycle."""
    peaks = []
    for level in levels:
        for _ in range(repeats):
            peaks += [level, -level]
    return peaks + [0.0]


def cyclic(node, dof, peaks, increment):
    now, history = 0.0, []
    for peak in peaks:
        n = max(1, int(round(abs(peak - now) / increment)))
        ops.integrator('DisplacementControl', node, dof, (peak - now) / n)
        ops.analysis('Static')
        for _ in range(n):
            ok = ops.analyze(1)
            if ok != 0:
                ops.test('NormDispIncr', 1e-8, 400)
                ops.algorithm('ModifiedNewton')
                ok = ops.analyze(1)
                ops.test('NormDispIncr', 1e-11, 40)
                ops.algorithm('Newton')
            if ok != 0:
                return history
            history.append((ops.nodeDisp(node, dof), ops.getLoadFactor(2)))
        now = peak
    return history


ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
L = 2.4
ops.node(1, 0, 0)
ops.node(2, 0, L)
ops.fix(1, 1, 1, 1)
ops.uniaxialMaterial('Steel02', 1, 355.0e3, 2.1e8, 0.015, 18.5, 0.925, 0.15)
ops.section('Fiber', 1)
ops.patch('rect', 1, 4, 1, -0.15, -0.15, -0.131, 0.15)
ops.patch('rect', 1, 12, 1, -0.131, -0.0055, 0.131, 0.0055)
ops.patch('rect', 1, 4, 1, 0.131, -0.15, 0.15, 0.15)
ops.geomTransf('Corotational', 1)
ops.beamIntegration('Lobatto', 1, 1, 6)
ops.element('forceBeamColumn', 1, 1, 2, 1, 1)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.load(2, 0.0, -700.0, 0.0)
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('BandGeneral')
ops.test('NormDispIncr', 1e-11, 40)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.25)
ops.analysis('Static')
ops.analyze(4)
ops.loadConst('-time', 0.0)
ops.pattern('Plain', 2, 1)
ops.load(2, 1.0, 0.0, 0.0)
points = cyclic(2, 1, protocol([0.012, 0.024, 0.048, 0.072], 2), 0.0012)
u, F = np.array(points).T
print(len(u), 'points, largest force', F.max(), 'kN')
