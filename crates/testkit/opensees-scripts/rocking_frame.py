# Rocking post-tensioned frame: columns on springs without tension, a self-centring tendon, flag-shaped joints. Earthquake.
# Units: kN, m, t
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
B, H, edge = 5.0, 3.5, 0.3
ops.geomTransf('PDelta', 1)
ops.geomTransf('Linear', 2)
ops.uniaxialMaterial('ENT', 1, 4.0e5)                            # contact, no tension
ops.uniaxialMaterial('SelfCentering', 2, 9000.0, 180.0, 45.0, 0.8)   # joint: k1 k2 M beta
ops.uniaxialMaterial('Steel02', 3, 1.6e6, 1.95e8, 0.005, 20.0, 0.925, 0.15, 0.0, 1.0, 0.0, 1.0, 8.0e5)   # tendon, stressed
ops.uniaxialMaterial('Elastic', 4, 5.0e5)
for side, x in ((1, 0.0), (2, B)):
    ops.node(100 * side, x, 0.0)          # foot of the column
    ops.node(100 * side + 1, x - edge, 0.0)
    ops.node(100 * side + 2, x + edge, 0.0)
    ops.node(100 * side + 3, x - edge, 0.0)
    ops.node(100 * side + 4, x + edge, 0.0)
    ops.node(100 * side + 10, x, H)
    ops.node(100 * side + 20, x, H)
    ops.fix(100 * side + 3, 1, 1, 1)
    ops.fix(100 * side + 4, 1, 1, 1)
    ops.node(100 * side + 5, x, 0.0)
    ops.fix(100 * side + 5, 1, 1, 1)
    ops.rigidLink('beam', 100 * side, 100 * side + 1)
    ops.rigidLink('beam', 100 * side, 100 * side + 2)
    ops.element('zeroLength', 100 * side + 1, 100 * side + 3, 100 * side + 1, '-mat', 1, '-dir', 2)
    ops.element('zeroLength', 100 * side + 2, 100 * side + 4, 100 * side + 2, '-mat', 1, '-dir', 2)
    ops.element('elasticBeamColumn', side, 100 * side, 100 * side + 10, 0.2, 3.0e7, 6.0e-3, 1)
    ops.element('zeroLength', 30 + side, 100 * side + 10, 100 * side + 20, '-mat', 2, '-dir', 6)
    ops.element('zeroLength', 50 + side, 100 * side + 5, 100 * side, '-mat', 4, '-dir', 1)   # shear key
    ops.element('corotTruss', 40 + side, 100 * side + 5, 100 * side + 10, 3.2e-4, 3)
    ops.equalDOF(100 * side + 10, 100 * side + 20, 1, 2)
    ops.mass(100 * side + 10, 22.0, 22.0, 0.05)
ops.element('elasticBeamColumn', 3, 120, 220, 0.2, 3.0e7, 7.0e-3, 2)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.load(110, 0.0, -420.0, 0.0)
ops.load(210, 0.0, -420.0, 0.0)
ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormDispIncr', 1e-11, 50)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
print('gravity', ops.analyze(10))
ops.loadConst('-time', 0.0)
ops.wipeAnalysis()

ops.timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'records/valley-ew.txt', '-factor', 4.0)
ops.pattern('UniformExcitation', 2, 1, '-accel', 2)
ops.rayleigh(0.3, 0.0, 0.0005, 0.0)
ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormDispIncr', 1e-11, 50)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(1600, 0.005), ops.nodeDisp(110, 1))
