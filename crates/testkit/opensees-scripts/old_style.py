# A script as they were written ten years ago: BasicBuilder, nonlinearBeamColumn, Truss, pattern with its own series.
# Units: kip, in, s
import openseespy.opensees as ops
from openseespy.opensees import uniaxialMaterial, section, patch, layer

kip = 1.0; inch = 1.0; sec = 1.0
ft = 12.0 * inch; ksi = kip / inch**2; g = 386.1 * inch / sec**2

ops.wipe()
ops.model('BasicBuilder', '-ndm', 2, '-ndf', 3)
LCol, LBeam, Weight = 36.0 * ft, 42.0 * ft, 4000.0 * kip
HCol, BCol, HBeam, BBeam = 5.0 * ft, 4.0 * ft, 8.0 * ft, 5.0 * ft
PCol = Weight / 2
Mass = PCol / g

ops.node(1, 0, 0)
ops.node(2, LBeam, 0)
ops.node(3, 0, LCol)
ops.node(4, LBeam, LCol)
ops.fix(1, 1, 1, 0)
ops.fix(2, 1, 1, 0)
ops.fix(3, 0, 0, 0)
ops.mass(3, Mass, 0.0, 0.0)
ops.mass(4, Mass, 0.0, 0.0)

fc = -4.2 * ksi
Ec = 57 * ksi * (-fc / ksi * 1000) ** 0.5
uniaxialMaterial('Concrete02', 1, 1.25 * fc, 2 * 1.25 * fc / Ec, 0.2 * 1.25 * fc, 5 * 2 * 1.25 * fc / Ec, 0.1, -0.14 * 1.25 * fc, 0.14 * 1.25 * -fc / 0.002)
uniaxialMaterial('Concrete02', 2, fc, -0.003, 0.2 * fc, -0.01, 0.1, -0.14 * fc, 0.14 * -fc / 0.002)
uniaxialMaterial('Steel02', 3, 66.8 * ksi, 29000.0 * ksi, 0.01, 18, 0.925, 0.15)
coverY, coverZ, cover = HCol / 2, BCol / 2, 4.0 * inch
coreY, coreZ = coverY - cover, coverZ - cover
section('Fiber', 1)
patch('quad', 1, 12, 1, -coreY, coreZ, -coreY, -coreZ, coreY, -coreZ, coreY, coreZ)
patch('quad', 2, 1, 12, -coverY, coverZ, -coreY, coreZ, coreY, coreZ, coverY, coverZ)
patch('quad', 2, 1, 12, -coreY, -coreZ, -coverY, -coverZ, coverY, -coverZ, coreY, -coreZ)
patch('quad', 2, 12, 1, -coverY, coverZ, -coverY, -coverZ, -coreY, -coreZ, -coreY, coreZ)
patch('quad', 2, 12, 1, coreY, coreZ, coreY, -coreZ, coverY, -coverZ, coverY, coverZ)
layer('straight', 3, 10, 2.25, coreY, coreZ, coreY, -coreZ)
layer('straight', 3, 10, 2.25, -coreY, coreZ, -coreY, -coreZ)

ops.geomTransf('Linear', 1)
ops.geomTransf('Linear', 2)
ops.element('nonlinearBeamColumn', 1, 1, 3, 5, 1, 1)
ops.element('nonlinearBeamColumn', 2, 2, 4, 5, 1, 1)
ops.element('elasticBeamColumn', 3, 3, 4, HBeam * BBeam, Ec, BBeam * HBeam**3 / 12, 2)

WzBeam = Weight / LBeam
ops.timeSeries('Linear', 1)
ops.pattern('Plain', 1, 1)
ops.eleLoad('-ele', 3, '-type', '-beamUniform', -WzBeam, 0.0)
Tol = 1.0e-10
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('BandGeneral')
ops.test('NormDispIncr', Tol, 60)
ops.algorithm('Newton')
NstepGravity = 10
ops.integrator('LoadControl', 1.0 / NstepGravity)
ops.analysis('Static')
ops.analyze(NstepGravity)
ops.loadConst('-time', 0.0)

# static pushover in both directions, through the zero
ops.timeSeries('Linear', 2)
ops.pattern('Plain', 200, 2)
Hload = Weight / 2
ops.load(3, Hload, 0.0, 0.0)
ops.load(4, Hload, 0.0, 0.0)
for Dmax, Dincr in ((0.01 * LCol, 0.0005 * LCol), (-0.01 * LCol, -0.0005 * LCol), (0.0, 0.0005 * LCol)):
    ops.integrator('DisplacementControl', 3, 1, Dincr)
    ops.analysis('Static')
    Nsteps = 20 if Dmax > 0 or Dmax == 0 else 40
    ok = ops.analyze(Nsteps)
    print('to', Dmax, 'ok' if ok == 0 else 'failed', ops.getTime())
