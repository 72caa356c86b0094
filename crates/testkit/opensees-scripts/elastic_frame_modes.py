# Elastic four-storey frame: modes, Rayleigh damping from the eigenvalues, harmonic load and earthquake at once.
# Units: kN, m, t
import openseespy.opensees as ops
from math import sqrt, pi

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
ops.geomTransf('Linear', 1)
storeys, bays, h, l = 4, 2, 3.1, 5.5
for k in range(storeys + 1):
    for i in range(bays + 1):
        ops.node(100 * k + i + 1, l * i, h * k)
        if k == 0:
            ops.fix(i + 1, 1, 1, 1)
        else:
            ops.mass(100 * k + i + 1, 14.0, 14.0, 0.0)
ops.section('Elastic', 1, 3.0e7, 0.16, 2.13e-3)
ops.beamIntegration('Lobatto', 1, 1, 3)
tag = 0
for k in range(storeys):
    for i in range(bays + 1):
        tag += 1
        ops.element('elasticBeamColumn', tag, 100 * k + i + 1, 100 * (k + 1) + i + 1, 1, 1)
for k in range(1, storeys + 1):
    for i in range(bays):
        tag += 1
        ops.element('forceBeamColumn', tag, 100 * k + i + 1, 100 * k + i + 2, 1, 1)

lam = ops.eigen(3)
w = [sqrt(v) for v in lam]
print('periods:', ['%.4f s' % (2 * pi / v) for v in w])
xi = 0.03
a0 = 2 * xi * w[0] * w[2] / (w[0] + w[2])
a1 = 2 * xi / (w[0] + w[2])
ops.rayleigh(a0, 0.0, a1, 0.0)

ops.timeSeries('Path', 1, '-dt', 0.01, '-filePath', 'records/short.txt', '-factor', 0.5 * 9.81)
ops.pattern('UniformExcitation', 1, 1, '-accel', 1)
ops.timeSeries('Trig', 2, 0.0, 3.0, 0.5, '-factor', 25.0)
ops.pattern('Plain', 2, 2)
ops.load(401, 1.0, 0.0, 0.0)
ops.constraints('Plain')
ops.numberer('RCM')
ops.system('BandSPD')
ops.algorithm('Linear')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(500, 0.01), ops.nodeDisp(401, 1))
