# Three-dimensional two-storey building, one bay by one bay, fibre columns, elastic beams, rigid floors, two components.
# The mass sits off the middle, so the building turns.
# Units: N, m
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 3, '-ndf', 6)
Lx, Ly, h = 6.0, 5.0, 3.3
corners = [(0.0, 0.0), (Lx, 0.0), (Lx, Ly), (0.0, Ly)]
for level in range(3):
    for i, (x, y) in enumerate(corners, start=1):
        ops.node(10 * level + i, x, y, level * h)
ops.fixZ(0.0, 1, 1, 1, 1, 1, 1)
for level in (1, 2):
    ops.node(10 * level + 9, Lx / 2 + 0.3, Ly / 2 - 0.2, level * h)
    ops.fix(10 * level + 9, 0, 0, 1, 1, 1, 0)
    ops.rigidDiaphragm(3, 10 * level + 9, *[10 * level + i for i in (1, 2, 3, 4)])

ops.uniaxialMaterial('Concrete01', 1, -34.0e6, -0.003, -24.0e6, -0.018)
ops.uniaxialMaterial('Concrete01', 2, -28.0e6, -0.002, -5.0e6, -0.006)
ops.uniaxialMaterial('Steel02', 3, 450.0e6, 2.0e11, 0.01, 18.0, 0.925, 0.15)
c, s = 0.045, 0.4 / 2
G = 1.1e10
ops.section('Fiber', 1, '-GJ', G * 0.141 * 0.4**4)
ops.patch('rect', 1, 6, 6, c - s, c - s, s - c, s - c)
ops.patch('rect', 2, 1, 6, -s, -s, c - s, s)
ops.patch('rect', 2, 1, 6, s - c, -s, s, s)
ops.patch('rect', 2, 6, 1, c - s, -s, s - c, c - s)
ops.patch('rect', 2, 6, 1, c - s, s - c, s - c, s)
ops.layer('straight', 3, 3, 3.8e-4, c - s, c - s, c - s, s - c)
ops.layer('straight', 3, 2, 3.8e-4, 0.0, c - s, 0.0, s - c)
ops.layer('straight', 3, 3, 3.8e-4, s - c, c - s, s - c, s - c)

ops.geomTransf('PDelta', 1, 1.0, 0.0, 0.0)
ops.geomTransf('Linear', 2, 0.0, 0.0, 1.0)
ops.beamIntegration('Lobatto', 1, 1, 4)
for level in range(2):
    for i in range(1, 5):
        ops.element('forceBeamColumn', 100 * level + i, 10 * level + i, 10 * (level + 1) + i, 1, 1)
for level in (1, 2):
    for i in range(1, 5):
        j = i % 4 + 1
        ops.element('elasticBeamColumn', 1000 + 10 * level + i, 10 * level + i, 10 * level + j,
                    0.15, 2.6e10, G, 2.8e-3, 1.1e-3, 3.1e-3, 2)

M = {1: 46.0e3, 2: 40.0e3}
ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
for level, m in M.items():
    ops.mass(10 * level + 9, m, m, 0.0, 0.0, 0.0, m * (Lx**2 + Ly**2) / 12)
    for i in range(1, 5):
        ops.load(10 * level + i, 0.0, 0.0, -9.81 * m / 4, 0.0, 0.0, 0.0)

ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('UmfPack')
ops.test('NormDispIncr', 1e-11, 30)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.2)
ops.analysis('Static')
print('gravity', ops.analyze(5))
ops.loadConst('-time', 0.0)
ops.wipeAnalysis()

for direction, name in ((1, 'ew'), (2, 'ns')):
    ops.timeSeries('Path', 10 + direction, '-dt', 0.02, '-filePath', 'records/valley-%s.txt' % name, '-factor', 9.81)
    ops.pattern('UniformExcitation', 10 + direction, direction, '-accel', 10 + direction)
ops.rayleigh(0.4, 0.0, 0.0012, 0.0)
ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('UmfPack')
ops.test('NormDispIncr', 1e-11, 30)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(250, 0.02), [ops.nodeDisp(29, d) for d in (1, 2, 6)])
