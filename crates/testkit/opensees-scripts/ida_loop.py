# Incremental dynamic analysis of a bilinear single-storey frame: the model is built again for every scale factor.
# Units: kN, m, t
import openseespy.opensees as ops


def build():
    ops.wipe()
    ops.model('basic', '-ndm', 1, '-ndf', 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.mass(2, 38.0)
    ops.uniaxialMaterial('Steel01', 1, 96.0, 6400.0, 0.03)
    ops.element('zeroLength', 1, 1, 2, '-mat', 1, '-dir', 1)


def shake(factor):
    ops.timeSeries('Path', 1, '-dt', 0.01, '-filePath', 'records/short.txt', '-factor', factor * 9.81)
    ops.pattern('UniformExcitation', 1, 1, '-accel', 1)
    ops.rayleigh(1.3, 0.0, 0.0, 0.0)
    ops.constraints('Plain')
    ops.numberer('Plain')
    ops.system('BandGeneral')
    ops.test('NormDispIncr', 1e-12, 20)
    ops.algorithm('Newton')
    ops.integrator('Newmark', 0.5, 0.25)
    ops.analysis('Transient')
    peak = 0.0
    while ops.getTime() < 4.5 - 1e-9:
        if ops.analyze(1, 0.005) != 0:
            return None
        peak = max(peak, abs(ops.nodeDisp(2, 1)))
    return peak


curve = {}
for sa in [0.2, 0.4, 0.6, 0.8, 1.0]:
    build()
    curve[sa] = shake(sa)
for sa, peak in curve.items():
    print('%.1f  %.5f' % (sa, peak))
