# Two-storey, one-bay steel moment frame with concentrated plasticity: elastic members, and in each beam end and column
# base a zero-length rotational spring with a three-line backbone (pinching and damage off). Pushover with leaning column.
# Units: kip, inch, s
import openseespy.opensees as ops

g = 386.4
Es = 29000.0
bay, h1, h2 = 30.0 * 12, 15.0 * 12, 13.0 * 12
n = 10.0  # stiffness of the springs, times that of the member

ops.wipe()
ops.model('BasicBuilder', '-ndm', 2, '-ndf', 3)

levels = [0.0, h1, h1 + h2]
for level, y in enumerate(levels, start=1):
    for pier in (1, 2, 3):  # 3 is the leaning column
        ops.node(10 * pier + level, (pier - 1) * bay, y)
for pier in (1, 2, 3):
    ops.fix(10 * pier + 1, 1, 1, 1 if pier < 3 else 0)

# nodes of the springs: column bases, beam ends
for pier in (1, 2):
    ops.node(100 * pier + 11, (pier - 1) * bay, 0.0)
    for level in (2, 3):
        ops.node(100 * pier + 10 * level, (pier - 1) * bay, levels[level - 1])

# the leaning column moves with the frame
for level in (2, 3):
    ops.equalDOF(20 + level, 30 + level, 1)

W24 = dict(A=38.5, I=4020.0, My=10938.0)  # columns
W27 = dict(A=27.7, I=3270.0, My=10500.0)  # beams
ops.geomTransf('PDelta', 1)
ops.geomTransf('Linear', 2)
modified = (n + 1) / n


def spring(tag, outer, inner, stiffness, My, theta_p=0.025, theta_pc=0.18):
    ks = n * stiffness * modified
    ty = My / ks
    Mc = 1.11 * My
    points = (My, ty, Mc, ty + theta_p, 0.4 * Mc, ty + theta_p + theta_pc)
    negative = [-v for v in points]
    ops.uniaxialMaterial('Hysteretic', tag, *points, *negative, 1.0, 1.0, 0.0, 0.0, 0.0)
    ops.element('zeroLength', tag, outer, inner, '-mat', tag, '-dir', 6)
    ops.equalDOF(outer, inner, 1, 2)


# columns: first storey from the base spring
for pier in (1, 2):
    base, I = 100 * pier + 11, W24['I']
    ops.element('elasticBeamColumn', 1000 + pier, base, 10 * pier + 2, W24['A'], Es, I * modified, 1)
    ops.element('elasticBeamColumn', 1010 + pier, 10 * pier + 2, 10 * pier + 3, W24['A'], Es, I, 1)
    spring(4000 + pier, 10 * pier + 1, base, 6 * Es * I / h1, W24['My'])
for level in (2, 3):
    i, j = 100 + 10 * level, 200 + 10 * level
    ops.element('elasticBeamColumn', 2000 + level, i, j, W27['A'], Es, W27['I'] * modified, 2)
    spring(4100 + level, 10 + level, i, 6 * Es * W27['I'] / bay, W27['My'])
    spring(4200 + level, 20 + level, j, 6 * Es * W27['I'] / bay, W27['My'])

# leaning column: stiff, nearly without moment
for level in (1, 2):
    ops.element('elasticBeamColumn', 3100 + level, 30 + level, 30 + level + 1, 1000.0, Es, 1.0, 1)

ops.timeSeries('Constant', 1)
ops.timeSeries('Linear', 2)
ops.pattern('Plain', 1, 2)
for level, P in ((2, 320.0), (3, 280.0)):
    ops.load(30 + level, 0.0, -P, 0.0)
    for pier in (1, 2):
        ops.load(10 * pier + level, 0.0, -60.0, 0.0)
ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormDispIncr', 1.0e-9, 50)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
ops.analyze(10)
ops.loadConst('-time', 0.0)

ops.pattern('Plain', 200, 2)
ops.load(12, 0.35, 0.0, 0.0)
ops.load(13, 0.65, 0.0, 0.0)
ops.recorder('Node', '-file', 'base.out', '-time', '-node', 11, 21, 31, '-dof', 1, 'reaction')
ops.integrator('DisplacementControl', 13, 1, 0.05)
ops.analysis('Static')
print('pushover', ops.analyze(280), 'base shear', ops.getTime(), 'kip at', ops.nodeDisp(13, 1), 'in')
