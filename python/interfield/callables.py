"""Python functions inside of a run."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["Compiled", "Law", "Spec"]

#: A law or a specimen: `f(t, u, v)` with time in s, displacement and velocity (numbers, or arrays where it has several
#: degrees of freedom), returns the resisting force(s). An object with `save()` and `restore(numbers)` can be taken back; a class is made
#: anew for each run. An object with `compiled()` is asked for its compiled function in the process that computes it.
Law = Callable[..., Any]

#: What each role may have as its C signature: result and arguments, d for double, p for double *, i for int32_t, v for void.
_FORMS = {
    "law": {
        "d:ddd": "double f(double t, double u, double v)",
        "v:dpppp": "void f(double t, const double *u, const double *v, double *states, double *force)",
    },
    "compensator": {
        "d:dd": "double f(double target, double measured)",
        "v:pppp": "void f(const double *target, const double *measured, double *states, double *command)",
    },
    "observer": {"i:dp": "int32_t f(double t, const double *row)"},
}
#: The method of an object that computes this, where it is not the object itself that is called.
_METHODS = {"law": "force", "compensator": "command", "observer": "observe"}


@dataclass(frozen=True)
class Compiled:
    """A compiled function, called through its address without the interpreter.

    A law or a specimen with `dofs=1` and no states is `double f(double t, double u, double v)` in C, else
    `void f(double t, const double *u, const double *v, double *states, double *force)`. A compensator is
    `double f(double target, double measured)` or, with several actuators or states,
    `void f(const double *target, const double *measured, double *states, double *command)`; an observer is
    `int32_t f(double t, const double *row)`, where 0 ends the run. States begin at zero; they are
    saved and restored with the run. `owner` is kept alive.
    """

    address: int
    dofs: int = 1
    states: int = 0
    array: bool = False
    owner: Any = None
    #: Its signature, if it is known.
    form: str | None = None

    def __post_init__(self) -> None:
        for name, value, least in (("address", self.address, 0), ("dofs", self.dofs, 1), ("states", self.states, 0)):
            if operator.index(value) < least:
                raise ValueError(f"{name} of a compiled function must be {least} or greater, found {value}")

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "the address of a compiled function holds in this process only: for real time, give an object with a method "
            "`compiled()`, which is called in the process of the specimen and returns the compiled function"
        )

    @classmethod
    def of(cls, function: Any, dofs: int = 1, states: int = 0) -> Compiled:
        """From a `numba.cfunc`, or a function of `ctypes` with declared argument types.

        >>> import ctypes, interfield
        >>> signature = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
        >>> interfield.Compiled.of(signature(lambda t, u, v: 20e3 * u)).form
        'd:ddd'
        """
        address, form = _signature(function)
        known = {f: text for forms in _FORMS.values() for f, text in forms.items()}
        if form not in known:
            raise TypeError(f"a compiled function has one of these signatures, {function!r} has another: " + "; ".join(known.values()))
        array = form in ("v:dpppp", "v:pppp")
        if not array and (dofs != 1 or states != 0):
            raise TypeError("one of several degrees of freedom or with states gets arrays: " + known["v:dpppp"])
        return cls(address, dofs, states, array, function, form)


def _signature(function: Any) -> tuple[int, str]:
    """Address and form of a compiled function; '?' for a type that none of ours has."""
    if hasattr(function, "address") and hasattr(function, "_sig"):
        letters = {"float64": "d", "float64*": "p", "int32": "i", "none": "v", "void": "v"}
        given = [letters.get(str(kind), "?") for kind in (function._sig.return_type, *function._sig.args)]
        return int(function.address), f"{given[0]}:{''.join(given[1:])}"
    if getattr(function, "argtypes", None):
        import ctypes

        def letter(kind: Any) -> str:
            pointer = kind in (ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))
            return "p" if pointer else {ctypes.c_double: "d", ctypes.c_int32: "i", None: "v"}.get(kind, "?")

        given = [letter(kind) for kind in (function.restype, *function.argtypes)]
        return ctypes.cast(function, ctypes.c_void_p).value or 0, f"{given[0]}:{''.join(given[1:])}"
    raise TypeError(f"{function!r} is not a numba.cfunc and not a ctypes function with `argtypes`")


@dataclass(frozen=True)
class Spec:
    """What the native part is told of a function."""

    name: str
    function: Any
    dofs: int
    address: int
    scalar: bool
    states: int
    owner: Any = None


def spec(name: str, given: Any, dofs: int = 1, role: str = "law") -> Spec:
    """A function with so many degrees of freedom (of a compensator: actuators) for the native part."""
    if isinstance(given, type):
        # Made anew for each run: it remembers nothing of the one before.
        given = given()
    if hasattr(given, "compiled"):
        given = given.compiled()
    if (hasattr(given, "address") or getattr(given, "argtypes", None)) and not isinstance(given, Compiled):
        given = Compiled.of(given, dofs=dofs if role != "observer" else 1)
    what = f"the {role} `{name}`" if name else f"the {role}"
    if isinstance(given, Compiled):
        if role != "observer" and given.dofs != dofs:
            unit = "actuators" if role == "compensator" else "degrees of freedom"
            raise TypeError(f"{what}, compiled, has {given.dofs} {unit}, the model {dofs}")
        if given.form is not None and given.form not in _FORMS[role]:
            raise TypeError(f"{what}, compiled, must have the signature " + " or ".join(_FORMS[role].values()))
        if given.address == 0:
            raise ValueError(f"{what}, compiled, has no address")
        return Spec(name, None, dofs, given.address, not given.array, given.states, given.owner)
    method = _METHODS[role]
    function = getattr(given, method, given)
    if not callable(function):
        raise TypeError(f"{what} is not callable: give a function, or an object with a method `{method}`")
    if function is not given:
        function = _Method(given, function)
    return Spec(name, function, dofs, 0, False, 0, given)


class _Method:
    """The method of an object, which is saved and restored with the object."""

    def __init__(self, owner: Any, method: Callable[..., Any]) -> None:
        self.method = method
        if hasattr(owner, "save") and hasattr(owner, "restore"):
            self.save, self.restore = owner.save, owner.restore

    def __call__(self, *given: Any) -> Any:
        return self.method(*given)


def specs(given: Mapping[str, Any], dofs: Mapping[str, int], role: str = "law") -> list[Spec]:
    """All of a role; the native part says which name is wrong."""
    return [spec(name, one, dofs.get(name, 1), role) for name, one in given.items()]
