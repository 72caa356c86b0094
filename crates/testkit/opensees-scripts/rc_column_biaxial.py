# A column in space pushed along a square: first x, then y, then back; axial load held.
# Units: N, mm
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 3, '-ndf', 6)
H = 1800.0
ops.node(1, 0.0, 0.0, 0.0)
ops.node(2, 0.0, 0.0, H)
ops.node(3, 0.0, 0.0, H / 4)
ops.fix(1, 1, 1, 1, 1, 1, 1)
ops.fix(2, 0, 0, 0, 0, 0, 1)

ops.uniaxialMaterial('Concrete02', 1, -36.0, -0.003, -26.0, -0.02, 0.1, 2.5, 1500.0)
ops.uniaxialMaterial('Steel02', 2, 500.0, 2.0e5, 0.01, 18.0, 0.925, 0.15, 0.04, 1.0, 0.02, 1.0)
ops.section('Fiber', 1, '-GJ', 1.0e13)
ops.patch('rect', 1, 10, 10, -175.0, -175.0, 175.0, 175.0)
for y in (-135.0, 0.0, 135.0):
    for z in (-135.0, 0.0, 135.0):
        if y or z:
            ops.fiber(y, z, 314.0, 2)
ops.geomTransf('PDelta', 1, 1, 0, 0)
ops.beamIntegration('Legendre', 1, 1, 2)
ops.element('dispBeamColumn', 1, 1, 3, 1, 1)
ops.element('dispBeamColumn', 2, 3, 2, 1, 1)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.load(2, 0, 0, -500.0e3, 0, 0, 0)
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('FullGeneral')
ops.test('NormDispIncr', 1e-9, 60)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
ops.analyze(10)
ops.loadConst('-time', 0.0)

ops.timeSeries('Linear', 2)
ops.pattern('Plain', 2, 2)
ops.load(2, 1000.0, 0, 0, 0, 0, 0)
for target, step in ((18.0, 0.25), (-18.0, -0.25), (0.0, 0.25)):
    n = {18.0: 72, -18.0: 144, 0.0: 72}[target]
    ops.integrator('DisplacementControl', 2, 1, step)
    if ops.analyze(n) != 0:
        print('x failed')
ops.loadConst('-time', 0.0)
ops.timeSeries('Linear', 3)
ops.pattern('Plain', 3, 3)
ops.load(2, 0, 1000.0, 0, 0, 0, 0)
for n, step in ((48, 0.25), (96, -0.25), (48, 0.25)):
    ops.integrator('DisplacementControl', 2, 2, step)
    if ops.analyze(n) != 0:
        print('y failed')
print('end', [ops.nodeDisp(2, i) for i in (1, 2, 3)], ops.getTime())
