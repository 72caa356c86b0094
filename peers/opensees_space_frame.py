"""The space frame of models/space-frame.toml in OpenSees: frequencies.

2 bays of 5 m in x, 1 bay of 4 m in y, 3 storeys of 3.5, 3 and 3 m in z (up), fixed bases; one Euler-Bernoulli element
per member with consistent mass. Node n{level}_{i}_{j} stands at x = 5 i, y = 4 j. Members run from the lower number to
the higher: columns upwards, beams along +x and +y. `vecxz` lies in the local x-z plane (local y = vecxz x local x).

J = Iy + Iz for all sections: OpenSees takes the rotary inertia of torsion from J, rho J l, and not from the polar moment
of area, so only then is there one answer. (A solid section that is not round has a smaller J.)

usage: python opensees_space_frame.py [--model | --toml]
Prints one JSON line: "omega" (rad/s, twelve); with --model the model as JSON, with --toml as the file crates/language/tests/data/space-frame-long.toml.
"""
import json
import math
import sys

ALONG_X, ALONG_Y, LEVELS = [0.0, 5.0, 10.0], [0.0, 4.0], [0.0, 3.5, 6.5, 9.5]
E, G, DENSITY = 3.0e10, 1.25e10, 2500.0
# width (along local z) x depth (along local y): A, Iy (bending in the local x-z plane), Iz (in the local x-y plane)
COLUMN = {"A": 0.40 * 0.50, "Iy": 0.50 * 0.40**3 / 12.0, "Iz": 0.40 * 0.50**3 / 12.0}
BEAM = {"A": 0.25 * 0.45, "Iy": 0.45 * 0.25**3 / 12.0, "Iz": 0.25 * 0.45**3 / 12.0}
for section in (COLUMN, BEAM):
    section["J"] = section["Iy"] + section["Iz"]


def model():
    """Nodes by name, and members as (name, from, to, section, vecxz)."""
    nodes = {
        f"n{k}_{i}_{j}": [x, y, z] for k, z in enumerate(LEVELS) for i, x in enumerate(ALONG_X) for j, y in enumerate(ALONG_Y)
    }
    members = []
    for k in range(len(LEVELS)):
        for i in range(len(ALONG_X)):
            for j in range(len(ALONG_Y)):
                here = f"n{k}_{i}_{j}"
                if k + 1 < len(LEVELS):
                    members.append([f"c{k + 1}_{i}_{j}", here, f"n{k + 1}_{i}_{j}", "column", [0.0, 1.0, 0.0]])
                if k > 0 and i + 1 < len(ALONG_X):
                    members.append([f"x{k}_{i}_{j}", here, f"n{k}_{i + 1}_{j}", "beam", [0.0, 1.0, 0.0]])
                if k > 0 and j + 1 < len(ALONG_Y):
                    members.append([f"y{k}_{i}_{j}", here, f"n{k}_{i}_{j + 1}", "beam", [1.0, 0.0, 0.0]])
    fixed = [name for name in nodes if name.startswith("n0_")]
    sections = {"column": COLUMN, "beam": BEAM}
    return {
        "units": ["m", "N", "s", "kg"], "E": E, "G": G, "density": DENSITY,
        "sections": sections, "nodes": nodes, "fixed": fixed, "members": members,
    }


def toml(data):
    """The model file; numbers are written in full, so that both programs compute with the same ones."""
    lines = [
        "# Space frame, 2 x 1 bays of 5 m and 4 m, 3 storeys of 3.5, 3 and 3 m: columns 0.4 m x 0.5 m, beams 0.25 m x 0.45 m,",
        "# consistent masses, fixed bases. J = Iy + Iz, so that OpenSees, which takes the rotary inertia of torsion from J,",
        "# means the same structure. Node n<level>_<x>_<y>. Written by peers/opensees_space_frame.py --toml.",
        'title = "Space frame, 2 x 1 bays, 3 storeys"',
        'dofs = ["x", "y", "z", "rx", "ry", "rz"]',
        "",
        "node = [",
    ]
    for name, at in data["nodes"].items():
        fixed = ", fixed = true" if name in data["fixed"] else ""
        lines.append(f'    {{ name = "{name}", at = {at}{fixed} }},')
    lines += ["]", "", "element = ["]
    for name, a, b, section, vecxz in data["members"]:
        c = section[0]
        values = ", ".join(f'{key} = "{key}{c}"' for key in ("A", "Iy", "Iz", "J"))
        lines.append(
            f'    {{ type = "beam3d", name = "{name}", nodes = ["{a}", "{b}"], E = "E", G = "G", {values}, rho = "rho", '
            f"vecxz = {vecxz} }},"
        )
    lines += ["]", "", "[parameters]", f'E = "{E / 1e9} GPa"', f'G = "{G / 1e9} GPa"', f'rho = "{DENSITY} kg/m^3"']
    for section, values in data["sections"].items():
        units = {"A": "m^2"}
        lines += [f'{key}{section[0]} = "{x!r} {units.get(key, "m^4")}"' for key, x in values.items()]
    return "\n".join(lines + ["", "[analysis]", 'scheme = "lsrt2"', 'dt = "1 ms"', 'duration = "1 s"'])


def main():
    data = model()
    if sys.argv[1:] == ["--toml"]:
        print(toml(data))
        return
    if sys.argv[1:] == ["--model"]:
        print(json.dumps(data, indent=1))
        return
    import openseespy.opensees as ops

    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    tags = {name: tag for tag, name in enumerate(data["nodes"], 1)}
    for name, position in data["nodes"].items():
        ops.node(tags[name], *position)
    for name in data["fixed"]:
        ops.fix(tags[name], 1, 1, 1, 1, 1, 1)
    for tag, (_, a, b, section, vecxz) in enumerate(data["members"], 1):
        s = data["sections"][section]
        ops.geomTransf("Linear", tag, *vecxz)
        ops.element(
            "elasticBeamColumn", tag, tags[a], tags[b], s["A"], E, G, s["J"], s["Iy"], s["Iz"], tag,
            "-mass", DENSITY * s["A"], "-cMass",
        )
    print(json.dumps({"omega": [math.sqrt(x) for x in ops.eigen(12)]}))


if __name__ == "__main__":
    main()
