# Two-span bridge on three piers whose feet move differently (travelling wave): imposed displacements.
# Units: kN, m, t
import openseespy.opensees as ops
import numpy as np

ops.wipe()
ops.model('basic', '-ndm', 2, '-ndf', 3)
ops.geomTransf('Linear', 1)
E = 3.2e7
for i, (x, height) in enumerate([(0.0, 8.0), (30.0, 12.0), (60.0, 9.0)]):
    ops.node(1 + i, x, -height)
    ops.node(11 + i, x, 0.0)
    ops.mass(11 + i, 160.0, 160.0, 10.0)
    ops.fix(1 + i, 1, 1, 1)
    ops.element('elasticBeamColumn', 1 + i, 1 + i, 11 + i, 2.1, E, 0.55, 1)
for i in range(2):
    ops.element('elasticBeamColumn', 11 + i, 11 + i, 12 + i, 4.2, E, 1.8, 1)

dt = 0.01
t = np.arange(0.0, 8.0 + dt / 2, dt)
pulse = 0.06 * np.sin(2 * np.pi * 0.8 * t) ** 3 * (1 - np.exp(-t)) * np.exp(-0.35 * t)
delays = [0, 12, 24]  # samples
ops.pattern('MultipleSupport', 1)
for i, delay in enumerate(delays):
    u = np.concatenate([np.zeros(delay), pulse[: len(pulse) - delay]])
    ops.timeSeries('Path', 10 + i, '-dt', dt, '-values', *u.tolist(), '-factor', 1.0)
    ops.groundMotion(1 + i, 'Plain', '-disp', 10 + i)
    ops.imposedMotion(1 + i, 1, 1 + i)

ops.rayleigh(0.2, 0.0, 0.0018, 0.0)
ops.constraints('Transformation')
ops.numberer('RCM')
ops.system('BandGeneral')
ops.test('NormDispIncr', 1e-12, 10)
ops.algorithm('Newton')
ops.integrator('Newmark', 0.5, 0.25)
ops.analysis('Transient')
print('ok', ops.analyze(700, dt), [ops.nodeDisp(11 + i, 1) for i in range(3)])
