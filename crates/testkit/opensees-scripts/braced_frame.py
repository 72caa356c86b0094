# One-bay, two-storey frame with corotational truss braces in an X; pinned beams; earthquake by Newmark.
# Units: kN, mm, s (mass in kN s2/mm)
import openseespy.opensees as op
from math import pi, sqrt

op.wipe()
op.model('basic', '-ndm', 2, '-ndf', 3)
L, H = 6000.0, 3500.0
xy = {1: (0, 0), 2: (L, 0), 3: (0, H), 4: (L, H), 5: (0, 2 * H), 6: (L, 2 * H)}
for tag, (x, y) in xy.items():
    op.node(tag, float(x), float(y))
op.fix(1, 1, 1, 0)
op.fix(2, 1, 1, 0)
weight = 380.0
m = weight / 9810.0
for tag in (3, 4, 5, 6):
    op.mass(tag, m, m, 0.0)

op.uniaxialMaterial('Steel02', 1, 0.275, 205.0, 0.01, 20, 0.925, 0.15)
op.uniaxialMaterial('ElasticPP', 2, 205.0, 0.275 / 205.0)
op.geomTransf('Corotational', 1)
op.geomTransf('Linear', 2)
for tag, (i, j) in enumerate([(1, 3), (3, 5), (2, 4), (4, 6)], start=1):
    op.element('elasticBeamColumn', tag, i, j, 1.13e4, 205.0, 1.43e8, 1)
for tag, (i, j) in enumerate([(3, 4), (5, 6)], start=11):
    op.element('elasticBeamColumn', tag, i, j, 8.5e3, 205.0, 2.3e8, 2)
for tag, (i, j, mat) in enumerate([(1, 4, 1), (2, 3, 1), (3, 6, 2), (4, 5, 2)], start=21):
    op.element('corotTruss', tag, i, j, 1450.0 if tag < 23 else 1100.0, mat, '-rho', 0.0)

op.timeSeries('Linear', 1)
op.pattern('Plain', 1, 1)
for tag in (3, 4, 5, 6):
    op.load(tag, 0.0, -weight, 0.0)
op.constraints('Plain')
op.numberer('Plain')
op.system('ProfileSPD')
op.test('NormDispIncr', 1e-10, 25)
op.algorithm('Newton')
op.integrator('LoadControl', 0.2)
op.analysis('Static')
op.analyze(5)
op.loadConst('-time', 0.0)

lam = op.eigen('-fullGenLapack', 2)
print('T =', [2 * pi / sqrt(v) for v in lam])
op.wipeAnalysis()
op.timeSeries('Path', 2, '-dt', 0.01, '-filePath', 'records/short.txt', '-factor', 0.75 * 9810.0)
op.pattern('UniformExcitation', 2, 1, '-accel', 2)
zeta = 0.02
w1, w2 = 15.3, 43.0
op.rayleigh(2 * zeta * w1 * w2 / (w1 + w2), 0.0, 2 * zeta / (w1 + w2), 0.0)
op.constraints('Plain')
op.numberer('Plain')
op.system('ProfileSPD')
op.test('NormDispIncr', 1e-10, 25)
op.algorithm('Newton')
op.integrator('Newmark', 0.5, 0.25)
op.analysis('Transient')
print('ok', op.analyze(1200, 0.005), op.nodeDisp(5, 1))
