# A coupled wall: wall as a fibre column, coupling beam with rigid end offsets, a rigid link at the top. Pushover.
# Units: MN, m
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
x2, h = 5.0, 3.0
for k in range(3):
    ops.node(10 * k + 1, 0.0, k * h)
    ops.node(10 * k + 2, x2, k * h)
ops.node(99, 2.5, 2 * h + 0.8)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.rigidLink('beam', 21, 99)

ops.uniaxialMaterial('Concrete01', 1, 30.0, 0.002, 6.0, 0.008)   # positive on purpose: OpenSees changes the sign
ops.uniaxialMaterial('Steel01', 2, 500.0, 2.0e5, 0.01)
lw, tw = 1.8, 0.25
ops.section('Fiber', 1)
ops.patch('rect', 1, 24, 1, -lw / 2, -tw / 2, lw / 2, tw / 2)
ops.layer('straight', 2, 6, 3.1e-4, -lw / 2 + 0.05, -0.08, -lw / 2 + 0.35, -0.08)
ops.layer('straight', 2, 6, 3.1e-4, lw / 2 - 0.05, 0.08, lw / 2 - 0.35, 0.08)
ops.beamIntegration('Lobatto', 1, 1, 5)
ops.geomTransf('Linear', 1)
ops.geomTransf('Linear', 2, '-jntOffset', lw / 2, 0.0, -lw / 2, 0.0)
for k in range(2):
    ops.element('forceBeamColumn', 10 * k + 1, 10 * k + 1, 10 * k + 11, 1, 1)
    ops.element('forceBeamColumn', 10 * k + 2, 10 * k + 2, 10 * k + 12, 1, 1)
    ops.element('elasticBeamColumn', 100 + k, 10 * k + 11, 10 * k + 12, 0.15, 3.0e4, 1.6e-3, 2)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
for n in (11, 12, 21, 22):
    ops.load(n, 0.0, -0.55, 0.0)
ops.constraints('Transformation')
ops.numberer('Plain')
ops.system('FullGeneral')
ops.test('NormDispIncr', 1e-11, 60)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
ops.analyze(10)
ops.loadConst('-time', 0.0)
ops.pattern('Plain', 2, 1)
ops.load(99, 0.2, 0.0, 0.0)
ops.load(11, 0.1, 0.0, 0.0)
ops.integrator('DisplacementControl', 21, 1, 0.0005)
print('ok', ops.analyze(60), ops.nodeDisp(99, 1), ops.getTime())
