# Two-bay, two-storey steel frame, members with plastic hinges at the ends (HingeRadau), corotational columns, earthquake.
# Units: N, m
import openseespy.opensees as ops
import numpy as np

E, fy, hard = 2.0e11, 345.0e6, 0.02


def wide_flange(tag, mat, d, tw, bf, tf, nw=6, nf=2):
    half = d / 2 - tf
    ops.section('Fiber', tag)
    ops.patch('rect', mat, nf, 1, -d / 2, -bf / 2, -half, bf / 2)
    ops.patch('rect', mat, nw, 1, -half, -tw / 2, half, tw / 2)
    ops.patch('rect', mat, nf, 1, half, -bf / 2, d / 2, bf / 2)
    A = 2 * bf * tf + 2 * half * tw
    I = (bf * d**3 - (bf - tw) * (2 * half) ** 3) / 12
    return A, I


ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
grid = np.array([0.0, 7.0, 14.0])
heights = np.array([0.0, 4.2, 7.8])
for k, y in enumerate(heights):
    for i, x in enumerate(grid):
        ops.node(int(10 * k + i), float(x), float(y))
ops.fixY(0.0, 1, 1, 1)

ops.uniaxialMaterial('Steel02', 1, fy, E, hard, 20.0, 0.925, 0.15, 0.0, 1.0, 0.0, 1.0)
Ac, Ic = wide_flange(1, 1, 0.36, 0.013, 0.37, 0.0208)
Ab, Ib = wide_flange(2, 1, 0.53, 0.0102, 0.21, 0.0156)
ops.section('Elastic', 11, E, Ac, Ic)
ops.section('Elastic', 12, E, Ab, Ib)
ops.geomTransf('Corotational', 1)
ops.geomTransf('Linear', 2)
ops.beamIntegration('HingeRadau', 1, 1, 0.36, 1, 0.36, 11)
ops.beamIntegration('HingeRadau', 2, 2, 0.53, 2, 0.53, 12)
ele = 0
for k in range(2):
    for i in range(3):
        ele += 1
        ops.element('forceBeamColumn', ele, 10 * k + i, 10 * (k + 1) + i, 1, 1)
for k in (1, 2):
    for i in range(2):
        ele += 1
        ops.element('forceBeamColumn', ele, 10 * k + i, 10 * k + i + 1, 2, 2)

masses = {1: 42.0e3, 2: 36.0e3}
ops.timeSeries('Constant', 1)
ops.pattern('Plain', 1, 1)
for k in (1, 2):
    for i in range(3):
        m = masses[k] * (0.5 if i != 1 else 1.0)
        ops.mass(10 * k + i, m, m, 1.0e-3)
        ops.load(10 * k + i, 0.0, -9.81 * m, 0.0)

ops.system('UmfPack')
ops.constraints('Plain')
ops.numberer('RCM')
ops.test('NormUnbalance', 1e-4, 30)
ops.algorithm('Newton')
ops.integrator('LoadControl', 1.0)
ops.analysis('Static')
ops.analyze(1)
ops.loadConst('-time', 0.0)
ops.wipeAnalysis()

lam = ops.eigen(2)
w1, w2 = np.sqrt(lam)
print('periods', 2 * np.pi / w1, 2 * np.pi / w2)
ag = 1.9 * 9.81 * np.loadtxt('records/valley-ns.txt')
ops.timeSeries('Path', 2, '-dt', 0.02, '-values', *ag)
ops.pattern('UniformExcitation', 3, 1, '-accel', 2)
ops.rayleigh(0.3, 0.0, 0.0012, 0.0)
ops.system('UmfPack')
ops.constraints('Plain')
ops.numberer('RCM')
ops.test('NormUnbalance', 1e-4, 30)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(800, 0.01), ops.nodeDisp(20, 1))
