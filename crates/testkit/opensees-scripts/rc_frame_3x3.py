# Three bays, three storeys: displacement-based fibre members, uniform load on the beams, earthquake.
# Units: N, mm, s (so mass in t, stress in MPa)
from openseespy.opensees import *

bays = [5400.0, 6000.0, 5400.0]
storeys = [3900.0, 3300.0, 3300.0]
xs = [sum(bays[:i]) for i in range(len(bays) + 1)]
ys = [sum(storeys[:i]) for i in range(len(storeys) + 1)]

wipe()
model('basic', '-ndm', 2, '-ndf', 3)
for j, y in enumerate(ys):
    for i, x in enumerate(xs):
        node(10 * j + i + 1, x, y)
for i in range(len(xs)):
    fix(i + 1, 1, 1, 1)

uniaxialMaterial('Concrete01', 1, -33.0, -0.0026, -21.0, -0.014)
uniaxialMaterial('Concrete01', 2, -27.0, -0.002, -3.0, -0.006)
uniaxialMaterial('Steel02', 3, 450.0, 200000.0, 0.01, 20.0, 0.925, 0.15)


def fibre_section(tag, depth, width, cover, bars):
    """`bars`: list of (y, number, area)"""
    y, z = depth / 2, width / 2
    section('Fiber', tag)
    patch('quad', 1, 8, 1, cover - y, cover - z, y - cover, cover - z, y - cover, z - cover, cover - y, z - cover)
    patch('rect', 2, 8, 1, -y, -z, y, cover - z)
    patch('rect', 2, 8, 1, -y, z - cover, y, z)
    patch('rect', 2, 1, 1, -y, cover - z, cover - y, z - cover)
    patch('rect', 2, 1, 1, y - cover, cover - z, y, z - cover)
    for level, number, area in bars:
        layer('straight', 3, number, area, level, z - cover, level, cover - z)


fibre_section(1, 450.0, 450.0, 45.0, [(-180.0, 3, 380.0), (0.0, 2, 380.0), (180.0, 3, 380.0)])
fibre_section(2, 500.0, 300.0, 45.0, [(-205.0, 3, 310.0), (205.0, 3, 310.0)])
beamIntegration('Lobatto', 1, 1, 4)
beamIntegration('Legendre', 2, 2, 3)
geomTransf('PDelta', 1)
geomTransf('Linear', 2)

for j in range(3):
    for i in range(4):
        bottom = 10 * j + i + 1
        element('dispBeamColumn', 100 + bottom, bottom, bottom + 10, 1, 1)
beams = []
for j in range(1, 4):
    for i in range(3):
        left = 10 * j + i + 1
        element('dispBeamColumn', 200 + left, left, left + 1, 2, 2, '-mass', 0.0015)
        beams.append(200 + left)

for j in range(1, 4):
    for i in range(4):
        m = 11.0 if i in (0, 3) else 21.0
        mass(10 * j + i + 1, m, m, 0.0)

timeSeries('Linear', 1)
pattern('Plain', 1, 1)
eleLoad('-ele', *beams, '-type', '-beamUniform', -24.0)
for j in range(1, 4):
    for i in range(4):
        load(10 * j + i + 1, 0.0, -95.0e3, 0.0)

constraints('Plain')
numberer('RCM')
system('BandGeneral')
test('NormDispIncr', 1e-9, 50)
algorithm('Newton')
integrator('LoadControl', 0.1)
analysis('Static')
analyze(10)
loadConst('-time', 0.0)
wipeAnalysis()

timeSeries('Path', 2, '-dt', 0.02, '-filePath', 'records/valley-ew.txt', '-factor', 9810.0)
pattern('UniformExcitation', 2, 1, '-accel', 2)
rayleigh(0.35, 0.0, 0.0016, 0.0)
constraints('Plain')
numberer('RCM')
system('BandGeneral')
test('NormDispIncr', 1e-8, 50)
algorithm('KrylovNewton')
integrator('Newmark', 0.5, 0.25)
analysis('Transient')
ok = analyze(300, 0.02)
print('ok' if ok == 0 else 'failed', 'roof', nodeDisp(34, 1))
