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
        same(f["channels/roof_ux"][:], x)
        same(f["channels/Kraft__"][:], force)
        assert list(f["channels"]) == ["roof_ux", "Kraft__"], list(f["channels"])
        assert f["channels/Kraft__"].attrs["name"].decode() == "Kraft ü"
        assert f["channels/Kraft__"].attrs["unit"] == b"kN"
        assert f["channels/roof_ux"].attrs["description"] == b"drift of the roof"
        assert f["time"].attrs["unit"] == b"s"
        assert f.attrs["title"].decode() == "Rahmen – drei Geschosse"
        assert f.attrs["outcome"] == b"finished"
        assert f.attrs["dropped"] == 0
        assert f.attrs["version"] == b"0.1.0"
        assert {k: v.decode() for k, v in f["settings"].attrs.items()} == {"dt": "1/1024", "Dämpfung": "2 %"}
        assert f["model"][()].decode() == "[frame] # ü\nstoreys = 3\n" * 500
        log = f["log"][()].decode()
        assert log.startswith("begin\n") and log.endswith("end\n"), log[:20]
        if n:
            k = n // 2
            same(f["channels/roof_ux"][k : k + 100], x[k : k + 100])
        # Copying an object walks its whole index.
        if n < 1_000_000:
            with h5py.File(path("copy.h5"), "w") as g:
                f.copy("channels", g)
                same(g["channels/roof_ux"][:], x)
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
        assert f.attrs["outcome"] == b"running"
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
print(f"scipy {scipy.__version__}: the MATLAB 5 file is equal")
csv = np.genfromtxt(path("export.csv"), delimiter=",", skip_header=1)
same(np.ascontiguousarray(csv[:, 0]), t)
same(np.ascontiguousarray(csv[:, 2]), force)
print("numpy: the CSV is equal")
