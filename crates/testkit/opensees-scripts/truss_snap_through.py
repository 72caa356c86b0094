# Shallow two-bar arch of corotational trusses pushed through its limit point by displacement control.
# Units: N, mm
from openseespy.opensees import *

wipe()
model('basic', '-ndm', 2, '-ndf', 2)
rise, half = 60.0, 900.0
node(1, -half, 0.0); fix(1, 1, 1)
node(2, 0.0, rise); fix(2, 1, 0)
node(3, half, 0.0); fix(3, 1, 1)
uniaxialMaterial('Elastic', 1, 70000.0)
element('corotTruss', 1, 1, 2, 400.0, 1)
element('corotTruss', 2, 3, 2, 400.0, 1)
timeSeries('Linear', 1)
pattern('Plain', 1, 1)
load(2, 0.0, -1000.0)
constraints('Plain')
numberer('Plain')
system('FullGeneral')
test('NormUnbalance', 1e-6, 30)
algorithm('Newton')
integrator('DisplacementControl', 2, 2, -1.5)
analysis('Static')
for i in range(100):
    if analyze(1) != 0:
        print('stopped at', nodeDisp(2, 2))
        break
print('load factor', getTime(), 'at', nodeDisp(2, 2))
