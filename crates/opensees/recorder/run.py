"""Runs a user's script against the recording module: run.py SCRIPT ARGUMENTS..."""

import importlib.abc
import importlib.machinery
import os
import runpy
import signal
import sys
import traceback
import types

_HERE = os.path.dirname(os.path.abspath(__file__))


class _Nothing(types.ModuleType):
    """A module for plots that are not drawn: whatever is called does nothing."""

    __path__ = []
    __all__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Idle()


class _Idle:
    def __call__(self, *arguments, **keywords):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        # `figure, axes = plt.subplots()`
        return iter([self, self])

    def __enter__(self):
        return self

    def __exit__(self, *what):
        return False


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that draw or look at results; those of other programs only if they are not installed."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.names or name in self.names else None

    def create_module(self, spec):
        return _Nothing(spec.name)

    def exec_module(self, module):
        pass


# These would ask the program for results that are not there.
sys.meta_path.insert(0, _Finder({"opsvis", "vfo", "openseespyvis", "opstool", "openseespy.postprocessing", "openseespy.preprocessing", "Get_Rendering"}))
sys.meta_path.append(_Finder({"matplotlib", "mpl_toolkits", "seaborn", "plotly", "pyvista"}))


def _stop(*_):
    raise TimeoutError("it took too long and was stopped (--timeout)")


def _where(error, script):
    """The last line of the user's files that the error came through."""
    place = (script, 0)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith(_HERE) and not file.startswith("<") and "site-packages" not in file and os.path.dirname(os.__file__) not in file:
            place = (file, line)
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno or 0)
    return place


def main():
    script, arguments = sys.argv[1], sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    sys.path.insert(0, _HERE)
    import openseespy.opensees as record

    record._RECORD.line(recorder="python", script=script, version=1)
    signal.signal(signal.SIGTERM, _stop)
    sys.argv = [script] + arguments
    end = {"end": "ok"}
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as e:
        if e.code not in (None, 0):
            end = {"end": "error", "message": "the script ended itself with status %s" % e.code, "file": _where(e, script)[0], "line": _where(e, script)[1]}
    except BaseException as e:
        file, line = _where(e, script)
        end = {"end": "error", "message": "%s: %s" % (type(e).__name__, e), "file": file, "line": line}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    record._RECORD.close(**end)
    sys.stdout.flush()
    # Threads and exit handlers of the script have nothing to add.
    os._exit(0)


main()
