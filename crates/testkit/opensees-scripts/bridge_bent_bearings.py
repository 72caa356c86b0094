# Two-column bridge bent under a deck on elastomeric bearings: circular fibre columns, transverse earthquake.
# Units: N, m
import openseespy.opensees as ops
import math

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
clear, spacing = 6.5, 5.0
ops.node(1, 0.0, 0.0)
ops.node(2, spacing, 0.0)
ops.node(3, 0.0, clear)
ops.node(4, spacing, clear)
ops.node(5, 0.0, clear)        # deck above each column
ops.node(6, spacing, clear)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)

ops.uniaxialMaterial('Concrete01', 1, -42.0e6, -0.0045, -34.0e6, -0.02)
ops.uniaxialMaterial('Concrete01', 2, -32.0e6, -0.002, 0.0, -0.006)
ops.uniaxialMaterial('Steel02', 3, 475.0e6, 2.0e11, 0.01, 18.5, 0.925, 0.15)
ops.uniaxialMaterial('Elastic', 11, 1.6e9)
ops.uniaxialMaterial('Elastic', 12, 4.0e6)

D, c, bars, Ab = 1.1, 0.06, 20, 6.1e-4
ri = D / 2 - c
ops.section('Fiber', 1)
ops.patch('circ', 1, 12, 6, 0.0, 0.0, 0.0, ri, 0.0, 360.0)
ops.patch('circ', 2, 12, 2, 0.0, 0.0, ri, D / 2, 0.0, 360.0)
ops.layer('circ', 3, bars, Ab, 0.0, 0.0, ri)

ops.geomTransf('PDelta', 1)
ops.geomTransf('Linear', 2)
ops.beamIntegration('Lobatto', 1, 1, 5)
ops.element('forceBeamColumn', 1, 1, 3, 1, 1)
ops.element('forceBeamColumn', 2, 2, 4, 1, 1)
ops.element('elasticBeamColumn', 3, 3, 4, 1.5, 3.1e10, 0.28, 2)
# deck: stiff
ops.element('elasticBeamColumn', 4, 5, 6, 4.0, 3.1e10, 2.0, 2)
# lead-rubber bearings, zero height, axis vertical
for tag, (i, j) in {5: (3, 5), 6: (4, 6)}.items():
    ops.element('elastomericBearingPlasticity', tag, i, j, 1.4e7, 1.15e5, 0.1, 0.0, 2.0,
                '-P', 11, '-Mz', 12, '-orient', 0, 1, 0, -1, 0, 0)

W = 2.6e6
for n in (5, 6):
    ops.mass(n, W / 9.81, W / 9.81, 0.0)
for n in (3, 4):
    ops.mass(n, 4.0e4, 4.0e4, 0.0)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.load(5, 0.0, -W, 0.0)
ops.load(6, 0.0, -W, 0.0)
ops.load(3, 0.0, -4.0e5, 0.0)
ops.load(4, 0.0, -4.0e5, 0.0)
ops.constraints('Plain')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormUnbalance', 1e-3, 30)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
if ops.analyze(10) < 0:
    raise SystemExit('gravity failed')
ops.loadConst('-time', 0.0)
ops.wipeAnalysis()

ops.timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'records/valley-ew.txt', '-factor', 1.5 * 9.81)
ops.pattern('UniformExcitation', 2, 1, '-accel', 2)
ops.rayleigh(0.15, 0.0, 0.0, 0.0)
ops.constraints('Plain')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormUnbalance', 1e-3, 30)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
u = []
for i in range(500):
    if ops.analyze(1, 0.02) != 0:
        break
    u.append(ops.nodeDisp(5, 1) - ops.nodeDisp(3, 1))
print(len(u), 'steps, bearing', max(map(abs, u)), 'cap', ops.nodeDisp(3, 1))
