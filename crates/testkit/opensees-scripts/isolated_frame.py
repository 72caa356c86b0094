# Three-storey shear-type steel frame on three elastomeric bearings; the base floor is rigid (equalDOF). HHT integrator.
# Units: kN, m, t
from openseespy.opensees import *

wipe()
model('basic', '-ndm', 2, '-ndf', 3)
x = [0.0, 6.0, 12.0]
for i in range(3):
    node(1 + i, x[i], 0.0)
    for floor in range(4):
        node(11 + 10 * floor + i, x[i], 0.25 + 3.4 * floor)
    fix(1 + i, 1, 1, 1)
for i in (1, 2):
    equalDOF(11, 11 + i, 1)

geomTransf('PDelta', 1)
geomTransf('Linear', 2)
E = 2.05e8
for floor in range(3):
    for i in range(3):
        a = 11 + 10 * floor + i
        element('elasticBeamColumn', a, a, a + 10, 0.0149, E, 2.52e-4, 1)
for floor in range(4):
    for i in range(2):
        a = 11 + 10 * floor + i
        element('elasticBeamColumn', 100 + a, a, a + 1, 0.0198, E, 6.7e-4, 2)

uniaxialMaterial('Elastic', 1, 9.0e5)
uniaxialMaterial('Elastic', 2, 600.0)
for i in range(3):
    # kInit qd alpha1 alpha2 mu
    element('elastomericBearingPlasticity', 200 + i, 1 + i, 11 + i, 5200.0, 42.0, 0.12, 0.01, 3.0,
            '-P', 1, '-Mz', 2, '-shearDist', 0.5)

w = {0: 380.0, 1: 360.0, 2: 360.0, 3: 300.0}
timeSeries('Linear', 1)
pattern('Plain', 1, 1)
for floor in range(4):
    for i in range(3):
        part = 0.5 if i == 1 else 0.25
        n = 11 + 10 * floor + i
        mass(n, part * w[floor] / 9.81, part * w[floor] / 9.81, 0.0)
        load(n, 0.0, -part * w[floor], 0.0)
constraints('Transformation')
numberer('Plain')
system('FullGeneral')
test('NormUnbalance', 1e-7, 40)
algorithm('Newton')
integrator('LoadControl', 0.1)
analysis('Static')
print('gravity', analyze(10))
loadConst('-time', 0.0)
wipeAnalysis()

timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'records/valley-ew.txt', '-factor', 1.3 * 9.81)
pattern('UniformExcitation', 2, 1, '-accel', 2)
rayleigh(0.1, 0.0, 0.0, 0.0015)
constraints('Transformation')
numberer('Plain')
system('FullGeneral')
test('NormUnbalance', 1e-7, 40)
algorithm('Newton')
integrator('HHT', 0.9)
analysis('Transient')
print('ok', analyze(900, 0.01), nodeDisp(11, 1), nodeDisp(41, 1))
