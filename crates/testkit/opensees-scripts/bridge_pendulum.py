# Deck on two friction pendulums on elastic piers of different height, longitudinal direction.
# Units: kN, m, t
import openseespy.opensees as ops

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
span, tall, short = 40.0, 9.0, 6.0
ops.node(1, 0.0, -tall)
ops.node(2, span, -short)
ops.node(3, 0.0, 0.0)
ops.node(4, span, 0.0)
ops.node(5, 0.0, 0.2)
ops.node(6, span, 0.2)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.mass(3, 30.0, 30.0, 5.0)
ops.mass(4, 22.0, 22.0, 5.0)
W = 4200.0
for n in (5, 6):
    ops.mass(n, W / 9.81, W / 9.81, 1.0)

ops.geomTransf('Linear', 1)
ops.element('elasticBeamColumn', 1, 1, 3, 3.2, 3.2e7, 1.9, 1)
ops.element('elasticBeamColumn', 2, 2, 4, 3.2, 3.2e7, 1.9, 1)
ops.element('elasticBeamColumn', 3, 5, 6, 5.5, 3.4e7, 3.0, 1)

ops.frictionModel('Coulomb', 1, 0.055)
ops.uniaxialMaterial('Elastic', 1, 6.0e6)
ops.uniaxialMaterial('Elastic', 2, 10.0)
Reff, kInit = 2.2, 55000.0
for tag, i, j in ((11, 3, 5), (12, 4, 6)):
    ops.element('singleFPBearing', tag, i, j, 1, Reff, kInit, '-P', 1, '-Mz', 2,
                '-orient', 0, 1, 0, -1, 0, 0)

ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
for n in (5, 6):
    ops.load(n, 0.0, -W, 0.0)
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('BandGeneral')
ops.test('NormUnbalance', 1e-7, 50)
ops.algorithm('Newton')
ops.integrator('LoadControl', 0.1)
ops.analysis('Static')
print('gravity', ops.analyze(10))
ops.loadConst('-time', 0.0)
ops.wipeAnalysis()

ops.timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'records/valley-ew.txt', '-factor', 9.81)
ops.pattern('UniformExcitation', 2, 1, '-accel', 2)
ops.rayleigh(0.05, 0.0, 0.0, 0.0)
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('BandGeneral')
ops.test('NormUnbalance', 1e-7, 100)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(1000, 0.01), ops.nodeDisp(5, 1))
