# Three-storey frame with linear viscous dampers in diagonals and one nonlinear damper with a brace in series.
# Units: kN, mm, s (mass in kN s2/mm)
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
B, H, W = 5000.0, 3000.0, 500.0
for k in range(4):
    for i in range(2):
        tag = 10 * k + i
        ops.node(tag, i * B, k * H)
        if k == 0:
            ops.fix(tag, 1, 1, 1)
        else:
            ops.mass(tag, W / 2 / 9810.0, W / 2 / 9810.0, 0.0)
ops.geomTransf('Linear', 1)
for k in range(3):
    for i in range(2):
        ops.element('elasticBeamColumn', 100 + 10 * k + i, 10 * k + i, 10 * k + 10 + i, 1.4e4, 200.0, 1.9e8, 1)
    ops.element('elasticBeamColumn', 200 + k, 10 * k + 10, 10 * k + 11, 1.2e4, 200.0, 2.6e8, 1)

ops.uniaxialMaterial('Viscous', 1, 1.9, 1.0)
ops.uniaxialMaterial('ViscousDamper', 2, 120.0, 8.0, 0.5)
ops.element('twoNodeLink', 301, 0, 11, '-mat', 1, '-dir', 1)
ops.element('twoNodeLink', 302, 10, 21, '-mat', 1, '-dir', 1)
ops.element('twoNodeLink', 303, 20, 31, '-mat', 2, '-dir', 1)

ops.timeSeries('Path', 1, '-dt', 0.01, '-filePath', 'records/short.txt', '-factor', 0.4 * 9810.0)
ops.pattern('UniformExcitation', 1, 1, '-accel', 1)
ops.rayleigh(0.2, 0.0, 0.001, 0.0)
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('FullGeneral')
ops.test('NormDispIncr', 1e-9, 50)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(1000, 0.005), [ops.nodeDisp(10 * k, 1) for k in (1, 2, 3)])
