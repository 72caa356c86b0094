"""Reads what `python_check.rs` wrote, with h5py, scipy and numpy alone."""
import os
import sys

import h5py
import numpy as np
import scipy.io

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def rows(n):
    i = np.arange(n, dtype=float)
    force = -i * i
    force[::7] = np.nan
    return i / 1024, i * 0.5, force


def same(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    assert np.array_equal(a.view(np.uint64), b.view(np.uint64)) or np.array_equal(a, b, equal_nan=True)


# 1. Complete files: every height of the index (block size 16), the usual block size.
for name in sorted(f for f in os.listdir(folder) if f.startswith("whole-")):
    n = int(name.split("-")[1])
    with h5py.File(path(name), "r") as f:
        t, x, force = rows(n)
        same(f["time"][:], t)
        same(f["channels/roof.ux"][:], x)
        same(f["channels/Kraft ü"][:], force)
        assert list(f["channels"]) == ["roof.ux", "Kraft ü"], list(f["channels"])

        # What attributes say is text or a number as it stands, never bytes.
        def said(of, name, value):
            got = of.attrs[name]
            assert type(got) is type(value) or isinstance(got, np.generic), (name, type(got))
            assert got == value, (name, got)

        said(f["channels/Kraft ü"], "name", "Kraft ü")
        said(f["channels/Kraft ü"], "unit", "kN")
        said(f["channels/Kraft ü"], "description", "")
        said(f["channels/roof.ux"], "description", "drift of the roof")
        said(f["time"], "unit", "s")
        said(f, "title", "Rahmen – drei Geschosse")
        said(f, "outcome", "finished")
        said(f, "version", "0.1.0")
        assert f.attrs["dropped"] == 0 and f.attrs["format_version"] == 2
        settings = dict(f["settings"].attrs)
        assert settings == {
            "dt": 1 / 1024, "dt_unit": "s", "steps": n, "Dämpfung": "2 % – modal", "nothing": "",
        }, settings
        assert settings["dt"].dtype == np.float64 and settings["steps"].dtype == np.uint64
        assert f["model"].asstr("utf-8")[()] == "[frame] # ü\nstoreys = 3\n" * 500
        log = f["log"].asstr("utf-8")[()]
        assert log.startswith("begin\n") and log.endswith("end\n"), log[:20]
        if n:
            k = n // 2
            same(f["channels/roof.ux"][k : k + 100], x[k : k + 100])
        # Copying an object walks its whole index.
        if n < 1_000_000:
            with h5py.File(path("copy.h5"), "w") as g:
                f.copy("channels", g)
                same(g["channels/roof.ux"][:], x)
    print(f"h5py {h5py.version.version} (HDF5 {h5py.version.hdf5_version}): {name}: {n} rows, all equal")

# 2. More columns than change together.
with h5py.File(path("wide.h5"), "r") as f:
    for c in range(300):
        same(f[f"channels/c{c}"][:], np.arange(5000.0) + c)
print("h5py: 300 channels, all equal")

# 3. Killed runs.
killed = sorted(f for f in os.listdir(folder) if f.startswith("killed-") and f.endswith(".h5"))
assert len(killed) == 50, len(killed)
shortest, longest, ragged = 10**12, 0, 0
for name in killed:
    with h5py.File(path(name), "r") as f:
        assert f.attrs["outcome"] == "running"
        lengths = {len(d) for d in f["channels"].values()} | {len(f["time"])}
        ragged += len(lengths) > 1
        n = min(lengths)
        same(f["time"][:n], np.arange(float(n)))
        for d in f["channels"].values():
            same(d[:n], np.arange(float(n)) * 0.25)
        shortest, longest = min(shortest, n), max(longest, n)
print(f"h5py: 50 killed runs open, {shortest} to {longest} rows, {ragged} with columns of different lengths")
assert ragged == 0

# 4. Exports.
t, x, force = rows(100_000)
mat = scipy.io.loadmat(path("export.mat"))
same(mat["time"][:, 0], t)
same(mat["roof_ux"][:, 0], x)
same(mat["Kraft__"][:, 0], force)
mat = scipy.io.loadmat(path("export.mat"), simplify_cells=True)
assert mat["units"] == {"time": "s", "roof_ux": "m", "Kraft__": "kN"}, mat["units"]
assert mat["info"]["title"] == "Rahmen – drei Geschosse", mat["info"]["title"]
assert mat["info"]["model_text"] == "[frame] # ü\nstoreys = 3\n" * 500
assert mat["info"]["names"]["Kraft__"] == "Kraft ü"
assert mat["info"]["outcome"] == "finished"
assert (mat["info"]["settings"]["dt"], mat["info"]["settings"]["dt_unit"]) == (1 / 1024, "s")
print(f"scipy {scipy.__version__}: the MATLAB 5 file is equal")
csv = np.genfromtxt(path("export.csv"), delimiter=",", skip_header=1)
same(np.ascontiguousarray(csv[:, 0]), t)
same(np.ascontiguousarray(csv[:, 2]), force)
print("numpy: the CSV is equal")
