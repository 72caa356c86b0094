# A reinforced-concrete portal in an earthquake. The model is in rc_portal_model.py.
# Units: kN, m, t
import os
import openseespy.opensees as ops
from rc_portal_model import build, gravity, g

here = os.path.dirname(os.path.abspath(__file__))
ops.wipe()
weight = build()
gravity(weight)

dt, steps = 0.01, 1000
ops.timeSeries('Path', 2, '-dt', 0.02, '-filePath', os.path.join(here, 'records', 'valley-ew.txt'), '-factor', 1.6 * g)
ops.pattern('UniformExcitation', 2, 1, '-accel', 2)
ops.rayleigh(0.42, 0.0, 0.0011, 0.0)

ops.constraints('Plain')
ops.numberer('RCM')
ops.system('UmfPack')
ops.test('NormDispIncr', 1e-11, 40)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')

peak = 0.0
for i in range(steps):
    ok = ops.analyze(1, dt)
    if ok != 0:
        ops.algorithm('ModifiedNewton', '-initial')
        ok = ops.analyze(1, dt)
        ops.algorithm('Newton')
    if ok != 0:
        raise RuntimeError('no convergence at t = %g s' % ops.getTime())
    peak = max(peak, abs(ops.nodeDisp(3, 1)))
print('largest drift: %.2f %%' % (100 * peak / 3.2))
