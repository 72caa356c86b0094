"""Runs a user's script in the real OpenSees, and writes down what moved after every step.

    peer.py SCRIPT.py ARGUMENTS...     the script itself, with this module in front of openseespy.opensees
    peer.py --serve                    commands of a Tcl script, one line of JSON each; answers are lists of Tcl

INTERFIELD_RESULTS names a file without its ending: .json gets lines (version, stages, eigenvalues, failures, end), .bin rows of
float64: run, stage, time of OpenSees, then the displacements of INTERFIELD_CHANNELS (a file of JSON, [[node, dof], ...]). A run ends with
`wipe`; a stage is what one integrator did, and a group of stages goes on from `loadConst`, `reset` or load control to the next. With INTERFIELD_HALVE every step of a transient analysis and of displacement control is done
in two halves, and written down after both.
"""

import array
import json
import os
import runpy
import sys
import traceback
import types

_HERE = os.path.abspath(__file__)
_HALVE = os.environ.get("INTERFIELD_HALVE") == "1"


class _Results:
    def __init__(self, real):
        base = os.environ["INTERFIELD_RESULTS"]
        self.real = real
        self.lines, self.rows = open(base + ".json", "w", encoding="utf-8"), open(base + ".bin", "wb")
        with open(os.environ["INTERFIELD_CHANNELS"], encoding="utf-8") as file:
            self.channels = [tuple(c) for c in json.load(file)]
        self.run, self.group, self.stage, self.open = 0, 0, -1, False
        self.integrator, self.kind, self.used = [], "", False

    def line(self, **entry):
        self.lines.write(json.dumps(entry) + "\n")
        self.lines.flush()

    def close(self):
        self.group += 1
        self.open = False

    def row(self, dt):
        """One row; the first of a stage starts it."""
        if not self.open:
            self.stage += 1
            self.open = self.used = True
            self.line(stage=self.stage, run=self.run, group=self.group, analysis=self.kind, integrator=self.integrator, dt=dt)
        tags = set(self.real.getNodeTags())
        moved = [self.real.nodeDisp(n, d) if n in tags else float("nan") for n, d in self.channels]
        array.array("d", [self.run, self.stage, self.real.getTime()] + moved).tofile(self.rows)


def _install(real):
    """The module that scripts get: the real commands, and those that matter here."""
    results = _Results(real)
    module = types.ModuleType("openseespy.opensees")
    names = [n for n in dir(real) if not n.startswith("_")]
    for name in names:
        setattr(module, name, getattr(real, name))
    module.__all__ = names

    def integrator(*a):
        results.integrator, results.open = [x if isinstance(x, str) else float(x) for x in _flat(a)], False
        a = list(_flat(a))
        if _HALVE and a and a[0] == "DisplacementControl" and len(a) > 3:
            # Only the increment: what follows are numbers of iterations and bounds.
            a[3] = float(a[3]) / 2
            a[5:7] = [float(x) / 2 for x in a[5:7]]
        return real.integrator(*a)

    def analysis(*a):
        results.kind, results.open = str(a[0]) if a else "", False
        return real.analysis(*a)

    def analyze(*a):
        transient = results.kind.endswith("Transient")
        a = list(_flat(a))
        if len(a) > (2 if transient else 1):
            # A step that OpenSees chooses itself.
            told = real.analyze(*a)
            results.row(float(a[1]))
            return told
        dt = float(a[1]) if transient and len(a) > 1 else 0.0
        halves = 2 if _HALVE and (transient or (results.integrator and results.integrator[0] == "DisplacementControl")) else 1
        if not transient and (not results.integrator or results.integrator[0] != "DisplacementControl"):
            results.close()
        for _ in range(int(a[0])):
            for _ in range(halves):
                told = real.analyze(1, dt / halves) if transient else real.analyze(1)
                if told != 0:
                    results.line(failed=told, run=results.run, stage=results.stage, time=real.getTime())
                    return told
            results.row(dt)
        return 0

    def eigen(*a):
        told = real.eigen(*a)
        results.line(eigen=[float(v) for v in told], run=results.run, stage=results.stage)
        return told

    def wipe(*a):
        if results.used:
            results.run += 1
        results.close()
        results.used = False
        results.integrator, results.kind = [], ""
        return real.wipe(*a)

    def wipe_analysis(*a):
        results.open = False
        return real.wipeAnalysis(*a)

    def load_const(*a):
        results.close()
        return real.loadConst(*a)

    def reset(*a):
        results.close()
        return real.reset(*a)

    module.integrator, module.analysis, module.analyze = integrator, analysis, analyze
    module.eigen, module.wipe, module.wipeAnalysis = eigen, wipe, wipe_analysis
    module.loadConst, module.reset = load_const, reset
    sys.modules["openseespy.opensees"] = module
    sys.modules["openseespy"].opensees = module
    return module, results


def _flat(arguments):
    for a in arguments:
        if isinstance(a, str) or not hasattr(a, "__iter__"):
            yield a
        else:
            yield from _flat(a)


def _place(error, script):
    place = (script, 0)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if os.path.abspath(file) != _HERE and "site-packages" not in file and not file.startswith("<"):
            place = (file, line)
    return place


def _run(script, arguments, results):
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    sys.argv = [script] + arguments
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as e:
        if e.code not in (None, 0):
            file, line = _place(e, script)
            return results.line(end="error", message="the script ended itself with status %s" % e.code, file=file, line=line)
    except BaseException as e:
        file, line = _place(e, script)
        return results.line(end="error", message="%s: %s" % (type(e).__name__, e), file=file, line=line)
    results.line(end="ok")


def _tcl(value):
    """A value as Tcl reads it."""
    if value is None:
        return "{}"
    if isinstance(value, (list, tuple)):
        return "{" + " ".join(_tcl(v) for v in value) + "}"
    if isinstance(value, dict):
        return "{" + " ".join(_tcl(x) for pair in value.items() for x in pair) + "}"
    if isinstance(value, str):
        return "{" + value.replace("\\", "/").replace("{", "(").replace("}", ")").replace("\n", " ") + "}"
    return repr(value)


def _serve(module, results, told):
    # The script ends with an error that it does not catch: then no command follows.
    end = {"end": "ok"}
    for text in sys.stdin:
        command = json.loads(text)
        end = {"end": "ok"}
        function = getattr(module, command["command"], None)
        try:
            if function is None:
                raise NameError("openseespy has no command `%s`" % command["command"])
            told.write("ok " + _tcl(function(*command["arguments"])) + "\n")
        except BaseException as e:
            message = "%s: %s" % (type(e).__name__, e)
            end = {"end": "error", "message": message, "file": command.get("file", ""), "line": command.get("line", 0)}
            told.write("error " + _tcl(message) + "\n")
        told.flush()
    results.line(**end)


def main():
    os.environ.setdefault("MPLBACKEND", "Agg")
    # What OpenSees prints is not an answer.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as real

    module, results = _install(real)
    results.line(peer="openseespy", version=str(real.version()), python=sys.version.split()[0])
    if sys.argv[1] == "--serve":
        _serve(module, results, told)
    else:
        _run(sys.argv[1], sys.argv[2:], results)
    results.rows.close()
    results.lines.close()


main()
