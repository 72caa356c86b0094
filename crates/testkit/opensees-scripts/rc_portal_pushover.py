# Pushover of a reinforced-concrete portal: fibre columns, elastic beam, gravity first.
# Units: N, m
import openseespy.opensees as ops

width, height = 7.2, 3.4
P = 620.0e3

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)

ops.node(1, 0.0, 0.0)
ops.node(2, width, 0.0)
ops.node(3, 0.0, height)
ops.node(4, width, height)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)

# concrete: confined, unconfined; reinforcement
ops.uniaxialMaterial('Concrete01', 1, -38.0e6, -0.0032, -27.0e6, -0.018)
ops.uniaxialMaterial('Concrete01', 2, -31.0e6, -0.0021, 0.0, -0.0065)
ops.uniaxialMaterial('Steel01', 3, 435.0e6, 2.05e11, 0.012)

b, d, cover, As = 0.40, 0.55, 0.045, 5.1e-4
y1, z1 = d / 2, b / 2
ops.section('Fiber', 1)
ops.patch('rect', 1, 10, 1, cover - y1, cover - z1, y1 - cover, z1 - cover)
ops.patch('rect', 2, 10, 1, -y1, z1 - cover, y1, z1)
ops.patch('rect', 2, 10, 1, -y1, -z1, y1, cover - z1)
ops.patch('rect', 2, 2, 1, -y1, cover - z1, cover - y1, z1 - cover)
ops.patch('rect', 2, 2, 1, y1 - cover, cover - z1, y1, z1 - cover)
ops.layer('straight', 3, 3, As, y1 - cover, z1 - cover, y1 - cover, cover - z1)
ops.layer('straight', 3, 2, As, 0.0, z1 - cover, 0.0, cover - z1)
ops.layer('straight', 3, 3, As, cover - y1, z1 - cover, cover - y1, cover - z1)

ops.geomTransf('PDelta', 1)
ops.beamIntegration('Lobatto', 1, 1, 5)
ops.element('forceBeamColumn', 1, 1, 3, 1, 1)
ops.element('forceBeamColumn', 2, 2, 4, 1, 1)
ops.geomTransf('Linear', 2)
ops.element('elasticBeamColumn', 3, 3, 4, 0.22, 2.8e10, 0.0048, 2)

# gravity in ten steps, then held
ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.load(3, 0.0, -P, 0.0)
ops.load(4, 0.0, -P, 0.0)
ops.system('BandGeneral')
ops.constraints('Transformation')
ops.numberer('RCM')
ops.test('NormDispIncr', 1.0e-12, 20, 0)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
ops.analyze(10)
ops.loadConst('-time', 0.0)

# lateral load, displacement control of the left corner
H = 50.0e3
ops.pattern('Plain', 2, 1)
ops.load(3, H, 0.0, 0.0)
ops.load(4, H, 0.0, 0.0)
ops.recorder('Node', '-file', 'portal.out', '-time', '-node', 3, 4, '-dof', 1, 'disp')
ops.integrator('DisplacementControl', 3, 1, 0.001)
ok = ops.analyze(120)
if ok == 0:
    print('pushover done: drift', ops.nodeDisp(3, 1) / height, 'load factor', ops.getLoadFactor(2))
else:
    print('pushover failed at', ops.nodeDisp(3, 1))
