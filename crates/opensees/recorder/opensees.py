"""Stands in for openseespy.opensees: every command is written down, in order, with the line that gave it; nothing is computed here.

Answers let a script go on to its end. A number that descends from an answer is marked, through arithmetic, `math` and numpy's functions
of one number, so that the translator knows what it cannot trust. Eigenvalues are computed by Interfield itself (INTERFIELD_PROGRAM),
from the model recorded so far.
"""

import json
import math
import os
import subprocess
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# What a query answers that nothing is known of: not zero, so that a script may divide by it.
_TINY = 1e-12
# Commands after which a script is taken for one that never ends.
_MOST = 5_000_000


class OpenSeesError(Exception):
    """The name that scripts catch."""


class Answer(float):
    """A number that descends from an answer of the program."""

    def __new__(cls, value, origin, live=False):
        self = super().__new__(cls, value)
        self.origin = origin
        self.live = live
        return self

    def __array_ufunc__(self, function, method, *inputs, **keywords):
        plain = [float(x) if isinstance(x, Answer) else x for x in inputs]
        return _marked(getattr(function, method)(*plain, **keywords), inputs)

    def __reduce__(self):
        return (float, (float(self),))


def _marked(result, inputs):
    """The result of a function of one or more numbers, marked as they are."""
    marks = [x for x in inputs if isinstance(x, Answer)]
    if not marks or isinstance(result, (bool, int)) or getattr(result, "shape", ()) != ():
        return result
    try:
        return Answer(float(result), marks[0].origin, all(m.live for m in marks))
    except (TypeError, ValueError):
        return result


def _traced(function):
    def call(*arguments):
        return _marked(function(*arguments), arguments)

    return call


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    for _side in ("__%s__", "__r%s__"):
        setattr(Answer, _side % _name, _traced(getattr(float, _side % _name)))
for _name in ("__neg__", "__pos__", "__abs__"):
    setattr(Answer, _name, _traced(getattr(float, _name)))
for _name in dir(math):
    if not _name.startswith("_") and callable(getattr(math, _name)):
        setattr(math, _name, _traced(getattr(math, _name)))


class _Record:
    """What the script has said, and what of it questions are answered from."""

    def __init__(self):
        self.path = os.environ.get("INTERFIELD_RECORD")
        self.file = open(self.path, "w", buffering=1, encoding="utf-8") if self.path else None
        self.count = 0
        self.waiting = None
        self.clear()

    def clear(self):
        self.nodes, self.elements, self.masses, self.fixed = {}, {}, {}, {}
        self.ndm, self.ndf = 2, 3
        self.time, self.increment, self.transient, self.controlled = 0.0, 1.0, False, None
        self.moved, self.eigen, self.asked = {}, None, set()
        # Displacements at rest, as Interfield computes them: asked for once in each state.
        self.rest, self.questions = None, 0

    def line(self, **entry):
        if self.file:
            self.file.write(json.dumps(entry) + "\n")

    def say(self, name, arguments, **more):
        """Writes a command; steps of an analysis in a loop become one command."""
        file, line = _place()
        entry = dict(command=name, arguments=[_written(a) for a in arguments], file=file, line=line, **more)
        waiting, self.waiting = self.waiting, None
        if name == "analyze" and arguments:
            same = waiting and all(waiting[k] == entry[k] for k in ("file", "line")) and waiting["arguments"][1:] == entry["arguments"][1:]
            if same:
                entry["arguments"][0] = float(waiting["arguments"][0]) + float(arguments[0])
            elif waiting:
                self.line(**waiting)
            self.waiting = entry
            return
        if waiting:
            self.line(**waiting)
        self.line(**entry)
        self.count += 1
        if self.count > _MOST:
            raise RuntimeError("more than %d commands were recorded: the script does not seem to end" % _MOST)

    def flush(self):
        if self.waiting:
            self.line(**self.waiting)
            self.waiting = None
        if self.file:
            self.file.flush()

    def close(self, **end):
        self.flush()
        self.line(**end)
        if self.file:
            self.file.close()
            self.file = None


def _place():
    """File and line of the script that gave the command."""
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(_HERE):
        frame = frame.f_back
    # A library between the script and the command is not what the user wrote.
    outer = frame
    while outer and ("site-packages" in outer.f_code.co_filename or outer.f_code.co_filename.startswith("<")):
        outer = outer.f_back
    frame = outer or frame
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)


def _flat(arguments):
    """Arguments as OpenSees reads them: lists, tuples, arrays and sets opened, whole numbers and numbers of numpy plain."""
    for a in arguments:
        if isinstance(a, (str, bytes)):
            yield a.decode() if isinstance(a, bytes) else str(a)
        elif isinstance(a, (bool, int)):
            yield int(a)
        elif isinstance(a, float):
            yield a if isinstance(a, Answer) else float(a)
        elif a is None:
            continue
        elif hasattr(a, "ravel"):
            yield from _flat(a.ravel().tolist())
        elif hasattr(a, "item"):
            yield from _flat([a.item()])
        elif isinstance(a, dict):
            yield from _flat(a.values())
        elif hasattr(a, "__iter__"):
            yield from _flat(a)
        elif hasattr(a, "__index__"):
            yield int(a)
        elif hasattr(a, "__float__"):
            yield float(a)
        else:
            yield str(a)


def _written(a):
    if isinstance(a, Answer):
        mark = {"value": _written(float(a)), "from": a.origin}
        return dict(mark, live=True) if a.live else mark
    if isinstance(a, float):
        if not math.isfinite(a):
            return repr(a)
        return int(a) if a == int(a) and abs(a) < 1e15 else a
    return a


_RECORD = _Record()


def _number(arguments, i, otherwise=None):
    try:
        return float(arguments[i])
    except (IndexError, TypeError, ValueError):
        return otherwise


def _tag(arguments, i=0):
    number = _number(arguments, i)
    return None if number is None else int(number)


# What commands tell of the model, for later questions.


def _model(a):
    r = _RECORD
    for i, word in enumerate(a):
        if word == "-ndm":
            r.ndm = _tag(a, i + 1) or r.ndm
            r.ndf = {1: 1, 2: 3, 3: 6}.get(r.ndm, r.ndf)
    for i, word in enumerate(a):
        if word == "-ndf":
            r.ndf = _tag(a, i + 1) or r.ndf


def _node(a):
    _RECORD.nodes[_tag(a)] = [x for x in a[1 : 1 + _RECORD.ndm] if not isinstance(x, str)]


def _mass(a):
    _RECORD.masses[_tag(a)] = list(a[1:])


def _fix(a):
    _RECORD.fixed[_tag(a)] = list(a[1:])


# Nodes of an element, where there are not two.
_ENDS = {"quad": 4, "ShellMITC4": 4, "ShellDKGQ": 4, "stdBrick": 8, "tri31": 3, "Joint2D": 4, "FourNodeTetrahedron": 4}


def _element(a):
    if len(a) > 2:
        _RECORD.elements[_tag(a, 1)] = [int(n) for n in a[2 : 2 + _ENDS.get(a[0], 2)] if not isinstance(n, str)]


def _integrator(a):
    r, kind = _RECORD, str(a[0]) if a else ""
    r.controlled = None
    r.transient = kind not in ("LoadControl", "DisplacementControl", "ArcLength", "ArcLength1", "MinUnbalDispNorm", "EQPath", "StaticLoadControl")
    if kind in ("LoadControl", "StaticLoadControl"):
        r.increment = _number(a, 1, 1.0)
    elif kind == "DisplacementControl":
        r.controlled = (_tag(a, 1), _tag(a, 2), _number(a, 3, 0.0))
        r.increment = 1.0


def _analysis(a):
    kind = str(a[0]) if a else ""
    _RECORD.transient = kind.endswith("Transient")


def _analyze(a):
    r, steps = _RECORD, _number(a, 0, 1.0)
    r.rest = None if r.transient or r.controlled else {}
    r.time += steps * (_number(a, 1, 0.0) if r.transient else r.increment)
    if not r.transient and r.controlled:
        node, dof, step = r.controlled
        r.moved[node, dof] = r.moved.get((node, dof), 0.0) + steps * step
    return 0


def _load_const(a):
    if "-time" in a:
        _RECORD.time = _number(a, a.index("-time") + 1, 0.0)


def _set_time(a):
    _RECORD.time = _number(a, 0, 0.0)


def _reset(a):
    _RECORD.time, _RECORD.moved = 0.0, {}


def _remove(a):
    kind, tag = str(a[0]) if a else "", _tag(a, 1)
    {"element": _RECORD.elements, "ele": _RECORD.elements, "node": _RECORD.nodes}.get(kind, {}).pop(tag, None)


def _files(a):
    """A path means what it meant where the script stood."""
    return [os.path.abspath(x) if i and a[i - 1] in ("-filePath", "-fileTime", "-file") and isinstance(x, str) and os.path.isfile(x) else x for i, x in enumerate(a)]


_HEARD = {
    "model": _model, "node": _node, "mass": _mass, "fix": _fix, "element": _element, "integrator": _integrator, "analysis": _analysis,
    "analyze": _analyze, "loadConst": _load_const, "setTime": _set_time, "reset": _reset, "remove": _remove,
    "wipe": lambda a: _RECORD.clear(),
}


# Answers.


def _ask(question):
    """What Interfield computes of the model recorded so far, or None."""
    program = os.environ.get("INTERFIELD_PROGRAM")
    if not program or not _RECORD.file:
        return None
    _RECORD.flush()
    try:
        told = subprocess.run([program, "import", "answer", _RECORD.path] + question, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, timeout=300)
        return json.loads(told.stdout) if told.returncode == 0 else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _eigen(a):
    numbers = [int(x) for x in a if not isinstance(x, str)]
    count = numbers[-1] if numbers else 1
    told = _ask(["--eigen", str(count)])
    live = bool(told)
    values = told["eigenvalues"] if told else [(10.0 * (i + 1)) ** 2 for i in range(count)]
    _RECORD.eigen = told
    _RECORD.say("eigen", a, live=live)
    # More than there are motions with a mass: the rest does not move.
    beyond = [Answer(1e30, "eigen")] * (count - len(values))
    return [Answer(v, "eigen", live) for v in values] + beyond


def _eigenvector(a):
    node, mode, dof = _tag(a), _tag(a, 1) or 1, _tag(a, 2)
    shapes = (_RECORD.eigen or {}).get("unknowns", [])
    live = mode <= len(shapes)
    # Degrees of freedom that are held or follow others are no unknowns.
    shape = [Answer(shapes[mode - 1].get("n%d.%s" % (node, d), 0.0) if live else 1.0, "nodeEigenvector", live) for d in _names()]
    return shape if dof is None else shape[dof - 1]


def _displacement(a):
    node, dof = _tag(a), _tag(a, 1)
    if dof is None:
        return [_displacement([node, i + 1]) for i in range(_RECORD.ndf)]
    known = _RECORD.moved.get((node, dof))
    if known is not None:
        return known
    at_rest = _at_rest().get("n%s.%s" % (node, _names()[dof - 1] if 0 < dof <= len(_names()) else ""))
    return Answer(_TINY, "nodeDisp") if at_rest is None else Answer(at_rest, "nodeDisp", True)


def _led(a):
    """A displacement that is led begins where the loads before have brought it."""
    node, dof, r = _tag(a, 1), _tag(a, 2), _RECORD
    if (node, dof) not in r.moved:
        at = _displacement([node, dof])
        r.moved[node, dof] = float(at) if at.live else 0.0
        r.say("begins", [node, dof, r.moved[node, dof]])


def _names():
    return {1: ["x"], 2: ["x", "y", "rz"], 3: ["x", "y", "z", "rx", "ry", "rz"]}[_RECORD.ndm][: _RECORD.ndf]


def _at_rest():
    """Displacements after a static analysis, from Interfield; nothing if there are none or the questions are too many."""
    r = _RECORD
    if r.rest is None:
        return {}
    if not r.rest and r.questions < 50:
        r.questions += 1
        r.rest = (_ask(["--rest"]) or {}).get("displacements") or {"": 0.0}
    return r.rest


def _of_node(name):
    def answer(a):
        return [Answer(_TINY, name)] * _RECORD.ndf if _tag(a, 1) is None else Answer(_TINY, name)

    return answer


def _of_element(name, count=12):
    def answer(a):
        # The force of one coordinate is one number.
        single = name in ("eleForce", "eleDynamicalForce", "basicForce", "sectionForce", "sectionDeformation") and len(a) > 1 and _tag(a, -1) is not None
        return Answer(_TINY, name) if single else [Answer(_TINY, name)] * count

    return answer


def _coordinates(a):
    at, i = _RECORD.nodes.get(_tag(a), [0.0] * _RECORD.ndm), _tag(a, 1)
    return list(at) if i is None else at[i - 1]


def _node_mass(a):
    mass, dof = _RECORD.masses.get(_tag(a), [0.0] * _RECORD.ndf), _tag(a, 1)
    return list(mass) if dof is None else mass[dof - 1]


def _modal_properties(a):
    count = len((_RECORD.eigen or {}).get("eigenvalues", [])) or 1
    values = [Answer(v, "eigen", True) for v in (_RECORD.eigen or {}).get("eigenvalues", [])] or [Answer(1.0, "eigen")]
    omega = [math.sqrt(v) for v in values]
    known = {"eigenLambda": values, "eigenOmega": omega, "eigenFrequency": [w / (2 * math.pi) for w in omega],
             "eigenPeriod": [2 * math.pi / w for w in omega], "domainSize": [_RECORD.ndm]}
    names = ["%s%s%s" % (what, kind, d) for what in ("partiFactor", "partiMass", "partiMassesCumu", "partiMassRatios", "partiMassRatiosCumu", "totalMass", "centerOfMass", "totalFreeMass")
             for kind in ("", "M", "RM") for d in ("", "X", "Y", "Z")]
    return dict({n: [Answer(_TINY, "modalProperties")] * count for n in names}, **known)


_QUERIES = {
    "getTime": lambda a: _RECORD.time,
    "nodeDisp": _displacement,
    "nodeVel": _of_node("nodeVel"),
    "nodeAccel": _of_node("nodeAccel"),
    "nodeReaction": _of_node("nodeReaction"),
    "nodeUnbalance": _of_node("nodeUnbalance"),
    "nodeResponse": lambda a: Answer(_TINY, "nodeResponse"),
    "nodeEigenvector": _eigenvector,
    "nodeCoord": _coordinates,
    "nodeDOFs": lambda a: list(range(_RECORD.ndf)),
    "nodeMass": _node_mass,
    "nodeBounds": lambda a: [f(n[i] for n in _RECORD.nodes.values()) for f in (min, max) for i in range(_RECORD.ndm)] if _RECORD.nodes else [],
    "getNodeTags": lambda a: list(_RECORD.nodes),
    "getEleTags": lambda a: list(_RECORD.elements),
    "eleNodes": lambda a: _RECORD.elements.get(_tag(a), []),
    "getFixedNodes": lambda a: list(_RECORD.fixed),
    "getNumElements": lambda a: len(_RECORD.elements),
    "getNDM": lambda a: [_RECORD.ndm],
    "getNDF": lambda a: [_RECORD.ndf],
    "eleForce": _of_element("eleForce"),
    "eleDynamicalForce": _of_element("eleDynamicalForce"),
    "eleResponse": _of_element("eleResponse"),
    "basicForce": _of_element("basicForce", 6),
    "basicDeformation": _of_element("basicDeformation", 6),
    "sectionForce": _of_element("sectionForce", 4),
    "sectionDeformation": _of_element("sectionDeformation", 4),
    "sectionLocation": _of_element("sectionLocation"),
    "sectionWeight": _of_element("sectionWeight"),
    "getLoadFactor": lambda a: Answer(_RECORD.time, "getLoadFactor"),
    "testIter": lambda a: 1,
    "testNorm": lambda a: [0.0],
    "testNorms": lambda a: [0.0],
    "numIter": lambda a: 1,
    "numFact": lambda a: 1,
    "systemSize": lambda a: len(_RECORD.nodes) * _RECORD.ndf,
    "modalProperties": _modal_properties,
    "getStress": lambda a: Answer(_TINY, "getStress"),
    "getStrain": lambda a: Answer(_TINY, "getStrain"),
    "getTangent": lambda a: Answer(_TINY, "getTangent"),
    "printA": lambda a: [Answer(_TINY, "printA")],
    "printB": lambda a: [Answer(_TINY, "printB")],
    "getPID": lambda a: 0,
    "getNP": lambda a: 1,
    "getNumThreads": lambda a: 1,
    "version": lambda a: "3.7.1",
    "getPatterns": lambda a: [],
    "totalCPU": lambda a: 1.0,
    "solveCPU": lambda a: 1.0,
    "accelCPU": lambda a: 1.0,
}


def _command(name):
    """The function of a command."""

    def call(*arguments, **_):
        a = list(_flat(arguments))
        if name == "eigen":
            return _eigen(a)
        if name in _QUERIES:
            key = (name, tuple(map(str, a)))
            if key not in _RECORD.asked and len(_RECORD.asked) < 10_000:
                _RECORD.asked.add(key)
                waiting, _RECORD.waiting = _RECORD.waiting, None
                _RECORD.say(name, a)
                _RECORD.waiting = waiting
            return _QUERIES[name](a)
        if name == "integrator" and a[:1] == ["DisplacementControl"]:
            _led(a)
        _RECORD.say(name, _files(a))
        return _HEARD.get(name, lambda a: None)(a)

    call.__name__ = name
    return call


_COMMANDS = """
Bcast IGA InitialStateAnalysis NDTest ShallowFoundationGen accelCPU addToParameter algorithm analysis analyze barrier basicDeformation
basicForce basicStiffness beamIntegration block2D block3D cbdiDisplacement classType computeGradients constraints convertBinaryToText
convertTextToBinary correlate damping database defaultUnits domainChange domainCommitTag eigen eleDynamicalForce eleForce eleLoad eleNodes
eleResponse eleType element equalDOF equalDOF_Mixed fiber filter findCurvatures findDesignPoint fix fixX fixY fixZ frictionModel
functionEvaluator geomTransf getCDF getConstrainedDOFs getConstrainedNodes getCrdTransfTags getDampTangent getEleClassTags
getEleLoadClassTags getEleLoadData getEleLoadTags getEleTags getFixedDOFs getFixedNodes getInverseCDF getLSFTags getLoadFactor getMean
getNDF getNDM getNP getNodeLoadData getNodeLoadTags getNodeTags getNodeTemperature getNumElements getNumThreads getPDF getPID getParamTags
getParamValue getPatterns getRVParamTag getRVTags getRVValue getRetainedDOFs getRetainedNodes getStdv getStrain getStress getTangent getTime
gradPerformanceFunction gradientEvaluator groundMotion hystereticBackbone imposedMotion imposedSupportMotion initialize integrator layer
limitCurve load loadConst logFile mass meritFunctionCheck mesh metaData modalDamping modalDampingQ modalProperties model modulatingFunction
nDMaterial node nodeAccel nodeBounds nodeCoord nodeDOFs nodeDisp nodeEigenvector nodeMass nodePressure nodeReaction nodeResponse
nodeUnbalance nodeVel numFact numIter numberer parameter partition patch pattern performanceFunction pressureConstraint printA printB
printGID printModel printX probabilityTransformation randomNumberGenerator randomVariable rayleigh reactions record recorder recv region
reliabilityConvergenceCheck remesh remove reset responseSpectrumAnalysis restore rigidDiaphragm rigidLink rootFinding runFORMAnalysis
runFOSMAnalysis runImportanceSamplingAnalysis runSORMAnalysis save sdfResponse searchDirection searchPeerNGA section sectionDeformation
sectionDisplacement sectionFlexibility sectionForce sectionLocation sectionStiffness sectionTag sectionWeight send sensLambda sensNodeAccel
sensNodeDisp sensNodePressure sensNodeVel sensSectionForce sensitivityAlgorithm setCreep setElementRayleighDampingFactors
setElementRayleighFactors setMaxOpenFiles setNodeAccel setNodeCoord setNodeDisp setNodePressure setNodeTemperature setNodeVel setNumThreads
setParameter setPrecision setStartNodeTag setStrain setTime solveCPU sp spectrum start startPoint stepSizeRule stiffnessDegradation stop
strengthControl strengthDegradation stripXML system systemSize test testIter testNorm testNorms testUniaxialMaterial timeSeries totalCPU
transformUtoX uniaxialMaterial unloadingRule updateElementDomain updateMaterialStage updateParameter version wipe wipeAnalysis
wipeReliability
""".split()

for _name in set(_COMMANDS) | set(_QUERIES) | set(_HEARD) | {"eigen"}:
    globals()[_name] = _command(_name)

__all__ = sorted((set(_COMMANDS) | set(_QUERIES) | set(_HEARD) | {"eigen", "OpenSeesError"}))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _command(name)
