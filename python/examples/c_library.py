"""The C library from Python by `ctypes`, as Julia (`ccall`), MATLAB (`loadlibrary`) and LabVIEW use it.

    python c_library.py libinterfield_c.so model.toml '{"until": "1 s"}'
"""

from __future__ import annotations

import ctypes
import sys


class Interfield:
    """A handle of interfield.h."""

    def __init__(self, library: str, model: str, choices: str) -> None:
        self.lib = ctypes.CDLL(library)
        handle = ctypes.c_void_p
        for name, returns, arguments in [
            ("open", handle, [ctypes.c_char_p, ctypes.c_char_p]),
            ("close", None, [handle]),
            ("step", ctypes.c_int32, [handle, ctypes.c_uint64]),
            ("steps", ctypes.c_uint64, [handle]),
            ("channels", ctypes.c_int32, [handle]),
            ("get_all", ctypes.c_int32, [handle, ctypes.POINTER(ctypes.c_double), ctypes.c_uint64]),
            ("last_error", ctypes.c_char_p, [handle]),
        ]:
            function = getattr(self.lib, f"interfield_{name}")
            function.restype, function.argtypes = returns, arguments
        self.handle = self.lib.interfield_open(model.encode(), choices.encode())
        if not self.handle:
            raise ValueError(self.lib.interfield_last_error(None).decode())

    def run(self) -> list[float]:
        """All steps; the last row."""
        if self.lib.interfield_step(self.handle, self.lib.interfield_steps(self.handle)) < 0:
            raise RuntimeError(self.lib.interfield_last_error(self.handle).decode())
        count = self.lib.interfield_channels(self.handle)
        row = (ctypes.c_double * count)()
        self.lib.interfield_get_all(self.handle, row, count)
        return list(row)

    def close(self) -> None:
        """Ends the run."""
        self.lib.interfield_close(self.handle)


if __name__ == "__main__":
    run = Interfield(sys.argv[1], sys.argv[2], sys.argv[3])
    for value in run.run():
        print(value.hex())
    run.close()
