"""Python functions inside of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["Compiled", "Law", "Spec"]

#: A law or a specimen: `f(t, u, v)` with time in s, displacement and velocity (numbers, or arrays where it has several
#: degrees of freedom), returns the resisting force(s). An object with `save()` and `restore(numbers)` can be taken back. An object with
#: `compiled()` is asked for its compiled function in the process that computes it.
Law = Callable[..., Any]


@dataclass(frozen=True)
class Compiled:
    """A compiled function, called through its address without the interpreter.

    With `dofs=1` and no states its C signature is `double f(double t, double u, double v)`, else
    `void f(double t, const double *u, const double *v, double *states, double *force)`. States begin at zero; they are
    saved and restored with the run. `owner` is kept alive.
    """

    address: int
    dofs: int = 1
    states: int = 0
    array: bool = False
    owner: Any = None

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "the address of a compiled function holds in this process only: for real time, give an object with a method "
            "`compiled()`, which is called in the process of the specimen and returns the compiled function"
        )

    @classmethod
    def of(cls, function: Any, dofs: int = 1, states: int = 0) -> Compiled:
        """From a `numba.cfunc`, or a function of `ctypes` with declared argument types."""
        address, count = _address(function)
        if count not in (3, 5):
            raise TypeError(f"a compiled law has 3 arguments (t, u, v) or 5 (t, u, v, states, force), this one has {count}")
        if count == 3 and (dofs != 1 or states != 0):
            raise TypeError("a law of several degrees of freedom or with states has 5 arguments: t, u, v, states, force")
        return cls(address, dofs, states, count == 5, function)


def _address(function: Any) -> tuple[int, int]:
    if hasattr(function, "address") and hasattr(function, "_sig"):
        return int(function.address), len(function._sig.args)
    if getattr(function, "argtypes", None):
        import ctypes

        return ctypes.cast(function, ctypes.c_void_p).value or 0, len(function.argtypes)
    raise TypeError(f"{function!r} is not a numba.cfunc and not a ctypes function with `argtypes`")


@dataclass(frozen=True)
class Spec:
    """What the native part is told of a law."""

    name: str
    function: Any
    dofs: int
    address: int
    scalar: bool
    states: int
    owner: Any = None


def spec(name: str, law: Any, dofs: int) -> Spec:
    """A law with so many degrees of freedom for the native part."""
    if hasattr(law, "compiled"):
        law = law.compiled()
    if hasattr(law, "address") and not isinstance(law, Compiled):
        law = Compiled.of(law, dofs=dofs)
    if isinstance(law, Compiled):
        if law.dofs != dofs:
            raise TypeError(f"the compiled law `{name}` has {law.dofs} degrees of freedom, the model {dofs}")
        if law.address == 0:
            raise ValueError(f"the compiled law `{name}` has no address")
        return Spec(name, None, dofs, law.address, not law.array, law.states, law.owner)
    function = getattr(law, "force", law)
    if not callable(function):
        raise TypeError(f"the law `{name}` is not callable: give f(t, u, v), or an object with force(t, u, v)")
    if function is not law:
        function = _Method(law, function)
    return Spec(name, function, dofs, 0, False, 0, law)


class _Method:
    """The method `force` of an object, which is saved and restored with the object."""

    def __init__(self, owner: Any, force: Callable[..., Any]) -> None:
        self.force = force
        if hasattr(owner, "save") and hasattr(owner, "restore"):
            self.save, self.restore = owner.save, owner.restore

    def __call__(self, t: float, u: Any, v: Any) -> Any:
        return self.force(t, u, v)


def specs(laws: Mapping[str, Any], dofs: Mapping[str, int]) -> list[Spec]:
    """All laws; the native part says which name is wrong."""
    return [spec(name, law, dofs.get(name, 1)) for name, law in laws.items()]
