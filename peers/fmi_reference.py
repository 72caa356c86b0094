"""Fetches a unit of the FMI project's public set ("Reference FMUs") from PyPI: fmi_reference.py FOLDER

The set itself is on GitHub only. The source distribution of sim-explorer (DNV, MIT) carries one of it, BouncingBall for FMI 2.0, with
binaries, in its tests; the distribution is asked for by its hash.
"""

import hashlib
import io
import json
import os
import pathlib
import re
import sys
import tarfile
import urllib.parse
import urllib.request

PACKAGE, FILE = "sim-explorer", "sim_explorer-0.2.2.tar.gz"
SHA256 = "532a733289754bf9e3f046a6e48841d624e0ef7c002c390deae2e2f1d5f81666"
UNIT = "sim_explorer-0.2.2/tests/data/BouncingBall0/BouncingBall.fmu"

target = pathlib.Path(sys.argv[1]) / "BouncingBall.fmu"
if not target.exists():
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + f"/{PACKAGE}/"
    page = urllib.request.urlopen(index, timeout=60).read().decode()
    address = re.search(rf'href="([^"#]*{re.escape(FILE)})', page)
    if not address:
        sys.exit(f"{index} does not list {FILE}")
    data = urllib.request.urlopen(urllib.parse.urljoin(index, address[1]), timeout=120).read()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{FILE} is not the file that is known here")
    unit = tarfile.open(fileobj=io.BytesIO(data)).extractfile(UNIT).read()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(unit)
print(json.dumps({"unit": str(target)}))
