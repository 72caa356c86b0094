"""The C library: a program in C, `ctypes`, and Python have the same bits."""

import os
import shutil
import subprocess
import sys

import pytest
from test_models import MODELS

import interfield

ROOT = os.path.join(MODELS, "..")
LIBRARY = os.environ.get("INTERFIELD_C_LIBRARY", os.path.join(ROOT, "target", "debug", "libinterfield_c.so"))
CAPI = os.path.join(ROOT, "crates", "capi")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    out = tmp_path_factory.mktemp("c") / "steps"
    folder = os.path.dirname(LIBRARY)
    subprocess.run(
        ["cc", "-std=c99", "-pthread", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", os.path.join(CAPI, "include"),
         os.path.join(CAPI, "tests", "steps.c"), "-o", str(out), LIBRARY, f"-Wl,-rpath,{folder}", "-lm"], check=True)
    return str(out)


@pytest.mark.skipif(shutil.which("c++") is None, reason="a system without a compiler for C++")
def test_the_header_is_one_of_cpp_too(tmp_path):
    source = tmp_path / "header.cpp"
    source.write_text('#include "interfield.h"\nint main() { return interfield_version() == nullptr; }\n')
    out = tmp_path / "header"
    subprocess.run(["c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", os.path.join(CAPI, "include"), str(source),
                    "-o", str(out), LIBRARY, f"-Wl,-rpath,{os.path.dirname(LIBRARY)}"], check=True)
    subprocess.run([str(out)], check=True)


@pytest.mark.parametrize("name, choices, own", [
    ("duffing-chain.toml", '{"until": "1 s"}', {"until": "1 s"}),
    ("isolated-building.toml", '{"until": "1 s", "coupling": "pmc", "substeps": 4}',
     {"until": "1 s", "coupling": "pmc", "substeps": 4}),
])
def test_the_same_bits_in_c_ctypes_and_python(program, name, choices, own):
    model = os.path.join(MODELS, name)
    said = subprocess.run([program, model, choices], check=True, capture_output=True, text=True).stdout
    in_c = [float.fromhex(line) for line in said.split()]
    example = os.path.join(os.path.dirname(__file__), "..", "examples", "c_library.py")
    said = subprocess.run([sys.executable, example, LIBRARY, model, choices], check=True, capture_output=True, text=True)
    assert [float.fromhex(line) for line in said.stdout.split()] == in_c
    assert interfield.Model.from_file(model).run(progress=False, **own).rows[-1].tolist() == in_c
