# The portal of rc_portal_earthquake.py as a module: materials, section, geometry, gravity.
# Units: kN, m, t
from openseespy.opensees import *

g = 9.81


def materials():
    uniaxialMaterial('Concrete02', 1, -34.0e3, -0.0028, -20.0e3, -0.016, 0.12, 2.4e3, 1.6e6)
    uniaxialMaterial('Concrete02', 2, -29.0e3, -0.002, -4.0e3, -0.006, 0.12, 2.2e3, 1.6e6)
    uniaxialMaterial('Steel02', 3, 460.0e3, 2.0e8, 0.008, 18.0, 0.925, 0.15)


def column_section(tag, h, b, c, area):
    y, z = h / 2.0, b / 2.0
    section('Fiber', tag)
    patch('rect', 1, 12, 1, c - y, c - z, y - c, z - c)
    patch('rect', 2, 14, 1, -y, -z, y, c - z)
    patch('rect', 2, 14, 1, -y, z - c, y, z)
    patch('rect', 2, 1, 1, -y, c - z, c - y, z - c)
    patch('rect', 2, 1, 1, y - c, c - z, y, z - c)
    for level in (c - y, y - c):
        layer('straight', 3, 4, area, level, c - z, level, z - c)


def build(bay=6.0, storey=3.2, weight=450.0):
    model('basic', '-ndm', 2, '-ndf', 3)
    for tag, (x, y) in enumerate([(0.0, 0.0), (bay, 0.0), (0.0, storey), (bay, storey)], start=1):
        node(tag, x, y)
    fix(1, 1, 1, 1)
    fix(2, 1, 1, 1)
    materials()
    column_section(1, 0.5, 0.5, 0.05, 4.9e-4)
    geomTransf('PDelta', 1)
    beamIntegration('Lobatto', 1, 1, 4)
    element('forceBeamColumn', 1, 1, 3, 1, 1, '-iter', 30, 1e-14)
    element('forceBeamColumn', 2, 2, 4, 1, 1, '-iter', 30, 1e-14)
    geomTransf('Linear', 2)
    element('elasticBeamColumn', 3, 3, 4, 0.18, 3.0e7, 0.0054, 2)
    for n in (3, 4):
        mass(n, weight / g, weight / g, 0.0)
    return weight


def gravity(weight):
    timeSeries('Linear', 1)
    pattern('Plain', 1, 1)
    load(3, 0.0, -weight, 0.0)
    load(4, 0.0, -weight, 0.0)
    constraints('Plain')
    numberer('Plain')
    system('BandGeneral')
    test('NormDispIncr', 1e-12, 30)
    algorithm('Newton')
    integrator('LoadControl', 0.1)
    analysis('Static')
    ok = analyze(10)
    loadConst('-time', 0.0)
    wipeAnalysis()
    return ok
